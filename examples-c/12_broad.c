/*
 * A solver of particles in a flow has its own force laws and needs only the near pairs of particles. Its particles
 * are structs in a box that is periodic along x, between a ground and a ceiling, with a few blocks in the way.
 *
 * A neighbour list with a skin is built and kept for several steps, until particles have moved so far that a pair
 * could be missing; in between the list is only refreshed. Then some particles are removed and inserted elsewhere, as
 * at an inlet: the live grid is updated with these particles only.
 *
 * Checked: the refreshed list, and the pairs of the updated grid, equal those of a new grid; neighbours of some
 * particles are compared with brute force.
 *
 * usage: 12_broad [particles [steps]]
 */
#include <dem_broad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 6, BOXES = BLOCKS + 2 };
static const double margin = 0.02, skin = 0.15, speed = 0.01;
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
    void *bytes = malloc(size + 1);
    if (bytes == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        exit(2);
    }
    return bytes;
}

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (1 << 24);
}

/* A particle of the solver. */
typedef struct particle {
    double position[3], velocity[3];
    float radius;
    uint32_t material;
} particle;

/* A strided view of one field of all particles. */
static dem_array field(const particle *all, size_t count, size_t offset, uint32_t type) {
    dem_array array;
    memset(&array, 0, sizeof array);
    array.data = (const char *)all + offset;
    array.count = count;
    array.stride = sizeof *all;
    array.type = type;
    return array;
}

static dem_near_query spheres(const particle *all, size_t count, double side, double within) {
    dem_near_query query;
    query = dem_near_query_default();
    query.centres = field(all, count, offsetof(particle, position), DEM_F64);
    query.radii = field(all, count, offsetof(particle, radius), DEM_F32);
    query.periods[0] = side;
    query.margin = within;
    return query;
}

/* Pairs, in memory that grows to what is needed. */
typedef struct list {
    dem_near_pair *pairs;
    size_t count, room;
} list;

static int grows(list *l, int32_t status, const dem_error *error) {
    if (status == DEM_ERROR_CAPACITY && l->count > l->room) {
        free(l->pairs);
        l->room = l->count + l->count / 8;
        l->pairs = (dem_near_pair *)memory(l->room * sizeof *l->pairs);
        return 1;
    }
    must(status, error);
    return 0;
}

/* The grid with its memory. */
typedef struct finder {
    dem_grid *grid;
    void *block, *scratch;
    size_t scratch_size;
} finder;

static finder build(size_t count) {
    finder f;
    dem_grid_desc desc;
    dem_error error;
    size_t size = 0;
    desc = dem_grid_desc_default();
    desc.bodies = (uint32_t)count;
    must(dem_grid_layout(&size, NULL, &desc, &error), &error);
    f.block = memory(size + DEM_ALIGN - 1);
    must(dem_grid_init(dem_align(f.block), size, &f.grid, &desc, &error), &error);
    f.scratch = NULL;
    f.scratch_size = 0;
    return f;
}

static void find(finder *f, list *l, const dem_near_query *query, const uint32_t *changed, size_t number) {
    dem_error error;
    int32_t status;
    if (f->scratch == NULL) {
        f->scratch_size = dem_scratch_needed(dem_grid_pairs(f->grid, NULL, 0, 0, NULL, query, NULL, 0, NULL, 0,
            &error), &error);
        f->scratch = memory(f->scratch_size);
    }
    do {
        status = dem_grid_pairs(f->grid, l->pairs, l->room, 0, &l->count, query, changed, number, f->scratch,
            f->scratch_size, &error);
    } while (grows(l, status, &error));
}

static int in_order(const void *x, const void *y) {
    const dem_near_pair *p = (const dem_near_pair *)x, *q = (const dem_near_pair *)y;
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    if (p->b != q->b) {
        return p->b < q->b ? -1 : 1;
    }
    return (p->shift[0] > q->shift[0]) - (p->shift[0] < q->shift[0]);
}

static int same(const list *x, const list *y) {
    qsort(x->pairs, x->count, sizeof *x->pairs, in_order);
    qsort(y->pairs, y->count, sizeof *y->pairs, in_order);
    return x->count == y->count && (x->count == 0 || memcmp(x->pairs, y->pairs, x->count * sizeof *x->pairs) == 0);
}

/* Compares the number of neighbours of every 500th particle with brute force. */
static int right(const list *l, const particle *all, size_t count, double side) {
    int holds = 1;
    for (size_t i = 0; i < count; i += 500) {
        size_t expected = 0, found = 0;
        for (size_t j = 0; j < count; j += 1) {
            double square = 0;
            for (int k = 0; k < 3; k += 1) {
                double d = all[i].position[k] - all[j].position[k];
                d -= k == 0 ? side * round(d / side) : 0;
                square += d * d;
            }
            const double reach = (double)all[i].radius + (double)all[j].radius + margin;
            expected += i != j && square <= reach * reach;
        }
        for (size_t k = 0; k < l->count; k += 1) {
            found += l->pairs[k].a == i || l->pairs[k].b == i;
        }
        holds = holds && expected == found;
    }
    return holds;
}

static void place(particle *p, double side) {
    for (int k = 0; k < 3; k += 1) {
        p->position[k] = side * uniform();
        p->velocity[k] = speed * (2 * uniform() - 1);
    }
}

/* Finds particles near ground, ceiling and blocks. Ground and ceiling are infinite along x and y. */
static size_t near_walls(const dem_near_query *query, double side) {
    double lows[BOXES][3], highs[BOXES][3];
    size_t scratch_size = 0, count = 0;
    dem_near_boxes boxes;
    dem_error error;
    for (int i = 0; i < BOXES; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            lows[i][k] = i < 2 ? -(double)INFINITY : side * (0.1 + 0.13 * i);
            highs[i][k] = i < 2 ? (double)INFINITY : lows[i][k] + 0.1 * side;
        }
    }
    highs[0][2] = 0;
    lows[1][2] = side;
    boxes = dem_near_boxes_default();
    boxes.lows = dem_array_f64(lows[0], BOXES);
    boxes.highs = dem_array_f64(highs[0], BOXES);
    scratch_size = dem_scratch_needed(dem_box_pairs(NULL, 0, 0, NULL, query, &boxes, NULL, 0, &error), &error);
    void *scratch = memory(scratch_size);
    const int32_t status = dem_box_pairs(NULL, 0, 0, &count, query, &boxes, scratch, scratch_size, &error);
    if (status != DEM_ERROR_CAPACITY) {
        must(status, &error);
    }
    dem_box_pair *pairs = (dem_box_pair *)memory(count * sizeof *pairs);
    must(dem_box_pairs(pairs, count, 0, &count, query, &boxes, scratch, scratch_size, &error), &error);
    for (size_t i = 0; i < count; i += 1) {
        const dem_array at = query->centres;
        const char *first = (const char *)at.data - offsetof(particle, position);
        const particle *p = (const particle *)(first + at.stride * pairs[i].body);
        check("what is near the ground is low", pairs[i].huge != 0 ||
            p->position[2] <= (double)p->radius + query->margin);
    }
    free(pairs);
    free(scratch);
    return count;
}

int main(int argc, char **argv) {
    puts("Near pairs of particles, for a solver with force laws of its own.");
    const size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000,
        steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
    const double side = cbrt((double)count);
    const size_t moved_in = count / 100;
    finder f = build(count);
    list wide = {NULL, 0, 0}, kept = {NULL, 0, 0}, found = {NULL, 0, 0};
    particle *now = (particle *)memory(count * sizeof *now), *then = (particle *)memory(count * sizeof *then);
    uint32_t *changed = (uint32_t *)memory((moved_in + 1) * sizeof *changed);
    size_t made = 0, scratch_size = 0;
    dem_error error;
    for (size_t i = 0; i < count; i += 1) {
        const double size = uniform();
        place(&now[i], side);
        now[i].radius = (float)(0.1 + 0.9 * size * size * size * size);
        now[i].material = 1;
    }

    for (size_t step = 0; step < steps; step += 1) {
        const dem_near_query asked = spheres(now, count, side, margin),
            before = spheres(then, count, side, margin + skin);
        int lasts = 0;
        void *scratch = NULL;
        if (made > 0) {
            dem_near_motion motion;
            must(dem_near_scratch(&scratch_size, count, wide.count, 0, 0, &error), &error);
            scratch = memory(scratch_size);
            must(dem_near_moved(&motion, sizeof motion, &before, &asked, scratch, scratch_size, &error), &error);
            lasts = motion.sum <= motion.skin;
        }
        if (!lasts) {
            memcpy(then, now, count * sizeof *now);
            find(&f, &wide, &before, NULL, 0);
            made += 1;
            free(scratch);
            must(dem_near_scratch(&scratch_size, count, wide.count, 0, 0, &error), &error);
            scratch = memory(scratch_size);
        }
        int32_t status;
        do {
            status = dem_near_refresh(kept.pairs, kept.room, 0, &kept.count, wide.pairs, wide.count, &before, &asked,
                scratch, scratch_size,
                                      &error);
        } while (grows(&kept, status, &error));
        free(scratch);
        if (step % 4 == 0) {
            find(&f, &found, &asked, NULL, 0);
            check("the list that is kept is the one that is found anew", same(&kept, &found));
        }
        for (size_t i = 0; i < count; i += 1) {
            for (int k = 0; k < 3; k += 1) {
                now[i].position[k] += now[i].velocity[k];
            }
            /* Wraps the particle into the box, as solvers do. */
            now[i].position[0] -= side * floor(now[i].position[0] / side);
        }
    }
    printf("%zu particles, %zu steps: the list was made %zu times; %zu pairs of %zu in it\n", count, steps, made,
        kept.count, wide.count);

    const dem_near_query query = spheres(now, count, side, margin);
    find(&f, &found, &query, NULL, 0);
    check("some particles looked for among all", right(&found, now, count, side));
    for (size_t i = 0; i < moved_in; i += 1) {
        changed[i] = (uint32_t)(uniform() * (double)count);
        place(&now[changed[i]], side);
    }
    find(&f, &kept, &query, changed, moved_in);
    find(&f, &found, &query, NULL, 0);
    check("pairs after changes are those that are found anew", same(&kept, &found));
    check("some particles looked for among all, after changes", right(&kept, now, count, side));
    printf("%zu moved elsewhere: %zu pairs; %zu near walls\n", moved_in, found.count, near_walls(&query, side));
    check("the list is made less often than there are steps", steps < 4 || made < steps);
    free(f.block);
    free(f.scratch);
    free(wide.pairs);
    free(kept.pairs);
    free(found.pairs);
    free(now);
    free(then);
    free(changed);
    printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
