//! Pages in a real browser without a window: what they draw, and that nothing goes wrong. Skipped where there is none, unless `DEM_BROWSER` names one.
#![allow(clippy::unwrap_used, clippy::panic)]

use dem_std::dem_core::pose::Pose;
use dem_std::generate;
use dem_std::page::{Body, Curve, Mark, Page};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The browser that `DEM_BROWSER` names, else one that is installed.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("DEM_BROWSER") {
        return Some(named.into());
    }
    let paths = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&paths).flat_map(|p| names.map(|n| p.join(n))).find(|p| p.is_file())
}

/// What the page says about what it drew; `None` without a browser.
fn look(name: &str, html: &str) -> Option<HashMap<String, f64>> {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no Chromium is installed to look at pages with");
        return None;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("page.html");
    std::fs::write(&file, html).unwrap();
    let out = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader"])
        .args(["--enable-unsafe-swiftshader", "--virtual-time-budget=5000", "--window-size=900,900"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}#check", file.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    let head = text.split('>').nth(1).unwrap_or_default();
    let told = head.split("data-").skip(1).filter_map(|part| {
        let (name, value) = part.split_once('=')?;
        Some((name.to_owned(), value.trim().trim_matches('"').parse().ok()?))
    });
    let told: HashMap<String, f64> = told.collect();
    assert!(told.contains_key("drawn"), "the page told nothing: {head}\n{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(told["error"], 0.0, "WebGL");
    Some(told)
}

fn at(position: [f64; 3]) -> Pose {
    Pose { position, ..Pose::IDENTITY }
}

#[test]
fn bodies_and_contacts_are_seen() {
    let mut page = Page::new("two balls, a box, a plane");
    let (cube, ball, plane) = (page.mesh(&generate::cuboid([1.0; 3]).unwrap()), page.ball(), page.plane());
    for (drawing, scale) in [(plane, 1.0), (cube, 1.0), (ball, 0.5), (ball, 0.25)] {
        page.body(Body { drawing, scale });
    }
    // Far from the origin: numbers of 32 bits have to do.
    let far = 1e8;
    let poses = |z: f64| [at([far, 0.0, -0.5]), at([far, 0.0, 0.0]), at([far, 0.0, 1.0 + z]), at([far, 0.0, 1.75 + z])];
    let mark = |z: f64| Mark { position: [far, 0.0, z], normal: [0.0, 0.0, 1.0], area: 0.2, value: 3.0 };
    page.frame(0.0, poses(0.0), [mark(0.5), mark(1.5)]);
    page.frame(1.0, poses(1.0), []);
    page.plot("Height", "m", [Curve { name: "ball", points: &[[0.0, 0.0], [1.0, 1.0]] }]);
    let Some(told) = look("seen", &page.to_html()) else { return };
    assert!(told["drawn"] > 0.05, "{told:?}");
    assert!(told["red"] > 0.002, "{told:?}");
    for (name, number) in [("bodies", 4.0), ("frames", 2.0), ("contacts", 2.0), ("plots", 1.0)] {
        assert_eq!(told[name], number, "{name}");
    }
}

#[test]
fn an_empty_page_is_no_mistake() {
    let Some(told) = look("empty", &Page::new("nothing").to_html()) else { return };
    assert_eq!((told["drawn"], told["bodies"], told["frames"]), (0.0, 0.0, 1.0));
}

#[test]
fn bodies_that_are_not_there_are_not_seen() {
    let mut page = Page::new("gone");
    let ball = page.ball();
    page.body(Body { drawing: ball, scale: 1.0 });
    page.frame(0.0, [at([f64::NAN, 0.0, 0.0])], []);
    page.body(Body { drawing: ball, scale: 1.0 });
    page.frame(1.0, [at([0.0; 3]), at([3.0, 0.0, 0.0])], []);
    let Some(told) = look("gone", &page.to_html()) else { return };
    assert_eq!((told["drawn"], told["bodies"]), (0.0, 0.0));
}

/// The program `dem` in a folder of this name: what it prints.
fn dem(folder: &Path, args: &[&str]) -> String {
    std::fs::create_dir_all(folder).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_dem")).current_dir(folder).args(args).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn a_run_of_the_program_is_seen() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run_seen");
    let scene = dem(&folder, &["run", "--print", "tower"]);
    assert!(scene.contains("end = 2.2,"), "{scene}");
    std::fs::write(folder.join("tower.toml"), scene.replace("end = 2.2,", "end = 0.1,")).unwrap();
    dem(&folder, &["run", "tower.toml"]);
    let numbers = std::fs::read_to_string(folder.join("tower/numbers.csv")).unwrap();
    let rows: Vec<Vec<&str>> = numbers.lines().map(|line| line.split(',').collect()).collect();
    let of = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let first = |name: &str| rows[1][of(name)].parse::<f64>().unwrap();
    let Some(told) = look("run", &std::fs::read_to_string(folder.join("tower/page.html")).unwrap()) else { return };
    assert!(told["drawn"] > 0.05, "{told:?}");
    assert!(told["plots"] >= 2.0, "{told:?}");
    assert_eq!((told["frames"], told["bodies"]), ((rows.len() - 1) as f64, first("bodies")), "{told:?}");
    assert!(rows.len() > 3, "{numbers}");
}

#[test]
fn the_program_draws_the_contacts_of_two_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program");
    let run = |args: &[&str]| dem(&folder, args);
    run(&["generate", "bumpy", "--level", "3", "--seed", "1", "-o", "rock.stl"]);
    run(&["contacts", "rock.stl", "rock.stl", "--halo", "0.01", "--pose-b", "2.05,0,0", "--html", "contacts.html"]);
    let html = std::fs::read_to_string(folder.join("contacts.html")).unwrap();
    let Some(told) = look("rocks", &html) else { return };
    assert!(told["drawn"] > 0.05 && told["red"] > 0.001, "{told:?}");
    assert_eq!((told["bodies"], told["contacts"]), (2.0, 1.0));
}
