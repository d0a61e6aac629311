//! The library as it is installed, seen from a program outside: by pkg-config and by CMake, where they are; moved elsewhere, too.
//!
//! With `DEM_INSTALL=all`, what is missing is a failure, and the sources are built as a part of a CMake project, which takes minutes.
#![cfg(target_os = "linux")]

mod c_common;

use c_common::{root, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A folder that is empty now.
fn empty(name: &str) -> PathBuf {
    let folder = c_common::scratch("c_install").join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A command that a sanitizer's or a coverage run's variables do not reach.
fn plain(program: &str) -> Command {
    let mut command = Command::new(program);
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "MAKEFLAGS", "MAKELEVEL"] {
        command.env_remove(variable);
    }
    command
}

/// One at a time: two at once would write the same files of the library.
fn make(arguments: &[&str]) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    run(plain("make").arg("--no-print-directory").arg("-C").arg(root()).args(arguments));
}

/// Whether there is such a program; all are needed with `DEM_INSTALL=all`.
fn have(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    assert!(there || !all(), "{program} is missing");
    if !there {
        println!("skipped: no {program}");
    }
    there
}

fn all() -> bool {
    std::env::var_os("DEM_INSTALL").is_some_and(|v| v == "all")
}

/// Runs what prints the distance of two triangles.
fn says_a_quarter(program: &Path) {
    let output = run(&mut Command::new(program));
    assert_eq!(output.stdout, b"0.25\n", "{}", program.display());
}

/// Files below a folder, by their names from there.
fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                names.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    names.sort();
    names
}

#[test]
fn what_is_installed_serves_programs_wherever_it_is_moved() {
    let first = empty("first");
    make(&["install", &format!("PREFIX={}", first.display())]);
    let moved = empty("moved").join("prefix");
    std::fs::rename(&first, &moved).unwrap();
    let installed = files(&moved);
    let headers = installed.iter().filter(|name| name.starts_with("include/dem") && name.ends_with(".h"));
    assert_eq!(headers.count(), c_common::HEADERS.len() + 1, "{installed:?}");
    assert!(installed.iter().any(|name| name == "include/dem.f90"), "{installed:?}");
    is_linked(&moved);
    by_hand(&moved);
    if have("pkg-config") {
        by_pkg_config(&moved);
    }
    if have("cmake") {
        let settings = ["-DCMAKE_PREFIX_PATH=".to_owned() + &moved.display().to_string()];
        by_cmake("by_cmake_prefix", &settings, &["hello", "hello_static", "hello_core"]);
        another_version_is_refused(&moved);
        by_cmake_in_fortran_alone(&moved);
    }
    // What others have put there stays, and nothing else does.
    std::fs::write(moved.join("lib/cmake/theirs.txt"), "theirs").unwrap();
    make(&["uninstall", &format!("PREFIX={}", moved.display())]);
    assert_eq!(files(&moved), ["lib/cmake/theirs.txt"]);
    assert!(
        !moved.join("include").exists()
            && !moved.join("lib/pkgconfig").exists()
            && !moved.join("lib/cmake/dem").exists()
    );
    std::fs::remove_file(moved.join("lib/cmake/theirs.txt")).unwrap();
    make(&["uninstall", &format!("PREFIX={}", moved.display())]);
    assert!(!moved.exists());
}

/// The name inside, which programs remember, and the links that lead there.
fn is_linked(prefix: &Path) {
    let lib = prefix.join("lib");
    let names = |from: &str| std::fs::read_link(lib.join(from)).unwrap().display().to_string();
    assert_eq!((names("libdem.so").as_str(), names("libdem.so.0.1").as_str()), ("libdem.so.0.1", "libdem.so.0.1.0"));
    let dynamic = run(Command::new("readelf").arg("-d").arg(lib.join("libdem.so.0.1.0"))).stdout;
    assert!(String::from_utf8_lossy(&dynamic).contains("Library soname: [libdem.so.0.1]"));
}

#[test]
fn a_package_is_put_together_in_a_folder_of_its_own() {
    let stage = empty("stage");
    let to = [format!("DESTDIR={}", stage.display()), "PREFIX=/usr".to_owned()];
    make(&["install", &to[0], &to[1]]);
    let installed = files(&stage);
    assert!(installed.iter().all(|name| name.starts_with("usr/")) && installed.len() > 10, "{installed:?}");
    // No file knows where it was put together.
    for name in installed.iter().filter(|name| name.ends_with(".pc") || name.ends_with(".cmake")) {
        let text = std::fs::read_to_string(stage.join(name)).unwrap();
        assert!(!text.contains(&stage.display().to_string()), "{name}");
    }
    make(&["uninstall", &to[0], &to[1]]);
    assert_eq!(files(&stage), [""; 0]);
}

/// With a cargo that is done at once: what becomes of the program that it makes, and what is said before it begins.
#[test]
fn the_program_is_installed_on_request_and_told_beforehand() {
    use std::os::unix::fs::PermissionsExt;
    let (work, to) = (empty("program"), empty("program_prefix"));
    std::fs::create_dir(work.join("release")).unwrap();
    let (cargo, program) = (work.join("cargo"), to.join("bin/dem"));
    std::fs::write(&cargo, "#!/bin/sh\necho \"cargo $*\"\necho one >\"$CARGO_TARGET_DIR/release/dem\"\n").unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let prefix = format!("PREFIX={}", to.display());
    let mut install = plain("make");
    install.env("CARGO", &cargo).env("CARGO_TARGET_DIR", &work).env_remove("DESTDIR");
    let said = run(install.args(["--no-print-directory", "-s", "-C"]).arg(root()).args(["install-program", &prefix]));
    let said = String::from_utf8(said.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].contains("minutes on two processors"), "{said}");
    // Nothing hides how far cargo is.
    assert_eq!(lines[1], "cargo build --release --package dem-std --bin dem");
    assert_eq!(std::fs::read(&program).unwrap(), b"one\n");
    assert_eq!(std::fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o755);
    make(&["uninstall", &prefix]);
    assert!(!to.exists());
}

#[test]
fn sources_may_be_a_part_of_a_cmake_project() {
    if all() && have("cmake") {
        let source = root().canonicalize().unwrap();
        let settings = ["-DDEM_SOURCE=".to_owned() + &source.display().to_string()];
        by_cmake("by_cmake_sources", &settings, &["hello", "hello_static"]);
    }
}

/// With a folder for headers, one for libraries, and nothing else; the program finds the library by its name inside.
fn by_hand(prefix: &Path) {
    let program = empty("by_hand").join("hello");
    let mut cc = plain("cc");
    cc.arg(root().join("tests/install/hello.c"))
        .arg("-I")
        .arg(prefix.join("include"))
        .arg("-L")
        .arg(prefix.join("lib"));
    run(cc.args(["-ldem", "-o"]).arg(&program).arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
    says_a_quarter(&program);
    let size = std::fs::metadata(prefix.join("lib/libdem.a")).unwrap().len();
    println!("libdem.a: {size} bytes");
}

fn by_pkg_config(prefix: &Path) {
    let folder = empty("by_pkg_config");
    for package in ["dem", "dem-static"] {
        let mut ask = Command::new("pkg-config");
        ask.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(["--cflags", "--libs", package]);
        let flags = String::from_utf8(run(&mut ask).stdout).unwrap();
        let program = folder.join(package);
        let mut cc = plain("cc");
        cc.arg(root().join("tests/install/hello.c")).args(flags.split_whitespace()).args([
            "-Wl,--gc-sections",
            "-s",
            "-o",
        ]);
        run(cc.arg(&program).arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
        says_a_quarter(&program);
    }
    if have("gfortran") {
        let ask = |flag: &str| {
            let mut ask = Command::new("pkg-config");
            ask.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args([flag, "dem"]);
            String::from_utf8(run(&mut ask).stdout).unwrap().trim().to_string()
        };
        let program = folder.join("fortran");
        let mut fc = plain("gfortran");
        fc.arg("-J").arg(&folder).arg(ask("--variable=fortran")).arg(root().join("tests/install/hello.f90"));
        fc.args(ask("--libs").split_whitespace()).arg("-o").arg(&program);
        run(fc.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
        says_a_quarter(&program);
    }
    let size = std::fs::metadata(folder.join("dem-static")).unwrap().len();
    assert!(size < 1_500_000, "a static program that asks for one distance has {size} bytes");
}

/// `folder`: one for each test, since they run at the same time.
fn by_cmake(folder: &str, settings: &[String], programs: &[&str]) {
    let build = empty(folder);
    let mut configure = plain("cmake");
    configure.arg("-S").arg(root().join("tests/install")).arg("-B").arg(&build).arg("-DCMAKE_BUILD_TYPE=Release");
    run(configure.args(settings));
    run(plain("cmake").arg("--build").arg(&build));
    programs.iter().for_each(|program| says_a_quarter(&build.join(program)));
    if Command::new("gfortran").arg("--version").output().is_ok() {
        says_a_quarter(&build.join("hello_fortran"));
    }
}

/// A project that has the language Fortran and no other one.
fn by_cmake_in_fortran_alone(prefix: &Path) {
    if !have("gfortran") {
        return;
    }
    let (source, build) = (empty("fortran_source"), empty("fortran_build"));
    let hello = root().canonicalize().unwrap().join("tests/install/hello.f90");
    let project = format!(
        "cmake_minimum_required(VERSION 3.16)\nproject(alone Fortran)\nfind_package(dem 0.1 CONFIG REQUIRED)\n\
         add_executable(hello \"{}\")\ntarget_link_libraries(hello PRIVATE dem::fortran)\n",
        hello.display()
    );
    std::fs::write(source.join("CMakeLists.txt"), project).unwrap();
    let mut configure = plain("cmake");
    configure.arg("-S").arg(&source).arg("-B").arg(&build).arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    run(&mut configure);
    run(plain("cmake").arg("--build").arg(&build));
    says_a_quarter(&build.join("hello"));
}

/// A project that wants a version whose interface is another one is told so.
fn another_version_is_refused(prefix: &Path) {
    let (source, build) = (empty("other_source"), empty("other_build"));
    for (version, found) in [("0.1", true), ("0.1.0", true), ("0.2", false), ("0.0.9", false), ("1.0", false)] {
        let project = format!(
            "cmake_minimum_required(VERSION 3.16)\nproject(other C)\nfind_package(dem {version} CONFIG REQUIRED)\n"
        );
        std::fs::write(source.join("CMakeLists.txt"), project).unwrap();
        let mut configure = plain("cmake");
        configure.arg("-S").arg(&source).arg("-B").arg(&build).arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
        let output = configure.output().unwrap();
        assert_eq!(output.status.success(), found, "{version}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
