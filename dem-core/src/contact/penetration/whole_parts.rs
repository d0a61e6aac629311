//! Parts of a body that are completely inside the other one, while other parts cross its surface: no crossing shows them.
//!
//! Such parts are legs that have sunk in, and hollows: a hollow reduces the volume of the enclosed part around it. As a part sinks in, its loop
//! shrinks to a point and leaves the part's volume. So nothing jumps as the loop vanishes.

use glam::DVec3;

use super::corner_inside::is_corner_inside;
use super::intersection_curve::Surround;
use super::parts_near::PartsNear;
use super::winding::{winding, winding_on_surface};

/// The least winding number inside a mesh that is not closed. It is a half on a face, and three quarters at the inner edge of an L.
pub(super) const INSIDE: f64 = 0.8;

/// Tolerance of winding numbers: more than rounding.
const TWICE: f64 = 1e-6;

/// Number of parts of a body that are tested. If there are more, all results are doubtful.
pub(super) const LOOK: usize = 64;

impl Surround<'_, '_> {
    /// Adds parts completely inside the other body to the nearest closed loop. Cost: none for bodies of one part. Otherwise up to three winding
    /// numbers, each a pass over the other body, for each part in the box around the other body of which no corner is known to be inside.
    pub fn take_whole_parts(&mut self) {
        // For a body that looks inward, inside and outside are exchanged.
        if self.bodies.iter().any(|body| body.cells.looks_inward()) {
            return;
        }
        for side in 0..2 {
            let (body, other) = (self.bodies[side], self.bodies[1 - side]);
            let (mut looked, mut near) = (0, PartsNear::new(body, other));
            let known = |of: &Self, first| (0..3).any(|corner| of.floods[side].is_inside(first, corner));
            while let Some(first) = near.next(|first| known(self, first)) {
                let corners = body.corners(first);
                looked += 1;
                if looked > LOOK {
                    self.loops.iter_mut().for_each(|of| of.unsure = 1);
                    break;
                }
                // A part that touches the surface has corners on it, so all three corners are tested.
                let is_whole = (0..3).all(|corner| match other.cells.is_closed() {
                    true => is_corner_inside(&other, &body, (first, corner), side == 0),
                    false => winding(&other, corners[corner]) > INSIDE,
                });
                if let Some(root) = self.nearest_loop(corners[0]).filter(|_| is_whole) {
                    let vertex = body.mesh.welded(first as usize)[0];
                    self.floods[side].seed(vertex, first, root, &mut self.pieces[side]);
                    // A part inside another part of its own body would count twice. The visit of a part detects whether it passes through another
                    // one.
                    let twice = || corners.iter().any(|at| winding_on_surface(&body, *at) > 1.0 + TWICE);
                    if body.cells.may_overlap() && (body.cells.is_untold() || twice()) {
                        self.loops.get_mut(root as usize).into_iter().for_each(|of| of.unsure = 1);
                    }
                }
            }
            self.spread(side, true);
        }
    }

    /// The closed loop whose middle is nearest to a point.
    fn nearest_loop(&self, at: DVec3) -> Option<u32> {
        let far = |root: &u32| {
            let middle = self.loops.get(*root as usize).map_or(DVec3::ZERO, |of| of.middle());
            (at - self.origin - middle).length_squared()
        };
        let closes = |i: &u32| self.curve.find(*i) == *i && self.loops.get(*i as usize).is_some_and(|of| of.opens == 0);
        (0..self.segments.len() as u32).filter(closes).min_by(|i, j| far(i).total_cmp(&far(j)))
    }
}
