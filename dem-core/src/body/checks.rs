//! Checks of numbers: finite, positive, and not too far from 1.

use crate::error::{Error, Kind, Result, What};
use crate::real::Real;

/// Upper bound of lengths, velocities, forces, masses, moments, times and divisors; [`SMALLEST`] is the lower bound of those that must be
/// positive. So no product of them overflows.
pub(crate) const LARGEST: f64 = f64::from_bits((1023 + 100) << 52);

/// Its inverse.
pub(super) const SMALLEST: f64 = f64::from_bits((1023 - 100) << 52);

/// A number that is larger than zero and not too large or too small.
pub(crate) fn positive(x: f64, what: What) -> Result<()> {
    bounded(&[x], what, 0)?;
    if x < SMALLEST { Err(Error::new(Kind::OutOfRange, what)) } else { Ok(()) }
}

/// A density of bodies has the same bounds. Component 1 of the error distinguishes it from other densities, which need only be larger than 0.
pub(super) fn check_density(density: f64) -> Result<()> {
    positive(density, What::Density).map_err(|e| if e.kind == Kind::OutOfRange { e.at(0, 1) } else { e })
}

/// Errors if a component is NaN or infinite, or larger than [`LARGEST`].
pub(crate) fn bounded(numbers: &[f64], what: What, place: u64) -> Result<()> {
    let Some(k) = numbers.iter().position(|x| !(-LARGEST..=LARGEST).contains(x)) else { return Ok(()) };
    let finite = numbers.get(k).is_some_and(|x| x.is_finite());
    Err(Error::new(if finite { Kind::OutOfRange } else { Kind::NotFinite }, what).at(place, k as u32))
}

/// Whether [`bounded`] returns no error.
#[inline(always)]
pub(crate) fn is_bounded(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |all, x| all & (Real::abs(*x) <= LARGEST))
}
