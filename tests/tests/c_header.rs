//! The headers: they are up to date with the sources, compile alone, and have the same layouts in a C compiler as in the
//! library.
//!
//! `make header` writes them: this test with `DEM_HEADER=write` in the environment.

mod c_common;

use std::sync::LazyLock;

use c_common::{HEADERS, compiler, prototypes, root, run, scratch};
use dem_core::error::What;

/// All headers, one behind the other.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| HEADERS.iter().map(c_common::Header::text).collect());

/// Lines that include all of them.
fn all_included() -> String {
    HEADERS.iter().map(|header| format!("#include <{}>\n", header.name)).collect()
}

#[test]
fn the_headers_are_what_the_sources_say() {
    let module = c_common::fortran::module();
    let headers = HEADERS.iter().map(|header| header.name).zip(&*TEXTS);
    for (name, made) in headers.chain([("dem.f90", &module)]) {
        let path = root().join("include").join(name);
        if std::env::var_os("DEM_HEADER").is_some_and(|v| v == "write") {
            std::fs::write(&path, made).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let differs = committed.lines().zip(made.lines()).position(|(a, b)| a != b).map(|l| l + 1);
        assert!(committed == *made, "include/{name} is old from line {differs:?} on; run `make header`");
    }
}

/// It includes what every compiler has, and the others include it.
#[test]
fn the_headers_include_nothing_else() {
    for (header, made) in HEADERS.iter().zip(&*TEXTS) {
        let included = made.lines().filter_map(|l| l.trim_start().strip_prefix("#include "));
        assert_eq!(included.collect::<Vec<_>>(), header.includes, "{}", header.name);
    }
}

#[test]
fn every_header_compiles_alone() {
    let folder = scratch("c_header");
    for header in HEADERS {
        let stem = header.name.trim_end_matches(".h");
        for (standard, end) in [("c11", "c"), ("c17", "c"), ("c++17", "cpp")] {
            let (file, name) = (folder.join(format!("{stem}_{standard}.{end}")), header.name);
            // Twice, for the include guard.
            let text = format!("#include <{name}>\n#include <{name}>\nint main(void) {{ return 0; }}\n");
            std::fs::write(&file, text).unwrap();
            run(compiler(standard).arg("-fsyntax-only").arg(file));
        }
    }
}

#[test]
fn structs_have_the_same_layout_on_both_sides() {
    let mut c = all_included();
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
fn every_struct_of_the_headers_is_in_the_list_of_layouts() {
    let mut structs: Vec<&str> =
        TEXTS.iter().flat_map(|t| t.lines()).filter_map(|l| l.strip_prefix("} ")?.strip_suffix(';')).collect();
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
    let header = TEXTS.concat();
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

/// Costs that `tests/c/costs.c` measures are those that headers tell of these functions.
#[test]
fn the_headers_tell_the_costs_that_are_measured() {
    let program = std::fs::read_to_string(root().join("tests/c/costs.c")).unwrap();
    let lines = TEXTS.iter().flat_map(|text| text.lines());
    let header = lines.map(|line| line.trim_start_matches([' ', '*'])).collect::<Vec<_>>().join(" ");
    let rows: Vec<Vec<&str>> =
        program.lines().filter(|line| line.starts_with("    {\"dem_")).map(|line| line.split('"').collect()).collect();
    assert!(rows.len() > 30);
    for row in rows {
        let function = row[1].split(',').next().unwrap();
        let declared = header.find(&format!("int32_t {function}(")).unwrap();
        let comment = &header[header[..declared].rfind("/**").unwrap()..declared];
        assert!(comment.contains(row[3]), "{}: {}", row[1], row[3]);
    }
    run(compiler("c11").arg("-fsyntax-only").arg(root().join("tests/c/costs.c")));
}

/// The functions that the library exports, as `dem-capi/exports.txt` has them.
fn exported() -> Vec<String> {
    let list = std::fs::read_to_string(root().join("dem-capi/exports.txt")).unwrap();
    list.lines().map(String::from).collect()
}

#[test]
fn the_headers_declare_what_the_list_of_exports_has() {
    let header = TEXTS.concat();
    let listed = exported();
    assert!(listed.is_sorted());
    for name in &listed {
        assert!(header.contains(&format!("{name}(")), "{name} is in no header");
    }
}

/// What an argument is for, in the order in which arguments come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Changed,
    Output,
    Input,
    Number,
    Scratch,
    Error,
}

/// The place of an argument from its type and name; sizes belong to what they are behind.
fn place(argument: &str, before: Option<(&str, Place)>) -> Place {
    let name = argument.rsplit([' ', '*']).next().unwrap().split(['[', ')']).next().unwrap();
    let (pointer, read) = (argument.contains('*') || argument.contains('['), argument.starts_with("const "));
    let objects = ["dem_shape *", "dem_scene *", "dem_world *", "dem_grid *", "dem_block *", "void *memory"];
    let results = ["dem_output *", "dem_closest_points *", "dem_contact_results *", "dem_point_results *"];
    let size = ["size", "capacity", "stride", "count", "features"].iter().any(|end| name.ends_with(end));
    let handle = |before: &str| before.contains("dem_world *") || before.contains("dem_block *world");
    match (name, before) {
        ("error", _) => Place::Error,
        ("scratch", _) => Place::Scratch,
        (_, Some((_, place))) if !pointer && size => place,
        ("handle", Some((before, place))) if !pointer && handle(before) => place,
        _ if !pointer => Place::Number,
        _ if read && results.iter().any(|of| argument.contains(of)) => Place::Output,
        _ if read => Place::Input,
        _ if objects.iter().any(|of| argument.starts_with(of)) && !argument.contains("**") => Place::Changed,
        _ => Place::Output,
    }
}

/// The arguments of a prototype.
fn arguments(prototype: &str) -> Vec<String> {
    let (_, list) = prototype.split_once('(').unwrap();
    let list = list.rsplit_once(')').unwrap().0;
    list.split(',').map(|argument| argument.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn is_in_order(prototype: &str) -> bool {
    let mut before: Option<(String, Place)> = None;
    arguments(prototype).into_iter().all(|argument| {
        let now = place(&argument, before.as_ref().map(|(text, place)| (text.as_str(), *place)));
        let fits = before.as_ref().is_none_or(|(_, place)| *place <= now);
        before = Some((argument, now));
        fits
    })
}

#[test]
fn arguments_come_in_the_order_that_the_header_tells() {
    let heap = std::fs::read_to_string(root().join("include/dem_heap.h")).unwrap();
    let text = TEXTS.concat();
    let mut all = prototypes(&text);
    let inlined = [text, heap].concat();
    all.extend(inlined.split("static inline ").skip(1).map(|rest| rest.split('{').next().unwrap().to_string()));
    all.retain(|prototype| !prototype.contains("(void)") && !prototype.contains("dem_host_panic"));
    assert!(all.len() > 160, "{}", all.len());
    let wrong: Vec<&String> = all.iter().filter(|prototype| !is_in_order(prototype)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let layouts = all.iter().filter(|prototype| prototype.contains("_layout("));
    for layout in layouts {
        let arguments = arguments(layout);
        assert_eq!(arguments[..2], ["size_t *size", "size_t *align"], "{layout}");
    }
}

#[test]
fn arguments_in_another_order_are_found() {
    let order = |list: &str| is_in_order(&format!("int32_t dem_some({list}, dem_error *error);"));
    assert!(order("dem_world *world, uint64_t handle, const dem_body *body"));
    assert!(order(
        "dem_scene *scene, dem_near_pair *pairs, size_t capacity, size_t *count, const dem_scene_query *query"
    ));
    assert!(!order("const dem_scene *scene, dem_scene_contacts *view, size_t view_size"));
    assert!(!order("dem_ray_hit *hits, dem_scene *scene, const dem_scene_query *query"));
    assert!(!order("dem_world *world, double length, const dem_world_query *query"));
    assert!(!order("double *sums, uint32_t list, const dem_scene *scene"));
    assert!(!order("dem_scene *scene, void *scratch, size_t scratch_size, uint32_t list"));
    assert!(!is_in_order("int32_t dem_some(dem_error *error, double *to);"));
}

/// What errors are about besides arguments and fields: memory, and where a world stands.
const OTHERS: [&str; 9] =
    ["output", "block", "mesh", "cells of a", "cells of b", "step of the world", "window", "handle", "poses"];

/// The names in backticks behind a word, as in "about `a` and `b`".
fn names_behind<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    for (_, mut rest) in text.match_indices(word).map(|(at, word)| (at, &text[at + word.len()..])) {
        while let Some((name, behind)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            found.push(name);
            let Some(next) = [" and `", ", `", " or `", ", and `"].iter().find(|next| behind.starts_with(**next))
            else {
                break;
            };
            rest = &behind[next.len() - 1..];
        }
    }
    found
}

#[test]
fn comments_tell_errors_by_names_that_errors_and_headers_have() {
    let text = TEXTS.concat();
    let fields: Vec<&str> =
        dem::structs::all().iter().flat_map(|s| s.fields.iter().map(|f| f.name.trim_start_matches("r#"))).collect();
    let mut wrong = Vec::new();
    let mut looked = 0;
    for piece in text.split("/**").skip(1) {
        let Some((comment, rest)) = piece.split_once("*/") else { continue };
        let Some((prototype, _)) = rest.split_once(';') else { continue };
        if !prototype.contains('(') || prototype.contains('{') || !comment.contains("Errors:") {
            continue;
        }
        let flat = comment.lines().map(|line| line.trim_start_matches([' ', '*'])).collect::<Vec<_>>().join(" ");
        let own = arguments(prototype);
        let is_argument =
            |name: &str| own.iter().any(|own| own.rsplit([' ', '*']).next() == Some(name)) || fields.contains(&name);
        for name in names_behind(&flat, "about ").into_iter().filter(|name| !name.starts_with("DEM_")) {
            looked += 1;
            let is_known = What::ALL.iter().any(|what| what.name() == name);
            let is_spelled = name.split('.').all(is_argument) || OTHERS.contains(&name);
            if !(is_known && is_spelled) {
                wrong.push(format!("{}: {name}", prototype.trim().split('(').next().unwrap_or_default()));
            }
        }
    }
    assert!(looked > 150, "{looked}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
