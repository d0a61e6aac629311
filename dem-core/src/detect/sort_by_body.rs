//! Sorting by body, on all threads, in two rounds. In each round, every thread writes to memory of its own.
//!
//! The bodies are divided into ranges of equal length: as many as the number of items justifies, at most 256. First, every chunk of items
//! is sorted by ranges. Then every range collects its items from the chunks and sorts them: into small bins first, which are then sorted
//! one by one. The time for few items depends only on their number.

use crate::exec::{Cut, CutMut, Executor, by_number, each, ends, pieces};
use crate::memory::{Plain, sections};

/// Items that a thread sorts at a time.
const CHUNK: usize = 1 << 14;
/// The most stretches, and the most bins of a stretch.
const STRETCHES: usize = 256;
const BINS: usize = 1024;
/// Items for which a stretch, or a bin, pays off.
const STRETCH: usize = 1024;
const BIN: usize = 2;
/// The most items that are sorted by comparisons alone.
const FEW: usize = 24;

/// The most items for which only one stretch pays off.
const ONE: usize = 4096;

/// The number of stretches or bins, a power of two.
fn parts(items: usize, each: usize, most: usize) -> usize {
    (items / each).clamp(1, most).next_power_of_two()
}

/// The number of stretches into which this many items are divided.
fn stretches(items: usize) -> usize {
    if items <= ONE { 1 } else { parts(items, STRETCH, STRETCHES) }
}

sections! {
    /// Memory of [`by_body`] for this many items.
    pub(super) struct SortMemory<'s, T>(
        items: u64; stretches = stretches(usize::try_from(items).unwrap_or(usize::MAX)) as u64
    ) {
        spare: [T; items],
        table: [u32; items.div_ceil(CHUNK as u64) * stretches],
        totals: [u32; stretches],
    }
}

/// Sorts items by body, then by their own order. `body` gives the body of an item, below `bodies`; the order of items must agree with that of their
/// bodies. `memory` is for this many items.
///
/// Cost: three passes over the items, and a comparison sort of the items of each body.
pub(super) fn by_body<T: Plain + Ord>(
    exec: &dyn Executor,
    bodies: usize,
    items: &mut [T],
    body: impl Fn(&T) -> u32 + Sync,
    SortMemory { spare, table, totals }: SortMemory<'_, T>,
) {
    if items.len() <= FEW {
        items.sort_unstable();
        return;
    }
    let stretches = stretches(items.len());
    if stretches == 1 {
        spare.copy_from_slice(items);
        sort_stretch(spare.iter(), items, excess(bodies, 1), &body);
        return;
    }
    let shift = excess(bodies, stretches);
    let stretch = |item: &T| (body(item) >> shift) as usize & (stretches - 1);
    each(exec, (Cut(items, CHUNK), CutMut(spare, CHUNK), CutMut(table, stretches)), |_, (from, to, ends)| {
        place(from.iter(), to, ends, stretch);
    });
    totals.fill(0);
    for ends in table.chunks(stretches) {
        let mut start = 0;
        for (total, end) in totals.iter_mut().zip(ends) {
            *total += end - start;
            start = *end;
        }
    }
    ends(totals);
    let (spare, table) = (&*spare, &*table);
    each(exec, pieces(items, totals), |k, to| {
        let runs = spare.chunks(CHUNK).zip(table.chunks(stretches)).flat_map(|(chunk, ends)| {
            let start = k.checked_sub(1).map_or(0, |before| ends[before]);
            chunk.get(start as usize..ends[k] as usize).unwrap_or_default()
        });
        sort_stretch(runs, to, shift, &body);
    });
}

/// Sorts the items of a stretch. The numbers of their bodies differ only in the lowest `bits` bits.
fn sort_stretch<'i, T: Plain + Ord, I: Iterator<Item = &'i T> + Clone>(
    items: I,
    to: &mut [T],
    bits: u32,
    body: &impl Fn(&T) -> u32,
) {
    // There are no more bins than bodies.
    let bins = parts(to.len(), BIN, BINS).min(1 << bits.min(BINS.trailing_zeros()));
    let fine = bits - bins.trailing_zeros();
    let bin = |item: &T| (body(item) >> fine) as usize & (bins - 1);
    let mut ends = [0; BINS];
    let ends = &mut ends[..bins];
    place(items, to, ends, bin);
    let mut start = 0;
    for end in ends {
        let end = *end as usize;
        if end > start + 1 {
            to.get_mut(start..end).unwrap_or_default().sort_unstable();
        }
        start = end;
    }
}

/// Puts items in the order of their bins, and writes where each bin ends.
fn place<'i, T: Plain>(
    items: impl Iterator<Item = &'i T> + Clone,
    to: &mut [T],
    ends: &mut [u32],
    bin: impl Fn(&T) -> usize,
) {
    by_number(items, ends, |item| bin(item), |at, item| to.get_mut(at).into_iter().for_each(|to| *to = *item));
}

/// The number of low bits to drop from numbers below `n` so that they are below `most`, a power of two.
fn excess(n: usize, most: usize) -> u32 {
    let bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    bits.saturating_sub(most.trailing_zeros())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    extern crate std;
    use super::*;
    use crate::exec::Serial;
    use std::vec::Vec;

    #[repr(align(64))]
    struct Memory([u8; 1 << 19]);

    #[test]
    fn few_items_take_little_memory() {
        let size = |items: u64| SortMemory::<[u32; 2]>::layout(items).unwrap().size;
        assert_eq!((size(1), size(100)), (64 + 64 + 64, 832 + 64 + 64));
    }

    #[test]
    fn sorts_as_a_sort_does() {
        let mut memory = Memory([0; 1 << 19]);
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for (bodies, count) in
            [(1, 5), (2, 24), (7, 100), (3, 25), (1, 3000), (999, 2500), (300, 20_000), (100_000, 40_000)]
                .into_iter()
                .chain([(5_000_000, 3000), (1 << 27, 20_000), (0, 0), (1 << 27, 33)])
        {
            let mut items: Vec<[u32; 2]> =
                (0..count).map(|_| [(random() % bodies.max(1)) as u32, (random() % 50) as u32]).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            let memory = SortMemory::new(&mut memory.0, count as u64).unwrap();
            by_body(&Serial, bodies as usize, &mut items, |x| x[0], memory);
            assert!(items == expected, "{bodies} bodies, {count} items");
        }
    }
}
