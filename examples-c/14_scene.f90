! A scene in Fortran: bodies in an array of derived types and in a(3,n), all contacts in one call a step, friction
! springs that follow, forces added up into a(n,3), and the host's own threads.
!
! The module holds the types and interfaces of dem.h that scenes need, written by bind(c), to copy (beside those of
! 06_host.f90, for meshes). The header's inline functions are C's alone: types begin with what those fill in. An
! optional argument that is left out is a null pointer. What the library tells by pointers (dem_scene_view) becomes
! arrays by c_f_pointer. Bodies and contacts count from 0 in the library.
!
! A square of balls lies on the ground, each in touch with its neighbours; then one is lifted. Contacts, events,
! springs and forces are compared with closed forms. Compiled with -fopenmp, lanes run on threads.
module dem_scenes
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: c_ptr, c_null_ptr, c_funptr, c_null_char, c_int8_t, c_int32_t, c_intptr_t, c_size_t, c_double, c_char
    public :: c_loc, c_funloc, c_sizeof, c_f_pointer, c_f_procpointer

    integer(c_int32_t), parameter, public :: dem_ok = 0, dem_error_capacity = -3
    integer(c_int32_t), parameter, public :: dem_argument_contacts = 55, dem_argument_candidates = 96
    integer(c_int32_t), parameter, public :: dem_f64 = 2, dem_u32 = 4, dem_kind_sphere = 1, dem_kind_half_space = 2
    integer(c_int32_t), parameter, public :: dem_event_end = 3, dem_no_id = -1, dem_carry_tangent = 0, &
        dem_list_contacts = 0
    integer(c_int32_t), parameter, public :: dem_default_scene_desc = 3, dem_default_scene_query = 4
    integer, parameter, public :: dem_align = 64, dem_error_text = 512

    type, bind(c), public :: dem_error
        integer(c_int32_t) :: code, argument
        integer(c_int64_t) :: index
        integer(c_int32_t) :: component, reserved
        integer(c_int64_t) :: needed, given, short_of(11)
    end type

    type, bind(c), public :: dem_array
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0, stride = 0, component_stride = 0
        integer(c_int32_t) :: type = dem_f64, reserved = 0
    end type

    type, bind(c), public :: dem_output
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0, stride = 0, component_stride = 0
        integer(c_int32_t) :: type = dem_f64, reserved = 0
    end type

    type, bind(c), public :: dem_pose
        real(c_double) :: position(3) = 0, orientation(4) = [0, 0, 0, 1]
    end type

    ! A ball, but for its radius.
    type, bind(c), public :: dem_placed
        integer(c_int32_t) :: kind = dem_kind_sphere, solid = 0
        type(c_ptr) :: shape = c_null_ptr
        integer(c_size_t) :: reserved = 0
        real(c_double) :: radius = 0, halo = 0, scale = 1, half_length = 0, reserved_lengths(2) = 0
        type(dem_pose) :: pose
    end type

    type, bind(c), public :: dem_contact
        integer(c_int64_t) :: key(2)
        real(c_double) :: position(3), normal(3), moment(3), gap, least_gap, area, share, halo
        integer(c_int32_t) :: kind, status
        real(c_double) :: energy, wedging, radius, offset(3), spread(6)
    end type

    ! Places are counted from 0; dem_no_id where there is none.
    type, bind(c), public :: dem_contact_link
        integer(c_int32_t) :: origin, source
    end type

    type, bind(c), public :: dem_contact_event
        integer(c_int32_t) :: contact, pair, now, last
    end type

    type, bind(c), public :: dem_scene_desc
        integer(c_int32_t) :: struct_size, bodies, candidates, contacts, levels, posed, nodes, margin_contacts
    end type

    type, bind(c), public :: dem_scene_pair
        integer(c_int64_t) :: ids(2)
        integer(c_int32_t) :: a, b, first, end, image(3)
        integer(c_int16_t) :: shift(3), spare
        integer(c_int32_t) :: posed
        real(c_double) :: least_gap, energy
    end type

    type, bind(c), public :: dem_scene_contacts
        type(c_ptr) :: contacts, links
        integer(c_size_t) :: count
        type(c_ptr) :: pairs
        integer(c_size_t) :: pair_count
        type(c_ptr) :: touch_ends, touches
        integer(c_size_t) :: body_count
        type(c_ptr) :: last_pairs
        integer(c_size_t) :: last_pair_count
        type(c_ptr) :: last_contacts, last_features
        integer(c_size_t) :: last_count
        type(c_ptr) :: successors, blends
        integer(c_size_t) :: blend_count
        type(c_ptr) :: nodes
        integer(c_size_t) :: node_count
        type(c_ptr) :: last_nodes
        integer(c_size_t) :: last_node_count
        type(c_ptr) :: margin_contacts
        integer(c_size_t) :: margin_count
        type(c_ptr) :: margin_pairs
        integer(c_size_t) :: margin_pair_count
        type(c_ptr) :: margin_touch_ends, margin_touches
        integer(c_size_t) :: contact_stride, pair_stride, link_stride, kept_stride, blend_stride, node_stride
    end type

    type, bind(c), public :: dem_tasks
        type(c_funptr) :: run = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
        integer(c_size_t) :: lanes = 1, reserved = 0
    end type

    type, bind(c), public :: dem_scene_query
        integer(c_int32_t) :: struct_size, isa
        type(c_ptr) :: shapes
        integer(c_size_t) :: shape_count, shape_stride, pairs, pair_contacts, grouping
        type(dem_tasks) :: tasks
        real(c_double) :: periods(3), bound, skin, margin
        type(dem_array) :: positions, orientations, scales, halos, shape_of, motions, groups, masks, ids
        real(c_double) :: angle
        integer(c_int64_t) :: energies, spreads
    end type

    type, bind(c), public :: dem_grid_report
        integer(c_int64_t) :: levels
        real(c_double) :: sizes(16)
        integer(c_int64_t) :: bodies(16)
        real(c_double) :: expected, tested
    end type

    type, bind(c), public :: dem_scene_counts
        integer(c_int64_t) :: candidates, pairs, contacts, persisting, crossing, listed, age, margin_pairs, &
            margin_contacts
        type(dem_grid_report) :: grid
    end type

    ! What dem_tasks%run is called with as `lane`.
    abstract interface
        subroutine dem_lane(lane, arg) bind(c)
            import :: c_size_t, c_ptr
            integer(c_size_t), value :: lane
            type(c_ptr), value :: arg
        end subroutine
    end interface
    public :: dem_lane

    interface
        function dem_error_format(text, capacity, needed, error) bind(c) result(status)
            import :: dem_error, c_char, c_size_t, c_int32_t
            type(dem_error), intent(in) :: error
            character(kind=c_char), intent(out) :: text(*)
            integer(c_size_t), value :: capacity
            integer(c_size_t), intent(out), optional :: needed
            integer(c_int32_t) :: status
        end function

        function dem_defaults(record, struct_size, which, error) bind(c) result(status)
            import :: dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: record
            integer(c_size_t), value :: struct_size
            integer(c_int32_t), value :: which
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_layout(size, align, desc, error) bind(c) result(status)
            import :: dem_scene_desc, dem_error, c_size_t, c_int32_t
            type(dem_scene_desc), intent(in) :: desc
            integer(c_size_t), intent(out), optional :: size, align
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_init(memory, size, scene, desc, error) bind(c) result(status)
            import :: dem_scene_desc, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(dem_scene_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_grow(memory, size, grown, scene, desc, error) bind(c) result(status)
            import :: dem_scene_desc, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: scene, memory
            integer(c_size_t), value :: size
            type(dem_scene_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: grown
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_detect(scene, counts, counts_size, query, scratch, scratch_size, error) &
            bind(c) result(status)
            import :: dem_scene_query, dem_scene_counts, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: scene, scratch
            type(dem_scene_counts), intent(inout), optional :: counts
            integer(c_size_t), value :: counts_size, scratch_size
            type(dem_scene_query), intent(in) :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_view(view, view_size, scene, error) bind(c) result(status)
            import :: dem_scene_contacts, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: scene
            type(dem_scene_contacts), intent(inout) :: view
            integer(c_size_t), value :: view_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_events(events, event_capacity, event_count, scene, error) bind(c) result(status)
            import :: dem_contact_event, dem_error, c_ptr, c_size_t, c_int32_t
            type(dem_contact_event), intent(inout) :: events(*)
            integer(c_size_t), value :: event_capacity
            integer(c_size_t), intent(out), optional :: event_count
            type(c_ptr), value :: scene
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_carry(vectors, scene, of_last, tasks, kind, error) bind(c) result(status)
            import :: dem_tasks, dem_error, c_ptr, c_double, c_int32_t
            real(c_double), intent(out) :: vectors(3, *)
            real(c_double), intent(in) :: of_last(3, *)
            integer(c_int32_t), value :: kind
            type(c_ptr), value :: scene
            type(dem_tasks), intent(in), optional :: tasks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_scene_wrenches(forces_out, torques_out, scene, forces, torques, centres, tasks, list, error) &
                bind(c) result(status)
            import :: dem_output, dem_array, dem_tasks, dem_error, c_ptr, c_int32_t
            type(dem_output), intent(in), optional :: forces_out, torques_out
            type(c_ptr), value :: scene
            integer(c_int32_t), value :: list
            type(dem_array), intent(in) :: forces
            type(dem_array), intent(in), optional :: torques, centres
            type(dem_tasks), intent(in), optional :: tasks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function
    end interface
    public :: dem_error_format, dem_defaults, dem_scene_layout, dem_scene_init, dem_scene_grow
    public :: dem_scene_detect, dem_scene_view, dem_scene_events, dem_scene_carry, dem_scene_wrenches
end module

! Threads of the host.
module lanes
    use dem_scenes
    implicit none
contains
    ! Calls every lane once; `user` counts the calls.
    subroutine run(user, count, lane, arg) bind(c)
        type(c_ptr), value :: user, arg
        integer(c_size_t), value :: count
        type(c_funptr), value :: lane
        procedure(dem_lane), pointer :: work
        integer, pointer :: calls
        integer(c_size_t) :: i
        call c_f_pointer(user, calls)
        call c_f_procpointer(lane, work)
        calls = calls + 1
        !$omp parallel do schedule(dynamic)
        do i = 0, count - 1
            call work(i, arg)
        end do
    end subroutine
end module

program scene_of_balls
    use dem_scenes
    use lanes
    implicit none
    ! A body of the program, read in place by its size as stride. It need not be bind(c) for that.
    type body
        real(c_double) :: position(3) = 0, radius = 0.5d0
        integer(c_int32_t) :: shape = 0, motion = 0
    end type
    integer, parameter :: side = 50, balls = side**2, ground = balls + 1
    real(c_double), parameter :: stiffness = 3
    integer(c_size_t), parameter :: number = 8
    type(body), target :: bodies(ground)
    type(dem_placed), target :: shapes(2)
    type(dem_error) :: error
    type(dem_scene_desc), target :: desc
    type(dem_scene_query), target :: query
    type(dem_scene_counts) :: found
    type(dem_scene_contacts) :: view
    type(c_ptr) :: scene
    type(dem_contact), pointer :: contacts(:)
    type(dem_contact_link), pointer :: links(:)
    type(dem_contact_event), allocatable :: events(:)
    integer(c_int8_t), allocatable, target :: block(:), scratch(:)
    real(c_double), allocatable :: springs(:, :), carried(:, :)
    real(c_double), target :: sums(ground, 3)
    integer, target :: calls
    integer :: mistakes, grown, i, j, lifted
    integer(c_size_t) :: event_count

    mistakes = 0
    calls = 0
    grown = 0
    do j = 1, side
        do i = 1, side
            bodies((j - 1) * side + i)%position = [real(i, c_double), real(j, c_double), 0.5d0]
        end do
    end do
    bodies(ground)%shape = 1
    bodies(ground)%motion = 2
    bodies(ground)%radius = 1

    shapes(1) = dem_placed(radius=1, halo=0.02d0)
    shapes(2) = dem_placed(kind=dem_kind_half_space, halo=0.01d0)
    call must(dem_defaults(c_loc(query), c_sizeof(query), dem_default_scene_query))
    query%shapes = c_loc(shapes)
    query%shape_count = 2
    query%positions = of_bodies(c_loc(bodies(1)%position), dem_f64)
    query%scales = of_bodies(c_loc(bodies(1)%radius), dem_f64)
    query%shape_of = of_bodies(c_loc(bodies(1)%shape), dem_u32)
    query%motions = of_bodies(c_loc(bodies(1)%motion), dem_u32)
    query%tasks = dem_tasks(run=c_funloc(run), user=c_loc(calls), lanes=4)

    ! Too little room on purpose: it is grown as the library asks for it.
    call must(dem_defaults(c_loc(desc), c_sizeof(desc), dem_default_scene_desc))
    desc%bodies = ground
    desc%contacts = 16
    scene = c_null_ptr
    call make_room()

    call detect()
    call check('each ball lies on the ground and meets its neighbours', found%contacts == balls + 2 * side * (side - 1))
    call check('there was not enough room', grown > 1)
    call check('threads were asked for', calls > 0)
    call add_up()
    i = 20 * side + 30
    call check('the ground holds a ball inside up', all(abs(sums(i, :) - [0d0, 0d0, stiffness]) < 1d-9))
    call check('neighbours push the first one outwards', &
        all(abs(sums(1, :) - [-stiffness, -stiffness, stiffness]) < 1d-9))
    call check('the ground bears all', all(abs(sums(ground, :) - [0d0, 0d0, -stiffness * balls]) < 1d-9))
    print '(i0, a, i0, a)', ground, ' bodies have ', found%contacts, ' contacts'

    ! Springs along x on the ground, each one with a length of its own, that go on where contacts do.
    allocate (springs(3, view%count))
    springs = 0
    springs(1, :) = [(real(i, c_double), i = 1, int(view%count))]
    lifted = 16 * side + 16
    bodies(lifted)%position(3) = 2
    call detect()
    call check('five contacts are gone', view%last_count - view%count == 5 .and. found%persisting == found%contacts)
    allocate (carried(3, view%count), events(view%count + view%last_count))
    call must(dem_scene_carry(carried, scene, springs, query%tasks, dem_carry_tangent, error))
    call check('springs follow', all([(follows(i), i = 1, int(view%count))]))
    call must(dem_scene_events(events, size(events, kind=c_size_t), event_count, scene, error))
    call check('events say so', count_of(events(:event_count), dem_event_end) == 5)
    call add_up()
    call check('the lifted one feels nothing', all(abs(sums(lifted, :)) <= 0))
    deallocate (block, scratch, springs, carried, events)
    print '(i0, a)', mistakes, ' mistakes'
    if (mistakes > 0) stop 1

contains

    ! Takes a block for what `desc` says, and goes on in it where the old one is.
    subroutine make_room()
        integer(c_int8_t), allocatable, target :: larger(:)
        integer(c_size_t) :: size
        type(c_ptr) :: old
        call must(dem_scene_layout(size, desc=desc, error=error))
        allocate (larger(size + dem_align - 1))
        old = scene
        if (grown == 0) then
            call must(dem_scene_init(aligned(larger), size, scene, desc, error))
        else
            call must(dem_scene_grow(aligned(larger), size, scene, old, desc, error))
        end if
        ! The bytes stay where they are.
        call move_alloc(larger, block)
        grown = grown + 1
    end subroutine

    ! One step, with as much room as it takes.
    subroutine detect()
        integer(c_size_t) :: size
        integer(c_int32_t) :: status
        do
            status = dem_scene_detect(scene, found, c_sizeof(found), query, c_null_ptr, 0_c_size_t, error)
            size = error%needed
            if (allocated(scratch)) deallocate (scratch)
            allocate (scratch(size))
            status = dem_scene_detect(scene, found, c_sizeof(found), query, c_loc(scratch), size, error)
            if (status /= dem_error_capacity) exit
            select case (error%argument)
            case (dem_argument_contacts)
                desc%contacts = int(error%needed, c_int32_t)
            case (dem_argument_candidates)
                desc%candidates = int(error%needed, c_int32_t)
            case default
                exit
            end select
            call make_room()
        end do
        call must(status)
        call must(dem_scene_view(view, c_sizeof(view), scene, error))
        call c_f_pointer(view%contacts, contacts, [view%count])
        call c_f_pointer(view%links, links, [view%count])
    end subroutine

    ! A force for each contact, on its A, and their sums into a(n,3): components lie n numbers apart.
    subroutine add_up()
        real(c_double), target :: forces(3, size(contacts))
        type(dem_output) :: output
        do i = 1, size(contacts)
            associate (c => contacts(i))
                ! Two balls have one contact: its least gap is that of the pair.
                forces(:, i) = stiffness * (1 - c%least_gap / c%halo) * c%share * c%normal
            end associate
        end do
        output = dem_output(c_loc(sums), ground, number, ground * number)
        call must(dem_scene_wrenches(output, scene=scene, list=dem_list_contacts, &
            forces=dem_array(c_loc(forces), view%count), &
                                     tasks=query%tasks, &
                                     error=error))
    end subroutine

    ! Whether the spring of a contact on the ground is that of what it was, in x; the others were not across their
    ! normals.
    logical function follows(i)
        integer, intent(in) :: i
        follows = links(i)%source /= dem_no_id
        if (follows .and. abs(contacts(i)%normal(3)) > 0.5d0) follows = abs(carried(1, i) - springs(1, &
            links(i)%source + 1)) < 1d-9
    end function

    integer function count_of(events, what)
        type(dem_contact_event), intent(in) :: events(:)
        integer(c_int32_t), intent(in) :: what
        count_of = count([(events(i)%contact == what, i = 1, size(events))])
    end function

    ! A component of all bodies.
    function of_bodies(first, kind) result(array)
        type(c_ptr), intent(in) :: first
        integer(c_int32_t), intent(in) :: kind
        type(dem_array) :: array
        array = dem_array(first, ground, storage_size(bodies) / 8, 0, kind)
    end function

    subroutine check(what, holds)
        character(*), intent(in) :: what
        logical, intent(in) :: holds
        if (holds) return
        print '(2a)', what, ': does not hold'
        mistakes = mistakes + 1
    end subroutine

    ! Ends the program where a call failed, with what the library says about it.
    subroutine must(status)
        integer(c_int32_t), intent(in) :: status
        character(kind=c_char) :: letters(dem_error_text)
        integer :: k
        if (status == dem_ok) return
        if (dem_error_format(letters, int(dem_error_text, c_size_t), error=error) == dem_ok) then
            print '(*(a))', (letters(k), k = 1, findloc(letters, c_null_char, 1) - 1)
        end if
        stop 2
    end subroutine

    ! The first place in some memory where a block may start.
    function aligned(memory) result(place)
        integer(c_int8_t), intent(in), target :: memory(:)
        type(c_ptr) :: place
        place = c_loc(memory(1 + modulo(-transfer(c_loc(memory), 0_c_intptr_t), int(dem_align, c_intptr_t))))
    end function
end program
