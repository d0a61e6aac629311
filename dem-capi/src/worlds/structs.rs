//! Constants and structs of worlds.

use dem_core::body::{Order, Rotation};
use dem_core::world::Records;

use crate::inputs::Input;
use crate::layouts::fixed;

/// A world: the address of its block.
pub struct dem_world {
    _block: [u8; 0],
}

/// The room of a world's block.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_world_desc {
    /// `sizeof(dem_world_desc)`.
    pub struct_size: u32,
    /// The most bodies.
    pub bodies: u32,
    /// The most pairs of bodies whose bounds meet; 0: eight for each body and 1024 more.
    pub candidates: u32,
    /// The most contacts, and also the most pairs of bodies that have some; 0: four for each body and 1024 more.
    pub contacts: u32,
    /// Cell sizes, 1 to 64; 8 by default, which is good for most size ratios.
    pub levels: u32,
    /// The most nodes of contacts; 0: eight for each contact, which is enough for boxes and for meshes of some hundred triangles. The error of a poll
    /// without scratch estimates how many finer meshes need.
    pub nodes: u32,
    /// One of `DEM_RECORDS_*`. With DEM_RECORDS_NONE, a 0 in `candidates`, `contacts` and `nodes` means no room, for a world of balls without
    /// records. If a step needs some room, it returns DEM_ERROR_CAPACITY, which tells how much.
    pub records: u32,
    /// The most pairs of balls and half-spaces in the list of steps without records; 0: as many as `candidates`, or, if these are 0, four for each
    /// body and 1024 more. DEM_ERROR_CAPACITY about `candidates` with a `component` of 1 is about this size.
    pub ball_pairs: u32,
    /// The most of these pairs whose bounds meet. A pair counts 1 if laws have sliding friction only, 5/4 if some law has torsion, 2 if some law has
    /// rolling resistance, and 4 if some bodies are compounds of balls. 0: as many as `contacts`, or, if these are 0, four for each body and 1024
    /// more. DEM_ERROR_CAPACITY about `contacts` with a `component` of 1 is about this size.
    pub ball_contacts: u32,
    /// The most events of a window, in a world that watches (`watch` of dem_world_setup). DEM_ERROR_CAPACITY about `events` is about this size.
    pub events: u32,
}

fixed!(dem_world_desc {
    struct_size: u32,
    bodies: u32,
    candidates: u32,
    contacts: u32,
    levels: u32,
    nodes: u32,
    records: u32,
    ball_pairs: u32,
    ball_contacts: u32,
    events: u32,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_world_desc {
    const DEFAULT: Self = dem_world_desc {
        struct_size: size_of::<dem_world_desc>() as u32,
        bodies: 0,
        candidates: 0,
        contacts: 0,
        levels: 8,
        nodes: 0,
        records: DEM_RECORDS_LAST,
        ball_pairs: 0,
        ball_contacts: 0,
        events: 0,
    };
}

/// The last step of a window of `dem_world_advance` has records of all contacts.
pub const DEM_RECORDS_LAST: u32 = 0;
/// If the law is a table of dem_interaction, no step of a window has records of pairs of balls and half-spaces that do not need them. After
/// a window, a world of balls and half-spaces alone shows no contacts, forces at contacts or springs, and `dem_world_measure` has no
/// numbers of contacts. The world keeps the springs with the pairs instead.
pub const DEM_RECORDS_NONE: u32 = 1;

/// Velocities first, then positions with the new velocities: conserves energies of springs.
pub const DEM_ORDER_SEMI_IMPLICIT: u32 = 0;
/// Positions first, with the old velocities: adds energy to springs; for comparisons.
pub const DEM_ORDER_EXPLICIT: u32 = 1;
/// Rotations about the principal axes one after the other: second order, conserves angular momentum.
pub const DEM_ROTATION_SPLITTING: u32 = 0;
/// With the gyroscopic torque at the start of the step: first order; for comparisons.
pub const DEM_ROTATION_GYROSCOPIC: u32 = 1;

const _: () = assert!(
    DEM_ORDER_SEMI_IMPLICIT == Order::SemiImplicit as u32
        && DEM_ORDER_EXPLICIT == Order::Explicit as u32
        && DEM_ROTATION_SPLITTING == Rotation::Splitting as u32
        && DEM_ROTATION_GYROSCOPIC == Rotation::Gyroscopic as u32
        && DEM_RECORDS_LAST == Records::Last as u32
        && DEM_RECORDS_NONE == Records::None as u32
);

/// Settings for all steps of a world, until they are changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_world_setup {
    /// `sizeof(dem_world_setup)`.
    pub struct_size: u32,
    /// One of `DEM_ORDER_*`.
    pub order: u32,
    /// One of `DEM_ROTATION_*`.
    pub rotation: u32,
    /// One of `DEM_RECORDS_*`.
    pub records: u32,
    /// Acceleration of gravity; none by default.
    pub gravity: [f64; 3],
    /// Lengths of the box along axes that are periodic, 0 along others. A body that leaves the box enters it at the other side: coordinates are kept
    /// between 0 and the period.
    pub periods: [f64; 3],
    /// 1: the world watches all steps of a window. Then `events` of `dem_world_view` lists the pairs of bodies that begin or cease to touch
    /// in any step. The numbers of `dem_world_measure` that begin with `window_` then cover all steps. Watching takes a pass over contacts
    /// in each step, and changes no bit of the motion. Worlds of compounds of balls, balls and half-spaces alone are an exception: they
    /// take general steps then, which agree to rounding. 0, the default: there are no events, and these numbers are those of the last step.
    pub watch: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_world_setup {
    struct_size: u32,
    order: u32,
    rotation: u32,
    records: u32,
    gravity: [f64; 3],
    periods: [f64; 3],
    watch: u32,
    reserved: u32,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_world_setup {
    const DEFAULT: Self = dem_world_setup {
        struct_size: size_of::<dem_world_setup>() as u32,
        order: DEM_ORDER_SEMI_IMPLICIT,
        rotation: DEM_ROTATION_SPLITTING,
        records: DEM_RECORDS_LAST,
        gravity: [0.0; 3],
        periods: [0.0; 3],
        watch: 0,
        reserved: 0,
    };
}
