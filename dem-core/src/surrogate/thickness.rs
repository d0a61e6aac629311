//! How thin a mesh is, as a guide for the choice of its halo.

use super::line::{Line, ROUNDING, normal};
use super::tree::TreeRef;
use super::visit::Visit;
use crate::mesh::MeshRef;
use crate::vector::{cross, dot, scale, sub};

/// Two faces look opposite ways if the product of their normals is below this: they are more than 120 degrees apart.
const OPPOSITE: f64 = -0.5;

/// The place where a mesh is thinnest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thickness {
    /// The distance between both faces, in the mesh's unit.
    pub length: f64,
    /// The triangle in whose middle the line begins, and the triangle where it ends.
    pub triangles: [u32; 2],
}

/// The least thickness of a mesh: the length of the shortest line that begins in the middle of a triangle, runs inwards at a right angle to it, and
/// ends on a face that looks the opposite way (normals more than 120 degrees apart). `None` if no line meets such a face, as in an open sheet.
///
/// Lines begin only in the middles of triangles, so the thickness of a wedge is that at its last triangles: the finer its mesh, the thinner its
/// edge. `tree` is of this mesh, with any halo. Cost: a descent of the tree for each triangle, O(n log n). Copies, sheets at a common edge, and
/// triangles smaller than a billionth of the mesh are all tested from each of them.
pub fn least_thickness(mesh: &MeshRef<'_>, tree: &TreeRef<'_>) -> Option<Thickness> {
    let mut search = Search { mesh, best: None, triangle: 0, line: Line::default() };
    for i in 0..mesh.len() as u32 {
        if let Some(line) = inwards(mesh, i) {
            (search.triangle, search.line) = (i, line);
            tree.visit(&mut search);
        }
    }
    search.best
}

struct Search<'m> {
    mesh: &'m MeshRef<'m>,
    best: Option<Thickness>,
    /// The triangle in whose middle the line begins.
    triangle: u32,
    line: Line,
}

impl Search<'_> {
    /// No line is followed farther than the length of the shortest one so far.
    fn least(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |best| best.length)
    }
}

impl Visit for Search<'_> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        self.line.nears(corners, halo * (1.0 + 1e-6) + ROUNDING * self.mesh.radius(), self.least())
    }

    fn take(&mut self, triangle: u32) {
        let corners = self.mesh.triangle(triangle as usize);
        let opposite = || normal(corners).is_some_and(|n| dot(n, self.line.way) > -OPPOSITE);
        let Some(length) = meets(&self.line, corners).filter(|length| *length > 0.0) else { return };
        if triangle != self.triangle && length < self.least() && opposite() {
            self.best = Some(Thickness { length, triangles: [self.triangle, triangle] });
        }
    }
}

/// The line from the middle of a triangle against its normal; `None` if it has none.
fn inwards(mesh: &MeshRef<'_>, triangle: u32) -> Option<Line> {
    let [a, b, c] = mesh.triangle(triangle as usize);
    let way = scale(normal([a, b, c])?, -1.0);
    Some(Line { from: [0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3.0), way })
}

/// The distance along a line to a triangle that it meets.
fn meets(line: &Line, [a, b, c]: [[f64; 3]; 3]) -> Option<f64> {
    let (u, v, w) = (sub(a, line.from), sub(b, line.from), sub(c, line.from));
    let sides = [dot(line.way, cross(v, w)), dot(line.way, cross(w, u)), dot(line.way, cross(u, v))];
    let sum = sides[0] + sides[1] + sides[2];
    let inside = sum != 0.0 && sides.iter().all(|side| side / sum >= -ROUNDING);
    let to = [dot(line.way, u), dot(line.way, v), dot(line.way, w)];
    inside.then(|| dot(scale(sides, 1.0 / sum), to))
}
