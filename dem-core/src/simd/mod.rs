//! Lanes, kernels as types, back ends, dispatch.
//!
//! A kernel is written once, as a type with one generic body over [`Simd`]. [`dispatch`] runs it with the instruction set that an [`Isa`]
//! names, and contains the only functions with enabled target features. All lane operations but [`Lane::fused`] round exactly as scalar
//! arithmetic does. So a kernel without it gives the same bits for every instruction set and number of lanes.
//!
//! Every method of a kernel that uses lanes must be `#[inline(always)]`, and must not contain closures: code that the compiler leaves out
//! of line is compiled without the instruction set, and is ten times slower.

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::error::{Error, Kind, Result, What};
use crate::real::Real;

mod portable;
mod vec3;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // intrinsics; the file says why they are sound
mod x86;

pub use portable::{Portable, PortableLane};

/// Four numbers in single precision at once, on every machine.
#[cfg(target_arch = "x86_64")]
pub type Four = x86::Sse2;
/// The same, proved.
#[cfg(target_arch = "x86_64")]
pub const FOUR: Four = x86::SSE2;
/// Four numbers in single precision at once, on every machine.
#[cfg(not(target_arch = "x86_64"))]
pub type Four = Portable<4, 2>;
/// The same, proved.
#[cfg(not(target_arch = "x86_64"))]
pub const FOUR: Four = Portable::<4, 2>;

pub use vec3::Vec3;

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
const MOST_LANES: usize = 16;

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

/// An instruction set, as a value that proves that it may be used: only [`dispatch`] makes one of those that need proof.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Name {
    Scalar = 1,
    #[cfg(target_arch = "x86_64")]
    Sse2 = 2,
    #[cfg(target_arch = "x86_64")]
    Avx2 = 3,
    #[cfg(target_arch = "x86_64")]
    Avx512 = 4,
    #[cfg(target_arch = "aarch64")]
    Neon = 5,
}

/// An instruction set that this machine has. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Name);

impl Isa {
    /// One lane at a time; on every machine.
    pub const SCALAR: Isa = Isa(Name::Scalar);

    #[cfg(target_arch = "x86_64")]
    const KNOWN: &'static [Isa] = &[Isa(Name::Scalar), Isa(Name::Sse2), Isa(Name::Avx2), Isa(Name::Avx512)];
    #[cfg(target_arch = "aarch64")]
    const KNOWN: &'static [Isa] = &[Isa(Name::Scalar), Isa(Name::Neon)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    const KNOWN: &'static [Isa] = &[Isa(Name::Scalar)];

    /// The instruction sets of this machine, slowest first. Detected once.
    pub fn list() -> &'static [Isa] {
        let known = Self::KNOWN;
        known.get(..detected()).unwrap_or(known)
    }

    /// The fastest one.
    pub fn best() -> Isa {
        Self::list().last().copied().unwrap_or(Isa::SCALAR)
    }

    /// The one with this name: `scalar`, `sse2`, `avx2`, `avx512`, `neon`.
    ///
    /// Errors: [`Kind::Unsupported`] where this machine or build does not have it.
    pub fn named(name: &str) -> Result<Isa> {
        let found = Self::list().iter().find(|isa| isa.name() == name);
        found.copied().ok_or(Error::new(Kind::Unsupported, What::Isa))
    }

    /// The one with this number, as [`Isa::number`] gives it; 0 is the best.
    ///
    /// Errors: [`Kind::Unsupported`] where this machine or build does not have it.
    pub fn numbered(number: u32) -> Result<Isa> {
        if number == 0 {
            return Ok(Isa::best());
        }
        let found = Self::list().iter().find(|isa| isa.number() == number);
        found.copied().ok_or(Error::new(Kind::Unsupported, What::Isa))
    }

    /// A number that never changes: 1 scalar, 2 sse2, 3 avx2, 4 avx512, 5 neon.
    pub fn number(self) -> u32 {
        self.0 as u32
    }

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self.0 {
            Name::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Name::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Name::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Name::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Name::Neon => "neon",
        }
    }
}

impl Default for Isa {
    fn default() -> Self {
        Isa::best()
    }
}

/// How many of `Isa::KNOWN` this machine has; they come in an order in which each implies the ones before.
#[cfg(target_arch = "x86_64")]
fn detected() -> usize {
    static DETECTED: spin::Once<usize> = spin::Once::new();
    *DETECTED.call_once(|| match (x86::has_avx2(), x86::has_avx512()) {
        (true, true) => 4,
        (true, false) => 3,
        _ => 2,
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> usize {
    Isa::KNOWN.len()
}

/// Asks for the line of `from[at]` to be brought near, where there is such an item and the machine knows how: for streams of
/// more rows than its own prefetching follows.
#[inline(always)]
pub fn prefetch<T>(from: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(from, at);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, at);
}

/// Runs a kernel with an instruction set. Built with `--cfg dem_two_isas`, every kernel is compiled twice in place of four times, scalar and
/// for AVX2, which the others then run as: half the time to build, for work on other things than kernels.
#[inline]
pub fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa.0 {
        Name::Scalar => run(kernel, Portable::<1, 1>),
        #[cfg(all(target_arch = "x86_64", dem_two_isas))]
        Name::Sse2 => run(kernel, Portable::<1, 1>),
        #[cfg(all(target_arch = "x86_64", dem_two_isas))]
        Name::Avx512 => x86::avx2(isa).call(kernel),
        #[cfg(all(target_arch = "x86_64", not(dem_two_isas)))]
        Name::Sse2 => run(kernel, x86::SSE2),
        #[cfg(target_arch = "x86_64")]
        Name::Avx2 => x86::avx2(isa).call(kernel),
        #[cfg(all(target_arch = "x86_64", not(dem_two_isas)))]
        Name::Avx512 => x86::avx512(isa).call(kernel),
        #[cfg(target_arch = "aarch64")]
        Name::Neon => run(kernel, Portable::<4, 2>),
    }
}

/// Out of line, as a kernel has large arrays on the stack, which must not be there beside those of another instruction set.
#[inline(never)]
fn run<K: Kernel, S: Simd>(kernel: K, simd: S) -> K::Output {
    kernel.run(simd)
}

#[cfg(test)]
mod tests;
