//! Tests of worlds that grow, with a host that counts its memory or has none, against worlds with enough room.

use core::ffi::c_void;
use core::ptr::null_mut;
use std::collections::HashSet;

use super::*;
use crate::errors::*;
use crate::grow::tests::{Heap, build, fine_ball};
use crate::inputs::Input;
use crate::laws::dem_interaction;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::testing::{Line, cube};
use crate::world_bodies::*;
use crate::world_steps::*;
use crate::world_views::*;
use crate::worlds::tests::{DT, Owned, query, rough, table};
use crate::worlds::*;

const DOWN: dem_world_setup = dem_world_setup { gravity: [0.0, 0.0, -10.0], ..dem_world_setup::DEFAULT };

/// Balls, pairs of balls and cubes above each other.
struct Crowd {
    shapes: Vec<dem_placed>,
    laws: [dem_interaction; 1],
    members: Vec<dem_member>,
    _heap: Box<Heap>,
}

impl Crowd {
    fn new(count: usize) -> Crowd {
        let mut heap = Heap::new();
        let mut block = heap.block();
        assert_eq!(build(&mut block, &cube()).code, DEM_OK);
        let mut shapes = table();
        shapes.push(dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: block.start.cast_const().cast(), ..POINT });
        let mut members = vec![Input::DEFAULT];
        for i in 0..count {
            let place = [1.01 * (i % 3) as f64, 1.01 * (i / 3 % 3) as f64, 0.55 + 1.02 * (i / 9) as f64];
            let mut member = dem_member { shape: 1 + (i % 3) as u32, ..Input::DEFAULT };
            // SAFETY: three numbers.
            unsafe { assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.4, 800.0, null_mut()), DEM_OK) };
            member.body.velocity = [0.3 * (i % 5) as f64 - 0.6, 0.2 * (i % 4) as f64 - 0.3, -2.0];
            members.push(member);
        }
        Crowd { shapes, laws: [rough()], members, _heap: heap }
    }

    fn query(&self) -> dem_world_query {
        query(&self.shapes, &self.laws)
    }

    /// Adds the bodies to a world that grows.
    fn fill(&self, world: &mut dem_block) {
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_world_build(world, &DOWN, null_mut()), DEM_OK);
            for member in &self.members {
                assert_eq!(dem_world_insert(world, null_mut(), member, null_mut()), DEM_OK);
            }
        }
    }

    /// The bodies in a world with enough room.
    fn ample(&self) -> Owned {
        let bodies = self.members.len() as u32;
        let desc = dem_world_desc { bodies, candidates: 20_000, contacts: 20_000, nodes: 40_000, ..Input::DEFAULT };
        let mut own = Owned::new(&desc);
        own.scratch = vec![0; 1 << 25];
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_set_up(own.world(), &DOWN, null_mut()), DEM_OK) };
        self.members.iter().for_each(|member| _ = own.add(member));
        own
    }
}

fn run(world: &mut dem_block, length: f64, query: &dem_world_query) -> dem_error {
    let mut error = dem_error::default();
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_world_run(world, query, length, DT, &mut error) };
    assert_eq!(status, error.code);
    error
}

fn hash(world: &dem_block) -> u64 {
    let mut hash = 0;
    // SAFETY: there is a world.
    assert_eq!(unsafe { dem_world_hash(&mut hash, world.start.cast(), null_mut()) }, DEM_OK);
    hash
}

#[test]
fn worlds_grow_as_bodies_come_and_touch() {
    let crowd = Crowd::new(180);
    let mut expected = crowd.ample();
    let wide = dem_world_query { pairs: 4096, pair_contacts: 256, ..crowd.query() };
    let mut heap = Heap::new();
    let mut world = heap.block();
    crowd.fill(&mut world);
    assert_eq!((heap.used.len(), hash(&world)), (1, expected.hash()));
    let mut moved = Vec::new();
    for window in 0..20 {
        let before = heap.left;
        let error = run(&mut world, 0.02, &crowd.query());
        assert_eq!(error.code, DEM_OK, "{error:?}");
        expected.advance(0.02, &wide).unwrap();
        assert_eq!((hash(&world), heap.used.len()), (expected.hash(), 1), "window {window}");
        moved.push(before - heap.left);
    }
    // The first steps grow for scratch, and then at most twice for all other room at once. Later steps do not grow.
    let (contacts, still) = (expected.report().contacts, moved.iter().filter(|moved| **moved == 0).count());
    assert!(contacts > 64 && (2..=3).contains(&moved[0]) && still > 8, "{contacts} contacts, {moved:?}");
    // The same steps phase by phase, from a snapshot.
    let (mut size, mut want) = (0, 99);
    // SAFETY: the world exists, and the copy has room for its bytes.
    unsafe {
        assert_eq!(dem_world_size(&mut size, world.start.cast(), null_mut()), DEM_OK);
        let mut snapshot = vec![Line([0; 64]); size / 64];
        core::ptr::copy_nonoverlapping(world.start.cast::<u8>(), snapshot.as_mut_ptr().cast(), size);
        assert_eq!(run(&mut world, 2.5 * DT, &crowd.query()).code, DEM_OK);
        let end = hash(&world);
        core::ptr::copy_nonoverlapping(snapshot.as_ptr().cast::<u8>(), world.start.cast(), size);
        for _ in 0..3 {
            expected.step(&wide);
            assert_eq!(dem_world_begin(world.start.cast(), DT, 0, null_mut()), DEM_OK);
            while want != DEM_WANT_DONE {
                assert_eq!(dem_world_next(&mut world, &mut want, &crowd.query(), null_mut()), DEM_OK);
            }
            want = 99;
            assert_eq!(dem_world_accept(world.start.cast(), null_mut()), DEM_OK);
        }
        assert_eq!(hash(&world), expected.hash());
        // A copy in other memory, without scratch, grows when it continues.
        let mut other = Heap::new();
        let mut copy = other.block();
        (copy.start, copy.size) = (other.used_lines(&snapshot), size);
        assert_eq!(run(&mut copy, 2.5 * DT, &crowd.query()).code, DEM_OK);
        assert_eq!((hash(&copy), other.used.len()), (end, 1));
    }
    // A new world in the same memory.
    let start = world.start;
    // SAFETY: the memory exists.
    unsafe { assert_eq!(dem_world_build(&mut world, &DOWN, null_mut()), DEM_OK) };
    assert_eq!((world.start, heap.used.len()), (start, 1));
    crowd.fill(&mut world);
    assert_eq!((hash(&world), heap.used.len()), (crowd.ample().hash(), 1));
}

/// A host's memory that, on each request, changes the results that steps have left in memory.
struct Marking {
    heap: Box<Heap>,
    /// Bits of the areas of all contacts.
    areas: HashSet<u64>,
    /// The areas that were changed; a thread may have a copy of its last results.
    marked: HashSet<u64>,
}

/// The number that replaces an area.
const MARK: f64 = 123.456;

unsafe extern "C" fn mark(context: *mut c_void, old: *mut c_void, old_size: usize, size: usize) -> *mut c_void {
    // SAFETY: the test passes such memory as context.
    let own = unsafe { &mut *context.cast::<Marking>() };
    if size > 0 {
        for word in own.heap.used.iter_mut().flatten().flat_map(|line| line.0.chunks_exact_mut(8)) {
            let number = u64::from_ne_bytes((*word).try_into().unwrap());
            if own.areas.contains(&number) {
                word.copy_from_slice(&MARK.to_ne_bytes());
                own.marked.insert(number);
            }
        }
    }
    let block = own.heap.block();
    // SAFETY: the arguments are those of this call.
    block.resize.map_or(null_mut(), |resize| unsafe { resize(block.context, old, old_size, size) })
}

/// A step keeps the contacts that it has found, however often it requests memory: numbers that were changed meanwhile are in its result, so they were
/// not computed again. Some contacts of the first eighth of all pairs, from which the needs of all pairs are estimated, may have had no room.
#[test]
fn a_step_that_asks_for_memory_computes_few_bodies_twice() {
    let mut shapes = Heap::new();
    let mut block = shapes.block();
    assert_eq!(build(&mut block, &fine_ball(12)).code, DEM_OK);
    let rock = [dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: block.start.cast_const().cast(), ..POINT }];
    let laws = [rough()];
    let query = query(&rock, &laws);
    let members: Vec<dem_member> = (0..64)
        .map(|i| {
            // No two neighbours have the same offset.
            let off = [0.618_033_989, 0.754_877_666, 0.569_840_291].map(|x| 0.02 * (x * (i * i) as f64).fract());
            let place = [i % 4, i / 4 % 4, i / 16].map(|x| 2.02 * x as f64);
            let place = [0, 1, 2].map(|k| place[k] + off[k]);
            let mut member = dem_member { shape: 0, ..Input::DEFAULT };
            // SAFETY: three numbers.
            unsafe { assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 1.0, 800.0, null_mut()), DEM_OK) };
            member
        })
        .collect();
    // SAFETY: there is a world.
    let found = |world: *const dem_world| unsafe { with(world, |w| Ok(w.scene().now().contacts().to_vec())).unwrap() };
    let bodies = members.len() as u32;
    let mut ample = Owned::new(&dem_world_desc { bodies, contacts: 1000, nodes: 100_000, ..Input::DEFAULT });
    ample.scratch = vec![0; 1 << 28];
    members.iter().for_each(|member| _ = ample.add(member));
    ample.begin(0);
    ample.poll(&dem_world_query { pairs: 20_000, pair_contacts: 256, ..query }).unwrap();
    let expected = found(ample.world());
    let areas: HashSet<u64> = expected.iter().map(|c| c.area.to_bits()).collect();
    assert!(areas.len() == expected.len() && expected.len() > 100, "{} {}", areas.len(), expected.len());
    for window in [false, true] {
        let mut memory = Marking { heap: Heap::new(), areas: HashSet::new(), marked: HashSet::new() };
        let mut world = dem_block { resize: Some(mark), context: (&raw mut memory).cast(), ..memory.heap.block() };
        let mut want = 0;
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_world_build(&mut world, &DOWN, null_mut()), DEM_OK);
            for member in &members {
                assert_eq!(dem_world_insert(&mut world, null_mut(), member, null_mut()), DEM_OK);
            }
            memory.areas.clone_from(&areas);
            if window {
                assert_eq!(run(&mut world, DT, &query).code, DEM_OK);
            } else {
                assert_eq!(dem_world_begin(world.start.cast(), DT, 0, null_mut()), DEM_OK);
                assert_eq!(dem_world_next(&mut world, &mut want, &query, null_mut()), DEM_OK);
            }
        }
        let list = found(world.start.cast());
        assert_eq!(list.len(), expected.len());
        let kept = list.iter().filter(|c| c.area == MARK).count();
        for (own, right) in list.iter().zip(&expected) {
            assert!(own == right || *own == dem_core::contact::Contact { area: MARK, ..*right }, "{own:?} {right:?}");
        }
        let computed = list.len() + memory.marked.len() - kept;
        println!(
            "{kept} of {} found before memory ran short; {computed} computed for {}",
            memory.marked.len(),
            list.len()
        );
        assert!(kept > 0 && 8 * computed <= 9 * list.len(), "{kept} of {}, {computed}", memory.marked.len());
    }
}

#[test]
fn a_host_that_runs_out_of_memory_goes_on_when_it_has_some() {
    let crowd = Crowd::new(30);
    let mut expected = crowd.ample();
    expected.advance(0.1, &dem_world_query { pairs: 4096, pair_contacts: 256, ..crowd.query() }).unwrap();
    let (mut heap, mut failures) = (Heap::new(), 0);
    let mut world = heap.block();
    heap.left = 0;
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let mut error = dem_error::default();
        assert_eq!(dem_world_build(&mut world, &DOWN, &mut error), DEM_ERROR_CAPACITY);
        assert!(error.argument == What::Block as u32 && error.needed > 0 && world.start.is_null());
        heap.left = 1;
        assert_eq!(dem_world_build(&mut world, &DOWN, &mut error), DEM_OK);
        for member in &crowd.members {
            while dem_world_insert(&mut world, null_mut(), member, &mut error) != DEM_OK {
                assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Block as u32));
                failures += 1;
                heap.left = 1;
            }
            heap.left = 0;
        }
    }
    assert!(failures > 0);
    failures = 0;
    loop {
        let error = run(&mut world, 0.1, &crowd.query());
        assert_eq!(heap.used.len(), 1);
        if error.code == DEM_OK {
            break;
        }
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Block as u32), "{error:?}");
        assert!(error.needed > error.given && failures < 100);
        failures += 1;
        heap.left = 1;
    }
    assert!(failures > 1 && hash(&world) == expected.hash());
}

#[test]
fn blocks_without_a_function_say_what_is_short() {
    let crowd = Crowd::new(30);
    let mut heap = Heap::new();
    let mut block = dem_block { resize: None, context: null_mut(), ..heap.block() };
    let mut error = dem_error::default();
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_world_build(&mut block, core::ptr::null(), &mut error), DEM_ERROR_CAPACITY);
        assert_eq!(error.argument, What::Block as u32);
        let mut lines = vec![Line([0; 64]); error.needed as usize / 64];
        (block.start, block.size) = (lines.as_mut_ptr().cast(), 64 * lines.len());
        assert_eq!(dem_world_build(&mut block, core::ptr::null(), &mut error), DEM_OK, "{error:?}");
        for member in &crowd.members[..16] {
            assert_eq!(dem_world_insert(&mut block, null_mut(), member, &mut error), DEM_OK);
        }
        assert_eq!(dem_world_insert(&mut block, null_mut(), &crowd.members[16], &mut error), DEM_ERROR_CAPACITY);
        assert_eq!((error.argument, error.needed), (What::Bodies as u32, 17));
        let before = hash(&block);
        let error = run(&mut block, DT, &crowd.query());
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
        // As many bytes of scratch as the error tells, after the world.
        let mut larger = vec![Line([0; 64]); lines.len() + error.needed as usize / 64 + 1];
        larger[..lines.len()].clone_from_slice(&lines);
        (block.start, block.size) = (larger.as_mut_ptr().cast(), 64 * larger.len());
        assert_eq!(dem_world_abandon(block.start.cast(), null_mut()), DEM_ERROR_UNSUPPORTED);
        assert_eq!(hash(&block), before);
        let error = run(&mut block, DT, &crowd.query());
        assert_eq!(error.code, DEM_OK, "{error:?}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_gets_no_memory() {
    let crowd = Crowd::new(3);
    let mut heap = Heap::new();
    let (mut block, mut error, mut want) = (heap.block(), dem_error::default(), 0);
    let null = core::ptr::null();
    let wrong = dem_world_setup { gravity: [f64::NAN, 0.0, 0.0], ..DOWN };
    // SAFETY: nothing is read from null.
    unsafe {
        assert_eq!(dem_world_build(null_mut(), &DOWN, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_world_build(&mut block, &wrong, null_mut()), DEM_ERROR_NOT_FINITE);
        let order = dem_world_setup { order: 7, ..DOWN };
        assert_eq!(dem_world_build(&mut block, &order, null_mut()), DEM_ERROR_OUT_OF_RANGE);
        // The block contains no world yet.
        assert_eq!(dem_world_insert(&mut block, null_mut(), &crowd.members[0], null_mut()), DEM_ERROR_NULL);
        assert_eq!(run(&mut block, DT, &crowd.query()).code, DEM_ERROR_NULL);
        assert_eq!(dem_world_next(&mut block, &mut want, &crowd.query(), null_mut()), DEM_ERROR_NULL);
        assert!(heap.used.is_empty() && block.start.is_null());
        crowd.fill(&mut block);
        let before = hash(&block);
        assert_eq!(dem_world_build(&mut block, &wrong, null_mut()), DEM_ERROR_NOT_FINITE);
        assert_eq!(dem_world_insert(&mut block, null_mut(), null, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_world_insert(null_mut(), null_mut(), &crowd.members[0], null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_world_next(&mut block, null_mut(), &crowd.query(), null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_world_next(&mut block, &mut want, &crowd.query(), null_mut()), DEM_ERROR_UNSUPPORTED);
        assert_eq!(dem_world_run(&mut block, core::ptr::null(), DT, DT, null_mut()), DEM_ERROR_NULL);
        assert_eq!(run(&mut block, -1.0, &crowd.query()).code, DEM_ERROR_OUT_OF_RANGE);
        assert_eq!(dem_world_size(null_mut(), block.start.cast(), null_mut()), DEM_ERROR_NULL);
        // Interactions in the block, which might move.
        let inside = block.start.wrapping_byte_add(block.size / 128 * 64).cast_const();
        let query = dem_world_query { interactions: inside.cast(), ..crowd.query() };
        assert_eq!(dem_world_run(&mut block, &query, DT, DT, &mut error), DEM_ERROR_OVERLAP);
        assert_eq!(error.argument, What::Block as u32);
        assert_eq!(hash(&block), before);
        // A block with a shape is refused.
        let mut other = Heap::new();
        let mut shape = other.block();
        assert_eq!(build(&mut shape, &cube()).code, DEM_OK);
        assert_eq!(run(&mut shape, DT, &crowd.query()).code, DEM_ERROR_DAMAGED);
        assert_eq!(dem_world_insert(&mut shape, null_mut(), &crowd.members[0], null_mut()), DEM_ERROR_DAMAGED);
    }
    let _: *mut c_void = block.start;
}

/// The ground, and a grid of balls that fall on it.
fn balls() -> Vec<dem_member> {
    let mut members = vec![Input::DEFAULT];
    for i in 0..60 {
        let place = [0.52 * (i % 4) as f64, 0.52 * (i / 4 % 4) as f64, 0.3 + 0.53 * (i / 16) as f64];
        let mut member = dem_member { shape: 1, ..Input::DEFAULT };
        // SAFETY: three numbers.
        unsafe { assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.25, 800.0, null_mut()), DEM_OK) };
        member.body.velocity = [0.2 * (i % 5) as f64 - 0.4, 0.1 * (i % 3) as f64, -1.0];
        members.push(member);
    }
    members
}

#[test]
fn worlds_of_balls_without_records_take_room_for_none() {
    let (shapes, laws, members) = (table(), [rough()], balls());
    let query = query(&shapes, &laws);
    let bodies = members.len() as u32;
    let filled = |desc: &dem_world_desc, setup: &dem_world_setup| {
        let mut own = Owned::new(desc);
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_set_up(own.world(), setup, null_mut()), DEM_OK) };
        members.iter().for_each(|member| _ = own.add(member));
        own
    };
    let mut general = filled(&dem_world_desc { bodies, ..Input::DEFAULT }, &DOWN);
    let none = dem_world_setup { records: DEM_RECORDS_NONE, ..DOWN };
    let desc =
        dem_world_desc { bodies, records: DEM_RECORDS_NONE, ball_pairs: 900, ball_contacts: 500, ..Input::DEFAULT };
    let mut own = filled(&desc, &none);
    let mut heap = Heap::new();
    let mut grown = heap.block();
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_world_build(&mut grown, &none, null_mut()), DEM_OK);
        members
            .iter()
            .for_each(|member| assert_eq!(dem_world_insert(&mut grown, null_mut(), member, null_mut()), DEM_OK));
    }
    // SAFETY: there is a world.
    let lists = |world: *const dem_world| unsafe { with(world, |world| Ok(world.ball_lists())).unwrap() };
    let mut made = Vec::new();
    for _ in 0..5 {
        general.advance(0.1, &query).unwrap();
        own.advance(0.1, &query).unwrap();
        assert_eq!(run(&mut grown, 0.1, &query).code, DEM_OK);
        assert_eq!(own.hash(), hash(&grown), "whatever room there is");
        made.push([lists(own.world()), lists(grown.start.cast())]);
    }
    let [own_lists, grown_lists] = [0, 1].map(|k| made[4][k].wrapping_sub(made[1][k]));
    assert!(own_lists > 0 && grown_lists <= own_lists, "lists of balls with their whole skin: {made:?}");
    let (view, other) = (own.view(), general.view());
    for i in 0..members.len() {
        // SAFETY: both views have as many bodies.
        let [a, b] = unsafe { [(*view.bodies.add(i)).position, (*other.bodies.add(i)).position] };
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-9), "{i}: {a:?} {b:?}");
    }
    assert!(view.wrenches.is_null() && view.mean_wrenches.is_null() && !other.wrenches.is_null());
    assert_eq!(own.report().contacts, 0);
    assert!(general.report().contacts > 16, "{}", general.report().contacts);
    // The room of a world is a description that makes such a world again.
    let mut room: dem_world_desc = Input::DEFAULT;
    let size = size_of_val(&room);
    for (world, records) in [(own.world().cast_const(), DEM_RECORDS_NONE), (general.world(), DEM_RECORDS_LAST)] {
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_room(&mut room, size, world, null_mut()), DEM_OK) };
        assert_eq!((room.records, room.contacts > 0, room.ball_pairs > 0), (records, records == 0, records > 0));
    }
    // A step that the program polls has records, for which there is no room.
    own.begin(0);
    let error = own.poll(&query).unwrap_err();
    assert_eq!((error.code, error.argument, error.component), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_CONTACTS, 0));
    // The component of the error tells too little room for balls, and the size that it tells is enough.
    let mut small = filled(&dem_world_desc { ball_pairs: 1, ball_contacts: 1, ..desc }, &none);
    let mut told = Vec::new();
    while let Err(error) = small.advance(0.1, &query) {
        assert_eq!((error.code, error.component), (DEM_ERROR_CAPACITY, 1), "{error:?}");
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_world_room(&mut room, size, small.world(), null_mut()), DEM_OK);
            match error.argument {
                DEM_ARGUMENT_CANDIDATES => room.ball_pairs = error.needed as u32,
                DEM_ARGUMENT_CONTACTS => room.ball_contacts = error.needed as u32,
                _ => panic!("{error:?}"),
            }
            let (mut size, mut world) = (0, null_mut());
            assert_eq!(dem_world_layout(&mut size, null_mut(), &room, null_mut()), DEM_OK);
            let mut block = vec![Line([0x55; 64]); size / 64];
            let memory = block.as_mut_ptr().cast();
            assert_eq!(dem_world_grow(memory, size, &mut world, small.world(), &room, null_mut()), DEM_OK);
            small.block = block;
        }
        told.push(error.argument);
        assert!(told.len() < 50, "{told:?}");
    }
    assert!(told.contains(&DEM_ARGUMENT_CANDIDATES) && told.contains(&DEM_ARGUMENT_CONTACTS), "{told:?}");
}

/// Windows of a world that watches get room for their events.
#[test]
fn windows_tell_events_in_a_world_that_grows() {
    let crowd = Crowd::new(30);
    let query = crowd.query();
    let mut heap = Heap::new();
    let mut world = heap.block();
    crowd.fill(&mut world);
    let (mut begun, mut ended) = (0, 0);
    // SAFETY: there is a world.
    unsafe {
        let setup = dem_world_setup { watch: 1, ..DOWN };
        assert_eq!(dem_world_set_up(world.start.cast(), &setup, null_mut()), DEM_OK);
        for _ in 0..6 {
            assert_eq!(run(&mut world, 0.05, &query).code, DEM_OK);
            let (mut view, mut report) = (core::mem::MaybeUninit::uninit(), dem_world_report::default());
            let size = size_of::<dem_world_slots>();
            assert_eq!(dem_world_view(view.as_mut_ptr(), size, world.start.cast(), null_mut()), DEM_OK);
            let size = size_of::<dem_world_report>();
            assert_eq!(dem_world_measure(&mut report, size, world.start.cast(), core::ptr::null(), null_mut()), DEM_OK);
            let view = view.assume_init();
            assert_eq!(view.event_stride, size_of::<dem_pair_event>());
            let events = core::slice::from_raw_parts(view.events, view.event_count);
            begun += events.iter().filter(|event| event.what == 1).count();
            ended += events.iter().filter(|event| event.what == 3).count();
            assert!(report.window_gap <= report.least_gap && report.window_approach > 0.0);
            assert!(begun - ended == report.pairs as usize, "{begun}, {ended}, {}", report.pairs);
        }
    }
    assert!(begun > 30 && ended > 5, "{begun} {ended}");
}

#[test]
fn the_steps_of_a_window_one_by_one_are_the_window() {
    let crowd = Crowd::new(60);
    let (mut heap, mut other) = (Heap::new(), Heap::new());
    let (mut one, mut steps) = (heap.block(), other.block());
    crowd.fill(&mut one);
    crowd.fill(&mut steps);
    let (query, length) = (crowd.query(), 12.5 * DT);
    assert_eq!(run(&mut one, length, &query).code, DEM_OK);
    let (mut dt, mut complete, mut count) = (0.0, 0, 0);
    let mut step = |dt: *mut f64, complete: *mut u32| {
        // SAFETY: there is a world.
        unsafe { dem_world_run_step(&mut steps, dt, complete, &query, length, DT, null_mut()) }
    };
    assert_eq!([step(null_mut(), &mut complete), step(&mut dt, null_mut())], [DEM_ERROR_NULL; 2]);
    while complete == 0 {
        assert_eq!(step(&mut dt, &mut complete), DEM_OK);
        assert!(dt <= DT);
        count += 1;
    }
    assert!(count >= 13 && hash(&steps) == hash(&one), "{count}");
}
