/*
 * No heap and no operating system: shapes, scratch and results are in static arrays. The program uses libdem_core.a,
 * which is for such machines. (This program still has a libc, to print with.)
 *
 * Two facts prove that nothing allocates. `make core`, which built the library, refuses a library that needs more than
 * the header says (memcpy, memmove, memset, memcmp, dem_host_panic). And the allocator of this program is the one
 * below, which gives no memory and counts requests.
 *
 * Two cubes approach. Every result is compared with all pairs of their triangles, one by one, and with closed forms.
 */
#include <dem_mesh.h>
#include <dem_papers.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIANGLES = 12, ALL = TRIANGLES * TRIANGLES, STEPS = 6 };

/* All memory of the program. A real program gets these sizes once from the layout functions, and writes them here. */
static _Alignas(DEM_ALIGN) unsigned char block[32768];
static unsigned char scratch[65536];
static dem_triangle_pair pairs[ALL];
static char print_buffer[1024];

static volatile int requests = 0;
static int mistakes = 0;

/* An allocator without memory, which counts requests. */
void *malloc(size_t size) {
    (void)size;
    requests += 1;
    return NULL;
}

void *calloc(size_t count, size_t size) {
    (void)count, (void)size;
    requests += 1;
    return NULL;
}

void *realloc(void *memory, size_t size) {
    (void)memory, (void)size;
    requests += 1;
    return NULL;
}

void *aligned_alloc(size_t align, size_t size) {
    (void)align, (void)size;
    requests += 1;
    return NULL;
}

void free(void *memory) {
    requests += memory != NULL;
}

/* The only function besides memcpy and the like that the library needs from its host. The library calls it after a
   defect of its own. Small machines would reset. */
void dem_host_panic(const char *message, size_t length) {
    (void)fwrite(message, 1, length, stderr);
    _Exit(3);
}

static void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

static void must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT] = "";
    if (status != DEM_OK) {
        (void)dem_error_format(sentence, sizeof sentence, NULL, error);
        printf("%s: %s\n", dem_status_string(status), sentence);
        (void)fflush(stdout);
        _Exit(2);
    }
}

/* A cube of side 1 about the origin. */
static const double corners[8][3] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5}, {0.5, 0.5, -0.5},
                                     {-0.5, -0.5, 0.5},  {0.5, -0.5, 0.5},  {-0.5, 0.5, 0.5},  {0.5, 0.5, 0.5}};
static const uint32_t faces[TRIANGLES][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                             {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static const dem_shape *cube(void) {
    dem_error error;
    dem_shape_desc desc;
    dem_shape *shape = NULL;
    dem_shape_info info;
    size_t size = 0;
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(corners[0], 8);
    desc.triangles = dem_indices_u32(faces[0], TRIANGLES);
    desc.halo = 0.01;
    desc.cells = 0; /* pairs of triangles need none */
    must(dem_shape_layout(&size, NULL, &desc, &error), &error);
    must(dem_shape_init(block, sizeof block, &shape, &desc, &error), &error);
    must(dem_shape_describe(&info, sizeof info, shape, &error), &error);
    printf("building a cube takes %u bytes, of which %u hold it\n", (unsigned)size, (unsigned)info.size);
    return shape;
}

/* Distances of all pairs of triangles, pair TRIANGLES * a + b, with B moved. */
static void one_by_one(double distance[ALL], const double move[3]) {
    static double a[TRIANGLES][3][3], b[TRIANGLES][3][3];
    static uint32_t list[ALL][2];
    dem_error error;
    dem_closest_points results;
    dem_triangles triangles_a = dem_triangles_f64(&a[0][0][0], TRIANGLES);
    dem_triangles triangles_b = dem_triangles_f64(&b[0][0][0], TRIANGLES);
    dem_indices indices = dem_indices_u32(list[0], ALL);
    for (uint32_t i = 0; i < TRIANGLES; i += 1) {
        for (int k = 0; k < 9; k += 1) {
            a[i][k / 3][k % 3] = corners[faces[i][k / 3]][k % 3];
            b[i][k / 3][k % 3] = a[i][k / 3][k % 3] + move[k % 3];
        }
        for (uint32_t j = 0; j < TRIANGLES; j += 1) {
            list[TRIANGLES * i + j][0] = i, list[TRIANGLES * i + j][1] = j;
        }
    }
    results = dem_closest_points_default();
    results.distance = dem_output_f64(distance, ALL);
    must(dem_triangle_distance(&results, &triangles_a, &triangles_b, &indices, NULL, &error), &error);
}

static int near(double x, double y) {
    return x - y < 1e-12 && y - x < 1e-12;
}

/* Places B above A, slightly to the side, with a gap between them, and checks all results. */
static void step(const dem_shape *shape, double gap) {
    static double distance[ALL];
    const double threshold = 0.02 + 0.1, move[3] = {0.3, 0.2, 1 + gap};
    dem_error error;
    dem_query query;
    dem_triangle_pair closest;
    size_t count = 0, expected = 0;
    uint32_t any = 2;
    query = dem_query_default();
    query.a = query.b = shape;
    query.margin = 0.1;
    for (int k = 0; k < 3; k += 1) {
        query.pose_b.position[k] = move[k];
    }
    must(dem_pairs(pairs, ALL, 0, &count, &query, scratch, sizeof scratch, &error), &error);
    must(dem_min_distance(&closest, sizeof closest, &query, scratch, sizeof scratch, &error), &error);
    must(dem_any_pair(&any, &query, scratch, sizeof scratch, &error), &error);
    printf("gap %.3f: %3u pairs within %.3f, distance %.6f\n", gap, (unsigned)count, threshold, closest.distance);

    one_by_one(distance, move);
    for (uint32_t i = 0; i < ALL; i += 1) {
        if (distance[i] <= threshold) {
            const dem_triangle_pair *p = &pairs[expected];
            check("the pairs one by one", expected < count && TRIANGLES * p->a + p->b == i &&
                near(p->distance, distance[i]));
            expected += 1;
        }
    }
    check("and no other", count == expected);
    check("the distance is the gap", near(closest.distance, gap));
    check("any", any == (count > 0));
}

int main(void) {
    const double gaps[STEPS] = {2, 0.125, 0.115, 0.05, 0.01, 0.001};
    (void)setvbuf(stdout, print_buffer, _IOFBF, sizeof print_buffer); /* else printf allocates a buffer */
    requests = 0;                                                     /* ignores requests before main */
    puts("Two cubes come closer, without a heap and without an operating system.");
    const dem_shape *shape = cube();
    for (int i = 0; i < STEPS; i += 1) {
        step(shape, gaps[i]);
    }
    check("nobody asked for memory", requests == 0);
    printf("%d requests for memory, %d mistakes\n", requests, mistakes);
    return mistakes != 0;
}
