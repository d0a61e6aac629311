//! Balls, and which pairs of them a list has.

use super::ball_rows::{Placed, Points};
use crate::body::Body;
use crate::real::{Real, max, min};
use crate::world::grid::Grid;

/// A body that may be in a pair, and how it moves.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    pub points: Points<'w>,
    pub bodies: &'w [Body],
    pub groups: &'w [u32],
    pub masks: &'w [u32],
}

/// Bodies whose pairs are looked for.
pub(super) struct Bodied<'b> {
    pub grid: Grid,
    pub balls: Placed<'b>,
    pub points: Points<'b>,
    pub bodies: &'b [Body],
    pub groups: &'b [u32],
    pub masks: &'b [u32],
    pub ids: &'b [u64],
}

/// How far the plane of a half-space may be moved before its pairs are looked for anew, as a part of how far things are from the origin: it is kept in single precision.
pub(super) const PLANE: f64 = 3e-7;

/// A place of the list without a pair.
pub(super) const GAP: [u32; 2] = [u32::MAX; 2];

/// Whether a body has a place as balls have them.
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

/// The reach of a ball with half of the skin, and what rounding may do, here and where it is kept in single precision.
pub(super) fn wide([x, y, z, reach]: &[f64; 4], skin: f64) -> f64 {
    let far = max(max(Real::abs(*x), Real::abs(*y)), Real::abs(*z));
    reach * (1.0 + 2e-7) + 0.5 * skin + 1e-14 * far
}
