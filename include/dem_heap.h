/*
 * dem_heap.h: blocks that grow by malloc, for calls of dem.h that take a dem_block, and what else small programs need. By hand, in C11 and C++17; whoever
 * has an allocator of its own writes such a function as dem_heap_resize.
 */
#ifndef DEM_HEAP_H
#define DEM_HEAP_H

#include <dem.h>
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
    if (block->start != NULL && block->resize != NULL) (void)block->resize(block->context, block->start, block->size, 0);
    block->start = NULL;
    block->size = 0;
}

/** `dem_shape_mass`, with scratch from malloc. */
static inline int32_t dem_heap_mass(dem_mass *mass, const dem_shape *shape, double density, dem_error *error) {
    size_t size = 0;
    int32_t status = dem_shape_mass_scratch(&size, shape, error);
    if (status < 0) return status;
    void *scratch = malloc(size); /* Null is told as too little. */
    status = dem_shape_mass(mass, sizeof *mass, shape, density, scratch, scratch == NULL ? 0 : size, error);
    free(scratch);
    return status;
}

/** Ends the program where a call has failed, with what the library says about it: for programs that have nothing better to do then. */
static inline void dem_must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT];
    if (status >= 0) return;
    (void)dem_error_format(error, sentence, sizeof sentence, NULL);
    (void)fprintf(stderr, "%s\n", sentence);
    exit(2);
}

#endif
