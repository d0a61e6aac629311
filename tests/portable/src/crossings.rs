//! Where bodies touch and cross themselves: triangles pulled through the others, corners that lie exactly on edges and faces.

use crate::bodies::{Vertices, bumpy, cut_mesh, cut_tree, cut_vertices, input};
use crate::{Hash, Random};
use dem_core::array::Scalar;
use dem_core::error::{Error, Kind, Result};
use dem_core::narrow::self_intersections;
use dem_core::simd::Isa;
use dem_core::surrogate::Options;

/// Room for results.
const MOST: usize = 2000;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(9);
    let vertices = cut_vertices(&mut memory)?;
    for (spoil, scalar, halo) in [
        (whole as fn(&mut Random, &mut Vertices), Scalar::F64, 0.0),
        (pulled, Scalar::F64, 0.01),
        (pulled, Scalar::F32, 0.0),
        (coarse, Scalar::F64, 0.0),
        (coarse, Scalar::F32, 0.5),
    ] {
        bumpy(0.1, vertices);
        spoil(&mut random, vertices);
        let (here, mut rest) = memory.split_at_mut(crate::MEMORY / 4);
        let mesh = cut_mesh(&mut &mut here[..], &input(vertices, scalar, halo))?;
        let tree = cut_tree(isa, &mut rest, &mesh, &Options { subtree: 64, ..Options::default() })?;
        let mut found = [[0; 2]; MOST];
        let count = self_intersections(isa, mesh, tree, &mut found, rest)?;
        hash.word(count as u64);
        found[..count].as_flattened().iter().for_each(|id| hash.word(u64::from(*id)));
        if count > 0 {
            // The number that would do is part of the answer.
            let short = self_intersections(isa, mesh, tree, &mut found[..count - 1], rest);
            let needed = |error: &Error| if error.kind == Kind::Capacity { error.needed } else { 0 };
            hash.word(short.as_ref().map_or_else(needed, |_| 0));
        }
    }
    Ok(hash.value())
}

/// As it is: clean.
fn whole(_: &mut Random, _: &mut Vertices) {}

/// A corner of every ninth triangle goes to the other side.
fn pulled(random: &mut Random, vertices: &mut Vertices) {
    for corner in vertices.iter_mut().step_by(27) {
        let far = 1.2 + 0.2 * random.signed();
        *corner = corner.map(|x| -far * x);
    }
}

/// Corners on a coarse lattice, loose by one step here and there: much touches without crossing, much is flat.
fn coarse(random: &mut Random, vertices: &mut Vertices) {
    for corner in vertices.iter_mut() {
        let step = if random.word().is_multiple_of(16) { 1.0 } else { 0.0 };
        *corner = corner.map(|x| f64::from((4.0 * x) as i32) / 4.0);
        corner[0] += 0.25 * step;
    }
}
