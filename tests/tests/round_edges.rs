//! Balls and capsules at convex edges and vertices of meshes: one contact, which pushes from the edge.

use dem_core::body::Body;
use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Shape, Surface};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Setup};
use dem_std::OwnedWorld;
use dem_tests::Triangle;
use dem_tests::contact::{self, cuboid};
use dem_tests::shapes::{capsule, grouped, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, scale, sub};
use dem_tests::walls::{self, holed, ridge};
use std::f64::consts::FRAC_PI_2;

const RADIUS: f64 = 0.5;
const HALO: f64 = 0.01;
/// Sum of both halos.
const BOTH: f64 = 2.0 * HALO;

/// Laws with about the same stiffness at the overlaps of these tests.
const LAWS: [(Normal, f64); 3] = [(Normal::Pressure, 2e5), (Normal::Linear, 1e3), (Normal::Hertz, 2e4)];

/// A box whose upper edge is the y axis: its faces there look along x and z.
fn block() -> Vec<Triangle> {
    cuboid([2.0; 3]).iter().map(|t| t.map(|v| sub(v, [1.0, 0.0, 1.0]))).collect()
}

fn force(c: &Contact) -> f64 {
    (1.0 - c.gap / c.halo) * c.area
}

/// What friction bears on over the force, of all contacts of two bodies.
fn load(contacts: &[Contact]) -> f64 {
    let sum = contacts.iter().fold([0.0; 3], |sum, c| add(sum, scale(force(c), c.normal)));
    contacts.iter().fold(0.0, |all, c| all + c.wedging * force(c)) / length(sum)
}

fn with(shape: Shape<'_>, pose: &Pose, mesh: &Surface<'_>) -> Vec<Contact> {
    grouped(&placed(shape, pose), &placed(Shape::Mesh(mesh), &Pose::IDENTITY), &Grouping::default())
}

fn at(position: [f64; 3]) -> Pose {
    Pose { position, ..Pose::IDENTITY }
}

/// From this direction to the z axis, in the plane of x and z, in degrees.
fn lean(v: [f64; 3]) -> f64 {
    v[0].atan2(v[2]).to_degrees()
}

/// A ball without friction that is released on an edge goes around it as a point on a circle, and leaves where the cosine of its angle is two thirds of what it was: dashpots take nothing, since the
/// ball does not come nearer.
#[test]
fn a_ball_goes_over_an_edge_as_on_a_circle() {
    let body = contact::Body::new(&block(), HALO);
    let body = surface(&body, true);
    let shapes = [Shape::Mesh(&body), sphere(RADIUS, HALO)];
    let start: f64 = 0.05;
    for ((normal, stiffness), (damped, zeta)) in LAWS.into_iter().flat_map(|law| {
        [(Damping::None, 0.0), (Damping::Dashpot, 0.03), (Damping::Dashpot, 0.3), (Damping::HuntCrossley, 3.0)]
            .map(|damping| (law, damping))
    }) {
        let table = [Interaction { torsion: 0.0, ..Interaction::new(normal, stiffness) }.damped(damped, zeta)];
        let laws = Laws::new(&table).unwrap();
        let arm = RADIUS + 0.95 * BOTH;
        let density = 1.0 / (4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3));
        let ball = Body::ball(RADIUS, density, [arm * start.sin(), 0.0, arm * start.cos()]).unwrap();
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&Setup { gravity: [0.0, 0.0, -1.0], ..Setup::default() }).unwrap();
        world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
        let handle = world.add(&BodyDef::new(ball, 1)).unwrap();
        let (mut taken, mut last) = (0.0, None);
        for step in 0..300 {
            world.advance(0.02, 5e-4, &shapes, &laws).unwrap();
            let view = world.view().unwrap();
            taken += world.report().unwrap().damped;
            if !view.scene().now().contacts().is_empty() {
                last = Some((step, view.body(handle).unwrap()));
            }
            if last.is_none_or(|(then, _)| step > then + 5) && step > 20 {
                break;
            }
        }
        let (step, ball) = last.unwrap();
        let time = 0.02 * f64::from(step);
        let cosine = 2.0 / 3.0 * start.cos();
        let expected = (arm * cosine).sqrt() * cosine;
        println!(
            "{normal:?} {damped:?} {zeta}: {time:.2}, along x {:.4} of {expected:.4}, at {:.1} degrees, damped {taken:.5}",
            ball.velocity[0],
            lean(ball.pose().position)
        );
        assert!(time < 3.0, "{normal:?} {damped:?} {zeta}: {time}");
        assert!((ball.velocity[0] / expected - 1.0).abs() < 0.08, "{normal:?} {damped:?} {zeta}: {ball:?} {expected}");
        assert!(taken < 0.004, "{normal:?} {damped:?} {zeta}: {taken}");
    }
}

/// However far around the edge a ball is, and whatever the angle between the faces is, friction bears on the force and no more, and a law of the depth pushes with what belongs to that depth.
#[test]
fn at_an_edge_a_ball_has_one_contact() {
    for degrees in [40.0, 60.0, 75.0, 90.0, 105.0, 120.0] {
        let half = 0.5 * f64::to_radians(degrees);
        let (volumes, facing) =
            (contact::Body::conservative(&ridge([half; 2]), HALO), contact::Body::facing(&ridge([half; 2]), HALO));
        let (volumes, facing) = (surface(&volumes, true), surface(&facing, true));
        let cases = (0..=8).flat_map(|i| [0.004, 0.01, 0.018, 0.03].map(|depth| (i, depth)));
        for ((part, depth), (law, body)) in cases.flat_map(|case| [(case, (0, &volumes)), (case, (1, &facing))]) {
            let angle = half * (f64::from(part) / 4.0 - 1.0);
            let away = [angle.sin(), 0.0, angle.cos()];
            let distance = RADIUS + BOTH - depth;
            let found = with(sphere(RADIUS, HALO), &at(scale(distance, away)), body);
            let name = format!("{degrees} {part} {depth} {law}: {found:?}");
            let [one] = found[..] else { panic!("{name}") };
            assert!(one.wedging < 1.012, "{name}");
            assert!((lean(one.normal) - lean(away)).abs() < 12.0, "{name}");
            assert!(length(one.position) < 0.07, "{name}");
            // Through the centre.
            let arm = sub(scale(distance, away), one.position);
            let torque = sub(one.moment, cross(arm, scale(force(&one), one.normal)));
            assert!(length(torque) < 1e-12 * RADIUS * force(&one), "{name}");
        }
    }
}

#[test]
fn friction_at_an_edge_is_that_of_one_point() {
    let body = contact::Body::new(&block(), HALO);
    let body = surface(&body, true);
    let shapes = [Shape::Mesh(&body), sphere(RADIUS, HALO)];
    let depth = 0.01;
    for (normal, stiffness) in LAWS {
        for degrees in [-5.0, -2.0, 0.0, 2.0, 10.0, 20.0, 40.0, 44.0, 45.0, 46.0, 60.0, 80.0, 90.0] {
            let (angle, distance) = (f64::to_radians(degrees), RADIUS + BOTH - depth);
            let position = [distance * angle.sin(), 0.0, if degrees < 0.0 { distance } else { distance * angle.cos() }];
            let table = [Interaction { torsion: 0.0, ..Interaction::new(normal, stiffness) }.rough(0.01, 1.0)];
            let laws = Laws::new(&table).unwrap();
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
            let ball = Body { velocity: [0.0, 10.0, 0.0], ..Body::ball(RADIUS, 1.0, position).unwrap() };
            let handle = world.add(&BodyDef::new(ball, 1)).unwrap();
            world.advance(1e-3, 1e-3, &shapes, &laws).unwrap();
            let view = world.view().unwrap();
            let wrench = view.wrenches()[handle.slot as usize];
            let pushes = f64::hypot(wrench.force[0], wrench.force[2]);
            let limit = -wrench.force[1] / (0.01 * pushes);
            // Around the axis across the edge that is at right angles to the force.
            let arm = f64::hypot(wrench.torque[0], wrench.torque[2]) / (0.01 * pushes);
            println!("{normal:?} {degrees}: limit {limit:.4} arm {arm:.4} force {pushes:.4}");
            assert!((0.999..1.012).contains(&limit), "{normal:?} {degrees}: {limit}");
            assert!((RADIUS * 0.98..RADIUS + BOTH).contains(&arm), "{normal:?} {degrees}: {arm}");
            if normal == Normal::Linear {
                assert!((pushes / (stiffness * depth) - 1.0).abs() < 1e-3, "{degrees}: {pushes}");
            }
        }
    }
}

#[test]
fn at_a_corner_of_a_box_a_ball_has_one_contact() {
    let body = contact::Body::new(&cuboid([2.0; 3]), HALO);
    let body = surface(&body, true);
    for way in [[1.0, 1.0, 1.0], [1.0, 0.3, 0.2], [0.05, 1.0, 0.4], [0.0, 1.0, 0.0], [0.0, 0.7, 1.0]] {
        let away = scale(1.0 / length(way), way);
        for depth in [0.004, 0.015] {
            let centre = add([1.0; 3], scale(RADIUS + BOTH - depth, away));
            let found = with(sphere(RADIUS, HALO), &at(centre), &body);
            let [one] = found[..] else { panic!("{way:?} {depth}: {found:?}") };
            assert!(one.wedging < 1.02, "{way:?}: {one:?}");
            assert!(length(sub(one.position, [1.0; 3])) < 0.09, "{way:?}: {one:?}");
            assert!(dot(one.normal, away) > 0.97, "{way:?}: {one:?}");
        }
    }
}

/// On the edges of a slot friction bears on both of them: by one over the cosine of their angle.
#[test]
fn on_two_edges_of_a_slot_friction_bears_on_both() {
    for half in [0.05, 0.1, 0.2, 0.3, 0.4] {
        let side = |k: f64| move |t: &Triangle| t.map(|v| add(v, [k * (1.0 + half), 0.0, -1.0]));
        let cube = cuboid([2.0; 3]);
        let both: Vec<Triangle> = cube.iter().map(side(-1.0)).chain(cube.iter().map(side(1.0))).collect();
        let body = contact::Body::new(&both, HALO);
        let body = surface(&body, true);
        let distance = RADIUS + 0.5 * BOTH;
        let height = (distance * distance - half * half).sqrt();
        let found = with(sphere(RADIUS, HALO), &at([0.0, 0.0, height]), &body);
        let (got, wanted) = (load(&found), distance / height);
        println!("{half}: {} {got} {wanted}", found.len());
        assert!((got / wanted - 1.0).abs() < 0.03, "{half}: {got} {wanted} {found:?}");
    }
}

/// A hole whose rim holds a ball: the wall around it is one patch, or a ring of some.
#[test]
fn on_the_rim_of_a_hole_friction_bears_on_all_of_it() {
    for (corners, radius) in [(24, 0.1), (24, 0.2), (24, 0.3), (3, 0.1), (3, 0.2)] {
        let body = contact::Body::conservative(&holed(corners, radius), HALO);
        let body = surface(&body, true);
        let distance = RADIUS + 0.5 * BOTH;
        let height = (distance * distance - radius * radius).sqrt();
        let found = with(sphere(RADIUS, HALO), &at([0.0, 0.0, height]), &body);
        let (got, wanted) = (load(&found), distance / height);
        println!("{corners} {radius}: {} {got} {wanted}", found.len());
        assert!((got / wanted - 1.0).abs() < 0.04, "{corners} {radius}: {got} {wanted} {found:?}");
    }
}

#[test]
fn at_an_edge_a_capsule_has_one_contact() {
    let body = contact::Body::new(&block(), HALO);
    let body = surface(&body, true);
    // Along the edge, and across it.
    for (along, degrees) in
        [true, false].into_iter().flat_map(|along| [0.0, 5.0, 20.0, 45.0, 70.0, 90.0].map(|a| (along, a)))
    {
        for depth in [0.004, 0.015] {
            let angle = f64::to_radians(degrees);
            let away = [angle.sin(), 0.0, angle.cos()];
            let half = 0.5 * if along { -FRAC_PI_2 } else { angle + FRAC_PI_2 };
            let orientation =
                if along { [half.sin(), 0.0, 0.0, half.cos()] } else { [0.0, half.sin(), 0.0, half.cos()] };
            let position = scale(RADIUS + BOTH - depth, away);
            let found = with(capsule(0.4, RADIUS, HALO), &Pose { position, orientation }, &body);
            let [one] = found[..] else { panic!("{along} {degrees} {depth}: {found:?}") };
            assert!(one.wedging < 1.02, "{along} {degrees} {depth}: {one:?}");
            if along || degrees % 90.0 != 0.0 {
                assert!((lean(one.normal) - degrees).abs() < 12.0, "{along} {degrees} {depth}: {one:?}");
                assert!(length(one.position) < 0.12, "{along} {degrees} {depth}: {one:?}");
            }
        }
    }
}

/// From the face to the edge and over it nothing jumps.
#[test]
fn nothing_jumps_where_a_ball_comes_to_an_edge() {
    let body = contact::Body::new(&block(), HALO);
    let body = surface(&body, true);
    let distance = RADIUS + 0.5 * BOTH;
    let step = 1e-4;
    let mut last: Option<Contact> = None;
    for k in -2500..=8200 {
        let s = step * f64::from(k);
        let centre = if s < 0.0 {
            [s, 0.0, distance]
        } else {
            let angle = (s / distance).min(FRAC_PI_2);
            [distance * angle.sin(), 0.0, distance * angle.cos()]
        };
        let found = with(sphere(RADIUS, HALO), &at(centre), &body);
        let [one] = found[..] else { panic!("{s}: {found:?}") };
        if let Some(last) = last {
            let moved = |of: fn(&Contact) -> [f64; 3]| length(sub(of(&one), of(&last)));
            assert!(moved(|c| c.position) < 3.0 * step, "{s}: {one:?} {last:?}");
            assert!(moved(|c| c.normal) < 12.0 * step, "{s}: {one:?} {last:?}");
            assert!((force(&one) - force(&last)).abs() < 20.0 * step * force(&one), "{s}: {one:?} {last:?}");
            assert!((one.wedging - last.wedging).abs() < 1.0 * step, "{s}: {one:?} {last:?}");
        }
        last = Some(one);
    }
}

/// What is beside a wall on a floor is pushed by both.
#[test]
fn in_corners_and_grooves_sides_are_what_they_are() {
    for (degrees, count) in [(20.0, 1), (40.0, 1), (50.0, 2), (70.0, 2)] {
        let angle = f64::to_radians(degrees);
        let body = contact::Body::conservative(&walls::groove(angle, 3), HALO);
        let body = surface(&body, false);
        let found = with(sphere(0.2, HALO), &at([0.1, 0.0, (0.2 + HALO) / angle.cos()]), &body);
        assert_eq!(found.len(), count, "{degrees}");
        assert!((load(&found) * angle.cos() - 1.0).abs() < 1e-9, "{degrees}: {}", load(&found));
        for c in found.iter().filter(|_| count == 2) {
            assert!((c.normal[2] - angle.cos()).abs() < 1e-12, "{degrees}: {c:?}");
        }
    }
}
