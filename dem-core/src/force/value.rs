//! Number types of the law: one formula for one contact and for several contacts in lanes, with the same bits.

use core::ops::{Div, Neg};

use crate::real::{Real, max};
use crate::simd::{Lane, Mask};
use crate::vector::Component;

/// A double-precision number, or a lane vector of such numbers.
pub(crate) trait Value: Component + Div<Output = Self> + Neg<Output = Self> {
    /// The token that a constant needs: nothing for a number, the instruction set for lanes.
    type Proof: Copy;
    /// One truth value, or one for each lane.
    type Truth: Copy;

    /// A constant.
    fn constant(proof: Self::Proof, x: f64) -> Self;
    /// Square root.
    fn root(self) -> Self;
    /// `self > other ? self : other`.
    fn at_least(self, other: Self) -> Self;
    /// `self < other`.
    fn below(self, other: Self) -> Self::Truth;
    /// Selects `a` where `truth` holds, else `b`; both are computed.
    fn either(truth: Self::Truth, a: Self, b: Self) -> Self;
    /// Whether no lane is true.
    fn nowhere(truth: Self::Truth) -> bool;

    /// `self / other`, 0 where the other one is not above 0.
    #[inline(always)]
    fn ratio(proof: Self::Proof, a: Self, b: Self) -> Self {
        let zero = Self::constant(proof, 0.0);
        Self::either(zero.below(b), a / b, zero)
    }
}

impl Value for f64 {
    type Proof = ();
    type Truth = bool;

    #[inline(always)]
    fn constant((): (), x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn root(self) -> f64 {
        Real::sqrt(self)
    }
    #[inline(always)]
    fn at_least(self, other: f64) -> f64 {
        max(self, other)
    }
    #[inline(always)]
    fn below(self, other: f64) -> bool {
        self < other
    }
    #[inline(always)]
    fn either(truth: bool, a: f64, b: f64) -> f64 {
        if truth { a } else { b }
    }
    #[inline(always)]
    fn nowhere(truth: bool) -> bool {
        !truth
    }
}

impl<L: Lane<Scalar = f64>> Value for L {
    type Proof = L::Simd;
    type Truth = L::Mask;

    #[inline(always)]
    fn constant(simd: L::Simd, x: f64) -> L {
        L::splat(simd, x)
    }
    #[inline(always)]
    fn root(self) -> L {
        self.sqrt()
    }
    #[inline(always)]
    fn at_least(self, other: L) -> L {
        self.max(other)
    }
    #[inline(always)]
    fn below(self, other: L) -> L::Mask {
        self.lt(other)
    }
    #[inline(always)]
    fn either(truth: L::Mask, a: L, b: L) -> L {
        L::select(truth, a, b)
    }
    #[inline(always)]
    fn nowhere(truth: L::Mask) -> bool {
        !truth.any()
    }
}
