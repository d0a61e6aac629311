//! Balls and capsules on bad meshes: the force is that of the clean mesh, or the contact is flagged; and it is bounded.

use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::contact::{Body, at, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{all, capsule, placed, sphere, surface};
use dem_tests::vector::{add, length, scale, sub};

const HALO: f64 = 0.03;

fn turned([a, b, c]: Triangle) -> Triangle {
    [a, c, b]
}

/// The same cube with a defect at every triangle in turn, on its surface.
fn spoiled() -> Vec<(&'static str, Vec<Triangle>)> {
    let unit = cuboid([1.0; 3]);
    let mut bad = Vec::new();
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
                for _ in 0..40 {
                    let pose = at(random.in_cube(0.72), random.rotation());
                    let found = |on| all(&placed(round, &pose), &placed(Shape::Mesh(on), &Pose::IDENTITY)).0;
                    let (truth, told) = (found(&clean), found(&bad));
                    assert!(truth.iter().all(|c| c.status & (status::OPEN | status::UNSURE) == 0), "{truth:?}");
                    let (expected, got) = (force(&truth), force(&told));
                    let is_right = length(sub(expected, got)) <= 1e-3 * length(expected);
                    let is_flagged = told.iter().any(|c| c.status & (status::OPEN | status::UNSURE) != 0);
                    assert!(
                        is_right || is_flagged || told.is_empty() && name == "a hole",
                        "{name}: {expected:?} {got:?} {told:?}"
                    );
                    assert!(length(got) <= 4.0 * length(expected) + 0.3, "{name}: {expected:?} {got:?}");
                    if is_right { right += 1 } else { flagged += 1 }
                }
            }
        }
        println!("{right} right, {flagged} flagged");
        assert!(right > 1000 && flagged > 100);
    }
}
