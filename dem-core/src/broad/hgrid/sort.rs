//! Stable radix sort of keys with the ids of their bodies.

/// Bits looked at in one pass, at most: a stream of writes for each of 256 values still fits the nearest caches.
const DIGIT: u32 = 8;

/// Sorts `keys` and `ids` by the lowest `bits` bits of the keys; ids of equal keys keep their order. The `spare` slices are as
/// long as the first two.
///
/// Cost: a pass for every eight bits.
pub(super) fn sort(bits: u32, keys: &mut [u64], ids: &mut [u32], spare_keys: &mut [u64], spare_ids: &mut [u32]) {
    let passes = bits.div_ceil(DIGIT);
    let mut from = (keys, ids);
    let mut to = (spare_keys, spare_ids);
    for pass in 0..passes {
        // Digits of even length.
        let (start, end) = (bits * pass / passes, bits * (pass + 1) / passes);
        scatter(start, end - start, from.0, from.1, to.0, to.1);
        (from, to) = (to, from);
    }
    if passes % 2 == 1 {
        to.0.copy_from_slice(from.0);
        to.1.copy_from_slice(from.1);
    }
}

fn scatter(start: u32, bits: u32, keys: &[u64], ids: &[u32], to_keys: &mut [u64], to_ids: &mut [u32]) {
    let mask = (1usize << bits) - 1;
    let digit = |key: u64| (key >> start) as usize & mask & 0xff;
    let mut places = [0u32; 1 << DIGIT];
    for key in keys {
        places[digit(*key)] += 1;
    }
    let mut sum = 0;
    for place in &mut places {
        (*place, sum) = (sum, sum + *place);
    }
    for (key, id) in keys.iter().zip(ids) {
        let place = &mut places[digit(*key)];
        let at = *place as usize;
        *place += 1;
        if let (Some(k), Some(i)) = (to_keys.get_mut(at), to_ids.get_mut(at)) {
            (*k, *i) = (*key, *id);
        }
    }
}
