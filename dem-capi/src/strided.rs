//! Arrays of the host: checked strides, and reading and writing numbers through them.
//!
//! Inputs and outputs of a call may be fields of the same structs. So numbers are read and written one by one, through
//! pointers. Only meshes are built from slices of the host's bytes, which nothing may write meanwhile.

use core::array;
use core::ffi::c_void;

use dem_core::array::{Array, Indices as Corners, Scalar, Strides, Vectors, Word, Words};
use dem_core::error::fields::DATA;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::real::Real;

use crate::arrays::{DEM_F32, DEM_F64, DEM_I32, DEM_U32, DEM_U64, dem_array, dem_indices};
use crate::edge;
use crate::elementary::dem_segments;
use crate::inputs::{COMPONENT_STRIDE, VERTEX_STRIDE, zero};
use crate::triangles::dem_triangles;

/// Address and strides of an array, checked: all numbers are inside the address space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<const DIMENSIONS: usize> {
    data: *mut u8,
    /// Number of items.
    pub(crate) count: usize,
    stride: usize,
    inner: [usize; DIMENSIONS],
    /// From the first to the last byte.
    span: usize,
}

/// Checks strides and the span from the first to the last byte. Items with packed components must not overlap.
///
/// `inner` are the strides inside an item, the widest first, each with the number of steps it makes.
pub(crate) fn strided<const D: usize>(
    data: *mut u8,
    count: usize,
    stride: usize,
    inner: [(usize, usize); D],
    size: usize,
    what: What,
) -> Result<Strided<D>> {
    let mut strides = [0; D];
    let (mut packed, mut across) = (size, Some(size));
    for at in (0..D).rev() {
        let (steps, given) = inner[at];
        let step = if given == 0 { packed } else { given };
        // The widest of two or more strides is that of vertices.
        let field = if D > 1 && at == 0 { VERTEX_STRIDE } else { COMPONENT_STRIDE };
        check_step(step, size, what, field)?;
        strides[at] = step;
        packed = step.saturating_mul(steps);
        across = step.checked_mul(steps.saturating_sub(1)).zip(across).and_then(|(a, b)| a.checked_add(b));
    }
    let stride = if stride == 0 { packed } else { stride };
    check_step(stride, size, what, 0)?;
    // With a smaller stride, items with packed components would overlap.
    if let Some((steps, _)) = inner.last()
        && count > 1
        && strides[D - 1] == size
    {
        check_step(stride, size.saturating_mul(*steps), what, 0)?;
    }
    if count == 0 {
        return Ok(Strided { data, count, stride, inner: strides, span: 0 });
    }
    if data.is_null() {
        return Err(Error::new(Kind::Null, what).at(0, DATA));
    }
    let span = stride.checked_mul(count - 1).zip(across).and_then(|(a, b)| a.checked_add(b)).unwrap_or(usize::MAX);
    if span > isize::MAX as usize || (data as usize).checked_add(span).is_none() {
        return Err(Error::new(Kind::TooLarge, what).amounts(isize::MAX as u64, span as u64));
    }
    Ok(Strided { data, count, stride, inner: strides, span })
}

fn check_step(step: usize, size: usize, what: What, field: u32) -> Result<()> {
    let error = || Error::new(Kind::BadSize, what).at(0, field).amounts(size as u64, step as u64);
    if step < size { Err(error()) } else { Ok(()) }
}

impl<const D: usize> Strided<D> {
    /// The address of a number; `item` is less than `count`, and each place less than its number of steps.
    fn at(&self, item: usize, place: [usize; D]) -> *mut u8 {
        let inside: usize = place.iter().zip(self.inner).map(|(p, s)| p * s).sum();
        self.data.wrapping_add(item * self.stride + inside)
    }

    /// The memory of the array.
    pub(crate) fn bytes(&self) -> (*const c_void, usize) {
        (self.data.cast(), self.span)
    }

    /// # Safety
    /// The numbers exist, as the caller of the C function guarantees, and have type `N`; item and place are in range.
    pub(crate) unsafe fn read<N: Copy>(&self, item: usize, place: [usize; D]) -> N {
        // SAFETY: by this function's contract; `strided` has checked that the address does not wrap around.
        unsafe { self.at(item, place).cast::<N>().read_unaligned() }
    }

    /// # Safety
    /// As for `read`, and the numbers may be written.
    pub(crate) unsafe fn write<N: Copy>(&self, item: usize, place: [usize; D], value: N) {
        // SAFETY: by this function's contract; `strided` has checked that the address does not wrap around.
        unsafe { self.at(item, place).cast::<N>().write_unaligned(value) };
    }
}

fn scalar(number: u32, what: What) -> Result<Scalar> {
    match number {
        DEM_F32 => Ok(Scalar::F32),
        DEM_F64 => Ok(Scalar::F64),
        given => Err(Error::number_type(what, DEM_F32, given)),
    }
}

/// Points, segments or triangles of the host: items of `CORNERS` corners, each of three numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items<const CORNERS: usize> {
    at: Strided<2>,
    /// Their number type.
    pub(crate) scalar: Scalar,
}

/// Triangles of the host.
pub(crate) type Triangles = Items<3>;

// SAFETY: the host guarantees the numbers, and no thread writes to them meanwhile.
unsafe impl Sync for Items<1> {}

impl Vectors for Items<1> {
    fn len(&self) -> usize {
        self.at.count
    }

    fn get(&self, i: usize) -> [f64; 3] {
        self.get::<f64>(i)[0]
    }
}

impl Items<1> {
    /// # Safety
    /// A pointer that is not null points at a `dem_array` whose numbers can be read while the result is used.
    pub(crate) unsafe fn points(from: *const dem_array, what: What) -> Result<Items<1>> {
        // SAFETY: by this function's contract.
        let p = unsafe { edge::read(from, what) }?;
        zero(p.reserved, what)?;
        let scalar = scalar(p.r#type, what)?;
        let inner = [(1, 0), (3, p.component_stride)];
        let at = strided(p.data.cast_mut().cast(), p.count, p.stride, inner, scalar.size(), what)?;
        Ok(Items { at, scalar })
    }
}

/// Numbers of the host, one an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    at: Strided<0>,
    scalar: Scalar,
}

impl Numbers {
    /// # Safety
    /// The numbers can be read while the result is used.
    pub(crate) unsafe fn new(from: &dem_array, what: What) -> Result<Numbers> {
        zero(from.reserved, what)?;
        let scalar = scalar(from.r#type, what)?;
        let at = strided(from.data.cast_mut().cast(), from.count, from.stride, [], scalar.size(), what)?;
        Ok(Numbers { at, scalar })
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.at.count
    }

    /// Number i, which must be in range.
    pub(crate) fn get(&self, i: usize) -> f64 {
        debug_assert!(i < self.len());
        // SAFETY: `new`'s caller guarantees the numbers, and i is inside.
        unsafe {
            match self.scalar {
                Scalar::F32 => self.at.read::<f32>(i, []).into(),
                Scalar::F64 => self.at.read(i, []),
            }
        }
    }
}

impl Items<2> {
    /// # Safety
    /// A pointer that is not null points at a `dem_segments` whose numbers can be read while the result is used.
    pub(crate) unsafe fn segments(from: *const dem_segments, what: What) -> Result<Items<2>> {
        // SAFETY: by this function's contract.
        let s = unsafe { edge::read(from, what) }?;
        zero(s.reserved, what)?;
        let scalar = scalar(s.r#type, what)?;
        let inner = [(2, s.vertex_stride), (3, s.component_stride)];
        let at = strided(s.data.cast_mut().cast(), s.count, s.stride, inner, scalar.size(), what)?;
        Ok(Items { at, scalar })
    }
}

impl Items<3> {
    /// # Safety
    /// A pointer that is not null points at a `dem_triangles` whose numbers can be read while the result is used.
    pub(crate) unsafe fn triangles(from: *const dem_triangles, what: What) -> Result<Triangles> {
        // SAFETY: by this function's contract.
        let t = unsafe { edge::read(from, what) }?;
        zero(t.reserved, what)?;
        let scalar = scalar(t.r#type, what)?;
        let inner = [(3, t.vertex_stride), (3, t.component_stride)];
        let at = strided(t.data.cast_mut().cast(), t.count, t.stride, inner, scalar.size(), what)?;
        Ok(Items { at, scalar })
    }

    /// Writes the triangles `index(0) .. index(count - 1)`, which must be in range, into columns of nine rows: x, y, z of vertex 0,
    /// and so on.
    pub(crate) fn fill<T: Real, const N: usize>(
        &self,
        index: impl Fn(usize) -> usize + Copy,
        count: usize,
        rows: &mut [[T; N]],
    ) {
        match self.scalar {
            Scalar::F32 => self.fill_from(index, count, rows, |x: f32| T::from_f64(x as f64)),
            Scalar::F64 => self.fill_from(index, count, rows, |x: f64| T::from_f64(x)),
        }
    }

    #[inline(always)]
    fn fill_from<S: Copy, T: Real, const N: usize>(
        &self,
        index: impl Fn(usize) -> usize,
        count: usize,
        rows: &mut [[T; N]],
        convert: impl Fn(S) -> T,
    ) {
        for column in 0..count {
            let i = index(column);
            debug_assert!(i < self.len());
            for (row, to) in rows.iter_mut().enumerate().take(9) {
                // SAFETY: `new`'s caller guarantees the numbers; i is inside, and so are vertex and component.
                to[column] = convert(unsafe { self.at.read(i, [row / 3, row % 3]) });
            }
        }
    }
}

impl<const CORNERS: usize> Items<CORNERS> {
    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.at.count
    }

    /// The memory of the items.
    pub(crate) fn bytes(&self) -> (*const c_void, usize) {
        self.at.bytes()
    }

    /// The corners of item i, which must be in range.
    #[inline(always)]
    pub(crate) fn get<T: Real>(&self, i: usize) -> [[T; 3]; CORNERS] {
        match self.scalar {
            Scalar::F32 => self.get_as(i, |x: f32| T::from_f64(x as f64)),
            Scalar::F64 => self.get_as(i, |x: f64| T::from_f64(x)),
        }
    }

    #[inline(always)]
    fn get_as<S: Copy, T: Real>(&self, i: usize, convert: impl Fn(S) -> T) -> [[T; 3]; CORNERS] {
        debug_assert!(i < self.len());
        // SAFETY: the maker's caller guarantees the numbers; i is inside, and so are corner and component.
        array::from_fn(|k| array::from_fn(|c| convert(unsafe { self.at.read(i, [k, c]) })))
    }

    /// Errors: [`Kind::NotFinite`] with the first number of item i that is NaN or infinite as a `T`, counted through its
    /// corners; i must be in range.
    pub(crate) fn check<T: Real>(&self, i: usize, what: What) -> Result<()> {
        let item = self.get::<T>(i);
        // The product with 0 is 0 for finite numbers, else NaN.
        let zero = T::default();
        if item.as_flattened().iter().fold(zero, |sum, x| sum + *x * zero) == zero {
            return Ok(());
        }
        let component = item.as_flattened().iter().position(|x| !x.is_finite()).unwrap_or(0);
        Err(Error::new(Kind::NotFinite, what).at(i as u64, component as u32))
    }
}

/// Indices of the host, two or three an item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    at: Strided<1>,
    base: u32,
}

impl Indices {
    /// Items of `components` indices; `None` for a null pointer.
    ///
    /// # Safety
    /// A pointer that is not null points at a `dem_indices` whose numbers can be read while the result is used.
    pub(crate) unsafe fn new(from: *const dem_indices, components: usize, what: What) -> Result<Option<Indices>> {
        if from.is_null() {
            return Ok(None);
        }
        // SAFETY: by this function's contract.
        let x = unsafe { edge::read(from, what) }?;
        if !matches!(x.r#type, DEM_I32 | DEM_U32) {
            return Err(Error::number_type(what, DEM_I32, x.r#type));
        }
        let at = strided(x.data.cast_mut().cast(), x.count, x.stride, [(components, x.component_stride)], 4, what)?;
        Ok(Some(Indices { at, base: x.base }))
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.at.count
    }

    /// The number as the host gave it.
    fn raw(&self, item: usize, component: usize) -> u32 {
        debug_assert!(item < self.len());
        // SAFETY: `new`'s caller guarantees the numbers; item and component are inside.
        unsafe { self.at.read(item, [component]) }
    }

    /// An index, counted from 0; item and component must be in range. An index below `base` becomes a very large number.
    pub(crate) fn get(&self, item: usize, component: usize) -> usize {
        self.raw(item, component).wrapping_sub(self.base) as usize
    }

    /// Errors: [`Kind::BadIndex`] with the first index of this component that is `len` or more.
    pub(crate) fn check(&self, component: usize, len: usize, what: What) -> Result<()> {
        match (0..self.len()).find(|i| self.get(*i, component) >= len) {
            None => Ok(()),
            Some(i) => {
                let given = self.raw(i, component).into();
                Err(Error::new(Kind::BadIndex, what).at(i as u64, component as u32).amounts(len as u64, given))
            }
        }
    }
}

/// Bytes of the host, from the first to the last number of an array.
///
/// # Safety
/// These bytes can be read, and are not written, during `'a`.
unsafe fn bytes<'a, const D: usize>(at: &Strided<D>, span: usize) -> &'a [u8] {
    // SAFETY: the host's numbers lie in these bytes, which do not wrap around; an empty array gives an empty slice.
    if span == 0 { &[] } else { unsafe { core::slice::from_raw_parts(at.data, span) } }
}

/// Bytes from the first to the last number of an array; 0 if it is empty.
pub(crate) fn span(a: &dem_array, components: usize, what: What) -> Result<usize> {
    let scalar = scalar(a.r#type, what)?;
    let at =
        strided(a.data.cast_mut().cast(), a.count, a.stride, [(components, a.component_stride)], scalar.size(), what)?;
    Strides { count: at.count, stride: at.stride, component_stride: at.inner[0], scalar }.span(components, what)
}

/// As [`span`], for indices.
pub(crate) fn span_of_indices(x: &dem_indices, components: usize, what: What) -> Result<usize> {
    let dem_indices { data, count, stride, component_stride, .. } = *x;
    span(&dem_array { data, count, stride, component_stride, r#type: DEM_F32, reserved: 0 }, components, what)
}

/// The first number type that an array for this argument accepts.
fn first_type(what: What) -> u32 {
    match what {
        What::Ids => DEM_U64,
        What::ShapeNumbers | What::Motions | What::Groups | What::Masks | What::Materials => DEM_I32,
        _ => DEM_F32,
    }
}

/// As [`span`], for numbers of any type.
pub(crate) fn span_of_any(a: &dem_array, components: usize, what: What) -> Result<usize> {
    let r#type = match a.r#type {
        DEM_I32 | DEM_U32 => DEM_F32,
        DEM_U64 => DEM_F64,
        DEM_F32 | DEM_F64 => a.r#type,
        given => return Err(Error::number_type(what, first_type(what), given)),
    };
    span(&dem_array { r#type, ..*a }, components, what)
}

/// Unsigned numbers of the host, one an item.
///
/// # Safety
/// The numbers can be read, and are not written, during `'a`.
pub(crate) unsafe fn words<'a, T: Word>(a: &dem_array, what: What) -> Result<Words<'a, T>> {
    zero(a.reserved, what)?;
    let size = size_of::<T>();
    // Fortran has only signed integers; a negative number counts as a very large one.
    let taken: &[u32] = if size == 8 { &[DEM_U64] } else { &[DEM_I32, DEM_U32] };
    if !taken.contains(&a.r#type) {
        return Err(Error::number_type(what, taken[0], a.r#type));
    }
    let at = strided(a.data.cast_mut().cast(), a.count, a.stride, [(1, a.component_stride)], size, what)?;
    // SAFETY: by this function's contract.
    Words::new(unsafe { bytes(&at, span_of_any(a, 1, what)?) }, at.count, at.stride, what)
}

/// Items of `components` numbers of the host, 1, 3 or 4.
///
/// # Safety
/// The numbers can be read, and are not written, during `'a`.
pub(crate) unsafe fn numbers<'a>(a: &dem_array, components: usize, what: What) -> Result<Array<'a>> {
    zero(a.reserved, what)?;
    let scalar = scalar(a.r#type, what)?;
    let inner = [(components, a.component_stride)];
    let at = strided(a.data.cast_mut().cast(), a.count, a.stride, inner, scalar.size(), what)?;
    let layout = Strides { count: at.count, stride: at.stride, component_stride: at.inner[0], scalar };
    // SAFETY: by this function's contract.
    let bytes = unsafe { bytes(&at, layout.span(components, what)?) };
    match components {
        1 => Array::numbers(bytes, layout, what),
        4 => Array::quaternions(bytes, layout, what),
        _ => Array::new(bytes, layout, what),
    }
}

/// Corners of triangles of the host.
///
/// # Safety
/// The numbers can be read, and are not written, during `'a`.
pub(crate) unsafe fn corners<'a>(x: &dem_indices) -> Result<Corners<'a>> {
    // SAFETY: the pointer comes from a reference, and the caller guarantees the numbers.
    let Some(Indices { at, base }) = (unsafe { Indices::new(x, 3, What::Indices)? }) else {
        return Err(Error::new(Kind::Null, What::Indices));
    };
    let layout = Strides { count: at.count, stride: at.stride, component_stride: at.inner[0], scalar: Scalar::F32 };
    // SAFETY: by this function's contract; indices are as wide as floats.
    let bytes = unsafe { bytes(&at, layout.span(3, What::Indices)?) };
    Corners::new(bytes, at.count, at.stride, at.inner[0], base)
}
