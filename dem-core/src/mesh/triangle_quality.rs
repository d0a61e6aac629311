//! The shape of a triangle: its area vector, and how thin it is.

use super::edges::repeats;
use crate::real::{Real, max};
use glam::DVec3;
use robust::{Coord, orient2d};

/// The defect of a triangle by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thinness {
    None,
    Point,
    TwoEqual,
    Collinear,
    NearlyCollinear,
    Needle,
}

/// Thresholds for heights.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Absolute: the resolution of coordinates.
    pub height: f64,
    /// Relative to the longest side.
    pub needle: f64,
}

/// The defect of a triangle. `welded` tells which corners are equal.
pub(super) fn thinness(welded: [u32; 3], corners: [[f64; 3]; 3], limits: Limits) -> Thinness {
    if welded[0] == welded[1] && welded[1] == welded[2] {
        return Thinness::Point;
    }
    if repeats(welded) {
        return Thinness::TwoEqual;
    }
    let Height { longest, relative, scale } = height(corners);
    // Both sides of the comparison have relative errors of a few roundings, which are small against 2^-40.
    if relative <= 1e-12 && is_collinear(corners) {
        Thinness::Collinear
    } else if relative * longest <= limits.height * scale {
        Thinness::NearlyCollinear
    } else if relative <= limits.needle {
        Thinness::Needle
    } else {
        Thinness::None
    }
}

struct Height {
    /// The longest side, times `scale`.
    longest: f64,
    /// The height over the longest side, divided by that side.
    relative: f64,
    /// A power of two that scales sides to a length of about 1.
    scale: f64,
}

fn height(corners: [[f64; 3]; 3]) -> Height {
    let [a, b, c] = corners.map(DVec3::from_array);
    let sides = [b - a, c - b, a - c];
    let scale = sides.iter().flat_map(|s| s.to_array()).fold(0.0, |m, x| max(m, x.abs())).inverse_exponent();
    let [ab, bc, ca] = sides.map(|s| s * scale);
    let longest = [ab, bc, ca].into_iter().fold(0.0, |m, s| max(m, s.dot(s)));
    let area = ab.cross(bc);
    Height { longest: Real::sqrt(longest), relative: Real::sqrt(area.dot(area)) / longest, scale }
}

/// Whether the area is exactly zero: it is if it is zero on each of the three coordinate planes.
fn is_collinear(corners: [[f64; 3]; 3]) -> bool {
    let scale = corners.iter().flatten().fold(0.0, |m, x| max(m, Real::abs(*x))).inverse_exponent();
    [(0, 1), (1, 2), (2, 0)].into_iter().all(|(x, y)| {
        let [a, b, c] = corners.map(|p| Coord { x: p[x] * scale, y: p[y] * scale });
        orient2d(a, b, c) == 0.0
    })
}
