//! The results for all candidates before they are written: rows of numbers for balls, outcomes for costly pairs.

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

/// The result for a costly pair: two bodies that are not both balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Outcome {
    /// Indices of its first contact and its first node in their pools. If some room was too small: the low and the high half of the number that is
    /// enough.
    pub first: [u32; 2],
    pub count: u32,
    pub crossing: u32,
    /// The room that was too small (a number of [`What`]), [`Outcome::FAILED`], [`Outcome::WAITS`], or 0.
    pub short: u32,
    pub nodes: u32,
}

impl Outcome {
    pub(super) const FAILED: u32 = u32::MAX;
    /// Not computed, because the contacts of all pairs would not fit.
    pub(super) const WAITS: u32 = u32::MAX - 1;

    /// The outcome of a pair that needs this much of `what`.
    pub fn lacks(what: What, needed: u64) -> Self {
        let first = [needed as u32, (needed >> 32) as u32];
        Outcome { first, short: what as u32, ..Outcome::default() }
    }

    /// Whether the pair was computed completely.
    pub fn is_found(&self) -> bool {
        self.short == 0
    }

    /// How much of `what` the pair needs; 0 if it had enough.
    pub fn short_of(&self, what: What) -> u64 {
        let [low, high] = self.first.map(u64::from);
        if self.short == what as u32 { high << 32 | low } else { 0 }
    }

    /// A lower bound for the contacts and nodes of a pair that had too little room for triangles. The next step counts them.
    pub fn expected(&self, mode: Mode) -> [u64; 2] {
        let pairs = [(What::Pairs, 1, 1), (What::Terms, 1, 2), (What::Segments, 4, 1)].into_iter();
        let pairs = pairs.map(|(what, times, over)| self.short_of(what).saturating_mul(times) / over).fold(0, max);
        match mode {
            Mode::Patches => [least_nodes(pairs), 0],
            // Each contact has at least one node.
            Mode::Regions | Mode::Bodies => [min(pairs, 1), max(least_nodes(pairs), self.short_of(What::Output))],
        }
    }

    /// The indices of its contacts in their pool.
    pub fn contacts(&self) -> Range<usize> {
        self.first[0] as usize..self.first[0] as usize + self.count as usize
    }

    /// The indices of its nodes in their pool.
    pub fn nodes(&self) -> Range<usize> {
        self.first[1] as usize..self.first[1] as usize + self.nodes as usize
    }
}

/// Candidates that a thread processes at a time.
pub(super) const CHUNK: usize = 1024;

/// Scratch for this many candidates, contacts, nodes and threads.
pub(super) fn scratch(candidates: u32, most: Most, thread: Layout, threads: usize) -> Result<Layout> {
    let mut plan = Plan::new();
    let (wide, own) = lists(candidates, most);
    wide.iter().chain([&own]).for_each(|list| list.plan(&mut plan));
    plan.part(thread.times(threads, What::Scratch)?).layout(What::Scratch)
}

/// The sizes of both lists in the order of their memory: the list with wider halos, if there is one, then the other.
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

/// Sizes of the results for one list of contacts.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct FoundSizes {
    candidates: u32,
    /// The most costly candidates; `balls`: the most pairs of balls.
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
    /// The results of a step for one list of contacts, as a part of its scratch without a header. The next call with more room reads them.
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

/// The results for all candidates. They are written when there is room for all.
pub(super) struct Prepared<'s> {
    /// The code of each candidate: which kind of result it has.
    pub codes: &'s mut [u32],
    /// The costly candidates, in order.
    pub costly: &'s [u32],
    /// The contacts of balls.
    pub rows: &'s mut [Rows],
    /// The outcomes of costly candidates.
    pub outcomes: &'s mut [Outcome],
    pub ends: Ends<'s>,
    pub pool: &'s mut [Contact],
    pub nodes: &'s mut [Node],
    pub found: PairCounts,
    pub short: Shortage,
    pub bodies: usize,
}

/// Whether there is room for so few contacts that costly pairs wait for more room, because most of them would be computed twice.
pub(super) fn is_little(room: u64, costly: usize, bodies: usize) -> bool {
    room < min(costly / 4, bodies / 2) as u64
}

/// An estimate of the contacts and nodes of costly pairs if none is computed yet. It is larger than the limit of [`is_little`], and no larger than
/// for bodies in a heap.
fn foreseen(costly: usize, bodies: usize, mode: Mode) -> [u64; 2] {
    let pairs = min(costly as u64, 2 * bodies as u64);
    match mode {
        Mode::Patches => [4 * pairs, 0],
        Mode::Regions | Mode::Bodies => [pairs, 4 * pairs],
    }
}

/// The contacts and nodes of all costly pairs: those of computed pairs, plus an estimate for waiting pairs from the mean of the computed ones.
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

/// The partial results of a step with too little room, for one list of contacts.
#[derive(Clone, Copy)]
pub(super) struct Partly<'b> {
    pub(super) costly: &'b [u32],
    outcomes: &'b [Outcome],
    pool: &'b [Contact],
    nodes: &'b [Node],
}

impl<'b> Partly<'b> {
    /// The partial results of the list with wider halos, if there was one, and of the other list.
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

    /// The result for costly pair number `which`, its contacts and nodes, if it was computed.
    pub fn get(&self, which: usize) -> Option<(&'b Outcome, &'b [Contact], &'b [Node])> {
        let own = self.outcomes.get(which).filter(|own| own.is_found())?;
        Some((own, self.pool.get(own.contacts())?, self.nodes.get(own.nodes())?))
    }
}

impl Prepared<'_> {
    /// The result for costly candidate `which`, and its contacts, if it was computed.
    pub fn get(&self, which: u32) -> Option<(&Outcome, &[Contact])> {
        let own = self.outcomes.get(self.costly.binary_search(&which).ok()?).filter(|own| own.is_found())?;
        Some((own, self.pool.get(own.contacts())?))
    }

    /// The expected numbers of contacts and nodes. Those of waiting pairs are estimates; those of pairs with too little room for triangles are
    /// lower bounds.
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

/// Blocks of a chunk. Blocks of two balls fill it from the front, and blocks of balls and half-spaces from the back.
pub(super) const ROWS: usize = CHUNK / BLOCK + 1;

/// The number of blocks for this many candidates.
pub(super) fn rows(candidates: u64) -> u64 {
    let (chunks, rest) = (candidates / CHUNK as u64, candidates % CHUNK as u64);
    // A chunk without candidates has no blocks.
    chunks * ROWS as u64 + if rest == 0 { 0 } else { (rest + 2 * (BLOCK as u64 - 1)) / BLOCK as u64 }
}

/// Numbers for each chunk. They become offsets: where the items of each chunk end.
pub(super) struct Ends<'s> {
    /// Candidates whose bounds meet.
    pub near: &'s mut [u32],
    /// Candidates that have contacts.
    pub touching: &'s mut [u32],
    pub contacts: &'s mut [u32],
    /// Pairs that are written.
    pub pairs: &'s mut [u32],
    pub costly: &'s mut [u32],
    pub nodes: &'s mut [u32],
}

impl Ends<'_> {
    /// Moves the lists of costly candidates of all chunks together, and gives their number.
    pub(super) fn gather(&mut self, costly: &mut [u32]) -> usize {
        let mut count = 0;
        for (chunk, own) in self.costly.iter().enumerate().filter(|(_, own)| **own > 0) {
            let from = chunk * CHUNK;
            costly.copy_within(from..from + *own as usize, count);
            count += *own as usize;
        }
        count
    }

    /// Adds the counts of costly pairs, and turns counts into offsets. `all`: pairs without contacts are written, too.
    pub(super) fn fill(&mut self, costly: &[u32], outcomes: &[Outcome], all: bool) -> PairCounts {
        let Ends { near, touching, contacts, pairs, costly: costly_ends, nodes } = self;
        nodes.fill(0);
        for (which, outcome) in costly.iter().zip(outcomes) {
            let chunk = *which as usize / CHUNK;
            touching[chunk] += u32::from(outcome.count > 0);
            // A chunk has fewer than 2^32 contacts, or the sum saturates and the error asks for more memory than there is.
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

/// Sums over all candidates.
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
