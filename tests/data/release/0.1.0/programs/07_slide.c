/*
 * A block on an inclined wall of 800 triangles. Each contact has a friction spring, which follows its contact from step
 * to step. There are two runs. On a slope of 30 degrees friction holds the block, and it must not creep. On a slope of
 * 45 degrees it slides, and its path is printed beside the exact one, x = g (sin - mu cos) t^2 / 2. The block slides
 * across the edges of many triangles, which must not change its motion.
 *
 * `find`, `follow` and `push` are what a solver needs in every step; the rest is a mesh, a rigid body and a table.
 * Forces are those of the header: w (k + c u) along the normal, with w = (1 - gap / halo) area and u the closing
 * velocity, and friction -w (k_t s + c_t v), at most mu times that, with s the elongation of the spring and v the
 * slip. Dashpots are spread over the area of the contact, so they also resist rotation.
 *
 * Checked: path and velocity to half a percent; at rest, no creep beyond rounding, and friction that carries the
 * weight.
 */
#include <dem_pair.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 20, TRIANGLES = 2 * CELLS * CELLS, MOST = 64, STEPS = 500 };
static const double gravity = 9.81, mu = 0.85, dt = 2e-3, halo = 1e-4;
/* A flat block of mass 1, so that it does not tip over. */
static const double edges[3] = {1.0, 0.8, 0.2};
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

/* A shape and its memory. */
typedef struct body {
    dem_shape *shape;
    void *memory;
    size_t size;
} body;

static body build(const double *vertices, const uint32_t *triangles, size_t vertex_count, size_t count) {
    body made;
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

/* The plane z = 0 from -1 to 2 along the slope (x) and from -1.5 to 1.5 across it. */
static body build_wall(void) {
    static double vertices[CELLS + 1][CELLS + 1][3];
    static uint32_t triangles[TRIANGLES][3];
    for (uint32_t i = 0; i <= CELLS; i += 1) {
        for (uint32_t j = 0; j <= CELLS; j += 1) {
            vertices[i][j][0] = -1.0 + 3.0 * i / CELLS;
            vertices[i][j][1] = -1.5 + 3.0 * j / CELLS;
        }
    }
    for (uint32_t k = 0; k < CELLS * CELLS; k += 1) {
        const uint32_t low = k / CELLS * (CELLS + 1) + k % CELLS, high = low + CELLS + 1;
        const uint32_t two[2][3] = {{low, high, high + 1}, {low, high + 1, low + 1}};
        memcpy(triangles[2 * k], two, sizeof two);
    }
    return build(vertices[0][0], triangles[0], (size_t)(CELLS + 1) * (CELLS + 1), TRIANGLES);
}

static body build_block(void) {
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    double vertices[8][3];
    for (int i = 0; i < 8; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            vertices[i][k] = (i >> k & 1 ? 0.5 : -0.5) * edges[k];
        }
    }
    return build(vertices[0], triangles[0], 8, 12);
}

static void cross(double to[3], const double a[3], const double b[3]) {
    for (int k = 0; k < 3; k += 1) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        to[k] = a[l] * b[m] - a[m] * b[l];
    }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The state of a step: the contacts of all body pairs (here one), the poses of the bodies, a spring for each
   contact. */
typedef struct step {
    dem_contact contacts[MOST];
    double springs[MOST][3];
    dem_body_pair pair;
    size_t count;
} step;

/* The motion of the block. It hardly turns, so its moments of inertia are taken along the axes of the slope. */
typedef struct motion {
    dem_pose pose;
    double velocity[3], spin[3], force[3], torque[3];
    double k, c, k_t, c_t;
    dem_placed_query query;
    void *scratch, *match_scratch;
    size_t scratch_size, match_size;
    step steps[2];
    int now;
} motion;

/* Finds the contacts of this step. A solver does this for each pair, and appends all contacts to one list. */
static void find(motion *m, step *now) {
    dem_error error;
    int32_t status;
    m->query.a.pose = m->pose;
    while ((status = dem_placed_contacts(now->contacts, MOST, 0, &now->count, &m->query, m->scratch, m->scratch_size,
                                         &error)) == DEM_ERROR_CAPACITY &&
           now->count <= MOST) {
        m->scratch_size = (size_t)error.needed;
        m->scratch = memory(m->scratch, m->scratch_size);
    }
    must(status, &error);
    now->pair.tag = m->query.tag;
    now->pair.pose_a = m->query.a.pose;
    now->pair.pose_b = m->query.b.pose;
}

/* Carries the springs of the last step to the contacts of this step. */
static void follow(motion *m, step *now, const step *last) {
    dem_error error;
    dem_contact_link links[MOST];
    const dem_contact_list before = {last->contacts, last->count, 0, &last->pair, 1, 0, NULL, 0};
    const dem_contact_list after = {now->contacts, now->count, 0, &now->pair, 1, 0, NULL, 0};
    int32_t status;
    while ((status = dem_contact_match(links, NULL, 0, NULL, NULL, 0, NULL, &before, &after, 2 * halo,
        m->match_scratch, m->match_size,
                                       &error)) == DEM_ERROR_CAPACITY) {
        m->match_size = (size_t)error.needed;
        m->match_scratch = memory(m->match_scratch, m->match_size);
    }
    must(status, &error);
    must(dem_contact_carry(now->springs[0], last->springs[0], links, NULL, 0, &before, &after, &error), &error);
}

/* Adds force and torque of one contact on the block. The slip stretches its spring, up to the limit of friction. */
static void push(motion *m, const dem_contact *contact, double spring[3]) {
    double arm[3], velocity[3], slip[3], friction[3], force[3], torque[3];
    const double *n = contact->normal;
    for (int k = 0; k < 3; k += 1) {
        arm[k] = contact->position[k] - m->pose.position[k];
    }
    cross(velocity, m->spin, arm);
    for (int k = 0; k < 3; k += 1) {
        velocity[k] += m->velocity[k];
    }
    const double closing = -dot(velocity, n), w = (1 - contact->gap / contact->halo) * contact->area;
    const double normal = fmax(0, w * (m->k + m->c * closing)), most = mu * normal;
    for (int k = 0; k < 3; k += 1) {
        slip[k] = velocity[k] + closing * n[k];
        spring[k] += dt * slip[k];
        friction[k] = -w * (m->k_t * spring[k] + m->c_t * slip[k]);
    }
    const double size = sqrt(dot(friction, friction)), kept = size > most ? most / size : 1;
    for (int k = 0; k < 3; k += 1) {
        friction[k] *= kept;
        if (size > most) {
            spring[k] = -(friction[k] / w + m->c_t * slip[k]) / m->k_t;
        }
        force[k] = normal * n[k] + friction[k];
    }
    cross(torque, arm, force);
    for (int k = 0; k < 3; k += 1) {
        m->force[k] += force[k];
        m->torque[k] += torque[k] + m->k * contact->moment[k] - m->c * w * contact->area / 12 * m->spin[k];
    }
}

/* Velocities first, then positions: semi-implicit Euler. */
static void move(motion *m, const double pull[3]) {
    double *q = m->pose.orientation, turned[4], size = 0;
    for (int k = 0; k < 3; k += 1) {
        const double a = edges[(k + 1) % 3], b = edges[(k + 2) % 3];
        m->velocity[k] += dt * (m->force[k] + pull[k]);
        m->spin[k] += dt * m->torque[k] / ((a * a + b * b) / 12);
        m->pose.position[k] += dt * m->velocity[k];
    }
    const double *s = m->spin;
    turned[0] = q[0] + dt / 2 * (s[0] * q[3] + s[1] * q[2] - s[2] * q[1]);
    turned[1] = q[1] + dt / 2 * (s[1] * q[3] + s[2] * q[0] - s[0] * q[2]);
    turned[2] = q[2] + dt / 2 * (s[2] * q[3] + s[0] * q[1] - s[1] * q[0]);
    turned[3] = q[3] - dt / 2 * (s[0] * q[0] + s[1] * q[1] + s[2] * q[2]);
    for (int k = 0; k < 4; k += 1) {
        size += turned[k] * turned[k];
    }
    for (int k = 0; k < 4; k += 1) {
        q[k] = turned[k] / sqrt(size);
    }
}

static void advance(motion *m, const double pull[3]) {
    step *now = &m->steps[m->now], *last = &m->steps[1 - m->now];
    find(m, now);
    follow(m, now, last);
    memset(m->force, 0, sizeof m->force);
    memset(m->torque, 0, sizeof m->torque);
    for (size_t i = 0; i < now->count; i += 1) {
        push(m, &now->contacts[i], now->springs[i]);
    }
    move(m, pull);
    m->now = 1 - m->now;
}

/* The block at the start: in equilibrium across the slope, with half of the halos pressed in, and at rest along it. */
static motion *start(const body *block, const body *wall, double weight) {
    const double area = edges[0] * edges[1], stiff = sqrt(2 * weight / (2 * halo)), along = 0.3 / dt;
    motion *m = (motion *)memory(NULL, sizeof *m);
    memset(m, 0, sizeof *m);
    m->k = 2 * weight / area;
    m->c = stiff / area;
    m->k_t = 2 * along * along / area;
    m->c_t = along / area;
    m->query = dem_placed_query_default();
    m->query.a = dem_placed_mesh(block->shape, 0);
    m->query.b = dem_placed_mesh(wall->shape, 0);
    m->pose = m->query.a.pose;
    m->pose.position[2] = edges[2] / 2 + halo;
    return m;
}

/* One run. The path is printed beside the exact one, if there is one. */
static void run(const body *block, const body *wall, double degrees) {
    const double angle = degrees * acos(-1.0) / 180;
    const double pull[3] = {gravity * sin(angle), 0, -gravity * cos(angle)};
    const int slides = tan(angle) > mu;
    const double acceleration = slides ? gravity * (sin(angle) - mu * cos(angle)) : 0;
    motion *m = start(block, wall, -pull[2]);
    double begin = 0, settled = 0;
    printf("%.0f degrees: %s\n     t        path       exact\n", degrees,
           slides ? "the block slides" : "friction holds the block once its spring is stretched");
    for (int i = 1; i <= STEPS; i += 1) {
        advance(m, pull);
        if (i == 1 && slides) {
            /* From now on time is measured. Springs begin stretched, as far as friction allows. */
            const step *first = &m->steps[1 - m->now];
            for (size_t k = 0; k < first->count; k += 1) {
                m->steps[1 - m->now].springs[k][0] = mu * m->k / m->k_t;
            }
            memset(m->velocity, 0, sizeof m->velocity);
            begin = m->pose.position[0];
        }
        const double t = dt * i, path = m->pose.position[0] - begin;
        if (i == STEPS * 4 / 5) {
            settled = path;
        }
        if (i % (STEPS / 10) == 0) {
            printf("  %.2f  %10.3e   %10.3e\n", t, path, acceleration * t * t / 2);
        }
    }
    const double t = dt * (STEPS - 1), path = m->pose.position[0] - begin, exact = acceleration * t * t / 2;
    if (slides) {
        check("the path is exact to half a percent", fabs(path - exact) < 5e-3 * exact);
        check("the velocity is exact to half a percent",
            fabs(m->velocity[0] - acceleration * t) < 5e-3 * acceleration * t);
    } else {
        printf("crept in the last fifth: %.1e\n", fabs(path - settled));
        check("the block does not creep", fabs(path - settled) < 1e-12);
        check("friction carries the weight", fabs(m->force[0] + pull[0]) < 1e-9 * gravity);
    }
    check("the block stays on the wall", m->steps[1 - m->now].count > 0 && fabs(m->pose.orientation[3]) > 0.999999);
    free(m->scratch);
    free(m->match_scratch);
    free(m);
}

int main(void) {
    puts("A block on a slope: friction holds it at 30 degrees, and lets it slide at 45.");
    const body wall = build_wall(), block = build_block();
    run(&block, &wall, 30);
    run(&block, &wall, 45);
    free(wall.memory);
    free(block.memory);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
