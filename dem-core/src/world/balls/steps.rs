//! Consecutive steps, as long as balls stay near their listed positions.

use zerocopy::{FromBytes, IntoBytes};

use super::ball_rows::Points;
use super::force_limits::are_trusted;
use super::fused_pass::{Ahead, Go};
use super::list_state::{Head, OWN};
use super::motion::Moving;
use super::pair_kernel::{rates_mut, rates_of};
use super::pieces::{BAD, BODIES, FAST, HALO, LEFT, PAIRS, Part};
use super::scratch::Hot;
use super::thread_pass::Before;
use super::thread_split::{Across, Division, From, Segments};
use super::touching_pairs::{OF_PARTS, Places, enough, words_of};
use super::view::{Copies, LARGE, Seen, Share, WRONG, Walk};
use crate::error::{Kind, Result};
use crate::world::block::{TooFast, Window, World};
use crate::world::checked_slice::prefix;
use crate::world::energy::StepWorks;
use crate::world::law::Law;
use crate::world::step_inputs::StepInputs;

/// The results of a step's forces.
pub(super) struct Forces {
    /// Number of near pairs.
    pub near: u32,
    /// See [`Share::taken`].
    pub taken: [f64; 3],
    /// Positions of springs.
    segments: Segments,
}

impl Forces {
    fn new(segments: Segments, taken: [f64; 3]) -> Self {
        Forces { near: segments.all() as u32, taken, segments }
    }
}

/// The state between two steps of a call.
pub(super) struct Between<'k> {
    /// The skin of the list, which may become thinner.
    pub skin: &'k mut f64,
    /// The parts of bodies and of the list for each thread; none before it is made for this list.
    division: Option<Division>,
    /// Positions of the springs of the accepted state.
    segments: Segments,
    /// The forces of the next step, if the last step found them as it moved the bodies.
    ready: Option<Forces>,
    /// Power of loads on bodies in their present state.
    power: f64,
}

impl<'k> Between<'k> {
    /// Before the first step, with this number of touching pairs.
    pub fn new(skin: &'k mut f64, touching: u32) -> Self {
        Between { skin, division: None, segments: Segments::whole(touching), ready: None, power: 0.0 }
    }
}

/// The conditions of one step.
#[derive(Clone, Copy)]
struct Asked {
    /// No body has left the place where it was listed.
    stays: bool,
    /// Springs come from the contacts of the scene's committed step.
    from_scene: bool,
    /// Another step may follow.
    goes_on: bool,
}

/// Whether these bits require the general step.
fn is_end(what: u64) -> bool {
    what & BAD != 0 || what & (FAST | HALO) == FAST | HALO
}

impl World<'_> {
    /// Takes steps until `left` are taken, or until a step is not suited. Returns the number of steps taken.
    ///
    /// Errors: [`Kind::Capacity`].
    pub(super) fn take_steps<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        skin: &mut f64,
        (left, held): (u64, bool),
    ) -> (u64, Result<()>) {
        let mut taken = 0;
        let listed = prefix(self.ball_listed, walk.bodies);
        let bodies = prefix(self.bodies, walk.bodies);
        let (rates, loads) = (rates_of(self.moved), prefix(self.loads, walk.bodies));
        let mut what = match hot.points() {
            points if points.is_none() => {
                let loads = if walk.has_loads { loads } else { &[] };
                walk.look_at_bodies((bodies, rates, loads), listed, self.ball_list[0].leash())
            }
            points => walk.look_at_all_points(hot.places, (bodies, rates, loads), &points),
        };
        let mut between = Between::new(skin, self.ball_head[0].touching);
        if walk.has_loads {
            between.power = self.power_of_loads(walk.bodies);
        }
        while taken < left && !is_end(what) {
            let asked = Asked {
                stays: what & LEFT == 0,
                from_scene: taken == 0 && !held,
                goes_on: taken + 1 < left && walk.trusts_loads,
            };
            match self.ball_step(drive, hot, walk, &mut between, asked) {
                Ok(Some(then)) => (taken, what) = (taken + 1, then),
                Err(error) if error.kind == Kind::Capacity => return (taken, Err(error)),
                Ok(None) | Err(_) => break,
            }
        }
        self.close_gaps(&mut between);
        (taken, Ok(()))
    }

    /// Makes the springs of the accepted state contiguous.
    fn close_gaps(&mut self, between: &mut Between<'_>) {
        let Head { half, words, .. } = self.ball_head[0];
        let own = if half == 0 { &mut *self.ball_even } else { &mut *self.ball_odd };
        if between.segments.is_open() {
            between.segments.close(&mut Places::new(own, words));
        }
    }

    /// Takes one step. Returns the bits of bodies after it; none if it was not taken, because numbers that are NaN or too large are left to the
    /// general step.
    ///
    /// Errors: [`Kind::Capacity`] and others of the search; only the list may have changed then.
    fn ball_step<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        between: &mut Between<'_>,
        asked: Asked,
    ) -> Result<Option<u64>> {
        let forces = match between.ready.take() {
            Some(forces) => Some(forces),
            None => self.forces(drive, hot, walk, between, (asked.stays, OWN))?,
        };
        let Some(Forces { near, taken, segments }) = forces else { return Ok(None) };
        let watches = self.state[0].watches != 0;
        if watches {
            self.state[0].watching = self.state[0].watched;
            self.watch_balls(drive, hot, walk, near);
            self.tell((asked.from_scene, !asked.from_scene), false, near)?;
            self.state[0].watched = self.state[0].watching;
        }
        self.state[0].springs = 0;
        let head = &mut self.ball_head[0];
        let lost = head.goes_on(near, taken);
        head.dt = walk.dt;
        between.segments = segments;
        let goes_ahead = asked.goes_on && hot.owners.is_empty() && !watches;
        let Part { works: [wrenches, gravity], power, driven, rotation, what } =
            if goes_ahead && self.is_listed(walk, *between.skin) {
                self.move_ahead(drive, hot, walk, between)
            } else {
                self.move_balls(drive, hot, walk)
            };
        // At the mean of old and new velocity, as for all works.
        let loads = if walk.has_loads { 0.5 * walk.dt * (between.power + power) } else { 0.0 };
        between.power = power;
        let works = StepWorks { wrenches, gravity, loads, driven, rotation };
        let [_, damped, worked] = taken;
        let state = &mut self.state[0];
        state.balance.go_on(works.left_over(damped + worked));
        state.spurious = 0.0;
        let Window { start, length, parts, next, works: before, lost: sum, .. } = state.window;
        let next = next + 1;
        state.window =
            Window { next, works: before.and(&works), lost: [sum[0] + lost[0], sum[1] + lost[1]], ..state.window };
        (state.dt, state.works, state.lost, state.fast) = (walk.dt, works, lost, TooFast::default());
        state.time = start + length * (next as f64 / parts as f64);
        state.steps += 1;
        Ok(Some(what))
    }

    /// Moves all bodies by the forces of the step.
    fn move_balls<L: Law>(&mut self, drive: &StepInputs<'_, L>, hot: &mut Hot<'_>, walk: &Walk<'_>) -> Part {
        let (leash, n) = (self.ball_list[0].leash(), walk.bodies);
        let Hot { places, parts, listed, owners, firsts, radii, arms, point_ends, .. } = hot;
        let points = Points { owners, firsts, radii, arms };
        let parts = parts.get_mut(..n.div_ceil(BODIES)).unwrap_or_default();
        let to = Moving {
            places: places.get_mut(..walk.points).unwrap_or_default(),
            rates: rates_mut(self.moved).get_mut(..n).unwrap_or_default(),
            bodies: self.bodies.get_mut(..n).unwrap_or_default(),
            sums: prefix(self.totals, n),
            loads: prefix(self.loads, if walk.has_loads || !points.is_none() { n } else { 0 }),
            means: self.means.get_mut(..n).unwrap_or_default(),
            listed: if points.is_none() { prefix(self.ball_listed, n) } else { listed },
        };
        match points.is_none() {
            true => walk.advance(drive.exec, to, leash, parts),
            false => walk.advance_points(drive.exec, to, (&points, point_ends), leash, parts),
        }
    }

    /// The same, and computes the forces of the next step in the same walk, if the next step has the same conditions.
    fn move_ahead<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        between: &mut Between<'_>,
    ) -> Part {
        let (exec, leash, n) = (drive.exec, self.ball_list[0].leash(), walk.bodies);
        let division = between.division.unwrap_or(Division::ONE);
        let mut across = match division.threads() {
            1 => None,
            _ => Across::new(hot.rest, &self.sizes, walk.threads as u64)
                .ok()
                .filter(|across| across.has_copies(&division)),
        };
        if division.threads() > 1 && across.is_none() {
            return self.move_balls(drive, hot, walk);
        }
        let Head { count, half, words, trial_words: each, .. } = self.ball_head[0];
        let (before, trial) = match half {
            0 => (&*self.ball_even, &mut *self.ball_odd),
            _ => (&*self.ball_odd, &mut *self.ball_even),
        };
        let rates = rates_mut(self.moved).get_mut(..n).unwrap_or_default();
        let bodies = self.bodies.get_mut(..n).unwrap_or_default();
        let sums = self.totals.get_mut(..n).unwrap_or_default();
        let loads = prefix(self.loads, if walk.has_loads { n } else { 0 });
        if let Some(across) = &mut across {
            across.advance(exec, walk, &division, &From { rates, bodies, sums, loads });
        }
        let (copies, shared) = match &mut across {
            None => (Copies::default(), None),
            Some(across) => {
                let (copies, marks, shares) = across.split();
                (copies, Some((marks, shares)))
            }
        };
        let like = Seen {
            first: 0,
            copies,
            places: &[],
            points: Points::default(),
            rates: &[],
            bodies: &[],
            materials: prefix(self.materials, n),
            ids: prefix(self.ids, n),
            shapes: drive.shapes,
            shape_of: prefix(self.shapes, n),
            scales: prefix(self.scales, n),
        };
        let all = Ahead {
            walk,
            like,
            rates,
            bodies,
            sums,
            loads,
            means: self.means.get_mut(..n).unwrap_or_default(),
            listed: prefix(self.ball_listed, n),
            leash,
            parts: hot.parts.get_mut(..n.div_ceil(BODIES)).unwrap_or_default(),
            has_all: true,
            moved: 0,
            what: 0,
        };
        let go = Go {
            exec,
            division: &division,
            pairs: prefix(self.ball_pairs, count as usize),
            before: Before { words: before, each: words, segments: &between.segments },
        };
        let (part, found) = match shared {
            None => go.alone(all, Places::new(trial, each)),
            Some(shared) => go.on_threads(all, Places::new(trial, each), shared),
        };
        // If anything is out of the ordinary, the next step computes its forces again, as a first step does.
        if let (Some((segments, Share { taken, is_wrong: 0 })), 0) = (found, part.what & LEFT)
            && !is_end(part.what)
        {
            between.ready = Some(Forces::new(segments, taken));
        }
        part
    }

    /// Forces of all pairs of balls, summed for each body in `totals`, and springs after the step. None if numbers are NaN or too large.
    ///
    /// Errors: [`Kind::Capacity`] and others of the search; only the list may have changed then.
    pub(super) fn forces<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        between: &mut Between<'_>,
        (stays, holds): (bool, u32),
    ) -> Result<Option<Forces>> {
        let (exec, n) = (drive.exec, walk.bodies);
        self.close_gaps(between);
        let is_new = self.listed(drive, hot, walk, between.skin, stays)?;
        let points = hot.points();
        let each = if points.is_none() { words_of(&walk.laws) } else { OF_PARTS };
        if !self.ball_head[0].has_springs() {
            // This overwrites no springs that were copied from here: a step that copies springs is a general one.
            let stay = if points.is_none() { self.take_springs(each)? } else { self.take_part_springs(&points)? };
            if !stay {
                return Ok(None);
            }
            self.ball_head[0].holds = holds;
        }
        self.ball_head[0].trial_words = each;
        let Head { count, half, touching, words, .. } = self.ball_head[0];
        between.segments = Segments::whole(touching);
        let pairs = prefix(self.ball_pairs, count as usize);
        let (before, trial) = match half {
            0 => (&*self.ball_even, &mut *self.ball_odd),
            _ => (&*self.ball_odd, &mut *self.ball_even),
        };
        let before = Before { words: before, each: words, segments: &between.segments };
        let trial = Places::new(trial, each);
        let seen = Seen {
            first: 0,
            copies: Copies::default(),
            places: prefix(hot.places, walk.points),
            points: Points { owners: hot.owners, firsts: hot.firsts, radii: hot.radii, arms: hot.arms },
            rates: prefix(rates_of(self.moved), n),
            bodies: prefix(self.bodies, n),
            materials: prefix(self.materials, n),
            ids: prefix(self.ids, n),
            shapes: drive.shapes,
            shape_of: prefix(self.shapes, n),
            scales: prefix(self.scales, n),
        };
        // In steps with other bodies, loads are added elsewhere.
        let loads = prefix(self.loads, if holds == OWN { n } else { 0 });
        let are_small = loads.is_empty() || walk.trusts_loads;
        let sums = self.totals.get_mut(..n).unwrap_or_default();
        let room = trial.len() as u64;
        if is_new || between.division.is_none() {
            let mut division = Division::new(walk.threads, n, pairs, (seen.ids, &seen.points));
            if division.threads() > 1 {
                let mut across = Across::new(hot.rest, &self.sizes, walk.threads as u64)?;
                across.make(exec, &mut division, pairs, &seen.points);
            }
            between.division = Some(division);
        }
        let division = between.division.unwrap_or(Division::ONE);
        if division.threads() == 1 {
            let (near, Share { taken, is_wrong }) = walk.act_alone(seen, pairs, (before, trial), sums);
            enough(near, room, each)?;
            let is_right =
                is_wrong & WRONG == 0 && ((is_wrong & LARGE == 0 && are_small) || walk.are_bounded(sums, loads));
            return Ok(is_right.then_some(Forces::new(Segments::whole(near as u32), taken)));
        }
        let mut across = Across::new(hot.rest, &self.sizes, walk.threads as u64)?;
        let counts = across.near.get_mut(..pairs.len().div_ceil(PAIRS)).unwrap_or_default();
        enough(walk.look(exec, &seen, pairs, counts), room, each)?;
        let (segments, Share { taken, is_wrong }) =
            walk.act(exec, seen, pairs, (before, trial), (&mut across, &division, &mut *sums));
        let parts = hot.parts.get_mut(..n.div_ceil(BODIES)).unwrap_or_default();
        let is_right = is_wrong & WRONG == 0
            && ((is_wrong & LARGE == 0 && are_small) || walk.are_all_bounded(exec, loads, (sums, parts)));
        Ok(is_right.then_some(Forces::new(segments, taken)))
    }

    /// Power of loads, summed in the same order as by the steps.
    fn power_of_loads(&self, n: usize) -> f64 {
        let bodies = prefix(self.bodies, n).chunks(BODIES).zip(prefix(self.loads, n).chunks(BODIES));
        bodies.fold(0.0, |all, (bodies, loads)| {
            let mut part = Part::default();
            part.add_loads(bodies, loads);
            all + part.power
        })
    }

    /// Whether loads are so small that they alone never make a sum too large.
    pub(super) fn has_small_loads(&self, n: usize) -> bool {
        are_trusted(prefix(self.loads, n))
    }

    /// Whether there are loads.
    pub(super) fn has_loads(&self, n: usize) -> bool {
        let numbers = <[u64]>::ref_from_bytes(prefix(self.loads, n).as_bytes()).unwrap_or_default();
        numbers.iter().any(|bits| *bits != 0)
    }
}
