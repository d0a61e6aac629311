//! Forces of all pairs of the list, on walks over it.

use core::ops::Range;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::gather::{Batch, gather};
use super::images::Images;
use super::near::{CHUNK, Near};
use super::parts::word;
use super::points::Points;
use super::round::{BLOCK, Ball, Rate, Settle, Settled, Waiting};
use super::springs::side;
use super::touches::{NO_SPRINGS, Places, Touch, Touches, springs_in};
use super::{BAD, FAST, HALO, LEFT, NEAR, PAIRS, Walking, plane};
use crate::body::{Body, is_bounded};
use crate::contact::shape::{Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room};
use crate::detect::Wrench;
use crate::error::Result;
use crate::exec::{Cut, CutMut, Executor, Serial, Work, each, ends, pieces};
use crate::force::{Interaction, Laws};
use crate::pose::Pose;
use crate::real::Real;
use crate::simd::{Isa, dispatch, prefetch};
use crate::vector::{add, dot, scale, sub};
use crate::world::step::prefix;

/// Numbers of a pair's forces: force, torques on A and B.
pub(super) const ACTS: usize = 9;

/// Some contact is not of finite numbers.
pub(super) const WRONG: u64 = 1;
/// Forces of some pair are none, or larger than [`SMALL`](super::gather::SMALL).
pub(super) const LARGE: u64 = 2;

/// What a chunk of the list comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Share {
    /// Energy of springs, what damping has dissipated, and work done against friction.
    pub taken: [f64; 3],
    /// [`WRONG`] where some contact is not of finite numbers, and [`LARGE`]; else 0.
    pub is_wrong: u64,
}

impl Share {
    /// With that of the chunk behind.
    pub(super) fn and(self, next: &Share) -> Share {
        Share { taken: add(self.taken, next.taken), is_wrong: self.is_wrong | next.is_wrong }
    }
}

/// Bodies of a step, what they are made of and look like.
pub(super) struct Seen<'s> {
    pub places: &'s [[f64; 4]],
    /// To which bodies places belong, where some are compounds.
    pub points: Points<'s>,
    pub rates: &'s [Rate],
    pub bodies: &'s [Body],
    pub materials: &'s [u32],
    pub ids: &'s [u64],
    pub shapes: &'s [Shape<'s>],
    pub shape_of: &'s [u32],
    pub scales: &'s [f64],
}

impl<'s> Seen<'s> {
    /// A body.
    #[inline(always)]
    pub(super) fn ball(&self, i: usize) -> Option<Ball<'s>> {
        Some(Ball { place: self.places.get(i)?, body: self.bodies.get(i)?, rate: self.rates.get(i)? })
    }

    /// Asks for what is read of a body.
    #[inline(always)]
    fn fetch(&self, i: usize) {
        // The front of a row is not read.
        let rows = <[[u64; 6]]>::ref_from_bytes(self.bodies.as_bytes()).unwrap_or_default();
        prefetch(rows, 3 * i + 1);
        prefetch(rows, 3 * i + 2);
        prefetch(self.rates, i);
    }

    /// The bodies of a pair of places.
    pub(super) fn slots_of(&self, pair: [u32; 2]) -> [u32; 2] {
        pair.map(|i| self.points.owner(i as usize) as u32)
    }

    /// By what pairs are ordered.
    pub(super) fn name(&self, slots: [u32; 2]) -> [u64; 2] {
        slots.map(|i| self.ids.get(i as usize).copied().unwrap_or_default())
    }

    /// The contact of two bodies at these positions, by the general way.
    pub(super) fn contact(
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
pub(super) struct Walk<'l> {
    pub isa: Isa,
    pub laws: Laws<'l>,
    pub images: Images,
    pub gravity: [f64; 3],
    /// How many there are.
    pub bodies: usize,
    /// How many places there are: one for each body, or for each ball where some are compounds.
    pub rows: usize,
    /// How far contacts of parts may be from what they were ([`Settings::bound`](crate::detect::Settings::bound)).
    pub bound: f64,
    /// Whether contacts of parts tell second moments.
    pub spread: bool,
    /// Whether forces move all of them. Their rows are not asked: what tells it is far from what else is read of them.
    pub all_move: bool,
    /// Whether loads are so small that only forces can make sums too large.
    pub trusts_loads: bool,
    /// No skin but none is thinner than half of this.
    pub thinnest: f64,
    pub dt: f64,
}

/// What waits for others like it.
pub(super) struct Queue<'s> {
    pub waiting: Waiting<'s>,
    /// Slots of A and B.
    slots: [[u32; 2]; BLOCK],
    /// Whether the last one is a ball and a half-space.
    ends_flat: bool,
    materials: [u32; 2],
    law: Option<&'s Interaction>,
    out: Settled,
    pub share: Share,
}

impl Queue<'_> {
    pub const EMPTY: Self = Queue {
        waiting: Waiting::EMPTY,
        slots: [[0; 2]; BLOCK],
        ends_flat: false,
        materials: [u32::MAX; 2],
        law: None,
        out: Settled::NONE,
        share: Share { taken: [0.0; 3], is_wrong: 0 },
    };
}

/// Where springs of pairs that are near come from, in order, and where these and their forces go.
pub(super) struct Along<'h, T> {
    pub before: Touches<'h>,
    pub trial: core::slice::ChunksExactMut<'h, u64>,
    pub acts: T,
}

/// What takes the forces of pairs, in the order of the list.
pub(super) trait Acts {
    fn put(&mut self, slots: [u32; 2], act: Act);

    /// Asks for what forces on a body are added to.
    fn fetch(&self, _: usize) {}
}

/// Force and torque on A along x, the same on B, and other torques on A and on B.
pub(super) type Act<'a> = [&'a [f64; 4]; 3];

/// They are written one behind the other.
impl Acts for core::slice::IterMut<'_, [f64; ACTS]> {
    #[inline(always)]
    fn put(&mut self, _: [u32; 2], [[x, y, z, a], [_, _, _, d], [b, c, e, f]]: Act) {
        if let Some(to) = self.next() {
            *to = [*x, *y, *z, *a, *b, *c, *d, *e, *f];
        }
    }
}

/// They are added up for each body. Of a body all pairs of which it is B are before those of which it is A.
impl Acts for &mut [Wrench] {
    #[inline(always)]
    fn fetch(&self, i: usize) {
        prefetch(self, i);
    }

    #[inline(always)]
    fn put(&mut self, [a, b]: [u32; 2], [on_a, on_b, [c, d, e, f]]: Act) {
        if let Some(sum) = self.get_mut(a as usize) {
            add_row(sum, on_a, [*c, *d]);
        }
        if let Some(sum) = self.get_mut(b as usize) {
            add_row(sum, on_b, [*e, *f]);
        }
    }
}

#[inline(always)]
fn add_row(sum: &mut Wrench, [x, y, z, a]: &[f64; 4], [b, c]: [f64; 2]) {
    (sum.force, sum.torque) = (add(sum.force, [*x, *y, *z]), add(sum.torque, [*a, b, c]));
}

impl<'l> Walk<'l> {
    /// Whether bodies have gone farther than `limit` from where they were listed, have halos, move by more than half of their own in the next step, and whether numbers are none or too
    /// large: bits of a [`Part`](super::Part).
    pub(super) fn look_at_bodies(
        &self,
        (places, bodies, rates): (&[[f64; 4]], &[Body], &[Rate]),
        listed: &[[f64; 4]],
        limit: f64,
    ) -> u64 {
        let fallen = scale(self.gravity, self.dt);
        let (mut fast, mut has_halo, mut left, mut bounded) = (false, false, false, true);
        for (i, ((place, (body, rate)), before)) in places.iter().zip(bodies.iter().zip(rates)).zip(listed).enumerate()
        {
            let (Body { velocity, angular_velocity: spin, .. }, Rate { halo, .. }) = (body, rate);
            let [x, y, z, _] = *place;
            bounded &= is_bounded(&[x, y, z]) & is_bounded(velocity) & is_bounded(spin);
            let v = if body.is_dynamic() { add(*velocity, fallen) } else { *velocity };
            fast |= dot(v, v) * (self.dt * self.dt) > 0.25 * halo * halo;
            has_halo |= *halo > 0.0;
            if place[3] == f64::INFINITY {
                left |= plane(places, rates, i) != *before;
                continue;
            }
            let d = self.images.apart(place, before);
            left |= !(dot(d, d) <= limit * limit && place[3] == before[3]);
        }
        [(fast, FAST), (has_halo, HALO), (left, LEFT), (!bounded, BAD)]
            .iter()
            .fold(0, |all, (is, bit)| if *is { all | bit } else { all })
    }

    /// Which pairs are near; gives how many.
    pub(super) fn look(
        &self,
        exec: &dyn Executor,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        walking: &mut Walking<'_>,
    ) -> u64 {
        let near = walking.near.get_mut(..pairs.len()).unwrap_or_default();
        let counts = walking.ends.get_mut(..pairs.len().div_ceil(PAIRS)).unwrap_or_default();
        each(exec, (Cut(pairs, PAIRS), CutMut(near, PAIRS), CutMut(&mut *counts, 1)), |_, (pairs, near, count)| {
            let mut found = 0u16;
            for (pairs, near) in pairs.chunks(CHUNK).zip(near.chunks_mut(CHUNK)) {
                let which = self.which_are_near(seen, pairs);
                for (k, to) in near.iter_mut().enumerate() {
                    let is_near = which >> k & 1 != 0;
                    *to = found | if is_near { NEAR } else { 0 };
                    found += u16::from(is_near);
                }
            }
            count.fill(u64::from(found));
        });
        ends(counts)
    }

    /// Which of some pairs may touch.
    #[inline(always)]
    pub(super) fn which_are_near(&self, seen: &Seen<'_>, pairs: &[[u32; 2]]) -> u64 {
        let [near, flat] = dispatch(self.isa, Near { images: &self.images, places: seen.places, pairs });
        if flat == 0 { near } else { self.with_planes(seen, pairs, [near, flat]) }
    }

    /// The same where some are with half-spaces.
    #[cold]
    fn with_planes(&self, seen: &Seen<'_>, pairs: &[[u32; 2]], [near, flat]: [u64; 2]) -> u64 {
        pairs.iter().enumerate().fold(near, |near, (k, pair)| {
            let is_apart = flat >> k & 1 != 0 && !self.is_near_plane(seen, *pair);
            near & !(u64::from(is_apart) << k)
        })
    }

    /// Whether a ball may touch a half-space.
    fn is_near_plane(&self, seen: &Seen<'_>, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|i| seen.places.get(i as usize).zip(seen.rates.get(seen.points.owner(i as usize))));
        let (Some(own), Some(other)) = (a, b) else { return false };
        let ((p, flat), (q, _)) = if own.1.radius < 0.0 { (own, other) } else { (other, own) };
        // Radius with halo.
        let reach = q[3] + flat.halo;
        let (p, q, [x, y, z, _]) = ([p[0], p[1], p[2]], [q[0], q[1], q[2]], flat.turn);
        // The contact is decided by other sums.
        let slack = 1e-9 * (reach + Real::sqrt(dot(p, p)) + Real::sqrt(dot(q, q)));
        dot([x, y, z], sub(q, p)) <= reach + slack
    }

    /// Forces of all pairs that are near, added up for each body, and their springs as they are after the step, in the order of the list.
    pub(super) fn act(
        &self,
        exec: &dyn Executor,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (Touches<'_>, Places<'_>),
        (walking, sums): (&mut Walking<'_>, &mut [Wrench]),
    ) -> Share {
        sums.fill(Wrench::default());
        let (mut all, mut left, mut first, mut acted) = (Share::default(), trial.words, 0, 0);
        let chunks = prefix(walking.ends, pairs.len().div_ceil(PAIRS)).len();
        while first < chunks {
            // As many chunks as there is room for forces of.
            let ends = walking.ends.get(first..chunks).unwrap_or_default();
            let most = acted as u64 + walking.acts.len() as u64;
            let end = first + ends.partition_point(|end| *end <= most).max(1);
            let done = walking.ends.get(end - 1).map_or(acted, |end| *end as usize);
            let words = (done - acted).saturating_mul(trial.each).min(left.len());
            let (own, behind) = core::mem::take(&mut left).split_at_mut(words);
            left = behind;
            let own = Places { words: own, each: trial.each };
            all = self.act_in_chunks(exec, seen, pairs, (before, own), (&mut *walking, first..end, all));
            let places = (first * PAIRS) as u32..(end * PAIRS).min(pairs.len()) as u32;
            gather(exec, walking, &Batch { places, before: acted }, sums);
            (first, acted) = (end, done);
        }
        all
    }

    /// The same of some chunks, whose forces are written one behind the other. Gives what they come to, with those before.
    fn act_in_chunks(
        &self,
        exec: &dyn Executor,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (Touches<'_>, Places<'_>),
        (walking, chunks, all): (&mut Walking<'_>, Range<usize>, Share),
    ) -> Share {
        let Walking { near, ends, shares, acts, .. } = walking;
        let start = chunks.start.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or_default();
        let places = chunks.start * PAIRS..(chunks.end * PAIRS).min(pairs.len());
        let pairs = pairs.get(places.clone()).unwrap_or_default();
        let near = near.get(places).unwrap_or_default();
        let ends = ends.get(chunks.clone()).unwrap_or_default();
        let shares = shares.get_mut(chunks).unwrap_or_default();
        let Places { words, each: many } = trial;
        let (trial, acts) = (pieces(words, ends).from(start).of(many), pieces(acts, ends).from(start));
        let parts = (Cut(pairs, PAIRS), Cut(near, PAIRS), trial, acts, CutMut(&mut *shares, 1));
        each(exec, parts, |_, (pairs, near, trial, acts, share)| {
            let first = pairs.first().map_or([u64::MAX; 2], |pair| seen.name(seen.slots_of(*pair)));
            let before = before.from(|slots| seen.name(slots) < first);
            let mut along = Along { before, trial: trial.chunks_exact_mut(many), acts: acts.iter_mut() };
            let mut marks = near.chunks(CHUNK);
            let all = self.act_in_chunk(seen, pairs, (&mut along, Share::default()), |_| {
                let marks = marks.next().unwrap_or_default().iter().enumerate();
                marks.fold(0, |which, (k, near)| which | u64::from(near >> 15) << k)
            });
            share.fill(all);
        });
        shares.iter().fold(all, Share::and)
    }

    /// The same on one lane: forces are added up for each body. Gives how many are near, too; of those for which there is no room nothing else is known.
    pub(super) fn act_alone(
        &self,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        (before, mut trial): (Touches<'_>, Places<'_>),
        sums: &mut [Wrench],
    ) -> (u64, Share) {
        sums.fill(Wrench::default());
        let mut found = 0;
        let mut along = Along { before, trial: trial.iter(), acts: sums };
        let share = pairs.chunks(PAIRS).fold(Share::default(), |all, pairs| {
            let share = self.act_in_chunk(seen, pairs, (&mut along, Share::default()), |pairs| {
                let which = self.which_are_near(seen, pairs);
                found += u64::from(which.count_ones());
                which
            });
            all.and(&share)
        });
        (found, share)
    }

    /// Gives what pairs come to, with those before in the same chunk. `which` tells which of the next pairs of the list are near.
    #[inline(always)]
    pub(super) fn act_in_chunk<'s, T: Acts>(
        &self,
        seen: &Seen<'s>,
        pairs: &[[u32; 2]],
        (along, before): (&mut Along<'s, T>, Share),
        mut which: impl FnMut(&[[u32; 2]]) -> u64,
    ) -> Share
    where
        'l: 's,
    {
        if !seen.points.is_none() {
            return before.and(&self.act_in_chunk_of_parts(seen, pairs, along, which));
        }
        let mut queue = Queue { share: before, ..Queue::EMPTY };
        queue.waiting.held = !self.all_move;
        for pairs in pairs.chunks(CHUNK) {
            let near = which(pairs);
            // Bodies that come first are one behind the other in memory; others are not.
            each_bit(near, |k| {
                if let Some([_, other]) = pairs.get(k) {
                    seen.fetch(*other as usize);
                    along.acts.fetch(*other as usize);
                }
            });
            each_bit(near, |k| {
                if let Some(slots) = pairs.get(k) {
                    self.put(&mut queue, seen, *slots, along);
                }
            });
        }
        self.settle(&mut queue, seen, along);
        queue.share
    }

    /// Puts a pair in the queue.
    #[inline(always)]
    fn put<'s, T: Acts>(&self, queue: &mut Queue<'s>, seen: &Seen<'s>, slots: [u32; 2], along: &mut Along<'s, T>)
    where
        'l: 's,
    {
        let [i, j] = slots.map(|i| i as usize);
        let (Some(own), Some(other)) = (seen.ball(i), seen.ball(j)) else { return };
        self.put_balls(queue, seen, (slots, [own, other]), along, springs_of);
    }

    /// The same of these balls, with a way to their springs.
    #[inline(always)]
    pub(super) fn put_balls<'s, T: Acts>(
        &self,
        queue: &mut Queue<'s>,
        seen: &Seen<'s>,
        (slots, [own, other]): ([u32; 2], [Ball<'s>; 2]),
        along: &mut Along<'s, T>,
        springs_of: impl Fn(&Seen<'_>, [u32; 2], &mut Touches<'s>) -> [&'s [f64; 4]; 2],
    ) where
        'l: 's,
    {
        let materials = slots.map(|i| seen.materials.get(i as usize).copied().unwrap_or_default());
        if materials != queue.materials {
            self.settle(queue, seen, along);
            (queue.materials, queue.law) = (materials, self.laws.between(materials[0], materials[1]));
        }
        queue.slots[queue.waiting.count & (BLOCK - 1)] = slots;
        let count = queue.waiting.put([own, other], springs_of(seen, slots, &mut along.before));
        // A half-space is not for lanes.
        queue.ends_flat = own.place[3] + other.place[3] == f64::INFINITY;
        if count == BLOCK || queue.ends_flat {
            self.settle(queue, seen, along);
        }
    }

    /// The forces of all that wait, in their order.
    #[inline(never)]
    pub(super) fn settle<T: Acts>(&self, queue: &mut Queue<'_>, seen: &Seen<'_>, along: &mut Along<'_, T>) {
        let (count, Some(law)) = (queue.waiting.count, queue.law) else { return };
        if count == 0 {
            return;
        }
        let Queue { waiting, slots, ends_flat, out, share, .. } = queue;
        let words = along.before.each;
        let kernel = Settle { waiting, images: &self.images, law, words, dt: self.dt, out };
        let [ordinary, large] = dispatch(self.isa, kernel);
        share.is_wrong |= if ordinary & large & ((1 << count) - 1) != 0 { LARGE } else { 0 };
        for at in 0..count.min(BLOCK) {
            let slots = slots[at];
            let Some(touch) = along.trial.next() else { break };
            let mut flat = [false; 2];
            if ordinary >> at & 1 == 0 || (*ends_flat && at + 1 == count) {
                flat = [0, 1].map(|k| waiting.balls[k][at].rate.radius < 0.0);
                let acting = self.alone(waiting, at, slots, (seen, words), law);
                share.is_wrong |= if acting.is_err() { WRONG } else { 0 };
                let Ok(Some(acting)) = acting else {
                    Touch::none(slots).write(touch);
                    along.acts.put(slots, [&[0.0; 4]; 3]);
                    continue;
                };
                share.is_wrong |= if acting.is_small() { 0 } else { LARGE };
                out.put(at, &acting);
            }
            let [on_a, on_b, torques, slide, others] = [0, 1, 2, 3, 4].map(|k| &out.rows[k][at]);
            match touch {
                // Most laws have springs of sliding alone.
                [first, x, y, z] if flat == [false; 2] => {
                    *first = word(slots);
                    [*x, *y, *z] = [slide[1], slide[2], slide[3]].map(f64::to_bits);
                }
                _ => Touch::new(slots, side(flat), springs_in(8, [slide, others])).write(touch),
            }
            share.taken = add(share.taken, [0, 1, 2].map(|k| out.taken[k][at]));
            along.acts.put(slots, [on_a, on_b, torques]);
        }
        queue.ends_flat = false;
        queue.waiting.count = 0;
    }
}

/// Calls `work` with the place of each bit that is set.
#[inline(always)]
pub(super) fn each_bit(mut bits: u64, mut work: impl FnMut(usize)) {
    while bits != 0 {
        work(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// The springs of a pair, of those in order that are left: none where it did not touch.
#[inline(always)]
fn springs_of<'s>(seen: &Seen<'_>, slots: [u32; 2], left: &mut Touches<'s>) -> [&'s [f64; 4]; 2] {
    while let Some(first) = left.first() {
        if first == slots {
            return left.next();
        }
        // Most often the next one belongs to a later pair.
        if seen.name(first) > seen.name(slots) {
            break;
        }
        left.next();
    }
    NO_SPRINGS
}
