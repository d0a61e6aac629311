//! Penetration against closed forms and an independent oracle.

use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;
use dem_tests::contact::{Body, HALO, all_contacts, at, carried, cuboid, soup, wrench_of};
use dem_tests::convex::{Common, common};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::vector::{dot, length, scale, sub};
use dem_tests::walls;

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;
/// T of the other bodies.
const REACH: f64 = 2.0 * HALO;

/// The contacts in which bodies penetrate.
fn deep(list: &[Contact]) -> Vec<&Contact> {
    list.iter().filter(|c| c.status & status::PENETRATING != 0).collect()
}

#[test]
fn convex_bodies_have_the_normal_volume_and_centre_of_what_they_have_in_common() {
    let mut random = Random::new(9);
    let mut seen = [0; 2];
    for seed in 0..200 {
        let a = cuboid([1.0, 0.8, 1.3]);
        let b = if seed % 2 == 0 { cuboid([0.7, 1.1, 0.6]) } else { soup(&generate::hull_sphere(30, seed).unwrap()) };
        let (pose_a, pose_b) = (at(random.in_cube(0.5), random.rotation()), at(random.in_cube(0.8), random.rotation()));
        let right: Common = common(&posed(&a, &pose_a), &posed(&b, &pose_b));
        if right.volume < 1e-6 {
            continue;
        }
        let area = length(right.area);
        let (a, b) = (Body::new(&a, THIN), Body::new(&b, THIN));
        let (list, _) = all_contacts(Isa::best(), &a.side(&pose_a), &b.side(&pose_b));
        let deep = deep(&list);
        // Nearly all of the force is that of the volume, and each loop has its part of it.
        let force: f64 = deep.iter().map(|c| c.area * (1.0 - c.gap / c.halo)).sum();
        let volume = (force - area) * 2.0 * THIN;
        assert!((volume / right.volume - 1.0).abs() < 1e-5, "{seed}: {volume} {right:?}");
        seen[usize::from(deep.len() > 1)] += 1;
        if let [c] = deep[..] {
            let normal = scale(-1.0 / area, right.area);
            assert!(length(sub(c.normal, normal)) < 1e-6, "{seed}: {c:?} {normal:?}");
            assert!(length(sub(c.position, right.centre)) < 1e-6, "{seed}: {c:?} {right:?}");
            let along = right.points.iter().map(|v| dot(*v, normal));
            let [low, high] = along.fold([f64::MAX, f64::MIN], |[low, high], x| [x.min(low), x.max(high)]);
            assert!((c.least_gap + (high - low)).abs() < 1e-9, "{seed}: {c:?} {low} {high}");
            let depth = (right.volume / area).min(high - low);
            assert!((c.gap + depth).abs() < 1e-6 * depth + 1e-9, "{seed}: {c:?} {depth}");
        }
    }
    assert!(seen[0] > 100 && seen[1] > 20, "{seen:?}");
}

fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale((0.5 * angle).sin(), axis);
    [x, y, z, (0.5 * angle).cos()]
}

#[test]
fn a_box_sinks_into_a_wall_without_a_jump_whatever_its_tilt() {
    let boxed = Body::new(&cuboid([1.0, 0.6, 0.5]), HALO);
    let mut random = Random::new(2);
    for other in [walls::regular(1, 2.0), walls::irregular(500, 2.0, 3), cuboid([3.0, 3.0, 1.0])] {
        let top = other.iter().flatten().fold(f64::MIN, |m, v| m.max(v[2]));
        let wall = Body::new(&other, HALO);
        let world = at(random.in_cube(3.0), random.rotation());
        let pose_wall = carried(&world, &Pose::IDENTITY);
        for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2] {
            let with = |gap: f64| {
                let pose = carried(&world, &at([0.1, 0.05, top + 0.25 + gap], turn([0.6, -0.8, 0.0], tilt)));
                wrench_of(&boxed, &pose, &wall, &pose_wall, pose.position)
            };
            // Roundings of coordinates shift the line in which planes cross by so much, and a loop with it.
            let noise = 1e-11 + if tilt < 1e-10 { 0.0 } else { 4e-15 / tilt };
            let (mut before, mut last) = (with(1.1 * REACH), 1.1 * REACH);
            let steps = (-40..22).map(|k| k as f64 * 0.05 * REACH);
            let fine = [1e-8, 1e-10, 1e-13, 1e-14, 1e-15, 0.0];
            let mut gaps: Vec<f64> = steps.chain(fine.iter().flat_map(|x| [*x, -*x])).collect();
            gaps.sort_by(|x, y| y.total_cmp(x));
            for gap in gaps {
                let now = with(gap);
                let change = now.minus(&before);
                let rate = (length(change.force).max(length(change.torque)) - noise) / (last - gap).max(1e-300);
                // The stiffness of its base is 12.
                assert!(rate < 13.0, "tilt {tilt:e}, gap {gap:e} from {last:e}: {change:?}");
                // It never pushes less.
                assert!(length(now.force) > length(before.force) - noise, "tilt {tilt:e} gap {gap:e}");
                (before, last) = (now, gap);
            }
            // At -2 T.
            assert!((length(before.force) - 0.6 * 3.0).abs() < 2e-3, "{before:?}");
        }
    }
}
