//! A query point, the result for it, and the goal of a search.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bound::Seen;
use crate::mesh::MeshRef;
use crate::real::{Real, max};
use crate::surrogate::Cluster;
use crate::triangle::Feature;

/// A point in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Local {
    pub point: [f64; 3],
    /// A power of two that scales the point and the mesh to about 1.
    pub scale: f64,
}

impl Local {
    pub fn new(point: [f64; 3], extent: f64) -> Local {
        let size = point.into_iter().fold(extent, |m, x| max(m, x.abs()));
        Local { point, scale: size.inverse_exponent() }
    }

    pub fn scaled(&self) -> [f64; 3] {
        self.point.map(|x| x * self.scale)
    }

    /// A triangle of the mesh, scaled in the same way.
    #[inline(always)]
    pub fn triangle(&self, mesh: &MeshRef<'_>, i: u32) -> [[f64; 3]; 3] {
        mesh.triangle(i as usize).map(|v| v.map(|x| x * self.scale))
    }
}

/// The closest triangle.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Hit {
    pub triangle: u32,
    pub feature: Feature,
    pub distance: f64,
    /// The closest point, in the body's frame, scaled.
    pub point: [f64; 3],
}

impl Hit {
    /// The corner that is the closest point, if it is a corner.
    pub fn corner(&self) -> Option<usize> {
        let corner = self.feature as usize;
        if corner < 3 { Some(corner) } else { None }
    }

    /// The same corner as a welded vertex.
    pub fn vertex(&self, mesh: &MeshRef<'_>) -> Option<u32> {
        self.corner().map(|corner| mesh.welded(self.triangle as usize)[corner])
    }
}

/// A triangle near a point.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(crate) struct Near {
    pub distance: f64,
    /// The closest point, in the body's frame.
    pub point: [f64; 3],
    pub triangle: u32,
    /// A number of the caller's, to sort by.
    pub group: u32,
}

/// What a search does with triangles that may be near.
pub(super) trait Goal {
    /// Triangles farther away than this do not matter. The limit may shrink during the search.
    fn limit(&self) -> f64;
    /// Bits of the nodes that are skipped, however near they are.
    #[inline(always)]
    fn passes(_: &Cluster) -> u32 {
        0
    }
    /// Takes the triangles of a fine cluster whose bits are set: by rough bounds they may be within the limit.
    fn take(&mut self, seen: &Seen, cluster: &Cluster, near: u32);
    /// Called after the last triangle.
    #[inline(always)]
    fn finish(&mut self) {}
}
