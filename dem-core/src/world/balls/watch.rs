//! Results of steps of balls for a host that watches them.

use super::list_state::Head;
use super::rates_of;
use super::scratch::Hot;
use super::touching_pairs::{Touch, Touches};
use super::view::{Copies, Seen, Walk};
use crate::world::block::World;
use crate::world::checked_slice::prefix;
use crate::world::law::Law;
use crate::world::step_inputs::StepInputs;

/// Two bodies that touch.
pub(in crate::world) struct Named {
    pub ids: [u64; 2],
    pub slots: [u32; 2],
}

/// Pairs that touch, in the order of their ids.
pub(in crate::world) struct Touched<'t> {
    words: &'t [u64],
    each: u32,
    count: u32,
    ids: &'t [u64],
    at: usize,
}

impl Iterator for Touched<'_> {
    type Item = Named;

    fn next(&mut self) -> Option<Named> {
        let touches = Touches::new(self.words, self.each, self.count);
        loop {
            let touch = touches.get(self.at)?;
            self.at += 1;
            if touch.touches() {
                let slots = touch.slots();
                let ids = slots.map(|i| self.ids.get(i as usize).copied().unwrap_or_default());
                return Some(Named { ids, slots });
            }
        }
    }
}

/// The touching pairs of the accepted state, if springs are beside pairs, and those of the step, among its `near` pairs.
pub(in crate::world) fn touched<'t>(
    head: &Head,
    [even, odd]: [&'t [u64]; 2],
    ids: &'t [u64],
    was_list: bool,
    near: u32,
) -> [Touched<'t>; 2] {
    let (from, to) = if head.half == 0 { (even, odd) } else { (odd, even) };
    let there = if was_list && head.has_springs() { head.touching } else { 0 };
    [(from, head.words, there), (to, head.trial_words, near)].map(|(words, each, count)| Touched {
        words,
        each,
        count,
        ids,
        at: 0,
    })
}

impl World<'_> {
    /// Adds the contacts of pairs of balls of the step, among its `near` pairs.
    #[inline(never)]
    pub(super) fn watch_balls<L: Law>(&mut self, drive: &StepInputs<'_, L>, hot: &Hot<'_>, walk: &Walk<'_>, near: u32) {
        if self.state[0].watches == 0 {
            return;
        }
        let (n, head) = (walk.bodies, self.ball_head[0]);
        let trial = if head.half == 0 { &*self.ball_odd } else { &*self.ball_even };
        let seen = Seen {
            first: 0,
            copies: Copies::default(),
            places: &[],
            points: hot.points(),
            rates: prefix(rates_of(self.moved), n),
            bodies: prefix(self.bodies, n),
            materials: prefix(self.materials, n),
            ids: prefix(self.ids, n),
            shapes: drive.shapes,
            shape_of: prefix(self.shapes, n),
            scales: prefix(self.scales, n),
        };
        for touch in Touches::new(trial, head.trial_words, near).iter().filter(Touch::touches) {
            if let Some((contact, velocity)) = walk.meeting(&seen, touch.slots()) {
                self.state[0].watching.add(&contact, velocity, walk.dt, touch.slots());
            }
        }
    }
}
