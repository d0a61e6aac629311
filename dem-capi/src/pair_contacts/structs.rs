//! Constants and structs of contacts of two bodies.

use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::placed::{POINT, dem_placed};
use crate::tasks::{ALONE, dem_tasks};

/// Two bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_placed_query {
    /// `sizeof(dem_placed_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// Name of the body pair: the first half of each contact's key. Any number; 0 by default.
    pub tag: u64,
    /// The first body; by default a point without halo at the origin.
    pub a: dem_placed,
    /// The second body; the same point by default.
    pub b: dem_placed,
    /// Threads of the program, which `dem_placed_contacts` uses for two large meshes; none by default.
    pub tasks: dem_tasks,
    /// The list that `dem_placed_list` has written for these bodies. `dem_placed_contacts` then uses its triangles and does not search.
    /// Null, the default: it searches. Aligned as `uint64_t`. Other functions ignore the list.
    pub list: *const u64,
    /// Number of words in the list.
    pub list_count: usize,
    /// 1: contacts have their `energy`, which takes some more time; 0, the default: they do not. It changes no other number.
    pub energies: u64,
    /// 1: contacts have their `offset`, `spread` and `curvature`, which takes some more time for meshes; 0, the default: they do not. It changes no
    /// other number.
    pub spreads: u64,
}

fixed!(dem_placed_query {
    struct_size: u32,
    isa: u32,
    tag: u64,
    a: dem_placed,
    b: dem_placed,
    tasks: dem_tasks,
    list: *const u64,
    list_count: usize,
    energies: u64,
    spreads: u64,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_placed_query {
    const DEFAULT: Self = dem_placed_query {
        struct_size: size_of::<dem_placed_query>() as u32,
        isa: DEM_ISA_BEST,
        tag: 0,
        a: POINT,
        b: POINT,
        tasks: ALONE,
        list: core::ptr::null(),
        list_count: 0,
        energies: 0,
        spreads: 0,
    };
}
