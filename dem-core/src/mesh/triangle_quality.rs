//! The shape of a triangle: its area vector, and how thin it is.

use super::edges::repeats;
use crate::real::{Real, max};
use glam::DVec3;
use robust::{Coord, orient2d};

/// How bad a triangle is in itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thinness {
    None,
    Point,
    TwoEqual,
    Collinear,
    NearlyCollinear,
    Needle,
}

/// Heights that count as none.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Absolute: the resolution of coordinates.
    pub height: f64,
    /// Relative to the longest side.
    pub needle: f64,
}

/// `welded` tells equal corners.
pub(super) fn thinness(welded: [u32; 3], corners: [[f64; 3]; 3], limits: Limits) -> Thinness {
    if welded[0] == welded[1] && welded[1] == welded[2] {
        return Thinness::Point;
    }
    if repeats(welded) {
        return Thinness::TwoEqual;
    }
    let Height { longest, relative, scale } = height(corners);
    // The relative error of both sides of the comparison is a few roundings, against which 2^-40 is large.
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
    /// The height over the longest side, over that side.
    relative: f64,
    /// A power of two that makes sides about 1 long.
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

/// Whether the area is zero, exactly: on each of the three planes of coordinates it is.
fn is_collinear(corners: [[f64; 3]; 3]) -> bool {
    let scale = corners.iter().flatten().fold(0.0, |m, x| max(m, Real::abs(*x))).inverse_exponent();
    [(0, 1), (1, 2), (2, 0)].into_iter().all(|(x, y)| {
        let [a, b, c] = corners.map(|p| Coord { x: p[x] * scale, y: p[y] * scale });
        orient2d(a, b, c) == 0.0
    })
}
