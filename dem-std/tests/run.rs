//! `dem run` from the outside: results, restarts, and what is said about mistakes.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCENE: &str = r#"
gravity = [0, 0, -9.81]
halo = 0.004
time = { end = 0.2, step = 2e-4, frame = 0.02 }

[shapes]
rock = { make = "bumpy", level = 1, eta = 1.3, seed = 2, scale = 0.05 }
grain = { make = "ball", radius = 0.04 }
floor = { make = "plane" }
table = { make = "box", edges = [0.3, 0.3, 0.05] }

[materials]
stone = { density = 2600, young = 2e6, restitution = 0.4, friction = 0.5 }
steel = { density = 7800, young = 1e7, restitution = 0.7, friction = 0.3 }

[[bodies]]
shape = "floor"
material = "steel"
motion = "static"

[[bodies]]
shape = "table"
material = "steel"
motion = "kinematic"
position = [0, 0, 0.1]
spin = [0, 0, 3]
swing = { amplitude = [0.02, 0, 0], frequency = 5 }

[[sources]]
shapes = ["rock", "grain"]
material = "stone"
count = 8
rate = 60
low = [-0.1, -0.1, 0.2]
high = [0.1, 0.1, 0.7]
sizes = { lognormal = [1, 1.1] }
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Status, standard output and standard error.
fn run(folder: &Path, scene: &str, arguments: &[&str]) -> (i32, String, String) {
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dem"));
    let output = command.current_dir(folder).args(["run", "scene.toml"]).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn state(output: &(i32, String, String)) -> &str {
    assert_eq!(output.0, 0, "{}", output.2);
    output.1.lines().last().unwrap()
}

fn row(text: &str, line: usize) -> Vec<f64> {
    text.lines().nth(line).unwrap().split(',').map(|word| word.parse().unwrap()).collect()
}

#[test]
fn a_run_that_was_cut_goes_on_with_the_same_bits_on_any_threads() {
    let folder = folder("resume");
    let whole = run(&folder, SCENE, &["--threads", "2"]);
    let half = SCENE.replace("end = 0.2", "end = 0.1");
    let cut = run(&folder, &half, &["--threads", "1", "-o", "cut"]);
    assert_ne!(state(&whole), state(&cut));
    // What a full disk has cut, and rows behind the restart, are left away.
    let table = folder.join("cut/numbers.csv");
    let rows = fs::read_to_string(&table).unwrap();
    fs::write(&table, rows + "6,0.12,9\n1").unwrap();
    let resumed = run(&folder, SCENE, &["--threads", "3", "-o", "cut", "--resume"]);
    assert_eq!(state(&whole), state(&resumed));
    for name in ["numbers.csv", "bodies.csv"] {
        let [one, other] = ["scene", "cut"].map(|of| fs::read_to_string(folder.join(of).join(name)).unwrap());
        assert!(one == other, "{name}");
    }

    // Ten bodies at last, some of them in contact.
    let numbers = fs::read_to_string(folder.join("scene/numbers.csv")).unwrap();
    assert_eq!(numbers.lines().count(), 12);
    let last = row(&numbers, 11);
    assert!((last[1] - 0.2).abs() < 1e-12 && last[2] == 10.0, "{last:?}");
    assert!((4..12).any(|line| row(&numbers, line)[3] > 0.0), "nothing has met anything");
    // The table is where its motion says: a full swing.
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let table = |frame| {
        let rows = bodies.lines().skip(1).map(|line| line.split(',').map(|w| w.parse().unwrap()).collect::<Vec<f64>>());
        rows.into_iter().find(|row| row[0] == f64::from(frame) && row[2] == 1.0).unwrap()
    };
    let at = |time: f64| 0.02 * (10.0 * std::f64::consts::PI * time).sin();
    for frame in [3, 5, 10] {
        let x = table(frame)[3];
        assert!((x - at(0.02 * f64::from(frame))).abs() < 1e-12, "frame {frame}: {x}");
    }
    let turned = 2.0 * table(10)[8].asin();
    assert!((turned - 0.6).abs() < 1e-9, "{turned}");

    // A restart of another scene, and a damaged one.
    let other = run(&folder, &SCENE.replace("friction = 0.5", "friction = 0.4"), &["-o", "cut", "--resume"]);
    assert!(other.0 == 1 && other.2.contains("another scene"), "{}", other.2);
    let file = folder.join("cut/restart.dem");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = run(&folder, SCENE, &["-o", "cut", "--resume"]);
    assert!(damaged.0 == 1 && damaged.2.contains("restart.dem"), "{}", damaged.2);
}

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
    assert!(error.contains(&format!("scene.toml:{bodies}: the scale must be larger than 0")), "{error}");
    let grain = "\n[[bodies]]\nshape = \"grain\"\nmaterial = \"stone\"\nposition = [0, 0, 2]\n";
    let at = SCENE.lines().count() + 2;
    let error = said(&format!("{SCENE}{grain}scale = 0\n"));
    assert!(error.contains(&format!("scene.toml:{at}: the scale must be larger than 0")), "{error}");
    let error = said(&format!("{SCENE}{grain}scale = 1e-6\n"));
    assert!(error.contains(&format!("scene.toml:{at}: moments")) && error.contains("take other units"), "{error}");
    for (number, wrong) in [("frequency = 5", "frequency = nan"), ("[0.02, 0, 0]", "[inf, 0, 0]")] {
        let error = said(&SCENE.replace(number, wrong));
        let place = format!("scene.toml:{}: the swing is NaN or infinite", bodies + 5);
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

/// Waits until a run has written so many frames.
#[cfg(unix)]
fn frames_of(table: &Path, many: usize) {
    let started = std::time::Instant::now();
    while fs::read_to_string(table).map_or(0, |text| text.lines().count()) < many + 1 {
        assert!(started.elapsed().as_secs() < 120, "no frames");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_a_restart_and_the_page_of_all_frames() {
    let folder = folder("interrupt");
    let whole = run(&folder, SCENE, &["-o", "whole"]);
    // It would take minutes.
    fs::write(folder.join("long.toml"), SCENE.replace("end = 0.2", "end = 200")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dem"));
    let child =
        command.current_dir(&folder).args(["run", "long.toml", "-o", "cut"]).stderr(std::process::Stdio::piped());
    let child = child.stdout(std::process::Stdio::piped()).spawn().unwrap();
    frames_of(&folder.join("cut/numbers.csv"), 3);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("stopped at frame") && error.contains("--resume"), "{error}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("energy now: kinetic"), "it ends with a summary");
    assert!(fs::read_to_string(folder.join("cut/page.html")).unwrap().contains("</html>"));
    // It may have gone on for longer than the other: then that goes on, too.
    let rows = fs::read_to_string(folder.join("cut/numbers.csv")).unwrap().lines().count() - 2;
    let end = format!("end = {:.2}", 0.02 * rows.max(10) as f64 + 0.02);
    let longer = SCENE.replace("end = 0.2", &end);
    let [whole, cut] =
        [(&whole, "whole"), (&whole, "cut")].map(|(_, name)| run(&folder, &longer, &["-o", name, "--resume"]));
    assert_eq!(state(&whole), state(&cut));
    // Sums and extremes of all frames, not only of those since.
    let summary = |of: &(i32, String, String)| of.1.lines().skip(1).map(String::from).collect::<Vec<_>>();
    assert_eq!(summary(&whole), summary(&cut));
    for name in ["numbers.csv", "bodies.csv", "page.html"] {
        let [one, other] = ["whole", "cut"].map(|of| fs::read(folder.join(of).join(name)).unwrap());
        assert!(one == other, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_the_frame_before_is_kept() {
    let folder = folder("full");
    // Tables of many frames grow beyond the limit, and restarts do not reach it.
    let scene = &SCENE.replace("frame = 0.02", "frame = 0.001");
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let program = env!("CARGO_BIN_EXE_dem");
    // Files of at most so many blocks of 512 bytes, and an error in place of a signal.
    let limited = format!("trap '' XFSZ; ulimit -f 300; exec {program} run scene.toml");
    let output = Command::new("sh").current_dir(&folder).args(["-c", &limited]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("scene/") && error.contains("--resume goes on"), "{error}");
    let resumed = run(&folder, scene, &["--resume"]);
    assert_eq!(state(&resumed), state(&run(&folder, scene, &["-o", "whole"])));
    let [one, other] = ["scene", "whole"].map(|of| fs::read(folder.join(of).join("bodies.csv")).unwrap());
    assert!(one == other && one.len() > 300 * 512, "{}", one.len());
}

/// The words of an XML attribute.
fn attributes<'x>(xml: &'x str, name: &str) -> Vec<&'x str> {
    let key = format!(" {name}=\"");
    xml.split(&key).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn files_for_paraview_have_as_much_as_they_say() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let folder = folder("vtk");
    let scene = format!("output = {{ surfaces = true }}\n{SCENE}");
    state(&run(&folder, &scene, &[]));
    let mut seen = 0;
    for name in ["bodies", "contacts", "surfaces"] {
        let series = fs::read_to_string(folder.join(format!("scene/{name}.pvd"))).unwrap();
        let files = attributes(&series, "file");
        assert_eq!(files.len(), 11);
        for (k, (file, time)) in files.iter().zip(attributes(&series, "timestep")).enumerate() {
            assert!((time.parse::<f64>().unwrap() - 0.02 * k as f64).abs() < 1e-12);
            let xml = fs::read_to_string(folder.join("scene").join(file)).unwrap();
            let number = |name| attributes(&xml, name)[0].parse::<usize>().unwrap();
            let (points, verts, polys) = (number("NumberOfPoints"), number("NumberOfVerts"), number("NumberOfPolys"));
            for array in xml.split("<DataArray").skip(1) {
                let array = array.split("</DataArray>").next().unwrap();
                let width = attributes(array, "NumberOfComponents")[0].parse::<usize>().unwrap();
                let count = match attributes(array, "Name")[0] {
                    "connectivity" => verts + 3 * polys,
                    "offsets" => verts + polys,
                    _ => width * points,
                };
                let bytes = STANDARD.decode(array.split('>').nth(1).unwrap()).unwrap();
                assert_eq!(bytes.len(), 8 + 8 * count, "{file}: {array:.80}");
                assert_eq!(bytes[..8], (8 * count as u64).to_le_bytes());
                seen += usize::from(name == "contacts" && count > 0);
            }
        }
    }
    assert!(seen > 0, "no contacts");
}

#[test]
fn energies_of_a_run_add_up() {
    let folder = folder("energy");
    // Nothing is driven: what is left over is the error of the step.
    let still =
        SCENE.replace("spin = [0, 0, 3]\n", "").replace("swing = { amplitude = [0.02, 0, 0], frequency = 5 }\n", "");
    let still = still.replace("end = 0.2", "end = 0.6").replace("motion = \"kinematic\"", "motion = \"static\"");
    let output = run(&folder, &still.replace("step = 2e-4", "step = 1e-4"), &[]);
    state(&output);
    let table = fs::read_to_string(folder.join("scene/numbers.csv")).unwrap();
    let head: Vec<_> = table.lines().next().unwrap().split(',').collect();
    let column = |name: &str| {
        let place = head.iter().position(|own| *own == name).unwrap();
        (1..table.lines().count()).map(|line| row(&table, line)[place]).collect::<Vec<_>>()
    };
    let sum = |name: &str| column(name).iter().sum::<f64>();
    let (damped, rubbed, spurious) = (sum("damped"), sum("rubbed"), sum("spurious"));
    let stored: f64 =
        ["stored_normal", "stored_tangential"].iter().map(|name| column(name).last().copied().unwrap()).sum();
    assert!(damped > 0.0 && rubbed > 0.0 && stored > 0.0);
    // But for what the first step after a body has come leaves over, and for what the last step has not told.
    let rest = sum("contact_work") + damped + rubbed + stored;
    assert!((rest - spurious).abs() < 0.02 * damped && spurious != 0.0, "{rest} {spurious} beside {damped}");
    assert!(spurious.abs() < 0.02 * damped && sum("driven_work") == 0.0, "{spurious} beside {damped}");
    assert!(output.1.contains("by driven bodies 0.0") && output.1.contains("deepest gap"), "{}", output.1);
}

#[test]
fn contacts_shorter_than_a_frame_count() {
    // A ball that touches between two frames, and a rock.
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.004
time = { end = 0.2, step = 1e-3, frame = 0.1 }
shapes.ball = { make = "ball", radius = 0.05 }
shapes.rock = { make = "icosphere", level = 1, scale = 0.05 }
shapes.floor = { make = "plane" }
materials.m = { density = 1000, young = 4e6 }
bodies = [
  { shape = "floor", material = "m", motion = "static" },
  { shape = "NAME", material = "m", position = [0, 0, 0.2] },
]
"#;
    for name in ["ball", "rock"] {
        let folder = folder(&format!("short_{name}"));
        let output = run(&folder, &scene.replace("NAME", name), &[]);
        let (_, told) = output.1.split_once("in all steps: deepest gap ").unwrap();
        let (_, told) = told.split_once("largest frequency times step ").unwrap();
        let frequency: f64 = told.lines().next().unwrap().parse().unwrap();
        assert!(frequency > 0.5 && frequency < 5.0, "{frequency}");
        assert!(
            output.2.contains(&format!("the step times the frequency of contacts is {frequency:.2}")),
            "{}",
            output.2
        );
    }
    // Of many balls only some steps have records of contacts, and the summary tells it.
    let many = "position = [0, 0, 0.2], copies = { count = [8, 4, 1], apart = [1, 1, 0] }";
    let output =
        run(&folder("short_many"), &scene.replace("NAME", "ball").replace("position = [0, 0, 0.2]", many), &[]);
    assert!(
        output.1.contains("in the last steps of frames with many balls, and all steps of others: "),
        "{}",
        output.1
    );
}

#[test]
fn copies_and_bodies_that_leave() {
    let folder = folder("leave");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.004
keep = { low = [-9, -9, -0.5], high = [9, 9, 9] }
time = { end = 1.2, step = 1e-3, frame = 0.02 }
shapes.ball = { make = "ball", radius = 0.05 }
materials.m = { density = 1000, young = 1e5 }

[[bodies]]
shape = "ball"
material = "m"
copies = { count = [3, 2, 1], apart = [0.2, 0.3, 0] }

[[sources]]
shapes = ["ball"]
material = "m"
count = 5
rate = 50
low = [2, 0, 0]
high = [2, 0, 0]
"#;
    let output = run(&folder, scene, &[]);
    assert!(output.1.contains(": 0 bodies, 11 have left, 0 contacts"), "{}", output.1);
    assert!(output.1.contains("in all steps: no contacts, fastest"), "{}", output.1);
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let at_first: Vec<_> = (1..7).map(|line| row(&bodies, line)[2..5].to_vec()).collect();
    assert_eq!(at_first[5], [5.0, 0.4, 0.3], "{at_first:?}");
    // Each falls as the others do, until it is below the border.
    let last = row(&fs::read_to_string(folder.join("scene/numbers.csv")).unwrap(), 61);
    assert_eq!(last[2], 0.0);
    assert_eq!(state(&run(&folder, scene, &["--resume"])), state(&output));
    let close = scene.replace("apart = [0.2,", "apart = [0.09,");
    let error = run(&folder, &close, &["--check"]).2;
    assert!(error.contains("body 1 (`ball`), copy 1 and body 1 (`ball`), copy 2"), "{error}");
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
fn compounds_fall_roll_and_rest_on_three_feet() {
    let folder = folder("compounds");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.002
time = { end = 1.5, step = 1e-4, frame = 0.05 }
shapes.ball = { make = "ball", radius = 0.05 }
shapes.brick = { make = "box", edges = [0.1, 0.1, 0.1] }
shapes.floor = { make = "plane" }
shapes.wall.parts = [{ shape = "brick" }, { shape = "brick", position = [0.1, 0, 0] }]
shapes.tripod.parts = [
  { shape = "ball" }, { shape = "ball", position = [0.08, 0, 0] }, { shape = "ball", position = [0.04, 0.07, 0] },
  { shape = "brick", position = [0.04, 0.025, 0.06], scale = 0.6, axis = [0, 0, 1], angle = 30 },
]
[materials]
stone = { density = 2600, young = 1e7, restitution = 0.3, friction = 0.5 }
[[interactions]]
materials = ["stone", "stone"]
law = "linear"
stiffness = 5e5
damping = "dashpot-with-tension"
restitution = 0.2
torsion = false
[[bodies]]
shape = "floor"
material = "stone"
motion = "static"
[[bodies]]
shape = "wall"
material = "stone"
motion = "static"
position = [0.5, 0, 0.05]
[[bodies]]
shape = "tripod"
material = "stone"
position = [0, 0, 0.07]
"#;
    state(&run(&folder, scene, &[]));
    let numbers = fs::read_to_string(folder.join("scene/numbers.csv")).unwrap();
    let last = row(&numbers, numbers.lines().count() - 1);
    assert!(last[3] == 3.0 && last[4] < 1e-6, "three contacts at rest: {last:?}");
    // What there was at first went into damping and friction.
    let sum = |column: usize| (1..numbers.lines().count()).map(|line| row(&numbers, line)[column]).sum::<f64>();
    assert!(sum(10) > 0.1 && sum(12).abs() < 0.05 * sum(10), "{} of {}", sum(12), sum(10));
    let said = |from: &str, to: &str| run(&folder, &scene.replace(from, to), &["--check"]).2;
    assert!(said("{ shape = \"ball\" }", "{ shape = \"floor\" }").contains("a part is a ball, a capsule or a mesh"));
    assert!(said("stiffness = 5e5\n", "").contains("needs a `stiffness`"));
    assert!(said("dashpot-with-tension", "hunt-crossley").contains("`speed` of impact"));
}

/// A capsule falls and lies, and so does one of two capsules.
#[test]
fn capsules_come_to_rest() {
    let folder = folder("capsules");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.002
time = { end = 1.0, step = 5e-4, frame = 0.5 }
shapes.floor = { make = "plane" }
shapes.rod = { make = "capsule", radius = 0.05, length = 0.2 }
shapes.cross = { parts = [{ shape = "rod" }, { shape = "rod", axis = [1, 0, 0], angle = 90 }] }
materials.m = { density = 1000, young = 2e6, restitution = 0.2, friction = 0.5 }
output.surfaces = true

[[bodies]]
shape = "floor"
material = "m"
motion = "static"

[[bodies]]
shape = "rod"
material = "m"
position = [0, 0, 0.2]
axis = [0, 1, 0]
angle = 70

[[bodies]]
shape = "cross"
material = "m"
position = [1, 0, 0.1]
axis = [0, 1, 0]
angle = 80
"#;
    let output = run(&folder, scene, &[]);
    assert_eq!(output.0, 0, "{}", output.2);
    let bodies = fs::read_to_string(folder.join("scene/bodies.csv")).unwrap();
    let rows = bodies.lines().count();
    // Both lie on the floor, within the halos.
    for line in [rows - 2, rows - 1] {
        let height = row(&bodies, line)[5];
        assert!((0.0495..0.055).contains(&height), "{height}: {bodies}");
    }
    assert_eq!(state(&run(&folder, scene, &["--resume"])), state(&output));
    let error = run(&folder, &scene.replace(", length = 0.2", ""), &["--check"]).2;
    assert!(error.contains("a capsule has a `radius`, and a `length`"), "{error}");
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
fn containers_that_look_outward_are_told_and_turned() {
    let folder = folder("outward");
    // A closed drum, without thickness, and a funnel.
    let scene = r#"
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
    assert!(status == 0 && error.contains("all bodies begin behind all triangles of `drum`"), "{error}");
    let turned = run(&folder, &funnel.replace("open =", "inward = true, open ="), &["--check"]);
    assert_eq!((turned.0, turned.2.as_str()), (0, ""));
    let ball = scene.replace("radius = 0.04", "radius = 0.04, inward = true");
    assert!(run(&folder, &ball, &["--check"]).2.contains("this shape has none"));
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
