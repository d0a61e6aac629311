//! Points and a shape.
//!
//! How far many points are from a shape, where it is closest, and on which side of it they are: what immersed boundary codes
//! ask in every step. Points and results are arrays of the host, read and written in place. Distances are to the surface,
//! in world coordinates; halos play no part.

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

/// An edge there has not exactly two triangles (or is of a copy of an earlier triangle).
pub const DEM_DOUBT_OPEN: u32 = 1;
/// Two neighbours there look to different sides.
pub const DEM_DOUBT_INCONSISTENT: u32 = 2;
/// A triangle there has no area.
pub const DEM_DOUBT_DEGENERATE: u32 = 4;
/// Parts of the surface touch in that vertex.
pub const DEM_DOUBT_TOUCHING: u32 = 8;
/// The surface is too sharp there to tell.
pub const DEM_DOUBT_SHARP: u32 = 16;
/// The point is 2^24 radii of the mesh away, where all of it is equally far. The guess is outside.
pub const DEM_DOUBT_FAR: u32 = 32;
/// The winding number is not near 0 or 1, or is on the other side of 1/2 than the side that is told: parts of the surface
/// overlap or are flipped, or it is no more than a sheet there.
pub const DEM_DOUBT_WINDING: u32 = 64;

/// Points, and a shape and where it is.
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
    /// Where it is; the identity by default.
    pub pose: dem_pose,
    /// Points farther than this are told as beyond, which costs less; not negative, infinite by default. Give the width of
    /// the band that is of interest.
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

/// Where results go: item i belongs to point i. What is not wanted has null data, as everything has after
/// `dem_point_results_default`. Integers are of type `DEM_I32` or `DEM_U32`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_point_results {
    /// `sizeof(dem_point_results)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The closest triangle, the one with the smallest number where several are equally close; `DEM_NO_ID` beyond the
    /// bound: one integer.
    pub triangle: dem_output,
    /// `DEM_FEATURE_*`: what part of it the closest point lies on; 0 beyond the bound: one integer.
    pub feature: dem_output,
    /// `DEM_SIDE_*`: one integer.
    pub side: dem_output,
    /// 0 where the side is certain; else bits `DEM_DOUBT_*`: why it is a guess. All but `DEM_DOUBT_FAR` and
    /// `DEM_DOUBT_WINDING` speak of the closest part of the surface: one integer.
    pub doubt: dem_output,
    /// Distance from the surface, exactly 0 on it and only there; infinite beyond the bound: one number.
    pub distance: dem_output,
    /// The same, negative inside: one number.
    pub signed_distance: dem_output,
    /// The closest point of the surface, in world coordinates; zeros beyond the bound: three numbers.
    pub point: dem_output,
    /// The unit direction, in world axes, in which the signed distance grows; on the surface its normal there. Zeros where
    /// there is none (beyond the bound; on a degenerate triangle): three numbers.
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
/// The side is that of the generalised winding number (`dem_point_winding`): inside above 1/2. On a closed surface that is an
/// integer, and found exactly; crossing parts, copies, flipped triangles and fins do no harm. Where the surface is open and the
/// number within 1/4 of 1/2, the closest part of the surface tells, and `doubt` says where the two differ. With more than 4,096
/// open sides the closest part tells, always in doubt. A side of a triangle is open where no neighbour runs along it in the other
/// direction. A shape turned inside out has its sides exchanged.
///
/// Outputs: `results`: as many items as there are points in each array that is wanted. The arrays may lie between the points
/// (in the same structs) but must not overlap them.
/// Inputs: `query`: shape, pose, points and bound. `scratch`, `scratch_size`: at any
/// alignment.
/// Memory: scratch and results must not overlap each other nor the shape.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY`: scratch, or a result without room for all points; `DEM_ERROR_MISALIGNED`,
/// `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_NOT_FINITE`: a point and its
/// component, the pose, or a bound that is NaN; `DEM_ERROR_OUT_OF_RANGE`: a point 2^1000 or more away from the body, the pose,
/// the bound, a type;
/// `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. Nothing is then written.
/// Cost: 1 to 7 microseconds a point on a shape of some thousand to twenty thousand triangles, and a quarter less where one call has tens of thousands; on an open shape a
/// nanosecond more for each open side. A bound that spares the search makes it less.
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

/// How often the surface of a shape goes around each point: generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung
/// 2013). 1 inside and 0 outside of a closed surface that looks outward, up to rounding; where parts overlap they add up;
/// with holes and flipped triangles it varies smoothly, and above 0.5 is the best meaning that inside has.
///
/// Outputs: `numbers`: one number a point; the array may lie between the points but must not overlap them.
/// Inputs: `query`: shape, pose and points.
/// Memory: `numbers` must not overlap the shape.
/// Errors: those of `dem_point_distance`, without bound and scratch.
/// Cost: about 30 ns for each triangle and point: for the few points that `doubt` marks.
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
