//! Loads on the vertices of a wall.
//!
//! A solver of fluid-structure interaction needs two functions for a wall. dem_scene_velocities interpolates the velocities of vertices at the
//! contacts. dem_scene_loads distributes the forces at the contacts to the vertices. It distributes them over all that a contact covers, or at the
//! closest point by the weights of the interpolation, which conserves power.

use core::ffi::c_void;

use dem_core::array::Array;
use dem_core::detect::surfaces::MovingSurface;
use dem_core::detect::{Needs, SceneRef};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Layout, sections};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::arrays::{DEM_F32, DEM_F64, dem_array, dem_output};
use crate::bodies::{OF_SHAPE, Opener, frame, places, two};
use crate::detect::{Query, dem_scene_query};
use crate::edge;
use crate::errors::dem_error;
use crate::layouts::Fixed;
use crate::memory::{self as blocks, Scratch};
use crate::moving::dem_scene_surface;
use crate::outputs::Output;
use crate::records;
use crate::scene_drive::{in_query, own_layout, scratch_behind, split, take};
use crate::scenes::{self, Of, dem_scene};
use crate::search::first_room;
use crate::shapes;
use crate::strided;
use crate::tasks::Host;

/// Computes the load on each vertex of a wall's mesh: its part of the forces at the wall's contacts.
///
/// With `bodies` in `surface`, the load of a contact is spread over all triangles that it covers (the overlap whose corners `dem_scene_corners`
/// gives), by the pressure on each. The loads of a contact sum to its force, and their moment about any point is that of the force at its position,
/// up to rounding. If the force pushes along the contact's normal, no load pulls, unless the position is far from the middle of the covered area. The
/// torque `k moment` of a contact is not among its loads. The power of the loads is that of the forces if the covered vertices move as a rigid body.
/// Some contacts load the triangle at the closest point instead, with the same sums: those of balls and capsules, of two meshes deeper than four
/// halos, of edges with no face above another one, and of other parts of a compound. So the loads of two meshes of one compound must not be added.
///
/// Without `bodies`, the force loads the corners of the triangle at the point of the mesh closest to the contact, by their weights there. So a wide
/// contact, such as that of a box that lies on the wall, loads one triangle. The loads sum to the force that `dem_scene_wrenches` gives for the body.
/// Their power at the velocities of the vertices equals the power of the forces at the velocities of `dem_scene_velocities`. Two torques are lost:
/// that of the arm of half a gap from the contact to the surface, and `k moment` of the contact.
///
/// Outputs: `loads`: three numbers, in world axes, for each vertex from which the shape was built, in their order, `DEM_F32` or `DEM_F64`; zero for
/// vertices without a load.
/// Inputs: `scene`. `list`: `DEM_LIST_CONTACTS` or `DEM_LIST_MARGIN`. `surface`: the body and its mesh; `dem_surface_of` fills it from a row of the
/// table of shapes. `surface_size`: `sizeof(dem_scene_surface)`. `forces`: on A, three numbers for each contact of the list, as for
/// `dem_scene_wrenches`; forces at contacts of other bodies have no effect but must be finite. `scratch`, `scratch_size`: at any alignment. `bodies`
/// of `surface`: shapes, scales and ids are those of the step. For the scene of a world they are `shapes`, `scales` and `ids` of `dem_world_slots`,
/// for all slots of the step. Poses come from the step, so any finite `positions` are allowed. `pairs` of `bodies` is the room for triangle pairs of
/// two bodies.
/// Memory: `loads` and scratch must not overlap each other nor anything else.
/// Errors: with `bodies`, those of `dem_scene_corners` about the query; `DEM_ERROR_MISMATCH` about `surface`: the body has no such mesh;
/// `DEM_ERROR_UNSUPPORTED` about `surface`: `DEM_LIST_MARGIN` with `bodies`. Those of the scene; `DEM_ERROR_BAD_INDEX` about `surface`: no such body;
/// `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_MISMATCH`,
/// `DEM_ERROR_NOT_FINITE` about `forces`; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the scale, types; `DEM_ERROR_CAPACITY`: `loads` (`needed`
/// vertices), scratch; `DEM_ERROR_OVERLAP`. After an error nothing is written.
/// Cost: some tenths of a microsecond for each contact of the body, and some nanoseconds a vertex. With `bodies`, also that of the corners of its
/// contacts, and some tenths of a microsecond for each pair of triangles that they cover.
/// Threads: any number at a time, each with loads and scratch of its own; nobody may change the scene or the shape during the call.
/// Determinism: the same bits on every machine: sums are taken in the order of contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_loads(
    loads: *const dem_output,
    scene: *const dem_scene,
    surface: *const dem_scene_surface,
    surface_size: usize,
    forces: *const dem_array,
    list: u32,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    let scratch = Scratch::new(scratch, scratch_size);
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        let borne = || {
            let surface = read(surface, surface_size)?;
            borne(Of::numbered(list)?, loads, scene, &surface, forces, scratch)
        };
        borne().map_err(of_one)
    })
}

/// # Safety
/// A pointer that is not null points at `size` bytes.
unsafe fn read(surface: *const dem_scene_surface, size: usize) -> Result<dem_scene_surface> {
    const FIRST: usize = dem_scene_surface::FIRST;
    if surface.is_null() {
        return Err(Error::new(Kind::Null, What::Surfaces));
    }
    if size < FIRST {
        return Err(Error::new(Kind::BadSize, What::Surfaces).amounts(FIRST as u64, size as u64));
    }
    // SAFETY: by this function's contract; every bit pattern is valid.
    let surface: dem_scene_surface = unsafe { records::read(surface.cast(), size) };
    let reserved = [u64::from(surface.reserved), surface.reserved_2 as u64, surface.reserved_3 as u64];
    if let Some(k) = reserved.iter().position(|word| *word != 0) {
        return Err(Error::new(Kind::OutOfRange, What::Surfaces).at(0, 10 + k as u32));
    }
    if surface.shape.is_null() {
        return Err(Error::new(Kind::Null, What::Surfaces).at(0, OF_SHAPE));
    }
    Ok(surface)
}

/// Renames an error about a list of surfaces: this call has one `surface`.
fn of_one(e: Error) -> Error {
    if e.what == What::Surfaces { Error { what: What::Surface, ..e } } else { e }
}

/// Writes the loads on vertices, of forces at the contacts of one of the two lists.
///
/// # Safety
/// As for [`dem_scene_loads`].
unsafe fn borne(
    of: Of,
    loads: *const dem_output,
    scene: *const dem_scene,
    surface: &dem_scene_surface,
    forces: *const dem_array,
    scratch: Scratch,
) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        let forces = edge::read(forces, What::Forces)?;
        let read = (forces.data, strided::span(&forces, 3, What::Forces)?);
        let to = edge::read(loads, What::Output)?;
        let bodies = surface.bodies;
        scenes::seen(scene, |scene, block| {
            let scene = of.scene(scene);
            with(surface, |surface, mesh| {
                let vertices = surface.mesh.weld.len();
                let to = Output::new(to, 3, vertices, &[DEM_F32, DEM_F64], What::Output)?;
                let to = to.ok_or(Error::new(Kind::Null, What::Output))?;
                for used in [read, block, mesh] {
                    blocks::apart(to.bytes(), used, What::Output)?;
                    scratch.apart_from(used)?;
                }
                scratch.apart_from(to.bytes())?;
                let forces = strided::numbers(&forces, 3, What::Forces)?;
                if !bodies.is_null() {
                    if !matches!(of, Of::Contacts) {
                        return Err(Error::new(Kind::Unsupported, What::Surfaces));
                    }
                    return spread(surface, &scene, bodies, forces, &to, scratch);
                }
                let memory = scratch.take(layout(surface)?)?;
                let Memory { sums, own } = Memory::new(memory, vertices, surface.loads_scratch()?)?;
                surface.loads(Isa::best(), &scene, forces, sums, own)?;
                sums.iter().enumerate().for_each(|(i, sum)| to.reals(i, sum));
                Ok(())
            })
        })
    }
}

/// Spreads the load of each contact over all triangles that it covers.
///
/// # Safety
/// As for [`dem_scene_loads`]; `bodies` is not null.
#[inline(never)] // Otherwise the open shapes would be on the stack of the caller, too.
unsafe fn spread(
    surface: &MovingSurface<'_>,
    scene: &SceneRef<'_>,
    bodies: *const dem_scene_query,
    forces: Array<'_>,
    to: &Output,
    scratch: Scratch,
) -> Result<()> {
    let vertices = surface.mesh.weld.len();
    // SAFETY: by this function's contract.
    unsafe {
        let query = Query::read(bodies)?;
        let written = [(scratch.bytes(), What::Scratch), (to.bytes(), What::Output)];
        query.apart_from(&written)?;
        let (census, head) = query.census(&written)?;
        let own = own_layout(&census, head)?;
        let (settings, host) = (query.settings()?, Host::new(query.raw.tasks));
        let with_sums = |own| Memory::layout(vertices, own);
        let (memory, rest) = split(scratch, own, || {
            let needs = Needs::new(&settings, query.has_ids());
            scratch_behind((&query, needs), own, |needs, _| with_sums(needs.layout(&scene.sizes, 1)?))
        })?;
        let before = scratch.bytes().1 - rest.bytes().1;
        let (shapes, memory) = memory.split_at_mut_checked(head.size).unwrap_or_default();
        let mut two = two();
        let mut opener = Opener::new(&census, memory, &mut two)?;
        let bodies = query.bodies(query.open(places(shapes), &mut opener)?)?;
        let pairs = settings.room.pairs;
        let own = surface.spread_scratch(scene, &bodies, pairs)?;
        let Memory { sums, own } = Memory::new(take(rest, (before, false), &host, |_| with_sums(own))?, vertices, own)?;
        let done = surface.spread_loads(Isa::best(), scene, (&bodies, pairs), (forces, None), sums, own);
        opener.unchanged()?;
        done.map_err(|e| in_query(e, first_room(query.raw.pairs)))?;
        sums.iter().enumerate().for_each(|(i, sum)| to.reals(i, sum));
    }
    Ok(())
}

sections! {
    /// Sums of loads, which are copied to the output after the last check, and scratch of the core.
    struct Memory<'s>(vertices: usize, own: Layout) {
        sums: [[f64; 3]; vertices as u64],
        own: { own },
    }
}

/// Scratch of a call without bodies.
fn layout(surface: &MovingSurface<'_>) -> Result<Layout> {
    Memory::layout(surface.mesh.weld.len(), surface.loads_scratch()?)
}

/// A `dem_scene_surface` for body 0 with this shape, for tests.
#[cfg(test)]
pub(crate) fn whole(shape: *const crate::shapes::dem_shape) -> dem_scene_surface {
    let pose = Pose::IDENTITY.into();
    dem_scene_surface {
        shape,
        reserved_2: 0,
        scale: 1.0,
        body: 0,
        reserved: 0,
        vertices: crate::arrays::NO_ARRAY,
        pose,
        bodies: core::ptr::null(),
        reserved_3: 0,
    }
}

/// Runs `work` with the open surface of a body, and the memory of its mesh.
///
/// # Safety
/// A pointer that is not null points at a shape that no other call changes.
unsafe fn with<R>(
    of: &dem_scene_surface,
    work: impl FnOnce(&MovingSurface<'_>, blocks::Stretch) -> Result<R>,
) -> Result<R> {
    let frame = frame(&of.pose).unwrap_or(Pose::IDENTITY);
    let velocities = Array::from_f64(&[]);
    // SAFETY: by this function's contract.
    unsafe {
        shapes::opened(of.shape, What::Surfaces, |(mesh, tree, block)| {
            work(&MovingSurface { body: of.body, mesh, tree, frame, scale: of.scale, velocities }, block)
        })
    }
}

#[cfg(test)]
mod tests;
