//! The README: its lines of C are true. (Its Rust is run with the examples in the documents, its commands by `.ci/run`.)

mod c_common;

use c_common::{compiler, root, run, scratch};

/// What the lines of C leave to the reader.
const BEFORE: &str = "#include <dem.h>
typedef struct step { dem_contact *contacts; double *springs; } step;
int32_t readme(const double *vertices, size_t triangles, dem_triangle_pair *pairs, size_t capacity, void *block, void *scratch,
               step now, step last, dem_contact_link *links, dem_contact_event *events);
int32_t readme(const double *vertices, size_t triangles, dem_triangle_pair *pairs, size_t capacity, void *block, void *scratch,
               step now, step last, dem_contact_link *links, dem_contact_event *events) {
    dem_shape_desc desc;
    dem_query query;
    dem_contact_query contact_query;
    dem_contact_list before = {0}, after = {0};
    size_t event_count;
    dem_shape *rock;
    dem_error error;
    dem_scene *scene = NULL;
    dem_scene_query scene_query;
    dem_scene_counts found;
    dem_scene_contacts view;
    dem_output forces_on_bodies = {0}, torques_on_bodies = {0}, loads_of_vertices = {0};
    const dem_shape *wall = NULL;
    uint32_t its_number = 0;
    dem_array forces_of_contacts = {0};
    dem_tasks tasks = {0};
    dem_scene_motion motion;
    double velocities_at_contacts[3];
    size_t size, scratch_size, count;
    int32_t status;
";

#[test]
fn the_lines_of_c_compile_without_warnings() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (_, rest) = readme.split_once("```c\n").unwrap();
    let (lines, _) = rest.split_once("```").unwrap();
    let file = scratch("readme").join("lines.c");
    std::fs::write(&file, format!("{BEFORE}{lines}    return status;\n}}\n")).unwrap();
    run(compiler("c11").arg("-fsyntax-only").arg(file));
}
