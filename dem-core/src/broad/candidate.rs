//! The records of the answer, and where they go.

use crate::error::{Error, Kind, Result, What};
use crate::exec::{self, CutMut, Executor, each, pieces};
use crate::memory::sections;
use crate::real::{max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Two bodies whose spheres, margin included, touch or overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Candidate {
    /// The body with the smaller index.
    pub a: u32,
    /// The other one; `a` itself where a body meets its own image.
    pub b: u32,
    /// How many periods B is moved along each axis to where it meets A; 0 along open axes.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

impl Candidate {
    /// The record of `q`, moved by `shift` periods, meeting `p`, whichever is the smaller one.
    #[inline(always)]
    pub(crate) fn new(p: u32, q: u32, shift: [i16; 3]) -> Self {
        if p < q || (p == q && shift > [0; 3]) {
            Candidate { a: p, b: q, shift, spare: 0 }
        } else {
            Candidate { a: q, b: p, shift: shift.map(|s| -s), spare: 0 }
        }
    }

    /// The record of two bodies, not the same one, that meet where they are: without a branch on which is the smaller
    /// one.
    #[inline(always)]
    pub(crate) fn apart(p: u32, q: u32) -> Self {
        Candidate { a: min(p, q), b: max(p, q), shift: [0; 3], spare: 0 }
    }

    /// The two that record `i` of a list names.
    ///
    /// Errors: [`Kind::BadIndex`].
    #[inline(always)]
    pub(super) fn both<'a, T>(&self, i: usize, items: &'a [T]) -> Result<[&'a T; 2]> {
        match (items.get(self.a as usize), items.get(self.b as usize)) {
            (Some(a), Some(b)) => Ok([a, b]),
            _ => Err(self.bad(i, items.len())),
        }
    }

    /// That record `i` of a list names a body that is none of `n`.
    #[cold]
    pub(super) fn bad(&self, i: usize, n: usize) -> Error {
        let (component, given) = if self.a as usize >= n { (0, self.a) } else { (1, self.b) };
        Error::new(Kind::BadIndex, What::Pairs).at(i as u64, component).amounts(n as u64, u64::from(given))
    }
}

/// Records in the caller's array; what does not fit is only counted.
pub(crate) struct Room<'o, T = Candidate> {
    out: &'o mut [T],
    count: usize,
}

impl<'o, T> Room<'o, T> {
    pub(crate) fn new(out: &'o mut [T]) -> Self {
        Room { out, count: 0 }
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, record: T) {
        if let Some(to) = self.out.get_mut(self.count) {
            *to = record;
        }
        self.count += 1;
    }

    /// The places of the next records, if there is room for so many.
    #[inline(always)]
    pub(crate) fn places<const N: usize>(&mut self) -> Option<&mut [T; N]> {
        self.out.get_mut(self.count..)?.first_chunk_mut()
    }

    /// That so many of these are written.
    #[inline(always)]
    pub(crate) fn add(&mut self, records: usize) {
        self.count += records;
    }

    /// How many there are, whether or not there was room for them.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Errors: [`Kind::Capacity`] with the number that there are.
    pub(crate) fn finish(self) -> Result<usize> {
        if self.count > self.out.len() {
            return Err(Error::capacity(What::Output, self.count as u64, self.out.len() as u64));
        }
        Ok(self.count)
    }
}

/// Number of answers of a chunk that cannot be worked on.
const WRONG: u64 = u64::MAX;

sections! {
    /// Scratch for [`gather`] over so many items, so many in each chunk.
    pub(super) struct Counts<'s>(items: usize, chunk: usize) {
        pub each: [u64; items.div_ceil(chunk) as u64],
    }
}

/// The records of all chunks, in the order of chunks, each of which `work` puts into a room. There is one of `counts`
/// for each chunk. With one lane chunks are worked on once, else twice: to count, and to write where it belongs.
///
/// Errors: that of the first chunk that has one; [`Kind::Capacity`] with the exact number.
pub(super) fn gather<T: Send>(
    exec: &dyn Executor,
    counts: &mut [u64],
    out: &mut [T],
    work: impl Fn(usize, &mut Room<'_, T>) -> Result<()> + Sync,
) -> Result<usize> {
    if exec.width() <= 1 {
        let mut room = Room::new(out);
        (0..counts.len()).try_for_each(|chunk| work(chunk, &mut room))?;
        return room.finish();
    }
    each(exec, CutMut(counts, 1), |chunk, count| {
        let mut room = Room::new(&mut []);
        count.fill(if work(chunk, &mut room).is_ok() { room.count as u64 } else { WRONG });
    });
    if let Some(chunk) = counts.iter().position(|count| *count == WRONG) {
        work(chunk, &mut Room::new(&mut []))?;
    }
    let (total, given) = (exec::ends(counts), out.len() as u64);
    if total > given {
        return Err(Error::capacity(What::Output, total, given));
    }
    each(exec, pieces(out, counts), |chunk, out| {
        if !out.is_empty() {
            // What could be counted can be written.
            _ = work(chunk, &mut Room::new(out));
        }
    });
    Ok(total as usize)
}
