//! Contacts of capsules with everything, their energies, and rays at them, at random poses and scales.

use crate::bodies::{bumpy, cut_vertices};
use crate::contacts::{HALO, ROOM, cut_contacts, hash_contact, rock, shape};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Placed, Request, Shape, Surface, shape_contacts};
use dem_core::error::Result;
use dem_core::exec::{Serial, Work};
use dem_core::rays::{Ray, cast};
use dem_core::simd::Isa;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let found = cut_contacts(&mut memory)?;
    let mut random = Random::new(13);
    let surface = Surface { mesh, tree, cells, solid: true };
    for i in 0..24 {
        let lengths = [[0.0, 0.3], [0.4, 0.2], [0.9, 0.05], [0.2, 0.0]][i % 4];
        let [half_length, radius] = lengths;
        let rod = Shape::Capsule { half_length, radius, halo: HALO };
        let mut part = |shape, scale| Part { shape, pose: random_pose(&mut random), scale };
        let ball = Shape::Sphere { radius: 0.3, halo: HALO };
        let parts = [part(rod, 1.5), part(ball, 0.75)];
        let ground = Shape::HalfSpace { halo: HALO };
        let (pose_a, mut pose_b) = (random_pose(&mut random), random_pose(&mut random));
        let apart = 0.09 * i as f64;
        pose_b.position = [0, 1, 2].map(|k| pose_a.position[k] + apart * [0.6, 0.48, -0.64][k]);
        let others = [rod, ball, ground, Shape::Mesh(&surface), Shape::Compound(&parts)];
        for (a, b) in others.map(|other| (rod, other)) {
            let (a, b) =
                (Placed { shape: a, pose: &pose_a, scale: 1.25 }, Placed { shape: b, pose: &pose_b, scale: 1.25 });
            let request = Request { grouping: Grouping::PATCHES, energy: true, spread: true, ..Request::new(3, ROOM) };
            let count = shape_contacts(Work::new(&Serial, isa, memory), &a, &b, &request, found, None)?.contacts;
            hash.word(count as u64);
            found[..count].iter().for_each(|c| {
                hash_contact(&mut hash, c);
                hash.word(u64::from(c.status));
                hash.word(c.energy.to_bits());
                let told = [c.wedging, c.radius].into_iter().chain(c.offset).chain(c.spread);
                told.for_each(|x| hash.word(x.to_bits()));
            });
            let direction = [0, 1, 2].map(|k| pose_a.position[k] + 0.1 - 2.0 * pose_b.position[k]);
            let hit = cast(&a, &Ray::new(pose_b.position.map(|x| 2.0 * x), direction))?;
            hash.word(hit.map_or(0, |hit| hit.t.to_bits()));
        }
    }
    Ok(hash.value())
}
