//! What is built once for a shape: mesh, tree and cells; a tree that follows its vertices.

use crate::rocks::{Memory, bumpy, input};
use criterion::{Criterion, Throughput};
use dem_core::contact::{self, CellOptions, Cells};
use dem_core::mesh::{self, Mesh};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Options, Preset, Refit, Tree, TreeSizes};

/// Squares along an edge of the body: 4,800 triangles.
const GRID: i32 = 20;

pub fn run(criterion: &mut Criterion) {
    let vertices = bumpy(GRID);
    let input = input(&vertices);
    let sizes = input.sizes().unwrap();
    let mut group = criterion.benchmark_group("trees");
    group.throughput(Throughput::Elements(u64::from(sizes.triangles)));

    let mut block = Memory::new(Mesh::layout(&sizes).unwrap());
    let mut scratch = Memory::new(mesh::build_scratch(&sizes).unwrap());
    group.bench_function("mesh", |bench| {
        bench.iter(|| Mesh::from_arrays(block.write(), &input, scratch.write()).map(|mesh| mesh.len()).unwrap());
    });
    let mesh = Mesh::from_arrays(block.write(), &input, scratch.write()).unwrap();

    for (name, options) in [("tree", Options::default()), ("tree, fast preset", Options::preset(Preset::Fast))] {
        let layout = Tree::layout(&TreeSizes::new(sizes.triangles, &options).unwrap()).unwrap();
        let mut tree = Memory::new(layout);
        let mut scratch = Memory::new(surrogate::build_scratch(&sizes, &options).unwrap());
        group.bench_function(name, |bench| {
            bench.iter(|| {
                Tree::from_mesh(tree.write(), &mesh, &options, scratch.write(), Isa::best()).map(|_| ()).unwrap()
            });
        });
        if name == "tree" {
            group.bench_function("tree, refitted", |bench| {
                bench.iter(|| {
                    surrogate::refit(tree.write(), &mesh, Refit::Halos, scratch.write(), Isa::best()).unwrap();
                });
            });
        }
    }

    let options = CellOptions::default();
    let mut scratch = Memory::new(contact::build_scratch(&sizes).unwrap());
    let sizes = contact::cell_sizes(&mesh, &options, scratch.write()).unwrap();
    let mut cells = Memory::new(Cells::layout(&sizes).unwrap());
    group.bench_function("cells", |bench| {
        bench.iter(|| {
            Cells::from_mesh(cells.write(), &sizes, &mesh, &options, scratch.write()).map(|_| ()).unwrap();
        });
    });
}
