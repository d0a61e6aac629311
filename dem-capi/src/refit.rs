//! Shapes that change.
//!
//! The vertices of a shape may move (a body deforms, a membrane swings) or its halo may change, while its triangles keep their vertices.
//! Refitting is then faster than building the shape anew. It changes the shape in its block: mesh, tree and cells in one call.

use core::ffi::c_void;

use dem_core::array::Array;
use dem_core::contact;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory;
use dem_core::mesh::{Halo, Mesh, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, LARGEST, Refit, TreeRef};

use crate::arrays::{NO_ARRAY, dem_array};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::memory::{self as blocks, DEM_ALIGN, Held, Marks};
use crate::shapes::{self, LINE, dem_shape};
use crate::strided;

/// Surrogates keep their places, and their halos grow with the distance that vertices moved. The fastest way; for small changes.
pub const DEM_REFIT_HALOS: u32 = 1;
/// Surrogates are computed anew; only the division into parts stays.
pub const DEM_REFIT_SURROGATES: u32 = 2;

/// The changes of a shape.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_refit_desc {
    /// `sizeof(dem_refit_desc)`.
    pub struct_size: u32,
    /// `DEM_REFIT_*`; `DEM_REFIT_SURROGATES` by default.
    pub how: u32,
    /// New positions of all vertices from which the shape was built, in their order: three numbers an item. Vertices whose positions were
    /// equal must stay together. Null data, the default: vertices do not move.
    pub vertices: dem_array,
    /// A new halo for each triangle, finite and not negative: one number an item; for shapes that were built with one for each. Null data,
    /// the default: halos do not change.
    pub halos: dem_array,
    /// The new halo of all triangles, finite and not negative, for shapes that were built with one for all. -1, the default: it does not
    /// change.
    pub halo: f64,
    /// One of `DEM_ISA_*`; the shape does not depend on it.
    pub isa: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_refit_desc {
    struct_size: u32,
    how: u32,
    vertices: dem_array,
    halos: dem_array,
    halo: f64,
    isa: u32,
    reserved: u32,
});

/// The value of `halo` for no change.
const AS_IT_IS: f64 = -1.0;

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_refit_desc {
    const DEFAULT: Self = dem_refit_desc {
        struct_size: size_of::<dem_refit_desc>() as u32,
        how: DEM_REFIT_SURROGATES,
        vertices: NO_ARRAY,
        halos: NO_ARRAY,
        halo: AS_IT_IS,
        isa: DEM_ISA_BEST,
        reserved: 0,
    };
}

/// Moves the vertices of a shape, changes its halos, or both: mesh, tree and cells. Queries then give the results of a shape built from the
/// new positions and halos, with two differences. The tree may be slower than a new one, the more the farther vertices moved. Patches keep
/// their names, and contacts their keys.
/// So a membrane that was flat when its shape was built stays one patch, however it bulges. Its contacts are sums over all of it, as exact
/// as before. If it folds so far that it needs separate contacts, build the shape anew.
///
/// Outputs: `shape`: the function changes its block, and uses the memory after it as scratch.
/// Inputs: `size`: bytes of the memory that contains the block, usually the size of `dem_shape_layout`. `desc`: its arrays are read only
/// during this call.
/// Memory: block and arrays must not overlap each other. The block must not be in read-only memory.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
/// `DEM_ERROR_BAD_SIZE`: a stride, `struct_size`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and
/// its component, or the halo; `DEM_ERROR_MISMATCH`: not as many vertices (or halos) as before (`needed`, `given`), item
/// `index` of `vertices` is torn off one whose position was equal (build the shape anew for that), or the shape has the other
/// sort of halos; `DEM_ERROR_OUT_OF_RANGE` about `how`, about `mesh`: larger than
/// about 1e18; `DEM_ERROR_CAPACITY` about `block`: the surface has more cells now than `size` bytes have room for: copy the shape
/// to the start of a block of `needed` bytes, and call again; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. The shape is then as it was.
/// Cost: 0.3 microseconds a triangle with `DEM_REFIT_HALOS`, 1.1 with `DEM_REFIT_SURROGATES`; where vertices move, some 5 more for
/// the cells of a curved surface, and half of that for a flat wall's.
/// Threads: any; no other call may use the shape meanwhile. A call that begins during this one fails with
/// `DEM_ERROR_BUSY`. So does a query that was running when this one began, if it ends during this one. The results of such a query mean nothing, even
/// if it ends later, with `DEM_OK`.
/// Determinism: the same bytes on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_refit(
    shape: *mut dem_shape,
    size: usize,
    desc: *const dem_refit_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let change = Change::read(desc)?;
            blocks::resized(shape.cast(), size, Held::Shape, What::Handle, |room, length| {
                let block = (shape.cast_const().cast(), room.len() + blocks::LATCH);
                for array in change.arrays {
                    blocks::apart(block, array, What::Block)?;
                }
                change.make(room, length)
            })
        }
    })
}

/// The changes, checked as far as possible without the shape.
struct Change<'a> {
    how: Refit,
    vertices: Option<Array<'a>>,
    halo: Option<Halo<'a>>,
    isa: Isa,
    /// The memory of the host's arrays.
    arrays: [(*const c_void, usize); 2],
}

impl Change<'_> {
    /// # Safety
    /// A pointer that is not null points at a description whose arrays can be read as long as this is used.
    unsafe fn read(desc: *const dem_refit_desc) -> Result<Self> {
        if desc.is_null() {
            return Err(Error::new(Kind::Null, What::Description));
        }
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(desc, What::Description) }?;
        inputs::zero(raw.reserved, What::Description)?;
        let how = match raw.how {
            DEM_REFIT_HALOS => Refit::Halos,
            DEM_REFIT_SURROGATES => Refit::Surrogates,
            _ => return Err(Error::new(Kind::OutOfRange, What::How)),
        };
        let is_given = |a: &dem_array| !a.data.is_null() || a.count != 0;
        let (mut vertices, mut halo) = (None, None);
        // SAFETY: by this function's contract.
        unsafe {
            if is_given(&raw.vertices) {
                vertices = Some(strided::numbers(&raw.vertices, 3, What::Vertices)?);
            }
            if is_given(&raw.halos) {
                halo = Some(Halo::Each(strided::numbers(&raw.halos, 1, What::Halos)?));
            } else if raw.halo != AS_IT_IS {
                halo = Some(Halo::Uniform(raw.halo));
            }
        }
        let arrays = [
            (raw.vertices.data, strided::span(&raw.vertices, 3, What::Vertices)?),
            (raw.halos.data, strided::span(&raw.halos, 1, What::Halos)?),
        ];
        Ok(Change { how, vertices, halo, isa: Isa::numbered(raw.isa)?, arrays })
    }

    /// All checks come before any change, except that of the number of cells: if there is too little room for them, the mesh is restored. Gives marks
    /// and the new length.
    fn make(&self, room: &mut [u8], length: usize) -> Result<((), Marks, usize)> {
        let whole = room.len();
        let content = room.get(..length).ok_or(Error::new(Kind::Damaged, What::Handle))?;
        let divided = shapes::divide(content)?;
        let (mesh, tree) = (MeshRef::open(divided.mesh)?, TreeRef::open(divided.tree)?);
        let (of_mesh, of_tree) = (divided.mesh.len(), divided.tree.len());
        let recipe = divided.cells()?.map(|(recipe, _)| recipe);
        if tree.sizes.triangles != mesh.sizes.triangles {
            return Err(Error::new(Kind::Mismatch, What::Tree));
        }
        let bounds = mesh.bounds_with(self.vertices, self.halo)?;
        if bounds.radius + bounds.halo > LARGEST {
            return Err(Error::new(Kind::OutOfRange, What::Mesh));
        }
        let scratch = shapes::refit_scratch(&mesh.sizes, of_mesh, &tree.options()?, recipe.is_some())?.size;
        let scratch = scratch.next_multiple_of(DEM_ALIGN);
        let before_cells = of_mesh + of_tree + if recipe.is_some() { LINE } else { 0 };
        let short = |content: usize| {
            let needed = content.saturating_add(scratch).saturating_add(blocks::LATCH);
            Error::capacity(What::Block, needed as u64, (whole + blocks::LATCH) as u64)
        };
        let start =
            whole.checked_sub(scratch).map(|start| start / DEM_ALIGN * DEM_ALIGN).filter(|start| *start >= length);
        let start = start.ok_or(short(length))?;
        let (room, scratch) = room.split_at_mut_checked(start).ok_or(short(length))?;
        let (front, of_cells) = room.split_at_mut_checked(before_cells).ok_or(short(length))?;
        let (mesh, rest) = front.split_at_mut_checked(of_mesh).ok_or(short(length))?;
        let mut new_length = length;
        match recipe.filter(|_| self.vertices.is_some()) {
            None => self.change(mesh)?,
            Some(recipe) => {
                let (copy, scratch) = scratch.split_at_mut_checked(of_mesh).ok_or(short(length))?;
                copy.copy_from_slice(mesh);
                let refitted = self
                    .change(mesh)
                    .and_then(|()| contact::refit_cells(of_cells, &MeshRef::open(mesh)?, &recipe.options(), scratch))
                    .and_then(|sizes| Ok(contact::Cells::layout(&sizes)?.size));
                match refitted {
                    Ok(bytes) => new_length = before_cells + bytes,
                    Err(e) => {
                        mesh.copy_from_slice(copy);
                        return Err(match (e.kind, e.what) {
                            (Kind::Capacity, What::Cells) => short(before_cells.saturating_add(e.needed as usize)),
                            _ => e,
                        });
                    }
                }
            }
        }
        let tree = rest.get_mut(..of_tree).ok_or(short(length))?;
        surrogate::refit(tree, &MeshRef::open(mesh)?, self.how, scratch, self.isa)?;
        let content = room.get(..new_length).ok_or(short(new_length))?;
        Ok(((), shapes::divide(content)?.marks()?, new_length))
    }

    /// Moves vertices, changes halos, and seals the mesh.
    fn change(&self, mesh: &mut [u8]) -> Result<()> {
        let mut changed = Mesh::open(mesh)?;
        if let Some(vertices) = self.vertices {
            changed.move_vertices(vertices)?;
        }
        if let Some(halo) = self.halo {
            changed.set_halo(halo)?;
        }
        memory::seal(mesh).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
