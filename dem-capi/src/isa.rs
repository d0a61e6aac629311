//! Instruction sets.

use core::ffi::c_char;

use dem_core::error::{Error, What};
use dem_core::simd::Isa;

use crate::edge;
use crate::errors::dem_error;

/// The fastest instruction set of this machine: the default of all functions.
pub const DEM_ISA_BEST: u32 = 0;
/// One number at a time; on every machine.
pub const DEM_ISA_SCALAR: u32 = 1;
/// x86-64, every machine.
pub const DEM_ISA_SSE2: u32 = 2;
/// x86-64 with AVX2 and FMA.
pub const DEM_ISA_AVX2: u32 = 3;
/// x86-64 with AVX-512 F, VL, DQ and BW.
pub const DEM_ISA_AVX512: u32 = 4;
/// aarch64, every machine.
pub const DEM_ISA_NEON: u32 = 5;
/// The number of instruction sets is less than this.
pub const DEM_ISA_COUNT: usize = 8;

/// Lists the instruction sets that this machine has and this library uses, slowest first. The last one is the meaning of `DEM_ISA_BEST`. The
/// `isa` argument of functions can force any of them; results do not depend on it.
///
/// Outputs: `isas` (may be null if `capacity` is 0), `capacity` items: at most `DEM_ISA_COUNT` numbers `DEM_ISA_*`. `count` (may be null):
/// how many there are.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY` if there are more than `capacity`; then nothing is written to `isas`.
/// Cost: detection by the first call, then none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_isa_list(
    isas: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let list = Isa::list();
        // SAFETY: the caller guarantees the memory behind a pointer that is not null.
        unsafe { edge::write_optional(count, list.len()) };
        if capacity < list.len() {
            return Err(Error::capacity(What::Output, list.len() as u64, capacity as u64));
        }
        for (i, isa) in list.iter().enumerate() {
            // SAFETY: the caller guarantees `capacity` items, and i is less.
            unsafe { edge::write(isas.wrapping_add(i), isa.number(), What::Output)? };
        }
        Ok(())
    })
}

/// The name of an instruction set, such as `avx2`; `unknown` if this machine does not have it. For `DEM_ISA_BEST`, the name of the fastest
/// one.
///
/// Outputs: a constant string in ASCII, never null.
/// Errors: none.
/// Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn dem_isa_name(isa: u32) -> *const c_char {
    let name = match Isa::numbered(isa).map(Isa::number) {
        Ok(DEM_ISA_SCALAR) => c"scalar",
        Ok(DEM_ISA_SSE2) => c"sse2",
        Ok(DEM_ISA_AVX2) => c"avx2",
        Ok(DEM_ISA_AVX512) => c"avx512",
        Ok(DEM_ISA_NEON) => c"neon",
        _ => c"unknown",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::{DEM_ERROR_CAPACITY, DEM_ERROR_NULL, DEM_OK};
    use core::ffi::CStr;

    #[test]
    fn names_are_those_of_the_core() {
        for isa in Isa::list() {
            // SAFETY: a constant string.
            let name = unsafe { CStr::from_ptr(dem_isa_name(isa.number())) };
            assert_eq!(name.to_str(), Ok(isa.name()));
            assert!((isa.number() as usize) < DEM_ISA_COUNT);
        }
        assert_eq!(Isa::numbered(Isa::best().number()), Isa::numbered(DEM_ISA_BEST));
    }

    #[test]
    fn the_list_fits_exactly_or_is_refused() {
        let (mut list, mut count) = ([99; DEM_ISA_COUNT], 0);
        let null = core::ptr::null_mut();
        // SAFETY: the capacities are those of the array, or nothing is to be written.
        unsafe {
            assert_eq!(dem_isa_list(null, 0, &mut count, null.cast()), DEM_ERROR_CAPACITY);
            assert_eq!(dem_isa_list(list.as_mut_ptr(), count - 1, null.cast(), null.cast()), DEM_ERROR_CAPACITY);
            assert_eq!(list, [99; DEM_ISA_COUNT]);
            assert_eq!(dem_isa_list(null, count, null.cast(), null.cast()), DEM_ERROR_NULL);
            assert_eq!(dem_isa_list(list.as_mut_ptr(), count, null.cast(), null.cast()), DEM_OK);
        }
        assert_eq!(list[0], DEM_ISA_SCALAR);
        assert_eq!(list[count - 1], Isa::best().number());
        assert!(list[count..].iter().all(|n| *n == 99));
    }
}
