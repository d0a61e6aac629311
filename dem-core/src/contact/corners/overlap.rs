//! Where two triangles lie above each other, seen along a normal.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A corner of what two triangles have in common.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Point {
    /// Across the normal.
    pub at: [f64; 2],
    /// Half-way between both.
    pub height: f64,
    /// From the lower one to the upper one.
    pub gap: f64,
    /// 1 where it is a corner only because the halo ends there.
    pub cut: u64,
}

/// Corners at most: of two triangles, and one more where the halo ends.
pub(super) const MOST: usize = 7;

/// Triangles that are seen this narrow, relative to their area, are seen on edge.
const ON_EDGE: f64 = 1.0 / 256.0;

/// A triangle seen from above: anticlockwise corners, and its plane.
struct Seen {
    corners: [DVec3; 3],
    /// How its height grows along both axes.
    slope: [f64; 2],
}

impl Seen {
    /// `None` where it looks the other way, or is seen on edge.
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

    /// What of it is where `inside` is not negative, which is linear. Tells `crossed` of each corner where its border is cut.
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

/// Tells `put` of the corners of what an upper triangle, which looks down, and a lower one, which looks up, have in common where the gap
/// between them is no larger than `halo`. Heights are along z.
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
            // Of numbers that overflow nothing is told.
            if at.iter().chain([&height, &gap]).all(|x| x.is_finite()) {
                put(Point { at, height, gap, cut: u64::from(cut) });
            }
        },
    );
}
