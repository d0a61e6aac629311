//! Records of matching: steps, links, blends, events.

use core::ops::Range;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::contact::{Contact, Node};
use crate::mesh::NONE;
use crate::pose::Pose;

/// A body pair, with the poses for which its contacts were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct BodyPair {
    /// First half of the keys of the pair's contacts.
    pub tag: u64,
    /// Pose of A.
    pub pose_a: Pose,
    /// Pose of B.
    pub pose_b: Pose,
}

impl BodyPair {
    /// Poses of A and B.
    pub(super) fn poses(&self) -> [Pose; 2] {
        [self.pose_a, self.pose_b]
    }
}

/// The contacts of a step, of any number of body pairs.
pub trait StepContacts {
    /// Number of contacts.
    fn len(&self) -> usize;
    /// Whether there are no contacts.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Contact `i`; they are ordered by key.
    fn contact(&self, i: usize) -> Contact;
    /// Key of contact `i`.
    fn key(&self, i: usize) -> [u64; 2] {
        self.contact(i).key
    }
    /// Position of contact `i`.
    fn position(&self, i: usize) -> [f64; 3] {
        self.contact(i).position
    }
    /// Number of body pairs. Each tag of a contact must be the tag of one of them.
    fn pairs(&self) -> usize;
    /// Body pair `i`; they are ordered by tag, and no tag occurs twice.
    fn pair(&self, i: usize) -> BodyPair;
    /// Tag of body pair `i`.
    fn tag(&self, i: usize) -> u64 {
        self.pair(i).tag
    }
    /// The nodes of all contacts, ordered by body pair, then by features; [`Node::contact`] is the index in this step. A body pair has the
    /// nodes of all its contacts, or none. If it has none, each of its contacts is one node, with the features of its key, and its area as
    /// the force.
    fn nodes(&self) -> &[Node] {
        &[]
    }
}

/// Packed arrays: contacts, body pairs.
impl StepContacts for (&[Contact], &[BodyPair]) {
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn contact(&self, i: usize) -> Contact {
        self.0.get(i).copied().unwrap_or_default()
    }
    #[inline]
    fn key(&self, i: usize) -> [u64; 2] {
        self.0.get(i).map_or([u64::MAX; 2], |c| c.key)
    }
    #[inline]
    fn position(&self, i: usize) -> [f64; 3] {
        self.0.get(i).map_or([0.0; 3], |c| c.position)
    }
    fn pairs(&self) -> usize {
        self.1.len()
    }
    #[inline]
    fn pair(&self, i: usize) -> BodyPair {
        self.1.get(i).copied().unwrap_or_default()
    }
}

/// The link from a contact of this step to contacts of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Link {
    /// The contact of the last step that continues in this one; [`NONE`] for a new contact. No two contacts have the
    /// same origin.
    pub origin: u32,
    /// The contact of the last step whose spring this one takes: the one with which it has the most force in common, else its origin, else a
    /// neighbour of the same body pair, else [`NONE`]. If it takes several springs, this is the first of its [`Blend`]s.
    pub source: u32,
}

impl Link {
    /// The link of a new contact without neighbour.
    pub const NEW: Link = Link { origin: NONE, source: NONE };
}

/// The weight with which a contact of this step takes the spring of a contact of the last step, if it takes several springs.
///
/// Blends are ordered by the contact of this step; those of one contact by weight, the heaviest first. A contact without blends takes the spring
/// of its [`Link::source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Blend {
    /// Index of the contact in this step.
    pub now: u32,
    /// Index of the contact in the last step.
    pub last: u32,
    /// Its weight in the mean. The weights of a contact sum to 1.
    pub weight: f64,
}

/// The numbers of [`match_contacts`](crate::contact::history::match_contacts).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Blends.
    pub blends: usize,
    /// Events.
    pub events: usize,
}

/// No change of the body pair is reported with this event.
pub const UNCHANGED: u32 = 0;

/// New in this step.
pub const BEGIN: u32 = 1;

/// Present in both steps.
pub const PERSIST: u32 = 2;

/// Present in the last step only.
pub const END: u32 = 3;

/// An event of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Event {
    /// [`BEGIN`], [`PERSIST`] or [`END`].
    pub contact: u32,
    /// The change of the body pair, with the pair's first event; [`UNCHANGED`] with its other events.
    pub pair: u32,
    /// Index of the contact in this step; [`NONE`] for an end.
    pub now: u32,
    /// Index of the contact in the last step; [`NONE`] for a begin.
    pub last: u32,
}

/// The indices in a range for which `holds` is true. Tests blocks of items at once, since most have no hit.
pub(super) fn places<'i, T>(
    items: &'i [T],
    range: &Range<usize>,
    holds: impl Fn(&T) -> bool + Copy + 'i,
) -> impl Iterator<Item = usize> + Clone + 'i {
    const MANY: usize = 16;
    let from = range.start;
    let runs = items.get(range.clone()).unwrap_or_default().chunks(MANY).enumerate();
    let runs = runs.filter(move |(_, run)| run.iter().fold(false, |any, item| any | holds(item)));
    runs.flat_map(move |(k, run)| {
        let inside = run.iter().enumerate().filter(move |(_, item)| holds(item));
        inside.map(move |(i, _)| from + k * MANY + i)
    })
}

/// The square of a length, which may be infinite.
pub(super) fn square(x: f64) -> f64 {
    x * x
}
