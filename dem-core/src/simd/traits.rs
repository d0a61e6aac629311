//! Lanes, masks, instruction sets and kernels as traits.

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::real::Real;

/// Several numbers that are computed with at once.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The instruction set, as a value that proves that it is there.
    type Simd: Simd;
    /// One number.
    type Scalar: Real;
    /// A truth value per lane.
    type Mask: Mask;
    /// How many numbers.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(simd: Self::Simd, x: Self::Scalar) -> Self;
    /// `from[at .. at + LANES]`; panics behind the end.
    fn load(simd: Self::Simd, from: &[Self::Scalar], at: usize) -> Self;
    /// Writes to `to[at .. at + LANES]`; panics behind the end.
    fn store(self, to: &mut [Self::Scalar], at: usize);
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Without signs.
    fn abs(self) -> Self;
    /// `self < other`, false where one is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`, false where one is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self == other`, false where one is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `a` where the mask holds, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `self < other ? self : other`.
    fn min(self, other: Self) -> Self;
    /// `self > other ? self : other`.
    fn max(self, other: Self) -> Self;
    /// [`Real::inverse_exponent`] in every lane; lanes must not be negative.
    fn inverse_exponent(self) -> Self;
    /// `self * b + c`, with one rounding where the instruction set has that and two where not: for filters only.
    fn fused(self, b: Self, c: Self) -> Self;
    /// Lanes `part * LANES ..` of the sixteen numbers `row[0] row[0] row[0] row[0] row[1] ..`.
    fn repeat4(simd: Self::Simd, row: &[Self::Scalar; 4], part: usize) -> Self;
    /// Lanes `part * LANES ..` of the sixteen numbers `row[0] row[1] row[2] row[3] row[0] ..`.
    fn tile4(simd: Self::Simd, row: &[Self::Scalar; 4], part: usize) -> Self;
    /// Columns of the rows `rows[at .. at + LANES]`: number k of each in item k. Panics behind the end.
    #[inline(always)]
    fn columns(simd: Self::Simd, rows: &[&[Self::Scalar; 4]], at: usize) -> [Self; 4] {
        let mut columns = [[Self::Scalar::default(); MOST_LANES]; 4];
        let mut lane = 0;
        while lane < Self::LANES {
            let [a, b, c, d] = *rows[at + lane];
            (columns[0][lane], columns[1][lane], columns[2][lane], columns[3][lane]) = (a, b, c, d);
            lane += 1;
        }
        let [a, b, c, d] = &columns;
        [Self::load(simd, a, 0), Self::load(simd, b, 0), Self::load(simd, c, 0), Self::load(simd, d, 0)]
    }
    /// Writes columns as rows `to[at .. at + LANES]`: the other way of [`columns`](Self::columns). Panics behind the end.
    #[inline(always)]
    fn to_rows([a, b, c, d]: [Self; 4], to: &mut [[Self::Scalar; 4]], at: usize) {
        let mut columns = [[Self::Scalar::default(); MOST_LANES]; 4];
        a.store(&mut columns[0], 0);
        b.store(&mut columns[1], 0);
        c.store(&mut columns[2], 0);
        d.store(&mut columns[3], 0);
        let mut lane = 0;
        while lane < Self::LANES {
            to[at + lane] = [columns[0][lane], columns[1][lane], columns[2][lane], columns[3][lane]];
            lane += 1;
        }
    }
}

/// The most lanes there are.
pub(super) const MOST_LANES: usize = 16;

/// A truth value per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Bit l is lane l.
    fn bits(self) -> u32;
    /// Whether any lane holds.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }
    /// Whether all lanes hold.
    fn all(self) -> bool;
}

/// An instruction set, as a value that proves that it may be used: only [`dispatch`](crate::simd::dispatch) makes one of those that need proof.
pub trait Simd: Copy {
    /// Single precision.
    type F32: Lane<Scalar = f32, Simd = Self>;
    /// Double precision.
    type F64: Lane<Scalar = f64, Simd = Self>;
    /// The same with fewer lanes, for fewer numbers: to compute with lanes that nobody needs takes time, too. As many lanes where that saves nothing.
    type Few: Lane<Scalar = f64>;

    /// The proof that [`Few`](Self::Few) may be used.
    fn few(self) -> <Self::Few as Lane>::Simd;

    /// Runs a kernel in a function of its own: for code so large that it should be in a program once, whoever needs it.
    #[inline(never)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}

/// A number type that lanes are made of, so that a kernel can be generic over it.
pub trait Number: Real {
    /// Its lanes under an instruction set.
    type Lane<S: Simd>: Lane<Scalar = Self, Simd = S>;
}

impl Number for f32 {
    type Lane<S: Simd> = S::F32;
}

impl Number for f64 {
    type Lane<S: Simd> = S::F64;
}

/// A computation that is written once for every instruction set. `run` must be `#[inline(always)]`.
pub trait Kernel {
    /// What it gives.
    type Output;
    /// The one body.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}
