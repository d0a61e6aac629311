//! Contacts of two bodies: what forces act on.
//!
//! A list of near triangles is no list of contacts: there are many, they come and go, and they know how a surface was cut into
//! triangles. A contact is a piece of an integral: for every pair of patches (flat parts of a surface, found when cells are
//! built) the area over which the surfaces are within the sum T of their halos, weighted by how deep they are in each other's
//! halo. So there are few contacts, they do not depend on the triangles of flat parts, and they vary continuously with both
//! poses: a contact begins and ends with area 0. Halos are thus part of the model: the force is 0 where surfaces are T apart,
//! and largest where they touch. Choose T as the depth to which your stiffest contact may be pressed.
//!
//! In the beginning: dem_shape_init and dem_cells_init for each shape, dem_contact_query_init. In every step: for each couple of
//! bodies that may be near, fill the query and call dem_contacts.
//!
//! The force on A is along `normal`, which points from B to A, and acts at `position`; the force on B is the opposite, at the
//! same place. Choose one law:
//!
//! - pressure law: F = k (1 - gap / halo) area, with k in force per area: bodies rest on faces, edges and corners alike, and a
//!   larger area is stiffer;
//! - point law: F = K (1 - least_gap / halo) share, with K in force: the stiffness of a couple does not depend on areas; its
//!   shares sum to 1.
//!
//! The torque about a point c is that of the force, (position - c) x F normal, and with the pressure law `k couple` beside it:
//! what one force at one place leaves out of the resultant. Dashpots, friction and all else are the program's, at `position`,
//! with the velocities that the bodies have there.
//!
//! Both laws go on where bodies penetrate, with a negative gap: each part of one in the other has the normal, the area and the
//! depth of what is enclosed, and a body that sinks feels no jump when its gap passes through zero. Where surfaces are open, what
//! separates their triangles by the smallest translation is taken, and `status` tells so.
//!
//! Limits. Thin and folded bodies count what is behind a fold, too: keep T smaller
//! than the gaps and walls of a body. Sheets on their rims and crossed blades sharper than 23 degrees do not meet. A triangle is felt
//! on the side that it looks to: a mesh should look outward, all of it. Turned inside out it is a room, which is not felt from
//! outside and draws in what goes through its wall. A part that is turned leaves its share of the force out, and so does an
//! edge that has not exactly two triangles which agree. (dem_shape_inspect finds all that: inward components, reversed
//! triangles, open, non-manifold and inconsistent edges.) A body that is inside of another as a whole is in no contact here;
//! dem_placed_contacts pushes it out of a mesh that is `solid`. The whole argument, with proofs and pictures, is in docs/contacts.md.

use core::ffi::c_void;

use dem_core::contact::{Contact, Found, Room, Side, contacts, contacts_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Carve, Layout, Plan};
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::cells::{self, dem_cells};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::memory::{self as blocks, Scratch};
use crate::queries::{IDENTITY, dem_pose};
use crate::records::Records;
use crate::shapes::{self, dem_shape};

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
    /// Its cells.
    pub cells_a: *const dem_cells,
    /// The second shape; may be the same.
    pub b: *const dem_shape,
    /// Its cells.
    pub cells_b: *const dem_cells,
    /// Where A is; the identity by default.
    pub pose_a: dem_pose,
    /// Where B is; the identity by default.
    pub pose_b: dem_pose,
    /// Names the couple of bodies: the first half of each contact's key. Any number; 0 by default.
    pub tag: u64,
}

fixed!(dem_contact_query {
    struct_size: u32,
    isa: u32,
    a: *const dem_shape,
    cells_a: *const dem_cells,
    b: *const dem_shape,
    cells_b: *const dem_cells,
    pose_a: dem_pose,
    pose_b: dem_pose,
    tag: u64,
});

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_contact_query {
    const DEFAULT: Self = dem_contact_query {
        struct_size: size_of::<dem_contact_query>() as u32,
        isa: DEM_ISA_BEST,
        a: core::ptr::null(),
        cells_a: core::ptr::null(),
        b: core::ptr::null(),
        cells_b: core::ptr::null(),
        pose_a: IDENTITY,
        pose_b: IDENTITY,
        tag: 0,
    };
}

/// A contact of two bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact {
    /// Names it, from one step to the next: the tag; then the first triangle of A's patch in the upper half, and of B's in the
    /// lower. Contacts of a list are ordered by it.
    pub key: [u64; 2],
    /// Where the force acts, in world coordinates.
    pub position: [f64; 3],
    /// Unit vector from B to A: the direction of the force on A.
    pub normal: [f64; 3],
    /// Moment on A about `position`, divided by k, that the force alone leaves out; 0 where surfaces are flat.
    pub couple: [f64; 3],
    /// Mean gap: at most `halo`, and less than 0 where the bodies penetrate.
    pub gap: f64,
    /// The smallest gap; where the bodies penetrate, minus the largest depth.
    pub least_gap: f64,
    /// Pressure law: the force on A is k (1 - gap / halo) area.
    pub area: f64,
    /// Point law: the force on A is K (1 - least_gap / halo) share. Sums to 1 over the contacts of a couple.
    pub share: f64,
    /// Sum of both halos; their mean where triangles have halos of their own.
    pub halo: f64,
    /// `DEM_CONTACT_*`: what it is made of.
    pub kind: u32,
    /// Bits of `DEM_CONTACT_IS_*`.
    pub status: u32,
}

fixed!(dem_contact {
    key: [u64; 2],
    position: [f64; 3],
    normal: [f64; 3],
    couple: [f64; 3],
    gap: f64,
    least_gap: f64,
    area: f64,
    share: f64,
    halo: f64,
    kind: u32,
    status: u32,
});

/// Bytes of a record.
const RECORD: usize = size_of::<dem_contact>();

// The core writes its own records into the host's memory.
macro_rules! mirrored {
    ($($field:ident),*) => {
        const _: () = {
            assert!(size_of::<Contact>() == RECORD && align_of::<Contact>() == align_of::<dem_contact>());
            $(assert!(core::mem::offset_of!(Contact, $field) == core::mem::offset_of!(dem_contact, $field));)*
        };

        impl From<Contact> for dem_contact {
            fn from(contact: Contact) -> Self {
                let Contact { $($field),* } = contact;
                dem_contact { $($field),* }
            }
        }

        impl From<dem_contact> for Contact {
            fn from(contact: dem_contact) -> Self {
                let dem_contact { $($field),* } = contact;
                Contact { $($field),* }
            }
        }
    };
}
mirrored!(key, position, normal, couple, gap, least_gap, area, share, halo, kind, status);

/// Fills `query` with the defaults.
///
/// Outputs: `query`.
/// Inputs: `struct_size`: `sizeof(dem_contact_query)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_query_init(query: *mut dem_contact_query, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(query, struct_size, What::Options) })
}

/// How much scratch is good to begin with for `dem_contacts`.
///
/// Outputs: `scratch_size`: bytes; they do not depend on the poses. Some 600 for each pair of triangles, and
/// some 20 for each triangle of both bodies, and up to 180,000 more.
/// Inputs: `query`: its shapes and cells. `pairs`: how many pairs of triangles may be within the halos; 0: 256. `capacity`,
/// `stride`: as for `dem_contacts`.
/// Errors: those of `dem_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.2 microseconds.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contacts_scratch(
    scratch_size: *mut usize,
    query: *const dem_contact_query,
    pairs: usize,
    capacity: usize,
    stride: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let pairs = if pairs == 0 { FIRST_ROOM } else { pairs };
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let needs = with(query, |q| Need::new(q, capacity, stride)?.bytes(pairs as u64))?;
            edge::write(scratch_size, needs, What::Scratch)
        }
    })
}

/// The contacts of two bodies, ordered by key.
///
/// There are none where the surfaces are farther apart than the sum of their halos. Exchanging A and B exchanges the patches
/// and negates normals and couples, bit for bit but for the last bits of shares. Lists of several couples, one behind the other, are ordered by key as a whole
/// if the couples are asked for in the order of their tags.
///
/// What is too small tells how much would do, so that a program may begin with little and grow:
///
///   while ((status = dem_contacts(contacts, capacity, 0, &count, &query, scratch, size, &error)) == DEM_ERROR_CAPACITY)
///     if (count > capacity) contacts = realloc(contacts, (capacity = count) * sizeof *contacts);
///     else scratch = realloc(scratch, size = error.needed);
///
/// Outputs: `contacts` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before, of which
/// min(`stride`, `sizeof(dem_contact)`) bytes are written; with a stride of 0 or `sizeof(dem_contact)` the array must be
/// aligned as doubles are. `count` (may be null): how many contacts there are, also where there are more than `capacity`; 0
/// where that was not found out.
/// Inputs: `query`: shapes, cells, poses, tag. `scratch`, `scratch_size`: at any alignment; what `dem_contacts_scratch` says is
/// enough for the number of pairs that it was told.
/// Memory: scratch and records must not overlap each other nor shapes and cells.
/// Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; those written mean nothing. About `scratch`: `needed` bytes,
/// three times at most for the same bodies and poses, four from a size of 0. `DEM_ERROR_MISMATCH` about `cells of A` or `cells of B`: they are of another
/// shape, or the shape was changed by a refit. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`,
/// `DEM_ERROR_POISONED`: a shape or cells; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose (`component` 0 to 2:
/// position, 3 to 6: orientation); `DEM_ERROR_BAD_SIZE`: `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the
/// instruction set.
/// Cost: proportional to the pairs of triangles within the halos, some 0.1 microseconds each; under a microsecond for bodies
/// far apart.
/// Threads: any number at a time, on the same shapes and cells, each with records and scratch of its own.
/// Determinism: the same bits on every machine, with every instruction set and size of scratch.
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
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let found = with(query, |q| find(q, (contacts, capacity, stride), (scratch, scratch_size)));
            tell(count, found)
        }
    })
}

/// A query whose bodies are open.
pub(crate) trait Couple {
    /// Scratch for this room.
    fn scratch(&self, room: Room) -> Result<Layout>;
    /// Writes the contacts.
    fn contacts(&self, room: Room, out: &mut [Contact], scratch: &mut [u8]) -> Result<Found>;
    /// Errors: [`Kind::Overlap`] where memory that is to be written shares a byte with what a body is made of.
    fn apart_from(&self, memory: (*const c_void, usize), what: What) -> Result<()>;
}

/// Writes the contacts of a couple into a host's records, and gives their number.
///
/// # Safety
/// Pointers that are not null point at as much as is said.
pub(crate) unsafe fn find(
    q: &impl Couple,
    (contacts, capacity, stride): (*mut dem_contact, usize, usize),
    (scratch, scratch_size): (*mut c_void, usize),
) -> Result<usize> {
    let records = Records::<dem_contact>::new(contacts, capacity, stride)?;
    let scratch = Scratch::new(scratch, scratch_size);
    q.apart_from((scratch.start(), scratch_size), What::Scratch)?;
    q.apart_from(records.bytes(), What::Output)?;
    scratch.apart_from(records.bytes())?;
    let need = Need::new(q, capacity, stride)?;
    let pairs = need.room(scratch_size)?;
    // SAFETY: by this function's contract, and they are apart.
    let found = unsafe { need.find(&records, pairs, scratch.take(need.layout(pairs)?)?) };
    found.map_err(|e| need.told(e, pairs, scratch_size))
}

/// Writes how many contacts there are, where that is known.
///
/// # Safety
/// `count` is null or points at a number.
pub(crate) unsafe fn tell(count: *mut usize, found: Result<usize>) -> Result<()> {
    let number = match found {
        Ok(number) => number,
        Err(e) if e.kind == Kind::Capacity && e.what == What::Output => e.needed as usize,
        Err(_) => 0,
    };
    // SAFETY: by this function's contract.
    unsafe { edge::write_optional(count, number) };
    found.map(|_| ())
}

/// A query with shapes and cells opened.
struct Query<'a> {
    a: Side<'a>,
    b: Side<'a>,
    isa: Isa,
    tag: u64,
    /// Shapes and cells.
    blocks: [(*const c_void, usize); 4],
}

/// Shape and cells of a body.
pub(crate) type Body<'a> = (shapes::Opened<'a>, cells::Opened<'a>);

/// Runs `body` with a shape and its cells.
///
/// # Safety
/// Where the pointers are not null, they are those of a shape and of cells.
pub(crate) unsafe fn with_body<R>(
    (shape, of_shape): (*const dem_shape, What),
    (cells, of_cells): (*const dem_cells, What),
    body: impl FnOnce(Body<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe {
        shapes::identified(shape, of_shape, |shape, identity| {
            cells::opened(cells, of_cells, |cells| match cells.1 == identity {
                true => body((shape, cells)),
                false => Err(Error::new(Kind::Mismatch, of_cells)),
            })
        })
    }
}

/// Runs `body` with a query whose shapes and cells are open.
///
/// # Safety
/// Where the pointers are not null, they point at a query, at shapes and at cells.
unsafe fn with<R>(query: *const dem_contact_query, body: impl FnOnce(&Query<'_>) -> Result<R>) -> Result<R> {
    if query.is_null() {
        return Err(Error::new(Kind::Null, What::Options));
    }
    // SAFETY: by this function's contract.
    let q = unsafe { inputs::read(query, What::Options) }?;
    let isa = Isa::numbered(q.isa)?;
    let pose = |p: dem_pose| Pose { position: p.position, orientation: p.orientation };
    let (pose_a, pose_b) = (pose(q.pose_a), pose(q.pose_b));
    // SAFETY: by this function's contract.
    unsafe {
        with_body((q.a, What::MeshA), (q.cells_a, What::CellsA), |a| {
            with_body((q.b, What::MeshB), (q.cells_b, What::CellsB), |b| {
                let blocks = [a.0.2, b.0.2, a.1.2, b.1.2];
                let a = Side {
                    operand: Operand { mesh: a.0.0, tree: a.0.1, pose: &pose_a, scale: 1.0 },
                    cells: a.1.0,
                    solid: false,
                };
                let b = Side {
                    operand: Operand { mesh: b.0.0, tree: b.0.1, pose: &pose_b, scale: 1.0 },
                    cells: b.1.0,
                    solid: false,
                };
                body(&Query { a, b, isa, tag: q.tag, blocks })
            })
        })
    }
}

impl Couple for Query<'_> {
    fn scratch(&self, room: Room) -> Result<Layout> {
        contacts_scratch(&self.a, &self.b, room)
    }

    fn contacts(&self, room: Room, out: &mut [Contact], scratch: &mut [u8]) -> Result<Found> {
        contacts(self.isa, &self.a, &self.b, self.tag, room, out, scratch)
    }

    fn apart_from(&self, memory: (*const c_void, usize), what: What) -> Result<()> {
        self.blocks.iter().try_for_each(|block| blocks::apart(memory, *block, what))
    }
}

/// Pairs of triangles that there is room for to begin with.
pub(crate) const FIRST_ROOM: usize = 256;
/// Room for faces in cells that goes with room for a pair; curved surfaces have about three.
const TERMS: u64 = 4;
/// For so many pairs there is room for one that crosses.
const SEGMENT_OF: u64 = 4;

/// What a query needs of the scratch: bytes for so many pairs of triangles.
pub(crate) struct Need<'q, C> {
    query: &'q C,
    /// Records that are not packed are found in the scratch first.
    records: usize,
    /// Without a pair, the gaps between parts included.
    base: usize,
    /// For each pair.
    each: usize,
}

impl<'q, C: Couple> Need<'q, C> {
    pub(crate) fn new(query: &'q C, capacity: usize, stride: usize) -> Result<Self> {
        let records = if stride == 0 || stride == RECORD { 0 } else { capacity };
        let mut need = Need { query, records, base: 0, each: 0 };
        // Parts are multiples of 64 bytes; so many pairs leave no gap.
        const MANY: u64 = 64;
        const PARTS: usize = 32;
        let (none, many) = (need.layout(0)?.size, need.layout(MANY)?.size);
        need.each = (many - none).div_ceil(MANY as usize);
        need.base = none.saturating_add(64 * PARTS);
        Ok(need)
    }

    fn layout(&self, pairs: u64) -> Result<Layout> {
        let mut plan = Plan::new();
        plan.part(self.of_query(pairs)?).add::<Contact>(self.records as u64);
        plan.layout(What::Scratch)
    }

    fn of_query(&self, pairs: u64) -> Result<Layout> {
        self.query.scratch(room(pairs)?)
    }

    /// Bytes that are enough for so many pairs.
    pub(crate) fn bytes(&self, pairs: u64) -> Result<usize> {
        let too_large = Error::new(Kind::TooLarge, What::Scratch).amounts(isize::MAX as u64, pairs);
        let pairs = usize::try_from(pairs).map_err(|_| too_large)?;
        let size = pairs.checked_mul(self.each).and_then(|n| n.checked_add(self.base)).ok_or(too_large)?;
        blocks::scratch_size(Layout { size, align: blocks::DEM_ALIGN })
    }

    /// Pairs that so many bytes are enough for.
    fn room(&self, bytes: usize) -> Result<u64> {
        let least = self.bytes(0)?;
        let pairs = bytes.checked_sub(least).map(|rest| rest / self.each.max(1));
        let first = self.bytes(FIRST_ROOM as u64)?;
        pairs.map(|n| n as u64).ok_or(Error::capacity(What::Scratch, first as u64, bytes as u64))
    }

    /// The error in bytes where pairs of triangles or faces in cells had no room.
    fn told(&self, e: Error, pairs: u64, bytes: usize) -> Error {
        let needed = match (e.kind, e.what) {
            (Kind::Capacity, What::Pairs) => e.needed,
            (Kind::Capacity, What::Terms) => e.needed.div_ceil(TERMS),
            (Kind::Capacity, What::Segments) => e.needed.saturating_mul(SEGMENT_OF),
            _ => return e,
        };
        self.bytes(needed.max(pairs + 1)).map_or_else(|e| e, |n| Error::capacity(What::Scratch, n as u64, bytes as u64))
    }

    /// Finds all contacts and writes them.
    ///
    /// # Safety
    /// There is room for the records, apart from the scratch, shapes and cells.
    unsafe fn find(&self, records: &Records<dem_contact>, pairs: u64, scratch: &mut [u8]) -> Result<usize> {
        let mut carve = Carve::new(scratch, self.layout(pairs)?, What::Scratch)?;
        let query = carve.part(self.of_query(pairs)?)?;
        let inside = carve.take::<Contact>(self.records as u64)?;
        let mut search = |out: &mut [Contact]| self.query.contacts(room(pairs)?, out, query);
        if self.records > 0 {
            let number = search(inside)?.contacts;
            let all = inside.iter().take(number).map(|contact| dem_contact::from(*contact));
            // SAFETY: by this function's contract.
            unsafe { records.write(core::ptr::null_mut(), number, all) }?;
            return Ok(number);
        }
        // SAFETY: records of the same layout, by this function's contract; any bytes are a record.
        Ok(search(unsafe { records.cast::<Contact>().slice() }?)?.contacts)
    }
}

fn room(pairs: u64) -> Result<Room> {
    let fits =
        |n: Option<u64>| n.and_then(|n| usize::try_from(n).ok()).ok_or(Error::new(Kind::TooLarge, What::Scratch));
    // At least one, so that what a segment needs besides does not depend on the number of pairs.
    let segments = pairs / SEGMENT_OF + 1;
    Ok(Room { pairs: fits(Some(pairs))?, terms: fits(pairs.checked_mul(TERMS))?, segments: fits(Some(segments))? })
}

#[cfg(test)]
mod tests;
