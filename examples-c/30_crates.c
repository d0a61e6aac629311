/* Six crates fall into a room of triangles, with friction, and come to rest. */
#include <dem_heap.h>

int main(void) {
    const double halo = 0.01, crate_edges[3] = {0.5, 0.4, 0.3}, room_edges[3] = {2, 2, 4}, density = 600, dt = 1e-3;
    dem_block crate = dem_heap(), room = dem_heap(), world = dem_heap();
    dem_mass mass;
    dem_error error;
    dem_must(dem_heap_box(&crate, crate_edges, halo, &error), &error); /* dem_heap_mesh: your triangles */
    dem_must(dem_heap_room(&room, room_edges, halo, &error), &error);
    dem_must(dem_heap_mass(&mass, dem_shape_in(&crate), density, &error), &error);
    dem_placed shapes[2] = {dem_placed_mesh(dem_shape_in(&room), 1), dem_placed_mesh(dem_shape_in(&crate), 1)};
    shapes[1].pose = mass.part_pose; /* The frame of a body has its origin in the centre of mass. */

    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e5); /* pressure where surfaces meet */
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.3;
    law.friction = 0.5;
    law.lag = 1e-3;
    dem_world_query query = dem_world_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.interactions = &law;
    query.interaction_count = 1;

    dem_world_setup setup = dem_world_setup_default();
    setup.gravity[2] = -9.81;
    dem_must(dem_world_build(&world, &setup, &error), &error);
    dem_member member = dem_member_default(); /* a static body at the origin: the room */
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    for (int i = 0; i < 6; i += 1) {
        const dem_pose pose = {{0.6 * (i % 3) - 0.6, 0.7 * (i % 2) - 0.4, 0.1 * i - 1.8}, {0.01, 0.02, 0, 1}};
        member.shape = 1;
        dem_must(dem_body_of_mass(&member.body, &mass, &pose, &error), &error);
        dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    }
    dem_must(dem_world_run(&world, &query, 3, dt, &error), &error);

    dem_world_report report;
    dem_must(dem_world_measure(&report, sizeof report, dem_world_in(&world), NULL, &error), &error);
    printf("six crates lie in a room: kinetic energy %.1e, %d contacts, deepest overlap %.1f %% of both halos\n",
        report.translation + report.rotation, (int)report.contacts, 100 - 50 * report.least_gap / halo);
    dem_free(&world);
    dem_free(&room);
    dem_free(&crate);
    return report.translation > 1e-6 || report.contacts != 6 || report.least_gap < 0;
}
