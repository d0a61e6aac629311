//! Rays at worlds.
//!
//! Where rays meet bodies of a world, between steps and within one.

use core::ffi::c_void;

use dem_core::detect::Bodies;
use dem_core::error::{Result, What};
use dem_core::exec::Executor;
use dem_core::rays::{Hit, Ray, cast_bodies, cast_bodies_all};

use crate::edge;
use crate::errors::dem_error;
use crate::memory as blocks;
use crate::rays::{check_apart, dem_ray, dem_ray_hit, stretch};
use crate::records::{alone, shared};
use crate::world_drive::{Asked, driven};
use crate::world_steps::dem_world_query;
use crate::worlds::dem_world;

/// Finds which body of a world each ray meets first, and where, at the positions of the accepted state.
///
/// Outputs: `hits`: packed, one for each ray; `t` is infinite if the ray meets nothing; `body` is a slot. Of several bodies at the same distance, the
/// one with the smallest id is the hit.
/// Inputs: `world`: not changed. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`; no interactions are needed. A ray meets bodies with a
/// group in its `mask`, and no periodic images. `rays`, `count`: packed.
/// Memory: hits, scratch and world must not overlap each other nor anything else.
/// Errors: those of `dem_world_poll` about the world, shapes and scratch; those of `dem_scene_cast` about rays and hits. After an error the content
/// of `hits` is undefined. `DEM_ERROR_BUSY` about `shapes`: a shape was changed during the call; a step under way begins again with its next poll.
/// Cost: that of `dem_scene_cast`.
/// Threads: any; nobody may use the world during the call. Rays are shared among the threads of the query.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_cast(
    world: *mut dem_world,
    hits: *mut dem_ray_hit,
    query: *const dem_world_query,
    rays: *const dem_ray,
    count: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let rays = shared(rays.cast::<Ray>(), count, What::Rays)?;
            let hits = alone(hits.cast::<Hit>(), count, What::Output)?;
            cast_world(world, query, rays, (scratch, scratch_size), &[stretch(hits)], |exec, bodies, scratch| {
                cast_bodies(exec, bodies, rays, hits, scratch)
            })
        }
    })
}

/// Finds all points where rays meet bodies of a world, at the positions of the accepted state.
///
/// Outputs: `hits`, `ends`: as for `dem_scene_cast_all`; `body` is a slot.
/// Inputs: those of `dem_world_cast`. `capacity`: records that `hits` has room for.
/// Memory: hits, ends, scratch and world must not overlap each other nor anything else.
/// Errors: those of `dem_world_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. After an error the content of `hits` and `ends` is
/// undefined.
/// Cost: that of `dem_scene_cast_all`.
/// Threads: any; nobody may use the world during the call. Rays are shared among the threads of the query.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_cast_all(
    world: *mut dem_world,
    hits: *mut dem_ray_hit,
    capacity: usize,
    ends: *mut u64,
    query: *const dem_world_query,
    rays: *const dem_ray,
    count: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let rays = shared(rays.cast::<Ray>(), count, What::Rays)?;
            let hits = alone(hits.cast::<Hit>(), capacity, What::Output)?;
            let ends = alone(ends, count, What::Output)?;
            let outputs = [stretch(hits), stretch(ends)];
            cast_world(world, query, rays, (scratch, scratch_size), &outputs, |exec, bodies, scratch| {
                cast_bodies_all(exec, bodies, rays, hits, ends, scratch).map(|_| ())
            })
        }
    })
}

/// Casts rays at the bodies of a world, after checking that outputs overlap neither each other nor anything else.
unsafe fn cast_world(
    world: *mut dem_world,
    query: *const dem_world_query,
    rays: &[Ray],
    scratch: (*mut c_void, usize),
    outputs: &[blocks::Stretch],
    work: impl FnOnce(&dyn Executor, &Bodies<'_>, &mut [u8]) -> Result<()>,
) -> Result<()> {
    // SAFETY: see the callers.
    unsafe {
        let query = Asked::read(query)?.query;
        let apart = |memory: &[_]| check_apart(&query, rays, outputs, memory);
        driven(world, &query, &[], apart, scratch, |world, drive, _, scratch| {
            world.as_ref().with_bodies(drive.shapes, |bodies| work(drive.exec, bodies, scratch))
        })
    }
}

#[cfg(test)]
mod tests;
