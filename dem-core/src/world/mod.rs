//! A world holds bodies in the caller's memory, finds their contacts and moves them. A step is a state machine: a host can interrupt it, add
//! forces, copy the world, and take the step back.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `block` | the block: bodies in slots, springs of contacts, the phase of a step, and the scene |
//! | `slots` | adding and removing bodies |
//! | `id_table` | finding the slot of an id |
//! | `pack_springs` | sending the springs of a body to another process |
//! | `step_inputs`, `law_context` | the inputs of a call that steps a world, and of its laws |
//! | `checked_slice` | access to slices that may be too short |
//! | `pair_event` | events of a window |
//! | `energy` | works of a step, and the energy balance of steps |
//! | `law` | the interface of force laws |
//! | `surfaces` | walls with moving vertices, as laws see them |
//! | `step` | one step, phase by phase |
//! | `same_shapes` | whether all phases of a step get the same shapes |
//! | `too_fast` | whether a step is short enough for the speed at which bodies approach |
//! | `step_check` | when this check is made: before contacts are found, and after loads |
//! | `free_motion` | velocity of a body at the end of a step without contacts, for this check and that of balls |
//! | `vertex_motion` | velocities of moving vertices, for this check |
//! | `grid` | pairs of bodies by a grid |
//! | `advance` | many steps in one call |
//! | `balls` | pairs of balls without records, in worlds of balls alone or beside other bodies |
//! | `overlaps` | which bodies overlap before the first step |
//! | `report` | energies, works and momenta of a step |
//! | `frequency` | the largest angular frequency of bodies on their contacts, for this report |
//! | `window_events` | results over all steps of a window: pairs that begin or end to touch |
//!
//! # A step
//! A host calls [`World::begin`], then [`World::poll`] until the result is [`PollResult::Done`], then [`World::accept`] or [`World::abandon`].
//! Each poll does one whole phase:
//!
//! 1. The first poll checks whether the step is short enough ([`PollResult::Stuck`] if it is not), and finds contacts at the positions of the accepted state.
//! 2. The second poll applies the law to all contacts and sums the forces on each body.
//! 3. The third poll moves bodies under these forces, loads of the host and gravity.
//!
//! If the host asks for it, a step stops at [`PollResult::Loads`], where the host sees contacts and forces and may change its loads. With these
//! loads, the next poll checks again whether the step is short enough. A step stops at [`PollResult::Law`] if the host computes the forces
//! itself. Until a step is accepted, it does not change the accepted state, its contacts or their springs.
//!
//! # Copies
//! A world is one block without pointers. A copy of the block, made between any two polls, continues as the original does, at any address, with
//! the same bits. So an engine rolls back by copying blocks, and a coupled solver repeats a window. [`WorldRef::state_hash`] tells whether two
//! worlds are equal. Before a block is written to a file, seal it ([`memory::seal`](crate::memory::seal)); after reading, compare its checksum
//! ([`memory::verify`](crate::memory::verify)).
//!
//! # Sleeping
//! Bodies do not sleep: a step computes a body at rest like any other body.

mod advance;
mod balls;
mod block;
mod checked_slice;
mod corners;
mod energy;
mod free_motion;
mod frequency;
mod grid;
mod id_table;
mod law;
mod law_context;
mod overlaps;
mod pack_springs;
mod pair_event;
mod report;
mod same_shapes;
mod slots;
mod step;
mod step_check;
mod step_inputs;
mod surfaces;
mod too_fast;
mod vertex_motion;
mod window_events;

pub use advance::WindowStep;
pub use block::{Phase, Records, Setup, TooFast, World, WorldRef, WorldSizes};
pub use law::Law;
pub use law_context::{LawContext, MovingSurfaces, SPRINGS, Springs};
pub use pair_event::PairEvent;
pub use report::Report;
pub use slots::{BodyDef, Handle, OWN_IDS};
pub use step::{HostLaw, PollResult, StepOptions, world_scratch, world_scratch_for};
pub use step_inputs::{HandedOn, StepInputs};
pub use surfaces::{WithSurfaces, surfaces_scratch};
