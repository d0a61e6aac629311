//! Sizes of the pieces that a step of balls is divided into, and what a piece came to.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Pairs of the list that a thread looks at at a time.
pub(super) const PAIRS: usize = 4096;

/// Pairs that act when the last of their bodies has moved.
pub(super) const ACTING: usize = 512;

/// Bodies that a thread adds up or moves at a time.
pub(super) const BODIES: usize = 1024;

/// What a chunk of bodies comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Part {
    /// Works of contacts and loads, and of gravity.
    pub(super) works: [f64; 2],
    /// Bits: see below.
    pub(super) what: u64,
}

/// Numbers of a body are none or too large.
pub(super) const BAD: u64 = 1;

/// A body has left the place where it was listed, or would be too fast, or has a halo.
pub(super) const LEFT: u64 = 2;

pub(super) const FAST: u64 = 4;

pub(super) const HALO: u64 = 8;

/// Pairs that one word has marks of.
pub(super) const MARKS: usize = 64;
