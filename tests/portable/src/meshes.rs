//! Meshes from loose and from indexed triangles, in both precisions, with one halo and with many; hashed byte by byte.

use crate::Hash;
use crate::bodies::{TRIANGLES, bumpy, cut_vertices, input};
use dem_core::array::{Array, Indices, Scalar};
use dem_core::error::Result;
use dem_core::mesh::{Halo, Mesh, MeshInput, MeshRef, NONE, refit};
use dem_core::simd::Isa;

pub(crate) fn run(_isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let loose = input(vertices, Scalar::F64, 0.01);
    let (block, scratch) = memory.split_at_mut(memory.len() / 2);
    let mesh = Mesh::from_arrays(block, &loose, scratch)?;
    assert!(!mesh.neighbour.as_flattened().contains(&NONE), "the body is closed");
    hash_block(&mut hash, block)?;

    // Every other corner of the list again, so that some edges have one triangle and some more than two.
    let corners: [[u32; 3]; TRIANGLES] =
        core::array::from_fn(|i| [3 * i, 3 * i + 1, 3 * (i / 2) + 2].map(|v| v as u32));
    let halos: [f64; TRIANGLES] = core::array::from_fn(|i| 1e-3 * i as f64);
    let indexed = MeshInput {
        triangles: Some(Indices::from_slice(&corners)),
        scalar: Scalar::F32,
        halo: Halo::Each(Array::from_numbers(&halos)),
        ..loose
    };
    Mesh::from_arrays(block, &indexed, scratch)?;
    hash_block(&mut hash, block)?;

    bumpy(-0.3, vertices);
    refit(block, Array::from_f64(vertices))?;
    hash_block(&mut hash, block)?;
    Ok(hash.value())
}

fn hash_block(hash: &mut Hash, block: &[u8]) -> Result<()> {
    let mesh = MeshRef::open(block)?;
    hash.numbers(&mesh.centre());
    hash.number(mesh.radius());
    hash.bytes(&block[..Mesh::layout(&mesh.sizes)?.size]);
    Ok(())
}
