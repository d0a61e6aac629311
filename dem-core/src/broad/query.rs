//! `Query`, the input of a broad phase: bodies, space and margin, and their checks.

use super::{Motion, Proxies, Space};
use crate::error::{Error, Kind, Result, What};

/// Centres, radii, periods and margins are at most 2^400 in size, so that no square overflows.
pub const FARTHEST: f64 = f64::from_bits((1023 + 400) << 52);

/// The largest distance of centres from the origin along a periodic axis, in periods.
pub const IMAGES: f64 = 4096.0;

/// The largest sum of the largest body's diameter and the margin along a periodic axis, in periods.
pub const WIDEST: f64 = 64.0;

/// The input of a broad phase.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The bodies.
    pub bodies: Proxies<'a>,
    /// The space: dimensions and periods.
    pub space: Space,
    /// Pairs whose spheres are at most this far apart are candidates, too; at least 0.
    pub margin: f64,
}

impl Query<'_> {
    /// Checks all bodies, the space and the margin.
    ///
    /// Errors: [`Kind::TooLarge`] for more bodies than 32-bit ids; [`Kind::Mismatch`] for arrays of different lengths;
    /// [`Kind::NotFinite`] and [`Kind::OutOfRange`] with array, index and component: a negative radius, period or margin;
    /// numbers beyond [`FARTHEST`]; centres more than [`IMAGES`] periods from the origin; bodies wider than [`WIDEST`]
    /// periods; an unknown [`Motion`]. Cost: one pass.
    pub fn check(&self) -> Result<()> {
        self.check_frame()?;
        (0..self.bodies.len()).try_for_each(|i| self.check_body(i))
    }

    /// The checks that need no pass over the bodies.
    pub(crate) fn check_frame(&self) -> Result<()> {
        let Proxies { centres, radii, motions, groups, masks } = self.bodies;
        let n = centres.len();
        if n >= u32::MAX as usize {
            return Err(Error::new(Kind::TooLarge, What::Centres).amounts(u64::from(u32::MAX) - 1, n as u64));
        }
        let words = [(motions, What::Motions), (groups, What::Groups), (masks, What::Masks)];
        let lengths = words.map(|(words, what)| (words.map_or(n, |w| w.len()), what));
        for (length, what) in [(radii.len(), What::Radii)].into_iter().chain(lengths) {
            if length != n {
                return Err(Error::new(Kind::Mismatch, what).amounts(n as u64, length as u64));
            }
        }
        length(self.margin, What::Margin, 0, 0)?;
        self.space.check()?;
        let most = |axis| self.space.period(axis).map_or(self.margin, |p| WIDEST * p);
        if (0..3).any(|axis| self.margin > most(axis)) {
            return Err(Error::new(Kind::OutOfRange, What::Margin));
        }
        Ok(())
    }

    /// Checks one body.
    pub(crate) fn check_body(&self, i: usize) -> Result<()> {
        let (sphere, at) = (self.sphere(i), i as u64);
        for (axis, x) in sphere.centre.into_iter().enumerate().take(self.space.axes()) {
            if !x.is_finite() {
                return Err(Error::new(Kind::NotFinite, What::Centres).at(at, axis as u32));
            }
            let farthest = self.space.period(axis).map_or(FARTHEST, |p| crate::real::min(IMAGES * p, FARTHEST));
            if !(-farthest..=farthest).contains(&x) {
                return Err(Error::new(Kind::OutOfRange, What::Centres).at(at, axis as u32));
            }
        }
        length(sphere.radius, What::Radii, at, 0)?;
        let width = 2.0 * sphere.radius + self.margin;
        if (0..3).any(|axis| self.space.period(axis).is_some_and(|p| width > WIDEST * p)) {
            return Err(Error::new(Kind::OutOfRange, What::Radii).at(at, 0));
        }
        if self.bodies.motions.is_some_and(|m| m.get(i) > Motion::LAST) {
            return Err(Error::new(Kind::OutOfRange, What::Motions).at(at, 0));
        }
        Ok(())
    }
}

impl Space {
    /// Checks the periods. Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] with the axis whose period is wrong.
    pub(crate) fn check(&self) -> Result<()> {
        (0..self.axes()).try_for_each(|axis| {
            let period = self.periods[axis];
            length(period, What::Periods, 0, axis as u32)?;
            // The square of the inverse of a period must not overflow.
            if period > 0.0 && period < 1.0 / FARTHEST {
                return Err(Error::new(Kind::OutOfRange, What::Periods).at(0, axis as u32));
            }
            Ok(())
        })
    }
}

/// Checks a number between 0 and [`FARTHEST`].
fn length(x: f64, what: What, index: u64, component: u32) -> Result<()> {
    if !x.is_finite() {
        return Err(Error::new(Kind::NotFinite, what).at(index, component));
    }
    if !(0.0..=FARTHEST).contains(&x) {
        return Err(Error::new(Kind::OutOfRange, what).at(index, component));
    }
    Ok(())
}
