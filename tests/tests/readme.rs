//! The README: its lines of C are true. (Its Rust is run with the examples in the documents, its commands by `.ci/run`.)

mod c_common;

use c_common::{compiler, root, run, scratch};

/// What the lines of C leave to the reader.
const BEFORE: &str = "#include <dem.h>
int32_t readme(const double *vertices, size_t triangles, dem_triangle_pair *pairs, size_t capacity, void *block, void *scratch);
int32_t readme(const double *vertices, size_t triangles, dem_triangle_pair *pairs, size_t capacity, void *block, void *scratch) {
    dem_shape_desc desc;
    dem_query query;
    dem_shape *rock;
    dem_error error;
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
