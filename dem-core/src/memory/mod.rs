//! Sections, plan and carve, verify, grow: blocks of the caller, and what lies where in them.
//!
//! The core never allocates. A component says in one list, with [`sections!`](crate::sections), which arrays it needs for
//! given sizes; the list gives its layout, its exclusive view, its shared view, and how it is carved, so that they cannot
//! drift apart. A call says the same of its scratch, in a list without a header. A *block* is one component with a [`Header`] in
//! front:
//!
//! ```text
//! 0          64           multiples of 64 ...                      total
//! | Header   | sizes  ... | section | gap of zeros | section | ...   |
//! ```
//!
//! * A block stores sizes, never offsets or pointers: opening it carves it again (tens of nanoseconds). So a block may be
//!   copied anywhere, and a damaged header can give an error but never an overlap.
//! * Sections hold [`Plain`] data: no padding, no pointer, no niche, and no `usize`, whose width differs by machine.
//! * `init` and the exclusive `open` leave a block *unsealed*. [`seal`] writes its checksum, and from then on the shared
//!   `open` takes it: nobody reads a half-built shape, and a sealed block is what its checksum says until it is opened for
//!   writing again. `peek` reads a block in any state (a world between two steps, say).
//! * `open` trusts the bytes behind the header and the sizes; [`verify`] proves them, at the price of reading them all.
//!   Do that once with bytes that come from outside. Not even then is a block a proof against malice: whoever can write
//!   bytes can write their checksum. Numbers *inside* sections are therefore bounded wherever they are used: live counts by
//!   the list (`live`), indices by the component.

mod block;
mod carve;
mod hash;
mod layout;
mod most;
mod scratch;
mod sections;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;

pub use block::{
    Header, Place, Sections, Sizes, check_live, identity, init, layout, mark, open, open_mut, reopen, seal, verify,
    walk,
};
pub use carve::{Carve, CarveRef, copy_prefix};
pub use hash::{hash, hash_items};
pub use layout::{Layout, Plan, Role, Section};
pub use most::most;

pub use crate::sections;

use core::mem::MaybeUninit;
use core::sync::atomic::AtomicU32;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Every block, every section and every scratch buffer starts at a multiple of this many bytes: a cache line, and the
/// widest vector.
pub const ALIGN: usize = 64;

/// Data that a section may hold: any bytes are a value, all bytes are written, no pointer. Derive zerocopy's
/// `FromBytes, IntoBytes, Immutable` on a `#[repr(C)]` struct; padding is then refused by the compiler, with the number
/// of bytes to fill. Booleans and enums are `u32` with checked accessors.
pub trait Plain: FromBytes + IntoBytes + Immutable + Copy + Send + Sync + 'static {}

impl<T: FromBytes + IntoBytes + Immutable + Copy + Send + Sync + 'static> Plain for T {}

/// Numbers that are borrowed by one, as numbers that many may write.
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

/// Memory that nobody has written yet, as zero bytes.
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
