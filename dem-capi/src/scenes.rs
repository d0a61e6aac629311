//! Scenes.
//!
//! A program with many bodies calls one function in every time step: poses in, contacts out, with what each contact was in the
//! step before, and which contacts each body has. Bodies stay in the program's own arrays.
//!
//! - In the beginning: dem_shape_init and dem_cells_init for each mesh; dem_scene_layout and dem_scene_init.
//! - In every step: dem_scene_detect, with scratch of the size that dem_scene_scratch says; dem_scene_view; the program's law: a
//!   force for each contact, with dem_scene_velocities for dashpots and friction; dem_scene_wrenches adds them up for each body.
//!
//! What is too small is DEM_ERROR_CAPACITY and says what would do (`argument` and `needed`): more contacts or candidates (dem_scene_grow), more scratch, more
//! `pairs` or `couple_contacts` in the query. The same call then finds what it would have found.

use core::ffi::c_void;

use dem_core::contact::history::Link;
use dem_core::detect::{Couple, Scene, SceneRef, SceneSizes, Touch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory as core_memory;

use crate::body_contacts::dem_contact;
use crate::edge;
use crate::errors::dem_error;
use crate::history::dem_contact_link;
use crate::inputs::{self, Input};
use crate::layouts::fixed;
use crate::memory::{self as blocks, DEM_ALIGN, Held, Marks};
use crate::records::mirrored;

/// A scene: the address of its block.
pub struct dem_scene {
    _block: [u8; 0],
}

/// What a scene's block has room for.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_desc {
    /// `sizeof(dem_scene_desc)`.
    pub struct_size: u32,
    /// Bodies, at most; below 2^27.
    pub bodies: u32,
    /// Pairs of bodies whose bounds meet, and with a `skin` in the query those that are near, at most; 0: four for each body, and some.
    pub candidates: u32,
    /// Contacts, at most; 0: four for each body, and some.
    pub contacts: u32,
    /// Cell sizes, 1 to 64; 8 by default, which is good for most size ratios.
    pub levels: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_scene_desc { struct_size: u32, bodies: u32, candidates: u32, contacts: u32, levels: u32, reserved: u32 });

// SAFETY: the size is first, and all are plain numbers.
unsafe impl Input for dem_scene_desc {
    const DEFAULT: Self = dem_scene_desc {
        struct_size: size_of::<dem_scene_desc>() as u32,
        bodies: 0,
        candidates: 0,
        contacts: 0,
        levels: 8,
        reserved: 0,
    };
}

/// Two bodies that have contacts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_scene_couple {
    /// First half of the keys of its contacts, as `dem_contact_tag` makes it of both bodies and the image of B, counted from
    /// the one that is nearest by the centres of the spheres around both.
    pub tag: u64,
    /// The body with the smaller number.
    pub a: u32,
    /// The other one; `a` itself where a body meets its own image.
    pub b: u32,
    /// Place of its first contact in the list.
    pub first: u32,
    /// Place behind its last one.
    pub end: u32,
    /// How many periods B is moved along each axis to where it meets A.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

fixed!(dem_scene_couple { tag: u64, a: u32, b: u32, first: u32, end: u32, shift: [i16; 3], spare: u16 });
mirrored!(dem_scene_couple, Couple: tag, a, b, first, end, shift, spare);

/// What the last successful step found, in the scene's block: it is there until the next call that changes the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_contacts {
    /// All contacts, ordered by key.
    pub contacts: *const dem_contact,
    /// For each contact what it was in the step before: places in `last_contacts`; without meaning where that is gone.
    pub links: *const dem_contact_link,
    /// How many contacts.
    pub count: usize,
    /// The bodies that have contacts, ordered by tag.
    pub couples: *const dem_scene_couple,
    /// How many.
    pub couple_count: usize,
    /// For each body where its contacts end in `touches`; they begin where those of the body before end.
    pub touch_ends: *const u32,
    /// Twice the place of a contact, and 1 where the body is its B: for each body those in which it is A, then those in
    /// which it is B. There are twice as many as contacts.
    pub touches: *const u32,
    /// How many bodies.
    pub body_count: usize,
    /// The contacts of the step before.
    pub last_contacts: *const dem_contact,
    /// How many; 0 once a step has failed.
    pub last_count: usize,
    /// For each contact of the step before, which one of `contacts` goes on with it; `DEM_NO_ID` where it ended.
    pub successors: *const u32,
}

fixed!(dem_scene_contacts {
    contacts: *const dem_contact,
    links: *const dem_contact_link,
    count: usize,
    couples: *const dem_scene_couple,
    couple_count: usize,
    touch_ends: *const u32,
    touches: *const u32,
    body_count: usize,
    last_contacts: *const dem_contact,
    last_count: usize,
    successors: *const u32,
});

const _: () = assert!(size_of::<Touch>() == 4 && size_of::<Link>() == size_of::<dem_contact_link>());

/// Fills `desc` with the defaults: room for no body.
///
/// Outputs: `desc`.
/// Inputs: `struct_size`: `sizeof(dem_scene_desc)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_desc_init(desc: *mut dem_scene_desc, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(desc, struct_size, What::Description) })
}

/// How much memory a scene needs.
///
/// Outputs (each may be null): `size`: bytes of the block, some 195 for each body, 350 for each contact and 16 for each candidate;
/// `align`: `DEM_ALIGN`.
/// Inputs: `desc`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`, `reserved`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_layout(
    desc: *const dem_scene_desc,
    size: *mut usize,
    align: *mut usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
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
/// Memory: the block is the caller's; it may be copied, stored and thrown away at will. It holds neither shapes nor bodies.
/// Errors: those of `dem_scene_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
/// Cost: the memory is filled with zeros.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_init(
    memory: *mut c_void,
    size: usize,
    desc: *const dem_scene_desc,
    scene: *mut *mut dem_scene,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if scene.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let sizes = sizes(desc)?;
            blocks::create(memory, size, Scene::layout(&sizes)?.size, Held::Scene, |content| {
                Scene::init(content, &sizes)?;
                Ok(((), NO_MARKS))
            })?;
            edge::write(scene, memory.cast(), What::Handle)
        }
    })
}

/// Makes a larger scene that goes on where another one is.
///
/// Outputs: `grown`: the new scene, whose address is `memory`. `scene` stays as it is.
/// Inputs: `scene`. `memory`, `size`, `desc`: as for `dem_scene_init`; no number may be smaller than that of `scene`.
/// Memory: both blocks must not overlap.
/// Errors: those of `dem_scene_init`; those of the scene; `DEM_ERROR_CAPACITY` about `scene`: less room than before;
/// `DEM_ERROR_OVERLAP`.
/// Cost: a copy.
/// Threads: any; nobody may change the scene or use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_grow(
    scene: *const dem_scene,
    memory: *mut c_void,
    size: usize,
    desc: *const dem_scene_desc,
    grown: *mut *mut dem_scene,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if grown.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let sizes = sizes(desc)?;
            blocks::apart((memory, size), blocks::stretch(scene.cast(), Held::Scene, What::Scene)?, What::Block)?;
            blocks::shared(scene.cast(), Held::Scene, What::Scene, |old, _| {
                let needs = Scene::layout(&sizes)?.size;
                blocks::create(memory, size, needs, Held::Scene, |content| {
                    Scene::grow(old, content, &sizes)?;
                    Ok(((), NO_MARKS))
                })
            })?;
            edge::write(grown, memory.cast(), What::Handle)
        }
    })
}

/// Takes bytes that come from a file, another process or a copy taken during a call as a scene.
///
/// A plain copy of a scene in the same process needs no opening. What lies behind the header is not proved: a damaged scene
/// may give wrong answers or an error, nothing worse.
///
/// Outputs: `scene`: the scene, which is the address `memory`. The latch in its first line is freed; nothing else changes.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than what was copied.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            blocks::open(memory, size, Held::Scene, |content| SceneRef::peek(content).map(|_| ((), NO_MARKS)))?;
            edge::write(scene, memory.cast(), What::Handle)
        }
    })
}

/// Where the contacts of the last successful step are.
///
/// Outputs: `view`, of which `view_size` bytes are written, at most `sizeof(dem_scene_contacts)`: pointers into the scene's block, good until
/// the next call that changes the scene. None of them is null.
/// Inputs: `scene`. `view_size`: `sizeof(dem_scene_contacts)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
/// Cost: about 0.1 microseconds.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_view(
    scene: *const dem_scene,
    view: *mut dem_scene_contacts,
    view_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for a scene where the pointer is not null.
        let found = unsafe { with(scene, |scene| Ok(tell(&scene))) }?;
        // SAFETY: the caller vouches for `view_size` bytes where the pointer is not null.
        unsafe { inputs::write_record(view, view_size, &found, What::Output) }
    })
}

pub(crate) const NO_MARKS: Marks = [0; 4];

fn tell(scene: &SceneRef<'_>) -> dem_scene_contacts {
    let (now, last) = (scene.now(), scene.last());
    dem_scene_contacts {
        contacts: now.contacts().as_ptr().cast(),
        links: scene.links().as_ptr().cast(),
        count: now.contacts().len(),
        couples: now.couples().as_ptr().cast(),
        couple_count: now.couples().len(),
        touch_ends: scene.touch_ends().as_ptr(),
        touches: scene.all_touches().as_ptr().cast(),
        body_count: now.poses().len(),
        last_contacts: last.contacts().as_ptr().cast(),
        last_count: last.contacts().len(),
        successors: scene.successors().as_ptr(),
    }
}

/// Runs `body` with a scene that is only read.
///
/// # Safety
/// Where the pointer is not null, it is that of a scene.
pub(crate) unsafe fn with<R>(scene: *const dem_scene, body: impl FnOnce(SceneRef<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::shared(scene.cast(), Held::Scene, What::Scene, |content, _| body(SceneRef::peek(content)?)) }
}

/// # Safety
/// A pointer that is not null points at a description.
unsafe fn sizes(desc: *const dem_scene_desc) -> Result<SceneSizes> {
    if desc.is_null() {
        return Err(Error::new(Kind::Null, What::Description));
    }
    // SAFETY: by this function's contract.
    let desc = unsafe { inputs::read(desc, What::Description) }?;
    if desc.reserved != 0 {
        return Err(Error::new(Kind::OutOfRange, What::Description));
    }
    let ample = |n: u32| if n > 0 { n } else { desc.bodies.saturating_mul(4).saturating_add(1024) };
    let (candidates, contacts) = (ample(desc.candidates), ample(desc.contacts));
    let sizes = SceneSizes { bodies: desc.bodies, candidates, contacts, levels: desc.levels };
    core_memory::Sizes::check(&sizes)?;
    Ok(sizes)
}
