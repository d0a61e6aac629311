//! A step of a scene, with the bodies where they were in the step before: a ball on a plane, a heap of balls, rocks.

use crate::rocks::{HALO, Memory, Random, Rock};
use criterion::{Criterion, Throughput};
use dem_core::array::{Array, Words};
use dem_core::contact::Room;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::detect::{Bodies, Scene, SceneSizes, Settings, detect_scratch};
use dem_core::exec::Serial;
use dem_core::simd::Isa;

/// Bodies of a shape of about unit radius, on the places of a cubic lattice that is a little uneven, on a plane.
fn lattice(shape: Shape<'_>, side: i32, spacing: f64) -> ([Shape<'_>; 2], Vec<u32>, Vec<[f64; 3]>) {
    let mut random = Random(5);
    let places = (0..side * side * side).map(|i| [i % side, i / side % side, i / side / side]);
    let mut positions: Vec<_> = places
        .map(|at| at.map(|x| spacing * (f64::from(x) + 0.5)))
        .map(|at| [0, 1, 2].map(|k| at[k] + 0.01 * spacing * random.signed()))
        .collect();
    let mut shape_of = vec![0; positions.len()];
    positions.push([0.0; 3]);
    shape_of.push(1);
    ([shape, Shape::HalfSpace { halo: HALO }], shape_of, positions)
}

fn step(criterion: &mut Criterion, name: &str, shape: Shape<'_>, side: i32, spacing: f64) {
    let (shapes, shape_of, positions) = lattice(shape, side, spacing);
    let bodies = Bodies::new(&shapes, Words::from_slice(&shape_of), Array::from_f64(&positions));
    let n = positions.len() as u32;
    let room = Room { pairs: 4000, terms: 8000, segments: 1000 };
    let settings = Settings {
        periods: [0.0; 3],
        bound: f64::INFINITY,
        skin: 0.0,
        margin: 0.0,
        energy: false,
        spread: false,
        grouping: Grouping::default(),
        room,
        pair_contacts: 1000,
        grows: false,
    };
    let sizes = SceneSizes {
        bodies: n,
        candidates: 16 * n,
        contacts: 200 * n,
        nodes: 200 * n,
        posed: 0,
        levels: 4,
        margin_contacts: 0,
    };
    let mut block = Memory::new(Scene::layout(&sizes).unwrap());
    let mut scratch = Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap());
    let mut scene = Scene::init(block.write(), &sizes).unwrap();
    let mut group = criterion.benchmark_group("scenes");
    group.throughput(Throughput::Elements(u64::from(n) - 1)).bench_function(name, |bench| {
        bench.iter(|| scene.detect(&Serial, Isa::best(), &bodies, &settings, scratch.write()).unwrap().contacts);
    });
}

pub fn run(criterion: &mut Criterion) {
    let ball = Shape::Sphere { radius: 1.0, halo: HALO };
    step(criterion, "a ball on a plane", ball, 1, 2.0);
    step(criterion, "1,000 balls on a plane", ball, 10, 2.0);
    let rock = Rock::new(5);
    let surface = rock.surface();
    step(criterion, "64 rocks of 300 triangles on a plane", Shape::Mesh(&surface), 4, 2.0);
}
