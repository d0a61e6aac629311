//! Lists of records in memory of the host, which may be larger or smaller than this version's.

use core::ffi::c_void;

use dem_core::error::{Error, Kind, Result, What};

use crate::edge;
use crate::inputs;
use crate::layouts::Fixed;

/// Bytes from one record to the next, and of all of them.
///
/// Errors: [`Kind::TooLarge`].
pub(crate) fn span(capacity: usize, stride: usize, record: usize) -> Result<(usize, usize)> {
    let stride = if stride == 0 { record } else { stride };
    let too_large = Error::new(Kind::TooLarge, What::Output).amounts(isize::MAX as u64, capacity as u64);
    let bytes = capacity.checked_mul(stride).filter(|n| *n <= isize::MAX as usize).ok_or(too_large)?;
    Ok((stride, bytes))
}

/// Where records go, at any alignment.
pub(crate) struct Records<T> {
    to: *mut T,
    capacity: usize,
    stride: usize,
    bytes: usize,
}

impl<T: Copy> Records<T> {
    /// Errors: [`Kind::Null`], [`Kind::TooLarge`].
    pub(crate) fn new(to: *mut T, capacity: usize, stride: usize) -> Result<Records<T>> {
        if to.is_null() && capacity > 0 {
            return Err(Error::new(Kind::Null, What::Output));
        }
        let (stride, bytes) = span(capacity, stride, size_of::<T>())?;
        Ok(Records { to, capacity, stride, bytes })
    }

    /// The same as records of another type.
    pub(crate) fn cast<U>(&self) -> Records<U> {
        let Records { to, capacity, stride, bytes } = *self;
        Records { to: to.cast(), capacity, stride, bytes }
    }

    /// Where they lie.
    pub(crate) fn bytes(&self) -> (*const c_void, usize) {
        (self.to.cast_const().cast(), self.bytes)
    }

    /// The records themselves, to be filled by the core.
    ///
    /// Errors: [`Kind::Misaligned`].
    ///
    /// # Safety
    /// The memory is there as the host said, without gaps between records, and nothing else uses it as long as the slice
    /// lives; any bytes are a record.
    pub(crate) unsafe fn slice<'a>(&self) -> Result<&'a mut [T]> {
        if self.capacity == 0 {
            return Ok(&mut []);
        }
        if !self.to.is_aligned() {
            let (needed, given) = (align_of::<T>(), self.to as usize % align_of::<T>());
            return Err(Error::new(Kind::Misaligned, What::Output).amounts(needed as u64, given as u64));
        }
        // SAFETY: by this function's contract.
        Ok(unsafe { core::slice::from_raw_parts_mut(self.to, self.capacity) })
    }
}

impl<T: Fixed> Records<T> {
    /// Writes all records, of which `number` says how many there are, and that number, which comes out also where there is no
    /// room for them.
    ///
    /// Errors: [`Kind::Capacity`]; no record is then written.
    ///
    /// # Safety
    /// The memory is there as the host said, and nothing else uses it.
    pub(crate) unsafe fn write(&self, count: *mut usize, number: usize, all: impl Iterator<Item = T>) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe { edge::write_optional(count, number) };
        if number > self.capacity {
            return Err(Error::capacity(What::Output, number as u64, self.capacity as u64));
        }
        let size = self.stride.min(size_of::<T>());
        for (i, record) in all.take(number).enumerate() {
            let place = self.to.cast::<u8>().wrapping_add(i * self.stride).cast();
            // SAFETY: record i is inside, by this function's contract.
            unsafe { inputs::write_record(place, size, &record, What::Output) }?;
        }
        Ok(())
    }
}
