//! Rotations of bodies between steps, and their rates.

use super::pair_kernel::Rate;
use crate::body;
use crate::body::Body;
use crate::contact::shape::Shape;
use crate::error::What;
use crate::pose::scaled_product;

/// The identity rotation.
pub(super) const STILL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// The rate of a body, from its shape with scale and its rotation.
pub(super) fn warm_body(shape: Option<(&Shape<'_>, f64)>, body: &Body, turn: [f64; 4]) -> Rate {
    let (radius, halo) = match shape {
        Some((Shape::Sphere { radius, halo }, scale)) => (radius * scale, halo * scale),
        Some((Shape::HalfSpace { halo }, scale)) => (-1.0, halo * scale),
        _ => (0.0, 0.0),
    };
    let turn = if radius < 0.0 {
        let [x, y, z] = body.pose().transform(What::Pose).map_or([0.0; 3], |t| t.rotate([0.0, 0.0, 1.0]));
        [x, y, z, 0.0]
    } else {
        turn
    };
    Rate { radius, halo, turn }
}

/// The rotation between two orientations.
pub(super) fn since(before: [f64; 4], now: [f64; 4]) -> [f64; 4] {
    let [x, y, z, w] = body::unit(before);
    body::unit(scaled_product(body::unit(now), [-x, -y, -z, w]))
}

/// The orientation before a rotation.
pub(super) fn before([x, y, z, w]: [f64; 4], now: [f64; 4]) -> [f64; 4] {
    body::unit(scaled_product([-x, -y, -z, w], body::unit(now)))
}
