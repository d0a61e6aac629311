//! Huge bodies (ground, walls, vessels): AABBs in a bounding volume hierarchy instead of cells of the grid.
//!
//! | file | what |
//! | --- | --- |
//! | `boxes` | AABBs of huge bodies in a host's arrays, and their checks |
//! | `decide` | the canonical decision whether a sphere touches a box; all pairs by brute force |
//! | `frame` | the tree's single-precision coordinates, and why their rounding never loses a pair |
//! | `tree` | building the tree, sixteen children to a node |
//! | `search` | searching the tree for bodies |
//!
//! # What is found
//! All triples (body, box, shift) for which the distance of the body's centre from the box, translated by `shift`
//! periods, is at most radius plus margin. Each triple occurs once; ties count. Boxes may have infinite sides along
//! open axes, as an unbounded ground has. Along a periodic axis a box is bounded or unbounded on both sides. A bounded
//! box may be wider than the period, and a body may then touch several images of it. An unbounded box has one image
//! only, with shift 0. Unwanted pairs are never stored; boxes are not paired with each other.
//!
//! A body that is near no box costs one test at the root of the tree.

mod boxes;
mod decide;
mod frame;
mod search;
mod tree;

pub use boxes::{BoxCandidate, Boxes};
pub use decide::boxes_brute;
pub use search::box_tree_scratch;
pub use tree::{BoxTree, BoxTreeRef, BoxTreeSizes};
pub(crate) use tree::{LEVELS, WIDE, halve, levels};
