//! A node in the matrix of nodes, and a patch with nodes.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Marks a tie. No memory holds that many nodes.
pub const TIE: u32 = 1 << 31;
/// Marks a tie of patches that face each other.
pub const FACES: u32 = 1 << 30;

/// A node, or a tie: patches that cross around the part of a node. The upper half of the features belongs to the body that is first in space.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Entry {
    pub features: u64,
    /// Index in the list of contacts. For a tie: [`TIE`], [`FACES`] if the patches face each other, and the index of the tie's node.
    pub place: u32,
    /// Index of its patch of the second body among the patches with nodes.
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

/// A patch with nodes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Spot {
    pub feature: u32,
    pub part: u32,
    /// First feature of the part.
    pub base: u32,
    /// For the first body: its first entry. For the second body: its start in `Nodes::across`.
    pub from: u32,
    /// 0 if no neighbour is `Nodes::apart`.
    pub apart: u32,
}
