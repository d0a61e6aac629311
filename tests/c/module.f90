! The procedures of the module dem: arrays in place, memory, shapes by their lengths, rays, masses, errors.
program module_dem
    use dem
    implicit none
    type particle
        integer(c_int32_t) :: kind = 1
        real(c_double) :: position(3) = 0, radius = 1
        integer(c_int32_t) :: tail(3) = 0
    end type
    type(dem_error) :: error
    integer(c_int32_t) :: status
    character(:), allocatable :: sentence

    call arrays()
    call memory()
    call shapes_and_rays()
    call world_of_capsules()
    status = dem_world_hash(world=c_null_ptr, error=error)
    sentence = dem_message(error)
    call check('an error has a sentence', error%code == DEM_ERROR_NULL .and. len(sentence) > 10)
    call check('texts of C', dem_string(dem_isa_name(DEM_ISA_SCALAR)) == 'scalar')
    call check('the binary interface', dem_abi_version() == DEM_ABI_VERSION_HERE)
    call check('the version', dem_version() == DEM_VERSION_HERE)
    print '(a)', 'all holds'

contains

    subroutine arrays()
        real(c_double), target :: columns(3, 10), rows(10, 3), row(-2:7), nothing(3, 0)
        real(c_float), target :: single(3, 4)
        integer(c_int32_t), target :: faces(3, 5)
        integer(c_int64_t), target :: ids(6)
        type(particle), target :: all(4)
        type(dem_indices) :: indices
        type(dem_output) :: output
        call is('a(3,n)', dem_array_of(columns), c_loc(columns), 10, 24, 0, DEM_F64)
        call is('a(n,3)', dem_array_of(rows, items=1), c_loc(rows), 10, 8, 80, DEM_F64)
        call is('a part of a(3,n)', dem_array_of(columns(:, 3:7)), c_loc(columns(1, 3)), 5, 24, 0, DEM_F64)
        call is('bounds of its own', dem_array_of(row), c_loc(row), 10, 8, 0, DEM_F64)
        call is('nothing', dem_array_of(nothing), c_null_ptr, 0, 24, 0, DEM_F64)
        call is('single precision', dem_array_of(single, items=1), c_loc(single), 3, 4, 12, DEM_F32)
        call is('ids', dem_array_of(ids), c_loc(ids), 6, 8, 0, DEM_U64)
        call is('kinds', dem_array_of(faces), c_loc(faces), 5, 12, 0, DEM_I32)
        call is('vectors in a type', dem_array(c_loc(all(1)%position), size(all), storage_size(all) / 8), &
            c_loc(all(1)%position), 4, 56, 0, DEM_F64)
        output = dem_output_of(rows, items=1)
        call is('an output', dem_array(output%data, output%count, output%stride, output%component_stride, output%type), &
            c_loc(rows), 10, 8, 80, DEM_F64)
        indices = dem_indices_of(faces)
        call check('indices', indices%count == 5 .and. indices%stride == 12 .and. indices%base == 1 &
            .and. indices%type == DEM_I32)
        indices = dem_indices_of(faces, base=0)
        call check('indices from 0', indices%base == 0)
    end subroutine

    subroutine is(what, array, at, count, stride, component_stride, kind)
        character(*), intent(in) :: what
        type(dem_array), intent(in) :: array
        type(c_ptr), intent(in) :: at
        integer, intent(in) :: count, stride, component_stride
        integer(c_int32_t), intent(in) :: kind
        call check(what, transfer(array%data, 0_c_intptr_t) == transfer(at, 0_c_intptr_t) .and. array%count == count &
            .and. array%stride == stride .and. array%component_stride == component_stride .and. array%type == kind)
    end subroutine

    subroutine memory()
        type(dem_block) :: block
        integer(c_int8_t), target :: bytes(1000)
        procedure(dem_resize), pointer :: resize
        integer :: i
        block = dem_heap()
        call c_f_procpointer(block%resize, resize)
        do i = 1, 20
            block%size = 37 * i
            block%start = resize(block%context, c_null_ptr, 0_c_size_t, block%size)
            call check('memory is aligned', c_associated(block%start) .and. &
                modulo(transfer(block%start, 0_c_intptr_t), int(DEM_ALIGN, c_intptr_t)) == 0)
            call dem_free(block)
            call check('memory is given back', .not. c_associated(block%start) .and. block%size == 0)
            call check('a place is aligned', &
                modulo(transfer(dem_aligned(bytes(i:)), 0_c_intptr_t), int(DEM_ALIGN, c_intptr_t)) == 0)
        end do
    end subroutine

    subroutine shapes_and_rays()
        type(dem_block) :: box, room, drum, scene
        type(dem_placed), target :: shapes(4), parts(2)
        type(dem_compound), target :: two
        type(dem_scene_query) :: query
        type(dem_scene_contacts) :: found
        type(dem_contact), pointer :: contact
        type(dem_scene_pair), pointer :: pair
        type(dem_mass) :: mass
        type(dem_ray) :: rays(3)
        type(dem_ray_hit) :: hits(3)
        real(c_double), target :: places(3, 4)
        integer(c_int32_t), target :: kinds(4)
        integer(c_size_t) :: facets
        box = dem_heap()
        room = dem_heap()
        drum = dem_heap()
        scene = dem_heap()
        status = dem_heap_box(box, [1d0, 1d0, 1d0], 0.01d0, error); call dem_must(error)
        status = dem_heap_room(room, [8d0, 8d0, 8d0], 0.01d0, error); call dem_must(error)
        facets = 0
        status = dem_heap_cylinder(drum, facets, 0.5d0, 2d0, 0.01d0, error); call dem_must(error)
        status = dem_heap_mass(mass, box%start, 2d0, error); call dem_must(error)
        call check('mass of a box', abs(mass%mass - 2) < 1d-12 .and. facets > 10)
        status = dem_heap_mass(mass, drum%start, 1d0, error); call dem_must(error)
        call check('mass of a cylinder', abs(mass%mass / (acos(-1d0) / 2) - 1) < 0.01d0)
        parts = [dem_placed_sphere(0.5d0, 0.01d0), dem_placed_sphere(0.5d0, 0.01d0)]
        parts(2)%pose%position(1) = 0.5d0
        two%parts = c_loc(parts)
        two%count = 2
        status = dem_heap_placed_mass(mass, dem_placed_compound(two), 1d0, error); call dem_must(error)
        ! Two balls of radius 1/2 whose centres are 1/2 apart: 27/16 of one.
        call check('mass of balls that overlap', abs(mass%mass / (27d0 / 16 * acos(-1d0) / 6) - 1) < 2d-3)

        shapes = [dem_placed_mesh(room%start, 1), dem_placed_mesh(box%start, 1), dem_placed_sphere(0.5d0, 0.01d0), &
            dem_placed_compound(two)]
        places = reshape([0d0, 0d0, 0d0, 0d0, 0d0, -3.495d0, 2d0, 2d0, -3.495d0, -2d0, -2d0, 0d0], [3, 4])
        kinds = int([0, 1, 2, 3], c_int32_t)
        query%shapes = c_loc(shapes)
        query%shape_count = 4
        query%shape_of = dem_array_of(kinds)
        query%positions = dem_array_of(places)
        status = dem_heap_step(scene, found, query, error); call dem_must(error)
        call check('box and ball lie on the floor of the room', found%pair_count == 2 .and. found%count == 2)
        contact => dem_contact_at(found, 1)
        pair => dem_pair_at(found, 2_c_size_t)
        ! Normals point from B to A, the room.
        call check('contacts are those of the floor', contact%normal(3) < -0.999d0 .and. abs(contact%least_gap - 0.005d0) < 1d-9 &
            .and. pair%a == 0 .and. pair%b == 2)

        rays(1) = dem_ray(origin=[0d0, 0d0, 0d0], direction=[0d0, 0d0, -1d0])
        rays(2) = dem_ray(origin=[3d0, 0d0, 0d0], direction=[1d0, 0d0, 0d0])
        rays(3) = dem_ray(origin=[2d0, 2d0, 0d0], direction=[0d0, 0d0, -1d0], most=1d0)
        status = dem_heap_cast(scene, hits, query, rays, error); call dem_must(error)
        call check('rays meet box and room', abs(hits(1)%t - 2.995d0) < 1d-12 .and. hits(1)%body == 1 .and. &
            abs(hits(2)%t - 1) < 1d-12 .and. hits(2)%body == 0 .and. hits(3)%body == -1)
        rays(2)%mask = 0
        status = dem_heap_cast(scene, hits, query, rays, error)
        sentence = dem_message(error)
        call check('a ray that meets nothing is refused', status == DEM_ERROR_OUT_OF_RANGE .and. error%index == 1 &
            .and. index(sentence, 'mask') > 0)
        call dem_free(scene)
        call dem_free(box)
        call dem_free(room)
        call dem_free(drum)
    end subroutine

    ! A capsule that lies on the ground, held by a spring.
    subroutine world_of_capsules()
        type(dem_block) :: world
        type(dem_placed), target :: shapes(2)
        type(dem_interaction), target :: table(1)
        type(dem_world_setup) :: setup
        type(dem_world_query) :: query
        type(dem_world_slots) :: slots
        type(dem_member) :: member
        type(dem_body), pointer :: body
        type(dem_pose) :: lying
        type(dem_ray_hit) :: hits(1)
        real(c_double), target :: narrow(2, 2) = 0
        real(c_double), parameter :: radius = 0.25d0, half_length = 0.5d0, halo = 0.01d0
        world = dem_heap()
        shapes = [dem_placed_half_space(halo), dem_placed_capsule(half_length, radius, halo)]
        table(1) = dem_interaction_default(DEM_NORMAL_LINEAR, 1d4)
        table(1)%damped = DEM_DAMPING_DASHPOT
        table(1)%damping = 0.5d0
        setup%gravity(3) = -10
        status = dem_world_build(world, setup, error); call dem_must(error)
        status = dem_world_insert(world, member=member, error=error); call dem_must(error)
        lying = dem_pose([0d0, 0d0, radius + 2 * halo], [0d0, sqrt(0.5d0), 0d0, sqrt(0.5d0)])
        status = dem_body_capsule(member%body, lying, half_length, radius, 1d0, error); call dem_must(error)
        call check('the mass of a capsule', abs(member%body%mass - acos(-1d0) * radius**2 * (2 * half_length + &
            4 * radius / 3)) < 1d-14)
        member%shape = 1
        status = dem_world_insert(world, member=member, error=error); call dem_must(error)
        query%shapes = c_loc(shapes)
        query%shape_count = 2
        query%interactions = c_loc(table)
        query%interaction_count = 1
        status = dem_world_run(world, query, 1d0, 1d-3, error); call dem_must(error)
        status = dem_world_view(slots, c_sizeof(slots), world%start, error); call dem_must(error)
        body => dem_slot_body(slots, 2)
        call check('it rests where the spring bears it', abs(body%position(3) - (radius + 2 * halo - &
            body%mass * 10 / 1d4)) < 1d-6)
        status = dem_heap_world_cast(world, hits, query, [dem_ray(origin=[0d0, 0d0, 5d0], direction=[0d0, 0d0, -1d0])], &
            error); call dem_must(error)
        call check('a ray meets it', abs(5 - hits(1)%t - body%position(3) - radius) < 1d-9 .and. hits(1)%body == 1)
        call check('no output for vectors: a(2,n)', dem_world_states(dem_output_of(narrow), world=world%start) == &
            DEM_ERROR_BAD_SIZE)
        call check('no output for vectors: a(n)', dem_world_states(dem_output_of(narrow(:, 1)), world=world%start) == &
            DEM_ERROR_BAD_SIZE)
        call check('no loads: a(2,n)', dem_world_set_loads(world%start, dem_array_of(narrow)) == DEM_ERROR_BAD_SIZE)
        call dem_free(world)
    end subroutine

    subroutine check(what, holds)
        character(*), intent(in) :: what
        logical, intent(in) :: holds
        if (holds) return
        print '(2a)', what, ': does not hold'
        stop 1
    end subroutine
end program
