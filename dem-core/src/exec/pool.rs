//! A pool of items that lanes append to, without locks.

use crate::memory::{Plain, shared_words};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use zerocopy::{FromBytes, IntoBytes};

/// Items that lanes append to. Where something goes depends on who comes first, so places must not reach a result: they are
/// for finding it again when all lanes are done, in the slice that the pool was made of.
pub struct Pool<'p, T> {
    words: &'p [AtomicU32],
    /// Items that are there or had no room.
    used: AtomicU32,
    items: PhantomData<T>,
}

impl<'p, T: Plain> Pool<'p, T> {
    /// In place of `items`, which have to be made of whole words.
    pub fn new(items: &'p mut [T]) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(4) && align_of::<T>().is_multiple_of(4)) };
        let words = <[u32]>::mut_from_bytes(items.as_mut_bytes()).unwrap_or_default();
        Pool { words: shared_words(words), used: AtomicU32::new(0), items: PhantomData }
    }

    /// Appends items and gives the place of the first one. Where there is no room for them, they are only counted.
    pub fn put(&self, items: &[T]) -> u32 {
        let first = self.reserve(items.len() as u32);
        let (size, words) = (size_of::<T>() / 4, <[u32]>::ref_from_bytes(items.as_bytes()).unwrap_or_default());
        let start = (first as usize).saturating_mul(size);
        if let Some(to) = self.words.get(start..).and_then(|rest| rest.get(..words.len())) {
            to.iter().zip(words).for_each(|(to, word)| to.store(*word, Relaxed));
        }
        first
    }

    /// How many items have been put, with those that had no room.
    pub fn count(&self) -> u32 {
        self.used.load(Relaxed)
    }

    #[cfg(target_has_atomic = "32")]
    fn reserve(&self, count: u32) -> u32 {
        self.used.fetch_add(count, Relaxed)
    }

    /// Machines without that instruction have one lane.
    #[cfg(not(target_has_atomic = "32"))]
    fn reserve(&self, count: u32) -> u32 {
        let first = self.used.load(Relaxed);
        self.used.store(first.wrapping_add(count), Relaxed);
        first
    }
}
