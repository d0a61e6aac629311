//! What has been found of all candidates, before it is written: as numbers for balls, and as outcomes for the others.

use core::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::ball_pairs::{BLOCK, Rows};
use super::partial::{Before, Unfinished};
use super::shortage::{Kinds, Most, Shortage, least_nodes};
use crate::contact::regions::Mode;
use crate::contact::{Contact, Node};
use crate::error::{Result, What};
use crate::exec::ends;
use crate::memory::{self, CarveRef, Layout, Plan, Sections, Sizes};
use crate::real::{max, min};

/// What came of two bodies whose contacts take more than those of balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Outcome {
    /// Where their contacts are in the pool, and where their nodes are in that of nodes; of what was too small: the halves of the number that is enough.
    pub first: [u32; 2],
    pub count: u32,
    pub crossing: u32,
    /// What was too small (a number of [`What`]), or [`Outcome::FAILED`], or [`Outcome::WAITS`], or 0.
    pub short: u32,
    pub nodes: u32,
}

impl Outcome {
    pub(super) const FAILED: u32 = u32::MAX;
    /// It was not computed, as there was no room for so many contacts.
    pub(super) const WAITS: u32 = u32::MAX - 1;

    /// So much was needed.
    pub fn lacks(what: What, needed: u64) -> Self {
        let first = [needed as u32, (needed >> 32) as u32];
        Outcome { first, short: what as u32, ..Outcome::default() }
    }

    /// Whether there was room.
    pub fn is_found(&self) -> bool {
        self.short == 0
    }

    /// How much of this it needs; 0 where it was not short of it.
    pub fn short_of(&self, what: What) -> u64 {
        let [low, high] = self.first.map(u64::from);
        if self.short == what as u32 { high << 32 | low } else { 0 }
    }

    /// How many contacts and nodes it has at least, of which nothing is known yet: the next step tells how many there are.
    pub fn expected(&self, mode: Mode) -> [u64; 2] {
        let pairs = [(What::Pairs, 1, 1), (What::Terms, 1, 2), (What::Segments, 4, 1)].into_iter();
        let pairs = pairs.map(|(what, times, over)| self.short_of(what).saturating_mul(times) / over).fold(0, max);
        match mode {
            Mode::Patches => [least_nodes(pairs), 0],
            // Each of its contacts has nodes.
            Mode::Regions | Mode::Bodies => [min(pairs, 1), max(least_nodes(pairs), self.short_of(What::Output))],
        }
    }

    /// Places of its contacts in their pool.
    pub fn contacts(&self) -> Range<usize> {
        self.first[0] as usize..self.first[0] as usize + self.count as usize
    }

    /// Places of its nodes in their pool.
    pub fn nodes(&self) -> Range<usize> {
        self.first[1] as usize..self.first[1] as usize + self.nodes as usize
    }
}

/// Candidates that a thread looks at at a time.
pub(super) const CHUNK: usize = 1024;

/// Scratch for so many candidates, contacts and nodes, and for so many threads.
pub(super) fn scratch(candidates: u32, most: Most, thread: Layout, threads: usize) -> Result<Layout> {
    let mut plan = Plan::new();
    let (wide, own) = lists(candidates, most);
    wide.iter().chain([&own]).for_each(|list| list.plan(&mut plan));
    plan.part(thread.times(threads, What::Scratch)?).layout(What::Scratch)
}

/// The lists of a step in the order of their memory: that with wider halos, if there is one, then the other.
pub(super) fn lists(candidates: u32, most: Most) -> (Option<FoundSizes>, FoundSizes) {
    let Kinds { costly, balls } = most.kinds;
    let of = |count: u32, some: bool| if some { count } else { 0 };
    let list = |contacts, nodes| FoundSizes {
        candidates,
        costly: of(candidates, costly),
        balls: of(candidates, balls),
        contacts: of(contacts, costly),
        nodes: of(nodes, costly),
    };
    (most.margin.map(|contacts| list(contacts, 0)), list(most.contacts, most.nodes))
}

/// Sizes of what is found for one list of contacts.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct FoundSizes {
    candidates: u32,
    /// The most that take more than balls, and the most that are balls.
    costly: u32,
    balls: u32,
    contacts: u32,
    nodes: u32,
}

impl FoundSizes {
    fn chunks(&self) -> u64 {
        u64::from(self.candidates).div_ceil(CHUNK as u64)
    }
}

impl Sizes for FoundSizes {
    const KIND: [u8; 4] = *b"prep";
    const VERSION: u32 = 1;
}

memory::sections! {
    /// What a step finds for one list of contacts, in its scratch: a part, which has no header. A step with more room reads it again.
    pub(super) struct Found / FoundRef (n: &FoundSizes) {
        pub codes: Cache [u32; n.candidates.into()],
        pub costly: Cache [u32; n.costly.into()],
        pub outcomes: Cache [Outcome; n.costly.into()],
        pub rows: Cache [Rows; rows(n.balls.into())],
        pub near: Cache [u32; n.chunks()],
        pub touching: Cache [u32; n.chunks()],
        pub contacts: Cache [u32; n.chunks()],
        pub pairs: Cache [u32; n.chunks()],
        pub costly_ends: Cache [u32; n.chunks()],
        pub node_ends: Cache [u32; n.chunks()],
        pub pool: Cache [Contact; n.contacts.into()],
        pub nodes: Cache [Node; n.nodes.into()],
    }
}

/// What has been found of all candidates, and is to be written when it is known that there is room.
pub(super) struct Prepared<'s> {
    /// What each candidate came to.
    pub codes: &'s mut [u32],
    /// Those that are costly, in order.
    pub costly: &'s [u32],
    /// The contacts of balls.
    pub rows: &'s mut [Rows],
    /// What costly ones came to.
    pub outcomes: &'s mut [Outcome],
    pub ends: Ends<'s>,
    pub pool: &'s mut [Contact],
    pub nodes: &'s mut [Node],
    pub found: PairCounts,
    pub short: Shortage,
    pub bodies: usize,
}

/// Whether room for so many contacts is so little that costly pairs wait for more: else most of them would be computed twice.
pub(super) fn is_little(room: u64, costly: usize, bodies: usize) -> bool {
    room < min(costly / 4, bodies / 2) as u64
}

/// About how many contacts and nodes come of so many costly pairs, where none is computed yet: more than [`is_little`], and no more than bodies that lie in a heap have.
fn foreseen(costly: usize, bodies: usize, mode: Mode) -> [u64; 2] {
    let pairs = min(costly as u64, 2 * bodies as u64);
    match mode {
        Mode::Patches => [4 * pairs, 0],
        Mode::Regions | Mode::Bodies => [pairs, 4 * pairs],
    }
}

/// How many contacts and nodes costly pairs have in all, as far as they are found, and about those that wait: as those that are found.
pub(super) fn foreseen_of_all(outcomes: &[Outcome], bodies: usize, mode: Mode) -> [u64; 2] {
    let waiting = outcomes.iter().filter(|outcome| outcome.short == Outcome::WAITS).count() as u64;
    let found = outcomes.iter().filter(|outcome| outcome.is_found());
    let (count, sums) = found.fold((0, [0; 2]), |(count, [contacts, nodes]), outcome| {
        (count + 1, [contacts + u64::from(outcome.count), nodes + u64::from(outcome.nodes)])
    });
    if waiting == 0 {
        return sums;
    }
    if count == 0 {
        return foreseen(outcomes.len(), bodies, mode);
    }
    sums.map(|sum| sum + (u128::from(sum) * u128::from(waiting)).div_ceil(count) as u64)
}

/// What a step that found too little room has found of one list of contacts.
#[derive(Clone, Copy)]
pub(super) struct Partly<'b> {
    pub(super) costly: &'b [u32],
    outcomes: &'b [Outcome],
    pool: &'b [Contact],
    nodes: &'b [Node],
}

impl<'b> Partly<'b> {
    /// The list with wider halos, if there was one, and the other one.
    pub(super) fn both(before: &Before<'b>) -> Result<[Option<Self>; 2]> {
        let Unfinished { candidates, most, at, .. } = before.unfinished;
        let memory = before.scratch.get(at..).unwrap_or_default();
        let layout = self::scratch(candidates, most, Layout::EMPTY, 0)?;
        let mut carve = CarveRef::new(memory, layout, What::Scratch)?;
        let mut read = |sizes: FoundSizes| -> Result<Self> {
            let FoundRef { costly, outcomes, pool, nodes, .. } = FoundRef::carve(&mut carve, &sizes)?;
            Ok(Partly { costly, outcomes, pool, nodes })
        };
        let (wide, own) = lists(candidates, most);
        Ok([wide.map(&mut read).transpose()?, Some(read(own)?)])
    }

    /// The result for the expensive pair with this number, its contacts and nodes, if it exists.
    pub fn get(&self, which: usize) -> Option<(&'b Outcome, &'b [Contact], &'b [Node])> {
        let own = self.outcomes.get(which).filter(|own| own.is_found())?;
        Some((own, self.pool.get(own.contacts())?, self.nodes.get(own.nodes())?))
    }
}

impl Prepared<'_> {
    /// The result for an expensive candidate, and its contacts, if it exists.
    pub fn get(&self, which: u32) -> Option<(&Outcome, &[Contact])> {
        let own = self.outcomes.get(self.costly.binary_search(&which).ok()?).filter(|own| own.is_found())?;
        Some((own, self.pool.get(own.contacts())?))
    }

    /// How many contacts and nodes there will be. Those of pairs that wait are estimated, and of pairs of bodies with too little room for triangles there
    /// are at least so many.
    pub(super) fn expected(&self, mode: Mode) -> [u64; 2] {
        let found = self.outcomes.iter().filter(|outcome| outcome.is_found());
        let found = found.fold([0; 2], |[a, b], one| [a + u64::from(one.count), b + u64::from(one.nodes)]);
        let [waiting, parts] = foreseen_of_all(self.outcomes, self.bodies, mode);
        let [contacts, nodes] = [self.found.contacts.max(self.found.pairs), self.found.nodes].map(|n| n as u64);
        let own = [contacts.saturating_add(waiting - found[0]), nodes.saturating_add(parts - found[1])];
        self.outcomes.iter().filter(|outcome| !outcome.is_found()).fold(own, |[contacts, nodes], outcome| {
            let [some, parts] = outcome.expected(mode);
            [contacts.saturating_add(some).saturating_add(outcome.short_of(What::Output)), nodes.saturating_add(parts)]
        })
    }
}

/// Blocks of a chunk: those of two balls from the first one on, those of balls and half-spaces from the last one down.
pub(super) const ROWS: usize = CHUNK / BLOCK + 1;

/// Blocks of so many candidates.
pub(super) fn rows(candidates: u64) -> u64 {
    let (chunks, rest) = (candidates / CHUNK as u64, candidates % CHUNK as u64);
    // Where a chunk has no candidates, it has no blocks.
    chunks * ROWS as u64 + if rest == 0 { 0 } else { (rest + 2 * (BLOCK as u64 - 1)) / BLOCK as u64 }
}

/// Numbers of each chunk, then where those of each end, but for the first.
pub(super) struct Ends<'s> {
    /// Candidates whose bounds meet.
    pub near: &'s mut [u32],
    /// Those that have contacts.
    pub touching: &'s mut [u32],
    pub contacts: &'s mut [u32],
    /// Pairs that are written.
    pub pairs: &'s mut [u32],
    pub costly: &'s mut [u32],
    pub nodes: &'s mut [u32],
}

impl Ends<'_> {
    /// Moves the lists of costly ones of all chunks together; gives their number.
    pub(super) fn gather(&mut self, costly: &mut [u32]) -> usize {
        let mut count = 0;
        for (chunk, own) in self.costly.iter().enumerate().filter(|(_, own)| **own > 0) {
            let from = chunk * CHUNK;
            costly.copy_within(from..from + *own as usize, count);
            count += *own as usize;
        }
        count
    }

    /// Counts what costly ones have, then adds up. `all`: pairs without contacts are written, too.
    pub(super) fn fill(&mut self, costly: &[u32], outcomes: &[Outcome], all: bool) -> PairCounts {
        let Ends { near, touching, contacts, pairs, costly: costly_ends, nodes } = self;
        nodes.fill(0);
        for (which, outcome) in costly.iter().zip(outcomes) {
            let chunk = *which as usize / CHUNK;
            touching[chunk] += u32::from(outcome.count > 0);
            // Contacts of a chunk are fewer than 2^32, or there is no memory for them.
            contacts[chunk] = contacts[chunk].saturating_add(outcome.count);
            nodes[chunk] = nodes[chunk].saturating_add(outcome.nodes);
        }
        if !all {
            pairs.copy_from_slice(touching);
        }
        ends(costly_ends);
        let sum = |counts: &[u32]| counts.iter().map(|n| *n as usize).sum();
        let [contacts, pairs, nodes] = [contacts, pairs, nodes].map(|counts| ends(counts) as usize);
        let crossing = outcomes.iter().map(|outcome| outcome.crossing as usize).sum();
        PairCounts { near: sum(near), contacts, nodes, pairs, touching: sum(touching), crossing }
    }
}

/// What all candidates came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairCounts {
    /// Candidates whose bounds meet.
    pub near: usize,
    pub contacts: usize,
    pub nodes: usize,
    /// Pairs that are written.
    pub pairs: usize,
    /// Pairs that have contacts.
    pub touching: usize,
    pub crossing: usize,
}
