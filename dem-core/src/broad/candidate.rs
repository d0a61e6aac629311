//! `Candidate`, a body pair found by a broad phase, and the output arrays for candidates.

use crate::error::{Error, Kind, Result, What};
use crate::exec::{self, CutMut, Executor, each, pieces};
use crate::memory::sections;
use crate::real::{max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A body pair whose bounding spheres, margin included, touch or overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Candidate {
    /// The body with the smaller index.
    pub a: u32,
    /// The other body; equal to `a` for a body and its own periodic image.
    pub b: u32,
    /// Periods along each axis by which body B is translated to the image that meets A; 0 along open axes.
    pub shift: [i16; 3],
    /// Always 0.
    pub spare: u16,
}

impl Candidate {
    /// The candidate of body `p` and body `q` translated by `shift` periods. Orders the two and negates the shift where
    /// needed.
    #[inline(always)]
    pub(crate) fn new(p: u32, q: u32, shift: [i16; 3]) -> Self {
        if p < q || (p == q && shift > [0; 3]) {
            Candidate { a: p, b: q, shift, spare: 0 }
        } else {
            Candidate { a: q, b: p, shift: shift.map(|s| -s), spare: 0 }
        }
    }

    /// The candidate of two different bodies with shift 0, ordered without a branch.
    #[inline(always)]
    pub(crate) fn apart(p: u32, q: u32) -> Self {
        Candidate { a: min(p, q), b: max(p, q), shift: [0; 3], spare: 0 }
    }

    /// The items of both bodies; `i` is the candidate's place in its list, for the error.
    ///
    /// Errors: [`Kind::BadIndex`].
    #[inline(always)]
    pub(super) fn both<'a, T>(&self, i: usize, items: &'a [T]) -> Result<[&'a T; 2]> {
        match (items.get(self.a as usize), items.get(self.b as usize)) {
            (Some(a), Some(b)) => Ok([a, b]),
            _ => Err(self.bad(i, items.len())),
        }
    }

    /// The error for candidate `i` of a list, which names a body that is not below `n`.
    #[cold]
    pub(super) fn bad(&self, i: usize, n: usize) -> Error {
        let (component, given) = if self.a as usize >= n { (0, self.a) } else { (1, self.b) };
        Error::new(Kind::BadIndex, What::Pairs).at(i as u64, component).amounts(n as u64, u64::from(given))
    }
}

/// Writes records to the caller's array; records that do not fit are only counted.
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

    /// The next N places of the array, if there is room for N.
    #[inline(always)]
    pub(crate) fn places<const N: usize>(&mut self) -> Option<&mut [T; N]> {
        self.out.get_mut(self.count..)?.first_chunk_mut()
    }

    /// Counts records that were written to `places`.
    #[inline(always)]
    pub(crate) fn add(&mut self, records: usize) {
        self.count += records;
    }

    /// Number of records, including those that had no room.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Gives the number of records. Errors: [`Kind::Capacity`] with this number if they did not fit.
    pub(crate) fn finish(self) -> Result<usize> {
        if self.count > self.out.len() {
            return Err(Error::capacity(What::Output, self.count as u64, self.out.len() as u64));
        }
        Ok(self.count)
    }
}

/// Count that marks a chunk whose `work` failed.
const WRONG: u64 = u64::MAX;

sections! {
    /// Scratch of [`gather`]: a count for each chunk of `chunk` items.
    pub(super) struct Counts<'s>(items: usize, chunk: usize) {
        pub each: [u64; items.div_ceil(chunk) as u64],
    }
}

/// Writes the records of all chunks to `out`, in the order of chunks, and gives their number. `work(chunk, room)` puts
/// the records of one chunk into `room`; `counts` has one item per chunk. With one thread `work` runs once per chunk,
/// otherwise twice: to count (then a prefix sum gives each chunk its place) and to write.
///
/// Errors: that of the first chunk whose `work` fails; [`Kind::Capacity`] with the exact number.
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
            // Cannot fail: counting this chunk has succeeded.
            _ = work(chunk, &mut Room::new(out));
        }
    });
    Ok(total as usize)
}
