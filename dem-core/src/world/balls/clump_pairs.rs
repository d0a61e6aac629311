//! Pairs of bodies, at least one of them a compound of balls: all contacts of their parts together.
//!
//! The law is that of general steps for such bodies, whose stiffness depends on all contacts of a pair. Springs follow their contacts as in
//! general steps: to contacts of the same parts, else to the nearest new ones as others end.

use super::clump_matching::{Before, Now};
use super::clump_springs::{Kept, MOST, word};
use super::near_pairs::CHUNK;
use super::pair_forces::wanted;
use super::pair_kernel::Ball;
use super::rotation_since::STILL;
use super::touching_pairs::{NO_SPRINGS, Touch, Touches, side};
use super::view::{Along, LARGE, Queue, Seen, Share, WRONG, Walk, each_bit};
use crate::body::Body;
use crate::contact::shape::{Balls, Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room, of_ball};
use crate::detect::laws::ContactResponse;
use crate::detect::{JoinedSprings, SplitSprings};
use crate::error::Result;
use crate::exec::{Serial, Work};
use crate::force::{Met, Reduced};
use crate::pose::Pose;
use crate::real::Real;
use crate::vector::{add, cross, dot, scale, sub};
use crate::world::law_context::SPRINGS;

/// Near pairs of parts of two bodies.
struct Group {
    slots: [u32; 2],
    /// Their number, which may exceed the room.
    count: usize,
    parts: [[u32; 2]; MOST],
    /// A bit for each pair that touches.
    touching: u32,
    /// Contacts of these pairs, and vectors from the centres of A and B to each contact.
    contacts: [Contact; MOST],
    arms: [[[f64; 3]; 2]; MOST],
    met: usize,
}

impl Group {
    fn new() -> Self {
        Group {
            slots: [u32::MAX; 2],
            count: 0,
            parts: [[0; 2]; MOST],
            touching: 0,
            contacts: [Contact::default(); MOST],
            arms: [[[0.0; 3]; 2]; MOST],
            met: 0,
        }
    }

    fn put(&mut self, parts: [u32; 2], contact: Option<(Contact, [[f64; 3]; 2])>) {
        if let Some(to) = self.parts.get_mut(self.count) {
            *to = parts;
            if let (Some((contact, arms)), true) = (contact, self.met < MOST) {
                (self.contacts[self.met], self.arms[self.met]) = (contact, arms);
                (self.met, self.touching) = (self.met + 1, self.touching | 1 << self.count);
            }
        }
        self.count += 1;
    }
}

impl<'l> Walk<'l> {
    /// Forces of the pairs of a chunk if some bodies are compounds: of pairs with a bit in `marks`, or of all pairs. Returns their sums, and the
    /// number of near pairs.
    #[inline(never)]
    pub(super) fn act_in_chunk_of_parts<'s>(
        &self,
        seen: &Seen<'s>,
        pairs: &[[u32; 2]],
        along: &mut Along<'s>,
        marks: Option<&[u64]>,
    ) -> (Share, usize)
    where
        'l: 's,
    {
        let (mut queue, mut group, mut found) = (Queue::EMPTY, Group::new(), 0);
        queue.waiting.held = !self.all_move;
        for (k, pairs) in pairs.chunks(CHUNK).enumerate() {
            let wanted = wanted(marks, k);
            let near = if wanted == 0 { 0 } else { wanted & self.which_are_near(seen, pairs) };
            found += near.count_ones() as usize;
            each_bit(near, |k| {
                let Some(pair) = pairs.get(k) else { return };
                let (places, slots) = (pair.map(|i| i as usize), seen.slots_of(*pair));
                if places.iter().any(|i| seen.points.is_part(*i)) {
                    if group.slots != slots {
                        self.settle(&mut queue, seen, along);
                        self.settle_group(&mut group, seen, along, &mut queue.share);
                        group.slots = slots;
                    }
                    match self.contact_of(seen, places, slots) {
                        Ok(contact) => group.put(places.map(|i| seen.points.part(i)), contact),
                        Err(_) => queue.share.is_wrong |= WRONG,
                    }
                    return;
                }
                self.settle_group(&mut group, seen, along, &mut queue.share);
                group.slots = [u32::MAX; 2];
                let ball = |k: usize| {
                    let slot = slots[k] as usize;
                    Some(Ball { body: seen.bodies.get(slot)?, rate: seen.rates.get(slot)? })
                };
                if let (Some(own), Some(other)) = (ball(0), ball(1)) {
                    self.put_balls(&mut queue, seen, (slots, [own, other]), along);
                }
            });
        }
        // One of both is empty.
        self.settle_group(&mut group, seen, along, &mut queue.share);
        self.settle(&mut queue, seen, along);
        (queue.share, found)
    }

    /// Adds a pair of balls to the queue.
    fn put_balls<'s>(
        &self,
        queue: &mut Queue<'s>,
        seen: &Seen<'s>,
        (slots, balls): ([u32; 2], [Ball<'s>; 2]),
        along: &mut Along<'s>,
    ) where
        'l: 's,
    {
        let materials = seen.materials_of(slots);
        if materials != queue.materials {
            self.settle(queue, seen, along);
            queue.begin(materials, self.laws.between(materials[0], materials[1]));
        }
        queue.put(slots, balls, springs_of(seen, slots, &mut along.before));
        if queue.is_full() {
            self.settle(queue, seen, along);
        }
    }

    /// The contact of two balls, or of a ball and a half-space, if there is one, and vectors from the centres of both bodies to it.
    fn contact_of(
        &self,
        seen: &Seen<'_>,
        places: [usize; 2],
        slots: [u32; 2],
    ) -> Result<Option<(Contact, [[f64; 3]; 2])>> {
        let [p, q] = places.map(|i| seen.places.get(i).copied().unwrap_or_default());
        let [own, there] = [p, q].map(|p| [p[0], p[1], p[2]]);
        let [x, y] = slots.map(|i| seen.bodies.get(i as usize).map_or([0.0; 3], |body| body.position));
        let [r, s] = places.map(|i| seen.points.radii.get(i).copied().unwrap_or_default());
        let flat = slots.map(|i| seen.rates.get(i as usize).is_some_and(|rate| rate.radius < 0.0));
        let (contact, other) = if flat == [false; 2] {
            let other = sub(own, self.images.apart(&p, &q));
            (Balls::new([own, other], [r[0], s[0]], [r[1], s[1]]).contact(0), other)
        } else {
            (self.on_plane(seen, slots, [own, there], [r, s], flat)?, there)
        };
        let Some(mut contact) = contact else { return Ok(None) };
        if self.spread {
            contact.spread = of_ball(contact.normal, contact.area);
        }
        // B may be a periodic image.
        let centre = add(other, sub(y, there));
        Ok(Some((contact, [sub(contact.position, x), sub(contact.position, centre)])))
    }

    /// The contact of a ball and a half-space.
    #[inline(never)]
    fn on_plane(
        &self,
        seen: &Seen<'_>,
        slots: [u32; 2],
        positions: [[f64; 3]; 2],
        radii: [[f64; 2]; 2],
        flat: [bool; 2],
    ) -> Result<Option<Contact>> {
        let body = |k: usize| seen.bodies.get(slots[k] as usize).map_or(Pose::IDENTITY.orientation, |b| b.orientation);
        let poses = [0, 1].map(|k| Pose { position: positions[k], orientation: body(k) });
        let [a, b] = [0, 1].map(|k| {
            let slot = slots[k] as usize;
            if !flat[k] {
                let [radius, halo] = radii[k];
                return Some(Placed { shape: Shape::Sphere { radius, halo }, pose: &poses[k], scale: 1.0 });
            }
            let shape = *seen.shapes.get(*seen.shape_of.get(slot)? as usize)?;
            Some(Placed { shape, pose: &poses[k], scale: seen.scales.get(slot).copied().unwrap_or(1.0) })
        });
        let Some((a, b)) = a.zip(b) else { return Ok(None) };
        let request = Request::new(0, Room { pairs: 0, terms: 0, segments: 0 });
        let mut found = [Contact::default()];
        let made = shape_contacts(Work::new(&Serial, self.isa, &mut []), &a, &b, &request, &mut found, None)?;
        Ok((made.contacts > 0).then_some(found[0]))
    }

    /// Forces of all contacts of two bodies, and their springs.
    #[inline(never)]
    fn settle_group(&self, group: &mut Group, seen: &Seen<'_>, along: &mut Along<'_>, share: &mut Share) {
        let (count, met) = (core::mem::take(&mut group.count), core::mem::take(&mut group.met));
        let (slots, touching) = (group.slots, core::mem::take(&mut group.touching));
        if count == 0 {
            return;
        }
        // With compounds, sums are always checked.
        share.is_wrong |= LARGE;
        let before = kept_of(seen, slots, &mut along.before);
        let materials = slots.map(|i| seen.materials.get(i as usize).copied().unwrap_or_default());
        let bodies = slots.map(|i| seen.bodies.get(i as usize).zip(seen.rates.get(i as usize)));
        let (Some(law), [Some((own, rate)), Some((other, other_rate))]) =
            (self.laws.between(materials[0], materials[1]), bodies)
        else {
            return;
        };
        if count > MOST || before.count > MOST {
            share.is_wrong |= WRONG;
            return;
        }
        let turns = [rate, other_rate].map(|rate| if rate.radius < 0.0 { STILL } else { rate.turn });
        let (contacts, arms) =
            (group.contacts.get(..met).unwrap_or_default(), group.arms.get(..met).unwrap_or_default());
        let now = Now { parts: group.parts.get(..count).unwrap_or_default(), touching, contacts, arms };
        let sources = before.sources(&now, [own, other], turns, self.bound);
        let light = 1.0 / own.inertia() + 1.0 / other.inertia();
        let pair = Two {
            bodies: [own, other],
            turn: mean(turns),
            law: Reduced::of_parts(law, if light > 0.0 { 1.0 / light } else { 0.0 }),
            dt: self.dt,
        };
        let none = Touch::new(slots, side([rate, other_rate].map(|rate| rate.radius < 0.0)), [0.0; 7]);
        let mut at = 0;
        for (k, parts) in now.parts.iter().enumerate() {
            let Some(touch) = along.trial.next() else { break };
            if touching >> k & 1 == 0 {
                Touch::none(slots).write(touch);
                along.sums.put(slots, [&[0.0; 4]; 3]);
                continue;
            }
            let source = before.get(sources[at]);
            let Some((rows, kept, taken)) = pair.act(&now, at, source.as_ref()) else { break };
            Kept { marked: word(none.marked), parts: word(*parts), ..kept }.write(touch);
            share.taken = add(share.taken, taken);
            along.sums.put(slots, [&rows[0], &rows[1], &rows[2]]);
            at += 1;
        }
    }
}

/// Two bodies, at least one of them a compound.
struct Two<'t> {
    bodies: [&'t Body; 2],
    /// Mean of their rotations since springs were stored: rows of a matrix.
    turn: [[f64; 3]; 3],
    law: Reduced,
    dt: f64,
}

/// Force, and torque on A along x; minus the force, and torque on B along x; other torques.
type Rows = [[f64; 4]; 3];

impl Two<'_> {
    /// The result of a contact with this spring: forces, the data to keep, and energies as in [`Share`].
    fn act(&self, now: &Now<'_>, at: usize, source: Option<&Kept>) -> Option<(Rows, Kept, [f64; 3])> {
        let (contact, [to, from]) = (now.contacts.get(at)?, *now.arms.get(at)?);
        let [own, other] = self.bodies;
        let surface = |body: &Body, arm: [f64; 3]| add(body.velocity, cross(body.angular_velocity, arm));
        let mut springs = [[0.0; 3]; SPRINGS];
        if let Some(source) = source {
            springs[0] = carried(source.slide, contact.normal, &self.turn);
            springs[1] = along_normal(source.twist, contact.normal, &self.turn);
            springs[4][0] = source.stored;
        }
        let met = Met {
            contact,
            contacts: now.contacts,
            own: at,
            velocity: sub(surface(own, to), surface(other, from)),
            spin: sub(own.angular_velocity, other.angular_velocity),
            // Contacts of parts never join or split.
            joined: JoinedSprings::default(),
            split: SplitSprings::default(),
            begins: source.is_none(),
            shares: false,
        };
        let ContactResponse { force, torque, springs } = self.law.act(&met, &springs, self.dt);
        let [slide, twist, _, _, taken] = springs;
        let [a, b] = [add(cross(to, force), torque), scale(add(cross(from, force), torque), -1.0)];
        let [x, y, z] = force;
        let rows = [[x, y, z, a[0]], [-x, -y, -z, b[0]], [a[1], a[2], b[1], b[2]]];
        let kept = Kept { slide, twist, stored: taken[0], arms: [to, from], area: contact.area, ..Kept::default() };
        Some((rows, kept, taken))
    }
}

/// The kept contacts of two bodies, from the remaining ones in order.
fn kept_of<'t>(seen: &Seen<'_>, slots: [u32; 2], left: &mut Touches<'t>) -> Before<'t> {
    let mut before = Before::new();
    while let Some(first) = left.first() {
        if first == slots {
            before.put(left.record());
        } else if seen.name(first) > seen.name(slots) {
            break;
        } else {
            left.record();
        }
    }
    before
}

/// The mean of two rotations: rows of a matrix.
fn mean(turns: [[f64; 4]; 2]) -> [[f64; 3]; 3] {
    // Half of the difference of each matrix from the identity, so that bodies at rest change no digit.
    let [[a, b, c], [d, e, f], [g, h, i]] = turns
        .map(|[x, y, z, w]| {
            let ([xx, yy, zz], [yz, xz, xy], [wx, wy, wz]) =
                ([x * x, y * y, z * z], [y * z, x * z, x * y], [w * x, w * y, w * z]);
            [[-(yy + zz), xy - wz, xz + wy], [xy + wz, -(xx + zz), yz - wx], [xz - wy, yz + wx, -(xx + yy)]]
        })
        .into_iter()
        .reduce(|x, y| [0, 1, 2].map(|k| add(x[k], y[k])))
        .unwrap_or_default();
    [[1.0 + a, b, c], [d, 1.0 + e, f], [g, h, 1.0 + i]]
}

/// A spring rotated with the mean of both bodies, projected into the plane across the normal, with its length kept.
fn carried(spring: [f64; 3], normal: [f64; 3], turn: &[[f64; 3]; 3]) -> [f64; 3] {
    let mean = turn.map(|row| dot(row, spring));
    let flat = sub(mean, scale(normal, dot(normal, mean)));
    let (before, after) = (dot(spring, spring), dot(flat, flat));
    if after > 0.0 { scale(flat, Real::sqrt(before / after)) } else { [0.0; 3] }
}

/// The same along the normal, with the sign of the rotated spring.
fn along_normal(spring: [f64; 3], normal: [f64; 3], turn: &[[f64; 3]; 3]) -> [f64; 3] {
    let side = dot(normal, turn.map(|row| dot(row, spring)));
    let long = Real::sqrt(dot(spring, spring));
    let long = if side < 0.0 { -long } else { long };
    if side == 0.0 { [0.0; 3] } else { scale(normal, long) }
}

/// The springs of two balls in a world with compounds, from the remaining ones in order; none if they did not touch.
fn springs_of<'s>(seen: &Seen<'_>, slots: [u32; 2], left: &mut Touches<'s>) -> [&'s [f64; 4]; 2] {
    while let Some(first) = left.first() {
        if first == slots {
            return left.next_of_parts();
        }
        if seen.name(first) > seen.name(slots) {
            break;
        }
        left.record();
    }
    NO_SPRINGS
}
