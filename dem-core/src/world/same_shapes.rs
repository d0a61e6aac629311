//! Whether all phases of a step get the same shapes.

use crate::contact::shape::{self, Part, Shape};

/// A number that changes, except for one case in 2^32, if the number, the kinds or the sizes of shapes change.
///
/// It does not read vertices, which would cost as much as a step. It is never 0, which stands for no shapes.
pub(super) fn fingerprint(shapes: &[Shape<'_>]) -> u32 {
    let all = shapes.iter().fold(mixed(0, shapes.len() as u64), |sum, shape| match shape {
        Shape::Compound(parts) => parts.iter().fold(mixed(sum, parts.len() as u64), with_part),
        one => with(sum, one),
    });
    (all >> 32) as u32 | 1
}

fn with_part(sum: u64, part: &Part<'_>) -> u64 {
    let pose = part.pose.position.iter().chain(&part.pose.orientation);
    with(pose.fold(mixed(sum, part.scale.to_bits()), |sum, x| mixed(sum, x.to_bits())), &part.shape)
}

fn with(sum: u64, shape: &Shape<'_>) -> u64 {
    let (kind, numbers) = match *shape {
        Shape::Sphere { radius, halo } => (shape::SPHERE, [radius, halo, 0.0]),
        Shape::HalfSpace { halo } => (shape::HALF_SPACE, [halo, 0.0, 0.0]),
        Shape::Mesh(surface) => (shape::MESH, [surface.mesh.len() as f64, surface.mesh.radius(), 0.0]),
        // Compounds never contain compounds.
        Shape::Compound(parts) => (shape::COMPOUND, [parts.len() as f64, 0.0, 0.0]),
        Shape::Capsule { half_length, radius, halo } => (shape::CAPSULE, [half_length, radius, halo]),
    };
    numbers.iter().fold(mixed(sum, kind.into()), |sum, x| mixed(sum, x.to_bits()))
}

/// The finalizer of splitmix64, over both.
fn mixed(sum: u64, x: u64) -> u64 {
    let x = (sum.rotate_left(23) ^ x).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
