// A game engine: 20 meshes, instances with f32 transforms in structs of its own, its threads, points for its solver of impulses, what began and ended to touch, and a rollback of 8 frames.
#include <dem.h>
#include <dem_heap.h>
#include <cstdio>
#include <cstring>
#include "engine.hpp"

int main(int argc, char **argv) {
    const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    const size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100, frames = 180, late = 60, back = 8;
    dem_block meshes[20], scene = dem_heap(), corners = dem_heap();
    dem_placed shapes[21];
    dem_error error;
    for (int m = 0; m < 20; m++) { // bricks, no two alike
        float vertices[8][3];
        for (int i = 0; i < 24; i++) vertices[i / 3][i % 3] = float((i / 3 >> i % 3 & 1) - 0.5) * float(0.8 + 0.2 * std::sin(7 * m + i % 3));
        dem_shape_desc desc = dem_shape_desc_default();
        desc.vertices = dem_array_f32(vertices[0], 8), desc.triangles = dem_indices_u32(triangles[0], 12), desc.halo = 0.02;
        meshes[m] = dem_heap(), dem_must(dem_shape_build(&meshes[m], &desc, &error), &error);
        shapes[m] = dem_placed_mesh(dem_shape_in(&meshes[m]), 1);
    }
    std::vector<Instance> all = pile(n, 20), saved, first; // the last one is the ground
    shapes[20] = dem_placed_half_space(0.02);
    const auto field = [&](const void *data, uint32_t type) { return dem_array{data, all.size(), sizeof(Instance), 0, type, 0}; };
    dem_scene_query query = dem_scene_query_default();
    query.shapes = shapes, query.shape_count = 21, query.skin = 0.05, query.tasks = {run, nullptr, 2, 0};
    query.positions = field(all[0].position, DEM_F32), query.orientations = field(all[0].rotation, DEM_F32);
    query.shape_of = field(&all[0].mesh, DEM_U32), query.motions = field(&all[0].motion, DEM_U32);
    std::vector<char> saved_scene;
    std::vector<dem_contact_event> events, told[2]; // of the frames that are gone through twice
    size_t size = 0, count = 0, heard[4] = {};
    bool same = true;
    for (size_t frame = 0; frame < frames + back; frame++) {
        if (frame == late - back) { // all that the library has to be taken back to is a copy of the scene's bytes
            dem_must(dem_scene_size(&size, dem_scene_in(&scene), &error), &error);
            saved = all, saved_scene.assign(static_cast<char *>(scene.start), static_cast<char *>(scene.start) + size);
        }
        if (frame == late) first = all, all = saved, std::memcpy(scene.start, saved_scene.data(), saved_scene.size());
        dem_scene_contacts found;
        dem_must(dem_scene_step(&scene, nullptr, 0, &query, &error), &error);
        dem_must(dem_scene_manifolds(&scene, &corners, &count, &query, 4, &error), &error);
        dem_must(dem_scene_view(&found, sizeof found, dem_scene_in(&scene), &error), &error);
        std::vector<Point> points;
        for (size_t i = 0, pair = 0; i < count; i++) {
            const dem_contact_corner &c = dem_corners_in(&corners)[i];
            while (found.pairs[pair].end <= c.contact) pair++;
            points.push_back(point(all[found.pairs[pair].a], all[found.pairs[pair].b], c.position, found.contacts[c.contact].normal, c.gap));
        }
        advance(all, points);
        events.resize(found.count + found.last_count); // as many are always enough
        dem_must(dem_scene_events(events.data(), events.size(), &size, dem_scene_in(&scene), &error), &error);
        for (size_t i = 0; i < size; i++) heard[events[i].pair]++;
        if (frame + back >= late && frame < late + back) told[frame >= late].insert(told[frame >= late].end(), events.begin(), events.begin() + size);
        if (frame + 1 == late + back) same = equal(first, all) && equal(told[0], told[1]);
    }
    std::printf("%zu points in the last frame, fastest %.3f, lowest at %.3g; %zu pairs began to touch, %zu ended; after the rollback %s\n", count, fastest(all), lowest(all), heard[DEM_EVENT_BEGIN], heard[DEM_EVENT_END], same ? "the same bits and events" : "OTHERS");
    for (dem_block &mesh : meshes) dem_free(&mesh);
    dem_free(&scene), dem_free(&corners);
    return !same || lowest(all) < 0.2;
}
