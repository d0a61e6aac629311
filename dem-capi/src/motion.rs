//! How fast surfaces move in contact.
//!
//! Friction and dashpots need the relative velocity of both surfaces at each contact. For a rigid body it follows from its velocity and its
//! angular velocity. If the vertices of a shape move by themselves (a membrane swings, a flow bends a wall, a belt runs), their velocities
//! are added. One step with such a wall is
//!
//! - the flow solver moves the vertices: dem_shape_refit with their positions;
//! - dem_placed_contacts, for the bodies near the wall;
//! - dem_contact_velocities with the velocities of the vertices, in the program's own array;
//! - dem_contact_match and dem_contact_carry, as for rigid bodies: a contact with a wall whose cells were refitted keeps its key, and its
//!   spring.
//!
//! For a scene, dem_scene_velocities does this for all body pairs at once.

use core::ffi::c_void;

use dem_core::array::{Array, Scalar, Strides};
use dem_core::contact::{SurfaceMotion, Vertices, relative_velocities, velocities_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::arrays::{NO_ARRAY, dem_array};
use crate::body_contacts::dem_contact;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::{Fixed, fixed};
use crate::memory::{self as blocks, Scratch};
use crate::placed::{IDENTITY, dem_pose};
use crate::records::{Records, about, span};
use crate::shapes::{self, dem_shape};
use crate::strided;

/// How a body moves: velocity + spin x (x - centre), plus the velocities of vertices on its surface.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_motion {
    /// `sizeof(dem_motion)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Velocity of `centre`, in world axes; 0 by default.
    pub velocity: [f64; 3],
    /// Angular velocity, in world axes, in radians over time; 0 by default.
    pub spin: [f64; 3],
    /// The point that has `velocity`, in world coordinates: usually the centre of mass.
    pub centre: [f64; 3],
    /// The shape whose vertices move by themselves. Null, the default: they do not, or the body is of another kind. The fields after it are then
    /// ignored.
    pub shape: *const dem_shape,
    /// 0.
    pub reserved_2: usize,
    /// Pose of the shape when its contacts were found; the identity by default.
    pub pose: dem_pose,
    /// Scale of the shape; 1 by default.
    pub scale: f64,
    /// Velocities of all vertices from which the shape was built, in their order, in its own frame and unscaled units: three numbers an
    /// item.
    pub vertices: dem_array,
}

fixed!(dem_motion {
    struct_size: u32,
    reserved: u32,
    velocity: [f64; 3],
    spin: [f64; 3],
    centre: [f64; 3],
    shape: *const dem_shape,
    reserved_2: usize,
    pose: dem_pose,
    scale: f64,
    vertices: dem_array,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_motion {
    const DEFAULT: Self = dem_motion {
        struct_size: size_of::<dem_motion>() as u32,
        reserved: 0,
        velocity: [0.0; 3],
        spin: [0.0; 3],
        centre: [0.0; 3],
        shape: core::ptr::null(),
        reserved_2: 0,
        pose: IDENTITY,
        scale: 1.0,
        vertices: NO_ARRAY,
    };
}

/// Computes for each contact the velocity of A's surface less that of B's, at the contact.
///
/// The rigid motion of a body is evaluated at `position`. Velocities of vertices are interpolated over the triangle at the point of the
/// shape that is closest to `position`, and rotated with the shape. They are one continuous field on the surface. So the result varies
/// continuously with poses and vertices, except if two places of the shape are equally close, as in a fold. There it jumps by at most the
/// largest gradient of velocity times twice the distance.
/// If all vertices of a shape have the same velocity, the result is that of a body with this velocity. Uniform stretch and shear are exact.
///
/// Outputs: `velocities`: three numbers, in world axes, for each contact.
/// Inputs: `contacts`, `count`, `stride` (0: the size in version 0.1): contacts of these two bodies. The function reads only `position`, so
/// other points are possible, too, in records of at least 40 bytes. `a`, `b` (each may be null: at rest): how the bodies move. `scratch`,
/// `scratch_size`: at any alignment.
/// Memory: `velocities` and scratch must not overlap each other nor anything else.
/// Errors: `DEM_ERROR_NOT_FINITE` about `a` or `b` (`component` 0 to 2: velocity, 3 to 5: spin, 6 to 8: centre, 9:
/// scale), about `vertices` with vertex and component, about `points` with contact and component; `DEM_ERROR_OUT_OF_RANGE`: a scale that
/// is not between 2^-500 and 2^500, a reserved field; `DEM_ERROR_MISMATCH` about `vertices`: not as many as vertices (`needed`, `given`);
/// `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: a stride, `struct_size`; `DEM_ERROR_CAPACITY`: scratch;
/// `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose;
/// `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`.
/// Cost: some nanoseconds a contact. If vertices move, it is some tenths of a microsecond, and each call walks once over their velocities.
/// So for a wall that touches many bodies, call once with all its contacts, with `b` null.
/// Threads: any number at a time, each with velocities and scratch of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_velocities(
    velocities: *mut f64,
    contacts: *const dem_contact,
    count: usize,
    stride: usize,
    a: *const dem_motion,
    b: *const dem_motion,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let to = Records::<[f64; 3]>::packed(velocities.cast(), count).map_err(about(What::Velocities))?;
        let scratch = Scratch::new(scratch, scratch_size);
        scratch.apart_from(to.bytes())?;
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let (positions, read) = positions(contacts, count, stride)?;
            scratch.apart_from(read)?;
            blocks::apart(to.bytes(), read, What::Velocities)?;
            both(a, b, |a, b| {
                for used in a.memory.iter().chain(&b.memory) {
                    scratch.apart_from(*used)?;
                    blocks::apart(to.bytes(), *used, What::Velocities)?;
                }
                let rest = scratch.take(velocities_scratch(&a.motion, &b.motion)?)?;
                let to = to.slice().map_err(about(What::Velocities))?;
                relative_velocities(Isa::best(), &a.motion, &b.motion, positions, to, rest).map_err(|e| match e.what {
                    What::Velocities => Error { what: What::Vertices, ..e },
                    _ => e,
                })
            })
        }
    })
}

/// The positions of contacts, and the bytes that contain them.
///
/// # Safety
/// A pointer that is not null points at the contacts, and nothing changes them while the array is used.
unsafe fn positions<'a>(
    contacts: *const dem_contact,
    count: usize,
    stride: usize,
) -> Result<(Array<'a>, (*const c_void, usize))> {
    let about = |e: Error| Error { what: What::Contacts, ..e };
    if contacts.is_null() && count > 0 {
        return Err(Error::new(Kind::Null, What::Contacts));
    }
    let (stride, _) = span(count, stride, dem_contact::FIRST).map_err(about)?;
    const FROM: usize = core::mem::offset_of!(dem_contact, position);
    const LEAST: usize = FROM + size_of::<[f64; 3]>();
    const _: () = assert!(LEAST == 40);
    if stride < LEAST {
        return Err(Error::new(Kind::BadSize, What::Contacts).amounts(LEAST as u64, stride as u64));
    }
    let layout = Strides { count, stride, component_stride: size_of::<f64>(), scalar: Scalar::F64 };
    let bytes = layout.span(3, What::Contacts)?;
    if bytes == 0 {
        return Ok((Array::from_f64(&[]), (core::ptr::null(), 0)));
    }
    let from = contacts.cast::<u8>().wrapping_add(FROM);
    // SAFETY: the bytes lie inside the contacts, by this function's contract.
    let bytes = unsafe { core::slice::from_raw_parts(from, bytes) };
    Ok((Array::new(bytes, layout, What::Contacts)?, (from.cast(), bytes.len())))
}

/// A motion with its shape open, and the memory that it reads.
struct Moving<'a> {
    motion: SurfaceMotion<'a>,
    memory: [(*const c_void, usize); 2],
}

/// Runs `body` with both motions.
///
/// # Safety
/// Pointers that are not null point at motions, whose shapes and arrays can be read.
unsafe fn both<R>(
    a: *const dem_motion,
    b: *const dem_motion,
    body: impl FnOnce(&Moving<'_>, &Moving<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { with(a, What::MotionA, What::BodyMeshA, |a| with(b, What::MotionB, What::BodyMeshB, |b| body(a, b))) }
}

/// Runs `body` with one motion.
///
/// # Safety
/// As for [`both`].
unsafe fn with<R>(
    motion: *const dem_motion,
    what: What,
    mesh: What,
    body: impl FnOnce(&Moving<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let raw = unsafe { inputs::read(motion, what) }?;
    if raw.reserved != 0 || raw.reserved_2 != 0 {
        return Err(Error::new(Kind::OutOfRange, what).at(0, if raw.reserved != 0 { 10 } else { 11 }));
    }
    let dem_motion { velocity, spin, centre, .. } = raw;
    let rigid = SurfaceMotion { velocity, spin, centre, vertices: None };
    if raw.shape.is_null() {
        return body(&Moving { motion: rigid, memory: [(core::ptr::null(), 0); 2] });
    }
    let pose: Pose = raw.pose.into();
    let array = (raw.vertices.data, strided::span(&raw.vertices, 3, What::Vertices)?);
    // SAFETY: by this function's contract.
    unsafe {
        let velocities = strided::numbers(&raw.vertices, 3, What::Vertices)?;
        shapes::opened(raw.shape, mesh, |(mesh, tree, block)| {
            let operand = Operand { mesh, tree, pose: &pose, scale: raw.scale };
            let vertices = Some(Vertices { operand, velocities });
            body(&Moving { motion: SurfaceMotion { vertices, ..rigid }, memory: [block, array] })
        })
    }
}

#[cfg(test)]
mod tests;
