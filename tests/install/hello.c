/* A program of somebody else's: the distance of two triangles, by the library that is installed. */
#include <dem_papers.h>
#include <stdio.h>

int main(void) {
    double a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, b[9] = {0, 0, 0.25, 1, 0, 0.25, 0, 1, 0.25}, distance = -1;
    dem_triangles of_a = dem_triangles_f64(a, 1), of_b = dem_triangles_f64(b, 1);
    dem_closest_points results = dem_closest_points_default();
    dem_error error;
    if (dem_version() != DEM_VERSION) {
        return 1;
    }
    results.distance = dem_output_f64(&distance, 1);
    if (dem_triangle_distance(&results, &of_a, &of_b, NULL, NULL, &error) != DEM_OK) {
        return 1;
    }
    printf("%g\n", distance);
    return distance != 0.25;
}

#ifdef WITHOUT_SYSTEM
/* The library without an operating system leaves it to the program what happens if it has a defect. */
void dem_host_panic(const char *message, size_t length) {
    printf("%.*s\n", (int)length, message);
}
#endif
