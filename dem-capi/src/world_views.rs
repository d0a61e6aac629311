//! What is in worlds.
//!
//! Bodies, forces, springs and contacts where they lie in the world's block, and numbers of a step: energies, momenta, whether steps are short enough.

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

/// Two bodies begin or end to touch, in one of the steps of a window.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_pair_event {
    /// Ids of A and B, that of A the smaller one.
    pub ids: [u64; 2],
    /// Their slots.
    pub bodies: [u32; 2],
    /// `DEM_EVENT_BEGIN` or `DEM_EVENT_END`.
    pub what: u32,
    /// 0.
    pub reserved: u32,
    /// The time at which that was seen: the begin of a step.
    pub time: f64,
}

fixed!(dem_pair_event { ids: [u64; 2], bodies: [u32; 2], what: u32, reserved: u32, time: f64 });
const _: () = assert!(size_of::<dem_pair_event>() == size_of::<PairEvent>());

/// What is in a world, in its block: it is there until the next call that changes the world. None of the pointers is null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_world_slots {
    /// The accepted state of each slot; free ones are static.
    pub bodies: *const dem_body,
    /// What the step makes of them, at `DEM_WANT_DONE`.
    pub moved: *const dem_body,
    /// Names.
    pub ids: *const u64,
    /// Places in the table of shapes.
    pub shapes: *const u32,
    /// Rows in the table of interactions.
    pub materials: *const u32,
    /// Factors of lengths.
    pub scales: *const f64,
    /// The program's loads.
    pub loads: *const dem_wrench,
    /// What contacts exert on each slot, in the step that has found them last, taken back or not; null in a world without room for contacts.
    pub wrenches: *const dem_wrench,
    /// The same as a mean over the window of `dem_world_advance`; null where `wrenches` are.
    pub mean_wrenches: *const dem_wrench,
    /// How many slots there are; in `moved` only at `DEM_WANT_DONE`.
    pub count: usize,
    /// Force and torque on A at each contact of `dem_world_contacts`; B feels the opposite.
    pub acts: *const dem_wrench,
    /// How many.
    pub act_count: usize,
    /// What each contact of the accepted step keeps.
    pub springs: *const dem_springs,
    /// How many.
    pub spring_count: usize,
    /// Time of the accepted state.
    pub time: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Where a step stands: one of `DEM_PHASE_*`.
    pub phase: u32,
    /// Bodies: slots that are not free.
    pub bodies_there: u32,
    /// The pair that approaches fastest, as far as the step has looked.
    pub too_fast: dem_too_fast,
    /// Bytes from one body to the next, in the library that runs.
    pub body_stride: usize,
    /// Of loads, wrenches and acts.
    pub wrench_stride: usize,
    /// Of springs.
    pub spring_stride: usize,
    /// Of events.
    pub event_stride: usize,
    /// Which pairs of bodies began and ended to touch in the last window (or in the last step that was polled), in the order of steps, then of ids: in a world that watches (`watch` of dem_world_setup). A pair that began and ended is told as
    /// both. Bodies that were removed are not told of.
    pub events: *const dem_pair_event,
    /// How many.
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
    /// Pairs of bodies in contact.
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
    /// Potential energy by gravity: against the origin.
    pub potential: f64,
    /// Work of contacts and loads on dynamic bodies in the last step, or in the last window.
    pub work: f64,
    /// Work of gravity.
    pub gravity_work: f64,
    /// Energy stored by normal forces at the begin of the last step.
    pub stored_normal: f64,
    /// By springs of friction, torsion and rolling.
    pub stored_tangential: f64,
    /// Energy that damping has dissipated in the last step, or in the last window.
    pub damped: f64,
    /// The same by friction: work done against it, less what the springs of all contacts hold more than before.
    pub rubbed: f64,
    /// The smallest gap of all contacts; infinite where there is none.
    pub least_gap: f64,
    /// The fastest approach at a contact in a step, over its halo. Up to 0.1 is accurate.
    pub approach: f64,
    /// Slots of the two bodies that approach so.
    pub approaching: [u32; 2],
    /// A bound for the largest angular frequency of all bodies; 0 where the law tells no stiffness. A step is stable where `frequency dt` is below 2, and accurate at 0.2.
    pub frequency: f64,
    /// The slot that it comes from.
    pub stiffest: u32,
    /// 0.
    pub reserved: u32,
    /// What the look for bodies that are too fast found.
    pub too_fast: dem_too_fast,
    /// Sum over contacts of the way from the centre of mass of each dynamic body to the contact, times the force on it: component i of the way times
    /// component j of the force is number 3 i + j. Divided by the volume of a packing it is its mean stress, negative where it is compressed.
    pub virial: [f64; 9],
    /// Coordination number: how many bodies a dynamic body exchanges forces with, in the mean.
    pub coordination: f64,
    /// The smallest gap in all steps of the last window, in a world that watches (`watch` of dem_world_setup); else in the last step. Where it is less than what a law can hold, bodies may have passed through each other.
    pub window_gap: f64,
    /// Likewise the fastest approach, by velocities at the begin of steps.
    pub window_approach: f64,
    /// Slots of the two bodies that approach so.
    pub window_approaching: [u32; 2],
    /// Likewise all bits of `status` of contacts.
    pub window_status: u32,
    /// 0.
    pub reserved_2: u32,
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
    reserved: u32,
    too_fast: dem_too_fast,
    virial: [f64; 9],
    coordination: f64,
    window_gap: f64,
    window_approach: f64,
    window_approaching: [u32; 2],
    window_status: u32,
    reserved_2: u32,
});

/// Where bodies, forces and springs are.
///
/// Outputs: `slots`, of which `slots_size` bytes are written, at most `sizeof(dem_world_slots)`: pointers into the world's block, good until the next call that changes the world.
/// Inputs: `slots_size`: `sizeof(dem_world_slots)`. `world`.
/// Errors: those of the world; `DEM_ERROR_NULL`.
/// Cost: a pass over the bodies, which counts those that are there.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_view(
    slots: *mut dem_world_slots,
    slots_size: usize,
    world: *const dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at.
        unsafe { inputs::write_record(slots, slots_size, &with(world, |world| Ok(view(&world)))?, What::Output) }
    })
}

fn view(world: &WorldRef<'_>) -> dem_world_slots {
    let body = |list: &[Body]| list.as_ptr().cast::<dem_body>();
    let wrench = |list: &[Wrench]| list.as_ptr().cast::<dem_wrench>();
    // A world without room for records has none, for as many bodies as there are.
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

/// The contacts of the step or of the last accepted one, as scenes have them (none after `dem_world_abandon`); at the positions that the step began with. `a` and `b` of their pairs are slots.
///
/// Outputs: `view`, of which `view_size` bytes are written, at most `sizeof(dem_scene_contacts)`: pointers into the world's block, good until the next call that changes the world.
/// Inputs: `view_size`: `sizeof(dem_scene_contacts)`. `world`.
/// Errors: those of the world; `DEM_ERROR_NULL`.
/// Cost: about 0.1 microseconds.
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
        // SAFETY: the caller vouches for what pointers that are not null point at.
        unsafe {
            inputs::write_record(view, view_size, &with(world, |world| Ok(contacts(world.scene())))?, What::Output)
        }
    })
}

/// The scene in a world, for calls that read a scene: `dem_scene_view`, `dem_scene_wrenches`, `dem_scene_velocities` and `dem_scene_loads` with what they need, `dem_scene_events`
/// (of the last step alone: those of all steps of a window are `events` of `dem_world_view`), `dem_scene_carry`. So a law of the program sees, at `DEM_WANT_LAW`, how fast the vertices of a wall move that a flow moves, and what they bear of its forces. Bodies of that scene are slots. It has no margin. Corners are those of `dem_world_corners`.
///
/// Inputs: `world`.
/// Returns: `world` itself, as the pointer that these calls take; calls that would change the scene refuse it (`DEM_ERROR_UNSUPPORTED`). Null for null.
/// Errors: none; those calls look at the world.
/// Cost: none.
/// Threads: any number at a time.
#[unsafe(no_mangle)]
pub extern "C" fn dem_world_scene(world: *const dem_world) -> *const dem_scene {
    world.cast()
}

/// Energies, works, momenta, the deepest gap, and whether steps are short enough.
///
/// Outputs: `report`, of which `report_size` bytes are written, at most `sizeof(dem_world_report)`.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
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
                stiffest: found.stiffest,
                reserved: 0,
                too_fast: found.too_fast.into(),
                virial: core::array::from_fn(|k| found.virial[k / 3][k % 3]),
                coordination: found.coordination,
                window_gap: found.window_gap,
                window_approach: found.window_approach,
                window_approaching: found.window_approaching,
                window_status: found.window_status,
                reserved_2: 0,
            };
            inputs::write_record(report, report_size, &told, What::Output)
        }
    })
}
