/*
 * dem_papers.h: distances and contacts of single triangles, points and segments, by methods of published papers, on arrays of
 * the program. Shapes, scenes and worlds do not need it.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Distances of triangles
 *   Which triangles are in contact
 *   Distances of points and segments
 */
#ifndef DEM_PAPERS_H
#define DEM_PAPERS_H

#include "dem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------
 * Distances of triangles.
 */

/** Output arrays: item i belongs to pair i. Arrays that are not needed have null data; after `dem_closest_points_default` all have. */
typedef struct dem_closest_points {
    /** `sizeof(dem_closest_points)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** The distance: one number. */
    dem_output distance;
    /** The closest point on A: three numbers. */
    dem_output point_a;
    /** The closest point on B: three numbers. */
    dem_output point_b;
    /** Barycentric coordinates of the point on A: the weights of its three vertices, which sum to 1. */
    dem_output weights_a;
    /** The same on B. */
    dem_output weights_b;
    /** The features of A and of B that contain the points: two integers `DEM_FEATURE_*`, of type `DEM_I32` or `DEM_U32`. */
    dem_output features;
} dem_closest_points;

/** Input triangles: component c of vertex k of triangle i lies at byte `i * stride + k * vertex_stride + c * component_stride` after `data`. */
typedef struct dem_triangles {
    /** The first number, at any alignment; may be null if `count` is 0. */
    const void *data;
    /** Number of triangles. */
    size_t count;
    /** Bytes from one triangle to the next; 0: three times `vertex_stride`. */
    size_t stride;
    /** Bytes from one vertex to the next; 0: three times `component_stride`. */
    size_t vertex_stride;
    /** Bytes from one component to the next; 0: the components are packed. */
    size_t component_stride;
    /** `DEM_F32` or `DEM_F64`. */
    uint32_t type;
    /** 0. */
    uint32_t reserved;
} dem_triangles;

/** Options for pairs of triangles. */
typedef struct dem_triangle_options {
    /** `sizeof(dem_triangle_options)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** Precision of the computation: `DEM_F32` or `DEM_F64`; 0, the default: `DEM_F32` if both arrays of triangles are, else `DEM_F64`. */
    uint32_t precision;
    /** 0. */
    uint32_t reserved;
} dem_triangle_options;

/**
 * Computes distances and closest points of pairs of triangles.
 *
 * Pair i is triangle i of `a` with triangle i of `b`. If one of the arrays has a single triangle, it is paired with each triangle of the
 * other. With `pairs`, pair i is triangle `pairs[i][0]` of `a` with triangle `pairs[i][1]` of `b`.
 * The distance is exactly 0 if the triangles touch or cross, and only then; exact predicates decide this. Degenerate triangles count as
 * the segments and points that they are. If closest points are not unique, the function gives one possible pair.
 *
 * Outputs: `results`: in each array that is not null, as many items as there are pairs; numbers as `float` or `double`, whatever the
 * precision of the computation. The arrays may lie between the inputs (in the same structs) but must not overlap them.
 * Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the defaults).
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` names the triangle and its coordinate (vertex times 3 plus axis). `DEM_ERROR_MISMATCH`:
 * `a` and `b` differ in length, without `pairs`. `DEM_ERROR_BAD_INDEX`: `pairs` has an index beyond the end. `DEM_ERROR_CAPACITY`: a
 * result has no room for all pairs. `DEM_ERROR_OUT_OF_RANGE`: a type, or a `reserved` that is not 0. `DEM_ERROR_BAD_SIZE`: a stride
 * smaller than a number, or a `struct_size`. `DEM_ERROR_TOO_LARGE`: counts and strides that leave the address space.
 * `DEM_ERROR_UNSUPPORTED`: an instruction set that this machine does not have.
 * Cost: in single precision about 60 ns a pair with AVX2, in double precision about 95. Calls with 16 pairs or more are fastest, if the
 * arrays are read once, in order.
 * Determinism: the same bits for every instruction set, and for a pair alone or among others. The error is about 1e-6 (in single
 * precision) or 1e-12 (double) of the pair's largest coordinate.
 */
int32_t dem_triangle_distance(const dem_closest_points *results,
                              const dem_triangles *a,
                              const dem_triangles *b,
                              const dem_indices *pairs,
                              const dem_triangle_options *options,
                              dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Which triangles are in contact.
 *
 * These functions decide whether pairs of triangles are within a threshold. A few sweeps of a minimisation decide most pairs. The exact
 * kernel, that of `dem_triangle_distance`, decides the rest. By default the results are proved: they follow from bounds of the distance
 * that hold despite rounding. To reproduce the tables of the papers that proposed this, choose their search; it misses contacts.
 * (P0: Noble and Weinzierl, A multiresolution Discrete Element Method for triangulated objects with implicit time stepping, Algorithm 3.1;
 * P4: Krestenitis, Weinzierl and Koziara, A fast triangle-based discrete element code, section 4.) The exact kernel of this library is
 * about as fast, so use it if distances are needed, too.
 */

/** Farther apart than the threshold. */
#define DEM_VERDICT_NONE 0
/** In contact: not farther apart than the threshold. */
#define DEM_VERDICT_CONTACT 1
/** Not decided; only without a fallback. */
#define DEM_VERDICT_UNRESOLVED 2
/** A sweep is a step on the distance, then one on the penalty, each by the diagonal of its Hessian: P0 (3.2) as printed. */
#define DEM_SCHEME_SPLITTING 1
/** One Newton step for distance and penalty together (P4 section 4.2). */
#define DEM_SCHEME_NEWTON 2
/** A step along the scaled gradient with the best length, then a projection back into the triangles. */
#define DEM_SCHEME_PROJECTED 3

/**
 * The search ends if the functional changes by at most `c` * threshold / 2 * `unit` in the last sweep: P0 Algorithm 3.1. Results may be
 * wrong in both directions.
 */
#define DEM_CRITERION_FUNCTIONAL 1
/** The search ends if the contact point moves by at most `c` * threshold / 2: P0 section 6.3. Results may be wrong. */
#define DEM_CRITERION_CONTACT_POINT 2
/** Bounds of the distance prove each result. */
#define DEM_CRITERION_CERTIFIED 3
/** Pairs that are not decided stay unresolved. */
#define DEM_FALLBACK_NONE 0
/** The exact kernel decides these pairs. */
#define DEM_FALLBACK_PAIRS 1
/** The exact kernel decides these pairs and all other pairs of their batch of `batch` pairs, as P0 packs them. */
#define DEM_FALLBACK_BATCHES 2

/** How contacts are computed. */
typedef struct dem_contact_options {
    /** `sizeof(dem_contact_options)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** Precision of the computation: `DEM_F32` or `DEM_F64`; 0, the default: `DEM_F32` if both arrays of triangles are, else `DEM_F64`. */
    uint32_t precision;
    /** `DEM_SCHEME_*`; `DEM_SCHEME_NEWTON` by default. */
    uint32_t scheme;
    /** `DEM_CRITERION_*`; `DEM_CRITERION_CERTIFIED` by default. */
    uint32_t criterion;
    /** Sweeps of the search, up to 1000; 4 by default, as in the papers. */
    uint32_t sweeps;
    /** `DEM_FALLBACK_*`; `DEM_FALLBACK_PAIRS` by default. */
    uint32_t fallback;
    /** Pairs of a batch with `DEM_FALLBACK_BATCHES`: 1, 2, 4, 8 or 16; 8 by default. */
    uint32_t batch;
    /**
     * 1, the default: the exact kernel computes contacts, too, so that contacts, points and distances are its own. 0: the results of the
     * search are used. Ignored with `DEM_FALLBACK_NONE`.
     */
    uint32_t exact_contacts;
    /** 0. */
    uint32_t reserved;
    /** Weight of the penalty, relative to the mean squared edge of the triangle, not negative; 10 by default. */
    double kappa;
    /** Regularisation, relative to the diagonal of the Hessian, not negative; 0.003 by default. */
    double rho;
    /** P0's C, not negative; 1 by default. */
    double c;
    /** Unit of length of `DEM_CRITERION_FUNCTIONAL`, which compares an area with a length; 1 by default. */
    double unit;
    /**
     * The distance up to which all pairs are in contact, such as the sum of both halos (2 epsilon in the papers); finite and not negative,
     * 0 by default.
     */
    double threshold;
    /** A threshold for each pair: one number an item. Null data, the default: all have `threshold`. */
    dem_array thresholds;
} dem_contact_options;

/** Output arrays: item i belongs to pair i. Arrays that are not needed have null data; after `dem_contact_results_default` all have. */
typedef struct dem_contact_results {
    /** `sizeof(dem_contact_results)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** `DEM_VERDICT_*`: one integer of type `DEM_I32` or `DEM_U32`. */
    dem_output verdict;
    /** 1 if the exact kernel decided, else 0: one integer. */
    dem_output exact;
    /** The distance of the two points below: one number. With `DEM_CRITERION_CERTIFIED`, the distance of the pair is at most this. */
    dem_output distance;
    /**
     * With `DEM_CRITERION_CERTIFIED`: the distance of the pair is at least this; with the papers' criteria 0. If the exact kernel decided,
     * the distance.
     */
    dem_output lower;
    /**
     * A point on A: the closest one if the exact kernel decided, else the point where the search ended: three numbers. With the papers'
     * criteria it may lie slightly beside the triangle.
     */
    dem_output point_a;
    /** The same on B. */
    dem_output point_b;
} dem_contact_results;

/** How much of the work each kernel did. */
typedef struct dem_contact_statistics {
    /** Pairs of the call. */
    uint64_t pairs;
    /** Pairs in contact. */
    uint64_t contacts;
    /** Pairs that the search did not decide: the papers' fallbacks. */
    uint64_t unresolved;
    /** Pairs that the exact kernel computed: these, the others of their batches, and contacts if asked for. */
    uint64_t exact;
    /** Batches; 0 without `DEM_FALLBACK_BATCHES`. */
    uint64_t batches;
    /** Batches with an unresolved pair. */
    uint64_t exact_batches;
} dem_contact_statistics;

/**
 * Fills `options` for P0 Algorithm 3.1 as printed: the result of the search is used if it ends, and the exact kernel decides the rest. Use
 * it only to reproduce the papers' tables: as many of its contacts are wrong as right.
 *
 * Outputs: `options`.
 * Inputs: `struct_size`: `sizeof(dem_contact_options)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_contact_options_paper(dem_contact_options *options,
                                  size_t struct_size);

/**
 * Decides which pairs of triangles are within their thresholds.
 *
 * Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. With the default options, a pair is in contact
 * if and only if the distance that `dem_triangle_distance` computes is at most its threshold; ties count. With `DEM_CRITERION_CERTIFIED`
 * and no fallback, each decision is right, and the other pairs are `DEM_VERDICT_UNRESOLVED`.
 *
 * Outputs: `results`: in each array that is not null, as many items as there are pairs. The arrays may lie between the inputs (in the same
 * structs) but must not overlap them. `statistics` (may be null): how often each kernel was used; the function writes `statistics_size`
 * bytes, at most `sizeof(dem_contact_statistics)`.
 * Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the defaults, with a
 * threshold of 0).
 * Errors: those of `dem_triangle_distance`; about `thresholds`: `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` with the pair,
 * `DEM_ERROR_CAPACITY`: fewer than pairs; `DEM_ERROR_OUT_OF_RANGE` about a field of `options`.
 * Cost: about 40 ns a pair in single precision, 50 ns in double, and as much again for each pair that the exact kernel computes.
 * Determinism: the same bits for every instruction set, and for a pair alone or among others.
 */
int32_t dem_triangle_contacts(const dem_contact_results *results,
                              dem_contact_statistics *statistics,
                              size_t statistics_size,
                              const dem_triangles *a,
                              const dem_triangles *b,
                              const dem_indices *pairs,
                              const dem_contact_options *options,
                              dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Distances of points and segments.
 *
 * The distances from which the distance of triangles is computed, for programs that need only these. Arrays and pairs are those of
 * `dem_triangle_distance`, with the same struct of results. The closest point of side A is `point_a`, and so on. There are as many weights
 * as an item has corners: one for a point, which is 1, two for a segment, three for a triangle. A point's feature is
 * `DEM_FEATURE_VERTEX_0`; a segment's are `DEM_FEATURE_VERTEX_0`, its start, `DEM_FEATURE_VERTEX_1`, its end, and `DEM_FEATURE_EDGE_0`.
 */

/** Input segments: component c of end k of segment i lies at byte `i * stride + k * vertex_stride + c * component_stride` after `data`. */
typedef struct dem_segments {
    /** The first number, at any alignment; may be null if `count` is 0. */
    const void *data;
    /** Number of segments. */
    size_t count;
    /** Bytes from one segment to the next; 0: twice `vertex_stride`. */
    size_t stride;
    /** Bytes from one end to the other; 0: three times `component_stride`. */
    size_t vertex_stride;
    /** Bytes from one component to the next; 0: the components are packed. */
    size_t component_stride;
    /** `DEM_F32` or `DEM_F64`. */
    uint32_t type;
    /** 0. */
    uint32_t reserved;
} dem_segments;

/**
 * Computes distances and closest points of points, side A, and triangles, side B.
 *
 * Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A degenerate triangle is its longest edge, or a
 * point.
 *
 * Outputs: `results`: in each array that is not null, as many items as there are pairs; numbers as `float` or `double`, whatever the
 * precision of the computation. The arrays may lie between the inputs (in the same structs) but must not overlap them.
 * Inputs: `points`: three numbers an item. `triangles`, in the same frame. `pairs` (may be null): two indices an item: point, triangle.
 * `options` (may be null: the defaults): `precision`; the instruction set has no effect.
 * Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the point or the triangle.
 * Cost: about 100 ns a pair.
 * Determinism: the same bits on every machine, and for a pair alone or among others. The error is a few units of roundoff of the pair's
 * largest coordinate.
 */
int32_t dem_point_triangle_distance(const dem_closest_points *results,
                                    const dem_array *points,
                                    const dem_triangles *triangles,
                                    const dem_indices *pairs,
                                    const dem_triangle_options *options,
                                    dem_error *error);

/**
 * Computes distances and closest points of points, side A, and segments, side B.
 *
 * Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A segment of length 0 is a point.
 *
 * Outputs: `results`, as for `dem_point_triangle_distance`.
 * Inputs: `points`: three numbers an item. `segments`, in the same frame. `pairs` (may be null): two indices an item: point, segment.
 * `options` (may be null: the defaults): `precision`; the instruction set has no effect.
 * Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the point or the segment.
 * Cost: about 40 ns a pair.
 * Determinism: as for `dem_point_triangle_distance`.
 */
int32_t dem_point_segment_distance(const dem_closest_points *results,
                                   const dem_array *points,
                                   const dem_segments *segments,
                                   const dem_indices *pairs,
                                   const dem_triangle_options *options,
                                   dem_error *error);

/**
 * Computes distances and closest points of two segments.
 *
 * Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A segment of length 0 is a point. If parallel
 * segments overlap, the closest points are the middle of the overlap.
 *
 * Outputs: `results`, as for `dem_point_triangle_distance`.
 * Inputs: `a`, `b`: segments, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the defaults):
 * `precision`; the instruction set has no effect.
 * Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the segment.
 * Cost: about 70 ns a pair.
 * Determinism: as for `dem_point_triangle_distance`.
 */
int32_t dem_segment_distance(const dem_closest_points *results,
                             const dem_segments *a,
                             const dem_segments *b,
                             const dem_indices *pairs,
                             const dem_triangle_options *options,
                             dem_error *error);

/**
 * Input of `count` packed triangles of nine doubles.
 */
static inline dem_triangles dem_triangles_f64(const double *data, size_t count) {
    dem_triangles triangles = {data, count, 0, 0, 0, DEM_F64, 0};
    return triangles;
}

/**
 * Input of `count` packed triangles of nine floats.
 */
static inline dem_triangles dem_triangles_f32(const float *data, size_t count) {
    dem_triangles triangles = {data, count, 0, 0, 0, DEM_F32, 0};
    return triangles;
}

/**
 * Input of `count` packed segments of six doubles.
 */
static inline dem_segments dem_segments_f64(const double *data, size_t count) {
    dem_segments segments = {data, count, 0, 0, 0, DEM_F64, 0};
    return segments;
}

/**
 * Input of `count` packed segments of six floats.
 */
static inline dem_segments dem_segments_f32(const float *data, size_t count) {
    dem_segments segments = {data, count, 0, 0, 0, DEM_F32, 0};
    return segments;
}

/**
 * The defaults of `dem_closest_points`.
 */
static inline dem_closest_points dem_closest_points_default(void) {
    dem_closest_points results;
    (void)dem_defaults(&results, sizeof results, DEM_DEFAULT_CLOSEST_POINTS, NULL);
    return results;
}

/**
 * The defaults of `dem_triangle_options`.
 */
static inline dem_triangle_options dem_triangle_options_default(void) {
    dem_triangle_options options;
    (void)dem_defaults(&options, sizeof options, DEM_DEFAULT_TRIANGLE_OPTIONS, NULL);
    return options;
}

/**
 * The defaults of `dem_contact_options`.
 */
static inline dem_contact_options dem_contact_options_default(void) {
    dem_contact_options options;
    (void)dem_defaults(&options, sizeof options, DEM_DEFAULT_CONTACT_OPTIONS, NULL);
    return options;
}

/**
 * The defaults of `dem_contact_results`.
 */
static inline dem_contact_results dem_contact_results_default(void) {
    dem_contact_results results;
    (void)dem_defaults(&results, sizeof results, DEM_DEFAULT_CONTACT_RESULTS, NULL);
    return results;
}

#ifdef __cplusplus
}
#endif

#endif /* DEM_PAPERS_H */
