//! How much memory a list of sections needs: `Layout`, and `Plan`, which adds it up.

use super::{ALIGN, Plain};
use crate::error::{Error, Kind, Result, What};

/// What a block or a scratch buffer must be: `size` bytes, a multiple of [`ALIGN`], at an address that is a multiple of
/// `align`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes.
    pub size: usize,
    /// Bytes; always [`ALIGN`].
    pub align: usize,
}

impl Layout {
    /// Nothing.
    pub const EMPTY: Layout = Layout { size: 0, align: ALIGN };

    /// `n` of these in a row, as one scratch piece per lane. Sizes are multiples of [`ALIGN`], so each piece is aligned.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn times(self, n: usize, what: What) -> Result<Layout> {
        Plan::new().bytes((self.size as u64).saturating_mul(n as u64)).layout(what)
    }

    /// Room for the one or the other: for phases that share memory, one after the other.
    pub fn or(self, other: Layout) -> Layout {
        if other.size > self.size { other } else { self }
    }

    /// Whether `memory` is one of these. Any address will do for nothing.
    ///
    /// Errors: [`Kind::Misaligned`], [`Kind::Capacity`] with the exact number of bytes.
    pub fn check(self, memory: &[u8], what: What) -> Result<()> {
        if memory.len() < self.size {
            return Err(Error::capacity(what, self.size as u64, memory.len() as u64));
        }
        if self.size > 0 { check_align(memory, what) } else { Ok(()) }
    }
}

pub(super) fn check_align(memory: &[u8], what: What) -> Result<()> {
    let over = memory.as_ptr().addr() % ALIGN;
    if over != 0 {
        return Err(Error::new(Kind::Misaligned, what).amounts(ALIGN as u64, over as u64));
    }
    Ok(())
}

/// What a section is to the block it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the next call depends on: copied when a block grows, part of its content hash.
    State,
    /// What can be rebuilt from state: zero after a block has grown, not hashed.
    Cache,
}

/// One section, as a plan meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name in the list.
    pub name: &'static str,
    /// State or cache.
    pub role: Role,
    /// Bytes before it in the block (or behind the start of the plan).
    pub start: u64,
    /// Its bytes, without the gap behind it.
    pub bytes: u64,
}

/// Adds up sections in the order in which [`Carve`](super::Carve) takes them.
///
/// Counts are u64 and sums saturate, so no count that a caller or a damaged block can name overflows on any machine; the
/// limit is checked once, by [`Plan::layout`].
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

    /// An empty plan that tells `visit` of each section: to draw a block, or to walk it in a test.
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

    /// A piece of scratch for somebody else.
    pub fn part(&mut self, layout: Layout) -> &mut Self {
        self.bytes(layout.size as u64)
    }

    fn bytes(&mut self, bytes: u64) -> &mut Self {
        self.size = self.size.saturating_add(padded(bytes));
        self
    }

    /// The sum.
    ///
    /// Errors: [`Kind::TooLarge`] with the largest possible and the wanted number of bytes, if this machine's addresses
    /// cannot span it.
    pub fn layout(&self, what: What) -> Result<Layout> {
        match isize::try_from(self.size) {
            Ok(size) => Ok(Layout { size: size.unsigned_abs(), align: ALIGN }),
            Err(_) => Err(Error::new(Kind::TooLarge, what).amounts(isize::MAX as u64, self.size)),
        }
    }
}

/// Bytes of `n` items; `u64::MAX` where that is more.
pub(super) fn bytes_of<T: Plain>(n: u64) -> u64 {
    const { assert!(align_of::<T>() <= ALIGN) };
    n.saturating_mul(size_of::<T>() as u64)
}

/// Rounded up to whole lines; more than any machine has where that overflows.
pub(super) fn padded(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(ALIGN as u64).unwrap_or(u64::MAX)
}
