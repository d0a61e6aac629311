//! Triangle soups: built from indexed triangles or loose ones, with who neighbours whom, as one block.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `block` | the regions of a mesh, and what can be read from them |
//! | `build` | from a host's arrays to a block; new vertex positions; new halos |
//! | `weld` | which vertices have the same position |
//! | `edges` | which triangles share which edge |
//!
//! No triangle is ever dropped, and triangles keep the order of the input: triangle i of a mesh is triangle i of the file.

mod block;
mod build;
mod edges;
mod weld;

pub use block::{Bounds, LARGEST, LIMIT, Mesh, MeshRef, MeshSizes, NONE, STRIDE};
pub use build::{Halo, MeshInput, build_scratch, refit};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
