//! Views of a host's arrays of vectors and numbers, read in place by strides: arrays of structs, structs of arrays, Fortran `a(3,n)` and `a(n,3)`,
//! in f32 or f64, at any alignment.

mod indices;
mod items;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod vectors;
mod words;

pub use indices::Indices;
pub use items::Array;
pub use vectors::{Vectors, VectorsMut};
pub use words::{Word, Words};

use crate::error::{Error, Kind, Result, What};

/// Number type of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Scalar {
    /// 32-bit floats.
    F32 = 1,
    /// 64-bit floats.
    F64 = 2,
}

impl Scalar {
    /// Bytes of one number.
    pub const fn size(self) -> usize {
        match self {
            Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }
}

/// Where the numbers of `count` items lie: component c of item i starts at byte `i * stride + c * component_stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Number of items.
    pub count: usize,
    /// Bytes from one item to the next.
    pub stride: usize,
    /// Bytes from one component to the next.
    pub component_stride: usize,
    /// Number type.
    pub scalar: Scalar,
}

impl Strides {
    /// Packed `[x, y, z]` items.
    pub const fn packed(count: usize, scalar: Scalar) -> Self {
        Strides { count, stride: 3 * scalar.size(), component_stride: scalar.size(), scalar }
    }

    /// Single numbers, one after another.
    pub const fn numbers(count: usize, scalar: Scalar) -> Self {
        Strides { count, stride: scalar.size(), component_stride: scalar.size(), scalar }
    }

    /// Bytes from the start of the first item to the end of the last one, for items of `components` numbers.
    ///
    /// Errors: [`Kind::TooLarge`] where the span does not fit a `usize`.
    pub fn span(&self, components: usize, what: What) -> Result<usize> {
        span(self.count, self.stride, components, self.component_stride, self.scalar.size(), what)
    }
}

/// As [`Strides::span`], for numbers of `size` bytes.
fn span(
    count: usize,
    stride: usize,
    components: usize,
    component_stride: usize,
    size: usize,
    what: What,
) -> Result<usize> {
    if count == 0 || components == 0 {
        return Ok(0);
    }
    let last = (count - 1).checked_mul(stride);
    let across = (components - 1).checked_mul(component_stride);
    last.zip(across)
        .and_then(|(a, b)| a.checked_add(b))
        .and_then(|n| n.checked_add(size))
        .ok_or(Error::new(Kind::TooLarge, what).amounts(usize::MAX as u64, count as u64))
}

#[inline(always)]
fn read<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}
