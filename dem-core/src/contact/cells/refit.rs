//! Cells of a mesh whose vertices have moved: new geometry under the old names.

use super::build::{CellOptions, build_scratch};
use super::cell::Law;
use super::ground::Ground;
use super::{CellSizes, Cells, CellsRef};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::{MeshRef, MeshSizes};

/// Scratch for [`refit_cells`]: that of building, and 4 bytes a triangle.
///
/// Errors: [`Kind::TooLarge`].
pub fn refit_cells_scratch(mesh: &MeshSizes) -> Result<Layout> {
    Memory::layout(mesh)
}

sections! {
    /// Memory of a refit.
    struct Memory<'s>(mesh: &MeshSizes) {
        names: [u32; u64::from(mesh.triangles)],
        rest: { build_scratch(mesh)? },
    }
}

/// Refits the cells in `block`, sealed, to the same mesh with moved vertices, in the same block. Returns their sizes.
///
/// All cells are those of [`Cells::from_mesh`], bit for bit, but patches keep their names. So a membrane that was flat when its cells were built
/// is always one patch, however it bulges, and a contact with it keeps its key. (The function determines again which edges are flat, and
/// therefore have no sectors.) Contacts of a patch that is no longer flat are sums over all of it, as exact as before. If the patch folds so far
/// that it needs separate contacts, build the cells anew.
///
/// Neighbours are those of the patches under their names. They do not change, because vertices stay welded, unless a triangle loses its area or
/// regains one. Charts are computed again from the present normals of patches. The normal of a bent patch is its mean normal.
///
/// A deformed mesh has a different number of cells. So `block` may be larger than the old cells, and must have at least the size of
/// [`Cells::layout`] for the new sizes. `scratch` is [`refit_cells_scratch`].
///
/// Errors: those of opening a block; those of [`cell_sizes`](crate::contact::cell_sizes); [`Kind::Mismatch`] if the mesh has another number
/// of triangles; [`Kind::Capacity`] with the bytes needed for [`What::Cells`]. After an error nothing changes. Cost: up to 3 us a triangle
/// if all edges are convex, half of that for a flat wall; a sixth less than building anew.
pub fn refit_cells(
    block: &mut [u8],
    mesh: &MeshRef<'_>,
    options: &CellOptions,
    scratch: &mut [u8],
) -> Result<CellSizes> {
    let Memory { names, rest } = Memory::new(scratch, &mesh.sizes)?;
    let before = CellsRef::open(block)?;
    let law = if options.law == Law::Auto { before.law() } else { options.law };
    let (options, old) = (&CellOptions { law, ..*options }, before.patch);
    if old.len() != names.len() {
        return Err(Error::new(Kind::Mismatch, What::Cells));
    }
    names.copy_from_slice(old);
    let mut ground = Ground::new(mesh, options, Some(names), rest)?;
    let sizes = ground.sizes()?;
    Cells::layout(&sizes)?.check(block, What::Cells)?;
    Cells::build(block, &sizes, |cells| cells.write(ground))?;
    Ok(sizes)
}
