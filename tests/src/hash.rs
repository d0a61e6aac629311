//! Hashes of results.

/// FNV-1a over 64-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(pub u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xCBF2_9CE4_8422_2325)
    }
}

impl Hash {
    /// Adds a word, byte by byte.
    pub fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ byte as u64).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    /// The hash of id pairs, in their order.
    pub fn of_pairs(pairs: impl IntoIterator<Item = (u32, u32)>) -> u64 {
        let mut hash = Hash::default();
        for (a, b) in pairs {
            hash.word((a as u64) << 32 | b as u64);
        }
        hash.0
    }

    /// The hash of the bits of numbers, in their order.
    pub fn of_numbers(numbers: impl IntoIterator<Item = f64>) -> u64 {
        let mut hash = Hash::default();
        for x in numbers {
            hash.word(x.to_bits());
        }
        hash.0
    }
}
