//! Which surrogates a line comes near.

use crate::real::{Real, max, min};
use crate::vector::{cross, dot, scale, sub};

/// What a line passes by less than this part of the mesh's radius, it meets: no line falls through between two triangles.
pub(crate) const ROUNDING: f64 = 1e-9;

/// A half-line from a point.
#[derive(Clone, Copy, Default)]
pub(crate) struct Line {
    pub from: [f64; 3],
    /// Of length 1.
    pub way: [f64; 3],
}

impl Line {
    /// Whether it may come within `room` of a triangle, not farther than a length.
    pub fn nears(&self, corners: &[[f64; 3]; 3], room: f64, length: f64) -> bool {
        let mut part = [0.0, length];
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if !axes.iter().all(|axis| self.cut(&mut part, axis, corners, room)) {
            return false;
        }
        // Boxes of slender triangles that lean are large: their planes, and those at right angles through their sides, are closer.
        let Some(normal) = normal(*corners) else { return true };
        let [a, b, c] = *corners;
        let across = [sub(b, a), sub(c, b), sub(a, c)].map(|side| cross(normal, side));
        let within = |axis: &[f64; 3]| room * Real::sqrt(dot(*axis, *axis));
        [normal].iter().chain(&across).all(|axis| self.cut(&mut part, axis, corners, within(axis)))
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
}

/// The unit normal of a triangle; `None` where it has none.
pub(super) fn normal([a, b, c]: [[f64; 3]; 3]) -> Option<[f64; 3]> {
    let n = cross(sub(b, a), sub(c, a));
    let length = Real::sqrt(dot(n, n));
    (length > 0.0 && length < f64::INFINITY).then(|| scale(n, 1.0 / length))
}
