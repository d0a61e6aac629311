//! Position and orientation of a rigid body, by one documented formula each.

use crate::error::{Error, Kind, Result, What};
use crate::real::Real;

/// Where a body is: `world = R(orientation) * local + position`.
#[derive(
    Clone, Copy, Debug, PartialEq, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout,
)]
#[repr(C)]
pub struct Pose {
    /// Position of the local origin in world coordinates.
    pub position: [f64; 3],
    /// Orientation as a quaternion `x y z w`. Any finite non-zero quaternion is normalised when it is used.
    pub orientation: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Pose::IDENTITY
    }
}

impl Pose {
    /// No translation, no rotation.
    pub const IDENTITY: Pose = Pose { position: [0.0; 3], orientation: [0.0, 0.0, 0.0, 1.0] };

    /// Errors: [`Kind::NotFinite`] with the component (0 to 2 position, 3 to 6 orientation), [`Kind::OutOfRange`] for a
    /// zero quaternion; both name `what`.
    #[inline]
    pub fn check(&self, what: What) -> Result<()> {
        let ([a, b, c], [x, y, z, w]) = (self.position, self.orientation);
        let sizes = (a.abs() + b.abs() + c.abs()) * 0.0 + (x.abs() + y.abs() + z.abs() + w.abs()) * 0.0;
        let some = x != 0.0 || y != 0.0 || z != 0.0 || w != 0.0;
        if sizes == 0.0 && some { Ok(()) } else { self.defect(what) }
    }

    /// What is wrong; nothing where large numbers only overflowed when they were added.
    #[cold]
    fn defect(&self, what: What) -> Result<()> {
        let mut components = self.position.iter().chain(&self.orientation);
        if let Some(component) = components.position(|x| !x.is_finite()) {
            return Err(Error::new(Kind::NotFinite, what).at(0, component as u32));
        }
        if self.orientation == [0.0; 4] { Err(Error::new(Kind::OutOfRange, what).at(0, 3)) } else { Ok(()) }
    }

    /// Checks the pose and gives its rotation matrix and translation.
    ///
    /// Errors: those of [`Pose::check`].
    pub fn transform(&self, what: What) -> Result<Transform> {
        self.check(what)?;
        let [x, y, z, w] = self.orientation;
        let largest = [x, y, z, w].into_iter().fold(0.0, |m: f64, c| crate::real::max(m, Real::abs(c)));
        // Scaling by a power of two first, so that the squares neither overflow nor vanish.
        let (x, y, z, w) = {
            let s = largest.inverse_exponent();
            (x * s, y * s, z * s, w * s)
        };
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        let (xs, ys, zs) = (x * s, y * s, z * s);
        let rows = [
            [1.0 - (y * ys + z * zs), x * ys - w * zs, x * zs + w * ys],
            [x * ys + w * zs, 1.0 - (x * xs + z * zs), y * zs - w * xs],
            [x * zs - w * ys, y * zs + w * xs, 1.0 - (x * xs + y * ys)],
        ];
        Ok(Transform { rows, translation: self.position })
    }
}

/// A rotation matrix by rows, and a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Rows of the rotation matrix.
    pub rows: [[f64; 3]; 3],
    /// Added after the rotation.
    pub translation: [f64; 3],
}

impl Transform {
    /// `R v`.
    #[inline(always)]
    pub fn rotate(&self, v: [f64; 3]) -> [f64; 3] {
        self.rows.map(|r| r[0] * v[0] + r[1] * v[1] + r[2] * v[2])
    }

    /// `R v + t`.
    #[inline(always)]
    pub fn apply(&self, v: [f64; 3]) -> [f64; 3] {
        let r = self.rotate(v);
        [r[0] + self.translation[0], r[1] + self.translation[1], r[2] + self.translation[2]]
    }

    /// `transpose(R) v`: back from world axes to the body's.
    #[inline(always)]
    pub fn rotate_back(&self, v: [f64; 3]) -> [f64; 3] {
        let m = &self.rows;
        [0, 1, 2].map(|k| m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2])
    }
}
