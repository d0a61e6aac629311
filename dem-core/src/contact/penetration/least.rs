//! The smallest translation that separates two triangles: what is left to go by where the curve of intersection does not close.

use glam::DVec3;

use super::super::unit;
use crate::real::{max, min};

/// The unit direction in which the first triangle leaves the second one soonest, and how far it has to go: along one of their normals or
/// across two edges. `None` for triangles without area that are parallel.
pub(super) fn least_translation(x: &[DVec3; 3], y: &[DVec3; 3]) -> Option<(DVec3, f64)> {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (e, f) = (edges(x), edges(y));
    let normals = [e[0].cross(e[1]), f[0].cross(f[1])];
    let across = e.into_iter().flat_map(|e| f.map(|f| e.cross(f)));
    let mut best: Option<(DVec3, f64)> = None;
    for axis in normals.into_iter().chain(across) {
        let Some((axis, _)) = unit(axis) else { continue };
        let range = |t: &[DVec3; 3]| {
            let [a, b, c] = t.map(|v| v.dot(axis));
            (min(a, min(b, c)), max(a, max(b, c)))
        };
        let ((low, high), (floor, top)) = (range(x), range(y));
        let (up, down) = (top - low, high - floor);
        let (way, far) = if down < up { (-axis, down) } else { (axis, up) };
        if best.is_none_or(|(_, least)| far < least) {
            best = Some((way, far));
        }
    }
    best.map(|(way, far)| (way, max(far, 0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_leaves_by_the_shortest_way() {
        let flat = [DVec3::new(-9.0, -9.0, 0.0), DVec3::new(9.0, -9.0, 0.0), DVec3::new(0.0, 9.0, 0.0)];
        let dipping = [DVec3::new(0.0, 0.0, -0.125), DVec3::new(1.0, 0.0, 2.0), DVec3::new(-1.0, 0.0, 2.0)];
        assert_eq!(least_translation(&dipping, &flat), Some((DVec3::Z, 0.125)));
        assert_eq!(least_translation(&flat, &dipping), Some((-DVec3::Z, 0.125)));
        assert_eq!(least_translation(&[DVec3::X; 3], &[DVec3::Y; 3]), None);
    }
}
