//! All candidates: rows of cells against bodies, sixteen at a time.
//!
//! # What the filter may say
//! Coordinates are kept in single precision, relative to the first cell of their page (x) and to their cell (y, z), in
//! units of a power of two near the cell size s. Those of a page are below 32 s + s, those of a body of another level as seen
//! from that page below its reach R + 34 s. With u = 2^-24 the errors of a difference of coordinates are at most
//! u (32 s + (R + 34 s) + R) along an axis, times sqrt(3) for the distance; three operations on squares and one on sums of
//! radii add less than 10 u R. Multiples of edges, taken off in double precision, and the rounding of the canonical decision
//! are what [`Level`]'s `slack` is for. So with `doubt = u (128 s + 16 R) + slack` a pair is surely out if its computed
//! distance is more than the computed reach and doubt, and surely in if it is less than their difference. What is between the
//! two, some millionths of all pairs near the threshold, is decided canonically. Numbers that overflow single precision
//! compare as doubtful.

use super::super::candidate::{Candidate, Room};
use super::super::{Query, brute, decide::Sphere};
use super::build::hgrid_scratch;
use super::frame::{Level, PAGE_CELLS};
use super::grid::HGridRef;
use super::pages::Pages;
use super::rows::{Row, Run, View};
use crate::error::{Error, Kind, Result, What};
use crate::memory::Carve;
use crate::real::{max, min};
use crate::simd::{Isa, Kernel, Lane, Mask, Simd, dispatch};

/// From which body of a pair on different levels the other one is looked for. The answer is the same, the time is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Direction {
    /// From the larger one: fewer cells where small bodies are many (P1 section 7 recommends it).
    #[default]
    TopDown = 1,
    /// From the smaller one.
    BottomUp = 2,
}

impl HGridRef<'_> {
    /// Writes all candidates of the query that the grid was built from, and gives their number.
    ///
    /// Their order depends on the query and the cell sizes alone. `scratch` is [`hgrid_scratch`].
    ///
    /// Errors: [`Kind::Mismatch`] where the grid is empty, or was built for another number of bodies, space or margin;
    /// [`Kind::Capacity`] with the exact number where `out` is too small (`out` then holds nothing of use), or `scratch`.
    /// The bodies must be where they were: that is not checked, and makes answers wrong, but no more than wrong.
    ///
    /// Cost: proportional to the bodies and the pairs, for sizes that suit the bodies; 20 to 40 ns a body.
    pub fn pairs(
        &self,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        let built = self.check_built(query)?;
        let mut carve = Carve::new(scratch, hgrid_scratch(built)?, What::Scratch)?;
        let keys = self.keys.get(..built as usize).unwrap_or_default();
        let pages = Pages::new(keys, &mut carve)?;
        let view = View::new(*self, &pages, query);
        let all = query.bodies.all_wanted();
        let shifted = !query.space.is_open();
        let imaged = self.built[0].imaged != 0;
        let mut room = Room::new(out);
        dispatch(isa, Search { view, direction, all, shifted, imaged, room: &mut room });
        room.finish()
    }

    /// Number of bodies.
    pub(super) fn check_built(&self, query: &Query<'_>) -> Result<u32> {
        let built = &self.built[0];
        let same = built.periods == query.space.periods
            && built.margin == query.margin
            && built.axes as usize == query.space.axes()
            && built.bodies as usize == query.bodies.len()
            && built.bodies as usize <= self.ids.len()
            && built.levels > 0;
        if same { Ok(built.bodies) } else { Err(Error::new(Kind::Mismatch, What::Grid)) }
    }
}

/// What is looked for around: a body as seen from a page.
struct Probe {
    at: [f32; 3],
    /// Its radius and the doubt.
    radius: f32,
    /// Twice the doubt.
    doubt: f32,
    id: u32,
    shift: [i64; 3],
}

pub(super) struct Search<'g, 'r, 'o> {
    pub view: View<'g>,
    pub direction: Direction,
    pub all: bool,
    pub shifted: bool,
    pub imaged: bool,
    pub room: &'r mut Room<'o>,
}

/// Runs gathered before the bodies of a cell are held against them.
const RUNS: usize = 16;

impl Kernel for Search<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for c in 0..self.view.pages.cells() {
            let (start, end) = (self.view.pages.starts[c] as usize, self.view.pages.starts[c + 1] as usize);
            let (number, at) = self.view.cell(start);
            self.own_level(simd, number, at, start, end);
            let others = match self.direction {
                Direction::TopDown => (0, number),
                Direction::BottomUp => (number + 1, self.view.levels.len()),
            };
            for other in others.0..others.1 {
                for p in start..end {
                    self.other_level(simd, other, p);
                }
            }
        }
    }
}

impl Search<'_, '_, '_> {
    /// The bodies of a cell against each other and those of the forward half of its neighbours.
    #[inline(always)]
    fn own_level<S: Simd>(&mut self, simd: S, number: usize, at: [i64; 3], start: usize, end: usize) {
        let level = &self.view.levels[number];
        let page = self.view.page_of(number, at);
        let doubt = doubt(level, level.size);
        let [sx, sy, sz] = level.span;
        let mut runs = [Run::default(); RUNS];
        // Within the cell and the rest of its row.
        let mut row = Row::new(number, level, [at[0] + 1, at[0] + sx], at[1], at[2]);
        let mut own_end = end;
        let mut count = 0;
        let mut first = true;
        while let Some(run) = row.next(&self.view, level) {
            if first && run.start == end && run.page == page && run.image == [0; 3] {
                own_end = run.end;
            } else {
                runs[count] = run;
                count += 1;
                if count == RUNS {
                    self.against_runs(simd, level, page, doubt, start, end, &runs, count);
                    count = 0;
                }
            }
            first = false;
        }
        for z in at[2]..=at[2] + sz {
            let from = if z == at[2] { at[1] + 1 } else { at[1] - sy };
            for y in from..=at[1] + sy {
                let mut row = Row::new(number, level, [at[0] - sx, at[0] + sx], y, z);
                while let Some(run) = row.next(&self.view, level) {
                    runs[count] = run;
                    count += 1;
                    if count == RUNS {
                        self.against_runs(simd, level, page, doubt, start, end, &runs, count);
                        count = 0;
                    }
                }
            }
        }
        for p in start..end {
            let probe = self.probe(level, p, [0.0; 3], doubt, [0; 3]);
            self.against(simd, &probe, p + 1, own_end);
        }
        self.against_runs(simd, level, page, doubt, start, end, &runs, count);
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn against_runs<S: Simd>(
        &mut self,
        simd: S,
        level: &Level,
        page: [i64; 3],
        doubt: f32,
        start: usize,
        end: usize,
        runs: &[Run; RUNS],
        count: usize,
    ) {
        for run in &runs[..count] {
            let [x, y, z] = run.page;
            let offset = [
                ((x - page[0]) as f64 * level.edges[0] * level.scale) as f32,
                ((y - page[1]) as f64 * level.edges[1] * level.scale) as f32,
                ((z - page[2]) as f64 * level.edges[2] * level.scale) as f32,
            ];
            for p in start..end {
                let probe = self.probe(level, p, offset, doubt, run.image);
                self.against(simd, &probe, run.start, run.end);
            }
        }
    }

    /// A body as seen from a page of its own level.
    #[inline(always)]
    fn probe(&self, level: &Level, p: usize, offset: [f32; 3], doubt: f32, shift: [i64; 3]) -> Probe {
        let grid = &self.view.grid;
        let id = grid.ids[p];
        let shift = if self.imaged { plus(shift, self.image(id)) } else { shift };
        Probe {
            at: [grid.x[p] - offset[0], grid.y[p] - offset[1], grid.z[p] - offset[2]],
            radius: grid.r[p] + (self.view.query.margin * level.scale) as f32 + doubt,
            doubt: doubt + doubt,
            id,
            shift,
        }
    }

    /// A body against those of another level in the cells around it.
    #[inline(always)]
    fn other_level<S: Simd>(&mut self, simd: S, number: usize, p: usize) {
        let level = &self.view.levels[number];
        if level.bodies() == 0 {
            return;
        }
        let id = self.view.grid.ids[p];
        let sphere = self.view.query.sphere(id as usize);
        let reach = sphere.radius + 0.5 * (level.size + self.view.query.margin);
        let beta = reach + level.slack;
        let mut low = [0; 3];
        let mut high = [0; 3];
        let mut rows = 1.0;
        for axis in 0..self.view.axes {
            (low[axis], high[axis]) =
                (level.index(sphere.centre[axis] - beta, axis), level.index(sphere.centre[axis] + beta, axis));
            if level.cells[axis] == 0 {
                (low[axis], high[axis]) = (max(low[axis], level.low[axis]), min(high[axis], level.high[axis]));
            }
            // Of cells along x a page is taken at once.
            let at_once = if axis == 0 { PAGE_CELLS } else { 1 };
            rows *= ((high[axis] - low[axis]) / at_once + 1) as f64;
        }
        if rows > 64.0 + 0.25 * level.bodies() as f64 {
            return self.one_by_one(level, id);
        }
        let doubt = doubt(level, reach);
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let mut row = Row::new(number, level, [low[0], high[0]], y, z);
                while let Some(run) = row.next(&self.view, level) {
                    let probe = seen(&self.view, level, &sphere, id, doubt, &run);
                    self.against(simd, &probe, run.start, run.end);
                }
            }
        }
    }

    /// A body against all of a level: where that is less than the rows of cells around it.
    #[cold]
    fn one_by_one(&mut self, level: &Level, id: u32) {
        let ids = self.view.grid.ids.get(level.first as usize..level.end as usize).unwrap_or_default();
        for other in ids {
            let (a, b) = (min(id, *other) as usize, max(id, *other) as usize);
            if self.view.query.bodies.wanted(a, b) {
                brute::images(self.view.query, a, b, self.room);
            }
        }
    }

    /// A probe against bodies one after another.
    #[inline(always)]
    fn against<S: Simd>(&mut self, simd: S, probe: &Probe, start: usize, end: usize) {
        let grid = self.view.grid;
        let (x, y, z) =
            (S::F32::splat(simd, probe.at[0]), S::F32::splat(simd, probe.at[1]), S::F32::splat(simd, probe.at[2]));
        let radius = S::F32::splat(simd, probe.radius);
        let mut at = start;
        while at < end {
            let (dx, dy, dz) = (
                S::F32::load(simd, grid.x, at) - x,
                S::F32::load(simd, grid.y, at) - y,
                S::F32::load(simd, grid.z, at) - z,
            );
            let square = dx.fused(dx, dy.fused(dy, dz * dz));
            let reach = S::F32::load(simd, grid.r, at) + radius;
            let left = end - at;
            let live = if left < S::F32::LANES { (1u32 << left) - 1 } else { u32::MAX };
            // Not less: what is not a number is not out.
            let near = !(reach * reach).lt(square).bits() & live & (u32::MAX >> (32 - S::F32::LANES as u32));
            if near != 0 {
                let within = reach - S::F32::splat(simd, probe.doubt);
                let sure = square.lt(within * within.abs()).bits();
                self.put(probe, at, near, sure);
            }
            at += S::F32::LANES;
        }
    }

    #[inline(always)]
    fn put(&mut self, probe: &Probe, at: usize, mut near: u32, sure: u32) {
        while near != 0 {
            let lane = near.trailing_zeros();
            near &= near - 1;
            let q = at + lane as usize;
            let other = self.view.grid.ids[q];
            let shift = if self.shifted { self.shift(probe, other) } else { [0; 3] };
            let candidate = Candidate::new(probe.id, other, shift);
            if sure >> lane & 1 == 0 && !self.decide(&candidate) {
                continue;
            }
            if !self.all && !self.view.query.bodies.wanted(candidate.a as usize, candidate.b as usize) {
                continue;
            }
            self.room.put(candidate);
        }
    }

    #[cold]
    fn decide(&self, c: &Candidate) -> bool {
        self.view.query.reaches(c.a as usize, c.b as usize, c.shift)
    }

    /// Periods from where the other body is to where it meets the probe.
    #[inline(always)]
    fn shift(&self, probe: &Probe, other: u32) -> [i16; 3] {
        let [x, y, z] = probe.shift;
        if !self.imaged {
            return [x as i16, y as i16, z as i16];
        }
        let [i, j, k] = self.image(other);
        [(x - i) as i16, (y - j) as i16, (z - k) as i16]
    }

    /// Image that a body is in.
    fn image(&self, id: u32) -> [i64; 3] {
        let query = self.view.query;
        let sphere = query.sphere(id as usize);
        let number = super::frame::level_of(self.view.levels, query.diameter(sphere.radius));
        self.view.levels[number].cell(number, &sphere.centre, self.view.axes).image
    }
}

#[inline(always)]
fn plus([a, b, c]: [i64; 3], [x, y, z]: [i64; 3]) -> [i64; 3] {
    [a + x, b + y, c + z]
}

/// What the filter may be off by for sums of radii up to `reach`, in the units of the level, rounded up.
#[inline(always)]
fn doubt(level: &Level, reach: f64) -> f32 {
    const U: f64 = 1.0 / (1u32 << 24) as f64;
    let [x, y, z] = level.edges;
    let edge = max(max(x, y), max(z, level.size));
    ((U * (128.0 * edge + 16.0 * reach) + level.slack) * level.scale * (1.0 + 4.0 * U)) as f32
}

/// A body as seen from the page of a run.
#[inline(always)]
fn seen(view: &View<'_>, level: &Level, sphere: &Sphere, id: u32, doubt: f32, run: &Run) -> Probe {
    let mut at = [0.0; 3];
    for (axis, at) in at.iter_mut().enumerate().take(view.axes) {
        *at = ((sphere.centre[axis] - run.page[axis] as f64 * level.edges[axis]) * level.scale) as f32;
    }
    let radius = ((sphere.radius + view.query.margin) * level.scale) as f32 + doubt;
    Probe { at, radius, doubt: doubt + doubt, id, shift: run.image }
}
