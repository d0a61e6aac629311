//! Compounds of balls: steps without records come to what the general steps come to.

use std::f64::consts::PI;
use std::sync::atomic::AtomicUsize;

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::Settings;
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal, dashpot};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Records, Setup, WorldSizes};
use dem_std::{OwnedWorld, Threads};
use dem_tests::random::Random;
use dem_tests::vector::{length, scale, sub};

use super::{AMPLE, Case, Counted, Faulty, HALO, Roomy, difference, roomier};

/// Four balls of two sizes, three in a bent row, of which one is scaled, two in each other, and one that is not in the centre.
pub(super) fn with_shapes<R>(test: impl FnOnce(&[Shape<'_>]) -> R) -> R {
    let ball = |position: [f64; 3], radius: f64, scale: f64| Part {
        shape: Shape::Sphere { radius, halo: HALO },
        pose: Pose { position, orientation: [0.1, 0.2, -0.3, 0.5] },
        scale,
    };
    let four = [
        ball([0.25, 0.25, 0.25], 0.45, 1.0),
        ball([0.25, -0.25, -0.25], 0.35, 1.0),
        ball([-0.25, 0.25, -0.25], 0.45, 1.0),
        ball([-0.25, -0.25, 0.25], 0.35, 1.0),
    ];
    let row = [ball([-0.6, 0.1, 0.0], 0.3, 1.0), ball([0.0; 3], 0.35, 1.0), ball([0.6, 0.1, 0.0], 0.25, 1.2)];
    let two = [ball([0.05, 0.0, 0.02], 0.4, 1.0), ball([-0.1, 0.1, 0.0], 0.3, 1.0)];
    let one = [ball([0.05, 0.0, 0.02], 0.4, 1.0)];
    test(&[
        Shape::Sphere { radius: 0.45, halo: HALO },
        Shape::HalfSpace { halo: HALO },
        Shape::Compound(&four),
        Shape::Compound(&row),
        Shape::Compound(&two),
        Shape::Compound(&one),
    ])
}

/// A body that is no ball.
fn odd(mass: f64) -> Body {
    let ball = Body::ball(0.6, 1.0, [0.0; 3]).unwrap();
    Body { mass, moments: [0.12, 0.16, 0.19].map(|x| x * mass), ..ball }
}

/// Compounds in a periodic box, which overlap, some of them scaled.
fn packed() -> Case {
    let (mut random, spacing, cells) = (Random::new(3), 1.6, 5);
    let edge = spacing * cells as f64;
    let members = (0..cells * cells * cells).map(|i: usize| {
        let cell = [i / (cells * cells), i / cells % cells, i % cells].map(|c| c as f64);
        let position = cell.map(|c| (spacing * c + random.range(-0.03, 0.03)).rem_euclid(edge));
        let velocity = [0; 3].map(|_| random.range(-2.0, 2.0));
        let body = Body { position, velocity, orientation: random.rotation(), ..odd(1.0) };
        let angular_velocity = velocity.map(|v| 3.0 - v);
        let scale = if i.is_multiple_of(3) { 1.1 } else { 1.0 };
        BodyDef { scale, ..BodyDef::new(Body { angular_velocity, ..body }, [2, 2, 3, 2, 4][i % 5]) }
    });
    let law = Interaction::new(Normal::Pressure, 4e3).damped(Damping::Dashpot, dashpot(0.5)).rough(0.5, 2.0 / 7.0);
    Case {
        setup: Setup { periods: [edge; 3], ..Setup::default() },
        members: members.collect(),
        table: vec![Interaction { torsion: 0.3, ..law }],
        dt: 5e-4,
    }
}

/// Balls and compounds of several materials that fall on a tilted plane, a kinematic and a static compound among them; ids descend.
pub(super) fn heap() -> Case {
    let mut case = Case::heap();
    let mut random = Random::new(11);
    for (i, member) in case.members.iter_mut().enumerate().skip(1).filter(|(i, _)| i % 3 != 0 || *i == 61) {
        let body = odd(member.body.mass);
        let (mass, moments, orientation) = (body.mass, body.moments, random.rotation());
        member.body = Body { mass, moments, orientation, ..member.body };
        (member.shape, member.scale) = ([2, 3, 4][i % 3], 0.6 * member.scale);
    }
    // One turns and moves by itself, one is a wall.
    case.members[61].body.angular_velocity = [0.5, -1.0, 2.0];
    let body = Body { motion: Motion::Static as u32, velocity: [0.0; 3], ..case.members[20].body };
    case.members[20].body = Body { angular_velocity: [0.0; 3], ..body };
    case.table[0] = Interaction { torsion: 0.2, ..case.table[0] };
    case.table[2] = case.table[2].sticky(Cohesion::Area, 5.0);
    case
}

/// The world after windows of so many steps each, and how many of them were general ones.
fn run(case: &Case, windows: &[usize], known: bool, change: impl FnOnce(&mut OwnedWorld)) -> (OwnedWorld, usize) {
    with_shapes(|shapes| {
        let law = Counted { laws: Laws::new(&case.table).unwrap(), known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        change(&mut world);
        world.set_up(&case.setup).unwrap();
        case.members.iter().for_each(|member| _ = world.add(member).unwrap());
        for steps in windows {
            world.advance(*steps as f64 * case.dt, case.dt, shapes, &law).unwrap();
        }
        (world, law.steps.into_inner())
    })
}

#[test]
fn compounds_of_balls_come_to_what_general_steps_come_to() {
    for (case, first) in [(packed(), 150), (heap(), 500)] {
        let windows = [first, 1, 2, 100, 5usize];
        let (own, few) = run(&case, &windows, true, |_| {});
        let (general, all) = run(&case, &windows, false, |_| {});
        assert_eq!((few, all), (5, first + 108), "a step with records for each window");
        let apart = difference(&own, &general, case.setup.periods);
        println!("{apart:e}");
        assert!(apart < 1e-9, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        println!("{} contacts of {} pairs, rubbed {}", x.contacts, x.pairs, x.rubbed);
        assert!(x.contacts > x.pairs && x.pairs > 25, "{} contacts of {} pairs", x.contacts, x.pairs);
        assert_eq!((x.contacts, x.pairs, x.steps, x.time), (y.contacts, y.pairs, y.steps, y.time));
        for (a, b) in [
            (x.work, y.work),
            (x.gravity_work, y.gravity_work),
            (x.damped, y.damped),
            (x.rubbed, y.rubbed),
            (x.stored_normal, y.stored_normal),
            (x.stored_tangential, y.stored_tangential),
            (x.driven_work, y.driven_work),
            (x.spurious, y.spurious),
        ] {
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        }
        let [x, y] = [&own, &general].map(|world| world.view().unwrap());
        for (body, (a, b)) in x.bodies().iter().zip(x.mean_wrenches().iter().zip(y.mean_wrenches())) {
            let apart = length(sub(a.force, b.force)).max(length(sub(a.torque, b.torque)));
            assert!(apart < 1e-7 * (1.0 + length(b.force)), "{a:?} {b:?}");
            assert!(body.is_dynamic() || body.mass > 0.0 || length(b.force) > 0.1, "{body:?} bears {b:?}");
        }
        let most = |k: usize| x.springs().iter().fold(0.0f64, |most, springs| most.max(length(springs[k])));
        assert!(most(0) > 1e-3 && most(1) > 1e-4, "{} {}", most(0), most(1));
        for (a, b) in x.springs().iter().zip(y.springs()) {
            (0..3).for_each(|k| assert!(length(sub(a[k], b[k])) < 1e-7, "{a:?} {b:?}"));
        }
    }
}

/// Without any records windows come to the same; contacts that a part has begun take springs as they do with records.
#[test]
fn compounds_of_balls_without_records_come_to_what_general_steps_come_to() {
    for (case, first) in [(packed(), 150), (heap(), 500)] {
        let windows = [first, 1, 2, 100, 5usize];
        let (own, few) = run(&case, &windows, true, |world| world.keep_records(Records::None).unwrap());
        let (general, _) = run(&case, &windows, false, |_| {});
        assert_eq!(few, 0, "no step with records");
        let apart = difference(&own, &general, case.setup.periods);
        assert!(apart < 1e-9, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        assert!((x.rubbed - y.rubbed).abs() < 1e-8 * (1.0 + y.rubbed), "{} {}", x.rubbed, y.rubbed);
    }
}

#[test]
fn neither_lists_nor_instructions_nor_threads_change_a_bit_of_compounds_of_balls() {
    for (case, records) in [(packed(), Records::Last), (heap(), Records::Last), (heap(), Records::None)] {
        let hash = |change: &dyn Fn(&mut OwnedWorld)| {
            let (world, few) = run(&case, &[300, 20], true, |world| {
                change(world);
                world.keep_records(records).unwrap();
            });
            assert_eq!(few, if records == Records::Last { 2 } else { 0 });
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
            let threads = |world: &mut OwnedWorld| *world = OwnedWorld::new(Threads::new(threads).unwrap());
            assert_eq!(hash(&threads), first);
        }
        assert_eq!(hash(&|world| *world = OwnedWorld::with_executor(Box::new(Faulty(3)))), first);
    }
}

/// So many that the list, forces and bodies are cut into several chunks, with gaps between pairs of bodies, and with ids that ascend and descend.
#[test]
fn many_compounds_of_balls_have_the_same_bits_on_any_threads() {
    for stride in [1, 2196] {
        let (mut random, spacing, cells) = (Random::new(9), 1.4, 13);
        let edge = spacing * cells as f64;
        let mut case = packed();
        let first = case.members[0];
        case.setup.periods = [edge; 3];
        case.members = (0..cells * cells * cells)
            .map(|i: usize| {
                let cell = [i / (cells * cells), i / cells % cells, i % cells].map(|c| c as f64);
                let position = cell.map(|c| spacing * c);
                let velocity = [0; 3].map(|_| random.range(-1.0, 1.0));
                let body = Body { position, velocity, orientation: random.rotation(), ..first.body };
                let shape = if i.is_multiple_of(7) { 0 } else { 2 };
                let moments = if shape == 0 { [0.1; 3] } else { body.moments };
                BodyDef { id: Some(i as u64 * stride % 2197), ..BodyDef::new(Body { moments, ..body }, shape) }
            })
            .collect();
        let (one, few) = run(&case, &[20, 5], true, |_| {});
        assert_eq!(few, 2);
        let pairs = one.view().unwrap().sizes.ball_pairs;
        // A quarter more than there were.
        assert!(pairs > 5200, "{pairs}");
        let hash = one.view().unwrap().state_hash();
        let others: [&dyn Fn(&mut OwnedWorld); 4] = [
            &|world| *world = OwnedWorld::new(Threads::new(2).unwrap()),
            &|world| *world = OwnedWorld::with_executor(Box::new(Faulty(9))),
            &|world| world.settings.skin = 0.3,
            &|world| world.settings.skin = 1e-3,
        ];
        for (i, change) in others.iter().enumerate() {
            let other = run(&case, &[20, 5], true, change).0.view().unwrap().state_hash();
            assert_eq!(other, hash, "stride {stride}, {i}");
        }
        let general = run(&case, &[20, 5], false, |_| {}).0;
        let apart = difference(&one, &general, case.setup.periods);
        assert!(apart < 1e-9, "{apart:e}");
        let [x, y] = [&one, &general].map(|world| world.report().unwrap());
        assert!(x.contacts == y.contacts && x.contacts > 1000, "{} {}", x.contacts, y.contacts);
    }
}

#[test]
fn compounds_of_balls_join_leave_and_are_turned_between_windows() {
    let case = heap();
    let run = |known: bool, records: Records| {
        with_shapes(|shapes| {
            let laws = Laws::new(&case.table).unwrap();
            let law = Counted { laws, known, steps: AtomicUsize::new(0) };
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.keep_records(records).unwrap();
            world.set_up(&case.setup).unwrap();
            let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
            world.advance(400.0 * case.dt, case.dt, shapes, &law).unwrap();
            handles.iter().skip(1).step_by(7).for_each(|handle| world.remove(*handle).unwrap());
            world.advance(10.0 * case.dt, case.dt, shapes, &law).unwrap();
            let new = Body { position: [2.0, 2.0, 9.0], ..odd(1.0) };
            world.add(&BodyDef { id: Some(7), ..BodyDef::new(new, 3) }).unwrap();
            for i in [21usize, 62] {
                let body = world.view().unwrap().bodies()[i];
                let [x, y, z, w] = body.orientation;
                let (s, c) = 0.1f64.sin_cos();
                // About the vertical axis, and a quaternion that is not of length 1.
                let orientation = [c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z].map(|q| 1.5 * q);
                world.set_body(handles[i], &Body { orientation, ..body }).unwrap();
            }
            world.advance(60.0 * case.dt, case.dt, shapes, &law).unwrap();
            (world, law.steps.into_inner())
        })
    };
    let (general, _) = run(false, Records::Last);
    for (records, expected) in [(Records::Last, 3), (Records::None, 0)] {
        let (own, few) = run(true, records);
        assert_eq!(few, expected);
        let apart = difference(&own, &general, [0.0; 3]);
        assert!(apart < 1e-9, "{records:?} {apart:e}");
    }
}

/// Too little room changes no bit, wherever it is found; and the window can be ended.
#[test]
fn too_little_room_within_steps_of_compounds_of_balls_changes_no_bit() {
    let case = heap();
    with_shapes(|shapes| {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
        let ample = WorldSizes { ball_contacts: 8000, ..AMPLE };
        let mut with_room = Roomy::new(&case, ample);
        with_room.advance_with(shapes, 400, case.dt, &law).unwrap();
        let mut short = Roomy::new(
            &case,
            WorldSizes { candidates: 1, contacts: 1, nodes: 1, ball_pairs: 1, ball_contacts: 1, ..ample },
        );
        let mut seen = [0; 5];
        while let Err(error) = short.advance_with(shapes, 400, case.dt, &law) {
            let hash = short.hash();
            assert_eq!(short.advance_with(shapes, 400, case.dt, &law), Err(error));
            assert_eq!(short.hash(), hash);
            let (place, sizes) = roomier(&error, &short.sizes);
            seen[place] += 1;
            short.grow(sizes);
        }
        assert!(seen[1] > 0 && seen[2] > 0 && seen[3] > 0, "{seen:?}");
        assert_eq!(short.hash(), with_room.hash());
    });
}

/// Momenta of a closed system are kept, works are what the kinetic energy changes by, and without damping and friction a bounce gives back what it took.
#[test]
fn compounds_of_balls_keep_momentum_and_energy() {
    let plain = packed();
    let kinetic = |world: &OwnedWorld| world.report().unwrap().totals.kinetic();
    let momentum = |world: &OwnedWorld| {
        let view = world.view().unwrap();
        view.bodies().iter().fold([0.0; 3], |sum, body| {
            let own = scale(body.mass, body.velocity);
            [0, 1, 2].map(|k| sum[k] + own[k])
        })
    };
    let (start, _) = run(&plain, &[], true, |_| {});
    let (end, _) = run(&plain, &[200], true, |world| world.keep_records(Records::None).unwrap());
    assert!(length(sub(momentum(&start), momentum(&end))) < 1e-10, "{:?} {:?}", momentum(&start), momentum(&end));
    let (before, after, report) = (kinetic(&start), kinetic(&end), end.report().unwrap());
    // But for what free rotation changes, by dt^2.
    assert!((after - before - report.work).abs() < 1e-3 * before, "{before} {after} {}", report.work);
    assert!(report.rubbed > 0.01 * before && report.damped > 0.01 * before, "{} {}", report.rubbed, report.damped);
    // Two that meet in open space.
    let law = Interaction::new(Normal::Pressure, 3e4);
    let mut two = Case { setup: Setup::default(), table: vec![law], dt: 2e-5, members: Vec::new() };
    for (x, v) in [(-1.2, 1.0), (1.2, -1.0)] {
        let orientation = [0.0, 0.0, (0.3 * x * PI).sin(), (0.3 * x * PI).cos()];
        let body = Body { position: [x, 0.1 * x, 0.0], velocity: [v, 0.0, 0.0], orientation, ..odd(1.0) };
        two.members.push(BodyDef::new(body, 2));
    }
    let (met, few) = run(&two, &[40_000], true, |world| world.keep_records(Records::None).unwrap());
    let turned_back = sub(met.view().unwrap().bodies()[0].velocity, two.members[0].body.velocity);
    assert!(few == 0 && length(turned_back) > 0.5, "{few} {turned_back:?}");
    assert!((kinetic(&met) - 1.0).abs() < 1e-6, "{}", kinetic(&met));
}

/// Compounds that are scattered, or of a single ball, or whose contacts are joined to one for each pair of bodies, go by general steps, and come to the same.
#[test]
fn compounds_of_balls_that_are_out_of_the_ordinary_go_by_general_steps() {
    let mut far = heap();
    far.members[7].body.position = [1e6, -1e5, 10.0];
    far.members[9].body.position = [-1e6, -1e6, 10.0];
    let (own, few) = run(&far, &[30], true, |_| {});
    let (general, all) = run(&far, &[30], false, |_| {});
    println!("{few} of {all}");
    assert!(difference(&own, &general, [0.0; 3]) < 1e-9);
    let mut single = heap();
    single.members[7].shape = 5;
    let (own, few) = run(&single, &[30], true, |_| {});
    let (general, all) = run(&single, &[30], false, |_| {});
    assert_eq!((few, all), (30, 30));
    assert!(difference(&own, &general, [0.0; 3]) < 1e-9);
    let joined = |world: &mut OwnedWorld| {
        let settings: &mut Settings = &mut world.settings;
        settings.grouping = dem_core::contact::regions::Grouping::BODIES;
    };
    let (own, few) = run(&heap(), &[30], true, joined);
    let (general, all) = run(&heap(), &[30], false, joined);
    assert_eq!((few, all), (30, 30));
    assert!(difference(&own, &general, [0.0; 3]) < 1e-9);
}
