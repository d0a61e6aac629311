//! A half-space among the bodies of a scene.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::widened_bounds::{TINY, size};
use crate::contact::shape::Shape;
use crate::error::What;
use crate::real::{Real, SUM_ERROR};

/// An unbounded body.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Plane {
    pub(super) normal: [f64; 3],
    point: [f64; 3],
    /// The height above the plane up to which there may be contacts; infinite for compounds, which are tested against everything.
    height: f64,
    pub body: u32,
    pub(super) is_compound: u32,
}

impl Plane {
    /// The plane of a body, with a halo enlarged by `wider`.
    pub fn new(bodies: &Bodies<'_>, body: u32, wider: f64) -> Plane {
        let (pose, (shape, scale)) = (bodies.pose(body as usize), bodies.shape_of(body as usize));
        let normal = pose.transform(What::Pose).map_or([0.0; 3], |turn| turn.rotate([0.0, 0.0, 1.0]));
        let far = size(&pose.position);
        let (height, is_compound) = match shape {
            Shape::HalfSpace { halo } => (halo * scale + wider, 0),
            _ => (f64::INFINITY, 1),
        };
        // The rounding error is relative to all coordinates that enter. A sphere has its own share in its radius.
        Plane { normal, point: pose.position, height: height + (far + height) * SUM_ERROR, body, is_compound }
    }

    /// The plane raised by a skin and by the possible rounding error.
    pub fn widened(&self, skin: f64) -> Plane {
        let height = self.height + skin;
        Plane { height: height + 4.0 * SUM_ERROR * (size(&self.point) + height + TINY), ..*self }
    }

    #[inline(always)]
    pub fn is_reached(&self, centre: &[f64; 3], radius: f64) -> bool {
        let [n, c, p] = [self.normal, *centre, self.point].map(DVec3::from_array);
        // If products overflow, the pair counts as reached.
        let height = n.dot(c - p);
        height.is_nan() || height <= radius + self.height
    }

    /// Whether everything that reaches `now` also reaches this wide plane. This is for bodies within `far` of zero along each axis, spheres
    /// included, that a host has wrapped by at most `wrapped` along each axis.
    pub fn holds(&self, now: &Plane, far: f64, wrapped: [f64; 3]) -> bool {
        if (self.body, self.is_compound) != (now.body, now.is_compound) {
            return false;
        }
        if self.height == f64::INFINITY {
            return true;
        }
        let [n, m, p, q] = [self.normal, now.normal, self.point, now.point].map(DVec3::from_array);
        let jumps = (0..3).fold(0.0, |sum, k| sum + Real::abs(self.normal[k]) * wrapped[k]);
        // No body is farther than this from the point of the plane. The rounding error of the body's position is part of its own radius.
        let away = 3.0 * far + size(&now.point);
        let tilt = (m - n).length() * away;
        let sunk = n.dot(q - p) + tilt + jumps;
        let numbers = size(&self.point) + size(&now.point) + self.height + now.height + tilt + jumps + TINY;
        // Gives false if any number is NaN.
        sunk + now.height + SUM_ERROR * numbers <= self.height
    }
}
