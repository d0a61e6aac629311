/**
 * The first address at or after `memory` where a block may start: at most DEM_ALIGN - 1 bytes further on.
 */
static inline void *dem_align(void *memory) {
    return (unsigned char *)memory + (((uintptr_t)0 - (uintptr_t)memory) & (uintptr_t)(DEM_ALIGN - 1));
}
