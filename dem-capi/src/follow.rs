//! From one step of a scene to the next.
//!
//! A scene matches its contacts by itself. What a program keeps for each of them, the elongation of a friction spring say, is in an
//! array beside the contacts, and is taken along after every dem_scene_detect:
//!
//! - dem_scene_view: how many contacts there are now, and how many there were;
//! - dem_scene_carry: from the array of the last step to that of this one;
//! - the program's own law, as in the chapter before; then exchange both arrays.
//!
//! dem_scene_events tells what began and what ended.

use dem_core::contact::history::Event;
use dem_core::error::{Kind, What};

use crate::edge;
use crate::errors::dem_error;
use crate::history::{about, dem_contact_event};
use crate::lists::shared;
use crate::memory::{self as blocks, Held};
use crate::records::Records;
use crate::scenes::{self, dem_scene};
use crate::tasks::{Host, dem_tasks, read_tasks};

/// What begins, persists and ends.
///
/// Outputs: `events`: one for each contact of the last successful step, and one for each that ended then, ordered by key. Places are
/// those in `contacts` and `last_contacts` of `dem_scene_view`. `event_count` (may be null): how many there are, also where there are more
/// than `event_capacity`. As many as both steps have contacts are always enough.
/// Inputs: `scene`. Once a step has failed, what ended in the last successful one is not told.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        let found = unsafe {
            let to = Records::<Event>::new(events.cast(), event_capacity, 0).map_err(about(What::Events))?;
            blocks::apart(to.bytes(), blocks::stretch(scene.cast(), Held::Scene, What::Scene)?, What::Events)?;
            let to = to.slice().map_err(about(What::Events))?;
            scenes::with(scene, |scene| scene.events(to))
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

/// Takes a vector of each contact along: the elongation of its tangential spring.
///
/// What becomes of a vector is told at `dem_contact_carry`. To be called once after each step that did not fail, as it speaks of that
/// step and the one before.
///
/// Outputs: `vectors`: three numbers, in world axes, for each contact of this step (`count` of `dem_scene_view`); zero where it has no source.
/// Inputs: `of_last`: three for each contact of the step before (`last_count`); may be null where that is 0. `scene`. `tasks` (may be
/// null): threads of the program.
/// Memory: vectors must not overlap anything else.
/// Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OUT_OF_RANGE`: tasks; `DEM_ERROR_OVERLAP`. Nothing is
/// written then.
/// Cost: some tens of nanoseconds a contact.
/// Threads: any; nobody may change the scene during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_carry(
    vectors: *mut f64,
    of_last: *const f64,
    scene: *const dem_scene,
    tasks: *const dem_tasks,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let tasks = read_tasks(tasks)?;
            let block = blocks::stretch(scene.cast(), Held::Scene, What::Scene)?;
            scenes::with(scene, |scene| {
                let (now, last) = (scene.now().contacts().len(), scene.last().contacts().len());
                let to = Records::<[f64; 3]>::new(vectors.cast(), now, 0).map_err(about(What::Vectors))?;
                let from = shared(of_last.cast::<[f64; 3]>(), last, What::LastVectors)?;
                for read in [(from.as_ptr().cast(), size_of_val(from)), block] {
                    blocks::apart(to.bytes(), read, What::Vectors)?;
                }
                scene.carry(&Host::new(tasks), from, to.slice().map_err(about(What::Vectors))?)
            })
        }
    })
}
