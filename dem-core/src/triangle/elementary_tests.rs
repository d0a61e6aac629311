//! Tests of elementary distances against closed forms, each other, the triangle kernel, and under scaling.

use super::tests::Random;
use super::*;
use crate::error::{Error, Kind, What};
use crate::real::Real;

type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn length(a: Point, b: Point) -> f64 {
    let d = minus(a, b);
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

fn mix<const N: usize>(points: [Point; N], weights: [f64; N]) -> Point {
    [0, 1, 2].map(|k| points.iter().zip(weights).map(|(p, w)| w * p[k]).sum())
}

/// Points of all difficult kinds: random, repeated, on one line, almost on one line, of very different sizes.
fn points<const N: usize>(random: &mut Random, sort: usize) -> [Point; N] {
    let mut p = [[0.0; 3]; N].map(|v| v.map(|_| 2.0 * random.next() - 1.0));
    match sort % 8 {
        0 => p[N - 1] = p[N - 2],
        1 => p[N - 1] = mix([p[0], p[N - 2]], [0.5, 0.5]),
        2 => p[N - 1] = mix([p[0], p[N - 2], p[N - 1]], [0.5, 0.5 - 1e-9, 1e-9]),
        3 => p[N - 1] = mix([p[0], p[N - 1]], [1.0 - 1e-7, 1e-7]),
        4 => p = p.map(|v| [v[0], v[1], 0.0]),
        5 => p = [p[0]; N],
        _ => {}
    }
    p
}

#[test]
fn closed_forms() {
    let s = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let got = |p| distance_point_segment(p, s).expect("finite");
    let c = got([0.5, 3.0, 4.0]);
    assert_eq!((c.distance, c.point, c.parameter, c.feature), (5.0, [0.5, 0.0, 0.0], 0.25, Feature::Edge0));
    assert_eq!((got([-3.0, 4.0, 0.0]).distance, got([-3.0, 4.0, 0.0]).feature), (5.0, Feature::Vertex0));
    assert_eq!((got([5.0, 4.0, 0.0]).point, got([5.0, 4.0, 0.0]).feature), ([2.0, 0.0, 0.0], Feature::Vertex1));

    let c = distance_segment_segment(s, [[1.5, -1.0, 3.0], [1.5, 3.0, 3.0]]).expect("finite");
    assert_eq!((c.distance, c.parameter_a, c.parameter_b), (3.0, 0.75, 0.25));
    assert_eq!((c.point_a, c.point_b), ([1.5, 0.0, 0.0], [1.5, 0.0, 3.0]));
    assert_eq!((c.feature_a, c.feature_b), (Feature::Edge0, Feature::Edge0));

    let t = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let got = |p| distance_point_triangle(p, t).expect("finite");
    let c = got([1.0, 2.0, -7.0]);
    assert_eq!((c.distance, c.point, c.weights, c.feature), (7.0, [1.0, 2.0, 0.0], [0.25, 0.25, 0.5], Feature::Face));
    // The seven regions.
    let regions = [
        ([3.0, 3.0, 0.0], Feature::Edge1),
        ([-1.0, 1.0, 0.0], Feature::Edge2),
        ([1.0, -1.0, 0.0], Feature::Edge0),
        ([-1.0, -1.0, 0.0], Feature::Vertex0),
        ([6.0, 1.0, 0.0], Feature::Vertex1),
        ([1.0, 6.0, 0.0], Feature::Vertex2),
        ([1.0, 1.0, 0.0], Feature::Face),
    ];
    for (p, feature) in regions {
        assert_eq!(got(p).feature, feature, "{p:?}");
    }
}

#[test]
fn degenerate_input_is_what_it_is() {
    let (p, q) = ([1.0, 2.0, 3.0], [1.0, 2.0, 5.0]);
    assert_eq!(distance_point_segment(p, [q, q]).map(|c| (c.distance, c.point)), Ok((2.0, q)));
    assert_eq!(distance_segment_segment([p, p], [q, q]).map(|c| c.distance), Ok(2.0));
    assert_eq!(distance_point_triangle(p, [q, q, q]).map(|c| (c.distance, c.point)), Ok((2.0, q)));
    let flat = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let c = distance_point_triangle([3.0, 1.0, 0.0], flat).expect("finite");
    assert_eq!((c.distance, c.point), (1.0, [3.0, 0.0, 0.0]));
    // Parallel segments meet in the middle of their overlap; without one, at their ends.
    let s = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]];
    let c = distance_segment_segment(s, [[9.0, 1.0, 0.0], [2.0, 1.0, 0.0]]).expect("finite");
    assert_eq!((c.distance, c.point_a, c.point_b), (1.0, [3.0, 0.0, 0.0], [3.0, 1.0, 0.0]));
    let c = distance_segment_segment(s, [[7.0, 4.0, 0.0], [9.0, 4.0, 0.0]]).expect("finite");
    assert_eq!((c.distance, c.feature_a, c.feature_b), (5.0, Feature::Vertex1, Feature::Vertex0));
    let c = distance_segment_segment(s, [[-9.0, 4.0, 0.0], [-3.0, 4.0, 0.0]]).expect("finite");
    assert_eq!((c.distance, c.feature_a, c.feature_b), (5.0, Feature::Vertex0, Feature::Vertex1));
}

#[test]
fn the_triangle_kernel_agrees() {
    let mut random = Random(11);
    for i in 0..20_000 {
        let [p, a, b] = points(&mut random, i);
        let want = closest_points_one([p; 3], [a, b, b]).expect("finite").distance;
        let c = distance_point_segment(p, [a, b]).expect("finite");
        assert!((c.distance - want).abs() < 2e-15, "{i} {} {want}", c.distance);

        let [a, b, c, d] = points(&mut random, i);
        let (s, t) = if i % 3 == 0 { ([a, d], [b, c]) } else { ([a, b], [c, d]) };
        let want = closest_points_one([s[0], s[1], s[1]], [t[0], t[1], t[1]]).expect("finite").distance;
        let c = distance_segment_segment(s, t).expect("finite");
        assert!((c.distance - want).abs() < 2e-15, "{i} {} {want}", c.distance);

        let p = [0; 3].map(|_| 2.0 * random.next() - 1.0);
        let t: [Point; 3] = points(&mut random, i);
        let p = if i % 2 == 0 { p } else { mix([p, t[0], t[1], t[2]], [1e-6, 0.3, 0.3, 0.4 - 1e-6]) };
        let want = closest_points_one([p; 3], t).expect("finite").distance;
        let c = distance_point_triangle(p, t).expect("finite");
        assert!((c.distance - want).abs() < 2e-15, "{i} {} {want}", c.distance);
    }
}

#[test]
fn points_lie_where_they_say_and_no_sample_is_nearer() {
    let mut random = Random(12);
    for i in 0..2_000 {
        let [a, b, c, d] = points(&mut random, i);
        let near = distance_segment_segment([a, b], [c, d]).expect("finite");
        let (s, t) = (near.parameter_a, near.parameter_b);
        assert!(length(near.point_a, mix([a, b], [1.0 - s, s])) < 1e-15);
        assert!(length(near.point_b, mix([c, d], [1.0 - t, t])) < 1e-15);
        assert!((length(near.point_a, near.point_b) - near.distance).abs() < 1e-15);
        let on_a = distance_point_segment(near.point_b, [a, b]).expect("finite");
        assert!((on_a.distance - near.distance).abs() < 1e-15);
        for _ in 0..20 {
            let (x, y) = (random.next(), random.next());
            let sample = length(mix([a, b], [1.0 - x, x]), mix([c, d], [1.0 - y, y]));
            assert!(near.distance <= sample + 1e-15);
        }

        let near = distance_point_triangle(d, [a, b, c]).expect("finite");
        assert!(length(near.point, mix([a, b, c], near.weights)) < 1e-15);
        assert!((length(near.point, d) - near.distance).abs() < 1e-15);
        assert!(near.weights.iter().all(|w| (-1e-15..=1.0 + 1e-15).contains(w)), "{:?}", near.weights);
        for _ in 0..20 {
            let (x, y) = (random.next(), random.next());
            let (x, y) = if x + y > 1.0 { (1.0 - x, 1.0 - y) } else { (x, y) };
            assert!(near.distance <= length(d, mix([a, b, c], [1.0 - x - y, x, y])) + 1e-15);
        }
    }
}

#[test]
fn single_precision_keeps_its_digits() {
    let mut random = Random(13);
    for i in 0..20_000 {
        let p: [Point; 4] = points(&mut random, i);
        let p = p.map(|v| v.map(|x| x as f32));
        let wide = p.map(|v| v.map(f64::from));
        let close = |x: f32, y: f64| assert!((f64::from(x) - y).abs() < 1e-6, "{i} {x} {y} {p:?}");
        let want = distance_point_segment(wide[0], [wide[1], wide[2]]).expect("finite").distance;
        close(distance_point_segment(p[0], [p[1], p[2]]).expect("finite").distance, want);
        let want = distance_segment_segment([wide[0], wide[1]], [wide[2], wide[3]]).expect("finite").distance;
        close(distance_segment_segment([p[0], p[1]], [p[2], p[3]]).expect("finite").distance, want);
        let want = distance_point_triangle(wide[0], [wide[1], wide[2], wide[3]]).expect("finite").distance;
        close(distance_point_triangle(p[0], [p[1], p[2], p[3]]).expect("finite").distance, want);
    }
}

#[test]
fn powers_of_two_scale_everything() {
    let mut random = Random(14);
    for i in 0..200 {
        let p: [Point; 4] = points(&mut random, i);
        let [c, s, t] = [1.0, 2f64.powi(900), 2f64.powi(-900)].map(|scale| {
            let [a, b, c, d] = p.map(|v| v.map(|x| x * scale));
            let near = distance_segment_segment([a, b], [c, d]).expect("finite");
            let on = distance_point_triangle(a, [b, c, d]).expect("finite");
            (near.distance / scale, near.parameter_a, near.feature_b, on.distance / scale, on.weights)
        });
        assert_eq!(c, s);
        assert_eq!(c, t);
    }
    let huge = [f64::MAX; 3];
    assert_eq!(distance_point_segment(huge, [huge, huge]).map(|c| c.distance), Ok(0.0));
}

#[test]
fn a_number_that_is_not_finite_is_named() {
    fn check<T: Accuracy>(bad: T) {
        let p = [T::default(); 3];
        let q = [T::default(), bad, T::default()];
        let not = |what, index| Error::new(Kind::NotFinite, what).at(index, 1);
        assert_eq!(distance_point_segment(q, [p, p]).map(|_| ()), Err(not(What::Points, 0)));
        assert_eq!(distance_point_segment(p, [p, q]).map(|_| ()), Err(not(What::SegmentsA, 1)));
        assert_eq!(distance_segment_segment([p, p], [p, q]).map(|_| ()), Err(not(What::SegmentsB, 1)));
        assert_eq!(distance_point_triangle(p, [p, p, q]).map(|_| ()), Err(not(What::Triangles, 2)));
    }
    check(f64::NAN);
    check(f32::INFINITY);
    assert!(Real::is_finite(1.0f64));
}
