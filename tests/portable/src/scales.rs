//! Two bodies, each in a size of its own: pairs, distances, points, contacts.

use crate::bodies::{bumpy, cut_vertices};
use crate::contacts::{ROOM, cut_contacts, hash_contact, rock, shape};
use crate::poses::random_pose;
use crate::queries::{cut_pairs, hash_pair};
use crate::{Hash, Random};
use dem_core::array::Array;
use dem_core::contact::{Side, contacts};
use dem_core::error::Result;
use dem_core::exec::{Serial, Work};
use dem_core::narrow::{Operand, PointOnMesh, any_pair, min_distance, pairs, points};
use dem_core::simd::Isa;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let (found, near) = (cut_pairs(&mut memory, 1000)?, cut_contacts(&mut memory)?);
    let mut random = Random::new(37);
    // Powers of two and others, alike and far from each other.
    for (i, scales) in [[1.25, 0.75], [0.3, 0.3], [4.0, 0.01], [1e-3, 1.0], [1e140, 7e139]].into_iter().enumerate() {
        let (pose_a, mut pose_b) = (random_pose(&mut random), random_pose(&mut random));
        let apart = (scales[0] + scales[1]) * (0.8 + 0.05 * i as f64);
        pose_b.position = [0, 1, 2].map(|k| pose_a.position[k] + apart * [0.6, 0.48, -0.64][k]);
        let a = Operand { mesh, tree, pose: &pose_a, scale: scales[0] };
        let b = Operand { mesh, tree, pose: &pose_b, scale: scales[1] };
        let count = pairs(isa, &a, &b, 0.01 * scales[1], found, memory)?;
        hash.word(count as u64);
        found[..count].iter().for_each(|pair| hash_pair(&mut hash, pair));
        hash.word(u64::from(any_pair(isa, &a, &b, 0.0, memory)?));
        if let Some(pair) = min_distance(isa, &a, &b, f64::INFINITY, memory)? {
            hash_pair(&mut hash, &pair);
        }
        let mut closest = [PointOnMesh::default()];
        points(isa, &a, Array::from_f64(&[pose_b.position]), f64::INFINITY, &mut closest, memory)?;
        hash.numbers(&closest[0].point);
        let (a, b) = (Side { operand: a, cells, solid: false }, Side { operand: b, cells, solid: true });
        let found = contacts(Work::new(&Serial, isa, memory), &a, &b, 5, ROOM, near)?;
        hash.word(found.contacts as u64);
        near[..found.contacts].iter().for_each(|c| hash_contact(&mut hash, c));
    }
    Ok(hash.value())
}
