//! The intersection curve of two surfaces and its data, which the other files fill and read.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::crossing_segment::Segment;
use super::flood::Flood;
use super::loops::Loop;
use super::perturbed_mesh::Body;
use super::placed_faces::PlacedFaces;
use crate::contact::spread::Wants;
use crate::mesh::Sets;

/// The intersection curve and its data.
pub(super) struct Surround<'b, 's> {
    pub bodies: [Body<'b>; 2],
    pub segments: &'s [Segment],
    /// The triangles of the segments.
    pub placed: PlacedFaces<'s>,
    /// Sums, stored at the first segment of each loop, and for sides at other segments.
    pub loops: &'s mut [Loop],
    /// Names of loops, stored at the first segment of each loop, and for sides at other segments.
    pub names: &'s mut [Name],
    /// Facing patches of both bodies, stored at the first segment of each enclosed part.
    pub facings: &'s mut [[Facing; 2]],
    /// Segments of one loop.
    pub curve: Sets<'s>,
    /// Loops of one connected piece of the first body's surface inside the second body, and the other way round.
    pub pieces: [Sets<'s>; 2],
    /// Loops of one enclosed part; then segments of one part, too.
    pub whole: Sets<'s>,
    pub floods: [Flood<'s, 'b>; 2],
    /// Mean of the segments' first ends.
    pub origin: DVec3,
    /// The results that are requested.
    pub wants: Wants,
    /// Whether some part is divided into sides.
    pub divided: bool,
}

/// Patches with more than 1 in `PATCHES + 1` of a body's area are candidates: never more than these.
pub(super) const PATCHES: usize = 3;

/// Patches of one body at an enclosed part, and the width of that part along their normals.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Facing {
    pub patch: [u32; PATCHES],
    /// Bits of [`seen`].
    pub seen: u32,
    /// For each patch, the area that faces the other body.
    pub weight: [f64; PATCHES],
    /// Sum of the normals of each patch, weighted with area.
    pub normal: [[f64; 3]; PATCHES],
    pub low: [f64; PATCHES],
    pub high: [f64; PATCHES],
    /// Total area that faces the other body, and total area that faces away from it.
    pub towards: f64,
    pub away: f64,
}

/// Bits of [`Facing::seen`]: what kinds of faces one body has in a part.
pub(super) mod seen {
    /// At least one face.
    pub const ANY: u32 = 1;
    /// Faces of several patches.
    pub const SEVERAL: u32 = 2;
    /// A part of a concave edge, or of a side without a neighbour.
    pub const CONCAVE: u32 = 4;
    /// A face turned away from the direction to the other body so far that another one may be opposed to it.
    pub const TURNED: u32 = 8;
    /// A part of a wall edge.
    pub const WALL: u32 = 16;
}

/// The names of loops, and which loops have one normal. If a part is divided into sides, the name of each side is at a segment that is not the
/// first one of a loop.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Name {
    /// The first loop of those that have one normal.
    pub group: u32,
    /// For each segment of a divided part: the segment that holds the loop and the name of its side.
    pub side: u32,
    /// Normal of a group, from the second body to the first.
    pub normal: [f64; 3],
    /// For each body: the triangle that faces the other body most, its cosine, and its size.
    pub triangle: [u32; 2],
    pub facing: [f64; 2],
    pub size: [f64; 2],
}
