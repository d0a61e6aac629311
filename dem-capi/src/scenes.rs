//! Scenes.
//!
//! A program with many bodies calls one function in every time step: poses in, contacts out, with what each contact was in the
//! step before, and which contacts each body has. Bodies stay in the program's own arrays.
//!
//! - In the beginning: dem_shape_init for each mesh; dem_scene_layout and dem_scene_init.
//! - In every step: dem_scene_detect, with scratch; dem_scene_view; the program's law: a
//!   force for each contact and, with the pressure law, its torque `k moment`, with dem_scene_velocities for dashpots and friction;
//!   dem_scene_wrenches adds them up for each body.
//!
//! Bodies may have names: `ids`. Contacts are then ordered, matched and summed by these, and a program may sort its arrays, remove bodies by swapping, or give
//! them to another process: each pair of bodies keeps its springs, and every number is the same to the last bit. Without ids a body's name is its place.
//!
//! A process that shares a space with others has copies of bodies that others own: ghosts (3 in `motions`). Its own bodies meet them; two ghosts do not
//! meet each other, as that is for their owners to find. With the same ids everywhere, both processes find the same contact with the same bits.
//!
//! A step may be tried before it is made, by an implicit integrator or a coupling: dem_scene_find finds contacts as often as it likes, with the bodies
//! somewhere else each time, always linked to the committed step; dem_scene_commit commits what was found last. dem_scene_detect does both.
//!
//! Where memory is too small, `short_of` of the error has all that is short at once, with sizes that will do: of the scene (dem_scene_grow), of the query
//! (`pairs`, `pair_contacts`), and scratch. The same call with that much finds everything; dem_scene_step does all of this by itself.
//!
//! Forces that reach farther than contact, as those of lubrication, have a list of their own: with a `margin` in the query a step finds contacts
//! within the halos, and others within the margin beyond these. Functions are told which list is meant (`DEM_LIST_MARGIN`); the first one
//! is what it is without a margin, to the last bit. Where all halos may be as wide as the force reaches, one list does: see "What moves, and forces" below.

use core::ffi::c_void;

use dem_core::broad::Candidate;
use dem_core::contact::history::Link;
use dem_core::detect::{KeptContact, Scene, ScenePair, SceneRef, SceneSizes, Touch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory as core_memory;

use crate::body_contacts::dem_contact;
use crate::body_contacts::{dem_contact_blend, dem_contact_link, dem_contact_node};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::fixed;
use crate::memory::{self as blocks, DEM_ALIGN, Held};
use crate::records::{Records, about, mirrored, shared};

mod reading;

pub(crate) use reading::{NO_MARKS, Of, seen, tell_contacts, with};

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
    /// Bodies, at most.
    pub bodies: u32,
    /// Pairs of bodies whose bounds meet, and with a `skin` in the query those that are near, at most; 0: four for each body, and some.
    pub candidates: u32,
    /// The most contacts, and also the most pairs that have some; 0: four for each body, and some.
    pub contacts: u32,
    /// Cell sizes, 1 to 64; 8 by default, which is good for most size ratios.
    pub levels: u32,
    /// Pairs at poses of their own, at most (`dem_scene_find_pairs`); 0 by default: bodies have one pose each.
    pub posed: u32,
    /// The most nodes of contacts; 0: as many as contacts. Boxes have several nodes in a contact, curved meshes dozens, and need more.
    pub nodes: u32,
    /// Contacts in the list with wider halos, at most, and pairs that have some (`margin` in the query); 0, the default: there is no such list.
    pub margin_contacts: u32,
}

fixed!(dem_scene_desc {
    struct_size: u32,
    bodies: u32,
    candidates: u32,
    contacts: u32,
    levels: u32,
    posed: u32,
    nodes: u32,
    margin_contacts: u32,
});

// SAFETY: the size is first, and all are plain numbers.
unsafe impl Input for dem_scene_desc {
    const DEFAULT: Self = dem_scene_desc {
        struct_size: size_of::<dem_scene_desc>() as u32,
        bodies: 0,
        candidates: 0,
        contacts: 0,
        levels: 8,
        posed: 0,
        nodes: 0,
        margin_contacts: 0,
    };
}

/// Two bodies that have contacts. Both ids and the image name the pair, in every step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_scene_pair {
    /// Ids of A and B; that of A is the smaller one, or the same where a body meets its own image. Without ids they are the indices of the bodies.
    pub ids: [u64; 2],
    /// Index of A in the program's arrays.
    pub a: u32,
    /// Index of B.
    pub b: u32,
    /// Index of its first contact in the list.
    pub first: u32,
    /// One more than the index of its last contact.
    pub end: u32,
    /// The periodic image of B. 0, 0, 0 is the image whose bounding sphere has its centre nearest to that of A. For a body and its own
    /// image the first number that is not 0 is positive.
    pub image: [i32; 3],
    /// How many periods B is moved along each axis to where it meets A.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
    /// Where the library keeps poses of its own; `DEM_NO_ID` where they are those of the bodies.
    pub posed: u32,
    /// The smallest `least_gap` of its contacts, g of the point law; infinite where there are none.
    pub least_gap: f64,
    /// Sum of the `energy` of its contacts; 0 where the query does not ask for it.
    pub energy: f64,
}

fixed!(dem_scene_pair {
    ids: [u64; 2],
    a: u32,
    b: u32,
    first: u32,
    end: u32,
    image: [i32; 3],
    shift: [i16; 3],
    spare: u16,
    posed: u32,
    least_gap: f64,
    energy: f64,
});
mirrored!(dem_scene_pair, ScenePair: ids, a, b, first, end, image, shift, spare, posed, least_gap, energy);

/// Two bodies that are near.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_near_pair {
    /// The body with the smaller number.
    pub a: u32,
    /// The other one; `a` itself where a body meets its own image.
    pub b: u32,
    /// How many periods B is moved along each axis to where it meets A; 0 along axes that are not periodic.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

fixed!(dem_near_pair { a: u32, b: u32, shift: [i16; 3], spare: u16 });
mirrored!(dem_near_pair, Candidate: a, b, shift, spare);

/// A list of contacts of a scene: those with a force, `contacts` of `dem_scene_contacts`.
pub const DEM_LIST_CONTACTS: u32 = 0;
/// Those within the margin of the query: `margin_contacts` of `dem_scene_contacts`.
pub const DEM_LIST_MARGIN: u32 = 1;

/// What is kept of a contact once its step is committed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_scene_kept {
    /// Where the force acted.
    pub position: [f64; 3],
    /// Its area.
    pub area: f64,
}

fixed!(dem_scene_kept { position: [f64; 3], area: f64 });
mirrored!(dem_scene_kept, KeptContact: position, area);

/// What was found last, in the scene's block: it is there until the next call that changes the scene (`dem_scene_detect`, `dem_scene_find`, `dem_scene_commit` and
/// others, `dem_scene_grow` as it makes another block). Then take a view again.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_contacts {
    /// All contacts, ordered by key: the index of the pair in `pairs`, then the features of both bodies.
    pub contacts: *const dem_contact,
    /// For each contact what it was in the step before: indices in `last_contacts`.
    pub links: *const dem_contact_link,
    /// How many contacts.
    pub count: usize,
    /// The pairs of bodies that have contacts, ordered by ids and image.
    pub pairs: *const dem_scene_pair,
    /// How many.
    pub pair_count: usize,
    /// For each body where its contacts end in `touches`; they begin where those of the body before end.
    pub touch_ends: *const u32,
    /// The contacts of each body, first those in which it is A, as 2 i for contact i, then those in which it is B, as 2 i + 1. There are
    /// twice as many items as contacts.
    pub touches: *const u32,
    /// How many bodies.
    pub body_count: usize,
    /// The pairs of the committed step, which `links` speak of, ordered by ids and image.
    pub last_pairs: *const dem_scene_pair,
    /// How many.
    pub last_pair_count: usize,
    /// Its contacts, as far as they are kept.
    pub last_contacts: *const dem_scene_kept,
    /// The second half of the key of each.
    pub last_features: *const u64,
    /// How many.
    pub last_count: usize,
    /// For each contact of the step before, which one of `contacts` goes on with it; `DEM_NO_ID` where it ended.
    pub successors: *const u32,
    /// For contacts that take several springs: which, and how much of each; indices in `contacts` and `last_contacts`.
    pub blends: *const dem_contact_blend,
    /// How many.
    pub blend_count: usize,
    /// The nodes of `contacts`, ordered by pair and features. A pair has those of all its contacts, or none: then each of its contacts is one.
    pub nodes: *const dem_contact_node,
    /// How many.
    pub node_count: usize,
    /// The nodes of `last_contacts`, likewise.
    pub last_nodes: *const dem_contact_node,
    /// How many.
    pub last_node_count: usize,
    /// The contacts within the margin: those with halos that are wider by `margin` of the query, both together. There are none without a margin. They are not
    /// matched with those of a step before.
    pub margin_contacts: *const dem_contact,
    /// How many.
    pub margin_count: usize,
    /// Their pairs of bodies, with the names and the order of those in `pairs`, which are among them.
    pub margin_pairs: *const dem_scene_pair,
    /// How many.
    pub margin_pair_count: usize,
    /// As `touch_ends`, in `margin_touches`.
    pub margin_touch_ends: *const u32,
    /// As `touches`, of contacts within the margin.
    pub margin_touches: *const u32,
    /// Bytes from one contact to the next, in every list of them here: `sizeof(dem_contact)` of the library that runs, which may be newer than this header.
    pub contact_stride: usize,
    /// Of pairs.
    pub pair_stride: usize,
    /// Of links.
    pub link_stride: usize,
    /// Of what is kept of contacts.
    pub kept_stride: usize,
    /// Of blends.
    pub blend_stride: usize,
    /// Of nodes.
    pub node_stride: usize,
}

fixed!(dem_scene_contacts {
    contacts: *const dem_contact,
    links: *const dem_contact_link,
    count: usize,
    pairs: *const dem_scene_pair,
    pair_count: usize,
    touch_ends: *const u32,
    touches: *const u32,
    body_count: usize,
    last_pairs: *const dem_scene_pair,
    last_pair_count: usize,
    last_contacts: *const dem_scene_kept,
    last_features: *const u64,
    last_count: usize,
    successors: *const u32,
    blends: *const dem_contact_blend,
    blend_count: usize,
    nodes: *const dem_contact_node,
    node_count: usize,
    last_nodes: *const dem_contact_node,
    last_node_count: usize,
    margin_contacts: *const dem_contact,
    margin_count: usize,
    margin_pairs: *const dem_scene_pair,
    margin_pair_count: usize,
    margin_touch_ends: *const u32,
    margin_touches: *const u32,
    contact_stride: usize,
    pair_stride: usize,
    link_stride: usize,
    kept_stride: usize,
    blend_stride: usize,
    node_stride: usize,
});

const _: () = assert!(size_of::<Touch>() == 4 && size_of::<Link>() == size_of::<dem_contact_link>());

/// How much memory a scene needs.
///
/// Outputs (each may be null): `size`: bytes of the block: some 200 for each body, 476 for each contact, 48 for each node, 16 for each candidate and 312 for each contact within
/// the margin. A copy or a file takes as many; `dem_scene_size` tells them of a scene that is there. `align`: `DEM_ALIGN`.
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
    scene: *mut *mut dem_scene,
    desc: *const dem_scene_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if scene.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            begin_in(memory, size, &sizes(desc)?)?;
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
    grown: *mut *mut dem_scene,
    desc: *const dem_scene_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if grown.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            grow_into(scene, memory, size, &sizes(desc)?)?;
            edge::write(grown, memory.cast(), What::Handle)
        }
    })
}

/// A larger scene in another block.
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

/// An empty scene.
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

/// Commits what was found last: it becomes the step that the next one is linked to. Where nothing was found since, nothing changes.
///
/// Outputs: `scene`. What `dem_scene_view` shows stays the same, but take views again: pointers of those from before are no longer promised.
/// Errors: those of the scene.
/// Cost: none.
/// Threads: any; nobody may use the scene during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_commit(scene: *mut dem_scene, error: *mut dem_error) -> i32 {
    // SAFETY: the caller vouches for a scene where the pointer is not null.
    edge::call(error, || unsafe {
        change(scene, |scene| {
            scene.commit();
            Ok(())
        })
    })
}

/// Commits some of the pairs that were found last. All other pairs keep what was committed of them before: those that are not taken, and
/// those that were not looked for.
///
/// Outputs: `scene`: `dem_scene_view` shows no contacts then. `origins`, room for `origin_capacity`: where each contact of the new
/// committed step comes from, so that a program can merge what it keeps for each: 2 i + 1 for contact i of those found last, 2 i for
/// contact i of the committed step before. `count` (may be null): how many there are.
/// Inputs: `taken`, `taken_count`: a number for each of `pairs` of `dem_scene_view`: not 0 commits the pair.
/// Memory: `taken`, `origins` and the scene must not overlap each other.
/// Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_MISMATCH` about `body pairs`: another number than were found, about `periods`:
/// others than those of the committed step; `DEM_ERROR_CAPACITY` about `links` (`origins`), about `contacts`, `nodes` and `poses` (`dem_scene_grow`);
/// `DEM_ERROR_OVERLAP`. Nothing is changed then.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let block = blocks::stretch(scene.cast(), Held::Scene, What::Scene)?;
            let to = Records::<u32>::packed(origins, origin_capacity).map_err(about(What::Links))?;
            let taken = shared(taken, taken_count, What::BodyPairs)?;
            for read in [(taken.as_ptr().cast(), size_of_val(taken)), block] {
                blocks::apart(to.bytes(), read, What::Links)?;
            }
            let to = to.slice().map_err(about(What::Links))?;
            let found = change(scene, |scene| scene.commit_pairs(taken, to))?;
            edge::write_optional(count, found);
            Ok(())
        }
    })
}

/// Forgets what was found since the last commit. There is no need to call it before another trial.
///
/// Outputs: `scene`: the committed step is what it was; `dem_scene_view` shows no contacts.
/// Errors: those of the scene.
/// Cost: none.
/// Threads: any; nobody may use the scene during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_abandon(scene: *mut dem_scene, error: *mut dem_error) -> i32 {
    // SAFETY: the caller vouches for a scene where the pointer is not null.
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
/// Cost: a pass over what is kept: about 100 bytes for each contact, 56 for each body.
/// Threads: any number at a time.
/// Determinism: the same on every machine for the same steps; places of bodies are a part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_hash(hash: *mut u64, scene: *const dem_scene, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at.
        unsafe { edge::write(hash, with(scene, |scene| Ok(scene.committed_hash()))?, What::Output) }
    })
}

/// Runs `body` with a scene that it changes.
///
/// # Safety
/// Where the pointer is not null, it is that of a scene that nobody else uses.
unsafe fn change<R>(scene: *mut dem_scene, body: impl FnOnce(&mut Scene<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::changed(scene.cast(), Held::Scene, What::Scene, |content| body(&mut Scene::open(content)?)) }
}

/// Where the contacts are that were found last: by the last step or trial that succeeded. There are none after `dem_scene_abandon`.
///
/// Programs that are to run with newer libraries go by the strides of the view, and programs that are built with the library they run with need not.
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
        let found = unsafe { seen(scene, |scene, _| Ok(tell_contacts(&scene))) }?;
        // SAFETY: the caller vouches for `view_size` bytes where the pointer is not null.
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

/// The sizes that a description asks for, with the defaults where it asks for none.
pub(crate) fn sizes_of(desc: &dem_scene_desc) -> Result<SceneSizes> {
    let ample = |n: u32| if n > 0 { n } else { desc.bodies.saturating_mul(4).saturating_add(1024) };
    let (candidates, contacts) = (ample(desc.candidates), ample(desc.contacts));
    let nodes = if desc.nodes > 0 { desc.nodes } else { contacts };
    let dem_scene_desc { bodies, posed, levels, margin_contacts, .. } = *desc;
    let sizes = SceneSizes { bodies, candidates, contacts, nodes, posed, levels, margin_contacts };
    core_memory::Sizes::check(&sizes)?;
    Ok(sizes)
}
