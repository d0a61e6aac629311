//! Sliding, torsion and rolling at one contact.
//!
//! A spring is kept as `s = sqrt(K) x`, with its elongation x and the tangential stiffness K of the pair: its force is `-sqrt(K) s` and its energy `s^2 / 2`, each times the contact's share.
//! Where K changes as bodies are pressed together or part, s and the energy stay. So no way of load, shear, unload and unshear gives more work than it has taken, and what a spring holds
//! does not fade as the load goes up and down. With x kept, a growing K would make energy from nothing; with the force kept as K grows, and x as it falls, each round of loads would take some of the force away.

use core::f64::consts::PI;

use crate::real::{Real, max};
use crate::vector::{add, dot, length, scale, sub};

/// What resists the motion of surfaces along each other at one contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip {
    pub normal: [f64; 3],
    /// Tangential stiffness of the pair: force over length.
    pub stiffness: f64,
    /// Part of it that this contact has.
    pub share: f64,
    /// Time of the dashpot.
    pub lag: f64,
    /// The largest force.
    pub most: f64,
    pub area: f64,
    pub dt: f64,
}

/// Force and torque on A, springs, and energies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gripped {
    pub force: [f64; 3],
    pub torque: [f64; 3],
    pub slide: [f64; 3],
    pub twist: [f64; 3],
    /// Energy of both springs.
    pub stored: f64,
    /// Work done against force and torque in the step, less what the springs have taken of it.
    pub lost: f64,
}

impl Grip {
    /// Sliding across the normal, and twist about it where there is `torsion`: both are springs with dashpots, within one cone of friction.
    pub fn slide(&self, slide: [f64; 3], velocity: [f64; 3], twist: [f64; 3], spin: [f64; 3], torsion: f64) -> Gripped {
        let root = Real::sqrt(self.stiffness);
        let unit = root * self.share;
        let across = sub(velocity, scale(self.normal, dot(velocity, self.normal)));
        let turning = dot(spin, self.normal);
        // Root of the second moment of the area about its middle over itself: of a square and, nearly, of a disc. The arm at which friction of the whole area acts.
        let (reach, arm) = (Real::sqrt(torsion * self.area / 6.0), 2.0 / 3.0 * Real::sqrt(self.area / PI));
        let wound = add(slide, scale(across, root * self.dt));
        let turned = if reach > 0.0 { dot(twist, self.normal) + root * reach * self.dt * turning } else { 0.0 };
        let lag = unit * root * self.lag;
        let pull = sub(scale(wound, -unit), scale(across, lag));
        let bend = -reach * (unit * turned + lag * reach * turning);
        // One cone for both.
        let moment = if arm > 0.0 { bend / arm } else { 0.0 };
        let held = cut(Real::sqrt(dot(pull, pull) + moment * moment), self.most);
        let (force, bend) = (scale(pull, held), held * bend);
        // Springs that slip are as long as what holds them, less what the dashpot takes.
        let (wound, turned) = (scale(wound, held), held * turned);
        let stored = 0.5 * self.share * (dot(wound, wound) + turned * turned);
        let before = if reach > 0.0 { dot(twist, twist) } else { 0.0 };
        let before = 0.5 * self.share * (dot(slide, slide) + before);
        let lost = -self.dt * (dot(force, across) + bend * turning) - (stored - before);
        let normal = self.normal;
        Gripped { force, torque: scale(normal, bend), slide: wound, twist: scale(normal, turned), stored, lost }
    }

    /// Rolling resistance of balls of a reduced radius: a spring of the tangential stiffness times its square with the same dashpot, whose torque is at most `most` times the radius. Torque, `slide` (here the
    /// spring), and energies.
    pub fn roll(&self, radius: f64, rolled: [f64; 3], spin: [f64; 3]) -> Gripped {
        let root = Real::sqrt(self.stiffness);
        let unit = root * self.share;
        let across = scale(sub(spin, scale(self.normal, dot(spin, self.normal))), radius);
        let wound = add(rolled, scale(across, root * self.dt));
        let pull = sub(scale(wound, -unit), scale(across, unit * root * self.lag));
        let held = cut(length(pull), self.most);
        let (pull, wound) = (scale(pull, held), scale(wound, held));
        let stored = 0.5 * self.share * dot(wound, wound);
        let lost = -self.dt * dot(pull, across) - (stored - 0.5 * self.share * dot(rolled, rolled));
        Gripped { torque: scale(pull, radius), slide: wound, stored, lost, ..Gripped::default() }
    }
}

/// By what factor a force is cut down to what there can be.
fn cut(size: f64, most: f64) -> f64 {
    if size > most { max(0.0, most) / size } else { 1.0 }
}
