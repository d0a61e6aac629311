//! Surrogate trees as blocks: the same bytes everywhere, exact sizes, what is in them, damage, vertices that have moved.

use dem_core::error::Kind;
use dem_core::mesh::{Halo, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Below, Cluster, Cover, Functional, Options, Preset, Refit, Tree, TreeRef, TreeSizes};
use dem_std::Memory;
use dem_std::generate::{bumpy, icosphere};
use dem_tests::random::Random;
use dem_tests::tree::{loose, mesh_block, sound, surrogates, tree_block};
use dem_tests::vector::{length, sub};
use dem_tests::{Triangle, data};

fn presets() -> [Options; 3] {
    [Preset::Fast, Preset::Default, Preset::Best].map(Options::preset)
}

#[test]
fn trees_are_the_same_for_every_instruction_set() {
    let mesh = mesh_block(&data::mesh("scenes/bunny.stl"), Halo::Uniform(0.0)).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    for options in presets() {
        let blocks: Vec<_> = Isa::list().iter().map(|&isa| tree_block(&mesh, &options, isa).unwrap()).collect();
        for (block, isa) in blocks.iter().zip(Isa::list()) {
            assert!(block[..] == blocks[0][..], "{} differs from scalar, {:?}", isa.name(), options.preset);
        }
    }
}

#[test]
fn exact_sizes_fit_and_one_byte_less_is_refused() {
    let mesh = mesh_block(&data::mesh("scenes/teapot.stl"), Halo::Uniform(0.0)).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    let options = Options::default();
    let layout = Tree::layout(&TreeSizes::new(mesh.sizes.triangles, &options).unwrap()).unwrap();
    let needs = surrogate::build_scratch(&mesh.sizes, &options).unwrap();
    for (less, more) in [(64, 0), (1, 0), (0, 1), (0, 64), (0, 0)] {
        let mut block = Memory::new(layout).unwrap();
        let mut scratch = Memory::new(needs).unwrap();
        let (block_size, scratch_size) = (layout.size - less, needs.size - more);
        let (block, scratch) = (&mut block[..block_size], &mut scratch[..scratch_size]);
        let result = Tree::from_mesh(block, &mesh, &options, scratch, Isa::best()).map(|_| ());
        match less + more {
            0 => result.unwrap(),
            _ => assert_eq!(result.unwrap_err().kind, Kind::Capacity),
        }
        if less > 0 {
            assert!(block.iter().all(|&byte| byte == 0), "nothing is written");
        }
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let good = Options::default();
    let bad = [
        Options { fan_out: 1, ..good },
        Options { fan_out: 65, ..good },
        Options { leaf: 0, ..good },
        Options { exponent: 9, ..good },
        Options { functional: Functional { area: f64::NAN, ..good.functional }, ..good },
        Options { functional: Functional { size_exponent: 1, ..good.functional }, ..good },
    ];
    for options in bad {
        assert_eq!(TreeSizes::new(100, &options).unwrap_err().kind, Kind::OutOfRange, "{options:?}");
    }
}

#[test]
fn refitting_an_unmoved_mesh_changes_no_byte() {
    let mesh = mesh_block(&data::mesh("scenes/bunny.stl"), Halo::Uniform(0.01)).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    for options in presets().into_iter().chain([Options { cover: Cover::Monotone, ..Options::default() }]) {
        let built = tree_block(&mesh, &options, Isa::best()).unwrap();
        assert_eq!(TreeRef::open(&built).unwrap().options().unwrap(), options);
        let mut scratch = Memory::new(surrogate::build_scratch(&mesh.sizes, &options).unwrap()).unwrap();
        let mut again = built.clone();
        surrogate::refit(&mut again, &mesh, Refit::Halos, &mut scratch, Isa::best()).unwrap();
        assert!(again[..] == built[..], "{options:?}");
    }
}

#[test]
fn refitted_trees_cover_moved_vertices() {
    let sphere = bumpy(icosphere(3).unwrap(), 1.1, 1).unwrap();
    let before = mesh_block(&loose(&sphere), Halo::Uniform(0.0)).unwrap();
    let before = MeshRef::open(&before).unwrap();
    let bent = |v: [f64; 3]| [v[0] + 0.1 * v[1] * v[1], 1.1 * v[1], v[2] + 0.05 * v[0]];
    let after: Vec<Triangle> = loose(&sphere).iter().map(|t| t.map(bent)).collect();
    let after = mesh_block(&after, Halo::Uniform(0.01)).unwrap();
    let after = MeshRef::open(&after).unwrap();
    let options = Options::default();
    let built = tree_block(&before, &options, Isa::best()).unwrap();
    let mut scratch = Memory::new(surrogate::build_scratch(&before.sizes, &options).unwrap()).unwrap();
    let mut means = vec![];
    for what in [Refit::Halos, Refit::Surrogates] {
        let mut tree = built.clone();
        surrogate::refit(&mut tree, &after, what, &mut scratch, Isa::best()).unwrap();
        means.push(sound(&after, &TreeRef::open(&tree).unwrap()).halos[4]);
    }
    assert!(means[1] < 0.5 * means[0], "{means:?}");
    let other = mesh_block(&data::mesh("scenes/teapot.stl"), Halo::Uniform(0.0)).unwrap();
    let wrong =
        surrogate::refit(&mut built.clone(), &MeshRef::open(&other).unwrap(), Refit::Halos, &mut scratch, Isa::best());
    assert_eq!(wrong.unwrap_err().kind, Kind::Mismatch);
}

#[test]
fn origins_reach_all_their_nodes() {
    let mesh = mesh_block(&data::mesh("scenes/bunny.stl"), Halo::Uniform(0.5)).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    for cover in [Cover::Fine, Cover::Monotone] {
        let block = tree_block(&mesh, &Options { cover, ..Options::default() }, Isa::best()).unwrap();
        let tree = TreeRef::open(&block).unwrap();
        assert!(tree.origins.len() > 4);
        let mut used = vec![0.0f64; tree.origins.len()];
        for cluster in tree.clusters {
            for lane in 0..cluster.count() {
                let corners = cluster.triangle(lane).map(|v| length(v.map(f64::from)));
                let reach = corners.into_iter().fold(0.0, f64::max) + f64::from(cluster.halo(lane));
                used[cluster.origin()] = used[cluster.origin()].max(reach);
            }
        }
        for (origin, used) in tree.origins.iter().zip(used) {
            assert!(origin.reach >= used && origin.reach <= used * (1.0 + 1e-12));
        }
        let root = tree.root().unwrap();
        for i in 0..mesh.len() {
            assert!(mesh.triangle(i).iter().all(|&v| length(sub(v, root.centre)) + 0.5 <= root.radius));
        }
    }
}

#[test]
fn normals_are_of_the_stored_triangles() {
    let mesh = mesh_block(&data::mesh("scenes/broken.stl"), Halo::Uniform(0.0)).unwrap();
    let block = tree_block(&MeshRef::open(&mesh).unwrap(), &Options::default(), Isa::best()).unwrap();
    let tree = TreeRef::open(&block).unwrap();
    let (mut flat, mut faces) = (0, 0);
    for cluster in tree.clusters {
        let reach = tree.origins[cluster.origin()].reach;
        for lane in 0..cluster.count() {
            let n = [0, 1, 2].map(|c| f64::from(cluster.rows[Cluster::row(3, c)][lane]));
            if n == [0.0; 3] {
                flat += 1;
                continue;
            }
            faces += 1;
            assert!((length(n) - 1.0).abs() < 2e-7);
            for v in cluster.triangle(lane) {
                let height = (0..3).map(|c| n[c] * f64::from(v[c])).sum::<f64>()
                    - f64::from(cluster.rows[Cluster::OFFSET][lane]);
                assert!(height.abs() <= 2.0 * 6e-8 * reach, "{height:e}");
            }
        }
    }
    assert!(flat >= 10 && faces > 3000, "{flat} {faces}");
}

#[test]
fn damaged_trees_are_found_or_can_be_walked() {
    let mesh = mesh_block(&data::mesh("scenes/teapot.stl"), Halo::Uniform(0.0)).unwrap();
    let block = tree_block(&MeshRef::open(&mesh).unwrap(), &Options::default(), Isa::best()).unwrap();
    let mut random = Random::new(8);
    let (mut found, mut walked) = (0, 0);
    for _ in 0..3000 {
        let mut damaged = block.clone();
        for _ in 0..1 + random.below(3) {
            let at = 192 + random.below(damaged.len() - 192);
            damaged[at] ^= 1 << random.below(8);
        }
        let Ok(tree) = TreeRef::peek(&damaged) else { continue };
        if tree.check().is_err() {
            found += 1;
            continue;
        }
        walked += 1;
        let all = surrogates(&tree);
        assert!(all.len() <= 1 + 4 * tree.clusters.len());
        let triangles = all.iter().flat_map(|&(which, _)| tree.below(which));
        assert!(triangles.into_iter().all(|below| match below {
            Below::Triangle(id) => id < tree.sizes.triangles,
            Below::Surrogate(_) => true,
        }));
    }
    assert!(found > 100 && walked > 100, "{found} {walked}");
}
