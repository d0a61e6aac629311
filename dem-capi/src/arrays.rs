//! Arrays.

use core::ffi::c_void;

use dem_core::array::{self, Array, Layout, Scalar};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::real::Real;

use crate::edge;
use crate::layouts::fixed;

/// `float`.
pub const DEM_F32: u32 = 1;
/// `double`.
pub const DEM_F64: u32 = 2;
/// `int32_t`.
pub const DEM_I32: u32 = 3;
/// `uint32_t`.
pub const DEM_U32: u32 = 4;

/// Items of one, three or more numbers, to read: component c of item i lies at byte
/// `i * stride + c * component_stride` behind `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_array {
    /// The first number, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of items.
    pub count: usize,
    /// Bytes from one item to the next; 0: the items are packed.
    pub stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// `DEM_F32` or `DEM_F64`.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_array {
    data: *const c_void,
    count: usize,
    stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});

/// The same, to write.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_output {
    /// The first number, at any alignment; null: not wanted.
    pub data: *mut c_void,
    /// Number of items that there is room for.
    pub count: usize,
    /// Bytes from one item to the next; 0: the items are packed.
    pub stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// Number type of the items; the function says which it takes.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_output {
    data: *mut c_void,
    count: usize,
    stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});

/// Triangles, to read: component c of vertex k of triangle i lies at byte
/// `i * stride + k * vertex_stride + c * component_stride` behind `data`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_triangles {
    /// The first number, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of triangles.
    pub count: usize,
    /// Bytes from one triangle to the next; 0: three times `vertex_stride`.
    pub stride: usize,
    /// Bytes from one vertex to the next; 0: three times `component_stride`.
    pub vertex_stride: usize,
    /// Bytes from one component to the next; 0: the components are packed.
    pub component_stride: usize,
    /// `DEM_F32` or `DEM_F64`.
    pub r#type: u32,
    /// 0.
    pub reserved: u32,
}

// Five words and two halves: no padding where a word has 4 bytes, nor where it has 8.
fixed!(dem_triangles {
    data: *const c_void,
    count: usize,
    stride: usize,
    vertex_stride: usize,
    component_stride: usize,
    r#type: u32,
    reserved: u32,
});

/// Items of two or three indices (triangles that make a pair, vertices of a triangle), to read, laid out as in `dem_array`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_indices {
    /// The first index, at any alignment; may be null if `count` is 0.
    pub data: *const c_void,
    /// Number of items.
    pub count: usize,
    /// Bytes from one item to the next; 0: the items are packed.
    pub stride: usize,
    /// Bytes from one index of an item to the next; 0: they are packed.
    pub component_stride: usize,
    /// `DEM_I32` or `DEM_U32`; a negative index is refused like one behind the end.
    pub r#type: u32,
    /// The index of the first item that they point at: 0, or 1 as in Fortran.
    pub base: u32,
}

fixed!(dem_indices {
    data: *const c_void,
    count: usize,
    stride: usize,
    component_stride: usize,
    r#type: u32,
    base: u32,
});

/// Where numbers lie, checked: every one of them is inside the address space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<const DIMENSIONS: usize> {
    data: *mut u8,
    /// Number of items.
    pub(crate) count: usize,
    stride: usize,
    inner: [usize; DIMENSIONS],
}

/// Checks strides and the span from the first to the last byte.
///
/// `inner` are the strides inside an item, the widest first, each with the number of steps it makes.
fn strided<const D: usize>(
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
        check_step(step, size, what)?;
        strides[at] = step;
        packed = step.saturating_mul(steps);
        across = step.checked_mul(steps.saturating_sub(1)).zip(across).and_then(|(a, b)| a.checked_add(b));
    }
    let stride = if stride == 0 { packed } else { stride };
    check_step(stride, size, what)?;
    if count == 0 {
        return Ok(Strided { data, count, stride, inner: strides });
    }
    if data.is_null() {
        return Err(Error::new(Kind::Null, what));
    }
    let span = stride.checked_mul(count - 1).zip(across).and_then(|(a, b)| a.checked_add(b)).unwrap_or(usize::MAX);
    if span > isize::MAX as usize || (data as usize).checked_add(span).is_none() {
        return Err(Error::new(Kind::TooLarge, what).amounts(isize::MAX as u64, span as u64));
    }
    Ok(Strided { data, count, stride, inner: strides })
}

fn check_step(step: usize, size: usize, what: What) -> Result<()> {
    if step < size { Err(Error::new(Kind::BadSize, what).amounts(size as u64, step as u64)) } else { Ok(()) }
}

impl<const D: usize> Strided<D> {
    /// The address of a number; `item` is less than `count`, and each place less than its number of steps.
    fn at(&self, item: usize, place: [usize; D]) -> *mut u8 {
        let inside: usize = place.iter().zip(self.inner).map(|(p, s)| p * s).sum();
        self.data.wrapping_add(item * self.stride + inside)
    }

    /// # Safety
    /// The numbers are there, as the caller of the C function vouches, and of type `N`; the place is inside.
    pub(crate) unsafe fn read<N: Copy>(&self, item: usize, place: [usize; D]) -> N {
        // SAFETY: by this function's contract; `strided` has checked that the address does not wrap around.
        unsafe { self.at(item, place).cast::<N>().read_unaligned() }
    }

    /// # Safety
    /// As for `read`, and they may be written.
    pub(crate) unsafe fn write<N: Copy>(&self, item: usize, place: [usize; D], value: N) {
        // SAFETY: by this function's contract; `strided` has checked that the address does not wrap around.
        unsafe { self.at(item, place).cast::<N>().write_unaligned(value) };
    }
}

fn scalar(number: u32, what: What) -> Result<Scalar> {
    match number {
        DEM_F32 => Ok(Scalar::F32),
        DEM_F64 => Ok(Scalar::F64),
        _ => Err(Error::new(Kind::OutOfRange, what)),
    }
}

fn zero(reserved: u32, what: What) -> Result<()> {
    if reserved == 0 { Ok(()) } else { Err(Error::new(Kind::OutOfRange, what)) }
}

/// Triangles of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangles {
    at: Strided<2>,
    /// Their number type.
    pub(crate) scalar: Scalar,
}

impl Triangles {
    /// # Safety
    /// A pointer that is not null points at a `dem_triangles` whose numbers can be read as long as this is used.
    pub(crate) unsafe fn new(from: *const dem_triangles, what: What) -> Result<Triangles> {
        // SAFETY: by this function's contract.
        let t = unsafe { edge::read(from, what) }?;
        zero(t.reserved, what)?;
        let scalar = scalar(t.r#type, what)?;
        let inner = [(3, t.vertex_stride), (3, t.component_stride)];
        let at = strided(t.data.cast_mut().cast(), t.count, t.stride, inner, scalar.size(), what)?;
        Ok(Triangles { at, scalar })
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.at.count
    }

    /// Errors: [`Kind::NotFinite`] with the first number of triangle i that is NaN or infinite as a `T`; i must be there.
    pub(crate) fn check<T: Real>(&self, i: usize, what: What) -> Result<()> {
        let mut rows = [[T::default(); 1]; 9];
        self.fill(|_| i, 1, &mut rows);
        // A product with 0 is 0, or NaN for what is not finite.
        let zero = T::default();
        if rows.iter().fold(zero, |sum, row| sum + row[0] * zero) == zero {
            return Ok(());
        }
        let component = rows.iter().position(|row| !row[0].is_finite()).unwrap_or(0);
        Err(Error::new(Kind::NotFinite, what).at(i as u64, component as u32))
    }

    /// Writes the triangles `index(0) .. index(count - 1)`, which must be there, into columns: nine rows, x, y, z of vertex 0,
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
                // SAFETY: `new`'s caller vouches for the numbers; i is inside, and so are vertex and component.
                to[column] = convert(unsafe { self.at.read(i, [row / 3, row % 3]) });
            }
        }
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
    /// A pointer that is not null points at a `dem_indices` whose numbers can be read as long as this is used.
    pub(crate) unsafe fn new(from: *const dem_indices, components: usize, what: What) -> Result<Option<Indices>> {
        if from.is_null() {
            return Ok(None);
        }
        // SAFETY: by this function's contract.
        let x = unsafe { edge::read(from, what) }?;
        if !matches!(x.r#type, DEM_I32 | DEM_U32) {
            return Err(Error::new(Kind::OutOfRange, what));
        }
        let at = strided(x.data.cast_mut().cast(), x.count, x.stride, [(components, x.component_stride)], 4, what)?;
        Ok(Some(Indices { at, base: x.base }))
    }

    /// How many items.
    pub(crate) fn len(&self) -> usize {
        self.at.count
    }

    /// The number as the host gave it.
    fn raw(&self, item: usize, component: usize) -> u32 {
        debug_assert!(item < self.len());
        // SAFETY: `new`'s caller vouches for the numbers; item and component are inside.
        unsafe { self.at.read(item, [component]) }
    }

    /// An index counted from 0; item and component must be there. What lies before the first is very large.
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

/// Memory of the host for results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    at: Strided<1>,
    scalar: u32,
}

impl Output {
    /// Room for `count` items of `components` numbers; `None` where there is no data, which means that nobody wants it.
    ///
    /// # Safety
    /// Numbers can be written where it says, as long as this is used.
    pub(crate) unsafe fn new(
        to: dem_output,
        components: usize,
        count: usize,
        allowed: &[u32],
        what: What,
    ) -> Result<Option<Output>> {
        if to.data.is_null() {
            return Ok(None);
        }
        zero(to.reserved, what)?;
        if !allowed.contains(&to.r#type) {
            return Err(Error::new(Kind::OutOfRange, what));
        }
        if to.count < count {
            return Err(Error::capacity(what, count as u64, to.count as u64));
        }
        let size = if to.r#type == DEM_F64 { 8 } else { 4 };
        let at = strided(to.data.cast(), count, to.stride, [(components, to.component_stride)], size, what)?;
        Ok(Some(Output { at, scalar: to.r#type }))
    }

    /// Writes a number; item and component must be inside.
    pub(crate) fn real(&self, item: usize, component: usize, value: f64) {
        debug_assert!(item < self.at.count);
        // SAFETY: `new`'s caller vouches for the memory.
        unsafe {
            match self.scalar {
                DEM_F32 => self.at.write(item, [component], value as f32),
                _ => self.at.write(item, [component], value),
            }
        }
    }

    /// Writes a number that must not become 0 where it is not.
    pub(crate) fn positive(&self, item: usize, component: usize, value: f64) {
        let vanishes = self.scalar == DEM_F32 && value > 0.0 && value as f32 == 0.0;
        self.real(item, component, if vanishes { f32::from_bits(1).into() } else { value });
    }

    /// Writes an integer; item and component must be inside.
    pub(crate) fn integer(&self, item: usize, component: usize, value: u32) {
        debug_assert!(item < self.at.count);
        // SAFETY: `new`'s caller vouches for the memory.
        unsafe { self.at.write(item, [component], value) }
    }
}

/// Bytes of the host, from the first to the last number of an array.
///
/// # Safety
/// They can be read, and are not written, during `'a`.
unsafe fn bytes<'a, const D: usize>(at: &Strided<D>, span: usize) -> &'a [u8] {
    // SAFETY: the host's numbers lie in these bytes, which do not wrap around; none are lent where there are none.
    if span == 0 { &[] } else { unsafe { core::slice::from_raw_parts(at.data, span) } }
}

/// Bytes from the first to the last number of an array; 0 where there is none.
pub(crate) fn span(a: &dem_array, components: usize, what: What) -> Result<usize> {
    let scalar = scalar(a.r#type, what)?;
    let at =
        strided(a.data.cast_mut().cast(), a.count, a.stride, [(components, a.component_stride)], scalar.size(), what)?;
    Layout { count: at.count, stride: at.stride, component_stride: at.inner[0], scalar }.span(components, what)
}

/// The same of indices.
pub(crate) fn span_of_indices(x: &dem_indices, components: usize, what: What) -> Result<usize> {
    let dem_indices { data, count, stride, component_stride, .. } = *x;
    span(&dem_array { data, count, stride, component_stride, r#type: DEM_F32, reserved: 0 }, components, what)
}

/// Items of `components` numbers of the host, 1 or 3.
///
/// # Safety
/// The numbers can be read, and are not written, during `'a`.
pub(crate) unsafe fn numbers<'a>(a: &dem_array, components: usize, what: What) -> Result<Array<'a>> {
    zero(a.reserved, what)?;
    let scalar = scalar(a.r#type, what)?;
    let inner = [(components, a.component_stride)];
    let at = strided(a.data.cast_mut().cast(), a.count, a.stride, inner, scalar.size(), what)?;
    let layout = Layout { count: at.count, stride: at.stride, component_stride: at.inner[0], scalar };
    // SAFETY: by this function's contract.
    let bytes = unsafe { bytes(&at, layout.span(components, what)?) };
    if components == 1 { Array::numbers(bytes, layout, what) } else { Array::new(bytes, layout, what) }
}

/// Corners of triangles of the host.
///
/// # Safety
/// The numbers can be read, and are not written, during `'a`.
pub(crate) unsafe fn corners<'a>(x: &dem_indices) -> Result<array::Indices<'a>> {
    // SAFETY: the pointer is that of a reference; the numbers are those that the caller vouches for.
    let Some(Indices { at, base }) = (unsafe { Indices::new(x, 3, What::Indices)? }) else {
        return Err(Error::new(Kind::Null, What::Indices));
    };
    let layout = Layout { count: at.count, stride: at.stride, component_stride: at.inner[0], scalar: Scalar::F32 };
    // SAFETY: by this function's contract; indices are as wide as floats.
    let bytes = unsafe { bytes(&at, layout.span(3, What::Indices)?) };
    array::Indices::new(bytes, at.count, at.stride, at.inner[0], base)
}
