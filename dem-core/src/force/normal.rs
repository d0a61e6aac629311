//! The elastic force of a body pair.

use core::f64::consts::PI;

use super::interaction::{Interaction, Normal};
use crate::contact::Contact;
use crate::real::{Real, exp, ln, max};

/// Sums over the contacts of a pair, and what its bodies are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// Of `(1 - gap / T) area`.
    pub pushed: f64,
    pub area: f64,
    /// Of `(T - gap) area`.
    pub deep: f64,
    /// The largest `T - least_gap`.
    pub depth: f64,
    pub halo: f64,
    /// Of area over halo.
    pub slope: f64,
    /// Reduced mass; 0 where no body is dynamic.
    pub mass: f64,
    /// Reduced radius of two balls, where halos end; 0 of other bodies.
    pub radius: f64,
}

/// An elastic force: `k P` at each contact. Their sum goes with the depth to the power `exponent`, and has the stiffness `stiffness`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Elastic {
    pub k: f64,
    pub exponent: f64,
    pub stiffness: f64,
    /// Its energy, if it has gone with the same power of the depth from the first touch on.
    pub stored: f64,
}

/// `(1 - gap / T) area`; without halos `-gap area`, which is a length more.
pub(super) fn pushed(contact: &Contact) -> f64 {
    let share = if contact.halo > 0.0 { 1.0 - contact.gap / contact.halo } else { -contact.gap };
    max(0.0, share * contact.area)
}

impl Sums {
    pub fn of(contacts: &[Contact], mass: f64, radius: f64) -> Sums {
        contacts.iter().fold(Sums { mass, radius, ..Sums::default() }, |sums, c| Sums {
            pushed: sums.pushed + pushed(c),
            area: sums.area + c.area,
            deep: sums.deep + max(0.0, c.halo - c.gap) * c.area,
            depth: max(sums.depth, c.halo - c.least_gap),
            halo: max(sums.halo, c.halo),
            slope: sums.slope + if c.halo > 0.0 { c.area / c.halo } else { c.area },
            ..sums
        })
    }

    /// The elastic force by a law. Nothing where nothing presses.
    pub fn elastic(&self, law: &Interaction) -> Elastic {
        let Sums { pushed, area, deep, depth, halo, slope, mass, radius } = *self;
        if !(pushed > 0.0 && area > 0.0 && depth > 0.0 && deep > 0.0) {
            return Elastic::default();
        }
        let mean = deep / area;
        let stiffness = law.stiffness;
        let length = if halo > 0.0 { halo } else { 1.0 };
        let of = |force: f64, exponent: f64| Elastic {
            k: force / pushed,
            exponent,
            stiffness: exponent * force / depth,
            stored: force * depth / (exponent + 1.0),
        };
        match law.normal {
            n if n == Normal::Linear as u32 => of(stiffness * depth, 1.0),
            n if n == Normal::Spring as u32 => of(stiffness * Real::sqrt(mass) * depth / length, 1.0),
            n if n == Normal::Hertz as u32 && radius > 0.0 => {
                of(4.0 / 3.0 * stiffness * Real::sqrt(radius * depth) * depth, 1.5)
            }
            n if n == Normal::Hertz as u32 => {
                let (force, exponent) = indenter(stiffness, area, mean, depth);
                of(force, exponent)
            }
            // The mean depth over the largest: 1 of flat faces, 1/2 of a ball, whose force goes with the square of the depth.
            _ => {
                let exponent = max(1.0, depth / mean);
                Elastic { k: stiffness, stiffness: stiffness * slope, ..of(stiffness * pushed, exponent) }
            }
        }
    }
}

/// Force of an indenter whose profile goes with the radius to some power n, and the exponent of the depth, 1 + 1/n: from the modulus E*, the area in which it is below
/// the undeformed surface, and mean and largest depth there (L. Galin, 1946; I. Sneddon, Int. J. Eng. Sci. 3, 1965, 47). Exact for a flat punch, a
/// paraboloid and a cone.
fn indenter(modulus: f64, area: f64, mean: f64, depth: f64) -> (f64, f64) {
    let f = mean / depth;
    let flat = 2.0 * modulus * depth * Real::sqrt(area / PI);
    // Of a profile r^n the mean depth is n/(n+2) of the largest one. Beyond that of n = 1000 it is flat.
    if f >= 0.998 {
        return (flat, 1.0);
    }
    let n = 2.0 * f / (1.0 - f);
    let q = Real::sqrt(PI) * exp(libm::lgamma(0.5 * n + 1.0) - libm::lgamma(0.5 * (n + 1.0)));
    (flat * (2.0 * f / (1.0 + f)) * exp(-ln(q) / n), 1.0 + 1.0 / n)
}
