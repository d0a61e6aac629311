//! Contacts of all candidates, written in order.
//!
//! Each contact is computed once, into scratch, and written when its place is known and there is room. Contacts of balls are stored as rows of
//! numbers; those of costly pairs go into a pool that all threads share.

use core::iter::Zip;
use core::slice::IterMut;

use super::ball_pairs::{BLOCK, Rows};
use super::candidates::{Candidates, Named};
use super::first_pass::code;
use super::general_pairs::Known;
use super::partial::{Before, Ended, Short, Unfinished};
use super::prepared::{CHUNK, Ends, Found, FoundSizes, Outcome, PairCounts, Partly, Prepared, ROWS, is_little};
use super::scene::{KeptContact, ScenePair};
use super::shortage::{Most, Shortage};
use super::sphere_bounds::Spot;
use crate::broad::Candidate;
use crate::contact::regions::Mode;
use crate::contact::{Contact, Node};
use crate::error::{Error, Result, What};
use crate::exec::{Cut, CutMut, each, pieces};
use crate::memory::{Carve, hash_items};
use crate::mesh::NONE;
use crate::pose::Pose;
use crate::real::min;

/// The outputs.
pub(super) struct Lists<'o> {
    pub contacts: &'o mut [Contact],
    pub pairs: &'o mut [ScenePair],
    /// As many as contacts if features are needed, else empty; the same holds for kept contacts and nodes.
    pub features: &'o mut [u64],
    pub kept: &'o mut [KeptContact],
    pub nodes: &'o mut [Node],
}

/// The outputs of a chunk of candidates.
struct Writing<'o> {
    contacts: IterMut<'o, Contact>,
    kept: Zip<IterMut<'o, u64>, IterMut<'o, KeptContact>>,
    pairs: IterMut<'o, ScenePair>,
    nodes: IterMut<'o, Node>,
    /// The number of the next contact among all; likewise `pair`, and `costly` for outcomes.
    contact: u32,
    pair: u32,
    costly: u32,
}

impl Writing<'_> {
    /// Writes a pair and its only contact. The contact comes last, because its numbers would otherwise be read again after writing the pair.
    #[inline(always)]
    fn one(&mut self, pair: impl FnOnce(&mut ScenePair), contact: impl FnOnce(u64) -> Contact) {
        let (Some(to), Some(record)) = (self.contacts.next(), self.pairs.next()) else { return };
        let found = contact(self.pair.into());
        if let Some((feature, kept)) = self.kept.next() {
            (*feature, *kept) = (found.key[1], KeptContact { position: found.position, area: found.area });
        }
        pair(record);
        (record.first, record.end) = (self.contact, self.contact + 1);
        record.least_gap = found.least_gap;
        *to = found;
        (self.contact, self.pair) = (self.contact + 1, self.pair + 1);
    }

    /// Writes a pair with several contacts and nodes.
    fn many(&mut self, pair: impl FnOnce(&mut ScenePair), contacts: &[Contact], nodes: &[Node]) {
        let Some(record) = self.pairs.next() else { return };
        for (found, to) in nodes.iter().zip(&mut self.nodes) {
            *to = Node { contact: found.contact + self.contact, ..*found };
        }
        pair(record);
        record.least_gap = f64::INFINITY;
        // The zip has the shorter list first, because it takes one item too many from the list that comes first.
        for (found, to) in contacts.iter().zip(&mut self.contacts) {
            *to = Contact { key: [self.pair.into(), found.key[1]], ..*found };
            if let Some((feature, kept)) = self.kept.next() {
                (*feature, *kept) = (found.key[1], KeptContact { position: found.position, area: found.area });
            }
            record.least_gap = min(record.least_gap, found.least_gap);
            record.energy += found.energy;
        }
        (record.first, record.end) = (self.contact, self.contact + contacts.len() as u32);
        (self.contact, self.pair) = (record.end, self.pair + 1);
    }
}

impl Candidates<'_> {
    /// Computes and writes the contacts of all candidates, and the pairs that have some. Then does the same with halos enlarged by `margin`, if the
    /// settings have one. Gives the numbers of both lists.
    ///
    /// If some room is too small, nothing is written. The error is about the room that a pair lacks, or
    /// [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`] and [`What::MarginContacts`] (each with the number of the
    /// other as index) and [`What::Nodes`]. `before` has the results of such a call with less room.
    ///
    /// Errors: those of a pair.
    pub fn run(
        &self,
        to: Lists<'_>,
        wide: Option<(f64, Lists<'_>)>,
        before: Option<&Before<'_>>,
        scratch: &mut [u8],
    ) -> Result<Ended<[PairCounts; 2]>> {
        let hash = || hash_items(0, self.candidates);
        let same = |before: &&Before<'_>| {
            let Unfinished { candidates, hash: then, .. } = before.unfinished;
            candidates as usize == self.candidates.len() && then == hash()
        };
        let [before_wide, before] = before.filter(same).map_or(Ok([None; 2]), Partly::both)?;
        let n = self.candidates.len() as u32;
        let most = Most {
            kinds: self.kinds,
            contacts: to.contacts.len() as u32,
            nodes: to.nodes.len() as u32,
            margin: wide.as_ref().map(|(_, to)| to.contacts.len() as u32),
        };
        let mut carve = Carve::whole(scratch, What::Scratch);
        let wide_margin = wide.as_ref().map(|(margin, _)| *margin);
        // The list with wider halos comes first, because it mostly needs most, and its shortage is the one to report.
        let (wide_sizes, own_sizes) = super::prepared::lists(n, most);
        let mut found = |sizes: &FoundSizes| Found::carve(&mut carve, sizes);
        let (wide_memory, own_memory) = (wide_sizes.as_ref().map(&mut found).transpose()?, found(&own_sizes)?);
        let threads = carve.rest();
        self.thread.check(threads, What::Scratch)?;
        let more = match wide.zip(wide_memory) {
            Some(((margin, to), memory)) => {
                let wide = Candidates { margin, ..*self };
                Some((wide.prepare(memory, (before_wide, None), threads)?, wide, to))
            }
            None => None,
        };
        let beyond = wide_margin.zip(more.as_ref().map(|(more, ..)| more));
        let own = self.prepare(own_memory, (before, beyond), threads)?;
        if let Some((error, shortage)) = self.too_little(&own, more.as_ref().map(|(more, ..)| more), most) {
            let unfinished = Some(Unfinished { candidates: n, hash: hash(), most, at: 0 });
            return Ok(Ended::Short(Short { error, shortage, unfinished }));
        }
        self.write(&own, to);
        let mut beyond = PairCounts::default();
        if let Some((more, wide, to)) = more {
            wide.write(&more, to);
            beyond = more.found;
        }
        Ok(Ended::Done([own.found, beyond]))
    }

    /// The shortage of a step, and the first error about it.
    fn too_little(&self, own: &Prepared<'_>, more: Option<&Prepared<'_>>, most: Most) -> Option<(Error, Shortage)> {
        let (mut short, mut first) = (own.short, None);
        let mode = self.grouping.mode;
        let ([own_contacts, nodes_needed], [more_contacts, _]) =
            (own.expected(mode), more.map_or([0; 2], |more| more.expected(mode)));
        let both = [own_contacts, more_contacts];
        let mut look = |what, needed, given: u64, is_enough: u64, index| {
            if needed > is_enough {
                short.add(what, needed);
                first.get_or_insert(Error::capacity(what, needed, given).at(index, 0));
            }
        };
        // The list with wider halos comes first, because it mostly needs most. Shortages of a pair only contain sizes that were too small.
        for prepared in more.into_iter().chain([own]) {
            let Shortage { pairs, terms, segments, pair_contacts, .. } = prepared.short;
            look(What::Pairs, pairs, self.room.pairs as u64, 0, 0);
            look(What::Terms, terms, self.room.terms as u64, 0, 0);
            look(What::Segments, segments, self.room.segments as u64, 0, 0);
            look(What::Output, pair_contacts, self.most as u64, 0, 0);
        }
        let [contacts, margin, nodes] = [most.contacts, most.margin.unwrap_or(0), most.nodes].map(u64::from);
        look(What::Contacts, both[0], contacts, contacts, both[1]);
        look(What::MarginContacts, both[1], margin, margin, both[0]);
        // In this mode each patch pair is a contact, and there are no nodes.
        look(What::Nodes, if mode == Mode::Patches { 0 } else { nodes_needed }, nodes, nodes, 0);
        first.map(|error| (error, short))
    }

    /// Computes all contacts and nodes, into a pool with limited room. `beyond`: the margin, and the results with wider halos.
    ///
    /// Errors: those of a pair that has too little room.
    fn prepare<'s>(
        &self,
        memory: Found<'s>,
        (before, beyond): (Option<Partly<'_>>, Option<(f64, &Prepared<'_>)>),
        threads: &mut [u8],
    ) -> Result<Prepared<'s>> {
        let candidates = self.candidates;
        let Found { codes, costly, outcomes, rows, pool, nodes, near, touching, contacts, pairs, .. } = memory;
        let (costly_ends, node_ends, room) = (memory.costly_ends, memory.node_ends, pool.len());
        let mut ends = Ends { near, touching, contacts, pairs, costly: costly_ends, nodes: node_ends };
        let Ends { near, touching, contacts, pairs, costly: costly_counts, .. } = &mut ends;
        let numbers = [near, touching, contacts, pairs, costly_counts].map(|x| CutMut(x, 1));
        let lists = (Cut(candidates, CHUNK), CutMut(&mut *codes, CHUNK), CutMut(&mut *costly, CHUNK));
        each(
            self.exec,
            (lists, CutMut(&mut *rows, ROWS), numbers),
            |chunk, ((candidates, codes, costly), rows, to)| {
                let [near, touching, contacts, pairs, costly_counts] = to.map(|to| &mut to[0]);
                let looked = self.look(chunk * CHUNK, candidates, codes, rows);
                if looked.costly > 0 {
                    let all = (0..).zip(&*codes).filter(|(_, code)| **code == code::DEAR);
                    all.zip(costly).for_each(|((k, _), to)| *to = (chunk * CHUNK) as u32 + k);
                }
                (*near, *touching, *contacts, *pairs, *costly_counts) =
                    (looked.near, looked.touching, looked.touching, candidates.len() as u32, looked.costly);
            },
        );
        let count = |numbers: &[u32]| numbers.iter().map(|n| u64::from(*n)).sum::<u64>();
        if !self.kinds.costly && count(costly_counts) > 0 {
            // A ball and a half-space in an unusual configuration. The caller replaces the amounts by those that are enough for all pairs.
            return Err(Error::capacity(What::Scratch, 0, 0));
        }
        let of_balls = count(touching);
        let rest = ends.gather(costly);
        let costly: &'s [u32] = costly;
        let (costly, outcomes) = (costly.get(..rest).unwrap_or_default(), outcomes.get_mut(..rest).unwrap_or_default());
        // If the costly pairs differ from those of the earlier call, the bodies have been changed in between, and its results are not used. The
        // comparison is item by item: comparing slices would call `bcmp`, which a library without an operating system must not need.
        let same = |own: &[u32]| own.iter().eq(&*costly);
        let before = before.filter(|before| before.costly.get(..rest).is_some_and(same));
        let known = Known { before: before.as_ref(), beyond };
        let bodies = self.bodies.len();
        let waits =
            self.sparing && known.before.is_none() && is_little((room as u64).saturating_sub(of_balls), rest, bodies);
        let short = if waits {
            outcomes.fill(Outcome { short: Outcome::WAITS, ..Outcome::default() });
            Shortage::default()
        } else {
            self.find_costly(costly, outcomes, (&mut *pool, &mut *nodes), &known, threads)?
        };
        let found = ends.fill(costly, outcomes, self.named.is_some());
        Ok(Prepared { codes, costly, rows, outcomes, ends, pool, nodes, found, short, bodies })
    }

    /// The candidates whose bounds meet now, with indices in the host's arrays.
    pub fn near(&self) -> impl Iterator<Item = Candidate> {
        let meet = |c: &&Candidate| self.overlap.as_ref().is_none_or(|overlap| self.meet(overlap, c));
        self.candidates.iter().filter(meet).map(|c| {
            let [a, b] = [c.a, c.b].map(|rank| self.ranks.place(rank));
            Candidate { a, b, shift: self.images.shift(c), spare: 0 }
        })
    }

    /// The poses of a candidate, if the host has given poses for pairs.
    #[inline(always)]
    pub fn posed(&self, which: usize) -> Option<[Pose; 2]> {
        let Named { origins, poses } = self.named?;
        let origin = *origins.get(which)?;
        let [a, b] = *poses?.get((origin >> 1) as usize)?;
        Some(if origin & 1 == 0 { [a, b] } else { [b, a] })
    }

    /// The poses of both bodies.
    pub fn poses(&self, which: usize, c: &Candidate) -> [Pose; 2] {
        self.posed(which).unwrap_or_else(|| [c.a, c.b].map(|i| self.bodies.pose(i as usize)))
    }

    /// Length by which the halo of each body is enlarged.
    #[inline(always)]
    pub fn wider(&self) -> f64 {
        0.5 * self.margin
    }

    /// The centre, radius and halo of both bodies.
    #[inline(always)]
    pub fn spots(&self, c: &Candidate) -> Option<[&Spot; 2]> {
        Some([self.spots.get(c.a as usize)?, self.spots.get(c.b as usize)?])
    }

    /// The image number of a candidate, by the centres of the spheres around both bodies.
    fn image(&self, which: usize, c: &Candidate) -> [i32; 3] {
        let centre = |i: u32, pose: &Pose| {
            let scale = self.bodies.scales.map_or(1.0, |s| s.number(i as usize));
            let ball = self.balls.get(self.bodies.shape.get(i as usize) as usize).copied().unwrap_or_default();
            ball.placed(pose, scale).centre
        };
        let own = if self.images.is_open() { None } else { self.posed(which) };
        self.images.number(c, own.map(|[a, b]| [centre(c.a, &a), centre(c.b, &b)]))
    }

    /// Writes all contacts and pairs to their places.
    fn write(&self, prepared: &Prepared<'_>, to: Lists<'_>) {
        let ends = &prepared.ends;
        let parts = (
            Cut(&*prepared.codes, CHUNK),
            Cut(&*prepared.rows, ROWS),
            pieces(to.contacts, &*ends.contacts),
            pieces(to.features, &*ends.contacts),
            pieces(to.kept, &*ends.contacts),
            (pieces(to.pairs, &*ends.pairs), pieces(to.nodes, &*ends.nodes)),
        );
        each(self.exec, parts, |chunk, (codes, rows, contacts, features, kept, (pairs, nodes))| {
            let before = |ends: &[u32]| chunk.checked_sub(1).and_then(|k| ends.get(k)).copied().unwrap_or(0);
            let to = Writing {
                contacts: contacts.iter_mut(),
                kept: features.iter_mut().zip(kept),
                pairs: pairs.iter_mut(),
                nodes: nodes.iter_mut(),
                contact: before(ends.contacts),
                pair: before(ends.pairs),
                costly: before(ends.costly),
            };
            self.write_chunk(chunk * CHUNK, (codes, rows), prepared, to);
        });
    }

    /// Writes the results of a chunk of candidates, from number `first` on.
    fn write_chunk(
        &self,
        first: usize,
        (codes, rows): (&[u32], &[Rows]),
        Prepared { outcomes, pool, nodes, .. }: &Prepared<'_>,
        mut to: Writing<'_>,
    ) {
        let (all, plain, mut balls, mut grounds) = (self.named.is_some(), self.are_plain(), 0, 0);
        let block = |k: usize| rows.get(k / BLOCK);
        let ground_block = |k: usize| rows.get(rows.len().checked_sub(k / BLOCK + 1)?);
        let candidates = self.candidates.get(first..).unwrap_or_default();
        for (k, (c, code)) in candidates.iter().zip(codes).enumerate() {
            let which = first + k;
            let pair = |to: &mut ScenePair| self.pair(plain, which, c, to);
            match *code {
                code::BALLS => {
                    let (at, Some(own)) = (balls, block(balls)) else { return };
                    balls += 1;
                    match (own.touches(at), all) {
                        (true, _) if own.is_unusual(at) => to.one(pair, |tag| self.unusual(which, c, tag)),
                        (true, _) => to.one(pair, |tag| own.contact(at, tag, self.spread)),
                        (false, true) => to.many(pair, &[], &[]),
                        (false, false) => {}
                    }
                }
                code::GROUND => {
                    let (at, Some(own)) = (grounds, ground_block(grounds)) else { return };
                    grounds += 1;
                    to.one(pair, |tag| own.contact(at, tag, self.spread));
                }
                code::DEAR => {
                    let outcome = outcomes.get(to.costly as usize).copied().unwrap_or_default();
                    let found = pool.get(outcome.contacts()).unwrap_or_default();
                    let list = nodes.get(outcome.nodes()).unwrap_or_default();
                    to.costly += 1;
                    if all || !found.is_empty() {
                        to.many(pair, found, list);
                    }
                }
                _ if all => to.many(pair, &[], &[]),
                _ => {}
            }
        }
    }

    /// Whether ids are places, and there are no periodic images and no pairs named by the host.
    fn are_plain(&self) -> bool {
        self.images.is_open() && self.ranks.are_ids() && self.named.is_none()
    }

    /// Writes the record of a candidate, except for its contacts.
    #[inline(always)]
    fn pair(&self, plain: bool, which: usize, c: &Candidate, to: &mut ScenePair) {
        if !plain {
            return self.any_pair(which, c, to);
        }
        let Candidate { a, b, .. } = *c;
        *to = ScenePair { ids: [a, b].map(u64::from), a, b, posed: NONE, ..ScenePair::default() };
    }

    #[inline(never)]
    fn any_pair(&self, which: usize, c: &Candidate, to: &mut ScenePair) {
        let [a, b] = [self.ranks.place(c.a), self.ranks.place(c.b)];
        let (open, named) = (self.images.is_open(), self.named.is_some());
        *to = ScenePair {
            ids: [self.ranks.id(a), self.ranks.id(b)],
            a,
            b,
            image: if open { c.shift.map(i32::from) } else { self.image(which, c) },
            shift: if open { c.shift } else { self.images.shift(c) },
            posed: if named && self.posed(which).is_some() { which as u32 } else { NONE },
            ..ScenePair::default()
        };
    }
}
