//! Geometry of the cells of every level: edges, indices, sort keys.
//!
//! A body's cell index along an axis is `floor(x * (1 / edge))` as a 64-bit integer, so there is no bounding domain.
//! Edges are a few roundings longer than the requested cell size, and so long that no index exceeds 2^45. So two bodies
//! whose distance along an axis is at most the cell size are in the same cell or in neighbouring ones, also far from
//! the origin: the quotients differ by at most `1 - K 2^-49`, where K is the largest quotient, and the rounding error
//! of each quotient is at most `K 2^-51`.
//!
//! Along a periodic axis, n = floor(period / size) cells (at least one) are stretched to fill the period, and indices
//! wrap; the quotient of an index by n is the *image*. Where a body is wider than the period, neighbours are more than
//! one cell away: `span` cells.
//!
//! A *page* is a row of 32 cells along x. The sort key of a cell is the key of its page followed by the cell's place in
//! the page. Where the cell coordinates of all levels fit into 64 bits, a page's key consists of them. Otherwise (few
//! bodies very far apart) it is a hash, with a seed that gives all occupied pages different keys.

use super::super::{FARTHEST, Query, Space, WIDEST};
use super::validate::Survey;
use crate::real::{Real, max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Bits of a cell's place in its page.
pub(super) const PAGE: u32 = 5;

/// Cells of a page.
pub(super) const PAGE_CELLS: i64 = 1 << PAGE;

/// The smallest edge relative to the largest coordinate: no cell index exceeds 2^45.
const FINEST: f64 = 1.0 / (1u64 << 45) as f64;

/// One level of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Level {
    /// Requested cell size: the largest diameter, margin included, of bodies on this level.
    pub size: f64,
    /// Upper bound for the diameters, margin included, of bodies on this level. Smaller than `size` where all bodies of
    /// the query are smaller.
    pub(super) widest: f64,
    /// Edges of cells.
    pub edges: [f64; 3],
    /// Inverses of the edges.
    pub(super) inverse: [f64; 3],
    /// A power of two that takes the size into [1, 2).
    pub(super) scale: f64,
    /// Bound for the rounding errors of positions and decisions along each axis, as a length.
    pub(super) slack: [f64; 3],
    /// Cells along each periodic axis; 0 where it is open.
    pub(super) cells: [i64; 3],
    /// Distance in cells at which a neighbour may be.
    pub(super) span: [i64; 3],
    /// First cell that may be occupied.
    pub(super) low: [i64; 3],
    /// Last cell that may be occupied.
    pub(super) high: [i64; 3],
    /// First body of this level in the grid's order.
    pub(super) first: u64,
    /// End of its bodies in the grid's order.
    pub(super) end: u64,
}

impl Level {
    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.end.saturating_sub(self.first) as usize
    }
}

/// How sort keys are composed.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Keys {
    /// Bits of each cell coordinate; along x the place in the page is included.
    pub bits: [u32; 3],
    /// Bits of the level.
    pub level_bits: u32,
    /// 0 where keys consist of coordinates, else the seed of their hash.
    pub seed: u64,
}

/// A cell of a level (indices wrapped into the period), and the periodic image of a body in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub level: usize,
    pub at: [i64; 3],
    pub image: [i64; 3],
}

/// The largest integer that is at most x, saturated.
#[inline(always)]
pub(super) fn floor(x: f64) -> i64 {
    let t = x as i64;
    t.saturating_sub(i64::from(t as f64 > x))
}

/// As [`floor`], for |x| < 2^51. The sum rounds x to the nearest integer, which is in its last bits.
#[inline(always)]
pub(super) fn floor_small(x: f64) -> i64 {
    const HALVES: f64 = 1.5 * (1u64 << 52) as f64;
    let sum = x + HALVES;
    let nearest = (sum.to_bits() as i64).wrapping_sub(HALVES.to_bits() as i64);
    nearest - i64::from(sum - HALVES > x)
}

/// Quotient and remainder of an index along an axis with n cells; the index itself where the axis is open.
#[inline(always)]
pub(super) fn wrap(index: i64, n: i64) -> (i64, i64) {
    match n {
        0 => (0, index),
        _ if (0..n).contains(&index) => (0, index),
        _ => (index.div_euclid(n), index.rem_euclid(n)),
    }
}

impl Level {
    /// A level whose cells are at least as long as `size`, for bodies whose diameters are at most `largest`.
    pub(super) fn new(size: f64, largest: f64, space: &Space, survey: &Survey) -> Level {
        let mut level = Level { size, widest: min(size, largest), ..Level::default() };
        let mut longest = 0.0;
        for axis in 0..3 {
            let period = space.period(axis);
            let counts = axis < space.axes();
            let far = max(survey.low[axis].abs(), survey.high[axis].abs());
            let farthest = if counts { max(far, period.unwrap_or(0.0)) } else { 0.0 };
            let least = max(max(size, farthest * FINEST), 1.0 / FARTHEST);
            let most = farthest / least + 2.0; // K of the module docs
            let long = least * (1.0 + most * (1.0 / (1u64 << 49) as f64));
            level.slack[axis] = long * most * (1.0 / (1u64 << 48) as f64);
            level.edges[axis] = long;
            longest = max(long, longest);
            if let Some(period) = period {
                let n = max(floor(period / long), 1);
                level.cells[axis] = n;
                level.edges[axis] = period / n as f64;
                // In a sparse scene, cells are much wider than bodies. But no body is wider than this many periods.
                let reach = min(long, (WIDEST + 1.0) * period);
                level.span[axis] = if period < long { floor(reach / period) + 1 } else { 1 };
                level.high[axis] = n - 1;
            } else if counts {
                level.span[axis] = 1;
                level.low[axis] = floor(survey.low[axis] * (1.0 / long));
                level.high[axis] = floor(survey.high[axis] * (1.0 / long));
            }
        }
        level.scale = longest.inverse_exponent();
        level.low[0] &= -PAGE_CELLS;
        level.inverse = level.edges.map(|edge| 1.0 / edge);
        level
    }

    /// Index along an axis, not wrapped.
    #[inline(always)]
    pub(super) fn index(&self, x: f64, axis: usize) -> i64 {
        floor(x * self.inverse[axis])
    }

    /// As [`index`](Self::index), for bodies whose coordinates the survey has checked.
    #[inline(always)]
    pub(super) fn index_inside(&self, x: f64, axis: usize) -> i64 {
        floor_small(x * self.inverse[axis])
    }

    /// The cell that a point is in, and its periodic image.
    #[inline(always)]
    pub(super) fn cell(&self, level: usize, centre: &[f64; 3], axes: usize) -> Cell {
        let mut cell = Cell { level, at: [0; 3], image: [0; 3] };
        for (axis, x) in centre.iter().enumerate().take(axes) {
            (cell.image[axis], cell.at[axis]) = wrap(self.index(*x, axis), self.cells[axis]);
        }
        cell
    }
}

/// The first level on which a body of this diameter, margin included, fits (P1 (3)); the last level if it fits on none.
#[inline(always)]
pub(super) fn level_of(levels: &[Level], diameter: f64) -> usize {
    let mut found = 0;
    for level in levels {
        found += usize::from(diameter > level.size);
    }
    min(found, levels.len() - 1)
}

impl Keys {
    /// Keys for these levels: coordinates if they fit into 64 bits, else a hash.
    pub(super) fn new(levels: &[Level]) -> Keys {
        let mut keys = Keys { bits: [PAGE, 0, 0], level_bits: bits(levels.len() as i64 - 1), seed: 0 };
        for level in levels {
            for axis in 0..3 {
                keys.bits[axis] = max(keys.bits[axis], bits(level.high[axis] - level.low[axis]));
            }
        }
        if keys.total() > 64 {
            keys.next_seed();
        }
        keys
    }

    /// Bits of a key that a radix sort has to process.
    pub(super) fn total(&self) -> u32 {
        if self.hashed() { 64 } else { self.bits.iter().sum::<u32>() + self.level_bits }
    }

    #[inline(always)]
    pub(super) fn hashed(&self) -> bool {
        self.seed != 0
    }

    /// Changes the seed after two pages had the same hash.
    pub(super) fn next_seed(&mut self) {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15) | 1;
    }

    /// Key of the page that holds the cell `at` (wrapped) of a level.
    #[inline(always)]
    pub(super) fn page(&self, number: usize, level: &Level, at: [i64; 3]) -> u64 {
        let [x, y, z] = [0, 1, 2].map(|axis| at[axis].wrapping_sub(level.low[axis]) as u64);
        let (x, number) = (x >> PAGE, number as u64);
        if self.hashed() {
            let hash = mix(mix(mix(self.seed ^ x) ^ y) ^ z);
            return hash >> (PAGE + self.level_bits) | number << (64 - PAGE - self.level_bits);
        }
        let [bx, by, bz] = self.bits;
        (((number << bz | z) << by | y) << (bx - PAGE)) | x
    }

    /// Sort key of a cell.
    #[inline(always)]
    pub(super) fn cell(&self, level: &Level, cell: &Cell) -> u64 {
        let place = (cell.at[0].wrapping_sub(level.low[0]) & (PAGE_CELLS - 1)) as u64;
        self.page(cell.level, level, cell.at) << PAGE | place
    }

    /// As [`cell`](Self::cell), for keys that consist of coordinates.
    #[inline(always)]
    pub(super) fn coordinate(&self, number: usize, level: &Level, at: [i64; 3]) -> u64 {
        let [x, y, z] = [0, 1, 2].map(|axis| at[axis].wrapping_sub(level.low[axis]) as u64);
        let [bx, by, bz] = self.bits;
        ((((number as u64) << bz | z) << by | y) << bx) | x
    }

    /// The level of a sort key.
    #[inline(always)]
    pub(super) fn level(&self, key: u64) -> usize {
        let below = if self.hashed() { 64 - self.level_bits } else { self.bits.iter().sum::<u32>() };
        key.checked_shr(below).unwrap_or(0) as usize
    }

    /// The cell of a sort key that consists of coordinates.
    #[inline(always)]
    pub(super) fn coordinates(&self, level: &Level, key: u64) -> [i64; 3] {
        let [bx, by, bz] = self.bits;
        let field = |shift: u32, bits: u32| (key.checked_shr(shift).unwrap_or(0) & ((1u64 << bits) - 1)) as i64;
        [level.low[0] + field(0, bx), level.low[1] + field(bx, by), level.low[2] + field(bx + by, bz)]
    }
}

/// Bits of the numbers from 0 to `last`.
fn bits(last: i64) -> u32 {
    64 - last.max(0).leading_zeros()
}

/// A bijective hash of 64-bit numbers.
#[inline(always)]
pub(super) fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ (x >> 32)
}

impl Query<'_> {
    /// The diameter, margin included, which determines a body's level.
    #[inline(always)]
    pub(super) fn diameter(&self, radius: f64) -> f64 {
        2.0 * radius + self.margin
    }
}
