//! The candidates of a step, and all inputs of their contacts.

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
    /// Twice the index of each candidate in the host's list, plus 1 if the host's A is B here.
    pub origins: &'a [u32],
    /// Poses of A and B for each of the host's pairs, if they differ from those of the bodies.
    pub poses: Option<&'a [[Pose; 2]]>,
}

/// The candidates of a step.
pub(super) struct Candidates<'a> {
    pub exec: &'a dyn Executor,
    pub isa: Isa,
    /// The bodies, ordered by rank.
    pub bodies: &'a Bodies<'a>,
    pub ranks: Ranks<'a>,
    pub images: Images<'a>,
    pub spots: &'a [Spot],
    pub endless: Endless<'a>,
    /// The spheres around the shapes.
    pub balls: &'a [Ball],
    pub periods: [f64; 3],
    pub room: Room,
    pub grouping: Grouping,
    /// Length by which the sum of both halos is enlarged in this list of contacts.
    pub margin: f64,
    /// Whether contacts have energies and second moments.
    pub energy: bool,
    pub spread: bool,
    pub most: usize,
    /// Room for the nodes of a pair.
    pub nodes: usize,
    /// Scratch of one thread.
    pub thread: Layout,
    pub candidates: &'a [Candidate],
    /// The current bounds, if the list has candidates whose bounds may not meet.
    pub overlap: Option<Overlap<'a>>,
    /// The kinds of pairs for which scratch has room.
    pub kinds: Kinds,
    /// Whether the host gives more room when asked ([`Settings::grows`](super::Settings::grows)).
    pub sparing: bool,
    /// The origins of pairs that a host names. All these pairs are written, with or without contacts.
    pub named: Option<Named<'a>>,
}
