//! Sliding, torsion and rolling at one contact.
//!
//! Reads: the springs of the last step, velocity and spin of A's surface less those of B's, the load, the contact's share of the pair's
//! tangential stiffness, and the lever arms of its area. Writes: force across the normal, torque, the springs of this step, their energy and the
//! work against friction.
//!
//! A spring is stored as `s = sqrt(K) x`, with its elongation x and the tangential stiffness K of the pair. Its force is `-sqrt(K) s` and
//! its energy `s^2 / 2`, each times the contact's share. When K changes, as bodies with one contact are pressed together or move apart, s and the
//! energy stay the same. So no sequence of load, shear, unload and unshear gives more work than it took, and the friction force does not fade
//! under a cyclic load. If x stayed the same, a growing K would create energy. If the force stayed the same as K grows, and x as K falls, each
//! load cycle would take away a part of the force.
//!
//! With several contacts the share changes, too; s is then scaled so that the energy of each contact stays the same (`Reduced::with_share`).

use super::value::Value;
use crate::vector::{add, cross, dot, scale, sub};

/// Resistance to tangential motion of the surfaces at one contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip<F: Value> {
    pub proof: F::Proof,
    pub normal: [F; 3],
    /// Root of the pair's tangential stiffness (force over length).
    pub root: F,
    /// The contact's share of that stiffness.
    pub share: F,
    /// Relaxation time of the dashpot.
    pub lag: F,
    /// The largest friction force.
    pub most: F,
    /// `reach`: root of the mean square distance of the pressure from the axis of torsion. `arm`: the mean distance, at which friction of the
    /// whole area acts.
    pub reach: F,
    pub arm: F,
    /// From the contact's position (the centre of its pressure) to the place where springs act, across the normal. That place is a point of both
    /// bodies, or the centroid of the area. None where springs act at the position, and where nothing resists twist.
    pub centre: Option<[F; 3]>,
    /// Whether this place moves with the bodies until it slips.
    pub follows: bool,
    pub dt: F,
}

/// Force and torque on A, springs, and energies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gripped<F> {
    pub force: [F; 3],
    pub torque: [F; 3],
    pub slide: [F; 3],
    pub twist: [F; 3],
    /// From the contact's position to the place where springs act, if that place moves with the bodies; else 0.
    pub arm: [F; 3],
    /// Energy of the springs of sliding and twist.
    pub stored: F,
    /// Work done against force and torque in the step: the springs' part of both is the mean over the step. So a spring that does not slip takes as
    /// much work as it stores, however long the step.
    pub worked: F,
}

/// Iterations that find the slip. Each reduces the error by the factor (distance of the springs' place from the pressure / arm)^2.
const ROUNDS: u32 = 3;

/// Friction at the place where its springs act: force and torsion, and elongations of their springs.
struct Held<F> {
    force: [F; 3],
    bend: F,
    wound: [F; 3],
    turned: F,
}

impl<F: Value> Held<F> {
    #[inline(always)]
    fn scaled(&self, by: F) -> Self {
        Held {
            force: scale(self.force, by),
            bend: by * self.bend,
            wound: scale(self.wound, by),
            turned: by * self.turned,
        }
    }
}

impl<F: Value> Gripped<F> {
    /// No force and no energy.
    #[inline(always)]
    pub fn none(proof: F::Proof) -> Self {
        let zero = F::constant(proof, 0.0);
        let none = [zero; 3];
        Gripped { force: none, torque: none, slide: none, twist: none, arm: none, stored: zero, worked: zero }
    }
}

impl<F: Value> Grip<F> {
    #[inline(always)]
    fn number(&self, x: f64) -> F {
        F::constant(self.proof, x)
    }

    /// Sliding across the normal, and twist about the normal where `torsion` is above 0. Both are springs with dashpots, within one friction
    /// cone.
    #[inline(always)]
    pub fn slide(&self, slide: [F; 3], velocity: [F; 3], twist: [F; 3], spin: [F; 3], torsion: f64) -> Gripped<F> {
        if let Some(centre) = self.centre {
            return self.slide_at(centre, [slide, velocity, twist, spin], torsion);
        }
        let (zero, half) = (self.number(0.0), self.number(0.5));
        let root = self.root;
        let unit = root * self.share;
        let across = sub(velocity, scale(self.normal, dot(velocity, self.normal)));
        let wound = add(slide, scale(across, root * self.dt));
        let lag = unit * root * self.lag;
        let pull = sub(scale(wound, -unit), scale(across, lag));
        let mut square = dot(pull, pull);
        // Without torsion, the twist terms are not computed.
        let (mut turned, mut bend, mut turning, mut before, mut reach) = (zero, zero, zero, zero, zero);
        if torsion > 0.0 {
            turning = dot(spin, self.normal);
            let arm = self.arm;
            reach = self.number(torsion).root() * self.reach;
            let reaches = zero.below(reach);
            before = F::either(reaches, dot(twist, self.normal), zero);
            turned = F::either(reaches, before + root * reach * self.dt * turning, zero);
            bend = -reach * (unit * turned + lag * reach * turning);
            let moment = F::either(zero.below(arm), bend / arm, zero);
            square = square + moment * moment;
        }
        // One friction cone for both.
        let held = self.cut(square.root());
        let (force, bend) = (scale(pull, held), held * bend);
        // A slipping spring is as long as the friction force holds, less the dashpot's part.
        let (wound, turned) = (scale(wound, held), held * turned);
        let stored = half * self.share * (dot(wound, wound) + turned * turned);
        let grown = dot(sub(wound, slide), across) + reach * (turned - before) * turning;
        let worked = -self.dt * (dot(force, across) + bend * turning + half * unit * grown);
        let (torque, twist) = (scale(self.normal, bend), scale(self.normal, turned));
        Gripped { force, torque, slide: wound, twist, arm: [zero; 3], stored, worked }
    }

    /// The same with springs at another place. It is a function of its own because balls are faster without this code.
    ///
    /// A sticking contact is held where the bodies were pressed together, however the pressure moves. A spring force at the centre of pressure
    /// would move with each tilt and turn the body: a box on a slope would walk down. The centroid of the area moves in the same way where a part
    /// of the face lifts off. A place that moves with the bodies avoids this: sticking is then a spring between two points. A slipping contact is
    /// held where the pressure is, so the cone bounds the force and its moment about the contact's position. The place moves toward that position
    /// by the same factor by which the springs are cut.
    #[inline(never)]
    fn slide_at(&self, centre: [F; 3], [slide, velocity, twist, spin]: [[F; 3]; 4], torsion: f64) -> Gripped<F> {
        let (zero, half) = (self.number(0.0), self.number(0.5));
        let root = self.root;
        let unit = root * self.share;
        let velocity = add(velocity, cross(spin, centre));
        let across = sub(velocity, scale(self.normal, dot(velocity, self.normal)));
        let wound = add(slide, scale(across, root * self.dt));
        let lag = unit * root * self.lag;
        let pull = sub(scale(wound, -unit), scale(across, lag));
        let turning = dot(spin, self.normal);
        let reach = self.number(torsion).root() * self.reach;
        let before = F::either(zero.below(reach), dot(twist, self.normal), zero);
        let turned = before + root * reach * self.dt * turning;
        let bend = -reach * (unit * turned + lag * reach * turning);
        let moment = bend + dot(self.normal, cross(centre, pull));
        let about = F::either(zero.below(self.arm), moment / self.arm, zero);
        let held = self.cut((dot(pull, pull) + about * about).root());
        let trial = Held { force: pull, bend, wound, turned };
        let Held { force, bend, wound, turned } = match self.follows {
            true => trial.scaled(held),
            false => self.slip_at_pressure(&trial, centre, held, (unit, reach)),
        };
        let stored = half * self.share * (dot(wound, wound) + turned * turned);
        let grown = dot(sub(wound, slide), across) + reach * (turned - before) * turning;
        let worked = -self.dt * (dot(force, across) + bend * turning + half * unit * grown);
        let torque = add(scale(self.normal, bend), cross(centre, force));
        let arm = if self.follows { scale(centre, held) } else { [zero; 3] };
        Gripped { force, torque, slide: wound, twist: scale(self.normal, turned), arm, stored, worked }
    }

    /// Slips along the normal of the cone where the forces end (the closest point of the cone, in the energy of springs). A contact that only
    /// slides has no moment about its position after a while, because torsion takes up the moment of the force at the centroid. `held` is the
    /// factor by which the trial force alone would be cut.
    ///
    /// With `h = 1 / (1 + slip)`, c = n x centre, and the moment u about the position, over the arm b: `F = h F_t - (1 - h) u/b c`, and
    /// `u (b/h + (1 - h) c^2/b) = M_t + h c.F_t`. F is nearly proportional to h, so h is found in a few rounds.
    fn slip_at_pressure(&self, trial: &Held<F>, centre: [F; 3], held: F, (unit, reach): (F, F)) -> Held<F> {
        let (zero, one) = (self.number(0.0), self.number(1.0));
        let aside = cross(self.normal, centre);
        let (arm, least) = (self.arm, self.number(1e-300));
        let (square, pulled) = (dot(aside, aside), dot(trial.force, aside));
        let at = |held: F| {
            let stiff = arm / held.at_least(least) + F::ratio(self.proof, (one - held) * square, arm);
            let about = F::ratio(self.proof, trial.bend + held * pulled, stiff);
            let off = scale(aside, F::ratio(self.proof, (one - held) * about, arm));
            let force = sub(scale(trial.force, held), off);
            (force, arm * about - dot(force, aside), about, off)
        };
        let mut part = held;
        for _ in 0..ROUNDS {
            let (force, _, about, _) = at(part);
            let over = (dot(force, force) + about * about).root();
            let next = F::either(zero.below(over), part * self.most / over.at_least(least), part);
            part = F::either(held.below(one), -(-next).at_least(-one), held);
        }
        let (force, bend, about, off) = at(part);
        let again = self.cut((dot(force, force) + about * about).root());
        let wound = add(scale(trial.wound, part), scale(off, F::ratio(self.proof, one, unit)));
        let turned = part * trial.turned + F::ratio(self.proof, part * trial.bend - bend, reach * unit);
        Held { force, bend, wound, turned }.scaled(again)
    }

    /// Rolling resistance of balls of a reduced radius: a spring of the tangential stiffness times the square of the radius, with the same
    /// dashpot.
    /// Its torque is at most `most` times the radius. Returns the torque, `slide` (here the rolling spring), and energies.
    #[inline(always)]
    pub fn roll(&self, radius: F, rolled: [F; 3], spin: [F; 3]) -> Gripped<F> {
        let half = self.number(0.5);
        let root = self.root;
        let unit = root * self.share;
        let across = scale(sub(spin, scale(self.normal, dot(spin, self.normal))), radius);
        let wound = add(rolled, scale(across, root * self.dt));
        let pull = sub(scale(wound, -unit), scale(across, unit * root * self.lag));
        let held = self.cut(dot(pull, pull).root());
        let (pull, wound) = (scale(pull, held), scale(wound, held));
        let stored = half * self.share * dot(wound, wound);
        let worked = -self.dt * (dot(pull, across) + half * unit * dot(sub(wound, rolled), across));
        Gripped { torque: scale(pull, radius), slide: wound, stored, worked, ..Gripped::none(self.proof) }
    }

    /// The factor that cuts a force of this size to the largest friction force.
    #[inline(always)]
    fn cut(&self, size: F) -> F {
        F::either(self.most.below(size), self.number(0.0).at_least(self.most) / size, self.number(1.0))
    }
}
