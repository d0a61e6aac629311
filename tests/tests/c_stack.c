/*
 * How much stack calls take, each on a thread whose stack was painted before: at most what the header promises.
 */
#define _GNU_SOURCE
#include <dem_mesh.h>
#include <dem_pair.h>
#include <dem_world.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROMISED = 64 << 10, STACK = 1 << 20, ROUND = 24, HIGH = 14, BODIES = 24, MOST = 4096, SCRATCH = 256 << 20 };

static void must(int32_t status, const dem_error *error) {
    char sentence[DEM_ERROR_TEXT] = "";
    if (status < 0) {
        (void)dem_error_format(sentence, sizeof sentence, NULL, error);
        fprintf(stderr, "%s: %s\n", dem_status_string(status), sentence);
        exit(2);
    }
}

static void *memory(size_t size) {
    void *bytes = malloc(size);
    if (bytes == NULL) {
        exit(2);
    }
    return bytes;
}

/* A rock whose surface goes through itself: a sphere with bumps, one of them turned in beyond the other side. */
enum { VERTICES = ROUND * HIGH + 2, TRIANGLES = 2 * ROUND * HIGH };
static double vertices[VERTICES][3];
static uint32_t triangles[TRIANGLES][3];

static void make_rock(void) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < VERTICES; i += 1) {
        const double z = i < ROUND * HIGH ? 2.0 * (i / ROUND + 1) / (HIGH + 1) - 1 : i == VERTICES - 1 ? 1 : -1;
        const double angle = 6.283185307179586 * (i % ROUND) / ROUND, bump = i == 40 ? -1.2 : 1 + 0.1 * sin(7.0 * i);
        vertices[i][0] = bump * sqrt(1 - z * z) * cos(angle);
        vertices[i][1] = bump * sqrt(1 - z * z) * sin(angle);
        vertices[i][2] = bump * z;
    }
    for (uint32_t i = 0; i < ROUND; i += 1) {
        const uint32_t next = (i + 1) % ROUND, top = ROUND * (HIGH - 1);
        const uint32_t ends[2][3] = {{ROUND * HIGH, next, i}, {VERTICES - 1, top + i, top + next}};
        memcpy(triangles[n], ends, sizeof ends);
        n += 2;
        for (uint32_t k = 0; k + 1 < HIGH; k += 1) {
            const uint32_t low = k * ROUND, up = low + ROUND;
            const uint32_t two[2][3] = {{low + i, low + next, up + next}, {low + i, up + next, up + i}};
            memcpy(triangles[n], two, sizeof two);
            n += 2;
        }
    }
}

/* What calls need, made before, on the main thread. */
static void *scratch, *shape_memory, *scene_memory, *world_memory;
static size_t shape_size, scene_size;
static uint32_t isa;
static dem_shape *shape;
static dem_scene *scene;
static dem_contact contacts[MOST];
static size_t contact_count;
static double numbers[BODIES * 64][3], results[BODIES * 64];
static const dem_pose through = {{0.3, 0.2, 1.1}, {0.1, 0.3, 0.2, 0.9}};

static void lanes_here(void *user, size_t lanes, dem_lane lane, void *arg) {
    (void)user;
    for (size_t i = 0; i < lanes; i += 1) {
        lane(i, arg);
    }
}

static const dem_tasks tasks = {lanes_here, NULL, 4, 0};

static void nothing(void) {}

static void shape_init(void) {
    dem_error error;
    dem_shape_desc desc;
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices[0], VERTICES);
    desc.triangles = dem_indices_u32(triangles[0], TRIANGLES);
    desc.halo = 0.02;
    desc.isa = isa;
    if (shape_memory == NULL) {
        must(dem_shape_layout(&shape_size, NULL, &desc, &error), &error);
        shape_memory = memory(shape_size + DEM_ALIGN - 1);
    }
    must(dem_shape_init(dem_align(shape_memory), shape_size, &shape, &desc, &error), &error);
}

static void refit(void) {
    dem_error error;
    dem_refit_desc desc;
    desc = dem_refit_desc_default();
    desc.vertices = dem_array_f64(vertices[0], VERTICES);
    must(dem_shape_refit(shape, shape_size, &desc, &error), &error);
}

static void inspect(void) {
    dem_error error;
    dem_report report;
    must(dem_shape_inspect(&report, sizeof report, shape, NULL, scratch, SCRATCH, &error), &error);
}

static void self_intersections(void) {
    static uint32_t pairs[TRIANGLES * 9][2];
    dem_error error;
    size_t count = 0;
    must(dem_shape_self_intersections(pairs, TRIANGLES * 9, &count, shape, isa, scratch, SCRATCH, &error), &error);
    if (count == 0) {
        exit(3);
    }
}

static void mass(void) {
    dem_error error;
    dem_mass found;
    must(dem_shape_mass(&found, sizeof found, shape, 1, scratch, SCRATCH, &error), &error);
}

static dem_query of_two(const dem_pose *pose) {
    dem_query query;
    query = dem_query_default();
    query.isa = isa;
    query.a = query.b = shape;
    query.pose_b = *pose;
    query.margin = 0.05;
    return query;
}

static void pairs(void) {
    static dem_triangle_pair found[TRIANGLES * 64];
    dem_error error;
    size_t count = 0;
    const dem_query query = of_two(&through);
    must(dem_pairs(found, TRIANGLES * 64, 0, &count, &query, scratch, SCRATCH, &error), &error);
}

static void distance(void) {
    dem_error error;
    dem_triangle_pair nearest;
    dem_pose away = through;
    for (int i = 0; i < 2; i += 1) {
        const dem_query query = of_two(&away);
        must(dem_min_distance(&nearest, sizeof nearest, &query, scratch, SCRATCH, &error), &error);
        away.position[2] += 2;
    }
}

static dem_point_query points_query(void) {
    dem_point_query query;
    query = dem_point_query_default();
    query.isa = isa;
    query.shape = shape;
    query.points = dem_array_f64(numbers[0], BODIES * 64);
    return query;
}

static void points(void) {
    static double normals[BODIES * 64][3];
    dem_error error;
    dem_point_results to;
    const dem_point_query query = points_query();
    to = dem_point_results_default();
    to.signed_distance = dem_output_f64(results, BODIES * 64);
    to.normal = dem_output_f64(normals[0], BODIES * 64);
    must(dem_point_distance(&to, &query, scratch, SCRATCH, &error), &error);
}

static void winding(void) {
    dem_error error;
    const dem_point_query query = points_query();
    const dem_output to = dem_output_f64(results, BODIES * 64);
    must(dem_point_winding(&to, &query, &error), &error);
}

static dem_placed_query of_bodies(dem_placed a, dem_placed b, const dem_pose *pose) {
    dem_placed_query query;
    query = dem_placed_query_default();
    query.isa = isa;
    query.tasks = tasks;
    query.a = a;
    query.b = b;
    query.a.pose = *pose;
    return query;
}

static void find(dem_placed a, dem_placed b) {
    dem_error error;
    const dem_placed_query query = of_bodies(a, b, &through);
    must(dem_placed_contacts(contacts, MOST, 0, &contact_count, &query, scratch, SCRATCH, &error), &error);
}

static dem_placed rock(void) { return dem_placed_mesh(shape, 1); }

static void penetration(void) { find(rock(), rock()); }

static void contained(void) {
    dem_placed small = rock();
    small.scale = 0.01;
    find(small, rock());
}

static void ball(void) { find(dem_placed_sphere(0.5, 0.02), rock()); }

static void floor_of_rock(void) { find(rock(), dem_placed_half_space(0.02)); }

static void compounds(void) {
    dem_compound of;
    const dem_placed parts[3] = {rock(), dem_placed_sphere(0.5, 0.02), rock()};
    of = dem_compound_default();
    of.parts = parts;
    of.count = 3;
    find(dem_placed_compound(&of), rock());
}

static void corners(void) {
    static dem_contact_corner found[64 * MOST];
    dem_error error;
    size_t count = 0;
    const dem_placed_query query = of_bodies(rock(), rock(), &through);
    must(dem_contact_corners(found, 64 * MOST, 0, &count, contacts, contact_count, 0, &query, 0, scratch, SCRATCH, &error), &error);
}

static void near_triangles(void) {
    static uint64_t list[1 << 18];
    dem_error error;
    size_t count = 0;
    const dem_placed_query query = of_bodies(rock(), rock(), &through);
    must(dem_placed_list(list, sizeof list / sizeof *list, &count, &query, 0.05, scratch, SCRATCH, &error), &error);
}

static void scene_step(void) {
    static double positions[BODIES][3];
    static uint32_t shape_of[BODIES];
    const dem_placed shapes[3] = {rock(), dem_placed_sphere(0.8, 0.02), dem_placed_half_space(0.02)};
    dem_error error;
    dem_scene_query query;
    query = dem_scene_query_default();
    for (uint32_t i = 0; i < BODIES; i += 1) {
        positions[i][0] = 1.6 * (i % 3);
        positions[i][1] = 1.6 * (i / 3 % 3);
        positions[i][2] = 1.6 * (i / 9) + 0.5;
        shape_of[i] = i % 4 == 1;
    }
    shape_of[BODIES - 1] = 2;
    positions[BODIES - 1][2] = 0;
    query.isa = isa;
    query.shapes = shapes;
    query.shape_count = 3;
    query.positions = dem_array_f64(positions[0], BODIES);
    query.shape_of = dem_array_u32(shape_of, BODIES);
    query.pairs = 1 << 14;
    query.pair_contacts = MOST;
    query.tasks = tasks;
    if (scene_memory == NULL) {
        dem_scene_desc desc;
        desc = dem_scene_desc_default();
        desc.bodies = BODIES;
        desc.contacts = desc.nodes = BODIES * MOST;
        must(dem_scene_layout(&scene_size, NULL, &desc, &error), &error);
        scene_memory = memory(scene_size + DEM_ALIGN - 1);
        must(dem_scene_init(dem_align(scene_memory), scene_size, &scene, &desc, &error), &error);
    }
    must(dem_scene_detect(scene, NULL, 0, &query, scratch, SCRATCH, &error), &error);
}

/* The same bodies as a world: made, a step of it, its report, saved and loaded. */
static void world_step(void) {
    static uint8_t saved[96 << 20];
    const dem_placed shapes[3] = {rock(), dem_placed_sphere(0.8, 0.02), dem_placed_half_space(0.02)};
    const dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1);
    dem_error error;
    dem_world *world = NULL;
    size_t size = 0, count = 0;
    dem_world_report report;
    dem_world_desc desc = dem_world_desc_default(BODIES);
    desc.contacts = desc.nodes = BODIES * MOST;
    must(dem_world_layout(&size, NULL, &desc, &error), &error);
    if (world_memory == NULL) {
        world_memory = memory(size + DEM_ALIGN - 1);
    }
    must(dem_world_init(dem_align(world_memory), size, &world, &desc, &error), &error);
    for (uint32_t i = 0; i < BODIES; i += 1) {
        dem_member member = dem_member_default();
        const double position[3] = {1.6 * (i % 3), 1.6 * (i / 3 % 3), i + 1 < BODIES ? 1.6 * (i / 9) + 0.5 : 0};
        must(dem_body_ball(&member.body, position, 0.8, 1, &error), &error);
        member.shape = i + 1 < BODIES ? i % 4 == 1 : 2;
        must(dem_world_add(world, NULL, &member, &error), &error);
    }
    dem_world_query query = dem_world_query_default();
    query.isa = isa;
    query.shapes = shapes;
    query.shape_count = 3;
    query.interactions = &law;
    query.interaction_count = 1;
    query.pairs = 1 << 14;
    query.pair_contacts = MOST;
    query.tasks = tasks;
    must(dem_world_advance(world, &query, 2e-6, 1e-6, scratch, SCRATCH, &error), &error);
    must(dem_world_measure(&report, sizeof report, world, &tasks, &error), &error);
    if (report.contacts == 0 || report.steps != 2) {
        exit(3);
    }
    must(dem_world_save(saved, sizeof saved, &count, world, &error), &error);
    must(dem_world_load(dem_align(world_memory), size, &world, saved, count, &error), &error);
}

static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    {"shape", shape_init},       {"refit", refit},
    {"inspection", inspect},     {"self-intersections", self_intersections},
    {"mass", mass},              {"pairs", pairs},          {"distance", distance},
    {"points", points},          {"winding numbers", winding}, {"penetration", penetration},
    {"corners", corners},        {"contained", contained},  {"ball", ball},
    {"half-space", floor_of_rock}, {"compounds", compounds}, {"near triangles", near_triangles},
    {"scene", scene_step},       {"next step", scene_step},   {"world", world_step},
};

static void *enter(void *call) {
    (*(void (**)(void))call)();
    return NULL;
}

/* Bytes of its stack that a thread takes for a call. */
static size_t taken(void (*call)(void)) {
    static _Alignas(4096) unsigned char stack[STACK];
    pthread_attr_t attributes;
    pthread_t thread;
    size_t untouched = 0;
    memset(stack, 0xa5, STACK);
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&thread, &attributes, enter, &call) != 0 || pthread_join(thread, NULL) != 0) {
        exit(2);
    }
    pthread_attr_destroy(&attributes);
    while (untouched < STACK && stack[untouched] == 0xa5) {
        untouched += 1;
    }
    return STACK - untouched;
}

int main(void) {
    uint32_t isas[DEM_ISA_COUNT];
    size_t count = 0;
    int mistakes = 0;
    must(dem_isa_list(isas, DEM_ISA_COUNT, &count, NULL), NULL);
    scratch = memory(SCRATCH);
    make_rock();
    for (int i = 0; i < BODIES * 64; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            numbers[i][k] = 1.3 * sin(1.7 * i + 2.1 * k * i);
        }
    }
    /* What the thread itself takes. */
    const size_t own = taken(nothing);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k += 1) {
        printf("%-20s", calls[k].name);
        for (size_t i = 0; i < count; i += 1) {
            isa = isas[i];
            const size_t bytes = taken(calls[k].call) - own;
            printf("  %s %zu", dem_isa_name(isa), bytes);
            mistakes += bytes > PROMISED;
        }
        printf("\n");
    }
    printf("%d calls take more than %d bytes\n", mistakes, PROMISED);
    free(scratch);
    free(shape_memory);
    free(scene_memory);
    free(world_memory);
    return mistakes != 0;
}
