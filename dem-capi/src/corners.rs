//! Corners of contacts, for solvers that work with impulses.
//!
//! An impulse solver needs points, each with a gap that must not close within the step, and not areas. Look along the normal of a contact:
//! the faces of two flat patches lie above each other in a region. The corners of the contact are those of the region's convex hull;
//! a contact of several patches has the corners of all its regions that lie on their common hull. If the corners stay apart, all of the contact
//! stays apart (as long as nothing closes by more than the halo in a step).
//! A box on a wall has four corners, even on a wall of ten thousand triangles. A tilted box has those of its corners that are in the halo.
//! A corner begins and ends with a gap equal to the halo, where it has no effect yet. So give all corners to the solver, with the condition: velocity
//! along the normal >= -gap / dt (speculative contact). Bodies then come to rest without a jump.
//!
//! In every step: dem_placed_contacts for a body pair, then dem_contact_corners for the same pair. For a badly welded wall, call
//! dem_contact_clamp in between.

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

/// Tells a good first size of the scratch of `dem_contact_corners`.
///
/// Outputs: `scratch_size`: bytes; some 600 for each pair of triangles.
/// Inputs: `query`: its bodies. `pairs`: the most pairs of triangles within the halos, or triangles near a half-space, of any one pair of
/// parts; 0: 256.
/// Errors: those of `dem_placed_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.4 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_corners_scratch(
    scratch_size: *mut usize,
    query: *const dem_placed_query,
    pairs: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        let search = Corners { contacts: &[], most: CornerLimits::ALL };
        let needs = needs(&search, &pair_contacts::read(query)?, first_room(pairs), (0, 0))?;
        edge::write(scratch_size, needs, What::Scratch)
    })
}

/// Finds the corners of the contacts of two bodies, ordered by contact: at least one for each.
///
/// They are corners of A above faces of B, corners of B above faces of A, and places where edges cross. A corner is left out if the hull of
/// the others contains it up to a tolerance: 1/64 of the halo or a millionth of the sizes, whichever is less. Each part of a compound has
/// the corners that it would have alone.
/// Some contacts have only one corner, at their position and with their least gap. These are contacts with a sphere, and contacts where no
/// face lies above a face (crossed edges, or a body inside another as a whole). Contacts of two meshes that penetrate by more than four
/// halos have one corner, too.
///
/// Outputs: `corners` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0: the
/// size in version 0.1). The function writes min(`stride`, `sizeof(dem_contact_corner)`) bytes of each. `count` (may be null): how
/// many there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `contacts`, `contact_count`: all contacts of the same query, in their order, clamped or not, aligned as `double`;
/// `contact_stride`: bytes from one to the next, `sizeof(dem_contact)` or 0. `most`: the most corners of each contact; 0: four, the most important
/// ones; SIZE_MAX: all. `query`: bodies. `scratch`, `scratch_size`: at any alignment; the size of `dem_contact_corners_scratch` is enough for the number of pairs given
/// there.
/// Memory: scratch and records must not overlap each other, the contacts and shapes.
/// Errors: those of `dem_placed_contacts`; `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `contacts`:
/// they are not in order, with the first one that is not.
/// Cost: some tenths of a microsecond for each pair of triangles, including the search; for a contact of n corners n times n nanoseconds;
/// for compounds some nanoseconds for each contact and part.
/// Threads: any number at a time, on the same shapes, each with records and scratch of its own.
/// Determinism: the same bits on every machine. Exchanging A and B changes only the order of contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_corners(
    corners: *mut dem_contact_corner,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    contacts: *const dem_contact,
    contact_count: usize,
    contact_stride: usize,
    query: *const dem_placed_query,
    most: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
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

/// A search for the corners of these contacts, at most `most` of each.
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
