/*
 * dem: contact detection and motion of rigid bodies: triangle meshes (non-convex, open, badly made), spheres, capsules,
 * half-spaces and compounds of these, of any size ratio.
 *
 * This header is the manual of shapes and scenes. It includes only <stddef.h> and <stdint.h>, and works from C11, C++17
 * and Fortran: dem.f90 beside it is the module `dem`, with all types, constants and functions of all headers.
 * It is made from the library's source: do not edit it. Other headers include it:
 *
 *   dem_world.h    bodies that move: force laws, time steps
 *   dem_pair.h     contacts of two bodies at a time, for a program that finds pairs of near bodies itself
 *   dem_mesh.h     one mesh or two: defects, mass, points, distances; boxes and cylinders
 *   dem_broad.h    broad phases only: which of many spheres are near each other
 *   dem_papers.h   distances of single triangles, points and segments, by methods of published papers
 *   dem_heap.h     memory by malloc, for functions that take a dem_block
 *
 * CONTENTS, chapter by chapter
 *   Versions
 *   Status and errors
 *   Memory
 *   Arrays
 *   Defaults of structs
 *   Instruction sets
 *   Threads
 *   Shapes
 *   Bodies: spheres, capsules, half-spaces, meshes and compounds of these
 *   Contacts: what forces act on
 *   Scenes
 *   Contacts of a scene
 *   Room for the first step of a scene
 *   Memory that grows
 *   Phases of a step of a scene
 *   From one step of a scene to the next
 *   How fast surfaces of a scene move in contact
 *   Loads on the vertices of a wall
 *   Corners of a scene
 *   Ray casts
 *   The library without an operating system
 *
 * CONVENTIONS
 *   Every name begins with dem_ or DEM_. Arguments come in this order: the memory or the object that the call makes or changes;
 *   outputs; inputs, among them objects that are only read; numbers; scratch; `error`. The size of something (capacity, stride, count)
 *   comes right after it, and the `handle` of a body right after its world.
 *   A program may use any consistent set of units. Angles are in radians, quaternions are x y z w.
 *   Flags, kinds and options are integers of fixed width, and are checked. Structs have no padding; fields called `reserved`
 *   are 0.
 *   Structs of inputs that may grow begin with `struct_size`. Functions dem_..._default return them with defaults, and so does dem_defaults,
 *   which takes `sizeof` the struct. So, with the same DEM_ABI_VERSION, a program works with a newer library, and with an older library if
 *   it sets no field that the older library does not know (DEM_ERROR_BAD_SIZE).
 *   Arrays are read and written in place, through strides in bytes: arrays of structs, structures of arrays, Fortran's
 *   a(3,n) and a(n,3), in float or double, at any alignment.
 *   Structs of later versions may have more fields at their end. So arrays of such structs have a stride, and the library gives the strides of its
 *   own lists: use them. In lists of structs, a stride of 0 means the size of the struct in version 0.1; a program that is built with a later
 *   header passes sizeof. The library writes only the fields that both sides know. Fields that an older
 *   program does not have count as 0. Structs in arrays without a stride never change.
 *
 * MEMORY
 *   The caller owns all memory. The library never allocates, and keeps no pointer beyond a call. (dem_heap.h allocates by malloc; what it
 *   has allocated is given back by dem_free.)
 *   An object lives in a block of the caller. A function called dem_..._layout tells how many bytes it needs, and dem_..._init
 *   builds it there. From then on, the block's address is the pointer to the object. Blocks start at multiples of DEM_ALIGN bytes:
 *   ask malloc for DEM_ALIGN - 1 bytes more and use dem_align. Between calls, a program may copy a block to another address with
 *   memcpy; the copy is an object of its own. Pass bytes from a file or another process to dem_..._open, which
 *   checks them.
 *   A program with an allocator need not compute sizes. The functions on the left get memory through a function of the program, in a
 *   dem_block (dem_heap.h has one for malloc). Those on the right do the same in memory of a fixed size:
 *     dem_shape_build          dem_shape_layout, dem_shape_init
 *     dem_scene_step           dem_scene_room, dem_scene_layout, dem_scene_init, dem_scene_detect, dem_scene_grow
 *     dem_scene_manifolds      dem_scene_corners
 *     dem_world_build          dem_world_layout, dem_world_init, dem_world_set_up (which also changes settings later)
 *     dem_world_insert         dem_world_add
 *     dem_world_run            dem_world_advance, dem_world_room, dem_world_grow
 *     dem_world_run_step       dem_world_advance_step
 *     dem_world_next           dem_world_poll
 *     dem_world_manifolds      dem_world_corners
 *     dem_world_take_springs   dem_world_unpack_springs
 *   Some calls need scratch memory: any bytes, at any alignment. Its content has no meaning before and after the call. Its size
 *   depends on sizes, shapes and threads; in dem_pair.h also on the positions of bodies. To ask for the size, make the same call with null and 0
 *   for scratch: if it needs any, it does nothing but return DEM_ERROR_CAPACITY about `scratch` with `needed` bytes.
 *   Memory that is written must not overlap other arguments, unless the function says that it may. (DEM_ERROR_OVERLAP reports
 *   most overlaps; columns of the same structs are not compared.) A call uses at most
 *   64 KiB of stack.
 *
 * ERRORS
 *   Functions that can fail return a status: DEM_OK (0), a positive number that informs (DEM_NONE), or a negative one,
 *   DEM_ERROR_*. If they have an argument `error`, they fill it with the mistake, its place, and what would be right.
 *   dem_error_format makes a sentence of it. `error` may be null.
 *   If an output is too small, the error is DEM_ERROR_CAPACITY with the exact number needed. Nothing is lost, and the same call
 *   with enough room gives the full answer. For scenes and worlds, `short_of` of the error tells all that is too small.
 *   A call that fails changes only `error`, counts that tell what is needed, and scratch, unless its comment says otherwise.
 *   No input crashes the library if pointers and sizes are right. After a defect of the library itself, a call returns DEM_ERROR_PANIC.
 *   If this call was changing a block, all later calls on the block return DEM_ERROR_POISONED until it is restored from a copy.
 *
 * THREADS
 *   Any thread may call any function. If the comment of a function says nothing about threads, any number of threads may call it at the same
 *   time, each with outputs and scratch of its own. Calls that only read a block (it is `const`) may run at the same time. While a call
 *   changes a block, no other call may use the block. If one does, it gets DEM_ERROR_BUSY, which is a safety net and not a lock.
 *   The library starts no threads, and reads no clock and no environment variable. It has no global state but the instruction sets that it
 *   has found.
 *
 * COSTS
 *   Comments tell times of one thread on an AMD EPYC at about 3 GHz with AVX2, with all data in its caches. `make costs` measures
 *   many of them on your machine, beside these words.
 *
 * DETERMINISM
 *   The same inputs give the same bits: with every instruction set, number of threads, address and machine, also in hosts that flush
 *   subnormals to zero, change the rounding or trap. (On x86-64 and aarch64, every call saves the host's floating-point environment,
 *   sets the default environment, and restores the host's. On other machines the host must set the default environment.)
 */
#ifndef DEM_H
#define DEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------------------------
 * Versions.
 */

/** Version of this header. */
#define DEM_VERSION_MAJOR 0
/** Before 1.0, a new minor version may change the binary interface; the shared library's name then changes with it. */
#define DEM_VERSION_MINOR 1
/** A new patch version only corrects defects. */
#define DEM_VERSION_PATCH 0
/** The three as one number: 10000 * major + 100 * minor + patch. */
#define DEM_VERSION 100
/** Grows when a program that was compiled before would no longer run correctly. */
#define DEM_ABI_VERSION 1

/**
 * The version of the library that runs, as `DEM_VERSION`.
 *
 * Compare it with `DEM_VERSION` to see whether header and library belong together.
 *
 * Errors: none.
 * Cost: none.
 */
uint32_t dem_version(void);

/**
 * The version of the binary interface of the library that runs; a program runs with it if it equals `DEM_ABI_VERSION`.
 *
 * Errors: none.
 * Cost: none.
 */
uint32_t dem_abi_version(void);

/* ------------------------------------------------------------------------------------------------------------------------
 * Status and errors.
 */

/** Done. */
#define DEM_OK 0
/** Done, and there is no result: nothing is near enough. */
#define DEM_NONE 1
/** A pointer is null but data is needed. */
#define DEM_ERROR_NULL (-1)
/** A pointer, a block or a stride has the wrong alignment. */
#define DEM_ERROR_MISALIGNED (-2)
/** A buffer is too small; `needed` tells the size that is enough. Nothing was lost, nothing is half-done. */
#define DEM_ERROR_CAPACITY (-3)
/** A number is NaN or infinite. */
#define DEM_ERROR_NOT_FINITE (-4)
/** A number is outside its range (a negative halo, an unknown option, a zero quaternion). */
#define DEM_ERROR_OUT_OF_RANGE (-5)
/** An index is beyond the end of its list; `given` is the index, `needed` the number of items. */
#define DEM_ERROR_BAD_INDEX (-6)
/** A `struct_size` or a stride is too small, or asks for fields that this version does not know. */
#define DEM_ERROR_BAD_SIZE (-7)
/** The requested sizes exceed this machine's addresses or the format's 32-bit ids. */
#define DEM_ERROR_TOO_LARGE (-8)
/** A block contains something else, another version, or damaged bytes. */
#define DEM_ERROR_DAMAGED (-9)
/** A block is in use by another thread. */
#define DEM_ERROR_BUSY (-10)
/** A panic interrupted an earlier call on this block; restore it from a copy. */
#define DEM_ERROR_POISONED (-11)
/** This machine or this build does not have this feature. */
#define DEM_ERROR_UNSUPPORTED (-12)
/** A defect of the library: please report it. */
#define DEM_ERROR_PANIC (-13)
/** Arguments that do not belong together: arrays of different lengths, a tree and the mesh of another body. */
#define DEM_ERROR_MISMATCH (-14)
/** Output memory overlaps input memory. */
#define DEM_ERROR_OVERLAP (-15)
/** Two items are the same but each must be different; `index` and `given` are their places. */
#define DEM_ERROR_DUPLICATE (-16)
/** `argument` of a `DEM_ERROR_CAPACITY`: scratch. */
#define DEM_ARGUMENT_SCRATCH 2
/** Output records. */
#define DEM_ARGUMENT_OUTPUT 3
/** Near pairs of triangles: `pairs` of a query. */
#define DEM_ARGUMENT_PAIRS 25
/** The contacts for which a scene has room. */
#define DEM_ARGUMENT_CONTACTS 55
/** Output events. */
#define DEM_ARGUMENT_EVENTS 60
/** The bodies for which a scene has room. */
#define DEM_ARGUMENT_BODIES 63
/** The candidate pairs of bodies for which a scene has room. */
#define DEM_ARGUMENT_CANDIDATES 96
/** The pairs with their own poses for which a scene has room. */
#define DEM_ARGUMENT_POSES 105
/** Words of a list of near triangles. */
#define DEM_ARGUMENT_LIST 106
/** The nodes for which a scene has room. */
#define DEM_ARGUMENT_NODES 107
/** Output blends. */
#define DEM_ARGUMENT_BLENDS 108
/** `margin_contacts` of `dem_scene_desc`. */
#define DEM_ARGUMENT_MARGIN_CONTACTS 147
/** The contacts of two bodies: `pair_contacts` of a query. */
#define DEM_ARGUMENT_PAIR_CONTACTS 182
/** Bytes that are always enough for `dem_error_format`, including the zero at the end. */
#define DEM_ERROR_TEXT 512

/**
 * What a call on a scene or a world had too little room for: of each kind a number that is enough, or 0 if there was enough. A field has the name of
 * the field that sets this room. Some needs are known only when other room is enough. If two bodies have too little room for triangles, `contacts`
 * and `nodes` are lower bounds, and the next error counts them. A call that lacks scratch has not begun. Then `bodies`, `nodes` and `pairs` are
 * estimates like those of dem_scene_room, and so are `candidates` and `contacts` of a world without room for records. The next call may still lack
 * other room.
 */
typedef struct dem_shortage {
    /** `bodies` of `dem_scene_desc` or `dem_world_desc`. The fields down to `ball_contacts` are fields of these structs, too. */
    uint64_t bodies;
    /** Pairs of bodies whose bounds meet. */
    uint64_t candidates;
    /** Contacts. */
    uint64_t contacts;
    /** Contacts within the margin of a scene. */
    uint64_t margin_contacts;
    /** Nodes of contacts. */
    uint64_t nodes;
    /** Pairs of a scene with their own poses. */
    uint64_t posed;
    /** Pairs of balls in the list of a world whose steps keep no records of balls. */
    uint64_t ball_pairs;
    /** The pairs of this list that touch. */
    uint64_t ball_contacts;
    /** `pairs` of the query: near pairs of triangles of two bodies. */
    uint64_t pairs;
    /** `pair_contacts` of the query: contacts of two bodies. */
    uint64_t pair_contacts;
    /** Bytes of scratch that the same call then needs, on all threads of the query. */
    uint64_t scratch;
} dem_shortage;

/**
 * What was wrong, where, and what would be right. Every function with an argument `error` fills it, with zeros if there is no error. The
 * argument may be null.
 */
typedef struct dem_error {
    /** The status that the function returned. */
    int32_t code;
    /** The argument with the error, `DEM_ARGUMENT_*` among others; `dem_argument_string` names it. */
    uint32_t argument;
    /** The first wrong item of that argument; 0 if it is not a list. */
    uint64_t index;
    /** The component of that item (0, 1, 2 for x, y, z); 0 if it has none. */
    uint32_t component;
    /** 0. */
    uint32_t reserved;
    /** The number that would be enough (bytes, items), if it is known. */
    uint64_t needed;
    /** The number that was given. */
    uint64_t given;
    /** With `DEM_ERROR_CAPACITY` of scenes and worlds: all that is too small; else zeros. `argument` is the first of these. */
    dem_shortage short_of;
} dem_error;

/**
 * Writes a sentence that tells a user what was wrong, where, and what to do.
 *
 * Outputs: `text`, `capacity` bytes: the sentence in ASCII, ended by a zero; an empty string if it does not fit. `DEM_ERROR_TEXT` bytes
 * are always enough. `needed` (may be null): bytes needed, including the zero.
 * Inputs: `error`, as another function filled it.
 * Errors: `DEM_ERROR_NULL` if `error` or `text` is null (`text` may be null if `capacity` is 0); `DEM_ERROR_CAPACITY` if the sentence does
 * not fit; `DEM_ERROR_OUT_OF_RANGE` if `error` contains numbers that this library does not know.
 * Cost: some tenths of a microsecond.
 */
int32_t dem_error_format(char *text,
                         size_t capacity,
                         size_t *needed,
                         const dem_error *error);

/**
 * The name of a status, such as `DEM_ERROR_NULL`; `unknown status` for any other number.
 *
 * Outputs: a constant string in ASCII, never null.
 * Errors: none.
 * Cost: none.
 */
const char *dem_status_string(int32_t status);

/**
 * The name of an argument in a `dem_error`, such as `vertices`; `unknown argument` for any other number.
 *
 * Outputs: a constant string in ASCII, never null.
 * Errors: none.
 * Cost: none.
 */
const char *dem_argument_string(uint32_t argument);

/* ------------------------------------------------------------------------------------------------------------------------
 * Memory.
 */

/** Blocks start at multiples of this number of bytes. */
#define DEM_ALIGN 64

/**
 * A function of the program that gives memory to the library and takes it back. `context` is that of the `dem_block`.
 * If `size` > 0, the function returns `size` bytes at a multiple of `DEM_ALIGN`, with any content, or null if there are none; `old` is
 * then null and `old_size` 0.
 * If `size` = 0, the library no longer needs the memory `old` of `old_size` bytes, which this function has returned, or the program has put
 * into the `dem_block`. The library ignores the returned value.
 * The function must not leave by an exception or `longjmp`.
 */
typedef void *(*dem_resize)(void *context, void *old, size_t old_size, size_t size);

/**
 * A block of memory, and a function that gets a larger one. `dem_heap.h` has one that uses malloc. A copy of the struct has the same memory: only one
 * of the two may grow, and give it back.
 */
typedef struct dem_block {
    /** Address of the object in the block: its handle. Null: there is no object yet. */
    void *start;
    /** Bytes of the memory from `start` on. */
    size_t size;
    /** Null: `size` bytes are all the memory, and calls that need more return `DEM_ERROR_CAPACITY`. */
    dem_resize resize;
    /** Argument of `resize`. */
    void *context;
} dem_block;

/**
 * The first address at or after `memory` where a block may start: at most DEM_ALIGN - 1 bytes farther.
 */
static inline void *dem_align(void *memory) {
    return (unsigned char *)memory + (((uintptr_t)0 - (uintptr_t)memory) & (uintptr_t)(DEM_ALIGN - 1));
}

/**
 * The bytes of scratch that a call needs. `status` and `error` are those of the same call with null and 0 for scratch. The result is 0 if the
 * call needs no scratch, or failed for another reason; the call with scratch then tells this reason.
 */
static inline size_t dem_scratch_needed(int32_t status, const dem_error *error) {
    return status == DEM_ERROR_CAPACITY && error->argument == DEM_ARGUMENT_SCRATCH ? (size_t)error->needed : 0;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Arrays.
 */

/** `float`. */
#define DEM_F32 1
/** `double`. */
#define DEM_F64 2
/** `int32_t`. */
#define DEM_I32 3
/** `uint32_t`. */
#define DEM_U32 4
/** `uint64_t`. */
#define DEM_U64 5

/** Input items of one, three or more numbers: component c of item i lies at byte `i * stride + c * component_stride` after `data`. */
typedef struct dem_array {
    /** The first number, at any alignment; may be null if `count` is 0. */
    const void *data;
    /** Number of items: eight points are 8 items of three numbers each, and not 24. */
    size_t count;
    /** Bytes from one item to the next; 0: the items are packed. If components are packed, the stride is at least the size of an item. */
    size_t stride;
    /** Bytes from one component to the next; 0: the components are packed. */
    size_t component_stride;
    /** `DEM_F32` or `DEM_F64`; `DEM_U32` or `DEM_I32` for flags and indices; `DEM_U64` for ids. */
    uint32_t type;
    /** 0. */
    uint32_t reserved;
} dem_array;

/** Output items, laid out as in `dem_array`. */
typedef struct dem_output {
    /** The first number, at any alignment; null: this output is not needed. */
    void *data;
    /** Number of items for which there is room. */
    size_t count;
    /**
     * Bytes from one item to the next; 0: the items are packed. If components are packed, the stride is at least the size of an item, because items
     * would otherwise overwrite each other.
     */
    size_t stride;
    /** Bytes from one component to the next; 0: the components are packed. */
    size_t component_stride;
    /** Number type of the items; the function tells which types it accepts. */
    uint32_t type;
    /** 0. */
    uint32_t reserved;
} dem_output;

/** Input items of two or three indices (triangles that form a pair, vertices of a triangle), laid out as in `dem_array`. */
typedef struct dem_indices {
    /** The first index, at any alignment; may be null if `count` is 0. */
    const void *data;
    /** Number of items. */
    size_t count;
    /** Bytes from one item to the next; 0: the items are packed. */
    size_t stride;
    /** Bytes from one index of an item to the next; 0: they are packed. */
    size_t component_stride;
    /** `DEM_I32` or `DEM_U32`; a negative index is refused, like one beyond the end. */
    uint32_t type;
    /** The index of the first item: 0, or 1 as in Fortran. Indices in results always count from 0. */
    uint32_t base;
} dem_indices;

/**
 * An input array of `count` packed items of doubles. `count` is the number of items, not of numbers: eight points are 8 and not 24.
 */
static inline dem_array dem_array_f64(const double *data, size_t count) {
    dem_array array = {data, count, 0, 0, DEM_F64, 0};
    return array;
}

/**
 * An input array of `count` packed items of floats; `count` as for doubles.
 */
static inline dem_array dem_array_f32(const float *data, size_t count) {
    dem_array array = {data, count, 0, 0, DEM_F32, 0};
    return array;
}

/**
 * An input array of `count` packed items of unsigned numbers.
 */
static inline dem_array dem_array_u32(const uint32_t *data, size_t count) {
    dem_array array = {data, count, 0, 0, DEM_U32, 0};
    return array;
}

/**
 * An output array with room for `count` packed items of doubles.
 */
static inline dem_output dem_output_f64(double *data, size_t count) {
    dem_output output = {data, count, 0, 0, DEM_F64, 0};
    return output;
}

/**
 * An output array with room for `count` packed items of floats.
 */
static inline dem_output dem_output_f32(float *data, size_t count) {
    dem_output output = {data, count, 0, 0, DEM_F32, 0};
    return output;
}

/**
 * Input of `count` packed triples of indices, counted from 0. `count` is the number of triangles, not of indices.
 */
static inline dem_indices dem_indices_u32(const uint32_t *data, size_t count) {
    dem_indices indices = {data, count, 0, 0, DEM_U32, 0};
    return indices;
}

/**
 * An output array with room for `count` packed items of integers.
 */
static inline dem_output dem_output_u32(uint32_t *data, size_t count) {
    dem_output output = {data, count, 0, 0, DEM_U32, 0};
    return output;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Defaults of structs.
 *
 * Structs of inputs that may grow begin with `struct_size` and have defaults: `dem_scene_query query = dem_scene_query_default();`. These functions are `static
 * inline` and call `dem_defaults`, which programs in other languages call themselves.
 */

/** `which` of `dem_defaults`: `dem_shape_desc`. */
#define DEM_DEFAULT_SHAPE_DESC 1
/** `which` of `dem_defaults`: `dem_compound`. */
#define DEM_DEFAULT_COMPOUND 2
/** `which` of `dem_defaults`: `dem_scene_desc`. */
#define DEM_DEFAULT_SCENE_DESC 3
/** `which` of `dem_defaults`: `dem_scene_query`. */
#define DEM_DEFAULT_SCENE_QUERY 4
/** `which` of `dem_defaults`: `dem_scene_motion`. */
#define DEM_DEFAULT_SCENE_MOTION 5
/** `which` of `dem_defaults`: `dem_world_desc`. */
#define DEM_DEFAULT_WORLD_DESC 6
/** `which` of `dem_defaults`: `dem_world_setup`. */
#define DEM_DEFAULT_WORLD_SETUP 7
/** `which` of `dem_defaults`: `dem_member`. */
#define DEM_DEFAULT_MEMBER 8
/** `which` of `dem_defaults`: `dem_world_query`. */
#define DEM_DEFAULT_WORLD_QUERY 9
/** `which` of `dem_defaults`: `dem_placed_query`. */
#define DEM_DEFAULT_PLACED_QUERY 10
/** `which` of `dem_defaults`: `dem_motion`. */
#define DEM_DEFAULT_MOTION 11
/** `which` of `dem_defaults`: `dem_inspect_options`. */
#define DEM_DEFAULT_INSPECT_OPTIONS 12
/** `which` of `dem_defaults`: `dem_refit_desc`. */
#define DEM_DEFAULT_REFIT_DESC 13
/** `which` of `dem_defaults`: `dem_query`. */
#define DEM_DEFAULT_QUERY 14
/** `which` of `dem_defaults`: `dem_point_query`. */
#define DEM_DEFAULT_POINT_QUERY 15
/** `which` of `dem_defaults`: `dem_point_results`. */
#define DEM_DEFAULT_POINT_RESULTS 16
/** `which` of `dem_defaults`: `dem_near_query`. */
#define DEM_DEFAULT_NEAR_QUERY 17
/** `which` of `dem_defaults`: `dem_grid_desc`. */
#define DEM_DEFAULT_GRID_DESC 18
/** `which` of `dem_defaults`: `dem_near_boxes`. */
#define DEM_DEFAULT_NEAR_BOXES 19
/** `which` of `dem_defaults`: `dem_closest_points`. */
#define DEM_DEFAULT_CLOSEST_POINTS 20
/** `which` of `dem_defaults`: `dem_triangle_options`. */
#define DEM_DEFAULT_TRIANGLE_OPTIONS 21
/** `which` of `dem_defaults`: `dem_contact_options`. */
#define DEM_DEFAULT_CONTACT_OPTIONS 22
/** `which` of `dem_defaults`: `dem_contact_results`. */
#define DEM_DEFAULT_CONTACT_RESULTS 23

/**
 * Fills a struct with its defaults.
 *
 * Outputs: `record`: its first `struct_size` bytes.
 * Inputs: `struct_size`: `sizeof` the struct, as the program was compiled with it. `which`: one of `DEM_DEFAULT_*`, the type of the
 * struct.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`: no version of the struct has this size; `DEM_ERROR_OUT_OF_RANGE` about `which`.
 * Cost: none.
 */
int32_t dem_defaults(void *record,
                     size_t struct_size,
                     uint32_t which,
                     dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Instruction sets.
 */

/** The fastest instruction set of this machine: the default of all functions. */
#define DEM_ISA_BEST 0
/** One number at a time; on every machine. */
#define DEM_ISA_SCALAR 1
/** x86-64, every machine. */
#define DEM_ISA_SSE2 2
/** x86-64 with AVX2 and FMA. */
#define DEM_ISA_AVX2 3
/** x86-64 with AVX-512 F, VL, DQ and BW. */
#define DEM_ISA_AVX512 4
/** aarch64, every machine. */
#define DEM_ISA_NEON 5
/** The number of instruction sets is less than this. */
#define DEM_ISA_COUNT 8

/**
 * Lists the instruction sets that this machine has and this library uses, slowest first. The last one is the meaning of `DEM_ISA_BEST`. The
 * `isa` argument of functions can force any of them; results do not depend on it.
 *
 * Outputs: `isas` (may be null if `capacity` is 0), `capacity` items: at most `DEM_ISA_COUNT` numbers `DEM_ISA_*`. `count` (may be null):
 * how many there are.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY` if there are more than `capacity`; then nothing is written to `isas`.
 * Cost: detection by the first call, then none.
 */
int32_t dem_isa_list(uint32_t *isas,
                     size_t capacity,
                     size_t *count,
                     dem_error *error);

/**
 * The name of an instruction set, such as `avx2`; `unknown` if this machine does not have it. For `DEM_ISA_BEST`, the name of the fastest
 * one.
 *
 * Outputs: a constant string in ASCII, never null.
 * Errors: none.
 * Cost: none.
 */
const char *dem_isa_name(uint32_t isa);

/* ------------------------------------------------------------------------------------------------------------------------
 * Threads.
 *
 * The library starts no threads. A program with threads may lend them: it tells how many there are, and calls parts of the work, the *lanes* of
 * dem_tasks, on any threads and in any order. Results do not depend on threads or order.
 */

/** A part of the work: call it with each number below `lanes` of `dem_tasks_run`, and with its `arg`. */
typedef void (*dem_lane)(size_t lane, void *arg);

/**
 * Calls `lane(i, arg)` for every i below `lanes`, each once, on any threads and in any order, and returns when all have
 * returned. `user` is that of `dem_tasks`.
 *
 * If the function omits a lane, calls a lane twice or calls a lane that does not exist, only speed is lost. It must not return while a lane still
 * runs, or leave by an exception or `longjmp`: the library cannot detect this mistake.
 */
typedef void (*dem_tasks_run)(void *user, size_t lanes, dem_lane lane, void *arg);

/** Threads of the program. */
typedef struct dem_tasks {
    /** The function that calls lanes. Null: the calling thread does all the work. */
    dem_tasks_run run;
    /** The first argument of `run`. */
    void *user;
    /**
     * How many lanes may run at the same time, usually the number of threads: 1 to 64; more count as 64. Only speed depends on this number, and the
     * scratch of calls in which each lane has its own.
     */
    size_t lanes;
    /** 0. */
    size_t reserved;
} dem_tasks;

/* ------------------------------------------------------------------------------------------------------------------------
 * Shapes.
 *
 * A shape describes the surface of a body in its own frame: a triangle mesh with a halo. The halo is a layer around the surface; bodies press on
 * each other where their halos overlap. A shape also has a surrogate tree for queries and, for contacts, cells: pieces of the halo, each of which
 * belongs to a face, an edge or a vertex. Patches are sets of triangles in one plane. Any number of bodies may share a shape. It is built once, in a
 * block of its own. Then it is only read, or refitted if vertices move.
 *
 * The corners a, b, c of a triangle run counter-clockwise, seen from the side on which the triangle acts: its normal (b - a) x (c - a) points to this
 * side. For a body this side is outside; for a container without thickness it is inside. No call refuses a body whose triangles run the other way
 * round, but it sinks into others. `state` of dem_mass tells it (`DEM_MASS_INWARD`).
 *
 *   dem_shape_layout(&size, NULL, &desc, &error);
 *   block = dem_align(malloc(size + DEM_ALIGN - 1));
 *   dem_shape_init(block, size, &shape, &desc, &error);
 */

/** `dem_shape_desc.preset`: the tree is built quickly, and queries are a little slower. */
#define DEM_PRESET_FAST 1
/** `dem_shape_desc.preset`, the default: a short search for good surrogates. */
#define DEM_PRESET_DEFAULT 2
/** `dem_shape_desc.preset`: a long search, for shapes that are built once and used for long. */
#define DEM_PRESET_BEST 3

/**
 * `dem_shape_desc.law` is not a force law: it tells how area, gap and normal of contacts are measured. This one: the law of facing. Faces that look
 * at the other body are pushed along the normals of its cells. This law also supports thin plates, sheets and bad meshes, but a closed path may gain
 * or lose some energy. A pair of bodies has this law if one of them is built for it.
 */
#define DEM_LAW_FACING 0

/**
 * `dem_shape_desc.law`: the law of volumes. The force is the gradient of an energy, so an undamped body keeps its energy, and a flat wall pushes
 * only along its normal. Bodies should be closed and thicker than the halos of both. A pair of bodies has this law if both are built for it; balls,
 * capsules and half-spaces take the law of the other body. Add up all contacts of a body pair: one patch by itself may push sideways.
 */
#define DEM_LAW_VOLUME 1

/**
 * `dem_shape_desc.law`, the default: `DEM_LAW_VOLUME` if the mesh is suited, otherwise `DEM_LAW_FACING`; `dem_shape_describe` tells which.
 * Suited are closed surfaces whose parts do not lie in each other, and rooms: closed surfaces all of which look inward. Their mean thickness (the
 * volume over half of the area) must be at least four of their halos. Suited are also open surfaces that face about one direction, if no edge has
 * three triangles, or two that do not agree on the outside. A refit keeps the choice.
 */
#define DEM_LAW_AUTO 2
/** The number that stands for no triangle or no vertex. */
#define DEM_NO_ID 4294967295
/** A part of a triangle: its vertex 0. */
#define DEM_FEATURE_VERTEX_0 0
/** Vertex 1. */
#define DEM_FEATURE_VERTEX_1 1
/** Vertex 2. */
#define DEM_FEATURE_VERTEX_2 2
/** The edge from vertex 0 to vertex 1. */
#define DEM_FEATURE_EDGE_0 3
/** The edge from vertex 1 to vertex 2. */
#define DEM_FEATURE_EDGE_1 4
/** The edge from vertex 2 to vertex 0. */
#define DEM_FEATURE_EDGE_2 5
/** The inside of the triangle. */
#define DEM_FEATURE_FACE 6

/** A shape: the address of its block. */
typedef struct dem_shape dem_shape;

/** The input for building a shape. */
typedef struct dem_shape_desc {
    /** `sizeof(dem_shape_desc)`. */
    uint32_t struct_size;
    /**
     * 1, the default: with cells, which contacts need. 0: without cells, for queries of distances and pairs of triangles. Such a shape is built four
     * times as quickly and takes a fifth of the memory.
     */
    uint32_t cells;
    /** Positions: three numbers an item, in the frame of the body. All must be finite, including vertices that no triangle uses. */
    dem_array vertices;
    /**
     * The three corners of each triangle, counter-clockwise seen from outside. Null data, the default: vertices 3 i, 3 i + 1 and 3 i + 2 are triangle i.
     * No triangle is dropped, however bad, and triangle i of the shape is item i.
     */
    dem_indices triangles;
    /** A halo for each triangle: one number an item, finite and not negative. Null data, the default: all have `halo`. */
    dem_array halos;
    /** The halo of all triangles, finite and not negative; 0 by default. */
    double halo;
    /**
     * How coordinates are stored: `DEM_F64`, the default, or `DEM_F32`, which rounds coordinates and needs half the memory. All results are then
     * those of the rounded mesh.
     */
    uint32_t stored;
    /** `DEM_PRESET_*`: the effort of building the tree. */
    uint32_t preset;
    /** Children of a node of the tree, 2 to 64; 4 by default. */
    uint32_t fan_out;
    /** Triangles of a leaf of the tree, 1 to 64; 4 by default. */
    uint32_t leaf;
    /** One of `DEM_ISA_*`, for building; the shape does not depend on it. */
    uint32_t isa;
    /** The law for which cells are built: `DEM_LAW_AUTO`, the default, `DEM_LAW_VOLUME` or `DEM_LAW_FACING`. Only for cells. */
    uint32_t law;
    /**
     * A triangle joins a patch if its corners are no farther than this from the plane of the patch, in radii of the shape;
     * finite and not negative. By default 2^-20, about ten times the rounding of a float. Only for cells.
     */
    double flat;
    /**
     * The width of a chart, which is a part of the surface that faces about one direction. A patch joins a chart if its normal is within half of
     * this angle from that of the chart's first and largest patch. In radians, 0 to pi; pi/4 by default. Only for cells.
     */
    double angle;
} dem_shape_desc;

/** Properties of a shape. */
typedef struct dem_shape_info {
    /** Number of triangles. */
    uint32_t triangles;
    /** Number of vertices from which it was built. */
    uint32_t vertices;
    /** `DEM_F32` or `DEM_F64`: how coordinates are stored. */
    uint32_t stored;
    /** Levels of the tree. */
    uint32_t depth;
    /** The middle of the bounding box. */
    double centre[3];
    /** Radius of the ball about this middle that contains every vertex of a triangle, without halos. */
    double radius;
    /** The largest halo of a triangle. */
    double halo;
    /** A hash of the content, the same on every machine. */
    uint64_t identity;
    /** Bytes of the block that hold the shape: copy or store this many bytes. */
    uint64_t size;
    /** Number of cells; 0 for a shape without cells. */
    uint32_t cells;
    /** `DEM_LAW_FACING` or `DEM_LAW_VOLUME`: with `DEM_LAW_AUTO`, the law that was chosen. 0 without cells. */
    uint32_t law;
} dem_shape_info;

/**
 * How much memory is needed to build a shape, including scratch. Refits (`dem_shape_refit`) use the part that the finished shape leaves free.
 *
 * The number of cells depends on the surface. The size is enough for nearly all surfaces. If it is too small, `dem_shape_init` tells the size
 * needed. A program may also try a smaller block.
 *
 * Outputs: `size`: bytes of the block, about 3.2 KB a triangle and 160 KB. The shape then holds from a seventh of them (a flat plate) to four fifths
 * (a bumpy body). Without cells it is 0.5 KB a triangle. `align`: `DEM_ALIGN`. Each may be null.
 * Inputs: `desc`, complete; the numbers in its arrays are not read.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: no triangle, or a field of `desc`; `DEM_ERROR_NOT_FINITE`: a field of
 * `desc`; `DEM_ERROR_CAPACITY`: vertices that are no multiple of three, without `triangles`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_shape_layout(size_t *size,
                         size_t *align,
                         const dem_shape_desc *desc,
                         dem_error *error);

/**
 * Builds a shape.
 *
 * Vertices with equal stored positions are welded, so loose triangles have neighbours, too. Triangles at defects get no cells there: triangles
 * without area, copies of triangles, and edges without exactly two triangles that agree on the outside.
 *
 * Outputs: `shape`: the shape, whose address is `memory`. The bytes do not depend on the machine or the address; `dem_shape_describe` tells how many
 * there are, and the bytes after them have no meaning.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, as large as `dem_shape_layout` says. `desc`: its arrays are read during this call
 * only.
 * Memory: the block belongs to the caller, who may copy, store and discard it at any time. Without refits, the memory after the shape may be used
 * for other things.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`: block and arrays
 * share bytes; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and its component, the halo or the
 * option; `DEM_ERROR_BAD_INDEX` names triangle and corner; `DEM_ERROR_MISMATCH`: not as many `halos` as triangles; those of
 * `dem_shape_layout`. After an error nothing is written. `DEM_ERROR_CAPACITY` about `block`: `needed` bytes will do; `DEM_ERROR_OUT_OF_RANGE`
 * about `mesh`: it is larger than about 1e18. The memory is then no shape.
 * Cost: some 7 microseconds a triangle of a curved surface with the default preset, 1 to 2 without cells.
 * Threads: any; nobody may use the memory during the call.
 * Determinism: the same bytes on every machine and with every instruction set.
 */
int32_t dem_shape_init(void *memory,
                       size_t size,
                       dem_shape **shape,
                       const dem_shape_desc *desc,
                       dem_error *error);

/**
 * Opens bytes as a shape, if they come from a file, another process, or a copy that was made during a call.
 *
 * The function checks all bytes against a checksum. It also checks that queries neither leave the tree nor run for ever. A copy of a
 * shape that the same process made between calls needs no opening.
 *
 * Outputs: `shape`: the shape, whose address is `memory`. The mark of a call in progress, in its first 64 bytes, is cleared; nothing else changes.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than the copied bytes.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`: it
 * holds something else, another version, bytes of a machine with another byte order, or was changed.
 * Cost: one pass over the bytes, about 0.1 ns a byte.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_shape_open(void *memory,
                       size_t size,
                       dem_shape **shape,
                       dem_error *error);

/**
 * Properties of a shape: counts, its position in its own frame, its size.
 *
 * Outputs: `info`: the function writes `info_size` bytes, at most `sizeof(dem_shape_info)`.
 * Inputs: `shape`. `info_size`: `sizeof(dem_shape_info)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
 * Cost: about 0.2 microseconds.
 */
int32_t dem_shape_describe(dem_shape_info *info,
                           size_t info_size,
                           const dem_shape *shape,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Bodies: spheres, capsules, half-spaces, meshes and compounds of these.
 *
 * A body is a `dem_placed`, with a scale and a pose. dem_placed_sphere, dem_placed_capsule, dem_placed_half_space,
 * dem_placed_mesh and dem_placed_compound fill it. In a scene, a `dem_placed` is a row of the table of shapes, and many bodies may use the same row.
 *
 * A contact of a sphere covers the part of the other surface within its radius plus the sum T of both halos. A sphere has one contact with a sphere,
 * with a half-space, and with each flat part of a mesh. Forces go through its centre. For spheres and for meshes, a flat wall of few or many
 * triangles gives the same forces as a half-space.
 *
 * Spheres and half-spaces may penetrate meshes and each other. Gaps are then negative, and forces grow further. A sphere is pushed out
 * of a mesh if its centre is outside; if the mesh is `solid`, it is also pushed out from inside. Behind a mesh that is not `solid`, a sphere
 * has a contact of area 0, whose normal points away from the back. There the pressure law gives no force, and the point law pushes the sphere
 * away.
 *
 * A capsule contains all points within its radius of a segment along the z axis of its frame, from `-half_length` to `half_length`. With a half
 * length of 0 it is a sphere. The rules for spheres hold for capsules, with the distance from the segment. A capsule that lies on a flat wall has
 * one contact with the wall, in the middle of the part that lies on it. Only friction turns a capsule about its axis. If an end of the segment is
 * inside a `solid` mesh, the end is pushed out. A capsule that passes all the way through has contacts with the surfaces only.
 *
 * A compound is a body of parts that move together and have no contacts with each other: a particle of overlapping spheres, or a mesh with a ball as
 * its head. The parts are an array of the program. Each part is described like a body, with its pose and scale in the frame of the compound. Every
 * call reads the parts. Bodies may share parts, and the program may change them from step to step.
 *
 * A compound of one part gives a mesh another frame than that of its vertices. Poses are then those of the compound's frame, and the part's
 * pose is the pose of the mesh in this frame. `part_pose` of `dem_mass` puts the centre of mass at the origin and the principal axes along the
 * axes of the frame. Contacts and keys are those of the mesh, up to rounding, and nothing is built twice. In the tables of shapes of scenes
 * and worlds, the `pose` of a shape does the same, without a compound.
 */

/** A ball about the origin of its frame; a point if its radius is 0. */
#define DEM_KIND_SPHERE 1
/** All points with z <= 0 in its frame. */
#define DEM_KIND_HALF_SPACE 2
/** A shape that has cells. */
#define DEM_KIND_MESH 3
/** Parts that move together: a `dem_compound`. */
#define DEM_KIND_COMPOUND 4
/** All points within a radius of a segment along the z axis, about the origin of its frame. */
#define DEM_KIND_CAPSULE 5

/** Position and orientation of a body: world = rotation * local + position. */
typedef struct dem_pose {
    /** The body's origin in world coordinates. */
    double position[3];
    /** Its orientation as a quaternion x, y, z, w. Any finite one that is not zero is normalised. */
    double orientation[4];
} dem_pose;

/**
 * A body, or a part of one. `dem_placed_sphere` and the functions like it fill all fields. A struct of zeros is refused, as its scale is
 * 0.
 */
typedef struct dem_placed {
    /** `DEM_KIND_*`. */
    uint32_t kind;
    /** 1: the inside of the mesh belongs to the body; the mesh should be closed, with normals that point outward. 0: the body is a surface. */
    uint32_t solid;
    /** The mesh, built with cells, or the address of a `dem_compound`, as set by `dem_placed_compound`; ignored for other kinds. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved;
    /** Radius of a sphere or a capsule, finite and not negative. */
    double radius;
    /** Halo of a sphere, a capsule or a half-space, finite and not negative. A mesh has that of its shape. */
    double halo;
    /** All lengths of the body, including halos and positions of parts, are multiplied by this; finite and larger than 0. 1 changes nothing. */
    double scale;
    /** Half of the length of a capsule's segment, without the half balls at its ends; finite and not negative. 0 for other kinds. */
    double half_length;
    /** 0: reserved for lengths of later kinds. */
    double reserved_lengths[2];
    /** The pose in the world or, for a part, in the frame of its compound. */
    dem_pose pose;
} dem_placed;

/** Parts that move together and have no contacts with each other. */
typedef struct dem_compound {
    /** `sizeof(dem_compound)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** The first part, at any alignment: a sphere, a capsule, a half-space or a mesh; a compound is no part. May be null if `count` is 0. */
    const dem_placed *parts;
    /** Number of parts; a compound without parts has no contacts. */
    size_t count;
    /** Bytes from one part to the next; 0: the size in version 0.1. */
    size_t stride;
} dem_compound;

/**
 * A sphere about the origin of its frame. Its pose is the identity and its scale 1: change `pose` and `scale` of the result.
 */
static inline dem_placed dem_placed_sphere(double radius, double halo) {
    dem_placed body = {DEM_KIND_SPHERE, 0, NULL, 0, radius, halo, 1, 0, {0, 0}, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * A capsule: all points within `radius` of the segment from `-half_length` to `half_length` on the z axis. The half length comes before the
 * radius. Pose and scale are as for `dem_placed_sphere`.
 */
static inline dem_placed dem_placed_capsule(double half_length, double radius, double halo) {
    dem_placed body = {DEM_KIND_CAPSULE, 0, NULL, 0, radius, halo, 1, half_length, {0, 0}, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * The half-space z <= 0. Pose and scale are as for `dem_placed_sphere`.
 */
static inline dem_placed dem_placed_half_space(double halo) {
    dem_placed body = {DEM_KIND_HALF_SPACE, 0, NULL, 0, 0, halo, 1, 0, {0, 0}, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * A mesh: `shape` must have cells, and `solid` is 0 or 1. Pose and scale are as for `dem_placed_sphere`.
 */
static inline dem_placed dem_placed_mesh(const dem_shape *shape, uint32_t solid) {
    dem_placed body = {DEM_KIND_MESH, solid, shape, 0, 0, 0, 1, 0, {0, 0}, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/**
 * A body that is a compound, which must exist while the body is used. Pose and scale are as for `dem_placed_sphere`.
 */
static inline dem_placed dem_placed_compound(const dem_compound *compound) {
    dem_placed body = {DEM_KIND_COMPOUND, 0, (const dem_shape *)(const void *)compound, 0, 0, 0, 1, 0, {0, 0}, {{0, 0, 0}, {0, 0, 0, 1}}};
    return body;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts: what forces act on.
 *
 * A list of near triangles is not a list of contacts: it is long, its items appear and vanish, and it depends on the division of a surface into
 * triangles. A contact is a part of an integral over area. There is one for every pair of patches (flat parts of a surface, found when cells are
 * built). It covers the area over which the surfaces are nearer than the sum T of their halos, weighted with the overlap of the halos. So there are
 * few contacts, they do not depend on the triangles of flat parts, and they vary continuously with both poses: a contact begins and ends with force
 * 0. Halos are part of the model: the force is 0 where surfaces are T apart, and grows as the gap shrinks. Choose T as the depth to which your
 * stiffest contact may be pressed.
 *
 * A scene finds the contacts of all its bodies, one for each place where two bodies touch. dem_placed_contacts of dem_pair.h finds the contacts of
 * two bodies.
 *
 * The force on A acts at `position`, along `normal`, which points from B to A. The force on B is the opposite, at the
 * same position. Choose one law:
 *
 * - pressure law: F = k (1 - gap / halo) area, with k in force per area. Bodies rest on faces, edges and corners without special cases, and a
 *   larger area is stiffer;
 * - point law: F = K (1 - g / halo) share, with K in force. g is the smallest least_gap of the body pair's contacts (`least_gap` of the
 *   pair in a scene). The stiffness of a pair does not depend on areas or triangles; the shares of a pair sum to 1.
 *
 * If halos may be 0, write these laws with a stiffness per length, k' = k / halo and K' = K / halo: F = k' (halo - gap) area and F = K' (halo - g)
 * share. Contacts then begin where surfaces touch. k' has the unit of force per volume; F is k' times the volume enclosed, or K' times the depth.
 *
 * The torque about a point c is that of the force, (position - c) x F normal. With the pressure law, add `k moment`: the part of
 * the torque that one force at one position does not produce. The program adds dashpots, friction and other forces at `position`, with the
 * velocities of both bodies there.
 *
 * Both laws hold where bodies penetrate. The gap is then negative. Each part of one body inside the other has a contact with the normal, the area
 * and the depth of the enclosed volume. The force does not jump when the gap passes through zero. Open surfaces may enclose nothing. Their contact
 * is then the smallest translation that separates the triangles, with a bit in `status`.
 *
 * Limits. In thin and folded bodies, surfaces behind a fold count, too: keep T smaller than the gaps and walls of a body. Sheets on their rims and
 * crossed blades sharper than 23 degrees do not meet. Only the outer side of a triangle has contacts, so all normals of a mesh should point outward.
 * A closed mesh whose triangles look inward is a room. It pushes the bodies in it away from its walls, by `DEM_LAW_VOLUME` if it is not thin, and
 * draws in bodies that pass through its wall. (To make a room of the box of `dem_box_mesh`, exchange two indices of each triangle. With `solid`, all
 * outside of a room is solid: a body that has gone through its wall as a whole is pushed back.) A body that is turned inside out by mistake is a
 * room, too. Meshes outside of it have no contact with it until surfaces cross, or forces near zero with `DEM_CONTACT_IS_UNSURE`. Balls and capsules
 * outside of it may be drawn in, with the same bit. A single part of a body that looks inward by mistake adds no force, and neither does an edge
 * without exactly two triangles that agree on the outside. dem_shape_inspect of dem_mesh.h finds these defects. If a body is inside another one as a
 * whole, it is pushed out only if the other is a `solid` mesh. The reasons, with proofs and pictures, are in docs/contacts.md.
 */

/** `kind` of a contact of two surfaces within their halos. */
#define DEM_CONTACT_SURFACE 0
/** A bit of `status` of a contact: its smallest gap is not positive. */
#define DEM_CONTACT_IS_TOUCHING 1
/** A part of one body is inside the other one. */
#define DEM_CONTACT_IS_PENETRATING 2

/**
 * The curve in which the surfaces cross does not close: a surface is open there, or its triangles do not agree on what is
 * outside. For balls, capsules and half-spaces: an edge of the mesh in their halo (or below the half-space) does not have exactly one neighbour
 * that agrees. Or the mesh is not solid, and the other body is so deep that it may have come from behind, or is behind it. Or the mesh is a sheet
 * that stands on its edge on a half-space. Depth and direction may be wrong, and the force is bounded: `status` of dem_contact tells how.
 */
#define DEM_CONTACT_IS_OPEN 4

/**
 * Normal and depth are the smallest translation, along the mean normals of the triangles that cross, that separates them. The force is
 * bounded as for OPEN.
 */
#define DEM_CONTACT_IS_LEAST_TRANSLATION 8
/** One of the bodies is inside the other one, which is solid, as a whole. */
#define DEM_CONTACT_IS_CONTAINED 16
/** No direction is better than another, as for spheres with the same centre: the normal is one of them. */
#define DEM_CONTACT_IS_DEGENERATE 32

/**
 * The enclosed part may be wrong. The meshes have defects: tests of inside and outside contradict each other, or the volume or the
 * area was larger than possible and was limited. Or a mesh passes through itself there, or looks inward and does not hold the other
 * body: it may be turned inside out. Then contacts of surfaces that do not cross have this bit, too.
 * The force is bounded as for OPEN.
 */
#define DEM_CONTACT_IS_UNSURE 64
/** Sheets with two sides lie in each other: both sides push, and no direction leads out. */
#define DEM_CONTACT_IS_COINCIDENT 128
/** The bodies penetrate by more than the thickness of one of them at this place. This body is thinner than the sum of both halos. */
#define DEM_CONTACT_IS_THIN 256
/** No event: `pair` of all events of a pair but the first. */
#define DEM_EVENT_NONE 0
/** The contact, or the pair, was not there in the last step. */
#define DEM_EVENT_BEGIN 1
/** The contact, or the pair, was there in the last step, and is there in this step. */
#define DEM_EVENT_PERSIST 2
/** The contact, or the pair, was there in the last step, and is not there in this step. */
#define DEM_EVENT_END 3

/** A contact of two bodies. */
typedef struct dem_contact {
    /**
     * Identifies the contact in its list, which is ordered by key. For two bodies, the key is the same in every step: the first word is the tag; the
     * second has the first triangle of A's patch in its upper half, and that of B's patch in its lower. In scenes, the first word is the index of
     * the contact's pair in `pairs` of this step, and the second has the features of its node with the largest force. These may change from step to
     * step; `links` tell which contact continues which.
     */
    uint64_t key[2];
    /** Where the force acts, in world coordinates. */
    double position[3];
    /** Unit vector from B to A: the direction of the force on A. */
    double normal[3];
    /**
     * Torque on A about `position`, divided by k, that the force alone does not produce: a length cubed; 0 if all of the contact pushes in one
     * direction.
     */
    double moment[3];
    /** Mean gap over the area: at most `halo`. For flat faces it is 0 when they touch; for a ball that touches, half of `halo`. */
    double gap;
    /** The smallest gap; if the bodies penetrate, minus the largest depth. */
    double least_gap;
    /** Pressure law: the force on A is k (1 - gap / halo) area. */
    double area;
    /**
     * Point law: the force on A is K (1 - g / halo) share, with g the smallest `least_gap` of the body pair's contacts. Shares sum to 1
     * over the contacts of a body pair.
     */
    double share;
    /** Sum of both halos; if triangles have different halos, the mean of the sum over the contact. */
    double halo;
    /** `DEM_CONTACT_*`: the kind of the contact. */
    uint32_t kind;
    /**
     * Bits of `DEM_CONTACT_IS_*`. UNSURE, COINCIDENT, THIN, OPEN and LEAST_TRANSLATION are warnings: force and depth may be wrong, so check mesh,
     * halo and pose. The other bits occur in sound scenes, too. With OPEN, LEAST_TRANSLATION or UNSURE the contact may appear at once and deep. Its
     * `area` is such that the pressure law pushes as if the depth were at most `halo`. Besides surfaces within the halos, it pushes with at most k
     * times the surface of the common box of both bodies. A law that uses the depth should limit it: max(least_gap, -halo). The laws of the library
     * do, and give back no more energy than was put in.
     */
    uint32_t status;
    /**
     * Stored energy divided by k, if the query asks for it (`energies`). Force and torque of a body pair are minus k times the gradient of the sum
     * of `energy` over the contacts of the pair. A length cubed; 0 if the query does not ask for it, and under the law of facing.
     */
    double energy;
    /**
     * Sum of the magnitudes of the forces on its sides, divided by the magnitude of their vector sum. The friction force is at most the coefficient
     * times `wedging` times the force. 1 on a flat surface and where a convex edge or a corner meets another body; in a groove, 1 over the cosine of
     * the slope of its sides.
     */
    double wedging;
    /** Effective radius 1 / (1/R_A + 1/R_B) of balls, capsules and half-spaces, with radii that include halos; 0 for other bodies. */
    double radius;
    /** From `position` to the centroid of the area, if the query asks for it (`spreads`); else 0. */
    double offset[3];
    /**
     * Second moment of the pressure about `position`, divided by the sum of the pressure, if the query asks for it (`spreads`); else 0. A length
     * squared, in world axes: xx, yy, zz, xy, xz, yz. The mean square of the distance from an axis n is xx + yy + zz less n' S n.
     */
    double spread[6];
    /**
     * How the normal turns across the contact of two meshes, if the query asks for it (`spreads`); else 0. A symmetric matrix H in world axes, in the
     * order of `spread`: at a place r from `position` and across `normal`, the surface that both bodies share has the normal `normal + H r`. It is
     * 0 where one of the bodies is flat, and about -1/R along an arc of radius R in B in which A lies. Unit: one over a length.
     */
    double curvature[6];
} dem_contact;

/** A patch of A and a patch of B that press on each other: a part of a contact. */
typedef struct dem_contact_node {
    /** Features of both bodies that meet: the second half of the key of a contact with this node alone. */
    uint64_t features;
    /** Index of the contact that it belongs to. */
    uint32_t contact;
    /** Magnitude of its force, divided by k: an area. */
    float force;
} dem_contact_node;

/** The link from a contact of this step to the last step. Numbers are indices in the list of the last step. */
typedef struct dem_contact_link {
    /** The contact that this one continues; `DEM_NO_ID` if it begins in this step. No two contacts continue the same one. */
    uint32_t origin;
    /**
     * The contact whose spring it takes over: the one with which it has the most force in common, else its origin, else a neighbour in the same
     * pair, else `DEM_NO_ID`. If it takes over several springs, the first of its blends.
     */
    uint32_t source;
} dem_contact_link;

/**
 * A blend: if a contact of this step takes over several springs, the part that it takes from one contact of the last step.
 *
 * Blends are ordered by `now`; those of one contact by weight, the largest first. A contact without blends takes over the spring of its `source`.
 */
typedef struct dem_contact_blend {
    /** Index of the contact in the list of this step. */
    uint32_t now;
    /** Index of the contact in the list of the last step. */
    uint32_t last;
    /** Its part of the mean. The weights of a contact add up to 1. */
    double weight;
} dem_contact_blend;

/** An event: a contact begins, persists or ends. */
typedef struct dem_contact_event {
    /** `DEM_EVENT_BEGIN`, `DEM_EVENT_PERSIST` or `DEM_EVENT_END`. */
    uint32_t contact;
    /** In the first event of a pair, what happens to the pair: it begins to touch, persists, or ends. `DEM_EVENT_NONE` in all other events. */
    uint32_t pair;
    /** Its index in the list of this step; `DEM_NO_ID` if it ends. */
    uint32_t now;
    /** Its index in the list of the last step; `DEM_NO_ID` if it begins. */
    uint32_t last;
} dem_contact_event;

/** A corner of a contact. */
typedef struct dem_contact_corner {
    /** Half-way between both surfaces, in world coordinates: position + gap / 2 normal is on A, position - gap / 2 normal on B. */
    double position[3];
    /** From B's surface to A's along the contact's normal; negative where they penetrate. */
    double gap;
    /** Index of its contact in the list. */
    uint32_t contact;
    /**
     * Its place among the corners of the contact, from 0. The deepest corner comes first. Each next corner is the one farthest from the hull of
     * those before it. So the first few corners are the best few.
     */
    uint32_t order;
    /**
     * The features of A and B that meet at the corner. An edge between vertices v and w > v is v << 32 | w, a vertex v is v << 32 | v. All bits are
     * set for anything else: the inside of a flat part, spheres, half-spaces, and both features if the corner is the position of its contact. Of
     * several vertices at one position, the first one's number is used. With the pair of bodies and the second number of its contact's `key`, the
     * features identify the corner from one step to the next, so a solver finds its last impulse. A point that lies on an edge of the other body
     * within rounding may have either name. If boxes of one size stand exactly above each other, a motion of 1e-9 may rename all corners: then
     * take the nearest corner of the last step.
     */
    uint64_t features[2];
    /**
     * If the gaps of all corners are larger than `gap_error`, nothing touches between them. This also holds after a motion that brings nothing
     * nearer by more than the halo. All corners of a contact have the same bound. Where faces lie above each other, no gap along the contact's
     * normal is smaller than the smallest gap of its corners less the bound. At vertices of faces above faces, and where edges cross, the gap is
     * smaller than the one interpolated between the corners by at most the bound. (`least_gap` of the contact is the smallest distance in any
     * direction, or minus a depth, and may be smaller.)
     * About 0 for flat parts; more if the contact covers curved parts, or if some corners are left out.
     */
    double gap_error;
} dem_contact_corner;

/* ------------------------------------------------------------------------------------------------------------------------
 * Scenes.
 *
 * A program with many bodies calls one function in every time step. This function reads the poses of all bodies in the program's own arrays. It
 * gives all contacts, the contact of the last step that each contact continues, and the contacts of each body.
 *
 * - At the start: dem_shape_init for each mesh; dem_scene_layout and dem_scene_init.
 * - In every step: dem_scene_detect, with scratch; dem_scene_view. Then the program computes a force for each contact by its own law and, with the
 *   pressure law, the torque `k moment`. Here dem_scene_velocities gives velocities for dashpots and friction. dem_scene_wrenches sums forces and
 *   torques for each body.
 *
 * Bodies may have `ids`. Contacts are then ordered, matched and summed by ids. So a program may sort its arrays, remove bodies by swapping, or move
 * them to another process. Each pair of bodies keeps its springs, and no bit changes. Without ids, the id of a body is its index.
 *
 * If processes share a space, each process has copies of bodies that other processes own: ghosts (`DEM_MOTION_GHOST`). A process finds contacts of
 * its own bodies with ghosts. It finds no contacts of two ghosts; their owners find these. If a body has the same id in all processes, both
 * processes find the same contact with the same bits.
 *
 * For trial steps of an implicit integrator or a coupling, call dem_scene_find any number of times, with other positions each time: it links
 * contacts to the committed step. Then dem_scene_commit commits the contacts found last. dem_scene_detect does both.
 *
 * If memory is too small, `short_of` of the error has sizes: of the scene (dem_scene_grow), of the query (`pairs`, `pair_contacts`), and of scratch.
 * Make the same call with these sizes. Those of meshes are estimates, so a few such rounds may be needed. dem_scene_step does all of this by itself.
 *
 * For forces that act beyond the halos, such as lubrication, a `margin` in the query gives a second list of contacts: those of halos whose sum is
 * larger by the margin. An argument of functions names the list (`DEM_LIST_MARGIN`). The first list has the same bits as without a margin. If all
 * halos may be as wide as the range of the force, one list is enough: see "How fast surfaces of a scene move in contact" below.
 *
 * "Those of the scene" in lists of errors are errors about `scene` that all these calls may give: DEM_ERROR_NULL; DEM_ERROR_MISALIGNED (scenes start at
 * multiples of DEM_ALIGN); DEM_ERROR_DAMAGED: no scene of this version, or something has overwritten it; DEM_ERROR_BUSY: another call works on it;
 * DEM_ERROR_POISONED: an earlier call on it was cut short; DEM_ERROR_UNSUPPORTED: it is a world.
 */

/** A list of contacts of a scene: those with a force, `contacts` of `dem_scene_contacts`. */
#define DEM_LIST_CONTACTS 0
/** The list of contacts within the margin of the query: `margin_contacts` of `dem_scene_contacts`. */
#define DEM_LIST_MARGIN 1

/** A scene: the address of its block. */
typedef struct dem_scene dem_scene;

/** The room of a scene's block. */
typedef struct dem_scene_desc {
    /** `sizeof(dem_scene_desc)`. */
    uint32_t struct_size;
    /** The most bodies. */
    uint32_t bodies;
    /** The most pairs of bodies whose bounds meet or, with a `skin` in the query, are near; 0: eight for each body and 1024 more. */
    uint32_t candidates;
    /** The most contacts, and also the most pairs that have some; 0: four for each body and 1024 more. */
    uint32_t contacts;
    /** Cell sizes, 1 to 64; 8 by default, which is good for most size ratios. */
    uint32_t levels;
    /** The most pairs with their own poses (`dem_scene_find_pairs`); 0 by default: each body has one pose. */
    uint32_t posed;
    /**
     * The most nodes of contacts; 0: eight for each contact, which is enough for boxes and for meshes of some hundred triangles. Finer meshes have
     * dozens in a contact: `dem_scene_room` estimates how many.
     */
    uint32_t nodes;
    /**
     * The most contacts in the list within the margin, and also the most pairs that have some (`margin` in the query); 0, the default: there is no
     * such list.
     */
    uint32_t margin_contacts;
} dem_scene_desc;

/**
 * Two bodies that have contacts. Both ids and the image identify the pair within a step. In the next step the image may have another number: links
 * and events of the scene tell which contacts continue.
 */
typedef struct dem_scene_pair {
    /** Ids of A and B. The id of A is smaller, or the same if a body meets its own image. Without ids these are the indices of the bodies. */
    uint64_t ids[2];
    /** Index of A in the program's arrays. */
    uint32_t a;
    /** Index of B. */
    uint32_t b;
    /** Index of its first contact in the list. */
    uint32_t first;
    /** One more than the index of its last contact. */
    uint32_t end;
    /**
     * The periodic image of B. 0, 0, 0 is the image whose bounding sphere has its centre nearest to that of A. If another image
     * becomes the nearest, contacts continue under another number. For a body and its own image, the first number that is not 0 is positive.
     */
    int32_t image[3];
    /** How many periods B is moved along each axis to meet A. */
    int16_t shift[3];
    /** 0. */
    uint16_t spare;
    /** The index of the pair's own poses in the library; `DEM_NO_ID` if the poses are those of the bodies. */
    uint32_t posed;
    /** The smallest `least_gap` of its contacts, g of the point law; infinite if there are none. */
    double least_gap;
    /** Sum of the `energy` of its contacts; 0 if the query does not ask for it. */
    double energy;
} dem_scene_pair;

/** The data that a committed step keeps of a contact. */
typedef struct dem_scene_kept {
    /** Where the force acted. */
    double position[3];
    /** The area of the contact. */
    double area;
} dem_scene_kept;

/**
 * Pointers to the contacts found last, in the scene's block. They are valid until the next call that changes the scene (`dem_scene_detect`,
 * `dem_scene_find`, `dem_scene_commit` and others). Then take a view again, also of the new block after `dem_scene_grow`.
 */
typedef struct dem_scene_contacts {
    /** All contacts, ordered by key: the index of the pair in `pairs`, then the features of both bodies. */
    const dem_contact *contacts;
    /** For each contact, the contact of the last step that it continues: indices in `last_contacts`. */
    const dem_contact_link *links;
    /** Number of contacts. */
    size_t count;
    /** The pairs of bodies that have contacts, ordered by ids and image. */
    const dem_scene_pair *pairs;
    /** Number of pairs. */
    size_t pair_count;
    /** For each body, the end of its contacts in `touches`. They begin at the end of the contacts of the body before. */
    const uint32_t *touch_ends;
    /**
     * The contacts of each body: first those in which it is A, as 2 i for contact i; then those in which it is B, as 2 i + 1. There are
     * twice as many items as contacts.
     */
    const uint32_t *touches;
    /** Number of bodies. */
    size_t body_count;
    /** The pairs of the committed step, to which `links` refer, ordered by ids and image. */
    const dem_scene_pair *last_pairs;
    /** Number of these pairs. */
    size_t last_pair_count;
    /** The contacts of the committed step, with the data that it keeps. */
    const dem_scene_kept *last_contacts;
    /** The second half of the key of each of these contacts. */
    const uint64_t *last_features;
    /** Number of these contacts. */
    size_t last_count;
    /** For each contact of the last step, the index in `contacts` of the contact that continues it; `DEM_NO_ID` if it ended. */
    const uint32_t *successors;
    /** For contacts that take over several springs: which springs, and how much of each; indices in `contacts` and `last_contacts`. */
    const dem_contact_blend *blends;
    /** Number of blends. */
    size_t blend_count;
    /**
     * The nodes of `contacts`, ordered by pair and features. The list has the nodes of all contacts of a pair, or none of them: then each contact of
     * the pair is one node.
     */
    const dem_contact_node *nodes;
    /** Number of nodes. */
    size_t node_count;
    /** The nodes of `last_contacts`, likewise. */
    const dem_contact_node *last_nodes;
    /** Number of these nodes. */
    size_t last_node_count;
    /**
     * The contacts within the margin: the contacts for a sum of both halos that is larger by `margin` of the query. Without a margin there are none.
     * They are not matched with contacts of the last step.
     */
    const dem_contact *margin_contacts;
    /** Number of these contacts. */
    size_t margin_count;
    /** Their pairs of bodies, with ids, images and order as in `pairs`. All pairs of `pairs` are among them. */
    const dem_scene_pair *margin_pairs;
    /** Number of these pairs. */
    size_t margin_pair_count;
    /** As `touch_ends`, in `margin_touches`. */
    const uint32_t *margin_touch_ends;
    /** As `touches`, for contacts within the margin. */
    const uint32_t *margin_touches;
    /**
     * Bytes from one contact to the next, in every list of contacts here: `sizeof(dem_contact)` of the library that runs. This library may be newer
     * than the header.
     */
    size_t contact_stride;
    /** Bytes from one pair to the next. */
    size_t pair_stride;
    /** Bytes from one link to the next. */
    size_t link_stride;
    /** Bytes from one record of a committed contact to the next. */
    size_t kept_stride;
    /** Bytes from one blend to the next. */
    size_t blend_stride;
    /** Bytes from one node to the next. */
    size_t node_stride;
} dem_scene_contacts;

/** Two bodies that are near. */
typedef struct dem_near_pair {
    /** The body with the smaller index; in scenes, the one with the smaller id. */
    uint32_t a;
    /** The other body; equal to `a` if a body meets its own image. */
    uint32_t b;
    /** How many periods B is moved along each axis to meet A; 0 along axes that are not periodic. */
    int16_t shift[3];
    /** 0. */
    uint16_t spare;
} dem_near_pair;

/**
 * How much memory a scene needs.
 *
 * Outputs (each may be null): `size`: bytes of the block: some 200 for each body, 524 for each contact, 48 for each node, 16 for each candidate and
 * 312 for each contact within the margin. A copy or a file takes the same number; `dem_scene_size` tells it for an existing scene. `align`:
 * `DEM_ALIGN`.
 * Inputs: `desc`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_scene_layout(size_t *size,
                         size_t *align,
                         const dem_scene_desc *desc,
                         dem_error *error);

/**
 * Makes an empty scene.
 *
 * Outputs: `scene`: the scene, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_scene_layout` says. `desc`.
 * Memory: the block belongs to the caller, who may copy, store and discard it at any time. It holds neither shapes nor bodies.
 * Errors: those of `dem_scene_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_scene_init(void *memory,
                       size_t size,
                       dem_scene **scene,
                       const dem_scene_desc *desc,
                       dem_error *error);

/**
 * Makes a larger scene that continues another one.
 *
 * Outputs: `grown`: the new scene, whose address is `memory`. `scene` stays as it is.
 * Inputs: `scene`. `memory`, `size`, `desc`: as for `dem_scene_init`; no number of `desc` may be smaller than in `scene`.
 * Memory: both blocks must not overlap.
 * Errors: those of `dem_scene_init`; those of the scene; `DEM_ERROR_CAPACITY` about `scene`: less room than before;
 * `DEM_ERROR_OVERLAP`.
 * Cost: a copy.
 * Threads: any; nobody may change the scene or use the memory during the call.
 */
int32_t dem_scene_grow(void *memory,
                       size_t size,
                       dem_scene **grown,
                       const dem_scene *scene,
                       const dem_scene_desc *desc,
                       dem_error *error);

/**
 * Opens bytes as a scene, if they come from a file, another process, or a copy that was made during a call.
 *
 * A copy of a scene that the same process made between calls needs no opening. The function checks only the header: a damaged scene
 * may give wrong answers or an error, nothing worse.
 *
 * Outputs: `scene`: the scene, whose address is `memory`. The mark of a call in progress, in its first 64 bytes, is cleared; nothing else changes.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than the copied bytes.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`.
 * Cost: some nanoseconds.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_scene_open(void *memory,
                       size_t size,
                       dem_scene **scene,
                       dem_error *error);

/**
 * Commits the contacts found last: the next step is linked to them. If nothing was found since the last commit, nothing changes.
 *
 * Outputs: `scene`. `dem_scene_view` still shows the same contacts, but take a view again: pointers of earlier views may be invalid.
 * Errors: those of the scene.
 * Cost: none.
 * Threads: any; nobody may use the scene during the call.
 */
int32_t dem_scene_commit(dem_scene *scene,
                         dem_error *error);

/**
 * Commits some of the pairs found last. All other pairs keep the contacts that were committed before: pairs that are not taken, and
 * pairs that were not searched. In periodic boxes a pair replaces the committed pair that was at the same place, even if the nearest image is
 * another one now. Pairs that are kept get the `image` numbers that the same two bodies have in the pairs found last.
 *
 * Outputs: `scene`: `dem_scene_view` shows no contacts afterwards. `origins`, room for `origin_capacity`: the origin of each contact of the new
 * committed step, so that a program can merge its own data of contacts: 2 i + 1 for contact i of those found last, 2 i for
 * contact i of the previous committed step. `count` (may be null): how many there are.
 * Inputs: `taken`, `taken_count`: a number for each of `pairs` of `dem_scene_view`: not 0 commits the pair.
 * Memory: `taken`, `origins` and the scene must not overlap each other.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_MISMATCH` about `taken`: another number than were found, about
 * `periods`: others than those of the committed step; `DEM_ERROR_CAPACITY` about `origins`, and about `contacts`, `nodes` and `poses`
 * (`dem_scene_grow`); `DEM_ERROR_OVERLAP`. After an error nothing changes.
 * Cost: a copy.
 * Threads: any; nobody may use the scene during the call.
 */
int32_t dem_scene_commit_pairs(dem_scene *scene,
                               uint32_t *origins,
                               size_t origin_capacity,
                               size_t *count,
                               const uint32_t *taken,
                               size_t taken_count,
                               dem_error *error);

/**
 * Discards the contacts found since the last commit. There is no need to call this function before another trial.
 *
 * Outputs: `scene`: the committed step does not change; `dem_scene_view` shows no contacts.
 * Errors: those of the scene.
 * Cost: none.
 * Threads: any; nobody may use the scene during the call.
 */
int32_t dem_scene_abandon(dem_scene *scene, dem_error *error);

/**
 * A hash of everything in the committed step that later steps depend on. Neither trials nor `dem_scene_grow` change it.
 *
 * Outputs: `hash`.
 * Inputs: `scene`.
 * Errors: those of the scene; `DEM_ERROR_NULL`.
 * Cost: a pass over the data of the committed step: about 100 bytes for each contact, 56 for each body.
 * Threads: any number at a time.
 * Determinism: the same on every machine for the same steps; the hash includes the positions of bodies.
 */
int32_t dem_scene_hash(uint64_t *hash, const dem_scene *scene, dem_error *error);

/**
 * Gives pointers to the contacts found by the last step or trial that succeeded. After `dem_scene_abandon` there are none.
 *
 * A program that may run with a newer library uses the strides of the view. A program that is built with the library it runs with may ignore them.
 *
 * Outputs: `view`: the function writes `view_size` bytes, at most `sizeof(dem_scene_contacts)`: pointers into the scene's block, valid until
 * the next call that changes the scene. None of them is null.
 * Inputs: `scene`. `view_size`: `sizeof(dem_scene_contacts)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
 * Cost: about half a microsecond.
 * Threads: any number at a time.
 */
int32_t dem_scene_view(dem_scene_contacts *view,
                       size_t view_size,
                       const dem_scene *scene,
                       dem_error *error);

/**
 * Contact `i` of a view, with `i` below `count`. It uses the stride of the library that runs, which may be newer than the header.
 */
static inline const dem_contact *dem_contact_at(const dem_scene_contacts *view, size_t i) {
    return (const dem_contact *)(const void *)((const char *)(const void *)view->contacts + i * view->contact_stride);
}

/**
 * Pair `i` of a view, with `i` below `pair_count`, also by the stride of the library that runs.
 */
static inline const dem_scene_pair *dem_pair_at(const dem_scene_contacts *view, size_t i) {
    return (const dem_scene_pair *)(const void *)((const char *)(const void *)view->pairs + i * view->pair_stride);
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts of a scene.
 *
 * Body i is item i of every array. Arrays of `uint32_t` have the type DEM_U32; an array whose `data` is null means
 * the default value for every body.
 */

/** One contact for each place where two bodies touch; several contacts if the place faces several directions, such as a box in a corner. */
#define DEM_GROUPING_REGIONS 0

/**
 * One contact for each pair of flat parts, one of each body, that push on each other. `dem_contact_clamp` in dem_pair.h clamps the normals of such
 * contacts.
 */
#define DEM_GROUPING_PATCHES 1

/**
 * One contact for each pair of bodies. If the sum of its forces is smaller than half of their magnitudes, as in a narrow groove: the contacts of
 * `DEM_GROUPING_REGIONS`.
 */
#define DEM_GROUPING_BODIES 2
/** Moved by forces. */
#define DEM_MOTION_DYNAMIC 0
/** Moved by the program, in a world by velocities that the program sets. Also walls whose vertices move. */
#define DEM_MOTION_KINEMATIC 1
/** Never moves. */
#define DEM_MOTION_STATIC 2

/**
 * A ghost: a copy of a body that another process moves. It stays where the program puts it. It forms pairs with dynamic and kinematic bodies. Two
 * ghosts form no pair: the processes that own them find it.
 */
#define DEM_MOTION_GHOST 3

/**
 * What a hierarchical grid chose and expected, and what its search found.
 *
 * The grid tests all pairs of bodies in the same cell or in neighbouring ones. Far more tests than expected: bodies are much denser in some places
 * than in others.
 */
typedef struct dem_grid_report {
    /** Number of levels; 0 if no grid was needed, as for few bodies, or if the program named the pairs. */
    uint64_t levels;
    /** Cell size of each level in units of length, smallest first, then zeros. */
    double sizes[16];
    /** Bodies on each level. */
    uint64_t bodies[16];
    /** Pairs in neighbouring cells that the choice of sizes expected, for each body. */
    double expected;
    /** Pairs that were tested, for each body. */
    double tested;
} dem_grid_report;

/** Counts of a step. */
typedef struct dem_scene_counts {
    /**
     * Pairs of bodies whose bounds meet. Bounds are spheres; for bodies much larger than most others, and for a few that are lost far away, they are
     * boxes.
     */
    uint64_t candidates;
    /** Pairs of bodies that have contacts. */
    uint64_t pairs;
    /** Contacts. */
    uint64_t contacts;
    /** Contacts that continue a contact of the last step. */
    uint64_t persisting;
    /** Pairs of triangles that touch or cross each other. */
    uint64_t crossing;
    /** Pairs of bodies in the neighbour list. They are more than the candidates if the list has a `skin`, also one that the library chose. */
    uint64_t listed;
    /** Steps since the neighbour list was made; 0 if it was made in this step. */
    uint64_t age;
    /** Pairs of bodies that have contacts within the margin. */
    uint64_t margin_pairs;
    /** Contacts within the margin. */
    uint64_t margin_contacts;
    /** The grid by which the neighbour list was found. */
    dem_grid_report grid;
} dem_scene_counts;

/** The bodies of a scene, and the settings of a step. */
typedef struct dem_scene_query {
    /** `sizeof(dem_scene_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /**
     * The table of shapes: spheres, capsules, half-spaces, meshes, compounds. Any number of bodies may use a shape. `pose` is the pose of a shape in
     * the frame of its bodies; with `part_pose` of dem_mass, this frame has its origin in the centre of mass of a mesh. The identity, or all zeros:
     * both frames are equal. `scale` is ignored, because each body has its own.
     */
    const dem_placed *shapes;
    /** Number of shapes. */
    size_t shape_count;
    /** Bytes from one to the next; 0: `sizeof(dem_placed)` of version 0.1. */
    size_t shape_stride;
    /** The most near pairs of triangles of any two bodies: room in the scratch of each thread; 0: 256. */
    size_t pairs;
    /** The most contacts of two bodies; 0: 64. */
    size_t pair_contacts;
    /** Which forces are summed to one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default. */
    size_t grouping;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
    /** Lengths of the box along axes that are periodic, 0 along others; 0, 0, 0 by default. */
    double periods[3];
    /**
     * The largest distance that a contact may slide in a step and still be matched, in units of length. Contacts with the same features or nodes are
     * matched at any distance. A good value is the larger of T and the distance that surfaces slide in a step. Infinity by default: a new contact
     * then takes over the spring of another contact of its pair, at any distance.
     */
    double bound;
    /**
     * The skin of the neighbour list. The list holds pairs of bodies whose bounds are up to this far apart. It is used until some body moves, turns
     * or grows by more than half of the skin. The skin changes no result, only time and the room for candidates (`candidates` in `dem_scene_desc`).
     * A good value is a few times the distance that bodies move in a step: some hundredths of a radius. 0, the default: from the second step on, the
     * skin is a tenth of the smallest radius, if bodies move much less than that in a step and the list fits. Otherwise every step makes a new list.
     */
    double skin;
    /**
     * A length. If it is larger than 0, there is a second list of contacts (`margin_contacts` of `dem_scene_contacts`) for forces that act
     * beyond the halos. It has the contacts for T + `margin` in place of the sum T of both halos: each halo is wider by half of the
     * margin. The margin changes no bit of the first list. Contacts of the second list are not matched. `margin_contacts` in
     * `dem_scene_desc` is the room of the second list. 0, the default: there is no second list.
     */
    double margin;
    /** Positions of the origins of the bodies' frames: three numbers each. The length of this array is the number of bodies. */
    dem_array positions;
    /** Orientations: quaternions x y z w; the identity by default. */
    dem_array orientations;
    /** All lengths of a body are multiplied by this; 1 by default. */
    dem_array scales;
    /**
     * Halos of spheres, capsules and half-spaces; they replace the halos of the shapes and are not scaled. By default, bodies have the halos of
     * their shapes.
     */
    dem_array halos;
    /** The shape of each body, counted from 0; integers of 32 bits; 0 by default. */
    dem_array shape_of;
    /**
     * `DEM_MOTION_*`. Two bodies that are both not dynamic have no contacts, except a kinematic body and a ghost. With a `skin`, the
     * neighbour list assumes that static bodies do not move; if one moves, a new list is made. Integers of 32 bits; 0 by default.
     */
    dem_array motions;
    /** Bits of the groups that a body belongs to; integers of 32 bits; all by default. */
    dem_array groups;
    /** Bits of the groups with which a body has contacts; two bodies meet only if the masks of both allow it. Integers of 32 bits; all by default. */
    dem_array masks;
    /** Ids of the bodies, all different: `DEM_U64`; by default the indices in these arrays. Do not use the id of a removed body again. */
    dem_array ids;
    /**
     * For `DEM_GROUPING_REGIONS`, in radians, 0 to pi: forces at a larger angle from their sum do not form one contact. A quarter of pi by default.
     * Wider angles mostly give fewer contacts, each with a larger `moment`. But forces that cancel are not joined, so a ball in a socket may have
     * thousands of contacts at pi. The force and the torque of a pair of bodies stay the same. Two sides of one mesh at a right angle that are
     * equally near are two contacts at a quarter of pi. A place on one flat patch of either body is one contact
     * at any angle.
     */
    double angle;
    /**
     * 1: contacts and pairs have their `energy`, which takes some more time, most for balls; 0, the default: they do not. No other number depends on
     * this field.
     */
    uint64_t energies;
    /**
     * 1: contacts have their `offset`, `spread` and `curvature`, which takes some more time for meshes; 0, the default: they do not. No other number depends on
     * this field. Worlds set it if their laws need it.
     */
    uint64_t spreads;
} dem_scene_query;

/**
 * One step: finds all contacts of all bodies, links them to those of the last step (`dem_scene_find`), and commits them
 * (`dem_scene_commit`).
 *
 * Outputs: as for `dem_scene_find`.
 * Inputs: as for `dem_scene_find`.
 * Errors: those of `dem_scene_find`. After an error the scene is as before.
 * Cost: that of `dem_scene_find`.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_find`.
 */
int32_t dem_scene_detect(dem_scene *scene,
                         dem_scene_counts *counts,
                         size_t counts_size,
                         const dem_scene_query *query,
                         void *scratch,
                         size_t scratch_size,
                         dem_error *error);

/**
 * Finds all contacts of all bodies as a trial, and links them to those of the committed step.
 *
 * The function reads the committed step and does not change it, so the result does not depend on earlier trials. All functions that take a scene use
 * the contacts found last. `dem_scene_commit` makes them the committed step.
 *
 * For two bodies, and for each periodic image of B, the nodes are those of `dem_placed_contacts`; `grouping` tells which nodes form
 * a contact. A is the body with the smaller id. Positions are near A; the `shift` of the pair moves B there. Half-spaces, and
 * compounds with a half-space, have no images.
 *
 * Outputs: `scene`: the contacts, for `dem_scene_view`. `counts` (may be null): the function writes `counts_size` bytes, at most
 * `sizeof(dem_scene_counts)`.
 * Inputs: `scene`. `query`: bodies, threads. `scratch`, `scratch_size`: at any
 * alignment. With less scratch, down to the need of one thread, fewer threads work on meshes.
 * Memory: scratch and scene must not overlap each other, nor shapes and arrays.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the scene, or
 * a shape of the table; `DEM_ERROR_MISMATCH`: arrays of different lengths; `DEM_ERROR_UNSUPPORTED` about `cells`: a shape that was built without;
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`, `DEM_ERROR_BAD_INDEX`: about an array with body and component, or about `shapes` with its place
 * (`component` as for `dem_placed_contacts`); `DEM_ERROR_DUPLICATE` about `ids`, with both places (`index`, `given`); `DEM_ERROR_OUT_OF_RANGE` about
 * `centres` and `radii`, those of the spheres around bodies: farther than 4096 periods or 2^400 from the origin, wider than 64 periods; about
 * `margin`: negative; `DEM_ERROR_UNSUPPORTED`: a compound in a compound; `DEM_ERROR_OVERLAP`; `DEM_ERROR_CAPACITY` about `bodies`, `candidates`,
 * `contacts`, `margin_contacts`, `nodes`, `poses` (`dem_scene_grow`), `pairs`, `pair_contacts` (of the query) and `scratch`: the first that is too
 * small; `short_of` of the error has all of them. After an error nothing has changed, with one exception. If a shape was changed during the call
 * (`DEM_ERROR_BUSY` about `shapes`), the contacts found before are discarded; the committed step stays.
 * Cost: some hundred nanoseconds for a sphere; for meshes some 0.1 microseconds for each pair of triangles within the halos. If ids are not
 * ascending, a copy of all arrays, and a sort if their order differs from the last call.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: the same bits on every machine, with every instruction set, number of threads, size of memory, and order of bodies that have ids.
 */
int32_t dem_scene_find(dem_scene *scene,
                       dem_scene_counts *counts,
                       size_t counts_size,
                       const dem_scene_query *query,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * As `dem_scene_find`, for pairs that the program lists: its own candidates, or some of all pairs. Each pair may have its own poses. The function
 * finds the contacts of all listed pairs; bounds, `motions`, `groups` and `masks` have no effect. `pairs` of `dem_scene_view` has all of these
 * pairs, including pairs without contacts. `dem_scene_commit` makes them the whole step. `dem_scene_commit_pairs` commits some and keeps all other
 * pairs of the committed step.
 *
 * Outputs: as for `dem_scene_find`.
 * Inputs: as for `dem_scene_find`. `pairs`, `pair_count`: each pair once, in any order; B is moved by `shift` periods to meet A. `poses` (may be
 * null: those of the bodies): for each pair the pose of A and that of B, not moved by periods. The scene has room for `posed` pairs with poses
 * (`dem_scene_desc`).
 * Memory: scratch and scene must not overlap each other, nor anything else.
 * Errors: those of `dem_scene_find`; about `pairs` with the index of the pair: `DEM_ERROR_BAD_INDEX` for a body that does not exist,
 * `DEM_ERROR_OUT_OF_RANGE` for a shift that is not allowed for a body and itself, or along an axis that is not periodic, or of an unbounded body,
 * `DEM_ERROR_DUPLICATE` with both places; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE` and `DEM_ERROR_CAPACITY` about `poses`.
 * Cost: that of the contacts, and a pass over all bodies.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_find`.
 */
int32_t dem_scene_find_pairs(dem_scene *scene,
                             dem_scene_counts *counts,
                             size_t counts_size,
                             const dem_scene_query *query,
                             const dem_near_pair *pairs,
                             size_t pair_count,
                             const dem_pose *poses,
                             void *scratch,
                             size_t scratch_size,
                             dem_error *error);

/**
 * Sums the forces and torques on each body over its contacts.
 *
 * Outputs: `forces_out`, `torques_out` (either may be null or without data): three numbers for each body, `DEM_F32` or
 * `DEM_F64`; torques in world coordinates, about `centres`. They are zero for a body without contacts.
 * Inputs: `scene`. `list`: `DEM_LIST_CONTACTS` or `DEM_LIST_MARGIN`. `forces`: on A at the contact's position, three numbers for each contact of the
 * list; the opposite force acts on B. `torques` (may be null): on A, three numbers for each contact, added to the torques of the forces; the
 * pressure law needs `k moment` here. `centres` (may be null): a point for each body, such as its centre of mass; by default the positions of the
 * bodies. `tasks` (may be null): threads of the program.
 * Memory: outputs must not overlap `forces`, `torques` and the scene. The numbers of one body must not overlap those of another body or its centre.
 * All may be fields of one struct of the program.
 * Errors: those of the scene; `DEM_ERROR_NULL`: `forces`; `DEM_ERROR_MISMATCH`: arrays of other lengths; `DEM_ERROR_NOT_FINITE`: which
 * number of which array is NaN or infinite; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OUT_OF_RANGE`: types; `DEM_ERROR_OVERLAP`. After an error nothing is
 * written.
 * Cost: some ten nanoseconds a contact and a body.
 * Threads: any; nobody may change the scene during the call.
 * Determinism: sums are taken in the order of contacts, with any number of threads.
 */
int32_t dem_scene_wrenches(const dem_output *forces_out,
                           const dem_output *torques_out,
                           const dem_scene *scene,
                           const dem_array *forces,
                           const dem_array *torques,
                           const dem_array *centres,
                           const dem_tasks *tasks,
                           uint32_t list,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Room for the first step of a scene.
 *
 * A scene in memory of a fixed size needs numbers before there is a step: of contacts, nodes, and near triangles of two bodies. The defaults of
 * dem_scene_desc are good for balls, boxes, and meshes of some hundred triangles. For finer meshes, dem_scene_room estimates all of them from the
 * shapes. If a step needs more, the error tells it; the error of a step without scratch has these estimates, too.
 */

/**
 * Estimates the room that the first steps of a scene need, from the number of bodies and their shapes.
 *
 * Outputs: `desc`: all fields; `posed` is 0, and `margin_contacts` is 0 without a margin. `pairs` (may be null): `pairs` of the query for any two of
 * these bodies, at least as many as the query has; it may be this field of the query.
 * Inputs: `struct_size`: `sizeof(dem_scene_desc)`. `query`: that of the step: bodies, shapes, `margin`. Positions and `halos` are not read:
 * halos are those of the shapes.
 * The estimates allow for a heap of bodies in which each body touches six others, and contacts are as deep as a tenth of a radius. Bodies that lie
 * deeper in each other, or large flat faces of many triangles on each other, need more: a step that lacks room tells how much is enough.
 * Errors: those of `dem_scene_find` about shapes, scales, `shape_of` and the lengths of arrays; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`;
 * `DEM_ERROR_UNSUPPORTED`: a shape without cells, or a compound in a compound; `DEM_ERROR_TOO_LARGE`.
 * Cost: some ten nanoseconds a body, and some tenths of a microsecond where the shape is another than that of the body before.
 * Determinism: the same numbers on every machine.
 */
int32_t dem_scene_room(dem_scene_desc *desc,
                       size_t struct_size,
                       size_t *pairs,
                       const dem_scene_query *query,
                       dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Memory that grows.
 *
 * A program with an allocator need not compute memory sizes. It gives the library a `dem_block` for each shape and for each scene, with a
 * function that gets memory. For malloc, dem_heap.h has this function. A step is then one call:
 *
 *   dem_block rock = dem_heap(), scene = dem_heap();
 *   dem_shape_build(&rock, &desc, &error);
 *   in every step: dem_scene_step(&scene, &counts, sizeof counts, &query, &error);
 *   dem_free(&scene); dem_free(&rock);
 *
 * The handles `dem_shape_in(&rock)` and `dem_scene_in(&scene)` are for all functions that take a shape or a scene. A handle changes when the object
 * grows. Only functions of this chapter let objects grow.
 */

/**
 * Builds a shape as `dem_shape_init` does, in memory that the library gets from the program.
 *
 * Outputs: `shape`: `start` is the shape, in `size` bytes.
 * Inputs: `shape`: its `resize`, and memory of earlier calls, if any, which is used again if it is large enough. `desc`: as for `dem_shape_init`.
 * Memory: as for `dem_shape_init`. The old content of the memory is lost, also after an error.
 * Errors: those of `dem_shape_init`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed: there is no function that gets memory, or it returned
 * none; `DEM_ERROR_MISALIGNED`: the memory that it returned.
 * Cost: that of `dem_shape_init`.
 * Threads: any; nobody may use the memory during the call.
 * Determinism: as for `dem_shape_init`.
 */
int32_t dem_shape_build(dem_block *shape,
                        const dem_shape_desc *desc,
                        dem_error *error);

/**
 * One step of a scene as by `dem_scene_detect`, in memory that the library gets from the program. This memory holds the scene itself, which the
 * first step makes, with room for all bodies, four candidates for each, and at most 5,120 contacts and nodes. Scratch is after it.
 *
 * If there is too little room, the scene grows: each size that is too small becomes a quarter larger than needed. Then the step continues without
 * computing again the contacts that had room. The function that gets memory must not change anything that the query refers to. The new sizes are
 * kept for later steps.
 *
 * Outputs: `scene`: `start` is the scene, in `size` bytes. `counts` (may be null): the function writes `counts_size` bytes, at most
 * `sizeof(dem_scene_counts)`.
 * Inputs: `scene`: its `resize`, and the scene of the last step; or a scene that the program has made (`dem_scene_init`) in `size` bytes, where the
 * bytes after the scene are scratch. `query`: as for `dem_scene_detect`; `pairs` and `pair_contacts` need not be set.
 * Memory: as for `dem_scene_detect`. To copy the scene, copy its first `dem_scene_size` bytes. With scratch, a million balls with 1.27 million
 * contacts take 1.6 GB, and 216 rocks of 20,480 triangles, whose 360 contacts have 0.9 million nodes, 136 MB. 2,000 fibres side by side take 67
 * bytes for each of their 2 million candidates.
 * Errors: those of `dem_scene_detect`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed: the function that gets memory returned none;
 * `DEM_ERROR_MISALIGNED`: the memory that it returned. Without such a function `DEM_ERROR_CAPACITY` as for `dem_scene_detect`. After an error the
 * scene has the same content, perhaps at another address and with more room.
 * Cost: that of `dem_scene_detect`, a microsecond, and .1 microseconds for each shape.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_find`; the amount of room changes no bit.
 */
int32_t dem_scene_step(dem_block *scene,
                       dem_scene_counts *counts,
                       size_t counts_size,
                       const dem_scene_query *query,
                       dem_error *error);

/**
 * The corners of all contacts of a step of `dem_scene_step`, as by `dem_scene_corners`, in memory that the library gets from the program. Engines
 * call the corners of a contact a manifold. Each contact has at most `most` corners, four by default.
 *
 * Outputs: `corners`: `start` is a list of `count` records `dem_contact_corner`; the next call uses the memory again. `scene`: neither the committed
 * step nor the last trial changes. The scene may move to another address, so take views of it again.
 * Inputs: `scene`: as `dem_scene_step` left it. `corners`: its `resize`. `most`, `query`: as for `dem_scene_corners`.
 * Memory: as for `dem_scene_corners`.
 * Errors: those of `dem_scene_corners`; `DEM_ERROR_CAPACITY` about `block` with the bytes needed, `DEM_ERROR_MISALIGNED` and `DEM_ERROR_OVERLAP` as
 * for `dem_scene_step`, about either block.
 * Cost: that of `dem_scene_corners`; twice that if there is too little room for the corners.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_corners`.
 */
int32_t dem_scene_manifolds(dem_block *scene,
                            dem_block *corners,
                            size_t *count,
                            const dem_scene_query *query,
                            size_t most,
                            dem_error *error);

/**
 * How many bytes a scene takes, without the scratch after it. Copy or store this many bytes; `dem_scene_open` opens them again.
 *
 * Outputs: `size`: bytes.
 * Inputs: `scene`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`.
 * Cost: none.
 */
int32_t dem_scene_size(size_t *size,
                       const dem_scene *scene,
                       dem_error *error);

/**
 * The shape in a block.
 */
static inline dem_shape *dem_shape_in(const dem_block *block) {
    return (dem_shape *)block->start;
}

/**
 * The scene in a block.
 */
static inline dem_scene *dem_scene_in(const dem_block *block) {
    return (dem_scene *)block->start;
}

/**
 * The corners in a block that `dem_scene_manifolds` or `dem_world_manifolds` has filled.
 */
static inline const dem_contact_corner *dem_corners_in(const dem_block *block) {
    return (const dem_contact_corner *)block->start;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Phases of a step of a scene.
 *
 * `dem_scene_bounds`, `dem_scene_candidates`, `dem_scene_find_pairs` and `dem_scene_commit`, one after the other, find the same contacts as
 * `dem_scene_detect`. A program that calls these functions itself may leave out pairs of bodies, or add its own.
 */

/**
 * Computes a sphere around each body with its halo, without a margin.
 *
 * Outputs: `centres`: three numbers for each body, in units of length; `radii`: one for each. `DEM_F64` or `DEM_F32`, which rounds; either may be
 * null or without data. For an unbounded body (a half-space, a compound with a half-space), the centre is the origin and the radius is infinite.
 * Inputs: `scene`: not changed. `query`: bodies. `scratch`, `scratch_size`: at any alignment.
 * Memory: outputs must not overlap the arrays of bodies, scene and scratch; they may lie side by side in a struct of the program's.
 * Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_CAPACITY` about `centres` and `radii`; `DEM_ERROR_OUT_OF_RANGE`: types.
 * Cost: some nanoseconds a body, and each part of a compound.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_bounds(dem_scene *scene,
                         const dem_output *centres,
                         const dem_output *radii,
                         const dem_scene_query *query,
                         void *scratch,
                         size_t scratch_size,
                         dem_error *error);

/**
 * Lists the pairs of bodies for which `dem_scene_find` computes contacts: `motions`, `groups` and `masks` allow them, and their bounds meet.
 * `dem_scene_find_pairs` takes such a list, whole or in part.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): packed, ordered by ids, then by shift. `a` is the body with the smaller id. `count` (may be
 * null): how many there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `scene`: neither the committed step nor the last trial changes. `query`: bodies. `scratch`, `scratch_size`: at any
 * alignment.
 * Memory: pairs, scratch and scene must not overlap each other nor anything else.
 * Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_CAPACITY` about `output`, with the exact number.
 * Cost: some hundred nanoseconds a body; some ten while a neighbour list with a `skin` is used again.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_find`.
 */
int32_t dem_scene_candidates(dem_scene *scene,
                             dem_near_pair *pairs,
                             size_t capacity,
                             size_t *count,
                             const dem_scene_query *query,
                             void *scratch,
                             size_t scratch_size,
                             dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * From one step of a scene to the next.
 *
 * A scene matches its contacts by itself. A program keeps its own data of contacts, such as the elongations of friction springs, in an
 * array beside the contacts. After every dem_scene_detect or dem_scene_find it carries the data along:
 *
 * - dem_scene_view: how many contacts there are now, and how many there were in the last step;
 * - dem_scene_carry: from the array of the last step to the array of this step;
 * - the program's own law (see "Contacts: what forces act on"); then exchange both arrays. After a trial, exchange them only if the trial is
 *   committed.
 *
 * dem_scene_events tells which contacts began and which ended.
 */

/**
 * `kind` of `dem_scene_carry`. Three numbers: a vector, such as the springs of friction and rolling. As by `dem_contact_carry`, it is
 * rotated by the mean rotation of both bodies, projected across the normal, and scaled to its old length.
 */
#define DEM_CARRY_TANGENT 0
/** Three numbers: a vector, such as the spring of torsion. It is rotated likewise, then aligned with the normal or its opposite, whichever is nearer. */
#define DEM_CARRY_NORMAL 1
/** One number, which does not rotate. */
#define DEM_CARRY_NUMBER 2

/**
 * Tells which contacts begin, persist and end.
 *
 * Outputs: `events`: one for each contact found last, and one for each contact of the committed step that ended, ordered by ids, image and features.
 * Indices are those in `contacts` and `last_contacts` of `dem_scene_view`. `event_count` (may be null): how many there are, even if they are more
 * than `event_capacity`. The number of contacts of both steps together is always enough.
 * Inputs: `scene`.
 * Memory: events must not overlap the scene.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY` (`needed` events); `DEM_ERROR_OVERLAP`.
 * Cost: some nanoseconds a contact.
 * Threads: any; nobody may change the scene during the call.
 * Determinism: the same on every machine.
 */
int32_t dem_scene_events(dem_contact_event *events,
                         size_t event_capacity,
                         size_t *event_count,
                         const dem_scene *scene,
                         dem_error *error);

/**
 * Carries the program's own data of contacts, such as the elongations of springs, from the committed step to the contacts found last.
 *
 * The function only reads the data of the committed step, so a program may call it for each trial.
 *
 * Outputs: `values`: for each contact (`count` of `dem_scene_view`) as many numbers as `kind` has, vectors in world axes; a weighted mean
 * if the contact has `blends`; zero if it has no source.
 * Inputs: `of_last`: the same number for each contact of the last step (`last_count`); null: there is no data, and all values are zero. `kind`:
 * `DEM_CARRY_*`. `scene`. `tasks` (may be null): threads of the program.
 * Memory: values must not overlap anything else.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OUT_OF_RANGE`: tasks, `kind`; `DEM_ERROR_OVERLAP`. After an error
 * nothing is written.
 * Cost: some tens of nanoseconds a contact.
 * Threads: any; nobody may change the scene during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_carry(double *values,
                        const dem_scene *scene,
                        const double *of_last,
                        const dem_tasks *tasks,
                        uint32_t kind,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * How fast surfaces of a scene move in contact.
 *
 * dem_scene_velocities gives the relative velocity of the surfaces at all contacts of a scene. It reads arrays of the program: velocities of bodies,
 * and of the vertices of walls that a flow moves. One step of a solver of fluid-structure interaction is
 *
 * - for each mesh whose vertices move: dem_shape_refit;
 * - dem_scene_detect, dem_scene_view;
 * - dem_scene_velocities: the velocity of A's surface less that of B's, at each contact; dem_scene_motions: how fast they rotate, too;
 * - the program's law: springs, dashpots, lubrication (below);
 * - dem_scene_wrenches: forces and torques of bodies; dem_scene_loads: the load on each vertex of a wall.
 *
 * Forces that act before surfaces touch, such as lubrication, act within the sum T of the halos. So choose halos as wide as the range of the force.
 * (Halos of spheres are in the array `halos` of the query, halos of meshes in their shapes.) If halos must stay thin, because elastic forces begin
 * there, use a `margin`: it gives a second list of contacts for such forces (13_lubrication.c). Contacts of wide halos cost more, reach around edges
 * (a block that lies on a wall has some hundredths of its share at its edges) and include surfaces behind a fold.
 *
 * `least_gap` is the distance of the surfaces: from T to 0, and negative if they penetrate. If two bodies have several contacts, `share` divides the
 * one force of the pair:
 *
 * - in general F = share f(least_gap, v), with v = -(velocity . normal), the speed at which the surfaces approach;
 * - lubrication between spheres of radii a and b: f = 6 pi mu R^2 v (1 / h - 1 / T), with h = max(least_gap, roughness) and 1/R = 1/a + 1/b (R = a
 *   for a wall). It begins with 0 at h = T, and is attractive when surfaces separate, as in liquids. If facets represent a smooth surface, use the
 *   smallest least_gap of the two bodies for all their contacts, which share one film;
 * - a spring between solids, which begins at touch: F = K max(0, -least_gap) share. (The laws with gap / halo begin at T.)
 */

/** A body whose vertices move by themselves. */
typedef struct dem_scene_surface {
    /** Its shape: a mesh, in the state in which contacts were found. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved_2;
    /** The scale of the body: 1 if the query had none. */
    double scale;
    /** The index of the body in the scene. */
    uint32_t body;
    /** 0. */
    uint32_t reserved;
    /**
     * Velocities of all vertices from which the shape was built, in their order, in the frame of the shape and unscaled units: three numbers an
     * item. `dem_scene_loads` ignores them.
     */
    dem_array vertices;
    /**
     * The pose of the mesh in the frame of the body, in unscaled units: its `pose` in the table of shapes. The identity, or all zeros: both frames
     * are equal.
     */
    dem_pose pose;
    /**
     * Null, the default, or the query of the step with all its bodies: `dem_scene_loads` then spreads the load of each contact over all triangles
     * that it covers. Velocities do not depend on this field.
     */
    const dem_scene_query *bodies;
    /** 0. */
    size_t reserved_3;
} dem_scene_surface;

/** How the bodies of a scene move: body i is item i of every array, in the order of the query. */
typedef struct dem_scene_motion {
    /** `sizeof(dem_scene_motion)`. */
    uint32_t struct_size;
    /** The list of contacts for which velocities are computed: `DEM_LIST_CONTACTS`, the default, or `DEM_LIST_MARGIN`. */
    uint32_t list;
    /** Velocities of the bodies' centres, in world axes: three numbers each; at rest by default. */
    dem_array velocities;
    /** Angular velocities, in world axes, in radians over time; 0 by default. */
    dem_array spins;
    /**
     * The points to which `velocities` refer, in world coordinates, usually centres of mass. By default the positions at which contacts were found:
     * those of the query, or of pairs with poses of their own. (dem_scene_wrenches takes those of the query, so name the points for such pairs.)
     */
    dem_array centres;
    /** Bodies whose vertices also move by themselves; may be null if there are none. */
    const dem_scene_surface *surfaces;
    /** Number of these bodies. */
    size_t surface_count;
    /** Bytes from one to the next; 0: `sizeof(dem_scene_surface)` of version 0.1. */
    size_t surface_stride;
    /** 0. */
    size_t reserved_2;
} dem_scene_motion;

/**
 * How much scratch `dem_scene_velocities` and `dem_scene_motions` need.
 *
 * Outputs: `scratch_size`: bytes, some 80 kilobytes for each of the program's threads; 0 if no vertices move. The size depends on the
 * contacts for which the scene has room, not on their current number.
 * Inputs: `scene`, `motion`, `tasks`: as for `dem_scene_velocities`.
 * Errors: those of `dem_scene_velocities` about the scene, `motion` and shapes; `DEM_ERROR_NULL`.
 * Cost: about 0.1 microseconds, and as much for each surface.
 */
int32_t dem_scene_velocities_scratch(size_t *scratch_size,
                                     const dem_scene *scene,
                                     const dem_scene_motion *motion,
                                     const dem_tasks *tasks,
                                     dem_error *error);

/**
 * Computes for each contact of a scene the velocity of A's surface less that of B's, at the contact.
 *
 * The velocities are those of `dem_contact_velocities`, with both bodies at their positions in the last successful step. If B is a periodic image,
 * its velocity is that of this image.
 *
 * If a law of the program needs the rotation of surfaces, too, use `dem_scene_motions`.
 *
 * Outputs: `velocities`: three numbers, in world axes, for each contact of `list` (`count` of `dem_scene_view`).
 * Inputs: `scene`. `motion` (may be null: all at rest). `tasks` (may be null): threads of the program. `scratch`, `scratch_size`: at least
 * the size of `dem_scene_velocities_scratch`, at any alignment. With less, down to the need of one thread, fewer threads work.
 * Memory: `velocities` and scratch must not overlap each other nor anything else.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: `struct_size`, a stride;
 * `DEM_ERROR_MISMATCH`, `DEM_ERROR_NOT_FINITE` about `velocities`, `spins` or `centres`, with body and component; `DEM_ERROR_CAPACITY`:
 * scratch; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`. After an error nothing is written.
 * About `surfaces` with its place as `index`: `DEM_ERROR_BAD_INDEX`: no such body; `DEM_ERROR_NULL`, `DEM_ERROR_DAMAGED`,
 * `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: its shape; `DEM_ERROR_MISMATCH`: not as many velocities as vertices (`needed`, `given`);
 * `DEM_ERROR_NOT_FINITE`: a velocity (`given` is the vertex) or, with component 9, the scale; `DEM_ERROR_OUT_OF_RANGE`: the scale, which
 * is between 2^-500 and 2^500, a reserved field.
 * Cost: some ten nanoseconds a contact. If vertices move, some tenths of a microsecond for each of their contacts, and one pass over their
 * velocities for every thousand of these contacts.
 * Threads: any number at a time, each with velocities and scratch of its own; nobody may change the scene or a shape during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_velocities(double *velocities,
                             const dem_scene *scene,
                             const dem_scene_motion *motion,
                             const dem_tasks *tasks,
                             void *scratch,
                             size_t scratch_size,
                             dem_error *error);

/**
 * Computes for each contact of a scene the velocity and the angular velocity of A's surface less those of B's.
 *
 * Torsion, rolling resistance and damping of tilt act on the rotation of surfaces. A surface rotates with its body (`spins` of `motion`). Where
 * vertices of `surfaces` move, the rotation of the triangle below the contact is added: along the normal of the triangle half of the curl of the
 * vertices' velocity, and across the normal the rate at which it turns. So a triangle that moves as a rigid body adds the angular velocity of this
 * body, and a triangle that stretches evenly adds none. At such a surface, `velocities` are those of a body that rotates with the triangle, at the
 * contact. Those of `dem_scene_velocities` are at the closest point, half a gap away. So vertices that move as a rigid body give the velocities of
 * this body. The laws of worlds use the same velocities.
 *
 * Outputs: `velocities`: three numbers, in world axes, for each contact of `list`. `spins`: as many, in radians over time; `spin` of `dem_meeting`
 * in a world.
 * Inputs: as for `dem_scene_velocities`.
 * Memory: `velocities`, `spins` and scratch must not overlap each other nor anything else.
 * Errors: those of `dem_scene_velocities`; those about memory also about `spins`. After an error nothing is written.
 * Cost: that of `dem_scene_velocities`, and some nanoseconds a contact.
 * Threads: any number at a time, each with outputs and scratch of its own; nobody may change the scene or a shape during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_motions(double *velocities,
                          double *spins,
                          const dem_scene *scene,
                          const dem_scene_motion *motion,
                          const dem_tasks *tasks,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/**
 * A body of a scene with its mesh. `placed` is the row of the table of shapes that the body uses, a mesh. `body` is the index of the body, and
 * `scale` its scale, 1 if the query had none.
 */
static inline dem_scene_surface dem_surface_of(const dem_placed *placed, uint32_t body, double scale) {
    dem_scene_surface surface = {placed->shape, 0, scale, body, 0, {0, 0, 0, 0, 0, 0}, {{0, 0, 0}, {0, 0, 0, 0}}, 0, 0};
    surface.vertices.type = DEM_F64;
    surface.pose = placed->pose;
    return surface;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Loads on the vertices of a wall.
 *
 * A solver of fluid-structure interaction needs two functions for a wall. dem_scene_velocities interpolates the velocities of vertices at the
 * contacts. dem_scene_loads distributes the forces at the contacts to the vertices. It distributes them over all that a contact covers, or at the
 * closest point by the weights of the interpolation, which conserves power.
 */

/**
 * Computes the load on each vertex of a wall's mesh: its part of the forces at the wall's contacts.
 *
 * With `bodies` in `surface`, the load of a contact is spread over all triangles that it covers (the overlap whose corners `dem_scene_corners`
 * gives), by the pressure on each. The loads of a contact sum to its force, and their moment about any point is that of the force at its position,
 * up to rounding. If the force pushes along the contact's normal, no load pulls, unless the position is far from the middle of the covered area. The
 * torque `k moment` of a contact is not among its loads. The power of the loads is that of the forces if the covered vertices move as a rigid body.
 * Some contacts load the triangle at the closest point instead, with the same sums: those of balls and capsules, of two meshes deeper than four
 * halos, of edges with no face above another one, and of other parts of a compound. So the loads of two meshes of one compound must not be added.
 *
 * Without `bodies`, the force loads the corners of the triangle at the point of the mesh closest to the contact, by their weights there. So a wide
 * contact, such as that of a box that lies on the wall, loads one triangle. The loads sum to the force that `dem_scene_wrenches` gives for the body.
 * Their power at the velocities of the vertices equals the power of the forces at the velocities of `dem_scene_velocities`. Two torques are lost:
 * that of the arm of half a gap from the contact to the surface, and `k moment` of the contact.
 *
 * Outputs: `loads`: three numbers, in world axes, for each vertex from which the shape was built, in their order, `DEM_F32` or `DEM_F64`; zero for
 * vertices without a load.
 * Inputs: `scene`. `list`: `DEM_LIST_CONTACTS` or `DEM_LIST_MARGIN`. `surface`: the body and its mesh; `dem_surface_of` fills it from a row of the
 * table of shapes. `surface_size`: `sizeof(dem_scene_surface)`. `forces`: on A, three numbers for each contact of the list, as for
 * `dem_scene_wrenches`; forces at contacts of other bodies have no effect but must be finite. `scratch`, `scratch_size`: at any alignment. `bodies`
 * of `surface`: shapes, scales and ids are those of the step. For the scene of a world they are `shapes`, `scales` and `ids` of `dem_world_slots`,
 * for all slots of the step. Poses come from the step, so any finite `positions` are allowed. `pairs` of `bodies` is the room for triangle pairs of
 * two bodies.
 * Memory: `loads` and scratch must not overlap each other nor anything else.
 * Errors: with `bodies`, those of `dem_scene_corners` about the query; `DEM_ERROR_MISMATCH` about `surface`: the body has no such mesh;
 * `DEM_ERROR_UNSUPPORTED` about `surface`: `DEM_LIST_MARGIN` with `bodies`. Those of the scene; `DEM_ERROR_BAD_INDEX` about `surface`: no such body;
 * `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_MISMATCH`,
 * `DEM_ERROR_NOT_FINITE` about `forces`; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: the scale, types; `DEM_ERROR_CAPACITY`: `loads` (`needed`
 * vertices), scratch; `DEM_ERROR_OVERLAP`. After an error nothing is written.
 * Cost: some tenths of a microsecond for each contact of the body, and some nanoseconds a vertex. With `bodies`, also that of the corners of its
 * contacts, and some tenths of a microsecond for each pair of triangles that they cover.
 * Threads: any number at a time, each with loads and scratch of its own; nobody may change the scene or the shape during the call.
 * Determinism: the same bits on every machine: sums are taken in the order of contacts.
 */
int32_t dem_scene_loads(const dem_output *loads,
                        const dem_scene *scene,
                        const dem_scene_surface *surface,
                        size_t surface_size,
                        const dem_array *forces,
                        uint32_t list,
                        void *scratch,
                        size_t scratch_size,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Corners of a scene.
 *
 * A solver of impulses uses a few points of each contact, its corners. dem_scene_corners gives the corners of all contacts of a step in one call, on
 * the program's threads. Call it after dem_scene_detect, or after each dem_scene_find. For a definition of corners see dem_contact_corners in
 * dem_pair.h. Contacts begin where surfaces are T apart, the sum of both halos. So a solver of impulses can stop a body before it touches only if
 * bodies approach by less than T in a step. Divide frames if bodies are faster.
 */

/**
 * Finds the corners of all contacts found last, ordered by contact: at least one for each.
 *
 * Outputs: `corners` (may be null if `capacity` is 0): packed; `contact` is the index of the contact in `contacts` of `dem_scene_view`, `order`
 * counts from 0 in each contact. `count` (may be null): how many there are, even if they are more than `capacity`; 0 if the number is not known.
 * Inputs: `scene`: neither the committed step nor the last trial changes. `most`: the most corners of each contact; 0: four, the most important
 * ones; `SIZE_MAX`: all corners. `query`: the query of the step, with the same bodies and shapes; the function uses the positions of the step. Its
 * `pairs` is the room of each thread for triangle pairs of two bodies, its `tasks` are the threads. `scratch`, `scratch_size`: at any alignment;
 * usually the scratch of a step is enough. With less scratch, down to the need of one thread, fewer threads work.
 * Memory: corners, scratch and scene must not overlap each other, nor anything else.
 * Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_MISMATCH` about `positions`: another number of bodies than in the step,
 * about `ids`: another id than in the step; `DEM_ERROR_CAPACITY` about `output`, with the exact number, about `pairs` (in the query) with a number
 * that is enough for the pair of bodies that needs most, about scratch. After an error no corner is written.
 * Cost: a seventh to a quarter of the cost of finding the contacts; more if patches have many triangles each, since near triangles are then searched
 * again.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_corners(dem_scene *scene,
                          dem_contact_corner *corners,
                          size_t capacity,
                          size_t *count,
                          const dem_scene_query *query,
                          size_t most,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Ray casts.
 *
 * The first point where each ray meets a body (`dem_placed_cast`), the bodies of a scene (`dem_scene_cast`) or of a world
 * (`dem_world_cast`). Functions with `_all` at the end give all such points. No ray passes between two neighbouring triangles of a closed
 * mesh, and no ray hits both.
 * A ray meets surfaces from either side: if it begins inside of a body, it meets the surface where it leaves. Halos have no effect. Many
 * rays in one call cost less than one by one.
 */

/** A hit: where a ray meets a surface. */
typedef struct dem_ray_hit {
    /** Distance along the ray, in units of its direction's length; infinite if nothing is hit. */
    double t;
    /** The point, in world coordinates. */
    double point[3];
    /** Outward unit normal of the surface there, in world axes; zeros if a triangle has no area. */
    double normal[3];
    /** Id of the body in a scene; else 0. */
    uint64_t id;
    /** Index of the body in the query of a scene, else 0; all bits set if nothing is hit. */
    uint32_t body;
    /** Index of the part of a compound; else 0. */
    uint32_t part;
    /** Triangle of a mesh; 0 for spheres, capsules and half-spaces; all bits set if nothing is hit. */
    uint32_t triangle;
    /** 0: the ray comes from the side of the normal; 1: from the other side; 3: nothing is hit. */
    uint32_t side;
} dem_ray_hit;

/** A ray: all points `origin + t direction` with t from 0 to `most`, in world coordinates. */
typedef struct dem_ray {
    /** Start of the ray. */
    double origin[3];
    /** Direction of the ray, of any length from 2^-200 to 2^200. If it is a unit vector, t is a length. */
    double direction[3];
    /** The largest t of interest; infinity is allowed. */
    double most;
    /**
     * Bits of the groups of bodies that it meets, for casts at a scene or a world: usually `UINT32_MAX`, all groups. 0 is refused there.
     * `dem_placed_cast` does not use them.
     */
    uint32_t mask;
    /** 0. */
    uint32_t reserved;
} dem_ray;

/**
 * Finds the first point where each ray meets a body.
 *
 * Outputs: `hits`: packed, one for each ray; `t` is infinite if it meets nothing. Of hits at the same distance, the result is that of the
 * first part, and of the triangle with the smallest number.
 * Inputs: `body`: at its pose; a mesh must have cells. `rays`, `count`: packed.
 * Memory: hits must not overlap anything else.
 * Errors: those of `dem_placed_contacts` about body A; about `rays` with the index of the ray (`component`: 0 to 2 origin, 3 to 5
 * direction, 6 `most`, 7 `reserved`): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
 * `DEM_ERROR_OVERLAP`. After an error the content of `hits` is undefined.
 * Cost: about 0.15 microseconds for a ray and a sphere, some ten nanoseconds for each part of a compound that is not a mesh, about two microseconds
 * for a mesh.
 * Threads: any number at a time, each with hits of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_placed_cast(dem_ray_hit *hits,
                        const dem_placed *body,
                        const dem_ray *rays,
                        size_t count,
                        dem_error *error);

/**
 * Finds all points where each ray meets a body.
 *
 * Outputs: `hits`: those of the first ray, in the order along the ray, then those of the next one. `ends`: one number for each ray: the
 * end of its hits in `hits`, where the hits of the next ray begin. So the last number is the number of all hits. Of hits at the same
 * distance, that of the first part comes first, and of the triangle with the smallest number.
 * Inputs: those of `dem_placed_cast`. `capacity`: records for which `hits` has room.
 * Memory: hits and ends must not overlap each other nor anything else.
 * Errors: those of `dem_placed_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. After an error the content of `hits` and
 * `ends` is undefined.
 * Cost: that of `dem_placed_cast` without the end at the first hit; each ray's hits are sorted.
 * Threads: any number at a time, each with outputs of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_placed_cast_all(dem_ray_hit *hits,
                            size_t capacity,
                            uint64_t *ends,
                            const dem_placed *body,
                            const dem_ray *rays,
                            size_t count,
                            dem_error *error);

/**
 * Finds which body of a scene each ray meets first, and where.
 *
 * Outputs: `hits`: packed, one for each ray; `t` is infinite if the ray meets nothing. Of several bodies at the same distance, the one with the
 * smallest id is the hit.
 * Inputs: `scene`: not changed. `query`: the bodies at their present positions; a ray meets bodies with a group in its `mask`. Rays do not meet
 * periodic images: to meet these, cast the ray again, moved by a period. `rays`, `count`: packed. `scratch`, `scratch_size`: at any alignment.
 * Memory: hits, scratch and scene must not overlap each other nor anything else.
 * Errors: those of `dem_scene_find` that are not about contacts; those of `dem_placed_cast` about rays and hits; `DEM_ERROR_OUT_OF_RANGE` about
 * `rays` with component 8: a `mask` of 0. After an error the content of `hits` is undefined.
 * Cost: each call computes spheres around all bodies, some nanoseconds a body. For 256 rays or more, it also builds a tree of them, some hundred
 * nanoseconds a body; then a ray costs the logarithm of their number. With fewer rays, or less than some 40 bytes of scratch a body, a ray costs one
 * or two nanoseconds a body. The cost of `dem_placed_cast` is added for each body whose sphere the ray meets before the first hit.
 * Threads: any; nobody may use the scene during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_cast(dem_scene *scene,
                       dem_ray_hit *hits,
                       const dem_scene_query *query,
                       const dem_ray *rays,
                       size_t count,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * Finds all points where rays meet bodies of a scene.
 *
 * Outputs: `hits`: the hits of the first ray, in the order along the ray, then those of the next ray. `ends`: one number for each ray: the end of
 * its hits in `hits`, where the hits of the next ray begin. So the last number is the number of all hits. Of hits at the same distance, the one of
 * the body with the smallest id comes first.
 * Inputs: those of `dem_scene_cast`. `capacity`: records that `hits` has room for.
 * Memory: hits, ends, scratch and scene must not overlap each other nor anything else.
 * Errors: those of `dem_scene_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. After an error the content of `hits` and `ends` is
 * undefined.
 * Cost: twice that of `dem_scene_cast`, which here does not end at the first hit: the function first counts the hits.
 * Threads: any; nobody may use the scene during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_cast_all(dem_scene *scene,
                           dem_ray_hit *hits,
                           size_t capacity,
                           uint64_t *ends,
                           const dem_scene_query *query,
                           const dem_ray *rays,
                           size_t count,
                           void *scratch,
                           size_t scratch_size,
                           dem_error *error);

/**
 * The defaults of `dem_shape_desc`.
 */
static inline dem_shape_desc dem_shape_desc_default(void) {
    dem_shape_desc desc;
    (void)dem_defaults(&desc, sizeof desc, DEM_DEFAULT_SHAPE_DESC, NULL);
    return desc;
}

/**
 * The defaults of `dem_compound`.
 */
static inline dem_compound dem_compound_default(void) {
    dem_compound compound;
    (void)dem_defaults(&compound, sizeof compound, DEM_DEFAULT_COMPOUND, NULL);
    return compound;
}

/**
 * The defaults of `dem_scene_desc`.
 */
static inline dem_scene_desc dem_scene_desc_default(void) {
    dem_scene_desc desc;
    (void)dem_defaults(&desc, sizeof desc, DEM_DEFAULT_SCENE_DESC, NULL);
    return desc;
}

/**
 * The defaults of `dem_scene_query`.
 */
static inline dem_scene_query dem_scene_query_default(void) {
    dem_scene_query query;
    (void)dem_defaults(&query, sizeof query, DEM_DEFAULT_SCENE_QUERY, NULL);
    return query;
}

/**
 * The defaults of `dem_scene_motion`.
 */
static inline dem_scene_motion dem_scene_motion_default(void) {
    dem_scene_motion motion;
    (void)dem_defaults(&motion, sizeof motion, DEM_DEFAULT_SCENE_MOTION, NULL);
    return motion;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * The library without an operating system.
 *
 * libdem_core.a has the same functions. It needs no libc and no allocator. The host must provide memcpy, memmove,
 * memset, memcmp and the function below.
 */

/**
 * Defined by the host, and only with libdem_core.a. The library calls it when it finds a defect of its own.
 *
 * Inputs: `message`, `length` bytes of ASCII without a zero at the end: what happened and where.
 * It must not return. (If it does, the program ends in an illegal instruction or an endless loop.)
 */
void dem_host_panic(const char *message, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* DEM_H */
