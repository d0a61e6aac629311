//! Cell sizes for the bodies at hand, and what they are expected to cost.

use super::super::Query;
use super::optimal::{optimal, optimal_scratch};
use super::{Direction, Entry, Expected, Measured, Model, Radii, Search};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::real::{Real, max, min};

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// How many sizes were written, ascending.
    pub levels: usize,
    /// What they are expected to cost, for one body.
    pub expected: Expected,
    /// What they were chosen by; its density was measured.
    pub model: Model,
}

/// Classes of radii.
const CLASSES: u64 = 4096;

/// Pairs of bodies that a density is measured by.
const PAIRS: usize = 16_384;

/// Scratch for [`choose`] with at most this many levels: 610 kB, and 2 kB for each level.
///
/// Errors: `OutOfRange` for none, `TooLarge` for more than [`MOST`](super::MOST).
pub fn choose_scratch(levels: usize) -> Result<Layout> {
    Memory::layout(levels)
}

sections! {
    /// Memory of a choice.
    struct Memory<'s>(levels: usize) {
        entries: [Entry; CLASSES],
        distances: [f64; PAIRS as u64],
        rest: { optimal_scratch(levels)? },
    }
}

/// The cheapest cell sizes for the bodies of a query, as many as are worth while and at most as many as `sizes` has. A body fits into a
/// cell if its diameter and the margin do.
///
/// `access` is the time of looking into a row or cell over that of a test: [`Model::ROW_ACCESS`], or what `dem paper 001 k`
/// says of the machine at hand, for sizes that are given to [`HGrid::rebuild`](crate::broad::HGrid::rebuild);
/// [`Cost::fit`](super::Cost::fit) for a search of your own. The density is that which the
/// bodies themselves meet: how many others are around one, measured on pairs taken at random (always the same ones), so that a few bodies far
/// away and space without bodies do not count. The model takes space for equally full at all bodies: where density or
/// sizes differ much from place to place, its numbers are a rough guide.
///
/// `scratch` is [`choose_scratch`]. Errors: those of [`Query::check`]; as [`optimal`]; [`Kind::OutOfRange`] where there is no body. Cost: a pass over all radii,
/// and some 10 ms.
pub fn choose(
    query: &Query<'_>,
    direction: Direction,
    search: Search,
    access: f64,
    sizes: &mut [f64],
    scratch: &mut [u8],
) -> Result<Choice> {
    query.check()?;
    if query.bodies.is_empty() {
        return Err(Error::new(Kind::OutOfRange, What::Radii));
    }
    let Memory { entries, distances, rest } = Memory::new(scratch, sizes.len())?;
    let density = density(query, distances);
    let mut model = Model { dimensions: query.space.dimensions, direction, search, density, access };
    // Points fit anywhere; cells have to have some size.
    let tiny = 1e-6 * if density > 0.0 { model.size(1.0) } else { 1.0 };
    let widest = (0..query.bodies.len()).fold(0.0, |w, i| max(w, query.bodies.radii.number(i)));
    let margin = if widest > 0.0 { 0.5 * query.margin } else { max(0.5 * query.margin, tiny) };
    let radii = Measured::counted(query.bodies.radii, margin, entries)?;
    if density <= 0.0 || !density.is_finite() {
        let width = 2.0 * radii.largest();
        model.density = query.bodies.len() as f64 / (width * width * if query.space.axes() == 2 { 1.0 } else { width });
    }
    let found = optimal(&radii, &model, sizes, rest)?;
    Ok(Choice { levels: found.levels, expected: found.expected, model })
}

/// Bodies in a unit of volume around a body, on average; 0 where all are at one place or there is one. Each of `distances` is a
/// pair that it is measured by.
pub(in crate::broad) fn density(query: &Query<'_>, distances: &mut [f64]) -> f64 {
    let n = query.bodies.len() as u64;
    if n < 2 {
        return 0.0;
    }
    let pairs = distances.len();
    let mut state = 0u64;
    let mut draw = |below: u64| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    };
    for distance in distances.iter_mut() {
        let a = draw(n);
        let b = (a + 1 + draw(n - 1)) % n;
        *distance = apart(query, a as usize, b as usize);
    }
    distances.sort_unstable_by(f64::total_cmp);
    // The cube around a body that has about 32 others, but no fewer pairs in it than say something.
    let mut rank = min(max(32 * pairs as u64 / n, 64), pairs as u64 / 4) as usize;
    while rank < pairs {
        let width = 2.0 * distances.get(rank).copied().unwrap_or(0.0);
        let volume = width * width * if query.space.axes() == 2 { 1.0 } else { width };
        if volume > 0.0 {
            return (n - 1) as f64 * (rank as f64 / pairs as f64) / volume;
        }
        rank *= 2;
    }
    0.0
}

/// How far two bodies' nearest images are apart along the axis where they are farthest.
fn apart(query: &Query<'_>, a: usize, b: usize) -> f64 {
    let (p, q) = (query.bodies.centres.get(a), query.bodies.centres.get(b));
    (0..query.space.axes()).fold(0.0, |far, axis| {
        let mut d = Real::abs(q[axis] - p[axis]);
        if let Some(period) = query.space.period(axis) {
            d = d - period * ((d / period) as u64 as f64);
            d = min(d, period - d);
        }
        max(far, d)
    })
}
