//! `HGrid`, the hierarchical grid in its block.

use super::frame::{Keys, Level};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Sizes};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Largest number of levels of a grid.
pub const LEVELS: u32 = 64;

/// Capacity of a grid's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct HGridSizes {
    /// Largest number of bodies.
    pub bodies: u32,
    /// Largest number of levels, at most [`LEVELS`].
    pub levels: u32,
}

impl Sizes for HGridSizes {
    const KIND: [u8; 4] = *b"hgrd";
    const VERSION: u32 = 2;
    const WHAT: What = What::Grid;

    fn check(&self) -> Result<()> {
        if self.levels == 0 || self.levels > LEVELS {
            return Err(Error::new(Kind::OutOfRange, What::Levels).amounts(u64::from(LEVELS), u64::from(self.levels)));
        }
        if self.bodies == u32::MAX {
            return Err(Error::new(Kind::TooLarge, What::Grid).amounts(u64::from(u32::MAX) - 1, u64::from(u32::MAX)));
        }
        Ok(())
    }
}

/// Parameters of the last rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Built {
    pub keys: Keys,
    pub periods: [f64; 3],
    pub margin: f64,
    pub bodies: u32,
    /// Number of levels; 0 if nothing has been built.
    pub levels: u32,
    /// Number of axes.
    pub axes: u32,
    /// 1 if a body lies outside the first period.
    pub imaged: u32,
    /// Pairs of bodies in neighbouring cells that the choice of cell sizes expected, for each body; 0 if sizes were not chosen.
    pub expected: f64,
}

/// Unused items behind the last body, which vector loads may read.
pub(super) const PAD: u64 = 16;

memory::sections! {
    /// A hierarchical grid: bodies sorted by cell, 28 bytes per body.
    ///
    /// [`HGrid::rebuild`] builds it from a host's arrays after each change, and [`HGridRef::pairs`] searches it.
    pub struct HGrid / HGridRef (n: &HGridSizes) {
        pub(super) built: Cache [Built; 1],
        pub(super) level: Cache [Level; u64::from(n.levels)],
        pub(super) keys: Cache [u64; u64::from(n.bodies)],
        pub(super) ids: Cache [u32; u64::from(n.bodies)],
        pub(super) x: Cache [f32; u64::from(n.bodies) + PAD],
        pub(super) y: Cache [f32; u64::from(n.bodies) + PAD],
        pub(super) z: Cache [f32; u64::from(n.bodies) + PAD],
        pub(super) r: Cache [f32; u64::from(n.bodies) + PAD],
    }
}

impl<'m> HGridRef<'m> {
    /// The levels that the grid was built with, smallest cells first.
    pub fn levels(&self) -> &'m [Level] {
        self.level.get(..self.built[0].levels as usize).unwrap_or_default()
    }

    /// The bodies in the grid's order: by level, then by z, y and x of their cells, then by index. A host that keeps its
    /// bodies near this order saves memory traffic.
    pub fn order(&self) -> &'m [u32] {
        self.ids.get(..self.built[0].bodies as usize).unwrap_or_default()
    }
}

/// Marks a place whose body has left.
pub(super) const GONE: u32 = u32::MAX;

/// Bodies in a range of cells, for levels on which pairs are only searched within the level.
pub(super) const BODIES: usize = 512;
