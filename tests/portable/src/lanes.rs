//! Every lane operation that results may use, in both precisions, with the instruction set at hand.

use crate::{Hash, Random};
use dem_core::error::Result;
use dem_core::real::Real;
use dem_core::simd::{Isa, Kernel, Lane, Mask, Number, Simd, dispatch};

/// A multiple of every number of lanes.
const COUNT: usize = 64;

pub(crate) fn run(isa: Isa, _memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(3);
    for _ in 0..10 {
        let mut column = || core::array::from_fn(|_| random.signed() * random.scale(60));
        let (a, b) = (column(), column());
        dispatch(isa, Operations { a: &a, b: &b, hash: &mut hash });
        dispatch(isa, Operations { a: &a.map(|x| x as f32), b: &b.map(|x| x as f32), hash: &mut hash });
    }
    Ok(hash.value())
}

struct Operations<'a, T> {
    a: &'a [T; COUNT],
    b: &'a [T; COUNT],
    hash: &'a mut Hash,
}

impl<T: Real> Operations<'_, T> {
    #[inline(always)]
    fn over<L: Lane<Scalar = T>>(self, simd: L::Simd) {
        let mut results = [[T::default(); COUNT]; 12];
        let mut masks = [0u64; 4];
        let mut at = 0;
        while at < COUNT {
            let (a, b) = (L::load(simd, self.a, at), L::load(simd, self.b, at));
            let lanes = [
                a + b,
                a - b,
                a * b,
                a / b,
                -a,
                a.abs().sqrt(),
                a.min(b),
                a.max(b),
                L::select(a.lt(b), b, L::splat(simd, T::from_f64(0.1))),
                a.abs().inverse_exponent(),
                (a * b + a).abs(),
                a * a.abs().inverse_exponent(),
            ];
            let mut i = 0;
            while i < lanes.len() {
                lanes[i].store(&mut results[i], at);
                i += 1;
            }
            let four = [a.lt(b), a.le(a), a.eq(b), (!a.lt(b)) & (b.lt(a) | a.eq(a))];
            let mut i = 0;
            while i < four.len() {
                masks[i] |= u64::from(four[i].bits()) << at;
                i += 1;
            }
            at += L::LANES;
        }
        let rows = results.iter().flatten();
        rows.for_each(|x| self.hash.number(x.to_f64()));
        masks.iter().for_each(|&mask| self.hash.word(mask));
    }
}

impl<T: Number> Kernel for Operations<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.over::<T::Lane<S>>(simd);
    }
}
