//! A default choice of cell sizes: about six bodies a cell on every level.
//!
//! P1 (37) with q = 1: each level has the same number of bodies per cell. The optimum of P1's cost model is below one
//! body per cell. Here it is six, since a vector tests a whole row of cells for the price of one pair, so few full
//! cells are cheaper than many cells. The density is the one around bodies, sampled on pairs, so empty space does not count. `docs/grid.md`
//! compares the times with the optimum of the cost model.

use super::super::Query;
use super::super::levels::{Cut, Direction, Model, Search, density};
use super::report::LEVELS;
use super::sort::Cuts;
use super::validate::{Source, Survey};
use crate::exec::{CutMut, Executor, each};
use crate::real::{max, min};
use core::ops::Range;

/// Bodies per cell at which a level is full enough, found by measurements. The time hardly changes between 4 and 8. Sizes of levels grow in steps
/// of a quarter octave, so cells of most levels hold more.
const FULL: f64 = 6.0;

/// Bodies per cell of the last level, whose size is free: the optimum of the cost model for equal bodies.
const BEST: f64 = 7.3;

/// Bins of the histogram of radii: four per octave, from the largest radius down.
const CLASSES: usize = 256;

/// One pair is sampled for this many bodies, within bounds, to measure the density. So dense heaps of more than 256 bodies are found among many
/// other bodies. Smaller heaps fill few vectors, however wide their cells are.
const SAMPLED: usize = 16;
pub(super) const FEWEST: usize = 256;
const MOST_PAIRS: usize = 1 << 16;

/// The density follows from this many nearest pairs of the sample. Its relative error is a quarter, which is a twelfth of the cell size.
const NEAREST: usize = 16;

/// Low bits of a radius that are ignored in the choice of its bin.
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
    // Two histograms in alternation: if most bodies are in one bin, each addition would otherwise wait for the previous one.
    let mut turns = [[0u32; CLASSES]; 2];
    for i in bodies {
        let below = top.saturating_sub(from.sphere(i).radius.to_bits() >> SHIFT) as usize;
        turns[i % 2][min(below, CLASSES - 1)] += 1;
    }
    for (count, [a, b]) in counts.iter_mut().zip(turns[0].iter().zip(&turns[1]).map(|(a, b)| [a, b])) {
        *count = a + b;
    }
}

/// The number of sampled pairs.
pub(super) fn pairs(bodies: usize) -> usize {
    (bodies / SAMPLED).clamp(FEWEST, MOST_PAIRS)
}

/// The chosen cell sizes.
pub(super) struct Chosen {
    sizes: [f64; LEVELS],
    levels: usize,
    /// The expected number of pairs of bodies in neighbouring cells, for each body.
    pub expected: f64,
}

impl Chosen {
    pub(super) fn sizes(&self) -> &[f64] {
        &self.sizes[..self.levels]
    }
}

/// Chooses cell sizes, at least one and at most `most`, for the bodies of a query with this histogram. `distances` has an item for each sampled
/// pair.
pub(super) fn choose(
    query: &Query<'_>,
    survey: &Survey,
    from: impl Source,
    (most, counts): (usize, &[u32; CLASSES]),
    distances: &mut [f64],
) -> Chosen {
    let mut chosen = Chosen { sizes: [0.0; LEVELS], levels: 0, expected: 0.0 };
    let (sizes, n) = (&mut chosen.sizes, query.bodies.len() as f64);
    let (sides, around) = (sides(query, survey), density(query, |i| from.sphere(i).centre, distances, NEAREST) / n);
    let density = max(1.0 / volume(query, sides), if around.is_finite() { around } else { 0.0 });
    let top = survey.largest.to_bits() >> SHIFT;
    // The upper end of a bin.
    let end = |below: usize| query.diameter(f64::from_bits(top.saturating_sub(below as u64 - 1) << SHIFT));
    let largest = max(query.diameter(survey.largest), f64::MIN_POSITIVE);
    let (mut levels, mut bodies) = (0usize, 0.0);
    for below in (1..CLASSES).rev() {
        bodies += f64::from(counts[below]);
        if bodies == 0.0 {
            continue;
        }
        let size = end(below);
        let last = levels.checked_sub(1).map_or(0.0, |l| sizes[l]);
        if bodies * power(query, size) * density >= FULL
            && levels + 1 < min(most, LEVELS)
            && size > last
            && size < largest
        {
            (sizes[levels], levels, bodies) = (size, levels + 1, 0.0);
        }
    }
    bodies += f64::from(counts[0]);
    // If cells are wider than a third of a period, most neighbours are wrapped, and few take the fast search.
    let widest = (0..query.space.axes()).fold(largest, |widest, axis| match query.space.period(axis) {
        Some(period) => max(widest, period / 3.0),
        None => max(widest, sides[axis]),
    });
    let mut size = largest;
    while bodies * power(query, size) * density < BEST && size < widest {
        size *= 1.0625;
    }
    (sizes[levels], levels) = (size, levels + 1);
    chosen.levels = levels;
    chosen.expected = expected(query, density * n, counts, end, chosen.sizes());
    chosen
}

/// The expectation of the cost model for cell sizes, from the same histogram: pairs of bodies in neighbouring cells, for each body.
fn expected(
    query: &Query<'_>,
    density: f64,
    counts: &[u32; CLASSES],
    end: impl Fn(usize) -> f64,
    sizes: &[f64],
) -> f64 {
    let n = query.bodies.len() as f64;
    let dimensions = query.space.dimensions;
    let model = Model { dimensions, direction: Direction::TopDown, search: Search::Cells, density, access: 0.0 };
    let (mut above, mut sum, mut sizes) = ([0.0; 4], 0.0, sizes.iter().rev().peekable());
    let mut at = sizes.next().map(|size| Cut { size: *size, above, below: [1.0, 0.0, 0.0, 0.0] });
    for (below, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let diameter = end(below.max(1));
        // The bins of a level end with its size; the largest bodies are on the last one.
        while let (Some(level), Some(size)) = (at, sizes.next_if(|size| below > 0 && diameter <= **size)) {
            let next = Cut { size: *size, above, below: [1.0 - above[0], 0.0, 0.0, 0.0] };
            (sum, at) = (sum + model.part(&next, &level).candidates, Some(next));
        }
        // Most radii are less than the end of their bin.
        let (share, r) = (f64::from(*count) / n, 0.45 * diameter);
        let moments = [share, share * r, share * (r * r), share * (r * r * r)];
        above = [0, 1, 2, 3].map(|k| above[k] + moments[k]);
    }
    at.map_or(0.0, |level| sum + model.part(&Cut::start(), &level).candidates)
}

/// Edges of the AABB of all centres, none shorter than the largest body.
fn sides(query: &Query<'_>, survey: &Survey) -> [f64; 3] {
    let least = max(query.diameter(survey.largest), f64::MIN_POSITIVE);
    [0, 1, 2].map(|axis| query.space.period(axis).unwrap_or(max(survey.high[axis] - survey.low[axis], least)))
}

/// Volume of a box with these edges.
fn volume(query: &Query<'_>, sides: [f64; 3]) -> f64 {
    sides.iter().take(query.space.axes()).product()
}

/// Volume of a cell.
fn power(query: &Query<'_>, size: f64) -> f64 {
    volume(query, [size; 3])
}
