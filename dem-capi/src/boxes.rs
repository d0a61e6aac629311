//! Spheres near boxes.
//!
//! Ground, walls and vessels would be in all cells of a grid. So they are axis-aligned boxes, from few to many thousands, with sides that
//! may be infinite. A sphere and a box are a pair if the sphere, enlarged by the margin, touches or overlaps the box.

use core::ffi::c_void;

use dem_core::broad::{BoxCandidate, BoxTree, BoxTreeSizes, Boxes, box_tree_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Layout, sections};

use crate::arrays::{NO_ARRAY, NO_WORDS, dem_array};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::fixed;
use crate::memory::Scratch;
use crate::near::{Near, apart_from, dem_near_query, fill, some_words};
use crate::records::{Records, mirrored, tell};
use crate::strided;

/// Axis-aligned boxes, and their filters. Box i is item i of every array.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_near_boxes {
    /// `sizeof(dem_near_boxes)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Smallest coordinates, three each; minus infinity if a box has no end. Their count is the number of boxes.
    pub lows: dem_array,
    /// Largest coordinates, at least the smallest ones; infinity if a box has no end.
    pub highs: dem_array,
    /// As for bodies.
    pub motions: dem_array,
    /// As for bodies.
    pub groups: dem_array,
    /// As for bodies.
    pub masks: dem_array,
}

fixed!(dem_near_boxes {
    struct_size: u32,
    reserved: u32,
    lows: dem_array,
    highs: dem_array,
    motions: dem_array,
    groups: dem_array,
    masks: dem_array,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_near_boxes {
    const DEFAULT: Self = dem_near_boxes {
        struct_size: size_of::<dem_near_boxes>() as u32,
        reserved: 0,
        lows: NO_ARRAY,
        highs: NO_ARRAY,
        motions: NO_WORDS,
        groups: NO_WORDS,
        masks: NO_WORDS,
    };
}

/// A sphere that is near a box.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_box_pair {
    /// The body.
    pub body: u32,
    /// The box.
    pub huge: u32,
    /// How many periods the box is moved along each axis to meet the body; 0 along axes that are not periodic, or if the box covers the
    /// whole axis.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

fixed!(dem_box_pair { body: u32, huge: u32, shift: [i16; 3], spare: u16 });
mirrored!(dem_box_pair, BoxCandidate: body, huge, shift, spare);

/// Finds all spheres that are near boxes, ordered by body.
///
/// Outputs: `pairs` (may be null if `capacity` is 0), `count` (may be null): as for `dem_grid_pairs`.
/// Inputs: `query`: spheres, margin. `boxes`. `scratch`, `scratch_size`: at any alignment.
/// Memory: records and scratch must not overlap each other nor the arrays.
/// Errors: those of `dem_grid_pairs` about the query and records; the same about the arrays of boxes: a side that is NaN; a side that is
/// infinite towards the other one; one that is infinite along a periodic axis if the other is not; a low side above the high one.
/// Cost: some ten nanoseconds for a sphere that is near no box, more for each near box; a tenth of a microsecond a box.
/// Determinism: the same pairs in the same order on every machine, with every instruction set and number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_box_pairs(
    pairs: *mut dem_box_pair,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_near_query,
    boxes: *const dem_near_boxes,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = || unsafe {
            let query = Near::read(query)?;
            let raw = read(boxes)?;
            let records = Records::<dem_box_pair>::new(pairs, capacity, stride)?;
            let scratch = Scratch::new(scratch, scratch_size);
            scratch.apart_from(records.bytes())?;
            let written = [(scratch.bytes(), What::Scratch), (records.bytes(), What::Output)];
            query.apart_from(&written)?;
            let arrays = [
                (&raw.lows, 3, What::Lows),
                (&raw.highs, 3, What::Highs),
                (&raw.motions, 1, What::Motions),
                (&raw.groups, 1, What::Groups),
                (&raw.masks, 1, What::Masks),
            ];
            apart_from(&arrays, &written)?;
            let boxes = Boxes {
                low: strided::numbers(&raw.lows, 3, What::Lows)?,
                high: strided::numbers(&raw.highs, 3, What::Highs)?,
                motions: some_words(&raw.motions, What::Motions)?,
                groups: some_words(&raw.groups, What::Groups)?,
                masks: some_words(&raw.masks, What::Masks)?,
            };
            let (isa, host, query) = (query.isa()?, query.host(), query.query()?);
            let sizes = Tree::new(boxes.len(), query.bodies.len())?;
            fill(&records, scratch, sizes.layout()?, |out, scratch| {
                let Memory { block, rest } = Memory::new(scratch, &sizes)?;
                let mut tree = BoxTree::init(block, &sizes.sizes)?;
                tree.rebuild(&query.space, &boxes, rest)?;
                tree.as_ref().pairs(isa, &host, &query, &boxes, out, rest)
            })
        };
        // SAFETY: likewise.
        unsafe { tell(count, found(), What::Output) }
    })
}

/// # Safety
/// A pointer that is not null points at a `dem_near_boxes`.
unsafe fn read(boxes: *const dem_near_boxes) -> Result<dem_near_boxes> {
    if boxes.is_null() {
        return Err(Error::new(Kind::Null, What::Boxes));
    }
    // SAFETY: by this function's contract.
    let raw = unsafe { inputs::read(boxes, What::Boxes) }?;
    inputs::zero(raw.reserved as u64, What::Boxes).map(|()| raw)
}

/// The scratch of a tree of boxes that exists during one call, and of building and searching it.
struct Tree {
    sizes: BoxTreeSizes,
    tree: Layout,
    work: Layout,
}

impl Tree {
    fn new(boxes: usize, bodies: usize) -> Result<Tree> {
        let number = |n: usize, what| {
            u32::try_from(n).map_err(|_| Error::new(Kind::TooLarge, what).amounts(u64::from(u32::MAX), n as u64))
        };
        let (boxes, bodies) = (number(boxes, What::Lows)?, number(bodies, What::Centres)?);
        let sizes = BoxTreeSizes { boxes };
        Ok(Tree { tree: BoxTree::layout(&sizes)?, sizes, work: box_tree_scratch(boxes, bodies)? })
    }

    fn layout(&self) -> Result<Layout> {
        Memory::layout(self)
    }
}

sections! {
    struct Memory<'s>(tree: &Tree) {
        block: { tree.tree },
        rest: { tree.work },
    }
}

#[cfg(test)]
mod tests;
