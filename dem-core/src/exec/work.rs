//! What a call works with.

use super::Executor;
use crate::simd::Isa;

/// What a call works with, and no result depends on: threads, an instruction set, memory.
pub struct Work<'w> {
    /// Threads.
    pub exec: &'w dyn Executor,
    /// The instruction set.
    pub isa: Isa,
    /// Scratch: the call's documentation tells how much. Its content means nothing, before and after.
    pub scratch: &'w mut [u8],
}

impl<'w> Work<'w> {
    /// With all three.
    pub fn new(exec: &'w dyn Executor, isa: Isa, scratch: &'w mut [u8]) -> Self {
        Work { exec, isa, scratch }
    }
}
