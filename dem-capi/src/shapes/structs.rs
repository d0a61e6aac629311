//! Constants and structs of shapes.

use crate::arrays::{DEM_F64, DEM_U32, NO_ARRAY, dem_array, dem_indices};
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;

/// `dem_shape_desc.preset`: the tree is built quickly, and queries are a little slower.
pub const DEM_PRESET_FAST: u32 = 1;
/// `dem_shape_desc.preset`, the default: a short search for good surrogates.
pub const DEM_PRESET_DEFAULT: u32 = 2;
/// `dem_shape_desc.preset`: a long search, for shapes that are built once and used for long.
pub const DEM_PRESET_BEST: u32 = 3;

/// `dem_shape_desc.law` is not a force law: it tells how area, gap and normal of contacts are measured. This one: the law of facing. Faces that look
/// at the other body are pushed along the normals of its cells. This law also supports thin plates, sheets and bad meshes, but a closed path may gain
/// or lose some energy. A pair of bodies has this law if one of them is built for it.
pub const DEM_LAW_FACING: u32 = 0;
/// `dem_shape_desc.law`: the law of volumes. The force is the gradient of an energy, so an undamped body keeps its energy, and a flat wall pushes
/// only along its normal. Bodies should be closed and thicker than the halos of both. A pair of bodies has this law if both are built for it; balls,
/// capsules and half-spaces take the law of the other body. Add up all contacts of a body pair: one patch by itself may push sideways.
pub const DEM_LAW_VOLUME: u32 = 1;
/// `dem_shape_desc.law`, the default: `DEM_LAW_VOLUME` if the mesh is suited, otherwise `DEM_LAW_FACING`; `dem_shape_describe` tells which.
/// Suited are closed surfaces whose parts do not lie in each other, and rooms: closed surfaces all of which look inward. Their mean thickness (the
/// volume over half of the area) must be at least four of their halos. Suited are also open surfaces that face about one direction, if no edge has
/// three triangles, or two that do not agree on the outside. A refit keeps the choice.
pub const DEM_LAW_AUTO: u32 = 2;

/// The number that stands for no triangle or no vertex.
pub const DEM_NO_ID: u32 = 4294967295;

/// A part of a triangle: its vertex 0.
pub const DEM_FEATURE_VERTEX_0: u32 = 0;
/// Vertex 1.
pub const DEM_FEATURE_VERTEX_1: u32 = 1;
/// Vertex 2.
pub const DEM_FEATURE_VERTEX_2: u32 = 2;
/// The edge from vertex 0 to vertex 1.
pub const DEM_FEATURE_EDGE_0: u32 = 3;
/// The edge from vertex 1 to vertex 2.
pub const DEM_FEATURE_EDGE_1: u32 = 4;
/// The edge from vertex 2 to vertex 0.
pub const DEM_FEATURE_EDGE_2: u32 = 5;
/// The inside of the triangle.
pub const DEM_FEATURE_FACE: u32 = 6;

/// A shape: the address of its block.
pub struct dem_shape {
    _block: [u8; 0],
}

/// The input for building a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_shape_desc {
    /// `sizeof(dem_shape_desc)`.
    pub struct_size: u32,
    /// 1, the default: with cells, which contacts need. 0: without cells, for queries of distances and pairs of triangles. Such a shape is built four
    /// times as quickly and takes a fifth of the memory.
    pub cells: u32,
    /// Positions: three numbers an item, in the frame of the body. All must be finite, including vertices that no triangle uses.
    pub vertices: dem_array,
    /// The three corners of each triangle, counter-clockwise seen from outside. Null data, the default: vertices 3 i, 3 i + 1 and 3 i + 2 are triangle i.
    /// No triangle is dropped, however bad, and triangle i of the shape is item i.
    pub triangles: dem_indices,
    /// A halo for each triangle: one number an item, finite and not negative. Null data, the default: all have `halo`.
    pub halos: dem_array,
    /// The halo of all triangles, finite and not negative; 0 by default.
    pub halo: f64,
    /// How coordinates are stored: `DEM_F64`, the default, or `DEM_F32`, which rounds coordinates and needs half the memory. All results are then
    /// those of the rounded mesh.
    pub stored: u32,
    /// `DEM_PRESET_*`: the effort of building the tree.
    pub preset: u32,
    /// Children of a node of the tree, 2 to 64; 4 by default.
    pub fan_out: u32,
    /// Triangles of a leaf of the tree, 1 to 64; 4 by default.
    pub leaf: u32,
    /// One of `DEM_ISA_*`, for building; the shape does not depend on it.
    pub isa: u32,
    /// The law for which cells are built: `DEM_LAW_AUTO`, the default, `DEM_LAW_VOLUME` or `DEM_LAW_FACING`. Only for cells.
    pub law: u32,
    /// A triangle joins a patch if its corners are no farther than this from the plane of the patch, in radii of the shape;
    /// finite and not negative. By default 2^-20, about ten times the rounding of a float. Only for cells.
    pub flat: f64,
    /// The width of a chart, which is a part of the surface that faces about one direction. A patch joins a chart if its normal is within half of
    /// this angle from that of the chart's first and largest patch. In radians, 0 to pi; pi/4 by default. Only for cells.
    pub angle: f64,
}

fixed!(dem_shape_desc {
    struct_size: u32,
    cells: u32,
    vertices: dem_array,
    triangles: dem_indices,
    halos: dem_array,
    halo: f64,
    stored: u32,
    preset: u32,
    fan_out: u32,
    leaf: u32,
    isa: u32,
    law: u32,
    flat: f64,
    angle: f64,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_shape_desc {
    const DEFAULT: Self = dem_shape_desc {
        struct_size: size_of::<dem_shape_desc>() as u32,
        cells: 1,
        vertices: NO_ARRAY,
        triangles: dem_indices {
            data: core::ptr::null(),
            count: 0,
            stride: 0,
            component_stride: 0,
            r#type: DEM_U32,
            base: 0,
        },
        halos: NO_ARRAY,
        halo: 0.0,
        stored: DEM_F64,
        preset: DEM_PRESET_DEFAULT,
        fan_out: 4,
        leaf: 4,
        isa: DEM_ISA_BEST,
        law: DEM_LAW_AUTO,
        flat: 1.0 / (1 << 20) as f64,
        angle: core::f64::consts::FRAC_PI_4,
    };
}

/// Properties of a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct dem_shape_info {
    /// Number of triangles.
    pub triangles: u32,
    /// Number of vertices from which it was built.
    pub vertices: u32,
    /// `DEM_F32` or `DEM_F64`: how coordinates are stored.
    pub stored: u32,
    /// Levels of the tree.
    pub depth: u32,
    /// The middle of the bounding box.
    pub centre: [f64; 3],
    /// Radius of the ball about this middle that contains every vertex of a triangle, without halos.
    pub radius: f64,
    /// The largest halo of a triangle.
    pub halo: f64,
    /// A hash of the content, the same on every machine.
    pub identity: u64,
    /// Bytes of the block that hold the shape: copy or store this many bytes.
    pub size: u64,
    /// Number of cells; 0 for a shape without cells.
    pub cells: u32,
    /// `DEM_LAW_FACING` or `DEM_LAW_VOLUME`: with `DEM_LAW_AUTO`, the law that was chosen. 0 without cells.
    pub law: u32,
}

fixed!(dem_shape_info {
    triangles: u32,
    vertices: u32,
    stored: u32,
    depth: u32,
    centre: [f64; 3],
    radius: f64,
    halo: f64,
    identity: u64,
    size: u64,
    cells: u32,
    law: u32,
});
