//! Contacts of spheres, half-spaces, a bumpy body and compounds of these, at random poses and scales.

use crate::bodies::{bumpy, cut_vertices};
use crate::contacts::{HALO, ROOM, cut_contacts, hash_contact, rock, shape};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Placed, Request, Shape, Surface, shape_contacts};
use dem_core::error::Result;
use dem_core::exec::{Serial, Work};
use dem_core::simd::Isa;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let found = cut_contacts(&mut memory)?;
    let mut random = Random::new(11);
    let [open, solid] = [false, true].map(|solid| Surface { mesh, tree, cells, solid });
    let body = |is_solid| Shape::Mesh(if is_solid { &solid } else { &open });
    for i in 0..24 {
        let mut part = |shape, scale| Part { shape, pose: random_pose(&mut random), scale };
        let ball = Shape::Sphere { radius: 0.1 * f64::from(i % 7), halo: HALO };
        let parts = [part(ball, 1.5), part(body(true), 0.75), part(ball, 0.25)];
        let ground = Shape::HalfSpace { halo: HALO };
        let (pose_a, mut pose_b) = (random_pose(&mut random), random_pose(&mut random));
        let apart = 0.11 * f64::from(i);
        pose_b.position = [0, 1, 2].map(|k| pose_a.position[k] + apart * [0.6, 0.48, -0.64][k]);
        for (a, b) in [
            (ball, ball),
            (ground, ball),
            (ball, body(i % 2 == 0)),
            (body(true), ground),
            (Shape::Compound(&parts), ground),
            (ball, Shape::Compound(&parts)),
        ] {
            let (a, b) =
                (Placed { shape: a, pose: &pose_a, scale: 1.25 }, Placed { shape: b, pose: &pose_b, scale: 1.25 });
            let count = shape_contacts(
                Work::new(&Serial, isa, memory),
                &a,
                &b,
                &Request { grouping: Grouping::PATCHES, ..Request::new(3, ROOM) },
                found,
                None,
            )?
            .contacts;
            hash.word(count as u64);
            found[..count].iter().for_each(|c| {
                hash_contact(&mut hash, c);
                hash.word(u64::from(c.status));
            });
        }
    }
    Ok(hash.value())
}
