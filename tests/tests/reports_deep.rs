//! Reports of users of other libraries about penetration, spheres and compounds: one test for each symptom, with the
//! thread above it.

use dem_core::contact::shape::{Part, Shape};
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_tests::contact::{Body, HALO, Wrench, at, carried, cuboid, wrench};
use dem_tests::random::Random;
use dem_tests::shapes::{all, assert_sound, part, placed, sphere, surface};
use dem_tests::vector::{add, dot, length, rotate, scale, sub};
use dem_tests::walls;

const UP: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn list(a: Shape<'_>, pose_a: &Pose, b: Shape<'_>, pose_b: &Pose) -> Vec<Contact> {
    let contacts = all(&placed(a, pose_a), &placed(b, pose_b)).0;
    contacts.iter().for_each(assert_sound);
    contacts
}

fn deepest(contacts: &[Contact]) -> Contact {
    contacts.iter().copied().reduce(|x, y| if y.least_gap < x.least_gap { y } else { x }).expect("a contact")
}

/// fcl #491, #574, coal #357, python-fcl #48: the depth of one mesh in another was 0, or had no meaning.
#[test]
fn a_mesh_in_a_mesh_has_a_depth() {
    let mut random = Random::new(3);
    let (upper, lower) = (Body::facing(&cuboid([0.6, 0.5, 0.4]), HALO), Body::facing(&cuboid([2.0, 2.0, 1.0]), HALO));
    for depth in [1e-6, 1e-3, 0.05, 0.15] {
        let world = at(random.in_cube(2.0), random.rotation());
        let pose = carried(&world, &at([0.1, -0.2, 0.7 - depth], [0.0, 0.0, 0.3, 1.0]));
        let (a, b) = (surface(&upper, true), surface(&lower, true));
        let c = deepest(&list(Shape::Mesh(&a), &pose, Shape::Mesh(&b), &world));
        assert!((c.least_gap + depth).abs() < 1e-9 && (c.gap + depth).abs() < 0.1 * depth + 1e-9, "{depth}: {c:?}");
        assert!(dot(c.normal, rotate(world.orientation, [0.0, 0.0, 1.0])) > 0.999, "{c:?}");
        assert!(c.status & status::PENETRATING != 0);
    }
}

/// mujoco #3476, fcl #503: boxes face to face, a hundredth of a millimetre in each other or just touching, had a depth of their whole
/// width.
#[test]
fn boxes_that_just_overlap_are_not_deep() {
    let boxed = Body::new(&cuboid([71.0, 71.0, 71.0]), 0.5);
    let tilt = 0.056 / 71.0;
    for pose in
        [at([3.0, 71.0, 1.0], [0.5 * tilt, 0.0, 0.0, 1.0]), at([0.0, 71.0, 0.0], UP), at([0.0, 70.944, 0.0], UP)]
    {
        let side = surface(&boxed, true);
        let contacts = list(Shape::Mesh(&side), &pose, Shape::Mesh(&side), &Pose::IDENTITY);
        assert!(!contacts.is_empty() && contacts.iter().all(|c| c.least_gap > -0.06), "{contacts:?}");
    }
}

/// PhysX #468: what had gone in a little was not found before it had gone in far.
#[test]
fn shallow_penetration_is_found_as_well_as_deep() {
    let (small, wall) = (Body::new(&cuboid([0.5, 0.5, 0.5]), HALO), Body::new(&cuboid([2.0, 2.0, 1.0]), HALO));
    let (a, b) = (surface(&small, true), surface(&wall, true));
    let mut last = 0.0;
    for exponent in (2..14).rev() {
        let depth = 0.1f64.powi(exponent);
        let pose = at([0.1, 0.2, 0.75 - depth], [0.0, 0.0, 0.2, 1.0]);
        let force = wrench(&list(Shape::Mesh(&a), &pose, Shape::Mesh(&b), &Pose::IDENTITY), pose.position).force;
        assert!(force[2] >= last - 1e-9 && force[2] > 0.2, "{depth:e}: {force:?}");
        last = force[2];
    }
}

/// genesis-world #2844, PhysX #568: bodies one in the other had no normal, or none that led out.
#[test]
fn bodies_one_in_the_other_come_apart() {
    let (small, large) = (Body::new(&cuboid([0.3, 0.2, 0.25]), HALO), Body::new(&cuboid([1.0, 0.9, 1.1]), HALO));
    for start in [[0.0; 3], [0.1, 0.05, -0.2], [0.3, 0.3, 0.3]] {
        let (a, b) = (surface(&small, true), surface(&large, true));
        let mut pose = at(start, UP);
        let mut steps = 0;
        loop {
            let contacts = list(Shape::Mesh(&a), &pose, Shape::Mesh(&b), &Pose::IDENTITY);
            let Wrench { force, .. } = wrench(&contacts, pose.position);
            if contacts.iter().all(|c| c.least_gap >= -1e-3) {
                break;
            }
            assert!(length(force) > 0.0 && steps < 400, "{start:?}: {steps} {pose:?}");
            pose.position = add(pose.position, scale(0.01 / length(force), force));
            steps += 1;
        }
    }
}

/// JoltPhysics #529: moving along the normal by the depth did not get a body out of a mesh.
#[test]
fn depth_along_the_normal_leads_out() {
    let (boxed, other) = (Body::new(&cuboid([1.0, 1.0, 1.0]), HALO), Body::new(&cuboid([1.5, 1.5, 1.0]), HALO));
    let mut random = Random::new(9);
    for _ in 0..8 {
        let (a, b) = (surface(&boxed, true), surface(&other, true));
        let mut pose = at([0.2, 0.1, random.range(0.6, 0.9)], random.rotation());
        for _ in 0..12 {
            let contacts = list(Shape::Mesh(&a), &pose, Shape::Mesh(&b), &Pose::IDENTITY);
            let Some(c) = contacts
                .iter()
                .filter(|c| c.least_gap < 0.0)
                .copied()
                .reduce(|x, y| if y.least_gap < x.least_gap { y } else { x })
            else {
                break;
            };
            pose.position = add(pose.position, scale(1e-6 - c.least_gap, c.normal));
        }
        let left = list(Shape::Mesh(&a), &pose, Shape::Mesh(&b), &Pose::IDENTITY);
        assert!(left.iter().all(|c| c.least_gap > -1e-3), "{left:?}");
    }
}

/// parry #148: a ball whose centre lies on a surface had no contact.
#[test]
fn a_ball_whose_centre_is_on_a_surface_has_a_contact() {
    let wall = Body::new(&walls::regular(4, 1.0), HALO);
    for position in [[0.0, 0.0, 0.0], [0.1, 0.2, 0.0], [0.5, 0.5, 0.0]] {
        let side = surface(&wall, false);
        let pose = at(position, UP);
        let c = deepest(&list(sphere(0.3, HALO), &pose, Shape::Mesh(&side), &Pose::IDENTITY));
        assert!((c.least_gap + 0.3).abs() < 1e-12 && c.normal[2] > 0.999_999, "{c:?}");
    }
}

/// bullet3 #1623: the depth of a sphere in a mesh had the sign of a gap at some places.
#[test]
fn a_sphere_in_a_mesh_has_a_negative_gap_everywhere() {
    let wall = Body::new(&walls::irregular(800, 1.0, 2), HALO);
    let side = surface(&wall, false);
    let mut random = Random::new(6);
    for _ in 0..100 {
        let [x, y, z] = random.in_cube(0.6);
        let height = 0.1 + 0.15 * z.abs();
        let pose = at([x, y, height], UP);
        let c = deepest(&list(sphere(0.3, HALO), &pose, Shape::Mesh(&side), &Pose::IDENTITY));
        assert!((c.least_gap - (height - 0.3)).abs() < 1e-9, "{c:?}");
    }
}

/// rapier #404, JoltPhysics #1155, godot-jolt #587, godot #21341: a sphere that rolled over a flat mesh was thrown off at edges.
#[test]
fn a_sphere_that_rolls_over_a_flat_mesh_feels_no_edge() {
    let mut random = Random::new(7);
    let (turn, by) = (random.rotation(), random.in_cube(1.0));
    let wall = Body::new(&walls::rounded(&walls::irregular(3000, 1.0, 4), turn, by), HALO);
    let side = surface(&wall, false);
    let up = rotate(turn, [0.0, 0.0, 1.0]);
    for step in 0..100 {
        let x = -0.5 + 0.01 * f64::from(step);
        let centre = add(rotate(turn, [x, 0.4 * x, 0.2 + HALO]), by);
        let contacts = list(sphere(0.2, HALO), &at(centre, UP), Shape::Mesh(&side), &Pose::IDENTITY);
        assert!(contacts.len() == 1 && length(sub(contacts[0].normal, up)) < 1e-6, "{step}: {contacts:?}");
    }
}

/// JoltPhysics #717: a sphere that rolled from one cube on to the next, flush with it, bounced at the seam.
#[test]
fn a_sphere_rolls_over_the_seam_of_two_cubes() {
    let cube = Body::new(&cuboid([1.0, 1.0, 1.0]), HALO);
    let side = surface(&cube, true);
    let parts: [Part<'_>; 2] =
        [part(Shape::Mesh(&side), [-0.5, 0.0, -0.5]), part(Shape::Mesh(&side), [0.5, 0.0, -0.5])];
    for step in 0..60 {
        let pose = at([-0.3 + 0.01 * f64::from(step), 0.1, 0.1 + HALO], UP);
        let contacts = list(sphere(0.1, HALO), &pose, Shape::Compound(&parts), &Pose::IDENTITY);
        let force = wrench(&contacts, pose.position).force;
        // The sides of the cubes look at each other and at the sphere, a little.
        assert!(force[0].hypot(force[1]) <= 5e-3 * force[2], "{step}: {force:?}");
    }
}

/// JoltPhysics #568: compounds of spheres sometimes did not collide at all.
#[test]
fn a_compound_of_spheres_collides_from_all_sides() {
    let cube = Body::new(&cuboid([1.0, 1.0, 1.0]), HALO);
    let side = surface(&cube, true);
    let parts: Vec<Part<'_>> = (0..5).map(|k| part(sphere(0.1, HALO), [0.15 * f64::from(k) - 0.3, 0.0, 0.0])).collect();
    let mut random = Random::new(11);
    for _ in 0..60 {
        let turn = random.rotation();
        // The lowest sphere touches the top.
        let lowest = parts.iter().map(|p| rotate(turn, p.pose.position)[2]).fold(f64::INFINITY, f64::min);
        let pose = at([0.05, 0.1, 0.6 + HALO - lowest], turn);
        let contacts = list(Shape::Compound(&parts), &pose, Shape::Mesh(&side), &Pose::IDENTITY);
        assert!(!contacts.is_empty() && contacts.iter().all(|c| c.normal[2] > 0.99), "{contacts:?}");
    }
}

/// fcl #275, #127: distances and closest points of spheres, and of a sphere and a box, were wrong.
#[test]
fn a_sphere_is_as_far_from_a_sphere_or_a_box_as_it_is() {
    let (far, origin) = (at([0.0, 40.0, 0.0], UP), at([0.0; 3], UP));
    let c = deepest(&list(sphere(20.0, 6.0), &origin, sphere(10.0, 6.0), &far));
    assert!((c.least_gap - 10.0).abs() < 1e-12 && (c.position[1] - 25.0).abs() < 1e-12 && c.normal == [0.0, -1.0, 0.0]);
    let slab = Body::new(&cuboid([10.0, 2.0, 10.0]), 2.0);
    let side = surface(&slab, true);
    let c = deepest(&list(sphere(1.0, 2.0), &origin, Shape::Mesh(&side), &at([0.0, 5.0, 3.0], UP)));
    // The normal is that of the pressure on all of the side, which ends nearer below than above.
    assert!((c.least_gap - 3.0).abs() < 1e-12 && c.normal[1] < -0.999, "{c:?}");
}
