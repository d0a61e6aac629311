//! A hash table of the occupied pages: from the key of a page to the bodies in its cells.
//!
//! In the grid's order, the bodies of a cell are consecutive, and so are the occupied cells of a page and of a row of
//! pages. A slot stores a bit for each cell of its page and the number of the first occupied cell. The number of an
//! occupied cell is that of the first plus the count of lower bits.

use super::super::Candidate;
use super::frame::{PAGE, mix};
use crate::exec::{self, CutMut, Executor, each, pieces};
use crate::memory::sections;
use core::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// An occupied page; the slot is empty where no bit is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Slot {
    pub key: u64,
    /// Occupied cells.
    pub mask: u32,
    /// Number of the first occupied cell, in the grid's order.
    pub first: u32,
}

impl Slot {
    /// The range of occupied cells from place `low` to place `high` of the page, both included.
    #[inline(always)]
    pub(super) fn cells(&self, low: u32, high: u32) -> (usize, usize) {
        let below = self.mask & ((1u32 << (low & 31)) - 1);
        let through = self.mask & (u32::MAX >> (31 - (high & 31)));
        ((self.first + below.count_ones()) as usize, (self.first + through.count_ones()) as usize)
    }
}

/// Occupied cells and pages of a grid.
pub(super) struct Pages<'s> {
    slots: &'s [Slot],
    /// First body of each occupied cell, and the number of bodies behind the last one.
    pub starts: &'s [u32],
}

/// Largest number of chunks of bodies.
const CHUNKS: usize = 64;

/// Slots for this many bodies, at worst each in a page of its own: at least a fifth of the table stays free, and a fourth as many slots as bodies
/// are spare.
fn slots(bodies: u64) -> u64 {
    bodies + bodies / 2 + 64
}

sections! {
    /// Scratch for the pages of this many bodies.
    pub(super) struct Memory<'s>(bodies: u64) {
        starts: [u32; bodies + 1],
        slots: [Slot; slots(bodies)],
    }
}

impl<'s> Pages<'s> {
    /// Builds the table from the sorted keys of all bodies. Also gives the unused rest of `memory`, for candidates.
    /// Cost: one pass over the bodies, or two with several threads.
    pub(super) fn new(exec: &dyn Executor, keys: &[u64], memory: Memory<'s>) -> (Self, &'s mut [Candidate]) {
        let Memory { starts, slots } = memory;
        let (cells, pages) = fill(exec, keys, starts);
        starts[cells] = keys.len() as u32;
        let starts = &starts[..cells + 1];
        let used = pages + pages / 4 + 16;
        let (slots, spare) = slots.split_at_mut(used);
        slots.fill(Slot::default());
        let mut page = Slot::default();
        for (cell, &start) in starts.iter().take(cells).enumerate() {
            let key = keys[start as usize];
            if page.mask == 0 || page.key != key >> PAGE {
                insert(slots, page);
                page = Slot { key: key >> PAGE, mask: 0, first: cell as u32 };
            }
            page.mask |= 1 << (key & ((1 << PAGE) - 1));
        }
        insert(slots, page);
        let spare = FromBytes::mut_from_bytes(spare.as_mut_bytes()).unwrap_or_default();
        (Pages { slots, starts }, spare)
    }

    /// Number of occupied cells.
    #[inline(always)]
    pub(super) fn cells(&self) -> usize {
        self.starts.len() - 1
    }

    /// First bodies of the cells `place - 1` to `place + 1` of a page, and the end of the last of these cells. `place`
    /// is neither the first nor the last of the page.
    #[inline(always)]
    pub(super) fn three(&self, slot: &Slot, place: u32) -> [u32; 4] {
        let (low, _) = slot.cells(place - 1, place - 1);
        let mask = (slot.mask >> (place - 1)) as usize;
        let second = low + (mask & 1);
        let third = second + (mask >> 1 & 1);
        // Written out, because a closure would not be inlined into kernels.
        [self.starts[low], self.starts[second], self.starts[third], self.starts[third + (mask >> 2 & 1)]]
    }

    /// Number of bodies.
    pub(super) fn bodies(&self) -> usize {
        self.starts.last().map_or(0, |n| *n as usize)
    }

    /// The first occupied cell whose first body is `body` or a later one; the number of cells if there is none.
    pub(super) fn cells_from(&self, body: usize) -> usize {
        self.starts[..self.cells()].partition_point(|start| (*start as usize) < body)
    }

    /// The slot of a page, or an empty one.
    #[inline(always)]
    pub(super) fn find(&self, key: u64) -> Slot {
        let mut at = place(key, self.slots.len());
        loop {
            let slot = self.slots[at];
            if slot.key == key || slot.mask == 0 {
                return slot;
            }
            at = next(at, self.slots.len());
        }
    }
}

/// Writes the first body of each occupied cell. Gives the numbers of occupied cells and pages.
fn fill(exec: &dyn Executor, keys: &[u64], starts: &mut [u32]) -> (usize, usize) {
    let length = keys.len().div_ceil(CHUNKS).max(1 << 14);
    let chunks = keys.len().div_ceil(length);
    if exec.width() < 2 || chunks < 2 {
        return fill_chunk(keys, 0..keys.len(), starts);
    }
    let bodies = |chunk: usize| chunk * length..keys.len().min((chunk + 1) * length);
    let mut counts = [[0; 2]; CHUNKS];
    let counts = &mut counts[..chunks];
    each(exec, CutMut(counts, 1), |chunk, count| count[0] = count_chunk(keys, bodies(chunk)));
    let mut ends = [0; CHUNKS];
    ends.iter_mut().zip(&*counts).for_each(|(end, [cells, _])| *end = *cells);
    let cells = exec::ends(&mut ends[..chunks]);
    each(exec, pieces(starts, &ends[..chunks]), |chunk, starts| {
        fill_chunk(keys, bodies(chunk), starts);
    });
    (cells as usize, counts.iter().map(|[_, pages]| *pages as usize).sum())
}

/// Numbers of occupied cells and pages whose first body is one of `bodies`.
fn count_chunk(keys: &[u64], bodies: Range<usize>) -> [u64; 2] {
    let mut last = bodies.start.checked_sub(1).map(|before| keys[before]);
    let (mut cells, mut pages) = (0, 0);
    for &key in &keys[bodies] {
        cells += u64::from(last != Some(key));
        pages += u64::from(last.is_none_or(|last| last >> PAGE != key >> PAGE));
        last = Some(key);
    }
    [cells, pages]
}

/// Writes the first bodies of the cells that begin in `bodies`. Gives the numbers of these cells and of the pages that
/// begin there.
fn fill_chunk(keys: &[u64], bodies: Range<usize>, starts: &mut [u32]) -> (usize, usize) {
    let mut last = bodies.start.checked_sub(1).map(|before| keys[before]);
    let (mut cells, mut pages) = (0, 0);
    // Written without a branch, which would be unpredictable; kept only if a cell begins.
    for (&key, i) in keys[bodies.clone()].iter().zip(bodies) {
        if let Some(start) = starts.get_mut(cells) {
            *start = i as u32;
        }
        cells += usize::from(last != Some(key));
        pages += usize::from(last.is_none_or(|last| last >> PAGE != key >> PAGE));
        last = Some(key);
    }
    (cells, pages)
}

fn insert(slots: &mut [Slot], page: Slot) {
    if page.mask == 0 {
        return;
    }
    let mut at = place(page.key, slots.len());
    while slots[at].mask != 0 {
        at = next(at, slots.len());
    }
    slots[at] = page;
}

/// The slot at which the search for a key begins (linear probing).
#[inline(always)]
fn place(key: u64, slots: usize) -> usize {
    (((mix(key) >> 32) * slots as u64) >> 32) as usize
}

#[inline(always)]
fn next(at: usize, slots: usize) -> usize {
    if at + 1 < slots { at + 1 } else { 0 }
}
