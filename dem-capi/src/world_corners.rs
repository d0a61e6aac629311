//! Corners of worlds.
//!
//! The corners of all contacts of a step of a world, as by dem_scene_corners and dem_scene_manifolds for a scene.

use core::ffi::c_void;

use dem_core::contact::shape::Shape;
use dem_core::contact::{Corner, CornerLimits};
use dem_core::detect::Settings;
use dem_core::error::{Result, What};
use dem_core::world::World;

use crate::body_contacts::dem_contact_corner;
use crate::detect::Query;
use crate::edge;
use crate::errors::dem_error;
use crate::grow::{Growing, manifolds};
use crate::memory::{self as blocks, dem_block};
use crate::records::{alone, tell};
use crate::world_drive::{Asked, with_scratch};
use crate::world_grow;
use crate::world_steps::dem_world_query;
use crate::worlds::{self, dem_world};

/// Finds the corners of all contacts of the step or of the last accepted one (none after `dem_world_abandon`), ordered by contact: at least one for
/// each.
///
/// Outputs: `corners` (may be null if `capacity` is 0): packed; `contact` is the index of the contact in `contacts` of `dem_world_contacts`, `order`
/// counts from 0 in each contact; at the positions at the start of the step. `count` (may be null): how many there are, even if they are more than
/// `capacity`; 0 if the number is not known.
/// Inputs: `world`: not changed. `most`: the most corners of each contact; 0: four, the most important ones; `SIZE_MAX`: all corners. `query`: with
/// the shapes of the step; no interactions are needed. Its `pairs` is the room of each thread for triangle pairs of two bodies, its `tasks` are the
/// threads. `scratch`, `scratch_size`: at any alignment; usually the scratch of polls is enough. With less scratch, down to the need of one thread,
/// fewer threads work.
/// Memory: corners, scratch and world must not overlap each other, nor anything else.
/// Errors: those of `dem_world_poll` about the world, shapes and scratch; `DEM_ERROR_MISMATCH` about `ids`: the body in this slot was removed after
/// the step, so call this function before you remove bodies; `DEM_ERROR_CAPACITY` about `output`, with the exact number, about `pairs` (in the query)
/// with a number that is enough for the pair of bodies that needs most. After an error no corner is written. `DEM_ERROR_BUSY` about `shapes`: a shape
/// was changed during the call; a step under way begins again with its next poll.
/// Cost: that of `dem_scene_corners`.
/// Threads: any; nobody may use the world during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_corners(
    world: *mut dem_world,
    corners: *mut dem_contact_corner,
    capacity: usize,
    count: *mut usize,
    query: *const dem_world_query,
    most: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = || unsafe {
            let query = Asked::read(query)?.query;
            let out = alone(corners.cast::<Corner>(), capacity, What::Output)?;
            find(world, out, most, &query, (scratch, scratch_size))
        };
        // SAFETY: likewise.
        unsafe { tell(count, found(), What::Output) }
    })
}

/// As `dem_world_corners`, in memory that the library gets from the program.
///
/// Outputs: `corners`: `start` is a list of `count` records `dem_contact_corner`; the next call uses the memory again. `dem_corners_in` gives the
/// pointer to the list.
/// Inputs: `world`: its `resize`, and the world, whose block grows if there is too little scratch after it. `corners`: its `resize`. `most`, `query`:
/// as for `dem_world_corners`; `pairs` need not be set.
/// Memory: as for `dem_world_corners`.
/// Errors: those of `dem_world_corners`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed, `DEM_ERROR_MISALIGNED` and `DEM_ERROR_OVERLAP` as
/// for `dem_world_run`, about either block.
/// Cost: that of `dem_world_corners`; twice that if there is too little room for the corners.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_manifolds(
    world: *mut dem_block,
    corners: *mut dem_block,
    count: *mut usize,
    query: *const dem_world_query,
    most: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            edge::write(count, 0, What::Output)?;
            let mut query = Asked::read(query)?.query;
            let mut world = Growing::<world_grow::World>::read(world)?;
            // Checks that the block contains a world before it grows.
            worlds::with(world.start().cast(), |_| Ok(()))?;
            let found = manifolds(&mut world, corners, &mut query, |start, out, query, scratch| {
                find(start.cast(), out, most, query, scratch)
            })?;
            edge::write(count, found, What::Output)
        }
    })
}

/// Finds the corners with this scratch, and gives their number.
///
/// # Safety
/// As for [`dem_world_corners`].
unsafe fn find(
    world: *mut dem_world,
    out: &mut [Corner],
    most: usize,
    query: &Query,
    scratch: (*mut c_void, usize),
) -> Result<usize> {
    let (bytes, capacity) = ((out.as_ptr().cast(), size_of_val(out)), out.len());
    let apart = |memory: &[(blocks::Stretch, What)]| {
        query.apart_from(&[(bytes, What::Output)])?;
        memory.iter().try_for_each(|(other, _)| blocks::apart(bytes, *other, What::Output))
    };
    let limits = |settings: &Settings| CornerLimits { pairs: settings.room.pairs, most };
    let needs = |world: &World<'_>, shapes: &[Shape<'_>], settings: &Settings, threads| {
        world.as_ref().corners_scratch(shapes, limits(settings), capacity, threads)
    };
    // SAFETY: by this function's contract.
    unsafe {
        with_scratch(world, query, &[], apart, scratch, needs, |world, drive, _, scratch| {
            let limits = limits(&drive.settings);
            world.as_ref().corners(drive.exec, drive.isa, drive.shapes, limits, out, scratch)
        })
    }
}

#[cfg(test)]
mod tests;
