//! The smallest separating translation along a normal, for intersection curves that do not close.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::super::unit;
use crate::real::{max, min};

/// Normals of the crossing triangles of both bodies. With each normal: how far the first body has to move along it, in both directions, to be
/// separated from all triangles that it crosses.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Ways {
    /// Sums of normals over segments, or [other numbers](Self::keep).
    sums: [[f64; 3]; 2],
    /// Normals at the longest segment.
    longest: [[f64; 3]; 2],
    length: f64,
    total: f64,
    far: [[f64; 2]; 2],
}

impl Ways {
    /// Adds the normals of two triangles that cross in a segment of this length.
    pub fn lean(&mut self, normals: [DVec3; 2], length: f64) {
        for (sum, normal) in self.sums.iter_mut().zip(normals) {
            *sum = (DVec3::from_array(*sum) + normal * length).to_array();
        }
        self.total += length;
        if length > self.length {
            (self.length, self.longest) = (length, normals.map(|n| n.to_array()));
        }
    }

    /// The mean normal of each body. Where the normals point in all directions (around a rod, on both sides of a sheet), the normal at the
    /// longest segment.
    fn axes(&self) -> [Option<DVec3>; 2] {
        const COHERENT: f64 = 0.25;
        [0, 1].map(|k| {
            let mean = unit(DVec3::from_array(self.sums[k])).filter(|(_, length)| *length > COHERENT * self.total);
            mean.or_else(|| unit(DVec3::from_array(self.longest[k]))).map(|(axis, _)| axis)
        })
    }

    /// Adds the extents of two crossing triangles; all normals must have been added before.
    pub fn separate(&mut self, x: &[DVec3; 3], y: &[DVec3; 3]) {
        for (axis, far) in self.axes().into_iter().zip(&mut self.far) {
            let Some(axis) = axis else { continue };
            let range = |t: &[DVec3; 3]| {
                let [a, b, c] = t.map(|v| v.dot(axis));
                (min(a, min(b, c)), max(a, max(b, c)))
            };
            let ((low, high), (floor, top)) = (range(x), range(y));
            *far = [max(far[0], top - low), max(far[1], high - floor)];
        }
    }

    /// Empties the sums, and uses their memory for other numbers.
    pub fn keep(&mut self, numbers: [[f64; 3]; 2]) {
        *self = Ways { sums: numbers, ..Ways::default() };
    }

    /// The numbers that [`keep`](Self::keep) was told.
    pub fn kept(&self) -> [[f64; 3]; 2] {
        self.sums
    }

    /// Whether no length was added.
    pub fn is_empty(&self) -> bool {
        self.total <= 0.0
    }

    /// The unit direction of the smallest translation of the first body, and its length; `None` if no triangle has a normal, or
    /// other numbers are kept here.
    pub fn least(&self) -> Option<(DVec3, f64)> {
        if self.is_empty() {
            return None;
        }
        let ways =
            self.axes().into_iter().zip(self.far).filter_map(|(axis, far)| {
                axis.map(|axis| if far[1] < far[0] { (-axis, far[1]) } else { (axis, far[0]) })
            });
        ways.reduce(|best, next| if next.1 < best.1 { next } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_leaves_by_the_shortest_way() {
        let flat = [DVec3::new(-9.0, -9.0, 0.0), DVec3::new(9.0, -9.0, 0.0), DVec3::new(0.0, 9.0, 0.0)];
        let dipping = [DVec3::new(0.0, 0.0, -0.125), DVec3::new(1.0, 0.0, 2.0), DVec3::new(-1.0, 0.0, 2.0)];
        for (side, way) in [(DVec3::Z, DVec3::Z), (-DVec3::Z, DVec3::Z)] {
            let mut ways = Ways::default();
            ways.lean([DVec3::Y, side], 1.0);
            ways.separate(&dipping, &flat);
            assert_eq!(ways.least(), Some((way, 0.125)));
            let mut ways = Ways::default();
            ways.lean([side, DVec3::Y], 1.0);
            ways.separate(&flat, &dipping);
            assert_eq!(ways.least(), Some((-way, 0.125)));
        }
        assert_eq!(Ways::default().least(), None);
    }
}
