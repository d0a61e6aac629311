//! What a call that steps a world is given.

use crate::contact::shape::Shape;
use crate::detect::Settings;
use crate::exec::Executor;
use crate::simd::Isa;

/// The inputs of polls, the same in all polls of a step.
#[derive(Clone, Copy)]
pub struct StepInputs<'d, L> {
    /// The table of shapes; each body has an index in it.
    pub shapes: &'d [Shape<'d>],
    /// The threads that it runs on.
    pub exec: &'d dyn Executor,
    /// Instruction set of the kernels; all give the same bits.
    pub isa: Isa,
    /// Settings of the search for contacts. Its periods are those of the world's [`Setup`](super::Setup); there is no margin.
    pub settings: Settings,
    /// The law at contacts. In a step with a law of the host only its [surfaces](super::Law::surfaces) are used.
    pub law: &'d L,
}
