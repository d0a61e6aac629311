//! Contacts of a scene.
//!
//! Body i is item i of every array. Arrays of `uint32_t` have the type DEM_U32; an array whose `data` is null means
//! the default value for every body.

mod query;
mod structs;

use core::ffi::c_void;

use dem_core::array::{Vectors, VectorsMut};
use dem_core::broad::Candidate;
use dem_core::detect::{Ended, Pairs, Shortage};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::pose::Pose;

use crate::arrays::{dem_array, dem_output};
use crate::edge;
use crate::errors::{dem_error, dem_shortage};
use crate::inputs::{self};
use crate::memory::{self as blocks, Scratch};
use crate::outputs::Output;
use crate::placed::dem_pose;
use crate::records::shared;
use crate::scene_drive::{Step, scratch_of, with_scene};
use crate::scene_room::lacking;
use crate::scenes::{self, Of, dem_near_pair, dem_scene};
use crate::shortage::{self, Left, Told, raise};
use crate::strided::{self, Items};
use crate::tasks::{Host, dem_tasks, read_tasks};
pub(crate) use query::OF_SCENE;
pub(crate) use query::Query;
pub use structs::*;

/// One step: finds all contacts of all bodies, links them to those of the last step (`dem_scene_find`), and commits them
/// (`dem_scene_commit`).
///
/// Outputs: as for `dem_scene_find`.
/// Inputs: as for `dem_scene_find`.
/// Errors: those of `dem_scene_find`. After an error the scene is as before.
/// Cost: that of `dem_scene_find`.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: as for `dem_scene_find`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_detect(
    scene: *mut dem_scene,
    counts: *mut dem_scene_counts,
    counts_size: usize,
    query: *const dem_scene_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::telling(error, |short| unsafe {
        step(scene, (counts, counts_size), query, &Named::NONE, (scratch, scratch_size), (true, short))
    })
}

/// Finds all contacts of all bodies as a trial, and links them to those of the committed step.
///
/// The function reads the committed step and does not change it, so the result does not depend on earlier trials. All functions that take a scene use
/// the contacts found last. `dem_scene_commit` makes them the committed step.
///
/// For two bodies, and for each periodic image of B, the nodes are those of `dem_placed_contacts`; `grouping` tells which nodes form
/// a contact. A is the body with the smaller id. Positions are near A; the `shift` of the pair moves B there. Half-spaces, and
/// compounds with a half-space, have no images.
///
/// Outputs: `scene`: the contacts, for `dem_scene_view`. `counts` (may be null): the function writes `counts_size` bytes, at most
/// `sizeof(dem_scene_counts)`.
/// Inputs: `scene`. `query`: bodies, threads. `scratch`, `scratch_size`: at any
/// alignment. With less scratch, down to the need of one thread, fewer threads work on meshes.
/// Memory: scratch and scene must not overlap each other, nor shapes and arrays.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the scene, or
/// a shape of the table; `DEM_ERROR_MISMATCH`: arrays of different lengths; `DEM_ERROR_UNSUPPORTED` about `cells`: a shape that was built without;
/// `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`, `DEM_ERROR_BAD_INDEX`: about an array with body and component, or about `shapes` with its place
/// (`component` as for `dem_placed_contacts`); `DEM_ERROR_DUPLICATE` about `ids`, with both places (`index`, `given`); `DEM_ERROR_OUT_OF_RANGE` about
/// `centres` and `radii`, those of the spheres around bodies: farther than 4096 periods or 2^400 from the origin, wider than 64 periods; about
/// `margin`: negative; `DEM_ERROR_UNSUPPORTED`: a compound in a compound; `DEM_ERROR_OVERLAP`; `DEM_ERROR_CAPACITY` about `bodies`, `candidates`,
/// `contacts`, `margin_contacts`, `nodes`, `poses` (`dem_scene_grow`), `pairs`, `pair_contacts` (of the query) and `scratch`: the first that is too
/// small; `short_of` of the error has all of them. After an error nothing has changed, with one exception. If a shape was changed during the call
/// (`DEM_ERROR_BUSY` about `shapes`), the contacts found before are discarded; the committed step stays.
/// Cost: some hundred nanoseconds for a sphere; for meshes some 0.1 microseconds for each pair of triangles within the halos. If ids are not
/// ascending, a copy of all arrays, and a sort if their order differs from the last call.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: the same bits on every machine, with every instruction set, number of threads, size of memory, and order of bodies that have ids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_find(
    scene: *mut dem_scene,
    counts: *mut dem_scene_counts,
    counts_size: usize,
    query: *const dem_scene_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::telling(error, |short| unsafe {
        step(scene, (counts, counts_size), query, &Named::NONE, (scratch, scratch_size), (false, short))
    })
}

/// As `dem_scene_find`, for pairs that the program lists: its own candidates, or some of all pairs. Each pair may have its own poses. The function
/// finds the contacts of all listed pairs; bounds, `motions`, `groups` and `masks` have no effect. `pairs` of `dem_scene_view` has all of these
/// pairs, including pairs without contacts. `dem_scene_commit` makes them the whole step. `dem_scene_commit_pairs` commits some and keeps all other
/// pairs of the committed step.
///
/// Outputs: as for `dem_scene_find`.
/// Inputs: as for `dem_scene_find`. `pairs`, `pair_count`: each pair once, in any order; B is moved by `shift` periods to meet A. `poses` (may be
/// null: those of the bodies): for each pair the pose of A and that of B, not moved by periods. The scene has room for `posed` pairs with poses
/// (`dem_scene_desc`).
/// Memory: scratch and scene must not overlap each other, nor anything else.
/// Errors: those of `dem_scene_find`; about `pairs` with the index of the pair: `DEM_ERROR_BAD_INDEX` for a body that does not exist,
/// `DEM_ERROR_OUT_OF_RANGE` for a shift that is not allowed for a body and itself, or along an axis that is not periodic, or of an unbounded body,
/// `DEM_ERROR_DUPLICATE` with both places; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE` and `DEM_ERROR_CAPACITY` about `poses`.
/// Cost: that of the contacts, and a pass over all bodies.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: as for `dem_scene_find`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_find_pairs(
    scene: *mut dem_scene,
    counts: *mut dem_scene_counts,
    counts_size: usize,
    query: *const dem_scene_query,
    pairs: *const dem_near_pair,
    pair_count: usize,
    poses: *const dem_pose,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let list = shared(pairs.cast::<Candidate>(), pair_count, What::Pairs)?;
            let own = if poses.is_null() { 0 } else { pair_count };
            let poses = shared(poses.cast::<[Pose; 2]>(), own, What::Poses)?;
            let poses = (own > 0).then_some(poses);
            let named = Named { pairs: Some(Pairs { list, poses }) };
            step(scene, (counts, counts_size), query, &named, (scratch, scratch_size), (false, short)).map_err(of_list)
        }
    })
}

/// Renames an error about candidates: in this call they are `pairs`, the list of the program.
fn of_list(e: Error) -> Error {
    match (e.kind, e.what) {
        (Kind::BadIndex | Kind::OutOfRange | Kind::Duplicate, What::Candidates) => Error { what: What::Pairs, ..e },
        _ => e,
    }
}

/// The list of pairs of a call; `None` if the call searches for pairs by itself.
struct Named<'a> {
    pairs: Option<Pairs<'a>>,
}

impl Named<'_> {
    const NONE: Self = Named { pairs: None };

    /// Errors: [`Kind::Overlap`] if memory that the call writes shares a byte with the list.
    fn apart_from(&self, written: &[(blocks::Stretch, What)]) -> Result<()> {
        let Some(Pairs { list, poses }) = self.pairs else { return Ok(()) };
        let poses = poses.unwrap_or_default();
        for (memory, what) in written {
            blocks::apart(*memory, (list.as_ptr().cast(), size_of_val(list)), *what)?;
            blocks::apart(*memory, (poses.as_ptr().cast(), size_of_val(poses)), *what)?;
        }
        Ok(())
    }
}

/// Makes a trial or a step for a call of the program.
///
/// # Safety
/// As for [`dem_scene_find`].
unsafe fn step(
    scene: *mut dem_scene,
    (counts, counts_size): (*mut dem_scene_counts, usize),
    query: *const dem_scene_query,
    named: &Named<'_>,
    (scratch, scratch_size): (*mut c_void, usize),
    (commit, short): (bool, &mut dem_shortage),
) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        let query = Query::read(query)?;
        let (scratch, mut told) = (Scratch::new(scratch, scratch_size), Told::default());
        let found = search(scene, &query, named, (scratch, scratch_size), &mut told, commit);
        tell((counts, counts_size), found, (scene, &query), (&told, short))
    }
}

/// Writes the counts of a step, or after an error the room that was too small.
///
/// # Safety
/// A pointer that is not null points at `counts_size` bytes. The scene and the memory of the query can be read.
pub(crate) unsafe fn tell(
    (counts, counts_size): (*mut dem_scene_counts, usize),
    found: Result<dem_scene_counts>,
    (scene, query): (*const dem_scene, &Query),
    (told, short): (&Told, &mut dem_shortage),
) -> Result<()> {
    match found {
        Ok(record) if !counts.is_null() => {
            // SAFETY: by this function's contract.
            unsafe { inputs::write_record(counts, counts_size, &record, What::Output) }
        }
        Ok(_) => Ok(()),
        Err(error) => {
            // SAFETY: by this function's contract.
            unsafe { tell_shortage(&error, (scene, query), (told, short)) };
            Err(shortage::named(error))
        }
    }
}

/// Writes all room that was too small, and the scratch that the same call needs with more room.
///
/// # Safety
/// As for [`tell`].
#[cold]
#[inline(never)]
unsafe fn tell_shortage(
    error: &Error,
    (scene, query): (*const dem_scene, &Query),
    (told, short): (&Told, &mut dem_shortage),
) {
    // SAFETY: by this function's contract.
    unsafe {
        // Without a scene, the error is about the scene.
        let (Ok(sizes), true) = (scenes::with(scene, |scene| Ok(scene.sizes)), error.what != What::Block) else {
            return;
        };
        let raised = |short: &Shortage| {
            let mut sizes = sizes;
            raise(&mut sizes.bodies, short.bodies);
            raise(&mut sizes.candidates, short.candidates);
            raise(&mut sizes.contacts, short.contacts);
            raise(&mut sizes.margin_contacts, short.margin_contacts);
            raise(&mut sizes.nodes, short.nodes);
            raise(&mut sizes.posed, short.posed);
            sizes
        };
        // A step without scratch has not begun, so its needs are estimated.
        let known = match error.what {
            What::Scratch if !query.grows => lacking(query, &sizes).unwrap_or_default(),
            _ => told.shortage,
        };
        *short = shortage::all(error, &known, query, raised, |query, sizes| scratch_of(query, sizes));
    }
}

/// Makes a trial, and commits it if `commit` is set and there is no error.
///
/// # Safety
/// As for [`dem_scene_find`].
unsafe fn search(
    scene: *mut dem_scene,
    query: &Query,
    named: &Named<'_>,
    scratch: (Scratch, usize),
    told: &mut Told,
    commit: bool,
) -> Result<dem_scene_counts> {
    let left = told.left.take();
    told.shortage = Shortage::default();
    let apart = |written: &[(blocks::Stretch, What)]| named.apart_from(written);
    // SAFETY: by this function's contract.
    let (found, grid) = unsafe {
        with_scene(scene, query, apart, scratch, commit, |step| {
            let Step { scene, host, isa, bodies, settings, scratch } = step;
            let before = left.map(|left| left.before());
            let (start, size) = (scratch.as_ptr(), scratch.len());
            let pairs = named.pairs.as_ref();
            match scene.find_after(host, isa, bodies, pairs, settings, before.as_ref(), scratch)? {
                Ended::Done(found) => Ok((found, dem_grid_report::of(scene.as_ref().list_grid()))),
                Ended::Short(short) => {
                    told.shortage = short.shortage;
                    told.left = short.unfinished.map(|unfinished| Left { start, size, unfinished });
                    Err(short.error)
                }
            }
        })
    }?;
    let n = |n: usize| n as u64;
    Ok(dem_scene_counts {
        candidates: n(found.candidates),
        pairs: n(found.pairs),
        contacts: n(found.contacts),
        persisting: n(found.persisting),
        crossing: n(found.crossing),
        listed: n(found.list.candidates),
        age: found.list.age.into(),
        margin_pairs: n(found.margin_pairs),
        margin_contacts: n(found.margin_contacts),
        grid,
    })
}

/// Sums the forces and torques on each body over its contacts.
///
/// Outputs: `forces_out`, `torques_out` (either may be null or without data): three numbers for each body, `DEM_F32` or
/// `DEM_F64`; torques in world coordinates, about `centres`. They are zero for a body without contacts.
/// Inputs: `scene`. `list`: `DEM_LIST_CONTACTS` or `DEM_LIST_MARGIN`. `forces`: on A at the contact's position, three numbers for each contact of the
/// list; the opposite force acts on B. `torques` (may be null): on A, three numbers for each contact, added to the torques of the forces; the
/// pressure law needs `k moment` here. `centres` (may be null): a point for each body, such as its centre of mass; by default the positions of the
/// bodies. `tasks` (may be null): threads of the program.
/// Memory: outputs must not overlap `forces`, `torques` and the scene. The numbers of one body must not overlap those of another body or its centre.
/// All may be fields of one struct of the program.
/// Errors: those of the scene; `DEM_ERROR_NULL`: `forces`; `DEM_ERROR_MISMATCH`: arrays of other lengths; `DEM_ERROR_NOT_FINITE`: which
/// number of which array is NaN or infinite; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OUT_OF_RANGE`: types; `DEM_ERROR_OVERLAP`. After an error nothing is
/// written.
/// Cost: some ten nanoseconds a contact and a body.
/// Threads: any; nobody may change the scene during the call.
/// Determinism: sums are taken in the order of contacts, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_wrenches(
    forces_out: *const dem_output,
    torques_out: *const dem_output,
    scene: *const dem_scene,
    forces: *const dem_array,
    torques: *const dem_array,
    centres: *const dem_array,
    tasks: *const dem_tasks,
    list: u32,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        wrenches(Of::numbered(list)?, [forces_out, torques_out], scene, [forces, torques, centres], tasks)
    })
}

/// Sums forces and torques for each body, over one of the two lists of contacts.
///
/// # Safety
/// As for [`dem_scene_wrenches`].
unsafe fn wrenches(
    of: Of,
    [forces_out, torques_out]: [*const dem_output; 2],
    scene: *const dem_scene,
    [forces, torques, centres]: [*const dem_array; 3],
    tasks: *const dem_tasks,
) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        let forces = edge::read(forces, What::Forces)?;
        let torques = torques.as_ref().map(|t| edge::read(t, What::Torques)).transpose()?.filter(|t| !t.data.is_null());
        let centres = if centres.is_null() { None } else { Some(Items::points(centres, What::Centres)?) };
        let tasks = read_tasks(tasks)?;
        scenes::seen(scene, |scene, block| {
            let scene = of.scene(scene);
            let n = scene.now().poses().len();
            let out = |to: *const dem_output, what| -> Result<Option<Output>> {
                if to.is_null() {
                    return Ok(None);
                }
                Output::new(
                    edge::read(to, What::Output)?,
                    3,
                    n,
                    &[crate::arrays::DEM_F32, crate::arrays::DEM_F64],
                    what,
                )
            };
            let outputs = [out(forces_out, What::Output)?, out(torques_out, What::Output)?];
            let of_forces = (forces.data, strided::span(&forces, 3, What::Forces)?);
            let of_torques = torques.map(|t| Ok((t.data, strided::span(&t, 3, What::Torques)?))).transpose()?;
            for output in outputs.iter().flatten() {
                for read in [Some(of_forces), of_torques, Some(block)].into_iter().flatten() {
                    blocks::apart(output.bytes(), read, What::Output)?;
                }
            }
            let f = strided::numbers(&forces, 3, What::Forces)?;
            let t = torques.map(|t| strided::numbers(&t, 3, What::Torques)).transpose()?;
            let centres = centres.as_ref().map(|centres| centres as &dyn Vectors);
            let out = outputs.each_ref().map(|to| to.as_ref().map(|to| to as &dyn VectorsMut));
            scene.wrenches_into(&Host::new(tasks), f, t, centres, out)
        })
    }
}

/// Makes a step of all bodies in this scratch. It continues from the results that a step with less room has left (`told`).
///
/// # Safety
/// As for [`dem_scene_detect`].
pub(crate) unsafe fn make_step(
    scene: *mut dem_scene,
    query: &Query,
    scratch: (*mut c_void, usize),
    told: &mut Told,
) -> Result<dem_scene_counts> {
    // SAFETY: by this function's contract.
    unsafe { search(scene, query, &Named::NONE, (Scratch::new(scratch.0, scratch.1), scratch.1), told, true) }
}

#[cfg(test)]
mod tests;
