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

    /// Whether it comes into a box within a length.
    fn enters(&self, low: [f64; 3], high: [f64; 3], length: f64) -> bool {
        let (mut begin, mut end) = (0.0, length);
        for k in 0..3 {
            let (x, way) = (self.from[k], self.way[k]);
            if way == 0.0 {
                if x < low[k] || x > high[k] {
                    return false;
                }
                continue;
            }
            let (p, q) = ((low[k] - x) / way, (high[k] - x) / way);
            (begin, end) = (max(begin, min(p, q)), min(end, max(p, q)));
        }
        begin <= end
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
        let low = [0, 1, 2].map(|k| min(min(corners[0][k], corners[1][k]), corners[2][k]) - room);
        let high = [0, 1, 2].map(|k| max(max(corners[0][k], corners[1][k]), corners[2][k]) + room);
        if !self.line.enters(low, high, self.best.map_or(f64::INFINITY, |best| best.length)) {
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
