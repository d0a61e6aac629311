//! Counts the pairs that the algorithm of P1 tests and the cells that it visits (P1 sections 2.2 and 3).
//!
//! The search of this library tests whole rows of cells. These counts are those of the published algorithm, which
//! visits one cell after another, so they can be compared with its cost model.

use super::super::Query;
use super::build::hgrid_scratch;
use super::cell_rows::{Row, View};
use super::direction::Direction;
use super::frame::{Level, PAGE_CELLS};
use super::grid::HGridRef;
use super::page_table::{Memory, Pages};
use crate::error::{Result, What};
use crate::exec::Serial;
use crate::real::{max, min};

/// Counts of the published algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Pairs of bodies on the same level that the algorithm tests: n (n - 1) / 2 in a cell of n, and all pairs across
    /// neighbouring cells.
    pub same: u64,
    /// Pairs of bodies on different levels that it tests: a body and all bodies in the cells of P1 (4), (5).
    pub cross: u64,
    /// Visits of cells, empty ones included.
    pub accesses: u64,
    /// Visits of cells inside the box.
    pub inside: u64,
    /// Visits of cells that hold a body.
    pub occupied: u64,
}

impl HGridRef<'_> {
    /// Counts for the query that the grid was built from, in a box from 0 to `size` along each axis. Along periodic axes
    /// the box is the period, and a cell is visited once even where several of its images are near. `scratch` is
    /// [`hgrid_scratch`].
    ///
    /// Errors: as [`HGridRef::pairs`]. Cost: proportional to the cells counted as `occupied` and to their rows.
    pub fn count(
        &self,
        query: &Query<'_>,
        direction: Direction,
        size: [f64; 3],
        scratch: &mut [u8],
    ) -> Result<Counters> {
        let built = self.check_built(query)?;
        hgrid_scratch(built)?.check(scratch, What::Scratch)?;
        let memory = Memory::new(scratch, u64::from(built))?;
        let (pages, _) = Pages::new(&Serial, self.keys.get(..built as usize).unwrap_or_default(), memory);
        let view = View::new(*self, &pages, query);
        let mut count = Count { view, size, counters: Counters::default() };
        for c in 0..pages.cells() {
            count.cell(c, direction);
        }
        Ok(count.counters)
    }
}

struct Count<'g> {
    view: View<'g>,
    size: [f64; 3],
    counters: Counters,
}

impl Count<'_> {
    fn cell(&mut self, c: usize, direction: Direction) {
        let (start, end) = (self.view.pages.starts[c] as usize, self.view.pages.starts[c + 1] as usize);
        let (number, at) = self.view.cell(start);
        let bodies = (end - start) as u64;
        self.counters.same += bodies * (bodies - 1) / 2;
        self.neighbours(number, at, bodies);
        let others = match direction {
            Direction::TopDown => 0..number,
            Direction::BottomUp => number + 1..self.view.levels.len(),
        };
        for other in others {
            for p in start..end {
                self.cross(other, p);
            }
        }
    }

    /// Counts the cell itself and the forward half of its neighbours, each once for every body.
    fn neighbours(&mut self, number: usize, at: [i64; 3], bodies: u64) {
        self.counters.accesses += bodies;
        self.counters.inside += bodies;
        self.counters.occupied += bodies;
        let level = &self.view.levels[number];
        let flat = i64::from(self.view.axes > 2);
        for x in 0..=1 {
            for y in -1..=1 {
                for z in -flat..=flat {
                    if [x, y, z] > [0; 3] && !met_before(level, at, [x, y, z]) {
                        let there = [at[0] + x, at[1] + y, at[2] + z];
                        self.counters.accesses += bodies;
                        self.counters.inside += bodies * u64::from(self.is_inside(level, there));
                        let found = self.bodies_in(number, there);
                        self.counters.occupied += bodies * u64::from(found > 0);
                        self.counters.same += bodies * found;
                    }
                }
            }
        }
    }

    /// Counts the cells of P1 (4), (5) for one body and another level.
    fn cross(&mut self, number: usize, p: usize) {
        let view = self.view;
        let level = &view.levels[number];
        let sphere = view.query.sphere(view.grid.ids[p] as usize);
        let beta = sphere.radius + 0.5 * (level.size + view.query.margin);
        let (mut low, mut high) = ([0; 3], [0; 3]);
        let (mut all, mut inside) = (1u64, 1u64);
        for axis in 0..view.axes {
            let x = sphere.centre[axis];
            (low[axis], high[axis]) = (level.index(x - beta, axis), level.index(x + beta, axis));
            let n = level.cells[axis];
            if n > 0 {
                high[axis] = min(high[axis], low[axis] + n - 1);
            }
            let cells = |low: i64, high: i64| max(high - low + 1, 0) as u64;
            all = all.saturating_mul(cells(low[axis], high[axis]));
            let last = if n > 0 { i64::MAX } else { last(self.size[axis], level.edges[axis]) };
            let first = if n > 0 { i64::MIN } else { 0 };
            inside = inside.saturating_mul(cells(max(low[axis], first), min(high[axis], last)));
            if n == 0 {
                (low[axis], high[axis]) = (max(low[axis], level.low[axis]), min(high[axis], level.high[axis]));
            }
        }
        self.counters.accesses += all;
        self.counters.inside += inside;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let mut row = Row::new(number, level, [low[0], high[0]], y, z);
                while let Some(run) = row.next(&view, level) {
                    self.counters.cross += (run.end - run.start) as u64;
                    self.counters.occupied += u64::from(run.cells);
                }
            }
        }
    }

    fn is_inside(&self, level: &Level, at: [i64; 3]) -> bool {
        (0..self.view.axes)
            .all(|axis| level.cells[axis] > 0 || (0..=last(self.size[axis], level.edges[axis])).contains(&at[axis]))
    }

    fn bodies_in(&self, number: usize, at: [i64; 3]) -> u64 {
        let level = &self.view.levels[number];
        let mut row = Row::new(number, level, [at[0], at[0]], at[1], at[2]);
        row.next(&self.view, level).map_or(0, |run| (run.end - run.start) as u64)
    }
}

/// Last cell of a box that begins at 0.
fn last(size: f64, edge: f64) -> i64 {
    let cells = size / edge;
    let whole = cells as i64;
    if whole as f64 == cells { whole - 1 } else { whole }
}

/// Whether this neighbour was visited already, or is the cell itself. Possible only where a period has fewer than three
/// cells.
fn met_before(level: &Level, at: [i64; 3], offset: [i64; 3]) -> bool {
    let few = |axis: usize| (1..3).contains(&level.cells[axis]);
    if !(0..3).any(few) {
        return false;
    }
    let wrapped = |from: [i64; 3], step: [i64; 3]| {
        [0, 1, 2].map(|k| {
            if level.cells[k] > 0 { (from[k] + step[k]).rem_euclid(level.cells[k]) } else { from[k] + step[k] }
        })
    };
    let there = wrapped(at, offset);
    if there == at {
        return true;
    }
    let all = || (0..27).map(|i| [i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1]);
    // Visited from this cell by an earlier step, or from the other cell, if that one comes first.
    let earlier = all().any(|step| step > [0; 3] && step < offset && wrapped(at, step) == there);
    let back = all().any(|step| step > [0; 3] && wrapped(there, step) == at);
    earlier || (back && there < at)
}

// Cells of a page are as many as a slot has bits.
const _: () = assert!(PAGE_CELLS == u32::BITS as i64);
