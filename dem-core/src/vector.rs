//! Vectors of three numbers, or of three lanes of numbers. Each function has one fixed order of operations.
//!
//! All dot and cross products of the crate come from here, so that their bits do not depend on where they are computed.

use core::ops::{Add, Mul, RangeInclusive, Sub};

use crate::real::{Real, max};

/// A number, or a lane of numbers.
pub(crate) trait Component: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Component for T {}

/// `a + b`.
#[inline(always)]
pub(crate) fn add<T: Component>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
#[inline(always)]
pub(crate) fn sub<T: Component>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Each component times `s`.
#[inline(always)]
pub(crate) fn scale<T: Component>(a: [T; 3], s: T) -> [T; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// The dot product, summed from the left.
#[inline(always)]
pub(crate) fn dot<T: Component>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
#[inline(always)]
pub(crate) fn cross<T: Component>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Euclidean length. The sum of squares may overflow or underflow; see [`safe_length`].
#[inline(always)]
pub(crate) fn length<T: Real>(v: [T; 3]) -> T {
    dot(v, v).sqrt()
}

/// Euclidean length. The vector is scaled by a power of two first, so that squares neither overflow nor underflow. Gives the largest absolute
/// component if that is not finite.
#[inline]
pub(crate) fn safe_length(v: [f64; 3]) -> f64 {
    // For squares in this range (2^-900 to 2^900), scaling would not change the result.
    const PLAIN: RangeInclusive<f64> = f64::from_bits((1023 - 900) << 52)..=f64::from_bits((1023 + 900) << 52);
    let square = dot(v, v);
    if PLAIN.contains(&square) { square.sqrt() } else { scaled_length(v) }
}

#[cold]
fn scaled_length(v: [f64; 3]) -> f64 {
    let largest = max(max(v[0].abs(), v[1].abs()), v[2].abs());
    if !(largest > 0.0 && largest < f64::INFINITY) {
        return largest;
    }
    let s = largest.inverse_exponent();
    length(scale(v, s)) / s
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [f64; 3] = [1.0, -2.0, 3.0];
    const B: [f64; 3] = [0.5, 4.0, -1.0];

    #[test]
    fn products_are_those_of_the_axes() {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!([cross(x, y), cross(y, z), cross(z, x)], [z, x, y]);
        assert_eq!((dot(A, B), cross(A, B)), (-10.5, [-10.0, 2.5, 5.0]));
        assert_eq!((add(A, B), sub(A, B), scale(A, 2.0)), ([1.5, 2.0, 2.0], [0.5, -6.0, 4.0], [2.0, -4.0, 6.0]));
    }

    #[test]
    fn the_sum_of_a_dot_product_begins_at_the_left() {
        assert_eq!(dot([1e16, 1.0, -1e16], [1.0; 3]), 0.0);
        assert_eq!(dot([1.0f32, 1e8, -1e8], [1.0; 3]), 0.0);
        assert_eq!(dot([1e16, -1e16, 1.0], [1.0; 3]), 1.0);
    }

    #[test]
    fn only_the_safe_length_bears_any_size() {
        assert_eq!((length([2.0f32, 3.0, 6.0]), safe_length([2.0, -3.0, 6.0])), (7.0, 7.0));
        for size in [1e-300, 1e300] {
            let v = [2.0 * size, 3.0 * size, 6.0 * size];
            assert!(length(v) == 0.0 || length(v) == f64::INFINITY);
            assert!((safe_length(v) / (7.0 * size) - 1.0).abs() < 1e-15);
        }
        assert_eq!((safe_length([0.0; 3]), safe_length([0.0, f64::INFINITY, 1.0])), (0.0, f64::INFINITY));
    }
}
