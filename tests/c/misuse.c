/*
 * Wrong calls of every function: null and crooked pointers, structs of another size or never initialised, numbers that are NaN, infinite, huge or
 * negative, wrong counts and strides, overlapping memory, blocks that are zeroed, cut off, of another kind or have a flipped bit, calls in the wrong
 * phase of a step. Each has to give an error that names an argument, to write nothing but its outputs, and to leave blocks as they were.
 *
 * Here are the right calls, as tables; misuse_mistakes.h makes the wrong ones. Ends with 0 if the library made no mistake.
 */
#include "misuse_calls.h"
#include "misuse_mistakes.h"

/* A letter for each field; misuse_mistakes.h says in `poke_fields` what is tried with it. */
#define BODY "fffffffffffffpppp" "or"
#define PLACED_MESH "oo@RggpgRRQ"
#define PLACED_BALL "ou?RpppgRRQ"
/* Settings that a call does not look at are g, u, C, X and Y: of shapes without cells, of bodies whose place does not matter. */
#define SHAPE_DESC "zoAIAgooooougg"
#define SHAPE_SIZE "zoCICgooooougg"
#define KIND_ONLY "oo@Rgg" "ggUUggggggg"
#define SCENE_PLACES "zo*nsUUqT" "gggggg" "CCAACAAAAgUU"
#define SCENE_DESC "zuuuouuu"
#define SCENE_QUERY "zo*nsUUqTpppFppAAAAAAAAApUU"
#define SURFACE "@RpurYQ?R"
#define SCENE_MOTION "zoAAA*nsR"
#define SCENE_MOTION_SIZE "zuYYY*nsR"
#define WORLD_DESC "zuuuououuu"
#define WORLD_SETUP "zooofffpppor"
#define MEMBER "zuuuur" BODY "pU"
#define WORLD_QUERY "zo*ns?nUUqTFppU?ns"
#define WORLD_LATER "zo*ns?nUUqTgggU?ns"
#define INTERACTION "ooorppFppppp"
#define PLACED_QUERY "zoU" PLACED_MESH PLACED_MESH "TXXUU"
#define PLACED_ALONE "zoU" PLACED_MESH PLACED_MESH "XXXXXXUU"
#define PLACED_SIZE "zoU" KIND_ONLY KIND_ONLY "XXXXXXUU"
#define MOTION "zrfffffffff#RQpA"
#define CONTACT_LIST "*ns*nsXX"
#define NEAR_QUERY "zoorTppppAAAAA"
#define NEAR_AGAIN "zoorTppppCCAAA"
#define NEAR_BOXES "zraaaaa"
#define TRIANGLES "*nsssor"
#define SEGMENTS "*nsssor"
#define TRIANGLE_OPTIONS "zoor"
#define CONTACT_OPTIONS "zoooououorppppgC"
#define RESULTS "zrWWWWWW"
#define POINT_RESULTS "zrWWWWWWWW"
#define POINT_QUERY "zo@RQFA"
#define QUERY "zo@@QQpgor"
#define QUERY_NEAREST "zo@@QQgFor"
#define INSPECT "zupp"
#define REFIT "zoAAfor"
#define RAY "ffffffFur"
#define TAKEN "ffffffffffffuu"

enum { SCRATCH_SIZE = 400000, MOST = 64 };

/* The same for all rows: room for outputs of any kind, and scratch. */
static void *scratch, *out[8], *number[8], *memory;
static dem_shape *mesh, *bare;
static size_t mesh_size, bare_size, scene_size, world_size, grid_size, memory_size = 120000;
static dem_scene *scene;
static dem_world *worlds[4];
static dem_grid *grid;

static dem_error told;
#define MUST(call) must_be(call, #call)
static void must_be(int32_t status, const char *what) {
    char text[DEM_ERROR_TEXT] = "";
    if (status >= 0) return;
    (void)dem_error_format(text, sizeof text, NULL, &told);
    printf("%s: %s %s\n", what, dem_status_string(status), text);
    exit(2);
}

static const double TETRAHEDRON[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint32_t FACES[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const double PLACES[3][3] = {{0, 0, 0}, {0.3, 0.2, -0.12}, {0.4, 0.3, 1.4}};

/* Descriptions, in the arena: each a struct of its own. */
static dem_shape_desc *shape_desc;
static dem_placed *table, *placed_mesh, *placed_ball, *placed_compound;
static dem_compound *compound;
static dem_scene_desc *scene_desc;
static dem_scene_query *scene_query;
static dem_world_desc *world_desc;
static dem_world_setup *setup;
static dem_member *member;
static dem_interaction *interaction;
static dem_world_query *world_query;
static dem_ray *rays;
static uint64_t handles[3];

static void make_shapes(void) {
    dem_shape_desc desc = dem_shape_desc_default();
    const double halos[4] = {0.05, 0.05, 0.05, 0.05};
    desc.vertices = dem_array_f64(put(TETRAHEDRON, sizeof TETRAHEDRON), 4);
    desc.triangles = dem_indices_u32(put(FACES, sizeof FACES), 4);
    desc.halo = 0.05;
    dem_block built = dem_heap();
    dem_shape_info info;
    MUST(dem_shape_build(&built, &desc, &told));
    MUST(dem_shape_describe(&info, sizeof info, dem_shape_in(&built), &told));
    mesh_size = (size_t)info.size;
    mesh = put_block('s', built.start, mesh_size);
    dem_free(&built);
    desc.cells = 0;
    desc.halos = dem_array_f64(put(halos, sizeof halos), 4);
    MUST(dem_shape_layout(&bare_size, NULL, &desc, &told));
    shape_desc = put_struct(&desc, sizeof desc);
    bare = room(bare_size);
    blocks[block_count++] = (struct block){bare, 's'};
    desc.halos = dem_shape_desc_default().halos;
    MUST(dem_shape_init(bare, bare_size, &bare, &desc, &told));
    const dem_placed both[2] = {dem_placed_mesh(mesh, 1), dem_placed_sphere(0.5, 0.05)};
    table = put(both, sizeof both);
    placed_mesh = put(&both[0], sizeof *both);
    placed_ball = put(&both[1], sizeof *both);
    dem_compound of = dem_compound_default();
    of.parts = put(both, sizeof both);
    of.count = 2;
    compound = put_struct(&of, sizeof of);
    const dem_placed placed = dem_placed_compound(compound);
    placed_compound = put(&placed, sizeof placed);
    const dem_ray two[2] = {{{0.2, 0.2, 5}, {0, 0, -1}, INFINITY, UINT32_MAX, 0}, {{5, 0.2, 0.2}, {-1, 0, 0}, 20, UINT32_MAX, 0}};
    rays = put(two, sizeof two);
}

static void make_scene(void) {
    dem_scene_desc desc = dem_scene_desc_default();
    desc.bodies = 3, desc.contacts = 16, desc.candidates = 16, desc.nodes = 32, desc.posed = 4, desc.margin_contacts = 32;
    scene_desc = put_struct(&desc, sizeof desc);
    const uint32_t shape_of[3] = {0, 0, 1}, motions[3] = {0, 0, 0}, bits[3] = {1, 3, 7};
    const uint64_t ids[3] = {7, 3, 9};
    const double turned[3][4] = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0.1, 0.2, 0.3, 1}}, scales[3] = {1, 1, 1}, halos[3] = {0.05, 0.05, 0.05};
    dem_scene_query q = dem_scene_query_default();
    q.shapes = table, q.shape_count = 2, q.pairs = 32, q.pair_contacts = 8, q.margin = 0.05, q.energies = q.spreads = 1;
    q.positions = dem_array_f64(put(PLACES, sizeof PLACES), 3);
    q.orientations = dem_array_f64(put(turned, sizeof turned), 3);
    q.scales = dem_array_f64(put(scales, sizeof scales), 3);
    (void)halos;
    q.shape_of = dem_array_u32(put(shape_of, sizeof shape_of), 3);
    q.motions = dem_array_u32(put(motions, sizeof motions), 3);
    q.groups = dem_array_u32(put(bits, sizeof bits), 3);
    q.masks = dem_array_u32(put(bits, sizeof bits), 3);
    q.ids = (dem_array){put(ids, sizeof ids), 3, 0, 0, DEM_U64, 0};
    scene_query = put_struct(&q, sizeof q);
    MUST(dem_scene_layout(&scene_size, NULL, &desc, &told));
    scene = room(scene_size);
    blocks[block_count++] = (struct block){scene, 'c'};
    MUST(dem_scene_init(scene, scene_size, &scene, &desc, &told));
    dem_scene_counts found;
    MUST(dem_scene_detect(scene, &found, sizeof found, scene_query, scratch, SCRATCH_SIZE, &told));
    MUST(dem_scene_find(scene, &found, sizeof found, scene_query, scratch, SCRATCH_SIZE, &told));
    if (found.contacts < 2 || found.margin_contacts < found.contacts) exit(3);
}

/* A world between steps, and copies of it: a step begun, at the law of the program, done. */
static void make_worlds(void) {
    dem_world_desc desc = dem_world_desc_default(4);
    desc.contacts = 16, desc.candidates = 16, desc.nodes = 32, desc.events = 16;
    world_desc = put_struct(&desc, sizeof desc);
    dem_world_setup s = dem_world_setup_default();
    s.gravity[2] = -9.81, s.watch = 1;
    setup = put_struct(&s, sizeof s);
    const dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e4);
    interaction = put(&law, sizeof law);
    dem_world_query q = dem_world_query_default();
    q.shapes = table, q.shape_count = 2, q.pairs = 32, q.pair_contacts = 8, q.interactions = interaction, q.interaction_count = 1, q.energies = 1;
    world_query = put_struct(&q, sizeof q);
    MUST(dem_world_layout(&world_size, NULL, &desc, &told));
    for (size_t k = 0; k < 4; k++) {
        worlds[k] = room(world_size);
        blocks[block_count++] = (struct block){worlds[k], 'w'};
    }
    MUST(dem_world_init(worlds[0], world_size, &worlds[0], &desc, &told));
    MUST(dem_world_set_up(worlds[0], setup, &told));
    dem_member m = dem_member_default();
    m.body.mass = 1, m.body.moments[0] = m.body.moments[1] = m.body.moments[2] = 0.1;
    for (size_t i = 0; i < 3; i++) {
        memcpy(m.body.position, PLACES[i], sizeof PLACES[i]);
        m.body.motion = i == 0 ? DEM_MOTION_STATIC : DEM_MOTION_DYNAMIC;
        m.shape = i == 2;
        MUST(dem_world_add(worlds[0], &handles[i], &m, &told));
    }
    member = put_struct(&m, sizeof m);
    MUST(dem_world_advance(worlds[0], world_query, 1e-4, 1e-4, scratch, SCRATCH_SIZE, &told));
    uint32_t want = DEM_WANT_MORE;
    memcpy(worlds[1], worlds[0], world_size);
    MUST(dem_world_begin(worlds[1], 1e-4, DEM_ASK_LAW, &told));
    memcpy(worlds[2], worlds[1], world_size);
    while (want != DEM_WANT_LAW) MUST(dem_world_poll(worlds[2], &want, world_query, scratch, SCRATCH_SIZE, &told));
    memcpy(worlds[3], worlds[2], world_size);
    while (want != DEM_WANT_DONE) MUST(dem_world_poll(worlds[3], &want, world_query, scratch, SCRATCH_SIZE, &told));
}

#define ROWS(list) misuse(list, COUNT_OF(list), (void *const *)worlds)
#define R(name, phases, ...) {#name, call_##name, phases, {__VA_ARGS__}}
#define SHAPE B(KEPT, mesh, mesh_size)
#define SCENE_IN B(KEPT, scene, scene_size)
#define SCENE B(BLOCK, scene, scene_size)
#define WORLD_IN(k) W(KEPT, worlds[k], world_size)
#define WORLD(k) W(BLOCK, worlds[k], world_size)
#define RECORD(i, type) P(OUT, out[i], sizeof(type)), N(ROOM, sizeof(type))
#define LIST(i, type) P(JUNK, out[i], MOST * sizeof(type)), N(ROOM, MOST)
#define HOW_MANY(i) P(COUNT, number[i], 8)

#include "misuse_rows.h"

/* Functions without an error. */
static void the_rest(void) {
    dem_error error = {0};
    char text[DEM_ERROR_TEXT];
    dem_contact_options options;
    (void)dem_scene_hash(NULL, NULL, &error);
    size_t needed = 0;
    const struct {
        const char *what;
        int holds;
    } all[] = {
        {"dem_version", dem_version() == DEM_VERSION && dem_abi_version() == DEM_ABI_VERSION},
        {"dem_status_string", strcmp(dem_status_string(INT32_MIN), "unknown status") == 0 && dem_status_string(12345) != NULL},
        {"dem_argument_string", strcmp(dem_argument_string(UINT32_MAX), "unknown argument") == 0},
        {"dem_isa_name", dem_isa_name(UINT32_MAX) != NULL && dem_isa_name(DEM_ISA_BEST) != NULL},
        {"dem_error_format, null", dem_error_format(text, sizeof text, NULL, NULL) == DEM_ERROR_NULL},
        {"dem_error_format, no room", dem_error_format(NULL, 0, &needed, &error) == DEM_ERROR_CAPACITY && needed > 1},
        {"dem_error_format, one byte less", dem_error_format(text, needed - 1, NULL, &error) == DEM_ERROR_CAPACITY && text[0] == 0},
        {"dem_error_format", dem_error_format(text, needed, NULL, &error) == DEM_OK && strlen(text) == needed - 1},
        {"dem_error_format, null text", dem_error_format(NULL, needed, NULL, &error) == DEM_ERROR_NULL},
        {"dem_error_format, 0xA5", dem_error_format(text, sizeof text, NULL, memset(&error, 0xA5, sizeof error)) == DEM_ERROR_OUT_OF_RANGE},
        {"dem_contact_options_paper, null", dem_contact_options_paper(NULL, sizeof options) == DEM_ERROR_NULL},
        {"dem_contact_options_paper, sizes", dem_contact_options_paper(&options, 3) == DEM_ERROR_BAD_SIZE && dem_contact_options_paper(&options, 0) == DEM_ERROR_BAD_SIZE},
        {"dem_contact_options_paper", dem_contact_options_paper(&options, sizeof options) == DEM_OK},
        {"dem_world_scene", dem_world_scene(NULL) == NULL},
        {"dem_world_scene of a world", dem_world_scene(worlds[0]) != NULL},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        calls += 1;
        if (!all[i].holds) printf("%s: does not hold\n", all[i].what), faults += 1;
    }
}

int main(void) {
    scratch = room(SCRATCH_SIZE);
    for (size_t i = 0; i < 8; i++) out[i] = room(MOST * 256), number[i] = room(8);
    memory = room(memory_size);
    make_shapes();
    make_scene();
    make_worlds();
    dem_grid_desc few = dem_grid_desc_default();
    few.bodies = 8;
    MUST(dem_grid_layout(&grid_size, NULL, &few, &told));
    grid = room(grid_size);
    blocks[block_count++] = (struct block){grid, 'g'};
    MUST(dem_grid_init(grid, grid_size, &grid, &few, &told));
    if (memory_size < bare_size || memory_size < scene_size || memory_size < world_size || memory_size < grid_size) exit(4);
    rows_of_shapes();
    rows_of_scenes();
    rows_of_pairs();
    rows_of_broad_phases();
    rows_of_papers();
    rows_of_worlds();
    the_rest();
    printf("%ld calls, %d faults\n", calls, faults);
    return faults != 0;
}
