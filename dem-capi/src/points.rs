//! Points and a shape.
//!
//! For many points: the distance from a shape, the closest point, and the side of the surface. Immersed boundary codes need this in every
//! step. Points and results are arrays of the program, read and written in place. Distances are to the surface, in world coordinates,
//! without halos.

use core::ffi::c_void;

use dem_core::array::Array;
use dem_core::error::{Error, Kind, What};
use dem_core::narrow::{self, PointOnMesh};

use crate::arrays::{DEM_F32, DEM_F64, NO_ARRAY, dem_array, dem_output};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::memory::Scratch;
use crate::outputs::Output;
use crate::placed::{IDENTITY, dem_pose};
use crate::shapes::dem_shape;
use crate::triangles::UNWANTED;
use run::{BLOCK, Many, Results, with};

/// On the side to which the triangles' normals point.
pub const DEM_SIDE_OUTSIDE: u32 = 0;
/// On the other side.
pub const DEM_SIDE_INSIDE: u32 = 1;
/// Exactly on the surface.
pub const DEM_SIDE_SURFACE: u32 = 2;
/// Farther away than the bound.
pub const DEM_SIDE_BEYOND: u32 = 3;

/// The closest edge does not have exactly two triangles (or is an edge of a copy of an earlier triangle).
pub const DEM_DOUBT_OPEN: u32 = 1;
/// Two neighbouring triangles there are oriented to different sides.
pub const DEM_DOUBT_INCONSISTENT: u32 = 2;
/// A triangle there has no area.
pub const DEM_DOUBT_DEGENERATE: u32 = 4;
/// Parts of the surface touch at the closest vertex.
pub const DEM_DOUBT_TOUCHING: u32 = 8;
/// The surface there is too sharp for a decision.
pub const DEM_DOUBT_SHARP: u32 = 16;
/// The point is 2^24 radii of the mesh away, so that all of the mesh is equally far. The guess is outside.
pub const DEM_DOUBT_FAR: u32 = 32;
/// The winding number is not near 0 or 1, or does not agree with the side that is reported (above or below 1/2). Parts of the surface
/// overlap or are flipped, or the surface there is only a sheet.
pub const DEM_DOUBT_WINDING: u32 = 64;

/// Points, a shape and its pose.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_point_query {
    /// `sizeof(dem_point_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// The shape.
    pub shape: *const dem_shape,
    /// 0.
    pub reserved: usize,
    /// Pose of the shape; the identity by default.
    pub pose: dem_pose,
    /// Points farther than this get `DEM_SIDE_BEYOND`, which costs less; not negative, infinite by default. Set it to the width of the band
    /// of interest.
    pub bound: f64,
    /// The points, in world coordinates: three numbers an item.
    pub points: dem_array,
}

// With the reserved word there is no padding where a word has 4 bytes, nor where it has 8.
fixed!(dem_point_query {
    struct_size: u32,
    isa: u32,
    shape: *const dem_shape,
    reserved: usize,
    pose: dem_pose,
    bound: f64,
    points: dem_array,
});

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_point_query {
    const DEFAULT: Self = dem_point_query {
        struct_size: size_of::<dem_point_query>() as u32,
        isa: DEM_ISA_BEST,
        shape: core::ptr::null(),
        reserved: 0,
        pose: IDENTITY,
        bound: f64::INFINITY,
        points: NO_ARRAY,
    };
}

/// Output arrays: item i belongs to point i. Arrays that are not needed have null data; after `dem_point_results_default` all have.
/// Integers are of type `DEM_I32` or `DEM_U32`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_point_results {
    /// `sizeof(dem_point_results)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The closest triangle; if several are equally close, the one with the smallest number; `DEM_NO_ID` beyond the bound: one integer.
    pub triangle: dem_output,
    /// `DEM_FEATURE_*`: the feature of this triangle that contains the closest point; 0 beyond the bound: one integer.
    pub feature: dem_output,
    /// `DEM_SIDE_*`: one integer.
    pub side: dem_output,
    /// 0 if the side is certain; else bits `DEM_DOUBT_*`: why it is a guess. All bits but `DEM_DOUBT_FAR` and `DEM_DOUBT_WINDING` are about
    /// the closest part of the surface: one integer.
    pub doubt: dem_output,
    /// Distance from the surface, exactly 0 on it and only there; infinite beyond the bound: one number.
    pub distance: dem_output,
    /// The same, negative inside: one number.
    pub signed_distance: dem_output,
    /// The closest point of the surface, in world coordinates; zeros beyond the bound: three numbers.
    pub point: dem_output,
    /// The unit direction, in world axes, in which the signed distance grows; on the surface the normal there. Zeros if there is none
    /// (beyond the bound; on a degenerate triangle): three numbers.
    pub normal: dem_output,
}

fixed!(dem_point_results {
    struct_size: u32,
    reserved: u32,
    triangle: dem_output,
    feature: dem_output,
    side: dem_output,
    doubt: dem_output,
    distance: dem_output,
    signed_distance: dem_output,
    point: dem_output,
    normal: dem_output,
});

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_point_results {
    const DEFAULT: Self = dem_point_results {
        struct_size: size_of::<dem_point_results>() as u32,
        reserved: 0,
        triangle: UNWANTED,
        feature: UNWANTED,
        side: UNWANTED,
        doubt: UNWANTED,
        distance: UNWANTED,
        signed_distance: UNWANTED,
        point: UNWANTED,
        normal: UNWANTED,
    };
}

/// For each point the closest point of a shape, distance, signed distance and side.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
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
                // With enough scratch, points that are near each other go down the tree together.
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

/// Generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013): how often the surface of a shape goes around each point.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
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

mod run;

#[cfg(test)]
mod tests;
