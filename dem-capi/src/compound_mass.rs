//! Mass properties of bodies of any kind.
//!
//! If parts of a compound overlap, the overlap has mass only once. `dem_shape_mass` does the same for one mesh, which need not be a body.

use core::ffi::c_void;

use dem_core::body::{compound_mass, compound_mass_scratch};
use dem_core::contact::shape::{Part, Shape};
use dem_core::error::{Error, Result, What};
use dem_core::memory::{Layout, Plan};
use dem_core::pose::Pose;
use dem_core::rays::Hit;

use crate::bodies::{Census, OF_A, Opener, each_part, places, room, two};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs;
use crate::mass::dem_mass;
use crate::placed::dem_placed;
use crate::scratch::{Scratch, scratch_size as size_of_scratch};

/// Room for hits of a column, besides two for each part. The host may give more scratch.
const HITS: usize = 256;

/// Computes mass, centre, inertia and principal axes of a body of any kind but a half-space, filled with one density, in the frame of its shape. The
/// pose and scale of the body, and halos, have no effect.
///
/// Balls and closed meshes are exact. If parts of a compound overlap, the overlap counts once. It is integrated over `columns` times
/// `columns` columns along z through the box around all overlaps, each exactly along z. With 128, the overlap of two balls is right to a
/// thousandth. If a mesh is not closed at a column, this column counts as if nothing overlapped there, and its volume is added to
/// `volume_error`.
///
/// Outputs: `mass`: the function writes `mass_size` bytes, at most `sizeof(dem_mass)`. Its `part_pose`, as the `pose` of the shape in the
/// table of a scene or a world, makes its frame the frame of the bodies.
/// Inputs: `mass_size`: `sizeof(dem_mass)`. `body`; meshes must have cells. `density`: positive. `columns`: at least 1; 128 are enough for
/// most bodies. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch must not overlap the body.
/// Errors: those of `dem_placed_contacts` about body A; `DEM_ERROR_UNSUPPORTED`: a half-space; `DEM_ERROR_NOT_FINITE`,
/// `DEM_ERROR_OUT_OF_RANGE`: the density, and about `mass`: there is no volume, or too much for a double; `DEM_ERROR_CAPACITY`: scratch;
/// `DEM_ERROR_NULL`; `DEM_ERROR_OVERLAP`.
/// Cost: about 0.7 microseconds a triangle. If parts overlap, also a ray cast for each column: some ten nanoseconds for each ball, two
/// microseconds for each mesh.
/// Threads: any number at a time, each with scratch of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_mass(
    mass: *mut dem_mass,
    mass_size: usize,
    body: *const dem_placed,
    density: f64,
    columns: u32,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call_of_body(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let body: dem_placed = edge::read(body, What::Body)?;
            let scratch = Scratch::new(scratch, scratch_size);
            let found: dem_mass = find(&body, density, columns, scratch)?.into();
            inputs::write_record(mass, mass_size, &found, What::Output)
        }
    })
}

/// # Safety
/// As for [`Census::add`]; nothing else uses the scratch during the call.
unsafe fn find(
    body: &dem_placed,
    density: f64,
    columns: u32,
    scratch: Scratch,
) -> Result<dem_core::mesh::MassProperties> {
    let written = [(scratch.bytes(), What::Scratch)];
    // SAFETY: by this function's contract.
    let needs = unsafe { Needs::of(body, &written) }?;
    let all = needs.all(needs.hits)?;
    if !scratch.holds(all) {
        return Err(Error::capacity(What::Scratch, size_of_scratch(all)? as u64, scratch.bytes().1 as u64));
    }
    // Room for as many hits as the scratch has bytes for, whatever its alignment.
    let spare = scratch.bytes().1.saturating_sub(size_of_scratch(all)?);
    let mut hits = needs.hits + spare / size_of::<Hit>();
    while hits > needs.hits && !scratch.holds(needs.all(hits)?) {
        hits -= 1;
    }
    // SAFETY: likewise; the parts of scratch do not overlap.
    unsafe {
        let (memory, rest) = scratch.split(needs.opened)?;
        let (mesh, rest) = rest.split(needs.mesh)?;
        let hits = rest.take(room::<Hit>(hits)?)?;
        let hits: &mut [Hit] = filled(hits);
        let mut two = two();
        let mut opener = Opener::new(&needs.census, memory, &mut two)?;
        let shape = opener.open(body, &OF_A)?;
        let whole = [Part { shape, pose: Pose::IDENTITY, scale: 1.0 }];
        let parts = match shape {
            Shape::Compound(parts) => parts,
            _ => &whole,
        };
        let given = hits.len() as u64;
        let found = compound_mass(parts, density, columns, hits, mesh).map_err(|e| match e.what {
            What::Shapes => Error { what: What::ShapeA, ..e },
            What::Output => short(&needs, e.needed.max(given)),
            _ => e,
        })?;
        opener.unchanged()?;
        Ok(found)
    }
}

/// The error about a column with more hits than there is room for, with enough scratch for them.
fn short(needs: &Needs<'_>, hits: u64) -> Error {
    let size = needs.all(hits as usize).and_then(size_of_scratch).unwrap_or(usize::MAX);
    Error::capacity(What::Scratch, size as u64, 0)
}

/// Memory for hits, each set to [`Hit::NOTHING`].
fn filled(memory: &mut [u8]) -> &mut [Hit] {
    let places = places::<Hit>(memory);
    places.iter_mut().for_each(|place| _ = place.write(Hit::NOTHING));
    // SAFETY: each place was written.
    unsafe { &mut *(&raw mut *places as *mut [Hit]) }
}

/// The parts of the scratch.
struct Needs<'w> {
    census: Census<'w>,
    opened: Layout,
    mesh: Layout,
    hits: usize,
}

impl<'w> Needs<'w> {
    /// # Safety
    /// As for [`Census::add`].
    unsafe fn of(body: &dem_placed, written: &'w [(crate::scratch::Stretch, What)]) -> Result<Self> {
        let mut census = Census::new(written);
        let (mut mesh, mut parts) = (Layout::EMPTY, 0);
        // SAFETY: by this function's contract.
        unsafe {
            census.add(body, &OF_A)?;
            each_part(body, &OF_A, |shape| {
                let whole = [Part { shape, pose: Pose::IDENTITY, scale: 1.0 }];
                let own = if let Shape::Compound(own) = shape { own } else { &whole };
                parts += own.len();
                mesh = mesh.or(compound_mass_scratch(own)?);
                Ok(())
            })?;
        }
        Ok(Needs { opened: census.layout()?, census, mesh: rounded(mesh), hits: 2 * parts + HITS })
    }

    fn all(&self, hits: usize) -> Result<Layout> {
        let mut plan = Plan::new();
        plan.part(self.opened).part(self.mesh).part(room::<Hit>(hits)?).layout(What::Scratch)
    }
}

/// Rounds a layout up to a multiple of 64 bytes, so that the next part is aligned.
fn rounded(layout: Layout) -> Layout {
    Layout { size: layout.size.next_multiple_of(crate::memory::DEM_ALIGN), align: crate::memory::DEM_ALIGN }
}

#[cfg(test)]
mod tests;
