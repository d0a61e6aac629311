//! What a step of a scene was short of, as C sees it, and what it has left for a step with more room.

use dem_core::detect::{Before, Shortage, Unfinished};
use dem_core::error::{Error, What};

use crate::detect::dem_scene_counts;
use crate::pair_contacts::pairs_for;

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

/// `pairs` of a query that does, where a pair of bodies has too little; 0 where no pair has. `given`: what there is.
pub(crate) fn pairs_of(short: &Shortage, given: u64) -> u64 {
    let Shortage { pairs, terms, segments, .. } = *short;
    let each = [(What::Pairs, pairs), (What::Terms, terms), (What::Segments, segments)];
    let needed = each.into_iter().filter(|(_, needed)| *needed > 0);
    needed
        .filter_map(|(what, needed)| pairs_for(&Error::capacity(what, needed, 0)))
        .max()
        .map_or(0, |n| n.max(given + 1))
}

/// What a program needs where a step has found nothing, since it was short of this.
pub(crate) fn counts(short: &Shortage, pairs: u64) -> dem_scene_counts {
    dem_scene_counts {
        needed_candidates: short.candidates,
        needed_pairs: pairs_of(short, pairs),
        needed_pair_contacts: short.pair_contacts,
        needed_contacts: short.contacts,
        needed_margin_contacts: short.margin_contacts,
        needed_nodes: short.nodes,
        ..dem_scene_counts::default()
    }
}
