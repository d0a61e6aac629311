//! Steps of worlds.
//!
//! A step: call dem_world_begin, then dem_world_poll until `want` is not DEM_WANT_MORE:
//!
//! - DEM_WANT_MORE: a phase is done; poll again.
//! - DEM_WANT_LAW (with DEM_ASK_LAW): the program's law. dem_world_contacts gives the contacts. dem_world_law gives the velocities there,
//!   and the arrays for forces, torques and springs. Poll again.
//! - DEM_WANT_LOADS (with DEM_ASK_LOADS): the program may read forces, and set its own (dem_world_set_loads). Poll again.
//! - DEM_WANT_DONE: the step is complete. Call dem_world_accept, or dem_world_abandon.
//! - DEM_WANT_STUCK: bodies approach each other too fast for this step. Call dem_world_abandon, and begin a shorter step: `too_fast` of
//!   dem_world_slots has its length.
//!
//! In any phase, dem_world_abandon takes the step back, to the bit. dem_world_advance does all of this for many steps.

use core::ffi::c_void;

use dem_core::detect::Wrench;
use dem_core::error::{Error, Kind, What};
use dem_core::world::{Phase, PollResult, SPRINGS, Springs, StepOptions, TooFast};

use crate::detect::DEM_GROUPING_REGIONS;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::laws::dem_interaction;
use crate::layouts::fixed;
use crate::moving::dem_scene_surface;
use crate::placed::dem_placed;
use crate::records::mirrored;
use crate::tasks::{ALONE, dem_tasks};
use crate::world_bodies::dem_wrench;
use crate::world_drive::{Asked, advance, poll, told};
use crate::worlds::{change, dem_world};

/// For `dem_world_begin`: stop at `DEM_WANT_LOADS`.
pub const DEM_ASK_LOADS: u32 = 1;
/// For `dem_world_begin`: stop at `DEM_WANT_LAW`.
pub const DEM_ASK_LAW: u32 = 2;

/// A phase is done: poll again.
pub const DEM_WANT_MORE: u32 = 0;
/// The program may change its loads, then polls again.
pub const DEM_WANT_LOADS: u32 = 1;
/// The program applies its law, then polls again.
pub const DEM_WANT_LAW: u32 = 2;
/// The step is complete.
pub const DEM_WANT_DONE: u32 = 3;
/// Bodies approach each other too fast for this step.
pub const DEM_WANT_STUCK: u32 = 4;

/// Between steps.
pub const DEM_PHASE_IDLE: u32 = 0;
/// The next poll finds contacts.
pub const DEM_PHASE_FIND: u32 = 1;
/// The next poll applies the law.
pub const DEM_PHASE_LAW: u32 = 2;
/// The program applies its law.
pub const DEM_PHASE_HOST_LAW: u32 = 3;
/// The program reads and sets its loads.
pub const DEM_PHASE_LOADS: u32 = 4;
/// The next poll moves the bodies.
pub const DEM_PHASE_MOVE: u32 = 5;
/// Complete, not yet accepted.
pub const DEM_PHASE_DONE: u32 = 6;
/// The step is too long for the speed at which bodies approach.
pub const DEM_PHASE_STUCK: u32 = 7;

const _: () = assert!(
    DEM_WANT_MORE == PollResult::More as u32
        && DEM_WANT_LOADS == PollResult::Loads as u32
        && DEM_WANT_LAW == PollResult::Law as u32
        && DEM_WANT_DONE == PollResult::Done as u32
        && DEM_WANT_STUCK == PollResult::Stuck as u32
        && DEM_PHASE_IDLE == Phase::Idle as u32
        && DEM_PHASE_FIND == Phase::Find as u32
        && DEM_PHASE_LAW == Phase::Law as u32
        && DEM_PHASE_HOST_LAW == Phase::HostLaw as u32
        && DEM_PHASE_LOADS == Phase::Loads as u32
        && DEM_PHASE_MOVE == Phase::Move as u32
        && DEM_PHASE_DONE == Phase::Done as u32
        && DEM_PHASE_STUCK == Phase::Stuck as u32
        && size_of::<dem_springs>() == size_of::<[[f64; 3]; SPRINGS]>()
);

/// The input of polls: the shapes of bodies, settings of the search for contacts, the law. The world keeps none of it: pass the same query
/// in all polls of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_world_query {
    /// `sizeof(dem_world_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// The table of shapes, as for `dem_scene_query`: with `part_pose` of dem_mass as the `pose` of a mesh. `scale` is ignored.
    pub shapes: *const dem_placed,
    /// Number of shapes.
    pub shape_count: usize,
    /// Bytes from one to the next; 0: `sizeof(dem_placed)` of version 0.1.
    pub shape_stride: usize,
    /// The table of interactions: see `dem_interaction`. May be null if the program has a law of its own.
    pub interactions: *const dem_interaction,
    /// Number of interactions: 1, 3, 6, 10, ...
    pub interaction_count: usize,
    /// The most near pairs of triangles that any two bodies have; 0: 256.
    pub pairs: usize,
    /// The most contacts of two bodies; 0: 64.
    pub pair_contacts: usize,
    /// Which nodes form one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default.
    pub grouping: usize,
    /// Threads of the program; none by default.
    pub tasks: dem_tasks,
    /// As for `dem_scene_query`; infinity by default.
    pub bound: f64,
    /// As for `dem_scene_query`: the skin of a neighbour list, which changes no result. 0, the default: the world chooses it by the speed
    /// of the bodies.
    pub skin: f64,
    /// As for `dem_scene_query`; a quarter of pi by default.
    pub angle: f64,
    /// 1: contacts have their `energy`, and `stored_normal` of `dem_world_measure` is exact for `DEM_NORMAL_PRESSURE`. This takes some more
    /// time; no motion depends on it. 0 by default.
    pub energies: u64,
    /// Bodies whose vertices move by themselves, with slots as `body`; `dem_surface_of` fills one. Velocities at contacts, for `interactions` as for `dem_world_law`, include those of the vertices. The
    /// check for bodies that are too fast does not. May be null, the default.
    pub surfaces: *const dem_scene_surface,
    /// How many.
    pub surface_count: usize,
    /// Bytes from one to the next; 0: `sizeof(dem_scene_surface)` of version 0.1.
    pub surface_stride: usize,
}

fixed!(dem_world_query {
    struct_size: u32,
    isa: u32,
    shapes: *const dem_placed,
    shape_count: usize,
    shape_stride: usize,
    interactions: *const dem_interaction,
    interaction_count: usize,
    pairs: usize,
    pair_contacts: usize,
    grouping: usize,
    tasks: dem_tasks,
    bound: f64,
    skin: f64,
    angle: f64,
    energies: u64,
    surfaces: *const dem_scene_surface,
    surface_count: usize,
    surface_stride: usize,
});

// SAFETY: the size is first, and all are plain numbers and pointers; a callback may be null.
unsafe impl Input for dem_world_query {
    const DEFAULT: Self = dem_world_query {
        struct_size: size_of::<dem_world_query>() as u32,
        isa: DEM_ISA_BEST,
        shapes: core::ptr::null(),
        shape_count: 0,
        shape_stride: 0,
        interactions: core::ptr::null(),
        interaction_count: 0,
        pairs: 0,
        pair_contacts: 0,
        grouping: DEM_GROUPING_REGIONS as usize,
        tasks: ALONE,
        bound: f64::INFINITY,
        skin: 0.0,
        angle: core::f64::consts::FRAC_PI_4,
        energies: 0,
        surfaces: core::ptr::null(),
        surface_count: 0,
        surface_stride: 0,
    };
}

/// Two bodies that approach each other too fast for a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_too_fast {
    /// Slot of one body.
    pub a: u32,
    /// Slot of the other body; the same for a body and its periodic image, and for a body that moves by more than a period.
    pub b: u32,
    /// The approach in the step over the allowed approach, which is half of the sum of both halos. If a body moves by more than a period,
    /// the number of periods. 0 if no pair approaches.
    pub ratio: f64,
    /// A time step that is short enough for all pairs. If a body moves by more than a period, a time step that is short enough for the
    /// check of pairs.
    pub dt: f64,
}

fixed!(dem_too_fast { a: u32, b: u32, ratio: f64, dt: f64 });
mirrored!(dem_too_fast, TooFast: a, b, ratio, dt);

/// How two surfaces move at a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_meeting {
    /// Velocity of A's surface less that of B's, in world axes.
    pub velocity: [f64; 3],
    /// Angular velocity of A less that of B.
    pub spin: [f64; 3],
}

fixed!(dem_meeting { velocity: [f64; 3], spin: [f64; 3] });

const _: () = assert!(size_of::<dem_meeting>() == size_of::<Wrench>());

/// The data that a contact keeps from step to step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_springs {
    /// Three vectors: across the normal, along it, and across it again. They rotate with the contact. Then two times three numbers, for
    /// `dem_world_measure`. The first three are the stored energy, the normal stiffness and the tangential stiffness. The others are the
    /// energy of springs, the energy that damping dissipated, and the work done against friction in the step. A law of the program that
    /// does not compute them leaves zeros.
    pub vectors: [[f64; 3]; 5],
}

fixed!(dem_springs { vectors: [[f64; 3]; 5] });

/// Input and output of a law of the program. Each list has an item for each contact of `dem_world_contacts`. The memory belongs to the
/// world, and the pointers are valid until the next call that changes the world.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_host_law {
    /// How surfaces move, vertices of `surfaces` included.
    pub meetings: *const dem_meeting,
    /// The law writes here the force on A at `position` of the contact, and the torque beside this force. Both are zero at first. The world applies the opposite to B.
    pub acts: *mut dem_wrench,
    /// The springs of contacts, carried over from the last step. The law writes the new springs here. The next step has them if this step
    /// is accepted.
    pub springs: *mut dem_springs,
    /// Number of contacts.
    pub count: usize,
    /// Bytes from one meeting to the next, in the library that runs.
    pub meeting_stride: usize,
    /// Bytes from one of `acts` to the next.
    pub wrench_stride: usize,
    /// Bytes from one of `springs` to the next.
    pub spring_stride: usize,
}

fixed!(dem_host_law {
    meetings: *const dem_meeting,
    acts: *mut dem_wrench,
    springs: *mut dem_springs,
    count: usize,
    meeting_stride: usize,
    wrench_stride: usize,
    spring_stride: usize,
});

/// Begins a step.
///
/// Outputs: `world`.
/// Inputs: `dt`: its length, larger than 0. `asks`: 0, or bits `DEM_ASK_*`: where the program wants to be asked.
/// Errors: those of the world; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `dt`; `DEM_ERROR_OUT_OF_RANGE` about `options`: other bits; `DEM_ERROR_UNSUPPORTED` where a step or a window is under way.
/// After an error nothing changes.
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
        // SAFETY: the caller vouches for a world where the pointer is not null.
        unsafe { change(world, |world| world.begin(&step)) }
    })
}

/// Does one phase of the step. The first phase checks whether the step is short enough and finds contacts. The second phase applies the law. The last phase moves bodies.
///
/// Outputs: `want`: one of `DEM_WANT_*`. `world`: the step; the accepted state does not change.
/// Inputs: `query`: the same in all polls of a step. `scratch`, `scratch_size`: at any alignment. With less scratch than the error about it names, fewer threads work on meshes; one thread needs least.
/// Memory: scratch and world must not overlap each other, nor shapes and interactions.
/// Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` before `dem_world_begin` and after the step's end; those of `dem_scene_find` that are not about its arrays, with slots for places; about `interactions`:
/// `DEM_ERROR_NULL` where there are no interactions and the step needs some, and those of `dem_interactions_check`; `DEM_ERROR_NOT_FINITE` about `acts`, with the contact as `index` and both ids as `needed` and `given`: a force, a torque
/// or a spring; `DEM_ERROR_BAD_INDEX` about `materials`, with the slot as `index`: a body in contact has one that is not in the table; those of `dem_scene_velocities` about `surfaces`, with the place in the list as `index`; `DEM_ERROR_NOT_FINITE` about `wrenches`; `DEM_ERROR_CAPACITY` about `candidates`, `contacts`, `nodes` (`dem_world_grow`), `pairs`, `pair_contacts` (of the query) and `scratch`, the first array that is too small; `short_of` of the error has all of them. After an error the step stands where it
/// stood: remove the cause and poll again, or abandon the step. `DEM_ERROR_MISMATCH` about `shapes`: their number, kinds or sizes have changed since the contacts of this step were found. `DEM_ERROR_BUSY` about `shapes`: another thread was changing a shape when the call ended; the step then begins again with its first poll. A change that begins and ends within the call is not noticed.
/// Cost: the first phase costs as much as `dem_scene_find`; the others cost some hundred nanoseconds for each contact and each body.
/// Threads: any; nobody may use the world during the call.
/// Determinism: the same bits on every machine, with every instruction set, number of threads, size of memory and `skin`. Copies of the block between polls, and steps that were abandoned before, change no bit.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let Asked { query, table } = Asked::read(query)?;
            let done = poll(world, &query, table, (scratch, scratch_size));
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
    law: *mut dem_host_law,
    law_size: usize,
    world: *mut dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at.
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
/// Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` before the step is complete, and after it was accepted; about `window` within one. After an error nothing changes.
/// Cost: a copy of the bodies.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_accept(world: *mut dem_world, error: *mut dem_error) -> i32 {
    // SAFETY: the caller vouches for a world where the pointer is not null.
    edge::call(error, || unsafe { change(world, |world| world.accept()) })
}

/// Abandons the step in any phase. The state is then the same as before `dem_world_begin`, to the bit, but loads that the program has set since then stay. A window that is under way ends at the
/// last accepted step; its mean wrenches are 0. The world has no contacts until the next step finds some.
///
/// Outputs: `world`.
/// Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` where there is neither a step nor a window. After an error nothing changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_abandon(world: *mut dem_world, error: *mut dem_error) -> i32 {
    // SAFETY: the caller vouches for a world where the pointer is not null.
    edge::call(error, || unsafe { change(world, |world| world.abandon()) })
}

/// Advances the world over a window of time, in equal steps, and accepts each step. A step in which bodies would approach too fast is divided. The loads of the program are constant over the window. `mean_wrenches` of
/// `dem_world_view` has the mean force and torque of contacts on each body.
///
/// Outputs: `world`.
/// Inputs: `length`: of the window; `most_dt`: of a step, at most; both larger than 0. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`.
/// Memory: as for `dem_world_poll`.
/// Errors: those of `dem_world_poll`; `DEM_ERROR_NULL` about `interactions`: there are none; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `window` and `dt`; `DEM_ERROR_UNSUPPORTED` where a step is under way; `DEM_ERROR_MISMATCH` about `window`: another
/// one is under way; `DEM_ERROR_TOO_LARGE` about `dt`: a step would be divided into more than 2^20. After `DEM_ERROR_CAPACITY` the window is under way: with more room the same call continues it, with the same result;
/// `dem_world_abandon` ends the window at the last accepted step. Any other error ends the window there, too: an error in the first step leaves the state as it was before the call. After `DEM_ERROR_BUSY` about `shapes`, restore a copy: steps of this call may have seen a shape while it changed.
/// Cost: that of the steps.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_poll`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_advance(
    world: *mut dem_world,
    length: f64,
    most_dt: f64,
    query: *const dem_world_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
    edge::telling(error, |short| unsafe {
        let Asked { query, table } = Asked::read(query)?;
        let done = advance(world, length, most_dt, &query, table, (scratch, scratch_size));
        done.map_err(|error| told(error, (world, &query), short))
    })
}

#[cfg(test)]
mod tests;
