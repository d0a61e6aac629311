//! One cell, the kinds of cells, and the bits of a triangle and of a mesh.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// [`Cell::kind`] of a face's cell.
pub const PRISM: u32 = 1;

/// [`Cell::kind`] of a part of an edge's wedge.
pub const SECTOR: u32 = 2;

/// [`Cell::kind`] of a part of a vertex's cone.
pub const CONE: u32 = 3;

/// In `Cells::part`: the triangle counts as a part of the enclosing surface.
pub(in crate::contact) const COUNTS: u32 = 0;

/// In `Cells::part`: another triangle with the same corners represents this one.
pub(in crate::contact) const COPIED: u32 = 1;

/// In `Cells::part`: one side of a two-sided sheet, which the other side cancels.
pub(in crate::contact) const CANCELLED: u32 = 2;

/// Additional bit in `Cells::part`: the triangle passes through another triangle of its part.
pub(in crate::contact) const CROSSING: u32 = 4;

/// Additional bit in `Cells::part`: the first triangle of a part, in a mesh with several parts. The bits from [`NEXT`] on hold the first triangle
/// of the next part, plus 1; 0 for none.
pub(in crate::contact) const FIRST: u32 = 8;

/// Additional bit in `Cells::part`: the triangle passes through a triangle of another closed part.
pub(in crate::contact) const MEETING: u32 = 16;

pub(in crate::contact) const NEXT: u32 = 5;

/// Mask of `Cells::part` for [`COUNTS`], [`COPIED`] and [`CANCELLED`].
pub(in crate::contact) const WHAT: u32 = 3;

/// Whether a triangle counts as a part of the enclosing surface, from its item in `Cells::part`.
#[inline]
pub(in crate::contact) fn counts(part: Option<&u32>) -> bool {
    part.is_some_and(|part| part & WHAT == COUNTS)
}

/// Bits of `Cells::sound`, which documents them.
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

/// A direction whose cosine with that of a place is below this is across it: a wall beside a floor, or a force that pushes back. A node
/// across splits its place, however small its force: laws must not share one force between both directions.
pub(in crate::contact) const ACROSS: f64 = 0.25;

/// The largest number of sides of a cell.
pub(in crate::contact) const SIDES: usize = 6;

/// A part of a mesh's halo, in the mesh's frame: the points `x` inside the cell's sides with `0 <= gap`.
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
    /// 1; -1 where prisms overlap, at a concave edge, so that the sum over all cells counts the overlap once ([`Law::Volume`]).
    pub sign: f64,
    /// Index of its first side.
    pub first_side: u32,
    /// Number of its sides.
    pub sides: u32,
    /// The patch it belongs to, named by its first triangle; with owners, the patch of the first owner.
    pub patch: u32,
    /// [`PRISM`], [`SECTOR`] or [`CONE`].
    pub kind: u32,
    /// Index of its first owner. All cells of an edge or a vertex share their owners.
    pub first_owner: u32,
    /// Number of its owners: two at an edge, one for each patch at a vertex; none for a prism, and at a vertex of more than 64 triangles.
    pub owners: u32,
}

/// The law of contact. Two meshes use [`Law::Volume`] if the cells of both are built for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// Pressure on faces that look at the other body, along the normals of its cells. This law also supports thin plates and sheets, but is not
    /// the gradient of an energy.
    Facing,
    /// The gradient of an energy: half the integral of `1 - g/T` over the part of each body in the halo of the other one. All faces count,
    /// each along its own normal. Bodies should be closed and thicker than the halo.
    Volume,
    /// [`Law::Volume`] if the mesh is suited, otherwise [`Law::Facing`]; [`CellsRef::law`](super::CellsRef::law) tells which. Suited are closed
    /// surfaces whose parts do not overlap, and rooms: closed surfaces all of which look inward. They must be thick enough: their mean thickness
    /// (the volume over half of the area) is at least four of their halos, which is twice the sum of halos of two such bodies. Suited are also
    /// open surfaces that face about one direction: the sum of their area vectors has at least half the length of their area. None of their edges
    /// may have three triangles, or two that disagree on the outside. A refit keeps the choice.
    #[default]
    Auto,
}
