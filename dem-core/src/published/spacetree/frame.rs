//! Levels, vertices, cells and their keys.

use super::Root;
use crate::broad::Query;

/// The deepest level; the root is level 0. Cells there are 177,147 times smaller than the root.
pub const DEEPEST: u32 = 11;

/// Bits of an index along an axis: 3^11 + 1 vertices.
const BITS: u32 = 19;

/// Cells are at least by this factor wider than the bodies that they hold, which covers the rounding of indices: they
/// are below 2^18, and their errors below 2^-33.
const CELL_MARGIN: f64 = 1.0 + 1.0 / (1u32 << 30) as f64;

/// Index of a vertex or of a cell along each axis.
pub(super) type Place = [i64; 3];

/// Key of a vertex or a cell: ordered by level, then z, y, x. Never 0.
pub(super) fn key(level: u32, [x, y, z]: Place) -> u64 {
    let level = u64::from(level) + 1;
    ((level << BITS | z as u64) << BITS | y as u64) << BITS | x as u64
}

pub(super) fn level_of(key: u64) -> u32 {
    ((key >> (3 * BITS)) as u32).saturating_sub(1)
}

pub(super) fn place_of(key: u64) -> Place {
    let index = |axis: u32| (key >> (axis * BITS) & ((1 << BITS) - 1)) as i64;
    [index(0), index(1), index(2)]
}

/// Key of the parent of a cell.
pub(super) fn parent(cell: u64) -> Option<u64> {
    let level = level_of(cell).checked_sub(1)?;
    Some(key(level, place_of(cell).map(|i| i / 3)))
}

/// Number of cells along an axis.
pub(super) fn cells(level: u32) -> i64 {
    (0..level).fold(1, |n, _| 3 * n)
}

/// Calls `visit` with all index triples from `low` to `high`, both included.
pub(super) fn each(low: Place, high: Place, mut visit: impl FnMut(Place)) {
    for z in low[2]..=high[2] {
        for y in low[1]..=high[1] {
            for x in low[0]..=high[0] {
                visit([x, y, z]);
            }
        }
    }
}

impl Root {
    pub fn size(&self, level: u32) -> f64 {
        self.width / cells(level) as f64
    }

    /// Whether a body of this diameter, margin included, may be stored on a level.
    pub fn fits(&self, diameter: f64, level: u32) -> bool {
        level <= DEEPEST && diameter * CELL_MARGIN <= self.size(level)
    }

    /// The nearest vertex of a level; not clamped to the root.
    pub fn vertex(&self, at: [f64; 3], level: u32) -> Place {
        let size = self.size(level);
        let mut place = [0; 3];
        for axis in 0..self.axes as usize {
            let x = (at[axis] - self.low[axis]) / size + 0.5;
            let whole = x as i64;
            place[axis] = whole - i64::from((whole as f64) > x);
        }
        place
    }

    /// First and last cell of a level around a vertex.
    pub fn around(&self, level: u32, vertex: Place) -> [Place; 2] {
        let (last, mut low, mut high) = (cells(level) - 1, [0; 3], [0; 3]);
        for axis in 0..self.axes as usize {
            low[axis] = crate::real::max(vertex[axis] - 1, 0);
            high[axis] = crate::real::min(vertex[axis], last);
        }
        [low, high]
    }

    /// Whether a point is in the root cell.
    pub fn holds(&self, at: [f64; 3]) -> bool {
        (0..self.axes as usize).all(|axis| at[axis] >= self.low[axis] && at[axis] <= self.low[axis] + self.width)
    }
}

/// A position wrapped into the first period along each periodic axis, and the number of its period.
pub(super) fn wrapped(query: &Query<'_>, centre: [f64; 3]) -> ([f64; 3], [i64; 3]) {
    let (mut at, mut image) = (centre, [0; 3]);
    for axis in 0..query.space.axes() {
        if let Some(period) = query.space.period(axis) {
            let turns = centre[axis] / period;
            let whole = turns as i64;
            image[axis] = whole - i64::from((whole as f64) > turns);
            at[axis] = centre[axis] - image[axis] as f64 * period;
        }
    }
    (at, image)
}

/// Whether a cell exists: the root, or a child of a refined cell.
pub(super) fn is_there(root: &Root, refined: &[u64], level: u32, cell: Place) -> bool {
    if root.regular > 0 {
        return level < root.regular;
    }
    parent(key(level, cell)).is_none_or(|parent| refined.binary_search(&parent).is_ok())
}
