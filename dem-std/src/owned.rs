//! Meshes, shapes and cells that own their memory.

use crate::{Memory, Triangles};
use dem_core::array::{Array, Indices, Scalar};
use dem_core::contact::{self, CellOptions, Cells, CellsRef};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{ALIGN, Layout, verify};
use dem_core::mesh::{self, Halo, Mesh, MeshInput, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, LARGEST, Options, Refit, Tree, TreeRef, TreeSizes};

/// A mesh block of `dem_core` in memory of its own.
///
/// ```
/// use dem_std::dem_core::mesh::Halo;
/// use dem_std::{OwnedMesh, generate};
///
/// let sphere = generate::icosphere(2)?;
/// let mesh = OwnedMesh::new(&sphere, sphere.scalar(), Halo::Uniform(0.01))?;
/// assert_eq!(mesh.open()?.len(), 320);
/// # Ok::<(), dem_std::dem_core::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnedMesh(Memory);

impl OwnedMesh {
    /// Builds the block. Triangles keep their order and none is dropped. `scalar` is the number type of stored coordinates (see
    /// [`Triangles::scalar`]); f32 rounds them, and all results are those of the rounded mesh.
    ///
    /// Errors: those of [`MeshInput::check`], and [`Kind::TooLarge`] where the allocation fails. Cost: O(n log n);
    /// twice the block while it is built.
    pub fn new(triangles: &Triangles, scalar: Scalar, halo: Halo<'_>) -> Result<Self> {
        let input = input(triangles, scalar, halo);
        let mut scratch = Memory::new(mesh::build_scratch(&input.sizes()?)?)?;
        OwnedMesh::with_scratch(&input, &mut scratch)
    }

    fn with_scratch(input: &MeshInput<'_>, scratch: &mut [u8]) -> Result<Self> {
        let mut block = Memory::new(Mesh::layout(&input.sizes()?)?)?;
        Mesh::from_arrays(&mut block, input, scratch)?;
        Ok(OwnedMesh(block))
    }

    /// A copy of a block from a file or another process. All bytes are checked.
    ///
    /// Errors: those of [`verify`] and of opening a block.
    pub fn from_block(block: &[u8]) -> Result<Self> {
        let memory = copied(block)?;
        MeshRef::open(&memory)?;
        Ok(OwnedMesh(memory))
    }

    /// The mesh. Cost: tens of nanoseconds.
    pub fn open(&self) -> Result<MeshRef<'_>> {
        MeshRef::open(&self.0)
    }

    /// The bytes of the block, to be stored or sent: [`OwnedMesh::from_block`] takes them again.
    pub fn block(&self) -> &[u8] {
        &self.0
    }
}

fn input<'a>(triangles: &'a Triangles, scalar: Scalar, halo: Halo<'a>) -> MeshInput<'a> {
    let indices = Some(Indices::from_slice(&triangles.indices));
    MeshInput { vertices: triangles.vertex_array(), triangles: indices, scalar, halo }
}

/// A mesh with its surrogate tree, the operand of contact queries.
#[derive(Clone, Debug)]
pub struct OwnedShape {
    mesh: OwnedMesh,
    tree: Memory,
}

impl OwnedShape {
    /// Builds both blocks; see [`OwnedMesh::new`]. The same bytes come out on every machine.
    ///
    /// Errors: those of [`OwnedMesh::new`] and [`Tree::from_mesh`]. Cost: mostly that of the tree.
    pub fn new(triangles: &Triangles, scalar: Scalar, halo: Halo<'_>, options: &Options) -> Result<Self> {
        let input = input(triangles, scalar, halo);
        let sizes = input.sizes()?;
        // The same scratch for both, which is faster to clear, and is in the caches when the tree is built.
        let mut scratch = Memory::new(mesh::build_scratch(&sizes)?.or(surrogate::build_scratch(&sizes, options)?))?;
        let mesh = OwnedMesh::with_scratch(&input, &mut scratch)?;
        let view = mesh.open()?;
        let mut tree = Memory::new(Tree::layout(&TreeSizes::new(sizes.triangles, options)?)?)?;
        Tree::from_mesh(&mut tree, &view, options, &mut scratch, Isa::best())?;
        Ok(OwnedShape { mesh, tree })
    }

    /// The mesh. Cost: tens of nanoseconds.
    pub fn mesh(&self) -> Result<MeshRef<'_>> {
        self.mesh.open()
    }

    /// The tree. Cost: tens of nanoseconds.
    pub fn tree(&self) -> Result<TreeRef<'_>> {
        TreeRef::open(&self.tree)
    }

    /// Moves all vertices, in the order in which the mesh was built from them. Cells have to be refitted, too: see
    /// [`OwnedCells::refit`].
    ///
    /// Errors: those of [`Mesh::move_vertices`] and [`Tree::refit`]. After an error nothing is changed. Cost: less than
    /// building.
    pub fn refit(&mut self, vertices: Array<'_>, what: Refit) -> Result<()> {
        let bounds = self.mesh()?.bounds_with(Some(vertices), None)?;
        if bounds.radius + bounds.halo > LARGEST {
            return Err(Error::new(Kind::OutOfRange, What::Mesh));
        }
        let options = self.tree()?.options()?;
        let mut scratch = Memory::new(surrogate::build_scratch(&self.mesh()?.sizes, &options)?)?;
        mesh::refit(&mut self.mesh.0, vertices)?;
        surrogate::refit(&mut self.tree, &self.mesh.open()?, what, &mut scratch, Isa::best())
    }

    /// The bytes of mesh and tree, to be stored or sent.
    pub fn blocks(&self) -> [&[u8]; 2] {
        [self.mesh.block(), &self.tree]
    }
}

/// The cells of a mesh, which contacts need besides the shape.
#[derive(Clone, Debug)]
pub struct OwnedCells(Memory);

impl OwnedCells {
    /// Builds the block. The same bytes come out on every machine.
    ///
    /// Errors: those of [`contact::cell_sizes`] and [`Cells::from_mesh`]. Cost: O(n log n).
    pub fn new(mesh: &MeshRef<'_>, options: &CellOptions) -> Result<Self> {
        let mut scratch = Memory::new(contact::build_scratch(&mesh.sizes)?)?;
        let sizes = contact::cell_sizes(mesh, options, &mut scratch)?;
        let mut block = Memory::new(Cells::layout(&sizes)?)?;
        Cells::from_mesh(&mut block, &sizes, mesh, options, &mut scratch)?;
        Ok(OwnedCells(block))
    }

    /// Updates the cells after vertices have moved; patches keep their names ([`contact::refit_cells`]).
    ///
    /// Errors: those of [`contact::refit_cells`]. Cost: somewhat less than building.
    pub fn refit(&mut self, mesh: &MeshRef<'_>, options: &CellOptions) -> Result<()> {
        let mut scratch = Memory::new(contact::refit_cells_scratch(&mesh.sizes)?)?;
        loop {
            match contact::refit_cells(&mut self.0, mesh, options, &mut scratch) {
                Err(Error { kind: Kind::Capacity, what: What::Cells, needed, .. }) => {
                    // The old cells are copied as well, because the new cells keep their names.
                    let mut larger = Memory::new(Layout { size: needed as usize, align: ALIGN })?;
                    larger.get_mut(..self.0.len()).unwrap_or_default().copy_from_slice(&self.0);
                    self.0 = larger;
                }
                done => return done.map(|_| ()),
            }
        }
    }

    /// The cells. Cost: tens of nanoseconds.
    pub fn open(&self) -> Result<CellsRef<'_>> {
        CellsRef::open(&self.0)
    }

    /// The bytes of the block, to be stored or sent.
    pub fn block(&self) -> &[u8] {
        &self.0
    }
}

/// Copies a block into aligned memory, and verifies its checksum.
fn copied(block: &[u8]) -> Result<Memory> {
    let mut memory = Memory::new(Layout { size: block.len(), align: ALIGN })?;
    memory.copy_from_slice(block);
    verify(&memory)?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn keeps_triangles_and_survives_a_copy() {
        let bumpy = generate::bumpy(generate::icosphere(2).unwrap(), 1.2, 3).unwrap();
        assert_eq!(bumpy.scalar(), Scalar::F64);
        let mesh = OwnedMesh::new(&bumpy, bumpy.scalar(), Halo::Uniform(0.5)).unwrap();
        let copy = OwnedMesh::from_block(mesh.block()).unwrap();
        for m in [&mesh, &copy] {
            let m = m.open().unwrap();
            assert_eq!((m.len(), m.halo(7)), (320, 0.5));
            assert!((0..320).all(|i| m.triangle(i) == bumpy.triangle(i)));
        }
    }

    #[test]
    fn shapes_have_a_tree_of_all_triangles() {
        let bumpy = generate::bumpy(generate::icosphere(2).unwrap(), 1.2, 3).unwrap();
        let build = || OwnedShape::new(&bumpy, Scalar::F64, Halo::Uniform(0.5), &Options::default()).unwrap();
        let shape = build();
        assert_eq!((shape.mesh().unwrap().len(), shape.tree().unwrap().sizes.triangles), (320, 320));
        assert_eq!(shape.blocks(), build().blocks(), "the same bytes every time");
    }

    #[test]
    fn refuses_what_is_no_mesh() {
        let bad = Triangles { vertices: vec![[0.0; 3]], indices: vec![[0, 0, 1]] };
        assert_eq!(OwnedMesh::new(&bad, Scalar::F64, Halo::Uniform(0.0)).map(|_| ()).unwrap_err().kind, Kind::BadIndex);
        let mesh = OwnedMesh::new(&generate::icosphere(0).unwrap(), Scalar::F32, Halo::Uniform(0.0)).unwrap();
        let mut bytes = mesh.block().to_vec();
        assert!(OwnedMesh::from_block(&bytes[..bytes.len() - 64]).is_err());
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert_eq!(OwnedMesh::from_block(&bytes).map(|_| ()).unwrap_err().kind, Kind::Damaged);
        assert!(OwnedMesh::from_block(&[]).is_err());
    }
}
