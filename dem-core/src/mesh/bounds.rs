//! Box and ball of a mesh.

use super::block::{Bounds, rows};
use crate::real::{Real, max, min};

/// Numbers that are processed together: maxima do not depend on the order, so the compiler may use lanes.
const TOGETHER: usize = 8;

/// Box and ball of the corners in nine rows of coordinates, whose length is a multiple of [`super::STRIDE`]; without halos.
pub(super) fn of_rows<T: Real>(numbers: &[T], stride: usize) -> Bounds {
    let rows = rows(numbers, stride);
    let extents = [0, 1, 2].map(|axis| extent([rows[axis], rows[3 + axis], rows[6 + axis]]));
    around(extents.map(|e| e[0]), extents.map(|e| e[1]), |centre, scale| {
        let corner = |k: usize| farthest([rows[3 * k], rows[3 * k + 1], rows[3 * k + 2]], centre, scale);
        max(max(corner(0), corner(1)), corner(2))
    })
}

/// Box and ball of at least one point; without halos.
pub(super) fn of_points(points: impl Iterator<Item = [f64; 3]> + Clone) -> Bounds {
    let first = points.clone().next().unwrap_or_default();
    let (low, high) = points.clone().fold((first, first), |(low, high), p| {
        ([0, 1, 2].map(|c| min(low[c], p[c])), [0, 1, 2].map(|c| max(high[c], p[c])))
    });
    around(low, high, |centre, scale| {
        points.fold(0.0, |largest, p| {
            let [x, y, z] = [0, 1, 2].map(|c| (p[c] - centre[c]) * scale);
            max(largest, x * x + y * y + z * z)
        })
    })
}

/// The ball in a box. `squared` gives the largest squared distance from its centre, for coordinates times a scale.
fn around(low: [f64; 3], high: [f64; 3], squared: impl FnOnce([f64; 3], f64) -> f64) -> Bounds {
    let centre = [0, 1, 2].map(|c| positive_zero((low[c] + high[c]) * 0.5));
    let extent = [0, 1, 2].map(|c| high[c] - low[c]).into_iter().fold(0.0, max);
    // Scaled by a power of two, so that the squares neither overflow nor vanish.
    let scale = extent.inverse_exponent();
    // There are seven roundings of at most half a unit in the last place each between this and the true distance.
    let radius = squared(centre, scale).sqrt() * (1.0 + 16.0 * f64::UNIT_ROUNDOFF) / scale;
    let radius = if radius > 0.0 { radius.next_up() } else { 0.0 };
    Bounds { low, high, centre, radius, halo: 0.0 }
}

/// The smallest and the largest number of rows whose lengths are multiples of 8; zeros for empty rows.
pub(crate) fn extent<T: Real, const N: usize>(rows: [&[T]; N]) -> [f64; 2] {
    let first = rows.first().and_then(|row| row.first()).copied().unwrap_or_default();
    let (mut low, mut high) = ([first; TOGETHER], [first; TOGETHER]);
    for numbers in rows.iter().flat_map(|row| row.as_chunks::<TOGETHER>().0) {
        for k in 0..TOGETHER {
            (low[k], high[k]) = (min(low[k], numbers[k]), max(high[k], numbers[k]));
        }
    }
    [low.into_iter().fold(first, min).to_f64(), high.into_iter().fold(first, max).to_f64()]
}

/// The largest squared distance from a point, for coordinates times a scale.
fn farthest<T: Real>(rows: [&[T]; 3], centre: [f64; 3], scale: f64) -> f64 {
    let [x, y, z] = rows.map(|row| row.as_chunks::<TOGETHER>().0);
    let mut most = [0.0; TOGETHER];
    for ((x, y), z) in x.iter().zip(y).zip(z) {
        for k in 0..TOGETHER {
            let [x, y, z] = [x[k].to_f64() - centre[0], y[k].to_f64() - centre[1], z[k].to_f64() - centre[2]];
            let [x, y, z] = [x * scale, y * scale, z * scale];
            most[k] = max(most[k], x * x + y * y + z * z);
        }
    }
    most.into_iter().fold(0.0, max)
}

pub(super) fn positive_zero(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x }
}
