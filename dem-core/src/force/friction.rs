//! Sliding, torsion and rolling at one contact.

use core::f64::consts::PI;

use crate::real::{Real, max};
use crate::vector::{add, dot, length, scale, sub};

/// What resists the motion of surfaces along each other at one contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip {
    pub normal: [f64; 3],
    /// Tangential stiffness of this contact: force over length.
    pub stiffness: f64,
    /// By what springs have become shorter since the stiffness of the pair has grown.
    pub shorter: f64,
    /// Time of the dashpot.
    pub lag: f64,
    /// The largest force.
    pub most: f64,
    pub area: f64,
    pub dt: f64,
}

/// Force and torque on A, and springs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gripped {
    pub force: [f64; 3],
    pub torque: [f64; 3],
    pub slide: [f64; 3],
    pub twist: [f64; 3],
}

impl Grip {
    /// Sliding across the normal, and twist about it where the contact has an `arm`: both are springs with dashpots, within one cone of friction.
    pub fn slide(&self, slide: [f64; 3], velocity: [f64; 3], twist: [f64; 3], spin: [f64; 3], torsion: f64) -> Gripped {
        let across = sub(velocity, scale(self.normal, dot(velocity, self.normal)));
        let turning = dot(spin, self.normal);
        // Second moment of the area about its middle over itself: of a square and, nearly, of a disc. The arm at which friction of the whole area acts.
        let (spread, arm) = (self.area / 6.0, 2.0 / 3.0 * Real::sqrt(self.area / PI));
        let wound = add(scale(slide, self.shorter), scale(across, self.dt));
        let turned = self.shorter * dot(twist, self.normal) + self.dt * turning;
        let pull = scale(add(wound, scale(across, self.lag)), -self.stiffness);
        let bend = -torsion * self.stiffness * spread * (turned + self.lag * turning);
        // One cone for both.
        let size = Real::sqrt(dot(pull, pull) + if arm > 0.0 { (bend / arm) * (bend / arm) } else { 0.0 });
        let held = if size > self.most { max(0.0, self.most) / size } else { 1.0 };
        // Springs that slip are as long as what holds them, less what the dashpot takes.
        let springs = |spring: f64, elastic: f64| if held < 1.0 { elastic } else { spring };
        let force = scale(pull, held);
        let slipped = match held < 1.0 && self.stiffness > 0.0 {
            true => sub(scale(force, -1.0 / self.stiffness), scale(across, self.lag * held)),
            false => wound,
        };
        let stuck = self.stiffness * spread * torsion;
        let left = match stuck > 0.0 {
            true => springs(turned, -held * bend / stuck - self.lag * held * turning),
            false => 0.0,
        };
        Gripped { force, torque: scale(self.normal, held * bend), slide: slipped, twist: scale(self.normal, left) }
    }
}

/// Rolling resistance of balls of a reduced radius: a spring of the tangential stiffness times its square, whose torque is at most `most`. Gives the torque on A and the spring.
pub(super) fn roll(grip: &Grip, radius: f64, most: f64, rolled: [f64; 3], spin: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let across = sub(spin, scale(grip.normal, dot(spin, grip.normal)));
    let stiffness = grip.stiffness * radius * radius;
    let wound = add(scale(rolled, grip.shorter), scale(across, grip.dt));
    let size = stiffness * length(wound);
    let held = if size > most { max(0.0, most) / size } else { 1.0 };
    let wound = scale(wound, held);
    (scale(wound, -stiffness), wound)
}
