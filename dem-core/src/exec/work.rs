//! `Work`: executor, instruction set and scratch of a call.

use super::executor::Executor;
use crate::simd::Isa;

/// Executor, instruction set and scratch of a call. Results do not depend on any of them.
pub struct Work<'w> {
    /// The executor.
    pub exec: &'w dyn Executor,
    /// The instruction set.
    pub isa: Isa,
    /// Scratch; the documentation of the call gives its size. Its content is arbitrary before and after the call.
    pub scratch: &'w mut [u8],
}

impl<'w> Work<'w> {
    /// Puts the three together.
    pub fn new(exec: &'w dyn Executor, isa: Isa, scratch: &'w mut [u8]) -> Self {
        Work { exec, isa, scratch }
    }
}
