//! Trees of triangles with halos that stand for sets of triangles (P0 section 4, appendices A and B).
//!
//! A *surrogate* is a triangle with a halo that covers a part of a mesh; a surrogate tree divides the mesh into parts, those
//! into parts, down to leaves of a few triangles. Its halos cover the *fine* triangles below with theirs, not the surrogates
//! in between, and are as small as that allows: the distance to a triangle is convex, so the farthest point of a part is one
//! of its vertices, and the halo is the maximum over them, taken in double precision to the surrogate as it is stored.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `options` | how a tree is built |
//! | `fill` | how many clusters that takes |
//! | `tree` | the regions of a tree |
//! | `build` | parts from the whole mesh down |
//! | `split`, `frame` | dividing a part; principal axes |
//! | `points`, `distance` | the vertices of a part; exact halos |
//! | `fit`, `enclose`, `search`, `lanes` | a triangle of small volume |

mod build;
mod distance;
mod enclose;
mod fill;
mod fit;
mod frame;
mod lanes;
mod options;
mod points;
mod search;
mod split;
mod tree;
mod visit;

pub use build::{LARGEST, build_scratch};
pub use options::{Cover, Fit, Functional, Options, Preset, Split};
pub use tree::{Cluster, FINE, NONE, Origin, Root, Tree, TreeRef, TreeSizes, UNUSED, WIDTH};
pub use visit::{Below, Surrogate};
