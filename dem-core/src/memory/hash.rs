//! The checksum of blocks and the hash of their content.

use core::array;

const ODD: [u64; 4] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0xD6E8_FEB8_6659_FD93];

/// A 64-bit hash of `bytes`, continuing from `seed` (0, or the hash of the preceding bytes).
///
/// Four lanes of xor, multiply, rotate over 8-byte words, so it runs at the speed of memory. Each step is a bijection
/// of its lane, so a change within one aligned 8-byte word always changes the result; other damage goes unseen with
/// probability 2^-64. The hash is not cryptographic. Equal bytes have equal hashes on every machine.
pub fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut lanes = ODD.map(|odd| seed ^ odd);
    let (blocks, tail) = bytes.as_chunks::<32>();
    for block in blocks {
        round(&mut lanes, block);
    }
    if !tail.is_empty() {
        let mut last = [0; 32];
        last.iter_mut().zip(tail).for_each(|(to, from)| *to = *from);
        round(&mut lanes, &last);
    }
    // The length distinguishes a tail from the same tail followed by zeros.
    let mut all = seed ^ bytes.len() as u64;
    for lane in lanes {
        all = mix(all ^ lane, ODD[0]);
    }
    all ^ (all >> 32)
}

#[inline(always)]
fn round(lanes: &mut [u64; 4], block: &[u8; 32]) {
    let words: [u64; 4] = array::from_fn(|i| u64::from_le_bytes(array::from_fn(|k| block[8 * i + k])));
    *lanes = array::from_fn(|i| mix(lanes[i] ^ words[i], ODD[i]));
}

#[inline(always)]
fn mix(x: u64, odd: u64) -> u64 {
    x.wrapping_mul(odd).rotate_left(29)
}

/// [`hash`] of the bytes of `items`.
pub fn hash_items<T: super::Plain>(seed: u64, items: &[T]) -> u64 {
    hash(seed, zerocopy::IntoBytes::as_bytes(items))
}
