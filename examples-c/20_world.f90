! A world in Fortran. With a law of the program, five balls with different dashpots hit the ground and part from it.
! Then a table of interactions is the law, and the program sets the drag of a fluid in each window, as a flow solver
! does, in arrays a(n,3).
!
! The module holds the types and interfaces of dem_world.h that worlds need, written by bind(c), to copy (beside those
! of 06_host.f90, for meshes). Types of the same name in dem_scenes of 14_scene.f90 are other types: a program that
! uses both modules takes from one of them what the other one lacks (use ..., only:). What the library tells by
! pointers (dem_world_view, dem_world_contacts, dem_world_law) becomes arrays by c_f_pointer; forces are written
! there. Slots and contacts count from 0 in the library.
!
! Checked: restitutions are those of the closed form; a copy of the block in the midst of a step, at another address,
! goes on with the same bits; balls move with the fluid, and lie where the ground bears them, which bears their weight
! in the steps of a window.
module dem_worlds
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: c_ptr, c_null_ptr, c_null_char, c_int8_t, c_int32_t, c_int64_t, c_intptr_t, c_size_t, c_double, c_char
    public :: c_loc, c_sizeof, c_f_pointer

    integer(c_int32_t), parameter, public :: dem_ok = 0, dem_kind_sphere = 1, dem_kind_half_space = 2
    integer(c_int32_t), parameter, public :: dem_ask_loads = 1, dem_ask_law = 2
    integer(c_int32_t), parameter, public :: dem_want_more = 0, dem_want_loads = 1, dem_want_law = 2
    integer(c_int32_t), parameter, public :: dem_want_done = 3, dem_want_stuck = 4
    integer(c_int32_t), parameter, public :: dem_default_world_desc = 6, dem_default_world_setup = 7
    integer(c_int32_t), parameter, public :: dem_default_member = 8, dem_default_world_query = 9, dem_f64 = 2
    integer(c_int32_t), parameter, public :: dem_normal_linear = 1, dem_damping_dashpot = 2
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

    ! Memory in which a world grows; without a function that gets more, it has what there is.
    type, bind(c), public :: dem_block
        type(c_ptr) :: start = c_null_ptr
        integer(c_size_t) :: size = 0
        type(c_funptr) :: resize = c_null_funptr
        type(c_ptr) :: context = c_null_ptr
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

    type, bind(c), public :: dem_interaction
        integer(c_int32_t) :: normal = 0, damped = 0, cohesive = 0, reserved = 0
        real(c_double) :: stiffness = 0, damping = 0, friction = 0, shear = 2d0 / 7, lag = 0, torsion = 1, &
            rolling = 0, cohesion = 0
    end type

    type, bind(c), public :: dem_world_desc
        integer(c_int32_t) :: struct_size, bodies, candidates, contacts, levels, nodes, records, ball_pairs, &
            ball_contacts, events
    end type

    type, bind(c), public :: dem_world_setup
        integer(c_int32_t) :: struct_size, order, rotation, records
        real(c_double) :: gravity(3), periods(3)
        integer(c_int32_t) :: watch, reserved
    end type

    type, bind(c), public :: dem_body
        real(c_double) :: position(3), orientation(4), velocity(3), angular_velocity(3), mass, moments(3)
        integer(c_int32_t) :: motion, reserved
    end type

    type, bind(c), public :: dem_member
        integer(c_int32_t) :: struct_size, shape, material, groups, masks, reserved
        type(dem_body) :: body
        real(c_double) :: scale
        integer(c_int64_t) :: id
    end type

    type, bind(c), public :: dem_wrench
        real(c_double) :: force(3) = 0, torque(3) = 0
    end type

    type, bind(c), public :: dem_meeting
        real(c_double) :: velocity(3), spin(3)
    end type

    type, bind(c), public :: dem_host_law
        type(c_ptr) :: meetings, acts, springs
        integer(c_size_t) :: count, meeting_stride, wrench_stride, spring_stride
    end type

    type, bind(c), public :: dem_too_fast
        integer(c_int32_t) :: a, b
        real(c_double) :: ratio, dt
    end type

    type, bind(c), public :: dem_world_slots
        type(c_ptr) :: bodies, moved, ids, shapes, materials, scales, loads, wrenches, mean_wrenches
        integer(c_size_t) :: count
        type(c_ptr) :: acts
        integer(c_size_t) :: act_count
        type(c_ptr) :: springs
        integer(c_size_t) :: spring_count
        real(c_double) :: time
        integer(c_int64_t) :: steps
        integer(c_int32_t) :: phase, bodies_there
        type(dem_too_fast) :: too_fast
        integer(c_size_t) :: body_stride, wrench_stride, spring_stride, event_stride
        type(c_ptr) :: events
        integer(c_size_t) :: event_count
    end type

    type, bind(c), public :: dem_world_query
        integer(c_int32_t) :: struct_size, isa
        type(c_ptr) :: shapes
        integer(c_size_t) :: shape_count, shape_stride
        type(c_ptr) :: interactions
        integer(c_size_t) :: interaction_count, pairs, pair_contacts, grouping
        type(dem_tasks) :: tasks
        real(c_double) :: bound, skin, angle
        integer(c_int64_t) :: energies
        type(c_ptr) :: surfaces
        integer(c_size_t) :: surface_count, surface_stride
    end type

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

        function dem_world_layout(size, align, desc, error) bind(c) result(status)
            import :: dem_world_desc, dem_error, c_size_t, c_int32_t
            type(dem_world_desc), intent(in) :: desc
            integer(c_size_t), intent(out), optional :: size, align
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_init(memory, size, world, desc, error) bind(c) result(status)
            import :: dem_world_desc, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(dem_world_desc), intent(in) :: desc
            type(c_ptr), intent(out) :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_set_up(world, setup, error) bind(c) result(status)
            import :: dem_world_setup, dem_error, c_ptr, c_int32_t
            type(c_ptr), value :: world
            type(dem_world_setup), intent(in) :: setup
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_states(positions, orientations, velocities, spins, count, world, error) &
            bind(c) result(status)
            import :: dem_output, dem_error, c_ptr, c_size_t, c_int32_t
            type(dem_output), intent(in), optional :: positions, orientations, velocities, spins
            integer(c_size_t), intent(out), optional :: count
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_set_loads(world, forces, torques, error) bind(c) result(status)
            import :: dem_array, dem_error, c_ptr, c_int32_t
            type(c_ptr), value :: world
            type(dem_array), intent(in), optional :: forces, torques
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_advance(world, query, length, most_dt, scratch, scratch_size, error) bind(c) result(status)
            import :: dem_world_query, dem_error, c_ptr, c_double, c_size_t, c_int32_t
            type(c_ptr), value :: world, scratch
            real(c_double), value :: length, most_dt
            type(dem_world_query), intent(in) :: query
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_advance_step(world, dt, complete, query, length, most_dt, scratch, scratch_size, error) &
            bind(c) result(status)
            import :: dem_world_query, dem_error, c_ptr, c_double, c_size_t, c_int32_t
            type(c_ptr), value :: world, scratch
            real(c_double), intent(out) :: dt
            integer(c_int32_t), intent(out) :: complete
            real(c_double), value :: length, most_dt
            type(dem_world_query), intent(in) :: query
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_run_step(world, dt, complete, query, length, most_dt, error) bind(c) result(status)
            import :: dem_block, dem_world_query, dem_error, c_double, c_int32_t
            type(dem_block), intent(inout) :: world
            real(c_double), intent(out) :: dt
            integer(c_int32_t), intent(out) :: complete
            real(c_double), value :: length, most_dt
            type(dem_world_query), intent(in) :: query
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_hash(hash, world, error) bind(c) result(status)
            import :: dem_error, c_ptr, c_int32_t, c_int64_t
            integer(c_int64_t), intent(out) :: hash
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_body_ball(body, position, radius, density, error) bind(c) result(status)
            import :: dem_body, dem_error, c_double, c_int32_t
            type(dem_body), intent(inout) :: body
            real(c_double), value :: radius, density
            real(c_double), intent(in) :: position(3)
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_add(world, handle, member, error) bind(c) result(status)
            import :: dem_member, dem_error, c_ptr, c_int32_t, c_int64_t
            type(c_ptr), value :: world
            integer(c_int64_t), intent(out), optional :: handle
            type(dem_member), intent(in) :: member
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_begin(world, dt, asks, error) bind(c) result(status)
            import :: dem_error, c_ptr, c_double, c_int32_t
            type(c_ptr), value :: world
            real(c_double), value :: dt
            integer(c_int32_t), value :: asks
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_poll(world, want, query, scratch, scratch_size, error) bind(c) result(status)
            import :: dem_world_query, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: world, scratch
            integer(c_int32_t), intent(inout) :: want
            type(dem_world_query), intent(in) :: query
            integer(c_size_t), value :: scratch_size
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_law(world, law, law_size, error) bind(c) result(status)
            import :: dem_host_law, dem_error, c_ptr, c_size_t, c_int32_t
            type(dem_host_law), intent(inout) :: law
            integer(c_size_t), value :: law_size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_accept(world, error) bind(c) result(status)
            import :: dem_error, c_ptr, c_int32_t
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_view(slots, slots_size, world, error) bind(c) result(status)
            import :: dem_world_slots, dem_error, c_ptr, c_size_t, c_int32_t
            type(dem_world_slots), intent(inout) :: slots
            integer(c_size_t), value :: slots_size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_world_contacts(view, view_size, world, error) bind(c) result(status)
            import :: dem_scene_contacts, dem_error, c_ptr, c_size_t, c_int32_t
            type(dem_scene_contacts), intent(inout) :: view
            integer(c_size_t), value :: view_size
            type(c_ptr), value :: world
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function
    end interface
    public :: dem_error_format, dem_defaults, dem_world_layout, dem_world_init, dem_world_hash
    public :: dem_body_ball, dem_world_add, dem_world_begin, dem_world_poll
    public :: dem_world_law, dem_world_accept, dem_world_view, dem_world_contacts
    public :: dem_world_set_up, dem_world_states, dem_world_set_loads, dem_world_advance
    public :: dem_world_advance_step, dem_world_run_step
end module

program bouncing_balls
    use dem_worlds
    implicit none
    integer, parameter :: balls = 5, most = 4000
    real(c_double), parameter :: radius = 0.5d0, halo = 0.02d0, speed = 0.2d0, frequency = 40, dt = 1d-4, &
        pi = acos(-1d0)
    type(dem_placed), target :: shapes(2)
    type(dem_error) :: error
    type(dem_world_desc), target :: desc
    type(dem_world_query), target :: query
    type(dem_member), target :: member
    type(dem_world_slots) :: slots
    type(dem_body), pointer :: bodies(:)
    integer(c_int8_t), allocatable, target :: block(:), other(:), scratch(:)
    type(c_ptr) :: world, copy
    integer(c_size_t) :: size, scratch_size
    integer(c_int64_t) :: hash(2)
    real(c_double) :: zeta(balls), expected, found, worst
    integer(c_int32_t) :: want, status
    integer :: mistakes, i, step, contacts

    mistakes = 0
    contacts = 0
    zeta = [0d0, 0.05d0, 0.1d0, 0.2d0, 0.4d0]
    shapes(1) = dem_placed(kind=dem_kind_half_space, halo=halo)
    shapes(2) = dem_placed(radius=radius, halo=halo)
    call must(dem_defaults(c_loc(query), c_sizeof(query), dem_default_world_query))
    query%shapes = c_loc(shapes)
    query%shape_count = 2

    call must(dem_defaults(c_loc(desc), c_sizeof(desc), dem_default_world_desc))
    desc%bodies = balls + 1
    call must(dem_world_layout(size, desc=desc, error=error))
    allocate (block(size + dem_align - 1), other(size + dem_align - 1))
    call must(dem_world_init(aligned(block), size, world, desc, error))
    call must(dem_defaults(c_loc(member), c_sizeof(member), dem_default_member))
    call must(dem_world_add(world, member=member, error=error))
    member%shape = 1
    do i = 1, balls
        call must(dem_body_ball(member%body, [2d0 * i, 0d0, radius + 2 * halo + 1d-3], radius, 2d0, error))
        member%body%velocity = [0d0, 0d0, -speed]
        call must(dem_world_add(world, member=member, error=error))
    end do
    want = dem_want_more
    status = dem_world_poll(world, want, query, c_null_ptr, 0_c_size_t, error)
    scratch_size = error%needed
    allocate (scratch(scratch_size))

    do step = 1, most
        call must(dem_world_begin(world, dt, dem_ask_law, error))
        call finish(world, step == most / 10)
        call must(dem_world_accept(world, error))
    end do
    call must(dem_world_view(slots, c_sizeof(slots), world, error))
    call c_f_pointer(slots%bodies, bodies, [slots%count])
    worst = 0
    do i = 1, balls
        expected = exp(-pi * zeta(i) / sqrt(1 - zeta(i)**2))
        found = bodies(i + 1)%velocity(3) / speed
        worst = max(worst, abs(found - expected))
    end do
    call check('restitutions are those of the closed form', worst < 0.01d0)
    call check('there were contacts', contacts > 100)
    print '(a, f7.5, a, i0, a)', 'restitutions are met to ', worst, ', ', contacts, ' contacts'
    call sink()
    deallocate (block, other, scratch)
    print '(i0, a)', mistakes, ' mistakes'
    if (mistakes > 0) stop 1

contains

    ! The same balls sink in a fluid that flows along x. In each window, the program sets the drag of the velocities
    ! that balls have at its start.
    subroutine sink()
        integer, parameter :: n = balls + 1
        real(c_double), parameter :: drag = 4, fluid = 0.1d0, gravity = 2, stiffness = 2d3
        real(c_double), target :: places(n, 3), velocities(n, 3), forces(n, 3)
        type(dem_world_setup), target :: setup
        type(dem_interaction), target :: table(1)
        type(dem_output) :: x, v
        type(dem_array) :: loads
        real(c_double) :: slip
        integer :: window
        table = dem_interaction(normal=dem_normal_linear, stiffness=stiffness, damped=dem_damping_dashpot, &
            damping=0.3d0)
        query%interactions = c_loc(table)
        query%interaction_count = 1
        call must(dem_defaults(c_loc(setup), c_sizeof(setup), dem_default_world_setup))
        setup%gravity(3) = -gravity
        call must(dem_world_set_up(world, setup, error))
        x = dem_output(c_loc(places), int(n, c_size_t), stride=8, component_stride=8 * n)
        v = dem_output(c_loc(velocities), int(n, c_size_t), stride=8, component_stride=8 * n)
        loads = dem_array(c_loc(forces), int(n, c_size_t), stride=8, component_stride=8 * n)
        do window = 0, 200
            call must(dem_world_states(positions=x, velocities=v, world=world, error=error))
            forces = -drag * velocities
            forces(:, 1) = forces(:, 1) + drag * fluid
            call must(dem_world_set_loads(world, loads, error=error))
            if (window < 200) call must(dem_world_advance(world, query, 0.02d0, 1d-3, c_loc(scratch), &
                scratch_size, error))
        end do
        worst = maxval(abs(places(2:, 3) - (radius + 2 * halo - member%body%mass * gravity / stiffness)))
        slip = maxval(abs(velocities(2:, 1) - fluid))
        call check('balls lie on the ground, and move with the fluid', worst < 1d-6 .and. slip < 1d-4)
        print '(2(a, es8.1))', 'balls lie where the ground bears them within', worst, &
            ', and move with the fluid within', slip
        call step_by_step(balls * member%body%mass * gravity)
    end subroutine

    ! A window whose steps the program takes one by one, as one does that moves a wall in between: the mean of what
    ! the ground bears. A copy with its scratch behind it in a block does the same.
    subroutine step_by_step(weight)
        real(c_double), intent(in) :: weight
        real(c_double), parameter :: window = 0.02d0
        integer(c_int8_t), allocatable, target :: large(:)
        integer(c_int8_t), pointer :: from(:), to(:)
        type(dem_wrench), pointer :: wrenches(:)
        type(dem_block) :: home
        real(c_double) :: length, mean
        integer(c_int32_t) :: complete
        allocate (large(size + scratch_size + 2 * dem_align))
        home = dem_block(aligned(large), size + scratch_size + dem_align)
        call c_f_pointer(world, from, [size])
        call c_f_pointer(home%start, to, [size])
        to = from
        mean = 0
        complete = 0
        do while (complete == 0)
            call must(dem_world_advance_step(world, length, complete, query, window, 1d-3, c_loc(scratch), &
                scratch_size, error))
            call must(dem_world_view(slots, c_sizeof(slots), world, error))
            call c_f_pointer(slots%wrenches, wrenches, [slots%count])
            mean = mean + length / window * wrenches(1)%force(3)
        end do
        call must(dem_world_hash(hash(1), world, error))
        complete = 0
        do while (complete == 0)
            call must(dem_world_run_step(home, length, complete, query, window, 1d-3, error))
        end do
        call must(dem_world_hash(hash(2), home%start, error))
        call check('the ground bears the weight in the steps of a window', abs(mean + weight) < 1d-6 * weight)
        call check('steps of a world in a block have the same bits', hash(1) == hash(2))
    end subroutine

    ! The polls of a step; with a copy that takes over in its midst, where that is wanted.
    recursive subroutine finish(world, with_copy)
        type(c_ptr), intent(in) :: world
        logical, intent(in) :: with_copy
        integer(c_int32_t) :: want
        do
            call must(dem_world_poll(world, want, query, c_loc(scratch), scratch_size, error))
            select case (want)
            case (dem_want_law)
                call law(world)
                if (with_copy) then
                    call take_copy()
                    call finish(copy, .false.)
                end if
            case (dem_want_done)
                exit
            case (dem_want_stuck)
                stop 3
            end select
        end do
        if (.not. with_copy) return
        call must(dem_world_accept(copy, error))
        call must(dem_world_hash(hash(1), copy, error))
        call must(dem_world_accept(world, error))
        call must(dem_world_hash(hash(2), world, error))
        call check('a copy goes on with the same bits', hash(1) == hash(2))
        call must(dem_world_begin(world, dt, dem_ask_law, error))
        call finish(world, .false.)
    end subroutine

    subroutine take_copy()
        integer(c_int8_t), pointer :: from(:), to(:)
        copy = aligned(other)
        call c_f_pointer(world, from, [size])
        call c_f_pointer(copy, to, [size])
        to = from
    end subroutine

    ! A linear spring with a dashpot for each ball, whose force may pull.
    subroutine law(world)
        type(c_ptr), intent(in) :: world
        type(dem_scene_contacts) :: view
        type(dem_host_law) :: there
        type(dem_contact), pointer :: list(:)
        type(dem_scene_pair), pointer :: pairs(:)
        type(dem_meeting), pointer :: meetings(:)
        type(dem_wrench), pointer :: acts(:)
        type(dem_body), pointer :: all(:)
        real(c_double) :: mass, approach
        integer :: p, k, ball
        call must(dem_world_contacts(view, c_sizeof(view), world, error))
        call must(dem_world_law(world, there, c_sizeof(there), error))
        call must(dem_world_view(slots, c_sizeof(slots), world, error))
        call c_f_pointer(view%contacts, list, [view%count])
        call c_f_pointer(view%pairs, pairs, [view%pair_count])
        call c_f_pointer(there%meetings, meetings, [there%count])
        call c_f_pointer(there%acts, acts, [there%count])
        call c_f_pointer(slots%bodies, all, [slots%count])
        do p = 1, int(view%pair_count)
            ball = max(pairs(p)%a, pairs(p)%b)
            mass = all(ball + 1)%mass
            do k = pairs(p)%first + 1, pairs(p)%end
                contacts = contacts + 1
                approach = -dot_product(meetings(k)%velocity, list(k)%normal)
                acts(k)%force = list(k)%normal * mass * (frequency**2 * (list(k)%halo - list(k)%least_gap) &
                                                         + 2 * zeta(ball) * frequency * approach)
            end do
        end do
    end subroutine

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
