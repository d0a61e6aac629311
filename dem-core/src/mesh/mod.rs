//! Triangle soups in one block, built from indexed or loose triangles, with the adjacency of triangles.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `block` | the sections of a mesh, and views of them |
//! | `build` | building a block from a host's arrays; new vertex positions; new halos |
//! | `bounds` | box and ball |
//! | `positions` | positions of vertices as a mesh stores them |
//! | `weld` | vertices with the same position |
//! | `edges` | adjacency: which triangles share an edge |
//! | `inspect`, `report` | the defects of a mesh, their places, and the functions that work in spite of them |
//! | `components`, `triangle_quality`, `union_find` | parts of the inspection |
//! | `primitives` | boxes and cylinders as meshes |
//! | `mass`, `moments`, `holes`, `principal` | volume, centre, inertia, principal axes, and their uncertainty if the mesh is open |
//!
//! No triangle is ever dropped, and triangles keep the order of the input: triangle i of a mesh is triangle i of the file.

mod block;
mod bounds;
mod build;
mod components;
mod edges;
mod holes;
mod inspect;
mod mass;
mod moments;
mod positions;
mod primitives;
mod principal;
mod report;
mod triangle_quality;
mod union_find;
mod weld;

pub use block::{Bounds, LARGEST, LIMIT, Mesh, MeshRef, MeshSizes, NONE, STRIDE};
pub(crate) use bounds::extent;
pub use build::{Halo, MeshInput, build_scratch, refit};
pub(crate) use edges::{Copied, copies};
pub use inspect::{InspectOptions, Inspection, inspect, inspect_scratch};
pub use mass::{MassProperties, mass_properties, mass_scratch};
pub use primitives::{Cuboid, Cylinder};
pub(crate) use principal::principal;
pub use report::{Component, Defect, Finding, NOT_TESTED, Report, works};
pub(crate) use union_find::Sets;
pub(crate) use weld::{Record, sort};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
