//! Room that was too small for a step of a scene, in terms of C, and the results that such a step leaves for the next try.

use dem_core::detect::{Before, Shortage, Unfinished};
use dem_core::error::{Error, Kind, Result, What};

use crate::detect::Query;
use crate::errors::dem_shortage;
use crate::search::first_room;

/// The report of a call that had too little room.
#[derive(Default)]
pub(crate) struct Told {
    /// All room that was too small; all zeros if only the error tells it.
    pub(crate) shortage: Shortage,
    pub(crate) left: Option<Left>,
}

/// The results that a call with too little room has left in its scratch.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    pub(crate) start: *const u8,
    pub(crate) size: usize,
    pub(crate) unfinished: Unfinished,
}

impl Left {
    /// # Safety
    /// The scratch still exists, and nothing has changed it since the call.
    pub(crate) unsafe fn before<'a>(&self) -> Before<'a> {
        // SAFETY: by this function's contract.
        let scratch = unsafe { core::slice::from_raw_parts(self.start, self.size) };
        Before { scratch, unfinished: self.unfinished }
    }
}

/// All room that was too small, in terms of the program. `scratch` gives the bytes that a call needs with this query and these sizes, which are first
/// raised to what is enough.
pub(crate) fn all<S>(
    error: &Error,
    short: &Shortage,
    query: &Query,
    raised: impl FnOnce(&Shortage) -> S,
    scratch: impl FnOnce(&Query, &S) -> Result<usize>,
) -> dem_shortage {
    if error.kind != Kind::Capacity {
        return dem_shortage::default();
    }
    let mut next = *query;
    let pairs = short.room_pairs(first_room(query.raw.pairs));
    let larger = |given: usize, needed: u64| given.max(usize::try_from(needed).unwrap_or(usize::MAX));
    next.raw.pairs = larger(next.raw.pairs, pairs);
    next.raw.pair_contacts = larger(next.raw.pair_contacts, short.pair_contacts);
    let Shortage { bodies, candidates, contacts, margin_contacts, nodes, posed, ball_pairs, ball_contacts, .. } =
        *short;
    dem_shortage {
        bodies,
        candidates,
        contacts,
        margin_contacts,
        nodes,
        posed,
        ball_pairs,
        ball_contacts,
        pairs,
        pair_contacts: short.pair_contacts,
        scratch: scratch(&next, &raised(short)).map_or(0, |bytes| bytes as u64),
    }
}

/// Raises a size to at least `needed`, or to the largest number if that is more. A block of such a size is then refused.
pub(crate) fn raise(to: &mut u32, needed: u64) {
    *to = (*to).max(u32::try_from(needed).unwrap_or(u32::MAX));
}

/// Renames an error about output records of two bodies: in a query these are `pair_contacts`.
pub(crate) fn named(error: Error) -> Error {
    match (error.kind, error.what) {
        (Kind::Capacity, What::Output) => Error { what: What::PairContacts, ..error },
        _ => error,
    }
}
