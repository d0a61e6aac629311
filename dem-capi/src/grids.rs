//! Pairs of spheres.
//!
//! A hierarchical grid finds all pairs of spheres of any sizes, anywhere, in a time that is proportional to their number. It has cells of
//! several sizes, which it chooses by itself. It lives in a block of the program, which contains only numbers that can be computed anew.
//!
//! At the start: dem_grid_layout, dem_grid_init. In every step: dem_grid_pairs, with scratch.
//! If few bodies change from step to step, the call may name them. Its time is then proportional to their number and to the pairs.

use core::ffi::c_void;

use dem_core::broad::{Direction, LiveGrid, LiveGridRef, LiveGridSizes, live_grid_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{self as core_memory};

use crate::detect::dem_grid_report;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::fixed;
use crate::memory::{self as blocks, DEM_ALIGN, Held, Scratch};
use crate::near::{Near, dem_near_query, fill};
use crate::records::{Records, shared, tell};
use crate::scenes::NO_MARKS;
use crate::scenes::dem_near_pair;

/// A grid: the address of its block.
pub struct dem_grid {
    _block: [u8; 0],
}

/// The room of a grid's block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_grid_desc {
    /// `sizeof(dem_grid_desc)`.
    pub struct_size: u32,
    /// The most bodies; below 2^31.
    pub bodies: u32,
    /// Cell sizes, 1 to 64; 8 by default, which is good for most size ratios.
    pub levels: u32,
    /// The most bodies that have left their cells, or joined, since all bodies were put into cells; 0: a 32nd of the bodies, and some. If
    /// there are more, all are put into cells anew.
    pub loose: u32,
}

fixed!(dem_grid_desc { struct_size: u32, bodies: u32, levels: u32, loose: u32 });

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_grid_desc {
    const DEFAULT: Self =
        dem_grid_desc { struct_size: size_of::<dem_grid_desc>() as u32, bodies: 0, levels: 8, loose: 0 };
}

/// How much memory a grid needs.
///
/// Outputs (each may be null): `size`: bytes of the block, some 32 for each body; `align`: `DEM_ALIGN`.
/// Inputs: `desc`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_grid_layout(
    size: *mut usize,
    align: *mut usize,
    desc: *const dem_grid_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let layout = LiveGrid::layout(&sizes(desc)?)?;
            edge::write_optional(size, blocks::whole(layout.size, What::Block)?);
            edge::write_optional(align, DEM_ALIGN);
        }
        Ok(())
    })
}

/// Makes an empty grid.
///
/// Outputs: `grid`: the grid, whose address is `memory`.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_grid_layout` tells. `desc`.
/// Memory: the block belongs to the caller, who may copy and discard it at any time. It does not contain the bodies.
/// Errors: those of `dem_grid_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
/// Cost: the memory is filled with zeros.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_grid_init(
    memory: *mut c_void,
    size: usize,
    grid: *mut *mut dem_grid,
    desc: *const dem_grid_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if grid.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let sizes = sizes(desc)?;
            blocks::create(memory, size, LiveGrid::layout(&sizes)?.size, Held::Grid, |content| {
                LiveGrid::init(content, &sizes)?;
                Ok(((), NO_MARKS))
            })?;
            edge::write(grid, memory.cast(), What::Handle)
        }
    })
}

/// Finds all pairs of spheres that are near, each once.
///
/// If `changed` is null, the function puts all bodies into cells, whatever the grid held before. Otherwise it moves only the bodies that
/// `changed` names; the list may be empty.
/// Bodies join and leave at the end of the arrays. If there are more than in the last call, the last ones have joined; if there are fewer,
/// the last ones have left. To remove another body, move the last one to its index and name that index in `changed`. If the grid has no
/// room for the changes, or was made for another margin or other periods, all bodies are put into cells anew.
///
/// Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
/// `sizeof(dem_near_pair)`). The function writes min(`stride`, `sizeof(dem_near_pair)`) bytes of each. `count` (may be null): how many
/// there are, even if they are more than `capacity`; 0 if the number is not known.
/// Inputs: `grid`. `query`. `changed` (may be null), `changed_count`: indices of the bodies whose centre or radius has changed since the
/// last call, in any order, possibly more than once; aligned as `uint32_t`. If a changed body is not named, answers are wrong. `scratch`,
/// `scratch_size`: at any alignment.
/// Memory: records, scratch and grid must not overlap each other nor the arrays.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the
/// grid; `DEM_ERROR_MISMATCH`: arrays of different lengths; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: about an array with body and
/// component, `margin` or `periods`; `DEM_ERROR_BAD_INDEX` about `bodies`: an item of `changed`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_CAPACITY`
/// with the exact number about `grid`: bodies, `output`: pairs, `scratch`. After an error about `output`, the same call with enough room finds all
/// pairs.
/// Cost: some 100 nanoseconds for a sphere; with `changed` some 300 for each of these, and some 30 for each other sphere.
/// Threads: any; nobody may use the grid during the call.
/// Determinism: the same pairs on every machine, with every instruction set and number of threads, in the same order. The order depends on
/// the query, and with `changed` also on earlier calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_grid_pairs(
    grid: *mut dem_grid,
    pairs: *mut dem_near_pair,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_near_query,
    changed: *const u32,
    changed_count: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = || unsafe {
            let query = Near::read(query)?;
            let records = Records::<dem_near_pair>::new(pairs, capacity, stride)?;
            let scratch = Scratch::new(scratch, scratch_size);
            let block = blocks::stretch(grid.cast(), Held::Grid, What::Grid)?;
            scratch.apart_from(records.bytes())?;
            scratch.apart_from(block)?;
            blocks::apart(records.bytes(), block, What::Output)?;
            let written = [(scratch.bytes(), What::Scratch), (records.bytes(), What::Output), (block, What::Grid)];
            query.apart_from(&written)?;
            let named = shared(changed, changed_count, What::Bodies)?;
            let read = (named.as_ptr().cast(), size_of_val(named));
            written.iter().try_for_each(|(memory, what)| blocks::apart(*memory, read, *what))?;
            let (isa, host, query) = (query.isa()?, query.host(), query.query()?);
            blocks::exclusive(grid.cast(), Held::Grid, What::Grid, |content| {
                let mut grid = LiveGrid::open(content)?;
                let needs = live_grid_scratch(grid.sizes.bodies, grid.sizes.loose)?;
                let found = fill(&records, scratch, needs, |out, scratch| {
                    if changed.is_null() || !follow(&mut grid, &query, named)? {
                        grid.rebuild(&host, &query, &[], scratch)?;
                    }
                    grid.pairs(&host, isa, &query, Direction::default(), out, scratch)
                })?;
                Ok((found, NO_MARKS))
            })
        };
        // SAFETY: likewise.
        unsafe { tell(count, found(), What::Output) }
    })
}

/// Tells what a grid has chosen: cell sizes, bodies on each level, and how many pairs of bodies in neighbouring cells it expected and tested.
///
/// Outputs: `report`: of the last call of `dem_grid_pairs`. `tested` does not count pairs of a body that has left its cell since all bodies
/// were put into cells.
/// Inputs: `grid`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
/// Cost: that of copying it.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_grid_describe(
    report: *mut dem_grid_report,
    grid: *const dem_grid,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let found = blocks::shared(grid.cast(), Held::Grid, What::Grid, |content, _| {
                Ok(dem_grid_report::of(&LiveGridRef::peek(content)?.report()))
            })?;
            edge::write(report, found, What::Output)
        }
    })
}

/// Updates the grid by the list of changes. Gives false if all bodies must be put into cells anew.
fn follow(grid: &mut LiveGrid<'_>, query: &dem_core::broad::Query<'_>, changed: &[u32]) -> Result<bool> {
    match grid.update(query, changed) {
        Ok(updated) => Ok(!updated.full),
        Err(e) if (e.kind, e.what) == (Kind::Mismatch, What::Grid) => Ok(false),
        Err(e) => Err(e),
    }
}

/// # Safety
/// A pointer that is not null points at a description.
unsafe fn sizes(desc: *const dem_grid_desc) -> Result<LiveGridSizes> {
    if desc.is_null() {
        return Err(Error::new(Kind::Null, What::Description));
    }
    // SAFETY: by this function's contract.
    let dem_grid_desc { bodies, levels, loose, .. } = unsafe { inputs::read(desc, What::Description) }?;
    let sizes = LiveGridSizes { bodies, levels, loose: if loose > 0 { loose } else { bodies / 32 + 64 } };
    core_memory::Sizes::check(&sizes)?;
    Ok(sizes)
}

#[cfg(test)]
mod tests;
