//! Output arrays of the host, written through strides.

use dem_core::array::VectorsMut;
use dem_core::error::{Error, Result, What};

use crate::arrays::{DEM_F32, DEM_F64, dem_output};
use crate::inputs;
use crate::memory::Stretch;
use crate::strided::{Strided, strided};

/// An output array of the host. If several threads write, each item is written by one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    at: Strided<1>,
    scalar: u32,
}

// SAFETY: the host guarantees the memory, and no two threads write the same item.
unsafe impl Sync for Output {}

impl VectorsMut for Output {
    fn len(&self) -> usize {
        self.at.count
    }

    fn set(&self, i: usize, value: [f64; 3]) {
        self.reals(i, &value);
    }
}

impl Output {
    /// An output for `count` items of `components` numbers; `None` if it has no data, since the host then does not need it.
    ///
    /// # Safety
    /// Numbers can be written to the array while the result is used.
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
        inputs::zero(to.reserved, what)?;
        if !allowed.contains(&to.r#type) {
            return Err(Error::number_type(what, allowed.first().copied().unwrap_or(0), to.r#type));
        }
        if to.count < count {
            return Err(Error::capacity(what, count as u64, to.count as u64));
        }
        let size = if to.r#type == DEM_F64 { 8 } else { 4 };
        let at = strided(to.data.cast(), count, to.stride, [(components, to.component_stride)], size, what)?;
        Ok(Some(Output { at, scalar: to.r#type }))
    }

    /// Writes a number; item and component must be in range.
    pub(crate) fn real(&self, item: usize, component: usize, value: f64) {
        debug_assert!(item < self.at.count);
        // SAFETY: `new`'s caller guarantees the memory.
        unsafe {
            match self.scalar {
                DEM_F32 => self.at.write(item, [component], value as f32),
                _ => self.at.write(item, [component], value),
            }
        }
    }

    /// Writes the numbers of an item, which must be in range and have that many components.
    pub(crate) fn reals(&self, item: usize, values: &[f64]) {
        values.iter().enumerate().for_each(|(component, value)| self.real(item, component, *value));
    }

    /// Writes a number. If it is not 0 but would become 0 in single precision, the smallest number of its sign is written.
    pub(crate) fn not_zero(&self, item: usize, component: usize, value: f64) {
        let vanishes = self.scalar == DEM_F32 && value != 0.0 && value as f32 == 0.0;
        let least = f64::from(f32::from_bits(1)) * if value < 0.0 { -1.0 } else { 1.0 };
        self.real(item, component, if vanishes { least } else { value });
    }

    /// The memory of the array.
    pub(crate) fn bytes(&self) -> Stretch {
        self.at.bytes()
    }

    /// Writes an integer; item and component must be in range.
    pub(crate) fn integer(&self, item: usize, component: usize, value: u32) {
        debug_assert!(item < self.at.count);
        // SAFETY: `new`'s caller guarantees the memory.
        unsafe { self.at.write(item, [component], value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::output;
    use dem_core::error::Kind;

    #[test]
    fn items_do_not_write_over_each_other() {
        let mut data = [0.0f64; 32];
        let mut needed = |count, stride, component_stride| {
            let to = dem_output { stride, component_stride, ..output(&mut data, DEM_F64) };
            // SAFETY: nothing is written.
            match unsafe { Output::new(to, 3, count, &[DEM_F64], What::Forces) } {
                Ok(_) => 0,
                Err(e) => {
                    assert_eq!((e.kind, e.what, e.given), (Kind::BadSize, What::Forces, stride as u64));
                    e.needed
                }
            }
        };
        assert_eq!([8, 16, 23, 24, 25, 0].map(|stride| needed(2, stride, 0)), [24, 24, 24, 0, 0, 0]);
        assert_eq!([8, 24].map(|stride| needed(2, stride, 8)), [24, 0]);
        // Allowed: components in separate arrays, and a single item.
        assert_eq!([needed(2, 8, 16), needed(1, 8, 8), needed(1, 8, 0)], [0, 0, 0]);
    }
}
