//! One step of a world, phase by phase.

use super::block::{OF_BALLS, Phase, State, TooFast, Window, World, WorldRef, WorldSizes};
use super::checked_slice::{prefix, wrapped};
use super::energy::StepWorks;
use super::law::{Bounded, Law, Recorded, Recorder, Springy};
use super::law_context::{LawContext, Springs};
use super::same_shapes::fingerprint;
use super::step_inputs::{HandedOn, StepInputs};
use super::surfaces::{Moves, at_contacts};
use super::{balls, too_fast};
use crate::array::{Array, Words};
use crate::body::{self, Body, Columns, Works, positive, power};
use crate::contact::shape::Shape;
use crate::detect::laws::{LawInputs, LawOutputs, TakenOver};
use crate::detect::surfaces::Motions;
use crate::detect::{Bodies, Ended, Needs, Scene, SceneRef, Settings, Short, Shortage, Wrench};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, each};
use crate::memory::Layout;
use crate::mesh::NONE;
use crate::real::max;
use crate::vector::add;
use core::sync::atomic::AtomicU32;

/// The inputs for the start of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// Its length in time.
    pub dt: f64,
    /// Whether [`World::poll`] stops at [`PollResult::Loads`], where the host can read contacts and their forces.
    pub loads: bool,
    /// Whether the host has its own law, for which [`World::poll`] stops at [`PollResult::Law`].
    pub law: bool,
}

impl StepOptions {
    /// A step of this length without stops.
    pub fn new(dt: f64) -> Self {
        StepOptions { dt, loads: false, law: false }
    }
}

/// The result of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PollResult {
    /// A phase is done: poll again.
    More = 0,
    /// The host may change [`World::loads_mut`], and polls again.
    Loads = 1,
    /// The host fills [`World::law_mut`], and polls again.
    Law = 2,
    /// The step is complete: [`World::accept`] or [`World::abandon`].
    Done = 3,
    /// Bodies approach each other too fast for this step ([`WorldRef::too_fast`]), by their velocities, gravity and loads of the host: call
    /// [`World::abandon`], and begin a shorter step. The first poll returns it, or the poll after [`PollResult::Loads`].
    Stuck = 4,
}

/// Input and output of a law of the host: an item of each list for each contact of `scene.now()`.
pub struct HostLaw<'w> {
    /// Contacts, and their body pairs.
    pub scene: SceneRef<'w>,
    /// Bodies by slot.
    pub bodies: &'w [Body],
    /// Velocity of A's surface less that of B's (as `force`), and angular velocity of A less that of B (as `torque`), in world axes.
    pub meets: &'w [Wrench],
    /// Output: the force on A at the contact's position, and the additional torque. Zero at first.
    pub acts: &'w mut [Wrench],
    /// The springs of contacts, carried over from the last step. The law writes the new springs here; the next step uses them if this step is
    /// accepted.
    pub springs: &'w mut [Springs],
}

/// Scratch of [`World::poll`] and [`World::advance`] for up to this number of threads. With less, fewer threads work on meshes at the same
/// time.
///
/// Errors: [`Kind::TooLarge`]. Cost: some nanoseconds for each shape and for each part of a compound.
pub fn world_scratch(sizes: &WorldSizes, shapes: &[Shape<'_>], settings: &Settings, threads: usize) -> Result<Layout> {
    let settings = Settings { margin: 0.0, ..*settings };
    let mut needs = Needs::new(&settings, true);
    shapes.iter().try_for_each(|shape| needs.add(shape))?;
    world_scratch_for(sizes, &needs, threads)
}

/// The same for shapes that were counted one by one, with the settings of the polls except their margin, and with ids.
///
/// Errors: [`Kind::TooLarge`]. Cost: some nanoseconds.
pub fn world_scratch_for(sizes: &WorldSizes, needs: &Needs, threads: usize) -> Result<Layout> {
    if !sizes.has_records() {
        return balls::scratch(sizes, needs.has_clumps(), threads);
    }
    let own = needs.layout(&sizes.scene(), threads)?.or(too_fast::scratch(sizes)?);
    Ok(if needs.has_round() { own.or(balls::scratch(sizes, needs.has_clumps(), threads)?) } else { own })
}

/// Bits of [`State::asked`].
const LOADS: u32 = 1;
pub(super) const LAW: u32 = 2;
/// Pairs of balls have no records.
const BALLS: u32 = 4;

/// Number of bodies in a thread's task.
const CHUNK: usize = 1024;

impl WorldRef<'_> {
    /// For a law of the host, at [`PollResult::Law`]: the springs that each contact takes over where contacts have joined or split. From these,
    /// [`take_over`](crate::force::take_over) computes the springs with which [`Laws`](crate::force::Laws) begin.
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] at any other point of the step; [`Kind::Mismatch`] for [`What::Vectors`] if their number
    /// is not that of the contacts. Cost: that of [`SceneRef::taken_over`].
    pub fn taken_over(&self, exec: &dyn Executor, taken: &mut [TakenOver]) -> Result<()> {
        match self.phase() {
            Phase::HostLaw => self.scene().taken_over(exec, self.springs(), taken),
            other => Err(Error::new(Kind::Unsupported, What::Phase).at(other as u64, 0)),
        }
    }
}

impl World<'_> {
    /// Begins a step.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::TimeStep`]; [`Kind::Unsupported`] for [`What::Phase`] if a step is under
    /// way. Cost: none.
    pub fn begin(&mut self, step: &StepOptions) -> Result<()> {
        self.idle()?;
        // Checked first, because a step that is not begun must not change the results of the last window.
        positive(step.dt, What::TimeStep)?;
        self.state[0].window = Window::default();
        self.start(step)?;
        self.watch_anew();
        Ok(())
    }

    /// [`World::begin`] within a window.
    pub(super) fn start(&mut self, step: &StepOptions) -> Result<()> {
        positive(step.dt, What::TimeStep)?;
        let asked = (if step.loads { LOADS } else { 0 }) | (if step.law { LAW } else { 0 });
        let state = &mut self.state[0];
        (state.dt, state.asked, state.fast) = (step.dt, asked, TooFast::default());
        state.watching = state.watched;
        self.stands_at(Phase::Find);
        Ok(())
    }

    /// Sets that pairs of balls have no records in the present step.
    pub(super) fn leave_out_balls(&mut self) {
        self.state[0].asked |= BALLS;
    }

    /// Does one phase of the step: finds contacts, applies the law, moves bodies.
    ///
    /// An error does not change the world: once there is more room ([`World::grow`]), the next poll has the same result as if there had been no
    /// error. No bit depends on the executor, the instruction set, copies or moves of the block between polls, or abandoned steps.
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] outside of a step and after its end; [`Kind::Mismatch`] for [`What::Shapes`] if the
    /// number, the kinds or the sizes of shapes have changed since the contacts of the step were found ([`World::restart`]); those of
    /// [`Scene::find`](crate::detect::Scene::find), of [`SceneRef::apply`] and of [`body::advance`], with slots for indices; [`Kind::OutOfRange`]
    /// for [`What::Acts`] if a force or torque of the law is larger than 2^100, or would by itself move a body by more than 2^20 halos, or turn
    /// it by as many radians, in this step; it has contact, component and ids as from [`SceneRef::apply`]. For [`Kind::Capacity`],
    /// [`WorldRef::shortage`] has all rooms that are too small. Cost: that of the phase.
    pub fn poll<L: Law>(&mut self, drive: &StepInputs<'_, L>, scratch: &mut [u8]) -> Result<PollResult> {
        self.poll_after(drive, &mut HandedOn::default(), scratch)
    }

    /// [`World::poll`] with input from a poll that had too little room: its contacts are not computed again.
    ///
    /// [`Settings::grows`](crate::detect::Settings::grows) states that the host gives more room when asked. A step with too little room then
    /// computes only some pairs of bodies, from which it estimates the need of all pairs.
    ///
    /// Errors, cost: those of [`World::poll`].
    pub fn poll_after<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<PollResult> {
        self.shortage[0] = Shortage::default();
        handed.left = None;
        let done = self.phase(drive, handed, scratch);
        if let Err(error) = &done {
            self.tell_shortage(error);
        }
        done
    }

    /// Stores the room that an error asks for, unless more is known.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_shortage(&mut self, error: &Error) {
        if !self.shortage[0].is_nothing() || error.kind != Kind::Capacity {
            return;
        }
        let needed = error.needed;
        self.shortage[0] = match (error.what, error.component) {
            (What::Candidates, OF_BALLS) => balls::short_of_list(needed, needed, &self.sizes),
            (What::Contacts, OF_BALLS) => Shortage { ball_contacts: needed, ..Shortage::default() },
            _ => Shortage::of(error),
        };
    }

    fn phase<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<PollResult> {
        match self.state[0].phase() {
            Phase::Find => self.find(drive, handed, scratch),
            Phase::Law => self.apply(drive, scratch),
            Phase::HostLaw => self.add_up(drive, scratch),
            Phase::Loads => self.behind_loads(drive, scratch),
            Phase::Move => self.move_bodies(drive.exec),
            Phase::Stuck => Ok(PollResult::Stuck),
            Phase::Idle | Phase::Done => self.expect(&[Phase::Find]).map(|()| PollResult::Done),
        }
    }

    /// Makes the result of the step the state of the world, with its contacts as those that the next step continues.
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] before the step is complete, and after it was accepted. Cost: a copy of the bodies.
    pub fn accept(&mut self) -> Result<()> {
        self.expect(&[Phase::Done])?;
        self.outside()?;
        self.take();
        Ok(())
    }

    /// Accepts a complete step.
    pub(super) fn take(&mut self) {
        let slots = self.state[0].slots as usize;
        let periods = self.state[0].setup.periods;
        for (body, moved) in self.bodies.iter_mut().zip(&*self.moved).take(slots) {
            *body = *moved;
            if periods != [0.0; 3] && body.motion != crate::broad::Motion::Static as u32 {
                body.position = wrapped(body.position, periods);
            }
        }
        let contacts = self.scene.as_ref().now().contacts().len() as u32;
        self.scene.commit();
        let (last, trial) = if self.state[0].half == 0 { (&*self.even, &*self.odd) } else { (&*self.odd, &*self.even) };
        let state = &mut self.state[0];
        // In the order of contacts, on one thread, so that the rounding is always the same.
        let sums = |springs: &[Springs]| {
            springs.iter().fold([0.0; 4], |[normal, stored, damped, worked], springs| {
                let [_, _, _, [n, ..], [s, d, w]] = *springs;
                [normal + n, stored + s, damped + d, worked + w]
            })
        };
        let [_, before, ..] = sums(prefix(last, state.springs as usize));
        let [normal, stored, damped, worked] = sums(prefix(trial, contacts as usize));
        state.lost = [damped, worked - (stored - before)];
        (state.half, state.springs) = (1 - state.half.min(1), contacts);
        (state.time, state.steps) = (state.time + state.dt, state.steps + 1);
        state.watched = state.watching;
        let left_over = state.works.left_over(damped + worked);
        if state.asked & BALLS != 0 {
            let [_, by_balls, worked_by_balls] = state.taken_by_balls;
            state.balance.go_on(left_over + (by_balls + worked_by_balls));
            state.spurious = 0.0;
            let [damped, rubbed] = self.keep_balls();
            let state = &mut self.state[0];
            state.lost = [state.lost[0] + damped, state.lost[1] + rubbed];
        } else {
            state.spurious = state.balance.close(normal, left_over);
            state.lost[1] += self.ball_head[0].take_left();
        }
        self.leave_springs();
        self.stands_at(Phase::Idle);
    }

    /// Takes the step back in any phase: the state is the same as before [`World::begin`], to the bit. Within a window, it ends the window at the
    /// last accepted step; mean wrenches are then 0. Until the next step finds contacts, there are none to read.
    ///
    /// In the report, works and energies that were sums over the last window become those of the window's last step.
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] if there is neither. Cost: none.
    pub fn abandon(&mut self) -> Result<()> {
        use Phase::{Done, Find, HostLaw, Law, Loads, Move, Stuck};
        let in_window = self.outside().is_err();
        // Between steps of balls, too little room leaves a window without a present step.
        if !(self.state[0].phase() == Phase::Idle && in_window) {
            self.expect(&[Find, Law, HostLaw, Loads, Move, Done, Stuck])?;
            self.scene.abandon();
            self.stands_at(Phase::Idle);
        }
        self.state[0].window = Window::default();
        if in_window {
            // These items hold momenta of the window's start.
            self.means.fill(Wrench::default());
        }
        self.take_springs_back();
        Ok(())
    }

    /// Makes the step start again at its first poll, for hosts whose shapes have changed since. Settings of the host stay; the output of a law of
    /// the host is lost. Between steps it has no effect.
    pub fn restart(&mut self) {
        if self.state[0].phase() != Phase::Idle {
            self.scene.abandon();
            self.state[0].fast = TooFast::default();
            self.state[0].watching = self.state[0].watched;
            self.stands_at(Phase::Find);
        }
    }

    /// Input and output of a law of the host, at [`PollResult::Law`].
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] at any other point of the step.
    pub fn law_mut(&mut self) -> Result<HostLaw<'_>> {
        self.expect(&[Phase::HostLaw])?;
        let slots = self.state[0].slots as usize;
        let trial = if self.state[0].half == 0 { &mut *self.odd } else { &mut *self.even };
        let scene = self.scene.as_ref();
        let contacts = scene.now().contacts().len();
        Ok(HostLaw {
            scene,
            bodies: self.bodies.get(..slots).unwrap_or_default(),
            meets: self.meets.get(..contacts).unwrap_or_default(),
            acts: self.acts.get_mut(..contacts).unwrap_or_default(),
            springs: trial.get_mut(..contacts).unwrap_or_default(),
        })
    }

    pub(super) fn stands_at(&mut self, phase: Phase) {
        let state = &mut self.state[0];
        state.phase = phase as u32;
        if matches!(phase, Phase::Idle | Phase::Find) {
            state.seen_shapes = 0;
        }
    }

    fn find<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        handed: &mut HandedOn<'_>,
        scratch: &mut [u8],
    ) -> Result<PollResult> {
        let beside = self.state[0].asked & BALLS != 0;
        if !beside && self.sizes.has_records() {
            self.give_springs()?;
        }
        let State { slots, fast, asked, .. } = self.state[0];
        let has_looked = !self.sizes.has_records() || fast != TooFast::default();
        if !has_looked && self.is_stuck(drive, scratch, asked & LOADS == 0)? {
            return Ok(PollResult::Stuck);
        }
        let settings = self.settings_of(drive);
        let n = slots as usize;
        let bodies = self.bodies.get(..n).unwrap_or_default();
        let columns = Columns::new(bodies)?;
        let words = [&*self.shapes, self.groups, self.masks].map(|words| prefix(words, n));
        let given = given(drive.shapes, &columns, prefix(self.scales, n), words, prefix(self.ids, n));
        if !self.sizes.has_records() {
            // All near pairs of balls, or one for each body if that number is unknown.
            let candidates = max(self.ball_head[0].count.into(), max(n as u64, 16));
            unlooked(&self.scene, (&given, &settings), candidates, &mut self.shortage[0])?;
            return Err(Error::capacity(What::Contacts, self.shortage[0].contacts, 0));
        }
        let (exec, isa, before) = (drive.exec, drive.isa, handed.before.take());
        let ended = self.scene.find_for_world(exec, isa, &given, &settings, beside, before.as_ref(), scratch)?;
        if let Ended::Short(Short { error, shortage, unfinished }) = ended {
            (self.shortage[0], handed.left) = (shortage, unfinished);
            return Err(error);
        }
        self.state[0].seen_shapes = fingerprint(drive.shapes);
        if self.state[0].asked & LAW == 0 {
            self.stands_at(Phase::Law);
            return Ok(PollResult::More);
        }
        self.record(drive, scratch)?;
        self.stands_at(Phase::HostLaw);
        Ok(PollResult::Law)
    }

    /// Fills the input of a law of the host.
    #[inline(never)] // The search for contacts goes deep: no other phase lies below it on the stack.
    fn record<L: Law>(&mut self, drive: &StepInputs<'_, L>, scratch: &mut [u8]) -> Result<()> {
        let State { slots, half, springs, dt, .. } = self.state[0];
        let (n, scene) = (slots as usize, self.scene.as_ref());
        let contacts = scene.now().contacts().len();
        let (last, trial) = halves(half, springs, &mut *self.even, &mut *self.odd);
        let motions = motions_of(prefix(self.bodies, n))?;
        let moves = at_contacts((drive.exec, drive.isa), &scene, &motions, (drive.law.surfaces(), dt), scratch)?;
        let given = LawInputs { springs: last, ..Moves::told(moves.as_ref(), motions) };
        let springs = trial.get_mut(..contacts).unwrap_or_default();
        let out = LawOutputs { acts: &mut *self.meets, springs, wrenches: &mut *self.wrenches };
        scene.apply(drive.exec, &Recorder, &given, out)?;
        self.acts.get_mut(..contacts).unwrap_or_default().fill(Wrench::default());
        Ok(())
    }

    #[inline(never)]
    fn apply<L: Law>(&mut self, drive: &StepInputs<'_, L>, scratch: &mut [u8]) -> Result<PollResult> {
        let State { slots, half, springs, dt, seen_shapes, .. } = self.state[0];
        if seen_shapes != fingerprint(drive.shapes) {
            return Err(Error::new(Kind::Mismatch, What::Shapes));
        }
        let (n, scene) = (slots as usize, self.scene.as_ref());
        let contacts = scene.now().contacts().len();
        let bodies = prefix(self.bodies, n);
        let (last, trial) = halves(half, springs, &mut *self.even, &mut *self.odd);
        let motions = motions_of(bodies)?;
        let moves = at_contacts((drive.exec, drive.isa), &scene, &motions, (drive.law.surfaces(), dt), scratch)?;
        let given = LawInputs { springs: last, ..Moves::told(moves.as_ref(), motions) };
        let springs = trial.get_mut(..contacts).unwrap_or_default();
        let out = LawOutputs { acts: &mut *self.acts, springs, wrenches: &mut *self.wrenches };
        let (materials, scales) = (prefix(self.materials, n), prefix(self.scales, n));
        let (shapes, shape_of) = (drive.shapes, prefix(self.shapes, n));
        let law = drive.law.of(LawContext { bodies, materials, scales, shapes, shape_of, dt });
        let first = AtomicU32::new(NONE);
        let law = Bounded { law: Springy(law), bodies, dt, first: &first };
        let applied = scene.apply(drive.exec, &law, &given, out);
        applied.map_err(|e| self.material_without_law(drive.law).unwrap_or(e))?;
        let acts = self.acts.get(..contacts).unwrap_or_default();
        law.check(&scene, acts)?;
        drop(law);
        let power = moves.map_or(Ok(0.0), |moves| moves.power(drive.exec, &scene, &motions, acts));
        self.state[0].by_vertices = dt * power?;
        if self.state[0].asked & BALLS != 0 && !self.add_balls(drive, scratch)? {
            // A step with records finds the error.
            self.state[0].asked &= !BALLS;
            self.scene.abandon();
            self.stands_at(Phase::Find);
            return Ok(PollResult::More);
        }
        Ok(self.then_loads())
    }

    /// The first body whose material the law does not know, which is the reason for NaN forces.
    fn material_without_law<L: Law>(&self, law: &L) -> Option<Error> {
        let materials = law.known()?.materials() as u64;
        let n = self.state[0].slots as usize;
        let mut there = prefix(self.materials, n).iter().zip(prefix(self.groups, n)).enumerate();
        let (slot, (own, _)) = there.find(|(_, (own, groups))| **groups != 0 && u64::from(**own) >= materials)?;
        Some(Error::new(Kind::BadIndex, What::Materials).at(slot as u64, 0).amounts(materials, u64::from(*own)))
    }

    /// Sums the forces of a law of the host.
    #[inline(never)]
    fn add_up<L: Law>(&mut self, drive: &StepInputs<'_, L>, scratch: &mut [u8]) -> Result<PollResult> {
        let State { slots, half, springs, dt, .. } = self.state[0];
        let scene = self.scene.as_ref();
        let (_, trial) = halves(half, springs, &mut *self.even, &mut *self.odd);
        let first = AtomicU32::new(NONE);
        let bodies = prefix(self.bodies, slots as usize);
        let law = Bounded { law: Recorded(self.acts, trial), bodies, dt, first: &first };
        let motions = motions_of(bodies)?;
        let given = LawInputs { motions, ..LawInputs::default() };
        // Relative velocities there are not needed any more.
        let out = LawOutputs { acts: &mut *self.meets, springs: &mut [], wrenches: &mut *self.wrenches };
        scene.apply(drive.exec, &law, &given, out).map_err(|e| law.law.named(e))?;
        let acts = self.acts.get(..scene.now().contacts().len()).unwrap_or_default();
        law.check(&scene, acts)?;
        let moves = at_contacts((drive.exec, drive.isa), &scene, &motions, (drive.law.surfaces(), dt), scratch)?;
        let power = moves.map_or(Ok(0.0), |moves| moves.power(drive.exec, &scene, &motions, acts));
        self.state[0].by_vertices = dt * power?;
        Ok(self.then_loads())
    }

    fn then_loads(&mut self) -> PollResult {
        let (phase, want) = if self.state[0].asked & LOADS == 0 {
            (Phase::Move, PollResult::More)
        } else {
            (Phase::Loads, PollResult::Loads)
        };
        self.stands_at(phase);
        want
    }

    fn move_bodies(&mut self, exec: &dyn Executor) -> Result<PollResult> {
        let State { setup, slots, dt, .. } = self.state[0];
        let n = slots as usize;
        let loads = prefix(self.loads, n);
        // A NaN load is reported by its slot, not as part of a sum.
        for (i, load) in loads.iter().enumerate() {
            let wrong = load.force.iter().chain(&load.torque).position(|x| !x.is_finite());
            if let Some(k) = wrong {
                return Err(Error::new(Kind::NotFinite, What::Wrenches).at(i as u64, k as u32));
            }
        }
        self.watch_step(self.state[0].asked & BALLS != 0)?;
        let loads = prefix(self.loads, n);
        let moved = self.moved.get_mut(..n).unwrap_or_default();
        moved.copy_from_slice(prefix(self.bodies, n));
        let totals = self.totals.get_mut(..n).unwrap_or_default();
        let sources = (Cut(prefix(self.wrenches, n), CHUNK), Cut(loads, CHUNK), CutMut(&mut *totals, CHUNK));
        each(exec, sources, |_, (wrenches, loads, totals)| {
            for ((total, wrench), load) in totals.iter_mut().zip(wrenches).zip(loads) {
                *total = Wrench { force: add(wrench.force, load.force), torque: add(wrench.torque, load.torque) };
            }
        });
        let step = body::Step { dt, gravity: setup.gravity, order: setup.order(), rotation: setup.rotation() };
        let Works { wrenches, gravity, rotation } = body::advance(exec, moved, totals, &step)?;
        let (mut loads, mut driven) = (0.0, self.state[0].by_vertices);
        let acting = prefix(self.wrenches, n).iter().zip(prefix(self.loads, n));
        for ((body, moved), (wrench, load)) in self.bodies.iter().zip(&*moved).zip(acting) {
            if !body.is_dynamic() {
                driven -= dt * power(wrench, body);
            } else if *load != Wrench::default() {
                loads += 0.5 * dt * (power(load, body) + power(load, moved));
            }
        }
        self.state[0].works = StepWorks { wrenches, gravity, loads, driven, rotation };
        self.stands_at(Phase::Done);
        Ok(PollResult::Done)
    }
}

/// The rooms that a step lacks that has not computed contacts, with this number of candidates.
#[cold]
#[inline(never)] // The search for contacts goes deep: this lies beside it on the stack.
pub(super) fn unlooked(
    scene: &Scene<'_>,
    (bodies, settings): (&Bodies<'_>, &Settings),
    candidates: u64,
    short: &mut Shortage,
) -> Result<()> {
    *short = scene.unlooked(bodies, None, (settings, false), Shortage { candidates, ..Shortage::default() })?;
    // The world has room for the bodies, even if the scene has not.
    short.bodies = 0;
    Ok(())
}

impl WorldRef<'_> {
    /// The pair of bodies that approaches fastest in the step, among the pairs that were checked: see [`TooFast`].
    pub fn too_fast(&self) -> TooFast {
        self.state[0].fast
    }

    /// Calls `work` with the bodies at their accepted state, in the form of input for scenes, [`rays`](crate::rays) and bounds; their indices are
    /// slots. `shapes`: as for [`World::poll`]. Free slots are bodies without groups, which meet no others.
    ///
    /// Errors: those of `work`. Cost: none.
    pub fn with_bodies<R>(&self, shapes: &[Shape<'_>], work: impl FnOnce(&Bodies<'_>) -> Result<R>) -> Result<R> {
        self.with_first(self.len(), shapes, work)
    }

    /// The same with at most the first `n` slots.
    pub(super) fn with_first<R>(
        &self,
        n: usize,
        shapes: &[Shape<'_>],
        work: impl FnOnce(&Bodies<'_>) -> Result<R>,
    ) -> Result<R> {
        let columns = Columns::new(prefix(self.bodies(), n))?;
        let words = [self.shapes(), self.groups, self.masks].map(|words| prefix(words, n));
        work(&given(shapes, &columns, prefix(self.scales, n), words, prefix(self.ids, n)))
    }
}

/// The bodies of a world; words are shapes, groups and masks.
pub(super) fn given<'g>(
    shapes: &'g [Shape<'g>],
    columns: &Columns<'g>,
    scales: &'g [f64],
    words: [&'g [u32]; 3],
    ids: &'g [u64],
) -> Bodies<'g> {
    let [shape, groups, masks] = words.map(Words::from_slice);
    Bodies {
        orientations: Some(columns.orientations),
        scales: Some(Array::from_numbers(scales)),
        motions: Some(columns.motions),
        groups: Some(groups),
        masks: Some(masks),
        ids: Some(Words::from_slice(ids)),
        ..Bodies::new(shapes, shape, columns.positions)
    }
}

/// The motion of bodies, for contacts.
fn motions_of(bodies: &[Body]) -> Result<Motions<'_>> {
    let columns = Columns::new(bodies)?;
    let (velocities, spins) = (Some(columns.velocities), Some(columns.angular_velocities));
    Ok(Motions { velocities, spins, ..Motions::default() })
}

/// Springs of the accepted state, and memory for those of the step.
fn halves<'s>(
    half: u32,
    count: u32,
    even: &'s mut [Springs],
    odd: &'s mut [Springs],
) -> (&'s [Springs], &'s mut [Springs]) {
    let (last, trial) = if half == 0 { (even, odd) } else { (odd, even) };
    (last.get(..count as usize).unwrap_or_default(), trial)
}
