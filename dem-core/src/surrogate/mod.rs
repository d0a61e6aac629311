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
//! | `tree` | the sections of a tree |
//! | `build` | parts from the whole mesh down |
//! | `write` | clusters, origins and the root |
//! | `split`, `kmeans`, `frame` | dividing a part; principal axes |
//! | `points`, `distance` | the vertices of a part; exact halos |
//! | `fit`, `enclose`, `around`, `descend`, `search`, `lanes` | a triangle of small volume |
//! | `together` | parts that are fitted at once |
//! | `functional` | a triangle by the functional P0 (A.1) |
//! | `marks` | open sides and copies below each node |
//! | `monotone` | halos that cover surrogates, too |
//! | `refit` | vertices that have moved |
//! | `visit` | reading a tree node by node |

mod around;
mod build;
mod descend;
mod distance;
mod enclose;
mod fill;
mod fit;
mod frame;
mod functional;
mod kmeans;
mod lanes;
mod marks;
mod monotone;
mod options;
mod points;
mod refit;
mod search;
mod split;
mod together;
mod tree;
mod visit;
mod write;

pub use build::{LARGEST, build_scratch};
pub(crate) use marks::is_open;
pub use options::{Cover, Fit, Functional, Options, Preset, Split};
pub use refit::{Refit, refit};
pub use tree::{Cluster, FINE, NONE, Origin, Root, Tree, TreeRef, TreeSizes, UNUSED, WIDTH};
pub use visit::{Below, Surrogate};
#[cfg(test)]
pub(crate) use write::normal;
