//! Where balls are, as they are read by slots, or by rows of their own where some bodies are compounds.

use super::points::Points;
use super::round::{Rate, four};
use crate::body::Body;
use zerocopy::transmute_ref;

/// Where a body is, with the number behind.
#[inline(always)]
pub(super) fn position(body: &Body) -> &[f64; 4] {
    let numbers: &[f64; size_of::<Body>() / 8] = transmute_ref!(body);
    four::<0, _>(numbers)
}

/// How far a body reaches: a ball its radius with halo, a half-space infinitely far.
#[inline(always)]
pub(super) fn reach(rate: &Rate) -> f64 {
    if rate.radius < 0.0 { f64::INFINITY } else { rate.radius + rate.halo }
}

/// Where a body is, and how far it reaches.
#[inline(always)]
pub(super) fn place(body: &Body, rate: &Rate) -> [f64; 4] {
    let [x, y, z] = body.position;
    [x, y, z, reach(rate)]
}

/// Centre and reach of all balls; of a half-space infinite, and 0 of others that are not looked at.
#[derive(Clone, Copy)]
pub(super) struct Placed<'p> {
    /// Those of each, where some bodies are compounds.
    pub places: &'p [[f64; 4]],
    pub points: Points<'p>,
    pub bodies: &'p [Body],
    pub rates: &'p [Rate],
}

impl Placed<'_> {
    pub fn len(&self) -> usize {
        if self.points.is_none() { self.bodies.len() } else { self.places.len() }
    }

    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<[f64; 4]> {
        match self.points.is_none() {
            true => Some(place(self.bodies.get(i)?, self.rates.get(i)?)),
            false => self.places.get(i).copied(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = [f64; 4]> {
        (0..self.len()).map_while(|i| self.get(i))
    }
}
