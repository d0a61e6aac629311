//! What can go wrong, and what the caller does about it.

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
    /// A buffer is too small; `needed` says how much would do. Nothing was lost, nothing is half-done.
    Capacity = -3,
    /// A number is NaN or infinite.
    NotFinite = -4,
    /// A number is outside its range (a negative halo, an unknown option, a zero quaternion).
    OutOfRange = -5,
    /// An index points behind the end of what it indexes; `given` is the index, `needed` the number of items.
    BadIndex = -6,
    /// A `struct_size` or a stride is too small, or asks for fields that this version does not know.
    BadSize = -7,
    /// The sizes asked for do not fit this machine's addresses or the format's 32-bit ids.
    TooLarge = -8,
    /// A block holds something else, another version, or damaged bytes.
    Damaged = -9,
    /// A block is in use by another thread.
    Busy = -10,
    /// An earlier call on this block was cut short by a panic; restore it from a copy.
    Poisoned = -11,
    /// This machine or this build has no such feature.
    Unsupported = -12,
    /// A defect of the library: please report it.
    Panic = -13,
    /// Blocks that do not belong together (a tree and the mesh of another body).
    Mismatch = -14,
}

/// Which argument, buffer or part an [`Error`] speaks of. The numbers go out through the C interface and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[allow(missing_docs)] // each is the name of an argument; `name` spells it out
pub enum What {
    None = 0,
    Block = 1,
    Scratch = 2,
    Output = 3,
    Vertices = 4,
    Indices = 5,
    Mesh = 6,
    Tree = 7,
    PoseA = 8,
    PoseB = 9,
    Halo = 10,
    Margin = 11,
    TrianglesA = 12,
    TrianglesB = 13,
    Points = 14,
    Options = 15,
    Isa = 16,
    Description = 17,
    Handle = 18,
    Executor = 19,
    MeshA = 20,
    MeshB = 21,
    TreeA = 22,
    TreeB = 23,
    Bound = 24,
    Pairs = 25,
    Halos = 26,
    Message = 27,
    SegmentsA = 28,
    SegmentsB = 29,
    Count = 30,
    Velocities = 31,
}

impl What {
    /// The name that a message gives it.
    pub fn name(self) -> &'static str {
        match self {
            What::None => "argument",
            What::Block => "block",
            What::Scratch => "scratch",
            What::Output => "output",
            What::Vertices => "vertices",
            What::Indices => "indices",
            What::Mesh => "mesh",
            What::Tree => "tree",
            What::PoseA => "pose of A",
            What::PoseB => "pose of B",
            What::Halo => "halo",
            What::Margin => "margin",
            What::TrianglesA => "triangles of A",
            What::TrianglesB => "triangles of B",
            What::Points => "points",
            What::Options => "options",
            What::Isa => "instruction set",
            What::Description => "description",
            What::Handle => "handle",
            What::Executor => "executor",
            What::MeshA => "mesh A",
            What::MeshB => "mesh B",
            What::TreeA => "tree A",
            What::TreeB => "tree B",
            What::Bound => "upper bound",
            What::Pairs => "pairs",
            What::Halos => "halos",
            What::Message => "message buffer",
            What::SegmentsA => "segments of A",
            What::SegmentsB => "segments of B",
            What::Count => "count",
            What::Velocities => "velocities",
        }
    }
}

/// An error: what, where, and how much would have been right. `Display` writes the sentence for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    /// What went wrong.
    pub kind: Kind,
    /// Which argument it went wrong with.
    pub what: What,
    /// Index of the first offending item in it; 0 where there is no list.
    pub index: u64,
    /// Component of that item (0, 1, 2 for x, y, z); 0 where there is none.
    pub component: u32,
    /// What would have been enough (bytes, items), where that is known.
    pub needed: u64,
    /// What was given.
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

    /// The same error, about one item of a list.
    pub const fn at(self, index: u64, component: u32) -> Self {
        Error { index, component, ..self }
    }

    /// The same error, with what was needed and what was given.
    pub const fn amounts(self, needed: u64, given: u64) -> Self {
        Error { needed, given, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = what.name();
        match self.kind {
            Kind::Null => write!(f, "{name}: the pointer is null; pass valid memory"),
            Kind::Misaligned => {
                write!(f, "{name}: address or stride is not a multiple of {needed} bytes; align it")
            }
            Kind::Capacity => write!(
                f,
                "{name}: {needed} needed, {given} given; call again with at least {needed}, nothing was changed"
            ),
            Kind::NotFinite => {
                write!(f, "{name}: component {component} of item {index} is NaN or infinite; nothing was changed")
            }
            Kind::OutOfRange => write!(
                f,
                "{name}: item {index}, component {component}, is outside its range; see the function's comment"
            ),
            Kind::BadIndex => write!(
                f,
                "{name}: item {index}, component {component}, is {given}, but there are only {needed}; nothing was changed"
            ),
            Kind::BadSize => write!(
                f,
                "{name}: size {given} where {needed} was expected; fill the struct with its init function, or match header and library"
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
            Kind::Unsupported => {
                write!(f, "{name}: not available on this machine or in this build")
            }
            Kind::Panic => write!(f, "{name}: the library met a defect of its own; please report it"),
            Kind::Mismatch => write!(f, "{name}: does not belong to the other arguments; pass what it was built from"),
        }
    }
}

impl core::error::Error for Error {}
