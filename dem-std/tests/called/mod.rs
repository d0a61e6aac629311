//! Calls of the program `dem`, shared by its tests.

use std::process::Command;

/// What a call left.
struct Output {
    status: i32,
    stdout: String,
    stderr: String,
}

/// Calls the program.
fn dem(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_dem")).args(arguments).output().unwrap();
    Output {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Calls the program, which has to end well, and returns what it printed.
#[track_caller]
pub fn done(arguments: &[&str]) -> String {
    let output = dem(arguments);
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "dem {}", arguments.join(" "));
    output.stdout
}

/// Calls the program, which has to refuse with this status and one sentence.
#[track_caller]
pub fn refused(arguments: &[&str], status: i32, message: &str) {
    let output = dem(arguments);
    assert_eq!((output.status, output.stdout.as_str()), (status, ""), "{}", output.stderr);
    assert!(output.stderr.starts_with("dem: ") && output.stderr.contains(message), "{}", output.stderr);
    assert_eq!(output.stderr.lines().count(), 1, "one sentence: {}", output.stderr);
}
