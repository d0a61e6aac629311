//! Errors, and what the caller does about each.

use core::ffi::CStr;

pub mod fields;
mod message;

/// A result with the [`Error`] of this crate.
pub type Result<T> = core::result::Result<T, Error>;

/// The kind of error. The numbers are the C status codes: explicit, negative, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Kind {
    /// A pointer is null but data is needed, or a world or a scene is empty.
    Null = -1,
    /// A pointer, a block or a stride has the wrong alignment.
    Misaligned = -2,
    /// A buffer is too small; `needed` is the size that is enough. Nothing was written.
    Capacity = -3,
    /// A number is NaN or infinite.
    NotFinite = -4,
    /// A number is outside its range (a negative halo, an unknown option, a zero quaternion).
    OutOfRange = -5,
    /// An index is not below the number of items: `given` is the index, `needed` the number of items.
    BadIndex = -6,
    /// A `struct_size` or a stride is too small, or asks for fields that this version does not know.
    BadSize = -7,
    /// The requested sizes exceed this machine's addresses or the format's 32-bit ids.
    TooLarge = -8,
    /// A block holds another component, another version of its format, or damaged bytes.
    Damaged = -9,
    /// A block is in use by another thread.
    Busy = -10,
    /// A panic interrupted an earlier call on this block; restore the block from a copy.
    Poisoned = -11,
    /// This machine or this build does not have this feature.
    Unsupported = -12,
    /// A defect of the library: please report it.
    Panic = -13,
    /// Arguments that do not belong together: arrays of different lengths, a tree and the mesh of another body.
    Mismatch = -14,
    /// Output memory overlaps input memory.
    Overlap = -15,
    /// Two items are the same but each must be different; `index` and `given` are their places.
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
    Indices = 5 "triangles",
    Mesh = 6 "mesh",
    Tree = 7 "tree",
    PoseA = 8 "pose_a",
    PoseB = 9 "pose_b",
    Halo = 10 "halo",
    Margin = 11 "margin",
    TrianglesA = 12 "a",
    TrianglesB = 13 "b",
    Points = 14 "points",
    Options = 15 "options",
    Isa = 16 "isa",
    Description = 17 "desc",
    Handle = 18 "handle",
    Executor = 19 "tasks",
    MeshA = 20 "a",
    MeshB = 21 "b",
    TreeA = 22 "tree of a",
    TreeB = 23 "tree of b",
    Bound = 24 "bound",
    Pairs = 25 "pairs",
    Halos = 26 "halos",
    Message = 27 "text",
    SegmentsA = 28 "a",
    SegmentsB = 29 "b",
    Count = 30 "count",
    Velocities = 31 "velocities",
    Distances = 32 "distance",
    PointsA = 33 "point_a",
    PointsB = 34 "point_b",
    Features = 35 "features",
    Triangles = 36 "triangles",
    WeightsA = 37 "weights_a",
    WeightsB = 38 "weights_b",
    Density = 39 "density",
    Pose = 40 "pose",
    Thresholds = 41 "thresholds",
    Verdicts = 42 "verdict",
    Exact = 43 "exact",
    LowerBounds = 44 "lower",
    ClosestPoints = 45 "point",
    SignedDistances = 46 "signed_distance",
    Normals = 47 "normal",
    Sides = 48 "side",
    Doubts = 49 "doubt",
    Winding = 50 "numbers",
    Cells = 51 "cells",
    CellsA = 52 "cells of a",
    CellsB = 53 "cells of b",
    Terms = 54 "terms",
    Contacts = 55 "contacts",
    LastContacts = 56 "last.contacts",
    BodyPairs = 57 "now.pairs",
    LastBodyPairs = 58 "last.pairs",
    Links = 59 "links",
    Events = 60 "events",
    Vectors = 61 "vectors",
    LastVectors = 62 "of_last",
    Bodies = 63 "bodies",
    ShapeA = 64 "a",
    ShapeB = 65 "b",
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
    MotionA = 76 "a",
    MotionB = 77 "b",
    Cones = 78 "cones",
    Lows = 79 "lows",
    Highs = 80 "highs",
    BoxTree = 81 "tree of boxes",
    Sweeps = 82 "sweeps",
    Shapes = 90 "shapes",
    ShapeNumbers = 91 "shape_of",
    Positions = 92 "positions",
    Orientations = 93 "orientations",
    Scales = 94 "scales",
    Generations = 95 "generations",
    Candidates = 96 "candidates",
    Scene = 97 "scene",
    Forces = 98 "forces",
    Torques = 99 "torques",
    Skin = 100 "skin",
    BodyVelocities = 101 "velocities",
    Spins = 102 "spins",
    Surfaces = 103 "surfaces",
    Ids = 104 "ids",
    Poses = 105 "poses",
    PairList = 106 "list",
    Nodes = 107 "nodes",
    Blends = 108 "blends",
    LastNodes = 109 "last.nodes",
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
    MarginContacts = 147 "margin_contacts",
    Acts = 148 "acts",
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
    Interactions = 176 "interactions",
    Order = 177 "order",
    Rotation = 178 "rotation",
    Asks = 179 "asks",
    Size = 180 "size",
    Damped = 181 "damped",
    PairContacts = 182 "pair_contacts",
    Springs = 183 "springs",
    Levels = 184 "levels",
    Query = 185 "query",
    Setup = 186 "setup",
    Member = 187 "member",
    Boxes = 188 "boxes",
    Motion = 189 "motion",
    Body = 190 "body",
    BodyPoseA = 191 "a.pose",
    BodyPoseB = 192 "b.pose",
    BodyMeshA = 193 "a.shape",
    BodyMeshB = 194 "b.shape",
    Results = 195 "results",
    Feature = 196 "feature",
    Triangle = 197 "triangle",
    Shape = 198 "shape",
    Posed = 199 "posed",
    Load = 200 "load",
    BodyPosition = 201 "body.position",
    BodyOrientation = 202 "body.orientation",
    BodyVelocity = 203 "body.velocity",
    BodySpin = 204 "body.angular_velocity",
    BodyMotion = 205 "body.motion",
    BodyMass = 206 "body.mass",
    BodyMoments = 207 "body.moments",
    BodyPose = 208 "body.pose",
    BallPairs = 209 "ball_pairs",
    BallContacts = 210 "ball_contacts",
    Id = 211 "id",
    Loose = 212 "loose",
    Threshold = 213 "threshold",
    Taken = 214 "taken",
    Normal = 215 "normal",
    Reach = 216 "reach",
    Torsion = 217 "torsion",
    MaterialA = 218 "a",
    MaterialB = 219 "b",
    Position = 220 "position",
    Restitution = 221 "restitution",
    Velocity = 222 "velocity",
    Area = 223 "area",
    Gap = 224 "gap",
    Pressure = 225 "pressure",
    Time = 226 "time",
    Stiffness = 227 "stiffness",
    Zeta = 228 "zeta",
    Tilt = 229 "tilt",
    Height = 230 "height",
    Blocks = 231 "blocks",
    Surface = 232 "surface",
    Origins = 233 "origins",
    Values = 234 "values",
    Material = 235 "material",
    MostDt = 236 "most_dt",
    Handles = 237 "handles",
    HalfLength = 238 "half_length",
    // Of generators of meshes.
    Eta = 239 "eta",
    Meridians = 240 "meridians",
    Bands = 241 "bands",
    Outline = 242 "outline",
    Small = 243 "small",
    Thread = 244 "thread",
    Clearance = 245 "clearance",
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

/// An error: its kind, the argument, the place in it, and the amounts. `Display` writes the message for the user, and
/// `Debug` the message with all fields behind it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Error {
    /// The kind of error.
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

    /// An array with a number type that is not allowed there. Both are numbers of types of the C interface; `taken` is the first type that
    /// is allowed.
    pub const fn number_type(what: What, taken: u32, given: u32) -> Self {
        Error::new(Kind::OutOfRange, what).amounts(taken as u64, given as u64)
    }
}

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
}
