/*
 * Balls and a block sink in a liquid towards a wall that swings and flutters, and two balls meet. Each step does what a
 * solver of fluid-structure interaction needs: from arrays of positions and velocities to arrays of forces and torques.
 *
 * One step has two lists of contacts. The first list has the contacts within thin halos, where rough surfaces push. The
 * second list, with a margin, has the contacts within the range of lubrication; their `least_gap` is the width of the
 * gap. The first list does not depend on the margin, and each of its pairs is in the second list. The wall's vertices
 * are new in every step (refit), and their velocities count at its contacts (`list` of the motion). dem_scene_loads
 * distributes the forces on the wall to its vertices, as a solver of structures needs them.
 *
 * Checked: with the law F = c v (1/h - 1/T) of lubrication m u + c (ln h/T - h/T + 1) + W t does not change, however
 * the wall moves (u: velocity of the body, v: how fast the gap closes, h: its width, T: where the law begins, W:
 * weight in the liquid, c = 6 pi mu R^2); forces come in pairs; forces on vertices sum to that on the wall; the first
 * list has exactly those pairs of the second one that are within the halos; nothing touches.
 *
 * usage: 13_lubrication [steps]
 */
#include <dem_mesh.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALL, LARGE, SMALL, BLOCK, WEST, EAST, ADRIFT, BODIES, CELLS = 6, SIDE = CELLS + 1, FACES = 2 * CELLS * CELLS,
    MOST = 64 };
static const double pi = 3.14159265358979323846, viscosity = 0.25, half = 6, thin = 0.05, margin = 0.45, dt = 3e-3,
    roughness = 1e-3;
static int mistakes = 0;

static void check(const char *what, int holds) {
    if (!holds) {
        printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Ends the program if a call fails; a solver would handle the error. */
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
    if (bytes == NULL && size > 0) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    return bytes;
}

/* A shape and its memory. */
typedef struct mesh {
    dem_shape *shape;
    void *memory;
    size_t size;
} mesh;

static mesh build(const double *vertices, size_t vertex_count, const uint32_t *triangles, size_t count, double halo) {
    mesh made;
    dem_error error;
    dem_shape_desc desc;
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices, vertex_count);
    desc.triangles = dem_indices_u32(triangles, count);
    desc.halo = halo;
    must(dem_shape_layout(&made.size, NULL, &desc, &error), &error);
    made.memory = memory(made.size + DEM_ALIGN - 1);
    must(dem_shape_init(dem_align(made.memory), made.size, &made.shape, &desc, &error), &error);
    return made;
}

/* A cube of edge 2. */
static mesh build_block(void) {
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    double vertices[8][3];
    for (int i = 0; i < 8; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            vertices[i][k] = i >> k & 1 ? 1 : -1;
        }
    }
    return build(vertices[0], 8, triangles[0], 12, thin);
}

/* The wall, with the arrays of the structure's solver. */
typedef struct wall {
    mesh mesh;
    double vertices[SIDE * SIDE][3], velocities[SIDE * SIDE][3], forces[SIDE * SIDE][3], pushes[SIDE * SIDE][3];
} wall;

static double heave(double t) {
    return 0.2 * sin(1.5 * t);
}

/* Moves the wall to time t: all of it swings up and down, and one end flutters. */
static void flow(wall *w, double t) {
    for (int i = 0; i < SIDE * SIDE; i += 1) {
        const double x = half * (2.0 * (i % SIDE) / CELLS - 1), y = half * (2.0 * (i / SIDE) / CELLS - 1);
        const double flutter = x > 3 ? 0.03 * (x - 3) * (x - 3) : 0;
        const double place[3] = {x, y, heave(t) + flutter * sin(4 * t)};
        const double velocity[3] = {0, 0, 0.2 * 1.5 * cos(1.5 * t) + flutter * 4 * cos(4 * t)};
        memcpy(w->vertices[i], place, sizeof place);
        memcpy(w->velocities[i], velocity, sizeof velocity);
    }
}

static wall *build_wall(void) {
    wall *w = (wall *)memory(sizeof *w);
    uint32_t triangles[FACES][3];
    flow(w, 0);
    for (uint32_t n = 0; n < CELLS * CELLS; n += 1) {
        const uint32_t low = n / CELLS * SIDE + n % CELLS, high = low + SIDE;
        const uint32_t two[2][3] = {{low, low + 1, high + 1}, {low, high + 1, high}};
        memcpy(triangles[2 * n], two, sizeof two);
    }
    w->mesh = build(w->vertices[0], SIDE * SIDE, triangles[0], FACES, 0);
    return w;
}

static void refit(wall *w) {
    dem_error error;
    dem_refit_desc desc;
    desc = dem_refit_desc_default();
    desc.vertices = dem_array_f64(w->vertices[0], SIDE * SIDE);
    must(dem_shape_refit(w->mesh.shape, w->mesh.size, &desc, &error), &error);
}

/* A body of the program. `radius` is that of its lubrication. */
typedef struct body {
    double position[3], velocity[3], spin[3], radius, halo, mass, weight, force[3], torque[3], push[3], turn[3], pushed;
    uint32_t shape, motion;
} body;

static body placed(uint32_t shape, double x, double y, double z, double radius, double weight) {
    const double size = radius * radius * radius;
    const body made = {{x, y, z}, {0, 0, 0}, {0, 0, 0}, radius, thin, 4.19 * size, weight * size, {0, 0, 0},
        {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, shape, 0};
    return made;
}

/* The factor c of the law. */
static double strength(const body *a, const body *b) {
    const double reduced = a->radius * b->radius / (a->radius + b->radius);
    return 6 * pi * viscosity * (isinf(a->radius) ? b->radius * b->radius : isinf(b->radius) ? a->radius * a->radius
        : reduced * reduced);
}

/* The lubrication force on A at a contact. `velocity` is that of A's surface less that of B's. */
static void law(const dem_contact *c, const body *a, const body *b, const double velocity[3], double force[3]) {
    const double width = fmax(c->least_gap, roughness), *n = c->normal;
    const double closing = -(velocity[0] * n[0] + velocity[1] * n[1] + velocity[2] * n[2]);
    const double push = c->share * strength(a, b) * closing * (1 / width - 1 / c->halo);
    for (int k = 0; k < 3; k += 1) {
        force[k] = push * n[k];
    }
}

/* The force on A at a contact of rough surfaces: the pressure 1 - gap/T. */
static void touch(const dem_contact *c, double force[3]) {
    const double push = 10 * (1 - c->gap / c->halo) * c->area;
    for (int k = 0; k < 3; k += 1) {
        force[k] = push * c->normal[k];
    }
}

/* The momentum that the liquid has taken, or given, when the gap is h. */
static double taken(double c, double h, double T) {
    return h < T ? c * (log(h / T) - h / T + 1) : 0;
}

/* A strided array of a field of the program's structs. */
static dem_array doubles(const double *first) {
    const dem_array array = {first, BODIES, sizeof(body), 0, DEM_F64, 0};
    return array;
}

static dem_array words(const uint32_t *first) {
    const dem_array array = {first, BODIES, sizeof(body), 0, DEM_U32, 0};
    return array;
}

int main(int argc, char **argv) {
    puts("Bodies that sink in a liquid: lubrication across gaps, contact forces where they touch.");
    const long steps = argc > 1 ? strtol(argv[1], NULL, 10) : 1200;
    enum { OF_WALL, OF_BALLS, OF_BLOCK, SHAPES };
    wall *w = build_wall();
    mesh block = build_block();
    dem_placed shapes[SHAPES];
    shapes[OF_WALL] = dem_placed_mesh(w->mesh.shape, 0);
    shapes[OF_BALLS] = dem_placed_sphere(1, 0);
    shapes[OF_BLOCK] = dem_placed_mesh(block.shape, 1);
    body bodies[BODIES];
    bodies[WALL] = placed(OF_WALL, 0, 0, 0, 1, 0);
    bodies[WALL].radius = INFINITY;
    bodies[WALL].motion = 1;
    bodies[LARGE] = placed(OF_BALLS, -3, -3, 1.7, 1, 3);
    bodies[SMALL] = placed(OF_BALLS, 0, -3, 1.05, 0.4, 3);
    bodies[BLOCK] = placed(OF_BLOCK, -2, 2, 1.6, 1, 3);
    bodies[WEST] = placed(OF_BALLS, -2, 0, 9, 0.8, 0);
    bodies[EAST] = placed(OF_BALLS, 1.3, 0, 9, 0.5, 0);
    bodies[ADRIFT] = placed(OF_BALLS, 4.5, 1, 1.5, 1, 3);
    bodies[WEST].velocity[0] = 1;
    double scales[BODIES];
    for (int i = 0; i < BODIES; i += 1) {
        scales[i] = bodies[i].shape == OF_BALLS ? bodies[i].radius : 1;
    }

    dem_scene *scene = NULL;
    dem_scene_desc desc;
    dem_scene_query query;
    dem_scene_counts found;
    dem_scene_contacts view;
    dem_error error;
    size_t size = 0, scratch_size = 0, velocity_size = 0, load_size = 0;
    desc = dem_scene_desc_default();
    desc.bodies = BODIES;
    desc.margin_contacts = MOST;
    must(dem_scene_layout(&size, NULL, &desc, &error), &error);
    void *memory_of_scene = memory(size + DEM_ALIGN - 1);
    must(dem_scene_init(dem_align(memory_of_scene), size, &scene, &desc, &error), &error);
    query = dem_scene_query_default();
    query.shapes = shapes;
    query.shape_count = SHAPES;
    query.pairs = 1024;
    query.margin = margin;
    query.positions = doubles(bodies->position);
    query.scales = dem_array_f64(scales, BODIES);
    query.halos = doubles(&bodies->halo);
    query.shape_of = words(&bodies->shape);
    query.motions = words(&bodies->motion);
    scratch_size = dem_scratch_needed(dem_scene_detect(scene, NULL, 0, &query, NULL, 0, &error), &error);

    dem_scene_surface surface = dem_surface_of(&shapes[OF_WALL], WALL, 1);
    surface.vertices = dem_array_f64(w->velocities[0], SIDE * SIDE);
    dem_scene_motion motion;
    motion = dem_scene_motion_default();
    motion.list = DEM_LIST_MARGIN;
    motion.velocities = doubles(bodies->velocity);
    motion.spins = doubles(bodies->spin);
    motion.surfaces = &surface;
    motion.surface_count = 1;
    must(dem_scene_velocities_scratch(&velocity_size, scene, &motion, NULL, &error), &error);
    const dem_output on_wall = dem_output_f64(w->forces[0], SIDE * SIDE);
    const dem_array nothing = dem_array_f64(NULL, 0);
    load_size = dem_scratch_needed(
        dem_scene_loads(&on_wall, scene, &surface, sizeof surface, &nothing, DEM_LIST_CONTACTS, NULL, 0, &error),
            &error);
    scratch_size = scratch_size > velocity_size ? scratch_size : velocity_size;
    scratch_size = scratch_size > load_size ? scratch_size : load_size;
    void *scratch = memory(scratch_size);

    const double begin[2] = {bodies[WEST].velocity[0], bodies[EAST].velocity[0]};
    double widest[BODIES] = {0}, least = INFINITY, residue = 0, torn = 0, seen[BODIES] = {0};
    size_t touched = 0, wrong = 0;
    printf("     t  gaps:  large   small   block    pair  adrift\n");
    for (long step = 0; step < steps; step += 1) {
        const double t = dt * (double)step;
        static double velocities[MOST][3], forces[MOST][3], pushes[MOST][3];
        double gaps[BODIES] = {0, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        flow(w, t);
        refit(w);
        must(dem_scene_detect(scene, &found, sizeof found, &query, scratch, scratch_size, &error), &error);
        must(dem_scene_view(&view, sizeof view, scene, &error), &error);
        if (view.margin_count > MOST || view.count > MOST) {
            fprintf(stderr, "%zu contacts are more than expected\n", view.margin_count);
            return 2;
        }
        must(dem_scene_velocities(velocities[0], scene, &motion, NULL, scratch, scratch_size, &error), &error);
        for (size_t i = 0; i < view.count; i += 1) {
            touch(dem_contact_at(&view, i), pushes[i]);
        }
        size_t pairs = 0;
        for (size_t n = 0; n < view.margin_pair_count; n += 1) {
            const dem_scene_pair *pair = &view.margin_pairs[n];
            const int within = pair->least_gap < view.margin_contacts[pair->first].halo - margin;
            /* Pairs have the same order in both lists. */
            const dem_scene_pair *near = pairs < view.pair_count ? dem_pair_at(&view, pairs) : NULL;
            if (near != NULL && near->a == pair->a && near->b == pair->b) {
                wrong += !within;
                pairs += 1;
            } else {
                wrong += within;
            }
            for (uint32_t i = pair->first; i < pair->end; i += 1) {
                const dem_contact *c = &view.margin_contacts[i];
                law(c, &bodies[pair->a], &bodies[pair->b], velocities[i], forces[i]);
                gaps[pair->b] = fmin(gaps[pair->b], c->least_gap);
                least = fmin(least, c->least_gap);
            }
        }

        /* Sums of forces and torques, written into the structs of bodies, and forces on the vertices of the wall. */
        wrong += pairs != view.pair_count;
        touched += view.count > 0;
        const dem_array given = dem_array_f64(forces[0], view.margin_count),
            pushing = dem_array_f64(pushes[0], view.count);
        const dem_output force = {bodies->force, BODIES, sizeof(body), 0, DEM_F64, 0};
        const dem_output torque = {bodies->torque, BODIES, sizeof(body), 0, DEM_F64, 0};
        must(dem_scene_wrenches(&force, &torque, scene, &given, NULL, NULL, NULL, DEM_LIST_MARGIN, &error), &error);
        const dem_output push = {bodies->push, BODIES, sizeof(body), 0, DEM_F64, 0};
        const dem_output turn = {bodies->turn, BODIES, sizeof(body), 0, DEM_F64, 0};
        must(dem_scene_wrenches(&push, &turn, scene, &pushing, NULL, NULL, NULL, DEM_LIST_CONTACTS, &error), &error);
        const dem_output loads = dem_output_f64(w->forces[0], SIDE * SIDE),
            more = dem_output_f64(w->pushes[0], SIDE * SIDE);
        must(dem_scene_loads(&loads, scene, &surface, sizeof surface, &given, DEM_LIST_MARGIN, scratch, scratch_size,
            &error), &error);
        must(dem_scene_loads(&more, scene, &surface, sizeof surface, &pushing, DEM_LIST_CONTACTS, scratch,
            scratch_size, &error), &error);
        for (int a = 0; a < 3; a += 1) {
            double all = 0, vertices = 0;
            for (int i = 0; i < BODIES; i += 1) {
                all += bodies[i].force[a] + bodies[i].push[a];
            }
            for (int i = 0; i < SIDE * SIDE; i += 1) {
                vertices += w->forces[i][a] + w->pushes[i][a];
            }
            residue = fmax(residue, fabs(all));
            torn = fmax(torn, fabs(vertices - bodies[WALL].force[a] - bodies[WALL].push[a]));
        }

        /* The momentum of a body, that taken by the liquid, and that of its weight must sum to 0. */
        for (int i = LARGE; i <= BLOCK; i += 1) {
            const body *b = &bodies[i];
            const double c = strength(&bodies[WALL], b), T = thin + margin;
            const double now = b->mass * b->velocity[2] + taken(c, gaps[i], T) + b->weight * t - b->pushed;
            widest[i] = fmax(widest[i], fabs(now) / c);
            seen[i] += gaps[i] < T;
        }
        const double c = strength(&bodies[WEST], &bodies[EAST]), T = 2 * thin + margin;
        const double reduced = bodies[WEST].mass * bodies[EAST].mass / (bodies[WEST].mass + bodies[EAST].mass);
        const double parting = bodies[EAST].velocity[0] - bodies[WEST].velocity[0];
        widest[EAST] = fmax(widest[EAST], fabs(reduced * (parting - (begin[1] - begin[0])) + taken(c, gaps[EAST],
            T)) / c);
        seen[EAST] += gaps[EAST] < T;
        if (step % (steps / 8 + 1) == 0) {
            printf("  %.2f        %7.4f %7.4f %7.4f %7.4f %7.4f\n", t, gaps[LARGE], gaps[SMALL], gaps[BLOCK],
                gaps[EAST], gaps[ADRIFT]);
        }
        for (int i = LARGE; i < BODIES; i += 1) {
            bodies[i].pushed += dt * bodies[i].push[2];
            for (int a = 0; a < 3; a += 1) {
                bodies[i].velocity[a] += dt * (bodies[i].force[a] + bodies[i].push[a] -
                    (a == 2 ? bodies[i].weight : 0)) / bodies[i].mass;
                bodies[i].position[a] += dt * bodies[i].velocity[a];
            }
        }
    }
    static const char *const names[BODIES] = {"", "large ball", "small ball", "block", "", "two balls", ""};
    for (int i = LARGE; i <= EAST; i += 1) {
        if (i != WEST) {
            printf("%s: in the law for %.0f steps, off the closed form by %.1e c at most\n", names[i], seen[i],
                widest[i]);
            /* A small part of the force that holds a block up acts at its edges, where normals lean. */
            check("momentum is where the closed form says", widest[i] < (i == BLOCK ? 0.1 : 0.04));
            check("the liquid was felt", steps < 1200 || seen[i] > 100);
        }
    }
    check("forces come in pairs", residue < 1e-9);
    check("forces on vertices sum to that on the wall", torn < 1e-9);
    printf("rough surfaces pushed in %zu steps\n", touched);
    check("the list without a margin has the pairs within the halos", wrong == 0);
    check("nothing touches", least > 0);
    free(w->mesh.memory);
    free(block.memory);
    free(w);
    free(memory_of_scene);
    free(scratch);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
