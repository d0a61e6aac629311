//! Which triangles are in contact.
//!
//! These functions decide whether pairs of triangles are within a threshold. A few sweeps of a minimisation decide most pairs. The exact
//! kernel, that of `dem_triangle_distance`, decides the rest. By default the results are proved: they follow from bounds of the distance
//! that hold despite rounding. To reproduce the tables of the papers that proposed this, choose their search; it misses contacts.
//! (P0: Noble and Weinzierl, A multiresolution Discrete Element Method for triangulated objects with implicit time stepping, Algorithm 3.1;
//! P4: Krestenitis, Weinzierl and Koziara, A fast triangle-based discrete element code, section 4.) The exact kernel of this library is
//! about as fast, so use it if distances are needed, too.

mod run;
mod structs;

use dem_core::error::What;
use dem_core::published::triangle::Iterative;

use crate::arrays::dem_indices;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::triangles::Pairs;
use crate::triangles::dem_triangles;
use run::{Parameters, Results, run};
pub use structs::*;

/// Fills `options` for P0 Algorithm 3.1 as printed: the result of the search is used if it ends, and the exact kernel decides the rest. Use
/// it only to reproduce the papers' tables: as many of its contacts are wrong as right.
///
/// Outputs: `options`.
/// Inputs: `struct_size`: `sizeof(dem_contact_options)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_options_paper(options: *mut dem_contact_options, struct_size: usize) -> i32 {
    let paper = dem_contact_options::of(Iterative::PAPER, 0);
    // SAFETY: the caller guarantees `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill_with(options, struct_size, paper, What::Options) })
}

/// Decides which pairs of triangles are within their thresholds.
///
/// Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. With the default options, a pair is in contact
/// if and only if the distance that `dem_triangle_distance` computes is at most its threshold; ties count. With `DEM_CRITERION_CERTIFIED`
/// and no fallback, each decision is right, and the other pairs are `DEM_VERDICT_UNRESOLVED`.
///
/// Outputs: `results`: in each array that is not null, as many items as there are pairs. The arrays may lie between the inputs (in the same
/// structs) but must not overlap them. `statistics` (may be null): how often each kernel was used; the function writes `statistics_size`
/// bytes, at most `sizeof(dem_contact_statistics)`.
/// Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the defaults, with a
/// threshold of 0).
/// Errors: those of `dem_triangle_distance`; about `thresholds`: `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` with the pair,
/// `DEM_ERROR_CAPACITY`: fewer than pairs; `DEM_ERROR_OUT_OF_RANGE` about a field of `options`.
/// Cost: about 40 ns a pair in single precision, 50 ns in double, and as much again for each pair that the exact kernel computes.
/// Determinism: the same bits for every instruction set, and for a pair alone or among others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_triangle_contacts(
    results: *const dem_contact_results,
    statistics: *mut dem_contact_statistics,
    statistics_size: usize,
    a: *const dem_triangles,
    b: *const dem_triangles,
    pairs: *const dem_indices,
    options: *const dem_contact_options,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let (from, to, options) = unsafe {
            let options = inputs::read(options, What::Options)?;
            let from = Pairs::new(a, b, pairs)?;
            let to = Results::new(results, from.len())?;
            (from, to, Parameters::new(options, from.len())?)
        };
        let single = from.is_single(options.precision)?;
        let found = if single { run::<f32>(&options, &from, &to) } else { run::<f64>(&options, &from, &to) }?;
        if statistics.is_null() {
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { inputs::write_record(statistics, statistics_size, &found, What::Output) }
    })
}

#[cfg(test)]
mod tests;
