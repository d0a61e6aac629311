// A game engine with 20 meshes: its own structs with f32 transforms, its own threads, contact points
// for its solver of impulses, events of pairs that begin and end to touch, and a rollback of 8 frames.
#include <dem_heap.h>
#include "engine.hpp"

int main(int argc, char **argv) {
    std::puts("A game engine: contact points for impulses, events, a rollback.");
    const size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300;
    const size_t frames = 180, late = 60, back = 8;
    dem_block meshes[20], scene = dem_heap(), corners = dem_heap();
    dem_placed shapes[21];
    dem_error error;
    for (int m = 0; m < 20; m++) {
        meshes[m] = dem_heap();
        dem_must(dem_heap_box(&meshes[m], brick(m).edges, 0.02, &error), &error);
        shapes[m] = dem_placed_mesh(dem_shape_in(&meshes[m]), 1);
    }
    shapes[20] = dem_placed_half_space(0.02);
    Frames game(pile(n, 20)); // the last one is the ground
    dem_scene_query query = dem_scene_query_default();
    query.shapes = shapes;
    query.shape_count = 21;
    query.skin = 0.05;
    query.tasks = {run, nullptr, 2, 0};
    query.positions = game.field(game.all[0].position, DEM_F32);
    query.orientations = game.field(game.all[0].rotation, DEM_F32);
    query.shape_of = game.field(&game.all[0].mesh, DEM_U32);
    query.motions = game.field(&game.all[0].motion, DEM_U32);
    for (size_t frame = 0; frame < frames + back; frame++) {
        if (frame == late - back) { // a copy of the scene's bytes is the whole state of the library
            size_t size;
            dem_must(dem_scene_size(&size, dem_scene_in(&scene), &error), &error);
            game.save(scene.start, size);
        }
        if (frame == late) game.restore(scene.start);
        size_t count;
        dem_scene_contacts found;
        dem_must(dem_heap_step(&scene, &found, &query, &error), &error);
        dem_must(dem_scene_manifolds(&scene, &corners, &count, &query, 4, &error), &error);
        dem_must(dem_scene_view(&found, sizeof found, dem_scene_in(&scene), &error), &error);
        std::vector<Point> points;
        for (size_t i = 0; i < count; i++) {
            const dem_contact_corner &c = dem_corners_in(&corners)[i];
            const dem_contact &contact = *dem_contact_at(&found, c.contact);
            const dem_scene_pair &pair = *dem_pair_at(&found, contact.key[0]);
            Instance &a = game.all[pair.a], &b = game.all[pair.b];
            points.push_back(point(a, b, c.position, contact.normal, c.gap));
        }
        advance(game.all, points);
        std::vector<dem_contact_event> events(found.count + found.last_count); // always enough
        const dem_scene *now = dem_scene_in(&scene);
        dem_must(dem_scene_events(events.data(), events.size(), &count, now, &error), &error);
        events.resize(count);
        game.hear(events, frame + back >= late && frame < late + back, frame >= late);
        if (frame + 1 == late + back) game.compare();
    }
    for (dem_block &mesh : meshes) dem_free(&mesh);
    dem_free(&scene);
    dem_free(&corners);
    return game.told() ? 0 : 1;
}
