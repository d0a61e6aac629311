/*
 * Bumpy rocks of 80 triangles fall into a box of triangles. A world of the library finds contacts, applies a law with
 * damping and friction, and moves the rocks. The program adds its own force, the drag of a breeze on every rock. Half
 * way it copies the world, continues, and then goes back to the copy.
 *
 * Checked: after going back, the result is the same to the last bit; no rock leaves the box; there are contacts; energy
 * falls.
 *
 * usage: 17_world [rocks [frames]], such as 17_world 1000 150
 */
#include "rocks.h"
#include <dem_world.h>

static const double halo = 0.05, dt = 1e-3, breeze[3] = {0.3, 0.1, 0}, drag = 0.1;

/* One frame: the breeze, then eight steps. */
static void frame(dem_world *world, const dem_world_query *query, void *scratch, size_t scratch_size) {
    dem_error error;
    dem_world_slots slots;
    must(dem_world_view(&slots, sizeof slots, world, &error), &error);
    double (*forces)[3] = (double (*)[3])malloc(slots.count * sizeof *forces);
    if (forces == NULL) {
        exit(2);
    }
    for (size_t i = 0; i < slots.count; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            forces[i][k] = drag * (breeze[k] - dem_slot_body(&slots, i)->velocity[k]);
        }
    }
    const dem_array array = dem_array_f64(forces[0], slots.count);
    must(dem_world_set_loads(world, &array, NULL, &error), &error);
    free(forces);
    must(dem_world_advance(world, query, 8 * dt, dt, scratch, scratch_size, &error), &error);
}

int main(int argc, char **argv) {
    puts("Rocks fall into a box: a world finds contacts, applies a law, and moves them.");
    const int rocks = argc > 1 ? atoi(argv[1]) : 40, frames = argc > 2 ? atoi(argv[2]) : 50;
    const int side = (int)ceil(cbrt(0.6 * rocks));
    const double half = 0.6 * side + 0.2;
    dem_error error;

    /* The shapes of bodies: the box, and a rock in the frame of its centre of mass. */
    mesh stone = rock(halo), tub = box(half, 3.0 * side, halo);
    stone.placed.pose = stone.mass.part_pose;
    const dem_placed shapes[2] = {tub.placed, stone.placed};

    /* The law: damping, friction, and a pressure at which the lowest rock bears all above it at a gap of a tenth of
       the halos. */
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 0);
    must(dem_pressure_for(&law.stiffness, 10 * stone.mass.mass * 2 * side, 0.02, 0.2 * halo, 2 * halo, &error), &error);
    law.damped = DEM_DAMPING_DASHPOT;
    must(dem_damping_for(&law.damping, law.damped, 0.3, 0, &error), &error);
    law.friction = 0.5;

    dem_world_query query = dem_world_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.interactions = &law;
    query.interaction_count = 1;
    query.skin = 0.1;

    /* The world, in one block. */
    dem_world_desc desc = dem_world_desc_default((uint32_t)rocks + 1);
    desc.candidates = desc.contacts = 16 * desc.bodies;
    desc.nodes = 10 * desc.contacts;
    size_t size = 0, needs = 0;
    dem_world *world = NULL;
    must(dem_world_layout(&size, NULL, &desc, &error), &error);
    must(dem_world_init(memory(size), size, &world, &desc, &error), &error);
    dem_world_setup setup = dem_world_setup_default();
    setup.gravity[2] = -10;
    must(dem_world_set_up(world, &setup, &error), &error);
    dem_member member = dem_member_default();
    must(dem_world_add(world, NULL, &member, &error), &error);
    member.shape = 1;
    for (int i = 0; i < rocks; i += 1) {
        const dem_pose pose = {{1.15 * (i % side - 0.5 * (side - 1)), 1.15 * (i / side % side - 0.5 * (side - 1)),
            0.75 + 1.25 * (i / side / side)},
            {sin(i), cos(2 * i), sin(3 * i), 1}};
        must(dem_body_of_mass(&member.body, &stone.mass, &pose, &error), &error);
        must(dem_world_add(world, NULL, &member, &error), &error);
    }
    needs = dem_scratch_needed(dem_world_advance(world, &query, 1, 1, NULL, 0, &error), &error);
    void *scratch = memory(needs), *copy = memory(size);

    dem_world_report begin, end;
    uint64_t first = 0, again = 0;
    must(dem_world_measure(&begin, sizeof begin, world, NULL, &error), &error);
    for (int i = 0; i < frames; i += 1) {
        if (i == frames / 2) {
            memcpy(copy, world, size);
        }
        frame(world, &query, scratch, needs);
    }
    must(dem_world_measure(&end, sizeof end, world, NULL, &error), &error);
    must(dem_world_hash(&first, world, &error), &error);
    printf("%d rocks, time %.2f, %d steps: %d contacts, deepest gap %.3f of T, frequency dt %.2f, kinetic energy "
        "%.3g, potential %.3g of what it was\n", rocks, end.time,
        (int)end.steps, (int)end.contacts, end.least_gap / (2 * halo), end.frequency * end.dt,
            end.translation + end.rotation, end.potential / begin.potential);

    /* Back to the copy, and the same steps again. */
    memcpy(world, copy, size);
    for (int i = frames / 2; i < frames; i += 1) {
        frame(world, &query, scratch, needs);
    }
    must(dem_world_hash(&again, world, &error), &error);
    check("the same after going back", first == again);
    check("energy falls", end.potential + end.translation + end.rotation < begin.potential);
    check("rocks meet each other and the box", frames < 50 || end.contacts > 0);
    dem_world_slots slots;
    must(dem_world_view(&slots, sizeof slots, world, &error), &error);
    for (size_t i = 1; i < slots.count; i += 1) {
        const double *p = dem_slot_body(&slots, i)->position;
        check("a rock stays in the box", fabs(p[0]) < half && fabs(p[1]) < half && p[2] > 0);
    }
    release();
    return mistakes;
}
