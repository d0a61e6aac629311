//! Whether a corner of one body is inside of the other one, both moved inwards as for the curve of intersection: exactly, so that bodies whose faces
//! lie in each other are inside or outside as a whole.

use glam::DVec3;

use super::crossing_segment::passes;
use super::perturbed_mesh::Body;
use crate::narrow::half_angle;
use crate::surrogate::{Line, Visit};
use crate::triangle::kernel::snap;

/// The way of the line that tells, in the axes of the outer mesh: along no edge and no face of ordinary meshes.
const WAY: [f64; 3] = [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0];

/// Longer than the size of both bodies, in canonical units.
const BEYOND: f64 = 8.0;

/// Whether the surface of `outer` goes around a corner of a triangle of `inner`. Where no surfaces cross, all corners of a part of `inner` have the same answer.
/// `inner_is_first`: whether ties are those of a first body against a second one.
///
/// Of a closed mesh, a line from there leaves it once more than it enters: all signs are those of [`passes`]. Of others, the solid angle decides. Cost: that of a
/// line through the tree, or an arc tangent for each triangle.
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

/// Whether such a corner is beyond the wall of `outer`, a closed mesh that looks inward: in what its surface encloses, which is all space around it. Cost: that of a line through the tree.
pub(super) fn is_corner_beyond(
    outer: &Body<'_>,
    inner: &Body<'_>,
    (triangle, corner): (u32, usize),
    inner_is_first: bool,
) -> bool {
    // A line out of the room enters what is around it, and stays there.
    count(outer, inner.facet(triangle).corner[corner % 3], inner_is_first) >= 0
}

/// How often a line from there leaves a closed mesh, less how often it enters.
fn count(outer: &Body<'_>, at: [f64; 3], inner_is_first: bool) -> i32 {
    let from = DVec3::from_array(at);
    let to = (from + outer.world_axes(WAY) * BEYOND).to_array().map(snap);
    let line = Line { from: outer.place_back(from), way: WAY };
    // In the units of the mesh, and more than its vertices have moved.
    let room = outer.reach() / outer.unit_length();
    let mut leaving = Leaving { outer, edge: [at, to], inner_is_first, line, room, count: 0 };
    outer.tree.visit(&mut leaving);
    leaving.count
}

/// How often a line leaves a surface, less how often it enters.
struct Leaving<'b> {
    outer: &'b Body<'b>,
    edge: [[f64; 3]; 2],
    inner_is_first: bool,
    /// The same in the mesh's frame.
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
