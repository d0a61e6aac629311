//! Bounds that are enlarged by a skin and by the possible rounding error.

use super::all_bounds::AllBounds;
use super::bodies::Bodies;
use super::ids::Ranks;
use super::scene::KeptRef;
use crate::broad::wraps;
use crate::real::{Real, SLACK, max, min};

/// Beside numbers: of differences that are smaller than 2^-46 of this, the squares may be lost.
pub(super) const TINY: f64 = f64::from_bits((1023 - 450) << 52);

/// By how much each body's wide bound is wider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Skins(f64);

impl Skins {
    /// The skins of a list that has all pairs up to `length` apart; none if `length` is 0.
    pub fn new(length: f64) -> Option<Skins> {
        (length > 0.0).then_some(Skins(0.5 * length))
    }

    /// That of body `i`: static ones have none.
    #[inline(always)]
    pub fn of(&self, bodies: &Bodies<'_>, i: usize) -> f64 {
        if bodies.motions.is_some_and(|motions| motions.get(i) == 2) { 0.0 } else { self.0 }
    }
}

/// Bodies that are looked at for how fast they are, at most.
const SAMPLES: usize = 4096;

/// A skin is worth its list where that is likely to last for so many steps.
const LIFE: f64 = 8.0;

/// A skin for a list that lasts: a tenth of the smallest radius; 0 where bodies have moved by much of that since the step before. Nothing where there
/// was none. Some bodies speak for many.
pub(super) fn lasting(all_bounds: &AllBounds<'_>, last: KeptRef<'_>, ranks: Ranks<'_>) -> Option<f64> {
    let (n, periods, poses) = (all_bounds.centres.len(), all_bounds.periods, last.poses());
    if poses.len() != n {
        return None;
    }
    let (mut way, mut smallest) = (0.0, f64::INFINITY);
    for rank in (0..n).step_by(n.div_ceil(SAMPLES).max(1)) {
        let (at, radius) = (all_bounds.bodies.positions.get(rank), all_bounds.radii[rank]);
        let was = poses.get(ranks.place(rank as u32) as usize).map_or(at, |pose| pose.position);
        for k in 0..3 {
            let d = at[k] - was[k];
            let d = if periods[k] > 0.0 { d - wraps(d, periods[k]) as f64 * periods[k] } else { d };
            way = max(way, Real::abs(d));
        }
        smallest = if radius > 0.0 { min(smallest, radius) } else { smallest };
    }
    let skin = 0.1 * smallest;
    // Each body may go half of it.
    Some(if 2.0 * LIFE * way <= skin && skin < f64::INFINITY { skin } else { 0.0 })
}

/// Whether a sphere lies in a wide one, from the middle of which its own is `d` away but for periods.
#[inline(always)]
pub(super) fn in_sphere(listed: &[f64; 3], wide: f64, centre: &[f64; 3], radius: f64, d: [f64; 3]) -> bool {
    let way = Real::sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
    let numbers = (radius + wide) + 4.0 * (size(centre) + size(listed)) + TINY;
    way + radius + SLACK * numbers <= wide
}

/// A radius that is wider by a skin and by what rounding may do.
pub(super) fn widened(centre: &[f64; 3], radius: f64, skin: f64) -> f64 {
    let wide = radius + skin;
    wide + 4.0 * SLACK * (wide + 4.0 * size(centre) + TINY)
}

pub(super) fn size(x: &[f64; 3]) -> f64 {
    (Real::abs(x[0]) + Real::abs(x[1])) + Real::abs(x[2])
}
