//! Shared by the tests of the C interface: paths, compilers, and the headers generated from the sources.
#![allow(dead_code)] // each test binary uses a part

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub mod fortran;

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

/// The library that cargo has built for a test, by the name that programs look for, in the folder of the test.
#[cfg(target_os = "linux")]
pub fn library(folder: &str) -> PathBuf {
    let built = std::env::current_exe().unwrap().with_file_name("libdem.so");
    let name = format!("libdem.so.{}.{}", dem::version::DEM_VERSION_MAJOR, dem::version::DEM_VERSION_MINOR);
    let link = scratch(folder).join(name);
    _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(built, &link).unwrap();
    link
}

/// The code of a header.
pub fn without_comments(text: &str) -> String {
    text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, rest)| rest)).collect()
}

/// The functions that headers declare, as they do.
pub fn prototypes(text: &str) -> Vec<String> {
    let bare = without_comments(text);
    let lines = bare.lines().filter(|line| !line.starts_with('#') && !line.starts_with("extern"));
    let (mut found, mut now, mut depth) = (Vec::new(), String::new(), 0);
    for c in lines.flat_map(|line| line.chars().chain(['\n'])) {
        now.push(c);
        // What begins with `extern` was left out with its brace.
        depth = (depth + i32::from(c == '{') - i32::from(c == '}')).max(0);
        if depth == 0 && (c == ';' || c == '}') {
            let statement = now.trim();
            if c == ';' && statement.contains('(') && !statement.starts_with("typedef") {
                found.push(statement.to_string());
            }
            // A struct's name comes behind its brace.
            if !(c == '}' && statement.starts_with("typedef")) {
                now.clear();
            }
        }
    }
    found
}

/// A header: its opening comment, chapters, and what ends it.
pub struct Header {
    /// Its file in `include/`; the comment that it opens with is the file of the same name in `dem-capi/header`.
    pub name: &'static str,
    /// What it includes.
    pub includes: &'static [&'static str],
    pieces: &'static [Piece],
}

/// A piece of a header.
enum Piece {
    /// Text as it is, such as inline functions.
    Text(&'static str),
    /// A chapter: heading, constants, structs, functions of a source file. Constants and structs may be in `structs.rs` in its folder.
    Chapter(&'static str),
}

use Piece::{Chapter, Text};

/// All that is made from the sources, each in order. A new file of the interface is added here.
pub const HEADERS: &[Header] = &[
    Header {
        name: "dem.h",
        includes: &["<stddef.h>", "<stdint.h>"],
        pieces: &[
            Chapter("version"),
            Chapter("errors"),
            Chapter("memory"),
            Text("memory"),
            Chapter("arrays"),
            Text("arrays"),
            Chapter("defaults"),
            Chapter("isa"),
            Chapter("tasks"),
            Chapter("shapes"),
            Chapter("placed"),
            Text("placed"),
            Chapter("body_contacts"),
            Chapter("scenes"),
            Text("views"),
            Chapter("detect"),
            Chapter("scene_room"),
            Chapter("grow"),
            Text("grow"),
            Chapter("phases"),
            Chapter("follow"),
            Chapter("moving"),
            Text("moving"),
            Chapter("loads"),
            Chapter("scene_corners"),
            Chapter("rays"),
            Text("defaults"),
            Text("freestanding"),
        ],
    },
    Header {
        name: "dem_world.h",
        includes: &["\"dem.h\"", "\"dem_mesh.h\""],
        pieces: &[
            Chapter("laws"),
            Chapter("worlds"),
            Chapter("world_bodies"),
            Chapter("world_steps"),
            Chapter("world_springs"),
            Chapter("world_views"),
            Chapter("world_rays"),
            Chapter("world_grow"),
            Chapter("world_overlaps"),
            Chapter("world_corners"),
            Chapter("world_exchange"),
            Text("worlds"),
        ],
    },
    Header {
        name: "dem_pair.h",
        includes: &["\"dem.h\""],
        pieces: &[
            Chapter("pair_contacts"),
            Chapter("corners"),
            Chapter("clamp"),
            Chapter("motion"),
            Chapter("history"),
            Text("pairs"),
        ],
    },
    Header {
        name: "dem_mesh.h",
        includes: &["\"dem.h\""],
        pieces: &[
            Chapter("solids"),
            Chapter("inspection"),
            Chapter("crossings"),
            Chapter("mass"),
            Chapter("compound_mass"),
            Chapter("refit"),
            Chapter("queries"),
            Chapter("points"),
            Text("meshes"),
        ],
    },
    Header {
        name: "dem_broad.h",
        includes: &["\"dem.h\""],
        pieces: &[Chapter("near"), Chapter("grids"), Chapter("boxes"), Text("broad")],
    },
    Header {
        name: "dem_papers.h",
        includes: &["\"dem.h\""],
        pieces: &[Chapter("triangles"), Chapter("contacts"), Chapter("elementary"), Text("triangles"), Text("papers")],
    },
];

impl Header {
    /// It, made from the sources.
    pub fn text(&self) -> String {
        let package = root().join("dem-capi");
        let file = |name: &str| std::fs::read_to_string(package.join("header").join(name)).unwrap();
        let guard = self.name.to_uppercase().replace('.', "_");
        let includes: String = self.includes.iter().map(|name| format!("#include {name}\n")).collect();
        let mut text = file(self.name).replace("@CONTENTS@\n", &self.contents(&package));
        text +=
            &format!("#ifndef {guard}\n#define {guard}\n\n{includes}\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
        for piece in self.pieces {
            text.push('\n');
            text += &match piece {
                Text(name) => file(&format!("{name}.inc")),
                Chapter(name) => chapter(&package.join("src"), name),
            };
        }
        text + &format!("\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n")
    }

    /// The headings of all chapters.
    fn contents(&self, package: &Path) -> String {
        let heading = |name: &str| {
            let text = std::fs::read_to_string(package.join(format!("src/{name}.rs"))).unwrap();
            let line = text.lines().next().unwrap().trim_start_matches("//!").trim().trim_end_matches('.');
            format!(" *   {line}\n")
        };
        // A text is a chapter if it begins with a line as chapters do.
        let text = |name: &str| {
            let text = std::fs::read_to_string(package.join(format!("header/{name}.inc"))).unwrap();
            let line = text.strip_prefix("/* ---").and_then(|text| text.lines().nth(1)).map(str::to_string);
            line.map(|line| format!(" *   {}\n", line.trim_start_matches(" *").trim().trim_end_matches('.')))
        };
        let chapters = self.pieces.iter().filter_map(|piece| match piece {
            Chapter(name) => Some(heading(name)),
            Text(name) => text(name),
        });
        chapters.collect()
    }
}

fn chapter(sources: &Path, name: &str) -> String {
    let files = [format!("{name}/structs.rs"), format!("{name}.rs")].map(|file| sources.join(file));
    let text = std::fs::read_to_string(&files[1]).unwrap();
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
    let there = files.iter().filter(|file| file.exists());
    let builder = there.fold(cbindgen::Builder::new().with_config(config), |builder, file| builder.with_src(file));
    let bindings = builder.generate().unwrap();
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
