//! Scratch memory of the host, and checks for overlaps.

use core::ffi::c_void;

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{ALIGN, Layout};

/// Bytes that a caller must give for scratch of this layout: enough for an aligned start at any address.
pub(crate) fn scratch_size(layout: Layout) -> Result<usize> {
    if layout.size == 0 {
        return Ok(0);
    }
    let size = layout.size.checked_add(ALIGN - 1).filter(|s| *s <= isize::MAX as usize);
    size.ok_or(Error::new(Kind::TooLarge, What::Scratch).amounts(isize::MAX as u64, layout.size as u64))
}

/// A piece of memory: its start and its size in bytes.
pub(crate) type Stretch = (*const c_void, usize);

/// Scratch memory of the host.
#[derive(Clone, Copy)]
pub(crate) struct Scratch {
    start: *mut u8,
    size: usize,
    /// Whether `start` is a multiple of 64: parts of a scratch follow each other without gaps.
    is_aligned: bool,
}

impl Scratch {
    /// Scratch at the address that the host passed.
    pub(crate) fn new(start: *mut c_void, size: usize) -> Scratch {
        Scratch { start: start.cast(), size, is_aligned: false }
    }

    /// Takes the aligned bytes for a layout.
    ///
    /// Errors: [`Kind::Capacity`], [`Kind::Null`].
    ///
    /// # Safety
    /// If the pointer is not null, the bytes can be written, and nothing else uses them while the slice exists.
    pub(crate) unsafe fn take<'a>(self, layout: Layout) -> Result<&'a mut [u8]> {
        // SAFETY: by this function's contract.
        Ok(unsafe { self.split(layout) }?.0)
    }

    /// Takes the aligned bytes for a layout, and gives the rest of the scratch.
    ///
    /// # Safety
    /// As for `take`.
    pub(crate) unsafe fn split<'a>(self, layout: Layout) -> Result<(&'a mut [u8], Scratch)> {
        if layout.size == 0 {
            return Ok((&mut [], self));
        }
        let needed = if self.is_aligned { layout.size } else { scratch_size(layout)? };
        if self.size < needed {
            return Err(Error::capacity(What::Scratch, needed as u64, self.size as u64));
        }
        if self.start.is_null() {
            return Err(Error::new(Kind::Null, What::Scratch));
        }
        let start = self.start.wrapping_add((self.start as usize).wrapping_neg() % ALIGN);
        // Bytes that alignment did not need stay unused, so that the size that is enough does not depend on the address.
        let is_aligned = layout.size.is_multiple_of(ALIGN);
        let rest = Scratch { start: start.wrapping_add(layout.size), size: self.size - needed, is_aligned };
        // SAFETY: `needed` covers the widest gap for alignment and the layout, and the host guarantees these bytes. Their content has
        // no meaning.
        Ok((unsafe { core::slice::from_raw_parts_mut(start, layout.size) }, rest))
    }

    /// Whether the scratch has room for a layout.
    pub(crate) fn holds(self, layout: Layout) -> bool {
        let needed = if self.is_aligned { Ok(layout.size) } else { scratch_size(layout) };
        needed.is_ok_and(|needed| needed <= self.size)
    }

    /// The size of the largest layout for which the scratch has room.
    pub(crate) fn whole(self) -> usize {
        let lost = if self.is_aligned { 0 } else { ALIGN - 1 };
        self.size.saturating_sub(lost) / ALIGN * ALIGN
    }

    /// The memory of the scratch.
    pub(crate) fn bytes(self) -> Stretch {
        (self.start.cast(), self.size)
    }

    /// The start of the scratch.
    pub(crate) fn start(self) -> *const c_void {
        self.start.cast()
    }

    /// As [`Scratch::apart`], for a stretch.
    pub(crate) fn apart_from(self, other: Stretch) -> Result<()> {
        self.apart(other.0, other.1)
    }

    /// Errors: [`Kind::Overlap`] if the scratch shares a byte with other memory.
    pub(crate) fn apart(self, other: *const c_void, size: usize) -> Result<()> {
        apart((self.start.cast(), self.size), (other, size), What::Scratch)
    }
}

/// Errors: [`Kind::Overlap`] if two pieces of memory share a byte.
pub(crate) fn apart(a: Stretch, b: Stretch, what: What) -> Result<()> {
    let (from_a, from_b) = (a.0 as usize, b.0 as usize);
    let before = |start: usize, size, other| size == 0 || start.saturating_add(size) <= other;
    if before(from_a, a.1, from_b) || before(from_b, b.1, from_a) {
        return Ok(());
    }
    Err(Error::new(Kind::Overlap, what))
}
