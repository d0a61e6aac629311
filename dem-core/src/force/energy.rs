//! Energies at a contact.

use crate::world::Springs;

/// The energy that a contact stores after a step, and the energy that damping and friction take in the step.
///
/// The sum over all contacts balances kinetic and potential energy to first order in the step, where [`normal`](Energies::normal) is
/// exact: in central impact and for flat faces. Cohesion is not included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Energies {
    /// Energy stored by the elastic normal force, at the start of the step: the contact's share of `F D / (p + 1)`, with the pair's force, depth
    /// and exponent.
    pub normal: f64,
    /// Energy stored by the springs of sliding, torsion and rolling.
    pub tangential: f64,
    /// Energy dissipated by damping along the normal and by damping of tilt.
    pub damped: f64,
    /// Work done in the step against friction, torsion, rolling and their dashpots. The part that the springs of all contacts do not store is
    /// dissipated. Only its sum over all contacts is meaningful, since contacts split, join and take over each other's area
    /// ([`Report::rubbed`](crate::world::Report::rubbed)).
    pub rubbed: f64,
}

impl Energies {
    /// The energies that [`Laws`](super::Laws) write with a contact's springs ([`WorldRef::springs`](crate::world::WorldRef::springs)).
    pub fn of(springs: &Springs) -> Energies {
        let [_, _, _, [normal, ..], [tangential, damped, rubbed]] = *springs;
        Energies { normal, tangential, damped, rubbed }
    }

    /// The sum of both.
    pub fn plus(self, other: Energies) -> Energies {
        Energies {
            normal: self.normal + other.normal,
            tangential: self.tangential + other.tangential,
            damped: self.damped + other.damped,
            rubbed: self.rubbed + other.rubbed,
        }
    }
}
