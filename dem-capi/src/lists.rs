//! Lists of contacts in memory of the host, which may be larger or smaller than this version's records.

use core::ffi::c_void;

use dem_core::contact::Contact;
use dem_core::contact::history::{BodyPair, Step};
use dem_core::error::{Error, Kind, Result, What};

use crate::body_contacts::dem_contact;
use crate::edge;
use crate::history::{about, dem_body_pair, dem_contact_list};
use crate::memory as blocks;
use crate::records::span;

/// Packed items to read.
///
/// Errors: [`Kind::Null`], [`Kind::Misaligned`], [`Kind::TooLarge`].
///
/// # Safety
/// Where the pointer is not null there are `count` of them, any bytes are one, and nothing changes them as long as the slice
/// lives.
pub(crate) unsafe fn shared<'a, T: Copy>(from: *const T, count: usize, what: What) -> Result<&'a [T]> {
    let items = Structs::new(from, count, 0, size_of::<T>(), what)?;
    if count == 0 {
        return Ok(&[]);
    }
    if !from.is_aligned() {
        let (needed, given) = (align_of::<T>(), from as usize % align_of::<T>());
        return Err(Error::new(Kind::Misaligned, what).amounts(needed as u64, given as u64));
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { core::slice::from_raw_parts(items.data, count) })
}

/// An array of structs in the host's memory, which may be shorter or longer than this version's.
pub(crate) struct Structs<T> {
    data: *const T,
    pub(crate) count: usize,
    stride: usize,
    bytes: usize,
}

impl<T: Copy> Structs<T> {
    /// Errors: [`Kind::Null`], [`Kind::BadSize`], [`Kind::TooLarge`].
    fn new(data: *const T, count: usize, stride: usize, least: usize, what: What) -> Result<Self> {
        if data.is_null() && count > 0 {
            return Err(Error::new(Kind::Null, what));
        }
        let (stride, bytes) = span(count, stride, size_of::<T>()).map_err(about(what))?;
        if stride < least {
            return Err(Error::new(Kind::BadSize, what).amounts(least as u64, stride as u64));
        }
        Ok(Structs { data, count, stride, bytes })
    }

    /// The first part of item `i`, if there are that many.
    #[inline]
    fn first<U: Copy>(&self, i: usize) -> Option<U> {
        if i >= self.count || size_of::<U>() > self.stride {
            return None;
        }
        let at = self.data.cast::<u8>().wrapping_add(i * self.stride);
        // SAFETY: inside of what the host vouched for when the list was made; U is plain numbers.
        Some(unsafe { at.cast::<U>().read_unaligned() })
    }
}

/// A list of the host.
pub(crate) struct List {
    pub(crate) contacts: Structs<dem_contact>,
    pairs: Structs<dem_body_pair>,
}

/// A contact as far as it is used here.
type Used = [u64; core::mem::offset_of!(dem_contact, share) / 8];

impl List {
    /// # Safety
    /// Where the pointer is not null, it points at a list, which says what is in its arrays as long as this is used.
    pub(crate) unsafe fn last(list: *const dem_contact_list) -> Result<List> {
        // SAFETY: by this function's contract.
        unsafe { List::new(list, What::LastContacts, What::LastBodyPairs) }
    }

    /// # Safety
    /// As for `last`.
    pub(crate) unsafe fn now(list: *const dem_contact_list) -> Result<List> {
        // SAFETY: by this function's contract.
        unsafe { List::new(list, What::Contacts, What::BodyPairs) }
    }

    /// # Safety
    /// As for `last`.
    unsafe fn new(list: *const dem_contact_list, contacts: What, pairs: What) -> Result<List> {
        // SAFETY: by this function's contract.
        let raw = unsafe { edge::read(list, contacts) }?;
        Ok(List {
            contacts: Structs::new(raw.contacts, raw.count, raw.stride, size_of::<Used>(), contacts)?,
            pairs: Structs::new(raw.pairs, raw.pair_count, raw.pair_stride, size_of::<dem_body_pair>(), pairs)?,
        })
    }

    /// Errors: [`Kind::Overlap`] where memory that is to be written shares a byte with the list.
    pub(crate) fn apart_from(&self, memory: (*const c_void, usize), what: What) -> Result<()> {
        blocks::apart(memory, (self.contacts.data.cast(), self.contacts.bytes), what)?;
        blocks::apart(memory, (self.pairs.data.cast(), self.pairs.bytes), what)
    }
}

impl Step for List {
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
        let found = self.pairs.first::<dem_body_pair>(i);
        found.map_or(BodyPair::default(), |p| BodyPair { tag: p.tag, pose_a: p.pose_a.into(), pose_b: p.pose_b.into() })
    }
}
