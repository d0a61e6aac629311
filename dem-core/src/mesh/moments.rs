//! Sums over triangles for volume, centre and inertia.

use super::block::MeshRef;
use crate::real::Real;
use glam::{DMat3, DVec3};

/// Coordinates relative to the middle of a mesh, scaled by a power of two so that its radius is in [1, 2). So differences lose nothing far from the
/// origin, and no product overflows.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub centre: DVec3,
    pub scale: f64,
}

impl Frame {
    pub(super) fn of(mesh: MeshRef<'_>) -> Frame {
        Frame { centre: DVec3::from_array(mesh.centre()), scale: mesh.radius().inverse_exponent() }
    }

    pub(super) fn triangle(&self, mesh: MeshRef<'_>, i: usize) -> [DVec3; 3] {
        mesh.triangle(i).map(|p| (DVec3::from_array(p) - self.centre) * self.scale)
    }
}

/// A sum whose error does not grow with the number of terms: it also sums the exact rounding error of each addition.
#[derive(Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        let sum = self.high + x;
        let shadow = sum - self.high;
        self.low += (self.high - (sum - shadow)) + (x - shadow);
        self.high = sum;
    }

    fn get(&self) -> f64 {
        self.high + self.low
    }
}

/// Moments of the tetrahedra from the origin to each triangle, and of the triangles.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    six_volumes: Sum,
    first: [Sum; 3],
    second: [Sum; 6],
    double_area: Sum,
    area_first: [Sum; 3],
    magnitude: f64,
}

impl Moments {
    /// Adds `weight` times the tetrahedron from the origin to a triangle: with d = six times its signed volume, the
    /// integrals of 1, x and x x^T are d/6, d/24 (a + b + c) and d/120 ((a+b+c)(a+b+c)^T + a a^T + b b^T + c c^T).
    pub(super) fn add(&mut self, weight: f64, [a, b, c]: [DVec3; 3]) {
        let normal = (b - a).cross(c - a);
        // The determinant of a, b, c, in a form whose error is relative to the area: triangles are small and far from the origin.
        let volume = weight * a.dot(normal);
        let s = a + b + c;
        self.six_volumes.add(volume);
        self.magnitude += volume.abs();
        for (k, (row, column)) in PAIRS.into_iter().enumerate() {
            let product = s[row] * s[column] + a[row] * a[column] + b[row] * b[column] + c[row] * c[column];
            self.second[k].add(volume * product);
        }
        (0..3).for_each(|k| self.first[k].add(volume * s[k]));
    }

    /// Adds the triangle's own area.
    pub(super) fn add_area(&mut self, [a, b, c]: [DVec3; 3]) {
        let normal = (b - a).cross(c - a);
        let area = Real::sqrt(normal.dot(normal));
        self.double_area.add(area);
        (0..3).for_each(|k| self.area_first[k].add(area * (a[k] + b[k] + c[k])));
    }

    pub(super) fn volume(&self) -> f64 {
        self.six_volumes.get() / 6.0
    }

    pub(super) fn area(&self) -> f64 {
        self.double_area.get() / 2.0
    }

    /// Whether the volume is below its own rounding error.
    pub(super) fn is_flat(&self) -> bool {
        self.six_volumes.get().abs() <= FLAT * self.magnitude
    }

    /// The integral of x over the volume, divided by it.
    pub(super) fn centre(&self) -> DVec3 {
        vector(&self.first) / (4.0 * self.six_volumes.get())
    }

    /// The integral of x over the area, divided by the area; the origin if there is no area.
    pub(super) fn area_centre(&self) -> DVec3 {
        let area = self.double_area.get();
        if area > 0.0 { vector(&self.area_first) / (3.0 * area) } else { DVec3::ZERO }
    }

    /// The inertia tensor about the centre for density 1: trace(C) - C, with C the integral of x x^T about the centre.
    pub(super) fn inertia(&self) -> DMat3 {
        let (volume, x) = (self.volume(), self.centre());
        let mut about = [0.0; 6];
        for (k, (row, column)) in PAIRS.into_iter().enumerate() {
            about[k] = self.second[k].get() / 120.0 - volume * x[row] * x[column];
        }
        let [xx, yy, zz, xy, yz, zx] = about;
        DMat3::from_cols(DVec3::new(yy + zz, -xy, -zx), DVec3::new(-xy, zz + xx, -yz), DVec3::new(-zx, -yz, xx + yy))
    }
}

/// The pairs of coordinates in the second moments.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

/// A volume below this fraction of the sum of the magnitudes of its terms is rounding error: each term has an error of at most ten roundings or so.
const FLAT: f64 = 32.0 * f64::EPSILON;

fn vector(sums: &[Sum; 3]) -> DVec3 {
    DVec3::from_array(sums.map(|s| s.get()))
}
