//! A scene finds, in every time step, all contacts of many bodies, and links each contact to the contact of the last step that it continues.
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
//! | `bodies` | a host's bodies: shapes, and arrays with their poses |
//! | `ids` | bodies in the order of their ids |
//! | `scene` | the block: the last results, the data of the committed step, and their views |
//! | `settings` | the inputs of a step beside the bodies, and its results |
//! | `detect` | one trial, phase by phase, and the scratch for it |
//! | `commit` | committing a part of the pairs |
//! | `arrivals` | pairs whose contacts another scene has found |
//! | `bounding_sphere`, `sphere_bounds` | the sphere around a shape; a sphere around each body |
//! | `broad_phase` | which pairs of bodies may be in contact, in the order of their contacts; those that a host names |
//! | `box_bodies`, `box_body` | huge bodies, which are found by their AABBs; the box and the sphere of one |
//! | `plane`, `planes` | a half-space; unbounded bodies |
//! | `all_bounds` | the bounds of all bodies in a step: spheres, boxes and planes |
//! | `neighbour_list` | the neighbour list: candidates that serve for several steps, and the proof that none is missing |
//! | `widened_bounds` | bounds enlarged by the skin of the neighbour list (Verlet) |
//! | `skin_life` | the width of a skin with which a list lasts |
//! | `bounds_overlap`, `images` | whether the bounds of a listed candidate overlap now; periodic images |
//! | `sort_by_body` | sorting by body, on several threads |
//! | `first_pass` | a fast first test of candidates |
//! | `ball_pairs` | contacts of balls with balls and half-spaces, several at a time |
//! | `general_pairs` | contacts of other pairs of bodies, which are expensive |
//! | `candidates` | the candidates of a step, and all inputs of their contacts |
//! | `prepared` | the results for all candidates, before they are written |
//! | `narrow_phase` | contacts of all candidates, written in order |
//! | `matching` | links from contacts to those of the committed step |
//! | `history` | contacts that begin and end; vectors that follow their contacts |
//! | `estimate` | room for a first step, from the shapes alone |
//! | `shortage`, `partial` | more memory after an error of too little room; the partial results, which the next call reuses |
//! | `body_contacts`, `wrench` | the contacts of each body; sums of forces and torques |
//! | `corners` | corners of all contacts, for solvers of impulses |
//! | [`laws`] | forces at all contacts by a law of the host, in one call |
//! | `vertex_loads` | loads on the vertices of a surface, spread over the area that contacts cover |
//! | [`surfaces`] | the velocities of surfaces at their contacts |
//!
//! # Order
//! Pairs of bodies are ordered by the id of A, the id of B, and the periodic image of B; A is the body with the smaller id. Contacts are ordered by
//! pair, then by the features of both bodies. The order depends on nothing else: not on threads, memory, instruction set, earlier steps, or the
//! positions of bodies in the arrays of the host.
//!
//! # Phases
//! A host may call, replace and repeat each phase: [`bounding_spheres`] of all bodies, [`Scene::candidates`], contacts of a list of pairs with their
//! links to the committed step ([`Scene::find_pairs`]), and [`Scene::commit`]. Together these phases find the same contacts as [`Scene::detect`].
//!
//! # Trials
//! [`Scene::find`] and [`Scene::find_pairs`] read the committed step and write a trial. [`Scene::commit`] makes the trial the committed step.
//! [`Scene::detect`] finds and commits in one call. One half of the block holds the committed step, and a trial is written into the other half. So
//! committing copies nothing, and a trial that is not committed changes nothing.
//!
//! # Two lists
//! With a [margin](Settings::margin), a step has a second list of contacts, [`SceneRef::margin`]. It holds the contacts that wider halos would
//! have, for forces that act across a gap, such as lubrication. All bounds are widened by the margin, so one search for pairs of bodies serves both
//! lists. The contacts of each pair are then computed twice. The contacts of the first list have the same bits as without a margin.
//!
//! # Ghosts
//! If several processes share a space, each process has copies of the nearby bodies of other processes. These copies are ghosts
//! ([`Motion::Ghost`](crate::broad::Motion::Ghost)). A process finds the contacts of its own bodies with ghosts; two ghosts have no contacts. If a
//! body has the same id in all processes, both owners of a pair find the same bits.
//!
//! # What is remembered
//! A scene remembers the contacts of the committed step and their positions, to match the contacts of the next step. With a
//! [`skin`](Settings::skin) it also remembers the neighbour list: the pairs whose bounds are near. It remembers nothing about the triangles
//! of a pair of meshes, because that would save little.
//! Among rocks of 1,280 triangles, a pair whose bounds meet but that has no contact costs 3 to 12 us. Such pairs take 1 to 6 % of a step if
//! there are at least as many touching pairs as bodies. With 0.4 touching pairs for each body, they take a fifth of a step; with 0.05, two
//! fifths of a short step.
//! A remembered separating plane would help little. A plane across the line of centres already separates 92 to 97 % of all separable pairs
//! in the last two scenes. In denser scenes it separates 72 to 82 %.

mod all_bounds;
mod arrivals;
mod ball_pairs;
mod bodies;
mod body_contacts;
mod bounding_sphere;
mod bounds_overlap;
mod box_bodies;
mod box_body;
mod broad_phase;
mod candidates;
mod commit;
mod corners;
#[allow(clippy::module_inception)]
mod detect;
mod estimate;
mod first_pass;
mod general_pairs;
mod history;
mod ids;
mod images;
pub mod laws;
mod matching;
mod narrow_phase;
mod neighbour_list;
mod partial;
mod plane;
mod planes;
mod prepared;
mod scene;
mod settings;
mod shortage;
mod skin_life;
mod sort_by_body;
mod sphere_bounds;
pub mod surfaces;
mod vertex_loads;
mod widened_bounds;
mod wrench;

pub(crate) use arrivals::{Arrival, Places};
pub use bodies::Bodies;
pub(crate) use bodies::{check_number, check_shapes};
pub use body_contacts::Touch;
pub(crate) use commit::Joined;
pub use detect::{Needs, detect_scratch, growing_scratch};
pub use estimate::{Estimate, Extent};
pub use history::{Carry, JoinedSprings, SplitSprings};
pub use partial::{Before, Ended, Short, Unfinished};
pub use scene::{Kept, KeptContact, KeptRef, KeptSizes, Scene, ScenePair, SceneRef, SceneSizes, StepRef};
pub use settings::{Detected, List, Pairs, Settings};
pub use shortage::Shortage;
pub(crate) use shortage::raise;
pub use sphere_bounds::bounding_spheres;
pub use wrench::Wrench;
