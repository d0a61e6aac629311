//! Constants and structs of status and errors.

use core::fmt::Write;

use dem_core::error::{Error, Kind, What};

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

/// `argument` of a `DEM_ERROR_CAPACITY`: scratch.
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

/// What a call on a scene or a world had too little room for: of each kind a number that is enough, or 0 if there was enough. A field has the name of
/// the field that sets this room. Some needs are known only when other room is enough. If two bodies have too little room for triangles, `contacts`
/// and `nodes` are lower bounds, and the next error counts them. A call that lacks scratch has not begun. Then `bodies`, `nodes` and `pairs` are
/// estimates like those of dem_scene_room, and so are `candidates` and `contacts` of a world without room for records. The next call may still lack
/// other room.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_shortage {
    /// `bodies` of `dem_scene_desc` or `dem_world_desc`. The fields down to `ball_contacts` are fields of these structs, too.
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
    pub(super) fn sizes(&self) -> [(&'static str, u64); 10] {
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

    /// Writes a sentence that names all room that was too small.
    pub(super) fn tell(&self, out: &mut impl Write) -> core::fmt::Result {
        write!(out, "too little room; enough would be: ")?;
        let all = self.sizes().into_iter().chain([("scratch", self.scratch)]);
        for (k, (name, needed)) in all.filter(|(_, needed)| *needed > 0).enumerate() {
            write!(out, "{}{name} {needed}", if k > 0 { ", " } else { "" })?;
        }
        write!(out, "; nothing was changed")
    }
}

/// What was wrong, where, and what would be right. Every function with an argument `error` fills it, with zeros if there is no error. The
/// argument may be null.
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
    /// Converts the numbers back to an error; `None` if they have no meaning.
    pub(super) fn known(&self) -> Option<Error> {
        let dem_error { code, argument, index, component, needed, given, .. } = *self;
        let (kind, what) = (Kind::from_code(code)?, What::from_number(argument)?);
        Some(Error { kind, what, index, component, needed, given })
    }
}
