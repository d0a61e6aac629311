//! Mass properties of a shape.

use core::ffi::c_void;

use dem_core::error::What;
use dem_core::mesh::{self, MassProperties};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs;
use crate::layouts::fixed;
use crate::memory::Scratch;
use crate::placed::dem_pose;
use crate::shapes::{self, dem_shape};

/// Most of the surface looks inward; all results are given as if the triangles were reversed.
pub const DEM_MASS_INWARD: u64 = 1;
/// There is no volume beyond rounding (a sheet, a point): mass and inertia are zero, the axes those of the frame.
pub const DEM_MASS_FLAT: u64 = 2;

const _: () = assert!(DEM_MASS_INWARD == MassProperties::INWARD && DEM_MASS_FLAT == MassProperties::FLAT);

/// Mass properties, in the shape's own frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_mass {
    /// Density times volume.
    pub mass: f64,
    /// Volume, never negative.
    pub volume: f64,
    /// Area of all triangles, without the surfaces that close holes.
    pub area: f64,
    /// Centre of mass; if there is no volume, centre of the area.
    pub centre: [f64; 3],
    /// Inertia tensor about the centre of mass: off-diagonal numbers are minus the integrals of x y.
    pub inertia: [[f64; 3]; 3],
    /// Principal moments in ascending order.
    pub moments: [f64; 3],
    /// Principal axes: axis i is `axes[i]`, a unit vector; right-handed.
    pub axes: [[f64; 3]; 3],
    /// Uncertainty of the volume if the mesh is open; 0 if it is closed.
    pub volume_error: f64,
    /// Uncertainty of each coordinate of the centre, to first order.
    pub centre_error: f64,
    /// Uncertainty of each number of the inertia tensor, to first order.
    pub inertia_error: f64,
    /// Number of holes that were closed.
    pub holes: u64,
    /// Bits `DEM_MASS_*`.
    pub state: u64,
    /// Pose of the shape in the frame of its centre of mass and principal axes. As the `pose` of the shape in the table of a scene or a
    /// world, it makes that frame the frame of the bodies.
    pub part_pose: dem_pose,
}

fixed!(dem_mass {
    mass: f64,
    volume: f64,
    area: f64,
    centre: [f64; 3],
    inertia: [[f64; 3]; 3],
    moments: [f64; 3],
    axes: [[f64; 3]; 3],
    volume_error: f64,
    centre_error: f64,
    inertia_error: f64,
    holes: u64,
    state: u64,
    part_pose: dem_pose,
});

impl From<MassProperties> for dem_mass {
    fn from(p: MassProperties) -> Self {
        dem_mass {
            mass: p.mass,
            volume: p.volume,
            area: p.area,
            centre: p.centre,
            inertia: p.inertia,
            moments: p.moments,
            axes: p.axes,
            volume_error: p.volume_error,
            centre_error: p.centre_error,
            inertia_error: p.inertia_error,
            holes: p.holes,
            state: p.state,
            part_pose: p.part_pose().into(),
        }
    }
}

/// Computes mass, centre, inertia and principal axes of the body that a shape encloses, filled with one density, without halos.
///
/// If the mesh is closed, the results are exact for polyhedra, up to rounding. A hollow's wall looks into the hollow. If the mesh is open,
/// a fan closes each hole, and the results tell the uncertainty that this causes. A fan corrects a
/// duplicate triangle, too, and one with the wrong orientation: the first has the uncertainty of a hole of its size, the second that of two.
///
/// Outputs: `mass`: the function writes `mass_size` bytes, at most `sizeof(dem_mass)`.
/// Inputs: `mass_size`: `sizeof(dem_mass)`. `shape`. `density`: positive. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch must not overlap the shape.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
/// `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the density; `DEM_ERROR_OUT_OF_RANGE` about `mesh`: a result is too large or too small
/// for a double (sizes of 2^200, or of 2^-200); `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
/// Cost: about 0.2 microseconds a triangle.
/// Threads: any number at a time, each with scratch of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_mass(
    mass: *mut dem_mass,
    mass_size: usize,
    shape: *const dem_shape,
    density: f64,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let found: dem_mass = shapes::opened(shape, What::Handle, |(mesh, _, block)| {
                let scratch = Scratch::new(scratch, scratch_size);
                scratch.apart_from(block)?;
                let scratch = scratch.take(mesh::mass_scratch(&mesh.sizes)?)?;
                Ok(mesh::mass_properties(mesh, density, scratch)?.into())
            })?;
            inputs::write_record(mass, mass_size, &found, What::Output)
        }
    })
}

#[cfg(test)]
mod tests;
