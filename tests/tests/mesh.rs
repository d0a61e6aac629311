//! Inspection and mass properties of the scenes' meshes and of the reference values.

use dem_core::array::{Array, Indices, Scalar};
use dem_core::mesh::{
    Defect, Finding, Halo, InspectOptions, MassProperties, Mesh, MeshInput, MeshRef, NOT_TESTED, Report, build_scratch,
    inspect, inspect_scratch, mass_properties, mass_scratch, works,
};
use dem_std::Memory;
use dem_tests::data;

/// A block with the loose triangles of a scene.
fn scene(name: &str) -> Memory {
    let corners: Vec<[f32; 3]> = data::stl(&format!("scenes/{name}")).into_iter().flatten().collect();
    built(&MeshInput {
        vertices: Array::from_f32(&corners),
        triangles: None,
        scalar: Scalar::F32,
        halo: Halo::Uniform(0.0),
    })
}

fn built(input: &MeshInput<'_>) -> Memory {
    let sizes = input.sizes().unwrap();
    let mut block = Memory::new(Mesh::layout(&sizes).unwrap()).unwrap();
    let mut scratch = Memory::new(build_scratch(&sizes).unwrap()).unwrap();
    Mesh::from_arrays(&mut block, input, &mut scratch).unwrap();
    block
}

fn mass(block: &Memory, density: f64) -> MassProperties {
    let mesh = MeshRef::open(block).unwrap();
    let mut scratch = Memory::new(mass_scratch(&mesh.sizes).unwrap()).unwrap();
    mass_properties(mesh, density, &mut scratch).unwrap()
}

fn inspected(block: &Memory) -> (Report, Vec<Vec<Finding>>) {
    let mesh = MeshRef::open(block).unwrap();
    let mut scratch = Memory::new(inspect_scratch(&mesh.sizes).unwrap()).unwrap();
    let found = inspect(mesh, &InspectOptions::default(), &mut scratch).unwrap();
    (found.report, Defect::ALL.map(|d| found.findings(d).collect()).to_vec())
}

#[test]
fn the_bunny_is_one_closed_surface() {
    let (report, found) = inspected(&scene("bunny.stl"));
    let expected = Report {
        triangles: 3674,
        vertices: 3 * 3674,
        positions: 1839,
        edges: 5511,
        components: 1,
        closed_components: 1,
        self_intersections: NOT_TESTED,
        works: works::DISTANCES | works::INSIDE | works::MASS,
        ..Report::default()
    };
    assert_eq!(report, expected);
    assert!(found.iter().all(Vec::is_empty));
}

#[test]
fn every_defect_of_the_broken_mesh_is_found_where_it_was_made() {
    let (report, found) = inspected(&scene("broken.stl"));
    let items = |defect: Defect| -> Vec<u32> {
        let mut items: Vec<u32> =
            found[Defect::ALL.iter().position(|d| *d == defect).unwrap()].iter().map(|f| f.item).collect();
        items.dedup();
        items
    };
    let made = |from: u32, count: u32| (from..from + count).collect::<Vec<_>>();
    assert_eq!(items(Defect::Duplicate), made(3674, 10));
    assert_eq!(items(Defect::ReversedCopy), made(3684, 10));
    assert_eq!(items(Defect::TwoEqual), made(3694, 8));
    assert_eq!(items(Defect::Point), made(3702, 4));
    // Made on a line, but f32 has put them beside it.
    assert_eq!(items(Defect::NearlyCollinear), made(3706, 6));
    assert_eq!(items(Defect::Needle), made(3718, 6));
    assert!(items(Defect::Collinear).is_empty());
    let crowded = items(Defect::NonManifoldEdge);
    assert!((3712..3718).all(|third| crowded.contains(&third)), "{crowded:?}");
    // What was turned is what differs from the bunny.
    let (bunny, broken) = (data::stl("scenes/bunny.stl"), data::stl("scenes/broken.stl"));
    let turned: Vec<u32> = (0..3674).filter(|i| bunny[*i as usize] != broken[*i as usize]).collect();
    assert_eq!(turned.len(), 12);
    let reversed: Vec<u32> = items(Defect::ReversedTriangle).into_iter().filter(|i| *i < 3674).collect();
    assert_eq!(reversed, turned);
    assert_eq!(report.works, works::DISTANCES);
    assert_eq!(report.unused_vertices, 0);
}

#[test]
fn the_broken_mesh_weighs_what_the_bunny_weighs_within_the_error_it_gives() {
    let (whole, broken) = (mass(&scene("bunny.stl"), 1.0), mass(&scene("broken.stl"), 1.0));
    assert_eq!((whole.holes, whole.volume_error, whole.state), (0, 0.0, 0));
    let error = (broken.volume - whole.volume).abs();
    assert!(error <= broken.volume_error && broken.volume_error < 0.01 * whole.volume);
    for k in 0..3 {
        assert!((broken.centre[k] - whole.centre[k]).abs() <= broken.centre_error);
        assert!((broken.inertia[k][k] - whole.inertia[k][k]).abs() <= broken.inertia_error);
    }
}

#[test]
fn the_teapot_is_open_and_says_how_much_that_matters() {
    let block = scene("teapot.stl");
    let (report, _) = inspected(&block);
    assert!(report.open_edges > 0 && report.open_loops > 0 && report.components > 1);
    assert_eq!(report.works, works::DISTANCES);
    let mass = mass(&block, 1.0);
    assert!(mass.volume_error > 0.0 && mass.holes > 0);
}

#[test]
fn rocks_are_closed_and_their_copies_in_the_world_weigh_the_same() {
    for name in ["rock_a_1280.stl", "rock_b_1280_touch.stl", "rock_b_1280_near5.stl", "rock_a_20480.stl"] {
        let (report, _) = inspected(&scene(name));
        assert_eq!((report.components, report.closed_components, report.unbalanced_edges), (1, 1, 0), "{name}");
    }
    let [a, b] = ["touch", "near5"].map(|case| mass(&scene(&format!("rock_b_1280_{case}.stl")), 1.0));
    // The same rock at two places, rounded to f32 in each.
    assert!((a.volume - b.volume).abs() < 1e-6 * a.volume);
    assert!((0..3).all(|k| (a.moments[k] - b.moments[k]).abs() < 1e-5 * a.moments[k]));
}

#[test]
fn mass_properties_are_those_of_the_reference() {
    let reference = &data::json("physics/physics.json")["mass_properties"];
    for name in ["unit_corner_tetrahedron", "unit_cube"] {
        let case = &reference[name];
        let number = |v: &serde_json::Value| v.as_f64().unwrap();
        let triple = |v: &serde_json::Value| [0, 1, 2].map(|k| number(&v[k]));
        let vertices: Vec<_> = case["vertices"].as_array().unwrap().iter().map(triple).collect();
        let faces: Vec<_> = case["faces"].as_array().unwrap().iter().map(|f| triple(f).map(|v| v as u32)).collect();
        let block = built(&MeshInput {
            vertices: Array::from_f64(&vertices),
            triangles: Some(Indices::from_slice(&faces)),
            scalar: Scalar::F64,
            halo: Halo::Uniform(0.0),
        });
        let mass = mass(&block, 1.0);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{name}: {a} is not {b}");
        near(mass.volume, number(&case["volume"]));
        let (centre, inertia) = (triple(&case["com"]), &case["inertia_about_com_density1"]);
        for i in 0..3 {
            near(mass.centre[i], centre[i]);
            (0..3).for_each(|j| near(mass.inertia[i][j], number(&inertia[i][j])));
        }
    }
}
