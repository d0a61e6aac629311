//! Corner indices in a host's memory.

use super::{read, span};
use crate::error::{Error, Kind, Result, What};

/// Corner indices of triangles in a host's memory: three 32-bit unsigned numbers each, by strides.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    bytes: &'a [u8],
    count: usize,
    stride: usize,
    component_stride: usize,
    first: u32,
}

impl<'a> Indices<'a> {
    /// `count` triangles in `bytes`: corner c of triangle i starts at byte `i * stride + c * component_stride`. `first`
    /// is the number of the first vertex: 0 in C, 1 in Fortran.
    ///
    /// Errors: [`Kind::Capacity`] where `bytes` ends before the last triangle does; [`Kind::TooLarge`].
    pub fn new(bytes: &'a [u8], count: usize, stride: usize, component_stride: usize, first: u32) -> Result<Self> {
        let span = span(count, stride, 3, component_stride, 4, What::Indices)?;
        if bytes.len() < span {
            return Err(Error::capacity(What::Indices, span as u64, bytes.len() as u64));
        }
        Ok(Indices { bytes, count, stride, component_stride, first })
    }

    /// A slice of triples of indices that count from 0.
    pub fn from_slice(v: &'a [[u32; 3]]) -> Self {
        let bytes = zerocopy::IntoBytes::as_bytes(v);
        Indices { bytes, count: v.len(), stride: 12, component_stride: 4, first: 0 }
    }

    /// The indices as a slice, where they are packed, aligned and count from 0.
    pub fn as_slice(&self) -> Option<&'a [[u32; 3]]> {
        if self.stride != 12 || self.component_stride != 4 || self.first != 0 {
            return None;
        }
        zerocopy::FromBytes::ref_from_bytes(self.bytes.get(..12 * self.count)?).ok()
    }

    /// Number of triangles.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Corners of triangle `i`, counted from 0; zeros where `i` is out of range. A number below `first` becomes an
    /// index near 2^32, which [`check`](Self::check) refuses.
    #[inline]
    pub fn get(&self, i: usize) -> [u32; 3] {
        [0, 1, 2].map(|c| self.raw(i, c).wrapping_sub(self.first))
    }

    #[inline]
    fn raw(&self, i: usize, c: usize) -> u32 {
        if i >= self.count {
            return self.first;
        }
        read::<4>(self.bytes, i * self.stride + c * self.component_stride).map_or(self.first, u32::from_ne_bytes)
    }

    /// Checks that every index is below the number of vertices. Errors: [`Kind::BadIndex`] with triangle, corner, the
    /// given number, and the number of vertices.
    pub fn check(&self, vertices: usize) -> Result<()> {
        // Fast path for packed arrays: one pass for the largest index is enough if it is valid.
        let largest = self.as_slice().map(|all| all.iter().flatten().fold(0, |most, index| *index.max(&most)));
        if largest.is_some_and(|largest| (largest as usize) < vertices) {
            return Ok(());
        }
        for i in 0..self.count {
            for (c, index) in self.get(i).into_iter().enumerate() {
                if index as usize >= vertices {
                    let amounts = (vertices as u64, u64::from(self.raw(i, c)));
                    let error = Error::new(Kind::BadIndex, What::Indices).amounts(amounts.0, amounts.1);
                    return Err(error.at(i as u64, c as u32));
                }
            }
        }
        Ok(())
    }
}
