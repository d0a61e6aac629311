//! Lanes, masks, instruction sets and kernels as traits.

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::real::Real;

/// Several numbers on which operations work at once.
pub trait Lane:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The instruction set, as a token that proves that the machine has it.
    type Simd: Simd;
    /// The number type.
    type Scalar: Real;
    /// One truth value for each lane.
    type Mask: Mask;
    /// Number of lanes.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(simd: Self::Simd, x: Self::Scalar) -> Self;
    /// The numbers `from[at .. at + LANES]`; panics if they are not all there.
    fn load(simd: Self::Simd, from: &[Self::Scalar], at: usize) -> Self;
    /// Writes to `to[at .. at + LANES]`; panics if the slice is too short.
    fn store(self, to: &mut [Self::Scalar], at: usize);
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// `self < other`; false if one is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`; false if one is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self == other`; false if one is NaN.
    fn eq(self, other: Self) -> Self::Mask;
    /// `a` where the mask holds, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `self < other ? self : other`.
    fn min(self, other: Self) -> Self;
    /// `self > other ? self : other`.
    fn max(self, other: Self) -> Self;
    /// [`Real::inverse_exponent`] in every lane; lanes must not be negative.
    fn inverse_exponent(self) -> Self;
    /// `self * b + c`, with one rounding if the instruction set has that operation, else with two: for filters only.
    fn fused(self, b: Self, c: Self) -> Self;
    /// Lanes `part * LANES ..` of the sixteen numbers `row[0] row[0] row[0] row[0] row[1] ..`.
    fn repeat4(simd: Self::Simd, row: &[Self::Scalar; 4], part: usize) -> Self;
    /// Lanes `part * LANES ..` of the sixteen numbers `row[0] row[1] row[2] row[3] row[0] ..`.
    fn tile4(simd: Self::Simd, row: &[Self::Scalar; 4], part: usize) -> Self;
    /// Columns of the rows `rows[at .. at + LANES]`: item k has number k of each row. Panics if the rows are not all there.
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
    /// Writes columns as rows `to[at .. at + LANES]`, the inverse of [`columns`](Self::columns). Panics if the slice is too short.
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

/// The largest number of lanes.
pub(super) const MOST_LANES: usize = 16;

/// One truth value for each lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Bit l is the value of lane l.
    fn bits(self) -> u32;
    /// Whether any lane holds.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }
    /// Whether all lanes hold.
    fn all(self) -> bool;
}

/// An instruction set, as a token that proves that it may be used. Only [`dispatch`](crate::simd::dispatch) makes tokens that need proof.
pub trait Simd: Copy {
    /// Single precision.
    type F32: Lane<Scalar = f32, Simd = Self>;
    /// Double precision.
    type F64: Lane<Scalar = f64, Simd = Self>;
    /// The same instruction set with fewer lanes, for few numbers, because unused lanes cost time, too. As many lanes if fewer save nothing.
    type Few: Lane<Scalar = f64>;

    /// The proof that [`Few`](Self::Few) may be used.
    fn few(self) -> <Self::Few as Lane>::Simd;

    /// Runs a kernel in a function of its own, for code so large that it should be in a program only once.
    #[inline(never)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}

/// A number type of lanes, so that a kernel can be generic over it.
pub trait Number: Real {
    /// The lanes of this type in an instruction set.
    type Lane<S: Simd>: Lane<Scalar = Self, Simd = S>;
}

impl Number for f32 {
    type Lane<S: Simd> = S::F32;
}

impl Number for f64 {
    type Lane<S: Simd> = S::F64;
}

/// A computation that is written once for all instruction sets. `run` must be `#[inline(always)]`.
pub trait Kernel {
    /// The type of the result.
    type Output;
    /// The body of the kernel.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}
