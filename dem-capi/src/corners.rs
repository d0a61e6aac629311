//! Corners of contacts, for solvers that work with impulses.
//!
//! A solver of impulses wants points, each with a gap that must not close within the step, in place of areas. Seen along its normal, a
//! contact is where the faces of two flat patches lie above each other; its corners are those of the convex hull of that, so that
//! all of the contact stays apart if its corners do (and nothing closes by more than the halo in a step). A box on a wall has four, of a wall of ten thousand triangles, too; one that is tilted has
//! those of its corners that are in the halo. A corner begins and ends with a gap of the halo, where it does nothing yet: give the
//! solver all of them, with velocity along the normal >= -gap / dt (what is called speculative contact), and bodies come to rest
//! without a jump.
//!
//! In every step: dem_placed_contacts for a body pair, then dem_contact_corners for the same pair. For a wall that is badly
//! welded: dem_contact_clamp in between.

use core::ffi::c_void;

use dem_core::contact::shape::{Placed, shape_corners, shape_corners_scratch};
use dem_core::contact::{Contact, Corner, CornerLimits, Regions};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Layout;

use crate::body_contacts::{dem_contact, dem_contact_corner};
use crate::edge;
use crate::errors::dem_error;
use crate::memory::Stretch;
use crate::pair_contacts::{self, dem_placed_query};
use crate::records::{is_packed, shared, tell};
use crate::search::{Query, Search, find, first_room, needs};

/// How much scratch is good to begin with for `dem_contact_corners`.
///
/// Outputs: `scratch_size`: bytes; some 600 for each pair of triangles.
/// Inputs: `query`: its bodies. `pairs`: how many pairs of triangles may be within the halos, or triangles near a half-space, of any one pair
/// of parts; 0: 256.
/// Errors: those of `dem_placed_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.2 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_corners_scratch(
    scratch_size: *mut usize,
    query: *const dem_placed_query,
    pairs: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
    edge::call(error, || unsafe {
        let search = Corners { contacts: &[], most: 0 };
        let needs = needs(&search, &pair_contacts::read(query)?, first_room(pairs), (0, 0))?;
        edge::write(scratch_size, needs, What::Scratch)
    })
}

/// The corners of the contacts of two bodies, ordered by contact: at least one for each.
///
/// They are corners of A above faces of B, corners of B above faces of A, and places where edges cross. A corner is left out where the
/// others span it up to a tolerance: 1/64 of the halo or a millionth of the sizes, whichever is less. Parts of compounds have the corners that
/// they have by themselves. Some contacts have one corner only, at their position and with their least gap: those with a sphere; those where no face
/// lies above a face, as of crossed edges or of a body that is inside another as a whole; and those of two meshes that are deeper than four
/// halos.
///
/// Outputs: `corners` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
/// `sizeof(dem_contact_corner)`), of which min(`stride`, `sizeof(dem_contact_corner)`) bytes are written. `count` (may be null): how many
/// there are, also where there are more than `capacity`; 0 where that was not found out.
/// Inputs: `contacts`, `contact_count`: all contacts that the same query gave, as they came, `contact_stride` bytes from one to the next, which is `sizeof(dem_contact)` or 0,
/// aligned as doubles are; clamped or not. `most`: corners for each contact, at most; 0: as many as there are. `query`: bodies. `scratch`,
/// `scratch_size`: at any alignment; what `dem_contact_corners_scratch` says is enough for the number of pairs that it was told.
/// Memory: scratch and records must not overlap each other, the contacts and shapes.
/// Errors: those of `dem_placed_contacts`; `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `contacts`: they are not in order, with the first one that is not.
/// Cost: some tenths of a microsecond for each pair of triangles, finding it included; for a contact of n corners n times n nanoseconds; for
/// compounds some nanoseconds for each contact and part.
/// Threads: any number at a time, on the same shapes, each with records and scratch of its own.
/// Determinism: the same bits on every machine; exchanging A and B changes nothing but the order of contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_corners(
    corners: *mut dem_contact_corner,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    contacts: *const dem_contact,
    contact_count: usize,
    contact_stride: usize,
    most: usize,
    query: *const dem_placed_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
    edge::call(error, || unsafe {
        let packed = is_packed::<dem_contact>(contact_stride, What::Contacts);
        let contacts = packed.and_then(|()| shared(contacts.cast::<Contact>(), contact_count, What::Contacts));
        let found = contacts.and_then(|contacts| {
            let search = Corners { contacts, most };
            find(&search, &pair_contacts::read(query)?, (corners, capacity, stride), (scratch, scratch_size))
        });
        tell(count, found, What::Output)
    })
}

/// The search for corners of these contacts, for so many of each.
struct Corners<'c> {
    contacts: &'c [Contact],
    most: usize,
}

impl Search for Corners<'_> {
    type Record = dem_contact_corner;

    fn scratch(&self, a: &Placed<'_>, b: &Placed<'_>, pairs: u64) -> Result<Layout> {
        let pairs = usize::try_from(pairs).map_err(|_| Error::new(Kind::TooLarge, What::Scratch))?;
        shape_corners_scratch(a, b, pairs)
    }

    fn run(&self, query: &Query<'_>, pairs: u64, out: &mut [Corner], scratch: &mut [u8]) -> Result<usize> {
        let limits = CornerLimits { pairs: pairs as usize, most: self.most };
        shape_corners(
            query.isa,
            &query.a,
            &query.b,
            &Regions { contacts: self.contacts, nodes: &[] },
            limits,
            out,
            scratch,
        )
    }

    fn pairs_for(&self, error: &Error) -> Option<u64> {
        ((error.kind, error.what) == (Kind::Capacity, What::Pairs)).then_some(error.needed)
    }

    fn reads(&self) -> Option<Stretch> {
        Some((self.contacts.as_ptr().cast(), size_of_val(self.contacts)))
    }
}

#[cfg(test)]
mod tests;
