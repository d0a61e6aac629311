//! The depth of an enclosed part where two surfaces fit into each other: a ball in its socket, a key in its slot. The part is a shell, and its
//! widths are those of a body, however thin it is (`docs/contacts.md`, section 10).
//!
//! So the depth is measured from face to face: the mean thickness of the shell, or the largest distance of a corner inside from the faces that are
//! opposed to it, if that is larger.

use glam::DVec3;

use super::intersection_curve::{Facing, Surround};
use super::perturbed_mesh::Body;
use crate::real::{max, min};
use crate::surrogate::Visit;
use crate::triangle::distance_point_triangle;

/// If the areas of both surfaces inside differ by more than this factor, they do not fit, and the part is no shell: most of the surface of a plate
/// in a block is that of the plate.
const DIFFER: f64 = 0.5;

/// From this factor on, the part counts as a shell in full.
const ALIKE: f64 = 0.75;

/// With at most this number of corners inside, on each body, the part does not count as a shell: edges without corners may be deeper.
const FEW: f64 = 16.0;

/// From this number on, it counts in full.
const MANY: f64 = 32.0;

/// Corners of each body from which the distance is measured. Of more, a part is taken, which does not depend on the pose.
const MOST: usize = 256;

/// What the corners of one body in a part tell.
#[derive(Clone, Copy, Default)]
pub(super) struct Corners {
    pub number: f64,
    /// The largest distance from the faces of the other body that are opposed to them.
    pub farthest: f64,
}

/// The weight of a value between a lower bound, where it is 0, and an upper one, where it is 1.
fn between(value: f64, [low, high]: [f64; 2]) -> f64 {
    if value > low { min((value - low) / (high - low), 1.0) } else { 0.0 }
}

impl Surround<'_, '_> {
    /// How well the surfaces of both bodies fit in a part, from 0 to 1, once the sums over the faces of seats are known.
    pub fn fit(&self, part: u32) -> f64 {
        let areas = self.facings.get(part as usize).map(|facing| facing.each_ref().map(Facing::area));
        let [x, y] = areas.filter(|_| self.is_seat(part)).unwrap_or_default();
        between(min(x, y) / max(x, y), [DIFFER, ALIKE])
    }

    /// Sets the depths of the parts that are shells.
    pub fn measure_shells(&mut self, list: &[u32]) {
        self.each_part(|of| of.iter_mut().for_each(|of| of.set_corners(Corners::default())));
        for side in 0..2 {
            self.measure_distances(side);
        }
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            let Some(root) = part.first().map(|i| self.root(*i)) else { continue };
            let corners = self.facings.get(root as usize).map(|facing| facing.each_ref().map(Facing::corners));
            let [x, y] = corners.unwrap_or_default();
            let counts = self.fit(root) * between(max(x.number, y.number), [FEW, MANY]);
            // Sides have depths of their own.
            if counts > 0.0 && self.sides_of(root).next().is_none() {
                let depth = max(max(x.farthest, y.farthest), self.part(part).thickness()) / counts;
                let of = self.loops.get_mut(root as usize);
                of.into_iter().for_each(|of| of.across_patches = min(of.across_patches, depth));
            }
        }
    }

    /// For each shell: the largest distance of a corner of one body inside from the faces of the other body opposed to it. Other vertices do not
    /// count, so the triangles of flat faces have no effect.
    fn measure_distances(&mut self, side: usize) {
        let [body, other] = [self.bodies[side], self.bodies[1 - side]];
        let corner = |this: &Self, k| {
            let (triangle, corner, at) = this.floods[side].inside(k)?;
            let part = this.root(at);
            Some((triangle, corner, part, this.fit(part) > 0.0 && body.is_corner(triangle, corner)))
        };
        let number = (0..).map_while(|k| corner(self, k)).filter(|(.., counts)| *counts).count();
        let taken = (1 << 32) / number.div_ceil(MOST).next_power_of_two() as u64;
        for k in 0.. {
            let Some((triangle, corner, part, counts)) = corner(self, k) else { break };
            let (Some(of), Some(facing)) = (self.loops.get(part as usize), self.facings.get_mut(part as usize)) else {
                continue;
            };
            if !counts {
                continue;
            }
            let mut known = facing[side].corners();
            known.number += 1.0;
            let vertex = body.mesh.welded(triangle as usize)[corner];
            // Products with this number are spread evenly (Knuth 6.4), whatever the order of the vertices.
            if u64::from(vertex.wrapping_mul(0x9e37_79b1)) < taken {
                let unit = other.unit_length();
                let mut search = Search {
                    body: &other,
                    at: other.place_back(body.corners(triangle)[corner]),
                    outwards: other.own_axes(body.outwards(triangle, corner)),
                    known: known.farthest / unit,
                    nearest: of.extent() / unit,
                };
                other.tree.visit(&mut search);
                known.farthest = max(known.farthest, search.nearest * unit);
            }
            facing[side].set_corners(known);
        }
    }
}

/// A search for the distance of a point from the faces of a body that are opposed to a direction, in the frame of its mesh.
struct Search<'l, 'b> {
    body: &'l Body<'b>,
    at: [f64; 3],
    outwards: DVec3,
    /// Nearer faces are of no interest: the distance of another point is known to be larger.
    known: f64,
    nearest: f64,
}

impl Visit for Search<'_, '_> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        const ROUNDING: f64 = 1.0 + 1e-6;
        let [a, b, c] = corners.map(DVec3::from_array);
        let at = DVec3::from_array(self.at);
        let (apart, room) = (at.clamp(a.min(b).min(c), a.max(b).max(c)) - at, (self.nearest + halo) * ROUNDING);
        self.nearest > self.known && apart.dot(apart) <= room * room
    }

    fn take(&mut self, triangle: u32) {
        let Some(prism) = self.body.cells.prism(triangle as usize) else { return };
        if DVec3::from_array(prism.normal).dot(self.outwards) < 0.0 {
            let found = distance_point_triangle(self.at, self.body.mesh.triangle(triangle as usize));
            self.nearest = min(self.nearest, found.map_or(f64::INFINITY, |found| found.distance));
        }
    }
}
