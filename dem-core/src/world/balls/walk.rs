//! Forces of all pairs of the list, on walks over it.

use core::ops::Range;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::gather::{Batch, add_to_a, add_to_b, gather};
use super::round::{Acting, BLOCK, IN, OUT, Rate, Settle, Touching, Waiting};
use super::springs::{nearest, side};
use super::touches::{Places, Touch, Touches};
use super::{BAD, FAST, HALO, LEFT, NEAR, PAIRS, STILL, Walking, plane};
use crate::body::{Body, is_bounded};
use crate::contact::shape::{Balls, Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room};
use crate::detect::Wrench;
use crate::error::Result;
use crate::exec::{Cut, CutMut, Executor, Serial, Work, each, ends, pieces};
use crate::force::{Interaction, Laws};
use crate::pose::Pose;
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};
use crate::vector::{add, dot, scale, sub};
use crate::world::step::prefix;

/// Pairs that are looked at together.
const CHUNK: usize = 64;

/// Numbers of a pair's forces: force, torques on A and B.
pub(super) const ACTS: usize = 9;

/// What a chunk of the list comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Share {
    /// What damping and friction have dissipated.
    pub lost: [f64; 2],
    /// 0 where all contacts are of finite numbers.
    pub is_wrong: u64,
}

impl Share {
    /// With that of the chunk behind.
    fn and(self, next: &Share) -> Share {
        let [damped, rubbed] = next.lost;
        Share { lost: [self.lost[0] + damped, self.lost[1] + rubbed], is_wrong: self.is_wrong | next.is_wrong }
    }
}

/// Bodies of a step, what they are made of and look like.
pub(super) struct Seen<'s> {
    pub places: &'s [[f64; 4]],
    pub rates: &'s [Rate],
    pub bodies: &'s [Body],
    pub materials: &'s [u32],
    pub ids: &'s [u64],
    pub shapes: &'s [Shape<'s>],
    pub shape_of: &'s [u32],
    pub scales: &'s [f64],
}

impl Seen<'_> {
    /// By what pairs are ordered.
    fn name(&self, slots: [u32; 2]) -> [u64; 2] {
        slots.map(|i| self.ids.get(i as usize).copied().unwrap_or_default())
    }

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
pub(super) struct Walk<'l> {
    pub isa: Isa,
    pub laws: Laws<'l>,
    pub periods: [f64; 3],
    pub gravity: [f64; 3],
    /// How many there are.
    pub bodies: usize,
    /// A little less than half of the shortest period.
    pub near: f64,
    /// No skin but none is thinner than half of this.
    pub thinnest: f64,
    pub dt: f64,
}

/// What waits for others like it.
struct Queue<'l> {
    waiting: Waiting,
    /// Slots of A and B.
    slots: [[u32; 2]; BLOCK],
    materials: [u32; 2],
    law: Option<&'l Interaction>,
    out: [[f64; BLOCK]; OUT],
    share: Share,
}

impl Queue<'_> {
    const EMPTY: Self = Queue {
        waiting: Waiting { rows: [[0.0; BLOCK]; IN], count: 0 },
        slots: [[0; 2]; BLOCK],
        materials: [u32::MAX; 2],
        law: None,
        out: [[0.0; BLOCK]; OUT],
        share: Share { lost: [0.0; 2], is_wrong: 0 },
    };
}

/// Where springs of pairs that are near come from, in order, and where these and their forces go.
struct Along<'h, T> {
    before: Touches<'h>,
    trial: core::slice::ChunksExactMut<'h, u64>,
    acts: T,
}

/// What takes the forces of pairs, in the order of the list.
trait Acts {
    fn put(&mut self, slots: [u32; 2], act: &[f64; ACTS]);
}

/// They are written one behind the other.
impl Acts for core::slice::IterMut<'_, [f64; ACTS]> {
    #[inline(always)]
    fn put(&mut self, _: [u32; 2], act: &[f64; ACTS]) {
        if let Some(to) = self.next() {
            *to = *act;
        }
    }
}

/// They are added up for each body. Of a body all pairs of which it is B are before those of which it is A.
impl Acts for &mut [Wrench] {
    #[inline(always)]
    fn put(&mut self, [a, b]: [u32; 2], act: &[f64; ACTS]) {
        if let Some(sum) = self.get_mut(a as usize) {
            add_to_a(sum, act);
        }
        if let Some(sum) = self.get_mut(b as usize) {
            add_to_b(sum, act);
        }
    }
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
            let d = self.apart(place, before);
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
        let places = seen.places;
        let near = walking.near.get_mut(..pairs.len()).unwrap_or_default();
        let counts = walking.ends.get_mut(..pairs.len().div_ceil(PAIRS)).unwrap_or_default();
        each(exec, (Cut(pairs, PAIRS), CutMut(near, PAIRS), CutMut(&mut *counts, 1)), |_, (pairs, near, count)| {
            let mut found = 0u16;
            for (&[a, b], to) in pairs.iter().zip(near) {
                let is_near = self.is_near(seen, places, [a, b]);
                *to = found | if is_near { NEAR } else { 0 };
                found += u16::from(is_near);
            }
            count.fill(u64::from(found));
        });
        ends(counts)
    }

    /// Whether two bodies may touch.
    #[inline(always)]
    fn is_near(&self, seen: &Seen<'_>, places: &[[f64; 4]], [a, b]: [u32; 2]) -> bool {
        let (Some(p), Some(q)) = (places.get(a as usize), places.get(b as usize)) else { return false };
        let (d, reach) = (self.apart(p, q), p[3] + q[3]);
        if reach == f64::INFINITY {
            return self.is_near_plane(seen, [a, b]);
        }
        dot(d, d) <= reach * reach * (1.0 + 1e-9)
    }

    /// Whether a ball may touch a half-space.
    #[cold]
    fn is_near_plane(&self, seen: &Seen<'_>, slots: [u32; 2]) -> bool {
        let [a, b] = slots.map(|i| seen.places.get(i as usize).zip(seen.rates.get(i as usize)));
        let (Some(own), Some(other)) = (a, b) else { return false };
        let ((p, flat), (q, ball)) = if own.1.radius < 0.0 { (own, other) } else { (other, own) };
        let (p, q, [x, y, z, _]) = ([p[0], p[1], p[2]], [q[0], q[1], q[2]], flat.turn);
        let reach = ball.radius + ball.halo + flat.halo;
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
            let first = pairs.first().map_or([u64::MAX; 2], |pair| seen.name(*pair));
            let before = before.from(|slots| seen.name(slots) < first);
            let mut along = Along { before, trial: trial.chunks_exact_mut(many), acts: acts.iter_mut() };
            let mut marks = near.iter();
            let all = self.act_in_chunk(seen, pairs, &mut along, |_| marks.next().is_some_and(|near| near & NEAR != 0));
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
        let (places, mut found) = (seen.places, 0);
        let mut along = Along { before, trial: trial.iter(), acts: sums };
        let share = pairs.chunks(PAIRS).fold(Share::default(), |all, pairs| {
            let share = self.act_in_chunk(seen, pairs, &mut along, |pair| {
                let is_near = self.is_near(seen, places, pair);
                found += u64::from(is_near);
                is_near
            });
            all.and(&share)
        });
        (found, share)
    }

    /// `is_near` is asked for each pair, in order.
    #[inline(always)]
    fn act_in_chunk<T: Acts>(
        &self,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        along: &mut Along<'_, T>,
        mut is_near: impl FnMut([u32; 2]) -> bool,
    ) -> Share {
        let mut queue = Queue::EMPTY;
        for pairs in pairs.chunks(CHUNK) {
            // First those that are near, without branches that nobody can foretell.
            let mut which = [0; CHUNK];
            let mut count = 0;
            for (k, pair) in (0u8..).zip(pairs) {
                which[count & (CHUNK - 1)] = k;
                count += usize::from(is_near(*pair));
            }
            for k in which.get(..count).unwrap_or_default() {
                let Some(&slots) = pairs.get(*k as usize) else { continue };
                self.put(&mut queue, seen, slots, along);
            }
        }
        self.settle(&mut queue, seen, along);
        queue.share
    }

    /// Puts a pair in the queue.
    #[inline(always)]
    fn put<T: Acts>(&self, queue: &mut Queue<'l>, seen: &Seen<'_>, slots: [u32; 2], along: &mut Along<'_, T>) {
        let [i, j] = slots.map(|i| i as usize);
        let (Some(p), Some(q)) = (seen.places.get(i), seen.places.get(j)) else { return };
        let (Some(own), Some(other)) = (seen.rates.get(i), seen.rates.get(j)) else { return };
        let (Some(a), Some(b)) = (seen.bodies.get(i), seen.bodies.get(j)) else { return };
        let materials = [i, j].map(|i| seen.materials.get(i).copied().unwrap_or_default());
        if materials != queue.materials {
            self.settle(queue, seen, along);
            (queue.materials, queue.law) = (materials, self.laws.between(materials[0], materials[1]));
        }
        let at = queue.waiting.count & (BLOCK - 1);
        queue.slots[at] = slots;
        queue.waiting.put(at, self.apart(p, q), ([a, b], [own, other]), &springs_of(seen, slots, &mut along.before));
        queue.waiting.count = at + 1;
        // A half-space is not for lanes.
        if at + 1 == BLOCK || p[3] + q[3] == f64::INFINITY {
            self.settle(queue, seen, along);
        }
    }

    /// The forces of all that wait, in their order.
    #[inline(never)]
    fn settle<T: Acts>(&self, queue: &mut Queue<'l>, seen: &Seen<'_>, along: &mut Along<'_, T>) {
        let (count, Some(law)) = (queue.waiting.count, queue.law) else { return };
        if count == 0 {
            return;
        }
        let Queue { waiting, out, .. } = queue;
        let kernel = Settle { waiting, law, dt: self.dt, out };
        let ordinary = dispatch(self.isa, kernel);
        queue.waiting.count = 0;
        for at in 0..count.min(BLOCK) {
            let slots = queue.slots[at];
            let Some(touch) = along.trial.next() else { return };
            let out = &mut queue.out;
            let flat = [queue.waiting.rows[3][at] < 0.0, queue.waiting.rows[4][at] < 0.0];
            if ordinary >> at & 1 == 0 || flat != [false; 2] {
                let row = self.alone(&queue.waiting, at, slots, seen, law);
                queue.share.is_wrong |= u64::from(row.is_err());
                let Ok(Some(row)) = row else {
                    Touch::none(slots).write(touch);
                    along.acts.put(slots, &[0.0; ACTS]);
                    continue;
                };
                out.iter_mut().zip(row).for_each(|(to, x)| to[at] = x);
            }
            let row = |k: usize| out[k][at];
            let springs = [row(9), row(10), row(11), row(12), row(13), row(14), row(15)];
            Touch::new(slots, side(flat), springs).write(touch);
            let [damped, rubbed] = queue.share.lost;
            queue.share.lost = [damped + row(16), rubbed + row(17)];
            along.acts.put(slots, &[row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7), row(8)]);
        }
    }

    /// A pair that is out of the ordinary, or with a half-space.
    #[cold]
    fn alone(
        &self,
        waiting: &Waiting,
        at: usize,
        slots: [u32; 2],
        seen: &Seen<'_>,
        law: &Interaction,
    ) -> Result<Option<[f64; OUT]>> {
        let row = |k: usize| waiting.rows[k][at];
        let three = |k: usize| [row(k), row(k + 1), row(k + 2)];
        let four = |k: usize| [row(k), row(k + 1), row(k + 2), row(k + 3)];
        let radii = [row(3), row(4)];
        let slots = slots.map(|i| i as usize);
        let [p, q] = slots.map(|i| seen.places.get(i).copied().unwrap_or_default());
        let own = [p[0], p[1], p[2]];
        let is_flat = radii.map(|radius| radius < 0.0);
        let (contact, other) = if is_flat == [false; 2] {
            let other = sub(own, three(0));
            (Balls::new([own, other], radii, [row(5), row(6)]).contact(0), other)
        } else {
            let other = [q[0], q[1], q[2]];
            let flat =
                [0, 1].map(|k| is_flat[k].then(|| seen.bodies.get(slots[k]).map_or(STILL, |body| body.orientation)));
            (seen.contact(self.isa, slots, [own, other], flat)?, other)
        };
        let Some(contact) = contact else { return Ok(None) };
        let light = 1.0 / row(16) + 1.0 / row(32);
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
            mass: if light > 0.0 { 1.0 / light } else { 0.0 },
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
}

/// The springs of a pair, of those in order that are left: none where it did not touch.
#[inline(always)]
fn springs_of(seen: &Seen<'_>, slots: [u32; 2], left: &mut Touches<'_>) -> [f64; 7] {
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
    [0.0; 7]
}
