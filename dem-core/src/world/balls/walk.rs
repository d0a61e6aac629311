//! Forces of all pairs of the list, on walks over it.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::division::{Across, Copies, Division, Marks, Segments};
use super::images::Images;
use super::lanes::{Before, Job, Still};
use super::list::{Leash, Place};
use super::near_pairs::{CHUNK, Near};
use super::parts::word;
use super::points::Points;
use super::round::{BLOCK, Ball, Rate, Settle, Settled, Waiting};
use super::rows::{place, position};
use super::springs::side;
use super::touches::{NO_SPRINGS, OF_PARTS, Places, Touch, Touches, springs_in};
use super::{BAD, FAST, HALO, LEFT, PAIRS, plane_of};
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

/// Some contact is not of finite numbers.
pub(super) const WRONG: u64 = 1;
/// Forces of some pair are none, or larger than [`SMALL`](super::bounds::SMALL).
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
#[derive(Clone, Copy)]
pub(super) struct Seen<'s> {
    /// The slot of the first one whose state and rate are here.
    pub first: usize,
    /// Those of others.
    pub copies: Copies<'s>,
    /// Places of balls, where some bodies are compounds, and to which bodies they belong.
    pub places: &'s [[f64; 4]],
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
        let k = i.wrapping_sub(self.first);
        match (self.bodies.get(k), self.rates.get(k)) {
            (Some(body), Some(rate)) => Some(Ball { body, rate }),
            _ => self.copy(i),
        }
    }

    /// Where it is.
    #[inline(always)]
    pub(super) fn position(&self, i: usize) -> Option<&'s [f64; 4]> {
        match self.bodies.get(i.wrapping_sub(self.first)) {
            Some(body) => Some(position(body)),
            None => self.copy(i).map(|ball| ball.position()),
        }
    }

    /// One of another lane.
    #[cold]
    fn copy(&self, i: usize) -> Option<Ball<'s>> {
        let k = self.copies.of(i);
        Some(Ball { body: self.copies.bodies.get(k)?, rate: self.copies.rates.get(k)? })
    }

    /// Where a ball is, and how its body turns.
    fn row(&self, i: usize) -> Option<([f64; 4], &'s Rate)> {
        match self.points.is_none() {
            true => self.ball(i).map(|ball| (place(ball.body, ball.rate), ball.rate)),
            false => self.places.get(i).copied().zip(self.rates.get(self.points.owner(i))),
        }
    }

    /// Asks for what is read of a body.
    #[inline(always)]
    fn fetch(&self, i: usize) {
        // The front of a row was read when the pair was found to be near.
        let rows = <[[u64; 6]]>::ref_from_bytes(self.bodies.as_bytes()).unwrap_or_default();
        let k = i.wrapping_sub(self.first);
        prefetch(rows, k.wrapping_mul(3).wrapping_add(1));
        prefetch(rows, k.wrapping_mul(3).wrapping_add(2));
        prefetch(self.rates, k);
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
    /// How many places there are of balls, where some bodies are compounds.
    pub points: usize,
    /// The sum of radius and halo that all balls have where there is nothing else.
    pub reach: Option<f64>,
    /// How many lanes there is scratch for.
    pub lanes: usize,
    /// How far contacts of parts may be from what they were ([`Settings::bound`](crate::detect::Settings::bound)).
    pub bound: f64,
    /// Whether contacts of parts tell second moments.
    pub spread: bool,
    /// Whether forces move all of them. Their rows are not asked: what tells it is far from what else is read of them.
    pub all_move: bool,
    /// Whether loads are so small that only forces can make sums too large.
    pub trusts_loads: bool,
    /// Whether there are any. They are not read else.
    pub has_loads: bool,
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
pub(super) struct Along<'h> {
    pub before: Touches<'h>,
    pub trial: Trial<'h>,
    pub sums: Sums<'h>,
}

/// Where springs are written, one behind the other.
pub(super) struct Trial<'h> {
    rows: core::slice::ChunksExactMut<'h, u64>,
    /// Those that are to be written elsewhere go nowhere: so many words each.
    nowhere: Option<usize>,
    spare: [u64; OF_PARTS as usize],
}

impl<'h> Trial<'h> {
    pub fn to(places: &'h mut Places<'_>) -> Self {
        Trial { rows: places.iter(), nowhere: None, spare: [0; OF_PARTS as usize] }
    }

    pub fn none(each: usize) -> Self {
        Trial { rows: [].chunks_exact_mut(1), nowhere: Some(each), spare: [0; OF_PARTS as usize] }
    }

    /// Room for the next ones.
    #[inline(always)]
    pub fn next(&mut self) -> Option<&mut [u64]> {
        match (self.rows.next(), self.nowhere) {
            (Some(row), _) => Some(row),
            (None, Some(each)) => self.spare.get_mut(..each),
            (None, None) => None,
        }
    }
}

/// Force and torque on A along x, the same on B, and other torques on A and on B.
type Act<'a> = [&'a [f64; 4]; 3];

/// Forces on bodies from a slot on, each added up in the order of the list. Of a body all pairs of which it is B are before those of which it is A.
pub(super) struct Sums<'s> {
    pub first: usize,
    pub sums: &'s mut [Wrench],
}

impl Sums<'_> {
    /// Asks for what forces on a body are added to.
    #[inline(always)]
    fn fetch(&self, i: usize) {
        prefetch(self.sums, i.wrapping_sub(self.first));
    }

    #[inline(always)]
    pub fn put(&mut self, [a, b]: [u32; 2], [on_a, on_b, [c, d, e, f]]: Act) {
        if let Some(sum) = self.sums.get_mut((a as usize).wrapping_sub(self.first)) {
            add_row(sum, on_a, [*c, *d]);
        }
        if let Some(sum) = self.sums.get_mut((b as usize).wrapping_sub(self.first)) {
            add_row(sum, on_b, [*e, *f]);
        }
    }
}

#[inline(always)]
fn add_row(sum: &mut Wrench, [x, y, z, a]: &[f64; 4], [b, c]: [f64; 2]) {
    (sum.force, sum.torque) = (add(sum.force, [*x, *y, *z]), add(sum.torque, [*a, b, c]));
}

impl<'l> Walk<'l> {
    /// Whether bodies have gone farther than they may from where they were listed, have halos, move by more than half of their own in the next step, and whether numbers are none or too
    /// large: bits of a [`Part`](super::Part).
    pub(super) fn look_at_bodies(&self, (bodies, rates): (&[Body], &[Rate]), listed: &[Place], leash: Leash) -> u64 {
        let fallen = scale(self.gravity, self.dt);
        let (mut fast, mut has_halo, mut left, mut bounded) = (false, false, false, true);
        for ((body, rate), before) in bodies.iter().zip(rates).zip(listed) {
            let place = place(body, rate);
            let (Body { velocity, angular_velocity: spin, .. }, Rate { halo, .. }) = (body, rate);
            let [x, y, z, _] = place;
            bounded &= is_bounded(&[x, y, z]) & is_bounded(velocity) & is_bounded(spin);
            let v = if body.is_dynamic() { add(*velocity, fallen) } else { *velocity };
            fast |= dot(v, v) * (self.dt * self.dt) > 0.25 * halo * halo;
            has_halo |= *halo > 0.0;
            left |= !leash.holds(&self.images, plane_of(&place, rate), place[3] == f64::INFINITY, *before);
        }
        [(fast, FAST), (has_halo, HALO), (left, LEFT), (!bounded, BAD)]
            .iter()
            .fold(0, |all, (is, bit)| if *is { all | bit } else { all })
    }

    /// Counts pairs that are near in each chunk: gives where they end.
    pub(super) fn look(&self, exec: &dyn Executor, seen: &Seen<'_>, pairs: &[[u32; 2]], counts: &mut [u64]) -> u64 {
        each(exec, (Cut(pairs, PAIRS), CutMut(&mut *counts, 1)), |_, (pairs, count)| {
            let some = pairs.chunks(CHUNK).map(|pairs| u64::from(self.which_are_near(seen, pairs).count_ones()));
            count.fill(some.sum());
        });
        ends(counts)
    }

    /// Which of some pairs may touch.
    #[inline(always)]
    pub(super) fn which_are_near(&self, seen: &Seen<'_>, pairs: &[[u32; 2]]) -> u64 {
        let [near, flat] = dispatch(self.isa, Near { images: &self.images, seen, reach: self.reach, pairs });
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
        let [Some(own), Some(other)] = pair.map(|i| seen.row(i as usize)) else { return false };
        let ((p, flat), (q, _)) = if own.1.radius < 0.0 { (own, other) } else { (other, own) };
        // Radius with halo.
        let reach = q[3] + flat.halo;
        let (p, q, [x, y, z, _]) = ([p[0], p[1], p[2]], [q[0], q[1], q[2]], flat.turn);
        // The contact is decided by other sums.
        let slack = 1e-9 * (reach + Real::sqrt(dot(p, p)) + Real::sqrt(dot(q, q)));
        dot([x, y, z], sub(q, p)) <= reach + slack
    }

    /// Forces of all pairs, added up for each body, and their springs as they are after the step, in the order of the list, on one lane. Gives how many are near, too; of those for which there is no room nothing else is known.
    pub(super) fn act_alone(
        &self,
        seen: Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (Before<'_>, Places<'_>),
        sums: &mut [Wrench],
    ) -> (u64, Share) {
        sums.fill(Wrench::default());
        let job = Job { walk: self, pairs, division: &Division::ONE, lane: 0, marks: &[], before };
        let mut all = Share::default();
        let near = job.run(&mut Still { seen, sums: Sums { first: 0, sums } }, trial, |share| all = all.and(&share));
        (near, all)
    }

    /// The same on several lanes, where it is known where pairs that are near end in each chunk.
    pub(super) fn act(
        &self,
        exec: &dyn Executor,
        seen: Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (Before<'_>, Places<'_>),
        (across, division, sums): (&mut Across<'_>, &Division, &mut [Wrench]),
    ) -> (Segments, Share) {
        let chunks = pairs.len().div_ceil(PAIRS);
        let segments = Segments::of_lanes(division, prefix(across.near, chunks));
        let (rooms, many) = (segments.rooms(segments.all()), trial.each);
        let Across { marks, shares, .. } = across;
        let shares = shares.get_mut(..chunks).unwrap_or_default();
        let marks = Marks { words: marks, lanes: division.lanes() };
        let all = (
            pieces(sums, division.bodies()),
            pieces(trial.words, rooms.get(..division.lanes()).unwrap_or_default()).of(many),
            pieces(&mut *shares, division.chunks()),
        );
        each(exec, all, |lane, (sums, words, shares)| {
            sums.fill(Wrench::default());
            let first = Division::range(division.bodies(), lane).start;
            let job = Job { walk: self, pairs, division, lane, marks: marks.of(lane), before };
            let (mut rows, mut shares) = (Still { seen, sums: Sums { first, sums } }, shares.iter_mut());
            let trial = Places { words, each: many };
            job.run(&mut rows, trial, |share| shares.next().into_iter().for_each(|to| *to = share));
        });
        (segments, shares.iter().fold(Share::default(), Share::and))
    }

    /// Gives what pairs come to, with those before in the same chunk. `which` tells which of the next pairs of the list are near.
    #[inline(always)]
    pub(super) fn act_in_chunk<'s>(
        &self,
        seen: &Seen<'s>,
        pairs: &[[u32; 2]],
        (along, before): (&mut Along<'s>, Share),
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
                    along.sums.fetch(*other as usize);
                }
            });
            // A loop of its own: what a closure calls is not inlined where there are several of it.
            let mut left = near;
            while left != 0 {
                if let Some(slots) = pairs.get(left.trailing_zeros() as usize) {
                    self.put(&mut queue, seen, *slots, along);
                }
                left &= left - 1;
            }
        }
        self.settle(&mut queue, seen, along);
        queue.share
    }

    /// Puts a pair in the queue.
    #[inline(always)]
    fn put<'s>(&self, queue: &mut Queue<'s>, seen: &Seen<'s>, slots: [u32; 2], along: &mut Along<'s>)
    where
        'l: 's,
    {
        let [i, j] = slots.map(|i| i as usize);
        let (Some(own), Some(other)) = (seen.ball(i), seen.ball(j)) else { return };
        self.put_balls(queue, seen, (slots, [own, other]), along, springs_of);
    }

    /// The same of these balls, with a way to their springs.
    #[inline(always)]
    pub(super) fn put_balls<'s>(
        &self,
        queue: &mut Queue<'s>,
        seen: &Seen<'s>,
        (slots, [own, other]): ([u32; 2], [Ball<'s>; 2]),
        along: &mut Along<'s>,
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
        queue.ends_flat = own.is_flat() | other.is_flat();
        if count == BLOCK || queue.ends_flat {
            self.settle(queue, seen, along);
        }
    }

    /// The forces of all that wait, in their order.
    #[inline(never)]
    pub(super) fn settle(&self, queue: &mut Queue<'_>, seen: &Seen<'_>, along: &mut Along<'_>) {
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
                    along.sums.put(slots, [&[0.0; 4]; 3]);
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
            along.sums.put(slots, [on_a, on_b, torques]);
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
