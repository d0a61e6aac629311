//! Tests of pairs that overlap, in memory that grows and of fixed size, and of refusals.

use core::ptr::{null, null_mut};

use super::*;
use crate::errors::*;
use crate::grow::tests::Heap;
use crate::inputs::Input;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::testing::{Line, Shape, cube};
use crate::world_bodies::*;
use crate::world_grow::*;
use crate::world_steps::dem_world_begin;
use crate::worlds::tests::{DT, NULL, Owned, query, rough, table};
use crate::worlds::*;

/// A pair, followed by numbers of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Wide {
    pair: dem_scene_pair,
    own: [u64; 3],
}

/// Ground, and balls with a radius of 0.25 at these places.
fn filled(block: &mut dem_block, places: &[[f64; 3]]) {
    let setup = dem_world_setup { gravity: [0.0, 0.0, -10.0], ..Input::DEFAULT };
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_world_build(block, &setup, NULL.cast()), DEM_OK);
        let ground = dem_member { id: 1000, ..Input::DEFAULT };
        assert_eq!(dem_world_insert(block, null_mut(), &ground, NULL.cast()), DEM_OK);
        for (i, place) in places.iter().enumerate() {
            let mut member = dem_member { shape: 1, id: 900 - i as u64, ..Input::DEFAULT };
            assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.25, 800.0, NULL.cast()), DEM_OK);
            assert_eq!(dem_world_insert(block, null_mut(), &member, NULL.cast()), DEM_OK);
        }
    }
}

/// The third and the fourth ball overlap by 0.03; the first is 0.01 deep in the ground, the fifth 0.02.
const PLACES: [[f64; 3]; 5] = [[0.0, 0.0, 0.24], [2.0, 0.0, 0.26], [4.0, 0.0, 0.3], [4.47, 0.0, 0.3], [6.0, 0.0, 0.23]];

const EXPECTED: [([u64; 2], f64); 3] = [([897, 898], 0.03), ([896, 1000], 0.02), ([900, 1000], 0.01)];

fn shapes_alone(shapes: &[dem_placed]) -> dem_world_query {
    dem_world_query { interactions: null(), interaction_count: 0, ..query(shapes, &[]) }
}

/// Calls the function: the number of pairs, and the error. After an error nothing is written.
fn look(block: &mut dem_block, to: &mut [Wide], query: &dem_world_query) -> (usize, dem_error) {
    let (mut count, mut error) = (99, dem_error::default());
    let (start, stride) = (to.as_mut_ptr().cast(), size_of::<Wide>());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_world_overlaps(block, start, to.len(), stride, &mut count, query, &mut error) };
    assert_eq!(status, error.code);
    (count, error)
}

fn hash(block: &dem_block) -> u64 {
    let mut hash = 0;
    // SAFETY: there is a world.
    assert_eq!(unsafe { dem_world_hash(&mut hash, block.start.cast(), NULL.cast()) }, DEM_OK);
    hash
}

/// A copy of a world in memory of a fixed size, followed by a mebibyte, and the size of the world.
fn copy(block: &dem_block) -> (Vec<Line>, usize) {
    let mut size = 0;
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_size(&mut size, block.start.cast(), NULL.cast()), DEM_OK) };
    let mut lines = vec![Line([0; 64]); size / 64 + (1 << 14)];
    // SAFETY: the world exists, and the lines have room for it.
    unsafe { core::ptr::copy_nonoverlapping(block.start.cast::<u8>(), lines.as_mut_ptr().cast(), size) };
    (lines, size)
}

const NONE: Wide = Wide {
    pair: dem_scene_pair {
        ids: [5; 2],
        a: 5,
        b: 5,
        first: 5,
        end: 5,
        image: [5; 3],
        shift: [5; 3],
        spare: 5,
        posed: 5,
        least_gap: 5.0,
        energy: 5.0,
    },
    own: [7; 3],
};

fn assert_told(pairs: &[Wide]) {
    for (k, (ids, depth)) in EXPECTED.into_iter().enumerate() {
        let Wide { pair, own } = pairs[k];
        assert!(pair.ids == ids && (pair.least_gap + depth).abs() < 1e-12 && own == [7; 3], "{pair:?}");
        assert_eq!(pair.end - pair.first, 1);
    }
    // Slots are in the order in which bodies were added.
    assert_eq!((pairs[0].pair.a, pairs[0].pair.b), (4, 3));
}

#[test]
fn pairs_that_overlap_are_told_the_deepest_first_and_nothing_moves() {
    let shapes = table();
    let query = shapes_alone(&shapes);
    let (mut heap, mut other) = (Heap::new(), Heap::new());
    let (mut block, mut same) = (heap.block(), other.block());
    filled(&mut block, &PLACES);
    filled(&mut same, &PLACES);
    let before = hash(&block);
    let mut pairs = [NONE; 4];
    // First only the number: no pair is written if there is too little room.
    for room in [0, 2] {
        let (count, error) = look(&mut block, &mut pairs[..room], &query);
        assert_eq!((count, error.code, error.argument), (3, DEM_ERROR_CAPACITY, DEM_ARGUMENT_OUTPUT));
        assert_eq!((error.needed, error.given, pairs), (3, room as u64, [NONE; 4]));
    }
    assert_eq!(look(&mut block, &mut pairs, &query).0, 3);
    assert_told(&pairs);
    assert_eq!((pairs[3], hash(&block)), (NONE, before));
    // Packed records.
    let (mut packed, mut count, mut error) = ([NONE.pair; 3], 0, dem_error::default());
    let start: *mut dem_scene_pair = packed.as_mut_ptr();
    // SAFETY: all memory has the size that is passed.
    unsafe { assert_eq!(dem_world_overlaps(&mut block, start, 3, 0, &mut count, &query, &mut error), DEM_OK) };
    assert_eq!((packed, count), ([0, 1, 2].map(|k| pairs[k].pair), 3));
    // Later steps, with a law, are those of a world without this call.
    let laws = [rough()];
    let query = crate::worlds::tests::query(&shapes, &laws);
    for block in [&mut block, &mut same] {
        // SAFETY: all memory has the size that is passed.
        unsafe { assert_eq!(dem_world_run(block, &query, 10.0 * DT, DT, NULL.cast()), DEM_OK) };
    }
    assert_eq!(hash(&block), hash(&same));
    assert_ne!(hash(&block), before);
}

#[test]
fn a_world_without_overlaps_needs_no_room() {
    let shapes = table();
    let mut heap = Heap::new();
    let mut block = heap.block();
    filled(&mut block, &[[0.0, 0.0, 0.26], [0.0, 0.0, 0.77]]);
    let (mut count, mut error) = (99, dem_error::default());
    let query = shapes_alone(&shapes);
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_world_overlaps(&mut block, null_mut(), 0, 0, &mut count, &query, &mut error) };
    assert_eq!((status, count), (DEM_OK, 0), "{error:?}");
}

/// A row of balls, each overlapping the next: more contacts than a new world has room for, in memory that grows and of fixed size.
#[test]
fn worlds_grow_for_it_and_others_tell_what_is_short() {
    let shapes = table();
    let query = shapes_alone(&shapes);
    let places: Vec<_> = (0..200).map(|i| [0.49 * f64::from(i), 0.0, 5.0]).collect();
    let mut heap = Heap::new();
    let mut block = heap.block();
    filled(&mut block, &places);
    let mut pairs = vec![NONE; 199];
    let (count, error) = look(&mut block, &mut pairs, &query);
    assert_eq!((count, error.code, heap.used.len()), (199, DEM_OK, 1), "{error:?}");
    assert!(pairs.iter().all(|at| (at.pair.least_gap + 0.01).abs() < 1e-12 && at.own == [7; 3]));
    assert!(pairs.is_sorted_by(|x, y| x.pair.least_gap <= y.pair.least_gap));

    // In memory of a fixed size, with the bytes after the world as scratch.
    let mut small = Heap::new();
    let mut first = small.block();
    filled(&mut first, &PLACES);
    let (mut lines, size) = copy(&first);
    let mut fixed = dem_block { start: lines.as_mut_ptr().cast(), size, resize: None, context: null_mut() };
    let mut few = [NONE; 4];
    // Errors about scratch: first for the poll, then for pairs that are not packed.
    for _ in 0..2 {
        let (count, error) = look(&mut fixed, &mut few, &query);
        assert_eq!((count, error.code, error.argument), (0, DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH), "{error:?}");
        assert!(error.needed <= 1 << 20, "{error:?}");
        fixed.size = size + error.needed as usize;
    }
    assert_eq!(look(&mut fixed, &mut few, &query).0, 3);
    assert_told(&few);
}

/// Two meshes of two cubes each, side by side: several contacts of two bodies, with room for one.
#[test]
fn contacts_of_two_bodies_get_room_or_are_told() {
    let far = |t: [[f64; 3]; 3]| t.map(|[x, y, z]| [x + 3.0, y, z]);
    let cubes: Vec<_> = cube().into_iter().chain(cube().into_iter().map(far)).collect();
    let mesh = Shape::new(&cubes, 0.05);
    let shapes = [dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT }];
    let grouping = crate::detect::DEM_GROUPING_PATCHES as usize;
    let narrow = dem_world_query { pair_contacts: 1, grouping, ..shapes_alone(&shapes) };
    let fill = |block: &mut dem_block| {
        for (id, place) in [(7, [0.0; 3]), (8, [0.03, 0.98, 0.05])] {
            let mut member = dem_member { id, ..Input::DEFAULT };
            // SAFETY: all memory has the size that is passed.
            unsafe {
                assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.25, 800.0, NULL.cast()), DEM_OK);
                assert_eq!(dem_world_insert(block, null_mut(), &member, NULL.cast()), DEM_OK);
            }
        }
    };
    let mut heap = Heap::new();
    let mut block = heap.block();
    // SAFETY: the block has a function that gets memory.
    unsafe { assert_eq!(dem_world_build(&mut block, null(), NULL.cast()), DEM_OK) };
    fill(&mut block);
    let mut pairs = [NONE; 4];
    let (count, error) = look(&mut block, &mut pairs, &narrow);
    assert_eq!((count, error.code), (1, DEM_OK), "{error:?}");
    let contacts = pairs[0].pair.end - pairs[0].pair.first;
    assert!(contacts > 1);

    // If the world has too little room, contacts of two bodies need the room that the query gives.
    let own = Owned::new(&dem_world_desc { bodies: 2, contacts: 1, ..dem_world_desc::DEFAULT });
    let mut lines = own.block;
    lines.resize(lines.len() + (1 << 14), Line([0; 64]));
    let (start, size) = (lines.as_mut_ptr().cast(), size_of_val(&*lines));
    let mut fixed = dem_block { start, size, resize: None, context: null_mut() };
    fill(&mut fixed);
    let (count, error) = look(&mut fixed, &mut pairs, &narrow);
    assert_eq!((count, error.code, error.argument), (0, DEM_ERROR_CAPACITY, What::PairContacts as u32), "{error:?}");
    assert!(error.needed >= contacts.into() && error.short_of.contacts >= contacts.into(), "{error:?}");
}

#[test]
fn what_is_wrong_is_refused() {
    let shapes = table();
    let query = shapes_alone(&shapes);
    let mut heap = Heap::new();
    let mut block = heap.block();
    filled(&mut block, &PLACES);
    let mut pairs = [NONE; 4];
    let code = |block: &mut dem_block, to: *mut dem_scene_pair, room: usize, query: *const dem_world_query| {
        let mut error = dem_error::default();
        // SAFETY: the call refuses nulls and overlaps.
        unsafe { dem_world_overlaps(block, to, room, 0, null_mut(), query, &mut error) };
        (error.code, error.argument)
    };
    let to: *mut dem_scene_pair = pairs.as_mut_ptr().cast();
    assert_eq!(code(&mut block, null_mut(), 4, &query), (DEM_ERROR_NULL, What::Output as u32));
    assert_eq!(code(&mut block, to, 4, null()), (DEM_ERROR_NULL, What::Query as u32));
    assert_eq!(code(&mut block, to.wrapping_byte_add(4), 3, &query), (DEM_ERROR_MISALIGNED, What::Output as u32));
    let inside = block.start.wrapping_byte_add(block.size - 256).cast();
    assert_eq!(code(&mut block, inside, 1, &query), (DEM_ERROR_OVERLAP, What::Output as u32));
    let table = shapes.as_ptr().cast_mut().cast();
    assert_eq!(code(&mut block, table, 1, &query), (DEM_ERROR_OVERLAP, What::Output as u32));
    let mut none = dem_block { start: null_mut(), size: 0, ..block };
    assert_eq!(code(&mut none, to, 4, &query).0, DEM_ERROR_NULL);
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_begin(block.start.cast(), DT, 0, NULL.cast()), DEM_OK) };
    assert_eq!(code(&mut block, to, 4, &query), (DEM_ERROR_UNSUPPORTED, What::Phase as u32));
    assert_eq!(pairs, [NONE; 4]);
}
