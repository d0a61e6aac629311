//! Rolling against closed forms, and bodies that are the only parts of compounds.

use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape};
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Setup};
use dem_std::OwnedWorld;
use dem_tests::contact;
use dem_tests::shapes::{capsule, ground, sphere, surface};
use dem_tests::walls;

fn fixed(shape: u32) -> BodyDef {
    BodyDef::new(Body::fixed(Pose::IDENTITY), shape)
}

/// The last of these members after so many steps, under gravity along this vector.
fn after(gravity: [f64; 3], members: &[BodyDef], shapes: &[Shape<'_>], law: Interaction, [time, dt]: [f64; 2]) -> Body {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
    let handles: Vec<_> = members.iter().map(|member| world.add(member).unwrap()).collect();
    let table = [law];
    world.advance(time, dt, shapes, &Laws::new(&table).unwrap()).unwrap();
    world.view().unwrap().body(*handles.last().unwrap()).unwrap()
}

#[test]
fn balls_roll_as_they_should_on_planes_and_on_triangles() {
    let (radius, halo) = (0.5, 0.005);
    let triangles = contact::Body::conservative(&walls::oblong(), halo);
    let triangles = surface(&triangles, false);
    let tangent: f64 = 0.3;
    let cosine = 1.0 / f64::sqrt(1.0 + tangent * tangent);
    for (rolling, flat) in [0.0, 0.1, 0.35].into_iter().flat_map(|mu| [(mu, false), (mu, true)]) {
        let shapes = [if flat { Shape::Mesh(&triangles) } else { ground(halo) }, sphere(radius - halo, halo)];
        let gravity = [10.0 * tangent * cosine, 0.0, -10.0 * cosine];
        let law = Interaction {
            rolling,
            lag: 1e-3,
            ..Interaction::new(Normal::Linear, 2e7).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)
        };
        let ball = Body::ball(radius, 1000.0, [0.0, 0.0, radius + halo - 2.6e-4]).unwrap();
        let after = after(gravity, &[fixed(0), BodyDef::new(ball, 1)], &shapes, law, [1.0, 2e-5]);
        let expected = 5.0 / 7.0 * 10.0 * cosine * (tangent - rolling).max(0.0);
        let off = (after.velocity[0] - expected).abs();
        assert!(off < 0.02 * expected + 5e-3, "{rolling} on triangles: {flat}, {after:?} {expected}");
    }
}

/// Along a groove of one mesh the torques of both sides add up to that of the weight: their axes lean as their forces do.
#[test]
fn balls_roll_along_grooves_as_on_planes() {
    let (radius, halo, rolling, weight) = (0.5, 0.01, 0.05, 10.0);
    for degrees in [0.0, 20.0, 35.0, 44.0] {
        let angle = f64::to_radians(degrees);
        let sides = contact::Body::conservative(&walls::groove(angle, 3), halo);
        let sides = surface(&sides, false);
        let shapes = [Shape::Mesh(&sides), sphere(radius - halo, halo)];
        let arm = radius * angle.cos();
        let ball = Body::ball(radius, 1000.0, [-2.0, 0.0, (radius + halo - 1.5e-4) / angle.cos()]).unwrap();
        let (velocity, angular_velocity) = ([1.0, 0.0, 0.0], [0.0, 1.0 / arm, 0.0]);
        let inertia = ball.moments[0] / ball.mass;
        let law = Interaction {
            rolling,
            lag: 1e-3,
            ..Interaction::new(Normal::Linear, 2e7).damped(Damping::Dashpot, 0.5).rough(0.8, 0.8)
        };
        let members = [fixed(0), BodyDef::new(Body { velocity, angular_velocity, ..ball }, 1)];
        let speed = |time: f64| after([0.0, 0.0, -weight], &members, &shapes, law, [time, 1e-4]).velocity[0];
        let slowed = (speed(0.3) - speed(0.9)) / 0.6;
        let expected = rolling * radius * weight / arm / (1.0 + inertia / (arm * arm));
        println!("{degrees}: {}", slowed / expected);
        assert!((slowed / expected - 1.0).abs() < 0.02, "{degrees}: {slowed} {expected}");
    }
}

/// A pose or a scale in the table of shapes makes a compound of one part: it moves as that part by itself.
#[test]
fn what_is_the_only_part_of_a_compound_moves_as_by_itself() {
    let (halo, half) = (0.02, std::f64::consts::FRAC_1_SQRT_2);
    let about_z = [0.0, 0.0, half, half];
    let flat = contact::Body::conservative(&walls::regular(6, 4.0), halo);
    let flat = surface(&flat, false);
    let only = |shape, scale| [Part { shape, pose: Pose { orientation: about_z, ..Pose::IDENTITY }, scale }];
    let (wide, narrow) = (sphere(0.96, 0.04), capsule(0.8, 0.96, 0.04));
    for (alone, double) in [(sphere(0.48, 0.02), wide), (capsule(0.4, 0.48, 0.02), narrow)] {
        for below in [ground(halo), Shape::Mesh(&flat)] {
            for (normal, stiffness) in [(Normal::Hertz, 1e7), (Normal::Linear, 2e6), (Normal::Pressure, 1e8)] {
                let law = Interaction { rolling: 0.1, ..Interaction::new(normal, stiffness) };
                let law = law.damped(Damping::Dashpot, 0.3).rough(0.5, 0.8).sticky(Cohesion::Dmt, 300.0);
                let body = Body {
                    mass: 500.0,
                    moments: [50.0; 3],
                    // A capsule lies along y, and both roll along x.
                    orientation: [half, 0.0, 0.0, half],
                    angular_velocity: [0.1, 1.0, 0.3],
                    ..Body::ball(0.5, 1000.0, [0.3, 0.2, 0.505]).unwrap()
                };
                let members = [fixed(0), BodyDef::new(body, 1)];
                let moved = |below, own| after([0.0, 0.0, -10.0], &members, &[below, own], law, [0.02, 1e-4]);
                let plain = moved(below, alone);
                let (floor, turned, halved) = (only(below, 1.0), only(alone, 1.0), only(double, 0.5));
                let (floor, own) = (Shape::Compound(&floor), Shape::Compound(&turned));
                for (name, got) in [
                    ("own", moved(below, own)),
                    ("floor", moved(floor, alone)),
                    ("both", moved(floor, own)),
                    ("scaled", moved(floor, Shape::Compound(&halved))),
                ] {
                    let numbers = |body: &Body| [body.velocity, body.angular_velocity];
                    for (x, y) in numbers(&got).as_flattened().iter().zip(numbers(&plain).as_flattened()) {
                        assert!((x - y).abs() < 1e-9, "{name} {normal:?} {got:?} {plain:?}");
                    }
                }
                assert!(plain.angular_velocity[1] < 0.999, "{normal:?}: nothing slows it down, {plain:?}");
            }
        }
    }
}
