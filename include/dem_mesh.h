/*
 * dem_mesh.h: one mesh, or two. Boxes and cylinders; defects of a mesh, its mass, moving vertices;
 * distances, near triangles, and on which side of a mesh points are.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Boxes and cylinders
 *   Defects of a shape
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
 * Meshes for `dem_shape_desc`: a box has 12 triangles. A cylinder is a prism with so many facets that they have no noticeable effect. A
 * program with malloc may call `dem_heap_box` and `dem_heap_cylinder` of dem_heap.h, which also build the shape. Spheres, capsules and
 * half-spaces need no mesh: `dem_placed_sphere`, `dem_placed_capsule`, `dem_placed_half_space`.
 */

/**
 * Makes the mesh of a box about the origin, with edges along the axes.
 *
 * Outputs: `vertices`: 8 of three numbers each. `triangles`: 12 of three indices each, which look outward; two for each side in the order
 * -x +x -y +y -z +z.
 * Inputs: `edges`: three lengths, not negative; with a 0 the box is flat.
 * Memory: vertices and triangles must not overlap.
 * Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `edges`, with the axis as `component`; `DEM_ERROR_NULL`;
 * `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. After an error nothing is written.
 * Cost: none.
 * Threads: any.
 * Determinism: the same bits on every machine.
 */
int32_t dem_box_mesh(double *vertices,
                     uint32_t *triangles,
                     const double *edges,
                     dem_error *error);

/**
 * Tells how many facets a cylinder needs.
 *
 * Outputs: `facets`: the smallest number, at least 3, for which no facet is farther than `sagitta` from the circle through the edges of
 * the prism.
 * Inputs: `radius`, `sagitta`: lengths, larger than 0. A good `sagitta` is a sixteenth of the sum of the halos of the cylinder and of the
 * body on which it rolls: the facets then have no noticeable effect.
 * Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `radius`, `sagitta`; `DEM_ERROR_TOO_LARGE`: more than 2^20 facets;
 * `DEM_ERROR_NULL`.
 * Cost: some tenths of a microsecond.
 * Threads: any.
 * Determinism: the same on every machine.
 */
int32_t dem_cylinder_facets(size_t *facets,
                            double radius,
                            double sagitta,
                            dem_error *error);

/**
 * Makes the mesh of a cylinder about the z axis, from -`length` / 2 to `length` / 2: a right prism of the same volume. The middle of a facet is
 * inside of the cylinder, its edges are outside.
 *
 * Outputs: `vertices`: 2 `facets` + 2 of three numbers each: the centres of both ends, the lower one first, then each edge from below to
 * above. `triangles`: 4 `facets` of three indices each, which look outward; for each facet one of the lower end, two of the side, one of
 * the upper end.
 * Inputs: `vertex_capacity`, `triangle_capacity`: the number of vertices and triangles for which there is room. `radius`, `length`: larger
 * than 0. `facets`: 3 to 2^20; `dem_cylinder_facets` gives a good number.
 * Memory: vertices and triangles must not overlap.
 * Errors: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: `radius`, `length`, `facets`; `DEM_ERROR_CAPACITY`: `vertices`, `triangles`;
 * `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. After an error nothing is written.
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
 * Defects of a shape.
 *
 * Bad meshes are accepted: no triangle is dropped, and distances and pairs are right for any mesh. The functions of this chapter tell the defects,
 * their places, and what still works. Vertices with equal stored positions count as one.
 *
 * Forces need more than distances do. Contacts are complete if three conditions hold. The report has `DEM_WORKS_INSIDE`. Its only
 * `inward_components` are hollows. It has no edges that are open, non-manifold or inconsistent. Otherwise some contacts lack a part of the
 * force.
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
/** A triangle with the corners of an earlier one and the same orientation; `other` is the first one like it. */
#define DEM_DEFECT_DUPLICATE 5
/** A triangle with the corners of an earlier one and the opposite orientation; `other` is the first one like it. */
#define DEM_DEFECT_REVERSED_COPY 6
/** A triangle oriented against most of its component. If all of these are reversed, the component is consistent. */
#define DEM_DEFECT_REVERSED_TRIANGLE 7
/** A side that no other triangle shares. */
#define DEM_DEFECT_OPEN_EDGE 8
/** A side that three or more triangles share; all of them are listed. */
#define DEM_DEFECT_NON_MANIFOLD_EDGE 11
/** A side with the same direction in both triangles; both are listed, and `other` is the neighbour. */
#define DEM_DEFECT_INCONSISTENT_EDGE 14
/** A vertex that no triangle uses. */
#define DEM_DEFECT_UNUSED_VERTEX 17
/** Distances, pairs within a distance, closest points: with every mesh. */
#define DEM_WORKS_DISTANCES 1
/** Inside and outside: the surface is closed and consistently oriented. */
#define DEM_WORKS_INSIDE 2
/** Mass properties without an error: as for inside, and there is a volume. */
#define DEM_WORKS_MASS 4
/** At every edge, as many triangles of the component have one direction as the other. */
#define DEM_COMPONENT_CLOSED 1
/** Its triangles can be oriented so that all neighbours agree. */
#define DEM_COMPONENT_ORIENTABLE 2
/** It is closed, and most of its triangles look inward: a hollow, or a body turned inside out. */
#define DEM_COMPONENT_INWARD 4

/** The result of an inspection: numbers of defects, and what works. */
typedef struct dem_report {
    /** Triangles. */
    uint64_t triangles;
    /** Vertices from which the shape was built. */
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
    /** Edges of one triangle, without copies. */
    uint64_t open_edges;
    /** Connected sets of open edges: holes and rims. Those that touch in a vertex count as one. */
    uint64_t open_loops;
    /** Edges of three or more triangles, without copies. */
    uint64_t non_manifold_edges;
    /** Edges with the same direction in both of their triangles. */
    uint64_t inconsistent_edges;
    /**
     * Edges that do not have as many triangles of one direction as of the other, including copies. If there are none, the surface is
     * closed.
     */
    uint64_t unbalanced_edges;
    /** Connected components: sets of triangles connected by neighbours. */
    uint64_t components;
    /** Components that are `DEM_COMPONENT_CLOSED`. */
    uint64_t closed_components;
    /** Components that are `DEM_COMPONENT_INWARD`. */
    uint64_t inward_components;
    /** Components that cannot be oriented consistently, such as a Moebius strip. */
    uint64_t non_orientable_components;
    /** Bits `DEM_WORKS_*`: the functions that work with this mesh. */
    uint64_t works;
    /**
     * The least thickness: the shortest line from the middle of a triangle, inwards and at a right angle to it, to a face that looks the
     * opposite way (normals more than 120 degrees apart). Infinite where no line meets such a face, as in an open sheet. Halos of both
     * bodies of a contact should be thinner.
     */
    double thickness;
    /** The triangles where this line begins and ends. `DEM_NO_ID` where there is none. */
    uint32_t thinnest[2];
} dem_report;

/** Settings of an inspection: which defects, from which size on. */
typedef struct dem_inspect_options {
    /** `sizeof(dem_inspect_options)`. */
    uint32_t struct_size;
    /** Which defects `dem_shape_findings` lists: bit d for defect d, such as `1u << DEM_DEFECT_OPEN_EDGE`; all by default. */
    uint32_t defects;
    /**
     * A triangle is nearly collinear if its height is at most this fraction of the mesh's radius. 2^-23 by default, the height that a
     * collinear triangle may get when a file stores it in single precision.
     */
    double resolution;
    /** Any other triangle is a needle if its height is at most this fraction of its longest side; 1e-4 by default. */
    double needle;
} dem_inspect_options;

/** One place of a defect. */
typedef struct dem_finding {
    /** `DEM_DEFECT_*`. */
    uint32_t defect;
    /** The triangle, or the vertex of `DEM_DEFECT_UNUSED_VERTEX`. */
    uint32_t item;
    /** For a defect of a side: the side from corner `side` to corner `side` + 1. Else `DEM_NO_ID`. */
    uint32_t side;
    /** The other triangle, if the defect has one. Else `DEM_NO_ID`. */
    uint32_t other;
} dem_finding;

/** A set of triangles connected by neighbours. */
typedef struct dem_component {
    /**
     * Signed volume with all triangles oriented like the majority; 0 if the component is not orientable. If it is open, the volume after a
     * cone to the middle of the mesh has closed it.
     */
    double volume;
    /** Area. */
    double area;
    /** Its first triangle. */
    uint32_t first;
    /** Number of its triangles. */
    uint32_t triangles;
    /** Number of its triangles that are `DEM_DEFECT_REVERSED_TRIANGLE`. */
    uint32_t reversed;
    /** Bits `DEM_COMPONENT_*`. */
    uint32_t state;
} dem_component;

/**
 * Inspects a shape: counts of every defect, and the functions that work.
 *
 * Outputs: `report`: the function writes `report_size` bytes, at most `sizeof(dem_report)`.
 * Inputs: `report_size`: `sizeof(dem_report)`. `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: scratch must not overlap the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OUT_OF_RANGE`: `resolution` or `needle` that is negative or not finite; `DEM_ERROR_BAD_SIZE`;
 * `DEM_ERROR_OVERLAP`.
 * Cost: some 8 microseconds a triangle of a sphere, most of it for the thickness; O(n log n). Many copies, pages on one edge, and triangles below a
 * billionth of the mesh's size cost O(n^2).
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
 * Inspects a shape, and lists its defects with their places: ordered by defect, then by item, then by side.
 *
 * Outputs: `findings` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0: packed). The
 * function writes min(`stride`, `sizeof(dem_finding)`) bytes of each. `count` (may be null): how many there are, even if they are more
 * than `capacity`.
 * Inputs: `shape`. `options` (may be null: the defaults): among them the list of defects. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and records must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; then no record is written. Those of `dem_shape_inspect`.
 * Cost: as for `dem_shape_inspect`.
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
 * Triangles with two equal corners and copies of earlier triangles belong to no component.
 *
 * Outputs: `components`, `capacity`, `stride`, `count`: as the outputs of `dem_shape_findings`.
 * Inputs: `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and records must not overlap each other nor the shape.
 * Errors: those of `dem_shape_findings`.
 * Cost: as for `dem_shape_inspect`.
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
 * Finds all pairs of triangles of a shape that intersect each other, with the smaller id first, in ascending order.
 *
 * Triangles may share a corner or an edge. They are in the list if they have any other point in common. Without a shared corner, this
 * means any touch. With one shared corner, it means that they meet elsewhere, too. With two, it means that they lie in one plane on the
 * same side of the edge.
 * Copies, which share all three, are `DEM_DEFECT_DUPLICATE` and `DEM_DEFECT_REVERSED_COPY`; a triangle that crosses one of them is listed
 * with each. The decisions are exact for the stored coordinates. Halos have no effect.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` pairs, aligned as `uint32_t`. `count` (may be null): how many there are,
 * even if they are more than `capacity`.
 * Inputs: `shape`. `isa`: one of `DEM_ISA_*`. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and pairs must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` pairs; written pairs then have no meaning. `DEM_ERROR_CAPACITY` about `scratch`:
 * bytes. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_UNSUPPORTED`.
 * Cost: 1 to 10 microseconds a triangle, even if many are copies or share a vertex. Triangles that share an edge are all compared with
 * each other.
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

/** Most of the surface looks inward; all results are given as if the triangles were reversed. */
#define DEM_MASS_INWARD 1
/** There is no volume beyond rounding (a sheet, a point): mass and inertia are zero, the axes those of the frame. */
#define DEM_MASS_FLAT 2

/** Mass properties, in the shape's own frame. */
typedef struct dem_mass {
    /** Density times volume. */
    double mass;
    /** Volume, never negative. */
    double volume;
    /** Area of all triangles, without the surfaces that close holes. */
    double area;
    /** Centre of mass; if there is no volume, centre of the area. */
    double centre[3];
    /** Inertia tensor about the centre of mass: off-diagonal numbers are minus the integrals of x y. */
    double inertia[3][3];
    /** Principal moments in ascending order. */
    double moments[3];
    /** Principal axes: axis i is `axes[i]`, a unit vector; right-handed. */
    double axes[3][3];
    /** Uncertainty of the volume if the mesh is open; 0 if it is closed. */
    double volume_error;
    /** Uncertainty of each coordinate of the centre, to first order. */
    double centre_error;
    /** Uncertainty of each number of the inertia tensor, to first order. */
    double inertia_error;
    /** Number of holes that were closed. */
    uint64_t holes;
    /** Bits `DEM_MASS_*`. */
    uint64_t state;
    /**
     * Pose of the shape in the frame of its centre of mass and principal axes. As the `pose` of the shape in the table of a scene or a
     * world, it makes that frame the frame of the bodies.
     */
    dem_pose part_pose;
} dem_mass;

/**
 * Computes mass, centre, inertia and principal axes of the body that a shape encloses, filled with one density, without halos.
 *
 * If the mesh is closed, the results are exact for polyhedra, up to rounding. A hollow's wall looks into the hollow. If the mesh is open,
 * a fan closes each hole, and the results tell the uncertainty that this causes. A fan corrects a
 * duplicate triangle, too, and one with the wrong orientation: the first has the uncertainty of a hole of its size, the second that of two.
 *
 * Outputs: `mass`: the function writes `mass_size` bytes, at most `sizeof(dem_mass)`.
 * Inputs: `mass_size`: `sizeof(dem_mass)`. `shape`. `density`: positive. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch must not overlap the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the density; `DEM_ERROR_OUT_OF_RANGE` about `mesh`: a result is too large or too small
 * for a double (sizes of 2^200, or of 2^-200); `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
 * Cost: about 0.2 microseconds a triangle.
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
 * If parts of a compound overlap, the overlap has mass only once. `dem_shape_mass` does the same for one mesh, which need not be a body.
 */

/**
 * Computes mass, centre, inertia and principal axes of a body of any kind but a half-space, filled with one density, in the frame of its shape. The
 * pose and scale of the body, and halos, have no effect.
 *
 * Balls and closed meshes are exact. If parts of a compound overlap, the overlap counts once. It is integrated over `columns` times
 * `columns` columns along z through the box around all overlaps, each exactly along z. With 128, the overlap of two balls is right to a
 * thousandth. If a mesh is not closed at a column, this column counts as if nothing overlapped there, and its volume is added to
 * `volume_error`.
 *
 * Outputs: `mass`: the function writes `mass_size` bytes, at most `sizeof(dem_mass)`. Its `part_pose`, as the `pose` of the shape in the
 * table of a scene or a world, makes its frame the frame of the bodies.
 * Inputs: `mass_size`: `sizeof(dem_mass)`. `body`; meshes must have cells. `density`: positive. `columns`: at least 1; 128 are enough for
 * most bodies. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch must not overlap the body.
 * Errors: those of `dem_placed_contacts` about body A; `DEM_ERROR_UNSUPPORTED`: a half-space; `DEM_ERROR_NOT_FINITE`,
 * `DEM_ERROR_OUT_OF_RANGE`: the density, and about `mass`: there is no volume, or too much for a double; `DEM_ERROR_CAPACITY`: scratch;
 * `DEM_ERROR_NULL`; `DEM_ERROR_OVERLAP`.
 * Cost: about 0.7 microseconds a triangle. If parts overlap, also a ray cast for each column: some ten nanoseconds for each ball, two
 * microseconds for each mesh.
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
 * The vertices of a shape may move (a body deforms, a membrane swings) or its halo may change, while its triangles keep their vertices.
 * Refitting is then faster than building the shape anew. It changes the shape in its block: mesh, tree and cells in one call.
 */

/** Surrogates keep their places, and their halos grow with the distance that vertices moved. The fastest way; for small changes. */
#define DEM_REFIT_HALOS 1
/** Surrogates are computed anew; only the division into parts stays. */
#define DEM_REFIT_SURROGATES 2

/** The changes of a shape. */
typedef struct dem_refit_desc {
    /** `sizeof(dem_refit_desc)`. */
    uint32_t struct_size;
    /** `DEM_REFIT_*`; `DEM_REFIT_SURROGATES` by default. */
    uint32_t how;
    /**
     * New positions of all vertices from which the shape was built, in their order: three numbers an item. Vertices whose positions were
     * equal must stay together. Null data, the default: vertices do not move.
     */
    dem_array vertices;
    /**
     * A new halo for each triangle, finite and not negative: one number an item; for shapes that were built with one for each. Null data,
     * the default: halos do not change.
     */
    dem_array halos;
    /**
     * The new halo of all triangles, finite and not negative, for shapes that were built with one for all. -1, the default: it does not
     * change.
     */
    double halo;
    /** One of `DEM_ISA_*`; the shape does not depend on it. */
    uint32_t isa;
    /** 0. */
    uint32_t reserved;
} dem_refit_desc;

/**
 * Moves the vertices of a shape, changes its halos, or both: mesh, tree and cells. Queries then give the results of a shape built from the
 * new positions and halos, with two differences. The tree may be slower than a new one, the more the farther vertices moved. Patches keep
 * their names, and contacts their keys.
 * So a membrane that was flat when its shape was built stays one patch, however it bulges. Its contacts are sums over all of it, as exact
 * as before. If it folds so far that it needs separate contacts, build the shape anew.
 *
 * Outputs: `shape`: the function changes its block, and uses the memory after it as scratch.
 * Inputs: `size`: bytes of the memory that contains the block, usually the size of `dem_shape_layout`. `desc`: its arrays are read only
 * during this call.
 * Memory: block and arrays must not overlap each other. The block must not be in read-only memory.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
 * `DEM_ERROR_BAD_SIZE`: a stride, `struct_size`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and
 * its component, or the halo; `DEM_ERROR_MISMATCH`: not as many vertices (or halos) as before (`needed`, `given`), item
 * `index` of `vertices` is torn off one whose position was equal (build the shape anew for that), or the shape has the other
 * sort of halos; `DEM_ERROR_OUT_OF_RANGE` about `how`, about `mesh`: larger than
 * about 1e18; `DEM_ERROR_CAPACITY` about `block`: the surface has more cells now than `size` bytes have room for: copy the shape
 * to the start of a block of `needed` bytes, and call again; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. The shape is then as it was.
 * Cost: 0.3 microseconds a triangle with `DEM_REFIT_HALOS`, 1.1 with `DEM_REFIT_SURROGATES`; where vertices move, some 5 more for
 * the cells of a curved surface, and half of that for a flat wall's.
 * Threads: any; no other call may use the shape meanwhile. A call that begins during this one fails with
 * `DEM_ERROR_BUSY`. So does a query that was running when this one began, if it ends during this one. The results of such a query mean nothing, even
 * if it ends later, with `DEM_OK`.
 * Determinism: the same bytes on every machine and with every instruction set.
 */
int32_t dem_shape_refit(dem_shape *shape,
                        size_t size,
                        const dem_refit_desc *desc,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Queries of two shapes.
 *
 * One struct, `dem_query`, contains the shapes, their poses and the question. A program fills it once and changes it from step to step.
 * Distances are between surfaces, in world coordinates. For any shapes, the answer contains every pair of triangles that the definition
 * names, and no other.
 */

/** The pair with the smallest midpoint and ids, which requires finding all such pairs. */
#define DEM_WITNESS_DEFINITE 0
/** The first pair that the search finds. It is the same on every machine, but changes with the trees, or if the bodies are exchanged. */
#define DEM_WITNESS_ANY 1

/** Two triangles, and their closest points. */
typedef struct dem_triangle_pair {
    /** Triangle of A. */
    uint32_t a;
    /** Triangle of B. */
    uint32_t b;
    /** The feature of A's triangle on which `point_a` lies: `DEM_FEATURE_*`. */
    uint32_t feature_a;
    /** The same for B's triangle. */
    uint32_t feature_b;
    /** Distance of the two triangles, without halos; exactly 0 if they touch or cross, and only then. */
    double distance;
    /** Closest point on A's triangle, in world coordinates. */
    double point_a[3];
    /** Closest point on B's triangle; equal to `point_a` if the distance is 0. */
    double point_b[3];
} dem_triangle_pair;

/** Two shapes and their poses. */
typedef struct dem_query {
    /** `sizeof(dem_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** The first shape. */
    const dem_shape *a;
    /** The second shape; may be the same. */
    const dem_shape *b;
    /** Pose of A; the identity by default. */
    dem_pose pose_a;
    /** Pose of B; the identity by default. */
    dem_pose pose_b;
    /** The distance beyond the halos within which pairs are reported, finite and not negative; 0 by default. */
    double margin;
    /** The largest distance for which `dem_min_distance` searches, not negative; infinite by default. */
    double bound;
    /** The pair that `dem_min_distance` gives if bodies touch or cross: `DEM_WITNESS_*`; `DEM_WITNESS_DEFINITE` by default. */
    uint32_t witness;
    /** Zero. */
    uint32_t reserved;
} dem_query;

/**
 * Finds all pairs of triangles whose distance is at most the halo of A's triangle plus that of B's plus `margin`.
 *
 * The list is complete and exact. It contains a pair if and only if its distance, computed in double precision by one fixed sequence of
 * operations, is at most the threshold; ties count. Degenerate and duplicate triangles count as the segments and points that they are.
 * Pairs are ordered by triangle of A, then of B. Exchanging A and B exchanges ids and points, bit for bit.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before. The function writes
 * min(`stride`, `sizeof(dem_triangle_pair)`) bytes of each. With a stride of 0 or `sizeof(dem_triangle_pair)`, the array must be aligned
 * as `double`. `count` (may be null): how many pairs there are, even if they are more than `capacity`.
 * Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and records must not overlap each other nor the shapes.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; written records then have no meaning. `DEM_ERROR_CAPACITY` about
 * `scratch`: bytes. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape;
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose (`component` 0 to 2: position, 3 to 6: orientation) or the margin;
 * `DEM_ERROR_BAD_SIZE`: `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
 * Cost: proportional to the number of pairs and to the area of the surfaces that are close; about 0.25 microseconds for bodies far apart.
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
 * Finds the closest pair of triangles of two shapes, without halos.
 *
 * If several pairs have the same distance, the smallest midpoint (x, then y, then z) decides, then the smaller id of both triangles, then the
 * larger one (of either body, so that exchanging the bodies changes nothing). So bodies that cross
 * have one definite pair, but the function must find all crossing pairs. If any touching pair is good enough, `DEM_WITNESS_ANY` in `query`
 * is faster. If yes or no is enough, use `dem_any_pair`. A good bound saves time, such as the distance of the last step plus the distance
 * that the bodies may have moved.
 *
 * Outputs: `pair`: the function writes `pair_size` bytes, at most `sizeof(dem_triangle_pair)`.
 * Inputs: `pair_size`: `sizeof(dem_triangle_pair)`. `query`: shapes, poses and bound. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch must not overlap the shapes.
 * Errors: `DEM_NONE`, which is not an error: all triangles are farther apart than the bound, and `pair` does not change. Otherwise those
 * of `dem_pairs`, with the bound in place of the margin.
 * Cost: depends on how many triangles are about as near as the nearest. For meshes of 10,000 to 50,000 triangles that do not touch, it is
 * 25 to 100 microseconds at most poses. If wide surfaces face each other, it is a millisecond or two. Bodies that cross take up to some
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
 * Tells whether any pair of triangles is within the threshold of `dem_pairs`. Stops at the first such pair.
 *
 * Outputs: `any`: 1 if there is one, else 0.
 * Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch must not overlap the shapes.
 * Errors: those of `dem_pairs`.
 * Cost: at most that of `dem_pairs`; 3 to 25 microseconds if meshes of up to 50,000 triangles cross.
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
 * For many points: the distance from a shape, the closest point, and the side of the surface. Immersed boundary codes need this in every
 * step. Points and results are arrays of the program, read and written in place. Distances are to the surface, in world coordinates,
 * without halos.
 */

/** On the side to which the triangles' normals point. */
#define DEM_SIDE_OUTSIDE 0
/** On the other side. */
#define DEM_SIDE_INSIDE 1
/** Exactly on the surface. */
#define DEM_SIDE_SURFACE 2
/** Farther away than the bound. */
#define DEM_SIDE_BEYOND 3
/** The closest edge does not have exactly two triangles (or is an edge of a copy of an earlier triangle). */
#define DEM_DOUBT_OPEN 1
/** Two neighbouring triangles there are oriented to different sides. */
#define DEM_DOUBT_INCONSISTENT 2
/** A triangle there has no area. */
#define DEM_DOUBT_DEGENERATE 4
/** Parts of the surface touch at the closest vertex. */
#define DEM_DOUBT_TOUCHING 8
/** The surface there is too sharp for a decision. */
#define DEM_DOUBT_SHARP 16
/** The point is 2^24 radii of the mesh away, so that all of the mesh is equally far. The guess is outside. */
#define DEM_DOUBT_FAR 32

/**
 * The winding number is not near 0 or 1, or does not agree with the side that is reported (above or below 1/2). Parts of the surface
 * overlap or are flipped, or the surface there is only a sheet.
 */
#define DEM_DOUBT_WINDING 64

/**
 * Output arrays: item i belongs to point i. Arrays that are not needed have null data; after `dem_point_results_default` all have.
 * Integers are of type `DEM_I32` or `DEM_U32`.
 */
typedef struct dem_point_results {
    /** `sizeof(dem_point_results)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /**
     * The closest triangle; of several with the same computed distance, the one with the smallest number; `DEM_NO_ID` beyond the bound: one integer.
     * If triangles meet in the closest point, it is any of these, since their distances differ by rounding.
     */
    dem_output triangle;
    /** `DEM_FEATURE_*`: the feature of this triangle that contains the closest point; 0 beyond the bound: one integer. */
    dem_output feature;
    /** `DEM_SIDE_*`: one integer. */
    dem_output side;
    /**
     * 0 if the side is certain; else bits `DEM_DOUBT_*`: why it is a guess. All bits but `DEM_DOUBT_FAR` and `DEM_DOUBT_WINDING` are about
     * the closest part of the surface: one integer.
     */
    dem_output doubt;
    /** Distance from the surface, exactly 0 on it and only there; infinite beyond the bound: one number. */
    dem_output distance;
    /** The distance from the surface, negative inside: one number. */
    dem_output signed_distance;
    /** The closest point of the surface, in world coordinates; zeros beyond the bound: three numbers. */
    dem_output point;
    /**
     * The unit direction, in world axes, in which the signed distance grows; on the surface the normal there. Zeros if there is none
     * (beyond the bound; on a degenerate triangle): three numbers.
     */
    dem_output normal;
} dem_point_results;

/** Points, a shape and its pose. */
typedef struct dem_point_query {
    /** `sizeof(dem_point_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** The shape. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved;
    /** Pose of the shape; the identity by default. */
    dem_pose pose;
    /**
     * Points farther than this get `DEM_SIDE_BEYOND`, which costs less; not negative, infinite by default. Set it to the width of the band
     * of interest.
     */
    double bound;
    /** The points, in world coordinates: three numbers an item. */
    dem_array points;
} dem_point_query;

/**
 * Finds for each point the closest point of a shape, distance, signed distance and side.
 *
 * The side follows from the generalised winding number (`dem_point_winding`): inside above 1/2. On a closed surface this number is an
 * integer, and computed exactly; crossing parts, copies, flipped triangles and fins do no harm. If the surface is open and the number is
 * within 1/4 of 1/2, the closest part of the surface decides. Then `doubt` tells if the two differ. If there are more than 4,096 open
 * sides, the closest part decides, always with doubt.
 * A side of a triangle is open if no neighbour runs along it in the other direction. If a shape is turned inside out, its sides are
 * exchanged.
 *
 * Outputs: `results`: in each array that is not null, as many items as there are points. The arrays may lie between the points (in the
 * same structs) but must not overlap them.
 * Inputs: `query`: shape, pose, points and bound. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and results must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY`: scratch, or a result without room for all points; `DEM_ERROR_MISALIGNED`,
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_NOT_FINITE`: a point and its component, the pose, or
 * a bound that is NaN; `DEM_ERROR_OUT_OF_RANGE`: a point 2^1000 or more away from the body, the pose, the bound, a type;
 * `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. After an error nothing is written.
 * Cost: 1 to 7 microseconds a point on a shape of some thousand to twenty thousand triangles. A call with tens of thousands of points
 * takes a quarter less for each. An open shape adds a nanosecond for each open side. A bound that ends searches early saves time.
 * Threads: any number at a time, on the same shape, each with results and scratch of its own.
 * Determinism: the same bits on every machine, with every instruction set, and for a point alone or among others.
 */
int32_t dem_point_distance(const dem_point_results *results,
                           const dem_point_query *query,
                           void *scratch,
                           size_t scratch_size,
                           dem_error *error);

/**
 * Computes generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013): how often the surface of a shape goes around each point.
 *
 * Up to rounding, the number is 1 inside and 0 outside of a closed surface that looks outward. If parts overlap, their numbers add. With
 * holes and flipped triangles it varies smoothly, and above 0.5 is the best definition of inside.
 *
 * Outputs: `numbers`: one number a point; the array may lie between the points but must not overlap them.
 * Inputs: `query`: shape, pose and points.
 * Memory: `numbers` must not overlap the shape.
 * Errors: those of `dem_point_distance`, without bound and scratch.
 * Cost: about 30 ns for each triangle and point. Use it for the few points with a `doubt`.
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
