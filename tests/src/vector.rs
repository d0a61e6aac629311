//! The few operations on `[f64; 3]` that the references need.

use crate::Triangle;

/// a + b
pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a - b
pub fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a
pub fn scale(s: f64, a: [f64; 3]) -> [f64; 3] {
    a.map(|x| s * x)
}

/// a . b
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a x b
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// |a|
pub fn length(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// A unit vector at right angles to `a`, which is not zero.
pub fn perpendicular(a: [f64; 3]) -> [f64; 3] {
    let least = (0..3).fold(0, |k, i| if a[i].abs() < a[k].abs() { i } else { k });
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let p = cross(a, axis);
    scale(1.0 / length(p), p)
}

/// The point with barycentric weights `w`.
pub fn weighted(t: &Triangle, w: [f64; 3]) -> [f64; 3] {
    add(scale(w[0], t[0]), add(scale(w[1], t[1]), scale(w[2], t[2])))
}

/// The triangle translated by `d`.
pub fn moved(t: &Triangle, d: [f64; 3]) -> Triangle {
    t.map(|v| add(v, d))
}

/// The largest absolute coordinate of both triangles.
pub fn largest(a: &Triangle, b: &Triangle) -> f64 {
    a.iter().chain(b).flatten().fold(0.0, |m, x| if x.abs() > m { x.abs() } else { m })
}

/// v rotated by the unit quaternion `x y z w`.
pub fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let u = [q[0], q[1], q[2]];
    let t = scale(2.0, cross(u, v));
    add(v, add(scale(q[3], t), cross(u, t)))
}
