//! Which vertices have the same position: sorted by a hash of it, so that the order is the same everywhere and nothing
//! depends on chance.

use super::build::Positions;

/// What the sorts of this room move: a key, and what it belongs to.
pub(crate) type Record = [u64; 2];

/// Sorts by the first number, then the second.
pub(crate) fn sort(records: &mut [Record]) {
    // One number of 128 bits compares without a branch, which a sort of random keys would mispredict half of the time.
    records.sort_unstable_by_key(|[first, second]| u128::from(*first) << 64 | u128::from(*second));
}

/// Gives each vertex the first one with exactly its position.
///
/// `records` has at least as many items as `weld`. Cost: one sort, O(n log n), whatever the positions are.
pub(super) fn weld(positions: Positions<'_>, records: &mut [Record], weld: &mut [u32]) {
    for (i, record) in records.iter_mut().take(weld.len()).enumerate() {
        *record = [hash(positions.bits(i)), i as u64];
    }
    let Some(records) = records.get_mut(..weld.len()) else { return };
    sort(records);
    for group in records.chunk_by_mut(|a, b| a[0] == b[0]) {
        let place = |record: &Record| positions.bits(record[1] as usize);
        if group.windows(2).any(|pair| place(&pair[0]) != place(&pair[1])) {
            group.sort_unstable_by_key(|record| (place(record), record[1]));
        }
        for same in group.chunk_by(|a, b| place(a) == place(b)) {
            // Sorted by number behind the position, so the first is the smallest.
            for [_, vertex] in same {
                if let Some(to) = weld.get_mut(*vertex as usize) {
                    *to = same[0][1] as u32;
                }
            }
        }
    }
}

/// Different positions rarely share it; where they do, they are told apart by what they are.
fn hash(bits: [u64; 3]) -> u64 {
    bits.into_iter().fold(0, |hash: u64, word| {
        let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 32)
    })
}
