//! Bounds that are enlarged by a skin and by the possible rounding error.

use super::bodies::Bodies;
use crate::real::{Real, SUM_ERROR};

/// Added to other lengths: squares of differences below 2^-46 of this may underflow.
pub(super) const TINY: f64 = f64::from_bits((1023 - 450) << 52);

/// The enlargement of each body's wide bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Skins(f64);

impl Skins {
    /// The skins of a list that has all pairs up to `length` apart; none if `length` is 0.
    pub fn new(length: f64) -> Option<Skins> {
        (length > 0.0).then_some(Skins(0.5 * length))
    }

    /// The skin of body `i`; static bodies have none.
    #[inline(always)]
    pub fn of(&self, bodies: &Bodies<'_>, i: usize) -> f64 {
        if bodies.motions.is_some_and(|motions| motions.get(i) == 2) { 0.0 } else { self.0 }
    }
}

/// Whether a sphere lies in a wide sphere. `d` is the vector between their centres, up to periods.
#[inline(always)]
pub(super) fn in_sphere(listed: &[f64; 3], wide: f64, centre: &[f64; 3], radius: f64, d: [f64; 3]) -> bool {
    let way = Real::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    let numbers = (radius + wide) + 4.0 * (size(centre) + size(listed)) + TINY;
    way + radius + SUM_ERROR * numbers <= wide
}

/// A radius enlarged by a skin and by the possible rounding error.
pub(super) fn widened(centre: &[f64; 3], radius: f64, skin: f64) -> f64 {
    let wide = radius + skin;
    wide + 4.0 * SUM_ERROR * (wide + 4.0 * size(centre) + TINY)
}

pub(super) fn size(x: &[f64; 3]) -> f64 {
    (Real::abs(x[0]) + Real::abs(x[1])) + Real::abs(x[2])
}
