//! Which surrogates a line passes near.

use crate::real::{Real, max, min};
use crate::vector::{cross, dot, scale, sub};

/// A line meets what it passes by less than this fraction of the mesh's radius, so that no line passes between two triangles.
pub(crate) const ROUNDING: f64 = 1e-9;

/// A half-line from a point.
#[derive(Clone, Copy, Default)]
pub(crate) struct Line {
    pub from: [f64; 3],
    /// The direction, of length 1.
    pub way: [f64; 3],
}

impl Line {
    /// Whether the line may come within `room` of a triangle, up to a given length.
    pub fn nears(&self, corners: &[[f64; 3]; 3], room: f64, length: f64) -> bool {
        let mut part = [0.0, length];
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if !axes.iter().all(|axis| self.cut(&mut part, axis, corners, room)) {
            return false;
        }
        // Boxes around slender, inclined triangles are large. The plane of the triangle, and planes perpendicular to it through its sides, bound it
        // more tightly.
        let Some(normal) = normal(*corners) else { return true };
        let [a, b, c] = *corners;
        let across = [sub(b, a), sub(c, b), sub(a, c)].map(|side| cross(normal, side));
        let within = |axis: &[f64; 3]| room * Real::sqrt(dot(*axis, *axis));
        [normal].iter().chain(&across).all(|axis| self.cut(&mut part, axis, corners, within(axis)))
    }

    /// Cuts off the part of the line that is farther than `room` beyond all three corners along an axis. Gives whether anything is left.
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
}

/// The unit normal of a triangle; `None` if it has none.
pub(super) fn normal([a, b, c]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let n = cross(sub(b, a), sub(c, a));
    let length = Real::sqrt(dot(n, n));
    (length > 0.0 && length < f64::INFINITY).then(|| scale(n, 1.0 / length))
}
