/*
 * A box on a conveyor belt. The belt is a mesh that stays in place while its vertices have velocities, like those of a
 * wall that a flow or a structure moves. `surfaces` of the query has these velocities, so friction takes the box along.
 * dem_scene_loads computes the load on each vertex. The vertices below the box share its weight, because `bodies` of
 * the surface tells which bodies lie on the belt.
 *
 * Checked: the box goes as far as friction mu takes it, v t - v^2 / (2 mu g); at the end the vertices below it bear
 * its weight and no others do, nothing pulls, the moment about the middle of the belt is that of the weight, and
 * nothing acts along the belt.
 */
#include <dem_world.h>
#include <dem_heap.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 9, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), BELT = 0 };
static const double halo = 0.005, dt = 5e-4, g = 9.81, mu = 0.3, speed = 0.5;

int main(void) {
    puts("A conveyor belt takes a box along by friction.");
    static double corners[VERTICES][3], moving[VERTICES][3], bears[VERTICES][3], scratch[1 << 17];
    static uint32_t triangles[TRIANGLES][3];
    const double edges[3] = {0.2, 0.2, 0.1}, time = 0.6;
    dem_block belt = dem_heap(), box = dem_heap(), world = dem_heap();
    dem_shape_desc desc = dem_shape_desc_default();
    dem_world_setup setup = dem_world_setup_default();
    dem_world_query query = dem_world_query_default();
    dem_member member = dem_member_default();
    dem_mass mass;
    dem_error error;

    for (uint32_t i = 0; i < VERTICES; i += 1) {
        corners[i][0] = 0.1 * (i % SIDE) - 0.4;
        corners[i][1] = 0.1 * (i / SIDE) - 0.4;
        moving[i][0] = speed;
    }
    for (uint32_t i = 0; i < TRIANGLES; i += 1) {
        const uint32_t v = i / 2 % (SIDE - 1) + i / 2 / (SIDE - 1) * SIDE;
        /* Each cell is two triangles. */
        const uint32_t two[2][3] = {{0, 1, SIDE + 1}, {0, SIDE + 1, SIDE}};
        for (uint32_t k = 0; k < 3; k += 1) triangles[i][k] = v + two[i % 2][k];
    }
    desc.vertices = dem_array_f64(corners[0], VERTICES);
    desc.triangles = dem_indices_u32(triangles[0], TRIANGLES);
    desc.halo = halo;
    dem_must(dem_shape_build(&belt, &desc, &error), &error);
    dem_must(dem_heap_box(&box, edges, halo, &error), &error);
    dem_must(dem_heap_mass(&mass, dem_shape_in(&box), 1000, &error), &error);
    dem_placed shapes[2] = {dem_placed_mesh(dem_shape_in(&belt), 0), dem_placed_mesh(dem_shape_in(&box), 1)};
    shapes[1].pose = mass.part_pose; /* in the frame of its bodies */
    query.shapes = shapes;
    query.shape_count = 2;
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e5);
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.5;
    law.friction = mu;
    law.lag = 1e-3;
    query.interactions = &law;
    query.interaction_count = 1;
    setup.gravity[2] = -g;
    dem_must(dem_world_build(&world, &setup, &error), &error);
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    const dem_pose at = {{-0.1, 0.03, 0.05 + 1.98 * halo}, {0, 0, 0, 1}};
    dem_must(dem_body_of_mass(&member.body, &mass, &at, &error), &error);
    member.shape = 1;
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error);

    dem_scene_surface surface = dem_surface_of(&shapes[0], BELT, 1);
    surface.vertices = dem_array_f64(moving[0], VERTICES);
    query.surfaces = &surface;
    query.surface_count = 1;
    dem_must(dem_world_run(&world, &query, time, dt, &error), &error);
    dem_world_slots slots;
    dem_must(dem_world_view(&slots, sizeof slots, dem_world_in(&world), &error), &error);
    const double gone = dem_slot_body(&slots, 1)->position[0] - at.position[0],
        expected = speed * time - speed * speed / (2 * mu * g);
    /* The bodies of the step: shapes and scales of the slots. Poses come from the step itself. */
    dem_scene_query there = dem_scene_query_default();
    there.shapes = shapes;
    there.shape_count = 2;
    there.shape_of = dem_array_u32(slots.shapes, slots.count);
    there.scales = dem_array_f64(slots.scales, slots.count);
    there.ids.data = slots.ids;
    there.ids.count = slots.count;
    there.ids.type = DEM_U64;
    there.positions = dem_array_f64(slots.bodies[0].position, slots.count);
    there.positions.stride = slots.body_stride;
    surface.bodies = &there;
    dem_array forces = dem_array_f64(slots.acts[0].force, slots.act_count);
    forces.stride = sizeof slots.acts[0];
    const dem_output loads = dem_output_f64(bears[0], VERTICES);
    dem_must(dem_scene_loads(&loads, dem_world_scene(dem_world_in(&world)), &surface, sizeof surface, &forces,
        DEM_LIST_CONTACTS, scratch, sizeof scratch, &error), &error);
    const double weight = mass.mass * g, *middle = dem_slot_body(&slots, 1)->position;
    double all[3] = {0, 0, 0}, moment[2] = {0, 0};
    int bearing = 0, wrong = 0;
    for (int i = 0; i < VERTICES; i += 1) {
        const int below = fabs(corners[i][0] - middle[0]) < 0.2 && fabs(corners[i][1] - middle[1]) < 0.2;
        bearing += bears[i][2] < 0;
        wrong += bears[i][2] > 1e-6 * weight || (!below && bears[i][2] < 0);
        for (int k = 0; k < 3; k += 1) all[k] += bears[i][k];
        for (int k = 0; k < 2; k += 1) moment[k] -= corners[i][k] * bears[i][2] / weight;
    }
    printf("the belt has taken a box along by %.4f, by friction %.4f; %d of its vertices bear %.3f of the weight, "
        "and %.3f along; their middle is %.4f beside that of the box\n", gone, expected, bearing, -all[2] / weight,
           all[0] / weight, hypot(moment[0] - middle[0], moment[1] - middle[1]));
    wrong += bearing < 9 || hypot(moment[0] - middle[0], moment[1] - middle[1]) > 1e-3;
    dem_free(&world);
    dem_free(&belt);
    dem_free(&box);
    return fabs(gone / expected - 1) > 0.01 || fabs(-all[2] / weight - 1) > 0.01 || fabs(all[0]) > 0.003 * weight ||
        wrong > 0;
}
