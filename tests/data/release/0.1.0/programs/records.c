/*
 * Goes by strides everywhere, as a program does that is to run with later libraries: prints what it finds, which must be the same whether the records of the header that it
 * is built with are those of the library, shorter or longer. Nothing behind its arrays may change.
 */
#include <dem_heap.h>
#include <dem_mesh.h>
#include <dem_pair.h>
#include <dem_world.h>
#include <string.h>

#define MOST 64

static const char guard[32] = "nothing may be written from here";

static void is_untouched(const char *what, const char *behind) {
    if (memcmp(behind, guard, sizeof guard) == 0) return;
    printf("%s: written behind the end\n", what);
    exit(1);
}

static const void *item(const void *list, size_t i, size_t stride) { return (const char *)list + i * stride; }

static void two_bodies(const dem_shape *box) {
    struct {
        dem_contact list[MOST];
        char behind[32];
    } now = {0}, last = {0};
    struct {
        dem_triangle_pair list[MOST];
        char behind[32];
    } pairs;
    struct {
        dem_contact_link list[MOST];
        char behind[32];
    } links;
    dem_body_pair bodies[1] = {{0}};
    dem_contact_list before = {0}, after = {0};
    dem_placed_query query;
    dem_query near;
    dem_error error;
    size_t count = 0, size = 1 << 20;
    void *scratch = malloc(size);
    memset(&pairs, 0, sizeof pairs);
    memcpy(now.behind, guard, sizeof guard);
    memcpy(pairs.behind, guard, sizeof guard);
    memcpy(links.behind, guard, sizeof guard);
    query = dem_placed_query_default();
    query.tag = 7;
    query.a = query.b = dem_placed_mesh(box, 1);
    query.b.pose.position[2] = 1.01;
    dem_must(dem_placed_contacts(now.list, MOST, sizeof(dem_contact), &count, &query, scratch, size, &error), &error);
    is_untouched("contacts", now.behind);
    for (size_t i = 0; i < count; i += 1) printf("contact of two bodies %.17g %.17g\n", now.list[i].area, now.list[i].normal[2]);
    bodies[0].tag = 7;
    bodies[0].pose_a = query.a.pose;
    bodies[0].pose_b = query.b.pose;
    last = now;
    before.contacts = last.list, after.contacts = now.list;
    before.count = after.count = count;
    before.stride = after.stride = sizeof(dem_contact);
    before.pairs = after.pairs = bodies;
    before.pair_count = after.pair_count = 1;
    before.pair_stride = after.pair_stride = sizeof(dem_body_pair);
    dem_must(dem_contact_match(links.list, NULL, 0, NULL, NULL, 0, NULL, &before, &after, 0.1, scratch, size, &error), &error);
    is_untouched("links", links.behind);
    for (size_t i = 0; i < count; i += 1) printf("link %u\n", links.list[i].origin);
    near = dem_query_default();
    near.a = near.b = box;
    near.pose_b = query.b.pose;
    dem_must(dem_pairs(pairs.list, MOST, sizeof(dem_triangle_pair), &count, &near, scratch, size, &error), &error);
    is_untouched("pairs of triangles", pairs.behind);
    for (size_t i = 0; i < count; i += 1) printf("pair of triangles %u %u %.17g\n", pairs.list[i].a, pairs.list[i].b, pairs.list[i].distance);
    free(scratch);
}

static void a_scene(const dem_shape *box) {
    double positions[3][3] = {{0, 0, 0}, {0, 0, 1.01}, {0.4, 0, -1.01}};
    dem_placed shapes[1];
    dem_block scene = dem_heap();
    dem_scene_query query = dem_scene_query_default();
    dem_scene_contacts view;
    dem_error error;
    struct {
        dem_scene_counts counts;
        char behind[32];
    } found = {0};
    memcpy(found.behind, guard, sizeof guard);
    shapes[0] = dem_placed_mesh(box, 1);
    query.shapes = shapes;
    query.shape_count = 1;
    query.shape_stride = sizeof(dem_placed);
    query.margin = 0.1;
    query.positions = dem_array_f64(positions[0], 3);
    for (int step = 0; step < 2; step += 1) {
        dem_must(dem_scene_step(&scene, &found.counts, sizeof found.counts, &query, &error), &error);
        is_untouched("counts", found.behind);
        dem_must(dem_scene_view(&view, sizeof view, dem_scene_in(&scene), &error), &error);
        printf("step: %zu contacts of %zu pairs, %zu before, %llu told\n", view.count, view.pair_count, view.last_count, (unsigned long long)found.counts.contacts);
        for (size_t i = 0; i < view.count; i += 1) {
            const dem_contact *c = (const dem_contact *)item(view.contacts, i, view.contact_stride);
            const dem_contact_link *link = (const dem_contact_link *)item(view.links, i, view.link_stride);
            const dem_scene_pair *pair = (const dem_scene_pair *)item(view.pairs, (size_t)c->key[0], view.pair_stride);
            printf("contact of %u and %u: %.17g %.17g, was %d\n", pair->a, pair->b, c->area, c->position[0], (int)link->origin);
        }
        for (size_t i = 0; i < view.margin_count; i += 1) {
            const dem_contact *c = (const dem_contact *)item(view.margin_contacts, i, view.contact_stride);
            printf("within the margin: %.17g\n", c->gap);
        }
        for (size_t i = 0; i < view.last_count; i += 1) {
            const dem_scene_kept *kept = (const dem_scene_kept *)item(view.last_contacts, i, view.kept_stride);
            printf("kept: %.17g\n", kept->position[2]);
        }
    }
    dem_free(&scene);
}

static void a_mesh(const dem_shape *box) {
    struct {
        dem_mass mass;
        char behind[32];
    } own;
    dem_error error;
    size_t size = 0;
    memcpy(own.behind, guard, sizeof guard);
    size = dem_scratch_needed(dem_shape_mass(&own.mass, sizeof own.mass, box, 2, NULL, 0, &error), &error);
    void *scratch = malloc(size);
    dem_must(dem_shape_mass(&own.mass, sizeof own.mass, box, 2, scratch, size, &error), &error);
    is_untouched("mass", own.behind);
    printf("volume %.17g\n", own.mass.volume);
    free(scratch);
}

static void a_report(const dem_shape *box) {
    struct {
        dem_report report;
        char behind[32];
    } own;
    dem_error error;
    const size_t size = 1 << 16;
    void *scratch = malloc(size);
    memcpy(own.behind, guard, sizeof guard);
    dem_must(dem_shape_inspect(&own.report, sizeof own.report, box, NULL, scratch, size, &error), &error);
    is_untouched("report", own.behind);
    printf("edges %llu, works %llu\n", (unsigned long long)own.report.edges, (unsigned long long)own.report.works);
    free(scratch);
}

/* What a world lists, by its strides, and a law that writes through them. */
static void its_lists(const dem_block *world) {
    dem_world_slots view;
    dem_error error;
    dem_must(dem_world_view(&view, sizeof view, dem_world_in(world), &error), &error);
    for (size_t i = 0; i < view.count; i += 1) {
        const dem_body *body = (const dem_body *)item(view.bodies, i, view.body_stride);
        const dem_wrench *wrench = (const dem_wrench *)item(view.wrenches, i, view.wrench_stride);
        printf("body at %.17g, force %.17g\n", body->position[2], wrench->force[2]);
    }
    for (size_t i = 0; i < view.spring_count; i += 1) {
        const dem_springs *springs = (const dem_springs *)item(view.springs, i, view.spring_stride);
        printf("spring %.17g\n", springs->vectors[0][0]);
    }
    for (size_t i = 0; i < view.event_count; i += 1) {
        const dem_pair_event *event = (const dem_pair_event *)item(view.events, i, view.event_stride);
        printf("event %u of %u and %u\n", event->what, event->bodies[0], event->bodies[1]);
    }
}

static void a_law(dem_block *world, const dem_world_query *query) {
    dem_host_law law;
    dem_error error;
    uint32_t want = 0;
    dem_must(dem_world_begin(dem_world_in(world), 1e-3, DEM_ASK_LAW, &error), &error);
    while (want != DEM_WANT_DONE) {
        dem_must(dem_world_next(world, &want, query, &error), &error);
        if (want != DEM_WANT_LAW) continue;
        dem_must(dem_world_law(dem_world_in(world), &law, sizeof law, &error), &error);
        for (size_t i = 0; i < law.count; i += 1) {
            const dem_meeting *meeting = (const dem_meeting *)item(law.meetings, i, law.meeting_stride);
            dem_wrench *act = (dem_wrench *)((char *)law.acts + i * law.wrench_stride);
            dem_springs *springs = (dem_springs *)((char *)law.springs + i * law.spring_stride);
            printf("meeting %.17g\n", meeting->velocity[2]);
            act->force[2] = -9.81;
            springs->vectors[0][0] = 0.25;
        }
    }
    dem_must(dem_world_accept(dem_world_in(world), &error), &error);
}

static void a_world(const dem_shape *box) {
    dem_block world = dem_heap();
    dem_world_setup setup = dem_world_setup_default();
    dem_world_query query = dem_world_query_default();
    dem_member member = dem_member_default();
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e3);
    const dem_pose pose = {{0, 0, 0.6}, {0, 0, 0, 1}};
    dem_placed shapes[2];
    dem_mass mass;
    dem_error error;
    struct {
        dem_world_report report;
        char behind[32];
    } measured;
    memcpy(measured.behind, guard, sizeof guard);
    setup.gravity[2] = -9.81;
    setup.watch = 1;
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.5;
    shapes[0] = dem_placed_half_space(0.02);
    shapes[1] = dem_placed_mesh(box, 1);
    query.shapes = shapes;
    query.shape_count = 2;
    query.shape_stride = sizeof(dem_placed);
    query.interactions = &law;
    query.interaction_count = 1;
    dem_must(dem_world_build(&world, &setup, &error), &error);
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    dem_must(dem_heap_mass(&mass, box, 1, &error), &error);
    dem_must(dem_body_of_mass(&member.body, &mass, &pose, &error), &error);
    member.shape = 1;
    dem_must(dem_world_insert(&world, NULL, &member, &error), &error);
    for (int window = 0; window < 10; window += 1) {
        dem_must(dem_world_run(&world, &query, 0.02, 1e-3, &error), &error);
        its_lists(&world);
    }
    a_law(&world, &query);
    its_lists(&world);
    dem_must(dem_world_measure(&measured.report, sizeof measured.report, dem_world_in(&world), NULL, &error), &error);
    is_untouched("report of a world", measured.behind);
    printf("time %.17g, contacts %llu, potential %.17g\n", measured.report.time, (unsigned long long)measured.report.contacts, measured.report.potential);
    dem_free(&world);
}

int main(void) {
    const double edges[3] = {1, 1, 1};
    dem_block box = dem_heap();
    dem_error error;
    dem_must(dem_heap_box(&box, edges, 0.02, &error), &error);
    two_bodies(dem_shape_in(&box));
    a_scene(dem_shape_in(&box));
    a_mesh(dem_shape_in(&box));
    a_report(dem_shape_in(&box));
    a_world(dem_shape_in(&box));
    dem_free(&box);
    return 0;
}
