/*
 * dem: contact detection and rigid-body stepping for solid bodies of any shape: triangle meshes (non-convex, open, badly
 * made) and spheres, of any size ratio.
 *
 * This header is the manual of shapes and scenes. It includes nothing but <stddef.h> and <stdint.h> and works from C11, C++17
 * and, through interoperable types, from Fortran (three programs of examples-c have modules to copy; functions that are
 * `static inline` are not for Fortran). It is made from the library's source: do not edit it. Other headers include it:
 *
 *   dem_world.h    bodies that move: force laws, time steps
 *   dem_pair.h     contacts of two bodies at a time, by a program that knows itself which are near each other
 *   dem_mesh.h     a mesh by itself, and two: what is wrong with it, mass, points, distances; boxes and cylinders
 *   dem_broad.h    bodies as spheres: which are near each other, and nothing else
 *   dem_papers.h   distances of single triangles, points and segments, by the methods of the papers
 *   dem_heap.h     memory by malloc, for what takes a dem_block
 *
 * CONTENTS, chapter by chapter
@CONTENTS@
 *
 * CONVENTIONS
 *   Every name begins with dem_ or DEM_. As a rule arguments come in this order: memory or object that is made, changed or
 *   measured, outputs (each with its capacity and count), inputs, scalars, scratch, `error`.
 *   There are no units: any consistent set will do. Angles are in radians, quaternions are x y z w.
 *   Flags, kinds and options are integers of fixed width, and are checked. Structs have no padding; fields called `reserved`
 *   are 0.
 *   Input structs begin with `struct_size` and come with defaults from dem_..._default, or from dem_defaults, which is told
 *   `sizeof` the struct. So a program goes on working with a newer library, and with an older one as long as it sets
 *   nothing that the older one does not know (DEM_ERROR_BAD_SIZE).
 *   Arrays are read and written in place, through strides in bytes: arrays of structs, structures of arrays, Fortran's
 *   a(3,n) and a(n,3), in float or double, at any alignment.
 *   Structs of later versions may have more fields at their end. So arrays of such structs have a stride, and lists that the
 *   library hands out have theirs beside them: go by it. A stride of 0 is the size that a struct has in version 0.1, for good;
 *   who is built with a later header passes sizeof. Records are written as far as both sides have fields; fields that an older
 *   program does not have are read as 0. Structs in arrays without a stride never change.
 *
 * MEMORY
 *   The caller owns everything. The library never allocates, and keeps no pointer beyond a call. There is nothing to free.
 *   An object lives in a block of the caller: a function called dem_..._layout says how many bytes it needs, dem_..._init
 *   builds it there, and from then on the block's address is the object. Blocks start at multiples of DEM_ALIGN bytes:
 *   ask malloc for DEM_ALIGN - 1 bytes more and use dem_align. A block may be copied to another address between calls, by
 *   memcpy, and the copy is an object of its own. Bytes from a file or another process go through dem_..._open, which
 *   checks them.
 *   Programs that have an allocator need not ask how much anything takes: dem_shape_build and dem_scene_step get memory through a
 *   function of the program, which is in a dem_block. dem_heap.h has one that uses malloc.
 *   Some calls need scratch memory: any bytes, at any alignment, whose content means nothing before and after the call. How many
 *   they are depends on sizes, shapes and threads, not on where bodies are: the same call with null and 0 for scratch does nothing
 *   but say so, DEM_ERROR_CAPACITY about `scratch` with `needed` bytes, if it takes any.
 *   Memory that is written must not overlap other arguments, unless the function says that it may. (DEM_ERROR_OVERLAP tells of
 *   most that does; columns of the same structs are not compared.) A call uses at most
 *   64 KiB of stack.
 *
 * ERRORS
 *   Functions that can fail return a status: DEM_OK (0), a positive number that informs (DEM_NONE), or a negative one,
 *   DEM_ERROR_*. Where they take `error`, they fill it with what was wrong, where, and what would have been right;
 *   dem_error_format makes a sentence of it. `error` may be null.
 *   An output that is too small gives DEM_ERROR_CAPACITY with the exact number needed; nothing is lost, and the same call
 *   with enough room gives the full answer. Of scenes and worlds `short_of` of the error has all that is short at once. A call that fails changes nothing but `error`, counts that say what is needed,
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
