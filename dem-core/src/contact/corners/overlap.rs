//! The overlap of two triangles, projected along a normal.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

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
    /// 1 where the overlap is cut only because the gap reaches the halo.
    pub cut: u64,
}

/// Largest number of corners: those of the intersection of two triangles, and one more from the cut at the halo.
pub(super) const MOST: usize = 7;

/// A triangle whose projected area is at most this part of its area counts as seen on edge.
const ON_EDGE: f64 = 1.0 / 256.0;

/// A projected triangle: anticlockwise corners, and its plane.
struct Seen {
    corners: [DVec3; 3],
    /// Gradient of the height.
    slope: [f64; 2],
}

impl Seen {
    /// `None` where the triangle faces the other way, or is seen on edge.
    fn new([a, b, c]: [DVec3; 3]) -> Option<Self> {
        let normal = (b - a).cross(c - a);
        if normal.z.is_nan() || normal.z <= ON_EDGE * normal.abs().max_element() {
            return None;
        }
        Some(Seen { corners: [a, b, c], slope: [-normal.x / normal.z, -normal.y / normal.z] })
    }

    fn height(&self, at: [f64; 2]) -> f64 {
        let [a, _, _] = self.corners;
        a.z + (self.slope[0] * (at[0] - a.x) + self.slope[1] * (at[1] - a.y))
    }
}

/// A convex polygon.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [[f64; 2]; MOST],
    count: usize,
}

impl Polygon {
    fn push(&mut self, at: [f64; 2]) {
        if let Some(to) = self.corners.get_mut(self.count) {
            *to = at;
            self.count += 1;
        }
    }

    /// Clips the polygon to the half-plane where the linear function `inside` is at least 0. Passes its corners to
    /// `put`, with a flag for corners at the cut.
    fn cut(&self, inside: impl Fn([f64; 2]) -> f64, mut put: impl FnMut([f64; 2], bool)) {
        let corners = self.corners.get(..self.count).unwrap_or_default();
        for (i, p) in corners.iter().enumerate() {
            let q = corners.get(i + 1).or(corners.first()).unwrap_or(p);
            let (h, k) = (inside(*p), inside(*q));
            if h >= 0.0 {
                put(*p, false);
            }
            if (h > 0.0 && k < 0.0) || (h < 0.0 && k > 0.0) {
                let t = h / (h - k);
                put([p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t], true);
            }
        }
    }
}

/// Passes to `put` the corners of the overlap of an upper triangle, which faces down, and a lower one, which faces up,
/// where the gap is at most `halo`. Heights are along z.
pub(super) fn overlap(upper: &[DVec3; 3], lower: &[DVec3; 3], halo: f64, mut put: impl FnMut(Point)) {
    let [a, b, c] = *upper;
    let (Some(upper), Some(lower)) = (Seen::new([a, c, b]), Seen::new(*lower)) else { return };
    let mut polygon = Polygon { corners: [[0.0; 2]; MOST], count: 0 };
    upper.corners.iter().for_each(|v| polygon.push([v.x, v.y]));
    for k in 0..3 {
        let (p, q) = (lower.corners[k], lower.corners[(k + 1) % 3]);
        let mut next = Polygon { count: 0, ..polygon };
        let left = |at: [f64; 2]| (q.x - p.x) * (at[1] - p.y) - (q.y - p.y) * (at[0] - p.x);
        polygon.cut(left, |at, _| next.push(at));
        polygon = next;
    }
    let gap = |at: [f64; 2]| upper.height(at) - lower.height(at);
    polygon.cut(
        |at| halo - gap(at),
        |at, cut| {
            let (low, gap) = (lower.height(at), if cut { halo } else { gap(at) });
            let height = low + 0.5 * gap;
            // Corners whose numbers overflow are dropped.
            if at.iter().chain([&height, &gap]).all(|x| x.is_finite()) {
                put(Point { at, height, gap, cut: u64::from(cut) });
            }
        },
    );
}
