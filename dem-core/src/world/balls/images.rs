//! Periodic images of balls; the nearest image counts.

use crate::real::{Real, max};
use crate::simd::{Lane, Mask};

/// Adding and subtracting this rounds to an integer.
const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// The periods of a world.
#[derive(Clone, Copy)]
pub(super) struct Images {
    pub periods: [f64; 3],
    /// A little less than half of the shortest one.
    near: f64,
}

impl Images {
    pub fn new(periods: [f64; 3], shortest: f64) -> Self {
        Images { periods, near: 0.499 * shortest }
    }

    /// The difference of two positions, for the nearest image.
    #[inline(always)]
    pub fn apart(&self, p: &[f64; 4], q: &[f64; 4]) -> [f64; 3] {
        let d = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let far = max(max(Real::abs(d[0]), Real::abs(d[1])), Real::abs(d[2]));
        // Most pairs are near without a shift.
        if far < self.near { d } else { self.image(d) }
    }

    #[cold]
    fn image(&self, d: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| d[k] - nearest(d[k], self.periods[k]) * self.periods[k])
    }

    /// The same in lanes.
    #[inline(always)]
    pub fn apart_lanes<L: Lane<Scalar = f64>>(&self, simd: L::Simd, p: [L; 4], q: [L; 4]) -> [L; 3] {
        let mut d = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let far = d[0].abs().max(d[1].abs()).max(d[2].abs());
        if far.lt(L::splat(simd, self.near)).all() {
            return d;
        }
        // Differences of near balls stay unchanged, to the bit.
        let whole = L::splat(simd, WHOLE);
        let mut k = 0;
        while k < 3 {
            if self.periods[k] > 0.0 {
                let period = L::splat(simd, self.periods[k]);
                d[k] = d[k] - ((d[k] / period + whole) - whole) * period;
            }
            k += 1;
        }
        d
    }
}

/// The number of periods to the nearest image of two bodies that are `d` apart.
#[inline(always)]
pub(super) fn nearest(d: f64, period: f64) -> f64 {
    if period > 0.0 { (d / period + WHOLE) - WHOLE } else { 0.0 }
}
