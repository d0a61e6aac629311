//! The overlap of two triangles, projected along a normal.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::corner::FACE;
use crate::contact::cells::CellsRef;
use crate::mesh::{MeshRef, NONE};
use crate::narrow::key;
use crate::real::max;

/// A corner of the overlap of two triangles.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Point {
    /// Tangential coordinates.
    pub at: [f64; 2],
    /// Coordinate along the normal, half-way between both triangles.
    pub height: f64,
    /// Gap from the lower triangle to the upper one.
    pub gap: f64,
    /// 1 where the overlap is cut only by an end of the range of gaps.
    pub cut: u32,
    /// Whether it is a corner of its piece.
    pub is_corner: u32,
    /// The patches of both triangles: the overlap of two patches is a piece.
    pub piece: u64,
    /// [`Corner::features`](super::Corner::features) of the upper and of the lower body.
    pub features: [u64; 2],
}

/// A triangle of a body: its corners, and its welded vertices.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Face {
    pub corners: [DVec3; 3],
    /// [`NONE`] for vertices without names.
    pub vertices: [u32; 3],
    pub patch: u32,
    /// For each edge, from corner k on, whether the same patch is on both sides.
    pub inner: [bool; 3],
}

impl Face {
    /// [`Face::inner`] of a triangle.
    pub fn inner(mesh: &MeshRef<'_>, cells: &CellsRef<'_>, i: u32) -> [bool; 3] {
        let patch = |i: u32| cells.patch.get(i as usize);
        let across = mesh.neighbour.get(i as usize).copied().unwrap_or([NONE; 3]);
        across.map(|next| next != NONE && patch(next) == patch(i))
    }
}

/// The name of an edge, or of a vertex if both ends are equal; all bits are set if the vertices have no names.
fn feature(p: u32, q: u32) -> u64 {
    u64::from(p.min(q)) << 32 | u64::from(p.max(q))
}

/// Largest number of corners: those of the intersection of two triangles, plus one for each cut at an end of the range of gaps.
pub(super) const MOST: usize = 8;

/// A triangle whose projected area is at most this part of its area counts as edge-on.
const ON_EDGE: f64 = 1.0 / 256.0;

/// A projected triangle: anticlockwise corners, and its plane.
struct Seen {
    corners: [DVec3; 3],
    vertices: [u32; 3],
    inner: [bool; 3],
    /// Gradient of the height.
    slope: [f64; 2],
}

impl Seen {
    /// `None` if the triangle faces the other way, or is edge-on.
    fn new(Face { corners: [a, b, c], vertices, inner, .. }: Face) -> Option<Self> {
        let normal = (b - a).cross(c - a);
        if normal.z.is_nan() || normal.z <= ON_EDGE * normal.abs().max_element() {
            return None;
        }
        Some(Seen { corners: [a, b, c], vertices, inner, slope: [-normal.x / normal.z, -normal.y / normal.z] })
    }

    fn height(&self, at: [f64; 2]) -> f64 {
        let [a, _, _] = self.corners;
        a.z + (self.slope[0] * (at[0] - a.x) + self.slope[1] * (at[1] - a.y))
    }

    /// The edge from corner `k` to the next one.
    fn edge(&self, k: usize) -> u64 {
        feature(self.vertices[k % 3], self.vertices[(k + 1) % 3])
    }

    fn vertex(&self, k: usize) -> u64 {
        feature(self.vertices[k % 3], self.vertices[k % 3])
    }

    /// The end of edge `k` that is no farther from a place than this.
    fn end_at(&self, k: usize, at: [f64; 2], rounding: f64) -> Option<u64> {
        let is_there = |v: DVec3| max((v.x - at[0]).abs(), (v.y - at[1]).abs()) <= rounding;
        [k, k + 1].into_iter().find(|k| is_there(self.corners[k % 3])).map(|k| self.vertex(k))
    }
}

/// A corner of a polygon, and the side from it to the next corner.
#[derive(Clone, Copy)]
struct Knot {
    at: [f64; 2],
    features: [u64; 2],
    /// Edge k of the upper triangle; 3 + k for edge k of the lower one.
    side: usize,
    /// Whether it lies at an end of the range of gaps, and is no corner of a triangle.
    cut: bool,
}

/// A convex polygon.
#[derive(Clone, Copy)]
struct Polygon {
    knots: [Knot; MOST],
    count: usize,
}

impl Polygon {
    const NONE: Self =
        Polygon { knots: [Knot { at: [0.0; 2], features: [FACE; 2], side: 0, cut: false }; MOST], count: 0 };

    fn push(&mut self, knot: Knot) {
        if let Some(to) = self.knots.get_mut(self.count) {
            *to = knot;
            self.count += 1;
        }
    }

    /// Clips the polygon to the half-plane where the linear function `inside` is at least 0; the new edge gets the number `side`. Passes the
    /// corners to `put`, with a flag for corners at the cut. The features of such a corner are `crossing` of the side that is cut.
    fn cut(
        &self,
        side: usize,
        inside: impl Fn([f64; 2]) -> f64,
        crossing: impl Fn(usize, [f64; 2]) -> [u64; 2],
        mut put: impl FnMut(Knot, bool),
    ) {
        let knots = self.knots.get(..self.count).unwrap_or_default();
        let mut h = knots.first().map_or(0.0, |p| inside(p.at));
        for (i, p) in knots.iter().enumerate() {
            let q = knots.get(i + 1).or(knots.first()).unwrap_or(p);
            let k = inside(q.at);
            if h >= 0.0 {
                put(Knot { side: if h > 0.0 || k >= 0.0 { p.side } else { side }, ..*p }, false);
            }
            if (h > 0.0 && k < 0.0) || (h < 0.0 && k > 0.0) {
                let t = h / (h - k);
                let at = [p.at[0] + (q.at[0] - p.at[0]) * t, p.at[1] + (q.at[1] - p.at[1]) * t];
                put(
                    Knot { at, features: crossing(p.side, at), side: if h > 0.0 { side } else { p.side }, cut: false },
                    true,
                );
            }
            h = k;
        }
    }
}

/// Passes to `put` the corners of the overlap of an upper triangle, which faces down, and a lower one, which faces up,
/// where the gap is at least `least` and at most `halo`. Heights are along z. Places no farther apart than `rounding` are one.
pub(super) fn overlap(upper: &Face, lower: &Face, [least, halo]: [f64; 2], rounding: f64, mut put: impl FnMut(Point)) {
    let ([a, b, c], [i, j, k], [ab, bc, ca]) = (upper.corners, upper.vertices, upper.inner);
    let piece = key(upper.patch, lower.patch);
    let turned = Face { corners: [a, c, b], vertices: [i, k, j], inner: [ca, bc, ab], ..*upper };
    let (Some(upper), Some(lower)) = (Seen::new(turned), Seen::new(*lower)) else { return };
    // Source and destination of cuts, in turn.
    let (mut one, mut two) = (Polygon::NONE, Polygon::NONE);
    let (mut polygon, mut next) = (&mut one, &mut two);
    (0..).zip(&upper.corners).for_each(|(side, v)| {
        polygon.push(Knot { at: [v.x, v.y], features: [upper.vertex(side), FACE], side, cut: false });
    });
    for k in 0..3 {
        let (p, q) = (lower.corners[k], lower.corners[(k + 1) % 3]);
        let left = |at: [f64; 2]| (q.x - p.x) * (at[1] - p.y) - (q.y - p.y) * (at[0] - p.x);
        // Two edges of the lower triangle meet at their common vertex, which is the end of one and the start of the other.
        let crossing = |side: usize, at: [f64; 2]| match side.checked_sub(3) {
            // The name of an edge within a patch depends on the triangulation. If it matters, a vertex is there.
            None if upper.inner[side] || lower.inner[k] => {
                let upper_end = upper.end_at(side, at, rounding).map(|v| [v, FACE]);
                let end = upper_end.or_else(|| lower.end_at(k, at, rounding).map(|v| [FACE, v]));
                end.unwrap_or([upper.edge(side), lower.edge(k)])
            }
            None => [upper.edge(side), lower.edge(k)],
            Some(other) => [FACE, lower.vertex(6 - (k + 2) % 3 - (other + 2) % 3)],
        };
        next.count = 0;
        polygon.cut(k + 3, left, crossing, |knot, _| next.push(knot));
        if next.count == 0 {
            return;
        }
        core::mem::swap(&mut polygon, &mut next);
    }
    let gap = |at: [f64; 2]| upper.height(at) - lower.height(at);
    next.count = 0;
    polygon.cut(6, |at| gap(at) - least, |_, _| [FACE; 2], |knot, cut| next.push(Knot { cut, ..knot }));
    next.cut(
        7,
        |at| halo - gap(at),
        |_, _| [FACE; 2],
        |Knot { at, features, cut: deep, .. }, cut| {
            let (low, gap) = (lower.height(at), if cut { halo } else { gap(at) });
            let cut = cut || deep;
            let height = low + 0.5 * gap;
            // Corners with overflowed coordinates are dropped.
            if at.iter().chain([&height, &gap]).all(|x| x.is_finite()) {
                put(Point { at, height, gap, cut: u32::from(cut), is_corner: 0, piece, features });
            }
        },
    );
}
