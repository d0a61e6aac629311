//! Terms to contacts: grouped by pair of patches, summed, and converted to world coordinates, by ranges of patches on all threads.

use super::node_sums::{Common, Seen, Totals};
use super::term::Term;
use super::term_order::{Part, Parts};
use crate::contact::lean::settle;
use crate::contact::record::{Contact, force, status};
use crate::exec::{Cut, CutMut, each, ends, pieces};
use crate::narrow::Threads;
use crate::real::min;
use crate::simd::{Kernel, Simd, dispatch};

/// A thread needs at least this number of terms to be worth waking.
const FEW: usize = 128;
/// Largest number of ranges of patches.
const RANGES: usize = 16;

/// Sums both halves.
pub(in crate::contact) struct Reduce<'r> {
    pub common: Common,
    pub seen: [Seen; 2],
    pub terms: &'r [Term],
    pub parts: Parts<'r>,
}

impl Reduce<'_> {
    /// Writes contacts in order, as far as there is room, and returns their number. They have measured areas in place of shares.
    #[inline(never)]
    pub fn contacts(&self, threads: Threads<'_>, out: &mut [Contact]) -> usize {
        let on_one =
            |parts: &Parts<'_>, out: &mut [Contact]| dispatch(threads.isa, Range { of: self, parts: *parts, out });
        let number = min(self.parts.terms() / FEW, RANGES);
        if number < 4 || min(threads.count, threads.exec.width()) < 2 {
            return on_one(&self.parts, out);
        }
        let (mut ranges, mut counts) = ([self.parts; RANGES], [0; RANGES]);
        let (ranges, counts) = (&mut ranges[..number], &mut counts[..number]);
        each(threads.exec, (CutMut(&mut *ranges, 1), CutMut(&mut *counts, 1)), |i, (range, count)| {
            if let ([range], [count]) = (range, count) {
                *range = self.parts.range(i, number);
                *count = range.count();
            }
        });
        if ends(counts) > out.len() as u64 {
            // `counts` includes contacts whose pressures cancel; one thread needs no room for these.
            return on_one(&self.parts, out);
        }
        let mut told = [0; RANGES];
        let told = &mut told[..number];
        let parts = (Cut(&*ranges, 1), pieces(&mut *out, &*counts), CutMut(&mut *told, 1));
        each(threads.exec, parts, |_, (range, out, told)| {
            if let ([range], [told]) = (range, told) {
                *told = on_one(range, out);
            }
        });
        let (mut first, mut count) = (0, 0);
        for (end, told) in counts.iter().zip(told) {
            if count < first {
                out.copy_within(first..first + *told, count);
            }
            (first, count) = (*end as usize, count + *told);
        }
        count
    }
}

/// The contacts of some patches.
struct Range<'r, 'o> {
    of: &'r Reduce<'r>,
    parts: Parts<'r>,
    out: &'o mut [Contact],
}

impl Kernel for Range<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Range { of: Reduce { common, seen, terms, .. }, mut parts, out } = self;
        let (mut number, mut totals) = (0, Totals::new());
        loop {
            let next = parts.next();
            if totals.is_full() || next.is_none() {
                totals.finish::<S::F64>(simd, common, seen, (&mut *out, &mut number));
            }
            let Some(patches) = next else { return number };
            totals.begin(patches);
            let mut kept = out.get_mut(number + totals.before()).filter(|_| common.spread);
            if let Some(kept) = &mut kept {
                **kept = Contact::default();
            }
            parts.take(patches, |part| match part {
                Part::Term(half, place) => {
                    let Some(term) = terms.get(place[1] as u32 as usize) else { return };
                    if let Some(kept) = &mut kept {
                        totals.widen(half, term, kept);
                    }
                    totals.add(half, term);
                }
                Part::Deep(part) => totals.enclose(part, common.spread),
            });
        }
    }
}

/// Gives each contact its share of the force.
pub(in crate::contact) fn share(contacts: &mut [Contact]) {
    contacts.iter_mut().for_each(|c| c.share = force(c));
    let sum = contacts.iter().fold(0.0, |sum, c| sum + c.share);
    let (some, equal) = (sum > 0.0 && sum.is_finite(), 1.0 / contacts.len() as f64);
    contacts.iter_mut().for_each(|c| c.share = if some { c.share / sum } else { equal });
}

/// Removes what records keep for regions.
pub(in crate::contact) fn strip(contacts: &mut [Contact]) {
    for contact in contacts {
        contact.status &= !status::LEANS;
        settle(contact);
    }
}

#[cfg(test)]
#[path = "reduce_tests.rs"]
mod tests;
