//! Parallel radix sort of bodies by key: chunks of bodies are split into buckets by the top bits of keys, then every
//! bucket is sorted by the other bits.
//!
//! Each chunk writes to its own part of the memory, so chunks are independent and random writes stay within a cache. A
//! bucket is then collected from all chunks in turn. The sort is stable: bodies with equal keys stay in the order of
//! their ids, so the result does not depend on the chunks.

use crate::exec::{CutMut, by_number, starts};
use crate::memory::sections;
use core::ops::Range;

/// Largest number of bits of a digit in a pass over a bucket.
const DIGIT: u32 = 8;

/// Largest bucket that is sorted by insertion.
const FEW: usize = 16;

/// How bodies are cut into chunks and keys into buckets. Depends on the number of bodies only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cuts {
    all: usize,
    /// Bodies of a chunk.
    length: usize,
    pub chunks: usize,
    /// Bits of the number of a bucket.
    bits: u32,
    /// Groups of consecutive buckets; a group is one chunk of work.
    pub groups: usize,
}

impl Cuts {
    /// Largest number of chunks.
    pub(super) const CHUNKS: usize = 64;

    /// Largest number of groups of buckets.
    pub(super) const GROUPS: usize = 256;

    /// Smallest number of bodies of a chunk: keys and ids fit in a cache of half a megabyte.
    const LEAST: usize = 1 << 15;

    pub(super) fn new(bodies: usize) -> Cuts {
        let length = bodies.div_ceil(Cuts::CHUNKS).max(Cuts::LEAST);
        // About a hundred bodies per bucket, so that the table of a chunk is small beside the chunk.
        let bits = (bodies / 64).max(1).ilog2().clamp(4, 16);
        let groups = 1 << (bodies / 1024).clamp(1, Cuts::GROUPS).ilog2().min(bits);
        Cuts { all: bodies, length, chunks: bodies.div_ceil(length), bits, groups }
    }

    /// Bodies of a chunk.
    pub(super) fn bodies(&self, chunk: usize) -> Range<usize> {
        let start = chunk.saturating_mul(self.length).min(self.all);
        start..start.saturating_add(self.length).min(self.all)
    }

    /// An array with an item for each body, cut into chunks.
    pub(super) fn cut<'a, T>(&self, items: &'a mut [T]) -> CutMut<'a, T> {
        CutMut(items, self.length)
    }

    fn buckets(&self) -> usize {
        1 << self.bits
    }

    /// Buckets of a group.
    fn group(&self, group: usize) -> Range<usize> {
        let buckets = self.buckets() / self.groups;
        group * buckets..(group + 1) * buckets
    }
}

sections! {
    /// Scratch of a sort.
    pub(super) struct Sorting<'s>(cuts: &Cuts; n = cuts.all as u64) {
        /// Sorted by bucket within each chunk.
        pub keys: [u64; n],
        pub ids: [u32; n],
        pub spare_keys: [u64; n],
        pub spare_ids: [u32; n],
        /// Ends of buckets in each chunk.
        pub ends: [u32; cuts.buckets() as u64] * (cuts.chunks),
    }
}

impl Sorting<'_> {
    /// The chunks of `keys`, `ids` and `ends`.
    #[allow(clippy::type_complexity)]
    pub(super) fn chunks(&mut self, cuts: &Cuts) -> (CutMut<'_, u64>, CutMut<'_, u32>, CutMut<'_, u32>) {
        (cuts.cut(self.keys), cuts.cut(self.ids), CutMut(self.ends, cuts.buckets()))
    }
}

/// Bits of a key below its bucket number, for keys of `bits` bits.
pub(super) fn rest(cuts: &Cuts, bits: u32) -> u32 {
    bits.saturating_sub(cuts.bits)
}

/// Splits a chunk, whose first body is `first`, into buckets.
pub(super) fn chunk(rest: u32, first: u32, keys: &[u64], to_keys: &mut [u64], to_ids: &mut [u32], ends: &mut [u32]) {
    let last = ends.len().saturating_sub(1);
    let bucket = |key: u64| key.checked_shr(rest).unwrap_or(0) as usize & last;
    // Only keys are read for the count; `by_number` would also read ids.
    ends.fill(0);
    for key in keys {
        ends[bucket(*key)] += 1;
    }
    starts(ends);
    for (key, id) in keys.iter().zip(first..) {
        let end = &mut ends[bucket(*key)];
        let at = *end as usize;
        *end += 1;
        if let (Some(to_key), Some(to_id)) = (to_keys.get_mut(at), to_ids.get_mut(at)) {
            (*to_key, *to_id) = (*key, id);
        }
    }
}

/// All chunks, split into buckets.
#[derive(Clone, Copy)]
pub(super) struct Buckets<'s> {
    pub cuts: Cuts,
    /// Bits of a key below its bucket number.
    pub rest: u32,
    pub keys: &'s [u64],
    pub ids: &'s [u32],
    pub ends: &'s [u32],
}

impl Buckets<'_> {
    /// Ends of groups of buckets in the order of keys.
    pub(super) fn group_ends(&self) -> [u32; Cuts::GROUPS] {
        let mut ends = [0; Cuts::GROUPS];
        for (group, end) in ends.iter_mut().enumerate().take(self.cuts.groups) {
            let last = self.cuts.group(group).end - 1;
            *end = self.ends.iter().skip(last).step_by(self.cuts.buckets()).sum();
        }
        ends
    }

    /// Writes the bodies of a group in the order of keys.
    pub(super) fn collect(
        &self,
        group: usize,
        keys: &mut [u64],
        ids: &mut [u32],
        spare_keys: &mut [u64],
        spare_ids: &mut [u32],
    ) {
        let mut start = 0;
        for bucket in self.cuts.group(group) {
            let end = start + (0..self.cuts.chunks).map(|chunk| self.segment(chunk, bucket).len()).sum::<usize>();
            let spare = (&mut spare_keys[start..end], &mut spare_ids[start..end]);
            self.sort(bucket, (&mut keys[start..end], &mut ids[start..end]), spare);
            start = end;
        }
    }

    /// Collects a bucket from all chunks and sorts it by the lower bits of its keys; stable.
    fn sort<'a>(&self, bucket: usize, all: (&'a mut [u64], &'a mut [u32]), spare: (&'a mut [u64], &'a mut [u32])) {
        let parts = (0..self.cuts.chunks).map(|chunk| {
            let part = self.segment(chunk, bucket);
            (&self.keys[part.clone()], &self.ids[part])
        });
        let passes = self.rest.div_ceil(DIGIT);
        if all.0.len() <= FEW || passes == 0 {
            let mut at = 0;
            for (keys, ids) in parts {
                let to = at..at + keys.len();
                // For so few items, a call of memcpy would take longer.
                all.0[to.clone()].iter_mut().zip(keys).for_each(|(to, key)| *to = *key);
                all.1[to.clone()].iter_mut().zip(ids).for_each(|(to, id)| *to = *id);
                at = to.end;
            }
            return if passes > 0 {
                insert(all.0, all.1)
            };
        }
        // Digits of even length.
        let digit = |pass: u32| {
            let (start, end) = (self.rest * pass / passes, self.rest * (pass + 1) / passes);
            Digit { start, mask: (1 << (end - start)) - 1 }
        };
        // The last pass has to write to `all`.
        let (mut to, mut from) = if passes % 2 == 1 { (all, spare) } else { (spare, all) };
        scatter(digit(0), parts, to.0, to.1);
        for pass in 1..passes {
            (from, to) = (to, from);
            scatter(digit(pass), core::iter::once((&*from.0, &*from.1)), to.0, to.1);
        }
    }

    /// The range of a chunk's bodies that are in a bucket.
    fn segment(&self, chunk: usize, bucket: usize) -> Range<usize> {
        let (at, first) = (chunk * self.cuts.buckets() + bucket, chunk * self.cuts.length);
        let start = if bucket == 0 { 0 } else { self.ends[at - 1] };
        first + start as usize..first + self.ends[at] as usize
    }
}

fn insert(keys: &mut [u64], ids: &mut [u32]) {
    for i in 1..keys.len() {
        let (key, id) = (keys[i], ids[i]);
        let mut at = i;
        while at > 0 && keys[at - 1] > key {
            (keys[at], ids[at]) = (keys[at - 1], ids[at - 1]);
            at -= 1;
        }
        (keys[at], ids[at]) = (key, id);
    }
}

/// Some bits of a key.
#[derive(Clone, Copy)]
struct Digit {
    start: u32,
    mask: usize,
}

impl Digit {
    #[inline(always)]
    fn of(self, key: u64) -> usize {
        (key >> self.start) as usize & self.mask & 0xff
    }
}

/// One pass of the radix sort: the items of all parts in the order of a digit.
#[inline(always)]
fn scatter<'a>(
    digit: Digit,
    parts: impl Iterator<Item = (&'a [u64], &'a [u32])> + Clone,
    to_keys: &mut [u64],
    to_ids: &mut [u32],
) {
    let mut places = [0u32; 1 << DIGIT];
    let places = &mut places[..(digit.mask & 0xff) + 1];
    let items = parts.flat_map(|(keys, ids)| keys.iter().zip(ids));
    by_number(
        items,
        places,
        |(key, _)| digit.of(**key),
        |at, (key, id)| {
            if let (Some(k), Some(i)) = (to_keys.get_mut(at), to_ids.get_mut(at)) {
                (*k, *i) = (*key, *id);
            }
        },
    );
}
