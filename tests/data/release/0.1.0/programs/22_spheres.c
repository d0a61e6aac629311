/*
 * Spheres of many sizes in a periodic box, in arrays a(n,3) as in Fortran. The program finds all
 * contacts, and checks those of some spheres by brute force.
 */
#include <dem_heap.h>
#include <math.h>

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

int main(int argc, char **argv) {
    puts("Contacts of spheres of many sizes, in arrays laid out as in Fortran.");
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 300000;
    double *x = (double *)malloc((3 * n + 1) * sizeof *x), volume = 0;
    double *radii = (double *)malloc((n + 1) * sizeof *radii);
    for (size_t i = 0; i < n; i += 1) {
        radii[i] = 0.05 * pow(1 - uniform() * (1 - pow(10, -2.5)), -0.4); /* 0.05 to 0.5 */
        volume += 4.18879 * radii[i] * radii[i] * radii[i];
    }
    const double side = fmax(cbrt(volume / 0.5), 4);
    for (size_t i = 0; i < 3 * n; i += 1) x[i] = side * uniform();

    const dem_placed ball = dem_placed_sphere(1, 0);
    const dem_array centres = {x, n, sizeof *x, n * sizeof *x, DEM_F64, 0};
    dem_block scene = dem_heap();
    dem_scene_contacts found;
    dem_error error;
    dem_scene_query query = dem_scene_query_default();
    query.shapes = &ball;
    query.shape_count = 1;
    query.positions = centres;
    query.scales = dem_array_f64(radii, n);
    for (int k = 0; k < 3; k += 1) query.periods[k] = side;
    dem_must(dem_heap_step(&scene, &found, &query, &error), &error);

    size_t expected = 0, counted = 0;
    for (size_t i = 0; i < n; i += n / 50 + 1) {
        for (size_t j = 0; j < n; j += 1) {
            double square = 0;
            for (size_t k = 0; k < 3; k += 1) {
                const double d = x[i + k * n] - x[j + k * n];
                square += (d - side * round(d / side)) * (d - side * round(d / side));
            }
            expected += i != j && square < (radii[i] + radii[j]) * (radii[i] + radii[j]);
        }
        for (size_t k = 0; k < found.pair_count; k += 1) {
            counted += dem_pair_at(&found, k)->a == i || dem_pair_at(&found, k)->b == i;
        }
    }
    printf("%zu spheres, %zu contacts, %.0f MB;", n, found.count, 1e-6 * (double)scene.size);
    printf(" fifty spheres have %zu of them, by brute force %zu\n", counted, expected);
    dem_free(&scene);
    free(x);
    free(radii);
    return counted != expected;
}
