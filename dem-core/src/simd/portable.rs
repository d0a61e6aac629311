//! Lanes as plain arrays: one lane for the scalar back end; several where the compiler turns them into vectors (NEON).

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::traits::{Lane, Mask, Simd};
use crate::real::Real;

/// `N32` lanes in single and `N64` in double precision, on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Portable<const N32: usize, const N64: usize>;

impl<const N32: usize, const N64: usize> Simd for Portable<N32, N64> {
    type F32 = PortableLane<f32, N32, N32, N64>;
    type F64 = PortableLane<f64, N64, N32, N64>;
    type Few = Self::F64;

    #[inline(always)]
    fn few(self) -> Self {
        self
    }
}

/// `N` numbers of a [`Portable`] set.
#[derive(Clone, Copy, Debug)]
pub struct PortableLane<T, const N: usize, const N32: usize, const N64: usize>([T; N]);

/// One truth value for each lane.
#[derive(Clone, Copy, Debug)]
pub struct PortableMask<const N: usize>([bool; N]);

/// Runs `$body` for each lane `$i < N`, unrolled: with a loop in every operation, kernels take twice as long to compile.
macro_rules! each_lane {
    ($i:ident, $body:expr) => {
        const { assert!(N <= 4) };
        each_lane!($i, $body; 0 1 2 3);
    };
    ($i:ident, $body:expr; $($at:literal)*) => {
        $(if $at < N {
            let $i = $at;
            $body;
        })*
    };
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<T: Real, const N: usize, const N32: usize, const N64: usize> $trait for PortableLane<T, N, N32, N64> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut out = self.0;
                each_lane!(i, out[i] = self.0[i] $op other.0[i]);
                PortableLane(out)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

macro_rules! each {
    ($self:ident, $i:ident, $value:expr) => {{
        let mut out = $self.0;
        each_lane!($i, out[$i] = $value);
        PortableLane(out)
    }};
}

macro_rules! compare {
    ($self:ident, $other:ident, $op:tt) => {{
        let mut out = [false; N];
        each_lane!(i, out[i] = $self.0[i] $op $other.0[i]);
        PortableMask(out)
    }};
}

impl<T: Real, const N: usize, const N32: usize, const N64: usize> Neg for PortableLane<T, N, N32, N64> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        each!(self, i, -self.0[i])
    }
}

impl<T: Real, const N: usize, const N32: usize, const N64: usize> Lane for PortableLane<T, N, N32, N64> {
    type Simd = Portable<N32, N64>;
    type Scalar = T;
    type Mask = PortableMask<N>;
    const LANES: usize = N;

    #[inline(always)]
    fn splat(_: Self::Simd, x: T) -> Self {
        PortableLane([x; N])
    }
    #[inline(always)]
    fn load(_: Self::Simd, from: &[T], at: usize) -> Self {
        let from = &from[at..at + N];
        let mut out = [T::default(); N];
        each_lane!(i, out[i] = from[i]);
        PortableLane(out)
    }
    #[inline(always)]
    fn store(self, to: &mut [T], at: usize) {
        let to = &mut to[at..at + N];
        each_lane!(i, to[i] = self.0[i]);
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each!(self, i, self.0[i].sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each!(self, i, self.0[i].abs())
    }
    #[inline(always)]
    fn lt(self, other: Self) -> PortableMask<N> {
        compare!(self, other, <)
    }
    #[inline(always)]
    fn le(self, other: Self) -> PortableMask<N> {
        compare!(self, other, <=)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> PortableMask<N> {
        compare!(self, other, ==)
    }
    #[inline(always)]
    fn select(mask: PortableMask<N>, a: Self, b: Self) -> Self {
        each!(a, i, if mask.0[i] { a.0[i] } else { b.0[i] })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each!(self, i, crate::real::min(self.0[i], other.0[i]))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        each!(self, i, crate::real::max(self.0[i], other.0[i]))
    }
    #[inline(always)]
    fn inverse_exponent(self) -> Self {
        each!(self, i, self.0[i].inverse_exponent())
    }
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    #[inline(always)]
    fn repeat4(_: Self::Simd, row: &[T; 4], part: usize) -> Self {
        let out: Self = PortableLane([T::default(); N]);
        each!(out, i, row[((part * N + i) / 4) & 3])
    }
    #[inline(always)]
    fn tile4(_: Self::Simd, row: &[T; 4], part: usize) -> Self {
        let out: Self = PortableLane([T::default(); N]);
        each!(out, i, row[(part * N + i) & 3])
    }
}

impl<const N: usize> BitAnd for PortableMask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        each_lane!(i, self.0[i] &= other.0[i]);
        self
    }
}

impl<const N: usize> BitOr for PortableMask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        each_lane!(i, self.0[i] |= other.0[i]);
        self
    }
}

impl<const N: usize> Not for PortableMask<N> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        each_lane!(i, self.0[i] = !self.0[i]);
        self
    }
}

impl<const N: usize> Mask for PortableMask<N> {
    #[inline(always)]
    fn bits(self) -> u32 {
        let mut bits = 0;
        each_lane!(i, bits |= u32::from(self.0[i]) << i);
        bits
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.bits() == u32::MAX >> (32 - N as u32)
    }
}
