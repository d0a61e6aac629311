//! Contacts: what forces act on.
//!
//! A list of near triangles is no list of contacts: there are many, they come and go, and they know how a surface was cut into
//! triangles. A contact is a piece of an integral: for every pair of patches (flat parts of a surface, found when cells are
//! built) the area over which the surfaces are within the sum T of their halos, weighted by how deep they are in each other's
//! halo. So there are few contacts, they do not depend on the triangles of flat parts, and they vary continuously with both
//! poses: a contact begins and ends with force 0. Halos are thus part of the model: the force is 0 where surfaces are T apart,
//! and largest where they touch. Choose T as the depth to which your stiffest contact may be pressed.
//!
//! A scene finds the contacts of all its bodies, one for each place where two touch; dem_placed_contacts of dem_pair.h those of two bodies.
//!
//! The force on A is along `normal`, which points from B to A, and acts at `position`; the force on B is the opposite, at the
//! same place. Choose one law:
//!
//! - pressure law: F = k (1 - gap / halo) area, with k in force per area: bodies rest on faces, edges and corners alike, and a
//!   larger area is stiffer;
//! - point law: F = K (1 - g / halo) share, with K in force and g the smallest least_gap of the body pair's contacts (a scene tells it with
//!   each pair): the stiffness of a pair does not depend on areas nor on triangles; its shares sum to 1.
//!
//! Where halos may be 0, write these laws with a stiffness per length, k / halo and K / halo above: F = k' (halo - gap) area and
//! F = K' (halo - g) share. They are finite then: contacts begin where surfaces touch, k' has the unit of force per volume, and
//! F = k' times the volume enclosed, or K' times the depth.
//!
//! The torque about a point c is that of the force, (position - c) x F normal, and with the pressure law `k moment` beside it: the part of
//! the torque that one force at one place leaves out. Dashpots, friction and all else are the program's, at `position`, with the velocities
//! that the bodies have there.
//!
//! Both laws go on where bodies penetrate. The gap is negative then: each part of one body inside the other has a contact with the normal,
//! the area and the depth of the volume enclosed, and the force does not jump when the gap passes through zero. Open surfaces enclose
//! nothing; there the contact is the smallest translation that separates the triangles, and `status` tells so.
//!
//! Limits. Thin and folded bodies count what is behind a fold, too: keep T smaller than the gaps and walls of a body. Sheets on their rims
//! and crossed blades sharper than 23 degrees do not meet. A triangle is felt on the side that it looks to: a mesh should look outward, all
//! of it. Turned inside out it is a room, which is not felt from outside and draws in what goes through its wall. A part that looks the
//! wrong way adds no force, and neither does an edge without exactly two triangles that agree on what is outside. (dem_shape_inspect of dem_mesh.h finds
//! all that: inward components, reversed triangles, open, non-manifold and inconsistent edges.) A body that is inside of another as a whole
//! is pushed out of a mesh that is `solid`, and of no other. The whole argument, with proofs and pictures, is in
//! docs/contacts.md.

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
/// outside.
pub const DEM_CONTACT_IS_OPEN: u32 = 4;
/// Normal and depth are the smallest translation, along the mean normals of the triangles that cross, that separates them.
pub const DEM_CONTACT_IS_LEAST_TRANSLATION: u32 = 8;
/// One of the bodies is inside the other one, which is solid, as a whole.
pub const DEM_CONTACT_IS_CONTAINED: u32 = 16;
/// No direction is better than another, as for spheres with the same centre: the normal is one of them.
pub const DEM_CONTACT_IS_DEGENERATE: u32 = 32;
/// What is enclosed may be wrong: the meshes are not sound, and what tells inside from outside does not agree, or the volume or the
/// area was more than there can be and was cut down to that.
pub const DEM_CONTACT_IS_UNSURE: u32 = 64;
/// Sheets with two sides lie in each other: both sides push, and neither way is out.
pub const DEM_CONTACT_IS_COINCIDENT: u32 = 128;
/// The bodies stick in each other by more than one of them is thick there, and it is thinner than the sum of both halos.
pub const DEM_CONTACT_IS_THIN: u32 = 256;

/// A contact of two bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact {
    /// Names it, from one step to the next: the tag; then the first triangle of A's patch in the upper half, and of B's in the
    /// lower. Contacts of a list are ordered by it. In a scene the first word is the index of its pair in `pairs` of this step, and the second
    /// is of its node with the largest force: both may change from step to step, and `links` say which contact goes on with which.
    pub key: [u64; 2],
    /// Where the force acts, in world coordinates.
    pub position: [f64; 3],
    /// Unit vector from B to A: the direction of the force on A.
    pub normal: [f64; 3],
    /// Torque on A about `position`, divided by k, that the force alone leaves out: a length to the third; 0 where all of it pushes one way.
    pub moment: [f64; 3],
    /// Mean gap over the area: at most `halo`. Of flat faces it is 0 where they touch; of a ball that touches, half of `halo`.
    pub gap: f64,
    /// The smallest gap; where the bodies penetrate, minus the largest depth.
    pub least_gap: f64,
    /// Pressure law: the force on A is k (1 - gap / halo) area.
    pub area: f64,
    /// Point law: the force on A is K (1 - g / halo) share, with g the smallest `least_gap` of the body pair's contacts. Shares sum to 1
    /// over the contacts of a body pair.
    pub share: f64,
    /// Sum of both halos; where triangles have halos of their own, the mean of it over the contact.
    pub halo: f64,
    /// `DEM_CONTACT_*`: what it is made of.
    pub kind: u32,
    /// Bits of `DEM_CONTACT_IS_*`. Alarming are UNSURE, COINCIDENT, THIN, OPEN and LEAST_TRANSLATION: force and depth may then be
    /// wrong, and mesh, halo or pose should be looked at. The others are facts that a sound scene has, too.
    pub status: u32,
    /// Stored energy divided by k, where the query asks for it (`energies`): force and torque of a body pair are minus k times the gradient of its sum over
    /// the contacts of the pair. A length to the third; 0 where it is not asked for, and by the law of facing.
    pub energy: f64,
    /// Sum of the forces of its sides over the magnitude of their sum: friction is the coefficient times this times the force. 1 on what is flat; in a groove whose
    /// sides lean by an angle from the floor, 1 over its cosine.
    pub wedging: f64,
    /// Effective radius 1 / (1/R_A + 1/R_B) of balls, capsules and half-spaces, with their radii where halos end; 0 of other bodies.
    pub radius: f64,
    /// From `position` to the centroid of the area, where the query asks for it (`spreads`); else 0.
    pub offset: [f64; 3],
    /// Second moment of the pressure about `position` divided by its sum, where the query asks for it (`spreads`); else 0. A length squared, in world axes: xx, yy,
    /// zz, xy, xz, yz. The mean square of the distance from an axis n is xx + yy + zz less n' S n.
    pub spread: [f64; 6],
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
});

mirrored!(dem_contact, Contact: key, position, normal, moment, gap, least_gap, area, share, halo, kind, status, energy, wedging, radius, offset, spread);

/// A patch of A and a patch of B that press on each other: a part of a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact_node {
    /// Features of both bodies that meet: the second half of the key that a contact of this node alone has.
    pub features: u64,
    /// Index of the contact that it belongs to.
    pub contact: u32,
    /// Magnitude of its force, divided by k: an area.
    pub force: f32,
}

fixed!(dem_contact_node { features: u64, contact: u32, force: f32 });
mirrored!(dem_contact_node, Node: features, contact, force);

/// What a contact of this step was in the last one. Numbers are indices in the list of the last step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_contact_link {
    /// The contact that this one goes on with; `DEM_NO_ID` where it begins. No two have the same.
    pub origin: u32,
    /// The contact whose spring it takes: the one with which it has the most force in common, else its origin, else one of the same pair that it begins beside,
    /// else `DEM_NO_ID`. Where it takes several, this is the first of its blends.
    pub source: u32,
}

fixed!(dem_contact_link { origin: u32, source: u32 });

/// How much of the spring of a contact of the last step one of this step takes, where it takes several.
///
/// Ordered by `now`; those of one contact by weight, the heaviest first. A contact without blends takes the spring of its `source`.
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

/// What happens to a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_contact_event {
    /// `DEM_EVENT_BEGIN`, `DEM_EVENT_PERSIST` or `DEM_EVENT_END`.
    pub contact: u32,
    /// What happens to the pair, with its first event: it begins to touch, goes on, or ends. `DEM_EVENT_NONE` with all others.
    pub pair: u32,
    /// Its index in the list of this step; `DEM_NO_ID` where it ends.
    pub now: u32,
    /// Its index in the list of the last step; `DEM_NO_ID` where it begins.
    pub last: u32,
}

fixed!(dem_contact_event { contact: u32, pair: u32, now: u32, last: u32 });

// The core writes its own records into the host's memory.
const _: () = {
    assert!(size_of::<Link>() == size_of::<dem_contact_link>() && align_of::<Link>() == align_of::<dem_contact_link>());
    assert!(core::mem::offset_of!(Link, source) == core::mem::offset_of!(dem_contact_link, source));
    assert!(size_of::<Event>() == size_of::<dem_contact_event>());
    assert!(align_of::<Event>() == align_of::<dem_contact_event>());
    assert!(core::mem::offset_of!(Event, pair) == core::mem::offset_of!(dem_contact_event, pair));
    assert!(core::mem::offset_of!(Event, now) == core::mem::offset_of!(dem_contact_event, now));
    assert!(core::mem::offset_of!(Event, last) == core::mem::offset_of!(dem_contact_event, last));
};

/// Nothing happens here: `pair` of all events of a pair but the first.
pub const DEM_EVENT_NONE: u32 = 0;
/// It was not there in the last step.
pub const DEM_EVENT_BEGIN: u32 = 1;
/// It was there, and it is.
pub const DEM_EVENT_PERSIST: u32 = 2;
/// It was there, and is no more.
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
    /// Its place among the corners of the contact, from 0: the deepest comes first, then always the one farthest from what those
    /// before it span. So the first few are the best few.
    pub order: u32,
    /// What of A and what of B meets there: an edge between vertices v and w > v is v << 32 | w, a vertex v is v << 32 | v; all bits are set for all else: the inside of a flat part, spheres, half-spaces,
    /// and both where the corner is the position of its contact. Of vertices in one place it is the first one's number. With the pair of bodies they name the corner from one step
    /// to the next, so that a solver finds the impulse that it had. What lies on an edge of the other body within rounding may have either name.
    pub features: [u64; 2],
    /// Of its contact: how much smaller the gap is somewhere in it than what its corners say there, at most. About 0 of flat parts; more where a contact is over bent parts, or where fewer
    /// corners are told than there are.
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
