//! Loads on the vertices of a wall.
//!
//! A solver of fluid-structure interaction needs two functions for a wall. dem_scene_velocities interpolates the velocities of vertices at the
//! contacts. dem_scene_loads distributes the forces at the contacts to the vertices. Both interpolate in the same way, so no power is created or lost.

use core::ffi::c_void;

use dem_core::array::Array;
use dem_core::detect::surfaces::MovingSurface;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Carve, Layout, Plan};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::arrays::{DEM_F32, DEM_F64, dem_array, dem_output};
use crate::bodies::frame;
use crate::edge;
use crate::errors::dem_error;
use crate::layouts::Fixed;
use crate::memory::{self as blocks, Scratch};
use crate::moving::dem_scene_surface;
use crate::outputs::Output;
use crate::records;
use crate::scenes::{self, Of, dem_scene};
use crate::shapes;
use crate::strided;

/// The load on each vertex of a wall's mesh: its part of the forces at the wall's contacts.
///
/// The function finds the point of the mesh closest to the contact. The corners of the triangle at this point share the force, by their weights there. So a wide contact, such as that of a box that lies on the wall, loads one triangle. The loads
/// sum to the force that `dem_scene_wrenches` gives for the body. The power of the loads at the velocities of the vertices equals the power
/// of the forces. Its velocities are those that `dem_scene_velocities` interpolates from these vertices. A force is moved from the contact
/// to the surface, by half a gap, and the torque of that arm is lost. The torque `k moment` of a contact is lost, too, because vertices
/// bear forces only. It is 0 if all of a contact pushes in one direction.
///
/// Outputs: `loads`: three numbers, in world axes, for each vertex from which the shape was built, in their order, `DEM_F32` or `DEM_F64`; zero for
/// vertices without a load.
/// Inputs: `scene`. `list`: `DEM_LIST_CONTACTS` or `DEM_LIST_MARGIN`. `surface`, `surface_size`: the body and its mesh, and how many bytes that is; `dem_surface_of` fills it from a row of the table of shapes. `forces`: on A,
/// three numbers for each contact of the list, as for `dem_scene_wrenches`; forces at contacts of other bodies have no effect but must be finite.
/// `scratch`, `scratch_size`: at any alignment.
/// Memory: `loads` and scratch must not overlap each other nor anything else.
/// Errors: those of the scene; `DEM_ERROR_BAD_INDEX` about `surfaces`: no such body; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`,
/// `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_MISMATCH`, `DEM_ERROR_NOT_FINITE` about `forces`; `DEM_ERROR_NOT_FINITE`,
/// `DEM_ERROR_OUT_OF_RANGE`: the scale, types; `DEM_ERROR_CAPACITY`: `loads` (`needed` vertices), scratch; `DEM_ERROR_OVERLAP`. After an error nothing is written.
/// Cost: some tenths of a microsecond for each contact of the body, and some nanoseconds a vertex.
/// Threads: any number at a time, each with loads and scratch of its own; nobody may change the scene or the shape during the call.
/// Determinism: the same bits on every machine: sums are taken in the order of contacts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_loads(
    loads: *const dem_output,
    scene: *const dem_scene,
    list: u32,
    surface: *const dem_scene_surface,
    surface_size: usize,
    forces: *const dem_array,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    let scratch = Scratch::new(scratch, scratch_size);
    // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
    edge::call(error, || unsafe {
        let surface = read(surface, surface_size)?;
        borne(Of::numbered(list)?, loads, scene, &surface, forces, scratch)
    })
}

/// # Safety
/// A pointer that is not null points at so many bytes.
unsafe fn read(surface: *const dem_scene_surface, size: usize) -> Result<dem_scene_surface> {
    const FIRST: usize = dem_scene_surface::FIRST;
    if surface.is_null() {
        return Err(Error::new(Kind::Null, What::Surfaces));
    }
    if size < FIRST {
        return Err(Error::new(Kind::BadSize, What::Surfaces).amounts(FIRST as u64, size as u64));
    }
    // SAFETY: by this function's contract; every bit pattern is one.
    let surface: dem_scene_surface = unsafe { records::read(surface.cast(), size) };
    if surface.reserved != 0 || surface.reserved_2 != 0 {
        return Err(Error::new(Kind::OutOfRange, What::Surfaces).at(0, 10));
    }
    Ok(surface)
}

/// What vertices bear of forces at the contacts of one of both lists.
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
                let (own, all) = layout(surface)?;
                let mut carve = Carve::new(scratch.take(all)?, all, What::Scratch)?;
                let sums = carve.take::<[f64; 3]>(vertices as u64)?;
                surface.loads(Isa::best(), &scene, forces, sums, carve.part(own)?)?;
                sums.iter().enumerate().for_each(|(i, sum)| to.reals(i, sum));
                Ok(())
            })
        })
    }
}

/// Scratch of the library, and with the sums before it.
fn layout(surface: &MovingSurface<'_>) -> Result<(Layout, Layout)> {
    let own = surface.loads_scratch()?;
    let all = Plan::new().add::<[f64; 3]>(surface.mesh.weld.len() as u64).part(own).layout(What::Scratch)?;
    Ok((own, all))
}

/// A body of this shape.
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
    }
}

/// Runs `work` with a body, and the memory that its mesh takes.
///
/// # Safety
/// A pointer that is not null points at a shape that nobody changes.
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
