//! The intersection of two convex bodies, by clipping: volume, centre, and area vectors.

use crate::Triangle;
use crate::vector::{add, cross, dot, scale, sub};

/// The intersection of two convex bodies.
#[derive(Clone, Debug, Default)]
pub struct Common {
    /// Volume.
    pub volume: f64,
    /// Centre of volume; zeros if the volume is 0.
    pub centre: [f64; 3],
    /// Sum of the area vectors of the first body's surface in the second one.
    pub area: [f64; 3],
    /// All corners of the intersection.
    pub points: Vec<[f64; 3]>,
}

/// Cuts the closed surface of convex `a` by the planes of convex `b`, both in world coordinates: each face polygon is clipped against
/// every plane of the other body.
pub fn common(a: &[Triangle], b: &[Triangle]) -> Common {
    let mut out = Common::default();
    let mut moment = [0.0; 3];
    for (faces, planes, first) in [(a, b, true), (b, a, false)] {
        for face in faces {
            let polygon = planes.iter().fold(face.to_vec(), |polygon, plane| clip(&polygon, plane));
            for k in 2..polygon.len() {
                let [p, q, r] = [polygon[0], polygon[k - 1], polygon[k]];
                let volume = dot(p, cross(q, r)) / 6.0;
                out.volume += volume;
                moment = add(moment, scale(0.25 * volume, add(p, add(q, r))));
                if first {
                    out.area = add(out.area, scale(0.5, cross(sub(q, p), sub(r, p))));
                }
            }
            out.points.extend(polygon);
        }
    }
    if out.volume > 0.0 {
        out.centre = scale(1.0 / out.volume, moment);
    }
    out
}

/// Volume, and horizontal area, of the part of a closed mesh below the plane z = 0; exact up to rounding.
pub fn below(mesh: &[Triangle]) -> [f64; 2] {
    let ground = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut sums = [0.0; 2];
    for face in mesh {
        let polygon = clip(face, &ground);
        for k in 2..polygon.len() {
            let [p, q, r] = [polygon[0], polygon[k - 1], polygon[k]];
            let up = 0.5 * cross(sub(q, p), sub(r, p))[2];
            sums = [sums[0] + up * (p[2] + q[2] + r[2]) / 3.0, sums[1] - up];
        }
    }
    sums
}

/// The part of a polygon below the plane of a triangle.
fn clip(polygon: &[[f64; 3]], plane: &Triangle) -> Vec<[f64; 3]> {
    let normal = cross(sub(plane[1], plane[0]), sub(plane[2], plane[0]));
    let height = |v: [f64; 3]| dot(normal, sub(v, plane[0]));
    let mut out = Vec::new();
    for (k, p) in polygon.iter().copied().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (hp, hq) = (height(p), height(q));
        if hp <= 0.0 {
            out.push(p);
        }
        if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
            out.push(add(p, scale(hp / (hp - hq), sub(q, p))));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::cuboid;

    #[test]
    fn two_boxes_have_a_box_in_common() {
        let a = cuboid([2.0, 2.0, 2.0]);
        let b: Vec<Triangle> = cuboid([1.0, 1.0, 1.0]).iter().map(|t| t.map(|v| add(v, [0.1, 0.2, 1.25]))).collect();
        let c = common(&a, &b);
        assert!((c.volume - 0.25).abs() < 1e-15 && (c.area[2] - 1.0).abs() < 1e-15, "{c:?}");
        assert!((0..3).all(|k| (c.centre[k] - [0.1, 0.2, 0.875][k]).abs() < 1e-15), "{c:?}");
    }
}
