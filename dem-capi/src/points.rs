//! Points and a shape.
//!
//! For many points: the distance from a shape, the closest point, and the side of the surface. Immersed boundary codes need this in every
//! step. Points and results are arrays of the program, read and written in place. Distances are to the surface, in world coordinates,
//! without halos.

mod run;
mod structs;

use core::ffi::c_void;

use dem_core::array::Array;
use dem_core::error::{Error, Kind, What};
use dem_core::narrow::{self, PointOnMesh};

use crate::arrays::{DEM_F32, DEM_F64, dem_output};
use crate::edge;
use crate::errors::dem_error;
use crate::memory::Scratch;
use crate::outputs::Output;
use run::{BLOCK, Many, Results, with};
pub use structs::*;

/// Finds for each point the closest point of a shape, distance, signed distance and side.
///
/// The side follows from the generalised winding number (`dem_point_winding`): inside above 1/2. On a closed surface this number is an
/// integer, and computed exactly; crossing parts, copies, flipped triangles and fins do no harm. If the surface is open and the number is
/// within 1/4 of 1/2, the closest part of the surface decides. Then `doubt` tells if the two differ. If there are more than 4,096 open
/// sides, the closest part decides, always with doubt.
/// A side of a triangle is open if no neighbour runs along it in the other direction. If a shape is turned inside out, its sides are
/// exchanged.
///
/// Outputs: `results`: in each array that is not null, as many items as there are points. The arrays may lie between the points (in the
/// same structs) but must not overlap them.
/// Inputs: `query`: shape, pose, points and bound. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch and results must not overlap each other nor the shape.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY`: scratch, or a result without room for all points; `DEM_ERROR_MISALIGNED`,
/// `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_NOT_FINITE`: a point and its component, the pose, or
/// a bound that is NaN; `DEM_ERROR_OUT_OF_RANGE`: a point 2^1000 or more away from the body, the pose, the bound, a type;
/// `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. After an error nothing is written.
/// Cost: 1 to 7 microseconds a point on a shape of some thousand to twenty thousand triangles. A call with tens of thousands of points
/// takes a quarter less for each. An open shape adds a nanosecond for each open side. A bound that ends searches early saves time.
/// Threads: any number at a time, on the same shape, each with results and scratch of its own.
/// Determinism: the same bits on every machine, with every instruction set, and for a point alone or among others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_point_distance(
    results: *const dem_point_results,
    query: *const dem_point_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            with(query, |q| {
                let (results, memory) = (Results::new(results, q.points.len())?, Scratch::new(scratch, scratch_size));
                memory.apart(q.block.0, q.block.1)?;
                memory.apart_from(q.points.bytes())?;
                for to in results.outputs() {
                    memory.apart_from(to.bytes())?;
                    q.is_apart(to)?;
                }
                let (few, many) = (narrow::points_scratch(&q.operand)?, Many::layout(&q.operand, q.points.len())?);
                // With enough scratch, points that are near each other traverse the tree together.
                if q.points.len() >= BLOCK && (memory.holds(many) || !memory.holds(few)) {
                    let Many { points, found, rest } = Many::new(memory.take(many)?, &q.operand, q.points.len())?;
                    q.check()?;
                    return q.each_block(points, |first, points| {
                        let found = &mut found[..points.len()];
                        narrow::many_points(q.isa, &q.operand, Array::from_f64(points), q.bound, found, rest)?;
                        found.iter().enumerate().for_each(|(i, point)| results.put(first + i, point));
                        Ok(())
                    });
                }
                let bytes = memory.take(few)?;
                q.check()?;
                q.each_block(&mut [[0.0; 3]; BLOCK], |first, points| {
                    let mut found = [PointOnMesh::default(); BLOCK];
                    let found = &mut found[..points.len()];
                    narrow::points(q.isa, &q.operand, Array::from_f64(points), q.bound, found, bytes)?;
                    found.iter().enumerate().for_each(|(i, point)| results.put(first + i, point));
                    Ok(())
                })
            })
        }
    })
}

/// Computes generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013): how often the surface of a shape goes around each point.
///
/// Up to rounding, the number is 1 inside and 0 outside of a closed surface that looks outward. If parts overlap, their numbers add. With
/// holes and flipped triangles it varies smoothly, and above 0.5 is the best definition of inside.
///
/// Outputs: `numbers`: one number a point; the array may lie between the points but must not overlap them.
/// Inputs: `query`: shape, pose and points.
/// Memory: `numbers` must not overlap the shape.
/// Errors: those of `dem_point_distance`, without bound and scratch.
/// Cost: about 30 ns for each triangle and point. Use it for the few points with a `doubt`.
/// Threads: as for `dem_point_distance`.
/// Determinism: the same bits on every machine, and for a point alone or among others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_point_winding(
    numbers: *const dem_output,
    query: *const dem_point_query,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let to = edge::read(numbers, What::Winding)?;
            with(query, |q| {
                let to = Output::new(to, 1, q.points.len(), &[DEM_F32, DEM_F64], What::Winding)?;
                let Some(to) = to else { return Err(Error::new(Kind::Null, What::Winding)) };
                q.is_apart(&to)?;
                q.check()?;
                q.each_block(&mut [[0.0; 3]; BLOCK], |first, points| {
                    let mut found = [0.0; BLOCK];
                    let found = &mut found[..points.len()];
                    narrow::winding_numbers(&q.operand, Array::from_f64(points), found)?;
                    found.iter().enumerate().for_each(|(i, x)| to.real(first + i, 0, *x));
                    Ok(())
                })
            })
        }
    })
}

#[cfg(test)]
mod tests;
