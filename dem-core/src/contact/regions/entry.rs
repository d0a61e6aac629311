//! A node in the matrix of nodes, and a patch that has some.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Marks a tie. There is no memory for so many nodes.
pub const TIE: u32 = 1 << 31;
/// Marks one of patches that face each other.
pub const FACES: u32 = 1 << 30;

/// A node, or a tie: where patches cross around the part that a node stands for. The body that comes first in space is in the upper half of the features.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Entry {
    pub features: u64,
    /// Its place in the list of contacts; of a tie [`TIE`], [`FACES`] where the patches face each other, and the node that it belongs to.
    pub place: u32,
    /// Place of its patch of the second body among those that have nodes.
    pub column: u32,
}

impl Entry {
    pub fn is_tie(&self) -> bool {
        self.place & TIE != 0
    }

    /// For a tie: whether its patches face each other, and its node.
    pub fn tie(&self) -> Option<(bool, u32)> {
        self.is_tie().then_some((self.place & FACES != 0, self.place & (FACES - 1)))
    }
}

/// A patch that has nodes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Spot {
    pub feature: u32,
    pub part: u32,
    /// First feature of the part.
    pub base: u32,
    /// Of the first body: its first entry. Of the second one: its place in `Nodes::across`.
    pub from: u32,
    /// 0 where no neighbour is `Nodes::apart`.
    pub apart: u32,
}
