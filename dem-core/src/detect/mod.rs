//! A scene in every time step: bodies where they are now in, all contacts out, and what each was a step ago.
//!
//! ```
//! use dem_core::array::{Array, Words};
//! use dem_core::contact::shape::Shape;
//! use dem_core::detect::{Bodies, Scene, SceneSizes, Settings, detect_scratch};
//! use dem_core::{exec::Serial, memory, simd::Isa};
//!
//! // Two balls on the ground, one of them against the other.
//! let shapes = [Shape::Sphere { radius: 0.5, halo: 0.01 }, Shape::HalfSpace { halo: 0.01 }];
//! let kinds = [0, 0, 1];
//! let positions = [[0.0, 0.0, 0.505], [1.01, 0.0, 0.505], [0.0; 3]];
//! let motions = [0, 0, 2];
//! let bodies = Bodies {
//!     motions: Some(Words::from_slice(&motions)),
//!     ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
//! };
//! let settings = Settings::default();
//! let sizes = SceneSizes { bodies: 3, candidates: 16, contacts: 16, nodes: 0, posed: 0, levels: 2, margin_contacts: 0 };
//!
//! // Memory is the caller's; `dem_std::OwnedScene` has a heap for it.
//! # #[repr(align(64))] struct Memory([u8; 1 << 17]);
//! # let (mut block, mut scratch) = (Memory([0; 1 << 17]), Memory([0; 1 << 17]));
//! # let (block, scratch) = (&mut block.0[..], &mut scratch.0[..]);
//! assert!(Scene::layout(&sizes)?.size <= block.len());
//! assert!(detect_scratch(&sizes, &bodies, &settings, 1)?.size <= scratch.len());
//! let mut scene = Scene::init(block, &sizes)?;
//! for step in 0..2 {
//!     let found = scene.detect(&Serial, Isa::best(), &bodies, &settings, scratch)?;
//!     assert_eq!((found.contacts, found.persisting), (3, 3 * step));
//! }
//! # Ok::<(), dem_core::error::Error>(())
//! ```
//!
//! | file | what is in it |
//! | --- | --- |
//! | `bodies` | a host's bodies: shapes, and arrays of where they are |
//! | `ids` | bodies in the order of their ids |
//! | `scene` | the block: what was found last, what is kept of the committed step, and how to read them |
//! | `settings` | what a step is told beside the bodies, and what it tells |
//! | `detect` | one trial, phase by phase, and the scratch for it |
//! | `commit` | committing a part of the pairs |
//! | `arrivals` | pairs whose contacts another scene has found |
//! | `bounds` | a sphere around each body |
//! | `candidates` | which pairs of bodies may be in contact, in the order of their contacts; those that a host names |
//! | `huge`, `huge_box` | bodies that are found by their AABBs; the box and the sphere of one |
//! | `planes` | bodies without end |
//! | `all_bounds` | the bounds of all bodies in a step: spheres, boxes and planes |
//! | `neighbours` | the neighbour list: candidates that serve for several steps, and the proof that none is missing |
//! | `skin` | bounds that are wider by the skin of that list (Verlet's) |
//! | `overlap`, `images` | whether the bounds of a candidate of that list overlap now; periodic images |
//! | `order` | sorting by body, on all lanes |
//! | `look` | which candidates have contacts, as far as that is quickly told |
//! | `balls` | contacts of balls with balls and half-spaces, several at a time |
//! | `dear` | contacts of two bodies that take more |
//! | `pairs` | contacts of all candidates, written in order |
//! | `links` | what contacts were in the committed step |
//! | `history` | what begins and ends; vectors that follow their contacts |
//! | `room`, `unfinished` | more room for what a step was short of; what it has found all the same |
//! | `wrench` | the contacts of each body; forces and torques added up |
//! | `corners` | corners of all contacts, for solvers of impulses |
//! | [`laws`] | forces at all contacts by a law of the host, in one call |
//! | [`surfaces`] | how fast surfaces move where they are in contact |
//!
//! # Order
//! Pairs of bodies are ordered by the ids of A and B, of which that of A is the smaller one, and by the periodic image of B; contacts by pair, then by
//! what the bodies call their features. That depends on nothing else: not on threads, memory, instruction set, steps before, or on where a host
//! keeps its bodies.
//!
//! # Phases
//! A host may call each phase by itself, replace it and repeat it: [`bounding_spheres`] of all bodies, [`Scene::candidates`], contacts of a list of pairs with their
//! links to the committed step ([`Scene::find_pairs`]), and [`Scene::commit`]. Together they find what [`Scene::detect`] finds.
//!
//! # Trials
//! [`Scene::find`] and [`Scene::find_pairs`] read the committed step and write a trial; [`Scene::commit`] makes it the committed one, as does
//! [`Scene::detect`] at once. What was committed is kept in one of two halves of the block and a trial is written into the other one, so
//! committing copies nothing, and what is not committed leaves nothing behind.
//!
//! # Two lists
//! With a [margin](Settings::margin) a step has a second list of contacts, [`SceneRef::margin`]: what would be found if halos were wider, for forces that reach
//! across a gap, as lubrication does. Bounds are wider by it, so both lists come from one search for pairs of bodies; each pair is then looked at twice,
//! and the contacts of the first list have the bits that they have without a margin.
//!
//! # Ghosts
//! Where processes share a space, each has copies of the bodies near its own that others own: ghosts ([`Motion::Ghost`](crate::broad::Motion::Ghost)). Its own
//! bodies have contacts with them, and two ghosts have none. With one id for each body in all processes, both owners of a pair find the same bits.
//!
//! # What is remembered
//! What contacts of the committed step were and where, so that those of now are matched, and the list of pairs whose bounds are near, where a [`skin`](Settings::skin)
//! pays. Of pairs of meshes nothing is: pairs whose bounds meet and that have no contact cost 3 to 12 us each among rocks of 1,280
//! triangles, which is 1 to 6 % of a step with as many pairs in touch as bodies or more, a fifth with 0.4 of that, and two fifths of
//! what is little with 0.05. A plane across the line of centres tells 92 to 97 % of those apart in these last two scenes that any
//! plane does (72 to 82 % in denser ones), so a direction out of the step before would be of little more use than none.

mod all_bounds;
mod arrivals;
mod balls;
mod bodies;
mod bounds;
mod candidates;
mod commit;
mod corners;
mod dear;
#[allow(clippy::module_inception)]
mod detect;
mod history;
mod huge;
mod huge_box;
mod ids;
mod images;
pub mod laws;
mod links;
mod look;
mod neighbours;
mod order;
mod overlap;
mod pairs;
mod planes;
mod room;
mod scene;
mod settings;
mod skin;
pub mod surfaces;
mod unfinished;
mod wrench;

pub(crate) use arrivals::{Arrival, Places};
pub(crate) use balls::Round;
pub use bodies::Bodies;
pub use bounds::bounding_spheres;
pub(crate) use commit::Joined;
pub use detect::{Needs, detect_scratch};
pub use history::Carry;
pub use room::Shortage;
pub(crate) use room::raise;
pub use scene::{Kept, KeptContact, KeptRef, KeptSizes, Scene, ScenePair, SceneRef, SceneSizes, StepRef};
pub use settings::{Detected, List, Pairs, Settings};
pub use unfinished::{Before, Ended, Short, Unfinished};
pub use wrench::{Touch, Wrench};
