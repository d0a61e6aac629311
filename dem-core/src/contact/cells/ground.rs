//! What is known of a mesh while its cells are built.

use super::cell::Law;
use super::faces::VertexFaces;
use super::fan::Corners;
use super::neighbours::Neighbours;
use crate::mesh::{MeshRef, Record};

/// What cells are made from.
pub(in crate::contact) struct Ground<'t, 's> {
    pub(super) mesh: MeshRef<'t>,
    /// Unit normals; zero for triangles without area and for copies that are not counted again.
    pub normals: &'s mut [[f64; 3]],
    /// Which triangles lie in one plane: what is flat.
    pub patch: &'s [u32],
    /// What each triangle has in what the mesh encloses.
    pub(super) part: &'s [u32],
    /// Whether parts may lie in each other.
    pub(super) overlap: bool,
    /// Whether a part looks inward that is no hollow of another one, if all are closed.
    pub(super) inward: bool,
    /// Whether a part looks outward.
    pub(super) outward: bool,
    /// Whether a patch has a name from before vertices moved, and is not flat any more.
    pub(super) bent: bool,
    /// Whether there are two parts or more.
    pub(super) several: bool,
    pub law: Law,
    /// What patches are called: by what is flat, now or when they were built first.
    pub names: &'s [u32],
    pub neighbours: Neighbours<'s>,
    /// Patches that lean no farther from the first one of their chart have such a cosine.
    pub cosine: f64,
    pub around: VertexFaces<'s>,
    pub corners: Corners<'s>,
    /// To sort the edges of a vertex by.
    pub records: &'s mut [Record],
    /// How many fans of triangles there are around vertices.
    pub fans: u64,
}
