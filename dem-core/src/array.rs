//! A host's own arrays of three-vectors, read and written in place by strides: arrays of structs, structures of arrays,
//! Fortran `a(3,n)` and `a(n,3)`, in f32 or f64, at any alignment.

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
pub struct Layout {
    /// Number of items.
    pub count: usize,
    /// Bytes from one item to the next.
    pub stride: usize,
    /// Bytes from one component to the next.
    pub component_stride: usize,
    /// Number type.
    pub scalar: Scalar,
}

impl Layout {
    /// Packed `[x, y, z]` items.
    pub const fn packed(count: usize, scalar: Scalar) -> Self {
        Layout { count, stride: 3 * scalar.size(), component_stride: scalar.size(), scalar }
    }

    /// Bytes from the first to the last one used, for items of `components` numbers.
    ///
    /// Errors: [`Kind::TooLarge`] where that does not fit an address.
    pub fn span(&self, components: usize, what: What) -> Result<usize> {
        if self.count == 0 || components == 0 {
            return Ok(0);
        }
        let last = (self.count - 1).checked_mul(self.stride);
        let across = (components - 1).checked_mul(self.component_stride);
        last.zip(across)
            .and_then(|(a, b)| a.checked_add(b))
            .and_then(|n| n.checked_add(self.scalar.size()))
            .ok_or(Error::new(Kind::TooLarge, what).amounts(usize::MAX as u64, self.count as u64))
    }
}

/// Items of a host, to read.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    bytes: &'a [u8],
    layout: Layout,
}

impl<'a> Array<'a> {
    /// Three-vectors in `bytes`.
    ///
    /// Errors: [`Kind::Capacity`] where `bytes` ends before the last item does.
    pub fn new(bytes: &'a [u8], layout: Layout, what: What) -> Result<Self> {
        let span = layout.span(3, what)?;
        if bytes.len() < span {
            return Err(Error::capacity(what, span as u64, bytes.len() as u64));
        }
        Ok(Array { bytes, layout })
    }

    /// A slice of f64 triples.
    pub fn from_f64(v: &'a [[f64; 3]]) -> Self {
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout: Layout::packed(v.len(), Scalar::F64) }
    }

    /// A slice of f32 triples.
    pub fn from_f32(v: &'a [[f32; 3]]) -> Self {
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout: Layout::packed(v.len(), Scalar::F32) }
    }

    /// Number of items.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.layout.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.layout.count == 0
    }

    /// The number type.
    pub fn scalar(&self) -> Scalar {
        self.layout.scalar
    }

    /// Item `i`; zeros behind the end.
    #[inline]
    pub fn get(&self, i: usize) -> [f64; 3] {
        [0, 1, 2].map(|c| self.component(i, c))
    }

    #[inline]
    fn component(&self, i: usize, c: usize) -> f64 {
        let Layout { count, stride, component_stride, scalar } = self.layout;
        if i >= count {
            return 0.0;
        }
        let at = i * stride + c * component_stride;
        match scalar {
            Scalar::F32 => read::<4>(self.bytes, at).map_or(0.0, |b| f32::from_ne_bytes(b) as f64),
            Scalar::F64 => read::<8>(self.bytes, at).map_or(0.0, f64::from_ne_bytes),
        }
    }

    /// Errors: [`Kind::NotFinite`] with index and component of the first number that is NaN or infinite.
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

#[inline(always)]
fn read<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}
