//! Constants and structs of contacts from step to step.

use crate::body_contacts::{dem_contact, dem_contact_node};
use crate::layouts::fixed;
use crate::placed::dem_pose;

/// The poses of a pair of bodies for which its contacts were computed: those of its query.
///
/// A tag is any number that names the pair in every step and differs from the tags of all other pairs. For example, it has 32 bits of each
/// body: `(uint64_t)a << 32 | b`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_body_pair {
    /// First half of the keys of its contacts.
    pub tag: u64,
    /// Pose of A.
    pub pose_a: dem_pose,
    /// Pose of B.
    pub pose_b: dem_pose,
}

fixed!(dem_body_pair { tag: u64, pose_a: dem_pose, pose_b: dem_pose });

/// The contacts of one step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_contact_list {
    /// The contacts of all pairs, ordered by key. Null if there are none.
    pub contacts: *const dem_contact,
    /// Number of contacts.
    pub count: usize,
    /// Bytes from one to the next; 0: the size in version 0.1. The records must at least include `area`.
    pub stride: usize,
    /// The pairs, ordered by tag, each tag once. Pairs without contacts may be left out.
    pub pairs: *const dem_body_pair,
    /// Number of pairs.
    pub pair_count: usize,
    /// Bytes from one to the next; 0: the size in version 0.1.
    pub pair_stride: usize,
    /// The nodes of all contacts, ordered by pair, then by features; their contacts are places in this list. A pair has the nodes of all
    /// its contacts, or none. If it has none, each of its contacts is one node. Null if there are no nodes.
    pub nodes: *const dem_contact_node,
    /// Number of nodes.
    pub node_count: usize,
}

fixed!(dem_contact_list {
    contacts: *const dem_contact,
    count: usize,
    stride: usize,
    pairs: *const dem_body_pair,
    pair_count: usize,
    pair_stride: usize,
    nodes: *const dem_contact_node,
    node_count: usize,
});
