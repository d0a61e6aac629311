/*
 * Common parts of the example programs about worlds: errors, memory, and the shapes of a bumpy rock and of an open box
 * of triangles.
 */
#ifndef ROCKS_H
#define ROCKS_H

#include <dem_mesh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mistakes = 0;

static inline void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Ends the program if a call fails; a solver would handle the error. */
static inline void must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT] = "";
    if (status < 0) {
        (void)dem_error_format(sentence, sizeof sentence, NULL, error);
        fprintf(stderr, "%s: %s\n", dem_status_string(status), sentence);
        exit(2);
    }
}

static void *kept[64];
static size_t kept_count = 0;

/* Allocates memory with the alignment of blocks; `release` frees all of it. */
static inline void *memory(size_t size) {
    void *bytes = kept_count < sizeof kept / sizeof *kept ? malloc(size + DEM_ALIGN - 1) : NULL;
    if (bytes == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    kept[kept_count] = bytes;
    kept_count += 1;
    return dem_align(bytes);
}

static inline void release(void) {
    while (kept_count > 0) {
        kept_count -= 1;
        free(kept[kept_count]);
    }
}

/* A shape of a mesh for tables of shapes, and its mass at a density of 1. */
typedef struct mesh {
    dem_placed placed;
    dem_mass mass;
} mesh;

static inline mesh build(const double *vertices, size_t vertex_count, const uint32_t *triangles, size_t count,
    double halo, uint32_t solid) {
    mesh made;
    dem_error error;
    dem_shape *shape = NULL;
    dem_shape_desc desc;
    size_t size = 0, needs = 0;
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices, vertex_count);
    desc.triangles = dem_indices_u32(triangles, count);
    desc.halo = halo;
    desc.law = DEM_LAW_AUTO;
    must(dem_shape_layout(&size, NULL, &desc, &error), &error);
    must(dem_shape_init(memory(size), size, &shape, &desc, &error), &error);
    made.placed = dem_placed_mesh(shape, solid);
    needs = dem_scratch_needed(dem_shape_mass(&made.mass, sizeof made.mass, shape, 1, NULL, 0, &error), &error);
    must(dem_shape_mass(&made.mass, sizeof made.mass, shape, 1, memory(needs), needs, &error), &error);
    return made;
}

/* A rock of 80 triangles with a radius of about 0.5: a sphere of five rings with bumps. */
static inline mesh rock(double halo) {
    enum { ROUND = 8, HIGH = 5, VERTICES = ROUND * HIGH + 2, TRIANGLES = 2 * ROUND * HIGH };
    double vertices[VERTICES][3];
    uint32_t triangles[TRIANGLES][3], n = 0;
    for (uint32_t i = 0; i < VERTICES; i += 1) {
        const double up = 3.14159265358979 * (i < ROUND * HIGH ? (double)(1 + i / ROUND) / (HIGH + 1)
            : i == ROUND * HIGH ? 0 : 1);
        const double angle = 6.28318530717959 * (i % ROUND) / ROUND, radius = 0.5 * (1 + 0.12 * sin(7.0 * i));
        vertices[i][0] = radius * sin(up) * cos(angle);
        vertices[i][1] = radius * sin(up) * sin(angle);
        vertices[i][2] = -radius * cos(up);
    }
    for (uint32_t i = 0; i < ROUND; i += 1) {
        const uint32_t next = (i + 1) % ROUND, top = ROUND * (HIGH - 1);
        const uint32_t ends[2][3] = {{ROUND * HIGH, next, i}, {VERTICES - 1, top + i, top + next}};
        memcpy(triangles[n], ends, sizeof ends);
        n += 2;
        for (uint32_t k = 0; k + 1 < HIGH; k += 1) {
            const uint32_t low = k * ROUND, high = low + ROUND;
            const uint32_t two[2][3] = {{low + i, low + next, high + next}, {low + i, high + next, high + i}};
            memcpy(triangles[n], two, sizeof two);
            n += 2;
        }
    }
    return build(vertices[0], VERTICES, triangles[0], n, halo, 1);
}

/* A floor of this half width and four walls: ten triangles, open at the top. */
static inline mesh box(double half, double height, double halo) {
    static const uint32_t triangles[10][3] = {
        {0, 1, 3}, {0, 3, 2}, {0, 4, 1}, {1, 4, 5}, {1, 5, 3}, {3, 5, 7}, {3, 7, 2}, {2, 7, 6}, {2, 6, 0}, {0, 6, 4}};
    double vertices[8][3];
    for (int i = 0; i < 8; i += 1) {
        vertices[i][0] = (i & 1) != 0 ? half : -half;
        vertices[i][1] = (i & 2) != 0 ? half : -half;
        vertices[i][2] = (i & 4) != 0 ? height : 0;
    }
    return build(vertices[0], 8, triangles[0], 10, halo, 0);
}

#endif
