//! Shapes.
//!
//! A shape describes the surface of a body in its own frame: a triangle mesh with a halo. The halo is a layer around the surface; bodies press on
//! each other where their halos overlap. A shape also has a surrogate tree for queries and, for contacts, cells: pieces of the halo, each of which
//! belongs to a face, an edge or a vertex. Patches are sets of triangles in one plane. Any number of bodies may share a shape. It is built once, in a
//! block of its own. Then it is only read, or refitted if vertices move.
//!
//! The corners a, b, c of a triangle run counter-clockwise, seen from the side on which the triangle acts: its normal (b - a) x (c - a) points to this
//! side. For a body this side is outside; for a container without thickness it is inside. No call refuses a body whose triangles run the other way
//! round, but it sinks into others. `state` of dem_mass tells it (`DEM_MASS_INWARD`).
//!
//!   dem_shape_layout(&size, NULL, &desc, &error);
//!   block = dem_align(malloc(size + DEM_ALIGN - 1));
//!   dem_shape_init(block, size, &shape, &desc, &error);

mod block;
mod structs;

use core::ffi::c_void;

use dem_core::array::Scalar;
use dem_core::contact::{self, CellOptions, Law};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Layout;
use dem_core::mesh::{self, Halo, Mesh, MeshInput, MeshSizes};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Options, Preset, Tree, TreeSizes};

use crate::arrays::{DEM_F32, DEM_F64};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::memory::{self as blocks, DEM_ALIGN, Held};
use crate::strided;
pub(crate) use block::{LINE, Opened, divide, lend, opened, stretch};
use block::{Parts, Recipe, verify, with};
pub use structs::*;

/// How much memory is needed to build a shape, including scratch. Refits (`dem_shape_refit`) use the part that the finished shape leaves free.
///
/// The number of cells depends on the surface. The size is enough for nearly all surfaces. If it is too small, `dem_shape_init` tells the size
/// needed. A program may also try a smaller block.
///
/// Outputs: `size`: bytes of the block, about 3.2 KB a triangle and 160 KB. The shape then holds from a seventh of them (a flat plate) to four fifths
/// (a bumpy body). Without cells it is 0.5 KB a triangle. `align`: `DEM_ALIGN`. Each may be null.
/// Inputs: `desc`, complete; the numbers in its arrays are not read.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: no triangle, or a field of `desc`; `DEM_ERROR_NOT_FINITE`: a field of
/// `desc`; `DEM_ERROR_CAPACITY`: vertices that are no multiple of three, without `triangles`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_layout(
    size: *mut usize,
    align: *mut usize,
    desc: *const dem_shape_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let needs = Description::read(desc)?.needs()?;
            edge::write_optional(size, blocks::whole(needs.usual, What::Block)?);
            edge::write_optional(align, DEM_ALIGN);
        }
        Ok(())
    })
}

/// Builds a shape.
///
/// Vertices with equal stored positions are welded, so loose triangles have neighbours, too. Triangles at defects get no cells there: triangles
/// without area, copies of triangles, and edges without exactly two triangles that agree on the outside.
///
/// Outputs: `shape`: the shape, whose address is `memory`. The bytes do not depend on the machine or the address; `dem_shape_describe` tells how many
/// there are, and the bytes after them have no meaning.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, as large as `dem_shape_layout` says. `desc`: its arrays are read during this call
/// only.
/// Memory: the block belongs to the caller, who may copy, store and discard it at any time. Without refits, the memory after the shape may be used
/// for other things.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`: block and arrays
/// share bytes; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and its component, the halo or the
/// option; `DEM_ERROR_BAD_INDEX` names triangle and corner; `DEM_ERROR_MISMATCH`: not as many `halos` as triangles; those of
/// `dem_shape_layout`. After an error nothing is written. `DEM_ERROR_CAPACITY` about `block`: `needed` bytes will do; `DEM_ERROR_OUT_OF_RANGE`
/// about `mesh`: it is larger than about 1e18. The memory is then no shape.
/// Cost: some 7 microseconds a triangle of a curved surface with the default preset, 1 to 2 without cells.
/// Threads: any; nobody may use the memory during the call.
/// Determinism: the same bytes on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_init(
    memory: *mut c_void,
    size: usize,
    shape: *mut *mut dem_shape,
    desc: *const dem_shape_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if shape.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            build_in(memory, size, &Description::read(desc)?)?;
            edge::write(shape, memory.cast(), What::Handle)
        }
    })
}

/// Builds a shape in a block.
///
/// # Safety
/// As for [`dem_shape_init`].
pub(crate) unsafe fn build_in(memory: *mut c_void, size: usize, description: &Description<'_>) -> Result<()> {
    let needs = description.needs()?;
    description.is_apart(memory, size, What::Block)?;
    description.input.check()?;
    let begun = blocks::whole(needs.least, What::Block)?;
    let usual = blocks::whole(needs.usual, What::Block)?;
    // SAFETY: by this function's contract.
    let built =
        unsafe { blocks::create_in(memory, size, needs.least, Held::Shape, |room| description.build(room, &needs)) };
    built.map_err(|e| match e {
        // Building has not begun, so the number of cells is not known.
        Error { kind: Kind::Capacity, what: What::Block, needed, .. } if needed == begun as u64 => {
            Error { needed: usual as u64, ..e }
        }
        _ => e,
    })
}

/// Opens bytes as a shape, if they come from a file, another process, or a copy that was made during a call.
///
/// The function checks all bytes against a checksum. It also checks that queries neither leave the tree nor run for ever. A copy of a
/// shape that the same process made between calls needs no opening.
///
/// Outputs: `shape`: the shape, whose address is `memory`. The mark of a call in progress, in its first 64 bytes, is cleared; nothing else changes.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than the copied bytes.
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
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            blocks::open(memory, size, Held::Shape, |content| {
                verify(content)?;
                Ok(((), divide(content)?.marks()?))
            })?;
            edge::write(shape, memory.cast(), What::Handle)
        }
    })
}

/// Properties of a shape: counts, its position in its own frame, its size.
///
/// Outputs: `info`: the function writes `info_size` bytes, at most `sizeof(dem_shape_info)`.
/// Inputs: `shape`. `info_size`: `sizeof(dem_shape_info)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
/// Cost: about 0.2 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_describe(
    info: *mut dem_shape_info,
    info_size: usize,
    shape: *const dem_shape,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees that a pointer that is not null points at a shape.
        let found = unsafe { with(shape, What::Handle, describe) }?;
        // SAFETY: the caller guarantees `info_size` bytes where the pointer is not null.
        unsafe { inputs::write_record(info, info_size, &found, What::Output) }
    })
}

fn describe(content: &[u8], marks: blocks::Marks) -> Result<dem_shape_info> {
    let Parts { mesh, tree, cells, .. } = Parts::reopen(content, marks)?;
    Ok(dem_shape_info {
        triangles: mesh.sizes.triangles,
        vertices: mesh.sizes.vertices,
        stored: mesh.sizes.scalar,
        depth: tree.sizes.depth,
        centre: mesh.centre(),
        radius: mesh.radius(),
        halo: mesh.largest_halo(),
        identity: divide(content)?.identity()?,
        size: (content.len() + blocks::LATCH) as u64,
        cells: cells.map_or(0, |cells| cells.sizes.cells),
        law: cells.map_or(0, |cells| if cells.law() == Law::Volume { DEM_LAW_VOLUME } else { DEM_LAW_FACING }),
    })
}

/// A description whose fields are checked, but not the content of its arrays.
pub(crate) struct Description<'a> {
    input: MeshInput<'a>,
    options: Options,
    cells: Option<CellOptions>,
    isa: Isa,
    raw: dem_shape_desc,
}

/// The bytes that a shape needs, without the first line of its block.
struct Needs {
    mesh: usize,
    tree: usize,
    /// Scratch after all parts of the shape.
    scratch: usize,
    /// Building does not begin with less.
    least: usize,
    /// Bytes that are enough with the cells of most surfaces.
    usual: usize,
}

/// Room for the cells of most surfaces, in bytes a triangle: twice what curved surfaces need. The few triangles of a tetrahedron or a box need more.
const USUAL: u64 = 2560;
const MORE: u64 = 10240;
const FIRST: u64 = 16;

/// The component of core errors about `leaf`. All other errors about options are about `fan_out`, the only other option that a host sets.
const OF_LEAF: u32 = 5;

impl Description<'_> {
    /// # Safety
    /// A pointer that is not null points at a description whose arrays can be read as long as this is used.
    pub(crate) unsafe fn read(desc: *const dem_shape_desc) -> Result<Self> {
        if desc.is_null() {
            return Err(Error::new(Kind::Null, What::Description));
        }
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(desc, What::Description) }?;
        let wrong = |field| Err(Error::new(Kind::OutOfRange, field));
        let cells = match raw.cells {
            0 => None,
            1 => Some(cell_options(&raw)?),
            _ => return wrong(What::Cells),
        };
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
        Ok(Description { input, options, cells, isa: Isa::numbered(raw.isa)?, raw })
    }

    /// Checks the content of the arrays.
    ///
    /// Errors: those about numbers of the arrays.
    pub(crate) fn check(&self) -> Result<()> {
        self.input.check()
    }

    /// Bytes of a block that are enough for most shapes.
    pub(crate) fn usual(&self) -> Result<usize> {
        blocks::whole(self.needs()?.usual, What::Block)
    }

    fn needs(&self) -> Result<Needs> {
        let sizes: MeshSizes = self.input.sizes()?;
        let mesh = Mesh::layout(&sizes)?.size;
        let tree = Tree::layout(&TreeSizes::new(sizes.triangles, &self.options)?)?.size;
        // Mesh, tree and cells are built one after the other. The scratch of a refit is enough for tree and cells.
        let scratch = [mesh::build_scratch(&sizes)?, refit_scratch(&sizes, mesh, &self.options, self.cells.is_some())?];
        let scratch = scratch.iter().map(|layout| layout.size).max().unwrap_or_default().next_multiple_of(DEM_ALIGN);
        let n = u64::from(sizes.triangles);
        let (line, cells) = match self.cells {
            Some(_) => (LINE, usize::try_from(USUAL * n + MORE * n.min(FIRST)).unwrap_or(usize::MAX)),
            None => (0, 0),
        };
        let sum = |all: &[usize]| all.iter().try_fold(0usize, |sum, part| sum.checked_add(*part));
        let least = sum(&[mesh, tree, line, scratch]);
        let usual = least.and_then(|least| sum(&[least, cells]));
        let too_large = Error::new(Kind::TooLarge, What::Block).amounts(isize::MAX as u64, u64::MAX);
        Ok(Needs { mesh, tree, scratch, least: least.ok_or(too_large)?, usual: usual.ok_or(too_large)? })
    }

    /// Builds the shape in `room`, and gives its marks and its length.
    fn build(&self, room: &mut [u8], needs: &Needs) -> Result<((), blocks::Marks, usize)> {
        let whole = room.len();
        let short = Error::capacity(What::Block, (needs.least + blocks::LATCH) as u64, (whole + blocks::LATCH) as u64);
        // Sections start at multiples of 64 bytes, also those of the scratch at the end.
        let start = whole.checked_sub(needs.scratch).ok_or(short)? / DEM_ALIGN * DEM_ALIGN;
        let (room, scratch) = room.split_at_mut_checked(start).ok_or(short)?;
        let (mesh, rest) = room.split_at_mut_checked(needs.mesh).ok_or(short)?;
        let (tree, rest) = rest.split_at_mut_checked(needs.tree).ok_or(short)?;
        let mesh = Mesh::from_arrays(mesh, &self.input, scratch)?;
        Tree::from_mesh(tree, &mesh, &self.options, scratch, self.isa)?;
        let mut length = needs.mesh + needs.tree;
        if let Some(options) = &self.cells {
            let sizes = contact::cell_sizes(&mesh, options, scratch)?;
            let bytes = contact::Cells::layout(&sizes)?.size;
            // The line of the cells follows the mesh and the tree.
            let needed = needs.least.saturating_add(bytes).saturating_add(blocks::LATCH);
            let short = Error::capacity(What::Block, needed as u64, (whole + blocks::LATCH) as u64);
            let (line, rest) = rest.split_at_mut_checked(LINE).ok_or(short)?;
            let cells = rest.get_mut(..bytes).ok_or(short)?;
            contact::Cells::from_mesh(cells, &sizes, &mesh, options, scratch)?;
            Recipe::of(options).write(line);
            length += LINE + bytes;
        }
        let content = room.get(..length).ok_or(short)?;
        Ok(((), divide(content)?.marks()?, length))
    }

    /// Errors: [`Kind::Overlap`] if memory that the call writes shares a byte with an array.
    pub(crate) fn is_apart(&self, memory: *const c_void, size: usize, what: What) -> Result<()> {
        let dem_shape_desc { vertices, triangles, halos, .. } = self.raw;
        let spans = [
            (vertices.data, strided::span(&vertices, 3, What::Vertices)?),
            (triangles.data, strided::span_of_indices(&triangles, 3, What::Indices)?),
            (halos.data, strided::span(&halos, 1, What::Halos)?),
        ];
        spans.into_iter().try_for_each(|span| blocks::apart((memory, size), span, what))
    }
}

/// The options for building cells.
///
/// Errors: [`Kind::OutOfRange`], [`Kind::NotFinite`].
fn cell_options(raw: &dem_shape_desc) -> Result<CellOptions> {
    let law = match raw.law {
        DEM_LAW_FACING => Law::Facing,
        DEM_LAW_VOLUME => Law::Volume,
        DEM_LAW_AUTO => Law::Auto,
        given => return Err(Error::new(Kind::OutOfRange, What::Law).amounts(DEM_LAW_AUTO.into(), given.into())),
    };
    let options = CellOptions { flat: raw.flat, angle: raw.angle, law };
    options.check()?;
    Ok(options)
}

/// Scratch of a refit: a copy of the mesh, to restore it if there is too little room for the cells, and the scratch for building cells or the tree.
pub(crate) fn refit_scratch(sizes: &MeshSizes, mesh: usize, options: &Options, with_cells: bool) -> Result<Layout> {
    let tree = surrogate::build_scratch(sizes, options)?;
    if !with_cells {
        return Ok(tree);
    }
    let cells = contact::refit_cells_scratch(sizes)?;
    let size = cells.size.checked_add(mesh).ok_or(Error::new(Kind::TooLarge, What::Scratch))?;
    Ok(Layout { size: size.max(tree.size), align: DEM_ALIGN })
}

#[cfg(test)]
mod tests;
