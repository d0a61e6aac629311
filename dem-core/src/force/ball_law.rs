//! The law at the only contact of two balls, or of a ball and a half-space, for a number or for lanes of numbers.
//!
//! It is the law of [`Shared`](super::laws::Shared) for a pair with one contact. There, the contact's shares of the pair's force and
//! stiffness are quotients; here they are 1, so the only divisions are those of the law's formula. One function for both would compute these
//! quotients for each lane, and products with moments, offsets and tilts, which are 0 here: a compiler may not drop such floating-point
//! products. Formulas that are the same in both have one copy (`damping`, `friction`, `cohesion`, and the pressure in `normal`).
//!
//! Reads and writes: as in these files, for one contact.

use core::f64::consts::PI;

use super::friction::{Grip, Gripped};
use super::interaction::{Cohesion, Damping, Interaction, Normal};
use super::normal::pushed;
use super::value::Value;
use crate::vector::{add, dot, scale};

/// A contact, and the relative velocity of the two surfaces there.
pub(crate) struct RoundPlace<F> {
    pub normal: [F; 3],
    /// Overlap depth of the halos, and the sum of both halo thicknesses.
    pub depth: F,
    pub halo: F,
    /// Mean gap and area, where the law asks for them ([`Interaction::needs_area`]).
    pub gap: F,
    pub area: F,
    /// Reduced mass, and reduced radius where the law asks for it ([`Interaction::needs_radius`]).
    pub mass: F,
    pub radius: F,
    /// Velocity of A's surface less that of B's, and the same difference of spins.
    pub velocity: [F; 3],
    pub spin: [F; 3],
    pub slide: [F; 3],
    /// The twist, along the normal.
    pub twist: F,
    pub rolled: [F; 3],
}

/// The response of the law at a contact.
pub(crate) struct RoundReply<F> {
    /// Force on A: along the normal, and across it.
    pub along: F,
    pub across: [F; 3],
    pub torque: [F; 3],
    pub slide: [F; 3],
    pub twist: F,
    pub rolled: [F; 3],
    /// Energy stored in the contact's springs, energy dissipated by damping, and work done against friction.
    pub taken: [F; 3],
}

/// An elastic force.
struct Elastic<F> {
    force: F,
    stiffness: F,
    /// Root of the tangential stiffness.
    root: F,
    /// `2 (p + 1) / p`, where the force is proportional to the depth to the power p.
    power: F,
}

impl Interaction {
    /// Whether the force of two balls depends on gap and area of their contact, not on the depth alone.
    #[inline(always)]
    pub(crate) fn needs_area(&self) -> bool {
        self.normal == Normal::Pressure as u32 || self.cohesive == Cohesion::Area as u32 || self.twists()
    }

    /// Whether the force depends on their radii.
    #[inline(always)]
    pub(crate) fn needs_radius(&self) -> bool {
        self.normal == Normal::Hertz as u32
            || self.cohesive == Cohesion::Dmt as u32
            || self.rolling > 0.0
            || self.twists()
    }

    #[inline(always)]
    fn twists(&self) -> bool {
        self.friction > 0.0 && self.torsion > 0.0
    }
}

impl<F: Value> RoundPlace<F> {
    /// Force, torque and springs in a step of this length.
    #[inline(always)]
    pub fn reply(&self, proof: F::Proof, law: &Interaction, dt: F) -> RoundReply<F> {
        let (zero, one) = (F::constant(proof, 0.0), F::constant(proof, 1.0));
        let elastic = self.elastic(proof, law);
        let approach = -dot(self.velocity, self.normal);
        let push = elastic.force;
        let coefficient = match law.damped {
            d if d == Damping::None as u32 => zero,
            d if d == Damping::HuntCrossley as u32 => law.hunt_crossley_of(proof, push),
            _ => law.dashpot_of(proof, elastic.power, self.mass, elastic.stiffness),
        };
        let force = law.damped_push(proof, push, coefficient, approach);
        let load = zero.at_least(force);
        let held = law.pull(proof, self.area, self.radius, F::either(zero.below(push), one, zero));
        let [reach, arm] = if law.twists() { self.reach(proof, law) } else { [zero; 2] };
        let grip = Grip {
            proof,
            normal: self.normal,
            root: elastic.root,
            share: one,
            lag: F::constant(proof, law.lag),
            most: F::either(zero.below(load), F::constant(proof, law.friction) * load, zero),
            reach,
            arm,
            centre: None,
            follows: false,
            dt,
        };
        let slid = match law.friction > 0.0 {
            true => grip.slide(self.slide, self.velocity, scale(self.normal, self.twist), self.spin, law.torsion),
            false => Gripped::none(proof),
        };
        let turned = match law.rolling > 0.0 {
            true => {
                let most = F::either(zero.below(load), F::constant(proof, law.rolling) * load, zero);
                Grip { most, ..grip }.roll(self.radius, self.rolled, self.spin)
            }
            false => Gripped::none(proof),
        };
        RoundReply {
            along: force - held,
            across: slid.force,
            torque: add(slid.torque, turned.torque),
            slide: slid.slide,
            twist: dot(slid.twist, self.normal),
            rolled: turned.slide,
            taken: [slid.stored + turned.stored, dt * ((force - push) * approach), slid.worked + turned.worked],
        }
    }

    /// The elastic force; 0 where the contact carries none.
    #[inline(always)]
    fn elastic(&self, proof: F::Proof, law: &Interaction) -> Elastic<F> {
        let (zero, one, two) = (F::constant(proof, 0.0), F::constant(proof, 1.0), F::constant(proof, 2.0));
        let (stiffness, depth, mut presses) = (F::constant(proof, law.stiffness), self.depth, zero.below(self.depth));
        let length = F::either(zero.below(self.halo), self.halo, one);
        let (shear, linear) = (F::constant(proof, law.shear), F::constant(proof, 4.0));
        let made = match law.normal {
            n if n == Normal::Linear as u32 => {
                Elastic { force: stiffness * depth, stiffness, root: (shear * stiffness).root(), power: linear }
            }
            n if n == Normal::Spring as u32 => {
                let stiffness = stiffness * self.mass.root() / length;
                Elastic { force: stiffness * depth, stiffness, root: (shear * stiffness).root(), power: linear }
            }
            n if n == Normal::Hertz as u32 => {
                let per_depth = stiffness * (self.radius * depth).root();
                let stiffness = two * per_depth;
                Elastic {
                    force: F::constant(proof, 4.0 / 3.0) * per_depth * depth,
                    stiffness,
                    root: (shear * stiffness).root(),
                    power: F::constant(proof, 10.0 / 3.0),
                }
            }
            _ => {
                let part = pushed(proof, self.gap, self.area, self.halo);
                presses = zero.below(part);
                // The largest depth over the mean one.
                let exponent = one.at_least(depth / (self.halo - self.gap));
                let (force, stiffness) = (stiffness * part, stiffness * (self.area / length));
                Elastic { force, stiffness, root: (shear * stiffness).root(), power: two * (exponent + one) / exponent }
            }
        };
        // These numbers may be NaN where the contact carries no force; the selection drops them there.
        Elastic {
            force: F::either(presses, made.force, zero),
            stiffness: F::either(presses, made.stiffness, zero),
            root: F::either(presses, made.root, zero),
            power: F::either(presses, made.power, zero),
        }
    }

    /// [`Grip::reach`] and [`Grip::arm`], as [`Shared::reach_of_round`](super::laws::Shared::reach_of_round) has them.
    #[inline(always)]
    fn reach(&self, proof: F::Proof, law: &Interaction) -> [F; 2] {
        let (square, [reach, arm]) = match law.normal {
            n if n == Normal::Hertz as u32 => (self.radius * self.depth, [0.4, 3.0 * PI / 16.0]),
            _ => (self.area * F::constant(proof, 1.0 / PI), [1.0 / 3.0, 8.0 / 15.0]),
        };
        [(F::constant(proof, reach) * square).root(), F::constant(proof, arm) * square.root()]
    }
}
