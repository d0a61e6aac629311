/* A cube of edge 1 falls on the ground and rests where the contact pressure bears its weight. */
#include <dem_heap.h>

static const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const uint32_t triangles[12][3] = {
    {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

int main(void) {
    const double halo = 0.01, mass = 1, gravity = 9.81, pressure = 100, damping = 150, dt = 1e-3;
    double positions[2][3] = {{0, 0, 0}, {0, 0, 0.5}}, velocity = 0, gap = 0; /* The cube's origin is a corner. */
    const uint32_t kinds[2] = {0, 1};
    dem_block cube = dem_heap(), scene = dem_heap();
    dem_error error;
    dem_must(dem_heap_mesh(&cube, corners[0], 8, triangles[0], 12, halo, &error), &error);
    const dem_placed shapes[2] = {dem_placed_half_space(halo), dem_placed_mesh(dem_shape_in(&cube), 1)}; /* 1: solid */

    dem_scene_query query = dem_scene_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.shape_of = dem_array_u32(kinds, 2);
    query.positions = dem_array_f64(positions[0], 2);
    for (int step = 0; step < 3000; step += 1) {
        double force = -mass * gravity;
        dem_scene_contacts found;
        dem_must(dem_heap_step(&scene, &found, &query, &error), &error);
        for (size_t i = 0; i < found.count; i += 1) {
            const dem_contact *c = dem_contact_at(&found, i);
            gap = c->gap; /* The normal points from body 1, the cube, to body 0. */
            force -= (pressure - damping * velocity) * (1 - gap / c->halo) * c->area * c->normal[2];
        }
        velocity += dt * force / mass;
        positions[1][2] += dt * velocity;
    }
    printf("a cube rests on the ground, gap %.5f, expected %.5f\n", gap, 2 * halo * (1 - mass * gravity / pressure));
    dem_free(&scene);
    dem_free(&cube);
    return gap < 0.0180 || gap > 0.0181;
}
