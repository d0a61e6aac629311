//! Converts queries about spheres to those of the core, and writes the records that they find.

use dem_core::array::Words;
use dem_core::broad::{Dimensions, Proxies, Query, Space};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Layout, sections};
use dem_core::simd::Isa;

use super::dem_near_query;
use crate::arrays::dem_array;
use crate::inputs;
use crate::memory::{self as blocks, Scratch, Stretch};
use crate::records::{Mirror, Records};
use crate::strided;
use crate::tasks::Host;

sections! {
    /// Scratch of the core, and after it room for records, if those of the host are not packed.
    pub(crate) struct WithRecords<'s, T>(needs: Layout, records: u64) {
        own: { needs },
        elsewhere: [T; records],
    }
}

/// The layout of scratch with room for these records.
pub(crate) fn with_records<R: Mirror>(needs: Layout, records: &Records<R>) -> Result<Layout> {
    WithRecords::<R::Core>::layout(needs, records.elsewhere())
}

/// Runs `search` with the scratch that it needs, and writes its records to the memory of the host.
///
/// # Safety
/// The memory of records and scratch has the sizes that the host passed. Both do not overlap, and nothing else uses them.
pub(crate) unsafe fn fill<R: Mirror>(
    records: &Records<R>,
    scratch: Scratch,
    needs: Layout,
    search: impl FnOnce(&mut [R::Core], &mut [u8]) -> Result<usize>,
) -> Result<usize> {
    let layout = with_records(needs, records)?;
    // SAFETY: by this function's contract.
    unsafe {
        let WithRecords { own, elsewhere } = WithRecords::new(scratch.take(layout)?, needs, records.elsewhere())?;
        records.fill(elsewhere, |out| search(out, own))
    }
}

/// An array of integers of the host that may be without data.
///
/// # Safety
/// As for [`strided::words`].
pub(crate) unsafe fn some_words<'a>(a: &dem_array, what: What) -> Result<Option<Words<'a>>> {
    // SAFETY: by this function's contract.
    if a.data.is_null() && a.count == 0 { Ok(None) } else { unsafe { strided::words(a, what) }.map(Some) }
}

/// Errors: [`Kind::Overlap`] if memory that the call writes shares a byte with one of these arrays, each with its number of components.
pub(crate) fn apart_from(arrays: &[(&dem_array, usize, What)], written: &[(Stretch, What)]) -> Result<()> {
    arrays.iter().try_for_each(|(array, components, what)| {
        let read = (array.data, strided::span_of_any(array, *components, *what)?);
        written.iter().try_for_each(|(memory, what)| blocks::apart(*memory, read, *what))
    })
}

/// A `dem_near_query` of the host.
pub(crate) struct Near {
    raw: dem_near_query,
}

impl Near {
    /// # Safety
    /// A pointer that is not null points at a query, whose arrays can be read while the result is used.
    pub(crate) unsafe fn read(query: *const dem_near_query) -> Result<Near> {
        if query.is_null() {
            return Err(Error::new(Kind::Null, What::Query));
        }
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(query, What::Query) }?;
        inputs::zero(raw.reserved as u64, What::Query)?;
        inputs::zero(raw.tasks.reserved as u64, What::Executor)?;
        if !matches!(raw.dimensions, 2 | 3) {
            return Err(Error::new(Kind::OutOfRange, What::Dimensions));
        }
        Isa::numbered(raw.isa)?;
        Ok(Near { raw })
    }

    pub(crate) fn isa(&self) -> Result<Isa> {
        Isa::numbered(self.raw.isa)
    }

    /// The program's threads.
    ///
    /// # Safety
    /// The host guarantees its threads while the result is used.
    pub(crate) unsafe fn host(&self) -> Host {
        // SAFETY: by this function's contract.
        unsafe { Host::new(self.raw.tasks) }
    }

    pub(crate) fn apart_from(&self, written: &[(Stretch, What)]) -> Result<()> {
        let q = &self.raw;
        let arrays = [
            (&q.centres, 3, What::Centres),
            (&q.radii, 1, What::Radii),
            (&q.motions, 1, What::Motions),
            (&q.groups, 1, What::Groups),
            (&q.masks, 1, What::Masks),
        ];
        apart_from(&arrays, written)
    }

    /// The query of the core.
    ///
    /// # Safety
    /// As for [`Near::read`], and nothing writes to the arrays during `'a`.
    pub(crate) unsafe fn query<'a>(&self) -> Result<Query<'a>> {
        let q = &self.raw;
        // SAFETY: by this function's contract.
        let bodies = unsafe {
            Proxies {
                centres: strided::numbers(&q.centres, 3, What::Centres)?,
                radii: strided::numbers(&q.radii, 1, What::Radii)?,
                motions: some_words(&q.motions, What::Motions)?,
                groups: some_words(&q.groups, What::Groups)?,
                masks: some_words(&q.masks, What::Masks)?,
            }
        };
        let dimensions = if q.dimensions == 2 { Dimensions::Two } else { Dimensions::Three };
        Ok(Query { bodies, space: Space::new(dimensions, q.periods), margin: q.margin })
    }
}
