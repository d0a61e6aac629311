//! Memory of the caller: blocks and scratch, planned as lists of sections and carved into slices.
//!
//! The core never allocates. A component (a mesh, a tree, a grid) lists its arrays, the *sections*, with
//! [`sections!`](crate::sections). From this list the macro makes the size query (*plan*), the exclusive view, the
//! shared view, and the code that cuts memory into sections (*carve*). Calls list their scratch in the same way. A
//! *block* is one component with a [`Header`] in front:
//!
//! ```text
//! 0          64           multiples of 64 ...                      total
//! | Header   | sizes  ... | section | gap of zeros | section | ...   |
//! ```
//!
//! * A block stores sizes, never offsets or pointers: opening it carves it again (tens of nanoseconds). So a block may
//!   be copied anywhere, and a damaged header gives an error, never overlapping sections.
//! * Sections hold [`Plain`] data: no padding, no pointer, no niche, and no `usize`, whose width differs by machine.
//! * `init` and the exclusive `open` leave a block *unsealed*; [`seal`] writes its checksum. The shared `open` accepts
//!   sealed blocks only, so no half-built shape is read. `peek` reads sealed and unsealed blocks.
//! * `open` checks header and sizes; [`verify`] also reads all sections and compares the checksum. Call [`verify`] once
//!   for a block from a file or a network. A checksum is no protection against an attacker, who can write it, too. So
//!   numbers *inside* sections are checked where they are used: counts of items in use by the list (`live`), indices by
//!   the component.

mod block;
mod carve;
mod hash;
mod largest_fit;
mod layout;
mod scratch;
mod sections;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

pub use block::{
    Header, Place, Sections, Sizes, check_live, identity, init, layout, mark, open, open_mut, reopen, seal,
    sealed_copy, verify, walk,
};
pub use carve::{Carve, CarveRef, copy_prefix};
pub use hash::{hash, hash_items};
pub use largest_fit::most;
pub use layout::{Layout, Plan, Role, Section};

pub use crate::sections;

use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Every block, every section and every scratch buffer starts at a multiple of this many bytes: a cache line, and the
/// widest vector.
pub const ALIGN: usize = 64;

/// Data that a section may hold: every bit pattern is valid, there is no padding and no pointer. Derive zerocopy's
/// `FromBytes, IntoBytes, Immutable` on a `#[repr(C)]` struct; the compiler then refuses padding and names the number
/// of bytes to fill. Booleans and enums are `u32` with checked accessors.
pub trait Plain: FromBytes + IntoBytes + Immutable + Copy + Send + Sync + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + Copy + Send + Sync + 'static> Plain for T {}

/// An exclusive slice as shared atomics, which several threads may write.
pub(crate) fn shared_words(words: &mut [u32]) -> &[AtomicU32] {
    let (start, len) = (words.as_mut_ptr().cast::<AtomicU32>(), words.len());
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) };
    // SAFETY: `start` and `len` are those of an exclusive slice whose borrow the result takes over, and an atomic number has the
    // size, the values and, as was asserted, the alignment of a plain one.
    #[allow(unsafe_code)]
    unsafe {
        core::slice::from_raw_parts(start, len)
    }
}

/// Fills uninitialised memory with zeros and gives it as bytes.
///
/// Cost: one fill.
pub fn zeroed(memory: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    memory.fill(MaybeUninit::new(0));
    let (start, len) = (memory.as_mut_ptr().cast::<u8>(), memory.len());
    // SAFETY: `start` and `len` are those of an exclusive slice whose borrow the result takes over, every byte of it was
    // written just now, and `MaybeUninit<u8>` has the size and alignment of `u8`.
    #[allow(unsafe_code)]
    unsafe {
        core::slice::from_raw_parts_mut(start, len)
    }
}
