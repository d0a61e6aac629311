//! The Fortran module `dem`, made from the headers. What is written by hand, such as its procedures, is in `dem-capi/header/dem.f90`.

use std::collections::BTreeSet;

use super::{HEADERS, Header, prototypes, root, without_comments};

/// Objects, whose addresses are handles.
const HANDLES: [&str; 5] = ["dem_shape", "dem_scene", "dem_world", "dem_grid", "void"];

/// Pointers to functions.
const CALLBACKS: [&str; 3] = ["dem_resize", "dem_lane", "dem_tasks_run"];

/// Arguments of which pointers are lists; a list of descriptions of arrays is none.
const LISTS: [&str; 33] = [
    "blends",
    "bytes",
    "changed",
    "components",
    "cones",
    "contacts",
    "corners",
    "edges",
    "ends",
    "events",
    "findings",
    "handles",
    "hits",
    "isas",
    "links",
    "list",
    "normal",
    "of_last",
    "origins",
    "pairs",
    "poses",
    "position",
    "rays",
    "spins",
    "springs",
    "table",
    "taken",
    "text",
    "triangles",
    "values",
    "vectors",
    "velocities",
    "vertices",
];

/// Arguments of which pointers are to one number or struct.
const SINGLE: [&str; 65] = [
    "a",
    "align",
    "any",
    "b",
    "blend_count",
    "body",
    "boxes",
    "centres",
    "complete",
    "count",
    "counts",
    "damping",
    "desc",
    "dt",
    "error",
    "event_count",
    "facets",
    "forces",
    "forces_out",
    "gap",
    "handle",
    "hash",
    "info",
    "interaction",
    "last",
    "law",
    "load",
    "loads",
    "mass",
    "materials",
    "member",
    "mesh",
    "message",
    "motion",
    "moved",
    "needed",
    "now",
    "numbers",
    "options",
    "orientations",
    "pair",
    "pose",
    "positions",
    "pressure",
    "query",
    "radii",
    "report",
    "results",
    "scene",
    "scratch_size",
    "segments",
    "setup",
    "shape",
    "size",
    "slots",
    "statistics",
    "stiffness",
    "surface",
    "tasks",
    "then",
    "torques",
    "torques_out",
    "view",
    "want",
    "world",
];

/// Types of which a pointer is to one, whatever its name.
const ONE: [&str; 9] = [
    "dem_block",
    "dem_array",
    "dem_output",
    "dem_indices",
    "dem_triangles",
    "dem_segments",
    "dem_scene_contacts",
    "dem_contact_list",
    "size_t",
];

/// Fields that are not 0 by default, of types that `dem_defaults` does not fill: type, field, place and value.
const BEGINS: [(&str, &str, usize, Value); 17] = [
    ("dem_array", "type", 0, Value::Word(2)),
    ("dem_output", "type", 0, Value::Word(2)),
    ("dem_triangles", "type", 0, Value::Word(2)),
    ("dem_segments", "type", 0, Value::Word(2)),
    ("dem_indices", "type", 0, Value::Word(3)),
    ("dem_indices", "base", 0, Value::Word(1)),
    ("dem_pose", "orientation", 3, Value::Real(1.0)),
    ("dem_placed", "kind", 0, Value::Word(1)),
    ("dem_placed", "scale", 0, Value::Real(1.0)),
    ("dem_tasks", "lanes", 0, Value::Word(1)),
    ("dem_ray", "most", 0, Value::Real(f64::INFINITY)),
    ("dem_ray", "mask", 0, Value::Word(u32::MAX)),
    ("dem_interaction", "shear", 0, Value::Real(2.0 / 7.0)),
    ("dem_interaction", "torsion", 0, Value::Real(1.0)),
    ("dem_body", "orientation", 3, Value::Real(1.0)),
    ("dem_body", "mass", 0, Value::Real(0.0)),
    ("dem_scene_surface", "scale", 0, Value::Real(1.0)),
];

/// More inputs, whose fields are all 0 by default.
const ZERO: [&str; 7] =
    ["dem_error", "dem_shortage", "dem_block", "dem_material", "dem_wrench", "dem_contact_list", "dem_near_pair"];

#[derive(Clone, Copy)]
enum Value {
    Word(u32),
    Real(f64),
}

/// Where the numbers of structs with defaults are.
const DEFAULTS: &str = include_str!("../../../dem-capi/src/defaults.rs");

/// A struct of the headers.
struct Struct {
    name: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    /// As in C.
    of: String,
    /// Whether it is a pointer.
    points: bool,
    /// As in C: the last one counts fastest.
    dimensions: Vec<usize>,
}

/// The module.
pub fn module() -> String {
    let template = std::fs::read_to_string(root().join("dem-capi/header/dem.f90")).unwrap();
    let texts: Vec<String> = HEADERS.iter().map(Header::text).collect();
    let all = texts.concat();
    let functions: Vec<String> = prototypes(&all).iter().map(|p| name_of(p)).collect();
    let structs: Vec<Struct> = texts.iter().flat_map(|text| structs(text)).collect();
    let mut parts = [String::new(), String::new(), String::new()];
    for (header, text) in HEADERS.iter().zip(&texts) {
        for chapter in text.split("/* -----").skip(1) {
            let title = chapter.lines().nth(1).unwrap_or_default().trim_start_matches(" * ").trim_end_matches('.');
            let made = [constants(chapter, &functions), types(chapter, &structs), interfaces(chapter, &all)];
            for (part, made) in parts.iter_mut().zip(made) {
                if !made.is_empty() {
                    *part += &format!("    ! {} ({}).\n\n{made}\n", title, header.name);
                }
            }
        }
    }
    let [constants, types, interfaces] = parts;
    let interfaces: String = interfaces.lines().map(|l| indented(l, 4)).collect();
    let text = template
        .replace("@CONSTANTS@\n", &format!("\n{constants}"))
        .replace("@TYPES@\n", &types)
        .replace("@INTERFACES@\n", &interfaces)
        .replace("@GENERIC@\n", &generic())
        .replace("@PROCEDURES@\n", procedures().trim_start_matches('\n'));
    let text = text.replace("\n\n\n", "\n\n");
    check(&text);
    text
}

fn indented(line: &str, by: usize) -> String {
    if line.is_empty() { "\n".into() } else { format!("{:by$}{line}\n", "") }
}

/// Lines that a Fortran compiler would cut off, and names that are there twice, as case does not count.
fn check(text: &str) {
    let long: Vec<&str> = text.lines().filter(|line| line.len() > 132).collect();
    assert!(long.is_empty(), "{long:#?}");
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim();
        let first = ["type, bind(c) :: ", "function ", "subroutine ", "pure function "];
        let name = first.iter().find_map(|start| line.strip_prefix(start));
        let constant = line.split_once("parameter :: ").map(|(_, rest)| rest);
        let Some(name) = name.or(constant).and_then(|rest| rest.split([' ', '(']).next()) else { continue };
        if name.to_lowercase().starts_with("dem_") {
            assert!(names.insert(name.to_lowercase()), "{name} is there twice");
        }
    }
}

/// The constants of a chapter. One that a function has the name of, too, ends in `_HERE`.
fn constants(chapter: &str, functions: &[String]) -> String {
    let mut made = String::new();
    for line in chapter.lines().filter_map(|line| line.strip_prefix("#define DEM_")) {
        let Some((name, value)) = line.split_once(' ') else { continue };
        let value: i128 = value.trim_matches(['(', ')']).parse().unwrap();
        let end = if functions.contains(&format!("dem_{}", name.to_lowercase())) { "_HERE" } else { "" };
        let (kind, value) = match value {
            -0x8000_0000..=0x7fff_ffff => ("c_int32_t", value),
            0x8000_0000..=0xffff_ffff => ("c_int32_t", value - (1 << 32)),
            _ => ("c_int64_t", value),
        };
        let mark = if kind == "c_int64_t" { "_c_int64_t" } else { "" };
        made += &format!("    integer({kind}), parameter :: DEM_{name}{end} = {value}{mark}\n");
    }
    made
}

/// All structs of a header.
fn structs(text: &str) -> Vec<Struct> {
    let bare = without_comments(text);
    let pieces = bare.split("typedef struct ").skip(1).filter_map(|piece| piece.split_once(" {\n"));
    let body = |rest: &str| rest.split_once("\n}").map(|(body, _)| body.to_string());
    let found = pieces.filter(|(name, _)| !name.contains(';'));
    found.filter_map(|(name, rest)| Some(Struct { name: name.into(), fields: fields(&body(rest)?) })).collect()
}

fn fields(body: &str) -> Vec<Field> {
    let lines = body.split(';').map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (of, name) = line.rsplit_once([' ', '*']).unwrap();
            let mut parts = name.split(['[', ']']).filter(|part| !part.is_empty());
            Field {
                name: parts.next().unwrap().into(),
                of: of.trim_start_matches("const ").trim_end_matches(['*', ' ']).into(),
                points: line.contains('*'),
                dimensions: parts.map(|n| n.parse().unwrap()).collect(),
            }
        })
        .collect()
}

impl Field {
    /// Its type in Fortran.
    fn kind(&self) -> String {
        match self.of.as_str() {
            _ if self.points => "type(c_ptr)".into(),
            of if CALLBACKS.contains(&of) => "type(c_funptr)".into(),
            of => number(of).unwrap_or_else(|| format!("type({of})")),
        }
    }

    fn is_struct(&self) -> bool {
        self.kind().starts_with("type(dem_")
    }
}

/// The type in Fortran of a number.
fn number(of: &str) -> Option<String> {
    let kind = match of {
        "double" => "real(c_double)",
        "float" => "real(c_float)",
        "char" => "character(kind=c_char)",
        "uint8_t" => "integer(c_int8_t)",
        "int16_t" | "uint16_t" => "integer(c_int16_t)",
        "int32_t" | "uint32_t" => "integer(c_int32_t)",
        "int64_t" | "uint64_t" => "integer(c_int64_t)",
        "size_t" => "integer(c_size_t)",
        _ => return None,
    };
    Some(kind.into())
}

/// The types of a chapter.
fn types(chapter: &str, all: &[Struct]) -> String {
    let mut made = String::new();
    for piece in chapter.split("typedef struct ").skip(1) {
        let Some((name, _)) = piece.split_once(" {\n") else { continue };
        let Some(of) = all.iter().find(|s| s.name == name) else { continue };
        let begins = first_bytes(all, name);
        made += &comment(&doc(chapter, &format!("typedef struct {name} {{")), 4);
        made += &format!("    type, bind(c) :: {name}\n");
        for (field, at) in of.fields.iter().zip(layout(name).fields) {
            let dimensions: Vec<String> = field.dimensions.iter().rev().map(usize::to_string).collect();
            let dimensions = if dimensions.is_empty() { String::new() } else { format!("({})", dimensions.join(", ")) };
            let bytes = begins.as_ref().map(|bytes| &bytes[at.offset..at.offset + at.size]);
            let value = bytes.and_then(|bytes| value(all, field, bytes)).map_or(String::new(), |v| format!(" = {v}"));
            made += &format!("        {} :: {}{dimensions}{value}\n", field.kind(), field.name);
        }
        made += "    end type\n\n";
    }
    made
}

fn layout(name: &str) -> &'static dem::layouts::Layout {
    dem::structs::all().iter().find(|layout| layout.name == name).unwrap_or_else(|| panic!("{name}"))
}

/// The bytes with which an input begins: those of `dem_defaults`, or as this file says. None of what is an output only.
fn first_bytes(all: &[Struct], name: &str) -> Option<Vec<u8>> {
    let layout = layout(name);
    let mut bytes = vec![0; layout.size];
    let constant = name.to_uppercase().replace("DEM_", "DEM_DEFAULT_");
    if let Some((_, rest)) = DEFAULTS.split_once(&format!("const {constant}: u32 = ")) {
        let which = rest.split(';').next().unwrap().parse().unwrap();
        assert!(dem::defaults::fill_bytes(&mut bytes, which), "{name}");
        return Some(bytes);
    }
    let own = BEGINS.iter().filter(|(of, ..)| *of == name);
    if own.clone().count() == 0 && !ZERO.contains(&name) {
        return None;
    }
    let of = all.iter().find(|s| s.name == name).unwrap();
    for (field, at) in of.fields.iter().zip(layout.fields).filter(|(field, _)| field.is_struct()) {
        if let Some(inner) = first_bytes(all, &field.of) {
            bytes[at.offset..at.offset + at.size].copy_from_slice(&inner);
        }
    }
    for (_, field, place, value) in own {
        let at = layout.fields.iter().find(|f| f.name.trim_start_matches("r#") == *field).unwrap().offset;
        match value {
            Value::Word(word) => bytes[at + 4 * place..][..4].copy_from_slice(&word.to_ne_bytes()),
            Value::Real(real) => bytes[at + 8 * place..][..8].copy_from_slice(&real.to_ne_bytes()),
        }
    }
    Some(bytes)
}

/// The value of a field in Fortran; none where its type has it by itself.
fn value(all: &[Struct], field: &Field, bytes: &[u8]) -> Option<String> {
    if field.is_struct() {
        let own = first_bytes(all, &field.of);
        // Indices of Fortran count from 1, whatever they do in C.
        if field.of == "dem_indices" || own.as_deref() == Some(bytes) || !field.dimensions.is_empty() {
            return None;
        }
        let own = own.unwrap_or_else(|| panic!("{} has no defaults", field.of));
        let of = all.iter().find(|s| s.name == field.of).unwrap();
        let mut set = Vec::new();
        for (inner, at) in of.fields.iter().zip(layout(&field.of).fields) {
            let range = at.offset..at.offset + at.size;
            if bytes[range.clone()] != own[range.clone()] {
                set.push(format!("{}={}", inner.name, value(all, inner, &bytes[range])?));
            }
        }
        return Some(format!("{}({})", field.of, set.join(", ")));
    }
    let count = field.dimensions.iter().product::<usize>();
    let values: Vec<String> = bytes.chunks(bytes.len() / count).map(|bytes| literal(field, bytes)).collect();
    if values.iter().all(|value| *value == values[0]) {
        return Some(values[0].clone());
    }
    assert_eq!(field.dimensions.len(), 1, "{}", field.name);
    Some(format!("[{}]", values.join(", ")))
}

fn literal(field: &Field, bytes: &[u8]) -> String {
    match field.kind().as_str() {
        "type(c_ptr)" | "type(c_funptr)" => {
            assert!(bytes.iter().all(|byte| *byte == 0), "{}", field.name);
            if field.points || field.of == "void" { "c_null_ptr".into() } else { "c_null_funptr".into() }
        }
        "real(c_double)" => match f64::from_ne_bytes(bytes.try_into().unwrap()) {
            f64::INFINITY => "DEM_INFINITY".into(),
            x if x.fract() == 0.0 => format!("{x}"),
            x => format!("{x}_c_double"),
        },
        kind => {
            let mut wide = [if bytes[bytes.len() - 1] > 127 { 255 } else { 0 }; 8];
            wide[..bytes.len()].copy_from_slice(bytes);
            let number = i64::from_ne_bytes(wide);
            let mark = if kind.contains("64") || kind.contains("size") { "_c_int64_t" } else { "" };
            format!("{number}{}", if i32::try_from(number).is_ok() { "" } else { mark })
        }
    }
}

/// The first sentence of the comment before a declaration.
fn doc(text: &str, declaration: &str) -> String {
    let before = &text[..text.find(declaration).unwrap_or_else(|| panic!("{declaration}"))];
    let comment = before[before.rfind("/**").unwrap() + 3..].split("*/").next().unwrap();
    let flat = comment.lines().map(|line| line.trim_start_matches([' ', '*']).trim()).collect::<Vec<_>>().join(" ");
    let end = flat.find(". ").map_or(flat.len(), |end| end + 1);
    flat[..end].trim().to_string()
}

/// Lines of a comment.
fn comment(text: &str, by: usize) -> String {
    wrapped(text.split(' '), &format!("{:by$}!", ""), "", 114 - by)
}

/// Words on lines of a width, each behind the same start; all but the last line with an end.
fn wrapped<'w>(words: impl Iterator<Item = &'w str>, start: &str, end: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in words {
        if lines.last().unwrap().len() + word.len() + 1 > width {
            lines.push(String::new());
        }
        let line = lines.last_mut().unwrap();
        line.push(' ');
        line.push_str(word);
    }
    let last = lines.len() - 1;
    (0..=last).map(|i| format!("{start}{}{}\n", lines[i], if i < last { end } else { "" })).collect()
}

/// The name of the function that a prototype declares.
fn name_of(prototype: &str) -> String {
    prototype.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap().to_string()
}

/// The interfaces of the functions of a chapter.
fn interfaces(chapter: &str, all: &str) -> String {
    let mut made = String::new();
    for prototype in prototypes(&format!("/* {chapter}")) {
        let name = name_of(&prototype);
        if name == "dem_host_panic" {
            continue;
        }
        let (head, list) = prototype.split_once('(').unwrap();
        let list = list.rsplit_once(')').unwrap().0;
        let arguments: Vec<Argument> =
            list.split(',').map(|text| Argument::new(&name, text)).filter(|a| a.name != "void").collect();
        made += &comment(&doc(all, &prototype), 4);
        let names = arguments.iter().map(|a| a.name.as_str()).collect::<Vec<_>>().join(", ");
        let first = format!("function {name}({names}) bind(c)");
        let wrapped = wrapped(first.split(' '), "   ", " &", 112);
        made += &wrapped.replace("&\n   ", "&\n           ");
        made += "        import\n";
        for argument in &arguments {
            made += &format!("        {}\n", argument.declared);
        }
        let returned =
            if head.contains('*') { Some("type(c_ptr)".to_string()) } else { number(head.split(' ').next().unwrap()) };
        made += &format!("        {} :: {name}\n    end function\n\n", returned.unwrap());
    }
    made
}

struct Argument {
    name: String,
    declared: String,
}

impl Argument {
    fn new(function: &str, text: &str) -> Argument {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let rows = text.contains(")[2]");
        let plain = text.replace("(*", "*").replace(")[2]", "");
        let (of, name) = plain.rsplit_once([' ', '*']).unwrap_or(("", &plain));
        let stars = plain.matches('*').count();
        let is_const = of.starts_with("const ");
        let of = of.trim_start_matches("const ").trim_end_matches(['*', ' ']);
        let declared = match stars {
            0 if CALLBACKS.contains(&of) => format!("type(c_funptr), value :: {name}"),
            0 => number(of).map_or(String::new(), |kind| format!("{kind}, value :: {name}")),
            1 if HANDLES.contains(&of) => format!("type(c_ptr), value :: {name}"),
            1 => {
                let kind = number(of).unwrap_or_else(|| format!("type({of})"));
                let intent = match (is_const, of) {
                    (true, _) => "in",
                    (_, "dem_error") => "out",
                    _ => "inout",
                };
                let list = match rows {
                    true => "(2, *)",
                    false if is_list(function, of, name) => "(*)",
                    false => "",
                };
                format!("{kind}, intent({intent}), optional :: {name}{list}")
            }
            _ => format!("type(c_ptr), intent(inout), optional :: {name}"),
        };
        Argument { name: name.into(), declared }
    }
}

fn is_list(function: &str, of: &str, name: &str) -> bool {
    if ONE.contains(&of) || function == "dem_springs_take_over" && of.starts_with("dem_") {
        return false;
    }
    let is_list = LISTS.contains(&name);
    assert!(is_list || SINGLE.contains(&name), "{function}: say in fortran.rs whether `{name}` is a list");
    is_list
}

/// Types of numbers of arrays: the end of names, the type in Fortran, `type` of `dem_array`.
const NUMBERS: [(&str, &str, &str); 4] = [
    ("f64", "real(c_double)", "DEM_F64"),
    ("f32", "real(c_float)", "DEM_F32"),
    ("i32", "integer(c_int32_t)", "DEM_I32"),
    ("i64", "integer(c_int64_t)", "DEM_U64"),
];

/// Items of lists by their strides: function, type of the view, list, stride, type of the item, and what it is.
const ITEMS: [(&str, &str, &str, &str, &str, &str); 3] = [
    ("dem_contact_at", "dem_scene_contacts", "contacts", "contact_stride", "dem_contact", "Contact `i` of a view"),
    ("dem_pair_at", "dem_scene_contacts", "pairs", "pair_stride", "dem_scene_pair", "Pair `i` of a view"),
    ("dem_slot_body", "dem_world_slots", "bodies", "body_stride", "dem_body", "The body in slot `i` of a view"),
];

/// Names for procedures that are there for several types.
fn generic() -> String {
    let mut made = String::new();
    let mut block = |name: &str, comment: &str, all: Vec<String>| {
        made += &format!(
            "    ! {comment}\n    interface {name}\n        procedure {}\n    end interface\n",
            all.join(", ")
        );
        made += &format!("    private :: {}\n\n", all.join(", "));
    };
    let both = |name: &str, rank: usize| NUMBERS.map(|(end, ..)| format!("{name}_{end}_{rank}")).to_vec();
    for (name, comment) in [
        ("dem_array_of", "Where the numbers of an input are: a(n), a(3,n), or a(n,3) with `items = 1`."),
        ("dem_output_of", "Where the numbers of an output are to be, likewise."),
    ] {
        // Two lines, which are short enough.
        block(name, comment, both(name, 1));
        block(name, comment, both(name, 2));
    }
    for (name, _, _, _, _, what) in ITEMS {
        block(name, &format!("{what}, from 1 on."), ["i32", "i64"].map(|end| format!("{name}_{end}")).to_vec());
    }
    made
}

/// Those procedures, and what tells where indices are.
fn procedures() -> String {
    let mut made = String::new();
    for (end, kind, number) in NUMBERS {
        made += &ARRAYS.replace("@END@", end).replace("@KIND@", kind).replace("@NUMBER@", number);
    }
    made += INDICES;
    for (name, view, list, stride, item, _) in ITEMS {
        for (end, kind) in [("i32", "c_int32_t"), ("i64", "c_int64_t")] {
            made += &format!(
                "
    function {name}_{end}(view, i) result(item)
        type({view}), intent(in) :: view
        integer({kind}), intent(in) :: i
        type({item}), pointer :: item
        call c_f_pointer(moved(view%{list}, int(i - 1, c_intptr_t) * view%{stride}), item)
    end function
"
            );
        }
    }
    made
}

const ARRAYS: &str = "
    function dem_array_of_@END@_1(a) result(array)
        @KIND@, pointer, contiguous, intent(in) :: a(:)
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, kind=c_size_t), stride=number, type=@NUMBER@)
        if (size(a) > 0) array%data = c_loc(a)
    end function

    function dem_array_of_@END@_2(a, items) result(array)
        @KIND@, pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_array) :: array
        integer(c_size_t), parameter :: number = storage_size(a) / 8
        array = dem_array(count=size(a, 2, c_size_t), stride=number * size(a, 1), type=@NUMBER@)
        if (size(a) > 0) array%data = c_loc(a)
        if (.not. present(items)) return
        if (items == 2) return
        array%count = size(a, 1, c_size_t)
        array%stride = number
        array%component_stride = number * array%count
    end function

    function dem_output_of_@END@_1(a) result(output)
        @KIND@, pointer, contiguous, intent(in) :: a(:)
        type(dem_output) :: output
        output = as_output(dem_array_of(a))
    end function

    function dem_output_of_@END@_2(a, items) result(output)
        @KIND@, pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items
        type(dem_output) :: output
        output = as_output(dem_array_of(a, items))
    end function
";

const INDICES: &str = "
    ! Where the indices of triangles or pairs are: a(3,n), or a(n,3) with `items = 1`; they count from 1, or from `base`.
    function dem_indices_of(a, items, base) result(indices)
        integer(c_int32_t), pointer, contiguous, intent(in) :: a(:, :)
        integer, intent(in), optional :: items, base
        type(dem_indices) :: indices
        type(dem_array) :: array
        array = dem_array_of(a, items)
        indices = dem_indices(array%data, array%count, array%stride, array%component_stride)
        if (present(base)) indices%base = int(base, c_int32_t)
    end function
";
