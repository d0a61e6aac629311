//! Moves bodies by the forces of a step and computes those of the next one, on one walk over bodies and pairs.
//!
//! All forces of a step are known before its first body moves, and a pair acts in the next step as soon as both of its bodies have moved.
//! So bodies move a little ahead of their pairs, and are still in the cache when the pairs follow. The inputs and outputs of a step then
//! pass through the memory once, not twice. If slots are not in an order of space, most bodies move before the first pair, as in two walks.

use core::ops::Range;

use super::list_state::{Leash, Place};
use super::motion::Moving;
use super::pair_kernel::Rate;
use super::pieces::{BAD, BODIES, FAST, HALO, LEFT, PAIRS, Part};
use super::thread_pass::{Before, Job, Rows};
use super::thread_split::{Division, Marks, Segments};
use super::touching_pairs::Places;
use super::view::{Seen, Share, Sums, Walk};
use crate::body::Body;
use crate::detect::Wrench;
use crate::exec::{CutMut, Executor, THREADS, each, pieces};
use crate::real::min;

/// Number of bodies that move at a time. Chunks of bodies, whose works are separate sums, contain a whole number of these.
const AT_ONCE: usize = 64;

const _: () = assert!(BODIES.is_multiple_of(AT_ONCE));

/// Bodies of a thread, of which the first ones have moved.
pub(super) struct Ahead<'a, 'w> {
    pub walk: &'a Walk<'w>,
    /// Other data of these bodies, and of those of other threads.
    pub like: Seen<'a>,
    pub rates: &'a mut [Rate],
    pub bodies: &'a mut [Body],
    /// Forces of this step for bodies that have not moved, and of the next step for the others.
    pub sums: &'a mut [Wrench],
    pub loads: &'a [Wrench],
    pub means: &'a mut [Wrench],
    pub listed: &'a [Place],
    pub leash: Leash,
    /// Results of chunks of bodies.
    pub parts: &'a mut [Part],
    /// Whether it is the only thread.
    pub has_all: bool,
    /// Number of moved bodies, and their bits.
    pub moved: usize,
    pub what: u64,
}

/// The task of all threads.
pub(super) struct Go<'g> {
    pub exec: &'g dyn Executor,
    pub division: &'g Division,
    pub pairs: &'g [[u32; 2]],
    pub before: Before<'g>,
}

/// Positions of springs of the next step, and sums of its pairs. None for a step without enough room.
type Found = Option<(Segments, Share)>;

impl Go<'_> {
    /// Returns the results of bodies, and those of the next step's pairs, on one thread. The latter are invalid if a body has left its listed
    /// position or is out of the ordinary.
    pub fn alone(&self, mut all: Ahead<'_, '_>, trial: Places<'_>) -> (Part, Found) {
        all.parts.fill(Part::default());
        let (room, mut share) = (trial.len() as u64, Share::default());
        let near = self.thread(0, &[], &mut all, trial, |own| share = share.and(&own));
        let found = (near <= room).then_some((Segments::whole(near as u32), share));
        (Part::of_all(all.parts), found)
    }

    /// The same on several threads.
    pub fn on_threads(
        &self,
        all: Ahead<'_, '_>,
        trial: Places<'_>,
        (marks, shares): (&[u64], &mut [Share]),
    ) -> (Part, Found) {
        let Ahead { walk, like, rates, bodies, sums, loads, means, listed, leash, parts, .. } = all;
        let (division, many) = (self.division, trial.each);
        let (rooms, chunks) = (self.before.segments.rooms(trial.len() as u64), division.body_chunks());
        let (rooms_of, chunks_of) = (rooms.get(..division.threads()), chunks.get(..division.threads()));
        let shares = shares.get_mut(..self.pairs.len().div_ceil(PAIRS)).unwrap_or_default();
        let mut near = [0; THREADS];
        let near = near.get_mut(..division.threads()).unwrap_or_default();
        parts.fill(Part::default());
        let rows = (
            pieces(rates, division.bodies()),
            pieces(bodies, division.bodies()),
            pieces(sums, division.bodies()),
            pieces(means, division.bodies()),
            pieces(&mut *parts, chunks_of.unwrap_or_default()),
            pieces(trial.words, rooms_of.unwrap_or_default()).of(many),
            (pieces(&mut *shares, division.chunks()), CutMut(&mut *near, 1)),
        );
        let marks = Marks { words: marks, threads: division.threads() };
        each(self.exec, rows, |thread, (rates, bodies, sums, means, parts, words, (shares, near))| {
            let own = Division::range(division.bodies(), thread);
            let mut rows = Ahead {
                walk,
                like: Seen { first: own.start, ..like },
                rates,
                bodies,
                sums,
                loads: loads.get(own.clone()).unwrap_or_default(),
                means,
                listed: listed.get(own).unwrap_or_default(),
                leash,
                parts,
                has_all: false,
                moved: 0,
                what: 0,
            };
            let mut shares = shares.iter_mut();
            let found = self.thread(thread, marks.of(thread), &mut rows, Places { words, each: many }, |share| {
                shares.next().into_iter().for_each(|to| *to = share);
            });
            near.fill(found);
        });
        let segments = self.before.segments.in_rooms(&rooms, near.iter().copied());
        (Part::of_all(parts), segments.map(|segments| (segments, shares.iter().fold(Share::default(), Share::and))))
    }

    #[inline(always)]
    fn thread(
        &self,
        thread: usize,
        marks: &[u64],
        rows: &mut Ahead<'_, '_>,
        trial: Places<'_>,
        tell: impl FnMut(Share),
    ) -> u64 {
        let job =
            Job { walk: rows.walk, pairs: self.pairs, division: self.division, thread, marks, before: self.before };
        let near = job.run(rows, trial, tell);
        rows.move_to(rows.bodies.len());
        near
    }
}

impl Rows for Ahead<'_, '_> {
    /// None if a body has left its listed position or is out of the ordinary.
    #[inline(always)]
    fn at<'a>(&'a mut self, pairs: &[[u32; 2]]) -> Option<(Seen<'a>, Sums<'a>)> {
        let last = match self.has_all {
            true => pairs.as_flattened().iter().fold(0, |last, i| if *i > last { *i } else { last }).saturating_add(1),
            false => self.last_of(pairs),
        };
        self.move_to(last as usize);
        if self.is_out() {
            return None;
        }
        let Ahead { like, rates, bodies, sums, moved, .. } = self;
        let seen = Seen {
            rates: rates.get(..*moved).unwrap_or_default(),
            bodies: bodies.get(..*moved).unwrap_or_default(),
            ..*like
        };
        Some((seen, Sums { first: like.first, sums: sums.get_mut(..*moved).unwrap_or_default() }))
    }
}

impl Ahead<'_, '_> {
    /// The end of the last body of these pairs among this thread's bodies. Bodies of other threads are copies, which have moved.
    #[inline(never)]
    fn last_of(&self, pairs: &[[u32; 2]]) -> u32 {
        let (first, many) = (self.like.first as u32, self.bodies.len() as u32);
        pairs.as_flattened().iter().fold(0, |last, i| {
            let end = i.wrapping_sub(first).wrapping_add(1);
            if end <= many && end > last { end } else { last }
        })
    }

    /// Whether this walk must not compute forces of the next step.
    fn is_out(&self) -> bool {
        self.what & (LEFT | BAD) != 0 || self.what & (FAST | HALO) == FAST | HALO
    }

    /// Moves bodies at least up to this one.
    pub fn move_to(&mut self, end: usize) {
        while self.moved < min(end, self.bodies.len()) {
            let next = min(self.moved + AT_ONCE, self.bodies.len());
            self.move_some(self.moved..next);
            self.moved = next;
        }
    }

    /// Moves bodies of one chunk.
    fn move_some(&mut self, range: Range<usize>) {
        let Some(part) = self.parts.get_mut(range.start / BODIES) else { return };
        let some = Moving {
            places: &mut [],
            rates: self.rates.get_mut(range.clone()).unwrap_or_default(),
            bodies: self.bodies.get_mut(range.clone()).unwrap_or_default(),
            sums: self.sums.get(range.clone()).unwrap_or_default(),
            loads: self.loads.get(range.clone()).unwrap_or_default(),
            means: self.means.get_mut(range.clone()).unwrap_or_default(),
            listed: self.listed.get(range.clone()).unwrap_or_default(),
        };
        *part = self.walk.advance_some(some, self.leash, *part);
        self.what |= part.what;
        self.sums.get_mut(range).unwrap_or_default().fill(Wrench::default());
    }
}
