//! Contacts of two bodies.
//!
//! The bodies may be of any kind. Here each pair of flat parts that are near has its own contact record. (In a scene, each place has one.)
//! If a program iterates within a step, it may search for near triangles once, with a margin: `dem_placed_list`.
//!
//! At the start: dem_shape_init for each mesh, dem_placed_query_default. In every step, for each pair of bodies that may be near: put the
//! bodies into the query and call dem_placed_contacts.

mod structs;

use core::ffi::c_void;

use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Request, list_pairs, list_pairs_scratch, listed_contacts, shape_contacts};
use dem_core::contact::{Contact, Room};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::{Executor, Work};
use dem_core::memory::Layout;

use crate::body_contacts::dem_contact;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::memory::Stretch;
use crate::records::{shared, tell};
use crate::search::{Query, Search, find, first_room, needs};
use crate::tasks::Host;
pub use structs::*;

/// Tells a good first size of the scratch of `dem_placed_contacts`.
///
/// Outputs: `scratch_size`: bytes, with a piece for each of the program's threads. The size does not depend on the poses. It is about 2
/// kilobytes without meshes. A compound needs about 100 for each part, and 500 for each mesh among the parts; consecutive parts with the
/// same mesh share these.
/// Inputs: `query`: its bodies. `pairs`: the most pairs of triangles, or triangles near a sphere or a capsule, or below a half-space's
/// halo; 0: 256. `capacity`, `stride`: as for `dem_placed_contacts`.
/// Errors: those of `dem_placed_contacts` about shapes and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.5 microseconds. For compounds it is as much for each pair of meshes, and some nanoseconds for each part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_contacts_scratch(
    scratch_size: *mut usize,
    query: *const dem_placed_query,
    pairs: usize,
    capacity: usize,
    stride: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        let needs = read(query).and_then(|q| needs(&Contacts::of(&q)?, &q, first_room(pairs), (capacity, stride)))?;
        edge::write(scratch_size, needs, What::Scratch)
    })
}

/// Finds the contacts of two bodies of any kinds, ordered by key.
///
/// Surfaces farther apart than the sum of their halos have no contact. If A and B are exchanged, patches are exchanged, and normals and moments are
/// negated, bit for bit. Only the last bits of shares may differ. A program may call the function for several body pairs in the order of their tags,
/// and put the lists one after the other. The whole list is then ordered by key. Shares sum to 1 over all contacts of the bodies.
///
/// The second word of a key has a number for each body. It is the first triangle of the patch for a mesh, and 0 for a sphere, a capsule or
/// a half-space. In a compound, the numbers continue from part to part: a mesh has as many numbers as triangles, any other part has one.
/// Two half-spaces have no contacts: neither can move away from the other.
///
/// With a `list` the contacts are the same, bit for bit, or an error tells that the bodies have moved too far for the list.
///
/// An error tells how much memory is needed, so a program may begin with little memory and let it grow:
///
///   while ((status = dem_placed_contacts(contacts, capacity, 0, &count, &query, scratch, size, &error)) == DEM_ERROR_CAPACITY)
///     if (count > capacity) contacts = realloc(contacts, (capacity = count) * sizeof *contacts);
///     else scratch = realloc(scratch, size = error.needed);
///
/// Outputs: `contacts` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before. The function writes
/// min(`stride`, `sizeof(dem_contact)`) bytes of each. With a stride of 0 or `sizeof(dem_contact)`, the array must be aligned as `double`.
/// `count` (may be null): how many contacts there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `query`: bodies and tag. `scratch`, `scratch_size`: at any alignment. The size of `dem_placed_contacts_scratch` for the same
/// `tasks` is enough for the number of pairs given there.
/// Memory: scratch and records must not overlap each other nor shapes and parts.
/// Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; written records then have no meaning. `DEM_ERROR_CAPACITY` about
/// `scratch`: `needed` bytes; for the same bodies and poses this error comes at most three times in a row, four times after a size of 0.
/// `DEM_ERROR_UNSUPPORTED` about `cells of a` or `cells of b`: the shape was built without cells. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
/// `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose
/// (`component` 0 to 2: position, 3 to 6: orientation), or about `tasks`: its `reserved` is not 0; `DEM_ERROR_BAD_SIZE`:
/// `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
/// About `a` and `b`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE` (`component` 0: radius, 1: halo, 2: scale, 3 to 9:
/// pose of a part, 10: kind, 11: solid, 12: reserved, 13: half length, 14, 15: reserved lengths); `DEM_ERROR_UNSUPPORTED`: a compound in a compound;
/// `DEM_ERROR_NULL`, `DEM_ERROR_BAD_SIZE`, `DEM_ERROR_TOO_LARGE`: the parts, or their stride. `index` is the part.
/// About `list`: `DEM_ERROR_OUT_OF_RANGE`: the bodies have moved relative to each other by more than its margin;
/// `DEM_ERROR_MISMATCH`: it was made from other shapes or scales; `DEM_ERROR_DAMAGED`: it is not a list, or is truncated.
/// Cost: about 0.6 microseconds for spheres and half-spaces, about 1.6 for meshes far apart. With a mesh it is logarithmic in
/// the number of its triangles, plus some 0.2 microseconds for each near triangle. If it penetrates a mesh that is not closed, each side at the
/// border of that costs some tenths of a microsecond more. Compounds cost some ten nanoseconds more for each part, and for each pair of parts.
/// Threads: any number at a time, on the same shapes, each with records and scratch of its own. The threads in `tasks` share the work if
/// some hundred pairs of triangles are near.
/// Determinism: the same bits on every machine, with every instruction set and size of scratch, on any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_contacts(
    contacts: *mut dem_contact,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_placed_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        let found = read(query)
            .and_then(|q| find(&Contacts::of(&q)?, &q, (contacts, capacity, stride), (scratch, scratch_size)));
        tell(count, found, What::Output)
    })
}

/// Lists the triangles of two bodies that may come within their halos while the bodies move relative to each other by at most `margin`. It
/// is a neighbour list of triangles, with a skin.
///
/// It is for solvers that find contacts of the same bodies several times in a step, each time at slightly different poses. The solver makes
/// the list once and puts it into the query. At all poses within the margin, `dem_placed_contacts` then gives the contacts of a new search,
/// bit for bit; at all others it gives an error.
/// The list is valid for the same shapes, cells and scales. After a refit, make it anew; no function checks this. A program may copy and
/// store it.
///
/// Outputs: `list` (may be null if `capacity` is 0): room for `capacity` words, aligned as `uint64_t`. `count` (may be null): how many
/// words there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `query`: bodies and poses. `margin`: how much nearer to each other any two points of the bodies' meshes may come, in units of
/// length, 0 or more. A common motion of both bodies does not count. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch and list must not overlap each other nor shapes and parts.
/// Errors: those of `dem_placed_contacts` about bodies, poses and scratch; `DEM_ERROR_CAPACITY` about `list`: `needed`
/// words, and written words then have no meaning; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `margin`.
/// Cost: that of the search, on the calling thread. The list has 21 words, and two for each pair of meshes with near triangles. It has one
/// for each two groups of up to four triangles that may come near.
/// Threads: any number at a time, on the same shapes, each with a list and scratch of its own.
/// Determinism: which triangles are listed depends on the instruction set; the contacts do not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_list(
    list: *mut u64,
    capacity: usize,
    count: *mut usize,
    query: *const dem_placed_query,
    margin: f64,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        let about = |e: Error| if e.what == What::Output { Error { what: What::PairList, ..e } } else { e };
        let found = read(query)
            .and_then(|q| find(&NearTriangles { margin }, &q, (list, capacity, 0), (scratch, scratch_size)))
            .map_err(about);
        tell(count, found, What::PairList)
    })
}

/// Reads a query of the host.
///
/// # Safety
/// A pointer that is not null points at a query.
pub(crate) unsafe fn read(query: *const dem_placed_query) -> Result<dem_placed_query> {
    if query.is_null() {
        return Err(Error::new(Kind::Null, What::Query));
    }
    // SAFETY: by this function's contract.
    unsafe { inputs::read(query, What::Query) }
}

/// A search for contacts, on threads of the program, which uses a list of near triangles if there is one.
pub(crate) struct Contacts<'l> {
    host: Host,
    list: Option<&'l [u64]>,
    energy: bool,
    spread: bool,
}

impl<'l> Contacts<'l> {
    /// # Safety
    /// The program guarantees the query's tasks and list while this is used.
    pub(crate) unsafe fn of(query: &dem_placed_query) -> Result<Self> {
        inputs::zero(query.tasks.reserved as u64, What::Executor)?;
        let dem_placed_query { list, list_count, energies, spreads, .. } = *query;
        let energy = inputs::yes(energies, What::Query, inputs::ENERGIES)?;
        let spread = inputs::yes(spreads, What::Query, inputs::SPREADS)?;
        // SAFETY: by this function's contract.
        let words = unsafe { shared(list, list_count, What::PairList) }?;
        let list = (!list.is_null()).then_some(words);
        // SAFETY: likewise.
        let host = unsafe { Host::new(query.tasks) };
        Ok(Contacts { host, list, energy, spread })
    }
}

impl Search for Contacts<'_> {
    type Record = dem_contact;

    fn scratch(&self, a: &Placed<'_>, b: &Placed<'_>, pairs: u64) -> Result<Layout> {
        Request { grouping: Grouping::PATCHES, ..Request::new(0, Room::for_pairs(pairs)?) }.scratch(
            a,
            b,
            self.host.width(),
        )
    }

    fn run(&self, q: &Query<'_>, pairs: u64, out: &mut [Contact], scratch: &mut [u8]) -> Result<usize> {
        let (work, room) = (Work::new(&self.host, q.isa, scratch), Room::for_pairs(pairs)?);
        // Each contact is one pair of patches, so neither contacts nor their corners need nodes.
        let request = Request {
            grouping: Grouping::PATCHES,
            energy: self.energy,
            spread: self.spread,
            ..Request::new(q.tag, room)
        };
        let found = match self.list {
            None => shape_contacts(work, &q.a, &q.b, &request, out, None),
            Some(list) => listed_contacts(work, &q.a, &q.b, list, &request, out, None),
        };
        Ok(found?.contacts)
    }

    fn pairs_for(&self, error: &Error) -> Option<u64> {
        Room::pairs_for(error)
    }

    fn reads(&self) -> Option<Stretch> {
        self.list.map(|list| (list.as_ptr().cast(), size_of_val(list)))
    }
}

/// A search for triangles that may come near, for `dem_placed_list`.
struct NearTriangles {
    margin: f64,
}

impl Search for NearTriangles {
    type Record = u64;

    fn scratch(&self, a: &Placed<'_>, b: &Placed<'_>, _: u64) -> Result<Layout> {
        list_pairs_scratch(a, b)
    }

    fn run(&self, q: &Query<'_>, _: u64, out: &mut [u64], scratch: &mut [u8]) -> Result<usize> {
        list_pairs(q.isa, &q.a, &q.b, self.margin, out, scratch)
    }

    fn pairs_for(&self, _: &Error) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod two_meshes;
