/*
 * dem_broad.h: which of many spheres are near each other, and which are near boxes, for programs that need only a broad phase.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Bodies as spheres
 *   Pairs of spheres
 *   Spheres near boxes
 */
#ifndef DEM_BROAD_H
#define DEM_BROAD_H

#include "dem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------
 * Bodies as spheres.
 *
 * A program with laws of its own (balls in a flow, grains of a discrete-element code, agents) may need only neighbours: all pairs of
 * spheres no farther apart than a margin, each once. In every step: dem_grid_pairs. Or call it every few steps with a larger margin, and
 * dem_near_moved and dem_near_refresh in between. A body that is much larger than the rest (ground, walls, vessels) is a box:
 * dem_box_pairs.
 *
 * Two spheres a and b are a pair if `|x_b + shift * period - x_a| <= r_a + r_b + margin` and a < b. If a == b, a body meets its own image:
 * it is a pair if the first component of the shift that is not 0 is positive. Body i is item i of every array; an array whose `data` is
 * null means the default value for every body.
 */

/** How far bodies have moved since a list was made. */
typedef struct dem_near_motion {
    /** The largest sum, for two bodies, of the distances that they have moved and of the growth of their radii; 0 if nothing has moved. */
    double sum;
    /** The largest such number for a single body. */
    double farthest;
    /**
     * How much larger the margin of the list is than that of `now`. The list is valid while `sum <= skin`; a list with boxes that have not
     * moved is valid while `farthest <= skin`.
     */
    double skin;
} dem_near_motion;

/** Spheres, and the margin within which they are pairs. */
typedef struct dem_near_query {
    /** `sizeof(dem_near_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** 3; or 2 for discs, whose third components are ignored. */
    uint32_t dimensions;
    /** 0. */
    uint32_t reserved;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
    /** Lengths of the box along periodic axes, 0 along others; 0, 0, 0 by default. Centres may be outside of the box. */
    double periods[3];
    /** Spheres that are up to this far apart are pairs, too; finite and not negative; 0 by default. */
    double margin;
    /** Centres, three numbers each. Their count is the number of bodies; fewer than 2^31. */
    dem_array centres;
    /** Radii, one number each, not negative. */
    dem_array radii;
    /** `DEM_MOTION_*`. Two bodies that are both not dynamic are no pair, except a kinematic body and a ghost. `DEM_U32`; 0 by default. */
    dem_array motions;
    /** Bits of the groups to which a body belongs; `DEM_U32`; all by default. */
    dem_array groups;
    /** Bits of the groups with which a body is paired. The condition must hold for both bodies. `DEM_U32`; all by default. */
    dem_array masks;
} dem_near_query;

/**
 * How much scratch `dem_near_moved` and `dem_near_refresh` need.
 *
 * Outputs: `scratch_size`: bytes, one for some hundred bodies and pairs.
 * Inputs: `bodies`, `pairs`: number of bodies, and of pairs in the list. `capacity`, `stride`: of the records that are written; 0 and 0
 * for `dem_near_moved`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_near_scratch(size_t *scratch_size,
                         size_t bodies,
                         size_t pairs,
                         size_t capacity,
                         size_t stride,
                         dem_error *error);

/**
 * Tells how far bodies have moved since a list of pairs was made, and so whether the list still contains all pairs of the current query.
 *
 * Along periodic axes, a program may wrap bodies by any number of periods.
 *
 * Outputs: `moved`: the function writes `moved_size` bytes, at most `sizeof(dem_near_motion)`.
 * Inputs: `then`: the query of the list. `now`: the current positions, with a margin that is not larger, the same periods, and filters
 * that admit no additional pairs. `scratch`, `scratch_size`: at least the size of `dem_near_scratch`, at any alignment.
 * Memory: scratch must not overlap the arrays.
 * Errors: those of `dem_grid_pairs` about a query; `DEM_ERROR_MISMATCH`: other numbers of bodies or periods; `DEM_ERROR_OUT_OF_RANGE`
 * about `margin`: that of `now` is larger; `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
 * Cost: some nanoseconds a body.
 * Determinism: the same bits on every machine and any number of threads.
 */
int32_t dem_near_moved(dem_near_motion *moved,
                       size_t moved_size,
                       const dem_near_query *then,
                       const dem_near_query *now,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * Finds the pairs of a list that are still near, in the order of the list. While the list is valid (`dem_near_moved`), these are exactly the
 * pairs of `now`.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
 * `sizeof(dem_near_pair)`). The function writes min(`stride`, `sizeof(dem_near_pair)`) bytes of each. `count` (may be null): how many
 * there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `list`, `list_count`: all pairs of `then`, one `sizeof(dem_near_pair)` after the other, aligned as `uint32_t`. `then`, `now`: as
 * in the call of `dem_near_moved`. `scratch`, `scratch_size`: at least the size of `dem_near_scratch`.
 * Memory: records and scratch must not overlap each other, the list and the arrays.
 * Errors: those of `dem_near_moved`, but bodies are not checked one by one; `DEM_ERROR_BAD_INDEX` about `pairs`: the first record that
 * names a body that does not exist; `DEM_ERROR_CAPACITY`: more pairs than `capacity`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`.
 * Cost: some ten nanoseconds a pair.
 * Determinism: the same bits on every machine and any number of threads.
 */
int32_t dem_near_refresh(dem_near_pair *pairs,
                         size_t capacity,
                         size_t stride,
                         size_t *count,
                         const dem_near_pair *list,
                         size_t list_count,
                         const dem_near_query *then,
                         const dem_near_query *now,
                         void *scratch,
                         size_t scratch_size,
                         dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Pairs of spheres.
 *
 * A hierarchical grid finds all pairs of spheres of any sizes, anywhere, in a time that is proportional to their number. It has cells of
 * several sizes, which it chooses by itself. It lives in a block of the program, which contains only numbers that can be computed anew.
 *
 * At the start: dem_grid_layout, dem_grid_init. In every step: dem_grid_pairs, with scratch.
 * If few bodies change from step to step, the call may name them. Its time is then proportional to their number and to the pairs.
 */

/** A grid: the address of its block. */
typedef struct dem_grid dem_grid;

/** The room of a grid's block. */
typedef struct dem_grid_desc {
    /** `sizeof(dem_grid_desc)`. */
    uint32_t struct_size;
    /** The most bodies; below 2^31. */
    uint32_t bodies;
    /** Cell sizes, 1 to 64; 8 by default, which is good for most size ratios. */
    uint32_t levels;
    /**
     * The most bodies that have left their cells, or joined, since all bodies were put into cells; 0: a 32nd of the bodies, and some. If
     * there are more, all are put into cells anew.
     */
    uint32_t loose;
} dem_grid_desc;

/**
 * How much memory a grid needs.
 *
 * Outputs (each may be null): `size`: bytes of the block, some 32 for each body; `align`: `DEM_ALIGN`.
 * Inputs: `desc`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_grid_layout(size_t *size, size_t *align, const dem_grid_desc *desc, dem_error *error);

/**
 * Makes an empty grid.
 *
 * Outputs: `grid`: the grid, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_grid_layout` tells. `desc`.
 * Memory: the block belongs to the caller, who may copy and discard it at any time. It does not contain the bodies.
 * Errors: those of `dem_grid_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_grid_init(void *memory,
                      size_t size,
                      dem_grid **grid,
                      const dem_grid_desc *desc,
                      dem_error *error);

/**
 * Finds all pairs of spheres that are near, each once.
 *
 * If `changed` is null, the function puts all bodies into cells, whatever the grid held before. Otherwise it moves only the bodies that
 * `changed` names; the list may be empty.
 * Bodies join and leave at the end of the arrays. If there are more than in the last call, the last ones have joined; if there are fewer,
 * the last ones have left. To remove another body, move the last one to its index and name that index in `changed`. If the grid has no
 * room for the changes, or was made for another margin or other periods, all bodies are put into cells anew.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
 * `sizeof(dem_near_pair)`). The function writes min(`stride`, `sizeof(dem_near_pair)`) bytes of each. `count` (may be null): how many
 * there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `grid`. `query`. `changed` (may be null), `changed_count`: indices of the bodies whose centre or radius has changed since the
 * last call, in any order, possibly more than once; aligned as `uint32_t`. If a changed body is not named, answers are wrong. `scratch`,
 * `scratch_size`: at any alignment.
 * Memory: records, scratch and grid must not overlap each other nor the arrays.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the
 * grid; `DEM_ERROR_MISMATCH`: arrays of different lengths; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: about an array with body and
 * component, `margin` or `periods`; `DEM_ERROR_BAD_INDEX` about `bodies`: an item of `changed`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_CAPACITY`
 * with the exact number about `grid`: bodies, `output`: pairs, `scratch`. After an error about `output`, the same call with enough room finds all
 * pairs.
 * Cost: some 100 nanoseconds for a sphere; with `changed` some 300 for each of these, and some 30 for each other sphere.
 * Threads: any; nobody may use the grid during the call.
 * Determinism: the same pairs on every machine, with every instruction set and number of threads, in the same order. The order depends on
 * the query, and with `changed` also on earlier calls.
 */
int32_t dem_grid_pairs(dem_grid *grid,
                       dem_near_pair *pairs,
                       size_t capacity,
                       size_t stride,
                       size_t *count,
                       const dem_near_query *query,
                       const uint32_t *changed,
                       size_t changed_count,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * Tells what a grid has chosen: cell sizes, bodies on each level, and how many pairs of bodies in neighbouring cells it expected and tested.
 *
 * Outputs: `report`: of the last call of `dem_grid_pairs`. `tested` does not count pairs of a body that has left its cell since all bodies
 * were put into cells.
 * Inputs: `grid`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
 * Cost: that of copying it.
 * Threads: any.
 */
int32_t dem_grid_describe(dem_grid_report *report,
                          const dem_grid *grid,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Spheres near boxes.
 *
 * Ground, walls and vessels would be in all cells of a grid. So they are axis-aligned boxes, from few to many thousands, with sides that
 * may be infinite. A sphere and a box are a pair if the sphere, enlarged by the margin, touches or overlaps the box.
 */

/** A sphere that is near a box. */
typedef struct dem_box_pair {
    /** The body. */
    uint32_t body;
    /** The box. */
    uint32_t huge;
    /**
     * How many periods the box is moved along each axis to meet the body; 0 along axes that are not periodic, or if the box covers the
     * whole axis.
     */
    int16_t shift[3];
    /** 0. */
    uint16_t spare;
} dem_box_pair;

/** Axis-aligned boxes, and their filters. Box i is item i of every array. */
typedef struct dem_near_boxes {
    /** `sizeof(dem_near_boxes)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** Smallest coordinates, three each; minus infinity if a box has no end. Their count is the number of boxes. */
    dem_array lows;
    /** Largest coordinates, at least the smallest ones; infinity if a box has no end. */
    dem_array highs;
    /** As for bodies. */
    dem_array motions;
    /** As for bodies. */
    dem_array groups;
    /** As for bodies. */
    dem_array masks;
} dem_near_boxes;

/**
 * Finds all spheres that are near boxes, ordered by body.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0), `count` (may be null): as for `dem_grid_pairs`.
 * Inputs: `query`: spheres, margin. `boxes`. `scratch`, `scratch_size`: at any alignment.
 * Memory: records and scratch must not overlap each other nor the arrays.
 * Errors: those of `dem_grid_pairs` about the query and records; the same about the arrays of boxes: a side that is NaN; a side that is
 * infinite towards the other one; one that is infinite along a periodic axis if the other is not; a low side above the high one.
 * Cost: some ten nanoseconds for a sphere that is near no box, more for each near box; a tenth of a microsecond a box.
 * Determinism: the same pairs in the same order on every machine, with every instruction set and number of threads.
 */
int32_t dem_box_pairs(dem_box_pair *pairs,
                      size_t capacity,
                      size_t stride,
                      size_t *count,
                      const dem_near_query *query,
                      const dem_near_boxes *boxes,
                      void *scratch,
                      size_t scratch_size,
                      dem_error *error);

/**
 * The defaults of `dem_near_query`.
 */
static inline dem_near_query dem_near_query_default(void) {
    dem_near_query query;
    (void)dem_defaults(&query, sizeof query, DEM_DEFAULT_NEAR_QUERY, NULL);
    return query;
}

/**
 * The defaults of `dem_grid_desc`.
 */
static inline dem_grid_desc dem_grid_desc_default(void) {
    dem_grid_desc desc;
    (void)dem_defaults(&desc, sizeof desc, DEM_DEFAULT_GRID_DESC, NULL);
    return desc;
}

/**
 * The defaults of `dem_near_boxes`.
 */
static inline dem_near_boxes dem_near_boxes_default(void) {
    dem_near_boxes boxes;
    (void)dem_defaults(&boxes, sizeof boxes, DEM_DEFAULT_NEAR_BOXES, NULL);
    return boxes;
}

#ifdef __cplusplus
}
#endif

#endif /* DEM_BROAD_H */
