//! Tests of a space divided among two worlds against one world, and of refusals.

use core::ptr::{null, null_mut};

use super::*;
use crate::errors::*;
use crate::grow::tests::Heap;
use crate::inputs::Input;
use crate::world_bodies::*;
use crate::world_grow::{dem_world_build, dem_world_insert};
use crate::world_steps::dem_world_abandon;
use crate::worlds::tests::{NULL, Owned, heap, query, rough, table};
use crate::worlds::*;

const ROOM: dem_world_desc = dem_world_desc { bodies: 16, ..dem_world_desc::DEFAULT };

fn body(own: &Owned, handle: u64) -> dem_body {
    let mut body = Input::DEFAULT;
    let dem_member { body: to, .. } = &mut body;
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_body(to, own.block.as_ptr().cast(), handle, NULL.cast()), DEM_OK) };
    body.body
}

fn set(own: &mut Owned, handle: u64, body: &dem_body, motion: u32) {
    let body = dem_body { motion, ..*body };
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_set_body(own.world(), handle, &body, NULL.cast()), DEM_OK) };
}

fn pack(own: &mut Owned, handles: &[u64]) -> Vec<u8> {
    let (mut count, mut error) = (0, dem_error::default());
    let (start, many) = (handles.as_ptr(), handles.len());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let status = dem_world_pack_springs(own.world(), null_mut(), 0, &mut count, start, many, &mut error);
        assert_eq!((status, error.needed), (DEM_ERROR_CAPACITY, count as u64));
        let mut bytes = vec![0; count];
        let to = bytes.as_mut_ptr();
        assert_eq!(dem_world_pack_springs(own.world(), to, count, &mut count, start, many, &mut error), DEM_OK);
        assert_eq!(count, bytes.len());
        bytes
    }
}

fn unpack(own: &mut Owned, bytes: &[u8]) -> (dem_error, usize) {
    let (mut pairs, mut error) = (77, dem_error::default());
    // SAFETY: all memory has the size that is passed.
    unsafe { dem_world_unpack_springs(own.world(), &mut pairs, bytes.as_ptr(), bytes.len(), &mut error) };
    (error, pairs)
}

/// Each world owns half of the bodies until they are exchanged.
#[test]
fn springs_go_along_to_another_world() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    for sends in [true, false] {
        let (mut whole, handles) = Owned::filled(&ROOM);
        let mut parts = [Owned::filled(&ROOM).0, Owned::filled(&ROOM).0];
        let owner = |i: usize, step: usize| usize::from((i % 4 < 2) != (step / 50 % 2 == 1));
        let share = |parts: &mut [Owned; 2], step: usize| {
            for (i, handle) in handles.iter().enumerate().skip(1) {
                let state = body(&parts[owner(i, step.saturating_sub(1))], *handle);
                for (k, part) in parts.iter_mut().enumerate() {
                    let motion = if owner(i, step) == k { DEM_MOTION_DYNAMIC } else { DEM_MOTION_GHOST };
                    set(part, *handle, &state, motion);
                }
            }
        };
        share(&mut parts, 0);
        let mut same = true;
        for step in 1..200 {
            whole.step(&query);
            parts.iter_mut().for_each(|part| part.step(&query));
            let leaving = |k: usize| -> Vec<u64> {
                let all = handles.iter().enumerate().skip(1);
                let leave = |i: usize| usize::from((i % 4 < 2) != ((step - 1) / 50 % 2 == 1)) == k;
                all.filter(|(i, _)| leave(*i) && step % 50 == 0).map(|(_, handle)| *handle).collect()
            };
            let bytes = [0, 1].map(|k| if leaving(k).is_empty() { vec![] } else { pack(&mut parts[k], &leaving(k)) });
            share(&mut parts, step);
            for (k, part) in parts.iter_mut().enumerate().filter(|_| sends && step % 50 == 0) {
                let (error, pairs) = unpack(part, &bytes[1 - k]);
                assert!(error.code == DEM_OK && pairs > 0, "{error:?}, {pairs} pairs");
            }
            for handle in &handles[1..] {
                let [one, other] = [&whole, &parts[0]].map(|own| body(own, *handle));
                same &= (one.position, one.velocity, one.orientation)
                    == (other.position, other.velocity, other.orientation);
            }
        }
        assert_eq!(same, sends);
    }
}

#[test]
fn what_is_no_record_is_refused() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, handles) = Owned::filled(&ROOM);
    own.advance(0.1, &query).unwrap();
    let bytes = pack(&mut own, &handles);
    let (before, hash) = (own.bytes(), own.hash());
    let told = |own: &mut Owned, bytes: &[u8]| {
        let (error, pairs) = unpack(own, bytes);
        assert_eq!(pairs, 77);
        (error.code, error.argument, error.index)
    };
    for at in [0, 4, 6, 23 * 8 + 30] {
        let mut bad = bytes.clone();
        // A NaN in the records, or a wrong mark.
        bad[at..at + 8].fill(0xFF);
        assert_eq!(told(&mut own, &bad), (DEM_ERROR_DAMAGED, What::Springs as u32, 0), "{at}");
    }
    for end in [1, 8, bytes.len() - 1] {
        assert_eq!(told(&mut own, &bytes[..end]).0, DEM_ERROR_DAMAGED);
    }
    assert_eq!(own.hash(), hash);
    // Refused: within a step, a wrong handle, memory that overlaps the world.
    own.begin(0);
    assert_eq!(told(&mut own, &bytes).0, DEM_ERROR_UNSUPPORTED);
    // SAFETY: there is a world; what is refused is not looked at.
    unsafe {
        assert_eq!(dem_world_abandon(own.world(), NULL.cast()), DEM_OK);
        let mut count = 5;
        let bad = [handles[1], u64::MAX];
        let to = null_mut();
        let status = dem_world_pack_springs(own.world(), to, 0, &mut count, bad.as_ptr(), 2, NULL.cast());
        assert_eq!((status, count), (DEM_ERROR_BAD_INDEX, 0));
        let inside = own.block.as_ptr().cast();
        assert_eq!(dem_world_unpack_springs(own.world(), null_mut(), inside, 64, NULL.cast()), DEM_ERROR_OVERLAP);
        assert_eq!(dem_world_unpack_springs(own.world(), null_mut(), null(), 64, NULL.cast()), DEM_ERROR_NULL);
    }
    // Springs that the world has already change nothing.
    own.block.iter_mut().zip(before.chunks(64)).for_each(|(line, bytes)| line.0.copy_from_slice(bytes));
    let twice = [bytes.clone(), bytes].concat();
    let mut other = own.clone();
    let (error, pairs) = unpack(&mut own, &twice);
    assert!(error.code == DEM_OK && pairs > 3 && own.hash() == hash, "{pairs} pairs");
    own.step(&query);
    other.step(&query);
    assert_eq!(own.hash(), other.hash());
}

/// Bodies are found by ids, and a world that grows gets room for springs.
#[test]
fn records_find_their_bodies_in_a_world_that_grows() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, handles) = Owned::filled(&ROOM);
    own.advance(0.1, &query).unwrap();
    let bytes = pack(&mut own, &handles);
    let mut memory = Heap::new();
    let mut block = memory.block();
    let (mut handle, mut pairs, mut error) = (0, 0, dem_error::default());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let setup = dem_world_setup { records: DEM_RECORDS_NONE, ..Input::DEFAULT };
        assert_eq!(dem_world_build(&mut block, &setup, null_mut()), DEM_OK);
        for member in heap().iter().rev() {
            assert_eq!(dem_world_insert(&mut block, &mut handle, member, null_mut()), DEM_OK);
            let mut found = 0;
            assert_eq!(dem_world_find(&mut found, block.start.cast(), member.id, null_mut()), DEM_OK);
            assert_eq!(found, handle);
        }
        assert_eq!(dem_world_find(&mut handle, block.start.cast(), 500, null_mut()), DEM_NONE);
        let many: Vec<u8> = (0..12).flat_map(|_| bytes.clone()).collect();
        let status = dem_world_take_springs(&mut block, &mut pairs, many.as_ptr(), many.len(), &mut error);
        assert_eq!(status, DEM_OK, "{error:?}");
    }
    assert!(pairs > 3, "{pairs} pairs");
}
