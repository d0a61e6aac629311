//! Files, generators, threads and the `dem` program, on top of `dem-core`.
//!
//! | room | what is in it |
//! | --- | --- |
//! | [`Triangles`] | an owned mesh: vertices and triples of indices |
//! | [`files`] | STL, OBJ and PLY, read strictly and written simply |
//! | [`generate`] | spheres, boxes, plates, hulls, bumpy and elongated bodies, from seeds |
//! | [`random`] | splitmix64 |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod files;
pub mod generate;
pub mod random;
mod triangles;

pub use dem_core;
pub use triangles::Triangles;
