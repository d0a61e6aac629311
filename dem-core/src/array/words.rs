//! Unsigned 32-bit numbers in a host's memory.

use super::{read, span};
use crate::error::{Error, Result, What};

/// One unsigned 32-bit number for each item of a host (flags, groups, ids), by a stride.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    bytes: &'a [u8],
    count: usize,
    stride: usize,
}

impl<'a> Words<'a> {
    /// `count` numbers in `bytes`: number i starts at byte `i * stride`.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) where `bytes` ends before the last one does;
    /// [`Kind::TooLarge`](crate::error::Kind::TooLarge).
    pub fn new(bytes: &'a [u8], count: usize, stride: usize, what: What) -> Result<Self> {
        let span = span(count, stride, 1, 4, 4, what)?;
        if bytes.len() < span {
            return Err(Error::capacity(what, span as u64, bytes.len() as u64));
        }
        Ok(Words { bytes, count, stride })
    }

    /// A slice of numbers.
    pub fn from_slice(v: &'a [u32]) -> Self {
        Words { bytes: zerocopy::IntoBytes::as_bytes(v), count: v.len(), stride: 4 }
    }

    /// The same small number for all of `count` items: 0, or what has one byte.
    pub fn same(number: u8, count: usize) -> Self {
        static NUMBERS: [[u8; 4]; 256] = {
            let mut numbers = [[0; 4]; 256];
            let mut i = 0;
            while i < 256 {
                numbers[i] = (i as u32).to_ne_bytes();
                i += 1;
            }
            numbers
        };
        Words { bytes: NUMBERS.get(usize::from(number)).map_or(&[], |n| n), count, stride: 0 }
    }

    /// How many.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number `i`; zero behind the end.
    #[inline]
    pub fn get(&self, i: usize) -> u32 {
        if i >= self.count {
            return 0;
        }
        read::<4>(self.bytes, i * self.stride).map_or(0, u32::from_ne_bytes)
    }
}
