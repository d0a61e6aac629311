//! A step that was begun, polled and abandoned leaves no trace, also where steps have no records.

use std::sync::atomic::AtomicUsize;

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::error::Kind;
use dem_core::exec::Serial;
use dem_core::force::Laws;
use dem_core::world::{BodyDef, PollResult, Records, StepOptions, World, WorldRef, WorldSizes};
use dem_std::OwnedWorld;

use super::{AMPLE, Case, Counted, Roomy, SHAPES, beside, clumps, roomier};

/// Polls a step so many times, and abandons it: neither the hash nor a bit of later steps changes. `turned`: the host has turned the first body, a half-space, before.
fn leaves_no_trace(case: &Case, shapes: &[Shape<'_>], records: Records, turned: bool) {
    let law = Counted { laws: Laws::new(&case.table).unwrap(), known: true, steps: AtomicUsize::new(0) };
    let build = || {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.set_up(&case.setup).unwrap();
        let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
        for steps in [60.0, 3.0] {
            world.advance(steps * case.dt, case.dt, shapes, &law).unwrap();
        }
        if turned {
            let body = Body { orientation: [0.06, 0.01, 0.02, 1.0], ..case.members[0].body };
            world.set_body(handles[0], &body).unwrap();
        }
        world
    };
    for polls in 1..6 {
        let (mut tried, mut other) = (build(), build());
        let hash = |world: &OwnedWorld| world.view().unwrap().state_hash();
        let before = hash(&tried);
        assert_eq!(before, hash(&other));
        // The second time as the first.
        for loads in [true, false] {
            tried.begin(&StepOptions { loads, ..StepOptions::new(case.dt) }).unwrap();
            for _ in 0..polls {
                if tried.poll(shapes, &law).unwrap() == PollResult::Done {
                    break;
                }
            }
            tried.abandon().unwrap();
            assert_eq!(hash(&tried), before, "{records:?}: the hash behind {polls} polls");
        }
        for steps in [1.0, 20.0] {
            for world in [&mut tried, &mut other] {
                world.advance(steps * case.dt, case.dt, shapes, &law).unwrap();
            }
            let [x, y] = [&tried, &other].map(|world| world.view().unwrap());
            assert!(x.bodies() == y.bodies(), "{records:?}: {steps} steps behind {polls} polls");
            assert_eq!(hash(&tried), hash(&other), "{records:?}: {steps} steps behind {polls} polls");
        }
    }
}

#[test]
fn an_abandoned_step_of_balls_leaves_no_trace() {
    for records in [Records::Last, Records::None] {
        leaves_no_trace(&Case::packed(), &SHAPES, records, false);
        for turned in [false, true] {
            leaves_no_trace(&Case::heap(), &SHAPES, records, turned);
        }
    }
}

#[test]
fn an_abandoned_step_of_compounds_leaves_no_trace() {
    for records in [Records::Last, Records::None] {
        clumps::with_shapes(|shapes| leaves_no_trace(&clumps::heap(), shapes, records, false));
    }
}

#[test]
fn an_abandoned_step_of_balls_beside_boxes_leaves_no_trace() {
    for records in [Records::Last, Records::None] {
        beside::with_shapes(|shapes| leaves_no_trace(&beside::heap([0.0; 3]), shapes, records, false));
        beside::with_shapes(|shapes| leaves_no_trace(&beside::heap([5.6, 5.6, 0.0]), shapes, records, false));
    }
}

/// A look for overlaps is such a step.
#[test]
fn a_look_for_overlaps_leaves_no_trace() {
    let case = Case::heap();
    let law = Counted { laws: Laws::new(&case.table).unwrap(), known: true, steps: AtomicUsize::new(0) };
    let (mut world, _) = case.run(&[200], true, |world| world.keep_records(Records::None).unwrap());
    let before = world.view().unwrap().state_hash();
    assert!(!world.overlaps(&SHAPES, &law).unwrap().is_empty());
    assert_eq!(world.view().unwrap().state_hash(), before);
}

/// Whether bodies that are no balls are there, before and after the host has changed the world.
const BOXES_JOIN: [bool; 2] = [false, true];
const BOXES_LEAVE: [bool; 2] = [true, false];

/// A world without records after some windows, with as little room as they need or with enough. Then bodies that are no balls have joined or left, and more balls have joined.
fn changed(shapes: &[Shape<'_>], law: &Counted<'_>, [before, after]: [bool; 2], is_short: bool) -> Roomy {
    let mut case = beside::heap([0.0; 3]);
    let members = core::mem::take(&mut case.members);
    let few = WorldSizes { candidates: 1, contacts: 1, nodes: 1, ball_pairs: 1, ball_contacts: 1, ..AMPLE };
    let mut world = Roomy::new(&case, if is_short { few } else { AMPLE });
    let mut own = World::open(&mut world.block).unwrap();
    own.keep_records(Records::None).unwrap();
    let (others, balls): (Vec<BodyDef>, Vec<BodyDef>) = members.into_iter().partition(|member| member.shape > 1);
    let boxes: Vec<_> = others.iter().filter(|_| before).map(|member| own.add(member).unwrap()).collect();
    balls.iter().for_each(|member| _ = own.add(member).unwrap());
    while let Err(error) = world.advance_with(shapes, 150, case.dt, law) {
        assert_eq!(error.kind, Kind::Capacity, "{error:?}");
        let (_, sizes) = roomier(&error, &world.sizes);
        world.grow(sizes);
    }
    let mut own = World::open(&mut world.block).unwrap();
    if after {
        others.iter().for_each(|member| _ = own.add(member).unwrap());
    } else {
        boxes.iter().for_each(|handle| own.remove(*handle).unwrap());
    }
    for i in 0..60_u64 {
        let [x, y, z] = [i % 5, i / 5 % 4, i / 20].map(|k| 0.9 * k as f64);
        let ball = Body::ball(0.5, 1.0, [x, y, 20.0 + z]).unwrap();
        own.add(&BodyDef { id: Some(1000 + i), ..BodyDef::new(ball, 0) }).unwrap();
    }
    world
}

/// The host inserts boxes among balls or takes them away, and more balls join than there is room for: a window that finds too little room can be abandoned at any error.
#[test]
fn a_window_with_too_little_room_leaves_no_trace_as_boxes_join_and_leave() {
    beside::with_shapes(|shapes| {
        let case = beside::heap([0.0; 3]);
        let law = Counted { laws: Laws::new(&case.table).unwrap(), known: true, steps: AtomicUsize::new(0) };
        for change in [BOXES_JOIN, BOXES_LEAVE] {
            let [mut short, mut ample] = [true, false].map(|is_short| changed(shapes, &law, change, is_short));
            let hash = |world: &Roomy| WorldRef::peek(&world.block).unwrap().state_hash();
            assert_eq!(hash(&short), hash(&ample));
            let mut errors = 0;
            for steps in [1, 1, 20] {
                let (start, number) = (hash(&short), WorldRef::peek(&short.block).unwrap().steps());
                while let Err(error) = short.advance_with(shapes, steps, case.dt, &law) {
                    assert_eq!(error.kind, Kind::Capacity, "{error:?}");
                    let mut copy = short.copied();
                    World::open(&mut copy.block).unwrap().abandon().unwrap();
                    if WorldRef::peek(&copy.block).unwrap().steps() == number {
                        assert_eq!(hash(&copy), start, "{change:?}: the hash behind {error:?}");
                        errors += 1;
                    }
                    let (_, sizes) = roomier(&error, &short.sizes);
                    short.grow(sizes);
                }
                ample.advance_with(shapes, steps, case.dt, &law).unwrap();
                assert_eq!(hash(&short), hash(&ample), "{change:?}: {steps} steps");
            }
            assert!(errors > 1, "{change:?}: {errors} errors");
        }
    });
}
