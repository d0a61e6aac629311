//! Surrogate trees: they cover what they stand for, exactly, and are the same on every instruction set.

use dem_core::mesh::{Halo, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{Options, Preset, Split, Surrogate, TreeRef};
use dem_std::Triangles;
use dem_std::generate::{bumpy, elongated, icosphere};
use dem_tests::tree::{Report, check, mesh_block, tree_block, volume};
use dem_tests::{Triangle, data};

fn loose(t: &Triangles) -> Vec<Triangle> {
    (0..t.len()).map(|i| t.triangle(i)).collect()
}

fn presets() -> [Options; 3] {
    [Preset::Fast, Preset::Default, Preset::Best].map(Options::preset)
}

/// Builds a tree, and checks that it covers its mesh and wastes nothing.
fn sound(soup: &[Triangle], halo: f64, options: &Options) -> Report {
    let mesh = mesh_block(soup, Halo::Uniform(halo)).unwrap();
    let mesh = MeshRef::open(&mesh).unwrap();
    let tree = tree_block(&mesh, options, Isa::best()).unwrap();
    let tree = TreeRef::open(&tree).unwrap();
    tree.check().unwrap();
    let report = check(&mesh, &tree);
    assert!(report.partition(), "every triangle is a leaf once");
    let rounding = 1e-15 * (mesh.radius() + halo);
    assert!(report.fine_slack >= -rounding, "halo too small by {:e}", -report.fine_slack);
    assert!(report.waste < 2e-7, "halo too large by {:e}", report.waste);
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
