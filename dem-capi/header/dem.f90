! dem: contact detection and motion of rigid bodies, for Fortran 2018. The headers beside this file (dem.h and others)
! are the manual; types, constants and functions have the same names here. This file is made from the headers: do not
! edit it. Compile it with your program, because a compiled module works only with the same compiler:
!
!   gfortran $(pkg-config --variable=fortran dem) yours.f90 $(pkg-config --libs dem-static)
!
! Differences in Fortran:
!   Functions return the status, as in C. Arguments that C passes by pointers are optional: an argument that is left out
!     is a null pointer, and an error tells if the library needs it. `call dem_must(error)` ends the program after an error.
!   Types that are inputs begin with their defaults, so dem_defaults need not be called. Indices of vertices in
!     triangles count from 1 (`base` of dem_indices).
!   The library reads and writes arrays of a program in place. They need the attribute `target`, and must exist while
!     they are used. dem_array_of(a), dem_output_of(a) and dem_indices_of(a) describe a whole array: a(n), a(3,n), and
!     a(n,3) with `items = 1`. A call that needs three numbers an item refuses a(2,n). Other arrays need their strides
!     in bytes, such as a field of an array of derived types: dem_array(c_loc(bodies(1)%position), size(bodies),
!     storage_size(bodies) / 8). Numbers that are not double also need their `type`.
!   Objects (dem_shape, dem_scene, dem_world, dem_grid) are of type(c_ptr). Blocks that begin with dem_heap() get their
!     memory from malloc; dem_free gives it back. block%start takes the place of dem_shape_in, dem_scene_in and
!     dem_world_in.
!   Indices in results of the library (of bodies, triangles and contacts) count from 0. dem_contact_at, dem_pair_at
!     and dem_slot_body count from 1, as arrays do; lists whose strides are those of the types become arrays by
!     c_f_pointer.
!   DEM_VERSION and DEM_ABI_VERSION are names of functions, so the constants with these names end in _HERE here.
!   Unsigned numbers of C are signed numbers of the same size here; DEM_NO_ID is -1. Addresses have 64 bits.
module dem
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit
    implicit none
    private :: error_unit, moved, as_output

    real(c_double), parameter :: DEM_INFINITY = transfer(9218868437227405312_c_int64_t, 0._c_double)
@CONSTANTS@
@TYPES@
    ! A part of the work: dem_tasks%run calls it with each number below `lanes`, and with its `arg`.
    abstract interface
        subroutine dem_lane(lane, arg) bind(c)
            import :: c_size_t, c_ptr
            integer(c_size_t), value :: lane
            type(c_ptr), value :: arg
        end subroutine
    end interface

    ! The procedure of dem_tasks%run, set by c_funloc. It calls `lane` with each number below `lanes` (c_f_procpointer
    ! makes a procedure of it), and with `arg`. `user` is that of dem_tasks.
    abstract interface
        subroutine dem_tasks_run(user, lanes, lane, arg) bind(c)
            import :: c_size_t, c_ptr, c_funptr
            type(c_ptr), value :: user, arg
            integer(c_size_t), value :: lanes
            type(c_funptr), value :: lane
        end subroutine
    end interface

    ! The procedure of dem_block%resize.
    abstract interface
        function dem_resize(context, old, old_size, size) bind(c)
            import :: c_size_t, c_ptr
            type(c_ptr), value :: context, old
            integer(c_size_t), value :: old_size, size
            type(c_ptr) :: dem_resize
        end function
    end interface

    interface
@INTERFACES@
    end interface

@GENERIC@
contains

    ! Ends the program with status 2 if a call has failed, with the library's message: for programs that do not handle
    ! errors.
    subroutine dem_must(error)
        type(dem_error), intent(in) :: error
        if (error%code >= 0) return
        write (error_unit, '(a)') dem_message(error)
        stop 2
    end subroutine

    ! The library's message about an error.
    function dem_message(error) result(message)
        type(dem_error), intent(in) :: error
        character(:), allocatable :: message
        character(kind=c_char) :: letters(DEM_ERROR_TEXT)
        integer :: i, length
        length = 0
        if (dem_error_format(letters, int(DEM_ERROR_TEXT, c_size_t), error=error) == DEM_OK) &
            length = findloc(letters, c_null_char, 1) - 1
        allocate (character(length) :: message)
        do i = 1, length
            message(i:i) = letters(i)
        end do
    end function

    ! Converts a string of C, such as that of dem_isa_name.
    function dem_string(text) result(string)
        type(c_ptr), intent(in) :: text
        character(:), allocatable :: string
        character(kind=c_char), pointer :: letters(:)
        integer :: i, length
        interface
            function strlen(text) bind(c)
                import :: c_size_t, c_ptr
                type(c_ptr), value :: text
                integer(c_size_t) :: strlen
            end function
        end interface
        length = 0
        if (c_associated(text)) length = int(strlen(text))
        allocate (character(length) :: string)
        if (length == 0) return
        call c_f_pointer(text, letters, [length])
        do i = 1, length
            string(i:i) = letters(i)
        end do
    end function

    ! How much scratch a call needs, from the error of the same call with c_null_ptr and 0 for scratch; 0 if it needs
    ! none, or failed for another reason.
    pure function dem_scratch_needed(error) result(needed)
        type(dem_error), intent(in) :: error
        integer(c_size_t) :: needed
        needed = 0
        if (error%code == DEM_ERROR_CAPACITY .and. error%argument == DEM_ARGUMENT_SCRATCH) needed = error%needed
    end function

    ! The first address in some memory where a block may start: at most DEM_ALIGN - 1 bytes after its begin.
    function dem_aligned(memory) result(place)
        integer(c_int8_t), intent(in), target :: memory(:)
        type(c_ptr) :: place
        place = c_loc(memory(1 + modulo(-transfer(c_loc(memory), 0_c_intptr_t), int(DEM_ALIGN, c_intptr_t))))
    end function

    ! An address plus a number of bytes.
    pure function moved(address, bytes) result(there)
        type(c_ptr), intent(in) :: address
        integer(c_intptr_t), intent(in) :: bytes
        type(c_ptr) :: there
        there = transfer(transfer(address, 0_c_intptr_t) + bytes, c_null_ptr)
    end function

    ! The `resize` of dem_heap. The address from malloc is stored before each block.
    function dem_heap_resize(context, old, old_size, size) result(start) bind(c, name='')
        type(c_ptr), value :: context, old
        integer(c_size_t), value :: old_size, size
        type(c_ptr) :: start, from
        type(c_ptr), pointer :: before
        integer(c_intptr_t), parameter :: pointer_size = c_sizeof(c_null_ptr), align = DEM_ALIGN
        integer(c_intptr_t) :: first
        interface
            function c_malloc(size) bind(c, name='malloc')
                import :: c_size_t, c_ptr
                integer(c_size_t), value :: size
                type(c_ptr) :: c_malloc
            end function
            subroutine c_free(memory) bind(c, name='free')
                import :: c_ptr
                type(c_ptr), value :: memory
            end subroutine
        end interface
        start = c_null_ptr
        ! No memory has such sizes, and blocks of dem_heap have no context.
        if (old_size < 0 .or. size < 0 .or. c_associated(context)) return
        if (size == 0) then
            if (.not. c_associated(old)) return
            call c_f_pointer(moved(old, -pointer_size), before)
            call c_free(before)
            return
        end if
        from = c_malloc(size + align + pointer_size)
        if (.not. c_associated(from)) return
        first = transfer(from, first) + pointer_size
        start = moved(from, pointer_size + modulo(-first, align))
        call c_f_pointer(moved(start, -pointer_size), before)
        before = from
    end function

    ! A block without memory, which the first call gets from malloc.
    function dem_heap() result(block)
        type(dem_block) :: block
        block%resize = c_funloc(dem_heap_resize)
    end function

    ! Gives the memory of a block back; the block may be used again.
    subroutine dem_free(block)
        type(dem_block), intent(inout) :: block
        procedure(dem_resize), pointer :: resize
        type(c_ptr) :: none
        if (c_associated(block%start) .and. c_associated(block%resize)) then
            call c_f_procpointer(block%resize, resize)
            none = resize(block%context, block%start, block%size, 0_c_size_t)
        end if
        block%start = c_null_ptr
        block%size = 0
    end subroutine

    ! A sphere about the origin. Set `pose` and `scale` of the result.
    pure function dem_placed_sphere(radius, halo) result(placed)
        real(c_double), intent(in) :: radius, halo
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_SPHERE
        placed%radius = radius
        placed%halo = halo
    end function

    ! A capsule: all points within `radius` of the segment from -half_length to half_length on the z axis.
    pure function dem_placed_capsule(half_length, radius, halo) result(placed)
        real(c_double), intent(in) :: half_length, radius, halo
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_CAPSULE
        placed%half_length = half_length
        placed%radius = radius
        placed%halo = halo
    end function

    ! The half-space z <= 0.
    pure function dem_placed_half_space(halo) result(placed)
        real(c_double), intent(in) :: halo
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_HALF_SPACE
        placed%halo = halo
    end function

    ! A shape that has cells, such as block%start; `solid` is 0 or 1.
    pure function dem_placed_mesh(shape, solid) result(placed)
        type(c_ptr), intent(in) :: shape
        integer, intent(in) :: solid
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_MESH
        placed%shape = shape
        placed%solid = int(solid, c_int32_t)
    end function

    ! A compound, which must exist while the body is used.
    function dem_placed_compound(compound) result(placed)
        type(dem_compound), intent(in), target :: compound
        type(dem_placed) :: placed
        placed%kind = DEM_KIND_COMPOUND
        placed%shape = c_loc(compound)
    end function

    ! A body of a scene with its mesh: `placed` is its row in the table of shapes; `body` is its index, from 0.
    pure function dem_surface_of(placed, body, scale) result(surface)
        type(dem_placed), intent(in) :: placed
        integer, intent(in) :: body
        real(c_double), intent(in) :: scale
        type(dem_scene_surface) :: surface
        surface%shape = placed%shape
        surface%pose = placed%pose
        surface%scale = scale
        surface%body = int(body, c_int32_t)
    end function

    ! An elastic force alone, without damping, friction and cohesion: one of DEM_NORMAL_* and its stiffness.
    pure function dem_interaction_default(normal, stiffness) result(interaction)
        integer(c_int32_t), intent(in) :: normal
        real(c_double), intent(in) :: stiffness
        type(dem_interaction) :: interaction
        interaction%normal = normal
        interaction%stiffness = stiffness
    end function

    ! A shape of triangles: a(3,n) of vertices, a(3,m) of their numbers from 1 on, one halo for all; all else as by
    ! default.
    function dem_heap_mesh(shape, vertices, triangles, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        real(c_double), intent(in), target, contiguous :: vertices(:, :)
        integer(c_int32_t), intent(in), target, contiguous :: triangles(:, :)
        real(c_double), intent(in) :: halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        type(dem_shape_desc) :: desc
        desc%vertices = dem_array_of(vertices)
        desc%triangles = dem_indices_of(triangles)
        desc%halo = halo
        status = dem_shape_build(shape, desc, error)
    end function

    ! A shape that is a box about the origin.
    function dem_heap_box(shape, edges, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        real(c_double), intent(in) :: edges(3), halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status, triangles(3, 12)
        real(c_double) :: vertices(3, 8)
        status = dem_box_mesh(vertices, triangles, edges, error)
        if (status >= 0) status = dem_heap_mesh(shape, vertices, triangles + 1_c_int32_t, halo, error)
    end function

    ! A shape that is a room: the inside of a box about the origin, whose walls push bodies in it away from them. Place
    ! it as solid, so that a body that has gone through a wall is pushed back.
    function dem_heap_room(shape, edges, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        real(c_double), intent(in) :: edges(3), halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status, triangles(3, 12)
        real(c_double) :: vertices(3, 8)
        status = dem_box_mesh(vertices, triangles, edges, error)
        ! Its triangles look inward.
        if (status >= 0) status = dem_heap_mesh(shape, vertices, triangles([1, 3, 2], :) + 1_c_int32_t, halo, error)
    end function

    ! A shape that is a cylinder about the z axis. Its facets have no noticeable effect if both bodies have this halo,
    ! which is larger than 0. `facets`: their number.
    function dem_heap_cylinder(shape, facets, radius, length, halo, error) result(status)
        type(dem_block), intent(inout) :: shape
        integer(c_size_t), intent(inout), optional :: facets
        real(c_double), intent(in) :: radius, length, halo
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_size_t) :: count
        real(c_double), allocatable :: vertices(:, :)
        integer(c_int32_t), allocatable :: triangles(:, :)
        count = 0
        status = dem_cylinder_facets(count, radius, halo / 8, error)
        if (status < 0) return
        allocate (vertices(3, 2 * count + 2), triangles(3, 4 * count))
        status = dem_cylinder_mesh(vertices, 2 * count + 2, triangles, 4 * count, radius, length, count, error)
        if (status >= 0) status = dem_heap_mesh(shape, vertices, triangles + 1_c_int32_t, halo, error)
        if (status >= 0 .and. present(facets)) facets = count
    end function

    ! dem_shape_mass, with scratch that is allocated.
    function dem_heap_mass(mass, shape, density, error) result(status)
        type(dem_mass), intent(inout) :: mass
        type(c_ptr), intent(in) :: shape
        real(c_double), intent(in) :: density
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        status = dem_shape_mass(mass, c_sizeof(mass), shape, density, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_shape_mass(mass, c_sizeof(mass), shape, density, c_loc(scratch), size(scratch, kind=c_size_t), &
            error)
    end function

    ! dem_placed_mass, with 128 columns for parts that overlap, and scratch that is allocated.
    function dem_heap_placed_mass(mass, body, density, error) result(status)
        type(dem_mass), intent(inout) :: mass
        type(dem_placed), intent(in) :: body
        real(c_double), intent(in) :: density
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        status = dem_placed_mass(mass, c_sizeof(mass), body, density, 128_c_int32_t, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_placed_mass(mass, c_sizeof(mass), body, density, 128_c_int32_t, c_loc(scratch), &
            size(scratch, kind=c_size_t), error)
    end function

    ! Calls dem_scene_step, and then dem_scene_view for the contacts.
    function dem_heap_step(scene, found, query, error) result(status)
        type(dem_block), intent(inout) :: scene
        type(dem_scene_contacts), intent(inout) :: found
        type(dem_scene_query), intent(in) :: query
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        status = dem_scene_step(scene, counts_size=0_c_size_t, query=query, error=error)
        if (status >= 0) status = dem_scene_view(found, c_sizeof(found), scene%start, error)
    end function

    ! dem_scene_cast for all rays, with scratch that is allocated. `hits` is as long as `rays`.
    function dem_heap_cast(scene, hits, query, rays, error) result(status)
        type(dem_block), intent(in) :: scene
        type(dem_ray), intent(in), contiguous :: rays(:)
        type(dem_ray_hit), intent(inout) :: hits(size(rays))
        type(dem_scene_query), intent(in) :: query
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        integer(c_size_t) :: count
        count = size(rays, kind=c_size_t)
        status = dem_scene_cast(scene%start, hits, query, rays, count, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_scene_cast(scene%start, hits, query, rays, count, c_loc(scratch), size(scratch, kind=c_size_t), &
            error)
    end function

    ! dem_world_cast for all rays, with scratch that is allocated. `hits` is as long as `rays`.
    function dem_heap_world_cast(world, hits, query, rays, error) result(status)
        type(dem_block), intent(in) :: world
        type(dem_ray), intent(in), contiguous :: rays(:)
        type(dem_ray_hit), intent(inout) :: hits(size(rays))
        type(dem_world_query), intent(in) :: query
        type(dem_error), intent(out), optional :: error
        integer(c_int32_t) :: status
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_error) :: need
        integer(c_size_t) :: count
        count = size(rays, kind=c_size_t)
        status = dem_world_cast(world%start, hits, query, rays, count, c_null_ptr, 0_c_size_t, need)
        allocate (scratch(dem_scratch_needed(need) + 1))
        status = dem_world_cast(world%start, hits, query, rays, count, c_loc(scratch), size(scratch, kind=c_size_t), &
            error)
    end function

    pure function as_output(array) result(output)
        type(dem_array), intent(in) :: array
        type(dem_output) :: output
        output = dem_output(array%data, array%count, array%stride, array%component_stride, array%type)
    end function

@PROCEDURES@
end module
