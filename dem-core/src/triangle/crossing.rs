//! Lanes in which two triangles certainly touch: a common vertex, or an edge through a face with room for rounding.

#![allow(clippy::needless_range_loop)] // loops over several arrays of lanes by one index

use super::accuracy::{Accuracy, number};
use super::prepared::{Closest, Prepared};
use crate::simd::{Lane, Vec3};

/// Finds lanes in which triangles certainly touch: equal vertices, or an edge that passes through a face with room for rounding.
#[inline(always)]
pub(super) fn touching<L: Lane>(simd: L::Simd, a: &Prepared<L>, b: &Prepared<L>, out: &mut Closest<L>)
where
    L::Scalar: Accuracy,
{
    let (zero, face) = (number::<L>(simd, 0.0), number(simd, 3.0));
    let equal = common_vertex(simd, a, b);
    let hit = crossing_edge(simd, a, b, out.distance2 + a.longest + b.longest);
    let s = hit.side[0] / (hit.side[0] - hit.side[1]);
    let point = hit.start + hit.edge.scale(s);
    // The edge tests find equal vertices with distance exactly 0, so only crossing lanes change their places.
    name_vertex(simd, equal, out);
    let through = hit.through & out.unsure & !equal;
    out.point_a = Vec3::select(through, point, out.point_a);
    out.point_b = Vec3::select(through, point, out.point_b);
    let (on_a, on_b) = (through & hit.edge_of_a, through & !hit.edge_of_a);
    out.place_a.overwrite(on_a, hit.part, s, zero);
    out.place_b.overwrite(on_b, hit.part, s, zero);
    let (x, y) = a.coordinates(point);
    out.place_a.overwrite(on_b, face, x, y);
    let (x, y) = b.coordinates(point);
    out.place_b.overwrite(on_a, face, x, y);
    out.touch = out.unsure & (equal | through);
    out.distance2 = L::select(out.touch, zero, out.distance2);
    out.unsure = out.unsure & !out.touch;
}

/// Lanes in which a vertex of `a` is one of `b`.
#[inline(always)]
fn common_vertex<L: Lane>(simd: L::Simd, a: &Prepared<L>, b: &Prepared<L>) -> L::Mask {
    // A sum of sizes is 0 only if all are.
    let mut nearest = number::<L>(simd, f32::MAX as f64);
    for i in 0..3 {
        for j in 0..3 {
            let [x, y, z] = (a.vertex[i] - b.vertex[j]).0;
            nearest = (x.abs() + y.abs() + z.abs()).min(nearest);
        }
    }
    nearest.le(number(simd, 0.0))
}

/// For triangles with a common vertex, makes parameters exact that differ from 0 or 1 by rounding, and makes both points equal.
#[inline(always)]
fn name_vertex<L: Lane>(simd: L::Simd, equal: L::Mask, out: &mut Closest<L>) {
    let (zero, half, one) = (number::<L>(simd, 0.0), number(simd, 0.5), number(simd, 1.0));
    let end_a = L::select(out.place_a.s.lt(half), zero, one);
    let end_b = L::select(out.place_b.s.lt(half), zero, one);
    let beside = (out.place_a.s - end_a).abs() + (out.place_b.s - end_b).abs();
    let at_ends = equal & beside.lt(number(simd, 1e-3));
    out.place_a.s = L::select(at_ends, end_a, out.place_a.s);
    out.place_b.s = L::select(at_ends, end_b, out.place_b.s);
    out.point_b = Vec3::select(equal, out.point_a, out.point_b);
}

/// An edge that certainly passes through the other triangle's face, if there is one. `size2` is the squared distance plus the squares of both
/// longest edges.
#[inline(always)]
fn crossing_edge<L: Lane>(simd: L::Simd, a: &Prepared<L>, b: &Prepared<L>, size2: L) -> Hit<L>
where
    L::Scalar: Accuracy,
{
    let zero = number::<L>(simd, 0.0);
    let mut side_a = [zero; 3]; // of the vertices of a, relative to the plane of b
    let mut side_b = [zero; 3];
    for k in 0..3 {
        side_a[k] = (a.vertex[k] - b.base).dot(b.normal);
        side_b[k] = (b.vertex[k] - a.base).dot(a.normal);
    }
    let mut around = [[zero; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            around[i][j] = (a.vertex[i] - b.vertex[j]).dot(a.edge[i].cross(b.edge[j]));
        }
    }
    // A triple product of r, e, f errs by less than 12 u |r| |e| |f|, and |r| is at most distance plus both edges.
    let allowed = number::<L>(simd, 2.0 * <L::Scalar as Accuracy>::APART);
    let tolerance = allowed * (a.longest * b.longest * size2).sqrt();
    // The plane's normal is a product of edges of one triangle, so its tolerance has their lengths instead.
    let tolerance_a = allowed * (b.longest * b.longest * size2).sqrt();
    let tolerance_b = allowed * (a.longest * a.longest * size2).sqrt();
    let thin = number::<L>(simd, <L::Scalar as Accuracy>::THIN);
    let (firm_a, firm_b) = (thin.lt(a.sin2), thin.lt(b.sin2));
    let never = firm_a & !firm_a;
    let (start, edge, side) = (a.vertex[0], a.edge[0], [zero, number(simd, 1.0)]);
    let mut hit = Hit { through: never, edge_of_a: never, part: zero, start, edge, side };
    for k in 0..3 {
        let crosses = crosses(side_a[k], side_a[(k + 1) % 3], tolerance_a) & same_side(around[k], tolerance) & firm_b;
        hit.offer(simd, a, k, crosses, [side_a[k], side_a[(k + 1) % 3]]);
    }
    hit.edge_of_a = hit.through;
    for k in 0..3 {
        let around = [around[0][k], around[1][k], around[2][k]];
        let crosses = crosses(side_b[k], side_b[(k + 1) % 3], tolerance_b) & same_side(around, tolerance) & firm_a;
        hit.offer(simd, b, k, crosses, [side_b[k], side_b[(k + 1) % 3]]);
    }
    hit
}

/// The first edge that passes through the other triangle's face.
struct Hit<L: Lane> {
    through: L::Mask,
    edge_of_a: L::Mask,
    part: L,
    start: Vec3<L>,
    edge: Vec3<L>,
    /// Distances of its ends from the other plane, times the length of that plane's normal.
    side: [L; 2],
}

impl<L: Lane> Hit<L> {
    /// Considers edge k of `t`, which passes through the other face in some lanes.
    #[inline(always)]
    fn offer(&mut self, simd: L::Simd, t: &Prepared<L>, k: usize, crosses: L::Mask, side: [L; 2]) {
        let first = crosses & !self.through;
        self.part = L::select(first, number(simd, k as f64), self.part);
        self.start = Vec3::select(first, t.vertex[k], self.start);
        self.edge = Vec3::select(first, t.edge[k], self.edge);
        self.side = [L::select(first, side[0], self.side[0]), L::select(first, side[1], self.side[1])];
        self.through = self.through | crosses;
    }
}

/// Whether two values lie on different sides of zero, both farther than the tolerance.
#[inline(always)]
fn crosses<L: Lane>(p: L, q: L, tolerance: L) -> L::Mask {
    p.min(q).lt(-tolerance) & tolerance.lt(p.max(q))
}

/// Whether three values lie on the same side of zero, all farther than the tolerance.
#[inline(always)]
fn same_side<L: Lane>(x: [L; 3], tolerance: L) -> L::Mask {
    let low = x[0].min(x[1]).min(x[2]);
    let high = x[0].max(x[1]).max(x[2]);
    tolerance.lt(low) | high.lt(-tolerance)
}
