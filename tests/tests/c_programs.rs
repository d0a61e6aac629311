//! The programs of `examples-c`, built by their Makefile and run; the symbols that the library shows.
//!
//! Cargo's lock on the target folder is free while tests run, so the Makefile may call cargo again; it builds the release
//! library, which this run does not touch.
#![cfg(unix)]

mod c_common;

use c_common::{root, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn make(goal: &str) -> String {
    let mut make = Command::new("make");
    make.arg("--no-print-directory").arg("-C").arg(root().join("examples-c")).arg(goal);
    // What a run under a sanitizer or with coverage sets would make a library that plain C programs cannot link.
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "MAKEFLAGS", "MAKELEVEL"] {
        make.env_remove(variable);
    }
    String::from_utf8(run(&mut make).stdout).unwrap()
}

/// Builds everything once; gives the names of the programs.
fn programs() -> &'static [String] {
    static PROGRAMS: OnceLock<Vec<String>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        make("all");
        make("list").lines().map(String::from).collect()
    })
}

fn build() -> PathBuf {
    root().join("examples-c/build")
}

#[test]
fn every_program_finds_no_mistake() {
    let programs = programs();
    assert!(!programs.is_empty());
    for program in programs {
        let output = run(&mut Command::new(build().join(program)));
        assert!(!output.stdout.is_empty(), "{program} says nothing");
    }
}

/// The shared library that the Makefile made, under the name that programs look for.
fn library() -> PathBuf {
    programs();
    let is_library = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libdem."));
    std::fs::read_dir(build()).unwrap().map(|e| e.unwrap().path()).find(is_library).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn the_library_shows_its_functions_and_nothing_else() {
    let output = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library()));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut shown: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().nth(2)).collect();
    shown.sort_unstable();
    let listed = std::fs::read_to_string(root().join("dem-capi/exports.txt")).unwrap();
    assert_eq!(shown, listed.lines().collect::<Vec<_>>());
}

#[test]
#[cfg(target_os = "linux")]
fn the_library_is_named_after_its_version() {
    let output = run(Command::new("readelf").arg("-d").arg(library()));
    let name = format!("[libdem.so.{}.{}]", dem::version::DEM_VERSION_MAJOR, dem::version::DEM_VERSION_MINOR);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().any(|l| l.contains("SONAME") && l.contains(&name)), "{text}");
    assert_eq!(Path::new(&library()).file_name().unwrap().to_str(), Some(&name[1..name.len() - 1]));
}

/// The lines that a program says, which must find no mistake: a file in `tests`, and for which standard it is.
#[cfg(target_os = "linux")]
fn lines_of(file: &str, standard: &str) -> Vec<String> {
    let name = Path::new(file).file_stem().unwrap().to_str().unwrap();
    let program = c_common::scratch(name).join("program");
    let mut cc = c_common::compiler(standard);
    cc.args(["-O1", "-frounding-math", "-pthread"]).arg(root().join("tests").join(file)).arg("-o").arg(&program);
    run(cc.arg(library()).arg(format!("-Wl,-rpath,{}", build().display())).arg("-lm"));
    let output = run(&mut Command::new(program));
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn results_do_not_know_the_hosts_floating_point_environment() {
    assert!(lines_of("tests/c_environment.c", "c11").len() >= 3);
}

#[test]
#[cfg(target_os = "linux")]
fn no_call_takes_more_stack_than_the_header_promises() {
    let lines = lines_of("tests/c_stack.c", "c11");
    assert!(lines.len() > 18, "{lines:?}");
    println!("{}", lines.join("\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn wrong_calls_are_refused_and_harm_nothing() {
    let lines = lines_of("c/misuse.c", "c11");
    let calls: u32 = lines.last().and_then(|l| l.split(' ').next()?.parse().ok()).unwrap();
    assert!(calls > 15_000, "{lines:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn threads_of_a_program_do_not_harm_each_other() {
    assert_eq!(lines_of("c/threads.cpp", "c++17").last().unwrap(), "0 mistakes");
}
