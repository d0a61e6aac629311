//! Nodes: the patch pairs of a contact.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A patch of A and a patch of B that press on each other: a part of a contact.
///
/// Lists of nodes are ordered by body pair, then by features.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Node {
    /// The patches of both bodies: the second half of the key of a contact that has this node only.
    pub features: u64,
    /// Index of the contact that the node belongs to.
    pub contact: u32,
    /// Magnitude of its force over the stiffness, in units of area.
    pub force: f32,
}
