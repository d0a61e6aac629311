//! Guaranteed bounds of the distance of two triangles, which include rounding errors, in any number of lanes.
//!
//! *Upper*: the distance of any point of one to any point of the other. *Lower*: for any direction n, the gap between the
//! projections of the two triangles on n, over |n|. Neither needs a converged search; a good one makes them tight.
//!
//! # Rounding
//! u is the unit roundoff. Coordinates are scaled so that the largest component of `Local` is below 2; so its vectors are
//! at most 2 sqrt(3) < 3.5 long, and any point of A relative to vertex 0 of B is at most 7 away from it.
//! * Lower. Vertices of A carry (3.5 + 3.5 + 7) u from three roundings and their dot products 3 u 7 |n|, together
//!   35 u |n|; those of B (3.5 + 3 * 3.5) u |n| = 14 u |n|; the gap's own rounding is below 11 u |n|. The direction needs no
//!   bound: every direction is valid as it is stored. Root and quotient cost 4 u of the result, which is below 11. Sum: 104 u.
//! * Upper. The errors of `on_a` and `on_b` are 5 u (3.5 + 7), those of their difference and its length 5 u 11;
//!   coordinates may violate a + b <= 1 by u, which moves a point by 3.5 u. Sum: 115 u.
//!
//! [`MARGIN`] is 192 u: the rest covers the exact kernel's own error (64 u here), so that its result never contradicts
//! a bound. Underflow: directions with |n|^2 below [`smallest`] give no bound, and for others the error is far below
//! `u |n|`. The underflow of scaled tiny coordinates is below u, too (`iterative/lanes.rs`).

use super::sweeps::Local;
use crate::real::Real;
use crate::simd::{Lane, Vec3};
use crate::triangle::kernel::number;

/// Subtracted from lower bounds and added to upper bounds, in units of roundoff.
pub(crate) const MARGIN: f64 = 192.0;

/// Directions with a squared length below this give no bound.
#[inline(always)]
fn smallest<T: Real>() -> f64 {
    if T::UNIT_ROUNDOFF.to_f64() > 1e-10 { 1e-30 } else { 1e-200 }
}

/// A guaranteed lower bound of the distance; 0 where the direction gives none.
#[inline(always)]
pub(crate) fn lower_bound<L: Lane>(simd: L::Simd, local: &Local<L>, direction: Vec3<L>) -> L {
    let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
    let a = [local.r.dot(direction), (local.r + local.e[0]).dot(direction), (local.r + local.e[1]).dot(direction)];
    let b = [local.f[0].dot(direction), local.f[1].dot(direction)];
    let (low_a, high_a) = (a[0].min(a[1]).min(a[2]), a[0].max(a[1]).max(a[2]));
    let (low_b, high_b) = (b[0].min(b[1]).min(zero), b[0].max(b[1]).max(zero));
    let gap = (low_a - high_b).max(low_b - high_a);
    let length2 = direction.dot(direction);
    let long = number::<L>(simd, smallest::<L::Scalar>()).lt(length2) & length2.lt(number(simd, f32::MAX as f64));
    let length = L::select(long, length2, one).sqrt();
    let bound = gap / length - margin::<L>(simd);
    L::select(long & zero.lt(bound), bound, zero)
}

/// A guaranteed upper bound of the distance, from the vector between a point of each triangle.
#[inline(always)]
pub(crate) fn upper_bound<L: Lane>(simd: L::Simd, between: Vec3<L>) -> L {
    between.dot(between).sqrt() + margin::<L>(simd)
}

#[inline(always)]
fn margin<L: Lane>(simd: L::Simd) -> L {
    number::<L>(simd, MARGIN * L::Scalar::UNIT_ROUNDOFF.to_f64())
}
