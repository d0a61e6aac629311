//! Materials, and the force law between two of them.

use super::interaction::{Cohesion, Damping, Interaction, Normal};
use super::restitution::dashpot;
use crate::error::{Error, Kind, Result, What};
use crate::real::Real;

/// An elastic, rough solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus: force over area.
    pub young: f64,
    /// Poisson's ratio, from 0 to 0.5.
    pub poisson: f64,
    /// Restitution, above 0 and at most 1.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of rolling resistance.
    pub rolling: f64,
    /// Energy density of cohesion by area, [`Cohesion::Area`].
    pub cohesion: f64,
}

impl Material {
    /// The force law between this material and another, from their moduli. The modulus is that of two layers in series
    /// ([`Normal::Pressure`], halos equally thick) or of two half-spaces (E* of [`Normal::Hertz`]). Tangential over normal stiffness is
    /// Mindlin's. Restitution, friction, rolling and cohesion are geometric means. Damping is a dashpot that never pulls. A host may then
    /// set any field to a measured value.
    ///
    /// For [`Normal::Linear`] and [`Normal::Spring`], a modulus alone is not a stiffness. It is multiplied by `size`: a length (for example a
    /// radius);
    /// for `Spring`, a length over the root of the reduced mass.
    ///
    /// Errors: [`Kind::OutOfRange`] and [`Kind::NotFinite`] for [`What::Materials`], with index 0 for this material and 1 for the other, and the
    /// field as component; for [`What::Size`] if it is used and not larger than 0; those of [`Interaction::check`] for the result.
    pub fn with(&self, other: &Material, normal: Normal, size: f64) -> Result<Interaction> {
        self.check(0)?;
        other.check(1)?;
        if matches!(normal, Normal::Linear | Normal::Spring) && !(size > 0.0 && size.is_finite()) {
            let kind = if size.is_finite() { Kind::OutOfRange } else { Kind::NotFinite };
            return Err(Error::new(kind, What::Size));
        }
        let plane = |m: &Material| (1.0 - m.poisson * m.poisson) / m.young;
        let modulus = 1.0 / (plane(self) + plane(other));
        let shear = |m: &Material| 2.0 * (2.0 - m.poisson) * (1.0 + m.poisson) / m.young;
        let ratio = 4.0 / (shear(self) + shear(other)) / modulus;
        let layers = 2.0 / (1.0 / self.young + 1.0 / other.young);
        let stiffness = match normal {
            Normal::Pressure => layers,
            Normal::Hertz => modulus,
            Normal::Linear | Normal::Spring => layers * size,
        };
        let mean = |a: f64, b: f64| Real::sqrt(a * b);
        let zeta = dashpot(mean(self.restitution, other.restitution));
        let cohesion = mean(self.cohesion, other.cohesion);
        let made = Interaction {
            friction: mean(self.friction, other.friction),
            shear: ratio,
            rolling: mean(self.rolling, other.rolling),
            ..Interaction::new(normal, stiffness)
        };
        let made = if zeta > 0.0 { made.damped(Damping::Dashpot, zeta) } else { made };
        let made = if cohesion > 0.0 { made.sticky(Cohesion::Area, cohesion) } else { made };
        made.check(0)?;
        Ok(made)
    }

    fn check(&self, place: u64) -> Result<()> {
        let Material { young, poisson, restitution, friction, rolling, cohesion } = *self;
        let ranges = [
            (young, f64::MIN_POSITIVE, f64::MAX),
            (poisson, 0.0, 0.5),
            (restitution, f64::MIN_POSITIVE, 1.0),
            (friction, 0.0, f64::MAX),
            (rolling, 0.0, f64::MAX),
            (cohesion, 0.0, f64::MAX),
        ];
        for (component, (x, low, high)) in ranges.into_iter().enumerate() {
            if !(low..=high).contains(&x) {
                let kind = if x.is_finite() { Kind::OutOfRange } else { Kind::NotFinite };
                return Err(Error::new(kind, What::Materials).at(place, component as u32));
            }
        }
        Ok(())
    }
}
