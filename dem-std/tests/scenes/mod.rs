//! Scenes for `dem run`, and what a run of one leaves, shared by its tests.

#![allow(dead_code)] // each test binary uses a part

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A floor, a table that turns and swings, and rocks and balls that fall on both.
pub const SCENE: &str = r#"
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

/// An empty folder of this test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Status, standard output and standard error.
pub fn run(folder: &Path, scene: &str, arguments: &[&str]) -> (i32, String, String) {
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dem"));
    let output = command.current_dir(folder).args(["run", "scene.toml"]).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The line that tells the state, of a run that ended well.
#[track_caller]
pub fn state(output: &(i32, String, String)) -> &str {
    assert_eq!(output.0, 0, "{}", output.2);
    output.1.lines().last().unwrap()
}

/// The numbers of a line of a table.
pub fn row(text: &str, line: usize) -> Vec<f64> {
    text.lines().nth(line).unwrap().split(',').map(|word| word.parse().unwrap()).collect()
}
