//! Overlaps in worlds.
//!
//! Bodies that overlap at the start are pushed apart by large forces, and fly away. dem_world_overlaps tells which bodies overlap, before the first
//! step. With `pairs`, an array of 64 dem_scene_pair:
//!
//!   dem_world_overlaps(&world, pairs, 64, sizeof *pairs, &count, &query, &error);

use core::ffi::c_void;

use dem_core::contact::shape::Shape;
use dem_core::detect::{ScenePair, Settings};
use dem_core::error::{Kind, Result, What};
use dem_core::memory::{Layout, sections};
use dem_core::world::World;

use crate::detect::Query;
use crate::edge;
use crate::errors::dem_error;
use crate::grow::Growing;
use crate::memory::{self as blocks, Stretch, dem_block};
use crate::moving::SurfaceList;
use crate::records::{Records, tell};
use crate::scenes::dem_scene_pair;
use crate::shortage::Told;
use crate::world_drive::{going_on, poll_scratch, with_scratch};
use crate::world_grow::{self, grown};
use crate::world_steps::dem_world_query;
use crate::worlds::dem_world;

/// Lists the pairs of bodies that overlap in the accepted state, the deepest first. `least_gap` of a pair is minus its depth: how far surfaces are
/// behind each other. If the contacts of a pair have `DEM_CONTACT_IS_LEAST_TRANSLATION`, the depth is about the smallest translation that separates
/// the two bodies.
///
/// The call begins a step, finds contacts and takes the step back. Bodies and later steps do not change.
/// With `DEM_RECORDS_NONE` a world keeps the room for records that it has got for the call.
///
/// Afterwards the world has no contacts until the next step finds some, and no events of the last window. The same holds after an error during the
/// search for contacts. The report then has 1e-30 as `dt`; its works and energies that were sums over the last window, such as `spurious`, are those
/// of the last step of this window.
///
/// Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0: packed); of each pair, `a` and
/// `b` are slots, and `end` less `first` is the number of its contacts. `count` (may be null): how many pairs overlap, even if they are more than
/// `capacity`; 0 if the number is not known. With a `capacity` of 0, DEM_OK tells that no bodies overlap. `world`: it may move to a larger block, as
/// by `dem_world_run`.
/// Inputs: `world`: its `resize`, and the world, between steps; or a world that the program has made (`dem_world_init`) in `size` bytes, without a
/// function: the bytes after the world are then scratch. `query`: with the shapes; no interactions are needed. `pairs` and `pair_contacts` of the
/// query need not be set if the world grows.
/// Memory: records must not overlap the block nor anything else.
/// Errors: those of `dem_world_begin`, and those of `dem_world_next` that are not about interactions.
/// After an error no step is under way, except for one that was so before (`DEM_ERROR_UNSUPPORTED`).
/// `DEM_ERROR_CAPACITY` about `output`: more pairs overlap, with the exact number; then no record is written.
/// `DEM_ERROR_CAPACITY` about `scratch`, without a function that gets memory: it may come twice in a row.
/// `DEM_ERROR_NULL` and `DEM_ERROR_MISALIGNED` about `output`: `pairs` or `stride`.
/// `DEM_ERROR_TOO_LARGE` about `dt`: two bodies are so fast that they would pass through each other even in a step of 1e-30.
/// `DEM_ERROR_BUSY` about `shapes`, as for `dem_world_poll`: records may be written already, and have no meaning.
/// Cost: that of finding the contacts of one step, and of growing as for `dem_world_run`.
/// Threads: any; nobody may use the world during the call.
/// Determinism: as for `dem_world_run`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_overlaps(
    world: *mut dem_block,
    pairs: *mut dem_scene_pair,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_world_query,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let mut found = || {
                let records = Records::<dem_scene_pair>::new(pairs, capacity, stride)?;
                let place = Growing::<world_grow::World>::read(world)?.place.now;
                blocks::apart(records.bytes(), (place.start, place.size), What::Output)?;
                let looked = grown(world, query, short, |world, query, _, scratch, told| {
                    match find(world, query, &records, scratch, told) {
                        // If there is too little room for the host's records, a larger world does not help.
                        Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Output) => Ok(Err(e)),
                        done => done.map(Ok),
                    }
                });
                looked?
            };
            tell(count, found(), What::Output)
        }
    })
}

sections! {
    /// Room in scratch for pairs, if the records of the host are not packed.
    struct Elsewhere<'s>(pairs: u64) {
        list: [ScenePair; pairs],
    }
}

sections! {
    /// Room for pairs as in [`Elsewhere`], and after it the scratch of a poll.
    struct Needed<'s>(pairs: u64, poll: Layout) {
        list: [ScenePair; pairs],
        poll: { poll },
    }
}

/// Finds the pairs with this scratch, and gives their number.
///
/// # Safety
/// As for [`dem_world_overlaps`].
unsafe fn find(
    world: *mut dem_world,
    query: &Query,
    records: &Records<dem_scene_pair>,
    scratch: (*mut c_void, usize),
    told: &mut Told,
) -> Result<usize> {
    let before = told.left.take();
    let written = [(records.bytes(), What::Output)];
    let apart = |memory: &[(Stretch, What)]| {
        query.apart_from(&written)?;
        // SAFETY: by this function's contract.
        unsafe { SurfaceList(query.surfaces).apart_from(&written) }?;
        memory.iter().try_for_each(|(other, _)| blocks::apart(records.bytes(), *other, What::Output))
    };
    let needs = |world: &World<'_>, shapes: &[Shape<'_>], settings: &Settings, threads| {
        Needed::layout(records.elsewhere(), poll_scratch(query, world, shapes, settings, threads)?)
    };
    // SAFETY: by this function's contract.
    unsafe {
        with_scratch(world, query, &[], apart, scratch, needs, |world, drive, _, scratch| {
            let (Elsewhere { list }, rest) = Elsewhere::at_front(scratch, records.elsewhere())?;
            records.fill(list, |out| {
                going_on(before, told, rest, |handed, rest| world.overlaps_after(drive, handed, out, rest))
            })
        })
    }
}

#[cfg(test)]
mod tests;
