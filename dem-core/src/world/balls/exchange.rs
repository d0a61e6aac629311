//! Springs of pairs of balls that are sent to another world, or received from one.

use super::list_state::{Head, OWN};
use super::pair_kernel::{Rate, rates_mut};
use super::rotation_since::since;
use super::springs::{normal, round_pair};
use super::touching_pairs::{Places, Touch, Touches, enough, least_words};
use crate::body::Body;
use crate::detect::ScenePair;
use crate::error::Result;
use crate::pose::Pose;
use crate::vector::{dot, scale};
use crate::world::block::WorldRef;
use crate::world::law_context::Springs;

/// A pair with its springs, in the form of a contact.
pub(in crate::world) struct OwnTouch {
    /// In the order of ids.
    pub slots: [u32; 2],
    /// The half-space: A (-1), B (1) or none (0).
    pub side: f64,
    /// Poses of both bodies.
    pub poses: [Pose; 2],
    pub springs: Springs,
}

impl OwnTouch {
    fn touch(&self, periods: [f64; 3]) -> Touch {
        let [[x, y, z], twist, [u, v, w], ..] = self.springs;
        let along = dot(twist, normal(self.poses, self.side, periods));
        Touch::new(self.slots, self.side, [x, y, z, along, u, v, w])
    }
}

impl WorldRef<'_> {
    /// Whether the springs of the accepted state are all beside pairs of balls.
    pub(in crate::world) fn has_list_alone(&self) -> bool {
        self.ball_head[0].holds == OWN
    }

    /// Calls `work` for each wanted pair that touches, if springs are beside pairs. It passes the half-space, the poses of both bodies in the
    /// last step, and the springs in the form of a contact.
    pub(in crate::world) fn each_touch(
        &self,
        wanted: impl Fn(&ScenePair) -> bool,
        mut work: impl FnMut(&ScenePair, f64, [Pose; 2], Springs),
    ) {
        let Head { half, words, touching, .. } = self.ball_head[0];
        if !self.ball_head[0].has_springs() {
            return;
        }
        let periods = self.state[0].setup.periods;
        let touches = Touches::new(if half == 0 { self.ball_even } else { self.ball_odd }, words, touching);
        for touch in touches.iter().filter(Touch::touches) {
            let pair = round_pair(self.ids, self.bodies, &touch, periods);
            if wanted(&pair) {
                let poses = touch.slots().map(|i| self.pose_before(i as usize));
                let [x, y, z, along, u, v, w] = touch.springs;
                let twist = scale(normal(poses, touch.side(), periods), along);
                let stored = [touch.stored(), 0.0, 0.0];
                work(&pair, touch.side(), poses, [[x, y, z], twist, [u, v, w], [0.0; 3], stored]);
            }
        }
    }
}

/// Merges pairs in the order of ids into the list, and replaces the list's data of the same two bodies: springs are then in the list. `halves`
/// are even and odd pairs that touch.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for contacts of balls. Nothing is changed then.
pub(in crate::world) fn join(
    head: &mut Head,
    [even, odd]: [&mut [u64]; 2],
    (ids, periods): (&[u64], [f64; 3]),
    arrivals: impl Iterator<Item = OwnTouch> + Clone,
) -> Result<()> {
    let (from, to) = if head.half == 0 { (&*even, odd) } else { (&*odd, even) };
    let touching = if head.holds == OWN { head.touching } else { 0 };
    let before = Touches::new(from, head.words, touching);
    let words = |touches: &mut dyn Iterator<Item = Touch>| touches.fold(0, |most, touch| least_words(&touch).max(most));
    let own = if touching > 0 { head.words } else { 0 };
    let each = own.max(words(&mut arrivals.clone().map(|arrival| arrival.touch(periods))));
    let mut to = Places::new(to, each);
    let room = to.len() as u64;
    let (mut places, mut count) = (to.iter(), 0);
    let mut write = |touch: &Touch| {
        if let Some(place) = places.next() {
            touch.write(place);
        }
        count += 1;
    };
    let name = |slots: [u32; 2]| slots.map(|i| ids.get(i as usize).copied().unwrap_or_default());
    let mut arrivals = arrivals.peekable();
    for touch in before.iter().filter(Touch::touches) {
        let own = name(touch.slots());
        while let Some(next) = arrivals.next_if(|next| name(next.slots) < own) {
            write(&next.touch(periods));
        }
        match arrivals.next_if(|next| name(next.slots) == own) {
            Some(next) => write(&next.touch(periods)),
            None => write(&touch),
        }
    }
    arrivals.for_each(|next| write(&next.touch(periods)));
    enough(count, room, each)?;
    let stored = Touches::new(to.words, each, count as u32).stored(|_| true);
    *head = Head { holds: OWN, half: 1 - head.half.min(1), touching: count as u32, words: each, stored, ..*head };
    Ok(())
}

/// Stores the rotations of a received pair's bodies since its springs were stored.
pub(in crate::world) fn turn(moved: &mut [Body], bodies: &[Body], touch: &OwnTouch) {
    for (k, slot) in touch.slots.into_iter().enumerate() {
        let flat = touch.side == if k == 0 { -1.0 } else { 1.0 };
        let (Some(rate), Some(body)) = (rates_mut(moved).get_mut(slot as usize), bodies.get(slot as usize)) else {
            continue;
        };
        if !flat && rate.radius >= 0.0 {
            *rate = Rate { turn: since(touch.poses[k].orientation, body.orientation), ..*rate };
        }
    }
}
