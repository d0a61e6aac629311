//! Steps of worlds.
//!
//! A step: call dem_world_begin, then dem_world_poll until `want` is not DEM_WANT_MORE:
//!
//! - DEM_WANT_MORE: a phase is done; poll again.
//! - DEM_WANT_LAW (with DEM_ASK_LAW): the program's law. dem_world_contacts gives the contacts. dem_world_law gives the velocities there,
//!   and the arrays for forces, torques and springs. Poll again.
//! - DEM_WANT_LOADS (with DEM_ASK_LOADS): the program may read forces, and set its own (dem_world_set_loads). Poll again.
//! - DEM_WANT_DONE: the step is complete. Call dem_world_accept, or dem_world_abandon.
//! - DEM_WANT_STUCK: bodies approach each other too fast for this step, by their velocities, gravity and loads of the program. Call
//!   dem_world_abandon, and begin a shorter step: `too_fast` of dem_world_slots has its length. The first poll tells it; with DEM_ASK_LOADS also the
//!   poll after DEM_WANT_LOADS, for the loads that the program has set then.
//!
//! In any phase, dem_world_abandon takes the step back, to the bit. With DEM_RECORDS_NONE a poll may have moved springs of balls into records:
//! later steps then agree to rounding. dem_world_advance does all of this for many steps.

mod structs;

use core::ffi::c_void;

use dem_core::detect::Wrench;
use dem_core::error::{Error, Kind, What};
use dem_core::world::{Springs, StepOptions};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::shortage::Told;
use crate::world_drive::{Asked, advance, advance_step, poll, told, write_step};
use crate::worlds::{change, dem_world};
pub use structs::*;

/// Begins a step.
///
/// Outputs: `world`.
/// Inputs: `dt`: its length, larger than 0. `asks`: 0, or bits `DEM_ASK_*`: at which points the step stops for the program.
/// Errors: those of the world; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `dt`; `DEM_ERROR_OUT_OF_RANGE` about `asks`: other bits;
/// `DEM_ERROR_UNSUPPORTED` where a step or a window is under way. After an error nothing changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_begin(world: *mut dem_world, dt: f64, asks: u32, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        let known = DEM_ASK_LOADS | DEM_ASK_LAW;
        if asks & !known != 0 {
            return Err(Error::new(Kind::OutOfRange, What::Asks).amounts(known.into(), asks.into()));
        }
        let step = StepOptions { dt, loads: asks & DEM_ASK_LOADS != 0, law: asks & DEM_ASK_LAW != 0 };
        // SAFETY: the caller guarantees that a pointer that is not null points at a world.
        unsafe { change(world, |world| world.begin(&step)) }
    })
}

/// Does one phase of the step. The first phase checks whether the step is short enough and finds contacts. The second phase applies the law. The last
/// phase moves bodies.
///
/// Outputs: `want`: one of `DEM_WANT_*`. `world`: the step; the accepted state does not change.
/// Inputs: `query`: the same in all polls of a step. `scratch`, `scratch_size`: at any alignment. With less scratch than the error about it names,
/// down to the need of one thread, fewer threads work on meshes.
/// Memory: scratch and world must not overlap each other, nor shapes and interactions.
/// Errors: those of the world; those of `dem_scene_find` that are not about its arrays, with slots for places; those of `dem_interactions_check`.
/// After an error the step is in the same phase as before: remove the cause and poll again, or abandon the step.
/// `DEM_ERROR_UNSUPPORTED` about `step of the world`: before `dem_world_begin`, or after the step's end.
/// `DEM_ERROR_CAPACITY` about `candidates`, `contacts`, `nodes` (`dem_world_grow`), `pairs`, `pair_contacts` (of the query) or `scratch`: the first
/// that is too small; `short_of` of the error has all of them.
/// `DEM_ERROR_NULL` about `interactions`: there are none, and the step needs some.
/// `DEM_ERROR_BAD_INDEX` about `material`, with the slot as `index`: the material of a body in contact is not in the table.
/// `DEM_ERROR_NOT_FINITE` about `acts`, with the contact as `index` and both ids as `needed` and `given`: a force (`component` 0 to 2), a torque (3
/// to 5) or springs (from 6 on); about `wrenches`: a load, or the sum for a body.
/// `DEM_ERROR_OUT_OF_RANGE` about `acts`, with the same fields: a force or a torque larger than 2^100, or that would by itself move a body by more
/// than 2^20 halos, or turn it by as many radians, in this step.
/// Those of `dem_scene_velocities` about `surfaces`, with the place in the list as `index`.
/// `DEM_ERROR_MISMATCH` about `shapes`: their number, kinds or sizes have changed since the contacts of this step were found.
/// `DEM_ERROR_BUSY` about `shapes`: another thread was changing a shape when the call ended; the step then begins again with its first poll. A change
/// that begins and ends within the call is not noticed.
/// Cost: the first phase costs as much as `dem_scene_find`; the others cost some hundred nanoseconds for each contact and each body.
/// Threads: any; nobody may use the world during the call.
/// Determinism: the same bits on every machine, with every instruction set, number of threads, size of memory and `skin`. Copies of the block between
/// polls, and steps that were abandoned before, change no bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_poll(
    world: *mut dem_world,
    want: *mut u32,
    query: *const dem_world_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        if want.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let Asked { query, table } = Asked::read(query)?;
            let done = poll(world, &query, table, (scratch, scratch_size), &mut Told::default());
            edge::write(want, done.map_err(|error| told(error, (world, &query), short))? as u32, What::Output)
        }
    })
}

/// Input and output of a law of the program, at `DEM_WANT_LAW`. When the law has written everything, call `dem_world_poll` again: the poll
/// checks the forces and adds them up.
///
/// Outputs: `law`: the function writes `law_size` bytes, at most `sizeof(dem_host_law)`.
/// Inputs: `world`. `law_size`: `sizeof(dem_host_law)`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_UNSUPPORTED` about `step of the world` at any other point of the step.
/// Cost: none.
/// Threads: any; nobody may use the world during the call. Afterwards any number of threads may write, each to contacts of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_law(
    world: *mut dem_world,
    law: *mut dem_host_law,
    law_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let found = change(world, |world| {
                let host = world.law_mut()?;
                Ok(dem_host_law {
                    meetings: host.meets.as_ptr().cast(),
                    acts: host.acts.as_mut_ptr().cast(),
                    springs: host.springs.as_mut_ptr().cast(),
                    count: host.acts.len(),
                    meeting_stride: size_of::<dem_meeting>(),
                    wrench_stride: size_of::<Wrench>(),
                    spring_stride: size_of::<Springs>(),
                })
            })?;
            inputs::write_record(law, law_size, &found, What::Output)
        }
    })
}

/// Accepts a complete step: its result becomes the state of the world.
///
/// Outputs: `world`.
/// Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` before the step is complete, and after it was accepted; about
/// `window` within one. After an error nothing changes.
/// Cost: a copy of the bodies.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_accept(world: *mut dem_world, error: *mut dem_error) -> i32 {
    // SAFETY: the caller guarantees that a pointer that is not null points at a world.
    edge::call(error, || unsafe { change(world, |world| world.accept()) })
}

/// Abandons the step in any phase. The state is then the same as before `dem_world_begin`, to the bit, but loads that the program has set since then
/// stay. A window that is under way ends at the last accepted step; its mean wrenches are 0. The world has no contacts until the next step finds
/// some.
///
/// In later reports, works and energies that were sums over the last window are those of its last step.
///
/// Outputs: `world`.
/// Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` where there is neither a step nor a window. After an error nothing
/// changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_abandon(world: *mut dem_world, error: *mut dem_error) -> i32 {
    // SAFETY: the caller guarantees that a pointer that is not null points at a world.
    edge::call(error, || unsafe { change(world, |world| world.abandon()) })
}

/// Advances the world over a window of time, in equal steps, and accepts each step. A step in which bodies would approach too fast is divided, into
/// up to 2^20 steps (`dem_world_advance_step` returns after each one). The loads of the program are constant over the window. `mean_wrenches` of
/// `dem_world_view` has the mean force and torque of contacts on each body.
///
/// Outputs: `world`.
/// Inputs: `length`: of the window; `most_dt`: of a step, at most; both larger than 0. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`.
/// Memory: as for `dem_world_poll`.
/// Errors: those of `dem_world_poll`; `DEM_ERROR_NULL` about `interactions`: there are none; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE`
/// about `length` and `most_dt`; `DEM_ERROR_UNSUPPORTED` where a step is under way; `DEM_ERROR_MISMATCH` about `window`: another one is under way;
/// `DEM_ERROR_TOO_LARGE` about `dt`: a step would be divided into more than 2^20. After `DEM_ERROR_CAPACITY` the window is under way: with more room
/// the same call continues it, with the same result; `dem_world_abandon` ends the window at the last accepted step. Any other error ends the window
/// there, too: an error in the first step leaves the state as it was before the call. After `DEM_ERROR_BUSY` about `shapes`, restore a copy: steps of
/// this call may have seen a shape while it changed.
/// Cost: that of the steps.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_poll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_advance(
    world: *mut dem_world,
    query: *const dem_world_query,
    length: f64,
    most_dt: f64,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::telling(error, |short| unsafe {
        let Asked { query, table } = Asked::read(query)?;
        let mut none = Told::default();
        let done = advance(world, (length, most_dt), &query, table, (scratch, scratch_size), &mut none);
        done.map_err(|error| told(error, (world, &query), short))
    })
}

/// Takes the next step of a window; the first call begins the window. All calls together do what dem_world_advance does in one call.
/// dem_world_advance can also take all remaining steps of a window that was begun in this way. The world needs records. In a world of balls and
/// half-spaces alone, where dem_world_advance needs no records, sums are rounded otherwise.
///
/// Between calls the program may refit meshes whose vertices move (`surfaces` of the query) to the vertex positions at `time` of dem_world_slots. It
/// may read contacts of meshes and their forces, and the loads on vertices (dem_scene_loads). The mean load of the window is the sum of the loads of
/// each step times its `dt`, divided by the length of the window. The program must not change bodies and loads of the world until the window is
/// complete.
///
/// Outputs: `dt`: the length of the step, at most `most_dt`: less where it was divided. `complete`: 1 if it was the last step of the window, else 0.
/// `world`.
/// Inputs: as for `dem_world_advance`, the same in all calls of a window.
/// Memory: as for `dem_world_poll`.
/// Errors: those of `dem_world_advance`; `DEM_ERROR_NULL` about outputs; `DEM_ERROR_CAPACITY` about `contacts` if the world has no records.
/// Cost: that of the step.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_poll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_advance_step(
    world: *mut dem_world,
    dt: *mut f64,
    complete: *mut u32,
    query: *const dem_world_query,
    length: f64,
    most_dt: f64,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        if dt.is_null() || complete.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let Asked { query, table } = Asked::read(query)?;
            let mut none = Told::default();
            let done = advance_step(world, (length, most_dt), &query, table, (scratch, scratch_size), &mut none);
            write_step(&done.map_err(|error| told(error, (world, &query), short))?, dt, complete)
        }
    })
}

#[cfg(test)]
mod tests;
