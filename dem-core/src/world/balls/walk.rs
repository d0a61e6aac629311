//! Forces of all pairs of the list, on walks over it.

use super::round::{Acting, BLOCK, IN, OUT, Rate, Settle, Touching, Waiting};
use super::springs::{nearest, side};
use super::{FAST, HALO, LEFT, NEAR, PAIRS, STILL, Touch, Walking, plane};
use crate::contact::shape::{Balls, Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room};
use crate::error::Result;
use crate::exec::{Cut, CutMut, Executor, Serial, Work, each, ends, pieces};
use crate::force::{Interaction, Laws};
use crate::pose::Pose;
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};
use crate::vector::{add, dot, scale, sub};

/// Pairs that are looked at together.
const CHUNK: usize = 64;

/// Numbers of a pair's forces: force, torques on A and B, what damping and friction have dissipated.
pub(super) const ACTS: usize = 11;

/// Bodies of a step, what they are made of and look like.
pub(super) struct Seen<'s> {
    pub places: &'s [[f64; 4]],
    pub rates: &'s [Rate],
    pub orientations: &'s [[f64; 4]],
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
    /// Whether all contacts are of finite numbers.
    finite: bool,
}

/// Where a chunk writes: pairs that touch, and their forces.
struct After<'h> {
    trial: core::slice::IterMut<'h, Touch>,
    acts: core::slice::IterMut<'h, [f64; ACTS]>,
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

    /// Whether bodies have gone farther than `limit` from where they were listed, have halos, and move by more than half of their own in the next step: bits of a
    /// [`Part`](super::Part).
    pub(super) fn look_at_bodies(&self, places: &[[f64; 4]], rates: &[Rate], listed: &[[f64; 4]], limit: f64) -> u64 {
        let fallen = scale(self.gravity, self.dt);
        let (mut fast, mut has_halo, mut left) = (false, false, false);
        for (i, ((place, rate), before)) in places.iter().zip(rates).zip(listed).enumerate() {
            let Rate { velocity, light, halo, .. } = rate;
            let v = if light[0] > 0.0 { add(*velocity, fallen) } else { *velocity };
            fast |= dot(v, v) * (self.dt * self.dt) > 0.25 * halo * halo;
            has_halo |= *halo > 0.0;
            if place[3] == f64::INFINITY {
                left |= plane(places, rates, i) != *before;
                continue;
            }
            let d = self.apart(place, before);
            left |= !(dot(d, d) <= limit * limit && place[3] == before[3]);
        }
        [(fast, FAST), (has_halo, HALO), (left, LEFT)]
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
            let mut found = 0;
            for (&[a, b], to) in pairs.iter().zip(near) {
                let (Some(p), Some(q)) = (places.get(a as usize), places.get(b as usize)) else { continue };
                let (d, reach) = (self.apart(p, q), p[3] + q[3]);
                let mut is_near = dot(d, d) <= reach * reach * (1.0 + 1e-9);
                if reach == f64::INFINITY {
                    is_near = self.is_near_plane(seen, [a, b]);
                }
                *to = found | if is_near { NEAR } else { 0 };
                found += u32::from(is_near);
            }
            count.fill(u64::from(found));
        });
        ends(counts)
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

    /// Forces of all pairs that are near, and their springs as they are after the step, in the order of the list. Gives whether all contacts are of finite numbers.
    pub(super) fn act(
        &self,
        exec: &dyn Executor,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (&[Touch], &mut [Touch]),
        walking: &mut Walking<'_>,
    ) -> bool {
        let Walking { near, ends, finite, acts, .. } = walking;
        let chunks = pairs.len().div_ceil(PAIRS);
        let (near, ends) = (near.get(..pairs.len()), ends.get(..chunks));
        let (Some(near), Some(ends), Some(finite)) = (near, ends, finite.get_mut(..chunks)) else { return false };
        let parts =
            (Cut(pairs, PAIRS), Cut(near, PAIRS), pieces(trial, ends), pieces(acts, ends), CutMut(&mut *finite, 1));
        each(exec, parts, |_, (pairs, near, trial, acts, finite)| {
            let after = After { trial: trial.iter_mut(), acts: acts.iter_mut() };
            let all = self.act_in_chunk(seen, pairs, near, before, after);
            finite.fill(u32::from(all));
        });
        finite.iter().all(|all| *all != 0)
    }

    fn act_in_chunk(
        &self,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        near: &[u32],
        before: &[Touch],
        mut after: After<'_>,
    ) -> bool {
        let mut queue = Queue {
            waiting: Waiting { rows: [[0.0; BLOCK]; IN], count: 0 },
            slots: [[0; 2]; BLOCK],
            materials: [u32::MAX; 2],
            law: None,
            out: [[0.0; BLOCK]; OUT],
            finite: true,
        };
        let first = pairs.first().map_or([u64::MAX; 2], |pair| seen.name(*pair));
        let mut springs =
            before.get(before.partition_point(|touch| seen.name(touch.slots()) < first)..).unwrap_or_default().iter();
        for (pairs, near) in pairs.chunks(CHUNK).zip(near.chunks(CHUNK)) {
            // First those that are near, without branches that nobody can foretell.
            let mut which = [0; CHUNK];
            let mut count = 0;
            for (k, near) in (0u8..).zip(near) {
                which[count & (CHUNK - 1)] = k;
                count += usize::from(*near & NEAR != 0);
            }
            for k in which.get(..count).unwrap_or_default() {
                let Some(&slots) = pairs.get(*k as usize) else { continue };
                self.put(&mut queue, seen, slots, &mut springs, &mut after);
            }
        }
        self.settle(&mut queue, seen, &mut after);
        queue.finite
    }

    /// Puts a pair in the queue.
    #[inline(always)]
    fn put(
        &self,
        queue: &mut Queue<'l>,
        seen: &Seen<'_>,
        slots: [u32; 2],
        springs: &mut core::slice::Iter<'_, Touch>,
        after: &mut After<'_>,
    ) {
        let [i, j] = slots.map(|i| i as usize);
        let (Some(p), Some(q)) = (seen.places.get(i), seen.places.get(j)) else { return };
        let (Some(own), Some(other)) = (seen.rates.get(i), seen.rates.get(j)) else { return };
        let materials = [i, j].map(|i| seen.materials.get(i).copied().unwrap_or_default());
        if materials != queue.materials {
            self.settle(queue, seen, after);
            (queue.materials, queue.law) = (materials, self.laws.between(materials[0], materials[1]));
        }
        let at = queue.waiting.count & (BLOCK - 1);
        queue.slots[at] = slots;
        queue.waiting.put(at, self.apart(p, q), [own, other], springs_of(seen, slots, springs));
        queue.waiting.count = at + 1;
        // A half-space is not for lanes.
        if at + 1 == BLOCK || p[3] + q[3] == f64::INFINITY {
            self.settle(queue, seen, after);
        }
    }

    /// The forces of all that wait, in their order.
    #[inline(never)]
    fn settle(&self, queue: &mut Queue<'l>, seen: &Seen<'_>, after: &mut After<'_>) {
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
            let (Some(touch), Some(act)) = (after.trial.next(), after.acts.next()) else { return };
            let out = &mut queue.out;
            let flat = [queue.waiting.rows[3][at] < 0.0, queue.waiting.rows[4][at] < 0.0];
            if ordinary >> at & 1 == 0 || flat != [false; 2] {
                let row = self.alone(&queue.waiting, at, slots, seen, law);
                queue.finite &= row.is_ok();
                let Ok(Some(row)) = row else {
                    (*touch, *act) = (Touch::none(slots), [0.0; ACTS]);
                    continue;
                };
                out.iter_mut().zip(row).for_each(|(to, x)| to[at] = x);
            }
            let row = |k: usize| out[k][at];
            let springs = [row(9), row(10), row(11), row(12), row(13), row(14), row(15)];
            *touch = Touch::new(slots, side(flat), springs);
            *act = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7), row(8), row(16), row(17)];
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
            let flat = [0, 1].map(|k| is_flat[k].then(|| seen.orientations.get(slots[k]).copied().unwrap_or(STILL)));
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
}

/// The springs of a pair, of those in order that are left: none where it did not touch.
#[inline(always)]
fn springs_of<'s>(seen: &Seen<'_>, slots: [u32; 2], left: &mut core::slice::Iter<'s, Touch>) -> &'s [f64; 7] {
    while let Some(touch) = left.as_slice().first() {
        if touch.slots() == slots {
            left.next();
            return &touch.springs;
        }
        // Most often the next one belongs to a later pair.
        if seen.name(touch.slots()) > seen.name(slots) {
            break;
        }
        left.next();
    }
    &[0.0; 7]
}
