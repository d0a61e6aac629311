//! Laws of contact that users of the discrete element method expect: pressure, linear, spring and Hertz, with damping, friction, torsion, rolling resistance and
//! cohesion, from materials or from what is known of a contact instead.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `interaction` | what two materials do to each other: a law and its numbers |
//! | `material` | interactions of materials: moduli, restitution, friction |
//! | `normal` | the elastic force of a body pair, its stiffness and its exponent |
//! | `restitution` | coefficients of damping that give a restitution |
//! | `friction` | sliding, torsion and rolling at a contact |
//! | `energy` | what a contact stores and dissipates |
//! | `laws` | all of it as a law of contact: [`Laws`] |
//! | `round` | the same law for two balls without records, whose only contact needs fewer divisions |
//! | `value` | numbers, or lanes of numbers, that formulas are computed with |
//! | `choose` | stiffness, rest and time step from what is wanted |
//!
//! # One stiffness for each body pair
//! With `P = (1 - gap / T) area` of a contact, every law is `F = k P` along the normal and `k moment` as torque about the position, with one `k` for all contacts of a
//! pair of bodies. So all laws are as continuous, and as independent of the mesh, as the measure of contacts is. What depends on `k` by a constant
//! ([`Normal::Pressure`]) is the gradient of an energy where the measure is ([`Law::Volume`](crate::contact::Law::Volume)); of the others that holds in central impact.
//!
//! Formulas, sources and how well each closed form is met: `docs/forces.md`.

mod choose;
mod energy;
mod friction;
mod interaction;
mod laws;
mod material;
mod normal;
mod restitution;
mod round;
mod value;

pub use choose::{buckling_load, linear_stiffness, pressure_for, resting_gap, stable_step};
pub use energy::Energies;
pub use interaction::{Cohesion, Damping, Interaction, Normal};
pub(crate) use laws::Met;
pub use laws::{Laws, Pair, Reduced};
pub use material::Material;
pub use restitution::{dashpot, dashpot_with_tension, hunt_crossley, restitution, restitution_with_tension};
pub(crate) use round::{RoundPlace, RoundReply};
pub(crate) use value::Value;
