/*
 * A bulging membrane throws balls up. Its rim stays in place, and its middle is the fastest. The program takes the
 * steps of a window one by one. Between steps it moves the mesh to the new positions of its vertices. It averages the
 * loads on vertices over the window, for the solver that bends the membrane.
 *
 * Checked: the mean loads add up to the change of momentum of the balls, less gravity, and to the mean wrench of the
 * window; the rim bears nothing; every ball has been pushed, and is in front of the membrane.
 */
#include <dem_world.h>
#include <dem_heap.h>
#include <math.h>
#include <stdio.h>

enum { SIDE = 13, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), BALLS = 5 };
static const double halo = 0.005, radius = 0.05, gravity = 9.81, window = 0.05, most_dt = 2e-4, speed = 2;

/* The velocity of the membrane at a point. Its height there is this velocity times the time. */
static double rise(double x, double y) { return fmax(0, speed * (1 - 4 * x * x) * (1 - 4 * y * y)); }

int main(void) {
    puts("A membrane that bulges throws balls up.");
    static double places[VERTICES][3], velocities[VERTICES][3], load[VERTICES][3], mean[VERTICES][3], scratch[1 << 15];
    static uint32_t triangles[TRIANGLES][3];
    dem_block membrane = dem_heap(), world = dem_heap();
    dem_shape_desc desc = dem_shape_desc_default();
    dem_refit_desc moved = dem_refit_desc_default();
    dem_world_setup setup = dem_world_setup_default();
    dem_world_query query = dem_world_query_default();
    dem_member member = dem_member_default();
    dem_world_slots slots;
    dem_error error;
    for (uint32_t i = 0; i < VERTICES; i += 1) {
        for (uint32_t k = 0; k < 2; k += 1) places[i][k] = (double)(k == 0 ? i % SIDE : i / SIDE) / (SIDE - 1) - 0.5;
        velocities[i][2] = rise(places[i][0], places[i][1]);
    }
    for (uint32_t i = 0; i < TRIANGLES; i += 1) {
        const uint32_t v = i / 2 % (SIDE - 1) + i / 2 / (SIDE - 1) * SIDE;
        /* Each cell is two triangles. */
        const uint32_t two[2][3] = {{0, 1, SIDE + 1}, {0, SIDE + 1, SIDE}};
        for (uint32_t k = 0; k < 3; k += 1) triangles[i][k] = v + two[i % 2][k];
    }
    desc.vertices = moved.vertices = dem_array_f64(places[0], VERTICES);
    desc.triangles = dem_indices_u32(triangles[0], TRIANGLES);
    desc.halo = halo;
    dem_must(dem_shape_build(&membrane, &desc, &error), &error);
    const dem_placed shapes[2] = {dem_placed_mesh(dem_shape_in(&membrane), 0), dem_placed_sphere(radius, halo)};
    const dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 2e5);
    dem_scene_surface surface = dem_surface_of(&shapes[0], 0, 1);
    surface.vertices = dem_array_f64(velocities[0], VERTICES);
    query.shapes = shapes, query.shape_count = 2;
    query.interactions = &law, query.interaction_count = 1;
    query.surfaces = &surface, query.surface_count = 1, query.surface_stride = sizeof surface;
    setup.gravity[2] = -gravity;
    dem_must(dem_world_build(&world, &setup, &error), &error);
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    member.shape = 1;
    for (int i = 0; i < BALLS; i += 1) {
        const double at[3] = {0.15 * i - 0.3, 0.1 * (i % 2), radius + 2 * halo};
        dem_must(dem_body_ball(&member.body, at, radius, 800, &error), &error);
        dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    }
    int steps = 0, wrong = 0;
    for (uint32_t complete = 0; !complete; steps += 1) {
        double step;
        dem_must(dem_world_run_step(&world, &step, &complete, &query, window, most_dt, &error), &error);
        dem_must(dem_world_view(&slots, sizeof slots, dem_world_in(&world), &error), &error);
        dem_array forces = dem_array_f64(slots.acts[0].force, slots.act_count);
        forces.stride = slots.wrench_stride;
        const dem_output loads = dem_output_f64(load[0], VERTICES);
        dem_must(dem_scene_loads(&loads, dem_world_scene(dem_world_in(&world)), &surface, sizeof surface, &forces,
            DEM_LIST_CONTACTS, scratch, sizeof scratch, &error), &error);
        for (int i = 0; i < VERTICES; i += 1) {
            for (int k = 0; k < 3; k += 1) mean[i][k] += step / window * load[i][k];
            places[i][2] = slots.time * velocities[i][2];
        }
        dem_must(dem_shape_refit(dem_shape_in(&membrane), membrane.size, &moved, &error), &error);
    }
    double sum[3] = {0, 0, 0}, off = 0;
    for (int i = 0; i < VERTICES; i += 1) {
        for (int k = 0; k < 3; k += 1) sum[k] += mean[i][k];
        wrong += velocities[i][2] == 0 && mean[i][2] != 0;
    }
    for (int k = 0; k < 3; k += 1) {
        double momentum = 0;
        for (int i = 1; i <= BALLS; i += 1) {
            const dem_body *ball = dem_slot_body(&slots, i);
            momentum += ball->mass * (ball->velocity[k] / window + (k == 2 ? gravity : 0));
        }
        off = fmax(off, fmax(fabs(sum[k] + momentum), fabs(sum[k] - slots.mean_wrenches[0].force[k])) / fabs(sum[2]));
    }
    for (int i = 1; i <= BALLS; i += 1) {
        const double *at = dem_slot_body(&slots, i)->position, up = dem_slot_body(&slots, i)->velocity[2];
        wrong += up < rise(at[0], at[1]) || at[2] < radius + window * rise(at[0], at[1]);
    }
    printf("in %d steps the membrane has borne %.3f on the mean, off by %.0e of the momentum; %d mistakes\n", steps,
        -sum[2], off, wrong);
    dem_free(&world);
    dem_free(&membrane);
    return off > 1e-10 || wrong > 0;
}
