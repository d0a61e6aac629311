//! Position and orientation of a rigid body: products, inverses, rotation matrices.

use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max};
use crate::vector::{add, dot, sub};

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

    /// Finds the wrong component for [`Pose::check`]. Gives no error if the components are finite and only their sum overflowed.
    #[cold]
    fn defect(&self, what: What) -> Result<()> {
        let mut components = self.position.iter().chain(&self.orientation);
        if let Some(component) = components.position(|x| !x.is_finite()) {
            return Err(Error::new(Kind::NotFinite, what).at(0, component as u32));
        }
        if self.orientation == [0.0; 4] { Err(Error::new(Kind::OutOfRange, what).at(0, 3)) } else { Ok(()) }
    }

    /// The composition: first `inner`, then this pose. The quaternion of the result is not normalised.
    ///
    /// Errors: those of [`Pose::check`] of this pose, with `what`.
    pub fn product(&self, inner: &Pose, what: What) -> Result<Pose> {
        let position = self.transform(what)?.apply(inner.position);
        Ok(Pose { position, orientation: scaled_product(self.orientation, inner.orientation) })
    }

    /// The inverse pose, from world to body coordinates. Its product with this pose is the identity, up to rounding and the length of the
    /// quaternion.
    ///
    /// Errors: those of [`Pose::check`], with `what`.
    pub fn inverse(&self, what: What) -> Result<Pose> {
        let ([x, y, z, w], turn) = (self.orientation, self.transform(what)?);
        Ok(Pose { position: turn.rotate_back(self.position).map(|x| -x), orientation: [-x, -y, -z, w] })
    }

    /// Checks the pose and gives its rotation matrix and translation.
    ///
    /// Errors: those of [`Pose::check`].
    pub fn transform(&self, what: What) -> Result<Transform> {
        self.check(what)?;
        let [x, y, z, w] = self.orientation;
        let largest = [x, y, z, w].into_iter().fold(0.0, |m: f64, c| max(m, Real::abs(c)));
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

/// The quaternion product `p q`: rotation by q first, then by p. Arguments need not be normalised, and the result is not normalised. It may
/// overflow or vanish if the arguments are very large or small.
pub fn product([a, b, c, d]: [f64; 4], [x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [
        (d * x + a * w) + (b * z - c * y),
        (d * y + b * w) + (c * x - a * z),
        (d * z + c * w) + (a * y - b * x),
        (d * w - a * x) - (b * y + c * z),
    ]
}

/// As [`product`], but times a power of two so that it neither overflows nor vanishes. It is the same rotation.
pub(crate) fn scaled_product(p: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let scaled = |q: [f64; 4]| {
        let largest = q.into_iter().fold(0.0, |m, x| max(m, Real::abs(x)));
        q.map(|x| x * largest.inverse_exponent())
    };
    product(scaled(p), scaled(q))
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
        self.rows.map(|row| dot(row, v))
    }

    /// `R v + t`.
    #[inline(always)]
    pub fn apply(&self, v: [f64; 3]) -> [f64; 3] {
        add(self.rotate(v), self.translation)
    }

    /// `transpose(R) (v - t)`, the inverse of [`apply`](Self::apply).
    #[inline(always)]
    pub fn apply_back(&self, v: [f64; 3]) -> [f64; 3] {
        self.rotate_back(sub(v, self.translation))
    }

    /// `transpose(R) v`, the inverse of [`rotate`](Self::rotate): from world axes to body axes.
    #[inline(always)]
    pub fn rotate_back(&self, v: [f64; 3]) -> [f64; 3] {
        let m = &self.rows;
        [0, 1, 2].map(|k| m[0][k] * v[0] + m[1][k] * v[1] + m[2][k] * v[2])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const A: Pose = Pose { position: [1.0, -2.0, 0.5], orientation: [1e-200, 3e-200, -2e-200, 0.7e-200] };
    const B: Pose = Pose { position: [-4.0, 0.25, 3.0], orientation: [-2e150, 1e150, 0.5e150, 3e150] };
    const POINT: [f64; 3] = [0.3, -0.7, 2.0];

    fn transform(pose: &Pose) -> Transform {
        pose.transform(What::Pose).unwrap()
    }

    fn close(a: [f64; 3], b: [f64; 3]) -> bool {
        sub(a, b).into_iter().all(|x| x.abs() < 1e-14)
    }

    #[test]
    fn the_product_of_quaternions_has_their_sizes() {
        // The product that integrates an orientation: half of a time step times the spin, times the orientation.
        let [x, y, z, w] = product([1e-8, 0.3, -3.0, 0.0], [0.1, -0.2, 0.3, 0.9]);
        let right = [9e-9 + 0.09 - 0.6, 0.27 - 0.3 - 3e-9, -2.7 - 2e-9 - 0.03, 0.06 + 0.9 - 1e-9];
        assert!([x, y, z, w].iter().zip(right).all(|(found, right)| (found - right).abs() < 1e-15), "{x} {y} {z} {w}");
        assert_eq!(scaled_product([0.0, 0.0, 1e-200, 0.0], [0.0, 0.0, 0.0, 1e200])[3], 0.0);
        assert!(scaled_product([0.0, 0.0, 1e-200, 0.0], [0.0, 0.0, 0.0, 1e-200])[2] > 0.5);
    }

    #[test]
    fn a_product_is_the_inner_pose_and_then_the_outer_one() {
        let both = transform(&A.product(&B, What::Pose).unwrap());
        let (a, b) = (transform(&A), transform(&B));
        assert!(close(both.apply(POINT), a.apply(b.apply(POINT))));
        assert!(close(both.rotate(POINT), a.rotate(b.rotate(POINT))));
        let other = transform(&B.product(&A, What::Pose).unwrap());
        assert!(!close(other.apply(POINT), both.apply(POINT)), "the order counts");
        let with_none = A.product(&Pose::IDENTITY, What::Pose).unwrap();
        assert!(close(transform(&with_none).apply(POINT), a.apply(POINT)));
    }

    #[test]
    fn an_inverse_takes_points_and_directions_back() {
        for pose in [A, B] {
            let (there, back) = (transform(&pose), transform(&pose.inverse(What::Pose).unwrap()));
            assert!(close(back.apply(there.apply(POINT)), POINT) && close(there.apply(back.apply(POINT)), POINT));
            assert!(close(there.apply_back(there.apply(POINT)), POINT));
            assert!(close(there.rotate_back(there.rotate(POINT)), POINT));
            assert!(close(back.rotate(POINT), there.rotate_back(POINT)));
            let none = transform(&pose.product(&pose.inverse(What::Pose).unwrap(), What::Pose).unwrap());
            assert!(close(none.apply(POINT), POINT));
        }
    }

    #[test]
    fn bad_poses_have_no_product_and_no_inverse() {
        let bad = Pose { orientation: [0.0; 4], ..A };
        let error = Some(Error::new(Kind::OutOfRange, What::PoseB).at(0, 3));
        assert_eq!((bad.product(&A, What::PoseB).err(), bad.inverse(What::PoseB).err()), (error, error));
    }
}
