//! Transfer of springs between the list and the contacts of the scene's committed step, if some bodies are compounds.

use super::ball_rows::{PART, Points};
use super::clump_springs::{Kept, word};
use super::enough;
use super::list_filter::GAP;
use super::list_state::{Head, OWN};
use super::pair_kernel::rates_of;
use super::springs::{normal, poses_at, round_pair};
use super::touching_pairs::{OF_PARTS, Places, Touch, Touches, side};
use crate::detect::{KeptContact, ScenePair};
use crate::error::{Error, Result, What};
use crate::pose::Pose;
use crate::vector::{add, dot, scale, sub};
use crate::world::block::{State, World, WorldRef};
use crate::world::checked_slice::{prefix, put};
use crate::world::law_context::Springs;

impl World<'_> {
    /// As `take_springs`, if some bodies are compounds.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`] of balls; springs then stay where they are.
    pub(super) fn take_part_springs(&mut self, points: &Points<'_>) -> Result<bool> {
        let State { half, springs, setup, .. } = self.state[0];
        let from = if half == 0 { &*self.even } else { &*self.odd };
        let from = from.get(..springs as usize).unwrap_or_default();
        let last = self.scene.as_ref().committed();
        let mut pairs = last.pairs().iter().peekable();
        let (ids, rates) = (&*self.ids, rates_of(self.moved));
        let Head { count, half: own_half, .. } = self.ball_head[0];
        let to = if own_half == 0 { &mut *self.ball_even } else { &mut *self.ball_odd };
        let mut to = Places::new(to, OF_PARTS);
        let room = to.len() as u64;
        // Friction has dissipated the energy of springs whose pairs are no longer listed.
        let held = from.iter().fold(0.0, |held, springs| held + springs[4][0]);
        let (mut touching, mut places, mut stay) = (0u64, to.iter(), true);
        let slots_of = |pair: &[u32; 2]| pair.map(|i| points.owner(i as usize) as u32);
        for group in prefix(self.ball_pairs, count as usize).chunk_by(|x, y| slots_of(x) == slots_of(y)) {
            let Some(first) = group.first().filter(|first| **first != GAP) else { continue };
            let slots = slots_of(first);
            let own = slots.map(|i| ids.get(i as usize).copied().unwrap_or(u64::MAX));
            while pairs.next_if(|before| before.ids < own).is_some() {}
            let flat = slots.map(|i| rates.get(i as usize).is_some_and(|rate| rate.radius < 0.0));
            let marked = word(Touch::new(slots, side(flat), [0.0; 7]).marked);
            while let Some(pair) = pairs.next_if(|before| before.ids == own) {
                stay &= [pair.a, pair.b] == slots;
                let poses = last.poses_of(pair);
                let firsts = first.map(|i| points.of(points.owner(i as usize)).start);
                for k in pair.contacts() {
                    let (Some(springs), Some(feature), Some(kept)) =
                        (from.get(k), last.features().get(k), last.contacts().get(k))
                    else {
                        continue;
                    };
                    let [slide, twist, rolled, _, [stored, ..]] = *springs;
                    touching += 1;
                    let Some(place) = places.next() else { continue };
                    if first.iter().any(|i| points.is_part(*i as usize)) {
                        let parts = [*feature >> 32, *feature & u64::from(u32::MAX)];
                        let parts = [0, 1].map(|k| if points.is_part(firsts[k]) { parts[k] as u32 | PART } else { 0 });
                        let parts = word(parts);
                        let arms = poses.map(|pose| sub(kept.position, pose.position));
                        Kept { marked, slide, stored, twist, arms, area: kept.area, parts }.write(place);
                    } else {
                        let along = dot(twist, normal(poses_at(last.poses(), slots), side(flat), setup.periods));
                        let ([x, y, z], [u, v, w]) = (slide, rolled);
                        Touch::new(slots, side(flat), [x, y, z, along, u, v, w]).write(place);
                    }
                }
            }
        }
        enough(touching, room, OF_PARTS)?;
        let head = &mut self.ball_head[0];
        (head.touching, head.words, head.stored) = (touching as u32, OF_PARTS, held);
        Ok(stay)
    }

    /// As `give_springs`, if some bodies were compounds when springs were stored.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`]; springs then stay where they are.
    pub(super) fn give_part_springs(&mut self) -> Result<()> {
        let (head, State { half, setup, .. }) = (self.ball_head[0], self.state[0]);
        let touches = if head.half == 0 { &*self.ball_even } else { &*self.ball_odd };
        let touches = Touches::new(touches, OF_PARTS, head.touching);
        let (needed, room) = (touches.iter().filter(Touch::touches).count(), self.even.len());
        if needed > room {
            return Err(Error::capacity(What::Contacts, needed as u64, room as u64));
        }
        let copied = self.keep_rates();
        self.commit_bodies();
        let touches = if head.half == 0 { &*self.ball_even } else { &*self.ball_odd };
        let touches = Touches::new(touches, OF_PARTS, head.touching);
        let to = if half == 0 { &mut *self.even } else { &mut *self.odd };
        let (ids, bodies) = (&*self.ids, &*self.bodies);
        let records = touches.records().filter(|(touch, _)| touch.touches());
        self.scene.commit_contacts(setup.periods, records, |at, (touch, kept), poses| {
            let pair = round_pair(ids, bodies, &touch, setup.periods);
            let (feature, contact, springs) = contact_of(&touch, &kept, poses_at(poses, touch.slots()), setup.periods);
            put(to, at, springs);
            (pair, feature, contact)
        });
        self.state[0].springs = needed as u32;
        (self.ball_head[0].holds, self.ball_head[0].copied) = (0, copied);
        Ok(())
    }

    /// If some bodies are compounds, a window leaves springs with the contacts of the committed step, where all readers find them. Does nothing
    /// if they are there already.
    ///
    /// Errors: those of `give_part_springs`.
    pub(in crate::world) fn give_springs_of_parts(&mut self) -> Result<()> {
        if self.as_ref().has_parts_alone() {
            self.give_part_springs()?;
            self.leave_springs();
        }
        Ok(())
    }
}

impl WorldRef<'_> {
    /// Whether the springs of the accepted state are all beside pairs of balls, of which some are parts of compounds. Between windows this
    /// happens only after a window that has not ended for lack of room.
    pub(in crate::world) fn has_parts_alone(&self) -> bool {
        let Head { holds, words, .. } = self.ball_head[0];
        holds == OWN && words == OF_PARTS
    }

    /// Calls `work` for each wanted pair of bodies that touch, if springs are beside pairs of their balls. It passes the half-space if neither
    /// body is a compound ([`Touch::side`]), the poses of both bodies in the last step, and their contacts.
    pub(in crate::world) fn each_pair_of_parts(
        &self,
        wanted: impl Fn(&ScenePair) -> bool,
        mut work: impl FnMut(&ScenePair, Option<f64>, [Pose; 2], &mut dyn Iterator<Item = ToKeep>),
    ) {
        let (Head { half, touching, .. }, periods) = (self.ball_head[0], self.state[0].setup.periods);
        let mut rest = Touches::new(if half == 0 { self.ball_even } else { self.ball_odd }, OF_PARTS, touching);
        while let Some(slots) = rest.first() {
            let all = rest;
            let group = || all.records().take_while(|(touch, _)| touch.slots() == slots);
            rest = rest.behind(group().count());
            let mut group = group().filter(|(touch, _)| touch.touches()).peekable();
            let Some((touch, kept)) = group.peek() else { continue };
            let pair = round_pair(self.ids, self.bodies, touch, periods);
            if wanted(&pair) {
                let side = (!Kept::is_of_parts(kept.parts)).then_some(touch.side());
                let poses = slots.map(|i| self.pose_before(i as usize));
                work(&pair, side, poses, &mut group.map(|(touch, kept)| contact_of(&touch, &kept, poses, periods)));
            }
        }
    }
}

/// A contact as a scene keeps it: the second half of its key, its position, and its springs.
pub(in crate::world) type ToKeep = (u64, KeptContact, Springs);

/// The contact of two bodies at these poses.
fn contact_of(touch: &Touch, kept: &Kept, poses: [Pose; 2], periods: [f64; 3]) -> ToKeep {
    if Kept::is_of_parts(kept.parts) {
        let contact = KeptContact { position: add(poses[0].position, kept.arms[0]), area: kept.area };
        return (kept.feature(), contact, [kept.slide, kept.twist, [0.0; 3], [0.0; 3], [kept.stored, 0.0, 0.0]]);
    }
    let [x, y, z, twist, u, v, w] = touch.springs;
    let twist = scale(normal(poses, touch.side(), periods), twist);
    (0, KeptContact::default(), [[x, y, z], twist, [u, v, w], [0.0; 3], [touch.stored(), 0.0, 0.0]])
}
