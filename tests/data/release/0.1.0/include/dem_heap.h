/*
 * dem_heap.h: blocks that grow by malloc, for calls that take a dem_block, and other helpers for small programs. This
 * header is written by hand, in C11 and C++17. A program with an allocator of its own writes a function like
 * dem_heap_resize.
 */
#ifndef DEM_HEAP_H
#define DEM_HEAP_H

#include <dem_world.h>
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

/** `dem_placed_mass`, with 128 columns for parts that overlap, and scratch from malloc. */
static inline int32_t dem_heap_placed_mass(dem_mass *mass, const dem_placed *body, double density, dem_error *error) {
    const uint32_t columns = 128;
    dem_error need;
    const size_t size = dem_scratch_needed(
        dem_placed_mass(mass, sizeof *mass, body, density, columns, NULL, 0, &need), &need);
    void *scratch = malloc(size); /* Null is told as too little. */
    const int32_t status = dem_placed_mass(mass, sizeof *mass, body, density, columns, scratch,
        scratch == NULL ? 0 : size, error);
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

/** `dem_scene_cast`, with the scratch of the last step, or from malloc where that is too little. */
static inline int32_t dem_heap_cast(dem_block *scene, dem_ray_hit *hits, const dem_scene_query *query,
    const dem_ray *rays, size_t count, dem_error *error) {
    dem_error need;
    size_t own = 0;
    int32_t status = dem_scene_size(&own, dem_scene_in(scene), error);
    if (status < 0) return status;
    const size_t size = dem_scratch_needed(
        dem_scene_cast(dem_scene_in(scene), hits, query, rays, count, NULL, 0, &need), &need);
    void *const more = size > scene->size - own ? malloc(size) : NULL; /* Null is told as too little. */
    void *const scratch = more != NULL ? more : (char *)scene->start + own;
    status = dem_scene_cast(dem_scene_in(scene), hits, query, rays, count, scratch,
        more != NULL ? size : scene->size - own, error);
    free(more);
    return status;
}

/** `dem_world_cast`, likewise. */
static inline int32_t dem_heap_world_cast(dem_block *world, dem_ray_hit *hits, const dem_world_query *query,
    const dem_ray *rays, size_t count, dem_error *error) {
    dem_error need;
    size_t own = 0;
    int32_t status = dem_world_size(&own, dem_world_in(world), error);
    if (status < 0) return status;
    const size_t size = dem_scratch_needed(
        dem_world_cast(dem_world_in(world), hits, query, rays, count, NULL, 0, &need), &need);
    void *const more = size > world->size - own ? malloc(size) : NULL;
    void *const scratch = more != NULL ? more : (char *)world->start + own;
    status = dem_world_cast(dem_world_in(world), hits, query, rays, count, scratch,
        more != NULL ? size : world->size - own, error);
    free(more);
    return status;
}

/** A shape that is a box about the origin, as `dem_box_mesh` makes it. */
static inline int32_t dem_heap_box(dem_block *shape, const double edges[3], double halo, dem_error *error) {
    double vertices[24];
    uint32_t triangles[36];
    const int32_t status = dem_box_mesh(vertices, triangles, edges, error);
    return status < 0 ? status : dem_heap_mesh(shape, vertices, 8, triangles, 12, halo, error);
}

/**
 * A shape that is a room: the inside of a box about the origin, whose walls push what is in it away from them. It is to
 * be placed as solid, so that a body which has gone through a wall is pushed back.
 */
static inline int32_t dem_heap_room(dem_block *shape, const double edges[3], double halo, dem_error *error) {
    double vertices[24];
    uint32_t triangles[36];
    const int32_t status = dem_box_mesh(vertices, triangles, edges, error);
    for (size_t i = 0; status >= 0 && i < 36; i += 3) { /* Its triangles look inward. */
        const uint32_t second = triangles[i + 1];
        triangles[i + 1] = triangles[i + 2];
        triangles[i + 2] = second;
    }
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
