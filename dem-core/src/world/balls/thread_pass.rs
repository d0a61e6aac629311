//! The walk of a thread over its part of the list, and over pairs of other threads that have one of its bodies.

use core::ops::Range;

use super::pieces::{ACTING, MARKS, PAIRS};
use super::thread_split::{Division, Segments};
use super::touching_pairs::{Places, Touches};
use super::view::{Along, Seen, Share, Sums, Trial, Walk};

/// Access to bodies in a walk over pairs.
pub(super) trait Rows {
    /// The bodies of these pairs, and the sums of their forces. None if no more forces are to be computed.
    fn at<'a>(&'a mut self, pairs: &[[u32; 2]]) -> Option<(Seen<'a>, Sums<'a>)>;
}

/// Bodies that do not move during the walk.
pub(super) struct Still<'s> {
    pub seen: Seen<'s>,
    pub sums: Sums<'s>,
}

impl Rows for Still<'_> {
    #[inline(always)]
    fn at<'a>(&'a mut self, _: &[[u32; 2]]) -> Option<(Seen<'a>, Sums<'a>)> {
        Some((self.seen, Sums { first: self.sums.first, sums: &mut *self.sums.sums }))
    }
}

/// Pairs of all threads that touched before the step.
#[derive(Clone, Copy)]
pub(super) struct Before<'t> {
    pub words: &'t [u64],
    /// Words of each pair.
    pub each: u32,
    pub segments: &'t Segments,
}

impl<'t> Before<'t> {
    fn of(&self, thread: usize) -> Touches<'t> {
        self.segments.touches(self.words, self.each, thread)
    }
}

/// The task of a thread.
pub(super) struct Job<'j, 'w> {
    pub walk: &'j Walk<'w>,
    pub pairs: &'j [[u32; 2]],
    pub division: &'j Division,
    pub thread: usize,
    /// Pairs of other threads' chunks with one of this thread's bodies.
    pub marks: &'j [u64],
    pub before: Before<'j>,
}

impl Job<'_, '_> {
    /// Computes forces and springs. Calls `tell` with the results of each of its chunks, in order, and returns the number of near pairs in these.
    ///
    /// The results are invalid if [`Rows`] end the walk early, or if there is not enough room.
    #[inline(always)]
    pub fn run(&self, rows: &mut impl Rows, trial: Places<'_>, tell: impl FnMut(Share)) -> u64 {
        let chunks = self.pairs.len().div_ceil(PAIRS);
        if self.division.threads() == 1 {
            return self.own(rows, 0..chunks, trial, tell);
        }
        let own = Division::range(self.division.chunks(), self.thread);
        self.others(rows, 0..own.start, trial.each);
        let (behind, each) = (own.end..chunks, trial.each);
        let near = self.own(rows, own, trial, tell);
        self.others(rows, behind, each);
        near
    }

    /// The pairs of some chunks.
    fn chunks(&self, chunks: Range<usize>) -> &[[u32; 2]] {
        self.pairs.get(chunks.start * PAIRS..(chunks.end * PAIRS).min(self.pairs.len())).unwrap_or_default()
    }

    /// Number of pairs computed together: pairs of compounds are not separated.
    fn acting(&self, seen: &Seen<'_>) -> usize {
        if seen.points.is_none() { ACTING } else { PAIRS }
    }

    #[inline(always)]
    fn own(&self, rows: &mut impl Rows, chunks: Range<usize>, trial: Places<'_>, mut tell: impl FnMut(Share)) -> u64 {
        let pairs = self.chunks(chunks);
        let Some((seen, _)) = rows.at(&[]) else { return 0 };
        let acting = self.acting(&seen);
        let first = pairs.first().map_or([u64::MAX; 2], |pair| seen.name(seen.slots_of(*pair)));
        let mut left = self.before.of(self.thread).from(|slots| seen.name(slots) < first);
        let (mut words, mut near) = (trial.words, 0);
        for chunk in pairs.chunks(PAIRS) {
            let mut share = Share::default();
            for pairs in chunk.chunks(acting) {
                let Some((seen, sums)) = rows.at(pairs) else { return near };
                let mut to = Places { words, each: trial.each };
                let mut along = Along { before: left, trial: Trial::to(&mut to), sums };
                let found;
                (share, found) = self.walk.act_in_chunk(&seen, pairs, (&mut along, share), None);
                let gone = left.len() - along.before.len();
                left = left.behind(gone);
                words = to.words.get_mut(found.saturating_mul(trial.each)..).unwrap_or_default();
                near += found as u64;
            }
            tell(share);
        }
        near
    }

    /// Forces of marked pairs, whose springs another thread writes.
    #[inline(never)]
    fn others(&self, rows: &mut impl Rows, chunks: Range<usize>, each: usize) {
        let Some((seen, _)) = rows.at(&[]) else { return };
        let acting = self.acting(&seen);
        let mut left = None;
        for chunk in chunks {
            let thread = self.division.thread_of(chunk);
            let (_, mut before) = left.filter(|(own, _)| *own == thread).unwrap_or((thread, self.before.of(thread)));
            for (k, pairs) in self.chunks(chunk..chunk + 1).chunks(acting).enumerate() {
                let at = (chunk * PAIRS + k * acting) / MARKS;
                let marks = self.marks.get(at..at + acting / MARKS).or(self.marks.get(at..)).unwrap_or_default();
                let Some(first) = first_of(marks).and_then(|first| pairs.get(first)) else { continue };
                let Some((seen, sums)) = rows.at(pairs) else { return };
                let name = seen.name(seen.slots_of(*first));
                before = before.skip(|slots| seen.name(slots) < name);
                let mut along = Along { before, trial: Trial::none(each), sums };
                self.walk.act_in_chunk(&seen, pairs, (&mut along, Share::default()), Some(marks));
                let gone = before.len() - along.before.len();
                before = before.behind(gone);
            }
            left = Some((thread, before));
        }
    }
}

/// The first marked pair.
fn first_of(marks: &[u64]) -> Option<usize> {
    let word = marks.iter().position(|marks| *marks != 0)?;
    Some(word * MARKS + marks.get(word)?.trailing_zeros() as usize)
}
