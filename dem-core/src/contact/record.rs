//! The record of a contact, its kinds, and the bits of its status.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::real::min;

/// A piece of the area over which two surfaces are within their halos.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Contact {
    /// The name of the contact from one pose to the next: the caller's number, then the first triangle of A's patch (upper half) and of
    /// B's. In a scene the first half is the index of its body pair in the list of pairs, which name it in every step.
    pub key: [u64; 2],
    /// Centre of pressure, in world coordinates.
    pub position: [f64; 3],
    /// Unit vector from B to A: the direction of the force on A.
    pub normal: [f64; 3],
    /// Moment about `position` that the force alone leaves out, on A, over the stiffness; zero where all cells have one normal.
    pub moment: [f64; 3],
    /// Mean gap: `halo * (1 - sum P / sum S)`, at most `halo`; negative where the bodies penetrate.
    pub gap: f64,
    /// The smallest gap (down to 2^-38 of the size below zero for bodies that only touch); less than 0 by the largest depth where the bodies penetrate.
    pub least_gap: f64,
    /// Pressure law: the force on A is `k * (1 - gap / halo) * area * normal`; where halos are 0, `k * (halo - gap) * area * normal`.
    pub area: f64,
    /// Point law: the force on A is `K * (1 - g / halo) * share * normal`, with g the [`least_gap`] of the body pair. Shares sum
    /// to 1 over the list: they are weights.
    pub share: f64,
    /// Sum of both halos; if triangles have different halos, its mean over the contact.
    pub halo: f64,
    /// The kind of contact: [`SURFACE`].
    pub kind: u32,
    /// Bits of [`status`]: facts about it that do not depend on how it was computed.
    pub status: u32,
    /// Stored energy divided by the stiffness k, if it is requested ([`Request::energy`](crate::contact::shape::Request::energy)). Force
    /// and torque of a body pair are minus k times the gradient of the sum over its contacts. 0 if it is not requested, and under the law
    /// of facing. A length to the third power.
    pub energy: f64,
    /// Factor of wedge friction, as of a V-belt in its groove: sum of the magnitudes of the forces on its sides, divided by the magnitude of their vector sum. The friction force is at most the
    /// coefficient times this times the force. It is 1 on a flat surface and where a convex edge or a corner meets another body. In a groove whose sides lean by an angle from the floor, it is 1
    /// over the cosine of this angle. `docs/contacts.md`, section 4, has the definition.
    pub wedging: f64,
    /// Effective radius `1 / (1/R_A + 1/R_B)` of balls, capsules and half-spaces, with their radii where halos end; 0 of other bodies.
    pub radius: f64,
    /// From `position` to the centroid of the area, if it is requested ([`Request::spread`](crate::contact::shape::Request::spread)); else
    /// 0.
    pub offset: [f64; 3],
    /// Second moment (covariance) of the pressure about `position` over its sum, in world axes: xx, yy, zz, xy, xz, yz. A length squared; 0 if it is not
    /// requested.
    pub spread: [f64; 6],
}

/// The smallest gap of the contacts of a body pair; infinite if there are none.
pub fn least_gap(contacts: &[Contact]) -> f64 {
    contacts.iter().fold(f64::INFINITY, |least, c| min(least, c.least_gap))
}

/// [`Contact::kind`] of two surfaces within their halos.
pub const SURFACE: u32 = 0;

/// [`Contact::kind`] of closest points of triangles: see [`pair_contacts`](crate::contact::pair_contacts).
pub const POINT: u32 = 1;

/// Bits of [`Contact::status`]. Alarming are [`UNSURE`](status::UNSURE), [`COINCIDENT`](status::COINCIDENT), [`THIN`](status::THIN),
/// [`OPEN`](status::OPEN) and [`LEAST_TRANSLATION`](status::LEAST_TRANSLATION): force and depth may then be wrong. For three of them
/// ([`DOUBTFUL`](status::DOUBTFUL)) the force is bounded.
pub mod status {
    /// The smallest gap is not positive.
    pub const TOUCHING: u32 = 1;
    /// A part of one body is inside the other one.
    pub const PENETRATING: u32 = 2;
    /// The curve in which the surfaces cross does not close: a surface is open there, or its triangles disagree on the outside. Of balls, capsules and half-spaces: an edge
    /// of the mesh within their halo (of a half-space, or below it) has not exactly one neighbour that agrees. Or the mesh is not solid, and they are so deep that they may have
    /// come from behind, or it is a sheet on edge on a half-space (`docs/contacts.md`, section 10).
    pub const OPEN: u32 = 4;
    /// Normal and depth are the smallest translation, along the mean normals of the triangles that cross, that separates them.
    pub const LEAST_TRANSLATION: u32 = 8;
    /// One of the bodies is inside the other one as a whole.
    pub const CONTAINED: u32 = 16;
    /// No direction is better than another, as for spheres with the same centre: the normal is one of them.
    pub const DEGENERATE: u32 = 32;
    /// The enclosed part may be wrong. The meshes have defects: tests of inside and outside contradict each other, or the volume or the
    /// area was larger than possible and was limited. Or a mesh passes through itself there, or looks inward and does not hold the other
    /// body: it may be turned inside out. Then contacts of surfaces that do not cross have it, too.
    pub const UNSURE: u32 = 64;
    /// Sheets with two sides lie in each other: both sides push, and neither way is out.
    pub const COINCIDENT: u32 = 128;
    /// The bodies stick in each other by more than one of them is thick there, and it is thinner than the sum of both halos.
    pub const THIN: u32 = 256;
    /// Depth and direction may be wrong, because a mesh has defects: the contact may appear at once and deep. Its area is such that a law of
    /// pressure pushes as if the depth were one halo at most: with no more than k times the surface of the box that both bodies' boxes have in
    /// common, besides what surfaces within the halos say. A law that takes the depth by itself should take `max(least_gap, -halo)`.
    /// [`force::Laws`](crate::force::Laws) do, and give back no more energy than was put in (`docs/contacts.md`, section 10).
    pub const DOUBTFUL: u32 = OPEN | LEAST_TRANSLATION | UNSURE;
    /// Edges and vertices push more than faces in prisms do, and nothing is enclosed. Not for callers: it is removed before records get out.
    pub(crate) const LEANS: u32 = 1 << 31;
}

/// Without halos there is no pressure to compare.
pub(in crate::contact) fn force(c: &Contact) -> f64 {
    if c.halo > 0.0 { (1.0 - c.gap / c.halo) * c.area } else { c.area }
}
