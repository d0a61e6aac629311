//! How often a ray crosses the surface, with sign: exact, whatever the triangles.
//!
//! Rays run along an axis of the body's frame, so that whether one meets a triangle is a question about projections, which
//! orientations of three points in a plane answer. Where the ray runs through an edge or a corner, the point counts as moved by
//! (e, e^2) across the ray, for an e smaller than all that matters: each edge is then on one side of it, the same for all
//! triangles that share it (Edelsbrunner and Muecke 1990).

use robust::{Coord, Coord3D, orient2d, orient3d};

use super::{Local, Search, damaged};
use crate::error::Result;
use crate::real::{Real, max};
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

    /// All six, this one first.
    pub fn all(self) -> [Ray; 6] {
        let axis = |k: usize| (self.axis + k) % 3;
        [0, 1, 2, 3, 4, 5].map(|k| Ray { axis: axis(k / 2), up: self.up != (k % 2 == 1) })
    }
}

impl Search<'_, '_> {
    /// How often the ray from a point leaves the surface towards the side that normals point to, less how often it leaves it to
    /// the other side. The point must not be on the surface.
    pub(super) fn crossings(&mut self, local: &Local, ray: Ray) -> Result<i64> {
        let p = local.scaled().map(snap);
        let mut count = 0;
        let mut len = 0;
        for root in 0..self.tree.sizes.roots {
            self.push(&mut len, root, 0.0)?;
        }
        while len > 0 {
            len -= 1;
            let at = self.stack.get(len).ok_or_else(damaged)?;
            let cluster = self.tree.clusters.get(*at as usize).ok_or_else(damaged)?;
            let origin = self.tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
            let seen = [0, 1, 2].map(|k| local.point[k] - origin.centre[k]);
            let size = seen.into_iter().fold(origin.reach, |m, x| max(m, Real::abs(x)));
            let mut met = may_meet(cluster, seen, ray, 16.0 * f64::from(f32::UNIT_ROUNDOFF) * size - self.shared);
            while met != 0 {
                let lane = met.trailing_zeros() as usize;
                met &= met - 1;
                if cluster.is_fine() {
                    let t = local.triangle(&self.mesh, cluster.link[lane & 3]).map(|v| v.map(snap));
                    count += i64::from(crossing(&t, p, ray));
                } else {
                    for child in cluster.children(lane) {
                        self.push(&mut len, child as u32, 0.0)?;
                    }
                }
            }
        }
        Ok(count)
    }
}

/// Bits of the nodes that the ray may meet: by their boxes, widened by more than what rounding to f32 takes.
#[inline(always)]
fn may_meet(cluster: &Cluster, seen: [f64; 3], ray: Ray, widening: f64) -> u32 {
    type L = <Four as Simd>::F32;
    let widening = widening as f32 + 8.0 * f32::MIN_POSITIVE;
    let halo = L::load(FOUR, &cluster.rows[Cluster::HALO], 0) + L::splat(FOUR, widening);
    let mut missed = 0;
    let mut k = 0;
    while k < 3 {
        let x = L::splat(FOUR, seen[k] as f32);
        let row = |corner: usize| &cluster.rows[Cluster::row(corner, k)];
        let [a, b, c] = [L::load(FOUR, row(0), 0), L::load(FOUR, row(1), 0), L::load(FOUR, row(2), 0)];
        if k != ray.axis || ray.up {
            missed |= (a.max(b).max(c) + halo).lt(x).bits();
        }
        if k != ray.axis || !ray.up {
            missed |= x.lt(a.min(b).min(c) - halo).bits();
        }
        k += 1;
    }
    !missed & ((1 << cluster.count()) - 1)
}

/// 1 where the ray leaves a triangle to the side of its normal, -1 to the other one, 0 where it misses it.
#[inline(always)]
fn crossing(t: &[[f64; 3]; 3], p: [f64; 3], ray: Ray) -> i32 {
    let Ray { axis, up } = ray;
    let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
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
    // Positive below the plane. Seen along the axis, the normal points up where the triangle turns to the left.
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
