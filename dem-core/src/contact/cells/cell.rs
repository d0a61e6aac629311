//! One cell, the kinds of cells, and what is known of a triangle and of a mesh.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// [`Cell::kind`] of a face's cell.
pub const PRISM: u32 = 1;

/// [`Cell::kind`] of a part of an edge's wedge.
pub const SECTOR: u32 = 2;

/// [`Cell::kind`] of a part of a vertex's cone.
pub const CONE: u32 = 3;

/// In `Cells::part`: a triangle that encloses something with others.
pub(in crate::contact) const COUNTS: u32 = 0;

/// Of one that another triangle with the same corners stands for.
pub(in crate::contact) const COPIED: u32 = 1;

/// Of both sides of a sheet: a triangle that a copy cancels.
pub(in crate::contact) const CANCELLED: u32 = 2;

/// In `Cells::part`, beside the others: a triangle that passes through another one of its part.
pub(in crate::contact) const CROSSING: u32 = 4;

/// In `Cells::part`, beside the others: the first triangle of a part, of a mesh that has several. Behind these bits is the first one of the next part, plus 1; 0 for none.
pub(in crate::contact) const FIRST: u32 = 8;

/// In `Cells::part`, beside the others: a triangle that passes through one of another closed part.
pub(in crate::contact) const MEETING: u32 = 16;

pub(in crate::contact) const NEXT: u32 = 5;

/// What of `Cells::part` tells what a triangle encloses.
pub(in crate::contact) const WHAT: u32 = 3;

/// Whether a triangle encloses something with others, by its number in `Cells::part`.
#[inline]
pub(in crate::contact) fn counts(part: Option<&u32>) -> bool {
    part.is_some_and(|part| part & WHAT == COUNTS)
}

/// Bits of `Cells::sound`.
pub(in crate::contact) const CLOSED: u32 = 1;

pub(in crate::contact) const OVERLAP: u32 = 2;

pub(in crate::contact) const CONFORMING: u32 = 4;

pub(in crate::contact) const INWARD: u32 = 8;

pub(in crate::contact) const CROSSED: u32 = 16;

pub(in crate::contact) const UNTOLD: u32 = 32;

pub(in crate::contact) const SEVERAL: u32 = 64;

pub(in crate::contact) const BENT: u32 = 128;

pub(in crate::contact) const CONTAINER: u32 = 256;

pub(in crate::contact) const WALLS: u32 = 512;

/// What has a smaller cosine with the direction of a place is across: a wall beside a floor, or a force that pushes back. However small its force, a node across
/// breaks up its place: laws must not share the force of one of both.
pub(in crate::contact) const ACROSS: f64 = 0.25;

/// No cell has more sides.
pub(in crate::contact) const SIDES: usize = 6;

/// A part of a mesh's halo, in the mesh's frame: the points `x` inside of its sides with `0 <= gap`.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Cell {
    /// A point of the feature, where the gap is zero.
    pub anchor: [f64; 3],
    /// Unit normal, away from the body: u.
    pub normal: [f64; 3],
    /// The gap is `slope * dot(normal, x - anchor)`, and never less than the distance from the feature.
    pub slope: f64,
    /// The largest `abs(dot(normal, side))`: tau.
    pub dead: f64,
    /// 1; -1 where prisms overlap, at a concave edge, so that the sum of all cells counts that once ([`Law::Volume`]).
    pub sign: f64,
    /// Where its sides begin.
    pub first_side: u32,
    /// Number of its sides.
    pub sides: u32,
    /// The patch it belongs to, named by its first triangle; where it has owners, that of the first one.
    pub patch: u32,
    /// [`PRISM`], [`SECTOR`] or [`CONE`].
    pub kind: u32,
    /// Where its owners begin, which all cells of an edge or a vertex have in common.
    pub first_owner: u32,
    /// Number of its owners: two at an edge, one for each patch at a vertex; none of a prism, and at a vertex of more than 64 triangles.
    pub owners: u32,
}

/// The law of contact. Two meshes have [`Law::Volume`] if the cells of both are built for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// Pressure on faces that look at the other body, along the normals of its cells. It also supports thin plates and sheets, but is not a
    /// gradient of an energy.
    Facing,
    /// The gradient of an energy: half the integral of `1 - g/T` over the part of each body in the halo of the other one. All faces count,
    /// each along its own normal. Bodies should be closed and thicker than the halo.
    Volume,
    /// [`Law::Volume`] if the mesh is suited, otherwise [`Law::Facing`]; [`CellsRef::law`](super::CellsRef::law) tells which. Suited are
    /// closed surfaces whose parts do not lie in each other, and rooms: closed surfaces all of which look inward. They must be thick enough: their mean
    /// thickness (the volume over half of the area) is at least four of their halos, which is twice the sum of halos of two such bodies.
    /// Suited are also open surfaces that face about one direction: the sum of their area vectors is at least half of their area. None of
    /// their edges may have three triangles, or two that disagree on the outside. A refit keeps the choice.
    #[default]
    Auto,
}
