/*
 * Every field of every input struct with a value that is wrong. A line for each: the struct and the field, a tab, and the message of the
 * error. `--test c_fields` looks whether the message has the name of the field, and whether a field is missing here.
 */
#include <dem.h>
#include <dem_broad.h>
#include <dem_heap.h>
#include <dem_mesh.h>
#include <dem_pair.h>
#include <dem_papers.h>
#include <dem_world.h>
#include <math.h>
#include <string.h>

static dem_error error;
static double scratch[1 << 18];

static void told(const char *name, int32_t status) {
    char text[DEM_ERROR_TEXT] = "";
    dem_must(dem_error_format(text, sizeof text, NULL, &error), NULL);
    printf("%s\t%s\n", name, status < 0 ? text : "accepted");
}

/* A cube of edge 1, and two of them on each other. */
static const double corners[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const uint32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
static const double places[2][3] = {{0, 0, 0}, {0, 0, 1.005}};
static const uint32_t words[2] = {0, 9};
static const uint64_t ids[2] = {3, 3};
static const double numbers[8] = {1, -1, 0, 0, 0, 0, 0, 0};
static const double turned[2][4] = {{0, 0, 0, 1}, {0, 0, 0, 0}};
static double out[64];
static dem_block cube, scene, world;
static dem_placed shapes[2];

static dem_array doubles(const double *data, size_t count) {
    return dem_array_f64(data, count);
}

/* Arrays that are wrong in each of their fields: the stem is the field that is an array. */
#define EACH_OF_ARRAY(POKE, field) \
    POKE(field.type, 9); POKE(field.reserved, 7); POKE(field.stride, 3); POKE(field.component_stride, 3)
#define EACH_OF_OUTPUT(POKE, field) \
    POKE(field.type, 9); POKE(field.reserved, 7); POKE(field.stride, 3); POKE(field.component_stride, 3)

static dem_shape_desc description(void) {
    dem_shape_desc desc = dem_shape_desc_default();
    desc.vertices = doubles(corners[0], 8);
    desc.triangles = dem_indices_u32(faces[0], 12);
    desc.halo = 0.01;
    return desc;
}

#define OF(STRUCT, make, call, field, value) \
    do { \
        STRUCT it = make; \
        it.field = value; \
        told(#STRUCT "." #field, call); \
    } while (0)

static int32_t build(const dem_shape_desc *desc) {
    dem_block block = dem_heap();
    int32_t status = dem_shape_build(&block, desc, &error);
    dem_free(&block);
    return status;
}

static void shape_descriptions(void) {
#define POKE(field, value) OF(dem_shape_desc, description(), build(&it), field, value)
    POKE(struct_size, 3);
    POKE(cells, 7);
    POKE(halo, -1);
    POKE(halo, NAN);
    POKE(stored, 9);
    POKE(preset, 9);
    POKE(fan_out, 1);
    POKE(leaf, 99);
    POKE(isa, 99);
    POKE(law, 9);
    POKE(flat, -1);
    POKE(angle, 9);
    POKE(vertices.data, NULL);
    EACH_OF_ARRAY(POKE, vertices);
    POKE(triangles.data, NULL);
    POKE(triangles.type, 9);
    POKE(triangles.base, 3);
    POKE(triangles.stride, 3);
    POKE(triangles.component_stride, 3);
    POKE(halos, doubles(numbers, 3));
    POKE(halos, doubles(numbers, 12));
#undef POKE
}

static int32_t refit(const dem_refit_desc *desc) {
    return dem_shape_refit(dem_shape_in(&cube), cube.size, desc, &error);
}

static dem_refit_desc refitting(void) {
    dem_refit_desc desc = dem_refit_desc_default();
    desc.vertices = doubles(corners[0], 8);
    return desc;
}

static void refits(void) {
#define POKE(field, value) OF(dem_refit_desc, refitting(), refit(&it), field, value)
    POKE(struct_size, 3);
    POKE(how, 9);
    POKE(halo, -2);
    POKE(isa, 99);
    POKE(reserved, 7);
    EACH_OF_ARRAY(POKE, vertices);
    POKE(halos, doubles(numbers, 3));
#undef POKE
}

static dem_scene_query scene_query(const dem_placed *table) {
    dem_scene_query query = dem_scene_query_default();
    query.shapes = table;
    query.shape_count = 2;
    query.positions = doubles(places[0], 2);
    return query;
}

static int32_t step(const dem_scene_query *query) {
    dem_block block = dem_heap();
    int32_t status = dem_scene_step(&block, NULL, 0, query, &error);
    dem_free(&block);
    return status;
}

static dem_array of_words(size_t count) {
    return dem_array_u32(words, count);
}

static void scene_queries(void) {
#define POKE(field, value) OF(dem_scene_query, scene_query(shapes), step(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(shapes, NULL);
    POKE(shape_stride, 3);
    POKE(grouping, 9);
    POKE(pairs, SIZE_MAX);
    POKE(pair_contacts, SIZE_MAX);
    POKE(tasks.reserved, 9);
    POKE(periods[1], -1);
    POKE(periods[1], NAN);
    POKE(bound, NAN);
    POKE(bound, -1);
    POKE(skin, -1);
    POKE(margin, -1);
    POKE(margin, NAN);
    EACH_OF_ARRAY(POKE, positions);
    POKE(positions.data, NULL);
    POKE(orientations, doubles(turned[0], 2));
    POKE(scales, doubles(numbers, 2));
    POKE(halos, doubles(numbers, 2));
    POKE(shape_of, of_words(2));
    POKE(motions, of_words(2));
    POKE(groups, of_words(1));
    POKE(masks, of_words(1));
    POKE(ids, ((dem_array){ids, 2, 0, 0, DEM_U64, 0}));
    POKE(angle, 9);
    POKE(energies, 7);
    POKE(spreads, 7);
#undef POKE
}

static int32_t step_with(int which, const dem_placed *changed) {
    dem_placed table[2] = {shapes[0], shapes[1]};
    table[which] = *changed;
    dem_scene_query query = scene_query(table);
    query.shape_of = dem_array_u32((const uint32_t[]){0, 1}, 2);
    return step(&query);
}

static void bodies(void) {
#define POKE(which, field, value) OF(dem_placed, shapes[which], step_with(which, &it), field, value)
    POKE(1, kind, 9);
    POKE(0, solid, 9);
    POKE(0, shape, NULL);
    POKE(1, shape, NULL; it.kind = DEM_KIND_COMPOUND);
    POKE(0, reserved, 1);
    POKE(1, radius, -1);
    POKE(1, radius, NAN);
    POKE(1, halo, -1);
    POKE(1, half_length, 1);
    POKE(1, half_length, -1; it.kind = DEM_KIND_CAPSULE);
    POKE(1, reserved_lengths[0], 1);
    POKE(1, reserved_lengths[1], 1);
    POKE(1, pose.position[0], NAN);
    POKE(1, pose.orientation[3], NAN);
    POKE(1, pose.orientation[3], 0; it.pose.position[0] = 1);
#undef POKE
}

static int32_t step_compound(const dem_compound *compound) {
    dem_placed body = dem_placed_compound(compound);
    return step_with(1, &body);
}

static dem_compound of_two(void) {
    dem_compound compound = dem_compound_default();
    compound.parts = shapes;
    compound.count = 2;
    return compound;
}

static void compounds(void) {
#define POKE(field, value) OF(dem_compound, of_two(), step_compound(&it), field, value)
    POKE(struct_size, 3);
    POKE(reserved, 3);
    POKE(parts, NULL);
    POKE(stride, 3);
#undef POKE
}

static int32_t lay_out(const dem_scene_desc *desc) {
    size_t size;
    return dem_scene_layout(&size, NULL, desc, &error);
}

static int32_t lay_out_world(const dem_world_desc *desc) {
    size_t size;
    return dem_world_layout(&size, NULL, desc, &error);
}

static int32_t lay_out_grid(const dem_grid_desc *desc) {
    size_t size;
    return dem_grid_layout(&size, NULL, desc, &error);
}

static void descriptions(void) {
    const uint32_t many = 0xffffffffu;
#define POKE(field, value) OF(dem_scene_desc, dem_scene_desc_default(), lay_out(&it), field, value)
    POKE(struct_size, 3);
    POKE(levels, 99);
    POKE(bodies, many);
    POKE(candidates, many);
    POKE(contacts, many);
    POKE(nodes, many);
    POKE(posed, many);
    POKE(margin_contacts, many);
#undef POKE
#define POKE(field, value) OF(dem_world_desc, dem_world_desc_default(4), lay_out_world(&it), field, value)
    POKE(struct_size, 3);
    POKE(levels, 99);
    POKE(records, 9);
    POKE(bodies, many);
    POKE(candidates, many);
    POKE(contacts, many);
    POKE(nodes, many);
    POKE(ball_pairs, many);
    POKE(ball_contacts, many);
    POKE(events, many);
#undef POKE
#define POKE(field, value) OF(dem_grid_desc, dem_grid_desc_default(), lay_out_grid(&it), field, value)
    POKE(struct_size, 3);
    POKE(levels, 99);
    POKE(loose, many);
    POKE(bodies, many);
#undef POKE
}

static int32_t build_world(const dem_world_setup *setup) {
    dem_block block = dem_heap();
    int32_t status = dem_world_build(&block, setup, &error);
    dem_free(&block);
    return status;
}

static int32_t insert(const dem_member *member) {
    dem_block block = dem_heap();
    dem_must(dem_world_build(&block, NULL, &error), &error);
    int32_t status = dem_world_insert(&block, NULL, member, &error);
    dem_free(&block);
    return status;
}

static dem_body ball(void) {
    dem_body body;
    dem_must(dem_body_ball(&body, places[1], 0.5, 1, &error), &error);
    return body;
}

static dem_member member(void) {
    dem_member it = dem_member_default();
    it.body = ball();
    return it;
}

static dem_world_query world_query(void) {
    static dem_interaction law;
    law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e4);
    dem_world_query query = dem_world_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.interactions = &law;
    query.interaction_count = 1;
    return query;
}

/* A cube at rest and a member. */
static int32_t run_with(const dem_member *second, const dem_world_query *query) {
    dem_block block = dem_heap();
    dem_must(dem_world_build(&block, NULL, &error), &error);
    dem_member first = dem_member_default();
    first.body.motion = DEM_MOTION_STATIC;
    dem_must(dem_world_insert(&block, NULL, &first, &error), &error);
    dem_must(dem_world_insert(&block, NULL, second, &error), &error);
    int32_t status = dem_world_run(&block, query, 0.01, 0.001, &error);
    dem_free(&block);
    return status;
}

static int32_t run(const dem_world_query *query) {
    dem_member second = member();
    second.shape = 1;
    return run_with(&second, query);
}

static int32_t run_member(const dem_member *second) {
    dem_world_query query = world_query();
    return run_with(second, &query);
}

static int32_t run_law(const dem_interaction *law) {
    dem_world_query query = world_query();
    query.interactions = law;
    return run(&query);
}

static int32_t of_materials(const dem_material *a) {
    const dem_material b = {1e6, 0.3, 0.5, 0.5, 0, 0};
    dem_interaction law;
    return dem_interaction_of_materials(&law, sizeof law, a, &b, DEM_NORMAL_PRESSURE, 1, &error);
}

static int32_t set_body(const dem_body *body) {
    uint64_t handle;
    dem_must(dem_world_handle(&handle, dem_world_in(&world), 0, &error), &error);
    return dem_world_set_body(dem_world_in(&world), handle, body, &error);
}

static int32_t set_load(const dem_wrench *load) {
    uint64_t handle;
    dem_must(dem_world_handle(&handle, dem_world_in(&world), 0, &error), &error);
    return dem_world_set_load(dem_world_in(&world), handle, load, &error);
}

static void worlds(void) {
#define POKE(field, value) OF(dem_world_setup, dem_world_setup_default(), build_world(&it), field, value)
    POKE(struct_size, 3);
    POKE(order, 9);
    POKE(rotation, 9);
    POKE(watch, 9);
    POKE(gravity[0], NAN);
    POKE(periods[1], -1);
    POKE(records, 9);
    POKE(reserved, 9);
#undef POKE
#define POKE(field, value) OF(dem_member, member(), insert(&it), field, value)
    POKE(struct_size, 3);
    POKE(body.mass, -1);
    POKE(body.mass, NAN);
    POKE(body.moments[1], -1);
    POKE(body.position[1], NAN);
    POKE(body.orientation[1], NAN);
    POKE(body.orientation[3], 0);
    POKE(body.velocity[1], NAN);
    POKE(body.angular_velocity[1], NAN);
    POKE(body.motion, 9);
    POKE(body.reserved, 9);
    POKE(scale, -1);
    POKE(scale, NAN);
    POKE(groups, 0);
    POKE(id, (uint64_t)1 << 63);
    POKE(reserved, 7);
#undef POKE
#define POKE(field, value) OF(dem_member, member(), run_member(&it), field, value)
    POKE(shape, 9);
    POKE(material, 77);
#undef POKE
#define POKE(field, value) OF(dem_body, ball(), set_body(&it), field, value)
    POKE(position[0], NAN);
    POKE(orientation[0], NAN);
    POKE(velocity[0], NAN);
    POKE(angular_velocity[0], NAN);
    POKE(mass, -1);
    POKE(moments[0], -1);
    POKE(motion, 9);
    POKE(reserved, 9);
#undef POKE
#define POKE(field, value) OF(dem_wrench, ((dem_wrench){{0}, {0}}), set_load(&it), field, value)
    POKE(force[1], NAN);
    POKE(torque[1], NAN);
#undef POKE
#define POKE(field, value) OF(dem_world_query, world_query(), run(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(shapes, NULL);
    POKE(shape_stride, 3);
    POKE(interactions, NULL);
    POKE(interaction_count, 0);
    POKE(pairs, SIZE_MAX);
    POKE(pair_contacts, SIZE_MAX);
    POKE(grouping, 9);
    POKE(tasks.reserved, 9);
    POKE(bound, NAN);
    POKE(skin, -1);
    POKE(angle, 9);
    POKE(energies, 9);
    POKE(surfaces, NULL; it.surface_count = 1);
    POKE(surface_stride, 3);
    POKE(reserved, 9);
#undef POKE
#define POKE(field, value) OF(dem_interaction, dem_interaction_default(DEM_NORMAL_PRESSURE, 1e4), run_law(&it), field, value)
    POKE(normal, 9);
    POKE(damped, 9);
    POKE(cohesive, 9);
    POKE(reserved, 9);
    POKE(stiffness, -1);
    POKE(damping, -1);
    POKE(friction, -1);
    POKE(shear, NAN);
    POKE(lag, NAN);
    POKE(torsion, -1);
    POKE(rolling, -1);
    POKE(cohesion, -1);
#undef POKE
#define POKE(field, value) OF(dem_material, ((dem_material){1e6, 0.3, 0.5, 0.5, 0, 0}), of_materials(&it), field, value)
    POKE(young, -1);
    POKE(poisson, 9);
    POKE(restitution, -1);
    POKE(friction, -1);
    POKE(rolling, -1);
    POKE(cohesion, -1);
#undef POKE
}

static dem_scene_surface surface(void) {
    dem_scene_surface it = dem_surface_of(&shapes[0], 0, 1);
    it.vertices = doubles(corners[0], 8);
    return it;
}

static int32_t velocities(const dem_scene_motion *motion) {
    static double result[3 * 64];
    return dem_scene_velocities(result, dem_scene_in(&scene), motion, NULL, scratch, sizeof scratch, &error);
}

static int32_t of_surface(const dem_scene_surface *moving) {
    dem_scene_motion motion = dem_scene_motion_default();
    motion.surfaces = moving;
    motion.surface_count = 1;
    motion.surface_stride = sizeof *moving;
    return velocities(&motion);
}

static void motions(void) {
#define POKE(field, value) OF(dem_scene_motion, dem_scene_motion_default(), velocities(&it), field, value)
    POKE(struct_size, 3);
    POKE(list, 9);
    POKE(velocities, doubles(numbers, 1));
    POKE(spins, doubles(numbers, 1));
    POKE(centres, doubles(numbers, 1));
    POKE(surfaces, NULL; it.surface_count = 1);
    POKE(surface_stride, 3);
    POKE(reserved_2, 3);
#undef POKE
#define POKE(field, value) OF(dem_scene_surface, surface(), of_surface(&it), field, value)
    POKE(shape, NULL);
    POKE(reserved, 1);
    POKE(reserved_2, 1);
    POKE(reserved_3, 1);
    POKE(scale, NAN);
    POKE(scale, -1);
    POKE(body, 77);
    POKE(vertices, doubles(corners[0], 3));
    POKE(vertices.type, 9);
    POKE(vertices.stride, 3);
    POKE(pose.position[0], NAN);
#undef POKE
}

static dem_placed_query two_cubes(void) {
    dem_placed_query query = dem_placed_query_default();
    query.a = query.b = shapes[0];
    query.b.pose.position[2] = 1.005;
    return query;
}

static dem_contact found[64];
static size_t count;

static int32_t contacts(const dem_placed_query *query) {
    return dem_placed_contacts(found, 64, 0, &count, query, scratch, sizeof scratch, &error);
}

static dem_contact_link links[64];

static int32_t match(const dem_contact_list *list) {
    static dem_contact_blend blends[64];
    static dem_contact_event events[64];
    size_t blended, told_of;
    return dem_contact_match(links, blends, 64, &blended, events, 64, &told_of, list, list, INFINITY, scratch, sizeof scratch, &error);
}

static const dem_pose still = {{0, 0, 0}, {0, 0, 0, 1}};

static int32_t match_pair(const dem_body_pair *pair) {
    const dem_contact_list list = {found, count, sizeof *found, pair, 1, sizeof *pair, NULL, 0};
    return match(&list);
}

/* A vector of each contact is turned with the bodies. */
static int32_t carry(const dem_body_pair *pair) {
    static double vectors[3 * 64], of_last[3 * 64];
    const dem_body_pair good = {0, still, still};
    const dem_contact_list last = {found, count, sizeof *found, pair, 1, sizeof *pair, NULL, 0};
    const dem_contact_list now = {found, count, sizeof *found, &good, 1, sizeof good, NULL, 0};
    dem_must(match(&now), &error);
    return dem_contact_carry(vectors, of_last, links, NULL, 0, &last, &now, &error);
}

static int32_t contact_velocities(const dem_motion *motion) {
    static double result[3 * 64];
    return dem_contact_velocities(result, found, count, sizeof *found, motion, NULL, scratch, sizeof scratch, &error);
}

static dem_motion moving(void) {
    dem_motion motion = dem_motion_default();
    motion.shape = dem_shape_in(&cube);
    motion.vertices = doubles(corners[0], 8);
    return motion;
}

static void pairs_of_bodies(void) {
#define POKE(field, value) OF(dem_placed_query, two_cubes(), contacts(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(a.kind, 9);
    POKE(b.kind, 9);
    POKE(a.scale, -1);
    POKE(b.scale, NAN);
    POKE(b.solid, 7);
    POKE(a.shape, NULL);
    POKE(b.shape, NULL);
    POKE(a.reserved, 1);
    POKE(a.pose.position[0], NAN);
    POKE(b.pose.orientation[0], NAN);
    POKE(b.pose.orientation[3], 0);
    POKE(tasks.reserved, 7);
    POKE(list, NULL; it.list_count = 3);
    POKE(energies, 7);
    POKE(spreads, 7);
#undef POKE
    dem_placed_query query = two_cubes();
    dem_must(contacts(&query), &error);
    const dem_body_pair pair = {0, still, still};
    const dem_contact_list list = {found, count, sizeof *found, &pair, 1, sizeof pair, NULL, 0};
#define POKE(field, value) OF(dem_contact_list, list, match(&it), field, value)
    POKE(contacts, NULL);
    POKE(stride, 3);
    POKE(pairs, NULL);
    POKE(pair_stride, 3);
    POKE(nodes, NULL; it.node_count = 3);
#undef POKE
#define POKE(field, value) OF(dem_body_pair, pair, match_pair(&it), field, value)
    POKE(tag, 77);
#undef POKE
#define POKE(field, value) OF(dem_body_pair, pair, carry(&it), field, value)
    POKE(pose_a.position[0], NAN);
    POKE(pose_b.orientation[0], NAN);
#undef POKE
#define POKE(field, value) OF(dem_motion, moving(), contact_velocities(&it), field, value)
    POKE(struct_size, 3);
    POKE(reserved, 3);
    POKE(reserved_2, 3);
    POKE(velocity[0], NAN);
    POKE(spin[0], NAN);
    POKE(centre[0], NAN);
    POKE(shape, (const dem_shape *)(const void *)((const char *)cube.start + 1));
    POKE(scale, NAN);
    POKE(scale, 0);
    POKE(vertices, doubles(corners[0], 3));
    POKE(vertices.type, 9);
    POKE(pose.position[0], NAN);
    POKE(pose.orientation[3], 0);
#undef POKE
}

static int32_t triangles_near(const dem_query *query) {
    static dem_triangle_pair near[256];
    return dem_pairs(near, 256, 0, &count, query, scratch, sizeof scratch, &error);
}

static dem_query two_meshes(void) {
    dem_query query = dem_query_default();
    query.a = query.b = dem_shape_in(&cube);
    query.pose_b.position[2] = 1.005;
    query.margin = 0.01;
    return query;
}

static dem_point_results point_results(void) {
    static uint32_t integers[4];
    dem_point_results results = dem_point_results_default();
    results.triangle = results.feature = results.side = results.doubt = dem_output_u32(integers, 1);
    results.distance = results.signed_distance = results.point = results.normal = dem_output_f64(out, 1);
    return results;
}

static dem_point_query point_query(void) {
    dem_point_query query = dem_point_query_default();
    query.shape = dem_shape_in(&cube);
    query.points = doubles(places[0], 1);
    return query;
}

static int32_t points(const dem_point_query *query, const dem_point_results *results) {
    return dem_point_distance(results, query, scratch, sizeof scratch, &error);
}

static int32_t points_to(const dem_point_results *results) {
    dem_point_query query = point_query();
    return points(&query, results);
}

static int32_t points_from(const dem_point_query *query) {
    dem_point_results results = dem_point_results_default();
    results.distance = dem_output_f64(out, 1);
    return points(query, &results);
}

static int32_t inspect(const dem_inspect_options *options) {
    dem_report report;
    return dem_shape_inspect(&report, sizeof report, dem_shape_in(&cube), options, scratch, sizeof scratch, &error);
}

static int32_t cast(const dem_ray *ray) {
    dem_ray_hit hit;
    return dem_placed_cast(&hit, &shapes[0], ray, 1, &error);
}

static int32_t cast_at_scene(const dem_ray *ray) {
    dem_block at = dem_heap();
    dem_ray_hit hit;
    dem_scene_query query = scene_query(shapes);
    dem_must(dem_scene_step(&at, NULL, 0, &query, &error), &error);
    const int32_t status = dem_heap_cast(&at, &hit, &query, ray, 1, &error);
    dem_free(&at);
    return status;
}

static void meshes(void) {
#define POKE(field, value) OF(dem_query, two_meshes(), triangles_near(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(a, NULL);
    POKE(b, NULL);
    POKE(pose_a.position[0], NAN);
    POKE(pose_b.orientation[0], NAN);
    POKE(pose_b.orientation[3], 0);
    POKE(margin, -1);
    POKE(reserved, 7);
#undef POKE
#define POKE(field, value) OF(dem_query, two_meshes(), dem_min_distance(&(dem_triangle_pair){0}, sizeof(dem_triangle_pair), &it, scratch, sizeof scratch, &error), field, value)
    POKE(bound, -1);
#undef POKE
#define POKE(field, value) OF(dem_query, two_meshes(), dem_any_pair(&(uint32_t){0}, &it, scratch, sizeof scratch, &error), field, value)
    POKE(witness, 9);
#undef POKE
#define POKE(field, value) OF(dem_point_query, point_query(), points_from(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(shape, NULL);
    POKE(reserved, 3);
    POKE(pose.position[0], NAN);
    POKE(bound, -1);
    EACH_OF_ARRAY(POKE, points);
#undef POKE
#define POKE(field, value) OF(dem_point_results, point_results(), points_to(&it), field, value)
    POKE(struct_size, 3);
    POKE(reserved, 3);
    EACH_OF_OUTPUT(POKE, triangle);
    POKE(feature.type, 9);
    POKE(side.type, 9);
    POKE(doubt.type, 9);
    EACH_OF_OUTPUT(POKE, distance);
    POKE(signed_distance.type, 9);
    POKE(point.type, 9);
    POKE(normal.type, 9);
#undef POKE
#define POKE(field, value) OF(dem_inspect_options, dem_inspect_options_default(), inspect(&it), field, value)
    POKE(struct_size, 3);
    POKE(resolution, -1);
    POKE(needle, -1);
#undef POKE
    const dem_ray ray = {{0, 0, 5}, {0, 0, -1}, 10, 1, 0};
#define POKE(field, value) OF(dem_ray, ray, cast(&it), field, value)
    POKE(origin[0], NAN);
    POKE(origin[1], 1e300);
    POKE(direction[0], NAN);
    POKE(direction[2], 0);
    POKE(most, -1);
    POKE(most, NAN);
    POKE(reserved, 1);
#undef POKE
#define POKE(field, value) OF(dem_ray, ray, cast_at_scene(&it), field, value)
    POKE(mask, 0);
#undef POKE
}

static int32_t near(const dem_near_query *query) {
    static dem_near_pair pairs[8];
    static double memory[1 << 14];
    dem_grid_desc desc = dem_grid_desc_default();
    desc.bodies = 8;
    dem_grid *grid;
    dem_must(dem_grid_init(dem_align(memory), sizeof memory - DEM_ALIGN, &grid, &desc, &error), &error);
    return dem_grid_pairs(grid, pairs, 8, 0, &count, query, NULL, 0, scratch, sizeof scratch, &error);
}

static dem_near_query near_query(void) {
    static const double radii[2] = {0.5, 0.5};
    dem_near_query query = dem_near_query_default();
    query.centres = doubles(places[0], 2);
    query.radii = doubles(radii, 2);
    return query;
}

static int32_t near_boxes(const dem_near_boxes *boxes) {
    static dem_box_pair pairs[8];
    dem_near_query query = near_query();
    return dem_box_pairs(pairs, 8, 0, &count, &query, boxes, scratch, sizeof scratch, &error);
}

static dem_near_boxes boxes(void) {
    dem_near_boxes it = dem_near_boxes_default();
    it.lows = doubles(places[0], 2);
    it.highs = doubles(places[0], 2);
    return it;
}

static void broad(void) {
#define POKE(field, value) OF(dem_near_query, near_query(), near(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(dimensions, 5);
    POKE(reserved, 5);
    POKE(tasks.reserved, 5);
    POKE(periods[0], -1);
    POKE(margin, -1);
    EACH_OF_ARRAY(POKE, centres);
    POKE(radii, doubles(numbers, 2));
    POKE(motions, of_words(1));
    POKE(groups, of_words(1));
    POKE(masks, of_words(1));
#undef POKE
#define POKE(field, value) OF(dem_near_boxes, boxes(), near_boxes(&it), field, value)
    POKE(struct_size, 3);
    POKE(reserved, 3);
    EACH_OF_ARRAY(POKE, lows);
    EACH_OF_ARRAY(POKE, highs);
    POKE(motions, of_words(1));
    POKE(groups, of_words(1));
    POKE(masks, of_words(1));
#undef POKE
}

static dem_closest_points closest(void) {
    dem_closest_points results = dem_closest_points_default();
    results.distance = dem_output_f64(out, 1);
    return results;
}

static const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static int32_t distance(const dem_closest_points *results, const dem_triangles *a, const dem_indices *pairs, const dem_triangle_options *options) {
    dem_triangles b = dem_triangles_f64(triangle, 1);
    return dem_triangle_distance(results, a, &b, pairs, options, &error);
}

static int32_t distance_of(const dem_triangles *a) {
    dem_closest_points results = closest();
    return distance(&results, a, NULL, NULL);
}

static int32_t distance_to(const dem_closest_points *results) {
    dem_triangles a = dem_triangles_f64(triangle, 1);
    return distance(results, &a, NULL, NULL);
}

static int32_t distance_with(const dem_triangle_options *options) {
    dem_triangles a = dem_triangles_f64(triangle, 1);
    dem_closest_points results = closest();
    return distance(&results, &a, NULL, options);
}

static int32_t distance_between(const dem_indices *pairs) {
    dem_triangles a = dem_triangles_f64(triangle, 1);
    dem_closest_points results = closest();
    return distance(&results, &a, pairs, NULL);
}

static int32_t distance_of_segments(const dem_segments *a) {
    dem_closest_points results = closest();
    return dem_segment_distance(&results, a, a, NULL, NULL, &error);
}

static int32_t iterate(const dem_contact_options *options, const dem_contact_results *results) {
    dem_triangles a = dem_triangles_f64(triangle, 1);
    return dem_triangle_contacts(results, NULL, 0, &a, &a, NULL, options, &error);
}

static int32_t iterate_with(const dem_contact_options *options) {
    dem_contact_results results = dem_contact_results_default();
    results.distance = dem_output_f64(out, 1);
    return iterate(options, &results);
}

static dem_contact_options with_thresholds(void) {
    dem_contact_options options = dem_contact_options_default();
    options.thresholds = doubles(numbers, 2);
    return options;
}

static int32_t iterate_to(const dem_contact_results *results) {
    return iterate(NULL, results);
}

static dem_contact_results contact_results(void) {
    static uint32_t integers[2];
    dem_contact_results results = dem_contact_results_default();
    results.verdict = results.exact = dem_output_u32(integers, 1);
    results.distance = results.lower = results.point_a = results.point_b = dem_output_f64(out, 1);
    return results;
}

static void papers(void) {
#define POKE(field, value) OF(dem_triangles, dem_triangles_f64(triangle, 1), distance_of(&it), field, value)
    POKE(data, NULL);
    POKE(stride, 3);
    POKE(vertex_stride, 3);
    POKE(component_stride, 3);
    POKE(type, 9);
    POKE(reserved, 9);
#undef POKE
#define POKE(field, value) OF(dem_segments, dem_segments_f64(triangle, 1), distance_of_segments(&it), field, value)
    POKE(data, NULL);
    POKE(stride, 3);
    POKE(vertex_stride, 3);
    POKE(component_stride, 3);
    POKE(type, 9);
    POKE(reserved, 9);
#undef POKE
#define POKE(field, value) OF(dem_indices, dem_indices_u32(words, 1), distance_between(&it), field, value)
    POKE(data, NULL);
    POKE(stride, 3);
    POKE(component_stride, 3);
    POKE(type, 9);
    POKE(base, 9);
#undef POKE
#define POKE(field, value) OF(dem_triangle_options, dem_triangle_options_default(), distance_with(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(precision, 9);
    POKE(reserved, 9);
#undef POKE
#define POKE(field, value) OF(dem_closest_points, closest(), distance_to(&it), field, value)
    POKE(struct_size, 3);
    POKE(reserved, 3);
    POKE(distance.type, 9);
    POKE(point_a, dem_output_f64(out, 0));
    POKE(point_b, dem_output_f64(out, 0));
    POKE(weights_a, dem_output_f64(out, 0));
    POKE(weights_b, dem_output_f64(out, 0));
    POKE(features, dem_output_f64(out, 1));
#undef POKE
#define POKE(field, value) OF(dem_contact_options, dem_contact_options_default(), iterate_with(&it), field, value)
    POKE(struct_size, 3);
    POKE(isa, 99);
    POKE(precision, 9);
    POKE(scheme, 9);
    POKE(criterion, 9);
    POKE(sweeps, 9999);
    POKE(fallback, 9);
    POKE(batch, 3; it.fallback = DEM_FALLBACK_BATCHES);
    POKE(exact_contacts, 9);
    POKE(reserved, 9);
    POKE(kappa, -1);
    POKE(rho, -1);
    POKE(c, -1);
    POKE(unit, -1);
    POKE(threshold, -1);
    POKE(thresholds, doubles(numbers + 1, 1));
#undef POKE
#define POKE(field, value) OF(dem_contact_options, with_thresholds(), iterate_with(&it), field, value)
    POKE(thresholds.type, 9);
    POKE(thresholds.reserved, 7);
    POKE(thresholds.stride, 3);
#undef POKE
#define POKE(field, value) OF(dem_contact_results, contact_results(), iterate_to(&it), field, value)
    POKE(struct_size, 3);
    POKE(reserved, 3);
    POKE(verdict.type, 9);
    POKE(exact.type, 9);
    POKE(distance.type, 9);
    POKE(lower.type, 9);
    POKE(point_a.type, 9);
    POKE(point_b.type, 9);
#undef POKE
}

/* Arguments that are numbers, structs or lists by themselves. */
#define ARGUMENT(function, argument, ...) told(#function "." #argument, function(__VA_ARGS__, &error))

static void arguments(void) {
    double number;
    dem_interaction made;
    dem_body ball;
    size_t count;
    uint32_t list[4] = {1, 1, 1, 1}, origins[4];
    dem_material good = {1e9, 0.25, 0.5, 0.5, 0.1, 0}, bad = {1e9, 0.25, 0.5, -1, 0.1, 0};
    const double place[3] = {0, 0, 0}, nowhere[3] = {0, NAN, 0};
    ARGUMENT(dem_buckling_load, tilt, &number, -1, 1, 3);
    ARGUMENT(dem_buckling_load, height, &number, 1, NAN, 3);
    ARGUMENT(dem_buckling_load, blocks, &number, 1, 1, 0);
    ARGUMENT(dem_damping_for, damped, &number, 9, 0.5, 1);
    ARGUMENT(dem_damping_for, restitution, &number, 1, 2, 1);
    ARGUMENT(dem_damping_for, velocity, &number, 1, 0.5, -1);
    ARGUMENT(dem_pressure_for, load, &number, -1, 1, 0, 1);
    ARGUMENT(dem_pressure_for, area, &number, 1, 0, 0, 1);
    ARGUMENT(dem_pressure_for, gap, &number, 1, 1, 2, 1);
    ARGUMENT(dem_pressure_for, halo, &number, 1, 1, 0, 0);
    ARGUMENT(dem_resting_gap, pressure, &number, 1, 1, -1, 1);
    ARGUMENT(dem_linear_stiffness, mass, &number, -1, 1, 0.5);
    ARGUMENT(dem_linear_stiffness, time, &number, 1, NAN, 0.5);
    ARGUMENT(dem_linear_stiffness, restitution, &number, 1, 1, 5);
    ARGUMENT(dem_stable_step, stiffness, &number, -1, 1, 0);
    ARGUMENT(dem_stable_step, zeta, &number, 1, 1, -1);
    ARGUMENT(dem_interaction_of_materials, a.friction, &made, sizeof made, &bad, &good, 1, 1);
    ARGUMENT(dem_interaction_of_materials, b.friction, &made, sizeof made, &good, &bad, 1, 1);
    ARGUMENT(dem_interaction_of_materials, b, &made, sizeof made, &good, NULL, 1, 1);
    ARGUMENT(dem_interaction_of_materials, normal, &made, sizeof made, &good, &good, 9, 1);
    ARGUMENT(dem_interaction_of_materials, size, &made, sizeof made, &good, &good, 1, -1);
    ARGUMENT(dem_interaction_of_materials, struct_size, &made, 3, &good, &good, 1, 1);
    ARGUMENT(dem_body_ball, position, &ball, nowhere, 1, 1);
    ARGUMENT(dem_body_ball, position, &ball, NULL, 1, 1);
    ARGUMENT(dem_body_ball, radius, &ball, place, -1, 1);
    ARGUMENT(dem_body_ball, density, &ball, place, 1, 0);
    const dem_pose pose = {{0, 0, 0}, {0, 0, 0, 1}};
    ARGUMENT(dem_body_capsule, pose, &ball, NULL, 1, 1, 1);
    ARGUMENT(dem_body_capsule, radius, &ball, &pose, 1, 0, 1);
    ARGUMENT(dem_body_capsule, half_length, &ball, &pose, -1, 1, 1);
    ARGUMENT(dem_body_capsule, half_length, &ball, &pose, NAN, 1, 1);
    ARGUMENT(dem_body_capsule, density, &ball, &pose, 1, 1, 0);
    dem_world *here = dem_world_in(&world);
    dem_world_query query = world_query();
    ARGUMENT(dem_world_begin, dt, here, NAN, 0);
    ARGUMENT(dem_world_begin, asks, here, 1, 9);
    ARGUMENT(dem_world_run, length, &world, &query, -1, 1);
    ARGUMENT(dem_world_run, length, &world, &query, NAN, 1);
    ARGUMENT(dem_world_run, most_dt, &world, &query, 1, -1);
    ARGUMENT(dem_world_run, most_dt, &world, &query, 1, NAN);
    ARGUMENT(dem_world_pack_springs, handles, here, NULL, 0, &count, NULL, 2);
    dem_scene *all = dem_scene_in(&scene);
    dem_near_pair pairs[2] = {{0, 9, {0, 0, 0}, 0}, {0, 9, {0, 0, 0}, 0}};
    dem_scene_query bodies_of_scene = scene_query(shapes);
    ARGUMENT(dem_scene_find_pairs, pairs, all, NULL, 0, &bodies_of_scene, pairs, 1, NULL, scratch, sizeof scratch);
    ARGUMENT(dem_scene_find_pairs, pairs, all, NULL, 0, &bodies_of_scene, NULL, 1, NULL, scratch, sizeof scratch);
    ARGUMENT(dem_scene_commit_pairs, taken, all, origins, 4, &count, list, 4);
    ARGUMENT(dem_scene_commit_pairs, taken, all, origins, 4, &count, NULL, 1);
    ARGUMENT(dem_scene_commit_pairs, origins, all, NULL, 4, &count, list, 1);
    ARGUMENT(dem_scene_carry, kind, out, all, NULL, NULL, 9);
    ARGUMENT(dem_scene_carry, values, NULL, all, NULL, NULL, 0);
    dem_array forces = doubles(numbers, 1);
    dem_output loads = dem_output_f64(out, 9);
    dem_scene_surface surface = dem_surface_of(&shapes[0], 0, 1), none = surface;
    none.shape = NULL;
    ARGUMENT(dem_scene_wrenches, list, &loads, NULL, all, &forces, NULL, NULL, NULL, 7);
    ARGUMENT(dem_scene_loads, surface, &loads, all, NULL, sizeof surface, &forces, 0, scratch, sizeof scratch);
    ARGUMENT(dem_scene_loads, surface.shape, &loads, all, &none, sizeof surface, &forces, 0, scratch, sizeof scratch);
    surface.reserved_2 = 1;
    ARGUMENT(dem_scene_loads, surface.reserved_2, &loads, all, &surface, sizeof surface, &forces, 0, scratch, sizeof scratch);
    dem_contact_list before = {0}, after = {0};
    dem_contact_link links[2];
    after.count = 1;
    ARGUMENT(dem_contact_match, last.contacts, links, NULL, 0, NULL, NULL, 0, NULL, &after, &before, 1, scratch, sizeof scratch);
    dem_taken_over taken = {{NAN, 0, 0}, {0, 0, 0}, 0, {0, 0, 0}, 0, 0, 0, 0}, whole = {0};
    dem_springs springs = {0}, wild = {{{NAN, 0, 0}}};
    ARGUMENT(dem_springs_take_over, taken, &springs, &taken, place, 1, 1);
    ARGUMENT(dem_springs_take_over, springs, &wild, &whole, place, 1, 1);
    ARGUMENT(dem_springs_take_over, normal, &springs, &whole, nowhere, 1, 1);
    ARGUMENT(dem_springs_take_over, reach, &springs, &whole, place, -1, 1);
    ARGUMENT(dem_springs_take_over, torsion, &springs, &whole, place, 1, NAN);
}

int main(void) {
    dem_shape_desc desc = description();
    cube = scene = world = dem_heap();
    dem_must(dem_shape_build(&cube, &desc, &error), &error);
    shapes[0] = dem_placed_mesh(dem_shape_in(&cube), 1);
    shapes[1] = dem_placed_sphere(0.5, 0.01);
    dem_scene_query query = scene_query(shapes);
    dem_must(dem_scene_step(&scene, NULL, 0, &query, &error), &error);
    dem_must(dem_world_build(&world, NULL, &error), &error);
    dem_member first = member();
    dem_must(dem_world_insert(&world, NULL, &first, &error), &error);
    shape_descriptions();
    refits();
    scene_queries();
    bodies();
    compounds();
    descriptions();
    worlds();
    motions();
    pairs_of_bodies();
    meshes();
    broad();
    papers();
    arguments();
    dem_free(&world);
    dem_free(&scene);
    dem_free(&cube);
    return 0;
}
