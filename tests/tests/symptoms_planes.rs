//! Half-spaces and bad meshes: force and torque are those of the clean mesh, or the contact is flagged; and the force is bounded.

use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, Law, status};
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::bad::{boxed, flap, turned};
use dem_tests::contact::{Body, Wrench, at, cuboid, wrench};
use dem_tests::deep::{ball, moved, sized, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{all, ground, placed, surface};
use dem_tests::vector::length;

const HALO: f64 = 0.05;
const FLAGS: u32 = status::OPEN | status::UNSURE;
const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// The contacts of a mesh on the half-space, and their sum about its origin.
fn on(body: &Body, pose: &Pose, solid: bool) -> (Vec<Contact>, Wrench) {
    let mesh = surface(body, solid);
    let list = all(&placed(Shape::Mesh(&mesh), pose), &placed(ground(HALO), &Pose::IDENTITY)).0;
    let sum = wrench(&list, pose.position);
    (list, sum)
}

fn bits(list: &[Contact]) -> u32 {
    list.iter().fold(0, |bits, c| bits | c.status)
}

/// A mesh with a defect at every triangle in turn, and such of the whole.
fn spoiled(mesh: &[Triangle]) -> Vec<(&'static str, Vec<Triangle>)> {
    let low = |t: &Triangle| t.iter().all(|v| v[2] < 0.0 && v[2] == boxed(mesh)[0][2]);
    // A ring of triangles around the lower part has the edges that disagree.
    let below = |t: &Triangle| t.iter().all(|v| v[2] < 0.0);
    let mut bad = vec![
        ("inside out", turned_over(mesh)),
        ("doubled", [mesh, mesh].concat()),
        ("without base", mesh.iter().filter(|t| !low(t)).copied().collect()),
        ("lower part turned", mesh.iter().map(|t| if below(t) { turned(t) } else { *t }).collect()),
        ("inside out beside a sound one", [turned_over(mesh), moved(mesh, [1.5, 0.0, 0.0])].concat()),
        ("inside out with a hole", turned_over(&mesh[1..])),
    ];
    for i in 0..mesh.len() {
        let with = |more: &[Triangle]| [mesh, more].concat();
        let mut flipped = mesh.to_vec();
        flipped[i] = turned(&mesh[i]);
        let mut open = mesh.to_vec();
        open.remove(i);
        bad.push(("a copy", with(&[mesh[i]])));
        bad.push(("a copy and back", with(&[mesh[i], turned(&mesh[i])])));
        bad.push(("turned over", flipped));
        bad.push(("a hole", open));
    }
    bad
}

#[test]
fn half_spaces_below_bad_solids_are_right_or_flagged() {
    for clean in [cuboid([1.0; 3]), sized(&ball(1), 0.5)] {
        for make in [Body::new, Body::facing, Body::conservative] {
            let (mut right, mut flagged) = (0, 0);
            for (name, bad) in spoiled(&clean) {
                // A second body stands beside it.
                let two = [&clean[..], &moved(&clean, [1.5, 0.0, 0.0])].concat();
                let sound = if name == "inside out beside a sound one" { two } else { clean.clone() };
                let body = make(&bad, HALO);
                // By the law of the bad one.
                let volume = body.cells().law() == Law::Volume;
                let sound_body = if volume { Body::conservative(&sound, HALO) } else { Body::facing(&sound, HALO) };
                // Below the plane the stiffness is that of all of the surface, which has less area without some of it.
                let off_by = if volume && (name == "a hole" || name == "without base") { 0.25 } else { 1e-3 };
                let mut random = Random::new(11);
                for k in 0..12 {
                    let orientation = if k % 4 == 0 { NONE } else { random.rotation() };
                    let low = boxed(&posed(&sound, &at([0.0; 3], orientation)))[0][2];
                    let pose = at([0.1, 0.2, -low - random.range(-1.5, 8.0) * HALO], orientation);
                    let ((truth, expected), (told, got)) = (on(&sound_body, &pose, true), on(&body, &pose, true));
                    assert!(bits(&truth) & FLAGS == 0, "{truth:?}");
                    let size = expected.size();
                    let off = got.minus(&expected).size();
                    if off[0] <= off_by * size[0] && off[1] <= off_by * size[0] {
                        right += 1;
                        continue;
                    }
                    assert!(bits(&told) & FLAGS != 0, "{name} {k}: {expected:?} {got:?} {told:?}");
                    // A pressure of two, that of one halo deep, on no more than all of the surface.
                    assert!(length(got.force) <= 2.0 * 12.0, "{name} {k}: {expected:?} {got:?}");
                    flagged += 1;
                }
            }
            println!("{right} right, {flagged} flagged");
            assert!(right > 100 && flagged > 100);
        }
    }
}

/// The depth of what is in doubt is at most one halo to a law of pressure.
#[test]
fn a_turned_triangle_in_a_plane_is_told_and_bounded() {
    let mut mesh = cuboid([1.0; 3]);
    let low = mesh.iter().position(|t| t.iter().all(|v| v[2] < 0.0)).unwrap();
    mesh[low] = turned(&mesh[low]);
    let body = Body::new(&mesh, HALO);
    for depth in [0.0, 0.08, 0.3] {
        let (list, sum) = on(&body, &at([0.0, 0.0, 0.5 - depth], NONE), true);
        assert!(bits(&list) & status::OPEN != 0, "{list:?}");
        assert!(sum.force[2] <= 2.0 * (1.0 + 1e-9), "{depth}: {sum:?}");
    }
}

/// Above the halo nothing counts, and so nothing is told.
#[test]
fn what_is_wrong_far_above_a_plane_is_not_told() {
    let unit = cuboid([1.0; 3]);
    let high = unit.iter().position(|t| t.iter().all(|v| v[2] > 0.0)).unwrap();
    let mut flipped = unit.clone();
    flipped[high] = turned(&unit[high]);
    let flapped = [&unit[..], &flap([[0.5, -0.5, 0.5], [0.5, 0.5, 0.5]], [1.5, 0.0, 0.5])].concat();
    let truth = on(&Body::facing(&unit, HALO), &at([0.0, 0.0, 0.48], NONE), true).1;
    let ring = |mesh: &[Triangle]| {
        // The sides are cut at half of their height, so that no triangle reaches from the plane to the top.
        let cut = |t: &Triangle| {
            let half = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|k| 0.5 * (p[k] + q[k]));
            let [a, b, c] = *t;
            let [d, e, f] = [half(a, b), half(b, c), half(c, a)];
            [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
        };
        mesh.iter().flat_map(cut).collect::<Vec<_>>()
    };
    for bad in [ring(&flipped), flapped] {
        let (list, sum) = on(&Body::facing(&bad, HALO), &at([0.0, 0.0, 0.48], NONE), true);
        assert!(sum.minus(&truth).size()[0] <= 1e-9 * truth.size()[0], "{sum:?} {truth:?}");
        assert!(bits(&list) & FLAGS == 0, "{list:?}");
    }
}
