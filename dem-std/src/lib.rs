//! Files, generators, threads and the `dem` program, on top of `dem-core`.
//!
//! | item | what is in it |
//! | --- | --- |
//! | [`prelude`] | the names that most programs need, in one `use` |
//! | [`Triangles`] | an owned mesh: vertices and triples of indices |
//! | [`files`] | strict readers and simple writers of STL, OBJ and PLY |
//! | [`generate`] | spheres, boxes, plates, hulls, bumpy and elongated bodies, from seeds |
//! | [`random`] | splitmix64 |
//! | [`OwnedMesh`], [`OwnedShape`], [`OwnedCells`] | a mesh, a mesh with its tree, the cells of a mesh; each owns its memory |
//! | [`ContactFinder`] | contacts of two bodies of any shapes, in memory that grows; its example is a step of an engine |
//! | [`OwnedScene`] | contacts of many bodies in every step, on threads, in memory that grows |
//! | [`OwnedWorld`] | bodies that move, on threads, in memory that grows |
//! | [`page`] | an HTML file that shows bodies, contacts and plots |
//! | [`Memory`] | aligned memory for blocks and scratch |
//! | [`Threads`] | `dem_core`'s executor on rayon |
//!
//! | feature | what it does |
//! | --- | --- |
//! | `rayon`, on | [`Threads`], and with it [`OwnedScene::new`] and [`OwnedWorld::new`]; without it they take an executor of the program |
//! | `program`, on | builds the program `dem`, with the crates that only it needs. Libraries that depend on this crate can switch it off: `default-features = false, features = ["rayon"]` |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod compound;
pub mod files;
mod finder;
pub mod generate;
mod memory;
mod owned;
pub mod page;
pub mod prelude;
pub mod random;
mod scene;
#[cfg(feature = "rayon")]
mod threads;
mod triangles;
mod world;

pub use compound::compound_mass;
pub use dem_core;
pub use finder::ContactFinder;
pub use memory::Memory;
pub use owned::{OwnedCells, OwnedMesh, OwnedShape};
pub use scene::OwnedScene;
#[cfg(feature = "rayon")]
pub use threads::Threads;
pub use triangles::Triangles;
pub use world::OwnedWorld;

/// Runs the Rust examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
