//! Bodies of worlds.
//!
//! dem_world_add gives each body a handle. Its lower 32 bits, `(uint32_t)handle`, are the slot of the body; its upper 32 bits count the earlier
//! bodies in this slot. All arrays of a world are ordered by slots. A body stays in its slot, and the handle of a removed body is refused. Free slots
//! are static bodies without contacts.
//!
//! A body's frame has its origin in the centre of mass and its axes along the principal axes of inertia. To place a mesh in this frame, use
//! `part_pose` of dem_mass as its `pose` in the table of shapes.

mod structs;

use dem_core::body::Body;
use dem_core::detect::Wrench;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::mesh::MassProperties;
use dem_core::world::{BodyDef, Handle};

use crate::arrays::{DEM_F32, DEM_F64, dem_array, dem_output};
pub use crate::detect::{DEM_MOTION_DYNAMIC, DEM_MOTION_GHOST, DEM_MOTION_KINEMATIC, DEM_MOTION_STATIC};
use crate::edge;
use crate::errors::{DEM_NONE, DEM_OK, dem_error};
use crate::inputs::{self, Input};
use crate::mass::dem_mass;
use crate::memory as blocks;
use crate::outputs::Output;
use crate::placed::dem_pose;
use crate::strided::Items;
use crate::worlds::{change, dem_world, stretch, with};
pub use structs::*;

/// Makes a dynamic body at rest, whose mesh has a given pose.
///
/// Outputs: `body`: with its origin in the centre of mass and its axes along the principal ones. Its shape is the mesh with `part_pose` of `mass` as
/// its pose.
/// Inputs: `mass`: of `dem_shape_mass`. `mesh`: the pose of the mesh.
/// Errors: `DEM_ERROR_NULL`; about `pose`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`; about `mass` and `moments`: `DEM_ERROR_OUT_OF_RANGE`, as
/// where the mesh has no volume.
/// Cost: some nanoseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_body_of_mass(
    body: *mut dem_body,
    mass: *const dem_mass,
    mesh: *const dem_pose,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let m = edge::read(mass, What::Mass)?;
            let pose = edge::read(mesh, What::Pose)?;
            let properties = MassProperties {
                mass: m.mass,
                volume: m.volume,
                area: m.area,
                centre: m.centre,
                inertia: m.inertia,
                moments: m.moments,
                axes: m.axes,
                volume_error: m.volume_error,
                centre_error: m.centre_error,
                inertia_error: m.inertia_error,
                holes: m.holes,
                state: m.state,
            };
            edge::write(body, Body::new(&properties, &pose.into())?.into(), What::Output)
        }
    })
}

/// Makes a dynamic ball at rest.
///
/// Outputs: `body`.
/// Inputs: `radius`, `density`: positive. `position`: three numbers.
/// Errors: `DEM_ERROR_NULL`; about `radius`, `density`, `position`, `mass`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_body_ball(
    body: *mut dem_body,
    position: *const f64,
    radius: f64,
    density: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let position = edge::read(position.cast::<[f64; 3]>(), What::Position)?;
            edge::write(body, Body::ball(radius, density, position).map_err(of_round)?.into(), What::Output)
        }
    })
}

/// Makes a dynamic capsule at rest, along the z axis of `pose`, for the shape of `dem_placed_capsule`.
///
/// Outputs: `body`: with the frame of the capsule, so its shape needs no pose.
/// Inputs: `pose`: where it is. `half_length`: of the segment, not negative. `radius`, `density`: positive.
/// Errors: `DEM_ERROR_NULL`; about `half_length`, `radius`, `density`, `pose`, `mass`, `moments`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: some nanoseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_body_capsule(
    body: *mut dem_body,
    pose: *const dem_pose,
    half_length: f64,
    radius: f64,
    density: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let pose = edge::read(pose, What::Pose)?.into();
            let made = Body::capsule(half_length, radius, density, &pose).map_err(of_round)?;
            edge::write(body, made.into(), What::Output)
        }
    })
}

/// Renames an error of the core about an array: in these calls it is an argument.
fn of_round(e: Error) -> Error {
    match e.what {
        What::Positions => Error { what: What::Position, ..e },
        _ => e,
    }
}

pub(crate) fn packed(handle: Handle) -> u64 {
    u64::from(handle.slot) | u64::from(handle.generation) << 32
}

pub(crate) fn unpacked(handle: u64) -> Handle {
    Handle { slot: handle as u32, generation: (handle >> 32) as u32 }
}

/// Adds a body. It takes the slot that became free last, or a new one.
///
/// Outputs: `world`; `handle` (may be null).
/// Inputs: `member`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; with the slot as `index`: `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE`
/// about fields of the member (`body.position`, say, `scale`, or `groups`: none); `DEM_ERROR_DUPLICATE` about `id`, with both slots;
/// `DEM_ERROR_CAPACITY` about `bodies` (`dem_world_grow`; `short_of.bodies`); `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
/// Cost: some nanoseconds; a pass over all ids for the first body with an id after the block has grown.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_add(
    world: *mut dem_world,
    handle: *mut u64,
    member: *const dem_member,
    error: *mut dem_error,
) -> i32 {
    edge::telling(error, |short_of| {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let joined = add(world, &read_member(member)?).inspect_err(|e| {
                if e.kind == Kind::Capacity && e.what == What::Bodies {
                    short_of.bodies = e.needed;
                }
            })?;
            edge::write_optional(handle, joined);
            Ok(())
        }
    })
}

/// Renames an error of the core about an array: in these calls it is a field of one body.
fn of_member(e: Error) -> Error {
    let what = match e.what {
        What::Positions => What::BodyPosition,
        What::Orientations => What::BodyOrientation,
        What::BodyVelocities => What::BodyVelocity,
        What::Spins => What::BodySpin,
        What::Motions => What::BodyMotion,
        What::Mass => What::BodyMass,
        What::Moments => What::BodyMoments,
        What::Scales => What::Scale,
        What::Ids => What::Id,
        _ => return e,
    };
    Error { what, ..e }
}

/// # Safety
/// A pointer that is not null points at a member.
pub(crate) unsafe fn read_member(member: *const dem_member) -> Result<BodyDef> {
    if member.is_null() {
        return Err(Error::new(Kind::Null, What::Member));
    }
    // SAFETY: by this function's contract.
    let raw = unsafe { inputs::read(member, What::Member) }?;
    inputs::zero(raw.reserved, What::Member)?;
    inputs::zero_at(raw.body.reserved, What::Member, inputs::BODY_RESERVED)?;
    let dem_member { shape, material, groups, masks, body, scale, id, .. } = raw;
    let id = (id != DEM_WORLD_NO_ID).then_some(id);
    Ok(BodyDef { body: body.into(), shape, material, scale, groups, masks, id })
}

/// Adds a body and gives its handle.
///
/// # Safety
/// A pointer that is not null points at a world that nothing else uses.
pub(crate) unsafe fn add(world: *mut dem_world, member: &BodyDef) -> Result<u64> {
    // SAFETY: by this function's contract.
    unsafe { change(world, |world| world.add(member).map(packed)).map_err(of_member) }
}

/// Removes a body. In the next step, no other body has contacts with it. Its slot may be used again, with another handle.
///
/// Outputs: `world`.
/// Inputs: `handle`.
/// Errors: those of the world; `DEM_ERROR_BAD_INDEX` about `handle`: there is no such body any more; `DEM_ERROR_UNSUPPORTED` within a step. After an
/// error nothing changes.
/// Cost: none; with `DEM_RECORDS_NONE` a pass over all pairs of balls that touch.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_remove(world: *mut dem_world, handle: u64, error: *mut dem_error) -> i32 {
    // SAFETY: the caller guarantees that a pointer that is not null points at a world.
    edge::call(error, || unsafe { change(world, |world| world.remove(unpacked(handle))) })
}

/// Changes the pose, the velocities, the mass or the kind of motion of a body. A program also moves its kinematic bodies, such as a drum, a plate or
/// a belt, with this function.
///
/// Friction and damping use the velocities of a body, whatever its kind of motion. A kinematic body moves with its velocities in each step, so set
/// these; a new pose alone carries no other body along. A static body with a velocity stays in its place and carries other bodies along. So set the
/// velocities to 0 when you make a body static.
///
/// Outputs: `world`.
/// Inputs: `handle`. `body`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`; those of `dem_world_add` about the body;
/// `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_set_body(
    world: *mut dem_world,
    handle: u64,
    body: *const dem_body,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let body = edge::read(body, What::Body)?;
            inputs::zero_at(body.reserved, What::Body, inputs::BODY_RESERVED)?;
            change(world, |world| world.set_body(unpacked(handle), &body.into())).map_err(of_member)
        }
    })
}

/// Gives all properties of a body in the accepted state. A program may change them with `dem_world_set_member`, or add the body to another world.
///
/// Outputs: `member`: the function writes `struct_size` bytes. `id` is `DEM_WORLD_NO_ID` if the world made the id.
/// Inputs: `struct_size`: `sizeof(dem_member)`. `world`. `handle`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_BAD_INDEX` about `handle`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_member(
    member: *mut dem_member,
    struct_size: usize,
    world: *const dem_world,
    handle: u64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let BodyDef { body, shape, material, scale, groups, masks, id } =
                with(world, |world| world.member(unpacked(handle)))?;
            let id = id.unwrap_or(DEM_WORLD_NO_ID);
            let told = dem_member { body: body.into(), shape, material, scale, groups, masks, id, ..Input::DEFAULT };
            inputs::fill_with(member, struct_size, told, What::Output)
        }
    })
}

/// Changes all properties of a body: its shape, scale, groups, masks and material, and those that `dem_world_set_body` changes. `dem_world_member`
/// gives the present properties.
///
/// Handle and id stay. The springs of its contacts stay if the next step matches the contacts. After a change of scale it does; contacts of another
/// mesh are matched by their distance from the old ones.
///
/// Outputs: `world`.
/// Inputs: `handle`. `member`: its `id` is that of the body, or `DEM_WORLD_NO_ID`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_BAD_INDEX` about `handle`; those of `dem_world_add` about the
/// properties; `DEM_ERROR_MISMATCH` about `id`: another id; `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
/// Cost: none; the next step makes new lists of pairs.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_set_member(
    world: *mut dem_world,
    handle: u64,
    member: *const dem_member,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let member = read_member(member)?;
            change(world, |world| world.set_member(unpacked(handle), &member)).map_err(of_member)
        }
    })
}

/// Gives a body another material, by its number (`dem_member`). Springs of its contacts stay.
///
/// Outputs: `world`.
/// Inputs: `handle`. `material`.
/// Errors: those of the world; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_set_material(
    world: *mut dem_world,
    handle: u64,
    material: u32,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees that a pointer that is not null points at a world.
    edge::call(error, || unsafe { change(world, |world| world.set_material(unpacked(handle), material)) })
}

/// Gives a body in its accepted state.
///
/// Outputs: `body`.
/// Inputs: `world`. `handle`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_body(
    body: *mut dem_body,
    world: *const dem_world,
    handle: u64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe { edge::write(body, with(world, |world| world.body(unpacked(handle)))?.into(), What::Output) }
    })
}

/// Gives the handle of the body in a slot.
///
/// Outputs: `handle`.
/// Inputs: `world`. `slot`.
/// Errors: those of the world; `DEM_ERROR_NULL`. A free slot is no error: the function returns `DEM_NONE` and does not change `handle`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_handle(
    handle: *mut u64,
    world: *const dem_world,
    slot: u32,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if handle.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let Some(found) = with(world, |world| Ok(world.handle(slot as usize)))? else {
                return Ok(edge::Status(DEM_NONE));
            };
            edge::write(handle, packed(found), What::Output)?;
            Ok(edge::Status(DEM_OK))
        }
    })
}

/// Copies the accepted states of all bodies into the program's own arrays: one item for each slot, including free slots.
///
/// Outputs (each may be null or without data): `positions`, `velocities`, `spins` (angular velocities): three numbers; `orientations`: four.
/// `DEM_F64` or `DEM_F32`, which rounds. `count` (may be null): how many slots there are.
/// Inputs: `world`.
/// Memory: outputs must not overlap the world; they may be fields of structs of the program.
/// Errors: those of the world; `DEM_ERROR_CAPACITY`: an output has not enough items; `DEM_ERROR_OUT_OF_RANGE`: types; `DEM_ERROR_BAD_SIZE`;
/// `DEM_ERROR_OVERLAP`. Nothing but `count` is written then.
/// Cost: some nanoseconds a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_states(
    positions: *const dem_output,
    orientations: *const dem_output,
    velocities: *const dem_output,
    spins: *const dem_output,
    count: *mut usize,
    world: *const dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let block = stretch(world)?;
            with(world, |world| {
                let bodies = world.bodies();
                edge::write_optional(count, bodies.len());
                let out = |to: *const dem_output, components, what| -> Result<Option<Output>> {
                    if to.is_null() {
                        return Ok(None);
                    }
                    let out = Output::new(edge::read(to, what)?, components, bodies.len(), &[DEM_F32, DEM_F64], what)?;
                    out.iter().try_for_each(|out| blocks::apart(out.bytes(), block, what))?;
                    Ok(out)
                };
                let outputs = [
                    out(positions, 3, What::Positions)?,
                    out(orientations, 4, What::Orientations)?,
                    out(velocities, 3, What::BodyVelocities)?,
                    out(spins, 3, What::Spins)?,
                ];
                for (i, body) in bodies.iter().enumerate() {
                    let from: [&[f64]; 4] = [&body.position, &body.orientation, &body.velocity, &body.angular_velocity];
                    for (out, from) in outputs.iter().zip(from) {
                        if let Some(out) = out {
                            out.reals(i, from);
                        }
                    }
                }
                Ok(())
            })
        }
    })
}

/// Sets the program's own forces on all bodies, such as those of a fluid, a field or a motor. They act in all steps until they are set again. The
/// call is allowed between steps, and when a step stops at `DEM_WANT_LOADS`.
///
/// Outputs: `world`.
/// Inputs (each may be null, for no change): `forces`; `torques`: about the centres of mass; in world axes, three numbers for each slot, `DEM_F64` or
/// `DEM_F32`. Items of free slots have no effect.
/// Memory: the arrays must not overlap the world.
/// Errors: those of the world; about `forces` and `torques`: `DEM_ERROR_NULL`, `DEM_ERROR_MISMATCH` (not as many items as slots),
/// `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: types, `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` elsewhere in a step,
/// and between steps of `dem_world_advance_step`. After an error nothing changes.
/// Cost: some nanoseconds a body.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_set_loads(
    world: *mut dem_world,
    forces: *const dem_array,
    torques: *const dem_array,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let block = stretch(world)?;
            let read = |from: *const dem_array, what| -> Result<Option<Items<1>>> {
                if from.is_null() {
                    return Ok(None);
                }
                let items = Items::points(from, what)?;
                blocks::apart(block, items.bytes(), what)?;
                Ok(Some(items))
            };
            let (forces, torques) = (read(forces, What::Forces)?, read(torques, What::Torques)?);
            change(world, |world| {
                let loads = world.loads_mut()?;
                for (items, what) in [(&forces, What::Forces), (&torques, What::Torques)] {
                    let Some(items) = items else { continue };
                    if items.len() != loads.len() {
                        let (needed, given) = (loads.len() as u64, items.len() as u64);
                        return Err(Error::new(Kind::Mismatch, what).amounts(needed, given));
                    }
                    (0..items.len()).try_for_each(|i| items.check::<f64>(i, what))?;
                }
                for (i, load) in loads.iter_mut().enumerate() {
                    if let Some(forces) = &forces {
                        [load.force] = forces.get(i);
                    }
                    if let Some(torques) = &torques {
                        [load.torque] = torques.get(i);
                    }
                }
                Ok(())
            })
        }
    })
}

/// Sets the program's own force on one body, as `dem_world_set_loads` does on all bodies.
///
/// Outputs: `world`.
/// Inputs: `handle`. `load`: force, and torque about the centre of mass, in world axes.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` about `load`; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_UNSUPPORTED`
/// elsewhere in a step, and between steps of `dem_world_advance_step`. After an error nothing changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_set_load(
    world: *mut dem_world,
    handle: u64,
    load: *const dem_wrench,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        let dem_wrench { force, torque } = unsafe { edge::read(load, What::Load) }?;
        if let Some(k) = force.iter().chain(&torque).position(|x| !x.is_finite()) {
            return Err(Error::new(Kind::NotFinite, What::Load).at(u64::from(handle as u32), k as u32));
        }
        // SAFETY: likewise.
        unsafe {
            change(world, |world| {
                let slot = world.as_ref().slot(unpacked(handle))?;
                if let Some(to) = world.loads_mut()?.get_mut(slot) {
                    *to = Wrench { force, torque };
                }
                Ok(())
            })
        }
    })
}

#[cfg(test)]
mod tests;
