// Rocks that sink in a liquid, as a flow solver is coupled with them: its own arrays, forces in, velocities out, window by window; a window whose forces have not converged is taken back.
#include <dem_world.h>
#include <dem_heap.h>
#include <cmath>
#include <cstdio>
#include <vector>
#include "stl.h"

int main(int argc, char **argv) {
    size_t rounds = 0, rocks = 9, windows = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
    const double halo = 0.04, width = 3.9, drag = 5;
    float *corners = nullptr;
    const size_t triangles = stl_must_read(&corners, argv[0], "rock_a_1280.stl");
    dem_block rock = dem_heap(), world = dem_heap();
    dem_error error;
    dem_mass mass;
    dem_shape_desc desc = dem_shape_desc_default();
    desc.vertices = dem_array_f32(corners, 3 * triangles), desc.halo = halo;
    dem_must(dem_shape_build(&rock, &desc, &error), &error);
    dem_must(dem_heap_mass(&mass, dem_shape_in(&rock), 2.5, &error), &error);
    dem_placed shapes[2] = {dem_placed_half_space(halo), dem_placed_mesh(dem_shape_in(&rock), 1)};
    shapes[1].pose = mass.part_pose; // a body's frame is that of its centre of mass
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e4);
    law.damped = DEM_DAMPING_DASHPOT, law.damping = 0.5, law.friction = 0.4;
    dem_world_query query = dem_world_query_default();
    query.shapes = shapes, query.shape_count = 2, query.interactions = &law, query.interaction_count = 1, query.skin = 0.1;
    dem_world_setup setup = dem_world_setup_default();
    setup.periods[0] = setup.periods[1] = width;
    dem_must(dem_world_build(&world, &setup, &error), &error);
    dem_member member = dem_member_default(); // first the ground, then rocks above it
    dem_must(dem_world_insert(&world, nullptr, &member, &error), &error);
    member.shape = 1;
    for (size_t i = 0; i < rocks; i++) {
        const dem_pose pose = {{1.3 * double(i % 3) + 0.65, 1.3 * double(i / 3 % 3) + 0.65, 1.3 * double(i / 9) + 0.7}, {0, 0, std::sin(i), std::cos(i)}};
        dem_must(dem_body_of_mass(&member.body, &mass, &pose, &error), &error);
        dem_must(dem_world_insert(&world, nullptr, &member, &error), &error);
    }
    std::vector<double> forces(3 * (rocks + 1)), velocities(forces);
    const dem_array in = dem_array_f64(forces.data(), rocks + 1);
    const dem_output out = dem_output_f64(velocities.data(), rocks + 1);
    for (size_t w = 0; w < windows; w++) {
        const std::vector<char> checkpoint(static_cast<char *>(world.start), static_cast<char *>(world.start) + world.size);
        for (double change = 1; change > 1e-6; rounds++) {
            memcpy(world.start, checkpoint.data(), checkpoint.size());
            dem_must(dem_world_set_loads(dem_world_in(&world), &in, nullptr, &error), &error);
            dem_must(dem_world_run(&world, &query, 0.02, 2e-3, &error), &error);
            dem_must(dem_world_states(nullptr, nullptr, &out, nullptr, nullptr, dem_world_in(&world), &error), &error);
            change = 0;
            for (size_t i = 3; i < forces.size(); i++) { // what the flow does: weight less lift, and drag at the end of the window
                const double force = (i % 3 == 2 ? -6 * mass.volume : 0) - drag * velocities[i];
                change = std::fmax(change, std::fabs(force - forces[i])), forces[i] = force;
            }
        }
    }
    dem_world_report report;
    dem_must(dem_world_measure(&report, sizeof report, dem_world_in(&world), nullptr, &error), &error);
    std::printf("%zu windows, %.1f rounds each: %d contacts, kinetic energy %.1e, least gap %.3f of the halos\n", windows, double(rounds) / double(windows), int(report.contacts), report.translation + report.rotation, report.least_gap / (2 * halo));
    dem_free(&world), dem_free(&rock), free(corners);
    return report.least_gap < 0 || (windows >= 100 && report.translation > 0.05);
}
