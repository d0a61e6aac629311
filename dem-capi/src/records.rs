//! Lists of records in memory of the host, to read and to write, which may be larger or smaller than this version's.

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Plain;

use crate::edge;
use crate::inputs;
use crate::layouts::{Fixed, Layout};
use crate::memory::Stretch;

/// A record of which the core has one with the same fields, so that it can write into the host's memory.
///
/// # Safety
/// Both have the same layout.
pub(crate) unsafe trait Mirror: Fixed + From<Self::Core> {
    /// The core's.
    type Core: Plain;
}

/// Says that a record is the core's with these fields.
macro_rules! mirrored {
    ($here:ident, $core:ident: $($field:ident),*) => {
        const _: () = {
            assert!(size_of::<$core>() == size_of::<$here>() && align_of::<$core>() == align_of::<$here>());
            $(assert!(core::mem::offset_of!($core, $field) == core::mem::offset_of!($here, $field));)*
        };

        impl From<$core> for $here {
            fn from(record: $core) -> Self {
                let $core { $($field),* } = record;
                $here { $($field),* }
            }
        }

        // SAFETY: the same size, and the same fields at the same places, of the same types.
        unsafe impl $crate::records::Mirror for $here {
            type Core = $core;
        }
    };
}
pub(crate) use mirrored;

impl Fixed for u64 {
    const LAYOUT: Layout = Layout { name: "uint64_t", size: size_of::<u64>(), align: align_of::<u64>(), fields: &[] };
}

// SAFETY: the same type.
unsafe impl Mirror for u64 {
    type Core = u64;
}

/// Bytes from one record to the next, and of all of them.
///
/// Errors: [`Kind::TooLarge`].
pub(crate) fn span(capacity: usize, stride: usize, record: usize) -> Result<(usize, usize)> {
    let stride = if stride == 0 { record } else { stride };
    let too_large = Error::new(Kind::TooLarge, What::Output).amounts(isize::MAX as u64, capacity as u64);
    let bytes = capacity.checked_mul(stride).filter(|n| *n <= isize::MAX as usize).ok_or(too_large)?;
    Ok((stride, bytes))
}

/// The same error about another argument.
pub(crate) fn about(what: What) -> impl Fn(Error) -> Error {
    move |e| Error { what, ..e }
}

/// Packed items to read.
///
/// Errors: [`Kind::Null`], [`Kind::Misaligned`], [`Kind::TooLarge`].
///
/// # Safety
/// Where the pointer is not null there are `count` of them, any bytes are one, and nothing changes them as long as the slice
/// lives.
pub(crate) unsafe fn shared<'a, T: Copy>(from: *const T, count: usize, what: What) -> Result<&'a [T]> {
    let items = Structs::new(from, count, 0, size_of::<T>(), what)?;
    if count == 0 {
        return Ok(&[]);
    }
    if !from.is_aligned() {
        let (needed, given) = (align_of::<T>(), from as usize % align_of::<T>());
        return Err(Error::new(Kind::Misaligned, what).amounts(needed as u64, given as u64));
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts(items.data, count) })
}

/// Packed items to write.
///
/// Errors: [`Kind::Null`], [`Kind::Misaligned`], [`Kind::TooLarge`].
///
/// # Safety
/// Where the pointer is not null there are `count` of them, any bytes are one, and nobody else uses them as long as the slice
/// lives.
pub(crate) unsafe fn alone<'a, T: Copy>(to: *mut T, count: usize, what: What) -> Result<&'a mut [T]> {
    // SAFETY: by this function's contract.
    let count = unsafe { shared(to.cast_const(), count, what) }?.len();
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: likewise; the slice above is gone.
    Ok(unsafe { core::slice::from_raw_parts_mut(to, count) })
}

/// An array of structs in the host's memory, which may be shorter or longer than this version's.
pub(crate) struct Structs<T> {
    data: *const T,
    pub(crate) count: usize,
    stride: usize,
    bytes: usize,
}

impl<T: Copy> Structs<T> {
    /// Errors: [`Kind::Null`], [`Kind::BadSize`], [`Kind::TooLarge`].
    pub(crate) fn new(data: *const T, count: usize, stride: usize, least: usize, what: What) -> Result<Self> {
        if data.is_null() && count > 0 {
            return Err(Error::new(Kind::Null, what));
        }
        let (stride, bytes) = span(count, stride, size_of::<T>()).map_err(about(what))?;
        if stride < least {
            return Err(Error::new(Kind::BadSize, what).amounts(least as u64, stride as u64));
        }
        Ok(Structs { data, count, stride, bytes })
    }

    /// Where they lie.
    pub(crate) fn bytes(&self) -> Stretch {
        (self.data.cast(), self.bytes)
    }

    /// The first part of item `i`, if there are that many.
    #[inline]
    pub(crate) fn first<U: Copy>(&self, i: usize) -> Option<U> {
        if i >= self.count || size_of::<U>() > self.stride {
            return None;
        }
        let at = self.data.cast::<u8>().wrapping_add(i * self.stride);
        // SAFETY: inside of what the host vouched for when the list was made; U is plain numbers.
        Some(unsafe { at.cast::<U>().read_unaligned() })
    }
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
        Ok(Records { to, ..Records::nowhere(capacity, stride)? })
    }

    /// Records that are only counted.
    pub(crate) fn nowhere(capacity: usize, stride: usize) -> Result<Records<T>> {
        let (stride, bytes) = span(capacity, stride, size_of::<T>())?;
        Ok(Records { to: core::ptr::null_mut(), capacity, stride, bytes })
    }

    /// How many there is room for.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Where they lie.
    pub(crate) fn bytes(&self) -> Stretch {
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

impl<T: Mirror> Records<T> {
    /// How many records a search needs room for elsewhere: those of the host that are not one behind the other.
    pub(crate) fn elsewhere(&self) -> u64 {
        if self.stride == size_of::<T>() { 0 } else { self.capacity as u64 }
    }

    /// Lets the core write its records where they go, if need be by way of `elsewhere`, and gives their number.
    ///
    /// Errors: [`Kind::Misaligned`], and those of `search`.
    ///
    /// # Safety
    /// As for [`Records::slice`].
    pub(crate) unsafe fn fill(
        &self,
        elsewhere: &mut [T::Core],
        search: impl FnOnce(&mut [T::Core]) -> Result<usize>,
    ) -> Result<usize> {
        if self.elsewhere() == 0 {
            let Records { to, capacity, stride, bytes } = *self;
            // SAFETY: records of the same layout, by this function's contract.
            return search(unsafe { Records { to: to.cast::<T::Core>(), capacity, stride, bytes }.slice() }?);
        }
        let number = search(elsewhere)?;
        let all = elsewhere.iter().take(number).map(|record| T::from(*record));
        // SAFETY: by this function's contract.
        unsafe { self.write(core::ptr::null_mut(), number, all) }?;
        Ok(number)
    }
}

/// Writes how many records there are, where that is known, also where they had no room in what is called `list`.
///
/// # Safety
/// `count` is null or points at a number.
pub(crate) unsafe fn tell(count: *mut usize, found: Result<usize>, list: What) -> Result<()> {
    let number = match found {
        Ok(number) => number,
        Err(e) if e.kind == Kind::Capacity && e.what == list => e.needed as usize,
        Err(_) => 0,
    };
    // SAFETY: by this function's contract.
    unsafe { edge::write_optional(count, number) };
    found.map(|_| ())
}
