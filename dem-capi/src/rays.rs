//! Ray casts.
//!
//! The first point where each ray meets a body (`dem_placed_cast`), the bodies of a scene (`dem_scene_cast`) or of a world
//! (`dem_world_cast`). Functions with `_all` at the end give all such points. No ray passes between two neighbouring triangles of a closed
//! mesh, and no ray hits both.
//! A ray meets surfaces from either side: if it begins inside of a body, it meets the surface where it leaves. Halos have no effect. Many
//! rays in one call cost less than one by one.

use core::ffi::c_void;

use dem_core::contact::shape::Placed;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::pose::Pose;
use dem_core::rays::{Hit, Ray, cast, cast_all, cast_bodies, cast_bodies_all};

use crate::bodies::{Census, OF_A, each_part};
use crate::detect::{Query, dem_scene_query};
use crate::edge;
use crate::errors::dem_error;
use crate::layouts::fixed;
use crate::memory as blocks;
use crate::placed::dem_placed;
use crate::records::{alone, mirrored, shared};
use crate::scene_drive::{Step, with_scene};
use crate::scenes::dem_scene;
use crate::scratch::Scratch;

/// A ray: all points `origin + t direction` with t from 0 to `most`, in world coordinates.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct dem_ray {
    /// Start of the ray.
    pub origin: [f64; 3],
    /// Direction of the ray, of any length from 2^-200 to 2^200. If it is a unit vector, t is a length.
    pub direction: [f64; 3],
    /// The largest t of interest; infinity is allowed.
    pub most: f64,
    /// Bits of the groups of bodies that it meets, for casts at a scene or a world: usually `UINT32_MAX`, all groups. 0 is refused there.
    /// `dem_placed_cast` does not use them.
    pub mask: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_ray { origin: [f64; 3], direction: [f64; 3], most: f64, mask: u32, reserved: u32 });

mirrored!(dem_ray, Ray: origin, direction, most, mask, reserved);

/// A hit: where a ray meets a surface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct dem_ray_hit {
    /// Distance along the ray, in units of its direction's length; infinite if nothing is hit.
    pub t: f64,
    /// The point, in world coordinates.
    pub point: [f64; 3],
    /// Outward unit normal of the surface there, in world axes; zeros if a triangle has no area.
    pub normal: [f64; 3],
    /// Id of the body in a scene; else 0.
    pub id: u64,
    /// Index of the body in the query of a scene, else 0; all bits set if nothing is hit.
    pub body: u32,
    /// Index of the part of a compound; else 0.
    pub part: u32,
    /// Triangle of a mesh; 0 for spheres, capsules and half-spaces; all bits set if nothing is hit.
    pub triangle: u32,
    /// 0: the ray comes from the side of the normal; 1: from the other side; 3: nothing is hit.
    pub side: u32,
}

fixed!(dem_ray_hit {
    t: f64,
    point: [f64; 3],
    normal: [f64; 3],
    id: u64,
    body: u32,
    part: u32,
    triangle: u32,
    side: u32,
});

mirrored!(dem_ray_hit, Hit: t, point, normal, id, body, part, triangle, side);

/// Finds the first point where each ray meets a body.
///
/// Outputs: `hits`: packed, one for each ray; `t` is infinite if it meets nothing. Of hits at the same distance, the result is that of the
/// first part, and of the triangle with the smallest number.
/// Inputs: `body`: at its pose; a mesh must have cells. `rays`, `count`: packed.
/// Memory: hits must not overlap anything else.
/// Errors: those of `dem_placed_contacts` about body A; about `rays` with the index of the ray (`component`: 0 to 2 origin, 3 to 5
/// direction, 6 `most`, 7 `reserved`): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
/// `DEM_ERROR_OVERLAP`. After an error the content of `hits` is undefined.
/// Cost: about 0.15 microseconds for a ray and a sphere, some ten nanoseconds for each part of a compound that is not a mesh, about two microseconds
/// for a mesh.
/// Threads: any number at a time, each with hits of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_cast(
    hits: *mut dem_ray_hit,
    body: *const dem_placed,
    rays: *const dem_ray,
    count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call_of_body(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let body: dem_placed = edge::read(body, What::Body)?;
            let rays = shared(rays.cast::<Ray>(), count, What::Rays)?;
            let hits = alone(hits.cast::<Hit>(), count, What::Output)?;
            check_placed(&body, rays, &[stretch(hits)])?;
            hits.fill(Hit::NOTHING);
            let (pose, mut part): (Pose, u32) = (body.pose.into(), 0);
            each_part(&body, &OF_A, |shape| {
                let placed = Placed { shape, pose: &pose, scale: body.scale };
                for (ray, hit) in rays.iter().zip(&mut *hits) {
                    let nearer = Ray { most: if hit.is_some() { hit.t } else { ray.most }, ..*ray };
                    match cast(&placed, &nearer)? {
                        Some(found) if found.t < hit.t || !hit.is_some() => *hit = Hit { part, ..found },
                        _ => {}
                    }
                }
                part += 1;
                Ok(())
            })
        }
    })
}

/// Finds all points where each ray meets a body.
///
/// Outputs: `hits`: those of the first ray, in the order along the ray, then those of the next one. `ends`: one number for each ray: the
/// end of its hits in `hits`, where the hits of the next ray begin. So the last number is the number of all hits. Of hits at the same
/// distance, that of the first part comes first, and of the triangle with the smallest number.
/// Inputs: those of `dem_placed_cast`. `capacity`: records for which `hits` has room.
/// Memory: hits and ends must not overlap each other nor anything else.
/// Errors: those of `dem_placed_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. After an error the content of `hits` and
/// `ends` is undefined.
/// Cost: that of `dem_placed_cast` without the end at the first hit; each ray's hits are sorted.
/// Threads: any number at a time, each with outputs of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_cast_all(
    hits: *mut dem_ray_hit,
    capacity: usize,
    ends: *mut u64,
    body: *const dem_placed,
    rays: *const dem_ray,
    count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call_of_body(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let body: dem_placed = edge::read(body, What::Body)?;
            let rays = shared(rays.cast::<Ray>(), count, What::Rays)?;
            let hits = alone(hits.cast::<Hit>(), capacity, What::Output)?;
            let ends = alone(ends, count, What::Output)?;
            check_placed(&body, rays, &[stretch(hits), stretch(ends)])?;
            let pose: Pose = body.pose.into();
            let mut total = 0;
            for (ray, end) in rays.iter().zip(&mut *ends) {
                let (start, mut part) = (total, 0);
                each_part(&body, &OF_A, |shape| {
                    let placed = Placed { shape, pose: &pose, scale: body.scale };
                    let room = hits.get_mut(total..).unwrap_or_default();
                    total += match cast_all(&placed, ray, room) {
                        Ok(found) => {
                            room.iter_mut().take(found).for_each(|hit| hit.part = part);
                            found
                        }
                        // Hits without room are counted, too.
                        Err(e) if e.kind == Kind::Capacity && e.what == What::Output => e.needed as usize,
                        Err(e) => return Err(e),
                    };
                    part += 1;
                    Ok(())
                })?;
                let own = hits.get_mut(start..total).unwrap_or_default();
                own.sort_unstable_by(|a, b| a.t.total_cmp(&b.t).then((a.part, a.triangle).cmp(&(b.part, b.triangle))));
                *end = total as u64;
            }
            if total > capacity {
                return Err(Error::capacity(What::Output, total as u64, capacity as u64));
            }
            Ok(())
        }
    })
}

pub(crate) fn stretch<T>(items: &[T]) -> blocks::Stretch {
    (items.as_ptr().cast(), size_of_val(items))
}

/// Checks that outputs overlap neither each other nor inputs, and that all rays are valid.
fn check_placed(body: &dem_placed, rays: &[Ray], outputs: &[blocks::Stretch]) -> Result<()> {
    for (i, output) in outputs.iter().enumerate() {
        blocks::apart(*output, stretch(rays), What::Output)?;
        outputs[..i].iter().try_for_each(|other| blocks::apart(*output, *other, What::Output))?;
        // SAFETY: see the callers.
        unsafe { Census::new(&[(*output, What::Output)]).add(body, &OF_A)? };
    }
    (0..).zip(rays).try_for_each(|(i, ray)| ray.check().map_err(|e| e.at(i, e.component)))
}

/// Finds which body of a scene each ray meets first, and where.
///
/// Outputs: `hits`: packed, one for each ray; `t` is infinite if the ray meets nothing. Of several bodies at the same distance, the one with the
/// smallest id is the hit.
/// Inputs: `scene`: not changed. `query`: the bodies at their present positions; a ray meets bodies with a group in its `mask`. Rays do not meet
/// periodic images: to meet these, cast the ray again, moved by a period. `rays`, `count`: packed. `scratch`, `scratch_size`: at any alignment.
/// Memory: hits, scratch and scene must not overlap each other nor anything else.
/// Errors: those of `dem_scene_find` that are not about contacts; those of `dem_placed_cast` about rays and hits; `DEM_ERROR_OUT_OF_RANGE` about
/// `rays` with component 8: a `mask` of 0. After an error the content of `hits` is undefined.
/// Cost: each call computes spheres around all bodies, some nanoseconds a body. For 256 rays or more, it also builds a tree of them, some hundred
/// nanoseconds a body; then a ray costs the logarithm of their number. With fewer rays, or less than some 40 bytes of scratch a body, a ray costs one
/// or two nanoseconds a body. The cost of `dem_placed_cast` is added for each body whose sphere the ray meets before the first hit.
/// Threads: any; nobody may use the scene during the call. Rays are shared among the threads of the query.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_cast(
    scene: *mut dem_scene,
    hits: *mut dem_ray_hit,
    query: *const dem_scene_query,
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
            let memory = (Scratch::new(scratch, scratch_size), scratch_size);
            cast_scene(scene, query, rays, memory, &[stretch(hits)], |step| {
                cast_bodies(step.host, step.bodies, rays, hits, step.scratch)
            })
        }
    })
}

/// Finds all points where rays meet bodies of a scene.
///
/// Outputs: `hits`: the hits of the first ray, in the order along the ray, then those of the next ray. `ends`: one number for each ray: the end of
/// its hits in `hits`, where the hits of the next ray begin. So the last number is the number of all hits. Of hits at the same distance, the one of
/// the body with the smallest id comes first.
/// Inputs: those of `dem_scene_cast`. `capacity`: records that `hits` has room for.
/// Memory: hits, ends, scratch and scene must not overlap each other nor anything else.
/// Errors: those of `dem_scene_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. After an error the content of `hits` and `ends` is
/// undefined.
/// Cost: twice that of `dem_scene_cast`, which here does not end at the first hit: the function first counts the hits.
/// Threads: any; nobody may use the scene during the call. Rays are shared among the threads of the query.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_cast_all(
    scene: *mut dem_scene,
    hits: *mut dem_ray_hit,
    capacity: usize,
    ends: *mut u64,
    query: *const dem_scene_query,
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
            let memory = (Scratch::new(scratch, scratch_size), scratch_size);
            cast_scene(scene, query, rays, memory, &[stretch(hits), stretch(ends)], |step| {
                cast_bodies_all(step.host, step.bodies, rays, hits, ends, step.scratch).map(|_| ())
            })
        }
    })
}

/// Casts rays at the bodies of a query. Outputs must overlap neither each other nor anything else.
unsafe fn cast_scene(
    scene: *mut dem_scene,
    query: *const dem_scene_query,
    rays: &[Ray],
    scratch: (Scratch, usize),
    outputs: &[blocks::Stretch],
    work: impl FnOnce(Step<'_, '_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: see the callers.
    unsafe {
        let query = Query::read(query)?;
        let apart = |memory: &[_]| check_apart(&query, rays, outputs, memory);
        with_scene(scene, &query, apart, scratch, false, work)
    }
}

/// Checks that outputs overlap neither each other, nor rays, nor the inputs of a query, nor other output memory; and that this other memory
/// does not overlap rays.
pub(crate) fn check_apart(
    query: &Query,
    rays: &[Ray],
    outputs: &[blocks::Stretch],
    memory: &[(blocks::Stretch, What)],
) -> Result<()> {
    for (i, output) in outputs.iter().enumerate() {
        blocks::apart(*output, stretch(rays), What::Output)?;
        outputs[..i].iter().try_for_each(|other| blocks::apart(*output, *other, What::Output))?;
        query.apart_from(&[(*output, What::Output)])?;
        memory.iter().try_for_each(|(other, _)| blocks::apart(*output, *other, What::Output))?;
    }
    memory.iter().try_for_each(|(other, what)| blocks::apart(*other, stretch(rays), *what))
}

#[cfg(test)]
pub(crate) mod tests;
