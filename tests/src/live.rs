//! A live grid with its memory.

use dem_core::broad::{Candidate, Direction, LiveGrid, LiveGridSizes, Query, Updated, live_grid_scratch};
use dem_core::error::Result;
use dem_core::exec::Executor;
use dem_core::simd::Isa;
use dem_std::Memory;

/// A live grid with its memory.
pub struct Live {
    block: Memory,
    scratch: Memory,
}

impl Live {
    /// A live grid with this capacity.
    pub fn new(bodies: usize, levels: usize, loose: usize) -> Self {
        let sizes = LiveGridSizes { bodies: bodies as u32, levels: levels as u32, loose: loose as u32 };
        let memory = |layout: Result<_>| layout.and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
        let scratch = memory(live_grid_scratch(sizes.bodies, sizes.loose));
        let mut block = memory(LiveGrid::layout(&sizes));
        LiveGrid::init(&mut block, &sizes).map(drop).unwrap_or_else(|e| panic!("{e}"));
        Live { block, scratch }
    }

    /// Rebuilds the grid.
    pub fn rebuild(&mut self, exec: &dyn Executor, query: &Query<'_>, cell_sizes: &[f64]) -> Result<()> {
        LiveGrid::open(&mut self.block)?.rebuild(exec, query, cell_sizes, &mut self.scratch)
    }

    /// Updates the grid with changed bodies.
    pub fn update(&mut self, query: &Query<'_>, changed: &[u32]) -> Result<Updated> {
        LiveGrid::open(&mut self.block)?.update(query, changed)
    }

    /// Searches the pairs of the grid.
    pub fn pairs(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
    ) -> Result<usize> {
        LiveGrid::open(&mut self.block)?.pairs(exec, isa, query, direction, out, &mut self.scratch)
    }
}
