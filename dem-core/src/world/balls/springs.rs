//! Transfer of springs of pairs of balls between the list and the contacts of the scene's committed step.

use super::enough;
use super::images::nearest;
use super::list_state::{Head, OWN};
use super::pair_kernel::{Rate, TURNED, rates_mut, rates_of};
use super::rotation_since::{STILL, before, since};
use super::touching_pairs::{OF_PARTS, Places, Touch, Touches, side};
use crate::body::{self, Body};
use crate::broad::Motion;
use crate::detect::{Joined, ScenePair};
use crate::error::{Error, Result, What};
use crate::memory::hash_items;
use crate::mesh::NONE;
use crate::pose::{Pose, scaled_product};
use crate::vector::{dot, length, scale, sub};
use crate::world::block::{State, World, WorldRef};
use crate::world::checked_slice::{prefix, put};

impl World<'_> {
    /// Takes springs from the contacts of the committed step into the list, in `each` words per pair. Returns whether all bodies with springs are
    /// in the slots that they had then. Otherwise their rotations cannot be found by slots, and a general step comes first.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`] of balls; springs then stay where they are.
    pub(super) fn take_springs(&mut self, each: u32) -> Result<bool> {
        let State { half, springs, setup, .. } = self.state[0];
        let from = if half == 0 { &*self.even } else { &*self.odd };
        let from = from.get(..springs as usize).unwrap_or_default();
        let scene = self.scene.as_ref();
        let mut pairs = scene.committed().pairs().iter().peekable();
        let (ids, rates) = (&*self.ids, rates_of(self.moved));
        let Head { count, half: own_half, .. } = self.ball_head[0];
        let to = if own_half == 0 { &mut *self.ball_even } else { &mut *self.ball_odd };
        let mut to = Places::new(to, each);
        let room = to.len() as u64;
        // Friction has dissipated the energy of springs whose pairs are no longer listed.
        let held = from.iter().fold(0.0, |held, springs| held + springs[4][0]);
        let (mut touching, mut places, mut stay) = (0, to.iter(), true);
        for pair in prefix(self.ball_pairs, count as usize) {
            let own = pair.map(|i| ids.get(i as usize).copied().unwrap_or_default());
            while pairs.next_if(|before| before.ids < own).is_some() {}
            let Some(before) = pairs.next_if(|before| before.ids == own) else { continue };
            let Some([[x, y, z], twist, [u, v, w], ..]) = from.get(before.first as usize) else {
                continue;
            };
            stay &= [before.a, before.b] == *pair;
            let side = side(pair.map(|i| rates.get(i as usize).is_some_and(|rate| rate.radius < 0.0)));
            let along = dot(*twist, normal(poses_at(scene.committed().poses(), *pair), side, setup.periods));
            if let Some(place) = places.next() {
                Touch::new(*pair, side, [*x, *y, *z, along, *u, *v, *w]).write(place);
            }
            touching += 1;
        }
        enough(touching, room, each)?;
        let head = &mut self.ball_head[0];
        (head.touching, head.words, head.stored) = (touching as u32, each, held);
        Ok(stay)
    }

    /// Called when a body is removed: its pairs lose their springs. The energy of these springs counts in the next step, as for all contacts that
    /// end.
    pub(in crate::world) fn drop_springs(&mut self, slot: u32) {
        let Head { half, touching, words, .. } = self.ball_head[0];
        if !self.ball_head[0].has_springs() {
            return;
        }
        let touches = if half == 0 { &mut *self.ball_even } else { &mut *self.ball_odd };
        let stays = |touch: &Touch| !touch.slots().contains(&slot);
        let left = Touches::new(touches, words, touching).stored(|touch| !stays(touch));
        let touching = Places::new(touches, words).retain(touching, stays);
        let head = &mut self.ball_head[0];
        *head = Head { touching, stored: head.stored - left, left: head.left + left, ..*head };
    }

    /// Called when the host rotates a body between steps: springs that wait for the next window rotate with it.
    pub(in crate::world) fn has_turned(&mut self, slot: usize, to: [f64; 4]) {
        let (Some(rate), Some(body)) = (rates_mut(self.moved).get_mut(slot), self.bodies.get(slot)) else { return };
        if self.ball_head[0].holds != OWN || body.orientation == to {
            return;
        }
        if rate.radius >= 0.0 {
            rate.turn = body::unit(scaled_product(since(body.orientation, to), rate.turn));
        } else if rate.radius != TURNED {
            (rate.turn, rate.radius) = (body.orientation, TURNED);
        }
    }

    /// Called when a body is added or removed.
    pub(in crate::world) fn never_turned(&mut self, slot: usize) {
        put(rates_mut(self.moved), slot, Rate { turn: STILL, ..Rate::default() });
    }

    /// Sets the committed step of the scene to the bodies before the last step of balls.
    pub(super) fn commit_bodies(&mut self) {
        let (setup, dt) = (self.state[0].setup, self.ball_head[0].dt);
        let bodies = prefix(self.bodies, self.state[0].slots as usize);
        let poses = bodies.iter().zip(rates_of(self.moved)).map(|(body, rate)| pose_before(body, rate, dt));
        self.scene.commit_poses(setup.periods, poses);
    }

    /// Gives the springs of balls to contacts of the committed step, unless they are there. Until a step is accepted they stay here, too:
    /// [`World::take_springs_back`].
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`]; springs then stay where they are.
    pub(in crate::world) fn give_springs(&mut self) -> Result<()> {
        let head = self.ball_head[0];
        if !head.has_springs() {
            self.ball_head[0].holds = 0;
            return Ok(());
        }
        if head.holds == OWN && head.words == OF_PARTS {
            return self.give_part_springs();
        }
        let State { half, setup, springs, .. } = self.state[0];
        let touches = if head.half == 0 { &*self.ball_even } else { &*self.ball_odd };
        let touches = Touches::new(touches, head.words, head.touching);
        let (added, room) = (touches.iter().filter(|touch| touch.touches()).count(), self.even.len());
        let needed = springs as usize + added;
        if needed > room {
            return Err(Error::capacity(What::Contacts, needed as u64, room as u64));
        }
        let copied = self.keep_rates();
        if head.holds == OWN {
            self.commit_bodies();
        }
        let (touches, twists) = match head.half {
            0 => (&*self.ball_even, &mut *self.ball_odd),
            _ => (&*self.ball_odd, &mut *self.ball_even),
        };
        let (touches, mut twists) = (Touches::new(touches, head.words, head.touching), Places::new(twists, head.words));
        let poses = self.scene.as_ref().committed().poses();
        for (twist, touch) in twists.iter().zip(touches.iter()) {
            let normal = normal(poses_at(poses, touch.slots()), touch.side(), setup.periods);
            let [x, y, z] = scale(normal, touch.springs[3]);
            Touch::new(touch.slots(), 0.0, [x, y, z, 0.0, 0.0, 0.0, 0.0]).write(twist);
        }
        let (ids, bodies) = (&*self.ids, &*self.bodies);
        let twists = Touches::new(twists.words, head.words, head.touching);
        let pairs = touches.iter().zip(twists.iter()).filter(|(touch, _)| touch.touches()).map(|(touch, twist)| {
            let [x, y, z, _, u, v, w] = touch.springs;
            let [p, q, r, ..] = twist.springs;
            let springs = [[x, y, z], [p, q, r], [u, v, w], [0.0; 3], [touch.stored(), 0.0, 0.0]];
            (round_pair(ids, bodies, &touch, setup.periods), springs)
        });
        let to = if half == 0 { &mut *self.even } else { &mut *self.odd };
        self.scene.join_round(added, pairs, |at, from| match from {
            Joined::Was(k) => {
                let springs = to.get(k).copied().unwrap_or_default();
                put(to, at, springs);
            }
            Joined::New(springs) => put(to, at, springs),
        });
        self.state[0].springs = needed as u32;
        (self.ball_head[0].holds, self.ball_head[0].copied) = (0, copied);
        Ok(())
    }

    /// Saves the rotations of bodies, which a step overwrites. Returns where springs are now, if all can be taken back.
    pub(super) fn keep_rates(&mut self) -> u32 {
        let n = self.state[0].slots as usize;
        match self.kept_rates.get_mut(..n) {
            Some(kept) => {
                kept.iter_mut().zip(rates_of(self.moved)).for_each(|(to, rate)| *to = *rate);
                self.ball_head[0].holds
            }
            None => 0,
        }
    }

    /// Whether a step that is not yet accepted has copied springs from here, so that they must not be overwritten.
    pub(super) fn has_copied_springs(&self) -> bool {
        let Head { half, words, touching, copied, .. } = self.ball_head[0];
        let touches = if half == 0 { &*self.ball_even } else { &*self.ball_odd };
        copied != 0 && Touches::new(touches, words, touching).iter().any(|touch| touch.touches())
    }

    /// Called when the step that took the springs is accepted.
    pub(in crate::world) fn leave_springs(&mut self) {
        self.ball_head[0].copied = 0;
    }

    /// Reverts [`World::give_springs`] for a step that is not accepted, to the bit.
    pub(in crate::world) fn take_springs_back(&mut self) {
        let (head, State { half, setup, slots, .. }) = (self.ball_head[0], self.state[0]);
        match head.copied {
            0 => return,
            OWN => {
                for (rate, kept) in rates_mut(self.moved).iter_mut().zip(prefix(self.kept_rates, slots as usize)) {
                    *rate = *kept;
                }
                self.scene.commit_poses(setup.periods, core::iter::empty());
                self.state[0].springs = 0;
            }
            _ => {
                let touches = if head.half == 0 { &*self.ball_even } else { &*self.ball_odd };
                let touches = Touches::new(touches, head.words, head.touching);
                let ids = &*self.ids;
                let named = touches
                    .iter()
                    .filter(Touch::touches)
                    .map(|touch| touch.slots().map(|i| ids.get(i as usize).copied().unwrap_or_default()));
                let springs = if half == 0 { &mut *self.even } else { &mut *self.odd };
                let left = self.scene.part_round(named, |from, to| {
                    let own = springs.get(from).copied().unwrap_or_default();
                    put(springs, to, own);
                });
                self.state[0].springs = left as u32;
            }
        }
        (self.ball_head[0].holds, self.ball_head[0].copied) = (head.copied, 0);
    }
}

/// Two bodies that touch, in the form of a scene.
pub(super) fn round_pair(ids: &[u64], bodies: &[Body], touch: &Touch, periods: [f64; 3]) -> ScenePair {
    let slots = touch.slots();
    let [own, other] = slots.map(|i| bodies.get(i as usize).map_or([0.0; 3], |body| body.position));
    let ids = slots.map(|i| ids.get(i as usize).copied().unwrap_or_default());
    let flat = touch.side() != 0.0;
    // A half-space has no images.
    let shift = [0, 1, 2].map(|k| if flat { 0 } else { -nearest(other[k] - own[k], periods[k]) as i16 });
    ScenePair { ids, a: slots[0], b: slots[1], shift, posed: NONE, ..ScenePair::default() }
}

impl WorldRef<'_> {
    /// The pose of a body in the last step, while springs are beside pairs.
    pub(super) fn pose_before(&self, i: usize) -> Pose {
        let Head { holds, dt, .. } = self.ball_head[0];
        match (self.bodies.get(i), rates_of(self.moved).get(i)) {
            (Some(body), Some(rate)) if holds == OWN => pose_before(body, rate, dt),
            _ => self.scene.committed().poses().get(i).copied().unwrap_or_default(),
        }
    }

    /// A hash of the springs of the list, and of those in the scene or of the rotations of bodies since springs were stored.
    pub(in crate::world) fn hash_of_balls(&self, seed: u64) -> u64 {
        let seed = match self.ball_head[0].holds {
            OWN => {
                let rates = prefix(rates_of(self.moved), self.len());
                rates.iter().fold(seed, |seed, rate| hash_items(seed, &[rate.turn]))
            }
            _ => hash_items(seed ^ self.scene.committed_hash(), self.springs()),
        };
        let touches = if self.ball_head[0].half == 0 { self.ball_even } else { self.ball_odd };
        let Head { words, touching, .. } = self.ball_head[0];
        let touches = Touches::new(touches, words, touching);
        touches.iter().filter(Touch::touches).fold(seed, |seed, touch| hash_items(seed, &[touch]))
    }
}

/// The pose of a body before the last step of balls, which has this length.
fn pose_before(body: &Body, rate: &Rate, dt: f64) -> Pose {
    let orientation = match rate.radius {
        TURNED => rate.turn,
        radius if radius < 0.0 => body.orientation,
        _ => before(rate.turn, body.orientation),
    };
    let moves = body.motion <= Motion::Kinematic as u32;
    let position = sub(body.position, scale(body.velocity, if moves { dt } else { 0.0 }));
    Pose { position, orientation }
}

/// The poses of two bodies.
pub(super) fn poses_at(poses: &[Pose], slots: [u32; 2]) -> [Pose; 2] {
    slots.map(|i| poses.get(i as usize).copied().unwrap_or_default())
}

/// The normal of the contact of two balls at these poses, or of a ball and a half-space: B (1) or A (-1).
pub(super) fn normal([own, other]: [Pose; 2], side: f64, periods: [f64; 3]) -> [f64; 3] {
    if side != 0.0 {
        let flat = if side > 0.0 { other } else { own };
        return flat.transform(What::Pose).map_or([0.0; 3], |t| t.rotate([0.0, 0.0, side]));
    }
    let d = sub(own.position, other.position);
    let d = [0, 1, 2].map(|k| d[k] - nearest(d[k], periods[k]) * periods[k]);
    let long = length(d);
    if long > 0.0 { scale(d, 1.0 / long) } else { [0.0; 3] }
}
