//! The cones of a vertex for the law of volumes: triangles from one direction in the middle to the ring of normals around the vertex.
//!
//! The ring goes from the normal of each triangle to that of the next one, over the directions at which the sectors of the edge between
//! them end. Each of its arcs and the middle make a cone, in which the gap is the linear function that is 1 at all three directions: so
//! gaps agree where cones and sectors meet. The cone's sign is that of the determinant of the directions: where all edges are convex it
//! is 1; where some are concave, cones of either sign overlap, and their sum with that of prisms and sectors has no jump anywhere.

use glam::DVec3;

use super::{CONE, Cell};
use crate::contact::unit;
use crate::real::max;

/// Cosine of the largest angle that a cone spans from the middle: 46 degrees.
const WIDE: f64 = 0.695;
/// Parts between the middle and a direction of the ring, at most.
const MOST: usize = 4;
/// A cone that is thinner than this angle has no inside but for rounding.
const THIN: f64 = 1e-9;
/// A ring has no middle where these sums cancel.
const NONE: f64 = 1e-9;
/// Directions that are farther than this from the middle (its cosine) are opposite to it.
const BACK: f64 = -0.98;

/// What the middle of a ring follows from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ring {
    /// Sum of directions, each with the length of its arcs, so that it does not matter how flat parts are cut.
    sum: DVec3,
    length: f64,
    /// Area vector of the ring.
    area: DVec3,
}

impl Ring {
    pub fn add(&mut self, from: DVec3, to: DVec3) {
        let length = unit(to - from).map_or(0.0, |(_, length)| length);
        self.sum += (from + to) * length;
        self.length += length;
        self.area += from.cross(to);
    }

    /// The direction in the middle.
    pub fn centre(&self) -> Option<DVec3> {
        let clear = |(way, length): (DVec3, f64)| (length > NONE * self.length).then_some(way);
        unit(self.sum).and_then(clear).or_else(|| unit(self.area).and_then(clear))
    }
}

/// Tells `put` of the cones between the middle and one arc of the ring, with their sides.
pub(super) fn cones(vertex: DVec3, centre: DVec3, arc: [DVec3; 2], mut put: impl FnMut(Cell, &[[f64; 4]])) {
    let [(p, of_p), (q, of_q)] = arc.map(|end| ladder(centre, end));
    let (mut i, mut j) = (1, 1);
    cone(vertex, [centre, p[1], q[1]], &mut put);
    // From the middle to the ring, along both sides: the one that is behind goes on.
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

/// Directions from the middle to one of the ring, in equal steps that are not too wide, and how many steps there are. Both cones at such a
/// side have the same ones.
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
    // A linear function with the value 1 at all three.
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
