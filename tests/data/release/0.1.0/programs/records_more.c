/*
 * The rest of what records.c begins: all structs with a size or a stride that it does not use. Prints what it finds,
 * which must be the same with shorter and longer records. Nothing behind its arrays may change.
 */
#include <dem_broad.h>
#include <dem_heap.h>
#include <dem_mesh.h>
#include <dem_pair.h>
#include <dem_papers.h>
#include <dem_world.h>
#include <string.h>

static const char guard[32] = "nothing may be written from here";
static double scratch[1 << 17];
static dem_error error;

/* A record, or a list of them, and behind it what has to stay. */
#define GUARDED(type, name, many) \
    struct { \
        type list[many]; \
        char behind[32]; \
    } name; \
    memset(&name, 0, sizeof name); \
    memcpy(name.behind, guard, sizeof guard)
#define UNTOUCHED(name) is_untouched(#name, name.behind)

static void is_untouched(const char *what, const char *behind) {
    if (memcmp(behind, guard, sizeof guard) == 0) return;
    printf("%s: written behind the end\n", what);
    exit(1);
}

static void triangles(void) {
    const double corners[2][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0.5}, {1, 0, 0.5}, {0, 1, 0.5}}};
    const dem_triangles a = {corners[0], 1, 0, 0, 0, DEM_F64, 0}, b = {corners[1], 1, 0, 0, 0, DEM_F64, 0};
    dem_closest_points near = dem_closest_points_default();
    dem_triangle_options options = dem_triangle_options_default();
    dem_contact_results results = dem_contact_results_default();
    dem_contact_options how = dem_contact_options_default();
    double distance = 0, bound = 0;
    GUARDED(dem_contact_statistics, told, 1);
    near.distance = dem_output_f64(&distance, 1);
    dem_must(dem_triangle_distance(&near, &a, &b, NULL, &options, &error), &error);
    printf("triangles %.17g apart\n", distance);
    how.threshold = 0.75;
    results.distance = dem_output_f64(&bound, 1);
    dem_must(dem_triangle_contacts(&results, told.list, sizeof told.list[0], &a, &b, NULL, &how, &error), &error);
    UNTOUCHED(told);
    printf("by an iteration %.17g, %llu contacts\n", bound, (unsigned long long)told.list[0].contacts);
}

static void neighbours(void) {
    const double places[2][3][3] = {{{0, 0, 0}, {0.9, 0, 0}, {5, 0, 0}}, {{0, 0, 0}, {0.8, 0, 0}, {5, 0, 0}}};
    const double radii[3] = {0.5, 0.5, 0.5}, low[3] = {4, -1, -1}, high[3] = {6, 1, 1};
    dem_near_query then = dem_near_query_default(), now;
    dem_near_boxes boxes = dem_near_boxes_default();
    dem_grid_desc desc = dem_grid_desc_default();
    dem_near_pair pairs[8];
    dem_grid *grid = NULL;
    size_t size = 0, count = 0;
    GUARDED(dem_near_motion, moved, 1);
    GUARDED(dem_box_pair, in_boxes, 8);
    then.centres = dem_array_f64(places[0][0], 3);
    then.radii = dem_array_f64(radii, 3);
    now = then;
    now.centres = dem_array_f64(places[1][0], 3);
    dem_must(dem_near_moved(moved.list, sizeof moved.list[0], &then, &now, scratch, sizeof scratch, &error), &error);
    UNTOUCHED(moved);
    printf("moved by %.17g\n", moved.list[0].farthest);
    desc.bodies = 3;
    dem_must(dem_grid_layout(&size, NULL, &desc, &error), &error);
    void *memory = malloc(size + DEM_ALIGN);
    dem_must(dem_grid_init(dem_align(memory), size, &grid, &desc, &error), &error);
    dem_must(dem_grid_pairs(grid, pairs, 8, 0, &count, &now, NULL, 0, scratch, sizeof scratch, &error), &error);
    printf("%zu near pairs\n", count);
    free(memory);
    boxes.lows = dem_array_f64(low, 1);
    boxes.highs = dem_array_f64(high, 1);
    dem_must(dem_box_pairs(in_boxes.list, 8, sizeof in_boxes.list[0], &count, &now, &boxes, scratch, sizeof scratch,
        &error), &error);
    UNTOUCHED(in_boxes);
    for (size_t i = 0; i < count; i += 1) printf("body %u is near box %u\n", in_boxes.list[i].body,
        in_boxes.list[i].huge);
}

static void a_mesh(dem_block *box) {
    const double corners[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
    const double points[2][3] = {{0, 0, 1}, {0, 0, 0.25}};
    dem_shape *shape = dem_shape_in(box);
    dem_inspect_options options = dem_inspect_options_default();
    dem_refit_desc refit = dem_refit_desc_default();
    dem_point_query query = dem_point_query_default();
    dem_point_results results = dem_point_results_default();
    double distances[2] = {0, 0};
    size_t count = 0;
    GUARDED(dem_finding, findings, 64);
    GUARDED(dem_component, components, 8);
    GUARDED(dem_shape_info, info, 1);
    dem_must(dem_shape_findings(findings.list, 64, sizeof findings.list[0], &count, shape, &options, scratch,
        sizeof scratch, &error), &error);
    UNTOUCHED(findings);
    printf("%zu findings\n", count);
    dem_must(dem_shape_components(components.list, 8, sizeof components.list[0], &count, shape, &options, scratch,
        sizeof scratch, &error), &error);
    UNTOUCHED(components);
    for (size_t i = 0; i < count; i += 1) printf("component of volume %.17g\n", components.list[i].volume);
    dem_must(dem_shape_describe(info.list, sizeof info.list[0], shape, &error), &error);
    UNTOUCHED(info);
    printf("%u triangles\n", (unsigned)info.list[0].triangles);
    query.shape = shape;
    query.points = dem_array_f64(points[0], 2);
    results.distance = dem_output_f64(distances, 2);
    dem_must(dem_point_distance(&results, &query, scratch, sizeof scratch, &error), &error);
    printf("points %.17g and %.17g away\n", distances[0], distances[1]);
    refit.vertices = dem_array_f64(corners, 8);
    dem_must(dem_shape_refit(shape, box->size, &refit, &error), &error);
    dem_must(dem_point_distance(&results, &query, scratch, sizeof scratch, &error), &error);
    printf("points %.17g and %.17g away\n", distances[0], distances[1]);
}

static void velocities(const dem_shape *box) {
    const double places[2][3] = {{0, 0, 0}, {0, 0, 1.01}}, speeds[2][3] = {{0, 0, 0}, {0, 0, -2}};
    double moving[8][3] = {{0, 0, 1}}, found[64][3], loads[8][3];
    dem_placed parts[2] = {dem_placed_mesh(box, 1), dem_placed_sphere(0.25, 0.02)};
    dem_compound compound = dem_compound_default();
    dem_scene_desc desc = dem_scene_desc_default();
    dem_scene_query query = dem_scene_query_default();
    dem_scene_motion motion = dem_scene_motion_default();
    dem_scene_contacts view;
    dem_scene *scene = NULL;
    dem_motion at[2] = {dem_motion_default(), dem_motion_default()};
    size_t size = 0;
    desc.bodies = 2;
    desc.contacts = desc.candidates = 64;
    dem_must(dem_scene_layout(&size, NULL, &desc, &error), &error);
    void *memory = malloc(size + DEM_ALIGN);
    dem_must(dem_scene_init(dem_align(memory), size, &scene, &desc, &error), &error);
    compound.parts = parts;
    compound.count = 2;
    const dem_placed shapes[2] = {parts[0], dem_placed_compound(&compound)};
    const uint32_t kinds[2] = {0, 1};
    query.shapes = shapes;
    query.shape_count = 2;
    query.shape_stride = sizeof(dem_placed);
    query.shape_of = dem_array_u32(kinds, 2);
    query.positions = dem_array_f64(places[0], 2);
    dem_must(dem_scene_detect(scene, NULL, 0, &query, scratch, sizeof scratch, &error), &error);
    dem_must(dem_scene_view(&view, sizeof view, scene, &error), &error);
    dem_scene_surface surface = dem_surface_of(&shapes[0], 0, 1);
    surface.vertices = dem_array_f64(moving[0], 8);
    motion.velocities = dem_array_f64(speeds[0], 2);
    motion.surfaces = &surface;
    motion.surface_count = 1;
    motion.surface_stride = sizeof surface;
    dem_must(dem_scene_velocities(found[0], scene, &motion, NULL, scratch, sizeof scratch, &error), &error);
    for (size_t i = 0; i < view.count; i += 1) printf("velocity of a contact %.17g\n", found[i][2]);
    const dem_array forces = dem_array_f64(found[0], view.count);
    const dem_output to = dem_output_f64(loads[0], 8);
    dem_must(dem_scene_loads(&to, scene, &surface, sizeof surface, &forces, DEM_LIST_CONTACTS, scratch,
        sizeof scratch, &error), &error);
    for (int i = 0; i < 8; i += 1) printf("load of a vertex %.17g\n", loads[i][2]);
    at[1].velocity[2] = -2;
    dem_must(dem_contact_velocities(found[0], view.contacts, view.count, view.contact_stride, &at[0], &at[1],
        scratch, sizeof scratch, &error), &error);
    for (size_t i = 0; i < view.count; i += 1) printf("velocity of rigid bodies %.17g\n", found[i][2]);
    free(memory);
}

static void a_world(void) {
    dem_world_desc desc = dem_world_desc_default(3), told;
    dem_world *world = NULL;
    size_t size = 0;
    dem_must(dem_world_layout(&size, NULL, &desc, &error), &error);
    void *memory = malloc(size + DEM_ALIGN);
    dem_must(dem_world_init(dem_align(memory), size, &world, &desc, &error), &error);
    GUARDED(dem_world_desc, room, 1);
    dem_must(dem_world_room(room.list, sizeof room.list[0], world, &error), &error);
    UNTOUCHED(room);
    told = room.list[0];
    printf("room for %u bodies and %u contacts\n", told.bodies, told.contacts);
    free(memory);
}

int main(void) {
    const double edges[3] = {1, 1, 1};
    double corners[24];
    uint32_t faces[36];
    dem_block box = dem_heap();
    dem_shape_desc desc = dem_shape_desc_default();
    dem_must(dem_box_mesh(corners, faces, edges, &error), &error);
    desc.vertices = dem_array_f64(corners, 8);
    desc.triangles = dem_indices_u32(faces, 12);
    desc.halo = 0.02;
    dem_must(dem_shape_build(&box, &desc, &error), &error);
    triangles();
    neighbours();
    velocities(dem_shape_in(&box));
    a_mesh(&box);
    a_world();
    dem_free(&box);
    return 0;
}
