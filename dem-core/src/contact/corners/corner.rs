//! The record of a corner.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::contact::Contact;

/// A corner of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Corner {
    /// Half-way between both surfaces, in world coordinates: `position + gap / 2 normal` is on A, `position - gap / 2 normal` on B.
    pub position: [f64; 3],
    /// Distance from B's surface to A's along the contact's normal; negative where they penetrate.
    pub gap: f64,
    /// Index of the corner's contact in the list.
    pub contact: u32,
    /// Rank among the corners of its contact, from 0: first the deepest corner, then always the corner farthest from the polygon of the corners
    /// before it. So the first n corners are the best choice of n.
    pub order: u32,
    /// The features of A and of B that meet there. Vertices are welded ones ([`MeshRef::welded`](crate::mesh::MeshRef::welded)) of the mesh, or
    /// of the part of a compound. An edge from vertex `v` to `w > v` is `v << 32 | w`; a vertex has itself for both. Everything else is [`FACE`]:
    /// the inside of a patch, spheres, half-spaces. Both are [`FACE`] if the corner is the position of its contact.
    ///
    /// With the pair of bodies and the second number of the contact's key, the features identify a corner from one step to the next. So a solver
    /// finds the impulse of the last step. If a vertex lies on an edge or a vertex of the other body within rounding, it may have either name.
    pub features: [u64; 2],
    /// An upper bound for how much smaller gaps of the contact may be than the gap interpolated between its corners (or, beyond their polygon, at
    /// the nearest place of it). All corners of a contact have the same value. The bound is for places where vertices of the contact's faces lie
    /// above faces, and where their edges cross. So no gap of the contact is smaller than the smallest gap of its corners less this bound. If the
    /// gaps of all corners are larger than the bound, nothing touches.
    ///
    /// These are gaps along the normal where faces lie above each other. The contact's `least_gap` is another number: the smallest distance in
    /// any direction, also of edges beside each other, or minus the depth of an enclosed part. It may be smaller than all of these gaps. A motion
    /// that keeps the gaps of corners larger than the bound, and that brings nothing nearer by more than the halo, makes nothing touch within the
    /// polygon.
    ///
    /// Between those places the gap may be smaller than the interpolated one by more than the bound, where the region within the halo ends inside
    /// the polygon. For flat patches with all corners the bound is 0, up to the tolerance of left-out corners (1/64 of the halo). It is larger
    /// for regions over bent patches, and if there are fewer corners than possible. It is also 0 for a contact whose only corner is its position.
    pub gap_error: f64,
}

/// [`Corner::features`] for anything that is neither a vertex nor an edge.
pub const FACE: u64 = u64::MAX;

/// Whether a contact is so deep that the search would find most of all triangle pairs.
pub(super) fn is_deep(contact: &Contact) -> bool {
    const HALOS: f64 = 4.0;
    -contact.least_gap > HALOS * contact.halo
}
