//! Status and errors.

use core::ffi::{CStr, c_char};
use core::fmt::Write;

use dem_core::error::{Error, Kind, What};

use crate::edge;
use crate::layouts::fixed;

/// Done.
pub const DEM_OK: i32 = 0;
/// Done, and there is no result: nothing is near enough.
pub const DEM_NONE: i32 = 1;
/// A pointer is null but data is needed.
pub const DEM_ERROR_NULL: i32 = -1;
/// A pointer, a block or a stride has the wrong alignment.
pub const DEM_ERROR_MISALIGNED: i32 = -2;
/// A buffer is too small; `needed` tells the size that is enough. Nothing was lost, nothing is half-done.
pub const DEM_ERROR_CAPACITY: i32 = -3;
/// A number is NaN or infinite.
pub const DEM_ERROR_NOT_FINITE: i32 = -4;
/// A number is outside its range (a negative halo, an unknown option, a zero quaternion).
pub const DEM_ERROR_OUT_OF_RANGE: i32 = -5;
/// An index is beyond the end of its list; `given` is the index, `needed` the number of items.
pub const DEM_ERROR_BAD_INDEX: i32 = -6;
/// A `struct_size` or a stride is too small, or asks for fields that this version does not know.
pub const DEM_ERROR_BAD_SIZE: i32 = -7;
/// The requested sizes exceed this machine's addresses or the format's 32-bit ids.
pub const DEM_ERROR_TOO_LARGE: i32 = -8;
/// A block contains something else, another version, or damaged bytes.
pub const DEM_ERROR_DAMAGED: i32 = -9;
/// A block is in use by another thread.
pub const DEM_ERROR_BUSY: i32 = -10;
/// A panic interrupted an earlier call on this block; restore it from a copy.
pub const DEM_ERROR_POISONED: i32 = -11;
/// This machine or this build does not have this feature.
pub const DEM_ERROR_UNSUPPORTED: i32 = -12;
/// A defect of the library: please report it.
pub const DEM_ERROR_PANIC: i32 = -13;
/// Arguments that do not belong together: arrays of different lengths, a tree and the mesh of another body.
pub const DEM_ERROR_MISMATCH: i32 = -14;
/// Output memory overlaps input memory.
pub const DEM_ERROR_OVERLAP: i32 = -15;
/// Two items are the same but each must be different; `index` and `given` are their places.
pub const DEM_ERROR_DUPLICATE: i32 = -16;

/// Values of `argument` of an error that a program may correct. This one: scratch.
pub const DEM_ARGUMENT_SCRATCH: u32 = 2;
/// Output records.
pub const DEM_ARGUMENT_OUTPUT: u32 = 3;
/// Near pairs of triangles: `pairs` of a query.
pub const DEM_ARGUMENT_PAIRS: u32 = 25;
/// The contacts for which a scene has room.
pub const DEM_ARGUMENT_CONTACTS: u32 = 55;
/// Output events.
pub const DEM_ARGUMENT_EVENTS: u32 = 60;
/// The bodies for which a scene has room.
pub const DEM_ARGUMENT_BODIES: u32 = 63;
/// The candidate pairs of bodies for which a scene has room.
pub const DEM_ARGUMENT_CANDIDATES: u32 = 96;
/// The pairs with their own poses for which a scene has room.
pub const DEM_ARGUMENT_POSES: u32 = 105;
/// Words of a list of near triangles.
pub const DEM_ARGUMENT_LIST: u32 = 106;
/// The nodes for which a scene has room.
pub const DEM_ARGUMENT_NODES: u32 = 107;
/// Output blends.
pub const DEM_ARGUMENT_BLENDS: u32 = 108;
/// `margin_contacts` of `dem_scene_desc`.
pub const DEM_ARGUMENT_MARGIN_CONTACTS: u32 = 147;
/// The contacts of two bodies: `pair_contacts` of a query.
pub const DEM_ARGUMENT_PAIR_CONTACTS: u32 = 182;

/// Bytes that are always enough for `dem_error_format`, including the zero at the end.
pub const DEM_ERROR_TEXT: usize = 512;

/// All room that a call of a scene or a world lacked, each with a number that is enough; 0 if there was enough. A field has the name of the
/// field that sets the room. Some needs are known only after other room is found; these are estimates. Usually a call with all these
/// numbers succeeds; if not, the next error tells the rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_shortage {
    /// `bodies` of `dem_scene_desc` or `dem_world_desc`. The fields down to `ball_contacts` are also of these structs.
    pub bodies: u64,
    /// Pairs of bodies whose bounds meet.
    pub candidates: u64,
    /// Contacts.
    pub contacts: u64,
    /// Contacts within the margin of a scene.
    pub margin_contacts: u64,
    /// Nodes of contacts.
    pub nodes: u64,
    /// Pairs of a scene with their own poses.
    pub posed: u64,
    /// Pairs of balls in the list of a world whose steps keep no records of balls.
    pub ball_pairs: u64,
    /// The pairs of this list that touch.
    pub ball_contacts: u64,
    /// `pairs` of the query: near pairs of triangles of two bodies.
    pub pairs: u64,
    /// `pair_contacts` of the query: contacts of two bodies.
    pub pair_contacts: u64,
    /// Bytes of scratch that the same call then needs, on all threads of the query.
    pub scratch: u64,
}

fixed!(dem_shortage {
    bodies: u64,
    candidates: u64,
    contacts: u64,
    margin_contacts: u64,
    nodes: u64,
    posed: u64,
    ball_pairs: u64,
    ball_contacts: u64,
    pairs: u64,
    pair_contacts: u64,
    scratch: u64,
});

impl dem_shortage {
    /// All fields but scratch.
    fn sizes(&self) -> [(&'static str, u64); 10] {
        [
            ("bodies", self.bodies),
            ("candidates", self.candidates),
            ("contacts", self.contacts),
            ("margin_contacts", self.margin_contacts),
            ("nodes", self.nodes),
            ("posed", self.posed),
            ("ball_pairs", self.ball_pairs),
            ("ball_contacts", self.ball_contacts),
            ("pairs", self.pairs),
            ("pair_contacts", self.pair_contacts),
        ]
    }

    /// The sentence that names all of it.
    fn tell(&self, out: &mut Text) -> core::fmt::Result {
        write!(out, "too little room; enough would be: ")?;
        for (name, needed) in self.sizes().into_iter().filter(|(_, needed)| *needed > 0) {
            write!(out, "{name} {needed}, ")?;
        }
        write!(out, "scratch {}; nothing was changed", self.scratch)
    }
}

/// What was wrong, where, and what would be right. Every function with such an argument fills it, with zeros if there is no error; null is
/// allowed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_error {
    /// The status that the function returned.
    pub code: i32,
    /// The argument with the error, `DEM_ARGUMENT_*` among others; `dem_argument_string` names it.
    pub argument: u32,
    /// The first wrong item of that argument; 0 if it is not a list.
    pub index: u64,
    /// The component of that item (0, 1, 2 for x, y, z); 0 if it has none.
    pub component: u32,
    /// 0.
    pub reserved: u32,
    /// The number that would be enough (bytes, items), if it is known.
    pub needed: u64,
    /// The number that was given.
    pub given: u64,
    /// With `DEM_ERROR_CAPACITY` of scenes and worlds: all that is too small; else zeros. `argument` is the first of these.
    pub short_of: dem_shortage,
}

fixed!(dem_error {
    code: i32,
    argument: u32,
    index: u64,
    component: u32,
    reserved: u32,
    needed: u64,
    given: u64,
    short_of: dem_shortage,
});

impl From<Error> for dem_error {
    fn from(e: Error) -> Self {
        dem_error {
            code: e.kind as i32,
            argument: e.what as u32,
            index: e.index,
            component: e.component,
            reserved: 0,
            needed: e.needed,
            given: e.given,
            short_of: dem_shortage::default(),
        }
    }
}

impl dem_error {
    /// Back from C: an error, if the numbers mean one.
    fn known(&self) -> Option<Error> {
        let dem_error { code, argument, index, component, needed, given, .. } = *self;
        let (kind, what) = (Kind::from_code(code)?, What::from_number(argument)?);
        Some(Error { kind, what, index, component, needed, given })
    }
}

/// Bytes of the caller, filled up to their end; the bytes that do not fit are counted.
struct Text {
    to: *mut u8,
    capacity: usize,
    length: usize,
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        for &byte in s.as_bytes() {
            // One byte is kept for the zero.
            if self.length + 1 < self.capacity {
                // SAFETY: the caller of `dem_error_format` vouches for `capacity` bytes at `to`.
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
/// Cost: about a microsecond.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_error_format(
    error: *const dem_error,
    text: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> i32 {
    edge::call(core::ptr::null_mut(), || {
        // SAFETY: the caller vouches for a pointer that is not null.
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
            // SAFETY: the caller vouches for `capacity` bytes; the place is inside them.
            unsafe { text.add(if length <= capacity { length - 1 } else { 0 }).write(0) };
        }
        // SAFETY: the caller vouches for a pointer that is not null.
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
        let status = unsafe { dem_error_format(error, text.as_mut_ptr().cast(), capacity, &mut needed) };
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

    #[test]
    fn formatting_survives_misuse() {
        let error = dem_error::default();
        assert_eq!(format(&error, 8), (DEM_OK, b"done\0\x55\x55\x55".to_vec(), 5));
        assert_eq!(format(&error, 0), (DEM_ERROR_CAPACITY, vec![], 5));
        let strange = dem_error { code: -999, ..error };
        assert_eq!(format(&strange, DEM_ERROR_TEXT).0, DEM_ERROR_OUT_OF_RANGE);
        let null = core::ptr::null_mut();
        // SAFETY: null is refused.
        unsafe {
            assert_eq!(dem_error_format(null, null.cast(), 0, null.cast()), DEM_ERROR_NULL);
            assert_eq!(dem_error_format(&error, null.cast(), 5, null.cast()), DEM_ERROR_NULL);
        }
    }
}
