//! Runs of `dem run` that were cut, and go on.

#![allow(clippy::unwrap_used)]

mod scenes;

use std::fs;
#[cfg(unix)]
use std::path::Path;
use std::process::Command;

use scenes::{SCENE, folder, row, run, state};

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
    for name in ["numbers.csv", "bodies.csv", "contacts.csv"] {
        let [one, other] = ["scene", "cut"].map(|of| fs::read_to_string(folder.join(of).join(name)).unwrap());
        assert!(one == other, "{name}");
    }

    // On threads as many as the program takes, too.
    assert_eq!(state(&run(&folder, SCENE, &["-o", "own"])), state(&whole));

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
    assert!(other.2.contains("\n  `materials.stone.friction` from 0.5 to 0.4\n"), "{}", other.2);
    let told = |scene: &str| run(&folder, scene, &["-o", "cut", "--resume"]).2;
    let error = told(&SCENE.replace("position = [0, 0, 0.1]", "position = [0, 0, 0.2]"));
    assert!(error.contains("`bodies[2].position` from [0, 0, 0.1] to [0, 0, 0.2]\n"), "{error}");
    let error = told(&SCENE.replace("rate = 60\n", "").replace("count = 8", "count = 9\nseed = 1"));
    for change in [
        "`sources[1].count` from 8 to 9",
        "`sources[1].rate` from 60 to nothing",
        "`sources[1].seed` from nothing to 1",
    ] {
        assert!(error.contains(change), "{error}");
    }
    let error = told(&SCENE.replace("eta = 1.3", "eta = 1.2").replace("end = 0.2", "end = 0.3"));
    assert!(error.contains("`shapes.rock.eta` from 1.3 to 1.2") && !error.contains("time"), "{error}");
    let file = folder.join("cut/restart.dem");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = run(&folder, SCENE, &["-o", "cut", "--resume"]);
    assert!(damaged.0 == 1 && damaged.2.contains("restart.dem"), "{}", damaged.2);
}

/// While it goes on, more balls come than one thread is for, and leave again through the bottom: the program takes a second thread and lets it go, with the bits of one thread.
#[test]
fn threads_that_come_and_go_change_no_bits() {
    let folder = folder("come-and-go");
    let scene = r#"
gravity = [0, 0, -9.81]
halo = 0.002
keep = { low = [-1, -1, -0.4], high = [1, 1, 2] }
time = { end = 0.2, step = 2e-4, frame = 0.01 }
shapes.ball = { make = "ball", radius = 0.02 }
materials.m = { density = 1000, young = 1e6, restitution = 0.5, friction = 0.4 }

[[sources]]
shapes = ["ball"]
material = "m"
count = 180
rate = 3000
low = [-0.2, -0.2, 0.0]
high = [0.2, 0.2, 0.3]
velocity = [0, 0, -3]
"#;
    let [one, own] = [("one", &["--threads", "1"][..]), ("own", &[])].map(|(name, threads)| {
        let output = run(&folder, scene, &[threads, &["-o", name]].concat());
        (state(&output).to_string(), fs::read_to_string(folder.join(name).join("numbers.csv")).unwrap())
    });
    assert!(one == own, "{one:?} {own:?}");
    let bodies: Vec<f64> = (1..22).map(|line| row(&one.1, line)[2]).collect();
    let most = bodies.iter().copied().fold(0.0, f64::max);
    assert!(most > 110.0 && bodies[20] < 90.0, "{bodies:?}");
    assert!((1..22).any(|line| row(&one.1, line)[3] > 0.0), "nothing has met anything");
}

#[test]
fn tables_of_an_earlier_version_go_on_with_their_columns() {
    let folder = folder("columns");
    state(&run(&folder, SCENE, &["-o", "whole"]));
    state(&run(&folder, &SCENE.replace("end = 0.2", "end = 0.18"), &["-o", "cut"]));
    let table = |of: &str| fs::read_to_string(folder.join(of)).unwrap();
    let front = |text: &str| -> String {
        text.lines().map(|line| line.split(',').take(17).collect::<Vec<_>>().join(",") + "\n").collect()
    };
    assert!(front(&table("cut/numbers.csv")).starts_with("frame,time,bodies,"));
    assert!(front(&table("cut/numbers.csv")).lines().next().unwrap().ends_with(",driven_work"));
    fs::write(folder.join("cut/numbers.csv"), front(&table("cut/numbers.csv"))).unwrap();
    fs::remove_file(folder.join("cut/contacts.csv")).unwrap();
    state(&run(&folder, SCENE, &["-o", "cut", "--resume"]));
    assert_eq!(table("cut/numbers.csv"), front(&table("whole/numbers.csv")));
    // Contacts are those of the frames that came.
    let late = |line: &&str| line.starts_with('f') || line.starts_with("10,");
    let whole = table("whole/contacts.csv");
    let cut = table("cut/contacts.csv");
    assert_eq!(cut.lines().collect::<Vec<_>>(), whole.lines().filter(late).collect::<Vec<_>>());
    assert!(cut.lines().count() > 1 && whole.lines().count() > cut.lines().count(), "no contacts");

    // Columns of something else stay as they are.
    let other = table("whole/numbers.csv").replacen("least_gap", "gap", 1);
    fs::write(folder.join("whole/numbers.csv"), &other).unwrap();
    let later = SCENE.replace("end = 0.2", "end = 0.22");
    let (status, _, error) = run(&folder, &later, &["-o", "whole", "--resume"]);
    assert!(status == 1 && error.contains("numbers.csv: the columns are those of another version"), "{error}");
    assert_eq!(table("whole/numbers.csv"), other);
    fs::remove_file(folder.join("whole/numbers.csv")).unwrap();
    state(&run(&folder, &later, &["-o", "whole", "--resume"]));
}

#[test]
fn a_run_replaces_all_that_an_earlier_one_has_left() {
    let folder = folder("replaced");
    let names = |of: &str| {
        let entries =
            fs::read_dir(folder.join(of)).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    };
    let long = SCENE.replace("end = 0.2", "end = 0.1");
    state(&run(&folder, &format!("output = {{ surfaces = true }}\n{long}"), &[]));
    assert!(names("scene/vtk").contains(&"surfaces_000005.vtp".to_string()));
    let short = SCENE.replace("end = 0.2", "end = 0.04");
    state(&run(&folder, &short, &["-o", "fresh"]));

    // What the user has put there stays.
    let own = ["vtk/bodies_late.vtp", "vtk/shape_.vtp", "vtk/bodies_000001.csv", "vtk/mean_000001.vtp", "notes.csv"];
    for name in own {
        fs::write(folder.join("scene").join(name), name).unwrap();
    }
    let output = run(&folder, &short, &[]);
    assert!(output.2.contains("this replaces the results in scene"), "{}", output.2);
    for name in own {
        assert_eq!(fs::read_to_string(folder.join("scene").join(name)).unwrap(), name);
        fs::remove_file(folder.join("scene").join(name)).unwrap();
    }
    assert_eq!(names("scene"), names("fresh"));
    assert_eq!(names("scene/vtk"), names("fresh/vtk"));

    // Where there was no run, nothing is deleted.
    fs::create_dir_all(folder.join("mine/vtk")).unwrap();
    fs::write(folder.join("mine/vtk/bodies_000009.vtp"), "").unwrap();
    state(&run(&folder, &short, &["-o", "mine"]));
    assert!(folder.join("mine/vtk/bodies_000009.vtp").exists());
    // A run without tables deletes those of the one before it.
    let output = run(&folder, &format!("output = {{ csv = false, html = false, vtk = false }}\n{short}"), &[]);
    assert_eq!(output.0, 0);
    assert_eq!(names("scene"), ["restart.dem"]);
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

/// It has frame 0 already, and no other.
#[test]
fn a_run_that_dies_in_its_first_frame_goes_on() {
    let folder = folder("first");
    let scene = &SCENE.replace("end = 0.2", "end = 4").replace("frame = 0.02", "frame = 2");
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let program = env!("CARGO_BIN_EXE_dem");
    let mut dies = Command::new(program).current_dir(&folder).args(["run", "scene.toml"]).spawn().unwrap();
    while !folder.join("scene/restart.dem").is_file() && dies.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    dies.kill().unwrap();
    dies.wait().unwrap();
    assert_eq!(fs::read_to_string(folder.join("scene/numbers.csv")).unwrap().lines().count(), 2, "it has a frame more");
    let resumed = run(&folder, scene, &["--resume"]);
    assert_eq!(state(&resumed), state(&run(&folder, scene, &["-o", "whole"])));
    for name in ["numbers.csv", "bodies.csv", "page.html"] {
        let [one, other] = ["scene", "whole"].map(|of| fs::read(folder.join(of).join(name)).unwrap());
        assert!(one == other, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn two_runs_do_not_write_to_one_folder() {
    let folder = folder("lock");
    fs::create_dir_all(folder.join("scene")).unwrap();
    let other = fs::File::open(folder.join("scene")).unwrap();
    other.try_lock().unwrap();
    let (status, _, error) = run(&folder, SCENE, &[]);
    assert!(status == 1 && error.contains("another run writes to this folder"), "{error}");
    drop(other);
    state(&run(&folder, SCENE, &[]));
}
