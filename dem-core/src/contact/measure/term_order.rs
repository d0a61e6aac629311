//! Terms in the order of patches, from which contacts are summed.

use core::mem;

use super::term::{Run, Term};
use super::two_sided::HalfTerms;
use crate::contact::penetration::Enclosed;
use crate::exec::{CutMut, Serial, each};
use crate::mesh::Record;
use crate::narrow::{Threads, sort};
use crate::real::min;

/// With fewer terms, waking a thread takes longer than sorting half of them.
const FEW: usize = 512;

/// The patches of a term; then its number (upper half) and its index.
pub(in crate::contact) type Place = Record;

/// The parts of contacts, in the order of patches. The order of terms of one half does not depend on which body comes first, so neither do their
/// sums.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Parts<'r> {
    /// Terms in the cells of B, then in the cells of A.
    pub halves: [&'r [Place]; 2],
    pub deep: &'r [Enclosed],
}

/// A part of a contact.
pub(in crate::contact) enum Part<'r> {
    Term(usize, &'r Place),
    Deep(&'r Enclosed),
}

impl<'r> Parts<'r> {
    pub fn terms(&self) -> usize {
        self.halves.iter().map(|half| half.len()).sum()
    }

    /// The patches of the next contact.
    #[inline(always)]
    pub fn next(&self) -> Option<u64> {
        let [of_b, of_a] = self.halves.map(|half| half.first().map(|place| place[0]));
        [of_b, of_a, self.deep.first().map(|part| part.patches)].into_iter().flatten().reduce(min)
    }

    /// Removes the terms of the next contact and passes them to `put`.
    #[inline(always)]
    pub fn take(&mut self, patches: u64, mut put: impl FnMut(Part<'r>)) {
        for (half, places) in self.halves.iter_mut().enumerate() {
            while let Some((place, rest)) = places.split_first().filter(|(place, _)| place[0] == patches) {
                put(Part::Term(half, place));
                *places = rest;
            }
        }
        while let Some((part, rest)) = self.deep.split_first().filter(|(part, _)| part.patches == patches) {
            put(Part::Deep(part));
            self.deep = rest;
        }
    }

    /// The number of contacts, including those whose pressures cancel.
    pub fn count(mut self) -> u64 {
        let mut count = 0;
        while let Some(patches) = self.next() {
            self.take(patches, |_| ());
            count += 1;
        }
        count
    }

    /// The parts in a range of patches.
    fn between(&self, from: u64, to: Option<u64>) -> Self {
        fn cut<T>(list: &[T], from: u64, to: Option<u64>, patches: impl Fn(&T) -> u64) -> &[T] {
            let start = list.partition_point(|item| patches(item) < from);
            let end = to.map_or(list.len(), |to| list.partition_point(|item| patches(item) < to));
            list.get(start..end).unwrap_or_default()
        }
        let halves = self.halves.map(|half| cut(half, from, to, |place| place[0]));
        Parts { halves, deep: cut(self.deep, from, to, |part| part.patches) }
    }

    /// Range `i` of `of` ranges of patches with about equally many terms.
    pub fn range(&self, i: usize, of: usize) -> Self {
        let [of_b, of_a] = self.halves;
        let longer = if of_a.len() < of_b.len() { of_b } else { of_a };
        let bound = |i: usize| longer.get(i * longer.len() / of).map(|place| place[0]);
        self.between(bound(i).filter(|_| i > 0).unwrap_or(0), bound(i + 1))
    }
}

/// One half, and the memory for its sorted terms.
struct Half<'t> {
    runs: &'t [Run],
    /// The number of its first term.
    first: usize,
    places: &'t mut [Place],
    spare: &'t mut [Place],
    table: &'t mut [u32],
}

/// The terms in the cells of B, and those in the cells of A, sorted by patches. `places` and `spare` have an item for each term; a `table` makes
/// sorting faster.
#[inline(never)]
pub(in crate::contact) fn sorted<'t>(
    threads: Threads<'_>,
    found: &'t HalfTerms<'_>,
    [places, spare]: [&'t mut [Place]; 2],
    table: &'t mut [u32],
) -> [&'t [Place]; 2] {
    let [all, of_a] = found.count();
    let (runs_a, runs_b) = found.runs.split_at(min(found.of_a, found.runs.len()));
    let (places_a, places_b) = places.split_at_mut(min(of_a, places.len()));
    let (spare_a, spare_b) = spare.split_at_mut(min(of_a, spare.len()));
    let (table_a, table_b) = table.split_at_mut(table.len() / 2);
    let mut halves = [
        Half { runs: runs_b, first: of_a, places: places_b, spare: spare_b, table: table_b },
        Half { runs: runs_a, first: 0, places: places_a, spare: spare_a, table: table_a },
    ];
    let exec = if all < FEW { &Serial } else { threads.exec };
    each(exec, CutMut(&mut halves, 1), |_, half| half.iter_mut().for_each(|half| half.sort(found.terms)));
    halves.map(|half| &*half.places)
}

impl Half<'_> {
    fn sort(&mut self, terms: &[Term]) {
        let (mut count, mut number) = (0, self.first);
        for run in self.runs {
            let own = terms.get(run.first..).unwrap_or_default();
            for (at, term) in (run.first..).zip(own.iter().take(run.count)) {
                if let Some(next) = self.places.get_mut(count) {
                    *next = [term.patches, (number as u64) << 32 | at as u64];
                    // A term without area is overwritten by the next one: a branch could not be predicted.
                    count += usize::from(term.area > 0.0);
                }
                number += 1;
            }
        }
        let [places, spare] =
            [&mut self.places, &mut self.spare].map(|all| mem::take(all).get_mut(..count).unwrap_or_default());
        [self.places, self.spare] = sort(places, spare, self.table, u64::MAX);
    }
}
