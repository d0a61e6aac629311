//! The curve in which two surfaces cross, and what is known of it. The other files fill it and read it.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::crossing_segment::Segment;
use super::flood::Flood;
use super::loops::Loop;
use super::perturbed_mesh::Body;
use crate::mesh::Sets;

/// The curve of intersection, and what is known of it.
pub(super) struct Surround<'b, 's> {
    pub bodies: [Body<'b>; 2],
    pub segments: &'s [Segment],
    /// Sums, at the first segment of each loop, and of sides.
    pub loops: &'s mut [Loop],
    /// Names of loops, at the first segment of each loop, and of sides.
    pub names: &'s mut [Name],
    /// Facing patches of both bodies, at the first segment of each enclosed part.
    pub facings: &'s mut [[Facing; 2]],
    /// Segments of one loop.
    pub curve: Sets<'s>,
    /// Loops at one piece of the first body's surface inside of the second one, and the other way round.
    pub pieces: [Sets<'s>; 2],
    /// Loops of one enclosed part.
    pub whole: Sets<'s>,
    pub floods: [Flood<'s, 'b>; 2],
    /// Middle of all segments.
    pub origin: DVec3,
    /// Whether energies are requested.
    pub energies: bool,
    /// Whether a part is divided among its sides.
    pub divided: bool,
}

/// Patches with a larger part of a body's area than 1 in `PATCHES + 1` are candidates: there are never more than these.
pub(super) const PATCHES: usize = 3;

/// Patches of one body at an enclosed part, and how wide that part is along their normals.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Facing {
    pub patch: [u32; PATCHES],
    /// How far a face is turned from where the other body is, at most: 1 less the cosine.
    pub turned: f32,
    /// Of the area of each patch, what faces the other body.
    pub weight: [f64; PATCHES],
    /// Sum of the normals of each patch, weighted with area.
    pub normal: [[f64; 3]; PATCHES],
    pub low: [f64; PATCHES],
    pub high: [f64; PATCHES],
    /// Of the whole area, what faces the other body, and what faces away from it.
    pub towards: f64,
    pub away: f64,
}

/// What each loop is called after, and which loops have one normal. Of each side of a part that is divided, too, at a segment that is the first one of no loop.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Name {
    /// The first loop of those that have one normal.
    pub group: u32,
    /// Of each segment of a part that is divided: the one that has the loop and the name of the side where it is.
    pub side: u32,
    /// Of a group: from the second body to the first.
    pub normal: [f64; 3],
    /// Of both bodies the triangle that faces the other one most, how much it does, and its size.
    pub triangle: [u32; 2],
    pub facing: [f64; 2],
    pub size: [f64; 2],
}
