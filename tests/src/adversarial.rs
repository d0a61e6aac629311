//! Triangle pairs that are hard for kernels, by kind of difficulty; [`crate::exact`] has the right answers.

use crate::Triangle;
use crate::random::Random;
use crate::vector::{add, cross, length, moved, perpendicular, rotate, scale, sub, weighted};

type Maker = fn(&mut Random) -> [Triangle; 2];

/// Names of the kinds, and the functions that make a pair of size about 1.
const KINDS: [(&str, Maker); 17] = [
    ("cap", |r| close(r, cap, cap)),
    ("needle", |r| close(r, needle, needle)),
    ("nearly parallel edges cross", nearly_parallel),
    ("coplanar overlapping", |r| coplanar(r, 0.3)),
    ("coplanar disjoint", |r| coplanar(r, 3.0)),
    ("shared vertex", shared_vertex),
    ("shared edge", shared_edge),
    ("segment", |r| close(r, segment, segment)),
    ("segment and triangle", |r| close(r, generic, segment)),
    ("point", |r| close(r, point, segment)),
    ("point and triangle", |r| close(r, point, generic)),
    ("vertex on face", vertex_on_face),
    ("grazing", grazing),
    ("small integers", |r| [integers(r), integers(r)]),
    ("stacked", stacked),
    ("far from the origin", |r| far_from_origin(r)),
    ("large against small", large_against_small),
];

/// The names of the kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|k| k.0)
}

/// `count` pairs of a kind, times `size` (with a power of two, exact properties stay exact).
pub fn pairs(kind: &str, count: usize, seed: u64, size: f64) -> Vec<[Triangle; 2]> {
    let index = KINDS.iter().position(|k| k.0 == kind).unwrap_or_else(|| panic!("no kind {kind}"));
    let mut random = Random::new(seed.wrapping_mul(64) + index as u64);
    (0..count)
        .map(|_| {
            let mut pair = KINDS[index].1(&mut random);
            if random.below(2) == 0 {
                pair.swap(0, 1);
            }
            pair.map(|t| {
                let k = random.below(3);
                [t[k], t[(k + 1) % 3], t[(k + 2) % 3]].map(|v| scale(size, v))
            })
        })
        .collect()
}

/// Pairs whose distance is within a relative 1e-12 of a threshold, and the threshold: for filters and for ties.
pub fn at_threshold(count: usize, seed: u64) -> Vec<([Triangle; 2], f64)> {
    let mut random = Random::new(seed);
    let mut made = Vec::new();
    while made.len() < count {
        let (a, b) = (generic(&mut random), moved(&generic(&mut random), random.direction()));
        let closest = crate::distance::triangle_triangle(&a, &b);
        let threshold = closest.distance * 10f64.powi(-(random.below(8) as i32)) * random.range(0.5, 1.0);
        if closest.distance < 1e-3 {
            continue;
        }
        // Moving the second along the connecting line keeps the closest features.
        let along = scale(1.0 / closest.distance, sub(closest.b, closest.a));
        let wanted = threshold * (1.0 + random.range(-1e-12, 1e-12));
        let b = moved(&b, scale(wanted - closest.distance, along));
        let distance = crate::exact::triangle_triangle(&a, &b).distance();
        if (distance - threshold).abs() <= 1e-12 {
            made.push(([a, b], threshold));
        }
    }
    made
}

fn generic(random: &mut Random) -> Triangle {
    let centre = random.in_cube(0.3);
    [0; 3].map(|_| add(centre, random.in_cube(1.0)))
}

/// A pair in which a random point of a random feature of one triangle is near such a point of the other one.
fn close(
    random: &mut Random,
    first: fn(&mut Random) -> Triangle,
    second: fn(&mut Random) -> Triangle,
) -> [Triangle; 2] {
    let (a, b) = (first(random), second(random));
    let distance = [0.0, 1e-9, 1e-3, 0.1][random.below(4)];
    let mut feature = |t: &Triangle| {
        let [u, v, w] = random.barycentric();
        weighted(t, [[1.0, 0.0, 0.0], [u + w, v, 0.0], [u, v, w]][random.below(3)])
    };
    let apart = sub(feature(&a), feature(&b));
    [a, moved(&b, add(apart, scale(distance, random.direction())))]
}

/// A triangle whose third vertex is the middle of the other two, rounded, or differs from it by a few bits.
fn cap(random: &mut Random) -> Triangle {
    let t = generic(random);
    let on = add(t[0], scale([0.5, random.unit()][random.below(2)], sub(t[1], t[0])));
    let off = [0.0, 1e-16, 1e-12, 1e-8, 1e-5][random.below(5)];
    [t[0], t[1], add(on, scale(off, random.direction()))]
}

/// A triangle with one side 1e6 times shorter than the others.
fn needle(random: &mut Random) -> Triangle {
    let t = generic(random);
    [t[0], t[1], add(t[1], scale(1e-6 * length(sub(t[1], t[0])), random.direction()))]
}

fn segment(random: &mut Random) -> Triangle {
    let t = generic(random);
    [t[0], t[1], t[random.below(2)]]
}

fn point(random: &mut Random) -> Triangle {
    [random.in_cube(1.0); 3]
}

/// Two triangles with edges that cross at an angle of 1e-3 to 1e-12, with a gap from 0 to 0.1.
fn nearly_parallel(random: &mut Random) -> [Triangle; 2] {
    let d = random.direction();
    let side = perpendicular(d);
    let up = cross(d, side);
    let angle = 10f64.powi(-3 - random.below(10) as i32);
    let tilted = add(d, scale(angle, side));
    let gap = [0.0, 1e-12, 1e-6, 0.1][random.below(4)];
    let centre = random.in_cube(1.0);
    let mut line = |along, base, away: [f64; 3]| {
        let (s, t) = (random.range(0.2, 1.0), random.range(0.2, 1.0));
        [
            sub(base, scale(s, along)),
            add(base, scale(t, along)),
            add(base, add(away, scale(random.range(-0.5, 0.5), side))),
        ]
    };
    [line(d, centre, scale(-1.0, up)), line(tilted, add(centre, scale(gap, up)), up)]
}

/// Two triangles in one plane (up to rounding, or exactly), `apart` sizes from each other.
fn coplanar(random: &mut Random, apart: f64) -> [Triangle; 2] {
    let exactly = random.below(2) == 0;
    let q = random.rotation();
    let shift = random.in_cube(0.5);
    let mut flat = |x: f64| {
        [0; 3].map(|_| {
            let v = [x + random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.25];
            if exactly { [v[2], v[0], v[1]] } else { add(rotate(q, v), shift) }
        })
    };
    [flat(0.0), flat(apart)]
}

fn shared_vertex(random: &mut Random) -> [Triangle; 2] {
    let (a, mut b) = (generic(random), generic(random));
    b[0] = a[0];
    [a, b]
}

fn shared_edge(random: &mut Random) -> [Triangle; 2] {
    let (a, mut b) = (generic(random), generic(random));
    (b[0], b[1]) = (a[1], a[0]);
    [a, b]
}

/// A vertex on a face, an edge or a corner, up to rounding, or slightly above.
fn vertex_on_face(random: &mut Random) -> [Triangle; 2] {
    let (a, b) = (generic(random), generic(random));
    let mut w = random.barycentric();
    if random.below(2) == 0 {
        (w[0], w[1]) = (w[0] + w[1], 0.0);
    }
    let gap = [0.0, 0.0, 1e-15, 1e-10][random.below(4)];
    let target = add(weighted(&a, w), scale(gap, random.direction()));
    [a, moved(&b, sub(target, b[0]))]
}

/// An edge that passes an edge of the other triangle within a few bits, on either side.
fn grazing(random: &mut Random) -> [Triangle; 2] {
    let a = generic(random);
    let on = add(a[0], scale(random.unit(), sub(a[1], a[0])));
    let on = add(on, scale([0.0, 1e-16, 1e-14, 1e-10][random.below(4)], random.direction()));
    let d = random.in_cube(1.0);
    [a, [sub(on, d), add(on, scale(random.unit(), d)), add(on, random.in_cube(1.0))]]
}

/// Vertices in a lattice of 5^3 points: all possible coincidences occur exactly.
fn integers(random: &mut Random) -> Triangle {
    [0; 3].map(|_| [0; 3].map(|_| random.below(5) as f64 - 2.0))
}

/// Triangles in parallel planes that overlap in projection, with a gap of 0 to 0.1.
fn stacked(random: &mut Random) -> [Triangle; 2] {
    let [a, b] = coplanar(random, 0.3);
    let n = cross(sub(a[1], a[0]), sub(a[2], a[0]));
    let gap = [1e-14, 1e-9, 1e-4, 0.1][random.below(4)] / length(n);
    [a, moved(&b, scale(gap, n))]
}

fn far_from_origin(random: &mut Random) -> [Triangle; 2] {
    let shift = scale(10f64.powi(2 + random.below(7) as i32), random.direction());
    let kind = random.below(KINDS.len() - 2);
    KINDS[kind].1(random).map(|t| moved(&t, shift))
}

fn large_against_small(random: &mut Random) -> [Triangle; 2] {
    let (a, b) = (generic(random), generic(random));
    let small = b.map(|v| scale(10f64.powi(-(random.below(7) as i32) - 3), v));
    let target = add(weighted(&a, random.barycentric()), scale(1e-3 * random.unit(), random.direction()));
    [a, moved(&small, target)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::triangle_triangle;
    use crate::vector::largest;
    use crate::{data, exact};

    #[test]
    fn exact_reference_and_slow_reference_agree_with_the_given_distances() {
        for (i, (a, b, distance)) in data::reference_pairs().into_iter().enumerate() {
            let (exact, slow) = (exact::triangle_triangle(&a, &b), triangle_triangle(&a, &b).distance);
            assert_eq!(exact.touches(), distance == 0.0, "pair {i}");
            assert!((exact.distance() - distance).abs() <= 1e-14 * largest(&a, &b), "pair {i}: {exact:?} {distance}");
            assert!((slow - distance).abs() <= 1e-12 * largest(&a, &b), "pair {i}: {slow} {distance}");
        }
    }

    #[test]
    fn slow_reference_is_within_1e9_of_the_exact_one_on_hard_pairs() {
        for kind in kinds() {
            let mut touching = 0;
            let mut worst: f64 = 0.0;
            for [a, b] in pairs(kind, 300, 1, 1.0) {
                let exact = exact::triangle_triangle(&a, &b);
                touching += usize::from(exact.touches());
                worst = worst.max((triangle_triangle(&a, &b).distance - exact.distance()).abs() / largest(&a, &b));
                assert_eq!(exact.distance(), exact::triangle_triangle(&b, &a).distance(), "{kind}");
            }
            println!("{kind}: {touching} of 300 touch, slow reference off by {worst:.1e}");
            assert!(worst < 1e-9, "{kind}: {worst}");
        }
    }

    #[test]
    fn pairs_at_a_threshold_lie_on_both_sides_of_it() {
        let made = at_threshold(200, 5);
        let below = made.iter().filter(|([a, b], t)| exact::triangle_triangle(a, b).compare(*t).is_le()).count();
        assert!((60..140).contains(&below), "{below}");
    }
}
