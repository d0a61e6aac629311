//! Moves bodies by the forces of a step and computes those of the next one, on one walk over bodies and pairs.
//!
//! All forces of a step are known before its first body moves, and a pair acts in the next step as soon as both of its bodies have moved.
//! So bodies move a little ahead of their pairs, and are still in the cache when the pairs follow. The inputs and outputs of a step then
//! pass through the memory once, not twice. If slots are not in an order of space, most bodies move before the first pair, as in two walks.

use core::ops::Range;

use super::motion::Moving;
use super::round::Rate;
use super::touches::{Places, Touches};
use super::walk::{Along, Seen, Share, Walk};
use super::{BAD, BODIES, FAST, HALO, LEFT, PAIRS, Part};
use crate::body::Body;
use crate::detect::Wrench;
use crate::real::min;

/// Pairs that act when the last of their bodies has moved. Chunks of pairs, which come to sums of their own, are of a whole number of them.
const ACTING: usize = 512;

/// Bodies that move at a time. Chunks of bodies, whose works are sums of their own, are of a whole number of them.
const AT_ONCE: usize = 64;

const _: () = assert!(BODIES.is_multiple_of(AT_ONCE) && PAIRS.is_multiple_of(ACTING));

/// All bodies, of which the first ones have moved.
pub(super) struct Ahead<'a, 'w> {
    pub walk: &'a Walk<'w>,
    /// What else is known of them.
    pub like: Seen<'a>,
    pub places: &'a mut [[f64; 4]],
    pub rates: &'a mut [Rate],
    pub bodies: &'a mut [Body],
    /// Forces of the step of those that have not moved, of the next step of the others.
    pub sums: &'a mut [Wrench],
    pub loads: &'a [Wrench],
    pub means: &'a mut [Wrench],
    pub listed: &'a [[f64; 4]],
    pub limit: f64,
    /// What chunks of bodies come to.
    pub parts: &'a mut [Part],
    /// How many have moved, and what they are like.
    pub moved: usize,
    pub what: u64,
}

impl Ahead<'_, '_> {
    /// Gives what bodies are like, how many pairs are near in the next step, and what these come to. Of these nothing is known where a body has left its place or is out of the ordinary, or where there are more than there is room for.
    pub fn run(mut self, pairs: &[[u32; 2]], (before, trial): (Touches<'_>, Places<'_>)) -> (Part, (u64, Share)) {
        self.parts.fill(Part::default());
        let (mut left, mut words, mut near) = (before, trial.words, 0);
        let (mut all, mut chunk) = (Share::default(), Share::default());
        for (i, pairs) in pairs.chunks(ACTING).enumerate() {
            if (i * ACTING).is_multiple_of(PAIRS) {
                (all, chunk) = (all.and(&chunk), Share::default());
            }
            let last = pairs.as_flattened().iter().fold(0, |last, i| if *i > last { *i } else { last });
            self.move_to(last as usize + 1);
            if self.is_out() {
                break;
            }
            let Ahead { walk, like, places, rates, bodies, sums, moved, .. } = &mut self;
            let seen = Seen {
                places: places.get(..*moved).unwrap_or_default(),
                rates: rates.get(..*moved).unwrap_or_default(),
                bodies: bodies.get(..*moved).unwrap_or_default(),
                ..*like
            };
            let sums = sums.get_mut(..*moved).unwrap_or_default();
            let mut to = Places { words, each: trial.each };
            let mut along = Along { before: left, trial: to.iter(), acts: sums };
            let mut found = 0;
            chunk = walk.act_in_chunk(&seen, pairs, (&mut along, chunk), |pairs| {
                let which = walk.which_are_near(&seen, pairs);
                found += which.count_ones() as usize;
                which
            });
            let gone = left.len() - along.before.len();
            left = left.behind(gone);
            words = to.words.get_mut(found.saturating_mul(trial.each)..).unwrap_or_default();
            near += found as u64;
        }
        all = all.and(&chunk);
        self.move_to(self.bodies.len());
        let part = self.parts.iter().fold(Part::default(), |all, part| Part {
            works: [all.works[0] + part.works[0], all.works[1] + part.works[1]],
            what: all.what | part.what,
        });
        (part, (near, all))
    }

    /// Whether forces of the next step are not to be found on this walk.
    fn is_out(&self) -> bool {
        self.what & (LEFT | BAD) != 0 || self.what & (FAST | HALO) == FAST | HALO
    }

    /// Moves bodies up to this one at least.
    fn move_to(&mut self, end: usize) {
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
            places: self.places.get_mut(range.clone()).unwrap_or_default(),
            rates: self.rates.get_mut(range.clone()).unwrap_or_default(),
            bodies: self.bodies.get_mut(range.clone()).unwrap_or_default(),
            sums: self.sums.get(range.clone()).unwrap_or_default(),
            loads: self.loads.get(range.clone()).unwrap_or_default(),
            means: self.means.get_mut(range.clone()).unwrap_or_default(),
            listed: self.listed.get(range.clone()).unwrap_or_default(),
        };
        *part = self.walk.advance_some(some, self.limit, *part);
        self.what |= part.what;
        self.sums.get_mut(range).unwrap_or_default().fill(Wrench::default());
    }
}
