//! An exact test whether a corner of one body is inside the other one. Both bodies are moved inward as for the intersection curve, so bodies with
//! coincident faces are completely inside or completely outside.

use glam::DVec3;

use super::crossing_segment::passes;
use super::perturbed_mesh::Body;
use crate::narrow::half_angle;
use crate::surrogate::{Line, Visit};
use crate::triangle::kernel::snap;

/// The direction of the test line, in the axes of the outer mesh: parallel to no edge and no face of ordinary meshes.
const WAY: [f64; 3] = [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0];

/// Longer than both bodies, in canonical units.
const BEYOND: f64 = 8.0;

/// Whether the surface of `outer` goes around a corner of a triangle of `inner`. If no surfaces cross, all corners of a part of `inner` have the
/// same result. `inner_is_first`: whether ties are decided as for a first body against a second one.
///
/// If `outer` is closed, a line from an inner corner leaves the mesh once more than it enters it; all signs are those of [`passes`]. If `outer`
/// is not closed, the solid angle decides. Cost: that of a line through the tree, or an arc tangent for each triangle.
pub(super) fn is_corner_inside(
    outer: &Body<'_>,
    inner: &Body<'_>,
    (triangle, corner): (u32, usize),
    inner_is_first: bool,
) -> bool {
    let at = inner.facet(triangle).corner[corner % 3];
    let from = DVec3::from_array(at);
    if !outer.cells.is_closed() {
        let all = (0..outer.mesh.len() as u32).filter(|i| outer.encloses(*i));
        let sum = all.fold(0.0, |sum, i| {
            let corners = outer.facet(i).corner;
            sum + half_angle(corners.map(|v| DVec3::from_array(v) - from))
        });
        return sum > core::f64::consts::PI;
    }
    count(outer, at, inner_is_first) > 0
}

/// Whether such a corner is beyond the wall of `outer`, a closed mesh that looks inward: in the space around the room, which the surface of
/// `outer` encloses. Cost: that of a line through the tree.
pub(super) fn is_corner_beyond(
    outer: &Body<'_>,
    inner: &Body<'_>,
    (triangle, corner): (u32, usize),
    inner_is_first: bool,
) -> bool {
    // A line out of the room enters the space around it, and stays there.
    count(outer, inner.facet(triangle).corner[corner % 3], inner_is_first) >= 0
}

/// Number of times that a line from this point leaves a closed mesh, less the number of times that it enters it.
fn count(outer: &Body<'_>, at: [f64; 3], inner_is_first: bool) -> i32 {
    let from = DVec3::from_array(at);
    let to = (from + outer.world_axes(WAY) * BEYOND).to_array().map(snap);
    let line = Line { from: outer.place_back(from), way: WAY };
    // In the units of the mesh, and more than the displacement of its vertices.
    let room = outer.reach() / outer.unit_length();
    let mut leaving = Leaving { outer, edge: [at, to], inner_is_first, line, room, count: 0 };
    outer.tree.visit(&mut leaving);
    leaving.count
}

/// Counts how often a line leaves a surface, less how often it enters it.
struct Leaving<'b> {
    outer: &'b Body<'b>,
    edge: [[f64; 3]; 2],
    inner_is_first: bool,
    /// The same line in the mesh's frame.
    line: Line,
    room: f64,
    count: i32,
}

impl Visit for Leaving<'_> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        self.line.nears(corners, halo * (1.0 + 1e-6) + self.room, f64::INFINITY)
    }

    fn take(&mut self, triangle: u32) {
        if self.outer.encloses(triangle) {
            self.count += passes(self.edge, &self.outer.facet(triangle), self.inner_is_first);
        }
    }
}
