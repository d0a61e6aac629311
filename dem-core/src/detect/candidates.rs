//! The candidates of a step, and all that their contacts depend on.

use super::bodies::Bodies;
use super::bounding_sphere::Ball;
use super::bounds_overlap::Overlap;
use super::ids::Ranks;
use super::images::Images;
use super::planes::Endless;
use super::shortage::Kinds;
use super::sphere_bounds::Spot;
use crate::broad::Candidate;
use crate::contact::Room;
use crate::contact::regions::Grouping;
use crate::exec::Executor;
use crate::memory::Layout;
use crate::pose::Pose;
use crate::simd::Isa;

/// Pairs that a host names.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    /// Twice the place of each candidate among the host's pairs, and 1 where the host's A is B.
    pub origins: &'a [u32],
    /// Poses of A and B of each of the host's pairs, unless they are those of the bodies.
    pub poses: Option<&'a [[Pose; 2]]>,
}

/// The candidates of a step.
pub(super) struct Candidates<'a> {
    pub exec: &'a dyn Executor,
    pub isa: Isa,
    /// By rank.
    pub bodies: &'a Bodies<'a>,
    pub ranks: Ranks<'a>,
    pub images: Images<'a>,
    pub spots: &'a [Spot],
    pub endless: Endless<'a>,
    /// The balls around shapes.
    pub balls: &'a [Ball],
    pub periods: [f64; 3],
    pub room: Room,
    pub grouping: Grouping,
    /// Length by which the sum of both halos is enlarged in this list of contacts.
    pub margin: f64,
    /// Whether contacts tell their energies, and second moments.
    pub energy: bool,
    pub spread: bool,
    pub most: usize,
    /// Room for the nodes of a pair.
    pub nodes: usize,
    /// Scratch of a thread.
    pub thread: Layout,
    pub candidates: &'a [Candidate],
    /// Where some may have bounds that do not meet.
    pub overlap: Option<Overlap<'a>>,
    /// What scratch has room for.
    pub kinds: Kinds,
    /// Whether the host gives more room when asked ([`Settings::grows`](super::Settings::grows)).
    pub sparing: bool,
    /// Where a host says which pairs: all of them are written, contacts or not.
    pub named: Option<Named<'a>>,
}
