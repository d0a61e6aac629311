//! Touching pairs with their springs, as the block stores them: in as many words as the law needs.

use zerocopy::{FromBytes, Immutable, IntoBytes, transmute_ref};

use super::clump_springs::Kept;
use super::list_state::WORDS;
use crate::error::{Error, Result, What};
use crate::force::Laws;
use crate::world::block::OF_BALLS;

/// Words of a pair with the spring of torsion, and with those of torsion and rolling.
const WITH_TORSION: u32 = 5;
const ALL: u32 = 8;
/// Words of a pair if some bodies are compounds: with positions of contacts of their parts ([`Kept`]).
pub(super) const OF_PARTS: u32 = 16;

/// Words of a pair under these laws.
pub(super) fn words_of(laws: &Laws<'_>) -> u32 {
    let all = laws.interactions();
    if all.iter().any(|law| law.rolling > 0.0) {
        ALL
    } else if all.iter().any(|law| law.friction > 0.0 && law.torsion > 0.0) {
        WITH_TORSION
    } else {
        WORDS as u32
    }
}

/// Words that the springs of a pair need.
pub(super) fn least_words(touch: &Touch) -> u32 {
    let [_, _, _, twist, rolled @ ..] = touch.springs;
    match (rolled.iter().any(|x| *x != 0.0), twist != 0.0) {
        (true, _) => ALL,
        (false, true) => WITH_TORSION,
        (false, false) => WORDS as u32,
    }
}

/// Words of a pair, within the valid range for any block.
fn whole(each: u32) -> usize {
    if each == OF_PARTS { OF_PARTS as usize } else { each.clamp(WORDS as u32, ALL) as usize }
}

/// Words of a pair without springs.
pub(super) const NO_SPRINGS: [&[f64; 4]; 2] = [&[0.0; 4]; 2];

/// Springs of a pair with this number of words: slide, twist, roll.
#[inline(always)]
pub(super) fn springs_in(words: usize, [[_, x, y, z], [a, b, c, d]]: [&[f64; 4]; 2]) -> [f64; 7] {
    match words {
        8 | 16 => [*x, *y, *z, *a, *b, *c, *d],
        5 => [*x, *y, *z, *d, 0.0, 0.0, 0.0],
        _ => [*x, *y, *z, 0.0, 0.0, 0.0, 0.0],
    }
}

/// Marks the slot of a half-space.
pub(super) const FLAT: u32 = 1 << 31;

/// A pair that touches.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Touch {
    /// Slots of A and B, marked with [`FLAT`] for a half-space; both are marked for a pair that was near and did not touch.
    pub marked: [u32; 2],
    /// Springs: slide, twist along the normal, roll.
    pub springs: [f64; 7],
}

impl Touch {
    /// A near pair without springs.
    pub fn none([a, b]: [u32; 2]) -> Touch {
        Touch { marked: [a | FLAT, b | FLAT], springs: [0.0; 7] }
    }

    pub fn new(slots: [u32; 2], side: f64, springs: [f64; 7]) -> Touch {
        let marks = [if side < 0.0 { FLAT } else { 0 }, if side > 0.0 { FLAT } else { 0 }];
        Touch { marked: [slots[0] | marks[0], slots[1] | marks[1]], springs }
    }

    pub fn slots(&self) -> [u32; 2] {
        self.marked.map(|i| i & !FLAT)
    }

    pub fn touches(&self) -> bool {
        self.marked[0] & self.marked[1] & FLAT == 0
    }

    /// The energy of its springs.
    pub fn stored(&self) -> f64 {
        0.5 * self.springs.iter().fold(0.0, |sum, x| sum + x * x)
    }

    /// The half-space: A (-1), B (1) or none (0).
    pub fn side(&self) -> f64 {
        side(self.marked.map(|i| i & FLAT != 0))
    }

    #[inline(always)]
    fn read(words: &[u64]) -> Touch {
        let (first, rest) = words.split_first().unwrap_or((&0, &[]));
        // Copies of known lengths: a copy of any length would be a function call.
        let springs = match *rest {
            [a, b, c] => [a, b, c, 0, 0, 0, 0],
            [a, b, c, d] => [a, b, c, d, 0, 0, 0],
            [a, b, c, d, e, f, g, ..] => [a, b, c, d, e, f, g],
            _ => [0; 7],
        };
        Touch { marked: [*first as u32, (*first >> 32) as u32], springs: springs.map(f64::from_bits) }
    }

    /// Springs without a word for them are 0 under the law.
    #[inline(always)]
    pub fn write(&self, words: &mut [u64]) {
        let Some((first, rest)) = words.split_first_mut() else { return };
        let [a, b] = self.marked.map(u64::from);
        *first = a | b << 32;
        let [a, b, c, d, e, f, g] = self.springs.map(f64::to_bits);
        match rest {
            [x, y, z] => [*x, *y, *z] = [a, b, c],
            [x, y, z, w] => [*x, *y, *z, *w] = [a, b, c, d],
            [x, y, z, w, p, q, r, rest @ ..] if !rest.is_empty() => {
                [*x, *y, *z, *w, *p, *q, *r] = [a, b, c, d, e, f, g];
                rest.fill(0);
            }
            [x, y, z, w, rest @ ..] => {
                [*x, *y, *z, *w] = [a, b, c, d];
                rest.iter_mut().zip([e, f, g]).for_each(|(to, x)| *to = x);
            }
            _ => {}
        }
    }
}

/// Consecutive pairs.
#[derive(Clone, Copy)]
pub(super) struct Touches<'t> {
    words: &'t [u64],
    pub each: usize,
}

impl<'t> Touches<'t> {
    /// `count` pairs, of `each` words.
    pub fn new(words: &'t [u64], each: u32, count: u32) -> Self {
        let each = whole(each);
        let len = (count as usize).saturating_mul(each);
        Touches { words: words.get(..len).unwrap_or_default(), each }
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.each
    }

    pub fn get(&self, i: usize) -> Option<Touch> {
        Some(Touch::read(self.words.chunks_exact(self.each).nth(i)?))
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Touch> + ExactSizeIterator + use<'t> {
        self.words.chunks_exact(self.each).map(Touch::read)
    }

    /// The slots of the first pair.
    #[inline(always)]
    pub fn first(&self) -> Option<[u32; 2]> {
        self.words.first().map(|word| [*word as u32 & !FLAT, (*word >> 32) as u32 & !FLAT])
    }

    /// Removes the first pair and returns its springs: its first four words, and its last four.
    #[inline(always)]
    pub fn next(&mut self) -> [&'t [f64; 4]; 2] {
        let (first, rest) = self.words.split_at_checked(self.each).unwrap_or_default();
        self.words = rest;
        let (Some(first), Some(last)) = (first.first_chunk::<4>(), first.last_chunk::<4>()) else { return NO_SPRINGS };
        [transmute_ref!(first), transmute_ref!(last)]
    }

    /// The energy of the springs of all wanted pairs.
    pub fn stored(&self, wanted: impl Fn(&Touch) -> bool) -> f64 {
        self.records().filter(|(touch, _)| wanted(touch)).fold(0.0, |sum, (touch, kept)| {
            let is_of_parts = self.each == OF_PARTS as usize && Kept::is_of_parts(kept.parts);
            sum + if is_of_parts { kept.stored } else { touch.stored() }
        })
    }

    /// Pairs of [`OF_PARTS`] words with all their kept data.
    pub fn records(&self) -> impl Iterator<Item = (Touch, Kept)> + use<'t> {
        self.words.chunks_exact(self.each).map(|words| (Touch::read(words), Kept::read(words)))
    }

    /// Removes the first pair and returns its words.
    pub fn record(&mut self) -> &'t [u64] {
        let (first, rest) = self.words.split_at_checked(self.each).unwrap_or_default();
        self.words = rest;
        first
    }

    /// As [`Touches::next`], for records with [`OF_PARTS`] words.
    pub fn next_of_parts(&mut self) -> [&'t [f64; 4]; 2] {
        let mut rows = self.record().chunks_exact(4).filter_map(|row| row.first_chunk::<4>());
        let (Some(first), Some(rest)) = (rows.next(), rows.next()) else { return NO_SPRINGS };
        [transmute_ref!(first), transmute_ref!(rest)]
    }

    /// The pairs after the first `count`.
    pub fn behind(&self, count: usize) -> Self {
        Touches { words: self.words.get(count.saturating_mul(self.each)..).unwrap_or_default(), ..*self }
    }

    /// The same as [`Touches::from`], faster if the result is near the start.
    pub fn skip(&self, is_before: impl Fn([u32; 2]) -> bool) -> Self {
        let (mut low, mut step) = (*self, 1);
        loop {
            let next = low.behind(step);
            match next.first() {
                Some(first) if is_before(first) => (low, step) = (next, 2 * step),
                _ => break,
            }
        }
        let near = Touches { words: low.words.get(..(step + 1) * self.each).unwrap_or(low.words), ..low };
        let gone = near.len() - near.from(is_before).len();
        low.behind(gone)
    }

    /// The pairs from the first one on for whose slots `is_before` is false.
    pub fn from(&self, is_before: impl Fn([u32; 2]) -> bool) -> Self {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let there = Touches { words: self.words.get(middle * self.each..).unwrap_or_default(), ..*self };
            match there.first().is_some_and(&is_before) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Touches { words: self.words.get(low * self.each..).unwrap_or_default(), ..*self }
    }
}

/// Memory for consecutive pairs.
pub(super) struct Places<'t> {
    pub words: &'t mut [u64],
    /// Words of each pair.
    pub each: usize,
}

impl<'t> Places<'t> {
    pub fn new(words: &'t mut [u64], each: u32) -> Self {
        Places { words, each: whole(each) }
    }

    /// Number of pairs that fit.
    pub fn len(&self) -> usize {
        self.words.len() / self.each
    }

    pub fn iter(&mut self) -> core::slice::ChunksExactMut<'_, u64> {
        self.words.chunks_exact_mut(self.each)
    }

    /// Moves `count` pairs toward the front.
    pub fn shift(&mut self, from: usize, count: usize, to: usize) {
        let [from, count, to] = [from, count, to].map(|pairs| pairs.saturating_mul(self.each));
        if from.saturating_add(count) <= self.words.len() && to <= from {
            self.words.copy_within(from..from + count, to);
        }
    }

    /// Removes pairs that are not to stay, among the first `count`. Returns the number of remaining pairs.
    pub fn retain(&mut self, count: u32, stays: impl Fn(&Touch) -> bool) -> u32 {
        let (mut kept, each) = (0, self.each);
        for i in 0..(count as usize).min(self.len()) {
            let Some(touch) = self.words.get(i * each..(i + 1) * each).map(Touch::read) else { break };
            if stays(&touch) {
                self.words.copy_within(i * each..(i + 1) * each, kept * each);
                kept += 1;
            }
        }
        kept as u32
    }
}

/// The half-space of two bodies: A (-1), B (1) or none (0).
#[inline(always)]
pub(super) fn side(flat: [bool; 2]) -> f64 {
    if flat[0] {
        -1.0
    } else if flat[1] {
        1.0
    } else {
        0.0
    }
}

/// Checks that `near` pairs of `each` words fit.
pub(super) fn enough(near: u64, room: u64, each: u32) -> Result<()> {
    let [needed, given] = [near, room].map(|pairs| pairs.saturating_mul(u64::from(each)).div_ceil(WORDS));
    if near > room { Err(Error::capacity(What::Contacts, needed, given).at(0, OF_BALLS)) } else { Ok(()) }
}
