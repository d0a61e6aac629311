/**
 * A sphere about the origin, in units of its own: set `pose` and `scale` as they should be.
 */
static inline dem_placed dem_placed_sphere(double radius, double halo) {
    dem_placed body = {DEM_KIND_SPHERE, 0, NULL, 0, radius, halo, 1, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * The half-space z <= 0, likewise.
 */
static inline dem_placed dem_placed_half_space(double halo) {
    dem_placed body = {DEM_KIND_HALF_SPACE, 0, NULL, 0, 0, halo, 1, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * A shape that has cells, likewise; `solid` is 0 or 1.
 */
static inline dem_placed dem_placed_mesh(const dem_shape *shape, uint32_t solid) {
    dem_placed body = {DEM_KIND_MESH, solid, shape, 0, 0, 0, 1, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * A compound, likewise, which must be there as long as the body is used.
 */
static inline dem_placed dem_placed_compound(const dem_compound *compound) {
    dem_placed body = {DEM_KIND_COMPOUND, 0, (const dem_shape *)(const void *)compound, 0, 0, 0, 1, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}
