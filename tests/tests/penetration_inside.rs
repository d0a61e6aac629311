//! Bodies inside each other, wholly or in part, and open surfaces: directions that separate them, and continuity.

use dem_core::contact::status;
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::contact::{Body, HALO, at, cuboid, soup};
use dem_tests::deep::{ball, deep, find, moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::vector::{add, dot, length, scale, sub};
use dem_tests::{Triangle, walls};

/// T of the other bodies.
const REACH: f64 = 2.0 * HALO;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

#[test]
fn surfaces_that_do_not_close_are_separated_and_tell_so() {
    let (unit, sheet) = (Body::facing(&cuboid([1.0; 3]), HALO), Body::facing(&walls::regular(4, 1.0), HALO));
    let one = |a: &Body, pose: Pose, b: &Body| {
        let list = find(a, &pose, b, &Pose::IDENTITY, false).0;
        let [c] = deep(&list)[..] else { panic!("{list:?}") };
        assert!(length(sub(c.normal, [0.0, 0.0, 1.0])) < 1e-9, "{c:?}");
        *c
    };
    // A box over the rim and over a corner of a sheet, by half and by a quarter.
    let rim = one(&unit, at([1.0, 0.1, 0.48], NONE), &sheet);
    assert!((rim.area - 0.5).abs() < 1e-9 && (rim.gap + 0.02).abs() < 1e-9 && rim.status == 7, "{rim:?}");
    assert!(length(sub(rim.position, [0.75, 0.1, 0.0])) < 1e-9, "{rim:?}");
    let corner = one(&unit, at([1.0, 1.0, 0.48], NONE), &sheet);
    assert!(
        corner.area > 0.1 && corner.area < 0.3 && (corner.gap + 0.02).abs() < 1e-9 && corner.status == 7,
        "{corner:?}"
    );
    // Sheet through sheet, and a box through a sheet with two sides.
    let upright = turn([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2);
    let plates = one(&sheet, at([0.0, 0.3, 0.9], upright), &sheet);
    assert!((plates.gap + 0.1).abs() < 1e-9 && plates.status == 15, "{plates:?}");
    let back = turned_over(&walls::regular(4, 1.0));
    let two = Body::facing(&[walls::regular(4, 1.0), back].concat(), HALO);
    let sides = one(&unit, at([0.0, 0.0, 0.4], NONE), &two);
    assert!((sides.gap + 0.1).abs() < 1e-9 && sides.status == 11, "{sides:?}");
    // Copies count once.
    let twice = Body::facing(&[cuboid([1.0; 3]), cuboid([1.0; 3])].concat(), HALO);
    let pose = at([0.1, 0.2, 0.9], turn([0.6, 0.8, 0.0], 0.1));
    let (once, copies) =
        (find(&unit, &pose, &unit, &Pose::IDENTITY, false), find(&twice, &pose, &twice, &Pose::IDENTITY, false));
    assert!(length(once.1.minus(&copies.1).force) < 1e-9 * length(once.1.force), "{:?} {:?}", once.1, copies.1);
}

/// Two closed parts in one mesh that share a vertex and lie in each other, in a wall: they have the contacts that they have next to each other.
#[test]
fn parts_that_share_a_vertex_are_both_inside() {
    let cube = moved(&cuboid([1.0; 3]), [0.5, 0.5, 0.4]);
    let low = 0.4 - 0.5;
    let v = [[0.0, 0.0, low], [1.0, 0.2, low], [0.2, 1.0, low], [1.0, 1.0, 1.0]];
    assert!(cube.iter().flatten().any(|corner| *corner == v[0]));
    let tetrahedron = [[2, 1, 0], [1, 3, 0], [3, 2, 0], [1, 2, 3]].map(|t| t.map(|i| v[i]));
    let wall = Body::new(&moved(&cuboid([10.0, 10.0, 1.0]), [0.0, 0.0, -0.5]), 0.01);
    let world = at([0.3, -0.2, 0.1], turn([0.6, 0.0, 0.8], 0.7));
    for pose in [Pose::IDENTITY, world] {
        let sum = |parts: [&[Triangle]; 2]| {
            let body = Body::new(&parts.concat(), 0.01);
            let [there, back] = [[&body, &wall], [&wall, &body]].map(|[a, b]| find(a, &pose, b, &pose, false).1);
            assert!(length(add(there.force, back.force)) < 1e-9 * length(there.force), "{there:?} {back:?}");
            there
        };
        let apart = sum([&cube, &moved(&tetrahedron, [1e-9, 0.0, 0.0])]);
        for parts in [[&cube[..], &tetrahedron], [&tetrahedron, &cube]] {
            let off = sum(parts).minus(&apart);
            assert!(length(off.force) < 1e-6 * length(apart.force), "{off:?} {apart:?}");
            assert!(length(off.torque) < 1e-6 * length(apart.force), "{off:?} {apart:?}");
        }
    }
}

#[test]
fn an_inverted_box_contains_bodies_as_a_room_does() {
    let (unit, room) = (Body::new(&cuboid([1.0; 3]), HALO), Body::new(&turned_over(&cuboid([3.0; 3])), HALO));
    let pose = at([1.1, 0.0, 0.2], turn([0.6, 0.8, 0.0], 1e-3));
    let list = find(&unit, &pose, &room, &Pose::IDENTITY, false).0;
    let [c] = deep(&list)[..] else { panic!("{list:?}") };
    assert!(length(sub(c.normal, [-1.0, 0.0, 0.0])) < 1e-3 && (c.gap + 0.1).abs() < 1e-3, "{c:?}");
    // Two by mistake come apart all the same.
    let inverted = Body::new(&turned_over(&cuboid([1.0; 3])), HALO);
    let (_, sum) = find(&inverted, &at([0.1, 0.0, 0.9], NONE), &inverted, &Pose::IDENTITY, false);
    assert!(sum.force[2] > 0.5, "{sum:?}");
}

#[test]
fn a_body_inside_of_a_solid_has_to_come_out() {
    [Body::facing, Body::conservative].into_iter().for_each(comes_out);
}

/// By the law of volumes the halo of a small body reaches out of a surface from inside, and is drawn out: half of the pressure of the gap, with a rim.
#[test]
fn a_surface_draws_out_what_is_near_it_from_inside() {
    let pose = at([0.22, 0.1, 0.0], NONE);
    for (make, least, most) in [
        (Body::facing as fn(&[Triangle], f64) -> Body, 0.0, 0.0),
        (Body::conservative as fn(&[Triangle], f64) -> Body, 1.0, 1.25),
    ] {
        let (large, small) = (make(&cuboid([1.0; 3]), HALO), make(&cuboid([0.5; 3]), HALO));
        let [x, y, z] = find(&small, &pose, &large, &Pose::IDENTITY, false).1.force;
        let part = x / (0.5 * (1.0 - 0.03 / REACH) * 0.25);
        assert!((least..=most).contains(&part) && y.abs() + z.abs() < 1e-12, "{part} {y} {z}");
    }
}

fn comes_out(make: fn(&[Triangle], f64) -> Body) {
    let (large, small) = (make(&cuboid([1.0; 3]), HALO), make(&cuboid([0.5; 3]), HALO));
    // Farther than T from all sides.
    let pose = at([0.14, 0.1, 0.0], NONE);
    for (inside, outside, sign) in
        [((&small, &pose), (&large, &Pose::IDENTITY), 1.0), ((&large, &Pose::IDENTITY), (&small, &pose), -1.0)]
    {
        let list = find(inside.0, inside.1, outside.0, outside.1, true).0;
        assert!(find(inside.0, inside.1, outside.0, outside.1, false).0.is_empty(), "surfaces are not solid");
        let [c] = list[..] else { panic!("{list:?}") };
        assert!(c.status & status::CONTAINED != 0 && c.normal == [sign, 0.0, 0.0], "{c:?}");
        assert!((c.gap + 0.61).abs() < 1e-12 && (c.area - 0.125 / 0.66).abs() < 1e-9, "{c:?}");
        assert!(length(sub(c.position, pose.position)) < 1e-12, "{c:?}");
    }
    for (a, b) in [(&large, &large), (&small, &large)] {
        let list = find(a, &Pose::IDENTITY, b, &Pose::IDENTITY, true).0;
        // By the law of volumes faces that lie in each other have a rounding's worth at their rims.
        let main: Vec<_> = list.iter().filter(|c| c.share > 1e-9).copied().collect();
        let [c] = main[..] else { panic!("{list:?}") };
        assert!((length(c.normal) - 1.0).abs() < 1e-12 && c.gap < -0.5, "{c:?}");
    }
    // Beside it, the same faces touch from outside.
    let list = find(&small, &at([0.75, 0.0, 0.0], NONE), &large, &Pose::IDENTITY, true).0;
    assert!(deep(&list).is_empty() && !list.is_empty(), "{list:?}");
}

#[test]
fn a_ball_that_sinks_into_a_solid_feels_no_jump_when_it_is_in() {
    let (stone, block) = (Body::facing(&sized(&ball(2), 0.3), HALO), Body::facing(&cuboid([3.0; 3]), HALO));
    let with = |z: f64| find(&stone, &at([0.1, 0.2, z], turn([0.6, 0.8, 0.0], 1.0)), &block, &Pose::IDENTITY, true);
    let (mut before, mut contained) = (with(1.9).1, false);
    for k in 0..450 {
        let (list, now) = with(1.9 - 0.002 * k as f64);
        contained |= list.iter().any(|c| c.status & status::CONTAINED != 0);
        let change = now.minus(&before);
        // No more than the cross-section over T.
        assert!(length(change.force) < 1.5 * 0.3 * 0.3 * std::f64::consts::PI / REACH * 0.002, "{k}: {change:?}");
        // While its top closes, the area falls faster than the volume grows, for a moment.
        assert!(now.force[2] >= 0.99 * before.force[2], "{k}: {now:?} {before:?}");
        before = now;
    }
    assert!(contained);
}

/// What two bodies that are symmetric about their middles have in common shrinks when these go apart, so the force has to be that way.
#[test]
fn the_force_keeps_its_sign_until_the_middles_have_passed() {
    let mut random = Random::new(12);
    for case in 0..24 {
        let mut any = |round: bool| {
            let size = [0; 3].map(|_| random.range(0.5, 1.5));
            let stretched = |v: [f64; 3]| [0, 1, 2].map(|k| 0.5 * size[k] * v[k]);
            let ellipsoid = || ball(2).iter().map(|t| t.map(stretched)).collect::<Vec<_>>();
            Body::new(&if round { ellipsoid() } else { cuboid(size) }, HALO)
        };
        let (a, b) = (any(case % 2 == 1), any(case % 3 == 1));
        let (turn_a, turn_b, way) = (random.rotation(), random.rotation(), random.direction());
        for step in 1..30 {
            let apart = scale(0.05 * f64::from(step), way);
            let (_, sum) = find(&a, &at(apart, turn_a), &b, &at([0.0; 3], turn_b), true);
            assert!(sum.force == [0.0; 3] || dot(sum.force, way) > 0.0, "{case} {step}: {sum:?}");
        }
    }
}

#[test]
fn bodies_that_begin_inside_each_other_come_apart() {
    let mut random = Random::new(3);
    for trial in 0..12 {
        let mut any = || match random.below(3) {
            0 => cuboid([0; 3].map(|_| random.range(0.3, 1.5))),
            1 => sized(&ball(2), random.range(0.2, 0.8)),
            _ => sized(&soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.2, trial).unwrap()), 0.6),
        };
        let (a, b) = (Body::new(&any(), HALO), Body::new(&any(), HALO));
        let (mut pose, other) = (at(random.in_cube(0.3), random.rotation()), at([0.0; 3], random.rotation()));
        let mut apart = false;
        for _ in 0..1000 {
            let (list, sum) = find(&a, &pose, &b, &other, true);
            apart = deep(&list).is_empty();
            if apart {
                break;
            }
            // Overdamped, in steps of one length.
            pose.position = add(pose.position, scale(0.005 / length(sum.force).max(1e-30), sum.force));
        }
        assert!(apart, "{trial}: {pose:?}");
    }
}
