//! The header: it is up to date with the sources, compiles alone, and has the same layouts in a C compiler as in the
//! library.
//!
//! `make header` writes it: this test with `DEM_HEADER=write` in the environment.

mod c_common;

use c_common::{compiler, header, root, run, scratch};

#[test]
fn the_header_is_what_the_sources_say() {
    let (path, made) = (root().join("include/dem.h"), header());
    if std::env::var_os("DEM_HEADER").is_some_and(|v| v == "write") {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = committed.lines().zip(made.lines()).position(|(a, b)| a != b);
    assert!(committed == made, "include/dem.h is old from line {:?} on; run `make header`", differs.map(|l| l + 1));
}

#[test]
fn the_header_includes_only_what_every_compiler_has() {
    let header = header();
    let included: Vec<&str> = header.lines().filter(|l| l.trim_start().starts_with("#include")).collect();
    assert_eq!(included, ["#include <stddef.h>", "#include <stdint.h>"]);
}

#[test]
fn the_header_compiles_alone() {
    let folder = scratch("c_header");
    for (standard, name) in [("c11", "alone11.c"), ("c17", "alone17.c"), ("c++17", "alone17.cpp")] {
        let file = folder.join(name);
        // Twice, for the include guard.
        std::fs::write(&file, "#include <dem.h>\n#include <dem.h>\nint main(void) { return 0; }\n").unwrap();
        run(compiler(standard).arg("-fsyntax-only").arg(file));
    }
}

#[test]
fn structs_have_the_same_layout_on_both_sides() {
    let mut c = String::from("#include <dem.h>\n");
    for layout in dem::structs::all() {
        let (name, size, align) = (layout.name, layout.size, layout.align);
        c += &format!("_Static_assert(sizeof({name}) == {size} && _Alignof({name}) == {align}, \"{name}\");\n");
        for field in layout.fields {
            let (f, offset, size) = (field.name.trim_start_matches("r#"), field.offset, field.size);
            c += &format!("_Static_assert(offsetof({name}, {f}) == {offset}, \"{name}.{f}\");\n");
            c += &format!("_Static_assert(sizeof((({name} *)0)->{f}) == {size}, \"{name}.{f}\");\n");
        }
    }
    c += "int main(void) { return 0; }\n";
    let file = scratch("c_header").join("layouts.c");
    std::fs::write(&file, c).unwrap();
    run(compiler("c11").arg("-fsyntax-only").arg(file));
}

#[test]
fn every_struct_of_the_header_is_in_the_list_of_layouts() {
    let header = header();
    let mut structs: Vec<&str> = header.lines().filter_map(|l| l.strip_prefix("} ")?.strip_suffix(';')).collect();
    let mut listed: Vec<&str> = dem::structs::all().iter().map(|l| l.name).collect();
    structs.sort_unstable();
    listed.sort_unstable();
    assert_eq!(structs, listed);
}

/// The labels of a function's comment, in their order.
const LABELS: [&str; 8] =
    ["Outputs:", "Inputs:", "Memory:", "Errors:", "Cost:", "Threads:", "Determinism:", "See also:"];

#[test]
fn every_function_is_described_in_the_same_order() {
    let header = header();
    let mut described = 0;
    for comment in header.split("/**").skip(1) {
        let Some((comment, rest)) = comment.split_once("*/") else { continue };
        let declaration = rest.split(';').next().unwrap_or_default().trim();
        let function = declaration.contains('(') && !declaration.contains('{') && !declaration.starts_with('#');
        // Types of callbacks are described where they are used.
        if !function || declaration.contains("dem_host_panic") || declaration.starts_with("typedef") {
            continue;
        }
        described += 1;
        let lines = comment.lines().map(|l| l.trim_start().trim_start_matches('*').trim_start());
        let found: Vec<usize> = lines.filter_map(|l| LABELS.iter().position(|label| l.starts_with(label))).collect();
        assert!(found.is_sorted(), "{declaration}: labels out of order");
        // Threads are described at the top of the header, so a comment may omit them.
        for label in ["Errors:", "Cost:"] {
            assert!(found.iter().any(|i| LABELS[*i] == label), "{declaration}: nothing about {label}");
        }
    }
    assert_eq!(described, exported().len());
}

/// The functions that the library exports, as `dem-capi/exports.txt` has them.
fn exported() -> Vec<String> {
    let list = std::fs::read_to_string(root().join("dem-capi/exports.txt")).unwrap();
    list.lines().map(String::from).collect()
}

#[test]
fn the_header_declares_what_the_list_of_exports_has() {
    let header = header();
    let listed = exported();
    assert!(listed.is_sorted());
    for name in &listed {
        assert!(header.contains(&format!("{name}(")), "{name} is not in the header");
    }
}
