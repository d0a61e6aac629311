//! Bodies that go to other worlds.
//!
//! If a space is divided among processes, each process has a world of its own, which owns some of the bodies. Nearby bodies of other processes are
//! ghosts in this world (DEM_MOTION_GHOST). A body has the same id in all worlds. Before each step, the program copies the states of owned bodies to
//! their ghosts in other worlds (dem_world_set_body). Each world then finds all contacts of its own bodies, and the motion has the bits of a run with
//! one world.
//!
//! If a body moves to another process, dem_world_set_body makes its ghost there dynamic, and makes the body here a ghost. The springs of its contacts
//! must move, too: dem_world_pack_springs writes them as bytes, and dem_world_unpack_springs reads them.
//!
//!   dem_world_pack_springs(here, bytes, capacity, &count, leaving, leaving_count, &error);
//!   ... send count bytes ...
//!   dem_world_set_body, dem_world_add, dem_world_remove ...                       until all bodies and ghosts are there
//!   dem_world_unpack_springs(there, NULL, bytes, count, &error);

use dem_core::error::{Error, Kind, Result, What};

use crate::edge;
use crate::errors::{DEM_NONE, DEM_OK, dem_error, dem_shortage};
use crate::grow::Growing;
use crate::memory::{self as blocks, dem_block};
use crate::records::{alone, shared};
use crate::world_bodies::{packed, unpacked};
use crate::world_grow::World;
use crate::worlds::{change, dem_world, stretch, with};

/// Finds the body with an id.
///
/// Outputs: `handle`.
/// Inputs: `world`. `id`.
/// Errors: those of the world; `DEM_ERROR_NULL`. If there is no such body, the function returns `DEM_NONE` and does not change `handle`.
/// Cost: some nanoseconds; a comparison with all ids if the world has grown since a body with an id was added or removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_find(
    handle: *mut u64,
    world: *const dem_world,
    id: u64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if handle.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let found = with(world, |world| Ok(world.slot_of(id).and_then(|slot| world.handle(slot))))?;
            let Some(found) = found else { return Ok(edge::Status(DEM_NONE)) };
            edge::write(handle, packed(found), What::Output)?;
            Ok(edge::Status(DEM_OK))
        }
    })
}

/// Writes as bytes what the next step needs of the contacts of some bodies: springs, and data to match the contacts. Bodies are identified by ids, so
/// any world with bodies of the same ids may read the bytes.
///
/// Outputs: `bytes` (may be null if `capacity` is 0), at any alignment: records, one for each pair of bodies, 344 bytes for two balls. A program may
/// concatenate the bytes of several calls and processes in any order, and they may contain a pair twice. `count` (may be null): how many bytes there
/// are, even if they are more than `capacity`.
/// Inputs: `world`: its later steps are not changed. `handles`, `handle_count`: own bodies or ghosts.
/// Memory: the bytes must not overlap the world.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_CAPACITY` about `output`; `DEM_ERROR_OVERLAP`;
/// `DEM_ERROR_UNSUPPORTED` within a step. After an error the content of `bytes` is undefined.
/// Cost: a pass over all pairs of bodies in contact, so call it once for all bodies that go to the same process.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_pack_springs(
    world: *mut dem_world,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
    handles: *const u64,
    handle_count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            edge::write_optional(count, 0);
            let out = alone(bytes, capacity, What::Output)?;
            let handles = shared(handles, handle_count, What::Handles)?;
            let block = stretch(world)?;
            blocks::apart((out.as_ptr().cast(), out.len()), block, What::Output)?;
            blocks::apart((handles.as_ptr().cast(), size_of_val(handles)), block, What::Handles)?;
            let bodies = handles.iter().map(|handle| unpacked(*handle));
            let packed = change(world, |world| world.pack_springs(bodies, out));
            match &packed {
                Ok(bytes) => edge::write_optional(count, *bytes),
                Err(e) if e.kind == Kind::Capacity => edge::write_optional(count, e.needed as usize),
                Err(_) => {}
            }
            packed.map(|_| ())
        }
    })
}

/// Reads bytes that `dem_world_pack_springs` wrote in other worlds. The next step continues the contacts of these pairs as if this world had found
/// them.
///
/// Outputs: `world`: the records replace its own data of the same pairs. Springs of removed bodies are discarded. Until the next step, the world
/// shows no contacts. `pairs` (may be null): the number of pairs of which both bodies are in this world; other pairs are left out. So add all bodies
/// of the next step first, including ghosts. A world without room for records (`DEM_RECORDS_NONE`) takes only springs that a world kept with pairs of
/// balls. All others need this room, also those of balls after a step that the program polled.
/// Inputs: `bytes`, `count`: records, at any alignment.
/// Memory: the bytes must not overlap the world.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_DAMAGED` about `springs`, with the byte of the record as `index`; `DEM_ERROR_CAPACITY`
/// about `contacts`, `nodes` and `candidates` (`dem_world_grow`; `short_of` has all); `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` within a step.
/// After an error nothing changes.
/// Cost: a copy of the world's data of contacts, and a sort of the records. So call it once for all records.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_unpack_springs(
    world: *mut dem_world,
    pairs: *mut usize,
    bytes: *const u8,
    count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let taken = unpack(world, bytes, count).map_err(|e| tell(e, world, short))?;
            edge::write_optional(pairs, taken);
            Ok(())
        }
    })
}

/// As `dem_world_unpack_springs`, in a world that grows if it has too little room.
///
/// Outputs: `world`; `pairs` (may be null).
/// Inputs: `world`: its `resize`, and the world. `bytes`, `count`.
/// Memory: the bytes must not overlap the block.
/// Errors: those of `dem_world_unpack_springs`; `DEM_ERROR_CAPACITY` about `block` and `DEM_ERROR_MISALIGNED` as for `dem_world_build`. After an
/// error nothing changes.
/// Cost: that of `dem_world_unpack_springs`; a copy of the world if it grows.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_take_springs(
    world: *mut dem_block,
    pairs: *mut usize,
    bytes: *const u8,
    count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let mut world = Growing::<World>::read(world)?;
            let taken = loop {
                let start = world.start().cast();
                match unpack(start, bytes, count) {
                    Err(e) if e.kind == Kind::Capacity && world.place.grows() => {
                        let (sizes, all) = with(start, |world| Ok((world.sizes, world.shortage())))?;
                        let mut next = sizes;
                        if !next.make_room(&all, &mut dem_core::detect::Settings::default())? {
                            return Err(e);
                        }
                        let (_, scratch) = world.scratch()?;
                        world.grow(&next, scratch)?;
                    }
                    done => break done.map_err(|e| tell(e, start, short))?,
                }
            };
            edge::write_optional(pairs, taken);
            Ok(())
        }
    })
}

/// # Safety
/// As for [`dem_world_unpack_springs`].
unsafe fn unpack(world: *mut dem_world, bytes: *const u8, count: usize) -> Result<usize> {
    // SAFETY: by this function's contract.
    unsafe {
        let records = shared(bytes, count, What::Springs)?;
        blocks::apart((bytes.cast(), count), stretch(world)?, What::Springs)?;
        change(world, |world| world.unpack_springs(records))
    }
}

/// Writes the room that was too small in the world, and gives the error.
///
/// # Safety
/// A pointer that is not null points at a world.
#[cold]
unsafe fn tell(error: Error, world: *const dem_world, short: &mut dem_shortage) -> Error {
    // SAFETY: by this function's contract.
    if let Ok(all) = unsafe { with(world, |world| Ok(world.shortage())) } {
        let dem_core::detect::Shortage { candidates, contacts, nodes, ball_pairs, ball_contacts, .. } = all;
        *short = dem_shortage { candidates, contacts, nodes, ball_pairs, ball_contacts, ..dem_shortage::default() };
    }
    error
}

#[cfg(test)]
mod tests;
