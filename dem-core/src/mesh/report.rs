//! The vocabulary of an inspection: defects, counts, components.

use super::block::NONE;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The defects of a triangle, one of its sides or a vertex. A triangle has at most one of the first five.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Defect {
    /// A triangle with three equal corners. It behaves as a point.
    Point = 0,
    /// A triangle with two equal corners. It behaves as a segment.
    TwoEqual = 1,
    /// A triangle with three different corners on one line: its area is zero, exactly. It behaves as a segment.
    Collinear = 2,
    /// A triangle whose height is below [`InspectOptions::resolution`](super::InspectOptions::resolution).
    NearlyCollinear = 3,
    /// A triangle that is thinner than [`InspectOptions::needle`](super::InspectOptions::needle).
    Needle = 4,
    /// A triangle with the corners of an earlier one and the same orientation. `other` is the first one like it.
    Duplicate = 5,
    /// A triangle with the corners of an earlier one and the opposite orientation. `other` is the first one like it.
    ReversedCopy = 6,
    /// A triangle oriented against most of its component. If all of these are reversed, the component is consistent. If both orientations
    /// are equally frequent, a triangle oriented against the first one. Only for orientable components.
    ReversedTriangle = 7,
    /// A side that no other triangle shares (copies and triangles with two equal corners do not count).
    OpenEdge = 8,
    /// A side that three or more triangles share (copies do not count); all of them are listed.
    NonManifoldEdge = 11,
    /// A side with the same direction in both triangles; both are listed. `other` is the neighbour.
    InconsistentEdge = 14,
    /// A vertex of the input that no triangle uses.
    UnusedVertex = 17,
}

impl Defect {
    /// All of them.
    pub const ALL: [Defect; 12] = [
        Defect::Point,
        Defect::TwoEqual,
        Defect::Collinear,
        Defect::NearlyCollinear,
        Defect::Needle,
        Defect::Duplicate,
        Defect::ReversedCopy,
        Defect::ReversedTriangle,
        Defect::OpenEdge,
        Defect::NonManifoldEdge,
        Defect::InconsistentEdge,
        Defect::UnusedVertex,
    ];

    /// Its bit in the flags of a triangle; for a defect of sides, the lowest of three bits. [`Defect::UnusedVertex`] has none.
    pub const fn bit(self) -> u32 {
        self as u32
    }

    /// Whether it is a defect of sides, which a triangle may have three times.
    pub const fn is_of_sides(self) -> bool {
        matches!(self, Defect::OpenEdge | Defect::NonManifoldEdge | Defect::InconsistentEdge)
    }

    /// The defect with this number, if there is one.
    pub fn from_number(number: u32) -> Option<Defect> {
        Defect::ALL.into_iter().find(|d| *d as u32 == number)
    }
}

/// One place of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Finding {
    /// The triangle, or the vertex of [`Defect::UnusedVertex`].
    pub item: u32,
    /// For defects of sides, the side: from corner `side` to corner `side + 1`. Else [`NONE`].
    pub side: u32,
    /// The other triangle, if the defect has one. Else [`NONE`].
    pub other: u32,
}

impl Default for Finding {
    fn default() -> Self {
        Finding { item: NONE, side: NONE, other: NONE }
    }
}

/// The value of [`Report::self_intersections`] before a test.
pub const NOT_TESTED: u64 = u64::MAX;

/// The functions that work with a mesh: bits of [`Report::works`].
pub mod works {
    /// Distances, pairs within a distance, closest points: with every mesh.
    pub const DISTANCES: u64 = 1;
    /// Inside and outside. The surface is closed and consistently oriented: every edge has as many triangles in one direction as in the other,
    /// copies included.
    pub const INSIDE: u64 = 2;
    /// Mass properties without an uncertainty: as `INSIDE`, and the volume is not zero.
    pub const MASS: u64 = 4;
}

/// An inspection in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Report {
    /// Triangles.
    pub triangles: u64,
    /// Vertices of the input.
    pub vertices: u64,
    /// Different positions among the vertices.
    pub positions: u64,
    /// Triangles that are [`Defect::Point`].
    pub points: u64,
    /// Triangles that are [`Defect::TwoEqual`].
    pub two_equal: u64,
    /// Triangles that are [`Defect::Collinear`].
    pub collinear: u64,
    /// Triangles that are [`Defect::NearlyCollinear`].
    pub nearly_collinear: u64,
    /// Triangles that are [`Defect::Needle`].
    pub needles: u64,
    /// Triangles that are [`Defect::Duplicate`].
    pub duplicates: u64,
    /// Triangles that are [`Defect::ReversedCopy`].
    pub reversed_copies: u64,
    /// Triangles that are [`Defect::ReversedTriangle`].
    pub reversed_triangles: u64,
    /// Vertices that are [`Defect::UnusedVertex`].
    pub unused_vertices: u64,
    /// Edges of triangles with three different corners.
    pub edges: u64,
    /// Edges of one triangle, without copies: [`Defect::OpenEdge`].
    pub open_edges: u64,
    /// Connected sets of open edges: holes and rims. Sets that touch in a vertex count as one.
    pub open_loops: u64,
    /// Edges of three or more triangles, without copies: [`Defect::NonManifoldEdge`] lists each of their sides.
    pub non_manifold_edges: u64,
    /// Edges that both of their triangles have in the same direction: [`Defect::InconsistentEdge`] lists both sides.
    pub inconsistent_edges: u64,
    /// Edges with more triangles in one direction than in the other, including copies. If there are none, the surface is closed.
    pub unbalanced_edges: u64,
    /// Connected components of triangles and their neighbours.
    pub components: u64,
    /// Components that are [`Component::CLOSED`].
    pub closed_components: u64,
    /// Components that are [`Component::INWARD`]: hollows, or inverted bodies.
    pub inward_components: u64,
    /// Components that cannot be oriented consistently, such as a Moebius strip.
    pub non_orientable_components: u64,
    /// Pairs of triangles that intersect without being neighbours; [`NOT_TESTED`] before a test.
    pub self_intersections: u64,
    /// Bits of [`works`].
    pub works: u64,
}

/// A connected set of triangles and their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Component {
    /// Signed volume with all triangles in the orientation of the majority; 0 if the component is not orientable. For an open component, that of
    /// the component closed by a cone to the middle of the mesh.
    pub volume: f64,
    /// Area.
    pub area: f64,
    /// Its first triangle.
    pub first: u32,
    /// Number of its triangles.
    pub triangles: u32,
    /// Number of its triangles that are [`Defect::ReversedTriangle`].
    pub reversed: u32,
    /// Bits: [`Component::CLOSED`] and so on.
    pub state: u32,
}

impl Component {
    /// If its triangles have the orientation of the majority, every edge has as many triangles of one direction as of the other. (If they
    /// cannot be made to agree, an even number of them shares every edge.)
    pub const CLOSED: u32 = 1;
    /// Its triangles can be oriented so that all neighbours agree.
    pub const ORIENTABLE: u32 = 2;
    /// It is closed, and its volume is negative: most of its triangles look inward.
    pub const INWARD: u32 = 4;

    /// Whether its state has this bit.
    pub const fn is(&self, bit: u32) -> bool {
        self.state & bit != 0
    }
}

pub(super) fn set(flags: &mut [u32], triangle: u32, defect: Defect, side: u32) {
    if let Some(to) = flags.get_mut(triangle as usize) {
        *to |= 1 << (defect.bit() + side);
    }
}

pub(super) fn is_copy(flags: &[u32], triangle: u32) -> bool {
    let copy = 1 << Defect::Duplicate.bit() | 1 << Defect::ReversedCopy.bit();
    flags.get(triangle as usize).is_none_or(|f| f & copy != 0)
}
