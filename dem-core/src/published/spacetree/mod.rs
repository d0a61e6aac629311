//! A tree of cells that are cut in three along each axis; bodies are held by vertices (P4 section 3).
//!
//! | file | what |
//! | --- | --- |
//! | `frame` | levels, vertices, cells and their keys |
//! | `update` | bodies to vertices; where the tree is refined and coarsened |
//! | `search` | pairs of bodies held by vertices of a common cell |
//!
//! # How it works
//! The root is a cube; the cells of level l are 3^l times smaller. A body is held by the nearest vertex of a level whose
//! cells are at least as wide as its diameter and the margin, so whatever reaches it is held, on its own level or a coarser one, by
//! one of the vertices around the one that is nearest to it there. Each body looks for partners on its own level and on coarser ones, so no
//! pair is met twice. *Which* of these levels holds a body is up to the variant, and is a matter of time alone:
//!
//! * regular: all cells are refined while they are wider than the largest body, and hold all bodies on the finest level;
//! * adaptive: cells around a vertex are refined where a body there is smaller than a third of them, and the body is dropped
//!   to the finer level; where a body moves to where there is no fine vertex, it is lifted;
//! * reluctant: the same, but only where another body is held nearby.
//!
//! An update moves each body by at most one level down, as a traversal of the paper does. Cells that hold nothing are coarsened.
//! Bodies that are outside of the root or wider than it are held by no vertex, and tested against all others.
//!
//! This is the structure of the paper, for its study and for hosts that want bodies of a scale together; the hierarchical grid
//! ([`HGrid`](crate::broad::HGrid)) is many times as fast.

mod frame;
mod search;
mod update;

pub use frame::DEEPEST;
pub use update::{Report, spacetree_scratch};

use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Sizes};
use frame::Held;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Where a tree is refined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Refinement {
    /// Everywhere, as far as the largest body allows.
    Regular = 1,
    /// Where bodies are small.
    #[default]
    Adaptive = 2,
    /// Where bodies are small and others are near.
    Reluctant = 3,
}

/// What a tree's block is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct SpaceTreeSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Refined cells, at most.
    pub cells: u32,
}

impl Sizes for SpaceTreeSizes {
    const KIND: [u8; 4] = *b"sptr";
    const VERSION: u32 = 1;
    const WHAT: What = What::Grid;

    fn check(&self) -> Result<()> {
        if self.bodies == u32::MAX || self.cells == u32::MAX {
            return Err(Error::new(Kind::TooLarge, What::Grid).amounts(u64::from(u32::MAX) - 1, u64::from(u32::MAX)));
        }
        Ok(())
    }
}

/// What the tree was last updated from.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Root {
    low: [f64; 3],
    width: f64,
    periods: [f64; 3],
    margin: f64,
    /// Largest diameter, margin included, of bodies that vertices hold.
    widest: f64,
    bodies: u32,
    /// Bodies held by no vertex: the first ones of `held`.
    loose: u32,
    cells: u32,
    /// Levels in a regular tree; 0 in others.
    regular: u32,
    axes: u32,
    ready: u32,
}

memory::sections! {
    /// Bodies held by the vertices of a tree: 16 bytes for each body, 8 for each refined cell.
    pub struct SpaceTree / SpaceTreeRef (n: &SpaceTreeSizes) {
        pub(super) root: State [Root; 1],
        pub(super) level: State [u32; u64::from(n.bodies)],
        pub(super) held: State [Held; u64::from(n.bodies)],
        pub(super) refined: State [u64; u64::from(n.cells)],
    }
}

impl SpaceTree<'_> {
    /// An empty tree in a cube. Along a periodic axis the cube has to hold the period from 0 on, else its bodies are held by no vertex.
    ///
    /// Errors: [`Kind::OutOfRange`] for a corner or a width that is not finite, or a width that is not positive.
    pub fn begin(&mut self, low: [f64; 3], width: f64) -> Result<()> {
        if !(width > 0.0 && width.is_finite() && low.iter().all(|x| (x + width).is_finite())) {
            return Err(Error::new(Kind::OutOfRange, What::Description));
        }
        self.root[0] = Root { low, width, ..Root::default() };
        self.level.fill(0);
        Ok(())
    }
}
