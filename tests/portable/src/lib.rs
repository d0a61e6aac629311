//! One list of named hashes over results of every room of `dem-core`, which must be the same on every machine.
//!
//! The host test runs it with every instruction set, CI runs it under emulation of other processors, and the firmware in
//! `tests/bare-metal` without an operating system. `golden.txt` holds the one right answer. Inputs are generated, memory
//! is one block of [`MEMORY`] bytes, and nothing here uses more than the core itself does.
#![no_std]

mod balls;
mod blocks;
mod bodies;
mod capsules;
mod contacts;
mod corners;
mod crossings;
mod grids;
mod hash;
mod history;
mod hybrids;
mod lanes;
mod levels;
mod lives;
mod meshes;
mod motion;
mod points;
mod poses;
mod queries;
mod random;
mod reals;
mod scales;
mod scenes;
mod seats;
mod shapes;
mod trees;
mod triangles;
mod worlds;

pub use hash::Hash;
pub use random::Random;

use dem_core::error::Result;
use dem_core::simd::Isa;

/// What one case computes: a hash of everything that it calls, with this instruction set, in the memory that it is lent.
pub type Run = fn(isa: Isa, memory: &mut [u8]) -> Result<u64>;

/// The cases by name.
pub const CASES: &[(&str, Run)] = &[
    ("reals", reals::run),
    ("poses", poses::run),
    ("lanes", lanes::run),
    ("blocks", blocks::run),
    ("triangles", triangles::run),
    ("meshes", meshes::run),
    ("trees", trees::run),
    ("queries", queries::run),
    ("hybrids", hybrids::run),
    ("points", points::run),
    ("crossings", crossings::run),
    ("contacts", contacts::run),
    ("shapes", shapes::run),
    ("history", history::run),
    ("corners", corners::run),
    ("levels", levels::run),
    ("scales", scales::run),
    ("grids", grids::run),
    ("scenes", scenes::run),
    ("lives", lives::run),
    ("motion", motion::run),
    ("worlds", worlds::run),
    ("balls", balls::run),
    ("capsules", capsules::run),
    ("seats", seats::run),
];

/// Bytes that suffice for every case, to be aligned to 64.
pub const MEMORY: usize = 1 << 21;

/// Lines of `name hash`, in the order of [`CASES`].
pub const GOLDEN: &str = include_str!("../golden.txt");

/// Whether a hash is the one that `golden.txt` has under this name.
pub fn is_golden(name: &str, hash: u64) -> bool {
    let mut lines = GOLDEN.lines().filter_map(|line| line.split_once(' '));
    lines.any(|(n, h)| n == name && u64::from_str_radix(h, 16) == Ok(hash))
}
