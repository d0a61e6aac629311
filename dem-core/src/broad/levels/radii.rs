//! Distributions of radii: the trait `Radii`, and `PowerLaw`.

use crate::error::{Error, Kind, Result, What};
use crate::real::{exp, exp_m1, ln, ln_1p};

/// Moments of a subset of bodies: its share of all bodies, and the sums of r, r^2 and r^3 over the subset, divided by
/// the number of *all* bodies.
pub type Moments = [f64; 4];

/// A distribution of radii.
pub trait Radii {
    /// The smallest radius, above 0.
    fn smallest(&self) -> f64;
    /// The largest radius, finite.
    fn largest(&self) -> f64;
    /// The moments of bodies with a radius of at most `radius`. No moment may decrease where `radius` grows; from
    /// [`Radii::largest`] on the share is 1.
    fn up_to(&self, radius: f64) -> Moments;
    /// The moments of bodies with a radius above `radius`. This default computes a difference, so shares below 1e-12
    /// are rounding noise.
    fn above(&self, radius: f64) -> Moments {
        let (all, below) = (self.up_to(self.largest()), self.up_to(radius));
        [0, 1, 2, 3].map(|k| all[k] - below[k])
    }
    /// The largest radius of a body that is at most `radius`; `radius` itself for continuous distributions.
    fn snap(&self, radius: f64) -> f64 {
        radius
    }
}

/// Radii between two bounds with a density proportional to r^alpha (P1 (29), (30)).
#[derive(Clone, Copy, Debug)]
pub struct PowerLaw {
    smallest: f64,
    largest: f64,
    alpha: f64,
    /// ln(largest / smallest).
    width: f64,
}

/// Largest accepted exponent of e, so that no moment overflows.
const LIMIT: f64 = 600.0;

impl PowerLaw {
    /// Radii from `smallest` to `smallest * omega`. All are equal where `omega` is 1.
    ///
    /// Errors: [`Kind::OutOfRange`] for a radius that is not positive (`What::Radii`), `omega` below 1 (`What::Options`, component 1), an
    /// exponent that makes moments overflow (component 2), or any that is NaN or infinite.
    pub fn new(smallest: f64, omega: f64, alpha: f64) -> Result<Self> {
        let wrong = |what, component| Err(Error::new(Kind::OutOfRange, what).at(0, component));
        let largest = smallest * omega;
        if !(smallest > 0.0 && cubes(smallest)) {
            return wrong(What::Radii, 0);
        }
        if !(omega >= 1.0 && cubes(largest)) {
            return wrong(What::Options, 1);
        }
        // Exact near 1: omega - 1 has no rounding error for omega below 2.
        let width = ln_1p(omega - 1.0);
        let (low, high) = ((alpha + 1.0) * width, (alpha + 4.0) * width);
        if !(low > -LIMIT && low < LIMIT && high > -LIMIT && high < LIMIT) {
            return wrong(What::Options, 2);
        }
        Ok(PowerLaw { smallest, largest, alpha, width })
    }

    /// The exponent.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }
}

/// Whether the cube of a radius neither overflows nor underflows.
pub(super) fn cubes(radius: f64) -> bool {
    let cube = radius * radius * radius;
    cube.is_finite() && (radius == 0.0 || cube > f64::MIN_POSITIVE)
}

/// The integral of e^(z t) from 0 to u.
fn integral(z: f64, u: f64) -> f64 {
    if z * u == 0.0 { u } else { exp_m1(z * u) / z }
}

impl Radii for PowerLaw {
    fn smallest(&self) -> f64 {
        self.smallest
    }

    fn largest(&self) -> f64 {
        self.largest
    }

    fn up_to(&self, radius: f64) -> Moments {
        if radius.is_nan() || radius < self.smallest {
            return [0.0; 4];
        }
        let r = self.smallest;
        if self.width == 0.0 {
            return [1.0, r, r * r, r * r * r];
        }
        let u = if radius >= self.largest { self.width } else { ln_1p((radius - r) / r) };
        self.between(0.0, u)
    }

    fn above(&self, radius: f64) -> Moments {
        if radius >= self.largest {
            return [0.0; 4];
        }
        if radius.is_nan() || radius < self.smallest || self.width == 0.0 {
            return self.up_to(self.largest);
        }
        self.between(ln_1p((radius - self.smallest) / self.smallest), ln_1p((self.largest - radius) / radius))
    }
}

impl PowerLaw {
    /// Moments of radii with t = ln(r / smallest) between `from` and `from + length`. The density in t is e^((alpha +
    /// 1) t), also for alpha = -1.
    fn between(&self, from: f64, length: f64) -> Moments {
        let z = self.alpha + 1.0;
        let r = self.smallest;
        let powers = [1.0, r, r * r, r * r * r];
        let all = integral(z, self.width);
        [0, 1, 2, 3].map(|k| {
            let z = z + k as f64;
            powers[k] * (exp(z * from) * integral(z, length) / all)
        })
    }
}

/// Radius number `i` of `n`, in equal ratios from the smallest (0) to the largest (n - 1).
pub(super) fn geometric(radii: &impl Radii, i: usize, n: usize) -> f64 {
    let (low, high) = (radii.smallest(), radii.largest());
    if i + 1 >= n {
        return high;
    }
    let radius = low * exp(ln(high / low) * (i as f64 / (n - 1) as f64));
    if radius < high { radius } else { high }
}
