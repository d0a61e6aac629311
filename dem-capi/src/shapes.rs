//! Shapes.
//!
//! A shape is what a body looks like in its own frame: a triangle mesh with its surrogate tree, which queries descend. Any
//! number of bodies share one. It is built once, in a block of its own, and then only read.

use core::ffi::c_void;

use dem_core::array::Scalar;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{self, Layout};
use dem_core::mesh::{self, Halo, Mesh, MeshInput, MeshSizes};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Options, Preset, Tree, TreeSizes};

use crate::arrays::{DEM_F32, DEM_F64, DEM_U32, NO_ARRAY, dem_array, dem_indices};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::memory::{self as blocks, DEM_ALIGN, Held, Marks, Scratch};
use crate::strided;
pub(crate) use block::{Opened, identified, lend, marks, open, opened, parts_mut, stretch};
use block::{mesh_part, reopen, verify, with};

/// The tree is built quickly, and queries are a little slower.
pub const DEM_PRESET_FAST: u32 = 1;
/// A short search for good surrogates.
pub const DEM_PRESET_DEFAULT: u32 = 2;
/// A long one, for shapes that are built once and used for long.
pub const DEM_PRESET_BEST: u32 = 3;

/// A shape: the address of its block.
pub struct dem_shape {
    _block: [u8; 0],
}

/// What a shape is built from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_shape_desc {
    /// `sizeof(dem_shape_desc)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// Positions: three numbers an item, in the frame of the body. All must be finite, also those that no triangle uses.
    pub vertices: dem_array,
    /// The three corners of each triangle. Null data, the default: vertices 3 i, 3 i + 1 and 3 i + 2 are triangle i.
    /// No triangle is dropped, however bad, and triangle i of the shape is item i.
    pub triangles: dem_indices,
    /// A halo for each triangle: one number an item, finite and not negative. Null data, the default: all have `halo`.
    pub halos: dem_array,
    /// The halo of all triangles, finite and not negative; 0 by default.
    pub halo: f64,
    /// `DEM_F64`, the default, or `DEM_F32`, which rounds coordinates and needs half the memory: how they are stored. The
    /// rounded mesh is then the mesh.
    pub stored: u32,
    /// `DEM_PRESET_*`: how much care the tree is built with.
    pub preset: u32,
    /// Children of a node of the tree, 2 to 64; 4 by default.
    pub fan_out: u32,
    /// Triangles of a leaf of the tree, 1 to 64; 4 by default.
    pub leaf: u32,
    /// One of `DEM_ISA_*`, for building; the shape does not depend on it.
    pub isa: u32,
    /// 0.
    pub reserved_2: u32,
}

fixed!(dem_shape_desc {
    struct_size: u32,
    reserved: u32,
    vertices: dem_array,
    triangles: dem_indices,
    halos: dem_array,
    halo: f64,
    stored: u32,
    preset: u32,
    fan_out: u32,
    leaf: u32,
    isa: u32,
    reserved_2: u32,
});

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_shape_desc {
    const DEFAULT: Self = dem_shape_desc {
        struct_size: size_of::<dem_shape_desc>() as u32,
        reserved: 0,
        vertices: NO_ARRAY,
        triangles: dem_indices {
            data: core::ptr::null(),
            count: 0,
            stride: 0,
            component_stride: 0,
            r#type: DEM_U32,
            base: 0,
        },
        halos: NO_ARRAY,
        halo: 0.0,
        stored: DEM_F64,
        preset: DEM_PRESET_DEFAULT,
        fan_out: 4,
        leaf: 4,
        isa: DEM_ISA_BEST,
        reserved_2: 0,
    };
}

/// What a shape is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct dem_shape_info {
    /// Number of triangles.
    pub triangles: u32,
    /// Number of vertices it was built from.
    pub vertices: u32,
    /// `DEM_F32` or `DEM_F64`: how coordinates are stored.
    pub stored: u32,
    /// Levels of the tree.
    pub depth: u32,
    /// The middle of the bounding box.
    pub centre: [f64; 3],
    /// Radius of the ball about it that holds every vertex of a triangle, without halos.
    pub radius: f64,
    /// The largest halo of a triangle.
    pub halo: f64,
    /// A number that tells shapes of different content apart, on every machine.
    pub identity: u64,
    /// Bytes of the block: what to copy or store.
    pub size: u64,
}

fixed!(dem_shape_info {
    triangles: u32,
    vertices: u32,
    stored: u32,
    depth: u32,
    centre: [f64; 3],
    radius: f64,
    halo: f64,
    identity: u64,
    size: u64,
});

/// Fills `desc` with the defaults.
///
/// Outputs: `desc`.
/// Inputs: `struct_size`: `sizeof(dem_shape_desc)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_desc_init(desc: *mut dem_shape_desc, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(desc, struct_size, What::Description) })
}

/// How much memory a shape needs.
///
/// Outputs (each may be null): `size`: bytes of the block; `align`: `DEM_ALIGN`; `scratch_size`: bytes of scratch for
/// `dem_shape_init`.
/// Inputs: `desc`, complete; the numbers in its arrays are not read.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: no triangle, or a field of `desc`; `DEM_ERROR_CAPACITY`: vertices that are no multiple of three, without `triangles`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_layout(
    desc: *const dem_shape_desc,
    size: *mut usize,
    align: *mut usize,
    scratch_size: *mut usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        let needs = unsafe { Description::read(desc) }?.needs()?;
        let (whole, scratch) = (needs.whole()?, blocks::scratch_size(needs.scratch)?);
        // SAFETY: as above.
        unsafe {
            edge::write_optional(size, whole);
            edge::write_optional(align, DEM_ALIGN);
            edge::write_optional(scratch_size, scratch);
        }
        Ok(())
    })
}

/// Builds a shape.
///
/// Vertices are welded where their stored positions are equal; so loose triangles have neighbours, too.
///
/// Outputs: `shape`: the shape, which is the address `memory`. The whole block is written, and the same bytes come out
/// wherever it is built.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_shape_layout` says. `scratch`,
/// `scratch_size`: likewise, at any alignment. `desc`: its arrays are read during this call only.
/// Memory: the block is the caller's; it may be copied, stored and thrown away at will.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OVERLAP`: block, scratch and arrays
/// share bytes; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and its component, the halo or the
/// option; `DEM_ERROR_BAD_INDEX` names triangle and corner; `DEM_ERROR_MISMATCH`: not as many `halos` as triangles; those of
/// `dem_shape_layout`. Nothing is written then, but in one case: a mesh larger than about 1e18 (`DEM_ERROR_OUT_OF_RANGE`
/// about `mesh`) leaves memory that is no shape.
/// Cost: 1 to 2 microseconds a triangle with the default preset.
/// Threads: any; nobody may use the memory during the call.
/// Determinism: the same bytes on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_init(
    memory: *mut c_void,
    size: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    desc: *const dem_shape_desc,
    shape: *mut *mut dem_shape,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if shape.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let description = Description::read(desc)?;
            let needs = description.needs()?;
            let scratch = Scratch::new(scratch, scratch_size);
            description.is_apart(memory, size, What::Block)?;
            description.is_apart(scratch.start(), scratch_size, What::Scratch)?;
            scratch.apart(memory, size)?;
            let scratch = scratch.take(needs.scratch)?;
            description.input.check()?;
            blocks::create(memory, size, needs.mesh.size + needs.tree.size, Held::Shape, |content| {
                description.build(content, needs.mesh.size, scratch)?;
                Ok(((), marks(content)?))
            })?;
            edge::write(shape, memory.cast(), What::Handle)
        }
    })
}

/// Takes bytes that come from a file, another process or a copy taken during a call as a shape.
///
/// All bytes are checked: against a checksum, and that queries neither leave the tree nor go on for ever. A plain copy of a
/// shape in the same process needs no opening.
///
/// Outputs: `shape`: the shape, which is the address `memory`. The latch in its first line is freed; nothing else changes.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than what was copied.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`: it
/// holds something else, another version, bytes of a machine with another byte order, or was changed.
/// Cost: one pass over the bytes, about 0.1 ns a byte.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_open(
    memory: *mut c_void,
    size: usize,
    shape: *mut *mut dem_shape,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if shape.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            blocks::open(memory, size, Held::Shape, |content| {
                verify(content)?;
                Ok(((), marks(content)?))
            })?;
            edge::write(shape, memory.cast(), What::Handle)
        }
    })
}

/// What a shape is: counts, where it is in its own frame, how large.
///
/// Outputs: `info`, of which `info_size` bytes are written, at most `sizeof(dem_shape_info)`.
/// Inputs: `shape`. `info_size`: `sizeof(dem_shape_info)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
/// Cost: about 0.2 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_describe(
    shape: *const dem_shape,
    info: *mut dem_shape_info,
    info_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for a shape where the pointer is not null.
        let found = unsafe { with(shape, What::Handle, describe) }?;
        // SAFETY: the caller vouches for `info_size` bytes where the pointer is not null.
        unsafe { inputs::write_record(info, info_size, &found, What::Output) }
    })
}

fn describe(content: &[u8], marks: Marks) -> Result<dem_shape_info> {
    let (mesh, tree) = reopen(content, marks)?;
    let (mesh_bytes, tree_bytes) = mesh_part(content)?;
    let identities = [memory::identity(mesh_bytes)?, memory::identity(tree_bytes)?];
    Ok(dem_shape_info {
        triangles: mesh.sizes.triangles,
        vertices: mesh.sizes.vertices,
        stored: mesh.sizes.scalar,
        depth: tree.sizes.depth,
        centre: mesh.centre(),
        radius: mesh.radius(),
        halo: mesh.largest_halo(),
        identity: memory::hash_items(0, &identities),
        size: (content.len() + blocks::LATCH) as u64,
    })
}

/// A description, checked as far as it goes without reading the arrays.
struct Description<'a> {
    input: MeshInput<'a>,
    options: Options,
    isa: Isa,
    raw: dem_shape_desc,
}

/// What a shape needs.
struct Needs {
    mesh: Layout,
    tree: Layout,
    scratch: Layout,
}

impl Needs {
    /// Bytes of the block.
    fn whole(&self) -> Result<usize> {
        let content = self.mesh.size.checked_add(self.tree.size);
        blocks::whole(content.unwrap_or(usize::MAX), What::Block)
    }
}

/// The component of the core's options that is `leaf`; the only other one that a host sets is `fan_out`.
const OF_LEAF: u32 = 5;

impl Description<'_> {
    /// # Safety
    /// Where the pointer is not null, it points at a description whose arrays can be read as long as this is used.
    unsafe fn read(desc: *const dem_shape_desc) -> Result<Self> {
        if desc.is_null() {
            return Err(Error::new(Kind::Null, What::Description));
        }
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(desc, What::Description) }?;
        let wrong = |field| Err(Error::new(Kind::OutOfRange, field));
        inputs::zero(raw.reserved, What::Description)?;
        inputs::zero(raw.reserved_2, What::Description)?;
        let scalar = match raw.stored {
            DEM_F32 => Scalar::F32,
            DEM_F64 => Scalar::F64,
            _ => return wrong(What::Stored),
        };
        let preset = match raw.preset {
            DEM_PRESET_FAST => Preset::Fast,
            DEM_PRESET_DEFAULT => Preset::Default,
            DEM_PRESET_BEST => Preset::Best,
            _ => return wrong(What::Preset),
        };
        let options = Options { fan_out: raw.fan_out, leaf: raw.leaf, ..Options::preset(preset) };
        options
            .check()
            .map_err(|e| Error::new(e.kind, if e.component == OF_LEAF { What::Leaf } else { What::FanOut }))?;
        // SAFETY: by this function's contract.
        let (vertices, triangles, halo) = unsafe {
            let vertices = strided::numbers(&raw.vertices, 3, What::Vertices)?;
            let loose = raw.triangles.data.is_null() && raw.triangles.count == 0;
            let triangles = if loose { None } else { Some(strided::corners(&raw.triangles)?) };
            let uniform = raw.halos.data.is_null() && raw.halos.count == 0;
            let each = || Ok(Halo::Each(strided::numbers(&raw.halos, 1, What::Halos)?));
            (vertices, triangles, if uniform { Ok(Halo::Uniform(raw.halo)) } else { each() }?)
        };
        let input = MeshInput { vertices, triangles, scalar, halo };
        Ok(Description { input, options, isa: Isa::numbered(raw.isa)?, raw })
    }

    fn needs(&self) -> Result<Needs> {
        let sizes: MeshSizes = self.input.sizes()?;
        let tree = Tree::layout(&TreeSizes::new(sizes.triangles, &self.options)?)?;
        // Mesh and tree are built one after the other.
        let scratch = [mesh::build_scratch(&sizes)?, surrogate::build_scratch(&sizes, &self.options)?];
        let larger = scratch[usize::from(scratch[0].size < scratch[1].size)];
        Ok(Needs { mesh: Mesh::layout(&sizes)?, tree, scratch: larger })
    }

    fn build(&self, content: &mut [u8], mesh_size: usize, scratch: &mut [u8]) -> Result<()> {
        let short = Error::capacity(What::Block, mesh_size as u64, content.len() as u64);
        let (mesh, tree) = content.split_at_mut_checked(mesh_size).ok_or(short)?;
        let mesh = Mesh::from_arrays(mesh, &self.input, scratch)?;
        Tree::from_mesh(tree, &mesh, &self.options, scratch, self.isa)?;
        Ok(())
    }

    /// Errors: [`Kind::Overlap`] where memory that is to be written shares a byte with an array.
    fn is_apart(&self, memory: *const c_void, size: usize, what: What) -> Result<()> {
        let dem_shape_desc { vertices, triangles, halos, .. } = self.raw;
        let spans = [
            (vertices.data, strided::span(&vertices, 3, What::Vertices)?),
            (triangles.data, strided::span_of_indices(&triangles, 3, What::Indices)?),
            (halos.data, strided::span(&halos, 1, What::Halos)?),
        ];
        spans.into_iter().try_for_each(|span| blocks::apart((memory, size), span, what))
    }
}

mod block;

#[cfg(test)]
mod tests;
