//! Division among threads: each thread has some of the bodies, in the order of slots, and some chunks of the list.
//!
//! A thread computes the forces of all pairs with one of its bodies, and sums those on its bodies in the order of the list, as one thread does.
//! The thread that has a pair's chunk writes the springs of the pair. So a pair across two threads is computed twice; if slots are in a spatial
//! order, such pairs are few. Only marks of pairs are kept for it.
//!
//! If threads move bodies in the same walk that computes forces (`fused_pass`), bodies that other threads need are first moved in a copy.

use core::ops::Range;

use super::ball_rows::Points;
use super::list_state::Leash;
use super::motion::Moving;
use super::pair_kernel::Rate;
use super::pieces::{BODIES, MARKS, PAIRS, Part};
use super::touching_pairs::{Places, Touches};
use super::view::{Copies, Share, Walk, each_bit};
use crate::body::Body;
use crate::detect::Wrench;
use crate::exec::{CutMut, Executor, THREADS, each, ends, pieces};
use crate::memory::sections;
use crate::real::min;
use crate::world::block::WorldSizes;
use crate::world::checked_slice::put;

sections! {
    /// Data that threads share about pairs and bodies, and results of chunks of pairs.
    pub(super) struct Across<'s>(n: &WorldSizes, threads: u64; pairs = u64::from(n.ball_pairs), bodies = u64::from(n.bodies)) {
        /// For each thread, a bit for each pair of another thread's chunk with one of this thread's bodies.
        pub marks: [u64; pairs.div_ceil(MARKS as u64)] * threads,
        /// A bit for each body that another thread needs, and the number of such bodies before each word.
        needed: [u64; bodies.div_ceil(MARKS as u64)],
        before: [u32; bodies.div_ceil(MARKS as u64)],
        /// The slot of each copy.
        slots: [u32; room_for_copies(n, threads)],
        rates: [Rate; room_for_copies(n, threads)],
        bodies: [Body; room_for_copies(n, threads)],
        /// Number of near pairs of each chunk, then where these end.
        pub near: [u64; pairs.div_ceil(PAIRS as u64)],
        pub shares: [Share; pairs.div_ceil(PAIRS as u64)],
    }
}

/// Marks of pairs, for all threads.
#[derive(Clone, Copy)]
pub(super) struct Marks<'m> {
    pub words: &'m [u64],
    pub threads: usize,
}

impl<'m> Marks<'m> {
    /// The marks of a thread.
    pub fn of(&self, thread: usize) -> &'m [u64] {
        let many = self.words.len() / self.threads.max(1);
        self.words.get(thread * many..(thread + 1) * many).unwrap_or_default()
    }
}

/// Largest number of copies of bodies; with more, bodies move before forces are computed. In a periodic cube, cut into slabs, each thread needs
/// two layers of others, and others need two of its own.
fn room_for_copies(n: &WorldSizes, threads: u64) -> u64 {
    let bodies = u64::from(n.bodies);
    bodies.min(threads.saturating_mul(bodies / 48 + 4096))
}

/// The bodies and chunks of the list of each thread: those after the ones of the thread before, up to these ends.
#[derive(Clone, Copy)]
pub(super) struct Division {
    threads: usize,
    bodies: [u32; THREADS],
    chunks: [u32; THREADS],
    /// Ends of the copies of bodies of each thread; invalid if there are more than fit.
    copies: [u32; THREADS],
}

impl Division {
    /// Everything for one thread.
    pub const ONE: Division =
        Division { threads: 1, bodies: [u32::MAX; THREADS], chunks: [u32::MAX; THREADS], copies: [0; THREADS] };

    /// For at most this number of threads. If slots are in the order of ids, a thread has the pairs whose A it has, as far as the division into
    /// chunks allows it.
    pub fn new(threads: usize, bodies: usize, pairs: &[[u32; 2]], (ids, points): (&[u64], &Points<'_>)) -> Division {
        let (body_chunks, pair_chunks) = (bodies.div_ceil(BODIES), pairs.len().div_ceil(PAIRS));
        let threads = threads.min(body_chunks).clamp(1, THREADS);
        if threads == 1 {
            return Division::ONE;
        }
        let (is_sorted, mut all) = (ids.is_sorted(), Division { threads, ..Division::ONE });
        let mut before = 0;
        for thread in 0..threads {
            let end = min((thread + 1) * body_chunks / threads * BODIES, bodies);
            let first = || pairs.partition_point(|[a, _]| points.owner(*a as usize) < end);
            let chunks = match is_sorted {
                true => (first() + PAIRS / 2) / PAIRS,
                false => (thread + 1) * pair_chunks / threads,
            };
            before = if thread + 1 < threads { chunks.clamp(before, pair_chunks) } else { pair_chunks };
            (all.bodies[thread], all.chunks[thread]) = (end as u32, before as u32);
        }
        all
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Ends of the threads' bodies.
    pub fn bodies(&self) -> &[u32] {
        self.bodies.get(..self.threads).unwrap_or_default()
    }

    /// Ends of the threads' chunks.
    pub fn chunks(&self) -> &[u32] {
        self.chunks.get(..self.threads).unwrap_or_default()
    }

    /// Ends of the threads' copies.
    pub fn copies(&self) -> &[u32] {
        self.copies.get(..self.threads).unwrap_or_default()
    }

    /// Ends of the threads' chunks of bodies.
    pub fn body_chunks(&self) -> [u32; THREADS] {
        self.bodies.map(|end| end.div_ceil(BODIES as u32))
    }

    /// The range of a thread with these ends.
    pub fn range(ends: &[u32], thread: usize) -> Range<usize> {
        let end = |thread: usize| ends.get(thread).copied().unwrap_or_default() as usize;
        thread.checked_sub(1).map_or(0, end)..end(thread)
    }

    /// The thread that has a chunk.
    pub fn thread_of(&self, chunk: usize) -> usize {
        self.chunks().partition_point(|end| *end as usize <= chunk)
    }
}

/// The search of a thread through the list for shared pairs.
struct Looked<'l> {
    bodies: Range<usize>,
    own: Range<usize>,
    marks: &'l mut [u64],
    needed: &'l mut [u64],
}

impl Looked<'_> {
    /// Marks pairs of other threads, and bodies that others need. Returns the number of such bodies.
    fn look(&mut self, pairs: &[[u32; 2]], points: &Points<'_>) -> u64 {
        self.needed.fill(0);
        let (first, many) = (self.bodies.start, self.bodies.len());
        for (k, (pairs, mark)) in pairs.chunks(MARKS).zip(&mut *self.marks).enumerate() {
            let is_own = self.own.contains(&(k * MARKS / PAIRS));
            *mark = 0;
            for (bit, pair) in pairs.iter().enumerate() {
                let own = pair.map(|i| points.owner(i as usize).wrapping_sub(first));
                let has = own.map(|i| i < many);
                if has == [false; 2] || is_own && has == [true; 2] {
                    continue;
                }
                *mark |= if is_own { 0 } else { 1 << bit };
                for i in own.into_iter().filter(|i| *i < many) {
                    if let Some(needed) = self.needed.get_mut(i / MARKS) {
                        *needed |= 1 << (i % MARKS);
                    }
                }
            }
        }
        self.needed.iter().map(|needed| u64::from(needed.count_ones())).sum()
    }
}

impl Across<'_> {
    /// Finds the pairs and bodies that threads share.
    pub fn make(&mut self, exec: &dyn Executor, division: &mut Division, pairs: &[[u32; 2]], points: &Points<'_>) {
        let words = self.marks.len() / division.threads;
        let mut counts = [0; THREADS];
        let words_of = division.bodies.map(|end| end.div_ceil(MARKS as u32));
        let all = (
            CutMut(self.marks.get_mut(..words * division.threads).unwrap_or_default(), words),
            pieces(&mut *self.needed, words_of.get(..division.threads).unwrap_or_default()),
            CutMut(counts.get_mut(..division.threads).unwrap_or_default(), 1),
        );
        each(exec, all, |thread, (marks, needed, count)| {
            let bodies = Division::range(division.bodies(), thread);
            let own = Division::range(division.chunks(), thread);
            count.fill(Looked { bodies, own, marks, needed }.look(pairs, points));
        });
        ends(&mut counts);
        division.copies = counts.map(|end| end.min(u64::from(u32::MAX)) as u32);
        if !self.has_copies(division) {
            return;
        }
        let mut slots = self.slots.iter_mut();
        let (mut count, words) = (0, words_of.get(division.threads - 1).copied().unwrap_or_default() as usize);
        for (word, (needed, before)) in self.needed.iter().zip(&mut *self.before).take(words).enumerate() {
            *before = count;
            count += needed.count_ones();
            each_bit(*needed, |bit| slots.next().into_iter().for_each(|slot| *slot = (word * MARKS + bit) as u32));
        }
    }

    /// Whether copies of all shared bodies fit.
    pub fn has_copies(&self, division: &Division) -> bool {
        division.copies().last().is_none_or(|all| *all as usize <= self.slots.len())
    }

    /// Copies, marks, and results of chunks.
    pub fn split(&mut self) -> (Copies<'_>, &[u64], &mut [Share]) {
        let Across { needed, before, rates, bodies, marks, shares, .. } = self;
        (Copies { needed, before, rates, bodies }, marks, shares)
    }

    /// Moves copies of shared bodies in the same way as the bodies will move.
    pub fn advance(&mut self, exec: &dyn Executor, walk: &Walk<'_>, division: &Division, from: &From<'_>) {
        let all = (pieces(&mut *self.rates, division.copies()), pieces(&mut *self.bodies, division.copies()));
        let slots = &*self.slots;
        each(exec, all, |thread, (rates, bodies)| {
            let slots = slots.get(Division::range(division.copies(), thread)).unwrap_or_default();
            let rows = rates.chunks_mut(SOME).zip(bodies.chunks_mut(SOME));
            for (slots, rows) in slots.chunks(SOME).zip(rows) {
                from.advance(walk, slots, rows);
            }
        });
    }
}

/// Number of copies that move at a time.
const SOME: usize = 16;

/// Bodies that have not moved, with their wrenches.
pub(super) struct From<'f> {
    pub rates: &'f [Rate],
    pub bodies: &'f [Body],
    pub sums: &'f [Wrench],
    pub loads: &'f [Wrench],
}

impl From<'_> {
    fn advance(&self, walk: &Walk<'_>, slots: &[u32], (rates, bodies): (&mut [Rate], &mut [Body])) {
        let (mut sums, mut loads) = ([Wrench::default(); SOME], [Wrench::default(); SOME]);
        for (k, slot) in slots.iter().enumerate() {
            let i = *slot as usize;
            if let (Some(rate), Some(body)) = (self.rates.get(i), self.bodies.get(i)) {
                put(rates, k, *rate);
                put(bodies, k, *body);
            }
            put(&mut sums, k, self.sums.get(i).copied().unwrap_or_default());
            put(&mut loads, k, self.loads.get(i).copied().unwrap_or_default());
        }
        let many = slots.len();
        let listed = [[0.0; 4]; SOME];
        let rows = Moving {
            places: &mut [],
            rates,
            bodies,
            sums: sums.get(..many).unwrap_or_default(),
            loads: loads.get(..many).unwrap_or_default(),
            means: &mut [],
            listed: listed.get(..many).unwrap_or_default(),
        };
        // Their results are counted where the bodies themselves move.
        walk.advance_some(rows, Leash::default(), Part::default());
    }
}

/// The segments of touching pairs of each thread: one after the other, with gaps as room for more.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    /// Number of segments; one for all threads if there is no gap.
    used: usize,
    starts: [u32; THREADS],
    counts: [u32; THREADS],
}

impl Segments {
    /// This number of pairs without a gap.
    pub fn whole(count: u32) -> Segments {
        let mut all = Segments { used: 1, starts: [0; THREADS], counts: [0; THREADS] };
        all.counts[0] = count;
        all
    }

    /// Without gaps, for threads with these ends of near pairs.
    pub fn of_threads(division: &Division, near: &[u64]) -> Segments {
        let mut all = Segments { used: division.threads, starts: [0; THREADS], counts: [0; THREADS] };
        let mut start = 0;
        for thread in 0..division.threads {
            let last = (division.chunks[thread] as usize).checked_sub(1).and_then(|chunk| near.get(chunk));
            let end = last.copied().unwrap_or_default() as u32;
            (all.starts[thread], all.counts[thread]) = (start, end.saturating_sub(start));
            start = end.max(start);
        }
        all
    }

    /// Ends of the room of each thread: for its present number of pairs, plus an equal part of the rest.
    pub fn rooms(&self, room: u64) -> [u64; THREADS] {
        let spare = room.saturating_sub(self.all()) / self.used.max(1) as u64;
        let (mut ends, mut at) = ([room; THREADS], 0);
        for (end, count) in ends.iter_mut().zip(self.counts()) {
            at += u64::from(*count) + spare;
            *end = at.min(room);
        }
        ends
    }

    /// Segments with this number of pairs of each thread, from the start of its room. None if there was not enough room.
    pub fn in_rooms(&self, rooms: &[u64; THREADS], near: impl Iterator<Item = u64>) -> Option<Segments> {
        let mut all = *self;
        let mut start = 0;
        for (thread, near) in near.enumerate().take(self.used.min(THREADS)) {
            if near > rooms[thread].saturating_sub(start) {
                return None;
            }
            (all.starts[thread], all.counts[thread]) = (start as u32, near as u32);
            start = rooms[thread];
        }
        Some(all)
    }

    fn counts(&self) -> &[u32] {
        self.counts.get(..self.used).unwrap_or_default()
    }

    /// Number of all pairs.
    pub fn all(&self) -> u64 {
        self.counts().iter().map(|count| u64::from(*count)).sum()
    }

    /// Whether there are gaps.
    pub fn is_open(&self) -> bool {
        self.used > 1
    }

    /// The pairs of a thread in these words.
    pub fn touches<'t>(&self, words: &'t [u64], each: u32, thread: usize) -> Touches<'t> {
        let thread = if self.used > 1 { thread.min(THREADS - 1) } else { 0 };
        let all = Touches::new(words, each, self.starts[thread].saturating_add(self.counts[thread]));
        all.behind(self.starts[thread] as usize)
    }

    /// Closes the gaps.
    pub fn close(&mut self, to: &mut Places<'_>) {
        let mut count = self.counts[0];
        for thread in 1..self.used.min(THREADS) {
            to.shift(self.starts[thread] as usize, self.counts[thread] as usize, count as usize);
            count += self.counts[thread];
        }
        *self = Segments::whole(count);
    }
}
