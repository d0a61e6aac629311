//! Cuts memory into typed sections, in the order of their `Plan`.

use super::layout::{bytes_of, padded};
use super::{Layout, Plain};
use crate::error::{Error, Kind, Result, What};
use zerocopy::FromBytes;

/// Cuts exclusive sections from a block or from scratch memory.
pub struct Carve<'m> {
    rest: &'m mut [u8],
    taken: u64,
    what: What,
}

impl<'m> Carve<'m> {
    /// Starts at the front of the first `layout.size` bytes of `memory`. Writes nothing.
    ///
    /// Errors: [`Kind::Misaligned`]; [`Kind::Capacity`] with the exact number of bytes.
    pub fn new(memory: &'m mut [u8], layout: Layout, what: What) -> Result<Self> {
        layout.check(memory, what)?;
        let rest = memory.get_mut(..layout.size).unwrap_or_default();
        Ok(Carve { rest, taken: 0, what })
    }

    /// Starts at the front of all of `memory`, for a list of sections whose total size is not computed first. Misaligned memory counts as empty.
    /// Writes nothing.
    pub fn whole(memory: &'m mut [u8], what: What) -> Self {
        let rest = if memory.as_ptr().addr().is_multiple_of(super::ALIGN) { memory } else { &mut [] };
        Carve { rest, taken: 0, what }
    }

    /// The memory behind all sections taken so far.
    pub fn rest(self) -> &'m mut [u8] {
        self.rest
    }

    /// The next `n` items. Their bytes do not change.
    ///
    /// Errors: [`Kind::Capacity`] if the plan is smaller than its sections: a defect of the caller's size query.
    #[inline]
    pub fn take<T: Plain>(&mut self, n: u64) -> Result<&'m mut [T]> {
        match self.next(n) {
            Some(section) => Ok(section),
            None => Err(refusal::<T>(n, self.what, self.taken, self.rest.len())),
        }
    }

    #[inline(always)]
    fn next<T: Plain>(&mut self, n: u64) -> Option<&'m mut [T]> {
        let (bytes, gap) = extent::<T>(n)?;
        if bytes == 0 {
            return Some(&mut []);
        }
        if self.rest.len() < gap {
            return None;
        }
        let (section, rest) = core::mem::take(&mut self.rest).split_at_mut(gap);
        self.rest = rest;
        self.taken += gap as u64;
        <[T]>::mut_from_bytes(section.get_mut(..bytes)?).ok()
    }

    /// The piece that [`Plan::part`](super::Plan::part) added.
    ///
    /// Errors: as [`Carve::take`].
    pub fn part(&mut self, layout: Layout) -> Result<&'m mut [u8]> {
        self.take(layout.size as u64)
    }
}

/// Cuts shared sections from a block.
#[derive(Clone, Copy)]
pub struct CarveRef<'m> {
    rest: &'m [u8],
    taken: u64,
    what: What,
}

impl<'m> CarveRef<'m> {
    /// As [`Carve::new`].
    pub fn new(memory: &'m [u8], layout: Layout, what: What) -> Result<Self> {
        layout.check(memory, what)?;
        let rest = memory.get(..layout.size).unwrap_or_default();
        Ok(CarveRef { rest, taken: 0, what })
    }

    /// Starts behind the first `taken` of `total` bytes, both multiples of [`ALIGN`](super::ALIGN).
    pub(super) fn behind(memory: &'m [u8], taken: usize, total: u64, what: What) -> Option<Self> {
        let rest = memory.get(taken..usize::try_from(total).ok()?)?;
        Some(CarveRef { rest, taken: taken as u64, what })
    }

    /// As [`Carve::take`].
    #[inline(always)]
    pub fn take<T: Plain>(&mut self, n: u64) -> Result<&'m [T]> {
        match self.next(n) {
            Some(section) => Ok(section),
            None => Err(refusal::<T>(n, self.what, self.taken, self.rest.len())),
        }
    }

    #[inline(always)]
    fn next<T: Plain>(&mut self, n: u64) -> Option<&'m [T]> {
        let (bytes, gap) = extent::<T>(n)?;
        if bytes == 0 {
            return Some(&[]);
        }
        let (section, rest) = self.rest.split_at_checked(gap)?;
        let section = <[T]>::ref_from_bytes(section.get(..bytes)?).ok()?;
        self.rest = rest;
        self.taken += gap as u64;
        Some(section)
    }
}

/// The error of `take`, kept out of the hot path: `taken` and `left` bytes.
#[cold]
#[inline(never)]
fn refusal<T: Plain>(n: u64, what: What, taken: u64, left: usize) -> Error {
    let (needed, left) = (padded(bytes_of::<T>(n)), left as u64);
    if needed <= left {
        return Error::new(Kind::Misaligned, what).amounts(super::ALIGN as u64, 0);
    }
    Error::capacity(what, taken.saturating_add(needed), taken + left)
}

/// Bytes of `n` items, without and with the gap behind them.
fn extent<T: Plain>(n: u64) -> Option<(usize, usize)> {
    let bytes = bytes_of::<T>(n);
    Some((usize::try_from(bytes).ok()?, usize::try_from(padded(bytes)).ok()?))
}

/// Copies `old` to the front of `new`, for [`grow`](crate::sections).
///
/// Errors: [`Kind::Capacity`] with both numbers of items where `new` is the shorter; nothing is then written.
pub fn copy_prefix<T: Plain>(new: &mut [T], old: &[T], what: What) -> Result<()> {
    let (needed, given) = (old.len() as u64, new.len() as u64);
    new.get_mut(..old.len()).ok_or(Error::capacity(what, needed, given))?.copy_from_slice(old);
    Ok(())
}
