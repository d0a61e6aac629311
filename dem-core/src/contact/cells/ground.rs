//! The data of a mesh while its cells are built.

use super::cell::Law;
use super::faces::VertexFaces;
use super::fan::Corners;
use super::neighbours::Neighbours;
use crate::mesh::{MeshRef, Record};

/// The input from which cells are built.
pub(in crate::contact) struct Ground<'t, 's> {
    pub(super) mesh: MeshRef<'t>,
    /// Unit normals; zero for triangles without area and for copies that do not count.
    pub normals: &'s mut [[f64; 3]],
    /// The flat patch of each triangle.
    pub patch: &'s [u32],
    /// What each triangle encloses ([`Cells::part`](super::Cells::part)).
    pub(super) part: &'s [u32],
    /// Whether parts may overlap.
    pub(super) overlap: bool,
    /// Whether a part looks inward and is no hollow of another part, if all parts are closed.
    pub(super) inward: bool,
    /// Whether a part looks outward.
    pub(super) outward: bool,
    /// Whether a patch was named before vertices moved, and is no longer flat.
    pub(super) bent: bool,
    /// Whether there are two parts or more.
    pub(super) several: bool,
    pub law: Law,
    /// The name of each triangle's patch: from edges that are flat now, or from the first build.
    pub names: &'s [u32],
    pub neighbours: Neighbours<'s>,
    /// Patches join a chart if the cosine between their normal and that of the chart's first patch is at least this.
    pub cosine: f64,
    pub around: VertexFaces<'s>,
    pub corners: Corners<'s>,
    /// For sorting the edges of a vertex.
    pub records: &'s mut [Record],
    /// Number of fans of triangles around vertices.
    pub fans: u64,
}
