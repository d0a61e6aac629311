//! Velocity of a body at the end of a step without contacts, for checks of the length of a step.

use crate::body::{self, Body, is_bounded};
use crate::broad::Motion;
use crate::detect::Wrench;
use crate::vector::{add, scale};

/// Velocity and angular velocity, including what gravity and a load of the host add in a step.
///
/// A load that is NaN or too large for a step adds nothing here: the phase that moves bodies returns the error.
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

/// Velocity and angular velocity of a body's motion. A static body stays in place: its velocities are for friction and damping only.
#[inline(always)]
pub(super) fn own(body: &Body) -> [[f64; 3]; 2] {
    if body.motion == Motion::Static as u32 { [[0.0; 3]; 2] } else { [body.velocity, body.angular_velocity] }
}

/// Whether a load is valid for a step, and not zero.
pub(super) fn acts(load: &Wrench) -> bool {
    *load != Wrench::default() && is_bounded(&load.force) && is_bounded(&load.torque)
}
