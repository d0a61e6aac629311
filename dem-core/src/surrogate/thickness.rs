//! How thin a mesh is, for a user who chooses its halo.

use super::tree::TreeRef;
use super::visit::{Below, Surrogate};
use crate::mesh::MeshRef;
use crate::real::{Real, max, min};
use crate::vector::{cross, dot, scale, sub};

/// Faces whose normals have a smaller product look opposite ways: they are more than 120 degrees apart.
const OPPOSITE: f64 = -0.5;

/// What a line passes by less than this part of a triangle or of the mesh's radius, it meets: no line falls through between two triangles.
const ROUNDING: f64 = 1e-9;

/// Where a mesh is thinnest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thickness {
    /// The distance between both faces, in the mesh's unit.
    pub length: f64,
    /// The triangle in whose middle the line begins, and the one where it ends.
    pub triangles: [u32; 2],
}

/// The least thickness of a mesh: the shortest line from the middle of a triangle, inwards and at a right angle to it, to a face that
/// looks the opposite way (normals more than 120 degrees apart). `None` where no line meets such a face, as in an open sheet.
///
/// Lines begin in the middles of triangles alone, so a wedge is as thick as it is there: the finer its mesh, the thinner its edge. `tree` is of
/// this mesh, with any halo. Cost: a way down the tree for each triangle, O(n log n).
pub fn least_thickness(mesh: &MeshRef<'_>, tree: &TreeRef<'_>) -> Option<Thickness> {
    let mut search = Search { mesh, tree, best: None, line: Line::default() };
    for i in 0..mesh.len() as u32 {
        if let Some(line) = Line::inwards(mesh, i) {
            search.line = line;
            search.descend(Surrogate::Root);
        }
    }
    search.best
}

/// From a triangle's middle.
#[derive(Default)]
struct Line {
    triangle: u32,
    from: [f64; 3],
    /// Of length 1.
    way: [f64; 3],
}

impl Line {
    /// Against the normal; `None` where there is none.
    fn inwards(mesh: &MeshRef<'_>, triangle: u32) -> Option<Line> {
        let [a, b, c] = mesh.triangle(triangle as usize);
        let way = scale(normal([a, b, c])?, -1.0);
        Some(Line { triangle, from: [0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3.0), way })
    }

    /// Whether it may come within `room` of a triangle, not farther than a length.
    fn nears(&self, corners: &[[f64; 3]; 3], room: f64, length: f64) -> bool {
        let mut part = [0.0, length];
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if !axes.iter().all(|axis| self.cut(&mut part, axis, corners, room)) {
            return false;
        }
        // Boxes of slender triangles that lean are large: their planes, and those at right angles through their sides, are closer.
        let Some(normal) = normal(*corners) else { return true };
        let [a, b, c] = *corners;
        let across = [sub(b, a), sub(c, b), sub(a, c)].map(|side| cross(normal, side));
        [normal]
            .iter()
            .chain(&across)
            .all(|axis| self.cut(&mut part, axis, corners, room * Real::sqrt(dot(*axis, *axis))))
    }

    /// Cuts off what is farther than `room` beyond all three corners, along any axis. Gives whether something is left.
    fn cut(&self, part: &mut [f64; 2], axis: &[f64; 3], corners: &[[f64; 3]; 3], room: f64) -> bool {
        let [a, b, c] = corners.map(|corner| dot(*axis, sub(corner, self.from)));
        let (low, high) = (min(min(a, b), c) - room, max(max(a, b), c) + room);
        let way = dot(*axis, self.way);
        if way == 0.0 {
            return low <= 0.0 && high >= 0.0;
        }
        let (p, q) = (low / way, high / way);
        *part = [max(part[0], min(p, q)), min(part[1], max(p, q))];
        part[0] <= part[1]
    }

    /// How far it is to a triangle that it meets.
    fn meets(&self, [a, b, c]: [[f64; 3]; 3]) -> Option<f64> {
        let (u, v, w) = (sub(a, self.from), sub(b, self.from), sub(c, self.from));
        let sides = [dot(self.way, cross(v, w)), dot(self.way, cross(w, u)), dot(self.way, cross(u, v))];
        let sum = sides[0] + sides[1] + sides[2];
        let inside = sum != 0.0 && sides.iter().all(|side| side / sum >= -ROUNDING);
        let to = [dot(self.way, u), dot(self.way, v), dot(self.way, w)];
        inside.then(|| dot(scale(sides, 1.0 / sum), to))
    }
}

struct Search<'m> {
    mesh: &'m MeshRef<'m>,
    tree: &'m TreeRef<'m>,
    best: Option<Thickness>,
    line: Line,
}

impl Search<'_> {
    /// No line is followed farther than the shortest one so far.
    fn descend(&mut self, at: Surrogate) {
        let (corners, halo) = self.tree.surrogate(at);
        let room = halo * (1.0 + 1e-6) + ROUNDING * self.mesh.radius();
        if !self.line.nears(&corners, room, self.best.map_or(f64::INFINITY, |best| best.length)) {
            return;
        }
        let tree = self.tree;
        for below in tree.below(at) {
            match below {
                // Children come after their parents; in a damaged tree they may not.
                Below::Surrogate(next) if next > at => self.descend(next),
                Below::Surrogate(_) => {}
                Below::Triangle(triangle) => self.meet(triangle),
            }
        }
    }

    fn meet(&mut self, triangle: u32) {
        let corners = self.mesh.triangle(triangle as usize);
        let opposite = || normal(corners).is_some_and(|n| dot(n, self.line.way) > -OPPOSITE);
        let Some(length) = self.line.meets(corners).filter(|length| *length > 0.0) else { return };
        if triangle != self.line.triangle && self.best.is_none_or(|best| length < best.length) && opposite() {
            self.best = Some(Thickness { length, triangles: [self.line.triangle, triangle] });
        }
    }
}

fn normal([a, b, c]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let n = cross(sub(b, a), sub(c, a));
    let length = Real::sqrt(dot(n, n));
    (length > 0.0 && length < f64::INFINITY).then(|| scale(n, 1.0 / length))
}
