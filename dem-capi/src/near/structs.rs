//! Constants and structs of bodies as spheres.

use crate::arrays::{NO_ARRAY, NO_WORDS, dem_array};
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::tasks::{ALONE, dem_tasks};

/// Spheres, and the margin within which they are pairs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_near_query {
    /// `sizeof(dem_near_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// 3; or 2 for discs, whose third components are ignored.
    pub dimensions: u32,
    /// 0.
    pub reserved: u32,
    /// Threads of the program; none by default.
    pub tasks: dem_tasks,
    /// Lengths of the box along periodic axes, 0 along others; 0, 0, 0 by default. Centres may be outside of the box.
    pub periods: [f64; 3],
    /// Spheres that are up to this far apart are pairs, too; finite and not negative; 0 by default.
    pub margin: f64,
    /// Centres, three numbers each. Their count is the number of bodies; fewer than 2^31.
    pub centres: dem_array,
    /// Radii, one number each, not negative.
    pub radii: dem_array,
    /// `DEM_MOTION_*`. Two bodies that are both not dynamic are no pair, except a kinematic body and a ghost. `DEM_U32`; 0 by default.
    pub motions: dem_array,
    /// Bits of the groups to which a body belongs; `DEM_U32`; all by default.
    pub groups: dem_array,
    /// Bits of the groups with which a body is paired. The condition must hold for both bodies. `DEM_U32`; all by default.
    pub masks: dem_array,
}

fixed!(dem_near_query {
    struct_size: u32,
    isa: u32,
    dimensions: u32,
    reserved: u32,
    tasks: dem_tasks,
    periods: [f64; 3],
    margin: f64,
    centres: dem_array,
    radii: dem_array,
    motions: dem_array,
    groups: dem_array,
    masks: dem_array,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers; a callback may be null.
unsafe impl Input for dem_near_query {
    const DEFAULT: Self = dem_near_query {
        struct_size: size_of::<dem_near_query>() as u32,
        isa: DEM_ISA_BEST,
        dimensions: 3,
        reserved: 0,
        tasks: ALONE,
        periods: [0.0; 3],
        margin: 0.0,
        centres: NO_ARRAY,
        radii: NO_ARRAY,
        motions: NO_WORDS,
        groups: NO_WORDS,
        masks: NO_WORDS,
    };
}

/// How far bodies have moved since a list was made.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_near_motion {
    /// The largest sum, for two bodies, of the distances that they have moved and of the growth of their radii; 0 if nothing has moved.
    pub sum: f64,
    /// The largest such number for a single body.
    pub farthest: f64,
    /// How much larger the margin of the list is than that of `now`. The list is valid while `sum <= skin`; a list with boxes that have not
    /// moved is valid while `farthest <= skin`.
    pub skin: f64,
}

fixed!(dem_near_motion { sum: f64, farthest: f64, skin: f64 });
