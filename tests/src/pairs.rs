//! Triangle pairs for kernels and benchmarks, `far` and `near`; coordinates are exact in f32, and seeds are fixed.

use crate::Triangle;
use crate::random::Random;
use crate::vector::{add, cross, dot, length, moved, perpendicular, scale, sub, weighted};

/// Approximate length of an edge.
pub const EDGE: f64 = 0.1;

/// Pairs with both triangles random in the unit cube, and edges of about 0.1.
pub fn far(count: usize, seed: u64) -> Vec<[Triangle; 2]> {
    let mut random = Random::new(seed);
    (0..count).map(|_| rounded([anywhere(&mut random), anywhere(&mut random)])).collect()
}

/// Close pairs: 35 % are separated by a plane with a gap under 0.05 edges; 25 % are generic, with random feature points under 0.05 edges apart
/// (they may cross); 10 % are stacked parallel, 10 % share an edge, 10 % a vertex, 5 % are coplanar, 5 % are needles or have zero area.
pub fn near(count: usize, seed: u64) -> Vec<[Triangle; 2]> {
    let mut random = Random::new(seed);
    (0..count).map(|_| rounded(near_one(&mut random))).collect()
}

fn near_one(random: &mut Random) -> [Triangle; 2] {
    let kind = random.unit();
    let a = anywhere(random);
    let b = if kind < 0.35 {
        behind_plane(&a, random)
    } else if kind < 0.60 {
        at_features(&a, anywhere(random), random)
    } else if kind < 0.70 {
        stacked(&a, random)
    } else if kind < 0.80 {
        let k = random.below(3);
        [a[k], a[(k + 1) % 3], add(a[k], random.in_cube(0.7 * EDGE))]
    } else if kind < 0.90 {
        let fan = anywhere(random);
        moved(&fan, sub(a[random.below(3)], fan[0]))
    } else if kind < 0.95 {
        coplanar(&a, random)
    } else {
        at_features(&a, thin(random), random)
    };
    [a, b]
}

/// A random triangle in the unit cube.
pub fn anywhere(random: &mut Random) -> Triangle {
    let centre = add([0.5; 3], random.in_cube(0.5));
    [0; 3].map(|_| add(centre, random.in_cube(0.7 * EDGE)))
}

/// A triangle behind a plane that touches `a`, with a gap of up to 0.05 edges. They may be side by side in projection, so the distance may be
/// larger.
fn behind_plane(a: &Triangle, random: &mut Random) -> Triangle {
    let n = random.direction();
    let b = anywhere(random);
    let b = moved(&b, sub(weighted(a, random.barycentric()), weighted(&b, random.barycentric())));
    let top = |t: &Triangle, n| t.iter().fold(f64::NEG_INFINITY, |m: f64, &v| m.max(dot(v, n)));
    let gap = top(a, n) + top(&b, scale(-1.0, n)) + random.range(0.0, 0.05 * EDGE);
    moved(&b, scale(gap, n))
}

/// Puts random points of random features of both up to 0.05 edges apart.
fn at_features(a: &Triangle, b: Triangle, random: &mut Random) -> Triangle {
    let mut feature = || {
        let w = random.barycentric();
        match random.below(3) {
            0 => [1.0, 0.0, 0.0],
            1 => [1.0 - w[1], w[1], 0.0],
            _ => w,
        }
    };
    let (on_a, on_b) = (weighted(a, feature()), weighted(&b, feature()));
    let apart = scale(random.range(0.0, 0.05 * EDGE), random.direction());
    moved(&b, add(sub(on_a, on_b), apart))
}

/// A triangle in a parallel plane that overlaps `a` in projection.
fn stacked(a: &Triangle, random: &mut Random) -> Triangle {
    let n = cross(sub(a[1], a[0]), sub(a[2], a[0]));
    let up = if length(n) > 0.0 { scale(1.0 / length(n), n) } else { [0.0, 0.0, 1.0] };
    moved(&coplanar(a, random), scale(random.range(0.0, 0.05 * EDGE), up))
}

/// A triangle in the same plane, nearby.
fn coplanar(a: &Triangle, random: &mut Random) -> Triangle {
    let (u, v) = (sub(a[1], a[0]), sub(a[2], a[0]));
    let centre = add(a[0], add(scale(random.range(-0.5, 1.0), u), scale(random.range(-0.5, 1.0), v)));
    [0; 3].map(|_| add(centre, add(scale(random.range(-0.7, 0.7), u), scale(random.range(-0.7, 0.7), v))))
}

/// A needle (1:1000), a segment or a point.
fn thin(random: &mut Random) -> Triangle {
    let t = anywhere(random);
    let d = sub(t[1], t[0]);
    let on = add(t[0], scale(random.unit(), d));
    match random.below(4) {
        0 => [t[0], t[1], t[1]],
        1 => [t[0]; 3],
        2 => [t[0], t[1], on],
        _ => [t[0], t[1], add(on, scale(1e-3 * length(d), perpendicular(d)))],
    }
}

/// The pair with every coordinate rounded to f32.
pub fn rounded(pair: [Triangle; 2]) -> [Triangle; 2] {
    pair.map(|t| t.map(|v| v.map(|x| f64::from(x as f32))))
}

/// Triangles in the form that kernels read: rows `x0 y0 z0 x1 .. z2`, each with `stride` numbers; the padding repeats the last triangle.
pub fn rows(triangles: impl ExactSizeIterator<Item = Triangle> + Clone, stride: usize) -> Vec<f64> {
    let mut rows = vec![0.0; 9 * stride];
    let padded = triangles.clone().chain(std::iter::repeat_n(triangles.last().unwrap_or_default(), stride));
    for (i, t) in padded.take(stride).enumerate() {
        for (row, x) in t.into_iter().flatten().enumerate() {
            rows[row * stride + i] = x;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::triangle_triangle;

    #[test]
    fn near_pairs_are_near_and_of_every_kind_and_far_ones_are_not() {
        let distances = |pairs: Vec<[Triangle; 2]>| {
            let mut d: Vec<f64> = pairs.iter().map(|[a, b]| triangle_triangle(a, b).distance).collect();
            d.sort_by(f64::total_cmp);
            d
        };
        let near = distances(near(4_000, 1));
        let touching = near.iter().filter(|&&d| d == 0.0).count() as f64 / 4_000.0;
        assert!((0.2..0.45).contains(&touching), "{touching}");
        assert!(near[2_200] < 0.05 * EDGE && near[3_999] < 2.0 * EDGE, "{} {}", near[2_200], near[3_999]);
        let far = distances(far(4_000, 1));
        assert!((0.3..0.8).contains(&far[2_000]), "{}", far[2_000]);
    }

    #[test]
    fn coordinates_are_exact_in_f32_and_reproducible() {
        let pairs = near(100, 3);
        assert!(pairs.iter().flatten().flatten().flatten().all(|&x| f64::from(x as f32) == x));
        assert_eq!(pairs, near(100, 3));
    }
}
