//! The elastic force of a body pair along a normal: pressure, linear, spring, Hertz.
//!
//! Reads: gap, least gap, halo, area and wedging of all contacts of the pair that push in one direction; the reduced mass (spring) or radius
//! (Hertz). Writes: one modulus k for all of them, by which a contact pushes with `k (1 - gap / T) area`; the pair's stiffness, the exponent of
//! the depth in its force, and its stored energy. It keeps no springs.

use core::f64::consts::PI;

use super::interaction::{Interaction, Normal};
use super::value::Value;
use crate::contact::{Contact, status};
use crate::real::{Real, exp, ln, max, min};
use crate::vector::dot;

/// Sums over the contacts of a pair that push in one direction, and the reduced mass and radius of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums<F> {
    /// Sum of `(1 - gap / T) area`.
    pub pushed: F,
    pub area: F,
    /// Sum of `(T - gap) area`.
    pub deep: F,
    /// The largest `T - least_gap`.
    pub depth: F,
    /// The largest halo of all contacts.
    pub halo: F,
    /// Sum of area over halo.
    pub slope: F,
    /// Reduced mass; 0 where no body is dynamic.
    pub mass: F,
    /// Reduced radius of two balls, where halos end; 0 for other bodies.
    pub radius: F,
}

/// An elastic force: `k P` at each contact. Their sum is proportional to the depth to the power `exponent`, and has the stiffness `stiffness`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elastic<F> {
    pub k: F,
    pub exponent: F,
    pub stiffness: F,
    /// Stored energy, if the force has followed the same power of the depth since the first touch.
    pub stored: F,
}

/// `(1 - gap / T) area`; without halos `-gap area`, which has one more dimension of length.
#[inline(always)]
pub(super) fn pushed<F: Value>(proof: F::Proof, gap: F, area: F, halo: F) -> F {
    let (zero, one) = (F::constant(proof, 0.0), F::constant(proof, 1.0));
    let share = F::either(zero.below(halo), one - gap / halo, -gap);
    zero.at_least(share * area)
}

impl<F: Value> Sums<F> {
    /// The elastic force by a law; with [`Normal::Hertz`], the force of two balls. 0 where nothing is pressed together.
    #[inline(always)]
    pub fn elastic(&self, proof: F::Proof, law: &Interaction) -> Elastic<F> {
        let Sums { pushed, area, deep, depth, halo, slope, mass, radius } = *self;
        let (zero, one) = (F::constant(proof, 0.0), F::constant(proof, 1.0));
        let stiffness = F::constant(proof, law.stiffness);
        let length = F::either(zero.below(halo), halo, one);
        let made = match law.normal {
            n if n == Normal::Linear as u32 => self.of(proof, stiffness * depth, one),
            n if n == Normal::Spring as u32 => self.of(proof, stiffness * mass.root() * depth / length, one),
            n if n == Normal::Hertz as u32 => self.of(
                proof,
                F::constant(proof, 4.0 / 3.0) * stiffness * (radius * depth).root() * depth,
                F::constant(proof, 1.5),
            ),
            // Mean depth over largest depth: 1 for flat faces, 1/2 for a ball, whose force is proportional to the square of the depth.
            _ => {
                let mean = deep / area;
                let exponent = one.at_least(depth / mean);
                Elastic { k: stiffness, stiffness: stiffness * slope, ..self.of(proof, stiffness * pushed, exponent) }
            }
        };
        // These numbers may be NaN where nothing is pressed together; `pressing` replaces them by 0.
        let Elastic { k, exponent, stiffness, stored } = made;
        Elastic {
            k: self.pressing(proof, k),
            exponent: self.pressing(proof, exponent),
            stiffness: self.pressing(proof, stiffness),
            stored: self.pressing(proof, stored),
        }
    }

    /// A number, or 0 where nothing is pressed together.
    #[inline(always)]
    fn pressing(&self, proof: F::Proof, x: F) -> F {
        let zero = F::constant(proof, 0.0);
        let x = F::either(zero.below(self.pushed), x, zero);
        let x = F::either(zero.below(self.area), x, zero);
        F::either(zero.below(self.deep), F::either(zero.below(self.depth), x, zero), zero)
    }

    /// A force proportional to this power of the depth.
    #[inline(always)]
    fn of(&self, proof: F::Proof, force: F, exponent: F) -> Elastic<F> {
        Elastic {
            k: force / self.pushed,
            exponent,
            stiffness: exponent * force / self.depth,
            stored: force * self.depth / (exponent + F::constant(proof, 1.0)),
        }
    }
}

/// The cosine of the angle between the forces of both sides of a contact, from the ratio `wedging` of their summed magnitudes to the contact's
/// force.
fn apart(wedging: f64) -> f64 {
    2.0 / (wedging * wedging) - 1.0
}

impl Sums<f64> {
    /// The sums for the contact at this index. Each other contact has the squared cosine of the angle between both normals as weight; contacts
    /// that push sideways or back have weight 0. So floor and wall of one mesh are as stiff as two bodies would be, and feet on one plane share its
    /// load.
    ///
    /// A contact in a groove stands for two sides, and [`Contact::wedging`] tells the angle between them. The contact has the weight of its two
    /// sides, so that nothing changes when a contact splits.
    pub fn along(contacts: &[Contact], own: usize, mass: f64, radius: f64) -> Self {
        let none = Sums { pushed: 0.0, area: 0.0, deep: 0.0, depth: 0.0, halo: 0.0, slope: 0.0, mass, radius };
        let Some(of) = contacts.get(own) else { return none };
        let Contact { normal, wedging, .. } = of;
        let doubtful = |c: &Contact| c.status & status::DOUBTFUL != 0;
        let apart = apart(*wedging);
        // A doubtful contact must not change the sums of a contact that is not doubtful.
        let all = contacts.iter().enumerate().filter(|(_, c)| doubtful(of) || !doubtful(c));
        all.fold(none, |sums, (i, c)| {
            let cosine = if i == own { 1.0 } else { max(0.0, dot(c.normal, *normal)) };
            let square = cosine * cosine;
            let least_gap = if doubtful(c) { max(c.least_gap, -c.halo) } else { c.least_gap };
            let part = c.wedging * (square * (0.5 * (1.0 + apart * self::apart(c.wedging))));
            Sums {
                pushed: sums.pushed + part * pushed((), c.gap, c.area, c.halo),
                area: sums.area + part * c.area,
                deep: sums.deep + part * (max(0.0, c.halo - c.gap) * c.area),
                depth: max(sums.depth, square * (c.halo - least_gap)),
                halo: max(sums.halo, c.halo),
                slope: sums.slope + part * if c.halo > 0.0 { c.area / c.halo } else { c.area },
                ..sums
            }
        })
    }

    /// The elastic force of any two bodies.
    pub fn elastic_of_any(&self, law: &Interaction) -> Elastic<f64> {
        let Sums { pushed, area, deep, depth, radius, .. } = *self;
        let presses = pushed > 0.0 && area > 0.0 && depth > 0.0 && deep > 0.0;
        if law.normal != Normal::Hertz as u32 || radius > 0.0 || !presses {
            return self.elastic((), law);
        }
        let (force, exponent) = indenter(law.stiffness, area, deep / area, depth);
        self.of((), force, exponent)
    }
}

impl Sums<f64> {
    /// The elastic force of a capsule on a flat surface, by the law of Hertz: that of a ball, plus that of the line beside it. The force of the
    /// line is `pi/4 E*` times the integral of the depth along it (V. Popov, Contact Mechanics and Friction, 2010, section 5.6). Length and tilt
    /// of the line follow from area and depth.
    pub fn elastic_of_rod(&self, law: &Interaction) -> Elastic<f64> {
        let Sums { pushed, area, deep, depth, radius, .. } = *self;
        let ball = self.elastic((), law);
        // Half of the width of the strip in which halos meet.
        let square = depth * (2.0 * radius - depth);
        if law.normal != Normal::Hertz as u32 || !(ball.k > 0.0 && square > 0.0) {
            return ball;
        }
        let width = Real::sqrt(square);
        // Integrals along the line of the root of the depth, and of the depth times its root, over those of the largest depth.
        let roots = max(0.0, (area - PI * square) / (2.0 * width));
        let cubes = max(0.0, (deep - 0.5 * PI * square * depth) / (4.0 / 3.0 * width * depth));
        let (round, line) = (ball.k * pushed, 0.25 * PI * law.stiffness * depth * Real::sqrt(roots * cubes));
        // `cubes` is 3/5 of `roots` where the line leans so that the depth falls to 0 on it: then the force is proportional to the square of the
        // depth.
        let leans = if roots > 0.0 { min(max((1.0 - cubes / roots) / 0.4, 0.0), 1.0) } else { 0.0 };
        let force = round + line;
        self.of((), force, (1.5 * round + (1.0 + leans) * line) / force)
    }
}

/// Force of an indenter whose profile is proportional to the radius to some power n, and the exponent of the depth, 1 + 1/n. They follow from the
/// modulus E*, the area in which the profile is below the undeformed surface, and the mean and largest depth there (L. Galin, 1946; I. Sneddon,
/// Int. J. Eng. Sci. 3, 1965, 47). Exact for a flat punch, a paraboloid and a cone.
fn indenter(modulus: f64, area: f64, mean: f64, depth: f64) -> (f64, f64) {
    let f = mean / depth;
    let flat = 2.0 * modulus * depth * Real::sqrt(area / PI);
    // A profile r^n has the mean depth n/(n+2) of the largest depth. Above n = 1000 the profile counts as flat.
    if f >= 0.998 {
        return (flat, 1.0);
    }
    let n = 2.0 * f / (1.0 - f);
    let q = Real::sqrt(PI) * exp(libm::lgamma(0.5 * n + 1.0) - libm::lgamma(0.5 * (n + 1.0)));
    (flat * (2.0 * f / (1.0 + f)) * exp(-ln(q) / n), 1.0 + 1.0 / n)
}
