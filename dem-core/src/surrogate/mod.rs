//! Trees of triangles with halos that represent sets of triangles (P0 section 4, appendices A and B).
//!
//! A *surrogate* is a triangle with a halo that covers a part of a mesh. A surrogate tree divides the mesh into parts, and each part
//! again, down to leaves of a few triangles. The halo of a surrogate covers the *fine* triangles below it with their halos, not the surrogates
//! in between, and is the smallest such halo. The distance to a triangle is convex, so the farthest point of a part is one
//! of its vertices. The halo is the maximum over these vertices, computed in double precision for the surrogate as stored.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `options` | options for building a tree |
//! | `tree_shape` | the number of clusters of a tree |
//! | `tree` | the sections of a tree |
//! | `build` | dividing a mesh into parts, from the whole mesh down |
//! | `write` | clusters, origins and the root |
//! | `split`, `kmeans`, `principal_axes` | dividing a part; principal axes |
//! | `points`, `distance` | the vertices of a part; exact halos |
//! | `objective` | points, goal and result of a fit |
//! | `fit`, `enclose`, `initial_triangle`, `descent_fit`, `pattern_search`, `lanes` | fitting a triangle of small volume |
//! | `batches` | parts that are fitted together |
//! | `functional` | fitting a triangle by the functional P0 (A.1) |
//! | `flags` | open sides and copies below each node |
//! | `monotone` | halos that also cover the surrogates below |
//! | `refit` | updating a tree after vertices have moved |
//! | `visit` | reading a tree node by node, and searches from the root down |
//! | `line` | which surrogates a line passes near |
//! | `thickness` | the place where a mesh is thinnest |

mod batches;
mod build;
mod descent_fit;
mod distance;
mod enclose;
mod fit;
mod flags;
mod functional;
mod initial_triangle;
mod kmeans;
mod lanes;
mod line;
mod monotone;
mod objective;
mod options;
mod pattern_search;
mod points;
mod principal_axes;
mod refit;
mod split;
mod thickness;
mod tree;
mod tree_shape;
mod visit;
mod write;

pub use build::{LARGEST, build_scratch};
pub(crate) use flags::is_open;
pub(crate) use line::Line;
pub use options::{Cover, Fit, Functional, Options, Preset, Split};
pub use refit::{Refit, refit};
pub use thickness::{Thickness, least_thickness};
pub use tree::{Cluster, FINE, NONE, Origin, Root, Tree, TreeRef, TreeSizes, UNUSED, WIDTH};
pub(crate) use visit::Visit;
pub use visit::{Below, Surrogate};
#[cfg(test)]
pub(crate) use write::normal;
