//! The scenes that `dem run` brings along: their first frames, and (`--ignored`, minutes in a release build) what has to come of them.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// `dem run` in a folder.
fn dem_run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dem")).current_dir(folder).arg("run").args(arguments).output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// The scenes that the program brings along.
const SHIPPED: [&str; 8] = ["balls", "bolt", "chain", "dominoes", "drum", "hopper", "rocks", "tower"];

#[test]
fn scenes_that_ship_begin() {
    let folder = folder("shipped");
    let program = |arguments: &[&str]| {
        let output = dem_run(&folder, arguments);
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let list = program(&["--list"]).1;
    let mut names: Vec<_> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, SHIPPED);
    assert_eq!(program(&["--print", "dominos"]).0, 2);
    for name in SHIPPED {
        assert_eq!(program(&[name, "--check"]), (0, program(&[name, "--check"]).1, String::new()), "{name}");
        let text = program(&["--print", name]).1;
        // The first frame of each, which is up to 250 steps.
        let (head, rest) = text.split_once("end = ").unwrap();
        let (_, rest) = rest.split_once(',').unwrap();
        let frame = rest.split_once("frame = ").unwrap().1.split_once(' ').unwrap().0;
        let short = format!("{head}end = {frame},{rest}");
        fs::write(folder.join("scene.toml"), short).unwrap();
        let (status, _, error) = program(&["scene.toml", "-o", name]);
        assert_eq!((status, error.as_str()), (0, ""), "{name}");
    }
}

/// Columns of a table, by name; rows where the first number of `of` is that of a column.
struct Table(Vec<String>, Vec<Vec<f64>>);

impl Table {
    fn new(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let head = text.lines().next().unwrap().split(',').map(String::from).collect();
        let row = |line: &str| line.split(',').map(|word| word.parse().unwrap()).collect();
        Table(head, text.lines().skip(1).map(row).collect())
    }

    /// The columns, of the rows in which another has this value.
    fn of<const N: usize>(&self, names: [&str; N], with: Option<(&str, f64)>) -> Vec<[f64; N]> {
        let place = |name: &str| self.0.iter().position(|own| own == name).unwrap();
        let places = names.map(place);
        let with = with.map(|(name, value)| (place(name), value));
        let rows = self.1.iter().filter(|row| with.is_none_or(|(k, value)| row[k] == value));
        rows.map(|row| places.map(|k| row[k])).collect()
    }
}

/// The angle between two quaternions, in degrees.
fn turned(a: [f64; 4], b: [f64; 4]) -> f64 {
    2.0 * a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>().abs().min(1.0).acos().to_degrees()
}

/// Tables of numbers and of bodies of each scene.
struct Runs(HashMap<&'static str, [Table; 2]>);

impl Runs {
    /// Runs a scene to its end; what it says that it should not.
    fn add(&mut self, folder: &Path, name: &'static str) -> Option<String> {
        let started = std::time::Instant::now();
        let output = dem_run(folder, &[name]);
        let (said, error) = (text(output.stdout), text(output.stderr));
        println!("{name}, {:.0} s\n{said}{error}", started.elapsed().as_secs_f64());
        let tables = ["numbers.csv", "bodies.csv"].map(|file| Table::new(&folder.join(name).join(file)));
        self.0.insert(name, tables);
        // How far it is, is no complaint.
        let quiet = error.lines().all(|line| line.contains(" % done, frame "));
        (!output.status.success() || !quiet).then(|| format!("{name}: {error}"))
    }

    /// Without a motor, kinetic and potential energy and what is stored never grow by much, and what is not told is little.
    fn keeps_energy(&self, name: &str) {
        let sum = |column| self.0[name][0].of([column], None).iter().map(|[x]| x).sum::<f64>();
        let most = sum("damped").max(sum("rubbed")).max(sum("gravity_work").abs());
        assert!(sum("spurious").abs() < 0.05 * most, "{name}: {} beside {most}", sum("spurious"));
    }

    /// Time, position and orientation of a body in each frame.
    fn body(&self, name: &str, id: u32) -> Vec<[f64; 8]> {
        self.0[name][1].of(["time", "x", "y", "z", "qx", "qy", "qz", "qw"], Some(("id", f64::from(id))))
    }

    /// How far below its first height a body is, in each frame.
    fn way_down(&self, name: &str, id: u32) -> Vec<f64> {
        let all = self.body(name, id);
        all.iter().map(|row| all[0][3] - row[3]).collect()
    }

    /// Names and positions of all bodies in the last frame.
    fn last(&self, name: &str) -> Vec<[f64; 4]> {
        let [numbers, bodies] = &self.0[name];
        let frame = numbers.of(["frame"], None).last().unwrap()[0];
        bodies.of(["id", "x", "y", "z"], Some(("frame", frame)))
    }

    /// All bodies are at rest in a box without a lid. Its walls and floor have the ids below `fixed`.
    fn lie_in_a_box(&self, name: &str, half: f64, fixed: f64, count: usize) {
        let kinetic: Vec<_> = self.0[name][0].of(["kinetic"], None).iter().map(|[x]| *x).collect();
        let most = kinetic.iter().copied().fold(0.0, f64::max);
        assert!(kinetic[kinetic.len() - 1] < 1e-3 * most, "{name}: {} of {most}", kinetic[kinetic.len() - 1]);
        let all = self.last(name);
        assert_eq!(all.len(), count, "{name}");
        let inside = |[id, x, y, z]: &[f64; 4]| *id < fixed || (x.abs() < half && y.abs() < half && *z > 0.0);
        assert!(all.iter().all(inside), "{name}");
    }

    /// The drum carries its rocks up where it goes up: they lie aslant by 20 to 60 degrees, within it.
    fn drum_carries_rocks(&self) {
        let [numbers, bodies] = &self.0["drum"];
        let mut tilts = Vec::new();
        for [time, frame] in numbers.of(["time", "frame"], None) {
            let rocks: Vec<_> =
                bodies.of(["id", "x", "z"], Some(("frame", frame))).into_iter().filter(|r| r[0] > 2.0).collect();
            assert!(rocks.iter().all(|[_, x, z]| x.hypot(*z) < 0.25), "{time}");
            let mean = |k: usize| rocks.iter().map(|r| r[k]).sum::<f64>() / rocks.len() as f64;
            if time > 1.2 {
                tilts.push((-mean(1)).atan2(-mean(2)).to_degrees());
            }
        }
        let tilt = tilts.iter().sum::<f64>() / tilts.len() as f64;
        assert!((20.0..60.0).contains(&tilt), "{tilt}");
    }

    /// The hopper runs at one rate, whatever lies above: that of Beverloo 1961, 0.58 rho sqrt(g) (D - 1.4 d)^2.5.
    fn hopper_runs(&self) {
        let [numbers, bodies] = &self.0["hopper"];
        let out = numbers.of(["time", "frame"], None).into_iter().map(|[time, frame]| {
            let all = bodies.of(["id", "z"], Some(("frame", frame)));
            [time, all.iter().filter(|[id, z]| *id > 1.0 && *z < -0.03).count() as f64]
        });
        let out: Vec<_> = out.collect();
        let when = |part: f64| out.iter().find(|[_, n]| *n >= part * 500.0).unwrap()[0];
        let rates = [(0.2, 0.45), (0.45, 0.7)].map(|(a, b)| (b - a) * 500.0 / (when(b) - when(a)));
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.2, "{rates:?}");
        let (density, ball) = (0.6 * 2500.0, 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.012_f64.powi(3));
        let beverloo = 0.58 * density * 9.81_f64.sqrt() * (0.12 - 1.4 * 0.025_f64).powf(2.5) / ball;
        assert!((0.6..1.4).contains(&(rates[0] / beverloo)), "{rates:?} and {beverloo} balls in a unit of time");
    }

    /// The chain hangs between its ends, lowest in the middle, and is as long as its rings let it be.
    fn chain_hangs(&self) {
        let rings = self.last("chain");
        let at = |id: usize| rings.iter().find(|r| r[0] == id as f64).copied().unwrap();
        // Upright ones are 1 to 9, the others 10 to 18 with 0 and 19 at the ends.
        let place = |k: usize| match k {
            0 | 19 => k,
            _ if k % 2 == 1 => 1 + k / 2,
            _ => 9 + k / 2,
        };
        let order: Vec<_> = (0..20).map(place).collect();
        let lowest = rings.iter().map(|r| r[3]).fold(0.0, f64::min);
        assert!((-0.6..-0.1).contains(&lowest), "{lowest}");
        for pair in order.windows(2) {
            let [a, b] = [at(pair[0]), at(pair[1])];
            let far = (1..4).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt();
            assert!(far < 0.082, "rings {pair:?} are {far} apart");
        }
    }

    /// A dry bolt stays; one without friction goes down by a pitch in a turn, until its head is on the nut, and loses next to nothing on the way.
    fn bolts_stay_or_screw_down(&self) {
        let dry = self.way_down("bolt", 1);
        assert!(dry.iter().all(|way| way.abs() < 0.001), "{dry:?}");
        let (oiled, path) = (self.way_down("bolt", 3), self.body("bolt", 3));
        let lowest = oiled.iter().copied().fold(0.0, f64::max);
        assert!((0.0255..0.0270).contains(&lowest), "{lowest}");
        // The last frame before its head is on the nut.
        let last = oiled.iter().position(|way| *way > 0.025).unwrap() - 1;
        let orientation = |k: usize| path[k][4..8].try_into().unwrap();
        let angle: f64 = (1..=last).map(|k| turned(orientation(k - 1), orientation(k))).sum();
        assert!((angle / 360.0 * 0.014 / oiled[last] - 1.0).abs() < 0.01, "{angle} degrees for {}", oiled[last]);
        // Both bolts are in these energies; nothing else moves.
        let lost = self.0["bolt"][0].of(["damped", "gravity_work"], None);
        let sum = |k: usize| lost.iter().take(last).map(|row| row[k]).sum::<f64>();
        assert!(sum(0) < 0.02 * sum(1), "{} of {}", sum(0), sum(1));
    }

    /// Dominoes fall one after the other, at a rate that does not change once the wave has formed.
    fn dominoes_fall(&self) {
        let falls: Vec<_> = (1..=20)
            .map(|id| {
                let all = self.body("dominoes", id);
                let first: [f64; 4] = all[0][4..8].try_into().unwrap();
                let fell = all.iter().find(|row| turned(first, row[4..8].try_into().unwrap()) > 10.0);
                fell.map_or(f64::NAN, |row| row[0])
            })
            .collect();
        assert!(falls.windows(2).all(|pair| pair[1] > pair[0]), "{falls:?}");
        let rates = [falls[13] - falls[8], falls[18] - falls[13]];
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.15, "{falls:?}");
    }

    /// The tower stands for as long as nothing hits it.
    fn tower_stands_until_it_is_hit(&self) {
        for id in 1..31 {
            let all = self.body("tower", id);
            let stays = |row: &[f64; 8]| (1..4).all(|k| (row[k] - all[0][k]).abs() < 0.002);
            assert!(all.iter().filter(|row| row[0] < 1.2).all(stays), "brick {id}");
        }
        let fallen = (1..31).filter(|id| self.way_down("tower", *id).last().is_some_and(|way| *way > 0.1));
        assert!(fallen.count() >= 5, "the ball takes a part of it down");
    }
}

/// Minutes in a release build: `.ci/run full` has them.
#[test]
#[ignore]
fn scenes_that_ship_end_as_they_should() {
    let folder = folder("whole");
    let mut runs = Runs(HashMap::new());
    let wrong: Vec<_> = SHIPPED.into_iter().filter_map(|name| runs.add(&folder, name)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    SHIPPED.iter().filter(|name| **name != "drum").for_each(|name| runs.keeps_energy(name));
    runs.lie_in_a_box("rocks", 0.4, 5.0, 55);
    runs.lie_in_a_box("balls", 0.2, 5.0, 705);
    runs.drum_carries_rocks();
    runs.hopper_runs();
    runs.chain_hangs();
    runs.bolts_stay_or_screw_down();
    runs.dominoes_fall();
    runs.tower_stands_until_it_is_hit();
}
