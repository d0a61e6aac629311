//! Cells in ranges, searched side by side, and the answer of each behind that of the one before.
//!
//! How many candidates a range has is known once it has been searched. So ranges are searched into slabs of spare memory, some of
//! them at a time, and what they found is then copied to its place, side by side again. Ranges whose slab was too short are searched
//! once more, into what they are now known to need.

use super::super::Candidate;
use super::search::{Direction, Finder};
use crate::error::{Error, Result, What};
use crate::exec::{self, Cut, CutMut, Executor, each, pieces};
use crate::real::min;
use core::ops::Range;

/// Bodies of a range that meet their own level only: some tens of microseconds.
pub(super) const BODIES: usize = 512;

/// Bodies of a range that are looked for on other levels, too: each takes some ten times as long, and has as many times the candidates.
const CROSSING: usize = 64;

/// Candidates of a slab, at least: four times as many as bodies have in a dense packing.
const SLAB: usize = 8 * BODIES;

/// Ranges searched before what they found is copied, at most: enough for many lanes, and few enough for what they find to lie in a
/// cache.
const MOST: usize = 256;

impl Finder<'_> {
    /// All candidates, in the order of cells. What `spare` holds is of no use.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the number that there are.
    pub(super) fn all(&self, exec: &dyn Executor, out: &mut [Candidate], spare: &mut [Candidate]) -> Result<usize> {
        let ranges = self.ranges();
        let given = out.len() as u64;
        let found = match exec.width() > 1 && ranges > 1 {
            true => self.by_ranges(exec, ranges, out, spare),
            false => self.range(0..self.view.pages.bodies(), out),
        };
        if found > given { Err(Error::capacity(What::Output, found, given)) } else { Ok(found as usize) }
    }

    fn by_ranges(&self, exec: &dyn Executor, ranges: usize, out: &mut [Candidate], spare: &mut [Candidate]) -> u64 {
        let at_once = (spare.len() / SLAB).clamp(16, MOST);
        (0..ranges).step_by(at_once).fold(0, |found, first| {
            let free = usize::try_from(found).ok().and_then(|found| out.get_mut(found..));
            found + self.some_ranges(exec, first..min(first + at_once, ranges), free.unwrap_or_default(), spare)
        })
    }

    /// Some ranges. Gives how many candidates there are.
    fn some_ranges(
        &self,
        exec: &dyn Executor,
        ranges: Range<usize>,
        free: &mut [Candidate],
        spare: &mut [Candidate],
    ) -> u64 {
        let slab = spare.len() / ranges.len();
        let slabs = &mut spare[..slab * ranges.len()];
        let mut counts = [0u64; MOST];
        let counts = &mut counts[..ranges.len()];
        each(exec, (CutMut(slabs, slab), CutMut(counts, 1)), |i, (slab, count)| {
            count[0] = self.range(self.bodies(ranges.start + i), slab);
        });
        let mut ends = [0; MOST];
        let ends = &mut ends[..ranges.len()];
        ends.copy_from_slice(counts);
        let sum = exec::ends(ends);
        if sum <= free.len() as u64 {
            each(exec, (pieces(free, ends), Cut(slabs, slab)), |i, (to, slab)| match slab.get(..to.len()) {
                Some(found) => to.copy_from_slice(found),
                None => _ = self.range(self.bodies(ranges.start + i), to),
            });
        }
        sum
    }

    /// Number of ranges.
    fn ranges(&self) -> usize {
        (0..self.view.levels.len()).map(|number| self.ranges_of(number)).sum()
    }

    /// Of a level.
    fn ranges_of(&self, number: usize) -> usize {
        self.bodies_of(number).len().div_ceil(self.length(number))
    }

    /// Bodies of a level.
    fn bodies_of(&self, number: usize) -> Range<usize> {
        let (level, all) = (&self.view.levels[number], self.view.pages.bodies() as u64);
        min(level.first, all) as usize..min(level.end, all) as usize
    }

    /// Bodies of a range of a level.
    fn length(&self, number: usize) -> usize {
        let last = self.view.levels.len() - 1;
        let own = if self.direction == Direction::TopDown { 0 } else { last };
        if number == own { BODIES } else { CROSSING }
    }

    /// Bodies of a range.
    fn bodies(&self, range: usize) -> Range<usize> {
        let mut before = range;
        for number in 0..self.view.levels.len() {
            let (bodies, length) = (self.bodies_of(number), self.length(number));
            let ranges = bodies.len().div_ceil(length);
            if before < ranges {
                let start = bodies.start + before * length;
                return start..min(start + length, bodies.end);
            }
            before -= ranges;
        }
        0..0
    }
}
