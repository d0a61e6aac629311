/*
 * dem_heap.h: blocks that grow by malloc, for calls that take a dem_block, and other helpers for small programs. This
 * header is written by hand, in C11 and C++17. A program with an allocator of its own writes a function like
 * dem_heap_resize.
 */
#ifndef DEM_HEAP_H
#define DEM_HEAP_H

#include <dem_mesh.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** The `resize` of `dem_heap`: before each block lies where malloc has put it. */
static inline void *dem_heap_resize(void *context, void *old, size_t old_size, size_t size) {
    const size_t more = DEM_ALIGN + sizeof(void *);
    (void)context;
    (void)old_size;
    if (size == 0) {
        if (old != NULL) free(((void **)old)[-1]);
        return NULL;
    }
    char *from = size > SIZE_MAX - more ? NULL : (char *)malloc(size + more);
    if (from == NULL) return NULL;
    void *start = dem_align(from + sizeof(void *));
    ((void **)start)[-1] = from;
    return start;
}

/** A block without memory, which the first call gets from malloc. */
static inline dem_block dem_heap(void) {
    dem_block block = {NULL, 0, dem_heap_resize, NULL};
    return block;
}

/** Gives the memory of a block back; the block may be used again. */
static inline void dem_free(dem_block *block) {
    if (block->start != NULL && block->resize != NULL) (void)block->resize(block->context, block->start, block->size,
        0);
    block->start = NULL;
    block->size = 0;
}

/** `dem_shape_mass`, with scratch from malloc. */
static inline int32_t dem_heap_mass(dem_mass *mass, const dem_shape *shape, double density, dem_error *error) {
    dem_error need;
    const size_t size = dem_scratch_needed(dem_shape_mass(mass, sizeof *mass, shape, density, NULL, 0, &need), &need);
    void *scratch = malloc(size); /* Null is told as too little. */
    const int32_t status = dem_shape_mass(mass, sizeof *mass, shape, density, scratch, scratch == NULL ? 0 : size,
        error);
    free(scratch);
    return status;
}

/**
 * A shape of triangles: three numbers for each vertex, three corners for each triangle, one halo for all; all else as
 * by default.
 */
static inline int32_t dem_heap_mesh(dem_block *shape, const double *vertices, size_t vertex_count,
    const uint32_t *triangles, size_t triangle_count, double halo, dem_error *error) {
    dem_shape_desc desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices, vertex_count);
    desc.triangles = dem_indices_u32(triangles, triangle_count);
    desc.halo = halo;
    return dem_shape_build(shape, &desc, error);
}

/** `dem_scene_step`, and where its contacts are: `dem_scene_view`. */
static inline int32_t dem_heap_step(dem_block *scene, dem_scene_contacts *found, const dem_scene_query *query,
    dem_error *error) {
    const int32_t status = dem_scene_step(scene, NULL, 0, query, error);
    return status < 0 ? status : dem_scene_view(found, sizeof *found, dem_scene_in(scene), error);
}

/** A shape that is a box about the origin, as `dem_box_mesh` makes it. */
static inline int32_t dem_heap_box(dem_block *shape, const double edges[3], double halo, dem_error *error) {
    double vertices[24];
    uint32_t triangles[36];
    const int32_t status = dem_box_mesh(vertices, triangles, edges, error);
    return status < 0 ? status : dem_heap_mesh(shape, vertices, 8, triangles, 12, halo, error);
}

/**
 * A shape that is a cylinder about the z axis, as `dem_cylinder_mesh` makes it, with facets that are not felt where
 * both bodies have this halo, which is larger than 0. `facets` (may be null): how many those are.
 */
static inline int32_t dem_heap_cylinder(dem_block *shape, size_t *facets, double radius, double length, double halo,
    dem_error *error) {
    size_t count = 0;
    int32_t status = dem_cylinder_facets(&count, radius, halo / 8, error);
    if (status < 0) return status;
    double *vertices = (double *)malloc((2 * count + 2) * 3 * sizeof(double)); /* Null is told as null. */
    uint32_t *triangles = (uint32_t *)malloc(4 * count * 3 * sizeof(uint32_t));
    status = dem_cylinder_mesh(vertices, 2 * count + 2, triangles, 4 * count, radius, length, count, error);
    if (status >= 0) status = dem_heap_mesh(shape, vertices, 2 * count + 2, triangles, 4 * count, halo, error);
    free(vertices);
    free(triangles);
    if (status >= 0 && facets != NULL) *facets = count;
    return status;
}

/**
 * Ends the program where a call has failed, with what the library says about it: for programs that have nothing
 * better to do then.
 */
static inline void dem_must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT];
    if (status >= 0) return;
    (void)dem_error_format(sentence, sizeof sentence, NULL, error);
    (void)fprintf(stderr, "%s\n", sentence);
    exit(2);
}

#endif
