/*
 * Many threads at once: calls that read one shape and one scene while other threads step worlds of their own; two calls that change the same block,
 * of which one is told DEM_ERROR_BUSY and nothing is harmed; work that is done by threads of the program, also by threads that know nothing of it.
 * All results have the bits of one thread.
 *
 * Ends with 0 if the library made no mistake.
 *
 * usage: threads [rounds]
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dem_heap.h>
#include <dem_pair.h>
#include <dem_world.h>
#include <functional>
#include <map>
#include <thread>
#include <vector>

static std::atomic<int> mistakes{0};
static int rounds = 20;

static void check(bool holds, const char *what) {
    if (holds) return;
    std::printf("%s: does not hold\n", what);
    mistakes++;
}

/* FNV-1a of bytes, to compare results. */
static uint64_t hash_of(const void *bytes, size_t size, uint64_t hash = 14695981039346656037u) {
    for (size_t i = 0; i < size; i++) hash = (hash ^ static_cast<const unsigned char *>(bytes)[i]) * 1099511628211u;
    return hash;
}

/* A block that frees itself. */
struct block {
    dem_block b = dem_heap();
    ~block() { dem_free(&b); }
};

enum { BODIES = 60, READERS = 4 };

/* Half of the bodies are boxes, half balls, in a heap that overlaps a little. */
struct heap {
    block box, scene;
    std::vector<double> x;
    std::vector<uint32_t> shape_of;
    dem_placed table[2];
    dem_scene_query query = dem_scene_query_default();

    heap() {
        dem_error error;
        const double edges[3] = {1, 1, 1};
        dem_must(dem_heap_box(&box.b, edges, 0.05, &error), &error);
        table[0] = dem_placed_mesh(dem_shape_in(&box.b), 1), table[1] = dem_placed_sphere(0.5, 0.05);
        for (uint32_t i = 0; i < BODIES; i++) {
            const double at[3] = {1.02 * (i % 4), 1.01 * (i / 4 % 4) + 0.1 * (i % 3), 0.98 * (i / 16)};
            x.insert(x.end(), at, at + 3), shape_of.push_back(i % 2);
        }
        query.shapes = table, query.shape_count = 2;
        query.positions = dem_array_f64(x.data(), BODIES), query.shape_of = dem_array_u32(shape_of.data(), BODIES);
    }

    /* All that a step has found, as a number. */
    static uint64_t found(const dem_scene *scene) {
        dem_error error;
        dem_scene_contacts v;
        dem_must(dem_scene_view(&v, sizeof v, scene, &error), &error);
        std::vector<double> forces(3 * v.count, 1.0), sums(3 * BODIES);
        const dem_array on = dem_array_f64(forces.data(), v.count);
        const dem_output sum = dem_output_f64(sums.data(), BODIES);
        dem_must(dem_scene_wrenches(&sum, nullptr, scene, &on, nullptr, nullptr, nullptr, DEM_LIST_CONTACTS, &error), &error);
        uint64_t committed = 0;
        dem_must(dem_scene_hash(&committed, scene, &error), &error);
        return hash_of(sums.data(), 24 * BODIES, hash_of(v.contacts, v.count * sizeof *v.contacts, committed));
    }

    uint64_t step() {
        dem_error error;
        dem_must(dem_scene_step(&scene.b, nullptr, 0, &query, &error), &error);
        return found(dem_scene_in(&scene.b));
    }
};

/* A world of the same bodies falls for some steps; its state as a number. */
static uint64_t falls(const heap &bodies, const dem_tasks *tasks) {
    dem_error error;
    block world;
    dem_world_setup setup = dem_world_setup_default();
    setup.gravity[2] = -9.81;
    dem_must(dem_world_build(&world.b, &setup, &error), &error);
    for (size_t i = 0; i < BODIES; i++) {
        dem_member member = dem_member_default();
        std::memcpy(member.body.position, &bodies.x[3 * i], 24);
        member.body.mass = 1, member.body.moments[0] = member.body.moments[1] = member.body.moments[2] = 0.1;
        member.body.motion = i < 16 ? DEM_MOTION_STATIC : DEM_MOTION_DYNAMIC;
        member.shape = bodies.shape_of[i];
        dem_must(dem_world_insert(&world.b, nullptr, &member, &error), &error);
    }
    const dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e3);
    dem_world_query query = dem_world_query_default();
    query.shapes = bodies.table, query.shape_count = 2, query.interactions = &law, query.interaction_count = 1;
    if (tasks != nullptr) query.tasks = *tasks;
    dem_must(dem_world_run(&world.b, &query, 3e-3, 1e-3, &error), &error);
    uint64_t hash = 0;
    dem_must(dem_world_hash(&hash, dem_world_in(&world.b), &error), &error);
    return hash;
}

static void together(const std::vector<std::function<void()>> &all) {
    std::atomic<size_t> ready{0};
    std::vector<std::thread> threads;
    for (const auto &work : all)
        threads.emplace_back([&ready, &work, &all] {
            ready++;
            while (ready < all.size()) std::this_thread::yield();
            work();
        });
    for (auto &thread : threads) thread.join();
}

/* Readers of one shape and one scene, beside worlds that move. */
static void shared_reads() {
    heap bodies;
    const uint64_t found = bodies.step(), fallen = falls(bodies, nullptr);
    dem_placed_query pair = dem_placed_query_default();
    pair.a = pair.b = bodies.table[0];
    pair.b.pose.position[2] = 0.98;
    const auto contacts = [&pair] {
        dem_error error;
        std::vector<dem_contact> list(64);
        std::vector<unsigned char> scratch(1 << 18);
        size_t count = 0;
        dem_must(dem_placed_contacts(list.data(), list.size(), 0, &count, &pair, scratch.data(), scratch.size(), &error), &error);
        return hash_of(list.data(), count * sizeof list[0]);
    };
    const uint64_t of_pair = contacts();
    std::vector<std::function<void()>> all;
    for (int i = 0; i < READERS; i++)
        all.push_back([&] {
            for (int k = 0; k < rounds; k++) {
                check(heap::found(dem_scene_in(&bodies.scene.b)) == found, "a scene that is read by many");
                check(contacts() == of_pair, "a shape that is read by many");
            }
        });
    for (int i = 0; i < 2; i++)
        all.push_back([&] {
            for (int k = 0; k < (rounds + 4) / 5; k++) check(falls(bodies, nullptr) == fallen, "worlds side by side");
        });
    together(all);
    check(heap::found(dem_scene_in(&bodies.scene.b)) == found, "a scene after it was read by many");
}

/* A call that changes a block, and in the midst of it another thread that uses it: the threads of the program see to that. */
struct intruder {
    std::function<void()> enters;
    bool once = true;
    static void run(void *user, size_t lanes, dem_lane lane, void *arg) {
        auto *self = static_cast<intruder *>(user);
        for (size_t i = lanes; i-- > 0;) {
            lane(i, arg);
            if (self->once) self->once = false, std::thread(self->enters).join();
        }
    }
};

static void changed_by_two() {
    heap bodies;
    const uint64_t found = bodies.step();
    dem_error error;
    dem_scene *scene = dem_scene_in(&bodies.scene.b);
    std::vector<unsigned char> scratch(8 << 20);
    intruder other;
    dem_scene_query query = bodies.query;
    query.tasks = dem_tasks{intruder::run, &other, 2, 0};
    int entered = 0;
    other.enters = [&] {
        dem_error told;
        dem_scene_contacts view;
        uint64_t hash;
        std::vector<unsigned char> own(scratch.size());
        entered++;
        const int32_t all[] = {dem_scene_find(scene, nullptr, 0, &bodies.query, own.data(), own.size(), &told), dem_scene_view(&view, sizeof view, scene, &told),
                               dem_scene_hash(&hash, scene, &told), dem_scene_commit(scene, &told), dem_scene_abandon(scene, &told)};
        for (int32_t status : all) check(status == DEM_ERROR_BUSY, "a scene in use is busy");
        check(told.code == DEM_ERROR_BUSY && std::strcmp(dem_argument_string(told.argument), "scene") == 0, "the busy scene is named");
    };
    dem_must(dem_scene_find(scene, nullptr, 0, &query, scratch.data(), scratch.size(), &error), &error);
    check(entered == 1, "another thread came in");
    check(heap::found(scene) == found, "a scene after two wanted it");

    /* A refit in the midst of a search is done. The search says that it is busy where the refit is under way as it ends. */
    dem_shape *shape = dem_shape_in(&bodies.box.b);
    const double edges[3] = {1, 1, 1};
    double vertices[24];
    uint32_t triangles[36];
    dem_must(dem_box_mesh(vertices, triangles, edges, &error), &error);
    dem_refit_desc refit = dem_refit_desc_default();
    refit.vertices = dem_array_f64(vertices, 8), refit.halo = 0.05;
    other.enters = [&] {
        dem_error told;
        check(dem_shape_refit(shape, bodies.box.b.size, &refit, &told) == DEM_OK, "a refit during a search");
    };
    other.once = true;
    const int32_t status = dem_scene_find(scene, nullptr, 0, &query, scratch.data(), scratch.size(), &error);
    check(status == DEM_OK || status == DEM_ERROR_BUSY, "a search whose shape changed");
    check(dem_scene_find(scene, nullptr, 0, &query, scratch.data(), scratch.size(), &error) == DEM_OK && heap::found(scene) == found, "the search once more");

    /* The same without order: each call succeeds or is told that the block is busy. */
    std::map<int32_t, int> statuses[4];
    const auto tries = [&](int who, const std::function<int32_t(dem_error *)> &call) {
        for (int k = 0; k < rounds; k++) {
            dem_error told;
            statuses[who][call(&told)]++;
        }
    };
    std::vector<unsigned char> own[2] = {std::vector<unsigned char>(scratch.size()), std::vector<unsigned char>(scratch.size())};
    const auto finds = [&](int who, dem_error *told) { return dem_scene_find(scene, nullptr, 0, &bodies.query, own[who].data(), own[who].size(), told); };
    const auto refits = [&](dem_error *told) { return dem_shape_refit(shape, bodies.box.b.size, &refit, told); };
    together({[&] { tries(0, [&](dem_error *e) { return finds(0, e); }); }, [&] { tries(1, [&](dem_error *e) { return finds(1, e); }); },
              [&] { tries(2, refits); }, [&] { tries(3, refits); }});
    for (const auto &of_one : statuses)
        for (const auto &status_and_times : of_one) {
            check(status_and_times.first == DEM_OK || status_and_times.first == DEM_ERROR_BUSY, dem_status_string(status_and_times.first));
            std::printf("%s x %d  ", dem_status_string(status_and_times.first), status_and_times.second);
        }
    std::printf("\n");
    dem_must(dem_scene_find(scene, nullptr, 0, &bodies.query, scratch.data(), scratch.size(), &error), &error);
    check(heap::found(scene) == found, "a scene after many wanted it");
}

/* Threads of the program that take lanes one by one, from a number that all share; each is new, and has never seen the library. */
static void foreign_run(void *user, size_t lanes, dem_lane lane, void *arg) {
    std::atomic<size_t> next{0};
    const size_t count = *static_cast<size_t *>(user);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; i++)
        threads.emplace_back([&] {
            for (size_t k; (k = next++) < lanes;) lane(k, arg);
        });
    for (auto &thread : threads) thread.join();
}

static void foreign_threads() {
    heap alone;
    const uint64_t found = alone.step(), fallen = falls(alone, nullptr);
    for (size_t count : {1, 2, 3}) {
        heap bodies;
        bodies.query.tasks = dem_tasks{foreign_run, &count, 2 * count, 0};
        check(bodies.step() == found, "a scene on threads of the program");
        check(falls(bodies, &bodies.query.tasks) == fallen, "a world on threads of the program");
    }
}

int main(int arguments, char **argument) {
    if (arguments > 1) rounds = std::atoi(argument[1]);
    shared_reads();
    changed_by_two();
    foreign_threads();
    std::printf("%d mistakes\n", mistakes.load());
    return mistakes != 0;
}
