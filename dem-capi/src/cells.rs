//! Cells.
//!
//! What contacts need of a shape beside its mesh and tree: its halo, cut into pieces that each belong to a face, a convex edge or a convex
//! vertex, and its patches: sets of triangles that lie in one plane. They are built once, in a block of their own, so that only programs
//! that want contacts pay for them. After that they are only read. They belong to the shape as it is: after a refit of the shape they are
//! refitted, too (dem_cells_refit), or built anew.

use core::ffi::c_void;

use dem_core::contact::{self, CellOptions, CellSizes, Cells, Law};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{self};
use dem_core::mesh::MeshRef;

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::fixed;
use crate::memory::{self as blocks, DEM_ALIGN, Held, Marks, Scratch};
use crate::shapes::{self, dem_shape};
use block::{LINE, Owner, length, marks, parts};
pub(crate) use block::{lend, stretch};

/// The cells of a shape: the address of their block.
pub struct dem_cells {
    _block: [u8; 0],
}

/// `dem_cells_desc.law`: faces that look at the other body are pushed along the normals of its cells. This holds thin plates and sheets up,
/// and a closed path may cost some work.
pub const DEM_LAW_FACING: u32 = 0;
/// `dem_cells_desc.law`: the force is the gradient of an energy, so that an undamped body keeps its energy, and a flat wall pushes along its normal
/// only. Bodies should be closed and thicker than the halos of both. Holds between two bodies if the cells of both are built for it; a ball and a
/// half-space go by the other body. Add up all contacts of a body pair: one patch by itself may push sideways.
pub const DEM_LAW_VOLUME: u32 = 1;
/// `dem_cells_desc.law`: `DEM_LAW_VOLUME` where the mesh suits it, otherwise `DEM_LAW_FACING`; `dem_cells_law` tells which. Suited are closed surfaces
/// that look outward, whose parts do not lie in each other and whose mean thickness (the volume over half of the area) is no less than four of
/// their halos; and open ones that look about one way, if no edge has three triangles, or two that do not agree on what is outside. A refit keeps what was
/// chosen.
pub const DEM_LAW_AUTO: u32 = 2;

/// What cells are built from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_cells_desc {
    /// `sizeof(dem_cells_desc)`.
    pub struct_size: u32,
    /// `DEM_LAW_FACING`, the default, `DEM_LAW_VOLUME` or `DEM_LAW_AUTO`.
    pub law: u32,
    /// The shape.
    pub shape: *const dem_shape,
    /// 0.
    pub reserved_2: usize,
    /// A triangle joins a patch where its corners are no farther than this from the plane of the patch, in radii of the shape;
    /// finite and not negative. 2^-20, some ten roundings to single precision, by default.
    pub flat: f64,
    /// A patch joins a chart, a part of the surface that looks about one way, where its normal is within half of this angle of that of the
    /// chart's first, largest patch; in radians, 0 to pi. pi/4 by default.
    pub angle: f64,
}

// With the reserved word there is no padding where a word has 4 bytes, nor where it has 8.
fixed!(dem_cells_desc { struct_size: u32, law: u32, shape: *const dem_shape, reserved_2: usize, flat: f64, angle: f64 });

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_cells_desc {
    const DEFAULT: Self = dem_cells_desc {
        struct_size: size_of::<dem_cells_desc>() as u32,
        law: DEM_LAW_FACING,
        shape: core::ptr::null(),
        reserved_2: 0,
        flat: 1.0 / (1 << 20) as f64,
        angle: core::f64::consts::FRAC_PI_4,
    };
}

/// Fills `desc` with the defaults.
///
/// Outputs: `desc`.
/// Inputs: `struct_size`: `sizeof(dem_cells_desc)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_desc_init(desc: *mut dem_cells_desc, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(desc, struct_size, What::Description) })
}

/// How much scratch `dem_cells_layout` and `dem_cells_init` need.
///
/// Outputs: `scratch_size`: bytes, at most about 330 a triangle.
/// Inputs: `desc`, complete.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: a reserved field; `DEM_ERROR_MISALIGNED`,
/// `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_TOO_LARGE`.
/// Cost: about 0.1 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_scratch(
    desc: *const dem_cells_desc,
    scratch_size: *mut usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let needs = Ground::with(desc, |ground| contact::build_scratch(&ground.mesh.sizes))?;
            edge::write(scratch_size, blocks::scratch_size(needs)?, What::Scratch)
        }
    })
}

/// How much memory the cells of a shape need. How many there are depends on its surface, so they are counted.
///
/// For a mesh that moves the number changes with each refit. A program that must not allocate need not ask again: it keeps a block
/// with room to spare, and `dem_cells_refit` and `dem_cells_init` refuse what does not fit. A box takes 3.2 KB a triangle, an icosahedron 1.9, meshes of
/// some hundred triangles were seen to take less than 1.
///
/// Outputs (each may be null): `size`: bytes of the block, some 0.5 to 2 KB a triangle of a curved surface; `align`:
/// `DEM_ALIGN`.
/// Inputs: `desc`, complete. `scratch`, `scratch_size`: at least what `dem_cells_scratch` says, at any alignment.
/// Memory: scratch must not overlap the shape.
/// Errors: those of `dem_cells_scratch`; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE` about `flat` and `angle`; `DEM_ERROR_OUT_OF_RANGE` about `law`;
/// `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
/// Cost: about a microsecond a triangle.
/// Threads: any number at a time, each with scratch of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_layout(
    desc: *const dem_cells_desc,
    size: *mut usize,
    align: *mut usize,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let sizes = Ground::with(desc, |ground| {
                let scratch = ground.scratch(Scratch::new(scratch, scratch_size))?;
                contact::cell_sizes(&ground.mesh, &ground.options, scratch)
            })?;
            edge::write_optional(size, blocks::whole(length(&sizes)?, What::Block)?);
            edge::write_optional(align, DEM_ALIGN);
        }
        Ok(())
    })
}

/// Builds the cells of a shape.
///
/// Bad places have no cells, and never wrong ones: triangles without area, copies, edges that do not have two triangles which
/// agree on what is outside.
///
/// Outputs: `cells`: the cells, whose address is `memory`. The whole block is written, and the same bytes come out wherever it is
/// built.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_cells_layout` says. `scratch`,
/// `scratch_size`: at least what `dem_cells_scratch` says, at any alignment. `desc`.
/// Memory: the block is the caller's; it may be copied, stored and thrown away at will. It does not hold the shape.
/// Errors: those of `dem_cells_layout`; `DEM_ERROR_MISALIGNED`: the block; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OVERLAP`: block,
/// scratch and shape share bytes. Nothing is written then.
/// Cost: up to 4 microseconds a triangle where all edges are convex.
/// Threads: any; nobody may use the memory during the call.
/// Determinism: the same bytes on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_init(
    memory: *mut c_void,
    size: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    desc: *const dem_cells_desc,
    cells: *mut *mut dem_cells,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if cells.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            Ground::with(desc, |ground| {
                blocks::apart((memory, size), ground.block, What::Block)?;
                let scratch = Scratch::new(scratch, scratch_size);
                scratch.apart(memory, size)?;
                let scratch = ground.scratch(scratch)?;
                let sizes = contact::cell_sizes(&ground.mesh, &ground.options, scratch)?;
                blocks::create(memory, size, length(&sizes)?, Held::Cells, |content| {
                    ground.build(content, &sizes, scratch)?;
                    Ok(((), marks(content)?))
                })
            })?;
            edge::write(cells, memory.cast(), What::Handle)
        }
    })
}

/// How much scratch `dem_cells_refit` needs: that of `dem_cells_init`, and 4 bytes a triangle.
///
/// Outputs: `scratch_size`: bytes.
/// Inputs: `desc`, complete.
/// Errors: those of `dem_cells_scratch`.
/// Cost: about 0.1 microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_refit_scratch(
    desc: *const dem_cells_desc,
    scratch_size: *mut usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let needs = Ground::with(desc, |ground| contact::refit_cells_scratch(&ground.mesh.sizes))?;
            edge::write(scratch_size, blocks::scratch_size(needs)?, What::Scratch)
        }
    })
}

/// Makes cells those of their shape after its vertices have moved (`dem_shape_refit`), in the same block.
///
/// The cells are those that `dem_cells_init` would make now, except that patches keep their names, and contacts their keys: a membrane that
/// was flat when its cells were built stays one patch, however it bulges. Its contacts are sums over all of it, as exact as before; where
/// it is folded so far that they should be told apart, build the cells anew.
///
/// Outputs: `cells`: their block is changed.
/// Inputs: `size`: bytes of the memory that the block lies in. A surface in another shape has another number of cells, so there should
/// be room to spare: half as much again is enough for most. `scratch`, `scratch_size`: at least what `dem_cells_refit_scratch` says, at any
/// alignment. `desc`: the shape, as it is now, and the options.
/// Memory: block, scratch and shape must not overlap each other.
/// Errors: those of `dem_cells_init`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: shape or cells;
/// `DEM_ERROR_MISMATCH`: the shape has not as many triangles as the one that the cells were built of; `DEM_ERROR_CAPACITY` about `block`:
/// `size` is too small, and the cells are unchanged: copy them to the start of a block of `needed` bytes, and call again.
/// Cost: up to 3 microseconds a triangle where all edges are convex.
/// Threads: any; no other call may use the cells meanwhile.
/// Determinism: the same bytes on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_refit(
    cells: *mut dem_cells,
    size: usize,
    scratch: *mut c_void,
    scratch_size: usize,
    desc: *const dem_cells_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            Ground::with(desc, |ground| {
                blocks::apart((cells.cast_const().cast(), size), ground.block, What::Block)?;
                let scratch = Scratch::new(scratch, scratch_size);
                scratch.apart(cells.cast_const().cast(), size)?;
                scratch.apart_from(ground.block)?;
                let scratch = scratch.take(contact::refit_cells_scratch(&ground.mesh.sizes)?)?;
                blocks::resized(cells.cast(), size, Held::Cells, What::Cells, |content| ground.refit(content, scratch))
            })
        }
    })
}

/// Takes bytes that come from a file, another process or a copy taken during a call as cells. All bytes are checked against a
/// checksum. A plain copy in the same process needs no opening.
///
/// Outputs: `cells`: the cells, whose address is `memory`. The latch in its first line is freed; nothing else changes.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than what was copied.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`: it
/// holds something else, another version, bytes of a machine with another byte order, or was changed.
/// Cost: one pass over the bytes, about 0.1 ns a byte.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_open(
    memory: *mut c_void,
    size: usize,
    cells: *mut *mut dem_cells,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if cells.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            blocks::open(memory, size, Held::Cells, |content| {
                let (line, part) = parts(content)?;
                Owner::read(line)?;
                memory::verify(part)?;
                Ok(((), marks(content)?))
            })?;
            edge::write(cells, memory.cast(), What::Handle)
        }
    })
}

/// Tells the law that cells are built for: of `DEM_LAW_AUTO` what was chosen.
///
/// Outputs: `law`: `DEM_LAW_FACING` or `DEM_LAW_VOLUME`.
/// Inputs: `cells`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the cells.
/// Cost: none.
/// Threads: any number, as long as none changes the cells.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_cells_law(cells: *const dem_cells, law: *mut u32, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let lent = lend(cells, What::Cells)?;
            let is = if lent.cells.law() == Law::Volume { DEM_LAW_VOLUME } else { DEM_LAW_FACING };
            edge::write(law, is, What::Law)
        }
    })
}

/// What cells are built on: an open shape, and the options.
struct Ground<'a> {
    mesh: MeshRef<'a>,
    identity: u64,
    block: (*const c_void, usize),
    options: CellOptions,
}

impl Ground<'_> {
    /// # Safety
    /// Where the pointers are not null, they point at a description and at a shape.
    unsafe fn with<R>(desc: *const dem_cells_desc, body: impl FnOnce(&Ground<'_>) -> Result<R>) -> Result<R> {
        if desc.is_null() {
            return Err(Error::new(Kind::Null, What::Description));
        }
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(desc, What::Description) }?;
        let law = match raw.law {
            DEM_LAW_FACING => Law::Facing,
            DEM_LAW_VOLUME => Law::Volume,
            DEM_LAW_AUTO => Law::Auto,
            given => return Err(Error::new(Kind::OutOfRange, What::Law).amounts(DEM_LAW_AUTO.into(), given.into())),
        };
        inputs::zero(raw.reserved_2 as u64, What::Description)?;
        let options = CellOptions { flat: raw.flat, angle: raw.angle, law };
        // SAFETY: by this function's contract.
        unsafe {
            shapes::identified(raw.shape, What::Mesh, |(mesh, _, block), identity| {
                body(&Ground { mesh, identity, block, options })
            })
        }
    }

    /// # Safety
    /// As for [`Scratch::take`].
    unsafe fn scratch<'s>(&self, scratch: Scratch) -> Result<&'s mut [u8]> {
        scratch.apart_from(self.block)?;
        // SAFETY: by this function's contract.
        unsafe { scratch.take(contact::build_scratch(&self.mesh.sizes)?) }
    }

    fn build(&self, content: &mut [u8], sizes: &CellSizes, scratch: &mut [u8]) -> Result<()> {
        let short = Error::capacity(What::Block, LINE as u64, content.len() as u64);
        let (line, part) = content.split_at_mut_checked(LINE).ok_or(short)?;
        Owner(self.identity).write(line);
        Cells::from_mesh(part, sizes, &self.mesh, &self.options, scratch)?;
        Ok(())
    }

    fn refit(&self, content: &mut [u8], scratch: &mut [u8]) -> Result<((), Marks, usize)> {
        let room = content.len();
        let (line, part) = content.split_at_mut_checked(LINE).ok_or(Error::new(Kind::Damaged, What::Cells))?;
        Owner::read(line)?;
        let sizes = contact::refit_cells(part, &self.mesh, &self.options, scratch).map_err(|e| match e.kind {
            Kind::Capacity if e.what == What::Cells => {
                let before = (LINE + blocks::LATCH) as u64;
                Error::capacity(What::Block, e.needed.saturating_add(before), (room + blocks::LATCH) as u64)
            }
            _ => e,
        })?;
        Owner(self.identity).write(line);
        Ok(((), marks(content)?, length(&sizes)?))
    }
}

mod block;

#[cfg(test)]
mod tests;
