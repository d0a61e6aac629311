//! The library's queries in the form of [`crate::boxes`]: the shapes of a scene, with room for results.

use crate::scene::Scene;
use crate::{Triangle, data};
use dem_core::mesh::Halo;
use dem_core::narrow::{Operand, TrianglePair, distance_scratch, min_distance, pairs, pairs_scratch};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::Options;
use dem_std::{Memory, OwnedShape, Triangles};

/// Two shapes. All functions panic on errors, because the inputs of tests are valid.
pub struct Shapes {
    /// The first shape.
    pub a: OwnedShape,
    /// The second shape.
    pub b: OwnedShape,
}

/// A shape from a soup with a uniform halo.
pub fn shape(soup: &[Triangle], halo: f64, options: &Options) -> OwnedShape {
    let (vertices, indices) = data::indexed(soup);
    let triangles = Triangles { vertices, indices };
    OwnedShape::new(&triangles, triangles.scalar(), Halo::Uniform(halo), options).unwrap_or_else(|e| panic!("{e}"))
}

impl Shapes {
    /// The meshes of a scene, each with this halo.
    pub fn new(scene: &Scene, halo: f64, options: &Options) -> Self {
        Shapes { a: shape(&scene.a, halo, options), b: shape(&scene.b, halo, options) }
    }

    /// Both shapes at their poses.
    pub fn operands<'s>(&'s self, pose_a: &'s Pose, pose_b: &'s Pose) -> [Operand<'s>; 2] {
        [operand(&self.a, pose_a), operand(&self.b, pose_b)]
    }

    /// Memory for this many results.
    pub fn room(&self, results: usize) -> (Vec<TrianglePair>, Memory) {
        let [a, b] = self.operands(&Pose::IDENTITY, &Pose::IDENTITY);
        let layout = pairs_scratch(&a, &b, results);
        let scratch = layout.and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
        (vec![TrianglePair::default(); results], scratch)
    }
}

/// A shape at a pose.
pub fn operand<'s>(shape: &'s OwnedShape, pose: &'s Pose) -> Operand<'s> {
    let view = || Ok(Operand { mesh: shape.mesh()?, tree: shape.tree()?, pose, scale: 1.0 });
    view().unwrap_or_else(|e: dem_core::error::Error| panic!("{e}"))
}

/// All pairs within both halos and the margin.
pub fn all_pairs(isa: Isa, a: &Operand<'_>, b: &Operand<'_>, margin: f64) -> Vec<TrianglePair> {
    let mut room = 64;
    loop {
        let mut out = vec![TrianglePair::default(); room];
        let mut scratch = pairs_scratch(a, b, room).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
        match pairs(isa, a, b, margin, &mut out, &mut scratch) {
            Ok(number) => {
                out.truncate(number);
                return out;
            }
            Err(e) if e.kind == dem_core::error::Kind::Capacity => {
                assert!(e.needed as usize > room, "{e}");
                room = e.needed as usize;
            }
            Err(e) => panic!("{e}"),
        }
    }
}

/// The closest pair within a bound.
pub fn nearest(isa: Isa, a: &Operand<'_>, b: &Operand<'_>, bound: f64) -> Option<TrianglePair> {
    let mut scratch = distance_scratch(a, b).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    min_distance(isa, a, b, bound, &mut scratch).unwrap_or_else(|e| panic!("{e}"))
}
