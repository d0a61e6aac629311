//! Steps of worlds of balls and half-spaces alone, without records.
//!
//! Where the law is one whose formulas are known ([`Law::known`]), all steps of a window but its last one are taken here: pairs wait in a list with a skin, beside each of them its springs, and forces
//! are worked out on the walk over the list, several pairs at a time. There are no records, no matching and no springs by records. What comes out is what the general
//! step comes to, but for rounding: formulas are the same functions, and the springs turn by the same rotations. Beside other bodies, pairs of balls go the same way within steps that
//! find all other contacts (`beside`).
//!
//! # Lanes
//! A step has four phases, each on all lanes: chunks of the list are looked through for pairs that are near; their forces are written one behind the other; each body adds up those of
//! its pairs; bodies move. No two chunks write to the same place.
//!
//! # Order
//! Pairs are in the order of the ids of A and B, and a body adds up forces in the order of its partners' ids. Of a pair the nearest image counts, so periods have to be so long that no other one is
//! near; else the general steps are taken. So no bit depends on the age of the list, its skin, the number of lanes or the instruction set.
//!
//! # Springs
//! They are kept with the slots of pairs that touch, in the order of the list, while such steps are taken. They go to contacts of the scene's committed step, as if that had found them, when the
//! general steps go on.
//!
//! # Errors
//! A step reads bodies, marks and springs, and writes to scratch. What went wrong leaves no trace: too little room is told, and the step is taken again with more. All else (loads
//! that are no numbers, bodies that are too far) is left to the general step, which tells what it is.

mod beside;
mod gather;
mod list;
mod motion;
mod round;
mod springs;
mod walk;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use self::list::Index;
pub(super) use self::list::Listed;
use self::round::Rate;
use self::springs::side;
use self::walk::{ACTS, Seen, Walk};
use super::block::{Phase, Setup, State, TooFast, Window, World, WorldSizes};
use super::law::Law;
use super::step::{Drive, prefix};
use crate::body::{self, Body};
use crate::broad::Motion;
use crate::contact::shape::Shape;
use crate::detect::Needs;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, each, within};
use crate::force::Laws;
use crate::memory::{Layout, sections};
use crate::pose::{Pose, product};
use crate::real::{max, min};
use crate::vector::{dot, scale, sub};

/// The rotation of what does not turn.
const STILL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Pairs of the list that a lane looks at at a time.
const PAIRS: usize = 4096;

/// Marks pairs that are near.
const NEAR: u32 = 1 << 31;

/// Bodies that a lane adds up or moves at a time.
const BODIES: usize = 1024;

/// A pair that touches.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Touch {
    /// Slots of A and B, each marked with [`FLAT`] for a half-space; both are where a pair was near and did not touch.
    marked: [u32; 2],
    /// Springs: slide, twist along the normal, roll.
    springs: [f64; 7],
}

/// Springs are here, of steps of balls alone.
const OWN: u32 = 1;
/// Those of balls are here, and those of other contacts in the scene.
const BESIDE: u32 = 2;
/// They were taken in a step that is not yet accepted: the scene has them, too.
const TAKEN: u32 = 3;

impl Head {
    /// Whether springs of the accepted state are here.
    pub fn has_springs(&self) -> bool {
        matches!(self.holds, OWN | BESIDE)
    }
}

/// Marks the slot of a half-space.
const FLAT: u32 = 1 << 31;

impl Touch {
    /// A pair that is near, without springs.
    fn none([a, b]: [u32; 2]) -> Touch {
        Touch { marked: [a | FLAT, b | FLAT], springs: [0.0; 7] }
    }

    fn new(slots: [u32; 2], side: f64, springs: [f64; 7]) -> Touch {
        let marks = [if side < 0.0 { FLAT } else { 0 }, if side > 0.0 { FLAT } else { 0 }];
        Touch { marked: [slots[0] | marks[0], slots[1] | marks[1]], springs }
    }

    fn slots(&self) -> [u32; 2] {
        self.marked.map(|i| i & !FLAT)
    }

    fn touches(&self) -> bool {
        self.marked[0] & self.marked[1] & FLAT == 0
    }

    /// Which body is a half-space: A (-1), B (1) or none (0).
    fn side(&self) -> f64 {
        side(self.marked.map(|i| i & FLAT != 0))
    }
}

/// What there is of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Head {
    /// Pairs.
    pub count: u32,
    /// Whether springs are here: [`OWN`], [`BESIDE`] or [`TAKEN`]; 0 where they are in the scene.
    pub holds: u32,
    /// Which of both lists of pairs that touch holds: even (0) or odd (1). They are in the order of the list.
    pub half: u32,
    /// Its length.
    pub touching: u32,
    /// The length of the other one, of a step that is not yet accepted.
    pub trial: u32,
    /// 0.
    pub spare: u32,
}

sections! {
    /// Bodies as the walk over pairs reads them.
    struct Hot<'s>(n: &WorldSizes, listing: Layout, walking: Layout; bodies = u64::from(n.bodies)) {
        /// Centre, and radius with halo; of a half-space infinite.
        places: [[f64; 4]; bodies],
        /// All that forces depend on besides: two lines of cache.
        rates: [Rate; bodies],
        orientations: [[f64; 4]; bodies],
        /// Force and torque.
        sums: [[f64; 6]; bodies],
        /// What chunks of bodies come to.
        parts: [Part; bodies.div_ceil(BODIES as u64)],
        /// Scratch of the search for pairs, then of walks over them.
        rest: { listing, walking },
    }
}

sections! {
    /// The list and its pairs as they are in a step.
    struct Walking<'s>(n: &WorldSizes; candidates = u64::from(n.candidates)) {
        index: Index(n),
        /// Of each pair how many before it in its chunk are near, and whether it is: [`NEAR`].
        near: [u32; candidates],
        /// Where those of each chunk end in `acts`.
        ends: [u64; candidates.div_ceil(PAIRS as u64)],
        /// Whether contacts of each chunk are of finite numbers.
        finite: [u32; candidates.div_ceil(PAIRS as u64)],
        /// Forces of pairs that are near.
        acts: [[f64; ACTS]; u64::from(n.contacts)],
    }
}

/// What a chunk of bodies comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Part {
    /// Works of contacts and loads, and of gravity.
    works: [f64; 2],
    /// What damping and friction have dissipated.
    lost: [f64; 2],
    /// Bits: see below.
    what: u64,
}

/// Numbers of a body are none or too large.
const BAD: u64 = 1;
/// A body has left the place where it was listed, or would be too fast, or has a halo.
const LEFT: u64 = 2;
const FAST: u64 = 4;
const HALO: u64 = 8;

/// What the search needs, with all shapes of the table.
fn needs_of<L>(drive: &Drive<'_, L>) -> Result<Needs> {
    let mut needs = Needs::new(&drive.settings, true);
    drive.shapes.iter().try_for_each(|shape| needs.add(shape))?;
    Ok(needs)
}

/// Whether periods are so long that no two images of a ball are near another one.
fn is_long(shortest: f64, reach: f64) -> bool {
    shortest >= 2.1 * (2.0 * reach)
}

/// The skin of the list: that of the settings, as far as periods are long enough for it.
fn thin(skin: f64, reach: f64, shortest: f64) -> f64 {
    min(if skin > 0.0 { skin } else { 0.1 * reach }, shortest / 2.001 - 2.0 * reach)
}

/// Scratch of the steps of worlds with balls.
pub(super) fn scratch(n: &WorldSizes, needs: &Needs) -> Result<Layout> {
    let [listing, walking] = layouts(n, needs)?;
    Hot::layout(n, listing, walking)
}

fn layouts(n: &WorldSizes, needs: &Needs) -> Result<[Layout; 2]> {
    Ok([needs.within_margin().layout(&n.scene(), 1)?, Walking::layout(n)?])
}

impl World<'_> {
    /// Takes as many steps of the window as can be taken so, but not its last one. Gives whether it took some.
    ///
    /// Errors: [`Kind::Capacity`] for candidates, scratch and contacts.
    #[inline(never)]
    pub(super) fn ball_steps<L: Law>(&mut self, drive: &Drive<'_, L>, scratch: &mut [u8]) -> Result<bool> {
        let State { setup, slots, window, .. } = self.state[0];
        let left = window.parts.saturating_sub(window.next + 1);
        let (Some(laws), true) = (drive.law.known(), left >= 1 && window.inner == 1) else { return Ok(false) };
        if self.state[0].phase() != Phase::Idle || setup.order != 0 || setup.rotation != 0 {
            return Ok(false);
        }
        let n = slots as usize;
        if !(0..n).all(|i| self.is_round(i, drive, &laws)) || self.has_turned_planes(drive, n) {
            return Ok(false);
        }
        if self.ball_head[0].holds != OWN {
            self.give_springs()?;
        }
        let (held, springs) = (self.ball_head[0].holds == OWN, self.state[0].springs);
        let [listing, walking] = layouts(&self.sizes, &needs_of(drive)?)?;
        let mut hot = Hot::new(scratch, &self.sizes, listing, walking)?;
        let reach = self.warm(drive, &mut hot, n);
        // Whatever the skin, the same steps are taken here.
        let shortest = setup.shortest_period();
        if !is_long(shortest, reach) {
            return Ok(false);
        }
        let mut skin = thin(drive.settings.skin, reach, shortest);
        let walk = Walk {
            isa: drive.isa,
            laws,
            periods: setup.periods,
            gravity: setup.gravity,
            bodies: n,
            near: 0.499 * shortest,
            thinnest: 1e-3 * reach,
            dt: window.length / window.parts as f64,
        };
        let (taken, done) = within(drive.exec, true, || self.take_steps(drive, &mut hot, &walk, &mut skin, left));
        if taken == 0 && !held {
            // Springs are still with the contacts of the committed step.
            (self.ball_head[0].holds, self.state[0].springs) = (0, springs);
        }
        self.cool(&hot, n, taken > 0);
        done?;
        self.give_springs()?;
        Ok(taken > 0)
    }

    /// Steps until so many are taken, or one is not for these. Gives how many were taken.
    ///
    /// Errors: [`Kind::Capacity`].
    fn take_steps<L: Law>(
        &mut self,
        drive: &Drive<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        skin: &mut f64,
        left: u64,
    ) -> (u64, Result<()>) {
        let mut taken = 0;
        let listed = prefix(self.ball_listed, walk.bodies);
        let mut what = walk.look_at_bodies(hot.places, hot.rates, listed, self.ball_list[0].limit());
        let mut is_indexed = false;
        while taken < left && what & (FAST | HALO) != FAST | HALO {
            match self.ball_step(drive, hot, walk, (&mut *skin, &mut is_indexed), what & LEFT == 0) {
                Ok(Some(then)) => (taken, what) = (taken + 1, then),
                Err(error) if error.kind == Kind::Capacity => return (taken, Err(error)),
                Ok(None) | Err(_) => break,
            }
        }
        (taken, Ok(()))
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
    fn warm<L: Law>(&self, drive: &Drive<'_, L>, hot: &mut Hot<'_>, n: usize) -> f64 {
        let Hot { places, rates, orientations, .. } = hot;
        let rows = (
            CutMut(places.get_mut(..n).unwrap_or_default(), BODIES),
            CutMut(rates.get_mut(..n).unwrap_or_default(), BODIES),
            CutMut(orientations.get_mut(..n).unwrap_or_default(), BODIES),
        );
        each(drive.exec, rows, |chunk, (places, rates, orientations)| {
            for (i, ((place, rate), to)) in (chunk * BODIES..).zip(places.iter_mut().zip(rates).zip(orientations)) {
                if let Some(body) = self.bodies.get(i) {
                    (*place, *rate) = self.warm_body(drive.shapes, body, i);
                    *to = body.orientation;
                }
            }
        });
        let reaches = places.iter().take(n).map(|place| place[3]);
        reaches.filter(|reach| *reach < f64::INFINITY).fold(0.0, max)
    }

    fn warm_body(&self, shapes: &[Shape<'_>], body: &Body, i: usize) -> ([f64; 4], Rate) {
        let shape = self.shapes.get(i).and_then(|shape| shapes.get(*shape as usize));
        let scale = self.scales.get(i).copied().unwrap_or_default();
        let there = self.groups.get(i).is_some_and(|groups| *groups != 0);
        let (radius, halo) = match shape {
            Some(Shape::Sphere { radius, halo }) if there => (radius * scale, halo * scale),
            Some(Shape::HalfSpace { halo }) if there => (-1.0, halo * scale),
            _ => (0.0, 0.0),
        };
        let [x, y, z] = body.position;
        let reach = if radius < 0.0 { f64::INFINITY } else { radius + halo };
        let light = if body.is_dynamic() { [1.0 / body.mass, 1.0 / body.moments[0]] } else { [0.0; 2] };
        let turn = if radius < 0.0 {
            let [x, y, z] = body.pose().transform(What::Pose).map_or([0.0; 3], |t| t.rotate([0.0, 0.0, 1.0]));
            [x, y, z, 0.0]
        } else {
            match self.scene.as_ref().committed().poses().get(i) {
                // A window that goes on behind an error goes on with the same bits.
                Some(_) if self.ball_head[0].holds == OWN => {
                    self.moved.get(i).map_or([0.0; 4], |moved| moved.orientation)
                }
                Some(before) => since(before.orientation, body.orientation),
                _ => STILL,
            }
        };
        let (velocity, spin) = (body.velocity, body.angular_velocity);
        let (mass, motion) = (body.mass, f64::from(body.motion));
        ([x, y, z, reach], Rate { velocity, spin, light, turn, radius, halo, mass, motion })
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

    /// One step. Gives what bodies are like behind it; none where it was not taken: numbers that are none or too large are left to the general step.
    ///
    /// Errors: [`Kind::Capacity`] and others of the search; nothing but the list has changed then.
    fn ball_step<L: Law>(
        &mut self,
        drive: &Drive<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        (skin, is_indexed): (&mut f64, &mut bool),
        stays: bool,
    ) -> Result<Option<u64>> {
        let Some(near) = self.forces(drive, hot, walk, (skin, is_indexed), (stays, OWN))? else { return Ok(None) };
        self.state[0].springs = 0;
        let limit = self.ball_list[0].limit();
        let Hot { places, rates, orientations, sums, parts, .. } = hot;
        let parts = parts.get_mut(..walk.bodies.div_ceil(BODIES)).unwrap_or_default();
        let to = (&**sums, prefix(self.ball_listed, walk.bodies), limit);
        let Part { works, lost, what } = walk.advance(drive.exec, (places, rates, orientations), to, parts);
        let Head { half, .. } = self.ball_head[0];
        (self.ball_head[0].half, self.ball_head[0].touching) = (1 - half.min(1), near);
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
        Ok(Some(what))
    }

    /// Forces of all pairs of balls, added up for each body, and springs as they are after the step. Gives how many pairs are near; none where numbers are none or too large.
    ///
    /// Errors: [`Kind::Capacity`] and others of the search; nothing but the list has changed then.
    fn forces<L: Law>(
        &mut self,
        drive: &Drive<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        (skin, is_indexed): (&mut f64, &mut bool),
        (stays, holds): (bool, u32),
    ) -> Result<Option<u32>> {
        let (exec, n) = (drive.exec, walk.bodies);
        let is_new = self.listed(drive, hot, walk, skin, stays)?;
        if !self.ball_head[0].has_springs() {
            self.take_springs(hot);
            self.ball_head[0].holds = holds;
        }
        let Head { count, half, touching, .. } = self.ball_head[0];
        let pairs = prefix(self.ball_pairs, count as usize);
        let Hot { places, rates, orientations, sums, parts, rest } = hot;
        let mut walking = Walking::new(rest, &self.sizes)?;
        if is_new || !*is_indexed {
            walking.index.make(pairs, n);
            *is_indexed = true;
        }
        let (before, trial) = match half {
            0 => (&*self.ball_even, &mut *self.ball_odd),
            _ => (&*self.ball_odd, &mut *self.ball_even),
        };
        let seen = Seen {
            places: prefix(places, n),
            rates: prefix(rates, n),
            orientations: prefix(orientations, n),
            materials: prefix(self.materials, n),
            ids: prefix(self.ids, n),
            shapes: drive.shapes,
            shape_of: prefix(self.shapes, n),
            scales: prefix(self.scales, n),
        };
        let near = walk.look(exec, &seen, pairs, &mut walking);
        let room = min(trial.len(), walking.acts.len());
        if near > room as u64 {
            return Err(Error::capacity(What::Contacts, near, room as u64));
        }
        let parts = parts.get_mut(..n.div_ceil(BODIES)).unwrap_or_default();
        // Loads of others are added to theirs.
        let loads = prefix(self.loads, if holds == OWN { n } else { 0 });
        if !walk.act(exec, &seen, pairs, (prefix(before, touching as usize), trial), &mut walking)
            || !walk.gather(exec, &seen, loads, &walking, (sums, parts))
        {
            return Ok(None);
        }
        Ok(Some(near as u32))
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

/// The plane of a half-space, its normal and how high it is along it with its halo; the place of a ball.
fn plane(places: &[[f64; 4]], rates: &[Rate], i: usize) -> [f64; 4] {
    let (Some(place), Some(rate)) = (places.get(i), rates.get(i)) else { return [0.0; 4] };
    let [x, y, z, reach] = *place;
    if reach < f64::INFINITY {
        return *place;
    }
    let [u, v, w, _] = rate.turn;
    [u, v, w, dot([x, y, z], [u, v, w]) + rate.halo]
}
