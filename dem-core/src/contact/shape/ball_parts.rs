//! Two bodies of balls only: a test by centres for parts that may touch, before anything else is computed.

use super::site::Site;
use super::{Placed, Shape};
use crate::error::{Result, What};
use crate::pose::{Pose, Transform};
use crate::vector::{dot, sub};

/// Number of B's parts whose centres are kept at a time.
const BLOCK: usize = 16;

/// Squared lengths in this range, and sums of some of them, neither overflow nor underflow.
const COMMON: core::ops::Range<f64> = 1e-60..1e60;

/// Balls are far if the squared distance exceeds the limit by this part, whatever the rounding.
const DOUBT: f64 = 1e-9;

impl Shape<'_> {
    /// Whether it is a ball, or a compound of balls only.
    pub(crate) fn is_of_balls(&self) -> bool {
        match self {
            Shape::Sphere { .. } => true,
            Shape::Compound(parts) => parts.iter().all(|part| matches!(part.shape, Shape::Sphere { .. })),
            _ => false,
        }
    }
}

/// A body whose position relative to the midpoint of both is `offset`.
struct Cluster<'a> {
    shape: Shape<'a>,
    pose: Pose,
    turn: Transform,
    scale: f64,
}

/// A ball: centre relative to the midpoint, radius with halo.
type Place = ([f64; 3], f64);

impl<'a> Cluster<'a> {
    fn new(placed: &Placed<'a>, offset: [f64; 3]) -> Result<Self> {
        let pose = Pose { position: offset, ..*placed.pose };
        Ok(Cluster { shape: placed.shape, pose, turn: pose.transform(What::Pose)?, scale: placed.scale })
    }

    fn parts(&self) -> usize {
        if let Shape::Compound(parts) = self.shape { parts.len() } else { 1 }
    }

    /// Centre, shape and scale of a part.
    fn centre(&self, i: usize) -> Option<([f64; 3], Shape<'a>, f64)> {
        let Shape::Compound(parts) = self.shape else { return Some((self.pose.position, self.shape, self.scale)) };
        let part = parts.get(i)?;
        let at = self.turn.apply(part.pose.position.map(|x| x * self.scale));
        Some((at, part.shape, self.scale * part.scale))
    }

    fn place(&self, i: usize) -> Option<Place> {
        let (at, shape, scale) = self.centre(i)?;
        let Shape::Sphere { radius, halo } = shape else { return None };
        Some((at, (radius + halo) * scale))
    }

    /// A part as a site. For a ball, rules use its centre only.
    fn site(&self, i: usize) -> Option<Site<'a>> {
        let (at, shape, scale) = self.centre(i)?;
        let pose = Pose { position: at, ..self.pose };
        Some(Site { shape, pose, turn: Transform { translation: at, ..self.turn }, scale, first: i as u32 })
    }
}

/// Whether two balls are too far apart for a contact.
#[inline(always)]
fn are_far((p, r): &Place, (q, s): &Place, margin: f64) -> bool {
    let (d, reach) = (sub(*p, *q), r + s + margin);
    let (square, most) = (dot(d, d), reach * reach);
    COMMON.contains(&square) && COMMON.contains(&most) && square * (1.0 - DOUBT) > most
}

/// Calls `visit` for each pair of a part of A and a part of B that may touch. `half`: the position of A relative to the midpoint of both.
/// `margin` enlarges the sum of both halos.
///
/// Errors: those of the poses and of `visit`.
// Out of line, apart from the code of meshes with its deep calls, so that these arrays do not stay on the stack below it.
#[inline(never)]
pub(super) fn each_near<'a>(
    (a, b): (&Placed<'a>, &Placed<'a>),
    half: [f64; 3],
    margin: f64,
    visit: &mut dyn FnMut(&Site<'a>, &Site<'a>) -> Result<()>,
) -> Result<()> {
    let (a, b) = (Cluster::new(a, half)?, Cluster::new(b, half.map(|x| -x))?);
    for first in (0..b.parts()).step_by(BLOCK) {
        let mut places = [([0.0; 3], 0.0); BLOCK];
        let mut count = 0;
        for (place, i) in places.iter_mut().zip(first..b.parts()) {
            *place = b.place(i).unwrap_or_default();
            count += 1;
        }
        for i in 0..a.parts() {
            let Some(own) = a.place(i) else { continue };
            for (k, place) in places.iter().enumerate().take(count) {
                if are_far(&own, place, margin) {
                    continue;
                }
                if let (Some(x), Some(y)) = (a.site(i), b.site(first + k)) {
                    visit(&x, &y)?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_is_never_far() {
        let at = |x: f64, r: f64| ([x, 0.0, 0.0], r);
        assert!(are_far(&at(0.0, 1.0), &at(2.1, 1.0), 0.0) && !are_far(&at(0.0, 1.0), &at(2.1, 1.0), 0.2));
        assert!(!are_far(&at(0.0, 1.0), &at(2.0, 1.0), 0.0) && !are_far(&at(0.0, 1.0), &at(2.0 + 1e-10, 1.0), 0.0));
        // Where products overflow or underflow, and for coincident points, the rules decide.
        for (place, r) in [(1e200, 1.0), (f64::NAN, 1.0), (1e-40, 1e-41), (3.0, 1e40), (0.0, 0.0)] {
            assert!(!are_far(&at(0.0, r), &at(place, r), 0.0), "{place} {r}");
        }
    }
}
