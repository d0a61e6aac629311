//! Boxes and cylinders.
//!
//! Meshes for `dem_shape_desc`: a box has 12 triangles. A cylinder is a prism with so many facets that they have no noticeable effect. A
//! program with malloc may call `dem_heap_box` and `dem_heap_cylinder` of dem_heap.h, which also build the shape. Spheres, capsules and
//! half-spaces need no mesh: `dem_placed_sphere`, `dem_placed_capsule`, `dem_placed_half_space`.

use dem_core::error::{Error, Result, What};
use dem_core::mesh::{Cuboid, Cylinder};

use crate::edge;
use crate::errors::dem_error;
use crate::memory::apart;
use crate::records::alone;

/// Makes the mesh of a box about the origin, with edges along the axes.
///
/// Outputs: `vertices`: 8 of three numbers each. `triangles`: 12 of three indices each, which look outward; two for each side in the order
/// -x +x -y +y -z +z.
/// Inputs: `edges`: three lengths, not negative; with a 0 the box is flat.
/// Memory: vertices and triangles must not overlap.
/// Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `edges`, with the axis as `component`; `DEM_ERROR_NULL`;
/// `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. After an error nothing is written.
/// Cost: none.
/// Threads: any.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_box_mesh(
    vertices: *mut f64,
    triangles: *mut u32,
    edges: *const f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let edges: [f64; 3] = edge::read(edges.cast(), What::Edges)?;
            let made = Cuboid::new(edges)?;
            let (v, t) = arrays(vertices, triangles, (made.vertices.len(), made.triangles.len()))?;
            v.copy_from_slice(made.vertices.as_flattened());
            t.copy_from_slice(made.triangles.as_flattened());
            Ok(())
        }
    })
}

/// Tells how many facets a cylinder needs.
///
/// Outputs: `facets`: the smallest number, at least 3, for which no facet is farther than `sagitta` from the circle through the edges of
/// the prism.
/// Inputs: `radius`, `sagitta`: lengths, larger than 0. A good `sagitta` is a sixteenth of the sum of the halos of the cylinder and of the
/// body on which it rolls: the facets then have no noticeable effect.
/// Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `radius`, `sagitta`; `DEM_ERROR_TOO_LARGE`: more than 2^20 facets;
/// `DEM_ERROR_NULL`.
/// Cost: some tenths of a microsecond.
/// Threads: any.
/// Determinism: the same on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cylinder_facets(
    facets: *mut usize,
    radius: f64,
    sagitta: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe { edge::write(facets, Cylinder::within(radius, 1.0, sagitta)?.facets as usize, What::Output) }
    })
}

/// Makes the mesh of a cylinder about the z axis, from -`length` / 2 to `length` / 2: a right prism of the same volume. The middle of a facet is
/// inside of the cylinder, its edges are outside.
///
/// Outputs: `vertices`: 2 `facets` + 2 of three numbers each: the centres of both ends, the lower one first, then each edge from below to
/// above. `triangles`: 4 `facets` of three indices each, which look outward; for each facet one of the lower end, two of the side, one of
/// the upper end.
/// Inputs: `vertex_capacity`, `triangle_capacity`: the number of vertices and triangles for which there is room. `radius`, `length`: larger
/// than 0. `facets`: 3 to 2^20; `dem_cylinder_facets` gives a good number.
/// Memory: vertices and triangles must not overlap.
/// Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `radius`, `length`, `facets`; `DEM_ERROR_CAPACITY`: `vertices`, `triangles`;
/// `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. After an error nothing is written.
/// Cost: about 0.1 microseconds a facet.
/// Threads: any.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cylinder_mesh(
    vertices: *mut f64,
    vertex_capacity: usize,
    triangles: *mut u32,
    triangle_capacity: usize,
    radius: f64,
    length: f64,
    facets: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let cylinder = Cylinder { radius, length, facets: u32::try_from(facets).unwrap_or(u32::MAX) };
            cylinder.check()?;
            let wanted = (cylinder.vertices(), cylinder.triangles());
            for (what, wanted, room) in
                [(What::Vertices, wanted.0, vertex_capacity), (What::Triangles, wanted.1, triangle_capacity)]
            {
                if room < wanted {
                    return Err(Error::capacity(what, wanted as u64, room as u64));
                }
            }
            let (v, t) = arrays(vertices, triangles, wanted)?;
            cylinder.write(v.as_chunks_mut::<3>().0, t.as_chunks_mut::<3>().0)
        }
    })
}

/// Slices for `v` vertices and `t` triangles.
///
/// # Safety
/// The pointers are null, misaligned, or point at memory of this size that nothing else uses.
unsafe fn arrays<'a>(
    vertices: *mut f64,
    triangles: *mut u32,
    (v, t): (usize, usize),
) -> Result<(&'a mut [f64], &'a mut [u32])> {
    let both = (v * size_of::<[f64; 3]>(), t * size_of::<[u32; 3]>());
    apart((vertices.cast_const().cast(), both.0), (triangles.cast_const().cast(), both.1), What::Triangles)?;
    // SAFETY: by this function's contract, and both arrays do not overlap.
    unsafe { Ok((alone(vertices, 3 * v, What::Vertices)?, alone(triangles, 3 * t, What::Triangles)?)) }
}

#[cfg(test)]
mod tests;
