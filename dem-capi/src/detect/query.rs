//! Converts a query of the host to the arrays, shapes and settings of the core.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use dem_core::array::Words;
use dem_core::contact::Room;
use dem_core::contact::regions::{Grouping, Mode};
use dem_core::contact::shape::Shape;
use dem_core::detect::{Bodies, Settings};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::Executor;
use dem_core::memory::Layout;

use super::{DEM_GROUPING_BODIES, DEM_GROUPING_PATCHES, DEM_GROUPING_REGIONS, dem_scene_query};
use crate::arrays::dem_array;
use crate::bodies::{Census, Names, Opener, room as room_for};
use crate::inputs;
use crate::layouts::Fixed;
use crate::memory::{self as blocks, Stretch};
use crate::placed::dem_placed;
use crate::records::{self, List};
use crate::search::first_room;
use crate::strided;
use crate::tasks::Host;

/// The arguments that errors about the shapes of a scene name.
pub(crate) const OF_SCENE: Names = Names { body: What::Shapes, mesh: What::Shapes, cells: What::Cells };

/// Errors: [`Kind::OutOfRange`] for a number that is not one of `DEM_GROUPING_*`; those of [`Grouping::check`].
fn grouping(given: usize, angle: f64) -> Result<Grouping> {
    let mode = match u32::try_from(given) {
        Ok(DEM_GROUPING_REGIONS) => Mode::Regions,
        Ok(DEM_GROUPING_PATCHES) => Mode::Patches,
        Ok(DEM_GROUPING_BODIES) => Mode::Bodies,
        _ => return Err(Error::new(Kind::OutOfRange, What::Grouping).amounts(2, given as u64)),
    };
    let grouping = Grouping { mode, angle };
    grouping.check()?;
    Ok(grouping)
}

/// A query of the host.
#[derive(Clone, Copy)]
pub(crate) struct Query {
    pub(crate) raw: dem_scene_query,
    /// Bodies of a world whose vertices move by themselves (a `SurfaceList`); scenes have none.
    pub(crate) surfaces: List,
    /// Whether the host gives more memory on request (`resize` of `dem_block`).
    pub(crate) grows: bool,
}

impl Query {
    /// # Safety
    /// A pointer that is not null points at a query, whose arrays and tables can be read while the result is used.
    pub(crate) unsafe fn read(query: *const dem_scene_query) -> Result<Query> {
        if query.is_null() {
            return Err(Error::new(Kind::Null, What::Query));
        }
        // SAFETY: by this function's contract.
        let mut raw = unsafe { inputs::read(query, What::Query) }?;
        grouping(raw.grouping, raw.angle)?;
        inputs::zero(raw.tasks.reserved as u64, What::Executor)?;
        if raw.shapes.is_null() && raw.shape_count > 0 {
            return Err(Error::new(Kind::Null, What::Shapes));
        }
        const SIZE: usize = dem_placed::FIRST;
        raw.shape_stride = if raw.shape_stride == 0 { SIZE } else { raw.shape_stride };
        if raw.shape_stride < SIZE {
            return Err(Error::new(Kind::BadSize, What::Shapes)
                .at(0, inputs::SHAPE_STRIDE)
                .amounts(SIZE as u64, raw.shape_stride as u64));
        }
        let bytes = raw.shape_count.checked_mul(raw.shape_stride).filter(|n| *n <= isize::MAX as usize);
        let most = (isize::MAX as usize / raw.shape_stride) as u64;
        bytes.ok_or(Error::new(Kind::TooLarge, What::Shapes).amounts(most, raw.shape_count as u64))?;
        Ok(Query { raw, surfaces: List::EMPTY, grows: false })
    }

    pub(crate) fn has_ids(&self) -> bool {
        !(self.raw.ids.data.is_null() && self.raw.ids.count == 0)
    }

    pub(crate) fn threads(&self) -> usize {
        // SAFETY: only the number of threads is read; no callback is called.
        unsafe { Host::new(self.raw.tasks) }.width()
    }

    /// Shape `i`, below `shape_count`.
    pub(crate) fn shape(&self, i: usize) -> dem_placed {
        let at = self.raw.shapes.cast::<u8>().wrapping_add(i * self.raw.shape_stride);
        // SAFETY: the host guarantees the table, at any alignment; every bit pattern is valid.
        unsafe { records::read(at, self.raw.shape_stride) }
    }

    /// Checks and counts all shapes. Gives the census, and the layout of the list of open shapes.
    ///
    /// # Safety
    /// As for [`Query::read`].
    pub(crate) unsafe fn census<'w>(&self, written: &'w [(Stretch, What)]) -> Result<(Census<'w>, Layout)> {
        let mut census = Census::list(written);
        for i in 0..self.raw.shape_count {
            // SAFETY: by this function's contract.
            unsafe { census.add(&self.shape(i), &OF_SCENE) }.map_err(|e| Error { index: i as u64, ..e })?;
        }
        Ok((census, room_for::<Shape<'_>>(self.raw.shape_count)?))
    }

    /// Opens all shapes into `list`.
    ///
    /// # Safety
    /// As for [`Query::read`].
    pub(crate) unsafe fn open<'a>(
        &self,
        list: &'a mut [MaybeUninit<Shape<'a>>],
        opener: &mut Opener<'a>,
    ) -> Result<&'a [Shape<'a>]> {
        let list = list.get_mut(..self.raw.shape_count).ok_or(Error::new(Kind::Capacity, What::Scratch))?;
        for (i, to) in list.iter_mut().enumerate() {
            // SAFETY: by this function's contract.
            let shape = unsafe { opener.open(&self.shape(i), &OF_SCENE) };
            to.write(shape.map_err(|e| Error { index: i as u64, ..e })?);
        }
        // SAFETY: each item was written.
        Ok(unsafe { &*(&raw const *list as *const [Shape<'a>]) })
    }

    pub(crate) fn settings(&self) -> Result<Settings> {
        // More pairs would not fit in memory.
        let most = isize::MAX as u64 / 64;
        if self.raw.pairs as u64 > most {
            return Err(Error::new(Kind::TooLarge, What::Pairs).amounts(most, self.raw.pairs as u64));
        }
        let room = Room::for_pairs(first_room(self.raw.pairs))?;
        let pair_contacts = if self.raw.pair_contacts == 0 { 64 } else { self.raw.pair_contacts };
        let pair_contacts = u32::try_from(pair_contacts).map_err(|_| {
            Error::new(Kind::TooLarge, What::PairContacts).amounts(u32::MAX.into(), pair_contacts as u64)
        })?;
        let dem_scene_query { periods, bound, skin, margin, .. } = self.raw;
        let grouping = grouping(self.raw.grouping, self.raw.angle)?;
        let energy = inputs::yes(self.raw.energies, What::Query, inputs::ENERGIES)?;
        let spread = inputs::yes(self.raw.spreads, What::Query, inputs::SPREADS)?;
        let grows = self.grows;
        Ok(Settings { periods, bound, skin, margin, energy, spread, room, pair_contacts, grouping, grows })
    }

    /// The host's arrays.
    ///
    /// # Safety
    /// As for [`Query::read`], and nothing writes to them during `'a`.
    pub(crate) unsafe fn bodies<'a>(&self, shapes: &'a [Shape<'a>]) -> Result<Bodies<'a>> {
        let q = &self.raw;
        // SAFETY: by this function's contract.
        unsafe {
            let positions = strided::numbers(&q.positions, 3, What::Positions)?;
            let some = |a: &dem_array, components, what| match a.data.is_null() && a.count == 0 {
                true => Ok(None),
                false => strided::numbers(a, components, what).map(Some),
            };
            let words = |a: &dem_array, what| match a.data.is_null() && a.count == 0 {
                true => Ok(None),
                false => strided::words::<u32>(a, what).map(Some),
            };
            let ids = |a: &dem_array| match a.data.is_null() && a.count == 0 {
                true => Ok(None),
                false => strided::words::<u64>(a, What::Ids).map(Some),
            };
            let same = Words::same(0, positions.len());
            Ok(Bodies {
                orientations: some(&q.orientations, 4, What::Orientations)?,
                scales: some(&q.scales, 1, What::Scales)?,
                halos: some(&q.halos, 1, What::Halos)?,
                motions: words(&q.motions, What::Motions)?,
                groups: words(&q.groups, What::Groups)?,
                masks: words(&q.masks, What::Masks)?,
                ids: ids(&q.ids)?,
                ..Bodies::new(shapes, words(&q.shape_of, What::ShapeNumbers)?.unwrap_or(same), positions)
            })
        }
    }

    /// Errors: [`Kind::Overlap`] if memory that the call writes shares a byte with the host's arrays.
    pub(crate) fn apart_from(&self, written: &[(Stretch, What)]) -> Result<()> {
        let q = &self.raw;
        let table = (q.shapes.cast::<c_void>(), q.shape_count * q.shape_stride);
        let mut read = [(table, What::Shapes); 10];
        let arrays = [
            (&q.positions, 3, What::Positions),
            (&q.orientations, 4, What::Orientations),
            (&q.scales, 1, What::Scales),
            (&q.halos, 1, What::Halos),
            (&q.shape_of, 1, What::ShapeNumbers),
            (&q.motions, 1, What::Motions),
            (&q.groups, 1, What::Groups),
            (&q.masks, 1, What::Masks),
            (&q.ids, 1, What::Ids),
        ];
        for (to, (array, components, what)) in read.iter_mut().skip(1).zip(arrays) {
            *to = ((array.data, strided::span_of_any(array, components, what)?), what);
        }
        read.iter().try_for_each(|(read, _)| {
            written.iter().try_for_each(|(memory, what)| blocks::apart(*memory, *read, *what))
        })
    }
}
