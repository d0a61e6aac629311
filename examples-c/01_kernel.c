/*
 * The distance kernel alone, on arrays that a solver already has: structs with other fields, and a structure of arrays.
 * The program copies and converts nothing; the library reads and writes in place, through strides.
 *
 * The program compares every distance with its closed form, and the results of all instruction sets of this machine.
 */
#include <dem_papers.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 1000 };

/* A solver's own record: triangles among other fields. The library writes the results into it. */
typedef struct element {
    int32_t id;
    double mine[3][3];
    float temperature;
    double other[3][3];
    double gap;
    double on_mine[3];
    double on_other[3];
    uint32_t feature[2];
} element;

/* The same triangles as a structure of arrays: row 3 * vertex + axis, one column a triangle. */
static double rows_mine[9][PAIRS], rows_other[9][PAIRS], gaps[PAIRS];
static element elements[PAIRS];
static double expected[PAIRS];
static int mistakes = 0;

static void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Ends the program if a call fails; a solver would handle the error. */
static void must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT];
    if (status != DEM_OK) {
        (void)dem_error_format(sentence, sizeof sentence, NULL, error);
        printf("%s: %s\n", dem_status_string(status), sentence);
        exit(2);
    }
}

static void corner(double to[3], double x, double y, double z) {
    to[0] = x, to[1] = y, to[2] = z;
}

/* Four kinds of pairs whose distance is known. */
static double pair(int sort, double h, double mine[3][3], double other[3][3]) {
    corner(mine[0], 0, 0, 0), corner(mine[1], -1, 0, 0), corner(mine[2], 0, -1, 0);
    switch (sort) {
    case 0: /* a face above a face */
        corner(other[0], 0.1, 0.1, h), corner(other[1], -1.1, 0.1, h), corner(other[2], 0.1, -1.1, h);
        return h;
    case 1: /* a vertex towards a vertex */
        corner(other[0], h, 2 * h, 2 * h), corner(other[1], h + 1, 2 * h, 2 * h), corner(other[2], h, 2 * h + 1, 2 * h);
        return 3 * h;
    case 2: /* edges that cross above each other */
        corner(other[0], -0.5, -2, h), corner(other[1], -0.5, 2, h), corner(other[2], -0.5, 0, h + 1);
        return h;
    default: /* triangles that cross */
        corner(other[0], -0.25, -0.25, -h), corner(other[1], -0.3, -0.25, h), corner(other[2], 5, 5, h);
        return 0;
    }
}

static void fill(void) {
    for (int i = 0; i < PAIRS; i += 1) {
        element *e = &elements[i];
        e->id = i;
        expected[i] = pair(i % 4, 0.01 * (i + 1), e->mine, e->other);
        for (int row = 0; row < 9; row += 1) {
            rows_mine[row][i] = e->mine[row / 3][row % 3];
            rows_other[row][i] = e->other[row / 3][row % 3];
        }
    }
}

/* Arrays of structs: distance, closest points and features, written into the structs. */
static void array_of_structs(void) {
    dem_error error;
    dem_triangles mine = dem_triangles_f64(&elements[0].mine[0][0], PAIRS);
    dem_triangles other = dem_triangles_f64(&elements[0].other[0][0], PAIRS);
    dem_closest_points results;
    mine.stride = other.stride = sizeof(element);
    results = dem_closest_points_default();
    results.distance = dem_output_f64(&elements[0].gap, PAIRS);
    results.point_a = dem_output_f64(elements[0].on_mine, PAIRS);
    results.point_b = dem_output_f64(elements[0].on_other, PAIRS);
    results.features = dem_output_u32(elements[0].feature, PAIRS);
    results.distance.stride = results.point_a.stride = results.point_b.stride = sizeof(element);
    results.features.stride = sizeof(element);
    must(dem_triangle_distance(&results, &mine, &other, NULL, NULL, &error), &error);
    for (int i = 0; i < PAIRS; i += 1) {
        const element *e = &elements[i];
        double apart = 0;
        for (int k = 0; k < 3; k += 1) {
            apart += (e->on_mine[k] - e->on_other[k]) * (e->on_mine[k] - e->on_other[k]);
        }
        check("distance of structs", fabs(e->gap - expected[i]) <= 1e-12 * 12);
        check("closest points are as far apart", fabs(sqrt(apart) - expected[i]) <= 1e-12 * 12);
        check("exactly 0 only where they cross", (e->gap == 0) == (i % 4 == 3));
        check("vertex to vertex", i % 4 != 1 || (e->feature[0] == DEM_FEATURE_VERTEX_0 &&
            e->feature[1] == DEM_FEATURE_VERTEX_0));
        check("nothing else was touched", e->id == i && e->temperature == 0);
    }
}

/* Structure of arrays: only distances; the same bits as before. */
static void structure_of_arrays(uint32_t isa) {
    dem_error error;
    dem_triangles mine = dem_triangles_f64(&rows_mine[0][0], PAIRS);
    dem_triangles other = dem_triangles_f64(&rows_other[0][0], PAIRS);
    dem_closest_points results;
    dem_triangle_options options;
    mine.stride = other.stride = sizeof(double);
    mine.component_stride = other.component_stride = sizeof rows_mine[0];
    results = dem_closest_points_default();
    options = dem_triangle_options_default();
    results.distance = dem_output_f64(gaps, PAIRS);
    options.isa = isa;
    memset(gaps, 0xff, sizeof gaps);
    must(dem_triangle_distance(&results, &mine, &other, NULL, &options, &error), &error);
    for (int i = 0; i < PAIRS; i += 1) {
        check("the same bits", memcmp(&gaps[i], &elements[i].gap, sizeof(double)) == 0);
    }
}

/* One triangle against many, and a list of pairs, in single precision. */
static void other_pairings(void) {
    dem_error error;
    float ground[9] = {-100, -100, 0, 100, -100, 0, 0, 200, 0}, bodies[4][9], gap[4];
    uint32_t list[2][2] = {{0, 3}, {0, 1}};
    dem_triangles a = dem_triangles_f32(ground, 1), b = dem_triangles_f32(bodies[0], 4);
    dem_indices pairs = dem_indices_u32(list[0], 2);
    dem_closest_points results;
    for (int i = 0; i < 4; i += 1) {
        float body[9] = {0, 0, (float)(i + 1), 1, 0, (float)(i + 2), 0, 1, (float)(i + 2)};
        memcpy(bodies[i], body, sizeof body);
    }
    results = dem_closest_points_default();
    results.distance = dem_output_f32(gap, 4);
    must(dem_triangle_distance(&results, &a, &b, NULL, NULL, &error), &error);
    check("one against many", gap[0] == 1 && gap[1] == 2 && gap[2] == 3 && gap[3] == 4);
    must(dem_triangle_distance(&results, &a, &b, &pairs, NULL, &error), &error);
    check("a list of pairs", gap[0] == 4 && gap[1] == 2);
}

int main(void) {
    puts("Distances of pairs of triangles, in arrays of the program's own.");
    uint32_t isas[DEM_ISA_COUNT];
    size_t count = 0;
    dem_error error;
    fill();
    array_of_structs();
    must(dem_isa_list(isas, DEM_ISA_COUNT, &count, &error), &error);
    for (size_t i = 0; i < count; i += 1) {
        structure_of_arrays(isas[i]);
        printf("%d pairs with %s: the same bits\n", PAIRS, dem_isa_name(isas[i]));
    }
    other_pairings();
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
