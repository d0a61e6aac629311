//! The depth of an enclosed part where two surfaces fit into each other: a ball in its socket, a ring on a spool. The part is a shell, and its
//! widths are those of a body, however thin it is (`docs/contacts.md`, section 10).
//!
//! So the depth is measured from face to face: the mean thickness of the shell, or the largest distance of a corner inside from the faces that are
//! opposed to it, if that is larger.

use glam::DVec3;

use super::bent::LOOK;
use super::intersection_curve::{Facing, Surround};
use super::perturbed_mesh::Body;
use crate::real::{max, min};
use crate::surrogate::Visit;
use crate::triangle::distance_point_triangle;

/// With at most this value of [`Surround::alike`], a part is no shell: two plates that cross, a plate in a block.
const DIFFER: f64 = 0.5;

/// From this value on, it counts in full.
const ALIKE: f64 = 0.75;

/// With at most this number of corners inside, on each body, the part does not count as a shell: the deepest place may be on an edge, far from its
/// corners.
const FEW: f64 = 16.0;

/// From this number on, it counts in full.
const MANY: f64 = 32.0;

/// A face is opposed to a corner if the cosine of the angle between its normal and the corner's outward direction is below this.
const OPPOSED: f64 = -0.5;

/// Number and largest distance of the corners of one body in a part.
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
    /// Sets the depths of the parts that are shells. Seats are known.
    pub fn measure_shells(&mut self, list: &[u32]) {
        const NO_SHELL: Corners = Corners { number: -1.0, farthest: 0.0 };
        self.each_part(|of| of.iter_mut().for_each(|of| of.set_corners(NO_SHELL)));
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            if self.shell_weight(part) > 0.0
                && let Some(of) = part.first().and_then(|i| self.facings.get_mut(self.whole.find(*i) as usize))
            {
                of.iter_mut().for_each(|of| of.set_corners(Corners::default()));
            }
        }
        let mut left = LOOK.saturating_mul(self.segments.len() as u32);
        for side in 0..2 {
            self.measure_distances(side, &mut left);
        }
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            let Some(root) = part.first().map(|i| self.root(*i)) else { continue };
            let corners = self.facings.get(root as usize).map(|facing| facing.each_ref().map(Facing::corners));
            let [x, y] = corners.unwrap_or([NO_SHELL; 2]);
            let enough = between(max(x.number, y.number), [FEW, MANY]);
            // A search that ended early does not know the depth.
            if enough > 0.0 && left > 0 {
                let weight = enough * self.shell_weight(part);
                let depth = max(max(x.farthest, y.farthest), self.part(part).thickness()) / weight;
                let of = self.loops.get_mut(root as usize);
                of.into_iter().for_each(|of| of.across_patches = min(of.across_patches, depth));
            }
        }
    }

    /// How well the surfaces of both bodies fit in a part, from 0 to 1. Sides have depths of their own.
    fn shell_weight(&self, part: &[u32]) -> f64 {
        let is_divided = |i: &u32| self.sides_of(self.root(*i)).next().is_some();
        if part.first().is_none_or(is_divided) { 0.0 } else { between(self.alike(part), [DIFFER, ALIKE]) }
    }

    /// For each shell: the number of corners of one body inside, and their largest distance from the faces of the other body that are opposed to
    /// them. Other vertices do not count, so the triangles of flat faces have no effect. `left` is the number of triangles that searches may still
    /// visit.
    fn measure_distances(&mut self, side: usize, left: &mut u32) {
        let [body, other] = [self.bodies[side], self.bodies[1 - side]];
        let unit = other.unit_length();
        for k in 0.. {
            let Some((triangle, corner, at)) = self.floods[side].inside(k) else { break };
            let root = self.root(at) as usize;
            let (Some(of), Some(facing)) = (self.loops.get(root), self.facings.get_mut(root)) else { continue };
            let Corners { number, farthest } = facing[side].corners();
            if number < 0.0 || *left == 0 || !body.is_corner(triangle, corner) {
                continue;
            }
            let Some((outwards, _)) = crate::contact::unit(body.outwards(triangle, corner)) else { continue };
            let mut search = Search {
                body: &other,
                at: other.place_back(body.corners(triangle)[corner]),
                outwards: other.own_axes(outwards),
                known: farthest / unit,
                nearest: of.extent() / unit,
                left,
            };
            other.tree.visit(&mut search);
            let farthest = max(farthest, search.nearest * unit);
            facing[side].set_corners(Corners { number: number + 1.0, farthest });
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
    left: &'l mut u32,
}

impl Visit for Search<'_, '_> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        const ROUNDING: f64 = 1.0 + 1e-6;
        let [a, b, c] = corners.map(DVec3::from_array);
        let at = DVec3::from_array(self.at);
        let (apart, room) = (at.clamp(a.min(b).min(c), a.max(b).max(c)) - at, (self.nearest + halo) * ROUNDING);
        self.nearest > self.known && *self.left > 0 && apart.dot(apart) <= room * room
    }

    fn take(&mut self, triangle: u32) {
        *self.left = self.left.saturating_sub(1);
        let Some(prism) = self.body.cells.prism(triangle as usize).filter(|_| self.body.encloses(triangle)) else {
            return;
        };
        if DVec3::from_array(prism.normal).dot(self.outwards) < OPPOSED {
            let found = distance_point_triangle(self.at, self.body.mesh.triangle(triangle as usize));
            self.nearest = min(self.nearest, found.map_or(f64::INFINITY, |found| found.distance));
        }
    }
}
