//! A step that was begun, polled and abandoned leaves no trace, also where steps have no records.

use std::sync::atomic::AtomicUsize;

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::exec::Serial;
use dem_core::force::Laws;
use dem_core::world::{PollResult, Records, StepOptions};
use dem_std::OwnedWorld;

use super::{Case, Counted, SHAPES, beside, clumps};

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
