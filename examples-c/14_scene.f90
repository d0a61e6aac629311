! A scene in Fortran: bodies in an array of derived types, all contacts in one call a step, friction springs that
! follow their contacts, forces summed into a(n,3), and the program's own threads.
!
! The module dem is include/dem.f90. A square of balls lies on the ground, each ball touching its neighbours; then one
! is lifted. Contacts, events, springs and forces are compared with closed forms. With -fopenmp, lanes run on
! threads. The library counts bodies and contacts from 0.

! Threads of the program.
module lanes
    use dem
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
    use dem
    use lanes
    implicit none
    ! A body of the program. The library reads it in place, with its size as stride; it need not be bind(c) for that.
    type body
        real(c_double) :: position(3) = 0, radius = 0.5d0
        integer(c_int32_t) :: shape = 0, motion = 0
    end type
    integer, parameter :: side = 50, balls = side**2, ground = balls + 1
    real(c_double), parameter :: stiffness = 3
    type(body), target :: bodies(ground)
    type(dem_placed), target :: shapes(2)
    type(dem_error) :: error
    type(dem_block) :: scene
    type(dem_scene_query) :: query
    type(dem_scene_counts) :: found
    type(dem_scene_contacts) :: view
    type(dem_contact), pointer :: contacts(:)
    type(dem_contact_link), pointer :: links(:)
    type(dem_contact_event), allocatable :: events(:)
    real(c_double), allocatable :: springs(:, :), carried(:, :)
    real(c_double), target :: sums(ground, 3)
    integer, target :: calls
    integer :: mistakes, i, j, lifted
    integer(c_size_t) :: event_count

    print '(a)', 'A square of balls on the ground: contacts, events, springs and forces of a scene'
    mistakes = 0
    calls = 0
    scene = dem_heap()
    do j = 1, side
        do i = 1, side
            bodies((j - 1) * side + i)%position = [real(i, c_double), real(j, c_double), 0.5d0]
        end do
    end do
    bodies(ground)%shape = 1
    bodies(ground)%motion = 2
    bodies(ground)%radius = 1

    shapes(1) = dem_placed_sphere(1d0, 0.02d0)
    shapes(2) = dem_placed_half_space(0.01d0)
    query%shapes = c_loc(shapes)
    query%shape_count = 2
    query%positions = of_bodies(c_loc(bodies(1)%position), DEM_F64)
    query%scales = of_bodies(c_loc(bodies(1)%radius), DEM_F64)
    query%shape_of = of_bodies(c_loc(bodies(1)%shape), DEM_U32)
    query%motions = of_bodies(c_loc(bodies(1)%motion), DEM_U32)
    query%tasks = dem_tasks(run=c_funloc(run), user=c_loc(calls), lanes=4)

    call detect()
    call check('each ball lies on the ground and meets its neighbours', found%contacts == balls + 2 * side * (side - 1))
    call check('threads were asked for', calls > 0)
    call add_up()
    i = 20 * side + 30
    call check('the ground holds a ball inside up', all(abs(sums(i, :) - [0d0, 0d0, stiffness]) < 1d-9))
    call check('neighbours push the first one outwards', &
        all(abs(sums(1, :) - [-stiffness, -stiffness, stiffness]) < 1d-9))
    call check('the ground bears all', all(abs(sums(ground, :) - [0d0, 0d0, -stiffness * balls]) < 1d-9))
    print '(i0, a, i0, a)', ground, ' bodies have ', found%contacts, ' contacts'

    ! Springs along x at contacts with the ground, each with its own length. They must continue where contacts do.
    allocate (springs(3, view%count))
    springs = 0
    springs(1, :) = [(real(i, c_double), i = 1, int(view%count))]
    lifted = 16 * side + 16
    bodies(lifted)%position(3) = 2
    call detect()
    call check('five contacts are gone', view%last_count - view%count == 5 .and. found%persisting == found%contacts)
    allocate (carried(3, view%count), events(view%count + view%last_count))
    call must(dem_scene_carry(carried, scene%start, springs, query%tasks, DEM_CARRY_TANGENT, error))
    call check('springs follow', all([(follows(i), i = 1, int(view%count))]))
    call must(dem_scene_events(events, size(events, kind=c_size_t), event_count, scene%start, error))
    call check('events say so', count_of(events(:event_count), dem_event_end) == 5)
    call add_up()
    call check('the lifted one feels nothing', all(abs(sums(lifted, :)) <= 0))
    deallocate (springs, carried, events)
    call dem_free(scene)
    print '(i0, a)', mistakes, ' mistakes'
    if (mistakes > 0) stop 1

contains

    ! Makes one step, in memory that grows.
    subroutine detect()
        call must(dem_scene_step(scene, found, c_sizeof(found), query, error))
        call must(dem_scene_view(view, c_sizeof(view), scene%start, error))
        call c_f_pointer(view%contacts, contacts, [view%count])
        call c_f_pointer(view%links, links, [view%count])
    end subroutine

    ! A force on A for each contact, and the sums for bodies in a(n,3), whose components lie n numbers apart.
    subroutine add_up()
        real(c_double), target :: forces(3, size(contacts))
        type(dem_output) :: output
        do i = 1, size(contacts)
            associate (c => contacts(i))
                ! Two balls have one contact, whose least gap is that of the pair.
                forces(:, i) = stiffness * (1 - c%least_gap / c%halo) * c%share * c%normal
            end associate
        end do
        output = dem_output_of(sums, items=1)
        call must(dem_scene_wrenches(output, scene=scene%start, forces=dem_array_of(forces), tasks=query%tasks, &
            list=DEM_LIST_CONTACTS, error=error))
    end subroutine

    ! Whether the spring of a contact with the ground is as long as before, along x. The springs of other contacts were
    ! not across their normals.
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

    ! One component of a field of all bodies, as an array for the library.
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

    ! Ends the program if a call failed, with the library's message.
    subroutine must(status)
        integer(c_int32_t), intent(in) :: status
        if (status < 0) call dem_must(error)
    end subroutine
end program
