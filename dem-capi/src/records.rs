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

/// Bytes from one record to the next, and of all of them. A stride of 0 is `record`: of structs of the headers what they had in the first release.
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

/// Errors: [`Kind::BadSize`] for records that are not this version's, one behind the other.
pub(crate) fn is_packed<T: Fixed>(stride: usize, what: What) -> Result<()> {
    let (given, needed) = (if stride == 0 { T::FIRST } else { stride }, size_of::<T>());
    if given == needed { Ok(()) } else { Err(Error::new(Kind::BadSize, what).amounts(needed as u64, given as u64)) }
}

/// Records of the host, of whatever kind.
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

/// A record of the host of which there are so many bytes: what an older program does not have is 0.
///
/// # Safety
/// There are so many bytes, at any alignment, and any bytes are a record.
pub(crate) unsafe fn read<T: Fixed>(from: *const u8, size: usize) -> T {
    let mut record = core::mem::MaybeUninit::<T>::zeroed();
    let shared = if size < size_of::<T>() { size } else { size_of::<T>() };
    // SAFETY: by this function's contract.
    unsafe {
        core::ptr::copy_nonoverlapping(from, record.as_mut_ptr().cast(), shared);
        record.assume_init()
    }
}

/// An array of structs in the host's memory, which may be shorter or longer than this version's.
pub(crate) struct Structs<T> {
    data: *const T,
    pub(crate) count: usize,
    stride: usize,
    bytes: usize,
}

impl<T: Fixed> Structs<T> {
    /// `least`: bytes that are needed of each.
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

    /// Where they lie.
    pub(crate) fn bytes(&self) -> Stretch {
        (self.data.cast(), self.bytes)
    }

    /// Item `i`, if there are that many.
    pub(crate) fn get(&self, i: usize) -> Option<T> {
        let at = self.data.cast::<u8>().wrapping_add(i * self.stride);
        // SAFETY: inside of what the host vouched for when the list was made.
        (i < self.count).then(|| unsafe { read(at, self.stride) })
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
    /// One behind the other.
    ///
    /// Errors: [`Kind::Null`], [`Kind::TooLarge`].
    pub(crate) fn packed(to: *mut T, capacity: usize) -> Result<Records<T>> {
        if to.is_null() && capacity > 0 {
            return Err(Error::new(Kind::Null, What::Output));
        }
        let (stride, bytes) = span(capacity, 0, size_of::<T>())?;
        Ok(Records { to, capacity, stride, bytes })
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
    /// Errors: [`Kind::Null`], [`Kind::TooLarge`].
    pub(crate) fn new(to: *mut T, capacity: usize, stride: usize) -> Result<Records<T>> {
        if to.is_null() && capacity > 0 {
            return Err(Error::new(Kind::Null, What::Output));
        }
        Ok(Records { to, ..Records::nowhere(capacity, stride)? })
    }

    /// Records that are only counted.
    pub(crate) fn nowhere(capacity: usize, stride: usize) -> Result<Records<T>> {
        let (stride, bytes) = span(capacity, stride, T::FIRST)?;
        Ok(Records { to: core::ptr::null_mut(), capacity, stride, bytes })
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::fixed;

    /// A record that had two numbers in the first release, and has a third one now.
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
            // SAFETY: there is as much as is said.
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
