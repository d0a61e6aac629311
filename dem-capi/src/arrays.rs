//! Arrays.

use core::ffi::c_void;

use crate::layouts::fixed;

/// `float`.
pub const DEM_F32: u32 = 1;
/// `double`.
pub const DEM_F64: u32 = 2;
/// `int32_t`.
pub const DEM_I32: u32 = 3;
/// `uint32_t`.
pub const DEM_U32: u32 = 4;
/// `uint64_t`.
pub const DEM_U64: u32 = 5;

/// Input items of one, three or more numbers: component c of item i lies at byte `i * stride + c * component_stride` after `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_array {
    /// The first number, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of items: eight points are 8 items of three numbers each, and not 24.
    pub count: usize,
    /// Bytes from one item to the next; 0: the items are packed. If components are packed, the stride is at least the size of an item.
    pub stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// `DEM_F32` or `DEM_F64`; `DEM_U32` or `DEM_I32` for flags and indices; `DEM_U64` for ids.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_array {
    data: *const c_void,
    count: usize,
    stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});

/// An input array without data.
pub(crate) const NO_ARRAY: dem_array =
    dem_array { data: core::ptr::null(), count: 0, stride: 0, component_stride: 0, r#type: DEM_F64, reserved: 0 };

/// An input array of integers without data.
pub(crate) const NO_WORDS: dem_array = dem_array { r#type: DEM_U32, ..NO_ARRAY };

/// Output items, laid out as in `dem_array`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_output {
    /// The first number, at any alignment; null: this output is not needed.
    pub data: *mut c_void,
    /// Number of items for which there is room.
    pub count: usize,
    /// Bytes from one item to the next; 0: the items are packed. If components are packed, the stride is at least the size of an item, because items
    /// would otherwise overwrite each other.
    pub stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// Number type of the items; the function tells which types it accepts.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_output {
    data: *mut c_void,
    count: usize,
    stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});

/// An output array without data: the program does not need it.
pub(crate) const UNWANTED: dem_output =
    dem_output { data: core::ptr::null_mut(), count: 0, stride: 0, component_stride: 0, r#type: 0, reserved: 0 };

/// Input items of two or three indices (triangles that form a pair, vertices of a triangle), laid out as in `dem_array`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_indices {
    /// The first index, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of items.
    pub count: usize,
    /// Bytes from one item to the next; 0: the items are packed.
    pub stride: usize,
    /// Bytes from one index of an item to the next; 0: they are packed.
    pub component_stride: usize,
    /// `DEM_I32` or `DEM_U32`; a negative index is refused, like one beyond the end.
    pub r#type: u32,
    /// The index of the first item: 0, or 1 as in Fortran. Indices in results always count from 0.
    pub base: u32,
}

fixed!(dem_indices {
    data: *const c_void,
    count: usize,
    stride: usize,
    component_stride: usize,
    r#type: u32,
    base: u32,
});
