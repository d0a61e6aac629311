//! Surrogate trees cover their meshes: all ways to build them, meshes of every kind, the best roots.

use dem_core::array::Array;
use dem_core::error::Kind;
use dem_core::mesh::{Halo, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{Cover, Fit, Functional, Options, Preset, Split, Surrogate, TreeRef};
use dem_std::generate::{bumpy, elongated, icosphere, plate};
use dem_tests::random::Random;
use dem_tests::tree::{Report, loose, mesh_block, sound, tree_block, volume};
use dem_tests::vector::{add, length, rotate, scale, sub};
use dem_tests::{Triangle, data};

fn presets() -> [Options; 3] {
    [Preset::Fast, Preset::Default, Preset::Best].map(Options::preset)
}

/// Builds a tree, and checks that it covers its mesh and wastes nothing.
fn build(soup: &[Triangle], halo: f64, options: &Options) -> Report {
    build_with(soup, Halo::Uniform(halo), options)
}

fn build_with(soup: &[Triangle], halo: Halo<'_>, options: &Options) -> Report {
    let mesh = mesh_block(soup, halo).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    let tree = tree_block(&mesh, options, Isa::best()).unwrap();
    sound(&mesh, &TreeRef::open(&tree).unwrap())
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
                build(&soup, halo, &options);
            }
        }
    }
}

#[test]
fn halos_fall_by_four_a_level() {
    // Halo ~ size^2 times curvature: the size of a part halves from level to level.
    let soup = loose(&bumpy(icosphere(4).unwrap(), 1.2, 3).unwrap());
    let report = build(&soup, 0.0, &Options { split: Split::Median, ..Options::default() });
    for pair in report.halos[2..5].windows(2) {
        assert!((3.0..6.0).contains(&(pair[0] / pair[1])), "{:?}", report.halos);
    }
}

#[test]
fn roots_of_the_best_preset_have_the_smallest_known_volume() {
    let mut random = Random::new(11);
    for row in data::json("surrogate/best_volume.json").as_array().unwrap() {
        let (eta, triangles) = (row["eta"].as_f64().unwrap(), row["nT"].as_u64().unwrap());
        let level = (1..4).find(|&level| 20 * 4u64.pow(level) == triangles).unwrap();
        let known = row["best"]["vol_ratio"].as_f64().unwrap();
        let published = row["paper"]["vol_ratio_bracket"][0].as_f64().unwrap();
        let straight = loose(&elongated(level, eta).unwrap());
        let turn = random.rotation();
        let turned = straight.iter().map(|t| t.map(|v| add(scale(7.0, rotate(turn, v)), [30.0, 20.0, -100.0])));
        for (soup, size) in [(straight.clone(), 1.0), (turned.collect(), 7.0)] {
            let mesh = mesh_block(&soup, Halo::Uniform(0.0)).unwrap();
            let mesh = MeshRef::open(&mesh).unwrap();
            let tree = tree_block(&mesh, &Options::preset(Preset::Best), Isa::best()).unwrap();
            let (triangle, halo) = TreeRef::open(&tree).unwrap().surrogate(Surrogate::Root);
            let best = volume(&triangle, halo) / volume(&[[0.0; 3]; 3], 0.5 * eta * size);
            assert!(best <= 1.02 * known, "eta {eta}, {triangles} triangles: {best} is above {known}");
            assert!(best <= published, "eta {eta}, {triangles} triangles");
        }
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
        let report = build(&soup, 0.02, &options);
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
            build(&soup, 0.0, &options);
            build(&soup, 0.3, &options);
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
    assert_eq!(build(&near, 0.01, &options).halos, build(&far, 0.01, &options).halos);
}

#[test]
fn triangles_may_have_halos_of_their_own() {
    let soup = loose(&bumpy(icosphere(2).unwrap(), 1.2, 9).unwrap());
    let mut random = Random::new(1);
    let halos: Vec<f64> = soup.iter().map(|_| random.unit() * random.unit() * 0.2).collect();
    for options in presets().into_iter().chain([Options { cover: Cover::Monotone, ..Options::default() }]) {
        build_with(&soup, Halo::Each(Array::from_numbers(&halos)), &options);
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
    let report = build(&soup, 0.0, &Options::preset(Preset::Fast));
    assert_eq!(report.halos.len(), 10);
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
