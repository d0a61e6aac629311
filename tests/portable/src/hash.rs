//! A hash of numbers by their bits, which does not depend on the byte order of the machine.

/// FNV-1a over 64-bit words instead of bytes, with a final mix: short, and good enough to tell results apart.
pub struct Hash(u64);

impl Hash {
    /// Of nothing yet.
    pub fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    /// Takes in a word.
    pub fn word(&mut self, x: u64) {
        self.0 = (self.0 ^ x).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    /// Takes in bytes, as they lie in memory.
    pub fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.word(u64::from(byte)));
    }

    /// Takes in a number. A NaN has no one bit pattern, so it must not occur in a result.
    pub fn number(&mut self, x: f64) {
        assert!(!x.is_nan(), "a result is NaN");
        self.word(x.to_bits());
    }

    /// Takes in numbers.
    pub fn numbers(&mut self, x: &[f64]) {
        x.iter().for_each(|&x| self.number(x));
    }

    /// The hash of everything so far.
    pub fn value(&self) -> u64 {
        let x = (self.0 ^ self.0 >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ x >> 32
    }
}

impl Default for Hash {
    fn default() -> Self {
        Hash::new()
    }
}
