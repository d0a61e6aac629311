//! Positions of balls, by slots, or by rows of their own if some bodies are compounds.

use core::ops::Range;

use super::pair_kernel::Rate;
use crate::body::Body;
use crate::vector::dot;

/// The reach of a body: for a ball its radius with halo, for a half-space infinity.
#[inline(always)]
pub(super) fn reach(rate: &Rate) -> f64 {
    if rate.radius < 0.0 { f64::INFINITY } else { rate.radius + rate.halo }
}

/// Position and reach of a body.
#[inline(always)]
pub(super) fn place(body: &Body, rate: &Rate) -> [f64; 4] {
    let [x, y, z] = body.position;
    [x, y, z, reach(rate)]
}

/// Centre and reach of all balls; the reach is infinite for a half-space, and 0 for bodies that are not used.
#[derive(Clone, Copy)]
pub(super) struct Placed<'p> {
    /// One for each ball, if some bodies are compounds.
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

/// Marks a row as a part of a compound.
pub(super) const PART: u32 = 1 << 31;

/// Balls of all bodies in the order of slots; empty if no body is a compound.
#[derive(Clone, Copy, Default)]
pub(super) struct Points<'p> {
    /// The slot of each ball; with [`PART`] for a part of a compound.
    pub owners: &'p [u32],
    /// The first ball of each slot, and the number of all balls.
    pub firsts: &'p [u32],
    /// Radius and halo of each ball.
    pub radii: &'p [[f64; 2]],
    /// Vector from the centre of the body to each ball, in the body's frame.
    pub arms: &'p [[f64; 3]],
}

impl Points<'_> {
    /// Whether each body is one ball.
    #[inline(always)]
    pub fn is_none(&self) -> bool {
        self.owners.is_empty()
    }

    /// The slot of a ball.
    #[inline(always)]
    pub fn owner(&self, i: usize) -> usize {
        self.owners.get(i).map_or(i, |owner| (owner & !PART) as usize)
    }

    /// Whether it is a part of a compound.
    #[inline(always)]
    pub fn is_part(&self, i: usize) -> bool {
        self.owners.get(i).is_some_and(|owner| owner & PART != 0)
    }

    /// The index of a ball in its body, with [`PART`] for a part of a compound.
    pub fn part(&self, i: usize) -> u32 {
        let first = self.firsts.get(self.owner(i)).copied().unwrap_or_default();
        if self.is_part(i) { (i as u32).wrapping_sub(first) & !PART | PART } else { 0 }
    }

    /// The balls of a slot.
    pub fn of(&self, slot: usize) -> Range<usize> {
        let first = |i: usize| self.firsts.get(i).copied().unwrap_or_default() as usize;
        first(slot)..first(slot + 1)
    }
}

/// For a half-space: its normal, and the height of its plane along the normal, with the halo. For a ball: its position and reach.
pub(super) fn plane_of(place: &[f64; 4], rate: &Rate) -> [f64; 4] {
    let [x, y, z, reach] = *place;
    if reach < f64::INFINITY {
        return *place;
    }
    let [u, v, w, _] = rate.turn;
    [u, v, w, dot([x, y, z], [u, v, w]) + rate.halo]
}
