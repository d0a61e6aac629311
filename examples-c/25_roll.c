/*
 * A cylinder and a capsule roll down a slope, and friction holds a box. The program gives only their dimensions.
 * Checked: the cylinder rolls by g sin(slope) / 3 times the square of the time, like one without facets; the capsule
 * rolls as far as its moment of inertia predicts.
 */
#include <dem_world.h>
#include <dem_heap.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    puts("A cylinder and a capsule roll down a slope, and a box stays.");
    const double radius = 0.5, length = 1, halo = 0.02, slope = 0.2, g = 9.81, dt = 1e-3, time = 2,
        edges[3] = {1, 1, 0.5};
    const double half = 0.70710678118654752, gap = 1.9 * halo, stiffness = 1e5;
    dem_block roll = dem_heap(), box = dem_heap(), world = dem_heap();
    dem_world_setup setup = dem_world_setup_default();
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, stiffness);
    dem_world_query query = dem_world_query_default();
    dem_member member = dem_member_default();
    dem_mass mass[3];
    dem_error error;
    double positions[4][3];
    size_t facets = 0;

    dem_must(dem_heap_cylinder(&roll, &facets, radius, length, halo, &error), &error);
    dem_must(dem_heap_box(&box, edges, halo, &error), &error);
    dem_must(dem_heap_mass(&mass[0], dem_shape_in(&roll), 1000, &error), &error);
    dem_must(dem_heap_mass(&mass[1], dem_shape_in(&box), 1000, &error), &error);
    dem_placed shapes[4] = {dem_placed_half_space(halo), dem_placed_mesh(dem_shape_in(&roll), 1),
        dem_placed_mesh(dem_shape_in(&box), 1),
        dem_placed_capsule(0.5 * length, radius, halo)};
    dem_must(dem_heap_placed_mass(&mass[2], &shapes[3], 1000, &error), &error);
    shapes[1].pose = mass[0].part_pose; /* Frames of bodies have the principal axes. */
    shapes[2].pose = mass[1].part_pose;
    shapes[3].pose = mass[2].part_pose;
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.02;
    law.friction = 0.6;
    query.shapes = shapes;
    query.shape_count = 4;
    query.interactions = &law;
    query.interaction_count = 1;
    setup.gravity[0] = g * sin(slope);
    setup.gravity[2] = -g * cos(slope);
    dem_must(dem_world_build(&world, &setup, &error), &error);
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error); /* the slope, which is level here */
    for (uint32_t i = 0; i < 3; i += 1) {
        const dem_pose lying = {{0, i == 0 ? 0 : -3.0, radius + gap}, {half, 0, 0, half}},
            flat = {{0, 3, 0.5 * edges[2] + gap}, {0, 0, 0, 1}};
        member.shape = i + 1;
        dem_must(dem_body_of_mass(&member.body, &mass[i], i == 1 ? &flat : &lying, &error), &error);
        dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    }
    dem_must(dem_world_run(&world, &query, time, dt, &error), &error);
    const dem_output out = dem_output_f64(positions[0], 4);
    dem_must(dem_world_states(&out, NULL, NULL, NULL, NULL, dem_world_in(&world), &error), &error);
    const double rolled = g * sin(slope) / 3 * time * time, slid = fabs(positions[2][0]);
    const double slow = 1 + mass[2].moments[0] / (mass[2].mass * radius * radius),
        along = g * sin(slope) / 2 * time * time / slow;
    printf("a cylinder of %zu facets has rolled %.4f, by theory %.4f; the box has moved by %.4f\n", facets,
        positions[1][0], rolled, slid);
    printf("a capsule has rolled %.4f, by theory %.4f\n", positions[3][0], along);
    dem_free(&world);
    dem_free(&roll);
    dem_free(&box);
    return fabs(positions[1][0] / rolled - 1) > 0.015 || fabs(positions[3][0] / along - 1) > 0.015 || slid > 0.02;
}
