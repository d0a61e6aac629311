//! How fast a body is at the end of a step if nothing touches it: what checks of the length of a step look at.

use crate::body::{self, Body, is_bounded};
use crate::broad::Motion;
use crate::detect::Wrench;
use crate::vector::{add, scale};

/// Velocity and angular velocity, with what gravity and a load of the host add in a step.
///
/// A load that is too large for a step, or no number, adds nothing here: the step refuses it as bodies move.
#[inline(always)]
pub(super) fn pushed(body: &Body, load: Option<&Wrench>, gravity: [f64; 3], dt: f64) -> [[f64; 3]; 2] {
    if !body.is_dynamic() {
        return own(body);
    }
    let velocity = add(body.velocity, scale(gravity, dt));
    match load {
        Some(load) if acts(load) => {
            let push = scale(load.force, dt / body.mass);
            [add(velocity, push), add(body.angular_velocity, body::spun(body, scale(load.torque, dt)))]
        }
        _ => [velocity, body.angular_velocity],
    }
}

/// Velocity and angular velocity with which a body moves. Those of a static body are for friction and damping only: it stays in its place.
#[inline(always)]
pub(super) fn own(body: &Body) -> [[f64; 3]; 2] {
    if body.motion == Motion::Static as u32 { [[0.0; 3]; 2] } else { [body.velocity, body.angular_velocity] }
}

/// Whether a load is one that a step takes, and not zero.
pub(super) fn acts(load: &Wrench) -> bool {
    *load != Wrench::default() && is_bounded(&load.force) && is_bounded(&load.torque)
}
