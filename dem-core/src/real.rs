//! [`Real`], the trait of f32 and f64, and the numeric functions that results may use.
//!
//! Everything here gives the same bits on every machine: `+ - * /` and square root are correctly rounded, minimum and
//! maximum are comparisons (those of the standard library differ by platform on signed zeros), and other functions are
//! those of libm.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// f32 or f64.
pub trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Default
    + core::fmt::Debug
    + Send
    + Sync
    + zerocopy::FromBytes
    + zerocopy::IntoBytes
    + zerocopy::Immutable
    + zerocopy::KnownLayout
    + 'static
{
    /// Half a unit in the last place of 1: the largest relative error of one rounding.
    const UNIT_ROUNDOFF: Self;
    /// The nearest value.
    fn from_f64(x: f64) -> Self;
    /// The value, exactly.
    fn to_f64(self) -> f64;
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Neither NaN nor infinite.
    fn is_finite(self) -> bool;
    /// The power of two 2^-e that takes a value with exponent e into [1, 2); 1 for zero, and clamped so that both it and
    /// its inverse are normal numbers.
    fn inverse_exponent(self) -> Self;
    /// The next larger value; the value itself where it is not finite.
    fn next_up(self) -> Self;
}

macro_rules! real {
    ($t:ty, $u:ty, $sqrt:path, $mantissa:expr, $bias:expr, $unit:expr) => {
        impl Real for $t {
            const UNIT_ROUNDOFF: Self = $unit;
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
            #[inline(always)]
            fn inverse_exponent(self) -> Self {
                if self == 0.0 {
                    return 1.0;
                }
                let exponent = (self.to_bits() >> $mantissa) & (2 * $bias + 1);
                let inverse = 2 * $bias - exponent.min(2 * $bias - 1).max(1);
                <$t>::from_bits(inverse << $mantissa)
            }
            #[inline(always)]
            fn next_up(self) -> Self {
                <$t>::next_up(self)
            }
        }
    };
}

real!(f32, u32, root::of_f32, 23, 127, 5.960_464_5e-8);
real!(f64, u64, root::of_f64, 52, 1023, 1.110_223_024_625_156_5e-16);

/// Square roots by an intrinsic that the compiler encodes for the instruction set of the kernel around it. On x86-64, libm uses inline assembly
/// with SSE encoding; mixed with AVX instructions, each of these waits for the upper halves of registers.
#[cfg(target_arch = "x86_64")]
mod root {
    use safe_arch::{get_f32_from_m128_s, get_f64_from_m128d_s, set_m128_s, set_m128d_s, sqrt_m128_s, sqrt_m128d_s};

    #[inline(always)]
    pub fn of_f32(x: f32) -> f32 {
        get_f32_from_m128_s(sqrt_m128_s(set_m128_s(x)))
    }

    #[inline(always)]
    pub fn of_f64(x: f64) -> f64 {
        let x = set_m128d_s(x);
        get_f64_from_m128d_s(sqrt_m128d_s(x, x))
    }
}

/// Square roots by libm.
#[cfg(not(target_arch = "x86_64"))]
mod root {
    pub use libm::{sqrt as of_f64, sqrtf as of_f32};
}

/// A generous bound for the rounding error of a sum of a few terms, relative to the sum of their absolute values.
pub(crate) const SUM_ERROR: f64 = 1.0 / (1u64 << 46) as f64;

/// The smaller value; `b` where they are equal.
#[inline(always)]
pub fn min<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The larger value; `b` where they are equal.
#[inline(always)]
pub fn max<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The weight of a value between a lower bound, up to which it is 0, and an upper one, from which on it is 1.
pub fn between(value: f64, [low, high]: [f64; 2]) -> f64 {
    if value > low { min((value - low) / (high - low), 1.0) } else { 0.0 }
}

/// The angle of the vector (x, y) with the x axis, from -pi to pi.
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// The cosine of an angle in radians.
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// The sine of an angle in radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// e to the power of x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e to the power of x, less 1, without cancellation near 0.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// The natural logarithm of 1 + x, without cancellation near 0.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_exponent_takes_every_finite_value_into_one_to_two_or_clamps() {
        for x in [1.0f64, 1.5, 2.0, 1e-300, 3e300, -7.0, 8e307] {
            let y = (x * x.inverse_exponent()).abs();
            assert!((1.0..2.0).contains(&y), "{x} gives {y}");
        }
        assert_eq!(0f64.inverse_exponent(), 1.0);
        // From 2^1023 the inverse would be subnormal, so the result is clamped.
        assert_eq!(f64::MAX.inverse_exponent(), f64::MIN_POSITIVE);
        assert!(5e-324f64.inverse_exponent().is_finite());
        assert!(f32::MAX.inverse_exponent() > 0.0 && f32::MAX.inverse_exponent().is_normal());
    }
}
