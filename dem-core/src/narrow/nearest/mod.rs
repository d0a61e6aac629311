//! Descends a tree from one point to the closest triangle, or along a ray.
//!
//! From a cluster, the search continues below its nearest node; the others wait on a stack. `bound` gives lower bounds of the distances of
//! everything below their nodes. Triangles that may be near go to a goal: `records`, `visitors`. `crossings` counts how often a ray crosses the
//! surface, and `open_winding` adds the part of open sides, which gives the winding number. `many` and `many_rays` do the same for sixteen points
//! at once.
//!
//! # Bound of the stack
//! As in `traverse`: at any time, items of each height come from at most one step.

mod bound;
mod crossings;
mod many;
mod many_rays;
mod open_winding;
mod packet;
mod records;
mod visitors;

pub(crate) use records::Near;
pub(super) use records::{Hit, Local};
#[cfg(test)]
pub(super) use visitors::among_all;

use super::Operand;

use crate::error::{Error, Kind, Result, What};
use crate::memory::sections;
use crate::mesh::MeshRef;
use crate::real::min;
use crate::simd::Simd;
use crate::surrogate::{Cluster, TreeRef};
use crate::vector::safe_length;
use bound::Seen;
pub(super) use many::Nearest;
pub(super) use open_winding::{Rim, RimMemory};
pub(super) use packet::{MANY, ManyStack, Packet};
use records::Goal;
use visitors::{Closest, Meeting, Waiting, Within};

/// The most clusters that wait in a search.
pub(super) fn stack_size(tree: &TreeRef<'_>) -> u64 {
    let clusters = u64::from(tree.sizes.fan_out.max(tree.sizes.leaf)).div_ceil(4);
    let heights = u64::from(tree.sizes.depth) + 1;
    (heights * 4).saturating_mul(clusters).saturating_add(u64::from(tree.sizes.roots))
}

sections! {
    /// Clusters that wait, with lower bounds of their distances.
    pub(super) struct Stack<'s>(tree: &TreeRef<'_>; n = stack_size(tree)) {
        pub nodes: [u32; n],
        pub gaps: [f64; n],
    }
}

/// The state of a search of a tree for triangles near a point.
pub(super) struct Search<'t, 's> {
    pub mesh: MeshRef<'t>,
    tree: TreeRef<'t>,
    /// An upper bound for the distance of a corner from the origin of the mesh's frame.
    pub extent: f64,
    /// The halo that all triangles share.
    shared: f64,
    stack: &'s mut [u32],
    gaps: &'s mut [f64],
}

impl<'t, 's> Search<'t, 's> {
    pub fn new(operand: &Operand<'t>, stack: &'s mut [u32], gaps: &'s mut [f64]) -> Self {
        let mesh = operand.mesh;
        let shared = if mesh.sizes.halos == 0 { mesh.largest_halo() } else { 0.0 };
        let extent = safe_length(mesh.centre()) + mesh.radius();
        Search { mesh, tree: operand.tree, extent, shared, stack, gaps }
    }

    /// The closest triangle within `bound`. If there is one, it is known to be no farther than `limit`.
    #[inline(always)]
    pub fn nearest<S: Simd>(&mut self, simd: S, local: &Local, bound: f64, limit: f64) -> Result<Option<Hit>> {
        let (mesh, limit) = (self.mesh, min(bound, limit));
        let mut goal = Closest { simd, mesh: &mesh, local, bound, limit, waiting: Waiting::NONE, best: None };
        self.walk(local.point, &mut goal)?;
        Ok(goal.best)
    }

    /// Whether all sides have partners, so that the surface is closed.
    pub fn is_closed(&self) -> bool {
        self.tree.open_sides() == 0
    }

    /// The number of triangle corners at this welded vertex, which is the closest point of `hit`. Triangles with two equal corners are not counted.
    pub fn meeting(&mut self, hit: &Hit, vertex: u32) -> Result<usize> {
        let mesh = self.mesh;
        let point = hit.corner().map_or([0.0; 3], |corner| mesh.triangle(hit.triangle as usize)[corner]);
        let mut goal = Meeting { mesh: &mesh, vertex, number: 0 };
        self.walk(point, &mut goal)?;
        Ok(goal.number)
    }

    /// Writes all triangles that are nearer than `bound`, in arbitrary order, and gives their number.
    #[inline(always)]
    pub fn within<S: Simd>(&mut self, simd: S, local: &Local, bound: f64, out: &mut [Near]) -> Result<usize> {
        let mesh = self.mesh;
        let mut goal = Within { simd, mesh: &mesh, local, bound, waiting: Waiting::NONE, out, number: 0 };
        self.walk(local.point, &mut goal)?;
        Ok(goal.number)
    }

    #[inline(always)]
    fn walk<G: Goal>(&mut self, point: [f64; 3], goal: &mut G) -> Result<()> {
        let mut len = 0;
        for root in 1..self.tree.sizes.roots {
            self.push(&mut len, root, 0.0)?;
        }
        let mut at = 0;
        let mut seen = Seen::NOWHERE;
        loop {
            let cluster = self.tree.clusters.get(at).ok_or_else(damaged)?;
            if cluster.origin() != seen.origin {
                let origin = self.tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
                seen = Seen::new(point, cluster.origin(), origin, self.shared);
            }
            let (near, gaps) = seen.rough(cluster, goal.limit());
            let near = near & !G::passes(cluster);
            if near != 0 && !cluster.is_fine() {
                at = self.descend(&mut len, cluster, near, gaps.map(|gap| seen.unscaled(gap)))?;
                continue;
            }
            if near != 0 {
                goal.take(&seen, cluster, near);
            }
            match self.pop(&mut len, goal.limit())? {
                Some(next) => at = next,
                None => break,
            }
        }
        goal.finish();
        Ok(())
    }

    /// The first cluster below the nearest of the nodes `near`; all others are pushed.
    #[inline(always)]
    fn descend(&mut self, len: &mut usize, cluster: &Cluster, near: u32, gaps: [f64; 4]) -> Result<usize> {
        let mut first = near.trailing_zeros() as usize & 3;
        let mut rest = near & near.wrapping_sub(1);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 3;
            rest &= rest - 1;
            let nearer = gaps[lane] < gaps[first];
            let far = if nearer { first } else { lane };
            self.push_below(len, cluster, far, gaps[far])?;
            first = if nearer { lane } else { first };
        }
        self.first_below(len, cluster, first, gaps[first])
    }

    /// The first child cluster of a node of a coarse cluster. Its further child clusters, which few trees have, are pushed.
    #[inline(always)]
    fn first_below(&mut self, len: &mut usize, cluster: &Cluster, lane: usize, gap: f64) -> Result<usize> {
        let first = cluster.link[lane & 3];
        if cluster.meta[2] >> (8 * (lane & 3)) & 0xff > 1 {
            self.push_others(len, cluster, lane, gap)?;
        }
        Ok(first as usize)
    }

    /// Pushes all child clusters of a node.
    #[inline(always)]
    fn push_below(&mut self, len: &mut usize, cluster: &Cluster, lane: usize, gap: f64) -> Result<()> {
        let first = self.first_below(len, cluster, lane, gap)?;
        self.push(len, first as u32, gap)
    }

    #[cold]
    #[inline(never)]
    fn push_others(&mut self, len: &mut usize, cluster: &Cluster, lane: usize, gap: f64) -> Result<()> {
        cluster.children(lane).skip(1).try_for_each(|child| self.push(len, child as u32, gap))
    }

    /// Pops the last waiting cluster that is within the limit.
    #[inline(always)]
    fn pop(&self, len: &mut usize, limit: f64) -> Result<Option<usize>> {
        while *len > 0 {
            *len -= 1;
            let (Some(at), Some(gap)) = (self.stack.get(*len), self.gaps.get(*len)) else { return Err(damaged()) };
            if *gap <= limit {
                return Ok(Some(*at as usize));
            }
        }
        Ok(None)
    }

    /// Errors: [`Kind::Damaged`], because the stack has room for every sound tree.
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
