//! Owned memory for blocks and scratch, aligned as `dem_core` needs it.

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{ALIGN, Layout};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C, align(64))]
struct Line([u8; ALIGN]);

/// Zeroed bytes on the heap, aligned to [`ALIGN`].
///
/// ```
/// use dem_core::memory::Layout;
/// use dem_std::Memory;
///
/// let layout = Layout { size: 1000, align: 64 };
/// let memory = Memory::new(layout).unwrap();
/// assert_eq!((memory.len(), memory.as_ptr() as usize % 64), (1000, 0));
/// ```
#[derive(Clone, Default)]
pub struct Memory {
    lines: Vec<Line>,
    size: usize,
}

impl Memory {
    /// Memory of this layout.
    ///
    /// Errors: [`Kind::TooLarge`] where the allocation fails, [`Kind::Unsupported`] for alignments above [`ALIGN`],
    /// which no layout of `dem_core` has.
    pub fn new(layout: Layout) -> Result<Memory> {
        if layout.align > ALIGN {
            return Err(Error::new(Kind::Unsupported, What::Block).amounts(ALIGN as u64, layout.align as u64));
        }
        let mut lines = Vec::new();
        let count = layout.size.div_ceil(ALIGN);
        lines
            .try_reserve_exact(count)
            .map_err(|_| Error::new(Kind::TooLarge, What::Block).amounts(isize::MAX as u64, layout.size as u64))?;
        lines.resize(count, Line::new_zeroed());
        Ok(Memory { lines, size: layout.size })
    }
}

impl std::ops::Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.lines.as_bytes().get(..self.size).unwrap_or_default()
    }
}

impl std::ops::DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.lines.as_mut_bytes().get_mut(..self.size).unwrap_or_default()
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Memory({} bytes)", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_aligned_zeroed_and_of_the_size_asked_for() {
        for size in [0, 1, 63, 64, 65, 100_000] {
            let mut memory = Memory::new(Layout { size, align: ALIGN }).unwrap();
            assert_eq!((memory.len(), memory.as_ptr() as usize % ALIGN), (size, 0));
            assert!(memory.iter().all(|&b| b == 0));
            memory.fill(7);
            assert_eq!(&memory.clone()[..], &memory[..]);
        }
    }

    #[test]
    fn what_the_machine_does_not_have_is_an_error() {
        let kind = |size, align| Memory::new(Layout { size, align }).map_err(|e| e.kind).map(|_| ());
        assert_eq!(kind(usize::MAX, ALIGN), Err(Kind::TooLarge));
        assert_eq!(kind(64, 128), Err(Kind::Unsupported));
    }
}
