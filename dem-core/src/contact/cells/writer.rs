//! The output of cells: counts them, and writes them if there is memory.

use super::cell::Cell;
use crate::mesh::NONE;

/// Counts cells, and writes them if `to` is given.
pub(super) struct Sink<'c> {
    pub cells: u64,
    pub sides: u64,
    pub owners: u64,
    pub to: Option<Block<'c>>,
}

/// The memory of the output.
pub(super) struct Block<'c> {
    pub cell: &'c mut [Cell],
    pub side: &'c mut [[f64; 4]],
    pub owner: &'c mut [u32],
}

impl Sink<'_> {
    pub const NONE: Self = Sink { cells: 0, sides: 0, owners: 0, to: None };

    /// Adds the owners of the next cells.
    pub fn own(&mut self, triangles: &[u32]) -> Owned {
        let first = self.owners as usize;
        if let Some(Block { owner, .. }) = &mut self.to
            && let Some(to) = owner.get_mut(first..first + triangles.len())
        {
            to.copy_from_slice(triangles);
        }
        self.owners += triangles.len() as u64;
        Owned { first: first as u32, count: triangles.len() as u32, patch: NONE }
    }

    /// A patch, computed only if cells are written.
    pub fn named(&self, patch: impl FnOnce() -> u32) -> u32 {
        if self.to.is_some() { patch() } else { NONE }
    }

    pub fn put(&mut self, cell: Cell, sides: &[[f64; 4]]) {
        let first = self.sides as usize;
        if let Some(Block { cell: all, side, .. }) = &mut self.to
            && let Some(to) = all.get_mut(self.cells as usize)
            && let Some(room) = side.get_mut(first..first + sides.len())
        {
            let zero = |x: f64| x + 0.0;
            let (anchor, normal) = (cell.anchor.map(zero), cell.normal.map(zero));
            *to = Cell { first_side: first as u32, sides: sides.len() as u32, anchor, normal, ..cell };
            room.iter_mut().zip(sides).for_each(|(to, side)| *to = side.map(zero));
        }
        self.cells += 1;
        self.sides += sides.len() as u64;
    }
}

/// The owners of the cells of an edge or a vertex, and the patch of the first owner.
#[derive(Clone, Copy)]
pub(super) struct Owned {
    pub first: u32,
    pub count: u32,
    pub patch: u32,
}

impl Owned {
    pub fn cell(self, cell: Cell) -> Cell {
        Cell { patch: self.patch, first_owner: self.first, owners: self.count, ..cell }
    }
}
