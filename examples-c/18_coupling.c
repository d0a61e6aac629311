/*
 * Rocks sink in a flow, coupled implicitly, in the form that preCICE gives to couplings. In each window both solvers
 * run repeatedly from a checkpoint, until the data that they exchange no longer changes. The world's checkpoint is a
 * copy of its block. The flow solver here is one formula for each rock, a Stokes drag by the velocity at the end of the
 * window, so the exact result is known.
 *
 *     while (coupling_is_ongoing)
 *         if (requires_writing_checkpoint)  copy the block
 *         read forces, dem_world_set_loads, dem_world_advance over the window, write velocities
 *         exchange
 *         if (requires_reading_checkpoint)  copy the block back
 *         else                              the window is complete
 *
 * The drag is so strong that a coupling without repetition, with forces of the window before, would blow up.
 *
 * Checked: going back to a checkpoint restores the hash of the state, and the same forces then give the same hash; the
 * converged result solves the equation of motion with the drag at the end of the window; rocks come to rest on the
 * ground, which bears them; without repetition velocities grow beyond bounds.
 *
 * usage: 18_coupling [windows]
 */
#include "rocks.h"
#include <dem_world.h>

enum { ROCKS = 9, MOST = 60 };
static const double halo = 0.05, window = 0.02, dt = 2e-3, gravity = 10, drag_rate = 150, tolerance = 1e-8;

/* The data that solvers exchange: forces on rocks and their velocities; and the relaxation of forces. */
typedef struct exchange {
    double forces[ROCKS + 1][3], velocities[ROCKS + 1][3], relax[ROCKS + 1][3], change[ROCKS + 1][3];
} exchange;

/* The flow solver: the drag at these velocities, relaxed by Aitken's rule in round 1 and later. Returns how much
   forces still have to change, in weights of a rock. */
static double flow(exchange *data, double mass, int round) {
    const double first = 1 / (1 + drag_rate * window);
    double largest = 0;
    for (int i = 1; i <= ROCKS; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            const double change = -drag_rate * mass * data->velocities[i][k] - data->forces[i][k];
            const double turned = data->change[i][k] - change;
            const double relax = round > 0 && turned != 0 ? data->relax[i][k] * data->change[i][k] / turned : first;
            data->relax[i][k] = fmin(fmax(relax, 0.1 * first), 1);
            data->change[i][k] = change;
            data->forces[i][k] += data->relax[i][k] * change;
            largest = fmax(largest, fabs(change) / (mass * gravity));
        }
    }
    return largest;
}

/* The solver of rocks: reads forces, advances a window, and writes velocities. */
static void solve(dem_world *world, const dem_world_query *query, void *scratch, size_t scratch_size, exchange *data) {
    dem_error error;
    const dem_array forces = dem_array_f64(data->forces[0], ROCKS + 1);
    const dem_output velocities = dem_output_f64(data->velocities[0], ROCKS + 1);
    must(dem_world_set_loads(world, &forces, NULL, &error), &error);
    must(dem_world_advance(world, query, window, dt, scratch, scratch_size, &error), &error);
    must(dem_world_states(NULL, NULL, &velocities, NULL, NULL, world, &error), &error);
}

int main(int argc, char **argv) {
    puts("Rocks sink in a flow: windows are repeated until both solvers agree.");
    const int windows = argc > 1 ? atoi(argv[1]) : 150;
    dem_error error;
    mesh stone = rock(halo);
    const double mass = stone.mass.mass;
    stone.placed.pose = stone.mass.part_pose;
    const dem_placed shapes[2] = {dem_placed_half_space(halo), stone.placed};
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 2e3);
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.5;
    law.friction = 0.5;
    dem_world_query query = dem_world_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.interactions = &law;
    query.interaction_count = 1;

    dem_world_desc desc = dem_world_desc_default(ROCKS + 1);
    desc.nodes = 20000;
    size_t size = 0, needs = 0;
    dem_world *world = NULL;
    must(dem_world_layout(&size, NULL, &desc, &error), &error);
    must(dem_world_init(memory(size), size, &world, &desc, &error), &error);
    dem_world_setup setup = dem_world_setup_default();
    setup.gravity[2] = -gravity;
    must(dem_world_set_up(world, &setup, &error), &error);
    dem_member member = dem_member_default();
    must(dem_world_add(world, NULL, &member, &error), &error);
    member.shape = 1;
    for (int i = 0; i < ROCKS; i += 1) {
        const dem_pose pose = {{1.3 * (i % 3), 1.3 * (i / 3), 0.66 + 0.005 * i}, {sin(i), cos(2 * i), sin(3 * i), 1}};
        must(dem_body_of_mass(&member.body, &stone.mass, &pose, &error), &error);
        must(dem_world_add(world, NULL, &member, &error), &error);
    }
    needs = dem_scratch_needed(dem_world_advance(world, &query, 1, 1, NULL, 0, &error), &error);
    void *scratch = memory(needs), *checkpoint = memory(size);

    /* Without repetition: each window uses the forces computed after the window before. */
    exchange data;
    memset(&data, 0, sizeof data);
    memcpy(checkpoint, world, size);
    double fastest = 0;
    for (int i = 0; i < 8; i += 1) {
        solve(world, &query, scratch, needs, &data);
        for (int k = 1; k <= ROCKS; k += 1) {
            data.forces[k][2] = -drag_rate * mass * data.velocities[k][2];
        }
        fastest = fmax(fastest, fabs(data.velocities[1][2]));
    }
    check("a coupling without repetition blows up", fastest > 10 * gravity * window);
    memcpy(world, checkpoint, size);

    /* With repetition. */
    memset(&data, 0, sizeof data);
    int rounds = 0, most = 0;
    double sinking = 0;
    for (int i = 0; i < windows; i += 1) {
        double before[ROCKS + 1][3], change = 1;
        uint64_t begin = 0, hash = 0, again = 0;
        memcpy(checkpoint, world, size);
        must(dem_world_hash(&begin, world, &error), &error);
        const dem_output old = dem_output_f64(before[0], ROCKS + 1);
        must(dem_world_states(NULL, NULL, &old, NULL, NULL, world, &error), &error);
        int round = 0;
        for (;;) {
            solve(world, &query, scratch, needs, &data);
            must(dem_world_hash(&hash, world, &error), &error);
            const exchange tried = data;
            change = flow(&data, mass, round);
            round += 1;
            if (change < tolerance || round == MOST) {
                if (i % 50 == 0) {
                    /* The same forces from the same checkpoint must give the same bits. */
                    data = tried;
                    memcpy(world, checkpoint, size);
                    solve(world, &query, scratch, needs, &data);
                    must(dem_world_hash(&again, world, &error), &error);
                    check("a window tried again with the same forces", hash == again);
                }
                break;
            }
            memcpy(world, checkpoint, size);
            must(dem_world_hash(&hash, world, &error), &error);
            check("the checkpoint is what it was", hash == begin);
        }
        rounds += round;
        most = round > most ? round : most;
        check("a window converges", change < tolerance);
        if (i == 0) {
            /* All rocks are still free: (v - before) / window = -gravity - drag_rate v. */
            const double expected = -gravity * window / (1 + drag_rate * window);
            sinking = data.velocities[1][2];
            for (int k = 1; k <= ROCKS; k += 1) {
                check("the drag at the end of the window",
                    fabs(data.velocities[k][2] - expected) < 1e-9 && before[k][2] == 0);
            }
        }
    }
    dem_world_report report;
    dem_world_slots slots;
    double bears = 0;
    must(dem_world_measure(&report, sizeof report, world, NULL, &error), &error);
    must(dem_world_view(&slots, sizeof slots, world, &error), &error);
    for (int i = 1; i <= ROCKS; i += 1) {
        bears += slots.mean_wrenches[i].force[2] / (ROCKS * mass * gravity);
    }
    printf("%d windows, %.1f rounds each, at most %d: sinking begins with %.4f; at the end %d contacts, the ground "
        "bears %.3f of the weight, speed %.1e\n", windows, (double)rounds / windows, most, sinking,
        (int)report.contacts, bears, sqrt(2 * report.translation / report.mass));
    if (windows >= 150) {
        check("the ground bears the rocks, but for those that still tip",
            bears > 0.7 && bears < 1.02 && report.contacts >= ROCKS);
    }
    release();
    return mistakes;
}
