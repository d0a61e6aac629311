//! A default choice of cell sizes: about six bodies a cell on every level.
//!
//! P1 (37) with q = 1: each level has the same number of bodies per cell. The optimum of P1's cost model is below one
//! body per cell. Here it is six, since a vector tests a whole row of cells for the price of one pair, so few full
//! cells are cheaper than many cells.

use super::super::Query;
use super::super::levels::density;
use super::sort::Cuts;
use super::survey::{Source, Survey};
use crate::exec::{CutMut, Executor, each};
use crate::real::{max, min};
use core::ops::Range;

/// Largest number of cell sizes.
pub(super) const MOST: usize = 64;

/// Bodies per cell. Found by measurements; the time hardly changes between 4 and 8.
const FULL: f64 = 6.0;

/// The largest cells over the largest body, where bodies are sparse. Larger cells would cost much where many small clusters hide a higher density.
const WIDEST: f64 = 4.0;

/// Bins of the histogram of radii: four per octave, from the largest radius down.
const CLASSES: usize = 256;

/// Pairs of bodies that are sampled to find out whether most bodies fill only a small part of the AABB of all. Then the
/// AABB says nothing about the density: one body far away can make it arbitrarily large.
const PAIRS: usize = 256;

/// Low bits of a radius that do not count for its bin.
const SHIFT: u32 = 50;

/// Histogram of radii. `table` is as long as the table of a sort.
pub(super) fn classes(
    exec: &dyn Executor,
    cuts: &Cuts,
    largest: f64,
    from: impl Source,
    table: &mut [u32],
) -> [u32; CLASSES] {
    let mut counts = [0; CLASSES];
    if cuts.chunks < 2 {
        count(largest, from, cuts.bodies(0), &mut counts);
        return counts;
    }
    let part = table.len() / cuts.chunks;
    each(exec, CutMut(table, part), |chunk, part| count(largest, from, cuts.bodies(chunk), part));
    for part in table.chunks(part) {
        counts.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
    }
    counts
}

fn count(largest: f64, from: impl Source, bodies: Range<usize>, counts: &mut [u32]) {
    let top = largest.to_bits() >> SHIFT;
    // Two histograms by turns: where most bodies are in one bin, each addition would wait for the one before.
    let mut turns = [[0u32; CLASSES]; 2];
    for i in bodies {
        let below = top.saturating_sub(from.sphere(i).radius.to_bits() >> SHIFT) as usize;
        turns[i % 2][min(below, CLASSES - 1)] += 1;
    }
    for (count, [a, b]) in counts.iter_mut().zip(turns[0].iter().zip(&turns[1]).map(|(a, b)| [a, b])) {
        *count = a + b;
    }
}

/// Cell sizes for the bodies of a query with this histogram: at least one, at most `most`.
pub(super) fn choose<'c>(
    query: &Query<'_>,
    survey: &Survey,
    most: usize,
    counts: &[u32; CLASSES],
    chosen: &'c mut [f64; MOST],
) -> &'c [f64] {
    let top = survey.largest.to_bits() >> SHIFT;
    let around = density(query, &mut [0.0; PAIRS]) / query.bodies.len() as f64;
    let density = max(1.0 / volume(query, survey), if around.is_finite() { around } else { 0.0 });
    let largest = max(query.diameter(survey.largest), f64::MIN_POSITIVE);
    let (mut levels, mut bodies) = (0usize, 0.0);
    for below in (1..CLASSES).rev() {
        bodies += f64::from(counts[below]);
        let size = query.diameter(f64::from_bits(top.saturating_sub(below as u64 - 1) << SHIFT));
        let last = levels.checked_sub(1).map_or(0.0, |l| chosen[l]);
        if bodies * power(query, size) * density >= FULL
            && levels + 1 < min(most, MOST)
            && size > last
            && size < largest
        {
            chosen[levels] = size;
            levels += 1;
            bodies = 0.0;
        }
    }
    bodies += f64::from(counts[0]);
    let mut size = largest;
    while bodies * power(query, size) * density < FULL && size < WIDEST * largest {
        size *= 1.0625;
    }
    chosen[levels] = size;
    &chosen[..levels + 1]
}

/// Volume of the AABB of all centres, with no side shorter than the largest body.
fn volume(query: &Query<'_>, survey: &Survey) -> f64 {
    let least = max(query.diameter(survey.largest), f64::MIN_POSITIVE);
    let side = |axis: usize| match query.space.period(axis) {
        Some(period) => period,
        None => max(survey.high[axis] - survey.low[axis], least),
    };
    (0..query.space.axes()).map(side).product()
}

/// Volume of a cell.
fn power(query: &Query<'_>, size: f64) -> f64 {
    (0..query.space.axes()).map(|_| size).product()
}
