//! The number of times that a body's surface goes around a point: 1 inside, 0 outside, and in between near a hole.

use glam::DVec3;

use super::perturbed_mesh::Body;
use crate::contact::cells::COUNTS;
use crate::narrow::half_angle;
use crate::real::{Real, atan2};
use crate::surrogate::{Line, Visit};

/// Points closer to the surface than this, in radii of the mesh, are on it.
const ON: f64 = 1e-6;

/// Orthonormal axes. The border of a surface is extended along the last axis.
const AXES: [[f64; 3]; 3] =
    [[3.0 / 7.0, -6.0 / 7.0, 2.0 / 7.0], [6.0 / 7.0, 2.0 / 7.0, -3.0 / 7.0], [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0]];

/// The generalised winding number (Jacobson, Kavan, Sorkine-Hornung 2013) of a point in canonical coordinates.
///
/// An infinite strip at each side of the border, all in the same direction, makes an open surface closed. A closed surface goes around a point as
/// often as a line from the point leaves it, less how often the line enters it. A line against the direction of the strips meets none of them,
/// and the solid angle of a strip has a closed form. So the cost is that of a line through the tree, plus one arc tangent for each side of the
/// border. On the surface itself the number is a fraction, which lines cannot give: there, [`winding_on_surface`] computes it.
pub(super) fn winding(body: &Body<'_>, at: DVec3) -> f64 {
    let axes = AXES.map(|axis| body.world_axes(axis));
    let way = AXES[2].map(|x| -x);
    let radius = body.mesh.radius();
    let line = Line { from: body.place_back(at), way };
    let mut search = Leaving { body, at, axes, line, room: ON * radius, near: false, count: 0 };
    body.tree.visit(&mut search);
    if search.near {
        return winding_on_surface(body, at);
    }
    let strips = body.border().fold(0.0, |sum, side| sum + strip(side.map(|v| v - at), axes));
    f64::from(search.count) + strips / (2.0 * core::f64::consts::PI)
}

/// The same by the solid angles of all triangles, also for points on the surface. At a vertex of a closed surface it is the fraction of all
/// directions that lead inside. Cost: an arc tangent for each triangle.
pub(super) fn winding_on_surface(body: &Body<'_>, at: DVec3) -> f64 {
    let all = (0..body.mesh.len() as u32).filter(|i| body.encloses(*i));
    let sum = all.fold(0.0, |sum, i| sum + half_angle(body.corners(i).map(|v| v - at)));
    sum / (2.0 * core::f64::consts::PI)
}

/// Counts how often a line leaves a surface, less how often it enters it.
struct Leaving<'b> {
    body: &'b Body<'b>,
    at: DVec3,
    axes: [DVec3; 3],
    /// The same line in the mesh's frame.
    line: Line,
    room: f64,
    /// Whether the point is on the surface.
    near: bool,
    count: i32,
}

impl Visit for Leaving<'_> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        !self.near && self.line.nears(corners, halo * (1.0 + 1e-6) + self.room, f64::INFINITY)
    }

    fn take(&mut self, triangle: u32) {
        if self.body.cells.part_of(triangle) == Some(COUNTS) {
            let corners = self.body.corners(triangle).map(|v| v - self.at);
            self.near |= is_on(corners, self.room * self.body.unit_length());
            self.count += leaves(corners, self.axes);
        }
    }
}

/// Whether the origin is within `room` of a triangle, or a little farther beyond its corners.
fn is_on([a, b, c]: [DVec3; 3], room: f64) -> bool {
    let normal = (b - a).cross(c - a);
    let length = Real::sqrt(normal.dot(normal));
    let inside = |from: DVec3, to: DVec3| {
        let across = normal.cross(to - from);
        across.dot(from) <= room * Real::sqrt(across.dot(across))
    };
    length > 0.0 && Real::abs(normal.dot(a)) <= room * length && inside(a, b) && inside(b, c) && inside(c, a)
}

/// Twice the area of the triangle of the origin and a side, projected along the last axis. Reversing the side reverses exactly the sign.
fn area(from: DVec3, to: DVec3, [e, f, _]: [DVec3; 3]) -> f64 {
    e.dot(from) * f.dot(to) - f.dot(from) * e.dot(to)
}

/// The sign of that area. If it is 0, the order of the side's ends decides, so that the origin is on opposite sides of both triangles at the
/// side.
fn is_left(from: DVec3, to: DVec3, axes: [DVec3; 3]) -> bool {
    let area = area(from, to, axes);
    let key = |v: DVec3| (axes[0].dot(v), axes[1].dot(v));
    area > 0.0 || area == 0.0 && key(from) < key(to)
}

/// 1 if the line from the origin against the last axis leaves the surface through this triangle, -1 if it enters, 0 if it misses it.
fn leaves([a, b, c]: [DVec3; 3], axes: [DVec3; 3]) -> i32 {
    let left = is_left(a, b, axes);
    if left != is_left(b, c, axes) || left != is_left(c, a, axes) {
        return 0;
    }
    let weights = [area(b, c, axes), area(c, a, axes), area(a, b, axes)];
    let height = axes[2].dot(a * weights[0] + b * weights[1] + c * weights[2]);
    let below = if left { height < 0.0 } else { height > 0.0 };
    match (below, left) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => -1,
    }
}

/// Half of the solid angle of the infinite strip from a side along the last axis: a triangle whose last corner is infinitely far.
fn strip([from, to]: [DVec3; 2], axes: [DVec3; 3]) -> f64 {
    let [p, q] = [from, to].map(|v| Real::sqrt(v.dot(v)));
    let rest = p * q + from.dot(to) + axes[2].dot(to) * p + axes[2].dot(from) * q;
    let area = Real::abs(area(from, to, axes));
    if is_left(from, to, axes) { atan2(area, rest) } else { -atan2(area, rest) }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::super::perturbed_mesh::in_order;
    use super::*;
    use crate::array::Scalar;
    use crate::contact::Side;
    use crate::mesh::Halo;
    use crate::narrow::Frame;
    use crate::narrow::tests::prisms::cells_of;
    use crate::narrow::tests::{Body as Mesh, bumpy, pose};
    use crate::triangle::tests::Random;

    /// Surfaces with a hole, with triangles turned around, with fins and copies, and soups of separate triangles.
    fn bad(random: &mut Random, kind: usize) -> Vec<[f64; 3]> {
        let mut corners = bumpy(random, 4, 1.0, kind > 2);
        let count = corners.len() / 3;
        let mut any = || (random.next() * count as f64) as usize % count;
        match kind {
            0 => {}
            1 => drop(corners.drain(3 * any()..)),
            2 => (0..10).for_each(|_| {
                let i = any();
                corners.swap(3 * i, 3 * i + 1);
            }),
            3 => (0..10).for_each(|_| {
                let i = any();
                let [a, b, c] = [0, 1, 2].map(|k| corners[3 * i + k]);
                corners.extend([b, a, c, a, b, b.map(|x| 1.3 * x)]);
            }),
            _ => corners = (0..180).map(|_| [0; 3].map(|_| 2.0 * random.next() - 1.0)).collect(),
        }
        corners
    }

    #[test]
    fn borders_and_lines_give_the_solid_angles_of_all_triangles() {
        let mut random = Random(5);
        let mut near_holes = 0;
        for kind in 0..5 {
            for _ in 0..12 {
                let mesh = Mesh::new(&bad(&mut random, kind), Halo::Uniform(0.01), Scalar::F64);
                let cells = cells_of(&mesh);
                let poses = [0; 2].map(|_| pose(&mut random, [0.0; 3]));
                let sides = poses.each_ref().map(|pose| Side { operand: mesh.at(pose), cells, solid: false });
                let frame = Frame::new(&sides[0].operand, &sides[1].operand).expect("frame");
                let ([body, _], _) = in_order(&sides[0], &sides[1], &frame);
                for _ in 0..60 {
                    let at = DVec3::from_array([0; 3].map(|_| 1.5 * random.next() - 0.75));
                    let (found, right) = (winding(&body, at), winding_on_surface(&body, at));
                    assert!((found - right).abs() < 1e-9, "{kind}: {found} {right}");
                    near_holes += usize::from((right - right.round()).abs() > 0.01);
                }
            }
        }
        assert!(near_holes > 500, "{near_holes}");
    }
}
