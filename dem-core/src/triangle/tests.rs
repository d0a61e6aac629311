//! Tests of the distance kernel against closed forms, under symmetries, and across instruction sets.

use super::*;
use crate::simd::Isa;

type Triangle = [[f64; 3]; 3];

/// The splitmix64 generator, as numbers in [0, 1).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn triangle(&mut self, size: f64) -> Triangle {
        let centre = [0; 3].map(|_| self.next());
        [0; 3].map(|_| centre.map(|c| c + size * (self.next() - 0.5)))
    }
}

fn closest(a: Triangle, b: Triangle) -> ClosestPoints<f64> {
    closest_points_one(a, b).expect("finite")
}

fn length(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [0, 1, 2].map(|k| a[k] - b[k]);
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// Smallest distance over a fine sampling of the second triangle, exact for each sample: a close upper bound.
fn sampled(a: Triangle, b: Triangle, n: usize) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n - i {
            let (s, t) = (i as f64 / n as f64, j as f64 / n as f64);
            let p = [0, 1, 2].map(|k| b[0][k] + s * (b[1][k] - b[0][k]) + t * (b[2][k] - b[0][k]));
            let d = closest(a, [p; 3]).distance;
            best = if d < best { d } else { best };
        }
    }
    best
}

#[test]
fn closed_forms() {
    let a = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let above = a.map(|[x, y, z]| [x, y, z + 0.25]);
    assert_eq!(closest(a, above).distance, 0.25);
    assert_eq!(closest(a, a).distance, 0.0);
    let vertex = [[0.25, 0.25, 0.5], [0.25, 0.5, 2.0], [0.5, 0.25, 2.0]];
    let c = closest(a, vertex);
    assert_eq!((c.distance, c.feature_a, c.feature_b), (0.5, Feature::Face, Feature::Vertex0));
    assert_eq!((c.point_a, c.weights_a, c.weights_b), ([0.25, 0.25, 0.0], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]));
    let edge = [[0.5, -1.0, 1.0], [0.5, -1.0, -1.0], [0.5, -5.0, 0.0]];
    let c = closest(a, edge);
    assert_eq!((c.distance, c.feature_a, c.feature_b), (1.0, Feature::Edge0, Feature::Edge0));
    assert_eq!((c.point_a, c.point_b), ([0.5, 0.0, 0.0], [0.5, -1.0, 0.0]));
    let through = [[0.25, 0.25, -1.0], [0.25, 0.25, 1.0], [0.375, 0.375, 0.5]];
    let c = closest(a, through);
    assert_eq!((c.distance, c.point_a, c.point_b), (0.0, [0.25, 0.25, 0.0], [0.25, 0.25, 0.0]));
    assert_eq!((c.feature_a, c.feature_b, c.weights_b), (Feature::Face, Feature::Edge0, [0.5, 0.5, 0.0]));
}

#[test]
fn points_lie_on_their_triangles_and_samples_are_never_closer() {
    let mut random = Random(1);
    for k in 0..300 {
        let size = [0.1, 0.5, 2.0][k % 3];
        let (a, b) = (random.triangle(size), random.triangle(size));
        let c = closest(a, b);
        assert!((length(c.point_a, c.point_b) - c.distance).abs() < 1e-14);
        for (t, w, p) in [(a, c.weights_a, c.point_a), (b, c.weights_b, c.point_b)] {
            let q = [0, 1, 2].map(|k| w[0] * t[0][k] + w[1] * t[1][k] + w[2] * t[2][k]);
            assert!(length(p, q) < 1e-14, "{p:?} {q:?} {w:?}");
            assert!(w.iter().all(|w| (-1e-15..=1.0 + 1e-15).contains(w)), "{w:?}");
        }
        let upper = sampled(a, b, 12);
        assert!(c.distance <= upper + 1e-14, "{} {upper}", c.distance);
        assert!(c.distance > upper - 0.13 * size, "{} {upper}", c.distance);
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut random = Random(2);
    let n = 1003; // not a multiple of any number of lanes
    let mut rows = [[[0.0f64; 1003]; 9]; 2];
    #[allow(clippy::needless_range_loop)] // two arrays are filled side by side
    for i in 0..n {
        let (a, mut b) = (random.triangle(0.3), random.triangle(0.3));
        match i % 8 {
            0 => b[1] = a[2],
            1 => (b[0], b[1]) = (a[0], a[1]),
            2 => b[2] = [0, 1, 2].map(|k| 0.5 * (b[0][k] + b[1][k])), // a cap, or flat
            3 => b = a.map(|[x, y, z]| [x + 0.01, y, z]),
            _ => {}
        }
        for (k, (x, y)) in a.as_flattened().iter().zip(b.as_flattened()).enumerate() {
            (rows[0][k][i], rows[1][k][i]) = (*x, *y);
        }
    }
    check_same_bits(&rows);
    check_same_bits(&rows.map(|side| side.map(|row| row.map(|x| x as f32))));
}

fn check_same_bits<T: Accuracy>(rows: &[[[T; 1003]; 9]; 2]) {
    let soup = |k: usize| Soup::from_rows(rows[k].each_ref().map(|row| &row[..]), What::None).expect("rows");
    let source = Zip(soup(0), soup(1));
    let run = |isa| {
        let zero = closest_points_one([[T::default(); 3]; 3], [[T::default(); 3]; 3]).expect("finite");
        let mut out = [zero; 1003];
        closest_points(isa, &source, &mut Collect(&mut out)).expect("finite");
        out
    };
    let want = run(Isa::SCALAR);
    assert!(want.iter().filter(|c| c.distance == T::default()).count() > 200);
    for isa in Isa::list() {
        let got = run(*isa);
        for i in 0..1003 {
            assert!(got[i] == want[i], "{} {i}: {:?} {:?}", isa.name(), got[i], want[i]);
        }
    }
}

use crate::error::{Kind, What};

#[test]
fn a_shared_vertex_is_a_vertex_of_both() {
    let mut random = Random(11);
    for n in 0..900 {
        let (i, j) = (n / 3 % 3, n % 3);
        let shared = [0; 3].map(|_| random.next() as f32);
        // One triangle below the shared vertex and one above, so that they have nothing else in common.
        let mut on_side = |sign: f32| {
            [0; 3].map(|_| [0, 1, 2].map(|k| shared[k] + if k == 2 { sign } else { 1.0 } * random.next() as f32))
        };
        let (mut a, mut b) = (on_side(-1.0), on_side(1.0));
        (a[i], b[j]) = (shared, shared);
        check_shared(closest_points_one(a, b).expect("finite"), shared, [i, j]);
        let wide = |t: [[f32; 3]; 3]| t.map(|v| v.map(f64::from));
        check_shared(closest(wide(a), wide(b)), shared.map(f64::from), [i, j]);
    }
}

fn check_shared<T: Accuracy + core::fmt::Debug>(found: ClosestPoints<T>, shared: [T; 3], vertices: [usize; 2]) {
    assert_eq!(found.distance, T::default());
    assert_eq!(found.point_a, found.point_b);
    for (x, y) in found.point_a.iter().zip(shared) {
        assert!((x.to_f64() - y.to_f64()).abs() < 2.5e-7, "{x:?} {y:?}");
    }
    assert_eq!([found.feature_a as usize, found.feature_b as usize], vertices);
}

#[test]
fn scales_do_not_matter() {
    let mut random = Random(3);
    for _ in 0..100 {
        let (a, b) = (random.triangle(0.4), random.triangle(0.4));
        let want = closest(a, b).distance;
        for e in [-900, -300, 300, 900] {
            let s = libm::ldexp(1.0, e);
            let got = closest(a.map(|v| v.map(|x| x * s)), b.map(|v| v.map(|x| x * s))).distance;
            assert_eq!(got, want * s);
        }
    }
}

#[test]
fn a_number_that_is_not_finite_is_named() {
    let a = [[0.0f32; 3]; 3];
    let mut b = a;
    b[2][1] = f32::NAN;
    let e = closest_points_one(a, b).expect_err("NaN");
    assert_eq!((e.kind, e.what, e.index, e.component), (Kind::NotFinite, What::TrianglesB, 0, 7));
    let huge = [[f32::MAX; 3]; 3];
    assert_eq!(closest_points_one(huge, huge).map(|c| c.distance), Ok(0.0));
}

#[test]
fn no_triangles_are_zeros_and_pairs_behind_the_end_are_left_alone() {
    let empty = Soup::<f64>::from_rows([&[]; 9], What::None).expect("rows");
    assert!(empty.is_empty() && empty.triangle(0) == [[0.0; 3]; 3]);
    let numbers: [f64; 27] = core::array::from_fn(|k| k as f64);
    let two = Soup::new(&numbers, 3, 2, What::None).expect("rows");
    assert_eq!((two.triangle(1)[0], two.triangle(2)), ([1.0, 4.0, 7.0], [[0.0; 3]; 3]));
    let list = [[1, 0], [0, 1]];
    let indexed = Indexed::new(two, two, &list).expect("indices");
    assert!(Indexed::new(empty, two, &list).is_err());
    let sources: [&dyn Source<f64>; 3] = [&Zip(two, two), &OneToMany(two.triangle(0), two), &indexed];
    for source in sources {
        for (at, count, filled) in [(0, 99, 2), (1, BLOCK, 1), (2, 1, 0), (usize::MAX, usize::MAX, 0)] {
            let mut block: Coordinates<f64> = [[-1.0; BLOCK]; 18];
            source.fill(at, count, &mut block);
            assert_eq!(block[17].iter().filter(|x| **x != -1.0).count(), filled);
        }
        let mut nothing: [f64; 0] = [];
        assert_eq!(closest_points(Isa::best(), source, &mut &mut nothing[..]), Ok(()));
    }
    let none = Zip(empty, two);
    assert_eq!(closest_points(Isa::best(), &none, &mut &mut [0.0; 0][..]), Ok(()));
}
