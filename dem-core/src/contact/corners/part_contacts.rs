//! The contacts of two parts among the contacts of two bodies, and the output of corners.

use core::ops::Range;

use super::corner::{Corner, FACE};
use super::{Contact, Node};
use crate::contact::status;
use crate::error::{Error, Kind, Result, What};
use crate::real::max;

/// Checks that contacts are sorted. Errors: [`Kind::OutOfRange`] with the first contact that is out of order.
pub fn in_order(contacts: &[Contact]) -> Result<()> {
    match (1..contacts.len()).find(|i| contacts[i - 1].key[1] >= contacts[*i].key[1]) {
        Some(i) => Err(Error::new(Kind::OutOfRange, What::Contacts).at(i as u64, 0)),
        None => Ok(()),
    }
}

/// Contacts of two bodies, and their patch pairs.
#[derive(Clone, Copy, Debug)]
pub struct Regions<'c> {
    /// The contacts, in order.
    pub contacts: &'c [Contact],
    /// The patch pairs, ordered by features, as [`shape_contacts`](crate::contact::shape::shape_contacts) returns them; empty if each contact is
    /// one patch pair.
    pub nodes: &'c [Node],
}

/// The range of features of a body without parts.
const ALL: Range<u64> = 0..1 << 32;

/// The contacts of two parts in the list of all contacts of their bodies.
pub struct Listed<'c> {
    /// All contacts of the part of A.
    list: &'c [Contact],
    /// The patch pairs of all contacts; empty if each contact is one patch pair.
    nodes: &'c [Node],
    /// Index of `list[0]` in the whole list.
    start: u32,
    /// The ranges of features of both parts.
    features: [Range<u64>; 2],
    /// Positions are relative to this point.
    middle: [f64; 3],
}

impl<'c> Listed<'c> {
    /// All contacts of a part of A. Positions will be relative to `middle`. The first contact has the index `first`.
    pub fn of(of: &Regions<'c>, first: u32, features: Range<u64>, middle: [f64; 3]) -> Self {
        let Regions { contacts, nodes } = *of;
        let [from, to] = [features.start, features.end].map(|end| contacts.partition_point(|c| c.key[1] >> 32 < end));
        let list = contacts.get(from..to).unwrap_or_default();
        Listed { list, nodes, start: first.saturating_add(from as u32), features: [features, ALL], middle }
    }

    /// All contacts of two bodies without parts.
    pub fn all(contacts: &'c [Contact]) -> Self {
        Listed::of(&Regions { contacts, nodes: &[] }, 0, ALL, [0.0; 3])
    }

    /// The contacts of this list with a part of B.
    pub fn with(&self, features: Range<u64>) -> Self {
        let [of_a, _] = self.features.clone();
        Listed { features: [of_a, features], ..*self }
    }

    /// Least projected part of a face's area along a contact's normal. Regions have nodes at their rims whose faces are almost parallel to the
    /// normal: the sides of a box.
    pub fn facing(&self) -> f64 {
        if self.nodes.is_empty() { 0.0 } else { 0.125 }
    }

    /// The largest penetration depth of both parts at any of their contacts: 0 if they only touch, infinite if a contact is in doubt.
    pub fn depth(&self) -> f64 {
        self.places().fold(0.0, |most, (_, c)| match c.status & status::DOUBTFUL {
            0 => max(most, -c.least_gap),
            _ => f64::INFINITY,
        })
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.places().next().is_none()
    }

    /// The contacts with their indices in the whole list; positions relative to `middle`, features numbered within the
    /// parts.
    pub fn each(&self) -> impl Iterator<Item = (u32, Contact)> {
        let [of_a, of_b] = self.features.each_ref().map(|features| features.start);
        self.places().map(move |(place, c)| {
            let position = [0, 1, 2].map(|k| c.position[k] - self.middle[k]);
            (place, Contact { key: [c.key[0], c.key[1] - (of_a << 32) - of_b], position, ..*c })
        })
    }

    /// A contact of the list by its index in the whole list.
    pub fn get(&self, place: u32) -> Option<&'c Contact> {
        self.list.get(place.checked_sub(self.start)? as usize)
    }

    /// The patch pairs of the contacts, numbered within the parts, each with the index of its contact in the whole list.
    pub fn patches(&self) -> impl Iterator<Item = ([u32; 2], u32)> {
        let [of_a, of_b] = self.features.each_ref();
        let [from, to] = [of_a.start, of_a.end].map(|end| self.nodes.partition_point(|n| n.features >> 32 < end));
        let low = |features: u64| features & u64::from(u32::MAX);
        let own = move |features: u64| [((features >> 32) - of_a.start) as u32, (low(features) - of_b.start) as u32];
        // A contact of several parts belongs to the parts in its key.
        let told = move |place: u32| self.get(place).is_some_and(|c| of_b.contains(&low(c.key[1])));
        let nodes = self.nodes.get(from..to).unwrap_or_default().iter();
        let nodes = nodes.filter(move |n| of_b.contains(&low(n.features)) && told(n.contact));
        let alone = self.places().filter(|_| self.nodes.is_empty());
        nodes
            .map(|n| (n.features, n.contact))
            .chain(alone.map(|(place, c)| (c.key[1], place)))
            .map(move |(features, place)| (own(features), place))
    }

    fn places(&self) -> impl Iterator<Item = (u32, &'c Contact)> {
        let [_, of_b] = &self.features;
        (self.start..).zip(self.list).filter(|(_, c)| of_b.contains(&(c.key[1] & u64::from(u32::MAX))))
    }

    /// Index of the contact of two patches in the whole list.
    pub fn place(&self, patches: [u32; 2]) -> Option<u32> {
        let [Some(a), Some(b)] = [0, 1].map(|i| {
            let features = &self.features[i];
            Some(features.start + u64::from(patches[i])).filter(|feature| features.contains(feature))
        }) else {
            return None;
        };
        let features = a << 32 | b;
        if self.nodes.is_empty() {
            return self.list.binary_search_by_key(&features, |c| c.key[1]).ok().map(|i| self.start + i as u32);
        }
        let place = self.nodes.binary_search_by_key(&features, |node| node.features).ok()?;
        let contact = self.nodes.get(place)?.contact;
        let own = self.get(contact)?;
        // A contact of several parts belongs to the parts in its key.
        let [_, of_b] = &self.features;
        of_b.contains(&(own.key[1] & u64::from(u32::MAX))).then_some(contact)
    }
}

/// Output of corners, contact by contact. Corners without room are counted.
pub struct Written<'o> {
    out: &'o mut [Corner],
    count: usize,
    middle: [f64; 3],
}

impl<'o> Written<'o> {
    /// An empty output; positions are relative to `middle`.
    pub fn new(out: &'o mut [Corner], middle: [f64; 3]) -> Self {
        Written { out, count: 0, middle }
    }

    pub fn put(&mut self, corner: Corner) {
        if let Some(to) = self.out.get_mut(self.count) {
            let position = [0, 1, 2].map(|k| corner.position[k] + self.middle[k] + 0.0);
            *to = Corner { position, gap: corner.gap + 0.0, ..corner };
        }
        self.count += 1;
    }

    /// Sorts the corners by contact, and returns their number.
    pub fn finish(self) -> Result<usize> {
        let Written { out, count, .. } = self;
        let given = out.len() as u64;
        let found = out.get_mut(..count).ok_or(Error::capacity(What::Output, count as u64, given))?;
        found.sort_unstable_by_key(|corner| (corner.contact, corner.order));
        Ok(count)
    }
}

/// The single corner of a contact without overlapping faces.
pub fn lone(contact: &Contact, place: u32) -> Corner {
    Corner {
        position: contact.position,
        gap: contact.least_gap,
        contact: place,
        order: 0,
        features: [FACE; 2],
        gap_error: 0.0,
    }
}
