//! The force law between two materials.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::body::bounded;
use crate::error::{Error, Kind, Result, What};

/// The elastic force of a body pair. T is the sum of both halos. D is the overlap depth of the halos: T less the smallest gap of the pair. d is
/// the mean of that depth over the area A.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Normal {
    /// A pressure: largest where surfaces touch, 0 at the end of the halo. `F = stiffness (1 - gap / T) area` for each contact. Stiffness: force
    /// over area.
    #[default]
    Pressure = 0,
    /// A linear spring for the pair: `F = stiffness D`. Stiffness: force over length.
    Linear = 1,
    /// The spring of P0 (Noble and Weinzierl, section 2): `F = stiffness sqrt(m) D / T`, with the reduced mass m. Stiffness: force over the root
    /// of a mass.
    Spring = 2,
    /// Hertz. For two balls, or a ball and a half-space: `F = 4/3 stiffness sqrt(R) D^1.5`, with R of the spheres that bound the halos. For other
    /// bodies: the law of Galin and Sneddon for an indenter with a power-law profile, from A, d and D, which needs no curvature. Stiffness: the
    /// modulus E*, force over area.
    Hertz = 3,
}

/// The kind of damping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Damping {
    /// No damping.
    #[default]
    None = 0,
    /// Hunt and Crossley: the elastic force times `1 + damping u`, with u the velocity of approach. Unit of `damping`: time over length.
    /// [`hunt_crossley`](super::hunt_crossley) computes it for a restitution at a velocity of impact. The force is 0 when a contact begins and
    /// when it ends.
    HuntCrossley = 1,
    /// A dashpot of `damping` times the critical coefficient. The restitution is the same at any velocity, and the force never pulls.
    /// [`dashpot`](super::dashpot) computes `damping`.
    Dashpot = 2,
    /// [`Dashpot`](Self::Dashpot) whose force may pull at the end of a contact. [`dashpot_with_tension`](super::dashpot_with_tension) computes
    /// `damping`.
    DashpotWithTension = 3,
}

/// The kind of cohesion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Cohesion {
    /// No cohesion.
    #[default]
    None = 0,
    /// Simplified Johnson, Kendall and Roberts: `cohesion` times the area of the contact. Unit of `cohesion`: force over area.
    Area = 1,
    /// Derjaguin, Muller and Toporov: `2 pi cohesion R` while bodies are in contact. `cohesion` is the work of adhesion, energy over area. It
    /// acts between balls and capsules, and between these and half-spaces or meshes, which count as flat. No force for other bodies, nor for
    /// compounds of several parts.
    Dmt = 2,
}

/// A law of contact between two materials, and its numbers. Enumerations are stored as numbers, so that files and blocks can hold tables of them.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Interaction {
    /// A [`Normal`].
    pub normal: u32,
    /// A [`Damping`].
    pub damped: u32,
    /// A [`Cohesion`].
    pub cohesive: u32,
    /// Zero.
    pub reserved: u32,
    /// Stiffness of the elastic force: see [`Normal`].
    pub stiffness: f64,
    /// See [`Damping`].
    pub damping: f64,
    /// Coulomb's coefficient of friction, for sliding and torsion.
    pub friction: f64,
    /// Tangential over normal stiffness: `2 (1 - nu) / (2 - nu)` of one material (Mindlin).
    pub shear: f64,
    /// Relaxation time of the tangential contact, a Kelvin-Voigt element: a dashpot parallel to the friction spring. The dashpot's coefficient is
    /// the spring's stiffness times `lag`.
    pub lag: f64,
    /// Whether contacts that have an area resist twist about their normal: 1 or 0.
    pub torsion: f64,
    /// Coefficient of rolling resistance: the torque is at most `rolling` times the radius times the force. It acts between balls and capsules,
    /// and between these and half-spaces or meshes, which count as flat. Other bodies and compounds of several parts have none.
    pub rolling: f64,
    /// See [`Cohesion`].
    pub cohesion: f64,
}

impl Interaction {
    /// This normal force without damping, friction and cohesion.
    pub fn new(normal: Normal, stiffness: f64) -> Self {
        Interaction {
            normal: normal as u32,
            damped: Damping::None as u32,
            cohesive: Cohesion::None as u32,
            reserved: 0,
            stiffness,
            damping: 0.0,
            friction: 0.0,
            shear: 2.0 / 7.0,
            lag: 0.0,
            torsion: 1.0,
            rolling: 0.0,
            cohesion: 0.0,
        }
    }

    /// With damping.
    pub fn damped(self, damped: Damping, damping: f64) -> Self {
        Interaction { damped: damped as u32, damping, ..self }
    }

    /// With friction: the coefficient, and the tangential over the normal stiffness.
    pub fn rough(self, friction: f64, shear: f64) -> Self {
        Interaction { friction, shear, ..self }
    }

    /// With cohesion.
    pub fn sticky(self, cohesive: Cohesion, cohesion: f64) -> Self {
        Interaction { cohesive: cohesive as u32, cohesion, ..self }
    }

    /// Errors, with `place` as index: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Interactions`], with the field's index as
    /// component (`normal` is 0). No number may be negative; friction may be infinite.
    pub fn check(&self, place: u64) -> Result<()> {
        let wrong = |component| Err(Error::new(Kind::OutOfRange, What::Interactions).at(place, component));
        for (component, (value, most)) in
            [(self.normal, 3), (self.damped, 3), (self.cohesive, 2), (self.reserved, 0)].into_iter().enumerate()
        {
            if value > most {
                return wrong(component as u32);
            }
        }
        let friction = if self.friction == f64::INFINITY { 0.0 } else { self.friction };
        let numbers =
            [self.stiffness, self.damping, friction, self.shear, self.lag, self.torsion, self.rolling, self.cohesion];
        bounded(&numbers, What::Interactions, place).map_err(|e| Error { component: e.component + 4, ..e })?;
        match numbers.iter().position(|x| *x < 0.0) {
            Some(k) => wrong(k as u32 + 4),
            None => Ok(()),
        }
    }
}
