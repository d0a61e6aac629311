//! Matching of contacts of two bodies before and after a step.

use super::clump_springs::{Kept, MOST, word};
use super::rotation_since::before;
use crate::body::Body;
use crate::contact::Contact;
use crate::contact::history::{Blends, Both, Contacts, Group, Link, Room};
use crate::error::Result;
use crate::memory::ALIGN;
use crate::mesh::NONE;
use crate::pose::Pose;
use crate::vector::sub;

/// Contacts of two bodies before the step.
pub(super) struct Before<'t> {
    /// The words of each contact, in the order of parts.
    rows: [&'t [u64]; MOST],
    /// Their number, which may exceed the room.
    pub count: usize,
}

/// Contacts of two bodies now.
pub(super) struct Now<'n> {
    /// All pairs of parts that are near, with a bit for each that touches.
    pub parts: &'n [[u32; 2]],
    pub touching: u32,
    /// Contacts of the pairs that touch.
    pub contacts: &'n [Contact],
    pub arms: &'n [[[f64; 3]; 2]],
}

impl Now<'_> {
    /// Parts of the pairs that touch.
    fn met(&self) -> impl Iterator<Item = [u32; 2]> {
        let touching = self.touching;
        self.parts.iter().enumerate().filter(move |(k, _)| touching >> k & 1 != 0).map(|(_, parts)| *parts)
    }
}

/// Contacts of a step, as input of matching.
struct Step<'s> {
    positions: &'s [[f64; 3]],
    areas: &'s [f64],
    poses: [Pose; 2],
}

impl Contacts for Step<'_> {
    fn position(&self, i: usize) -> [f64; 3] {
        self.positions.get(i).copied().unwrap_or_default()
    }

    fn area(&self, i: usize) -> f64 {
        self.areas.get(i).copied().unwrap_or_default()
    }

    fn poses(&self, _: usize) -> [Pose; 2] {
        self.poses
    }
}

/// Scratch of matching.
#[repr(C, align(64))]
struct Memory([u8; 96 * ALIGN]);

impl<'t> Before<'t> {
    pub fn new() -> Self {
        Before { rows: [&[]; MOST], count: 0 }
    }

    /// Adds a contact, in the order of parts; pairs that were near and did not touch have no data.
    pub fn put(&mut self, words: &'t [u64]) {
        if !Kept::is_of_parts(Kept::parts_in(words)) {
            return;
        }
        self.rows.get_mut(self.count).into_iter().for_each(|to| *to = words);
        self.count += 1;
    }

    /// One of these contacts.
    pub fn get(&self, k: u32) -> Option<Kept> {
        self.rows.get(k as usize).filter(|_| (k as usize) < self.count).map(|words| Kept::read(words))
    }

    /// For each present contact the earlier contact that it continues, or [`NONE`]: the contact of the same parts, else the nearest one that has
    /// ended.
    pub fn sources(&self, now: &Now<'_>, bodies: [&Body; 2], turns: [[f64; 4]; 2], bound: f64) -> [u32; MOST] {
        let mut sources = [NONE; MOST];
        if self.count == 0 {
            return sources;
        }
        // Usually the contacts are those of the same parts, in the same order.
        let (mut left, mut go_on, mut is_new) = (0, 0, false);
        for (source, parts) in sources.iter_mut().zip(now.met()) {
            let same = |(_, words): &(usize, &&[u64])| Kept::parts_in(words) == word(parts);
            let found = self.rows.iter().take(self.count).enumerate().skip(left).find(same);
            match found {
                Some((k, _)) => (*source, left, go_on) = (k as u32, k + 1, go_on + 1),
                None => is_new = true,
            }
        }
        if is_new && go_on < self.count {
            sources = self.matched(now, bodies, turns, bound).unwrap_or(sources);
        }
        sources
    }

    #[cold]
    #[inline(never)]
    fn matched(&self, now: &Now<'_>, bodies: [&Body; 2], turns: [[f64; 4]; 2], bound: f64) -> Result<[u32; MOST]> {
        let (old, new) = (self.count.min(MOST), now.contacts.len().min(MOST));
        let (mut places, mut areas, mut keys) = ([[[0.0; 3]; MOST]; 2], [[0.0; MOST]; 2], [[0; MOST]; 2]);
        for k in 0..old {
            let kept = self.get(k as u32).unwrap_or_default();
            (places[0][k], areas[0][k], keys[0][k]) = (kept.arms[0], kept.area, kept.feature());
        }
        let rows = now.contacts.iter().zip(now.arms).zip(now.met()).take(new);
        for (k, ((contact, arms), parts)) in rows.enumerate() {
            let key = Kept { parts: word(parts), ..Kept::default() }.feature();
            (places[1][k], areas[1][k], keys[1][k]) = (arms[0], contact.area, key);
        }
        // Relative to the centre of A.
        let poses = |arms: [[f64; 3]; 2], turned: [[f64; 4]; 2]| {
            let at = |position, orientation| Pose { position, orientation };
            [at([0.0; 3], turned[0]), at(sub(arms[0], arms[1]), turned[1])]
        };
        let is = bodies.map(|body| body.orientation);
        let was = [before(turns[0], is[0]), before(turns[1], is[1])];
        let arms = self.get(0).unwrap_or_default().arms;
        let first = now.arms.first().copied().unwrap_or_default();
        let last = Step { positions: &places[0], areas: &areas[0], poses: poses(arms, was) };
        let then = Step { positions: &places[1], areas: &areas[1], poses: poses(first, is) };
        let (mut links, mut successors) = ([Link::NEW; MOST], [NONE; MOST]);
        let mut memory = Memory([0; 96 * ALIGN]);
        let mut room = Room::new(&mut memory.0, old as u64, new as u64, 0)?;
        let group = |count: usize| Group { range: 0..count, pair: 0, nodes: &[], first: 0 };
        let (before, after) = (group(old), group(new));
        let mut both = Both {
            last: &last,
            now: &then,
            keys: [&keys[0], &keys[1]],
            before: &before,
            after: &after,
            links: &mut links,
            successors: &mut successors,
        };
        both.settle(bound, &mut room, &mut Blends::new(None))?;
        Ok(links.map(|link| link.origin))
    }
}
