//! Corners of a scene.
//!
//! A solver of impulses uses a few points of each contact, its corners. dem_scene_corners gives the corners of all contacts of a step in one call, on
//! the program's threads. Call it after dem_scene_detect, or after each dem_scene_find. For a definition of corners see dem_contact_corners in
//! dem_pair.h. Contacts begin where surfaces are T apart, the sum of both halos. So a solver of impulses can stop a body before it touches only if
//! bodies approach by less than T in a step. Divide frames if bodies are faster.

use core::ffi::c_void;

use dem_core::contact::{Corner, CornerLimits};
use dem_core::detect::{Bodies, Scene, Settings};
use dem_core::error::{Result, What};

use crate::body_contacts::dem_contact_corner;
use crate::detect::{Query, dem_scene_query};
use crate::edge;
use crate::errors::dem_error;
use crate::memory as blocks;
use crate::records::{alone, tell};
use crate::scene_drive::with_scratch;
use crate::scenes::dem_scene;
use crate::scratch::Scratch;

/// Finds the corners of all contacts found last, ordered by contact: at least one for each.
///
/// Outputs: `corners` (may be null if `capacity` is 0): packed; `contact` is the index of the contact in `contacts` of `dem_scene_view`, `order`
/// counts from 0 in each contact. `count` (may be null): how many there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `scene`: neither the committed step nor the last trial changes. `most`: the most corners of each contact; 0: four, the most important
/// ones; `SIZE_MAX`: all corners. `query`: the query of the step, with the same bodies and shapes; the function uses the positions of the step. Its
/// `pairs` is the room of each thread for triangle pairs of two bodies, its `tasks` are the threads. `scratch`, `scratch_size`: at any alignment;
/// usually the scratch of a step is enough. With less scratch, down to the need of one thread, fewer threads work.
/// Memory: corners, scratch and scene must not overlap each other, nor anything else.
/// Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_MISMATCH` about `positions`: another number of bodies than in the step,
/// about `ids`: another id than in the step; `DEM_ERROR_CAPACITY` about `output`, with the exact number, about `pairs` (in the query) with a number
/// that is enough for the pair of bodies that needs most, about scratch. After an error no corner is written.
/// Cost: a seventh to a quarter of the cost of finding the contacts; more if patches have many triangles each, since near triangles are then searched
/// again.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_corners(
    scene: *mut dem_scene,
    corners: *mut dem_contact_corner,
    capacity: usize,
    count: *mut usize,
    query: *const dem_scene_query,
    most: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = || unsafe {
            let query = Query::read(query)?;
            let out = alone(corners.cast::<Corner>(), capacity, What::Output)?;
            find(scene, out, most, &query, (scratch, scratch_size))
        };
        // SAFETY: likewise.
        unsafe { tell(count, found(), What::Output) }
    })
}

/// Finds the corners with this scratch, and gives their number.
///
/// # Safety
/// As for [`dem_scene_corners`].
pub(crate) unsafe fn find(
    scene: *mut dem_scene,
    out: &mut [Corner],
    most: usize,
    query: &Query,
    (scratch, scratch_size): (*mut c_void, usize),
) -> Result<usize> {
    let (bytes, capacity) = ((out.as_ptr().cast(), size_of_val(out)), out.len());
    let written = |memory: &[(blocks::Stretch, What)]| {
        query.apart_from(&[(bytes, What::Output)])?;
        memory.iter().try_for_each(|(other, _)| blocks::apart(bytes, *other, What::Output))
    };
    let limits = |settings: &Settings| CornerLimits { pairs: settings.room.pairs, most };
    let needs = |scene: &Scene<'_>, bodies: &Bodies<'_>, settings: &Settings, threads| {
        scene.as_ref().corners_scratch(bodies, limits(settings), capacity, threads)
    };
    let scratch = (Scratch::new(scratch, scratch_size), scratch_size);
    // SAFETY: by this function's contract.
    unsafe {
        with_scratch(scene, query, written, scratch, false, needs, |step| {
            let scene = step.scene.as_ref();
            scene.corners(step.host, step.isa, step.bodies, limits(step.settings), out, step.scratch)
        })
    }
}

#[cfg(test)]
mod tests;
