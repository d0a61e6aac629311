//! Which pairs of the list are near, several at a time.

use super::images::Images;
use super::round::{BLOCK, NONE};
use crate::simd::{Kernel, Lane, Mask, Simd};

/// Pairs that are looked at together.
pub(super) const CHUNK: usize = 64;

/// Looks at as many pairs as a word has bits. Gives which may touch; of those with a half-space all, and which these are.
pub(super) struct Near<'k> {
    pub images: &'k Images,
    /// Centre, and radius with halo.
    pub places: &'k [[f64; 4]],
    pub pairs: &'k [[u32; 2]],
}

impl Kernel for Near<'_> {
    type Output = [u64; 2];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [u64; 2] {
        let (mut near, mut flat, mut at) = (0, 0, 0);
        while at < self.pairs.len().min(CHUNK) {
            let [some, planes] = self.lanes(simd, at);
            (near, flat) = (near | u64::from(some) << at, flat | u64::from(planes) << at);
            at += S::F64::LANES;
        }
        [near, flat]
    }
}

impl Near<'_> {
    #[inline(always)]
    fn lanes<S: Simd>(&self, simd: S, at: usize) -> [u32; 2] {
        let mut rows = [[NONE; BLOCK]; 2];
        let mut lane = 0;
        while lane < S::F64::LANES {
            if let Some([a, b]) = self.pairs.get(at + lane)
                && let (Some(p), Some(q)) = (self.places.get(*a as usize), self.places.get(*b as usize))
            {
                (rows[0][lane], rows[1][lane]) = (p, q);
            }
            lane += 1;
        }
        let (p, q) = (S::F64::columns(simd, &rows[0], 0), S::F64::columns(simd, &rows[1], 0));
        let ([x, y, z], reach) = (self.images.apart_lanes(simd, p, q), p[3] + q[3]);
        let near = (x * x + y * y + z * z).le(reach * reach * S::F64::splat(simd, 1.0 + 1e-9));
        [near.bits(), S::F64::splat(simd, f64::INFINITY).eq(reach).bits()]
    }
}
