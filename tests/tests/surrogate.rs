//! Surrogate trees: they cover what they stand for, exactly, and are the same on every instruction set.

use dem_core::array::Array;
use dem_core::error::Kind;
use dem_core::mesh::{Halo, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{
    self, Below, Cover, Fit, Functional, Options, Preset, Refit, Split, Surrogate, Tree, TreeRef, TreeSizes,
};
use dem_std::generate::plate;
use dem_std::generate::{bumpy, elongated, icosphere};
use dem_std::{Memory, Triangles};
use dem_tests::random::Random;
use dem_tests::tree::surrogates;
use dem_tests::tree::{Report, check, mesh_block, tree_block, volume};
use dem_tests::vector::{add, length, scale, sub};
use dem_tests::{Triangle, data};

fn loose(t: &Triangles) -> Vec<Triangle> {
    (0..t.len()).map(|i| t.triangle(i)).collect()
}

fn presets() -> [Options; 3] {
    [Preset::Fast, Preset::Default, Preset::Best].map(Options::preset)
}

/// Builds a tree, and checks that it covers its mesh and wastes nothing.
fn sound(soup: &[Triangle], halo: f64, options: &Options) -> Report {
    sound_with(soup, Halo::Uniform(halo), options)
}

fn sound_with(soup: &[Triangle], halo: Halo<'_>, options: &Options) -> Report {
    let mesh = mesh_block(soup, halo).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    let tree = tree_block(&mesh, options, Isa::best()).unwrap();
    checked(&mesh, &TreeRef::open(&tree).unwrap())
}

fn checked(mesh: &MeshRef<'_>, tree: &TreeRef<'_>) -> Report {
    tree.check().unwrap();
    let report = check(mesh, tree);
    assert!(report.partition(), "every triangle is a leaf once");
    // What the reference, and the addition of centre and corner in it, may be wrong by.
    let coordinate = (0..3).fold(0.0f64, |m, c| m.max(mesh.centre()[c].abs()));
    let rounding = 1e-15 * (mesh.radius() + mesh.largest_halo() + coordinate);
    assert!(report.fine_slack >= -rounding, "halo too small by {:e}", -report.fine_slack);
    if mesh.radius() > 1e-30 && tree.options().unwrap().cover == Cover::Fine {
        assert!(report.waste < 2e-7, "halo too large by {:e}", report.waste);
    }
    report
}

#[test]
fn halos_cover_the_fine_triangles_and_are_minimal() {
    let bodies: [(&str, Vec<Triangle>); 6] = [
        ("icosphere", loose(&icosphere(3).unwrap())),
        ("bumpy", loose(&bumpy(icosphere(3).unwrap(), 1.3, 1).unwrap())),
        ("bunny", data::mesh("scenes/bunny.stl")),
        ("teapot", data::mesh("scenes/teapot.stl")),
        ("broken", data::mesh("scenes/broken.stl")),
        ("rock", data::mesh("scenes/rock_a_1280.stl")),
    ];
    for (name, soup) in bodies {
        for options in presets() {
            for halo in [0.0, 0.01] {
                println!("{name} {:?} halo {halo}", options.preset);
                sound(&soup, halo, &options);
            }
        }
    }
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
fn halos_fall_by_four_a_level() {
    // Halo ~ size^2 times curvature: the size of a part halves from level to level.
    let soup = loose(&bumpy(icosphere(4).unwrap(), 1.2, 3).unwrap());
    let report = sound(&soup, 0.0, &Options { split: Split::Median, ..Options::default() });
    for pair in report.halos[2..5].windows(2) {
        assert!((3.0..6.0).contains(&(pair[0] / pair[1])), "{:?}", report.halos);
    }
}

#[test]
fn roots_of_the_best_preset_have_the_smallest_known_volume() {
    for row in data::json("surrogate/best_volume.json").as_array().unwrap() {
        let (eta, triangles) = (row["eta"].as_f64().unwrap(), row["nT"].as_u64().unwrap());
        let level = (1..4).find(|&level| 20 * 4u64.pow(level) == triangles).unwrap();
        let soup = loose(&elongated(level, eta).unwrap());
        let mesh = mesh_block(&soup, Halo::Uniform(0.0)).unwrap();
        let mesh = MeshRef::open(&mesh).unwrap();
        let ball = volume(&[[0.0; 3]; 3], 0.5 * eta);
        let ratio = |options: &Options| {
            let tree = tree_block(&mesh, options, Isa::best()).unwrap();
            let (triangle, halo) = TreeRef::open(&tree).unwrap().surrogate(Surrogate::Root);
            volume(&triangle, halo) / ball
        };
        let best = ratio(&Options::preset(Preset::Best));
        let known = row["best"]["vol_ratio"].as_f64().unwrap();
        let published = row["paper"]["vol_ratio_bracket"][0].as_f64().unwrap();
        assert!(best <= 1.02 * known, "eta {eta}, {triangles} triangles: {best} is above {known}");
        assert!(best <= published, "eta {eta}, {triangles} triangles");
    }
}

#[test]
fn every_choice_gives_a_tree_that_covers() {
    let soup = loose(&bumpy(icosphere(2).unwrap(), 1.3, 5).unwrap());
    let base = Options::default();
    let functional = Functional { size_exponent: 7, area: 1e-5, inside: 1e-3, normal_exponent: 3 };
    let choices = [
        Options { split: Split::Median, ..base },
        Options { split: Split::KMeans, ..base },
        Options::published(),
        Options { functional, ..Options::published() },
        Options { fit: Fit::Functional, ..base },
        Options { cover: Cover::Monotone, ..base },
        Options { cover: Cover::Monotone, fan_out: 2, leaf: 1, ..base },
        Options { fan_out: 8, leaf: 8, ..base },
        Options { fan_out: 3, leaf: 5, subtree: 20, ..base },
        Options { fan_out: 64, leaf: 64, ..base },
        Options { subtree: 0, ..base },
        Options { subtree: 16, cover: Cover::Monotone, ..base },
        Options { exponent: 0, ..base },
        Options { exponent: 8, ..base },
    ];
    for options in choices {
        println!("{options:?}");
        let report = sound(&soup, 0.02, &options);
        assert_eq!(options.cover == Cover::Monotone, report.monotone_slack >= -1e-12, "{}", report.monotone_slack);
    }
}

#[test]
fn meshes_of_every_sort_have_trees() {
    let mut random = Random::new(3);
    let mut any = |n: usize| -> Vec<Triangle> { (0..n).map(|_| [0; 3].map(|_| random.in_cube(1.0))).collect() };
    let rock = loose(&bumpy(icosphere(2).unwrap(), 1.2, 2).unwrap());
    let moved = |t: &[Triangle], d: f64| t.iter().map(|t| t.map(|v| add(v, [d, -d, 0.5 * d]))).collect::<Vec<_>>();
    let sized = |t: &[Triangle], s: f64| t.iter().map(|t| t.map(|v| scale(s, v))).collect::<Vec<_>>();
    let needles = any(50).into_iter().map(|t| [t[0], t[1], add(t[1], scale(1e-6, t[2]))]).collect();
    let long = any(50).into_iter().map(|t| [scale(1e6, t[0]), add(scale(1e6, t[0]), t[1]), t[2]]).collect();
    let points = any(40).into_iter().map(|t| [t[0]; 3]).collect();
    let segments = any(40).into_iter().map(|t| [t[0], t[1], t[1]]).collect();
    let line = (0..100).map(|i| [0, 1, 2].map(|k| [(i + k) as f64, 2.0 * (i + k) as f64, 0.0])).collect();
    let same = vec![any(1)[0]; 100];
    let one_point = vec![[[0.1, 0.2, 0.3]; 3]; 30];
    let sorts: Vec<(&str, Vec<Triangle>)> = vec![
        ("1", any(1)),
        ("2", any(2)),
        ("3", any(3)),
        ("4", any(4)),
        ("5", any(5)),
        ("17", any(17)),
        ("soup", any(300)),
        ("identical", same),
        ("one point", one_point),
        ("points", points),
        ("segments", segments),
        ("line", line),
        ("needles", needles),
        ("long needles", long),
        ("coplanar", loose(&plate([20, 30], [2.0, 3.0]).unwrap())),
        ("far away", moved(&rock, 1e6)),
        ("very far away", moved(&rock, 1e12)),
        ("tiny", sized(&rock, 1e-25)),
        ("vanishing", sized(&rock, 1e-250)),
        ("huge", sized(&rock, 1e17)),
    ];
    for (name, soup) in sorts {
        for options in presets().into_iter().chain([Options::published()]) {
            println!("{name} {:?} {:?}", options.preset, options.fit);
            sound(&soup, 0.0, &options);
            sound(&soup, 0.3, &options);
        }
    }
    let mesh = mesh_block(&sized(&rock, 1e20), Halo::Uniform(0.0)).unwrap();
    let error = tree_block(&MeshRef::open(&mesh).unwrap(), &Options::default(), Isa::best()).err().unwrap();
    assert_eq!(error.kind, Kind::OutOfRange);
}

#[test]
fn a_mesh_far_from_the_origin_gets_the_same_halos() {
    let near = loose(&bumpy(icosphere(3).unwrap(), 1.2, 2).unwrap());
    // Multiples of 2^-30, so that moving by 2^20 is exact.
    let grid = |x: f64| (x * (1u64 << 30) as f64).round() / (1u64 << 30) as f64;
    let near: Vec<Triangle> = near.iter().map(|t| t.map(|v| v.map(grid))).collect();
    let far: Vec<Triangle> = near.iter().map(|t| t.map(|v| v.map(|x| x + 1_048_576.0))).collect();
    let options = Options { subtree: 100, ..Options::default() };
    assert_eq!(sound(&near, 0.01, &options).halos, sound(&far, 0.01, &options).halos);
}

#[test]
fn triangles_may_have_halos_of_their_own() {
    let soup = loose(&bumpy(icosphere(2).unwrap(), 1.2, 9).unwrap());
    let mut random = Random::new(1);
    let halos: Vec<f64> = soup.iter().map(|_| random.unit() * random.unit() * 0.2).collect();
    for options in presets().into_iter().chain([Options { cover: Cover::Monotone, ..Options::default() }]) {
        sound_with(&soup, Halo::Each(Array::from_numbers(&halos)), &options);
    }
}

#[test]
fn a_million_triangles() {
    let soup = loose(&plate([1000, 500], [1000.0, 500.0]).unwrap());
    let mut random = Random::new(4);
    let noise: Vec<f64> = (0..1009).map(|_| random.unit()).collect();
    let height = |v: [f64; 3]| noise[((v[0] * 17.0 + v[1] * 91.0) as i64).rem_euclid(1009) as usize];
    let soup: Vec<Triangle> = soup.iter().map(|t| t.map(|v| [v[0], v[1], height(v)])).collect();
    assert_eq!(soup.len(), 1_000_000);
    let report = sound(&soup, 0.0, &Options::preset(Preset::Fast));
    assert_eq!(report.halos.len(), 10);
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
        means.push(checked(&after, &TreeRef::open(&tree).unwrap()).halos[4]);
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
            let n = [10, 11, 12].map(|row| f64::from(cluster.rows[row][lane]));
            if n == [0.0; 3] {
                flat += 1;
                continue;
            }
            faces += 1;
            assert!((length(n) - 1.0).abs() < 2e-7);
            for v in cluster.triangle(lane) {
                let height = (0..3).map(|c| n[c] * f64::from(v[c])).sum::<f64>() - f64::from(cluster.rows[13][lane]);
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

#[test]
fn the_published_functional_gives_the_published_roots_of_round_bodies() {
    // P0 Table 6.1: d is the longest edge, eps the halo; diameter 1.
    for (level, triangles, d, eps) in [(1, 80, 0.09, 0.49), (2, 320, 0.09, 0.50), (3, 1280, 0.08, 0.52)] {
        let soup = loose(&elongated(level, 1.0).unwrap());
        let mesh = mesh_block(&soup, Halo::Uniform(0.0)).unwrap();
        let options = Options { fit: Fit::Functional, ..Options::default() };
        let block = tree_block(&MeshRef::open(&mesh).unwrap(), &options, Isa::best()).unwrap();
        let (t, halo) = TreeRef::open(&block).unwrap().surrogate(Surrogate::Root);
        let longest = (0..3).map(|k| length(sub(t[(k + 1) % 3], t[k]))).fold(0.0, f64::max);
        assert!((longest - d).abs() < 0.03, "{triangles}: longest edge {longest}, published {d}");
        assert!((halo - eps).abs() < 0.025, "{triangles}: halo {halo}, published {eps}");
    }
}
