//! One body by itself: points near and far from it, its mass properties, and what an inspection finds.

use crate::bodies::{bumpy, cut_mesh, cut_tree, cut_vertices, input};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::array::{Array, Scalar};
use dem_core::error::Result;
use dem_core::mesh::{InspectOptions, inspect, mass_properties};
use dem_core::narrow::{Operand, PointOnMesh, points, winding_numbers};
use dem_core::simd::Isa;
use dem_core::surrogate::Options;
use zerocopy::IntoBytes;

const COUNT: usize = 150;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(8);
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let mesh = cut_mesh(&mut memory, &input(vertices, Scalar::F64, 0.01))?;
    let tree = cut_tree(isa, &mut memory, &mesh, &Options { subtree: 64, ..Options::default() })?;
    let pose = random_pose(&mut random);
    let operand = Operand { mesh, tree, pose: &pose, scale: 1.0 };

    let places: [[f64; 3]; COUNT] = core::array::from_fn(|_| {
        let place = random.point();
        [0, 1, 2].map(|k| pose.position[k] + 2.0 * place[k])
    });
    for bound in [f64::INFINITY, 0.3] {
        let mut found = [PointOnMesh::default(); COUNT];
        points(isa, &operand, Array::from_f64(&places), bound, &mut found, memory)?;
        for at in found {
            [at.triangle, at.feature, at.side, at.doubt].map(u64::from).into_iter().for_each(|id| hash.word(id));
            hash.numbers(&[at.distance, at.signed_distance]);
            hash.numbers(&at.point);
            hash.numbers(&at.normal);
        }
    }
    let mut turns = [0.0; 10];
    winding_numbers(&operand, Array::from_f64(&places[..10]), &mut turns)?;
    hash.numbers(&turns);

    let mass = mass_properties(mesh, 2.5, memory)?;
    hash.numbers(&[mass.mass, mass.volume, mass.area, mass.volume_error, mass.centre_error, mass.inertia_error]);
    hash.numbers(&mass.centre);
    hash.numbers(mass.inertia.as_flattened());
    hash.numbers(&mass.moments);
    hash.numbers(mass.axes.as_flattened());
    hash.bytes(inspect(mesh, &InspectOptions::default(), memory)?.report.as_bytes());
    Ok(hash.value())
}
