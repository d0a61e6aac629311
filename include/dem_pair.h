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
 *   Clamped normals, for engines on surfaces that are badly welded
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
 * Bodies are of any kinds. Here contacts have one record for each two flat parts that are near, where a scene has one for each place.
 * Iterations within a step may search for near triangles once, with some margin: `dem_placed_list`.
 *
 * In the beginning: dem_shape_init for each mesh, dem_placed_query_default. In every step: for each pair of bodies that may be near, put the
 * bodies into the query and call dem_placed_contacts.
 */

/** Two bodies. */
typedef struct dem_placed_query {
    /** `sizeof(dem_placed_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** Names the body pair: the first half of each contact's key. Any number; 0 by default. */
    uint64_t tag;
    /** The first body; a point without halo in the origin by default. */
    dem_placed a;
    /** The second body, likewise. */
    dem_placed b;
    /** Threads of the program, for `dem_placed_contacts` of two large meshes; none by default. */
    dem_tasks tasks;
    /**
     * What `dem_placed_list` has written about these bodies: `dem_placed_contacts` takes near triangles from there and does not search.
     * Null, the default: it searches. Aligned as `uint64_t` is. No other function looks at it.
     */
    const uint64_t *list;
    /** How many words the list has. */
    size_t list_count;
    /** 1: contacts tell their `energy`, which takes some more time; 0, the default: they do not. No other number depends on it. */
    uint64_t energies;
    /** 1: contacts tell their `offset` and `spread`, which takes some more time for meshes; 0, the default: they do not. No other number depends on it. */
    uint64_t spreads;
} dem_placed_query;

/**
 * How much scratch is good to begin with for `dem_placed_contacts`.
 *
 * Outputs: `scratch_size`: bytes, with a piece for each lane of the program's threads; they do not depend on the poses. Some 2 kilobytes
 * where no mesh takes part, and for compounds about 100 for each part and 500 for each mesh among them; parts in a row that have the same mesh share these.
 * Inputs: `query`: its bodies. `pairs`: how many pairs of triangles, or triangles near a sphere or a capsule, or below a half-space's halo,
 * there may be; 0: 256. `capacity`, `stride`: as for `dem_placed_contacts`.
 * Errors: those of `dem_placed_contacts` about shapes and `struct_size`; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.2 microseconds; for compounds as much for each pair of meshes, and some nanoseconds for each part.
 */
int32_t dem_placed_contacts_scratch(size_t *scratch_size,
                                    const dem_placed_query *query,
                                    size_t pairs,
                                    size_t capacity,
                                    size_t stride,
                                    dem_error *error);

/**
 * The contacts of two bodies of any kinds, ordered by key.
 *
 * Surfaces farther apart than the sum of their halos have no contact. Exchanging A and B exchanges the patches and negates normals and
 * moments, bit for bit but for the last bits of shares. Lists of several body pairs, one behind the other, are ordered by key as a whole
 * if the pairs are asked for in the order of their tags. Shares sum to 1 over all contacts of the bodies.
 *
 * The second word of a key has a number for each body: the first triangle of the patch of a mesh, and 0 for a sphere, a capsule or a half-space. In a
 * compound these numbers go on from part to part: a mesh takes as many numbers as it has triangles, any other part takes one. Two
 * half-spaces have no contacts: neither can move away from the other.
 *
 * With a `list` the contacts are the same, bit for bit, or an error tells that the bodies have moved too far for it.
 *
 * An error tells how much memory would do, so that a program may begin with little and grow:
 *
 *   while ((status = dem_placed_contacts(contacts, capacity, 0, &count, &query, scratch, size, &error)) == DEM_ERROR_CAPACITY)
 *     if (count > capacity) contacts = realloc(contacts, (capacity = count) * sizeof *contacts);
 *     else scratch = realloc(scratch, size = error.needed);
 *
 * Outputs: `contacts` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before, of which
 * min(`stride`, `sizeof(dem_contact)`) bytes are written; with a stride of 0 or `sizeof(dem_contact)` the array must be
 * aligned as doubles are. `count` (may be null): how many contacts there are, also where there are more than `capacity`; 0
 * where that was not found out.
 * Inputs: `query`: bodies and tag. `scratch`, `scratch_size`: at any alignment; what `dem_placed_contacts_scratch` says of the same
 * `tasks` is enough for the number of pairs that it was told.
 * Memory: scratch and records must not overlap each other nor shapes and parts.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; those written mean nothing. About `scratch`: `needed` bytes; for the same
 * bodies and poses that error comes at most three times in a row, four times after a size of 0. `DEM_ERROR_UNSUPPORTED` about `cells of A` or
 * `cells of B`: the shape was built without. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose
 * (`component` 0 to 2: position, 3 to 6: orientation), or about `executor`: `reserved` of `tasks` is not 0; `DEM_ERROR_BAD_SIZE`:
 * `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
 * About `shape of A` and `shape of B`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`
 * (`component` 0: radius, 1: halo, 2: scale, 3 to 9: pose of a part, 10: kind, 11: solid, 12: reserved, 13: half length), `DEM_ERROR_UNSUPPORTED`: a
 * compound in a compound, `DEM_ERROR_NULL`, `DEM_ERROR_BAD_SIZE`, `DEM_ERROR_TOO_LARGE`: the parts, or their stride. `index` is the part.
 * About `list of near triangles`: `DEM_ERROR_OUT_OF_RANGE`: the bodies have moved against each other by more than its margin;
 * `DEM_ERROR_MISMATCH`: it was made of other shapes or scales; `DEM_ERROR_DAMAGED`: it is no list, or is cut short.
 * Cost: a tenth of a microsecond for spheres and half-spaces; with a mesh logarithmic in the number of its triangles, and some 0.2
 * microseconds for each one that is near; under a microsecond for bodies far apart. Compounds cost some ten nanoseconds more for each part, and for each pair of parts.
 * Threads: any number at a time, on the same shapes, each with records and scratch of its own. Those in `tasks` share the work
 * where some hundred pairs of triangles are near.
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
 * Lists the triangles of two bodies that may come within their halos while the bodies move against each other by at most `margin`: a
 * neighbour list with a skin, of triangles.
 *
 * A solver that asks for contacts of the same bodies several times in a step, each time at slightly different poses, lists once and puts
 * the list into the query. `dem_placed_contacts` then gives the contacts of a search anew, bit for bit, at all poses within the margin, and
 * an error at all others. The list holds for the same shapes, cells and scales; after a refit it has to be made anew, which nothing
 * checks. It may be copied and stored.
 *
 * Outputs: `list` (may be null if `capacity` is 0): room for `capacity` words, aligned as `uint64_t` is. `count` (may be null): how many
 * words there are, also where there are more than `capacity`; 0 where that was not found out.
 * Inputs: `query`: bodies and poses. `margin`: how much nearer to each other any two points of the bodies' meshes may come, in units of
 * length, 0 or more; a motion of both bodies together is none. `scratch`, `scratch_size`: at any alignment.
 * Memory: scratch and list must not overlap each other nor shapes and parts.
 * Errors: those of `dem_placed_contacts` about bodies, poses and scratch; `DEM_ERROR_CAPACITY` about `list of near triangles`: `needed`
 * words, and those written mean nothing; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `margin`.
 * Cost: that of the search, on the calling thread. The list has 21 words, one for each two groups of up to four triangles that may come
 * near, and two for each two meshes that have such groups.
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
 * A solver of impulses wants points, each with a gap that must not close within the step, in place of areas. Seen along its normal, a
 * contact is where the faces of two flat patches lie above each other; its corners are those of the convex hull of that, so that
 * all of the contact stays apart if its corners do (and nothing closes by more than the halo in a step). A box on a wall has four, of a wall of ten thousand triangles, too; one that is tilted has
 * those of its corners that are in the halo. A corner begins and ends with a gap of the halo, where it does nothing yet: give the
 * solver all of them, with velocity along the normal >= -gap / dt (what is called speculative contact), and bodies come to rest
 * without a jump.
 *
 * In every step: dem_placed_contacts for a body pair, then dem_contact_corners for the same pair. For a wall that is badly
 * welded: dem_contact_clamp in between.
 */

/**
 * How much scratch is good to begin with for `dem_contact_corners`.
 *
 * Outputs: `scratch_size`: bytes; some 600 for each pair of triangles.
 * Inputs: `query`: its bodies. `pairs`: how many pairs of triangles may be within the halos, or triangles near a half-space, of any one pair
 * of parts; 0: 256.
 * Errors: those of `dem_placed_contacts` about shapes, cells and `struct_size`; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.2 microseconds.
 */
int32_t dem_contact_corners_scratch(size_t *scratch_size,
                                    const dem_placed_query *query,
                                    size_t pairs,
                                    dem_error *error);

/**
 * The corners of the contacts of two bodies, ordered by contact: at least one for each.
 *
 * They are corners of A above faces of B, corners of B above faces of A, and places where edges cross. A corner is left out where the
 * others span it up to a tolerance: 1/64 of the halo or a millionth of the sizes, whichever is less. Parts of compounds have the corners that
 * they have by themselves. Some contacts have one corner only, at their position and with their least gap: those with a sphere; those where no face
 * lies above a face, as of crossed edges or of a body that is inside another as a whole; and those of two meshes that are deeper than four
 * halos.
 *
 * Outputs: `corners` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
 * `sizeof(dem_contact_corner)`), of which min(`stride`, `sizeof(dem_contact_corner)`) bytes are written. `count` (may be null): how many
 * there are, also where there are more than `capacity`; 0 where that was not found out.
 * Inputs: `contacts`, `contact_count`: all contacts that the same query gave, as they came, `contact_stride` bytes from one to the next, which is `sizeof(dem_contact)` or 0,
 * aligned as doubles are; clamped or not. `most`: corners for each contact, at most; 0: as many as there are. `query`: bodies. `scratch`,
 * `scratch_size`: at any alignment; what `dem_contact_corners_scratch` says is enough for the number of pairs that it was told.
 * Memory: scratch and records must not overlap each other, the contacts and shapes.
 * Errors: those of `dem_placed_contacts`; `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `contacts`: they are not in order, with the first one that is not.
 * Cost: some tenths of a microsecond for each pair of triangles, finding it included; for a contact of n corners n times n nanoseconds; for
 * compounds some nanoseconds for each contact and part.
 * Threads: any number at a time, on the same shapes, each with records and scratch of its own.
 * Determinism: the same bits on every machine; exchanging A and B changes nothing but the order of contacts.
 */
int32_t dem_contact_corners(dem_contact_corner *corners,
                            size_t capacity,
                            size_t stride,
                            size_t *count,
                            const dem_contact *contacts,
                            size_t contact_count,
                            size_t contact_stride,
                            size_t most,
                            const dem_placed_query *query,
                            void *scratch,
                            size_t scratch_size,
                            dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Clamped normals, for engines on surfaces that are badly welded.
 *
 * Bodies slide over flat parts of a welded surface as over a plane, and need none of this. Where triangles only lie beside each other (a
 * soup, T-junctions, tiles of a terrain that meet but for rounding), a body near a border has a second contact, with the neighbour, whose
 * normal leans. A solver of impulses takes that for an obstacle, and bodies stumble over edges that are not there. Balls on hills stumble,
 * too, welded or not: the facet ahead, which they only come near, leans against them. In the beginning: dem_patch_cones, beside the cells.
 * In every step: dem_contact_clamp, behind dem_placed_contacts.
 */

/** The first body of a pair. */
#define DEM_BODY_A 0
/** The second body of a pair. */
#define DEM_BODY_B 1

/**
 * The cones of a body's patches, for `dem_contact_clamp`: to be computed once, beside the cells, and again after a refit.
 *
 * Outputs: `cones`: four numbers for each feature of the body: a mesh has as many as triangles, a sphere, a capsule and a half-space one, a compound those of
 * its parts, one after the other. At the first triangle of a patch its mean normal, in the body's frame, and the
 * cosine of the largest angle at which something may lean over it, across a convex edge; zeros at all others.
 * Inputs: `capacity`: for how many features there is room. `body`: its pose and scale do not matter, those of its parts do. `flat`: what the
 * shape was built with (`dem_shape_desc`).
 * Memory: `cones` must not overlap anything else.
 * Errors: those of `dem_placed_contacts` about body A; `DEM_ERROR_CAPACITY` about `output`: `needed` features;
 * `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. Where one comes, `cones` holds nothing of use.
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
 * Turns normals of contacts with a body into the cones of its patches: a normal that leans over an open edge is turned back to that of the
 * face. Convex edges that two triangles share keep their normals.
 *
 * The force becomes the nearest one in the cone: `normal` is turned as far as must be, `area` and `share` become as small as its part in
 * that direction (shares of each tag then sum to 1 again). A contact without such a part gets area and share 0. Forces stay continuous,
 * but their resultant changes: use this with solvers of impulses only.
 *
 * Outputs: `contacts`: changed in place.
 * Inputs: `count`: how many, ordered by tag. `stride`: bytes from one to the next, which is `sizeof(dem_contact)` or 0; aligned as doubles are. `which`: `DEM_BODY_A` or
 * `DEM_BODY_B`: the body in all these contacts that the cones are of. `cones`, `features`: of `dem_patch_cones`. `pose`: where the body is.
 * Memory: nothing may overlap the contacts.
 * Errors: `DEM_ERROR_BAD_SIZE` about `contacts`: their stride; `DEM_ERROR_OUT_OF_RANGE` about `which`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE`,
 * `DEM_ERROR_OUT_OF_RANGE`: the pose; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`.
 * Cost: some ten nanoseconds a contact.
 * Threads: any number at a time, each with contacts of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_contact_clamp(dem_contact *contacts,
                          size_t count,
                          size_t stride,
                          uint32_t which,
                          const double *cones,
                          size_t features,
                          const dem_pose *pose,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * How fast surfaces move in contact.
 *
 * Friction and dashpots need the relative velocity of both surfaces at each contact. A body that moves as a whole has it from its
 * velocity and its angular velocity. Where the vertices of a shape move by themselves (a membrane swings, a flow bends a wall, a belt
 * runs), there is what they do beside that. One step with such a wall is
 *
 * - the flow solver moves the vertices: dem_shape_refit with their positions;
 * - dem_placed_contacts, for the bodies near the wall;
 * - dem_contact_velocities with the velocities of the vertices, in the host's own array;
 * - dem_contact_match and dem_contact_carry, as for bodies that move as a whole: a contact with a wall whose cells were refitted keeps
 *   its key, and its spring.
 *
 * For a scene dem_scene_velocities does it for all body pairs at once.
 */

/** How a body moves: velocity + spin x (x - centre), and on its surface what its vertices do by themselves. */
typedef struct dem_motion {
    /** `sizeof(dem_motion)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** Velocity of `centre`, in world axes; 0 by default. */
    double velocity[3];
    /** Angular velocity, in world axes, in radians over time; 0 by default. */
    double spin[3];
    /** The point that has `velocity`, in world coordinates: mostly the centre of mass. */
    double centre[3];
    /** The shape whose vertices move by themselves; null, the default, where they do not, and for bodies of any other kind. The fields behind it are then not looked at. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved_2;
    /** Where the shape is, as its contacts were found; the identity by default. */
    dem_pose pose;
    /** The scale that it is placed with; 1 by default. */
    double scale;
    /** Velocities of all vertices that the shape was built from, in their order, in its own frame and unscaled units: three numbers an item. */
    dem_array vertices;
} dem_motion;

/**
 * For each contact the velocity of A's surface less that of B's, at the contact.
 *
 * The motion of a body as a whole is taken at `position`. Velocities of vertices are interpolated over the triangle at the point of the
 * shape that is closest to `position`, and turned as the shape is. They are one continuous field on the surface, so what comes out varies
 * continuously with poses and vertices, except where two places of the shape are equally close, as in a fold. There it jumps by at most
 * the largest gradient of velocity times twice the distance. A shape all of whose vertices have one velocity is a body with that velocity;
 * stretch and shear that are the same everywhere come out exact.
 *
 * Outputs: `velocities`: three numbers, in world axes, for each contact.
 * Inputs: `contacts`, `count`, `stride` (0: `sizeof(dem_contact)`): contacts of these two bodies; only `position` is read, so other
 * points may be asked for, too, in records of at least 40 bytes. `a`, `b` (each may be null: at rest): how the bodies move. `scratch`,
 * `scratch_size`: at any alignment.
 * Memory: `velocities` and scratch must not overlap each other nor anything else.
 * Errors: `DEM_ERROR_NOT_FINITE` about `motion of A` or `motion of B` (`component` 0 to 2: velocity, 3 to 5: spin, 6 to 8: centre, 9:
 * scale), about `velocities` with vertex and component, about `points` with contact and component; `DEM_ERROR_OUT_OF_RANGE`: a scale
 * that is not between 2^-500 and 2^500, a reserved field; `DEM_ERROR_MISMATCH` about `velocities`: not as many as vertices (`needed`, `given`);
 * `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: a stride, `struct_size`; `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_DAMAGED`,
 * `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose; `DEM_ERROR_OVERLAP`;
 * `DEM_ERROR_TOO_LARGE`.
 * Cost: some nanoseconds a contact; where vertices move, some tenths of a microsecond, and in each call one pass over their velocities:
 * for a wall that touches many bodies ask once for all contacts of it, with `b` null.
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
 * A friction spring, the start value of an impulse, or a sound of an impact: all need to know which contact of
 * the last step a contact continues. The library remembers nothing here. A program keeps two lists, each with the contacts of all
 * pairs of bodies, ordered by key, and the poses for which they were computed, ordered by tag. One step is
 *
 * - for each pair of bodies, in the order of tags: fill a query; call dem_placed_contacts, which writes behind the contacts found so far; write tag and poses as a
 *   dem_body_pair;
 * - dem_contact_match: which contact continues which, and which contacts begin, persist and end;
 * - dem_contact_carry: the spring of each contact, turned with its bodies, or zero;
 * - the program's own law: springs grow with the slip in this step, and are limited to the force that friction can hold;
 * - exchange both lists.
 *
 * Let a spring be an elongation, with a stiffness in proportion to the area or the share of its contact, for example F = k_t (1 - gap / halo) area s.
 * Contacts begin and end with force 0. So a contact that begins beside another one can take the same elongation, and no force jumps.
 * A spring then survives when bodies slide or roll from one patch to the next. Impulses are themselves in proportion to the area: take them
 * from `origin` only.
 *
 * A contact may consist of several pairs of patches, its nodes. With the nodes of both lists, contacts with common nodes are matched.
 * A contact that has common nodes with several contacts takes a mean of their springs: its blends.
 */

/**
 * Where a pair of bodies was when its contacts were computed: what its query said.
 *
 * A tag is any number that names the pair in every step and tells it from all others, as 32 bits of each body do: `(uint64_t)a << 32 | b`.
 */
typedef struct dem_body_pair {
    /** First half of the keys of its contacts. */
    uint64_t tag;
    /** Where A was. */
    dem_pose pose_a;
    /** Where B was. */
    dem_pose pose_b;
} dem_body_pair;

/** The contacts of one step. */
typedef struct dem_contact_list {
    /** The contacts of all pairs, ordered by key. Null where there is none. */
    const dem_contact *contacts;
    /** How many. */
    size_t count;
    /** Bytes from one to the next; 0: `sizeof(dem_contact)`. At least to the end of `area`. */
    size_t stride;
    /** The pairs, ordered by tag, each tag once. Those without contacts may be left out. */
    const dem_body_pair *pairs;
    /** How many. */
    size_t pair_count;
    /** Bytes from one to the next; 0: `sizeof(dem_body_pair)`. */
    size_t pair_stride;
    /**
     * The nodes of all contacts, ordered by pair, then by features; their contacts are places in this list. A pair has those of all its contacts, or none:
     * then each of its contacts is one. Null where there is none.
     */
    const dem_contact_node *nodes;
    /** How many. */
    size_t node_count;
} dem_contact_list;

/**
 * Which contact of this step is which of the last, and what begins, persists and ends.
 *
 * Contacts with equal keys are the same. Where contacts have nodes, those with the most force in common are, in place of that: the sum over
 * common nodes of the smaller force, before and now. Then, for each pair of bodies, the two nearest contacts that are left are the same if they are
 * within `bound`, and so on. The distance of two contacts is how far the place moved on both bodies, as the root mean square of both, so
 * that a motion of both bodies together counts nothing. A contact that begins without common nodes has no origin, but takes as its source the nearest contact
 * of its pair with the same patch of A or of B, if it is no farther than `bound` and the square roots of both areas together; otherwise the nearest of its pair within that.
 *
 * Outputs: `links`: one record for each contact of this step. `blends` (may be null): `blend_capacity` records; as many as this step has nodes are always
 * enough. `blend_count` (may be null): how many there are, also where there is no room for them. `events` (may be null): `event_capacity` records, ordered by key;
 * as many as both lists have contacts are always enough. `event_count` (may be null): how many there are, also where there are more
 * than `event_capacity`, and where `events` is null.
 * Inputs: `last`, `now`: both steps. `bound`: not negative; a good one is the larger of the halo and the way that surfaces
 * slide in a step. `scratch`, `scratch_size`: at any alignment.
 * Memory: links, blends, events and scratch must not overlap each other nor the lists.
 * Errors: `DEM_ERROR_CAPACITY`: scratch, blends or events (`needed` of them; links are then right all the same);
 * `DEM_ERROR_OUT_OF_RANGE`: the bound, or contacts, pairs or nodes that are out of order, with the first that is;
 * `DEM_ERROR_BAD_INDEX` about `body pairs`: the tag of contact `index` is that of no pair; about `nodes`: one is of no contact; `DEM_ERROR_NULL`;
 * `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: a stride; `DEM_ERROR_NOT_FINITE`: a pose, or a bound that is NaN (infinity is
 * none at all); `DEM_ERROR_OUT_OF_RANGE`: a pose; `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_OVERLAP`. Links, blends and events hold nothing of use after any error but those for blends and events.
 * Cost: some ten nanoseconds for a contact with an equal key, about a microsecond for any other, however many of them have a
 * patch in common.
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
 * Takes a vector of each contact along: the elongation of its tangential spring.
 *
 * The vector of contact i is that of its source in the last step, turned as both bodies turned on average, laid into the plane
 * across the normal, and as long as before: s' = |s| (t - n (n.t)) / |t - n (n.t)|, with t = (R_A s + R_B s) / 2. It keeps its length
 * to rounding, for ever. A contact with blends gets the mean of such vectors. Contacts without a source get zero.
 *
 * Outputs: `vectors`: three numbers, in world axes, for each contact of this step.
 * Inputs: `of_last`: three for each contact of the last step. `links`, `blends`, `blend_count` (null and 0 where lists have no nodes): as
 * `dem_contact_match` made them for the same lists.
 * `last`, `now`: both steps.
 * Memory: vectors must not overlap anything else.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_INDEX` about `links`: the source of link `index` is no contact of
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
