//! How balls move, by what acts on them.

use super::round::Rate;
use super::walk::Walk;
use super::{BODIES, Part, STILL};
use crate::body::{self, Body};
use crate::broad::Motion;
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each};
use crate::real::Real;
use crate::vector::{add, dot, scale};
use crate::world::step::wrapped;

/// Rows of all bodies, and what acts on them.
pub(super) struct Moving<'r> {
    pub places: &'r mut [[f64; 4]],
    pub rates: &'r mut [Rate],
    pub bodies: &'r mut [Body],
    pub sums: &'r [Wrench],
    pub loads: &'r [Wrench],
    /// Impulses of contacts in the window, of bodies whose momentum does not tell them; none where they are not kept.
    pub means: &'r mut [Wrench],
    /// Where bodies were listed.
    pub listed: &'r [[f64; 4]],
}

impl Walk<'_> {
    /// Moves all bodies by what acts on them. Gives works, and what bodies are like then, against where they were listed and how far they may be from there.
    pub(super) fn advance(&self, exec: &dyn Executor, rows: Moving<'_>, limit: f64, parts: &mut [Part]) -> Part {
        let Moving { places, rates, bodies, sums, loads, means, listed } = rows;
        let all = (
            CutMut(places, BODIES),
            CutMut(rates, BODIES),
            CutMut(bodies, BODIES),
            Cut(sums, BODIES),
            Cut(loads, BODIES),
            CutMut(means, BODIES),
            Cut(listed, BODIES),
            CutMut(&mut *parts, 1),
        );
        each(exec, all, |_, (places, rates, bodies, sums, loads, means, listed, part)| {
            let mut works = [0.0; 2];
            let mut means = means.iter_mut();
            let rows = places.iter_mut().zip(&mut *rates).zip(&mut *bodies);
            for (((place, rate), body), (sum, load)) in rows.zip(sums.iter().zip(loads)) {
                let mean = means.next();
                if let (false, Some(mean)) = (body.is_dynamic(), mean) {
                    mean.force = add(mean.force, scale(sum.force, self.dt));
                    mean.torque = add(mean.torque, scale(sum.torque, self.dt));
                }
                self.advance_body((place, rate, body), (sum, load), &mut works);
            }
            let what = self.look_at_bodies((places, bodies, rates), listed, limit);
            part.fill(Part { works, what });
        });
        // In the order of chunks, which are of a fixed number of bodies.
        parts.iter().fold(Part::default(), |all, part| Part {
            works: [all.works[0] + part.works[0], all.works[1] + part.works[1]],
            what: all.what | part.what,
        })
    }

    #[inline(always)]
    fn advance_body(
        &self,
        (place, rate, body): (&mut [f64; 4], &mut Rate, &mut Body),
        (sum, load): (&Wrench, &Wrench),
        works: &mut [f64; 2],
    ) {
        if body.motion > Motion::Kinematic as u32 {
            // What the host has turned since the last step turns springs once.
            if rate.radius >= 0.0 {
                rate.turn = STILL;
            }
            return;
        }
        let dt = self.dt;
        let (before, spun) = (body.velocity, body.angular_velocity);
        let (mut velocity, mut spin) = (before, spun);
        if body.is_dynamic() {
            let (force, torque) = (scale(add(sum.force, load.force), dt), scale(add(sum.torque, load.torque), dt));
            velocity = add(add(before, scale(force, 1.0 / body.mass)), scale(self.gravity, dt));
            spin = add(spun, scale(torque, 1.0 / body.moments[0]));
            let (ways, turned) = (scale(add(before, velocity), 0.5), scale(add(spun, spin), 0.5));
            works[0] += dot(force, ways) + dot(torque, turned);
            works[1] += body.mass * dt * dot(self.gravity, ways);
        }
        let moved = add([place[0], place[1], place[2]], scale(velocity, dt));
        let [x, y, z] = wrapped(moved, self.periods);
        *place = [x, y, z, place[3]];
        rate.turn = turn_of(spin, dt);
        let orientation = turned_by(rate.turn, body.orientation);
        *body = Body { position: [x, y, z], orientation, velocity, angular_velocity: spin, ..*body };
    }
}

/// As [`body::turn`], where the angle is small by its series.
#[inline(always)]
fn turn_of(spin: [f64; 3], dt: f64) -> [f64; 4] {
    let half = 0.5 * dt;
    let x = half * half * dot(spin, spin);
    if x > 0.01 {
        return body::turn(spin, dt);
    }
    // Rests are below 1e-17.
    let sine = 1.0 - x * (1.0 / 6.0) * (1.0 - x * 0.05 * (1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0))));
    let cosine = 1.0
        - x * 0.5
            * (1.0 - x * (1.0 / 12.0) * (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0) * (1.0 - x * (1.0 / 90.0)))));
    let [a, b, c] = scale(spin, half * sine);
    [a, b, c, cosine]
}

/// As [`body::turned`], of a unit quaternion in common cases without scaling.
#[inline(always)]
fn turned_by(turn: [f64; 4], orientation: [f64; 4]) -> [f64; 4] {
    let ([x, y, z, w], [a, b, c, d]) = (turn, orientation);
    let square = a * a + b * b + c * c + d * d;
    if !(0.5..2.0).contains(&square) {
        return body::turned(turn, orientation);
    }
    let [a, b, c, d] = [
        w * a + d * x + (y * c - z * b),
        w * b + d * y + (z * a - x * c),
        w * c + d * z + (x * b - y * a),
        w * d - (x * a + y * b + z * c),
    ];
    let unit = 1.0 / Real::sqrt(a * a + b * b + c * c + d * d);
    [a * unit, b * unit, c * unit, d * unit]
}
