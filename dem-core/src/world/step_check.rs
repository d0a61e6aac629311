//! Whether the present step, before its search for contacts or after its loads, is short enough.

use super::block::{Phase, State, World};
use super::checked_slice::prefix;
use super::free_motion::acts;
use super::law::Law;
use super::same_shapes::fingerprint;
use super::step::{LAW, PollResult, given, unlooked};
use super::step_inputs::StepInputs;
use super::too_fast::Check;
use crate::body::Columns;
use crate::detect::Settings;
use crate::error::{Error, Kind, Result, What};

impl World<'_> {
    /// Settings of the step's search for contacts.
    pub(super) fn settings_of<L: Law>(&self, drive: &StepInputs<'_, L>) -> Settings {
        let State { setup, asked, .. } = self.state[0];
        let spread = drive.settings.spread || (asked & LAW == 0 && drive.law.spread());
        Settings { periods: setup.periods, margin: 0.0, spread, ..drive.settings }
    }

    /// Whether two bodies are too fast for the step, which then goes to [`Phase::Stuck`]. Without `with_loads`, loads of the host are left out.
    ///
    /// Errors: those of [`Check::pairs`]; missing rooms are estimated for the whole step.
    #[inline(never)] // The search for contacts goes deep: this lies beside it on the stack.
    pub(super) fn is_stuck<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        scratch: &mut [u8],
        with_loads: bool,
    ) -> Result<bool> {
        let settings = self.settings_of(drive);
        let State { setup, slots, dt, window, .. } = self.state[0];
        let n = slots as usize;
        let bodies = prefix(self.bodies, n);
        let columns = Columns::new(bodies)?;
        let words = [&*self.shapes, self.groups, self.masks].map(|words| prefix(words, n));
        let given = given(drive.shapes, &columns, prefix(self.scales, n), words, prefix(self.ids, n));
        let loads = if with_loads { prefix(self.loads, n) } else { &[] };
        let (exec, isa, surfaces) = (drive.exec, drive.isa, drive.law.surfaces());
        // Outside of windows, and in windows of one step, the host moves ghosts after the step.
        let ghosts_stay = window.parts > 1 || window.inner > 1;
        let check = Check { exec, isa, bodies, given: &given, setup: &setup, loads, surfaces, dt, ghosts_stay };
        self.state[0].fast = match check.pairs(&self.sizes, scratch) {
            Err(error) if error.kind == Kind::Capacity && error.what == What::Candidates => {
                unlooked(&self.scene, (&given, &settings), error.needed, &mut self.shortage[0])?;
                return Err(error);
            }
            fast => fast?,
        };
        let stuck = self.state[0].fast.ratio > 1.0;
        if stuck {
            self.stands_at(Phase::Stuck);
        }
        Ok(stuck)
    }

    /// Continues after the loads of the host, if the step is short enough for them.
    pub(super) fn behind_loads<L: Law>(&mut self, drive: &StepInputs<'_, L>, scratch: &mut [u8]) -> Result<PollResult> {
        let State { slots, seen_shapes, .. } = self.state[0];
        // Without loads the first check is still valid.
        if prefix(self.loads, slots as usize).iter().any(acts) {
            if seen_shapes != fingerprint(drive.shapes) {
                return Err(Error::new(Kind::Mismatch, What::Shapes));
            }
            if self.is_stuck(drive, scratch, true)? {
                return Ok(PollResult::Stuck);
            }
        }
        self.stands_at(Phase::Move);
        Ok(PollResult::More)
    }
}
