//! Huge bodies (ground, walls, vessels) as boxes in a tree of their own, never in a cell.
//!
//! | file | what |
//! | --- | --- |
//! | `boxes` | boxes around huge bodies in a host's arrays, and what is wrong with them |
//! | `decide` | whether a sphere reaches a box, and all answers by brute force |
//! | `frame` | where the tree's single-precision coordinates are, and why they never lose a box |
//! | `tree` | boxes into the tree, sixteen to a node |
//! | `search` | bodies against the tree |
//!
//! # What is answered
//! All triples (body, box, shift) for which the distance of the centre of the body's sphere to the box, moved by shift
//! periods, is at most the radius and the margin, each once; ties count. Boxes may have infinite sides along open axes,
//! as an unbounded ground has. Along a periodic axis a box has two finite sides, and may be wider than the period: then
//! a body meets several images of it; or it has none, and is the whole axis: then all its images are one, with shift 0.
//! Pairs that the host does not want are never stored; boxes are not paired with each other.
//!
//! A body that is near no box costs one look at the root.

mod boxes;
mod decide;
mod frame;
mod search;
mod tree;

pub use boxes::{BoxCandidate, Boxes};
pub use decide::boxes_brute;
pub use tree::{BoxTree, BoxTreeRef, BoxTreeSizes, box_tree_scratch};
