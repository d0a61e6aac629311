//! Clamped normals, for engines on badly welded surfaces.
//!
//! Bodies slide over flat parts of a welded surface as over a plane, and need none of this. In other meshes, triangles lie beside each
//! other without common vertices (a soup, T-junctions, tiles of a terrain that agree up to rounding). A body near a border then has a
//! second contact, with the neighbour, whose normal leans. An impulse solver treats that contact as an obstacle, and bodies stumble over
//! edges that do not exist.
//! Balls on hills stumble, too, welded or not: the contact with the near facet ahead leans against them. At the start: dem_patch_cones,
//! after the cells are built. In every step: dem_contact_clamp, after dem_placed_contacts.
//!
//! A scene joins all patches of a place to one contact. Its normal is the mean of many, in proportion to their forces: a near facet ahead is
//! no contact of its own, and no cone belongs to the mean. So there is nothing to clamp by default. With DEM_GROUPING_PATCHES the contacts of a
//! scene are those of dem_placed_contacts, also of periodic images. To clamp them, copy the contacts of a pair, from `first` to `end`, and
//! call dem_contact_clamp for the copy, with the pose of the surface.

use core::mem::take;

use dem_core::contact::shape::shape_cones;
use dem_core::contact::{CellOptions, Clamped, Contact, PatchCone, clamp_normals};
use dem_core::error::{Error, Kind, What};
use dem_core::pose::Pose;

use crate::bodies::{Census, OF_A, each_part};
use crate::body_contacts::dem_contact;
use crate::edge;
use crate::errors::dem_error;
use crate::memory as blocks;
use crate::placed::dem_placed;
use crate::placed::dem_pose;
use crate::records::{Records, is_packed, shared};

/// The first body of a pair.
pub const DEM_BODY_A: u32 = 0;
/// The second body of a pair.
pub const DEM_BODY_B: u32 = 1;

const _: () = assert!(size_of::<PatchCone>() == 4 * size_of::<f64>());

/// Computes the cones of a body's patches, for `dem_contact_clamp`. Compute them once, after the cells, and again after a refit.
///
/// Outputs: `cones`: four numbers for each feature of the body. A mesh has as many features as triangles; a sphere, a capsule and a
/// half-space have one; a compound has those of its parts, one after the other. At the first triangle of a patch, three numbers are its
/// mean normal, in the body's frame. The fourth is the cosine of the largest angle by which a normal may lean across a convex edge. All
/// other features have zeros.
/// Inputs: `capacity`: the number of features for which there is room. `body`: its pose and scale have no effect, but those of its parts
/// have. `flat`: that of the shape (`dem_shape_desc`).
/// Memory: `cones` must not overlap anything else.
/// Errors: those of `dem_placed_contacts` about body A; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `flat`; `DEM_ERROR_CAPACITY` about
/// `output`: `needed` features; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. After an error the content of `cones` is undefined.
/// Cost: some tens of nanoseconds a triangle.
/// Threads: any number at a time.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_patch_cones(
    cones: *mut f64,
    capacity: usize,
    body: *const dem_placed,
    flat: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call_of_body(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let body: dem_placed = edge::read(body, What::Body)?;
            let to = Records::<PatchCone>::packed(cones.cast(), capacity)?;
            Census::new(&[(to.bytes(), What::Output)]).add(&body, &OF_A)?;
            let mut features = 0;
            each_part(&body, &OF_A, |shape| {
                features += shape.features();
                Ok(())
            })?;
            let short = Error::capacity(What::Output, features, capacity as u64);
            let all = to.slice()?;
            let mut rest = usize::try_from(features).ok().and_then(|n| all.get_mut(..n)).ok_or(short)?;
            each_part(&body, &OF_A, |shape| {
                let busy = Error::new(Kind::Busy, What::ShapeA);
                let of_part = usize::try_from(shape.features()).map_err(|_| busy)?;
                let (own, others) = take(&mut rest).split_at_mut_checked(of_part).ok_or(busy)?;
                rest = others;
                shape_cones(&shape, &CellOptions { flat, ..CellOptions::default() }, own)
            })
        }
    })
}

/// Rotates normals of contacts with a body into the cones of its patches. A normal that leans over an open edge is turned back to that of
/// the face. Normals at convex edges that two triangles share do not change.
///
/// The force becomes the nearest one in the cone. So `normal` is rotated only as far as needed, and `area` and `share` are reduced to the
/// component along it. (Shares of each tag then sum to 1 again.) A contact without such a component gets area and share 0. Forces stay
/// continuous, but their resultant changes: use this with impulse solvers only.
///
/// Outputs: `contacts`: changed in place.
/// Inputs: `count`: how many, ordered by tag. `stride`: bytes from one to the next, which is `sizeof(dem_contact)` or 0; aligned as
/// `double`. `which`: the body of the cones in all these contacts: `DEM_BODY_A` or `DEM_BODY_B`. `cones`, `features`: of `dem_patch_cones`.
/// `pose`: the pose of this body.
/// Memory: nothing may overlap the contacts.
/// Errors: `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `which`; `DEM_ERROR_NULL`;
/// `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the pose; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`.
/// Cost: some ten nanoseconds a contact.
/// Threads: any number at a time, each with contacts of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_clamp(
    contacts: *mut dem_contact,
    count: usize,
    stride: usize,
    cones: *const f64,
    features: usize,
    pose: *const dem_pose,
    which: u32,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let of = match which {
            DEM_BODY_A => Clamped::A,
            DEM_BODY_B => Clamped::B,
            _ => return Err(Error::new(Kind::OutOfRange, What::Which)),
        };
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let pose: Pose = edge::read(pose, What::Pose)?.into();
            let in_contacts = |e: Error| Error { what: What::Contacts, ..e };
            is_packed::<dem_contact>(stride, What::Contacts)?;
            let list = Records::<Contact>::packed(contacts.cast(), count).map_err(in_contacts)?;
            let cones = shared(cones.cast::<PatchCone>(), features, What::Cones)?;
            blocks::apart(list.bytes(), (cones.as_ptr().cast(), size_of_val(cones)), What::Contacts)?;
            clamp_normals(cones, &pose, of, list.slice().map_err(in_contacts)?)
        }
    })
}

#[cfg(test)]
mod tests;
