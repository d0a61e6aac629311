! A world in Fortran. With a law of the program, five balls with different dashpots hit the ground and bounce off.
! Then a table of interactions is the law, and the program sets the drag of a fluid in each window, as a flow solver
! does, in arrays a(n,3).
!
! The module dem is include/dem.f90. The world is in memory of a fixed size, which the program allocates. c_f_pointer
! makes arrays of the library's pointers (dem_world_view, dem_world_contacts, dem_world_law), into which the program
! writes forces. The library counts slots and contacts from 0.
!
! Checked: restitutions are those of the closed form; a copy of the block within a step, at another address,
! continues with the same bits; balls move with the fluid, and rest at the height where the ground bears them; in the
! steps of a window the ground bears their weight.
program bouncing_balls
    use dem
    implicit none
    integer, parameter :: balls = 5, most = 4000
    real(c_double), parameter :: radius = 0.5d0, halo = 0.02d0, speed = 0.2d0, frequency = 40, dt = 1d-4, &
        pi = acos(-1d0)
    type(dem_placed), target :: shapes(2)
    type(dem_error) :: error
    type(dem_world_desc) :: desc
    type(dem_world_query) :: query
    type(dem_member) :: member
    type(dem_world_slots) :: slots
    type(dem_body), pointer :: bodies(:)
    integer(c_int8_t), allocatable, target :: block(:), other(:), scratch(:)
    type(c_ptr) :: world, copy
    integer(c_size_t) :: size, scratch_size
    integer(c_int64_t) :: hash(2)
    real(c_double) :: zeta(balls), expected, found, worst
    integer(c_int32_t) :: want, status
    integer :: mistakes, i, step, contacts

    print '(a)', 'Balls that bounce by a law of the program, and then sink in a fluid that flows'
    mistakes = 0
    contacts = 0
    zeta = [0d0, 0.05d0, 0.1d0, 0.2d0, 0.4d0]
    shapes(1) = dem_placed_half_space(halo)
    shapes(2) = dem_placed_sphere(radius, halo)
    query%shapes = c_loc(shapes)
    query%shape_count = 2

    desc%bodies = balls + 1
    call must(dem_world_layout(size, desc=desc, error=error))
    allocate (block(size + dem_align - 1), other(size + dem_align - 1))
    call must(dem_world_init(dem_aligned(block), size, world, desc, error))
    call must(dem_world_add(world, member=member, error=error))
    member%shape = 1
    do i = 1, balls
        call must(dem_body_ball(member%body, [2d0 * i, 0d0, radius + 2 * halo + 1d-3], radius, 2d0, error))
        member%body%velocity = [0d0, 0d0, -speed]
        call must(dem_world_add(world, member=member, error=error))
    end do
    want = DEM_WANT_MORE
    status = dem_world_poll(world, want, query, c_null_ptr, 0_c_size_t, error)
    scratch_size = dem_scratch_needed(error)
    allocate (scratch(scratch_size))

    do step = 1, most
        call must(dem_world_begin(world, dt, DEM_ASK_LAW, error))
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

    ! The same balls sink in a fluid that flows along x. In each window, the program sets the drag for the
    ! velocities at the start of the window.
    subroutine sink()
        integer, parameter :: n = balls + 1
        real(c_double), parameter :: drag = 4, fluid = 0.1d0, gravity = 2, stiffness = 2d3
        real(c_double), target :: places(n, 3), velocities(n, 3), forces(n, 3)
        type(dem_world_setup) :: setup
        type(dem_interaction), target :: table(1)
        type(dem_output) :: x, v
        type(dem_array) :: loads
        real(c_double) :: slip
        integer :: window
        table = dem_interaction(normal=DEM_NORMAL_LINEAR, stiffness=stiffness, damped=DEM_DAMPING_DASHPOT, &
            damping=0.3d0)
        query%interactions = c_loc(table)
        query%interaction_count = 1
        setup%gravity(3) = -gravity
        call must(dem_world_set_up(world, setup, error))
        x = dem_output_of(places, items=1)
        v = dem_output_of(velocities, items=1)
        loads = dem_array_of(forces, items=1)
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

    ! The program takes the steps of a window one by one, as for a wall that it moves in between, and computes the mean
    ! force on the ground. A copy in a block, with scratch after it, gives the same.
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
        home = dem_block(dem_aligned(large), size + scratch_size + dem_align)
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

    ! Does the polls of a step. On request, a copy of the world continues in the middle of the step.
    recursive subroutine finish(world, with_copy)
        type(c_ptr), intent(in) :: world
        logical, intent(in) :: with_copy
        integer(c_int32_t) :: want
        do
            call must(dem_world_poll(world, want, query, c_loc(scratch), scratch_size, error))
            select case (want)
            case (DEM_WANT_LAW)
                call law(world)
                if (with_copy) then
                    call take_copy()
                    call finish(copy, .false.)
                end if
            case (DEM_WANT_DONE)
                exit
            case (DEM_WANT_STUCK)
                stop 3
            end select
        end do
        if (.not. with_copy) return
        call must(dem_world_accept(copy, error))
        call must(dem_world_hash(hash(1), copy, error))
        call must(dem_world_accept(world, error))
        call must(dem_world_hash(hash(2), world, error))
        call check('a copy goes on with the same bits', hash(1) == hash(2))
        call must(dem_world_begin(world, dt, DEM_ASK_LAW, error))
        call finish(world, .false.)
    end subroutine

    subroutine take_copy()
        integer(c_int8_t), pointer :: from(:), to(:)
        copy = dem_aligned(other)
        call c_f_pointer(world, from, [size])
        call c_f_pointer(copy, to, [size])
        to = from
    end subroutine

    ! A linear spring with a dashpot for each ball, whose force may pull.
    subroutine law(world)
        type(c_ptr), intent(in) :: world
        type(dem_scene_contacts) :: view
        type(dem_host_law) :: there
        type(dem_contact), pointer :: contact
        type(dem_scene_pair), pointer :: pair
        type(dem_meeting), pointer :: meetings(:)
        type(dem_wrench), pointer :: acts(:)
        type(dem_body), pointer :: all(:)
        real(c_double) :: mass, approach
        integer :: p, k, ball
        call must(dem_world_contacts(view, c_sizeof(view), world, error))
        call must(dem_world_law(world, there, c_sizeof(there), error))
        call must(dem_world_view(slots, c_sizeof(slots), world, error))
        call c_f_pointer(there%meetings, meetings, [there%count])
        call c_f_pointer(there%acts, acts, [there%count])
        call c_f_pointer(slots%bodies, all, [slots%count])
        do p = 1, int(view%pair_count)
            pair => dem_pair_at(view, p)
            ball = max(pair%a, pair%b)
            mass = all(ball + 1)%mass
            do k = pair%first + 1, pair%end
                contacts = contacts + 1
                contact => dem_contact_at(view, k)
                approach = -dot_product(meetings(k)%velocity, contact%normal)
                acts(k)%force = contact%normal * mass * (frequency**2 * (contact%halo - contact%least_gap) &
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

    ! Ends the program if a call failed, with the library's message.
    subroutine must(status)
        integer(c_int32_t), intent(in) :: status
        if (status < 0) call dem_must(error)
    end subroutine
end program
