//! Rotation of a rigid body: its axes, and its motion.

use crate::error::What;
use crate::pose::{Pose, Transform};
use crate::real::{Real, cos, max, sin};
use crate::vector::{add, cross, dot, length, scale};

/// The sequence of rotations about single axes, and the part of the time step of each; symmetric in time.
const TURNS: [(usize, f64); 5] = [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)];

/// Principal axes in world axes.
pub(super) struct Frame(Transform);

impl Frame {
    pub fn of(orientation: [f64; 4]) -> Self {
        let pose = Pose { orientation, ..Pose::IDENTITY };
        // Bodies have been checked.
        Frame(
            pose.transform(What::Orientations).unwrap_or(Transform {
                rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                translation: [0.0; 3],
            }),
        )
    }

    /// A vector in world axes, with its component along each principal axis multiplied by a factor.
    pub fn along_axes(&self, v: [f64; 3], factors: [f64; 3]) -> [f64; 3] {
        let own = self.0.rotate_back(v);
        self.0.rotate([0, 1, 2].map(|k| own[k] * factors[k]))
    }
}

/// The free rotation of a body in `dt`: its orientation and angular velocity afterwards, and the change of its energy. The angular momentum stays
/// the same, up to rounding.
///
/// The Hamiltonian of a free body is a sum of three, each of which rotates the body about one principal axis. Their composition, forwards and
/// backwards, is second order in dt, canonical and reversible: the energy oscillates by dt^2 and does not drift. A ball rotates about one axis,
/// exactly.
/// Source: A. Dullweber, B. Leimkuhler, R. McLachlan, Symplectic splitting methods for rigid body molecular dynamics, J. Chem. Phys. 107 (1997).
pub(super) fn free(
    orientation: [f64; 4],
    angular_velocity: [f64; 3],
    moments: [f64; 3],
    dt: f64,
) -> ([f64; 4], [f64; 3], f64) {
    let [a, b, c] = moments;
    if a == b && b == c {
        return (about(orientation, angular_velocity, dt), angular_velocity, 0.0);
    }
    let inverse = moments.map(|moment| 1.0 / moment);
    let before = Frame::of(orientation);
    let momentum = before.along_axes(angular_velocity, moments);
    let (mut own, mut q) = (before.0.rotate_back(momentum), unit(orientation));
    let energy = |own: &[f64; 3]| 0.5 * dot(own.map(|x| x * x), inverse);
    let at_first = energy(&own);
    for (axis, part) in TURNS {
        let half = 0.5 * part * dt * own[axis] * inverse[axis];
        let (s, c) = (sin(half), cos(half));
        q = turned_about_own_axis(q, axis, s, c);
        // The vector is constant in world axes while the body's axes rotate.
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let (sine, cosine) = (2.0 * s * c, (c - s) * (c + s));
        (own[j], own[k]) = (cosine * own[j] + sine * own[k], cosine * own[k] - sine * own[j]);
    }
    let q = unit(q);
    (q, Frame::of(q).along_axes(momentum, inverse), energy(&own) - at_first)
}

/// `q` times a rotation about axis `axis` of the body, given by sine and cosine of half of the angle.
fn turned_about_own_axis([x, y, z, w]: [f64; 4], axis: usize, s: f64, c: f64) -> [f64; 4] {
    match axis {
        0 => [c * x + s * w, c * y + s * z, c * z - s * y, c * w - s * x],
        1 => [c * x - s * z, c * y + s * w, c * z + s * x, c * w - s * y],
        _ => [c * x + s * y, c * y - s * x, c * z + s * w, c * w - s * z],
    }
}

/// The orientation after a rotation with a constant angular velocity, in world axes.
pub(super) fn about(orientation: [f64; 4], angular_velocity: [f64; 3], dt: f64) -> [f64; 4] {
    turned(turn(angular_velocity, dt), orientation)
}

/// The rotation in `dt` with a constant angular velocity, as a unit quaternion.
pub(crate) fn turn(angular_velocity: [f64; 3], dt: f64) -> [f64; 4] {
    let speed = length(angular_velocity);
    let half = 0.5 * dt * speed;
    // A zero angular velocity needs no direction; dt / 2 is the limit of the quotient.
    let per_speed = if speed > 0.0 { sin(half) / speed } else { 0.5 * dt };
    let ([x, y, z], w) = (scale(angular_velocity, per_speed), cos(half));
    [x, y, z, w]
}

/// An orientation after a rotation.
pub(crate) fn turned([x, y, z, w]: [f64; 4], orientation: [f64; 4]) -> [f64; 4] {
    let [a, b, c, d] = unit(orientation);
    unit([
        w * a + d * x + (y * c - z * b),
        w * b + d * y + (z * a - x * c),
        w * c + d * z + (x * b - y * a),
        w * d - dot([x, y, z], [a, b, c]),
    ])
}

/// The angular velocity after `dt` under the gyroscopic torque at the start. The orientation follows from the derivative of the quaternion
/// at that new velocity, normalised.
///
/// Source: equation 3 of T. Preclik, U. Rüde, Ultrascale simulations of non-smooth granular dynamics, Comp. Part. Mech. 2 (2015). Angular momentum is kept to first order in dt only.
pub(super) fn gyroscopic(
    orientation: [f64; 4],
    angular_velocity: [f64; 3],
    moments: [f64; 3],
    dt: f64,
) -> ([f64; 4], [f64; 3]) {
    let frame = Frame::of(orientation);
    let momentum = frame.along_axes(angular_velocity, moments);
    let torque = cross(momentum, angular_velocity);
    let change = frame.along_axes(scale(torque, dt), moments.map(|moment| 1.0 / moment));
    let [x, y, z] = add(angular_velocity, change);
    let [a, b, c, d] = unit(orientation);
    let half = 0.5 * dt;
    let q = unit([
        a + half * (d * x + (y * c - z * b)),
        b + half * (d * y + (z * a - x * c)),
        c + half * (d * z + (x * b - y * a)),
        d - half * dot([x, y, z], [a, b, c]),
    ]);
    (q, [x, y, z])
}

/// The quaternion, normalised. It must be finite and not zero.
pub(crate) fn unit(q: [f64; 4]) -> [f64; 4] {
    // Scaled by a power of two first, so that squares neither overflow nor underflow.
    let largest = q.into_iter().fold(0.0, |m, x| max(m, Real::abs(x)));
    let [x, y, z, w] = q.map(|x| x * largest.inverse_exponent());
    let length = Real::sqrt(x * x + y * y + z * z + w * w);
    [x / length, y / length, z / length, w / length]
}
