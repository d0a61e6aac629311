//! The content of worlds.
//!
//! Bodies, forces, springs and contacts, read in place in the world's block; and numbers of a step: energies, momenta, whether steps are
//! short enough.

use dem_core::body::{Body, Totals};
use dem_core::detect::{SceneRef, Wrench};
use dem_core::error::What;
use dem_core::world::{PairEvent, Springs, WorldRef};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs;
use crate::layouts::fixed;
use crate::scenes::{dem_scene, dem_scene_contacts, tell_contacts};
use crate::tasks::{Host, dem_tasks, read_tasks};
use crate::world_bodies::{dem_body, dem_wrench};
use crate::world_steps::{dem_springs, dem_too_fast};
use crate::worlds::{dem_world, with};

/// An event: two bodies begin or cease to touch in one of the steps of a window.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_pair_event {
    /// Ids of A and B; that of A is the smaller one.
    pub ids: [u64; 2],
    /// Their slots.
    pub bodies: [u32; 2],
    /// `DEM_EVENT_BEGIN` or `DEM_EVENT_END`.
    pub what: u32,
    /// 0.
    pub reserved: u32,
    /// Time of the event: the start of a step.
    pub time: f64,
}

fixed!(dem_pair_event { ids: [u64; 2], bodies: [u32; 2], what: u32, reserved: u32, time: f64 });
const _: () = assert!(size_of::<dem_pair_event>() == size_of::<PairEvent>());

/// The content of a world, in its block. It is valid until the next call that changes the world. No pointer is null, except those whose comments say
/// so.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_world_slots {
    /// The accepted state of each slot; free ones are static.
    pub bodies: *const dem_body,
    /// The new states of the bodies after the step, at `DEM_WANT_DONE`.
    pub moved: *const dem_body,
    /// Ids of the bodies.
    pub ids: *const u64,
    /// Indices in the table of shapes.
    pub shapes: *const u32,
    /// Numbers of their materials.
    pub materials: *const u32,
    /// Scales: factors of all lengths.
    pub scales: *const f64,
    /// The program's loads.
    pub loads: *const dem_wrench,
    /// The sum of contact forces and torques on each slot, from the step that computed them last, even if it was abandoned. Null in a world
    /// without room for contacts.
    pub wrenches: *const dem_wrench,
    /// The mean of `wrenches` over the window of `dem_world_advance`. For a dynamic body it is the change of momentum over the length of the window,
    /// less loads and weight, with the rounding of these. Null if `wrenches` is null, and after a window that began in a world
    /// without room for contacts.
    pub mean_wrenches: *const dem_wrench,
    /// Number of slots; `moved` has them only at `DEM_WANT_DONE`.
    pub count: usize,
    /// Force and torque on A at each contact of `dem_world_contacts`; those on B are the opposite.
    pub acts: *const dem_wrench,
    /// Number of these.
    pub act_count: usize,
    /// The data that each contact of the accepted step keeps.
    pub springs: *const dem_springs,
    /// Number of these.
    pub spring_count: usize,
    /// Time of the accepted state.
    pub time: f64,
    /// Number of accepted steps.
    pub steps: u64,
    /// Phase of the step: one of `DEM_PHASE_*`.
    pub phase: u32,
    /// Number of bodies: slots that are not free.
    pub bodies_there: u32,
    /// The pair that approaches fastest, among the pairs that the step has checked.
    pub too_fast: dem_too_fast,
    /// Bytes from one body to the next, in the library that runs.
    pub body_stride: usize,
    /// Bytes from one to the next of loads, wrenches and acts.
    pub wrench_stride: usize,
    /// Bytes from one of `springs` to the next.
    pub spring_stride: usize,
    /// Bytes from one event to the next.
    pub event_stride: usize,
    /// In a world that watches (`watch` of dem_world_setup): the pairs of bodies that began or ceased to touch in the last window, or in
    /// the last step that was polled. They are in the order of steps, then of ids. A pair that began and ended has both events. Two bodies
    /// are one pair, through however many periodic images they touch; a body and its own images are a pair, too. Bodies that were removed
    /// have no events.
    pub events: *const dem_pair_event,
    /// Number of events.
    pub event_count: usize,
}

fixed!(dem_world_slots {
    bodies: *const dem_body,
    moved: *const dem_body,
    ids: *const u64,
    shapes: *const u32,
    materials: *const u32,
    scales: *const f64,
    loads: *const dem_wrench,
    wrenches: *const dem_wrench,
    mean_wrenches: *const dem_wrench,
    count: usize,
    acts: *const dem_wrench,
    act_count: usize,
    springs: *const dem_springs,
    spring_count: usize,
    time: f64,
    steps: u64,
    phase: u32,
    bodies_there: u32,
    too_fast: dem_too_fast,
    body_stride: usize,
    wrench_stride: usize,
    spring_stride: usize,
    event_stride: usize,
    events: *const dem_pair_event,
    event_count: usize,
});

/// Numbers of a step, or of the window that `dem_world_advance` went over.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_world_report {
    /// Time of the accepted state.
    pub time: f64,
    /// Length of the step that was begun last.
    pub dt: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Contacts of the last step.
    pub contacts: u64,
    /// Pairs of bodies in contact. Each periodic image is one of its own.
    pub pairs: u64,
    /// Mass of all dynamic bodies.
    pub mass: f64,
    /// Mass times position, about the origin.
    pub first: [f64; 3],
    /// Mass times velocity.
    pub momentum: [f64; 3],
    /// Angular momentum about the origin, spins included.
    pub angular_momentum: [f64; 3],
    /// Kinetic energy of centres of mass.
    pub translation: f64,
    /// Kinetic energy of rotations.
    pub rotation: f64,
    /// Potential energy of gravity, 0 at the origin.
    pub potential: f64,
    /// Work of contacts and loads on dynamic bodies in the last step, or in the last window.
    pub work: f64,
    /// Work of gravity.
    pub gravity_work: f64,
    /// Energy stored by normal forces at the start of the last step.
    pub stored_normal: f64,
    /// Energy stored by springs of friction, torsion and rolling.
    pub stored_tangential: f64,
    /// Energy that damping has dissipated in the last step, or in the last window.
    pub damped: f64,
    /// Energy that friction has dissipated, likewise: the work done against it, less the growth of the energy of the springs of all contacts.
    pub rubbed: f64,
    /// The smallest gap of all contacts; infinite if there are none.
    pub least_gap: f64,
    /// The fastest approach at a contact of the last step in its `dt`, over the halo, by the velocities at the end of that step. Up to 0.1 is
    /// accurate.
    pub approach: f64,
    /// Slots of the two bodies with this approach.
    pub approaching: [u32; 2],
    /// A bound for the largest angular frequency of all bodies; 0 if the law tells no stiffness. A step is stable if `frequency dt` is
    /// below 2, and accurate at 0.2. Damping is not in it: a strong dashpot and a `lag` need shorter steps
    /// (`dem_stable_step`).
    pub frequency: f64,
    /// The slot of the body with this frequency.
    pub stiffest: u32,
    /// The slot of the other body at the contact that adds most to this frequency.
    pub stiffest_partner: u32,
    /// The result of the check for pairs that approach too fast.
    pub too_fast: dem_too_fast,
    /// Sum over the contacts of dynamic bodies: the vector from the body's centre of mass to the contact times the force on the body.
    /// Component i of the vector times component j of the force is number 3 i + j. Divided by the volume of a packing, this is its mean
    /// stress, negative under compression.
    pub virial: [f64; 9],
    /// Coordination number: the mean number of other bodies with which a dynamic body exchanges forces. Each counts once, through however many
    /// contacts and periodic images; a body's own images do not count.
    pub coordination: f64,
    /// The smallest gap in all steps of the last window, in a world that watches (`watch` of dem_world_setup); else in the last step. If it is far
    /// below 0, bodies may have passed through each other.
    pub window_gap: f64,
    /// The fastest approach in all these steps, by the velocities at the start of each; `approach` in a world that does not watch.
    pub window_approach: f64,
    /// Slots of the two bodies with this approach.
    pub window_approaching: [u32; 2],
    /// Likewise all bits of `status` of contacts.
    pub window_status: u32,
    /// 0.
    pub reserved_2: u32,
    /// Ids of the two bodies with `least_gap`; zeros if there are no contacts. `dem_world_find` has their handles.
    pub deepest: [u64; 2],
    /// The part of `work` that is by loads.
    pub load_work: f64,
    /// Work that kinematic bodies, belts and ghosts do at contacts by their velocities, with that of the vertices of `surfaces`.
    pub driven_work: f64,
    /// The error of the energy balance: the growth of kinetic energy and of energy stored, plus what damping and friction have dissipated, less the
    /// works of gravity, loads and driven bodies. Its causes are the length of the step, and laws whose forces have no energy. Energies of cohesion
    /// and others that the law does not report count here, too. What normal forces store after a step is known in the next one. So
    /// this error covers the time from the last step with records of all contacts before this step or window to the last such step in it. It is 0 for
    /// the first step and for a window without records. It is also 0 for the first step after the program has added, removed or moved bodies, or
    /// changed periods or materials. Kinematic bodies and ghosts are expected where their velocities lead. Other moves of them, another table of
    /// interactions, and meshes of another form count as spurious.
    pub spurious: f64,
}

fixed!(dem_world_report {
    time: f64,
    dt: f64,
    steps: u64,
    contacts: u64,
    pairs: u64,
    mass: f64,
    first: [f64; 3],
    momentum: [f64; 3],
    angular_momentum: [f64; 3],
    translation: f64,
    rotation: f64,
    potential: f64,
    work: f64,
    gravity_work: f64,
    stored_normal: f64,
    stored_tangential: f64,
    damped: f64,
    rubbed: f64,
    least_gap: f64,
    approach: f64,
    approaching: [u32; 2],
    frequency: f64,
    stiffest: u32,
    stiffest_partner: u32,
    too_fast: dem_too_fast,
    virial: [f64; 9],
    coordination: f64,
    window_gap: f64,
    window_approach: f64,
    window_approaching: [u32; 2],
    window_status: u32,
    reserved_2: u32,
    deepest: [u64; 2],
    load_work: f64,
    driven_work: f64,
    spurious: f64,
});

/// Gives pointers to the bodies, forces and springs of a world.
///
/// Outputs: `slots`: the function writes `slots_size` bytes, at most `sizeof(dem_world_slots)`. They contain pointers into the world's
/// block, valid until the next call that changes the world.
/// Inputs: `slots_size`: `sizeof(dem_world_slots)`. `world`.
/// Errors: those of the world; `DEM_ERROR_NULL`.
/// Cost: a pass over the slots, which counts the bodies.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_view(
    slots: *mut dem_world_slots,
    slots_size: usize,
    world: *const dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe { inputs::write_record(slots, slots_size, &with(world, |world| Ok(view(&world)))?, What::Output) }
    })
}

fn view(world: &WorldRef<'_>) -> dem_world_slots {
    let body = |list: &[Body]| list.as_ptr().cast::<dem_body>();
    let wrench = |list: &[Wrench]| list.as_ptr().cast::<dem_wrench>();
    // A world without room for records has no forces on bodies: null, although there are bodies.
    let recorded = |list: &[Wrench]| if list.is_empty() { core::ptr::null() } else { wrench(list) };
    let springs: &[Springs] = world.springs();
    dem_world_slots {
        bodies: body(world.bodies()),
        moved: body(world.moved()),
        ids: world.ids().as_ptr(),
        shapes: world.shapes().as_ptr(),
        materials: world.materials().as_ptr(),
        scales: world.scales().as_ptr(),
        loads: wrench(world.loads()),
        wrenches: recorded(world.wrenches()),
        mean_wrenches: recorded(world.mean_wrenches()),
        count: world.len(),
        acts: wrench(world.acts()),
        act_count: world.acts().len(),
        springs: springs.as_ptr().cast(),
        spring_count: springs.len(),
        time: world.time(),
        steps: world.steps(),
        phase: world.phase() as u32,
        bodies_there: world.count() as u32,
        too_fast: world.too_fast().into(),
        body_stride: size_of::<Body>(),
        wrench_stride: size_of::<Wrench>(),
        spring_stride: size_of::<Springs>(),
        event_stride: size_of::<dem_pair_event>(),
        events: world.events().as_ptr().cast(),
        event_count: world.events().len(),
    }
}

/// The contacts of the step or of the last accepted one, as in scenes, at the positions of the start of the step. None after
/// `dem_world_abandon`. `a` and `b` of their pairs are slots.
///
/// Outputs: `view`: the function writes `view_size` bytes, at most `sizeof(dem_scene_contacts)`. They contain pointers into the world's
/// block, valid until the next call that changes the world.
/// Inputs: `view_size`: `sizeof(dem_scene_contacts)`. `world`.
/// Errors: those of the world; `DEM_ERROR_NULL`.
/// Cost: about 0.6 microseconds.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_contacts(
    view: *mut dem_scene_contacts,
    view_size: usize,
    world: *const dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let contacts = |scene: SceneRef<'_>| tell_contacts(&scene);
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            inputs::write_record(view, view_size, &with(world, |world| Ok(contacts(world.scene())))?, What::Output)
        }
    })
}

/// The scene in a world, for calls that read a scene: `dem_scene_view`, `dem_scene_wrenches`, `dem_scene_velocities`, `dem_scene_motions` and
/// `dem_scene_loads` with their scratch functions, `dem_scene_events`, `dem_scene_carry`. (`dem_scene_events` has those of the last step alone;
/// `events` of `dem_world_view` has those of all steps of a window.)
/// So at `DEM_WANT_LAW`, a law of the program can compute the loads on the vertices of a wall that a flow moves. (How surfaces move is in `meetings`;
/// `dem_scene_motions` computes the same.) Bodies of that scene are slots. It has no margin. `dem_world_corners` computes corners.
///
/// Inputs: `world`.
/// Returns: `world` itself, as the pointer that these calls take. Calls that would change the scene refuse it (`DEM_ERROR_UNSUPPORTED`).
/// Null for null.
/// Errors: none; those calls check the world.
/// Cost: none.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub extern "C" fn dem_world_scene(world: *const dem_world) -> *const dem_scene {
    world.cast()
}

/// Measures a world: energies, works, momenta, the deepest gap, and whether steps are short enough.
///
/// Outputs: `report`: the function writes `report_size` bytes, at most `sizeof(dem_world_report)`.
/// Inputs: `report_size`: `sizeof(dem_world_report)`. `world`. `tasks` (may be null): threads of the program.
/// Errors: those of the world; `DEM_ERROR_NULL`.
/// Cost: a pass over bodies and contacts.
/// Threads: any number at a time.
/// Determinism: the same bits with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_measure(
    report: *mut dem_world_report,
    report_size: usize,
    world: *const dem_world,
    tasks: *const dem_tasks,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let tasks = read_tasks(tasks)?;
            let found = with(world, |world| world.report(&Host::new(tasks)))?;
            let Totals { mass, first, momentum, angular_momentum, translation, rotation } = found.totals;
            let told = dem_world_report {
                time: found.time,
                dt: found.dt,
                steps: found.steps,
                contacts: found.contacts as u64,
                pairs: found.pairs as u64,
                mass,
                first,
                momentum,
                angular_momentum,
                translation,
                rotation,
                potential: found.potential,
                work: found.work,
                gravity_work: found.gravity_work,
                stored_normal: found.stored_normal,
                stored_tangential: found.stored_tangential,
                damped: found.damped,
                rubbed: found.rubbed,
                least_gap: found.least_gap,
                approach: found.approach,
                approaching: found.approaching,
                frequency: found.frequency,
                stiffest: found.stiffest[0],
                stiffest_partner: found.stiffest[1],
                too_fast: found.too_fast.into(),
                virial: core::array::from_fn(|k| found.virial[k / 3][k % 3]),
                coordination: found.coordination,
                window_gap: found.window_gap,
                window_approach: found.window_approach,
                window_approaching: found.window_approaching,
                window_status: found.window_status,
                reserved_2: 0,
                deepest: found.deepest,
                load_work: found.load_work,
                driven_work: found.driven_work,
                spurious: found.spurious,
            };
            inputs::write_record(report, report_size, &told, What::Output)
        }
    })
}
