//! The tree's single-precision coordinates, and why their rounding never loses a pair.
//!
//! Along a periodic axis the tree stores the *home* image of a box, whose low side is in the first period. Coordinates
//! are relative to an origin amid the finite sides, and rounded outwards. A body is searched by the AABB of its sphere,
//! margin included, which is rounded outwards, too, and widened by a *slack* of 2^-47 of the largest number in the
//! computation. Both AABBs and the canonical decision take fewer than sixteen operations in double precision, each with
//! an error of at most 2^-53 of this number. So where the two AABBs do not overlap, the canonical decision is no.

use super::super::{Query, Space, canonical::Sphere};
use super::Boxes;
use crate::real::{SUM_ERROR, max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Parameters of the last rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Frame {
    pub periods: [f64; 3],
    /// Subtracted from coordinates.
    pub origin: [f64; 3],
    /// Bounds of the finite sides of home images; `low > high` where there are none.
    pub low: [f64; 3],
    pub high: [f64; 3],
    /// A bound for the coordinates of boxes.
    pub far: [f64; 3],
    pub boxes: u32,
    /// Number of axes.
    pub axes: u32,
    /// 1 after a successful rebuild.
    pub ready: u32,
    /// Bit k: some box is unbounded along the periodic axis k.
    pub endless: u32,
}

/// An AABB in coordinates of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Sides {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

/// The largest integer that is at most x, saturated.
#[inline(always)]
fn floor(x: f64) -> i64 {
    let t = x as i64;
    t - i64::from(t as f64 > x)
}

/// Number of the period that contains a coordinate.
#[inline(always)]
pub(super) fn home(x: f64, period: f64) -> i64 {
    floor(x / period)
}

/// Rounds down to single precision, within a few units in the last place.
#[inline(always)]
fn down(x: f64) -> f32 {
    let x = min(x as f32, f32::MAX);
    // One or two units in the last place of x.
    x - (x.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

/// Rounds up to single precision, within a few units in the last place.
#[inline(always)]
fn up(x: f64) -> f32 {
    -down(-x)
}

impl Frame {
    /// The frame of boxes that have passed their check.
    pub(super) fn new(space: &Space, boxes: &Boxes<'_>) -> Frame {
        let mut frame = Frame {
            periods: [0, 1, 2].map(|axis| space.period(axis).unwrap_or(0.0)),
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
            boxes: boxes.len() as u32,
            axes: space.axes() as u32,
            ..Frame::default()
        };
        for i in 0..boxes.len() {
            let sides = [boxes.low.get(i), boxes.high.get(i)];
            for axis in 0..space.axes() {
                let [low, high] = frame.at_home(sides.map(|side| side[axis]), axis);
                let endless = frame.periods[axis] > 0.0 && !low.is_finite();
                frame.endless |= u32::from(endless) << axis;
                for (x, given) in [(low, sides[0][axis]), (high, sides[1][axis])] {
                    if x.is_finite() {
                        frame.low[axis] = min(x, frame.low[axis]);
                        frame.high[axis] = max(x, frame.high[axis]);
                        frame.far[axis] = max(max(x.abs(), given.abs()), frame.far[axis]);
                    }
                }
            }
        }
        for axis in 0..space.axes() {
            if frame.low[axis] <= frame.high[axis] {
                frame.origin[axis] = 0.5 * frame.low[axis] + 0.5 * frame.high[axis];
            }
            frame.far[axis] = 2.0 * frame.far[axis] + 256.0 * frame.periods[axis];
        }
        frame
    }

    /// The sides of the home image along an axis.
    #[inline(always)]
    fn at_home(&self, [low, high]: [f64; 2], axis: usize) -> [f64; 2] {
        let period = self.periods[axis];
        if period > 0.0 && low.is_finite() {
            let moved = home(low, period) as f64 * period;
            return [low - moved, high - moved];
        }
        [low, high]
    }

    /// The AABB of a box in coordinates of the tree.
    pub(super) fn sides(&self, boxes: &Boxes<'_>, i: usize) -> Sides {
        let (low, high) = (boxes.low.get(i), boxes.high.get(i));
        let mut sides = Sides { low: [f32::NEG_INFINITY; 3], high: [f32::INFINITY; 3] };
        for axis in 0..self.axes as usize {
            let [low, high] = self.at_home([low[axis], high[axis]], axis);
            (sides.low[axis], sides.high[axis]) = (down(low - self.origin[axis]), up(high - self.origin[axis]));
        }
        sides
    }

    /// The AABB of a body in open space.
    #[inline(always)]
    pub(super) fn around(&self, query: &Query<'_>, sphere: &Sphere) -> Sides {
        let mut sides = Sides::default();
        let (reach, axes) = (sphere.radius + query.margin, self.axes as usize);
        for axis in 0..3 {
            let x = if axis < axes { sphere.centre[axis] } else { 0.0 };
            let wide = reach + SUM_ERROR * (self.far[axis] + (x.abs() + reach));
            (sides.low[axis], sides.high[axis]) = outwards(x - self.origin[axis], wide);
        }
        sides
    }

    /// The search of a body in a periodic space.
    #[inline(always)]
    pub(super) fn probe(&self, query: &Query<'_>, sphere: &Sphere) -> Probe {
        let mut probe = Probe::default();
        let reach = sphere.radius + query.margin;
        for axis in 0..self.axes as usize {
            let (mut x, period) = (sphere.centre[axis], self.periods[axis]);
            let wide = reach + SUM_ERROR * (self.far[axis] + (x.abs() + reach));
            if period > 0.0 {
                let at = home(x, period);
                x -= at as f64 * period;
                probe.at[axis] = at;
                if self.low[axis] <= self.high[axis] {
                    probe.first[axis] = -floor(((self.high[axis] - x) + wide) / period);
                    probe.last[axis] = floor(((x - self.low[axis]) + wide) / period);
                } else {
                    probe.last[axis] = -1;
                }
                if self.endless >> axis & 1 != 0 && probe.last[axis] < probe.first[axis] {
                    (probe.first[axis], probe.last[axis]) = (0, 0);
                }
            }
            probe.centre[axis] = x - self.origin[axis];
            probe.wide[axis] = wide;
        }
        probe
    }
}

/// A body, and the range of images in which it has to be searched.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probe {
    centre: [f64; 3],
    wide: [f64; 3],
    /// First image along each axis to be searched; `last` is the last one.
    pub first: [i64; 3],
    pub last: [i64; 3],
    /// The period that the body is in.
    pub at: [i64; 3],
}

impl Probe {
    /// The AABB of the body relative to an image.
    #[inline(always)]
    pub(super) fn sides(&self, frame: &Frame, image: [i64; 3]) -> Sides {
        let mut sides = Sides::default();
        for (axis, image) in image.into_iter().enumerate() {
            let x = self.centre[axis] - image as f64 * frame.periods[axis];
            (sides.low[axis], sides.high[axis]) = outwards(x, self.wide[axis]);
        }
        sides
    }
}

/// `x - wide` and `x + wide`, rounded outwards. Finite, so that empty places of the tree, which are infinite, never
/// overlap.
#[inline(always)]
fn outwards(x: f64, wide: f64) -> (f32, f32) {
    let (x, wide) = (x as f32, wide as f32);
    // Covers the rounding of `x` and `wide`, of this sum, and of the two ends.
    let wide = wide + ((wide + x.abs()) * (4.0 * f32::EPSILON) + f32::MIN_POSITIVE);
    if wide + x.abs() <= f32::MAX { (x - wide, x + wide) } else { (f32::MIN, f32::MAX) }
}
