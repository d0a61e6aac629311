//! Windows that tell what happened in all of their steps; bodies that become others.

use dem_core::body::Body;
use dem_core::contact::history::{BEGIN, END};
use dem_core::contact::{shape::Shape, status};
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, PairEvent, PollResult, Records, Setup, StepOptions};
use dem_std::OwnedWorld;
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere, surface};

const DT: f64 = 1e-3;

/// Bodies that bounce on the ground and against each other, balls and some boxes.
fn bouncing(records: Records, boxes: bool, watches: bool) -> OwnedWorld {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.keep_records(records).unwrap();
    world.watch(watches).unwrap();
    world.set_up(&Setup { gravity: [0.0, 0.0, -10.0], ..Setup::default() }).unwrap();
    let mut random = Random::new(8);
    world.add(&BodyDef { id: Some(500), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }).unwrap();
    for i in 0..48_u64 {
        let [x, y, z] = [i % 6, i / 6 % 4, i / 24].map(|k| k as f64);
        let place = [0.25 * x, 0.25 * y, 0.15 + 0.01 * (i % 7) as f64 + 0.26 * z];
        let mut body = Body::ball(0.1, 10.0, place).unwrap();
        body.velocity = random.in_cube(0.5);
        let shape = if boxes && i % 8 == 3 { 2 } else { 1 };
        world.add(&BodyDef { id: Some(i * 31 % 49), ..BodyDef::new(body, shape) }).unwrap();
    }
    world
}

fn with_shapes<R>(work: impl FnOnce(&[Shape<'_>], &Laws<'_>) -> R) -> R {
    let brick = contact::Body::conservative(&cuboid([0.18; 3]), 0.01);
    let shapes = [ground(0.01), sphere(0.09, 0.01), Shape::Mesh(&surface(&brick, true))];
    let table = [Interaction::new(Normal::Linear, 1e3).damped(Damping::Dashpot, 0.1).rough(0.3, 0.8)];
    work(&shapes, &Laws::new(&table).unwrap())
}

/// Which pairs begin and end, in which step.
fn told(events: &[PairEvent]) -> Vec<([u64; 2], u32, i64)> {
    events.iter().map(|event| (event.ids, event.what, (event.time / DT).round() as i64)).collect()
}

#[test]
fn windows_tell_all_that_begins_and_ends() {
    with_shapes(|shapes, laws| {
        for (records, boxes) in
            [(Records::Last, false), (Records::None, false), (Records::Last, true), (Records::None, true)]
        {
            let mut world = bouncing(records, boxes, true);
            let mut blind = bouncing(records, boxes, false);
            let mut steps = bouncing(Records::Last, boxes, true);
            let (mut own, mut all, mut short) = (vec![], vec![], 0);
            for _ in 0..30 {
                world.advance(16.0 * DT, DT, shapes, laws).unwrap();
                blind.advance(16.0 * DT, DT, shapes, laws).unwrap();
                let view = world.view().unwrap();
                // Whoever looks changes nothing.
                assert_eq!(view.state_hash(), blind.view().unwrap().state_hash());
                assert!(blind.view().unwrap().events().is_empty());
                let events = view.events();
                let ends = |pair: &PairEvent| {
                    events.iter().any(|end| end.what == END && end.ids == pair.ids && end.time > pair.time)
                };
                short += events.iter().filter(|event| event.what == BEGIN && ends(event)).count();
                for event in events {
                    let ids = event.bodies.map(|slot| view.ids()[slot as usize]);
                    assert_eq!(ids, event.ids);
                }
                own.extend(told(events));
                for _ in 0..16 {
                    steps.begin(&StepOptions::new(DT)).unwrap();
                    while !matches!(steps.poll(shapes, laws).unwrap(), PollResult::Done | PollResult::Stuck) {}
                    steps.accept().unwrap();
                    all.extend(told(steps.view().unwrap().events()));
                }
            }
            assert!(own.len() > 150 && short > 10, "{} events, {short} within a window", own.len());
            let apart = own.iter().zip(&all).find(|(own, all)| own != all);
            assert!(own == all, "{records:?}, {boxes}: {} of {} events, {apart:?}", own.len(), all.len());
        }
    });
}

/// A window that is refused for its shapes leaves the results of the window before.
#[test]
fn a_refused_window_leaves_the_results_of_the_last_one() {
    with_shapes(|shapes, laws| {
        for (records, boxes) in [(Records::Last, false), (Records::None, false), (Records::Last, true)] {
            let mut world = bouncing(records, boxes, true);
            world.advance(100.0 * DT, DT, shapes, laws).unwrap();
            let results = |world: &OwnedWorld| {
                let view = world.view().unwrap();
                let report = world.report().unwrap();
                (view.events().to_vec(), view.mean_wrenches().to_vec(), report, view.state_hash())
            };
            let before = results(&world);
            assert!(!before.0.is_empty());
            let mut wrong = shapes.to_vec();
            wrong[1] = sphere(0.09, f64::NAN);
            let error = world.advance(16.0 * DT, DT, &wrong, laws).unwrap_err();
            assert_eq!((error.kind, error.what, error.index), (Kind::NotFinite, What::Shapes, 1));
            let error = world.advance(16.0 * DT, DT, &shapes[..1], laws).unwrap_err();
            assert_eq!((error.kind, error.what, error.given), (Kind::BadIndex, What::ShapeNumbers, 1));
            assert_eq!(format!("{:?}", results(&world)), format!("{before:?}"));
        }
    });
}

#[test]
fn a_passage_within_a_window_is_told() {
    let shapes = [sphere(0.3, 0.01), sphere(0.05, 0.01)];
    let table = [Interaction::new(Normal::Linear, 1.0)];
    let laws = Laws::new(&table).unwrap();
    for records in [Records::Last, Records::None] {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.watch(true).unwrap();
        world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
        let mut bullet = Body::ball(0.05, 1000.0, [-1.0, 0.02, 0.0]).unwrap();
        bullet.velocity = [9.0, 0.0, 0.0];
        world.add(&BodyDef::new(bullet, 1)).unwrap();
        world.advance(0.25, DT, &shapes, &laws).unwrap();
        let report = world.report().unwrap();
        assert!(world.view().unwrap().bodies()[1].position[0] > 1.0, "it was stopped");
        assert_eq!((report.contacts, report.least_gap, report.approach), (0, f64::INFINITY, 0.0));
        assert!(report.window_gap < -0.3, "{}", report.window_gap);
        assert!((0.4..0.5).contains(&report.window_approach), "{}", report.window_approach);
        assert_eq!(report.window_approaching, [0, 1]);
        assert_ne!(report.window_status & status::PENETRATING, 0);
        assert_eq!(world.view().unwrap().events().len(), 2);
        // Behind a window in which nothing happens.
        world.advance(0.01, DT, &shapes, &laws).unwrap();
        let report = world.report().unwrap();
        assert_eq!((report.window_gap, report.window_approach, report.window_status), (f64::INFINITY, 0.0, 0));
        assert!(world.view().unwrap().events().is_empty());
    }
}

/// A body has another shape, scale, mask and material, and is what it would have been from the beginning; its springs stay.
#[test]
fn bodies_become_others_in_place() {
    with_shapes(|shapes, _| {
        let soft = Interaction::new(Normal::Linear, 4e3).damped(Damping::Dashpot, 0.2).rough(0.5, 0.8);
        let table = [soft, soft, Interaction { stiffness: 8e3, ..soft }];
        let laws = Laws::new(&table).unwrap();
        for records in [Records::Last, Records::None] {
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.keep_records(records).unwrap();
            world.set_up(&Setup { gravity: [1.0, 0.0, -10.0], ..Setup::default() }).unwrap();
            world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
            let ball = world.add(&BodyDef::new(Body::ball(0.1, 10.0, [0.0, 0.0, 0.1]).unwrap(), 1)).unwrap();
            world.advance(0.3, DT, shapes, &laws).unwrap();
            let member = world.view().unwrap().member(ball).unwrap();
            assert_eq!(
                (member.shape, member.scale, member.groups, member.masks, member.id),
                (1, 1.0, 1, u32::MAX, None)
            );
            // Twice as large: it is pushed up at once, and no spring is lost.
            let hash = world.view().unwrap().state_hash();
            world.set_member(ball, &member).unwrap();
            assert_eq!(world.view().unwrap().state_hash(), hash);
            let mut body = member.body;
            body.position[2] = 0.2098;
            world.set_member(ball, &BodyDef { body, scale: 2.0, material: 1, ..member }).unwrap();
            world.advance(DT, DT, shapes, &laws).unwrap();
            let here = world.view().unwrap().body(ball).unwrap();
            let slipped = here.velocity[0] - member.body.velocity[0];
            assert!(slipped < 0.9e-3, "friction has begun anew: {slipped}");
            world.advance(0.3, DT, shapes, &laws).unwrap();
            assert!((0.17..0.21).contains(&world.view().unwrap().body(ball).unwrap().position[2]));
            // A box, which goes on where the ball was.
            let member = world.view().unwrap().member(ball).unwrap();
            let upright = Body { orientation: Pose::IDENTITY.orientation, ..member.body };
            let body = Body { velocity: [0.0; 3], angular_velocity: [0.0; 3], ..upright };
            world.set_member(ball, &BodyDef { shape: 2, body, ..member }).unwrap();
            world.advance(0.1, DT, shapes, &laws).unwrap();
            assert!(world.report().unwrap().contacts > 0);
            // With nobody any more: it falls.
            let member = world.view().unwrap().member(ball).unwrap();
            world.set_member(ball, &BodyDef { masks: 0, ..member }).unwrap();
            world.advance(0.3, DT, shapes, &laws).unwrap();
            assert!(world.view().unwrap().body(ball).unwrap().position[2] < -0.1);
            let refused = |member: &BodyDef, world: &mut OwnedWorld| {
                let error = world.set_member(ball, member).unwrap_err();
                (error.kind, error.what)
            };
            assert_eq!(refused(&BodyDef { id: Some(9), ..member }, &mut world), (Kind::Mismatch, What::Ids));
            assert_eq!(refused(&BodyDef { scale: 0.0, ..member }, &mut world), (Kind::OutOfRange, What::Scales));
            assert_eq!(refused(&BodyDef { groups: 0, ..member }, &mut world), (Kind::OutOfRange, What::Groups));
            world.remove(ball).unwrap();
            assert_eq!(refused(&member, &mut world), (Kind::BadIndex, What::Handle));
        }
    });
}

/// Two balls in a short periodic box touch each other through two images, and themselves through others: they are one pair of bodies, which begins and ends once, and each has one other body beside it.
#[test]
fn images_of_two_bodies_are_one_pair() {
    let shapes = [sphere(0.26, 0.01)];
    let table = [Interaction::new(Normal::Linear, 1.0)];
    let laws = Laws::new(&table).unwrap();
    for periods in [[1.0, 0.0, 0.0], [1.0, 0.5, 0.0]] {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.watch(true).unwrap();
        world.set_up(&Setup { periods, ..Setup::default() }).unwrap();
        let ball = |x| Body::ball(0.26, 1e3, [x, 0.25, 0.0]).unwrap();
        let [one, other] = [0.25, 0.75].map(|x| world.add(&BodyDef::new(ball(x), 0)).unwrap());
        let mut step = |x: f64, z: f64| {
            let body = Body { position: [x, 0.25, z], ..ball(0.0) };
            world.set_body(other, &body).unwrap();
            world.set_body(one, &ball(0.25)).unwrap();
            world.advance(DT, DT, &shapes, &laws).unwrap();
            let report = world.report().unwrap();
            let events =
                world.view().unwrap().events().iter().map(|event| (event.bodies, event.what)).collect::<Vec<_>>();
            (events, report.coordination, report.pairs)
        };
        let own = periods[1] > 0.0;
        let begins = [([0, 0], BEGIN), ([0, 1], BEGIN), ([1, 1], BEGIN)];
        let (events, coordination, pairs) = step(0.75, 0.0);
        assert_eq!(events, if own { begins.to_vec() } else { vec![begins[1]] });
        assert!(coordination == 1.0 && pairs > 1, "{coordination} {pairs}");
        // One image is left, which has another number then.
        let (events, coordination, _) = step(0.7, 0.0);
        assert!(events.is_empty() && coordination == 1.0, "{events:?} {coordination}");
        let (events, coordination, _) = step(0.82, 0.0);
        assert!(events.is_empty() && coordination == 1.0, "{events:?} {coordination}");
        let (events, coordination, _) = step(0.75, 1.0);
        assert_eq!((events, coordination), (vec![([0, 1], END)], 0.0));
    }
}
