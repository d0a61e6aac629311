//! `Layout`, the memory that a list of sections needs, and `Plan`, which computes it.

use super::{ALIGN, Plain};
use crate::error::{Error, Kind, Result, What};

/// Size and alignment of a block or a scratch buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes, a multiple of [`ALIGN`].
    pub size: usize,
    /// Alignment of the address in bytes; always [`ALIGN`].
    pub align: usize,
}

impl Layout {
    /// No memory.
    pub const EMPTY: Layout = Layout { size: 0, align: ALIGN };

    /// `n` pieces of this layout one after another, such as one piece of scratch per thread. Each piece is aligned.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn times(self, n: usize, what: What) -> Result<Layout> {
        Plan::new().bytes((self.size as u64).saturating_mul(n as u64)).layout(what)
    }

    /// The larger of two layouts: for phases that use the same memory one after the other.
    pub fn or(self, other: Layout) -> Layout {
        if other.size > self.size { other } else { self }
    }

    /// Checks that `memory` is long enough and aligned. An empty layout accepts any address.
    ///
    /// Errors: [`Kind::Misaligned`], [`Kind::Capacity`] with the exact number of bytes.
    pub fn check(self, memory: &[u8], what: What) -> Result<()> {
        self.check_at(memory.as_ptr().addr(), memory.len(), what)
    }

    /// [`Layout::check`] for memory of this address and length.
    pub fn check_at(self, address: usize, bytes: usize, what: What) -> Result<()> {
        if bytes < self.size {
            return Err(Error::capacity(what, self.size as u64, bytes as u64));
        }
        if self.size > 0 { check_align(address, what) } else { Ok(()) }
    }
}

pub(super) fn check_align(address: usize, what: What) -> Result<()> {
    let over = address % ALIGN;
    if over != 0 {
        return Err(Error::new(Kind::Misaligned, what).amounts(ALIGN as u64, over as u64));
    }
    Ok(())
}

/// How a section is treated when its block grows or is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Data that results depend on: copied when the block grows, part of its content hash.
    State,
    /// Data that can be rebuilt from state: zero after the block has grown, not hashed.
    Cache,
}

/// One section of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Name of its field.
    pub name: &'static str,
    /// State or cache.
    pub role: Role,
    /// Bytes from the start of the block or plan to the section.
    pub start: u64,
    /// Bytes of the section, without the gap behind it.
    pub bytes: u64,
}

/// Adds up sections in the order in which [`Carve`](super::Carve) takes them.
///
/// Counts are u64 and sums saturate, so no count overflows on any machine. [`Plan::layout`] checks the sum once.
#[derive(Default)]
pub struct Plan<'v> {
    size: u64,
    visit: Option<&'v mut dyn FnMut(Section)>,
}

impl<'v> Plan<'v> {
    /// An empty plan.
    pub fn new() -> Self {
        Plan::default()
    }

    /// An empty plan that calls `visit` with each section: to draw a block, or to walk it in a test.
    pub fn visiting(visit: &'v mut dyn FnMut(Section)) -> Self {
        Plan { size: 0, visit: Some(visit) }
    }

    /// A section of `n` items.
    pub fn section<T: Plain>(&mut self, name: &'static str, role: Role, n: u64) -> &mut Self {
        let bytes = bytes_of::<T>(n);
        if let Some(visit) = &mut self.visit {
            visit(Section { name, role, start: self.size, bytes });
        }
        self.bytes(bytes)
    }

    /// `n` items of scratch.
    pub fn add<T: Plain>(&mut self, n: u64) -> &mut Self {
        self.bytes(bytes_of::<T>(n))
    }

    /// A piece of scratch with this layout.
    pub fn part(&mut self, layout: Layout) -> &mut Self {
        self.bytes(layout.size as u64)
    }

    fn bytes(&mut self, bytes: u64) -> &mut Self {
        self.size = self.size.saturating_add(padded(bytes));
        self
    }

    /// The layout of all sections added so far.
    ///
    /// Errors: [`Kind::TooLarge`] with the largest possible and the requested number of bytes, if an `isize` cannot hold the size.
    pub fn layout(&self, what: What) -> Result<Layout> {
        match isize::try_from(self.size) {
            Ok(size) => Ok(Layout { size: size.unsigned_abs(), align: ALIGN }),
            Err(_) => Err(Error::new(Kind::TooLarge, what).amounts(isize::MAX as u64, self.size)),
        }
    }
}

/// Bytes of `n` items; `u64::MAX` on overflow.
pub(super) fn bytes_of<T: Plain>(n: u64) -> u64 {
    const { assert!(align_of::<T>() <= ALIGN) };
    n.saturating_mul(size_of::<T>() as u64)
}

/// Rounded up to a multiple of [`ALIGN`]; `u64::MAX` on overflow.
pub(super) fn padded(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(ALIGN as u64).unwrap_or(u64::MAX)
}
