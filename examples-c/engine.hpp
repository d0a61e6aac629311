// The parts of an engine besides contacts, for 24_engine.cpp: bodies, a solver of impulses, threads, and frames
// // for rollback. Of the library it uses only the types of lanes, events and arrays.
#ifndef ENGINE_HPP
#define ENGINE_HPP

#include <dem_world.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

struct V {
    double x, y, z;
};
static V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static V operator*(double s, V a) { return {s * a.x, s * a.y, s * a.z}; }
static bool operator==(V a, V b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
template <class T> V read(const T *from) { return {from[0], from[1], from[2]}; }

struct Instance {
    float position[3], rotation[4];
    uint32_t mesh, motion; // DEM_MOTION_*
    V velocity, spin;
    double per_mass, per_inertia; // 1 / mass, and one number for all axes; 0 where nothing moves the body
};
struct Point {
    Instance *a, *b;
    V normal, arm_a, arm_b; // the normal points from B to A
    double gap, pushed;     // impulses so far, along the normal and across
    V rubbed;
};
static const double dt = 1 / 60.0, gravity = 9.81, friction = 0.5;

// A pile in the air, and last the ground, which is shape number `ground`.
static std::vector<Instance> pile(size_t n, uint32_t ground) {
    std::vector<Instance> all;
    for (size_t i = 0; i < n; i++) {
        const float s = float(std::sin(i)), c = float(std::cos(i));
        all.push_back({{1.75f * float(i % 8), 1.75f * float(i / 8 % 8), 1 + 1.75f * float(i / 64)},
            {s * 0.6f, 0, s * 0.8f, c}, uint32_t(i % ground), DEM_MOTION_DYNAMIC, {}, {}, 2, 12});
    }
    all.push_back({{0, 0, 0}, {0, 0, 0, 1}, ground, DEM_MOTION_STATIC, {}, {}, 0, 0});
    return all;
}

static Point point(Instance &a, Instance &b, const double *at, const double *normal, double gap) {
    return {&a, &b, read(normal), read(at) - read(a.position), read(at) - read(b.position), gap, 0, {}};
}

// Applies an impulse to A, and the opposite to B.
static void hit(Point &p, V impulse) {
    p.a->velocity = p.a->velocity + p.a->per_mass * impulse,
        p.a->spin = p.a->spin + p.a->per_inertia * cross(p.arm_a, impulse);
    p.b->velocity = p.b->velocity - p.b->per_mass * impulse,
        p.b->spin = p.b->spin - p.b->per_inertia * cross(p.arm_b, impulse);
}

static V slip(const Point &p) { return p.a->velocity + cross(p.a->spin, p.arm_a) - p.b->velocity - cross(p.b->spin,
    p.arm_b); }

// The change of the velocity along a unit vector by an impulse of 1 along it.
static double response(const Point &p, V along) {
    const V a = cross(p.arm_a, along), b = cross(p.arm_b, along);
    return p.a->per_mass + p.b->per_mass + p.a->per_inertia * dot(a, a) + p.b->per_inertia * dot(b, b);
}

// The gap must not become negative within the frame; a fifth of a penetration is removed. Coulomb friction across.
static void solve(Point &p) {
    const double closing = dot(slip(p), p.normal) + std::max(p.gap, 0.2 * p.gap) / dt;
    const double pushed = std::max(0.0, p.pushed - closing / response(p, p.normal));
    hit(p, (pushed - p.pushed) * p.normal), p.pushed = pushed;
    const V across = slip(p) - dot(slip(p), p.normal) * p.normal;
    const double speed = std::sqrt(dot(across, across));
    const V wanted = speed > 0 ? p.rubbed - 1 / response(p, 1 / speed * across) * across : p.rubbed;
    const double size = std::sqrt(dot(wanted, wanted));
    const V rubbed = size > friction * pushed ? friction * pushed / size * wanted : wanted;
    hit(p, rubbed - p.rubbed), p.rubbed = rubbed;
}

static void move(Instance &o) {
    const V q = read(o.rotation), turned = q + 0.5 * dt * (double(o.rotation[3]) * o.spin + cross(o.spin, q)),
        to = read(o.position) + dt * o.velocity;
    const double w = o.rotation[3] - 0.5 * dt * dot(o.spin, q), length = std::sqrt(dot(turned, turned) + w * w);
    o.position[0] = float(to.x), o.position[1] = float(to.y), o.position[2] = float(to.z);
    o.rotation[0] = float(turned.x / length), o.rotation[1] = float(turned.y / length),
        o.rotation[2] = float(turned.z / length), o.rotation[3] = float(w / length);
}

static void advance(std::vector<Instance> &all, std::vector<Point> &points) {
    for (Instance &o : all)
        if (o.per_mass > 0) o.velocity.z -= gravity * dt;
    for (int round = 0; round < 20; round++)
        for (Point &p : points) solve(p);
    for (Instance &o : all)
        if (o.per_mass > 0) move(o);
}

static double fastest(const std::vector<Instance> &all) {
    double most = 0;
    for (const Instance &o : all) most = std::max(most, std::sqrt(dot(o.velocity, o.velocity)));
    return most;
}

// Whether positions, orientations and velocities of all bodies are equal.
static bool equal(const std::vector<Instance> &x, const std::vector<Instance> &y) {
    const auto same = [](const Instance &a, const Instance &b) {
        return std::equal(a.position, a.position + 3, b.position) &&
            std::equal(a.rotation, a.rotation + 4, b.rotation) && a.velocity == b.velocity && a.spin == b.spin;
    };
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

static bool equal(const std::vector<dem_contact_event> &x, const std::vector<dem_contact_event> &y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
        [](const dem_contact_event &a, const dem_contact_event &b) {
        return a.contact == b.contact && a.pair == b.pair && a.now == b.now && a.last == b.last;
    });
}

// The height of the centre of the lowest body.
static double lowest(const std::vector<Instance> &all) {
    double least = 1e300;
    for (const Instance &o : all)
        if (o.per_mass > 0) least = std::min(least, double(o.position[2]));
    return least;
}

// Runs lanes on new threads. An engine has threads that wait for work.
static void run(void *, size_t lanes, dem_lane lane, void *arg) {
    std::vector<std::thread> crew;
    for (size_t i = 1; i < lanes; i++) crew.emplace_back(lane, i, arg);
    lane(0, arg);
    for (std::thread &thread : crew) thread.join();
}

// The edges of a brick; all bricks differ.
struct Brick {
    double edges[3];
};
static Brick brick(int m) { return {{0.8 + 0.2 * std::sin(7 * m), 0.8 + 0.2 * std::sin(7 * m + 1),
    0.8 + 0.2 * std::sin(7 * m + 2)}}; }

// All instances, and the data of a rollback.
struct Frames {
    std::vector<Instance> all, saved, first;
    std::vector<char> bytes;
    std::vector<dem_contact_event> twice[2]; // of the frames that are run twice
    size_t heard[4] = {};
    bool same = false;

    explicit Frames(std::vector<Instance> pile) : all(std::move(pile)) {}

    dem_array field(const void *data, uint32_t type) const { return {data, all.size(), sizeof(Instance), 0, type, 0}; }

    void save(const void *scene, size_t size) {
        saved = all;
        bytes.assign(static_cast<const char *>(scene), static_cast<const char *>(scene) + size);
    }

    // Restores the saved state; arrays keep their addresses.
    void restore(void *scene) {
        first = all;
        std::copy(saved.begin(), saved.end(), all.begin());
        std::memcpy(scene, bytes.data(), bytes.size());
    }

    void hear(const std::vector<dem_contact_event> &events, bool kept, bool again) {
        for (const dem_contact_event &event : events) heard[event.pair]++;
        if (kept) twice[again].insert(twice[again].end(), events.begin(), events.end());
    }

    void compare() { same = equal(first, all) && equal(twice[0], twice[1]); }

    // Prints results; returns whether nothing fell through and the rollback changed nothing.
    bool told() const {
        std::printf("fastest %.3f, lowest at %.3g; ", fastest(all), lowest(all));
        std::printf("%zu pairs began to touch, %zu ended; ", heard[DEM_EVENT_BEGIN], heard[DEM_EVENT_END]);
        std::printf("after the rollback %s\n", same ? "the same bits and events" : "OTHERS");
        return same && lowest(all) >= 0.2;
    }
};

#endif
