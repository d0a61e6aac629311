//! Moving spheres over a time span (P3 section 3): spheres that move along two linear segments, AABBs and spheres
//! around their paths, and which pairs may touch during the span.
//!
//! A body moves straight from its *start* to its *middle* and on to its *end*. Time runs from 0 to 1 over the span; at
//! the time `turn` the body is in its middle. The turns of two bodies split the span into three intervals. Within each
//! of them both move straight, and their smallest distance is that of a segment from the origin, which has a closed
//! form.
//!
//! A curved path stays within [`bulge`] of the segments; add this length to the radius. Add any other uncertainty to
//! the radius, too: a larger sphere finds more pairs, never fewer.
//!
//! # How to find pairs
//! [`enclose`] gives a sphere around the path of every body, for any broad phase. [`swept_pairs`] keeps the candidates
//! that may touch. [`Sweep::sides`] is the AABB of a path, for example for [`Boxes`](super::Boxes).
//!
//! # Rounding
//! Inputs count as exact. The errors of computed numbers are below thirty units of 2^-53 of the largest coordinate or
//! multiple of a period. Spheres, AABBs and thresholds are widened by 2^-46 of it. So no pair of spheres that touch is
//! lost.

use super::candidate::{Counts, Room, gather};
use super::{Candidate, FARTHEST, Space};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each};
use crate::memory::Layout;
use crate::real::{SUM_ERROR, max, min};
use crate::vector::{dot, length, sub};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Sweeps, or pairs, in a chunk of work.
const CHUNK: usize = 1024;

/// Squares of smaller numbers underflow.
const LEAST: f64 = f64::from_bits((1023 - 500) << 52);

/// A sphere that moves along two linear segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Sweep {
    /// Centre at the beginning of the span. Along periodic axes the three centres are not wrapped: the body moves
    /// straight between them.
    pub start: [f64; 3],
    /// Centre at the time `turn`.
    pub middle: [f64; 3],
    /// Centre at the end of the span.
    pub end: [f64; 3],
    /// Radius, halo and [`bulge`] included.
    pub radius: f64,
    /// Time at which the centre is in its middle, from 0 to 1. A segment of zero duration counts in full.
    pub turn: f64,
}

/// The closest approach of two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Approach {
    /// The smallest distance of their centres.
    pub distance: f64,
    /// The first time of the smallest distance, from 0 to 1.
    pub time: f64,
}

/// Bound for the distance of a moving point from the linear interpolation of its path at equal time:
/// `(|a| + rho w^2) dt^2 / 8`.
///
/// `acceleration` (a) is the largest acceleration of the centre of mass, `offset` (rho) the distance of the point from
/// the centre of mass, `speed` (w) the largest angular speed, and `duration` (dt) the time between the ends of the
/// segment, which are points of the path. All are at least 0. The contribution of the rotation is at most 2 rho,
/// however fast it is. For a sphere around the centre of mass the offset is 0.
///
/// The bound is the error of linear interpolation: half the product of the times to both ends and the second
/// derivative, which is largest in the middle.
pub fn bulge(acceleration: f64, offset: f64, speed: f64, duration: f64) -> f64 {
    let angle = speed * duration;
    let turning = offset * min(0.125 * (angle * angle), 2.0);
    (0.125 * acceleration * (duration * duration) + turning) * (1.0 + SUM_ERROR)
}

impl Sweep {
    /// Checks the sweep.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] with `What::Sweeps`, `index` and the component of the
    /// record (0 to 8 the centres, 9 the radius, 10 the turn): coordinates beyond [`FARTHEST`], a negative radius, a
    /// turn that is not between 0 and 1.
    pub fn check(&self, space: &Space, index: u64) -> Result<()> {
        let error = |kind, component| Err(Error::new(kind, What::Sweeps).at(index, component));
        let refuse = |x: f64, ends: [f64; 2], component| match x.is_finite() {
            false => error(Kind::NotFinite, component),
            true if !(ends[0]..=ends[1]).contains(&x) => error(Kind::OutOfRange, component),
            true => Ok(()),
        };
        for (place, first) in [(self.start, 0), (self.middle, 3), (self.end, 6)] {
            for (x, axis) in place.into_iter().zip(0..space.axes() as u32) {
                refuse(x, [-FARTHEST, FARTHEST], first + axis)?;
            }
        }
        refuse(self.radius, [0.0, FARTHEST], 9)?;
        refuse(self.turn, [0.0, 1.0], 10)
    }

    /// Low and high sides of an AABB that contains the sphere during the span. The third sides of discs are
    /// unspecified.
    pub fn sides(&self) -> [[f64; 3]; 2] {
        let ends = |axis: usize| {
            let [a, b, c] = [self.start[axis], self.middle[axis], self.end[axis]];
            let (low, high) = (min(a, min(b, c)), max(a, max(b, c)));
            let wide = self.radius + SUM_ERROR * (self.radius + max(low.abs(), high.abs()));
            [low - wide, high + wide]
        };
        let [x, y, z] = [0, 1, 2].map(ends);
        [[x[0], y[0], z[0]], [x[1], y[1], z[1]]]
    }

    /// Centre and radius of a sphere that contains the moving sphere during the span: up to rounding the smallest one
    /// around the three centres, plus the radius.
    pub fn sphere(&self, space: &Space) -> ([f64; 3], f64) {
        let places = [self.start, self.middle, self.end].map(|place| flat(place, space));
        let centre = amid(places);
        let far = places.iter().map(|place| length(sub(*place, centre))).fold(0.0, max);
        (centre, far + self.radius + SUM_ERROR * (far + self.radius + self.farthest(space)) + LEAST)
    }

    /// The largest coordinate.
    fn farthest(&self, space: &Space) -> f64 {
        let mut far = 0.0;
        for axis in 0..space.axes() {
            far = max(far, max(self.start[axis].abs(), max(self.middle[axis].abs(), self.end[axis].abs())));
        }
        far
    }

    /// The centre at a time up to `turn`; `after`: at a time from `turn` on.
    fn before(&self, time: f64) -> [f64; 3] {
        between(self.start, self.middle, if time < self.turn { time / self.turn } else { 1.0 })
    }

    fn after(&self, time: f64) -> [f64; 3] {
        let rest = 1.0 - self.turn;
        between(self.middle, self.end, if time < 1.0 { (time - self.turn) / rest } else { 1.0 })
    }

    /// The closest approach of the centre of `other`, translated by `shift` periods, to the centre of this body.
    ///
    /// The error of the distance is at most 2^-47 of the coordinates.
    pub fn approach(&self, other: &Sweep, space: &Space, shift: [i16; 3]) -> Approach {
        let [first, last] = if self.turn <= other.turn { [self, other] } else { [other, self] };
        let sign = if self.turn <= other.turn { 1.0 } else { -1.0 };
        let moved = [0, 1, 2].map(|axis| sign * f64::from(shift[axis]) * space.period(axis).unwrap_or(0.0));
        let seen = |a: [f64; 3], b: [f64; 3]| {
            let d = sub(b, a);
            flat([d[0] + moved[0], d[1] + moved[1], d[2] + moved[2]], space)
        };
        let (early, late) = (first.turn, last.turn);
        let intervals = [
            ([0.0, early], seen(first.start, last.start), seen(first.middle, last.before(early))),
            ([early, late], seen(first.middle, last.before(early)), seen(first.after(late), last.middle)),
            ([late, 1.0], seen(first.after(late), last.middle), seen(first.end, last.end)),
        ];
        let mut best = Approach { distance: f64::INFINITY, time: 0.0 };
        for ([from, to], start, end) in intervals {
            let (distance, part) = nearest(start, end);
            if distance < best.distance {
                best = Approach { distance, time: from + part * (to - from) };
            }
        }
        best
    }

    /// Whether the distance of the two spheres, the other one translated by `shift` periods, may be at most `margin` at
    /// some time of the span. False is certain. Where the result is true, the smallest distance is at most the margin
    /// plus 2^-45 of coordinates and radii.
    pub fn may_meet(&self, other: &Sweep, space: &Space, shift: [i16; 3], margin: f64) -> bool {
        let reach = (self.radius + other.radius) + margin;
        let far = self.farthest(space) + other.farthest(space);
        // Multiples of periods need no term of their own: they cancel coordinates, or the distance is as large as they
        // are.
        let approach = self.approach(other, space, shift);
        approach.distance <= reach + (SUM_ERROR * (far + reach) + LEAST) || !approach.distance.is_finite()
    }
}

/// The centre of the smallest sphere around three points, up to rounding.
fn amid([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (ab, bc, ca) = (sub(b, a), sub(c, b), sub(a, c));
    let (ab2, bc2, ca2) = (dot(ab, ab), dot(bc, bc), dot(ca, ca));
    // Weights of the circumcentre; all are at least 0 unless the triangle has an obtuse angle.
    let (wa, wb, wc) = (bc2 * (ab2 + ca2 - bc2), ca2 * (ab2 + bc2 - ca2), ab2 * (bc2 + ca2 - ab2));
    let sum = wa + wb + wc;
    if wa > 0.0 && wb > 0.0 && wc > 0.0 && sum.is_finite() {
        return [0, 1, 2].map(|k| (a[k] * wa + b[k] * wb + c[k] * wc) / sum);
    }
    let middle = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| 0.5 * a[k] + 0.5 * b[k]);
    match () {
        () if ab2 >= bc2 && ab2 >= ca2 => middle(a, b),
        () if bc2 >= ca2 => middle(b, c),
        () => middle(c, a),
    }
}

/// The smallest distance of the segment from a to b from the origin, and the parameter of the closest point.
fn nearest(a: [f64; 3], b: [f64; 3]) -> (f64, f64) {
    let way = sub(b, a);
    let (down, square) = (-dot(a, way), dot(way, way));
    let part = if down <= 0.0 || square == 0.0 { 0.0 } else { min(down / square, 1.0) };
    (length(between(a, b, part)), part)
}

/// Linear interpolation, exact for the parts 0 and 1.
fn between(a: [f64; 3], b: [f64; 3], part: f64) -> [f64; 3] {
    [0, 1, 2].map(|k| (1.0 - part) * a[k] + part * b[k])
}

/// Sets components beyond the dimensions to 0.
fn flat(mut x: [f64; 3], space: &Space) -> [f64; 3] {
    x.iter_mut().skip(space.axes()).for_each(|x| *x = 0.0);
    x
}

/// Spheres around the paths of all bodies: centres and radii for a [`Query`](super::Query).
///
/// Errors: those of [`Sweep::check`]; [`Kind::Mismatch`] where the arrays have other lengths. Cost: one pass.
pub fn enclose(
    exec: &dyn Executor,
    sweeps: &[Sweep],
    space: &Space,
    centres: &mut [[f64; 3]],
    radii: &mut [f64],
) -> Result<()> {
    for (length, what) in [(centres.len(), What::Centres), (radii.len(), What::Radii)] {
        if length != sweeps.len() {
            return Err(Error::new(Kind::Mismatch, what).amounts(sweeps.len() as u64, length as u64));
        }
    }
    sweeps.iter().zip(0..).try_for_each(|(sweep, i)| sweep.check(space, i))?;
    each(exec, (CutMut(centres, CHUNK), CutMut(radii, CHUNK)), |chunk, (centres, radii)| {
        let sweeps = sweeps.get(chunk * CHUNK..).unwrap_or_default();
        for (sweep, (centre, radius)) in sweeps.iter().zip(centres.iter_mut().zip(radii)) {
            (*centre, *radius) = sweep.sphere(space);
        }
    });
    Ok(())
}

/// Scratch of [`swept_pairs`] for this number of candidates, about a hundredth of a byte per candidate.
///
/// Errors: [`Kind::TooLarge`].
pub fn swept_scratch(pairs: usize) -> Result<Layout> {
    Counts::layout(pairs, CHUNK)
}

/// Writes the candidates of a list that [may touch](Sweep::may_meet), in the order of the list, and gives their number.
///
/// `scratch` is [`swept_scratch`]. Errors: [`Kind::BadIndex`] with the first pair of the list that names a missing body
/// (`What::Pairs`); [`Kind::Capacity`] with the exact number where `out` is too small (the content of `out` is then
/// unspecified), or `scratch`. Sweeps are not checked, since [`enclose`] checks them. Cost: one pass over the list.
pub fn swept_pairs(
    exec: &dyn Executor,
    list: &[Candidate],
    sweeps: &[Sweep],
    space: &Space,
    margin: f64,
    out: &mut [Candidate],
    scratch: &mut [u8],
) -> Result<usize> {
    let counts = Counts::new(scratch, list.len(), CHUNK)?.each;
    gather(exec, counts, out, |chunk, room: &mut Room<'_>| {
        let start = chunk * CHUNK;
        for (i, pair) in list.iter().enumerate().take(start + CHUNK).skip(start) {
            let [a, b] = pair.both(i, sweeps)?;
            if a.may_meet(b, space, pair.shift, margin) {
                room.put(*pair);
            }
        }
        Ok(())
    })
}
