//! The sphere around a body or a shape.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::contact::shape::Shape;
use crate::error::What;
use crate::pose::Pose;
use crate::real::{Real, SUM_ERROR, max, min};

/// A sphere around a shape in the frame of the shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Ball {
    pub centre: [f64; 3],
    /// Infinite if the shape is unbounded.
    pub radius: f64,
}

impl Ball {
    /// The sphere around a shape. Cost: proportional to the parts of a compound.
    pub fn of(shape: &Shape<'_>) -> Ball {
        match shape {
            Shape::Sphere { radius, halo } => Ball { centre: [0.0; 3], radius: radius + halo },
            Shape::Capsule { half_length, radius, halo } => {
                Ball { centre: [0.0; 3], radius: half_length + (radius + halo) }
            }
            Shape::HalfSpace { .. } => Ball { centre: [0.0; 3], radius: f64::INFINITY },
            Shape::Mesh(surface) => {
                let mesh = surface.mesh;
                Ball { centre: mesh.centre(), radius: mesh.radius() + mesh.largest_halo() }
            }
            Shape::Compound(parts) => {
                // The centre is the middle of the box around the parts.
                let balls = || parts.iter().map(|part| Ball::of(&part.shape).placed(&part.pose, part.scale));
                let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
                for ball in balls() {
                    for (k, x) in ball.centre.into_iter().enumerate() {
                        (low[k], high[k]) = (min(low[k], x - ball.radius), max(high[k], x + ball.radius));
                    }
                }
                if parts.is_empty() {
                    return Ball::default();
                }
                let centre = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
                if centre.iter().any(|x| !x.is_finite()) {
                    return Ball { centre: [0.0; 3], radius: f64::INFINITY };
                }
                let reach =
                    |ball: Ball| DVec3::from_array(ball.centre).distance(DVec3::from_array(centre)) + ball.radius;
                Ball { centre, radius: balls().fold(0.0, |r, ball| max(r, reach(ball))) }
            }
        }
    }

    /// The sphere of a body with this pose and scale, widened by the possible rounding error.
    pub fn placed(&self, pose: &Pose, scale: f64) -> Ball {
        let centre = match self.centre {
            [0.0, 0.0, 0.0] => pose.position,
            c => pose.transform(What::Pose).map_or(pose.position, |t| t.apply(c.map(|x| x * scale))),
        };
        let own = self.centre.iter().fold(self.radius, |sum, x| sum + Real::abs(*x)) * scale;
        let far = pose.position.iter().fold(own, |sum, x| sum + Real::abs(*x));
        Ball { centre, radius: self.radius * scale + far * SUM_ERROR }
    }
}
