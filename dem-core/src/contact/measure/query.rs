//! Sides of a query of two meshes, room of its scratch, and the numbers of its results.

use crate::contact::cells::CellsRef;
use crate::narrow::Operand;

/// One side of a query: a shape, where it is, and its cells.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Mesh, tree and pose.
    pub operand: Operand<'a>,
    /// The cells of the mesh.
    pub cells: CellsRef<'a>,
    /// Whether the inside of the mesh belongs to the body, so that a body inside as a whole is pushed out. The mesh should be closed and
    /// look outward.
    pub solid: bool,
}

/// How much scratch has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Triangle pairs within the halos.
    pub pairs: usize,
    /// Sums over faces in cells: one or two for each of these pairs, less where parts are flat.
    pub terms: usize,
    /// Pairs that cross, each in a segment of the curve of intersection; no more than pairs. With 0 nothing is set aside for
    /// penetration.
    pub segments: usize,
}

/// The numbers of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Contacts.
    pub contacts: usize,
    /// Patch pairs that these are made of ([`Node`](crate::contact::Node)); as many as contacts where each is one by itself.
    pub nodes: usize,
    /// Triangle pairs that touch or cross each other.
    pub crossing: usize,
}
