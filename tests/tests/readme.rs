//! The README and the documents of worlds and laws: their lines of C are true. (Its Rust is run with the examples in the documents, its commands by `.ci/run`.)

mod c_common;

use c_common::{compiler, root, run, scratch};

/// What the lines of C leave to the reader.
const BEFORE: &str = "#include <dem_heap.h>
#include <dem_pair.h>
#include <dem_world.h>
typedef struct step { dem_contact *contacts; double *springs; } step;
int32_t readme(const double *vertices, size_t triangles, dem_triangle_pair *pairs, size_t capacity, void *block, void *scratch,
               step now, step last, dem_contact_link *links, dem_contact_event *events);
int32_t readme(const double *vertices, size_t triangles, dem_triangle_pair *pairs, size_t capacity, void *block, void *scratch,
               step now, step last, dem_contact_link *links, dem_contact_event *events) {
    dem_shape_desc desc;
    dem_query query;
    dem_placed_query placed;
    dem_contact_list before = {0}, after = {0};
    size_t event_count;
    dem_shape *rock;
    dem_error error;
    dem_block world = dem_heap();
    dem_scene *scene = NULL;
    dem_scene_query scene_query;
    dem_scene_counts counts;
    dem_scene_contacts view;
    dem_output forces_on_bodies = {0}, torques_on_bodies = {0}, loads_of_vertices = {0};
    dem_scene_surface wall = {0};
    dem_array forces_of_contacts = {0}, torques_of_contacts = {0};
    dem_tasks tasks = {0};
    dem_scene_motion motion;
    double velocities_at_contacts[3];
    size_t size, scratch_size, count;
    int32_t status;
    const dem_world_query world_query = dem_world_query_default();
    const dem_array forces_of_the_flow = {0};
    const double window = 1, dt = 1;
";

/// The same for docs/world.md.
const BEFORE_WORLDS: &str = "#include <dem_world.h>
#include <dem_heap.h>
#include <stdio.h>
#include <string.h>
int32_t worlds(void *block, void *snapshot, void *scratch, size_t scratch_size);
int32_t worlds(void *block, void *snapshot, void *scratch, size_t scratch_size) {
    const dem_world_desc desc = dem_world_desc_default(9);
    const dem_world_setup setup = dem_world_setup_default();
    const dem_member member = dem_member_default();
    const dem_world_query query = dem_world_query_default();
    const dem_array forces = {0};
    const double window = 1, dt = 1, most_dt = 1, *load = block;
    double *mean = block;
    const dem_output loads = {0};
    const dem_scene_surface surface = {0};
    const dem_refit_desc moved = {0};
    dem_shape *piston = block;
    const size_t vertices = 0, piston_size = 0;
    dem_scene_contacts contacts;
    dem_host_law law;
    uint8_t *bytes = snapshot;
    const uint64_t leaving[1] = {0};
    const size_t capacity = 9, leaving_count = 1;
    size_t count;
    dem_world *here = block, *there = block;
    dem_world *world;
    dem_error error;
    uint64_t handle;
    uint32_t want;
    size_t size;
    const int32_t status = 0;
";

/// The same for docs/forces.md.
const BEFORE_LAWS: &str = "#include <dem_world.h>
int32_t laws(double weight, double area, double halo);
int32_t laws(double weight, double area, double halo) {
    dem_error error;
    const int32_t status = 0;
";

/// It is built and run with the documents; as an example it can be run by itself.
#[test]
fn the_first_programs_come_before_all_else_and_are_those_of_the_examples() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut programs = text.split("```").skip(1).step_by(2);
    for (language, example) in [("c", "examples-c/00_first.c"), ("rust", "dem-std/examples/scene.rs")] {
        let example = std::fs::read_to_string(root().join(example)).unwrap();
        assert_eq!(programs.next(), Some(&*format!("{language}\n{example}")));
        assert!(example.lines().count() <= 40, "{example}");
    }
    let (before, _) = text.split_once("```rust").unwrap();
    assert!(!before.contains("\n## "), "{before}");
}

#[test]
fn the_lines_of_c_compile_without_warnings() {
    for (document, before) in [("README.md", BEFORE), ("docs/world.md", BEFORE_WORLDS), ("docs/forces.md", BEFORE_LAWS)]
    {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let blocks = text.split("```c\n").skip(1).map(|rest| rest.split_once("```").unwrap().0);
        let (programs, lines): (Vec<_>, Vec<_>) = blocks.partition(|block| block.contains("int main("));
        // A whole program is the one that is built and run beside the library.
        let examples = if document == "README.md" { &["00_first.c", "30_crates.c"][..] } else { &[] };
        let examples =
            examples.iter().map(|name| std::fs::read_to_string(root().join("examples-c").join(name)).unwrap());
        assert_eq!(programs, examples.collect::<Vec<_>>());
        let lines = lines.concat();
        assert!(!lines.is_empty(), "{document} has lines of C");
        let file = scratch("readme").join("lines.c");
        std::fs::write(&file, format!("{before}{lines}    return status;\n}}\n")).unwrap();
        run(compiler("c11").arg("-fsyntax-only").arg(file));
    }
}

/// Whoever reads an example has it beside his own program.
#[test]
fn lines_of_examples_have_at_most_120_columns() {
    let folder = root().join("examples-c");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_source = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|e| ["c", "cpp", "h", "hpp", "f90"].iter().any(|own| e == *own))
    };
    let files = files.chain([root().join("include/dem_heap.h")]).filter(is_source);
    let mut long = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let lines = text.lines().zip(1..).filter(|(line, _)| line.chars().count() > 120);
        long.extend(lines.map(|(_, number)| format!("{name}:{number}")));
    }
    assert_eq!(long, [""; 0]);
}
