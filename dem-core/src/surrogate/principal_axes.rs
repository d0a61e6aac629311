//! Principal axes of points.

use glam::DVec3;

use crate::real::{Real, max};

/// Sums of coordinates and of their products.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    pub count: f64,
    pub sum: DVec3,
    /// xx, yy, zz
    pub square: DVec3,
    /// yz, zx, xy
    pub mixed: DVec3,
}

impl Moments {
    #[inline(always)]
    pub fn add(&mut self, p: DVec3) {
        self.count += 1.0;
        self.sum += p;
        self.square += p * p;
        self.mixed += DVec3::new(p.y * p.z, p.z * p.x, p.x * p.y);
    }

    pub fn mean(&self) -> DVec3 {
        self.sum / max(self.count, 1.0)
    }

    /// The rows of the covariance matrix, up to a factor, scaled to a largest diagonal element in [1, 2).
    fn covariance(&self) -> Symmetric {
        let mean = self.mean();
        let spread = self.square - self.sum * mean;
        let mixed = self.mixed - DVec3::new(self.sum.y * mean.z, self.sum.z * mean.x, self.sum.x * mean.y);
        Symmetric { diagonal: spread.max(DVec3::ZERO), mixed }.scaled()
    }

    /// The direction of the largest spread; any unit vector if there is no spread.
    pub fn longest(&self) -> DVec3 {
        self.covariance().dominant().unwrap_or(DVec3::X)
    }

    /// Unit vectors in the directions of largest, middle and smallest spread, right-handed.
    pub fn axes(&self) -> [DVec3; 3] {
        let covariance = self.covariance();
        let longest = covariance.dominant().unwrap_or(DVec3::X);
        // The cofactor matrix has the same axes, and its largest eigenvalue belongs to the smallest spread. For points on a line it is noise; then
        // any perpendicular direction is good enough.
        let normal = covariance.cofactors().dominant().unwrap_or(DVec3::ZERO);
        let normal = unit(normal - longest * normal.dot(longest)).unwrap_or_else(|| perpendicular(longest));
        [longest, normal.cross(longest), normal]
    }
}

/// A symmetric matrix: diagonal, and the elements yz, zx, xy.
#[derive(Clone, Copy)]
struct Symmetric {
    diagonal: DVec3,
    mixed: DVec3,
}

impl Symmetric {
    fn scaled(self) -> Symmetric {
        let largest = max(max(self.diagonal.x, self.diagonal.y), self.diagonal.z);
        let scale = largest.inverse_exponent();
        Symmetric { diagonal: self.diagonal * scale, mixed: self.mixed * scale }
    }

    fn columns(&self) -> [DVec3; 3] {
        let (d, m) = (self.diagonal, self.mixed);
        [DVec3::new(d.x, m.z, m.y), DVec3::new(m.z, d.y, m.x), DVec3::new(m.y, m.x, d.z)]
    }

    fn squared(&self) -> Symmetric {
        let [a, b, c] = self.columns();
        Symmetric {
            diagonal: DVec3::new(a.dot(a), b.dot(b), c.dot(c)),
            mixed: DVec3::new(b.dot(c), c.dot(a), a.dot(b)),
        }
    }

    /// Cofactors, up to a factor.
    fn cofactors(&self) -> Symmetric {
        let (d, m) = (self.diagonal, self.mixed);
        Symmetric {
            diagonal: DVec3::new(d.y * d.z - m.x * m.x, d.z * d.x - m.y * m.y, d.x * d.y - m.z * m.z),
            mixed: DVec3::new(m.y * m.z - d.x * m.x, m.z * m.x - d.y * m.y, m.x * m.y - d.z * m.z),
        }
        .scaled()
    }

    /// The unit eigenvector of the largest eigenvalue of a positive semi-definite matrix, by squaring it seven times. If several eigenvalues are
    /// close, a vector between their eigenvectors.
    ///
    /// Elements are below 2, so eigenvalues are below 6, and 6^128 is far from overflow.
    fn dominant(self) -> Option<DVec3> {
        let mut m = self;
        for _ in 0..7 {
            m = m.squared();
        }
        let [a, b, c] = m.columns();
        let d = m.diagonal;
        let column = if d.x >= d.y && d.x >= d.z {
            a
        } else if d.y >= d.z {
            b
        } else {
            c
        };
        unit(column)
    }
}

/// A vector divided by its length; none for zero or a vector too short to have a direction.
pub(super) fn unit(v: DVec3) -> Option<DVec3> {
    let squared = v.dot(v);
    if squared > 1e-24 { Some(v / squared.sqrt()) } else { None }
}

/// A unit vector at a right angle to a unit vector.
pub(super) fn perpendicular(v: DVec3) -> DVec3 {
    let a = v.abs();
    let other = if a.x <= a.y && a.x <= a.z {
        DVec3::X
    } else if a.y <= a.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    unit(v.cross(other)).unwrap_or(DVec3::X)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_a_box_of_points_are_its_edges() {
        let turn = glam::DQuat::from_xyzw(0.1, 0.2, 0.3, 0.927_361_849_549_570_4);
        let mut moments = Moments::default();
        for i in 0..1000 {
            let p = DVec3::new((i % 10) as f64 * 3.0, (i / 10 % 10) as f64 * 2.0, (i / 100) as f64);
            moments.add(turn * p + DVec3::new(5.0, -3.0, 2.0));
        }
        for (axis, edge) in moments.axes().into_iter().zip([DVec3::X, DVec3::Y, DVec3::Z]) {
            assert!(axis.dot(turn * edge).abs() > 1.0 - 1e-9, "{axis} {}", turn * edge);
        }
    }

    #[test]
    fn axes_are_orthonormal_for_a_point_a_line_and_a_plane() {
        for n in 0..3 {
            let mut moments = Moments::default();
            for i in 0..20 {
                let t = i as f64;
                moments.add([DVec3::ONE, DVec3::new(t, 2.0 * t, -t), DVec3::new(t, t * t, 3.0)][n]);
            }
            let [a, b, c] = moments.axes();
            for (x, y, dot) in [(a, a, 1.0), (b, b, 1.0), (c, c, 1.0), (a, b, 0.0), (b, c, 0.0), (c, a, 0.0)] {
                assert!((x.dot(y) - dot).abs() < 1e-9, "{n}");
            }
        }
    }
}
