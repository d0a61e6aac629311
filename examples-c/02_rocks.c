/*
 * Two rocks from STL files pass each other. In each step the program finds all pairs of triangles within the halos, and
 * the distance of the rocks.
 *
 *   02_rocks [A.stl B.stl]       without arguments: two rocks of 1,280 triangles from tests/data
 *
 * Shapes are built once, in memory of this program; a step only changes a pose. The array of pairs grows when the
 * library tells how many there are. The program checks what holds for any files: exchanging the rocks exchanges the
 * answer, pairs and distance agree, and rocks far apart have no pairs. For its own rocks, it also checks the number of
 * pairs at the start.
 */
#include "stl.h"
#include <dem_mesh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 16, KNOWN_PAIRS = 68 };
static const double halo = 0.01;
static int mistakes = 0;

/* Memory for pairs and scratch of queries. A solver keeps one of these for each thread. */
typedef struct workspace {
    dem_triangle_pair *pairs;
    size_t capacity;
    size_t count;
    void *scratch;
    size_t scratch_size;
    int growths;
} workspace;

static void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Ends the program if a call fails; a solver would handle the error. */
static void must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT] = "";
    if (status < 0) {
        (void)dem_error_format(sentence, sizeof sentence, NULL, error);
        fprintf(stderr, "%s: %s\n", dem_status_string(status), sentence);
        exit(2);
    }
}

static void *memory(size_t size) {
    void *bytes = malloc(size);
    if (bytes == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    return bytes;
}

/* Builds a shape from the triangles of a file. Free `block`: the shape begins at an aligned address inside of it. */
static dem_shape *build(const char *path, void **block) {
    float *corners = NULL;
    size_t triangles = 0, size = 0;
    dem_error error;
    dem_shape_desc desc;
    dem_shape *shape = NULL;
    const char *wrong = stl_read(path, &corners, &triangles);
    if (wrong != NULL) {
        fprintf(stderr, "%s: %s\n", path, wrong);
        exit(2);
    }
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f32(corners, 3 * triangles);
    desc.halo = halo;
    desc.cells = 0; /* pairs of triangles need none */
    must(dem_shape_layout(&size, NULL, &desc, &error), &error);
    *block = memory(size + DEM_ALIGN - 1);
    must(dem_shape_init(dem_align(*block), size, &shape, &desc, &error), &error);
    free(corners);
    return shape;
}

static void need_scratch(workspace *w, size_t size) {
    if (size > w->scratch_size) {
        free(w->scratch);
        w->scratch = memory(size);
        w->scratch_size = size;
    }
}

/* Finds all pairs. If the array is too small, the library tells how many there are, and a second call gets all. */
static void find_pairs(workspace *w, const dem_query *query) {
    dem_error error;
    for (int attempt = 0;; attempt += 1) {
        need_scratch(w, dem_scratch_needed(dem_pairs(w->pairs, w->capacity, 0, NULL, query, NULL, 0, &error), &error));
        int32_t status = dem_pairs(w->pairs, w->capacity, 0, &w->count, query, w->scratch, w->scratch_size, &error);
        if (status != DEM_ERROR_CAPACITY) {
            must(status, &error);
            return;
        }
        check("one growth is enough", attempt == 0);
        check("the number needed is the count", error.needed == w->count && w->count > w->capacity);
        free(w->pairs);
        w->capacity = (size_t)error.needed;
        w->pairs = (dem_triangle_pair *)memory(w->capacity * sizeof(dem_triangle_pair));
        w->growths += 1;
    }
}

/* Finds the closest pair of triangles. */
static dem_triangle_pair closest(workspace *w, const dem_query *query) {
    dem_error error;
    dem_triangle_pair pair;
    need_scratch(w, dem_scratch_needed(dem_min_distance(&pair, sizeof pair, query, NULL, 0, &error), &error));
    int32_t status = dem_min_distance(&pair, sizeof pair, query, w->scratch, w->scratch_size, &error);
    must(status, &error);
    check("without a bound there is always a closest pair", status == DEM_OK);
    return pair;
}

/* Checks that pairs are ordered and within the threshold, and that the smallest distance is that of the rocks. */
static void check_pairs(const workspace *w, double distance) {
    double smallest = INFINITY;
    for (size_t i = 0; i < w->count; i += 1) {
        const dem_triangle_pair *p = &w->pairs[i], *before = p - (i > 0);
        check("within the threshold", p->distance <= 2 * halo);
        check("ordered", i == 0 || before->a < p->a || (before->a == p->a && before->b < p->b));
        smallest = fmin(smallest, p->distance);
    }
    check("pairs exactly where the rocks are that near", (w->count > 0) == (distance <= 2 * halo));
    check("the distance is that of the nearest pair", w->count == 0 || smallest == distance);
}

static int by_exchanged_ids(const void *left, const void *right) {
    const dem_triangle_pair *x = (const dem_triangle_pair *)left, *y = (const dem_triangle_pair *)right;
    if (x->b != y->b) {
        return x->b < y->b ? -1 : 1;
    }
    return (x->a > y->a) - (x->a < y->a);
}

/* Checks that exchanging the rocks exchanges the answer, to the last bit. */
static void check_exchanged(workspace *w, const dem_query *query) {
    workspace other = {NULL, 0, 0, NULL, 0, 0};
    dem_query exchanged = *query;
    exchanged.a = query->b, exchanged.pose_a = query->pose_b;
    exchanged.b = query->a, exchanged.pose_b = query->pose_a;
    find_pairs(&other, &exchanged);
    check("as many pairs when exchanged", other.count == w->count);
    if (other.count == w->count && w->count > 0) {
        qsort(other.pairs, other.count, sizeof *other.pairs, by_exchanged_ids);
        for (size_t i = 0; i < w->count; i += 1) {
            const dem_triangle_pair *p = &w->pairs[i], *q = &other.pairs[i];
            check("the same pairs when exchanged", p->a == q->b && p->b == q->a);
            check("the same distances", memcmp(&p->distance, &q->distance, sizeof p->distance) == 0);
            check("the same points", memcmp(p->point_a, q->point_b, sizeof p->point_a) == 0 &&
                                         memcmp(p->point_b, q->point_a, sizeof p->point_b) == 0);
        }
    }
    free(other.pairs);
    free(other.scratch);
}

/* A unit vector across the line of centres: the direction in which rock B slides past rock A. */
static void across(const double from[3], const double to[3], double direction[3]) {
    double line[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    int axis = fabs(line[0]) < fabs(line[1]) ? 0 : 1;
    double other[3] = {axis == 0, axis == 1, 0};
    direction[0] = line[1] * other[2] - line[2] * other[1];
    direction[1] = line[2] * other[0] - line[0] * other[2];
    direction[2] = line[0] * other[1] - line[1] * other[0];
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (int k = 0; k < 3; k += 1) {
        direction[k] = length > 0 ? direction[k] / length : other[k];
    }
}

/* In step 0 the rocks are where the files place them. Then B slides past A, and is far away in the last step. */
static void pass(workspace *w, dem_query *query, int own_rocks) {
    dem_error error;
    dem_shape_info a, b;
    double direction[3];
    must(dem_shape_describe(&a, sizeof a, query->a, &error), &error);
    must(dem_shape_describe(&b, sizeof b, query->b, &error), &error);
    across(a.centre, b.centre, direction);
    const double reach = 2 * (a.radius + b.radius + 2 * halo);
    printf("A: %u triangles, B: %u, threshold %g\n", (unsigned)a.triangles, (unsigned)b.triangles, 2 * halo);
    printf("step  moved     pairs  distance\n");
    for (int step = 0; step < STEPS; step += 1) {
        double along = step + 1 < STEPS ? reach * 0.2 * step / STEPS : reach;
        for (int k = 0; k < 3; k += 1) {
            query->pose_b.position[k] = along * direction[k];
        }
        find_pairs(w, query);
        dem_triangle_pair nearest = closest(w, query);
        printf("%4d  %-8.4f %6zu  %.6f\n", step, along, w->count, nearest.distance);
        check_pairs(w, nearest.distance);
        check_exchanged(w, query);
        check("the known number of pairs", step != 0 || !own_rocks || w->count == KNOWN_PAIRS);
    }
    check("none far away", w->count == 0);
}

int main(int arguments, char **argument) {
    char own_a[1024], own_b[1024];
    void *block_a = NULL, *block_b = NULL;
    workspace w = {NULL, 0, 0, NULL, 0, 0};
    dem_query query;
    if (arguments != 1 && arguments != 3) {
        fprintf(stderr, "usage: %s [A.stl B.stl]\n", argument[0]);
        return 2;
    }
    puts("Two rocks from STL files pass each other: all near pairs of triangles, and the distance.");
    query = dem_query_default();
    int own_rocks = arguments == 1;
    query.a = build(own_rocks ? stl_of_tests(own_a, argument[0], "rock_a_1280.stl") : argument[1], &block_a);
    query.b = build(own_rocks ? stl_of_tests(own_b, argument[0], "rock_b_1280_touch.stl") : argument[2], &block_b);
    pass(&w, &query, own_rocks);
    printf("the array of pairs grew %d times, to %zu\n", w.growths, w.capacity);
    free(w.pairs);
    free(w.scratch);
    free(block_a);
    free(block_b);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
