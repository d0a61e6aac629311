//! Distance of points to a triangle that may be degenerate, never below the true one.

use glam::DVec3;

use crate::real::{max, min};

/// A triangle, made ready for many points.
pub(super) struct Target {
    corner: DVec3,
    edge: [DVec3; 3],
    /// 1 over the squared length of each edge; 0 where that is 0.
    inverse: [f64; 3],
    normal: DVec3,
    /// 1 over the squared length of the normal; 0 where the face adds nothing to the edges.
    inverse_normal: f64,
}

/// Below this squared sine a triangle lies within 1e-11 of its edges, relative to their length.
const FLAT: f64 = 1e-22;

impl Target {
    pub fn new(triangle: [DVec3; 3]) -> Target {
        let [a, b, c] = triangle;
        let edge = [b - a, c - a, c - b];
        let inverse = edge.map(|e| inverse_or_zero(e.dot(e)));
        let normal = edge[0].cross(edge[1]);
        let area = normal.dot(normal);
        let flat = area <= FLAT * edge[0].dot(edge[0]) * edge[1].dot(edge[1]);
        Target { corner: a, edge, inverse, normal, inverse_normal: if flat { 0.0 } else { inverse_or_zero(area) } }
    }

    /// Squared distance of a point.
    ///
    /// Every value that is compared is the distance to a point *of the triangle* (parameters are clamped before the point
    /// is taken), so rounding in the parameters can only make the result larger; what remains is the rounding of the
    /// subtraction and of the square, a few units in the last place of the coordinates.
    pub fn distance2(&self, point: DVec3) -> f64 {
        let [e0, e1, e2] = self.edge;
        let r = point - self.corner;
        let along = |r: DVec3, e: DVec3, inverse: f64| {
            let t = max(min(r.dot(e) * inverse, 1.0), 0.0);
            let q = r - e * t;
            q.dot(q)
        };
        let edges = min(along(r, e0, self.inverse[0]), along(r, e1, self.inverse[1]));
        let edges = min(edges, along(r - e0, e2, self.inverse[2]));
        // These forms of the barycentrics do not cancel for needles; a zero `inverse_normal` leaves corner 0.
        let v = self.normal.dot(r.cross(e1)) * self.inverse_normal;
        let w = self.normal.dot(e0.cross(r)) * self.inverse_normal;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            let q = r - e0 * v - e1 * w;
            return min(edges, q.dot(q));
        }
        edges
    }
}

fn inverse_or_zero(x: f64) -> f64 {
    let inverse = 1.0 / x;
    if x > 0.0 && inverse.is_finite() { inverse } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers in [-1, 1).
    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(state: &mut u64) -> DVec3 {
        DVec3::new(random(state), random(state), random(state))
    }

    /// The smallest of many points of the triangle, found by refining a grid of barycentrics.
    fn slow(t: [DVec3; 3], p: DVec3) -> f64 {
        let at = |v: f64, w: f64| ((t[0] + (t[1] - t[0]) * v + (t[2] - t[0]) * w) - p).length();
        let (mut v, mut w, mut step) = (0.33, 0.33, 0.33);
        while step > 1e-12 {
            let mut best = (at(v, w), v, w);
            for (i, j) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)] {
                let (a, b) = (max(v + step * i as f64, 0.0), max(w + step * j as f64, 0.0));
                let over = max(a + b, 1.0);
                let (a, b) = (a / over, b / over);
                if at(a, b) < best.0 {
                    best = (at(a, b), a, b);
                }
            }
            if best.0 < at(v, w) { (v, w) = (best.1, best.2) } else { step *= 0.5 }
        }
        at(v, w)
    }

    #[test]
    fn distances_are_those_of_a_slow_search_for_all_kinds_of_triangles() {
        let mut s = 7;
        for i in 0..600 {
            let (a, b, p) = (vector(&mut s), vector(&mut s), vector(&mut s) * 2.0);
            let c = match i % 6 {
                0 => a,
                1 => a + (b - a) * 0.5,
                2 => a + (b - a) * 0.5 + vector(&mut s) * 1e-6,
                3 => a + (b - a) * 3.0 + vector(&mut s) * 1e-13,
                _ => vector(&mut s),
            };
            let t = if i % 12 == 0 { [a, a, a] } else { [a, b, c] };
            let (fast, slow) = (Target::new(t).distance2(p).sqrt(), slow(t, p));
            assert!((fast - slow).abs() < 1e-6 * slow + 1e-9, "{i}: {fast} {slow}");
            assert!(fast <= slow + 1e-10, "{i}: {fast} {slow}");
        }
    }
}
