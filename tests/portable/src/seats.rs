//! A bumpy body with a flat base on the ground and in a seat of its own form: regions with second moments and curvature, and their corners.

use crate::bodies::{TRIANGLES, bumpy, cut, cut_vertices};
use crate::contacts::{HALO, cut_contacts, hash_contact, rock, shape};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::array::{Array, Scalar};
use dem_core::contact::Regions;
use dem_core::contact::shape::{Placed, Request, Shape, Surface, shape_contacts, shape_corners};
use dem_core::contact::{Corner, CornerLimits, Node, Room};
use dem_core::error::{Result, What};
use dem_core::exec::{Serial, Work};
use dem_core::memory::{Carve, Plan};
use dem_core::mesh::{Halo, MeshInput};
use dem_core::pose::Pose;
use dem_core::real::max;
use dem_core::simd::Isa;

const ROOM: Room = Room { pairs: 700, terms: 800, segments: 100 };
/// Vertices of a side.
const SIDE: usize = TRIANGLES / 2;
const MOST: u64 = 100;
const NODES: u64 = 400;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    vertices.iter_mut().for_each(|v| v[2] = max(v[2], -0.8));
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let body = Surface { mesh, tree, cells, solid: true };
    // The side below, with its triangles in the other sense: seen from inside.
    let below = &mut vertices[4 * SIDE..5 * SIDE];
    below.chunks_exact_mut(3).for_each(|corners| corners.swap(1, 2));
    let below =
        MeshInput { vertices: Array::from_f64(below), triangles: None, scalar: Scalar::F32, halo: Halo::Uniform(HALO) };
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &below)?;
    let seat = Surface { mesh, tree, cells, solid: false };
    let found = cut_contacts(&mut memory)?;
    let layout = Plan::new().add::<Corner>(MOST).add::<Node>(NODES).layout(What::Output)?;
    let mut carve = Carve::new(cut(&mut memory, layout.size), layout, What::Output)?;
    let (corners, nodes): (&mut [Corner], &mut [Node]) = (carve.take(MOST)?, carve.take(NODES)?);
    let mut random = Random::new(34);
    for i in 0..12 {
        let pose = random_pose(&mut random);
        let lean = [0.0, 1e-3, 1e-2][i % 3] * f64::from(i as u32);
        let turned = Pose { position: [0.0, 0.0, 0.8 + 0.2 * HALO], orientation: [lean, 0.5 * lean, 0.0, 1.0] };
        let down = pose.transform(What::PoseA)?.rotate([0.0, 0.0, -0.05]);
        let own = Pose { position: [0, 1, 2].map(|k| pose.position[k] + down[k]), ..pose };
        for (own, other, place, scale) in
            [(&turned, Shape::HalfSpace { halo: HALO }, &Pose::IDENTITY, 1.0), (&own, Shape::Mesh(&seat), &pose, 1.06)]
        {
            let a = Placed { shape: Shape::Mesh(&body), pose: own, scale: 1.0 };
            let b = Placed { shape: other, pose: place, scale };
            let request = Request { spread: true, ..Request::new(3, ROOM) };
            let told = shape_contacts(Work::new(&Serial, isa, memory), &a, &b, &request, found, Some(nodes))?;
            hash.word(told.contacts as u64);
            let list = &found[..told.contacts];
            for c in list {
                hash_contact(&mut hash, c);
                [c.wedging].into_iter().chain(c.offset).chain(c.spread).chain(c.curvature).for_each(|x| hash.number(x));
            }
            let regions = Regions { contacts: list, nodes: &nodes[..told.nodes] };
            let limits = CornerLimits { pairs: ROOM.pairs, most: 4 };
            let number = shape_corners(isa, &a, &b, &regions, limits, corners, memory)?;
            hash.word(number as u64);
            for corner in &corners[..number] {
                hash.word(u64::from(corner.contact) << 32 | u64::from(corner.order));
                hash.numbers(&corner.position);
                hash.number(corner.gap);
            }
        }
    }
    Ok(hash.value())
}
