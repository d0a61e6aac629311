/*
 * A tower of cubes stands by impulses, as in games and robotics: velocities change at once, so that no corner of a
 * contact closes by more than its gap in a step. In every step one call finds all contacts, and one call finds their
 * corners, at most four of each contact. Each corner has a name: the bodies, and the vertex or the edges that meet. By
 * this name the solver finds the impulse of the corner in the last step, and begins with it (warm starting). A few
 * rounds are then enough. A tower whose impulses begin at 0 in each step gives way.
 *
 * Checked: at most four corners a contact; at rest nearly all of them are found again; the tower stands, and without
 * warm starting it sinks.
 *
 * usage: 16_impulses [cubes [steps]]
 */
#include <dem.h>
#include <dem_heap.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 8 };
static const double gravity = 9.81, halo = 0.02, dt = 1.0 / 60, mu = 0.5, shrink = 0.95;
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

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(double to[3], const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i += 1) {
        to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

/* A body, which the library reads in place. The ground has infinite mass: both inverses are 0. */
typedef struct body {
    double position[3], orientation[4], scale, velocity[3], spin[3], per_mass, per_inertia;
    uint32_t shape, motion;
} body;

/* A corner: its name, which stays the same from step to step, and its impulse. */
typedef struct point {
    uint64_t name[4];
    double normal[3], arm[2][3], gap, push, rub[3];
    uint32_t a, b;
} point;

static int by_name(const void *x, const void *y) {
    for (int i = 0; i < 4; i += 1) {
        const uint64_t p = ((const point *)x)->name[i], q = ((const point *)y)->name[i];
        if (p != q) {
            return p < q ? -1 : 1;
        }
    }
    return 0;
}

/* Applies an impulse on A at a point, and the opposite on B. */
static void apply(body *bodies, const point *p, const double impulse[3]) {
    for (int side = 0; side < 2; side += 1) {
        body *b = &bodies[side == 0 ? p->a : p->b];
        const double way = side == 0 ? 1 : -1;
        double torque[3];
        cross(torque, p->arm[side], impulse);
        for (int i = 0; i < 3; i += 1) {
            b->velocity[i] += way * b->per_mass * impulse[i];
            b->spin[i] += way * b->per_inertia * torque[i];
        }
    }
}

/* The velocity of A less that of B at a point. */
static void approach(double to[3], const body *bodies, const point *p) {
    double turned[2][3];
    const body *a = &bodies[p->a], *b = &bodies[p->b];
    cross(turned[0], a->spin, p->arm[0]);
    cross(turned[1], b->spin, p->arm[1]);
    for (int i = 0; i < 3; i += 1) {
        to[i] = a->velocity[i] + turned[0][i] - b->velocity[i] - turned[1][i];
    }
}

/* The change of this velocity along a direction by a unit impulse along it. */
static double yield(const body *bodies, const point *p, const double along[3]) {
    double sum = 0;
    for (int side = 0; side < 2; side += 1) {
        const body *b = &bodies[side == 0 ? p->a : p->b];
        double lever[3];
        cross(lever, p->arm[side], along);
        sum += b->per_mass + b->per_inertia * dot(lever, lever);
    }
    return sum;
}

static void solve(body *bodies, point *points, size_t count) {
    for (int round = 0; round < ROUNDS; round += 1) {
        for (size_t n = 0; n < count; n += 1) {
            point *p = &points[n];
            double v[3], impulse[3];
            /* A gap may close within the step. Penetration is reduced by a small part in each step. */
            const double allowed = p->gap > 0 ? p->gap / dt : 0.02 * p->gap / dt;
            approach(v, bodies, p);
            const double push = fmax(0, p->push - (dot(v, p->normal) + allowed) / yield(bodies, p, p->normal));
            for (int i = 0; i < 3; i += 1) {
                impulse[i] = (push - p->push) * p->normal[i];
            }
            p->push = push;
            apply(bodies, p, impulse);

            approach(v, bodies, p);
            const double across = dot(v, p->normal);
            double rub[3], slip[3];
            for (int i = 0; i < 3; i += 1) {
                slip[i] = v[i] - across * p->normal[i];
            }
            const double speed = sqrt(dot(slip, slip));
            if (speed > 0) {
                for (int i = 0; i < 3; i += 1) {
                    slip[i] /= speed;
                }
                const double stop = speed / yield(bodies, p, slip);
                for (int i = 0; i < 3; i += 1) {
                    rub[i] = p->rub[i] - stop * slip[i];
                }
                const double size = sqrt(dot(rub, rub)), most = mu * p->push;
                for (int i = 0; i < 3; i += 1) {
                    rub[i] *= size > most ? most / size : 1;
                    impulse[i] = rub[i] - p->rub[i];
                    p->rub[i] = rub[i];
                }
                apply(bodies, p, impulse);
            }
        }
    }
}

static void move(body *b) {
    double q[4];
    memcpy(q, b->orientation, sizeof q);
    for (int i = 0; i < 3; i += 1) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        b->position[i] += dt * b->velocity[i];
        b->orientation[i] += 0.5 * dt * (b->spin[i] * q[3] + b->spin[j] * q[k] - b->spin[k] * q[j]);
    }
    b->orientation[3] -= 0.5 * dt * (b->spin[0] * q[0] + b->spin[1] * q[1] + b->spin[2] * q[2]);
    const double *o = b->orientation, size = sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3]);
    for (int i = 0; i < 4; i += 1) {
        b->orientation[i] /= size;
    }
}

/* A cube of side 1. */
static dem_block build(void) {
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2},
        {1, 3, 7, 5}};
    double vertices[8][3];
    uint32_t triangles[12][3];
    for (int i = 0; i < 8; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            vertices[i][k] = (i >> k & 1) - 0.5;
        }
    }
    for (int i = 0; i < 12; i += 1) {
        const uint32_t *face = faces[i / 2];
        triangles[i][0] = face[0];
        triangles[i][1] = face[1 + i % 2];
        triangles[i][2] = face[2 + i % 2];
    }
    dem_block made = dem_heap();
    dem_error error;
    dem_shape_desc desc;
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices[0], 8);
    desc.triangles = dem_indices_u32(triangles[0], 12);
    desc.halo = halo;
    must(dem_shape_build(&made, &desc, &error), &error);
    return made;
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

/* The results of a run. */
typedef struct outcome {
    double deepest, sunk;
    size_t points, again;
} outcome;

/* Runs a tower on the ground. Each cube is smaller than the one below, and rotated relative to it. */
static outcome run(size_t cubes, size_t steps, const dem_placed shapes[2], int warm) {
    const size_t count = cubes + 1;
    body *bodies = (body *)memory(NULL, count * sizeof *bodies);
    memset(bodies, 0, count * sizeof *bodies);
    double height = 0, side = 1;
    for (size_t i = 0; i < count; i += 1) {
        body *b = &bodies[i];
        const double angle = 0.02 * (double)i;
        b->orientation[2] = i > 0 ? sin(angle) : 0;
        b->orientation[3] = i > 0 ? cos(angle) : 1;
        b->scale = i > 0 ? side : 1;
        b->shape = i > 0 ? 0 : 1;
        b->motion = i > 0 ? 0 : 2;
        if (i > 0) {
            b->per_mass = 1 / (side * side * side);
            b->per_inertia = 6 * b->per_mass / (side * side);
            b->position[2] = height + 0.5 * side;
            height += side;
            side *= shrink;
        }
    }

    dem_error error;
    dem_scene *scene = NULL;
    dem_scene_desc desc;
    dem_scene_query query;
    dem_scene_contacts view;
    dem_scene_counts found;
    size_t size = 0, scratch_size = 0, room = 16 * count, had = 0;
    desc = dem_scene_desc_default();
    desc.bodies = (uint32_t)count;
    desc.nodes = 64 * desc.bodies;
    must(dem_scene_layout(&size, NULL, &desc, &error), &error);
    void *block = memory(NULL, size + DEM_ALIGN - 1), *scratch = NULL;
    must(dem_scene_init(dem_align(block), size, &scene, &desc, &error), &error);
    query = dem_scene_query_default();
    query.shapes = shapes;
    query.shape_count = 2;
    query.positions = doubles(bodies->position, count);
    query.orientations = doubles(bodies->orientation, count);
    query.scales = doubles(&bodies->scale, count);
    query.shape_of = words(&bodies->shape, count);
    query.motions = words(&bodies->motion, count);
    dem_contact_corner *corners = (dem_contact_corner *)memory(NULL, room * sizeof *corners);
    point *now = (point *)memory(NULL, room * sizeof *now), *last = (point *)memory(NULL, room * sizeof *last);

    outcome told = {0, 0, 0, 0};
    for (size_t step = 0; step < steps; step += 1) {
        for (size_t i = 1; i < count; i += 1) {
            bodies[i].velocity[2] -= gravity * dt;
        }
        size = dem_scratch_needed(dem_scene_detect(scene, NULL, 0, &query, NULL, 0, &error), &error);
        if (size > scratch_size) {
            scratch = memory(scratch, scratch_size = size);
        }
        must(dem_scene_detect(scene, &found, sizeof found, &query, scratch, scratch_size, &error), &error);
        must(dem_scene_view(&view, sizeof view, scene, &error), &error);

        /* If there is too little room, the error tells how much is enough. */
        size_t number = 0;
        for (;;) {
            const int32_t status = dem_scene_corners(scene, corners, room, &number, &query, 0, scratch, scratch_size,
                &error);
            if (status == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_OUTPUT) {
                room = number;
                corners = (dem_contact_corner *)memory(corners, room * sizeof *corners);
                now = (point *)memory(now, room * sizeof *now);
                last = (point *)memory(last, room * sizeof *last);
            } else if (status == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_SCRATCH) {
                scratch = memory(scratch, scratch_size = (size_t)error.needed);
            } else if (status == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_PAIRS) {
                query.pairs = (size_t)error.needed;
            } else {
                must(status, &error);
                break;
            }
        }

        for (size_t n = 0; n < number; n += 1) {
            const dem_contact_corner *corner = &corners[n];
            const dem_contact *contact = dem_contact_at(&view, corner->contact);
            const dem_scene_pair *pair = dem_pair_at(&view, contact->key[0]);
            point *p = &now[n];
            memset(p, 0, sizeof *p);
            check("a contact has four corners at most", corner->order < 4);
            memcpy(p->name, pair->ids, sizeof pair->ids);
            memcpy(p->name + 2, corner->features, sizeof corner->features);
            memcpy(p->normal, contact->normal, sizeof p->normal);
            p->a = pair->a;
            p->b = pair->b;
            p->gap = corner->gap;
            for (int i = 0; i < 3; i += 1) {
                p->arm[0][i] = corner->position[i] - bodies[p->a].position[i];
                p->arm[1][i] = corner->position[i] - bodies[p->b].position[i];
            }
            told.deepest = fmax(told.deepest, -p->gap);
            const point *before = had > 0 ? (const point *)bsearch(p, last, had, sizeof *p, by_name) : NULL;
            told.points += step > steps / 2;
            told.again += step > steps / 2 && before != NULL;
            if (warm && before != NULL) {
                double impulse[3];
                p->push = before->push;
                for (int i = 0; i < 3; i += 1) {
                    p->rub[i] = before->rub[i];
                    impulse[i] = p->push * p->normal[i] + p->rub[i];
                }
                apply(bodies, p, impulse);
            }
        }
        solve(bodies, now, number);
        for (size_t i = 1; i < count; i += 1) {
            move(&bodies[i]);
        }
        qsort(now, number, sizeof *now, by_name);
        point *spare = last;
        last = now;
        now = spare;
        had = number;
    }
    told.sunk = height - (bodies[cubes].position[2] + 0.5 * bodies[cubes].scale);
    free(bodies);
    free(block);
    free(scratch);
    free(corners);
    free(now);
    free(last);
    return told;
}

int main(int argc, char **argv) {
    puts("A tower of cubes that stands by impulses.");
    const size_t cubes = argc > 1 ? strtoul(argv[1], NULL, 10) : 10,
        steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 300;
    dem_block cube = build();
    const dem_placed shapes[2] = {dem_placed_mesh((const dem_shape *)cube.start, 1), dem_placed_half_space(halo)};
    const outcome warm = run(cubes, steps, shapes, 1), cold = run(cubes, steps, shapes, 0);
    printf("%zu cubes, %zu steps of %d rounds: the tower sinks by %.4f with warm starting, by %.4f without\n", cubes,
        steps, ROUNDS,
           warm.sunk, cold.sunk);
    printf("corners go up to %.4f and %.4f into bodies; of %zu at rest %zu were found again\n", warm.deepest,
        cold.deepest, warm.points,
           warm.again);
    check("the tower stands", fabs(warm.sunk) < 0.02);
    check("corners at rest are found again", warm.points > 0 && 100 * warm.again >= 98 * warm.points);
    check("a solver that begins with nothing gives way", cubes < 8 || cold.sunk > 10 * fabs(warm.sunk));
    dem_free(&cube);
    return mistakes > 0;
}
