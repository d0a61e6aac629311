/*
 * A block lies on a wall that a flow moves. The wall has new vertices in every step, as in a solver of fluid-structure
 * interaction. It is pulled sideways under the block, faster and faster, and bulges on the way. At a small
 * acceleration, friction takes the block along. At a large one the block slips, and gains only the velocity that
 * friction gives, mu g t.
 *
 * `advance` is what such a solver does in every step: it refits the shape, finds contacts and the velocities of both
 * surfaces at them, and carries springs along. The shape has room to spare, so nothing is allocated after the start.
 * Its patches keep their names, so contacts keep their keys and their springs, however the wall bulges.
 *
 * Checked: neither speed lags by 2 ms; springs never start anew.
 *
 * usage: 10_wall [steps]
 */
#include <dem_mesh.h>
#include <dem_pair.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, VERTICES = (CELLS + 1) * (CELLS + 1), TRIANGLES = 2 * CELLS * CELLS, MOST = 64 };
static const double gravity = 9.81, mu = 0.3, dt = 1e-3, halo = 1e-3, half = 2.0;
static const double edges[3] = {0.5, 0.4, 0.2};
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

static body build(const double *vertices, size_t vertex_count, const uint32_t *triangles, size_t count) {
    body made;
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

static body build_block(void) {
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    double vertices[8][3];
    for (int i = 0; i < 8; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            vertices[i][k] = (i >> k & 1 ? 0.5 : -0.5) * edges[k];
        }
    }
    return build(vertices[0], 8, triangles[0], 12);
}

/* The wall, and its motion. */
typedef struct wall {
    body body;
    double vertices[VERTICES][3], velocities[VERTICES][3];
} wall;

/* Moves the wall's vertices to time t: they are pulled along x, while the far end of the wall flutters. (A solver has
   both arrays anyway.) */
static void flow(wall *w, double t, double acceleration) {
    for (int i = 0; i < VERTICES; i += 1) {
        const double x = half * (2.0 * (i % (CELLS + 1)) / CELLS - 1), y = half * (2.0 * (i / (CELLS + 1)) / CELLS - 1);
        const double way = acceleration * t * t / 2, flutter = x > 1 ? 0.2 * (x - 1) * (1 - y * y / 4) : 0;
        w->vertices[i][0] = x + way;
        w->vertices[i][1] = y;
        w->vertices[i][2] = flutter * sin(20 * t);
        w->velocities[i][0] = acceleration * t;
        w->velocities[i][1] = 0;
        w->velocities[i][2] = flutter * 20 * cos(20 * t);
    }
}

static wall *build_wall(void) {
    static uint32_t triangles[TRIANGLES][3];
    wall *w = (wall *)memory(sizeof *w);
    flow(w, 0, 0);
    for (uint32_t k = 0; k < CELLS * CELLS; k += 1) {
        const uint32_t low = k / CELLS * (CELLS + 1) + k % CELLS, high = low + CELLS + 1;
        const uint32_t two[2][3] = {{low, low + 1, high + 1}, {low, high + 1, high}};
        memcpy(triangles[2 * k], two, sizeof two);
    }
    w->body = build(w->vertices[0], VERTICES, triangles[0], TRIANGLES);
    return w;
}

static void refit(wall *w) {
    dem_error error;
    dem_refit_desc desc;
    desc = dem_refit_desc_default();
    desc.vertices = dem_array_f64(w->vertices[0], VERTICES);
    must(dem_shape_refit(w->body.shape, w->body.size, &desc, &error), &error);
}

/* Contacts of a step with their springs. */
typedef struct step {
    dem_contact contacts[MOST];
    double springs[MOST][3];
    dem_body_pair pair;
    size_t count;
} step;

/* The block of mass 1, which slides and does not turn. */
typedef struct motion {
    double position[3], velocity[3];
    step steps[2];
    int now;
    size_t anew;
} motion;

static void advance(motion *m, const body *block, wall *w, double t, double acceleration) {
    static unsigned char scratch[1 << 22], small[1 << 16];
    step *now = &m->steps[m->now], *last = &m->steps[1 - m->now];
    dem_contact_link links[MOST];
    double slips[MOST][3];
    dem_placed_query query;
    dem_motion own, other;
    dem_error error;

    flow(w, t, acceleration);
    refit(w);

    query = dem_placed_query_default();
    query.a = dem_placed_mesh(block->shape, 0);
    query.b = dem_placed_mesh(w->body.shape, 0);
    memcpy(query.a.pose.position, m->position, sizeof m->position);
    must(dem_placed_contacts(now->contacts, MOST, 0, &now->count, &query, scratch, sizeof scratch, &error), &error);
    now->pair.tag = query.tag;
    now->pair.pose_a = query.a.pose;
    now->pair.pose_b = query.b.pose;

    own = dem_motion_default();
    other = dem_motion_default();
    memcpy(own.velocity, m->velocity, sizeof own.velocity);
    other.shape = w->body.shape;
    other.vertices = dem_array_f64(w->velocities[0], VERTICES);
    must(dem_contact_velocities(slips[0], now->contacts, now->count, 0, &own, &other, small, sizeof small, &error),
        &error);

    const dem_contact_list before = {last->contacts, last->count, 0, &last->pair, last->count > 0, 0, NULL, 0};
    const dem_contact_list after = {now->contacts, now->count, 0, &now->pair, 1, 0, NULL, 0};
    must(dem_contact_match(links, NULL, 0, NULL, NULL, 0, NULL, &before, &after, 2 * halo, scratch, sizeof scratch,
        &error), &error);
    must(dem_contact_carry(now->springs[0], last->springs[0], links, NULL, 0, &before, &after, &error), &error);

    /* The point law: stiffness and the limit of friction are proportional to the share of a contact. */
    const double stiff = 4e4, damp = 200;
    for (size_t i = 0; i < now->count; i += 1) {
        const dem_contact *c = &now->contacts[i];
        const double most = mu * gravity * c->share;
        double *spring = now->springs[i], force[2], size;
        m->anew += t > dt && links[i].source == DEM_NO_ID && c->share > 1e-6;
        for (int k = 0; k < 2; k += 1) {
            spring[k] += dt * slips[i][k];
            force[k] = -c->share * (stiff * spring[k] + damp * slips[i][k]);
        }
        spring[2] = 0;
        size = sqrt(force[0] * force[0] + force[1] * force[1]);
        for (int k = 0; k < 2; k += 1) {
            if (size > most) {
                force[k] *= most / size;
                spring[k] = -(force[k] / c->share + damp * slips[i][k]) / stiff;
            }
            m->velocity[k] += dt * force[k];
        }
    }
    for (int k = 0; k < 2; k += 1) {
        m->position[k] += dt * m->velocity[k];
    }
    m->now = 1 - m->now;
}

static void run(double acceleration, int steps) {
    const body block = build_block();
    wall *w = build_wall();
    motion *m = (motion *)memory(sizeof *m);
    const int slips = acceleration > mu * gravity;
    memset(m, 0, sizeof *m);
    m->position[2] = edges[2] / 2 + halo;
    printf("the wall gains %.1f a second: %s\n     t   wall  block  exact\n", acceleration,
           slips ? "the block slips" : "the block goes along");
    for (int i = 1; i <= steps; i += 1) {
        const double t = dt * i, gains = slips ? mu * gravity : acceleration, exact = gains * t;
        advance(m, &block, w, t, acceleration);
        if (i % (steps / 4) == 0) {
            printf("  %.2f  %5.3f  %5.3f  %5.3f\n", t, acceleration * t, m->velocity[0], exact);
        }
        if (i == steps) {
            check("the speed lags by less than 2 ms", fabs(m->velocity[0] - exact) < 2e-3 * gains);
        }
    }
    check("springs follow their contacts", m->anew == 0 && m->steps[1 - m->now].count > 0);
    check("nothing draws the block aside", fabs(m->velocity[1]) < 1e-6);
    free(block.memory);
    free(w->body.memory);
    free(w);
    free(m);
}

int main(int argc, char **argv) {
    puts("A block on a wall whose vertices a flow moves.");
    const int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 400;
    run(2, steps < 4 ? 4 : steps);
    run(5, steps < 4 ? 4 : steps);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
