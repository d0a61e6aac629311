/* A camera shows a cube and a ball on the ground: one ray for each letter of the picture. Letters show how
   much surfaces face the light. */
#include <dem.h>
#include <dem_heap.h>
#include <math.h>
#include <stdio.h>

enum { COLUMNS = 64, ROWS = 24 };

int main(void) {
    puts("A picture by ray casts: a cube and a ball on the ground.");
    static const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1},
        {1, 1, 1}};
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    static dem_ray rays[ROWS * COLUMNS];
    static dem_ray_hit hits[ROWS * COLUMNS];
    const char *shades = " .:-=+*#%@";
    const double light[3] = {0.36, -0.48, 0.8};
    dem_block cube = dem_heap();
    dem_shape_desc desc = dem_shape_desc_default();
    dem_error error;

    desc.vertices = dem_array_f64(corners[0], 8);
    desc.triangles = dem_indices_u32(triangles[0], 12);
    int32_t status = dem_shape_build(&cube, &desc, &error);

    dem_placed parts[3] = {dem_placed_half_space(0), dem_placed_mesh(dem_shape_in(&cube), 1),
        dem_placed_sphere(0.5, 0)};
    parts[2].pose.position[0] = 1.8;
    parts[2].pose.position[1] = 0.5;
    parts[2].pose.position[2] = 0.5;
    dem_compound all = {sizeof all, 0, parts, 3, 0};
    dem_placed scene = dem_placed_compound(&all);

    /* The camera is in front of the scene and looks slightly down. */
    for (int i = 0; i < ROWS * COLUMNS; i += 1) {
        double x = (i % COLUMNS + 0.5) / COLUMNS - 0.5, z = 0.5 - (i / COLUMNS + 0.5) / ROWS;
        dem_ray ray = {{1.15, -3.0, 1.6}, {0.95 * x, 1.0, 0.71 * z - 0.3}, 8.0, UINT32_MAX, 0};
        rays[i] = ray;
    }
    if (status >= 0) status = dem_placed_cast(hits, &scene, rays, ROWS * COLUMNS, &error);

    int met[4] = {0, 0, 0, 0};
    double worst = 0;
    for (int i = 0; status >= 0 && i < ROWS * COLUMNS; i += 1) {
        const dem_ray_hit *hit = &hits[i];
        double shade = 0;
        if (isinf(hit->t)) {
            met[3] += 1;
        } else {
            for (int k = 0; k < 3; k += 1) shade += hit->normal[k] * light[k];
            met[hit->part] += 1;
            if (hit->part == 2) {
                double x = hit->point[0] - 1.8, y = hit->point[1] - 0.5, z = hit->point[2] - 0.5;
                worst = fmax(worst, fabs(sqrt(x * x + y * y + z * z) - 0.5));
            }
            shade = 1 + 8 * fmax(shade, 0);
        }
        putchar(shades[(int)shade]);
        if (i % COLUMNS == COLUMNS - 1) putchar('\n');
    }
    /* All hits along one ray tell how long its parts inside of the cube and the ball are. */
    dem_ray through = {{-1, 0.5, 0.5}, {1, 0, 0}, INFINITY, UINT32_MAX, 0};
    uint64_t end = 0;
    double inside = 0;
    if (status >= 0) status = dem_placed_cast_all(hits, ROWS * COLUMNS, &end, &scene, &through, 1, &error);
    for (uint64_t i = 0; status >= 0 && i < end; i += 1) inside += hits[i].side == 1 ? hits[i].t : -hits[i].t;

    char sentence[DEM_ERROR_TEXT] = "";
    if (status < 0) (void)dem_error_format(sentence, sizeof sentence, NULL, &error);
    printf("%srays on the ground %d, the cube %d, the ball %d, the sky %d; on the ball within %.0e of its surface\n",
        sentence, met[0], met[1], met[2], met[3], worst);
    printf("a ray through both meets %d surfaces, and %.3f of it is inside\n", (int)end, inside);
    dem_free(&cube);
    return status < 0 || met[0] < 100 || met[1] < 100 || met[2] < 100 || met[3] < 100 || worst > 1e-14 || end != 4 ||
        fabs(inside - 2) > 1e-14;
}
