/*
 * dem_pair.h: contacts of two bodies at a time, for programs that find pairs by themselves. A scene (dem.h) does all of this
 * for many bodies in one call.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Contacts of two bodies
 *   Corners of contacts, for solvers that work with impulses
 *   Clamped normals, for engines on badly welded surfaces
 *   How fast surfaces move in contact
 *   Contacts from step to step
 */
#ifndef DEM_PAIR_H
#define DEM_PAIR_H

#include "dem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts of two bodies.
 *
 * The bodies may be of any kind. Here each pair of flat parts that are near has its own contact record. (In a scene, each place has one.)
 * If a program iterates within a step, it may search for near triangles once, with a margin: `dem_placed_list`.
 *
 * At the start: dem_shape_init for each mesh, dem_placed_query_default. In every step, for each pair of bodies that may be near: put the
 * bodies into the query and call dem_placed_contacts.
 */

/** Two bodies. */
typedef struct dem_placed_query {
    /** `sizeof(dem_placed_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** Name of the body pair: the first half of each contact's key. Any number; 0 by default. */
    uint64_t tag;
    /** The first body; by default a point without halo at the origin. */
    dem_placed a;
    /** The second body; the same point by default. */
    dem_placed b;
    /** Threads of the program, which `dem_placed_contacts` uses for two large meshes; none by default. */
    dem_tasks tasks;
    /**
     * The list that `dem_placed_list` has written for these bodies. `dem_placed_contacts` then uses its triangles and does not search.
     * Null, the default: it searches. Aligned as `uint64_t`. Other functions ignore the list.
     */
    const uint64_t *list;
    /** Number of words in the list. */
    size_t list_count;
    /** 1: contacts have their `energy`, which takes some more time; 0, the default: they do not. It changes no other number. */
    uint64_t energies;
    /**
     * 1: contacts have their `offset`, `spread` and `curvature`, which takes some more time for meshes; 0, the default: they do not. It changes no
     * other number.
     */
    uint64_t spreads;
} dem_placed_query;

/**
 * Tells a good first size of the scratch of `dem_placed_contacts`.
 *
 * Outputs: `scratch_size`: bytes, with a piece for each of the program's threads. The size does not depend on the poses. It is about 2
 * kilobytes without meshes. A compound needs about 100 for each part, and 500 for each mesh among the parts; consecutive parts with the
 * same mesh share these.
 * Inputs: `query`: its bodies. `pairs`: the most pairs of triangles, or triangles near a sphere or a capsule, or below a half-space's
 * halo; 0: 256. `capacity`, `stride`: as for `dem_placed_contacts`.
 * Errors: those of `dem_placed_contacts` about shapes and `struct_size`; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.5 microseconds. For compounds it is as much for each pair of meshes, and some nanoseconds for each part.
 */
int32_t dem_placed_contacts_scratch(size_t *scratch_size,
                                    const dem_placed_query *query,
                                    size_t pairs,
                                    size_t capacity,
                                    size_t stride,
                                    dem_error *error);

/**
 * Finds the contacts of two bodies of any kinds, ordered by key.
 *
 * Surfaces farther apart than the sum of their halos have no contact. If A and B are exchanged, patches are exchanged, and normals and moments are
 * negated, bit for bit. Only the last bits of shares may differ. A program may call the function for several body pairs in the order of their tags,
 * and put the lists one after the other. The whole list is then ordered by key. Shares sum to 1 over all contacts of the bodies.
 *
 * The second word of a key has a number for each body. It is the first triangle of the patch for a mesh, and 0 for a sphere, a capsule or
 * a half-space. In a compound, the numbers continue from part to part: a mesh has as many numbers as triangles, any other part has one.
 * Two half-spaces have no contacts: neither can move away from the other.
 *
 * With a `list` the contacts are the same, bit for bit, or an error tells that the bodies have moved too far for the list.
 *
 * An error tells how much memory is needed, so a program may begin with little memory and let it grow:
 *
 *   while ((status = dem_placed_contacts(contacts, capacity, 0, &count, &query, scratch, size, &error)) == DEM_ERROR_CAPACITY)
 *     if (count > capacity) contacts = realloc(contacts, (capacity = count) * sizeof *contacts);
 *     else scratch = realloc(scratch, size = error.needed);
 *
 * Outputs: `contacts` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before. The function writes
 * min(`stride`, `sizeof(dem_contact)`) bytes of each. With a stride of 0 or `sizeof(dem_contact)`, the array must be aligned as `double`.
 * `count` (may be null): how many contacts there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `query`: bodies and tag. `scratch`, `scratch_size`: at any alignment. The size of `dem_placed_contacts_scratch` for the same
 * `tasks` is enough for the number of pairs given there.
 * Memory: scratch and records must not overlap each other nor shapes and parts.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; written records then have no meaning. `DEM_ERROR_CAPACITY` about
 * `scratch`: `needed` bytes; for the same bodies and poses this error comes at most three times in a row, four times after a size of 0.
 * `DEM_ERROR_UNSUPPORTED` about `cells of a` or `cells of b`: the shape was built without cells. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose
 * (`component` 0 to 2: position, 3 to 6: orientation), or about `tasks`: its `reserved` is not 0; `DEM_ERROR_BAD_SIZE`:
 * `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
 * About `a` and `b`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE` (`component` 0: radius, 1: halo, 2: scale, 3 to 9:
 * pose of a part, 10: kind, 11: solid, 12: reserved, 13: half length, 14, 15: reserved lengths); `DEM_ERROR_UNSUPPORTED`: a compound in a compound;
 * `DEM_ERROR_NULL`, `DEM_ERROR_BAD_SIZE`, `DEM_ERROR_TOO_LARGE`: the parts, or their stride. `index` is the part.
 * About `list`: `DEM_ERROR_OUT_OF_RANGE`: the bodies have moved relative to each other by more than its margin;
 * `DEM_ERROR_MISMATCH`: it was made from other shapes or scales; `DEM_ERROR_DAMAGED`: it is not a list, or is truncated.
 * Cost: about 0.6 microseconds for spheres and half-spaces, about 1.6 for meshes far apart. With a mesh it is logarithmic in
 * the number of its triangles, plus some 0.2 microseconds for each near triangle. If it penetrates a mesh that is not closed, each side at the
 * border of that costs some tenths of a microsecond more. Compounds cost some ten nanoseconds more for each part, and for each pair of parts.
 * Threads: any number at a time, on the same shapes, each with records and scratch of its own. The threads in `tasks` share the work if
 * some hundred pairs of triangles are near.
 * Determinism: the same bits on every machine, with every instruction set and size of scratch, on any number of threads.
 */
int32_t dem_placed_contacts(dem_contact *contacts,
                            size_t capacity,
                            size_t stride,
                            size_t *count,
                            const dem_placed_query *query,
                            void *scratch,
                            size_t scratch_size,
                            dem_error *error);

/**
 * Lists the triangles of two bodies that may come within their halos while the bodies move relative to each other by at most `margin`. It
 * is a neighbour list of triangles, with a skin.
 *
 * It is for solvers that find contacts of the same bodies several times in a step, each time at slightly different poses. The solver makes
 * the list once and puts it into the query. At all poses within the margin, `dem_placed_contacts` then gives the contacts of a new search,
 * bit for bit; at all others it gives an error.
 * The list is valid for the same shapes, cells and scales. After a refit, make it anew; no function checks this. A program may copy and
 * store it.
 *
 * Outputs: `list` (may be null if `capacity` is 0): room for `capacity` words, aligned as `uint64_t`. `count` (may be null): how many
 * words there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `query`: bodies and poses. `margin`: how much nearer to each other any two points of the bodies' meshes may come, in units of
 * length, 0 or more. A common motion of both bodies does not count. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and list must not overlap each other nor shapes and parts.
 * Errors: those of `dem_placed_contacts` about bodies, poses and scratch; `DEM_ERROR_CAPACITY` about `list`: `needed`
 * words, and written words then have no meaning; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `margin`.
 * Cost: that of the search, on the calling thread. The list has 21 words, and two for each pair of meshes with near triangles. It has one
 * for each two groups of up to four triangles that may come near.
 * Threads: any number at a time, on the same shapes, each with a list and scratch of its own.
 * Determinism: which triangles are listed depends on the instruction set; the contacts do not.
 */
int32_t dem_placed_list(uint64_t *list,
                        size_t capacity,
                        size_t *count,
                        const dem_placed_query *query,
                        double margin,
                        void *scratch,
                        size_t scratch_size,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Corners of contacts, for solvers that work with impulses.
 *
 * An impulse solver needs points, each with a gap that must not close within the step, and not areas. Look along the normal of a contact:
 * the faces of two flat patches lie above each other in a region. The corners of the contact are those of the region's convex hull;
 * a contact of several patches has the corners of all its regions that lie on their common hull. If the corners stay apart, all of the contact
 * stays apart (as long as nothing closes by more than the halo in a step).
 * A box on a wall has four corners, even on a wall of ten thousand triangles. A tilted box has those of its corners that are in the halo.
 * A corner begins and ends with a gap equal to the halo, where it has no effect yet. So give all corners to the solver, with the condition: velocity
 * along the normal >= -gap / dt (speculative contact). Bodies then come to rest without a jump.
 *
 * In every step: dem_placed_contacts for a body pair, then dem_contact_corners for the same pair. For a badly welded wall, call
 * dem_contact_clamp in between.
 */

/**
 * Tells a good first size of the scratch of `dem_contact_corners`.
 *
 * Outputs: `scratch_size`: bytes; some 600 for each pair of triangles.
 * Inputs: `query`: its bodies. `pairs`: the most pairs of triangles within the halos, or triangles near a half-space, of any one pair of
 * parts; 0: 256.
 * Errors: those of `dem_placed_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.4 microseconds.
 */
int32_t dem_contact_corners_scratch(size_t *scratch_size,
                                    const dem_placed_query *query,
                                    size_t pairs,
                                    dem_error *error);

/**
 * Finds the corners of the contacts of two bodies, ordered by contact: at least one for each.
 *
 * They are corners of A above faces of B, corners of B above faces of A, and places where edges cross. A corner is left out if the hull of
 * the others contains it up to a tolerance: 1/64 of the halo or a millionth of the sizes, whichever is less. Each part of a compound has
 * the corners that it would have alone.
 * Some contacts have only one corner, at their position and with their least gap. These are contacts with a sphere, and contacts where no
 * face lies above a face (crossed edges, or a body inside another as a whole). Contacts of two meshes that penetrate by more than four
 * halos have one corner, too.
 *
 * Outputs: `corners` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0: the
 * size in version 0.1). The function writes min(`stride`, `sizeof(dem_contact_corner)`) bytes of each. `count` (may be null): how
 * many there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `contacts`, `contact_count`: all contacts of the same query, in their order, clamped or not, aligned as `double`;
 * `contact_stride`: bytes from one to the next, `sizeof(dem_contact)` or 0. `most`: the most corners of each contact; 0: four, the most important
 * ones; SIZE_MAX: all. `query`: bodies. `scratch`, `scratch_size`: at any alignment; the size of `dem_contact_corners_scratch` is enough for the number of pairs given
 * there.
 * Memory: scratch and records must not overlap each other, the contacts and shapes.
 * Errors: those of `dem_placed_contacts`; `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `contacts`:
 * they are not in order, with the first one that is not.
 * Cost: some tenths of a microsecond for each pair of triangles, including the search; for a contact of n corners n times n nanoseconds;
 * for compounds some nanoseconds for each contact and part.
 * Threads: any number at a time, on the same shapes, each with records and scratch of its own.
 * Determinism: the same bits on every machine. Exchanging A and B changes only the order of contacts.
 */
int32_t dem_contact_corners(dem_contact_corner *corners,
                            size_t capacity,
                            size_t stride,
                            size_t *count,
                            const dem_contact *contacts,
                            size_t contact_count,
                            size_t contact_stride,
                            const dem_placed_query *query,
                            size_t most,
                            void *scratch,
                            size_t scratch_size,
                            dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Clamped normals, for engines on badly welded surfaces.
 *
 * Bodies slide over flat parts of a welded surface as over a plane, and need none of this. In other meshes, triangles lie beside each
 * other without common vertices (a soup, T-junctions, tiles of a terrain that agree up to rounding). A body near a border then has a
 * second contact, with the neighbour, whose normal leans. An impulse solver treats that contact as an obstacle, and bodies stumble over
 * edges that do not exist.
 * Balls on hills stumble, too, welded or not: the contact with the near facet ahead leans against them. At the start: dem_patch_cones,
 * after the cells are built. In every step: dem_contact_clamp, after dem_placed_contacts.
 *
 * A scene joins all patches of a place to one contact. Its normal is the mean of many, in proportion to their forces: a near facet ahead is
 * no contact of its own, and no cone belongs to the mean. So there is nothing to clamp by default. With DEM_GROUPING_PATCHES the contacts of a
 * scene are those of dem_placed_contacts, also of periodic images. To clamp them, copy the contacts of a pair, from `first` to `end`, and
 * call dem_contact_clamp for the copy, with the pose of the surface.
 */

/** The first body of a pair. */
#define DEM_BODY_A 0
/** The second body of a pair. */
#define DEM_BODY_B 1

/**
 * Computes the cones of a body's patches, for `dem_contact_clamp`. Compute them once, after the cells, and again after a refit.
 *
 * Outputs: `cones`: four numbers for each feature of the body. A mesh has as many features as triangles; a sphere, a capsule and a
 * half-space have one; a compound has those of its parts, one after the other. At the first triangle of a patch, three numbers are its
 * mean normal, in the body's frame. The fourth is the cosine of the largest angle by which a normal may lean across a convex edge. All
 * other features have zeros.
 * Inputs: `capacity`: the number of features for which there is room. `body`: its pose and scale have no effect, but those of its parts
 * have. `flat`: that of the shape (`dem_shape_desc`).
 * Memory: `cones` must not overlap anything else.
 * Errors: those of `dem_placed_contacts` about body A; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `flat`; `DEM_ERROR_CAPACITY` about
 * `output`: `needed` features; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. After an error the content of `cones` is undefined.
 * Cost: some tens of nanoseconds a triangle.
 * Threads: any number at a time.
 * Determinism: the same bits on every machine.
 */
int32_t dem_patch_cones(double *cones,
                        size_t capacity,
                        const dem_placed *body,
                        double flat,
                        dem_error *error);

/**
 * Rotates normals of contacts with a body into the cones of its patches. A normal that leans over an open edge is turned back to that of
 * the face. Normals at convex edges that two triangles share do not change.
 *
 * The force becomes the nearest one in the cone. So `normal` is rotated only as far as needed, and `area` and `share` are reduced to the
 * component along it. (Shares of each tag then sum to 1 again.) A contact without such a component gets area and share 0. Forces stay
 * continuous, but their resultant changes: use this with impulse solvers only.
 *
 * Outputs: `contacts`: changed in place.
 * Inputs: `count`: how many, ordered by tag. `stride`: bytes from one to the next, which is `sizeof(dem_contact)` or 0; aligned as
 * `double`. `which`: the body of the cones in all these contacts: `DEM_BODY_A` or `DEM_BODY_B`. `cones`, `features`: of `dem_patch_cones`.
 * `pose`: the pose of this body.
 * Memory: nothing may overlap the contacts.
 * Errors: `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `which`; `DEM_ERROR_NULL`;
 * `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the pose; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`.
 * Cost: some ten nanoseconds a contact.
 * Threads: any number at a time, each with contacts of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_contact_clamp(dem_contact *contacts,
                          size_t count,
                          size_t stride,
                          const double *cones,
                          size_t features,
                          const dem_pose *pose,
                          uint32_t which,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * How fast surfaces move in contact.
 *
 * Friction and dashpots need the relative velocity of both surfaces at each contact. For a rigid body it follows from its velocity and its
 * angular velocity. If the vertices of a shape move by themselves (a membrane swings, a flow bends a wall, a belt runs), their velocities
 * are added. One step with such a wall is
 *
 * - the flow solver moves the vertices: dem_shape_refit with their positions;
 * - dem_placed_contacts, for the bodies near the wall;
 * - dem_contact_velocities with the velocities of the vertices, in the program's own array;
 * - dem_contact_match and dem_contact_carry, as for rigid bodies: a contact with a wall whose cells were refitted keeps its key, and its
 *   spring.
 *
 * For a scene, dem_scene_velocities does this for all body pairs at once.
 */

/** How a body moves: velocity + spin x (x - centre), plus the velocities of vertices on its surface. */
typedef struct dem_motion {
    /** `sizeof(dem_motion)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** Velocity of `centre`, in world axes; 0 by default. */
    double velocity[3];
    /** Angular velocity, in world axes, in radians over time; 0 by default. */
    double spin[3];
    /** The point that has `velocity`, in world coordinates: usually the centre of mass. */
    double centre[3];
    /**
     * The shape whose vertices move by themselves. Null, the default: they do not, or the body is of another kind. The fields after it are then
     * ignored.
     */
    const dem_shape *shape;
    /** 0. */
    size_t reserved_2;
    /** Pose of the shape when its contacts were found; the identity by default. */
    dem_pose pose;
    /** Scale of the shape; 1 by default. */
    double scale;
    /**
     * Velocities of all vertices from which the shape was built, in their order, in its own frame and unscaled units: three numbers an
     * item.
     */
    dem_array vertices;
} dem_motion;

/**
 * Computes for each contact the velocity of A's surface less that of B's, at the contact.
 *
 * The rigid motion of a body is evaluated at `position`. Velocities of vertices are interpolated over the triangle at the point of the
 * shape that is closest to `position`, and rotated with the shape. They are one continuous field on the surface. So the result varies
 * continuously with poses and vertices, except if two places of the shape are equally close, as in a fold. There it jumps by at most the
 * largest gradient of velocity times twice the distance.
 * If all vertices of a shape have the same velocity, the result is that of a body with this velocity. Uniform stretch and shear are exact.
 *
 * Outputs: `velocities`: three numbers, in world axes, for each contact.
 * Inputs: `contacts`, `count`, `stride` (0: the size in version 0.1): contacts of these two bodies. The function reads only `position`, so
 * other points are possible, too, in records of at least 40 bytes. `a`, `b` (each may be null: at rest): how the bodies move. `scratch`,
 * `scratch_size`: at any alignment.
 * Memory: `velocities` and scratch must not overlap each other nor anything else.
 * Errors: `DEM_ERROR_NOT_FINITE` about `a` or `b` (`component` 0 to 2: velocity, 3 to 5: spin, 6 to 8: centre, 9:
 * scale), about `vertices` with vertex and component, about `points` with contact and component; `DEM_ERROR_OUT_OF_RANGE`: a scale that
 * is not between 2^-500 and 2^500, a reserved field; `DEM_ERROR_MISMATCH` about `vertices`: not as many as vertices (`needed`, `given`);
 * `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: a stride, `struct_size`; `DEM_ERROR_CAPACITY`: scratch;
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose;
 * `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`.
 * Cost: some nanoseconds a contact. If vertices move, it is some tenths of a microsecond, and each call walks once over their velocities.
 * So for a wall that touches many bodies, call once with all its contacts, with `b` null.
 * Threads: any number at a time, each with velocities and scratch of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_contact_velocities(double *velocities,
                               const dem_contact *contacts,
                               size_t count,
                               size_t stride,
                               const dem_motion *a,
                               const dem_motion *b,
                               void *scratch,
                               size_t scratch_size,
                               dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts from step to step.
 *
 * Friction springs, start values of impulses and sounds of impacts need to know which contact of the last step a contact continues. The
 * library keeps no state here. A program keeps two lists. Each has the contacts of all pairs of bodies, ordered by key, and the poses for
 * which they were computed, ordered by tag. One step is
 *
 * - for each pair of bodies, in the order of tags: fill a query; call dem_placed_contacts, which writes after the contacts found so far; write tag
 *   and poses as a dem_body_pair;
 * - dem_contact_match: which contact continues which, and which contacts begin, persist and end;
 * - dem_contact_carry: the spring of each contact, rotated with its bodies, or zero;
 * - the program's own law: springs grow with the slip in this step, and are limited to the force that friction can hold;
 * - exchange both lists.
 *
 * Let a spring be an elongation, with a stiffness in proportion to the area or the share of its contact. An example is F = k_t (1 - gap /
 * halo) area s. Contacts begin and end with force 0. So a contact that begins beside another one can take the same elongation, and no
 * force jumps. A spring then survives when bodies slide or roll from one patch to the next. Impulses are themselves in proportion to the
 * area: take them from `origin` only.
 *
 * A contact may consist of several pairs of patches, its nodes. With the nodes of both lists, contacts with common nodes are matched. A
 * contact that has common nodes with several contacts takes a mean of their springs: its blends.
 */

/**
 * The poses of a pair of bodies for which its contacts were computed: those of its query.
 *
 * A tag is any number that names the pair in every step and differs from the tags of all other pairs. For example, it has 32 bits of each
 * body: `(uint64_t)a << 32 | b`.
 */
typedef struct dem_body_pair {
    /** First half of the keys of its contacts. */
    uint64_t tag;
    /** Pose of A. */
    dem_pose pose_a;
    /** Pose of B. */
    dem_pose pose_b;
} dem_body_pair;

/** The contacts of one step. */
typedef struct dem_contact_list {
    /** The contacts of all pairs, ordered by key. Null if there are none. */
    const dem_contact *contacts;
    /** Number of contacts. */
    size_t count;
    /** Bytes from one to the next; 0: the size in version 0.1. The records must at least include `area`. */
    size_t stride;
    /** The pairs, ordered by tag, each tag once. Pairs without contacts may be left out. */
    const dem_body_pair *pairs;
    /** Number of pairs. */
    size_t pair_count;
    /** Bytes from one to the next; 0: the size in version 0.1. */
    size_t pair_stride;
    /**
     * The nodes of all contacts, ordered by pair, then by features; their contacts are places in this list. A pair has the nodes of all
     * its contacts, or none. If it has none, each of its contacts is one node. Null if there are no nodes.
     */
    const dem_contact_node *nodes;
    /** Number of nodes. */
    size_t node_count;
} dem_contact_list;

/**
 * Tells which contact of this step continues which contact of the last step, and which contacts begin, persist and end.
 *
 * Contacts with equal keys are the same. If contacts have nodes, those with the most force in common are the same instead. The force in common is a
 * sum over common nodes: for each node the smaller of its forces in both steps. Then, for each pair of bodies, the two nearest remaining contacts
 * are the same if they are within `bound`, and so on.
 * The distance of two contacts is how far the place moved on both bodies, as the root mean square of both. So a common motion of both
 * bodies does not count.
 * A contact that begins without common nodes has no origin, but takes a source. The source is the nearest contact of its pair with the
 * same patch of A or of B. If there is none, it is the nearest contact of its pair. The distance must be within `bound` plus the square
 * roots of both areas.
 *
 * Outputs: `links`: one record for each contact of this step. `blends` (may be null): `blend_capacity` records; as many as this step has
 * nodes are always enough. `blend_count` (may be null): how many there are, even if there is no room for them. `events` (may be null):
 * `event_capacity` records, ordered by key; as many as both lists have contacts are always enough. `event_count` (may be null): how many
 * there are, even if they are more than `event_capacity`, or if `events` is null.
 * Inputs: `last`, `now`: both steps. `bound`: not negative; a good value is the larger of the halo and the distance that surfaces slide in
 * a step. `scratch`, `scratch_size`: at any alignment.
 * Memory: links, blends, events and scratch must not overlap each other nor the lists.
 * Errors: `DEM_ERROR_CAPACITY`: scratch, blends or events (`needed` of them; links are still right); `DEM_ERROR_OUT_OF_RANGE`: the bound,
 * or contacts, pairs or nodes that are out of order, with the first that is; `DEM_ERROR_BAD_INDEX` about `now.pairs` and `last.pairs`: no pair has
 * the tag of contact `index`; about `nodes`: the contact of a node does not exist; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`:
 * a stride; `DEM_ERROR_NOT_FINITE`: a pose, or a bound that is NaN (infinity means no bound); `DEM_ERROR_OUT_OF_RANGE`: a pose;
 * `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_OVERLAP`. After any error but those for blends and events, links, blends and events have no meaning.
 * Cost: some ten nanoseconds for a contact with an equal key, about a microsecond for any other, however many have a patch in common or are at one
 * place.
 * Threads: any number at a time, each with records and scratch of its own.
 * Determinism: the same on every machine.
 */
int32_t dem_contact_match(dem_contact_link *links,
                          dem_contact_blend *blends,
                          size_t blend_capacity,
                          size_t *blend_count,
                          dem_contact_event *events,
                          size_t event_capacity,
                          size_t *event_count,
                          const dem_contact_list *last,
                          const dem_contact_list *now,
                          double bound,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/**
 * Carries a vector of each contact from the last step to this one: the elongation of its tangential spring.
 *
 * The vector of contact i is that of its source in the last step. It is rotated by the mean rotation of both bodies, projected into the
 * plane across the normal, and scaled to its old length: s' = |s| (t - n (n.t)) / |t - n (n.t)|, with t = (R_A s + R_B s) / 2. The length
 * stays the same up to rounding over any number of steps. A contact with blends gets the mean of such vectors. Contacts without a source
 * get zero.
 *
 * Outputs: `vectors`: three numbers, in world axes, for each contact of this step.
 * Inputs: `of_last`: three for each contact of the last step. `links`, `blends`, `blend_count` (null and 0 if lists have no nodes): the
 * results of `dem_contact_match` for the same lists. `last`, `now`: both steps.
 * Memory: vectors must not overlap anything else.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_INDEX` about `links`: the source of link `index` is not a contact of
 * the same pair, and likewise about `blends`; `DEM_ERROR_BAD_SIZE`: a stride; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose;
 * `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_OVERLAP`.
 * Cost: some tens of nanoseconds a contact.
 * Threads: any number at a time, each with vectors of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_contact_carry(double *vectors,
                          const double *of_last,
                          const dem_contact_link *links,
                          const dem_contact_blend *blends,
                          size_t blend_count,
                          const dem_contact_list *last,
                          const dem_contact_list *now,
                          dem_error *error);

/**
 * The defaults of `dem_placed_query`.
 */
static inline dem_placed_query dem_placed_query_default(void) {
    dem_placed_query query;
    (void)dem_defaults(&query, sizeof query, DEM_DEFAULT_PLACED_QUERY, NULL);
    return query;
}

/**
 * The defaults of `dem_motion`.
 */
static inline dem_motion dem_motion_default(void) {
    dem_motion motion;
    (void)dem_defaults(&motion, sizeof motion, DEM_DEFAULT_MOTION, NULL);
    return motion;
}

#ifdef __cplusplus
}
#endif

#endif /* DEM_PAIR_H */
