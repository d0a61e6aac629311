//! Releases: programs that were built with one run with the library of today, whose interface has all of it.
//!
//! `tests/data/release/VERSION` has the headers of a release, its symbols, layouts of structs and some programs. An incompatible change needs a new `DEM_ABI_VERSION`, by which
//! programs tell. Before a release is out it may be recorded anew instead: `DEM_RELEASE=write cargo test -p dem-tests --test c_release`, then the checksums.
#![cfg(target_os = "linux")]

mod c_common;

use c_common::{HEADERS, compiler, library, prototypes, root, run, scratch, without_comments};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// Examples that are kept with a release.
const PROGRAMS: [&str; 4] = ["00_first.c", "07_slide.c", "20_world.f90", "22_spheres.c"];

/// Programs that go by sizes and strides, kept with a release.
const RECORDS: [&str; 2] = ["records.c", "records_more.c"];

/// A recorded release.
struct Release {
    folder: PathBuf,
}

impl Release {
    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap()
    }

    fn headers(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder.join("include")).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "h"));
        files.sort();
        files
    }

    /// All headers, one behind the other.
    fn declarations(&self) -> String {
        self.headers().iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }
}

/// The releases whose programs the library of today has to run: those of its own binary interface.
fn releases() -> Vec<Release> {
    static RECORDED: Once = Once::new();
    RECORDED.call_once(|| {
        if std::env::var_os("DEM_RELEASE").is_some_and(|v| v == "write") {
            record();
        }
    });
    let folders = std::fs::read_dir(root().join("tests/data/release")).unwrap();
    let all = folders.map(|folder| Release { folder: folder.unwrap().path() });
    let own = format!("#define DEM_ABI_VERSION {}\n", dem::version::DEM_ABI_VERSION);
    let all: Vec<Release> = all.filter(|release| release.text("include/dem.h").contains(&own)).collect();
    if all.is_empty() {
        println!("no release has this binary interface");
    }
    all
}

/// Writes what the library is today.
fn record() {
    let from = root();
    let to = from.join("tests/data/release").join(env!("CARGO_PKG_VERSION"));
    _ = std::fs::remove_dir_all(&to);
    for folder in ["include", "programs"] {
        std::fs::create_dir_all(to.join(folder)).unwrap();
    }
    let copy = |from: PathBuf, to: PathBuf| _ = std::fs::copy(from, to).unwrap();
    for header in HEADERS.iter().map(|header| header.name).chain(["dem_heap.h", "dem.f90"]) {
        copy(from.join("include").join(header), to.join("include").join(header));
    }
    for program in PROGRAMS {
        copy(from.join("examples-c").join(program), to.join("programs").join(program));
    }
    for program in RECORDS {
        copy(from.join("tests/tests/c_release").join(program), to.join("programs").join(program));
    }
    copy(from.join("dem-capi/exports.txt"), to.join("symbols.txt"));
    std::fs::write(to.join("structs.txt"), today().iter().map(Struct::line).collect::<String>()).unwrap();
}

/// The layout of a struct.
#[derive(Clone, Debug, PartialEq)]
struct Struct {
    name: String,
    size: usize,
    grows: bool,
    /// Name, offset and size.
    fields: Vec<(String, usize, usize)>,
}

impl Struct {
    fn line(&self) -> String {
        let fields: String = self.fields.iter().map(|(name, at, size)| format!(" {name}:{at}:{size}")).collect();
        format!("{} {} {}{fields}\n", self.name, self.size, if self.grows { "grows" } else { "stays" })
    }

    fn parse(line: &str) -> Struct {
        let mut words = line.split(' ');
        let mut next = || words.next().unwrap().to_string();
        let (name, size, grows) = (next(), next().parse().unwrap(), next() == "grows");
        let field = |word: &str| {
            let parts: Vec<&str> = word.split(':').collect();
            (parts[0].to_string(), parts[1].parse().unwrap(), parts[2].parse().unwrap())
        };
        Struct { name, size, grows, fields: words.map(field).collect() }
    }
}

fn today() -> Vec<Struct> {
    let fields =
        |layout: &dem::layouts::Layout| layout.fields.iter().map(|f| (f.name.into(), f.offset, f.size)).collect();
    let all = dem::structs::all().iter();
    all.map(|l| Struct { name: l.name.into(), size: l.size, grows: dem::structs::grows(l), fields: fields(l) })
        .collect()
}

/// What programs that were built with those structs would trip over.
fn differences(then: &[Struct], now: &[Struct]) -> Vec<String> {
    let mut found = Vec::new();
    for old in then {
        let Some(new) = now.iter().find(|new| new.name == old.name) else {
            found.push(format!("{} is gone", old.name));
            continue;
        };
        if new.size < old.size || (new.size > old.size && !old.grows) || (old.grows && !new.grows) {
            found.push(format!("{} has {} bytes instead of {}", old.name, new.size, old.size));
        }
        for (field, at, size) in &old.fields {
            // A reserved word may have got a name, and the first of several one of its own: what programs left 0 there.
            let reserved = field.starts_with("reserved") || field == "spare";
            let same = |(name, a, s): &(String, usize, usize)| {
                a == at && (s == size && (name == field || reserved) || *s < *size && reserved)
            };
            if !new.fields.iter().any(same) {
                found.push(format!("{}.{field} is not at {at} with {size} bytes", old.name));
            }
        }
    }
    found
}

#[test]
fn structs_are_those_of_the_release_or_longer() {
    for release in releases() {
        let then: Vec<Struct> = release.text("structs.txt").lines().map(Struct::parse).collect();
        assert!(then.len() > 60);
        assert_eq!(differences(&then, &today()), [""; 0], "see the head of this test");
    }
}

#[test]
fn a_change_of_a_struct_that_programs_trip_over_is_told() {
    let line = "dem_some 16 grows struct_size:0:4 reserved:4:4 number:8:8\n";
    let old = Struct::parse(line.trim());
    assert_eq!(old.line(), line);
    let told = |change: &dyn Fn(&mut Struct)| {
        let mut new = old.clone();
        change(&mut new);
        differences(std::slice::from_ref(&old), &[new]).len()
    };
    assert_eq!(told(&|_| {}), 0);
    assert_eq!(told(&|s| s.fields[1].0 = "kind".into()), 0);
    assert_eq!(told(&|s| (s.size, _) = (24, s.fields.push(("more".into(), 16, 8)))), 0);
    assert_eq!(told(&|s| s.fields[2].0 = "other".into()), 1);
    assert_eq!(told(&|s| s.fields[2].1 = 4), 1);
    assert_eq!(told(&|s| (s.size, s.grows) = (24, false)), 1);
    assert_eq!(told(&|s| (s.size, _) = (8, s.fields.pop())), 2);
    assert_eq!(differences(std::slice::from_ref(&old), &[]), ["dem_some is gone"]);
    let stays = Struct { grows: false, ..old };
    assert_eq!(differences(std::slice::from_ref(&stays), &[Struct { size: 24, ..stays.clone() }]).len(), 1);
}

#[test]
fn no_symbol_is_gone() {
    let now = std::fs::read_to_string(root().join("dem-capi/exports.txt")).unwrap();
    for release in releases() {
        let then = release.text("symbols.txt");
        let gone: Vec<&str> = then.lines().filter(|name| !now.lines().any(|n| n == *name)).collect();
        assert_eq!(gone, [""; 0], "see the head of this test");
    }
}

/// The constants of a header.
fn constants(text: &str) -> BTreeMap<&str, &str> {
    let defined = text.lines().filter_map(|line| line.strip_prefix("#define DEM_")?.split_once(' '));
    defined.filter(|(name, _)| !name.starts_with("VERSION")).collect()
}

#[test]
fn constants_are_those_of_the_release() {
    let now: String = HEADERS.iter().map(c_common::Header::text).collect();
    for release in releases() {
        let text = release.declarations();
        let then = constants(&text);
        assert!(then.len() > 150);
        let now = constants(&now);
        let changed: Vec<_> = then.iter().filter(|(name, value)| now.get(*name) != Some(value)).collect();
        assert!(changed.is_empty(), "{changed:?}: see the head of this test");
    }
}

/// A compiler takes both declarations of a function where they are the same.
#[test]
fn functions_have_the_types_of_the_release() {
    let folder = scratch("c_release");
    for release in releases() {
        let all = prototypes(&release.declarations());
        let symbols = release.text("symbols.txt");
        assert!(all.len() >= symbols.lines().count(), "{} of {}", all.len(), symbols.lines().count());
        let include: String = HEADERS.iter().map(|header| format!("#include <{}>\n", header.name)).collect();
        let file = folder.join("types.c");
        std::fs::write(&file, include + &all.join("\n") + "\nint main(void) { return 0; }\n").unwrap();
        run(compiler("c11").arg("-fsyntax-only").arg(file));
    }
}

/// What a program says that is built with the headers of a folder.
fn said(program: &Path, include: &Path, library: &Path, name: &str) -> Option<String> {
    let built = scratch("c_release").join(name);
    let fortran = program.extension().is_some_and(|e| e == "f90");
    let compiler = std::env::var_os(if fortran { "FC" } else { "CC" });
    let compiler = compiler.unwrap_or(if fortran { "gfortran" } else { "cc" }.into());
    if fortran && Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: no Fortran compiler");
        return None;
    }
    let mut build = Command::new(compiler);
    build.arg("-O1").arg("-I").arg(include);
    if fortran {
        build.arg(include.join("dem.f90"));
    }
    build.arg(program).arg(library).arg("-o").arg(&built);
    build.arg(format!("-Wl,-rpath,{}", library.parent().unwrap().display())).arg("-lm");
    if fortran {
        build.arg("-J").arg(scratch("c_release"));
    }
    run(&mut build);
    Some(String::from_utf8(run(&mut Command::new(built)).stdout).unwrap())
}

#[test]
fn programs_of_the_release_run() {
    let library = library("c_release");
    for release in releases() {
        for program in std::fs::read_dir(release.folder.join("programs")).unwrap() {
            let program = program.unwrap().path();
            let name = format!("then_{}", program.file_stem().unwrap().to_string_lossy());
            let said = said(&program, &release.folder.join("include"), &library, &name);
            assert!(said.is_none_or(|said| !said.is_empty()), "{name} says nothing");
        }
    }
}

/// Of structs that grow, how many of their last fields a header of before may not have had. The first release needs all fields of all others.
const LAST: [(&str, usize); 13] = [
    ("dem_contact", 2),
    ("dem_triangle_pair", 1),
    ("dem_scene_pair", 1),
    ("dem_scene_kept", 1),
    ("dem_scene_counts", 3),
    ("dem_mass", 1),
    ("dem_shape_desc", 2),
    ("dem_placed_query", 2),
    ("dem_report", 2),
    ("dem_pair_event", 1),
    ("dem_world_report", 3),
    ("dem_world_query", 3),
    ("dem_member", 1),
];

/// The structs of a release that grow.
fn growing(release: &Release) -> Vec<String> {
    let all = release.text("structs.txt");
    all.lines().map(Struct::parse).filter(|s| s.grows).map(|s| s.name).collect()
}

/// Headers in which those structs are shorter, or longer, than in others.
fn other_headers(from: &Release, name: &str, change: impl Fn(&mut Vec<&str>, usize)) -> PathBuf {
    let folder = scratch("c_release").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for header in from.headers() {
        let mut text = without_comments(&std::fs::read_to_string(&header).unwrap());
        for name in &growing(from) {
            let last = LAST.iter().find(|(own, _)| own == name).map_or(0, |(_, last)| *last);
            let Some((before, rest)) = text.split_once(&format!("typedef struct {name} {{\n")) else { continue };
            let (body, after) = rest.split_once(&format!("}} {name};")).unwrap();
            let mut fields: Vec<&str> = body.split_inclusive(";\n").collect();
            change(&mut fields, last);
            text = format!("{before}typedef struct {name} {{\n{}}} {name};{after}", fields.concat());
        }
        std::fs::write(folder.join(header.file_name().unwrap()), text).unwrap();
    }
    folder
}

/// As if records had grown since the program was built, and as if the program knew more than the library.
#[test]
fn programs_with_shorter_and_longer_records_find_the_same() {
    let library = library("c_release");
    for release in releases() {
        let shorter = other_headers(&release, "shorter", |fields, last| fields.truncate(fields.len() - last));
        let longer = other_headers(&release, "longer", |fields, _| fields.push("    uint64_t later[3];\n"));
        let programs = RECORDS.map(|name| release.folder.join("programs").join(name));
        let texts = programs.each_ref().map(|program| std::fs::read_to_string(program).unwrap()).concat();
        let unused: Vec<String> = growing(&release).into_iter().filter(|name| !is_used(&texts, name)).collect();
        assert_eq!(unused, [""; 0], "no program of the release has them");
        for (program, least) in programs.iter().zip([60, 20]) {
            let name = program.file_stem().unwrap().to_string_lossy();
            let own = said(program, &release.folder.join("include"), &library, &format!("{name}_own")).unwrap();
            assert!(own.lines().count() > least, "{own}");
            for (include, kind) in [(&shorter, "shorter"), (&longer, "longer")] {
                let name = format!("{name}_{kind}");
                assert_eq!(said(program, include, &library, &name).unwrap(), own, "{name}");
            }
        }
    }
}

/// Whether a program has a struct of this name.
fn is_used(program: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    program.match_indices(name).any(|(at, _)| !program[at + name.len()..].starts_with(part))
}
