//! Coefficients of damping that give a restitution, and back.

use crate::real::{Real, exp, ln};
use core::f64::consts::PI;

/// A restitution as damping takes it: at least 2^-20; none from 1 on.
fn damped(e: f64) -> Option<f64> {
    const LEAST: f64 = 1.0 / (1 << 20) as f64;
    if e >= 1.0 {
        return None;
    }
    Some(if e <= 1e-6 { LEAST } else { e })
}

/// The coefficient of [`Damping::HuntCrossley`](super::Damping::HuntCrossley) with which bodies that meet at `velocity` separate at `restitution`
/// times `velocity`. It holds for any elastic law and shape, in central impact. It is the root x of `(1 + e) x = ln((1 + x) / (1 - e x))`, over
/// the velocity (Gonthier et al., Multibody System Dynamics 11, 2004, 209). Time over length.
///
/// 0 for a restitution of at least 1. A restitution of 0 or less has no finite coefficient, and counts as 2^-20. The velocity must be above 0. NaN
/// gives NaN.
pub fn hunt_crossley(restitution: f64, velocity: f64) -> f64 {
    let Some(e) = damped(restitution) else { return 0.0 };
    // `above` holds below the root: (1 + e) x + ln(1 - e x) - ln(1 + x) > 0 for small x, and falls to minus infinity at 1/e.
    let above = |x: f64| (1.0 + e) * x > ln((1.0 + x) / (1.0 - e * x));
    // With NaN, 1/e is NaN, and so is what lies between.
    root(0.0, 1.0 / e, above) / velocity
}

/// The part of critical damping of [`Damping::Dashpot`](super::Damping::Dashpot) that gives this restitution: the root of [`restitution`].
///
/// 0 for a restitution of at least 1; one of 0 or less counts as 2^-20. NaN gives NaN.
pub fn dashpot(e: f64) -> f64 {
    match damped(e) {
        Some(e) if e.is_nan() => e,
        Some(e) => root(0.0, 1e7, |zeta| restitution(zeta) > e),
        None => 0.0,
    }
}

/// The part of critical damping of [`Damping::DashpotWithTension`](super::Damping::DashpotWithTension) that gives this restitution: `-ln e / sqrt(pi^2 + ln^2 e)`.
///
/// 0 for a restitution of at least 1; one of 0 or less counts as 2^-20. NaN gives NaN.
pub fn dashpot_with_tension(e: f64) -> f64 {
    let Some(e) = damped(e) else { return 0.0 };
    let l = -ln(e);
    l / Real::sqrt(PI * PI + l * l)
}

/// The restitution of a dashpot of `zeta` times critical damping whose contact ends when the force would pull: `exp(-2 zeta acos(zeta) / sqrt(1 -
/// zeta^2))`; beyond critical damping with acosh and the root of `zeta^2 - 1` (Schwager and Poeschel, Granular Matter 9, 2007, 465). The result
/// is the same for forces proportional to the depth to the power of 1, 1.5 and 2.
pub fn restitution(zeta: f64) -> f64 {
    let square = 1.0 - zeta * zeta;
    if Real::abs(square) < 1e-8 {
        return exp(-2.0 * zeta);
    }
    let root = Real::sqrt(Real::abs(square));
    let angle = if square > 0.0 { libm::acos(zeta) } else { libm::acosh(zeta) };
    exp(-2.0 * zeta * angle / root)
}

/// The restitution of a dashpot of `zeta` times critical damping, below 1, whose force may pull: `exp(-pi zeta / sqrt(1 - zeta^2))`.
pub fn restitution_with_tension(zeta: f64) -> f64 {
    let square = 1.0 - zeta * zeta;
    if square <= 0.0 { 0.0 } else { exp(-PI * zeta / Real::sqrt(square)) }
}

/// The argument where `above` turns from true to false, by bisection.
fn root(mut low: f64, mut high: f64, above: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if above(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
