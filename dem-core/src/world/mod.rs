//! Bodies that move: a world in the caller's memory, stepped as a state machine that a host can interrupt, feed, copy and take back.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `block` | the block: bodies in slots, springs of contacts, where a step stands, and the scene as a part of it |
//! | `slots` | bodies join and leave |
//! | `names` | which slot has which id |
//! | `send` | springs that go along with a body to another process |
//! | `law` | laws of contact, as worlds apply them |
//! | `step` | one step, phase by phase |
//! | `fast` | whether a step is short enough for how fast bodies approach |
//! | `grid` | pairs of bodies by a grid |
//! | `advance` | many steps in one call |
//! | `balls` | pairs of balls without records, in worlds of balls alone or beside other bodies |
//! | `report` | energies, works and momenta of a step |
//! | `watch` | what all steps of a window came to: which pairs begin and end to touch |
//!
//! # A step
//! [`World::begin`], then [`World::poll`] until it is [`Want::Done`], then [`World::accept`] or [`World::abandon`]. Each poll does one phase as a whole:
//!
//! 1. It looks whether the step is short enough ([`Want::Stuck`] where it is not), and finds contacts at the positions of the accepted state.
//! 2. The law gives forces at contacts, which are added up for each body.
//! 3. Bodies move by these, by loads of the host and by gravity.
//!
//! A host that asked for it sees contacts and forces at [`Want::Loads`], where it may change its own loads, or gives the forces itself at [`Want::Law`]. Until it is
//! accepted, a step changes nothing of the accepted state, of its contacts and of their springs.
//!
//! # Copies
//! All of this is in one block without pointers. A copy of it, made between any two polls, goes on as the original does, at any address, with the same
//! bits: so an engine rolls back by copying blocks, and a coupled solver repeats a window. [`WorldRef::state_hash`] tells whether two are the same. In a file a block is sealed
//! ([`memory::seal`](crate::memory::seal)) and compared with its checksum when it is read ([`memory::verify`](crate::memory::verify)).
//!
//! # Sleeping
//! There is none: a body at rest is worked on as any other.

mod advance;
mod balls;
mod block;
mod corners;
mod fast;
mod grid;
mod law;
mod names;
mod report;
mod send;
mod slots;
mod step;
mod watch;

pub use block::{Phase, Records, SPRINGS, Setup, Springs, TooFast, World, WorldRef, WorldSizes};
pub use law::{Around, Law};
pub use report::Report;
pub use slots::{Handle, Member, OWN_IDS};
pub use step::{Drive, HostLaw, Step, Want, world_scratch, world_scratch_for};
pub use watch::PairEvent;
