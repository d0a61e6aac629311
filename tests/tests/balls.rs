//! Worlds of balls alone: steps without records come to what the general steps come to.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::Shape;
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal, Pair, dashpot};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{Around, Law, Member, Setup};
use dem_std::{OwnedWorld, Threads};
use dem_tests::random::Random;
use dem_tests::vector::{length, sub};

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

    fn of<'b>(&'b self, around: Around<'b>) -> Pair<'b> {
        self.steps.fetch_add(1, Relaxed);
        self.laws.of(around)
    }

    fn known(&self) -> Option<Laws<'_>> {
        self.known.then_some(self.laws)
    }
}

/// Bodies, and what holds for them.
struct Case {
    setup: Setup,
    members: Vec<Member>,
    table: Vec<Interaction>,
    dt: f64,
}

impl Case {
    /// Balls of one size in a periodic box, which overlap, with springs of friction.
    fn packed() -> Case {
        let (cells, mut random) = (6, Random::new(3));
        let body = Body::ball(0.5, 1.0, [0.0; 3]).unwrap();
        let members = (0..cells * cells * cells).map(|i: usize| {
            let cell = [i / 36, i / 6 % 6, i % 6].map(|c| c as f64);
            let position = cell.map(|c| (0.985 * c + random.range(-0.03, 0.03)).rem_euclid(0.985 * 6.0));
            let velocity = [0; 3].map(|_| random.range(-2.0, 2.0));
            Member::new(Body { position, velocity, angular_velocity: velocity.map(|v| 3.0 - v), ..body }, 0)
        });
        Case {
            setup: Setup { periods: [0.985 * cells as f64; 3], ..Setup::default() },
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
        let mut members = vec![Member {
            id: Some(500),
            ..Member::new(Body::fixed(Pose { orientation: [s, 0.0, 0.0, (1.0 - s * s).sqrt()], ..Pose::IDENTITY }), 1)
        }];
        for i in 0..150 {
            let scale = random.range(0.6, 1.3);
            let position = [f64::from(i % 5), f64::from(i / 5 % 5), 1.4 + f64::from(i / 25)]
                .map(|x| 1.1 * x + random.range(-0.1, 0.1));
            let body = Body { angular_velocity: [1.0, 2.0, -3.0], ..Body::ball(0.5 * scale, 2.0, position).unwrap() };
            let motion = if i == 60 { Motion::Kinematic } else { Motion::Dynamic };
            let body = Body { motion: motion as u32, velocity: [0.0, 0.0, -2.0], ..body };
            members.push(Member { scale, material: i % 2, id: Some(400 - u64::from(i)), ..Member::new(body, 0) });
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
        ] {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
        }
        let [x, y] = [&own, &general].map(|world| world.view().unwrap());
        let rolled =
            x.springs().iter().fold(0.0f64, |most, springs| most.max(length(springs[0]).max(length(springs[2]))));
        assert!(rolled > 1e-3, "{rolled}");
        for (a, b) in x.springs().iter().zip(y.springs()) {
            (0..3).for_each(|k| assert!(length(sub(a[k], b[k])) < 1e-8, "{a:?} {b:?}"));
        }
    }
}

#[test]
fn neither_lists_nor_instructions_nor_threads_change_a_bit_of_balls() {
    for case in [Case::packed(), Case::heap()] {
        let hash = |change: &dyn Fn(&mut OwnedWorld)| {
            let (world, few) = case.run(&[60, 20], true, change);
            assert_eq!(few, 2);
            world.view().unwrap().state_hash()
        };
        let first = hash(&|_| {});
        for skin in [1e-3, 0.03, 0.2] {
            assert_eq!(hash(&|world| world.settings.skin = skin), first, "skin {skin}");
        }
        for isa in Isa::list() {
            assert_eq!(hash(&|world| world.isa = *isa), first, "{}", isa.name());
        }
        for threads in [2, 3] {
            assert_eq!(
                hash(&|world| *world = OwnedWorld::new(Threads::new(threads).unwrap())),
                first,
                "{threads} threads"
            );
        }
    }
}

#[test]
fn balls_join_and_leave_between_windows() {
    let case = Case::heap();
    let run = |known: bool| {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&case.setup).unwrap();
        let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
        world.advance(60.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        for handle in handles.iter().skip(1).step_by(7) {
            world.remove(*handle).unwrap();
        }
        world.advance(10.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        let new = Body::ball(0.5, 1.0, [2.0, 2.0, 12.0]).unwrap();
        world.add(&Member { id: Some(7), ..Member::new(new, 0) }).unwrap();
        world.advance(30.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        (world, law.steps.into_inner())
    };
    let ((own, few), (general, _)) = (run(true), run(false));
    assert_eq!(few, 3);
    let apart = difference(&own, &general, [0.0; 3]);
    assert!(apart < 1e-10, "{apart:e}");
}
