//! One point down a tree, to the closest triangle.
//!
//! Up to four clusters are taken off a stack at once, nearest first, so that sixteen nodes are tested together: `bound` says
//! how far away everything below them is at least. What may be near goes to a goal, `goal`.
//!
//! # Bound of the stack
//! As in `traverse`: each height is present with what one step pushes at most.

mod bound;
mod goal;

#[cfg(test)]
pub(super) use goal::among_all;

use super::Operand;
use super::frame::length;
use crate::error::{Error, Kind, Result, What};
use crate::mesh::{MeshRef, NONE};
use crate::real::{Real, max};
use crate::simd::Simd;
use crate::surrogate::TreeRef;
use crate::triangle::Feature;
use bound::Batch;
use goal::{Closest, Meeting, Within};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Clusters taken at once.
const AT_ONCE: usize = 4;

/// A point in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub point: [f64; 3],
    /// A power of two that takes the point and the mesh to about 1.
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

    /// A triangle of the mesh in the same units.
    #[inline(always)]
    pub fn triangle(&self, mesh: &MeshRef<'_>, i: u32) -> [[f64; 3]; 3] {
        mesh.triangle(i as usize).map(|v| v.map(|x| x * self.scale))
    }
}

/// The closest triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub triangle: u32,
    pub feature: Feature,
    pub distance: f64,
    /// The closest point, in the body's frame, scaled.
    pub point: [f64; 3],
}

impl Hit {
    /// The corner that is closest, if one is.
    pub fn corner(&self) -> Option<usize> {
        let corner = self.feature as usize;
        if corner < 3 { Some(corner) } else { None }
    }

    /// The same as a welded vertex.
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
    /// For who asked, to sort by.
    pub group: u32,
}

/// Clusters that a search may have to keep.
pub(super) fn stack_size(tree: &TreeRef<'_>) -> u64 {
    let clusters = u64::from(tree.sizes.fan_out).div_ceil(4);
    let heights = u64::from(tree.sizes.depth) + 1;
    (heights * (4 * AT_ONCE) as u64).saturating_mul(clusters).saturating_add(u64::from(tree.sizes.roots))
}

/// What a search of a tree for triangles near a point is made of.
pub(super) struct Search<'t, 's> {
    pub mesh: MeshRef<'t>,
    tree: TreeRef<'t>,
    /// No corner of the mesh is farther from the origin of its frame.
    pub extent: f64,
    /// The halo that all triangles have.
    shared: f64,
    stack: &'s mut [u32],
    gaps: &'s mut [f64],
}

/// What is to be done with triangles that may be near.
trait Goal<S: Simd> {
    /// Triangles farther away are of no interest. It may shrink as the search goes on.
    fn limit(&self) -> f64;
    /// Takes up to sixteen.
    fn take(&mut self, candidates: &[u32]);
}

impl<'t, 's> Search<'t, 's> {
    pub fn new(operand: &Operand<'t>, stack: &'s mut [u32], gaps: &'s mut [f64]) -> Self {
        let mesh = operand.mesh;
        let shared = if mesh.sizes.halos == 0 { mesh.largest_halo() } else { 0.0 };
        let extent = length(mesh.centre()) + mesh.radius();
        Search { mesh, tree: operand.tree, extent, shared, stack, gaps }
    }

    /// The closest triangle within `bound`, whatever the guess.
    #[inline(always)]
    pub fn nearest<S: Simd>(&mut self, simd: S, local: &Local, bound: f64, guess: u32) -> Result<Option<Hit>> {
        let mesh = self.mesh;
        let mut goal = Closest { simd, mesh: &mesh, local, bound, best: None };
        if guess != NONE {
            Goal::<S>::take(&mut goal, &[guess]);
        }
        self.walk(simd, local.point, &mut goal)?;
        Ok(goal.best)
    }

    /// How many corners of triangles are this welded vertex, at which `hit` is. Of triangles with two equal corners none is
    /// counted.
    #[inline(always)]
    pub fn meeting<S: Simd>(&mut self, simd: S, hit: &Hit, vertex: u32) -> Result<usize> {
        let mesh = self.mesh;
        let point = hit.corner().map_or([0.0; 3], |corner| mesh.triangle(hit.triangle as usize)[corner]);
        let mut goal = Meeting { mesh: &mesh, vertex, number: 0 };
        self.walk(simd, point, &mut goal)?;
        Ok(goal.number)
    }

    /// Writes all triangles that are nearer than `bound`, in no order of meaning, and gives their number.
    #[inline(always)]
    pub fn within<S: Simd>(&mut self, simd: S, local: &Local, bound: f64, out: &mut [Near]) -> Result<usize> {
        let mesh = self.mesh;
        let mut goal = Within { simd, mesh: &mesh, local, bound, out, number: 0 };
        self.walk(simd, local.point, &mut goal)?;
        Ok(goal.number)
    }

    #[inline(always)]
    fn walk<S: Simd, G: Goal<S>>(&mut self, simd: S, point: [f64; 3], goal: &mut G) -> Result<()> {
        let mut len = 0;
        for root in 0..self.tree.sizes.roots {
            self.push(&mut len, root, 0.0)?;
        }
        let mut batch = Batch::new();
        while len > 0 {
            let first = len.saturating_sub(AT_ONCE);
            let limit = goal.limit();
            batch.number = 0;
            for at in first..len {
                if self.gaps[at] <= limit {
                    let cluster = self.tree.clusters.get(self.stack[at] as usize).ok_or_else(damaged)?;
                    let origin = self.tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
                    batch.add(cluster, point, origin.centre, origin.reach, self.shared);
                }
            }
            len = first;
            if batch.number == 0 {
                continue;
            }
            batch.bound(simd);
            let mut candidates = [0; 4 * AT_ONCE];
            let mut found = 0;
            for c in 0..batch.number {
                let cluster = batch.clusters[c];
                let (near, number) = batch.near(c, cluster.count(), limit);
                for (gap, lane) in &near[..number] {
                    if cluster.is_fine() {
                        candidates[found & (4 * AT_ONCE - 1)] = cluster.link[lane & 3];
                        found += 1;
                    } else {
                        for child in cluster.children(*lane) {
                            self.push(&mut len, child as u32, *gap)?;
                        }
                    }
                }
            }
            goal.take(&candidates[..found]);
        }
        Ok(())
    }

    /// Errors: [`Kind::Damaged`]: the stack holds whatever a sound tree can lead to.
    #[inline(always)]
    fn push(&mut self, len: &mut usize, cluster: u32, gap: f64) -> Result<()> {
        let (Some(item), Some(to)) = (self.stack.get_mut(*len), self.gaps.get_mut(*len)) else { return Err(damaged()) };
        (*item, *to) = (cluster, gap);
        *len += 1;
        Ok(())
    }
}

#[cold]
pub(super) fn damaged() -> Error {
    Error::new(Kind::Damaged, What::Tree)
}
