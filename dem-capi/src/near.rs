//! Bodies as spheres.
//!
//! A program with laws of its own (balls in a flow, grains of a discrete-element code, agents) may need only neighbours: all pairs of
//! spheres no farther apart than a margin, each once. In every step: dem_grid_pairs. Or call it every few steps with a larger margin, and
//! dem_near_moved and dem_near_refresh in between. A body that is much larger than the rest (ground, walls, vessels) is a box:
//! dem_box_pairs.
//!
//! Two spheres a and b are a pair if `|x_b + shift * period - x_a| <= r_a + r_b + margin` and a < b. If a == b, a body meets its own image:
//! it is a pair if the first component of the shift that is not 0 is positive. Body i is item i of every array; an array whose `data` is
//! null means the default value for every body.

mod query;
mod structs;

use core::ffi::c_void;

use dem_core::broad::{Candidate, Moved, moved, refresh, skin_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Layout;

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::memory::{self as blocks, Scratch};
use crate::records::{Records, shared, tell};
use crate::scenes::dem_near_pair;
pub(crate) use query::{Near, WithRecords, apart_from, fill, some_words, with_records};
pub use structs::*;

/// How much scratch `dem_near_moved` and `dem_near_refresh` need.
///
/// Outputs: `scratch_size`: bytes, one for some hundred bodies and pairs.
/// Inputs: `bodies`, `pairs`: number of bodies, and of pairs in the list. `capacity`, `stride`: of the records that are written; 0 and 0
/// for `dem_near_moved`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_near_scratch(
    scratch_size: *mut usize,
    bodies: usize,
    pairs: usize,
    capacity: usize,
    stride: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let records = Records::<dem_near_pair>::nowhere(capacity, stride)?;
        let needs = with_records(of_lists(bodies, pairs)?, &records)?;
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe { edge::write(scratch_size, blocks::scratch_size(needs)?, What::Scratch) }
    })
}

/// Tells how far bodies have moved since a list of pairs was made, and so whether the list still contains all pairs of the current query.
///
/// Along periodic axes, a program may wrap bodies by any number of periods.
///
/// Outputs: `moved`: the function writes `moved_size` bytes, at most `sizeof(dem_near_motion)`.
/// Inputs: `then`: the query of the list. `now`: the current positions, with a margin that is not larger, the same periods, and filters
/// that admit no additional pairs. `scratch`, `scratch_size`: at least the size of `dem_near_scratch`, at any alignment.
/// Memory: scratch must not overlap the arrays.
/// Errors: those of `dem_grid_pairs` about a query; `DEM_ERROR_MISMATCH`: other numbers of bodies or periods; `DEM_ERROR_OUT_OF_RANGE`
/// about `margin`: that of `now` is larger; `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
/// Cost: some nanoseconds a body.
/// Determinism: the same bits on every machine and any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_near_moved(
    moved: *mut dem_near_motion,
    moved_size: usize,
    then: *const dem_near_query,
    now: *const dem_near_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let (then, now) = (Near::read(then)?, Near::read(now)?);
            let scratch = Scratch::new(scratch, scratch_size);
            let written = [(scratch.bytes(), What::Scratch)];
            then.apart_from(&written)?;
            now.apart_from(&written)?;
            let (then, host, now) = (then.query()?, now.host(), now.query()?);
            let scratch = scratch.take(of_lists(now.bodies.len(), 0)?)?;
            let Moved { sum, farthest, skin } = self::moved(&host, &then, &now, scratch)?;
            inputs::write_record(moved, moved_size, &dem_near_motion { sum, farthest, skin }, What::Output)
        }
    })
}

/// Finds the pairs of a list that are still near, in the order of the list. While the list is valid (`dem_near_moved`), these are exactly the
/// pairs of `now`.
///
/// Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
/// `sizeof(dem_near_pair)`). The function writes min(`stride`, `sizeof(dem_near_pair)`) bytes of each. `count` (may be null): how many
/// there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `list`, `list_count`: all pairs of `then`, one `sizeof(dem_near_pair)` after the other, aligned as `uint32_t`. `then`, `now`: as
/// in the call of `dem_near_moved`. `scratch`, `scratch_size`: at least the size of `dem_near_scratch`.
/// Memory: records and scratch must not overlap each other, the list and the arrays.
/// Errors: those of `dem_near_moved`, but bodies are not checked one by one; `DEM_ERROR_BAD_INDEX` about `pairs`: the first record that
/// names a body that does not exist; `DEM_ERROR_CAPACITY`: more pairs than `capacity`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`.
/// Cost: some ten nanoseconds a pair.
/// Determinism: the same bits on every machine and any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_near_refresh(
    pairs: *mut dem_near_pair,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    list: *const dem_near_pair,
    list_count: usize,
    then: *const dem_near_query,
    now: *const dem_near_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = || unsafe {
            let (then, now) = (Near::read(then)?, Near::read(now)?);
            let records = Records::<dem_near_pair>::new(pairs, capacity, stride)?;
            let scratch = Scratch::new(scratch, scratch_size);
            scratch.apart_from(records.bytes())?;
            let written = [(scratch.bytes(), What::Scratch), (records.bytes(), What::Output)];
            then.apart_from(&written)?;
            now.apart_from(&written)?;
            let list = shared(list.cast::<Candidate>(), list_count, What::Pairs)?;
            written
                .iter()
                .try_for_each(|(to, what)| blocks::apart(*to, (list.as_ptr().cast(), size_of_val(list)), *what))?;
            let (then, host, now) = (then.query()?, now.host(), now.query()?);
            let needs = of_lists(now.bodies.len(), list.len())?;
            fill(&records, scratch, needs, |out, scratch| refresh(&host, list, &then, &now, out, scratch))
        };
        // SAFETY: likewise.
        unsafe { tell(count, found(), What::Output) }
    })
}

fn of_lists(bodies: usize, pairs: usize) -> Result<Layout> {
    skin_scratch(u32::try_from(bodies).map_err(|_| Error::new(Kind::TooLarge, What::Centres))?, pairs)
}

#[cfg(test)]
pub(crate) mod tests;
