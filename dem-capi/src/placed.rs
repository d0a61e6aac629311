//! Bodies: spheres, capsules, half-spaces, meshes and compounds of these.
//!
//! A body is a `dem_placed`, with a scale and a pose. dem_placed_sphere, dem_placed_capsule, dem_placed_half_space,
//! dem_placed_mesh and dem_placed_compound fill it. In a scene, a `dem_placed` is a row of the table of shapes, and many bodies may use the same row.
//!
//! A contact of a sphere covers the part of the other surface within its radius plus the sum T of both halos. A sphere has one contact with a sphere,
//! with a half-space, and with each flat part of a mesh. Forces go through its centre. For spheres and for meshes, a flat wall of few or many
//! triangles gives the same forces as a half-space.
//!
//! Spheres and half-spaces may penetrate meshes and each other. Gaps are then negative, and forces grow further. A sphere is pushed out
//! of a mesh if its centre is outside; if the mesh is `solid`, it is also pushed out from inside. Behind a mesh that is not `solid`, a sphere
//! has a contact of area 0, whose normal points away from the back. There the pressure law gives no force, and the point law pushes the sphere
//! away.
//!
//! A capsule contains all points within its radius of a segment along the z axis of its frame, from `-half_length` to `half_length`. With a half
//! length of 0 it is a sphere. The rules for spheres hold for capsules, with the distance from the segment. A capsule that lies on a flat wall has
//! one contact with the wall, in the middle of the part that lies on it. Only friction turns a capsule about its axis. If an end of the segment is
//! inside a `solid` mesh, the end is pushed out. A capsule that passes all the way through has contacts with the surfaces only.
//!
//! A compound is a body of parts that move together and have no contacts with each other: a particle of overlapping spheres, or a mesh with a ball as
//! its head. The parts are an array of the program. Each part is described like a body, with its pose and scale in the frame of the compound. Every
//! call reads the parts. Bodies may share parts, and the program may change them from step to step.
//!
//! A compound of one part gives a mesh another frame than that of its vertices. Poses are then those of the compound's frame, and the part's
//! pose is the pose of the mesh in this frame. `part_pose` of `dem_mass` puts the centre of mass at the origin and the principal axes along the
//! axes of the frame. Contacts and keys are those of the mesh, up to rounding, and nothing is built twice. In the tables of shapes of scenes
//! and worlds, the `pose` of a shape does the same, without a compound.
use dem_core::contact::shape;
use dem_core::pose::Pose;

use crate::inputs::Input;
use crate::layouts::fixed;
use crate::shapes::dem_shape;

/// Position and orientation of a body: world = rotation * local + position.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct dem_pose {
    /// The body's origin in world coordinates.
    pub position: [f64; 3],
    /// Its orientation as a quaternion x, y, z, w. Any finite one that is not zero is normalised.
    pub orientation: [f64; 4],
}

fixed!(dem_pose { position: [f64; 3], orientation: [f64; 4] });

impl Default for dem_pose {
    fn default() -> Self {
        IDENTITY
    }
}

impl From<Pose> for dem_pose {
    fn from(p: Pose) -> Self {
        dem_pose { position: p.position, orientation: p.orientation }
    }
}

impl From<dem_pose> for Pose {
    fn from(p: dem_pose) -> Pose {
        Pose { position: p.position, orientation: p.orientation }
    }
}

pub(crate) const IDENTITY: dem_pose = dem_pose { position: [0.0; 3], orientation: [0.0, 0.0, 0.0, 1.0] };

/// A ball about the origin of its frame; a point if its radius is 0.
pub const DEM_KIND_SPHERE: u32 = 1;
/// All points with z <= 0 in its frame.
pub const DEM_KIND_HALF_SPACE: u32 = 2;
/// A shape that has cells.
pub const DEM_KIND_MESH: u32 = 3;

/// Parts that move together: a `dem_compound`.
pub const DEM_KIND_COMPOUND: u32 = 4;

/// All points within a radius of a segment along the z axis, about the origin of its frame.
pub const DEM_KIND_CAPSULE: u32 = 5;

const _: () = assert!(
    DEM_KIND_SPHERE == shape::SPHERE
        && DEM_KIND_HALF_SPACE == shape::HALF_SPACE
        && DEM_KIND_MESH == shape::MESH
        && DEM_KIND_COMPOUND == shape::COMPOUND
        && DEM_KIND_CAPSULE == shape::CAPSULE
);

/// A body, or a part of one. `dem_placed_sphere` and the functions like it fill all fields. A struct of zeros is refused, as its scale is
/// 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_placed {
    /// `DEM_KIND_*`.
    pub kind: u32,
    /// 1: the inside of the mesh belongs to the body; the mesh should be closed, with normals that point outward. 0: the body is a surface.
    pub solid: u32,
    /// The mesh, built with cells, or the address of a `dem_compound`, as set by `dem_placed_compound`; ignored for other kinds.
    pub shape: *const dem_shape,
    /// 0.
    pub reserved: usize,
    /// Radius of a sphere or a capsule, finite and not negative.
    pub radius: f64,
    /// Halo of a sphere, a capsule or a half-space, finite and not negative. A mesh has that of its shape.
    pub halo: f64,
    /// All lengths of the body, including halos and positions of parts, are multiplied by this; finite and larger than 0. 1 changes nothing.
    pub scale: f64,
    /// Half of the length of a capsule's segment, without the half balls at its ends; finite and not negative. 0 for other kinds.
    pub half_length: f64,
    /// 0: reserved for lengths of later kinds.
    pub reserved_lengths: [f64; 2],
    /// The pose in the world or, for a part, in the frame of its compound.
    pub pose: dem_pose,
}

fixed!(dem_placed {
    kind: u32,
    solid: u32,
    shape: *const dem_shape,
    reserved: usize,
    radius: f64,
    halo: f64,
    scale: f64,
    half_length: f64,
    reserved_lengths: [f64; 2],
    pose: dem_pose,
});

/// A sphere of radius 0 at the origin.
pub(crate) const POINT: dem_placed = dem_placed {
    kind: DEM_KIND_SPHERE,
    solid: 0,
    shape: core::ptr::null(),
    reserved: 0,
    radius: 0.0,
    halo: 0.0,
    scale: 1.0,
    half_length: 0.0,
    reserved_lengths: [0.0; 2],
    pose: IDENTITY,
};

/// Parts that move together and have no contacts with each other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_compound {
    /// `sizeof(dem_compound)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The first part, at any alignment: a sphere, a capsule, a half-space or a mesh; a compound is no part. May be null if `count` is 0.
    pub parts: *const dem_placed,
    /// Number of parts; a compound without parts has no contacts.
    pub count: usize,
    /// Bytes from one part to the next; 0: the size in version 0.1.
    pub stride: usize,
}

fixed!(dem_compound {
    struct_size: u32,
    reserved: u32,
    parts: *const dem_placed,
    count: usize,
    stride: usize,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_compound {
    const DEFAULT: Self = dem_compound {
        struct_size: size_of::<dem_compound>() as u32,
        reserved: 0,
        parts: core::ptr::null(),
        count: 0,
        stride: 0,
    };
}
