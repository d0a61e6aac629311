//! How fast surfaces of a scene move in contact.
//!
//! dem_scene_velocities gives the relative velocity of the surfaces at all contacts of a scene. It reads arrays of the program: velocities of bodies,
//! and of the vertices of walls that a flow moves. One step of a solver of fluid-structure interaction is
//!
//! - for each mesh whose vertices move: dem_shape_refit;
//! - dem_scene_detect, dem_scene_view;
//! - dem_scene_velocities: the velocity of A's surface less that of B's, at each contact; dem_scene_motions: how fast they rotate, too;
//! - the program's law: springs, dashpots, lubrication (below);
//! - dem_scene_wrenches: forces and torques of bodies; dem_scene_loads: the load on each vertex of a wall.
//!
//! Forces that act before surfaces touch, such as lubrication, act within the sum T of the halos. So choose halos as wide as the range of the force.
//! (Halos of spheres are in the array `halos` of the query, halos of meshes in their shapes.) If halos must stay thin, because elastic forces begin
//! there, use a `margin`: it gives a second list of contacts for such forces (13_lubrication.c). Contacts of wide halos cost more, reach around edges
//! (a block that lies on a wall has some hundredths of its share at its edges) and include surfaces behind a fold.
//!
//! `least_gap` is the distance of the surfaces: from T to 0, and negative if they penetrate. If two bodies have several contacts, `share` divides the
//! one force of the pair:
//!
//! - in general F = share f(least_gap, v), with v = -(velocity . normal), the speed at which the surfaces approach;
//! - lubrication between spheres of radii a and b: f = 6 pi mu R^2 v (1 / h - 1 / T), with h = max(least_gap, roughness) and 1/R = 1/a + 1/b (R = a
//!   for a wall). It begins with 0 at h = T, and is attractive when surfaces separate, as in liquids. If facets represent a smooth surface, use the
//!   smallest least_gap of the two bodies for all their contacts, which share one film;
//! - a spring between solids, which begins at touch: F = K max(0, -least_gap) share. (The laws with gap / halo begin at T.)

use core::ffi::c_void;

use dem_core::detect::surfaces::{self, Motions, MovingSurface};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::Executor;
use dem_core::memory::Layout;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::MovingSurfaces;

use crate::arrays::{NO_ARRAY, dem_array};
use crate::bodies::OF_SHAPE;
use crate::bodies::frame;
use crate::detect::dem_scene_query;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::{Fixed, fixed};
use crate::memory::{self as blocks, Scratch, Stretch};
use crate::placed::dem_pose;
use crate::records;
use crate::records::{List, Records, about, span};
use crate::scenes::{self, DEM_LIST_CONTACTS, Of, dem_scene};
use crate::shapes::{self, dem_shape};
use crate::strided;
use crate::tasks::{Host, dem_tasks, read_tasks};

/// A body whose vertices move by themselves.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_surface {
    /// Its shape: a mesh, in the state in which contacts were found.
    pub shape: *const dem_shape,
    /// 0.
    pub reserved_2: usize,
    /// The scale of the body: 1 if the query had none.
    pub scale: f64,
    /// The index of the body in the scene.
    pub body: u32,
    /// 0.
    pub reserved: u32,
    /// Velocities of all vertices from which the shape was built, in their order, in the frame of the shape and unscaled units: three numbers an
    /// item. `dem_scene_loads` ignores them.
    pub vertices: dem_array,
    /// The pose of the mesh in the frame of the body, in unscaled units: its `pose` in the table of shapes. The identity, or all zeros: both frames
    /// are equal.
    pub pose: dem_pose,
    /// Null, the default, or the query of the step with all its bodies: `dem_scene_loads` then spreads the load of each contact over all triangles
    /// that it covers. Velocities do not depend on this field.
    pub bodies: *const dem_scene_query,
    /// 0.
    pub reserved_3: usize,
}

// The reserved word avoids padding on machines with words of 4 and of 8 bytes.
fixed!(dem_scene_surface {
    shape: *const dem_shape,
    reserved_2: usize,
    scale: f64,
    body: u32,
    reserved: u32,
    vertices: dem_array,
    pose: dem_pose,
    bodies: *const dem_scene_query,
    reserved_3: usize,
});

/// How the bodies of a scene move: body i is item i of every array, in the order of the query.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_motion {
    /// `sizeof(dem_scene_motion)`.
    pub struct_size: u32,
    /// The list of contacts for which velocities are computed: `DEM_LIST_CONTACTS`, the default, or `DEM_LIST_MARGIN`.
    pub list: u32,
    /// Velocities of the bodies' centres, in world axes: three numbers each; at rest by default.
    pub velocities: dem_array,
    /// Angular velocities, in world axes, in radians over time; 0 by default.
    pub spins: dem_array,
    /// The points to which `velocities` refer, in world coordinates, usually centres of mass. By default the positions at which contacts were found:
    /// those of the query, or of pairs with poses of their own. (dem_scene_wrenches takes those of the query, so name the points for such pairs.)
    pub centres: dem_array,
    /// Bodies whose vertices also move by themselves; may be null if there are none.
    pub surfaces: *const dem_scene_surface,
    /// Number of these bodies.
    pub surface_count: usize,
    /// Bytes from one to the next; 0: `sizeof(dem_scene_surface)` of version 0.1.
    pub surface_stride: usize,
    /// 0.
    pub reserved_2: usize,
}

fixed!(dem_scene_motion {
    struct_size: u32,
    list: u32,
    velocities: dem_array,
    spins: dem_array,
    centres: dem_array,
    surfaces: *const dem_scene_surface,
    surface_count: usize,
    surface_stride: usize,
    reserved_2: usize,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_scene_motion {
    const DEFAULT: Self = dem_scene_motion {
        struct_size: size_of::<dem_scene_motion>() as u32,
        list: DEM_LIST_CONTACTS,
        velocities: NO_ARRAY,
        spins: NO_ARRAY,
        centres: NO_ARRAY,
        surfaces: core::ptr::null(),
        surface_count: 0,
        surface_stride: 0,
        reserved_2: 0,
    };
}

/// How much scratch `dem_scene_velocities` and `dem_scene_motions` need.
///
/// Outputs: `scratch_size`: bytes, some 80 kilobytes for each of the program's threads; 0 if no vertices move. The size depends on the
/// contacts for which the scene has room, not on their current number.
/// Inputs: `scene`, `motion`, `tasks`: as for `dem_scene_velocities`.
/// Errors: those of `dem_scene_velocities` about the scene, `motion` and shapes; `DEM_ERROR_NULL`.
/// Cost: about 0.1 microseconds, and as much for each surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_velocities_scratch(
    scratch_size: *mut usize,
    scene: *const dem_scene,
    motion: *const dem_scene_motion,
    tasks: *const dem_tasks,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let (motion, host) = (Motion::read(motion)?, Host::new(read_tasks(tasks)?));
            let contacts =
                scenes::seen(scene, |scene, _| Ok(scene.sizes.contacts.max(scene.sizes.margin_contacts) as usize))?;
            let mut most = Layout::EMPTY;
            motion.surfaces.each(|surface, _| {
                let needs = surface.scratch(contacts, host.width())?;
                most = if needs.size > most.size { needs } else { most };
                Ok(())
            })?;
            edge::write(scratch_size, blocks::scratch_size(most)?, What::Scratch)
        }
    })
}

/// Computes for each contact of a scene the velocity of A's surface less that of B's, at the contact.
///
/// The velocities are those of `dem_contact_velocities`, with both bodies at their positions in the last successful step. If B is a periodic image,
/// its velocity is that of this image.
///
/// If a law of the program needs the rotation of surfaces, too, use `dem_scene_motions`.
///
/// Outputs: `velocities`: three numbers, in world axes, for each contact of `list` (`count` of `dem_scene_view`).
/// Inputs: `scene`. `motion` (may be null: all at rest). `tasks` (may be null): threads of the program. `scratch`, `scratch_size`: at least
/// the size of `dem_scene_velocities_scratch`, at any alignment. With less, down to the need of one thread, fewer threads work.
/// Memory: `velocities` and scratch must not overlap each other nor anything else.
/// Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: `struct_size`, a stride;
/// `DEM_ERROR_MISMATCH`, `DEM_ERROR_NOT_FINITE` about `velocities`, `spins` or `centres`, with body and component; `DEM_ERROR_CAPACITY`:
/// scratch; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`. After an error nothing is written.
/// About `surfaces` with its place as `index`: `DEM_ERROR_BAD_INDEX`: no such body; `DEM_ERROR_NULL`, `DEM_ERROR_DAMAGED`,
/// `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: its shape; `DEM_ERROR_MISMATCH`: not as many velocities as vertices (`needed`, `given`);
/// `DEM_ERROR_NOT_FINITE`: a velocity (`given` is the vertex) or, with component 9, the scale; `DEM_ERROR_OUT_OF_RANGE`: the scale, which
/// is between 2^-500 and 2^500, a reserved field.
/// Cost: some ten nanoseconds a contact. If vertices move, some tenths of a microsecond for each of their contacts, and one pass over their
/// velocities for every thousand of these contacts.
/// Threads: any number at a time, each with velocities and scratch of its own; nobody may change the scene or a shape during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_velocities(
    velocities: *mut f64,
    scene: *const dem_scene,
    motion: *const dem_scene_motion,
    tasks: *const dem_tasks,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    let scratch = Scratch::new(scratch, scratch_size);
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe { relative(velocities, None, scene, motion, tasks, scratch) })
}

/// Computes for each contact of a scene the velocity and the angular velocity of A's surface less those of B's.
///
/// Torsion, rolling resistance and damping of tilt act on the rotation of surfaces. A surface rotates with its body (`spins` of `motion`). Where
/// vertices of `surfaces` move, the rotation of the triangle below the contact is added: along the normal of the triangle half of the curl of the
/// vertices' velocity, and across the normal the rate at which it turns. So a triangle that moves as a rigid body adds the angular velocity of this
/// body, and a triangle that stretches evenly adds none. At such a surface, `velocities` are those of a body that rotates with the triangle, at the
/// contact. Those of `dem_scene_velocities` are at the closest point, half a gap away. So vertices that move as a rigid body give the velocities of
/// this body. The laws of worlds use the same velocities.
///
/// Outputs: `velocities`: three numbers, in world axes, for each contact of `list`. `spins`: as many, in radians over time; `spin` of `dem_meeting`
/// in a world.
/// Inputs: as for `dem_scene_velocities`.
/// Memory: `velocities`, `spins` and scratch must not overlap each other nor anything else.
/// Errors: those of `dem_scene_velocities`; those about memory also about `spins`. After an error nothing is written.
/// Cost: that of `dem_scene_velocities`, and some nanoseconds a contact.
/// Threads: any number at a time, each with outputs and scratch of its own; nobody may change the scene or a shape during the call.
/// Determinism: the same bits on every machine, with any number of threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_motions(
    velocities: *mut f64,
    spins: *mut f64,
    scene: *const dem_scene,
    motion: *const dem_scene_motion,
    tasks: *const dem_tasks,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    let scratch = Scratch::new(scratch, scratch_size);
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe { relative(velocities, Some(spins), scene, motion, tasks, scratch) })
}

/// Velocities at the contacts of the list that the motion names, and spins if they are asked for.
///
/// # Safety
/// As for [`dem_scene_motions`].
unsafe fn relative(
    velocities: *mut f64,
    spins: Option<*mut f64>,
    scene: *const dem_scene,
    motion: *const dem_scene_motion,
    tasks: *const dem_tasks,
    scratch: Scratch,
) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        let (motion, host) = (Motion::read(motion)?, Host::new(read_tasks(tasks)?));
        let of = Of::numbered(motion.raw.list)?;
        scenes::seen(scene, |scene, block| {
            let scene = of.scene(scene);
            let count = scene.now().contacts().len();
            let to = Records::<[f64; 3]>::packed(velocities.cast(), count).map_err(about(What::Velocities))?;
            let turns = spins.map(|spins| Records::<[f64; 3]>::packed(spins.cast(), count)).transpose();
            let turns = turns.map_err(about(What::Spins))?;
            scratch.apart_from(to.bytes())?;
            if let Some(turns) = &turns {
                scratch.apart_from(turns.bytes())?;
                blocks::apart(turns.bytes(), to.bytes(), What::Spins)?;
            }
            let apart = |read| {
                blocks::apart(to.bytes(), read, What::Velocities)?;
                turns.as_ref().map_or(Ok(()), |turns| blocks::apart(turns.bytes(), read, What::Spins))?;
                scratch.apart_from(read)
            };
            apart(block)?;
            motion.memory()?.into_iter().try_for_each(apart)?;
            motion.surfaces.each(|_, read| read.into_iter().try_for_each(apart))?;
            // All surfaces use the same scratch, one after the other. All are checked before the first write.
            let own = |surface: &MovingSurface<'_>| {
                let needs = |threads| surface.scratch(count, threads);
                let fits = |n: &usize| needs(*n).is_ok_and(|layout| scratch.holds(layout));
                scratch.take(needs((1..=host.width()).rev().find(fits).unwrap_or(1))?)
            };
            motion.surfaces.each(|surface, _| surface.check(&scene, own(surface)?))?;
            let to = to.slice().map_err(about(What::Velocities))?;
            let turns = turns.as_ref().map(|turns| turns.slice()).transpose().map_err(about(What::Spins))?;
            let bodies = motion.bodies()?;
            surfaces::velocities(&host, &scene, &bodies, to)?;
            let Some(turns) = turns else {
                return motion.surfaces.each(|surface, _| surface.add(&host, Isa::best(), &scene, to, own(surface)?));
            };
            surfaces::spins(&host, &scene, &bodies, turns)?;
            motion.surfaces.each(|surface, _| {
                surface.add_motion(&host, Isa::best(), &scene, (&mut *to, &mut *turns), own(surface)?)
            })
        })
    }
}

/// A `dem_scene_motion` of the host, with its list of surfaces.
struct Motion {
    raw: dem_scene_motion,
    surfaces: SurfaceList,
}

impl Motion {
    /// # Safety
    /// A pointer that is not null points at a motion, whose arrays and lists can be read while the result is used.
    unsafe fn read(motion: *const dem_scene_motion) -> Result<Motion> {
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(motion, What::Motion) }?;
        inputs::zero_at(raw.reserved_2 as u64, What::Motion, inputs::RESERVED_2)?;
        let surfaces = SurfaceList::new(raw.surfaces, raw.surface_count, raw.surface_stride)?;
        Ok(Motion { raw, surfaces })
    }

    /// # Safety
    /// As for [`Motion::read`], and nothing writes to the arrays during `'a`.
    unsafe fn bodies<'a>(&self) -> Result<Motions<'a>> {
        let array = |a: &dem_array, what| match a.data.is_null() && a.count == 0 {
            true => Ok(None),
            // SAFETY: by this function's contract.
            false => unsafe { strided::numbers(a, 3, what) }.map(Some),
        };
        Ok(Motions {
            velocities: array(&self.raw.velocities, What::BodyVelocities)?,
            spins: array(&self.raw.spins, What::Spins)?,
            centres: array(&self.raw.centres, What::Centres)?,
        })
    }

    /// The memory that the call reads, without that of surfaces.
    fn memory(&self) -> Result<[Stretch; 4]> {
        let read = |a: &dem_array, what| Ok((a.data, strided::span(a, 3, what)?));
        Ok([
            self.surfaces.memory(),
            read(&self.raw.velocities, What::BodyVelocities)?,
            read(&self.raw.spins, What::Spins)?,
            read(&self.raw.centres, What::Centres)?,
        ])
    }
}

/// The program's list of surfaces whose vertices move.
#[derive(Clone, Copy)]
pub(crate) struct SurfaceList(pub(crate) List);

// SAFETY: nothing is written, and the maker of a list guarantees the memory to which it points.
unsafe impl Sync for SurfaceList {}

impl SurfaceList {
    /// The list of a query or of a motion. The program guarantees each item.
    pub fn new(first: *const dem_scene_surface, count: usize, stride: usize) -> Result<SurfaceList> {
        if first.is_null() && count > 0 {
            return Err(Error::new(Kind::Null, What::Surfaces));
        }
        const SIZE: usize = dem_scene_surface::FIRST;
        let (stride, _) = span(count, stride, SIZE).map_err(about(What::Surfaces))?;
        if stride < SIZE {
            return Err(Error::new(Kind::BadSize, What::Surfaces)
                .at(0, inputs::SURFACE_STRIDE)
                .amounts(SIZE as u64, stride as u64));
        }
        Ok(SurfaceList(List { first: first.cast(), count, stride }))
    }

    /// The memory of the list itself.
    pub fn memory(&self) -> Stretch {
        (self.0.first.cast(), self.0.count * self.0.stride)
    }

    /// Errors: [`Kind::Overlap`] if memory that the call writes shares a byte with the list, its shapes or its arrays; those of surfaces.
    ///
    /// # Safety
    /// As for [`SurfaceList::each`].
    pub unsafe fn apart_from(&self, written: &[(Stretch, What)]) -> Result<()> {
        let apart = |read: Stretch| written.iter().try_for_each(|(memory, what)| blocks::apart(*memory, read, *what));
        apart(self.memory())?;
        // SAFETY: by this function's contract.
        unsafe { self.each(|_, read| read.into_iter().try_for_each(apart)) }
    }

    /// Calls `work` with each surface, open, and the memory that it reads.
    ///
    /// # Safety
    /// The list exists, and its shapes and arrays can be read.
    pub unsafe fn each(&self, mut work: impl FnMut(&MovingSurface<'_>, [Stretch; 2]) -> Result<()>) -> Result<()> {
        let List { first, count, stride } = self.0;
        for i in 0..count {
            // SAFETY: the host guarantees the surfaces, at any alignment; every bit pattern is valid.
            let raw = unsafe { records::read(first.wrapping_add(i * stride), stride) };
            // SAFETY: by this function's contract.
            unsafe { with(&raw, &mut work) }.map_err(|e| surfaces::in_list(e, i as u64))?;
        }
        Ok(())
    }
}

impl MovingSurfaces for SurfaceList {
    fn each(&self, work: &mut dyn FnMut(&MovingSurface<'_>) -> Result<()>) -> Result<()> {
        // SAFETY: the program guarantees the list for the whole call.
        unsafe { self.each(|surface, _| work(surface)) }
    }
}

/// Runs `work` with one surface.
///
/// # Safety
/// As for [`SurfaceList::each`].
unsafe fn with(
    raw: &dem_scene_surface,
    work: impl FnOnce(&MovingSurface<'_>, [Stretch; 2]) -> Result<()>,
) -> Result<()> {
    let reserved = [raw.reserved as usize, raw.reserved_2, raw.reserved_3];
    if let Some(k) = (0..).zip(reserved).find_map(|(k, x)| (x != 0).then_some(k)) {
        return Err(Error::new(Kind::OutOfRange, What::Surfaces).at(0, 10 + k));
    }
    if raw.shape.is_null() {
        return Err(Error::new(Kind::Null, What::Surfaces).at(0, OF_SHAPE));
    }
    let array = (raw.vertices.data, strided::span(&raw.vertices, 3, What::Surfaces)?);
    // SAFETY: by this function's contract.
    unsafe {
        let velocities = strided::numbers(&raw.vertices, 3, What::Surfaces)?;
        shapes::opened(raw.shape, What::Surfaces, |(mesh, tree, block)| {
            let frame = frame(&raw.pose).unwrap_or(Pose::IDENTITY);
            let surface = MovingSurface { body: raw.body, mesh, tree, frame, scale: raw.scale, velocities };
            work(&surface, [block, array])
        })
    }
}

#[cfg(test)]
mod tests;
