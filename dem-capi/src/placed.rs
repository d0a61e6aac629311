//! Contacts of spheres, half-spaces and meshes.
//!
//! What contacts are, and the laws that turn them into forces, is told in the chapter before this one. Here bodies may be
//! spheres and half-spaces, too, in every combination, and each body has a scale. The records are the same.
//!
//! A sphere feels what of the other's surface is within its radius and the sum T of both halos: one contact with a sphere, with
//! a half-space, with each flat part of a mesh. Forces go through its centre. A flat wall feels the same to a sphere and to a mesh
//! as a half-space, in few triangles or in many.
//!
//! Spheres and half-spaces may penetrate meshes and each other: gaps are negative then, and both laws go on to grow. A sphere is
//! pushed out of a mesh as long as its centre is outside, and, if the mesh is `solid`, from inside as well.
//!
//! In the beginning: dem_shape_init and dem_cells_init for each mesh. In every step: fill the query and call
//! dem_placed_contacts for each couple of bodies that may be near.

use core::ffi::c_void;

use dem_core::contact::shape::{self, Placed, Shape, Surface, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, Found, Room};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Layout;
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::body_contacts::{Body, Couple, FIRST_ROOM, Need, dem_contact, find, tell, with_body};
use crate::cells::dem_cells;
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::memory as blocks;
use crate::queries::{IDENTITY, dem_pose};
use crate::shapes::dem_shape;

/// A ball about the origin of its frame; a point, if its radius is 0.
pub const DEM_KIND_SPHERE: u32 = 1;
/// All points with z <= 0 in its frame.
pub const DEM_KIND_HALF_SPACE: u32 = 2;
/// A shape with its cells.
pub const DEM_KIND_MESH: u32 = 3;

const _: () = assert!(
    DEM_KIND_SPHERE == shape::SPHERE && DEM_KIND_HALF_SPACE == shape::HALF_SPACE && DEM_KIND_MESH == shape::MESH
);

/// A body.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_placed {
    /// `DEM_KIND_*`.
    pub kind: u32,
    /// 1: what the mesh encloses belongs to the body; it should be closed and look outward. 0: it is a surface.
    pub solid: u32,
    /// The mesh; not looked at for other kinds.
    pub shape: *const dem_shape,
    /// Its cells; not looked at for other kinds.
    pub cells: *const dem_cells,
    /// Radius of a sphere, finite and not negative.
    pub radius: f64,
    /// Halo of a sphere or a half-space, finite and not negative. A mesh has that of its shape.
    pub halo: f64,
    /// All lengths of the body are multiplied by this, halos among them; finite and larger than 0. 1 leaves it as it is.
    pub scale: f64,
    /// Where it is.
    pub pose: dem_pose,
}

fixed!(dem_placed {
    kind: u32,
    solid: u32,
    shape: *const dem_shape,
    cells: *const dem_cells,
    radius: f64,
    halo: f64,
    scale: f64,
    pose: dem_pose,
});

/// A sphere of radius 0 in the origin.
const POINT: dem_placed = dem_placed {
    kind: DEM_KIND_SPHERE,
    solid: 0,
    shape: core::ptr::null(),
    cells: core::ptr::null(),
    radius: 0.0,
    halo: 0.0,
    scale: 1.0,
    pose: IDENTITY,
};

/// Two bodies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_placed_query {
    /// `sizeof(dem_placed_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// Names the couple of bodies: the first half of each contact's key. Any number; 0 by default.
    pub tag: u64,
    /// The first body; a point without halo in the origin by default.
    pub a: dem_placed,
    /// The second body, likewise.
    pub b: dem_placed,
}

fixed!(dem_placed_query { struct_size: u32, isa: u32, tag: u64, a: dem_placed, b: dem_placed });

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_placed_query {
    const DEFAULT: Self = dem_placed_query {
        struct_size: size_of::<dem_placed_query>() as u32,
        isa: DEM_ISA_BEST,
        tag: 0,
        a: POINT,
        b: POINT,
    };
}

/// Fills `query` with the defaults.
///
/// Outputs: `query`.
/// Inputs: `struct_size`: `sizeof(dem_placed_query)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_query_init(query: *mut dem_placed_query, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(query, struct_size, What::Options) })
}

/// How much scratch is good to begin with for `dem_placed_contacts`.
///
/// Outputs: `scratch_size`: bytes; they do not depend on the poses. Some 2 kilobytes where no mesh takes part.
/// Inputs: `query`: its bodies. `pairs`: how many pairs of triangles, or triangles near a sphere or below a half-space's halo,
/// there may be; 0: 256. `capacity`, `stride`: as for `dem_placed_contacts`.
/// Errors: those of `dem_placed_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.2 microseconds.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_contacts_scratch(
    scratch_size: *mut usize,
    query: *const dem_placed_query,
    pairs: usize,
    capacity: usize,
    stride: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let pairs = if pairs == 0 { FIRST_ROOM } else { pairs };
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let needs = with(query, |q| Need::new(q, capacity, stride)?.bytes(pairs as u64))?;
            edge::write(scratch_size, needs, What::Scratch)
        }
    })
}

/// The contacts of two bodies of any kinds, ordered by key.
///
/// A key's lower half names the first triangle of a mesh's patch, and 0 for a sphere or a half-space. Two half-spaces have no
/// contacts: neither can move away from the other. For two meshes of scale 1 it is `dem_contacts`.
///
/// Outputs: `contacts` (may be null if `capacity` is 0), `count` (may be null): as for `dem_contacts`.
/// Inputs: `query`: bodies and tag. `capacity`, `stride`, `scratch`, `scratch_size`: as for `dem_contacts`; what
/// `dem_placed_contacts_scratch` says is enough for the number of pairs that it was told.
/// Memory: scratch and records must not overlap each other nor shapes and cells.
/// Errors: those of `dem_contacts`; about `shape of A` and `shape of B`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`
/// (`component` 0: radius, 1: halo, 2: scale, 3: kind, 4: solid).
/// Cost: a tenth of a microsecond for spheres and half-spaces; with a mesh logarithmic in the number of its triangles, and some
/// 0.2 microseconds for each one that is near.
/// Threads: any number at a time, on the same shapes and cells, each with records and scratch of its own.
/// Determinism: the same bits on every machine, with every instruction set and size of scratch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_placed_contacts(
    contacts: *mut dem_contact,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_placed_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let found = with(query, |q| find(q, (contacts, capacity, stride), (scratch, scratch_size)));
            tell(count, found)
        }
    })
}

/// A query whose meshes are open.
pub(crate) struct Query<'a> {
    pub(crate) a: Placed<'a>,
    pub(crate) b: Placed<'a>,
    pub(crate) isa: Isa,
    tag: u64,
    /// Shapes and cells; of no length where a body has none.
    blocks: [(*const c_void, usize); 4],
}

impl Couple for Query<'_> {
    fn scratch(&self, room: Room) -> Result<Layout> {
        shape_scratch(&self.a, &self.b, room)
    }

    fn contacts(&self, room: Room, out: &mut [Contact], scratch: &mut [u8]) -> Result<Found> {
        shape_contacts(self.isa, &self.a, &self.b, self.tag, room, out, scratch)
    }

    fn apart_from(&self, memory: (*const c_void, usize), what: What) -> Result<()> {
        let some = self.blocks.iter().filter(|block| block.1 > 0);
        some.copied().try_for_each(|block| blocks::apart(memory, block, what))
    }
}

/// Components that errors name beside those of the core.
const OF_KIND: u32 = 3;
const OF_SOLID: u32 = 4;

/// What errors about a body speak of.
struct Names {
    body: What,
    mesh: What,
    cells: What,
}

const OF_A: Names = Names { body: What::ShapeA, mesh: What::MeshA, cells: What::CellsA };
const OF_B: Names = Names { body: What::ShapeB, mesh: What::MeshB, cells: What::CellsB };

/// A body with its mesh open.
type Seen<'a> = (Shape<'a>, [(*const c_void, usize); 2]);

/// Runs `body` with what a placed body looks like.
///
/// # Safety
/// Where the pointers are not null, they are those of a shape and of cells.
unsafe fn with_placed<R>(p: &dem_placed, names: &Names, body: impl FnOnce(Seen<'_>) -> Result<R>) -> Result<R> {
    let none = (core::ptr::null(), 0);
    let refused = |component| Err(Error::new(Kind::OutOfRange, names.body).at(0, component));
    if p.solid > 1 {
        return refused(OF_SOLID);
    }
    match p.kind {
        DEM_KIND_SPHERE => body((Shape::Sphere { radius: p.radius, halo: p.halo }, [none; 2])),
        DEM_KIND_HALF_SPACE => body((Shape::HalfSpace { halo: p.halo }, [none; 2])),
        // SAFETY: by this function's contract.
        DEM_KIND_MESH => unsafe {
            with_body((p.shape, names.mesh), (p.cells, names.cells), |((mesh, tree, block), cells): Body<'_>| {
                let surface = Surface { mesh, tree, cells: cells.0, solid: p.solid == 1 };
                body((Shape::Mesh(&surface), [block, cells.2]))
            })
        },
        _ => refused(OF_KIND),
    }
}

/// Runs `body` with a query whose bodies are open.
///
/// # Safety
/// Where the pointers are not null, they point at a query, at shapes and at cells.
pub(crate) unsafe fn with<R>(query: *const dem_placed_query, body: impl FnOnce(&Query<'_>) -> Result<R>) -> Result<R> {
    if query.is_null() {
        return Err(Error::new(Kind::Null, What::Options));
    }
    // SAFETY: by this function's contract.
    let q = unsafe { inputs::read(query, What::Options) }?;
    let isa = Isa::numbered(q.isa)?;
    let pose = |p: dem_pose| Pose { position: p.position, orientation: p.orientation };
    let (pose_a, pose_b) = (pose(q.a.pose), pose(q.b.pose));
    // SAFETY: by this function's contract.
    unsafe {
        with_placed(&q.a, &OF_A, |(shape_a, [a0, a1])| {
            with_placed(&q.b, &OF_B, |(shape_b, [b0, b1])| {
                let a = Placed { shape: shape_a, pose: &pose_a, scale: q.a.scale };
                let b = Placed { shape: shape_b, pose: &pose_b, scale: q.b.scale };
                body(&Query { a, b, isa, tag: q.tag, blocks: [a0, b0, a1, b1] })
            })
        })
    }
}

#[cfg(test)]
mod tests;
