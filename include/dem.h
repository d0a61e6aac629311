/*
 * dem: contact detection and rigid-body stepping for solid bodies of any shape: triangle meshes (non-convex, open, badly
 * made) and spheres, of any size ratio.
 *
 * This header is the manual. It includes nothing but <stddef.h> and <stdint.h> and works from C11, C++17 and, through
 * interoperable types, from Fortran (two programs of examples-c have modules to copy; functions that are `static inline` are
 * not for Fortran). It is made from the library's source: do not edit it.
 *
 * CONTENTS, chapter by chapter
 *   Versions
 *   Status and errors
 *   Memory
 *   Arrays
 *   Instruction sets
 *   Distances of triangles
 *   Which triangles are in contact
 *   Distances of points and segments
 *   Shapes
 *   Boxes and cylinders
 *   Shapes that change
 *   Queries of two shapes
 *   Threads
 *   Contacts of two bodies: what forces act on
 *   Contacts of spheres, half-spaces, meshes and compounds of these
 *   Corners of contacts, for solvers that work with impulses
 *   Clamped normals, for engines on surfaces that are badly welded
 *   How fast surfaces move in contact
 *   Contacts from step to step
 *   Scenes
 *   Contacts of a scene
 *   Memory that grows
 *   Phases of a step of a scene
 *   How fast surfaces of a scene move in contact
 *   What vertices of a wall bear
 *   Corners of a scene
 *   From one step of a scene to the next
 *   Bodies as spheres
 *   Pairs of spheres
 *   Spheres near boxes
 *   Points and a shape
 *   Ray casts
 *   What is wrong with a shape
 *   Where a shape crosses itself
 *   Mass properties of a shape
 *   Force laws
 *   Worlds
 *   Bodies of worlds
 *   Steps of worlds
 *   Rays at worlds
 *   Worlds that grow
 *
 * CONVENTIONS
 *   Every name begins with dem_ or DEM_. As a rule arguments come in this order: memory or object that is made, changed or
 *   measured, outputs (each with its capacity and count), inputs, scalars, scratch, `error`.
 *   There are no units: any consistent set will do. Angles are in radians, quaternions are x y z w.
 *   Flags, kinds and options are integers of fixed width, and are checked. Structs have no padding; fields called `reserved`
 *   are 0.
 *   Input structs begin with `struct_size` and are filled with defaults by their init function, which is told
 *   `sizeof` the struct. So a program goes on working with a newer library, and with an older one as long as it sets
 *   nothing that the older one does not know (DEM_ERROR_BAD_SIZE).
 *   Arrays are read and written in place, through strides in bytes: arrays of structs, structures of arrays, Fortran's
 *   a(3,n) and a(n,3), in float or double, at any alignment.
 *
 * MEMORY
 *   The caller owns everything. The library never allocates, and keeps no pointer beyond a call. There is nothing to free.
 *   An object lives in a block of the caller: a function called dem_..._layout says how many bytes it needs, dem_..._init
 *   builds it there, and from then on the block's address is the object. Blocks start at multiples of DEM_ALIGN bytes:
 *   ask malloc for DEM_ALIGN - 1 bytes more and use dem_align. A block may be copied to another address between calls, by
 *   memcpy, and the copy is an object of its own. Bytes from a file or another process go through dem_..._open, which
 *   checks them.
 *   Programs that have an allocator need not ask how much anything takes: dem_shape_build and dem_scene_step get memory through a
 *   function of the program, which is in a dem_block. dem_heap.h, beside this header, has one that uses malloc.
 *   Some calls need scratch memory: any bytes, at any alignment, whose content means nothing before and after the call.
 *   Memory that is written must not overlap other arguments, unless the function says that it may. (DEM_ERROR_OVERLAP tells of
 *   most that does; columns of the same structs are not compared.) A call uses at most
 *   64 KiB of stack.
 *
 * ERRORS
 *   Functions that can fail return a status: DEM_OK (0), a positive number that informs (DEM_NONE), or a negative one,
 *   DEM_ERROR_*. Where they take `error`, they fill it with what was wrong, where, and what would have been right;
 *   dem_error_format makes a sentence of it. `error` may be null.
 *   An output that is too small gives DEM_ERROR_CAPACITY with the exact number needed; nothing is lost, and the same call
 *   with enough room gives the full answer. A call that fails changes nothing but `error`, counts that say what is needed,
 *   and scratch, unless its comment says otherwise.
 *   No input crashes the library, as far as pointers and sizes are true. A defect of the library itself is DEM_ERROR_PANIC;
 *   the block that was being changed then answers DEM_ERROR_POISONED until it is restored from a copy.
 *
 * THREADS
 *   Any thread may call any function. Where the comment of a function says nothing of threads, any number of them may be in it at a
 *   time, each with outputs and scratch of its own. Calls that only read a block (it is `const`) may run at the same time; while a call
 *   changes a block no other may use it, and one that does gets DEM_ERROR_BUSY, which is a safety net and not a lock.
 *   The library starts no threads, has no global state, and reads no clock and no environment variable.
 *
 * DETERMINISM
 *   The same inputs give the same bits: on every instruction set, number of threads, address and machine, in hosts that flush
 *   subnormals to zero, change the rounding or trap. (Every call saves the floating-point environment, sets the default one
 *   and puts the host's back, on x86-64 and aarch64; elsewhere the host must have the default one set.)
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
/** A new patch version corrects. */
#define DEM_VERSION_PATCH 0
/** The three as one number: 10000 * major + 100 * minor + patch. */
#define DEM_VERSION 100
/** Grows when a program that was compiled before would no longer run rightly. */
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
/** Done, and there is no answer: nothing is near enough. */
#define DEM_NONE 1
/** A pointer is null where data is needed. */
#define DEM_ERROR_NULL (-1)
/** A pointer, a block or a stride is not aligned as it must be. */
#define DEM_ERROR_MISALIGNED (-2)
/** A buffer is too small; `needed` says how much would do. Nothing was lost, nothing is half-done. */
#define DEM_ERROR_CAPACITY (-3)
/** A number is NaN or infinite. */
#define DEM_ERROR_NOT_FINITE (-4)
/** A number is outside its range (a negative halo, an unknown option, a zero quaternion). */
#define DEM_ERROR_OUT_OF_RANGE (-5)
/** An index points behind the end of what it indexes; `given` is the index, `needed` the number of items. */
#define DEM_ERROR_BAD_INDEX (-6)
/** A `struct_size` or a stride is too small, or asks for fields that this version does not know. */
#define DEM_ERROR_BAD_SIZE (-7)
/** The sizes asked for do not fit this machine's addresses or the format's 32-bit ids. */
#define DEM_ERROR_TOO_LARGE (-8)
/** A block holds something else, another version, or damaged bytes. */
#define DEM_ERROR_DAMAGED (-9)
/** A block is in use by another thread. */
#define DEM_ERROR_BUSY (-10)
/** An earlier call on this block was cut short by a panic; restore it from a copy. */
#define DEM_ERROR_POISONED (-11)
/** This machine or this build has no such feature. */
#define DEM_ERROR_UNSUPPORTED (-12)
/** A defect of the library: please report it. */
#define DEM_ERROR_PANIC (-13)
/** Arguments that do not belong together: arrays of different lengths, a tree and the mesh of another body. */
#define DEM_ERROR_MISMATCH (-14)
/** Memory that is to be written overlaps memory that is to be read. */
#define DEM_ERROR_OVERLAP (-15)
/** Two items are the same where each must be different; `index` and `given` are both places. */
#define DEM_ERROR_DUPLICATE (-16)
/** `argument` of an error, where a program may do something about it: scratch. */
#define DEM_ARGUMENT_SCRATCH 2
/** Records to write; in a scene the contacts of two bodies (`pair_contacts`). */
#define DEM_ARGUMENT_OUTPUT 3
/** Pairs of triangles near each other: `pairs` of a query. */
#define DEM_ARGUMENT_PAIRS 25
/** The contacts that a scene has room for. */
#define DEM_ARGUMENT_CONTACTS 55
/** Events to write. */
#define DEM_ARGUMENT_EVENTS 60
/** The bodies that a scene has room for. */
#define DEM_ARGUMENT_BODIES 63
/** The candidate pairs of bodies that a scene has room for. */
#define DEM_ARGUMENT_CANDIDATES 96
/** The pairs at poses of their own that a scene has room for. */
#define DEM_ARGUMENT_POSES 105
/** Words of a list of near triangles. */
#define DEM_ARGUMENT_LIST 106
/** The nodes that a scene has room for. */
#define DEM_ARGUMENT_NODES 107
/** Blends to write. */
#define DEM_ARGUMENT_BLENDS 108
/** `margin_contacts` of `dem_scene_desc`. */
#define DEM_ARGUMENT_MARGIN_CONTACTS 147
/** Bytes that are always enough for `dem_error_format`, the zero at the end included. */
#define DEM_ERROR_TEXT 256

/**
 * What went wrong, where, and what would have been right. Filled by every function that takes one, with zeros where all
 * went well; pass null to do without.
 */
typedef struct dem_error {
    /** The status that the function returned. */
    int32_t code;
    /** Which argument it speaks of, `DEM_ARGUMENT_*` among others; `dem_argument_string` names it. */
    uint32_t argument;
    /** The first offending item of that argument; 0 where it is no list. */
    uint64_t index;
    /** The component of that item (0, 1, 2 for x, y, z); 0 where there is none. */
    uint32_t component;
    /** 0. */
    uint32_t reserved;
    /** What would have been enough (bytes, items), where that is known. */
    uint64_t needed;
    /** What was given. */
    uint64_t given;
} dem_error;

/**
 * Writes the sentence that tells a user what was wrong, where, and what to do.
 *
 * Outputs: `text`, `capacity` bytes: the sentence in ASCII, ended by a zero; an empty string where it does not fit.
 * `DEM_ERROR_TEXT` bytes always do. `needed` (may be null): bytes needed, the zero included.
 * Inputs: `error`, as another function filled it.
 * Errors: `DEM_ERROR_NULL` where `error` or `text` is null (`text` may be null if `capacity` is 0);
 * `DEM_ERROR_CAPACITY` where the sentence does not fit; `DEM_ERROR_OUT_OF_RANGE` where `error` holds numbers that this
 * library does not know.
 * Cost: about a microsecond.
 */
int32_t dem_error_format(const dem_error *error, char *text, size_t capacity, size_t *needed);

/**
 * The name of a status, such as `DEM_ERROR_NULL`; `unknown status` for a number that is none.
 *
 * Outputs: a constant string in ASCII, never null.
 * Errors: none.
 * Cost: none.
 */
const char *dem_status_string(int32_t status);

/**
 * The name of an argument that a `dem_error` speaks of, such as `vertices`; `unknown argument` for a number that is none.
 *
 * Outputs: a constant string in ASCII, never null.
 * Errors: none.
 * Cost: none.
 */
const char *dem_argument_string(uint32_t argument);

/* ------------------------------------------------------------------------------------------------------------------------
 * Memory.
 */

/** Blocks start at multiples of this. */
#define DEM_ALIGN 64

/**
 * Gets memory from the program and gives it back. `size` > 0: returns that many bytes at a multiple of `DEM_ALIGN`, whatever they hold, or null if there are none;
 * `old` is null and `old_size` 0. `size` = 0: `old` with its `old_size` bytes, which this function has returned or the program has put into the `dem_block`, is not
 * needed any more; what it returns is not looked at. `context` is that of the `dem_block`. To leave by an exception or `longjmp` is a mistake.
 */
typedef void *(*dem_resize)(void *context, void *old, size_t old_size, size_t size);

/** A block of memory, and how to get a larger one. `dem_heap.h` has one that uses malloc. */
typedef struct dem_block {
    /** Where the object is that lives here: its handle. Null: there is none yet. */
    void *start;
    /** Bytes of the memory from there on. */
    size_t size;
    /** Null: `size` bytes are all that there are, and calls that need more say so (`DEM_ERROR_CAPACITY`). */
    dem_resize resize;
    /** For `resize`. */
    void *context;
} dem_block;

/**
 * The first address at or after `memory` where a block may start: at most DEM_ALIGN - 1 bytes further on.
 */
static inline void *dem_align(void *memory) {
    return (unsigned char *)memory + (((uintptr_t)0 - (uintptr_t)memory) & (uintptr_t)(DEM_ALIGN - 1));
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

/**
 * Items of one, three or more numbers, to read: component c of item i lies at byte
 * `i * stride + c * component_stride` behind `data`.
 */
typedef struct dem_array {
    /** The first number, at any alignment; may be null if `count` is 0. */
    const void *data;
    /** Number of items: eight points are 8 items of three numbers each, and not 24. */
    size_t count;
    /** Bytes from one item to the next; 0: the items are packed. */
    size_t stride;
    /** Bytes from one component to the next; 0: the components are packed. */
    size_t component_stride;
    /** `DEM_F32` or `DEM_F64`; `DEM_U32` or `DEM_I32` for flags and places; `DEM_U64` for ids. */
    uint32_t type;
    /** 0. */
    uint32_t reserved;
} dem_array;

/** The same, to write. */
typedef struct dem_output {
    /** The first number, at any alignment; null: not wanted. */
    void *data;
    /** Number of items that there is room for. */
    size_t count;
    /** Bytes from one item to the next; 0: the items are packed. */
    size_t stride;
    /** Bytes from one component to the next; 0: the components are packed. */
    size_t component_stride;
    /** Number type of the items; the function says which it takes. */
    uint32_t type;
    /** 0. */
    uint32_t reserved;
} dem_output;

/**
 * Triangles, to read: component c of vertex k of triangle i lies at byte
 * `i * stride + k * vertex_stride + c * component_stride` behind `data`.
 */
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

/**
 * Segments, to read: component c of end k of segment i lies at byte
 * `i * stride + k * vertex_stride + c * component_stride` behind `data`.
 */
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

/** Items of two or three indices (triangles that make a pair, vertices of a triangle), to read, laid out as in `dem_array`. */
typedef struct dem_indices {
    /** The first index, at any alignment; may be null if `count` is 0. */
    const void *data;
    /** Number of items. */
    size_t count;
    /** Bytes from one item to the next; 0: the items are packed. */
    size_t stride;
    /** Bytes from one index of an item to the next; 0: they are packed. */
    size_t component_stride;
    /** `DEM_I32` or `DEM_U32`; a negative index is refused like one behind the end. */
    uint32_t type;
    /** The index of the first item that they point at: 0, or 1 as in Fortran. Results count from 0 all the same. */
    uint32_t base;
} dem_indices;

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

/* ------------------------------------------------------------------------------------------------------------------------
 * Instruction sets.
 */

/** The fastest one that this machine has: what functions use unless told otherwise. */
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
/** There are fewer than this. */
#define DEM_ISA_COUNT 8

/**
 * The instruction sets that this machine has and this library uses, slowest first. Any of them can be forced by the `isa`
 * argument of the functions that compute; results do not depend on it.
 *
 * Outputs: `isas` (may be null if `capacity` is 0), `capacity` items: at most `DEM_ISA_COUNT` numbers `DEM_ISA_*`.
 * `count` (may be null): how many there are.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY` where there are more than `capacity`; then nothing is written to `isas`.
 * Cost: detection by the first call, then none.
 */
int32_t dem_isa_list(uint32_t *isas,
                     size_t capacity,
                     size_t *count,
                     dem_error *error);

/**
 * The name of an instruction set, such as `avx2`; `unknown` where this machine does not have it. `DEM_ISA_BEST` gives the
 * name of the best.
 *
 * Outputs: a constant string in ASCII, never null.
 * Errors: none.
 * Cost: none.
 */
const char *dem_isa_name(uint32_t isa);

/**
 * The number of the fastest instruction set of this machine, never `DEM_ISA_BEST`.
 *
 * Errors: none.
 * Cost: detection by the first call, then none.
 */
uint32_t dem_isa_best(void);

/* ------------------------------------------------------------------------------------------------------------------------
 * Distances of triangles.
 */

/** The closest point is vertex 0 of its triangle. */
#define DEM_FEATURE_VERTEX_0 0
/** Vertex 1. */
#define DEM_FEATURE_VERTEX_1 1
/** Vertex 2. */
#define DEM_FEATURE_VERTEX_2 2
/** On the edge from vertex 0 to vertex 1. */
#define DEM_FEATURE_EDGE_0 3
/** On the edge from vertex 1 to vertex 2. */
#define DEM_FEATURE_EDGE_1 4
/** On the edge from vertex 2 to vertex 0. */
#define DEM_FEATURE_EDGE_2 5
/** Inside. */
#define DEM_FEATURE_FACE 6

/**
 * Where the results of pairs go: item i belongs to pair i. What is not wanted has null data, as everything has after
 * `dem_closest_points_init`.
 */
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
    /** On what part of A and of B the points lie: two integers `DEM_FEATURE_*`, of type `DEM_I32` or `DEM_U32`. */
    dem_output features;
} dem_closest_points;

/** How pairs of triangles are computed. */
typedef struct dem_triangle_options {
    /** `sizeof(dem_triangle_options)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /**
     * `DEM_F32` or `DEM_F64`: what is computed in; 0, the default: `DEM_F32` where both arrays of triangles are, else
     * `DEM_F64`.
     */
    uint32_t precision;
    /** 0. */
    uint32_t reserved;
} dem_triangle_options;

/**
 * Fills `results` so that nothing is wanted yet.
 *
 * Outputs: `results`.
 * Inputs: `struct_size`: `sizeof(dem_closest_points)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_closest_points_init(dem_closest_points *results, size_t struct_size);

/**
 * Fills `options` with the defaults.
 *
 * Outputs: `options`.
 * Inputs: `struct_size`: `sizeof(dem_triangle_options)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_triangle_options_init(dem_triangle_options *options, size_t struct_size);

/**
 * Distances and closest points of pairs of triangles.
 *
 * Pair i is triangle i of `a` with triangle i of `b`; where one of them holds a single triangle, that one is paired with
 * each of the other. With `pairs`, pair i is triangle `pairs[i][0]` of `a` with triangle `pairs[i][1]` of `b`.
 * The distance is exactly 0 where the triangles touch or cross, which exact predicates decide, and only there. Degenerate
 * triangles count as the segments and points that they are. Where closest points are not unique, they are some.
 *
 * Outputs: `results`: as many items as there are pairs in each array that is wanted; numbers as `float` or `double`
 * whatever is computed in. The arrays may lie between the inputs (in the same structs) but must not overlap them.
 * Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the
 * defaults).
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` names the triangle and its coordinate (vertex times 3 plus axis).
 * `DEM_ERROR_MISMATCH`: `a` and `b` differ in length, without `pairs`.
 * `DEM_ERROR_BAD_INDEX`: `pairs` points behind the end. `DEM_ERROR_CAPACITY`: a result has no room for all pairs.
 * `DEM_ERROR_OUT_OF_RANGE`: a type, or a `reserved` that is not 0. `DEM_ERROR_BAD_SIZE`: a stride smaller than a number,
 * or a `struct_size`. `DEM_ERROR_TOO_LARGE`: counts and strides that leave the address space. `DEM_ERROR_UNSUPPORTED`: an
 * instruction set that this machine has not.
 * Cost: in single precision about 40 ns a pair with AVX2, in double precision twice that; best in calls with 16 pairs or
 * more, where the arrays are read once, in order.
 * Determinism: the same bits for every instruction set, and for a pair alone or among others. Right to about 1e-6 (in
 * single precision) or 1e-12 (double) of the pair's largest coordinate.
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
 * Whether pairs of triangles are within a threshold, by a few sweeps of minimisation, and by the exact kernel, that of
 * `dem_triangle_distance`, where these do not tell. By default answers are proved: bounds of the distance that hold in spite
 * of rounding. The search of the papers that had the idea may be chosen to reproduce their tables; it misses contacts.
 * (P0: Noble and Weinzierl, A multiresolution Discrete Element Method for triangulated objects with implicit time stepping,
 * Algorithm 3.1; P4: Krestenitis, Weinzierl and Koziara, A fast triangle-based discrete element code, section 4.) The exact
 * kernel of this library is about as fast; so ask it where distances are wanted, too.
 */

/** Farther apart than the threshold. */
#define DEM_VERDICT_NONE 0
/** In contact: not farther apart than the threshold. */
#define DEM_VERDICT_CONTACT 1
/** Not found out; only without a fallback. */
#define DEM_VERDICT_UNRESOLVED 2
/** A sweep is a step on the distance, then one on the penalty, each by the diagonal of its Hessian: P0 (3.2) as printed. */
#define DEM_SCHEME_SPLITTING 1
/** One Newton step for distance and penalty together (P4 section 4.2). */
#define DEM_SCHEME_NEWTON 2
/** A step down the scaled gradient, as long as is best, and back into the triangles. */
#define DEM_SCHEME_PROJECTED 3

/**
 * The search ends where the functional changes by at most `c` * threshold / 2 * `unit` in the last sweep: P0 Algorithm 3.1.
 * Answers may be wrong either way.
 */
#define DEM_CRITERION_FUNCTIONAL 1
/** The search ends where the contact point moves by at most `c` * threshold / 2: P0 section 6.3. Answers may be wrong. */
#define DEM_CRITERION_CONTACT_POINT 2
/** Bounds of the distance prove each answer. */
#define DEM_CRITERION_CERTIFIED 3
/** Pairs that are not found out stay unresolved. */
#define DEM_FALLBACK_NONE 0
/** They go to the exact kernel. */
#define DEM_FALLBACK_PAIRS 1
/** They go to the exact kernel with all of their batch of `batch` pairs, as P0 packs them. */
#define DEM_FALLBACK_BATCHES 2

/** How contacts are found. */
typedef struct dem_contact_options {
    /** `sizeof(dem_contact_options)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /**
     * `DEM_F32` or `DEM_F64`: what is computed in; 0, the default: `DEM_F32` where both arrays of triangles are, else
     * `DEM_F64`.
     */
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
     * 1, the default: contacts go to the exact kernel, too, so that contacts, points and distances are its own. 0: the
     * search is believed. Not used with `DEM_FALLBACK_NONE`.
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
     * The distance up to which all pairs are in contact, such as the sum of both halos (2 epsilon in the papers); finite
     * and not negative, 0 by default.
     */
    double threshold;
    /** A threshold for each pair: one number an item. Null data, the default: all have `threshold`. */
    dem_array thresholds;
} dem_contact_options;

/**
 * Where answers go: item i belongs to pair i. What is not wanted has null data, as everything has after
 * `dem_contact_results_init`.
 */
typedef struct dem_contact_results {
    /** `sizeof(dem_contact_results)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** `DEM_VERDICT_*`: one integer of type `DEM_I32` or `DEM_U32`. */
    dem_output verdict;
    /** 1 where the exact kernel gave the answer, else 0: one integer. */
    dem_output exact;
    /** The distance of the two points below: one number. With `DEM_CRITERION_CERTIFIED` no pair is farther apart than that. */
    dem_output distance;
    /**
     * With `DEM_CRITERION_CERTIFIED`: no pair is closer than that; with the papers' criteria 0. Where the exact kernel
     * answered, the distance.
     */
    dem_output lower;
    /**
     * A point on A, the closest one where the exact kernel answered, else where the search ended: three numbers. With
     * the papers' criteria it may lie slightly beside the triangle.
     */
    dem_output point_a;
    /** The same on B. */
    dem_output point_b;
} dem_contact_results;

/** How much of the work was done by which kernel. */
typedef struct dem_contact_statistics {
    /** Pairs asked for. */
    uint64_t pairs;
    /** Pairs found in contact. */
    uint64_t contacts;
    /** Pairs that the search left open: the papers' fallbacks. */
    uint64_t unresolved;
    /** Pairs that the exact kernel computed: these, the others of their batches, and contacts if asked for. */
    uint64_t exact;
    /** Batches; 0 without `DEM_FALLBACK_BATCHES`. */
    uint64_t batches;
    /** Batches with an unresolved pair. */
    uint64_t exact_batches;
} dem_contact_statistics;

/**
 * Fills `options` with the defaults: proved answers, with distances and points of contacts by the exact kernel.
 *
 * Outputs: `options`.
 * Inputs: `struct_size`: `sizeof(dem_contact_options)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_contact_options_init(dem_contact_options *options, size_t struct_size);

/**
 * Fills `options` for P0 Algorithm 3.1 as it stands: the search is believed where it ends, and the exact kernel is asked
 * for the rest. Good for reproducing the papers' tables only: of its contacts as many are wrong as right.
 *
 * Outputs: `options`.
 * Inputs: `struct_size`: `sizeof(dem_contact_options)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_contact_options_paper(dem_contact_options *options,
                                  size_t struct_size);

/**
 * Fills `results` so that nothing is wanted yet.
 *
 * Outputs: `results`.
 * Inputs: `struct_size`: `sizeof(dem_contact_results)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_contact_results_init(dem_contact_results *results, size_t struct_size);

/**
 * Which pairs of triangles are within their thresholds.
 *
 * Pairs are made as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. With the default options a pair is
 * in contact if and only if the distance that `dem_triangle_distance` computes is at most its threshold; ties count. With
 * `DEM_CRITERION_CERTIFIED` and no fallback, an answer that is given is right, and the rest is `DEM_VERDICT_UNRESOLVED`.
 *
 * Outputs: `results`: as many items as there are pairs in each array that is wanted. The arrays may lie between the inputs
 * (in the same structs) but must not overlap them. `statistics` (may be null), of which `statistics_size` bytes are written,
 * at most `sizeof(dem_contact_statistics)`: how often which kernel was asked.
 * Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the
 * defaults, with a threshold of 0).
 * Errors: those of `dem_triangle_distance`; about `thresholds`: `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` with the
 * pair, `DEM_ERROR_CAPACITY`: fewer than pairs; `DEM_ERROR_OUT_OF_RANGE` about a field of `options`.
 * Cost: about 25 ns a pair in single precision, 40 ns in double, and as much again for each pair that goes to the exact
 * kernel.
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
 * What the distance of triangles is made of, for hosts that need just that, on arrays laid out and paired as for
 * `dem_triangle_distance`, with the same struct of results. Side A's closest point is `point_a`, and so on; there are as
 * many weights as an item has corners: one for a point, which is 1, two for a segment, three for a triangle. A point's
 * feature is `DEM_FEATURE_VERTEX_0`; a segment's are `DEM_FEATURE_VERTEX_0`, its start, `DEM_FEATURE_VERTEX_1`, its end,
 * and `DEM_FEATURE_EDGE_0`.
 */

/**
 * Distances and closest points of points, side A, and triangles, side B.
 *
 * Pairs are made as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A degenerate triangle is its longest
 * edge, or a point.
 *
 * Outputs: `results`: as many items as there are pairs in each array that is wanted; numbers as `float` or `double`
 * whatever is computed in. The arrays may lie between the inputs (in the same structs) but must not overlap them.
 * Inputs: `points`: three numbers an item. `triangles`, in the same frame. `pairs` (may be null): two indices an item: point,
 * triangle. `options` (may be null: the defaults): `precision`; the instruction set makes no difference.
 * Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the point or the triangle.
 * Cost: about 100 ns a pair.
 * Determinism: the same bits on every machine, and for a pair alone or among others. Right to a few units of roundoff of the
 * pair's largest coordinate.
 */
int32_t dem_point_triangle_distance(const dem_closest_points *results,
                                    const dem_array *points,
                                    const dem_triangles *triangles,
                                    const dem_indices *pairs,
                                    const dem_triangle_options *options,
                                    dem_error *error);

/**
 * Distances and closest points of points, side A, and segments, side B.
 *
 * Pairs are made as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A segment of length 0 is a point.
 *
 * Outputs: `results`, as for `dem_point_triangle_distance`.
 * Inputs: `points`: three numbers an item. `segments`, in the same frame. `pairs` (may be null): two indices an item: point,
 * segment. `options` (may be null: the defaults): `precision`; the instruction set makes no difference.
 * Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the point or the segment.
 * Cost: about 25 ns a pair.
 * Determinism: as `dem_point_triangle_distance`.
 */
int32_t dem_point_segment_distance(const dem_closest_points *results,
                                   const dem_array *points,
                                   const dem_segments *segments,
                                   const dem_indices *pairs,
                                   const dem_triangle_options *options,
                                   dem_error *error);

/**
 * Distances and closest points of two segments.
 *
 * Pairs are made as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A segment of length 0 is a point. Of
 * the many closest points of parallel segments it is the middle of where they overlap.
 *
 * Outputs: `results`, as for `dem_point_triangle_distance`.
 * Inputs: `a`, `b`: segments, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the
 * defaults): `precision`; the instruction set makes no difference.
 * Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the segment.
 * Cost: about 70 ns a pair.
 * Determinism: as `dem_point_triangle_distance`.
 */
int32_t dem_segment_distance(const dem_closest_points *results,
                             const dem_segments *a,
                             const dem_segments *b,
                             const dem_indices *pairs,
                             const dem_triangle_options *options,
                             dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Shapes.
 *
 * A shape is what a body looks like in its own frame: a triangle mesh; its surrogate tree, which queries descend; and, for contacts, its
 * cells: the halo cut into pieces that each belong to a face, an edge or a vertex, and patches, which are sets of triangles in one plane. Any
 * number of bodies share one. It is built once, in a block of its own, and then only read, or refitted where vertices move.
 *
 *   dem_shape_layout(&size, &desc, &error);
 *   block = dem_align(malloc(size + DEM_ALIGN - 1));
 *   dem_shape_init(block, size, &shape, &desc, &error);
 */

/** The tree is built quickly, and queries are a little slower. */
#define DEM_PRESET_FAST 1
/** A short search for good surrogates. */
#define DEM_PRESET_DEFAULT 2
/** A long one, for shapes that are built once and used for long. */
#define DEM_PRESET_BEST 3

/**
 * `dem_shape_desc.law`: faces that look at the other body are pushed along the normals of its cells. This holds thin plates and sheets up,
 * and bad meshes; a closed path may cost some work. Holds between two bodies if one of them is built for it.
 */
#define DEM_LAW_FACING 0

/**
 * `dem_shape_desc.law`: the force is the gradient of an energy, so that an undamped body keeps its energy, and a flat wall pushes along its normal
 * only. Bodies should be closed and thicker than the halos of both. Holds between two bodies if both are built for it; a ball and a
 * half-space go by the other body. Add up all contacts of a body pair: one patch by itself may push sideways.
 */
#define DEM_LAW_VOLUME 1

/**
 * `dem_shape_desc.law`, the default: `DEM_LAW_VOLUME` where the mesh suits it, otherwise `DEM_LAW_FACING`; `dem_shape_describe` tells which. Suited are closed surfaces
 * that look outward, whose parts do not lie in each other and whose mean thickness (the volume over half of the area) is no less than four of
 * their halos; and open ones that look about one way, if no edge has three triangles, or two that do not agree on what is outside. A refit keeps what was
 * chosen.
 */
#define DEM_LAW_AUTO 2

/** A shape: the address of its block. */
typedef struct dem_shape dem_shape;

/** What a shape is built from. */
typedef struct dem_shape_desc {
    /** `sizeof(dem_shape_desc)`. */
    uint32_t struct_size;
    /**
     * 1, the default: with cells, which contacts need. 0: without, for queries of distances and pairs of triangles; it is built four times as
     * quickly and takes a fifth of the memory.
     */
    uint32_t cells;
    /** Positions: three numbers an item, in the frame of the body. All must be finite, also those that no triangle uses. */
    dem_array vertices;
    /**
     * The three corners of each triangle. Null data, the default: vertices 3 i, 3 i + 1 and 3 i + 2 are triangle i.
     * No triangle is dropped, however bad, and triangle i of the shape is item i.
     */
    dem_indices triangles;
    /** A halo for each triangle: one number an item, finite and not negative. Null data, the default: all have `halo`. */
    dem_array halos;
    /** The halo of all triangles, finite and not negative; 0 by default. */
    double halo;
    /**
     * `DEM_F64`, the default, or `DEM_F32`, which rounds coordinates and needs half the memory: how they are stored. The
     * rounded mesh is then the mesh.
     */
    uint32_t stored;
    /** `DEM_PRESET_*`: how much care the tree is built with. */
    uint32_t preset;
    /** Children of a node of the tree, 2 to 64; 4 by default. */
    uint32_t fan_out;
    /** Triangles of a leaf of the tree, 1 to 64; 4 by default. */
    uint32_t leaf;
    /** One of `DEM_ISA_*`, for building; the shape does not depend on it. */
    uint32_t isa;
    /** What forces are made of: `DEM_LAW_AUTO`, the default, `DEM_LAW_VOLUME` or `DEM_LAW_FACING`. Only for cells. */
    uint32_t law;
    /**
     * A triangle joins a patch where its corners are no farther than this from the plane of the patch, in radii of the shape;
     * finite and not negative. 2^-20, some ten roundings to single precision, by default. Only for cells.
     */
    double flat;
    /**
     * A patch joins a chart, a part of the surface that looks about one way, where its normal is within half of this angle of that of the
     * chart's first, largest patch; in radians, 0 to pi. pi/4 by default. Only for cells.
     */
    double angle;
} dem_shape_desc;

/** What a shape is. */
typedef struct dem_shape_info {
    /** Number of triangles. */
    uint32_t triangles;
    /** Number of vertices it was built from. */
    uint32_t vertices;
    /** `DEM_F32` or `DEM_F64`: how coordinates are stored. */
    uint32_t stored;
    /** Levels of the tree. */
    uint32_t depth;
    /** The middle of the bounding box. */
    double centre[3];
    /** Radius of the ball about it that holds every vertex of a triangle, without halos. */
    double radius;
    /** The largest halo of a triangle. */
    double halo;
    /** A number that tells shapes of different content apart, on every machine. */
    uint64_t identity;
    /** Bytes of the block that hold it: what to copy or store. */
    uint64_t size;
    /** Number of cells; 0 for a shape that was built without. */
    uint32_t cells;
    /** `DEM_LAW_FACING` or `DEM_LAW_VOLUME`: of `DEM_LAW_AUTO` what was chosen. 0 without cells. */
    uint32_t law;
} dem_shape_info;

/**
 * Fills `desc` with the defaults.
 *
 * Outputs: `desc`.
 * Inputs: `struct_size`: `sizeof(dem_shape_desc)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_shape_desc_init(dem_shape_desc *desc, size_t struct_size);

/**
 * How much memory building a shape takes, scratch included; what is left of it afterwards is for refits (`dem_shape_refit`).
 *
 * How many cells there are depends on the surface. There is room for those of nearly all: where it is too little after all, `dem_shape_init`
 * says how much would do. A program that has no more memory may also give less.
 *
 * Outputs: `size`: bytes of the block, about 3.2 KB a triangle and 160 KB, of which the shape then holds a half or a third; without cells 0.5 KB a triangle.
 * Inputs: `desc`, complete; the numbers in its arrays are not read.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: no triangle, or a field of `desc`; `DEM_ERROR_NOT_FINITE`: a field of `desc`; `DEM_ERROR_CAPACITY`: vertices
 * that are no multiple of three, without `triangles`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_shape_layout(size_t *size,
                         const dem_shape_desc *desc,
                         dem_error *error);

/**
 * Builds a shape.
 *
 * Vertices are welded where their stored positions are equal; so loose triangles have neighbours, too. Bad places have no cells, and never wrong ones:
 * triangles without area, copies, edges that do not have two triangles which agree on what is outside.
 *
 * Outputs: `shape`: the shape, which is the address `memory`. The same bytes come out wherever it is built; how many tells
 * `dem_shape_describe`, and what is behind them means nothing.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, as large as `dem_shape_layout` says. `desc`: its arrays are read during this call only.
 * Memory: the block is the caller's; it may be copied, stored and thrown away at will, and also what is behind the shape if there is no refit.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`: block and arrays
 * share bytes; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` name the vertex and its component, the halo or the
 * option; `DEM_ERROR_BAD_INDEX` names triangle and corner; `DEM_ERROR_MISMATCH`: not as many `halos` as triangles; those of
 * `dem_shape_layout`. Nothing is written then. `DEM_ERROR_CAPACITY` about `block`: `needed` bytes will do; `DEM_ERROR_OUT_OF_RANGE`
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
 * Takes bytes that come from a file, another process or a copy taken during a call as a shape.
 *
 * All bytes are checked: against a checksum, and that queries neither leave the tree nor go on for ever. A plain copy of a
 * shape in the same process needs no opening.
 *
 * Outputs: `shape`: the shape, which is the address `memory`. The latch in its first line is freed; nothing else changes.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than what was copied.
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
 * What a shape is: counts, where it is in its own frame, how large.
 *
 * Outputs: `info`, of which `info_size` bytes are written, at most `sizeof(dem_shape_info)`.
 * Inputs: `shape`. `info_size`: `sizeof(dem_shape_info)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
 * Cost: about 0.2 microseconds.
 */
int32_t dem_shape_describe(const dem_shape *shape,
                           dem_shape_info *info,
                           size_t info_size,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Boxes and cylinders.
 *
 * As meshes, for `dem_shape_desc`: a box is 12 triangles, a cylinder a prism of as many facets as keep them from being felt. Whoever has malloc takes `dem_heap_box` and `dem_heap_cylinder`
 * of dem_heap.h, which build the shape, too. Spheres and half-spaces need no mesh: `dem_placed_sphere`, `dem_placed_half_space`.
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
 * Fills `desc` with the defaults: nothing changes.
 *
 * Outputs: `desc`.
 * Inputs: `struct_size`: `sizeof(dem_refit_desc)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_refit_desc_init(dem_refit_desc *desc, size_t struct_size);

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

/** Where a body is: world = rotation * local + position. */
typedef struct dem_pose {
    /** The body's origin in world coordinates. */
    double position[3];
    /** Its orientation as a quaternion x, y, z, w. Any finite one that is not zero is normalised. */
    double orientation[4];
} dem_pose;

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

/**
 * Fills `query` with the defaults.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_query_init(dem_query *query, size_t struct_size);

/**
 * How much scratch `dem_pairs` needs.
 *
 * Outputs: `scratch_size`: bytes; they do not depend on the poses.
 * Inputs: `query`: its shapes. `capacity`, `stride`: as for `dem_pairs`.
 * Errors: those of `dem_pairs` about `query`; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_pairs_scratch(size_t *scratch_size,
                          const dem_query *query,
                          size_t capacity,
                          size_t stride,
                          dem_error *error);

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
 * Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at least what `dem_pairs_scratch` says, at any
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
 * How much scratch `dem_min_distance` and `dem_any_pair` need.
 *
 * Outputs: `scratch_size`: bytes; they do not depend on the poses.
 * Inputs: `query`: its shapes.
 * Errors: those of `dem_pairs` about `query`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_distance_scratch(size_t *scratch_size, const dem_query *query, dem_error *error);

/**
 * The closest pair of triangles of two shapes, halos left aside.
 *
 * Where several have the same distance, it is the one with the smallest midpoint (x, then y, then z), then that with the
 * smallest ids. So bodies that cross have one definite pair, at the price of finding them all. Where any pair will do that
 * touches, `DEM_WITNESS_ANY` in `query` is quicker, and `dem_any_pair` where yes or no will. A good bound, such as the distance
 * of the step before plus what the bodies may have moved, saves time.
 *
 * Outputs: `pair`, of which `pair_size` bytes are written, at most `sizeof(dem_triangle_pair)`.
 * Inputs: `pair_size`: `sizeof(dem_triangle_pair)`. `query`: shapes, poses and bound. `scratch`, `scratch_size`: at least
 * what `dem_distance_scratch` says, at any alignment.
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
 * Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at least what `dem_distance_scratch` says, at any
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
 * Threads.
 *
 * The library starts no threads. A program that has some lends them: it says how many there are, and calls what it is told to
 * call, on any of them and in any order. Results do not depend on it.
 */

/** A part of the work: call it with each number below `lanes` of `dem_tasks_run`, and with its `arg`. */
typedef void (*dem_lane)(size_t lane, void *arg);

/**
 * Calls `lane(i, arg)` for every i below `lanes`, each once, on any threads and in any order, and returns when all have
 * returned. `user` is that of `dem_tasks`.
 *
 * Lanes that are left out, called twice or do not exist do no harm but for lost speed. To return while a lane still runs, or to
 * leave by an exception or `longjmp`, is a mistake that the library cannot notice.
 */
typedef void (*dem_tasks_run)(void *user, size_t lanes, dem_lane lane, void *arg);

/** Threads of the program. */
typedef struct dem_tasks {
    /** What calls lanes. Null: the calling thread does all the work. */
    dem_tasks_run run;
    /** What `run` is called with. */
    void *user;
    /**
     * How many lanes may run at the same time, 1 to 64; more count as 64. Only speed depends on it, and how much
     * scratch calls want that give each lane a piece.
     */
    size_t lanes;
    /** 0. */
    size_t reserved;
} dem_tasks;

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts of two bodies: what forces act on.
 *
 * A list of near triangles is no list of contacts: there are many, they come and go, and they know how a surface was cut into
 * triangles. A contact is a piece of an integral: for every pair of patches (flat parts of a surface, found when cells are
 * built) the area over which the surfaces are within the sum T of their halos, weighted by how deep they are in each other's
 * halo. So there are few contacts, they do not depend on the triangles of flat parts, and they vary continuously with both
 * poses: a contact begins and ends with force 0. Halos are thus part of the model: the force is 0 where surfaces are T apart,
 * and largest where they touch. Choose T as the depth to which your stiffest contact may be pressed.
 *
 * In the beginning: dem_shape_init for each shape, dem_contact_query_init. In every step: for each pair of
 * bodies that may be near, fill the query and call dem_contacts.
 *
 * The force on A is along `normal`, which points from B to A, and acts at `position`; the force on B is the opposite, at the
 * same place. Choose one law:
 *
 * - pressure law: F = k (1 - gap / halo) area, with k in force per area: bodies rest on faces, edges and corners alike, and a
 *   larger area is stiffer;
 * - point law: F = K (1 - g / halo) share, with K in force and g the smallest least_gap of the body pair's contacts (a scene tells it with
 *   each pair): the stiffness of a pair does not depend on areas nor on triangles; its shares sum to 1.
 *
 * Where halos may be 0, write these laws with a stiffness per length, k / halo and K / halo above: F = k' (halo - gap) area and
 * F = K' (halo - g) share. They are finite then: contacts begin where surfaces touch, k' has the unit of force per volume, and
 * F = k' times the volume enclosed, or K' times the depth.
 *
 * The torque about a point c is that of the force, (position - c) x F normal, and with the pressure law `k moment` beside it: the part of
 * the torque that one force at one place leaves out. Dashpots, friction and all else are the program's, at `position`, with the velocities
 * that the bodies have there.
 *
 * Both laws go on where bodies penetrate. The gap is negative then: each part of one body inside the other has a contact with the normal,
 * the area and the depth of the volume enclosed, and the force does not jump when the gap passes through zero. Open surfaces enclose
 * nothing; there the contact is the smallest translation that separates the triangles, and `status` tells so.
 *
 * Limits. Thin and folded bodies count what is behind a fold, too: keep T smaller than the gaps and walls of a body. Sheets on their rims
 * and crossed blades sharper than 23 degrees do not meet. A triangle is felt on the side that it looks to: a mesh should look outward, all
 * of it. Turned inside out it is a room, which is not felt from outside and draws in what goes through its wall. A part that looks the
 * wrong way adds no force, and neither does an edge without exactly two triangles that agree on what is outside. (dem_shape_inspect finds
 * all that: inward components, reversed triangles, open, non-manifold and inconsistent edges.) A body that is inside of another as a whole
 * is in no contact here; dem_placed_contacts pushes it out of a mesh that is `solid`. The whole argument, with proofs and pictures, is in
 * docs/contacts.md.
 */

/** `kind` of a contact of two surfaces within their halos. */
#define DEM_CONTACT_SURFACE 0
/** A bit of `status` of a contact: its smallest gap is not positive. */
#define DEM_CONTACT_IS_TOUCHING 1
/** A part of one body is inside the other one. */
#define DEM_CONTACT_IS_PENETRATING 2

/**
 * The curve in which the surfaces cross does not close: a surface is open there, or its triangles do not agree on what is
 * outside.
 */
#define DEM_CONTACT_IS_OPEN 4
/** Normal and depth are the smallest translation, along the mean normals of the triangles that cross, that separates them. */
#define DEM_CONTACT_IS_LEAST_TRANSLATION 8
/** One of the bodies is inside the other one, which is solid, as a whole. */
#define DEM_CONTACT_IS_CONTAINED 16
/** No direction is better than another, as for spheres with the same centre: the normal is one of them. */
#define DEM_CONTACT_IS_DEGENERATE 32

/**
 * What is enclosed may be wrong: the meshes are not sound, and what tells inside from outside does not agree, or the volume or the
 * area was more than there can be and was cut down to that.
 */
#define DEM_CONTACT_IS_UNSURE 64
/** Sheets with two sides lie in each other: both sides push, and neither way is out. */
#define DEM_CONTACT_IS_COINCIDENT 128
/** The bodies stick in each other by more than one of them is thick there, and it is thinner than the sum of both halos. */
#define DEM_CONTACT_IS_THIN 256

/** Two shapes with their cells, and where they are. */
typedef struct dem_contact_query {
    /** `sizeof(dem_contact_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** The first shape. */
    const dem_shape *a;
    /** The second shape; may be the same. */
    const dem_shape *b;
    /** Where A is; the identity by default. */
    dem_pose pose_a;
    /** Where B is; the identity by default. */
    dem_pose pose_b;
    /** Names the body pair: the first half of each contact's key. Any number; 0 by default. */
    uint64_t tag;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
} dem_contact_query;

/** A contact of two bodies. */
typedef struct dem_contact {
    /**
     * Names it, from one step to the next: the tag; then the first triangle of A's patch in the upper half, and of B's in the
     * lower. Contacts of a list are ordered by it. In a scene the first word is the index of its pair in `pairs` of this step, and the second
     * is of its node with the largest force: both may change from step to step, and `links` say which contact goes on with which.
     */
    uint64_t key[2];
    /** Where the force acts, in world coordinates. */
    double position[3];
    /** Unit vector from B to A: the direction of the force on A. */
    double normal[3];
    /** Torque on A about `position`, divided by k, that the force alone leaves out: a length to the third; 0 where all of it pushes one way. */
    double moment[3];
    /** Mean gap over the area: at most `halo`. Of flat faces it is 0 where they touch; of a ball that touches, half of `halo`. */
    double gap;
    /** The smallest gap; where the bodies penetrate, minus the largest depth. */
    double least_gap;
    /** Pressure law: the force on A is k (1 - gap / halo) area. */
    double area;
    /**
     * Point law: the force on A is K (1 - g / halo) share, with g the smallest `least_gap` of the body pair's contacts. Shares sum to 1
     * over the contacts of a body pair.
     */
    double share;
    /** Sum of both halos; their mean where triangles have halos of their own. */
    double halo;
    /** `DEM_CONTACT_*`: what it is made of. */
    uint32_t kind;
    /**
     * Bits of `DEM_CONTACT_IS_*`. Alarming are UNSURE, COINCIDENT, THIN, OPEN and LEAST_TRANSLATION: force and depth may then be
     * wrong, and mesh, halo or pose should be looked at. The others are facts that a sound scene has, too.
     */
    uint32_t status;
} dem_contact;

/**
 * Fills `query` with the defaults.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_contact_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_contact_query_init(dem_contact_query *query, size_t struct_size);

/**
 * How much scratch is good to begin with for `dem_contacts`.
 *
 * Outputs: `scratch_size`: bytes; they do not depend on the poses. Some 600 for each pair of triangles, and
 * some 20 for each triangle of both bodies, and up to 180,000 more; for each further lane of the program's threads some 500 for each pair
 * of triangles, and up to 180,000.
 * Inputs: `query`: its shapes. `pairs`: how many pairs of triangles may be within the halos; 0: 256. `capacity`,
 * `stride`: as for `dem_contacts`.
 * Errors: those of `dem_contacts` about shapes and `struct_size`; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.2 microseconds.
 */
int32_t dem_contacts_scratch(size_t *scratch_size,
                             const dem_contact_query *query,
                             size_t pairs,
                             size_t capacity,
                             size_t stride,
                             dem_error *error);

/**
 * The contacts of two bodies, ordered by key.
 *
 * Surfaces farther apart than the sum of their halos have no contact. Exchanging A and B exchanges the patches and negates normals and
 * moments, bit for bit but for the last bits of shares. Lists of several body pairs, one behind the other, are ordered by key as a whole
 * if the pairs are asked for in the order of their tags.
 *
 * An error tells how much memory would do, so that a program may begin with little and grow:
 *
 *   while ((status = dem_contacts(contacts, capacity, 0, &count, &query, scratch, size, &error)) == DEM_ERROR_CAPACITY)
 *     if (count > capacity) contacts = realloc(contacts, (capacity = count) * sizeof *contacts);
 *     else scratch = realloc(scratch, size = error.needed);
 *
 * Outputs: `contacts` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before, of which
 * min(`stride`, `sizeof(dem_contact)`) bytes are written; with a stride of 0 or `sizeof(dem_contact)` the array must be
 * aligned as doubles are. `count` (may be null): how many contacts there are, also where there are more than `capacity`; 0
 * where that was not found out.
 * Inputs: `query`: shapes, poses, tag. `scratch`, `scratch_size`: at any alignment; what `dem_contacts_scratch` says of the same
 * `tasks` is enough for the number of pairs that it was told.
 * Memory: scratch and records must not overlap each other nor shapes.
 * Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; those written mean nothing. About `scratch`: `needed` bytes; for the same
 * bodies and poses that error comes at most three times in a row, four times after a size of 0. `DEM_ERROR_UNSUPPORTED` about `cells of A` or
 * `cells of B`: the shape was built without. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`;
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose
 * (`component` 0 to 2: position, 3 to 6: orientation), or about `executor`: `reserved` of `tasks` is not 0; `DEM_ERROR_BAD_SIZE`:
 * `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
 * Cost: proportional to the pairs of triangles within the halos, some 0.1 microseconds each; under a microsecond for bodies
 * far apart.
 * Threads: any number at a time, on the same shapes, each with records and scratch of its own. Those in `tasks` share the work
 * where some hundred pairs of triangles are near.
 * Determinism: the same bits on every machine, with every instruction set and size of scratch, on any number of threads.
 */
int32_t dem_contacts(dem_contact *contacts,
                     size_t capacity,
                     size_t stride,
                     size_t *count,
                     const dem_contact_query *query,
                     void *scratch,
                     size_t scratch_size,
                     dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts of spheres, half-spaces, meshes and compounds of these.
 *
 * What contacts are, and the laws that turn them into forces, is told in the chapter before this one. Here bodies may be
 * spheres and half-spaces, too, in every combination, and each body has a scale. The records are the same.
 *
 * A sphere feels what of the other's surface is within its radius and the sum T of both halos: one contact with a sphere, with
 * a half-space, with each flat part of a mesh. Forces go through its centre. A flat wall feels the same to a sphere and to a mesh
 * as a half-space, in few triangles or in many.
 *
 * Spheres and half-spaces may penetrate meshes and each other: gaps are negative then, and both laws go on to grow. A sphere is pushed out
 * of a mesh as long as its centre is outside, and, if the mesh is `solid`, from inside as well. Behind a mesh that is not `solid` a sphere
 * has a contact of area 0, whose normal leads away from the back: the pressure law gives no force there, the point law pushes the sphere
 * away.
 *
 * A compound is a body of parts that move together and do not feel each other: a particle of overlapping spheres, a mesh with a ball for a
 * head. Its parts are an array of the host, described as bodies are, each with its pose and its scale in the frame of the compound, and
 * read in every call. Bodies may share parts, and a host may change them from step to step.
 *
 * A compound of one part gives a mesh another frame than that of its vertices: poses are then those of the compound's frame, and the part's
 * pose says where the vertices are in it. `part_pose` of `dem_mass` puts the centre of mass at the origin and the principal axes along the
 * axes of the frame. Contacts and keys are those of the mesh, up to rounding, and nothing is built twice. In the tables of shapes of scenes
 * and worlds the `pose` of a shape does the same, without a compound.
 *
 * Iterations within a step may search for near triangles once, with some margin: `dem_placed_list`.
 *
 * In the beginning: dem_shape_init for each mesh. In every step: fill the query, with dem_placed_sphere,
 * dem_placed_half_space, dem_placed_mesh and dem_placed_compound, and call dem_placed_contacts for each pair of bodies that may be near.
 */

/** A ball about the origin of its frame; a point, if its radius is 0. */
#define DEM_KIND_SPHERE 1
/** All points with z <= 0 in its frame. */
#define DEM_KIND_HALF_SPACE 2
/** A shape that has cells. */
#define DEM_KIND_MESH 3
/** Parts that move together: a `dem_compound`. */
#define DEM_KIND_COMPOUND 4

/**
 * A body, or a part of one. `dem_placed_sphere` and the functions like it fill all fields. A struct of zeros is refused, as its scale is
 * 0.
 */
typedef struct dem_placed {
    /** `DEM_KIND_*`. */
    uint32_t kind;
    /** 1: what the mesh encloses belongs to the body; it should be closed and look outward. 0: it is a surface. */
    uint32_t solid;
    /** The mesh, built with cells, or the address of a `dem_compound`, as `dem_placed_compound` puts it here; not looked at for other kinds. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved;
    /** Radius of a sphere, finite and not negative. */
    double radius;
    /** Halo of a sphere or a half-space, finite and not negative. A mesh has that of its shape. */
    double halo;
    /** All lengths of the body are multiplied by this, halos and places of parts among them; finite and larger than 0. 1 leaves it as it is. */
    double scale;
    /** Where it is: in the world, or, for a part, in the frame of its compound. */
    dem_pose pose;
} dem_placed;

/** Parts that move together and do not feel each other. */
typedef struct dem_compound {
    /** `sizeof(dem_compound)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** The first part, at any alignment: a sphere, a half-space or a mesh; a compound is no part. May be null if `count` is 0. */
    const dem_placed *parts;
    /** Number of parts; without one nothing is in contact. */
    size_t count;
    /** Bytes from one part to the next, at least `sizeof(dem_placed)`; 0: they are packed. */
    size_t stride;
} dem_compound;

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
} dem_placed_query;

/**
 * Fills `compound` with the defaults: no part.
 *
 * Outputs: `compound`.
 * Inputs: `struct_size`: `sizeof(dem_compound)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_compound_init(dem_compound *compound, size_t struct_size);

/**
 * Fills `query` with the defaults.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_placed_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_placed_query_init(dem_placed_query *query, size_t struct_size);

/**
 * How much scratch is good to begin with for `dem_placed_contacts`.
 *
 * Outputs: `scratch_size`: bytes, with a piece for each lane of the program's threads; they do not depend on the poses. Some 2 kilobytes
 * where no mesh takes part, and for compounds about 100 for each part and 500 for each mesh among them; parts in a row that have the same mesh share these.
 * Inputs: `query`: its bodies. `pairs`: how many pairs of triangles, or triangles near a sphere or below a half-space's halo,
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
 * The second word of a key has a number for each body: the first triangle of the patch of a mesh, and 0 for a sphere or a half-space. In a
 * compound these numbers go on from part to part: a mesh takes as many numbers as it has triangles, any other part takes one. Two
 * half-spaces have no contacts: neither can move away from the other. For two meshes of scale 1 it is `dem_contacts`. Shares sum to 1 over
 * all parts.
 *
 * With a `list` the contacts are the same, bit for bit, or an error tells that the bodies have moved too far for it.
 *
 * Outputs: `contacts` (may be null if `capacity` is 0), `count` (may be null): as for `dem_contacts`.
 * Inputs: `query`: bodies and tag. `capacity`, `stride`, `scratch`, `scratch_size`: as for `dem_contacts`; what
 * `dem_placed_contacts_scratch` says of the same `tasks` is enough for the number of pairs that it was told.
 * Memory: scratch and records must not overlap each other nor shapes and parts.
 * Errors: those of `dem_contacts`; about `shape of A` and `shape of B`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`
 * (`component` 0: radius, 1: halo, 2: scale, 3 to 9: pose of a part, 10: kind, 11: solid, 12: reserved), `DEM_ERROR_UNSUPPORTED`: a
 * compound in a compound, `DEM_ERROR_NULL`, `DEM_ERROR_BAD_SIZE`, `DEM_ERROR_TOO_LARGE`: the parts, or their stride. `index` is the part.
 * About `list of near triangles`: `DEM_ERROR_OUT_OF_RANGE`: the bodies have moved against each other by more than its margin;
 * `DEM_ERROR_MISMATCH`: it was made of other shapes or scales; `DEM_ERROR_DAMAGED`: it is no list, or is cut short.
 * Cost: a tenth of a microsecond for spheres and half-spaces; with a mesh logarithmic in the number of its triangles, and some 0.2
 * microseconds for each one that is near. Compounds cost some ten nanoseconds more for each part, and for each pair of parts.
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
 * How much scratch `dem_placed_list` needs.
 *
 * Outputs: `scratch_size`: bytes; they do not depend on the poses.
 * Inputs: `query`: its bodies.
 * Errors: those of `dem_placed_contacts` about shapes and `struct_size`; `DEM_ERROR_TOO_LARGE`.
 * Cost: that of `dem_placed_contacts_scratch`.
 */
int32_t dem_placed_list_scratch(size_t *scratch_size, const dem_placed_query *query, dem_error *error);

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
 * length, 0 or more; a motion of both bodies together is none. `scratch`, `scratch_size`: at any alignment; what
 * `dem_placed_list_scratch` says is enough.
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
 * In every step: dem_placed_contacts (or dem_contacts) for a body pair, then dem_contact_corners for the same pair. For a wall that is badly
 * welded: dem_contact_clamp in between.
 */

/** A corner of a contact. */
typedef struct dem_contact_corner {
    /** Half-way between both surfaces, in world coordinates: position + gap / 2 normal is on A, position - gap / 2 normal on B. */
    double position[3];
    /** From B's surface to A's along the contact's normal; negative where they penetrate. */
    double gap;
    /** Index of its contact in the list. */
    uint32_t contact;
    /**
     * Its place among the corners of the contact, from 0: the deepest comes first, then always the one farthest from what those
     * before it span. So the first few are the best few.
     */
    uint32_t order;
    /**
     * What of A and what of B meets there: an edge between vertices v and w > v is v << 32 | w, a vertex v is v << 32 | v; all bits are set for all else: the inside of a flat part, spheres, half-spaces,
     * and both where the corner is the position of its contact. Of vertices in one place it is the first one's number. With the pair of bodies they name the corner from one step
     * to the next, so that a solver finds the impulse that it had. What lies on an edge of the other body within rounding may have either name.
     */
    uint64_t features[2];
    /**
     * Of its contact: how much smaller the gap is somewhere in it than what its corners say there, at most. About 0 of flat parts; more where a contact is over bent parts, or where fewer
     * corners are told than there are.
     */
    double gap_error;
} dem_contact_corner;

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
 * Inputs: `contacts`, `contact_count`: all contacts that the same query gave, as they came, one `sizeof(dem_contact)` after the other,
 * aligned as doubles are; clamped or not. `most`: corners for each contact, at most; 0: as many as there are. `query`: bodies. `scratch`,
 * `scratch_size`: at any alignment; what `dem_contact_corners_scratch` says is enough for the number of pairs that it was told.
 * Memory: scratch and records must not overlap each other, the contacts and shapes.
 * Errors: those of `dem_placed_contacts`; `DEM_ERROR_OUT_OF_RANGE` about `contacts`: they are not in order, with the first one that is not.
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
 * In every step: dem_contact_clamp, behind dem_contacts or dem_placed_contacts.
 */

/** The first body of a pair. */
#define DEM_BODY_A 0
/** The second body of a pair. */
#define DEM_BODY_B 1

/**
 * The cones of a body's patches, for `dem_contact_clamp`: to be computed once, beside the cells, and again after a refit.
 *
 * Outputs: `cones`: four numbers for each feature of the body: a mesh has as many as triangles, a sphere and a half-space one, a compound those of
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
 * Inputs: `count`: how many, ordered by tag, one `sizeof(dem_contact)` after the other, aligned as doubles are. `which`: `DEM_BODY_A` or
 * `DEM_BODY_B`: the body in all these contacts that the cones are of. `cones`, `features`: of `dem_patch_cones`. `pose`: where the body is.
 * Memory: nothing may overlap the contacts.
 * Errors: `DEM_ERROR_OUT_OF_RANGE` about `which`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE`,
 * `DEM_ERROR_OUT_OF_RANGE`: the pose; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`.
 * Cost: some ten nanoseconds a contact.
 * Threads: any number at a time, each with contacts of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_contact_clamp(dem_contact *contacts,
                          size_t count,
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
 * - dem_contacts or dem_placed_contacts, for the bodies near the wall;
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
 * Fills `motion` with the defaults: at rest.
 *
 * Outputs: `motion`.
 * Inputs: `struct_size`: `sizeof(dem_motion)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_motion_init(dem_motion *motion, size_t struct_size);

/**
 * How much scratch `dem_contact_velocities` needs.
 *
 * Outputs: `scratch_size`: bytes, a few kilobytes at most; 0 where no vertices move.
 * Inputs: `a`, `b`: as for `dem_contact_velocities`.
 * Errors: those of `dem_contact_velocities` about motions and shapes; `DEM_ERROR_NULL`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_contact_velocities_scratch(size_t *scratch_size,
                                       const dem_motion *a,
                                       const dem_motion *b,
                                       dem_error *error);

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
 * `scratch_size`: at least what `dem_contact_velocities_scratch` says, at any alignment.
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
 * A friction spring, an impulse to begin with, or a sound when something hits the ground: all need to know which contact of
 * this step is which of the last. Nothing is remembered inside: a program keeps two lists, each with the contacts of all
 * pairs of bodies, ordered by key, and the poses that they were computed with, ordered by tag. One step is
 *
 * - for each pair of bodies, in the order of tags: fill a query; dem_contacts behind the contacts found so far; note tag and poses as a
 *   dem_body_pair;
 * - dem_contact_match: which contact goes on with which, and what begins, persists and ends;
 * - dem_contact_carry: the spring of each contact, turned as its bodies turned, or zero;
 * - the program's own law: springs grow with the slip in this step, and are cut to what friction can hold;
 * - exchange both lists.
 *
 * Let a spring be an elongation, and its stiffness go with the area or the share of its contact: F = k_t (1 - gap / halo) area s,
 * say. Contacts begin and end with force 0, so one that begins beside another can take the same elongation and no force jumps;
 * a spring then survives when bodies slide or roll from one patch to the next. Impulses go with the area themselves: take those
 * of `origin` only.
 *
 * A contact may be made of several pairs of patches, its nodes. With the nodes of both lists, contacts that have nodes in common are the same place,
 * and one that has some in common with several takes a mean of their springs: its blends.
 */

/** Nothing happens here: `pair` of all events of a pair but the first. */
#define DEM_EVENT_NONE 0
/** It was not there in the last step. */
#define DEM_EVENT_BEGIN 1
/** It was there, and it is. */
#define DEM_EVENT_PERSIST 2
/** It was there, and is no more. */
#define DEM_EVENT_END 3

/** What a contact of this step was in the last one. Numbers are indices in the list of the last step. */
typedef struct dem_contact_link {
    /** The contact that this one goes on with; `DEM_NO_ID` where it begins. No two have the same. */
    uint32_t origin;
    /**
     * The contact whose spring it takes: the one with which it has the most force in common, else its origin, else one of the same pair that it begins beside,
     * else `DEM_NO_ID`. Where it takes several, this is the first of its blends.
     */
    uint32_t source;
} dem_contact_link;

/**
 * How much of the spring of a contact of the last step one of this step takes, where it takes several.
 *
 * Ordered by `now`; those of one contact by weight, the heaviest first. A contact without blends takes the spring of its `source`.
 */
typedef struct dem_contact_blend {
    /** Index of the contact in the list of this step. */
    uint32_t now;
    /** Index of the contact in the list of the last step. */
    uint32_t last;
    /** Its part of the mean. The weights of a contact add up to 1. */
    double weight;
} dem_contact_blend;

/** What happens to a contact. */
typedef struct dem_contact_event {
    /** `DEM_EVENT_BEGIN`, `DEM_EVENT_PERSIST` or `DEM_EVENT_END`. */
    uint32_t contact;
    /** What happens to the pair, with its first event: it begins to touch, goes on, or ends. `DEM_EVENT_NONE` with all others. */
    uint32_t pair;
    /** Its index in the list of this step; `DEM_NO_ID` where it ends. */
    uint32_t now;
    /** Its index in the list of the last step; `DEM_NO_ID` where it begins. */
    uint32_t last;
} dem_contact_event;

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

/** A patch of A and a patch of B that press on each other: a part of a contact. */
typedef struct dem_contact_node {
    /** Features of both bodies that meet: the second half of the key that a contact of this node alone has. */
    uint64_t features;
    /** Index of the contact that it belongs to. */
    uint32_t contact;
    /** Magnitude of its force, divided by k: an area. */
    float force;
} dem_contact_node;

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
 * How much scratch `dem_contact_match` needs: 80 bytes for each contact of both steps, 16 for each node, and a little more.
 *
 * Outputs: `scratch_size`: bytes.
 * Inputs: `last`, `now`: how many contacts each list has. `nodes`: how many nodes both have together.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_TOO_LARGE`.
 * Cost: some nanoseconds.
 */
int32_t dem_contact_match_scratch(size_t *scratch_size,
                                  size_t last,
                                  size_t now,
                                  size_t nodes,
                                  dem_error *error);

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
 * slide in a step. `scratch`, `scratch_size`: at least what `dem_contact_match_scratch` says, at any alignment.
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

/* ------------------------------------------------------------------------------------------------------------------------
 * Scenes.
 *
 * A program with many bodies calls one function in every time step: poses in, contacts out, with what each contact was in the
 * step before, and which contacts each body has. Bodies stay in the program's own arrays.
 *
 * - In the beginning: dem_shape_init for each mesh; dem_scene_layout and dem_scene_init.
 * - In every step: dem_scene_detect, with scratch of the size that dem_scene_scratch says; dem_scene_view; the program's law: a
 *   force for each contact and, with the pressure law, its torque `k moment`, with dem_scene_velocities for dashpots and friction;
 *   dem_scene_wrenches adds them up for each body.
 *
 * Bodies may have names: `ids`. Contacts are then ordered, matched and summed by these, and a program may sort its arrays, remove bodies by swapping, or give
 * them to another process: each pair of bodies keeps its springs, and every number is the same to the last bit. Without ids a body's name is its place.
 *
 * A process that shares a space with others has copies of bodies that others own: ghosts (3 in `motions`). Its own bodies meet them; two ghosts do not
 * meet each other, as that is for their owners to find. With the same ids everywhere, both processes find the same contact with the same bits.
 *
 * A step may be tried before it is made, by an implicit integrator or a coupling: dem_scene_find finds contacts as often as it likes, with the bodies
 * somewhere else each time, always linked to the committed step; dem_scene_commit commits what was found last. dem_scene_detect does both.
 *
 * Where memory is too small, DEM_ERROR_CAPACITY says what would do (`argument` and `needed`): more contacts or candidates
 * (dem_scene_grow), more scratch, more `pairs` or `pair_contacts` in the query. The same call with that much finds everything.
 *
 * Forces that reach farther than contact, as those of lubrication, have a list of their own: with a `margin` in the query a step finds contacts
 * within the halos, and others within the margin beyond these. The functions of the second list have `margin` in their names; the first one
 * is what it is without a margin, to the last bit.
 */

/** A scene: the address of its block. */
typedef struct dem_scene dem_scene;

/** What a scene's block has room for. */
typedef struct dem_scene_desc {
    /** `sizeof(dem_scene_desc)`. */
    uint32_t struct_size;
    /** Bodies, at most. */
    uint32_t bodies;
    /** Pairs of bodies whose bounds meet, and with a `skin` in the query those that are near, at most; 0: four for each body, and some. */
    uint32_t candidates;
    /** The most contacts, and also the most pairs that have some; 0: four for each body, and some. */
    uint32_t contacts;
    /** Cell sizes, 1 to 64; 8 by default, which is good for most size ratios. */
    uint32_t levels;
    /** Pairs at poses of their own, at most (`dem_scene_find_pairs`); 0 by default: bodies have one pose each. */
    uint32_t posed;
    /** The most nodes of contacts; 0: as many as contacts. Boxes have several nodes in a contact, curved meshes dozens, and need more. */
    uint32_t nodes;
    /** Contacts in the list with wider halos, at most, and pairs that have some (`margin` in the query); 0, the default: there is no such list. */
    uint32_t margin_contacts;
} dem_scene_desc;

/** Two bodies that have contacts. Both ids and the image name the pair, in every step. */
typedef struct dem_scene_pair {
    /** Ids of A and B; that of A is the smaller one, or the same where a body meets its own image. Without ids they are the indices of the bodies. */
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
     * The periodic image of B. 0, 0, 0 is the image whose bounding sphere has its centre nearest to that of A. For a body and its own
     * image the first number that is not 0 is positive.
     */
    int32_t image[3];
    /** How many periods B is moved along each axis to where it meets A. */
    int16_t shift[3];
    /** 0. */
    uint16_t spare;
    /** Where the library keeps poses of its own; `DEM_NO_ID` where they are those of the bodies. */
    uint32_t posed;
    /** The smallest `least_gap` of its contacts, g of the point law; infinite where there are none. */
    double least_gap;
} dem_scene_pair;

/** What is kept of a contact once its step is committed. */
typedef struct dem_scene_kept {
    /** Where the force acted. */
    double position[3];
    /** Its area. */
    double area;
} dem_scene_kept;

/**
 * What was found last, in the scene's block: it is there until the next call that changes the scene (`dem_scene_detect`, `dem_scene_find`, `dem_scene_commit` and
 * others, `dem_scene_grow` as it makes another block). Then take a view again.
 */
typedef struct dem_scene_contacts {
    /** All contacts, ordered by key: the index of the pair in `pairs`, then the features of both bodies. */
    const dem_contact *contacts;
    /** For each contact what it was in the step before: indices in `last_contacts`. */
    const dem_contact_link *links;
    /** How many contacts. */
    size_t count;
    /** The pairs of bodies that have contacts, ordered by ids and image. */
    const dem_scene_pair *pairs;
    /** How many. */
    size_t pair_count;
    /** For each body where its contacts end in `touches`; they begin where those of the body before end. */
    const uint32_t *touch_ends;
    /**
     * The contacts of each body, first those in which it is A, as 2 i for contact i, then those in which it is B, as 2 i + 1. There are
     * twice as many items as contacts.
     */
    const uint32_t *touches;
    /** How many bodies. */
    size_t body_count;
    /** The pairs of the committed step, which `links` speak of, ordered by ids and image. */
    const dem_scene_pair *last_pairs;
    /** How many. */
    size_t last_pair_count;
    /** Its contacts, as far as they are kept. */
    const dem_scene_kept *last_contacts;
    /** The second half of the key of each. */
    const uint64_t *last_features;
    /** How many. */
    size_t last_count;
    /** For each contact of the step before, which one of `contacts` goes on with it; `DEM_NO_ID` where it ended. */
    const uint32_t *successors;
    /** For contacts that take several springs: which, and how much of each; indices in `contacts` and `last_contacts`. */
    const dem_contact_blend *blends;
    /** How many. */
    size_t blend_count;
    /** The nodes of `contacts`, ordered by pair and features. A pair has those of all its contacts, or none: then each of its contacts is one. */
    const dem_contact_node *nodes;
    /** How many. */
    size_t node_count;
    /** The nodes of `last_contacts`, likewise. */
    const dem_contact_node *last_nodes;
    /** How many. */
    size_t last_node_count;
} dem_scene_contacts;

/** Two bodies that are near. */
typedef struct dem_near_pair {
    /** The body with the smaller number. */
    uint32_t a;
    /** The other one; `a` itself where a body meets its own image. */
    uint32_t b;
    /** How many periods B is moved along each axis to where it meets A; 0 along axes that are not periodic. */
    int16_t shift[3];
    /** 0. */
    uint16_t spare;
} dem_near_pair;

/**
 * Fills `desc` with the defaults: room for no body.
 *
 * Outputs: `desc`.
 * Inputs: `struct_size`: `sizeof(dem_scene_desc)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_scene_desc_init(dem_scene_desc *desc, size_t struct_size);

/**
 * How much memory a scene needs.
 *
 * Outputs (each may be null): `size`: bytes of the block: some 200 for each body, 365 for each contact, 48 for each node, 16 for each candidate and 224 for each contact within
 * the margin. A copy or a file takes as many; `dem_scene_size` tells them of a scene that is there. `align`: `DEM_ALIGN`.
 * Inputs: `desc`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_scene_layout(const dem_scene_desc *desc,
                         size_t *size,
                         size_t *align,
                         dem_error *error);

/**
 * Makes an empty scene.
 *
 * Outputs: `scene`: the scene, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_scene_layout` says. `desc`.
 * Memory: the block is the caller's; it may be copied, stored and thrown away at will. It holds neither shapes nor bodies.
 * Errors: those of `dem_scene_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_scene_init(void *memory,
                       size_t size,
                       const dem_scene_desc *desc,
                       dem_scene **scene,
                       dem_error *error);

/**
 * Makes a larger scene that goes on where another one is.
 *
 * Outputs: `grown`: the new scene, whose address is `memory`. `scene` stays as it is.
 * Inputs: `scene`. `memory`, `size`, `desc`: as for `dem_scene_init`; no number may be smaller than that of `scene`.
 * Memory: both blocks must not overlap.
 * Errors: those of `dem_scene_init`; those of the scene; `DEM_ERROR_CAPACITY` about `scene`: less room than before;
 * `DEM_ERROR_OVERLAP`.
 * Cost: a copy.
 * Threads: any; nobody may change the scene or use the memory during the call.
 */
int32_t dem_scene_grow(const dem_scene *scene,
                       void *memory,
                       size_t size,
                       const dem_scene_desc *desc,
                       dem_scene **grown,
                       dem_error *error);

/**
 * Takes bytes that come from a file, another process or a copy taken during a call as a scene.
 *
 * A plain copy of a scene in the same process needs no opening. What lies behind the header is not proved: a damaged scene
 * may give wrong answers or an error, nothing worse.
 *
 * Outputs: `scene`: the scene, which is the address `memory`. The latch in its first line is freed; nothing else changes.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than what was copied.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`.
 * Cost: some nanoseconds.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_scene_open(void *memory,
                       size_t size,
                       dem_scene **scene,
                       dem_error *error);

/**
 * Commits what was found last: it becomes the step that the next one is linked to. Where nothing was found since, nothing changes.
 *
 * Outputs: `scene`. What `dem_scene_view` shows stays the same, but take views again: pointers of those from before are no longer promised.
 * Errors: those of the scene.
 * Cost: none.
 * Threads: any; nobody may use the scene during the call.
 */
int32_t dem_scene_commit(dem_scene *scene,
                         dem_error *error);

/**
 * Commits some of the pairs that were found last. All other pairs keep what was committed of them before: those that are not taken, and
 * those that were not looked for.
 *
 * Outputs: `scene`: `dem_scene_view` shows no contacts then. `origins`, room for `origin_capacity`: where each contact of the new
 * committed step comes from, so that a program can merge what it keeps for each: 2 i + 1 for contact i of those found last, 2 i for
 * contact i of the committed step before. `count` (may be null): how many there are.
 * Inputs: `taken`, `taken_count`: a number for each of `pairs` of `dem_scene_view`: not 0 commits the pair.
 * Memory: `taken`, `origins` and the scene must not overlap each other.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_MISMATCH` about `body pairs`: another number than were found, about `periods`:
 * others than those of the committed step; `DEM_ERROR_CAPACITY` about `links` (`origins`), about `contacts`, `nodes` and `poses` (`dem_scene_grow`);
 * `DEM_ERROR_OVERLAP`. Nothing is changed then.
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
 * Forgets what was found since the last commit. There is no need to call it before another trial.
 *
 * Outputs: `scene`: the committed step is what it was; `dem_scene_view` shows no contacts.
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
 * Cost: a pass over what is kept: about 100 bytes for each contact, 56 for each body.
 * Threads: any number at a time.
 * Determinism: the same on every machine for the same steps; places of bodies are a part of it.
 */
int32_t dem_scene_hash(uint64_t *hash, const dem_scene *scene, dem_error *error);

/**
 * Where the contacts are that were found last: by the last step or trial that succeeded. There are none after `dem_scene_abandon`.
 *
 * Outputs: `view`, of which `view_size` bytes are written, at most `sizeof(dem_scene_contacts)`: pointers into the scene's block, good until
 * the next call that changes the scene. None of them is null.
 * Inputs: `scene`. `view_size`: `sizeof(dem_scene_contacts)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`.
 * Cost: about 0.1 microseconds.
 * Threads: any number at a time.
 */
int32_t dem_scene_view(const dem_scene *scene,
                       dem_scene_contacts *view,
                       size_t view_size,
                       dem_error *error);

/**
 * Where the contacts within the margin are that were found last: those with halos that are wider by `margin` of the query, both together. There
 * are none without a margin.
 *
 * Pairs of bodies have the same names and order as those of `dem_scene_view`, which are among them. These contacts are not matched with those of a
 * step before: `links`, `successors`, `blends`, nodes and all that is `last` are empty.
 *
 * Outputs: `view`, as for `dem_scene_view`.
 * Inputs: as for `dem_scene_view`.
 * Errors: those of `dem_scene_view`.
 * Cost: about 0.1 microseconds.
 * Threads: any number at a time.
 */
int32_t dem_scene_margin_view(const dem_scene *scene,
                              dem_scene_contacts *view,
                              size_t view_size,
                              dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Contacts of a scene.
 *
 * Body i is item i of every array. Arrays of `uint32_t` have the type DEM_U32; an array whose `data` is null means
 * the default value for every body.
 */

/** One contact for each place where two bodies touch; more where one looks different ways, as that of a box in a corner. */
#define DEM_GROUPING_REGIONS 0
/** One contact for each two flat parts of both bodies' surfaces that push on each other. */
#define DEM_GROUPING_PATCHES 1
/** One contact for each pair of bodies; where forces cancel to less than half of their sum, as in a narrow groove, its regions. */
#define DEM_GROUPING_BODIES 2

/** A scene's bodies, and what is asked about them. */
typedef struct dem_scene_query {
    /** `sizeof(dem_scene_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /**
     * What bodies look like: spheres, half-spaces, meshes, compounds, each used by any number of bodies. `pose` says where a shape is in the frame of these bodies: `part_pose` of dem_mass puts a
     * mesh into the frame of its centre of mass. The identity, or all zeros: it is the same frame. `scale` is not looked at, as bodies have theirs.
     */
    const dem_placed *shapes;
    /** How many. */
    size_t shape_count;
    /** Bytes from one to the next; 0: they are packed. */
    size_t shape_stride;
    /** The most near pairs of triangles that any two bodies have: room in the scratch of each lane; 0: 256. */
    size_t pairs;
    /** The most contacts of two bodies; 0: 64. */
    size_t pair_contacts;
    /** What becomes one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default. */
    size_t grouping;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
    /** Lengths of the box along axes that are periodic, 0 along others; 0, 0, 0 by default. */
    double periods[3];
    /**
     * How far a contact may slide in a step and still be the same, in units of length. Contacts of the same features or nodes are the same
     * however far. A good one is the larger of T and the way that surfaces slide in a step. Infinity by default: then a contact that begins
     * takes the spring of another one of its pair, however far that is.
     */
    double bound;
    /**
     * Pairs of bodies whose bounds are up to this far apart are kept in a list, which serves for as many steps as no body moves, turns or
     * grows by more than half of it; 0, the default: there is a new list in every step. It changes no result, only time, and the room that
     * candidates take (`candidates` in `dem_scene_desc`). A few times what bodies move in a step is good: some hundredths of a radius.
     */
    double skin;
    /**
     * Where it is larger than 0, there is a second list of contacts (`dem_scene_margin_view`) for forces that reach farther than contact: with T + `margin`
     * in place of the sum T of both halos, as if each halo were wider by half of it. It changes no bit of the other list, and no contact in the second one
     * is matched. `margin_contacts` in `dem_scene_desc` is its room. 0, the default: there is none. A length.
     */
    double margin;
    /** Where the origins of the bodies' frames are: three numbers each. Says how many bodies there are. */
    dem_array positions;
    /** Quaternions x y z w; not turned by default. */
    dem_array orientations;
    /** All lengths of a body are multiplied by this; 1 by default. */
    dem_array scales;
    /** Halos of spheres and half-spaces, in place of those of their shapes and not scaled; those of the shapes by default. */
    dem_array halos;
    /** The shape of each body, counted from 0; integers of 32 bits; 0 by default. */
    dem_array shape_of;
    /**
     * 0: moved by forces; 1: moved by the program, or a wall whose vertices move; 2: static; 3: a ghost, which another process owns and
     * moves. Bodies that are not 0 have no contacts with each other, but for those that are 1 with those that are 3. With a `skin`, the
     * list of candidates expects static bodies not to move; if one does, the list is made anew. Integers of 32 bits; 0 by default.
     */
    dem_array motions;
    /** Bits of the groups that a body belongs to; integers of 32 bits; all by default. */
    dem_array groups;
    /** Bits of the groups that a body has contacts with, which must hold both ways; integers of 32 bits; all by default. */
    dem_array masks;
    /**
     * Names of the bodies, all different: `DEM_U64`; the places in these arrays by default. The id of a body that is gone should not be
     * used again.
     */
    dem_array ids;
    /**
     * For `DEM_GROUPING_REGIONS`, in radians, 0 to pi: forces that lean further than this from their sum are not one contact. A quarter of pi by
     * default. Wider angles give fewer contacts, each with a larger `moment`; the force and the torque of a pair of bodies are the same.
     */
    double angle;
} dem_scene_query;

/** What a step found. */
typedef struct dem_scene_counts {
    /** Pairs of bodies whose bounds meet: spheres, and boxes of those that are much larger than most. */
    uint64_t candidates;
    /** Pairs of bodies that have contacts. */
    uint64_t pairs;
    /** Contacts. */
    uint64_t contacts;
    /** Contacts that were there in the last step. */
    uint64_t persisting;
    /** Pairs of triangles that touch or cross each other. */
    uint64_t crossing;
    /** Pairs of bodies in the list that candidates are taken from; with a `skin` more than there are candidates. */
    uint64_t listed;
    /** Steps since that list was made; 0 where it was made in this one. */
    uint64_t age;
    /** Pairs of bodies that have contacts within the margin. */
    uint64_t margin_pairs;
    /** Contacts within the margin. */
    uint64_t margin_contacts;
} dem_scene_counts;

/**
 * Fills `query` with the defaults: no bodies.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_scene_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_scene_query_init(dem_scene_query *query, size_t struct_size);

/**
 * How much scratch `dem_scene_detect` needs, with a piece for each lane of the program's threads.
 *
 * Outputs: `scratch_size`: bytes; they depend on the scene's room, on shapes, threads, `pairs` and `pair_contacts`, not on where bodies
 * are.
 * Inputs: `scene`, `query`.
 * Errors: those of `dem_scene_detect` about the scene and shapes; `DEM_ERROR_TOO_LARGE`.
 * Cost: about a microsecond, and a tenth for each shape.
 * Threads: any number at a time.
 */
int32_t dem_scene_scratch(size_t *scratch_size,
                          const dem_scene *scene,
                          const dem_scene_query *query,
                          dem_error *error);

/**
 * One step: finds all contacts of all bodies, and which of them were there in the last step (`dem_scene_find`), and commits them
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
 * Finds all contacts of all bodies, and which of them were there in the committed step, as a trial.
 *
 * It reads the committed step and does not change it, so the result does not depend on trials before. All functions that take a scene use
 * the contacts that were found last; `dem_scene_commit` makes them the committed step.
 *
 * Of every two bodies, and of every periodic image of B, the patch pairs are those of `dem_placed_contacts`, made into contacts as
 * `grouping` says. A is the body with the smaller id. Positions are near A; B is moved to it by the `shift` of its pair. Half-spaces, and
 * compounds that have one, have no images.
 *
 * Outputs: `scene`: what was found, for `dem_scene_view`. `counts` (may be null), of which `counts_size` bytes are written, at most
 * `sizeof(dem_scene_counts)`.
 * Inputs: `scene`. `query`: bodies, threads. `scratch`, `scratch_size`: at least what `dem_scene_scratch` says, at any
 * alignment; with less, down to what one lane needs, fewer lanes work on meshes.
 * Memory: scratch and scene must not overlap each other, nor shapes and arrays.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`:
 * the scene, or a shape of the table; `DEM_ERROR_MISMATCH`: arrays of different lengths; `DEM_ERROR_UNSUPPORTED` about `cells`: a shape that was built without;
 * `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`, `DEM_ERROR_BAD_INDEX`: about an array with body and component, or about `shapes`
 * with its place (`component` as for `dem_placed_contacts`); `DEM_ERROR_DUPLICATE` about `ids`, with both places (`index`, `given`);
 * `DEM_ERROR_OUT_OF_RANGE` about `centres` and `radii`, those of the spheres around
 * bodies: farther than 4096 periods or 2^400 from the origin, wider than 64 periods; about `margin`: negative; `DEM_ERROR_UNSUPPORTED`: a compound in a compound;
 * `DEM_ERROR_OVERLAP`;
 * `DEM_ERROR_CAPACITY` with the exact number about `bodies`, `candidate pairs of bodies`, `contacts`, `nodes` (`dem_scene_grow`), `pairs`, `output` (`pair_contacts`),
 * `scratch`, `contacts within the margin`; about either list of contacts with the number of the other one as `index`. Everything is then as before; where a shape was changed during the call (`DEM_ERROR_BUSY` about `shapes`), what was found is forgotten,
 * and the committed step stays.
 * Cost: some hundred nanoseconds for a sphere; for meshes that of `dem_contacts` for each pair. Ids that are not ascending add a copy of all arrays, and a
 * sort where their order is not that of the last call.
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
 * As `dem_scene_find` for pairs that the program names: its own candidates, or a part of all pairs, each at poses of its own if it likes.
 *
 * Bounds, `motions`, `groups` and `masks` do not count: contacts of all these pairs are looked for, and `pairs` of `dem_scene_view` has
 * all of them, those without contacts, too. `dem_scene_commit` makes them the whole step; `dem_scene_commit_pairs` takes some and keeps
 * all other pairs of the committed step.
 *
 * Outputs: as for `dem_scene_find`.
 * Inputs: as for `dem_scene_find`. `pairs`, `pair_count`: each pair once, in any order; B is moved by `shift` periods to where it meets A. `poses` (may be null: those of the
 * bodies): for each pair where A is and where B is, not moved by periods; the scene has room for `posed` of them (`dem_scene_desc`).
 * Memory: scratch and scene must not overlap each other, nor anything else.
 * Errors: those of `dem_scene_find`; about `candidate pairs of bodies` with the place of the pair: `DEM_ERROR_BAD_INDEX` for a body that there is none of,
 * `DEM_ERROR_OUT_OF_RANGE` for a shift that is none of a body and itself, or along an axis that is not periodic, or of a body without end,
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
 * Adds up what acts on each body at its contacts.
 *
 * Outputs: `forces_out`, `torques_out` (either may be null or without data): three numbers for each body, `DEM_F32` or
 * `DEM_F64`; torques in world coordinates, about `centres`. What a body has no contacts for is zero.
 * Inputs: `scene`. `forces`: on A at the contact's position, three numbers for each contact; B feels the opposite. `torques` (may be
 * null): on A, likewise, added to the torques of the forces; the pressure law has `k moment` there. `centres` (may be null): for each body,
 * centres of mass, say; by default the positions of the bodies. `tasks` (may be null): threads of the program.
 * Memory: outputs must not overlap `forces`, `torques` and the scene, nor the numbers of one body those of another or its centre; within
 * a struct of the program's all may lie side by side.
 * Errors: those of the scene; `DEM_ERROR_NULL`: `forces`; `DEM_ERROR_MISMATCH`: arrays of other lengths; `DEM_ERROR_NOT_FINITE`: which
 * number of which array is NaN or infinite; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OUT_OF_RANGE`: types; `DEM_ERROR_OVERLAP`. Nothing is written then.
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
                           dem_error *error);

/**
 * As `dem_scene_wrenches` for the contacts within the margin (`dem_scene_margin_view`): there is a force for each of these.
 *
 * Outputs: as for `dem_scene_wrenches`.
 * Inputs: as for `dem_scene_wrenches`, with a force, and a torque if any, for each contact within the margin.
 * Memory: as for `dem_scene_wrenches`.
 * Errors: those of `dem_scene_wrenches`. Nothing is written then.
 * Cost: some ten nanoseconds a contact and a body.
 * Threads: any; nobody may change the scene during the call.
 * Determinism: sums are taken in the order of contacts, with any number of threads.
 */
int32_t dem_scene_margin_wrenches(const dem_output *forces_out,
                                  const dem_output *torques_out,
                                  const dem_scene *scene,
                                  const dem_array *forces,
                                  const dem_array *torques,
                                  const dem_array *centres,
                                  const dem_tasks *tasks,
                                  dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Memory that grows.
 *
 * A program that has an allocator need not ask how much memory anything takes. It gives the library a `dem_block` for each shape and for each scene, with a
 * function that gets memory; whoever has malloc takes the one of dem_heap.h, and a step is one call:
 *
 *   dem_block rock = dem_heap(), scene = dem_heap();
 *   dem_shape_build(&rock, &desc, &error);
 *   in every step: dem_scene_step(&scene, &found, sizeof found, &query, &error);
 *   dem_free(&scene); dem_free(&rock);
 *
 * The handles are `dem_shape_in(&rock)` and `dem_scene_in(&scene)`: all functions that take a shape or a scene go with them. They change where the object grows, in the functions of
 * this chapter and no others.
 */

/**
 * Builds a shape as `dem_shape_init` does, in memory that the library gets from the program.
 *
 * Outputs: `shape`: `start` is the shape, in `size` bytes.
 * Inputs: `shape`: its function, and memory that it got before, if any: that is used again where there is enough. `desc`: as for `dem_shape_init`.
 * Memory: as for `dem_shape_init`. What was in the memory before is gone, also after an error.
 * Errors: those of `dem_shape_init`; `DEM_ERROR_CAPACITY` about `block` with the bytes that will do: there is no function that gets memory, or it has none; `DEM_ERROR_MISALIGNED`: what it has returned.
 * Cost: that of `dem_shape_init`.
 * Threads: any; nobody may use the memory during the call.
 * Determinism: as for `dem_shape_init`.
 */
int32_t dem_shape_build(dem_block *shape,
                        const dem_shape_desc *desc,
                        dem_error *error);

/**
 * One step of a scene as `dem_scene_detect` makes it, in memory that the library gets from the program: the scene itself, which the first step makes, room for as many bodies, candidates and
 * contacts as there are, and scratch behind it.
 *
 * Where there is too little room, the scene is made a quarter larger than it has to be, and bodies are looked at once more. What was learned is kept, so that a scene in which
 * bodies come together looks at them twice in some of its first steps, and then no more.
 *
 * Outputs: `scene`: `start` is the scene, in `size` bytes. `counts` (may be null), of which `counts_size` bytes are written, at most `sizeof(dem_scene_counts)`.
 * Inputs: `scene`: its function, and the scene of the step before; or a scene that the program has made (`dem_scene_init`) in `size` bytes, of which those behind it are scratch. `query`: as for
 * `dem_scene_detect`; `pairs` and `pair_contacts` need not be set.
 * Memory: as for `dem_scene_detect`. A copy of the scene is its first bytes, as many as `dem_scene_size` says.
 * Errors: those of `dem_scene_detect`; `DEM_ERROR_CAPACITY` about `block` with the bytes that will do: the function that gets memory has none; `DEM_ERROR_MISALIGNED`: what it has returned. Without
 * such a function `DEM_ERROR_CAPACITY` as for `dem_scene_detect`. After an error the scene is as before, but perhaps somewhere else and with more room.
 * Cost: that of `dem_scene_detect`, about a microsecond and a tenth for each shape.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_find`: what room there is changes no bit.
 */
int32_t dem_scene_step(dem_block *scene,
                       dem_scene_counts *counts,
                       size_t counts_size,
                       const dem_scene_query *query,
                       dem_error *error);

/**
 * The corners of all contacts of a step of `dem_scene_step`, as `dem_scene_corners` has them, in memory that the library gets from the program: what an engine calls manifolds, with at most four
 * points for each contact.
 *
 * Outputs: `corners`: `start` is a list of `dem_contact_corner`, of which there are `count`; the memory is used again by the next call. `scene`: neither the committed step nor the last trial changes.
 * Inputs: `scene`: as `dem_scene_step` left it. `corners`: its function. `most`, `query`: as for `dem_scene_corners`.
 * Memory: as for `dem_scene_corners`.
 * Errors: those of `dem_scene_corners`; `DEM_ERROR_CAPACITY` about `block` with the bytes that will do, `DEM_ERROR_MISALIGNED` and `DEM_ERROR_OVERLAP` as for `dem_scene_step`, about either block.
 * Cost: that of `dem_scene_corners`; where there are more corners than there is room for, once more.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: as for `dem_scene_corners`.
 */
int32_t dem_scene_manifolds(dem_block *scene,
                            dem_block *corners,
                            size_t *count,
                            size_t most,
                            const dem_scene_query *query,
                            dem_error *error);

/**
 * How many bytes a scene takes, without the scratch behind it: what to copy or to store. `dem_scene_open` takes them from a file.
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
 * The defaults of `dem_shape_desc`.
 */
static inline dem_shape_desc dem_shape_desc_default(void) {
    dem_shape_desc desc;
    (void)dem_shape_desc_init(&desc, sizeof desc);
    return desc;
}

/**
 * The defaults of `dem_scene_query`.
 */
static inline dem_scene_query dem_scene_query_default(void) {
    dem_scene_query query;
    (void)dem_scene_query_init(&query, sizeof query);
    return query;
}

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
 * The corners in a block that `dem_scene_manifolds` has filled.
 */
static inline const dem_contact_corner *dem_corners_in(const dem_block *block) {
    return (const dem_contact_corner *)block->start;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * Phases of a step of a scene.
 *
 * `dem_scene_bounds`, `dem_scene_candidates`, `dem_scene_find_pairs` and `dem_scene_commit`, one after the other, find what
 * `dem_scene_detect` finds. A program that calls them itself may leave out pairs of bodies, or add its own.
 */

/**
 * A sphere around each body with its halo, without a margin.
 *
 * Outputs: `centres`: three numbers for each body, in units of length; `radii`: one for each. `DEM_F64` or `DEM_F32`, which rounds; either may be null or without
 * data. A body without end (a half-space, a compound that has one) has the origin and an infinite radius.
 * Inputs: `scene`: not changed. `query`: bodies. `scratch`, `scratch_size`: what `dem_scene_scratch` says, at any alignment.
 * Memory: outputs must not overlap the arrays of bodies, scene and scratch; they may lie side by side in a struct of the program's.
 * Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_CAPACITY` about `centres` and `radii`; `DEM_ERROR_OUT_OF_RANGE`: types.
 * Cost: some nanoseconds a body, and each part of a compound.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_bounds(const dem_output *centres,
                         const dem_output *radii,
                         dem_scene *scene,
                         const dem_scene_query *query,
                         void *scratch,
                         size_t scratch_size,
                         dem_error *error);

/**
 * The pairs of bodies that `dem_scene_find` looks at: those that the program wants (`motions`, `groups`, `masks`) and whose bounds meet. `dem_scene_find_pairs`
 * takes such a list, whole or in part.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): packed, ordered by ids, then by shift. `a` is the body with the smaller id. `count` (may be
 * null): how many there are, also where there are more than `capacity`; 0 where that was not found out.
 * Inputs: `scene`: neither the committed step nor the last trial changes. `query`: bodies. `scratch`, `scratch_size`: what `dem_scene_scratch` says, at any
 * alignment.
 * Memory: pairs, scratch and scene must not overlap each other nor anything else.
 * Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_CAPACITY` about `output`, with the exact number.
 * Cost: some hundred nanoseconds a body; with a `skin` some ten, as long as the list lasts.
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
 * How fast surfaces of a scene move in contact.
 *
 * `dem_contact_velocities` for all contacts of a scene in one call, from arrays of the program: velocities of bodies, and of the vertices of
 * those walls that a flow moves. One step of a solver of fluid-structure interaction is
 *
 * - for each mesh whose vertices move: dem_shape_refit;
 * - dem_scene_detect, dem_scene_view;
 * - dem_scene_velocities: the velocity of A's surface less that of B's, at each contact;
 * - the program's law: springs, dashpots, lubrication (below);
 * - dem_scene_wrenches: forces and torques of bodies; dem_scene_loads: what each vertex of a wall bears.
 *
 * Forces that act before surfaces touch, such as lubrication, act within the sum T of the halos: so halos are chosen as wide as the force
 * reaches (those of spheres in the array `halos` of the query, those of meshes in their shapes). `least_gap` is the distance of the
 * surfaces, from T to 0, and less where they penetrate. Where two bodies have several contacts, `share` divides what is one force for the
 * pair: F = share f(least_gap, v), with v = -(velocity . normal), how fast the surfaces close. Between spheres of radii a and b
 * f = 6 pi mu R^2 v (1 / h - 1 / T), with 1/R = 1/a + 1/b (R = a for a wall), begins with 0 at h = T, and h = max(least_gap, roughness)
 * keeps it finite; it draws where surfaces part, as liquids do. (Where facets stand for a smooth surface, h is the smallest least_gap of the
 * two bodies for all their contacts: those beside the nearest one are farther apart, but it is one film.) What is to begin at touch only, a spring between solids, is a law of
 * least_gap, too: K max(0, -least_gap) share. The laws with gap / halo begin at T, which then is too early. Contacts of wide halos cost more,
 * reach around edges (some hundredths of the share of a block that lies on a wall is at its edges), and feel what is behind a fold: see
 * the limits of halos above.
 */

/** A body whose vertices move by themselves. */
typedef struct dem_scene_surface {
    /** Its shape, a mesh, as it was when contacts were found; in the frame of the body: without a `pose` in the table of shapes. */
    const dem_shape *shape;
    /** 0. */
    size_t reserved_2;
    /** The scale that the body has: 1, if the query had none. */
    double scale;
    /** Which body of the scene it is. */
    uint32_t body;
    /** 0. */
    uint32_t reserved;
    /** Velocities of all vertices that the shape was built from, in their order, in its own frame and unscaled units: three numbers an item. */
    dem_array vertices;
} dem_scene_surface;

/** How the bodies of a scene move: body i is item i of every array, in the order of the query. */
typedef struct dem_scene_motion {
    /** `sizeof(dem_scene_motion)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** Velocities of the bodies' centres, in world axes: three numbers each; at rest by default. */
    dem_array velocities;
    /** Angular velocities, in world axes, in radians over time; 0 by default. */
    dem_array spins;
    /** The points that have `velocities`, in world coordinates: mostly centres of mass; the positions of the query by default. */
    dem_array centres;
    /** Bodies whose vertices move by themselves beside that; may be null if there is none. */
    const dem_scene_surface *surfaces;
    /** How many. */
    size_t surface_count;
    /** Bytes from one to the next; 0: they are packed. */
    size_t surface_stride;
    /** 0. */
    size_t reserved_2;
} dem_scene_motion;

/**
 * Fills `motion` with the defaults: all at rest.
 *
 * Outputs: `motion`.
 * Inputs: `struct_size`: `sizeof(dem_scene_motion)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_scene_motion_init(dem_scene_motion *motion, size_t struct_size);

/**
 * How much scratch `dem_scene_velocities` needs.
 *
 * Outputs: `scratch_size`: bytes, some 50 kilobytes for each of the program's threads; 0 where no vertices move. They depend on how many
 * contacts the scene has room for, not on how many there are.
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
 * For each contact of a scene the velocity of A's surface less that of B's, at the contact.
 *
 * It is that of `dem_contact_velocities`, with both bodies where the last successful step had them; B, where it is a periodic image, as that
 * moves.
 *
 * Outputs: `velocities`: three numbers, in world axes, for each contact (`count` of `dem_scene_view`).
 * Inputs: `scene`. `motion` (may be null: all at rest). `tasks` (may be null): threads of the program. `scratch`, `scratch_size`: at least
 * what `dem_scene_velocities_scratch` says, at any alignment; with less, down to what one thread needs, fewer work.
 * Memory: `velocities` and scratch must not overlap each other nor anything else.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`: `struct_size`, a stride; `DEM_ERROR_MISMATCH`,
 * `DEM_ERROR_NOT_FINITE` about `velocities of bodies`, `spins of bodies` or `centres`, with body and component; about `surfaces` with its
 * place as `index`: `DEM_ERROR_BAD_INDEX`: no such body, `DEM_ERROR_NULL`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: its
 * shape, `DEM_ERROR_MISMATCH`: not as many velocities as vertices (`needed`, `given`), `DEM_ERROR_NOT_FINITE`: a velocity (`given` is the
 * vertex) or, with component 9, the scale, `DEM_ERROR_OUT_OF_RANGE`: the scale, which is between 2^-500 and 2^500, a reserved field;
 * `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`; `DEM_ERROR_TOO_LARGE`. Nothing is written then.
 * Cost: some ten nanoseconds a contact; some tenths of a microsecond for one where vertices move, and a pass over their velocities for
 * every thousand of these.
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
 * As `dem_scene_velocities` for the contacts within the margin (`dem_scene_margin_view`).
 *
 * Outputs: `velocities`: three numbers, in world axes, for each contact within the margin.
 * Inputs: as for `dem_scene_velocities`; scratch is that of `dem_scene_velocities_scratch`.
 * Memory: as for `dem_scene_velocities`.
 * Errors: those of `dem_scene_velocities`. Nothing is written then.
 * Cost: that of `dem_scene_velocities`.
 * Threads: any number at a time, each with velocities and scratch of its own; nobody may change the scene or a shape during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_margin_velocities(double *velocities,
                                    const dem_scene *scene,
                                    const dem_scene_motion *motion,
                                    const dem_tasks *tasks,
                                    void *scratch,
                                    size_t scratch_size,
                                    dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * What vertices of a wall bear.
 *
 * The other half of what a solver of fluid-structure interaction asks about a wall: dem_scene_velocities takes what its vertices do to the
 * contacts, dem_scene_loads takes what acts at the contacts to its vertices. Both interpolate in the same way, so no power is made or lost in between.
 */

/**
 * How much scratch `dem_scene_loads` needs.
 *
 * Outputs: `scratch_size`: bytes, 24 for each vertex and a few kilobytes.
 * Inputs: `shape`: as for `dem_scene_loads`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.1 microseconds.
 * Threads: any number at a time.
 */
int32_t dem_scene_loads_scratch(size_t *scratch_size,
                                const dem_shape *shape,
                                dem_error *error);

/**
 * What each vertex of a wall's mesh bears of the forces at its contacts.
 *
 * A force is borne by the corners of the triangle at the point of the mesh that is closest to the contact, each by its weight there. Loads
 * sum to the force that `dem_scene_wrenches` has of the body. Their power at the velocities of the vertices is that of the forces at what
 * `dem_scene_velocities` takes from these to the contacts. A force is moved from the contact to the surface, by half a gap, and the torque
 * of that arm is lost. So is the torque `k moment` of a contact, which one force at its position leaves out: vertices bear forces only. It is 0 where all of a contact pushes one way.
 *
 * Outputs: `loads`: three numbers, in world axes, for each vertex that the shape was built from, in their order, `DEM_F32` or `DEM_F64`; zero where
 * nothing is borne.
 * Inputs: `scene`. `shape`: the mesh of the body, in its frame, as it was when contacts were found; `body`: which one; `scale`: that it has. `forces`: on A,
 * three numbers for each contact of the scene, as for `dem_scene_wrenches`; those at contacts of other bodies only have to be finite.
 * `scratch`, `scratch_size`: at least what `dem_scene_loads_scratch` says, at any alignment.
 * Memory: `loads` and scratch must not overlap each other nor anything else.
 * Errors: those of the scene; `DEM_ERROR_BAD_INDEX` about `surfaces`: no such body; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`,
 * `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_MISMATCH`, `DEM_ERROR_NOT_FINITE` about `forces`; `DEM_ERROR_NOT_FINITE`,
 * `DEM_ERROR_OUT_OF_RANGE`: the scale, types; `DEM_ERROR_CAPACITY`: `loads` (`needed` vertices), scratch; `DEM_ERROR_OVERLAP`. Nothing is written then.
 * Cost: some tenths of a microsecond for each contact of the body, and some nanoseconds a vertex.
 * Threads: any number at a time, each with loads and scratch of its own; nobody may change the scene or the shape during the call.
 * Determinism: the same bits on every machine: sums are taken in the order of contacts.
 */
int32_t dem_scene_loads(const dem_output *loads,
                        const dem_scene *scene,
                        const dem_shape *shape,
                        uint32_t body,
                        double scale,
                        const dem_array *forces,
                        void *scratch,
                        size_t scratch_size,
                        dem_error *error);

/**
 * As `dem_scene_loads` for the contacts within the margin (`dem_scene_margin_view`): there is a force for each of these.
 *
 * Outputs: as for `dem_scene_loads`.
 * Inputs: as for `dem_scene_loads`, with a force for each contact within the margin.
 * Memory: as for `dem_scene_loads`.
 * Errors: those of `dem_scene_loads`. Nothing is written then.
 * Cost: some tenths of a microsecond for each contact of the body, and some nanoseconds a vertex.
 * Threads: any number at a time, each with loads and scratch of its own; nobody may change the scene or the shape during the call.
 * Determinism: the same bits on every machine: sums are taken in the order of contacts.
 */
int32_t dem_scene_margin_loads(const dem_output *loads,
                               const dem_scene *scene,
                               const dem_shape *shape,
                               uint32_t body,
                               double scale,
                               const dem_array *forces,
                               void *scratch,
                               size_t scratch_size,
                               dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Corners of a scene.
 *
 * A solver of impulses takes a few points of each contact. dem_scene_corners has those of all contacts of a step in one call, on the program's threads:
 * after dem_scene_detect, or after each dem_scene_find. What corners are is said above (dem_contact_corners).
 */

/**
 * The corners of all contacts that were found last, ordered by contact: at least one for each.
 *
 * Outputs: `corners` (may be null if `capacity` is 0): packed; `contact` is the index of the contact in `contacts` of `dem_scene_view`, `order` counts from 0 in each. `count` (may be
 * null): how many there are, also where there are more than `capacity`; 0 where that was not found out.
 * Inputs: `scene`: neither the committed step nor the last trial changes. `most`: corners for each contact, at most; 0: four, the most important ones; `SIZE_MAX`: as many as there are. `query`:
 * that of the step, with the same bodies and shapes; bodies are taken to be where the step had them. `pairs` of it says how many triangle pairs of two bodies each thread has room for, and `tasks`
 * which threads. `scratch`, `scratch_size`: at any alignment; mostly what `dem_scene_scratch` says does. Where it does not, the error's `needed` is enough for all threads; with less, down to what one
 * thread needs, fewer work.
 * Memory: corners, scratch and scene must not overlap each other, nor anything else.
 * Errors: those of `dem_scene_find` that are not about contacts; `DEM_ERROR_MISMATCH` about `positions`: not as many bodies as the step had; `DEM_ERROR_CAPACITY` about `output`, with the exact
 * number, about `pairs` (in the query) with what would do for the bodies that need most, about scratch. No corner is written then.
 * Cost: that of `dem_contact_corners` for each pair of bodies, as triangles are looked for again: about a quarter of what finding the contacts took.
 * Threads: any; nobody may use the scene during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_corners(dem_scene *scene,
                          dem_contact_corner *corners,
                          size_t capacity,
                          size_t *count,
                          size_t most,
                          const dem_scene_query *query,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * From one step of a scene to the next.
 *
 * A scene matches its contacts by itself. What a program keeps for each of them, the elongation of a friction spring say, is in an
 * array beside the contacts, and is taken along after every dem_scene_detect or dem_scene_find:
 *
 * - dem_scene_view: how many contacts there are now, and how many there were;
 * - dem_scene_carry: from the array of the last step to that of this one;
 * - the program's own law, as in the chapter before; then exchange both arrays, after trials only when one is committed.
 *
 * dem_scene_events tells what began and what ended.
 */

/**
 * `kind` of `dem_scene_carry`. Three numbers: a vector that is turned as both bodies turned on average, laid into the plane across the normal, and as long as
 * before, as `dem_contact_carry` has it: springs of friction and rolling.
 */
#define DEM_CARRY_TANGENT 0
/** Three numbers: the same laid along the normal, to the side that it looks to: springs of torsion. */
#define DEM_CARRY_NORMAL 1
/** One number, which does not turn. */
#define DEM_CARRY_NUMBER 2

/**
 * What begins, persists and ends.
 *
 * Outputs: `events`: one for each contact that was found last, and one for each of the committed step that ended, ordered by ids, image and features. Places are
 * those in `contacts` and `last_contacts` of `dem_scene_view`. `event_count` (may be null): how many there are, also where there are more
 * than `event_capacity`. As many as both steps have contacts are always enough.
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
 * Takes what a program keeps for each contact along from the committed step: the elongations of springs.
 *
 * It only reads what the program committed, so it can be called for each trial.
 *
 * Outputs: `values`: for each contact (`count` of `dem_scene_view`) as many numbers as `kind` says, vectors in world axes; the mean
 * of several where it has `blends`; zero where it has no source.
 * Inputs: `of_last`: as many for each contact of the step before (`last_count`); null: there are none, and all that is written is zero. `kind`: `DEM_CARRY_*`. `scene`.
 * `tasks` (may be null): threads of the program.
 * Memory: values must not overlap anything else.
 * Errors: those of the scene; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OUT_OF_RANGE`: tasks, kind (about `options`); `DEM_ERROR_OVERLAP`. Nothing is
 * written then.
 * Cost: some tens of nanoseconds a contact.
 * Threads: any; nobody may change the scene during the call.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_carry(double *values,
                        const double *of_last,
                        uint32_t kind,
                        const dem_scene *scene,
                        const dem_tasks *tasks,
                        dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Bodies as spheres.
 *
 * A program that has laws of its own (balls in a flow, grains of a discrete-element code, agents) may want no more than to know who is near
 * whom: all pairs of spheres no farther apart than a margin, each once, as many steps as it likes. In every step: dem_grid_pairs; or with
 * a larger margin every few steps, and dem_near_moved and dem_near_refresh in between. What is much larger than the rest (ground, walls,
 * vessels) is a box: dem_box_pairs.
 *
 * Two spheres a and b are a pair where `|x_b + shift * period - x_a| <= r_a + r_b + margin` and a < b, or a == b and the shift is positive
 * (of its first component that is not 0): a body and its own image. Body i is item i of every
 * array; an array whose `data` is null means the default value for every body.
 */

/** Spheres, and how near is near. */
typedef struct dem_near_query {
    /** `sizeof(dem_near_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** 3; or 2 for discs, whose third components are not looked at. */
    uint32_t dimensions;
    /** 0. */
    uint32_t reserved;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
    /** Lengths of the box along axes that are periodic, 0 along others; 0, 0, 0 by default. Centres need not be inside of the box. */
    double periods[3];
    /** Spheres that are up to this far apart are pairs, too; finite and not negative; 0 by default. */
    double margin;
    /** Three numbers each. Says how many bodies there are; fewer than 2^31. */
    dem_array centres;
    /** One number each, not negative. */
    dem_array radii;
    /** 0: moved by forces; 1: moved by the program; 2: static. Bodies that are not 0 are not paired with each other. `DEM_U32`; 0 by default. */
    dem_array motions;
    /** Bits of the groups that a body belongs to; `DEM_U32`; all by default. */
    dem_array groups;
    /** Bits of the groups that a body is paired with, which must hold both ways; `DEM_U32`; all by default. */
    dem_array masks;
} dem_near_query;

/** How far bodies have moved since a list was made. */
typedef struct dem_near_motion {
    /** The largest sum, for two bodies, of how far they have moved and how much their radii have grown; 0 where nothing has moved. */
    double sum;
    /** The same for any one body. */
    double farthest;
    /**
     * How much larger the margin of the list is than that of `now`. The list lasts as long as `sum <= skin`; one of boxes that have not
     * moved as long as `farthest <= skin`.
     */
    double skin;
} dem_near_motion;

/**
 * Fills `query` with the defaults: no body.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_near_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_near_query_init(dem_near_query *query, size_t struct_size);

/**
 * How much scratch `dem_near_moved` and `dem_near_refresh` need.
 *
 * Outputs: `scratch_size`: bytes, one for some hundred bodies and pairs.
 * Inputs: `bodies`, `pairs`: how many bodies there are, and pairs in the list. `capacity`, `stride`: of the records that are written; 0 and 0
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
 * How far bodies have moved since a list of pairs was made, and whether it still has all that are asked for now.
 *
 * Along periodic axes bodies may have been wrapped by any number of periods.
 *
 * Outputs: `moved`, of which `moved_size` bytes are written, at most `sizeof(dem_near_motion)`.
 * Inputs: `then`: what the list was made of; `now`: where bodies are, with a margin that is not larger, the same periods, and filters that
 * want no more pairs. `scratch`, `scratch_size`: at least what `dem_near_scratch` says, at any alignment.
 * Memory: scratch must not overlap the arrays.
 * Errors: those of `dem_grid_pairs` about a query; `DEM_ERROR_MISMATCH`: other numbers of bodies or periods; `DEM_ERROR_OUT_OF_RANGE` about
 * `margin`: that of now is larger; `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OVERLAP`.
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
 * The pairs of a list that are still near: exactly the pairs of `now`, as long as the list lasts (`dem_near_moved`), in the order of the
 * list.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
 * `sizeof(dem_near_pair)`), of which min(`stride`, `sizeof(dem_near_pair)`) bytes are written. `count` (may be null): how many there
 * are, also where there are more than `capacity`; 0 where that was not found out.
 * Inputs: `list`, `list_count`: all pairs of `then`, one `sizeof(dem_near_pair)` after the other, aligned as a `uint32_t` is. `then`, `now`:
 * as for `dem_near_moved`, which has been called with them. `scratch`, `scratch_size`: at least what `dem_near_scratch` says.
 * Memory: records and scratch must not overlap each other, the list and the arrays.
 * Errors: those of `dem_near_moved`, but bodies are not checked one by one; `DEM_ERROR_BAD_INDEX` about `pairs`: the first record that names
 * a body that there is not; `DEM_ERROR_CAPACITY`: more pairs than `capacity`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`.
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
 * A hierarchical grid finds all pairs of spheres of any sizes, anywhere, in a time that is proportional to their number: cells of several
 * sizes, which it chooses by itself. It lives in a block of the program, which holds nothing but numbers that can be made anew.
 *
 * In the beginning: dem_grid_layout, dem_grid_init. In every step: dem_grid_pairs, with scratch of the size that dem_grid_scratch says.
 * Where few bodies change from step to step, the call is told which, and is done in a time that is proportional to them and to the pairs.
 */

/** A grid: the address of its block. */
typedef struct dem_grid dem_grid;

/** What a grid's block has room for. */
typedef struct dem_grid_desc {
    /** `sizeof(dem_grid_desc)`. */
    uint32_t struct_size;
    /** Bodies, at most; below 2^31. */
    uint32_t bodies;
    /** Cell sizes, 1 to 64; 8 by default, which is good for most size ratios. */
    uint32_t levels;
    /**
     * Bodies that have left their cells, or joined, since all were put into cells; 0: a 32nd of the bodies, and some. With more than
     * this, all are put into cells anew.
     */
    uint32_t loose;
} dem_grid_desc;

/**
 * Fills `desc` with the defaults: room for no body.
 *
 * Outputs: `desc`.
 * Inputs: `struct_size`: `sizeof(dem_grid_desc)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_grid_desc_init(dem_grid_desc *desc, size_t struct_size);

/**
 * How much memory a grid needs.
 *
 * Outputs (each may be null): `size`: bytes of the block, some 32 for each body; `align`: `DEM_ALIGN`.
 * Inputs: `desc`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_grid_layout(const dem_grid_desc *desc, size_t *size, size_t *align, dem_error *error);

/**
 * Makes an empty grid.
 *
 * Outputs: `grid`: the grid, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_grid_layout` says. `desc`.
 * Memory: the block is the caller's; it may be copied and thrown away at will. It does not hold the bodies.
 * Errors: those of `dem_grid_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_grid_init(void *memory,
                      size_t size,
                      const dem_grid_desc *desc,
                      dem_grid **grid,
                      dem_error *error);

/**
 * How much scratch `dem_grid_pairs` needs.
 *
 * Outputs: `scratch_size`: bytes, some 25 for each body that the grid has room for, and 16 for each record that is not packed.
 * Inputs: `grid`. `capacity`, `stride`: as for `dem_grid_pairs`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the grid;
 * `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_grid_scratch(size_t *scratch_size,
                         const dem_grid *grid,
                         size_t capacity,
                         size_t stride,
                         dem_error *error);

/**
 * All pairs of spheres that are near, each once.
 *
 * Where `changed` is null, all bodies are put into cells, whatever the grid held before. Otherwise only the bodies that `changed` names are put
 * into other cells; the list may be empty. Bodies join and leave at the end of the arrays: where there are more than in the call before, the last
 * ones have joined, and where there are fewer, the last ones have left. To remove a body elsewhere, move the last one to its place and name
 * that place in `changed`. Where the grid has no room for the changes, or was made for another margin or other periods, all bodies are put into
 * cells anew.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0:
 * `sizeof(dem_near_pair)`), of which min(`stride`, `sizeof(dem_near_pair)`) bytes are written. `count` (may be null): how many there
 * are, also where there are more than `capacity`; 0 where that was not found out.
 * Inputs: `grid`. `query`. `changed` (may be null), `changed_count`: numbers of the bodies whose centre or radius is not what it was in the
 * last call, in any order, more than once or not; aligned as a `uint32_t` is. One that has changed and is not named makes answers wrong.
 * `scratch`, `scratch_size`: at least what `dem_grid_scratch` says, at any alignment.
 * Memory: records, scratch and grid must not overlap each other nor the arrays.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the
 * grid; `DEM_ERROR_MISMATCH`: arrays of different lengths; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: about an array with body
 * and component, `margin` or `periods`; `DEM_ERROR_BAD_INDEX` about `bodies`: an item of `changed`; `DEM_ERROR_OVERLAP`;
 * `DEM_ERROR_CAPACITY` with the exact number about `grid`: bodies, `output`: pairs, `scratch`. After one about `output` the same call
 * finds all.
 * Cost: some 100 nanoseconds for a sphere; with `changed` some 300 for each one of these, and some 30 for all others.
 * Threads: any; nobody may use the grid during the call.
 * Determinism: the same pairs on every machine, with every instruction set and number of threads, in the same order; that depends on the
 * query, and with `changed` also on the calls before.
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

/* ------------------------------------------------------------------------------------------------------------------------
 * Spheres near boxes.
 *
 * Ground, walls and vessels would be in all cells of a grid. They are boxes along the axes, from few to many thousands, with sides that
 * may be infinite: a sphere and a box are a pair where the sphere, made larger by the margin, touches or overlaps the box.
 */

/** Boxes along the axes, and what they are paired with. Box i is item i of every array. */
typedef struct dem_near_boxes {
    /** `sizeof(dem_near_boxes)`. */
    uint32_t struct_size;
    /** 0. */
    uint32_t reserved;
    /** Smallest coordinates, three each; minus infinity where a box has no end. Says how many there are. */
    dem_array lows;
    /** Largest coordinates, at least the smallest ones; infinity where a box has no end. */
    dem_array highs;
    /** As those of bodies. */
    dem_array motions;
    /** As those of bodies. */
    dem_array groups;
    /** As those of bodies. */
    dem_array masks;
} dem_near_boxes;

/** A sphere that is near a box. */
typedef struct dem_box_pair {
    /** The body. */
    uint32_t body;
    /** The box. */
    uint32_t huge;
    /**
     * How many periods the box is moved along each axis to where it meets the body; 0 along axes that are not periodic, or that the box is
     * all of.
     */
    int16_t shift[3];
    /** 0. */
    uint16_t spare;
} dem_box_pair;

/**
 * Fills `boxes` with the defaults: none.
 *
 * Outputs: `boxes`.
 * Inputs: `struct_size`: `sizeof(dem_near_boxes)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_near_boxes_init(dem_near_boxes *boxes, size_t struct_size);

/**
 * How much scratch `dem_box_pairs` needs.
 *
 * Outputs: `scratch_size`: bytes, some 60 for each box, and 16 for each record that is not packed.
 * Inputs: `boxes`, `bodies`: how many there are. `capacity`, `stride`: as for `dem_box_pairs`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_box_scratch(size_t *scratch_size,
                        size_t boxes,
                        size_t bodies,
                        size_t capacity,
                        size_t stride,
                        dem_error *error);

/**
 * All spheres that are near boxes, ordered by body.
 *
 * Outputs: `pairs` (may be null if `capacity` is 0), `count` (may be null): as for `dem_grid_pairs`.
 * Inputs: `query`: spheres, margin. `boxes`. `scratch`, `scratch_size`: at least what `dem_box_scratch` says, at any alignment.
 * Memory: records and scratch must not overlap each other nor the arrays.
 * Errors: those of `dem_grid_pairs` about the query and records; the same about the arrays of boxes: a side that is NaN, that is infinite to
 * where the other one is, or along a periodic axis, where the other one is not; a low side above the high one.
 * Cost: some ten nanoseconds for a sphere that is near nothing, more with each box that is; a tenth of a microsecond a box.
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

/* ------------------------------------------------------------------------------------------------------------------------
 * Points and a shape.
 *
 * How far many points are from a shape, where it is closest, and on which side of it they are: what immersed boundary codes
 * ask in every step. Points and results are arrays of the host, read and written in place. Distances are to the surface,
 * in world coordinates; halos play no part.
 */

/** No triangle, no vertex: the number of what is not there. */
#define DEM_NO_ID 4294967295
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
 * Where results go: item i belongs to point i. What is not wanted has null data, as everything has after
 * `dem_point_results_init`. Integers are of type `DEM_I32` or `DEM_U32`.
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

/**
 * Fills `query` with the defaults.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_point_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_point_query_init(dem_point_query *query, size_t struct_size);

/**
 * Fills `results` so that nothing is wanted yet.
 *
 * Outputs: `results`.
 * Inputs: `struct_size`: `sizeof(dem_point_results)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_point_results_init(dem_point_results *results, size_t struct_size);

/**
 * How much scratch `dem_point_distance` needs.
 *
 * Outputs: `scratch_size`: bytes, a few kilobytes, and 48 for each open side, up to 4,096 of them; they depend on the shape only.
 * Inputs: `query`: its shape; points are not read.
 * Errors: those of `dem_point_distance` about `query`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_point_scratch(size_t *scratch_size,
                          const dem_point_query *query,
                          dem_error *error);

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
 * Inputs: `query`: shape, pose, points and bound. `scratch`, `scratch_size`: at least what `dem_point_scratch` says, at any
 * alignment.
 * Memory: scratch and results must not overlap each other nor the shape.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY`: scratch, or a result without room for all points; `DEM_ERROR_MISALIGNED`,
 * `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape; `DEM_ERROR_NOT_FINITE`: a point and its
 * component, the pose, or a bound that is NaN; `DEM_ERROR_OUT_OF_RANGE`: a point 2^1000 or more away from the body, the pose,
 * the bound, a type;
 * `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`. Nothing is then written.
 * Cost: 1 to 7 microseconds a point on a shape of some thousand to twenty thousand triangles; on an open shape a
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

/* ------------------------------------------------------------------------------------------------------------------------
 * Ray casts.
 *
 * Where rays first meet a body (`dem_placed_cast`), the bodies of a scene (`dem_scene_cast`) or of a world (`dem_world_cast`); with `_all` at the end all points where they do. No ray slips through between two triangles of a closed mesh, nor meets both.
 * A ray meets surfaces from either side: one that begins inside of a body meets it where it leaves. Halos play no part. Many rays in one call cost less than one by one.
 */

/** Where a ray meets a surface. */
typedef struct dem_ray_hit {
    /** How far along the ray, in units of its direction's length; infinite where nothing is met. */
    double t;
    /** The point, in world coordinates. */
    double point[3];
    /** Outward unit normal of the surface there, in world axes; zeros where a triangle has no area. */
    double normal[3];
    /** Id of the body in a scene; else 0. */
    uint64_t id;
    /** Place of the body in the query of a scene, else 0; all bits set where nothing is met. */
    uint32_t body;
    /** Part of a compound; else 0. */
    uint32_t part;
    /** Triangle of a mesh; 0 for spheres and half-spaces; all bits set where nothing is met. */
    uint32_t triangle;
    /** 0: it comes from where the normal points to; 1: from the other side; 3: nothing is met. */
    uint32_t side;
} dem_ray_hit;

/** All points `origin + t direction` with t from 0 to `most`, in world coordinates. */
typedef struct dem_ray {
    /** Where it begins. */
    double origin[3];
    /** Where it goes, of any length from 2^-200 to 2^200; a unit vector makes t a length. */
    double direction[3];
    /** The largest t of interest; infinity is allowed. */
    double most;
    /** Bits of the groups of bodies that it meets. Only casts at a scene look at them. */
    uint32_t mask;
    /** 0. */
    uint32_t reserved;
} dem_ray;

/**
 * Where each ray first meets a body.
 *
 * Outputs: `hits`: packed, one for each ray; `t` is infinite where it meets nothing. Of equal ones that of the first part is told, and of the triangle with the smallest number.
 * Inputs: `body`: at its pose; a mesh is one that was built with cells. `rays`, `count`: packed.
 * Memory: hits must not overlap anything else.
 * Errors: those of `dem_placed_contacts` about body A; about `rays` with the place of the ray (`component`: 0 to 2 origin, 3 to 5 direction, 6 `most`, 7 `reserved`): `DEM_ERROR_NOT_FINITE`,
 * `DEM_ERROR_OUT_OF_RANGE`; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_OVERLAP`. Where one comes, `hits` holds nothing of use.
 * Cost: for a ray some ten nanoseconds for each part that is no mesh, about two microseconds for a mesh.
 * Threads: any number at a time, each with hits of its own.
 * Determinism: the same bits on every machine.
 */
int32_t dem_placed_cast(dem_ray_hit *hits,
                        const dem_placed *body,
                        const dem_ray *rays,
                        size_t count,
                        dem_error *error);

/**
 * All points where each ray meets a body.
 *
 * Outputs: `hits`: those of the first ray, in the order in which it meets them, then those of the next one. `ends`: one number a ray: where its hits end in `hits`, and those of the
 * next ray begin; so the last one is the number of all. Of equal hits that of the first part comes first, and of the triangle with the smallest number.
 * Inputs: those of `dem_placed_cast`. `capacity`: records that `hits` has room for.
 * Memory: hits and ends must not overlap each other nor anything else.
 * Errors: those of `dem_placed_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. Where one comes, `hits` and `ends` hold nothing of use.
 * Cost: that of `dem_placed_cast`, without ending at the first hit; each ray's hits are sorted.
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
 * Which body of a scene each ray first meets, and where.
 *
 * Outputs: `hits`: packed, one for each ray; `t` is infinite where it meets nothing. Of equal ones that of the body with the smallest id is told.
 * Inputs: `scene`: not changed. `query`: the bodies, where they are now; of its `groups` a ray meets those in its `mask`. Periodic images are not met: a program that wants these casts the ray
 * again, moved by a period. `rays`, `count`: packed. `scratch`, `scratch_size`: what `dem_scene_scratch` says, at any alignment.
 * Memory: hits, scratch and scene must not overlap each other nor anything else.
 * Errors: those of `dem_scene_find` that are not about contacts; those of `dem_placed_cast` about rays and hits. Where one comes, `hits` holds nothing of use.
 * Cost: spheres around all bodies once a call, some nanoseconds a body; then for each ray one or two nanoseconds a body, and that of `dem_placed_cast` for each body whose sphere it meets before
 * the first hit.
 * Threads: any; nobody may use the scene during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_cast(dem_ray_hit *hits,
                       dem_scene *scene,
                       const dem_scene_query *query,
                       const dem_ray *rays,
                       size_t count,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * All points where rays meet bodies of a scene.
 *
 * Outputs: `hits`: those of the first ray, in the order in which it meets them, then those of the next one. `ends`: one number a ray: where its hits end in `hits`, and those of the
 * next ray begin; so the last one is the number of all. Of equal hits that of the body with the smallest id comes first.
 * Inputs: those of `dem_scene_cast`. `capacity`: records that `hits` has room for.
 * Memory: hits, ends, scratch and scene must not overlap each other nor anything else.
 * Errors: those of `dem_scene_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. Where one comes, `hits` and `ends` hold nothing of use.
 * Cost: twice that of `dem_scene_cast` without ending at the first hit, since hits are counted first.
 * Threads: any; nobody may use the scene during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_scene_cast_all(dem_ray_hit *hits,
                           size_t capacity,
                           uint64_t *ends,
                           dem_scene *scene,
                           const dem_scene_query *query,
                           const dem_ray *rays,
                           size_t count,
                           void *scratch,
                           size_t scratch_size,
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
 * Fills `options` with the defaults.
 *
 * Outputs: `options`.
 * Inputs: `struct_size`: `sizeof(dem_inspect_options)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_inspect_options_init(dem_inspect_options *options, size_t struct_size);

/**
 * How much scratch `dem_shape_inspect`, `dem_shape_findings` and `dem_shape_components` need.
 *
 * Outputs: `scratch_size`: bytes, about 100 a triangle and 4 a vertex.
 * Inputs: `shape`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`;
 * `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_shape_inspect_scratch(size_t *scratch_size, const dem_shape *shape, dem_error *error);

/**
 * Inspects a shape: counts of every defect, and what works.
 *
 * Outputs: `report`, of which `report_size` bytes are written, at most `sizeof(dem_report)`.
 * Inputs: `report_size`: `sizeof(dem_report)`. `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at
 * least what `dem_shape_inspect_scratch` says, at any alignment.
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
 * Inputs: `shape`. `options` (may be null: the defaults): among them which defects. `scratch`, `scratch_size`: at least what
 * `dem_shape_inspect_scratch` says, at any alignment.
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
 * Inputs: `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at least what
 * `dem_shape_inspect_scratch` says, at any alignment.
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
 * How much scratch `dem_shape_self_intersections` needs.
 *
 * Outputs: `scratch_size`: bytes, about 90 a triangle; they do not depend on how many pairs there are.
 * Inputs: `shape`.
 * Errors: as `dem_shape_inspect_scratch`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_shape_self_intersections_scratch(size_t *scratch_size, const dem_shape *shape, dem_error *error);

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
 * Inputs: `shape`. `isa`: one of `DEM_ISA_*`. `scratch`, `scratch_size`: at least what
 * `dem_shape_self_intersections_scratch` says, at any alignment.
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
 * How much scratch `dem_shape_mass` needs.
 *
 * Outputs: `scratch_size`: bytes, about 48 a triangle and 4 a vertex.
 * Inputs: `shape`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`; `DEM_ERROR_BUSY`; `DEM_ERROR_POISONED`;
 * `DEM_ERROR_TOO_LARGE`.
 * Cost: about 0.1 microseconds.
 */
int32_t dem_shape_mass_scratch(size_t *scratch_size, const dem_shape *shape, dem_error *error);

/**
 * Mass, centre, inertia and principal axes of the body that a shape encloses, filled with one density; halos left aside.
 *
 * Exact for polyhedra but for rounding, where the mesh is closed. A hollow's wall looks into the hollow. A mesh that is not
 * closed is closed by a fan over each hole, and what that leaves unsure is told; faults that do not tear the surface (a
 * duplicate, a triangle turned the wrong way) cost next to nothing.
 *
 * Outputs: `mass`, of which `mass_size` bytes are written, at most `sizeof(dem_mass)`.
 * Inputs: `mass_size`: `sizeof(dem_mass)`. `shape`. `density`: positive. `scratch`, `scratch_size`: at least what
 * `dem_shape_mass_scratch` says, at any alignment.
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
 * Force laws.
 *
 * What two materials do to each other is a dem_interaction: an elastic force, damping, friction, torsion, rolling resistance and cohesion, each with its
 * numbers. Worlds take a table of them: that of materials i and j, where i is at most j, is item j (j + 1) / 2 + i, so that one material has one item, two have three,
 * three have six. dem_interaction_init has defaults, dem_interaction_of_materials makes one of moduli, and other functions find numbers for what is wanted: a restitution, a load
 * that rests at a gap, a step that is stable.
 *
 * Numbers go with any consistent units. Lengths are those of the bodies; T is the sum of both halos, "gap" the mean distance of surfaces, and the depth D is T less the smallest gap of a pair of bodies.
 */

/** A pressure where surfaces touch that falls to 0 where halos end: `stiffness (1 - gap / T) area`. Stiffness: force over area. */
#define DEM_NORMAL_PRESSURE 0
/** A linear spring for two bodies: `stiffness D`. Force over length. */
#define DEM_NORMAL_LINEAR 1
/** `stiffness sqrt(m) D / T`, with the reduced mass m. Force over the root of a mass. */
#define DEM_NORMAL_SPRING 2
/** Hertz, of balls `4/3 stiffness sqrt(R) D^1.5`; of other bodies by the area and the mean depth of their contact. Stiffness: the modulus E*, force over area. */
#define DEM_NORMAL_HERTZ 3
/** No damping. */
#define DEM_DAMPING_NONE 0
/** Hunt and Crossley: the elastic force times `1 + damping u`, with the velocity u of approach. Time over length. */
#define DEM_DAMPING_HUNT_CROSSLEY 1
/** A dashpot of `damping` times the critical one; the force never pulls. */
#define DEM_DAMPING_DASHPOT 2
/** The same, and the force may pull at the end of a contact. */
#define DEM_DAMPING_DASHPOT_WITH_TENSION 3
/** No cohesion. */
#define DEM_COHESION_NONE 0
/** `cohesion` times the area that presses. Force over area. */
#define DEM_COHESION_AREA 1
/** Derjaguin, Muller and Toporov, between balls: `2 pi cohesion R`, with the work of adhesion, energy over area. */
#define DEM_COHESION_DMT 2

/** What two materials do to each other. No number may be negative. */
typedef struct dem_interaction {
    /** The elastic force: one of `DEM_NORMAL_*`. */
    uint32_t normal;
    /** What slows an approach down: one of `DEM_DAMPING_*`. */
    uint32_t damped;
    /** What holds bodies together: one of `DEM_COHESION_*`. */
    uint32_t cohesive;
    /** 0. */
    uint32_t reserved;
    /** Of the elastic force. */
    double stiffness;
    /** Of the damping: `dem_damping_for` has it for a restitution. */
    double damping;
    /** Coefficient of friction, of sliding and torsion; 0 by default. It may be infinite. */
    double friction;
    /** Tangential over normal stiffness; 2/7 by default. */
    double shear;
    /** Time by which a dashpot beside the spring of friction lags; 0 by default. */
    double lag;
    /** 1, the default: contacts that have an area resist twist about their normal; 0: they do not. */
    double torsion;
    /** Coefficient of rolling resistance of balls; 0 by default. */
    double rolling;
    /** Of the cohesion. */
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
    /** Of cohesion by area: force over area. */
    double cohesion;
} dem_material;

/**
 * An elastic force alone, without damping, friction and cohesion.
 *
 * Outputs: `interaction`.
 * Inputs: `struct_size`: `sizeof(dem_interaction)`. `normal`: one of `DEM_NORMAL_*`. `stiffness`. Both are checked where the table is used, and by `dem_interactions_check`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_interaction_init(dem_interaction *interaction,
                             size_t struct_size,
                             uint32_t normal,
                             double stiffness);

/**
 * What two materials do to each other by a law. Moduli are those of two layers in series (`DEM_NORMAL_PRESSURE`, halos equally thick) or of two half-spaces
 * (`DEM_NORMAL_HERTZ`); tangential over normal stiffness is Mindlin's; restitution, friction, rolling and cohesion are geometric means. Damping is a dashpot that never pulls.
 *
 * Outputs: `interaction`.
 * Inputs: `struct_size`: `sizeof(dem_interaction)`. `a`, `b`: the materials; they may be the same. `normal`: one of `DEM_NORMAL_*`. `size`: for `DEM_NORMAL_LINEAR` and
 * `DEM_NORMAL_SPRING` the length (a radius, say) by which the modulus is multiplied, for the latter over the root of the reduced mass; not used by others.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `materials`, with `index` 0 for `a` and 1 for `b`, and the field as
 * `component`; `DEM_ERROR_OUT_OF_RANGE` about `options`: `normal`.
 * Cost: about a microsecond.
 */
int32_t dem_interaction_of_materials(dem_interaction *interaction,
                                     size_t struct_size,
                                     const dem_material *a,
                                     const dem_material *b,
                                     uint32_t normal,
                                     double size,
                                     dem_error *error);

/**
 * Whether a table of interactions may be used: each number is in its range, and there are as many items as some number of materials has.
 *
 * Outputs: `materials` (may be null): of how many materials the table is.
 * Inputs: `table`, `count`.
 * Errors: about `materials`: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` with item and field (`normal` is 0); `DEM_ERROR_MISMATCH`
 * where the table has no such number of items.
 * Cost: some nanoseconds for each item.
 */
int32_t dem_interactions_check(size_t *materials,
                               const dem_interaction *table,
                               size_t count,
                               dem_error *error);

/**
 * The number `damping` with which bodies part at a restitution times the velocity at which they met, in central impact by any elastic force.
 *
 * Outputs: `damping`.
 * Inputs: `damped`: one of `DEM_DAMPING_*`. `restitution`: above 0 and at most 1. `velocity`: that of impact, for `DEM_DAMPING_HUNT_CROSSLEY`, whose restitution depends on it; not used by others.
 * Errors: `DEM_ERROR_NULL`; about `options`, with the argument as `component` (`damped` is 0): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
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
 * Inputs: `load`, `area`: positive. `gap`: less than `halo`, which is the sum of both.
 * Errors: `DEM_ERROR_NULL`; about `options`, with the argument as `component` (`load` is 0): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_pressure_for(double *pressure,
                         double load,
                         double area,
                         double gap,
                         double halo,
                         dem_error *error);

/**
 * The gap at which a load on an area rests: `halo (1 - load / (pressure area))`. Below 0 surfaces penetrate. Bodies that are placed so do not jump.
 *
 * Outputs: `gap`.
 * Inputs: `load`, `area`, `pressure` (the `stiffness` of `DEM_NORMAL_PRESSURE`), `halo` (the sum of both): positive.
 * Errors: `DEM_ERROR_NULL`; about `options`, with the argument as `component` (`load` is 0): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_resting_gap(double *gap,
                        double load,
                        double area,
                        double pressure,
                        double halo,
                        dem_error *error);

/**
 * The `stiffness` of `DEM_NORMAL_LINEAR` with which contacts last for a time, with a dashpot of this restitution whose force may pull.
 *
 * Outputs: `stiffness`: force over length.
 * Inputs: `mass`: the reduced one of both bodies. `time`. `restitution`: above 0 and at most 1.
 * Errors: `DEM_ERROR_NULL`; about `options`, with the argument as `component` (`mass` is 0): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_linear_stiffness(double *stiffness,
                             double mass,
                             double time,
                             double restitution,
                             dem_error *error);

/**
 * The longest stable step of one contact. A fifth of it is accurate. `dem_world_measure` has the frequency of all contacts of a world.
 *
 * Outputs: `dt`.
 * Inputs: `stiffness`: force over length; `DEM_NORMAL_PRESSURE` has `stiffness area / T`. `mass`: the reduced one of both bodies. `zeta`: dashpot over the critical one; 0 without damping.
 * Errors: `DEM_ERROR_NULL`; about `options`, with the argument as `component` (`stiffness` is 0): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_stable_step(double *dt,
                        double stiffness,
                        double mass,
                        double zeta,
                        dem_error *error);

/**
 * The load at which a column of equal blocks that stand on each other gives way to the side: `4 tilt / height sin^2(pi / (4 blocks))`. A column that bears more falls, whatever the step.
 *
 * Outputs: `load`: a force.
 * Inputs: `tilt`: the stiffness of a joint against tilt, torque over angle; that of a square face with area A is `A / 12` times its normal stiffness (`stiffness A / T` of
 * `DEM_NORMAL_PRESSURE`). `height`: of a block. `blocks`: at least 1.
 * Errors: `DEM_ERROR_NULL`; about `options`, with the argument as `component` (`tilt` is 0): `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
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
 * A world holds bodies, finds their contacts, applies a law and moves them, in one block of the program's memory. Every call that changes it can be taken back by a copy of the block.
 *
 * - In the beginning: dem_world_layout and dem_world_init, dem_world_set_up (gravity, periods), dem_world_add for each body.
 * - dem_world_advance is many steps in one call.
 * - Or step by step, so that a program can look at a step, feed it, try it and take it back: dem_world_begin, dem_world_poll until it wants nothing more (DEM_WANT_DONE), dem_world_accept or
 *   dem_world_abandon. Each poll does one phase: contacts, the law, the motion. Until a step is accepted, nothing of the state has changed.
 * - dem_world_view has bodies and forces in place, dem_world_contacts the contacts, as scenes have them; dem_world_measure has energies, momenta, and whether steps are short enough.
 *
 * The law is a table of dem_interaction, or the program's own: a step that was begun with DEM_ASK_LAW stops at DEM_WANT_LAW, where the program reads contacts and velocities and writes forces. There
 * are no callbacks: a program may take its time there, use its threads, or copy the world.
 *
 * A snapshot is a copy of the block (`size` of dem_world_layout bytes), between any two calls, in the midst of a step, too. The copy is a world by itself, at any address that is aligned to
 * DEM_ALIGN, and goes on with the same bits: an engine keeps some of them and rolls back; a coupled solver goes back to the begin of its window. dem_world_hash tells whether two are the same.
 * In a file (dem_world_save, dem_world_load) a world has a version and a checksum.
 *
 * Where a world is too small, DEM_ERROR_CAPACITY says what would do (`argument`, `needed`). With a larger block (dem_world_grow) the same call goes on where it stood.
 */

/** Velocities first, then positions by the new ones: keeps energies of springs. */
#define DEM_ORDER_SEMI_IMPLICIT 0
/** Positions first: feeds energy into springs; for comparisons. */
#define DEM_ORDER_EXPLICIT 1
/** Turns about principal axes one after the other: second order, keeps angular momentum. */
#define DEM_ROTATION_SPLITTING 0
/** By the gyroscopic torque at the begin of the step: first order; for comparisons. */
#define DEM_ROTATION_GYROSCOPIC 1

/** A world: the address of its block. */
typedef struct dem_world dem_world;

/** What a world's block has room for. */
typedef struct dem_world_desc {
    /** `sizeof(dem_world_desc)`. */
    uint32_t struct_size;
    /** Bodies, at most. */
    uint32_t bodies;
    /** Pairs of bodies whose bounds meet, at most; 0: four for each body, and some. */
    uint32_t candidates;
    /** Contacts, at most, and pairs of bodies that have some; 0: four for each body, and some. */
    uint32_t contacts;
    /** Cell sizes, 1 to 64; 8 by default, which is good for most size ratios. */
    uint32_t levels;
    /** The most nodes of contacts; 0: as many as contacts. Curved meshes need more. */
    uint32_t nodes;
} dem_world_desc;

/** What holds for all steps of a world until it is changed. */
typedef struct dem_world_setup {
    /** `sizeof(dem_world_setup)`. */
    uint32_t struct_size;
    /** One of `DEM_ORDER_*`. */
    uint32_t order;
    /** One of `DEM_ROTATION_*`. */
    uint32_t rotation;
    /** 0. */
    uint32_t reserved;
    /** Acceleration of gravity; none by default. */
    double gravity[3];
    /** Lengths of the box along axes that are periodic, 0 along others. Bodies that leave are put in at the other side: their coordinates are kept between 0 and the period. */
    double periods[3];
} dem_world_setup;

/**
 * Fills `desc` with the defaults: room for no body.
 *
 * Outputs: `desc`.
 * Inputs: `struct_size`: `sizeof(dem_world_desc)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_world_desc_init(dem_world_desc *desc, size_t struct_size);

/**
 * How much memory a world needs.
 *
 * Outputs (each may be null): `size`: bytes of the block, some 720 for each body, 700 for each contact, 48 for each node and 16 for each candidate; `align`: `DEM_ALIGN`.
 * Inputs: `desc`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`; `DEM_ERROR_TOO_LARGE`.
 * Cost: none.
 */
int32_t dem_world_layout(const dem_world_desc *desc,
                         size_t *size,
                         size_t *align,
                         dem_error *error);

/**
 * Makes an empty world: no bodies, no gravity, time 0.
 *
 * Outputs: `world`: the world, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_world_layout` says. `desc`.
 * Memory: the block is the caller's; it may be copied, stored and thrown away at will. It holds no shapes and no threads.
 * Errors: those of `dem_world_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_init(void *memory,
                       size_t size,
                       const dem_world_desc *desc,
                       dem_world **world,
                       dem_error *error);

/**
 * Makes a larger world that goes on where another one is: between steps, and between the polls of a step.
 *
 * Outputs: `grown`: the new world, whose address is `memory`. `world` stays as it is. Handles of bodies stay what they are.
 * Inputs: `world`. `memory`, `size`, `desc`: as for `dem_world_init`; no number may be smaller than that of `world` (`dem_world_room`).
 * Memory: both blocks must not overlap.
 * Errors: those of `dem_world_init`; those of the world; `DEM_ERROR_CAPACITY` about `world`: less room than before; `DEM_ERROR_OVERLAP`.
 * Cost: a copy.
 * Threads: any; nobody may change the world or use the memory during the call.
 */
int32_t dem_world_grow(const dem_world *world,
                       void *memory,
                       size_t size,
                       const dem_world_desc *desc,
                       dem_world **grown,
                       dem_error *error);

/**
 * What a world has room for.
 *
 * Outputs: `desc`: as `dem_world_init` or `dem_world_grow` had it, with numbers where there was 0. With one of them raised it is what `dem_world_grow` takes.
 * Inputs: `struct_size`: `sizeof(dem_world_desc)`. `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_world_room(dem_world_desc *desc,
                       size_t struct_size,
                       const dem_world *world,
                       dem_error *error);

/**
 * Takes a copy of a block that was made during a call, or by another process on this machine, as a world.
 *
 * A copy that was made between calls needs no opening. What lies behind the header is not proved: for files there is `dem_world_load`.
 *
 * Outputs: `world`: the world, which is the address `memory`. The latch in its first line is freed; nothing else changes.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than what was copied.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`.
 * Cost: some nanoseconds.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_open(void *memory,
                       size_t size,
                       dem_world **world,
                       dem_error *error);

/**
 * All of a world for a file, with a version and a checksum; in the midst of a step, too. Rust's `OwnedWorld` reads it, and this library reads what that has written.
 *
 * Outputs: `bytes` (may be null if `capacity` is 0), at any alignment. `count` (may be null): how many there are, also where there are more than `capacity`: those of the block without its first
 * `DEM_ALIGN`.
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
 * Makes a world of what `dem_world_save` has written; it goes on with the same bits.
 *
 * Outputs: `world`: the world, whose address is `memory`.
 * Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, `DEM_ALIGN` bytes larger than `count`. `bytes`, `count`: what was saved, at any alignment.
 * Memory: `bytes` and the block must not overlap.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_DAMAGED` about `world`: a byte is another one, or cut off, or too many, or the format has another version
 * or another order of bytes. The memory is no world then.
 * Cost: a copy and a pass over it.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_load(void *memory,
                       size_t size,
                       const uint8_t *bytes,
                       size_t count,
                       dem_world **world,
                       dem_error *error);

/**
 * Fills `setup` with the defaults: no gravity, no periods.
 *
 * Outputs: `setup`.
 * Inputs: `struct_size`: `sizeof(dem_world_setup)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_world_setup_init(dem_world_setup *setup, size_t struct_size);

/**
 * What holds for all steps from now on.
 *
 * Outputs: `world`.
 * Inputs: `setup`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `gravity`, `periods` and `options` (`index` 0: `order`, 1: `rotation`);
 * `DEM_ERROR_UNSUPPORTED` within a step. Nothing is changed then.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_up(dem_world *world,
                         const dem_world_setup *setup,
                         dem_error *error);

/**
 * A hash of the accepted state: of all that later steps depend on. Steps that were tried and abandoned do not change it, nor do the block's size and address.
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
 * A body that joins gets a handle: a number with its slot in the lower 32 bits, `(uint32_t)handle`, and how many bodies were in this slot before it in the upper ones. All arrays of a world go by slots: a
 * body stays in its slot, and the handle of one that has left is refused. Free slots are static bodies without contacts.
 *
 * A body's frame has its origin in the centre of mass and its axes along the principal axes of inertia. A mesh is put there by `part_pose` of dem_mass, as its `pose` in the table of shapes.
 */

/** Moved by forces. */
#define DEM_MOTION_DYNAMIC 0
/** Moved by its own velocities, which the program sets. */
#define DEM_MOTION_KINEMATIC 1
/** Never moves. */
#define DEM_MOTION_STATIC 2
/** `id` of a body that has none of its own. */
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

/** A body that joins a world. */
typedef struct dem_member {
    /** `sizeof(dem_member)`. */
    uint32_t struct_size;
    /** Its shape: the place in the table of `dem_world_query`; 0 by default. */
    uint32_t shape;
    /** Its material: a row in the table of interactions; 0 by default. */
    uint32_t material;
    /** Bits of the groups that it belongs to, of which there must be one; the first by default. */
    uint32_t groups;
    /** Bits of the groups that it has contacts with, which must hold both ways; all by default. */
    uint32_t masks;
    /** 0. */
    uint32_t reserved;
    /** Mass, place and velocity; at the origin, static by default. */
    dem_body body;
    /** All lengths of its shape are multiplied by this, halos among them; 1 by default. Mass and moments are the body's own. */
    double scale;
    /**
     * Its name, below `DEM_WORLD_NO_ID` (2^63 - 1) and different from all others. `DEM_WORLD_NO_ID`, the default: one of slot and generation. Results depend on the order of ids, not on that of slots: the same
     * bodies added in another order with the same ids move alike, bit for bit.
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
 * Fills `member` with the defaults: a static body at the origin, of the first shape and material.
 *
 * Outputs: `member`.
 * Inputs: `struct_size`: `sizeof(dem_member)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_member_init(dem_member *member, size_t struct_size);

/**
 * A dynamic body at rest whose mesh is where a pose says.
 *
 * Outputs: `body`: with its origin in the centre of mass and its axes along the principal ones. Its shape is the mesh with `part_pose` of `mass` as its pose.
 * Inputs: `mass`: of `dem_shape_mass`. `mesh`: where the mesh is to be.
 * Errors: `DEM_ERROR_NULL`; about `pose`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`; about `mass` and `moments`: `DEM_ERROR_OUT_OF_RANGE`, as where the mesh has no volume.
 * Cost: some nanoseconds.
 */
int32_t dem_body_of_mass(dem_body *body,
                         const dem_mass *mass,
                         const dem_pose *mesh,
                         dem_error *error);

/**
 * A dynamic ball at rest.
 *
 * Outputs: `body`.
 * Inputs: `radius`, `density`: positive. `position`: three numbers.
 * Errors: `DEM_ERROR_NULL`; about `radii`, `density`, `positions`, `mass`: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
 * Cost: none.
 */
int32_t dem_body_ball(dem_body *body,
                      double radius,
                      double density,
                      const double *position,
                      dem_error *error);

/**
 * Adds a body. It takes the slot that became free last, or a new one.
 *
 * Outputs: `world`; `handle` (may be null).
 * Inputs: `member`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; with the slot as `index`: `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `positions`, `orientations`, `velocities of bodies`,
 * `spins of bodies`, `motions`, `mass`, `moments`, `scales`, `groups` (none), `ids`; `DEM_ERROR_DUPLICATE` about `ids`, with both slots; `DEM_ERROR_CAPACITY` about `bodies` (`dem_world_grow`);
 * `DEM_ERROR_UNSUPPORTED` within a step. Nothing is changed then.
 * Cost: some nanoseconds; a comparison with all ids where it has one of its own.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_add(dem_world *world,
                      uint64_t *handle,
                      const dem_member *member,
                      dem_error *error);

/**
 * Takes a body out. What touched it has no contact with it in the next step; its slot is used again, under another handle.
 *
 * Outputs: `world`.
 * Inputs: `handle`.
 * Errors: those of the world; `DEM_ERROR_BAD_INDEX` about `handle`: there is no such body any more; `DEM_ERROR_UNSUPPORTED` within a step. Nothing is changed then.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_remove(dem_world *world,
                         uint64_t handle,
                         dem_error *error);

/**
 * Puts a body somewhere else, or gives it other velocities, another mass or another kind of motion. So a program moves its kinematic bodies: a drum, a plate, a belt.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `body`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`; those of `dem_world_add` about the body; `DEM_ERROR_UNSUPPORTED` within a step. Nothing is changed then.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_body(dem_world *world,
                           uint64_t handle,
                           const dem_body *body,
                           dem_error *error);

/**
 * Gives a body another material: another row in the table of interactions. Springs of its contacts stay.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `material`.
 * Errors: those of the world; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_UNSUPPORTED` within a step. Nothing is changed then.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_material(dem_world *world,
                               uint64_t handle,
                               uint32_t material,
                               dem_error *error);

/**
 * A body in its accepted state.
 *
 * Outputs: `body`.
 * Inputs: `world`. `handle`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_INDEX` about `handle`.
 * Cost: none.
 */
int32_t dem_world_body(dem_body *body, const dem_world *world, uint64_t handle, dem_error *error);

/**
 * The handle of the body in a slot.
 *
 * Outputs: `handle`.
 * Inputs: `world`. `slot`.
 * Errors: none for a slot that is free: `DEM_NONE`, and `handle` stays as it is. Those of the world; `DEM_ERROR_NULL`.
 * Cost: none.
 */
int32_t dem_world_handle(uint64_t *handle, const dem_world *world, uint32_t slot, dem_error *error);

/**
 * Accepted states of all bodies in the program's own arrays: an item for each slot, free ones among them.
 *
 * Outputs (each may be null or without data): `positions`, `velocities`, `spins` (angular velocities): three numbers; `orientations`: four. `DEM_F64` or `DEM_F32`, which rounds. `count`
 * (may be null): how many slots there are.
 * Inputs: `world`.
 * Memory: outputs must not overlap the world; they may lie side by side in structs of the program's.
 * Errors: those of the world; `DEM_ERROR_CAPACITY`: an output has not enough items; `DEM_ERROR_OUT_OF_RANGE`: types; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`. Nothing but `count` is written then.
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
 * Sets the program's own forces on all bodies: of a fluid, a field, a motor. They act in all steps until they are set again. Allowed between steps, and where a step stops at `DEM_WANT_LOADS`.
 *
 * Outputs: `world`.
 * Inputs (each may be null: those stay as they are): `forces`; `torques`: about the centres of mass; in world axes, three numbers for each slot, `DEM_F64` or `DEM_F32`. What free slots have does not count.
 * Memory: the arrays must not overlap the world.
 * Errors: those of the world; about `forces` and `torques`: `DEM_ERROR_NULL`, `DEM_ERROR_MISMATCH` (not as many items as slots), `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: types,
 * `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED` elsewhere in a step. Nothing is changed then.
 * Cost: some nanoseconds a body.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_set_loads(dem_world *world,
                            const dem_array *forces,
                            const dem_array *torques,
                            dem_error *error);

/**
 * Sets the program's own force on one body, as `dem_world_set_loads` does on all.
 *
 * Outputs: `world`.
 * Inputs: `handle`. `load`: force, and torque about the centre of mass, in world axes.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` about `wrenches`; `DEM_ERROR_BAD_INDEX` about `handle`; `DEM_ERROR_UNSUPPORTED` elsewhere in a step. Nothing is changed then.
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
 * A step: dem_world_begin, then dem_world_poll again and again, until it wants something:
 *
 * - DEM_WANT_MORE: a phase is done; poll again.
 * - DEM_WANT_LAW (with DEM_ASK_LAW): the program's law. dem_world_contacts has the contacts, dem_world_law how surfaces move there and where to write forces, torques and springs.
 * - DEM_WANT_LOADS (with DEM_ASK_LOADS): the program may look at forces, and set its own (dem_world_set_loads).
 * - DEM_WANT_DONE: the step is complete. dem_world_accept, or dem_world_abandon.
 * - DEM_WANT_STUCK: bodies approach each other too fast for this step. dem_world_abandon, and begin a shorter one: `too_fast` of dem_world_slots has its length.
 *
 * dem_world_abandon takes back a step wherever it stands, to the bit. dem_world_advance does all of that by itself, for many steps.
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
/** Contacts are to be found. */
#define DEM_PHASE_FIND 1
/** The law is to be applied. */
#define DEM_PHASE_LAW 2
/** The program applies its law. */
#define DEM_PHASE_HOST_LAW 3
/** The program looks at its loads. */
#define DEM_PHASE_LOADS 4
/** Bodies are to be moved. */
#define DEM_PHASE_MOVE 5
/** Complete, not yet accepted. */
#define DEM_PHASE_DONE 6
/** Too long for how fast bodies approach. */
#define DEM_PHASE_STUCK 7

/** What polls are handed: what bodies look like, how to look for contacts, the law. The world keeps none of it: hand over the same in all polls of a step. */
typedef struct dem_world_query {
    /** `sizeof(dem_world_query)`. */
    uint32_t struct_size;
    /** One of `DEM_ISA_*`; `DEM_ISA_BEST` by default. */
    uint32_t isa;
    /** What bodies look like, as for `dem_scene_query`: with `part_pose` of dem_mass as the `pose` of a mesh. `scale` is not looked at. */
    const dem_placed *shapes;
    /** How many. */
    size_t shape_count;
    /** Bytes from one to the next; 0: they are packed. */
    size_t shape_stride;
    /** Interactions of each two materials: see `dem_interaction`. May be null where the program has a law of its own. */
    const dem_interaction *interactions;
    /** How many: 1, 3, 6, 10, ... */
    size_t interaction_count;
    /** The most near pairs of triangles that any two bodies have; 0: 256. */
    size_t pairs;
    /** The most contacts of two bodies; 0: 64. */
    size_t pair_contacts;
    /** What becomes one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default. */
    size_t grouping;
    /** Threads of the program; none by default. */
    dem_tasks tasks;
    /** As for `dem_scene_query`; infinity by default. */
    double bound;
    /** As for `dem_scene_query`: a neighbour list, which changes no result; 0, the default: none. */
    double skin;
    /** As for `dem_scene_query`; a quarter of pi by default. */
    double angle;
} dem_world_query;

/** How two surfaces move at a contact. */
typedef struct dem_meeting {
    /** Velocity of A's surface less that of B's, in world axes. */
    double velocity[3];
    /** Angular velocity of A less that of B. */
    double spin[3];
} dem_meeting;

/** What a contact keeps from step to step. */
typedef struct dem_springs {
    /**
     * Across the normal, along it, and across it again: they turn with the contact. Then two times three numbers, which `dem_world_measure` takes for stored energy, normal and tangential stiffness, and for
     * the energy of springs, what damping and what friction dissipated in the step; a law of the program that does not tell them leaves zeros.
     */
    double vectors[5][3];
} dem_springs;

/** What a law of the program reads and writes: an item of each list for each contact of `dem_world_contacts`. The memory is the world's, until the next call that changes it. */
typedef struct dem_host_law {
    /** How surfaces move. */
    const dem_meeting *meetings;
    /** To be written: force on A at `position` of the contact, and the torque beside it. Zero at first. B feels the opposite. */
    dem_wrench *acts;
    /** What contacts remember, carried from the step before. What is left here is remembered, if the step is accepted. */
    dem_springs *springs;
    /** How many contacts. */
    size_t count;
} dem_host_law;

/** Two bodies that approach each other too fast for a step. */
typedef struct dem_too_fast {
    /** Slot of one body. */
    uint32_t a;
    /** Slot of the other one; the same for a body and its periodic image, and for a body that moves by more than a period. */
    uint32_t b;
    /**
     * By how much they may approach in the step, over what is allowed: half of the sum of both halos. Where a body moves by more than a period, by how
     * many it does. 0 where no pair approaches.
     */
    double ratio;
    /** A time step that is short enough for all pairs; after a body that moves by more than a period, short enough for pairs to be looked at. */
    double dt;
} dem_too_fast;

/** What is in a world, in its block: it is there until the next call that changes the world. None of the pointers is null. */
typedef struct dem_world_slots {
    /** The accepted state of each slot; free ones are static. */
    const dem_body *bodies;
    /** What the step makes of them, at `DEM_WANT_DONE`. */
    const dem_body *moved;
    /** Names. */
    const uint64_t *ids;
    /** Places in the table of shapes. */
    const uint32_t *shapes;
    /** Rows in the table of interactions. */
    const uint32_t *materials;
    /** Factors of lengths. */
    const double *scales;
    /** The program's loads. */
    const dem_wrench *loads;
    /** What contacts exert on each slot, in the step or the last accepted one. */
    const dem_wrench *wrenches;
    /** The same as a mean over the window of `dem_world_advance`. */
    const dem_wrench *mean_wrenches;
    /** How many slots there are; in `moved` only at `DEM_WANT_DONE`. */
    size_t count;
    /** Force and torque on A at each contact of `dem_world_contacts`; B feels the opposite. */
    const dem_wrench *acts;
    /** How many. */
    size_t act_count;
    /** What each contact of the accepted step keeps. */
    const dem_springs *springs;
    /** How many. */
    size_t spring_count;
    /** Time of the accepted state. */
    double time;
    /** Accepted steps. */
    uint64_t steps;
    /** Where a step stands: one of `DEM_PHASE_*`. */
    uint32_t phase;
    /** Bodies: slots that are not free. */
    uint32_t bodies_there;
    /** The pair that approaches fastest, as far as the step has looked. */
    dem_too_fast too_fast;
} dem_world_slots;

/** Numbers of a step, or of the window that `dem_world_advance` went over. */
typedef struct dem_world_report {
    /** Time of the accepted state. */
    double time;
    /** Length of the last step. */
    double dt;
    /** Accepted steps. */
    uint64_t steps;
    /** Contacts of the last step. */
    uint64_t contacts;
    /** Pairs of bodies in contact. */
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
    /** Potential energy by gravity: against the origin. */
    double potential;
    /** Work of contacts and loads on dynamic bodies in the last step, or in the last window. */
    double work;
    /** Work of gravity. */
    double gravity_work;
    /** Energy stored by normal forces at the begin of the last step. */
    double stored_normal;
    /** By springs of friction, torsion and rolling. */
    double stored_tangential;
    /** Energy that damping has dissipated in the last step, or in the last window. */
    double damped;
    /** The same by friction. */
    double rubbed;
    /** The smallest gap of all contacts; infinite where there is none. */
    double least_gap;
    /** The fastest approach at a contact in a step, over its halo. Up to 0.1 is accurate. */
    double approach;
    /** Slots of the two bodies that approach so. */
    uint32_t approaching[2];
    /** A bound for the largest angular frequency of all bodies; 0 where the law tells no stiffness. A step is stable where `frequency dt` is below 2, and accurate at 0.2. */
    double frequency;
    /** The slot that it comes from. */
    uint32_t stiffest;
    /** 0. */
    uint32_t reserved;
    /** What the look for bodies that are too fast found. */
    dem_too_fast too_fast;
    /**
     * Sum over contacts of the way from the centre of mass of each dynamic body to the contact, times the force on it: component i of the way times
     * component j of the force is number 3 i + j. Divided by the volume of a packing it is its mean stress, negative where it is compressed.
     */
    double virial[9];
    /** Coordination number: how many bodies a dynamic body exchanges forces with, in the mean. */
    double coordination;
} dem_world_report;

/**
 * Fills `query` with the defaults: no shapes, no law.
 *
 * Outputs: `query`.
 * Inputs: `struct_size`: `sizeof(dem_world_query)`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
 * Cost: none.
 */
int32_t dem_world_query_init(dem_world_query *query, size_t struct_size);

/**
 * How much scratch `dem_world_poll` and `dem_world_advance` need, with a piece for each lane of the program's threads.
 *
 * Outputs: `scratch_size`: bytes; they depend on the world's room, on shapes, threads, `pairs` and `pair_contacts`, not on where bodies are.
 * Inputs: `world`, `query`.
 * Errors: those of `dem_world_poll` about the world and shapes; `DEM_ERROR_TOO_LARGE`.
 * Cost: about a microsecond, and a tenth for each shape.
 * Threads: any number at a time.
 */
int32_t dem_world_scratch(size_t *scratch_size,
                          const dem_world *world,
                          const dem_world_query *query,
                          dem_error *error);

/**
 * Begins a step.
 *
 * Outputs: `world`.
 * Inputs: `dt`: its length, larger than 0. `asks`: 0, or bits `DEM_ASK_*`: where the program wants to be asked.
 * Errors: those of the world; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `dt`; `DEM_ERROR_OUT_OF_RANGE` about `options`: other bits; `DEM_ERROR_UNSUPPORTED` where a step or a window is under way.
 * Nothing is changed then.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_begin(dem_world *world,
                        double dt,
                        uint32_t asks,
                        dem_error *error);

/**
 * Does one phase of the step: looks whether it is short enough and finds contacts; applies the law; moves bodies.
 *
 * Outputs: `want`: one of `DEM_WANT_*`. `world`: the step; the accepted state does not change.
 * Inputs: `query`: the same in all polls of a step. `scratch`, `scratch_size`: at least what `dem_world_scratch` says, at any alignment; with less, down to what one lane needs, fewer lanes work on meshes.
 * Memory: scratch and world must not overlap each other, nor shapes and interactions.
 * Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` before `dem_world_begin` and after the step's end; those of `dem_scene_find` that are not about its arrays, with slots for places; about `materials`:
 * `DEM_ERROR_NULL` where there are no interactions and the step needs some, and those of `dem_interactions_check`; `DEM_ERROR_NOT_FINITE` about `what acts at contacts`, with the contact as `index` and both ids as `needed` and `given`: a force, a torque
 * or a spring, as where a body's material is not in the table; `DEM_ERROR_NOT_FINITE` about `wrenches`; `DEM_ERROR_CAPACITY` about `candidate pairs of bodies`, `contacts`, `nodes` (`dem_world_grow`), `pairs`, `output` (`pair_contacts`), `scratch`. The step then stands where it
 * stood: mend it and poll again, or abandon it. `DEM_ERROR_BUSY` about `shapes`: a shape was changed during the call; the step then begins again with its first poll.
 * Cost: that of the phase; the first has that of `dem_scene_find`, others some hundred nanoseconds a contact and a body.
 * Threads: any; nobody may use the world during the call.
 * Determinism: the same bits on every machine, with every instruction set, number of threads, size of memory and `skin`, whether the block was copied between polls or not, and whatever was abandoned before.
 */
int32_t dem_world_poll(dem_world *world,
                       uint32_t *want,
                       const dem_world_query *query,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * Where a law of the program reads and writes, at `DEM_WANT_LAW`. Poll again when everything is written: forces are checked and added up then.
 *
 * Outputs: `law`, of which `law_size` bytes are written, at most `sizeof(dem_host_law)`.
 * Inputs: `world`. `law_size`: `sizeof(dem_host_law)`.
 * Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_UNSUPPORTED` about `step of the world` elsewhere.
 * Cost: none.
 * Threads: any; nobody may use the world during the call. Afterwards any number of threads may write, each to contacts of its own.
 */
int32_t dem_world_law(dem_host_law *law,
                      size_t law_size,
                      dem_world *world,
                      dem_error *error);

/**
 * Makes what the step came to the state of the world.
 *
 * Outputs: `world`.
 * Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` before the step is complete, and after it was accepted; about `window` within one. Nothing is changed then.
 * Cost: a copy of the bodies.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_accept(dem_world *world,
                         dem_error *error);

/**
 * Takes the step back, wherever it stands: the state is what it was before `dem_world_begin`, to the bit. Loads that were set meanwhile stay.
 *
 * Outputs: `world`.
 * Errors: those of the world; `DEM_ERROR_UNSUPPORTED` about `step of the world` where there is none. Nothing is changed then.
 * Cost: none.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_abandon(dem_world *world,
                          dem_error *error);

/**
 * Takes the world over a window of time, in equal steps, and accepts each. A step in which bodies would approach too fast is divided. Loads of the program hold all the time; `mean_wrenches` of
 * `dem_world_view` has what contacts exerted on the mean.
 *
 * Outputs: `world`.
 * Inputs: `length`: of the window; `most_dt`: of a step, at most; both larger than 0. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_poll`; `DEM_ERROR_NULL` about `materials`: there are no interactions; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `window` and `dt`; `DEM_ERROR_UNSUPPORTED` where a step is under way; `DEM_ERROR_MISMATCH` about `window`: another
 * one is under way; `DEM_ERROR_TOO_LARGE` about `dt`: a step would be divided into more than 2^20. After `DEM_ERROR_CAPACITY` the window is under way: with more room the same call goes on with it, and comes to the same end;
 * `dem_world_abandon` ends it at the last accepted step. After `DEM_ERROR_BUSY` about `shapes` go back to a copy: steps of this call may have seen a shape as it changed.
 * Cost: that of the steps.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_poll`.
 */
int32_t dem_world_advance(dem_world *world,
                          double length,
                          double most_dt,
                          const dem_world_query *query,
                          void *scratch,
                          size_t scratch_size,
                          dem_error *error);

/**
 * Where bodies, forces and springs are.
 *
 * Outputs: `slots`, of which `slots_size` bytes are written, at most `sizeof(dem_world_slots)`: pointers into the world's block, good until the next call that changes the world.
 * Inputs: `slots_size`: `sizeof(dem_world_slots)`. `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`.
 * Cost: a pass over the bodies, which counts those that are there.
 * Threads: any number at a time.
 */
int32_t dem_world_view(dem_world_slots *slots,
                       size_t slots_size,
                       const dem_world *world,
                       dem_error *error);

/**
 * The contacts of the step or of the last accepted one, as scenes have them; at the positions that the step began with. `a` and `b` of their pairs are slots.
 *
 * Outputs: `view`, of which `view_size` bytes are written, at most `sizeof(dem_scene_contacts)`: pointers into the world's block, good until the next call that changes the world.
 * Inputs: `view_size`: `sizeof(dem_scene_contacts)`. `world`.
 * Errors: those of the world; `DEM_ERROR_NULL`.
 * Cost: about 0.1 microseconds.
 * Threads: any number at a time.
 */
int32_t dem_world_contacts(dem_scene_contacts *view,
                           size_t view_size,
                           const dem_world *world,
                           dem_error *error);

/**
 * The scene in a world, for calls that read a scene: `dem_scene_view`, `dem_scene_wrenches`, `dem_scene_velocities` and `dem_scene_loads` with what they need, `dem_scene_events`,
 * `dem_scene_carry`. So a law of the program sees, at `DEM_WANT_LAW`, how fast the vertices of a wall move that a flow moves, and what they bear of its forces. Bodies of that scene are slots. It has no margin.
 *
 * Inputs: `world`.
 * Returns: `world` itself, as the pointer that these calls take; calls that would change the scene refuse it. Null for null.
 * Errors: none; those calls look at the world.
 * Cost: none.
 * Threads: any number at a time.
 */
const dem_scene *dem_world_scene(const dem_world *world);

/**
 * Energies, works, momenta, the deepest gap, and whether steps are short enough.
 *
 * Outputs: `report`, of which `report_size` bytes are written, at most `sizeof(dem_world_report)`.
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
 * Which body of a world each ray first meets, and where: at the positions of the accepted state.
 *
 * Outputs: `hits`: packed, one for each ray; `t` is infinite where it meets nothing; `body` is a slot. Of equal ones that of the body with the smallest id is told.
 * Inputs: `world`: not changed. `query`, `scratch`, `scratch_size`: as for `dem_world_poll`; no interactions are needed. A ray meets bodies with a group in its `mask`, and no periodic images.
 * `rays`, `count`: packed.
 * Memory: hits, scratch and world must not overlap each other nor anything else.
 * Errors: those of `dem_world_poll` about the world, shapes and scratch; those of `dem_placed_cast` about rays and hits. Where one comes, `hits` holds nothing of use. `DEM_ERROR_BUSY` about
 * `shapes`: a shape was changed during the call; a step under way begins again with its next poll.
 * Cost: that of `dem_scene_cast`.
 * Threads: any; nobody may use the world during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_world_cast(dem_ray_hit *hits,
                       dem_world *world,
                       const dem_world_query *query,
                       const dem_ray *rays,
                       size_t count,
                       void *scratch,
                       size_t scratch_size,
                       dem_error *error);

/**
 * All points where rays meet bodies of a world: at the positions of the accepted state.
 *
 * Outputs: `hits`, `ends`: as for `dem_scene_cast_all`; `body` is a slot.
 * Inputs: those of `dem_world_cast`. `capacity`: records that `hits` has room for.
 * Memory: hits, ends, scratch and world must not overlap each other nor anything else.
 * Errors: those of `dem_world_cast`; `DEM_ERROR_CAPACITY` about `output`: `needed` records. Where one comes, `hits` and `ends` hold nothing of use.
 * Cost: that of `dem_scene_cast_all`.
 * Threads: any; nobody may use the world during the call. Rays are shared among the threads of the query.
 * Determinism: the same bits on every machine, with any number of threads.
 */
int32_t dem_world_cast_all(dem_ray_hit *hits,
                           size_t capacity,
                           uint64_t *ends,
                           dem_world *world,
                           const dem_world_query *query,
                           const dem_ray *rays,
                           size_t count,
                           void *scratch,
                           size_t scratch_size,
                           dem_error *error);

/* ------------------------------------------------------------------------------------------------------------------------
 * Worlds that grow.
 *
 * A program that has an allocator gives the world a dem_block with a function that gets memory (dem_heap.h has one by malloc), and need not ask how much anything takes: no sizes, no scratch.
 *
 *   dem_block world = dem_heap();
 *   dem_world_build(&world, &setup, &error);
 *   dem_world_insert(&world, &handle, &member, &error);              for each body, at any time between steps
 *   dem_world_run(&world, 0.02, 1e-3, &query, &error);               or dem_world_begin and dem_world_next, phase by phase
 *   dem_free(&world);
 *
 * The handle of the world is dem_world_in(&world): all functions that take a world go with it. It changes where the world grows, in the functions of this chapter and no others. A snapshot is a copy of as many
 * bytes as dem_world_size says, and memcpy(world.start, snapshot, size) goes back to it: blocks only grow.
 */

/**
 * Makes an empty world, in memory that the library gets from the program.
 *
 * Outputs: `world`: `start` is the world, in `size` bytes.
 * Inputs: `world`: its function, and memory that it got before, if any: that is used again where there is enough. `setup` (may be null): what holds for all steps; no gravity and no periods by
 * default.
 * Memory: as for `dem_world_init`. What was in the memory before is gone.
 * Errors: those of `dem_world_set_up`; `DEM_ERROR_CAPACITY` about `block` with the bytes that will do: there is no function that gets memory, or it has none; `DEM_ERROR_MISALIGNED`: what it has returned.
 * Cost: the memory is filled with zeros.
 * Threads: any; nobody may use the memory during the call.
 */
int32_t dem_world_build(dem_block *world,
                        const dem_world_setup *setup,
                        dem_error *error);

/**
 * Adds a body as `dem_world_add` does, in a world that grows where it is full.
 *
 * Outputs: `world`; `handle` (may be null).
 * Inputs: `world`: its function, and the world. `member`.
 * Errors: those of `dem_world_add`; `DEM_ERROR_CAPACITY` about `block` and `DEM_ERROR_MISALIGNED` as for `dem_world_build`. Without a function that gets memory `DEM_ERROR_CAPACITY` as for
 * `dem_world_add`. Nothing is changed then.
 * Cost: some nanoseconds; a copy of the world where it grows, to half as much again.
 * Threads: any; nobody may use the world during the call.
 */
int32_t dem_world_insert(dem_block *world,
                         uint64_t *handle,
                         const dem_member *member,
                         dem_error *error);

/**
 * Takes the world over a window of time as `dem_world_advance` does; it gets more room and scratch from the program as it needs them.
 *
 * Outputs: `world`.
 * Inputs: `world`: its function, and the world. `length`, `most_dt`: as for `dem_world_advance`. `query`: `pairs` and `pair_contacts` need not be set.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_advance`; `DEM_ERROR_CAPACITY` about `block`: the function that gets memory has none; `DEM_ERROR_MISALIGNED`: what it has returned. After `DEM_ERROR_CAPACITY` the window is under way, as for
 * `dem_world_advance`.
 * Cost: that of the steps. Where there is too little room, the world is made a quarter larger than it has to be, and the phase is done once more; what was learned is kept.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_poll`; what room there is changes no bit.
 */
int32_t dem_world_run(dem_block *world,
                      double length,
                      double most_dt,
                      const dem_world_query *query,
                      dem_error *error);

/**
 * Does one phase of a step as `dem_world_poll` does; the world gets more room and scratch from the program as it needs them.
 *
 * Outputs: `want`: one of `DEM_WANT_*`. `world`.
 * Inputs: `world`: its function, and a world in which a step has begun (`dem_world_begin`). `query`: the same in all phases of a step; `pairs` and `pair_contacts` need not be set.
 * Memory: as for `dem_world_poll`.
 * Errors: those of `dem_world_poll`, and those of `dem_world_run` about the block. The step then stands where it stood.
 * Cost: that of `dem_world_poll`, and of growing as for `dem_world_run`.
 * Threads: any; nobody may use the world during the call.
 * Determinism: as for `dem_world_run`.
 */
int32_t dem_world_next(dem_block *world,
                       uint32_t *want,
                       const dem_world_query *query,
                       dem_error *error);

/**
 * How many bytes a world takes, without the scratch behind it: what to copy for a snapshot.
 *
 * Outputs: `size`: bytes.
 * Inputs: `world`.
 * Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`.
 * Cost: none.
 */
int32_t dem_world_size(size_t *size, const dem_world *world, dem_error *error);

/**
 * The defaults of `dem_world_desc`, with room for so many bodies.
 */
static inline dem_world_desc dem_world_desc_default(uint32_t bodies) {
    dem_world_desc desc;
    (void)dem_world_desc_init(&desc, sizeof desc);
    desc.bodies = bodies;
    return desc;
}

/**
 * The defaults of `dem_world_setup`.
 */
static inline dem_world_setup dem_world_setup_default(void) {
    dem_world_setup setup;
    (void)dem_world_setup_init(&setup, sizeof setup);
    return setup;
}

/**
 * The defaults of `dem_member`.
 */
static inline dem_member dem_member_default(void) {
    dem_member member;
    (void)dem_member_init(&member, sizeof member);
    return member;
}

/**
 * The defaults of `dem_world_query`.
 */
static inline dem_world_query dem_world_query_default(void) {
    dem_world_query query;
    (void)dem_world_query_init(&query, sizeof query);
    return query;
}

/**
 * An elastic force alone: `dem_interaction_init`.
 */
static inline dem_interaction dem_interaction_default(uint32_t normal, double stiffness) {
    dem_interaction interaction;
    (void)dem_interaction_init(&interaction, sizeof interaction, normal, stiffness);
    return interaction;
}

/**
 * The world in a block.
 */
static inline dem_world *dem_world_in(const dem_block *block) {
    return (dem_world *)block->start;
}

/* ------------------------------------------------------------------------------------------------------------------------
 * The library without an operating system.
 *
 * libdem_core.a has the same functions. It needs no libc and no allocator: what it leaves to the host is memcpy, memmove,
 * memset, memcmp and the function below.
 */

/**
 * Defined by the host, and only with libdem_core.a: called when the library meets a defect of its own.
 *
 * Inputs: `message`, `length` bytes of ASCII without a zero at the end: what happened and where.
 * It must not return. (If it does, the program ends in an illegal instruction or an endless loop.)
 */
void dem_host_panic(const char *message, size_t length);

#ifdef __cplusplus
}
#endif

#endif /* DEM_H */
