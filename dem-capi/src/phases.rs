//! Phases of a step of a scene.
//!
//! `dem_scene_bounds`, `dem_scene_candidates`, `dem_scene_find_pairs` and `dem_scene_commit`, one after the other, find the same contacts as
//! `dem_scene_detect`. A program that calls these functions itself may leave out pairs of bodies, or add its own.

use core::ffi::c_void;

use dem_core::array::VectorsMut;
use dem_core::broad::Candidate;
use dem_core::detect::bounding_spheres;
use dem_core::error::{Result, What};
use dem_core::memory::sections;

use crate::arrays::{DEM_F32, DEM_F64, dem_output};
use crate::detect::{Query, dem_scene_query};
use crate::edge;
use crate::errors::dem_error;
use crate::memory as blocks;
use crate::outputs::Output;
use crate::records::{alone, tell};
use crate::scene_drive::with_scene;
use crate::scenes::{dem_near_pair, dem_scene};
use crate::scratch::Scratch;

sections! {
    struct Spheres<'s>(bodies: u64) {
        at: [[f64; 3]; bodies],
        reach: [f64; bodies],
    }
}

/// Computes a sphere around each body with its halo, without a margin.
///
/// Outputs: `centres`: three numbers for each body, in units of length; `radii`: one for each. `DEM_F64` or `DEM_F32`, which rounds; either may be
/// null or without data. For an unbounded body (a half-space, a compound with a half-space), the centre is the origin and the radius is infinite.
/// Inputs: `scene`: not changed. `query`: bodies. `scratch`, `scratch_size`: at any alignment.
/// Memory: outputs must not overlap the arrays of bodies, scene and scratch; they may lie side by side in a struct of the program's.
/// Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_CAPACITY` about `centres` and `radii`; `DEM_ERROR_OUT_OF_RANGE`: types.
/// Cost: some nanoseconds a body, and each part of a compound.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_bounds(
    scene: *mut dem_scene,
    centres: *const dem_output,
    radii: *const dem_output,
    query: *const dem_scene_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let query = Query::read(query)?;
            let count = query.raw.positions.count;
            let out = |to: *const dem_output, components, what| -> Result<Option<Output>> {
                match to.is_null() {
                    true => Ok(None),
                    false => Output::new(edge::read(to, what)?, components, count, &[DEM_F32, DEM_F64], what),
                }
            };
            let (centres, radii) = (out(centres, 3, What::Centres)?, out(radii, 1, What::Radii)?);
            let written = |memory: &[(blocks::Stretch, What)]| {
                let outputs = [(&centres, What::Centres), (&radii, What::Radii)];
                let mut outputs = outputs.iter().filter_map(|(out, what)| Some((out.as_ref()?.bytes(), *what)));
                outputs.try_for_each(|(bytes, what)| {
                    query.apart_from(&[(bytes, what)])?;
                    memory.iter().try_for_each(|(other, _)| blocks::apart(bytes, *other, what))
                })
            };
            with_scene(scene, &query, written, (Scratch::new(scratch, scratch_size), scratch_size), false, |step| {
                let Spheres { at, reach } = Spheres::new(step.scratch, step.bodies.len() as u64)?;
                bounding_spheres(step.host, step.bodies, at, reach)?;
                if let Some(centres) = &centres {
                    at.iter().enumerate().for_each(|(i, centre)| centres.set(i, *centre));
                }
                if let Some(radii) = &radii {
                    reach.iter().enumerate().for_each(|(i, radius)| radii.real(i, 0, *radius));
                }
                Ok(())
            })
        }
    })
}

/// Lists the pairs of bodies for which `dem_scene_find` computes contacts: `motions`, `groups` and `masks` allow them, and their bounds meet.
/// `dem_scene_find_pairs` takes such a list, whole or in part.
///
/// Outputs: `pairs` (may be null if `capacity` is 0): packed, ordered by ids, then by shift. `a` is the body with the smaller id. `count` (may be
/// null): how many there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `scene`: neither the committed step nor the last trial changes. `query`: bodies. `scratch`, `scratch_size`: at any
/// alignment.
/// Memory: pairs, scratch and scene must not overlap each other nor anything else.
/// Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_CAPACITY` about `output`, with the exact number.
/// Cost: some hundred nanoseconds a body; some ten while a neighbour list with a `skin` is used again.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: as for `dem_scene_find`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_candidates(
    scene: *mut dem_scene,
    pairs: *mut dem_near_pair,
    capacity: usize,
    count: *mut usize,
    query: *const dem_scene_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = || unsafe {
            let query = Query::read(query)?;
            let pairs = alone(pairs.cast::<Candidate>(), capacity, What::Output)?;
            let bytes = (pairs.as_ptr().cast(), size_of_val(pairs));
            let written = |memory: &[(blocks::Stretch, What)]| {
                query.apart_from(&[(bytes, What::Output)])?;
                memory.iter().try_for_each(|(other, _)| blocks::apart(bytes, *other, What::Output))
            };
            with_scene(scene, &query, written, (Scratch::new(scratch, scratch_size), scratch_size), false, |step| {
                step.scene.candidates(step.host, step.isa, step.bodies, step.settings, pairs, step.scratch)
            })
        };
        // SAFETY: likewise.
        unsafe { tell(count, found(), What::Output) }
    })
}
