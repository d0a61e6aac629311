//! A spacetree with three-way refinement along each axis, which stores bodies at vertices (P4 section 3).
//!
//! | file | what is in it |
//! | --- | --- |
//! | `frame` | levels, vertices, cells and their keys |
//! | `update` | assignment of bodies to vertices; refinement and coarsening |
//! | `search` | pairs of bodies stored at vertices of a common cell |
//!
//! # How it works
//! The root is a cube; the cells of level l are 3^l times smaller. A body is stored at the nearest vertex of a level
//! whose cells are at least as wide as its diameter plus the margin. So each body that touches it from the same or a
//! coarser level is stored at a vertex adjacent to the one that is nearest to it on that level. Each body is tested
//! against bodies of its own and of coarser levels, so no pair is found twice. The level of a body depends on the
//! variant and affects the time only:
//!
//! * regular: all cells are refined while they are wider than the largest body, and all bodies are stored on the finest
//!   level;
//! * adaptive: cells around a vertex are refined where a body there is smaller than a third of a cell, and the body is
//!   dropped to the finer level; a body that moves to a region without fine vertices is lifted;
//! * reluctant: as adaptive, but cells are refined only where another body is stored nearby.
//!
//! An update moves each body down by at most one level, as a traversal of the paper does. Empty cells are coarsened.
//! Bodies outside of the root, or wider than it, are stored at no vertex and tested against all others.
//!
//! The hierarchical grid ([`HGrid`](crate::broad::HGrid)) is many times as fast.

mod frame;
mod search;
mod update;

pub use frame::DEEPEST;
pub use update::{Report, spacetree_scratch};

use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Sizes};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Where a tree is refined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Refinement {
    /// Everywhere, down to the diameter of the largest body.
    Regular = 1,
    /// Where bodies are small.
    #[default]
    Adaptive = 2,
    /// Where bodies are small and others are near.
    Reluctant = 3,
}

/// Capacity of a tree's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct SpaceTreeSizes {
    /// Largest number of bodies.
    pub bodies: u32,
    /// Largest number of refined cells.
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

/// Parameters of the last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Root {
    low: [f64; 3],
    width: f64,
    periods: [f64; 3],
    margin: f64,
    /// Largest diameter, margin included, of bodies stored at vertices.
    widest: f64,
    bodies: u32,
    /// Number of bodies stored at no vertex: the first ones of `held`.
    loose: u32,
    cells: u32,
    /// Levels in a regular tree; 0 in others.
    regular: u32,
    axes: u32,
    ready: u32,
}

memory::sections! {
    /// A spacetree with bodies at its vertices: 16 bytes per body, 8 per refined cell.
    pub struct SpaceTree / SpaceTreeRef (n: &SpaceTreeSizes) {
        pub(super) root: State [Root; 1],
        pub(super) level: State [u32; u64::from(n.bodies)],
        pub(super) held: State [Held; u64::from(n.bodies)],
        pub(super) refined: State [u64; u64::from(n.cells)],
    }
}

impl SpaceTree<'_> {
    /// An empty tree in a cube. Along a periodic axis the cube has to contain the first period (from 0 on); bodies
    /// outside of the cube are stored at no vertex.
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

/// A body and the vertex that stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C, packed(4))]
pub(in super::super) struct Held {
    /// Key of the vertex; 0 for a body that no vertex stores.
    pub key: u64,
    pub body: u32,
}
