//! The canonical decision whether a sphere touches a box, and all pairs by brute force.

use super::super::{Query, candidate::Room, canonical::Sphere};
use super::{BoxCandidate, Boxes};
use crate::error::Result;

impl Boxes<'_> {
    /// Whether the distance of box `huge`, translated by `shift` periods, from the centre of `body` is at most radius
    /// plus margin.
    ///
    /// Per axis `l = (low - x) + shift * period`, `h = (high - x) + shift * period`, and d is l if that is positive,
    /// else h if that is negative, else 0; then `(d_x d_x + d_y d_y) + d_z d_z <= R R` with `R = radius + margin`.
    /// Along open axes the shift counts as 0. Exact up to the rounding of these operations.
    pub fn reached(&self, query: &Query<'_>, body: usize, huge: usize, shift: [i16; 3]) -> bool {
        self.decide(query, &query.sphere(body), huge, shift)
    }

    #[inline(always)]
    pub(super) fn decide(&self, query: &Query<'_>, sphere: &Sphere, huge: usize, shift: [i16; 3]) -> bool {
        let (low, high) = (self.low.get(huge), self.high.get(huge));
        let mut square = 0.0;
        for axis in 0..query.space.axes() {
            let moved = f64::from(shift[axis]) * query.space.period(axis).unwrap_or(0.0);
            let (l, h) = ((low[axis] - sphere.centre[axis]) + moved, (high[axis] - sphere.centre[axis]) + moved);
            let d = if l > 0.0 {
                l
            } else if h < 0.0 {
                h
            } else {
                0.0
            };
            square += d * d;
        }
        let reach = sphere.radius + query.margin;
        square <= reach * reach
    }
}

/// Writes all pairs, ordered by (body, box, shift), and gives their number: the reference for the tree.
///
/// Errors: those of [`Query::check`] and [`Boxes::check`]; [`Kind::Capacity`](crate::error::Kind::Capacity) with the
/// exact number where `out` is too small (the content of `out` is then unspecified).
///
/// Cost: proportional to bodies times boxes, and to the number of periodic images within reach.
pub fn boxes_brute(query: &Query<'_>, boxes: &Boxes<'_>, out: &mut [BoxCandidate]) -> Result<usize> {
    query.check()?;
    boxes.check(&query.space)?;
    let mut room = Room::new(out);
    for body in 0..query.bodies.len() {
        for huge in 0..boxes.len() {
            if boxes.wanted(query, body, huge) {
                images(query, boxes, body, huge, &mut room);
            }
        }
    }
    room.finish()
}

fn images(query: &Query<'_>, boxes: &Boxes<'_>, body: usize, huge: usize, room: &mut Room<'_, BoxCandidate>) {
    let sphere = query.sphere(body);
    let reach = sphere.radius + query.margin;
    let shifts = |axis: usize| {
        let (low, high) = (boxes.low.get(huge)[axis], boxes.high.get(huge)[axis]);
        match query.space.period(axis).filter(|_| low.is_finite()) {
            // Casts round towards zero, so the range has at least one shift more on either side.
            Some(period) => {
                let first = ((sphere.centre[axis] - high) - reach) / period;
                let last = ((sphere.centre[axis] - low) + reach) / period;
                (first as i64 - 2) as i16..=(last as i64 + 2) as i16
            }
            None => 0..=0,
        }
    };
    for x in shifts(0) {
        for y in shifts(1) {
            for z in shifts(2) {
                if boxes.decide(query, &sphere, huge, [x, y, z]) {
                    room.put(BoxCandidate { body: body as u32, huge: huge as u32, shift: [x, y, z], spare: 0 });
                }
            }
        }
    }
}
