//! Pairs that are not computed in lanes: pairs with a half-space, or out of the ordinary.

use super::pair_kernel::{Acting, Ball, Touching, Waiting};
use super::rotation_since::STILL;
use super::touching_pairs::springs_in;
use super::view::{Seen, Walk};
use crate::contact::Contact;
use crate::contact::shape::Balls;
use crate::error::Result;
use crate::force::{Interaction, RoundPlace, RoundReply};
use crate::vector::{add, cross, scale, sub};
use crate::world::free_motion;

impl Walk<'_> {
    /// Computes a pair with a half-space, or one that is out of the ordinary.
    #[cold]
    pub(super) fn alone(
        &self,
        waiting: &Waiting<'_>,
        at: usize,
        slots: [u32; 2],
        (seen, words): (&Seen<'_>, usize),
        law: &Interaction,
    ) -> Result<Option<Acting<f64>>> {
        let balls = [waiting.balls[0][at], waiting.balls[1][at]];
        let Some((contact, [own, other])) = self.contact(balls, slots, seen)? else { return Ok(None) };
        let (radii, halos) = (balls.map(|ball| ball.rate.radius), balls.map(|ball| ball.rate.halo));
        let is_flat = radii.map(|radius| radius < 0.0);
        let light = balls.iter().fold(0.0, |light, ball| light + 1.0 / ball.inertia());
        let curvature = [0, 1].map(|k| if is_flat[k] { 0.0 } else { 1.0 / (radii[k] + halos[k]) });
        let [x, y, z, twist, u, v, w] = springs_in(words, [waiting.springs[0][at], waiting.springs[1][at]]);
        let [to, from] = [sub(contact.position, own), sub(contact.position, other)];
        let [spin, spun] = balls.map(|ball| ball.body.angular_velocity);
        let around = sub(cross(spin, to), cross(spun, from));
        let place = RoundPlace {
            normal: contact.normal,
            depth: contact.halo - contact.least_gap,
            halo: contact.halo,
            gap: contact.gap,
            area: contact.area,
            mass: if light > 0.0 { 1.0 / light } else { 0.0 },
            radius: 1.0 / (curvature[0] + curvature[1]),
            velocity: add(sub(balls[0].body.velocity, balls[1].body.velocity), around),
            spin: sub(spin, spun),
            slide: [x, y, z],
            twist,
            rolled: [u, v, w],
        };
        let turns = [0, 1].map(|k| if is_flat[k] { STILL } else { balls[k].rate.turn });
        let RoundReply { along, across, torque, slide, twist, rolled, taken } =
            Touching { place, turns }.act((), law, self.dt);
        let force = add(scale(contact.normal, along), across);
        let torques = [add(cross(to, force), torque), sub(cross(force, from), torque)];
        Ok(Some(Acting { force, torques, slide, twist, rolled, taken }))
    }

    /// The contact of two bodies, and their positions.
    fn contact(
        &self,
        balls: [Ball<'_>; 2],
        slots: [u32; 2],
        seen: &Seen<'_>,
    ) -> Result<Option<(Contact, [[f64; 3]; 2])>> {
        let [p, q] = balls.map(|ball| ball.position());
        let (radii, halos) = (balls.map(|ball| ball.rate.radius), balls.map(|ball| ball.rate.halo));
        let own = [p[0], p[1], p[2]];
        let is_flat = radii.map(|radius| radius < 0.0);
        let (contact, other) = if is_flat == [false; 2] {
            let other = sub(own, self.images.apart(p, q));
            (Balls::new([own, other], radii, halos).contact(0), other)
        } else {
            let other = [q[0], q[1], q[2]];
            let flat = [0, 1].map(|k| is_flat[k].then(|| balls[k].body.orientation));
            (seen.contact(self.isa, slots.map(|i| i as usize), [own, other], flat)?, other)
        };
        Ok(contact.map(|contact| (contact, [own, other])))
    }

    /// The contact of two bodies that touch, and the velocity of A's surface relative to B's there.
    pub(super) fn meeting(&self, seen: &Seen<'_>, slots: [u32; 2]) -> Option<(Contact, [f64; 3])> {
        let [i, j] = slots.map(|i| i as usize);
        let balls = [seen.ball(i)?, seen.ball(j)?];
        let (contact, at) = self.contact(balls, slots, seen).ok()??;
        let [own, other] = [0, 1].map(|k| {
            let [velocity, spin] = free_motion::own(balls[k].body);
            add(velocity, cross(spin, sub(contact.position, at[k])))
        });
        Some((contact, sub(own, other)))
    }
}
