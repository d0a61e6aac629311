! A program in Fortran. The library reads its arrays in place, a(3,n) or a(n,3), and indices count from 1.
!
! The module dem is include/dem.f90, which is compiled with the program. The program computes distances of triangles in
! both orders of storage, and then all pairs of triangles of two boxes. It compares all results with closed forms and
! with pairs computed one by one. After an error it prints the library's message, and ends with a status that is not 0.
program host
    use dem
    implicit none
    integer(c_size_t), parameter :: number = 8
    type(dem_error) :: error
    integer :: mistakes

    mistakes = 0
    print '(a)', 'Distances of triangles whose vertices are stored as a(3,n) and as a(n,3)'
    call check('module and library agree', dem_abi_version() == DEM_ABI_VERSION_HERE)
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
        results = dem_closest_points()
        results%distance = dem_output_of(gap)
        results%point_b = dem_output_of(above)
        call must(dem_triangle_distance(results, plate, columns, error=error))
        call check('distances', all(abs(gap - [(i / 8d0, i = 1, n)]) <= 1d-12 * n))
        call check('closest points', all(abs(above - by_vertex(:, 1::3)) <= 1d-12 * n))

        ! a(n,3): the axes are 3 n numbers apart; points are written in the same order of storage.
        rows%data = c_loc(by_axis)
        rows%count = n
        rows%stride = 3 * number
        rows%vertex_stride = number
        rows%component_stride = 3 * n * number
        results = dem_closest_points()
        results%distance = dem_output_of(gap_by_axis)
        results%point_a = dem_output_of(below, items=1)
        call must(dem_triangle_distance(results, plate, rows, error=error))
        call check('the same bits', all(transfer(gap, [0_c_int32_t]) == transfer(gap_by_axis, [0_c_int32_t])))
        call check('points below', all(abs(below(:, 1:2) - by_axis(1::3, 1:2)) <= 1d-12 * n))
        call check('points on the ground', all(abs(below(:, 3)) <= 1d-12 * n))

        ! Pairs by a list of indices that count from 1.
        list = reshape([1, n, 1, 1, 1, 8], [2, 3])
        pairs = dem_indices_of(list)
        results = dem_closest_points()
        results%distance = dem_output_of(gap_of_list)
        call must(dem_triangle_distance(results, plate, columns, pairs, error=error))
        call check('a list of pairs', all(abs(gap_of_list - [n / 8d0, 0.125d0, 1d0]) <= 1d-12 * n))
        list(2, 3) = n + 1
        status = dem_triangle_distance(results, plate, columns, pairs, error=error)
        print '(2a)', 'one index too many: ', dem_message(error)
        call check('a bad index is refused', status == DEM_ERROR_BAD_INDEX .and. error%index == 2 &
            .and. error%component == 1)
        print '(i0, a, f0.3, a, f0.3)', n, ' distances in both orders of storage, from ', gap(1), ' to ', gap(n)
    end subroutine

    ! One shape, built from a(n,3) and three indices a triangle. Two bodies have it; the second one moves step by step.
    subroutine boxes()
        integer, parameter :: triangles = 12, all_pairs = triangles**2
        real(c_double), parameter :: halo = 0.05d0
        real(c_double), target :: corners(8, 3)
        integer(c_int32_t), target :: faces(3, triangles)
        integer(c_int8_t), allocatable, target :: scratch(:)
        type(dem_triangle_pair) :: pairs(all_pairs)
        type(dem_block) :: block
        type(dem_shape_desc) :: desc
        type(dem_query) :: query
        integer(c_size_t) :: scratch_size, count
        integer(c_int32_t) :: status
        real(c_double) :: distance(triangles, triangles), gap
        integer :: i, k

        corners(:, 1) = [0d0, 1d0, 0d0, 1d0, 0d0, 1d0, 0d0, 1d0]
        corners(:, 2) = [0d0, 0d0, 1d0, 1d0, 0d0, 0d0, 1d0, 1d0]
        corners(:, 3) = [0d0, 0d0, 0d0, 0d0, 1d0, 1d0, 1d0, 1d0]
        faces = reshape([1, 3, 4, 1, 4, 2, 5, 6, 8, 5, 8, 7, 1, 2, 6, 1, 6, 5, &
                         3, 7, 8, 3, 8, 4, 1, 5, 7, 1, 7, 3, 2, 4, 8, 2, 8, 6], [3, triangles])
        desc%vertices = dem_array_of(corners, items=1)
        desc%triangles = dem_indices_of(faces)
        desc%halo = halo
        desc%cells = 0  ! pairs of triangles need none
        block = dem_heap()
        call must(dem_shape_build(block, desc, error))
        query%a = block%start
        query%b = block%start

        status = dem_pairs(pairs, int(all_pairs, c_size_t), 0_c_size_t, count, query, c_null_ptr, 0_c_size_t, error)
        scratch_size = dem_scratch_needed(error)
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
        call dem_free(block)
    end subroutine

    ! Distances of all triangles of a box from all triangles of another box, which is moved.
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
        results = dem_closest_points()
        results%distance = dem_output_of(row)
        do i = 1, size(faces, 2)
            a = transpose(corners(faces(:, i), :))
            call must(dem_triangle_distance(results, one, others, error=error))
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

    ! Ends the program if a call failed, with the library's message.
    subroutine must(status)
        integer(c_int32_t), intent(in) :: status
        if (status < 0) call dem_must(error)
    end subroutine
end program
