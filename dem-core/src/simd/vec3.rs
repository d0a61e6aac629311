//! Three-vectors of lanes, with one order of summation.

use core::ops::{Add, Neg, Sub};

use super::traits::Lane;
use crate::vector;

/// One vector for each lane: components x, y, z.
#[derive(Clone, Copy, Debug)]
pub struct Vec3<L>(pub [L; 3]);

impl<L: Lane> Vec3<L> {
    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(simd: L::Simd, v: [L::Scalar; 3]) -> Self {
        Vec3([L::splat(simd, v[0]), L::splat(simd, v[1]), L::splat(simd, v[2])])
    }

    /// `x x + y y + z z`, summed from the left.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        vector::dot(self.0, other.0)
    }

    /// The cross product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Vec3(vector::cross(self.0, other.0))
    }

    /// The dot product, with fewer roundings if the instruction set has fused operations: for filters only.
    #[inline(always)]
    pub fn dot_fused(self, other: Self) -> L {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a.fused(x, b.fused(y, c * z))
    }

    /// The cross product, with fewer roundings if the instruction set has fused operations: for filters only.
    #[inline(always)]
    pub fn cross_fused(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Vec3([b.fused(z, -(c * y)), c.fused(x, -(a * z)), a.fused(y, -(b * x))])
    }

    /// Each component times `s`.
    #[inline(always)]
    pub fn scale(self, s: L) -> Self {
        Vec3(vector::scale(self.0, s))
    }

    /// `a` where the mask holds, else `b`.
    #[inline(always)]
    pub fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (a.0, b.0);
        Vec3([L::select(mask, a0, b0), L::select(mask, a1, b1), L::select(mask, a2, b2)])
    }
}

impl<L: Lane> Add for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Vec3(vector::add(self.0, other.0))
    }
}

impl<L: Lane> Sub for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Vec3(vector::sub(self.0, other.0))
    }
}

impl<L: Lane> Neg for Vec3<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b, c] = self.0;
        Vec3([-a, -b, -c])
    }
}
