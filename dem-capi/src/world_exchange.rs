//! Bodies that go to other worlds.
//!
//! A space is divided among processes, each with a world of its own: it owns some of the bodies, and has those that are near them as ghosts (DEM_MOTION_GHOST), under the same ids in all worlds. Before each step the program
//! copies states of owned bodies to their ghosts in other worlds (dem_world_set_body). Each world then finds all contacts of its own bodies, and the motion has the bits of one world.
//!
//! Where a body goes to another process, its ghost there becomes dynamic, and what was dynamic becomes a ghost, both by dem_world_set_body. Springs of friction go along: dem_world_pack_springs
//! writes what contacts of bodies keep into bytes, dem_world_unpack_springs takes them in.
//!
//!   dem_world_pack_springs(bytes, capacity, &count, here, leaving, leaving_count, &error);
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

/// The body with an id.
///
/// Outputs: `handle`.
/// Inputs: `world`. `id`.
/// Errors: none where there is no such body: `DEM_NONE`, and `handle` stays as it is. Those of the world; `DEM_ERROR_NULL`.
/// Cost: some nanoseconds; a comparison with all ids in a world that has grown since a body with an id joined or left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_find(
    handle: *mut u64,
    world: *const dem_world,
    id: u64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at.
        unsafe {
            let found = with(world, |world| Ok(world.slot_of(id).and_then(|slot| world.handle(slot))))?;
            let Some(found) = found else { return Ok(edge::Status(DEM_NONE)) };
            edge::write(handle, packed(found), What::Output)?;
            Ok(edge::Status(DEM_OK))
        }
    })
}

/// Writes what contacts of some bodies keep for the next step: springs, and by what contacts are found again. Bodies are named by ids, so it may be read by any world that has bodies with the same ids.
///
/// Outputs: `bytes` (may be null if `capacity` is 0), at any alignment: records, one for each pair of bodies, 344 bytes for two balls. What comes from several calls and processes may be put one behind the other in any order, and
/// a pair may come twice. `count` (may be null): how many bytes there are, also where there are more than `capacity`.
/// Inputs: `world`: it goes on as it would have. `handles`, `handle_count`: bodies, own ones or ghosts.
/// Memory: the bytes must not overlap the world.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_CAPACITY` about `output`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` within a step. `bytes` hold nothing of use then.
/// Cost: a pass over all pairs of bodies in contact, so call it once for all bodies that go to the same process.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_pack_springs(
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
    world: *mut dem_world,
    handles: *const u64,
    handle_count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            edge::write_optional(count, 0);
            let out = alone(bytes, capacity, What::Output)?;
            let handles = shared(handles, handle_count, What::Handle)?;
            let block = stretch(world)?;
            blocks::apart((out.as_ptr().cast(), out.len()), block, What::Output)?;
            blocks::apart((handles.as_ptr().cast(), size_of_val(handles)), block, What::Handle)?;
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

/// Takes in what `dem_world_pack_springs` has written in other worlds: in the next step contacts of these pairs go on as if they had been found here.
///
/// Outputs: `world`: what it keeps itself of the same pairs is replaced; springs of bodies that have left are forgotten; until the next step there are no contacts to be seen. `pairs` (may be null): how many pairs
/// found both of their bodies here; others are left out. So call it when all bodies are there that are to be in the next step, ghosts among them.
/// Inputs: `bytes`, `count`: records, at any alignment.
/// Memory: the bytes must not overlap the world.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_DAMAGED` about `springs`, with the byte of the record as `index`; `DEM_ERROR_CAPACITY` about `contacts`, `nodes` and `candidates` (`dem_world_grow`; `short_of` has all);
/// `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` within a step. Nothing is changed then.
/// Cost: a copy of what the world keeps of contacts, and a sort of the records: so call it once for all that has come.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let taken = unpack(world, bytes, count).map_err(|e| tell(e, world, short))?;
            edge::write_optional(pairs, taken);
            Ok(())
        }
    })
}

/// The same in a world that grows where it has too little room.
///
/// Outputs: `world`; `pairs` (may be null).
/// Inputs: `world`: its function, and the world. `bytes`, `count`.
/// Memory: the bytes must not overlap the block.
/// Errors: those of `dem_world_unpack_springs`; `DEM_ERROR_CAPACITY` about `block` and `DEM_ERROR_MISALIGNED` as for `dem_world_build`. Nothing is changed then.
/// Cost: that of `dem_world_unpack_springs`; a copy of the world where it grows.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
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

/// What the world was short of.
///
/// # Safety
/// Where the pointer is not null, it is that of a world.
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
