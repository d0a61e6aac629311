/*
 * A game of two players over a network, with rollback. Both machines step the same world, frame by frame, without
 * waiting for each other. The input of the other player arrives eight frames late; until then the machine assumes that
 * this player repeats the last known input. If the guess was wrong, the machine goes back to the copy of the world
 * before that frame, and repeats all frames since then with the inputs that are known now.
 *
 * Each player pushes a ball through boxes in an arena. The copies are a ring of nine blocks.
 *
 * Checked: at every frame whose inputs both know, both machines have the same hash, which is also that of a third
 * machine that knew all inputs from the beginning; there were as many rollbacks as wrong guesses.
 *
 * usage: 19_rollback [frames]
 */
#include "rocks.h"
#include <dem_world.h>

enum { LATE = 8, RING = LATE + 1, BOXES = 12, MOST_FRAMES = 10000 };
static const double halo = 0.04, dt = 1.0 / 240;

/* The input of a player in a frame: a direction, which stays the same for some frames. */
static int pressed(int player, int frame) {
    const uint32_t turn = (uint32_t)(frame / (11 + 6 * player) + player);
    return (int)(turn * 2654435761u >> 29) % 5;
}

/* The query and scratch of all machines. */
typedef struct rules {
    dem_world_query query;
    void *scratch;
    size_t scratch_size;
    uint64_t balls[2];
} rules;

static void push(dem_world *world, const rules *r, int player, int key) {
    static const double ways[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    dem_error error;
    const dem_wrench load = {{6 * ways[key][0], 6 * ways[key][1], 0}, {0, 0, 0}};
    must(dem_world_set_load(world, r->balls[player], &load, &error), &error);
}

/* Makes a frame of a sixtieth of a second, in four steps. */
static void frame(dem_world *world, const rules *r, const int keys[2]) {
    dem_error error;
    push(world, r, 0, keys[0]);
    push(world, r, 1, keys[1]);
    must(dem_world_advance(world, &r->query, 4 * dt, dt, r->scratch, r->scratch_size, &error), &error);
}

/* One player's machine: the world, copies from before each of the last frames, and the known or guessed inputs of
   both players in them. */
typedef struct machine {
    dem_world *world;
    void *ring[RING];
    int keys[RING][2], player, frame;
    int rollbacks, wrong;
} machine;

/* The other player's input of a frame has arrived. If the guess was wrong, goes back and repeats frames. */
static void learn(machine *m, const rules *r, size_t size, int known, int key) {
    const int other = 1 - m->player;
    if (m->keys[known % RING][other] == key) {
        return;
    }
    m->rollbacks += 1;
    memcpy(m->world, m->ring[known % RING], size);
    for (int i = known; i < m->frame; i += 1) {
        m->keys[i % RING][other] = key;
        memcpy(m->ring[i % RING], m->world, size);
        frame(m->world, r, m->keys[i % RING]);
    }
}

/* Makes the next frame, with the inputs that are known or guessed. */
static void go_on(machine *m, const rules *r, size_t size) {
    int *keys = m->keys[m->frame % RING];
    keys[m->player] = pressed(m->player, m->frame);
    keys[1 - m->player] = m->frame > 0 ? m->keys[(m->frame - 1) % RING][1 - m->player] : 0;
    memcpy(m->ring[m->frame % RING], m->world, size);
    frame(m->world, r, keys);
    m->frame += 1;
}

/* The arena: ground, four walls, two balls, boxes in two layers. */
static dem_world *start(size_t *size, rules *r, const mesh *crate) {
    dem_error error;
    dem_world *world = NULL;
    dem_world_desc desc = dem_world_desc_default(BOXES + 7);
    desc.nodes = 4000;
    must(dem_world_layout(size, NULL, &desc, &error), &error);
    must(dem_world_init(memory(*size), *size, &world, &desc, &error), &error);
    dem_world_setup setup = dem_world_setup_default();
    setup.gravity[2] = -10;
    must(dem_world_set_up(world, &setup, &error), &error);
    static const double h = 0.70710678118654752;
    const dem_pose walls[5] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{-3, 0, 0}, {0, h, 0, h}}, {{3, 0, 0}, {0, -h, 0, h}},
        {{0, -3, 0}, {-h, 0, 0, h}}, {{0, 3, 0}, {h, 0, 0, h}}};
    dem_member member = dem_member_default();
    for (int i = 0; i < 5; i += 1) {
        memcpy(member.body.position, walls[i].position, sizeof walls[i].position);
        memcpy(member.body.orientation, walls[i].orientation, sizeof walls[i].orientation);
        must(dem_world_add(world, NULL, &member, &error), &error);
    }
    member.shape = 1;
    for (int i = 0; i < 2; i += 1) {
        const double position[3] = {i == 0 ? -2 : 2, 0.3 * i, 0.37};
        must(dem_body_ball(&member.body, position, 0.35, 3, &error), &error);
        must(dem_world_add(world, &r->balls[i], &member, &error), &error);
    }
    member.shape = 2;
    for (int i = 0; i < BOXES; i += 1) {
        const dem_pose pose = {{0.7 * (i % 2) - 0.35, 0.7 * (i / 2 % 3) - 0.7, 0.3 + 0.65 * (i / 6)}, {0, 0, 0, 1}};
        must(dem_body_of_mass(&member.body, &crate->mass, &pose, &error), &error);
        must(dem_world_add(world, NULL, &member, &error), &error);
    }
    return world;
}

int main(int argc, char **argv) {
    puts("A game of two players with rollback: both machines step the same world.");
    const int frames = argc > 1 && atoi(argv[1]) < MOST_FRAMES ? atoi(argv[1]) : 72;
    static const uint32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
        {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    double corners[8][3];
    for (int i = 0; i < 8; i += 1) {
        for (int k = 0; k < 3; k += 1) {
            corners[i][k] = 0.5 * (i >> k & 1) - 0.25;
        }
    }
    mesh crate = build(corners[0], 8, faces[0], 12, halo, 1);
    crate.placed.pose = crate.mass.part_pose;
    const dem_placed shapes[3] = {dem_placed_half_space(halo), dem_placed_sphere(0.35, halo), crate.placed};
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 300);
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.3;
    law.friction = 0.3;
    rules r;
    memset(&r, 0, sizeof r);
    r.query = dem_world_query_default();
    r.query.shapes = shapes;
    r.query.shape_count = 3;
    r.query.interactions = &law;
    r.query.interaction_count = 1;

    dem_error error;
    size_t size = 0;
    dem_world *referee = start(&size, &r, &crate);
    r.scratch_size = dem_scratch_needed(dem_world_advance(referee, &r.query, 1, 1, NULL, 0, &error), &error);
    r.scratch = memory(r.scratch_size);
    machine machines[2];
    memset(machines, 0, sizeof machines);
    for (int player = 0; player < 2; player += 1) {
        machine *m = &machines[player];
        m->player = player;
        m->world = (dem_world *)memory(size);
        memcpy(m->world, referee, size);
        for (int i = 0; i < RING; i += 1) {
            m->ring[i] = memory(size);
        }
    }

    uint64_t *truth = (uint64_t *)memory((size_t)frames * sizeof *truth);
    int compared = 0, alike = 0;
    for (int i = 0; i < frames; i += 1) {
        const int keys[2] = {pressed(0, i), pressed(1, i)};
        must(dem_world_hash(&truth[i], referee, &error), &error);
        frame(referee, &r, keys);
        for (int player = 0; player < 2; player += 1) {
            machine *m = &machines[player];
            const int known = i - LATE;
            if (known >= 0) {
                const int key = pressed(1 - player, known);
                m->wrong += m->keys[known % RING][1 - player] != key;
                learn(m, &r, size, known, key);
                /* The copy before a frame of which all earlier inputs are known. */
                uint64_t hash = 0;
                must(dem_world_hash(&hash, (const dem_world *)m->ring[known % RING], &error), &error);
                compared += 1;
                alike += hash == truth[known];
            }
            go_on(m, &r, size);
        }
    }
    check("frames that are known are alike", compared == alike && compared == 2 * (frames - LATE));
    check("a rollback for each wrong guess",
        machines[0].rollbacks == machines[0].wrong && machines[1].rollbacks == machines[1].wrong);
    check("there were some", frames < 60 || machines[0].rollbacks + machines[1].rollbacks > 4);
    dem_body body;
    must(dem_world_body(&body, referee, r.balls[0], &error), &error);
    printf("%d frames: %d compared with the referee, %d alike; %d and %d rollbacks of up to %d frames; a copy has "
        "%zu kB; the first ball came to %.2f %.2f\n", frames, compared, alike, machines[0].rollbacks,
        machines[1].rollbacks, LATE, size >> 10, body.position[0], body.position[1]);
    release();
    return mistakes;
}
