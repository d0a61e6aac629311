//! The C interface of dem: it checks and converts arguments and results, and has no algorithms of its own.
//!
//! `make header` makes the headers in `include/` from these files, one chapter from each. If other files need the
//! structs of a chapter, its constants and structs are in `structs.rs`, in the folder of the chapter. The comments of
//! functions, structs and constants are the manual for C users.
//!
//! | feature | what it does |
//! | --- | --- |
//! | `freestanding`, off | no std, and a panic calls `dem_host_panic`. Without this feature, every C function catches panics |
//! | `arch`, on | that of `dem-core`: square roots by an instruction of the processor |
//! | `capi`, off | nothing: `cargo cinstall` of cargo-c asks for it |
#![cfg_attr(all(feature = "freestanding", not(test)), no_std)]
// Types have the names that C sees.
#![allow(non_camel_case_types)]
// The comments tell what a caller must guarantee in the words of C, without the heading that Rust expects.
#![allow(clippy::missing_safety_doc)]

pub mod arrays;
mod bodies;
pub mod body_contacts;
pub mod boxes;
pub mod clamp;
pub mod compound_mass;
pub mod contacts;
pub mod corners;
pub mod crossings;
pub mod defaults;
pub mod detect;
mod edge;
pub mod elementary;
pub mod errors;
mod first;
pub mod follow;
mod fpenv;
#[cfg(all(feature = "freestanding", not(test)))]
mod freestanding;
pub mod grids;
pub mod grow;
pub mod history;
mod inputs;
pub mod inspection;
pub mod isa;
pub mod laws;
#[doc(hidden)]
pub mod layouts;
pub mod loads;
pub mod mass;
pub mod memory;
pub mod motion;
pub mod moving;
pub mod near;
mod outputs;
pub mod pair_contacts;
mod pairing;
pub mod phases;
pub mod placed;
pub mod points;
pub mod queries;
pub mod rays;
mod records;
pub mod refit;
pub mod scene_corners;
mod scene_drive;
pub mod scene_room;
pub mod scenes;
mod scratch;
mod search;
pub mod shapes;
mod shortage;
pub mod solids;
mod strided;
#[doc(hidden)]
pub mod structs;
pub mod tasks;
#[cfg(test)]
mod testing;
pub mod triangles;
pub mod version;
pub mod world_bodies;
pub mod world_corners;
mod world_drive;
pub mod world_exchange;
pub mod world_grow;
pub mod world_overlaps;
pub mod world_rays;
pub mod world_springs;
pub mod world_steps;
pub mod world_views;
pub mod worlds;
