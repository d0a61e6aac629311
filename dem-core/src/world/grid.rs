//! Pairs of a world's bodies by a grid, which each search builds in scratch.

use super::block::WorldSizes;
use crate::broad::{Candidate, Direction, HGrid, HGridSizes, Query, hgrid_scratch};
use crate::error::Result;
use crate::exec::Executor;
use crate::memory::Layout;
use crate::simd::Isa;

/// The memory of a search.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    sizes: HGridSizes,
    /// The grid.
    pub block: Layout,
    /// Its scratch.
    pub rest: Layout,
}

impl Grid {
    pub fn new(n: &WorldSizes) -> Result<Grid> {
        let sizes = HGridSizes { bodies: n.bodies, levels: n.levels };
        Ok(Grid { sizes, block: HGrid::layout(&sizes)?, rest: hgrid_scratch(n.bodies)? })
    }

    /// Writes all pairs, and returns their number.
    ///
    /// Errors: those of the grid.
    pub fn pairs(
        &self,
        (exec, isa): (&dyn Executor, Isa),
        query: &Query<'_>,
        [block, rest]: [&mut [u8]; 2],
        out: &mut [Candidate],
    ) -> Result<usize> {
        let mut grid = HGrid::init(block, &self.sizes)?;
        grid.rebuild(exec, query, &[], rest)?;
        grid.as_ref().pairs(exec, isa, query, Direction::TopDown, out, rest)
    }
}
