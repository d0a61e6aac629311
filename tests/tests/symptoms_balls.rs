//! Balls and capsules on bad meshes: the force is that of the clean mesh, or the contact is flagged; and it is bounded.

use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::contact::{Body, at, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{all, capsule, placed, sphere, surface};
use dem_tests::vector::{add, length, rotate, scale, sub};

const HALO: f64 = 0.03;

fn turned([a, b, c]: Triangle) -> Triangle {
    [a, c, b]
}

/// The same cube with a defect at every triangle in turn, on its surface.
fn spoiled() -> Vec<(&'static str, Vec<Triangle>)> {
    let unit = cuboid([1.0; 3]);
    let mut bad = vec![("inside out", unit.iter().map(|t| turned(*t)).collect())];
    for i in 0..unit.len() {
        let with = |more: &[Triangle]| [&unit[..], more].concat();
        let mut flipped = unit.clone();
        flipped[i] = turned(unit[i]);
        let mut open = unit.clone();
        open.remove(i);
        bad.push(("a copy", with(&[unit[i]])));
        bad.push(("a copy and back", with(&[unit[i], turned(unit[i])])));
        bad.push(("turned over", flipped));
        bad.push(("a hole", open));
    }
    bad
}

fn force(contacts: &[Contact]) -> [f64; 3] {
    contacts.iter().fold([0.0; 3], |sum, c| add(sum, scale((1.0 - c.gap / c.halo) * c.area, c.normal)))
}

#[test]
fn balls_and_capsules_on_bad_solids_are_right_or_flagged() {
    let mut random = Random::new(11);
    for conservative in [false, true] {
        let made = |mesh: &[Triangle]| match conservative {
            true => Body::conservative(mesh, HALO),
            false => Body::facing(mesh, HALO),
        };
        let clean = made(&cuboid([1.0; 3]));
        let clean = surface(&clean, true);
        let (mut right, mut flagged) = (0, 0);
        for (name, bad) in spoiled() {
            let bad = made(&bad);
            let bad = surface(&bad, true);
            for round in [sphere(0.2, HALO), capsule(0.15, 0.1, HALO)] {
                let on = |mesh, pose: &Pose| all(&placed(round, pose), &placed(Shape::Mesh(mesh), &Pose::IDENTITY)).0;
                // No defect pushes twice as much as any pose on the clean cube.
                let most = (0..300)
                    .map(|_| length(force(&on(&clean, &at(random.in_cube(0.72), random.rotation())))))
                    .fold(0.0, f64::max);
                for _ in 0..40 {
                    let pose = at(random.in_cube(0.72), random.rotation());
                    let (truth, told) = (on(&clean, &pose), on(&bad, &pose));
                    // To a ball or an end of a capsule that is in it, a cube turned inside out is a room.
                    let half = if matches!(round, Shape::Capsule { .. }) { 0.15 } else { 0.0 };
                    let is_held = |z: f64| {
                        let end = add(pose.position, rotate(pose.orientation, [0.0, 0.0, z]));
                        end.iter().all(|x| x.abs() < 0.5)
                    };
                    if name == "inside out" && (is_held(half) || is_held(-half)) {
                        continue;
                    }
                    assert!(truth.iter().all(|c| c.status & (status::OPEN | status::UNSURE) == 0), "{truth:?}");
                    // A ball that is in a hole, or deeper than its halo below a triangle that is turned over, has no contact that could be flagged.
                    let may_be_lost = name == "a hole" || name == "turned over" || name == "inside out";
                    let (expected, got) = (force(&truth), force(&told));
                    let is_right = length(sub(expected, got)) <= 1e-3 * length(expected);
                    let is_flagged = told.iter().any(|c| c.status & (status::OPEN | status::UNSURE) != 0);
                    assert!(
                        is_right || is_flagged || told.is_empty() && may_be_lost,
                        "{name}: {expected:?} {got:?} {told:?}"
                    );
                    assert!(length(got) <= 2.0 * most, "{name}: {expected:?} {got:?} {most}");
                    if is_right { right += 1 } else { flagged += 1 }
                }
            }
        }
        println!("{right} right, {flagged} flagged");
        assert!(right > 1000 && flagged > 100);
    }
}
