/*
 * dem_world.h: bodies that move. The library finds their contacts, applies a force law and makes the time steps.
 *
 * The conventions of dem.h about memory, errors, threads and determinism hold here, too. This header is made from the library's
 * source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Force laws
 *   Worlds
 *   Bodies of worlds
 *   Steps of worlds
 *   Springs of a law of the program
 *   The content of worlds
 *   Rays at worlds
 *   Worlds that grow
 *   Overlaps in worlds
 *   Corners of worlds
 *   Bodies that go to other worlds
 */
#ifndef DEM_WORLD_H
#define DEM_WORLD_H

#include "dem.h"
#include "dem_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------
 * Force laws.
 *
 * A dem_interaction is the force law between two materials: an elastic force, damping, friction, torsion, rolling resistance and cohesion, each with
 * its numbers. Worlds take a table of interactions. The item for materials i and j, with i at most j, is item j (j + 1) / 2 + i (for two materials
 * 00, 01, 11). dem_interaction_default has only an elastic force, and dem_interaction_of_materials makes an interaction from moduli. Other functions
 * compute numbers for a given restitution, a load that rests at a given gap, or a stable step.
 *
 * T is the sum of both halos, and "gap" is the mean distance of surfaces. The depth D is T less the smallest gap of a pair of bodies.
 */

/** A pressure where surfaces touch that falls to 0 where halos end: `stiffness (1 - gap / T) area`. Stiffness: force over area. */
#define DEM_NORMAL_PRESSURE 0
/** A linear spring for two bodies: `stiffness D`. Force over length. */
#define DEM_NORMAL_LINEAR 1
/** `stiffness sqrt(m) D / T`, with the reduced mass m. Force over the root of a mass. */
#define DEM_NORMAL_SPRING 2

/**
 * Hertz: for balls `4/3 stiffness sqrt(R) D^1.5`; for other bodies from the area and the mean depth of their contact. Stiffness: the
 * modulus E*, force over area.
 */
#define DEM_NORMAL_HERTZ 3
/** No damping. */
#define DEM_DAMPING_NONE 0
/** Hunt and Crossley: the elastic force times `1 + damping u`, with the velocity u of approach. Time over length. */
#define DEM_DAMPING_HUNT_CROSSLEY 1
/** A dashpot of `damping` times the critical one; the force never pulls. */
#define DEM_DAMPING_DASHPOT 2
/** A dashpot of `damping` times the critical one; the force may pull at the end of a contact. */
#define DEM_DAMPING_DASHPOT_WITH_TENSION 3
/** No cohesion. */
#define DEM_COHESION_NONE 0
/** `cohesion` times the area of the contact. Force over area. */
#define DEM_COHESION_AREA 1

/**
 * Derjaguin, Muller and Toporov, for balls and capsules, also on meshes, which count as flat: `2 pi cohesion R`, with the work of
 * adhesion, energy over area.
 */
#define DEM_COHESION_DMT 2

/** The force law between two materials. No number may be negative. */
typedef struct dem_interaction {
    /** The elastic force: one of `DEM_NORMAL_*`. */
    uint32_t normal;
    /** The damping: one of `DEM_DAMPING_*`. */
    uint32_t damped;
    /** The cohesion: one of `DEM_COHESION_*`. */
    uint32_t cohesive;
    /** 0. */
    uint32_t reserved;
    /** Stiffness of the elastic force; `normal` tells its unit. */
    double stiffness;
    /** Coefficient of the damping; `dem_damping_for` computes it for a restitution. */
    double damping;
    /** Coefficient of friction, for sliding and torsion; 0 by default. It may be infinite. */
    double friction;
    /** Tangential stiffness over normal stiffness; 2/7 by default. */
    double shear;
    /**
     * Time constant of a dashpot parallel to the friction spring: its coefficient over the spring's stiffness; 0 by default. At most about 1/w, with w
     * the `frequency` of the report: a step is stable if `(w dt)^2 + 2 lag w^2 dt` is below 4. Beyond that, bodies are thrown off.
     */
    double lag;
    /** 1, the default: contacts with an area resist rotation about their normal; 0: they do not. */
    double torsion;
    /**
     * Coefficient of rolling resistance for balls and capsules, also on meshes, which count as flat; compounds of several parts have none. 0 by
     * default.
     */
    double rolling;
    /** Coefficient of the cohesion; `cohesive` tells its unit. */
    double cohesion;
} dem_interaction;

/** An elastic, rough solid. */
typedef struct dem_material {
    /** Young's modulus: force over area. */
    double young;
    /** Poisson's ratio, from 0 to 0.5. */
    double poisson;
    /** Restitution, above 0 and at most 1. */
    double restitution;
    /** Coefficient of friction. */
    double friction;
    /** Coefficient of rolling resistance. */
    double rolling;
    /** Cohesion by area: force over area. */
    double cohesion;
} dem_material;

/**
 * Computes the force law between two materials from their moduli. The modulus is that of two layers in series (`DEM_NORMAL_PRESSURE`,
 * halos equally thick) or of two half-spaces (`DEM_NORMAL_HERTZ`). Tangential over normal stiffness is Mindlin's. Restitution, friction,
 * rolling and cohesion are geometric means. Damping is a dashpot that never pulls.
 *
 * Outputs: `interaction`.
 * Inputs: `struct_size`: `sizeof(dem_interaction)`. `a`, `b`: the materials; they may be the same. `normal`: one of `DEM_NORMAL_*`.
 * `size`: the function multiplies the modulus by it. For `DEM_NORMAL_LINEAR` it is a length (a radius, say), for `DEM_NORMAL_SPRING` this
 * length over the root of the reduced mass; other laws ignore it.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `a` and `b`, with the
 * field as `component`; `DEM_ERROR_OUT_OF_RANGE` about `normal` and `size`.
 * Cost: about ten microseconds, most of it for the damping.
 */
int32_t dem_interaction_of_materials(dem_interaction *interaction,
                                     size_t struct_size,
                                     const dem_material *a,
                                     const dem_material *b,
                                     uint32_t normal,
                                     double size,
                                     dem_error *error);

/**
 * Checks a table of interactions: each number is in its range, and the number of items belongs to some number of materials.
 *
 * Outputs: `materials` (may be null): the number of materials of the table.
 * Inputs: `table`, `count`.
 * Errors: about `interactions`: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` with item
 * and field (`normal` is 0); `DEM_ERROR_MISMATCH` if no number of materials has so many items.
 * Cost: some nanoseconds for each item.
 */
int32_t dem_interactions_check(size_t *materials,
                               const dem_interaction *table,
                               size_t count,
                               dem_error *error);

/**
 * The number `damping` for a restitution: the velocity at which bodies part over that at which they met. It holds for central impact with any
 * elastic force.
 *
 * Outputs: `damping`.
 * Inputs: `damped`: one of `DEM_DAMPING_*`. `restitution`: above 0 and at most 1. `velocity`: the velocity of impact, for
 * `DEM_DAMPING_HUNT_CROSSLEY`, whose restitution depends on it; other kinds ignore it.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_OUT_OF_RANGE` about `damped`; about `restitution` and `velocity`:
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: some microseconds.
 */
int32_t dem_damping_for(double *damping,
                        uint32_t damped,
                        double restitution,
                        double velocity,
                        dem_error *error);

/**
 * The `stiffness` of `DEM_NORMAL_PRESSURE` with which a load on an area rests at a gap: `load / (area (1 - gap / halo))`.
 *
 * Outputs: `pressure`.
 * Inputs: `load`, `area`: positive. `gap`: less than `halo`, which is the sum of the halos of both bodies.
 * Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_pressure_for(double *pressure,
                         double load,
                         double area,
                         double gap,
                         double halo,
                         dem_error *error);

/**
 * The gap at which a load on an area rests: `halo (1 - load / (pressure area))`. If it is below 0, the surfaces penetrate. Bodies placed
 * at this gap do not jump.
 *
 * Outputs: `gap`.
 * Inputs: `load`, `area`, `pressure` (the `stiffness` of `DEM_NORMAL_PRESSURE`), `halo` (the sum of the halos of both bodies): positive.
 * Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_resting_gap(double *gap,
                        double load,
                        double area,
                        double pressure,
                        double halo,
                        dem_error *error);

/**
 * The `stiffness` of `DEM_NORMAL_LINEAR` for which contacts last the given time, with a dashpot of this restitution whose force may pull.
 *
 * Outputs: `stiffness`: force over length.
 * Inputs: `mass`: the reduced mass of both bodies. `time`: the duration of a contact. `restitution`: above 0 and at most 1.
 * Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_linear_stiffness(double *stiffness,
                             double mass,
                             double time,
                             double restitution,
                             dem_error *error);

/**
 * The longest time step for which one contact is stable. A fifth of it is an accurate step. `dem_world_measure` gives the frequency of all contacts
 * of a world.
 *
 * Outputs: `dt`.
 * Inputs: `stiffness`: force over length; for `DEM_NORMAL_PRESSURE` it is `stiffness area / T`. `mass`: the reduced mass of both bodies.
 * `zeta`: the dashpot over the critical one; 0 without damping.
 * Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_stable_step(double *dt,
                        double stiffness,
                        double mass,
                        double zeta,
                        dem_error *error);

/**
 * The load at which a column of equal blocks buckles sideways: `4 tilt / height sin^2(pi / (4 blocks))`. A column with a larger load
 * falls, whatever the step.
 *
 * Outputs: `load`: a force.
 * Inputs: `tilt`: the stiffness of a joint against tilt, torque over angle; for a square face with area A it is `A / 12` times its normal
 * stiffness (`stiffness A / T` of `DEM_NORMAL_PRESSURE`). `height`: of a block. `blocks`: at least 1.
 * Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_buckling_load(double *load,
                          double tilt,
                          double height,
                          uint32_t blocks,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Worlds.
 *
 * A world holds bodies, finds their contacts, applies a force law and moves the bodies, in one block of the program's memory. To undo any call, copy
 * the block before the call, and copy it back.
 *
 * - At the start: dem_world_layout and dem_world_init, dem_world_set_up (gravity, periods), dem_world_add for each body.
 * - dem_world_advance takes many steps in one call.
 * - Or take a step phase by phase: dem_world_begin, dem_world_poll until `want` is DEM_WANT_DONE, dem_world_accept or
 *   dem_world_abandon. Each poll does one phase: contacts, the law, the motion. Between polls a program can read contacts, set forces, or take the
 *   step back. Until a step is accepted, the state does not change.
 * - dem_world_view gives bodies and forces in place, dem_world_contacts gives the contacts as in scenes. dem_world_measure gives energies, momenta,
 *   and numbers that show whether steps are short enough.
 *
 * The law is a table of dem_interaction, or a law of the program. A step begun with DEM_ASK_LAW stops at DEM_WANT_LAW; there the program reads
 * contacts and velocities and writes forces. This needs no callbacks: the program may compute as long as it likes, use its threads, or copy the
 * world.
 *
 * A snapshot is a copy of the block (as many bytes as dem_world_layout says), made between any two calls, even within a step. The copy is a world,
 * too, at any address that is aligned to DEM_ALIGN, and continues with the same bits. An engine keeps several snapshots and rolls back. A coupled
 * solver goes back to the start of its window. dem_world_hash tells whether two worlds are equal. In a file (dem_world_save, dem_world_load), a
 * world has a version and a checksum.
 *
 * If a world is too small, `short_of` of the error has sizes that are enough for this step. Provide a quarter more, because later steps may need
 * more. With a larger block (dem_world_grow), the same call continues at the point where it stopped.
 *
 * "Those of the world" in lists of errors are errors about `world` that all these calls may give: DEM_ERROR_NULL; DEM_ERROR_MISALIGNED (worlds start at
 * multiples of DEM_ALIGN); DEM_ERROR_DAMAGED: no world of this version, or something has overwritten it; DEM_ERROR_BUSY: another call works on it;
 * DEM_ERROR_POISONED: an earlier call on it was cut short.
 */

/** The last step of a window of `dem_world_advance` has records of all contacts. */
#define DEM_RECORDS_LAST 0

/**
 * If the law is a table of dem_interaction, no step of a window has records of pairs of balls and half-spaces that do not need them. After
 * a window, a world of balls and half-spaces alone shows no contacts, forces at contacts or springs, and `dem_world_measure` has no
 * numbers of contacts. The world keeps the springs with the pairs instead.
 */
#define DEM_RECORDS_NONE 1
/** Velocities first, then positions with the new velocities: conserves energies of springs. */
#define DEM_ORDER_SEMI_IMPLICIT 0
/** Positions first, with the old velocities: adds energy to springs; for comparisons. */
#define DEM_ORDER_EXPLICIT 1
/** Rotations about the principal axes one after the other: second order, conserves angular momentum. */
#define DEM_ROTATION_SPLITTING 0
/** With the gyroscopic torque at the start of the step: first order; for comparisons. */
#define DEM_ROTATION_GYROSCOPIC 1

/** A world: the address of its block. */
typedef struct dem_world dem_world;

/** The room of a world's block. */
typedef struct dem_world_desc {
    /** `sizeof(dem_world_desc)`. */
    uint32_t struct_size;
    /** The most bodies. */
    uint32_t bodies;
    /** The most pairs of bodies whose bounds meet; 0: eight for each body and 1024 more. */
    uint32_t candidates;
    /** The most contacts, and also the most pairs of bodies that have some; 0: four for each body and 1024 more. */
    uint32_t contacts;
    /** Cell sizes, 1 to 64; 8 by default, which is good for most size ratios. */
    uint32_t levels;
    /**
     * The most nodes of contacts; 0: eight for each contact, which is enough for boxes and for meshes of some hundred triangles. The error of a poll
     * without scratch estimates how many finer meshes need.
     */
    uint32_t nodes;
    /**
     * One of `DEM_RECORDS_*`. With DEM_RECORDS_NONE, a 0 in `candidates`, `contacts` and `nodes` means no room, for a world of balls without
     * records. If a step needs some room, it returns DEM_ERROR_CAPACITY, which tells how much.
     */
    uint32_t records;
    /**
     * The most pairs of balls and half-spaces in the list of steps without records; 0: as many as `candidates`, or, if these are 0, four for each
     * body and 1024 more. DEM_ERROR_CAPACITY about `candidates` with a `component` of 1 is about this size.
     */
    uint32_t ball_pairs;
    /**
     * The most of these pairs whose bounds meet. A pair counts 1 if laws have sliding friction only, 5/4 if some law has torsion, 2 if some law has
     * rolling resistance, and 4 if some bodies are compounds of balls. 0: as many as `contacts`, or, if these are 0, four for each body and 1024
     * more. DEM_ERROR_CAPACITY about `contacts` with a `component` of 1 is about this size.
     */
    uint32_t ball_contacts;
    /** The most events of a window, in a world that watches (`watch` of dem_world_setup). DEM_ERROR_CAPACITY about `events` is about this size. */
    uint32_t events;
} dem_world_desc;

/** Settings for all steps of a world, until they are changed. */
typedef struct dem_world_setup {
    /** `sizeof(dem_world_setup)`. */
    uint32_t struct_size;
    /** One of `DEM_ORDER_*`. */
    uint32_t order;
    /** One of `DEM_ROTATION_*`. */
    uint32_t rotation;
    /** One of `DEM_RECORDS_*`. */
    uint32_t records;
    /** Acceleration of gravity; none by default. */
    double gravity[3];
    /**
     * Lengths of the box along axes that are periodic, 0 along others. A body that leaves the box enters it at the other side: coordinates are kept
     * between 0 and the period.
     */
    double periods[3];
    /**
     * 1: the world watches all steps of a window. Then `events` of `dem_world_view` lists the pairs of bodies that begin or cease to touch
     * in any step. The numbers of `dem_world_measure` that begin with `window_` then cover all steps. Watching takes a pass over contacts
     * in each step, and changes no bit of the motion. Worlds of compounds of balls, balls and half-spaces alone are an exception: they
     * take general steps then, which agree to rounding. 0, the default: there are no events, and these numbers are those of the last step.
     */
    uint32_t watch;
    /** 0. */
    uint32_t reserved;
} dem_world_setup;

/**
 * How much memory a world needs.
 *
 * Outputs (each may be null): `size`: bytes of the block: some 770 for each body, 920 for each contact, 48 for each node and 24 for each
 * candidate. With DEM_RECORDS_NONE and no contacts it is 340 for each body, 64 for each of `ball_contacts` and 8 for each of `ball_pairs`.
 * `align`: `DEM_ALIGN`.
 * Inputs: `desc`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`, `records`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_world_layout(size_t *size,
                         size_t *align,
                         const dem_world_desc *desc,
                         dem_error *error);

/**
 * Makes an empty world: no bodies, no gravity, time 0.
 *
 * Outputs: `world`: the world, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_world_layout` says. `desc`.
 * Memory: the block belongs to the caller, who may copy, store and discard it at any time. It holds no shapes and no threads.
 * Errors: those of `dem_world_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_init(void *memory,
                       size_t size,
                       dem_world **world,
                       const dem_world_desc *desc,
                       dem_error *error);

/**
 * Makes a larger world that continues another one, between steps or between the polls of a step.
 *
 * Outputs: `grown`: the new world, whose address is `memory`. `world` stays as it is. Handles of bodies stay valid.
 * Inputs: `world`. `memory`, `size`, `desc`: as for `dem_world_init`; no number of `desc` may be smaller than in `world` (`dem_world_room`).
 * Memory: both blocks must not overlap.
 * Errors: those of `dem_world_init`; those of the world; `DEM_ERROR_CAPACITY` about `world`: less room than before; `DEM_ERROR_OVERLAP`.
 * Cost: a copy.
 * Threads: any; nobody may change the world or use the memory during the call.
 */
int32_t dem_world_grow(void *memory,
                       size_t size,
                       dem_world **grown,
                       const dem_world *world,
                       const dem_world_desc *desc,
                       dem_error *error);

/**
 * The room of a world.
 *
 * Outputs: `desc`: that of `dem_world_init` or `dem_world_grow`, with numbers in place of 0. But `ball_pairs` and `ball_contacts` are 0 if
 * they equal `candidates` and `contacts`, and `records` is DEM_RECORDS_NONE if there is no room for contacts. To grow a world, raise
 * numbers and pass `desc` to `dem_world_grow`.
 * Inputs: `struct_size`: `sizeof(dem_world_desc)`. `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_world_room(dem_world_desc *desc,
                       size_t struct_size,
                       const dem_world *world,
                       dem_error *error);

/**
 * Opens a copy of a block as a world, if the copy was made during a call, or by another process on this machine.
 *
 * A copy that was made between calls needs no opening. The function checks only the header; for files use `dem_world_load`.
 *
 * Outputs: `world`: the world, whose address is `memory`. The mark of a call in progress, in its first 64 bytes, is cleared; nothing else changes.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than the copied bytes.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`.
 * Cost: some nanoseconds.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_open(void *memory,
                       size_t size,
                       dem_world **world,
                       dem_error *error);

/**
 * Writes all of a world as bytes for a file, with a version and a checksum, even within a step. `OwnedWorld` in Rust uses the same format.
 *
 * Outputs: `bytes` (may be null if `capacity` is 0), at any alignment. `count` (may be null): how many there are, even if they are more than
 * `capacity`: the bytes of the block except its first `DEM_ALIGN`.
 * Inputs: `world`: it does not change.
 * Memory: the bytes must not overlap the world.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY` about `output`; `DEM_ERROR_OVERLAP`.
 * Cost: a copy and a pass over it.
 */
int32_t dem_world_save(uint8_t *bytes,
                       size_t capacity,
                       size_t *count,
                       const dem_world *world,
                       dem_error *error);

/**
 * Makes a world from the bytes that `dem_world_save` wrote; it continues with the same bits.
 *
 * Outputs: `world`: the world, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, `DEM_ALIGN` bytes larger than `count`. `bytes`, `count`: the saved bytes, at any
 * alignment.
 * Memory: `bytes` and the block must not overlap.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_DAMAGED` about `world`: bytes have
 * changed, are missing, or are too many, or the format has another version or another order of bytes. After an error the memory is no world.
 * Cost: a copy and a pass over it.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_load(void *memory,
                       size_t size,
                       dem_world **world,
                       const uint8_t *bytes,
                       size_t count,
                       dem_error *error);

/**
 * Changes the settings for all steps from now on.
 *
 * Outputs: `world`.
 * Inputs: `setup`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `gravity`,
 * `periods`, `order`, `rotation` and `setup` (`records`, `watch`); `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_up(dem_world *world,
                         const dem_world_setup *setup,
                         dem_error *error);

/**
 * A hash of the accepted state: of the time, and of all that later steps depend on. If the same steps are divided into other windows, bodies have
 * the same bits, but the time is rounded otherwise, so hashes differ. Abandoned steps do not change the hash, nor do the block's size and address.
 * While a step is under way, the hash may be another.
 *
 * Outputs: `hash`.
 * Inputs: `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`.
 * Cost: a pass over bodies and springs.
 * Threads: any number at a time.
 * Determinism: the same on every machine for the same steps.
 */
int32_t dem_world_hash(uint64_t *hash,
                       const dem_world *world,
                       dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Bodies of worlds.
 *
 * dem_world_add gives each body a handle. Its lower 32 bits, `(uint32_t)handle`, are the slot of the body; its upper 32 bits count the earlier
 * bodies in this slot. All arrays of a world are ordered by slots. A body stays in its slot, and the handle of a removed body is refused. Free slots
 * are static bodies without contacts.
 *
 * A body's frame has its origin in the centre of mass and its axes along the principal axes of inertia. To place a mesh in this frame, use
 * `part_pose` of dem_mass as its `pose` in the table of shapes.
 */

/** `id` of a body to which the program gives no id. */
#define DEM_WORLD_NO_ID 9223372036854775807

/** A rigid body. */
typedef struct dem_body {
    /** Centre of mass, in world coordinates. */
    double position[3];
    /** From the principal axes to world axes: a quaternion x y z w. */
    double orientation[4];
    /** Velocity of the centre of mass. */
    double velocity[3];
    /** Angular velocity, in world axes. */
    double angular_velocity[3];
    /** Mass of a dynamic body. */
    double mass;
    /** Principal moments of inertia of a dynamic body, about its centre of mass. */
    double moments[3];
    /** One of `DEM_MOTION_*`. */
    uint32_t motion;
    /** 0. */
    uint32_t reserved;
} dem_body;

/** A body to add to a world. */
typedef struct dem_member {
    /** `sizeof(dem_member)`. */
    uint32_t struct_size;
    /** Its shape: the place in the table of `dem_world_query`; 0 by default. */
    uint32_t shape;
    /**
     * The number of its material, from 0, which is the default. The law between materials i and j, with i at most j, is item `j (j + 1) / 2 + i` of
     * the interactions. Whether they have this item is checked when the body touches another one.
     */
    uint32_t material;
    /** Bits of the groups to which the body belongs, at least one; the first by default. */
    uint32_t groups;
    /** Bits of the groups with which the body has contacts; two bodies meet only if the masks of both allow it. All by default. */
    uint32_t masks;
    /** 0. */
    uint32_t reserved;
    /** Mass, pose and velocity; at the origin and static by default. */
    dem_body body;
    /** All lengths of its shape, including halos, are multiplied by this; 1 by default. Mass and moments are not scaled. */
    double scale;
    /**
     * Its id, below `DEM_WORLD_NO_ID` (2^63 - 1) and different from all others. `DEM_WORLD_NO_ID`, the default: the world makes an id from slot and
     * generation. Results depend on the order of ids, not on that of slots. So if the same bodies are added in another order with the same ids, the
     * motion has the same bits.
     */
    uint64_t id;
} dem_member;

/** A force, and a torque. */
typedef struct dem_wrench {
    /** The force. */
    double force[3];
    /** The torque. */
    double torque[3];
} dem_wrench;

/**
 * Makes a dynamic body at rest, whose mesh has a given pose.
 *
 * Outputs: `body`: with its origin in the centre of mass and its axes along the principal ones. Its shape is the mesh with `part_pose` of `mass` as
 * its pose.
 * Inputs: `mass`: of `dem_shape_mass`. `mesh`: the pose of the mesh.
 * Errors: `DEM_ERROR_NULL`; about `pose`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`; about `mass` and `moments`: `DEM_ERROR_OUT_OF_RANGE`, as
 * where the mesh has no volume.
 * Cost: some nanoseconds.
 */
int32_t dem_body_of_mass(dem_body *body,
                         const dem_mass *mass,
                         const dem_pose *mesh,
                         dem_error *error);

/**
 * Makes a dynamic ball at rest.
 *
 * Outputs: `body`.
 * Inputs: `radius`, `density`: positive. `position`: three numbers.
 * Errors: `DEM_ERROR_NULL`; about `radius`, `density`, `position`, `mass`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_body_ball(dem_body *body,
                      const double *position,
                      double radius,
                      double density,
                      dem_error *error);

/**
 * Makes a dynamic capsule at rest, along the z axis of `pose`, for the shape of `dem_placed_capsule`.
 *
 * Outputs: `body`: with the frame of the capsule, so its shape needs no pose.
 * Inputs: `pose`: where it is. `half_length`: of the segment, not negative. `radius`, `density`: positive.
 * Errors: `DEM_ERROR_NULL`; about `half_length`, `radius`, `density`, `pose`, `mass`, `moments`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: some nanoseconds.
 */
int32_t dem_body_capsule(dem_body *body,
                         const dem_pose *pose,
                         double half_length,
                         double radius,
                         double density,
                         dem_error *error);

/**
 * Adds a body. It takes the slot that became free last, or a new one.
 *
 * Outputs: `world`; `handle` (may be null).
 * Inputs: `member`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; with the slot as `index`: `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE`
 * about fields of the member (`body.position`, say, `scale`, or `groups`: none); `DEM_ERROR_DUPLICATE` about `id`, with both slots;
 * `DEM_ERROR_CAPACITY` about `bodies` (`dem_world_grow`; `short_of.bodies`); `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
 * Cost: some nanoseconds; a pass over all ids for the first body with an id after the block has grown.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_add(dem_world *world,
                      uint64_t *handle,
                      const dem_member *member,
                      dem_error *error);

/**
 * Removes a body. In the next step, no other body has contacts with it. Its slot may be used again, with another handle.
 *
 * Outputs: `world`.
 * Inputs: `handle`.
 * Errors: those of the world; `DEM_ERROR_BAD_INDEX` about `handle`: there is no such body any more; `DEM_ERROR_UNSUPPORTED` within a step. After an
 * error nothing changes.
 * Cost: none; with `DEM_RECORDS_NONE` a pass over all pairs of balls that touch.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_remove(dem_world *world,
                         uint64_t handle,
                         dem_error *error);

/**
 * Changes the pose, the velocities, the mass or the kind of motion of a body. A program also moves its kinematic bodies, such as a drum, a plate or
 * a belt, with this function.
 *
 * Friction and damping use the velocities of a body, whatever its kind of motion. A kinematic body moves with its velocities in each step, so set
 * these; a new pose alone carries no other body along. A static body with a velocity stays in its place and carries other bodies along. So set the
 * velocities to 0 when you make a body static.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `body`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`; those of `dem_world_add` about the body;
 * `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_body(dem_world *world,
                           uint64_t handle,
                           const dem_body *body,
                           dem_error *error);

/**
 * Gives all properties of a body in the accepted state. A program may change them with `dem_world_set_member`, or add the body to another world.
 *
 * Outputs: `member`: the function writes `struct_size` bytes. `id` is `DEM_WORLD_NO_ID` if the world made the id.
 * Inputs: `struct_size`: `sizeof(dem_member)`. `world`. `handle`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_BAD_INDEX` about `handle`.
 * Cost: none.
 */
int32_t dem_world_member(dem_member *member,
                         size_t struct_size,
                         const dem_world *world,
                         uint64_t handle,
                         dem_error *error);

/**
 * Changes all properties of a body: its shape, scale, groups, masks and material, and those that `dem_world_set_body` changes. `dem_world_member`
 * gives the present properties.
 *
 * Handle and id stay. The springs of its contacts stay if the next step matches the contacts. After a change of scale it does; contacts of another
 * mesh are matched by their distance from the old ones.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `member`: its `id` is that of the body, or `DEM_WORLD_NO_ID`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_BAD_INDEX` about `handle`; those of `dem_world_add` about the
 * properties; `DEM_ERROR_MISMATCH` about `id`: another id; `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
 * Cost: none; the next step makes new lists of pairs.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_member(dem_world *world,
                             uint64_t handle,
                             const dem_member *member,
                             dem_error *error);

/**
 * Gives a body another material, by its number (`dem_member`). Springs of its contacts stay.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `material`.
 * Errors: those of the world; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_material(dem_world *world,
                               uint64_t handle,
                               uint32_t material,
                               dem_error *error);

/**
 * Gives a body in its accepted state.
 *
 * Outputs: `body`.
 * Inputs: `world`. `handle`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`.
 * Cost: none.
 */
int32_t dem_world_body(dem_body *body, const dem_world *world, uint64_t handle, dem_error *error);

/**
 * Gives the handle of the body in a slot.
 *
 * Outputs: `handle`.
 * Inputs: `world`. `slot`.
 * Errors: those of the world; `DEM_ERROR_NULL`. A free slot is no error: the function returns `DEM_NONE` and does not change `handle`.
 * Cost: none.
 */
int32_t dem_world_handle(uint64_t *handle,
                         const dem_world *world,
                         uint32_t slot,
                         dem_error *error);

/**
 * Copies the accepted states of all bodies into the program's own arrays: one item for each slot, including free slots.
 *
 * Outputs (each may be null or without data): `positions`, `velocities`, `spins` (angular velocities): three numbers; `orientations`: four.
 * `DEM_F64` or `DEM_F32`, which rounds. `count` (may be null): how many slots there are.
 * Inputs: `world`.
 * Memory: outputs must not overlap the world; they may be fields of structs of the program.
 * Errors: those of the world; `DEM_ERROR_CAPACITY`: an output has not enough items; `DEM_ERROR_OUT_OF_RANGE`: types; `DEM_ERROR_BAD_SIZE`;
 * `DEM_ERROR_OVERLAP`. Nothing but `count` is written then.
 * Cost: some nanoseconds a body.
 */
int32_t dem_world_states(const dem_output *positions,
                         const dem_output *orientations,
                         const dem_output *velocities,
                         const dem_output *spins,
                         size_t *count,
                         const dem_world *world,
                         dem_error *error);

/**
 * Sets the program's own forces on all bodies, such as those of a fluid, a field or a motor. They act in all steps until they are set again. The
 * call is allowed between steps, and when a step stops at `DEM_WANT_LOADS`.
 *
 * Outputs: `world`.
 * Inputs (each may be null, for no change): `forces`; `torques`: about the centres of mass; in world axes, three numbers for each slot, `DEM_F64` or
 * `DEM_F32`. Items of free slots have no effect.
 * Memory: the arrays must not overlap the world.
 * Errors: those of the world; about `forces` and `torques`: `DEM_ERROR_NULL`, `DEM_ERROR_MISMATCH` (not as many items as slots),
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: types, `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` elsewhere in a step,
 * and between steps of `dem_world_advance_step`. After an error nothing changes.
 * Cost: some nanoseconds a body.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_loads(dem_world *world,
                            const dem_array *forces,
                            const dem_array *torques,
                            dem_error *error);

/**
 * Sets the program's own force on one body, as `dem_world_set_loads` does on all bodies.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `load`: force, and torque about the centre of mass, in world axes.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` about `load`; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_UNSUPPORTED`
 * elsewhere in a step, and between steps of `dem_world_advance_step`. After an error nothing changes.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_load(dem_world *world,
                           uint64_t handle,
                           const dem_wrench *load,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Steps of worlds.
 *
 * A step: call dem_world_begin, then dem_world_poll until `want` is not DEM_WANT_MORE:
 *
 * - DEM_WANT_MORE: a phase is done; poll again.
 * - DEM_WANT_LAW (with DEM_ASK_LAW): the program's law. dem_world_contacts gives the contacts. dem_world_law gives the velocities there,
 *   and the arrays for forces, torques and springs. Poll again.
 * - DEM_WANT_LOADS (with DEM_ASK_LOADS): the program may read forces, and set its own (dem_world_set_loads). Poll again.
 * - DEM_WANT_DONE: the step is complete. Call dem_world_accept, or dem_world_abandon.
 * - DEM_WANT_STUCK: bodies approach each other too fast for this step, by their velocities, gravity and loads of the program. Call
 *   dem_world_abandon, and begin a shorter step: `too_fast` of dem_world_slots has its length. The first poll tells it; with DEM_ASK_LOADS also the
 *   poll after DEM_WANT_LOADS, for the loads that the program has set then.
 *
 * In any phase, dem_world_abandon takes the step back, to the bit. With DEM_RECORDS_NONE a poll may have moved springs of balls into records:
 * later steps then agree to rounding. dem_world_advance does all of this for many steps.
 */

/** For `dem_world_begin`: stop at `DEM_WANT_LOADS`. */
#define DEM_ASK_LOADS 1
/** For `dem_world_begin`: stop at `DEM_WANT_LAW`. */
#define DEM_ASK_LAW 2
/** A phase is done: poll again. */
#define DEM_WANT_MORE 0
/** The program may change its loads, then polls again. */
#define DEM_WANT_LOADS 1
/** The program applies its law, then polls again. */
#define DEM_WANT_LAW 2
/** The step is complete. */
#define DEM_WANT_DONE 3
/** Bodies approach each other too fast for this step. */
#define DEM_WANT_STUCK 4
/** Between steps. */
#define DEM_PHASE_IDLE 0
/** The next poll finds contacts. */
#define DEM_PHASE_FIND 1
/** The next poll applies the law. */
#define DEM_PHASE_LAW 2
/** The program applies its law. */
#define DEM_PHASE_HOST_LAW 3
/** The program reads and sets its loads. */
#define DEM_PHASE_LOADS 4
/** The next poll moves the bodies. */
#define DEM_PHASE_MOVE 5
/** Complete, not yet accepted. */
#define DEM_PHASE_DONE 6
/** The step is too long for the speed at which bodies approach. */
#define DEM_PHASE_STUCK 7

/**
 * The input of polls: the shapes of bodies, settings of the search for contacts, the law. The world keeps none of it: pass the same query
 * in all polls of a step.
 */
typedef struct dem_world_query {
    /** `sizeof(dem_world_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** The table of shapes, as for `dem_scene_query`: with `part_pose` of dem_mass as the `pose` of a mesh. `scale` is ignored. */
    const dem_placed *shapes;
    /** Number of shapes. */
    size_t shape_count;
    /** Bytes from one to the next; 0: `sizeof(dem_placed)` of version 0.1. */
    size_t shape_stride;
    /** The table of interactions: see `dem_interaction`. May be null if the program has a law of its own. */
    const dem_interaction *interactions;
    /** Number of interactions: 1, 3, 6, 10, ... */
    size_t interaction_count;
    /** The most near pairs of triangles that any two bodies have; 0: 256. */
    size_t pairs;
    /** The most contacts of two bodies; 0: 64. */
    size_t pair_contacts;
    /** Which nodes form one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default. */
    size_t grouping;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
    /** As for `dem_scene_query`; infinity by default. */
    double bound;
    /**
     * As for `dem_scene_query`: the skin of a neighbour list, which changes no result. 0, the default: the world chooses it by the speed
     * of the bodies.
     */
    double skin;
    /** As for `dem_scene_query`; a quarter of pi by default. */
    double angle;
    /**
     * 1: contacts have their `energy`, and `stored_normal` of `dem_world_measure` is exact for `DEM_NORMAL_PRESSURE`. This takes some more
     * time; no motion depends on it, but `dem_world_hash` does. 0 by default.
     */
    uint64_t energies;
    /**
     * Bodies whose vertices move by themselves, with slots as `body`; `dem_surface_of` fills one. Velocities at contacts, for `interactions` as for
     * `dem_world_law`, include those of the vertices, and so does the check for bodies that are too fast. Springs go with the vertices. May be null,
     * the default.
     */
    const dem_scene_surface *surfaces;
    /** Number of these bodies. */
    size_t surface_count;
    /** Bytes from one to the next; 0: `sizeof(dem_scene_surface)` of version 0.1. */
    size_t surface_stride;
    /** 0. */
    size_t reserved;
} dem_world_query;

/** How two surfaces move at a contact. */
typedef struct dem_meeting {
    /** Velocity of A's surface less that of B's, in world axes. */
    double velocity[3];
    /** Angular velocity of A's surface less that of B's. Where vertices of `surfaces` move, it has the rotation of the triangle below the contact. */
    double spin[3];
} dem_meeting;

/** The data that a contact keeps from step to step. */
typedef struct dem_springs {
    /**
     * Vectors 0 to 2 rotate with the contact: the springs of sliding (across the normal), torsion (along it) and rolling (across it). Vectors 3 and
     * 4 are numbers for `dem_world_measure`. Vector 3: energy stored by the normal force, normal stiffness, tangential stiffness. Vector 4: energy
     * stored by springs, energy that damping dissipated and work done against friction in the step. A law of the program that does not compute them
     * leaves zeros. The laws of the library read two of these in the next step. With the energy stored by springs, a contact keeps its energy while
     * its share of the stiffness changes (0: springs count as they are). For meshes with torsion, vector 2 is the arm, a length, from the contact to
     * the place where springs hold.
     */
    double vectors[5][3];
} dem_springs;

/**
 * Input and output of a law of the program. Each list has an item for each contact of `dem_world_contacts`. The memory belongs to the
 * world, and the pointers are valid until the next call that changes the world.
 */
typedef struct dem_host_law {
    /** How surfaces move, including the velocities of vertices of `surfaces` and the rotation that they cause. */
    const dem_meeting *meetings;
    /**
     * The law writes here the force on A at `position` of the contact, and the torque beside this force. Both are zero at first. The world applies
     * the opposite to B.
     */
    dem_wrench *acts;
    /**
     * The springs of contacts, carried over from the last step with the bodies and the vertices of `surfaces`. The law writes the new springs here.
     * The next step has them if this step is accepted.
     */
    dem_springs *springs;
    /** Number of contacts. */
    size_t count;
    /** Bytes from one meeting to the next, in the library that runs. */
    size_t meeting_stride;
    /** Bytes from one of `acts` to the next. */
    size_t wrench_stride;
    /** Bytes from one of `springs` to the next. */
    size_t spring_stride;
} dem_host_law;

/** Two bodies that approach each other too fast for a step. */
typedef struct dem_too_fast {
    /** Slot of one body. */
    uint32_t a;
    /** Slot of the other body; the same for a body and its periodic image, and for a body that moves by more than a period. */
    uint32_t b;
    /**
     * The approach in the step over the allowed approach, which is half of the sum of both halos. If an arc
     * adds more than the approach itself, half of the sum of both counts as the approach. If a body moves by more than a period, the number of
     * periods. 0 if no pair approaches.
     */
    double ratio;
    /**
     * A time step that is short enough for all pairs. If a body moves by more than a period, a time step that is short enough for the
     * check of pairs.
     */
    double dt;
} dem_too_fast;

/**
 * Begins a step.
 *
 * Outputs: `world`.
 * Inputs: `dt`: its length, larger than 0. `asks`: 0, or bits `DEM_ASK_*`: at which points the step stops for the program.
 * Errors: those of the world; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `dt`; `DEM_ERROR_OUT_OF_RANGE` about `asks`: other bits;
 * `DEM_ERROR_UNSUPPORTED` where a step or a window is under way. After an error nothing changes.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_begin(dem_world *world,
                        double dt,
                        uint32_t asks,
                        dem_error *error);

/**
 * Does one phase of the step. The first phase checks whether the step is short enough and finds contacts. The second phase applies the law. The last
 * phase moves bodies.
 *
 * Outputs: `want`: one of `DEM_WANT_*`. `world`: the step; the accepted state does not change.
 * Inputs: `query`: the same in all polls of a step. `scratch`, `scratch_size`: at any alignment. With less scratch than the error about it names,
 * down to the need of one thread, fewer threads work on meshes.
 * Memory: scratch and world must not overlap each other, nor shapes and interactions.
 * Errors: those of the world; those of `dem_scene_find` that are not about its arrays, with slots for places; those of `dem_interactions_check`.
 * After an error the step is in the same phase as before: remove the cause and poll again, or abandon the step.
 * `DEM_ERROR_UNSUPPORTED` about `step of the world`: before `dem_world_begin`, or after the step's end.
 * `DEM_ERROR_CAPACITY` about `candidates`, `contacts`, `nodes` (`dem_world_grow`), `pairs`, `pair_contacts` (of the query) or `scratch`: the first
 * that is too small; `short_of` of the error has all of them.
 * `DEM_ERROR_NULL` about `interactions`: there are none, and the step needs some.
 * `DEM_ERROR_BAD_INDEX` about `material`, with the slot as `index`: the material of a body in contact is not in the table.
 * `DEM_ERROR_NOT_FINITE` about `acts`, with the contact as `index` and both ids as `needed` and `given`: a force (`component` 0 to 2), a torque (3
 * to 5) or springs (from 6 on); about `wrenches`: a load, or the sum for a body.
 * `DEM_ERROR_OUT_OF_RANGE` about `acts`, with the same fields: a force or a torque larger than 2^100, or that would by itself move a body by more
 * than 2^20 halos, or turn it by as many radians, in this step.
 * Those of `dem_scene_velocities` about `surfaces`, with the place in the list as `index`.
 * `DEM_ERROR_MISMATCH` about `shapes`: their number, kinds or sizes have changed since the contacts of this step were found.
 * `DEM_ERROR_BUSY` about `shapes`: another thread was changing a shape when the call ended; the step then begins again with its first poll. A change
 * that begins and ends within the call is not noticed.
 * Cost: the first phase costs as much as `dem_scene_find`; the others cost some hundred nanoseconds for each contact and each body.
 * Threads: any; nobody may use the world during the call.
 * Determinism: the same bits on every machine, with every instruction set, number of threads, size of memory and `skin`. Copies of the block between
 * polls, and steps that were abandoned before, change no bit.
 */
int32_t dem_world_poll(dem_world *world,
                       uint32_t *want,
                       const dem_world_query *query,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * Input and output of a law of the program, at `DEM_WANT_LAW`. When the law has written everything, call `dem_world_poll` again: the poll
 * checks the forces and adds them up.
 *
 * Outputs: `law`: the function writes `law_size` bytes, at most `sizeof(dem_host_law)`.
 * Inputs: `world`. `law_size`: `sizeof(dem_host_law)`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_UNSUPPORTED` about `step of the world` at any other point of the step.
 * Cost: none.
 * Threads: any; nobody may use the world during the call. Afterwards any number of threads may write, each to contacts of its own.
 */
int32_t dem_world_law(dem_world *world,
                      dem_host_law *law,
                      size_t law_size,
                      dem_error *error);

/**
 * Accepts a complete step: its result becomes the state of the world.
 *
 * Outputs: `world`.
 * Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` before the step is complete, and after it was accepted; about
 * `window` within one. After an error nothing changes.
 * Cost: a copy of the bodies.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_accept(dem_world *world,
                         dem_error *error);

/**
 * Abandons the step in any phase. The state is then the same as before `dem_world_begin`, to the bit, but loads that the program has set since then
 * stay. A window that is under way ends at the last accepted step; its mean wrenches are 0. The world has no contacts until the next step finds
 * some.
 *
 * In later reports, works and energies that were sums over the last window are those of its last step.
 *
 * Outputs: `world`.
 * Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` where there is neither a step nor a window. After an error nothing
 * changes.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_abandon(dem_world *world,
                          dem_error *error);

/**
 * Advances the world over a window of time, in equal steps, and accepts each step. A step in which bodies would approach too fast is divided, into
 * up to 2^20 steps (`dem_world_advance_step` returns after each one). The loads of the program are constant over the window. `mean_wrenches` of
 * `dem_world_view` has the mean force and torque of contacts on each body.
 *
 * Outputs: `world`.
 * Inputs: `length`: of the window; `most_dt`: of a step, at most; both larger than 0. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_poll`; `DEM_ERROR_NULL` about `interactions`: there are none; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE`
 * about `length` and `most_dt`; `DEM_ERROR_UNSUPPORTED` where a step is under way; `DEM_ERROR_MISMATCH` about `window`: another one is under way;
 * `DEM_ERROR_TOO_LARGE` about `dt`: a step would be divided into more than 2^20. After `DEM_ERROR_CAPACITY` the window is under way: with more room
 * the same call continues it, with the same result; `dem_world_abandon` ends the window at the last accepted step. Any other error ends the window
 * there, too: an error in the first step leaves the state as it was before the call. After `DEM_ERROR_BUSY` about `shapes`, restore a copy: steps of
 * this call may have seen a shape while it changed.
 * Cost: that of the steps.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_poll`.
 */
int32_t dem_world_advance(dem_world *world,
                          const dem_world_query *query,
                          double length,
                          double most_dt,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/**
 * Takes the next step of a window; the first call begins the window. All calls together do what dem_world_advance does in one call.
 * dem_world_advance can also take all remaining steps of a window that was begun in this way. The world needs records. In a world of balls and
 * half-spaces alone, where dem_world_advance needs no records, sums are rounded otherwise.
 *
 * Between calls the program may refit meshes whose vertices move (`surfaces` of the query) to the vertex positions at `time` of dem_world_slots. It
 * may read contacts of meshes and their forces, and the loads on vertices (dem_scene_loads). The mean load of the window is the sum of the loads of
 * each step times its `dt`, divided by the length of the window. The program must not change bodies and loads of the world until the window is
 * complete.
 *
 * Outputs: `dt`: the length of the step, at most `most_dt`: less where it was divided. `complete`: 1 if it was the last step of the window, else 0.
 * `world`.
 * Inputs: as for `dem_world_advance`, the same in all calls of a window.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_advance`; `DEM_ERROR_NULL` about outputs; `DEM_ERROR_CAPACITY` about `contacts` if the world has no records.
 * Cost: that of the step.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_poll`.
 */
int32_t dem_world_advance_step(dem_world *world,
                               double *dt,
                               uint32_t *complete,
                               const dem_world_query *query,
                               double length,
                               double most_dt,
                               void *scratch,
                               size_t scratch_size,
                               dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Springs of a law of the program.
 *
 * Springs follow their contacts. If contacts join or split, the springs that dem_world_law gives are means, and means lose moments. For example, two
 * feet that turn on the ground have springs of sliding whose mean is zero. If both contacts join, their moment must go to the torsion of the joined
 * contact.
 *
 * At DEM_WANT_LAW, dem_world_taken_over tells for each contact what has joined or split. dem_springs_take_over computes from it the springs with
 * which the laws of the library begin the step:
 *
 *   dem_world_taken_over(world, taken, law.count, NULL, &error);
 *   for each contact c, with its items of law.springs and of taken: dem_springs_take_over(&springs, &item, c.normal, sqrt(c.area / 6), 1, &error);
 *
 * A law that divides by area and has no torsion needs `joined_mean` alone.
 */

/** What a contact takes over from contacts that have joined into it, or from one of which it is a part. All zeros if it simply continues. */
typedef struct dem_taken_over {
    /** If `has_joined`: the mean of the springs of sliding of the contacts that have joined, by area. (Those of dem_world_law are means by force.) */
    double joined_mean[3];
    /**
     * The moment of these springs about the mean of their places, along the normal: the sum of weight times the cross product arm x spring. A length
     * squared.
     */
    double joined_moment[3];
    /** The mean square of these arms, each across the normal: a length squared. */
    double joined_square;
    /** If the contact is a part of one that has split: the vector from the mean of the places of all parts to its own place, across the normal. */
    double split_arm[3];
    /** The mean square of these arms over all parts; 0 for contacts that have not split. */
    double split_square;
    /** The mean over all parts of the mean square distance of the pressure from the place of each. */
    double split_own;
    /** 1: contacts have joined into it; else 0. */
    uint32_t has_joined;
    /** 1: it continues no contact of the last step, though it may have springs of a neighbour; else 0. */
    uint32_t begins;
} dem_taken_over;

/**
 * Tells a law of the program, at `DEM_WANT_LAW`, what each contact takes over where contacts have joined or split.
 *
 * Outputs: `taken`: packed, one for each contact of `dem_world_contacts`; `capacity`: for how many there is room.
 * Inputs: `world`. `tasks` (may be null): threads of the program.
 * Memory: `taken` must not overlap the world.
 * Errors: those of the world; `DEM_ERROR_NULL` and `DEM_ERROR_MISALIGNED` about `output`; `DEM_ERROR_CAPACITY` about `output`: `needed` contacts;
 * `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` about `step of the world` at any other point of the step.
 * Cost: some tens of nanoseconds a contact; for each that joins or splits, also some walks over the nodes of its pair.
 * Threads: any number at a time; nobody may change the world during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_world_taken_over(dem_taken_over *taken,
                             size_t capacity,
                             const dem_world *world,
                             const dem_tasks *tasks,
                             dem_error *error);

/**
 * Computes the springs of sliding and of torsion with which the laws of the library begin a step. Where contacts have joined or split, the new
 * springs keep the force and the moment of the old springs, and have no more energy. For all other contacts nothing changes.
 *
 * The laws of the library do two more things. A contact with `begins` 1, and with `has_joined` and `split_own` 0, would copy the spring of its
 * neighbour; they set both of its springs to 0. And they keep the energy of each contact's spring while its part of the area of its pair changes. On
 * walls whose vertices move, the vectors of `taken` are turned by poses.
 *
 * The spring of torsion is a length: the angle times `reach` times the root of `torsion`.
 *
 * Outputs: `springs`: those of `dem_world_law`; the first two vectors change.
 * Inputs: `taken`: that of the contact. `normal`: of the contact. `reach`: the root of the mean square distance of the pressure from the axis of the
 * contact, 0 or more; that of a square is the root of a sixth of its area. `torsion`: as in `dem_interaction`, 0 or more; usually 1.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` about `springs` (number of the `component`), `taken`, `normal`, `reach` and `torsion`;
 * `DEM_ERROR_OUT_OF_RANGE` about `reach` and `torsion`. After an error nothing changes.
 * Cost: about a tenth of a microsecond.
 */
int32_t dem_springs_take_over(dem_springs *springs,
                              const dem_taken_over *taken,
                              const double *normal,
                              double reach,
                              double torsion,
                              dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * The content of worlds.
 *
 * Bodies, forces, springs and contacts, read in place in the world's block; and numbers of a step: energies, momenta, whether steps are
 * short enough.
 */

/** An event: two bodies begin or cease to touch in one of the steps of a window. */
typedef struct dem_pair_event {
    /** Ids of A and B; that of A is the smaller one. */
    uint64_t ids[2];
    /** Their slots. */
    uint32_t bodies[2];
    /** `DEM_EVENT_BEGIN` or `DEM_EVENT_END`. */
    uint32_t what;
    /** 0. */
    uint32_t reserved;
    /** Time of the event: the start of a step. */
    double time;
} dem_pair_event;

/**
 * The content of a world, in its block. It is valid until the next call that changes the world. No pointer is null, except those whose comments say
 * so.
 */
typedef struct dem_world_slots {
    /** The accepted state of each slot; free ones are static. */
    const dem_body *bodies;
    /** The new states of the bodies after the step, at `DEM_WANT_DONE`. */
    const dem_body *moved;
    /** Ids of the bodies. */
    const uint64_t *ids;
    /** Indices in the table of shapes. */
    const uint32_t *shapes;
    /** Numbers of their materials. */
    const uint32_t *materials;
    /** Scales: factors of all lengths. */
    const double *scales;
    /** The program's loads. */
    const dem_wrench *loads;
    /**
     * The sum of contact forces and torques on each slot, from the step that computed them last, even if it was abandoned. Null in a world
     * without room for contacts.
     */
    const dem_wrench *wrenches;
    /**
     * The mean of `wrenches` over the window of `dem_world_advance`. For a dynamic body it is the change of momentum over the length of the window,
     * less loads and weight, with the rounding of these. Null if `wrenches` is null, and after a window that began in a world
     * without room for contacts.
     */
    const dem_wrench *mean_wrenches;
    /** Number of slots; `moved` has them only at `DEM_WANT_DONE`. */
    size_t count;
    /** Force and torque on A at each contact of `dem_world_contacts`; those on B are the opposite. */
    const dem_wrench *acts;
    /** Number of these. */
    size_t act_count;
    /** The data that each contact of the accepted step keeps. */
    const dem_springs *springs;
    /** Number of these. */
    size_t spring_count;
    /** Time of the accepted state. */
    double time;
    /** Number of accepted steps. */
    uint64_t steps;
    /** Phase of the step: one of `DEM_PHASE_*`. */
    uint32_t phase;
    /** Number of bodies: slots that are not free. */
    uint32_t bodies_there;
    /** The pair that approaches fastest, among the pairs that the step has checked. */
    dem_too_fast too_fast;
    /** Bytes from one body to the next, in the library that runs. */
    size_t body_stride;
    /** Bytes from one to the next of loads, wrenches and acts. */
    size_t wrench_stride;
    /** Bytes from one of `springs` to the next. */
    size_t spring_stride;
    /** Bytes from one event to the next. */
    size_t event_stride;
    /**
     * In a world that watches (`watch` of dem_world_setup): the pairs of bodies that began or ceased to touch in the last window, or in
     * the last step that was polled. They are in the order of steps, then of ids. A pair that began and ended has both events. Two bodies
     * are one pair, through however many periodic images they touch; a body and its own images are a pair, too. Bodies that were removed
     * have no events.
     */
    const dem_pair_event *events;
    /** Number of events. */
    size_t event_count;
} dem_world_slots;

/** Numbers of a step, or of the window that `dem_world_advance` went over. */
typedef struct dem_world_report {
    /** Time of the accepted state. */
    double time;
    /** Length of the step that was begun last. */
    double dt;
    /** Accepted steps. */
    uint64_t steps;
    /** Contacts of the last step. */
    uint64_t contacts;
    /** Pairs of bodies in contact. Each periodic image is one of its own. */
    uint64_t pairs;
    /** Mass of all dynamic bodies. */
    double mass;
    /** Mass times position, about the origin. */
    double first[3];
    /** Mass times velocity. */
    double momentum[3];
    /** Angular momentum about the origin, spins included. */
    double angular_momentum[3];
    /** Kinetic energy of centres of mass. */
    double translation;
    /** Kinetic energy of rotations. */
    double rotation;
    /** Potential energy of gravity, 0 at the origin. */
    double potential;
    /** Work of contacts and loads on dynamic bodies in the last step, or in the last window. */
    double work;
    /** Work of gravity. */
    double gravity_work;
    /** Energy stored by normal forces at the start of the last step. */
    double stored_normal;
    /** Energy stored by springs of friction, torsion and rolling. */
    double stored_tangential;
    /** Energy that damping has dissipated in the last step, or in the last window. */
    double damped;
    /** Energy that friction has dissipated, likewise: the work done against it, less the growth of the energy of the springs of all contacts. */
    double rubbed;
    /** The smallest gap of all contacts; infinite if there are none. */
    double least_gap;
    /**
     * The fastest approach at a contact of the last step in its `dt`, over the halo, by the velocities at the end of that step. Up to 0.1 is
     * accurate.
     */
    double approach;
    /** Slots of the two bodies with this approach. */
    uint32_t approaching[2];
    /**
     * A bound for the largest angular frequency of all bodies; 0 if the law tells no stiffness. A step is stable if `frequency dt` is
     * below 2, and accurate at 0.2. Damping is not in it: a strong dashpot and a `lag` need shorter steps
     * (`dem_stable_step`).
     */
    double frequency;
    /** The slot of the body with this frequency. */
    uint32_t stiffest;
    /** The slot of the other body at the contact that adds most to this frequency. */
    uint32_t stiffest_partner;
    /** The result of the check for pairs that approach too fast. */
    dem_too_fast too_fast;
    /**
     * Sum over the contacts of dynamic bodies: the vector from the body's centre of mass to the contact times the force on the body.
     * Component i of the vector times component j of the force is number 3 i + j. Divided by the volume of a packing, this is its mean
     * stress, negative under compression.
     */
    double virial[9];
    /**
     * Coordination number: the mean number of other bodies with which a dynamic body exchanges forces. Each counts once, through however many
     * contacts and periodic images; a body's own images do not count.
     */
    double coordination;
    /**
     * The smallest gap in all steps of the last window, in a world that watches (`watch` of dem_world_setup); else in the last step. If it is far
     * below 0, bodies may have passed through each other.
     */
    double window_gap;
    /** The fastest approach in all these steps, by the velocities at the start of each; `approach` in a world that does not watch. */
    double window_approach;
    /** Slots of the two bodies with this approach. */
    uint32_t window_approaching[2];
    /** Likewise all bits of `status` of contacts. */
    uint32_t window_status;
    /** 0. */
    uint32_t reserved_2;
    /** Ids of the two bodies with `least_gap`; zeros if there are no contacts. `dem_world_find` has their handles. */
    uint64_t deepest[2];
    /** The part of `work` that is by loads. */
    double load_work;
    /** Work that kinematic bodies, belts and ghosts do at contacts by their velocities, with that of the vertices of `surfaces`. */
    double driven_work;
    /**
     * The error of the energy balance: the growth of kinetic energy and of energy stored, plus what damping and friction have dissipated, less the
     * works of gravity, loads and driven bodies. Its causes are the length of the step, and laws whose forces have no energy. Energies of cohesion
     * and others that the law does not report count here, too. What normal forces store after a step is known in the next one. So
     * this error covers the time from the last step with records of all contacts before this step or window to the last such step in it. It is 0 for
     * the first step and for a window without records. It is also 0 for the first step after the program has added, removed or moved bodies, or
     * changed periods or materials. Kinematic bodies and ghosts are expected where their velocities lead. Other moves of them, another table of
     * interactions, and meshes of another form count as spurious.
     */
    double spurious;
} dem_world_report;

/**
 * Gives pointers to the bodies, forces and springs of a world.
 *
 * Outputs: `slots`: the function writes `slots_size` bytes, at most `sizeof(dem_world_slots)`. They contain pointers into the world's
 * block, valid until the next call that changes the world.
 * Inputs: `slots_size`: `sizeof(dem_world_slots)`. `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`.
 * Cost: a pass over the slots, which counts the bodies.
 * Threads: any number at a time.
 */
int32_t dem_world_view(dem_world_slots *slots,
                       size_t slots_size,
                       const dem_world *world,
                       dem_error *error);

/**
 * The contacts of the step or of the last accepted one, as in scenes, at the positions of the start of the step. None after
 * `dem_world_abandon`. `a` and `b` of their pairs are slots.
 *
 * Outputs: `view`: the function writes `view_size` bytes, at most `sizeof(dem_scene_contacts)`. They contain pointers into the world's
 * block, valid until the next call that changes the world.
 * Inputs: `view_size`: `sizeof(dem_scene_contacts)`. `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`.
 * Cost: about 0.6 microseconds.
 * Threads: any number at a time.
 */
int32_t dem_world_contacts(dem_scene_contacts *view,
                           size_t view_size,
                           const dem_world *world,
                           dem_error *error);

/**
 * The scene in a world, for calls that read a scene: `dem_scene_view`, `dem_scene_wrenches`, `dem_scene_velocities`, `dem_scene_motions` and
 * `dem_scene_loads` with their scratch functions, `dem_scene_events`, `dem_scene_carry`. (`dem_scene_events` has those of the last step alone;
 * `events` of `dem_world_view` has those of all steps of a window.)
 * So at `DEM_WANT_LAW`, a law of the program can compute the loads on the vertices of a wall that a flow moves. (How surfaces move is in `meetings`;
 * `dem_scene_motions` computes the same.) Bodies of that scene are slots. It has no margin. `dem_world_corners` computes corners.
 *
 * Inputs: `world`.
 * Returns: `world` itself, as the pointer that these calls take. Calls that would change the scene refuse it (`DEM_ERROR_UNSUPPORTED`).
 * Null for null.
 * Errors: none; those calls check the world.
 * Cost: none.
 * Threads: any number at a time.
 */
const dem_scene *dem_world_scene(const dem_world *world);

/**
 * Measures a world: energies, works, momenta, the deepest gap, and whether steps are short enough.
 *
 * Outputs: `report`: the function writes `report_size` bytes, at most `sizeof(dem_world_report)`.
 * Inputs: `report_size`: `sizeof(dem_world_report)`. `world`. `tasks` (may be null): threads of the program.
 * Errors: those of the world; `DEM_ERROR_NULL`.
 * Cost: a pass over bodies and contacts.
 * Threads: any number at a time.
 * Determinism: the same bits with any number of threads.
 */
int32_t dem_world_measure(dem_world_report *report,
                          size_t report_size,
                          const dem_world *world,
                          const dem_tasks *tasks,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Rays at worlds.
 *
 * Where rays meet bodies of a world, between steps and within one.
 */

/**
 * Finds which body of a world each ray meets first, and where, at the positions of the accepted state.
 *
 * Outputs: `hits`: packed, one for each ray; `t` is infinite if the ray meets nothing; `body` is a slot. Of several bodies at the same distance, the
 * one with the smallest id is the hit.
 * Inputs: `world`: not changed. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`; no interactions are needed. A ray meets bodies with a
 * group in its `mask`, and no periodic images. `rays`, `count`: packed.
 * Memory: hits, scratch and world must not overlap each other nor anything else.
 * Errors: those of `dem_world_poll` about the world, shapes and scratch; those of `dem_scene_cast` about rays and hits. After an error the content
 * of `hits` is undefined. `DEM_ERROR_BUSY` about `shapes`: a shape was changed during the call; a step under way begins again with its next poll.
 * Cost: that of `dem_scene_cast`.
 * Threads: any; nobody may use the world during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_world_cast(dem_world *world,
                       dem_ray_hit *hits,
                       const dem_world_query *query,
                       const dem_ray *rays,
                       size_t count,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * Finds all points where rays meet bodies of a world, at the positions of the accepted state.
 *
 * Outputs: `hits`, `ends`: as for `dem_scene_cast_all`; `body` is a slot.
 * Inputs: those of `dem_world_cast`. `capacity`: records that `hits` has room for.
 * Memory: hits, ends, scratch and world must not overlap each other nor anything else.
 * Errors: those of `dem_world_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. After an error the content of `hits` and `ends` is
 * undefined.
 * Cost: that of `dem_scene_cast_all`.
 * Threads: any; nobody may use the world during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_world_cast_all(dem_world *world,
                           dem_ray_hit *hits,
                           size_t capacity,
                           uint64_t *ends,
                           const dem_world_query *query,
                           const dem_ray *rays,
                           size_t count,
                           void *scratch,
                           size_t scratch_size,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Worlds that grow.
 *
 * A program with an allocator gives the world a dem_block with a function that gets memory; for malloc, dem_heap.h has this function. The program
 * then needs no sizes and no scratch.
 *
 *   dem_block world = dem_heap();
 *   dem_world_build(&world, &setup, &error);
 *   dem_world_insert(&world, &handle, &member, &error);              for each body, at any time between steps
 *   dem_world_run(&world, &query, 0.02, 1e-3, &error);               or dem_world_begin and dem_world_next, phase by phase
 *   dem_free(&world);
 *
 * dem_world_in(&world) is the handle, for all functions that take a world. Only functions of this chapter may move the world to a larger block: call
 * dem_world_in again after each of them. A snapshot is a copy of the first dem_world_size bytes, and memcpy(world.start, snapshot, size) restores
 * it. Blocks never shrink, so the snapshot always fits.
 */

/**
 * Makes an empty world, in memory that the library gets from the program.
 *
 * Outputs: `world`: `start` is the world, in `size` bytes.
 * Inputs: `world`: its `resize`, and memory of earlier calls, if any, which is used again if it is large enough. `setup` (may be null): the settings
 * for all steps; no gravity and no periods by default. With DEM_RECORDS_NONE the world takes no memory for records until a step needs some.
 * Memory: as for `dem_world_init`. The old content of the memory is lost.
 * Errors: those of `dem_world_set_up`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed: there is no function that gets memory, or it
 * returned none; `DEM_ERROR_MISALIGNED`: the memory that it returned.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_build(dem_block *world,
                        const dem_world_setup *setup,
                        dem_error *error);

/**
 * Adds a body as `dem_world_add` does, in a world that grows if it is full.
 *
 * Outputs: `world`; `handle` (may be null).
 * Inputs: `world`: its `resize`, and the world. `member`.
 * Errors: those of `dem_world_add`; `DEM_ERROR_CAPACITY` about `block` and `DEM_ERROR_MISALIGNED` as for `dem_world_build`. Without a function that
 * gets memory `DEM_ERROR_CAPACITY` as for `dem_world_add`. After an error nothing changes.
 * Cost: some nanoseconds; a copy of the world if it grows, by half of its room.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_insert(dem_block *world,
                         uint64_t *handle,
                         const dem_member *member,
                         dem_error *error);

/**
 * Advances the world over a window of time as `dem_world_advance` does. The world gets more room and scratch from the program when needed.
 *
 * Outputs: `world`.
 * Inputs: `world`: its `resize`, and the world. `length`, `most_dt`: as for `dem_world_advance`. `query`: `pairs` and `pair_contacts` need not be
 * set.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_advance`; `DEM_ERROR_CAPACITY` about `block`: the function that gets memory returned none; `DEM_ERROR_MISALIGNED`: the
 * memory that it returned. After `DEM_ERROR_CAPACITY` the window is still open, as for `dem_world_advance`.
 * Cost: that of the steps. If there is too little room, the world becomes a quarter larger than needed, and the phase continues without computing
 * again the contacts that had room. The new sizes are kept. The function that gets memory must not change anything that the query refers to.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_poll`; the amount of room changes no bit.
 */
int32_t dem_world_run(dem_block *world,
                      const dem_world_query *query,
                      double length,
                      double most_dt,
                      dem_error *error);

/**
 * Takes the next step of a window as `dem_world_advance_step` does. The world gets more room and scratch from the program when needed.
 *
 * Outputs: `dt`, `complete`: as for `dem_world_advance_step`. `world`.
 * Inputs: as for `dem_world_run`, the same in all calls of a window.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_run`; `DEM_ERROR_NULL` about outputs.
 * Cost: that of the step, and of growing as for `dem_world_run`.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_run`.
 */
int32_t dem_world_run_step(dem_block *world,
                           double *dt,
                           uint32_t *complete,
                           const dem_world_query *query,
                           double length,
                           double most_dt,
                           dem_error *error);

/**
 * Does one phase of a step as `dem_world_poll` does. The world gets more room and scratch from the program when needed.
 *
 * Outputs: `want`: one of `DEM_WANT_*`. `world`.
 * Inputs: `world`: its `resize`, and a world in which a step has begun (`dem_world_begin`). `query`: the same in all phases of a step; `pairs` and
 * `pair_contacts` need not be set.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_poll`, and those of `dem_world_run` about the block. After an error the step is in the same phase as before.
 * Cost: that of `dem_world_poll`, and of growing as for `dem_world_run`.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_run`.
 */
int32_t dem_world_next(dem_block *world,
                       uint32_t *want,
                       const dem_world_query *query,
                       dem_error *error);

/**
 * How many bytes a world takes, without the scratch after it. Copy this many bytes for a snapshot.
 *
 * Outputs: `size`: bytes.
 * Inputs: `world`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`.
 * Cost: none.
 */
int32_t dem_world_size(size_t *size, const dem_world *world, dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Overlaps in worlds.
 *
 * Bodies that overlap at the start are pushed apart by large forces, and fly away. dem_world_overlaps tells which bodies overlap, before the first
 * step. With `pairs`, an array of 64 dem_scene_pair:
 *
 *   dem_world_overlaps(&world, pairs, 64, sizeof *pairs, &count, &query, &error);
 */

/**
 * Lists the pairs of bodies that overlap in the accepted state, the deepest first. `least_gap` of a pair is minus its depth: how far surfaces are
 * behind each other. If the contacts of a pair have `DEM_CONTACT_IS_LEAST_TRANSLATION`, the depth is about the smallest translation that separates
 * the two bodies.
 *
 * The call begins a step, finds contacts and takes the step back. Bodies and later steps do not change.
 * With `DEM_RECORDS_NONE` a world keeps the room for records that it has got for the call.
 *
 * Afterwards the world has no contacts until the next step finds some, and no events of the last window. The same holds after an error during the
 * search for contacts. The report then has 1e-30 as `dt`; its works and energies that were sums over the last window, such as `spurious`, are those
 * of the last step of this window.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0: packed); of each pair, `a` and
 * `b` are slots, and `end` less `first` is the number of its contacts. `count` (may be null): how many pairs overlap, even if they are more than
 * `capacity`; 0 if the number is not known. With a `capacity` of 0, DEM_OK tells that no bodies overlap. `world`: it may move to a larger block, as
 * by `dem_world_run`.
 * Inputs: `world`: its `resize`, and the world, between steps; or a world that the program has made (`dem_world_init`) in `size` bytes, without a
 * function: the bytes after the world are then scratch. `query`: with the shapes; no interactions are needed. `pairs` and `pair_contacts` of the
 * query need not be set if the world grows.
 * Memory: records must not overlap the block nor anything else.
 * Errors: those of `dem_world_begin`, and those of `dem_world_next` that are not about interactions.
 * After an error no step is under way, except for one that was so before (`DEM_ERROR_UNSUPPORTED`).
 * `DEM_ERROR_CAPACITY` about `output`: more pairs overlap, with the exact number; then no record is written.
 * `DEM_ERROR_CAPACITY` about `scratch`, without a function that gets memory: it may come twice in a row.
 * `DEM_ERROR_NULL` and `DEM_ERROR_MISALIGNED` about `output`: `pairs` or `stride`.
 * `DEM_ERROR_TOO_LARGE` about `dt`: two bodies are so fast that they would pass through each other even in a step of 1e-30.
 * `DEM_ERROR_BUSY` about `shapes`, as for `dem_world_poll`: records may be written already, and have no meaning.
 * Cost: that of finding the contacts of one step, and of growing as for `dem_world_run`.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_run`.
 */
int32_t dem_world_overlaps(dem_block *world,
                           dem_scene_pair *pairs,
                           size_t capacity,
                           size_t stride,
                           size_t *count,
                           const dem_world_query *query,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Corners of worlds.
 *
 * The corners of all contacts of a step of a world, as by dem_scene_corners and dem_scene_manifolds for a scene.
 */

/**
 * Finds the corners of all contacts of the step or of the last accepted one (none after `dem_world_abandon`), ordered by contact: at least one for
 * each.
 *
 * Outputs: `corners` (may be null if `capacity` is 0): packed; `contact` is the index of the contact in `contacts` of `dem_world_contacts`, `order`
 * counts from 0 in each contact; at the positions at the start of the step. `count` (may be null): how many there are, even if they are more than
 * `capacity`; 0 if the number is not known.
 * Inputs: `world`: not changed. `most`: the most corners of each contact; 0: four, the most important ones; `SIZE_MAX`: all corners. `query`: with
 * the shapes of the step; no interactions are needed. Its `pairs` is the room of each thread for triangle pairs of two bodies, its `tasks` are the
 * threads. `scratch`, `scratch_size`: at any alignment; usually the scratch of polls is enough. With less scratch, down to the need of one thread,
 * fewer threads work.
 * Memory: corners, scratch and world must not overlap each other, nor anything else.
 * Errors: those of `dem_world_poll` about the world, shapes and scratch; `DEM_ERROR_MISMATCH` about `ids`: the body in this slot was removed after
 * the step, so call this function before you remove bodies; `DEM_ERROR_CAPACITY` about `output`, with the exact number, about `pairs` (in the query)
 * with a number that is enough for the pair of bodies that needs most. After an error no corner is written. `DEM_ERROR_BUSY` about `shapes`: a shape
 * was changed during the call; a step under way begins again with its next poll.
 * Cost: that of `dem_scene_corners`.
 * Threads: any; nobody may use the world during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_world_corners(dem_world *world,
                          dem_contact_corner *corners,
                          size_t capacity,
                          size_t *count,
                          const dem_world_query *query,
                          size_t most,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/**
 * As `dem_world_corners`, in memory that the library gets from the program.
 *
 * Outputs: `corners`: `start` is a list of `count` records `dem_contact_corner`; the next call uses the memory again. `dem_corners_in` gives the
 * pointer to the list.
 * Inputs: `world`: its `resize`, and the world, whose block grows if there is too little scratch after it. `corners`: its `resize`. `most`, `query`:
 * as for `dem_world_corners`; `pairs` need not be set.
 * Memory: as for `dem_world_corners`.
 * Errors: those of `dem_world_corners`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed, `DEM_ERROR_MISALIGNED` and `DEM_ERROR_OVERLAP` as
 * for `dem_world_run`, about either block.
 * Cost: that of `dem_world_corners`; twice that if there is too little room for the corners.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_corners`.
 */
int32_t dem_world_manifolds(dem_block *world,
                            dem_block *corners,
                            size_t *count,
                            const dem_world_query *query,
                            size_t most,
                            dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Bodies that go to other worlds.
 *
 * If a space is divided among processes, each process has a world of its own, which owns some of the bodies. Nearby bodies of other processes are
 * ghosts in this world (DEM_MOTION_GHOST). A body has the same id in all worlds. Before each step, the program copies the states of owned bodies to
 * their ghosts in other worlds (dem_world_set_body). Each world then finds all contacts of its own bodies, and the motion has the bits of a run with
 * one world.
 *
 * If a body moves to another process, dem_world_set_body makes its ghost there dynamic, and makes the body here a ghost. The springs of its contacts
 * must move, too: dem_world_pack_springs writes them as bytes, and dem_world_unpack_springs reads them.
 *
 *   dem_world_pack_springs(here, bytes, capacity, &count, leaving, leaving_count, &error);
 *   ... send count bytes ...
 *   dem_world_set_body, dem_world_add, dem_world_remove ...                       until all bodies and ghosts are there
 *   dem_world_unpack_springs(there, NULL, bytes, count, &error);
 */

/**
 * Finds the body with an id.
 *
 * Outputs: `handle`.
 * Inputs: `world`. `id`.
 * Errors: those of the world; `DEM_ERROR_NULL`. If there is no such body, the function returns `DEM_NONE` and does not change `handle`.
 * Cost: some nanoseconds; a comparison with all ids if the world has grown since a body with an id was added or removed.
 */
int32_t dem_world_find(uint64_t *handle,
                       const dem_world *world,
                       uint64_t id,
                       dem_error *error);

/**
 * Writes as bytes what the next step needs of the contacts of some bodies: springs, and data to match the contacts. Bodies are identified by ids, so
 * any world with bodies of the same ids may read the bytes.
 *
 * Outputs: `bytes` (may be null if `capacity` is 0), at any alignment: records, one for each pair of bodies, 344 bytes for two balls. A program may
 * concatenate the bytes of several calls and processes in any order, and they may contain a pair twice. `count` (may be null): how many bytes there
 * are, even if they are more than `capacity`.
 * Inputs: `world`: its later steps are not changed. `handles`, `handle_count`: own bodies or ghosts.
 * Memory: the bytes must not overlap the world.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_CAPACITY` about `output`; `DEM_ERROR_OVERLAP`;
 * `DEM_ERROR_UNSUPPORTED` within a step. After an error the content of `bytes` is undefined.
 * Cost: a pass over all pairs of bodies in contact, so call it once for all bodies that go to the same process.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_pack_springs(dem_world *world,
                               uint8_t *bytes,
                               size_t capacity,
                               size_t *count,
                               const uint64_t *handles,
                               size_t handle_count,
                               dem_error *error);

/**
 * Reads bytes that `dem_world_pack_springs` wrote in other worlds. The next step continues the contacts of these pairs as if this world had found
 * them.
 *
 * Outputs: `world`: the records replace its own data of the same pairs. Springs of removed bodies are discarded. Until the next step, the world
 * shows no contacts. `pairs` (may be null): the number of pairs of which both bodies are in this world; other pairs are left out. So add all bodies
 * of the next step first, including ghosts. A world without room for records (`DEM_RECORDS_NONE`) takes only springs that a world kept with pairs of
 * balls. All others need this room, also those of balls after a step that the program polled.
 * Inputs: `bytes`, `count`: records, at any alignment.
 * Memory: the bytes must not overlap the world.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_DAMAGED` about `springs`, with the byte of the record as `index`; `DEM_ERROR_CAPACITY`
 * about `contacts`, `nodes` and `candidates` (`dem_world_grow`; `short_of` has all); `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` within a step.
 * After an error nothing changes.
 * Cost: a copy of the world's data of contacts, and a sort of the records. So call it once for all records.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_unpack_springs(dem_world *world,
                                 size_t *pairs,
                                 const uint8_t *bytes,
                                 size_t count,
                                 dem_error *error);

/**
 * As `dem_world_unpack_springs`, in a world that grows if it has too little room.
 *
 * Outputs: `world`; `pairs` (may be null).
 * Inputs: `world`: its `resize`, and the world. `bytes`, `count`.
 * Memory: the bytes must not overlap the block.
 * Errors: those of `dem_world_unpack_springs`; `DEM_ERROR_CAPACITY` about `block` and `DEM_ERROR_MISALIGNED` as for `dem_world_build`. After an
 * error nothing changes.
 * Cost: that of `dem_world_unpack_springs`; a copy of the world if it grows.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_take_springs(dem_block *world,
                               size_t *pairs,
                               const uint8_t *bytes,
                               size_t count,
                               dem_error *error);

/**
 * The defaults of `dem_world_setup`.
 */
static inline dem_world_setup dem_world_setup_default(void) {
    dem_world_setup setup;
    (void)dem_defaults(&setup, sizeof setup, DEM_DEFAULT_WORLD_SETUP, NULL);
    return setup;
}

/**
 * The defaults of `dem_member`.
 */
static inline dem_member dem_member_default(void) {
    dem_member member;
    (void)dem_defaults(&member, sizeof member, DEM_DEFAULT_MEMBER, NULL);
    return member;
}

/**
 * The defaults of `dem_world_query`.
 */
static inline dem_world_query dem_world_query_default(void) {
    dem_world_query query;
    (void)dem_defaults(&query, sizeof query, DEM_DEFAULT_WORLD_QUERY, NULL);
    return query;
}

/**
 * The defaults of `dem_world_desc`, with room for `bodies` bodies.
 */
static inline dem_world_desc dem_world_desc_default(uint32_t bodies) {
    dem_world_desc desc;
    (void)dem_defaults(&desc, sizeof desc, DEM_DEFAULT_WORLD_DESC, NULL);
    desc.bodies = bodies;
    return desc;
}

/**
 * An elastic force alone, without damping, friction and cohesion. `normal` is one of `DEM_NORMAL_*`, and `stiffness` has the unit that it
 * needs. Both are checked when the table is used, and by `dem_interactions_check`.
 */
static inline dem_interaction dem_interaction_default(uint32_t normal, double stiffness) {
    dem_interaction interaction = {normal, DEM_DAMPING_NONE, DEM_COHESION_NONE, 0, stiffness, 0, 0, 2.0 / 7.0, 0, 1, 0, 0};
    return interaction;
}

/**
 * The world in a block.
 */
static inline dem_world *dem_world_in(const dem_block *block) {
    return (dem_world *)block->start;
}

/**
 * The body in a slot of a view, with `slot` below `count`. It uses the stride of the library that runs, which may be newer than the header.
 */
static inline const dem_body *dem_slot_body(const dem_world_slots *slots, size_t slot) {
    return (const dem_body *)(const void *)((const char *)(const void *)slots->bodies + slot * slots->body_stride);
}

#ifdef __cplusplus
}
#endif

#endif /* DEM_WORLD_H */
