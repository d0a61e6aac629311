//! Shared by the tests of the C interface: paths, compilers, and the header generated from the sources.
#![allow(dead_code)] // each test binary uses a part

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder for the files of a test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A compiler with all warnings as errors, for a standard such as `c11` or `c++17`.
pub fn compiler(standard: &str) -> Command {
    let (variable, default) = if standard.starts_with("c++") { ("CXX", "c++") } else { ("CC", "cc") };
    let mut command = Command::new(std::env::var_os(variable).unwrap_or(OsString::from(default)));
    command.args([&format!("-std={standard}"), "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wundef"]);
    if !standard.starts_with("c++") {
        command.args(["-Wstrict-prototypes", "-Wmissing-prototypes"]);
    }
    command.arg("-I").arg(root().join("include"));
    command
}

/// Runs a command that must succeed.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    output
}

/// A piece of the header.
enum Piece {
    /// Text as it is.
    Text(&'static str),
    /// A chapter: heading, constants, structs, functions of a source file, then perhaps a text with inline functions.
    Chapter(&'static str),
}

use Piece::{Chapter, Text};

/// The header in order. A new file of the interface is added here.
const PIECES: &[Piece] = &[
    Text("open"),
    Chapter("version"),
    Chapter("errors"),
    Chapter("memory"),
    Text("memory"),
    Chapter("arrays"),
    Text("arrays"),
    Chapter("isa"),
    Chapter("triangles"),
    Chapter("contacts"),
    Chapter("elementary"),
    Chapter("shapes"),
    Chapter("solids"),
    Chapter("refit"),
    Chapter("queries"),
    Chapter("tasks"),
    Chapter("body_contacts"),
    Chapter("placed"),
    Text("placed"),
    Chapter("corners"),
    Chapter("clamp"),
    Chapter("motion"),
    Chapter("history"),
    Chapter("scenes"),
    Chapter("detect"),
    Chapter("grow"),
    Text("grow"),
    Chapter("phases"),
    Chapter("moving"),
    Chapter("loads"),
    Chapter("scene_corners"),
    Chapter("follow"),
    Chapter("near"),
    Chapter("grids"),
    Chapter("boxes"),
    Chapter("points"),
    Chapter("rays"),
    Chapter("inspection"),
    Chapter("crossings"),
    Chapter("mass"),
    Chapter("laws"),
    Chapter("worlds"),
    Chapter("world_bodies"),
    Chapter("world_steps"),
    Chapter("world_rays"),
    Chapter("world_grow"),
    Text("worlds"),
    Text("close"),
];

/// The header generated from the sources.
pub fn header() -> String {
    let package = root().join("dem-capi");
    let mut header = String::new();
    for piece in PIECES {
        if !header.is_empty() {
            header.push('\n');
        }
        header += &match piece {
            Text(name) => std::fs::read_to_string(package.join(format!("header/{name}.h"))).unwrap(),
            Chapter(name) => chapter(&package.join(format!("src/{name}.rs"))),
        };
    }
    header.replace("@CONTENTS@\n", &contents(&package))
}

/// The headings of all chapters.
fn contents(package: &Path) -> String {
    let heading = |name: &str| {
        let text = std::fs::read_to_string(package.join(format!("src/{name}.rs"))).unwrap();
        let line = text.lines().next().unwrap().trim_start_matches("//!").trim().trim_end_matches('.');
        format!(" *   {line}\n")
    };
    PIECES.iter().filter_map(|piece| if let Chapter(name) = piece { Some(heading(name)) } else { None }).collect()
}

fn chapter(source: &Path) -> String {
    let text = std::fs::read_to_string(source).unwrap();
    let mut chapter = format!("/* {}\n", "-".repeat(120));
    for line in text.lines().map_while(|l| l.strip_prefix("//!")) {
        chapter += format!(" *{line}").trim_end();
        chapter.push('\n');
    }
    chapter += " */\n\n";
    // Structs that only inline functions or other chapters use would be left out.
    let include = dem::structs::all().iter().map(|l| l.name.to_string()).collect();
    let config = cbindgen::Config {
        export: cbindgen::ExportConfig { include, ..Default::default() },
        language: cbindgen::Language::C,
        style: cbindgen::Style::Both,
        documentation_style: cbindgen::DocumentationStyle::Doxy,
        no_includes: true,
        usize_is_size_t: true,
        line_length: 120,
        tab_width: 4,
        ..Default::default()
    };
    let bindings = cbindgen::Builder::new().with_config(config).with_src(source).generate().unwrap();
    let mut declarations = Vec::new();
    bindings.write(&mut declarations);
    chapter + tidy(String::from_utf8(declarations).unwrap().trim()).as_str()
}

/// Comments of one line on one line, constants in one paragraph, negative numbers in parentheses.
fn tidy(declarations: &str) -> String {
    let lines: Vec<&str> = declarations.lines().collect();
    let mut tidied: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let one = line.trim() == "/**" && lines.get(at + 2).is_some_and(|l| l.trim() == "*/");
        let after_constant = tidied.last().is_some_and(|l| l.starts_with("#define"));
        let before_constant = lines.get(at + 4).is_some_and(|l| l.starts_with("#define"));
        if line.is_empty() && after_constant && before_constant {
            at += 1;
        } else if one {
            let text = lines[at + 1].trim().trim_start_matches('*').trim();
            tidied.push(format!("{}{text} */", line.replace("/**", "/** ")));
            at += 3;
        } else {
            // A `typedef` has made the word superfluous.
            let superfluous = !line.starts_with("typedef") && !line.trim_start().starts_with(['*', '/']);
            let line = if superfluous { line.replace("struct ", "") } else { line.to_string() };
            tidied.push(match line.strip_prefix("#define ").and_then(|d| d.split_once(" -")) {
                Some((name, number)) => format!("#define {name} (-{number})"),
                None => line,
            });
            at += 1;
        }
    }
    tidied.join("\n") + "\n"
}
