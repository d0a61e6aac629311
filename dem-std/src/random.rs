//! The splitmix64 generator, the only source of random numbers in generators, tests and benchmarks.

/// A stream of random numbers that depends only on its seed.
///
/// `state += 0x9E3779B97F4A7C15`, then three rounds of xor-shift and multiply; the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// The next number in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// The next number in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// A point on the unit sphere, every direction equally likely (Marsaglia 1972: rejection and one square root).
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let (u, v) = (self.signed(), self.signed());
            let s = u * u + v * v;
            if s < 1.0 {
                let r = 2.0 * dem_core::real::Real::sqrt(1.0 - s);
                return [u * r, v * r, 1.0 - 2.0 * s];
            }
        }
    }
}

/// The finishing rounds of splitmix64: a good hash of 64 bits.
pub(crate) fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_stream_of_seed_0() {
        let mut r = SplitMix64::new(0);
        assert_eq!(r.next_u64(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(r.next_u64(), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(r.next_u64(), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn directions_are_on_the_sphere_and_balanced() {
        let mut r = SplitMix64::new(7);
        let mut sum = [0.0; 3];
        for _ in 0..10_000 {
            let d = r.direction();
            assert!((d.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
            (0..3).for_each(|c| sum[c] += d[c]);
        }
        // Standard deviation of each sum is sqrt(10000 / 3) = 58.
        assert!(sum.iter().all(|s| s.abs() < 300.0), "{sum:?}");
    }
}
