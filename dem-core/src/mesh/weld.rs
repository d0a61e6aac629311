//! Welding: finds vertices with the same position. They are sorted by a hash of the position, so the order is the same everywhere.

use zerocopy::{FromBytes, IntoBytes};

use super::positions::Positions;

/// An item of the sorts in this folder: a key, and the item to which it belongs.
pub(crate) type Record = [u64; 2];

/// Sorts by the first number, then the second.
pub(crate) fn sort(records: &mut [Record]) {
    // A 128-bit number compares without a branch; a sort of random keys would mispredict half of the branches.
    records.sort_unstable_by_key(|[first, second]| u128::from(*first) << 64 | u128::from(*second));
}

/// The most items that are sorted by insertion.
const FEW: usize = 24;

/// Sorts few items by insertion, more by comparison.
#[inline(always)]
pub(super) fn sort_bucket<T: Copy, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    if items.len() > FEW {
        items.sort_unstable_by_key(key);
        return;
    }
    for i in 1..items.len() {
        let item = items[i];
        let mut at = i;
        while at > 0 && key(&item) < key(&items[at - 1]) {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

/// Turns the number of items of each bucket into the start of the bucket.
pub(super) fn begin_buckets(counts: &mut [u32]) {
    let mut sum = 0u32;
    for count in counts {
        sum = sum.wrapping_add(core::mem::replace(count, sum));
    }
}

/// The index of the next item of a bucket.
#[inline(always)]
pub(super) fn next(begins: &mut [u32], bucket: usize) -> usize {
    begins.get_mut(bucket).map_or(usize::MAX, |begin| core::mem::replace(begin, begin.wrapping_add(1)) as usize)
}

/// Gives each vertex the first one with exactly the same position.
///
/// `records` has at least as many items as `weld`. Cost: linear if buckets of the hash hold few vertices; O(n log n) otherwise, for any positions.
pub(super) fn weld(positions: Positions<'_>, records: &mut [Record], weld: &mut [u32]) {
    let n = weld.len();
    // The number of buckets is between half the number of vertices and that number; one for a single vertex.
    let bits = n.checked_ilog2().unwrap_or(0);
    let bucket = |hash: u32| (u64::from(hash) >> (32 - bits)) as usize;
    let Some((keys, rest)) = records.as_flattened_mut().split_at_mut_checked(n) else { return };
    let Ok(words) = <[u32]>::mut_from_bytes(rest.as_mut_bytes()) else { return };
    let Some(begins) = words.get_mut(..1 << bits) else { return };
    begins.fill(0);
    for (i, to) in weld.iter_mut().enumerate() {
        // Stored where the result will be.
        *to = (hash(positions.bits(i)) >> 32) as u32;
        if let Some(count) = begins.get_mut(bucket(*to)) {
            *count += 1;
        }
    }
    begin_buckets(begins);
    for (i, hash) in weld.iter().enumerate() {
        if let Some(to) = keys.get_mut(next(begins, bucket(*hash))) {
            *to = u64::from(*hash) << 32 | i as u64;
        }
    }
    let mut begin = 0;
    for end in begins.iter() {
        if let Some(keys) = keys.get_mut(begin..*end as usize) {
            weld_bucket(positions, keys, weld);
        }
        begin = *end as usize;
    }
}

/// Welds the vertices of a bucket: hash and number.
#[inline(always)]
fn weld_bucket(positions: Positions<'_>, keys: &mut [u64], weld: &mut [u32]) {
    sort_bucket(keys, |key| *key);
    for group in keys.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        let place = |key: &u64| positions.bits(*key as u32 as usize);
        if group.windows(2).any(|pair| place(&pair[0]) != place(&pair[1])) {
            group.sort_unstable_by_key(|key| (place(key), *key));
        }
        for same in group.chunk_by(|a, b| place(a) == place(b)) {
            // Sorted by position, then by number, so the first has the smallest number.
            for vertex in same {
                if let Some(to) = weld.get_mut(*vertex as u32 as usize) {
                    *to = same[0] as u32;
                }
            }
        }
    }
}

/// Different positions rarely have the same hash; if they do, they are told apart by the positions.
fn hash(bits: [u64; 3]) -> u64 {
    bits.into_iter().fold(0, |hash: u64, word| {
        let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    })
}
