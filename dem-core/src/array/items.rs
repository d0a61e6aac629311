//! Vectors, quaternions and single numbers in a host's memory.

use super::{Scalar, Strides, read};
use crate::error::{Error, Kind, Result, What};

/// A host's array: vectors of three or two components, quaternions, or single numbers.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    bytes: &'a [u8],
    layout: Strides,
    components: usize,
}

impl<'a> Array<'a> {
    /// Three-vectors in `bytes`.
    ///
    /// Errors: [`Kind::Capacity`] where `bytes` ends before the last item does.
    pub fn new(bytes: &'a [u8], layout: Strides, what: What) -> Result<Self> {
        Array::with_components(bytes, layout, 3, what)
    }

    /// Vectors of two components in `bytes`: points of a plane.
    ///
    /// Errors: as [`Array::new`].
    pub fn planar(bytes: &'a [u8], layout: Strides, what: What) -> Result<Self> {
        Array::with_components(bytes, layout, 2, what)
    }

    /// Single numbers in `bytes` (halos, say): component 0 of each item.
    ///
    /// Errors: as [`Array::new`].
    pub fn numbers(bytes: &'a [u8], layout: Strides, what: What) -> Result<Self> {
        Array::with_components(bytes, layout, 1, what)
    }

    /// Quaternions `x y z w` in `bytes`.
    ///
    /// Errors: as [`Array::new`].
    pub fn quaternions(bytes: &'a [u8], layout: Strides, what: What) -> Result<Self> {
        Array::with_components(bytes, layout, 4, what)
    }

    fn with_components(bytes: &'a [u8], layout: Strides, components: usize, what: What) -> Result<Self> {
        let span = layout.span(components, what)?;
        if bytes.len() < span {
            return Err(Error::capacity(what, span as u64, bytes.len() as u64));
        }
        Ok(Array { bytes, layout, components })
    }

    /// A slice of f64 triples.
    pub fn from_f64(v: &'a [[f64; 3]]) -> Self {
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout: Strides::packed(v.len(), Scalar::F64), components: 3 }
    }

    /// A slice of f32 triples.
    pub fn from_f32(v: &'a [[f32; 3]]) -> Self {
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout: Strides::packed(v.len(), Scalar::F32), components: 3 }
    }

    /// A slice of f64 quaternions `x y z w`.
    pub fn from_quaternions(v: &'a [[f64; 4]]) -> Self {
        let layout = Strides { count: v.len(), stride: 32, component_stride: 8, scalar: Scalar::F64 };
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout, components: 4 }
    }

    /// A slice of pairs of f64: points of a plane.
    pub fn from_planar(v: &'a [[f64; 2]]) -> Self {
        let layout = Strides { count: v.len(), stride: 16, component_stride: 8, scalar: Scalar::F64 };
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout, components: 2 }
    }

    /// A slice of single f64 numbers.
    pub fn from_numbers(v: &'a [f64]) -> Self {
        let layout = Strides::numbers(v.len(), Scalar::F64);
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout, components: 1 }
    }

    /// The array as a slice, where its items are packed and aligned f64 triples.
    pub fn as_f64(&self) -> Option<&'a [[f64; 3]]> {
        self.packed(3)
    }

    /// The array as a slice, where its items are packed and aligned single f64 numbers.
    pub fn as_f64_numbers(&self) -> Option<&'a [f64]> {
        self.packed(1)
    }

    fn packed<T>(&self, components: usize) -> Option<&'a [T]>
    where
        [T]: zerocopy::FromBytes + zerocopy::Immutable + zerocopy::KnownLayout,
    {
        let Strides { count, stride, component_stride, scalar } = self.layout;
        let packed = stride == 8 * components && (component_stride == 8 || components == 1);
        if scalar != Scalar::F64 || self.components != components || !packed {
            return None;
        }
        zerocopy::FromBytes::ref_from_bytes(self.bytes.get(..count * stride)?).ok()
    }

    /// Number of items.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.layout.count
    }

    /// Whether the array is empty.
    pub fn is_empty(&self) -> bool {
        self.layout.count == 0
    }

    /// Number type of the array.
    pub fn scalar(&self) -> Scalar {
        self.layout.scalar
    }

    /// Item `i` as a three-vector; zeros where `i` is out of range and for components that the array does not have.
    #[inline]
    pub fn get(&self, i: usize) -> [f64; 3] {
        // Written out, because a closure would not be inlined into kernels.
        [self.component(i, 0), self.component(i, 1), self.component(i, 2)]
    }

    /// Item `i` as a quaternion; zeros where `i` is out of range and for components that the array does not have.
    #[inline]
    pub fn quaternion(&self, i: usize) -> [f64; 4] {
        [0, 1, 2, 3].map(|c| self.component(i, c))
    }

    /// Component 0 of item `i`: the item of an array of single numbers; zero where `i` is out of range.
    #[inline]
    pub fn number(&self, i: usize) -> f64 {
        self.component(i, 0)
    }

    #[inline(always)]
    fn component(&self, i: usize, c: usize) -> f64 {
        let Strides { count, stride, component_stride, scalar } = self.layout;
        if i >= count || c >= self.components {
            return 0.0;
        }
        let at = i * stride + c * component_stride;
        match scalar {
            Scalar::F32 => read::<4>(self.bytes, at).map_or(0.0, |b| f32::from_ne_bytes(b) as f64),
            Scalar::F64 => read::<8>(self.bytes, at).map_or(0.0, f64::from_ne_bytes),
        }
    }

    /// Checks that every number is finite. Errors: [`Kind::NotFinite`] with index and component of the first number
    /// that is NaN or infinite.
    pub fn check_finite(&self, what: What) -> Result<()> {
        for i in 0..self.len() {
            for (c, x) in self.get(i).into_iter().enumerate() {
                if !x.is_finite() {
                    return Err(Error::new(Kind::NotFinite, what).at(i as u64, c as u32));
                }
            }
        }
        Ok(())
    }
}
