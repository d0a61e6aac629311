//! The contacts of two parts among all those of two bodies, and where their corners are written.

use core::ops::Range;

use super::{Contact, Corner};
use crate::error::{Error, Kind, Result, What};

/// Errors: [`Kind::OutOfRange`] with the first contact that is not behind the one before it.
pub fn in_order(contacts: &[Contact]) -> Result<()> {
    match (1..contacts.len()).find(|i| contacts[i - 1].key[1] >= contacts[*i].key[1]) {
        Some(i) => Err(Error::new(Kind::OutOfRange, What::Contacts).at(i as u64, 0)),
        None => Ok(()),
    }
}

/// The features of a body without parts.
const ALL: Range<u64> = 0..1 << 32;

/// The contacts of two parts in the list of all contacts of their bodies.
pub struct Listed<'c> {
    /// All of the part of A, with anything.
    list: &'c [Contact],
    /// The place of the first one in the whole list.
    start: u32,
    /// The numbers of the features of both parts.
    features: [Range<u64>; 2],
    /// Both parts are seen from here.
    middle: [f64; 3],
}

impl<'c> Listed<'c> {
    /// Those of a part of A with anything. Both parts will be seen from `middle`.
    pub fn of(contacts: &'c [Contact], features: Range<u64>, middle: [f64; 3]) -> Self {
        let [from, to] = [features.start, features.end].map(|end| contacts.partition_point(|c| c.key[1] >> 32 < end));
        let list = contacts.get(from..to).unwrap_or_default();
        Listed { list, start: from as u32, features: [features, ALL], middle }
    }

    /// All of two bodies that are no compounds.
    pub fn all(contacts: &'c [Contact]) -> Self {
        Listed::of(contacts, ALL, [0.0; 3])
    }

    /// Of these, the contacts with a part of B.
    pub fn with(&self, features: Range<u64>) -> Self {
        let [of_a, _] = self.features.clone();
        Listed { features: [of_a, features], ..*self }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places().next().is_none()
    }

    /// Their places in the whole list, and what they are to both parts: seen from the middle, with the parts' own features.
    pub fn each(&self) -> impl Iterator<Item = (u32, Contact)> {
        let [of_a, of_b] = self.features.each_ref().map(|features| features.start);
        self.places().map(move |(place, c)| {
            let position = [0, 1, 2].map(|k| c.position[k] - self.middle[k]);
            (place, Contact { key: [c.key[0], c.key[1] - (of_a << 32) - of_b], position, ..*c })
        })
    }

    fn places(&self) -> impl Iterator<Item = (u32, &'c Contact)> {
        let [_, of_b] = &self.features;
        (self.start..).zip(self.list).filter(|(_, c)| of_b.contains(&(c.key[1] & u64::from(u32::MAX))))
    }

    /// The place of the contact of two patches.
    pub fn place(&self, patches: [u32; 2]) -> Option<u32> {
        let [Some(a), Some(b)] = [0, 1].map(|i| {
            let features = &self.features[i];
            Some(features.start + u64::from(patches[i])).filter(|feature| features.contains(feature))
        }) else {
            return None;
        };
        self.list.binary_search_by_key(&(a << 32 | b), |c| c.key[1]).ok().map(|i| self.start + i as u32)
    }
}

/// Where corners of one contact after the other are written: as long as there is room, and counted always.
pub struct Written<'o> {
    out: &'o mut [Corner],
    count: usize,
    middle: [f64; 3],
}

impl<'o> Written<'o> {
    /// None yet. Parts will be seen from `middle`.
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

    /// Puts them in the order of contacts, and gives their number.
    pub fn finish(self) -> Result<usize> {
        let Written { out, count, .. } = self;
        let given = out.len() as u64;
        let found = out.get_mut(..count).ok_or(Error::capacity(What::Output, count as u64, given))?;
        found.sort_unstable_by_key(|corner| (corner.contact, corner.order));
        Ok(count)
    }
}

/// The corner of a contact without a face above a face.
pub fn lone(contact: &Contact, place: u32) -> Corner {
    Corner { position: contact.position, gap: contact.least_gap, contact: place, order: 0 }
}
