//! Overlapping bodies: a check of a world before its first step.

use super::block::World;
use super::law::Law;
use super::step::{PollResult, StepOptions};
use super::step_inputs::{HandedOn, StepInputs};
use crate::detect::ScenePair;
use crate::error::{Error, Kind, Result, What};

/// The length of the step that finds contacts: so short that no body is too fast for it. Loads of the host are excluded.
const MOMENT: f64 = 1e-30;

impl World<'_> {
    /// Writes the pairs of bodies that overlap in the accepted state to the front of `out`, the deepest first, and returns their number. These
    /// are the pairs with a [`ScenePair::least_gap`] below 0.
    ///
    /// A gap of -d means that surfaces are up to d behind each other. If the contacts of a pair have
    /// [`LEAST_TRANSLATION`](crate::contact::status::LEAST_TRANSLATION), d is about the smallest translation that separates the two bodies.
    /// Indices of bodies are slots. The contacts themselves are gone afterwards: of `first` and `end` only the difference is meaningful, the
    /// number of contacts.
    ///
    /// The function begins a step, finds contacts, and takes the step back, without applying the law. The accepted state does not change, and
    /// neither do later steps. With [`Records::None`](super::Records::None) a world keeps the room for records that it got for this call.
    ///
    /// Contacts of the last step, and events and extremes of the last window, are gone, also after an error of the poll. The report has 1e-30 as
    /// `dt`. Its works, `damped`, `rubbed` and `spurious`, if they were sums over the last window, become those of the window's last step.
    ///
    /// Errors: those of [`World::begin`] and of the first [`World::poll`], where [`What::PairContacts`] is room for the contacts of two bodies;
    /// [`Kind::Capacity`] for [`What::Output`], with the number of pairs (no pair is then written); [`Kind::TooLarge`] for [`What::TimeStep`] if
    /// two bodies would pass through each other even in so short a step. Cost: that of finding contacts once, and a sort.
    pub fn overlaps<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        out: &mut [ScenePair],
        scratch: &mut [u8],
    ) -> Result<usize> {
        self.overlaps_after(drive, &mut HandedOn::default(), out, scratch)
    }

    /// [`World::overlaps`] with input from a call that had too little room ([`World::poll_after`]).
    ///
    /// Errors: those of [`World::overlaps`].
    pub fn overlaps_after<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        out: &mut [ScenePair],
        scratch: &mut [u8],
    ) -> Result<usize> {
        handed.left = None;
        self.begin(&StepOptions { loads: true, ..StepOptions::new(MOMENT) })?;
        let named = |e: Error| match (e.kind, e.what) {
            // Renamed, because `out` is the output of this function.
            (Kind::Capacity, What::Output) => Error { what: What::PairContacts, ..e },
            _ => e,
        };
        let found = self.poll_after(drive, handed, scratch).map_err(named).and_then(|want| match want {
            PollResult::Stuck => {
                let fast = self.as_ref().too_fast();
                let parts = libm::ceil(MOMENT / fast.dt) as u64;
                Err(Error::new(Kind::TooLarge, What::TimeStep).amounts(1, parts.max(2)).at(fast.a.into(), fast.b))
            }
            _ => deepest_first(self.as_ref().scene().now().pairs(), out),
        });
        self.abandon()?;
        found
    }
}

/// The pairs that overlap; pairs of equal depth are in the order of ids and images.
fn deepest_first(pairs: &[ScenePair], out: &mut [ScenePair]) -> Result<usize> {
    let overlap = || pairs.iter().filter(|pair| pair.least_gap < 0.0);
    let (count, given) = (overlap().count(), out.len() as u64);
    let out = out.get_mut(..count).ok_or(Error::capacity(What::Output, count as u64, given))?;
    out.iter_mut().zip(overlap()).for_each(|(to, pair)| *to = *pair);
    out.sort_unstable_by(|x, y| {
        x.least_gap.total_cmp(&y.least_gap).then_with(|| (x.ids, x.image).cmp(&(y.ids, y.image)))
    });
    Ok(count)
}
