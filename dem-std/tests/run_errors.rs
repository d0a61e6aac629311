//! What `dem run` says about mistakes in scenes, and about what is left over from earlier runs.

#![allow(clippy::unwrap_used)]

mod scenes;

use std::fs;

use scenes::{SCENE, folder, run, state};

#[test]
fn mistakes_are_told_with_their_line() {
    let folder = folder("mistakes");
    let said = |scene: &str| {
        let (status, _, error) = run(&folder, scene, &["--check"]);
        assert_eq!(status, 1, "{error}");
        error
    };
    let line = |word: &str| SCENE.lines().position(|line| line.contains(word)).unwrap() + 1;

    let error = said(&SCENE.replace("count = 8", "conut = 8"));
    let place = format!("scene.toml:{}: unknown field `conut`", line("count = 8"));
    assert!(error.contains(&place) && error.contains("did you mean `count`?"), "{error}");
    let error = said(&SCENE.replace("\"rock\", \"grain\"", "\"rok\""));
    let place = format!("scene.toml:{}: there is no shape `rok`; the nearest is `rock`", line("shapes = ["));
    assert!(error.contains(&place), "{error}");
    let error = said(&SCENE.replace("step = 2e-4", "step = -1"));
    assert!(error.contains("scene.toml:4: `end`, `step` and `frame` are larger than 0"), "{error}");
    let error = said(&SCENE.replace("motion = \"static\"", "motion = \"dynamic\""));
    assert!(error.contains("a plane has no mass"), "{error}");
    let deep = format!("{SCENE}\n[[bodies]]\nshape = \"grain\"\nmaterial = \"stone\"\nposition = [0, 0, 0.155]\n");
    let error = said(&deep);
    assert!(error.contains("by 1.0") && error.contains("body 2 (`table`) and body 3 (`grain`)"), "{error}");
    // The deepest comes first, also where bodies are so fast that the first step is divided.
    let deeper = format!(
        "{deep}velocity = [0, 0, -900]\n\n[[bodies]]\nshape = \"grain\"\nmaterial = \"stone\"\nposition = [0.2, 0.2, 0.02]\n"
    );
    let error = said(&deeper);
    let places = ["pairs: 2", "by 2.0", "(`floor`)", "by 1.0", "body 3 (`grain`)"].map(|word| error.find(word));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{error}");
    let error = said(&format!("{SCENE}\n[shapes.roll]\nmake = \"cylinder\"\nradius = 0\n"));
    assert!(error.contains("cylinder: a number is outside its range"), "{error}");
    let error = said(&format!("{SCENE}\n[shapes.roll]\nmake = \"cylinder\"\nhalo = 1e-14\n"));
    assert!(error.contains("the sagitta asks for more than 2^20 meridians"), "{error}");
    let bodies = SCENE.lines().position(|line| line == "[[bodies]]").unwrap() + 1;
    let error = said(&SCENE.replace("motion = \"static\"", "motion = \"static\"\nscale = 0"));
    assert!(error.contains(&format!("scene.toml:{}: the scale must be larger than 0", bodies + 4)), "{error}");
    let grain = "\n[[bodies]]\nshape = \"grain\"\nmaterial = \"stone\"\nposition = [0, 0, 2]\n";
    let at = SCENE.lines().count() + 2;
    let error = said(&format!("{SCENE}{grain}scale = 0\n"));
    assert!(error.contains(&format!("scene.toml:{}: the scale must be larger than 0", at + 4)), "{error}");
    let error = said(&format!("{SCENE}{grain}scale = 1e-6\n"));
    assert!(error.contains(&format!("scene.toml:{at}: moments")) && error.contains("take other units"), "{error}");
    for (number, wrong) in [("frequency = 5", "frequency = nan"), ("[0.02, 0, 0]", "[inf, 0, 0]")] {
        let error = said(&SCENE.replace(number, wrong));
        let place = format!("scene.toml:{}: the swing is NaN or infinite", line("swing = "));
        assert!(error.contains(&place), "{error}");
    }
    let error = said(&SCENE.replace("level = 1,", "level = 12,"));
    let place = format!("scene.toml:{}: bumpy: 335544320 triangles are more", line("level = 1"));
    assert!(error.contains(&place) && error.contains("level = 10 is the most"), "{error}");
    let roll = format!("{SCENE}\n[shapes.roll]\nmake = \"cylinder\"\nradius = 0.1\nlength = 0.2\n");
    assert_eq!(run(&folder, &roll, &["--check"]).0, 0);
    assert_eq!(run(&folder, SCENE, &["--check"]).0, 0);
    assert!(!folder.join("scene").exists(), "a check writes nothing");
    assert_eq!(run(&folder, SCENE, &["--threats", "1"]).0, 2);
}

#[test]
fn messages_name_the_line_of_the_key_and_what_to_do() {
    let folder = folder("messages");
    let said = |scene: &str, arguments: &[&str]| {
        let (status, _, error) = run(&folder, scene, arguments);
        assert_eq!(status, 1, "{error}");
        error
    };
    let check = |from: &str, to: &str, message: &str| {
        let time = SCENE.replace("time = { end = 0.2, step = 2e-4, frame = 0.02 }\n", "");
        let scene = format!("{time}\n[time]\nend = 0.2\nstep = 2e-4\nframe = 0.02\n").replace(from, to);
        let line = scene.lines().position(|line| line == to.lines().next().unwrap()).unwrap() + 1;
        let error = said(&scene, &["--check"]);
        assert!(error.contains(&format!("scene.toml:{line}: ")) && error.contains(message), "{error}");
    };
    check("halo = 0.004", "halo = -0.004", "the halo must be larger than 0");
    check("halo = 0.004", "law = \"linear\"\nhalo = 0.004", "`size` is missing");
    check("step = 2e-4", "step = 0", "`end`, `step` and `frame` are larger than 0");
    check("frame = 0.02", "frame = 1e-5", "a frame is at least a step long");
    check("halo = 0.004", "end = 2\nhalo = 0.004", "it is a key of `[time]`");

    // Shapes that there are under another name.
    let sphere = "grain = { make = \"sphere\", radius = 0.04 }";
    check(
        "grain = { make = \"ball\", radius = 0.04 }",
        sphere,
        "`sphere` is no shape; did you mean `ball`? There are ball, capsule, plane, ",
    );
    check("floor = { make = \"plane\" }", "floor = { make = \"halfspace\" }", "did you mean `plane`?");
    check("floor = { make = \"plane\" }", "floor = { make = \"klein\" }", "`klein` is no shape; there are ball, ");

    // Overlaps, with lines of both bodies.
    let deep = format!("{SCENE}\n[[bodies]]\nshape = \"grain\"\nmaterial = \"stone\"\nposition = [0, 0, 0.155]\n");
    let bodies: Vec<_> =
        deep.lines().enumerate().filter(|(_, line)| *line == "[[bodies]]").map(|(k, _)| k + 1).collect();
    let error = said(&deep, &["--check"]);
    assert!(error.contains(&format!("body 3 (`grain`), lines {} and {}", bodies[1], bodies[2])), "{error}");
    assert!(error.contains("move them apart"), "{error}");

    // Folders of results.
    fs::write(folder.join("file"), "").unwrap();
    let error = said(SCENE, &["-o", "file"]);
    assert!(error.contains("a file of this name is there") && error.contains("`-o DIR`"), "{error}");
    let error = said(SCENE, &["-o", "file/deep"]);
    assert!(error.contains("cannot be made") && error.contains("`-o DIR`"), "{error}");
    let error = said(SCENE, &["-o", "none", "--resume"]);
    assert!(error.contains("there is no run to go on from") && error.contains("leave --resume away"), "{error}");
    let short = SCENE.replace("end = 0.2", "end = 0.02");
    assert_eq!(run(&folder, &short, &[]).2, "");
    let again = run(&folder, &short, &[]);
    assert!(again.0 == 0 && again.2.contains("replaces the results in scene"), "{}", again.2);
    let file = folder.join("scene/restart.dem");
    let whole = fs::read(&file).unwrap();
    for place in [40, whole.len() / 2] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(&file, bytes).unwrap();
        let error = said(&short, &["--resume"]);
        assert!(error.contains("the file is damaged") && error.contains("without --resume"), "{error}");
    }
}

/// The line is that of the value, and where the value does not begin its line a mark stands below it.
#[test]
fn bad_values_are_told_with_their_place() {
    let folder = folder("places");
    let check = |from: &str, to: &str, value: &str, message: &str| {
        let scene = SCENE.replacen(from, to, 1);
        assert_ne!(scene, SCENE, "{from}");
        let (status, _, error) = run(&folder, &scene, &["--check"]);
        assert_eq!(status, 1, "{error}");
        let line = scene.lines().position(|line| line.contains(to.lines().last().unwrap())).unwrap();
        let said = scene.lines().nth(line).unwrap();
        let column = said.find(value).unwrap();
        let expected = format!("scene.toml:{}: {message}", line + 1);
        assert!(error.contains(&expected), "{error}\n{expected}");
        assert!(error.contains(&format!("\n  {said}\n  {:column$}^", "")), "{error}");
    };
    check("step = 2e-4", "step = -1", "-1", "`end`, `step` and `frame` are larger than 0");
    check("radius = 0.04", "radius = -0.04", "-0.04", "the radius must be larger than 0");
    check("radius = 0.04", "radius = 0.04, halo = 0", "0 }", "the halo must be larger than 0");
    check("radius = 0.04", "radius = 0.04, scale = -2", "-2", "the scale must be larger than 0");
    let capsule = "make = \"capsule\", radius = 0.04, length = -1";
    check("make = \"ball\", radius = 0.04", capsule, "-1", "the length must not be less than 0");
    check("density = 2600", "density = -1", "-1", "the density must be larger than 0");
    check("friction = 0.5", "friction = -0.5", "-0.5", "materials: `friction` must not be negative");
    check("rate = 60", "rate = 0", "0", "the rate must be larger than 0");
    check("low = [-0.1", "low = [1", "[1", "`low` and `high` are the corners of a box");
    check("{ lognormal = [1, 1.1] }", "{ lognormal = [-1, 1.1] }", "{ lognormal", "`sizes` are positive");
    check("spin = [0, 0, 3]", "spin = [0, 0, nan]", "[0, 0, nan]", "`spin` is NaN or infinite");
    check("spin = [0, 0, 3]", "spin = [0, 0, 3]\nscale = -1", "-1", "the scale must be larger than 0");
    let file = "file = \"none.stl\"";
    check("make = \"ball\", radius = 0.04", file, "\"none.stl\"", "");
}

/// Shapes without a level are of a few hundred triangles, and the table of shapes tells which bodies have them.
#[test]
fn shapes_without_a_level_are_not_fine_and_have_names() {
    let folder = folder("level");
    let short = SCENE.replace("end = 0.2", "end = 0.02");
    let states = ["level = 2, ", "", "level = 1, "].map(|level| {
        let output = run(&folder, &short.replace("level = 1, ", level), &[]);
        state(&output).to_string()
    });
    assert!(states[0] == states[1] && states[1] != states[2], "{states:?}");
    let shapes = fs::read_to_string(folder.join("scene/shapes.csv")).unwrap();
    assert!(shapes.starts_with("shape,name,frame\n0,floor,file\n1,floor,principal\n2,grain,file\n"), "{shapes}");
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let column = bodies.lines().next().unwrap().split(',').position(|name| name == "shape").unwrap();
    // The floor and the table; sources give rocks and grains, which forces move.
    for (line, names) in [(1, &["floor"][..]), (2, &["table"]), (3, &["rock", "grain"])] {
        let number = bodies.lines().nth(line).unwrap().split(',').nth(column).unwrap();
        let named = |name: &&str| shapes.contains(&format!("\n{number},{name},"));
        assert!(names.iter().any(named), "{line}: {number}\n{shapes}");
    }
}

#[test]
fn numbers_of_other_units_are_told() {
    let folder = folder("units");
    let said = |from: &str, to: &str| run(&folder, &SCENE.replace(from, to), &["--check"]).2;
    assert_eq!(said("", ""), "");
    let error = said("density = 2600", "density = 2.6e-6");
    assert!(error.contains("warning") && error.contains("density of `stone`") && error.contains("kg/m3"), "{error}");
    let error = said("radius = 0.04", "radius = 400");
    assert!(error.contains("times as large as `rock`"), "{error}");
    let error = said("halo = 0.004", "halo = 4");
    assert!(error.contains("the halo of `rock`, 4e0, is more than half of its radius"), "{error}");
    let error = said("young = 2e6", "young = 2");
    assert!(error.contains("is so heavy that its halo does not bear it"), "{error}");
}

#[test]
fn holes_of_moving_bodies_are_told() {
    let folder = folder("holes");
    let box_without_lid = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";
    fs::write(folder.join("tray.obj"), box_without_lid).unwrap();
    let scene = r#"
halo = 0.01
time = { end = 0.02, step = 1e-3, frame = 0.01 }
shapes.tray = { file = "tray.obj" }
materials.m = { density = 1000, young = 1e5 }
[[bodies]]
shape = "tray"
material = "m"
"#;
    for arguments in [&["--check"][..], &[]] {
        let (status, _, error) = run(&folder, scene, arguments);
        assert!(status == 0 && error.contains("warning: the mesh of `tray` has holes (4 open edges)"), "{error}");
        assert!(error.contains("volume 1.000e0 +- ") && error.contains("close the holes"), "{error}");
    }
    let fixed = format!("{scene}motion = \"static\"\n");
    assert_eq!(run(&folder, &fixed, &["--check"]).2, "", "a fixed mesh may have holes");
}

/// A cube whose triangles look inward, or whose triangles have corners of their own with cracks between them.
#[test]
fn meshes_that_look_inward_are_told_and_turned_and_cracks_are_welded() {
    let folder = folder("inward");
    let cube = dem_std::generate::cuboid([1.0; 3]).unwrap();
    let write = |name: &str, crack: f64| {
        let (mut vertices, mut faces) = (String::new(), String::new());
        for (i, corners) in cube.indices.iter().enumerate() {
            for (k, corner) in [corners[0], corners[2], corners[1]].into_iter().enumerate() {
                let [x, y, z] = cube.vertices[corner as usize];
                let moved = crack * f64::from(((7 * i + 3 * k) % 5) as u8);
                vertices += &format!("v {} {} {}\n", x + moved, y - moved, z + 2.0 * moved);
            }
            faces += &format!("f {} {} {}\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
        }
        fs::write(folder.join(name), vertices + &faces).unwrap();
    };
    write("cube.obj", 0.0);
    write("cracks.obj", 1e-7);
    let scene = |shape: &str| {
        format!(
            r#"
gravity = [0, 0, -9.81]
halo = 0.02
time = {{ end = 0.3, step = 2e-4, frame = 0.1 }}
shapes.cube = {{ {shape} }}
shapes.floor = {{ make = "plane" }}
materials.m = {{ density = 1000, young = 1e7 }}
[[bodies]]
shape = "floor"
material = "m"
motion = "static"
[[bodies]]
shape = "cube"
material = "m"
position = [0, 0, 0.54]
"#
        )
    };
    let (_, _, error) = run(&folder, &scene(r#"file = "cube.obj""#), &["--check"]);
    assert!(error.contains("`cube` look inward") && error.contains("`inward = false` turns them"), "{error}");
    let (_, _, error) = run(&folder, &scene(r#"file = "cracks.obj", inward = false"#), &["--check"]);
    assert!(error.contains("36 open edges") && error.contains("`weld`"), "{error}");
    for shape in [r#"file = "cube.obj", inward = false"#, r#"file = "cracks.obj", inward = false, weld = 1e-5"#] {
        let (status, said, error) = run(&folder, &scene(shape), &[]);
        assert!(status == 0 && !error.contains("warning"), "{error}");
        let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
        let last: Vec<f64> = bodies.lines().last().unwrap().split(',').map(|word| word.parse().unwrap()).collect();
        assert!((last[5] - 0.54).abs() < 0.01, "{shape}: {said} {last:?}");
    }
    let wrong = run(&folder, &scene(r#"file = "cracks.obj", weld = -1"#), &["--check"]);
    assert!(wrong.0 == 1 && wrong.2.contains("larger than 0"), "{}", wrong.2);
}
