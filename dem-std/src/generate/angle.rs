//! Sine and cosine from libm, which have the same bits on every machine. The generators use no other transcendental
//! functions.

const TURN: f64 = core::f64::consts::TAU;

/// Cosine and sine of `k / n` of a full turn.
pub(super) fn of_turn(k: u32, n: u32) -> (f64, f64) {
    let angle = TURN * (k as f64 / n as f64);
    (libm::cos(angle), libm::sin(angle))
}
