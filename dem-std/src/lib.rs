//! Files, generators, threads and the `dem` program, on top of `dem-core`.
pub use dem_core;
