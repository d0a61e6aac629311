//! Status and errors.

mod structs;

use core::ffi::{CStr, c_char};
use core::fmt::Write;

use dem_core::error::{Error, Kind, What};

use crate::edge;
pub use structs::*;

/// Writes into bytes of the caller, up to their end. Bytes that do not fit are only counted.
struct Text {
    to: *mut u8,
    capacity: usize,
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        for &byte in s.as_bytes() {
            // One byte is left for the zero at the end.
            if self.length + 1 < self.capacity {
                // SAFETY: the caller of `dem_error_format` guarantees `capacity` bytes at `to`.
                unsafe { self.to.add(self.length).write(byte) };
            }
            self.length += 1;
        }
        Ok(())
    }
}

/// Writes a sentence that tells a user what was wrong, where, and what to do.
///
/// Outputs: `text`, `capacity` bytes: the sentence in ASCII, ended by a zero; an empty string if it does not fit. `DEM_ERROR_TEXT` bytes
/// are always enough. `needed` (may be null): bytes needed, including the zero.
/// Inputs: `error`, as another function filled it.
/// Errors: `DEM_ERROR_NULL` if `error` or `text` is null (`text` may be null if `capacity` is 0); `DEM_ERROR_CAPACITY` if the sentence does
/// not fit; `DEM_ERROR_OUT_OF_RANGE` if `error` contains numbers that this library does not know.
/// Cost: some tenths of a microsecond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_error_format(
    text: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *const dem_error,
) -> i32 {
    edge::call(core::ptr::null_mut(), || {
        // SAFETY: the caller guarantees the memory behind a pointer that is not null.
        let error = unsafe { edge::read(error, What::Message) }?;
        if text.is_null() && capacity > 0 {
            return Err(Error::new(Kind::Null, What::Message));
        }
        let mut out = Text { to: text.cast(), capacity, length: 0 };
        let known = error.known();
        // Writing to `Text` cannot fail.
        let _ = match known {
            Some(e) if e.kind == Kind::Capacity && error.short_of.sizes().iter().any(|(_, needed)| *needed > 0) => {
                error.short_of.tell(&mut out)
            }
            Some(e) => write!(out, "{e}"),
            None if error.code == DEM_OK => write!(out, "done"),
            None => write!(out, "unknown error {}", error.code),
        };
        let length = out.length + 1;
        if capacity > 0 {
            // SAFETY: the caller guarantees `capacity` bytes; the place is inside them.
            unsafe { text.add(if length <= capacity { length - 1 } else { 0 }).write(0) };
        }
        // SAFETY: the caller guarantees the memory behind a pointer that is not null.
        unsafe { edge::write_optional(needed, length) };
        if length > capacity {
            return Err(Error::capacity(What::Message, length as u64, capacity as u64));
        }
        if known.is_none() && error.code != DEM_OK {
            return Err(Error::new(Kind::OutOfRange, What::Message));
        }
        Ok(())
    })
}

/// The name of a status, such as `DEM_ERROR_NULL`; `unknown status` for any other number.
///
/// Outputs: a constant string in ASCII, never null.
/// Errors: none.
/// Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn dem_status_string(status: i32) -> *const c_char {
    status_name(status).as_ptr()
}

/// The name of an argument in a `dem_error`, such as `vertices`; `unknown argument` for any other number.
///
/// Outputs: a constant string in ASCII, never null.
/// Errors: none.
/// Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn dem_argument_string(argument: u32) -> *const c_char {
    What::from_number(argument).map_or(c"unknown argument", What::c_name).as_ptr()
}

fn status_name(status: i32) -> &'static CStr {
    match status {
        DEM_OK => c"DEM_OK",
        DEM_NONE => c"DEM_NONE",
        DEM_ERROR_NULL => c"DEM_ERROR_NULL",
        DEM_ERROR_MISALIGNED => c"DEM_ERROR_MISALIGNED",
        DEM_ERROR_CAPACITY => c"DEM_ERROR_CAPACITY",
        DEM_ERROR_NOT_FINITE => c"DEM_ERROR_NOT_FINITE",
        DEM_ERROR_OUT_OF_RANGE => c"DEM_ERROR_OUT_OF_RANGE",
        DEM_ERROR_BAD_INDEX => c"DEM_ERROR_BAD_INDEX",
        DEM_ERROR_BAD_SIZE => c"DEM_ERROR_BAD_SIZE",
        DEM_ERROR_TOO_LARGE => c"DEM_ERROR_TOO_LARGE",
        DEM_ERROR_DAMAGED => c"DEM_ERROR_DAMAGED",
        DEM_ERROR_BUSY => c"DEM_ERROR_BUSY",
        DEM_ERROR_POISONED => c"DEM_ERROR_POISONED",
        DEM_ERROR_UNSUPPORTED => c"DEM_ERROR_UNSUPPORTED",
        DEM_ERROR_PANIC => c"DEM_ERROR_PANIC",
        DEM_ERROR_MISMATCH => c"DEM_ERROR_MISMATCH",
        DEM_ERROR_OVERLAP => c"DEM_ERROR_OVERLAP",
        DEM_ERROR_DUPLICATE => c"DEM_ERROR_DUPLICATE",
        _ => c"unknown status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grids::{dem_grid_desc, dem_grid_layout};
    use crate::inputs::Input;
    use crate::scenes::{dem_scene_desc, dem_scene_layout};
    use crate::tasks::{ALONE, dem_tasks, read_tasks};
    use crate::worlds::{dem_world_desc, dem_world_layout};

    #[test]
    fn every_kind_has_a_status() {
        for (i, kind) in Kind::ALL.iter().enumerate() {
            let camel = format!("{kind:?}");
            let mut name = String::from("DEM_ERROR");
            for c in camel.chars() {
                if c.is_uppercase() {
                    name.push('_');
                }
                name.extend(c.to_uppercase());
            }
            assert_eq!(status_name(-1 - i as i32).to_str(), Ok(name.as_str()));
        }
        assert_eq!(status_name(-1 - Kind::ALL.len() as i32), c"unknown status");
    }

    #[test]
    fn arguments_are_numbered_as_in_the_core() {
        for (number, what) in [
            (DEM_ARGUMENT_SCRATCH, What::Scratch),
            (DEM_ARGUMENT_OUTPUT, What::Output),
            (DEM_ARGUMENT_PAIRS, What::Pairs),
            (DEM_ARGUMENT_CONTACTS, What::Contacts),
            (DEM_ARGUMENT_EVENTS, What::Events),
            (DEM_ARGUMENT_BODIES, What::Bodies),
            (DEM_ARGUMENT_CANDIDATES, What::Candidates),
            (DEM_ARGUMENT_POSES, What::Poses),
            (DEM_ARGUMENT_LIST, What::PairList),
            (DEM_ARGUMENT_NODES, What::Nodes),
            (DEM_ARGUMENT_BLENDS, What::Blends),
            (DEM_ARGUMENT_MARGIN_CONTACTS, What::MarginContacts),
            (DEM_ARGUMENT_PAIR_CONTACTS, What::PairContacts),
        ] {
            assert_eq!(number, what as u32, "{}", what.name());
        }
    }

    fn format(error: &dem_error, capacity: usize) -> (i32, Vec<u8>, usize) {
        let (mut text, mut needed) = (vec![0x55; capacity], 0);
        // SAFETY: the buffer has that capacity.
        let status = unsafe { dem_error_format(text.as_mut_ptr().cast(), capacity, &mut needed, error) };
        (status, text, needed)
    }

    #[test]
    fn every_sentence_fits_and_one_byte_less_is_refused() {
        for (kind, what) in Kind::ALL.iter().flat_map(|k| What::ALL.iter().map(move |w| (*k, *w))) {
            let error: dem_error = Error::new(kind, what).at(u64::MAX, u32::MAX).amounts(u64::MAX, u64::MAX).into();
            let (status, text, needed) = format(&error, DEM_ERROR_TEXT);
            assert_eq!(status, DEM_OK, "{kind:?} {what:?}: {needed}");
            assert_eq!(text.iter().position(|b| *b == 0), Some(needed - 1));
            assert_eq!(format(&error, needed).0, DEM_OK);
            let (status, text, again) = format(&error, needed - 1);
            assert_eq!((status, text[0], again), (DEM_ERROR_CAPACITY, 0, needed));
        }
    }

    #[test]
    fn mismatches_tell_numbers_and_places() {
        let mismatch = Error::new(Kind::Mismatch, What::Vertices);
        for (error, begin, end) in [
            (mismatch.amounts(8, 7), "vertices: 7 items where 8", "nothing was changed"),
            (mismatch.at(5, 0), "vertices: item 5 does not stay", "or build anew"),
            (mismatch, "vertices: does not belong", "pass what it was built from"),
        ] {
            let (status, text, needed) = format(&error.into(), DEM_ERROR_TEXT);
            let text = core::str::from_utf8(&text[..needed - 1]).unwrap();
            assert!(status == DEM_OK && text.starts_with(begin) && text.ends_with(end), "{text}");
        }
    }

    /// Errors name `levels` in each of the three structs that have this field, and threads by the name that they have in the query.
    #[test]
    fn levels_and_tasks_are_told_by_their_names_with_what_to_do() {
        let null = core::ptr::null_mut();
        for levels in [0, 65] {
            let mut errors = [dem_error::default(); 3];
            let [of_scene, of_world, of_grid] = &mut errors;
            let scene = dem_scene_desc { levels, ..Input::DEFAULT };
            let world = dem_world_desc { levels, ..Input::DEFAULT };
            let grid = dem_grid_desc { levels, ..Input::DEFAULT };
            // SAFETY: descriptions and errors are there.
            unsafe {
                dem_scene_layout(null, null, &scene, of_scene);
                dem_world_layout(null, null, &world, of_world);
                dem_grid_layout(null, null, &grid, of_grid);
            }
            for error in errors {
                assert_eq!((error.code, error.argument), (DEM_ERROR_OUT_OF_RANGE, What::Levels as u32));
                let (_, text, needed) = format(&error, DEM_ERROR_TEXT);
                let expected = format!(
                    "levels: is {levels}, must be 1 to 64; take 8, the default, which is good for most ratios of sizes"
                );
                assert_eq!(core::str::from_utf8(&text[..needed - 1]).unwrap(), expected);
            }
        }
        let tasks = dem_tasks { reserved: 7, ..ALONE };
        // SAFETY: tasks are there.
        let error = unsafe { read_tasks(&tasks) }.unwrap_err().into();
        let (_, text, needed) = format(&error, DEM_ERROR_TEXT);
        let text = core::str::from_utf8(&text[..needed - 1]).unwrap();
        assert_eq!(
            text,
            "tasks: `reserved` is 7 and must be 0; set all fields of dem_tasks, such as {run, user, lanes, 0}"
        );
    }

    #[test]
    fn formatting_survives_misuse() {
        let error = dem_error::default();
        assert_eq!(format(&error, 8), (DEM_OK, b"done\0\x55\x55\x55".to_vec(), 5));
        assert_eq!(format(&error, 0), (DEM_ERROR_CAPACITY, vec![], 5));
        let strange = dem_error { code: -999, ..error };
        assert_eq!(format(&strange, DEM_ERROR_TEXT).0, DEM_ERROR_OUT_OF_RANGE);
        let null = core::ptr::null_mut::<dem_error>();
        // SAFETY: the call refuses null.
        unsafe {
            assert_eq!(dem_error_format(null.cast(), 0, null.cast(), null), DEM_ERROR_NULL);
            assert_eq!(dem_error_format(null.cast(), 5, null.cast(), &error), DEM_ERROR_NULL);
        }
    }
}
