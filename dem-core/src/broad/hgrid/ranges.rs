//! Parallel search of ranges of cells. The candidates of all ranges are joined in the order of ranges.
//!
//! The number of candidates of a range is unknown before its search. So threads search a batch of ranges into slabs of spare memory, and
//! then copy the candidates to their places in the output. A range whose slab was too short is searched again, directly into its place.

use super::super::Candidate;
use super::direction::Direction;
use super::grid::BODIES;
use super::report::Searched;
use super::search::Finder;
use crate::error::{Error, Result, What};
use crate::exec::{self, Cut, CutMut, Executor, each, pieces};
use crate::real::min;
use core::ops::Range;

/// Bodies in a range of cells, for levels on which pairs are also searched on other levels. Each of these bodies costs several times as much and
/// has several times as many candidates.
const CROSSING: usize = 64;

/// Smallest number of candidates of a slab: four times as many as the bodies of a range have in a dense packing.
const SLAB: usize = 8 * BODIES;

/// Largest number of ranges in a batch: enough for many threads, and few enough for their candidates to fit in a cache.
const MOST: usize = 256;

impl Finder<'_> {
    /// Writes all candidates in the order of cells, and gives their number. `spare` is scratch.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number where `out` is too small.
    pub(super) fn all(&self, exec: &dyn Executor, out: &mut [Candidate], spare: &mut [Candidate]) -> Result<Searched> {
        let ranges = self.ranges();
        let given = out.len() as u64;
        let [found, tested] = match exec.width() > 1 && ranges > 1 {
            true => self.by_ranges(exec, ranges, out, spare),
            false => self.range(0..self.view.pages.bodies(), out),
        };
        if found > given {
            return Err(Error::capacity(What::Output, found, given));
        }
        Ok(Searched { pairs: found as usize, tested })
    }

    fn by_ranges(
        &self,
        exec: &dyn Executor,
        ranges: usize,
        out: &mut [Candidate],
        spare: &mut [Candidate],
    ) -> [u64; 2] {
        let at_once = (spare.len() / SLAB).clamp(16, MOST);
        (0..ranges).step_by(at_once).fold([0; 2], |[found, tested], first| {
            let free = usize::try_from(found).ok().and_then(|found| out.get_mut(found..));
            let some = self.some_ranges(exec, first..min(first + at_once, ranges), free.unwrap_or_default(), spare);
            [found + some[0], tested + some[1]]
        })
    }

    /// Searches one batch of ranges. Gives the number of their candidates, and of pairs in neighbouring cells.
    fn some_ranges(
        &self,
        exec: &dyn Executor,
        ranges: Range<usize>,
        free: &mut [Candidate],
        spare: &mut [Candidate],
    ) -> [u64; 2] {
        let slab = spare.len() / ranges.len();
        let slabs = &mut spare[..slab * ranges.len()];
        let mut counts = [[0u64; 2]; MOST];
        let counts = &mut counts[..ranges.len()];
        each(exec, (CutMut(slabs, slab), CutMut(counts, 1)), |i, (slab, count)| {
            count[0] = self.range(self.bodies(ranges.start + i), slab);
        });
        let mut ends = [0; MOST];
        let ends = &mut ends[..ranges.len()];
        ends.iter_mut().zip(&*counts).for_each(|(end, [found, _])| *end = *found);
        let sum = exec::ends(ends);
        if sum <= free.len() as u64 {
            each(exec, (pieces(free, ends), Cut(slabs, slab)), |i, (to, slab)| match slab.get(..to.len()) {
                Some(found) => to.copy_from_slice(found),
                None => _ = self.range(self.bodies(ranges.start + i), to),
            });
        }
        [sum, counts.iter().map(|[_, tested]| tested).sum()]
    }

    /// Number of ranges.
    fn ranges(&self) -> usize {
        (0..self.view.levels.len()).map(|number| self.ranges_of(number)).sum()
    }

    /// Number of ranges of a level.
    fn ranges_of(&self, number: usize) -> usize {
        self.bodies_of(number).len().div_ceil(self.bodies_per_range(number))
    }

    /// Bodies of a level.
    fn bodies_of(&self, number: usize) -> Range<usize> {
        let (level, all) = (&self.view.levels[number], self.view.pages.bodies() as u64);
        min(level.first, all) as usize..min(level.end, all) as usize
    }

    /// Number of bodies in each range of a level.
    fn bodies_per_range(&self, number: usize) -> usize {
        let last = self.view.levels.len() - 1;
        let own = if self.direction == Direction::TopDown { 0 } else { last };
        if number == own { BODIES } else { CROSSING }
    }

    /// The bodies of a range.
    fn bodies(&self, range: usize) -> Range<usize> {
        let mut before = range;
        for number in 0..self.view.levels.len() {
            let (bodies, length) = (self.bodies_of(number), self.bodies_per_range(number));
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
