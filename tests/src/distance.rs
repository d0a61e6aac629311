//! Slow f64 reference of the distance of two triangles: every pair of features, one after the other, with branches.
//!
//! Every candidate is the distance of two points on the triangles (up to rounding), so the answer is never too small. [`crate::exact`] tells how
//! much too large it can be.

use crate::Triangle;
use crate::vector::{add, cross, dot, length, scale, sub, weighted};

/// A distance, and the closest points.
#[derive(Clone, Copy, Debug)]
pub struct Closest {
    /// Distance; 0 if they touch or cross.
    pub distance: f64,
    /// Point on the first.
    pub a: [f64; 3],
    /// Point on the second.
    pub b: [f64; 3],
}

impl Closest {
    fn between(a: [f64; 3], b: [f64; 3]) -> Self {
        Closest { distance: length(sub(a, b)), a, b }
    }

    fn swapped(self) -> Self {
        Closest { distance: self.distance, a: self.b, b: self.a }
    }

    fn nearer(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }
}

/// Distance of two triangles; degenerate triangles count as the segments or points that they are.
pub fn triangle_triangle(a: &Triangle, b: &Triangle) -> Closest {
    let mut best = Closest::between(a[0], b[0]);
    for i in 0..3 {
        best = best.nearer(point_triangle(a[i], b)).nearer(point_triangle(b[i], a).swapped());
        for j in 0..3 {
            best = best.nearer(segment_segment(edge(a, i), edge(b, j)));
        }
        let through_a = piercing(edge(b, i), a).map(Closest::swapped);
        for crossing in [piercing(edge(a, i), b), through_a].into_iter().flatten() {
            best = best.nearer(crossing);
        }
    }
    best
}

/// Distance of a point and a triangle; the point is `a`.
pub fn point_triangle(p: [f64; 3], t: &Triangle) -> Closest {
    let mut best = Closest::between(p, t[0]);
    for k in 0..3 {
        best = best.nearer(point_segment(p, edge(t, k)));
    }
    let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let inside = (0..3).all(|k| dot(n, cross(sub(t[(k + 1) % 3], t[k]), sub(p, t[k]))) >= 0.0);
    if inside && dot(n, n) > 0.0 {
        let foot = sub(p, scale(dot(n, sub(p, t[0])) / dot(n, n), n));
        best = best.nearer(Closest::between(p, foot));
    }
    best
}

/// Distance of a point and a segment; the point is `a`.
pub fn point_segment(p: [f64; 3], s: [[f64; 3]; 2]) -> Closest {
    let d = sub(s[1], s[0]);
    let along = if dot(d, d) > 0.0 { (dot(d, sub(p, s[0])) / dot(d, d)).clamp(0.0, 1.0) } else { 0.0 };
    Closest::between(p, on(s, along))
}

/// Distance of two segments.
pub fn segment_segment(s: [[f64; 3]; 2], t: [[f64; 3]; 2]) -> Closest {
    let ends = |best: Closest, k: usize| best.nearer(point_segment(s[k], t)).nearer(point_segment(t[k], s).swapped());
    let best = ends(ends(Closest::between(s[0], t[0]), 0), 1);
    let (d, e, w) = (sub(s[1], s[0]), sub(t[1], t[0]), sub(t[0], s[0]));
    let n = cross(d, e);
    if dot(n, n) == 0.0 {
        return best;
    }
    // The closest points of the lines, clamped. Then once more across to the other segment: rounding may move the foot of nearly parallel segments
    // far along its line, but hardly away from the other line.
    let (u, v) = (dot(cross(w, e), n) / dot(n, n), dot(cross(w, d), n) / dot(n, n));
    let foot = |best: Closest, p: Closest| {
        let (on_s, on_t) = (point_segment(p.b, s).swapped(), point_segment(p.a, t));
        best.nearer(p).nearer(on_s).nearer(on_t)
    };
    foot(best, Closest::between(on(s, u.clamp(0.0, 1.0)), on(t, v.clamp(0.0, 1.0))))
}

/// The point where a segment passes through a triangle, if it does.
fn piercing(s: [[f64; 3]; 2], t: &Triangle) -> Option<Closest> {
    let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    let (h0, h1) = (dot(n, sub(s[0], t[0])), dot(n, sub(s[1], t[0])));
    if h0 * h1 > 0.0 || h0 == h1 {
        return None;
    }
    let d = sub(s[1], s[0]);
    let side = |k: usize| dot(d, cross(sub(t[k], s[0]), sub(t[(k + 1) % 3], s[0])));
    let w = [side(1), side(2), side(0)];
    let sum = w[0] + w[1] + w[2];
    if w.iter().any(|&x| x * sum < 0.0) || sum == 0.0 {
        return None;
    }
    let found = Closest::between(on(s, h0 / (h0 - h1)), weighted(t, w.map(|x| x / sum)));
    // If the segment lies in the plane, all signs are noise, and the two points differ.
    let noise = 1e-13 * t.iter().chain(&s).flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    Some(if found.distance <= noise { Closest { distance: 0.0, ..found } } else { found })
}

fn on(s: [[f64; 3]; 2], t: f64) -> [f64; 3] {
    if t == 1.0 { s[1] } else { add(s[0], scale(t, sub(s[1], s[0]))) }
}

/// Edge k goes from vertex k to the next.
pub fn edge(t: &Triangle, k: usize) -> [[f64; 3]; 2] {
    [t[k], t[(k + 1) % 3]]
}
