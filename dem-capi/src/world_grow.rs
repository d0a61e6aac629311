//! Worlds that grow.
//!
//! A program with an allocator gives the world a dem_block with a function that gets memory; for malloc, dem_heap.h has this function. The program
//! then needs no sizes and no scratch.
//!
//!   dem_block world = dem_heap();
//!   dem_world_build(&world, &setup, &error);
//!   dem_world_insert(&world, &handle, &member, &error);              for each body, at any time between steps
//!   dem_world_run(&world, &query, 0.02, 1e-3, &error);               or dem_world_begin and dem_world_next, phase by phase
//!   dem_free(&world);
//!
//! dem_world_in(&world) is the handle, for all functions that take a world. Only functions of this chapter may move the world to a larger block: call
//! dem_world_in again after each of them. A snapshot is a copy of the first dem_world_size bytes, and memcpy(world.start, snapshot, size) restores
//! it. Blocks never shrink, so the snapshot always fits.

use core::ffi::c_void;

use dem_core::detect::{Settings, Shortage};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::force::Interaction;
use dem_core::world::{Records, World as CoreWorld, WorldSizes};

use crate::detect::Query;
use crate::edge;
use crate::errors::{dem_error, dem_shortage};
use crate::grow::{Growing, Object};
use crate::memory::{Held, apart, dem_block};
use crate::shortage::Told;
use crate::world_bodies::{add, dem_member, read_member};
use crate::world_drive::{Asked, advance, advance_step, poll, scratch_of, told, write_step};
use crate::world_steps::dem_world_query;
use crate::worlds::{Whole, begin_in, change, dem_world, dem_world_setup, grow_into, read_setup, stretch, with};

/// Makes an empty world, in memory that the library gets from the program.
///
/// Outputs: `world`: `start` is the world, in `size` bytes.
/// Inputs: `world`: its `resize`, and memory of earlier calls, if any, which is used again if it is large enough. `setup` (may be null): the settings
/// for all steps; no gravity and no periods by default. With DEM_RECORDS_NONE the world takes no memory for records until a step needs some.
/// Memory: as for `dem_world_init`. The old content of the memory is lost.
/// Errors: those of `dem_world_set_up`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed: there is no function that gets memory, or it
/// returned none; `DEM_ERROR_MISALIGNED`: the memory that it returned.
/// Cost: the memory is filled with zeros.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_build(
    world: *mut dem_block,
    setup: *const dem_world_setup,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let mut world = Growing::<World>::read(world)?;
            let setup = if setup.is_null() { Whole::default() } else { read_setup(setup)? };
            let sizes = if setup.records == Records::None { WITHOUT_RECORDS } else { FIRST };
            let size = Growing::<World>::bytes(&sizes, 0)?;
            world.place.hold(size)?;
            begin_in(world.start(), world.place.now.size, &sizes)?;
            change(world.start().cast(), |world| setup.hold(world))
        }
    })
}

/// Adds a body as `dem_world_add` does, in a world that grows if it is full.
///
/// Outputs: `world`; `handle` (may be null).
/// Inputs: `world`: its `resize`, and the world. `member`.
/// Errors: those of `dem_world_add`; `DEM_ERROR_CAPACITY` about `block` and `DEM_ERROR_MISALIGNED` as for `dem_world_build`. Without a function that
/// gets memory `DEM_ERROR_CAPACITY` as for `dem_world_add`. After an error nothing changes.
/// Cost: some nanoseconds; a copy of the world if it grows, by half of its room.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_insert(
    world: *mut dem_block,
    handle: *mut u64,
    member: *const dem_member,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let member = read_member(member)?;
            let mut world = Growing::<World>::read(world)?;
            let joined = match add(world.start().cast(), &member) {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Bodies && world.place.grows() => {
                    let many = |_| Error::new(Kind::TooLarge, What::Bodies).amounts(u32::MAX.into(), e.needed);
                    let bodies = u32::try_from(e.needed + e.needed / 2).map_err(many)?;
                    let sizes = World::sizes(world.start())?;
                    let (_, scratch) = world.scratch()?;
                    world.grow(&WorldSizes { bodies, ..sizes }, scratch)?;
                    add(world.start().cast(), &member)
                }
                done => done,
            }?;
            edge::write_optional(handle, joined);
            Ok(())
        }
    })
}

/// Advances the world over a window of time as `dem_world_advance` does. The world gets more room and scratch from the program when needed.
///
/// Outputs: `world`.
/// Inputs: `world`: its `resize`, and the world. `length`, `most_dt`: as for `dem_world_advance`. `query`: `pairs` and `pair_contacts` need not be
/// set.
/// Memory: as for `dem_world_poll`.
/// Errors: those of `dem_world_advance`; `DEM_ERROR_CAPACITY` about `block`: the function that gets memory returned none; `DEM_ERROR_MISALIGNED`: the
/// memory that it returned. After `DEM_ERROR_CAPACITY` the window is still open, as for `dem_world_advance`.
/// Cost: that of the steps. If there is too little room, the world becomes a quarter larger than needed, and the phase continues without computing
/// again the contacts that had room. The new sizes are kept. The function that gets memory must not change anything that the query refers to.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_poll`; the amount of room changes no bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_run(
    world: *mut dem_block,
    query: *const dem_world_query,
    length: f64,
    most_dt: f64,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            grown(world, query, short, |world, query, table, scratch, told| {
                advance(world, (length, most_dt), query, table, scratch, told)
            })
        }
    })
}

/// Takes the next step of a window as `dem_world_advance_step` does. The world gets more room and scratch from the program when needed.
///
/// Outputs: `dt`, `complete`: as for `dem_world_advance_step`. `world`.
/// Inputs: as for `dem_world_run`, the same in all calls of a window.
/// Memory: as for `dem_world_poll`.
/// Errors: those of `dem_world_run`; `DEM_ERROR_NULL` about outputs.
/// Cost: that of the step, and of growing as for `dem_world_run`.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_run_step(
    world: *mut dem_block,
    dt: *mut f64,
    complete: *mut u32,
    query: *const dem_world_query,
    length: f64,
    most_dt: f64,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        if dt.is_null() || complete.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let done = grown(world, query, short, |world, query, table, scratch, told| {
                advance_step(world, (length, most_dt), query, table, scratch, told)
            })?;
            write_step(&done, dt, complete)
        }
    })
}

/// Does one phase of a step as `dem_world_poll` does. The world gets more room and scratch from the program when needed.
///
/// Outputs: `want`: one of `DEM_WANT_*`. `world`.
/// Inputs: `world`: its `resize`, and a world in which a step has begun (`dem_world_begin`). `query`: the same in all phases of a step; `pairs` and
/// `pair_contacts` need not be set.
/// Memory: as for `dem_world_poll`.
/// Errors: those of `dem_world_poll`, and those of `dem_world_run` about the block. After an error the step is in the same phase as before.
/// Cost: that of `dem_world_poll`, and of growing as for `dem_world_run`.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_next(
    world: *mut dem_block,
    want: *mut u32,
    query: *const dem_world_query,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        if want.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let wants = grown(world, query, short, |world, query, table, scratch, told| {
                poll(world, query, table, scratch, told)
            })?;
            edge::write(want, wants as u32, What::Output)
        }
    })
}

/// How many bytes a world takes, without the scratch after it. Copy this many bytes for a snapshot.
///
/// Outputs: `size`: bytes.
/// Inputs: `world`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_size(size: *mut usize, world: *const dem_world, error: *mut dem_error) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null.
    edge::call(error, || unsafe { edge::write(size, stretch(world)?.1, What::Output) })
}

/// The room of a new world.
const FIRST: WorldSizes = WorldSizes {
    bodies: 16,
    candidates: 64,
    contacts: 64,
    nodes: 64,
    levels: 8,
    ball_pairs: 64,
    ball_contacts: 64,
    events: 0,
};

const WITHOUT_RECORDS: WorldSizes = WorldSizes { candidates: 0, contacts: 0, nodes: 0, ..FIRST };

/// The kind of object "world" in a block.
pub(crate) struct World;

impl Object for World {
    type Sizes = WorldSizes;
    const HELD: Held = Held::World;
    const WHAT: What = What::World;

    unsafe fn sizes(start: *const c_void) -> Result<WorldSizes> {
        // SAFETY: by this function's contract.
        unsafe { with(start.cast(), |world| Ok(world.sizes)) }
    }

    fn length(sizes: &WorldSizes) -> Result<usize> {
        Ok(CoreWorld::layout(sizes)?.size)
    }

    unsafe fn scratch(query: &Query, sizes: &WorldSizes) -> Result<usize> {
        // SAFETY: by this function's contract.
        unsafe { scratch_of(query, sizes) }
    }

    unsafe fn shortage(start: *const c_void, error: &Error, _: &Told) -> Shortage {
        // SAFETY: by this function's contract.
        let told = unsafe { with(start.cast(), |world| Ok(world.shortage())) }.unwrap_or_default();
        if told.is_nothing() || error.what == What::Scratch { Shortage::of(error) } else { told }
    }

    fn roomier(short: &Shortage, settings: &mut Settings, sizes: &WorldSizes) -> Result<WorldSizes> {
        let mut sizes = *sizes;
        sizes.make_room(short, settings)?;
        Ok(sizes)
    }

    unsafe fn grow_into(start: *const c_void, memory: *mut c_void, size: usize, sizes: &WorldSizes) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe { grow_into(start.cast(), memory, size, sizes) }
    }
}

/// Runs a call on a world, and repeats it with more room until there is enough.
///
/// # Safety
/// As for [`dem_world_run`].
pub(crate) unsafe fn grown<R>(
    world: *mut dem_block,
    query: *const dem_world_query,
    short: &mut dem_shortage,
    mut call: impl FnMut(*mut dem_world, &Query, &[Interaction], (*mut c_void, usize), &mut Told) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe {
        let Asked { mut query, table } = Asked::read(query)?;
        let mut world = Growing::<World>::read(world)?;
        query.grows = world.place.grows();
        let block = (world.start().cast_const(), world.place.now.size);
        apart(block, (table.as_ptr().cast(), size_of_val(table)), What::Block)?;
        let mut steps = |start: *mut c_void, query: &Query, scratch, left: &mut Told| {
            call(start.cast(), query, table, scratch, left)
        };
        let mut done = world.going_on(&mut query, &mut Told::default(), &mut steps);
        if query.grows && matches!(&done, Err(error) if error.kind == Kind::Capacity) {
            // The host gives no more memory. A list of balls with a thinner skin may still fit.
            query.grows = false;
            done = world.going_on(&mut query, &mut Told::default(), &mut steps);
        }
        done.map_err(|error| told(error, (world.start().cast(), &query), short))
    }
}

#[cfg(test)]
mod tests;
