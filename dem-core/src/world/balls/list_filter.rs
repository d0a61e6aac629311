//! Balls, and the pairs of them that are listed.

use super::ball_rows::{Placed, Points};
use crate::body::Body;
use crate::real::{Real, max, min};
use crate::world::grid::Grid;

/// The data that decide whether two bodies may be a pair.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    pub points: Points<'w>,
    pub bodies: &'w [Body],
    pub groups: &'w [u32],
    pub masks: &'w [u32],
}

/// The bodies of a search for pairs.
pub(super) struct Bodied<'b> {
    pub grid: Grid,
    pub balls: Placed<'b>,
    pub points: Points<'b>,
    pub bodies: &'b [Body],
    pub groups: &'b [u32],
    pub masks: &'b [u32],
    pub ids: &'b [u64],
}

/// Largest displacement of a half-space's plane before its pairs are searched again, as a part of the distance from the origin: the plane is
/// stored in single precision.
pub(super) const PLANE: f64 = 3e-7;

/// An item of the list without a pair.
pub(super) const GAP: [u32; 2] = [u32::MAX; 2];

/// Whether a position with reach belongs to a ball.
pub(super) fn is_ball(place: &[f64; 4]) -> bool {
    place[3] > 0.0 && place[3] < f64::INFINITY
}

/// A box around the centres of all balls.
pub(super) fn bounds_of(balls: &Placed<'_>) -> [[f64; 3]; 2] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for place in balls.iter().filter(is_ball) {
        for k in 0..3 {
            (low[k], high[k]) = (min(low[k], place[k]), max(high[k], place[k]));
        }
    }
    [low, high]
}

/// The reach of a ball with half of the skin, and with margins for rounding, here and in single precision.
pub(super) fn wide([x, y, z, reach]: &[f64; 4], skin: f64) -> f64 {
    let far = max(max(Real::abs(*x), Real::abs(*y)), Real::abs(*z));
    reach * (1.0 + 2e-7) + 0.5 * skin + 1e-14 * far
}
