//! Constants and structs of segments.

use core::ffi::c_void;

use crate::layouts::fixed;

/// Input segments: component c of end k of segment i lies at byte `i * stride + k * vertex_stride + c * component_stride` after `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_segments {
    /// The first number, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of segments.
    pub count: usize,
    /// Bytes from one segment to the next; 0: twice `vertex_stride`.
    pub stride: usize,
    /// Bytes from one end to the other; 0: three times `component_stride`.
    pub vertex_stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// `DEM_F32` or `DEM_F64`.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_segments {
    data: *const c_void,
    count: usize,
    stride: usize,
    vertex_stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});
