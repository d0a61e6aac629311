//! The patch pairs that a contact is made of.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A patch of A and a patch of B that press on each other: a part of a contact.
///
/// Lists of nodes are ordered by body pair, then by features.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Node {
    /// Features of both bodies that meet: the second half of the key that a contact of this node alone has.
    pub features: u64,
    /// Index of the contact that the node belongs to.
    pub contact: u32,
    /// Magnitude of its force over the stiffness, in units of area.
    pub force: f32,
}
