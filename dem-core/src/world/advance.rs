//! Many steps in one call: over a window of time, in equal steps.

use super::block::{Phase, Records, State, Window, World};
use super::checked_slice::prefix;
use super::law::Law;
use super::step::{PollResult, StepOptions};
use super::step_inputs::{HandedOn, StepInputs};
use crate::body::{Body, positive};
use crate::contact::shape::Shape;
use crate::detect::{Shortage, Wrench, check_number, check_shapes};
use crate::error::{Error, Kind, Result, What};
use crate::vector::{add, scale, sub};

/// Largest number of parts into which a step is divided if bodies are too fast for it.
const MOST_PARTS: u64 = 1 << 20;

/// The result of a step of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowStep {
    /// Its length in time.
    pub dt: f64,
    /// Whether it was the last step.
    pub complete: bool,
}

impl World<'_> {
    /// Advances the world over a window of time, in equal steps of at most `most_dt`, and accepts each step. Loads of the host are constant
    /// over the window. Step `i` of `n` ends at `start + length * i / n`, so that times do not drift.
    /// Meshes stay as given for the whole window. If [vertices move](super::WithSurfaces) so that a wall changes its shape, take the steps of the
    /// window one by one ([`World::advance_step`]).
    ///
    /// A step in which bodies would approach too fast is divided into as many steps as needed.
    /// [`WorldRef::mean_wrenches`](super::WorldRef::mean_wrenches) then has the mean force and torque of contacts on each body. For a
    /// dynamic body it is the change of momentum over the length of the window, less loads and gravity; for others it is the mean of the
    /// steps. [`Report`](super::Report) has the works of all steps.
    ///
    /// After an error of too little room, the window is still under way: with more room the same call continues it, with the same result.
    /// [`World::abandon`] ends it at the last accepted step. Any other error ends it there, too; an error in the first step leaves the state as
    /// it was before the call.
    ///
    /// Errors: those of [`World::begin`] and [`World::poll`]; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Window`] (its
    /// length) and [`What::TimeStep`]; [`Kind::Mismatch`] for [`What::Window`] if another window is under way; [`Kind::TooLarge`] for
    /// [`What::Window`] of more than 2^40 steps, and for [`What::TimeStep`] if a step would be divided into more than 2^20.
    pub fn advance<L: Law>(
        &mut self,
        length: f64,
        most_dt: f64,
        drive: &StepInputs<'_, L>,
        scratch: &mut [u8],
    ) -> Result<()> {
        self.advance_after(length, most_dt, drive, &mut HandedOn::default(), scratch)
    }

    /// [`World::advance`] with input from a call that had too little room ([`World::poll_after`]).
    ///
    /// Errors: those of [`World::advance`].
    pub fn advance_after<L: Law>(
        &mut self,
        length: f64,
        most_dt: f64,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<()> {
        handed.left = None;
        self.open_window(length, most_dt, drive.shapes)?;
        let done = self.through(drive, handed, scratch);
        self.close_window(done)
    }

    /// Takes the next step of a window; the first call opens the window. A series of such calls has the same result as [`World::advance`], which
    /// can also take the rest of a window that was opened in this way.
    ///
    /// Between calls the host may refit meshes to the vertex positions at [`WorldRef::time`](super::WorldRef::time), if walls change their shape;
    /// [`World::advance`] leaves meshes unchanged for a whole window. The host may also read contacts and sum [loads of
    /// vertices](crate::detect::surfaces::MovingSurface::loads). The sum over steps of `dt` times the loads, over the length of the window, is
    /// the mean load; for the wall as a whole it is the mean wrench. The host may not change bodies and loads until the window is complete.
    ///
    /// Every step has records of meshes. In a world of balls and half-spaces only, every step has all records, so that sums are rounded as in
    /// steps by [`World::poll`].
    ///
    /// Errors: as for [`World::advance`].
    pub fn advance_step<L: Law>(
        &mut self,
        length: f64,
        most_dt: f64,
        drive: &StepInputs<'_, L>,
        scratch: &mut [u8],
    ) -> Result<WindowStep> {
        self.advance_step_after(length, most_dt, drive, &mut HandedOn::default(), scratch)
    }

    /// [`World::advance_step`] with input from a call that had too little room ([`World::poll_after`]).
    ///
    /// Errors: those of [`World::advance`].
    pub fn advance_step_after<L: Law>(
        &mut self,
        length: f64,
        most_dt: f64,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<WindowStep> {
        handed.left = None;
        self.open_window(length, most_dt, drive.shapes)?;
        let done = loop {
            if self.has_taken_all() {
                break self.give_springs_of_parts();
            }
            match self.part(drive, handed, scratch) {
                Ok(false) => {}
                Ok(true) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.close_window(done)?;
        let State { dt, window, .. } = self.state[0];
        Ok(WindowStep { dt, complete: window.parts == 0 })
    }

    /// Opens a window, or continues the open one.
    fn open_window(&mut self, length: f64, most_dt: f64, shapes: &[Shape<'_>]) -> Result<()> {
        if self.state[0].window.parts == 0 {
            self.idle()?;
            positive(length, What::Window)?;
            positive(most_dt, What::TimeStep)?;
            let parts = libm::ceil(length / most_dt * (1.0 - 1e-12));
            if parts > MOST_PARTS as f64 * MOST_PARTS as f64 {
                return Err(Error::new(Kind::TooLarge, What::Window).amounts(MOST_PARTS * MOST_PARTS, parts as u64));
            }
            // Checked here as well as in each step, so that after an error the results of the window before still stand.
            check_shapes(shapes)?;
            let mut numbers = prefix(self.shapes, self.state[0].slots as usize).iter().enumerate();
            numbers.try_for_each(|(i, shape)| check_number(i, *shape, shapes.len()))?;
            self.watch_anew();
            let (start, parts) = (self.state[0].time, (parts as u64).max(1));
            self.state[0].window = Window { start, length, most: most_dt, parts, inner: 1, ..Window::default() };
        }
        let Window { length: own, most, .. } = self.state[0].window;
        if (own, most) != (length, most_dt) {
            return Err(Error::new(Kind::Mismatch, What::Window));
        }
        if self.state[0].window.is_new() {
            // Again at the first step, because the world may have got more room since.
            self.remember();
        }
        self.shortage[0] = Shortage::default();
        Ok(())
    }

    /// Ends a window whose last step is done, or one that cannot continue.
    fn close_window(&mut self, done: Result<()>) -> Result<()> {
        if let Err(error) = &done {
            self.tell_shortage(error);
        }
        let Window { length, next, parts, .. } = self.state[0].window;
        match done {
            Ok(()) if next < parts => {}
            Ok(()) => {
                self.average(length);
                self.state[0].window.parts = 0;
            }
            Err(e) if e.kind == Kind::Capacity => {}
            // The first error is returned, not that of `abandon`.
            Err(_) => _ = self.abandon(),
        }
        done
    }

    /// Takes all remaining steps of the window.
    fn through<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<()> {
        while !self.has_taken_all() {
            if !self.ball_steps(drive, scratch)? {
                self.part(drive, handed, scratch)?;
            }
        }
        self.give_springs_of_parts()
    }

    /// Whether all steps of the window are done. Then only room for springs can be missing, which an error has reported.
    fn has_taken_all(&self) -> bool {
        let Window { next, parts, .. } = self.state[0].window;
        next >= parts
    }

    /// Takes one of the equal steps, or the rest of it. Returns false if the step was too long and has been divided instead.
    fn part<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<bool> {
        let State { window, .. } = self.state[0];
        if self.state[0].phase() == Phase::Idle {
            let dt = window.length / window.parts as f64 / window.inner as f64;
            // A later step finds the contacts of other bodies. Until a general step is accepted, the springs of the list are kept, because some
            // may belong to other bodies now.
            let is_general = self.as_ref().has_list_alone() || self.ball_head[0].copied != 0;
            if self.sizes.has_records() && self.as_ref().has_list_alone() {
                self.give_springs()?;
            }
            self.start(&StepOptions::new(dt))?;
            let is_last = window.next + 1 == window.parts && window.inner_next + 1 == window.inner;
            let shows_all = is_last && self.as_ref().records() == Records::Last;
            if !shows_all && !is_general && self.has_balls_beside(drive) {
                self.leave_out_balls();
            }
        }
        let stuck = loop {
            match self.poll_after(drive, handed, scratch)? {
                PollResult::Done => break false,
                PollResult::Stuck => break true,
                PollResult::More | PollResult::Loads | PollResult::Law => {}
            }
        };
        if stuck {
            // Divides the rest of this part so that its steps are short enough now.
            let (fast, dt) = (self.state[0].fast, self.state[0].dt);
            let times = (libm::ceil(dt / fast.dt) as u64).max(2);
            let inner = window.inner.saturating_mul(times);
            if inner > MOST_PARTS {
                let most = Error::new(Kind::TooLarge, What::TimeStep).amounts(MOST_PARTS, inner);
                return Err(most.at(u64::from(fast.a), fast.b));
            }
            self.scene.abandon();
            self.stands_at(Phase::Idle);
            self.state[0].window = Window { inner, inner_next: window.inner_next * times, ..window };
            return Ok(false);
        }
        self.add_to_means();
        self.take();
        let state = &mut self.state[0];
        let works = state.window.works.and(&state.works);
        let lost = [0, 1].map(|k| state.window.lost[k] + state.lost[k]);
        let spurious = state.window.spurious + state.spurious;
        let mut window = Window { inner_next: window.inner_next + 1, works, lost, spurious, ..window };
        if window.inner_next == window.inner {
            window = Window { next: window.next + 1, inner: 1, inner_next: 0, ..window };
            state.time = window.start + window.length * (window.next as f64 / window.parts as f64);
        }
        state.window = window;
        Ok(true)
    }

    /// Adds the impulse of the step to the means of bodies whose momentum does not give it.
    fn add_to_means(&mut self) {
        let dt = self.state[0].dt;
        for ((mean, body), wrench) in self.means.iter_mut().zip(&*self.bodies).zip(&*self.wrenches) {
            if !body.is_dynamic() {
                mean.force = add(mean.force, scale(wrench.force, dt));
                mean.torque = add(mean.torque, scale(wrench.torque, dt));
            }
        }
    }

    /// Stores the momenta at the start of a window.
    fn remember(&mut self) {
        self.state[0].no_means = u32::from(!self.sizes.has_records());
        for (mean, body) in self.means.iter_mut().zip(&*self.bodies) {
            *mean = momentum(body);
        }
    }

    /// Converts the stored momenta to mean wrenches.
    fn average(&mut self, length: f64) {
        let gravity = self.state[0].setup.gravity;
        if self.state[0].no_means == 1 {
            self.means.fill(Wrench::default());
            return;
        }
        for ((mean, body), load) in self.means.iter_mut().zip(&*self.bodies).zip(&*self.loads) {
            let now = momentum(body);
            let over = |sum| scale(sum, 1.0 / length);
            let rate = |now, before| over(sub(now, before));
            let weight = scale(gravity, body.mass);
            *mean = match body.is_dynamic() {
                true => Wrench {
                    force: sub(sub(rate(now.force, mean.force), load.force), weight),
                    torque: sub(rate(now.torque, mean.torque), load.torque),
                },
                false => Wrench { force: over(mean.force), torque: over(mean.torque) },
            };
        }
    }
}

/// Momentum, and angular momentum about the centre of mass, of a dynamic body.
fn momentum(body: &Body) -> Wrench {
    if !body.is_dynamic() {
        return Wrench::default();
    }
    Wrench { force: scale(body.velocity, body.mass), torque: body.angular_momentum() }
}
