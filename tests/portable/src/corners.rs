//! What solvers ask of contacts: corners, relative velocities where vertices move, clamped normals.

use crate::bodies::{Vertices, bumpy, cut, cut_vertices};
use crate::contacts::{HALO, ROOM, cut_contacts, hash_contact, rock, shape};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::array::Array;
use dem_core::contact::Regions;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Request, Shape, Surface, shape_contacts, shape_corners};
use dem_core::contact::{
    CellOptions, Clamped, Corner, CornerLimits, PatchCone, SurfaceMotion, clamp_normals, patch_cones, positions,
    relative_velocities,
};
use dem_core::error::{Result, What};
use dem_core::exec::{Serial, Work};
use dem_core::memory::{Carve, Plan};
use dem_core::narrow::Operand;
use dem_core::simd::Isa;

const MOST: usize = 1000;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let found = cut_contacts(&mut memory)?;
    let layout = Plan::new()
        .add::<Corner>(MOST as u64)
        .add::<[f64; 3]>(MOST as u64)
        .add::<PatchCone>(1000)
        .layout(What::Output)?;
    let mut carve = Carve::new(cut(&mut memory, layout.size), layout, What::Output)?;
    let corners: &mut [Corner] = carve.take(MOST as u64)?;
    let velocities: &mut [[f64; 3]] = carve.take(MOST as u64)?;
    let cones: &mut [PatchCone] = carve.take(1000)?;
    patch_cones(&mesh, &cells, &CellOptions::default(), cones)?;
    cones[..mesh.len()].iter().for_each(|cone| hash.numbers(&[cone.axis[0], cone.axis[1], cone.axis[2], cone.cosine]));
    let surface = Surface { mesh, tree, cells, solid: false };
    let own: &Vertices = vertices;
    let mut random = Random::new(21);
    for i in 0..16 {
        let (pose_a, mut pose_b) = (random_pose(&mut random), random_pose(&mut random));
        let apart = 1.2 + 0.06 * f64::from(i);
        pose_b.position = [0, 1, 2].map(|k| pose_a.position[k] + apart * [0.6, 0.48, -0.64][k]);
        let a = Placed { shape: Shape::Mesh(&surface), pose: &pose_a, scale: 0.75 };
        for other in [Shape::Mesh(&surface), Shape::HalfSpace { halo: HALO }] {
            let b = Placed { shape: other, pose: &pose_b, scale: 1.25 };
            let count = shape_contacts(
                Work::new(&Serial, isa, memory),
                &a,
                &b,
                &Request { grouping: Grouping::PATCHES, ..Request::new(3, ROOM) },
                found,
                None,
            )?
            .contacts;
            let list = &mut found[..count];
            let limits = CornerLimits { pairs: ROOM.pairs, most: [CornerLimits::ALL, 3, 6][i as usize % 3] };
            let number = shape_corners(isa, &a, &b, &Regions { contacts: list, nodes: &[] }, limits, corners, memory)?;
            hash.word(number as u64);
            for corner in &corners[..number] {
                hash.word(u64::from(corner.contact) << 32 | u64::from(corner.order));
                hash.numbers(&corner.position);
                hash.number(corner.gap);
            }
            let operand = Operand { mesh, tree, pose: &pose_a, scale: 0.75 };
            let of_vertices = dem_core::contact::Vertices { operand, velocities: Array::from_f64(own) };
            let (spin, centre) = ([0.5, -1.0, 0.25], pose_a.position);
            let moving = SurfaceMotion { velocity: [1.0, 2.0, 3.0], spin, centre, vertices: Some(of_vertices) };
            let still = SurfaceMotion::default();
            relative_velocities(isa, &moving, &still, positions(list), &mut velocities[..count], memory)?;
            velocities[..count].iter().for_each(|v| hash.numbers(v));
            clamp_normals(cones, &pose_a, Clamped::A, list)?;
            list.iter().for_each(|c| hash_contact(&mut hash, c));
        }
    }
    Ok(hash.value())
}
