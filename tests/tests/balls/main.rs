//! Worlds of balls alone: steps without records come to what the general steps come to.

mod beside;
mod clumps;
mod lists;

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::Room;
use dem_core::contact::shape::Shape;
use dem_core::detect::Settings;
use dem_core::error::{Error, Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal, Pair, dashpot};
use dem_core::memory::{self, Layout};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{
    BodyDef, Law, LawContext, PollResult, Records, Setup, StepInputs, StepOptions, World, WorldRef, WorldSizes,
    world_scratch,
};
use dem_std::{Memory, OwnedWorld, Threads};
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

/// What a million balls with 1.8 million contacts and 3 million pairs in the list take without records: the block, and scratch of one and of two threads.
#[test]
fn a_million_balls_take_no_more_than() {
    let (bodies, ball_pairs, ball_contacts) = (1_000_000, 3_000_000, 1_800_000);
    let sizes =
        WorldSizes { bodies, candidates: 0, contacts: 0, nodes: 0, levels: 8, ball_pairs, ball_contacts, events: 0 };
    let settings = OwnedWorld::with_executor(Box::new(Serial)).settings;
    let block = World::layout(&sizes).unwrap().size;
    let scratch = [1, 2].map(|threads| world_scratch(&sizes, &SHAPES, &settings, threads).unwrap().size);
    memory::walk(&sizes, &mut |section| {
        if section.bytes > 10_000 {
            println!("{:>12} {}", section.bytes, section.name);
        }
    });
    println!("{scratch:?} bytes of scratch");
    assert!(block <= 480_000_000 && scratch[0] <= 100_000 && block + scratch[1] <= 500_000_000, "{block} {scratch:?}");
}

#[test]
fn neither_lists_nor_instructions_nor_threads_change_a_bit_of_balls() {
    for (case, records) in
        [(Case::packed(), Records::Last), (Case::heap(), Records::Last), (Case::heap(), Records::None)]
    {
        let hash = |change: &dyn Fn(&mut OwnedWorld)| {
            let (world, few) = case.run(&[60, 20], true, |world| {
                change(world);
                world.keep_records(records).unwrap();
            });
            assert_eq!(few, if records == Records::Last { 2 } else { 0 });
            let spurious = world.report().unwrap().spurious;
            assert_eq!(spurious != 0.0, records == Records::Last);
            world.view().unwrap().state_hash() ^ spurious.to_bits()
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

/// An executor that calls some threads twice, some late and some not at all.
struct Faulty(usize);

impl Executor for Faulty {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for threads in [vec![threads - 1, threads + 7], vec![0, 0], (1..threads).rev().step_by(2).collect()] {
                scope.spawn(move || threads.into_iter().for_each(thread));
            }
        });
    }
}

/// So many that lists, forces and bodies are cut into several chunks, with ids that ascend, descend, and follow no order.
#[test]
fn many_balls_have_the_same_bits_on_any_threads() {
    for stride in [1, 2743, 1235] {
        let mut case = Case::lattice(14);
        for (i, member) in (0u64..).zip(&mut case.members) {
            member.id = Some(i * stride % 2744);
        }
        let (one, few) = case.run(&[25, 5], true, |_| {});
        assert_eq!(few, 2);
        let one = one.view().unwrap().state_hash();
        let others: [&dyn Fn(&mut OwnedWorld); 6] = [
            &|world| *world = OwnedWorld::new(Threads::new(2).unwrap()),
            &|world| *world = OwnedWorld::new(Threads::new(3).unwrap()),
            &|world| *world = OwnedWorld::with_executor(Box::new(Faulty(2))),
            &|world| *world = OwnedWorld::with_executor(Box::new(Faulty(9))),
            &|world| world.settings.skin = 0.3,
            &|world| world.settings.skin = 1e-3,
        ];
        for (i, change) in others.iter().enumerate() {
            assert_eq!(case.run(&[25, 5], true, change).0.view().unwrap().state_hash(), one, "stride {stride}, {i}");
        }
        let (own, general) = (case.run(&[25, 5], true, |_| {}).0, case.run(&[25, 5], false, |_| {}).0);
        let apart = difference(&own, &general, case.setup.periods);
        assert!(apart < 1e-10, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        assert!(x.contacts == y.contacts && x.contacts > 5000, "{} {}", x.contacts, y.contacts);
        assert!((x.work - y.work).abs() < 1e-9 * y.work.abs(), "{} {}", x.work, y.work);
        assert!((x.rubbed - y.rubbed).abs() < 1e-9 * y.rubbed, "{} {}", x.rubbed, y.rubbed);
    }
}

/// Threads that count how often they are called.
struct Phases<'c>(Threads, &'c AtomicUsize);

impl Executor for Phases<'_> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn run(&self, lanes: usize, lane: &(dyn Fn(usize) + Sync)) {
        self.1.fetch_add(1, Relaxed);
        self.0.run(lanes, lane);
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.0.enter(work);
    }
}

/// Each step but the last one of a window is two phases: copies of bodies move that other threads need, and all move as forces of the next step are found.
#[test]
fn threads_move_balls_and_find_forces_on_one_walk() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let case = Case { dt: 1e-4, ..Case::lattice(20) };
    let run = |threads: Option<usize>, steps: usize| {
        let before = CALLS.load(Relaxed);
        let (world, general) = case.run(&[steps], true, |world| {
            if let Some(threads) = threads {
                *world = OwnedWorld::with_executor(Box::new(Phases(Threads::new(threads).unwrap(), &CALLS)));
            }
            world.keep_records(Records::None).unwrap();
        });
        assert_eq!(general, 0);
        (world.view().unwrap().state_hash(), CALLS.load(Relaxed) - before)
    };
    for steps in [4, 14] {
        let (alone, _) = run(None, steps);
        assert_eq!([run(Some(2), steps).0, run(Some(3), steps).0], [alone; 2]);
    }
    for threads in [2, 3] {
        let [few, many] = [4, 14].map(|steps| run(Some(threads), steps).1);
        assert_eq!(many - few, 10 * 2, "{threads} threads: {few} {many}");
    }
}

/// So many that several threads add up forces of one part of the list after the other.
#[test]
fn very_many_balls_have_the_same_bits_on_any_threads() {
    let case = Case::lattice(36);
    let run = |threads: Option<usize>| {
        let (world, _) = case.run(&[4], true, |world| {
            if let Some(threads) = threads {
                *world = OwnedWorld::new(Threads::new(threads).unwrap());
            }
            world.keep_records(Records::None).unwrap();
        });
        let view = world.view().unwrap();
        assert!(view.sizes.ball_contacts > 2 << 16, "{}", view.sizes.ball_contacts);
        (view.state_hash(), world.report().unwrap().rubbed.to_bits())
    };
    assert_eq!([run(Some(2)), run(Some(3))], [run(None); 2]);
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

const AMPLE: WorldSizes = WorldSizes {
    bodies: 256,
    candidates: 8000,
    contacts: 4000,
    nodes: 9000,
    levels: 8,
    ball_pairs: 8000,
    ball_contacts: 4000,
    events: 0,
};

/// Which of the sizes an error is about (candidates, contacts, pairs and contacts of balls, nodes), and those that it says will do.
fn roomier(error: &Error, sizes: &WorldSizes) -> (usize, WorldSizes) {
    let needed = error.needed as u32;
    match (error.what, error.component) {
        (What::Candidates, 0) => (0, WorldSizes { candidates: needed, ..*sizes }),
        (What::Contacts, 0) => (1, WorldSizes { contacts: needed, ..*sizes }),
        (What::Candidates, 1) => (2, WorldSizes { ball_pairs: needed, ..*sizes }),
        (What::Contacts, 1) => (3, WorldSizes { ball_contacts: needed, ..*sizes }),
        (What::Nodes, _) => (4, WorldSizes { nodes: needed, ..*sizes }),
        what => panic!("{what:?}"),
    }
}

/// A world of the host's own memory.
struct Roomy {
    block: Memory,
    sizes: WorldSizes,
    scratch: Memory,
}

impl Roomy {
    fn new(case: &Case, sizes: WorldSizes) -> Roomy {
        let mut block = Memory::new(World::layout(&sizes).unwrap()).unwrap();
        let mut world = World::init(&mut block, &sizes).unwrap();
        world.set_up(&case.setup).unwrap();
        case.members.iter().for_each(|member| _ = world.add(member).unwrap());
        Roomy { block, sizes, scratch: Memory::new(Layout { size: 1 << 23, align: 64 }).unwrap() }
    }

    fn advance<L: Law>(&mut self, steps: usize, dt: f64, law: &L) -> dem_core::error::Result<()> {
        self.advance_with(&SHAPES, steps, dt, law)
    }

    fn advance_with<L: Law>(
        &mut self,
        shapes: &[Shape<'_>],
        steps: usize,
        dt: f64,
        law: &L,
    ) -> dem_core::error::Result<()> {
        let own = OwnedWorld::with_executor(Box::new(Serial)).settings;
        let drive = StepInputs {
            shapes,
            exec: &Serial,
            isa: Isa::best(),
            settings: Settings { room: Room { pairs: 2048, terms: 8192, segments: 512 }, ..own },
            law,
        };
        World::open(&mut self.block).unwrap().advance(steps as f64 * dt, dt, &drive, &mut self.scratch)
    }

    fn hash(&self) -> u64 {
        let world = WorldRef::peek(&self.block).unwrap();
        world.state_hash() ^ world.report(&Serial).unwrap().spurious.to_bits()
    }

    fn copied(&self) -> Roomy {
        let layout = Layout { size: self.block.len(), align: 64 };
        let mut block = Memory::new(layout).unwrap();
        block.copy_from_slice(&self.block);
        Roomy { block, sizes: self.sizes, scratch: Memory::new(Layout { size: 1 << 23, align: 64 }).unwrap() }
    }

    fn grow(&mut self, sizes: WorldSizes) {
        let mut block = Memory::new(World::layout(&sizes).unwrap()).unwrap();
        World::grow(&self.block, &mut block, &sizes).unwrap();
        (self.block, self.sizes) = (block, sizes);
    }
}

#[test]
fn too_little_room_within_steps_of_balls_changes_no_bit() {
    for case in [Case::packed(), Case::heap()] {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
        let ample = AMPLE;
        let mut with_room = Roomy::new(&case, ample);
        with_room.advance(120, case.dt, &law).unwrap();
        assert_eq!(law.steps.swap(0, Relaxed), 1);
        let mut short =
            Roomy::new(&case, WorldSizes { candidates: 1, contacts: 1, ball_pairs: 1, ball_contacts: 1, ..ample });
        let mut seen = [0; 4];
        while let Err(error) = short.advance(120, case.dt, &law) {
            assert_eq!(error.kind, Kind::Capacity, "{error:?}");
            assert!(error.needed > error.given);
            // The same once more tells the same, and changes nothing.
            let hash = short.hash();
            assert_eq!(short.advance(120, case.dt, &law), Err(error));
            assert_eq!(short.hash(), hash);
            let (place, sizes) = roomier(&error, &short.sizes);
            seen[place] += 1;
            short.grow(sizes);
        }
        assert!(seen.iter().all(|count| *count >= 1), "{seen:?}");
        assert_eq!(law.steps.swap(0, Relaxed), 1);
        assert_eq!(short.hash(), with_room.hash());
    }
}

#[test]
fn a_window_of_balls_that_found_too_little_room_can_be_ended() {
    let case = Case::packed();
    let laws = Laws::new(&case.table).unwrap();
    let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
    let sizes = AMPLE;
    let mut world = Roomy::new(&case, sizes);
    world.advance(20, case.dt, &law).unwrap();
    let before = world.hash();
    let mut small = Roomy::new(&case, WorldSizes { contacts: 200, ball_pairs: 500, ball_contacts: 200, ..sizes });
    let start = small.hash();
    let error = small.advance(20, case.dt, &law).unwrap_err();
    assert_eq!(error.kind, Kind::Capacity);
    let mut own = World::open(&mut small.block).unwrap();
    assert_eq!(own.add(&case.members[0]).unwrap_err().what, What::Window);
    own.abandon().unwrap();
    assert_eq!(own.abandon().unwrap_err().kind, Kind::Unsupported);
    assert_eq!(small.hash(), start);
    small.grow(sizes);
    small.advance(20, case.dt, &law).unwrap();
    assert_eq!(small.hash(), before);
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
