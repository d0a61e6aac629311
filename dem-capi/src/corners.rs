//! Corners of contacts, for solvers that work with impulses.
//!
//! A solver of impulses wants points, each with a gap that must not close within the step, in place of areas. Seen along its normal, a
//! contact is where the faces of two flat patches lie above each other; its corners are those of the convex hull of that, so that
//! all of the contact stays apart if its corners do (and nothing closes by more than the halo in a step). A box on a wall has four, of a wall of ten thousand triangles, too; one that is tilted has
//! those of its corners that are in the halo. A corner begins and ends with a gap of the halo, where it does nothing yet: give the
//! solver all of them, with velocity along the normal >= -gap / dt (what is called speculative contact), and bodies come to rest
//! without a jump.
//!
//! In every step: dem_placed_contacts (or dem_contacts) for a couple, then dem_contact_corners for the same couple. For a wall that is badly
//! welded: dem_contact_clamp in between.

use core::ffi::c_void;

use dem_core::contact::shape::{shape_corners, shape_corners_scratch};
use dem_core::contact::{Contact, Corner, CornerLimits};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Carve, Layout, Plan};

use crate::body_contacts::{Couple, FIRST_ROOM, dem_contact, tell};
use crate::edge;
use crate::errors::dem_error;
use crate::history::shared;
use crate::layouts::fixed;
use crate::memory::{self as blocks, Scratch};
use crate::placed::{Query, dem_placed_query, with};
use crate::records::Records;

/// A corner of a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_contact_corner {
    /// Half-way between both surfaces, in world coordinates: position + gap / 2 normal is on A, position - gap / 2 normal on B.
    pub position: [f64; 3],
    /// From B's surface to A's along the contact's normal; negative where they penetrate.
    pub gap: f64,
    /// The place of its contact in the list.
    pub contact: u32,
    /// Its place among the corners of the contact, from 0: the deepest comes first, then always the one farthest from what those
    /// before it span. So the first few are the best few.
    pub order: u32,
}

fixed!(dem_contact_corner { position: [f64; 3], gap: f64, contact: u32, order: u32 });

// The core writes its own records into the host's memory.
const _: () = {
    assert!(size_of::<Corner>() == size_of::<dem_contact_corner>());
    assert!(align_of::<Corner>() == align_of::<dem_contact_corner>());
    assert!(core::mem::offset_of!(Corner, gap) == core::mem::offset_of!(dem_contact_corner, gap));
    assert!(core::mem::offset_of!(Corner, contact) == core::mem::offset_of!(dem_contact_corner, contact));
    assert!(core::mem::offset_of!(Corner, order) == core::mem::offset_of!(dem_contact_corner, order));
};

/// How much scratch is good to begin with for `dem_contact_corners`.
///
/// Outputs: `scratch_size`: bytes; some 600 for each pair of triangles.
/// Inputs: `query`: its bodies. `pairs`: how many pairs of triangles may be within the halos, or triangles near a half-space; 0: 256.
/// Errors: those of `dem_placed_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.2 microseconds.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_corners_scratch(
    scratch_size: *mut usize,
    query: *const dem_placed_query,
    pairs: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let pairs = if pairs == 0 { FIRST_ROOM } else { pairs };
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let needs = with(query, |q| Need::new(q, 0)?.bytes(pairs as u64))?;
            edge::write(scratch_size, needs, What::Scratch)
        }
    })
}

/// The corners of the contacts of two bodies, ordered by contact: at least one for each.
///
/// They are corners of A above faces of B, corners of B above faces of A, and places where edges cross. Corners that others span but for
/// 1/64 of the halo, or a millionth of the sizes, are left out. A contact with a sphere has one corner, its position with its least gap, and so
/// has one where no face lies above a face: of a body that is inside of another as a whole, of edges that are beside each other; and one of two
/// meshes that is deeper than four halos.
///
/// Outputs: `corners` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
/// `sizeof(dem_contact_corner)`), of which min(`stride`, `sizeof(dem_contact_corner)`) bytes are written. `count` (may be null): how many
/// there are, also where there are more than `capacity`; 0 where that was not found out.
/// Inputs: `contacts`, `contact_count`: all contacts that the same query gave, as they came, one `sizeof(dem_contact)` after the other,
/// aligned as doubles are; clamped or not. `most`: corners for each contact, at most; 0: as many as there are. `query`: bodies. `scratch`,
/// `scratch_size`: at any alignment; what `dem_contact_corners_scratch` says is enough for the number of pairs that it was told.
/// Memory: scratch and records must not overlap each other, the contacts, shapes and cells.
/// Errors: those of `dem_placed_contacts`; `DEM_ERROR_OUT_OF_RANGE` about `contacts`: they are not in order, with the first one that is not.
/// Cost: some tenths of a microsecond for each pair of triangles, finding it included; for a contact of n corners n times n nanoseconds.
/// Threads: any number at a time, on the same shapes and cells, each with records and scratch of its own.
/// Determinism: the same bits on every machine; exchanging A and B changes nothing but the order of contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_corners(
    corners: *mut dem_contact_corner,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    contacts: *const dem_contact,
    contact_count: usize,
    most: usize,
    query: *const dem_placed_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let found = with(query, |q| {
                let records = Records::<dem_contact_corner>::new(corners, capacity, stride)?;
                let scratch = Scratch::new(scratch, scratch_size);
                let list = shared(contacts.cast::<Contact>(), contact_count, What::Contacts)?;
                for (memory, what) in
                    [((scratch.start(), scratch_size), What::Scratch), (records.bytes(), What::Output)]
                {
                    q.apart_from(memory, what)?;
                    blocks::apart(memory, (list.as_ptr().cast(), size_of_val(list)), what)?;
                }
                scratch.apart_from(records.bytes())?;
                let packed = stride == 0 || stride == size_of::<dem_contact_corner>();
                let need = Need::new(q, if packed { 0 } else { capacity })?;
                let pairs = need.room(scratch_size)?;
                let memory = scratch.take(need.layout(pairs)?)?;
                need.find(&records, packed, (list, most), pairs, memory).map_err(|e| need.told(e, pairs, scratch_size))
            });
            tell(count, found)
        }
    })
}

/// What a query needs of the scratch: bytes for so many pairs of triangles.
struct Need<'q, 'a> {
    query: &'q Query<'a>,
    /// Records that are not packed are found in the scratch first.
    records: usize,
    base: usize,
    each: usize,
}

impl<'q, 'a> Need<'q, 'a> {
    fn new(query: &'q Query<'a>, records: usize) -> Result<Self> {
        let mut need = Need { query, records, base: 0, each: 0 };
        // Parts are multiples of 64 bytes; so many pairs leave no gap.
        const MANY: u64 = 64;
        const PARTS: usize = 16;
        let (none, many) = (need.layout(0)?.size, need.layout(MANY)?.size);
        need.each = (many - none).div_ceil(MANY as usize);
        need.base = none.saturating_add(64 * PARTS);
        Ok(need)
    }

    fn of_query(&self, pairs: u64) -> Result<Layout> {
        let pairs = usize::try_from(pairs).map_err(|_| Error::new(Kind::TooLarge, What::Scratch))?;
        shape_corners_scratch(&self.query.a, &self.query.b, pairs)
    }

    fn layout(&self, pairs: u64) -> Result<Layout> {
        let mut plan = Plan::new();
        plan.part(self.of_query(pairs)?).add::<Corner>(self.records as u64);
        plan.layout(What::Scratch)
    }

    /// Bytes that are enough for so many pairs.
    fn bytes(&self, pairs: u64) -> Result<usize> {
        let too_large = Error::new(Kind::TooLarge, What::Scratch).amounts(isize::MAX as u64, pairs);
        let pairs = usize::try_from(pairs).map_err(|_| too_large)?;
        let size = pairs.checked_mul(self.each).and_then(|n| n.checked_add(self.base)).ok_or(too_large)?;
        blocks::scratch_size(Layout { size, align: blocks::DEM_ALIGN })
    }

    /// Pairs that so many bytes are enough for.
    fn room(&self, bytes: usize) -> Result<u64> {
        let first = self.bytes(FIRST_ROOM as u64)?;
        let rest = bytes.checked_sub(self.bytes(0)?).map(|rest| (rest / self.each.max(1)) as u64);
        rest.ok_or(Error::capacity(What::Scratch, first as u64, bytes as u64))
    }

    /// The error in bytes where pairs of triangles had no room.
    fn told(&self, e: Error, pairs: u64, bytes: usize) -> Error {
        if (e.kind, e.what) != (Kind::Capacity, What::Pairs) {
            return e;
        }
        let needed = self.bytes(e.needed.max(pairs + 1));
        needed.map_or_else(|e| e, |n| Error::capacity(What::Scratch, n as u64, bytes as u64))
    }

    /// # Safety
    /// There is room for the records, apart from everything else.
    unsafe fn find(
        &self,
        records: &Records<dem_contact_corner>,
        packed: bool,
        (contacts, most): (&[Contact], usize),
        pairs: u64,
        scratch: &mut [u8],
    ) -> Result<usize> {
        let mut carve = Carve::new(scratch, self.layout(pairs)?, What::Scratch)?;
        let rest = carve.part(self.of_query(pairs)?)?;
        let inside = carve.take::<Corner>(self.records as u64)?;
        let limits = CornerLimits { pairs: pairs as usize, most };
        let Query { a, b, isa, .. } = self.query;
        let mut search = |out: &mut [Corner]| shape_corners(*isa, a, b, contacts, limits, out, rest);
        if packed {
            // SAFETY: records of the same layout, by this function's contract; any bytes are a record.
            return search(unsafe { records.cast::<Corner>().slice() }?);
        }
        let number = search(inside)?;
        let all = inside.iter().take(number).map(|c| {
            let Corner { position, gap, contact, order } = *c;
            dem_contact_corner { position, gap, contact, order }
        });
        // SAFETY: by this function's contract.
        unsafe { records.write(core::ptr::null_mut(), number, all) }?;
        Ok(number)
    }
}

#[cfg(test)]
mod tests;
