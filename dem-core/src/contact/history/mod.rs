//! What a contact was one step ago: matching of two lists, events, and springs that follow.
//!
//! Nothing is remembered here. The caller keeps the list of the last step beside that of this step, and the poses that they were
//! computed with ([`BodyPair`]); [`match_contacts`] tells which contact is which, [`carry`](fn@carry) takes a vector along (the elongation
//! of a tangential spring, say). `docs/contacts.md`, section 8, has the argument.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `pair` | one body pair: equal keys, what is nearest |
//! | `beside` | what begins beside a contact of the last step |
//! | `marks` | tables that leave out most of what is not asked for |
//! | `nearest`, `tree` | the nearest of two lists first; the search tree for that |
//! | `events` | what begins, persists and ends |
//! | `carry` | a vector from one step to the next |

mod beside;
mod carry;
mod events;
mod marks;
mod nearest;
mod pair;
mod tree;

pub(crate) use carry::Turns;
pub use carry::{carried, carry};
pub(crate) use events::{List, Told};
pub(crate) use pair::{Both, Contacts, Group, Room};

use core::ops::Range;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::Contact;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::NONE;
use crate::narrow::check_bound;
use crate::pose::Pose;
use crate::real::min;

/// Where the bodies of a tag were when their contacts were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct BodyPair {
    /// First half of the keys of its contacts.
    pub tag: u64,
    /// Where A was.
    pub pose_a: Pose,
    /// Where B was.
    pub pose_b: Pose,
}

impl BodyPair {
    /// Where A and B were.
    fn poses(&self) -> [Pose; 2] {
        [self.pose_a, self.pose_b]
    }
}

/// The contacts of a step, of any number of body pairs.
pub trait Step {
    /// How many contacts there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Contact `i`; they are ordered by key.
    fn contact(&self, i: usize) -> Contact;
    /// Its key.
    fn key(&self, i: usize) -> [u64; 2] {
        self.contact(i).key
    }
    /// Where it is.
    fn position(&self, i: usize) -> [f64; 3] {
        self.contact(i).position
    }
    /// How many body pairs there are. Each tag of a contact is that of one of them.
    fn pairs(&self) -> usize;
    /// Body pair `i`; they are ordered by tag, and no tag occurs twice.
    fn pair(&self, i: usize) -> BodyPair;
    /// Its tag.
    fn tag(&self, i: usize) -> u64 {
        self.pair(i).tag
    }
}

/// Packed arrays: contacts, body pairs.
impl Step for (&[Contact], &[BodyPair]) {
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

/// What a contact of this step was in the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Link {
    /// The contact of the last step that this one goes on with; [`NONE`] where it begins. No two have the same.
    pub origin: u32,
    /// The one whose spring it takes: its origin, else one of the same bodies that it begins beside, else [`NONE`].
    pub source: u32,
}

impl Link {
    /// A contact that begins by itself.
    pub const NEW: Link = Link { origin: NONE, source: NONE };
}

/// Nothing is told here.
pub const UNCHANGED: u32 = 0;
/// It was not there in the last step.
pub const BEGIN: u32 = 1;
/// It was there, and it is.
pub const PERSIST: u32 = 2;
/// It was there, and is no more.
pub const END: u32 = 3;

/// What happens to a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Event {
    /// [`BEGIN`], [`PERSIST`] or [`END`].
    pub contact: u32,
    /// What happens to the body pair, with its first event; [`UNCHANGED`] with all others.
    pub pair: u32,
    /// The contact of this step; [`NONE`] where it ends.
    pub now: u32,
    /// The contact of the last step; [`NONE`] where it begins.
    pub last: u32,
}

/// Scratch for [`match_contacts`]: 80 bytes for each contact of both steps.
///
/// Errors: [`Kind::TooLarge`].
pub fn match_scratch(last: usize, now: usize) -> Result<Layout> {
    Memory::layout(last as u64, now as u64)
}

sections! {
    /// Memory for so many contacts of the last step and of this one.
    struct Memory<'s>(last: u64, now: u64) {
        successors: [u32; last],
        old: [u64; last],
        new: [u64; now],
        room: Room(last, now),
    }
}

/// Tells what each contact of this step was in the last one, and what begins, persists and ends. Gives the number of events.
///
/// Contacts with equal keys are the same. Of what is left of a body pair the nearest two are the same, then the nearest two of
/// what is left then, as long as they are within `bound`: distances are those of positions *in the bodies*, so a motion that both
/// bodies make is none: `sqrt((da^2 + db^2) / 2)` with da in the frame of A and db in that of B. Of equal distances that
/// with the smaller key of the last step counts, then that with the smaller key of this one. A good bound is the larger of
/// the halo and the way that surfaces slide in a step.
///
/// What begins takes the spring of the nearest contact of its bodies that has a patch in common with it, if their areas can be
/// neighbours: if they are no farther apart than `bound` and the square roots of both areas together. So a spring stays when a body rolls from one facet to the
/// next; see [`carry`](fn@carry) for what that means.
///
/// `links` has a place for each contact of this step. `events`, if any are wanted, are ordered by key. `scratch` is
/// [`match_scratch`].
///
/// Errors: [`Kind::OutOfRange`] where contacts or body pairs are not in order, with the first that is not, or the bound is
/// negative; [`Kind::NotFinite`] for a bound that is NaN; [`Kind::BadIndex`] where a contact's tag is that of no body pair; [`Kind::Capacity`] for links, events (then all links are
/// right) or scratch; [`Kind::TooLarge`]; those of [`Pose::check`] for poses that are used. Links and events hold nothing of use after any
/// other error than that for events. Cost: some ten nanoseconds a contact with an
/// equal key, about a microsecond for any other; where n contacts of one body pair are at one and the same place, some ten
/// nanoseconds for each two of them.
pub fn match_contacts(
    last: &impl Step,
    now: &impl Step,
    bound: f64,
    links: &mut [Link],
    events: Option<&mut [Event]>,
    scratch: &mut [u8],
) -> Result<usize> {
    check_bound(bound)?;
    let links_given = links.len() as u64;
    let links = links.get_mut(..now.len()).ok_or(Error::capacity(What::Links, now.len() as u64, links_given))?;
    check_pairs(last, &LAST)?;
    check_pairs(now, &NOW)?;
    let Memory { successors, old, new, mut room } = Memory::new(scratch, last.len() as u64, now.len() as u64)?;
    let (mut old, mut new) = (Cursor::new(old), Cursor::new(new));
    successors.fill(NONE);
    links.fill(Link::NEW);
    let mut list = events::List::new(events);
    while let Some(tag) = next_tag(last, &old, now, &new) {
        let (before, after) = (old.take(last, tag, &LAST)?, new.take(now, tag, &NOW)?);
        let keys = [&*old.keys, &*new.keys];
        let mut both =
            Both { last, now, keys, before: &before, after: &after, links: &mut *links, successors: &mut *successors };
        both.settle(bound, &mut room)?;
        let key = |step: usize, i: usize| keys[step].get(i).copied().unwrap_or(u64::MAX);
        let told = events::Told { before: before.range.clone(), after: after.range.clone(), links, successors };
        list.tell(&told, |i| key(0, i), |j| key(1, j));
    }
    list.full()
}

/// The smaller of the next tags.
fn next_tag(last: &impl Step, old: &Cursor<'_>, now: &impl Step, new: &Cursor<'_>) -> Option<u64> {
    let tag = |of: Option<[u64; 2]>| of.map(|[tag, _]| tag);
    let (x, y) = (tag(old.key(last)), tag(new.key(now)));
    x.zip(y).map_or(x.or(y), |(x, y)| Some(min(x, y)))
}

/// What errors about a step speak of.
struct Names {
    contacts: What,
    pairs: What,
}

const LAST: Names = Names { contacts: What::LastContacts, pairs: What::LastBodyPairs };
const NOW: Names = Names { contacts: What::Contacts, pairs: What::BodyPairs };

/// Errors: those of [`match_contacts`] about the number of contacts and the order of body pairs.
fn check_pairs(step: &impl Step, names: &Names) -> Result<()> {
    if step.len() >= NONE as usize {
        return Err(Error::new(Kind::TooLarge, names.contacts).amounts(u64::from(NONE), step.len() as u64));
    }
    match (1..step.pairs()).find(|i| step.tag(i - 1) >= step.tag(*i)) {
        Some(i) => Err(Error::new(Kind::OutOfRange, names.pairs).at(i as u64, 0)),
        None => Ok(()),
    }
}

/// How far a list was read.
struct Cursor<'k> {
    contact: usize,
    pair: usize,
    /// The last key that was read.
    before: [u64; 2],
    /// The second half of each key that was read: a list of contacts is long, and is gone through once.
    keys: &'k mut [u64],
}

impl<'k> Cursor<'k> {
    fn new(keys: &'k mut [u64]) -> Self {
        Cursor { contact: 0, pair: 0, before: [0; 2], keys }
    }

    fn key(&self, step: &impl Step) -> Option<[u64; 2]> {
        (self.contact < step.len()).then(|| step.key(self.contact))
    }

    /// The contacts of a tag, and their bodies.
    ///
    /// Errors: those of [`match_contacts`] about the order of contacts and tags without bodies.
    fn take(&mut self, step: &impl Step, tag: u64, names: &Names) -> Result<Group> {
        let from = self.contact;
        while let Some(key) = self.key(step).filter(|key| key[0] <= tag) {
            if key < self.before {
                return Err(Error::new(Kind::OutOfRange, names.contacts).at(self.contact as u64, 0));
            }
            self.before = key;
            if let Some(to) = self.keys.get_mut(self.contact) {
                *to = key[1];
            }
            self.contact += 1;
        }
        if self.contact == from {
            return Ok(Group { range: from..from, pair: self.pair });
        }
        while self.pair < step.pairs() && step.tag(self.pair) < tag {
            self.pair += 1;
        }
        let missing = Error::new(Kind::BadIndex, names.pairs).at(from as u64, 0).amounts(step.pairs() as u64, tag);
        if self.pair == step.pairs() || step.tag(self.pair) != tag {
            return Err(missing);
        }
        Ok(Group { range: from..self.contact, pair: self.pair })
    }
}

/// Where in a range of items it holds. Mostly it does nowhere, so many are looked at in one go.
fn places<'i, T>(
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
fn square(x: f64) -> f64 {
    x * x
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
