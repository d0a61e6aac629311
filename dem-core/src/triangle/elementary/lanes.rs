//! The formulas of point-segment, segment-segment and point-triangle, in any number of lanes.

use crate::real::Real;
use crate::simd::{Lane, Vec3};
use crate::triangle::accuracy::{Accuracy, Vertices, number};

/// Closest point of a segment, in each lane.
#[derive(Clone, Copy)]
pub(super) struct NearestOnSegment<L> {
    pub distance2: L,
    pub parameter: L,
    /// Offset from the segment's start.
    pub offset: Vec3<L>,
}

/// Closest point of the segment from `start` along `edge`, in each lane.
#[inline(always)]
pub(super) fn point_segment<L: Lane>(simd: L::Simd, p: Vec3<L>, start: Vec3<L>, edge: Vec3<L>) -> NearestOnSegment<L> {
    let r = p - start;
    let parameter = clamp01(simd, divided(simd, r.dot(edge), edge.dot(edge)));
    let offset = edge.scale(parameter);
    let d = r - offset;
    NearestOnSegment { distance2: d.dot(d), parameter, offset }
}

/// Closest points of two segments, in each lane.
#[derive(Clone, Copy)]
pub(super) struct NearestOnSegments<L> {
    pub distance2: L,
    pub parameter_a: L,
    pub parameter_b: L,
    /// Offsets from the starts.
    pub offset_a: Vec3<L>,
    pub offset_b: Vec3<L>,
}

/// Closest points of the segments from `a` along `e` and from `b` along `f`, in each lane. If parallel segments overlap, the middle of the overlap.
#[inline(always)]
pub(super) fn segment_segment<L: Lane>(
    simd: L::Simd,
    (a, e): (Vec3<L>, Vec3<L>),
    (b, f): (Vec3<L>, Vec3<L>),
) -> NearestOnSegments<L> {
    let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
    let r = a - b;
    let (ee, ff) = (e.dot(e), f.dot(f));
    let n = e.cross(f);
    let n2 = n.dot(n);
    let crossing = divided(simd, -(r.cross(f).dot(n)), n2);
    // The ends of B along A, clamped to A.
    let (first, second) = (divided(simd, -r.dot(e), ee), divided(simd, (f - r).dot(e), ee));
    let low = first.min(second).max(zero);
    let high = first.max(second).min(one);
    let middle = (low + high) * number(simd, 0.5);
    // Below twice the roundoff an angle is noise; moving along the segments then changes the distance by no more than that.
    let noise = number::<L>(simd, 4.0) * roundoff2::<L>(simd);
    let parallel = n2.le(noise * ee * ff);
    let s = clamp01(simd, L::select(parallel, middle, crossing));
    let t = clamp01(simd, divided(simd, (r + e.scale(s)).dot(f), ff));
    // If t was clamped, this is the best s for it; otherwise it only repeats s.
    let w = f.scale(t) - r;
    let s = clamp01(simd, divided(simd, w.dot(e), ee));
    let (offset_a, offset_b) = (e.scale(s), f.scale(t));
    let d = r + (offset_a - offset_b);
    NearestOnSegments { distance2: d.dot(d), parameter_a: s, parameter_b: t, offset_a, offset_b }
}

/// Closest point of a triangle, in each lane: on edge `part` (0, 1, 2) at `s`, or (`part` 3) at `s`, `t` along the edges from vertex `turn` to the
/// next and to the previous vertex.
#[derive(Clone, Copy)]
pub(crate) struct NearestOnTriangle<L: Lane> {
    pub distance2: L,
    pub point: Vec3<L>,
    pub part: L,
    pub s: L,
    pub t: L,
    pub turn: L,
    /// Lanes in which the flatness of the triangle may have cost too many digits.
    pub hard: L::Mask,
}

/// Closest point of the triangle `v` to `p`, in each lane.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // several arrays by one index
pub(crate) fn point_triangle<L: Lane>(simd: L::Simd, p: Vec3<L>, v: Vertices<L>) -> NearestOnTriangle<L>
where
    L::Scalar: Accuracy,
{
    let (zero, one, two) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0), number::<L>(simd, 2.0));
    let edge = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let length2 = [edge[0].dot(edge[0]), edge[1].dot(edge[1]), edge[2].dot(edge[2])];
    let parts = [zero, one, two];
    let mut part = zero;
    let mut on = point_segment(simd, p, v[0], edge[0]);
    let mut point = v[0] + on.offset;
    for k in 1..3 {
        let other = point_segment(simd, p, v[k], edge[k]);
        let nearer = other.distance2.lt(on.distance2);
        on.distance2 = L::select(nearer, other.distance2, on.distance2);
        on.parameter = L::select(nearer, other.parameter, on.parameter);
        point = Vec3::select(nearer, v[k] + other.offset, point);
        part = L::select(nearer, parts[k], part);
    }
    // Normal and coordinates at the vertex with the widest angle, opposite the longest edge: needles lose nothing.
    let second = length2[1].lt(length2[2]);
    let longest = length2[1].max(length2[2]);
    let third = longest.lt(length2[0]);
    let longest = longest.max(length2[0]);
    let base = choose::<L>(second, third, v);
    let next = choose::<L>(second, third, edge);
    let previous = -choose::<L>(second, third, [edge[2], edge[0], edge[1]]);
    let turn = L::select(third, two, L::select(second, one, zero));
    let normal = next.cross(previous);
    let n2 = normal.dot(normal);
    let sin2 = divided(simd, n2, next.dot(next) * previous.dot(previous));
    let flat = number::<L>(simd, <L::Scalar as Accuracy>::FLAT);
    let proper = flat.lt(sin2);
    let r = p - base;
    let x = r.dot(previous.cross(normal));
    let y = r.dot(normal.cross(next));
    let h = r.dot(normal);
    let n2 = L::select(proper, n2, one);
    let distance2 = h * h / n2;
    let inside = zero.le(x) & zero.le(y) & (x + y).le(n2) & proper & distance2.lt(on.distance2);
    let (s, t) = (x / n2, y / n2);
    let distance2 = L::select(inside, distance2, on.distance2);
    let limit = number::<L>(simd, <L::Scalar as Accuracy>::HARD);
    let hard = proper & (distance2 * sin2 * sin2).lt(limit * limit * longest);
    NearestOnTriangle {
        distance2,
        point: Vec3::select(inside, base + (next.scale(s) + previous.scale(t)), point),
        part: L::select(inside, number(simd, 3.0), part),
        s: L::select(inside, s, on.parameter),
        t: L::select(inside, t, zero),
        turn,
        hard,
    }
}

#[inline(always)]
fn choose<L: Lane>(second: L::Mask, third: L::Mask, x: [Vec3<L>; 3]) -> Vec3<L> {
    Vec3::select(third, x[2], Vec3::select(second, x[1], x[0]))
}

#[inline(always)]
fn clamp01<L: Lane>(simd: L::Simd, x: L) -> L {
    x.max(number(simd, 0.0)).min(number(simd, 1.0))
}

/// `x / y` if `y > 0`, else 0.
#[inline(always)]
fn divided<L: Lane>(simd: L::Simd, x: L, y: L) -> L {
    let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
    let some = zero.lt(y);
    L::select(some, x / L::select(some, y, one), zero)
}

#[inline(always)]
fn roundoff2<L: Lane>(simd: L::Simd) -> L {
    let u = L::splat(simd, L::Scalar::UNIT_ROUNDOFF);
    u * u
}
