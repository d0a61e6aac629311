//! What a step of a scene was short of, as C sees it, and what it has left for a step with more room.

use dem_core::detect::{Before, Shortage, Unfinished};
use dem_core::error::{Error, Kind, Result, What};

use crate::detect::Query;
use crate::errors::dem_shortage;
use crate::search::first_room;

/// What a call tells that found too little room.
#[derive(Default)]
pub(crate) struct Told {
    /// All zeros: the error tells it.
    pub(crate) shortage: Shortage,
    pub(crate) left: Option<Left>,
}

/// What is left in the scratch of a call.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    pub(crate) start: *const u8,
    pub(crate) size: usize,
    pub(crate) unfinished: Unfinished,
}

impl Left {
    /// # Safety
    /// The scratch is there as the call has left it, and nothing changes it.
    pub(crate) unsafe fn before<'a>(&self) -> Before<'a> {
        // SAFETY: by this function's contract.
        let scratch = unsafe { core::slice::from_raw_parts(self.start, self.size) };
        Before { scratch, unfinished: self.unfinished }
    }
}

/// All that is short, in terms of the program. `scratch` tells how many bytes a call takes with this query and so much room: these are raised to what
/// will do.
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

/// At least so many; more than a block can hold is an error later.
pub(crate) fn raise(to: &mut u32, needed: u64) {
    *to = (*to).max(u32::try_from(needed).unwrap_or(u32::MAX));
}

/// That of two bodies by the name that it has in a query.
pub(crate) fn named(error: Error) -> Error {
    match (error.kind, error.what) {
        (Kind::Capacity, What::Output) => Error { what: What::PairContacts, ..error },
        _ => error,
    }
}
