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

    /// Single numbers, one after another.
    pub const fn numbers(count: usize, scalar: Scalar) -> Self {
        Layout { count, stride: scalar.size(), component_stride: scalar.size(), scalar }
    }

    /// Bytes from the first to the last one used, for items of `components` numbers.
    ///
    /// Errors: [`Kind::TooLarge`] where that does not fit an address.
    pub fn span(&self, components: usize, what: What) -> Result<usize> {
        span(self.count, self.stride, components, self.component_stride, self.scalar.size(), what)
    }
}

/// Bytes from the first to the last one used of `count` items of `components` numbers of `size` bytes each.
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

/// Items of a host, to read: three-vectors, or single numbers.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    bytes: &'a [u8],
    layout: Layout,
    components: usize,
}

impl<'a> Array<'a> {
    /// Three-vectors in `bytes`.
    ///
    /// Errors: [`Kind::Capacity`] where `bytes` ends before the last item does.
    pub fn new(bytes: &'a [u8], layout: Layout, what: What) -> Result<Self> {
        Array::with_components(bytes, layout, 3, what)
    }

    /// Single numbers in `bytes` (halos, say): component 0 of each item.
    ///
    /// Errors: as [`Array::new`].
    pub fn numbers(bytes: &'a [u8], layout: Layout, what: What) -> Result<Self> {
        Array::with_components(bytes, layout, 1, what)
    }

    fn with_components(bytes: &'a [u8], layout: Layout, components: usize, what: What) -> Result<Self> {
        let span = layout.span(components, what)?;
        if bytes.len() < span {
            return Err(Error::capacity(what, span as u64, bytes.len() as u64));
        }
        Ok(Array { bytes, layout, components })
    }

    /// A slice of f64 triples.
    pub fn from_f64(v: &'a [[f64; 3]]) -> Self {
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout: Layout::packed(v.len(), Scalar::F64), components: 3 }
    }

    /// A slice of f32 triples.
    pub fn from_f32(v: &'a [[f32; 3]]) -> Self {
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout: Layout::packed(v.len(), Scalar::F32), components: 3 }
    }

    /// A slice of single f64 numbers.
    pub fn from_numbers(v: &'a [f64]) -> Self {
        let layout = Layout::numbers(v.len(), Scalar::F64);
        Array { bytes: zerocopy::IntoBytes::as_bytes(v), layout, components: 1 }
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

    /// Item `i` as a three-vector; zeros behind the end and for components that the array does not have.
    #[inline]
    pub fn get(&self, i: usize) -> [f64; 3] {
        [0, 1, 2].map(|c| self.component(i, c))
    }

    /// Component 0 of item `i`: the item of an array of single numbers; zero behind the end.
    #[inline]
    pub fn number(&self, i: usize) -> f64 {
        self.component(i, 0)
    }

    #[inline]
    fn component(&self, i: usize, c: usize) -> f64 {
        let Layout { count, stride, component_stride, scalar } = self.layout;
        if i >= count || c >= self.components {
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

/// Items of a host, to write: numbers are rounded to the nearest of the array's own type.
#[derive(Debug)]
pub struct ArrayMut<'a> {
    bytes: &'a mut [u8],
    layout: Layout,
    components: usize,
}

impl<'a> ArrayMut<'a> {
    /// Items of `components` numbers in `bytes`.
    ///
    /// Errors: [`Kind::Capacity`] where `bytes` ends before the last item does.
    pub fn new(bytes: &'a mut [u8], layout: Layout, components: usize, what: What) -> Result<Self> {
        let span = layout.span(components, what)?;
        if bytes.len() < span {
            return Err(Error::capacity(what, span as u64, bytes.len() as u64));
        }
        Ok(ArrayMut { bytes, layout, components })
    }

    /// A slice of f64 triples.
    pub fn from_f64(v: &'a mut [[f64; 3]]) -> Self {
        let layout = Layout::packed(v.len(), Scalar::F64);
        ArrayMut { bytes: zerocopy::IntoBytes::as_mut_bytes(v), layout, components: 3 }
    }

    /// A slice of single f64 numbers.
    pub fn from_numbers(v: &'a mut [f64]) -> Self {
        let layout = Layout::numbers(v.len(), Scalar::F64);
        ArrayMut { bytes: zerocopy::IntoBytes::as_mut_bytes(v), layout, components: 1 }
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

    /// Writes item `i`. What lies behind the end, and components that the array does not have, are left alone.
    #[inline]
    pub fn set<const N: usize>(&mut self, i: usize, item: [f64; N]) {
        let Layout { count, stride, component_stride, scalar } = self.layout;
        if i >= count {
            return;
        }
        for (c, x) in item.into_iter().enumerate().take(self.components) {
            let at = i * stride + c * component_stride;
            match scalar {
                Scalar::F32 => write(self.bytes, at, (x as f32).to_ne_bytes()),
                Scalar::F64 => write(self.bytes, at, x.to_ne_bytes()),
            }
        }
    }
}

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
    /// `count` triangles in `bytes`: corner c of triangle i starts at byte `i * stride + c * component_stride`. `first` is
    /// the number of the first vertex: 0, or 1 from Fortran.
    ///
    /// Errors: [`Kind::Capacity`] where `bytes` ends before the last triangle does; [`Kind::TooLarge`].
    pub fn new(bytes: &'a [u8], count: usize, stride: usize, component_stride: usize, first: u32) -> Result<Self> {
        let span = span(count, stride, 3, component_stride, 4, What::Indices)?;
        if bytes.len() < span {
            return Err(Error::capacity(What::Indices, span as u64, bytes.len() as u64));
        }
        Ok(Indices { bytes, count, stride, component_stride, first })
    }

    /// A slice of triples that count from 0.
    pub fn from_slice(v: &'a [[u32; 3]]) -> Self {
        let bytes = zerocopy::IntoBytes::as_bytes(v);
        Indices { bytes, count: v.len(), stride: 12, component_stride: 4, first: 0 }
    }

    /// Number of triangles.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Corners of triangle `i`, counted from 0; zeros behind the end. A number below `first` comes out as a very large
    /// index, which no array has.
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

    /// Errors: [`Kind::BadIndex`] with triangle, corner, the number as it was given, and the number of vertices.
    pub fn check(&self, vertices: usize) -> Result<()> {
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

#[inline(always)]
fn read<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[inline(always)]
fn write<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) {
    if let Some(place) = bytes.get_mut(at..at + N) {
        place.copy_from_slice(&value);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use zerocopy::IntoBytes;

    #[test]
    fn arrays_of_structs_structures_of_arrays_and_fortran_orders_read_the_same() {
        let items = [[1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let structs = [[9.0f64, 1.0, 2.0, 3.0], [9.0, 4.0, 5.0, 6.0]];
        let rows = [1.0f64, 4.0, 2.0, 5.0, 3.0, 6.0];
        let aos = Layout { count: 2, stride: 32, component_stride: 8, scalar: Scalar::F64 };
        let soa = Layout { count: 2, stride: 8, component_stride: 16, scalar: Scalar::F64 };
        let aos = Array::new(&structs.as_bytes()[8..], aos, What::Vertices).unwrap();
        let soa = Array::new(rows.as_bytes(), soa, What::Vertices).unwrap();
        for (i, item) in items.into_iter().enumerate() {
            assert_eq!((aos.get(i), soa.get(i)), (item, item));
        }
        assert_eq!(soa.get(2), [0.0; 3]);
    }

    #[test]
    fn the_last_item_must_fit_to_the_byte() {
        let bytes = [0u8; 56];
        let layout = Layout { count: 2, stride: 32, component_stride: 8, scalar: Scalar::F64 };
        assert!(Array::new(&bytes, layout, What::Points).is_ok());
        let short = Array::new(&bytes[..55], layout, What::Points).unwrap_err();
        assert_eq!(short, Error::capacity(What::Points, 56, 55));
        assert!(Array::numbers(&bytes[..40], layout, What::Halos).is_ok());
        assert!(Indices::new(&bytes[..23], 2, 12, 4, 0).is_err());
        assert!(Indices::new(&bytes[..24], 2, 12, 4, 0).is_ok());
        assert_eq!(Indices::new(&bytes, usize::MAX, 12, 4, 0).unwrap_err().kind, Kind::TooLarge);
    }

    #[test]
    fn single_numbers_do_not_look_at_what_lies_beside_them() {
        let structs = [[0.5f64, f64::NAN], [0.25, f64::NAN]];
        let layout = Layout { count: 2, stride: 16, component_stride: 8, scalar: Scalar::F64 };
        let halos = Array::numbers(structs.as_bytes(), layout, What::Halos).unwrap();
        assert_eq!((halos.number(0), halos.number(1), halos.number(2)), (0.5, 0.25, 0.0));
        assert_eq!(halos.check_finite(What::Halos), Ok(()));
    }

    #[test]
    fn what_is_written_lands_by_strides_and_nowhere_else() {
        let mut bytes = [0xAAu8; 40];
        let layout = Layout { count: 2, stride: 4, component_stride: 12, scalar: Scalar::F32 };
        let mut out = ArrayMut::new(&mut bytes, layout, 3, What::Points).unwrap();
        out.set(0, [1.0, 2.0, 3.0]);
        out.set(1, [4.0, 5.0, 6.0]);
        out.set(2, [7.0; 3]);
        let expected = [Some(1.0f32), Some(4.0), None, Some(2.0), Some(5.0), None, Some(3.0), Some(6.0), None, None];
        for (word, number) in bytes.as_chunks::<4>().0.iter().zip(expected) {
            assert_eq!(*word, number.map_or([0xAA; 4], f32::to_ne_bytes));
        }
    }

    #[test]
    fn components_that_an_array_does_not_have_are_not_written() {
        let mut bytes = [0xAAu8; 24];
        for component_stride in [8, usize::MAX] {
            let layout = Layout { count: 2, stride: 8, component_stride, scalar: Scalar::F64 };
            let mut out = ArrayMut::new(&mut bytes, layout, 1, What::Output).unwrap();
            out.set(0, [1.0, 2.0, 3.0]);
        }
        assert_eq!((&bytes[..8], &bytes[8..]), (&1.0f64.to_ne_bytes()[..], &[0xAA; 16][..]));
    }

    #[test]
    fn indices_that_count_from_one_come_out_from_zero_and_errors_name_the_number_given() {
        let fortran = [1u32, 2, 3, 3, 2, 0];
        let indices = Indices::new(fortran.as_bytes(), 2, 12, 4, 1).unwrap();
        assert_eq!(indices.get(0), [0, 1, 2]);
        let error = indices.check(3).unwrap_err();
        assert_eq!((error.kind, error.index, error.component), (Kind::BadIndex, 1, 2));
        assert_eq!((error.needed, error.given), (3, 0));
        let four = Indices::from_slice(&[[0, 1, 4]]).check(4).unwrap_err();
        assert_eq!((four.index, four.component, four.given), (0, 2, 4));
    }
}
