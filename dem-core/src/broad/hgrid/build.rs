//! Builds a grid: sort keys of cells, radix sort, relative coordinates.

use super::super::{FARTHEST, Query};
use super::frame::{Keys, Level, PAGE, PAGE_CELLS, level_of, wrap};
use super::grid::{Built, HGrid, PAD};
use super::sort::{self, Buckets, Cuts, Sorting};
use super::validate::{Packed, Source, Strided, Survey};
use super::{default_cell_sizes, page_table};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each, pieces, within};
use crate::memory::Layout;
use crate::real::min;
use core::ops::Range;
use zerocopy::{FromBytes, IntoBytes};

/// Scratch of [`HGrid::rebuild`] and [`HGridRef::pairs`](super::HGridRef::pairs) for this number of bodies: about 28 bytes per body.
///
/// Errors: [`Kind::TooLarge`].
pub fn hgrid_scratch(bodies: u32) -> Result<Layout> {
    Ok(Sorting::layout(&Cuts::new(bodies as usize))?.or(page_table::Memory::layout(u64::from(bodies))?))
}

impl HGrid<'_> {
    /// Rebuilds the grid from all bodies of a query.
    ///
    /// `cell_sizes` are the cell sizes of the levels in increasing order. A body goes to the first level whose cells
    /// are at least as long as its diameter plus the margin (P1 (3)); the last size grows to fit the largest body.
    /// Without cell sizes the grid chooses them (see [`HGridRef::levels`](super::HGridRef::levels)). `scratch` is
    /// [`hgrid_scratch`]. The content of the grid does not depend on the executor.
    ///
    /// Errors: those of [`Query::check`]; [`Kind::Capacity`] where the grid is too small for the bodies or the levels,
    /// or `scratch`; [`Kind::OutOfRange`] and [`Kind::NotFinite`] for cell sizes. After an error the grid is empty.
    /// Cost: proportional to the number of bodies.
    pub fn rebuild(
        &mut self,
        exec: &dyn Executor,
        query: &Query<'_>,
        cell_sizes: &[f64],
        scratch: &mut [u8],
    ) -> Result<()> {
        self.built[0] = Built::default();
        query.check_frame()?;
        within(exec, Cuts::new(query.bodies.len()).groups > 1, || match Packed::of(query) {
            Some(packed) => self.fill(exec, query, packed, cell_sizes, scratch),
            None => self.fill(exec, query, Strided(query.bodies.centres, query.bodies.radii), cell_sizes, scratch),
        })
    }

    fn fill(
        &mut self,
        exec: &dyn Executor,
        query: &Query<'_>,
        from: impl Source,
        cell_sizes: &[f64],
        scratch: &mut [u8],
    ) -> Result<()> {
        let n = query.bodies.len();
        if n > self.ids.len() {
            return Err(Error::capacity(What::Grid, n as u64, self.ids.len() as u64));
        }
        let cuts = Cuts::new(n);
        let survey = Survey::new(exec, query, from, &cuts)?;
        let mut sorting = Sorting::new(scratch, &cuts)?;
        let (count, expected) = if cell_sizes.is_empty() {
            let classes = default_cell_sizes::classes(exec, &cuts, survey.largest, from, sorting.ends);
            let (most, mut few) = (self.level.len(), [0.0; default_cell_sizes::FEWEST]);
            // Keys are not yet in use.
            let keys = <[f64]>::mut_from_bytes(sorting.keys.as_mut_bytes()).unwrap_or_default();
            let distances = keys.get_mut(..default_cell_sizes::pairs(n)).unwrap_or(&mut few);
            let chosen = default_cell_sizes::choose(query, &survey, from, (most, &classes), distances);
            (self.set_levels(query, &survey, chosen.sizes())?, chosen.expected)
        } else {
            (self.set_levels(query, &survey, check_sizes(cell_sizes)?)?, 0.0)
        };
        let mut built = Built {
            keys: Keys::new(&self.level[..count]),
            periods: query.space.periods,
            margin: query.margin,
            bodies: n as u32,
            levels: count as u32,
            axes: query.space.axes() as u32,
            imaged: 0,
            expected,
        };
        while !self.sort(exec, query, from, &mut built, &cuts, &mut sorting) {
            built.keys.next_seed();
        }
        let keys = &self.keys[..n];
        for (number, level) in self.level[..count].iter_mut().enumerate() {
            level.first = keys.partition_point(|key| built.keys.level(*key) < number) as u64;
            level.end = keys.partition_point(|key| built.keys.level(*key) <= number) as u64;
        }
        for rows in [&mut *self.x, &mut *self.y, &mut *self.z, &mut *self.r] {
            rows[n..n + PAD as usize].fill(0.0);
        }
        self.built[0] = built;
        Ok(())
    }

    /// Sets up a level for each cell size. Gives their number.
    fn set_levels(&mut self, query: &Query<'_>, survey: &Survey, cell_sizes: &[f64]) -> Result<usize> {
        let count = cell_sizes.len();
        if count > self.level.len() {
            return Err(Error::capacity(What::CellSizes, count as u64, self.level.len() as u64));
        }
        let largest = query.diameter(survey.largest);
        for (level, size) in self.level.iter_mut().zip(cell_sizes) {
            *level = Level::new(*size, largest, &query.space, survey);
        }
        if let Some(last) = self.level.get_mut(count - 1).filter(|last| last.size < largest) {
            *last = Level::new(largest, largest, &query.space, survey);
        }
        Ok(count)
    }

    /// Sorts all bodies by key and writes their coordinates. False where the hash gives two pages the same key.
    fn sort(
        &mut self,
        exec: &dyn Executor,
        query: &Query<'_>,
        from: impl Source,
        built: &mut Built,
        cuts: &Cuts,
        sorting: &mut Sorting<'_>,
    ) -> bool {
        let n = query.bodies.len();
        let filling = Filling { query, from, levels: &self.level[..built.levels as usize], keys: built.keys };
        let rest = sort::rest(cuts, built.keys.total());
        let mut imaged = [false; Cuts::CHUNKS];
        let parts = (cuts.cut(&mut self.keys[..n]), sorting.chunks(cuts), CutMut(&mut imaged[..cuts.chunks], 1));
        each(exec, parts, |c, (keys, (to_keys, to_ids, ends), imaged)| {
            let bodies = cuts.bodies(c);
            let first = bodies.start as u32;
            imaged[0] = filling.write_keys(bodies, keys);
            sort::chunk(rest, first, keys, to_keys, to_ids, ends);
        });
        built.imaged = u32::from(imaged.contains(&true));

        let buckets = Buckets { cuts: *cuts, rest, keys: sorting.keys, ids: sorting.ids, ends: sorting.ends };
        let ends = buckets.group_ends();
        let ends = &ends[..cuts.groups];
        let rows = [&mut *self.x, &mut *self.y, &mut *self.z, &mut *self.r].map(|row| pieces(row, ends));
        let sorted = (pieces(&mut self.keys[..n], ends), pieces(&mut self.ids[..n], ends));
        let spare = (pieces(&mut sorting.spare_keys[..], ends), pieces(&mut sorting.spare_ids[..], ends));
        let mut apart = [false; Cuts::GROUPS];
        let parts = (sorted, spare, rows, CutMut(&mut apart[..cuts.groups], 1));
        each(exec, parts, |group, ((keys, ids), (spare_keys, spare_ids), rows, apart)| {
            buckets.collect(group, keys, ids, spare_keys, spare_ids);
            apart[0] = filling.place(keys, ids, rows);
        });
        apart[..cuts.groups].iter().all(|apart| *apart)
    }
}

/// Prefetch distance in bodies: the bodies of a cell may lie anywhere in the host's memory.
const AHEAD: usize = 32;

/// Computes keys and coordinates of bodies.
#[derive(Clone, Copy)]
struct Filling<'q, F> {
    query: &'q Query<'q>,
    from: F,
    levels: &'q [Level],
    keys: Keys,
}

impl<F: Source> Filling<'_, F> {
    /// Writes the keys of bodies. True where a body lies outside the first period.
    fn write_keys(&self, bodies: Range<usize>, keys: &mut [u64]) -> bool {
        if self.keys_are_cells() {
            self.write_cell_keys(bodies, keys);
            return false;
        }
        let (axes, mut imaged) = (self.query.space.axes(), 0);
        for (i, key) in bodies.zip(keys) {
            let sphere = self.from.sphere(i);
            let number = level_of(self.levels, self.query.diameter(sphere.radius));
            let level = &self.levels[number];
            let cell = level.cell(number, &sphere.centre, axes);
            imaged |= cell.image[0] | cell.image[1] | cell.image[2];
            *key = self.keys.cell(level, &cell);
        }
        imaged != 0
    }

    /// Whether a key is made of its cell's coordinates and no axis is periodic, so that the key gives the cell.
    fn keys_are_cells(&self) -> bool {
        !self.keys.hashed() && self.query.space.is_open()
    }

    /// Writes keys that are made of coordinates, without periodic wrapping.
    fn write_cell_keys(&self, bodies: Range<usize>, keys: &mut [u64]) {
        let axes = self.query.space.axes();
        for (i, key) in bodies.zip(keys) {
            let sphere = self.from.sphere(i);
            let number = level_of(self.levels, self.query.diameter(sphere.radius));
            let level = &self.levels[number];
            let at = [0, 1, 2].map(|k| if k < axes { level.index_inside(sphere.centre[k], k) } else { 0 });
            *key = self.keys.coordinate(number, level, at);
        }
    }

    /// Writes coordinates relative to pages and cells. False where the hash gives two pages the same key.
    fn place(&self, keys: &[u64], ids: &[u32], rows: [&mut [f32]; 4]) -> bool {
        if self.keys_are_cells() {
            self.place_by_keys(keys, ids, rows);
            return true;
        }
        self.place_by_positions(keys, ids, rows)
    }

    /// Prefetches the body [`AHEAD`] places behind place `i`.
    #[inline(always)]
    fn fetch_later(&self, ids: &[u32], i: usize) {
        if let Some(later) = ids.get(i + AHEAD) {
            self.from.prefetch(*later as usize);
        }
    }

    /// The origin of a page follows from its key.
    fn place_by_keys(&self, keys: &[u64], ids: &[u32], [x, y, z, r]: [&mut [f32]; 4]) {
        let flat = self.query.space.axes() < 3;
        let mut page = None;
        let (mut origin, mut scale) = ([0.0; 3], 1.0);
        let rows = x.iter_mut().zip(y).zip(z.iter_mut().zip(r));
        for (i, ((key, id), ((x, y), (z, r)))) in keys.iter().zip(ids).zip(rows).enumerate() {
            self.fetch_later(ids, i);
            let sphere = self.from.sphere(*id as usize);
            if page != Some(key >> PAGE) {
                page = Some(key >> PAGE);
                let level = &self.levels[min(self.keys.level(*key), self.levels.len() - 1)];
                let cell = self.keys.coordinates(level, key & !(PAGE_CELLS as u64 - 1));
                origin = [0, 1, 2].map(|k| cell[k] as f64 * level.edges[k]);
                scale = level.scale;
            }
            let relative = [0, 1, 2].map(|k| ((sphere.centre[k] - origin[k]) * scale) as f32);
            (*x, *y, *z) = (relative[0], relative[1], if flat { 0.0 } else { relative[2] });
            *r = (sphere.radius * scale) as f32;
        }
    }

    /// The page of a body follows from its position, which also gives its periodic image and reveals equal hashes of
    /// different pages.
    fn place_by_positions(&self, keys: &[u64], ids: &[u32], [x, y, z, r]: [&mut [f32]; 4]) -> bool {
        let axes = self.query.space.axes();
        let mut last = (u64::MAX, [i64::MIN; 3]);
        for (i, (key, id)) in keys.iter().zip(ids).enumerate() {
            self.fetch_later(ids, i);
            let sphere = self.from.sphere(*id as usize);
            let level = &self.levels[min(self.keys.level(*key), self.levels.len() - 1)];
            let cell = [0, 1, 2].map(|k| if k < axes { level.index(sphere.centre[k], k) } else { 0 });
            let place = (*key & (PAGE_CELLS as u64 - 1)) as i64;
            let page = [cell[0] - place, cell[1], cell[2]];
            if self.keys.hashed() {
                let at = [0, 1, 2].map(|k| wrap(page[k], level.cells[k]).1);
                if key >> PAGE == last.0 && at != last.1 {
                    return false;
                }
                last = (key >> PAGE, at);
            }
            let relative = |k: usize| match k < axes {
                true => ((sphere.centre[k] - page[k] as f64 * level.edges[k]) * level.scale) as f32,
                false => 0.0,
            };
            (x[i], y[i], z[i]) = (relative(0), relative(1), relative(2));
            r[i] = (sphere.radius * level.scale) as f32;
        }
        true
    }
}

/// Checks that cell sizes increase. Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] with the index of the first
/// wrong cell size.
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
