//! The `dem` program, from outside: what it prints, and its exit status.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod called;

use called::{done, refused};
use dem_std::dem_core::error::What;
use dem_std::dem_core::pose::Pose;
use std::path::{Path, PathBuf};

fn scratch(name: &str) -> String {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name).to_str().unwrap().to_owned()
}

fn scene(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/scenes").join(name).to_str().unwrap().to_owned()
}

/// The number behind `"name": ` in a JSON text.
#[track_caller]
fn field(json: &str, name: &str) -> f64 {
    let (_, rest) = json.split_once(&format!("\"{name}\": ")).unwrap_or_else(|| panic!("no {name} in {json}"));
    rest.split([',', '}']).next().unwrap().parse().unwrap()
}

#[test]
fn help_tells_what_there_is() {
    assert!(done(&["--version"]).starts_with("dem 0."));
    for command in ["inspect", "contacts", "generate"] {
        assert!(done(&["--help"]).contains(command));
        let help = done(&[command, "--help"]);
        assert_eq!(help, done(&["help", command]));
        assert!(help.contains("Usage:") && help.contains("Example"), "{help}");
        assert!(help.lines().all(|l| l.chars().count() <= 120));
    }
}

#[test]
fn wrong_arguments_are_status_2_with_one_sentence() {
    refused(&[], 2, "a command is missing");
    refused(&["contract"], 2, "\"contract\" is no command");
    refused(&["--verbose"], 2, "--verbose");
    refused(&["contacts", "a.stl"], 2, "two mesh files are needed");
    refused(&["contacts", "a.stl", "b.stl"], 2, "--halo H is missing");
    refused(&["contacts", "a.stl", "b.stl", "c.stl", "--halo", "0"], 2, "c.stl");
    refused(&["contacts", "a.stl", "b.stl", "--halo", "-0.1"], 2, "--halo: -0.1 is negative");
    refused(&["contacts", "a.stl", "b.stl", "--halo", "1e308", "--margin", "1e308"], 2, "too large for a number");
    refused(&["contacts", "a.stl", "b.stl", "--halo", "nan"], 2, "--halo: `nan`");
    refused(&["contacts", "a.stl", "b.stl", "--halo", "1", "--pose-b", "1,2"], 2, "x,y,z,qx,qy,qz,qw");
    refused(&["contacts", "a.stl", "b.stl", "--halo", "1", "--pose-b", "1,2,3,0,0,0,0"], 2, "quaternion is zero");
    refused(&["generate"], 2, "a shape is missing");
    refused(&["generate", "cube", "-o", "x.stl"], 2, "`cube` is no shape");
    refused(&["generate", "box"], 2, "-o FILE is missing");
    refused(&["generate", "box", "--edges", "1,2", "-o", "x.stl"], 2, "box takes 3 numbers");
    refused(&["generate", "plate", "--cells", "1.5,2", "-o", "x.stl"], 2, "--cells");
    for (level, count) in [("11", "83886080"), ("12", "335544320"), ("14", "5368709120"), ("4000000000", "")] {
        let told =
            format!("{count} triangles are more than the 33554432 that this program makes; level = 10 is the most");
        let told = if count.is_empty() { "level = 10 is the most" } else { told.as_str() };
        refused(&["generate", "bumpy", "--level", level, "-o", "x.stl"], 2, told);
    }
    refused(&["generate", "plate", "--cells", "5000,5000", "-o", "x.stl"], 2, "50000000 triangles are more");
    refused(&["generate", "hull", "--points", "4000000000", "-o", "x.stl"], 2, "take fewer points");
    refused(&["generate", "bolt", "--turns", "4000000000", "-o", "x.stl"], 2, "take fewer turns");
    refused(&["generate", "cylinder", "--radius", "0", "-o", "x.stl"], 2, "larger than 0");
    refused(&["generate", "cylinder", "--meridians", "2", "-o", "x.stl"], 2, "3 to 2^20 meridians");
    refused(&["generate", "cylinder", "--sagitta", "1e-15", "-o", "x.stl"], 2, "the sagitta asks for more than 2^20");
    refused(&["generate", "bumpy", "--eta", "0.5", "-o", "x.stl"], 2, "outside its range");
}

#[test]
fn contacts_say_what_they_lack_of_a_bad_mesh() {
    let path = scene("broken.stl");
    let text = done(&["contacts", &path, &path, "--halo", "0.01"]);
    assert_eq!(text.matches("note: contacts of ").count(), 2, "{text}");
    assert!(text.contains("12 triangles look the other way"), "{text}");
    let good = scene("rock_a_1280.stl");
    assert!(!done(&["contacts", &good, &good, "--halo", "0.01"]).contains("note:"));
}

#[test]
fn a_body_inside_of_a_solid_is_in_contact() {
    let [small, large] = ["small", "large"].map(|name| scratch(&format!("solid_{name}.stl")));
    for (path, radius) in [(&small, "0.1"), (&large, "1")] {
        done(&["generate", "icosphere", "--level", "2", "--scale", radius, "-o", path]);
    }
    let inside = ["contacts", &small, &large, "--halo", "0.01", "--pose-a", "0.3,0.1,0.2"];
    assert!(done(&inside).contains("contacts: 0\n"));
    assert!(done(&[&inside[..], &["--solid"]].concat()).contains("contacts: 1\n"));
}

#[test]
fn inspection_finds_every_defect_of_the_broken_scene() {
    let path = scene("broken.stl");
    let text = done(&["inspect", &path]);
    // The bad triangles follow the bunny's 3,674 in this order.
    for (words, first, count) in [
        ("copies of an earlier triangle:", 3674, 10),
        ("copies of an earlier triangle, the other way round:", 3684, 10),
        ("triangles with two equal corners; each behaves as a segment:", 3694, 8),
        ("triangles with three equal corners; each behaves as a point:", 3702, 4),
        ("triangles with corners almost on one line:", 3706, 6),
        ("needles: triangles much longer than high:", 3718, 6),
    ] {
        let line = text.lines().find(|l| l.contains(words)).unwrap_or_else(|| panic!("no {words} in {text}"));
        let ids: Vec<u32> = line.split(": ").last().unwrap().split(' ').filter_map(|w| w.parse().ok()).collect();
        assert_eq!(ids, (first..first + count).collect::<Vec<u32>>(), "{line}");
        assert!(line.starts_with(&format!("  {count} {words}")), "{line}");
    }
    assert!(text.contains("  12 triangles that look against the rest of their component: 679 681"), "{text}");
    assert!(
        text.contains("and 2 more (--all lists them)") && !done(&["inspect", &path, "--all"]).contains("--all lists")
    );
    assert!(text.contains("works: distances, pairs, closest points: yes"));
    assert!(text.contains("works: inside and outside: no"));
    assert!(text.contains("works: contacts that forces act on: in part, "));
    let json = done(&["inspect", &path, "--json"]);
    assert_eq!((field(&json, "triangles"), field(&json, "vertices")), (3724.0, 11172.0));
    assert!(json.contains("\"points\": [3702, 3703, 3704, 3705]"), "{json}");
    assert!(json.contains("{\"triangle\": 3674, \"other\": 2551}") && json.contains("\"inside\": false"), "{json}");
}

#[test]
fn inspection_of_a_good_mesh_gives_its_mass_properties() {
    let path = scratch("block.ply");
    done(&["generate", "box", "--edges", "1,2,3", "--move", "10,20,30", "-o", &path]);
    let json = done(&["inspect", &path, "--json"]);
    assert_eq!((field(&json, "volume"), field(&json, "area"), field(&json, "edges")), (6.0, 22.0, 18.0));
    assert!(json.contains("\"centre\": [10.0, 20.0, 30.0]"), "{json}");
    // m (a^2 + b^2) / 12 with m = 6.
    assert!(json.contains("\"moments\": [2.5, 5.0, 6.5]"), "{json}");
    assert!(json.contains("\"inside\": true") && json.contains("\"mass\": true"), "{json}");
    let text = done(&["inspect", &path]);
    assert!(text.contains("defects: none") && text.contains("volume: 6.0\n"), "{text}");
    refused(&["inspect"], 2, "a mesh file is needed");
    refused(&["inspect", "none.obj"], 1, "none.obj: cannot be opened");
}

#[test]
fn self_intersections_are_found_on_request() {
    let path = scratch("two_spheres.ply");
    let sphere = dem_std::generate::icosphere(3).unwrap();
    dem_std::files::write(&path, &sphere).unwrap();
    let text = done(&["inspect", &path, "--self-intersections"]);
    assert!(text.contains("\nself-intersections: none\n"), "{text}");
    assert!(!done(&["inspect", &path]).contains("self-intersections"));
    // Two of them, one in the other: triangles of the first with triangles of the second.
    let mut both = sphere.clone();
    let other = sphere.scaled([0.7; 3]).moved([0.6, 0.03, 0.01]);
    both.vertices.extend(other.vertices);
    both.indices.extend(other.indices.iter().map(|t| t.map(|v| v + 642)));
    dem_std::files::write(&path, &both).unwrap();
    let json = done(&["inspect", &path, "--self-intersections", "--json"]);
    let count = field(&json, "self_intersections");
    assert!((50.0..500.0).contains(&count), "{count}");
    let (_, list) = json.split_once("\"self_intersecting_pairs\": [").unwrap();
    let (list, _) = list.split_once("]]").unwrap();
    let ids: Vec<u32> = list.split(&['[', ']', ',', ' '][..]).filter_map(|w| w.parse().ok()).collect();
    assert_eq!(ids.len() as f64, 2.0 * count);
    assert!(ids.chunks(2).all(|pair| pair[0] < 1280 && pair[1] >= 1280), "{ids:?}");
    // The spout and the handle of the teapot end inside its body; lid, rim and body overlap.
    let text = done(&["inspect", &scene("teapot.stl"), "--self-intersections"]);
    let line = text.lines().find(|l| l.starts_with("self-intersections: ")).unwrap();
    assert!(line.contains(" pairs of triangles: ") && line.ends_with("more (--all lists them)"), "{line}");
}

#[test]
fn bad_files_are_status_1_with_their_place() {
    refused(&["contacts", "none.stl", "none.stl", "--halo", "0"], 1, "none.stl: cannot be opened");
    refused(&["generate", "box", "-o", &scratch("box.xyz")], 1, ".stl, .obj or .ply");
    refused(&["generate", "box", "-o", &scratch("no/such/folder/box.stl")], 1, "cannot be written");
    let path = scratch("bad.obj");
    std::fs::write(&path, "v 0 0 0\nf 1 1 7\n").unwrap();
    refused(&["contacts", &path, &path, "--halo", "0"], 1, "bad.obj: line 2: vertex 7 does not exist (the file has 1)");
    let path = scratch("vast.obj");
    std::fs::write(&path, "v 0 0 0\nv 1e200 0 0\nv 0 1e200 0\nf 1 2 3\n").unwrap();
    for command in [&["inspect", &path][..], &["contacts", &path, &path, "--halo", "1"]] {
        refused(command, 1, "vast.obj: ");
    }
}

#[test]
fn generated_files_read_back() {
    let shapes: [(&[&str], usize); 10] = [
        (&["icosphere", "--level", "1"], 80),
        (&["uv-sphere", "--meridians", "10", "--bands", "8"], 140),
        (&["hull", "--points", "20", "--seed", "4"], 36),
        (&["bumpy", "--level", "2", "--eta", "1.3", "--seed", "4"], 320),
        (&["elongated", "--level", "2", "--eta", "2.6"], 320),
        (&["box", "--edges", "1,2,3", "--move", "-1,-2,-3"], 12),
        (&["plate", "--cells", "4,5", "--edges", "1,2"], 40),
        (&["box", "--scale", "-0.5"], 12),
        (&["cylinder", "--meridians", "9"], 36),
        (&["cylinder", "--radius", "1", "--length", "3", "--sagitta", "1e-3"], 4 * 71),
    ];
    for (i, (shape, triangles)) in shapes.into_iter().enumerate() {
        for extension in ["stl", "obj", "ply"] {
            let path = scratch(&format!("shape{i}.{extension}"));
            let text = done(&[&["generate"], shape, &["-o", &path]].concat());
            assert!(text.contains(&format!(": {triangles} triangles")), "{text}");
            assert_eq!(dem_std::files::read(&path).unwrap().len(), triangles);
        }
    }
}

#[test]
fn contacts_of_the_rock_scenes() {
    let a = scene("rock_a_1280.stl");
    for (case, pairs, distance) in [("touch", 68.0, 0.005), ("near5", 0.0, 0.05), ("shell5", 0.0, 0.0523)] {
        let b = scene(&format!("rock_b_1280_{case}.stl"));
        let json = done(&["contacts", &a, &b, "--halo", "0.01", "--json"]);
        assert_eq!(field(&json, "triangle_pairs"), pairs, "{case}");
        assert!((field(&json, "min_distance") - distance).abs() < 1e-3 * distance, "{json}");
        assert!(field(&json, "seconds_per_query") > 0.0);
        // A margin that covers the gap finds the closest pair at least.
        let json = done(&["contacts", &a, &b, "--halo", "0", "--margin", "0.0524", "--json"]);
        assert!(field(&json, "triangle_pairs") >= 1.0);
        assert!((field(&json, "min_distance") - distance).abs() < 1e-3 * distance, "{json}");
    }
}

#[test]
fn a_posed_rock_has_the_same_contacts() {
    // Rotation by 1 rad about (1, 2, 3), as a quaternion of another length; B is taken back by its inverse.
    let (s, c) = (0.5f64.sin() / 14f64.sqrt(), 0.5f64.cos());
    let pose = Pose { position: [0.3, -0.2, 0.1], orientation: [s, 2.0 * s, 3.0 * s, c].map(|x| 7.0 * x) };
    let to_world = pose.transform(What::PoseB).unwrap();
    for (n, pairs) in [(1280, 68.0), (20480, 1837.0)] {
        let mut b = dem_std::files::read(scene(&format!("rock_b_{n}_touch.stl"))).unwrap();
        for v in &mut b.vertices {
            *v = to_world.rotate_back([0, 1, 2].map(|k| v[k] - to_world.translation[k]));
        }
        let path = scratch(&format!("posed{n}.ply"));
        dem_std::files::write(&path, &b).unwrap();
        let numbers: Vec<String> = pose.position.iter().chain(&pose.orientation).map(|x| format!("{x:?}")).collect();
        let a = scene(&format!("rock_a_{n}.stl"));
        let json = done(&["contacts", &a, &path, "--halo", "0.01", "--json", "--pose-b", &numbers.join(",")]);
        assert_eq!(field(&json, "triangle_pairs"), pairs);
        assert!((field(&json, "min_distance") - 0.005).abs() < 1e-7, "{json}");
        // Swapping the two changes nothing but the names.
        let swapped = done(&["contacts", &path, &a, "--halo", "0.01", "--json", "--pose-a", &numbers.join(",")]);
        assert_eq!(field(&swapped, "triangle_pairs"), pairs);
        assert_eq!(field(&swapped, "min_distance"), field(&json, "min_distance"));
    }
}

#[test]
fn contacts_of_posed_plates_are_known_exactly() {
    let path = scratch("plate.obj");
    done(&["generate", "plate", "-o", &path]);
    let query = |pose: &str, halo: &str| done(&["contacts", &path, &path, "--halo", halo, "--pose-b", pose, "--json"]);
    // One above the other at distance 1/4: all four pairs, and ties count.
    let json = query("0,0,0.25", "0.125");
    assert_eq!((field(&json, "triangle_pairs"), field(&json, "min_distance")), (4.0, 0.25));
    assert_eq!(field(&query("0,0,0.25", "0.1249"), "triangle_pairs"), 0.0);
    // A quarter turn about z, by a quaternion that is not of unit length.
    let json = query("0,0,-0.25,0,0,3,3", "0.125");
    assert_eq!((field(&json, "triangle_pairs"), field(&json, "min_distance")), (4.0, 0.25));
    // A quarter turn about x, and 1/4 aside: standing on its edge above the middle line, then crossing.
    assert_eq!(field(&query("0,0,0.75,3,0,0,3", "0"), "min_distance"), 0.25);
    assert_eq!(field(&query("0,0,0.25,3,0,0,3", "0"), "min_distance"), 0.0);
    // Side by side, one edge in common.
    assert_eq!(field(&query("1,0,0", "0"), "min_distance"), 0.0);
    // A threshold beyond all bounds finds every pair.
    assert_eq!(field(&query("1e6,0,0", "1e300"), "triangle_pairs"), 4.0);
    let far = query("1e6,0,0", "0");
    assert_eq!((field(&far, "triangle_pairs"), field(&far, "min_distance")), (0.0, 999_999.0));
    let list = done(&["contacts", &path, &path, "--halo", "0.125", "--pose-b", "0,0,0.25", "--pairs"]);
    let rows: Vec<&str> =
        list.lines().skip_while(|l| !l.starts_with('#')).skip(1).map(|l| &l[..l.len().min(8)]).collect();
    assert_eq!(rows, ["0 0 0.25", "0 1 0.25", "1 0 0.25", "1 1 0.25"], "{list}");
    let json = done(&["contacts", &path, &path, "--halo", "0.125", "--pose-a", "0,0,0.25", "--pairs", "--json"]);
    assert_eq!(json.matches("\"distance\": 0.25").count(), 5, "four pairs and the closest: {json}");
}

#[test]
fn degenerate_and_duplicate_triangles_count() {
    let path = scratch("broken.obj");
    std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3\nf 3 2 1\nf 1 1 1\nf 1 2 2\n").unwrap();
    let json = done(&["contacts", &path, &path, "--halo", "0.5", "--pose-b", "0,0,1", "--json"]);
    assert_eq!((field(&json, "triangle_pairs"), field(&json, "min_distance")), (25.0, 1.0));
}

/// The numbers of the row that starts with a name, columns of 12, 36, 140 and 1,224 triangles.
#[test]
fn contacts_of_two_boxes_are_few_and_have_the_area_they_share() {
    let path = scratch("box.obj");
    done(&["generate", "box", "-o", &path]);
    let size = |json: &str| field(json, "area");
    // Face to face, half over each other.
    let arguments = ["contacts", &path, &path, "--halo", "0.005", "--pose-b", "0.5,0,1.005"];
    let json = done(&[&arguments[..], &["--json"]].concat());
    let (_, list) = json.split_once("\"contacts\": [").unwrap();
    let areas: Vec<f64> = list.split('{').skip(1).map(size).collect();
    let largest = areas.iter().fold(0.0, |m: f64, a| m.max(*a));
    assert!(areas.len() < 9 && (largest - 0.5).abs() < 0.03, "{areas:?}");
    assert!(list.contains("\"normal\": [") && list.contains("\"patch_a\": ") && list.contains("\"share\": "));
    let text = done(&arguments);
    assert!(text.contains(&format!("contacts: {}\n", areas.len())) && text.contains("patch A"), "{text}");
    let apart = done(&["contacts", &path, &path, "--halo", "0.005", "--pose-b", "0,0,2"]);
    assert!(apart.contains("contacts: 0\n") && !apart.contains("patch A"), "{apart}");
}
