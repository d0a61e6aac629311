! A host in Fortran: its arrays are read in place, whether positions are a(3,n) or a(n,3), and indices count from 1.
!
! The module holds the types and interfaces of dem.h that this program uses, written by bind(c); a program of its own
! can begin with a copy; 14_scene.f90 has what scenes need. (A test of the library compares the types with the header,
! field by field.) The program computes distances of triangles in both orders of storage, then all pairs of two boxes,
! and compares everything with closed forms and with pairs taken one by one; a mistake is shown as the library tells
! it, and ends in a status that is not 0.
module dem
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: c_ptr, c_null_ptr, c_null_char, c_int8_t, c_int32_t, c_intptr_t, c_size_t, c_double, c_char, c_loc, &
        c_sizeof

    integer(c_int32_t), parameter, public :: dem_ok = 0, dem_error_capacity = -3, dem_error_bad_index = -6
    integer(c_int32_t), parameter, public :: dem_f64 = 2, dem_i32 = 3, dem_abi_version_here = 1
    integer(c_int32_t), parameter, public :: dem_default_closest_points = 20, dem_default_shape_desc = 1, &
        dem_default_query = 14
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

    type, bind(c), public :: dem_triangles
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0, stride = 0, vertex_stride = 0, component_stride = 0
        integer(c_int32_t) :: type = dem_f64, reserved = 0
    end type

    type, bind(c), public :: dem_indices
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: count = 0, stride = 0, component_stride = 0
        integer(c_int32_t) :: type = dem_i32, base = 1
    end type

    type, bind(c), public :: dem_closest_points
        integer(c_int32_t) :: struct_size, reserved
        type(dem_output) :: distance, point_a, point_b, weights_a, weights_b, features
    end type

    type, bind(c), public :: dem_shape_desc
        integer(c_int32_t) :: struct_size, cells
        type(dem_array) :: vertices
        type(dem_indices) :: triangles
        type(dem_array) :: halos
        real(c_double) :: halo
        integer(c_int32_t) :: stored, preset, fan_out, leaf, isa, law
        real(c_double) :: flat, angle
    end type

    type, bind(c), public :: dem_pose
        real(c_double) :: position(3), orientation(4)
    end type

    type, bind(c), public :: dem_query
        integer(c_int32_t) :: struct_size, isa
        type(c_ptr) :: a, b
        type(dem_pose) :: pose_a, pose_b
        real(c_double) :: margin, bound
        integer(c_int32_t) :: witness, reserved
    end type

    ! Triangles `a` and `b` count from 0, whatever the indices that a shape was built from count from.
    type, bind(c), public :: dem_triangle_pair
        integer(c_int32_t) :: a, b, feature_a, feature_b
        real(c_double) :: distance, point_a(3), point_b(3)
    end type

    ! An optional argument that is left out is a null pointer.
    interface
        function dem_abi_version() bind(c) result(version)
            import :: c_int32_t
            integer(c_int32_t) :: version
        end function

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

        ! `options` are always left out in this program, as a null pointer.
        function dem_triangle_distance(results, a, b, pairs, options, error) bind(c) result(status)
            import :: dem_closest_points, dem_triangles, dem_indices, dem_error, c_ptr, c_int32_t
            type(dem_closest_points), intent(in) :: results
            type(dem_triangles), intent(in) :: a, b
            type(dem_indices), intent(in), optional :: pairs
            type(c_ptr), value :: options
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_shape_layout(size, align, desc, error) bind(c) result(status)
            import :: dem_shape_desc, dem_error, c_size_t, c_int32_t
            integer(c_size_t), intent(out) :: size
            integer(c_size_t), intent(out), optional :: align
            type(dem_shape_desc), intent(in) :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_shape_init(memory, size, shape, desc, error) bind(c) result(status)
            import :: dem_shape_desc, dem_error, c_ptr, c_size_t, c_int32_t
            type(c_ptr), value :: memory
            integer(c_size_t), value :: size
            type(c_ptr), intent(out) :: shape
            type(dem_shape_desc), intent(in) :: desc
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function

        function dem_pairs(pairs, capacity, stride, count, query, scratch, scratch_size, error) bind(c) result(status)
            import :: dem_triangle_pair, dem_query, dem_error, c_ptr, c_size_t, c_int32_t
            type(dem_triangle_pair), intent(inout) :: pairs(*)
            integer(c_size_t), value :: capacity, stride, scratch_size
            integer(c_size_t), intent(out), optional :: count
            type(dem_query), intent(in) :: query
            type(c_ptr), value :: scratch
            type(dem_error), intent(out), optional :: error
            integer(c_int32_t) :: status
        end function
    end interface
    public :: dem_abi_version, dem_error_format, dem_defaults, dem_triangle_distance
    public :: dem_shape_layout, dem_shape_init, dem_pairs
end module

program host
    use dem
    implicit none
    integer(c_size_t), parameter :: number = 8
    type(dem_error) :: error
    integer :: mistakes

    mistakes = 0
    call check('header and library agree', dem_abi_version() == dem_abi_version_here)
    call triangles_in_place()
    call boxes()
    print '(i0, a)', mistakes, ' mistakes'
    if (mistakes > 0) stop 1

contains

    ! A large triangle on the ground, and triangle i standing on its tip at the height i / 8.
    subroutine triangles_in_place()
        integer, parameter :: n = 100
        ! Triangle i has the vertices 3 i - 2 to 3 i: columns of `by_vertex`, rows of `by_axis`.
        real(c_double), target :: by_vertex(3, 3 * n), by_axis(3 * n, 3), ground(3, 3)
        real(c_double), target :: gap(n), gap_by_axis(n), gap_of_list(3), above(3, n), below(n, 3)
        integer(c_int32_t), target :: list(2, 3)
        type(dem_triangles) :: columns, rows, plate
        type(dem_indices) :: pairs
        type(dem_closest_points) :: results
        integer(c_int32_t) :: status
        integer :: i

        ground = reshape([-100d0, -100d0, 0d0, 100d0, -100d0, 0d0, 0d0, 200d0, 0d0], [3, 3])
        do i = 1, n
            by_vertex(:, 3 * i - 2) = [0.5d0 * i, 1d0, i / 8d0]
            by_vertex(:, 3 * i - 1) = by_vertex(:, 3 * i - 2) + [1d0, 0d0, 1d0]
            by_vertex(:, 3 * i) = by_vertex(:, 3 * i - 2) + [0d0, 1d0, 2d0]
        end do
        by_axis = transpose(by_vertex)
        plate%data = c_loc(ground)
        plate%count = 1

        ! a(3,n): packed, so that all strides are 0.
        columns%data = c_loc(by_vertex)
        columns%count = n
        call start(results)
        results%distance = packed(c_loc(gap), n)
        results%point_b = packed(c_loc(above), n)
        call must(dem_triangle_distance(results, plate, columns, options=c_null_ptr, error=error))
        call check('distances', all(abs(gap - [(i / 8d0, i = 1, n)]) <= 1d-12 * n))
        call check('closest points', all(abs(above - by_vertex(:, 1::3)) <= 1d-12 * n))

        ! a(n,3): the axes are 3 n numbers apart; points are written in the same order of storage.
        rows%data = c_loc(by_axis)
        rows%count = n
        rows%stride = 3 * number
        rows%vertex_stride = number
        rows%component_stride = 3 * n * number
        call start(results)
        results%distance = packed(c_loc(gap_by_axis), n)
        results%point_a = packed(c_loc(below), n)
        results%point_a%stride = number
        results%point_a%component_stride = n * number
        call must(dem_triangle_distance(results, plate, rows, options=c_null_ptr, error=error))
        call check('the same bits', all(transfer(gap, [0_c_int32_t]) == transfer(gap_by_axis, [0_c_int32_t])))
        call check('points below', all(abs(below(:, 1:2) - by_axis(1::3, 1:2)) <= 1d-12 * n))
        call check('points on the ground', all(abs(below(:, 3)) <= 1d-12 * n))

        ! Pairs by a list that counts from 1.
        list = reshape([1, n, 1, 1, 1, 8], [2, 3])
        pairs%data = c_loc(list)
        pairs%count = 3
        call start(results)
        results%distance = packed(c_loc(gap_of_list), 3)
        call must(dem_triangle_distance(results, plate, columns, pairs, c_null_ptr, error))
        call check('a list of pairs', all(abs(gap_of_list - [n / 8d0, 0.125d0, 1d0]) <= 1d-12 * n))
        list(2, 3) = n + 1
        status = dem_triangle_distance(results, plate, columns, pairs, c_null_ptr, error)
        print '(2a)', 'one index too many: ', sentence()
        call check('a bad index is refused', status == dem_error_bad_index .and. error%index == 2 &
            .and. error%component == 1)
        print '(i0, a, f0.3, a, f0.3)', n, ' distances in both orders of storage, from ', gap(1), ' to ', gap(n)
    end subroutine

    ! One shape, built from a(n,3) and three indices a triangle; two of it, the second one moved step by step.
    subroutine boxes()
        integer, parameter :: triangles = 12, all_pairs = triangles**2
        real(c_double), parameter :: halo = 0.05d0
        real(c_double), target :: corners(8, 3)
        integer(c_int32_t), target :: faces(3, triangles)
        integer(c_int8_t), allocatable, target :: block(:), scratch(:)
        type(dem_triangle_pair) :: pairs(all_pairs)
        type(dem_shape_desc), target :: desc
        type(dem_query), target :: query
        integer(c_size_t) :: size, scratch_size, count
        integer(c_int32_t) :: status
        real(c_double) :: distance(triangles, triangles), gap
        integer :: i, k

        corners(:, 1) = [0d0, 1d0, 0d0, 1d0, 0d0, 1d0, 0d0, 1d0]
        corners(:, 2) = [0d0, 0d0, 1d0, 1d0, 0d0, 0d0, 1d0, 1d0]
        corners(:, 3) = [0d0, 0d0, 0d0, 0d0, 1d0, 1d0, 1d0, 1d0]
        faces = reshape([1, 3, 4, 1, 4, 2, 5, 6, 8, 5, 8, 7, 1, 2, 6, 1, 6, 5, &
                         3, 7, 8, 3, 8, 4, 1, 5, 7, 1, 7, 3, 2, 4, 8, 2, 8, 6], [3, triangles])
        call must(dem_defaults(c_loc(desc), c_sizeof(desc), dem_default_shape_desc))
        desc%vertices = dem_array(c_loc(corners), 8, number, 8 * number)
        desc%triangles = dem_indices(c_loc(faces), triangles)
        desc%halo = halo
        desc%cells = 0  ! pairs of triangles need none
        call must(dem_shape_layout(size, desc=desc, error=error))
        allocate (block(size + dem_align - 1))
        call must(dem_defaults(c_loc(query), c_sizeof(query), dem_default_query))
        call must(dem_shape_init(aligned(block), size, query%a, desc, error))
        query%b = query%a

        status = dem_pairs(pairs, int(all_pairs, c_size_t), 0_c_size_t, count, query, c_null_ptr, 0_c_size_t, error)
        scratch_size = error%needed
        allocate (scratch(scratch_size))
        do k = 1, 4
            gap = 0.2d0 - 0.06d0 * k
            query%pose_b%position = [0.25d0, 0.125d0, 1 + gap]
            status = dem_pairs(pairs, 0_c_size_t, 0_c_size_t, count, query, c_loc(scratch), scratch_size, error)
            call check('no room is refused', (status == dem_error_capacity) .eqv. (count > 0))
            call must(dem_pairs(pairs, int(all_pairs, c_size_t), 0_c_size_t, count, query, c_loc(scratch), &
                scratch_size, error))
            print '(a, f0.2, a, i0, a)', 'boxes ', abs(gap), merge(' apart:   ', ' too deep:', gap > 0), count, ' pairs'
            call one_by_one(corners, faces, query%pose_b%position, distance)
            call check('as many as one by one', count == sum(merge(1, 0, distance <= 2 * halo)))
            call check('the same pairs', all([(distance(pairs(i)%a + 1, pairs(i)%b + 1) <= 2 * halo, i = 1, &
                int(count))]))
            call check('the distance', count == 0 .or. abs(minval(pairs(:count)%distance) - max(gap, 0d0)) <= 1d-12)
        end do
    end subroutine

    ! Distances of all triangles of a box with all of another one, moved.
    subroutine one_by_one(corners, faces, move, distance)
        real(c_double), intent(in) :: corners(:, :), move(3)
        integer(c_int32_t), intent(in) :: faces(:, :)
        real(c_double), intent(out), target :: distance(:, :)
        real(c_double), target :: a(3, 3), b(3, 3, size(faces, 2))
        real(c_double), target :: row(size(faces, 2))
        type(dem_triangles) :: one, others
        type(dem_closest_points) :: results
        integer :: i, k
        do i = 1, size(faces, 2)
            do k = 1, 3
                b(:, k, i) = corners(faces(k, i), :) + move
            end do
        end do
        one%data = c_loc(a)
        one%count = 1
        others%data = c_loc(b)
        others%count = size(faces, 2)
        call start(results)
        results%distance = packed(c_loc(row), size(row))
        do i = 1, size(faces, 2)
            a = transpose(corners(faces(:, i), :))
            call must(dem_triangle_distance(results, one, others, options=c_null_ptr, error=error))
            distance(i, :) = row
        end do
    end subroutine

    subroutine check(what, holds)
        character(*), intent(in) :: what
        logical, intent(in) :: holds
        if (holds) return
        print '(2a)', what, ': does not hold'
        mistakes = mistakes + 1
    end subroutine

    ! Ends the program where a call failed.
    subroutine must(status)
        integer(c_int32_t), intent(in) :: status
        if (status == dem_ok) return
        print '(a)', sentence()
        stop 2
    end subroutine

    ! What the library says about `error`.
    function sentence() result(text)
        character(:), allocatable :: text
        character(kind=c_char) :: letters(dem_error_text)
        integer :: k
        text = ''
        if (dem_error_format(letters, int(dem_error_text, c_size_t), error=error) /= dem_ok) return
        do k = 1, dem_error_text
            if (letters(k) == c_null_char) exit
            text = text // letters(k)
        end do
    end function

    ! Nothing wanted yet.
    subroutine start(results)
        type(dem_closest_points), intent(out), target :: results
        call must(dem_defaults(c_loc(results), c_sizeof(results), dem_default_closest_points))
    end subroutine

    ! Packed doubles to write.
    function packed(data, count) result(output)
        type(c_ptr), intent(in) :: data
        integer, intent(in) :: count
        type(dem_output) :: output
        output%data = data
        output%count = count
    end function

    ! The first place in some memory where a block may start.
    function aligned(memory) result(place)
        integer(c_int8_t), intent(in), target :: memory(:)
        type(c_ptr) :: place
        place = c_loc(memory(1 + modulo(-transfer(c_loc(memory), 0_c_intptr_t), int(dem_align, c_intptr_t))))
    end function
end program
