//! Steps of worlds of balls and half-spaces alone, without records.
//!
//! Where the law is one whose formulas are known ([`Law::known`]), all steps of a window but its last one are taken here: pairs wait in a list with a skin, beside each of them its springs, and forces
//! are worked out on the walk over the list, several pairs at a time. There are no records, no matching and no springs by records. What comes out is what the general
//! step comes to, but for rounding: formulas are the same functions, and the springs turn by the same rotations.
//!
//! # Order
//! Pairs are in the order of the ids of A and B, and so are sums. Of a pair the nearest image counts, so periods have to be so long that no other one is near; else the general
//! steps are taken. So no bit depends on the age of the list, its skin or the instruction set.
//!
//! # Springs
//! They are in the list while such steps are taken, and go to contacts of the scene's committed step, as if that had found them, when the general steps go on.
//!
//! # Errors
//! A step reads bodies, marks and springs, and writes to scratch. What went wrong leaves no trace: too little room is told, and the step is taken again with more. All else (loads
//! that are no numbers, bodies that are too far) is left to the general step, which tells what it is.

mod motion;
mod round;
mod springs;
mod walk;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use self::round::Rate;
use self::walk::{Seen, Walk};
use super::block::{Phase, Setup, State, TooFast, Window, World, WorldSizes};
use super::law::Law;
use super::slots::put;
use super::step::{Drive, given, prefix};
use crate::body::{self, Columns};
use crate::broad::{Candidate, Motion};
use crate::contact::shape::Shape;
use crate::detect::{Needs, Settings};
use crate::error::{Error, Kind, Result, What};
use crate::force::Laws;
use crate::memory::{Layout, sections};
use crate::pose::{Pose, product};
use crate::real::{max, min};
use crate::vector::{dot, scale, sub};

/// Marks body B of pairs that touch, and so have springs.
const TOUCHES: u32 = 1 << 31;

/// The rotation of what does not turn.
const STILL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Springs of a pair that touches: slide, twist along the normal, roll, and which body is a half-space: A (-1), B (1) or none (0).
pub(super) type PairSprings = [f64; 8];

/// What there is of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Head {
    /// Pairs.
    pub count: u32,
    /// 1 where springs are in the list, not in the scene.
    pub holds: u32,
    /// Which of both lists of springs holds: even (0) or odd (1). It has an item for each pair that touches, in their order.
    pub half: u32,
    /// Pairs that touch.
    pub touching: u32,
}

/// What a list was made for. It is none where bodies have joined or left since.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Listed {
    periods: [f64; 3],
    skin: f64,
    bodies: u32,
    /// 1 where there is one.
    pub whole: u32,
}

sections! {
    /// Bodies as the walk over pairs reads them.
    struct Hot<'s>(n: &WorldSizes, rest: Layout; bodies = u64::from(n.bodies), candidates = u64::from(n.candidates)) {
        /// Centre, and radius with halo; of a half-space infinite.
        places: [[f64; 4]; bodies],
        /// All that forces depend on besides: two lines of cache.
        rates: [Rate; bodies],
        orientations: [[f64; 4]; bodies],
        /// Force and torque.
        sums: [[f64; 6]; bodies],
        found: [Candidate; candidates],
        /// Body B of each pair, marked where it touches after the step.
        marks: [u32; candidates],
        rest: { rest },
    }
}

/// Scratch of [`World::ball_steps`].
pub(super) fn scratch(n: &WorldSizes, needs: &Needs) -> Result<Layout> {
    Hot::layout(n, needs.within_margin().layout(&n.scene(), 1)?)
}

impl World<'_> {
    /// Takes as many steps of the window as can be taken so, but not its last one. Gives whether it took some.
    ///
    /// Errors: [`Kind::Capacity`] for candidates, scratch and contacts.
    pub(super) fn ball_steps<L: Law>(&mut self, drive: &Drive<'_, L>, scratch: &mut [u8]) -> Result<bool> {
        let State { setup, slots, window, springs, .. } = self.state[0];
        let held = self.ball_head[0].holds != 0;
        let left = window.parts.saturating_sub(window.next + 1);
        let (Some(laws), true) = (drive.law.known(), left >= 1 && window.inner == 1) else { return Ok(false) };
        if self.state[0].phase() != Phase::Idle || setup.order != 0 || setup.rotation != 0 {
            return Ok(false);
        }
        let n = slots as usize;
        if !(0..n).all(|i| self.is_round(i, drive, &laws)) || self.has_turned_planes(drive, n) {
            return Ok(false);
        }
        let sizes = self.sizes;
        let mut needs = Needs::new(&drive.settings, true);
        drive.shapes.iter().try_for_each(|shape| needs.add(shape))?;
        // Where the table has other shapes, scratch has no room for these steps.
        if !needs.are_round() {
            return Ok(false);
        }
        let mut hot = Hot::new(scratch, &sizes, needs.within_margin().layout(&sizes.scene(), 1)?)?;
        let reach = self.warm(&mut hot, drive, n);
        let shortest = setup.periods.iter().filter(|x| **x > 0.0).fold(f64::INFINITY, |least, x| min(least, *x));
        // Whatever the skin, the same steps are taken here.
        if shortest < 2.1 * (2.0 * reach) {
            return Ok(false);
        }
        let skin = if drive.settings.skin > 0.0 { drive.settings.skin } else { 0.1 * reach };
        let mut skin = min(skin, shortest / 2.001 - 2.0 * reach);
        let dt = window.length / window.parts as f64;
        let walk =
            Walk { isa: drive.isa, laws, periods: setup.periods, near: 0.499 * shortest, thinnest: 1e-3 * reach, dt };
        let mut taken = 0;
        let mut done = Ok(());
        while taken < left && !walk.is_fast(&hot, n, setup.gravity) {
            match self.ball_step(drive, &mut hot, &walk, &mut skin) {
                Ok(true) => taken += 1,
                Ok(false) => break,
                Err(error) if error.kind == Kind::Capacity => {
                    done = Err(error);
                    break;
                }
                Err(_) => break,
            }
        }
        if taken == 0 && !held {
            // Springs are still with the contacts of the committed step.
            (self.ball_head[0].holds, self.state[0].springs) = (0, springs);
        }
        self.cool(&hot, n, taken > 0);
        done?;
        self.give_springs()?;
        Ok(taken > 0)
    }

    /// Whether a body is one for these steps, or a free slot.
    fn is_round<L>(&self, i: usize, drive: &Drive<'_, L>, laws: &Laws<'_>) -> bool {
        let (Some(body), Some(shape)) = (self.bodies.get(i), self.shapes.get(i)) else { return false };
        let fixed = body.motion == Motion::Static as u32;
        if body.check(0).is_err() {
            return false;
        }
        if self.groups.get(i).is_none_or(|groups| *groups == 0) {
            return fixed;
        }
        if self.materials.get(i).is_none_or(|material| *material as usize >= laws.materials()) {
            return false;
        }
        let [a, b, c] = body.moments;
        match drive.shapes.get(*shape as usize) {
            Some(Shape::Sphere { radius, halo }) => *radius + *halo > 0.0 && (!body.is_dynamic() || a == b && b == c),
            Some(Shape::HalfSpace { .. }) => fixed,
            _ => false,
        }
    }

    /// Whether the host has turned a half-space since the last step: a general step turns springs with it.
    fn has_turned_planes<L>(&self, drive: &Drive<'_, L>, n: usize) -> bool {
        let poses = self.scene.as_ref().committed().poses();
        let bodies = prefix(self.bodies, n).iter().zip(&*self.shapes).zip(poses);
        bodies
            .filter(|((_, shape), _)| matches!(drive.shapes.get(**shape as usize), Some(Shape::HalfSpace { .. })))
            .any(|((body, _), pose)| body.orientation != pose.orientation)
    }

    /// Copies bodies to where the walk reads them; gives the largest radius with halo.
    fn warm<L>(&self, hot: &mut Hot<'_>, drive: &Drive<'_, L>, n: usize) -> f64 {
        let last = self.scene.as_ref().committed();
        let holds = self.ball_head[0].holds != 0;
        let mut most = 0.0;
        for i in 0..n {
            let (Some(body), Some(shape), Some(scale)) = (self.bodies.get(i), self.shapes.get(i), self.scales.get(i))
            else {
                break;
            };
            let there = self.groups.get(i).is_some_and(|groups| *groups != 0);
            let (radius, halo) = match drive.shapes.get(*shape as usize) {
                Some(Shape::Sphere { radius, halo }) if there => (radius * scale, halo * scale),
                Some(Shape::HalfSpace { halo }) if there => (-1.0, halo * scale),
                _ => (0.0, 0.0),
            };
            let [x, y, z] = body.position;
            let reach = if radius < 0.0 { f64::INFINITY } else { radius + halo };
            put(hot.places, i, [x, y, z, reach]);
            if radius >= 0.0 {
                most = max(most, reach);
            }
            let light = if body.is_dynamic() { [1.0 / body.mass, 1.0 / body.moments[0]] } else { [0.0; 2] };
            put(hot.orientations, i, body.orientation);
            let turn = if radius < 0.0 {
                let [x, y, z] = body.pose().transform(What::Pose).map_or([0.0; 3], |t| t.rotate([0.0, 0.0, 1.0]));
                [x, y, z, 0.0]
            } else {
                match last.poses().get(i) {
                    // A window that goes on behind an error goes on with the same bits.
                    Some(_) if holds => self.moved.get(i).map_or([0.0; 4], |moved| moved.orientation),
                    Some(before) => since(before.orientation, body.orientation),
                    _ => STILL,
                }
            };
            let (velocity, spin) = (body.velocity, body.angular_velocity);
            let (mass, motion) = (body.mass, f64::from(body.motion));
            put(hot.rates, i, Rate { velocity, spin, light, turn, radius, halo, mass, motion });
        }
        most
    }

    /// Copies bodies back, and how they were turned a step ago, where they have moved.
    fn cool(&mut self, hot: &Hot<'_>, n: usize, moved: bool) {
        if !moved {
            return;
        }
        for (i, body) in self.bodies.iter_mut().enumerate().take(n) {
            let (Some([x, y, z, _]), Some(rate), Some(turned)) =
                (hot.places.get(i), hot.rates.get(i), hot.orientations.get(i))
            else {
                break;
            };
            if body.motion <= Motion::Kinematic as u32 {
                body.position = [*x, *y, *z];
                (body.velocity, body.angular_velocity) = (rate.velocity, rate.spin);
                body.orientation = *turned;
            }
        }
        for (moved, rate) in self.moved.iter_mut().zip(&*hot.rates).take(n) {
            moved.orientation = rate.turn;
        }
        let State { setup: Setup { periods, .. }, dt, .. } = self.state[0];
        let bodies = prefix(self.bodies, n);
        self.scene.commit_poses(
            periods,
            bodies.iter().enumerate().map(|(i, body)| {
                let orientation = match hot.rates.get(i) {
                    Some(rate) if rate.radius >= 0.0 => before(rate.turn, body.orientation),
                    _ => body.orientation,
                };
                Pose {
                    position: sub(
                        body.position,
                        scale(body.velocity, if body.motion <= Motion::Kinematic as u32 { dt } else { 0.0 }),
                    ),
                    orientation,
                }
            }),
        );
        self.state[0].springs = 0;
    }

    /// One step. Gives whether it was taken: numbers that are none or too large are left to the general step.
    ///
    /// Errors: [`Kind::Capacity`] and others of the search; nothing but the list has changed then.
    fn ball_step<L>(
        &mut self,
        drive: &Drive<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        skin: &mut f64,
    ) -> Result<bool> {
        let State { setup, slots, .. } = self.state[0];
        let n = slots as usize;
        self.listed(drive, hot, walk, skin, n)?;
        if self.ball_head[0].holds == 0 {
            self.take_springs(hot);
        }
        let count = self.ball_head[0].count as usize;
        let pairs = self.ball_pairs.get_mut(..count).unwrap_or_default();
        let half = self.ball_head[0].half;
        let (springs, trial) = match half {
            0 => (&*self.ball_even, &mut *self.ball_odd),
            _ => (&*self.ball_odd, &mut *self.ball_even),
        };
        let room = self.even.len();
        let seen = Seen {
            materials: prefix(self.materials, n),
            shapes: drive.shapes,
            shape_of: prefix(self.shapes, n),
            scales: prefix(self.scales, n),
        };
        let Some((lost, touching)) = walk.walk(hot, &seen, pairs, springs, trial) else { return Ok(false) };
        if touching > room {
            return Err(Error::capacity(What::Contacts, touching as u64, room as u64));
        }
        let Some(works) = walk.advance(hot, prefix(self.loads, n), setup.gravity, n) else { return Ok(false) };
        for (pair, mark) in pairs.iter_mut().zip(&*hot.marks) {
            pair[1] = *mark;
        }
        (self.ball_head[0].half, self.ball_head[0].touching) = (1 - half.min(1), touching as u32);
        let state = &mut self.state[0];
        let Window { start, length, parts, next, works: before, lost: sum, .. } = state.window;
        let next = next + 1;
        state.window = Window {
            next,
            works: [before[0] + works[0], before[1] + works[1]],
            lost: [sum[0] + lost[0], sum[1] + lost[1]],
            ..state.window
        };
        (state.dt, state.works, state.lost, state.fast) = (walk.dt, works, lost, TooFast::default());
        state.time = start + length * (next as f64 / parts as f64);
        state.steps += 1;
        Ok(true)
    }

    /// Sees to it that the list holds all pairs that touch.
    fn listed<L>(
        &mut self,
        drive: &Drive<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        skin: &mut f64,
        n: usize,
    ) -> Result<()> {
        let now = Listed { periods: walk.periods, skin: *skin, bodies: n as u32, whole: 1 };
        if self.ball_list[0] == now && walk.stays(hot, prefix(self.ball_listed, n), 0.499 * *skin) {
            return Ok(());
        }
        self.ball_list[0].whole = 0;
        for (body, place) in self.bodies.iter_mut().zip(&*hot.places).take(n) {
            let [x, y, z, _] = *place;
            body.position = [x, y, z];
        }
        let bodies = prefix(self.bodies, n);
        let columns = Columns::new(bodies)?;
        let words = [&*self.shapes, self.groups, self.masks].map(|words| prefix(words, n));
        let ids = prefix(self.ids, n);
        let given = given(drive.shapes, &columns, prefix(self.scales, n), words, ids);
        let found = loop {
            let settings = Settings { periods: walk.periods, margin: *skin, skin: 0.0, ..drive.settings };
            match self.scene.candidates(drive.exec, drive.isa, &given, &settings, hot.found, hot.rest) {
                // Where there is no room for a list with this skin, there may be for a thinner one.
                Err(error) if error.kind == Kind::Capacity && error.what == What::Candidates && *skin > 0.0 => {
                    *skin = if *skin > walk.thinnest { 0.5 * *skin } else { 0.0 };
                }
                found => break found?,
            }
        };
        let now = Listed { skin: *skin, ..now };
        let id = |pair: &[u32; 2]| pair.map(|i| ids.get((i & !TOUCHES) as usize).copied().unwrap_or_default());
        let old = self.ball_head[0].count as usize;
        let carries = self.ball_head[0].holds != 0;
        let springs = if self.ball_head[0].half == 0 { &mut *self.ball_even } else { &mut *self.ball_odd };
        // Pairs keep their order, so springs move forward only.
        let (mut from, mut to) = (0, 0);
        let mut before = prefix(self.ball_pairs, old).iter().filter(|[_, b]| b & TOUCHES != 0).peekable();
        for candidate in hot.found.iter_mut().take(if carries { found } else { 0 }) {
            let pair = [candidate.a, candidate.b];
            while before.next_if(|old| id(old) < id(&pair)).is_some() {
                from += 1;
            }
            if before.next_if(|old| id(old) == id(&pair)).is_some() {
                candidate.b |= TOUCHES;
                springs.copy_within(from..from + 1, to);
                (from, to) = (from + 1, to + 1);
            }
        }
        for (pair, candidate) in self.ball_pairs.iter_mut().zip(&*hot.found).take(found) {
            *pair = [candidate.a, candidate.b];
        }
        self.ball_head[0].touching = to as u32;
        self.ball_head[0].count = found as u32;
        for (listed, place) in self.ball_listed.iter_mut().zip(&*hot.places).take(n) {
            *listed = *place;
        }
        // A half-space is where its normal says, too.
        for (i, listed) in self.ball_listed.iter_mut().enumerate().take(n) {
            if listed[3] == f64::INFINITY {
                *listed = plane(hot, i);
            }
        }
        self.ball_list[0] = now;
        Ok(())
    }
}

/// The rotation between two orientations.
fn since(before: [f64; 4], now: [f64; 4]) -> [f64; 4] {
    let [x, y, z, w] = body::unit(before);
    body::unit(product(body::unit(now), [-x, -y, -z, w]))
}

/// The orientation before a rotation.
fn before([x, y, z, w]: [f64; 4], now: [f64; 4]) -> [f64; 4] {
    body::unit(product([-x, -y, -z, w], body::unit(now)))
}

/// The plane of a half-space: its normal, and how high it is along it with its halo.
fn plane(hot: &Hot<'_>, i: usize) -> [f64; 4] {
    let (Some([x, y, z, _]), Some(rate)) = (hot.places.get(i), hot.rates.get(i)) else { return [0.0; 4] };
    let [u, v, w, _] = rate.turn;
    [u, v, w, dot([*x, *y, *z], [u, v, w]) + rate.halo]
}
