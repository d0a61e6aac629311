//! Distance of two triangles in integer arithmetic: touch, and the comparison with a threshold, are decided exactly for any
//! finite f64 coordinates; the distance itself is rounded once.
//!
//! The coordinates become integers by a common power of two. The squared distance is a fraction, the least over all pairs of
//! features: 9 of vertices, 18 of a vertex and an edge, 9 of edges, 6 of a vertex and a face; and 0 where an edge passes
//! through a face.

use crate::Triangle;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

type Vector = [BigInt; 3];

/// Squared distance as a fraction of integers times a power of four.
#[derive(Clone, Debug)]
pub struct Exact {
    numerator: BigInt,
    denominator: BigInt,
    exponent: i32,
}

impl Exact {
    /// Whether the triangles have a point in common.
    pub fn touches(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }

    /// The distance, to less than a unit in the last place.
    pub fn distance(&self) -> f64 {
        if self.touches() {
            return 0.0;
        }
        // 2^(2 shift) times the fraction has about 256 bits, its root 128.
        let shift = (256 + self.denominator.bits() as i32 - self.numerator.bits() as i32).div_euclid(2);
        let (up, down) = if shift >= 0 { ((2 * shift) as usize, 0) } else { (0, (-2 * shift) as usize) };
        let root = ((&self.numerator << up) / (&self.denominator << down)).sqrt();
        let excess = root.bits() as i32 - 64;
        let leading = u64::try_from(root >> excess as usize).unwrap();
        times_power_of_two(leading as f64, excess - shift + self.exponent)
    }

    /// The distance compared with a threshold (finite, not negative), exactly.
    pub fn compare(&self, threshold: f64) -> Ordering {
        let (mantissa, exponent) = decode(threshold);
        let square = BigInt::from(mantissa) * mantissa;
        let shift = 2 * (exponent - self.exponent);
        let right = square * &self.denominator;
        if shift >= 0 {
            self.numerator.cmp(&(right << shift as usize))
        } else {
            (&self.numerator << (-shift) as usize).cmp(&right)
        }
    }
}

/// The distance of two triangles; degenerate triangles count as the segments or points that they are.
pub fn triangle_triangle(a: &Triangle, b: &Triangle) -> Exact {
    let exponent = a.iter().chain(b).flatten().filter(|x| **x != 0.0).map(|&x| decode(x).1).min().unwrap_or(0);
    let integer = |t: &Triangle| {
        t.map(|v| {
            v.map(|x| {
                let (mantissa, e) = decode(x);
                if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (e - exponent) as usize }
            })
        })
    };
    let (a, b) = (integer(a), integer(b));
    let mut least = Least(BigInt::from(1), BigInt::ZERO);
    if touch(&a, &b) || touch(&b, &a) {
        least = Least(BigInt::ZERO, BigInt::from(1));
    } else {
        faces(&a, &b, &mut least);
        faces(&b, &a, &mut least);
        edges(&a, &b, &mut least);
    }
    Exact { numerator: least.0, denominator: least.1, exponent }
}

/// Numerator and denominator of the least fraction so far; a zero denominator is infinity.
struct Least(BigInt, BigInt);

impl Least {
    fn offer(&mut self, numerator: BigInt, denominator: BigInt) {
        if &numerator * &self.1 < &self.0 * &denominator {
            (self.0, self.1) = (numerator, denominator);
        }
    }
}

/// Whether an edge of `a` passes through the face of `b`, from one side to the other.
fn touch(a: &[Vector; 3], b: &[Vector; 3]) -> bool {
    let n = normal(b);
    let height = [0, 1, 2].map(|i| dot(&n, &sub(&a[i], &b[0])).sign());
    (0..3).any(|i| {
        let j = (i + 1) % 3;
        if height[i] == height[j] || height[i] == Sign::NoSign || height[j] == Sign::NoSign {
            return false;
        }
        let d = sub(&a[j], &a[i]);
        let side = |k: usize| dot(&d, &cross(&sub(&b[k], &a[i]), &sub(&b[(k + 1) % 3], &a[i]))).sign();
        let sides = [side(0), side(1), side(2)];
        !(sides.contains(&Sign::Plus) && sides.contains(&Sign::Minus))
    })
}

/// Distances of vertices of `a` above the face of `b`.
fn faces(a: &[Vector; 3], b: &[Vector; 3], least: &mut Least) {
    let n = normal(b);
    let square = dot(&n, &n);
    if square.sign() == Sign::NoSign {
        return;
    }
    for p in a {
        let above = (0..3).all(|k| {
            let side = cross(&sub(&b[(k + 1) % 3], &b[k]), &sub(p, &b[k]));
            dot(&n, &side).sign() != Sign::Minus
        });
        if above {
            let height = dot(&n, &sub(p, &b[0]));
            least.offer(&height * &height, square.clone());
        }
    }
}

/// Distances of vertices and edges of both.
fn edges(a: &[Vector; 3], b: &[Vector; 3], least: &mut Least) {
    for i in 0..3 {
        for j in 0..3 {
            let (s, t) = ([&a[i], &a[(i + 1) % 3]], [&b[j], &b[(j + 1) % 3]]);
            let w = sub(s[0], t[0]);
            least.offer(dot(&w, &w), BigInt::from(1));
            vertex_edge(s[0], t, least);
            vertex_edge(t[0], s, least);
            edge_edge(s, t, least);
        }
    }
}

/// A vertex whose foot is inside an edge.
fn vertex_edge(p: &Vector, t: [&Vector; 2], least: &mut Least) {
    let (w, d) = (sub(p, t[0]), sub(t[1], t[0]));
    let (along, square) = (dot(&w, &d), dot(&d, &d));
    if along.sign() == Sign::Plus && along < square {
        least.offer(dot(&w, &w) * &square - &along * &along, square);
    }
}

/// Two edges whose closest points are inside both.
fn edge_edge(s: [&Vector; 2], t: [&Vector; 2], least: &mut Least) {
    let (d, e, w) = (sub(s[1], s[0]), sub(t[1], t[0]), sub(t[0], s[0]));
    let n = cross(&d, &e);
    let square = dot(&n, &n);
    let inner = |x: BigInt| x.sign() != Sign::Minus && x <= square;
    if square.sign() != Sign::NoSign && inner(dot(&cross(&w, &e), &n)) && inner(dot(&cross(&w, &d), &n)) {
        let height = dot(&w, &n);
        least.offer(&height * &height, square);
    }
}

fn normal(t: &[Vector; 3]) -> Vector {
    cross(&sub(&t[1], &t[0]), &sub(&t[2], &t[0]))
}

fn sub(a: &Vector, b: &Vector) -> Vector {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

fn dot(a: &Vector, b: &Vector) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

/// x = mantissa 2^exponent, with the mantissa's trailing zeros left in.
fn decode(x: f64) -> (i64, i32) {
    assert!(x.is_finite(), "{x} is not finite");
    let bits = x.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7FF) as i32, (bits & ((1 << 52) - 1)) as i64);
    let magnitude = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (if bits >> 63 == 1 { -magnitude } else { magnitude }, biased.max(1) - 1075)
}

fn times_power_of_two(mut x: f64, mut exponent: i32) -> f64 {
    while exponent > 1000 {
        (x, exponent) = (x * f64::from_bits(2023 << 52), exponent - 1000);
    }
    while exponent < -1000 {
        (x, exponent) = (x * f64::from_bits(23 << 52), exponent + 1000);
    }
    x * f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: Triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn distance(b: Triangle) -> f64 {
        let there = triangle_triangle(&FLAT, &b).distance();
        assert_eq!(there, triangle_triangle(&b, &FLAT).distance());
        there
    }

    #[test]
    fn closed_forms() {
        assert_eq!(distance(FLAT), 0.0);
        assert_eq!(distance([[1.0, 1.0, 3.0]; 3]), 3.0); // a point above the face
        assert_eq!(distance([[7.0, 4.0, 0.0]; 3]), 0.5f64.sqrt() * 7.0); // beside the long edge
        assert_eq!(distance([[7.0, 0.0, 4.0]; 3]), 5.0); // beyond a vertex
        assert_eq!(distance([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 9.0]]), 0.0); // pierced
        assert_eq!(distance([[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [3.0, 3.0, 0.5]]), 2f64.sqrt()); // a segment past an edge
        assert_eq!(distance([[2.0, 2.0, -1.0], [2.0, 2.0, 1.0], [5.0, 5.0, 0.0]]), 0.0); // a segment on an edge
        let up = f64::from_bits(2f64.to_bits() + 1);
        assert!(distance([[up, 2.0, -1.0], [up, 2.0, 1.0], [5.0, 5.0, 0.0]]) > 0.0); // one bit beside it
    }

    #[test]
    fn thresholds_are_compared_exactly_at_any_scale() {
        for exponent in [-900, -500, 0, 500, 900] {
            let s = times_power_of_two(1.0, exponent);
            let pair = [FLAT, [[7.0, 0.0, 4.0], [8.0, 0.0, 4.0], [9.0, 1.0, 4.0]]].map(|t| t.map(|v| v.map(|x| x * s)));
            let exact = triangle_triangle(&pair[0], &pair[1]);
            assert_eq!(exact.distance(), 5.0 * s);
            assert_eq!(exact.compare(5.0 * s), Ordering::Equal);
            assert_eq!(exact.compare(f64::from_bits((5.0 * s).to_bits() + 1)), Ordering::Less);
            assert_eq!(exact.compare(f64::from_bits((5.0 * s).to_bits() - 1)), Ordering::Greater);
        }
    }
}
