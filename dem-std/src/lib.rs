//! Files, generators, threads and the `dem` program, on top of `dem-core`.
//!
//! | room | what is in it |
//! | --- | --- |
//! | [`Triangles`] | an owned mesh: vertices and triples of indices |
//! | [`files`] | STL, OBJ and PLY, read strictly and written simply |
//! | [`generate`] | spheres, boxes, plates, hulls, bumpy and elongated bodies, from seeds |
//! | [`random`] | splitmix64 |
//! | [`OwnedMesh`], [`OwnedShape`], [`OwnedCells`] | a mesh, a mesh with its tree, the cells of a mesh, that own their memory |
//! | [`ContactFinder`] | contacts of bodies of any shapes, in a list and in scratch that grow; its example is a step of an engine |
//! | [`OwnedScene`] | contacts of many bodies in every step, on threads, in memory that grows |
//! | [`least_thickness`] | where a mesh is thinnest |
//! | [`Memory`] | aligned memory that blocks live in |
//! | [`Threads`] | `dem_core`'s executor on rayon |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod files;
mod finder;
pub mod generate;
mod memory;
mod owned;
pub mod random;
mod scene;
mod thickness;
#[cfg(feature = "rayon")]
mod threads;
mod triangles;

pub use dem_core;
pub use finder::ContactFinder;
pub use memory::Memory;
pub use owned::{OwnedCells, OwnedMesh, OwnedShape};
pub use scene::OwnedScene;
pub use thickness::{Thickness, least_thickness};
#[cfg(feature = "rayon")]
pub use threads::Threads;
pub use triangles::Triangles;

/// The Rust of the README, run as the other examples are.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
