//! Searches of two bodies that write records, and need scratch for each pair of near triangles: the size of this scratch, and
//! the errors if it is too small.

use core::ffi::c_void;

use dem_core::contact::Room;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Layout, Plan};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::bodies::{Census, OF_A, OF_B, Opener, samples, two};
use crate::memory::{self as blocks, Scratch, Stretch};
use crate::near::{WithRecords, fill};
use crate::pair_contacts::dem_placed_query;
use crate::records::{Mirror, Records};

/// The number of pairs of triangles for which there is room at first.
pub(crate) const FIRST_ROOM: u64 = Room::FIRST.pairs as u64;

/// The host's number of pairs, or a good first number if it is 0.
pub(crate) fn first_room(pairs: usize) -> u64 {
    if pairs == 0 { FIRST_ROOM } else { pairs as u64 }
}

/// A kind of search, such as for contacts or for corners.
pub(crate) trait Search {
    /// The records that the host gets.
    type Record: Mirror;

    /// The layout of scratch with room for `pairs` pairs of triangles; for compounds, that of the parts that need most.
    fn scratch(&self, a: &Placed<'_>, b: &Placed<'_>, pairs: u64) -> Result<Layout>;

    /// Writes all records to `out`, and gives their number.
    fn run(&self, query: &Query<'_>, pairs: u64, out: &mut [Core<Self>], scratch: &mut [u8]) -> Result<usize>;

    /// The number of pairs that needs room, if the error is about too little room for pairs.
    fn pairs_for(&self, error: &Error) -> Option<u64>;

    /// Memory that the search reads besides the bodies.
    fn reads(&self) -> Option<Stretch> {
        None
    }
}

type Core<S> = <<S as Search>::Record as Mirror>::Core;

/// A query with open bodies.
pub(crate) struct Query<'a> {
    pub(crate) isa: Isa,
    pub(crate) tag: u64,
    pub(crate) a: Placed<'a>,
    pub(crate) b: Placed<'a>,
}

/// Bytes of scratch that are good for `pairs` pairs of triangles, including room for records that are not packed.
///
/// # Safety
/// Pointers of the query that are not null point at what the kinds of its bodies say.
pub(crate) unsafe fn needs<S: Search>(
    search: &S,
    query: &dem_placed_query,
    pairs: u64,
    (capacity, stride): (usize, usize),
) -> Result<usize> {
    Isa::numbered(query.isa)?;
    let records = Records::<S::Record>::nowhere(capacity, stride)?;
    let mut census = Census::new(&[]);
    // SAFETY: by this function's contract.
    unsafe {
        census.add(&query.a, &OF_A)?;
        census.add(&query.b, &OF_B)?;
        Need { head: census.layout()?, records: records.elsewhere() }.unopened(search, query, pairs)
    }
}

/// Runs a search, writes its records into the host's memory, and gives their number.
///
/// # Safety
/// As for [`needs`]; and pointers that are not null point at memory of the sizes that are passed.
pub(crate) unsafe fn find<S: Search>(
    search: &S,
    query: &dem_placed_query,
    (to, capacity, stride): (*mut S::Record, usize, usize),
    (scratch, scratch_size): (*mut c_void, usize),
) -> Result<usize> {
    let isa = Isa::numbered(query.isa)?;
    let records = Records::<S::Record>::new(to, capacity, stride)?;
    let scratch = Scratch::new(scratch, scratch_size);
    scratch.apart_from(records.bytes())?;
    let written = [(scratch.bytes(), What::Scratch), (records.bytes(), What::Output)];
    if let Some(read) = search.reads() {
        written.iter().try_for_each(|(memory, what)| blocks::apart(*memory, read, *what))?;
    }
    let mut census = Census::new(&written);
    // SAFETY: by this function's contract; scratch and records do not overlap the inputs.
    unsafe {
        census.add(&query.a, &OF_A)?;
        census.add(&query.b, &OF_B)?;
        let head = census.layout()?;
        let need = Need { head, records: records.elsewhere() };
        let (memory, rest) = match scratch.split(head) {
            Err(e) if e.kind == Kind::Capacity => {
                let needed = need.unopened(search, query, FIRST_ROOM)?;
                return Err(Error::capacity(What::Scratch, needed as u64, scratch_size as u64));
            }
            other => other?,
        };
        let mut two = two();
        let mut opener = Opener::new(&census, memory, &mut two)?;
        let poses: [Pose; 2] = [query.a.pose.into(), query.b.pose.into()];
        let a = Placed { shape: opener.open(&query.a, &OF_A)?, pose: &poses[0], scale: query.a.scale };
        let b = Placed { shape: opener.open(&query.b, &OF_B)?, pose: &poses[1], scale: query.b.scale };
        let query = Query { isa, tag: query.tag, a, b };
        let found = need.find(search, &query, &records, rest, scratch_size);
        opener.unchanged()?;
        found
    }
}

/// Parts of the scratch besides that of the search itself.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    /// Open shapes and parts of compounds.
    head: Layout,
    /// The number of records that are first written to scratch, because those of the host are not packed.
    records: u64,
}

impl Need {
    /// Bytes that are enough if the search itself needs the layout `own`.
    fn bytes<S: Search>(&self, own: Layout) -> Result<usize> {
        let own = WithRecords::<Core<S>>::layout(own, self.records)?;
        blocks::scratch_size(Plan::new().part(self.head).part(own).layout(What::Scratch)?)
    }

    /// Bytes that are enough for `pairs` pairs of triangles, for bodies that are not open: it opens their parts two at a time.
    ///
    /// # Safety
    /// As for [`needs`].
    unsafe fn unopened<S: Search>(&self, search: &S, query: &dem_placed_query, pairs: u64) -> Result<usize> {
        let mut own = Layout::EMPTY;
        // SAFETY: by this function's contract.
        unsafe {
            for x in samples(&query.a, &OF_A)? {
                for y in samples(&query.b, &OF_B)? {
                    let mut two = two();
                    let mut opener = Opener::small(&mut two);
                    let (x, y) = (home(opener.open(&x, &OF_A)?), home(opener.open(&y, &OF_B)?));
                    own.size = own.size.max(search.scratch(&x, &y, pairs)?.size);
                }
            }
        }
        self.bytes::<S>(own)
    }

    /// As [`Need::unopened`], for open bodies.
    fn opened<S: Search>(&self, search: &S, query: &Query<'_>, pairs: u64) -> Result<usize> {
        self.bytes::<S>(search.scratch(&query.a, &query.b, pairs)?)
    }

    /// The most pairs for which `bytes` bytes are enough.
    fn room<S: Search>(&self, search: &S, query: &Query<'_>, bytes: usize) -> Result<u64> {
        Room::most_pairs(bytes, |pairs| self.opened(search, query, pairs))
    }

    /// Runs the search in the scratch after the parts.
    ///
    /// # Safety
    /// As for [`find`].
    unsafe fn find<S: Search>(
        &self,
        search: &S,
        query: &Query<'_>,
        records: &Records<S::Record>,
        scratch: Scratch,
        bytes: usize,
    ) -> Result<usize> {
        let pairs = self.room(search, query, bytes)?;
        let own = search.scratch(&query.a, &query.b, pairs)?;
        // SAFETY: by this function's contract.
        let found = unsafe { fill(records, scratch, own, |out, rest| search.run(query, pairs, out, rest)) };
        let too_little = |needed: u64| {
            let needed = self.opened(search, query, needed.max(pairs + 1));
            needed.map_or_else(|e| e, |n| Error::capacity(What::Scratch, n as u64, bytes as u64))
        };
        found.map_err(|e| search.pairs_for(&e).map_or(e, too_little))
    }
}

/// A body at the identity pose with scale 1.
fn home(shape: Shape<'_>) -> Placed<'_> {
    Placed { shape, pose: &Pose::IDENTITY, scale: 1.0 }
}

#[cfg(test)]
mod tests;
