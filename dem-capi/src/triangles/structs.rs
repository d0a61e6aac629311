//! Constants and structs of distances of triangles.

use core::ffi::c_void;

use crate::arrays::{UNWANTED, dem_output};
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;

/// Input triangles: component c of vertex k of triangle i lies at byte `i * stride + k * vertex_stride + c * component_stride` after `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_triangles {
    /// The first number, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of triangles.
    pub count: usize,
    /// Bytes from one triangle to the next; 0: three times `vertex_stride`.
    pub stride: usize,
    /// Bytes from one vertex to the next; 0: three times `component_stride`.
    pub vertex_stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// `DEM_F32` or `DEM_F64`.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

// Five words and two numbers of 32 bits: no padding on machines with words of 4 or of 8 bytes.
fixed!(dem_triangles {
    data: *const c_void,
    count: usize,
    stride: usize,
    vertex_stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});

/// Output arrays: item i belongs to pair i. Arrays that are not needed have null data; after `dem_closest_points_default` all have.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_closest_points {
    /// `sizeof(dem_closest_points)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The distance: one number.
    pub distance: dem_output,
    /// The closest point on A: three numbers.
    pub point_a: dem_output,
    /// The closest point on B: three numbers.
    pub point_b: dem_output,
    /// Barycentric coordinates of the point on A: the weights of its three vertices, which sum to 1.
    pub weights_a: dem_output,
    /// The same on B.
    pub weights_b: dem_output,
    /// The features of A and of B that contain the points: two integers `DEM_FEATURE_*`, of type `DEM_I32` or `DEM_U32`.
    pub features: dem_output,
}

fixed!(dem_closest_points {
    struct_size: u32,
    reserved: u32,
    distance: dem_output,
    point_a: dem_output,
    point_b: dem_output,
    weights_a: dem_output,
    weights_b: dem_output,
    features: dem_output,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_closest_points {
    const DEFAULT: Self = dem_closest_points {
        struct_size: size_of::<dem_closest_points>() as u32,
        reserved: 0,
        distance: UNWANTED,
        point_a: UNWANTED,
        point_b: UNWANTED,
        weights_a: UNWANTED,
        weights_b: UNWANTED,
        features: UNWANTED,
    };
}

/// Options for pairs of triangles.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_triangle_options {
    /// `sizeof(dem_triangle_options)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// Precision of the computation: `DEM_F32` or `DEM_F64`; 0, the default: `DEM_F32` if both arrays of triangles are, else `DEM_F64`.
    pub precision: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_triangle_options { struct_size: u32, isa: u32, precision: u32, reserved: u32 });

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_triangle_options {
    const DEFAULT: Self = dem_triangle_options {
        struct_size: size_of::<dem_triangle_options>() as u32,
        isa: DEM_ISA_BEST,
        precision: 0,
        reserved: 0,
    };
}
