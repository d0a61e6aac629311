/**
 * `count` packed items of doubles, to read: points count, not numbers, so that eight points are 8 and not 24.
 */
static inline dem_array dem_array_f64(const double *data, size_t count) {
    dem_array array = {data, count, 0, 0, DEM_F64, 0};
    return array;
}

/**
 * `count` packed items of floats, to read; `count` as for doubles.
 */
static inline dem_array dem_array_f32(const float *data, size_t count) {
    dem_array array = {data, count, 0, 0, DEM_F32, 0};
    return array;
}

/**
 * `count` packed items of unsigned numbers, to read.
 */
static inline dem_array dem_array_u32(const uint32_t *data, size_t count) {
    dem_array array = {data, count, 0, 0, DEM_U32, 0};
    return array;
}

/**
 * Packed items of doubles to write, room for `count`.
 */
static inline dem_output dem_output_f64(double *data, size_t count) {
    dem_output output = {data, count, 0, 0, DEM_F64, 0};
    return output;
}

/**
 * Packed items of floats to write, room for `count`.
 */
static inline dem_output dem_output_f32(float *data, size_t count) {
    dem_output output = {data, count, 0, 0, DEM_F32, 0};
    return output;
}

/**
 * `count` packed triangles of nine doubles, to read.
 */
static inline dem_triangles dem_triangles_f64(const double *data, size_t count) {
    dem_triangles triangles = {data, count, 0, 0, 0, DEM_F64, 0};
    return triangles;
}

/**
 * `count` packed triangles of nine floats, to read.
 */
static inline dem_triangles dem_triangles_f32(const float *data, size_t count) {
    dem_triangles triangles = {data, count, 0, 0, 0, DEM_F32, 0};
    return triangles;
}

/**
 * `count` packed triples of indices that begin at 0, to read: triangles count, not indices.
 */
static inline dem_indices dem_indices_u32(const uint32_t *data, size_t count) {
    dem_indices indices = {data, count, 0, 0, DEM_U32, 0};
    return indices;
}

/**
 * Packed items of integers to write, room for `count`.
 */
static inline dem_output dem_output_u32(uint32_t *data, size_t count) {
    dem_output output = {data, count, 0, 0, DEM_U32, 0};
    return output;
}

/**
 * `count` packed segments of six doubles, to read.
 */
static inline dem_segments dem_segments_f64(const double *data, size_t count) {
    dem_segments segments = {data, count, 0, 0, 0, DEM_F64, 0};
    return segments;
}

/**
 * `count` packed segments of six floats, to read.
 */
static inline dem_segments dem_segments_f32(const float *data, size_t count) {
    dem_segments segments = {data, count, 0, 0, 0, DEM_F32, 0};
    return segments;
}
