//! Regression tests, each named by its symptom.

use dem_core::contact::least_gap;
use dem_core::contact::shape::Shape;
use dem_core::pose::Pose;
use dem_tests::contact::{Body, at, carried, cuboid, wrench};
use dem_tests::deep::{ball, deep, find, moved, turn};
use dem_tests::random::Random;
use dem_tests::shapes::{all, ground, placed, point_wrench, sphere, surface};
use dem_tests::vector::length;
use dem_tests::{Triangle, walls};

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// A box with its top at z = 1: of twelve triangles, of many, or of many needles.
fn block(half: f64, cut: &str) -> Vec<Triangle> {
    let whole = moved(&cuboid([2.0 * half, 2.0 * half, 1.0]), [0.0, 0.0, 0.5]);
    let mean = |weights: [f64; 3], t: &Triangle| {
        [0, 1, 2].map(|k| weights[0] * t[0][k] + weights[1] * t[1][k] + weights[2] * t[2][k])
    };
    let quarters = |t: &Triangle| {
        let [a, b, c] = *t;
        let [ab, bc, ca] = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]].map(|w| mean(w, t));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    let needles = |t: &Triangle| {
        let ([a, b, c], inside) = (*t, mean([0.5 - 0.5f64.powi(12), 0.5, 0.5f64.powi(12)], t));
        [[a, b, inside], [b, c, inside], [c, a, inside]]
    };
    match cut {
        "many" => whole.iter().flat_map(quarters).collect::<Vec<_>>().iter().flat_map(quarters).collect(),
        "needles" => whole.iter().flat_map(needles).collect(),
        _ => whole,
    }
}

/// Both orders of the bodies: the least gap, which has to be the same in every bit.
fn both_orders(lower: &Body, upper: &Body, world: &Pose, shift: [f64; 3], tilt: [f64; 4]) -> f64 {
    let pose = carried(world, &at(shift, tilt));
    let there = least_gap(&find(upper, &pose, lower, world, true).0);
    let back = least_gap(&find(lower, world, upper, &pose, true).0);
    assert_eq!(there.to_bits(), back.to_bits(), "{shift:?}");
    there
}

#[test]
fn the_least_gap_of_a_box_that_hangs_over_is_its_depth() {
    let shifts = [0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.25, 0.5, 0.9];
    let mut random = Random::new(5);
    let upper = Body::new(&block(0.5, "plain"), 0.01);
    for (half, top) in [(0.5, "plain"), (2.0, "plain"), (0.5, "many"), (2.0, "needles"), (0.5, "needles")] {
        let lower = Body::new(&block(half, top), 0.01);
        for depth in [1e-6, 1e-3, 0.01, 0.08] {
            for (i, x) in shifts.into_iter().enumerate() {
                for y in [0.0, x, shifts[i / 2], -x] {
                    let world = if i % 2 == 0 { Pose::IDENTITY } else { at(random.in_cube(2.0), random.rotation()) };
                    let shift = [x, y, 1.0 - depth];
                    let gap = both_orders(&lower, &upper, &world, shift, NONE);
                    assert!((gap / -depth - 1.0).abs() < 1e-6 + 1e-11 / depth, "{half} {top} {shift:?}: {gap}");
                }
            }
        }
    }
}

#[test]
fn the_least_gap_does_not_jump_when_a_box_moves_over_an_edge_or_a_corner() {
    let (lower, upper) = (Body::new(&block(0.5, "many"), 0.01), Body::new(&block(0.5, "plain"), 0.01));
    let mut sunk = 0;
    for (angle, axis) in
        [(0.0, [0.0, 0.0, 1.0]), (1e-3, [0.0, 1.0, 0.0]), (0.02, [0.6, 0.8, 0.0]), (0.3, [0.0, 0.0, 1.0])]
    {
        for (way, from) in [([1.0, 0.0], [-0.02, 0.1]), ([0.6, 0.8], [-0.012, -0.016]), ([1.0, 1.0], [0.9, 0.9])] {
            let at = |s: f64| {
                let shift = [from[0] + s * way[0], from[1] + s * way[1], 0.97];
                both_orders(&lower, &upper, &Pose::IDENTITY, shift, turn(axis, angle))
            };
            let (mut before, mut last) = (at(0.0), 0.0);
            let fine = [1e-12, 1e-10, 1e-8, 1e-6].into_iter().flat_map(|e| [0.02 - e, 0.02, 0.02 + e]);
            let mut steps: Vec<f64> = (1..240).map(|k| 5e-4 * f64::from(k)).chain(fine).collect();
            steps.sort_by(f64::total_cmp);
            for s in steps {
                let now = at(s);
                if !now.is_finite() {
                    break;
                }
                sunk += usize::from(now < -0.02);
                assert!((now - before).abs() < 8.0 * (s - last) + 1e-10, "{angle} {way:?} {s}: {before} to {now}");
                (before, last) = (now, s);
            }
        }
    }
    assert!(sunk > 1500, "{sunk}");
}

#[test]
fn the_point_law_does_not_know_how_many_triangles_a_ball_has() {
    let halo = 0.02;
    let wall = Body::new(&moved(&cuboid([4.0, 4.0, 1.0]), [0.0, 0.0, -0.5]), halo);
    for level in [2, 3, 4] {
        let mesh = ball(level);
        let body = Body::new(&mesh, halo);
        let lowest = mesh.iter().flatten().fold(f64::MAX, |m, v| m.min(v[2]));
        for gap in [0.03, 0.02, 0.01, 0.001] {
            let list = find(&body, &at([0.1, 0.2, gap - lowest], NONE), &wall, &Pose::IDENTITY, true).0;
            assert!((least_gap(&list) - gap).abs() < 1e-12, "{level} {gap}");
            let force = point_wrench(&list, [0.0; 3]).force[2] / (1.0 - gap / (2.0 * halo));
            assert!((force - 1.0).abs() < 5e-3, "{level} {gap}: {force} of {} contacts", list.len());
        }
    }
}

#[test]
fn without_halos_laws_are_finite() {
    let boxes = [Body::new(&block(0.5, "plain"), 0.0), Body::new(&block(0.5, "many"), 0.0)];
    let (ball, floor) = (sphere(1.0, 0.0), ground(0.0));
    let [lower, upper] = [surface(&boxes[0], true), surface(&boxes[1], true)];
    let mesh = [Shape::Mesh(&lower), Shape::Mesh(&upper)];
    for depth in [1e-6, 1e-3, 0.05] {
        // Shapes, how far their centres are apart along z where they touch, and the volume enclosed where that is known.
        let cases = [
            (mesh[1], mesh[0], 1.0, Some(0.75 * depth)),
            (ball, ball, 2.0, None),
            (ball, floor, 1.0, None),
            (mesh[1], floor, 0.0, Some(depth)),
            (ball, mesh[0], 2.0, None),
        ];
        for (i, (a, b, apart, volume)) in cases.into_iter().enumerate() {
            let list = |x: f64, z: f64| all(&placed(a, &at([x, 0.0, z], NONE)), &placed(b, &Pose::IDENTITY)).0;
            assert_eq!(list(0.25, apart + 1e-3), [], "{i}");
            let list = list(if i == 0 { 0.25 } else { 0.0 }, apart - depth);
            let pressure: f64 = list.iter().map(|c| (c.halo - c.gap) * c.area).sum();
            let point: f64 = list.iter().map(|c| (c.halo - least_gap(&list)) * c.share).sum();
            assert!(pressure > 0.0 && pressure.is_finite(), "{i} {depth}: {list:?}");
            assert!((point / depth - 1.0).abs() < 1e-5, "{i} {depth}: {point}");
            assert!(volume.is_none_or(|v| (pressure / v - 1.0).abs() < 1e-2), "{i} {depth}: {pressure} {volume:?}");
        }
    }
}

/// What the header promises of any call, beside what the thread itself takes.
const STACK: usize = 64 << 10;

#[test]
#[cfg_attr(miri, ignore)]
fn contacts_of_bodies_in_each_other_take_no_more_than_64_kib_of_stack() {
    let run = || {
        let (a, b) = (Body::new(&ball(2), 0.02), Body::new(&block(0.5, "needles"), 0.02));
        let (list, _) = find(&a, &at([0.3, 0.2, 1.5], NONE), &b, &Pose::IDENTITY, true);
        deep(&list).len()
    };
    // An overflow ends the program.
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap();
    assert!(thread.join().unwrap() > 0);
}

#[test]
fn a_pebble_on_a_mesh_of_a_million_triangles_feels_what_it_feels_on_two() {
    let pebble = sphere(1e-3, 1e-4);
    let force = |cells: usize| {
        let ground = Body::new(&walls::regular(cells, 0.5), 1e-4);
        let ground = surface(&ground, false);
        let pose = at([0.123, 0.0871, 1.05e-3], NONE);
        let list = all(&placed(pebble, &pose), &placed(Shape::Mesh(&ground), &Pose::IDENTITY)).0;
        (point_wrench(&list, pose.position), wrench(&list, pose.position))
    };
    let (few, many) = (force(1), force(708));
    for (few, many) in [(few.0, many.0), (few.1, many.1)] {
        assert!(length(few.force) > 0.0);
        assert!(length(few.minus(&many).force) < 1e-9 * length(few.force), "{few:?} {many:?}");
    }
}
