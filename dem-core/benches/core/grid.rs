//! The hierarchical grid: 20,000 spheres, alike and of sizes from one to twenty, one in eight of a cube.

use crate::rocks::{Memory, Random};
use criterion::{Criterion, Throughput};
use dem_core::array::Array;
use dem_core::broad::{
    Candidate, Dimensions, Direction, HGrid, HGridRef, HGridSizes, Proxies, Query, Space, hgrid_scratch,
};
use dem_core::exec::Serial;
use dem_core::simd::Isa;

const BODIES: usize = 20_000;

pub fn run(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("grid");
    group.throughput(Throughput::Elements(BODIES as u64));
    for (name, ratio) in [("alike", 1.0f64), ("of many sizes", 20.0)] {
        let mut random = Random(4);
        let centres: Vec<_> = (0..BODIES).map(|_| random.point()).collect();
        let radii: Vec<_> = (0..BODIES).map(|_| ratio.powf(0.5 * (random.signed() + 1.0))).collect();
        // The spheres have an eighth of the cube's volume.
        let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum();
        let half = volume.cbrt();
        let centres: Vec<_> = centres.iter().map(|c: &[f64; 3]| c.map(|x| half * x)).collect();
        let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
        let query = Query { bodies, space: Space::new(Dimensions::Three, [0.0; 3]), margin: 0.1 };
        let sizes = HGridSizes { bodies: BODIES as u32, levels: 8 };
        let mut block = Memory::new(HGrid::layout(&sizes).unwrap());
        let mut scratch = Memory::new(hgrid_scratch(sizes.bodies).unwrap());
        HGrid::init(block.write(), &sizes).unwrap();
        group.bench_function(format!("rebuilt, {name}"), |bench| {
            bench.iter(|| {
                HGrid::open(block.write()).unwrap().rebuild(&Serial, &query, &[], scratch.write()).unwrap();
            });
        });
        let mut found = vec![Candidate::default(); 40 * BODIES];
        group.bench_function(format!("pairs, {name}"), |bench| {
            let grid = HGridRef::peek(block.read()).unwrap();
            let (isa, direction) = (Isa::best(), Direction::BottomUp);
            bench.iter(|| grid.pairs(&Serial, isa, &query, direction, &mut found, scratch.write()).unwrap());
        });
    }
}
