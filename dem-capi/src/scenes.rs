//! Scenes.
//!
//! A program with many bodies calls one function in every time step. This function reads the poses of all bodies in the program's own arrays. It
//! gives all contacts, the contact of the last step that each contact continues, and the contacts of each body.
//!
//! - At the start: dem_shape_init for each mesh; dem_scene_layout and dem_scene_init.
//! - In every step: dem_scene_detect, with scratch; dem_scene_view. Then the program computes a force for each contact by its own law and, with the
//!   pressure law, the torque `k moment`. Here dem_scene_velocities gives velocities for dashpots and friction. dem_scene_wrenches sums forces and
//!   torques for each body.
//!
//! Bodies may have `ids`. Contacts are then ordered, matched and summed by ids. So a program may sort its arrays, remove bodies by swapping, or move
//! them to another process. Each pair of bodies keeps its springs, and no bit changes. Without ids, the id of a body is its index.
//!
//! If processes share a space, each process has copies of bodies that other processes own: ghosts (`DEM_MOTION_GHOST`). A process finds contacts of
//! its own bodies with ghosts. It finds no contacts of two ghosts; their owners find these. If a body has the same id in all processes, both
//! processes find the same contact with the same bits.
//!
//! For trial steps of an implicit integrator or a coupling, call dem_scene_find any number of times, with other positions each time: it links
//! contacts to the committed step. Then dem_scene_commit commits the contacts found last. dem_scene_detect does both.
//!
//! If memory is too small, `short_of` of the error has sizes: of the scene (dem_scene_grow), of the query (`pairs`, `pair_contacts`), and of scratch.
//! Make the same call with these sizes. Those of meshes are estimates, so a few such rounds may be needed. dem_scene_step does all of this by itself.
//!
//! For forces that act beyond the halos, such as lubrication, a `margin` in the query gives a second list of contacts: those of halos whose sum is
//! larger by the margin. An argument of functions names the list (`DEM_LIST_MARGIN`). The first list has the same bits as without a margin. If all
//! halos may be as wide as the range of the force, one list is enough: see "How fast surfaces of a scene move in contact" below.
//!
//! "Those of the scene" in lists of errors are errors about `scene` that all these calls may give: DEM_ERROR_NULL; DEM_ERROR_MISALIGNED (scenes start at
//! multiples of DEM_ALIGN); DEM_ERROR_DAMAGED: no scene of this version, or something has overwritten it; DEM_ERROR_BUSY: another call works on it;
//! DEM_ERROR_POISONED: an earlier call on it was cut short; DEM_ERROR_UNSUPPORTED: it is a world.

mod reading;
mod structs;

use core::ffi::c_void;

use dem_core::detect::{Scene, SceneRef, SceneSizes};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory as core_memory;

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::memory::{self as blocks, DEM_ALIGN, Held};
use crate::records::{Records, about, shared};

pub(crate) use reading::{NO_MARKS, Of, seen, tell_contacts, with};
pub use structs::*;

/// How much memory a scene needs.
///
/// Outputs (each may be null): `size`: bytes of the block: some 200 for each body, 524 for each contact, 48 for each node, 16 for each candidate and
/// 312 for each contact within the margin. A copy or a file takes the same number; `dem_scene_size` tells it for an existing scene. `align`:
/// `DEM_ALIGN`.
/// Inputs: `desc`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_layout(
    size: *mut usize,
    align: *mut usize,
    desc: *const dem_scene_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let layout = Scene::layout(&sizes(desc)?)?;
            edge::write_optional(size, blocks::whole(layout.size, What::Block)?);
            edge::write_optional(align, DEM_ALIGN);
        }
        Ok(())
    })
}

/// Makes an empty scene.
///
/// Outputs: `scene`: the scene, whose address is `memory`.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_scene_layout` says. `desc`.
/// Memory: the block belongs to the caller, who may copy, store and discard it at any time. It holds neither shapes nor bodies.
/// Errors: those of `dem_scene_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
/// Cost: the memory is filled with zeros.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_init(
    memory: *mut c_void,
    size: usize,
    scene: *mut *mut dem_scene,
    desc: *const dem_scene_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if scene.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            begin_in(memory, size, &sizes(desc)?)?;
            edge::write(scene, memory.cast(), What::Handle)
        }
    })
}

/// Makes a larger scene that continues another one.
///
/// Outputs: `grown`: the new scene, whose address is `memory`. `scene` stays as it is.
/// Inputs: `scene`. `memory`, `size`, `desc`: as for `dem_scene_init`; no number of `desc` may be smaller than in `scene`.
/// Memory: both blocks must not overlap.
/// Errors: those of `dem_scene_init`; those of the scene; `DEM_ERROR_CAPACITY` about `scene`: less room than before;
/// `DEM_ERROR_OVERLAP`.
/// Cost: a copy.
/// Threads: any; nobody may change the scene or use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_grow(
    memory: *mut c_void,
    size: usize,
    grown: *mut *mut dem_scene,
    scene: *const dem_scene,
    desc: *const dem_scene_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if grown.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            grow_into(scene, memory, size, &sizes(desc)?)?;
            edge::write(grown, memory.cast(), What::Handle)
        }
    })
}

/// Makes a larger scene in another block.
///
/// # Safety
/// As for [`dem_scene_grow`].
pub(crate) unsafe fn grow_into(
    scene: *const dem_scene,
    memory: *mut c_void,
    size: usize,
    sizes: &SceneSizes,
) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        blocks::apart((memory, size), blocks::stretch(scene.cast(), Held::Scene, What::Scene)?, What::Block)?;
        blocks::shared(scene.cast(), Held::Scene, What::Scene, |old, hints| {
            let needs = Scene::layout(sizes)?.size;
            blocks::create(memory, size, needs, Held::Scene, |content| {
                Scene::grow(old, content, sizes)?;
                Ok(((), hints))
            })
        })
    }
}

/// Bytes of a scene's content.
pub(crate) fn length(sizes: &SceneSizes) -> Result<usize> {
    Ok(Scene::layout(sizes)?.size)
}

/// Makes an empty scene.
///
/// # Safety
/// As for [`dem_scene_init`].
pub(crate) unsafe fn begin_in(memory: *mut c_void, size: usize, sizes: &SceneSizes) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        blocks::create(memory, size, Scene::layout(sizes)?.size, Held::Scene, |content| {
            Scene::init(content, sizes)?;
            Ok(((), NO_MARKS))
        })
    }
}

/// Opens bytes as a scene, if they come from a file, another process, or a copy that was made during a call.
///
/// A copy of a scene that the same process made between calls needs no opening. The function checks only the header: a damaged scene
/// may give wrong answers or an error, nothing worse.
///
/// Outputs: `scene`: the scene, whose address is `memory`. The mark of a call in progress, in its first 64 bytes, is cleared; nothing else changes.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than the copied bytes.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`.
/// Cost: some nanoseconds.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_open(
    memory: *mut c_void,
    size: usize,
    scene: *mut *mut dem_scene,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if scene.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            blocks::open(memory, size, Held::Scene, |content| SceneRef::peek(content).map(|_| ((), NO_MARKS)))?;
            edge::write(scene, memory.cast(), What::Handle)
        }
    })
}

/// Commits the contacts found last: the next step is linked to them. If nothing was found since the last commit, nothing changes.
///
/// Outputs: `scene`. `dem_scene_view` still shows the same contacts, but take a view again: pointers of earlier views may be invalid.
/// Errors: those of the scene.
/// Cost: none.
/// Threads: any; nobody may use the scene during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_commit(scene: *mut dem_scene, error: *mut dem_error) -> i32 {
    // SAFETY: the caller guarantees that a pointer that is not null points at a scene.
    edge::call(error, || unsafe {
        change(scene, |scene| {
            scene.commit();
            Ok(())
        })
    })
}

/// Commits some of the pairs found last. All other pairs keep the contacts that were committed before: pairs that are not taken, and
/// pairs that were not searched. In periodic boxes a pair replaces the committed pair that was at the same place, even if the nearest image is
/// another one now. Pairs that are kept get the `image` numbers that the same two bodies have in the pairs found last.
///
/// Outputs: `scene`: `dem_scene_view` shows no contacts afterwards. `origins`, room for `origin_capacity`: the origin of each contact of the new
/// committed step, so that a program can merge its own data of contacts: 2 i + 1 for contact i of those found last, 2 i for
/// contact i of the previous committed step. `count` (may be null): how many there are.
/// Inputs: `taken`, `taken_count`: a number for each of `pairs` of `dem_scene_view`: not 0 commits the pair.
/// Memory: `taken`, `origins` and the scene must not overlap each other.
/// Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_MISMATCH` about `taken`: another number than were found, about
/// `periods`: others than those of the committed step; `DEM_ERROR_CAPACITY` about `origins`, and about `contacts`, `nodes` and `poses`
/// (`dem_scene_grow`); `DEM_ERROR_OVERLAP`. After an error nothing changes.
/// Cost: a copy.
/// Threads: any; nobody may use the scene during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_commit_pairs(
    scene: *mut dem_scene,
    origins: *mut u32,
    origin_capacity: usize,
    count: *mut usize,
    taken: *const u32,
    taken_count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let block = blocks::stretch(scene.cast(), Held::Scene, What::Scene)?;
            let to = Records::<u32>::packed(origins, origin_capacity).map_err(about(What::Origins))?;
            let taken = shared(taken, taken_count, What::Taken)?;
            for read in [(taken.as_ptr().cast(), size_of_val(taken)), block] {
                blocks::apart(to.bytes(), read, What::Origins)?;
            }
            let to = to.slice().map_err(about(What::Origins))?;
            let found = change(scene, |scene| scene.commit_pairs(taken, to)).map_err(of_commit)?;
            edge::write_optional(count, found);
            Ok(())
        }
    })
}

/// Renames errors of the core to arguments of `dem_scene_commit_pairs`.
fn of_commit(e: Error) -> Error {
    match (e.kind, e.what) {
        (Kind::Mismatch, What::BodyPairs) => Error { what: What::Taken, ..e },
        (Kind::Capacity, What::Links) => Error { what: What::Origins, ..e },
        _ => e,
    }
}

/// Discards the contacts found since the last commit. There is no need to call this function before another trial.
///
/// Outputs: `scene`: the committed step does not change; `dem_scene_view` shows no contacts.
/// Errors: those of the scene.
/// Cost: none.
/// Threads: any; nobody may use the scene during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_abandon(scene: *mut dem_scene, error: *mut dem_error) -> i32 {
    // SAFETY: the caller guarantees that a pointer that is not null points at a scene.
    edge::call(error, || unsafe {
        change(scene, |scene| {
            scene.abandon();
            Ok(())
        })
    })
}

/// A hash of everything in the committed step that later steps depend on. Neither trials nor `dem_scene_grow` change it.
///
/// Outputs: `hash`.
/// Inputs: `scene`.
/// Errors: those of the scene; `DEM_ERROR_NULL`.
/// Cost: a pass over the data of the committed step: about 100 bytes for each contact, 56 for each body.
/// Threads: any number at a time.
/// Determinism: the same on every machine for the same steps; the hash includes the positions of bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_hash(hash: *mut u64, scene: *const dem_scene, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe { edge::write(hash, with(scene, |scene| Ok(scene.committed_hash()))?, What::Output) }
    })
}

/// Runs `body` with a scene that it may change.
///
/// # Safety
/// A pointer that is not null points at a scene that nothing else uses.
unsafe fn change<R>(scene: *mut dem_scene, body: impl FnOnce(&mut Scene<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::changed(scene.cast(), Held::Scene, What::Scene, |content| body(&mut Scene::open(content)?)) }
}

/// Gives pointers to the contacts found by the last step or trial that succeeded. After `dem_scene_abandon` there are none.
///
/// A program that may run with a newer library uses the strides of the view. A program that is built with the library it runs with may ignore them.
///
/// Outputs: `view`: the function writes `view_size` bytes, at most `sizeof(dem_scene_contacts)`: pointers into the scene's block, valid until
/// the next call that changes the scene. None of them is null.
/// Inputs: `scene`. `view_size`: `sizeof(dem_scene_contacts)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
/// Cost: about half a microsecond.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_view(
    view: *mut dem_scene_contacts,
    view_size: usize,
    scene: *const dem_scene,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees that a pointer that is not null points at a scene.
        let found = unsafe { seen(scene, |scene, _| Ok(tell_contacts(&scene))) }?;
        // SAFETY: the caller guarantees `view_size` bytes where the pointer is not null.
        unsafe { inputs::write_record(view, view_size, &found, What::Output) }
    })
}

/// # Safety
/// A pointer that is not null points at a description.
unsafe fn sizes(desc: *const dem_scene_desc) -> Result<SceneSizes> {
    if desc.is_null() {
        return Err(Error::new(Kind::Null, What::Description));
    }
    // SAFETY: by this function's contract.
    sizes_of(&unsafe { inputs::read(desc, What::Description) }?)
}

/// The default number of nodes: enough for boxes and meshes of some hundred triangles.
pub(crate) fn nodes_of(contacts: u32) -> u32 {
    contacts.saturating_mul(8).min(i32::MAX as u32 - 1).max(contacts)
}

/// The sizes of a description, with defaults in place of 0.
pub(crate) fn sizes_of(desc: &dem_scene_desc) -> Result<SceneSizes> {
    let ample = |n: u32, each: u32| if n > 0 { n } else { desc.bodies.saturating_mul(each).saturating_add(1024) };
    let (candidates, contacts) = (ample(desc.candidates, 8), ample(desc.contacts, 4));
    let nodes = if desc.nodes > 0 { desc.nodes } else { nodes_of(contacts) };
    let dem_scene_desc { bodies, posed, levels, margin_contacts, .. } = *desc;
    let sizes = SceneSizes { bodies, candidates, contacts, nodes, posed, levels, margin_contacts };
    core_memory::Sizes::check(&sizes)?;
    Ok(sizes)
}
