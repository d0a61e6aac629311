//! Lower bounds of the distance of a point from everything below the four nodes of a cluster, and why no triangle is missed.
//!
//! For each node a lower bound of the distance is computed in f32. For any direction d, no point of a triangle is nearer than the smallest of
//! `d.(p - v) / |d|` over its corners v. Here d is the direction from the closest point, as f32 sees it, which makes the bound sharp. Less the
//! node's halo, the bound holds for everything below. (If all triangles have the same halo, it is part of the node's halo but not of the distance,
//! and is added again.) The length of d is an upper bound for a fine triangle.
//!
//! # Rounding
//! Let u = 2^-24, p the point as seen from the cluster's origin, and M = |p| + reach; no corner, no difference and no halo
//! exceeds M. Everything is scaled by a power of two to M in [1, 2), so nothing overflows or vanishes. Stored numbers carry
//! no error.
//! * p, rounded to f32, is displaced by u M.
//! * p - v errs by u M more; its dot product with d by 3 u M |d|, fused or not.
//! * |d| errs by 2.5 u of itself, the quotient by u: 3.5 u M.
//! * Taking off the halo errs by u M.
//!
//! The sum is 9.5 u M; the slack is 12 u M. The excess is more than 1e-7 M. It covers the error of canonical distances, which is less than 1e-12 M.
//! (Triangles that are treated as their edges get distances that are too large, which does no harm.)
//!
//! Rough bounds use two directions for d: the node's normal, and the direction to the box around its corners. The normal is that of the stored
//! corners up to u in each component, so corners are in its plane up to 2 u M. Offset (u M), product (4 u M), halo (u M) and p (u M) err by no more
//! than the slack. So do the box and the length of the way to it, by 7 u M.
//!
//! The upper bound is the distance from some point of an edge, or the height above a point that is clearly inside the triangle. It also includes
//! the distance between corners and stored corners (2 u M), and the distance between a point of an edge and its computed position. The two terms of
//! that point err by 3 u of their size, which is at most 2 M. Together with the above that is less than 24 u M; 32 are added. The turn of a point
//! about an edge E, which is normal times E times the vector from the edge's start to the point, errs by 14 u M |E|. That is less than 128 u, as M
//! is below 2 and |E| below 4. If the turn is larger for all three edges, the foot on the plane is inside.

use crate::real::Real;
use crate::simd::{FOUR, Four, Lane, Mask, Simd, Vec3};
use crate::surrogate::{Cluster, Origin};
use crate::vector::safe_length;

/// Slack of lower bounds, in units of u M.
const ERROR_BELOW: f64 = 12.0;
/// Slack of upper bounds, in units of u M.
const ERROR_ABOVE: f64 = 32.0;

/// A point is clearly above or below the inside of a triangle if its scaled turn about each edge is larger than this.
const INSIDE: f32 = 128.0 * f32::UNIT_ROUNDOFF;

/// A point as the clusters of one origin see it.
pub(super) struct Seen {
    /// Number of the origin.
    pub origin: usize,
    pub point: [f32; 3],
    pub scale: f32,
    /// More than the rounding error, scaled. `wide`: the same for boxes of nodes, less the shared halo.
    pub noise: f32,
    pub wide: f32,
    /// The scale; in f32 it is 0 if the point is very far away.
    exact_scale: f64,
    /// Factor from a scaled length to the body's units; `slack` is then subtracted or added.
    unscale: f64,
    slack: f64,
    slack_above: f64,
}

/// Bounds of the distances of four nodes.
pub(super) struct Gaps {
    /// Everything below a node is at least this far away.
    pub below: [f64; 4],
    /// A fine triangle is at most this far away.
    pub above: [f64; 4],
}

impl Seen {
    /// No origin has been used yet.
    pub const NOWHERE: Seen = Seen {
        origin: usize::MAX,
        point: [0.0; 3],
        scale: 1.0,
        noise: 0.0,
        wide: 0.0,
        exact_scale: 1.0,
        unscale: 1.0,
        slack: 0.0,
        slack_above: 0.0,
    };

    #[inline(always)]
    pub fn new(point: [f64; 3], number: usize, origin: &Origin, shared: f64) -> Seen {
        let seen = [0, 1, 2].map(|k| point[k] - origin.centre[k]);
        let size = safe_length(seen) + origin.reach;
        let scale = scale_of(size);
        let unit = f64::from(f32::UNIT_ROUNDOFF) * size;
        // The slack covers the rounding of these; the smallest number is for sizes below the range of f32.
        let rounded = |x: f64| (x * scale) as f32 + 8.0 * f32::MIN_POSITIVE;
        Seen {
            origin: number,
            point: seen.map(|x| (x * scale) as f32),
            scale: scale as f32,
            noise: rounded(ERROR_BELOW * unit),
            wide: rounded(ERROR_BELOW * unit - shared),
            exact_scale: scale,
            unscale: 1.0 / scale,
            slack: ERROR_BELOW * unit - shared,
            slack_above: ERROR_ABOVE * unit,
        }
    }

    /// Bits of the nodes that may be within a limit, by lower bounds that cost a third of [`gaps`](Self::gaps); and these bounds, scaled.
    #[inline(always)]
    pub fn rough(&self, cluster: &Cluster, limit: f64) -> (u32, [f32; 4]) {
        type L = <Four as Simd>::F32;
        // The rounding error of the limit is added; if the limit is almost zero, the slack covers it.
        let reach = (limit + self.slack) * self.exact_scale;
        let reach = (reach + reach.abs() * f64::from(f32::EPSILON)) as f32;
        let gap = rough(cluster, self.point, self.scale);
        let mut gaps = [0.0; 4];
        gap.store(&mut gaps, 0);
        (gap.le(L::splat(FOUR, reach)).bits() & ((1 << cluster.count()) - 1), gaps)
    }

    /// A scaled bound in the body's units, in f64.
    #[inline(always)]
    pub fn unscaled(&self, gap: f32) -> f64 {
        f64::from(gap) * self.unscale - self.slack
    }

    /// The bounds for a cluster of this origin.
    #[inline(always)]
    pub fn gaps(&self, cluster: &Cluster) -> Gaps {
        let (below, above) = bounds(cluster, self.point, self.scale);
        Gaps {
            below: below.map(|x| self.unscaled(x)),
            above: above.map(|x| f64::from(x) * self.unscale + self.slack_above),
        }
    }
}

/// A power of two that scales a size into [1, 2); less for sizes so small that f32 has no such power.
#[inline(always)]
fn scale_of(size: f64) -> f64 {
    const MOST: f64 = f64::from_bits((1023 + 126) << 52);
    let scale = size.inverse_exponent();
    if scale < MOST { scale } else { MOST }
}

/// Three rows as vectors.
#[inline(always)]
pub(super) fn load<L: Lane, R: AsRef<[L::Scalar]>>(simd: L::Simd, rows: &[R], row: usize, at: usize) -> Vec3<L> {
    Vec3([
        L::load(simd, rows[row].as_ref(), at),
        L::load(simd, rows[row + 1].as_ref(), at),
        L::load(simd, rows[row + 2].as_ref(), at),
    ])
}

/// Lower bounds of the distances of four nodes, scaled and without slack: from planes and boxes.
#[inline(always)]
fn rough(cluster: &Cluster, point: [f32; 3], scale: f32) -> <Four as Simd>::F32 {
    type L = <Four as Simd>::F32;
    let factor = L::splat(FOUR, scale);
    let zero = L::splat(FOUR, 0.0);
    let height = height(cluster, point, factor);
    let mut way2 = zero;
    let mut k = 0;
    while k < 3 {
        let x = L::splat(FOUR, point[k]);
        let row = |corner: usize| &cluster.rows[Cluster::row(corner, k)];
        let [a, b, c] = [L::load(FOUR, row(0), 0), L::load(FOUR, row(1), 0), L::load(FOUR, row(2), 0)];
        let (low, high) = (a.min(b).min(c) * factor, a.max(b).max(c) * factor);
        let way = (low - x).max(x - high).max(zero);
        way2 = way2 + way * way;
        k += 1;
    }
    height.abs().max(way2.sqrt()) - L::load(FOUR, &cluster.rows[Cluster::HALO], 0) * factor
}

/// Heights of the point above the planes of four nodes, scaled.
#[inline(always)]
pub(super) fn height(cluster: &Cluster, point: [f32; 3], factor: <Four as Simd>::F32) -> <Four as Simd>::F32 {
    type L = <Four as Simd>::F32;
    let normal = |k: usize| L::load(FOUR, &cluster.rows[Cluster::row(3, k)], 0) * L::splat(FOUR, point[k]);
    normal(0) + normal(1) + normal(2) - L::load(FOUR, &cluster.rows[Cluster::OFFSET], 0) * factor
}

/// Lower bounds of the distances of four nodes, and the distances of their triangles, scaled and without slack.
#[inline(always)]
fn bounds(cluster: &Cluster, point: [f32; 3], scale: f32) -> ([f32; 4], [f32; 4]) {
    type L = <Four as Simd>::F32;
    let factor = L::splat(FOUR, scale);
    let (zero, one) = (L::splat(FOUR, 0.0), L::splat(FOUR, 1.0));
    let row = |corner: usize, k: usize| L::load(FOUR, &cluster.rows[Cluster::row(corner, k)], 0);
    let p = Vec3::splat(FOUR, point);
    let mut v = [Vec3::<L>::splat(FOUR, [0.0; 3]); 3];
    let mut k = 0;
    while k < 9 {
        v[k / 3].0[k % 3] = row(k / 3, k % 3) * factor;
        k += 1;
    }
    let normal = Vec3([row(3, 0), row(3, 1), row(3, 2)]);
    let r = [p - v[0], p - v[1], p - v[2]];
    // The direction is that from the closest point of the edges, or from the plane if the point is clearly above the inside.
    let mut d = r[0];
    let mut length2 = d.dot(d);
    let mut inside = L::splat(FOUR, INSIDE).lt(one);
    let mut k = 0;
    while k < 3 {
        let edge = v[(k + 1) % 3] - v[k];
        let along = r[k].dot(edge) / edge.dot(edge).max(L::splat(FOUR, f32::MIN_POSITIVE));
        let way = r[k] - edge.scale(along.max(zero).min(one));
        let way2 = way.dot(way);
        let nearer = way2.lt(length2);
        d = Vec3::select(nearer, way, d);
        length2 = length2.min(way2);
        inside = inside & L::splat(FOUR, INSIDE).lt(normal.dot(edge.cross(r[k])));
        k += 1;
    }
    d = Vec3::select(inside, normal.scale(normal.dot(r[0])), d);
    length2 = L::select(inside, d.dot(d), length2);
    let least = d.dot(r[0]).min(d.dot(r[1])).min(d.dot(r[2]));
    // Shorter directions give bounds that the slack would cancel.
    let some = L::splat(FOUR, 1e-20).lt(length2);
    let length = L::select(some, length2, one).sqrt();
    let gap = L::select(some, least / length, zero) - L::load(FOUR, &cluster.rows[Cluster::HALO], 0) * factor;
    let (mut below, mut above) = ([0.0; 4], [0.0; 4]);
    gap.store(&mut below, 0);
    L::select(some, length, zero).store(&mut above, 0);
    (below, above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::max;
    use crate::triangle::distance_point_triangle;
    use crate::triangle::tests::Random;

    /// The largest errors, on the wrong side, of the bounds in f32 against the distance in f64, in units of u M.
    fn largest_errors() -> [f64; 3] {
        let mut random = Random(31);
        let mut largest = [0.0; 3];
        for case in 0..20_000 {
            let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [4, 0, 0, 0] };
            let size = libm::ldexp(1.0, (case % 9) - 8);
            let mut reach = 0.0;
            for lane in 0..4 {
                let centre = [0; 3].map(|_| random.next() - 0.5);
                for k in 0..3 {
                    let v = centre.map(|c| (c + size * (random.next() - 0.5)) as f32);
                    (0..3).for_each(|c| cluster.rows[Cluster::row(k, c)][lane] = v[c]);
                    reach = max(reach, safe_length(v.map(f64::from)));
                }
            }
            let away = libm::ldexp(1.0, case / 9 % 8 - 4);
            let point = [0; 3].map(|_| (random.next() - 0.5) * away);
            let seen = Seen::new(point, 0, &Origin { centre: [0.0; 3], reach }, 0.0);
            for lane in 0..4 {
                let corners = cluster.triangle(lane).map(|v| glam::DVec3::from_array(v.map(f64::from)));
                let normal = crate::surrogate::normal(corners);
                (0..3).for_each(|c| cluster.rows[Cluster::row(3, c)][lane] = normal[c] as f32);
                cluster.rows[Cluster::OFFSET][lane] = normal.dot(corners[0]) as f32;
            }
            let (gaps, (_, rough)) = (seen.gaps(&cluster), seen.rough(&cluster, f64::INFINITY));
            let unit = seen.slack / ERROR_BELOW;
            for (lane, rough) in rough.into_iter().enumerate() {
                let t = cluster.triangle(lane).map(|v| v.map(f64::from));
                let Ok(near) = distance_point_triangle(point, t) else { continue };
                largest[0] = max(largest[0], (gaps.below[lane] - near.distance) / unit + ERROR_BELOW);
                largest[2] = max(largest[2], (seen.unscaled(rough) - near.distance) / unit + ERROR_BELOW);
                let found = seen.rough(&cluster, near.distance).0;
                assert!(found >> lane & 1 == 1, "{lane} {found:b}");
                largest[1] = max(largest[1], (near.distance - gaps.above[lane]) / unit + ERROR_ABOVE);
            }
        }
        largest
    }

    #[test]
    fn the_bounds_in_single_precision_err_by_no_more_than_the_slack() {
        let [below, above, rough] = largest_errors();
        assert!(rough < ERROR_BELOW && rough > 0.05 * ERROR_BELOW, "{rough}");
        assert!(below < ERROR_BELOW && below > 0.05 * ERROR_BELOW, "{below}");
        assert!(above < ERROR_ABOVE && above > 0.01 * ERROR_ABOVE, "{above}");
    }

    #[test]
    fn the_bound_is_sharp() {
        let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [1, 0, 0, 0] };
        let corners_and_normal = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for (k, v) in corners_and_normal.iter().enumerate() {
            (0..3).for_each(|c| cluster.rows[Cluster::row(k, c)] = [v[c]; 4]);
        }
        for (point, distance) in [([0.25, 0.25, 0.5], 0.5), ([-3.0, -4.0, 0.0], 5.0), ([0.5, -2.0, 0.0], 2.0)] {
            let seen = Seen::new(point, 0, &Origin { centre: [0.0; 3], reach: 1.0 }, 0.0);
            let Gaps { below, above } = seen.gaps(&cluster);
            assert!((below[0] - distance).abs() < 1e-5 && below[0] <= distance, "{below:?} {distance}");
            assert!((above[0] - distance).abs() < 2e-5 && above[0] >= distance, "{above:?} {distance}");
        }
    }
}
