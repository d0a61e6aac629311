//! All pairs by brute force: the reference for other broad phases.

use super::candidate::Room;
use super::canonical::{Limits, Spheres};
use super::{Candidate, Query};
use crate::error::Result;

/// Writes all candidates, ordered by (a, b, shift), and gives their number.
///
/// Errors: those of [`Query::check`]; [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number where
/// `out` is too small (the content of `out` is then unspecified).
///
/// Cost: proportional to the square of the number of bodies, and to the number of periodic images within reach.
pub fn brute(query: &Query<'_>, out: &mut [Candidate]) -> Result<usize> {
    query.check_frame()?;
    let (limits, spheres, n) = (Limits::new(query), Spheres::new(query), query.bodies.len());
    for i in 0..n {
        if !limits.hold(i, &spheres.get(i)) {
            query.check_body(i)?;
        }
    }
    let mut room = Room::new(out);
    let (open, all) = (query.space.is_open(), query.bodies.all_wanted());
    for a in 0..n {
        let p = spheres.get(a);
        // Only in a periodic space can a body touch its own image.
        for b in a + usize::from(open)..n {
            if !(all || query.bodies.wanted(a, b)) {
                continue;
            }
            if !open {
                images(query, a, b, &mut room);
            } else if query.decide(&p, &spheres.get(b), [0; 3]) {
                room.put(Candidate::new(a as u32, b as u32, [0; 3]));
            }
        }
    }
    room.finish()
}

/// The candidates of one pair of bodies, a <= b, with all periodic images.
pub(crate) fn images(query: &Query<'_>, a: usize, b: usize, room: &mut Room<'_>) {
    let (p, q) = (query.sphere(a), query.sphere(b));
    let reach = query.reach(&p, &q);
    let shifts = |axis: usize| match query.space.period(axis) {
        Some(period) => shifts(q.centre[axis] - p.centre[axis], reach, period),
        None => 0..=0,
    };
    for x in shifts(0) {
        for y in shifts(1) {
            for z in shifts(2) {
                let shift = [x, y, z];
                if (a < b || shift > [0; 3]) && query.decide(&p, &q, shift) {
                    room.put(Candidate::new(a as u32, b as u32, shift));
                }
            }
        }
    }
}

/// All shifts s with `|d + s period| <= reach`, and at least one more on either side for the rounding.
fn shifts(d: f64, reach: f64, period: f64) -> core::ops::RangeInclusive<i16> {
    // Casts round towards zero and saturate, so a distance of 2 is at least one shift more.
    let (low, high) = ((-reach - d) / period, (reach - d) / period);
    (low as i64 - 2) as i16..=(high as i64 + 2) as i16
}
