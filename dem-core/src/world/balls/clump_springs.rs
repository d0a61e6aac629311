//! Springs of two compounds: a row for each pair of their balls that touches.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::ball_rows::PART;

/// Largest number of contacts of two bodies; pairs with more use general steps.
pub(super) const MOST: usize = 32;

/// A contact of parts as the block stores it, in [`OF_PARTS`](super::touching_pairs::OF_PARTS) words. A
/// [`Touch`](crate::world::balls::touching_pairs::Touch) begins in the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Kept {
    /// As in a [`Touch`](crate::world::balls::touching_pairs::Touch).
    pub marked: u64,
    pub slide: [f64; 3],
    /// Energy of both springs.
    pub stored: f64,
    pub twist: [f64; 3],
    /// Its position relative to the centres of A and of B.
    pub arms: [[f64; 3]; 2],
    pub area: f64,
    /// The parts of A and B ([`word`]), each with [`PART`] if the body is a compound; 0 for two balls.
    pub parts: u64,
}

/// Two numbers as a word, the first one in its lower half.
pub(super) fn word(numbers: [u32; 2]) -> u64 {
    let [a, b] = numbers.map(u64::from);
    a | b << 32
}

/// The index of the word with the parts.
pub(super) const LAST: usize = size_of::<Kept>() / 8 - 1;

impl Kept {
    /// Reads a contact from words; the default if there are too few words.
    pub fn read(words: &[u64]) -> Kept {
        Kept::read_from_prefix(words.as_bytes()).map_or(Kept::default(), |(kept, _)| kept)
    }

    /// Writes the present contact.
    pub fn write(&self, words: &mut [u64]) {
        _ = self.write_to_prefix(words.as_mut_bytes());
    }

    /// The second half of the key of its contact.
    pub fn feature(&self) -> u64 {
        let [a, b] = [self.parts as u32, (self.parts >> 32) as u32].map(|part| part & !PART);
        u64::from(a) << 32 | u64::from(b)
    }

    /// The parts in these words.
    pub fn parts_in(words: &[u64]) -> u64 {
        words.get(LAST).copied().unwrap_or(0)
    }

    /// Whether these are parts of compounds.
    pub fn is_of_parts(parts: u64) -> bool {
        parts & word([PART; 2]) != 0
    }
}
