//! The inputs of a call that steps a world.

use crate::contact::shape::Shape;
use crate::detect::{Before, Settings, Unfinished};
use crate::exec::Executor;
use crate::simd::Isa;

/// The inputs of polls, the same in all polls of a step.
#[derive(Clone, Copy)]
pub struct StepInputs<'d, L> {
    /// The table of shapes; each body has an index in it.
    pub shapes: &'d [Shape<'d>],
    /// The threads.
    pub exec: &'d dyn Executor,
    /// Instruction set of the kernels; all give the same bits.
    pub isa: Isa,
    /// Settings of the search for contacts. Its periods are those of the world's [`Setup`](super::Setup); there is no margin.
    pub settings: Settings,
    /// The law at contacts. In a step with a law of the host only its [surfaces](super::Law::surfaces) are used.
    pub law: &'d L,
}

/// Results of a call with too little room, for the same call with more room: [`World::poll_after`](super::World::poll_after) and similar
/// functions. Results of steps do not depend on it.
///
/// The host keeps the scratch of a call that ended with [`Kind::Capacity`](crate::error::Kind::Capacity), and passes it with [`left`](Self::left)
/// to the next call, as its [`before`](Self::before). Between these calls only the room of the world ([`World::grow`](super::World::grow)), of
/// the settings and of scratch may change.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandedOn<'a> {
    /// Results of the call before; the first search for contacts takes them.
    pub before: Option<Before<'a>>,
    /// Results of this call, in its scratch; `None` if it found nothing or had enough room.
    pub left: Option<Unfinished>,
}
