//! A sphere around each body with its halo, and the unbounded bodies: half-spaces, and compounds with such a part.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::bounding_sphere::Ball;
use super::box_body::places;
use super::plane::Plane;
use crate::contact::shape::Shape;
use crate::error::{Error, Result, What};
use crate::exec::{CutMut, Executor, each};
use crate::memory::sections;
use crate::real::{Real, SUM_ERROR};

/// Bodies that a thread processes at a time.
pub(super) const CHUNK: usize = 4096;

/// The data of a ball, or of a half-space, from which contacts are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Spot {
    pub centre: [f64; 3],
    /// Negative if the body is no ball.
    pub radius: f64,
    /// The halo of a ball or a half-space.
    pub halo: f64,
}

impl Spot {
    /// The radius that marks a half-space, whose centre is any point of its plane.
    const HALF_SPACE: f64 = -2.0;

    #[inline(always)]
    pub fn is_ball(&self) -> bool {
        self.radius >= 0.0
    }

    #[inline(always)]
    pub fn is_half_space(&self) -> bool {
        self.radius == Spot::HALF_SPACE
    }

    #[inline(always)]
    fn of(bodies: &Bodies<'_>, i: usize) -> Spot {
        let centre = bodies.positions.get(i);
        match bodies.shape_of(i) {
            (Shape::Sphere { radius, halo }, scale) => Spot { centre, radius: radius * scale, halo: halo * scale },
            (Shape::HalfSpace { halo }, scale) => Spot { centre, radius: Spot::HALF_SPACE, halo: halo * scale },
            _ => Spot { centre, radius: -1.0, halo: 0.0 },
        }
    }

    /// Radius of the sphere around a ball and its halo, enlarged by `wider`. It equals that of its placed [`Ball`].
    #[inline(always)]
    pub fn bound(&self, wider: f64) -> f64 {
        let own = self.radius + self.halo;
        let far = self.centre.iter().fold(own, |sum, x| sum + Real::abs(*x));
        own + far * SUM_ERROR + beyond(wider)
    }
}

/// The enlargement of a bound for a halo enlarged by `wider`, with the possible rounding error.
#[inline(always)]
pub(super) fn beyond(wider: f64) -> f64 {
    wider + wider * SUM_ERROR
}

/// Fast access to bodies that have only positions and shapes, as most balls do.
#[derive(Clone, Copy)]
struct Plain<'a> {
    positions: &'a [[f64; 3]],
    bodies: &'a Bodies<'a>,
}

impl<'a> Plain<'a> {
    fn of(bodies: &'a Bodies<'a>) -> Option<Self> {
        let Bodies { orientations, scales, halos, motions, .. } = bodies;
        let some = orientations.is_some() || scales.is_some() || halos.is_some() || motions.is_some();
        bodies.positions.as_f64().filter(|_| !some).map(|positions| Plain { positions, bodies })
    }

    /// Body `i`, if it is a ball in which [`Bodies::check_body`] finds no error.
    #[inline(always)]
    fn ball(&self, i: usize) -> Option<Spot> {
        let centre = *self.positions.get(i)?;
        let Shape::Sphere { radius, halo } = *self.bodies.shapes.get(self.bodies.shape.get(i) as usize)? else {
            return None;
        };
        let [x, y, z] = centre.map(f64::is_finite);
        (x && y && z && (radius + halo).is_finite()).then_some(Spot { centre, radius, halo })
    }
}

/// The spheres around all bodies.
pub(super) struct Bounds<'s> {
    pub centres: &'s mut [[f64; 3]],
    pub radii: &'s mut [f64],
    /// The groups of each body; 0 for bodies that the grid must not find: unbounded bodies, and later huge and lost bodies.
    pub groups: &'s mut [u32],
    /// Unbounded bodies, ascending.
    pub endless: &'s [u32],
    /// The planes of unbounded bodies, as many as there is room for.
    pub planes: &'s [Plane],
    pub spots: &'s [Spot],
    /// The spheres around the shapes.
    pub balls: &'s [Ball],
    /// Whether all bodies are balls.
    pub all_balls: bool,
    /// Length by which the halo of each body is enlarged.
    pub wider: f64,
}

sections! {
    /// Memory of [`Bounds`].
    pub(super) struct BoundMemory<'s>(bodies: u64, shapes: u64) {
        centres: [[f64; 3]; bodies],
        radii: [f64; bodies],
        balls: [Ball; shapes],
        groups: [u32; bodies],
        endless: [u32; bodies],
        spots: [Spot; bodies],
        /// The numbers that each chunk found.
        found: [[u32; 3]; bodies.div_ceil(CHUNK as u64)],
        planes: [Plane; places(bodies)],
    }
}

impl<'s> Bounds<'s> {
    /// Reads all bodies once, each with a halo enlarged by `wider`.
    ///
    /// Errors: that of [`Bodies::check_body`] for the first wrong body.
    pub fn new(exec: &dyn Executor, bodies: &Bodies<'_>, wider: f64, memory: BoundMemory<'s>) -> Result<Self> {
        let BoundMemory { centres, radii, balls, groups, endless, spots, found, planes } = memory;
        balls.iter_mut().zip(bodies.shapes).for_each(|(ball, shape)| *ball = Ball::of(shape));
        let balls = &*balls;
        let parts = (
            CutMut(&mut *centres, CHUNK),
            CutMut(&mut *radii, CHUNK),
            CutMut(&mut *groups, CHUNK),
            CutMut(&mut *endless, CHUNK),
            CutMut(&mut *spots, CHUNK),
            CutMut(&mut *found, 1),
        );
        let plain = Plain::of(bodies);
        each(exec, parts, |chunk, (centres, radii, groups, endless, spots, found)| {
            let (mut bad, mut without, mut others) = (0, 0, 0);
            for (k, (((centre, radius), group), spot)) in
                centres.iter_mut().zip(radii).zip(groups).zip(spots).enumerate()
            {
                let i = chunk * CHUNK + k;
                *group = bodies.groups.map_or(u32::MAX, |groups| groups.get(i));
                if let Some(ball) = plain.and_then(|plain| plain.ball(i)) {
                    (*centre, *radius, *spot) = (ball.centre, ball.bound(wider), ball);
                    continue;
                }
                if bodies.check_body(i).is_err() {
                    bad = i as u32 + 1;
                    break;
                }
                *spot = Spot::of(bodies, i);
                others |= u32::from(spot.radius < 0.0);
                let ball = bound(bodies, i, (spot, wider), |shape| balls.get(shape).copied().unwrap_or_default());
                (*centre, *radius) = (ball.centre, ball.radius);
                if *radius == f64::INFINITY {
                    (*centre, *radius, *group) = ([0.0; 3], 0.0, 0);
                    endless[without] = i as u32;
                    without += 1;
                }
            }
            found[0] = [bad, without as u32, others];
        });
        if let Some([bad, ..]) = found.iter().find(|[bad, ..]| *bad > 0) {
            bodies.check_body(*bad as usize - 1)?;
        }
        // Moves the lists of all chunks together.
        let mut count = 0;
        for (chunk, [_, without, _]) in found.iter().enumerate() {
            let from = chunk * CHUNK;
            endless.copy_within(from..from + *without as usize, count);
            count += *without as usize;
        }
        let endless = &*endless;
        let endless = endless.get(..count).unwrap_or_default();
        let count = count.min(planes.len());
        planes.iter_mut().zip(endless).for_each(|(plane, i)| *plane = Plane::new(bodies, *i, wider));
        let planes = &*planes;
        let planes = planes.get(..count).unwrap_or_default();
        let all_balls = found.iter().all(|[_, _, others]| *others == 0);
        Ok(Bounds { centres, radii, groups, endless, planes, spots, balls, all_balls, wider })
    }
}

/// Writes a sphere around each body with its halo. [`Scene::find`](super::Scene::find) searches for candidates with these bounds, which
/// include the possible rounding error. They hold for a step without a [margin](super::Settings::margin); with one, radii are larger by
/// half of it.
/// For an unbounded body (a half-space, or a compound with one), the radius is infinite and the centre is the origin.
///
/// `centres` and `radii` have an item for each body, in units of length.
///
/// Errors: those of the bodies, with array, index and component; [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Centres`] or
/// [`What::Radii`]. If array lengths do not agree, nothing is written. Cost: some nanoseconds for a body, and for each part of a compound.
pub fn bounding_spheres(
    exec: &dyn Executor,
    bodies: &Bodies<'_>,
    centres: &mut [[f64; 3]],
    radii: &mut [f64],
) -> Result<()> {
    bodies.check_arrays()?;
    let n = bodies.len();
    let short = |what, given: usize| Error::capacity(what, n as u64, given as u64);
    let (given, given_radii) = (centres.len(), radii.len());
    let centres = centres.get_mut(..n).ok_or(short(What::Centres, given))?;
    let radii = radii.get_mut(..n).ok_or(short(What::Radii, given_radii))?;
    each(exec, (CutMut(&mut *centres, CHUNK), CutMut(&mut *radii, CHUNK)), |chunk, (centres, radii)| {
        for (k, (centre, radius)) in centres.iter_mut().zip(radii).enumerate() {
            let i = chunk * CHUNK + k;
            let of = |shape: usize| bodies.shapes.get(shape).map(Ball::of).unwrap_or_default();
            let ball = match bodies.check_body(i) {
                Ok(()) => bound(bodies, i, (&Spot::of(bodies, i), 0.0), of),
                Err(_) => Ball { radius: f64::NAN, ..Ball::default() },
            };
            let endless = ball.radius == f64::INFINITY;
            (*centre, *radius) = (if endless { [0.0; 3] } else { ball.centre }, ball.radius);
        }
    });
    match radii.iter().position(|r| r.is_nan()) {
        Some(bad) => bodies.check_body(bad),
        None => Ok(()),
    }
}

/// The sphere around body `i`. `ball` gives the sphere around a shape of the table.
#[inline(always)]
fn bound(bodies: &Bodies<'_>, i: usize, (spot, wider): (&Spot, f64), ball: impl FnOnce(usize) -> Ball) -> Ball {
    if spot.radius >= 0.0 {
        return Ball { centre: spot.centre, radius: spot.bound(wider) };
    }
    let (shape, scale) = bodies.shape_of(i);
    let ball = match shape {
        // This shape has the body's own halo, which the shape in the table does not have.
        Shape::Capsule { .. } => Ball::of(&shape),
        _ => ball(bodies.shape.get(i) as usize),
    };
    let ball = ball.placed(&bodies.pose(i), scale);
    Ball { radius: ball.radius + beyond(wider), ..ball }
}

#[cfg(test)]
mod tests {
    use super::super::bounding_sphere::Ball;
    use super::*;
    use crate::contact::shape::Part;
    use crate::pose::Pose;

    #[test]
    fn a_compound_is_held_as_a_whole() {
        let ball = Shape::Sphere { radius: 1.0, halo: 0.5 };
        let at = |x: f64| Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY };
        let parts = [-3.0, 5.0].map(|x| Part { shape: ball, pose: at(x), scale: 1.0 });
        let held = Ball::of(&Shape::Compound(&parts));
        assert!((held.centre[0] - 1.0).abs() < 1e-12 && (5.5..5.501).contains(&held.radius), "{held:?}");
        let ground = [parts[0], Part { shape: Shape::HalfSpace { halo: 0.0 }, pose: at(0.0), scale: 1.0 }];
        assert_eq!(Ball::of(&Shape::Compound(&ground)).radius, f64::INFINITY);
        assert_eq!(Ball::of(&Shape::Compound(&[])), Ball::default());
    }
}
