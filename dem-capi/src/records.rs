//! Lists of records in memory of the host, to read and to write. These records may be larger or smaller than those of this version.

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Plain;

use crate::edge;
use crate::inputs;
use crate::layouts::{Fixed, Layout};
use crate::memory::Stretch;

/// A record with the same layout as one of the core, so that the core can write directly into the host's memory.
///
/// # Safety
/// Both records have the same layout.
pub(crate) unsafe trait Mirror: Fixed + From<Self::Core> {
    /// The record of the core.
    type Core: Plain;
}

/// Declares that a record has the layout of the core's, with these fields.
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

/// Bytes from one record to the next, and of all records. A stride of 0 means `record` bytes: for structs of the headers, their size in the first
/// release.
///
/// Errors: [`Kind::TooLarge`].
pub(crate) fn span(capacity: usize, stride: usize, record: usize) -> Result<(usize, usize)> {
    let stride = if stride == 0 { record } else { stride };
    let too_large = Error::new(Kind::TooLarge, What::Output).amounts(isize::MAX as u64, capacity as u64);
    let bytes = capacity.checked_mul(stride).filter(|n| *n <= isize::MAX as usize).ok_or(too_large)?;
    Ok((stride, bytes))
}

/// Changes the argument that an error is about.
pub(crate) fn about(what: What) -> impl Fn(Error) -> Error {
    move |e| Error { what, ..e }
}

/// A slice of packed items of the host, to read.
///
/// Errors: [`Kind::Null`], [`Kind::Misaligned`], [`Kind::TooLarge`].
///
/// # Safety
/// A pointer that is not null points at `count` items. All bit patterns are valid items, and nothing changes them while the slice
/// exists.
pub(crate) unsafe fn shared<'a, T: Copy>(from: *const T, count: usize, what: What) -> Result<&'a [T]> {
    if from.is_null() && count > 0 {
        return Err(Error::new(Kind::Null, what));
    }
    span(count, 0, size_of::<T>()).map_err(about(what))?;
    if count == 0 {
        return Ok(&[]);
    }
    if !from.is_aligned() {
        let (needed, given) = (align_of::<T>(), from as usize % align_of::<T>());
        return Err(Error::new(Kind::Misaligned, what).amounts(needed as u64, given as u64));
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts(from, count) })
}

/// A slice of packed items of the host, to write.
///
/// Errors: [`Kind::Null`], [`Kind::Misaligned`], [`Kind::TooLarge`].
///
/// # Safety
/// A pointer that is not null points at `count` items. All bit patterns are valid items, and nothing else uses them while the slice
/// exists.
pub(crate) unsafe fn alone<'a, T: Copy>(to: *mut T, count: usize, what: What) -> Result<&'a mut [T]> {
    // SAFETY: by this function's contract.
    let count = unsafe { shared(to.cast_const(), count, what) }?.len();
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: likewise; the slice above is gone.
    Ok(unsafe { core::slice::from_raw_parts_mut(to, count) })
}

/// Errors: [`Kind::BadSize`] if records are not packed, or do not have the size of this version.
pub(crate) fn is_packed<T: Fixed>(stride: usize, what: What) -> Result<()> {
    let (given, needed) = (if stride == 0 { T::FIRST } else { stride }, size_of::<T>());
    if given == needed { Ok(()) } else { Err(Error::new(Kind::BadSize, what).amounts(needed as u64, given as u64)) }
}

/// A list of records of the host, of any kind.
#[derive(Clone, Copy)]
pub(crate) struct List {
    pub first: *const u8,
    pub count: usize,
    /// Bytes from one to the next.
    pub stride: usize,
}

impl List {
    pub const EMPTY: List = List { first: core::ptr::null(), count: 0, stride: 0 };
}

/// Reads a record of the host that has `size` bytes. Fields that an older program does not have become 0.
///
/// # Safety
/// `size` bytes can be read, at any alignment, and all bit patterns are valid records.
pub(crate) unsafe fn read<T: Fixed>(from: *const u8, size: usize) -> T {
    let mut record = core::mem::MaybeUninit::<T>::zeroed();
    let shared = if size < size_of::<T>() { size } else { size_of::<T>() };
    // SAFETY: by this function's contract.
    unsafe {
        core::ptr::copy_nonoverlapping(from, record.as_mut_ptr().cast(), shared);
        record.assume_init()
    }
}

/// An array of structs in the host's memory. These structs may be shorter or longer than those of this version.
pub(crate) struct Structs<T> {
    data: *const T,
    pub(crate) count: usize,
    stride: usize,
    bytes: usize,
}

impl<T: Fixed> Structs<T> {
    /// `least`: the bytes of each struct that are needed.
    ///
    /// Errors: [`Kind::Null`], [`Kind::BadSize`], [`Kind::TooLarge`].
    pub(crate) fn new(data: *const T, count: usize, stride: usize, least: usize, what: What) -> Result<Self> {
        if data.is_null() && count > 0 {
            return Err(Error::new(Kind::Null, what));
        }
        let (stride, bytes) = span(count, stride, T::FIRST).map_err(about(what))?;
        if stride < least {
            return Err(Error::new(Kind::BadSize, what).amounts(least as u64, stride as u64));
        }
        Ok(Structs { data, count, stride, bytes })
    }

    /// The memory of the array.
    pub(crate) fn bytes(&self) -> Stretch {
        (self.data.cast(), self.bytes)
    }

    /// Item `i`; `None` if it is out of range.
    pub(crate) fn get(&self, i: usize) -> Option<T> {
        let at = self.data.cast::<u8>().wrapping_add(i * self.stride);
        // SAFETY: the item lies inside the memory that the host guaranteed for the list.
        (i < self.count).then(|| unsafe { read(at, self.stride) })
    }

    /// The first fields of item `i`, as a `U`; `None` if it is out of range, or smaller than a `U`.
    #[inline]
    pub(crate) fn first<U: Copy>(&self, i: usize) -> Option<U> {
        if i >= self.count || size_of::<U>() > self.stride {
            return None;
        }
        let at = self.data.cast::<u8>().wrapping_add(i * self.stride);
        // SAFETY: inside of what the host guaranteed when the list was made; U is plain numbers.
        Some(unsafe { at.cast::<U>().read_unaligned() })
    }
}

/// Output records in the host's memory, at any alignment.
pub(crate) struct Records<T> {
    to: *mut T,
    capacity: usize,
    stride: usize,
    bytes: usize,
}

impl<T: Copy> Records<T> {
    /// Packed records.
    ///
    /// Errors: [`Kind::Null`], [`Kind::TooLarge`].
    pub(crate) fn packed(to: *mut T, capacity: usize) -> Result<Records<T>> {
        if to.is_null() && capacity > 0 {
            return Err(Error::new(Kind::Null, What::Output));
        }
        let (stride, bytes) = span(capacity, 0, size_of::<T>())?;
        Ok(Records { to, capacity, stride, bytes })
    }

    /// The number of records for which there is room.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The memory of the records.
    pub(crate) fn bytes(&self) -> Stretch {
        (self.to.cast_const().cast(), self.bytes)
    }

    /// The records as a slice, which the core fills.
    ///
    /// Errors: [`Kind::Misaligned`].
    ///
    /// # Safety
    /// The memory has the size that the host passed, without gaps between records. Nothing else uses it while the slice
    /// exists, and all bit patterns are valid records.
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
    /// Errors: [`Kind::Null`], [`Kind::TooLarge`].
    pub(crate) fn new(to: *mut T, capacity: usize, stride: usize) -> Result<Records<T>> {
        if to.is_null() && capacity > 0 {
            return Err(Error::new(Kind::Null, What::Output));
        }
        Ok(Records { to, ..Records::nowhere(capacity, stride)? })
    }

    /// Records without memory, of which only the size counts.
    pub(crate) fn nowhere(capacity: usize, stride: usize) -> Result<Records<T>> {
        let (stride, bytes) = span(capacity, stride, T::FIRST)?;
        Ok(Records { to: core::ptr::null_mut(), capacity, stride, bytes })
    }

    /// Writes all `number` records, and their number to `count`, also if there is too little room for them.
    ///
    /// Errors: [`Kind::Capacity`]; no record is then written.
    ///
    /// # Safety
    /// The memory has the size that the host passed, and nothing else uses it.
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
    /// The number of records for which a search needs room in scratch: 0 if those of the host are packed.
    pub(crate) fn elsewhere(&self) -> u64 {
        if self.stride == size_of::<T>() { 0 } else { self.capacity as u64 }
    }

    /// Lets the core write its records into the host's memory, or into `elsewhere`, from which they are copied. Gives their number.
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

/// Writes to `count` how many records there are, also after an error about too little room for `list`; 0 after other errors.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::fixed;

    /// A record with two numbers in the first release, and a third one in this version.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct test_record {
        first: u64,
        second: u64,
        since: u64,
    }
    fixed!(test_record { first: u64, second: u64, since: u64 });

    const ALL: [test_record; 2] =
        [test_record { first: 1, second: 2, since: 3 }, test_record { first: 4, second: 5, since: 6 }];

    #[test]
    fn programs_that_were_built_before_a_record_grew_are_not_overrun() {
        for (stride, expected) in [
            (0, [1, 2, 4, 5, 9, 9, 9]),
            (16, [1, 2, 4, 5, 9, 9, 9]),
            (24, [1, 2, 3, 4, 5, 6, 9]),
            (8, [1, 4, 9, 9, 9, 9, 9]),
        ] {
            let mut memory = [9u64; 7];
            let records = Records::<test_record>::new(memory.as_mut_ptr().cast(), 2, stride).unwrap();
            // SAFETY: all memory has the size that is passed.
            unsafe { records.write(core::ptr::null_mut(), 2, ALL.into_iter()) }.unwrap();
            assert_eq!(memory, expected, "{stride}");
        }
    }

    #[test]
    fn what_an_older_program_does_not_have_is_0() {
        let memory = [1u64, 2, 4, 5, 7, 8];
        let read = |stride, least| {
            let list = Structs::<test_record>::new(memory.as_ptr().cast(), 2, stride, least, What::Output);
            list.map(|list| [0, 1].map(|i| list.get(i).unwrap()))
        };
        let old = [test_record { first: 1, second: 2, since: 0 }, test_record { first: 4, second: 5, since: 0 }];
        assert_eq!(read(0, test_record::FIRST), Ok(old));
        assert_eq!(read(16, 16), Ok(old));
        let new = [test_record { first: 1, second: 2, since: 4 }, test_record { first: 5, second: 7, since: 8 }];
        assert_eq!(read(24, 16), Ok(new));
        assert_eq!(read(8, 16), Err(Error::new(Kind::BadSize, What::Output).amounts(16, 8)));
        assert!(is_packed::<test_record>(24, What::Contacts).is_ok());
        let old = Error::new(Kind::BadSize, What::Contacts).amounts(24, 16);
        assert_eq!([0, 16].map(|stride| is_packed::<test_record>(stride, What::Contacts)), [Err(old); 2]);
    }
}
