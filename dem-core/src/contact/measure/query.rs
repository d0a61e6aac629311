//! Sides of a query of two meshes, room of its scratch, and the numbers of its results.

use crate::contact::cells::CellsRef;
use crate::error::{Error, Kind, Result, What};
use crate::memory;
use crate::narrow::Operand;

/// One side of a query: a shape, its pose, and its cells.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Mesh, tree and pose.
    pub operand: Operand<'a>,
    /// The cells of the mesh.
    pub cells: CellsRef<'a>,
    /// Whether the inside of the mesh belongs to the body, so that a body completely inside is pushed out. The mesh should be closed and look
    /// outward.
    pub solid: bool,
}

impl Side<'_> {
    /// Whether it may be a sheet, and is not declared solid.
    pub(in crate::contact) fn may_be_sheet(&self) -> bool {
        !self.solid && self.cells.may_be_sheet()
    }
}

/// The numbers for which scratch has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Triangle pairs within the halos.
    pub pairs: usize,
    /// Sums over faces in cells: one or two for each of these pairs, fewer where parts are flat.
    pub terms: usize,
    /// Crossing pairs, each of which makes a segment of the intersection curve; no more than pairs. With 0 there is no memory for penetration.
    pub segments: usize,
}

/// Number of terms (faces in cells) in the room for each pair of triangles; curved surfaces have about three.
const TERMS: u64 = 4;
/// Number of triangle pairs in the room for each segment: one pair of this many crosses.
const SEGMENT_OF: u64 = 4;

impl Room {
    /// Initial room: for small meshes that do not penetrate.
    pub const FIRST: Room = Room { pairs: 256, terms: 1024, segments: 0 };

    /// Room for this number of triangle pairs within the halos, and for their terms and segments, for callers without better estimates.
    ///
    /// Errors: [`Kind::TooLarge`] for [`What::Scratch`].
    pub fn for_pairs(pairs: u64) -> Result<Room> {
        let fits =
            |n: Option<u64>| n.and_then(|n| usize::try_from(n).ok()).ok_or(Error::new(Kind::TooLarge, What::Scratch));
        // At least one, so that the fixed memory for segments does not depend on the number of pairs.
        let segments = pairs / SEGMENT_OF + 1;
        Ok(Room { pairs: fits(Some(pairs))?, terms: fits(pairs.checked_mul(TERMS))?, segments: fits(Some(segments))? })
    }

    /// The number of pairs whose [`Room::for_pairs`] is enough, if the error says that room was too small.
    pub fn pairs_for(error: &Error) -> Option<u64> {
        match (error.kind, error.what) {
            (Kind::Capacity, What::Pairs) => Some(error.needed),
            (Kind::Capacity, What::Terms) => Some(error.needed.div_ceil(TERMS)),
            (Kind::Capacity, What::Segments) => Some(error.needed.saturating_mul(SEGMENT_OF)),
            _ => None,
        }
    }

    /// The largest number of pairs for which this number of bytes is enough. `needed` gives the bytes for a number of pairs; more pairs never
    /// need less.
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Scratch`] with the bytes for the pairs of [`Room::FIRST`], if `bytes` is less than that; those of
    /// `needed` for these pairs. Cost: some calls of `needed` for each factor of two from these pairs to the answer.
    pub fn most_pairs(bytes: usize, needed: impl Fn(u64) -> Result<usize>) -> Result<u64> {
        let first = Room::FIRST.pairs as u64;
        match memory::most(first, (bytes as u64).saturating_add(1), |pairs| {
            needed(pairs).is_ok_and(|needed| needed <= bytes)
        }) {
            Some(pairs) => Ok(pairs),
            None => Err(Error::capacity(What::Scratch, needed(first)? as u64, bytes as u64)),
        }
    }
}

/// The numbers of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Contacts.
    pub contacts: usize,
    /// Patch pairs of the contacts ([`Node`](crate::contact::Node)); as many as contacts if each contact is one patch pair.
    pub nodes: usize,
    /// Triangle pairs that touch or cross each other.
    pub crossing: usize,
}
