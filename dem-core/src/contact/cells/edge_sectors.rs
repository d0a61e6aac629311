//! The sectors of a convex edge: the wedge between the normals of both faces, halved until sectors are narrow.

use glam::DVec3;

use super::cell::{Cell, SECTOR};
use crate::contact::unit;
use crate::real::max;

/// The sine of half a sector's angle is at most this: 11.5 degrees.
const HALF: f64 = 0.2;
/// Sectors of the widest wedge, 180 degrees.
const MOST: usize = 8;

/// An edge between two faces, directed so that the first face is on its left.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Edge {
    pub start: DVec3,
    pub along: DVec3,
    pub length: f64,
    pub normals: [DVec3; 2],
}

impl Edge {
    /// `None` for an edge without length.
    pub fn new(start: DVec3, end: DVec3, normals: [DVec3; 2]) -> Option<Edge> {
        let (along, length) = unit(end - start)?;
        Some(Edge { start, along, length, normals })
    }

    /// Whether the faces leave room for a wedge. Two coincident faces with opposite normals do.
    pub fn is_convex(&self) -> bool {
        let [m0, m1] = self.normals;
        let sine = self.along.dot(m0.cross(m1));
        sine > 0.0 || (sine == 0.0 && m0.dot(m1) < 0.0)
    }

    /// The edge with both faces exchanged; for a concave edge, the wedge between its normals.
    pub fn turned(&self) -> Edge {
        Edge { normals: [self.normals[1], self.normals[0]], ..*self }
    }

    /// Calls `put` with the directions at both sides of each sector, from the first normal to the second; from the second to the first if
    /// `turned`.
    pub fn arcs(&self, turned: bool, mut put: impl FnMut(DVec3, DVec3)) {
        let (directions, number) = self.directions();
        let at = |k: usize| directions.get(if turned { number - k } else { k }).copied().unwrap_or(DVec3::ZERO);
        (0..number).for_each(|k| put(at(k), at(k + 1)));
    }

    /// Calls `put` for each sector, with its sides: first `low` and `high`, which contain the edge, then the two ends.
    pub fn sectors(&self, mut put: impl FnMut(Cell, &[[f64; 4]])) {
        let (directions, number) = self.directions();
        for pair in directions.get(..=number).unwrap_or_default().windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let Some((normal, _)) = unit(from + to) else { continue };
            let (Some((low, _)), Some((high, _))) = (unit(self.along.cross(from)), unit(to.cross(self.along))) else {
                continue;
            };
            let cosine = if normal.dot(from) < normal.dot(to) { normal.dot(from) } else { normal.dot(to) };
            let cell = Cell {
                anchor: self.start.to_array(),
                normal: normal.to_array(),
                slope: 1.0 / cosine,
                dead: max(low.dot(normal).abs(), high.dot(normal).abs()),
                sign: 1.0,
                first_side: 0,
                sides: 4,
                patch: 0,
                kind: SECTOR,
                first_owner: 0,
                owners: 0,
            };
            let side = |nu: DVec3, offset: f64| [nu.x, nu.y, nu.z, offset];
            put(cell, &[side(low, 0.0), side(high, 0.0), side(self.along, 0.0), side(-self.along, self.length)]);
        }
    }

    /// Directions from one normal to the other, and the number of sectors into which they cut the wedge.
    fn directions(&self) -> ([DVec3; MOST + 1], usize) {
        let mut all = [DVec3::ZERO; MOST + 1];
        (all[0], all[1]) = (self.normals[0], self.normals[1]);
        let mut number = 1;
        while number < MOST && (all[1] - all[0]).length_squared() > 4.0 * HALF * HALF {
            for k in (1..=number).rev() {
                all[2 * k] = all[k];
            }
            for k in 0..number {
                all[2 * k + 1] = self.between(all[2 * k], all[2 * k + 2]);
            }
            number *= 2;
        }
        (all, number)
    }

    /// The direction halfway between two directions of the wedge, up to 180 degrees apart.
    fn between(&self, from: DVec3, to: DVec3) -> DVec3 {
        // The sum of the directions vanishes at 180 degrees; the sum of the tangents into the wedge vanishes at 0.
        let sum = if from.dot(to) > 0.0 { from + to } else { self.along.cross(from) + to.cross(self.along) };
        unit(sum).map_or(from, |(middle, _)| middle)
    }
}
