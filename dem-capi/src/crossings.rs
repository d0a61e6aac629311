//! Where a shape crosses itself.

use core::ffi::c_void;

use dem_core::error::What;
use dem_core::narrow;
use dem_core::simd::Isa;

use crate::edge;
use crate::errors::dem_error;
use crate::memory::{self as blocks, Scratch};
use crate::records::Records;
use crate::shapes::{self, dem_shape};

/// Finds all pairs of triangles of a shape that intersect each other, with the smaller id first, in ascending order.
///
/// Triangles may share a corner or an edge. They are in the list if they have any other point in common. Without a shared corner, this
/// means any touch. With one shared corner, it means that they meet elsewhere, too. With two, it means that they lie in one plane on the
/// same side of the edge.
/// Copies, which share all three, are `DEM_DEFECT_DUPLICATE` and `DEM_DEFECT_REVERSED_COPY`; a triangle that crosses one of them is listed
/// with each. The decisions are exact for the stored coordinates. Halos have no effect.
///
/// Outputs: `pairs` (may be null if `capacity` is 0): `capacity` pairs, aligned as `uint32_t`. `count` (may be null): how many there are,
/// even if they are more than `capacity`.
/// Inputs: `shape`. `isa`: one of `DEM_ISA_*`. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch and pairs must not overlap each other nor the shape.
/// Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` pairs; written pairs then have no meaning. `DEM_ERROR_CAPACITY` about `scratch`:
/// bytes. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
/// `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_UNSUPPORTED`.
/// Cost: 1 to 10 microseconds a triangle, even if many are copies or share a vertex. Triangles that share an edge are all compared with
/// each other.
/// Threads: any number at a time, each with pairs and scratch of its own.
/// Determinism: the same bits on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_self_intersections(
    pairs: *mut [u32; 2],
    capacity: usize,
    count: *mut usize,
    shape: *const dem_shape,
    isa: u32,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let isa = Isa::numbered(isa)?;
        let records = Records::packed(pairs, capacity)?;
        let scratch = Scratch::new(scratch, scratch_size);
        scratch.apart_from(records.bytes())?;
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let found = shapes::opened(shape, What::Handle, |(mesh, tree, block)| {
                blocks::apart(records.bytes(), block, What::Output)?;
                scratch.apart_from(block)?;
                let bytes = scratch.take(narrow::self_intersections_scratch(&tree)?)?;
                narrow::self_intersections(isa, mesh, tree, records.slice()?, bytes)
            });
            let number = match found {
                Ok(number) => number,
                Err(e) if e.what == What::Output => e.needed as usize,
                Err(_) => 0,
            };
            edge::write_optional(count, number);
            found.map(|_| ())
        }
    })
}

#[cfg(test)]
mod tests;
