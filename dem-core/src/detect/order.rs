//! Sorting by body, on all lanes: in two rounds, each of which writes to parts of its own.
//!
//! The bodies are cut into at most 256 stretches of equal length. First, every chunk of items is put in the order of
//! stretches. Then every stretch collects what the chunks have for it and puts that in order: into small bins first, which are then
//! sorted one by one.

use crate::error::Result;
use crate::exec::{Cut, CutMut, Executor, each, pieces};
use crate::memory::{Carve, Plain, Plan};

/// Items that a lane puts in order at a time.
const CHUNK: usize = 1 << 14;
/// Stretches, at most, and bins of a stretch.
const STRETCHES: usize = 256;
const BINS: usize = 1024;

/// Adds what [`by_body`] needs for so many items.
pub(super) fn plan<T: Plain>(items: u64, plan: &mut Plan) {
    plan.add::<T>(items).add::<u32>(items.div_ceil(CHUNK as u64) * STRETCHES as u64).add::<u32>(STRETCHES as u64);
}

/// Sorts items, first by body (`body` tells, below `bodies`, and items are ordered as their bodies are), then as they are ordered.
///
/// Cost: three passes over the items; a comparison sort of those of each body.
pub(super) fn by_body<T: Plain + Ord>(
    exec: &dyn Executor,
    bodies: usize,
    items: &mut [T],
    body: impl Fn(&T) -> u32 + Sync,
    carve: &mut Carve<'_>,
) -> Result<()> {
    let chunks = items.len().div_ceil(CHUNK);
    let spare = carve.take::<T>(items.len() as u64)?;
    let table = carve.take::<u32>((chunks * STRETCHES) as u64)?;
    let totals = carve.take::<u32>(STRETCHES as u64)?;
    let shift = excess(bodies, STRETCHES);
    let stretch = |item: &T| (body(item) >> shift) as usize % STRETCHES;
    each(exec, (Cut(items, CHUNK), CutMut(spare, CHUNK), CutMut(table, STRETCHES)), |_, (from, to, ends)| {
        ends.fill(0);
        from.iter().for_each(|item| ends[stretch(item)] += 1);
        scatter(from.iter(), to, ends, stretch);
    });
    totals.fill(0);
    for ends in table.chunks(STRETCHES) {
        let mut start = 0;
        for (total, end) in totals.iter_mut().zip(ends) {
            *total += end - start;
            start = *end;
        }
    }
    running(totals);
    let fine = shift.saturating_sub(BINS.trailing_zeros());
    let bin = |item: &T| (body(item) >> fine) as usize % BINS;
    let (spare, table) = (&*spare, &*table);
    each(exec, pieces(items, totals), |k, to| {
        let runs = || {
            spare.chunks(CHUNK).zip(table.chunks(STRETCHES)).flat_map(move |(chunk, ends)| {
                let start = k.checked_sub(1).map_or(0, |before| ends[before]);
                chunk.get(start as usize..ends[k] as usize).unwrap_or_default()
            })
        };
        let mut ends = [0; BINS];
        runs().for_each(|item| ends[bin(item)] += 1);
        scatter(runs(), to, &mut ends, bin);
        let mut start = 0;
        for end in ends {
            to.get_mut(start..end as usize).unwrap_or_default().sort_unstable();
            start = end as usize;
        }
    });
    Ok(())
}

/// How many low bits the numbers below `n` have to lose to be below `most`, a power of two.
fn excess(n: usize, most: usize) -> u32 {
    let bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    bits.saturating_sub(most.trailing_zeros())
}

/// Turns counts into ends.
pub(super) fn running(counts: &mut [u32]) {
    counts.iter_mut().fold(0, |sum, n| {
        *n += sum;
        *n
    });
}

/// Puts items in the order of their numbers, out of how often each number occurs, which become ends.
fn scatter<'i, T: Plain>(
    items: impl Iterator<Item = &'i T>,
    to: &mut [T],
    counts: &mut [u32],
    number: impl Fn(&T) -> usize,
) {
    let mut start = 0;
    for count in counts.iter_mut() {
        start += core::mem::replace(count, start);
    }
    for item in items {
        let at = &mut counts[number(item)];
        if let Some(to) = to.get_mut(*at as usize) {
            *to = *item;
        }
        *at += 1;
    }
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
    fn sorts_as_a_sort_does() {
        let mut memory = Memory([0; 1 << 19]);
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for (bodies, count) in
            [(1, 5), (7, 100), (300, 20_000), (100_000, 40_000), (5_000_000, 3000), (1 << 27, 20_000)]
        {
            let mut items: Vec<[u32; 2]> =
                (0..count).map(|_| [(random() % bodies) as u32, (random() % 50) as u32]).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            let mut needs = Plan::new();
            plan::<[u32; 2]>(count as u64, &mut needs);
            let layout = needs.layout(crate::error::What::Scratch).unwrap();
            let mut carve = Carve::new(&mut memory.0, layout, crate::error::What::Scratch).unwrap();
            by_body(&Serial, bodies as usize, &mut items, |x| x[0], &mut carve).unwrap();
            assert!(items == expected, "{bodies} bodies, {count} items");
        }
    }
}
