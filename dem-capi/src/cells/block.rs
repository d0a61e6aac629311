//! What lies in the block of cells: whose they are, then the cells.

use dem_core::contact::{CellSizes, Cells, CellsRef};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{self, hash_items};

use super::dem_cells;
use crate::memory::{self as blocks, Held, Loan, Marks, Stretch};

/// Bytes before the cells that say whose they are.
pub(super) const LINE: usize = 64;

/// The mesh that cells belong to, by its identity, with a checksum of its own.
pub(super) struct Owner(pub(super) u64);

impl Owner {
    pub(super) fn write(&self, line: &mut [u8]) {
        let words = [self.0, hash_items(0, &[self.0])].into_iter().flat_map(u64::to_ne_bytes);
        line.fill(0);
        line.iter_mut().zip(words).for_each(|(to, byte)| *to = byte);
    }

    pub(super) fn read(line: &[u8]) -> Result<Owner> {
        let word = |i: usize| line.get(8 * i..).and_then(<[u8]>::first_chunk).map(|bytes| u64::from_ne_bytes(*bytes));
        let rest_is_zero = line.iter().skip(16).all(|byte| *byte == 0);
        match (word(0), word(1)) {
            (Some(identity), Some(check)) if hash_items(0, &[identity]) == check && rest_is_zero => Ok(Owner(identity)),
            _ => Err(Error::new(Kind::Damaged, What::Cells)),
        }
    }
}

/// Bytes of a block's content.
pub(super) fn length(sizes: &CellSizes) -> Result<usize> {
    Cells::layout(sizes)?.size.checked_add(LINE).ok_or(Error::new(Kind::TooLarge, What::Cells))
}

pub(super) fn parts(content: &[u8]) -> Result<(&[u8], &[u8])> {
    content.split_at_checked(LINE).ok_or(Error::new(Kind::Damaged, What::Cells))
}

pub(super) fn marks(content: &[u8]) -> Result<Marks> {
    Ok([memory::mark::<CellSizes>(parts(content)?.1)?, 0, 0, 0])
}

/// Open cells, as long as nobody changes their block.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'a> {
    pub(crate) cells: CellsRef<'a>,
    /// The identity of their mesh.
    pub(crate) owner: u64,
    pub(crate) loan: Loan<'a>,
}

/// Opens cells.
///
/// # Safety
/// Where the pointer is not null, it is that of cells, and nothing changes them during `'a`.
#[inline(always)]
pub(crate) unsafe fn lend<'a>(cells: *const dem_cells, what: What) -> Result<Lent<'a>> {
    let in_cells = |e: Error| Error { what, ..e };
    // SAFETY: by this function's contract.
    let loan = unsafe { blocks::lend(cells.cast(), Held::Cells, what) }?;
    let (line, part) = parts(loan.content).map_err(in_cells)?;
    let known = CellsRef::reopen(part, loan.marks[0]).map(|(cells, _)| cells);
    let cells = known.map_or_else(|| CellsRef::open(part), Ok).map_err(in_cells)?;
    Ok(Lent { cells, owner: Owner::read(line).map_err(in_cells)?.0, loan })
}

/// Where the block of cells lies.
///
/// # Safety
/// Where the pointer is not null, it is that of cells.
pub(crate) unsafe fn stretch(cells: *const dem_cells, what: What) -> Result<Stretch> {
    // SAFETY: by this function's contract.
    unsafe { blocks::stretch(cells.cast(), Held::Cells, what) }
}
