//! The operations of `real`, in both precisions and over the whole range of exponents.

use crate::{Hash, Random};
use dem_core::error::Result;
use dem_core::real::{Real, max, min};
use dem_core::simd::Isa;

pub(crate) fn run(_isa: Isa, _memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(1);
    for _ in 0..500 {
        let (a, b) = (random.signed() * random.scale(900), random.signed() * random.scale(900));
        operations(&mut hash, a, b);
        let (a, b) = (random.signed() * random.scale(126), random.signed() * random.scale(126));
        operations(&mut hash, a as f32, b as f32);
    }
    // Signed zeros, subnormal numbers, the largest ones.
    for a in [0.0, -0.0, 1e-310, 5e-324, f64::MAX, -1.5] {
        operations(&mut hash, a, -0.0);
        operations(&mut hash, a as f32, 1e-40);
    }
    Ok(hash.value())
}

fn operations<T: Real>(hash: &mut Hash, a: T, b: T) {
    let results = [
        a + b,
        a - b,
        a.abs().sqrt(),
        (a * b).abs().sqrt(),
        min(a, b),
        max(a, b),
        a.inverse_exponent(),
        a * a.inverse_exponent(),
        a.next_up(),
        -a,
    ];
    for x in results {
        hash.number(x.to_f64());
    }
    if b.to_f64() != 0.0 {
        hash.number((a / b).to_f64());
    }
    hash.word(a.is_finite() as u64 | ((a < b) as u64) << 1);
}
