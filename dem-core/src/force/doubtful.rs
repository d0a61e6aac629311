//! The elastic force of a contact that may be wrong ([`status::DOUBTFUL`](crate::contact::status::DOUBTFUL)).
//!
//! Meshes with holes, flaps, reversed or double triangles may have contacts that appear suddenly and deep, or reverse their normal. A pose alone
//! then does not tell how strongly the bodies press on each other; only their motion is certain. A doubtful contact is a spring that has no
//! stress when the contact appears. The spring is loaded as the bodies approach, up to the force and energy that the contact reports, and
//! gives back no more energy than was put in. Where the bodies hardly move, the spring also grows by itself, so that they are pushed out slowly.
//!
//! Reads: the force and energy that the law computes from the contact, the energy stored in the last step, the approach of the surfaces in this
//! step, and kinetic energy.
//! Writes: the part of the elastic force that acts, the stored energy, and the lost energy.

use crate::real::{Real, max, min};

/// Growth rate of a spring toward the reported force, as a part of the angular frequency of the body pair. Bodies that overlap deeply are pushed
/// out at a small part of the velocity that their halos can stop.
pub(super) const RATE: f64 = 1.0 / 64.0;

/// Limits the growth of a spring that stores much energy E. Let E0 be the kinetic energy of bodies at the speed at which they are to be pushed
/// out. The spring grows only while their kinetic energy is below about `E0 / (1 + PRESSED E / E0)`. Bodies then leave at most a twentieth faster
/// than they came, if they came at twice that speed or more.
const PRESSED: f64 = 16.0;

/// A spring above this part of the reported amplitude grows at any velocity: the energy that it can still add is small.
const NEARLY: f64 = 0.875;

/// A contact that may be wrong, in one step.
pub(super) struct Doubtful {
    /// The reported elastic force, and the energy of that force.
    pub told: [f64; 2],
    /// Stored energy of the last step; 0 if the contact begins.
    pub last: f64,
    /// How far the surfaces have approached in the step.
    pub approach: f64,
    /// Angular frequency of the body pair times the step.
    pub turn: f64,
    /// Kinetic energy of the relative motion of both bodies, if one is a half-space or a sheet and none a capsule; else 0. A sheet below a half-space may turn over at
    /// any depth, and a body may pass through a sheet from behind. Such a contact stays doubtful, and a spring that kept growing would drive it.
    pub kinetic: f64,
}

/// The part of the reported force and energy that the spring holds.
pub(super) struct Held {
    /// The part of the reported force.
    pub part: f64,
    /// Stored energy.
    pub stored: f64,
    /// The energy that is lost where the contact reports less than was put in.
    pub lost: f64,
}

impl Doubtful {
    /// The spring variable is the root of the stiffness times the elongation. So the spring gives back no more work than it took, however its
    /// stiffness changes.
    pub fn held(&self) -> Held {
        let ([force, energy], stored) = (self.told, self.last);
        if !(force > 0.0 && energy > 0.0) {
            return Held { part: 0.0, stored: 0.0, lost: stored };
        }
        let (most, had) = (Real::sqrt(2.0 * energy), Real::sqrt(2.0 * max(stored, 0.0)));
        let pushed = had + force / most * self.approach;
        let rest = if had < NEARLY * most { self.rest() } else { 1.0 };
        let (put, grown) = (max(pushed, 0.0), max(pushed + most * (RATE * self.turn) * rest, 0.0));
        let (kept, root) = (min(put, most), min(grown, most));
        Held { part: root / most, stored: 0.5 * root * root, lost: 0.5 * (put * put - kept * kept) }
    }

    /// Relative growth rate of a spring: 1 where bodies are at rest, 0 where they are faster than the speed at which they are to be pushed out.
    /// Growth while bodies fly by, turn or bounce would add energy: a spring that pushes out with a velocity u acts as a wall that moves with u.
    /// At the turning point of a bounce, the spring holds the energy of the bodies. So the more energy it holds, the slower they must be, until the
    /// growth during a bounce is small beside the stored energy.
    fn rest(&self) -> f64 {
        if self.kinetic <= 0.0 {
            return 1.0;
        }
        let slow = self.told[1] * (RATE * RATE);
        let pressed = max(self.last, 0.0) / slow;
        let most = 1.0 / (1.0 + PRESSED * pressed) + (RATE * pressed) * (RATE * pressed);
        let rest = 1.0 - self.kinetic / slow / most;
        // NaN where the reported energy is close to 0.
        if rest > 0.0 { rest } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASS: f64 = 1.0;
    const DT: f64 = 1e-3;

    /// A step of a spring with this stiffness, a reported depth and this approach.
    fn step(last: &Held, [stiffness, depth]: [f64; 2], approach: f64) -> Held {
        let told = [stiffness * depth, 0.5 * stiffness * depth * depth];
        Doubtful { told, last: last.stored, approach, turn: Real::sqrt(stiffness / MASS) * DT, kinetic: 0.0 }.held()
    }

    const NEW: Held = Held { part: 0.0, stored: 0.0, lost: 0.0 };

    #[test]
    fn what_is_told_rightly_is_taken_as_it_is() {
        let (mut held, mut depth, stiffness) = (NEW, 0.0, 1e3);
        for i in 0..100 {
            let approach = if i < 50 { 1e-3 } else { -1e-3 };
            depth += approach;
            held = step(&held, [stiffness, depth], approach);
            assert!(depth < 1e-9 || (held.part - 1.0).abs() < 1e-9, "{i} {}", held.part);
        }
    }

    /// The force of a ball is proportional to the square of the depth.
    #[test]
    fn what_is_told_rightly_of_a_ball_is_taken_as_it_is() {
        let (mut held, mut depth) = (NEW, 0.0f64);
        for i in 0..100 {
            let approach = if i < 50 { 1e-3 } else { -1e-3 };
            depth += approach;
            let told = [depth * depth, depth * depth * depth / 3.0];
            held = Doubtful { told, last: held.stored, approach, turn: 0.0, kinetic: 0.0 }.held();
            assert!(depth < 2e-3 || (held.part - 1.0).abs() < 1e-2, "{i} {}", held.part);
        }
    }

    #[test]
    fn what_appears_deep_begins_without_stress_and_grows_slowly() {
        let (mut held, stiffness, depth) = (NEW, 1e3, 0.5);
        let turn = Real::sqrt(stiffness / MASS) * DT;
        for i in 0..100 {
            held = step(&held, [stiffness, depth], 0.0);
            let part = min(f64::from(i + 1) * RATE * turn, 1.0);
            assert!((held.part - part).abs() < 1e-9, "{i} {}", held.part);
        }
    }

    /// Bodies that leave faster than the spring grows get no force.
    #[test]
    fn what_is_deep_and_leaves_is_not_pushed_on() {
        let (stiffness, depth) = (1e3, 0.5);
        let turn = Real::sqrt(stiffness / MASS) * DT;
        let grown = depth * RATE * turn;
        for (leaves, part) in [(2.0 * grown, 0.0), (0.5 * grown, 0.5 * RATE * turn)] {
            let held = step(&NEW, [stiffness, depth], -leaves);
            assert!((held.part - part).abs() < 1e-12, "{leaves} {}", held.part);
        }
    }

    /// Bodies reach a deep contact up to forty times as fast as it would push them out, and leave hardly faster. A body at rest is pushed out.
    #[test]
    fn what_bounces_leaves_no_faster_than_it_came() {
        let (stiffness, depth) = (1e3, 0.5);
        let told = [stiffness * depth, 0.5 * stiffness * depth * depth];
        let slow = depth * Real::sqrt(stiffness / MASS) * RATE;
        for times in [0.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 40.0] {
            let (mut velocity, mut held, dt) = (times * slow, NEW, 1e-5);
            for _ in 0..40_000 {
                let turn = Real::sqrt(stiffness / MASS) * dt;
                let kinetic = 0.5 * MASS * velocity * velocity;
                held = Doubtful { told, last: held.stored, approach: velocity * dt, turn, kinetic }.held();
                velocity -= held.part * told[0] * dt / MASS;
            }
            let leaves = -velocity / slow;
            assert!(leaves > max(0.99 * times, 0.5) && leaves < max(1.05 * times, 1.0), "{times}: {leaves}");
        }
    }

    /// Whatever the contact reports, the spring gives back no more work than was put in, plus its own growth. The reported force sometimes jumps.
    #[test]
    fn no_history_gives_more_than_was_put_in() {
        let mut bits = 1u64;
        let mut random = || {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (bits >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..200 {
            let (mut held, mut told, mut put, mut force, mut largest) = (NEW, [1e3, 0.5], 0.0, 0.0, 0.0);
            for i in 0..4000 {
                if random() < 0.01 {
                    told = [1e3 * (0.1 + random()), if random() < 0.1 { 0.0 } else { random() }];
                }
                let approach = 4e-4 * Real::sqrt(random()) * if i / 400 % 2 == 0 { 1.0 } else { -1.0 };
                let next = step(&held, told, approach);
                let now = next.part * told[0] * told[1];
                // The mean of the forces at both ends of a step, and the growth.
                let most = Real::sqrt(told[0]) * told[1];
                let root = Real::sqrt(2.0 * next.stored);
                let grown = min(most * RATE * Real::sqrt(told[0]) * DT, root);
                put += 0.5 * (force + now) * approach + root * grown;
                (held, force, largest) = (next, now, max(largest, held.stored));
                assert!(held.stored <= put + 0.02 * largest + 1e-3, "{i}: {} {put} {largest}", held.stored);
            }
        }
    }
}
