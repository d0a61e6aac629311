/*
 * A tilted block falls on a plate of 800 triangles and comes to rest there. Steps are implicit: each step iterates on
 * the pose at its end.
 *
 * The block's vertices come in a frame whose origin and axes are not those of the block. Equations of motion need the
 * centre of mass and the principal axes. So the block is a compound of one part, whose pose is `part_pose` of dem_mass,
 * and its mesh is built from the given vertices.
 *
 * Near triangles are listed with a margin, and the list is part of the query. One list is used in all iterations of
 * many steps. When the block has moved by more than the margin, dem_placed_contacts reports this, and the list is made
 * anew.
 *
 * Checked: contacts from the list have the same bits as those of a new search; contacts of the compound give the same
 * forces as those of the mesh placed directly; the lists are few; in the end the block is at rest, flat on the plate,
 * and the plate carries its weight.
 */
#include <dem_mesh.h>
#include <dem_pair.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 20, MOST = 64, STEPS = 8000, ITERATIONS = 4, EVERY = 50 };
static const double gravity = 9.81, dt = 5e-4, halo = 0.01, margin = 0.02;
static const double edges[3] = {0.5, 0.4, 0.2};
/* Mass 1. Forces as in 11_compound: w (k + c u) along the normal and -w c_t v across it, with w = (1 - gap / halo)
   area. */
static const double k = 3000, c = 1e4, c_t = 1e4;
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
    if (bytes == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    return bytes;
}

static void cross(double to[3], const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i += 1) {
        const int l = (i + 1) % 3, m = (i + 2) % 3;
        to[i] = a[l] * b[m] - a[m] * b[l];
    }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Rotates v by q, which has length 1; by the inverse of q if `way` is -1. */
static void turn(double to[3], const double q[4], double way, const double v[3]) {
    double once[3], twice[3];
    cross(once, q, v);
    cross(twice, q, once);
    for (int i = 0; i < 3; i += 1) {
        to[i] = v[i] + 2 * (way * q[3] * once[i] + twice[i]);
    }
}

/* The rotation by q and then by p, normalised. */
static void compose(double to[4], const double p[4], const double q[4]) {
    double made[4], square = 0;
    cross(made, p, q);
    for (int i = 0; i < 3; i += 1) {
        made[i] += p[3] * q[i] + q[3] * p[i];
    }
    made[3] = p[3] * q[3] - dot(p, q);
    for (int i = 0; i < 4; i += 1) {
        square += made[i] * made[i];
    }
    for (int i = 0; i < 4; i += 1) {
        to[i] = made[i] / sqrt(square);
    }
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

/* The block as a file may contain it: rotated, and with its corner far from the origin. */
static mesh build_block(void) {
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    static const double askew[4] = {0.1, 0.5, -0.7, 0.5};
    double vertices[8][3];
    for (int i = 0; i < 8; i += 1) {
        const double corner[3] = {(i & 1) * edges[0], (i >> 1 & 1) * edges[1], (i >> 2) * edges[2]};
        turn(vertices[i], askew, 1, corner);
        vertices[i][0] += 3;
    }
    return build(vertices[0], 8, triangles[0], 12);
}

/* The plate z = 0 from -2 to 2. */
static mesh build_plate(void) {
    static double vertices[CELLS + 1][CELLS + 1][3];
    static uint32_t triangles[CELLS * CELLS][2][3];
    for (uint32_t i = 0; i <= CELLS; i += 1) {
        for (uint32_t j = 0; j <= CELLS; j += 1) {
            vertices[i][j][0] = -2.0 + 4.0 * i / CELLS;
            vertices[i][j][1] = -2.0 + 4.0 * j / CELLS;
        }
    }
    for (uint32_t n = 0; n < CELLS * CELLS; n += 1) {
        const uint32_t low = n / CELLS * (CELLS + 1) + n % CELLS, high = low + CELLS + 1;
        const uint32_t two[2][3] = {{low, high, high + 1}, {low, high + 1, low + 1}};
        memcpy(triangles[n], two, sizeof two);
    }
    return build(vertices[0][0], (size_t)(CELLS + 1) * (CELLS + 1), triangles[0][0], (size_t)2 * CELLS * CELLS);
}

static dem_mass mass_of(const mesh *m, double mass) {
    dem_mass found;
    dem_error error;
    const double density = mass / (edges[0] * edges[1] * edges[2]);
    const size_t size = dem_scratch_needed(dem_shape_mass(&found, sizeof found, m->shape, density, NULL, 0, &error),
        &error);
    void *scratch = memory(NULL, size);
    must(dem_shape_mass(&found, sizeof found, m->shape, density, scratch, size, &error), &error);
    free(scratch);
    return found;
}

/* Contacts, and all memory for finding them. */
typedef struct finder {
    dem_contact contacts[MOST];
    size_t count, scratch_size, list_count;
    void *scratch;
    uint64_t *list;
    int lists, searches;
} finder;

static void more_scratch(finder *f, size_t size) {
    f->scratch = memory(f->scratch, size);
    f->scratch_size = size;
}

/* Lists near triangles at the poses of the query. */
static void make_list(finder *f, const dem_placed_query *query) {
    dem_error error;
    size_t count = 0;
    const size_t size = dem_scratch_needed(dem_placed_list(f->list, f->list_count, &count, query, margin, NULL, 0,
        &error), &error);
    if (size > f->scratch_size) {
        more_scratch(f, size);
    }
    while (dem_placed_list(f->list, f->list_count, &count, query, margin, f->scratch, f->scratch_size,
        &error) == DEM_ERROR_CAPACITY &&
           count > f->list_count) {
        f->list = (uint64_t *)memory(f->list, count * sizeof *f->list);
        f->list_count = count;
    }
    must(error.code, &error);
    f->lists += 1;
}

/* Finds the contacts at the poses of the query: from the list or, if `anew` is not 0, by a search. */
static void find(finder *f, dem_placed_query query, int anew) {
    dem_error error;
    f->searches += 1;
    for (;;) {
        query.list = anew ? NULL : f->list;
        query.list_count = anew ? 0 : f->list_count;
        const int32_t status = dem_placed_contacts(f->contacts, MOST, 0, &f->count, &query, f->scratch,
            f->scratch_size, &error);
        if (status == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_SCRATCH) {
            more_scratch(f, (size_t)error.needed);
        } else if (status == DEM_ERROR_OUT_OF_RANGE && error.argument == DEM_ARGUMENT_LIST) {
            make_list(f, &query);
        } else {
            must(status, &error);
            return;
        }
    }
}

/* Whether the contacts give the same forces as those of the block's mesh, placed directly. */
static int are_those_of_mesh(const finder *f, finder *other, dem_placed_query query, const dem_placed *part) {
    dem_placed block = *part;
    const dem_pose body = query.a.pose;
    double here = 0, there = 0;
    turn(block.pose.position, body.orientation, 1, part->pose.position);
    for (int i = 0; i < 3; i += 1) {
        block.pose.position[i] += body.position[i];
    }
    compose(block.pose.orientation, body.orientation, part->pose.orientation);
    query.a = block;
    find(other, query, 1);
    for (size_t n = 0; n < f->count; n += 1) {
        here += (1 - f->contacts[n].gap / halo / 2) * f->contacts[n].area;
    }
    for (size_t n = 0; n < other->count; n += 1) {
        there += (1 - other->contacts[n].gap / halo / 2) * other->contacts[n].area;
    }
    return fabs(here - there) <= 1e-8 * there + 1e-12;
}

/* The motion of the block, and the force and torque on it. */
typedef struct motion {
    double velocity[3], spin[3], force[3], torque[3];
} motion;

/* Computes force and torque of all contacts, with the velocities of `m`. */
static void push(motion *m, const finder *f, const double centre[3]) {
    memset(m->force, 0, sizeof m->force);
    memset(m->torque, 0, sizeof m->torque);
    for (size_t n = 0; n < f->count; n += 1) {
        const dem_contact *contact = &f->contacts[n];
        double arm[3], velocity[3], force[3], torque[3];
        for (int i = 0; i < 3; i += 1) {
            arm[i] = contact->position[i] - centre[i];
        }
        cross(velocity, m->spin, arm);
        for (int i = 0; i < 3; i += 1) {
            velocity[i] += m->velocity[i];
        }
        const double closing = -dot(velocity, contact->normal), w = (1 - contact->gap / contact->halo) * contact->area;
        for (int i = 0; i < 3; i += 1) {
            force[i] = fmax(0, w * (k + c * closing)) * contact->normal[i] -
                w * c_t * (velocity[i] + closing * contact->normal[i]);
        }
        cross(torque, arm, force);
        for (int i = 0; i < 3; i += 1) {
            m->force[i] += force[i];
            /* Friction of a face that spins about its normal, which one force at one place does not include. */
            m->torque[i] += torque[i] - w * c_t * contact->area / 12 * m->spin[i];
        }
    }
}

/* Computes velocities and pose at the end of a step from the forces of an iterate. `pose` is the pose of this iterate,
   and becomes that of the next one. */
static void move(motion *m, dem_pose *pose, const motion *begin, const dem_pose *at, const double moments[3]) {
    double local[3], momentum[3], half[4] = {0, 0, 0, 1};
    turn(local, at->orientation, -1, begin->spin);
    for (int i = 0; i < 3; i += 1) {
        local[i] *= moments[i];
    }
    turn(momentum, at->orientation, 1, local);
    for (int i = 0; i < 3; i += 1) {
        momentum[i] += dt * m->torque[i];
        m->velocity[i] = begin->velocity[i] + dt * (m->force[i] - (i == 2 ? gravity : 0));
        pose->position[i] = at->position[i] + dt * m->velocity[i];
    }
    turn(local, pose->orientation, -1, momentum);
    for (int i = 0; i < 3; i += 1) {
        local[i] /= moments[i];
    }
    turn(m->spin, pose->orientation, 1, local);
    for (int i = 0; i < 3; i += 1) {
        half[i] = dt / 2 * m->spin[i];
    }
    compose(pose->orientation, half, at->orientation);
}

/* The number of steps may be given. The checks of a block at rest need the default number. */
int main(int argc, char **argv) {
    puts("A block falls on a plate, by implicit steps that iterate on its pose.");
    const int steps = argc > 1 && atoi(argv[1]) >= 10 ? atoi(argv[1]) : STEPS, to_rest = steps >= STEPS;
    const mesh block = build_block(), plate = build_plate();
    const dem_mass mass = mass_of(&block, 1);
    dem_placed part = dem_placed_mesh(block.shape, 1);
    dem_compound compound;
    dem_placed_query query;
    finder found, other;
    motion m;
    int same = 1, placed = 1;
    memset(&found, 0, sizeof found);
    memset(&other, 0, sizeof other);
    memset(&m, 0, sizeof m);
    part.pose = mass.part_pose;
    compound = dem_compound_default();
    compound.parts = &part;
    compound.count = 1;

    query = dem_placed_query_default();
    query.a = dem_placed_compound(&compound);
    query.a.pose.position[2] = 0.6;
    m.spin[0] = 2;
    m.spin[1] = 1;
    query.b = dem_placed_mesh(plate.shape, 0);
    make_list(&found, &query);
    printf("     t    height     speed  lists\n");
    for (int i = 1; i <= steps; i += 1) {
        const motion begin = m;
        const dem_pose at = query.a.pose;
        for (int iteration = 0; iteration < ITERATIONS; iteration += 1) {
            find(&found, query, 0);
            if (i % EVERY == 0) {
                find(&other, query, 1);
                same = same && other.count == found.count;
                same = same && memcmp(other.contacts, found.contacts, found.count * sizeof *found.contacts) == 0;
                placed = placed && are_those_of_mesh(&found, &other, query, &part);
            }
            push(&m, &found, query.a.pose.position);
            move(&m, &query.a.pose, &begin, &at, mass.moments);
        }
        if (i % (steps / 10) == 0) {
            printf("  %.2f  %8.5f  %8.1e  %d\n", dt * i, query.a.pose.position[2], sqrt(dot(m.velocity, m.velocity)),
                found.lists);
        }
    }
    const double height = query.a.pose.position[2];
    printf("%d lists for %d searches; the plate carries %.6f of the weight\n", found.lists, found.searches,
        m.force[2] / gravity);
    check("contacts from the list are those of a search anew", same);
    check("contacts of the compound press as those of the mesh", placed);
    check("a list serves many steps", !to_rest || found.lists * 100 < found.searches);
    check("the block is at rest", !to_rest || (dot(m.velocity, m.velocity) < 1e-12 && dot(m.spin, m.spin) < 1e-10));
    check("the plate carries the weight", !to_rest || fabs(m.force[2] / gravity - 1) < 1e-6);
    /* The third axis is that of the largest moment, along the shortest edge. */
    check("it lies flat", !to_rest || (height > edges[2] / 2 && height < edges[2] / 2 + 2 * halo));
    free(found.scratch);
    free(other.scratch);
    free(found.list);
    free(block.memory);
    free(plate.memory);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
