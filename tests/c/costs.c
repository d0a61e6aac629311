/*
 * What the headers say that calls cost, beside what they cost here: `make costs`. Each row has the words of a header, which `--test c_header`
 * compares. A figure is off if the call takes more than 1.5 times the most, or less than the least divided by 1.5. Times are of one thread,
 * the best of several rounds.
 */
#define _POSIX_C_SOURCE 200809L
#include <dem_broad.h>
#include <dem_heap.h>
#include <dem_mesh.h>
#include <dem_pair.h>
#include <dem_papers.h>
#include <dem_world.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum { RINGS = 48, AROUND = 2 * RINGS, TRIANGLES = 2 * AROUND * (RINGS - 1), VERTICES = AROUND * (RINGS - 1) + 2, ITEMS = 4096, SCRATCH = 1 << 26 };

static double vertices[VERTICES][3], items[ITEMS][2][3][3], results[ITEMS], points[ITEMS][3];
static float singles[ITEMS][2][3][3];
static uint32_t corners[TRIANGLES][3];
static dem_block ball, bare, scene, world;
static void *scratch;
static dem_shape_desc desc;
static dem_error error;
static dem_triangle_pair pair;
static uint64_t bytes;
static size_t enough;
static dem_ray rays[ITEMS];
static dem_ray_hit hits[ITEMS];
static dem_contact contacts[4096];

static double random_number(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void must(int32_t status) {
    dem_must(status, &error);
}

/* A sphere of radius 1, whose rings are turned so that no two triangles lie in a plane. Its poles are the first vertices. */
static void sphere(void) {
    const double pi = acos(-1.0);
    size_t v = 2, t = 0;
    vertices[0][2] = 1, vertices[1][2] = -1;
    for (int i = 1; i < RINGS; i += 1)
        for (int k = 0; k < AROUND; k += 1, v += 1) {
            const double down = pi * i / RINGS, turn = 2 * pi * (k + 0.5 * i) / AROUND;
            vertices[v][0] = sin(down) * cos(turn), vertices[v][1] = sin(down) * sin(turn), vertices[v][2] = cos(down);
        }
    for (uint32_t k = 0; k < AROUND; k += 1) {
        const uint32_t next = (k + 1) % AROUND, last = 2 + AROUND * (RINGS - 2);
        const uint32_t cap[2][3] = {{0, 2 + k, 2 + next}, {1, last + next, last + k}};
        memcpy(corners[t], cap, sizeof cap), t += 2;
        for (uint32_t i = 2; i < RINGS; i += 1, t += 2) {
            const uint32_t a = 2 + AROUND * (i - 2), b = a + AROUND;
            const uint32_t both[2][3] = {{a + k, b + k, b + next}, {a + k, b + next, a + next}};
            memcpy(corners[t], both, sizeof both);
        }
    }
}

/* One a call: */
static double error_format(void) {
    char text[DEM_ERROR_TEXT];
    dem_error e = {DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH, 0, 0, 0, 1000, 10, {0}};
    (void)dem_error_format(text, sizeof text, NULL, &e);
    return 1;
}
static double build(void) {
    must(dem_shape_build(&ball, &desc, &error));
    return TRIANGLES;
}
static double build_bare(void) {
    dem_shape_desc without = desc;
    without.cells = 0;
    must(dem_shape_build(&bare, &without, &error));
    return TRIANGLES;
}
static double open_shape(void) {
    dem_shape *shape;
    must(dem_shape_open(ball.start, ball.size, &shape, &error));
    return (double)bytes;
}
static double describe(void) {
    dem_shape_info info;
    must(dem_shape_describe(&info, sizeof info, dem_shape_in(&ball), &error));
    bytes = info.size;
    return 1;
}
static double view(void) {
    dem_scene_contacts seen;
    must(dem_scene_view(&seen, sizeof seen, dem_scene_in(&scene), &error));
    return 1;
}
static double world_view(void) {
    dem_scene_contacts seen;
    must(dem_world_contacts(&seen, sizeof seen, dem_world_in(&world), &error));
    return 1;
}
static double facets(void) {
    size_t count;
    must(dem_cylinder_facets(&count, 1, 1e-3, &error));
    return 1;
}
static double inspect(void) {
    dem_report report;
    must(dem_shape_inspect(&report, sizeof report, dem_shape_in(&ball), NULL, scratch, SCRATCH, &error));
    return TRIANGLES;
}
static double self_intersections(void) {
    size_t count;
    must(dem_shape_self_intersections(NULL, 0, &count, dem_shape_in(&ball), DEM_ISA_BEST, scratch, SCRATCH, &error));
    return TRIANGLES;
}
static double mass(void) {
    dem_mass found;
    must(dem_shape_mass(&found, sizeof found, dem_shape_in(&ball), 1, scratch, SCRATCH, &error));
    return TRIANGLES;
}
static double refit(const dem_block *of, uint32_t what) {
    dem_refit_desc moved = dem_refit_desc_default();
    moved.vertices = dem_array_f64(&vertices[0][0], VERTICES);
    moved.how = what;
    must(dem_shape_refit(dem_shape_in(of), of->size, &moved, &error));
    return TRIANGLES;
}
static double refit_halos(void) {
    return refit(&bare, DEM_REFIT_HALOS);
}
static double refit_surrogates(void) {
    return refit(&bare, DEM_REFIT_SURROGATES);
}

/* Two spheres, so far apart. */
static dem_query apart(double distance) {
    dem_query query = dem_query_default();
    query.a = query.b = dem_shape_in(&ball);
    query.pose_b.position[0] = distance * 0.6, query.pose_b.position[1] = distance * 0.8;
    return query;
}
static double pairs_far(void) {
    const dem_query query = apart(100);
    size_t count;
    must(dem_pairs(NULL, 0, 0, &count, &query, scratch, SCRATCH, &error));
    return 1;
}
static double min_distance(void) {
    const dem_query query = apart(2.5);
    must(dem_min_distance(&pair, sizeof pair, &query, scratch, SCRATCH, &error));
    return 1;
}
static double any_pair(void) {
    const dem_query query = apart(1.5);
    uint32_t any;
    must(dem_any_pair(&any, &query, scratch, SCRATCH, &error));
    return 1;
}
static dem_point_query around(size_t count) {
    dem_point_query query = dem_point_query_default();
    query.shape = dem_shape_in(&ball);
    query.points = dem_array_f64(&points[0][0], count);
    return query;
}
static double point_distance(void) {
    const dem_point_query query = around(ITEMS);
    dem_point_results to = dem_point_results_default();
    to.distance = dem_output_f64(results, ITEMS);
    must(dem_point_distance(&to, &query, scratch, SCRATCH, &error));
    return ITEMS;
}
static double winding(void) {
    const dem_point_query query = around(8);
    const dem_output to = dem_output_f64(results, 8);
    must(dem_point_winding(&to, &query, &error));
    return 8.0 * TRIANGLES;
}

/* Two bodies. */
static dem_placed_query placed(dem_placed a, dem_placed b, double distance) {
    dem_placed_query query = dem_placed_query_default();
    query.a = a, query.b = b;
    query.b.pose.position[0] = distance * 0.6, query.b.pose.position[1] = distance * 0.8;
    return query;
}
/* With as much scratch as is asked for. */
static double contacts_of(dem_placed body, double distance, int touch) {
    const dem_placed_query query = placed(body, body, distance);
    static double asked;
    size_t count;
    if (asked != distance) must(dem_placed_contacts_scratch(&enough, &query, 0, 0, 0, &error));
    asked = distance;
    must(dem_placed_contacts(contacts, 4096, 0, &count, &query, scratch, enough, &error));
    if ((count > 0) != touch) exit(2);
    return 1;
}
static double sphere_contacts(void) {
    return contacts_of(dem_placed_sphere(1, 0.01), 2, 1);
}
static double far_contacts(void) {
    return contacts_of(dem_placed_mesh(dem_shape_in(&ball), 1), 100, 0);
}
static double contacts_scratch(void) {
    const dem_placed mesh = dem_placed_mesh(dem_shape_in(&ball), 1);
    const dem_placed_query query = placed(mesh, mesh, 2);
    must(dem_placed_contacts_scratch(&enough, &query, 0, 0, 0, &error));
    return 1;
}
static double corners_scratch(void) {
    const dem_placed mesh = dem_placed_mesh(dem_shape_in(&ball), 1);
    const dem_placed_query query = placed(mesh, mesh, 2);
    must(dem_contact_corners_scratch(&enough, &query, 0, &error));
    return 1;
}
static double cast(dem_placed body) {
    must(dem_placed_cast(hits, &body, rays, ITEMS, &error));
    return ITEMS;
}
static double cast_mesh(void) {
    return cast(dem_placed_mesh(dem_shape_in(&ball), 1));
}
static double cast_sphere(void) {
    return cast(dem_placed_sphere(1, 0.01));
}

/* Pairs of triangles; points and segments are their first corners. */
static double distances(const void *from, uint32_t type) {
    const size_t size = type == DEM_F32 ? sizeof(float) : sizeof(double);
    dem_triangles a = {from, ITEMS, 18 * size, 0, 0, type, 0}, b = a;
    dem_closest_points to = dem_closest_points_default();
    b.data = (const char *)from + 9 * size;
    to.distance = dem_output_f64(results, ITEMS);
    must(dem_triangle_distance(&to, &a, &b, NULL, NULL, &error));
    return ITEMS;
}
static double distances_single(void) {
    return distances(singles, DEM_F32);
}
static double distances_double(void) {
    return distances(items, DEM_F64);
}
static double within(const void *from, uint32_t type) {
    const size_t size = type == DEM_F32 ? sizeof(float) : sizeof(double);
    dem_triangles a = {from, ITEMS, 18 * size, 0, 0, type, 0}, b = a;
    dem_contact_options options = dem_contact_options_default();
    dem_contact_results to = dem_contact_results_default();
    b.data = (const char *)from + 9 * size;
    to.distance = dem_output_f64(results, ITEMS);
    options.fallback = DEM_FALLBACK_NONE;
    must(dem_triangle_contacts(&to, NULL, 0, &a, &b, NULL, &options, &error));
    return ITEMS;
}
static double within_single(void) {
    return within(singles, DEM_F32);
}
static double within_double(void) {
    return within(items, DEM_F64);
}
static dem_array item_points(void) {
    dem_array a = dem_array_f64(&items[0][0][0][0], ITEMS);
    a.stride = sizeof items[0];
    return a;
}
static dem_segments item_segments(int side) {
    const dem_segments s = {items[0][side], ITEMS, sizeof items[0], 0, 0, DEM_F64, 0};
    return s;
}
static double point_triangle(void) {
    const dem_array a = item_points();
    const dem_triangles b = {items[0][1], ITEMS, sizeof items[0], 0, 0, DEM_F64, 0};
    dem_closest_points to = dem_closest_points_default();
    to.distance = dem_output_f64(results, ITEMS);
    must(dem_point_triangle_distance(&to, &a, &b, NULL, NULL, &error));
    return ITEMS;
}
static double point_segment(void) {
    const dem_array a = item_points();
    const dem_segments b = item_segments(1);
    dem_closest_points to = dem_closest_points_default();
    to.distance = dem_output_f64(results, ITEMS);
    must(dem_point_segment_distance(&to, &a, &b, NULL, NULL, &error));
    return ITEMS;
}
static double segments(void) {
    const dem_segments a = item_segments(0), b = item_segments(1);
    dem_closest_points to = dem_closest_points_default();
    to.distance = dem_output_f64(results, ITEMS);
    must(dem_segment_distance(&to, &a, &b, NULL, NULL, &error));
    return ITEMS;
}
static double materials(void) {
    const dem_material glass = {1e7, 0.25, 0.5, 0.8, 0, 0};
    dem_interaction found;
    must(dem_interaction_of_materials(&found, sizeof found, &glass, &glass, DEM_NORMAL_HERTZ, 0.01, &error));
    return 1;
}
static double damping(void) {
    double found;
    must(dem_damping_for(&found, DEM_DAMPING_HUNT_CROSSLEY, 0.8, 1, &error));
    return 1;
}

static double placed_mass(void) {
    const dem_placed body = dem_placed_mesh(dem_shape_in(&ball), 1);
    dem_mass found;
    must(dem_placed_mass(&found, sizeof found, &body, 1, 0, scratch, SCRATCH, &error));
    return TRIANGLES;
}

typedef struct row {
    const char *call, *words;
    double least, most; /* ns */
    double (*run)(void);
} row;

static const row ROWS[] = {
    {"dem_error_format", "Cost: some tenths of a microsecond.", 100, 400, error_format},
    {"dem_shape_init", "some 7 microseconds a triangle of a curved surface with the default preset", 7000, 7000, build},
    {"dem_shape_init, no cells", "1 to 2 without cells", 1000, 2000, build_bare},
    {"dem_shape_open", "about 0.1 ns a byte", 0.1, 0.1, open_shape},
    {"dem_shape_describe", "about 0.2 microseconds", 200, 200, describe},
    {"dem_scene_view", "Cost: about half a microsecond.", 500, 500, view},
    {"dem_placed_cast, sphere", "about 0.15 microseconds for a ray and a sphere", 150, 150, cast_sphere},
    {"dem_placed_cast, mesh", "about two microseconds for a mesh", 2000, 2000, cast_mesh},
    {"dem_cylinder_facets", "Cost: some tenths of a microsecond.", 200, 400, facets},
    {"dem_shape_inspect", "some 8 microseconds a triangle of a sphere, most of it for the thickness", 8000, 8000, inspect},
    {"dem_shape_self_intersections", "1 to 10 microseconds a triangle", 1000, 10000, self_intersections},
    {"dem_shape_mass", "Cost: about 0.2 microseconds a triangle.", 200, 200, mass},
    {"dem_placed_mass", "about 0.7 microseconds a triangle. If parts overlap", 700, 700, placed_mass},
    {"dem_shape_refit", "0.3 microseconds a triangle with `DEM_REFIT_HALOS`", 300, 300, refit_halos},
    {"dem_shape_refit, surrogates", "1.1 with `DEM_REFIT_SURROGATES`", 1100, 1100, refit_surrogates},
    {"dem_pairs, far apart", "about 0.25 microseconds for bodies far apart", 250, 250, pairs_far},
    {"dem_min_distance", "25 to 100 microseconds at most poses", 25000, 100000, min_distance},
    {"dem_any_pair", "3 to 25 microseconds if meshes of up to 50,000 triangles cross", 3000, 25000, any_pair},
    {"dem_point_distance", "1 to 7 microseconds a point", 1000, 7000, point_distance},
    {"dem_point_winding", "about 30 ns for each triangle and point", 30, 30, winding},
    {"dem_placed_contacts, spheres", "about 0.6 microseconds for spheres and half-spaces", 600, 600, sphere_contacts},
    {"dem_placed_contacts, far apart", "about 1.6 for meshes far apart", 1600, 1600, far_contacts},
    {"dem_placed_contacts_scratch", "Cost: about 0.5 microseconds. For compounds", 500, 500, contacts_scratch},
    {"dem_contact_corners_scratch", "Cost: about 0.4 microseconds.", 400, 400, corners_scratch},
    {"dem_triangle_distance, float", "in single precision about 60 ns a pair with AVX2", 60, 60, distances_single},
    {"dem_triangle_distance, double", "in double precision about 95", 95, 95, distances_double},
    {"dem_triangle_contacts, float", "about 40 ns a pair in single precision", 40, 40, within_single},
    {"dem_triangle_contacts, double", "50 ns in double", 50, 50, within_double},
    {"dem_point_triangle_distance", "about 100 ns a pair", 100, 100, point_triangle},
    {"dem_point_segment_distance", "Cost: about 40 ns a pair.", 40, 40, point_segment},
    {"dem_segment_distance", "about 70 ns a pair", 70, 70, segments},
    {"dem_interaction_of_materials", "Cost: about ten microseconds", 10000, 10000, materials},
    {"dem_damping_for", "Cost: some microseconds.", 2000, 6000, damping},
    {"dem_world_contacts", "Cost: about 0.6 microseconds.", 600, 600, world_view},
};

/* A chain of additions, each of which waits for the one before: it tells how fast the processor is now. */
static double additions(void) {
    volatile double one = 1;
    double sum = 0;
    const double step = one;
    for (int i = 0; i < 1000; i += 1) sum += step;
    one = sum;
    return 1000;
}

/* Time of this process on a processor: other programs may run. */
static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nanoseconds for each item: the best round. */
static double measured(double (*run)(void)) {
    double best = HUGE_VAL;
    int calls = 1;
    for (int round = 0; round < 20;) {
        double done = 0;
        const double begin = seconds();
        for (int i = 0; i < calls; i += 1) done += run();
        const double taken = seconds() - begin;
        if (taken < 0.005) {
            calls *= 2;
            continue;
        }
        best = fmin(best, 1e9 * taken / done);
        round += 1;
    }
    return best;
}

static void set_up(void) {
    dem_scene_query query = dem_scene_query_default();
    const double places[2][3] = {{0, 0, 0}, {2, 0, 0}};
    const dem_placed shape = dem_placed_sphere(1, 0.01);
    dem_member member = dem_member_default();
    sphere();
    for (int i = 0; i < ITEMS; i += 1)
        for (int c = 0; c < 18; c += 1) {
            items[i][c / 9][c / 3 % 3][c % 3] = random_number() + (c >= 9 ? 0.5 : 0);
            singles[i][c / 9][c / 3 % 3][c % 3] = (float)items[i][c / 9][c / 3 % 3][c % 3];
            if (c < 3) rays[i].origin[c] = points[i][c] = 4 * random_number() - 2, rays[i].direction[c] = -points[i][c];
            rays[i].most = 10, rays[i].mask = 1;
        }
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(&vertices[0][0], VERTICES);
    desc.triangles = dem_indices_u32(&corners[0][0], TRIANGLES);
    desc.halo = 0.01;
    ball = bare = scene = world = dem_heap();
    scratch = malloc(SCRATCH);
    (void)build(), (void)build_bare(), (void)describe();
    query.shapes = &shape, query.shape_count = 1;
    query.positions = dem_array_f64(&places[0][0], 2);
    must(dem_scene_step(&scene, NULL, 0, &query, &error));
    must(dem_world_build(&world, NULL, &error));
    must(dem_world_insert(&world, NULL, &member, &error));
}

/* With the name of a call: only rows that begin with it. */
int main(int count, char **arguments) {
    const char *only = count > 1 ? arguments[1] : "";
    set_up();
    printf("Additions in a chain: %.2g ns each.\n", measured(additions));
    printf("%-32s %14s %10s        the header's words\n", "", "told, ns", "measured");
    for (const row *r = ROWS; r < ROWS + sizeof ROWS / sizeof *ROWS; r += 1) {
        char told[64];
        if (strncmp(r->call, only, strlen(only)) != 0) continue;
        const double ns = measured(r->run);
        const int off = ns > 1.5 * r->most || ns < r->least / 1.5;
        (void)snprintf(told, sizeof told, r->least < r->most ? "%g to %g" : "%g", r->least, r->most);
        printf("%-32s %14s %10.3g %5s  %s\n", r->call, told, ns, off ? "off" : "", r->words);
    }
    return 0;
}
