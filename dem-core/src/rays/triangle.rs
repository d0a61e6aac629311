//! A ray and a triangle: no ray passes between two adjacent triangles, and none meets both.
//!
//! The mesh is sheared so that the ray runs along an axis (Woop, Benthin, Wald, "Watertight ray/triangle intersection", 2013). Each corner
//! is rounded once, in the same way in all its triangles, so a closed mesh stays closed. On the rounded corners all decisions are exact: by
//! a filter, and by expansions where the filter fails (Shewchuk 1997). A ray through an edge or a corner counts as moved by (e, e^2) for an
//! infinitesimal e (Edelsbrunner and Muecke 1990).

use robust::{Coord, Coord3D, orient2d, orient3d};

use super::largest;
use crate::real::{Real, max, min};
use crate::triangle::kernel::snap;
use crate::vector::scale;

/// A ray in the frame of a mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheared {
    /// In the mesh's units.
    pub origin: [f64; 3],
    /// The direction, scaled so that its largest component is about 1.
    pub direction: [f64; 3],
    /// The origin, scaled by a power of two with which it and the mesh have a size of about 1.
    scaled: [f64; 3],
    pub unit: f64,
    /// The axes in counter-clockwise order, with that of the largest component of the direction last.
    axes: [usize; 3],
    shear: [f64; 2],
}

/// The point at which a line meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    /// Factor of the direction, in the mesh's units.
    pub along: f64,
    /// Whether the ray comes from the side to which the normal points.
    pub outside: bool,
}

impl Sheared {
    /// A ray for a mesh with no corner farther from the origin of its frame than `extent`.
    pub fn new(origin: [f64; 3], direction: [f64; 3], extent: f64) -> Sheared {
        let [x, y, z] = direction.map(Real::abs);
        let axes = if x >= y && x >= z {
            [1, 2, 0]
        } else if y >= z {
            [2, 0, 1]
        } else {
            [0, 1, 2]
        };
        let [u, v, w] = axes;
        let unit = max(largest(origin), extent).inverse_exponent();
        let shear = [direction[u] / direction[w], direction[v] / direction[w]];
        Sheared { origin, direction, scaled: scale(origin, unit), unit, axes, shear }
    }

    /// A corner in the sheared frame of the ray.
    #[inline(always)]
    fn see(&self, corner: [f64; 3]) -> [f64; 3] {
        let [u, v, w] = self.axes;
        let a = [0, 1, 2].map(|k| corner[k] * self.unit - self.scaled[k]);
        [snap(a[u] - self.shear[0] * a[w]), snap(a[v] - self.shear[1] * a[w]), snap(a[w])]
    }

    /// The point at which the ray meets a triangle, at its origin or ahead of it.
    #[inline(always)]
    pub fn meet(&self, triangle: &[[f64; 3]; 3]) -> Option<Met> {
        let [a, b, c] = triangle.map(|corner| self.see(corner));
        let beside = |k: usize| (a[k] < 0.0 && b[k] < 0.0 && c[k] < 0.0) || (a[k] > 0.0 && b[k] > 0.0 && c[k] > 0.0);
        if beside(0) || beside(1) { None } else { self.decide([a, b, c]) }
    }

    fn decide(&self, [a, b, c]: [[f64; 3]; 3]) -> Option<Met> {
        let (turn_c, sign_c) = turn(a, b);
        let (turn_a, sign_a) = turn(b, c);
        let (turn_b, sign_b) = turn(c, a);
        if sign_c == 0 || sign_a != sign_c || sign_b != sign_c {
            return None;
        }
        let up = self.direction[self.axes[2]] > 0.0;
        let (low, high) = (min(min(a[2], b[2]), c[2]), max(max(a[2], b[2]), c[2]));
        let (ahead, behind) = if up { (low > 0.0, high < 0.0) } else { (high < 0.0, low > 0.0) };
        if behind || !(ahead || is_ahead([a, b, c], sign_c, up)) {
            return None;
        }
        let weights = [turn_a, turn_b, turn_c].map(Real::abs);
        let sum = weights[0] + weights[1] + weights[2];
        let height = (weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2]) / sum;
        // Rounding must not move it beyond the corners, or behind the origin.
        let height = max(min(height, high), low);
        let along = max(height / self.direction[self.axes[2]] / self.unit, 0.0);
        Some(Met { along, outside: (sign_c > 0) != up })
    }
}

/// Whether the plane of a triangle is at the origin or ahead of it.
fn is_ahead(corners: [[f64; 3]; 3], turned: i32, up: bool) -> bool {
    let [a, b, c] = corners.map(|[x, y, z]| Coord3D { x, y, z });
    let depth = orient3d(a, b, c, Coord3D { x: 0.0, y: 0.0, z: 0.0 }) * f64::from(turned);
    if up { depth >= 0.0 } else { depth <= 0.0 }
}

/// Twice the area of an edge and the origin, and its sign. If the area is zero, the sign is that of a near point.
#[inline(always)]
fn turn(a: [f64; 3], b: [f64; 3]) -> (f64, i32) {
    // Covers the rounding of two products and their difference.
    const BOUND: f64 = 4.0 * f64::UNIT_ROUNDOFF;
    let (left, right) = (a[0] * b[1], a[1] * b[0]);
    let area = left - right;
    if Real::abs(area) > BOUND * (Real::abs(left) + Real::abs(right)) {
        return (area, if area > 0.0 { 1 } else { -1 });
    }
    exact_turn(a, b)
}

#[cold]
fn exact_turn(a: [f64; 3], b: [f64; 3]) -> (f64, i32) {
    let flat = |q: [f64; 3]| Coord { x: q[0], y: q[1] };
    let area = orient2d(flat(a), flat(b), Coord { x: 0.0, y: 0.0 });
    let sign = |x: f64| (x > 0.0) as i32 - (x < 0.0) as i32;
    let sign = match [area, a[1] - b[1], b[0] - a[0]].map(sign) {
        [0, 0, sign] | [0, sign, _] | [sign, _, _] => sign,
    };
    (area, sign)
}
