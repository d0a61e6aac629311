//! How often a ray crosses the surface, with sign. The count is exact for all triangles.
//!
//! Rays run along an axis of the body's frame, so whether a ray meets a triangle depends on projections, which orientations of three points in a
//! plane decide. If the ray passes through an edge or a corner, the point counts as moved by (e, e^2) across the ray, for an infinitesimal e. Each
//! edge is then on one side of it, the same for all triangles that share the edge (Edelsbrunner and Muecke 1990).
//!
//! Most triangles are clearly met or missed, which four lanes in f32 decide; the others are decided exactly.
//!
//! # Rounding
//! Notation as in `bound`. Corners are displaced by at most 2 u M, the point by u M, and their differences are at most M < 2. Each component of a
//! difference errs by 8 u, and the turn about an edge by 80 u. The slack is 96 u.
//!
//! Let f be the point where the ray's line passes through the triangle. The height of the point above the stored plane is the height of f, which is
//! zero up to the slack of `bound`, plus the vector from f to the point times the stored normal. So if the height is more than twice the slack, its
//! sign and that of the normal tell on which side f is, and their product is not zero.

use robust::{Coord, Coord3D, orient2d, orient3d};

use super::bound::{Seen, height};
use super::records::Local;
use super::visitors::Bits;
use super::{Search, damaged};
use crate::error::Result;
use crate::real::Real;
use crate::simd::{FOUR, Four, Lane, Mask, Simd};
use crate::surrogate::Cluster;
use crate::triangle::kernel::snap;

/// A direction along an axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub axis: usize,
    /// Towards larger coordinates.
    pub up: bool,
}

impl Ray {
    /// The axis that is closest to a vector.
    pub fn along(v: [f64; 3]) -> Ray {
        let [x, y, z] = v.map(Real::abs);
        let axis = if x >= y && x >= z {
            0
        } else if y >= z {
            1
        } else {
            2
        };
        Ray { axis, up: v[axis] > 0.0 }
    }

    /// The two other axes, in counter-clockwise order as seen along this one.
    #[inline(always)]
    pub fn across(self) -> [usize; 2] {
        match self.axis {
            0 => [1, 2],
            1 => [2, 0],
            _ => [0, 1],
        }
    }

    /// All six directions, this one first.
    pub fn all(self) -> [Ray; 6] {
        let axis = |k: usize| (self.axis + k) % 3;
        [0, 1, 2, 3, 4, 5].map(|k| Ray { axis: axis(k / 2), up: self.up != (k % 2 == 1) })
    }
}

impl Search<'_, '_> {
    /// How often the ray from a point leaves the surface on the side of the normals, less how often it leaves it on the other side. The point must
    /// not be on the surface.
    #[inline(always)]
    pub(super) fn crossings(&mut self, local: &Local, ray: Ray) -> Result<i64> {
        let p = local.scaled().map(snap);
        let mut count = 0;
        let mut len = 0;
        for root in 1..self.tree.sizes.roots {
            self.push(&mut len, root, 0.0)?;
        }
        let mut at = 0;
        let mut seen = Seen::NOWHERE;
        let mut ends = [[0.0; 3]; 2];
        loop {
            let cluster = self.tree.clusters.get(at).ok_or_else(damaged)?;
            if cluster.origin() != seen.origin {
                let origin = self.tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
                seen = Seen::new(local.point, cluster.origin(), origin, self.shared);
                ends = seen.ends(ray);
            }
            let mut met = seen.may_meet(cluster, &ends);
            if met != 0 && !cluster.is_fine() {
                let first = met.trailing_zeros() as usize;
                while met & (met - 1) != 0 {
                    let last = 31 - met.leading_zeros();
                    met ^= 1 << last;
                    self.push_below(&mut len, cluster, last as usize, 0.0)?;
                }
                at = self.first_below(&mut len, cluster, first, 0.0)?;
                continue;
            }
            if met != 0 {
                let [up, down, open] = seen.clear_crossings(cluster, ray);
                count += i64::from((up & met).count_ones()) - i64::from((down & met).count_ones());
                for lane in Bits(open & met) {
                    let t = local.triangle(&self.mesh, cluster.link[lane]).map(|v| v.map(snap));
                    count += i64::from(crossing(&t, p, ray));
                }
            }
            match self.pop(&mut len, 0.0)? {
                Some(next) => at = next,
                None => return Ok(count),
            }
        }
    }
}

impl Seen {
    /// The lowest and the highest coordinates of the ray.
    fn ends(&self, ray: Ray) -> [[f32; 3]; 2] {
        let mut ends = [self.point, self.point];
        match ray.up {
            true => ends[1][ray.axis % 3] = f32::INFINITY,
            false => ends[0][ray.axis % 3] = f32::NEG_INFINITY,
        }
        ends
    }

    /// Bits of the nodes that the ray may meet, by their boxes, which are widened by more than the rounding to f32.
    #[inline(always)]
    fn may_meet(&self, cluster: &Cluster, [low, high]: &[[f32; 3]; 2]) -> u32 {
        type L = <Four as Simd>::F32;
        let factor = L::splat(FOUR, self.scale);
        let halo = L::load(FOUR, &cluster.rows[Cluster::HALO], 0) * factor + L::splat(FOUR, self.wide);
        // If the widest gap is not wider than the halo, the node may be met.
        let mut gap = -halo;
        let mut k = 0;
        while k < 3 {
            let row = |corner: usize| &cluster.rows[Cluster::row(corner, k)];
            let [a, b, c] = [L::load(FOUR, row(0), 0), L::load(FOUR, row(1), 0), L::load(FOUR, row(2), 0)];
            gap = gap.max(L::splat(FOUR, low[k]) - a.max(b).max(c) * factor);
            gap = gap.max(a.min(b).min(c) * factor - L::splat(FOUR, high[k]));
            k += 1;
        }
        gap.le(halo).bits() & ((1 << cluster.count()) - 1)
    }

    /// Three sets of bits: triangles that the ray clearly leaves on the side of their normal, triangles that it clearly leaves on the other side,
    /// and triangles that must be decided exactly.
    #[inline(always)]
    fn clear_crossings(&self, cluster: &Cluster, ray: Ray) -> [u32; 3] {
        type L = <Four as Simd>::F32;
        const SIGN_ERROR: f32 = 96.0 * f32::UNIT_ROUNDOFF;
        let [u, v] = ray.across();
        let (factor, zero) = (L::splat(FOUR, self.scale), L::splat(FOUR, 0.0));
        let (x, y) = (L::splat(FOUR, self.point[u]), L::splat(FOUR, self.point[v]));
        let way = |corner: usize, k: usize, p: L| L::load(FOUR, &cluster.rows[Cluster::row(corner, k)], 0) * factor - p;
        let [a, b, c] = [[way(0, u, x), way(0, v, y)], [way(1, u, x), way(1, v, y)], [way(2, u, x), way(2, v, y)]];
        let turns = [a[0] * b[1] - a[1] * b[0], b[0] * c[1] - b[1] * c[0], c[0] * a[1] - c[1] * a[0]];
        let least = turns[0].min(turns[1]).min(turns[2]);
        let most = turns[0].max(turns[1]).max(turns[2]);
        let slack = L::splat(FOUR, SIGN_ERROR);
        let (left, right) = (slack.lt(least), most.lt(-slack));
        let missed = slack.lt(most) & least.lt(-slack);
        let height = height(cluster, self.point, factor);
        let clear = L::splat(FOUR, 2.0 * self.noise).lt(height.abs());
        // Triangles that the line meets at larger coordinates.
        let ahead = (height * L::load(FOUR, &cluster.rows[Cluster::row(3, ray.axis % 3)], 0)).lt(zero);
        let ahead = if ray.up { ahead } else { !ahead };
        let met = clear & ahead;
        let (plus, minus) = if ray.up { (left, right) } else { (right, left) };
        [(met & plus).bits(), (met & minus).bits(), (!missed & !(clear & (left | right))).bits()]
    }
}

/// 1 if the ray leaves a triangle on the side of its normal, -1 on the other side, 0 if it misses the triangle.
#[inline(never)]
pub(super) fn crossing(t: &[[f64; 3]; 3], p: [f64; 3], ray: Ray) -> i32 {
    let Ray { axis, up } = ray;
    let [u, v] = ray.across();
    let before = |k: usize| t[0][k] < p[k] && t[1][k] < p[k] && t[2][k] < p[k];
    let after = |k: usize| t[0][k] > p[k] && t[1][k] > p[k] && t[2][k] > p[k];
    let behind = if up { before(axis) } else { after(axis) };
    if behind || before(u) || after(u) || before(v) || after(v) {
        return 0;
    }
    let flat = |q: [f64; 3]| Coord { x: q[u], y: q[v] };
    let turn = |a: [f64; 3], b: [f64; 3]| {
        let sign = |x: f64| (x > 0.0) as i32 - (x < 0.0) as i32;
        match [orient2d(flat(a), flat(b), flat(p)), a[v] - b[v], b[u] - a[u]].map(sign) {
            [0, 0, sign] | [0, sign, _] | [sign, _, _] => sign,
        }
    };
    let turned = turn(t[0], t[1]);
    if turned == 0 || turn(t[1], t[2]) != turned || turn(t[2], t[0]) != turned {
        return 0;
    }
    let [a, b, c, p] = [t[0], t[1], t[2], p].map(|[x, y, z]| Coord3D { x, y, z });
    // The depth is positive below the plane. Seen along the axis, the normal points up if the triangle is counter-clockwise.
    let depth = orient3d(a, b, c, p) * f64::from(turned);
    match up {
        true if depth > 0.0 => turned,
        false if depth < 0.0 => -turned,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::{Origin, normal};
    use crate::triangle::tests::Random;
    use glam::DVec3;

    /// Four random triangles, as a tree stores them, and the largest distance of a corner from the origin.
    fn cluster(random: &mut Random, size: f64) -> (Cluster, f64) {
        let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [4, 0, 0, 0] };
        let mut reach = 0.0;
        for lane in 0..4 {
            let centre = [0; 3].map(|_| random.next() - 0.5);
            let corners = [0; 3].map(|_| centre.map(|c| (c + size * (random.next() - 0.5)) as f32));
            let exact = corners.map(|v| DVec3::from_array(v.map(f64::from)));
            let normal = normal(exact);
            for c in 0..3 {
                (0..3).for_each(|k| cluster.rows[Cluster::row(k, c)][lane] = corners[k][c]);
                cluster.rows[Cluster::row(3, c)][lane] = normal[c] as f32;
            }
            cluster.rows[Cluster::OFFSET][lane] = normal.dot(exact[0]) as f32;
            reach = exact.iter().fold(reach, |m, v| crate::real::max(m, v.length()));
        }
        (cluster, reach)
    }

    #[test]
    fn what_is_clear_in_single_precision_is_what_exact_predicates_say() {
        let mut random = Random(41);
        let (mut clear, mut open, mut hits) = (0, 0, 0);
        for case in 0..4000 {
            let (cluster, reach) = cluster(&mut random, libm::ldexp(1.0, -(case % 9)));
            let corners = |lane: usize| cluster.triangle(lane).map(|v| v.map(f64::from));
            // The point is anywhere, or as near to a triangle or an edge as the rounding error.
            let [a, b, c] = corners(0);
            let (s, t) = (random.next(), [random.next(), 0.0, 1e-7][case as usize % 3]);
            let noise = [1.0, 1e-2, 1e-7, 1e-9][case as usize / 3 % 4];
            let point = [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]) + t * (c[k] - a[k]) + noise * (random.next() - 0.5));
            let seen = Seen::new(point, 0, &Origin { centre: [0.0; 3], reach }, 0.0);
            for ray in (Ray { axis: 0, up: true }).all() {
                let met = seen.may_meet(&cluster, &seen.ends(ray));
                let [up, down, left] = seen.clear_crossings(&cluster, ray).map(|bits| bits & met);
                for lane in 0..4 {
                    let right = crossing(&corners(lane), point, ray);
                    let bit = |bits: u32| (bits >> lane & 1) as i32;
                    open += bit(left);
                    clear += 1 - bit(left);
                    hits += bit(up) + bit(down);
                    assert!(bit(left) == 1 || bit(up) - bit(down) == right, "{case} {ray:?} {lane} {right}");
                }
            }
        }
        assert!(open * 5 < clear && open > 100 && hits > 300, "{open} {clear} {hits}");
    }

    #[test]
    fn rays_through_edges_and_corners_cross_a_box_once() {
        // The unit box, two triangles a face.
        let at = |i: usize| [0, 1, 2].map(|k| f64::from((i >> k & 1) as u32));
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces: [[[f64; 3]; 3]; 12] = core::array::from_fn(|i| {
            let q = quads[i / 2];
            [q[0], q[1 + i % 2], q[2 + i % 2]].map(at)
        });
        let count = |p: [f64; 3], ray: Ray| faces.iter().map(|t| crossing(t, p, ray)).sum::<i32>();
        let mut number = 0;
        for ray in (Ray { axis: 0, up: true }).all() {
            for i in 0..1000 {
                let p = [i % 10, i / 10 % 10, i / 100].map(|n| f64::from(n) * 0.25 - 0.5);
                let inside = p.iter().all(|x| 0.0 < *x && *x < 1.0);
                let outside = p.iter().any(|x| *x < 0.0 || *x > 1.0);
                if inside || outside {
                    assert_eq!(count(p, ray), i32::from(inside), "{p:?} {ray:?}");
                    number += 1;
                }
            }
        }
        assert!(number > 5000, "{number}");
    }
}
