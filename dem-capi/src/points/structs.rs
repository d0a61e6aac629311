//! Constants and structs of points and a shape.

use crate::arrays::{NO_ARRAY, UNWANTED, dem_array, dem_output};
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::placed::{IDENTITY, dem_pose};
use crate::shapes::dem_shape;

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

// The reserved word avoids padding on machines with words of 4 and of 8 bytes.
fixed!(dem_point_query {
    struct_size: u32,
    isa: u32,
    shape: *const dem_shape,
    reserved: usize,
    pose: dem_pose,
    bound: f64,
    points: dem_array,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
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
    /// The closest triangle; of several with the same computed distance, the one with the smallest number; `DEM_NO_ID` beyond the bound: one integer.
    /// If triangles meet in the closest point, it is any of these, since their distances differ by rounding.
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
    /// The distance from the surface, negative inside: one number.
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

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
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
