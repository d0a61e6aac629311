/*
 * dem_mesh.h: one mesh, or two. Boxes and cylinders; defects of a mesh, its mass, moving vertices;
 * distances, near triangles, and on which side of a mesh points are.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Boxes and cylinders
 *   What is wrong with a shape
 *   Where a shape crosses itself
 *   Mass properties of a shape
 *   Mass properties of bodies of any kind
 *   Shapes that change
 *   Queries of two shapes
 *   Points and a shape
 */
#ifndef DEM_MESH_H
#define DEM_MESH_H

#include "dem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------
 * Boxes and cylinders.
 *
 * As meshes, for `dem_shape_desc`: a box is 12 triangles, a cylinder a prism of as many facets as keep them from being felt. Whoever has malloc takes `dem_heap_box` and `dem_heap_cylinder`
 * of dem_heap.h, which build the shape, too. Spheres, capsules and half-spaces need no mesh: `dem_placed_sphere`, `dem_placed_capsule`, `dem_placed_half_space`.
 */

/**
 * A box about the origin, with edges along the axes.
 *
 * Outputs: `vertices`: 8 of three numbers each. `triangles`: 12 of three indices each, which look outward; two for each side in the order -x +x -y +y -z +z.
 * Inputs: `edges`: three lengths, not negative; with a 0 the box is flat.
 * Memory: vertices and triangles must not overlap.
 * Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `edges`, with the axis as `component`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. Nothing is written then.
 * Cost: none.
 * Threads: any.
 * Determinism: the same bits on every machine.
 */
int32_t dem_box_mesh(double *vertices,
                     uint32_t *triangles,
                     const double *edges,
                     dem_error *error);

/**
 * How many facets a cylinder needs.
 *
 * Outputs: `facets`: the smallest number for which no facet is farther than `sagitta` from the circle through the edges of the prism; 3 at least.
 * Inputs: `radius`, `sagitta`: lengths, larger than 0. A sixteenth of the sum of the halos of the cylinder and of what it rolls on is a good `sagitta`: its facets are then not felt.
 * Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `radius`, `sagitta`; `DEM_ERROR_TOO_LARGE`: more than 2^20 facets; `DEM_ERROR_NULL`.
 * Cost: about a microsecond.
 * Threads: any.
 * Determinism: the same on every machine.
 */
int32_t dem_cylinder_facets(size_t *facets,
                            double radius,
                            double sagitta,
                            dem_error *error);

/**
 * A cylinder about the z axis, from -`length` / 2 to `length` / 2, as a right prism that has its volume: the middle of a facet is inside of the cylinder, its edges are outside.
 *
 * Outputs: `vertices`: 2 `facets` + 2 of three numbers each: the centres of both ends, below first, then each edge from below to above. `triangles`: 4 `facets` of three indices each, which look
 * outward; for each facet one of the lower end, two of the side, one of the upper end.
 * Inputs: `vertex_capacity`, `triangle_capacity`: how many vertices and triangles there is room for. `radius`, `length`: larger than 0. `facets`: 3 to 2^20; `dem_cylinder_facets` has a good number.
 * Memory: vertices and triangles must not overlap.
 * Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `radius`, `length`, `facets`; `DEM_ERROR_CAPACITY`: `vertices`, `triangles`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`.
 * Nothing is written then.
 * Cost: about 0.1 microseconds a facet.
 * Threads: any.
 * Determinism: the same bits on every machine.
 */
int32_t dem_cylinder_mesh(double *vertices,
                          size_t vertex_capacity,
                          uint32_t *triangles,
                          size_t triangle_capacity,
                          double radius,
                          double length,
                          size_t facets,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * What is wrong with a shape.
 *
 * Bad meshes are taken as they are: no triangle is dropped, and distances and pairs are right whatever is wrong. This chapter
 * tells what is wrong, where, and what works all the same. Vertices count as one where their stored positions are equal.
 *
 * Contacts for forces want more than distances do: they are complete where the report has `DEM_WORKS_INSIDE`, no
 * `inward_components` but hollows, and no edges that are open, non-manifold or inconsistent. Else some lack a part of the force.
 */

/** A triangle with three equal corners. It behaves as a point. */
#define DEM_DEFECT_POINT 0
/** A triangle with two equal corners. It behaves as a segment. */
#define DEM_DEFECT_TWO_EQUAL 1
/** A triangle with three different corners exactly on one line. It behaves as a segment. */
#define DEM_DEFECT_COLLINEAR 2
/** A triangle whose height is at most `resolution` of the mesh's radius. */
#define DEM_DEFECT_NEARLY_COLLINEAR 3
/** Any other triangle whose height is at most `needle` of its longest side. */
#define DEM_DEFECT_NEEDLE 4
/** A triangle with the corners of an earlier one, the same way round; `other` is the first one like it. */
#define DEM_DEFECT_DUPLICATE 5
/** A triangle with the corners of an earlier one, the other way round; `other` is the first one like it. */
#define DEM_DEFECT_REVERSED_COPY 6
/** A triangle that looks against most of its component: turning these makes the component consistent. */
#define DEM_DEFECT_REVERSED_TRIANGLE 7
/** A side that no other triangle shares. */
#define DEM_DEFECT_OPEN_EDGE 8
/** A side that three or more triangles share; all of them are listed. */
#define DEM_DEFECT_NON_MANIFOLD_EDGE 11
/** A side that runs the same way as the neighbour's; both are listed, and `other` is the neighbour. */
#define DEM_DEFECT_INCONSISTENT_EDGE 14
/** A vertex that no triangle uses. */
#define DEM_DEFECT_UNUSED_VERTEX 17
/** Distances, pairs within a distance, closest points: with every mesh. */
#define DEM_WORKS_DISTANCES 1
/** Inside and outside: the surface is closed and consistently oriented. */
#define DEM_WORKS_INSIDE 2
/** Mass properties without an error: as inside, and there is a volume. */
#define DEM_WORKS_MASS 4
/** Every edge of the component is run as often one way as the other. */
#define DEM_COMPONENT_CLOSED 1
/** Its triangles can be turned so that all neighbours agree. */
#define DEM_COMPONENT_ORIENTABLE 2
/** It is closed, and most of its triangles look inward: a hollow, or a body turned inside out. */
#define DEM_COMPONENT_INWARD 4

/** An inspection in numbers. */
typedef struct dem_report {
    /** Triangles. */
    uint64_t triangles;
    /** Vertices that the shape was built from. */
    uint64_t vertices;
    /** Different positions among them. */
    uint64_t positions;
    /** Triangles that are `DEM_DEFECT_POINT`. */
    uint64_t points;
    /** Triangles that are `DEM_DEFECT_TWO_EQUAL`. */
    uint64_t two_equal;
    /** Triangles that are `DEM_DEFECT_COLLINEAR`. */
    uint64_t collinear;
    /** Triangles that are `DEM_DEFECT_NEARLY_COLLINEAR`. */
    uint64_t nearly_collinear;
    /** Triangles that are `DEM_DEFECT_NEEDLE`. */
    uint64_t needles;
    /** Triangles that are `DEM_DEFECT_DUPLICATE`. */
    uint64_t duplicates;
    /** Triangles that are `DEM_DEFECT_REVERSED_COPY`. */
    uint64_t reversed_copies;
    /** Triangles that are `DEM_DEFECT_REVERSED_TRIANGLE`. */
    uint64_t reversed_triangles;
    /** Vertices that are `DEM_DEFECT_UNUSED_VERTEX`. */
    uint64_t unused_vertices;
    /** Edges of triangles with three different corners. */
    uint64_t edges;
    /** Edges of one triangle, copies not counted. */
    uint64_t open_edges;
    /** Connected sets of open edges: holes and rims, those that touch in a vertex being one. */
    uint64_t open_loops;
    /** Edges of three or more triangles, copies not counted. */
    uint64_t non_manifold_edges;
    /** Edges that both of their triangles run the same way. */
    uint64_t inconsistent_edges;
    /** Edges that are not run as often one way as the other, copies counted. With none, the surface is closed. */
    uint64_t unbalanced_edges;
    /** Connected components: triangles that are neighbours of neighbours. */
    uint64_t components;
    /** Components that are `DEM_COMPONENT_CLOSED`. */
    uint64_t closed_components;
    /** Components that are `DEM_COMPONENT_INWARD`. */
    uint64_t inward_components;
    /** Components that cannot be oriented consistently, as a Moebius strip. */
    uint64_t non_orientable_components;
    /** Bits `DEM_WORKS_*`: what works with this mesh. */
    uint64_t works;
} dem_report;

/** What counts as a defect. */
typedef struct dem_inspect_options {
    /** `sizeof(dem_inspect_options)`. */
    uint32_t struct_size;
    /** Which defects `dem_shape_findings` lists: bit d for defect d, such as `1u << DEM_DEFECT_OPEN_EDGE`; all by default. */
    uint32_t defects;
    /**
     * A triangle whose height is at most this much of the mesh's radius is nearly collinear; 2^-23 by default, what is left of
     * a collinear triangle after a file has stored it in single precision.
     */
    double resolution;
    /** Any other triangle whose height is at most this much of its longest side is a needle; 1e-4 by default. */
    double needle;
} dem_inspect_options;

/** One place of a defect. */
typedef struct dem_finding {
    /** `DEM_DEFECT_*`. */
    uint32_t defect;
    /** The triangle, or the vertex of `DEM_DEFECT_UNUSED_VERTEX`. */
    uint32_t item;
    /** For defects of sides, which: corner `side` to corner `side` + 1. Else `DEM_NO_ID`. */
    uint32_t side;
    /** The other triangle, where the defect has one. Else `DEM_NO_ID`. */
    uint32_t other;
} dem_finding;

/** A set of triangles that are neighbours of neighbours. */
typedef struct dem_component {
    /**
     * Signed volume with all triangles turned as most of them look; 0 where the component is not orientable. Where it is
     * open, of the component closed by a cone to the middle of the mesh.
     */
    double volume;
    /** Area. */
    double area;
    /** Its first triangle. */
    uint32_t first;
    /** How many triangles it has. */
    uint32_t triangles;
    /** How many of them are `DEM_DEFECT_REVERSED_TRIANGLE`. */
    uint32_t reversed;
    /** Bits `DEM_COMPONENT_*`. */
    uint32_t state;
} dem_component;

/**
 * Inspects a shape: counts of every defect, and what works.
 *
 * Outputs: `report`, of which `report_size` bytes are written, at most `sizeof(dem_report)`.
 * Inputs: `report_size`: `sizeof(dem_report)`. `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at
 * least at any alignment.
 * Memory: scratch must not overlap the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OUT_OF_RANGE`: `resolution` or `needle` that is negative or
 * not finite; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`.
 * Cost: about 0.15 microseconds a triangle.
 * Threads: any number at a time, each with scratch of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_shape_inspect(dem_report *report,
                          size_t report_size,
                          const dem_shape *shape,
                          const dem_inspect_options *options,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/**
 * Inspects a shape, and lists where it has which defect: ordered by defect, then by item, then by side.
 *
 * Outputs: `findings` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
 * packed), of which min(`stride`, `sizeof(dem_finding)`) bytes are written. `count` (may be null): how many there are, also
 * where there are more than `capacity`.
 * Inputs: `shape`. `options` (may be null: the defaults): among them which defects. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch and records must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; none is then written. Those of `dem_shape_inspect`.
 * Cost: as `dem_shape_inspect`.
 * Threads: any number at a time, each with records and scratch of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_shape_findings(dem_finding *findings,
                           size_t capacity,
                           size_t stride,
                           size_t *count,
                           const dem_shape *shape,
                           const dem_inspect_options *options,
                           void *scratch,
                           size_t scratch_size,
                           dem_error *error);

/**
 * Inspects a shape, and lists its connected components, ordered by their first triangle.
 *
 * Triangles with two equal corners and copies of earlier triangles belong to none.
 *
 * Outputs: `components`, `capacity`, `stride`, `count`: as the outputs of `dem_shape_findings`.
 * Inputs: `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch and records must not overlap each other nor the shape.
 * Errors: those of `dem_shape_findings`.
 * Cost: as `dem_shape_inspect`.
 * Threads: any number at a time, each with records and scratch of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_shape_components(dem_component *components,
                             size_t capacity,
                             size_t stride,
                             size_t *count,
                             const dem_shape *shape,
                             const dem_inspect_options *options,
                             void *scratch,
                             size_t scratch_size,
                             dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Where a shape crosses itself.
 */

/**
 * All pairs of triangles of a shape that meet where they should not: smaller id first, in ascending order.
 *
 * Triangles may share a corner or an edge. They are in the list if they have any other point in common: without a shared
 * corner if they touch at all, with one if they meet elsewhere too, with two if they lie in one plane on the same side of
 * the edge. Copies, which share all three, are `DEM_DEFECT_DUPLICATE` and `DEM_DEFECT_REVERSED_COPY`; what crosses one of them is listed with
 * each. Decided exactly, for
 * the coordinates as they are stored; halos do not matter.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` pairs, aligned as `uint32_t` is. `count` (may be null): how
 * many there are, also where there are more than `capacity`.
 * Inputs: `shape`. `isa`: one of `DEM_ISA_*`. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch and pairs must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` pairs; those written mean nothing. About `scratch`: bytes.
 * `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_UNSUPPORTED`.
 * Cost: 1 to 10 microseconds a triangle, also where many are copies or share a vertex; many that share an edge are tried with each other.
 * Threads: any number at a time, each with pairs and scratch of its own.
 * Determinism: the same bits on every machine and with every instruction set.
 */
int32_t dem_shape_self_intersections(uint32_t (*pairs)[2],
                                     size_t capacity,
                                     size_t *count,
                                     const dem_shape *shape,
                                     uint32_t isa,
                                     void *scratch,
                                     size_t scratch_size,
                                     dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Mass properties of a shape.
 */

/** The triangles look inward on the whole; everything is given as if they were turned. */
#define DEM_MASS_INWARD 1
/** There is no volume beyond rounding (a sheet, a point): mass and inertia are zero, the axes those of the frame. */
#define DEM_MASS_FLAT 2

/** Mass properties, in the shape's own frame. */
typedef struct dem_mass {
    /** Density times volume. */
    double mass;
    /** Never negative. */
    double volume;
    /** Area of all triangles; what closes holes is not in it. */
    double area;
    /** Centre of mass. Where there is no volume, centre of the area. */
    double centre[3];
    /** Inertia tensor about the centre of mass: off-diagonal numbers are minus the integrals of x y. */
    double inertia[3][3];
    /** Principal moments in ascending order. */
    double moments[3];
    /** Principal axes: axis i is `axes[i]`, a unit vector; right-handed. */
    double axes[3][3];
    /** What is unsure about the volume because the mesh is open; 0 where it is closed. */
    double volume_error;
    /** What is unsure about each coordinate of the centre, to first order. */
    double centre_error;
    /** What is unsure about each number of the inertia tensor, to first order. */
    double inertia_error;
    /** How many holes were closed. */
    uint64_t holes;
    /** Bits `DEM_MASS_*`. */
    uint64_t state;
    /**
     * Where the shape is, seen from its centre of mass and along its principal axes: with it as the `pose` of the shape in the table of
     * a scene or a world, that is the frame of its bodies.
     */
    dem_pose part_pose;
} dem_mass;

/**
 * Mass, centre, inertia and principal axes of the body that a shape encloses, filled with one density; halos left aside.
 *
 * Exact for polyhedra but for rounding, where the mesh is closed. A hollow's wall looks into the hollow. A mesh that is not
 * closed is closed by a fan over each hole, and what that leaves unsure is told; faults that do not tear the surface (a
 * duplicate, a triangle turned the wrong way) cost next to nothing.
 *
 * Outputs: `mass`, of which `mass_size` bytes are written, at most `sizeof(dem_mass)`.
 * Inputs: `mass_size`: `sizeof(dem_mass)`. `shape`. `density`: positive. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch must not overlap the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the density; `DEM_ERROR_OUT_OF_RANGE` about `mesh`: a result is too large
 * or too small for a double (sizes of 2^200, or of 2^-200); `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
 * Cost: about 0.1 microseconds a triangle.
 * Threads: any number at a time, each with scratch of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_shape_mass(dem_mass *mass,
                       size_t mass_size,
                       const dem_shape *shape,
                       double density,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Mass properties of bodies of any kind.
 *
 * Of a compound whose parts overlap, what they have in common has mass once. `dem_shape_mass` does the same of one mesh, which has to be no body.
 */

/**
 * Mass, centre, inertia and principal axes of a body of any kind but a half-space, filled with one density, in the frame of its shape: pose and scale of the body, and halos,
 * are left aside.
 *
 * Balls are exact, and so are closed meshes. Where parts of a compound overlap, what they have in common counts once: it is integrated over `columns` times `columns` columns along z
 * through the box around all overlaps, each exactly along z. With 128, what two balls have in common is right to a thousandth. Columns at which a mesh is not closed count
 * as if nothing overlapped there, and their volume is added to `volume_error`.
 *
 * Outputs: `mass`, of which `mass_size` bytes are written, at most `sizeof(dem_mass)`. Its `part_pose`, as the `pose` of the shape in the table of a scene or a world,
 * makes its frame that of its bodies.
 * Inputs: `mass_size`: `sizeof(dem_mass)`. `body`; meshes are built with cells. `density`: positive. `columns`: at least 1; 128 serve most. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch must not overlap the body.
 * Errors: those of `dem_placed_contacts` about body A; `DEM_ERROR_UNSUPPORTED`: a half-space; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the density, and about `mass`:
 * there is no volume, or too much for a double; `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_NULL`; `DEM_ERROR_OVERLAP`.
 * Cost: about 0.1 microseconds a triangle, and where parts overlap a ray cast for each column: some ten nanoseconds for each ball, two microseconds for each mesh.
 * Threads: any number at a time, each with scratch of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_placed_mass(dem_mass *mass,
                        size_t mass_size,
                        const dem_placed *body,
                        double density,
                        uint32_t columns,
                        void *scratch,
                        size_t scratch_size,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Shapes that change.
 *
 * Where the vertices of a shape move (a body deforms, a membrane swings) or its halo changes, while its triangles stay who they
 * are, refitting is quicker than building the shape anew, and changes it in its block: mesh, tree and cells in one call.
 */

/** Surrogates stay where they are, and their halos grow with the way that vertices moved. The quickest; for small changes. */
#define DEM_REFIT_HALOS 1
/** Surrogates are found anew; only the division into parts stays. */
#define DEM_REFIT_SURROGATES 2

/** What changes of a shape. */
typedef struct dem_refit_desc {
    /** `sizeof(dem_refit_desc)`. */
    uint32_t struct_size;
    /** `DEM_REFIT_*`; `DEM_REFIT_SURROGATES` by default. */
    uint32_t how;
    /**
     * New positions of all vertices that the shape was built from, in their order: three numbers an item. Vertices whose
     * positions were equal must stay together. Null data, the default: vertices stay where they are.
     */
    dem_array vertices;
    /**
     * A new halo for each triangle, finite and not negative: one number an item; for shapes that were built with one for
     * each. Null data, the default: halos stay as they are.
     */
    dem_array halos;
    /**
     * The new halo of all triangles, finite and not negative, for shapes that were built with one for all. -1, the default:
     * it stays as it is.
     */
    double halo;
    /** One of `DEM_ISA_*`; the shape does not depend on it. */
    uint32_t isa;
    /** 0. */
    uint32_t reserved;
} dem_refit_desc;

/**
 * Moves the vertices of a shape, changes its halos, or both: mesh, tree and cells. Its answers are then those of a shape that was built so: only
 * the tree may be less good than a new one, the more the farther vertices moved, and patches keep their names, and contacts their keys. A membrane that
 * was flat when its shape was built stays one patch, however it bulges. Its contacts are sums over all of it, as exact as before; where
 * it is folded so far that they should be told apart, build the shape anew.
 *
 * Outputs: `shape`: its block is changed, and scratch behind it.
 * Inputs: `size`: bytes of the memory that the block lies in: what `dem_shape_layout` said, as a rule. `desc`: its arrays are read during this
 * call only.
 * Memory: block and arrays must not overlap each other. The block must not be in read-only memory.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_BAD_SIZE`: a stride, `struct_size`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and
 * its component, or the halo; `DEM_ERROR_MISMATCH`: not as many vertices (or halos) as before (`needed`, `given`), item
 * `index` of `vertices` is torn off one whose position was equal (build the shape anew for that), or the shape has the other
 * sort of halos; `DEM_ERROR_OUT_OF_RANGE` about `how`, about `mesh`: larger than
 * about 1e18; `DEM_ERROR_CAPACITY` about `block`: the surface has more cells now than `size` bytes have room for: copy the shape
 * to the start of a block of `needed` bytes, and call again; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. The shape is then as it was.
 * Cost: 0.9 microseconds a triangle with `DEM_REFIT_HALOS`, 1.6 with `DEM_REFIT_SURROGATES`; where vertices move, some 5 more for
 * the cells of a curved surface, and half of that for a flat wall's.
 * Threads: any; no other call may use the shape meanwhile. A call that begins during this one fails with
 * `DEM_ERROR_BUSY`. So does a query that was running when this one began, and its results mean nothing.
 * Determinism: the same bytes on every machine and with every instruction set.
 */
int32_t dem_shape_refit(dem_shape *shape,
                        size_t size,
                        const dem_refit_desc *desc,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Queries of two shapes.
 *
 * What is asked, of which shapes and where they are, is one struct, `dem_query`, which a program fills once and changes from
 * step to step. Distances are between surfaces, in world coordinates. Whatever the shapes: every pair of triangles that the
 * definition names is in the answer, and no other.
 */

/** The pair with the smallest midpoint and ids, at the price of finding all. */
#define DEM_WITNESS_DEFINITE 0
/** A pair that is found soon: the same one on every machine, but another one for other trees, or if the bodies are exchanged. */
#define DEM_WITNESS_ANY 1

/** Two triangles, and where they are closest. */
typedef struct dem_triangle_pair {
    /** Triangle of A. */
    uint32_t a;
    /** Triangle of B. */
    uint32_t b;
    /** What part of A's triangle `point_a` lies on: `DEM_FEATURE_*`. */
    uint32_t feature_a;
    /** The same of B's triangle. */
    uint32_t feature_b;
    /** Distance of the two triangles, without halos; exactly 0 where they touch or cross, and only there. */
    double distance;
    /** Closest point on A's triangle, in world coordinates. */
    double point_a[3];
    /** Closest point on B's triangle; equal to `point_a` where the distance is 0. */
    double point_b[3];
} dem_triangle_pair;

/** Two shapes and where they are. */
typedef struct dem_query {
    /** `sizeof(dem_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** The first shape. */
    const dem_shape *a;
    /** The second; may be the same. */
    const dem_shape *b;
    /** Where A is; the identity by default. */
    dem_pose pose_a;
    /** Where B is; the identity by default. */
    dem_pose pose_b;
    /** The distance beyond the halos within which pairs are reported, finite and not negative; 0 by default. */
    double margin;
    /** `dem_min_distance` does not look farther than this, not negative; infinite by default. */
    double bound;
    /** The pair that `dem_min_distance` gives where bodies touch or cross: `DEM_WITNESS_*`; `DEM_WITNESS_DEFINITE` by default. */
    uint32_t witness;
    /** Zero. */
    uint32_t reserved;
} dem_query;

/**
 * All pairs of triangles whose distance is at most the halo of A's triangle plus that of B's plus `margin`.
 *
 * Complete and exact: a pair is reported if and only if its distance, computed in double precision by one fixed sequence of
 * operations, is within the threshold; ties count. Degenerate and duplicate triangles count, as the segments and points
 * that they are. Pairs are ordered by triangle of A, then of B. Exchanging A and B exchanges ids and points, bit for bit.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before, of which
 * min(`stride`, `sizeof(dem_triangle_pair)`) bytes are written; with a stride of 0 or `sizeof(dem_triangle_pair)` the
 * array must be aligned as doubles are. `count` (may be null): how many pairs there are, also where there are more than
 * `capacity`.
 * Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch and records must not overlap each other nor the shapes.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; those written mean nothing. About `scratch`: bytes.
 * `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape;
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose (`component` 0 to 2: position, 3 to 6: orientation) or the
 * margin; `DEM_ERROR_BAD_SIZE`: `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
 * Cost: proportional to the pairs found and to the surface that comes close; about 0.15 microseconds for bodies far apart.
 * Threads: any number at a time, on the same shapes, each with records and scratch of its own.
 * Determinism: the same bits on every machine and with every instruction set.
 */
int32_t dem_pairs(dem_triangle_pair *pairs,
                  size_t capacity,
                  size_t stride,
                  size_t *count,
                  const dem_query *query,
                  void *scratch,
                  size_t scratch_size,
                  dem_error *error);

/**
 * The closest pair of triangles of two shapes, halos left aside.
 *
 * Where several have the same distance, it is the one with the smallest midpoint (x, then y, then z), then that with the
 * smallest ids. So bodies that cross have one definite pair, at the price of finding them all. Where any pair will do that
 * touches, `DEM_WITNESS_ANY` in `query` is quicker, and `dem_any_pair` where yes or no will. A good bound, such as the distance
 * of the step before plus what the bodies may have moved, saves time.
 *
 * Outputs: `pair`, of which `pair_size` bytes are written, at most `sizeof(dem_triangle_pair)`.
 * Inputs: `pair_size`: `sizeof(dem_triangle_pair)`. `query`: shapes, poses and bound. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch must not overlap the shapes.
 * Errors: none: `DEM_NONE` where all triangles are farther apart than the bound; `pair` is then left as it is. Otherwise
 * those of `dem_pairs`, where the bound takes the margin's place.
 * Cost: depends on how many triangles are about as near as the nearest. For meshes of 10,000 to 50,000 triangles, 25 to 100 microseconds at
 * most poses of bodies that do not touch, and a millisecond or two where wide surfaces face each other. Bodies that cross take up to some
 * milliseconds, with `DEM_WITNESS_ANY` about as long as `dem_any_pair`.
 * Threads: as for `dem_pairs`.
 * Determinism: the same bits on every machine and with every instruction set.
 */
int32_t dem_min_distance(dem_triangle_pair *pair,
                         size_t pair_size,
                         const dem_query *query,
                         void *scratch,
                         size_t scratch_size,
                         dem_error *error);

/**
 * Whether any pair of triangles is within the threshold of `dem_pairs`. Stops at the first that is found.
 *
 * Outputs: `any`: 1 if there is one, else 0.
 * Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch must not overlap the shapes.
 * Errors: those of `dem_pairs`.
 * Cost: at most that of `dem_pairs`; 3 to 25 microseconds where meshes of up to 50,000 triangles cross.
 * Threads: as for `dem_pairs`.
 * Determinism: the same answer on every machine and with every instruction set.
 */
int32_t dem_any_pair(uint32_t *any,
                     const dem_query *query,
                     void *scratch,
                     size_t scratch_size,
                     dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Points and a shape.
 *
 * How far many points are from a shape, where it is closest, and on which side of it they are: what immersed boundary codes
 * ask in every step. Points and results are arrays of the host, read and written in place. Distances are to the surface,
 * in world coordinates; halos play no part.
 */

/** On the side to which the triangles' normals point. */
#define DEM_SIDE_OUTSIDE 0
/** On the other side. */
#define DEM_SIDE_INSIDE 1
/** Exactly on the surface. */
#define DEM_SIDE_SURFACE 2
/** Farther away than the bound. */
#define DEM_SIDE_BEYOND 3
/** An edge there has not exactly two triangles (or is of a copy of an earlier triangle). */
#define DEM_DOUBT_OPEN 1
/** Two neighbours there look to different sides. */
#define DEM_DOUBT_INCONSISTENT 2
/** A triangle there has no area. */
#define DEM_DOUBT_DEGENERATE 4
/** Parts of the surface touch in that vertex. */
#define DEM_DOUBT_TOUCHING 8
/** The surface is too sharp there to tell. */
#define DEM_DOUBT_SHARP 16
/** The point is 2^24 radii of the mesh away, where all of it is equally far. The guess is outside. */
#define DEM_DOUBT_FAR 32

/**
 * The winding number is not near 0 or 1, or is on the other side of 1/2 than the side that is told: parts of the surface
 * overlap or are flipped, or it is no more than a sheet there.
 */
#define DEM_DOUBT_WINDING 64

/**
 * Where results go: item i belongs to point i. What is not wanted has null data, as everything has after
 * `dem_point_results_default`. Integers are of type `DEM_I32` or `DEM_U32`.
 */
typedef struct dem_point_results {
    /** `sizeof(dem_point_results)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /**
     * The closest triangle, the one with the smallest number where several are equally close; `DEM_NO_ID` beyond the
     * bound: one integer.
     */
    dem_output triangle;
    /** `DEM_FEATURE_*`: what part of it the closest point lies on; 0 beyond the bound: one integer. */
    dem_output feature;
    /** `DEM_SIDE_*`: one integer. */
    dem_output side;
    /**
     * 0 where the side is certain; else bits `DEM_DOUBT_*`: why it is a guess. All but `DEM_DOUBT_FAR` and
     * `DEM_DOUBT_WINDING` speak of the closest part of the surface: one integer.
     */
    dem_output doubt;
    /** Distance from the surface, exactly 0 on it and only there; infinite beyond the bound: one number. */
    dem_output distance;
    /** The same, negative inside: one number. */
    dem_output signed_distance;
    /** The closest point of the surface, in world coordinates; zeros beyond the bound: three numbers. */
    dem_output point;
    /**
     * The unit direction, in world axes, in which the signed distance grows; on the surface its normal there. Zeros where
     * there is none (beyond the bound; on a degenerate triangle): three numbers.
     */
    dem_output normal;
} dem_point_results;

/** Points, and a shape and where it is. */
typedef struct dem_point_query {
    /** `sizeof(dem_point_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** The shape. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved;
    /** Where it is; the identity by default. */
    dem_pose pose;
    /**
     * Points farther than this are told as beyond, which costs less; not negative, infinite by default. Give the width of
     * the band that is of interest.
     */
    double bound;
    /** The points, in world coordinates: three numbers an item. */
    dem_array points;
} dem_point_query;

/**
 * For each point the closest point of a shape, distance, signed distance and side.
 *
 * The side is that of the generalised winding number (`dem_point_winding`): inside above 1/2. On a closed surface that is an
 * integer, and found exactly; crossing parts, copies, flipped triangles and fins do no harm. Where the surface is open and the
 * number within 1/4 of 1/2, the closest part of the surface tells, and `doubt` says where the two differ. With more than 4,096
 * open sides the closest part tells, always in doubt. A side of a triangle is open where no neighbour runs along it in the other
 * direction. A shape turned inside out has its sides exchanged.
 *
 * Outputs: `results`: as many items as there are points in each array that is wanted. The arrays may lie between the points
 * (in the same structs) but must not overlap them.
 * Inputs: `query`: shape, pose, points and bound. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch and results must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY`: scratch, or a result without room for all points; `DEM_ERROR_MISALIGNED`,
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_NOT_FINITE`: a point and its
 * component, the pose, or a bound that is NaN; `DEM_ERROR_OUT_OF_RANGE`: a point 2^1000 or more away from the body, the pose,
 * the bound, a type;
 * `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. Nothing is then written.
 * Cost: 1 to 7 microseconds a point on a shape of some thousand to twenty thousand triangles, and a quarter less where one call has tens of thousands; on an open shape a
 * nanosecond more for each open side. A bound that spares the search makes it less.
 * Threads: any number at a time, on the same shape, each with results and scratch of its own.
 * Determinism: the same bits on every machine, with every instruction set, and for a point alone or among others.
 */
int32_t dem_point_distance(const dem_point_results *results,
                           const dem_point_query *query,
                           void *scratch,
                           size_t scratch_size,
                           dem_error *error);

/**
 * How often the surface of a shape goes around each point: generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung
 * 2013). 1 inside and 0 outside of a closed surface that looks outward, up to rounding; where parts overlap they add up;
 * with holes and flipped triangles it varies smoothly, and above 0.5 is the best meaning that inside has.
 *
 * Outputs: `numbers`: one number a point; the array may lie between the points but must not overlap them.
 * Inputs: `query`: shape, pose and points.
 * Memory: `numbers` must not overlap the shape.
 * Errors: those of `dem_point_distance`, without bound and scratch.
 * Cost: about 30 ns for each triangle and point: for the few points that `doubt` marks.
 * Threads: as for `dem_point_distance`.
 * Determinism: the same bits on every machine, and for a point alone or among others.
 */
int32_t dem_point_winding(const dem_output *numbers,
                          const dem_point_query *query,
                          dem_error *error);

/**
 * The defaults of `dem_inspect_options`.
 */
static inline dem_inspect_options dem_inspect_options_default(void) {
    dem_inspect_options options;
    (void)dem_defaults(&options, sizeof options, DEM_DEFAULT_INSPECT_OPTIONS, NULL);
    return options;
}

/**
 * The defaults of `dem_refit_desc`.
 */
static inline dem_refit_desc dem_refit_desc_default(void) {
    dem_refit_desc desc;
    (void)dem_defaults(&desc, sizeof desc, DEM_DEFAULT_REFIT_DESC, NULL);
    return desc;
}

/**
 * The defaults of `dem_query`.
 */
static inline dem_query dem_query_default(void) {
    dem_query query;
    (void)dem_defaults(&query, sizeof query, DEM_DEFAULT_QUERY, NULL);
    return query;
}

/**
 * The defaults of `dem_point_query`.
 */
static inline dem_point_query dem_point_query_default(void) {
    dem_point_query query;
    (void)dem_defaults(&query, sizeof query, DEM_DEFAULT_POINT_QUERY, NULL);
    return query;
}

/**
 * The defaults of `dem_point_results`.
 */
static inline dem_point_results dem_point_results_default(void) {
    dem_point_results results;
    (void)dem_defaults(&results, sizeof results, DEM_DEFAULT_POINT_RESULTS, NULL);
    return results;
}

#ifdef __cplusplus
}
#endif

#endif /* DEM_MESH_H */
