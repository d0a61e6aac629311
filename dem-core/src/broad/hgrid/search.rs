//! Finds all candidates: tests the bodies of a cell against rows of neighbouring cells.

use super::super::candidate::{Candidate, Room};
use super::super::{Query, brute};
use super::build::hgrid_scratch;
use super::cell_rows::{Row, View};
use super::direction::Direction;
use super::frame::{Level, PAGE, PAGE_CELLS};
use super::grid::{BODIES, GONE, HGridRef};
use super::neighbours::{FORWARD, Lengths, Neighbourhood};
use super::page_table::{Memory, Pages, Slot};
use super::report::Searched;
use super::simd_filter::{Hits, Probe, Target, doubt};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Executor, within};
use crate::real::{max, min};
use crate::simd::{Isa, Kernel, Simd, dispatch};
use core::ops::Range;

impl HGridRef<'_> {
    /// Writes all candidates of the query that the grid was built from, and gives their number.
    ///
    /// Their order depends on the query and the cell sizes alone, and not on the executor. `scratch` is
    /// [`hgrid_scratch`]. Where some bodies have very many candidates, threads search some ranges of cells twice.
    ///
    /// Errors: [`Kind::Mismatch`] where the grid is empty, or was built for another number of bodies, space or margin;
    /// [`Kind::Capacity`] with the exact number where `out` is too small (the content of `out` is then unspecified), or
    /// `scratch`. Bodies must not have moved since the rebuild. This is not checked; if they have, pairs may be missing
    /// or wrong.
    ///
    /// Cost: proportional to the bodies and the pairs, if cell sizes suit the bodies. Pairs without room are counted,
    /// too, so n bodies in one place cost n squared, whatever the capacity.
    pub fn pairs(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        self.search(exec, isa, query, direction, out, scratch).map(|searched| searched.pairs)
    }

    /// As [`pairs`](Self::pairs); also gives the number of pairs of bodies in neighbouring cells, for [`report`](Self::report).
    pub fn search(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<Searched> {
        let built = self.check_built(query)?;
        hgrid_scratch(built)?.check(scratch, What::Scratch)?;
        let keys = self.keys.get(..built as usize).unwrap_or_default();
        within(exec, keys.len() > BODIES, || {
            let (pages, spare) = Pages::new(exec, keys, Memory::new(&mut *scratch, u64::from(built))?);
            Finder { view: View::new(*self, &pages, query), isa, direction }.all(exec, out, spare)
        })
    }

    /// Checks that the grid was built for this query, and gives the number of bodies.
    pub(super) fn check_built(&self, query: &Query<'_>) -> Result<u32> {
        let built = &self.built[0];
        let same = built.periods == query.space.periods
            && built.margin == query.margin
            && built.axes as usize == query.space.axes()
            && built.bodies as usize == query.bodies.len()
            && built.bodies as usize <= self.ids.len()
            // A damaged block may hold any number.
            && !self.levels().is_empty();
        if same { Ok(built.bodies) } else { Err(Error::new(Kind::Mismatch, What::Grid)) }
    }
}

/// A search of a view.
#[derive(Clone, Copy)]
pub(super) struct Finder<'g> {
    pub view: View<'g>,
    pub isa: Isa,
    pub direction: Direction,
}

impl Finder<'_> {
    /// Writes the candidates of some of the view's probes, which are not in the grid, with bodies of the grid.
    pub(super) fn across(&self, probes: Range<usize>, room: &mut Room<'_>) {
        let rows = Rows::new();
        let hits = Hits::new(self.view, room);
        let search = Search { view: self.view, direction: self.direction, cells: 0..0, hits, rows };
        dispatch(self.isa, Across { search, probes });
    }

    /// Writes the candidates of the cells whose first body is in `bodies`. Gives their number, including candidates
    /// that do not fit into `out`, and the number of pairs in neighbouring cells.
    pub(super) fn range(&self, bodies: Range<usize>, out: &mut [Candidate]) -> [u64; 2] {
        let cells = self.view.pages.cells_from(bodies.start)..self.view.pages.cells_from(bodies.end);
        let mut room = Room::new(out);
        let rows = Rows::new();
        let hits = Hits::new(self.view, &mut room);
        let tested = dispatch(self.isa, Search { view: self.view, direction: self.direction, cells, hits, rows });
        [room.count() as u64, tested]
    }
}

/// Prefetch distance in bodies for the search on other levels.
const AHEAD: usize = 8;

struct Search<'g, 'r, 'o> {
    view: View<'g>,
    cells: Range<usize>,
    direction: Direction,
    hits: Hits<'g, 'r, 'o>,
    rows: Rows,
}

/// A page and its neighbours in the four other rows of the forward half.
struct Rows {
    /// Key of the page.
    page: u64,
    /// Whether no neighbour is wrapped.
    fast: bool,
    slots: [Slot; 5],
    /// Lengths of the page's level.
    lengths: Lengths,
}

impl Rows {
    /// No page yet.
    fn new() -> Rows {
        Rows { page: u64::MAX, fast: false, slots: [Slot::default(); 5], lengths: Lengths::default() }
    }
}

impl Kernel for Search<'_, '_, '_> {
    /// Pairs in neighbouring cells.
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u64 {
        let levels = self.view.levels;
        for c in self.cells.clone() {
            let (start, end) = (self.view.pages.starts[c] as usize, self.view.pages.starts[c + 1] as usize);
            let key = self.view.grid.keys[start];
            let number = self.view.level_of_key(key);
            if self.rows.page != key >> PAGE {
                self.look_around(key, start);
            }
            let place = (key & (PAGE_CELLS as u64 - 1)) as u32;
            let inner = place > 0 && place < PAGE_CELLS as u32 - 1;
            if self.rows.fast && inner {
                let around =
                    Neighbourhood::new(&self.rows.lengths, self.view.pages, &self.rows.slots, place, start, end);
                self.hits.tested += around.pairs();
                self.hits.around(simd, &around);
            } else {
                self.any_cell(simd, number, start, end);
            }
            let (from, to) = match self.direction {
                Direction::TopDown => (0, number),
                Direction::BottomUp => (number + 1, levels.len()),
            };
            for other in from..to {
                for p in start..end {
                    self.other_level(simd, other, p);
                }
            }
        }
        self.hits.flush(simd);
        self.hits.tested
    }
}

/// Tests bodies that are not in the grid against all levels of the grid.
struct Across<'g, 'r, 'o> {
    search: Search<'g, 'r, 'o>,
    probes: Range<usize>,
}

impl Kernel for Across<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for p in self.probes.clone() {
            for level in 0..self.search.view.levels.len() {
                self.search.other_level(simd, level, p);
            }
        }
        self.search.hits.flush(simd);
    }
}

impl Search<'_, '_, '_> {
    /// Finds the pages of the forward half around the page of a cell.
    #[inline(never)]
    fn look_around(&mut self, key: u64, start: usize) {
        let (number, at) = self.view.cell(start);
        let level = &self.view.levels[number];
        let [x, y, z] = self.view.page_of(number, at);
        self.rows.page = key >> PAGE;
        // The fast search needs neighbours that are one cell away and not wrapped, and a page that is not cut at its
        // end.
        let inside = |axis: usize, at: i64| level.cells[axis] == 0 || (at > 0 && at + 1 < level.cells[axis]);
        let whole = level.cells[0] == 0 || x + PAGE_CELLS <= level.cells[0];
        self.rows.lengths = Lengths::new(level, self.view.query.margin, doubt(level, level.size));
        self.rows.fast = level.span.iter().all(|s| *s <= 1) && inside(1, y) && inside(2, z) && whole;
        for (slot, [dy, dz]) in self.rows.slots.iter_mut().zip(FORWARD) {
            let page = [x, y + dy, z + dz];
            let there = (1..3).all(|axis| (level.low[axis]..=level.high[axis]).contains(&page[axis]));
            *slot = if self.rows.fast && there { self.view.find(number, level, page) } else { Slot::default() };
        }
    }

    /// Tests the bodies of any cell against each other and against the forward half of its neighbours. Rows may be
    /// wrapped and may cross ends of pages.
    #[inline(always)]
    fn any_cell<S: Simd>(&mut self, simd: S, number: usize, start: usize, end: usize) {
        let (_, at) = self.view.cell(start);
        let level = &self.view.levels[number];
        let page = self.view.page_of(number, at);
        let doubt = doubt(level, level.size);
        let wider = (self.view.query.margin * level.scale) as f32 + doubt;
        let own = Target { start, end, offset: [0.0; 3], shift: [0; 3], wider, doubt: 4.0 * doubt };
        self.hits.cell::<S, true>(simd, start, end, &own);
        let bodies = (end - start) as u64;
        self.hits.tested += bodies * bodies.saturating_sub(1) / 2;
        let [sx, sy, sz] = level.span;
        for z in at[2]..=at[2] + sz {
            let from = if z == at[2] { at[1] } else { at[1] - sy };
            for y in from..=at[1] + sy {
                let x = if z == at[2] && y == at[1] { at[0] + 1 } else { at[0] - sx };
                let mut row = Row::new(number, level, [x, at[0] + sx], y, z);
                while let Some(run) = row.next(&self.view, level) {
                    let mut offset = [0.0; 3];
                    for axis in 0..3 {
                        offset[axis] = ((run.page[axis] - page[axis]) as f64 * level.edges[axis] * level.scale) as f32;
                    }
                    let to = Target { start: run.start, end: run.end, offset, shift: run.image, ..own };
                    self.hits.cell::<S, false>(simd, start, end, &to);
                    self.hits.tested += bodies * (run.end - run.start) as u64;
                }
            }
        }
    }

    /// Tests a body against the bodies of another level in the cells around it.
    #[inline(always)]
    fn other_level<S: Simd>(&mut self, simd: S, number: usize, p: usize) {
        let level = &self.view.levels[number];
        if level.bodies() == 0 {
            return;
        }
        let id = self.view.probes[p];
        if id == GONE {
            return;
        }
        if let Some(later) = self.view.probes.get(p + AHEAD) {
            self.view.prefetch(*later as usize);
        }
        let sphere = self.view.sphere(id as usize);
        let margin = self.view.query.margin;
        let reach = sphere.radius + 0.5 * (level.size + margin);
        let mut low = [0; 3];
        let mut high = [0; 3];
        let mut rows = 1.0;
        for axis in 0..self.view.axes {
            let (x, beta) = (sphere.centre[axis], reach + level.slack[axis]);
            (low[axis], high[axis]) = (level.index(x - beta, axis), level.index(x + beta, axis));
            if level.cells[axis] == 0 {
                (low[axis], high[axis]) = (max(low[axis], level.low[axis]), min(high[axis], level.high[axis]));
                // A body that is not in the grid may be arbitrarily far from it.
                if high[axis] < low[axis] {
                    return;
                }
            }
            // Along x, a step is a whole page.
            let at_once = if axis == 0 { PAGE_CELLS } else { 1 };
            rows *= ((high[axis] - low[axis]) / at_once + 1) as f64;
        }
        if rows > 64.0 + 0.25 * level.bodies() as f64 {
            return self.one_by_one(simd, level, id);
        }
        let doubt = doubt(level, reach);
        let wider = (margin * level.scale) as f32 + doubt;
        let image = if self.hits.imaged() { self.hits.image(id) } else { [0; 3] };
        let to = Target { start: 0, end: 0, offset: [0.0; 3], shift: [0; 3], wider, doubt: 4.0 * doubt };
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let mut row = Row::new(number, level, [low[0], high[0]], y, z);
                while let Some(run) = row.next(&self.view, level) {
                    self.hits.tested += (run.end - run.start) as u64;
                    let mut probe = Probe { p, at: [0.0; 3], radius: (sphere.radius * level.scale) as f32 };
                    let mut shift = run.image;
                    for axis in 0..self.view.axes {
                        let from = run.page[axis] as f64 * level.edges[axis];
                        probe.at[axis] = ((sphere.centre[axis] - from) * level.scale) as f32;
                        shift[axis] -= i64::from(image[axis]);
                    }
                    self.hits.one(simd, &probe, &Target { start: run.start, end: run.end, shift, ..to });
                }
            }
        }
    }

    /// Tests a body against all bodies of a level, where they are fewer than the rows of cells around it.
    #[cold]
    fn one_by_one<S: Simd>(&mut self, simd: S, level: &Level, id: u32) {
        // Buffered blocks are written first, so that the order of candidates does not depend on the buffer.
        self.hits.flush(simd);
        self.hits.tested += level.bodies() as u64;
        let ids = self.view.grid.ids.get(level.first as usize..level.end as usize).unwrap_or_default();
        for other in ids.iter().filter(|id| **id != GONE) {
            let (a, b) = (min(id, *other) as usize, max(id, *other) as usize);
            if self.view.query.bodies.wanted(a, b) {
                brute::images(self.view.query, a, b, self.hits.room());
            }
        }
    }
}
