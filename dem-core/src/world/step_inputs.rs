//! What a call that steps a world is given.

use crate::contact::shape::Shape;
use crate::detect::{Before, Settings, Unfinished};
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

/// What a call that had too little room has found of bodies, for the same call with more room: [`World::poll_after`](super::World::poll_after) and the like. Results do not depend on it.
///
/// The host keeps the scratch of a call that ended with [`Kind::Capacity`](crate::error::Kind::Capacity), and hands it with [`left`](Self::left) to the next call, as its [`before`](Self::before). Between these calls nothing but the room of the
/// world ([`World::grow`](super::World::grow)), of the settings and of scratch may change.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandedOn<'a> {
    /// What the call before this one has left; the first search for contacts takes it away.
    pub before: Option<Before<'a>>,
    /// Where this call has left what it found, in its scratch; `None` if it found nothing or had enough room.
    pub left: Option<Unfinished>,
}
