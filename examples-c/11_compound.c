/*
 * A particle of four overlapping spheres falls on a plate of 800 triangles, tumbles, and comes to rest on three of its
 * spheres.
 *
 * The particle is a compound: an array of parts in the program's own structs, each with further fields of the program.
 * The same array is its shape at every pose. Forces are those of the header, w (k + c u) along the
 * normal and -w c_t v across it, with w = (1 - gap / halo) area, u the closing velocity and v the slip. The key of a
 * contact tells its sphere.
 *
 * Checked: in every step the contacts are those of the spheres one by one; in the end the particle is at rest, three
 * spheres carry its weight, and it is as high as three spheres that touch the plate.
 */
#include <dem_mesh.h>
#include <dem_pair.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 20, TRIANGLES = 2 * CELLS * CELLS, SPHERES = 4, MOST = 64, STEPS = 9000 };
static const double gravity = 9.81, dt = 5e-4, halo = 0.01, radius = 0.3, arm_length = 0.3;
static const double k = 3000, c = 1e4, c_t = 1e4;
/* The mass is 1. A body as regular as this has equal moments of inertia about all axes. */
static double inertia = 0;
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

/* The plate z = 0 from -2 to 2. */
typedef struct plate {
    dem_shape *shape;
    void *memory;
} plate;

static plate build_plate(void) {
    static double vertices[CELLS + 1][CELLS + 1][3];
    static uint32_t triangles[TRIANGLES][3];
    plate made;
    dem_error error;
    dem_shape_desc desc;
    size_t size = 0;
    for (uint32_t i = 0; i <= CELLS; i += 1) {
        for (uint32_t j = 0; j <= CELLS; j += 1) {
            vertices[i][j][0] = -2.0 + 4.0 * i / CELLS;
            vertices[i][j][1] = -2.0 + 4.0 * j / CELLS;
        }
    }
    for (uint32_t n = 0; n < CELLS * CELLS; n += 1) {
        const uint32_t low = n / CELLS * (CELLS + 1) + n % CELLS, high = low + CELLS + 1;
        const uint32_t two[2][3] = {{low, high, high + 1}, {low, high + 1, low + 1}};
        memcpy(triangles[2 * n], two, sizeof two);
    }
    desc = dem_shape_desc_default();
    desc.vertices = dem_array_f64(vertices[0][0], (size_t)(CELLS + 1) * (CELLS + 1));
    desc.triangles = dem_indices_u32(triangles[0], TRIANGLES);
    desc.halo = halo;
    must(dem_shape_layout(&size, NULL, &desc, &error), &error);
    made.memory = memory(NULL, size + DEM_ALIGN - 1);
    must(dem_shape_init(dem_align(made.memory), size, &made.shape, &desc, &error), &error);
    return made;
}

/* A sphere of the particle. The library reads the first field; the others are for the program. */
typedef struct grain {
    dem_placed part;
    double force;
    int contacts;
} grain;

static void build_grains(grain grains[SPHERES]) {
    for (int i = 0; i < SPHERES; i += 1) {
        /* The spheres are at four corners of a cube, no two of which share an edge. */
        const int sign[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, (i & 1) == (i >> 1) ? 1 : -1};
        grains[i].part = dem_placed_sphere(radius, halo);
        for (int n = 0; n < 3; n += 1) {
            grains[i].part.pose.position[n] = sign[n] * arm_length / sqrt(3.0);
        }
    }
}

static void cross(double to[3], const double a[3], const double b[3]) {
    for (int n = 0; n < 3; n += 1) {
        const int l = (n + 1) % 3, m = (n + 2) % 3;
        to[n] = a[l] * b[m] - a[m] * b[l];
    }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Rotates v by q. */
static void turn(double to[3], const double q[4], const double v[3]) {
    double once[3], twice[3];
    cross(once, q, v);
    cross(twice, q, once);
    for (int n = 0; n < 3; n += 1) {
        to[n] = v[n] + 2 * (q[3] * once[n] + twice[n]);
    }
}

/* Memory that grows with the contacts. */
typedef struct list {
    dem_contact contacts[MOST];
    size_t count;
    void *scratch;
    size_t scratch_size;
} list;

static void find(list *found, const dem_placed_query *query) {
    dem_error error;
    int32_t status;
    while ((status = dem_placed_contacts(found->contacts, MOST, 0, &found->count, query, found->scratch,
        found->scratch_size,
                                         &error)) == DEM_ERROR_CAPACITY &&
           found->count <= MOST) {
        found->scratch_size = (size_t)error.needed;
        found->scratch = memory(found->scratch, found->scratch_size);
    }
    must(status, &error);
}

/* Whether the contacts of the particle are those of its spheres, one by one. */
static int are_those_of_spheres(const list *found, const grain grains[SPHERES], dem_placed_query query, list *own) {
    const dem_placed particle = query.a;
    double whole = 0, parts = 0;
    size_t count = 0;
    for (int i = 0; i < SPHERES; i += 1) {
        double at[3];
        query.a = grains[i].part;
        turn(at, particle.pose.orientation, grains[i].part.pose.position);
        for (int n = 0; n < 3; n += 1) {
            query.a.pose.position[n] = particle.pose.position[n] + at[n];
        }
        find(own, &query);
        for (size_t n = 0; n < own->count; n += 1) {
            parts += own->contacts[n].area * (1 - own->contacts[n].gap / own->contacts[n].halo);
        }
        count += own->count;
    }
    for (size_t n = 0; n < found->count; n += 1) {
        whole += found->contacts[n].area * (1 - found->contacts[n].gap / found->contacts[n].halo);
    }
    return count == found->count && fabs(whole - parts) <= 1e-9 * parts + 1e-15;
}

/* The moment of inertia of the particle with mass 1. The overlap of its spheres counts once. */
static double moment_of(const dem_placed *particle) {
    dem_mass mass;
    dem_error error;
    const size_t size = dem_scratch_needed(dem_placed_mass(&mass, sizeof mass, particle, 1, 200, NULL, 0, &error),
        &error);
    void *scratch = memory(NULL, size);
    must(dem_placed_mass(&mass, sizeof mass, particle, 1, 200, scratch, size, &error), &error);
    free(scratch);
    check("the three moments are equal", mass.moments[2] - mass.moments[0] < 1e-3 * mass.moments[2]);
    return mass.moments[1] / mass.mass;
}

/* The motion of the particle. */
typedef struct motion {
    double velocity[3], spin[3], force[3], torque[3];
} motion;

/* Adds force and torque of one contact. */
static void push(motion *m, const dem_contact *contact, const double centre[3], grain grains[SPHERES]) {
    double arm[3], velocity[3], force[3], torque[3];
    const double *n = contact->normal;
    for (int i = 0; i < 3; i += 1) {
        arm[i] = contact->position[i] - centre[i];
    }
    cross(velocity, m->spin, arm);
    for (int i = 0; i < 3; i += 1) {
        velocity[i] += m->velocity[i];
    }
    const double closing = -dot(velocity, n), w = (1 - contact->gap / contact->halo) * contact->area;
    const double normal = fmax(0, w * (k + c * closing));
    for (int i = 0; i < 3; i += 1) {
        force[i] = normal * n[i] - w * c_t * (velocity[i] + closing * n[i]);
    }
    cross(torque, arm, force);
    for (int i = 0; i < 3; i += 1) {
        m->force[i] += force[i];
        m->torque[i] += torque[i];
    }
    /* Each sphere is one feature of the compound, so the upper half of the key's second word is its index. */
    grain *own = &grains[contact->key[1] >> 32];
    own->force += normal;
    own->contacts += 1;
}

/* Velocities first, then positions: semi-implicit Euler. */
static void move(motion *m, dem_pose *pose) {
    double *q = pose->orientation, turned[4], size = 0;
    for (int i = 0; i < 3; i += 1) {
        m->velocity[i] += dt * (m->force[i] - (i == 2 ? gravity : 0));
        m->spin[i] += dt * m->torque[i] / inertia;
        pose->position[i] += dt * m->velocity[i];
    }
    const double *s = m->spin;
    turned[0] = q[0] + dt / 2 * (s[0] * q[3] + s[1] * q[2] - s[2] * q[1]);
    turned[1] = q[1] + dt / 2 * (s[1] * q[3] + s[2] * q[0] - s[0] * q[2]);
    turned[2] = q[2] + dt / 2 * (s[2] * q[3] + s[0] * q[1] - s[1] * q[0]);
    turned[3] = q[3] - dt / 2 * (s[0] * q[0] + s[1] * q[1] + s[2] * q[2]);
    for (int i = 0; i < 4; i += 1) {
        size += turned[i] * turned[i];
    }
    for (int i = 0; i < 4; i += 1) {
        q[i] = turned[i] / sqrt(size);
    }
}

int main(void) {
    puts("A particle of four spheres falls on a plate, tumbles, and comes to rest.");
    const plate ground = build_plate();
    grain grains[SPHERES];
    dem_compound compound;
    dem_placed_query query;
    list found = {.count = 0, .scratch = NULL, .scratch_size = 0}, own = found;
    motion m;
    int same = 1;
    memset(grains, 0, sizeof grains);
    memset(&m, 0, sizeof m);
    build_grains(grains);
    compound = dem_compound_default();
    compound.parts = &grains[0].part;
    compound.count = SPHERES;
    compound.stride = sizeof(grain);

    query = dem_placed_query_default();
    query.a = dem_placed_compound(&compound);
    inertia = moment_of(&query.a);
    printf("moment of inertia %.4f\n", inertia);
    query.a.pose.position[2] = 1.5;
    m.velocity[0] = 0.4;
    m.spin[0] = 3;
    m.spin[1] = 2;
    query.b = dem_placed_mesh(ground.shape, 0);
    printf("     t    height     speed  spheres in contact\n");
    for (int i = 1; i <= STEPS; i += 1) {
        memset(m.force, 0, sizeof m.force);
        memset(m.torque, 0, sizeof m.torque);
        find(&found, &query);
        same = same && are_those_of_spheres(&found, grains, query, &own);
        for (int n = 0; n < SPHERES; n += 1) {
            grains[n].force = 0;
            grains[n].contacts = 0;
        }
        for (size_t n = 0; n < found.count; n += 1) {
            push(&m, &found.contacts[n], query.a.pose.position, grains);
        }
        move(&m, &query.a.pose);
        if (i % (STEPS / 12) == 0) {
            int touching = 0;
            for (int n = 0; n < SPHERES; n += 1) {
                touching += grains[n].contacts > 0;
            }
            printf("  %.2f  %8.5f  %8.1e  %d\n", dt * i, query.a.pose.position[2], sqrt(dot(m.velocity, m.velocity)),
                touching);
        }
    }
    double carried = 0;
    int carry = 0;
    for (int n = 0; n < SPHERES; n += 1) {
        carried += grains[n].force;
        carry += grains[n].force > 0.3 * gravity && grains[n].force < 0.37 * gravity;
    }
    const double height = query.a.pose.position[2], touching = radius + arm_length / 3;
    printf("%.6f of the weight is carried; %.5f above where spheres touch the plate\n", carried / gravity,
        height - touching);
    check("contacts are those of the spheres one by one", same);
    check("the particle is at rest", dot(m.velocity, m.velocity) < 1e-12 && dot(m.spin, m.spin) < 1e-10);
    check("the plate carries the weight", fabs(carried / gravity - 1) < 1e-6);
    check("three spheres share it", carry == 3);
    check("it is as high as three spheres that touch", height > touching && height < touching + 2 * halo);
    free(found.scratch);
    free(own.scratch);
    free(ground.memory);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
