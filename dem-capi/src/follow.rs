//! From one step of a scene to the next.
//!
//! A scene matches its contacts by itself. A program keeps its own data of contacts, such as the elongations of friction springs, in an
//! array beside the contacts. After every dem_scene_detect or dem_scene_find it carries the data along:
//!
//! - dem_scene_view: how many contacts there are now, and how many there were in the last step;
//! - dem_scene_carry: from the array of the last step to the array of this step;
//! - the program's own law (see "Contacts: what forces act on"); then exchange both arrays. After a trial, exchange them only if the trial is
//!   committed.
//!
//! dem_scene_events tells which contacts began and which ended.

use dem_core::contact::history::Event;
use dem_core::detect::{Carry, SceneRef};
use dem_core::error::{Error, Kind, Result, What};

use crate::body_contacts::dem_contact_event;
use crate::edge;
use crate::errors::dem_error;
use crate::memory::{self as blocks, Stretch};
use crate::records::{Records, about, shared};
use crate::scenes::{self, dem_scene};
use crate::tasks::{Host, dem_tasks, read_tasks};

/// Tells which contacts begin, persist and end.
///
/// Outputs: `events`: one for each contact found last, and one for each contact of the committed step that ended, ordered by ids, image and features.
/// Indices are those in `contacts` and `last_contacts` of `dem_scene_view`. `event_count` (may be null): how many there are, even if they are more
/// than `event_capacity`. The number of contacts of both steps together is always enough.
/// Inputs: `scene`.
/// Memory: events must not overlap the scene.
/// Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY` (`needed` events); `DEM_ERROR_OVERLAP`.
/// Cost: some nanoseconds a contact.
/// Threads: any; nobody may change the scene during the call.
/// Determinism: the same on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_events(
    events: *mut dem_contact_event,
    event_capacity: usize,
    event_count: *mut usize,
    scene: *const dem_scene,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = unsafe {
            let to = Records::<Event>::packed(events.cast(), event_capacity).map_err(about(What::Events))?;
            scenes::seen(scene, |scene, block| {
                blocks::apart(to.bytes(), block, What::Events)?;
                scene.events(to.slice().map_err(about(What::Events))?)
            })
        };
        let number = match found {
            Ok(number) => number,
            Err(e) if e.kind == Kind::Capacity && e.what == What::Events => e.needed as usize,
            Err(_) => 0,
        };
        // SAFETY: as above.
        unsafe { edge::write_optional(event_count, number) };
        found.map(|_| ())
    })
}

/// `kind` of `dem_scene_carry`. Three numbers: a vector, such as the springs of friction and rolling. As by `dem_contact_carry`, it is
/// rotated by the mean rotation of both bodies, projected across the normal, and scaled to its old length.
pub const DEM_CARRY_TANGENT: u32 = 0;
/// Three numbers: a vector, such as the spring of torsion. It is rotated likewise, then aligned with the normal or its opposite, whichever is nearer.
pub const DEM_CARRY_NORMAL: u32 = 1;
/// One number, which does not rotate.
pub const DEM_CARRY_NUMBER: u32 = 2;

/// Carries the program's own data of contacts, such as the elongations of springs, from the committed step to the contacts found last.
///
/// The function only reads the data of the committed step, so a program may call it for each trial.
///
/// Outputs: `values`: for each contact (`count` of `dem_scene_view`) as many numbers as `kind` has, vectors in world axes; a weighted mean
/// if the contact has `blends`; zero if it has no source.
/// Inputs: `of_last`: the same number for each contact of the last step (`last_count`); null: there is no data, and all values are zero. `kind`:
/// `DEM_CARRY_*`. `scene`. `tasks` (may be null): threads of the program.
/// Memory: values must not overlap anything else.
/// Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OUT_OF_RANGE`: tasks, `kind`; `DEM_ERROR_OVERLAP`. After an error
/// nothing is written.
/// Cost: some tens of nanoseconds a contact.
/// Threads: any; nobody may change the scene during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_carry(
    values: *mut f64,
    scene: *const dem_scene,
    of_last: *const f64,
    tasks: *const dem_tasks,
    kind: u32,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let kind = match kind {
                DEM_CARRY_TANGENT => Some(Carry::Tangent),
                DEM_CARRY_NORMAL => Some(Carry::Normal),
                DEM_CARRY_NUMBER => None,
                _ => return Err(Error::new(Kind::OutOfRange, What::Carried)),
            };
            let tasks = read_tasks(tasks)?;
            scenes::seen(scene, |scene, block| match kind {
                Some(kind) => {
                    let (of_last, values) = both::<[f64; 3]>(&scene, of_last.cast(), values.cast(), block)?;
                    scene.carry(&Host::new(tasks), kind, of_last, values)
                }
                None => {
                    let (of_last, values) = both::<f64>(&scene, of_last, values, block)?;
                    scene.carry_numbers(of_last, values)
                }
            })
        }
    })
}

/// The program's data of each contact, of the last step and of this one.
///
/// # Safety
/// The arrays have an item for each contact of the scene's steps, and nothing else uses them while the slices exist.
unsafe fn both<'a, T: Copy>(
    scene: &SceneRef<'_>,
    of_last: *const T,
    values: *mut T,
    block: Stretch,
) -> Result<(&'a [T], &'a mut [T])> {
    let (now, last) = (scene.now().contacts().len(), if of_last.is_null() { 0 } else { scene.last().len() });
    let to = Records::<T>::packed(values, now).map_err(about(What::Values))?;
    // SAFETY: by this function's contract.
    unsafe {
        let from = shared(of_last, last, What::LastVectors)?;
        for read in [(from.as_ptr().cast(), size_of_val(from)), block] {
            blocks::apart(to.bytes(), read, What::Values)?;
        }
        Ok((from, to.slice().map_err(about(What::Values))?))
    }
}
