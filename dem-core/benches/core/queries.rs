//! Two meshes of 4,800 triangles: pairs, distances, contacts; one mesh and points.

use crate::rocks::{Memory, Random, Rock, beside};
use criterion::{Criterion, Throughput};
use dem_core::array::Array;
use dem_core::contact::{Contact, Room, contacts, contacts_scratch};
use dem_core::exec::{Serial, Work};
use dem_core::narrow::{
    PointOnMesh, TrianglePair, any_pair, distance_scratch, min_distance, pairs, pairs_scratch, points, points_scratch,
};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

const GRID: i32 = 20;
const POINTS: usize = 1000;
const ROOM: Room = Room { pairs: 20_000, terms: 40_000, segments: 5_000 };

pub fn run(criterion: &mut Criterion) {
    let rock = Rock::new(GRID);
    let isa = Isa::best();
    let mut group = criterion.benchmark_group("queries");
    group.throughput(Throughput::Elements(1));
    for (name, distance) in [("touching", 1.98), ("crossing", 1.9), ("apart", 2.5)] {
        let pose = beside(distance);
        let (a, b) = (rock.side(&Pose::IDENTITY), rock.side(&pose));
        let mut found = vec![TrianglePair::default(); ROOM.pairs];
        let mut scratch = Memory::new(pairs_scratch(&a.operand, &b.operand, ROOM.pairs).unwrap());
        group.bench_function(format!("pairs, {name}"), |bench| {
            bench.iter(|| pairs(isa, &a.operand, &b.operand, 0.0, &mut found, scratch.write()).unwrap());
        });
        let mut scratch = Memory::new(distance_scratch(&a.operand, &b.operand).unwrap());
        group.bench_function(format!("any pair, {name}"), |bench| {
            bench.iter(|| any_pair(isa, &a.operand, &b.operand, 0.0, scratch.write()).unwrap());
        });
        group.bench_function(format!("smallest distance, {name}"), |bench| {
            bench.iter(|| min_distance(isa, &a.operand, &b.operand, f64::INFINITY, scratch.write()).unwrap());
        });
        let mut found = vec![Contact::default(); 4000];
        let mut scratch = Memory::new(contacts_scratch(&a, &b, ROOM, 1).unwrap());
        group.bench_function(format!("contacts, {name}"), |bench| {
            bench.iter(|| {
                contacts(Work::new(&Serial, isa, scratch.write()), &a, &b, 0, ROOM, &mut found).unwrap().contacts
            });
        });
    }

    let operand = rock.operand(&Pose::IDENTITY);
    let mut random = Random(3);
    let near: Vec<_> =
        (0..POINTS).map(|i| operand.mesh.triangle(i * 4 % operand.mesh.len())[0].map(|x| 1.001 * x)).collect();
    let anywhere: Vec<_> = (0..POINTS).map(|_| random.point()).collect();
    let mut found = vec![PointOnMesh::default(); POINTS];
    let mut scratch = Memory::new(points_scratch(&operand).unwrap());
    group.throughput(Throughput::Elements(POINTS as u64));
    for (name, places) in [("points near the surface", near), ("points anywhere", anywhere)] {
        group.bench_function(name, |bench| {
            let places = Array::from_f64(&places);
            bench.iter(|| points(isa, &operand, places, f64::INFINITY, &mut found, scratch.write()).unwrap());
        });
    }
}
