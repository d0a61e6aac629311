//! Bytes that claim to be a sealed block: opened, proved, and read wherever they open.
#![no_main]

use dem_core::contact::{Cells, CellsRef};
use dem_core::memory;
use dem_core::mesh::{Mesh, MeshRef};
use dem_core::surrogate::{Tree, TreeRef};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut storage = vec![0u8; bytes.len() + 64];
    let start = storage.as_ptr().align_offset(64);
    let block = &mut storage[start..start + bytes.len()];
    block.copy_from_slice(bytes);
    let _ = memory::verify(block);
    let _ = memory::identity(block);
    if let Ok(mesh) = MeshRef::peek(block) {
        for i in [0, mesh.len() / 2, mesh.len() - 1, mesh.len()] {
            let _ = (mesh.triangle(i), mesh.halo(i), mesh.welded(i));
        }
    }
    if let Ok(tree) = TreeRef::peek(block) {
        let _ = (tree.check(), tree.root());
    }
    if let Ok(cells) = CellsRef::peek(block) {
        let _ = cells.cell.iter().map(|cell| cells.sides(cell).len()).sum::<usize>();
        let _ =
            (0..=cells.patch.len()).map(|i| cells.of(i).len() + usize::from(cells.prism(i).is_some())).sum::<usize>();
    }
    let _ = Cells::open(block).map(|cells| cells.as_ref().hash());
    let _ = Mesh::open(block).map(|mesh| mesh.as_ref().hash());
    let _ = Tree::open(block).map(|tree| tree.as_ref().hash());
});
