/*
 * A program lends its own threads to the library. They form a pool with a queue of one job, an interface that every
 * task system can provide. One thread, and then the pool, finds the contacts of fifty thousand balls of many sizes in a
 * periodic box.
 *
 * The program prints how long the second of two steps takes with one thread, with two, and with all threads of the
 * pool, also for a million balls.
 *
 * Checked: contacts and sums of forces have the same bits with one lane, with as many lanes as threads, with more, and
 * with a callback that omits lanes and calls others twice.
 *
 * usage: 09_tasks [balls]
 */
#include <dem.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 3 };
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

/* Threads that wait for a job. A job is a number of lanes; each thread takes the next lane until none is left. */
typedef struct pool {
    pthread_t threads[THREADS];
    pthread_mutex_t lock;
    pthread_cond_t begins, done;
    dem_lane lane;
    void *arg;
    size_t next, lanes, running, jobs;
    int ends;
} pool;

/* Runs lanes until none is left; the caller holds the lock before and after. */
static void take(pool *p) {
    while (p->next < p->lanes) {
        const size_t lane = p->next;
        p->next += 1;
        p->running += 1;
        (void)pthread_mutex_unlock(&p->lock);
        p->lane(lane, p->arg);
        (void)pthread_mutex_lock(&p->lock);
        p->running -= 1;
    }
    /* The calling thread in `run` waits for this signal. */
    if (p->running == 0) {
        (void)pthread_cond_broadcast(&p->done);
    }
}

static void *serve(void *user) {
    pool *p = (pool *)user;
    (void)pthread_mutex_lock(&p->lock);
    while (!p->ends) {
        take(p);
        if (!p->ends && p->next >= p->lanes) {
            (void)pthread_cond_wait(&p->begins, &p->lock);
        }
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The callback of the library. The calling thread works, too, and returns when all lanes are done. */
static void run(void *user, size_t lanes, dem_lane lane, void *arg) {
    pool *p = (pool *)user;
    (void)pthread_mutex_lock(&p->lock);
    p->lane = lane;
    p->arg = arg;
    p->next = 0;
    p->lanes = lanes;
    p->jobs += 1;
    (void)pthread_cond_broadcast(&p->begins);
    take(p);
    while (p->running > 0) {
        (void)pthread_cond_wait(&p->done, &p->lock);
    }
    p->lanes = 0;
    (void)pthread_mutex_unlock(&p->lock);
}

static void start(pool *p) {
    memset(p, 0, sizeof *p);
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->begins, NULL);
    (void)pthread_cond_init(&p->done, NULL);
    for (int i = 0; i < THREADS; i += 1) {
        if (pthread_create(&p->threads[i], NULL, serve, p) != 0) {
            fprintf(stderr, "no thread\n");
            exit(2);
        }
    }
}

static void stop(pool *p) {
    (void)pthread_mutex_lock(&p->lock);
    p->ends = 1;
    (void)pthread_cond_broadcast(&p->begins);
    (void)pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < THREADS; i += 1) {
        (void)pthread_join(p->threads[i], NULL);
    }
    (void)pthread_cond_destroy(&p->begins);
    (void)pthread_cond_destroy(&p->done);
    (void)pthread_mutex_destroy(&p->lock);
}

/* A wrong callback: it omits the first lane, and calls the last one twice. That costs only speed. */
static void careless(void *user, size_t lanes, dem_lane lane, void *arg) {
    (void)user;
    for (size_t i = 1; i < lanes; i += 1) {
        lane(i, arg);
    }
    lane(lanes - 1, arg);
}

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (1 << 24);
}

/* Hash of bytes. */
static uint64_t hash(uint64_t from, const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i += 1) {
        from = (from ^ bytes[i]) * 1099511628211u;
    }
    return from;
}

static double milliseconds(void) {
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The results of two steps of a scene: counts, a hash of all result bits, and the time that the second step took. */
typedef struct outcome {
    dem_scene_counts found;
    uint64_t number;
    double milliseconds;
} outcome;

/* Makes two steps of a scene, with forces, on the threads of `tasks`. */
static outcome answer(dem_scene_query query, const double *moved, const dem_tasks *tasks) {
    outcome out = {{0}, 14695981039346656037u, 0};
    size_t size = 0, scratch_size = 0;
    dem_error error;
    dem_scene *scene;
    dem_scene_desc desc;
    dem_scene_contacts view;
    desc = dem_scene_desc_default();
    desc.bodies = (uint32_t)query.positions.count;
    must(dem_scene_layout(&size, NULL, &desc, &error), &error);
    void *block = memory(size + DEM_ALIGN - 1);
    must(dem_scene_init(dem_align(block), size, &scene, &desc, &error), &error);
    query.tasks = *tasks;
    scratch_size = dem_scratch_needed(dem_scene_detect(scene, NULL, 0, &query, NULL, 0, &error), &error);
    void *scratch = memory(scratch_size);
    for (int step = 0; step < 2; step += 1) {
        if (step == 1) {
            query.positions.data = moved;
        }
        const double start = milliseconds();
        must(dem_scene_detect(scene, &out.found, sizeof out.found, &query, scratch, scratch_size, &error), &error);
        out.milliseconds = milliseconds() - start;
        must(dem_scene_view(&view, sizeof view, scene, &error), &error);
        double *forces = (double *)memory((view.count + 1) * 3 * sizeof *forces);
        double *sums = (double *)memory(view.body_count * 6 * sizeof *sums);
        for (size_t i = 0; i < view.count; i += 1) {
            const dem_contact *c = dem_contact_at(&view, i);
            for (int a = 0; a < 3; a += 1) {
                forces[3 * i + (size_t)a] = (1 - c->gap / c->halo) * c->area * c->normal[a];
            }
        }
        const dem_array given = dem_array_f64(forces, view.count);
        const dem_output force = dem_output_f64(sums, view.body_count),
            torque = dem_output_f64(sums + 3 * view.body_count, view.body_count);
        must(dem_scene_wrenches(&force, &torque, scene, &given, NULL, NULL, tasks, DEM_LIST_CONTACTS, &error), &error);
        out.number = hash(out.number, view.contacts, view.count * sizeof *view.contacts);
        out.number = hash(out.number, view.links, view.count * sizeof *view.links);
        out.number = hash(out.number, view.touches, view.count * 2 * sizeof *view.touches);
        out.number = hash(out.number, sums, view.body_count * 6 * sizeof *sums);
        free(forces);
        free(sums);
    }
    free(scratch);
    free(block);
    return out;
}

int main(int argc, char **argv) {
    puts("Contacts of many balls, found on threads that the program lends to the library.");
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
    const double side = 2.6 * cbrt((double)count);
    double *positions = (double *)memory(count * 3 * sizeof *positions),
        *moved = (double *)memory(count * 3 * sizeof *moved);
    double *scales = (double *)memory(count * sizeof *scales);
    for (size_t i = 0; i < 3 * count; i += 1) {
        positions[i] = side * uniform();
        moved[i] = positions[i] + 0.1 * (uniform() - 0.5);
        scales[i / 3] = 0.5 + uniform() * uniform();
    }
    const dem_placed ball = dem_placed_sphere(1, 0.1);
    dem_scene_query query;
    query = dem_scene_query_default();
    query.shapes = &ball;
    query.shape_count = 1;
    query.bound = 0.2;
    query.periods[0] = query.periods[1] = query.periods[2] = side;
    query.positions = dem_array_f64(positions, count);
    query.scales = dem_array_f64(scales, count);

    pool p;
    start(&p);
    const dem_tasks none = {NULL, NULL, 0, 0};
    const outcome alone = answer(query, moved, &none);
    printf("%zu balls: %llu contacts, %llu of which were there before\n", count,
        (unsigned long long)alone.found.contacts,
           (unsigned long long)alone.found.persisting);
    printf("a step by one thread: %.1f ms\n", alone.milliseconds);
    const dem_tasks all[5] = {{run, &p, 1, 0}, {run, &p, 2, 0}, {run, &p, THREADS + 1, 0}, {run, &p, 64, 0},
        {careless, NULL, 5, 0}};
    for (int i = 0; i < 5; i += 1) {
        const outcome together = answer(query, moved, &all[i]);
        check("the pool changes no bit", together.number == alone.number);
        check("the pool finds as many", memcmp(&alone.found, &together.found, sizeof alone.found) == 0);
        if (i == 1 || i == 2) {
            printf("by the pool with %zu lanes: %.1f ms\n", all[i].lanes, together.milliseconds);
        }
    }
    check("the pool had something to do", p.jobs > 0);
    stop(&p);
    check("there are contacts that go on", alone.found.persisting > alone.found.contacts / 2);
    free(positions);
    free(moved);
    free(scales);
    return mistakes > 0;
}
