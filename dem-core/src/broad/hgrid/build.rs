//! Bodies into their cells: survey, keys, sort, coordinates.

use super::super::{FARTHEST, IMAGES, Query, WIDEST, decide::Sphere};
use super::frame::{Keys, Level, PAGE, PAGE_CELLS, Survey, level_of, wrap};
use super::grid::{Built, HGrid, PAD};
use super::{pages, sizes, sort};
use crate::array::Array;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::real::{max, min};

/// Scratch of [`HGrid::rebuild`] and [`HGridRef::pairs`](super::HGridRef::pairs) for so many bodies: about 24 bytes each.
///
/// Errors: [`Kind::TooLarge`].
pub fn hgrid_scratch(bodies: u32) -> Result<Layout> {
    let mut search = Plan::new();
    pages::plan(u64::from(bodies), &mut search);
    let (search, build) = (search.layout(What::Scratch)?, build_scratch(u64::from(bodies))?);
    Ok(if search.size > build.size { search } else { build })
}

fn build_scratch(bodies: u64) -> Result<Layout> {
    Plan::new().add::<u64>(bodies).add::<u32>(bodies).layout(What::Scratch)
}

/// Where spheres come from: two forms, so that the usual one costs no more than its memory traffic.
pub(super) trait Source: Copy {
    fn sphere(&self, i: usize) -> Sphere;
}

#[derive(Clone, Copy)]
struct Packed<'a> {
    centres: &'a [[f64; 3]],
    radii: &'a [f64],
}

impl Source for Packed<'_> {
    #[inline(always)]
    fn sphere(&self, i: usize) -> Sphere {
        match (self.centres.get(i), self.radii.get(i)) {
            (Some(&centre), Some(&radius)) => Sphere { centre, radius },
            _ => Sphere { centre: [0.0; 3], radius: 0.0 },
        }
    }
}

#[derive(Clone, Copy)]
struct Strided<'a>(Array<'a>, Array<'a>);

impl Source for Strided<'_> {
    #[inline(always)]
    fn sphere(&self, i: usize) -> Sphere {
        Sphere { centre: self.0.get(i), radius: self.1.number(i) }
    }
}

impl HGrid<'_> {
    /// Puts all bodies of a query into cells, whatever the grid held before.
    ///
    /// `cell_sizes` are those of the levels, at least the diameters of the bodies on them with the margin added
    /// (P1 (3)), in increasing order; the last one grows as it has to for the largest body. Where there are none, the grid
    /// chooses (see [`HGridRef::levels`](super::HGridRef::levels)). `scratch` is [`hgrid_scratch`].
    ///
    /// Errors: those of [`Query::check`]; [`Kind::Capacity`] where the grid is too small for the bodies or the levels, or
    /// `scratch`; [`Kind::OutOfRange`] and [`Kind::NotFinite`] for cell sizes. The grid then is empty. Cost: proportional to
    /// the number of bodies; 20 to 40 ns each.
    pub fn rebuild(&mut self, query: &Query<'_>, cell_sizes: &[f64], scratch: &mut [u8]) -> Result<()> {
        self.built[0] = Built::default();
        query.check_frame()?;
        let bodies = &query.bodies;
        match bodies.centres.as_f64().zip(bodies.radii.as_f64_numbers()) {
            Some((centres, radii)) => self.fill(query, Packed { centres, radii }, cell_sizes, scratch),
            None => self.fill(query, Strided(bodies.centres, bodies.radii), cell_sizes, scratch),
        }
    }

    fn fill(&mut self, query: &Query<'_>, from: impl Source, cell_sizes: &[f64], scratch: &mut [u8]) -> Result<()> {
        let n = query.bodies.len();
        if n > self.ids.len() {
            return Err(Error::capacity(What::Grid, n as u64, self.ids.len() as u64));
        }
        let survey = survey(query, from)?;
        let mut chosen = [0.0; sizes::MOST];
        let cell_sizes = match cell_sizes.is_empty() {
            true => sizes::choose(query, &survey, self.level.len(), |i| from.sphere(i).radius, &mut chosen),
            false => check_sizes(cell_sizes)?,
        };
        let count = cell_sizes.len();
        if count > self.level.len() {
            return Err(Error::capacity(What::CellSizes, count as u64, self.level.len() as u64));
        }
        for (level, size) in self.level.iter_mut().zip(cell_sizes) {
            *level = Level::new(*size, &query.space, &survey);
        }
        let largest = query.diameter(survey.largest);
        if let Some(last) = self.level.get_mut(count - 1).filter(|last| last.size < largest) {
            *last = Level::new(largest, &query.space, &survey);
        }
        let mut built = Built {
            keys: Keys::new(&self.level[..count]),
            periods: query.space.periods,
            margin: query.margin,
            bodies: n as u32,
            levels: count as u32,
            axes: query.space.axes() as u32,
            imaged: 0,
        };
        let mut carve = Carve::new(scratch, build_scratch(n as u64)?, What::Scratch)?;
        let (spare_keys, spare_ids) = (carve.take(n as u64)?, carve.take(n as u64)?);
        loop {
            built.imaged = u32::from(self.number(query, from, &built));
            sort::sort(built.keys.total(), &mut self.keys[..n], &mut self.ids[..n], spare_keys, spare_ids);
            if self.place(query, from, &built) {
                break;
            }
            built.keys.next_seed();
        }
        self.built[0] = built;
        Ok(())
    }

    /// Keys and ids in the host's order. Gives whether a body is not in image 0.
    fn number(&mut self, query: &Query<'_>, from: impl Source, built: &Built) -> bool {
        let (axes, keys, mut imaged) = (query.space.axes(), &built.keys, 0);
        let levels = &self.level[..built.levels as usize];
        let n = query.bodies.len();
        for (i, (key, id)) in self.keys[..n].iter_mut().zip(&mut self.ids[..n]).enumerate() {
            let sphere = from.sphere(i);
            let number = level_of(levels, query.diameter(sphere.radius));
            let level = &levels[number];
            let cell = level.cell(number, &sphere.centre, axes);
            imaged |= cell.image[0] | cell.image[1] | cell.image[2];
            (*key, *id) = (keys.cell(level, &cell), i as u32);
        }
        imaged != 0
    }

    /// Coordinates relative to pages and cells, in the grid's order; where levels begin and end. False where two pages
    /// have the same key.
    fn place(&mut self, query: &Query<'_>, from: impl Source, built: &Built) -> bool {
        let (axes, n, keys) = (query.space.axes(), query.bodies.len(), &built.keys);
        let levels = &mut self.level[..built.levels as usize];
        let mut last = (u64::MAX, [i64::MIN; 3]);
        // Where a key is made of coordinates and no axis is periodic, it tells the cell without a division.
        let told = !keys.hashed() && query.space.is_open();
        for (i, (key, id)) in self.keys[..n].iter().zip(&self.ids[..n]).enumerate() {
            let sphere = from.sphere(*id as usize);
            let number = min(keys.level(*key), levels.len() - 1);
            let level = &mut levels[number];
            if level.end == 0 {
                level.first = i as u64;
            }
            level.end = i as u64 + 1;
            let cell = match told {
                true => keys.coordinates(level, *key),
                false => [0, 1, 2].map(|k| if k < axes { level.index(sphere.centre[k], k) } else { 0 }),
            };
            let place = (*key & (PAGE_CELLS as u64 - 1)) as i64;
            let page = [cell[0] - place, cell[1], cell[2]];
            if keys.hashed() {
                let at = [0, 1, 2].map(|k| wrap(page[k], level.cells[k]).1);
                if key >> PAGE == last.0 && at != last.1 {
                    levels.iter_mut().for_each(|l| (l.first, l.end) = (0, 0));
                    return false;
                }
                last = (key >> PAGE, at);
            }
            let relative = |k: usize| match k < axes {
                true => ((sphere.centre[k] - page[k] as f64 * level.edges[k]) * level.scale) as f32,
                false => 0.0,
            };
            (self.x[i], self.y[i], self.z[i]) = (relative(0), relative(1), relative(2));
            self.r[i] = (sphere.radius * level.scale) as f32;
        }
        for rows in [&mut *self.x, &mut *self.y, &mut *self.z, &mut *self.r] {
            rows[n..n + PAD as usize].fill(0.0);
        }
        true
    }
}

/// Bounds of all bodies.
///
/// Errors: those of [`Query::check`] that are about bodies.
fn survey(query: &Query<'_>, from: impl Source) -> Result<Survey> {
    let mut survey = Survey { low: [0.0; 3], high: [0.0; 3], largest: 0.0 };
    let n = query.bodies.len();
    if n > 0 {
        let first = from.sphere(0);
        (survey.low, survey.high) = (first.centre, first.centre);
    }
    let axes = query.space.axes();
    let mut doubt = query.bodies.motions.is_some();
    for i in 0..n {
        let Sphere { centre, radius } = from.sphere(i);
        for (axis, x) in centre.into_iter().enumerate().take(axes) {
            survey.low[axis] = min(x, survey.low[axis]);
            survey.high[axis] = max(x, survey.high[axis]);
            doubt |= !x.is_finite();
        }
        survey.largest = max(radius, survey.largest);
        doubt |= !(0.0..=FARTHEST).contains(&radius);
    }
    for axis in 0..axes {
        let period = query.space.period(axis);
        let limit = period.map_or(FARTHEST, |p| min(IMAGES * p, FARTHEST));
        doubt |= survey.low[axis] < -limit || survey.high[axis] > limit;
        doubt |= period.is_some_and(|p| query.diameter(survey.largest) > WIDEST * p);
    }
    // Only then is it worth another pass to tell which body it is.
    if doubt {
        (0..n).try_for_each(|i| query.check_body(i))?;
    }
    Ok(survey)
}

/// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] with the index of the first cell size that is wrong.
fn check_sizes(cell_sizes: &[f64]) -> Result<&[f64]> {
    let mut last = 0.0;
    for (i, &size) in cell_sizes.iter().enumerate() {
        if !size.is_finite() {
            return Err(Error::new(Kind::NotFinite, What::CellSizes).at(i as u64, 0));
        }
        if !(size > last && size <= FARTHEST) {
            return Err(Error::new(Kind::OutOfRange, What::CellSizes).at(i as u64, 0));
        }
        last = size;
    }
    Ok(cell_sizes)
}
