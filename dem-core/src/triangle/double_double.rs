//! Vertex-face distance with twice the digits, for caps: triangles with a vertex almost on its opposite edge.
//!
//! Differences, normal and coordinates are sums of two f64 (error-free transformations after Dekker and Knuth), so the
//! rounding error stays below u as long as sin^2 of the widest angle is far above u^2.

type Point = [f64; 3];

/// A number as an unevaluated sum, `|low| <= u |high|`.
#[derive(Clone, Copy)]
struct Twofold {
    high: f64,
    low: f64,
}

fn sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    let b_part = high - a;
    Twofold { high, low: (a - (high - b_part)) + (b - b_part) }
}

fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a; // 2^27 + 1
    let high = c - (c - a);
    (high, a - high)
}

fn product(a: f64, b: f64) -> Twofold {
    let high = a * b;
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    Twofold { high, low: ((ah * bh - high) + ah * bl + al * bh) + al * bl }
}

impl Twofold {
    fn add(self, other: Twofold) -> Twofold {
        let s = sum(self.high, other.high);
        sum(s.high, s.low + (self.low + other.low))
    }

    fn sub(self, other: Twofold) -> Twofold {
        self.add(Twofold { high: -other.high, low: -other.low })
    }

    fn mul(self, other: Twofold) -> Twofold {
        let p = product(self.high, other.high);
        sum(p.high, p.low + (self.high * other.low + self.low * other.high))
    }
}

type Vector = [Twofold; 3];

fn difference(a: Point, b: Point) -> Vector {
    [0, 1, 2].map(|k| sum(a[k], -b[k]))
}

fn dot(a: &Vector, b: &Vector) -> Twofold {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i].mul(b[j]).sub(a[j].mul(b[i])))
}

/// Signed distance of a point from the triangle's plane, times twice the area.
pub(super) fn side(point: Point, triangle: &[Point; 3]) -> f64 {
    let (p, q) = (difference(triangle[1], triangle[0]), difference(triangle[2], triangle[0]));
    dot(&cross(&p, &q), &difference(point, triangle[0])).high
}

/// The projection of a vertex into a face.
pub(super) struct Projection {
    /// Squared distance.
    pub distance2: f64,
    /// Coordinates along the edges from vertex 0 to vertex 1 and to vertex 2.
    pub s: f64,
    pub t: f64,
    /// The point.
    pub point: Point,
}

/// Projection of a vertex into a triangle; none if it falls outside or the triangle has no area.
pub(super) fn vertex_face(vertex: Point, triangle: &[Point; 3]) -> Option<Projection> {
    let (p, q) = (difference(triangle[1], triangle[0]), difference(triangle[2], triangle[0]));
    let r = difference(vertex, triangle[0]);
    let n = cross(&p, &q);
    let n2 = dot(&n, &n);
    if n2.high <= 0.0 {
        return None;
    }
    let (x, y) = (dot(&cross(&r, &q), &n), dot(&cross(&p, &r), &n));
    let rest = n2.sub(x).sub(y);
    if x.high < 0.0 || y.high < 0.0 || rest.high < 0.0 {
        return None;
    }
    let (s, t) = (x.high / n2.high, y.high / n2.high);
    let single = |x: f64| Twofold { high: x, low: 0.0 };
    let along = [0, 1, 2].map(|k| p[k].mul(single(s)).add(q[k].mul(single(t))));
    let d = [0, 1, 2].map(|k| r[k].sub(along[k]).high);
    let point = [0, 1, 2].map(|k| triangle[0][k] + along[k].high);
    Some(Projection { distance2: d[0] * d[0] + d[1] * d[1] + d[2] * d[2], s, t, point })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_over_a_cap_keeps_its_digits() {
        // Widest angle 180 degrees less 2e-9: plain f64 loses nine digits of the normal.
        let t = [[0.1, 0.2, 0.3], [1.1, 0.2, 0.3], [0.6, 0.2 + 1e-9, 0.3]];
        let foot = 0.2 + 0.5e-9;
        let got = vertex_face([0.6, foot, 0.3 + 1e-3], &t).map(|p| p.distance2.sqrt());
        assert!(got.is_some_and(|d| (d - ((0.3 + 1e-3) - 0.3)).abs() < 1e-16), "{got:?}");
        assert!(vertex_face([0.6, 0.3, 0.3], &t).is_none());
        assert!(vertex_face([0.6, 0.3, 0.3], &[[0.0; 3], [1.0; 3], [2.0; 3]]).is_none());
    }
}
