//! Matching the contacts of two steps: links, events, and vectors (springs) that are carried along.
//!
//! This module keeps no state. The caller keeps the contacts of the last step and of this step, with the poses for which they were computed
//! ([`BodyPair`]). [`match_contacts`] links the contacts of both steps, [`carry`](fn@carry) carries a vector along, such as the elongation
//! of a tangential spring. `docs/contacts.md`, section 8, explains the method.
//!
//! A contact may consist of several patch pairs ([`Node`]). Contacts are then linked by their common nodes. A contact that has common nodes with
//! several contacts of the last step takes a mean of their springs ([`Blend`]).
//!
//! | file | what is in it |
//! | --- | --- |
//! | `records` | records: steps, links, blends, events |
//! | `match_pair` | matching within one body pair: first equal keys or common nodes, then nearest positions |
//! | `common_nodes` | matching by common nodes; which springs a contact takes, and how much of each |
//! | `spring_sources` | springs for new contacts, from a neighbour in the last step |
//! | `bit_sets` | bit sets that exclude most contacts which cannot match |
//! | `nearest`, `kd_tree` | greedy matching of the nearest pairs of two lists; a k-d tree |
//! | `events` | begin, persist and end events |
//! | `carry` | rotation of a vector from one step to the next |

mod bit_sets;
mod carry;
mod common_nodes;
mod events;
mod kd_tree;
mod match_pair;
mod nearest;
mod records;
mod spring_sources;

pub(crate) use carry::Turns;
pub use carry::{SurfaceMove, carried, carry};
pub(crate) use common_nodes::blends_of;
pub(crate) use events::{List, Told};
pub(crate) use match_pair::{Blends, Both, Contacts, Group, Room};
pub use records::{BEGIN, Blend, BodyPair, END, Event, Link, Matched, PERSIST, StepContacts, UNCHANGED};

use super::{Contact, Node};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::NONE;
use crate::narrow::check_bound;
use crate::real::min;

/// Packed arrays: contacts, body pairs, nodes.
impl StepContacts for (&[Contact], &[BodyPair], &[Node]) {
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn contact(&self, i: usize) -> Contact {
        (self.0, self.1).contact(i)
    }
    #[inline]
    fn key(&self, i: usize) -> [u64; 2] {
        (self.0, self.1).key(i)
    }
    #[inline]
    fn position(&self, i: usize) -> [f64; 3] {
        StepContacts::position(&(self.0, self.1), i)
    }
    fn pairs(&self) -> usize {
        self.1.len()
    }
    #[inline]
    fn pair(&self, i: usize) -> BodyPair {
        (self.0, self.1).pair(i)
    }
    fn nodes(&self) -> &[Node] {
        self.2
    }
}

/// Scratch for [`match_contacts`]: 80 bytes for each contact of both steps, and 16 for each of their nodes.
///
/// Errors: [`Kind::TooLarge`].
pub fn match_scratch(last: usize, now: usize, nodes: usize) -> Result<Layout> {
    Memory::layout(last as u64, now as u64, nodes as u64)
}

sections! {
    /// Memory for this number of contacts of the last step and of this one, and of nodes of both.
    struct Memory<'s>(last: u64, now: u64, nodes: u64) {
        successors: [u32; last],
        old: [u64; last],
        new: [u64; now],
        room: Room(last, now, nodes),
    }
}

/// Links the contacts of this step to those of the last step, writes blends and begin, persist and end events, and returns the numbers of blends
/// and events.
///
/// Contacts with equal keys are linked first. If contacts have [nodes](StepContacts::nodes), those with common nodes are linked instead: first
/// the two with the most force in common, then the next two, and so on. The common force of two contacts is the sum over their common nodes of
/// the smaller one of the node's forces, before and now. A contact takes the mean of all springs with which it has force in common, weighted with
/// that force. So the parts of a contact that splits take its spring, and two contacts that join give the mean of theirs: the friction force
/// stays the same. Only a small piece of a contact that goes on brings no spring to one that goes on, too: less than half of the force that this
/// one has in common with itself.
///
/// Among the other contacts of a body pair, the two nearest to each other are linked, then the next nearest two. This ends at the distance
/// `bound`. The distance is `sqrt((da^2 + db^2) / 2)`, with da measured in the frame of A and db in the frame of B. So a common motion of both
/// bodies has no effect. Ties go to the smaller key of the last step, then to the smaller key of this step. A good bound is the larger of the
/// halo and the sliding distance of a step.
///
/// A new contact without common nodes takes the spring of a contact of the last step within a distance: the sum of `bound` and the square roots
/// of both areas. It takes the nearest contact that shares a patch with it, otherwise the nearest of all. So a spring survives when a body rolls
/// from one facet to the next; see [`carry`](fn@carry).
///
/// `links` needs an item for each contact of this step. `blends` and `events` are optional; there are at most as many blends as nodes of
/// this step, and events are ordered by key. `scratch` is [`match_scratch`].
///
/// Errors: [`Kind::OutOfRange`] if contacts, body pairs or nodes are not in order, with the first that is not, or the bound is negative;
/// [`Kind::NotFinite`] for a bound that is NaN; [`Kind::BadIndex`] if no body pair has a contact's tag, or a node's contact does not exist;
/// [`Kind::Capacity`] for links, blends or events (then all links are right) or scratch; [`Kind::TooLarge`]; those of [`Pose::check`](crate::pose::Pose::check) for
/// poses that are used. After any error but those for blends and events, the content of links, blends and events is unspecified.
/// Cost: linear for contacts with equal keys, n log n for others and for nodes, also if n contacts of one body pair are at exactly the
/// same position.
pub fn match_contacts(
    last: &impl StepContacts,
    now: &impl StepContacts,
    bound: f64,
    links: &mut [Link],
    blends: Option<&mut [Blend]>,
    events: Option<&mut [Event]>,
    scratch: &mut [u8],
) -> Result<Matched> {
    check_bound(bound)?;
    let links_given = links.len() as u64;
    let links = links.get_mut(..now.len()).ok_or(Error::capacity(What::Links, now.len() as u64, links_given))?;
    check_pairs(last, &LAST)?;
    check_pairs(now, &NOW)?;
    let nodes = last.nodes().len() as u64 + now.nodes().len() as u64;
    let Memory { successors, old, new, mut room } = Memory::new(scratch, last.len() as u64, now.len() as u64, nodes)?;
    let (mut old, mut new) = (Cursor::new(old), Cursor::new(new));
    successors.fill(NONE);
    links.fill(Link::NEW);
    let (mut blends, mut list) = (Blends::new(blends), events::List::new(events));
    while let Some(tag) = next_tag(last, &old, now, &new) {
        let (before, after) = (old.take(last, tag, &LAST)?, new.take(now, tag, &NOW)?);
        let keys = [&*old.keys, &*new.keys];
        let mut both =
            Both { last, now, keys, before: &before, after: &after, links: &mut *links, successors: &mut *successors };
        both.settle(bound, &mut room, &mut blends)?;
        let key = |step: usize, i: usize| keys[step].get(i).copied().unwrap_or(u64::MAX);
        let told = events::Told { before: before.range.clone(), after: after.range.clone(), links, successors };
        list.tell(&told, |i| key(0, i), |j| key(1, j));
    }
    old.end(last, &LAST)?;
    new.end(now, &NOW)?;
    Ok(Matched { blends: blends.full()?, events: list.full()? })
}

/// The smaller one of the next tags of both steps.
fn next_tag(last: &impl StepContacts, old: &Cursor<'_>, now: &impl StepContacts, new: &Cursor<'_>) -> Option<u64> {
    let tag = |of: Option<[u64; 2]>| of.map(|[tag, _]| tag);
    let (x, y) = (tag(old.key(last)), tag(new.key(now)));
    x.zip(y).map_or(x.or(y), |(x, y)| Some(min(x, y)))
}

/// The arguments to which errors about a step refer.
struct Names {
    contacts: What,
    pairs: What,
    nodes: What,
}

const LAST: Names = Names { contacts: What::LastContacts, pairs: What::LastBodyPairs, nodes: What::LastNodes };
const NOW: Names = Names { contacts: What::Contacts, pairs: What::BodyPairs, nodes: What::Nodes };

/// Checks a step. Errors: those of [`match_contacts`] about the number of contacts and the order of body pairs.
fn check_pairs(step: &impl StepContacts, names: &Names) -> Result<()> {
    if step.len() >= NONE as usize {
        return Err(Error::new(Kind::TooLarge, names.contacts).amounts(u64::from(NONE), step.len() as u64));
    }
    match (1..step.pairs()).find(|i| step.tag(i - 1) >= step.tag(*i)) {
        Some(i) => Err(Error::new(Kind::OutOfRange, names.pairs).at(i as u64, 0)),
        None => Ok(()),
    }
}

/// The position up to which a list was read.
struct Cursor<'k> {
    contact: usize,
    pair: usize,
    node: usize,
    /// The last key that was read.
    before: [u64; 2],
    /// The second half of each key that was read, so that the long list of contacts is read only once.
    keys: &'k mut [u64],
}

impl<'k> Cursor<'k> {
    fn new(keys: &'k mut [u64]) -> Self {
        Cursor { contact: 0, pair: 0, node: 0, before: [0; 2], keys }
    }

    fn key(&self, step: &impl StepContacts) -> Option<[u64; 2]> {
        (self.contact < step.len()).then(|| step.key(self.contact))
    }

    /// Reads the contacts of a tag, and finds their body pair and nodes.
    ///
    /// Errors: those of [`match_contacts`] about the order of contacts and nodes and tags without bodies.
    fn take<'s>(&mut self, step: &'s impl StepContacts, tag: u64, names: &Names) -> Result<Group<'s>> {
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
            return Ok(Group { range: from..from, pair: self.pair, nodes: &[], first: 0 });
        }
        while self.pair < step.pairs() && step.tag(self.pair) < tag {
            self.pair += 1;
        }
        let missing = Error::new(Kind::BadIndex, names.pairs).at(from as u64, 0).amounts(step.pairs() as u64, tag);
        if self.pair == step.pairs() || step.tag(self.pair) != tag {
            return Err(missing);
        }
        let nodes = self.nodes(step.nodes(), from, names)?;
        Ok(Group { range: from..self.contact, pair: self.pair, nodes, first: 0 })
    }

    /// Reads the nodes of the contacts from index `from` to the last one that was read.
    ///
    /// Errors: [`Kind::OutOfRange`] for nodes that are not in order.
    fn nodes<'s>(&mut self, all: &'s [Node], from: usize, names: &Names) -> Result<&'s [Node]> {
        let rest = all.get(self.node..).unwrap_or_default();
        let count = rest.iter().take_while(|node| (node.contact as usize) < self.contact).count();
        let own = rest.get(..count).unwrap_or_default();
        let mut before = 0;
        for (k, node) in own.iter().enumerate() {
            if (node.contact as usize) < from || node.features < before {
                return Err(Error::new(Kind::OutOfRange, names.nodes).at((self.node + k) as u64, 0));
            }
            before = node.features;
        }
        self.node += count;
        Ok(own)
    }

    /// Errors: [`Kind::BadIndex`] if a node is left over, because its contact does not exist.
    fn end(&self, step: &impl StepContacts, names: &Names) -> Result<()> {
        match step.nodes().get(self.node) {
            Some(node) => {
                let bad = Error::new(Kind::BadIndex, names.nodes).at(self.node as u64, 0);
                Err(bad.amounts(step.len() as u64, node.contact.into()))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
