//! Estimates of stiffness, gap at rest and time step from the requirements of a host.

use core::f64::consts::PI;

use crate::real::{Real, ln, sin};

/// The pressure stiffness at which a load on an area rests at a given gap: `load / (area (1 - gap / halo))`. `halo` is the sum of both halos; the
/// gap is less than `halo`.
pub fn pressure_for(load: f64, area: f64, gap: f64, halo: f64) -> f64 {
    load / (area * (1.0 - gap / halo))
}

/// The gap at which a load on an area rests with this pressure: `halo (1 - load / (pressure area))`. A gap below 0 means penetration. Bodies
/// that are placed at this gap do not jump.
pub fn resting_gap(load: f64, area: f64, pressure: f64, halo: f64) -> f64 {
    halo * (1.0 - load / (pressure * area))
}

/// The stiffness of a linear spring with a dashpot for a contact duration `time`, between bodies of this reduced mass, at this restitution: `m
/// (pi^2 + ln^2 e) / time^2`. The force may pull.
pub fn linear_stiffness(mass: f64, time: f64, restitution: f64) -> f64 {
    let l = ln(restitution);
    mass * (PI * PI + l * l) / (time * time)
}

/// The longest stable step of a contact of this stiffness between bodies of this reduced mass, with a dashpot of `zeta` times critical damping:
/// `2 / w (sqrt(1 + zeta^2) - zeta)`, with `w = sqrt(stiffness / mass)`. A fifth of this step is accurate.
pub fn stable_step(stiffness: f64, mass: f64, zeta: f64) -> f64 {
    2.0 * Real::sqrt(mass / stiffness) * (Real::sqrt(1.0 + zeta * zeta) - zeta)
}

/// The load at which a column of equal blocks, standing on each other and on the ground, buckles sideways: `4 K / height sin^2(pi / (4 blocks))`.
/// K is the stiffness of a joint against tilt, torque over angle. For a square face with area A and a normal stiffness k (force over length), K
/// is `k A / 12`. A column with a larger load falls, whatever the step.
pub fn buckling_load(tilt: f64, height: f64, blocks: u32) -> f64 {
    let s = sin(PI / (4.0 * f64::from(blocks)));
    4.0 * tilt / height * s * s
}
