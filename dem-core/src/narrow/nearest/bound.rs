//! How far a point is at least from what four clusters stand for, and why no triangle is missed.
//!
//! For each of sixteen nodes a lower bound of the distance is computed in f32: whatever the direction d, no point of a
//! triangle is nearer than the smallest of d.(p - v) / |d| over its corners v; d is taken from the closest point as f32 sees
//! it, which makes the bound sharp. Less the node's halo it holds for everything below. (Where all triangles have the same
//! halo, that is part of the node's, but not of the distance, and is given back.)
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
//! The sum is 9.5 u M; the slack is 12 u M. What it has over is more than 1e-7 M, and covers what canonical distances
//! err by: less than 1e-12 M. (Triangles that are treated as their edges have too large ones, which does no harm.)

use super::AT_ONCE;
use crate::narrow::frame::length;
use crate::real::Real;
use crate::simd::{Lane, Simd, Vec3};
use crate::surrogate::{Cluster, NONE};
use crate::triangle::kernel::point_triangle;

/// An empty cluster, for places of a batch that are not in use.
static NOTHING: Cluster = Cluster { rows: [[0.0; 4]; 14], link: [NONE; 4], meta: [0; 4] };

/// Up to four clusters side by side, and the point as each sees it.
pub(super) struct Batch<'t> {
    pub clusters: [&'t Cluster; AT_ONCE],
    pub number: usize,
    /// Rows 0 to 8: corners; 9: halo; 10 to 12: point.
    rows: [[f32; 4 * AT_ONCE]; 13],
    bounds: [f32; 4 * AT_ONCE],
    /// From a scaled length to the body's, and what is taken off it then.
    unscale: [f64; AT_ONCE],
    slack: [f64; AT_ONCE],
}

/// The rows of a cluster that a bound needs: corners and halo.
const ROWS: [usize; 10] = {
    let mut rows = [Cluster::HALO; 10];
    let mut k = 0;
    while k < 9 {
        rows[k] = Cluster::row(k / 3, k % 3);
        k += 1;
    }
    rows
};

/// In units of u M.
const SLACK: f64 = 12.0;

impl<'t> Batch<'t> {
    pub fn new() -> Self {
        let (rows, bounds) = ([[0.0; 4 * AT_ONCE]; 13], [0.0; 4 * AT_ONCE]);
        Batch { clusters: [&NOTHING; AT_ONCE], number: 0, rows, bounds, unscale: [1.0; AT_ONCE], slack: [0.0; AT_ONCE] }
    }

    #[inline(always)]
    pub fn add(&mut self, cluster: &'t Cluster, point: [f64; 3], centre: [f64; 3], reach: f64, shared: f64) {
        let c = self.number & (AT_ONCE - 1);
        let seen = [0, 1, 2].map(|k| point[k] - centre[k]);
        let size = length(seen) + reach;
        let scale = scale_of(size);
        let scale32 = scale as f32;
        for (to, from) in self.rows.iter_mut().zip(ROWS) {
            for lane in 0..4 {
                to[4 * c + lane] = cluster.rows[from][lane] * scale32;
            }
        }
        for (row, x) in self.rows[10..].iter_mut().zip(seen) {
            row[4 * c..4 * c + 4].fill((x * scale) as f32);
        }
        self.clusters[c] = cluster;
        self.unscale[c] = 1.0 / scale;
        self.slack[c] = SLACK * f64::from(f32::UNIT_ROUNDOFF) * size - shared;
        self.number = c + 1;
    }

    #[inline(always)]
    pub fn bound<S: Simd>(&mut self, simd: S) {
        let mut part = 0;
        while part * S::F32::LANES < 4 * self.number {
            let at = part * S::F32::LANES;
            below::<S::F32>(simd, &self.rows, at).store(&mut self.bounds, at);
            part += 1;
        }
    }

    /// The nodes of a cluster that may be within the limit, farthest first.
    #[inline(always)]
    pub fn near(&self, c: usize, count: usize, limit: f64) -> ([(f64, usize); 4], usize) {
        let mut near = [(0.0, 0); 4];
        let mut number = 0;
        for lane in 0..crate::real::min(count, 4) {
            let gap = f64::from(self.bounds[4 * c + lane]) * self.unscale[c] - self.slack[c];
            if gap <= limit {
                let mut at = number;
                while at > 0 && near[at - 1].0 < gap {
                    near[at] = near[at - 1];
                    at -= 1;
                }
                near[at] = (gap, lane);
                number += 1;
            }
        }
        (near, number)
    }
}

/// A power of two that takes a size into [1, 2); less for sizes so small that f32 does not reach that far.
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

/// Lower bounds of the distances of sixteen nodes, but for the slack.
#[inline(always)]
fn below<L: Lane<Scalar = f32>>(simd: L::Simd, rows: &[[f32; 4 * AT_ONCE]; 13], at: usize) -> L {
    let v = [load::<L, _>(simd, rows, 0, at), load::<L, _>(simd, rows, 3, at), load::<L, _>(simd, rows, 6, at)];
    let p = load::<L, _>(simd, rows, 10, at);
    let d = p - point_triangle::<L>(simd, p, v).point;
    let (x, y, z) = (d.dot(p - v[0]), d.dot(p - v[1]), d.dot(p - v[2]));
    let least = x.min(y).min(z);
    let length2 = d.dot(d);
    // Shorter directions prove nothing that the slack leaves over.
    let some = L::splat(simd, 1e-20).lt(length2);
    let gap = least / L::select(some, length2, L::splat(simd, 1.0)).sqrt();
    L::select(some, gap, L::splat(simd, 0.0)) - L::load(simd, &rows[9], at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::max;
    use crate::simd::{Isa, Kernel, dispatch};
    use crate::triangle::distance_point_triangle;
    use crate::triangle::tests::Random;

    struct Bound<'t, 'c>(&'t mut Batch<'c>);

    impl Kernel for Bound<'_, '_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            self.0.bound(simd);
        }
    }

    /// Largest amount by which the bound in f32 exceeds the distance in f64, in units of u M.
    fn largest_error(isa: Isa) -> f64 {
        let mut random = Random(31);
        let mut largest = 0.0;
        for case in 0..20_000 {
            let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [4, 0, 0, 0] };
            let size = libm::ldexp(1.0, (case % 9) - 8);
            let mut reach = 0.0;
            for lane in 0..4 {
                let centre = [0; 3].map(|_| random.next() - 0.5);
                for k in 0..3 {
                    let v = centre.map(|c| (c + size * (random.next() - 0.5)) as f32);
                    (0..3).for_each(|c| cluster.rows[Cluster::row(k, c)][lane] = v[c]);
                    reach = max(reach, length(v.map(f64::from)));
                }
            }
            let away = libm::ldexp(1.0, case / 9 % 8 - 4);
            let point = [0; 3].map(|_| (random.next() - 0.5) * away);
            let mut batch = Batch::new();
            batch.add(&cluster, point, [0.0; 3], reach, 0.0);
            dispatch(isa, Bound(&mut batch));
            let unit = batch.slack[0] / SLACK;
            for lane in 0..4 {
                let t = cluster.triangle(lane).map(|v| v.map(f64::from));
                let Ok(near) = distance_point_triangle(point, t) else { continue };
                let bound = f64::from(batch.bounds[lane]) * batch.unscale[0];
                largest = max(largest, (bound - near.distance) / unit);
            }
        }
        largest
    }

    #[test]
    fn the_bound_in_single_precision_exceeds_no_distance_by_more_than_the_slack() {
        for isa in Isa::list() {
            let ratio = largest_error(*isa) / SLACK;
            assert!(ratio < 1.0 && ratio > 0.05, "{}: {ratio}", isa.name());
        }
    }

    #[test]
    fn the_bound_is_sharp() {
        let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [1, 0, 0, 0] };
        for (k, v) in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].iter().enumerate() {
            (0..3).for_each(|c| cluster.rows[Cluster::row(k, c)] = [v[c]; 4]);
        }
        for (point, distance) in [([0.25, 0.25, 0.5], 0.5), ([-3.0, -4.0, 0.0], 5.0), ([0.5, -2.0, 0.0], 2.0)] {
            let mut batch = Batch::new();
            batch.add(&cluster, point, [0.0; 3], 1.0, 0.0);
            batch.bound(crate::simd::Portable::<1, 1>);
            let bound = f64::from(batch.bounds[0]) * batch.unscale[0];
            assert!((bound - distance).abs() < 1e-6, "{bound} {distance}");
        }
    }
}
