/*
 * Misuse of the library: every wrong call returns a status, and an error with a place and a message that says what to
 * do. Nothing crashes, and failed calls change nothing.
 *
 * Every case is a mistake that programs make sooner or later. This program prints the messages and checks the statuses;
 * it ends with 0 if all are as expected.
 */
#include <dem_papers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mistakes = 0;

/* Prints the result of a call, and counts unexpected ones. */
static void expect(const char *what, int32_t expected, int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT];
    if (dem_error_format(sentence, sizeof sentence, NULL, error) != DEM_OK) {
        strcpy(sentence, "(no sentence)");
    }
    printf("%-28s %-24s %s\n", what, dem_status_string(status), sentence);
    if (status != expected || error->code != expected) {
        printf("    expected %s\n", dem_status_string(expected));
        mistakes += 1;
    }
}

static void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Buffers that are too small or missing: the error tells the number needed, and the second call succeeds. */
static void short_buffers(void) {
    dem_error error;
    uint32_t isas[DEM_ISA_COUNT] = {0};
    size_t count = 0;
    int32_t status = dem_isa_list(isas, 0, &count, &error);
    expect("no room at all", DEM_ERROR_CAPACITY, status, &error);
    check("the number needed", count > 0 && error.needed == count && error.given == 0 && isas[0] == 0);
    status = dem_isa_list(NULL, count, NULL, &error);
    expect("a null output", DEM_ERROR_NULL, status, &error);
    status = dem_isa_list(isas, count, NULL, &error);
    expect("exactly enough room", DEM_OK, status, &error);
    check("the list begins with scalar", isas[0] == DEM_ISA_SCALAR);
    check("and ends with the best", strcmp(dem_isa_name(isas[count - 1]), dem_isa_name(DEM_ISA_BEST)) == 0);
}

/* Messages of errors: buffers that are too small, and errors without meaning. */
static void short_sentences(void) {
    dem_error error;
    size_t needed = 0;
    char text[DEM_ERROR_TEXT] = "untouched";
    (void)dem_isa_list(NULL, 0, NULL, &error);
    check("null buffer of no bytes", dem_error_format(NULL, 0, &needed, &error) == DEM_ERROR_CAPACITY);
    check("one byte too few", dem_error_format(text, needed - 1, NULL, &error) == DEM_ERROR_CAPACITY && text[0] == 0);
    check("exactly enough", dem_error_format(text, needed, NULL, &error) == DEM_OK && strlen(text) == needed - 1);
    check("no error to write about", dem_error_format(text, sizeof text, NULL, NULL) == DEM_ERROR_NULL);
    error.code = 12345;
    check("numbers that mean nothing", dem_error_format(text, sizeof text, NULL, &error) == DEM_ERROR_OUT_OF_RANGE);
    check("names of nothing", strcmp(dem_status_string(12345), "unknown status") == 0 &&
                                  strcmp(dem_argument_string(12345), "unknown argument") == 0);
}

/* Wrong descriptions of arrays, and numbers that are not finite: the error names the array, the item and the
   component. */
static void wrong_arrays(void) {
    dem_error error;
    double a[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 1, 0, 0, 0, 1, 0}};
    double b[2][9] = {{0, 0, 3, 1, 0, 3, 0, 1, 3}, {0, 0, 4, 1, 0, 4, 0, 1, 4}};
    double distance[2] = {-1, -1};
    const double nan = strtod("nan", NULL);
    const uint32_t list[2][2] = {{0, 1}, {1, 2}};
    dem_triangles ta = dem_triangles_f64(a[0], 2), tb = dem_triangles_f64(b[0], 2), wrong = ta;
    dem_indices pairs = dem_indices_u32(list[0], 2);
    dem_closest_points results = dem_closest_points_default();
    results.distance = dem_output_f64(distance, 2);

    int32_t status = dem_triangle_distance(&results, NULL, &tb, NULL, NULL, &error);
    expect("no triangles", DEM_ERROR_NULL, status, &error);
    check("the argument is named", strcmp(dem_argument_string(error.argument), "a") == 0);
    wrong.data = NULL;
    status = dem_triangle_distance(&results, &wrong, &tb, NULL, NULL, &error);
    expect("a null array", DEM_ERROR_NULL, status, &error);
    wrong = ta, wrong.stride = 4;
    status = dem_triangle_distance(&results, &wrong, &tb, NULL, NULL, &error);
    expect("a stride in the wrong unit", DEM_ERROR_BAD_SIZE, status, &error);
    wrong = ta, wrong.type = 64;
    status = dem_triangle_distance(&results, &wrong, &tb, NULL, NULL, &error);
    expect("an unknown type", DEM_ERROR_OUT_OF_RANGE, status, &error);
    wrong = ta, wrong.stride = SIZE_MAX / 2;
    status = dem_triangle_distance(&results, &wrong, &tb, NULL, NULL, &error);
    expect("a stride out of this world", DEM_ERROR_TOO_LARGE, status, &error);
    wrong = ta, wrong.count = 3;
    status = dem_triangle_distance(&results, &wrong, &tb, NULL, NULL, &error);
    expect("arrays of different length", DEM_ERROR_MISMATCH, status, &error);
    status = dem_triangle_distance(&results, &ta, &tb, &pairs, NULL, &error);
    expect("an index behind the end", DEM_ERROR_BAD_INDEX, status, &error);
    check("which index", error.index == 1 && error.component == 1 && error.given == 2 && error.needed == 2);
    results.distance.count = 1;
    status = dem_triangle_distance(&results, &ta, &tb, NULL, NULL, &error);
    expect("a short output", DEM_ERROR_CAPACITY, status, &error);
    check("how many", error.needed == 2 && error.given == 1);
    results.distance.count = 2;
    b[1][5] = nan;
    status = dem_triangle_distance(&results, &ta, &tb, NULL, NULL, &error);
    expect("a NaN", DEM_ERROR_NOT_FINITE, status, &error);
    check("where it is", error.index == 1 && error.component == 5);
    check("nothing was written by any of these", distance[0] == -1 && distance[1] == -1);
    b[1][5] = 4;
    status = dem_triangle_distance(&results, &ta, &tb, NULL, NULL, &error);
    expect("the same, corrected", DEM_OK, status, &error);
    check("the distances", distance[0] == 3 && distance[1] == 4);
}

/* Blocks that are too small, misaligned, damaged, or copied during a call. */
static void blocks(void) {
    static unsigned char room[65536], copy[65536];
    double corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, 0, 1, 0}};
    dem_error error;
    dem_shape_desc desc;
    dem_shape *shape = NULL, *other = NULL;
    dem_shape_info info;
    size_t size = 0;
    void *block = dem_align(room), *second = dem_align(copy);
    check("defaults", dem_defaults(&desc, sizeof desc, DEM_DEFAULT_SHAPE_DESC, &error) == DEM_OK);

    int32_t status = dem_shape_layout(&size, NULL, &desc, &error);
    expect("a shape of nothing", DEM_ERROR_OUT_OF_RANGE, status, &error);
    desc.vertices = dem_array_f64(corners[0], 5);
    status = dem_shape_layout(&size, NULL, &desc, &error);
    expect("a triangle without its end", DEM_ERROR_CAPACITY, status, &error);
    desc.vertices.count = 6;
    status = dem_shape_layout(&size, NULL, &desc, &error);
    expect("two triangles", DEM_OK, status, &error);
    check("it fits", size + DEM_ALIGN <= sizeof room);

    status = dem_shape_init(NULL, size, &shape, &desc, &error);
    expect("no memory", DEM_ERROR_NULL, status, &error);
    status = dem_shape_init((char *)block + 8, size, &shape, &desc, &error);
    expect("a misaligned block", DEM_ERROR_MISALIGNED, status, &error);
    status = dem_shape_init(block, 4096, &shape, &desc, &error);
    expect("a block that is too short", DEM_ERROR_CAPACITY, status, &error);
    check("how long it should be", error.needed == size && error.given == 4096);
    desc.vertices.data = block;
    status = dem_shape_init(block, size, &shape, &desc, &error);
    expect("vertices inside the block", DEM_ERROR_OVERLAP, status, &error);
    desc.vertices.data = corners[0];
    desc.halo = -1;
    status = dem_shape_init(block, size, &shape, &desc, &error);
    expect("a negative halo", DEM_ERROR_OUT_OF_RANGE, status, &error);
    check("no shape by any of these", shape == NULL);
    desc.halo = 0.1;
    status = dem_shape_init(block, size, &shape, &desc, &error);
    expect("as it should be", DEM_OK, status, &error);

    status = dem_shape_describe(&info, sizeof info, (const dem_shape *)second, &error);
    expect("memory that is no shape", DEM_ERROR_DAMAGED, status, &error);
    check("how long it is", dem_shape_describe(&info, sizeof info, shape, &error) == DEM_OK && info.size < size);
    size = (size_t)info.size;
    memcpy(second, block, size);
    status = dem_shape_describe(&info, sizeof info, (const dem_shape *)second, &error);
    expect("a copy is a shape", DEM_OK, status, &error);
    check("of two triangles", info.triangles == 2 && info.halo == 0.1);
    status = dem_shape_open(second, size - 1, &other, &error);
    expect("a file cut short", DEM_ERROR_CAPACITY, status, &error);
    ((unsigned char *)second)[size - 100] ^= 1;
    status = dem_shape_open(second, size, &other, &error);
    expect("one bit of a file is wrong", DEM_ERROR_DAMAGED, status, &error);
    ((unsigned char *)second)[size - 100] ^= 1;
    /* A copy that was made while another thread changed the block. Its first line has the mark of a call in progress,
       as a second thread would see it. */
    ((unsigned char *)second)[24] = 1;
    status = dem_shape_describe(&info, sizeof info, (const dem_shape *)second, &error);
    expect("in use by another thread", DEM_ERROR_BUSY, status, &error);
    ((unsigned char *)second)[24] = 2;
    status = dem_shape_describe(&info, sizeof info, (const dem_shape *)second, &error);
    expect("left behind by a panic", DEM_ERROR_POISONED, status, &error);
    status = dem_shape_open(second, size, &other, &error);
    expect("checked and opened", DEM_OK, status, &error);
}

/* Structs of a program that was compiled with the header of another version. */
static void versions(void) {
    dem_error error;
    double a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, distance = -1;
    dem_triangles triangle = dem_triangles_f64(a, 1);
    dem_closest_points results;
    struct {
        dem_triangle_options known;
        uint32_t newer[4];
    } options = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    results = dem_closest_points_default();
    results.distance = dem_output_f64(&distance, 1);

    int32_t status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("a struct_size of 0", DEM_ERROR_BAD_SIZE, status, &error);
    options.known.struct_size = 8;
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("a struct_size of a pointer", DEM_ERROR_BAD_SIZE, status, &error);
    options.known.struct_size = sizeof options.known - 1;
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("a struct_size amid a field", DEM_ERROR_BAD_SIZE, status, &error);
    options.known.struct_size = offsetof(dem_triangle_options, reserved);
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("an older, smaller struct", DEM_OK, status, &error);
    options.known.struct_size = sizeof options;
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("a newer one, nothing new set", DEM_OK, status, &error);
    options.newer[3] = 1;
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("a newer one, something set", DEM_ERROR_BAD_SIZE, status, &error);
    options.known.struct_size = sizeof options.known;
    options.known.isa = 77;
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, &options.known, &error);
    expect("no such instruction set", DEM_ERROR_UNSUPPORTED, status, &error);
    results.struct_size = 3;
    status = dem_triangle_distance(&results, &triangle, &triangle, NULL, NULL, &error);
    expect("results never initialised", DEM_ERROR_BAD_SIZE, status, &error);
    check("header and library agree", dem_abi_version() == DEM_ABI_VERSION && dem_version() == DEM_VERSION);
}

int main(void) {
    puts("Mistakes of programs, and what the library says about each.");
    printf("%-28s %-24s %s\n", "mistake", "status", "what dem_error_format says");
    short_buffers();
    short_sentences();
    wrong_arrays();
    blocks();
    versions();
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
