//! Steps in which bodies approach each other too fast: told before anything is through anything, and divided by `advance`.

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::error::What;
use dem_core::exec::Serial;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, PollResult, Setup, StepInputs, StepOptions, World};
use dem_std::OwnedWorld;
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{add, dot, length, scale, sub};
use dem_tests::worlds::{Own, SIZES, settings};

const HALO: f64 = 0.02;

/// Pressure alone.
fn smooth(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    let push = 2e5 * (1.0 - c.gap / c.halo) * c.area;
    ContactResponse { force: scale(push, c.normal), torque: scale(2e5, c.moment), springs: [[0.0; 3]; 5] }
}

/// A law that must not be called.
fn never(_: &ContactInput<'_, 5>) -> ContactResponse<5> {
    ContactResponse { force: [f64::NAN; 3], torque: [0.0; 3], springs: [[0.0; 3]; 5] }
}

#[test]
fn nothing_passes_through_anything() {
    // A ball that would cross the plane, another ball, and a thin box in one step.
    let plate = contact::Body::conservative(&cuboid([2.0, 2.0, 0.01]), HALO);
    let plate = surface(&plate, true);
    let shapes = [ground(HALO), sphere(0.25, HALO), Shape::Mesh(&plate)];
    let ball = |position, velocity| Body { velocity, ..Body::ball(0.25, 800.0, position).unwrap() };
    let target = |shape: u32| match shape {
        1 => BodyDef::new(Body::ball(0.25, 800.0, [0.0; 3]).unwrap(), 1),
        _ => BodyDef::new(Body::fixed(Pose::IDENTITY), shape),
    };
    for shape in [0, 1, 2] {
        for (speed, dt) in [(1000.0, 1e-2), (50.0, 1e-2), (5.0, 1e-2)] {
            let mut own = Own::new(&SIZES);
            own.world().add(&target(shape)).unwrap();
            // Gaps of .3 to the surface; another one far away, as fast.
            let high = 0.25 + 0.3 + if shape == 1 { 0.25 } else { 0.005 };
            own.world().add(&BodyDef::new(ball([0.0, 0.0, high], [0.0, 0.0, -speed]), 1)).unwrap();
            own.world().add(&BodyDef::new(ball([0.0, 1e4, 1e4], [0.0, 0.0, speed]), 1)).unwrap();
            own.world().begin(&StepOptions::new(dt)).unwrap();
            let want = own.poll(&shapes, &smooth, &Serial).unwrap();
            if speed * dt < 0.3 {
                // It comes nearer, and does not arrive.
                assert!(shape == 2 || want == PollResult::More, "{shape} {speed}");
                continue;
            }
            assert_eq!(want, PollResult::Stuck, "{shape} {speed}");
            assert_eq!(own.poll(&shapes, &smooth, &Serial).unwrap(), PollResult::Stuck);
            let fast = own.view().too_fast();
            let mut pair = [fast.a, fast.b];
            pair.sort();
            assert_eq!(pair, [0, 1]);
            assert!(fast.ratio > 1.0 && fast.dt <= HALO / speed && fast.dt > 0.5 * HALO / speed, "{fast:?}");
            assert_eq!(own.world().accept().unwrap_err().what, What::Phase);
            own.world().abandon().unwrap();
            // A window is divided: the ball bounces.
            let drive =
                StepInputs { shapes: &shapes, exec: &Serial, isa: Isa::best(), settings: settings(), law: &stiff };
            World::open(&mut own.block).unwrap().advance(2.0 * dt, dt, &drive, &mut own.scratch).unwrap();
            let body = own.view().bodies()[1];
            assert!(body.position[2] > 0.2, "{shape} {speed}: {body:?}");
            assert_eq!(own.view().time(), 2.0 * dt);
            assert!(own.view().steps() > 3);
        }
    }
}

/// Stiff enough for whatever hits it at the speeds of that test.
fn stiff(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    ContactResponse {
        force: scale(1e13 * (1.0 - c.gap / c.halo) * c.area, c.normal),
        torque: [0.0; 3],
        springs: [[0.0; 3]; 5],
    }
}

#[test]
fn too_fast_is_looked_for_as_by_all_pairs() {
    let shapes = [sphere(1.0, HALO)];
    let mut random = Random::new(13);
    let (mut stuck, mut free) = (0, 0);
    for case in 0..60 {
        let periods = if case % 2 == 0 { [0.0; 3] } else { [3.0, 0.0, 3.5] };
        let mut own = Own::new(&SIZES);
        own.world().set_up(&Setup { periods, ..Setup::default() }).unwrap();
        let mut all = Vec::new();
        for _ in 0..12 {
            let position = random.in_cube(1.7);
            let velocity = scale(f64::from(case % 5), random.in_cube(1.0));
            let radius = 0.2;
            let body = Body { velocity, ..Body::ball(radius, 1.0, position).unwrap() };
            all.push((position, velocity));
            own.world().add(&BodyDef { scale: radius, ..BodyDef::new(body, 0) }).unwrap();
        }
        let dt = 0.05;
        own.world().begin(&StepOptions::new(dt)).unwrap();
        let want = own.poll(&shapes, &never, &Serial).unwrap();
        // Each pair and image: the least distance of both centres in the step.
        let mut expected = 0.0_f64;
        for (i, (p, v)) in all.iter().enumerate() {
            for (q, u) in &all[..i] {
                for image in 0..9 {
                    let shift = [periods[0] * f64::from(image % 3 - 1), 0.0, periods[2] * f64::from(image / 3 - 1)];
                    if (periods[0] == 0.0) && image > 0 {
                        continue;
                    }
                    let (d, w) = (sub(add(*p, shift), *q), scale(dt, sub(*v, *u)));
                    let part = (-dot(d, w) / dot(w, w)).clamp(0.0, 1.0);
                    let reach = 2.0 * (0.2 + 0.2 * HALO);
                    if length(add(d, scale(part, w))) < reach {
                        expected = expected.max(length(w) / (0.2 * HALO));
                    }
                }
            }
        }
        let ratio = own.view().too_fast().ratio;
        assert!((ratio - expected).abs() <= 1e-9 * expected, "{case}: {ratio} {expected}");
        assert_eq!(want == PollResult::Stuck, expected > 1.0);
        if want == PollResult::Stuck { stuck += 1 } else { free += 1 }
    }
    assert!(stuck > 10 && free > 3, "{stuck} {free}");
}

#[test]
fn a_body_that_crosses_its_periods_is_told_before_its_images_are_counted() {
    // Swept bounds of thousands of periods: pairs of them would be millions.
    let shapes = [sphere(0.25, HALO)];
    let fly = |position, velocity| Body { velocity, ..Body::ball(0.25, 800.0, position).unwrap() };
    let mut own = Own::new(&SIZES);
    own.world().set_up(&Setup { periods: [2.0, 0.0, 3.0], ..Setup::default() }).unwrap();
    for i in 0..8 {
        own.world().add(&BodyDef::new(fly([0.0, f64::from(i), 0.0], [0.0; 3]), 0)).unwrap();
    }
    let mut fast = fly([1.0, 20.0, 1.5], [-5e4, 0.0, 0.0]);
    own.world().add(&BodyDef::new(fast, 0)).unwrap();
    own.world().begin(&StepOptions::new(0.1)).unwrap();
    assert_eq!(own.poll(&shapes, &never, &Serial).unwrap(), PollResult::Stuck);
    let told = own.view().too_fast();
    assert_eq!((told.a, told.b), (8, 8));
    assert!((told.ratio - 2500.0).abs() < 1e-9 && told.dt * 5e4 < 2.0 && told.dt * 5e4 > 1.9, "{told:?}");
    // Nobody is in its way, along the directions that have periods and the one that has none.
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { periods: [2.0, 0.0, 3.0], ..Setup::default() }).unwrap();
    fast.velocity = [-5e3, 7e3, 0.0];
    let handle = world.add(&BodyDef::new(fast, 0)).unwrap();
    world.advance(0.1, 0.1, &shapes, &smooth).unwrap();
    let position = world.view().unwrap().body(handle).unwrap().position;
    assert!(length(sub(position, [1.0, 720.0, 1.5])) < 1e-9, "{position:?}");
}

#[test]
fn a_body_without_a_halo_passes_through_no_halo_of_another() {
    let shapes = [sphere(0.25, HALO), sphere(0.25, 0.0), ground(HALO)];
    for (target, high) in [(0, 0.9), (2, 0.5)] {
        for balls_only in [true, false] {
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            let other = Body::fixed(Pose::IDENTITY);
            world.add(&BodyDef::new(other, target)).unwrap();
            if !balls_only {
                // Keeps the scene from the path of balls.
                world
                    .add(&BodyDef::new(Body::fixed(Pose { position: [0.0, 0.0, -1e4], ..Pose::IDENTITY }), 3))
                    .unwrap();
            }
            let ball = Body { velocity: [0.0, 0.0, -100.0], ..Body::ball(0.25, 800.0, [0.0, 0.0, high]).unwrap() };
            world.add(&BodyDef::new(ball, 1)).unwrap();
            let mesh = contact::Body::conservative(&cuboid([2.0, 2.0, 0.01]), HALO);
            let surface = surface(&mesh, true);
            let shapes = [shapes[0], shapes[1], shapes[2], Shape::Mesh(&surface)];
            world.begin(&StepOptions::new(0.05)).unwrap();
            let want = world.poll(&shapes, &never).unwrap();
            assert_eq!(want, PollResult::Stuck, "{target} {balls_only}");
            world.abandon().unwrap();
            world.advance(0.05, 0.05, &shapes, &stiff).unwrap();
            let view = world.view().unwrap();
            let ball = view.bodies().last().unwrap();
            assert!(ball.position[2] > 0.2 && ball.velocity[2] > 90.0, "{target} {balls_only}: {ball:?}");
        }
    }
}
