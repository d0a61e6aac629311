//! Cohesion: a pull along the normal, proportional to the area (SJKR) or to the reduced radius (DMT).
//!
//! Reads: the area of a contact, or the reduced radius and the contact's share of the pair's force. Writes: a part of the force along the normal;
//! the pull of an area acts at the area's centroid ([`laws`](super::laws) adds the torque). Cohesion keeps no springs.

use core::f64::consts::PI;

use super::interaction::{Cohesion, Interaction};
use super::value::Value;

impl Interaction {
    /// The pull at a contact with this area and this share of the pair's force.
    #[inline(always)]
    pub(super) fn pull<F: Value>(&self, proof: F::Proof, area: F, radius: F, share: F) -> F {
        match self.cohesive {
            k if k == Cohesion::Area as u32 => F::constant(proof, self.cohesion) * area,
            k if k == Cohesion::Dmt as u32 => F::constant(proof, 2.0 * PI * self.cohesion) * radius * share,
            _ => F::constant(proof, 0.0),
        }
    }
}
