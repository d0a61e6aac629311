//! A pair of triangles or clusters as one number.

/// A pair of fine triangles: A in the upper half, B in the lower.
pub(crate) type Key = u64;

#[inline(always)]
pub(crate) fn key(a: u32, b: u32) -> Key {
    u64::from(a) << 32 | u64::from(b)
}

#[inline(always)]
pub(crate) fn ids(key: Key) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}
