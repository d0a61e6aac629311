//! Forces of all pairs of the list, on one walk over it.

use super::round::{Acting, BLOCK, IN, OUT, Rate, Settle, Touching, Waiting};
use super::springs::{nearest, side};
use super::{Hot, PairSprings, STILL, TOUCHES, plane};
use crate::contact::shape::{Balls, Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room};
use crate::error::Result;
use crate::exec::{Serial, Work};
use crate::force::{Interaction, Laws};
use crate::mesh::NONE;
use crate::pose::Pose;
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};
use crate::vector::{add, dot, scale, sub};
use crate::world::slots::put;

/// Pairs that are looked at together.
const CHUNK: usize = 64;

/// What bodies are made of and look like.
pub(super) struct Seen<'s> {
    pub materials: &'s [u32],
    pub shapes: &'s [Shape<'s>],
    pub shape_of: &'s [u32],
    pub scales: &'s [f64],
}

impl Seen<'_> {
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
    /// A little less than half of the shortest period.
    pub near: f64,
    /// No skin but none is thinner than half of this.
    pub thinnest: f64,
    pub dt: f64,
}

/// What waits for others like it.
struct Queue<'l> {
    waiting: Waiting,
    /// Places in the list.
    which: [usize; BLOCK],
    /// Slots of A and B.
    slots: [[usize; 2]; BLOCK],
    materials: [u32; 2],
    law: Option<&'l Interaction>,
    lost: [f64; 2],
    out: [[f64; BLOCK]; OUT],
    /// Pairs that touch.
    touching: usize,
    /// Whether all contacts are of finite numbers.
    finite: bool,
}

/// What the walk writes: marks and springs of pairs, and sums of bodies.
struct After<'h> {
    marks: &'h mut [u32],
    springs: &'h mut [PairSprings],
    sums: &'h mut [[f64; 6]],
}

/// Where bodies are.
struct Seats<'h> {
    places: &'h [[f64; 4]],
    orientations: &'h [[f64; 4]],
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

    /// Whether a body moves by more than half of its own halo in the next step.
    pub(super) fn is_fast(&self, hot: &Hot<'_>, n: usize, gravity: [f64; 3]) -> bool {
        let fallen = scale(gravity, self.dt);
        let (mut some_fast, mut some_halo) = (false, false);
        for Rate { velocity, light, halo, .. } in hot.rates.iter().take(n) {
            let v = if light[0] > 0.0 { add(*velocity, fallen) } else { *velocity };
            some_fast |= dot(v, v) * (self.dt * self.dt) > 0.25 * halo * halo;
            some_halo |= *halo > 0.0;
        }
        some_fast && some_halo
    }

    /// Whether no body has gone farther than this from where it was listed.
    pub(super) fn stays(&self, hot: &Hot<'_>, listed: &[[f64; 4]], limit: f64) -> bool {
        let mut stays = true;
        for (i, (place, before)) in hot.places.iter().zip(listed).enumerate() {
            if place[3] == f64::INFINITY {
                stays &= plane(hot, i) == *before;
                continue;
            }
            let d = self.apart(place, before);
            stays &= dot(d, d) <= limit * limit && place[3] == before[3];
        }
        stays
    }

    /// Forces at all pairs, added up for bodies. Marks go to the scratch, and springs to `trial`, as they are after the step. Gives what damping and friction have dissipated, and
    /// how many pairs touch; none where a contact is no finite one.
    pub(super) fn walk(
        &self,
        hot: &mut Hot<'_>,
        seen: &Seen<'_>,
        pairs: &[[u32; 2]],
        springs: &[PairSprings],
        trial: &mut [PairSprings],
    ) -> Option<([f64; 2], usize)> {
        let Hot { places, rates, orientations, sums, marks, .. } = hot;
        let (places, rates) = (&**places, &**rates);
        let mut out = After { marks, springs: trial, sums };
        out.sums.fill([0.0; 6]);
        let mut queue = Queue {
            waiting: Waiting { rows: [[0.0; BLOCK]; IN], count: 0 },
            which: [0; BLOCK],
            slots: [[0; 2]; BLOCK],
            materials: [u32::MAX; 2],
            law: None,
            lost: [0.0; 2],
            out: [[0.0; BLOCK]; OUT],
            touching: 0,
            finite: true,
        };
        let bodies = Seats { places, orientations };
        let (mut first, mut carried) = (0, 0);
        for chunk in pairs.chunks(CHUNK) {
            // First those that are near, without branches that nobody can foretell: their places, and those of their springs.
            let mut near = [[0; 2]; CHUNK];
            let mut count = 0;
            for (k, (&[a, marked], mark)) in (0..).zip(chunk.iter().zip(out.marks.iter_mut().skip(first))) {
                let b = marked & !TOUCHES;
                *mark = b;
                let (Some(p), Some(q)) = (places.get(a as usize), places.get(b as usize)) else { continue };
                let (d, reach) = (self.apart(p, q), p[3] + q[3]);
                let touched = marked / TOUCHES;
                near[count & (CHUNK - 1)] = [k, if touched > 0 { carried } else { NONE }];
                count += usize::from(dot(d, d) <= reach * reach * (1.0 + 1e-9));
                carried += touched;
            }
            for &[k, spring] in near.get(..count).unwrap_or_default() {
                let Some(&[a, marked]) = chunk.get(k as usize) else { continue };
                let (i, j) = (a as usize, (marked & !TOUCHES) as usize);
                let (Some(p), Some(q)) = (places.get(i), places.get(j)) else { continue };
                let (Some(own), Some(other)) = (rates.get(i), rates.get(j)) else { continue };
                let materials = [i, j].map(|i| seen.materials.get(i).copied().unwrap_or_default());
                if materials != queue.materials {
                    self.settle(&mut queue, &bodies, seen, &mut out);
                    (queue.materials, queue.law) = (materials, self.laws.between(materials[0], materials[1]));
                }
                let at = queue.waiting.count & (BLOCK - 1);
                queue.which[at] = first + k as usize;
                queue.slots[at] = [i, j];
                let had = springs.get(spring as usize).unwrap_or(&[0.0; 8]);
                queue.waiting.put(at, self.apart(p, q), [own, other], had);
                queue.waiting.count = at + 1;
                // A half-space is not for lanes.
                if at + 1 == BLOCK || p[3] + q[3] == f64::INFINITY {
                    self.settle(&mut queue, &bodies, seen, &mut out);
                }
            }
            first += chunk.len();
        }
        self.settle(&mut queue, &bodies, seen, &mut out);
        queue.finite.then_some((queue.lost, queue.touching))
    }

    /// The forces of all that wait, in their order.
    #[inline(never)]
    fn settle(&self, queue: &mut Queue<'l>, bodies: &Seats<'_>, seen: &Seen<'_>, after: &mut After<'_>) {
        let (count, Some(law)) = (queue.waiting.count, queue.law) else { return };
        if count == 0 {
            return;
        }
        let Queue { waiting, out, .. } = queue;
        let kernel = Settle { waiting, law, dt: self.dt, out };
        let ordinary = dispatch(self.isa, kernel);
        queue.waiting.count = 0;
        for at in 0..count.min(BLOCK) {
            let (k, slots) = (queue.which[at], queue.slots[at]);
            let out = &mut queue.out;
            let flat = [queue.waiting.rows[3][at] < 0.0, queue.waiting.rows[4][at] < 0.0];
            if ordinary >> at & 1 == 0 || flat != [false; 2] {
                let row = match self.alone(&queue.waiting, at, slots, bodies, seen, law) {
                    Ok(Some(row)) => row,
                    Ok(None) => continue,
                    Err(_) => {
                        queue.finite = false;
                        continue;
                    }
                };
                out.iter_mut().zip(row).for_each(|(to, x)| to[at] = x);
            }
            if let Some(mark) = after.marks.get_mut(k) {
                *mark |= TOUCHES;
            }
            let [slide, roll] = [9, 13].map(|k| [out[k][at], out[k + 1][at], out[k + 2][at]]);
            let own = [slide[0], slide[1], slide[2], out[12][at], roll[0], roll[1], roll[2], side(flat)];
            put(after.springs, queue.touching, own);
            queue.touching += 1;
            queue.lost = [queue.lost[0] + out[16][at], queue.lost[1] + out[17][at]];
            let force = [out[0][at], out[1][at], out[2][at]];
            if let Some([a, b, c, d, e, f]) = after.sums.get_mut(slots[0]) {
                (*a, *b, *c) = (*a + force[0], *b + force[1], *c + force[2]);
                (*d, *e, *f) = (*d + out[3][at], *e + out[4][at], *f + out[5][at]);
            }
            if let Some([a, b, c, d, e, f]) = after.sums.get_mut(slots[1]) {
                (*a, *b, *c) = (*a - force[0], *b - force[1], *c - force[2]);
                (*d, *e, *f) = (*d + out[6][at], *e + out[7][at], *f + out[8][at]);
            }
        }
    }

    /// A pair that is out of the ordinary, or with a half-space.
    #[cold]
    fn alone(
        &self,
        waiting: &Waiting,
        at: usize,
        slots: [usize; 2],
        bodies: &Seats<'_>,
        seen: &Seen<'_>,
        law: &Interaction,
    ) -> Result<Option<[f64; OUT]>> {
        let row = |k: usize| waiting.rows[k][at];
        let three = |k: usize| [row(k), row(k + 1), row(k + 2)];
        let four = |k: usize| [row(k), row(k + 1), row(k + 2), row(k + 3)];
        let radii = [row(3), row(4)];
        let [p, q] = slots.map(|i| bodies.places[i]);
        let own = [p[0], p[1], p[2]];
        let is_flat = radii.map(|radius| radius < 0.0);
        let (contact, other) = if is_flat == [false; 2] {
            let other = sub(own, three(0));
            (Balls::new([own, other], radii, [row(5), row(6)]).contact(0), other)
        } else {
            let other = [q[0], q[1], q[2]];
            let flat = [0, 1].map(|k| is_flat[k].then(|| bodies.orientations[slots[k]]));
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
