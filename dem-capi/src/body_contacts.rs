//! Contacts of two bodies: what forces act on.
//!
//! A list of near triangles is no list of contacts: there are many, they come and go, and they know how a surface was cut into
//! triangles. A contact is a piece of an integral: for every pair of patches (flat parts of a surface, found when cells are
//! built) the area over which the surfaces are within the sum T of their halos, weighted by how deep they are in each other's
//! halo. So there are few contacts, they do not depend on the triangles of flat parts, and they vary continuously with both
//! poses: a contact begins and ends with force 0. Halos are thus part of the model: the force is 0 where surfaces are T apart,
//! and largest where they touch. Choose T as the depth to which your stiffest contact may be pressed.
//!
//! In the beginning: dem_shape_init for each shape, dem_contact_query_init. In every step: for each pair of
//! bodies that may be near, fill the query and call dem_contacts.
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
//! wrong way adds no force, and neither does an edge without exactly two triangles that agree on what is outside. (dem_shape_inspect finds
//! all that: inward components, reversed triangles, open, non-manifold and inconsistent edges.) A body that is inside of another as a whole
//! is in no contact here; dem_placed_contacts pushes it out of a mesh that is `solid`. The whole argument, with proofs and pictures, is in
//! docs/contacts.md.

use core::ffi::c_void;

use dem_core::contact::Contact;
use dem_core::error::{Error, Kind, Result, What};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::placed::{Contacts, DEM_KIND_MESH, POINT, dem_placed, dem_placed_query};
use crate::queries::{IDENTITY, dem_pose};
use crate::records::{mirrored, tell};
use crate::search::{find, first_room, needs};
use crate::shapes::dem_shape;
use crate::tasks::{ALONE, dem_tasks};

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

/// Two shapes with their cells, and where they are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_contact_query {
    /// `sizeof(dem_contact_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// The first shape.
    pub a: *const dem_shape,
    /// The second shape; may be the same.
    pub b: *const dem_shape,
    /// Where A is; the identity by default.
    pub pose_a: dem_pose,
    /// Where B is; the identity by default.
    pub pose_b: dem_pose,
    /// Names the body pair: the first half of each contact's key. Any number; 0 by default.
    pub tag: u64,
    /// Threads of the program; none by default.
    pub tasks: dem_tasks,
}

fixed!(dem_contact_query {
    struct_size: u32,
    isa: u32,
    a: *const dem_shape,
    b: *const dem_shape,
    pose_a: dem_pose,
    pose_b: dem_pose,
    tag: u64,
    tasks: dem_tasks,
});

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_contact_query {
    const DEFAULT: Self = dem_contact_query {
        struct_size: size_of::<dem_contact_query>() as u32,
        isa: DEM_ISA_BEST,
        a: core::ptr::null(),
        b: core::ptr::null(),
        pose_a: IDENTITY,
        pose_b: IDENTITY,
        tag: 0,
        tasks: ALONE,
    };
}

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
    /// Sum of both halos; their mean where triangles have halos of their own.
    pub halo: f64,
    /// `DEM_CONTACT_*`: what it is made of.
    pub kind: u32,
    /// Bits of `DEM_CONTACT_IS_*`. Alarming are UNSURE, COINCIDENT, THIN, OPEN and LEAST_TRANSLATION: force and depth may then be
    /// wrong, and mesh, halo or pose should be looked at. The others are facts that a sound scene has, too.
    pub status: u32,
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
});

mirrored!(dem_contact, Contact: key, position, normal, moment, gap, least_gap, area, share, halo, kind, status);

/// Fills `query` with the defaults.
///
/// Outputs: `query`.
/// Inputs: `struct_size`: `sizeof(dem_contact_query)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_query_init(query: *mut dem_contact_query, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(query, struct_size, What::Options) })
}

/// How much scratch is good to begin with for `dem_contacts`.
///
/// Outputs: `scratch_size`: bytes; they do not depend on the poses. Some 600 for each pair of triangles, and
/// some 20 for each triangle of both bodies, and up to 180,000 more; for each further lane of the program's threads some 500 for each pair
/// of triangles, and up to 180,000.
/// Inputs: `query`: its shapes. `pairs`: how many pairs of triangles may be within the halos; 0: 256. `capacity`,
/// `stride`: as for `dem_contacts`.
/// Errors: those of `dem_contacts` about shapes and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.2 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contacts_scratch(
    scratch_size: *mut usize,
    query: *const dem_contact_query,
    pairs: usize,
    capacity: usize,
    stride: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
    edge::call(error, || unsafe {
        let needs = placed(query).and_then(|q| needs(&Contacts::of(&q)?, &q, first_room(pairs), (capacity, stride)))?;
        edge::write(scratch_size, needs, What::Scratch)
    })
}

/// The contacts of two bodies, ordered by key.
///
/// Surfaces farther apart than the sum of their halos have no contact. Exchanging A and B exchanges the patches and negates normals and
/// moments, bit for bit but for the last bits of shares. Lists of several body pairs, one behind the other, are ordered by key as a whole
/// if the pairs are asked for in the order of their tags.
///
/// An error tells how much memory would do, so that a program may begin with little and grow:
///
///   while ((status = dem_contacts(contacts, capacity, 0, &count, &query, scratch, size, &error)) == DEM_ERROR_CAPACITY)
///     if (count > capacity) contacts = realloc(contacts, (capacity = count) * sizeof *contacts);
///     else scratch = realloc(scratch, size = error.needed);
///
/// Outputs: `contacts` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before, of which
/// min(`stride`, `sizeof(dem_contact)`) bytes are written; with a stride of 0 or `sizeof(dem_contact)` the array must be
/// aligned as doubles are. `count` (may be null): how many contacts there are, also where there are more than `capacity`; 0
/// where that was not found out.
/// Inputs: `query`: shapes, poses, tag. `scratch`, `scratch_size`: at any alignment; what `dem_contacts_scratch` says of the same
/// `tasks` is enough for the number of pairs that it was told.
/// Memory: scratch and records must not overlap each other nor shapes.
/// Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; those written mean nothing. About `scratch`: `needed` bytes; for the same
/// bodies and poses that error comes at most three times in a row, four times after a size of 0. `DEM_ERROR_UNSUPPORTED` about `cells of A` or
/// `cells of B`: the shape was built without. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
/// `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose
/// (`component` 0 to 2: position, 3 to 6: orientation), or about `executor`: `reserved` of `tasks` is not 0; `DEM_ERROR_BAD_SIZE`:
/// `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
/// Cost: proportional to the pairs of triangles within the halos, some 0.1 microseconds each; under a microsecond for bodies
/// far apart.
/// Threads: any number at a time, on the same shapes, each with records and scratch of its own. Those in `tasks` share the work
/// where some hundred pairs of triangles are near.
/// Determinism: the same bits on every machine, with every instruction set and size of scratch, on any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contacts(
    contacts: *mut dem_contact,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_contact_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
    edge::call(error, || unsafe {
        let found = placed(query)
            .and_then(|q| find(&Contacts::of(&q)?, &q, (contacts, capacity, stride), (scratch, scratch_size)));
        tell(count, found, What::Output)
    })
}

/// The same as a query of bodies of any kinds.
///
/// # Safety
/// Where the pointer is not null, it points at a query.
unsafe fn placed(query: *const dem_contact_query) -> Result<dem_placed_query> {
    if query.is_null() {
        return Err(Error::new(Kind::Null, What::Options));
    }
    // SAFETY: by this function's contract.
    let q = unsafe { inputs::read(query, What::Options) }?;
    let mesh = |shape, pose| dem_placed { kind: DEM_KIND_MESH, shape, pose, ..POINT };
    let (a, b) = (mesh(q.a, q.pose_a), mesh(q.b, q.pose_b));
    Ok(dem_placed_query { isa: q.isa, tag: q.tag, a, b, tasks: q.tasks, ..Input::DEFAULT })
}

#[cfg(test)]
mod tests;
