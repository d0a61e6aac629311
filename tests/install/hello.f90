! The same in Fortran, with the module of the library that is installed.
program hello
    use dem
    implicit none
    type(dem_triangles) :: a, b
    type(dem_closest_points) :: results
    type(dem_error) :: error
    real(c_double), target :: of_a(3, 3), of_b(3, 3), distance(1)
    integer(c_int32_t) :: status
    of_a = reshape([0d0, 0d0, 0d0, 1d0, 0d0, 0d0, 0d0, 1d0, 0d0], [3, 3])
    of_b = of_a
    of_b(3, :) = 0.25d0
    a = dem_triangles(c_loc(of_a), 1)
    b = dem_triangles(c_loc(of_b), 1)
    results%distance = dem_output_of(distance)
    status = dem_triangle_distance(results, a, b, error=error)
    call dem_must(error)
    print '(f4.2)', distance
end program
