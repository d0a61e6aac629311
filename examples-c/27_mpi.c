/*
 * Balls and cubes fall and drift over the ground. MPI processes divide the space into slabs along x. The cubes are
 * meshes that share one shape. Each process has this shape, so only poses are sent.
 *
 * Each process steps its own bodies. Before a step its neighbours send it copies of their bodies near the border:
 * ghosts. Ghosts meet the bodies of a process, but not each other. Both processes find a pair of bodies of two
 * processes, and each uses the force on its own body, so no force is sent. Ids determine which body is A and the order
 * in which forces are summed, so both find the same bits. The process that owns A owns the pair: it alone counts the
 * pair's contacts, or would write them to a file. If A is the ground, which all processes have, the owner of B owns the
 * pair.
 *
 * Checked by each process: its bodies have the same bits as in a run with one process; each contact was counted once.
 * Friction is viscous here. Springs of friction would have to move with a body to another process: a pair's ids and
 * the second word of a contact's `key` name them. For worlds, dem_world_pack_springs does this.
 *
 * usage: mpirun -n 2 build/27_mpi [steps]
 */
#include <dem_world.h>
#include <dem_heap.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 24, WIDE = 6, HIGH = 4, BODIES = LONG * WIDE * HIGH, GROUND = 1, MOST = 2 * BODIES };
enum { BALL, HALF_SPACE, CUBE, CONTACTS = 32 * BODIES };
static const double dt = 5e-4, stiffness = 2e5, damping = 2, viscosity = 5, halo = 0.02, reach = 2 * 0.3 * (1 + 0.02);

/* A body, as processes send it. `radius` is that of its bounding ball. */
typedef struct body {
    uint64_t id;
    double position[3], orientation[4], velocity[3], spin[3], radius;
    uint32_t shape, motion;
} body;

/* A slab: the ground, the bodies that it owns, then ghosts. */
typedef struct slab {
    body bodies[MOST];
    int own, all, neighbours[2];
    double from, to;
    dem_block scene, cube;
    long counted, crossed;
} slab;

static double noise(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Fills the slab with the bodies that begin in it. */
static void fill(slab *s, double from, double to, int left, int right) {
    const double edges[3] = {2 / sqrt(3), 2 / sqrt(3), 2 / sqrt(3)};
    uint64_t seed = 7;
    dem_error error;
    memset(s, 0, sizeof *s);
    s->from = from;
    s->to = to;
    s->neighbours[0] = left;
    s->neighbours[1] = right;
    s->scene = s->cube = dem_heap();
    dem_must(dem_heap_box(&s->cube, edges, halo, &error), &error);
    s->bodies[0] = (body){BODIES, {0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0}, {0, 0, 0}, 1, HALF_SPACE, DEM_MOTION_STATIC};
    s->own = GROUND;
    for (int i = 0; i < BODIES; i += 1) {
        const double radius = 0.2 + 0.1 * noise(&seed);
        const uint32_t shape = i % 2 == 0 ? BALL : CUBE;
        body b = {(uint64_t)i, {0, 0, 0}, {0, 0, 0, 1}, {4, 0, 0}, {0, 0, 0}, radius, shape, DEM_MOTION_DYNAMIC};
        const int place[3] = {i % LONG - LONG / 2, i / LONG % WIDE, i / LONG / WIDE};
        for (int k = 0; k < 3; k += 1) b.position[k] = 0.62 * place[k] + 0.02 * noise(&seed);
        for (int k = 0; k < 4; k += 1) b.orientation[k] = noise(&seed) - 0.5;
        b.position[2] += 0.35;
        if (from <= b.position[0] && b.position[0] < to) s->bodies[s->own++] = b;
    }
}

/* Sends some bodies to one neighbour, and receives others from the other neighbour, which are added at the end. */
static void pass(slab *s, const body *some, int count, int side) {
    const int to = s->neighbours[side], from = s->neighbours[1 - side];
    int coming = 0, bytes = sizeof(body);
    MPI_Sendrecv(&count, 1, MPI_INT, to, 0, &coming, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (s->all + coming > MOST) {
        fprintf(stderr, "there is no room for %d bodies\n", s->all + coming);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Sendrecv(some, count * bytes, MPI_BYTE, to, 1, s->bodies + s->all, coming * bytes, MPI_BYTE, from, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    s->all += coming;
}

/* Gives bodies that have left the slab to their new owner, and sends each neighbour copies of those that may touch its
   bodies. */
static void exchange(slab *s) {
    static body leave[MOST];
    s->all = s->own;
    for (int side = 0; side < 2; side += 1) {
        int leaving = 0, left = GROUND;
        for (int i = GROUND; i < s->all; i += 1) {
            const double x = s->bodies[i].position[0];
            if (side == 0 ? x < s->from : x >= s->to) leave[leaving++] = s->bodies[i];
            else s->bodies[left++] = s->bodies[i];
        }
        s->all = left;
        s->crossed += leaving;
        pass(s, leave, leaving, side);
    }
    s->own = s->all;
    for (int side = 0; side < 2; side += 1) {
        int near = 0;
        for (int i = GROUND; i < s->own; i += 1) {
            const double x = s->bodies[i].position[0];
            if (side == 0 ? x < s->from + reach : x >= s->to - reach) leave[near++] = s->bodies[i];
        }
        pass(s, leave, near, side);
    }
    for (int i = s->own; i < s->all; i += 1) s->bodies[i].motion = DEM_MOTION_GHOST;
}

static dem_array column(const void *first, int count, uint32_t type) {
    const dem_array array = {first, (size_t)count, sizeof(body), 0, type, 0};
    return array;
}

/* Rotates a quaternion by the angular velocity of a step. */
static void turn(double q[4], const double w[3]) {
    const double rate[4] = {w[0] * q[3] + w[1] * q[2] - w[2] * q[1], w[1] * q[3] + w[2] * q[0] - w[0] * q[2],
                            w[2] * q[3] + w[0] * q[1] - w[1] * q[0], -w[0] * q[0] - w[1] * q[1] - w[2] * q[2]};
    double square = 0;
    for (int k = 0; k < 4; k += 1) {
        q[k] += 0.5 * dt * rate[k];
        square += q[k] * q[k];
    }
    for (int k = 0; k < 4; k += 1) q[k] /= sqrt(square);
}

static void step(slab *s) {
    static double forces[CONTACTS][3], torques[CONTACTS][3], velocities[CONTACTS][3], pulls[MOST][3], turns[MOST][3];
    const dem_placed shapes[3] = {dem_placed_sphere(1, halo), dem_placed_half_space(halo),
                                  dem_placed_mesh(dem_shape_in(&s->cube), 1)};
    const body *b = s->bodies;
    dem_scene_query query = dem_scene_query_default();
    dem_scene_contacts found;
    dem_scene_motion motion;
    dem_error error;

    exchange(s);
    query.shapes = shapes;
    query.shape_count = 3;
    query.positions = column(b->position, s->all, DEM_F64);
    query.orientations = column(b->orientation, s->all, DEM_F64);
    query.scales = column(&b->radius, s->all, DEM_F64);
    query.shape_of = column(&b->shape, s->all, DEM_U32);
    query.motions = column(&b->motion, s->all, DEM_U32);
    query.ids = column(&b->id, s->all, DEM_U64);
    dem_must(dem_scene_step(&s->scene, NULL, 0, &query, &error), &error);
    dem_must(dem_scene_view(&found, sizeof found, dem_scene_in(&s->scene), &error), &error);
    if (found.count > CONTACTS) {
        fprintf(stderr, "there is no room for %zu contacts\n", found.count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    motion = dem_scene_motion_default();
    motion.velocities = column(b->velocity, s->all, DEM_F64);
    motion.spins = column(b->spin, s->all, DEM_F64);
    dem_must(dem_scene_velocities(velocities[0], dem_scene_in(&s->scene), &motion, NULL, NULL, 0, &error), &error);
    for (size_t i = 0; i < found.count; i += 1) {
        const dem_contact *c = dem_contact_at(&found, i);
        const double *v = velocities[i], *n = c->normal, apart = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
        const double stiff = stiffness * fmax(0, 1 - damping * apart), push = (1 - c->gap / c->halo) * c->area;
        for (int k = 0; k < 3; k += 1) {
            forces[i][k] = stiff * push * n[k] - viscosity * (v[k] - apart * n[k]);
            torques[i][k] = stiff * c->moment[k];
        }
    }
    for (size_t i = 0; i < found.pair_count; i += 1) {
        const dem_scene_pair *p = dem_pair_at(&found, i);
        const uint32_t owner = b[p->a].motion == DEM_MOTION_STATIC ? p->b : p->a;
        s->counted += owner < (uint32_t)s->own ? (long)(p->end - p->first) : 0;
    }
    const dem_array acts = dem_array_f64(forces[0], found.count), moments = dem_array_f64(torques[0], found.count);
    const dem_output on[2] = {dem_output_f64(pulls[0], (size_t)s->all), dem_output_f64(turns[0], (size_t)s->all)};
    const dem_scene *scene = dem_scene_in(&s->scene);
    dem_must(dem_scene_wrenches(&on[0], &on[1], scene, &acts, &moments, NULL, NULL, DEM_LIST_CONTACTS, &error), &error);
    for (int i = GROUND; i < s->own; i += 1) {
        body *own = &s->bodies[i];
        /* A cube in a ball of radius r has edges of 2 r / sqrt(3); its moments are edge^2 / 6 times its mass. */
        const double r = own->radius, mass = 1000 * (own->shape == BALL ? 4.18879 : 1.5396) * r * r * r;
        const double inertia = (own->shape == BALL ? 0.4 : 2.0 / 9) * mass * r * r;
        for (int k = 0; k < 3; k += 1) {
            own->velocity[k] += dt * (pulls[i][k] / mass - (k == 2 ? 9.81 : 0));
            own->spin[k] += dt * turns[i][k] / inertia;
            own->position[k] += dt * own->velocity[k];
        }
        turn(own->orientation, own->spin);
    }
}

int main(int argc, char **argv) {
    static slab own, whole;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int steps = argc > 1 ? atoi(argv[1]) : 800;
    if (rank == 0) puts("Balls and cubes divided among processes.");
    const double width = 0.62 * LONG / size, first = -0.31 * LONG;
    if (size > 1 && width < reach) {
        fprintf(stderr, "slabs for %d processes are narrower than balls reach\n", size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const double from = rank == 0 ? -INFINITY : first + rank * width;
    const double to = rank == size - 1 ? INFINITY : first + (rank + 1) * width;
    fill(&own, from, to, rank == 0 ? MPI_PROC_NULL : rank - 1, rank == size - 1 ? MPI_PROC_NULL : rank + 1);
    fill(&whole, -INFINITY, INFINITY, MPI_PROC_NULL, MPI_PROC_NULL);
    for (int i = 0; i < steps; i += 1) {
        step(&own);
        step(&whole);
    }
    long sums[4] = {own.own - GROUND, 0, own.counted, own.crossed}, all[4];
    for (int i = GROUND; i < own.own; i += 1) {
        const body *other = &whole.bodies[GROUND];
        while (other->id != own.bodies[i].id) other += 1;
        sums[1] += memcmp(own.bodies[i].position, other->position, 13 * sizeof(double)) != 0;
    }
    MPI_Allreduce(sums, all, 4, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d processes: %ld bodies after %d steps, %ld of them elsewhere than on one process\n", size, all[0],
               steps, all[1]);
        printf("%ld contacts, and %ld there; %ld bodies changed their process\n", all[2], whole.counted, all[3]);
    }
    dem_free(&own.scene);
    dem_free(&own.cube);
    dem_free(&whole.scene);
    dem_free(&whole.cube);
    const int wrong = all[0] != BODIES || all[1] != 0 || all[2] != whole.counted ||
        (size > 1 && steps >= 800 && all[3] < 10);
    MPI_Finalize();
    return wrong;
}
