//! Input structs that begin with `struct_size`: programs compiled with an older or a newer header continue to work.

use dem_core::error::fields::{RESERVED, SIZES, place};
use dem_core::error::{Error, Kind, Result, What};

use crate::layouts::Fixed;

/// A struct whose first field is `struct_size: u32`, and for which every bit pattern is a value.
///
/// # Safety
/// Both must hold.
pub(crate) unsafe trait Input: Fixed {
    /// The default of every field, `struct_size` included.
    const DEFAULT: Self;
}

fn size_error(what: What, needed: usize, given: usize) -> Error {
    Error::new(Kind::BadSize, what).at(0, STRUCT_SIZE).amounts(needed as u64, given as u64)
}

/// Components of errors about sizes in bytes; that of a stride is 0.
pub(crate) const COMPONENT_STRIDE: u32 = place(&SIZES, "component_stride");
pub(crate) const VERTEX_STRIDE: u32 = place(&SIZES, "vertex_stride");
pub(crate) const STRUCT_SIZE: u32 = place(&SIZES, "struct_size");
pub(crate) const SHAPE_STRIDE: u32 = place(&SIZES, "shape_stride");
pub(crate) const SURFACE_STRIDE: u32 = place(&SIZES, "surface_stride");
pub(crate) const PAIR_STRIDE: u32 = place(&SIZES, "pair_stride");

/// The size of a pointer on most machines. No version of a struct has this size. A program that passes it has used `sizeof` of the pointer
/// instead of the struct; without this check, all fields would be ignored without an error.
const POINTER: usize = 8;

/// No version of a struct is larger. A larger size is uninitialised memory, and reading so many bytes could end the program.
const LARGEST: usize = 4096;

/// Whether a caller's version of a struct may have this size: it ends with one of this version's fields, or is larger.
fn is_version<T: Fixed>(size: usize) -> bool {
    (size_of::<T>()..=LARGEST).contains(&size)
        || size > POINTER && T::LAYOUT.fields.iter().any(|f| f.offset + f.size == size)
}

/// Reads an input struct; null gives the defaults. A smaller struct ends with one of this version's fields, and the others get their
/// defaults. A larger struct, of at most 4,096 bytes, must have zeros after this version's fields.
///
/// # Safety
/// A pointer that is not null points at as many bytes as the first four of them tell.
pub(crate) unsafe fn read<T: Input>(from: *const T, what: What) -> Result<T> {
    if from.is_null() {
        return Ok(T::DEFAULT);
    }
    // SAFETY: an input struct begins with its size.
    let given = unsafe { from.cast::<u32>().read_unaligned() } as usize;
    let known = size_of::<T>();
    if given == known {
        // SAFETY: there are that many bytes, and every bit pattern is a value.
        return Ok(unsafe { from.read_unaligned() });
    }
    let bytes = from.cast::<u8>();
    let mut value = T::DEFAULT;
    if !is_version::<T>(given) {
        return Err(size_error(what, known, given));
    }
    for at in known..given {
        // SAFETY: the caller guarantees `given` bytes.
        if unsafe { bytes.add(at).read() } != 0 {
            return Err(size_error(what, known, given));
        }
    }
    let shared = if given < known { given } else { known };
    // SAFETY: `shared` bytes are there on both sides, and every bit pattern is a value of T.
    unsafe { core::ptr::copy_nonoverlapping(bytes, (&raw mut value).cast(), shared) };
    Ok(value)
}

/// Fills the caller's struct with defaults, up to its size. Bytes that this version does not know become zero.
///
/// # Safety
/// A pointer that is not null points at `size` bytes.
pub(crate) unsafe fn fill<T: Input>(to: *mut T, size: usize, what: What) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe { fill_with(to, size, T::DEFAULT, what) }
}

/// As [`fill`], with other values than the defaults.
///
/// # Safety
/// As for `fill`.
pub(crate) unsafe fn fill_with<T: Input>(to: *mut T, size: usize, value: T, what: What) -> Result<()> {
    if to.is_null() {
        return Err(Error::new(Kind::Null, what));
    }
    let known = size_of::<T>();
    let Some(size32) = u32::try_from(size).ok().filter(|_| is_version::<T>(size)) else {
        return Err(size_error(what, known, size));
    };
    let shared = if size < known { size } else { known };
    // SAFETY: the caller guarantees `size` bytes, of which `shared` are at most all of T's.
    unsafe {
        to.cast::<u8>().write_bytes(0, size);
        core::ptr::copy_nonoverlapping((&raw const value).cast::<u8>(), to.cast(), shared);
        to.cast::<u32>().write_unaligned(size32);
    }
    Ok(())
}

/// Writes an output record, or as much of it as the caller's version has.
///
/// # Safety
/// A pointer that is not null points at `size` bytes that can be written.
pub(crate) unsafe fn write_record<T: Fixed>(to: *mut T, size: usize, value: &T, what: What) -> Result<()> {
    if to.is_null() {
        return Err(Error::new(Kind::Null, what));
    }
    let written = if size < size_of::<T>() { size } else { size_of::<T>() };
    // SAFETY: `written` bytes are there on both sides, and a struct without padding has no byte without a value.
    unsafe { core::ptr::copy_nonoverlapping((&raw const *value).cast::<u8>(), to.cast(), written) };
    Ok(())
}

/// Errors: [`Kind::OutOfRange`] for a field called `reserved` that is not 0.
pub(crate) fn zero(reserved: impl Into<u64>, what: What) -> Result<()> {
    zero_at(reserved, what, 0)
}

/// Components of errors about other reserved fields.
pub(crate) const BODY_RESERVED: u32 = place(&RESERVED, "body.reserved");
pub(crate) const RESERVED_2: u32 = place(&RESERVED, "reserved_2");

/// Errors: [`Kind::OutOfRange`] for a reserved field that is not 0, with its place.
pub(crate) fn zero_at(reserved: impl Into<u64>, what: What, field: u32) -> Result<()> {
    match reserved.into() {
        0 => Ok(()),
        given => Err(Error::new(Kind::OutOfRange, what).at(0, field).amounts(0, given)),
    }
}

/// Components of errors about fields that are 0 or 1.
pub(crate) const ENERGIES: u32 = 0;
pub(crate) const SPREADS: u32 = 1;
pub(crate) const WATCH: u32 = 2;
pub(crate) const RECORDS: u32 = 3;

/// Errors: [`Kind::OutOfRange`] for a choice that is neither 0 nor 1, with the place of its field.
pub(crate) fn yes(choice: u64, what: What, field: u32) -> Result<bool> {
    match choice {
        0 => Ok(false),
        1 => Ok(true),
        given => Err(Error::new(Kind::OutOfRange, what).at(0, field).amounts(1, given)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::fixed;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Options {
        struct_size: u32,
        flags: u32,
        margin: f64,
        budget: u64,
    }
    fixed!(Options { struct_size: u32, flags: u32, margin: f64, budget: u64 });

    // SAFETY: `struct_size` is the first field, and all fields are plain numbers.
    unsafe impl Input for Options {
        const DEFAULT: Self = Options { struct_size: 24, flags: 1, margin: 0.5, budget: 9 };
    }

    fn words(size: u32, n: usize) -> Vec<u64> {
        let mut words = vec![0; n];
        let first = [size.to_ne_bytes(), 7u32.to_ne_bytes()].concat();
        words[0] = u64::from_ne_bytes(first.try_into().unwrap());
        words
    }

    fn read_words(words: &[u64]) -> Result<Options> {
        // SAFETY: the tests below give sizes within the words.
        unsafe { read(words.as_ptr().cast::<Options>(), What::Options) }
    }

    #[test]
    fn smaller_structs_take_defaults() {
        for (size, budget, margin, flags) in [(24, 0, 0.0, 7), (16, 9, 0.0, 7)] {
            let options = read_words(&words(size, 3)).unwrap();
            assert_eq!((options.budget, options.margin, options.flags), (budget, margin, flags), "{size}");
        }
        // SAFETY: null is allowed.
        assert_eq!(unsafe { read(core::ptr::null::<Options>(), What::Options) }, Ok(Options::DEFAULT));
    }

    #[test]
    fn sizes_that_cut_a_field_or_are_those_of_a_pointer_are_refused() {
        for size in (0..16).chain(17..24) {
            assert_eq!(read_words(&words(size, 3)), Err(size_error(What::Options, 24, size as usize)));
        }
    }

    #[test]
    fn a_struct_that_was_never_initialised_is_refused_before_its_bytes_are_read() {
        for size in [4097, 1 << 20, u32::MAX] {
            let three = words(size, 3);
            assert_eq!(read_words(&three), Err(size_error(What::Options, 24, size as usize)));
        }
        assert!(size_error(What::Options, 24, 4097).to_string().contains("dem_defaults"));
        assert!(read_words(&words(4096, 512)).is_ok());
    }

    #[test]
    fn larger_structs_must_end_in_zeros() {
        let mut newer = words(40, 5);
        assert!(read_words(&newer).is_ok());
        newer[4] = 1 << 63;
        assert_eq!(read_words(&newer), Err(size_error(What::Options, 24, 40)));
        newer[0] = words(36, 1)[0];
        assert!(read_words(&newer).is_ok(), "what lies behind the struct is not looked at");
    }

    #[test]
    fn defaults_stay_inside_the_callers_struct() {
        for size in [16, 24, 32] {
            let mut given = [0xaau8; 40];
            // SAFETY: there are 40 bytes.
            unsafe { fill(given.as_mut_ptr().cast::<Options>(), size, What::Options) }.unwrap();
            assert!(given[size..].iter().all(|b| *b == 0xaa));
            assert_eq!(given[..4], (size as u32).to_ne_bytes());
            // SAFETY: as above.
            let mut options = unsafe { read(given.as_ptr().cast::<Options>(), What::Options) }.unwrap();
            options.struct_size = 24;
            assert_eq!(options, Options::DEFAULT);
        }
        for size in [0, 4, 8, 15] {
            let mut given = [0xaau8; 40];
            // SAFETY: there are 40 bytes.
            let refused = unsafe { fill(given.as_mut_ptr().cast::<Options>(), size, What::Options) };
            assert_eq!((refused, given), (Err(size_error(What::Options, 24, size)), [0xaa; 40]));
        }
    }
}
