//! Parts of one body that may overlap: the intersection of such an overlap with the other body would count twice.

use glam::DVec3;

use super::intersection_curve::Surround;
use super::perturbed_mesh::Body;

/// Largest number of pieces compared with each piece. If more are near, they are taken to overlap.
const LOOK: usize = 64;

/// Boxes of pieces with a smaller overlap along an axis only touch, in canonical units.
const TOUCH: f64 = 1.0 / (1u64 << 30) as f64;

impl Surround<'_, '_> {
    /// Marks parts as doubtful if boxes of a body's surface pieces inside the other body overlap, for bodies whose parts may overlap. `order` has
    /// room for all segments. The memory of facing patches is reused.
    pub fn doubt_overlaps(&mut self, order: &mut [u32]) {
        for side in 0..2 {
            if self.bodies[side].cells.may_overlap() {
                self.measure_pieces(side);
                self.compare_pieces(side, order);
            }
        }
    }

    /// Computes the boxes of all pieces along the axes of their body, so that the pose has no effect.
    fn measure_pieces(&mut self, side: usize) {
        let body = self.bodies[side];
        self.facings.iter_mut().for_each(|of| of[side].empty());
        for i in 0..self.segments.len() {
            let Some(s) = self.segments.get(i) else { break };
            let ends = s.ends();
            ends.into_iter().for_each(|at| self.stretch(side, &body, self.curve.find(i as u32), at));
        }
        for k in 0.. {
            let Some((triangle, corner, root)) = self.floods[side].inside(k) else { break };
            self.stretch(side, &body, root, body.corners(triangle)[corner]);
        }
    }

    fn stretch(&mut self, side: usize, body: &Body<'_>, root: u32, at: DVec3) {
        let piece = self.pieces[side].find(root) as usize;
        if let Some(of) = self.facings.get_mut(piece) {
            of[side].stretch(body.own_axes(at - self.origin));
        }
    }

    /// Marks the parts of pieces whose boxes overlap. Pieces are sorted along one axis, and each piece is compared with those that begin before
    /// it ends.
    fn compare_pieces(&mut self, side: usize, order: &mut [u32]) {
        let is_piece = |i: u32| self.curve.find(i) == i && self.pieces[side].find(i) == i;
        let mut count = 0;
        for i in (0..self.segments.len() as u32).filter(|i| is_piece(*i)) {
            if let Some(to) = order.get_mut(count) {
                *to = i;
                count += 1;
            }
        }
        let order = order.get_mut(..count).unwrap_or_default();
        let extent = |i: u32| self.facings.get(i as usize).map_or(([0.0; 3], [0.0; 3]), |of| of[side].extent());
        order.sort_unstable_by(|i, j| extent(*i).0[0].total_cmp(&extent(*j).0[0]).then(i.cmp(j)));
        for (k, i) in order.iter().copied().enumerate() {
            let (low, high) = extent(i);
            let near = order.iter().skip(k + 1).copied().take_while(|j| extent(*j).0[0] < high[0] - TOUCH);
            for (looked, j) in near.enumerate() {
                let (floor, top) = extent(j);
                if looked >= LOOK || (0..3).all(|c| low[c] < top[c] - TOUCH && floor[c] < high[c] - TOUCH) {
                    for root in [i, j].map(|i| self.whole.find(i) as usize) {
                        self.loops.get_mut(root).into_iter().for_each(|whole| whole.unsure = 1);
                    }
                }
                if looked >= LOOK {
                    break;
                }
            }
        }
    }
}
