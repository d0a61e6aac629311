//! Memory that grows.
//!
//! A program with an allocator need not compute memory sizes. It gives the library a `dem_block` for each shape and for each scene, with a
//! function that gets memory. For malloc, dem_heap.h has this function. A step is then one call:
//!
//!   dem_block rock = dem_heap(), scene = dem_heap();
//!   dem_shape_build(&rock, &desc, &error);
//!   in every step: dem_scene_step(&scene, &counts, sizeof counts, &query, &error);
//!   dem_free(&scene); dem_free(&rock);
//!
//! The handles `dem_shape_in(&rock)` and `dem_scene_in(&scene)` are for all functions that take a shape or a scene. A handle changes when the object
//! grows. Only functions of this chapter let objects grow.

use core::ffi::c_void;

use dem_core::contact::Corner;
use dem_core::detect::{SceneSizes, Settings, Shortage};
use dem_core::error::{Error, Kind, Result, What};

use crate::body_contacts::dem_contact_corner;
use crate::detect::{Query, dem_scene_counts, dem_scene_query, make_step, tell};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::Input;
use crate::memory::{self as blocks, Held, apart, dem_block};
use crate::records::alone;
use crate::scene_corners;
use crate::scene_drive::scratch_of;
use crate::scenes::{self, begin_in, dem_scene, dem_scene_desc, grow_into, sizes_of};
use crate::shapes::{Description, build_in, dem_shape_desc};
use crate::shortage::Told;
pub(crate) use block::{Growing, Object};
use block::{Place, ample, bytes};

mod block;

/// Builds a shape as `dem_shape_init` does, in memory that the library gets from the program.
///
/// Outputs: `shape`: `start` is the shape, in `size` bytes.
/// Inputs: `shape`: its `resize`, and memory of earlier calls, if any, which is used again if it is large enough. `desc`: as for `dem_shape_init`.
/// Memory: as for `dem_shape_init`. The old content of the memory is lost, also after an error.
/// Errors: those of `dem_shape_init`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed: there is no function that gets memory, or it returned
/// none; `DEM_ERROR_MISALIGNED`: the memory that it returned.
/// Cost: that of `dem_shape_init`.
/// Threads: any; nobody may use the memory during the call.
/// Determinism: as for `dem_shape_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_build(
    shape: *mut dem_block,
    desc: *const dem_shape_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let mut place = Place::read(shape)?;
            let description = Description::read(desc)?;
            // Before the memory is given back, since inputs might lie in it.
            description.is_apart(place.now.start, place.now.size, What::Block)?;
            description.check()?;
            place.hold(description.usual()?)?;
            match build_in(place.now.start, place.now.size, &description) {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Block && place.grows() => {
                    place.hold(bytes(e.needed)?)?;
                    build_in(place.now.start, place.now.size, &description)
                }
                done => done,
            }
        }
    })
}

/// One step of a scene as by `dem_scene_detect`, in memory that the library gets from the program. This memory holds the scene itself, which the
/// first step makes, with room for all bodies, four candidates for each, and at most 5,120 contacts and nodes. Scratch is after it.
///
/// If there is too little room, the scene grows: each size that is too small becomes a quarter larger than needed. Then the step continues without
/// computing again the contacts that had room. The function that gets memory must not change anything that the query refers to. The new sizes are
/// kept for later steps.
///
/// Outputs: `scene`: `start` is the scene, in `size` bytes. `counts` (may be null): the function writes `counts_size` bytes, at most
/// `sizeof(dem_scene_counts)`.
/// Inputs: `scene`: its `resize`, and the scene of the last step; or a scene that the program has made (`dem_scene_init`) in `size` bytes, where the
/// bytes after the scene are scratch. `query`: as for `dem_scene_detect`; `pairs` and `pair_contacts` need not be set.
/// Memory: as for `dem_scene_detect`. To copy the scene, copy its first `dem_scene_size` bytes. With scratch, a million balls with 1.27 million
/// contacts take 1.6 GB, and 216 rocks of 20,480 triangles, whose 360 contacts have 0.9 million nodes, 136 MB. 2,000 fibres side by side take 67
/// bytes for each of their 2 million candidates.
/// Errors: those of `dem_scene_detect`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed: the function that gets memory returned none;
/// `DEM_ERROR_MISALIGNED`: the memory that it returned. Without such a function `DEM_ERROR_CAPACITY` as for `dem_scene_detect`. After an error the
/// scene has the same content, perhaps at another address and with more room.
/// Cost: that of `dem_scene_detect`, a microsecond, and .1 microseconds for each shape.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: as for `dem_scene_find`; the amount of room changes no bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_step(
    scene: *mut dem_block,
    counts: *mut dem_scene_counts,
    counts_size: usize,
    query: *const dem_scene_query,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let mut query = Query::read(query)?;
            let mut told = Told::default();
            let mut scene = Growing::read(scene)?;
            query.grows = scene.place.grows();
            let found = step(&mut scene, &mut query, &mut told);
            tell((counts, counts_size), found, (scene.start().cast(), &query), (&told, short))
        }
    })
}

/// The corners of all contacts of a step of `dem_scene_step`, as by `dem_scene_corners`, in memory that the library gets from the program. Engines
/// call the corners of a contact a manifold. Each contact has at most `most` corners, four by default.
///
/// Outputs: `corners`: `start` is a list of `count` records `dem_contact_corner`; the next call uses the memory again. `scene`: neither the committed
/// step nor the last trial changes. The scene may move to another address, so take views of it again.
/// Inputs: `scene`: as `dem_scene_step` left it. `corners`: its `resize`. `most`, `query`: as for `dem_scene_corners`.
/// Memory: as for `dem_scene_corners`.
/// Errors: those of `dem_scene_corners`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed, `DEM_ERROR_MISALIGNED` and `DEM_ERROR_OVERLAP` as
/// for `dem_scene_step`, about either block.
/// Cost: that of `dem_scene_corners`; twice that if there is too little room for the corners.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: as for `dem_scene_corners`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_manifolds(
    scene: *mut dem_block,
    corners: *mut dem_block,
    count: *mut usize,
    query: *const dem_scene_query,
    most: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            edge::write(count, 0, What::Output)?;
            let mut query = Query::read(query)?;
            let mut scene = Growing::<Scene>::read(scene)?;
            // Checks that the block contains a scene before it grows.
            scenes::with(scene.start().cast(), |_| Ok(()))?;
            let found = manifolds(&mut scene, corners, &mut query, |start, out, query, scratch| {
                scene_corners::find(start.cast(), out, most, query, scratch)
            })?;
            edge::write(count, found, What::Output)
        }
    })
}

/// Finds corners into a block that grows if it has too little room. `find` searches for them in the object of the other block, and gives their
/// number.
///
/// # Safety
/// As for [`dem_scene_manifolds`].
pub(crate) unsafe fn manifolds<O: Object>(
    of: &mut Growing<O>,
    corners: *mut dem_block,
    query: &mut Query,
    find: impl Fn(*mut c_void, &mut [Corner], &Query, (*mut c_void, usize)) -> Result<usize>,
) -> Result<usize> {
    // SAFETY: by this function's contract.
    unsafe {
        let mut corners = Place::read(corners)?;
        query.apart_from(&[((corners.now.start.cast_const(), corners.now.size), What::Block)])?;
        of.until_enough(query, |start, query, scratch| {
            let once = |corners: &Place| {
                let memory = (corners.now.start.cast_const(), corners.now.size);
                apart(memory, (scratch.0, scratch.1), What::Block)?;
                let out = alone(memory.0.cast_mut().cast(), memory.1 / size_of::<Corner>(), What::Block)?;
                find(start, out, query, scratch)
            };
            match once(&corners) {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Output => {
                    let size = bytes(e.needed.saturating_mul(size_of::<Corner>() as u64))?;
                    if !corners.grows() {
                        return Err(Error::capacity(What::Block, size as u64, corners.now.size as u64));
                    }
                    corners.hold(ample(size))?;
                    once(&corners)
                }
                done => done,
            }
        })
    }
}

const _: () = assert!(size_of::<dem_contact_corner>() == size_of::<Corner>());

/// How many bytes a scene takes, without the scratch after it. Copy or store this many bytes; `dem_scene_open` opens them again.
///
/// Outputs: `size`: bytes.
/// Inputs: `scene`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_size(size: *mut usize, scene: *const dem_scene, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let (_, holds) = blocks::stretch(scene.cast(), Held::Scene, What::Scene)?;
            edge::write(size, holds, What::Output)
        }
    })
}

/// The most contacts and nodes for which a new scene has room.
const FIRST: u32 = 5120;

/// The kind of object "scene" in a block.
pub(crate) struct Scene;

impl Object for Scene {
    type Sizes = SceneSizes;
    const HELD: Held = Held::Scene;
    const WHAT: What = What::Scene;

    unsafe fn sizes(start: *const c_void) -> Result<SceneSizes> {
        // SAFETY: by this function's contract.
        unsafe { scenes::with(start.cast(), |scene| Ok(scene.sizes)) }
    }

    fn length(sizes: &SceneSizes) -> Result<usize> {
        scenes::length(sizes)
    }

    unsafe fn scratch(query: &Query, sizes: &SceneSizes) -> Result<usize> {
        // SAFETY: by this function's contract.
        unsafe { scratch_of(query, sizes) }
    }

    unsafe fn shortage(_: *const c_void, error: &Error, told: &Told) -> Shortage {
        if told.shortage.is_nothing() { Shortage::of(error) } else { told.shortage }
    }

    fn roomier(short: &Shortage, settings: &mut Settings, sizes: &SceneSizes) -> Result<SceneSizes> {
        let mut sizes = *sizes;
        short.make_room(settings, &mut sizes)?;
        Ok(sizes)
    }

    unsafe fn grow_into(start: *const c_void, memory: *mut c_void, size: usize, sizes: &SceneSizes) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe { grow_into(start.cast(), memory, size, sizes) }
    }
}

/// # Safety
/// As for [`dem_scene_step`].
unsafe fn step(scene: &mut Growing<Scene>, query: &mut Query, told: &mut Told) -> Result<dem_scene_counts> {
    let (most, count) = (u64::from(u32::MAX), query.raw.positions.count as u64);
    let too_large = Error::new(Kind::TooLarge, What::Bodies).amounts(most, count);
    let bodies = u32::try_from(count).map_err(|_| too_large)?;
    // SAFETY: by this function's contract.
    unsafe {
        if scene.start().is_null() {
            let usual = sizes_of(&dem_scene_desc { bodies, ..Input::DEFAULT })?;
            // A contact takes some 500 bytes, so more room is requested only when a step has that many.
            let sizes = if query.grows {
                let first = usual.contacts.min(FIRST);
                SceneSizes { candidates: usual.contacts, contacts: first, nodes: first, ..usual }
            } else {
                usual
            };
            // This checks the query before any memory is requested.
            let size = Growing::<Scene>::bytes(&sizes, scratch_of(query, &sizes)?)?;
            scene.place.move_to(size, |start| begin_in(start, size, &sizes))?;
        }
        let sizes = Scene::sizes(scene.start())?;
        if sizes.bodies < bodies && scene.place.grows() {
            query.apart_from(&[((scene.start().cast_const(), scene.place.now.size), What::Block)])?;
            let sizes = SceneSizes { bodies: bodies.saturating_add(bodies / 4), ..sizes };
            scene.grow(&sizes, scratch_of(query, &sizes)?)?;
        }
        scene.going_on(query, told, |start, query, scratch, told| make_step(start.cast(), query, scratch, told))
    }
}

#[cfg(test)]
pub(crate) mod tests;
