//! Contacts of spheres, capsules, half-spaces, meshes and rigid compounds of these. Each body has its own scale.
//!
//! `docs/contacts.md`, section "Shapes", has the laws, and explains why they are continuous.
//!
//! Example: a ball rests on the ground. (Only meshes need scratch and room.)
//!
//! ```
//! use dem_core::contact::shape::{Placed, Request, Shape, shape_contacts};
//! use dem_core::contact::{Contact, Room};
//! use dem_core::{exec::Serial, exec::Work, pose::Pose, simd::Isa};
//!
//! let above = Pose { position: [0.0, 0.0, 0.505], ..Pose::IDENTITY };
//! let ball = Placed { shape: Shape::Sphere { radius: 0.5, halo: 0.01 }, pose: &above, scale: 1.0 };
//! let ground = Placed { shape: Shape::HalfSpace { halo: 0.01 }, pose: &Pose::IDENTITY, scale: 1.0 };
//! let (mut contacts, room) = ([Contact::default()], Room { pairs: 0, terms: 0, segments: 0 });
//! let work = Work::new(&Serial, Isa::best(), &mut []);
//! let found = shape_contacts(work, &ball, &ground, &Request::new(0, room), &mut contacts, None)?;
//! let [c] = contacts;
//! let force = 1e6 * (1.0 - c.gap / c.halo) * c.area; // on the ball, along the normal, at the position
//! assert!(found.contacts == 1 && c.normal == [0.0, 0.0, 1.0] && force > 0.0);
//! # Ok::<(), dem_core::error::Error>(())
//! ```
//!
//! | file | what is in it |
//! | --- | --- |
//! | `dispatch` | the entry point: two bodies, part by part |
//! | `task`, `two_parts` | the data of a rule for two parts; scratch and units of two parts |
//! | `triangle_list` | lists of near triangles, for contacts at several poses |
//! | `site` | the parts of a body, relative to the midpoint of both bodies; checks |
//! | `writer` | output of contacts: keys, world coordinates, shares |
//! | `sphere_pair` | a sphere and a sphere or a half-space, by closed forms |
//! | `ball_parts` | two bodies of balls alone: which parts may touch |
//! | `sphere_mesh` | a sphere and a mesh |
//! | `defects` | status bits and limits of contacts of a bad mesh with a ball, a capsule or a half-space |
//! | `capsule_pair` | a capsule and a sphere, a capsule or a half-space |
//! | `capsule_mesh` | a capsule and a mesh |
//! | `capsule` | the integrals of a triangle in the reach of a capsule, and contacts from these |
//! | `face_moments` | second moments of the pressure of a ball or a capsule on faces |
//! | `polygon_in_cylinder` | the integrals of a polygon in a cylinder |
//! | `triangle_in_ball` | the integrals of a triangle in a ball |
//! | `half_space_mesh`, `half_space_volume` | a half-space and a mesh; the terms of the law of volumes |
//! | `half_space_sunk` | the force that pushes out a mesh that is completely below a half-space |
//! | `corner`, `pressure_weights` | corners of contacts of any two bodies; the parts of surfaces that contacts cover |
//! | `cones` | cones of a body's patches |
//! | `triangle_in_slab` | the integrals of a triangle between two heights |

mod ball_parts;
mod capsule;
mod capsule_mesh;
mod capsule_pair;
mod cones;
mod corner;
mod defects;
mod dispatch;
mod face_moments;
mod half_space_mesh;
mod half_space_sunk;
mod half_space_volume;
mod polygon_in_cylinder;
mod pressure_weights;
mod site;
mod sphere_energy;
mod sphere_mesh;
mod sphere_pair;
mod task;
mod triangle_in_ball;
mod triangle_in_slab;
mod triangle_list;
mod two_parts;
mod writer;

pub use cones::shape_cones;
pub(crate) use corner::pair_corners;
pub use corner::{shape_corners, shape_corners_scratch};
pub use dispatch::{Request, listed_contacts, shape_contacts, shape_scratch};
pub(crate) use dispatch::{known_contacts, most_nodes, part_scratch, with_nodes};
pub(crate) use pressure_weights::{Coverage, Covered, pair_cover};
pub(crate) use site::{Site, Sites, check as check_placed, check_shape};
pub(crate) use sphere_pair::Balls;
pub use triangle_list::{list_pairs, list_pairs_scratch};

use super::cells::CellsRef;
use crate::mesh::MeshRef;
use crate::pose::Pose;
use crate::surrogate::TreeRef;

/// [`Shape::kind`] of a sphere.
pub const SPHERE: u32 = 1;
/// [`Shape::kind`] of a half-space.
pub const HALF_SPACE: u32 = 2;
/// [`Shape::kind`] of a mesh.
pub const MESH: u32 = 3;
/// [`Shape::kind`] of a compound.
pub const COMPOUND: u32 = 4;

/// [`Shape::kind`] of a capsule.
pub const CAPSULE: u32 = 5;

/// The shape of a body in its own frame.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Shape<'a> {
    /// A ball about the origin. It has one feature, 0.
    Sphere {
        /// Radius; 0 makes the sphere a point.
        radius: f64,
        /// Thickness of the layer around the sphere in which other surfaces press on it.
        halo: f64,
    },
    /// All points with `z <= 0`. It has one feature, 0.
    HalfSpace {
        /// Thickness of the layer above the face in which other surfaces press on it.
        halo: f64,
    },
    /// A mesh; its triangles have the halos. Its features are its triangles; contacts name the first triangle of a patch.
    Mesh(&'a Surface<'a>),
    /// Parts that move together and have no contacts with each other. Its features are those of the first part, then
    /// those of the second part, and so on.
    Compound(&'a [Part<'a>]),
    /// All points within `radius` of the segment from `(0, 0, -half_length)` to `(0, 0, half_length)`: a cylinder between two half balls. It has
    /// one feature, 0. With a half length of 0 it is a ball.
    Capsule {
        /// Half of the length of the segment (the cylinder without the half balls).
        half_length: f64,
        /// Radius; 0 makes the capsule a segment.
        radius: f64,
        /// Thickness of the layer around the capsule in which other surfaces press on it.
        halo: f64,
    },
}

/// A mesh, with the tree and the cells that contacts need.
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    /// The mesh.
    pub mesh: MeshRef<'a>,
    /// Surrogate tree of the mesh.
    pub tree: TreeRef<'a>,
    /// Cells of the mesh.
    pub cells: CellsRef<'a>,
    /// Whether the enclosed volume belongs to the body. If so, the mesh should be closed and oriented outwards.
    pub solid: bool,
}

/// A part of a compound.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// A sphere, a half-space, a capsule or a mesh.
    pub shape: Shape<'a>,
    /// Pose of the part in the compound's frame, in unscaled units of the compound.
    pub pose: Pose,
    /// Factor for all lengths of the part's shape, its halo included.
    pub scale: f64,
}

/// A shape in the world: `world = R(orientation) * scale * local + position`.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// The shape.
    pub shape: Shape<'a>,
    /// Pose of the body.
    pub pose: &'a Pose,
    /// Factor for all lengths of the shape, halos included; larger than 0.
    pub scale: f64,
}

impl<'a> Shape<'a> {
    /// The kind of the shape: [`SPHERE`], [`HALF_SPACE`], [`MESH`], [`COMPOUND`] or [`CAPSULE`]. Numbers are never reused.
    pub const fn kind(&self) -> u32 {
        match self {
            Shape::Sphere { .. } => SPHERE,
            Shape::HalfSpace { .. } => HALF_SPACE,
            Shape::Mesh(_) => MESH,
            Shape::Compound(_) => COMPOUND,
            Shape::Capsule { .. } => CAPSULE,
        }
    }

    /// Whether the shape is a ball or a half-space.
    pub(crate) fn is_round(&self) -> bool {
        matches!(self, Shape::Sphere { .. } | Shape::HalfSpace { .. })
    }

    /// Whether the shape has one feature, and at most one contact with another such shape.
    pub(crate) fn is_simple(&self) -> bool {
        self.is_round() || matches!(self, Shape::Capsule { .. })
    }

    /// The part of a compound with one part, with its scale; any other shape itself, with 1.
    pub(crate) fn alone(&self) -> (Shape<'a>, f64) {
        match self {
            Shape::Compound([part]) => (part.shape, part.scale),
            _ => (*self, 1.0),
        }
    }

    /// Whether the shape is a compound.
    pub(super) fn is_compound(&self) -> bool {
        matches!(self, Shape::Compound(_))
    }

    /// Shapes for size queries: the shape itself; for a compound, the parts that may need more scratch than the parts before them, and a point.
    pub fn samples(&self) -> impl Iterator<Item = Shape<'a>> + Clone + use<'a> {
        let (one, parts) = match *self {
            Shape::Compound(parts) => (Shape::Sphere { radius: 0.0, halo: 0.0 }, parts),
            one => (one, &[][..]),
        };
        let first = |kind| parts.iter().position(|part| part.shape.kind() == kind);
        let firsts = [first(SPHERE), first(HALF_SPACE), first(CAPSULE)];
        let differs = move |i: usize, part: &Part<'a>| match (part.shape, i.checked_sub(1).and_then(|i| parts.get(i))) {
            (Shape::Mesh(mesh), Some(Part { shape: Shape::Mesh(before), .. })) => !core::ptr::eq(mesh, *before),
            (Shape::Mesh(_) | Shape::Compound(_), _) => true,
            _ => firsts.contains(&Some(i)),
        };
        let parts = parts.iter().enumerate().filter(move |(i, part)| differs(*i, part));
        core::iter::once(one).chain(parts.map(|(_, part)| part.shape))
    }

    /// Number of features; a key consists of two features.
    pub fn features(&self) -> u64 {
        match self {
            Shape::Sphere { .. } | Shape::HalfSpace { .. } | Shape::Capsule { .. } => 1,
            Shape::Mesh(surface) => surface.mesh.len() as u64,
            Shape::Compound(parts) => parts.iter().map(|part| part.shape.features()).sum(),
        }
    }
}
