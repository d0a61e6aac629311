//! Unsigned numbers in a host's memory.

use core::marker::PhantomData;

use super::{read, span};
use crate::error::{Error, Result, What};

/// A number type of [`Words`]: `u32` or `u64`.
pub trait Word: zerocopy::IntoBytes + zerocopy::Immutable + Copy + Default {
    #[doc(hidden)]
    fn read(bytes: &[u8], at: usize) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn read(bytes: &[u8], at: usize) -> u32 {
        read::<4>(bytes, at).map_or(0, u32::from_ne_bytes)
    }
}

impl Word for u64 {
    #[inline(always)]
    fn read(bytes: &[u8], at: usize) -> u64 {
        read::<8>(bytes, at).map_or(0, u64::from_ne_bytes)
    }
}

/// A host's array of unsigned numbers (flags, groups, ids), read by a stride.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a, T = u32> {
    bytes: &'a [u8],
    count: usize,
    stride: usize,
    number: PhantomData<T>,
}

impl<'a, T: Word> Words<'a, T> {
    /// `count` numbers in `bytes`: number i starts at byte `i * stride`.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) where `bytes` ends before the last number does;
    /// [`Kind::TooLarge`](crate::error::Kind::TooLarge).
    pub fn new(bytes: &'a [u8], count: usize, stride: usize, what: What) -> Result<Self> {
        let size = size_of::<T>();
        let span = span(count, stride, 1, size, size, what)?;
        if bytes.len() < span {
            return Err(Error::capacity(what, span as u64, bytes.len() as u64));
        }
        Ok(Words { bytes, count, stride, number: PhantomData })
    }

    /// A slice of numbers.
    pub fn from_slice(v: &'a [T]) -> Self {
        let bytes = zerocopy::IntoBytes::as_bytes(v);
        Words { bytes, count: v.len(), stride: size_of::<T>(), number: PhantomData }
    }

    /// Number of items.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number `i`; zero where `i` is out of range.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        if i >= self.count {
            return T::default();
        }
        T::read(self.bytes, i * self.stride)
    }
}

impl<'a> Words<'a> {
    /// `count` items that all have the same number (stride 0).
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
        let bytes = NUMBERS.get(usize::from(number)).map_or(&[][..], |n| n);
        Words { bytes, count, stride: 0, number: PhantomData }
    }
}
