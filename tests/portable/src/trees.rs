//! Surrogate trees of every sort of split and fit; hashed byte by byte.

use crate::Hash;
use crate::bodies::{bumpy, cut_mesh, cut_tree, cut_vertices, input};
use dem_core::array::Scalar;
use dem_core::error::Result;
use dem_core::simd::Isa;
use dem_core::surrogate::{Cover, Options, Preset, Split};
use zerocopy::IntoBytes;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    for (scalar, wave) in [(Scalar::F64, 0.1), (Scalar::F32, 0.02)] {
        bumpy(wave, vertices);
        let (here, mut rest) = memory.split_at_mut(crate::MEMORY / 4);
        let mesh = cut_mesh(&mut &mut here[..], &input(vertices, scalar, 0.01))?;
        let default = Options { subtree: 64, ..Options::default() };
        let all = [
            Options::preset(Preset::Fast),
            default,
            Options { split: Split::Median, cover: Cover::Monotone, ..default },
            Options { fan_out: 7, leaf: 3, ..default },
            Options::published(),
        ];
        for options in all {
            let tree = cut_tree(isa, &mut rest, &mesh, &options)?;
            hash.bytes(tree.clusters.as_bytes());
            hash.bytes(tree.origins.as_bytes());
            hash.word(tree.hash());
        }
    }
    Ok(hash.value())
}
