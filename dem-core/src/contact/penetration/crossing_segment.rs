//! The directed segment in which two triangles cross. Its ends are named by the edges that pass through the other triangle.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::perturbed_mesh::Facet;
use super::sign::{cross, normal, sign, volume};

/// Bits of [`Tip::flags`].
pub(super) mod flag {
    /// The edge is the second body's.
    pub const SECOND: u32 = 4;
    /// Directed from its smaller vertex to its larger one, the edge leaves the other body there.
    pub const LEAVES: u32 = 8;
    /// In this triangle, the edge runs from its larger vertex to its smaller one.
    pub const BACKWARD: u32 = 16;
}

/// An end of a segment: where an edge of one mesh passes through a triangle of the other one. Computed from the edge and that triangle
/// alone, so both triangles at the edge have the same end.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Tip {
    /// Welded vertices of the edge, the smaller one first.
    pub edge: [u32; 2],
    /// Number of the edge in its triangle, and bits.
    pub flags: u32,
    pub spare: u32,
    /// Parameter of the end on the edge, from 0 at the smaller vertex to 1 at the larger one.
    pub t: f64,
    pub at: [f64; 3],
}

impl Tip {
    /// Number of the edge in its triangle.
    pub fn side(&self) -> usize {
        (self.flags & 3) as usize
    }

    /// Whether the edge is the second body's.
    pub fn of_second(&self) -> bool {
        self.is(flag::SECOND)
    }

    pub fn is(&self, bit: u32) -> bool {
        self.flags & bit != 0
    }

    /// Whether the edge, in its direction in this triangle, leaves the other body there.
    pub fn leaves(&self) -> bool {
        self.is(flag::LEAVES) != self.is(flag::BACKWARD)
    }
}

/// The intersection of triangle `x` of the first body and triangle `y` of the second one, directed along the cross product of their normals. The
/// inside of the second body is on the left in `x`, and the inside of the first body is on the right in `y`.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Segment {
    pub x: u32,
    pub y: u32,
    pub tips: [Tip; 2],
}

impl Segment {
    pub fn ends(&self) -> [DVec3; 2] {
        self.tips.map(|tip| DVec3::from_array(tip.at))
    }
}

/// The positions of both triangles relative to each other.
struct Crossing<'f> {
    faces: [&'f Facet; 2],
    /// For both triangles: the heights of its corners above the other's plane, and their signs, which are never 0 for triangles with an area.
    height: [[f64; 3]; 2],
    side: [[i32; 3]; 2],
    /// The orientation of each edge of the first triangle to each edge of the second one; [`UNKNOWN`] if not yet computed. Both triangles use it.
    around: [[i32; 3]; 3],
}

/// Marks a sign that is not computed.
const UNKNOWN: i32 = 2;

/// The common segment of two triangles, if they cross.
pub(super) fn segment(x: &Facet, y: &Facet) -> Option<Segment> {
    let sides = |of: &Facet, against: &Facet, tie: i32| {
        let [a, b, c] = against.corner;
        let height = of.corner.map(|p| volume(a, b, c, p));
        let side = height.map(|h| if h == 0.0 { tie * normal(&against.corner) } else { sign(h) });
        (height, side)
    };
    let apart = |side: [i32; 3]| side == [1; 3] || side == [-1; 3];
    let (above_y, side_x) = sides(x, y, 1);
    if apart(side_x) {
        return None;
    }
    let (above_x, side_y) = sides(y, x, -1);
    if apart(side_y) {
        return None;
    }
    let around = [[UNKNOWN; 3]; 3];
    let mut crossing = Crossing { faces: [x, y], height: [above_y, above_x], side: [side_x, side_y], around };
    let mut tips = [None; 2];
    let mut number = 0;
    for body in 0..2 {
        for k in 0..3 {
            let Some(tip) = crossing.tip(body, k) else { continue };
            // The inside is on the left in x: the segment begins where x's boundary leaves the inside. In y it is the other way round.
            let begins = tip.leaves() == (body == 0);
            tips[usize::from(!begins)] = Some(tip);
            number += 1;
        }
    }
    match (tips, number) {
        ([Some(begin), Some(end)], 2) => Some(Segment { x: x.id, y: y.id, tips: [begin, end] }),
        _ => None,
    }
}

/// 1 if an edge, directed from its first end to the other one, leaves through a triangle of the other body; -1 if it enters; 0 if it does not
/// pass through. Ties are decided as in [`segment`], for an edge of the first body or of the second one.
pub(super) fn passes(edge: [[f64; 3]; 2], through: &Facet, edge_is_first: bool) -> i32 {
    let [a, b, c] = through.corner;
    let tie = if edge_is_first { 1 } else { -1 };
    let side = edge.map(|p| match sign(volume(a, b, c, p)) {
        0 => tie * normal(&through.corner),
        s => s,
    });
    if side[0] * side[1] != -1 {
        return 0;
    }
    let around = [[a, b], [b, c], [c, a]].map(|of| match sign(volume(edge[0], edge[1], of[0], of[1])) {
        0 if edge_is_first => cross(edge, of),
        0 => cross(of, edge),
        s => s,
    });
    if around == [1; 3] || around == [-1; 3] { side[1] } else { 0 }
}

impl Crossing<'_> {
    /// The end of the segment where edge `k` of a body's triangle passes through the other triangle.
    fn tip(&mut self, body: usize, k: usize) -> Option<Tip> {
        let next = (k + 1) % 3;
        let side = self.side[body];
        if side[k] * side[next] != -1 {
            return None;
        }
        // The edge passes through only if it has the same orientation to all three edges.
        let mut around = |j: usize| if body == 0 { self.edges(k, j) } else { self.edges(j, k) };
        let first = around(0);
        if first == 0 || around(1) != first || around(2) != first {
            return None;
        }
        let face = self.faces[body];
        let backward = face.vertex[k] > face.vertex[next];
        let (low, high) = if backward { (next, k) } else { (k, next) };
        let (a, b) = (self.height[body][low].abs(), self.height[body][high].abs());
        let t = if a > 0.0 { a / (a + b) } else { 0.0 };
        let (p, q) = (DVec3::from_array(face.corner[low]), DVec3::from_array(face.corner[high]));
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        let flags =
            k as u32 | bit(body == 1, flag::SECOND) | bit(side[high] > 0, flag::LEAVES) | bit(backward, flag::BACKWARD);
        let at = if t == 1.0 { q } else { p + (q - p) * t };
        Some(Tip { edge: [face.vertex[low], face.vertex[high]], flags, spare: 0, t, at: at.to_array() })
    }

    /// The orientation of edge `i` of the first triangle to edge `j` of the second one.
    fn edges(&mut self, i: usize, j: usize) -> i32 {
        if self.around[i][j] != UNKNOWN {
            return self.around[i][j];
        }
        let [x, y] = self.faces.map(|face| &face.corner);
        let (p, q) = ([x[i], x[(i + 1) % 3]], [y[j], y[(j + 1) % 3]]);
        self.around[i][j] = match sign(volume(p[0], p[1], q[0], q[1])) {
            0 => cross(p, q),
            s => s,
        };
        self.around[i][j]
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    fn facet(id: u32, corner: [[f64; 3]; 3]) -> Facet {
        Facet { id, vertex: [10 * id, 10 * id + 1, 10 * id + 2], corner }
    }

    #[test]
    fn segments_run_along_the_cross_product_of_the_normals() {
        let flat = [[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]];
        let upright = [[-0.5, 0.0, -0.25], [0.25, 0.0, -0.25], [-0.25, 0.0, 0.5]];
        for turned in [false, true] {
            let mut up = upright;
            if turned {
                up.swap(0, 1);
            }
            for (x, y) in [(flat, up), (up, flat)] {
                let s = segment(&facet(1, x), &facet(2, y)).expect("they cross");
                let [p, q] = s.ends();
                let area = |t: [[f64; 3]; 3]| {
                    let [a, b, c] = t.map(DVec3::from_array);
                    (b - a).cross(c - a)
                };
                assert!((q - p).dot(area(x).cross(area(y))) > 0.0, "{s:?}");
                assert!(p.z == 0.0 && q.z == 0.0 && (q - p).length() > 0.4);
            }
        }
    }

    #[test]
    fn triangles_in_one_plane_do_not_cross_and_ties_are_broken() {
        let t = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        assert!(segment(&facet(1, t), &facet(2, t)).is_none());
        // A triangle that stands on the plane is moved along x, y and z, away from the plane. A hanging triangle is moved through the plane.
        let standing = [[0.1, 0.2, 0.0], [0.2, 0.2, 0.0], [0.1, 0.2, 0.5]];
        let hanging = standing.map(|[x, y, z]| [x, y, -z]);
        assert!(segment(&facet(1, standing), &facet(2, t)).is_none());
        assert!(segment(&facet(1, hanging), &facet(2, t)).is_some());
        // Triangles without area.
        assert!(segment(&facet(1, [[0.1, 0.1, 1.0]; 3]), &facet(2, t)).is_none());
        assert!(segment(&facet(1, t), &facet(2, [[0.1, 0.1, -1.0], [0.1, 0.1, 0.0], [0.1, 0.1, 1.0]])).is_some());
    }
}
