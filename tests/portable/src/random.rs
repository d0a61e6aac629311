//! Random numbers: integers by SplitMix64, fractions by exact scaling, so that every machine draws the same.

/// A seeded sequence.
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Uniform in [-1, 1), a multiple of 2^-52.
    pub fn signed(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A point of the cube [-1, 1)^3.
    pub fn point(&mut self) -> [f64; 3] {
        [self.signed(), self.signed(), self.signed()]
    }

    /// A power of two from 2^-range to 2^range.
    pub fn scale(&mut self, range: u64) -> f64 {
        let exponent = 1023 - range + self.word() % (2 * range + 1);
        f64::from_bits(exponent << 52)
    }
}
