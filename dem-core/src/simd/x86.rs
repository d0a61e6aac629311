//! x86-64: SSE2 by safe_arch (every such machine has it), AVX2 with FMA and AVX-512 by intrinsics.
//!
//! Soundness: a lane of AVX2 or AVX-512 is only made from its token. Tokens are only made by `avx2` and `avx512`, which are called with an `Isa`
//! that detection has confirmed, and by `few` from a token of AVX-512, which detection only reports together with AVX2. So wherever such a lane
//! exists, the machine has its instructions.

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::isa::Isa;
use super::traits::{Kernel, Lane, Mask, Simd};

/// SSE2, which every x86-64 machine has.
#[derive(Clone, Copy, Debug)]
pub struct Sse2(());

/// AVX2 and FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

/// AVX-512 F, DQ, VL, BW.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Simd for Sse2 {
    type F32 = F32x4;
    type F64 = F64x2;
    type Few = F64x2;

    #[inline(always)]
    fn few(self) -> Self {
        self
    }
}

impl Simd for Avx2 {
    type F32 = F32x8;
    type F64 = F64x4;
    type Few = F64x4;

    #[inline(always)]
    fn few(self) -> Self {
        self
    }

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma,popcnt,bmi1")]
        #[inline(never)]
        fn run<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: this value exists only where detection found AVX2 and FMA.
        unsafe { run(self, kernel) }
    }
}

impl Simd for Avx512 {
    type F32 = F32x16;
    type F64 = F64x8;
    type Few = F64x4;

    #[inline(always)]
    fn few(self) -> Avx2 {
        // A machine with AVX-512 has AVX2: see the order of `Isa::KNOWN`.
        Avx2(())
    }

    #[inline(always)]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,popcnt,bmi1")]
        #[inline(never)]
        fn run<K: Kernel>(simd: Avx512, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: this value exists only where detection found these features.
        unsafe { run(self, kernel) }
    }
}

#[inline(always)]
pub(super) fn prefetch<T>(from: &[T], at: usize) {
    // SAFETY: SSE is part of every x86-64. A prefetch of any address, also of one behind the end, changes nothing that a program can see.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(from.as_ptr().wrapping_add(at).cast()) }
}

/// The token of SSE2, which every machine has.
pub(super) const SSE2: Sse2 = Sse2(());

/// The token of AVX2, for an `Isa` with this name, which only exists if detection has found it.
pub(super) fn avx2(_proof: Isa) -> Avx2 {
    Avx2(())
}

/// As [`avx2`], for AVX-512.
#[cfg_attr(dem_two_isas, allow(dead_code))]
pub(super) fn avx512(_proof: Isa) -> Avx512 {
    Avx512(())
}

/// Operators and the [`Lane`] implementation of one lane type, from an expression for each operation.
macro_rules! lane {
    ($name:ident, $simd:ident, $mask:ident, $scalar:ty, $n:literal, $inner:ty;
     add $add:expr; sub $sub:expr; mul $mul:expr; div $div:expr; neg $neg:expr; splat $splat:expr;
     load $load:expr; store $store:expr; sqrt $sqrt:expr; abs $abs:expr; lt $lt:expr; le $le:expr; eq $eq:expr;
     select $select:expr; min $min:expr; max $max:expr; exponent $exponent:expr; fused $fused:expr;
     repeat4 $repeat:expr; tile4 $tile:expr; $(columns $columns:expr; rows $rows:expr;)?) => {
        #[doc = concat!(stringify!($n), " numbers.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name($inner);

        lane!(@operator $name, Add, add, $add);
        lane!(@operator $name, Sub, sub, $sub);
        lane!(@operator $name, Mul, mul, $mul);
        lane!(@operator $name, Div, div, $div);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($neg(self.0)) }
            }
        }

        impl Lane for $name {
            type Simd = $simd;
            type Scalar = $scalar;
            type Mask = $mask;
            const LANES: usize = $n;

            #[inline(always)]
            fn splat(_: $simd, x: $scalar) -> Self {
                // SAFETY: the token proves the instructions.
                unsafe { $name($splat(x)) }
            }
            #[inline(always)]
            fn load(_: $simd, from: &[$scalar], at: usize) -> Self {
                let from = &from[at..at + $n];
                // SAFETY: the token proves the instructions; the slice has as many numbers as the lane.
                unsafe { $name($load(from.as_ptr())) }
            }
            #[inline(always)]
            fn store(self, to: &mut [$scalar], at: usize) {
                let to = &mut to[at..at + $n];
                // SAFETY: a lane exists, so its instructions do; the slice has as many numbers as the lane.
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($sqrt(self.0)) }
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($abs(self.0)) }
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $mask($lt(self.0, other.0)) }
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $mask($le(self.0, other.0)) }
            }
            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $mask($eq(self.0, other.0)) }
            }
            #[inline(always)]
            fn select(mask: $mask, a: Self, b: Self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($select(mask.0, a.0, b.0)) }
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($min(self.0, other.0)) }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($max(self.0, other.0)) }
            }
            #[inline(always)]
            fn inverse_exponent(self) -> Self {
                // Clamped as in the scalar form: value and inverse are both normal numbers.
                const BIAS: i64 = <$scalar>::MAX_EXP as i64 - 1;
                const MANTISSA: u32 = <$scalar>::MANTISSA_DIGITS - 1;
                let token = $simd(());
                let largest = Self::splat(token, <$scalar>::from_bits(((2 * BIAS - 1) << MANTISSA) as _));
                let smallest = Self::splat(token, <$scalar>::MIN_POSITIVE);
                let zero = self.eq(Self::splat(token, 0.0));
                let clamped = self.min(largest).max(smallest);
                // SAFETY: a lane exists, so its instructions do.
                let inverse = unsafe { $name($exponent(clamped.0, (2 * BIAS) << MANTISSA, (2 * BIAS + 1) << MANTISSA)) };
                Self::select(zero, Self::splat(token, 1.0), inverse)
            }
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($fused(self.0, b.0, c.0)) }
            }
            #[inline(always)]
            fn repeat4(_: $simd, row: &[$scalar; 4], part: usize) -> Self {
                // SAFETY: the token proves the instructions; the row has four numbers.
                unsafe { $name($repeat(row, part)) }
            }
            #[inline(always)]
            fn tile4(_: $simd, row: &[$scalar; 4], part: usize) -> Self {
                // SAFETY: the token proves the instructions; the row has four numbers.
                unsafe { $name($tile(row, part)) }
            }
            $(#[inline(always)]
            fn columns(_: $simd, rows: &[&[$scalar; 4]], at: usize) -> [Self; 4] {
                let mut own = [&[0.0; 4]; $n];
                own.copy_from_slice(&rows[at..at + $n]);
                // SAFETY: the token proves the instructions; there are as many rows as the lane has numbers.
                let [a, b, c, d] = unsafe { $columns(own) };
                [$name(a), $name(b), $name(c), $name(d)]
            }
            #[inline(always)]
            fn to_rows([a, b, c, d]: [Self; 4], to: &mut [[$scalar; 4]], at: usize) {
                let to = &mut to[at..at + $n];
                // SAFETY: a lane exists, so its instructions do; there are as many rows as the lane has numbers.
                unsafe { $rows([a.0, b.0, c.0, d.0], to.as_mut_ptr().cast()) }
            })?
        }
    };
    (@operator $name:ident, $trait:ident, $method:ident, $op:expr) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: a lane exists, so its instructions do.
                unsafe { $name($op(self.0, other.0)) }
            }
        }
    };
}

/// Operators of a mask type.
macro_rules! mask {
    ($name:ident, $inner:ty, $all:literal; and $and:expr; or $or:expr; not $not:expr; bits $bits:expr;) => {
        /// A truth value per lane.
        #[derive(Clone, Copy, Debug)]
        pub struct $name($inner);

        impl BitAnd for $name {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: a mask exists, so its instructions do.
                unsafe { $name($and(self.0, other.0)) }
            }
        }

        impl BitOr for $name {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: a mask exists, so its instructions do.
                unsafe { $name($or(self.0, other.0)) }
            }
        }

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: a mask exists, so its instructions do.
                unsafe { $name($not(self.0)) }
            }
        }

        impl Mask for $name {
            #[inline(always)]
            fn bits(self) -> u32 {
                // SAFETY: a mask exists, so its instructions do.
                unsafe { $bits(self.0) as u32 }
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.bits() == $all
            }
        }
    };
}

pub(super) mod detection;
mod sse2;
mod wide;

pub use sse2::{F32x4, F64x2};
pub use wide::{F32x8, F32x16, F64x4, F64x8};
