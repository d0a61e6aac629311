//! Damping: a force against the speed at which surfaces approach.
//!
//! Reads: the elastic force of a contact and the speed at which it does work; for dashpots also the pair's exponent, stiffness and reduced mass.
//! Writes: a part of the force along the normal. Damping keeps no springs. The dissipated energy is added to the energies of the contact.

use super::interaction::{Damping, Interaction};
use super::value::Value;

impl Interaction {
    /// The dashpot coefficient (force over velocity) of a pair whose elastic force is proportional to the depth to the power p. `power` is
    /// `2 (p + 1) / p`.
    #[inline(always)]
    pub(super) fn dashpot_of<F: Value>(&self, proof: F::Proof, power: F, mass: F, stiffness: F) -> F {
        F::constant(proof, self.damping) * (power * mass * stiffness).root()
    }

    /// Hunt and Crossley's coefficient (force over velocity) at a contact with this elastic force.
    #[inline(always)]
    pub(super) fn hunt_crossley_of<F: Value>(&self, proof: F::Proof, push: F) -> F {
        push * F::constant(proof, self.damping)
    }

    /// The elastic force plus damping. The sum never pulls, except with [`Damping::DashpotWithTension`].
    #[inline(always)]
    pub(super) fn damped_push<F: Value>(&self, proof: F::Proof, push: F, coefficient: F, approach: F) -> F {
        let force = push + coefficient * approach;
        let pulls = self.damped == Damping::DashpotWithTension as u32;
        if pulls { force } else { F::constant(proof, 0.0).at_least(force) }
    }
}
