// Rocks sink in a tank of liquid. A flow solver gives forces and gets velocities in its own arrays,
// window by window. A window whose forces have not converged is taken back and repeated.
#include <dem_heap.h>
#include <dem_world.h>
#include <cmath>
#include <vector>
#include "stl.h"
#include "tank.hpp"

int main(int argc, char **argv) {
    std::puts("Rocks sink in a tank of liquid, coupled with a flow solver.");
    const size_t rocks = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 500;
    const size_t windows = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20;
    const double halo = 0.04, drag = 5;
    float *corners = nullptr;
    const size_t triangles = stl_must_read(&corners, argv[0], "rock_a_1280.stl");
    dem_block rock = dem_heap(), world = dem_heap();
    dem_error error;
    dem_mass mass;
    dem_shape_desc desc = dem_shape_desc_default();
    desc.vertices = dem_array_f32(corners, 3 * triangles);
    desc.halo = halo;
    dem_must(dem_shape_build(&rock, &desc, &error), &error);
    dem_must(dem_heap_mass(&mass, dem_shape_in(&rock), 2.5, &error), &error);
    dem_placed shapes[2] = {dem_placed_half_space(halo), dem_placed_mesh(dem_shape_in(&rock), 1)};
    shapes[1].pose = mass.part_pose; // the frame of bodies is that of the centre of mass
    const dem_interaction law = dashpot_and_friction();
    dem_world_query query = dem_world_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.interactions = &law;
    query.interaction_count = 1;
    query.skin = 0.1;
    dem_must(dem_world_build(&world, nullptr, &error), &error);
    for (const dem_member &member : tank(rocks, mass)) { // five walls, then rocks
        dem_must(dem_world_insert(&world, nullptr, &member, &error), &error);
    }
    std::vector<double> forces(3 * (rocks + 5)), velocities(forces);
    const dem_array in = dem_array_f64(forces.data(), rocks + 5);
    const dem_output out = dem_output_f64(velocities.data(), rocks + 5);
    size_t rounds = 0;
    for (size_t window = 0; window < windows; window++) {
        const char *start = static_cast<char *>(world.start);
        const std::vector<char> checkpoint(start, start + world.size);
        for (double change = 1; change > 1e-6; rounds++) {
            std::memcpy(world.start, checkpoint.data(), checkpoint.size());
            dem_world *now = dem_world_in(&world);
            dem_must(dem_world_set_loads(now, &in, nullptr, &error), &error);
            dem_must(dem_world_run(&world, &query, 0.02, 2e-3, &error), &error);
            now = dem_world_in(&world);
            dem_must(dem_world_states(NULL, NULL, &out, NULL, NULL, now, &error), &error);
            change = flow(forces, velocities, 6 * mass.volume, drag);
        }
    }
    const bool sound = report(world, double(rounds) / double(windows), halo);
    dem_free(&world);
    dem_free(&rock);
    free(corners);
    return sound ? 0 : 1;
}
