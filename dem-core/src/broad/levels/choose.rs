//! Chooses the cell sizes for given bodies by their expected cost.

use super::super::Query;
use super::optimal::{optimal, optimal_scratch};
use super::{Direction, Entry, Expected, Measured, Model, Radii, Search};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::real::{Real, max, min};

/// Chosen cell sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Number of sizes that were written, ascending.
    pub levels: usize,
    /// Expected cost of these sizes, for one body.
    pub expected: Expected,
    /// The model of the choice, with the measured density.
    pub model: Model,
}

/// Bins of the histogram of radii.
const CLASSES: u64 = 4096;

/// Pairs of bodies that are sampled to measure the density.
const PAIRS: usize = 16_384;

/// The density follows from this many nearest pairs of the sample; its relative error is an eighth, one over the square root of this number.
const NEAREST: usize = 64;

/// Scratch for [`choose`] with at most this many levels: 610 kB, and 2 kB for each level.
///
/// Errors: `OutOfRange` for none, `TooLarge` for more than [`MOST`](super::MOST).
pub fn choose_scratch(levels: usize) -> Result<Layout> {
    Memory::layout(levels)
}

sections! {
    /// Scratch of a choice.
    struct Memory<'s>(levels: usize) {
        entries: [Entry; CLASSES],
        distances: [f64; PAIRS as u64],
        rest: { optimal_scratch(levels)? },
    }
}

/// Writes the cheapest cell sizes for the bodies of a query: as many as save time, at most `sizes.len()`. A body fits into a cell if its
/// diameter plus the margin does.
///
/// `access` is the time of visiting a row or cell divided by that of a test. For sizes of [`HGrid::rebuild`](crate::broad::HGrid::rebuild)
/// use [`Model::ROW_ACCESS`], or measure it on your machine with `dem paper 001 k`; for another search use [`Cost::fit`](super::Cost::fit).
/// The density is the average number of neighbours of a body per volume, sampled on random pairs (always the same). So empty space and a
/// few remote bodies do not count. The model assumes equal density around all bodies. If density or sizes vary much in space, its numbers
/// are a rough guide.
///
/// `scratch` is [`choose_scratch`]. Errors: those of [`Query::check`]; as [`optimal`]; [`Kind::OutOfRange`] if there is no body. Cost: a
/// pass over all radii, and a part that does not depend on the number of bodies (milliseconds).
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
    let density = density(query, |i| query.bodies.centres.get(i), distances, NEAREST);
    let mut model = Model { dimensions: query.space.dimensions, direction, search, density, access };
    // Points fit into cells of any size, but a cell must have some size.
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

/// Average number of other bodies per volume around a body; 0 for a single body or bodies all at one place. Samples one pair for each item of
/// `distances`, and uses the `nearest` smallest distances. The relative error is one over the square root of `nearest`.
#[inline(always)]
pub(in crate::broad) fn density(
    query: &Query<'_>,
    centre: impl Fn(usize) -> [f64; 3],
    distances: &mut [f64],
    nearest: usize,
) -> f64 {
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
        *distance = apart(query, centre(a as usize), centre(b as usize));
    }
    // The cube around a body that holds about 32 others, but enough pairs for a small statistical error.
    let mut rank = min(max(32 * pairs as u64 / n, nearest as u64), pairs as u64 / 4) as usize;
    while rank < pairs {
        let (_, distance, _) = distances.select_nth_unstable_by(rank, f64::total_cmp);
        let width = 2.0 * *distance;
        let volume = width * width * if query.space.axes() == 2 { 1.0 } else { width };
        if volume > 0.0 {
            return (n - 1) as f64 * (rank as f64 / pairs as f64) / volume;
        }
        rank *= 2;
    }
    0.0
}

/// Largest distance along an axis between the nearest images of two bodies (maximum norm).
#[inline(always)]
fn apart(query: &Query<'_>, p: [f64; 3], q: [f64; 3]) -> f64 {
    (0..query.space.axes()).fold(0.0, |far, axis| {
        let mut d = Real::abs(q[axis] - p[axis]);
        if let Some(period) = query.space.period(axis) {
            d = d - period * ((d / period) as u64 as f64);
            d = min(d, period - d);
        }
        max(far, d)
    })
}
