//! Contact laws of the discrete element method: pressure, linear, spring and Hertz, with damping, friction, torsion, rolling resistance and
//! cohesion. Their numbers come from materials, or from known properties of a contact.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `interaction` | the force law between two materials: its kind and its numbers |
//! | `material` | interactions of materials: moduli, restitution, friction |
//! | `normal` | the elastic force of a body pair, its stiffness and its exponent |
//! | `damping` | the force against approach: Hunt and Crossley, dashpots |
//! | `restitution` | coefficients of damping that give a restitution |
//! | `friction` | sliding, torsion and rolling at a contact |
//! | `curved` | sliding in a curved seat |
//! | `cohesion` | the pull of an area, or of radii |
//! | `energy` | the energies that a contact stores and dissipates |
//! | `laws` | all parts combined in one law of contact: [`Laws`] |
//! | `ball_law` | the same law for two balls without records, whose only contact needs fewer divisions |
//! | `value` | the number type of the formulas: one number, or lanes of numbers |
//! | `doubtful` | the elastic force of a contact that may be wrong |
//! | `estimates` | stiffness, gap at rest and time step from the requirements of a host |
//!
//! # One stiffness for each body pair
//! Let `P = (1 - gap / T) area` of a contact. Every law is a force `F = k P` along the normal and a torque `k moment` about the position. All
//! contacts of a body pair have the same `k`. So all laws inherit the continuity and mesh independence of the contact measure. If `k` is a
//! constant ([`Normal::Pressure`]), the force is the gradient of an energy wherever the measure is
//! ([`Law::Volume`](crate::contact::Law::Volume)). The other laws have this property in central impact.
//!
//! `docs/forces.md` has formulas, sources, and the measured error of each closed form.

mod ball_law;
mod cohesion;
mod curved;
mod damping;
mod doubtful;
mod energy;
mod estimates;
mod friction;
pub(super) mod interaction;
pub(super) mod laws;
mod material;
mod normal;
mod restitution;
mod value;

pub(crate) use ball_law::{RoundPlace, RoundReply};
pub use energy::Energies;
pub use estimates::{buckling_load, linear_stiffness, pressure_for, resting_gap, stable_step};
pub use interaction::{Cohesion, Damping, Interaction, Normal};
pub(crate) use laws::Met;
pub use laws::{Laws, Pair, Reduced, take_over};
pub use material::Material;
pub use restitution::{dashpot, dashpot_with_tension, hunt_crossley, restitution, restitution_with_tension};
pub(crate) use value::Value;
