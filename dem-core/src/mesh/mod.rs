//! Triangle soups: built from indexed triangles or loose ones, with who neighbours whom, as one block.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `block` | the sections of a mesh, and what can be read from them |
//! | `build` | from a host's arrays to a block; new vertex positions; new halos |
//! | `weld` | which vertices have the same position |
//! | `edges` | which triangles share which edge |
//! | `inspect`, `report` | what is wrong with a mesh, where, and what works all the same |
//! | `components`, `shape`, `sets` | what the inspection is made of |
//! | `solids` | boxes and cylinders as meshes |
//! | `mass`, `moments`, `holes`, `principal` | volume, centre, inertia, principal axes, and their errors where it is open |
//!
//! No triangle is ever dropped, and triangles keep the order of the input: triangle i of a mesh is triangle i of the file.

mod block;
mod build;
mod components;
mod edges;
mod holes;
mod inspect;
mod mass;
mod moments;
mod principal;
mod report;
mod sets;
mod shape;
mod solids;
mod weld;

pub use block::{Bounds, LARGEST, LIMIT, Mesh, MeshRef, MeshSizes, NONE, STRIDE};
pub use build::{Halo, MeshInput, build_scratch, refit};
pub(crate) use edges::{Copied, copies};
pub use inspect::{InspectOptions, Inspection, inspect, inspect_scratch};
pub use mass::{MassProperties, mass_properties, mass_scratch};
pub(crate) use principal::principal;
pub use report::{Component, Defect, Finding, NOT_TESTED, Report, works};
pub(crate) use sets::Sets;
pub use solids::{Cuboid, Cylinder};
pub(crate) use weld::{Record, sort};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
