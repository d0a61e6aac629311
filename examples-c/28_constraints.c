/*
 * An engine keeps its bodies in a world and has its own constraint solver. In every step the world finds contacts and
 * stops at DEM_WANT_LAW. There dem_world_corners writes their manifolds, at most four points of each contact, into
 * arrays of the engine. The solver finds the impulses by which no point closes by more than its gap in the step
 * (projected Gauss-Seidel, with friction), and gives them to the world as forces. The world then moves the bodies.
 *
 * Checked: a tower of cubes stands for two seconds, and a sideways force of half of its weight, which is more than
 * friction bears, makes it slide.
 *
 * usage: 28_constraints
 */
#include <dem_heap.h>
#include <dem_world.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CUBES = 4, BODIES = CUBES + 1, ROUNDS = 60 };
static const double gravity = 9.81, halo = 0.02, dt = 1.0 / 60, mu = 0.4, mass = 2, inertia = 2.0 / 6;

/* A point of a manifold: arms from the centres of A and B, and the impulses on A found so far, along the normal
   and across it. */
typedef struct point {
    const dem_contact *contact;
    double at[3], arm[2][3], gap, push, rub[3];
    uint32_t body[2], place;
} point;

/* A body of the solver. For the ground, both inverses are 0. */
typedef struct moving {
    double velocity[3], spin[3], per_mass, per_inertia;
} moving;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(double to[3], const double a[3], const double b[3]) {
    for (int i = 0; i < 3; i += 1) {
        to[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

/* Adds an impulse on A at a point, and the opposite on B. */
static void push(moving *all, const point *p, const double impulse[3]) {
    for (int side = 0; side < 2; side += 1) {
        moving *m = &all[p->body[side]];
        double turn[3];
        cross(turn, p->arm[side], impulse);
        for (int i = 0; i < 3; i += 1) {
            m->velocity[i] += (side == 0 ? 1 : -1) * m->per_mass * impulse[i];
            m->spin[i] += (side == 0 ? 1 : -1) * m->per_inertia * turn[i];
        }
    }
}

/* The velocity of A's surface less that of B's at a point; and below, its change by a unit impulse along a
   direction. */
static void approach(double to[3], const moving *all, const point *p) {
    double turn[2][3];
    for (int side = 0; side < 2; side += 1) {
        cross(turn[side], all[p->body[side]].spin, p->arm[side]);
    }
    for (int i = 0; i < 3; i += 1) {
        to[i] = all[p->body[0]].velocity[i] + turn[0][i] - all[p->body[1]].velocity[i] - turn[1][i];
    }
}

static double yield(const moving *all, const point *p, const double along[3]) {
    double sum = 0, lever[3];
    for (int side = 0; side < 2; side += 1) {
        cross(lever, p->arm[side], along);
        sum += all[p->body[side]].per_mass + all[p->body[side]].per_inertia * dot(lever, lever);
    }
    return sum;
}

static void solve_point(moving *all, point *p) {
    const double *normal = p->contact->normal;
    double v[3], impulse[3], slip[3], rub[3];
    approach(v, all, p);
    /* A gap may close within the step. Penetration is reduced by a small part in each step. */
    const double allowed = (p->gap > 0 ? p->gap : 0.1 * p->gap) / dt;
    const double push_now = fmax(0, p->push - (dot(v, normal) + allowed) / yield(all, p, normal));
    for (int i = 0; i < 3; i += 1) {
        impulse[i] = (push_now - p->push) * normal[i];
    }
    p->push = push_now;
    push(all, p, impulse);

    approach(v, all, p);
    for (int i = 0; i < 3; i += 1) {
        slip[i] = v[i] - dot(v, normal) * normal[i];
    }
    const double speed = sqrt(dot(slip, slip));
    if (speed < 1e-12) {
        return;
    }
    for (int i = 0; i < 3; i += 1) {
        slip[i] /= speed;
    }
    const double stop = speed / yield(all, p, slip);
    for (int i = 0; i < 3; i += 1) {
        rub[i] = p->rub[i] - stop * slip[i];
    }
    const double size = sqrt(dot(rub, rub)), most = mu * p->push;
    for (int i = 0; i < 3; i += 1) {
        rub[i] *= size > most ? most / size : 1;
        impulse[i] = rub[i] - p->rub[i];
        p->rub[i] = rub[i];
    }
    push(all, p, impulse);
}

/* Memory of the engine, which every step uses again. */
typedef struct manifolds {
    dem_contact_corner *corners;
    point *points;
    size_t count, capacity, scratch_size;
    void *scratch;
} manifolds;

static void *larger(void *old, size_t size) {
    void *bytes = realloc(old, size);
    if (bytes == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    return bytes;
}

/* Finds the manifolds. If memory is too small, the error tells how much is enough, and the same call is repeated. */
static void find_manifolds(manifolds *m, dem_world *world, const dem_world_query *query) {
    dem_error error;
    while (dem_world_corners(world, m->corners, m->capacity, &m->count, query, 4, m->scratch, m->scratch_size,
        &error) < 0) {
        if (error.code == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_SCRATCH) {
            m->scratch_size = (size_t)error.needed;
            m->scratch = larger(m->scratch, m->scratch_size);
        } else if (error.code == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_OUTPUT) {
            m->capacity = (size_t)error.needed;
            m->corners = (dem_contact_corner *)larger(m->corners, m->capacity * sizeof *m->corners);
            m->points = (point *)larger(m->points, m->capacity * sizeof *m->points);
        } else {
            dem_must(error.code, &error);
        }
    }
}

/* Solves for the impulses of all points, and writes them as forces at contacts. */
static void law(manifolds *m, dem_world *world, const dem_world_query *query) {
    dem_scene_contacts view;
    dem_world_slots slots;
    dem_host_law law;
    dem_error error;
    moving all[BODIES];
    find_manifolds(m, world, query);
    dem_must(dem_world_contacts(&view, sizeof view, world, &error), &error);
    dem_must(dem_world_view(&slots, sizeof slots, world, &error), &error);
    dem_must(dem_world_law(world, &law, sizeof law, &error), &error);
    for (uint32_t slot = 0; slot < BODIES; slot += 1) {
        const dem_body *body = dem_slot_body(&slots, slot);
        const int moves = body->motion == DEM_MOTION_DYNAMIC;
        all[slot].per_mass = moves ? 1 / mass : 0;
        all[slot].per_inertia = moves ? 1 / inertia : 0;
        for (int i = 0; i < 3; i += 1) {
            /* The velocities that the world would give the body without contacts. */
            all[slot].velocity[i] = body->velocity[i] + dt * all[slot].per_mass * slots.loads[slot].force[i] -
                (i == 2 && moves ? dt * gravity : 0);
            all[slot].spin[i] = body->angular_velocity[i];
        }
    }
    for (size_t n = 0, pair = 0; n < m->count; n += 1) {
        const dem_contact_corner *corner = &m->corners[n];
        while (dem_pair_at(&view, pair)->end <= corner->contact) {
            pair += 1;
        }
        point *p = &m->points[n];
        *p = (point){.contact = dem_contact_at(&view, corner->contact), .gap = corner->gap,
            .body = {dem_pair_at(&view, pair)->a, dem_pair_at(&view, pair)->b}, .place = corner->contact};
        for (int i = 0; i < 3; i += 1) {
            p->at[i] = corner->position[i];
            for (int side = 0; side < 2; side += 1) {
                p->arm[side][i] = p->at[i] - dem_slot_body(&slots, p->body[side])->position[i];
            }
        }
    }
    for (int round = 0; round < ROUNDS; round += 1) {
        for (size_t n = 0; n < m->count; n += 1) {
            solve_point(all, &m->points[n]);
        }
    }
    for (size_t n = 0; n < m->count; n += 1) {
        const point *p = &m->points[n];
        double force[3], arm[3], torque[3];
        for (int i = 0; i < 3; i += 1) {
            force[i] = (p->push * p->contact->normal[i] + p->rub[i]) / dt;
            arm[i] = p->at[i] - p->contact->position[i];
        }
        cross(torque, arm, force);
        for (int i = 0; i < 3; i += 1) {
            law.acts[p->place].force[i] += force[i];
            law.acts[p->place].torque[i] += torque[i];
        }
    }
}

int main(void) {
    puts("A tower in an engine with a constraint solver of its own.");
    static const double edges[3] = {1, 1, 1};
    dem_block cube = dem_heap(), world = dem_heap();
    dem_world_setup setup = dem_world_setup_default();
    dem_world_query query = dem_world_query_default();
    manifolds m = {0};
    dem_error error;
    dem_body top = {0};
    uint64_t handles[BODIES];
    double stood = 0, slid = 0;

    dem_must(dem_heap_box(&cube, edges, halo, &error), &error);
    const dem_placed shapes[2] = {dem_placed_half_space(halo), dem_placed_mesh(dem_shape_in(&cube), 1)};
    query.shapes = shapes;
    query.shape_count = 2;
    setup.gravity[2] = -gravity;
    dem_must(dem_world_build(&world, &setup, &error), &error);
    for (uint32_t n = 0; n < BODIES; n += 1) {
        dem_member member = dem_member_default();
        if (n > 0) {
            member.shape = 1;
            member.body.motion = DEM_MOTION_DYNAMIC;
            member.body.mass = mass;
            member.body.moments[0] = member.body.moments[1] = member.body.moments[2] = inertia;
            member.body.position[2] = n - 0.5 + 1e-3 * n;
        }
        dem_must(dem_world_insert(&world, &handles[n], &member, &error), &error);
    }
    for (int step = 0; step < 240; step += 1) {
        uint32_t want = DEM_WANT_MORE;
        if (step == 120) {
            /* From now on half of the weight acts on the lowest cube, sideways. */
            const dem_wrench load = {{0.5 * CUBES * mass * gravity, 0, 0}, {0, 0, 0}};
            dem_must(dem_world_body(&top, dem_world_in(&world), handles[CUBES], &error), &error);
            stood = top.position[2];
            dem_must(dem_world_set_load(dem_world_in(&world), handles[1], &load, &error), &error);
        }
        dem_must(dem_world_begin(dem_world_in(&world), dt, DEM_ASK_LAW, &error), &error);
        while (want != DEM_WANT_DONE && want != DEM_WANT_STUCK) {
            dem_must(dem_world_next(&world, &want, &query, &error), &error);
            if (want == DEM_WANT_LAW) {
                law(&m, dem_world_in(&world), &query);
            }
        }
        if (want == DEM_WANT_STUCK) {
            fprintf(stderr, "step %d is too long\n", step);
            return 2;
        }
        dem_must(dem_world_accept(dem_world_in(&world), &error), &error);
    }
    dem_body lowest = {0};
    dem_must(dem_world_body(&lowest, dem_world_in(&world), handles[1], &error), &error);
    slid = lowest.position[0];
    printf("%zu points; the top stood at %.4f, and the lowest cube slid by %.2f\n", m.count, stood, slid);
    free(m.corners);
    free(m.points);
    free(m.scratch);
    dem_free(&world);
    dem_free(&cube);
    return fabs(stood - (CUBES - 0.5)) > 5e-3 || slid < 0.2 || slid > 4;
}
