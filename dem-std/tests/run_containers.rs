//! Containers and sources of `dem run`: which way triangles look, and where there is room.

#![allow(clippy::unwrap_used)]

mod scenes;

use std::fs;

use scenes::{folder, row, run};

/// A closed drum that turns, without thickness, and balls that begin in it.
const DRUM: &str = r#"
gravity = [0, 0, -9.81]
halo = 0.004
time = { end = 0.3, step = 2e-4, frame = 0.02 }
[shapes]
drum = { make = "cylinder", radius = 0.5, length = 0.4, meridians = 24 }
grain = { make = "ball", radius = 0.04 }
[materials]
stone = { density = 2600, young = 2e6 }
[[bodies]]
shape = "drum"
material = "stone"
motion = "kinematic"
spin = [0, 0, 1]
[[sources]]
shapes = ["grain"]
material = "stone"
count = 20
low = [-0.3, -0.3, -0.12]
high = [0.3, 0.3, 0.12]
"#;

#[test]
fn containers_that_look_outward_are_told_and_turned() {
    let folder = folder("outward");
    let scene = DRUM;
    let with = |keys: &str| scene.replace("meridians = 24", &format!("meridians = 24{keys}"));
    let (status, _, error) = run(&folder, scene, &["--check"]);
    assert!(status == 1 && error.contains("scene.toml:6: `drum` is solid"), "{error}");
    assert!(error.contains("the box of source 1 is inside of it") && error.contains("`inward = true` of"), "{error}");
    let (status, _, error) = run(&folder, &with(", open = true"), &["--check"]);
    assert!(status == 0 && error.contains("warning: bodies of source 1 begin inside of `drum`"), "{error}");
    // What the file lists, too; a solid overlaps.
    let listed = scene.split("[[sources]]").next().unwrap().to_string()
        + "[[bodies]]\nshape = \"grain\"\nmaterial = \"stone\"\nposition = [0.1, 0, 0]\n";
    let (status, _, error) = run(&folder, &listed, &["--check"]);
    assert!(status == 1 && error.contains("bodies overlap"), "{error}");
    assert!(error.contains("body 2 (`grain`) begins inside of `drum`, whose triangles look outward"), "{error}");

    // Turned, it holds all of them.
    for keys in [", inward = true", ", inward = true, open = true"] {
        let output = run(&folder, &with(keys), &[]);
        assert!(output.0 == 0 && !output.2.contains("warning") && !output.1.contains("room"), "{}", output.2);
        let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
        let last: Vec<_> = bodies.lines().skip(1).filter(|line| line.starts_with("15,")).collect();
        assert_eq!(last.len(), 21);
        for line in last {
            let words: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            assert!(words[3].hypot(words[4]) < 0.5 && words[5].abs() < 0.2, "{line}");
        }
    }

    let side = "v -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\nv -.2 -.2 0\nv .2 -.2 0\nv .2 .2 0\nv -.2 .2 0\n";
    let faces = "f 6 2 1\nf 5 6 1\nf 7 3 2\nf 6 7 2\nf 8 4 3\nf 7 8 3\nf 5 1 4\nf 8 5 4\n";
    fs::write(folder.join("funnel.obj"), format!("{side}{faces}")).unwrap();
    let funnel = with(", open = true").replace("make = \"cylinder\"", "file = \"funnel.obj\"");
    let funnel = funnel.replace("-0.12]", "0.6]").replace("0.12]", "0.9]");
    let (status, _, error) = run(&folder, &funnel, &["--check"]);
    assert!(status == 0 && error.contains("all bodies begin behind the nearest triangles of `drum`"), "{error}");
    // A throat, whose triangles have bodies before their planes.
    let hopper = "make = \"turned\", outline = [[0.04, 0], [0.04, 0.05], [1, 0.5], [1, 1]]";
    let hopper = funnel.replace("file = \"funnel.obj\"", hopper);
    let (status, _, error) = run(&folder, &hopper, &["--check"]);
    assert!(status == 0 && error.contains("all bodies begin behind the nearest triangles of `drum`"), "{error}");
    let turned = run(&folder, &hopper.replace("open =", "inward = true, open ="), &["--check"]);
    assert_eq!((turned.0, turned.2.as_str()), (0, ""));
    let turned = run(&folder, &funnel.replace("open =", "inward = true, open ="), &["--check"]);
    assert_eq!((turned.0, turned.2.as_str()), (0, ""));
    let ball = scene.replace("radius = 0.04", "radius = 0.04, inward = true");
    assert!(run(&folder, &ball, &["--check"]).2.contains("this shape has none"));
}

/// A driven mesh may be elsewhere by then.
#[test]
fn a_source_that_begins_later_may_begin_in_a_driven_solid() {
    let folder = folder("later");
    let later = DRUM.replace("count = 20", "count = 20\nstart = 0.1");
    for scene in [&later, &later.replace("spin = [0, 0, 1]", "velocity = [12, 0, 0]")] {
        let (status, _, error) = run(&folder, scene, &["--check"]);
        assert_eq!((status, error.as_str()), (0, ""));
        assert_eq!(run(&folder, &scene.replace("start = 0.1", "start = 0"), &["--check"]).0, 1);
    }
    // It has gone by 1.2, more than twice its radius, as the balls come.
    let output = run(&folder, &later.replace("spin = [0, 0, 1]", "velocity = [12, 0, 0]"), &[]);
    assert!(output.0 == 0 && output.1.contains(": 21 bodies") && !output.1.contains("room"), "{output:?}");
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let came = bodies.lines().skip(1).filter(|line| !line.split(',').nth(2).unwrap().starts_with('0'));
    assert!(came.map(|line| row(line, 0)[1]).all(|time| time > 0.099), "{bodies}");
}

#[test]
fn bodies_of_sources_keep_clear_of_fixed_meshes() {
    let folder = folder("clear");
    // A bowl with a ball's room in it, and walls all about.
    let scene = r#"
halo = 0.01
time = { end = 0.01, step = 1e-3, frame = 0.01 }
shapes.bowl = { make = "turned", outline = [[0, 0], [1, 0], [1, 1], [0.8, 1], [0.8, 0.2], [0, 0.2]] }
shapes.ball = { make = "ball", radius = 0.1 }
materials.m = { density = 1000, young = 1e5 }

[[bodies]]
shape = "bowl"
material = "m"
motion = "static"
position = [0, 0, 5]
axis = [1, 0, 0]
angle = 90

[[sources]]
shapes = ["ball"]
material = "m"
count = 60
low = [-1, -1, 4]
high = [1, 0, 6]
"#;
    let output = run(&folder, scene, &[]);
    // Nothing touches, though balls are within the bowl and beside it.
    assert!(output.1.contains(" bodies, 0 contacts"), "{}", output.1);
    let table = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let rows = (1..table.lines().count()).map(|line| row(&table, line)).filter(|row| row[2] > 0.0);
    let at: Vec<_> = rows.map(|row| row[3..6].to_vec()).collect();
    let inside = at.iter().filter(|p| p[0].hypot(p[2] - 5.0) < 0.8).count();
    assert!(inside > 5 && at.len() - inside > 5, "{inside} of {}", at.len());
    assert!(at.iter().all(|p| (p[0].hypot(p[2] - 5.0) < 0.69 && p[1] < -0.31) || p[0].hypot(p[2] - 5.0) > 1.1));
}

#[test]
fn sources_without_room_are_no_success() {
    let folder = folder("room");
    let scene = r#"
halo = 0.001
periods = [0.2, 0.2, 0]
time = { end = 0.02, step = 1e-3, frame = 0.01 }
shapes.ball = { make = "ball", radius = 0.01 }
shapes.box = { make = "box", edges = [0.1, 0.1, 0.1] }
materials.m = { density = 1000, young = 1e5 }
[[bodies]]
shape = "box"
material = "m"
motion = "static"
[[sources]]
shapes = ["ball"]
material = "m"
count = 400
low = [-0.1, -0.1, 0.1]
high = [0.1, 0.1, 0.2]
"#;
    let (status, said, _) = run(&folder, scene, &[]);
    let (there, _) = said.split_once(" bodies, ").unwrap();
    let there: u32 = there.rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(status, 0);
    assert!(said.contains(&format!("; {} of 400 bodies of sources found no room", 401 - there)), "{said}");
    let (status, said, _) = run(&folder, &scene.replace("count = 400", "count = 9\nrate = 150"), &[]);
    assert!(status == 0 && said.contains("; 5 of 9 bodies of sources would come later"), "{said}");
    // At the box, none fits.
    let near =
        scene.replace("[-0.1, -0.1, 0.1]", "[-0.04, -0.04, 0.055]").replace("[0.1, 0.1, 0.2]", "[0.04, 0.04, 0.055]");
    let (status, said, error) = run(&folder, &near, &[]);
    assert!(status == 1 && said.contains("400 of 400"), "{said}");
    assert!(error.contains("none of the 400 bodies of source 1 found room: its box"), "{error}");
    let (status, _, error) = run(&folder, &near, &["--check"]);
    assert!(status == 0 && error.contains("no body of source 1 finds room at the start"), "{error}");
    let (status, _, error) = run(&folder, &scene.replace("radius = 0.01", "radius = 10"), &["--check"]);
    assert!(status == 1 && error.contains("scene.toml:12: a `ball` of this source is 20.002 wide"), "{error}");
    assert!(error.contains("a period of the scene is 0.2"), "{error}");
}

/// A funnel of three points without thickness, with balls in it, as `docs/run.md` tells of containers with an opening.
const FUNNEL: &str = r#"
gravity = [0, 0, -9.81]
halo = 0.002
time = { end = 0.2, step = 2.5e-5, frame = 0.02 }
[shapes]
ball = { make = "ball", radius = 0.006 }
funnel = { make = "turned", outline = [[0.002, 0], [0.1, 0.13], [0.1, 0.4]], inward = true, open = true }
[materials]
glass = { density = 2500, young = 4e5, friction = 0.4 }
[[bodies]]
shape = "funnel"
material = "glass"
motion = "static"
[[sources]]
shapes = ["ball"]
material = "glass"
count = 40
low = [-0.06, -0.06, 0.11]
high = [0.06, 0.06, 0.38]
"#;

#[test]
fn an_open_outline_is_a_funnel_that_holds_what_is_in_it() {
    let folder = folder("funnel");
    let output = run(&folder, FUNNEL, &[]);
    assert!(output.0 == 0 && output.2.is_empty() && !output.1.contains("room"), "{output:?}");
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let balls: Vec<_> = bodies.lines().skip(1).filter(|line| row(line, 0)[2] > 0.0).map(|line| row(line, 0)).collect();
    assert_eq!(balls.iter().filter(|ball| ball[0] == 10.0).count(), 40);
    for ball in &balls {
        // Before the slope and the wall.
        let (r, z) = (ball[3].hypot(ball[4]), ball[5]);
        assert!(z > 0.0 && r < 0.1 && r < 0.002 + z * 0.098 / 0.13, "{ball:?}");
    }
    // What comes from nowhere stays a small part.
    let part = output.1.split("of the step, ").nth(1).unwrap().split(", ").nth(1).unwrap();
    assert!(part.split(' ').next().unwrap().parse::<f64>().unwrap() < 10.0, "{}", output.1);

    // One that comes back to its first point is a ring, and closed.
    let ring = FUNNEL.replace("[0.1, 0.4]]", "[0.1, 0.4], [0.002, 0]]");
    let (status, _, error) = run(&folder, &ring, &["--check"]);
    assert!(status == 0 && error.contains("warning: `funnel` has `open = true`, but its mesh is closed"), "{error}");
    assert!(error.contains("comes back to its first point"), "{error}");
    // A ball in the wall overlaps it from either side.
    for x in [0.098, 0.102] {
        let wall = format!("{FUNNEL}[[bodies]]\nshape = \"ball\"\nmaterial = \"glass\"\nposition = [{x}, 0, 0.3]\n");
        let (status, _, error) = run(&folder, &wall, &["--check"]);
        assert!(status == 1 && error.contains("body 1 (`funnel`) and body 2 (`ball`)"), "{error}");
    }
    // A solid needs three points.
    let solid = FUNNEL.replace(", open = true", "").replace("[0.1, 0.13], ", "");
    assert!(run(&folder, &solid, &["--check"]).2.contains("it is open"));
}
