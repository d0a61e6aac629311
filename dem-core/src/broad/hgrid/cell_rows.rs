//! Runs of bodies in a row of cells; rows are wrapped at periods and cut into pages.

use super::super::{Query, canonical::Sphere};
use super::frame::{Keys, Level, PAGE_CELLS, wrap};
use super::grid::HGridRef;
use super::page_table::{Pages, Slot};
use super::validate::{Packed, Source};
use crate::real::{max, min};

/// A grid with its pages and the query that it answers.
#[derive(Clone, Copy)]
pub(super) struct View<'g> {
    pub grid: HGridRef<'g>,
    pub levels: &'g [Level],
    pub keys: Keys,
    pub pages: &'g Pages<'g>,
    pub query: &'g Query<'g>,
    pub axes: usize,
    /// Ids of the bodies whose pairs are searched: the bodies of the grid, or others.
    pub probes: &'g [u32],
    /// The spheres of the query, where they are packed.
    pub packed: Option<Packed<'g>>,
}

/// Consecutive bodies of one page in the grid's order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub start: usize,
    pub end: usize,
    /// Number of occupied cells.
    pub cells: u32,
    /// First cell of the page, not wrapped.
    pub page: [i64; 3],
    /// Periodic image of the requested cells.
    pub image: [i64; 3],
}

/// An iterator over the runs of bodies in a row of cells along x.
#[derive(Clone, Copy)]
pub(super) struct Row {
    number: usize,
    x: i64,
    last: i64,
    y: i64,
    z: i64,
    /// Wrapped indices y, z, and their periodic images.
    at: [i64; 2],
    image: [i64; 2],
}

impl Row {
    /// Cells `x..=last` at y and z. Indices are not wrapped yet.
    #[inline(always)]
    pub(super) fn new(number: usize, level: &Level, [mut x, mut last]: [i64; 2], y: i64, z: i64) -> Row {
        if level.cells[0] == 0 {
            (x, last) = (max(x, level.low[0]), min(last, level.high[0]));
        }
        let ((ky, ay), (kz, az)) = (wrap(y, level.cells[1]), wrap(z, level.cells[2]));
        let ([_, low_y, low_z], [_, high_y, high_z]) = (level.low, level.high);
        if ay < low_y || ay > high_y || az < low_z || az > high_z {
            last = i64::MIN;
        }
        Row { number, x, last, y, z, at: [ay, az], image: [ky, kz] }
    }

    /// The next run that is not empty.
    #[inline(always)]
    pub(super) fn next(&mut self, view: &View<'_>, level: &Level) -> Option<Run> {
        while self.x <= self.last {
            let x = self.x;
            let (image, at) = wrap(x, level.cells[0]);
            let place = (at - level.low[0]) & (PAGE_CELLS - 1);
            // The rest of the page, the rest of the period, the rest of the row.
            let mut rest = min(PAGE_CELLS - 1 - place, self.last - x);
            if level.cells[0] > 0 {
                rest = min(rest, level.cells[0] - 1 - at);
            }
            self.x = x + rest + 1;
            let page = [at - place, self.at[0], self.at[1]];
            let slot = view.find(self.number, level, page);
            let (first, end) = slot.cells(place as u32, (place + rest) as u32);
            if first < end {
                let cells = (end - first) as u32;
                let (start, end) = (view.pages.starts[first] as usize, view.pages.starts[end] as usize);
                let image = [image, self.image[0], self.image[1]];
                return Some(Run { start, end, cells, page: [x - place, self.y, self.z], image });
            }
        }
        None
    }
}

impl<'g> View<'g> {
    /// A view of a grid that was built from this query.
    pub(super) fn new(grid: HGridRef<'g>, pages: &'g Pages<'g>, query: &'g Query<'g>) -> Self {
        let (levels, keys) = (grid.levels(), grid.built[0].keys);
        let packed = Packed::of(query);
        View { grid, levels, keys, pages, query, axes: query.space.axes(), probes: grid.ids, packed }
    }

    /// Sphere of a body.
    #[inline(always)]
    pub(super) fn sphere(&self, i: usize) -> Sphere {
        match &self.packed {
            Some(packed) => packed.sphere(i),
            None => self.query.sphere(i),
        }
    }

    /// Prefetches the sphere of a body.
    #[inline(always)]
    pub(super) fn prefetch(&self, i: usize) {
        if let Some(packed) = &self.packed {
            packed.prefetch(i);
        }
    }

    /// The page that begins with this cell (wrapped), or an empty one.
    #[inline(always)]
    pub(super) fn find(&self, number: usize, level: &Level, page: [i64; 3]) -> Slot {
        let slot = self.pages.find(self.keys.page(number, level, page));
        if slot.mask != 0 && self.keys.hashed() && !self.is_page(&slot, number, page) {
            return Slot::default();
        }
        slot
    }

    /// Whether a found slot is this page, and not another one with the same hash.
    #[cold]
    fn is_page(&self, slot: &Slot, number: usize, page: [i64; 3]) -> bool {
        let at = self.pages.starts.get(slot.first as usize).copied().unwrap_or(0) as usize;
        let (found, cell) = self.cell(at);
        found == number && self.page_of(found, cell) == page
    }

    /// Level of a key.
    #[inline(always)]
    pub(super) fn level_of_key(&self, key: u64) -> usize {
        min(self.keys.level(key), self.levels.len() - 1)
    }

    /// Level and wrapped cell of a body in the grid's order.
    #[inline(always)]
    pub(super) fn cell(&self, at: usize) -> (usize, [i64; 3]) {
        let key = self.grid.keys[at];
        let number = self.level_of_key(key);
        if self.keys.hashed() {
            let sphere = self.query.sphere(self.grid.ids[at] as usize);
            return (number, self.levels[number].cell(number, &sphere.centre, self.axes).at);
        }
        (number, self.keys.coordinates(&self.levels[number], key))
    }

    /// First cell of the page of a cell.
    #[inline(always)]
    pub(super) fn page_of(&self, number: usize, [x, y, z]: [i64; 3]) -> [i64; 3] {
        [x - ((x - self.levels[number].low[0]) & (PAGE_CELLS - 1)), y, z]
    }
}
