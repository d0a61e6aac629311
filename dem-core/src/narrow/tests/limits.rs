//! Tests of queries at the threshold, and at the ends of the range of numbers.

use super::*;
use crate::real::min;

#[test]
fn a_pair_exactly_at_the_threshold_counts_and_the_next_number_below_does_not() {
    let mut random = Random(12);
    let a = Body::new(&bumpy(&mut random, 4, 1.0, true), Halo::Uniform(0.0), Scalar::F64);
    let b = Body::new(&bumpy(&mut random, 4, 1.0, true), Halo::Uniform(0.0), Scalar::F64);
    for k in 0..6 {
        let (pa, pb) = (pose(&mut random, [0.0; 3]), pose(&mut random, [2.2 + 0.1 * k as f64, 0.3, 0.1]));
        let (a, b) = (a.at(&pa), b.at(&pb));
        let all = run(Isa::best(), &a, &b, 1.0, 100_000).expect("pairs");
        let pair = all[all.len() / 2];
        let at = run(Isa::best(), &a, &b, pair.distance, 100_000).expect("pairs");
        assert!(at.contains(&pair));
        let below = run(Isa::best(), &a, &b, pair.distance.next_down(), 100_000).expect("pairs");
        assert!(!below.contains(&pair) && below.len() < at.len());
    }
}

#[test]
fn a_pair_within_1e_12_of_the_threshold_is_told_from_it_whatever_the_sizes() {
    let mut random = Random(19);
    let mut told = 0;
    for k in 0..48 {
        let (one, other) = ([1.0, 1.0, 1e-6][k % 3], [1.0, 1e-6, 1.0][k % 3]);
        let a = Body::new(&bumpy(&mut random, 5, one, k % 2 == 0), Halo::Uniform(0.0), Scalar::F64);
        let b = Body::new(&bumpy(&mut random, 3, other, k % 2 == 0), Halo::Uniform(0.0), Scalar::F64);
        let away = if k % 5 == 0 { 1e6 } else { 0.0 };
        let pa = pose(&mut random, [away, 0.0, 0.0]);
        let mut pb = pose(&mut random, [away + 1.7 * (one + other), 0.3 * one, 0.0]);
        let scratch = memory(distance_scratch(&a.at(&pa), &b.at(&pb)).expect("scratch").size);
        let mut nearest = |pb: &Pose| {
            let found = min_distance(Isa::best(), &a.at(&pa), &b.at(pb), f64::INFINITY, scratch);
            found.expect("distance").expect("a pair")
        };
        // Move along the shortest connection until the rest is a seventh to 1e-7 of the smaller body.
        let start = nearest(&pb);
        let left = min(one, other) * libm::pow(10.0, -((k % 7 + 1) as f64));
        if start.distance < 2.0 * left {
            continue;
        }
        let step = 1.0 - left / start.distance;
        pb.position = [0, 1, 2].map(|c| pb.position[c] - (start.point_b[c] - start.point_a[c]) * step);
        let pair = nearest(&pb);
        if pair.distance == 0.0 {
            continue;
        }
        told += 1;
        let scratch = memory(distance_scratch(&a.at(&pa), &b.at(&pb)).expect("scratch").size);
        for (margin, counts) in [(1.0, true), (1.0 + 1e-12, true), (1.0 - 1e-12, false)] {
            let margin = pair.distance * margin;
            for isa in Isa::list() {
                let (a, b) = (a.at(&pa), b.at(&pb));
                let found = run(*isa, &a, &b, margin, 1000).expect("pairs");
                assert_eq!(found.iter().any(|p| key(p.a, p.b) == key(pair.a, pair.b)), counts, "{} {k}", isa.name());
                assert_eq!(any_pair(*isa, &a, &b, margin, scratch), Ok(counts), "{} {k}", isa.name());
                let within = min_distance(*isa, &a, &b, margin, scratch).expect("distance");
                assert_eq!(within, counts.then_some(pair), "{} {k}", isa.name());
            }
        }
    }
    assert!(told > 40, "{told}");
}

#[test]
fn queries_equal_brute_force_at_the_ends_of_single_precision() {
    let mut random = Random(18);
    let (one, other) = (bumpy(&mut random, 4, 1.0, true), bumpy(&mut random, 3, 1.0, true));
    // Sizes below the smallest f32, and the largest sizes for which a tree is built; then bodies so far apart that squares of distances overflow.
    for (size, apart) in [
        (-1000, 0.0),
        (-200, 0.0),
        (-148, 0.0),
        (-128, 0.0),
        (-100, 0.0),
        (-64, 0.0),
        (58, 0.0),
        (58, 10.0),
        (58, 30.0),
        (58, 60.0),
        (58, 1000.0),
    ] {
        let unit = libm::ldexp(1.0, size);
        let scaled = |v: &[[f64; 3]]| v.iter().map(|p| p.map(|x| x * unit)).collect::<Vec<_>>();
        let [a, b] = [&one, &other].map(|v| Body::new(&scaled(v), Halo::Uniform(0.01 * unit), Scalar::F64));
        let pa = pose(&mut random, [0.0; 3]);
        let pb = pose(&mut random, [1.9, 0.3, 0.1].map(|x| (1.0 + apart) * x * unit));
        let (a, b) = (a.at(&pa), b.at(&pb));
        assert!(check(&a, &b, (0.3 + 1.93 * apart) * unit) > 20, "{size} {apart}");
        check(&a, &b, 0.0);
    }
}

#[test]
fn bodies_that_are_far_apart_are_told_apart_at_every_scale() {
    let mut random = Random(16);
    let a = Body::new(&bumpy(&mut random, 2, 1.0, false), Halo::Uniform(0.01), Scalar::F64);
    let off: Vec<[f64; 3]> = bumpy(&mut random, 2, 1.0, false).iter().map(|p| [p[0] + 50.0, p[1], p[2]]).collect();
    let b = Body::new(&off, Halo::Uniform(0.01), Scalar::F64);
    let identity = Pose::IDENTITY;
    let at = |x: f64, orientation: [f64; 4]| Pose { position: [x, 0.0, 0.0], orientation };
    let far = |pose: &Pose, margin: f64| crate::narrow::frame::far_apart(&a.at(&identity), &b.at(pose), margin);
    let straight = [0.0, 0.0, 0.0, 1.0];
    assert_eq!(far(&at(0.0, straight), 0.0), Ok(true));
    assert_eq!(far(&at(-50.0, straight), 0.0), Ok(false));
    // Half a turn about z, by quaternions of any length, takes B to the other side.
    for length in [1.0, 1e-100, 1e100] {
        assert_eq!(far(&at(50.0, [0.0, 0.0, length, 0.0]), 0.0), Ok(false));
        assert_eq!(far(&at(-50.0, [0.0, 0.0, length, 0.0]), 0.0), Ok(true));
    }
    for length in [1e200, 1e-200] {
        assert_eq!(far(&at(-50.0, [0.0, 0.0, length, 0.0]), 0.0), Ok(false), "left to the trees");
    }
    for x in [1e3, 1e100, 1e200, f64::MAX, -f64::MAX] {
        assert_eq!(far(&at(x, straight), 0.0), Ok(true), "{x}");
    }
    assert_eq!(far(&at(1e3, straight), f64::MAX), Ok(false));
    // It is never true if there is a pair.
    for k in 0..200 {
        let pose = Pose { position: [-48.0 + 0.02 * k as f64, 0.1, 0.0], orientation: straight };
        let margin = [0.0, 0.3][k % 2];
        let found = run(Isa::best(), &a.at(&identity), &b.at(&pose), margin, 200_000).expect("pairs").len();
        let all = brute(&a.at(&identity), &b.at(&pose));
        let want = all.iter().filter(|(_, d)| *d <= (0.01 + 0.01) + margin).count();
        assert_eq!(found, want);
    }
}

#[test]
fn sizes_that_no_tree_has_are_too_large_for_any_scratch() {
    let mut random = Random(17);
    let body = Body::new(&bumpy(&mut random, 1, 1.0, false), Halo::Uniform(0.0), Scalar::F64);
    let most = u32::MAX;
    for (depth, fan_out, roots) in [(most, most, most), (0, most, most)] {
        let sizes = TreeSizes { depth, fan_out, roots, ..body.tree.sizes };
        let tree = TreeRef { sizes, ..body.tree };
        let operand = Operand { tree, ..body.at(&Pose::IDENTITY) };
        let layouts = [
            pairs_scratch(&operand, &operand, usize::MAX),
            distance_scratch(&operand, &operand),
            self_intersections_scratch(&tree),
        ];
        assert!(layouts.iter().all(|layout| layout.is_err_and(|error| error.kind == Kind::TooLarge)), "{sizes:?}");
        // A single point needs only one stack.
        assert!(points_scratch(&operand).map_or_else(|error| error.kind == Kind::TooLarge, |layout| layout.size > 0));
        assert!(any_pair(Isa::best(), &operand, &operand, 0.0, &mut []).is_err());
    }
}
