//! The depth of an enclosed part where two surfaces fit into each other: a ball in its socket, a ring on a spool. The part is a shell, and its
//! widths are those of a body, however thin it is (`docs/contacts.md`, section 10).
//!
//! So the depth is measured from face to face: the mean thickness of the shell, or the largest distance of a corner inside from the faces that are
//! opposed to it, if that is larger.

use super::bent::LOOK;
use super::flood::Flood;
use super::intersection_curve::{Facing, Surround};
use super::opposed::small;
use crate::real::{between, max, min};

/// With at most this value of [`Surround::alike`], a part is no shell: two plates that cross, a plate in a block.
const DIFFER: f64 = 0.5;

/// From this value on, it counts in full.
const ALIKE: f64 = 0.75;

/// With at most this number of corners inside, on each body, the part does not count as a shell: the deepest place may be on an edge, far from its
/// corners.
const FEW: f64 = 16.0;

/// From this number on, it counts in full.
const MANY: f64 = 32.0;

/// The first search for a face looks within this part of the extent of the shell.
const GUESS: f64 = 1.0 / 64.0;

/// Number and largest distance of the corners of one body in a part.
#[derive(Clone, Copy, Default)]
pub(super) struct Corners {
    pub number: f64,
    /// The largest distance from the faces of the other body that are opposed to them.
    pub farthest: f64,
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
        let corners = self.floods.iter().map(Flood::corners).sum::<usize>();
        let mut left = LOOK.saturating_mul(small(self.segments.len().saturating_add(corners)));
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
        let is_divided = |i: &u32| self.is_divided(self.root(*i));
        if part.first().is_none_or(is_divided) { 0.0 } else { between(self.alike(part), [DIFFER, ALIKE]) }
    }

    /// For each shell: the number of corners of one body inside, and their largest distance from the faces of the other body that are opposed to
    /// them. Other vertices do not count, so the triangles of flat faces have no effect. `left` is the number of triangles that searches may still
    /// visit.
    fn measure_distances(&mut self, side: usize, left: &mut u32) {
        for k in 0.. {
            let Some((triangle, corner, at)) = self.floods[side].inside(k) else { break };
            let root = self.root(at);
            let (Some(of), Some(facing)) = (self.loops.get(root as usize), self.facings.get(root as usize)) else {
                continue;
            };
            let Corners { number, farthest } = facing[side].corners();
            if number < 0.0 || *left == 0 || !self.bodies[side].is_corner(triangle, corner) {
                continue;
            }
            // Nearer faces are of no interest: the distance of another corner is known to be larger.
            let within = [farthest, max(2.0 * farthest, GUESS * of.extent()), of.extent()];
            let nearest = self.nearest_opposed(side, [triangle, corner as u32], within, left);
            let corners = Corners { number: number + 1.0, farthest: max(farthest, nearest) };
            self.facings.get_mut(root as usize).into_iter().for_each(|of| of[side].set_corners(corners));
        }
    }
}
