//! Cells in ranges, searched side by side, and the answer of each behind that of the one before.
//!
//! How many candidates a range has is known once it has been searched. So ranges are searched into slabs of what is free of
//! the output, some of them at a time, and what they found is then moved together. Ranges whose slab was too short are
//! searched again, into what they are now known to need.

use super::super::Candidate;
use super::search::Finder;
use crate::error::{Error, Result, What};
use crate::exec::{self, CutMut, Executor, each, pieces};
use crate::real::min;

/// Bodies of a range: some tens of microseconds.
const BODIES: usize = 512;

/// Ranges searched between two moves, at most: enough for many lanes, and few enough for what they find to lie in a cache.
const MOST: usize = 256;

/// Moves, where so many ranges are enough: at the first ones there is room, however tight the output is.
const MOVES: usize = 8;

impl Finder<'_> {
    /// All candidates, in the order of cells.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the number that there are.
    pub(super) fn all(&self, exec: &dyn Executor, out: &mut [Candidate]) -> Result<usize> {
        let bodies = self.view.pages.bodies();
        let ranges = bodies.div_ceil(BODIES);
        let given = out.len() as u64;
        let found = match exec.width() > 1 && ranges > 1 {
            true => self.by_ranges(exec, ranges, out),
            false => self.range(0..bodies, out),
        };
        if found > given { Err(Error::capacity(What::Output, found, given)) } else { Ok(found as usize) }
    }

    fn by_ranges(&self, exec: &dyn Executor, ranges: usize, out: &mut [Candidate]) -> u64 {
        let at_once = ranges.div_ceil(MOVES).clamp(min(ranges, 16), MOST);
        (0..ranges).step_by(at_once).fold(0, |found, first| {
            let free = usize::try_from(found).ok().and_then(|found| out.get_mut(found..));
            found + self.some_ranges(exec, first, min(at_once, ranges - first), free.unwrap_or_default())
        })
    }

    /// So many ranges from the first one on. Gives how many candidates there are.
    fn some_ranges(&self, exec: &dyn Executor, first: usize, ranges: usize, free: &mut [Candidate]) -> u64 {
        let bodies = |i: usize| (first + i) * BODIES..(first + i + 1) * BODIES;
        let slab = free.len() / ranges;
        let mut counts = [0u64; MOST];
        let counts = &mut counts[..ranges];
        let slabs = CutMut(&mut free[..slab * ranges], slab);
        each(exec, (slabs, CutMut(counts, 1)), |i, (slab, count)| count[0] = self.range(bodies(i), slab));

        let mut ends = [0; MOST];
        let ends = &mut ends[..ranges];
        ends.copy_from_slice(counts);
        let sum = exec::ends(ends);
        if sum <= free.len() as u64 && arrange(slab, counts, ends, free) {
            each(exec, pieces(free, ends), |i, piece| {
                if counts[i] > slab as u64 {
                    self.range(bodies(i), piece);
                }
            });
        }
        sum
    }
}

/// What fitted into its slab to where it ends. Gives whether something did not fit.
fn arrange(slab: usize, counts: &[u64], ends: &[u64], out: &mut [Candidate]) -> bool {
    let fits = |i: &usize| counts[*i] <= slab as u64;
    // To the left, one behind the other, and then to the right, the last one first.
    let mut at = 0;
    for i in (0..counts.len()).filter(fits) {
        let (start, count) = (i * slab, counts[i] as usize);
        if start != at {
            out.copy_within(start..start + count, at);
        }
        at += count;
    }
    for i in (0..counts.len()).rev().filter(fits) {
        let count = counts[i] as usize;
        at -= count;
        let to = ends[i] as usize - count;
        if to == at {
            break; // nothing before it is missing
        }
        out.copy_within(at..at + count, to);
    }
    counts.iter().any(|count| *count > slab as u64)
}
