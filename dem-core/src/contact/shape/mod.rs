//! Contacts of spheres, half-spaces, meshes and rigid compounds of these, each with a scale of its own.
//!
//! `docs/contacts.md`, section "Shapes", has the laws and why they are continuous.
//!
//! A ball rests on the ground. (Only meshes need scratch, and room.)
//!
//! ```
//! use dem_core::contact::shape::{Placed, Shape, shape_contacts};
//! use dem_core::contact::{Contact, Room};
//! use dem_core::{exec::Serial, exec::Work, pose::Pose, simd::Isa};
//!
//! let above = Pose { position: [0.0, 0.0, 0.505], ..Pose::IDENTITY };
//! let ball = Placed { shape: Shape::Sphere { radius: 0.5, halo: 0.01 }, pose: &above, scale: 1.0 };
//! let ground = Placed { shape: Shape::HalfSpace { halo: 0.01 }, pose: &Pose::IDENTITY, scale: 1.0 };
//! let (mut contacts, room) = ([Contact::default()], Room { pairs: 0, terms: 0, segments: 0 });
//! let work = Work::new(&Serial, Isa::best(), &mut []);
//! let found = shape_contacts(work, &ball, &ground, 0, room, &mut contacts)?;
//! let [c] = contacts;
//! let force = 1e6 * (1.0 - c.gap / c.halo) * c.area; // on the ball, along the normal, at the position
//! assert!(found.contacts == 1 && c.normal == [0.0, 0.0, 1.0] && force > 0.0);
//! # Ok::<(), dem_core::error::Error>(())
//! ```
//!
//! | file | what is in it |
//! | --- | --- |
//! | `pair` | the entry: two bodies, part by part |
//! | `list` | near triangles listed once, for contacts at several poses |
//! | `site` | the parts of a body, seen from the midpoint of both bodies; checks |
//! | `sink` | where contacts are written: keys, world coordinates, shares |
//! | `round` | a sphere and a sphere or a half-space, by closed forms |
//! | `ball` | a sphere and a mesh |
//! | `disc` | the integrals of a triangle in a ball |
//! | `flat` | a half-space and a mesh |
//! | `corner` | corners of contacts of any two bodies |
//! | `cones` | cones of a body's patches |
//! | `slab` | the integrals of a triangle between two heights |

mod ball;
mod cones;
mod corner;
mod disc;
mod flat;
mod list;
mod pair;
mod round;
mod sink;
mod site;
mod slab;

pub use cones::shape_cones;
pub use corner::{shape_corners, shape_corners_scratch};
pub use list::{list_pairs, list_pairs_scratch};
pub use pair::{listed_contacts, shape_contacts, shape_scratch};
pub(crate) use round::Balls;
pub(crate) use site::check_shape;

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

/// What a body looks like in its own frame.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Shape<'a> {
    /// A ball about the origin. It has one feature, 0.
    Sphere {
        /// Its radius; 0 makes it a point.
        radius: f64,
        /// The layer around it.
        halo: f64,
    },
    /// All points with `z <= 0`. It has one feature, 0.
    HalfSpace {
        /// The layer above it.
        halo: f64,
    },
    /// A mesh; halos are those of its triangles. Its features are its triangles; contacts name the first triangle of a patch.
    Mesh(&'a Surface<'a>),
    /// Parts that move together and do not feel each other. Its features are those of the first part, then those of the second
    /// one, and so on.
    Compound(&'a [Part<'a>]),
}

/// A mesh, with all that contacts need of it.
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    /// The mesh.
    pub mesh: MeshRef<'a>,
    /// Its surrogate tree.
    pub tree: TreeRef<'a>,
    /// Its cells.
    pub cells: CellsRef<'a>,
    /// Whether what it encloses belongs to the body. If so it should be closed and look outward.
    pub solid: bool,
}

/// A part of a compound.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// A sphere, a half-space or a mesh.
    pub shape: Shape<'a>,
    /// From the part's frame to the compound's, in the compound's unscaled units.
    pub pose: Pose,
    /// All lengths of the part's shape are multiplied by this, its halo among them.
    pub scale: f64,
}

/// A shape in the world: `world = R(orientation) * scale * local + position`.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// The shape.
    pub shape: Shape<'a>,
    /// Where it is.
    pub pose: &'a Pose,
    /// All lengths of the shape are multiplied by this, halos among them. Larger than 0; 1 for the shape as it is.
    pub scale: f64,
}

impl<'a> Shape<'a> {
    /// Its number: [`SPHERE`], [`HALF_SPACE`], [`MESH`] or [`COMPOUND`]. Numbers are never used again for anything else.
    pub const fn kind(&self) -> u32 {
        match self {
            Shape::Sphere { .. } => SPHERE,
            Shape::HalfSpace { .. } => HALF_SPACE,
            Shape::Mesh(_) => MESH,
            Shape::Compound(_) => COMPOUND,
        }
    }

    /// Whether it has parts.
    pub(super) fn is_compound(&self) -> bool {
        matches!(self, Shape::Compound(_))
    }

    /// Itself, or of a compound those parts that may need scratch of another size than those before them, and a point.
    pub fn samples(&self) -> impl Iterator<Item = Shape<'a>> + Clone + use<'a> {
        let (one, parts) = match *self {
            Shape::Compound(parts) => (Shape::Sphere { radius: 0.0, halo: 0.0 }, parts),
            one => (one, &[][..]),
        };
        let first = |kind| parts.iter().position(|part| part.shape.kind() == kind);
        let firsts = [first(SPHERE), first(HALF_SPACE)];
        let differs = move |i: usize, part: &Part<'a>| match (part.shape, i.checked_sub(1).and_then(|i| parts.get(i))) {
            (Shape::Mesh(mesh), Some(Part { shape: Shape::Mesh(before), .. })) => !core::ptr::eq(mesh, *before),
            (Shape::Mesh(_) | Shape::Compound(_), _) => true,
            _ => firsts.contains(&Some(i)),
        };
        let parts = parts.iter().enumerate().filter(move |(i, part)| differs(*i, part));
        core::iter::once(one).chain(parts.map(|(_, part)| part.shape))
    }

    /// How many features it has: a key names the contact of two of them.
    pub fn features(&self) -> u64 {
        match self {
            Shape::Sphere { .. } | Shape::HalfSpace { .. } => 1,
            Shape::Mesh(surface) => surface.mesh.len() as u64,
            Shape::Compound(parts) => parts.iter().map(|part| part.shape.features()).sum(),
        }
    }
}
