//! Springs of a law of the program.
//!
//! Springs follow their contacts. If contacts join or split, the springs that dem_world_law gives are means, and means lose moments. For example, two
//! feet that turn on the ground have springs of sliding whose mean is zero. If both contacts join, their moment must go to the torsion of the joined
//! contact.
//!
//! At DEM_WANT_LAW, dem_world_taken_over tells for each contact what has joined or split. dem_springs_take_over computes from it the springs with
//! which the laws of the library begin the step:
//!
//!   dem_world_taken_over(world, taken, law.count, NULL, &error);
//!   for each contact c, with its items of law.springs and of taken: dem_springs_take_over(&springs, &item, c.normal, sqrt(c.area / 6), 1, &error);
//!
//! A law that divides by area and has no torsion needs `joined_mean` alone.

mod structs;

use dem_core::detect::laws::TakenOver;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::force::take_over;

use crate::edge;
use crate::errors::dem_error;
use crate::memory as blocks;
use crate::records::alone;
use crate::tasks::{Host, dem_tasks, read_tasks};
use crate::world_steps::dem_springs;
use crate::worlds::{dem_world, stretch, with};
pub use structs::*;

/// Tells a law of the program, at `DEM_WANT_LAW`, what each contact takes over where contacts have joined or split.
///
/// Outputs: `taken`: packed, one for each contact of `dem_world_contacts`; `capacity`: for how many there is room.
/// Inputs: `world`. `tasks` (may be null): threads of the program.
/// Memory: `taken` must not overlap the world.
/// Errors: those of the world; `DEM_ERROR_NULL` and `DEM_ERROR_MISALIGNED` about `output`; `DEM_ERROR_CAPACITY` about `output`: `needed` contacts;
/// `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` about `step of the world` at any other point of the step.
/// Cost: some tens of nanoseconds a contact; for each that joins or splits, also some walks over the nodes of its pair.
/// Threads: any number at a time; nobody may change the world during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_taken_over(
    taken: *mut dem_taken_over,
    capacity: usize,
    world: *const dem_world,
    tasks: *const dem_tasks,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let tasks = read_tasks(tasks)?;
            let out = alone(taken.cast::<TakenOver>(), capacity, What::Output)?;
            blocks::apart((taken.cast_const().cast(), size_of_val(out)), stretch(world)?, What::Output)?;
            with(world, |world| {
                let needed = world.scene().now().contacts().len();
                match out.get_mut(..needed) {
                    Some(out) => world.taken_over(&Host::new(tasks), out),
                    None => Err(Error::capacity(What::Output, needed as u64, capacity as u64)),
                }
            })
        }
    })
}

/// Computes the springs of sliding and of torsion with which the laws of the library begin a step. Where contacts have joined or split, the new
/// springs keep the force and the moment of the old springs, and have no more energy. For all other contacts nothing changes.
///
/// The laws of the library do two more things. A contact with `begins` 1, and with `has_joined` and `split_own` 0, would copy the spring of its
/// neighbour; they set both of its springs to 0. And they keep the energy of each contact's spring while its part of the area of its pair changes. On
/// walls whose vertices move, the vectors of `taken` are turned by poses.
///
/// The spring of torsion is a length: the angle times `reach` times the root of `torsion`.
///
/// Outputs: `springs`: those of `dem_world_law`; the first two vectors change.
/// Inputs: `taken`: that of the contact. `normal`: of the contact. `reach`: the root of the mean square distance of the pressure from the axis of the
/// contact, 0 or more; that of a square is the root of a sixth of its area. `torsion`: as in `dem_interaction`, 0 or more; usually 1.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` about `springs` (number of the `component`), `taken`, `normal`, `reach` and `torsion`;
/// `DEM_ERROR_OUT_OF_RANGE` about `reach` and `torsion`. After an error nothing changes.
/// Cost: about a tenth of a microsecond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_springs_take_over(
    springs: *mut dem_springs,
    taken: *const dem_taken_over,
    normal: *const f64,
    reach: f64,
    torsion: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let mut own = edge::read(springs.cast_const(), What::Springs)?;
            let taken: TakenOver = edge::read(taken, What::Taken)?.into();
            let normal = edge::read(normal.cast::<[f64; 3]>(), What::Normal)?;
            are_finite(&own.vectors.as_flattened()[..6], What::Springs)?;
            let vectors = [taken.joined_mean, taken.joined_moment, taken.split_arm];
            are_finite(vectors.as_flattened(), What::Taken)?;
            are_finite(&[taken.joined_square, taken.split_square, taken.split_own], What::Taken)?;
            are_finite(&normal, What::Normal)?;
            for (number, what) in [(reach, What::Reach), (torsion, What::Torsion)] {
                are_finite(&[number], what)?;
                if number < 0.0 {
                    return Err(Error::new(Kind::OutOfRange, what));
                }
            }
            let [slide, twist, ..] = own.vectors;
            let both = take_over([slide, twist], normal, (&taken.joined(), &taken.split()), reach, torsion);
            own.vectors[..2].copy_from_slice(&both);
            edge::write(springs, own, What::Springs)
        }
    })
}

/// Errors: [`Kind::NotFinite`] with the place as component.
fn are_finite(numbers: &[f64], what: What) -> Result<()> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(Error::new(Kind::NotFinite, what).at(0, at as u32)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
