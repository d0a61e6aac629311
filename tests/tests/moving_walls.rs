//! Walls whose vertices move, in worlds: a step in which they would pass through a body is refused or divided, and what they bear over a window.

use dem_core::array::Array;
use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::detect::surfaces::MovingSurface;
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, PollResult, Setup, StepOptions, TooFast, WithSurfaces};
use dem_std::{Memory, OwnedWorld};
use dem_tests::contact::{self, cuboid};
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{add, length, rotate, scale, sub};
use dem_tests::walls::{self, moving, vertex_velocities};

const HALO: f64 = 0.02;

/// Pressure alone.
fn push(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    let push = 1e7 * (1.0 - c.gap / c.halo) * c.area;
    ContactResponse { force: scale(push, c.normal), torque: scale(1e7, c.moment), springs: [[0.0; 3]; 5] }
}

/// The answer of the first poll of a step, which is taken back.
fn first(
    world: &mut OwnedWorld,
    dt: f64,
    shapes: &[Shape<'_>],
    surfaces: &[MovingSurface<'_>],
) -> (PollResult, TooFast) {
    world.begin(&StepOptions::new(dt)).unwrap();
    let want = world.poll(shapes, &WithSurfaces { law: &push, surfaces: &surfaces }).unwrap();
    let fast = world.view().unwrap().too_fast();
    world.abandon().unwrap();
    (want, fast)
}

/// A wall in the plane z = 0 of its own frame and a body above it.
fn above(pose: Pose, body: Body) -> OwnedWorld {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.add(&BodyDef::new(Body::fixed(pose), 0)).unwrap();
    let position = add(pose.position, rotate(pose.orientation, body.position));
    world.add(&BodyDef::new(Body { position, ..body }, 1)).unwrap();
    world
}

/// A box of the size of the ball.
fn block(height: f64) -> Body {
    Body { mass: 100.0, moments: [4.0, 4.5, 5.0], ..Body::ball(1.0, 1.0, [0.0, 0.0, height]).unwrap() }
}

#[test]
fn a_vertex_that_would_pass_through_a_body_is_told() {
    let wall = contact::Body::conservative(&walls::regular(8, 2.0), HALO);
    let rock = contact::Body::conservative(&cuboid([0.5, 0.5, 0.5]), HALO);
    let (mesh, rock) = (surface(&wall, false), surface(&rock, true));
    let tilted = Pose { position: [0.3, -0.1, 0.2], orientation: [0.1, -0.2, 0.3, 0.927_361_849_549_570_4] };
    // A piston, and one vertex below the body.
    let piston = vertex_velocities(&wall, |_| [0.0, 0.0, 50.0]);
    let spike = vertex_velocities(&wall, |at| if length(at) < 0.1 { [0.0, 0.0, 50.0] } else { [0.0; 3] });
    assert!(spike.iter().any(|v| v[2] > 0.0));
    // The way is .75 in the step: the wall would be behind the body.
    let (dt, high) = (1.5e-2, 0.25 + 0.2);
    let cases = [("ball", sphere(0.25, HALO), Body::ball(0.25, 800.0, [0.0, 0.0, high]).unwrap())];
    let cases = cases.into_iter().chain([("rock", Shape::Mesh(&rock), block(high))]);
    for (name, shape, body) in cases {
        for (pose, of) in [(Pose::IDENTITY, &piston), (tilted, &piston), (Pose::IDENTITY, &spike), (tilted, &spike)] {
            let shapes = [Shape::Mesh(&mesh), shape];
            let surfaces = [moving(&wall, of)];
            let mut world = above(pose, body);
            assert_eq!(first(&mut world, dt, &shapes, &[]).0, PollResult::More);
            let (want, fast) = first(&mut world, dt, &shapes, &surfaces);
            assert_eq!(want, PollResult::Stuck, "{name}");
            let mut pair = [fast.a, fast.b];
            pair.sort();
            assert_eq!(pair, [0, 1]);
            // Half of the sum of both halos, which are equal; the box of velocities is one of world axes.
            let most = if pose == tilted && of == &spike { 2.0 } else { 1.0 };
            let way = 50.0 * fast.dt / HALO;
            assert!(way < 1.0 && way > 0.98 / most, "{name}: {fast:?}");
            assert_eq!(first(&mut world, fast.dt, &shapes, &surfaces).0, PollResult::More, "{name}");
            // A window is divided, and so is the rest of one.
            let law = WithSurfaces { law: &push, surfaces: &surfaces };
            world.advance(dt, dt, &shapes, &law).unwrap();
            let steps = world.view().unwrap().steps();
            assert!(steps as f64 >= dt / fast.dt && world.view().unwrap().time() == dt, "{name}: {steps}");
        }
    }
}

#[test]
fn only_what_vertices_add_to_the_approach_counts() {
    let wall = contact::Body::conservative(&walls::regular(8, 2.0), HALO);
    let mesh = surface(&wall, false);
    let ball = |velocity| Body { velocity, ..Body::ball(0.25, 800.0, [0.0, 0.0, 0.45]).unwrap() };
    let shapes = [Shape::Mesh(&mesh), sphere(0.25, HALO), ground(HALO)];
    let piston = vertex_velocities(&wall, |_| [0.0, 0.0, 50.0]);
    let far = vertex_velocities(&wall, |at| if at[0] > 1.6 { [0.0, 0.0, 50.0] } else { [0.0; 3] });
    let want = |velocity, of: &[[f64; 3]], dt| {
        first(&mut above(Pose::IDENTITY, ball(velocity)), dt, &shapes, &[moving(&wall, of)]).0
    };
    // As fast as the wall, a little slower and faster, and against it.
    assert_eq!(want([0.0, 0.0, 50.0], &piston, 1.5e-2), PollResult::More);
    assert_eq!(want([0.0, 0.0, 49.0], &piston, 1.5e-2), PollResult::More);
    assert_eq!(want([0.0, 0.0, 48.0], &piston, 1.5e-2), PollResult::Stuck);
    assert_eq!(want([0.0, 0.0, -50.0], &piston, 3e-3), PollResult::Stuck);
    // Vertices that the ball is far from.
    assert_eq!(want([0.0; 3], &far, 1.5e-2), PollResult::More);
    assert_eq!(want([0.0; 3], &far, 5e-2), PollResult::Stuck);
    // Two surfaces of one body add up.
    let dt = 1.5 * HALO / 50.0;
    let near = |surfaces: &[MovingSurface<'_>]| {
        let body = Body::ball(0.25, 800.0, [0.0, 0.0, 0.25 + 2.0 * HALO]).unwrap();
        first(&mut above(Pose::IDENTITY, body), dt, &shapes, surfaces)
    };
    let half: Vec<_> = piston.iter().map(|v| scale(0.5, *v)).collect();
    let half = moving(&wall, &half);
    assert_eq!(near(&[half]).0, PollResult::More);
    let (want, both) = near(&[half, half]);
    assert!(want == PollResult::Stuck && (both.ratio - 1.5).abs() < 1e-12, "{both:?}");
    // Two static bodies are no pair, as fast as the vertices of one are.
    let mut world = above(Pose::IDENTITY, ball([0.0; 3]));
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 2)).unwrap();
    world
        .remove(dem_core::world::Handle { slot: 1, generation: world.view().unwrap().handle(1).unwrap().generation })
        .unwrap();
    assert_eq!(first(&mut world, 1.5e-2, &shapes, &[moving(&wall, &piston)]).0, PollResult::More);
}

/// A part of a compound moves: the other one is still at rest.
#[test]
fn parts_without_moving_vertices_stay_where_they_are() {
    let wall = contact::Body::conservative(&walls::regular(4, 1.0), HALO);
    let mesh = surface(&wall, false);
    let frame = Pose { position: [3.0, 0.0, 0.0], ..Pose::IDENTITY };
    let parts = [
        Part { shape: Shape::Mesh(&mesh), pose: Pose::IDENTITY, scale: 1.0 },
        Part { shape: Shape::Mesh(&mesh), pose: frame, scale: 1.0 },
    ];
    let shapes = [Shape::Compound(&parts), sphere(0.25, HALO)];
    let up = vertex_velocities(&wall, |_| [0.0, 0.0, 5.0]);
    let surfaces = [MovingSurface { frame, ..moving(&wall, &up) }];
    let at = |x: f64, speed: f64| {
        let velocity = [0.0, 0.0, speed];
        let ball = Body { velocity, ..Body::ball(0.25, 800.0, [x, 0.0, 0.35]).unwrap() };
        first(&mut above(Pose::IDENTITY, ball), 5e-2, &shapes, &surfaces).0
    };
    assert_eq!([at(3.0, 0.0), at(0.0, 0.0)], [PollResult::Stuck, PollResult::More]);
    assert_eq!(at(0.0, -5.0), PollResult::Stuck);
}

/// A piston pushes a ball or a rock: many steps in a window, each with the mesh where its vertices are then.
#[test]
fn a_piston_pushes_and_its_mean_loads_are_the_momentum() {
    let speed = 5.0;
    let rock = contact::Body::conservative(&cuboid([0.5, 0.5, 0.5]), HALO);
    let rock = surface(&rock, true);
    let gravity = [0.0, 0.0, -10.0];
    let ball = Body::ball(0.25, 800.0, [0.0, 0.0, 0.35]).unwrap();
    for (shape, body) in [(sphere(0.25, HALO), ball), (Shape::Mesh(&rock), block(0.35))] {
        let mut world = above(Pose::IDENTITY, body);
        world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
        let (length_of, most_dt) = (0.08, 0.02);
        let mut sum = Vec::new();
        let (mut time, mut steps) = (0.0, 0);
        loop {
            // Where its vertices are now.
            let now = Pose { position: [0.0, 0.0, speed * time], ..Pose::IDENTITY };
            let moved: Vec<_> = walls::regular(4, 1.0).iter().map(|t| t.map(|v| add(v, now.position))).collect();
            let wall = contact::Body::conservative(&moved, HALO);
            let mesh = surface(&wall, false);
            let shapes = [Shape::Mesh(&mesh), shape];
            let of = vertex_velocities(&wall, |_| [0.0, 0.0, speed]);
            let surfaces = [moving(&wall, &of)];
            let step = world
                .advance_step(length_of, most_dt, &shapes, &WithSurfaces { law: &push, surfaces: &surfaces })
                .unwrap();
            let view = world.view().unwrap();
            // The wall has not come into the body.
            assert!(view.bodies()[1].position[2] - 0.25 > speed * view.time(), "{step:?}");
            let forces: Vec<_> = view.acts().iter().map(|act| act.force).collect();
            let mut loads = vec![[0.0; 3]; of.len()];
            let mut scratch = Memory::new(surfaces[0].loads_scratch().unwrap()).unwrap();
            let scene = view.scene();
            surfaces[0]
                .loads(dem_core::simd::Isa::best(), &scene, Array::from_f64(&forces), &mut loads, &mut scratch)
                .unwrap();
            sum.resize(of.len(), [0.0; 3]);
            sum.iter_mut().zip(&loads).for_each(|(sum, load)| *sum = add(*sum, scale(step.dt / length_of, *load)));
            (time, steps) = (view.time(), steps + 1);
            if step.complete {
                break;
            }
            // The window is open: bodies stay as they are.
            let error = world.begin(&StepOptions::new(1e-3)).unwrap_err();
            assert_eq!((error.kind, error.what), (Kind::Unsupported, What::Window));
        }
        let view = world.view().unwrap();
        let after = view.bodies()[1];
        assert!(time == length_of && steps > 16 && view.steps() == steps, "{steps}");
        // In front of the wall, which is .4 farther, and no slower.
        assert!(after.position[2] > speed * length_of + 0.25 && after.velocity[2] > speed, "{after:?}");
        let total = sum.iter().fold([0.0; 3], |sum, load| add(sum, *load));
        let change = scale(body.mass / length_of, sub(after.velocity, body.velocity));
        let expected = sub(scale(body.mass, gravity), change);
        assert!(length(sub(total, expected)) < 1e-11 * length(expected), "{total:?} {expected:?}");
        let mean = view.mean_wrenches()[0].force;
        assert!(length(sub(total, mean)) < 1e-11 * length(mean), "{total:?} {mean:?}");
        assert!(expected[2] < -1e3);
    }
}

/// Where meshes stay, steps one by one are the window, and the window goes on where they end.
#[test]
fn steps_one_by_one_are_the_window() {
    let wall = contact::Body::conservative(&walls::regular(4, 1.0), HALO);
    let mesh = surface(&wall, false);
    let shapes = [Shape::Mesh(&mesh), sphere(0.25, HALO)];
    let along = vertex_velocities(&wall, |_| [3.0, 0.0, 0.0]);
    let surfaces = [moving(&wall, &along)];
    let law = WithSurfaces { law: &push, surfaces: &surfaces };
    let (window, most_dt) = (0.03, 0.011);
    let start = || {
        let velocity = [0.0, 0.0, -2.0];
        above(Pose::IDENTITY, Body { velocity, ..Body::ball(0.25, 800.0, [0.0, 0.0, 0.3]).unwrap() })
    };
    let mut one = start();
    one.advance(window, most_dt, &shapes, &law).unwrap();
    let expected = one.view().unwrap().state_hash();
    let steps = one.view().unwrap().steps();
    assert!(steps > 3);
    for singles in 1..=steps {
        let mut world = start();
        let mut all = 0.0;
        for k in 1..=singles {
            let step = world.advance_step(window, most_dt, &shapes, &law).unwrap();
            all += step.dt;
            assert_eq!(step.complete, k == steps);
        }
        assert!((singles == steps) == (all > window * (1.0 - 1e-12)));
        if singles < steps {
            let error = world.advance_step(2.0 * window, most_dt, &shapes, &law).unwrap_err();
            assert_eq!((error.kind, error.what), (Kind::Mismatch, What::Window));
            // Nothing of the window is lost.
            assert!(world.with_loads(|_| ()).is_err());
            world.advance(window, most_dt, &shapes, &law).unwrap();
        }
        assert_eq!(world.view().unwrap().state_hash(), expected);
        assert_eq!(world.view().unwrap().mean_wrenches(), one.view().unwrap().mean_wrenches());
    }
    let mut world = start();
    world.advance_step(window, most_dt, &shapes, &law).unwrap();
    world.advance(window, most_dt, &shapes, &law).unwrap();
    assert_eq!(world.view().unwrap().state_hash(), expected);
}

#[test]
fn a_velocity_that_is_too_large_is_told() {
    let wall = contact::Body::conservative(&walls::regular(2, 1.0), HALO);
    let mesh = surface(&wall, false);
    let shapes = [Shape::Mesh(&mesh), sphere(0.25, HALO)];
    let good = vertex_velocities(&wall, |_| [0.0; 3]);
    let mut wrong = good.clone();
    wrong[1][2] = 1e300;
    let list = [moving(&wall, &good), moving(&wall, &wrong)];
    let mut world = above(Pose::IDENTITY, Body::ball(0.25, 800.0, [0.0, 0.0, 0.3]).unwrap());
    let law = WithSurfaces { law: &push, surfaces: &list };
    world.begin(&StepOptions::new(1e-3)).unwrap();
    let error = world.poll(&shapes, &law).unwrap_err();
    assert_eq!((error.kind, error.what, error.index), (Kind::OutOfRange, What::Surfaces, 1));
}
