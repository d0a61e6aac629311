//! Worlds of balls alone: steps without records come to what the general steps come to.

mod beside;
mod clump_springs;
mod clumps;
mod lists;
mod room;
mod taken_back;
mod threads;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::{Part, Shape};
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal, Pair, dashpot};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Law, LawContext, PollResult, Records, Setup, StepOptions, World, WorldRef, WorldSizes};
use dem_std::{OwnedWorld, Threads};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere};
use dem_tests::vector::{length, sub};

use room::{AMPLE, Roomy, roomier};
use threads::Faulty;

const HALO: f64 = 0.05;
const SHAPES: [Shape<'static>; 2] = [Shape::Sphere { radius: 0.45, halo: HALO }, Shape::HalfSpace { halo: HALO }];

/// Laws that count their general steps, with or without the steps of balls.
struct Counted<'l> {
    laws: Laws<'l>,
    known: bool,
    steps: AtomicUsize,
}

impl<'l> Law for Counted<'l> {
    type Of<'b>
        = Pair<'b>
    where
        'l: 'b;

    fn of<'b>(&'b self, around: LawContext<'b>) -> Pair<'b> {
        self.steps.fetch_add(1, Relaxed);
        self.laws.of(around)
    }

    fn known(&self) -> Option<Laws<'_>> {
        self.known.then_some(self.laws)
    }

    fn spread(&self) -> bool {
        self.laws.spread()
    }
}

/// Bodies, and what holds for them.
struct Case {
    setup: Setup,
    members: Vec<BodyDef>,
    table: Vec<Interaction>,
    dt: f64,
}

impl Case {
    /// Balls of one size in a periodic box, which overlap, with springs of friction.
    fn packed() -> Case {
        Case::lattice(6)
    }

    /// As [`Case::packed`], of so many balls along each edge.
    fn lattice(cells: usize) -> Case {
        let mut random = Random::new(3);
        let body = Body::ball(0.5, 1.0, [0.0; 3]).unwrap();
        let edge = 0.985 * cells as f64;
        let members = (0..cells * cells * cells).map(|i: usize| {
            let cell = [i / (cells * cells), i / cells % cells, i % cells].map(|c| c as f64);
            let position = cell.map(|c| (0.985 * c + random.range(-0.03, 0.03)).rem_euclid(edge));
            let velocity = [0; 3].map(|_| random.range(-2.0, 2.0));
            BodyDef::new(Body { position, velocity, angular_velocity: velocity.map(|v| 3.0 - v), ..body }, 0)
        });
        Case {
            setup: Setup { periods: [edge; 3], ..Setup::default() },
            members: members.collect(),
            table: vec![
                Interaction::new(Normal::Linear, 1e4).damped(Damping::Dashpot, dashpot(0.5)).rough(0.5, 2.0 / 7.0),
            ],
            dt: 1e-3,
        }
    }

    /// Balls of several sizes and materials that fall on a tilted plane, by Hertz's law with rolling resistance and cohesion, and a kinematic one; ids descend.
    fn heap() -> Case {
        let mut random = Random::new(5);
        let s = (0.1f64).sin();
        let mut members = vec![BodyDef {
            id: Some(500),
            ..BodyDef::new(Body::fixed(Pose { orientation: [s, 0.0, 0.0, (1.0 - s * s).sqrt()], ..Pose::IDENTITY }), 1)
        }];
        for i in 0..150 {
            let scale = random.range(0.6, 1.3);
            let position = [f64::from(i % 5), f64::from(i / 5 % 5), 1.4 + f64::from(i / 25)]
                .map(|x| 1.1 * x + random.range(-0.1, 0.1));
            let body = Body { angular_velocity: [1.0, 2.0, -3.0], ..Body::ball(0.5 * scale, 2.0, position).unwrap() };
            let motion = if i == 60 { Motion::Kinematic } else { Motion::Dynamic };
            let body = Body { motion: motion as u32, velocity: [0.0, 0.0, -2.0], ..body };
            members.push(BodyDef { scale, material: i % 2, id: Some(400 - u64::from(i)), ..BodyDef::new(body, 0) });
        }
        let hertz = Interaction {
            rolling: 0.1,
            ..Interaction::new(Normal::Hertz, 4e4).damped(Damping::Dashpot, 0.2).rough(0.4, 0.8)
        };
        let sticky = hertz.sticky(Cohesion::Dmt, 0.5);
        let pressure = Interaction::new(Normal::Pressure, 3e4).damped(Damping::HuntCrossley, 0.3).rough(0.6, 0.3);
        Case {
            setup: Setup { gravity: [0.0, 1.0, -10.0], ..Setup::default() },
            members,
            table: vec![hertz, sticky, pressure],
            dt: 5e-4,
        }
    }

    /// The world after windows of so many steps each, and how many of them were general ones.
    fn run(&self, windows: &[usize], known: bool, change: impl FnOnce(&mut OwnedWorld)) -> (OwnedWorld, usize) {
        let laws = Laws::new(&self.table).unwrap();
        let law = Counted { laws, known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        change(&mut world);
        world.set_up(&self.setup).unwrap();
        self.members.iter().for_each(|member| _ = world.add(member).unwrap());
        for steps in windows {
            world.advance(*steps as f64 * self.dt, self.dt, &SHAPES, &law).unwrap();
        }
        (world, law.steps.into_inner())
    }
}

/// The largest difference of positions, velocities, spins and orientations.
fn difference(x: &OwnedWorld, y: &OwnedWorld, periods: [f64; 3]) -> f64 {
    let (x, y) = (x.view().unwrap(), y.view().unwrap());
    let apart = |x: [f64; 3], y: [f64; 3]| length(sub(x, y));
    x.bodies().iter().zip(y.bodies()).fold(0.0f64, |most, (a, b)| {
        let mut way = sub(a.position, b.position);
        for (d, period) in way.iter_mut().zip(periods) {
            *d -= if period > 0.0 { (*d / period).round() * period } else { 0.0 };
        }
        let turned = (0..4).map(|k| (a.orientation[k] - b.orientation[k]).abs()).fold(0.0, f64::max);
        most.max(length(way))
            .max(turned)
            .max(apart(a.velocity, b.velocity))
            .max(apart(a.angular_velocity, b.angular_velocity))
    })
}

#[test]
fn balls_come_to_what_general_steps_come_to() {
    for case in [Case::packed(), Case::heap()] {
        let windows = [30, 1, 2, 40, 5];
        let (own, few) = case.run(&windows, true, |_| {});
        let (general, all) = case.run(&windows, false, |_| {});
        assert_eq!((few, all), (5, 78), "a step with records for each window");
        let apart = difference(&own, &general, case.setup.periods);
        assert!(apart < 1e-10, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        assert!(x.contacts > 40, "{} contacts", x.contacts);
        assert_eq!((x.contacts, x.pairs, x.steps, x.time), (y.contacts, y.pairs, y.steps, y.time));
        for (a, b) in [
            (x.work, y.work),
            (x.gravity_work, y.gravity_work),
            (x.damped, y.damped),
            (x.rubbed, y.rubbed),
            (x.stored_tangential, y.stored_tangential),
            (x.driven_work, y.driven_work),
            (x.spurious, y.spurious),
        ] {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
        }
        let [x, y] = [&own, &general].map(|world| world.view().unwrap());
        for (body, (a, b)) in x.bodies().iter().zip(x.mean_wrenches().iter().zip(y.mean_wrenches())) {
            let apart = length(sub(a.force, b.force)).max(length(sub(a.torque, b.torque)));
            assert!(apart < 1e-8 * (1.0 + length(b.force)), "{a:?} {b:?}");
            assert!(body.is_dynamic() || length(b.force) > 0.1, "{body:?} bears {b:?}");
        }
        let rolled =
            x.springs().iter().fold(0.0f64, |most, springs| most.max(length(springs[0]).max(length(springs[2]))));
        assert!(rolled > 1e-3, "{rolled}");
        for (a, b) in x.springs().iter().zip(y.springs()) {
            (0..3).for_each(|k| assert!(length(sub(a[k], b[k])) < 1e-8, "{a:?} {b:?}"));
        }
    }
}

/// Without any records windows come to the same, and need no room for them; a step of the host's own has them.
#[test]
fn balls_without_records_come_to_what_general_steps_come_to() {
    for (case, has_room) in [(Case::packed(), false), (Case::heap(), false), (Case::heap(), true)] {
        let windows = [30, 1, 2, 40, 5];
        let (mut own, few) = case.run(&windows, true, |world| {
            if has_room {
                world.keep_records(Records::Last).unwrap();
            }
            world.keep_records(Records::None).unwrap();
        });
        let (mut general, _) = case.run(&windows, false, |_| {});
        assert_eq!(few, 0, "no step with records");
        let view = own.view().unwrap();
        assert_eq!([view.sizes.contacts, view.sizes.candidates], if has_room { [16; 2] } else { [0; 2] });
        assert_eq!(view.wrenches().len(), if has_room { view.len() } else { 0 });
        assert!(view.scene().now().contacts().is_empty() && view.springs().is_empty());
        let apart = difference(&own, &general, case.setup.periods);
        assert!(apart < 1e-10, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        assert_eq!((x.contacts, x.steps, x.time), (0, y.steps, y.time));
        assert!((x.rubbed - y.rubbed).abs() < 1e-9 * (1.0 + y.rubbed), "{} {}", x.rubbed, y.rubbed);
        for (a, b) in own.view().unwrap().wrenches().iter().zip(general.view().unwrap().wrenches()) {
            assert!(length(sub(a.force, b.force)) < 1e-7 * (1.0 + length(b.force)), "{a:?} {b:?}");
        }
        let laws = Laws::new(&case.table).unwrap();
        for world in [&mut own, &mut general] {
            world.begin(&StepOptions::new(case.dt)).unwrap();
            while world.poll(&SHAPES, &laws).unwrap() != PollResult::Done {}
            world.accept().unwrap();
        }
        let apart = difference(&own, &general, case.setup.periods);
        assert!(apart < 1e-10, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.view().unwrap());
        assert!(x.springs().len() > 40 && x.springs().len() == y.springs().len());
        for (a, b) in x.springs().iter().zip(y.springs()) {
            (0..3).for_each(|k| assert!(length(sub(a[k], b[k])) < 1e-8, "{a:?} {b:?}"));
        }
    }
}

#[test]
fn balls_join_and_leave_between_windows() {
    let case = Case::heap();
    let run = |known: bool, records: Records| {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.set_up(&case.setup).unwrap();
        let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
        world.advance(60.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        for handle in handles.iter().skip(1).step_by(7) {
            world.remove(*handle).unwrap();
        }
        world.advance(10.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        let new = Body::ball(0.5, 1.0, [2.0, 2.0, 12.0]).unwrap();
        world.add(&BodyDef { id: Some(7), ..BodyDef::new(new, 0) }).unwrap();
        world.advance(30.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        (world, law.steps.into_inner())
    };
    let (general, _) = run(false, Records::Last);
    for (records, expected) in [(Records::Last, 3), (Records::None, 0)] {
        let (own, few) = run(true, records);
        assert_eq!(few, expected);
        let apart = difference(&own, &general, [0.0; 3]);
        assert!(apart < 1e-10, "{records:?} {apart:e}");
    }
}

#[test]
fn loads_that_are_no_numbers_are_told_by_their_slot_and_leave_no_trace() {
    let case = Case::heap();
    let laws = Laws::new(&case.table).unwrap();
    let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
    let sizes = AMPLE;
    let mut world = Roomy::new(&case, sizes);
    world.advance(60, case.dt, &law).unwrap();
    let loads = |world: &mut Roomy, x| World::open(&mut world.block).unwrap().loads_mut().unwrap()[70].torque[1] = x;
    for (x, kind) in [(f64::NAN, Kind::NotFinite), (1e200, Kind::OutOfRange)] {
        loads(&mut world, 0.0);
        let before = world.hash();
        loads(&mut world, x);
        let error = world.advance(10, case.dt, &law).unwrap_err();
        assert_eq!((error.kind, error.what, error.index, error.component), (kind, What::Wrenches, 70, 4));
        // The window has ended by itself.
        assert_eq!(World::open(&mut world.block).unwrap().abandon().unwrap_err().what, What::Phase);
        loads(&mut world, 0.0);
        assert_eq!(world.hash(), before);
    }
    world.advance(10, case.dt, &law).unwrap();
}

/// What the host turns between windows turns springs once, whether it is a ball that stands still, one that moves or a plane.
#[test]
fn springs_turn_with_what_the_host_turns() {
    let mut case = Case::heap();
    for i in [20, 40] {
        case.members[i].body = Body { motion: Motion::Static as u32, velocity: [0.0; 3], ..case.members[i].body };
        case.members[i].body.angular_velocity = [0.0; 3];
    }
    let run = |known: bool, records: Records| {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.set_up(&case.setup).unwrap();
        let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
        for (i, turn) in [(20usize, 0.2f64), (40, -0.1), (61, 0.3), (0, 0.05)] {
            world.advance(60.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
            let body = world.view().unwrap().bodies()[i];
            let [x, y, z, w] = body.orientation;
            let (s, c) = turn.sin_cos();
            // About the vertical axis, and a quaternion that is not of length 1.
            let orientation = [c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z].map(|q| 1.5 * q);
            world.set_body(handles[i], &Body { orientation, ..body }).unwrap();
        }
        world.advance(20.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        (world, law.steps.into_inner())
    };
    let (general, _) = run(false, Records::Last);
    // One for each window, and one behind the plane that was turned.
    for (records, expected) in [(Records::Last, 6), (Records::None, 1)] {
        let (own, few) = run(true, records);
        assert_eq!(few, expected);
        let apart = difference(&own, &general, [0.0; 3]);
        assert!(apart < 1e-10, "{records:?} {apart:e}");
    }
}

/// All normal laws, dampings and kinds of cohesion, with rolling, torsion and a lag of springs.
#[test]
fn all_laws_come_to_what_general_steps_come_to() {
    let normals = [(Normal::Pressure, 3e4), (Normal::Linear, 1e4), (Normal::Spring, 500.0), (Normal::Hertz, 4e4)];
    let dampings = [
        (Damping::None, 0.0),
        (Damping::HuntCrossley, 0.3),
        (Damping::Dashpot, 0.2),
        (Damping::DashpotWithTension, 0.2),
    ];
    for (normal, stiffness) in normals {
        for (damped, damping) in dampings {
            for (cohesive, cohesion) in [(Cohesion::None, 0.0), (Cohesion::Area, 20.0), (Cohesion::Dmt, 0.5)] {
                let law = Interaction::new(normal, stiffness).damped(damped, damping).rough(0.4, 0.7);
                let law = Interaction { rolling: 0.1, torsion: 0.05, lag: 1e-3, ..law.sticky(cohesive, cohesion) };
                let case = Case { table: vec![law; 3], ..Case::heap() };
                let [(own, few), (general, all)] = [true, false].map(|known| case.run(&[300, 2], known, |_| {}));
                assert_eq!((few, all), (2, 302));
                let apart = difference(&own, &general, [0.0; 3]);
                assert!(apart < 1e-9, "{normal:?} {damped:?} {cohesive:?}: {apart:e}");
                let [x, y] = [&own, &general].map(|world| world.report().unwrap());
                assert!(x.contacts == y.contacts && x.contacts > 10, "{} {}", x.contacts, y.contacts);
                assert!((x.damped - y.damped).abs() < 1e-8 * (1.0 + y.damped.abs()), "{} {}", x.damped, y.damped);
            }
        }
    }
}

/// Friction holds two balls and a compound on a slope, and the host takes a ball and the compound out: what their springs held counts as dissipated by friction, once, however steps are taken.
#[test]
fn springs_of_bodies_that_leave_are_dissipated_however_steps_are_taken() {
    let parts = [-0.08, 0.08].map(|y| Part {
        shape: sphere(0.1, 0.005),
        pose: Pose { position: [0.0, y, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let shapes = [ground(0.005), sphere(0.1, 0.005), Shape::Compound(&parts)];
    let table = [Interaction::new(Normal::Linear, 1e5).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)];
    let laws = Laws::new(&table).unwrap();
    let dt = 1e-4;
    // Whether the steps before and behind are windows of one, and whether the host polls the first one behind.
    let run = |records: Records, compound: bool, single: bool, polls: bool| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.set_up(&Setup { gravity: [3.0, 0.0, -9.0], ..Setup::default() }).unwrap();
        world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
        let ball = |x| Body::ball(0.1, 1e3, [x, 0.0, 0.1045]).unwrap();
        let bodies = [
            (ball(0.5), 1),
            (ball(1.0), 1),
            (Body { moments: [0.05; 3], mass: 8.0, ..ball(2.0) }, 1 + u32::from(compound)),
        ];
        let handles = bodies.map(|(body, shape)| world.add(&BodyDef::new(body, shape)).unwrap());
        let window = if single { 1 } else { 20 };
        let mut rubbed = 0.0;
        let mut steps = |world: &mut OwnedWorld, count: usize| {
            for _ in 0..count.div_ceil(window) {
                let count = count.min(window);
                world.advance(count as f64 * dt, dt, &shapes, &laws).unwrap();
                rubbed += world.report().unwrap().rubbed;
            }
        };
        steps(&mut world, 40);
        let held = world.report().unwrap().stored_tangential;
        world.remove(handles[1]).unwrap();
        world.remove(handles[2]).unwrap();
        let mut by_host = 0.0;
        if polls {
            world.begin(&StepOptions::new(dt)).unwrap();
            while world.poll(&shapes, &laws).unwrap() != PollResult::Done {}
            world.accept().unwrap();
            by_host = world.report().unwrap().rubbed;
        }
        steps(&mut world, if polls { 19 } else { 20 });
        (rubbed + by_host, held)
    };
    for compound in [false, true] {
        let (general, held) = run(Records::Last, compound, true, false);
        assert!(general > 0.6 * held && held > 1e-6, "{general} {held}");
        for records in [Records::Last, Records::None] {
            for (single, polls) in [(false, false), (true, false), (false, true), (true, true)] {
                let (rubbed, _) = run(records, compound, single, polls);
                let off = (rubbed - general).abs();
                assert!(off < 1e-9 * general, "{records:?}, {compound}, {single}, {polls}: {rubbed} {general}");
            }
        }
    }
}
