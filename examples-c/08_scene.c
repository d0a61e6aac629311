/*
 * Ten thousand bodies fall on the ground between four walls: balls of many sizes, rocks of 128 triangles, and pairs of
 * balls grown together. One wall is a mesh that bulges inwards, with new vertices in every step. One call a step
 * finds all contacts, and which contacts of the last step they continue. Friction springs follow their contacts, and
 * events tell how many pairs begin to touch.
 *
 * Bodies are structs of the program. The library reads them in place through strides, and writes sums of forces back
 * into them. The memory of the scene grows when the library asks for more.
 *
 * Checked: contacts of some pairs of bodies equal those of queries for these pairs alone; all forces and torques sum to
 * zero, since they come in pairs; the loads on the vertices of the wall sum to the force on the wall; nothing falls
 * through; most contacts continue from step to step.
 *
 * usage: 08_scene [bodies [steps]]
 */
#include <dem_mesh.h>
#include <dem_pair.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BALL, ROCK, TWIN, GROUND, WALL, SHAPES, GRID = 16, SIDE = GRID + 1, FACES = 8 * 16 };
static const double gravity = 9.81, halo = 0.004, dt = 5e-4, spacing = 0.19, k = 4e6, damping = 4e3, mu = 0.4,
    inwards = 2;
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

static void *memory(void *old, size_t size) {
    void *bytes = realloc(old, size);
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

static mesh build(const double *vertices, size_t vertex_count, const uint32_t *triangles, size_t count) {
    mesh made;
    dem_error error;
    dem_shape_desc desc;
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices, vertex_count);
    desc.triangles = dem_indices_u32(triangles, count);
    desc.halo = halo;
    must(dem_shape_layout(&made.size, NULL, &desc, &error), &error);
    made.memory = memory(NULL, made.size + DEM_ALIGN - 1);
    must(dem_shape_init(dem_align(made.memory), made.size, &made.shape, &desc, &error), &error);
    return made;
}

/* A rock: an octahedron whose faces have 16 triangles each, projected to a sphere, with bumps. */
static mesh build_rock(void) {
    static double soup[FACES][3][3];
    static uint32_t triangles[FACES][3];
    int n = 0;
    for (int face = 0; face < 8; face += 1) {
        const int sign[3] = {face & 1 ? -1 : 1, face & 2 ? -1 : 1, face & 4 ? -1 : 1};
        const int turned = sign[0] * sign[1] * sign[2] < 0;
        for (int i = 0; i < 4; i += 1) {
            for (int j = 0; i + j < 4; j += 1) {
                for (int up = 0; up < (i + j < 3 ? 2 : 1); up += 1) {
                    const int at[3][2] = {{i + up, j + up}, {i + 1 - up, j + up}, {i + up, j + 1 - up}};
                    for (int corner = 0; corner < 3; corner += 1) {
                        double *v = soup[n][turned ? 2 - corner : corner];
                        const double p[3] = {at[corner][0] / 4.0, at[corner][1] / 4.0,
                            1 - (at[corner][0] + at[corner][1]) / 4.0};
                        const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                        for (int a = 0; a < 3; a += 1) {
                            v[a] = sign[a] * p[a] / length;
                        }
                        const double waves = sin(5 * v[0] + 1) * sin(4 * v[1] + 2) * sin(3 * v[2] + 3);
                        const double bump = 0.08 * (1 + 0.1 * waves);
                        for (int a = 0; a < 3; a += 1) {
                            v[a] *= bump;
                        }
                    }
                    for (int corner = 0; corner < 3; corner += 1) {
                        triangles[n][corner] = (uint32_t)(3 * n + corner);
                    }
                    n += 1;
                }
            }
        }
    }
    return build(soup[0][0], 3 * FACES, triangles[0], FACES);
}

/* The wall at x = 0, which faces along x. It is wide and high enough for all bodies, and bulges. */
typedef struct wall {
    mesh mesh;
    double vertices[SIDE * SIDE][3], velocities[SIDE * SIDE][3], loads[SIDE * SIDE][3], width, height;
} wall;

/* Moves the vertices of the wall; `speed` is the velocity of the bulge. */
static void bulge(wall *w, double by, double speed) {
    for (int i = 0; i < SIDE * SIDE; i += 1) {
        const double y = (double)(i % SIDE) / GRID, z = (double)(i / SIDE) / GRID;
        const double part = sin(3.14159265358979 * y) * sin(3.14159265358979 * z);
        w->vertices[i][0] = by * part;
        w->vertices[i][1] = w->width * y;
        w->vertices[i][2] = w->height * z;
        w->velocities[i][0] = speed * part;
        w->velocities[i][1] = 0;
        w->velocities[i][2] = 0;
    }
}

static wall *build_wall(double width, double height) {
    static uint32_t triangles[2 * GRID * GRID][3];
    wall *w = (wall *)memory(NULL, sizeof *w);
    w->width = width;
    w->height = height;
    bulge(w, 0, 0);
    for (uint32_t n = 0; n < GRID * GRID; n += 1) {
        const uint32_t low = n / GRID * SIDE + n % GRID, high = low + SIDE;
        const uint32_t two[2][3] = {{low, low + 1, high + 1}, {low, high + 1, high}};
        memcpy(triangles[2 * n], two, sizeof two);
    }
    w->mesh = build(w->vertices[0], SIDE * SIDE, triangles[0], 2 * GRID * GRID);
    return w;
}

static void refit(wall *w) {
    dem_error error;
    dem_refit_desc desc;
    desc = dem_refit_desc_default();
    desc.vertices = dem_array_f64(w->vertices[0], SIDE * SIDE);
    must(dem_shape_refit(w->mesh.shape, w->mesh.size, &desc, &error), &error);
}

/* A body of the program. */
typedef struct body {
    double position[3], orientation[4], velocity[3], spin[3], scale, mass, inertia, force[3], torque[3];
    uint32_t shape, motion;
} body;

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (1 << 24);
}

/* A body that does not move. */
static body fixed(uint32_t shape, double x, double y, double z, double qx, double qy, double qz, double qw) {
    const body made = {{x, y, z}, {qx, qy, qz, qw}, {0, 0, 0}, {0, 0, 0}, 1, 1, 1, {0, 0, 0}, {0, 0, 0}, shape, 2};
    return made;
}

static void place(body *bodies, size_t count, size_t row, double width) {
    const double turn = sqrt(0.5);
    bodies[0] = fixed(GROUND, 0, 0, 0, 0, 0, 0, 1);
    bodies[1] = fixed(WALL, 0, 0, 0, 0, 0, 0, 1);
    bodies[1].motion = 1;
    /* Half-spaces that face along -x, y and -y. */
    bodies[2] = fixed(GROUND, width, 0, 0, 0, -turn, 0, turn);
    bodies[3] = fixed(GROUND, 0, 0, 0, -turn, 0, 0, turn);
    bodies[4] = fixed(GROUND, 0, width, 0, turn, 0, 0, turn);
    for (size_t i = 5; i < count; i += 1) {
        const size_t n = i - 5;
        body *b = &bodies[i];
        const double draw = uniform();
        memset(b, 0, sizeof *b);
        b->shape = draw < 0.7 ? BALL : draw < 0.9 ? ROCK : TWIN;
        b->scale = b->shape == BALL ? 0.05 + 0.04 * uniform() : 1;
        b->position[0] = spacing * ((double)(n % row) + 0.5);
        b->position[1] = spacing * ((double)(n / row % row) + 0.5);
        b->position[2] = spacing * ((double)(n / row / row) + 0.5);
        for (int a = 0; a < 3; a += 1) {
            b->orientation[a] = uniform() - 0.5;
            b->velocity[a] = uniform() - 0.5;
        }
        b->orientation[3] = 0.5;
        const double radius = b->shape == BALL ? b->scale : 0.08;
        b->mass = 2500 * 4.19 * radius * radius * radius;
        b->inertia = 0.4 * b->mass * radius * radius;
    }
}

/* The law: the pressure of the halos, damping, and friction. Slip stretches the friction spring up to the limit of
   friction. */
static void law(const dem_contact *c, const double velocity[3], double spring[3], double force[3]) {
    double closing = 0, size = 0;
    for (int n = 0; n < 3; n += 1) {
        closing -= velocity[n] * c->normal[n];
    }
    for (int n = 0; n < 3; n += 1) {
        spring[n] += dt * (velocity[n] + closing * c->normal[n]);
        size += spring[n] * spring[n];
    }
    const double weight = (1 - c->gap / c->halo) * c->area, stiffness = weight * 0.2 * k / c->halo;
    const double push = weight * fmax(k + 400 * damping * closing, 0), most = mu * push;
    const double held = stiffness * sqrt(size) > most ? most / (stiffness * sqrt(size)) : 1;
    for (int n = 0; n < 3; n += 1) {
        spring[n] *= held;
        force[n] = push * c->normal[n] - stiffness * spring[n];
    }
}

static void move(body *bodies, size_t count) {
    for (size_t i = 0; i < count; i += 1) {
        body *b = &bodies[i];
        double *q = b->orientation, size = 0;
        if (b->motion != 0) {
            continue;
        }
        for (int a = 0; a < 3; a += 1) {
            b->velocity[a] += dt * (b->force[a] / b->mass - (a == 2 ? gravity : 0));
            b->spin[a] += dt * b->torque[a] / b->inertia;
            b->position[a] += dt * b->velocity[a];
        }
        const double w[3] = {0.5 * dt * b->spin[0], 0.5 * dt * b->spin[1], 0.5 * dt * b->spin[2]};
        const double turned[4] = {
            q[0] + w[0] * q[3] + w[1] * q[2] - w[2] * q[1], q[1] + w[1] * q[3] + w[2] * q[0] - w[0] * q[2],
            q[2] + w[2] * q[3] + w[0] * q[1] - w[1] * q[0], q[3] - w[0] * q[0] - w[1] * q[1] - w[2] * q[2]};
        for (int a = 0; a < 4; a += 1) {
            size += turned[a] * turned[a];
        }
        for (int a = 0; a < 4; a += 1) {
            q[a] = turned[a] / sqrt(size);
        }
    }
}

/* The scene with its memory. */
typedef struct scene {
    dem_scene *scene;
    dem_scene_desc desc;
    void *block, *scratch;
    size_t scratch_size;
} scene;

/* Allocates a block of the described sizes, and copies the state of the old one. */
static void grow(scene *s) {
    size_t size = 0;
    dem_error error;
    must(dem_scene_layout(&size, NULL, &s->desc, &error), &error);
    void *block = memory(NULL, size + DEM_ALIGN - 1);
    if (s->scene == NULL) {
        must(dem_scene_init(dem_align(block), size, &s->scene, &s->desc, &error), &error);
    } else {
        must(dem_scene_grow(dem_align(block), size, &s->scene, s->scene, &s->desc, &error), &error);
    }
    free(s->block);
    s->block = block;
}

/* Makes one step. If memory is too small, it grows to the sizes that the error tells. */
static dem_scene_counts detect(scene *s, dem_scene_query *query) {
    dem_scene_counts found;
    for (;;) {
        dem_error error;
        const size_t size = dem_scratch_needed(dem_scene_detect(s->scene, NULL, 0, query, NULL, 0, &error), &error);
        if (size > s->scratch_size) {
            s->scratch = memory(s->scratch, size);
            s->scratch_size = size;
        }
        const int32_t status = dem_scene_detect(s->scene, &found, sizeof found, query, s->scratch, s->scratch_size,
            &error);
        if (status != DEM_ERROR_CAPACITY) {
            must(status, &error);
            return found;
        }
        if (error.argument == DEM_ARGUMENT_PAIRS) {
            query->pairs = (size_t)error.needed + (size_t)error.needed / 4;
        } else if (error.argument == DEM_ARGUMENT_OUTPUT) {
            query->pair_contacts = (size_t)error.needed + 8;
        } else if (error.argument == DEM_ARGUMENT_CONTACTS) {
            s->desc.contacts = (uint32_t)(error.needed + error.needed / 4);
            grow(s);
        } else if (error.argument == DEM_ARGUMENT_CANDIDATES) {
            s->desc.candidates = (uint32_t)(error.needed + error.needed / 4);
            grow(s);
        } else {
            must(status, &error);
        }
    }
}

/* Compares the contacts of two bodies with those of a query for this pair alone. */
static void compare(const dem_scene_contacts *view, const dem_scene_pair *pair, const dem_placed *shapes,
    const body *bodies) {
    static unsigned char scratch[1 << 22];
    dem_contact alone[64];
    dem_placed_query query;
    dem_placed *sides[2];
    size_t count = 0;
    dem_error error;
    query = dem_placed_query_default();
    sides[0] = &query.a;
    sides[1] = &query.b;
    query.tag = (uint64_t)(pair - view->pairs); /* as in keys of a scene */
    for (int side = 0; side < 2; side += 1) {
        const body *b = &bodies[side == 0 ? pair->a : pair->b];
        *sides[side] = shapes[b->shape];
        sides[side]->scale = b->scale;
        memcpy(sides[side]->pose.position, b->position, sizeof b->position);
        memcpy(sides[side]->pose.orientation, b->orientation, sizeof b->orientation);
    }
    must(dem_placed_contacts(alone, 64, 0, &count, &query, scratch, sizeof scratch, &error), &error);
    check("the contacts of two bodies alone are those of the scene",
          count == pair->end - pair->first && memcmp(alone, view->contacts + pair->first, count * sizeof *alone) == 0);
}

/* A strided array of a field of the program's structs. */
static dem_array doubles(const double *first, size_t count) {
    const dem_array array = {first, count, sizeof(body), 0, DEM_F64, 0};
    return array;
}

static dem_array words(const uint32_t *first, size_t count) {
    const dem_array array = {first, count, sizeof(body), 0, DEM_U32, 0};
    return array;
}

int main(int argc, char **argv) {
    puts("Bodies of all kinds fall between four walls, one of which bulges inward.");
    const size_t count = (argc > 1 ? strtoul(argv[1], NULL, 10) : 10000) + 5,
        steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 60;
    const size_t row = (size_t)ceil(cbrt((double)count));
    const double width = spacing * (double)row;
    body *bodies = (body *)memory(NULL, count * sizeof *bodies);
    double(*velocities)[3] = NULL, (*forces)[3] = NULL, (*springs)[3] = NULL, (*spare)[3] = NULL;
    dem_contact_event *events = NULL;
    size_t event_count = 0, meetings = 0, needs = 0;
    mesh rock = build_rock();
    wall *w = build_wall(width, 2 * width);
    place(bodies, count, row, width);

    dem_placed parts[2] = {dem_placed_sphere(0.05, halo), dem_placed_sphere(0.05, halo)}, shapes[SHAPES];
    dem_compound twin = {sizeof twin, 0, parts, 2, 0};
    parts[0].pose.position[0] = 0.03;
    parts[1].pose.position[0] = -0.03;
    shapes[BALL] = dem_placed_sphere(1, 0);
    shapes[ROCK] = dem_placed_mesh(rock.shape, 1);
    shapes[TWIN] = dem_placed_compound(&twin);
    shapes[GROUND] = dem_placed_half_space(halo);
    shapes[WALL] = dem_placed_mesh(w->mesh.shape, 0);
    shapes[BALL].halo = halo / 0.07;

    scene s = {NULL, {0}, NULL, NULL, 0};
    s.desc = dem_scene_desc_default();
    s.desc.bodies = (uint32_t)count;
    grow(&s);

    dem_scene_query query;
    dem_scene_contacts view;
    dem_scene_counts found = {0};
    uint64_t persisting = 0, before = 0, compared = 0;
    double residue = 0, load = 0, astray = 0, pressed = 0;
    query = dem_scene_query_default();
    query.shapes = shapes;
    query.shape_count = SHAPES;
    query.bound = halo;
    query.positions = doubles(bodies->position, count);
    query.orientations = doubles(bodies->orientation, count);
    query.scales = doubles(&bodies->scale, count);
    query.shape_of = words(&bodies->shape, count);
    query.motions = words(&bodies->motion, count);

    dem_scene_surface surface = dem_surface_of(&shapes[WALL], 1, 1);
    surface.vertices = dem_array_f64(w->velocities[0], SIDE * SIDE);
    dem_scene_motion motion;
    motion = dem_scene_motion_default();
    motion.velocities = doubles(bodies->velocity, count);
    motion.spins = doubles(bodies->spin, count);
    motion.surfaces = &surface;
    motion.surface_count = 1;
    for (size_t step = 0; step < steps; step += 1) {
        dem_error error;
        bulge(w, inwards * dt * (double)step, inwards);
        refit(w);
        const uint64_t last = found.contacts;
        found = detect(&s, &query);
        must(dem_scene_view(&view, sizeof view, s.scene, &error), &error);
        before += step > 0 ? last : 0;
        persisting += found.persisting;

        /* Carries springs along with their contacts; then both arrays are exchanged. */
        double(*carried)[3] = (double(*)[3])memory(spare, (view.count + 1) * sizeof *carried);
        must(dem_scene_carry(carried[0], s.scene, springs != NULL ? springs[0] : NULL, NULL, DEM_CARRY_TANGENT,
            &error), &error);
        spare = springs;
        springs = carried;
        events = (dem_contact_event *)memory(events, (view.count + view.last_count + 1) * sizeof *events);
        must(dem_scene_events(events, view.count + view.last_count, &event_count, s.scene, &error), &error);
        for (size_t n = 0; n < event_count; n += 1) {
            meetings += events[n].pair == DEM_EVENT_BEGIN;
        }

        /* Velocities of surfaces at contacts, including those of the wall's vertices. */
        velocities = (double(*)[3])memory(velocities, (view.count + 1) * sizeof *velocities);
        must(dem_scene_velocities_scratch(&needs, s.scene, &motion, NULL, &error), &error);
        if (needs > s.scratch_size) {
            s.scratch = memory(s.scratch, needs);
            s.scratch_size = needs;
        }
        must(dem_scene_velocities(velocities[0], s.scene, &motion, NULL, s.scratch, s.scratch_size, &error), &error);
        forces = (double(*)[3])memory(forces, (view.count + 1) * sizeof *forces);
        for (size_t n = 0; n < view.pair_count; n += 1) {
            const dem_scene_pair *pair = dem_pair_at(&view, n);
            for (uint32_t i = pair->first; i < pair->end; i += 1) {
                law(dem_contact_at(&view, i), velocities[i], springs[i], forces[i]);
            }
            if ((n + step) % 4999 == 0) {
                compare(&view, pair, shapes, bodies);
                compared += 1;
            }
        }
        const dem_array given = dem_array_f64(forces[0], view.count);
        const dem_output force = {bodies->force, count, sizeof(body), 0, DEM_F64, 0};
        const dem_output torque = {bodies->torque, count, sizeof(body), 0, DEM_F64, 0};
        must(dem_scene_wrenches(&force, &torque, s.scene, &given, NULL, NULL, NULL, DEM_LIST_CONTACTS, &error), &error);

        /* The loads on the wall's vertices, as a solver of the wall's motion needs them. */
        const dem_output loads = dem_output_f64(w->loads[0], SIDE * SIDE);
        needs = dem_scratch_needed(
            dem_scene_loads(&loads, s.scene, &surface, sizeof surface, &given, DEM_LIST_CONTACTS, NULL, 0, &error),
                &error);
        if (needs > s.scratch_size) {
            s.scratch = memory(s.scratch, needs);
            s.scratch_size = needs;
        }
        must(dem_scene_loads(&loads, s.scene, &surface, sizeof surface, &given, DEM_LIST_CONTACTS, s.scratch,
            s.scratch_size, &error), &error);
        for (int a = 0; a < 3; a += 1) {
            double borne = 0;
            for (int v = 0; v < SIDE * SIDE; v += 1) {
                borne += w->loads[v][a];
            }
            astray = fmax(astray, fabs(borne - bodies[1].force[a]));
            pressed = fmax(pressed, fabs(borne));
        }

        double sum[6] = {0, 0, 0, 0, 0, 0};
        for (size_t i = 0; i < count; i += 1) {
            const double *p = bodies[i].position, *f = bodies[i].force;
            for (int a = 0; a < 3; a += 1) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                sum[a] += f[a];
                sum[3 + a] += bodies[i].torque[a] + p[b] * f[c] - p[c] * f[b];
                load = fmax(load, fabs(f[a]) * (1 + width));
            }
        }
        for (int a = 0; a < 6; a += 1) {
            residue = fmax(residue, fabs(sum[a]));
        }
        move(bodies, count);
    }

    int inside = 1;
    for (size_t i = 5; i < count; i += 1) {
        for (int a = 0; a < 3; a += 1) {
            inside = inside && bodies[i].position[a] > 0 && bodies[i].position[a] < width + 1;
        }
    }
    printf("%zu bodies, %zu steps: in the last one %llu pairs were near, %llu had %llu contacts\n", count, steps,
           (unsigned long long)found.candidates, (unsigned long long)found.pairs, (unsigned long long)found.contacts);
    printf("pairs of bodies that met on the way: %zu\n", meetings);
    check("some pairs were compared", compared > 0);
    check("as many have met as are in contact, and more", meetings >= found.pairs);
    check("forces and torques come in pairs", residue <= 1e-9 * load);
    printf("the wall bore up to %.3g along an axis\n", pressed);
    check("the wall's vertices bear what the wall bears", astray <= 1e-9 * pressed);
    check("nothing leaves the box", inside);
    check("most contacts go on", 10 * persisting > 8 * before);
    free(rock.memory);
    free(w->mesh.memory);
    free(w);
    free(s.block);
    free(s.scratch);
    free(springs);
    free(spare);
    free(events);
    free(velocities);
    free(forces);
    free(bodies);
    return mistakes > 0;
}
