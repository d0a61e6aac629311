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
    assert_eq!(run(&folder, SCENE, &["--check"]).0, 0);
    assert!(!folder.join("scene").exists(), "a check writes nothing");
    assert_eq!(run(&folder, SCENE, &["--threats", "1"]).0, 2);
}
