//! The record of a contact, its kinds, and the bits of its status.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::real::min;

/// A piece of the area over which two surfaces are within their halos.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Contact {
    /// The identity of the contact from one pose to the next: the caller's tag, then the first triangle of A's patch (upper half) and of B's
    /// (lower half). In a scene the tag is the index of the body pair in the list of pairs, which identify it in every step.
    pub key: [u64; 2],
    /// Centre of pressure, in world coordinates.
    pub position: [f64; 3],
    /// Unit vector from B to A: the direction of the force on A.
    pub normal: [f64; 3],
    /// The moment on A about `position` that the force alone does not have, over the stiffness; zero where all cells have one normal.
    pub moment: [f64; 3],
    /// Mean gap: `halo * (1 - sum P / sum S)`, at most `halo`; negative where the bodies penetrate.
    pub gap: f64,
    /// The smallest gap; where the bodies penetrate, minus the largest depth. For bodies that only touch it may be as low as 2^-38 of the size
    /// below zero.
    pub least_gap: f64,
    /// Pressure law: the force on A is `k * (1 - gap / halo) * area * normal`; without halos, `k * (halo - gap) * area * normal`.
    pub area: f64,
    /// Point law: the force on A is `K * (1 - g / halo) * share * normal`, with g the [`least_gap`] of the body pair. Shares sum
    /// to 1 over the list: they are weights.
    pub share: f64,
    /// Sum of both halos; if triangles have different halos, its mean over the contact.
    pub halo: f64,
    /// The kind of contact: [`SURFACE`].
    pub kind: u32,
    /// Bits of [`status`]: properties of the contact that do not depend on how it was computed.
    pub status: u32,
    /// Stored energy divided by the stiffness k, if it is requested ([`Request::energy`](crate::contact::shape::Request::energy)). Force and
    /// torque of a body pair are minus k times the gradient of the sum over its contacts. It is 0 if it is not requested, and under the law of
    /// facing. Unit: a length to the third power.
    pub energy: f64,
    /// Factor of wedge friction, as of a V-belt in its groove: sum of the magnitudes of the forces on the groove's sides, divided by the
    /// magnitude of their vector sum. The friction force is at most the coefficient times `wedging` times the force. `wedging` is 1 on a flat
    /// surface and where a convex edge or a corner meets another body. In a groove whose sides make an angle with the floor, it is 1 over the
    /// cosine of this angle. `docs/contacts.md`, section 4, has the definition.
    pub wedging: f64,
    /// Effective radius `1 / (1/R_A + 1/R_B)` of balls, capsules and half-spaces, with their radii where halos end; 0 for other bodies.
    pub radius: f64,
    /// From `position` to the centroid of the area, if it is requested ([`Request::spread`](crate::contact::shape::Request::spread)); else
    /// 0.
    pub offset: [f64; 3],
    /// Second moment (covariance) of the pressure about `position` over its sum, in world axes: xx, yy, zz, xy, xz, yz. A length squared; 0 if it
    /// is not requested.
    pub spread: [f64; 6],
    /// How the normal turns across the contact of two meshes, if [`spread`](Contact::spread) is requested; else 0. A symmetric matrix H in world axes, in the
    /// order of `spread`: at a place r from `position` and across `normal`, the surface that both bodies share has the normal `normal + H r`. It is
    /// 0 where one of the bodies is flat, and about -1/R along an arc of radius R in B in which A lies. Unit: one over a length.
    pub curvature: [f64; 6],
}

/// The smallest gap of the contacts of a body pair; infinite if there are none.
pub fn least_gap(contacts: &[Contact]) -> f64 {
    contacts.iter().fold(f64::INFINITY, |least, c| min(least, c.least_gap))
}

/// [`Contact::kind`] of two surfaces within their halos.
pub const SURFACE: u32 = 0;

/// [`Contact::kind`] of closest points of triangles: see [`pair_contacts`](crate::contact::pair_contacts).
pub const POINT: u32 = 1;

/// Bits of [`Contact::status`]. With [`UNSURE`](status::UNSURE), [`COINCIDENT`](status::COINCIDENT), [`THIN`](status::THIN),
/// [`OPEN`](status::OPEN) and [`LEAST_TRANSLATION`](status::LEAST_TRANSLATION), force and depth may be wrong. For three of them
/// ([`DOUBTFUL`](status::DOUBTFUL)) the force is bounded.
pub mod status {
    /// The smallest gap is not positive.
    pub const TOUCHING: u32 = 1;
    /// A part of one body is inside the other one.
    pub const PENETRATING: u32 = 2;
    /// The intersection curve of the surfaces does not close: a surface is open there, or its triangles disagree on the outside. For balls,
    /// capsules and half-spaces: an edge of the mesh within their halo (for a half-space, also below it) has not exactly one neighbour that
    /// agrees on the outside. Or the mesh is not solid, and the other body is so deep that it may have come from behind, or is behind it. Or the mesh
    /// is a sheet on edge on a half-space (`docs/contacts.md`, section 10).
    pub const OPEN: u32 = 4;
    /// Normal and depth are the smallest separating translation along the mean normals of the triangles that cross.
    pub const LEAST_TRANSLATION: u32 = 8;
    /// One body is completely inside the other one.
    pub const CONTAINED: u32 = 16;
    /// No direction is better than another, as for concentric spheres: the normal is an arbitrary one of them.
    pub const DEGENERATE: u32 = 32;
    /// The enclosed part may be wrong. The meshes have defects: tests of inside and outside contradict each other, or the volume or the area was
    /// larger than possible and was limited. Or a mesh passes through itself there, or looks inward without containing the other body: it may be
    /// turned inside out. In that last case, contacts of surfaces that do not cross have this bit, too.
    pub const UNSURE: u32 = 64;
    /// Two-sided sheets coincide: both sides push, and no direction separates them.
    pub const COINCIDENT: u32 = 128;
    /// The penetration is deeper than the local thickness of one body, and that thickness is less than the sum of both halos.
    pub const THIN: u32 = 256;
    /// Depth and direction may be wrong, because a mesh has defects: the contact may appear suddenly and deep. Its area is limited so that a law
    /// of pressure pushes as if the depth were one halo at most. Beyond the force of surfaces within the halos, the law pushes with no more than
    /// k times the surface of the intersection of both bodies' boxes. A law that uses the depth itself should take `max(least_gap, -halo)`.
    /// [`force::Laws`](crate::force::Laws) do, and give back no more energy than was put in (`docs/contacts.md`, section 10).
    pub const DOUBTFUL: u32 = OPEN | LEAST_TRANSLATION | UNSURE;
    /// Edges and vertices push more than faces in prisms do, and nothing is enclosed. Internal: removed before records are returned.
    pub(crate) const LEANS: u32 = 1 << 31;
}

/// The pressure law's force over the stiffness. Without halos there is no pressure to compare, and the area is used.
pub(in crate::contact) fn force(c: &Contact) -> f64 {
    if c.halo > 0.0 { (1.0 - c.gap / c.halo) * c.area } else { c.area }
}

/// The pressure of a node: its area, which it has in place of a share, times the mean pressure. Without halos, the area.
pub(in crate::contact) fn pressure(node: &Contact) -> f64 {
    if node.halo > 0.0 { node.share * (1.0 - node.gap / node.halo) } else { node.share }
}
