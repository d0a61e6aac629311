//! Contacts: what forces act on.
//!
//! A list of near triangles is not a list of contacts: it is long, its items appear and vanish, and it depends on the division of a surface into
//! triangles. A contact is a part of an integral over area. There is one for every pair of patches (flat parts of a surface, found when cells are
//! built). It covers the area over which the surfaces are nearer than the sum T of their halos, weighted with the overlap of the halos. So there are
//! few contacts, they do not depend on the triangles of flat parts, and they vary continuously with both poses: a contact begins and ends with force
//! 0. Halos are part of the model: the force is 0 where surfaces are T apart, and grows as the gap shrinks. Choose T as the depth to which your
//! stiffest contact may be pressed.
//!
//! A scene finds the contacts of all its bodies, one for each place where two bodies touch. dem_placed_contacts of dem_pair.h finds the contacts of
//! two bodies.
//!
//! The force on A acts at `position`, along `normal`, which points from B to A. The force on B is the opposite, at the
//! same position. Choose one law:
//!
//! - pressure law: F = k (1 - gap / halo) area, with k in force per area. Bodies rest on faces, edges and corners without special cases, and a
//!   larger area is stiffer;
//! - point law: F = K (1 - g / halo) share, with K in force. g is the smallest least_gap of the body pair's contacts (`least_gap` of the
//!   pair in a scene). The stiffness of a pair does not depend on areas or triangles; the shares of a pair sum to 1.
//!
//! If halos may be 0, write these laws with a stiffness per length, k' = k / halo and K' = K / halo: F = k' (halo - gap) area and F = K' (halo - g)
//! share. Contacts then begin where surfaces touch. k' has the unit of force per volume; F is k' times the volume enclosed, or K' times the depth.
//!
//! The torque about a point c is that of the force, (position - c) x F normal. With the pressure law, add `k moment`: the part of
//! the torque that one force at one position does not produce. The program adds dashpots, friction and other forces at `position`, with the
//! velocities of both bodies there.
//!
//! Both laws hold where bodies penetrate. The gap is then negative. Each part of one body inside the other has a contact with the normal, the area
//! and the depth of the enclosed volume. The force does not jump when the gap passes through zero. Open surfaces may enclose nothing. Their contact
//! is then the smallest translation that separates the triangles, with a bit in `status`.
//!
//! Limits. In thin and folded bodies, surfaces behind a fold count, too: keep T smaller than the gaps and walls of a body. Sheets on their rims and
//! crossed blades sharper than 23 degrees do not meet. Only the outer side of a triangle has contacts, so all normals of a mesh should point outward.
//! A closed mesh whose triangles look inward is a room. It pushes the bodies in it away from its walls, by `DEM_LAW_VOLUME` if it is not thin, and
//! draws in bodies that pass through its wall. (To make a room of the box of `dem_box_mesh`, exchange two indices of each triangle. With `solid`, all
//! outside of a room is solid: a body that has gone through its wall as a whole is pushed back.) A body that is turned inside out by mistake is a
//! room, too. Meshes outside of it have no contact with it until surfaces cross, or forces near zero with `DEM_CONTACT_IS_UNSURE`. Balls and capsules
//! outside of it may be drawn in, with the same bit. A single part of a body that looks inward by mistake adds no force, and neither does an edge
//! without exactly two triangles that agree on the outside. dem_shape_inspect of dem_mesh.h finds these defects. If a body is inside another one as a
//! whole, it is pushed out only if the other is a `solid` mesh. The reasons, with proofs and pictures, are in docs/contacts.md.

use dem_core::contact::history::{BEGIN, Blend, END, Event, Link, PERSIST, UNCHANGED};
use dem_core::contact::{Contact, Corner, Node};

use crate::layouts::fixed;
use crate::records::mirrored;

/// `kind` of a contact of two surfaces within their halos.
pub const DEM_CONTACT_SURFACE: u32 = 0;

/// A bit of `status` of a contact: its smallest gap is not positive.
pub const DEM_CONTACT_IS_TOUCHING: u32 = 1;
/// A part of one body is inside the other one.
pub const DEM_CONTACT_IS_PENETRATING: u32 = 2;
/// The curve in which the surfaces cross does not close: a surface is open there, or its triangles do not agree on what is
/// outside. For balls, capsules and half-spaces: an edge of the mesh in their halo (or below the half-space) does not have exactly one neighbour
/// that agrees. Or the mesh is not solid, and the other body is so deep that it may have come from behind, or is behind it. Or the mesh is a sheet
/// that stands on its edge on a half-space. Depth and direction may be wrong, and the force is bounded: `status` of dem_contact tells how.
pub const DEM_CONTACT_IS_OPEN: u32 = 4;
/// Normal and depth are the smallest translation, along the mean normals of the triangles that cross, that separates them. The force is
/// bounded as for OPEN.
pub const DEM_CONTACT_IS_LEAST_TRANSLATION: u32 = 8;
/// One of the bodies is inside the other one, which is solid, as a whole.
pub const DEM_CONTACT_IS_CONTAINED: u32 = 16;
/// No direction is better than another, as for spheres with the same centre: the normal is one of them.
pub const DEM_CONTACT_IS_DEGENERATE: u32 = 32;
/// The enclosed part may be wrong. The meshes have defects: tests of inside and outside contradict each other, or the volume or the
/// area was larger than possible and was limited. Or a mesh passes through itself there, or looks inward and does not hold the other
/// body: it may be turned inside out. Then contacts of surfaces that do not cross have this bit, too.
/// The force is bounded as for OPEN.
pub const DEM_CONTACT_IS_UNSURE: u32 = 64;
/// Sheets with two sides lie in each other: both sides push, and no direction leads out.
pub const DEM_CONTACT_IS_COINCIDENT: u32 = 128;
/// The bodies penetrate by more than the thickness of one of them at this place. This body is thinner than the sum of both halos.
pub const DEM_CONTACT_IS_THIN: u32 = 256;

/// A contact of two bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact {
    /// Identifies the contact in its list, which is ordered by key. For two bodies, the key is the same in every step: the first word is the tag; the
    /// second has the first triangle of A's patch in its upper half, and that of B's patch in its lower. In scenes, the first word is the index of
    /// the contact's pair in `pairs` of this step, and the second has the features of its node with the largest force. These may change from step to
    /// step; `links` tell which contact continues which.
    pub key: [u64; 2],
    /// Where the force acts, in world coordinates.
    pub position: [f64; 3],
    /// Unit vector from B to A: the direction of the force on A.
    pub normal: [f64; 3],
    /// Torque on A about `position`, divided by k, that the force alone does not produce: a length cubed; 0 if all of the contact pushes in one
    /// direction.
    pub moment: [f64; 3],
    /// Mean gap over the area: at most `halo`. For flat faces it is 0 when they touch; for a ball that touches, half of `halo`.
    pub gap: f64,
    /// The smallest gap; if the bodies penetrate, minus the largest depth.
    pub least_gap: f64,
    /// Pressure law: the force on A is k (1 - gap / halo) area.
    pub area: f64,
    /// Point law: the force on A is K (1 - g / halo) share, with g the smallest `least_gap` of the body pair's contacts. Shares sum to 1
    /// over the contacts of a body pair.
    pub share: f64,
    /// Sum of both halos; if triangles have different halos, the mean of the sum over the contact.
    pub halo: f64,
    /// `DEM_CONTACT_*`: the kind of the contact.
    pub kind: u32,
    /// Bits of `DEM_CONTACT_IS_*`. UNSURE, COINCIDENT, THIN, OPEN and LEAST_TRANSLATION are warnings: force and depth may be wrong, so check mesh,
    /// halo and pose. The other bits occur in sound scenes, too. With OPEN, LEAST_TRANSLATION or UNSURE the contact may appear at once and deep. Its
    /// `area` is such that the pressure law pushes as if the depth were at most `halo`. Besides surfaces within the halos, it pushes with at most k
    /// times the surface of the common box of both bodies. A law that uses the depth should limit it: max(least_gap, -halo). The laws of the library
    /// do, and give back no more energy than was put in.
    pub status: u32,
    /// Stored energy divided by k, if the query asks for it (`energies`). Force and torque of a body pair are minus k times the gradient of the sum
    /// of `energy` over the contacts of the pair. A length cubed; 0 if the query does not ask for it, and under the law of facing.
    pub energy: f64,
    /// Sum of the magnitudes of the forces on its sides, divided by the magnitude of their vector sum. The friction force is at most the coefficient
    /// times `wedging` times the force. 1 on a flat surface and where a convex edge or a corner meets another body; in a groove, 1 over the cosine of
    /// the slope of its sides.
    pub wedging: f64,
    /// Effective radius 1 / (1/R_A + 1/R_B) of balls, capsules and half-spaces, with radii that include halos; 0 for other bodies.
    pub radius: f64,
    /// From `position` to the centroid of the area, if the query asks for it (`spreads`); else 0.
    pub offset: [f64; 3],
    /// Second moment of the pressure about `position`, divided by the sum of the pressure, if the query asks for it (`spreads`); else 0. A length
    /// squared, in world axes: xx, yy, zz, xy, xz, yz. The mean square of the distance from an axis n is xx + yy + zz less n' S n.
    pub spread: [f64; 6],
    /// How the normal turns across the contact of two meshes, if the query asks for it (`spreads`); else 0. A symmetric matrix H in world axes, in the
    /// order of `spread`: at a place r from `position` and across `normal`, the surface that both bodies share has the normal `normal + H r`. It is
    /// 0 where one of the bodies is flat, and about -1/R along an arc of radius R in B in which A lies. Unit: one over a length.
    pub curvature: [f64; 6],
}

fixed!(dem_contact {
    key: [u64; 2],
    position: [f64; 3],
    normal: [f64; 3],
    moment: [f64; 3],
    gap: f64,
    least_gap: f64,
    area: f64,
    share: f64,
    halo: f64,
    kind: u32,
    status: u32,
    energy: f64,
    wedging: f64,
    radius: f64,
    offset: [f64; 3],
    spread: [f64; 6],
    curvature: [f64; 6],
});

mirrored!(dem_contact, Contact: key, position, normal, moment, gap, least_gap, area, share, halo, kind, status, energy, wedging, radius, offset, spread, curvature);

/// A patch of A and a patch of B that press on each other: a part of a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact_node {
    /// Features of both bodies that meet: the second half of the key of a contact with this node alone.
    pub features: u64,
    /// Index of the contact that it belongs to.
    pub contact: u32,
    /// Magnitude of its force, divided by k: an area.
    pub force: f32,
}

fixed!(dem_contact_node { features: u64, contact: u32, force: f32 });
mirrored!(dem_contact_node, Node: features, contact, force);

/// The link from a contact of this step to the last step. Numbers are indices in the list of the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_contact_link {
    /// The contact that this one continues; `DEM_NO_ID` if it begins in this step. No two contacts continue the same one.
    pub origin: u32,
    /// The contact whose spring it takes over: the one with which it has the most force in common, else its origin, else a neighbour in the same
    /// pair, else `DEM_NO_ID`. If it takes over several springs, the first of its blends.
    pub source: u32,
}

fixed!(dem_contact_link { origin: u32, source: u32 });

/// A blend: if a contact of this step takes over several springs, the part that it takes from one contact of the last step.
///
/// Blends are ordered by `now`; those of one contact by weight, the largest first. A contact without blends takes over the spring of its `source`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact_blend {
    /// Index of the contact in the list of this step.
    pub now: u32,
    /// Index of the contact in the list of the last step.
    pub last: u32,
    /// Its part of the mean. The weights of a contact add up to 1.
    pub weight: f64,
}

fixed!(dem_contact_blend { now: u32, last: u32, weight: f64 });
mirrored!(dem_contact_blend, Blend: now, last, weight);

/// An event: a contact begins, persists or ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_contact_event {
    /// `DEM_EVENT_BEGIN`, `DEM_EVENT_PERSIST` or `DEM_EVENT_END`.
    pub contact: u32,
    /// In the first event of a pair, what happens to the pair: it begins to touch, persists, or ends. `DEM_EVENT_NONE` in all other events.
    pub pair: u32,
    /// Its index in the list of this step; `DEM_NO_ID` if it ends.
    pub now: u32,
    /// Its index in the list of the last step; `DEM_NO_ID` if it begins.
    pub last: u32,
}

fixed!(dem_contact_event { contact: u32, pair: u32, now: u32, last: u32 });

// The core writes its own records into the host's memory, so both must have the same layout.
const _: () = {
    assert!(size_of::<Link>() == size_of::<dem_contact_link>() && align_of::<Link>() == align_of::<dem_contact_link>());
    assert!(core::mem::offset_of!(Link, source) == core::mem::offset_of!(dem_contact_link, source));
    assert!(size_of::<Event>() == size_of::<dem_contact_event>());
    assert!(align_of::<Event>() == align_of::<dem_contact_event>());
    assert!(core::mem::offset_of!(Event, pair) == core::mem::offset_of!(dem_contact_event, pair));
    assert!(core::mem::offset_of!(Event, now) == core::mem::offset_of!(dem_contact_event, now));
    assert!(core::mem::offset_of!(Event, last) == core::mem::offset_of!(dem_contact_event, last));
};

/// No event: `pair` of all events of a pair but the first.
pub const DEM_EVENT_NONE: u32 = 0;
/// The contact, or the pair, was not there in the last step.
pub const DEM_EVENT_BEGIN: u32 = 1;
/// The contact, or the pair, was there in the last step, and is there in this step.
pub const DEM_EVENT_PERSIST: u32 = 2;
/// The contact, or the pair, was there in the last step, and is not there in this step.
pub const DEM_EVENT_END: u32 = 3;

const _: () = {
    assert!(UNCHANGED == DEM_EVENT_NONE && BEGIN == DEM_EVENT_BEGIN);
    assert!(PERSIST == DEM_EVENT_PERSIST && END == DEM_EVENT_END);
};

/// A corner of a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact_corner {
    /// Half-way between both surfaces, in world coordinates: position + gap / 2 normal is on A, position - gap / 2 normal on B.
    pub position: [f64; 3],
    /// From B's surface to A's along the contact's normal; negative where they penetrate.
    pub gap: f64,
    /// Index of its contact in the list.
    pub contact: u32,
    /// Its place among the corners of the contact, from 0. The deepest corner comes first. Each next corner is the one farthest from the hull of
    /// those before it. So the first few corners are the best few.
    pub order: u32,
    /// The features of A and B that meet at the corner. An edge between vertices v and w > v is v << 32 | w, a vertex v is v << 32 | v. All bits are
    /// set for anything else: the inside of a flat part, spheres, half-spaces, and both features if the corner is the position of its contact. Of
    /// several vertices at one position, the first one's number is used. With the pair of bodies and the second number of its contact's `key`, the
    /// features identify the corner from one step to the next, so a solver finds its last impulse. A point that lies on an edge of the other body
    /// within rounding may have either name. If boxes of one size stand exactly above each other, a motion of 1e-9 may rename all corners: then
    /// take the nearest corner of the last step.
    pub features: [u64; 2],
    /// If the gaps of all corners are larger than `gap_error`, nothing touches between them. This also holds after a motion that brings nothing
    /// nearer by more than the halo. All corners of a contact have the same bound. Where faces lie above each other, no gap along the contact's
    /// normal is smaller than the smallest gap of its corners less the bound. At vertices of faces above faces, and where edges cross, the gap is
    /// smaller than the one interpolated between the corners by at most the bound. (`least_gap` of the contact is the smallest distance in any
    /// direction, or minus a depth, and may be smaller.)
    /// About 0 for flat parts; more if the contact covers curved parts, or if some corners are left out.
    pub gap_error: f64,
}

fixed!(dem_contact_corner {
    position: [f64; 3],
    gap: f64,
    contact: u32,
    order: u32,
    features: [u64; 2],
    gap_error: f64
});

mirrored!(dem_contact_corner, Corner: position, gap, contact, order, features, gap_error);
