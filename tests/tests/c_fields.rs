//! Errors name fields as the header spells them: `tests/c/fields.c` sets every field of every input struct to a value that is wrong.
#![cfg(target_os = "linux")]

mod c_common;

use c_common::{compiler, library, root, run, scratch};
use std::process::Command;

/// Structs that the library writes, or that are fields of others: all others are input, and every field of them is tried.
const OUTPUTS: [&str; 34] = [
    "dem_shortage",
    "dem_error",
    "dem_output",
    "dem_contact_statistics",
    "dem_shape_info",
    "dem_pose",
    "dem_triangle_pair",
    "dem_contact",
    "dem_contact_node",
    "dem_contact_link",
    "dem_contact_blend",
    "dem_contact_event",
    "dem_scene_pair",
    "dem_scene_kept",
    "dem_scene_contacts",
    "dem_grid_report",
    "dem_scene_counts",
    "dem_near_pair",
    "dem_near_motion",
    "dem_box_pair",
    "dem_contact_corner",
    "dem_ray_hit",
    "dem_report",
    "dem_finding",
    "dem_component",
    "dem_mass",
    "dem_too_fast",
    "dem_meeting",
    "dem_springs",
    "dem_taken_over",
    "dem_pair_event",
    "dem_world_slots",
    "dem_host_law",
    "dem_world_report",
];

/// Fields of which no value is wrong by itself, with the reason.
const ANY: [(&str, &str); 31] = [
    ("dem_block.resize", "null: the memory has a fixed size"),
    ("dem_block.context", "only the program reads it"),
    ("dem_compound.count", "the program vouches for the parts"),
    ("dem_contact_list.count", "the program vouches for the contacts"),
    ("dem_contact_list.pair_count", "a tag without a pair is told about the tag"),
    ("dem_contact_list.node_count", "the program vouches for the nodes"),
    ("dem_indices.count", "the program vouches for the indices"),
    ("dem_inspect_options.defects", "bits that mean nothing are ignored"),
    ("dem_member.masks", "any bits"),
    (
        "dem_placed.scale",
        "the bodies of scenes and worlds have scales of their own; those of pairs are looked at as `a.scale`",
    ),
    ("dem_placed_query.tag", "any number"),
    ("dem_placed_query.list_count", "a list that is cut off is told about the list"),
    ("dem_scene_motion.surface_count", "the program vouches for the surfaces"),
    ("dem_scene_query.shape_count", "bodies without a shape are told about `shape_of`"),
    ("dem_world_query.shape_count", "bodies without a shape are told about `shape`"),
    ("dem_world_query.surface_count", "the program vouches for the surfaces"),
    ("dem_segments.count", "the program vouches for the segments"),
    ("dem_triangles.count", "the program vouches for the triangles"),
    ("dem_array.data", "a field of others"),
    ("dem_array.count", "a field of others"),
    ("dem_array.stride", "a field of others"),
    ("dem_array.component_stride", "a field of others"),
    ("dem_array.type", "a field of others"),
    ("dem_array.reserved", "a field of others"),
    ("dem_tasks.run", "null: one thread"),
    ("dem_tasks.user", "only the program reads it"),
    ("dem_tasks.lanes", "the program vouches for its threads"),
    ("dem_tasks.reserved", "a field of others"),
    ("dem_scene_surface.bodies", "its fields are told by their own names"),
    ("dem_block.start", "told as `block`, as the memory of other functions is"),
    ("dem_block.size", "told as `block`, as the memory of other functions is"),
];

/// Whether a text has a word of its own with these letters.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(part) && !after.starts_with(part)
    })
}

#[test]
fn messages_have_the_field_as_the_header_spells_it() {
    let (folder, library) = (scratch("c_fields"), library("c_fields"));
    let program = folder.join("program");
    let mut cc = compiler("c11");
    cc.args(["-O1", "-Wno-unused-function"]).arg(root().join("tests/c/fields.c")).arg("-o").arg(&program);
    run(cc.arg(&library).arg(format!("-Wl,-rpath,{}", folder.display())).arg("-lm"));
    let said = String::from_utf8(run(&mut Command::new(program)).stdout).unwrap();
    let lines: Vec<(&str, &str)> = said.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert!(lines.len() > 250, "{}", lines.len());
    let mut wrong: Vec<String> = Vec::new();
    for (name, message) in &lines {
        // Of `dem_shape_desc.vertices.type`, both names; of `gravity[0]`, its name.
        let fields = name.split('.').skip(1).map(|field| field.split('[').next().unwrap());
        if *message == "accepted" || !fields.into_iter().all(|field| has_word(message, field)) {
            wrong.push(format!("{name}: {message}"));
        }
    }
    let unknown = OUTPUTS.iter().find(|name| dem::structs::all().iter().all(|layout| layout.name != **name));
    assert_eq!(unknown, None, "no such struct");
    for layout in dem::structs::all().iter().filter(|layout| !OUTPUTS.contains(&layout.name)) {
        for field in layout.fields {
            let name = format!("{}.{}", layout.name, field.name.trim_start_matches("r#"));
            let begins = |line: &str| {
                line.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let is_there = lines.iter().any(|(line, _)| begins(line)) || ANY.iter().any(|(any, _)| *any == name);
            if !is_there {
                wrong.push(format!("{name} is not in tests/c/fields.c"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}
