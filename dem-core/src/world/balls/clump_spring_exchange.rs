//! Springs where some bodies are compounds, between the list and the contacts of the scene's committed step.

use super::ball_rows::{PART, Points};
use super::clump_springs::{Kept, word};
use super::enough;
use super::list_filter::GAP;
use super::list_state::Head;
use super::pair_kernel::rates_of;
use super::springs::{normal, poses_at, round_pair};
use super::touching_pairs::{OF_PARTS, Places, Touch, Touches, side};
use crate::detect::KeptContact;
use crate::error::{Error, Result, What};
use crate::vector::{add, dot, scale, sub};
use crate::world::block::{State, World};
use crate::world::checked_slice::{prefix, put};

impl World<'_> {
    /// As `take_springs`, where some bodies are compounds.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`] of balls; springs are left where they are then.
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
        let (mut touching, mut held, mut places, mut stay) = (0u64, 0.0, to.iter(), true);
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
                    (touching, held) = (touching + 1, held + stored);
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

    /// As `give_springs`, where some bodies were compounds when springs were left.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`]; springs are left where they are then.
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
            let slots = touch.slots();
            let pair = round_pair(ids, bodies, &touch, setup.periods);
            let [x, y, z, twist, u, v, w] = touch.springs;
            if Kept::is_of_parts(kept.parts) {
                put(to, at, [kept.slide, kept.twist, [0.0; 3], [0.0; 3], [kept.stored, 0.0, 0.0]]);
                let centre = poses.get(slots[0] as usize).map_or([0.0; 3], |pose| pose.position);
                let position = add(centre, kept.arms[0]);
                return (pair, kept.feature(), KeptContact { position, area: kept.area });
            }
            let twist = scale(normal(poses_at(poses, slots), touch.side(), setup.periods), twist);
            put(to, at, [[x, y, z], twist, [u, v, w], [0.0; 3], [touch.stored(), 0.0, 0.0]]);
            (pair, 0, KeptContact::default())
        });
        self.state[0].springs = needed as u32;
        (self.ball_head[0].holds, self.ball_head[0].copied) = (0, copied);
        Ok(())
    }
}
