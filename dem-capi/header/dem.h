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
@CONTENTS@
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
