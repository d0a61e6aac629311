//! Constants and structs of steps of a world.

use dem_core::detect::Wrench;
use dem_core::world::{Phase, PollResult, SPRINGS, TooFast};

use crate::detect::DEM_GROUPING_REGIONS;
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::laws::dem_interaction;
use crate::layouts::fixed;
use crate::moving::dem_scene_surface;
use crate::placed::dem_placed;
use crate::records::mirrored;
use crate::tasks::{ALONE, dem_tasks};
use crate::world_bodies::dem_wrench;

/// For `dem_world_begin`: stop at `DEM_WANT_LOADS`.
pub const DEM_ASK_LOADS: u32 = 1;
/// For `dem_world_begin`: stop at `DEM_WANT_LAW`.
pub const DEM_ASK_LAW: u32 = 2;

/// A phase is done: poll again.
pub const DEM_WANT_MORE: u32 = 0;
/// The program may change its loads, then polls again.
pub const DEM_WANT_LOADS: u32 = 1;
/// The program applies its law, then polls again.
pub const DEM_WANT_LAW: u32 = 2;
/// The step is complete.
pub const DEM_WANT_DONE: u32 = 3;
/// Bodies approach each other too fast for this step.
pub const DEM_WANT_STUCK: u32 = 4;

/// Between steps.
pub const DEM_PHASE_IDLE: u32 = 0;
/// The next poll finds contacts.
pub const DEM_PHASE_FIND: u32 = 1;
/// The next poll applies the law.
pub const DEM_PHASE_LAW: u32 = 2;
/// The program applies its law.
pub const DEM_PHASE_HOST_LAW: u32 = 3;
/// The program reads and sets its loads.
pub const DEM_PHASE_LOADS: u32 = 4;
/// The next poll moves the bodies.
pub const DEM_PHASE_MOVE: u32 = 5;
/// Complete, not yet accepted.
pub const DEM_PHASE_DONE: u32 = 6;
/// The step is too long for the speed at which bodies approach.
pub const DEM_PHASE_STUCK: u32 = 7;

const _: () = assert!(
    DEM_WANT_MORE == PollResult::More as u32
        && DEM_WANT_LOADS == PollResult::Loads as u32
        && DEM_WANT_LAW == PollResult::Law as u32
        && DEM_WANT_DONE == PollResult::Done as u32
        && DEM_WANT_STUCK == PollResult::Stuck as u32
        && DEM_PHASE_IDLE == Phase::Idle as u32
        && DEM_PHASE_FIND == Phase::Find as u32
        && DEM_PHASE_LAW == Phase::Law as u32
        && DEM_PHASE_HOST_LAW == Phase::HostLaw as u32
        && DEM_PHASE_LOADS == Phase::Loads as u32
        && DEM_PHASE_MOVE == Phase::Move as u32
        && DEM_PHASE_DONE == Phase::Done as u32
        && DEM_PHASE_STUCK == Phase::Stuck as u32
        && size_of::<dem_springs>() == size_of::<[[f64; 3]; SPRINGS]>()
);

/// The input of polls: the shapes of bodies, settings of the search for contacts, the law. The world keeps none of it: pass the same query
/// in all polls of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_world_query {
    /// `sizeof(dem_world_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// The table of shapes, as for `dem_scene_query`: with `part_pose` of dem_mass as the `pose` of a mesh. `scale` is ignored.
    pub shapes: *const dem_placed,
    /// Number of shapes.
    pub shape_count: usize,
    /// Bytes from one to the next; 0: `sizeof(dem_placed)` of version 0.1.
    pub shape_stride: usize,
    /// The table of interactions: see `dem_interaction`. May be null if the program has a law of its own.
    pub interactions: *const dem_interaction,
    /// Number of interactions: 1, 3, 6, 10, ...
    pub interaction_count: usize,
    /// The most near pairs of triangles that any two bodies have; 0: 256.
    pub pairs: usize,
    /// The most contacts of two bodies; 0: 64.
    pub pair_contacts: usize,
    /// Which nodes form one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default.
    pub grouping: usize,
    /// Threads of the program; none by default.
    pub tasks: dem_tasks,
    /// As for `dem_scene_query`; infinity by default.
    pub bound: f64,
    /// As for `dem_scene_query`: the skin of a neighbour list, which changes no result. 0, the default: the world chooses it by the speed
    /// of the bodies.
    pub skin: f64,
    /// As for `dem_scene_query`; a quarter of pi by default.
    pub angle: f64,
    /// 1: contacts have their `energy`, and `stored_normal` of `dem_world_measure` is exact for `DEM_NORMAL_PRESSURE`. This takes some more
    /// time; no motion depends on it, but `dem_world_hash` does. 0 by default.
    pub energies: u64,
    /// Bodies whose vertices move by themselves, with slots as `body`; `dem_surface_of` fills one. Velocities at contacts, for `interactions` as for
    /// `dem_world_law`, include those of the vertices, and so does the check for bodies that are too fast. Springs go with the vertices. May be null,
    /// the default.
    pub surfaces: *const dem_scene_surface,
    /// Number of these bodies.
    pub surface_count: usize,
    /// Bytes from one to the next; 0: `sizeof(dem_scene_surface)` of version 0.1.
    pub surface_stride: usize,
    /// 0.
    pub reserved: usize,
}

fixed!(dem_world_query {
    struct_size: u32,
    isa: u32,
    shapes: *const dem_placed,
    shape_count: usize,
    shape_stride: usize,
    interactions: *const dem_interaction,
    interaction_count: usize,
    pairs: usize,
    pair_contacts: usize,
    grouping: usize,
    tasks: dem_tasks,
    bound: f64,
    skin: f64,
    angle: f64,
    energies: u64,
    surfaces: *const dem_scene_surface,
    surface_count: usize,
    surface_stride: usize,
    reserved: usize,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers; a callback may be null.
unsafe impl Input for dem_world_query {
    const DEFAULT: Self = dem_world_query {
        struct_size: size_of::<dem_world_query>() as u32,
        isa: DEM_ISA_BEST,
        shapes: core::ptr::null(),
        shape_count: 0,
        shape_stride: 0,
        interactions: core::ptr::null(),
        interaction_count: 0,
        pairs: 0,
        pair_contacts: 0,
        grouping: DEM_GROUPING_REGIONS as usize,
        tasks: ALONE,
        bound: f64::INFINITY,
        skin: 0.0,
        angle: core::f64::consts::FRAC_PI_4,
        energies: 0,
        surfaces: core::ptr::null(),
        surface_count: 0,
        surface_stride: 0,
        reserved: 0,
    };
}

/// Two bodies that approach each other too fast for a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_too_fast {
    /// Slot of one body.
    pub a: u32,
    /// Slot of the other body; the same for a body and its periodic image, and for a body that moves by more than a period.
    pub b: u32,
    /// The approach in the step over the allowed approach, which is half of the sum of both halos. If an arc
    /// adds more than the approach itself, half of the sum of both counts as the approach. If a body moves by more than a period, the number of
    /// periods. 0 if no pair approaches.
    pub ratio: f64,
    /// A time step that is short enough for all pairs. If a body moves by more than a period, a time step that is short enough for the
    /// check of pairs.
    pub dt: f64,
}

fixed!(dem_too_fast { a: u32, b: u32, ratio: f64, dt: f64 });
mirrored!(dem_too_fast, TooFast: a, b, ratio, dt);

/// How two surfaces move at a contact.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_meeting {
    /// Velocity of A's surface less that of B's, in world axes.
    pub velocity: [f64; 3],
    /// Angular velocity of A's surface less that of B's. Where vertices of `surfaces` move, it has the rotation of the triangle below the contact.
    pub spin: [f64; 3],
}

fixed!(dem_meeting { velocity: [f64; 3], spin: [f64; 3] });

const _: () = assert!(size_of::<dem_meeting>() == size_of::<Wrench>());

/// The data that a contact keeps from step to step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_springs {
    /// Vectors 0 to 2 rotate with the contact: the springs of sliding (across the normal), torsion (along it) and rolling (across it). Vectors 3 and
    /// 4 are numbers for `dem_world_measure`. Vector 3: energy stored by the normal force, normal stiffness, tangential stiffness. Vector 4: energy
    /// stored by springs, energy that damping dissipated and work done against friction in the step. A law of the program that does not compute them
    /// leaves zeros. The laws of the library read two of these in the next step. With the energy stored by springs, a contact keeps its energy while
    /// its share of the stiffness changes (0: springs count as they are). For meshes with torsion, vector 2 is the arm, a length, from the contact to
    /// the place where springs hold.
    pub vectors: [[f64; 3]; 5],
}

fixed!(dem_springs { vectors: [[f64; 3]; 5] });

/// Input and output of a law of the program. Each list has an item for each contact of `dem_world_contacts`. The memory belongs to the
/// world, and the pointers are valid until the next call that changes the world.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_host_law {
    /// How surfaces move, including the velocities of vertices of `surfaces` and the rotation that they cause.
    pub meetings: *const dem_meeting,
    /// The law writes here the force on A at `position` of the contact, and the torque beside this force. Both are zero at first. The world applies
    /// the opposite to B.
    pub acts: *mut dem_wrench,
    /// The springs of contacts, carried over from the last step with the bodies and the vertices of `surfaces`. The law writes the new springs here.
    /// The next step has them if this step is accepted.
    pub springs: *mut dem_springs,
    /// Number of contacts.
    pub count: usize,
    /// Bytes from one meeting to the next, in the library that runs.
    pub meeting_stride: usize,
    /// Bytes from one of `acts` to the next.
    pub wrench_stride: usize,
    /// Bytes from one of `springs` to the next.
    pub spring_stride: usize,
}

fixed!(dem_host_law {
    meetings: *const dem_meeting,
    acts: *mut dem_wrench,
    springs: *mut dem_springs,
    count: usize,
    meeting_stride: usize,
    wrench_stride: usize,
    spring_stride: usize,
});
