//! A buffer that all threads append to, without locks.

use crate::memory::{Plain, shared_words};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use zerocopy::{FromBytes, IntoBytes};

/// A buffer that all threads append to. The place of an item depends on the order in which threads run, so a result must
/// not depend on places. After all threads are done, the items are in the slice that the pool was made of.
pub struct Pool<'p, T> {
    words: &'p [AtomicU32],
    /// Number of items that were put, including those that had no room.
    used: AtomicU32,
    items: PhantomData<T>,
}

impl<'p, T: Plain> Pool<'p, T> {
    /// An empty pool that stores into `items`, whose size and alignment are multiples of 4 bytes.
    pub fn new(items: &'p mut [T]) -> Self {
        const { assert!(size_of::<T>().is_multiple_of(4) && align_of::<T>().is_multiple_of(4)) };
        let words = <[u32]>::mut_from_bytes(items.as_mut_bytes()).unwrap_or_default();
        Pool { words: shared_words(words), used: AtomicU32::new(0), items: PhantomData }
    }

    /// Appends items and gives the index of the first one. Items that have no room are counted, but not stored.
    pub fn put(&self, items: &[T]) -> u32 {
        let first = self.reserve(items.len() as u32);
        let (size, words) = (size_of::<T>() / 4, <[u32]>::ref_from_bytes(items.as_bytes()).unwrap_or_default());
        let start = (first as usize).saturating_mul(size);
        if let Some(to) = self.words.get(start..).and_then(|rest| rest.get(..words.len())) {
            to.iter().zip(words).for_each(|(to, word)| to.store(*word, Relaxed));
        }
        first
    }

    /// Number of items that have been put, including those that had no room.
    pub fn count(&self) -> u32 {
        self.used.load(Relaxed)
    }

    #[cfg(target_has_atomic = "32")]
    fn reserve(&self, count: u32) -> u32 {
        self.used.fetch_add(count, Relaxed)
    }

    /// Machines without atomic addition have one thread.
    #[cfg(not(target_has_atomic = "32"))]
    fn reserve(&self, count: u32) -> u32 {
        let first = self.used.load(Relaxed);
        self.used.store(first.wrapping_add(count), Relaxed);
        first
    }
}
