//! How balls move, by what acts on them.

use super::walk::Walk;
use super::{Hot, STILL};
use crate::body::{self, is_bounded};
use crate::detect::Wrench;
use crate::real::Real;
use crate::vector::{add, dot, scale};
use crate::world::step::wrapped;

impl Walk<'_> {
    /// Moves all bodies by what acts on them; gives the works of contacts and loads, and of gravity. None where forces, places or velocities are no numbers or larger than they may be
    /// ([`Body::check`](body::Body::check)): nothing has moved then.
    pub(super) fn advance(&self, hot: &mut Hot<'_>, loads: &[Wrench], gravity: [f64; 3], n: usize) -> Option<[f64; 2]> {
        let Hot { places, rates, orientations, sums, .. } = hot;
        let mut bounded = true;
        let bodies = sums.iter_mut().zip(loads).zip(places.iter().zip(&**rates));
        for ((sum, load), ([x, y, z, _], rate)) in bodies.take(n) {
            let ([a, b, c], [d, e, f]) = (load.force, load.torque);
            *sum = [sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e, sum[5] + f];
            bounded &= is_bounded(sum) & is_bounded(&[*x, *y, *z]);
            bounded &= is_bounded(&rate.velocity) & is_bounded(&rate.spin);
        }
        if !bounded {
            return None;
        }
        let (dt, mut works) = (self.dt, [0.0; 2]);
        let rows = places.iter_mut().zip(&mut **rates).zip(&mut **orientations);
        for (((place, rate), orientation), sum) in rows.zip(&**sums).take(n) {
            if rate.motion > 1.0 {
                // What the host has turned since the last step turns springs once.
                if rate.radius >= 0.0 {
                    rate.turn = STILL;
                }
                continue;
            }
            let (before, spun) = (rate.velocity, rate.spin);
            let (mut velocity, mut spin) = (before, spun);
            if rate.motion == 0.0 {
                let (force, torque) = (scale([sum[0], sum[1], sum[2]], dt), scale([sum[3], sum[4], sum[5]], dt));
                velocity = add(add(before, scale(force, rate.light[0])), scale(gravity, dt));
                spin = add(spun, scale(torque, rate.light[1]));
                let (ways, turned) = (scale(add(before, velocity), 0.5), scale(add(spun, spin), 0.5));
                works[0] += dot(force, ways) + dot(torque, turned);
                works[1] += rate.mass * dt * dot(gravity, ways);
            }
            let moved = add([place[0], place[1], place[2]], scale(velocity, dt));
            let [x, y, z] = wrapped(moved, self.periods);
            *place = [x, y, z, place[3]];
            (rate.velocity, rate.spin, rate.turn) = (velocity, spin, turn_of(spin, dt));
            *orientation = turned_by(rate.turn, *orientation);
        }
        Some(works)
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
