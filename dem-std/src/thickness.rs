//! How thin a mesh is, for a user who chooses its halo.

use dem_core::mesh::MeshRef;
use dem_core::surrogate::{Below, Surrogate, TreeRef};

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
        let way = normal([a, b, c])?.map(|x| -x);
        Some(Line { triangle, from: [0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3.0), way })
    }

    /// Whether it comes into a box within a length.
    fn enters(&self, low: [f64; 3], high: [f64; 3], length: f64) -> bool {
        let (mut begin, mut end) = (0.0f64, length);
        for k in 0..3 {
            let (x, way) = (self.from[k], self.way[k]);
            if way == 0.0 {
                if x < low[k] || x > high[k] {
                    return false;
                }
                continue;
            }
            let (p, q) = ((low[k] - x) / way, (high[k] - x) / way);
            (begin, end) = (begin.max(p.min(q)), end.min(p.max(q)));
        }
        begin <= end
    }

    /// How far it is to a triangle that it meets.
    fn meets(&self, [a, b, c]: [[f64; 3]; 3]) -> Option<f64> {
        let (u, v, w) = (sub(a, self.from), sub(b, self.from), sub(c, self.from));
        let sides = [dot(self.way, cross(v, w)), dot(self.way, cross(w, u)), dot(self.way, cross(u, v))];
        let sum = sides[0] + sides[1] + sides[2];
        let inside = sum != 0.0 && sides.iter().all(|side| side / sum >= -ROUNDING);
        inside.then(|| (0..3).map(|k| sides[k] / sum * dot(self.way, [u, v, w][k])).sum())
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
        let low = [0, 1, 2].map(|k| corners[0][k].min(corners[1][k]).min(corners[2][k]) - room);
        let high = [0, 1, 2].map(|k| corners[0][k].max(corners[1][k]).max(corners[2][k]) + room);
        if !self.line.enters(low, high, self.best.map_or(f64::INFINITY, |best| best.length)) {
            return;
        }
        let tree = self.tree;
        for below in tree.below(at) {
            match below {
                Below::Surrogate(next) => self.descend(next),
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
    let length = dot(n, n).sqrt();
    (length > 0.0 && length.is_finite()).then(|| n.map(|x| x / length))
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
