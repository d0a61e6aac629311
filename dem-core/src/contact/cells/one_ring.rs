//! The cones of a vertex for the law of volumes: triangles from a middle direction to the ring of normals around the vertex.
//!
//! The ring goes from the normal of each triangle to that of the next one, through the directions at which the sectors of the edge between them
//! end. Each of its arcs and the middle direction form a cone, in which the gap is the linear function that is 1 at all three directions. So gaps
//! agree where cones and sectors meet. The cone's sign is that of the determinant of the directions. If all edges are convex, the sign is 1. If
//! some are concave, cones of either sign overlap, and their sum with prisms and sectors has no jump anywhere. A short ring without wide or
//! nearly flat cones needs no middle direction: one of its own directions replaces it (`fan`).

use glam::DVec3;
use heapless::Vec;

use super::cell::{CONE, Cell};
use crate::contact::{outranks, unit};
use crate::real::{max, min};

/// Cosine of the largest angle that a cone spans from the middle: 46 degrees.
const WIDE: f64 = 0.695;
/// The largest number of parts between the middle and a direction of the ring.
const MOST: usize = 4;
/// A cone that is thinner than this angle has no interior beyond rounding.
const THIN: f64 = 1e-9;
/// A ring has no middle direction where the sums below are smaller than this part of its length: they cancel.
const NONE: f64 = 1e-9;
/// Directions whose cosine with the middle is below this count as opposite to it.
const BACK: f64 = -0.98;

/// The sums from which the middle direction of a ring is computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    /// Sum of directions, each weighted by the length of its arcs, so that the subdivision of flat parts has no effect.
    sum: DVec3,
    length: f64,
    /// Area vector of the ring.
    area: DVec3,
    /// Start directions of arcs, while there are few.
    directions: Vec<DVec3, SHORT>,
    /// End direction of the last arc.
    end: Option<DVec3>,
    /// Whether there are more arcs, or an arc does not start where the one before ended.
    long: bool,
}

impl Ring {
    pub fn add(&mut self, from: DVec3, to: DVec3) {
        let length = unit(to - from).map_or(0.0, |(_, length)| length);
        self.sum += (from + to) * length;
        self.length += length;
        self.area += from.cross(to);
        self.long |= self.end.is_some_and(|end| !is_same(end, from)) || self.directions.push(from).is_err();
        self.end = Some(to);
    }

    /// Its directions, if it is a short closed ring.
    pub fn short(&self) -> Option<&[DVec3]> {
        let closed = self.directions.first().zip(self.end).is_some_and(|(first, end)| is_same(*first, end));
        (closed && !self.long).then_some(&self.directions)
    }

    /// The direction in the middle.
    pub fn centre(&self) -> Option<DVec3> {
        let clear = |(way, length): (DVec3, f64)| (length > NONE * self.length).then_some(way);
        unit(self.sum).and_then(clear).or_else(|| unit(self.area).and_then(clear))
    }
}

/// Equality up to rounding.
fn is_same(p: DVec3, q: DVec3) -> bool {
    (p - q).length_squared() < 1e-24
}

/// The largest number of directions of a ring that needs no middle direction.
pub(super) const SHORT: usize = 16;
/// Least height of a cone of a fan over its longest side; flatter cones count as nearly flat.
const CLEAR: f64 = 1.0 / 16.0;

/// Calls `put` for the cones from one direction of a ring to all others, two fewer than directions. Where they are too wide or nearly flat, it
/// calls nothing and returns `false`. The choice of the apex direction depends on directions only: among the suitable ones, the one farthest
/// along x, then y and z.
pub(super) fn fan(vertex: DVec3, ring: &[DVec3], mut put: impl FnMut(Cell, &[[f64; 4]])) -> bool {
    let at = |k: usize| ring.get(k % ring.len().max(1)).copied().unwrap_or(DVec3::ZERO);
    let mut tried = 0u32;
    for _ in 0..min(ring.len(), SHORT) {
        let left = (0..min(ring.len(), SHORT)).filter(|k| tried >> k & 1 == 0);
        let farthest =
            |best: usize, next: usize| if outranks(&at(next).to_array(), &at(best).to_array()) { next } else { best };
        let Some(first) = left.reduce(farthest) else { return false };
        tried |= 1 << first;
        let apex = at(first);
        let pairs = || (1..ring.len().saturating_sub(1)).map(|k| [at(first + k), at(first + k + 1)]);
        let will_do = |[p, q]: [DVec3; 2]| {
            let longest = max((p - apex).length_squared(), max((q - p).length_squared(), (apex - q).length_squared()));
            apex.dot(p) > WIDE && apex.dot(q) > WIDE && apex.dot(p.cross(q)).abs() > CLEAR * longest
        };
        if pairs().all(will_do) {
            pairs().for_each(|[p, q]| cone(vertex, [apex, p, q], &mut put));
            return true;
        }
    }
    false
}

/// Calls `put` for the cones between the middle and one arc of the ring, with their sides.
pub(super) fn cones(vertex: DVec3, centre: DVec3, arc: [DVec3; 2], mut put: impl FnMut(Cell, &[[f64; 4]])) {
    let [(p, of_p), (q, of_q)] = arc.map(|end| ladder(centre, end));
    let (mut i, mut j) = (1, 1);
    cone(vertex, [centre, p[1], q[1]], &mut put);
    // Advances from the middle to the ring along both sides; the side that lags behind advances.
    while i < of_p || j < of_q {
        let (from, to) = (p[i], q[j]);
        if j == of_q || (i < of_p && i * of_q <= j * of_p) {
            i += 1;
            cone(vertex, [from, p[i], to], &mut put);
        } else {
            j += 1;
            cone(vertex, [from, q[j], to], &mut put);
        }
    }
}

/// Directions from the middle to a direction of the ring, in equal steps that are not too wide, and the number of steps. Both cones beside such a
/// side have the same directions.
fn ladder(centre: DVec3, end: DVec3) -> ([DVec3; MOST + 1], usize) {
    let mut all = [end; MOST + 1];
    all[0] = centre;
    let mut number = 1;
    if centre.dot(end) < BACK {
        return (all, number);
    }
    while number < MOST && all[0].dot(all[1]) < WIDE {
        for k in (0..=number).rev() {
            all[2 * k] = all[k];
        }
        for k in 0..number {
            let (from, to) = (all[2 * k], all[2 * k + 2]);
            all[2 * k + 1] = unit(from + to).map_or(from, |(middle, _)| middle);
        }
        number *= 2;
    }
    (all, number)
}

/// One cone between these directions.
fn cone(vertex: DVec3, corners: [DVec3; 3], put: &mut impl FnMut(Cell, &[[f64; 4]])) {
    let [p, q, r] = corners;
    let volume = p.dot(q.cross(r));
    // The linear function with the value 1 at all three directions.
    let (Some((across, length)), true) = (unit(p.cross(q) + q.cross(r) + r.cross(p)), volume.is_finite()) else {
        return;
    };
    if volume == 0.0 {
        return;
    }
    let sign = if volume < 0.0 { -1.0 } else { 1.0 };
    let (normal, slope) = (across * sign, length / volume.abs());
    let (mut sides, mut dead) = ([[0.0; 4]; 3], 0.0);
    for (k, side) in sides.iter_mut().enumerate() {
        let Some((nu, _)) = unit(corners[k].cross(corners[(k + 1) % 3])) else { return };
        let inwards = nu * sign;
        if inwards.dot(corners[(k + 2) % 3]) < THIN {
            return;
        }
        dead = max(dead, inwards.dot(normal).abs());
        *side = [inwards.x, inwards.y, inwards.z, 0.0];
    }
    let cell = Cell {
        anchor: vertex.to_array(),
        normal: normal.to_array(),
        slope,
        dead,
        sign,
        first_side: 0,
        sides: 3,
        patch: 0,
        kind: CONE,
        first_owner: 0,
        owners: 0,
    };
    put(cell, &sides);
}
