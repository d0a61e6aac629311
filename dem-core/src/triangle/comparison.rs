//! Distance of two triangles by comparison, in any number of lanes (P0 section 3, P4 section 4.1).
//!
//! The closest points of two triangles that do not cross lie on two edges, or on a vertex and a face. So there are nine
//! edge-edge tests, each exact for its two segments (which covers all cases with a vertex and an edge), and six
//! vertex-face tests that count only where the projection falls inside. Crossing triangles are found by six
//! edge-through-face tests.
//!
//! # Accuracy
//! u is the unit roundoff, L the longest edge, all errors relative to L plus distance.
//! * Edge-edge: the parameter on the first edge comes from `(r x f).n / n.n` with `n = e x f`. For segments at a small
//!   angle t its error is u/t, which moves the point across the other line by only u. The usual formula, with `ee ff - ef^2` for `n.n`, loses
//!   u/t^2 and with it half of the digits.
//! * Vertex-face: normal and coordinates are taken at the vertex with the widest angle (at least 60 degrees), so needles lose nothing. The
//!   remaining problem are caps, triangles with a vertex almost on its opposite edge: the error in the plane is d = 4 u / sin(angle), and the
//!   distance is wrong by d^2 / (2 distance) once it is larger than d. Lanes in which that could matter are reported as `hard`, and are computed
//!   again with twice the digits.
//! * A triangle whose widest angle has `sin^2 < FLAT` is treated as its edges, which is wrong by `sin / 4` at most.

#![allow(clippy::needless_range_loop)] // loops over several arrays of lanes by one index

use super::accuracy::{Accuracy, Vertices, number};
use super::crossing::touching;
use super::prepared::{Closest, Place, Prepared, choose3};
use crate::simd::{Lane, Mask, Vec3};

/// The best candidate so far.
struct Best<L> {
    distance2: L,
    part_a: L,
    part_b: L,
    x: L,
    y: L,
}

impl<L: Lane> Best<L> {
    #[inline(always)]
    fn offer(&mut self, better: L::Mask, distance2: L, part_a: L, part_b: L, x: L, y: L) {
        self.distance2 = L::select(better, distance2, self.distance2);
        self.part_a = L::select(better, part_a, self.part_a);
        self.part_b = L::select(better, part_b, self.part_b);
        self.x = L::select(better, x, self.x);
        self.y = L::select(better, y, self.y);
    }
}

/// Closest points of the triangles `a` and `b` in each lane. Coordinates should be scaled so that the largest is about 1:
/// fourth powers of lengths must not overflow, and lengths whose fourth power vanishes count as zero.
#[inline(always)]
pub(crate) fn closest<L: Lane>(simd: L::Simd, a: Vertices<L>, b: Vertices<L>) -> Closest<L>
where
    L::Scalar: Accuracy,
{
    closest_of::<L, true>(simd, a, b)
}

/// As [`closest`], with or without the vertex-face tests.
#[inline(always)]
pub(crate) fn closest_of<L: Lane, const FACES: bool>(simd: L::Simd, a: Vertices<L>, b: Vertices<L>) -> Closest<L>
where
    L::Scalar: Accuracy,
{
    let a = Prepared::new(simd, a);
    let b = Prepared::new(simd, b);
    let (zero, one, face) = (number::<L>(simd, 0.0), number(simd, 1.0), number(simd, 3.0));
    let parts = [zero, one, number(simd, 2.0)];
    let mut best = Best { distance2: number(simd, f32::MAX as f64), part_a: zero, part_b: zero, x: zero, y: zero };
    let (distance2, s, t) = edge_edges(zero, one, &a, &b);
    for k in 0..9 {
        best.offer(distance2[k].lt(best.distance2), distance2[k], parts[k / 3], parts[k % 3], s[k], t[k]);
    }
    let faces = if FACES { 3 } else { 0 };
    for k in 0..faces {
        let (distance2, inside, x, y) = vertex_face(zero, b.vertex[k], &a);
        best.offer(distance2.lt(best.distance2) & inside, distance2, face, parts[k], x, y);
    }
    for k in 0..faces {
        let (distance2, inside, x, y) = vertex_face(zero, a.vertex[k], &b);
        best.offer(distance2.lt(best.distance2) & inside, distance2, parts[k], face, x, y);
    }
    finish(simd, &a, &b, best)
}

/// Closest points of each edge of `a` and each edge of `b`, three rows of three: squared distances and both parameters.
///
/// The nine are computed side by side, step by step. A single one is a chain of a hundred cycles, and a processor does not look far enough ahead to
/// start the next one in parallel.
#[inline(always)]
fn edge_edges<L: Lane>(zero: L, one: L, a: &Prepared<L>, b: &Prepared<L>) -> ([L; 9], [L; 9], [L; 9]) {
    let e = a.edge[0];
    let mut r = [e; 9];
    let mut n = [e; 9];
    let mut m = [e; 9];
    let mut w = [e; 9];
    let mut n2 = [zero; 9];
    let mut s = [zero; 9];
    let mut t = [zero; 9];
    for k in 0..9 {
        r[k] = a.vertex[k / 3] - b.vertex[k % 3];
        n[k] = a.edge[k / 3].cross(b.edge[k % 3]);
    }
    // r x f changes by n from one vertex to the next. Computed from vertex 0 in both directions, it is exactly 0 if r is 0: then the r from which
    // it is computed is the edge between the two vertices, or its opposite.
    for j in 0..3 {
        m[j] = r[j].cross(b.edge[j]);
        m[j + 3] = m[j] + n[j];
        m[j + 6] = m[j] - n[j + 6];
    }
    for k in 0..9 {
        n2[k] = n[k].dot(n[k]);
        s[k] = -(m[k].dot(n[k]));
    }
    for k in 0..9 {
        let some = zero.lt(n2[k]);
        s[k] = s[k] / L::select(some, n2[k], one);
    }
    for k in 0..9 {
        s[k] = s[k].max(zero).min(one);
        t[k] = (r[k] + a.edge[k / 3].scale(s[k])).dot(b.edge[k % 3]);
    }
    for k in 0..9 {
        t[k] = (t[k] * b.inverse[k % 3]).max(zero).min(one);
        w[k] = b.edge[k % 3].scale(t[k]) - r[k];
    }
    // If t was clamped, this is the best s for it; otherwise it only repeats s.
    for k in 0..9 {
        s[k] = (w[k].dot(a.edge[k / 3]) * a.inverse[k / 3]).max(zero).min(one);
    }
    for k in 0..9 {
        let d = a.edge[k / 3].scale(s[k]) - w[k];
        n2[k] = d.dot(d);
    }
    (n2, s, t)
}

/// Distance of a vertex to the plane of a triangle, whether the vertex projects into the triangle, and to which coordinates (times |normal|^2).
#[inline(always)]
fn vertex_face<L: Lane>(zero: L, vertex: Vec3<L>, t: &Prepared<L>) -> (L, L::Mask, L, L) {
    let r = vertex - t.base;
    let x = r.dot(t.previous.cross(t.normal));
    let y = r.dot(t.normal.cross(t.next));
    let inside = zero.le(x) & zero.le(y) & (x + y).le(t.normal2) & zero.lt(t.by_normal2);
    let h = r.dot(t.normal);
    (h * h * t.by_normal2, inside, x * t.by_normal2, y * t.by_normal2)
}

/// The points of the best candidate, and whether the result is certain and needs more digits.
#[inline(always)]
fn finish<L: Lane>(simd: L::Simd, a: &Prepared<L>, b: &Prepared<L>, best: Best<L>) -> Closest<L>
where
    L::Scalar: Accuracy,
{
    let (zero, face) = (number::<L>(simd, 0.0), number(simd, 3.0));
    let (on_face_a, on_face_b) = (best.part_a.eq(face), best.part_b.eq(face));
    // x and y are the parameters on both edges, or the coordinates in the one face (the other is a vertex with parameter 0).
    let place_a =
        Place { part: best.part_a, s: L::select(on_face_b, zero, best.x), t: L::select(on_face_a, best.y, zero) };
    let place_b = Place {
        part: best.part_b,
        s: L::select(on_face_a, zero, L::select(on_face_b, best.x, best.y)),
        t: L::select(on_face_b, best.y, zero),
    };
    let (start_a, along_a) = locate(simd, a, place_a);
    let (start_b, along_b) = locate(simd, b, place_b);
    let d = (start_a - start_b) + (along_a - along_b);
    let distance2 = d.dot(d);
    let (point_a, point_b) = (start_a + along_a, start_b + along_b);

    // The triangles are certainly apart if the direction d separates the vertices by more than rounding. Differences are taken from the point on b,
    // so their sizes are at most the distance plus the longest edges; each dot product errs by 5 u |d| size.
    let mut low = d.dot(a.vertex[0] - point_b);
    let mut high = d.dot(b.vertex[0] - point_b);
    for k in 1..3 {
        low = low.min(d.dot(a.vertex[k] - point_b));
        high = high.max(d.dot(b.vertex[k] - point_b));
    }
    let gap = low - high;
    let size2 = distance2 + a.longest + b.longest;
    let tolerance = number::<L>(simd, 3.0 * <L::Scalar as Accuracy>::APART * <L::Scalar as Accuracy>::APART);
    let apart = zero.lt(gap) & (tolerance * distance2 * size2).lt(gap * gap);

    let sin2 = L::select(a.sin2.lt(b.sin2), a.sin2, b.sin2);
    let flat = number(simd, <L::Scalar as Accuracy>::FLAT);
    // The flatter of the two, without triangles that are treated as edges anyway.
    let sin2 = L::select(sin2.le(flat), a.sin2.max(b.sin2), sin2);
    let limit = number::<L>(simd, <L::Scalar as Accuracy>::HARD * <L::Scalar as Accuracy>::HARD);
    let hard = flat.lt(sin2) & (distance2 * sin2 * sin2).lt(limit * a.longest.max(b.longest));

    // A comparison with NaN is false.
    let finite = (a.total + b.total).lt(number(simd, f64::INFINITY));
    let mut out = Closest {
        distance2,
        point_a,
        point_b,
        place_a,
        place_b,
        turn_a: a.turn,
        turn_b: b.turn,
        touch: !apart & apart,
        unsure: !apart,
        hard,
        not_finite: !finite,
    };
    if !apart.all() {
        touching(simd, a, b, &mut out);
    }
    out
}

/// A place as a vertex and an offset from it, which keeps the difference of two near places exact.
#[inline(always)]
fn locate<L: Lane>(simd: L::Simd, triangle: &Prepared<L>, place: Place<L>) -> (Vec3<L>, Vec3<L>) {
    let (one, two, face) = (number::<L>(simd, 1.0), number(simd, 2.0), number(simd, 3.0));
    let (first, second, third) = (place.part.eq(one), place.part.eq(two), place.part.eq(face));
    let start = choose3(first, second, triangle.vertex[0], triangle.vertex[1], triangle.vertex[2]);
    let start = Vec3::select(third, triangle.base, start);
    let along = choose3(first, second, triangle.edge[0], triangle.edge[1], triangle.edge[2]);
    let along = Vec3::select(third, triangle.next, along);
    (start, along.scale(place.s) + triangle.previous.scale(place.t))
}
