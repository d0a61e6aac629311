//! Two bodies at random poses, from apart to one inside the other: all pairs, the smallest distance, any pair.

use crate::bodies::{bumpy, cut, cut_mesh, cut_tree, cut_vertices, input};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::array::Scalar;
use dem_core::error::{Result, What};
use dem_core::memory::{Carve, Plan};
use dem_core::narrow::{Operand, TrianglePair, any_pair, min_distance, pairs};
use dem_core::simd::Isa;
use dem_core::surrogate::Options;

/// Room for results.
const MOST: usize = 1500;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(6);
    let vertices = cut_vertices(&mut memory)?;
    let options = Options { subtree: 64, ..Options::default() };
    bumpy(0.1, vertices);
    let mesh_a = cut_mesh(&mut memory, &input(vertices, Scalar::F64, 0.01))?;
    let tree_a = cut_tree(isa, &mut memory, &mesh_a, &options)?;
    bumpy(-0.05, vertices);
    let mesh_b = cut_mesh(&mut memory, &input(vertices, Scalar::F32, 0.02))?;
    let tree_b = cut_tree(isa, &mut memory, &mesh_b, &options)?;

    let found = cut_pairs(&mut memory, MOST)?;
    for i in 0..12 {
        let (pose_a, mut pose_b) = (random_pose(&mut random), random_pose(&mut random));
        // From centres that coincide to bodies that are well apart.
        let apart = 0.25 * f64::from(i);
        pose_b.position = [0, 1, 2].map(|k| pose_a.position[k] + apart * [0.6, 0.48, -0.64][k]);
        let a = Operand { mesh: mesh_a, tree: tree_a, pose: &pose_a, scale: 1.0 };
        let b = Operand { mesh: mesh_b, tree: tree_b, pose: &pose_b, scale: 1.0 };
        for margin in [0.0, 0.05] {
            let count = pairs(isa, &a, &b, margin, found, memory)?;
            hash.word(count as u64);
            found[..count].iter().for_each(|pair| hash_pair(&mut hash, pair));
            hash.word(u64::from(any_pair(isa, &a, &b, margin, memory)?));
        }
        if let Some(pair) = min_distance(isa, &a, &b, 1.0, memory)? {
            hash_pair(&mut hash, &pair);
        }
    }
    Ok(hash.value())
}

/// Cuts off memory for so many results.
pub(crate) fn cut_pairs<'m>(memory: &mut &'m mut [u8], most: usize) -> Result<&'m mut [TrianglePair]> {
    let layout = Plan::new().add::<TrianglePair>(most as u64).layout(What::Output)?;
    Carve::new(cut(memory, layout.size), layout, What::Output)?.take(most as u64)
}

pub(crate) fn hash_pair(hash: &mut Hash, pair: &TrianglePair) {
    [pair.a, pair.b, pair.feature_a, pair.feature_b].map(u64::from).into_iter().for_each(|id| hash.word(id));
    hash.number(pair.distance);
    hash.numbers(&pair.point_a);
    hash.numbers(&pair.point_b);
}
