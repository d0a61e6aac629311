//! Steps in which bodies approach each other too fast: told before anything is through anything, and divided by `advance`.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, PollResult, Records, Setup, StepInputs, StepOptions, World};
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

/// Stiff enough for what the loads of the tests below press on it.
fn firm(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    ContactResponse {
        force: scale(1e11 * (1.0 - c.gap / c.halo) * c.area, c.normal),
        torque: [0.0; 3],
        springs: [[0.0; 3]; 5],
    }
}

#[test]
fn a_load_carries_nothing_through_anything() {
    // From rest, by 400 halos in one step.
    let (dt, rate) = (1e-3, 8e5);
    let plate = contact::Body::conservative(&cuboid([2.0, 2.0, 0.01]), HALO);
    let plate = surface(&plate, true);
    let halves = [-0.1, 0.1].map(|x| Part {
        shape: sphere(0.2, HALO),
        pose: Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let shapes = [ground(HALO), sphere(0.25, HALO), Shape::Mesh(&plate), Shape::Compound(&halves)];
    for target in [0, 1, 2] {
        for kind in [1, 3] {
            let high = 0.25 + 0.2 + if target == 1 { 0.25 } else { 0.005 };
            let ball = Body::ball(0.25, 800.0, [0.0, 0.0, high]).unwrap();
            let mut own = Own::new(&SIZES);
            let held = Body::fixed(Pose::IDENTITY);
            own.world().add(&BodyDef::new(held, target)).unwrap();
            own.world().add(&BodyDef::new(ball, kind)).unwrap();
            own.world().add(&BodyDef::new(Body { position: [0.0, 1e4, 1e4], ..ball }, kind)).unwrap();
            let down = [0.0, 0.0, -rate * ball.mass];
            let press = |own: &mut Own, force| {
                own.world().loads_mut().unwrap()[1..].iter_mut().for_each(|load| load.force = force);
            };
            // Where the host gives it before the step.
            press(&mut own, down);
            own.world().begin(&StepOptions::new(dt)).unwrap();
            assert_eq!(own.poll(&shapes, &firm, &Serial).unwrap(), PollResult::Stuck, "{target} {kind}");
            let told = own.view().too_fast();
            let mut pair = [told.a, told.b];
            pair.sort();
            let ratio = rate * dt * dt / HALO;
            assert_eq!(pair, [0, 1]);
            assert!((told.ratio - ratio).abs() < 1e-9 * ratio && told.dt < dt / ratio, "{told:?}");
            own.world().abandon().unwrap();
            // Within the step: what was there before does not count, since the host may change it.
            let until_loads = |own: &mut Own| {
                own.world().begin(&StepOptions { loads: true, ..StepOptions::new(dt) }).unwrap();
                while own.poll(&shapes, &firm, &Serial).unwrap() != PollResult::Loads {}
            };
            let before = own.view().state_hash();
            until_loads(&mut own);
            assert_eq!(own.poll(&shapes, &firm, &Serial).unwrap(), PollResult::Stuck);
            assert_eq!(own.poll(&shapes, &firm, &Serial).unwrap(), PollResult::Stuck);
            assert_eq!(own.view().too_fast(), told);
            own.world().abandon().unwrap();
            assert_eq!(own.view().state_hash(), before);
            until_loads(&mut own);
            press(&mut own, [0.0; 3]);
            while own.poll(&shapes, &firm, &Serial).unwrap() != PollResult::Done {}
            own.world().abandon().unwrap();
            press(&mut own, down);
            // A window is divided: the ball bounces. Worlds of balls alone have no records.
            let drive =
                StepInputs { shapes: &shapes, exec: &Serial, isa: Isa::best(), settings: settings(), law: &firm };
            World::open(&mut own.block).unwrap().advance(2.0 * dt, dt, &drive, &mut own.scratch).unwrap();
            let body = own.view().bodies()[1];
            assert!(body.position[2] > 0.2, "{target} {kind}: {body:?}");
            assert!(own.view().steps() > 10, "{}", own.view().steps());
        }
    }
}

#[test]
fn steps_of_balls_without_records_count_loads() {
    // As many balls as fill lanes, each above one that is held; compounds of balls in their place.
    let laws = [Interaction::new(Normal::Linear, 4e10)];
    let halves = [-0.1, 0.1].map(|x| Part {
        shape: sphere(0.2, HALO),
        pose: Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let shapes = [sphere(0.25, HALO), Shape::Compound(&halves)];
    for kind in [0, 1] {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(Records::None).unwrap();
        for i in 0..16 {
            let held = Body::fixed(Pose { position: [f64::from(i), 0.0, 0.0], ..Pose::IDENTITY });
            world.add(&BodyDef::new(held, 0)).unwrap();
        }
        for i in 0..16 {
            let ball = Body::ball(0.25, 800.0, [f64::from(i), 0.0, 0.7]).unwrap();
            world.add(&BodyDef::new(ball, kind)).unwrap();
        }
        world.with_loads(|loads| loads[16..].iter_mut().for_each(|load| load.force[2] = -6e7)).unwrap();
        // Where one step would take them all below the others.
        world.advance(1e-3, 1e-3, &shapes, &Laws::new(&laws).unwrap()).unwrap();
        let view = world.view().unwrap();
        for body in &view.bodies()[16..] {
            assert!(body.position[2] > 0.3, "{kind}: {body:?}");
        }
        assert!(view.steps() > 10, "{}", view.steps());
    }
}

#[test]
fn a_torque_turns_nothing_through_anything() {
    // A rod that would turn through a ball beside its end.
    let shapes = [sphere(0.25, HALO), Shape::Capsule { half_length: 2.0, radius: 0.1, halo: HALO }];
    let along_x = Pose { orientation: [0.0, 0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt()], ..Pose::IDENTITY };
    let rod = Body::capsule(2.0, 0.1, 800.0, &along_x).unwrap();
    let mut own = Own::new(&SIZES);
    own.world().add(&BodyDef::new(rod, 1)).unwrap();
    own.world().add(&BodyDef::new(Body::ball(0.25, 800.0, [1.8, 0.5, 0.0]).unwrap(), 0)).unwrap();
    let dt = 1e-2;
    for (angle, want) in [(1e-3, PollResult::More), (1.0, PollResult::Stuck)] {
        own.world().loads_mut().unwrap()[0].torque = [0.0, 0.0, angle / (dt * dt) * rod.moments[0]];
        own.world().begin(&StepOptions::new(dt)).unwrap();
        assert_eq!(own.poll(&shapes, &never, &Serial).unwrap(), want, "{angle}");
        own.world().abandon().unwrap();
    }
}

#[test]
fn loads_that_are_no_numbers_are_told_as_before() {
    let shapes = [sphere(0.25, HALO)];
    let mut own = Own::new(&SIZES);
    for x in [0.0, 0.8] {
        own.world().add(&BodyDef::new(Body::ball(0.25, 800.0, [x, 0.0, 0.0]).unwrap(), 0)).unwrap();
    }
    for (force, kind) in [(f64::NAN, Kind::NotFinite), (f64::INFINITY, Kind::NotFinite), (1e200, Kind::OutOfRange)] {
        own.world().loads_mut().unwrap()[1].force[0] = force;
        own.world().begin(&StepOptions::new(0.1)).unwrap();
        let error = loop {
            match own.poll(&shapes, &smooth, &Serial) {
                Ok(want) => assert_eq!(want, PollResult::More),
                Err(error) => break error,
            }
        };
        assert_eq!((error.kind, error.what, error.index, error.component), (kind, What::Wrenches, 1, 0));
        own.world().abandon().unwrap();
    }
}

#[test]
fn the_velocity_of_a_static_body_moves_nothing() {
    // Without friction and damping it has no effect: what flies along with a belt meets the belt where it stays, after as many steps.
    let (long, thin) = (cuboid([1.0, 1.0, 0.2]), cuboid([1.0, 1.0, 0.04]));
    let [long, thin] = [&long, &thin].map(|mesh| contact::Body::conservative(mesh, 0.005));
    let [long, thin] = [&long, &thin].map(|mesh| surface(mesh, true));
    let halves = [-0.1, 0.1].map(|x| Part {
        shape: sphere(0.2, 0.005),
        pose: Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let shapes = [
        sphere(0.05, 0.005),
        Shape::Mesh(&long),
        Shape::Mesh(&thin),
        sphere(0.3, 0.005),
        Shape::Compound(&halves),
        ground(0.005),
        Shape::Capsule { half_length: 0.3, radius: 0.2, halo: 0.005 },
    ];
    let laws = [Interaction::new(Normal::Linear, 1e8)];
    let law = Laws::new(&laws).unwrap();
    let dt = 1e-2;
    // What flies, where from, and the velocity of what it meets.
    let along = ([0.8, 0.0, 0.0], [-50.0, 0.0, 0.0]);
    let down = ([0.0, 0.0, 0.5], [0.0, 0.0, -60.0]);
    for (shape, (position, velocity)) in
        [(1, along), (1, down), (2, along), (2, down), (3, along), (4, along), (4, down), (5, down), (6, along)]
    {
        for mode in [Records::Last, Records::None] {
            for watch in [false, true] {
                let run = |part: f64, spin: f64| {
                    let mut world = OwnedWorld::with_executor(Box::new(Serial));
                    world.watch(watch).unwrap();
                    world.keep_records(mode).unwrap();
                    let belt = Body {
                        velocity: scale(part, velocity),
                        angular_velocity: [0.0, spin, 0.3 * spin],
                        ..Body::fixed(Pose::IDENTITY)
                    };
                    world.add(&BodyDef::new(belt, shape)).unwrap();
                    let body = Body { velocity, ..Body::ball(0.05, 1e3, position).unwrap() };
                    world.add(&BodyDef::new(body, 0)).unwrap();
                    world.advance(2.0 * dt, dt, &shapes, &law).unwrap();
                    let report = world.report().unwrap();
                    let told = (report.steps, report.window_gap, report.window_approach, report.approach);
                    (world.view().unwrap().bodies()[1], told)
                };
                let still = run(0.0, 0.0);
                let place = still.0.position;
                assert!(still.1.0 > 10 && place[0] + place[2] > 0.0, "{shape}: {still:?}");
                for (part, spin) in
                    [(0.4, 0.0), (0.98, 0.0), (1.0, 0.0), (3.0, 0.0), (-1.0, 0.0), (0.0, 100.0), (1.0, 300.0)]
                {
                    assert_eq!(run(part, spin), still, "{shape} {mode:?} {watch} {part} {spin}");
                }
            }
        }
    }
}

#[test]
fn slots_decide_nothing_where_bodies_are_of_one_size() {
    let mesh = contact::Body::conservative(&cuboid([1.2, 0.2, 0.2]), 0.01);
    let mesh = surface(&mesh, true);
    let shapes = [Shape::Mesh(&mesh), Shape::Capsule { half_length: 0.5, radius: 0.1, halo: 0.01 }, sphere(0.3, 0.01)];
    let laws = [Interaction::new(Normal::Linear, 1e4)];
    let law = Laws::new(&laws).unwrap();
    let mut random = Random::new(21);
    let mut divided = 0;
    for case in 0..180 {
        let periods = if case % 2 == 0 { [0.0; 3] } else { [4.1, 0.0, 4.3] };
        let motion = [Motion::Dynamic, Motion::Static, Motion::Kinematic][case / 2 % 3];
        let bodies: Vec<_> = (0..3)
            .map(|i| Body {
                mass: 10.0,
                moments: [0.3; 3],
                motion: if i == 1 { motion } else { Motion::Dynamic } as u32,
                velocity: random.in_cube(4.0),
                angular_velocity: random.in_cube(5.0),
                ..Body::fixed(Pose { position: random.in_cube(1.2), orientation: random.rotation() })
            })
            .collect();
        let run = |order: [usize; 3]| {
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.set_up(&Setup { periods, ..Setup::default() }).unwrap();
            let mut handles = [None; 3];
            for i in order {
                let def = BodyDef::new(bodies[i], (case / 6 % 3) as u32);
                handles[i] = Some(world.add(&BodyDef { id: Some(10 + i as u64), ..def }).unwrap());
            }
            world.advance(0.3, 0.1, &shapes, &law).unwrap();
            let view = world.view().unwrap();
            (view.steps(), handles.map(|handle| view.body(handle.unwrap()).unwrap()))
        };
        let first = run([0, 1, 2]);
        divided += usize::from(first.0 > 3);
        for order in [[1, 0, 2], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(run(order), first, "{case} {order:?}");
        }
    }
    assert!(divided > 100, "{divided}");
}

/// A ghost stays in its place within a window of several steps, whatever its velocity: what flies along with it meets it there.
#[test]
fn ghosts_stay_where_windows_have_several_steps() {
    let shapes = [sphere(0.3, 0.005), sphere(0.05, 0.005)];
    let laws = [Interaction::new(Normal::Linear, 1e7)];
    let law = Laws::new(&laws).unwrap();
    let dt = 1e-2;
    let run = |windows: &[u32], ghost: [f64; 3], spin: f64| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        let body = Body { motion: Motion::Ghost as u32, velocity: ghost, ..Body::fixed(Pose::IDENTITY) };
        world.add(&BodyDef::new(Body { angular_velocity: [0.0, 0.0, spin], ..body }, 0)).unwrap();
        let body = Body { velocity: [-50.0, 0.0, 0.0], ..Body::ball(0.05, 1e3, [0.8, 0.0, 0.0]).unwrap() };
        world.add(&BodyDef::new(body, 1)).unwrap();
        for steps in windows {
            world.advance(f64::from(*steps) * dt, dt, &shapes, &law).unwrap();
        }
        let view = world.view().unwrap();
        (view.steps(), view.bodies()[1])
    };
    for windows in [&[2, 3], &[3, 2]] {
        let still = run(windows, [0.0; 3], 0.0);
        assert!(still.0 > 100 && (still.1.velocity[0] - 50.0).abs() < 1.0, "{still:?}");
        for (velocity, spin) in [(-50.0, 0.0), (-49.0, 3.0), (50.0, 0.0), (-150.0, 0.0)] {
            assert_eq!(run(windows, [velocity, 0.0, 0.0], spin), still, "{windows:?} {velocity}");
        }
    }
    // In one step it moves as it does in its own world, so that both may fly one behind the other.
    assert_eq!(run(&[1], [-50.0, 0.0, 0.0], 0.0).0, 1);
}
