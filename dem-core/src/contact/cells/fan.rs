//! The cones of a convex vertex: the directions that make no acute angle with any of its edges, cut into narrow cones.

use glam::DVec3;

use super::cell::{CONE, Cell, SIDES};
use super::half_planes::cut_square;
use crate::contact::{any_across, outranks, unit};
use crate::mesh::{NONE, Record};
use crate::real::{max, min};

/// Cosine of the largest angle between a cone's normal and a direction in it: 23 degrees.
const NARROW: f64 = 0.92;
/// A polar cone that is thinner than this angle anywhere has no interior beyond rounding.
const THIN: f64 = 1e-9;
/// Half-spaces are replaced by pyramids of this slope.
const FLAT: f64 = 16384.0;
/// Stack size for triangles that are still to be halved; each halving adds one.
const WAITING: usize = 24;

/// Corners of a cone, in order, and as many again as clipping output.
pub(in crate::contact) struct Corners<'s> {
    from: &'s mut [[f64; 3]],
    to: &'s mut [[f64; 3]],
    /// The edge (by index) at right angles to this corner and the one before; [`NONE`] where unknown.
    edge: &'s mut [u32],
    count: usize,
}

impl<'s> Corners<'s> {
    /// Each slice has four more items than a vertex has edges.
    pub fn new(from: &'s mut [[f64; 3]], to: &'s mut [[f64; 3]], edge: &'s mut [u32]) -> Self {
        Corners { from, to, edge, count: 0 }
    }

    /// Lends the memory for another use.
    pub fn memory(&mut self) -> (&mut [[f64; 3]], &mut [[f64; 3]], &mut [u32]) {
        (self.from, self.to, self.edge)
    }

    /// Returns the first and the last slice.
    pub fn into_memory(self) -> (&'s mut [[f64; 3]], &'s mut [u32]) {
        (self.from, self.edge)
    }

    /// Computes the polar cone of these unit directions; empty where it has no interior. Cost: quadratic.
    pub fn polar(&mut self, edges: impl Iterator<Item = DVec3> + Clone) {
        self.count = 0;
        // Every direction in the polar cone makes no obtuse angle with this one.
        let Some((middle, _)) = unit(-edges.clone().fold(DVec3::ZERO, |sum, d| sum + d)) else { return };
        let (a, b) = across(middle);
        for (to, way) in self.from.iter_mut().zip([a + b, b - a, -a - b, a - b]) {
            *to = (middle + way * FLAT).to_array();
        }
        self.count = if self.from.len() < 4 { 0 } else { 4 };
        edges.for_each(|d| self.clip(d));
        self.edge.iter_mut().take(self.count).for_each(|edge| *edge = NONE);
        self.tidy();
    }

    /// The same up to rounding, and it also writes the edge of each corner. There is a record for each direction. Cost: a sort.
    pub fn polar_of_many(&mut self, edge: impl Fn(usize) -> DVec3, records: &mut [Record]) {
        self.count = 0;
        let number = records.len();
        let Some((middle, _)) = unit(-(0..number).fold(DVec3::ZERO, |sum, i| sum + edge(i))) else { return };
        let (a, b) = across(middle);
        let Some(section) = self.to.get_mut(..number + 4) else { return };
        let plane = |i: usize| [a, b, middle].map(|axis| axis.dot(edge(i)));
        self.count = cut_square(FLAT, plane, records, section);
        for ((from, edge), [x, y, side]) in self.from.iter_mut().zip(self.edge.iter_mut()).zip(section).take(self.count)
        {
            *from = (middle + a * *x + b * *y).to_array();
            *edge = if *side < 0.0 { NONE } else { *side as u32 };
        }
        self.tidy();
    }

    /// Clips to the directions that make no acute angle with `d`.
    fn clip(&mut self, d: DVec3) {
        let mut number = 0;
        let mut push = |to: &mut [[f64; 3]], corner: DVec3| {
            if let Some(to) = to.get_mut(number) {
                *to = corner.to_array();
                number += 1;
            }
        };
        let corners = self.from.get(..self.count).unwrap_or_default();
        for (i, corner) in corners.iter().enumerate() {
            let next = corners.get(i + 1).or(corners.first()).unwrap_or(corner);
            let (p, q) = (DVec3::from_array(*corner), DVec3::from_array(*next));
            let (hp, hq) = (p.dot(d), q.dot(d));
            if hp <= 0.0 {
                push(self.to, p);
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                // A positive combination of both, whichever of them is inside.
                if let Some((corner, _)) = unit(p * hq.abs() + q * hp.abs()) {
                    push(self.to, corner);
                }
            }
        }
        core::mem::swap(&mut self.from, &mut self.to);
        self.count = number;
    }

    /// Normalises the corners and removes duplicates; leaves none where the cone has no interior.
    fn tidy(&mut self) {
        let mut number: usize = 0;
        for i in 0..self.count {
            let Some((corner, _)) = self.from.get(i).and_then(|c| unit(DVec3::from_array(*c))) else { continue };
            let before = number.checked_sub(1).and_then(|k| self.from.get(k)).or(self.from.get(self.count - 1));
            let before = before.and_then(|c| unit(DVec3::from_array(*c))).map_or(DVec3::ZERO, |(c, _)| c);
            if (corner - before).length_squared() > THIN * THIN
                && let Some(to) = self.from.get_mut(number)
            {
                *to = corner.to_array();
                self.edge.swap(number, i);
                number += 1;
            }
        }
        self.count = number;
        let Some((centre, _)) = self.centre() else {
            self.count = 0;
            return;
        };
        let thin = self.pairs().any(|(p, q)| unit(p.cross(q)).is_some_and(|(nu, _)| nu.dot(centre).abs() < THIN));
        if number < 3 || thin {
            self.count = 0;
        }
    }

    /// The corners.
    pub fn list(&self) -> impl Iterator<Item = DVec3> + Clone {
        self.from.get(..self.count).unwrap_or_default().iter().map(|c| DVec3::from_array(*c))
    }

    #[cfg(test)]
    pub fn with_edges(&self) -> impl Iterator<Item = (DVec3, u32)> {
        self.list().zip(self.edge.iter().copied())
    }

    fn pairs(&self) -> impl Iterator<Item = (DVec3, DVec3)> + Clone {
        self.list().zip(self.list().skip(1).chain(self.list().take(1)))
    }

    /// A direction inside the cone.
    pub fn centre(&self) -> Option<(DVec3, f64)> {
        unit(self.list().fold(DVec3::ZERO, |sum, r| sum + r))
    }

    /// Calls `put` for narrow cones that fill it, with their sides and the edge at right angles to the cone's outer side, or [`NONE`].
    pub fn cones(&self, vertex: DVec3, mut put: impl FnMut(Cell, &[[f64; 4]], u32)) {
        let Some((centre, _)) = self.centre() else { return };
        if self.count <= SIDES && self.list().all(|r| r.dot(centre) >= NARROW) {
            let mut corners = [DVec3::ZERO; SIDES];
            corners.iter_mut().zip(self.list()).for_each(|(to, r)| *to = r);
            let mut put = |cell: Cell, sides: &[[f64; 4]]| put(cell, sides, NONE);
            return cone(vertex, corners.get(..self.count).unwrap_or_default(), &mut put);
        }
        let edges = self.edge.get(..self.count).unwrap_or_default();
        for ((p, q), edge) in self.pairs().zip(edges.iter().skip(1).chain(edges.first())) {
            let mut put = |cell: Cell, sides: &[[f64; 4]]| put(cell, sides, *edge);
            halve([centre, p, q], |corners| cone(vertex, corners, &mut put));
        }
    }
}

/// Halves a triangle of directions across its longest side until all parts are narrow, and calls `put` for each part.
fn halve(triangle: [DVec3; 3], mut put: impl FnMut(&[DVec3])) {
    let mut waiting = [triangle; WAITING];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let t = waiting[count];
        let Some((normal, _)) = unit(t[0] + t[1] + t[2]) else { continue };
        if count + 2 > WAITING || t.iter().all(|r| r.dot(normal) >= NARROW) {
            put(&t);
            continue;
        }
        // Among sides of equal length, the choice does not depend on the order of the triangles around the vertex.
        let length = |k: usize| (t[(k + 1) % 3] - t[k]).length_squared();
        let sum = length(0) + length(1) + length(2);
        let rank = |k: usize| {
            let [x, y, z] = (t[k] + t[(k + 1) % 3]).to_array();
            [length(k) / sum, x, y, z]
        };
        let longest = [1, 2].into_iter().fold(0, |best, k| if outranks(&rank(k), &rank(best)) { k } else { best });
        let (p, q, r) = (t[longest], t[(longest + 1) % 3], t[(longest + 2) % 3]);
        let Some((middle, _)) = unit(p + q) else { continue };
        waiting[count] = [middle, q, r];
        waiting[count + 1] = [p, middle, r];
        count += 2;
    }
}

/// One cone between these directions, which are ordered around it.
fn cone(vertex: DVec3, corners: &[DVec3], put: &mut impl FnMut(Cell, &[[f64; 4]])) {
    let Some((normal, _)) = unit(corners.iter().fold(DVec3::ZERO, |sum, r| sum + *r)) else { return };
    let mut sides = [[0.0; 4]; SIDES];
    let (mut number, mut dead, mut cosine) = (0, 0.0, 1.0);
    for (i, r) in corners.iter().enumerate() {
        let next = corners.get(i + 1).or(corners.first()).unwrap_or(r);
        cosine = min(cosine, normal.dot(*r));
        let Some((nu, _)) = unit(r.cross(*next)) else { continue };
        let inwards = if nu.dot(normal) < 0.0 { -nu } else { nu };
        dead = max(dead, inwards.dot(normal));
        if let Some(to) = sides.get_mut(number) {
            *to = [inwards.x, inwards.y, inwards.z, 0.0];
            number += 1;
        }
    }
    if number < 3 || cosine <= 0.0 {
        return;
    }
    let cell = Cell {
        anchor: vertex.to_array(),
        normal: normal.to_array(),
        slope: 1.0 / cosine,
        dead,
        sign: 1.0,
        first_side: 0,
        sides: number as u32,
        patch: 0,
        kind: CONE,
        first_owner: 0,
        owners: 0,
    };
    put(cell, sides.get(..number).unwrap_or_default());
}

/// Two directions at right angles to a third, and to each other.
fn across(v: DVec3) -> (DVec3, DVec3) {
    let a = any_across(v);
    (a, v.cross(a))
}

#[cfg(test)]
#[path = "fan_tests.rs"]
mod tests;
