//! Lists of contacts in memory of the host, whose records may be larger or smaller than those of this version.

use core::ffi::c_void;

use dem_core::contact::history::{BodyPair, StepContacts};
use dem_core::contact::{Contact, Node};
use dem_core::error::{Kind, Result, What};

use super::{dem_body_pair, dem_contact_list};
use crate::body_contacts::dem_contact;
use crate::edge;
use crate::inputs::PAIR_STRIDE;
use crate::layouts::Fixed;
use crate::memory as blocks;
use crate::records::{Structs, shared};

/// A list of contacts of one step.
pub(crate) struct List<'a> {
    pub(crate) contacts: Structs<dem_contact>,
    pairs: Structs<dem_body_pair>,
    nodes: &'a [Node],
}

/// The first fields of a contact, as far as the matching uses them.
type Used = [u64; core::mem::offset_of!(dem_contact, share) / 8];

impl List<'_> {
    /// # Safety
    /// A pointer that is not null points at a list, whose arrays can be read while the result is used.
    pub(crate) unsafe fn last(list: *const dem_contact_list) -> Result<Self> {
        // SAFETY: by this function's contract.
        unsafe { List::new(list, What::LastContacts, What::LastBodyPairs, What::LastNodes) }
    }

    /// # Safety
    /// As for `last`.
    pub(crate) unsafe fn now(list: *const dem_contact_list) -> Result<Self> {
        // SAFETY: by this function's contract.
        unsafe { List::new(list, What::Contacts, What::BodyPairs, What::Nodes) }
    }

    /// # Safety
    /// As for `last`.
    unsafe fn new(list: *const dem_contact_list, contacts: What, pairs: What, nodes: What) -> Result<Self> {
        // SAFETY: by this function's contract.
        let raw = unsafe { edge::read(list, contacts) }?;
        Ok(List {
            contacts: Structs::new(raw.contacts, raw.count, raw.stride, size_of::<Used>(), contacts)?,
            pairs: Structs::new(raw.pairs, raw.pair_count, raw.pair_stride, dem_body_pair::FIRST, pairs)
                .map_err(|e| if e.kind == Kind::BadSize { e.at(0, PAIR_STRIDE) } else { e })?,
            // SAFETY: by this function's contract.
            nodes: unsafe { shared(raw.nodes.cast(), raw.node_count, nodes) }?,
        })
    }

    /// Errors: [`Kind::Overlap`] if memory that the call writes shares a byte with the list.
    pub(crate) fn apart_from(&self, memory: (*const c_void, usize), what: What) -> Result<()> {
        blocks::apart(memory, self.contacts.bytes(), what)?;
        blocks::apart(memory, (self.nodes.as_ptr().cast(), size_of_val(self.nodes)), what)?;
        blocks::apart(memory, self.pairs.bytes(), what)
    }
}

impl StepContacts for List<'_> {
    fn len(&self) -> usize {
        self.contacts.count
    }

    #[inline]
    fn contact(&self, i: usize) -> Contact {
        let words: Used = self.contacts.first(i).unwrap_or([u64::MAX; 14]);
        let vector = |at: usize| [0, 1, 2].map(|k| f64::from_bits(words[at + k]));
        Contact {
            key: [words[0], words[1]],
            position: vector(2),
            normal: vector(5),
            area: f64::from_bits(words[13]),
            ..Contact::default()
        }
    }

    #[inline]
    fn key(&self, i: usize) -> [u64; 2] {
        self.contacts.first(i).unwrap_or([u64::MAX; 2])
    }

    fn pairs(&self) -> usize {
        self.pairs.count
    }

    #[inline]
    fn pair(&self, i: usize) -> BodyPair {
        let found = self.pairs.get(i);
        found.map_or(BodyPair::default(), |p| BodyPair { tag: p.tag, pose_a: p.pose_a.into(), pose_b: p.pose_b.into() })
    }

    fn nodes(&self) -> &[Node] {
        self.nodes
    }
}
