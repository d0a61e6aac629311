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

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::block::{Phase, Setup, State, TooFast, Window, World, WorldSizes};
use super::law::Law;
use super::round::{Acting, BLOCK, IN, OUT, Rate, Settle, Touching, Waiting};
use super::slots::put;
use super::step::{Drive, given, prefix, wrapped};
use crate::body::{self, Body, Columns, is_bounded};
use crate::broad::{Candidate, Motion};
use crate::contact::shape::{Balls, Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room};
use crate::detect::{Needs, ScenePair, Settings, Wrench};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Serial, Work};
use crate::force::{Interaction, Laws};
use crate::memory::{Layout, hash_items, sections};
use crate::mesh::NONE;
use crate::pose::{Pose, product};
use crate::real::{Real, max, min};
use crate::simd::{Isa, dispatch};
use crate::vector::{add, dot, length, scale, sub};

/// Marks body B of pairs that touch, and so have springs.
const TOUCHES: u32 = 1 << 31;

/// The rotation of what does not turn.
const STILL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Pairs that are looked at together.
const CHUNK: usize = 64;

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

    /// Takes springs from the contacts of the committed step into the list.
    fn take_springs(&mut self, hot: &Hot<'_>) {
        let State { half, springs, setup, .. } = self.state[0];
        let from = if half == 0 { &*self.even } else { &*self.odd };
        let from = from.get(..springs as usize).unwrap_or_default();
        let scene = self.scene.as_ref();
        let mut pairs = scene.committed().pairs().iter().peekable();
        let ids = &*self.ids;
        let Head { count, half: own_half, .. } = self.ball_head[0];
        let to = if own_half == 0 { &mut *self.ball_even } else { &mut *self.ball_odd };
        let mut touching = 0;
        for pair in self.ball_pairs.iter_mut().take(count as usize) {
            pair[1] &= !TOUCHES;
            let own = pair.map(|i| ids.get(i as usize).copied().unwrap_or_default());
            while pairs.next_if(|before| before.ids < own).is_some() {}
            let Some(before) = pairs.next_if(|before| before.ids == own) else { continue };
            let Some([slide, twist, rolled, ..]) = from.get(before.first as usize) else { continue };
            let side = side(pair.map(|i| hot.rates.get(i as usize).is_some_and(|rate| rate.radius < 0.0)));
            let along = dot(*twist, normal(scene.committed().poses(), *pair, side, setup.periods));
            pair[1] |= TOUCHES;
            put(to, touching, [slide[0], slide[1], slide[2], along, rolled[0], rolled[1], rolled[2], side]);
            touching += 1;
        }
        (self.ball_head[0].holds, self.ball_head[0].touching) = (1, touching as u32);
        self.state[0].springs = 0;
    }

    /// Gives the springs of the list to contacts of the committed step, where they are in the list.
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Contacts`]; they are left where they are then.
    pub(super) fn give_springs(&mut self) -> Result<()> {
        if self.ball_head[0].holds == 0 {
            return Ok(());
        }
        let State { half, setup, .. } = self.state[0];
        let pairs = prefix(self.ball_pairs, self.ball_head[0].count as usize);
        let springs = if self.ball_head[0].half == 0 { &*self.ball_even } else { &*self.ball_odd };
        let touching = || pairs.iter().filter(|[_, b]| b & TOUCHES != 0).zip(springs);
        let (needed, room) = (touching().count(), self.even.len());
        if needed > room {
            return Err(Error::capacity(What::Contacts, needed as u64, room as u64));
        }
        let (ids, bodies) = (&*self.ids, &*self.bodies);
        self.scene.commit_round(
            setup.periods,
            touching().map(|([a, b], springs)| {
                let slots = [*a, b & !TOUCHES];
                let [own, other] = slots.map(|i| bodies.get(i as usize).map_or([0.0; 3], |body: &Body| body.position));
                let ids = slots.map(|i| ids.get(i as usize).copied().unwrap_or_default());
                let flat = springs[7] != 0.0;
                // A half-space has no images.
                let shift = [0, 1, 2].map(|k| match flat {
                    true => 0,
                    false => -nearest(other[k] - own[k], setup.periods[k]) as i16,
                });
                ScenePair { ids, a: slots[0], b: slots[1], shift, posed: NONE, ..ScenePair::default() }
            }),
        );
        let to = if half == 0 { &mut *self.even } else { &mut *self.odd };
        for (springs, ([a, b], own)) in to.iter_mut().zip(touching()) {
            let [x, y, z, along, u, v, w, side] = *own;
            let normal = normal(self.scene.as_ref().committed().poses(), [*a, b & !TOUCHES], side, setup.periods);
            *springs = [[x, y, z], scale(normal, along), [u, v, w], [0.0; 3], [0.0; 3]];
        }
        self.state[0].springs = needed as u32;
        self.ball_head[0].holds = 0;
        Ok(())
    }
}

/// The whole periods by which two bodies that are `d` apart are nearer by an image.
#[inline(always)]
fn nearest(d: f64, period: f64) -> f64 {
    // Adding and taking away this rounds to a whole number.
    const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
    if period > 0.0 { (d / period + WHOLE) - WHOLE } else { 0.0 }
}

/// As [`body::turn`], where the angle is small by its series.
#[inline(always)]
fn turn_of(spin: [f64; 3], dt: f64) -> [f64; 4] {
    let half = 0.5 * dt;
    let x = half * half * dot(spin, spin);
    if x > 0.01 {
        return body::turn(spin, dt);
    }
    // Rests are below 1e-17.
    let sine = 1.0 - x * (1.0 / 6.0) * (1.0 - x * 0.05 * (1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0))));
    let cosine = 1.0
        - x * 0.5
            * (1.0 - x * (1.0 / 12.0) * (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0) * (1.0 - x * (1.0 / 90.0)))));
    let [a, b, c] = scale(spin, half * sine);
    [a, b, c, cosine]
}

/// As [`body::turned`], of a unit quaternion in common cases without scaling.
#[inline(always)]
fn turned_by(turn: [f64; 4], orientation: [f64; 4]) -> [f64; 4] {
    let ([x, y, z, w], [a, b, c, d]) = (turn, orientation);
    let square = a * a + b * b + c * c + d * d;
    if !(0.5..2.0).contains(&square) {
        return body::turned(turn, orientation);
    }
    let [a, b, c, d] = [
        w * a + d * x + (y * c - z * b),
        w * b + d * y + (z * a - x * c),
        w * c + d * z + (x * b - y * a),
        w * d - (x * a + y * b + z * c),
    ];
    let unit = 1.0 / Real::sqrt(a * a + b * b + c * c + d * d);
    [a * unit, b * unit, c * unit, d * unit]
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

/// Which of two bodies is a half-space: A (-1), B (1) or none (0).
#[inline(always)]
fn side(flat: [bool; 2]) -> f64 {
    if flat[0] {
        -1.0
    } else if flat[1] {
        1.0
    } else {
        0.0
    }
}

/// The normal of the contact of two balls that are there, or of a ball and a half-space: B (1) or A (-1).
fn normal(poses: &[Pose], pair: [u32; 2], side: f64, periods: [f64; 3]) -> [f64; 3] {
    let [own, other] = pair.map(|i| poses.get(i as usize).copied().unwrap_or_default());
    if side != 0.0 {
        let flat = if side > 0.0 { other } else { own };
        return flat.transform(What::Pose).map_or([0.0; 3], |t| t.rotate([0.0, 0.0, side]));
    }
    let d = sub(own.position, other.position);
    let d = [0, 1, 2].map(|k| d[k] - nearest(d[k], periods[k]) * periods[k]);
    let long = length(d);
    if long > 0.0 { scale(d, 1.0 / long) } else { [0.0; 3] }
}

/// What bodies are made of and look like.
struct Seen<'s> {
    materials: &'s [u32],
    shapes: &'s [Shape<'s>],
    shape_of: &'s [u32],
    scales: &'s [f64],
}

impl Seen<'_> {
    /// The contact of two bodies at these positions, by the general way.
    fn contact(
        &self,
        isa: Isa,
        slots: [usize; 2],
        positions: [[f64; 3]; 2],
        flat: [Option<[f64; 4]>; 2],
    ) -> Result<Option<Contact>> {
        let poses =
            [0, 1].map(|k| Pose { position: positions[k], orientation: flat[k].unwrap_or(Pose::IDENTITY.orientation) });
        let [a, b] = [0, 1].map(|k| {
            let shape = *self.shapes.get(*self.shape_of.get(slots[k])? as usize)?;
            Some(Placed { shape, pose: &poses[k], scale: self.scales.get(slots[k]).copied().unwrap_or(1.0) })
        });
        let Some((a, b)) = a.zip(b) else { return Ok(None) };
        let request = Request::new(0, Room { pairs: 0, terms: 0, segments: 0 });
        let mut found = [Contact::default()];
        let made = shape_contacts(Work::new(&Serial, isa, &mut []), &a, &b, &request, &mut found, None)?;
        Ok((made.contacts > 0).then_some(found[0]))
    }
}

/// What is the same for all steps of a call.
struct Walk<'l> {
    isa: Isa,
    laws: Laws<'l>,
    periods: [f64; 3],
    /// A little less than half of the shortest period.
    near: f64,
    /// No skin but none is thinner than half of this.
    thinnest: f64,
    dt: f64,
}

/// What waits for others like it.
struct Queue<'l> {
    waiting: Waiting,
    /// Places in the list.
    which: [usize; BLOCK],
    /// Slots of A and B.
    slots: [[usize; 2]; BLOCK],
    materials: [u32; 2],
    law: Option<&'l Interaction>,
    lost: [f64; 2],
    out: [[f64; BLOCK]; OUT],
    /// Pairs that touch.
    touching: usize,
    /// Whether all contacts are of finite numbers.
    finite: bool,
}

/// What the walk writes: marks and springs of pairs, and sums of bodies.
struct After<'h> {
    marks: &'h mut [u32],
    springs: &'h mut [PairSprings],
    sums: &'h mut [[f64; 6]],
}

impl<'l> Walk<'l> {
    /// The centre of A less that of B, of which the nearest image counts.
    #[inline(always)]
    fn apart(&self, p: &[f64; 4], q: &[f64; 4]) -> [f64; 3] {
        let d = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let far = max(max(Real::abs(d[0]), Real::abs(d[1])), Real::abs(d[2]));
        // Most are near each other as they are.
        if far < self.near { d } else { self.image(d) }
    }

    #[cold]
    fn image(&self, d: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| d[k] - nearest(d[k], self.periods[k]) * self.periods[k])
    }

    /// Whether a body moves by more than half of its own halo in the next step.
    fn is_fast(&self, hot: &Hot<'_>, n: usize, gravity: [f64; 3]) -> bool {
        let fallen = scale(gravity, self.dt);
        hot.rates.iter().take(n).any(|Rate { velocity, light, halo, .. }| {
            let v = if light[0] > 0.0 { add(*velocity, fallen) } else { *velocity };
            *halo > 0.0 && dot(v, v) * (self.dt * self.dt) > 0.25 * halo * halo
        })
    }

    /// Whether no body has gone farther than this from where it was listed.
    fn stays(&self, hot: &Hot<'_>, listed: &[[f64; 4]], limit: f64) -> bool {
        let mut stays = true;
        for (i, (place, before)) in hot.places.iter().zip(listed).enumerate() {
            if place[3] == f64::INFINITY {
                stays &= plane(hot, i) == *before;
                continue;
            }
            let d = self.apart(place, before);
            stays &= dot(d, d) <= limit * limit && place[3] == before[3];
        }
        stays
    }

    /// Forces at all pairs, added up for bodies. Marks go to the scratch, and springs to `trial`, as they are after the step. Gives what damping and friction have dissipated, and
    /// how many pairs touch; none where a contact is no finite one.
    fn walk(
        &self,
        hot: &mut Hot<'_>,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        springs: &[PairSprings],
        trial: &mut [PairSprings],
    ) -> Option<([f64; 2], usize)> {
        let Hot { places, rates, orientations, sums, marks, .. } = hot;
        let (places, rates) = (&**places, &**rates);
        let mut out = After { marks, springs: trial, sums };
        out.sums.fill([0.0; 6]);
        let mut queue = Queue {
            waiting: Waiting { rows: [[0.0; BLOCK]; IN], count: 0 },
            which: [0; BLOCK],
            slots: [[0; 2]; BLOCK],
            materials: [u32::MAX; 2],
            law: None,
            lost: [0.0; 2],
            out: [[0.0; BLOCK]; OUT],
            touching: 0,
            finite: true,
        };
        let bodies = Seats { places, orientations };
        let (mut first, mut carried) = (0, 0);
        for chunk in pairs.chunks(CHUNK) {
            // First those that are near, without branches that nobody can foretell: their places, and those of their springs.
            let mut near = [[0; 2]; CHUNK];
            let mut count = 0;
            for (k, (&[a, marked], mark)) in (0..).zip(chunk.iter().zip(out.marks.iter_mut().skip(first))) {
                let b = marked & !TOUCHES;
                *mark = b;
                let (Some(p), Some(q)) = (places.get(a as usize), places.get(b as usize)) else { continue };
                let (d, reach) = (self.apart(p, q), p[3] + q[3]);
                let touched = marked / TOUCHES;
                near[count & (CHUNK - 1)] = [k, if touched > 0 { carried } else { NONE }];
                count += usize::from(dot(d, d) <= reach * reach * (1.0 + 1e-9));
                carried += touched;
            }
            for &[k, spring] in near.get(..count).unwrap_or_default() {
                let Some(&[a, marked]) = chunk.get(k as usize) else { continue };
                let (i, j) = (a as usize, (marked & !TOUCHES) as usize);
                let (Some(p), Some(q)) = (places.get(i), places.get(j)) else { continue };
                let (Some(own), Some(other)) = (rates.get(i), rates.get(j)) else { continue };
                let materials = [i, j].map(|i| seen.materials.get(i).copied().unwrap_or_default());
                if materials != queue.materials {
                    self.settle(&mut queue, &bodies, seen, &mut out);
                    (queue.materials, queue.law) = (materials, self.laws.between(materials[0], materials[1]));
                }
                let at = queue.waiting.count & (BLOCK - 1);
                queue.which[at] = first + k as usize;
                queue.slots[at] = [i, j];
                let had = springs.get(spring as usize).unwrap_or(&[0.0; 8]);
                queue.waiting.put(at, self.apart(p, q), [own, other], had);
                queue.waiting.count = at + 1;
                // A half-space is not for lanes.
                if at + 1 == BLOCK || p[3] + q[3] == f64::INFINITY {
                    self.settle(&mut queue, &bodies, seen, &mut out);
                }
            }
            first += chunk.len();
        }
        self.settle(&mut queue, &bodies, seen, &mut out);
        queue.finite.then_some((queue.lost, queue.touching))
    }

    /// The forces of all that wait, in their order.
    #[inline(never)]
    fn settle(&self, queue: &mut Queue<'l>, bodies: &Seats<'_>, seen: &Seen<'_>, after: &mut After<'_>) {
        let (count, Some(law)) = (queue.waiting.count, queue.law) else { return };
        if count == 0 {
            return;
        }
        let Queue { waiting, out, .. } = queue;
        let kernel = Settle { waiting, law, dt: self.dt, out };
        let ordinary = dispatch(self.isa, kernel);
        queue.waiting.count = 0;
        for at in 0..count.min(BLOCK) {
            let (k, slots) = (queue.which[at], queue.slots[at]);
            let out = &mut queue.out;
            let flat = [queue.waiting.rows[3][at] < 0.0, queue.waiting.rows[4][at] < 0.0];
            if ordinary >> at & 1 == 0 || flat != [false; 2] {
                let row = match self.alone(&queue.waiting, at, slots, bodies, seen, law) {
                    Ok(Some(row)) => row,
                    Ok(None) => continue,
                    Err(_) => {
                        queue.finite = false;
                        continue;
                    }
                };
                out.iter_mut().zip(row).for_each(|(to, x)| to[at] = x);
            }
            if let Some(mark) = after.marks.get_mut(k) {
                *mark |= TOUCHES;
            }
            let [slide, roll] = [9, 13].map(|k| [out[k][at], out[k + 1][at], out[k + 2][at]]);
            let own = [slide[0], slide[1], slide[2], out[12][at], roll[0], roll[1], roll[2], side(flat)];
            put(after.springs, queue.touching, own);
            queue.touching += 1;
            queue.lost = [queue.lost[0] + out[16][at], queue.lost[1] + out[17][at]];
            let force = [out[0][at], out[1][at], out[2][at]];
            if let Some([a, b, c, d, e, f]) = after.sums.get_mut(slots[0]) {
                (*a, *b, *c) = (*a + force[0], *b + force[1], *c + force[2]);
                (*d, *e, *f) = (*d + out[3][at], *e + out[4][at], *f + out[5][at]);
            }
            if let Some([a, b, c, d, e, f]) = after.sums.get_mut(slots[1]) {
                (*a, *b, *c) = (*a - force[0], *b - force[1], *c - force[2]);
                (*d, *e, *f) = (*d + out[6][at], *e + out[7][at], *f + out[8][at]);
            }
        }
    }

    /// A pair that is out of the ordinary, or with a half-space.
    #[cold]
    fn alone(
        &self,
        waiting: &Waiting,
        at: usize,
        slots: [usize; 2],
        bodies: &Seats<'_>,
        seen: &Seen<'_>,
        law: &Interaction,
    ) -> Result<Option<[f64; OUT]>> {
        let row = |k: usize| waiting.rows[k][at];
        let three = |k: usize| [row(k), row(k + 1), row(k + 2)];
        let four = |k: usize| [row(k), row(k + 1), row(k + 2), row(k + 3)];
        let radii = [row(3), row(4)];
        let [p, q] = slots.map(|i| bodies.places[i]);
        let own = [p[0], p[1], p[2]];
        let is_flat = radii.map(|radius| radius < 0.0);
        let (contact, other) = if is_flat == [false; 2] {
            let other = sub(own, three(0));
            (Balls::new([own, other], radii, [row(5), row(6)]).contact(0), other)
        } else {
            let other = [q[0], q[1], q[2]];
            let flat = [0, 1].map(|k| is_flat[k].then(|| bodies.orientations[slots[k]]));
            (seen.contact(self.isa, slots, [own, other], flat)?, other)
        };
        let Some(contact) = contact else { return Ok(None) };
        let curvature = [0, 1].map(|k| if is_flat[k] { 0.0 } else { 1.0 / (radii[k] + row(5 + k)) });
        let touching = Touching {
            normal: contact.normal,
            gap: contact.gap,
            least_gap: contact.least_gap,
            area: contact.area,
            halo: contact.halo,
            arms: [sub(contact.position, own), sub(contact.position, other)],
            velocity: three(7),
            spins: [three(10), three(13)],
            mass: row(16),
            radius: 1.0 / (curvature[0] + curvature[1]),
            slide: three(17),
            twist: row(20),
            rolled: three(21),
            turns: [if is_flat[0] { STILL } else { four(24) }, if is_flat[1] { STILL } else { four(28) }],
        };
        let Acting {
            force: [a, b, c],
            torques: [[d, e, f], [g, h, i]],
            slide: [j, k, l],
            twist,
            rolled,
            damped,
            rubbed,
        } = touching.act((), law, self.dt);
        let [m, n, o] = rolled;
        Ok(Some([a, b, c, d, e, f, g, h, i, j, k, l, twist, m, n, o, damped, rubbed]))
    }

    /// Moves all bodies by what acts on them; gives the works of contacts and loads, and of gravity. None where forces, places or velocities are no numbers or larger than they may be
    /// ([`Body::check`]): nothing has moved then.
    fn advance(&self, hot: &mut Hot<'_>, loads: &[Wrench], gravity: [f64; 3], n: usize) -> Option<[f64; 2]> {
        let Hot { places, rates, orientations, sums, .. } = hot;
        let mut bounded = true;
        let bodies = sums.iter_mut().zip(loads).zip(places.iter().zip(&**rates));
        for ((sum, load), ([x, y, z, _], rate)) in bodies.take(n) {
            let ([a, b, c], [d, e, f]) = (load.force, load.torque);
            *sum = [sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e, sum[5] + f];
            bounded &= is_bounded(sum) & is_bounded(&[*x, *y, *z]);
            bounded &= is_bounded(&rate.velocity) & is_bounded(&rate.spin);
        }
        if !bounded {
            return None;
        }
        let (dt, mut works) = (self.dt, [0.0; 2]);
        let rows = places.iter_mut().zip(&mut **rates).zip(&mut **orientations);
        for (((place, rate), orientation), sum) in rows.zip(&**sums).take(n) {
            if rate.motion > 1.0 {
                // What the host has turned since the last step turns springs once.
                if rate.radius >= 0.0 {
                    rate.turn = STILL;
                }
                continue;
            }
            let (before, spun) = (rate.velocity, rate.spin);
            let (mut velocity, mut spin) = (before, spun);
            if rate.motion == 0.0 {
                let (force, torque) = (scale([sum[0], sum[1], sum[2]], dt), scale([sum[3], sum[4], sum[5]], dt));
                velocity = add(add(before, scale(force, rate.light[0])), scale(gravity, dt));
                spin = add(spun, scale(torque, rate.light[1]));
                let (ways, turned) = (scale(add(before, velocity), 0.5), scale(add(spun, spin), 0.5));
                works[0] += dot(force, ways) + dot(torque, turned);
                works[1] += rate.mass * dt * dot(gravity, ways);
            }
            let moved = add([place[0], place[1], place[2]], scale(velocity, dt));
            let [x, y, z] = wrapped(moved, self.periods);
            *place = [x, y, z, place[3]];
            (rate.velocity, rate.spin, rate.turn) = (velocity, spin, turn_of(spin, dt));
            *orientation = turned_by(rate.turn, *orientation);
        }
        Some(works)
    }
}

/// Where bodies are.
struct Seats<'h> {
    places: &'h [[f64; 4]],
    orientations: &'h [[f64; 4]],
}

impl super::block::WorldRef<'_> {
    /// A hash of the springs of the list.
    pub(super) fn hash_of_balls(&self, seed: u64) -> u64 {
        let pairs = prefix(self.ball_pairs, self.ball_head[0].count as usize);
        let springs = if self.ball_head[0].half == 0 { self.ball_even } else { self.ball_odd };
        pairs
            .iter()
            .filter(|[_, b]| b & TOUCHES != 0)
            .zip(springs)
            .fold(seed, |seed, (pair, springs)| hash_items(hash_items(seed, &[*pair]), &[*springs]))
    }
}
