//! What can go wrong, and what the caller does about it.

use core::ffi::CStr;
use core::fmt;

/// Short for a result of this crate.
pub type Result<T> = core::result::Result<T, Error>;

/// What went wrong. The numbers are the C status codes: explicit, negative, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Kind {
    /// A pointer is null where data is needed.
    Null = -1,
    /// A pointer, a block or a stride is not aligned as it must be.
    Misaligned = -2,
    /// A buffer is too small; `needed` is the size that suffices. Nothing was written.
    Capacity = -3,
    /// A number is NaN or infinite.
    NotFinite = -4,
    /// A number is outside its range (a negative halo, an unknown option, a zero quaternion).
    OutOfRange = -5,
    /// An index is not below the number of items: `given` is the index, `needed` the number of items.
    BadIndex = -6,
    /// A `struct_size` or a stride is too small, or asks for fields that this version does not know.
    BadSize = -7,
    /// The sizes asked for do not fit this machine's addresses or the format's 32-bit ids.
    TooLarge = -8,
    /// A block holds another component, another version of its format, or damaged bytes.
    Damaged = -9,
    /// A block is in use by another thread.
    Busy = -10,
    /// A panic interrupted an earlier call on this block; restore the block from a copy.
    Poisoned = -11,
    /// This machine or this build has no such feature.
    Unsupported = -12,
    /// A defect of the library: please report it.
    Panic = -13,
    /// Arguments that do not belong together: arrays of different lengths, a tree and the mesh of another body.
    Mismatch = -14,
    /// Memory that is to be written overlaps memory that is to be read.
    Overlap = -15,
    /// Two items are the same where each must be different; `index` and `given` are both places.
    Duplicate = -16,
}

impl Kind {
    /// All kinds, from -1 downwards.
    pub const ALL: &[Kind] = &[
        Kind::Null,
        Kind::Misaligned,
        Kind::Capacity,
        Kind::NotFinite,
        Kind::OutOfRange,
        Kind::BadIndex,
        Kind::BadSize,
        Kind::TooLarge,
        Kind::Damaged,
        Kind::Busy,
        Kind::Poisoned,
        Kind::Unsupported,
        Kind::Panic,
        Kind::Mismatch,
        Kind::Overlap,
        Kind::Duplicate,
    ];

    /// The kind with this status code.
    pub fn from_code(code: i32) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|k| *k as i32 == code)
    }
}

/// Makes [`What`] and its names from one list.
macro_rules! arguments {
    ($($variant:ident = $number:literal $name:literal,)*) => {
        /// The argument, buffer or part that an [`Error`] is about. The numbers are part of the C interface and are
        /// never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[allow(missing_docs)] // each is the name of an argument; `name` spells it out
        pub enum What {
            $($variant = $number,)*
        }

        impl What {
            /// All arguments, ordered by number.
            pub const ALL: &[What] = &[$(What::$variant,)*];

            /// The name of the argument in messages, with a zero byte at the end for C.
            const fn text(self) -> &'static str {
                match self {
                    $(What::$variant => concat!($name, "\0"),)*
                }
            }
        }
    };
}

arguments! {
    None = 0 "argument",
    Block = 1 "block",
    Scratch = 2 "scratch",
    Output = 3 "output",
    Vertices = 4 "vertices",
    Indices = 5 "indices",
    Mesh = 6 "mesh",
    Tree = 7 "tree",
    PoseA = 8 "pose of A",
    PoseB = 9 "pose of B",
    Halo = 10 "halo",
    Margin = 11 "margin",
    TrianglesA = 12 "triangles of A",
    TrianglesB = 13 "triangles of B",
    Points = 14 "points",
    Options = 15 "options",
    Isa = 16 "instruction set",
    Description = 17 "description",
    Handle = 18 "handle",
    Executor = 19 "executor",
    MeshA = 20 "mesh A",
    MeshB = 21 "mesh B",
    TreeA = 22 "tree A",
    TreeB = 23 "tree B",
    Bound = 24 "upper bound",
    Pairs = 25 "pairs",
    Halos = 26 "halos",
    Message = 27 "message buffer",
    SegmentsA = 28 "segments of A",
    SegmentsB = 29 "segments of B",
    Count = 30 "count",
    Velocities = 31 "velocities",
    Distances = 32 "distances",
    PointsA = 33 "points on A",
    PointsB = 34 "points on B",
    Features = 35 "features",
    Triangles = 36 "triangles",
    WeightsA = 37 "weights on A",
    WeightsB = 38 "weights on B",
    Density = 39 "density",
    Pose = 40 "pose",
    Thresholds = 41 "thresholds",
    Verdicts = 42 "verdicts",
    Exact = 43 "exact flags",
    LowerBounds = 44 "lower bounds",
    ClosestPoints = 45 "closest points",
    SignedDistances = 46 "signed distances",
    Normals = 47 "normals",
    Sides = 48 "sides",
    Doubts = 49 "doubts",
    Winding = 50 "winding numbers",
    Cells = 51 "cells",
    CellsA = 52 "cells of A",
    CellsB = 53 "cells of B",
    Terms = 54 "terms",
    Contacts = 55 "contacts",
    LastContacts = 56 "contacts of the last step",
    BodyPairs = 57 "body pairs",
    LastBodyPairs = 58 "body pairs of the last step",
    Links = 59 "links",
    Events = 60 "events",
    Vectors = 61 "vectors",
    LastVectors = 62 "vectors of the last step",
    Bodies = 63 "bodies",
    ShapeA = 64 "shape of A",
    ShapeB = 65 "shape of B",
    Segments = 66 "segments of the curve of intersection",
    Centres = 67 "centres",
    Radii = 68 "radii",
    Groups = 69 "groups",
    Masks = 70 "masks",
    Motions = 71 "motions",
    Periods = 72 "periods",
    CellSizes = 73 "cell sizes",
    Grid = 74 "grid",
    Scale = 75 "scale",
    MotionA = 76 "motion of A",
    MotionB = 77 "motion of B",
    Cones = 78 "cones of patches",
    Lows = 79 "low sides of boxes",
    Highs = 80 "high sides of boxes",
    BoxTree = 81 "tree of boxes",
    Sweeps = 82 "sweeps",
    Shapes = 90 "shapes",
    ShapeNumbers = 91 "shape_of",
    Positions = 92 "positions",
    Orientations = 93 "orientations",
    Scales = 94 "scales",
    Generations = 95 "generations",
    Candidates = 96 "candidate pairs of bodies",
    Scene = 97 "scene",
    Forces = 98 "forces",
    Torques = 99 "torques",
    Skin = 100 "skin",
    BodyVelocities = 101 "velocities of bodies",
    Spins = 102 "spins of bodies",
    Surfaces = 103 "surfaces",
    Ids = 104 "ids",
    Poses = 105 "poses",
    PairList = 106 "list of near triangles",
    Nodes = 107 "nodes",
    Blends = 108 "blends",
    LastNodes = 109 "nodes of the last step",
    Stored = 121 "stored",
    Preset = 122 "preset",
    FanOut = 123 "fan_out",
    Leaf = 124 "leaf",
    How = 125 "how",
    Precision = 126 "precision",
    Scheme = 127 "scheme",
    Criterion = 128 "criterion",
    SweepLimit = 129 "sweeps",
    Fallback = 130 "fallback",
    Batch = 131 "batch",
    ExactContacts = 132 "exact_contacts",
    Kappa = 133 "kappa",
    Rho = 134 "rho",
    C = 135 "c",
    Unit = 136 "unit",
    Witness = 137 "witness",
    Dimensions = 138 "dimensions",
    Resolution = 139 "resolution",
    Needle = 140 "needle",
    Flat = 141 "flat",
    Carried = 142 "kind",
    Which = 143 "which",
    Angle = 144 "angle",
    Law = 145 "law",
    Grouping = 146 "grouping",
    MarginContacts = 147 "contacts within the margin",
    Acts = 148 "what acts at contacts",
    Mass = 160 "mass",
    Moments = 161 "moments",
    TimeStep = 162 "dt",
    Gravity = 163 "gravity",
    Wrenches = 164 "wrenches",
    World = 165 "world",
    Phase = 166 "step of the world",
    Window = 167 "window",
    Materials = 168 "materials",
    Rays = 169 "rays",
    Edges = 170 "edges",
    Radius = 171 "radius",
    Length = 172 "length",
    Sagitta = 173 "sagitta",
    Facets = 174 "facets",
    List = 175 "list",
}

impl What {
    /// The name of the argument in messages.
    pub fn name(self) -> &'static str {
        self.c_name().to_str().unwrap_or("")
    }

    /// [`What::name`] as a C string.
    pub fn c_name(self) -> &'static CStr {
        CStr::from_bytes_until_nul(self.text().as_bytes()).unwrap_or(c"")
    }

    /// The argument with this number.
    pub fn from_number(number: u32) -> Option<What> {
        What::ALL.iter().copied().find(|what| *what as u32 == number)
    }
}

/// An error: its kind, the argument, the place in it, and the amounts. `Display` writes the message for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    /// What went wrong.
    pub kind: Kind,
    /// The argument that is wrong.
    pub what: What,
    /// Index of the first wrong item of the argument; 0 where the argument is no list.
    pub index: u64,
    /// Component of the wrong item (0, 1, 2 for x, y, z); 0 where items have no components.
    pub component: u32,
    /// The size that would have sufficed (bytes or items), where it is known.
    pub needed: u64,
    /// The size, index or number that was given.
    pub given: u64,
}

impl Error {
    /// An error about `what` as a whole.
    pub const fn new(kind: Kind, what: What) -> Self {
        Error { kind, what, index: 0, component: 0, needed: 0, given: 0 }
    }

    /// A buffer that is too small.
    pub const fn capacity(what: What, needed: u64, given: u64) -> Self {
        Error { needed, given, ..Error::new(Kind::Capacity, what) }
    }

    /// This error with the place of the wrong item.
    pub const fn at(self, index: u64, component: u32) -> Self {
        Error { index, component, ..self }
    }

    /// This error with the needed and the given amount.
    pub const fn amounts(self, needed: u64, given: u64) -> Self {
        Error { needed, given, ..self }
    }

    /// An array whose numbers are of a type that is not taken there, by the numbers of types that the C interface has; of types that are
    /// taken the first one.
    pub const fn number_type(what: What, taken: u32, given: u32) -> Self {
        Error::new(Kind::OutOfRange, what).amounts(taken as u64, given as u64)
    }

    /// The valid range behind a [`Kind::OutOfRange`], where it is the same for all functions.
    fn range(&self) -> Option<&'static str> {
        match (self.what, self.component) {
            (What::PoseA | What::PoseB | What::Pose, _) | (What::Orientations, 3) => {
                Some("the quaternion is zero; no rotation is 0 0 0 1")
            }
            (What::Halo | What::Margin | What::Skin, _) => Some("must not be negative"),
            (What::Bound, _) => Some("must not be negative; infinity is none at all"),
            (What::Rays, 6) => Some("must not be negative; infinity is none at all"),
            (What::Rays, 7) => Some("reserved must be 0"),
            (What::Rays, 3) => Some("must be from 2^-200 to 2^200 long, and not zero"),
            (What::Rays, _) => Some("is more than 2^400 from the origin, or too far for the units of the mesh"),
            (What::List, _) => Some("must be 0 (contacts) or 1 (contacts within the margin)"),
            (What::PairList, _) => Some("the bodies have moved by more than its margin; make it anew"),
            (What::Density, _) => Some("must be larger than 0"),
            (What::Mass, _) => {
                Some("of a dynamic body must be from 2^-100 to 2^100; make a body that has none static or kinematic")
            }
            (What::Moments, _) => {
                Some("of a dynamic body must be from 2^-100 to 2^100, and none larger than the sum of the other two")
            }
            (What::TimeStep, _) => Some("must be larger than 0, from 2^-100 to 2^100"),
            (What::Gravity | What::Wrenches | What::Positions | What::BodyVelocities | What::Spins, _) => {
                Some("is larger than 2^100; take other units, or look where it came from")
            }
            (What::Centres, _) => {
                Some("is farther than 2^400 from the origin, or more than 4096 periods; wrap it into the box")
            }
            (What::Radii, _) => Some("must not be negative, at most 2^400, and the diameter at most 64 periods"),
            (What::Scales, _) => Some("must be larger than 0"),
            (What::Halos, _) => Some("must not be negative"),
            (What::Motions, _) => Some("must be 0 (dynamic), 1 (kinematic), 2 (static) or 3 (ghost)"),
            (What::Periods, _) => Some("must be lengths, or 0 where an axis is open"),
            (What::Lows, _) => Some("is too far from the origin, or more than 4096 periods"),
            (What::Highs, _) => {
                Some("is below the low side, too far from the origin, or more than 64 periods from the low side")
            }
            (What::CellSizes, _) => Some("must be lengths in increasing order, the last one that of the largest body"),
            (What::Mesh, _) => {
                Some("has no vertex, or is too large or too small for its numbers; take another unit of length")
            }
            (What::ShapeA | What::ShapeB | What::Shapes, component) => match component {
                0 => Some("the radius must not be negative"),
                1 => Some("the halo must not be negative"),
                2 => Some("the scale must be larger than 0"),
                3..=9 => Some("the quaternion is zero; no rotation is 0 0 0 1"),
                10 => Some("the kind is none of those that there are"),
                11 => Some("solid must be 0 or 1"),
                12 => Some("a reserved field must be 0"),
                _ => None,
            },
            (What::Stored, _) => Some("must be DEM_F32 (1) or DEM_F64 (2)"),
            (What::Precision, _) => Some("must be DEM_F32 (1), DEM_F64 (2), or 0 for that of the arrays"),
            (What::Preset, _) => Some("must be DEM_PRESET_FAST (1), _DEFAULT (2) or _BEST (3)"),
            (What::FanOut, _) => Some("must be 2 to 64"),
            (What::Leaf, _) => Some("must be 1 to 64"),
            (What::How, _) => Some("must be DEM_REFIT_HALOS (1) or DEM_REFIT_SURROGATES (2)"),
            (What::Scheme, _) => Some("must be DEM_SCHEME_SPLITTING (1), _NEWTON (2) or _PROJECTED (3)"),
            (What::Criterion, _) => Some("must be DEM_CRITERION_FUNCTIONAL (1), _CONTACT_POINT (2) or _CERTIFIED (3)"),
            (What::SweepLimit, _) => Some("must be at most 1000"),
            (What::Fallback, _) => Some("must be DEM_FALLBACK_NONE (0), _PAIRS (1) or _BATCHES (2)"),
            (What::Batch, _) => Some("must be 1, 2, 4, 8 or 16"),
            (What::ExactContacts, _) => Some("must be 0 or 1"),
            (What::Kappa | What::Rho | What::C | What::Unit | What::Resolution | What::Needle | What::Flat, _) => {
                Some("must be finite and not negative")
            }
            (What::Witness, _) => Some("must be DEM_WITNESS_DEFINITE (0) or DEM_WITNESS_ANY (1)"),
            (What::Dimensions, _) => Some("must be 2 or 3"),
            (What::Carried, _) => Some("must be one of DEM_CARRY_*"),
            (What::Which, _) => Some("must be DEM_BODY_A (0) or DEM_BODY_B (1)"),
            (What::Angle, _) => Some("must be between 0 and pi"),
            (What::Cells, _) => Some("must be 0 or 1"),
            (What::Grouping, _) => Some("must be one of DEM_GROUPING_*"),
            (What::Law, _) => Some("must be DEM_LAW_FACING (0), DEM_LAW_VOLUME (1) or DEM_LAW_AUTO (2)"),
            (What::Scale, _) | (What::MotionA | What::MotionB | What::Surfaces, 9) => {
                Some("must be between 2^-500 and 2^500")
            }
            _ => None,
        }
    }
}

/// Messages of kinds that have several.
impl Error {
    fn out_of_range(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = Name(self);
        if let (Some(taken), 0, 0) = (types_from(needed), index, component) {
            let names = ["float", "double", "int32_t", "uint32_t", "uint64_t"];
            let found = names.get(given.wrapping_sub(1) as usize).unwrap_or(&"of an unknown type");
            return write!(f, "{name}: the numbers are {found} and must be {taken}; set the array's type");
        }
        if (index, component, needed) == (0, 0, 0) && given != 0 {
            return write!(f, "{name}: reserved is {given} and must be 0; call the init function first");
        }
        // Item 0, component 0 is also the place of an error about the whole array.
        let whole = if index == 0 && component == 0 {
            "; or the array's type, or a reserved field of it, is wrong"
        } else {
            ""
        };
        match (what, self.range()) {
            (What::Centres | What::Radii | What::Motions | What::Lows | What::Highs, Some(range)) => {
                write!(f, "{name}: item {index}, component {component}, {range}{whole}")
            }
            (What::Scales | What::Halos, Some(range)) => write!(f, "{name}: item {index} {range}{whole}"),
            (What::Orientations, Some(range)) => write!(f, "{name}: item {index}, {range}"),
            (_, Some(range)) => write!(f, "{name}: {range}"),
            (What::Triangles, None) => write!(f, "{name}: there must be at least one{whole}"),
            (_, None) if index == 0 && component == 0 => write!(
                f,
                "{name}: the type, a reserved field, or the first number is outside its range; see the function's comment"
            ),
            (_, None) => {
                write!(
                    f,
                    "{name}: item {index}, component {component}, is outside its range; see the function's comment"
                )
            }
        }
    }

    fn mismatch(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, needed, given, .. } = *self;
        let name = Name(self);
        match what {
            _ if needed != given => {
                write!(f, "{name}: {given} items where {needed} would match the other arguments; nothing was changed")
            }
            What::Vertices if index > 0 => write!(
                f,
                "{name}: item {index} does not stay with those it is joined to; move them together or build anew"
            ),
            _ => write!(f, "{name}: does not belong to the other arguments; pass what it was built from"),
        }
    }
}

/// The types that are taken, by the first of them: see [`Error::number_type`].
fn types_from(first: u64) -> Option<&'static str> {
    match first {
        1 => Some("float or double"),
        3 => Some("int32_t or uint32_t"),
        5 => Some("uint64_t"),
        _ => None,
    }
}

/// The name of an argument, with the part of the compound or the item of the list that is wrong.
struct Name<'e>(&'e Error);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.what.name())?;
        match (self.0.what, self.0.index) {
            // For shapes the kind says whether the error is about one item or about the list.
            (What::Shapes, item) if matches!(self.0.kind, Kind::OutOfRange | Kind::Unsupported) => {
                write!(f, ", item {item}")
            }
            (What::Cells, item) if self.0.kind == Kind::Unsupported => write!(f, " of shape {item}"),
            (_, 0) => Ok(()),
            (What::ShapeA | What::MeshA | What::CellsA | What::ShapeB | What::MeshB | What::CellsB, part) => {
                write!(f, ", part {part}")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = Name(self);
        match self.kind {
            Kind::Null => write!(f, "{name}: the pointer is null; pass valid memory"),
            Kind::Misaligned => {
                write!(f, "{name}: address or stride is not a multiple of {needed} bytes; align it")
            }
            Kind::Capacity => write!(
                f,
                "{name}: {needed} needed, {given} given; call again with at least {needed}, nothing was changed"
            ),
            Kind::NotFinite if what == What::Bound => {
                write!(f, "{name}: is NaN, or infinite where an end is needed; pass a number")
            }
            Kind::NotFinite if what == What::Acts => {
                let part = match component {
                    0..3 => "force",
                    3..6 => "torque",
                    _ => "springs",
                };
                write!(
                    f,
                    "{name}: the law's {part} at contact {index} of bodies {needed} and {given} is NaN or infinite; mend the law or the step"
                )
            }
            Kind::NotFinite => {
                write!(f, "{name}: component {component} of item {index} is NaN or infinite; nothing was changed")
            }
            Kind::OutOfRange => self.out_of_range(f),
            Kind::BadIndex if matches!(what, What::BodyPairs | What::LastBodyPairs) => {
                write!(
                    f,
                    "{name}: contact {index} has the tag {given}, but none of the {needed} has it; add its bodies"
                )
            }
            Kind::BadIndex if what == What::Handle => {
                write!(f, "{name}: there is no such body, or it has left slot {given}; nothing was changed")
            }
            Kind::BadIndex => write!(
                f,
                "{name}: item {index}, component {component}, is {given}, which is none of the {needed} that there are, counted from the array's base; nothing was changed"
            ),
            Kind::BadSize => write!(
                f,
                "{name}: {given} bytes where {needed} are expected; call the init function, which sets struct_size; strides are in bytes"
            ),
            Kind::TooLarge => write!(f, "{name}: {given} is more than the limit of {needed}"),
            Kind::Damaged => write!(
                f,
                "{name}: not a block of this kind and version, or damaged (place {index}); build it again or restore a copy"
            ),
            Kind::Busy => write!(f, "{name}: in use by another thread; wait for that call, or use a copy"),
            Kind::Poisoned => {
                write!(f, "{name}: an earlier call on it was cut short by a panic; restore a copy or build it again")
            }
            Kind::Unsupported if matches!(what, What::CellsA | What::CellsB | What::Cells) => {
                write!(f, "{name}: the shape was built without them; set `cells` to 1 in its description")
            }
            Kind::Unsupported if matches!(what, What::ShapeA | What::ShapeB | What::Shapes) => {
                write!(f, "{name}: a compound has no compounds as parts")
            }
            Kind::Unsupported if what == What::Phase => {
                const PHASES: [&str; 8] = [
                    "between steps: begin one first",
                    "at the search for contacts: poll",
                    "at the law: poll",
                    "at the law of the host: fill it and poll",
                    "at the loads: poll",
                    "at the moving of bodies: poll",
                    "complete: accept or abandon it first",
                    "stuck, since bodies are too fast for it: abandon it and begin a shorter one",
                ];
                let stands = PHASES.get(index as usize).unwrap_or(&"at no phase that there is");
                write!(f, "the call does not fit to where the step stands, which is {stands}; nothing was changed")
            }
            Kind::Unsupported if what == What::Window => {
                write!(
                    f,
                    "{name}: advance is within one; call it again with more room, or abandon it; nothing was changed"
                )
            }
            Kind::Unsupported => {
                write!(f, "{name}: not available on this machine or in this build; see what the library lists")
            }
            Kind::Panic => write!(f, "{name}: the library met a defect of its own; please report it"),
            Kind::Mismatch => self.mismatch(f),
            Kind::Duplicate => write!(
                f,
                "{name}: items {index} and {given} are the same, and each must be different; nothing was changed"
            ),
            Kind::Overlap => write!(f, "{name}: overlaps another argument's memory; keep them apart"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_what_they_were_given_to() {
        assert!(What::ALL.is_sorted_by(|a, b| (*a as u32) < *b as u32), "each number once");
        for what in What::ALL {
            assert!(!what.name().is_empty());
            assert_eq!(What::from_number(*what as u32), Some(*what));
        }
        for (i, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as i32, -1 - i as i32);
            assert_eq!(Kind::from_code(*kind as i32), Some(*kind));
        }
        assert_eq!(What::from_number(u32::MAX), None);
        assert_eq!(Kind::from_code(0), None);
        assert_eq!(Kind::from_code(-1 - Kind::ALL.len() as i32), None);
    }

    #[test]
    fn sentences_tell_what_to_do() {
        // Without a heap there is no String: the message is compared piece by piece.
        struct Rest<'a>(&'a str);
        impl fmt::Write for Rest<'_> {
            fn write_str(&mut self, piece: &str) -> fmt::Result {
                self.0 = self.0.strip_prefix(piece).ok_or(fmt::Error)?;
                Ok(())
            }
        }
        let says = |error: Error, sentence| {
            let mut rest = Rest(sentence);
            assert!(fmt::write(&mut rest, format_args!("{error}")).is_ok() && rest.0.is_empty(), "{}", rest.0);
        };
        let range = |what, component| Error::new(Kind::OutOfRange, what).at(0, component);
        says(range(What::PoseA, 3), "pose of A: the quaternion is zero; no rotation is 0 0 0 1");
        says(range(What::Halo, 0), "halo: must not be negative");
        says(
            range(What::Orientations, 3).at(5, 3),
            "orientations: item 5, the quaternion is zero; no rotation is 0 0 0 1",
        );
        says(
            range(What::Vertices, 0),
            "vertices: the type, a reserved field, or the first number is outside its range; see the function's comment",
        );
        says(
            range(What::Motions, 0).at(3, 0),
            "motions: item 3, component 0, must be 0 (dynamic), 1 (kinematic), 2 (static) or 3 (ghost)",
        );
        says(range(What::ShapeB, 2), "shape of B: the scale must be larger than 0");
        says(range(What::ShapeB, 2).at(7, 2), "shape of B, part 7: the scale must be larger than 0");
        says(range(What::Shapes, 0), "shapes, item 0: the radius must not be negative");
        says(range(What::Scales, 0).at(5, 0), "scales: item 5 must be larger than 0");
        says(
            range(What::Halos, 0),
            "halos: item 0 must not be negative; or the array's type, or a reserved field of it, is wrong",
        );
        says(
            range(What::Triangles, 0),
            "triangles: there must be at least one; or the array's type, or a reserved field of it, is wrong",
        );
        says(
            Error::number_type(What::ShapeNumbers, 3, 2),
            "shape_of: the numbers are double and must be int32_t or uint32_t; set the array's type",
        );
        says(
            Error::number_type(What::Positions, 1, 77),
            "positions: the numbers are of an unknown type and must be float or double; set the array's type",
        );
        says(
            Error::new(Kind::OutOfRange, What::Scales).amounts(0, 7),
            "scales: reserved is 7 and must be 0; call the init function first",
        );
        says(range(What::Preset, 0), "preset: must be DEM_PRESET_FAST (1), _DEFAULT (2) or _BEST (3)");
        says(range(What::Periods, 0), "periods: must be lengths, or 0 where an axis is open");
        says(
            Error::new(Kind::Duplicate, What::Ids).at(7, 0).amounts(0, 3),
            "ids: items 7 and 3 are the same, and each must be different; nothing was changed",
        );
        says(
            Error::new(Kind::Mismatch, What::CellsA).at(2, 0),
            "cells of A, part 2: does not belong to the other arguments; pass what it was built from",
        );
        says(
            Error::new(Kind::BadIndex, What::Indices).at(7, 1).amounts(441, 0),
            "indices: item 7, component 1, is 0, which is none of the 441 that there are, counted from the array's base; nothing was changed",
        );
        says(
            Error::new(Kind::BadIndex, What::BodyPairs).at(2, 0).amounts(1, 77),
            "body pairs: contact 2 has the tag 77, but none of the 1 has it; add its bodies",
        );
        says(
            Error::new(Kind::NotFinite, What::Bound),
            "upper bound: is NaN, or infinite where an end is needed; pass a number",
        );
        says(
            Error::new(Kind::NotFinite, What::Acts).at(4, 5).amounts(7, 9),
            "what acts at contacts: the law's torque at contact 4 of bodies 7 and 9 is NaN or infinite; mend the law or the step",
        );
        says(Error::new(Kind::Unsupported, What::ShapeB), "shape of B: a compound has no compounds as parts");
        says(
            Error::new(Kind::Unsupported, What::Cells).at(2, 0),
            "cells of shape 2: the shape was built without them; set `cells` to 1 in its description",
        );
        says(
            Error::new(Kind::Unsupported, What::CellsB),
            "cells of B: the shape was built without them; set `cells` to 1 in its description",
        );
        says(
            Error::new(Kind::Unsupported, What::Shapes).at(2, 0),
            "shapes, item 2: a compound has no compounds as parts",
        );
    }
}
