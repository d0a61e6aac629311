/*
 * A thousand instances of one mesh, as in an engine: all share one shape, and each has its own pose. The engine's
 * own broad phase (a sweep along x) finds instances that may be near. A few threads find the pairs of triangles of
 * each such body pair; every thread has its own scratch and records. Then the instances drift for a few steps, and the
 * library tells the engine which contacts begin, persist and end. Half-way some instances are replaced by others in the
 * same places of the arrays.
 *
 * Checked: the sweep against all body pairs; the pairs of some body pairs against every pair of their triangles, one
 * by one; one thread with all bodies exchanged finds the same bits, exchanged; events against the lists of both steps;
 * bodies that came later inherit nothing.
 *
 * usage: 04_engine [instances a side]
 */
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dem_mesh.h>
#include <dem_pair.h>
#include <dem_papers.h>
#include <random>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using Vec = std::array<double, 3>;
using BodyPair = std::array<std::size_t, 2>;

constexpr double halo = 0.01, margin = 0.02, threshold = halo + halo + margin;
/* Coordinates are below 10. This program applies poses in another order of operations than the library. */
constexpr double rounding = 1e-12;
int mistakes = 0;

void check(const char *what, bool holds) {
    if (!holds) {
        std::printf("%s: does not hold\n", what);
        mistakes += 1;
    }
}

/* Ends the program if a call fails; an engine might throw. */
void must(std::int32_t status, const dem_error &error = {}) {
    if (status < 0) {
        char sentence[DEM_ERROR_TEXT] = "";
        (void)dem_error_format(sentence, sizeof sentence, nullptr, &error);
        std::fprintf(stderr, "%s: %s\n", dem_status_string(status), sentence);
        std::exit(2);
    }
}

/* A rock: a ball of 2 n (n - 1) triangles in rings, with bumps. */
struct Mesh {
    std::vector<Vec> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

Mesh rock(std::uint32_t rings) {
    const double pi = std::acos(-1.0);
    Mesh mesh;
    auto add = [&](double polar, double around) {
        const double radius = 0.4 * (1 + 0.2 * std::sin(3 * polar) * std::cos(2 * around) + 0.1 * std::cos(5 * polar));
        const double across = radius * std::sin(polar);
        mesh.vertices.push_back({across * std::cos(around), across * std::sin(around), radius * std::cos(polar)});
    };
    add(0, 0);
    for (std::uint32_t i = 1; i < rings; i += 1) {
        for (std::uint32_t j = 0; j < rings; j += 1) {
            add(pi * i / rings, 2 * pi * j / rings);
        }
    }
    add(pi, 0);
    const auto last = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
    auto at = [=](std::uint32_t i, std::uint32_t j) { return 1 + i * rings + j % rings; };
    for (std::uint32_t j = 0; j < rings; j += 1) {
        mesh.triangles.push_back({0, at(0, j), at(0, j + 1)});
        for (std::uint32_t i = 0; i + 2 < rings; i += 1) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
            mesh.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
        }
        mesh.triangles.push_back({at(rings - 2, j), last, at(rings - 2, j + 1)});
    }
    return mesh;
}

/* A shape and its memory. Moving the vector keeps the bytes in place, so the handle stays valid; a copy would be
   another shape. */
class Shape {
  public:
    explicit Shape(const Mesh &mesh) {
        dem_error error;
        dem_shape_desc desc;
        desc = dem_shape_desc_default();
        desc.vertices = dem_array_f64(mesh.vertices[0].data(), mesh.vertices.size());
        desc.triangles = dem_indices_u32(mesh.triangles[0].data(), mesh.triangles.size());
        desc.halo = halo;
        std::size_t size = 0;
        must(dem_shape_layout(&size, NULL, &desc, &error), error);
        memory.resize(size + DEM_ALIGN - 1);
        must(dem_shape_init(dem_align(memory.data()), size, &shape, &desc, &error), error);
    }
    Shape(const Shape &) = delete;
    Shape &operator=(const Shape &) = delete;
    operator const dem_shape *() const { return shape; }

  private:
    std::vector<unsigned char> memory;
    dem_shape *shape = nullptr;
};

/* The memory of one thread. Both arrays grow to the sizes that the library tells. */
class Workspace {
  public:
    /* All pairs of triangles of two instances; valid until the next call. */
    const std::vector<dem_triangle_pair> &pairs(const dem_shape *shape, const dem_pose &a, const dem_pose &b) {
        dem_query query;
        dem_error error;
        query = dem_query_default();
        query.a = query.b = shape;
        query.pose_a = a, query.pose_b = b;
        query.margin = margin;
        found.resize(found.capacity());
        for (;;) {
            std::size_t count = 0;
            const std::size_t size =
                dem_scratch_needed(dem_pairs(found.data(), found.size(), 0, &count, &query, nullptr, 0, &error),
                    &error);
            scratch.resize(std::max(size, scratch.size()));
            const std::int32_t status =
                dem_pairs(found.data(), found.size(), 0, &count, &query, scratch.data(), scratch.size(), &error);
            if (status != DEM_ERROR_CAPACITY) {
                must(status, error);
                found.resize(count);
                return found;
            }
            found.resize(count);
        }
    }

  private:
    std::vector<dem_triangle_pair> found;
    std::vector<unsigned char> scratch;
};

/* The contacts of all body pairs in one step, and the poses of these pairs. */
struct Step {
    std::vector<dem_contact> contacts;
    std::vector<dem_body_pair> pairs;

    dem_contact_list list() const { return {contacts.data(), contacts.size(), 0, pairs.data(), pairs.size(), 0,
        nullptr, 0}; }

    /* Body pairs that touch. */
    std::set<std::uint64_t> touching() const {
        std::set<std::uint64_t> tags;
        for (const dem_contact &c : contacts) {
            tags.insert(c.key[0]);
        }
        return tags;
    }
};

/* Half a tag: the instance, and how often its place was given to another one. So a body inherits no springs of
   an earlier body in its place. */
std::uint64_t named(std::size_t instance, std::uint32_t generation) {
    return std::uint64_t{instance} << 8 | (generation & 255);
}

/* Finds the contacts of all body pairs. These are ordered by instance, so the list is ordered by key. */
Step meet(const Shape &shape, const std::vector<dem_pose> &poses, const std::vector<std::uint32_t> &generations,
          const std::vector<BodyPair> &body_pairs) {
    Step step;
    std::vector<unsigned char> scratch;
    dem_placed_query query;
    dem_error error;
    query = dem_placed_query_default();
    query.a = query.b = dem_placed_mesh(shape, 0);
    for (const auto &[a, b] : body_pairs) {
        query.a.pose = poses[a], query.b.pose = poses[b];
        query.tag = named(a, generations[a]) << 32 | named(b, generations[b]);
        const std::size_t before = step.contacts.size();
        std::size_t room = 16, count = 0;
        std::int32_t status;
        do {
            step.contacts.resize(before + room);
            status = dem_placed_contacts(&step.contacts[before], room, 0, &count, &query, scratch.data(),
                scratch.size(), &error);
            if (status == DEM_ERROR_CAPACITY && count > room) {
                room = count;
            } else if (status == DEM_ERROR_CAPACITY) {
                scratch.resize(static_cast<std::size_t>(error.needed));
            }
        } while (status == DEM_ERROR_CAPACITY);
        must(status, error);
        step.contacts.resize(before + count);
        step.pairs.push_back({query.tag, query.a.pose, query.b.pose});
    }
    return step;
}

/* The input of a solver of impulses: for each contact a few points, each with a gap that must not close. At each
   * point, the relative velocity of the bodies along the normal must be at least -gap / dt. */
std::size_t constrain(const Shape &shape, const Step &step) {
    std::vector<dem_contact_corner> corners(64);
    std::vector<unsigned char> scratch;
    dem_placed_query query;
    dem_error error;
    query = dem_placed_query_default();
    query.a.kind = query.b.kind = DEM_KIND_MESH;
    query.a.shape = query.b.shape = shape;
    std::size_t from = 0, sum = 0;
    for (const dem_body_pair &pair : step.pairs) {
        std::size_t to = from, count = 0;
        while (to < step.contacts.size() && step.contacts[to].key[0] == pair.tag) {
            to += 1;
        }
        query.a.pose = pair.pose_a, query.b.pose = pair.pose_b;
        const dem_contact *contacts = step.contacts.data() + from;
        std::int32_t status;
        do {
            status = dem_contact_corners(corners.data(), corners.size(), 0, &count, contacts, to - from, 0, &query,
                4, scratch.data(),
                                         scratch.size(), &error);
            if (status == DEM_ERROR_CAPACITY && count > corners.size()) {
                corners.resize(count);
            } else if (status == DEM_ERROR_CAPACITY) {
                scratch.resize(static_cast<std::size_t>(error.needed));
            }
        } while (status == DEM_ERROR_CAPACITY);
        must(status, error);
        std::size_t contact = 0;
        for (std::size_t i = 0; i < count; i += 1) {
            const dem_contact_corner &corner = corners[i];
            contact += corner.order == 0;
            check("corners come by contact, four at most", corner.contact == contact - 1 && corner.order < 4);
            check("corners are in the halo", corner.gap <= contacts[corner.contact].halo * (1 + 1e-9));
            check("the deepest comes first", corner.gap >= corners[i - corner.order].gap - 1e-6);
        }
        check("each contact has a corner", contact == to - from);
        sum += count;
        from = to;
    }
    return sum;
}

/* Counts of events, as an engine passes them to its scripts. */
struct Heard {
    std::size_t contacts[4] = {}; /* by DEM_EVENT_* */
    std::size_t body_pairs[4] = {};
};

Heard listen(const Step &last, const Step &now) {
    dem_error error;
    std::size_t count = 0;
    std::vector<dem_contact_link> links(now.contacts.size());
    std::vector<dem_contact_event> events(last.contacts.size() + now.contacts.size());
    const dem_contact_list before = last.list(), after = now.list();
    const auto match = [&](void *scratch, std::size_t size) {
        return dem_contact_match(links.data(), nullptr, 0, nullptr, events.data(), events.size(), &count, &before,
            &after, 2 * halo,
                                 scratch, size, &error);
    };
    std::vector<unsigned char> scratch(dem_scratch_needed(match(nullptr, 0), &error));
    must(match(scratch.data(), scratch.size()), error);
    events.resize(count);
    Heard heard;
    const std::set<std::uint64_t> were = last.touching(), are = now.touching();
    for (const dem_contact_event &event : events) {
        heard.contacts[event.contact] += 1;
        heard.body_pairs[event.pair] += 1;
        const dem_contact &contact = event.contact == DEM_EVENT_END ? last.contacts[event.last]
            : now.contacts[event.now];
        const std::uint64_t tag = contact.key[0];
        check("a body pair that begins was apart",
            event.pair != DEM_EVENT_BEGIN || (!were.count(tag) && are.count(tag)));
        check("a body pair that ends is apart", event.pair != DEM_EVENT_END || (were.count(tag) && !are.count(tag)));
        check("who goes on is the same body pair",
              event.contact != DEM_EVENT_PERSIST || last.contacts[event.last].key[0] == tag);
    }
    check("each contact of this step is told once",
          heard.contacts[DEM_EVENT_BEGIN] + heard.contacts[DEM_EVENT_PERSIST] == now.contacts.size());
    check("each contact of the last step is told once",
          heard.contacts[DEM_EVENT_END] + heard.contacts[DEM_EVENT_PERSIST] == last.contacts.size());
    const std::size_t goes_on = heard.body_pairs[DEM_EVENT_PERSIST];
    const bool once = heard.body_pairs[DEM_EVENT_BEGIN] + goes_on == are.size() &&
                      heard.body_pairs[DEM_EVENT_END] + goes_on == were.size();
    check("each body pair is told once", once);
    return heard;
}

/* A dense grid of `side` instances a side, each rotated at random. */
std::vector<dem_pose> scatter(std::size_t side) {
    std::mt19937 random(1);
    /* Distributions of the standard library differ between compilers. */
    auto uniform = [&] { return random() / 4294967296.0 - 0.5; };
    std::vector<dem_pose> poses;
    for (std::size_t i = 0; i < side * side * side; i += 1) {
        const std::array<std::size_t, 3> cell = {i % side, i / side % side, i / side / side};
        dem_pose pose;
        for (std::size_t k = 0; k < 3; k += 1) {
            pose.position[k] = 0.85 * static_cast<double>(cell[k]) + 0.2 * uniform();
        }
        for (double &component : pose.orientation) {
            component = uniform(); /* the library normalises */
        }
        poses.push_back(pose);
    }
    return poses;
}

/* Applies the pose to a point: q p q* + position, with q normalised. */
Vec moved(const dem_pose &pose, const Vec &p) {
    const double *q = pose.orientation;
    const double scale = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const Vec t = {q[1] * p[2] - q[2] * p[1] + q[3] * p[0], q[2] * p[0] - q[0] * p[2] + q[3] * p[1],
                   q[0] * p[1] - q[1] * p[0] + q[3] * p[2]};
    const Vec turned = {q[1] * t[2] - q[2] * t[1], q[2] * t[0] - q[0] * t[2], q[0] * t[1] - q[1] * t[0]};
    Vec to;
    for (std::size_t k = 0; k < 3; k += 1) {
        to[k] = p[k] + scale * turned[k] + pose.position[k];
    }
    return to;
}

bool balls_are_near(const dem_pose &a, const dem_pose &b, const Vec &centre, double radius) {
    const Vec x = moved(a, centre), y = moved(b, centre);
    const double apart = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
    return apart <= 2 * radius + threshold;
}

/* Finds body pairs whose bounding balls are near, by a sweep along x over the instances in order of their centres. */
std::vector<BodyPair> sweep(const std::vector<dem_pose> &poses, const Vec &centre, double radius) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < poses.size(); i += 1) {
        order.emplace_back(moved(poses[i], centre)[0], i);
    }
    std::sort(order.begin(), order.end());
    std::vector<BodyPair> body_pairs;
    for (std::size_t i = 0; i < order.size(); i += 1) {
        for (std::size_t j = i + 1; j < order.size() && order[j].first - order[i].first <= 2 * radius + threshold;
            j += 1) {
            const auto [first, second] = std::minmax(order[i].second, order[j].second);
            if (balls_are_near(poses[first], poses[second], centre, radius)) {
                body_pairs.push_back({first, second});
            }
        }
    }
    std::sort(body_pairs.begin(), body_pairs.end());
    return body_pairs;
}

void check_sweep(const std::vector<BodyPair> &body_pairs, const std::vector<dem_pose> &poses, const Vec &centre,
    double radius) {
    std::vector<BodyPair> expected;
    for (std::size_t i = 0; i < poses.size(); i += 1) {
        for (std::size_t j = i + 1; j < poses.size(); j += 1) {
            if (balls_are_near(poses[i], poses[j], centre, radius)) {
                expected.push_back({i, j});
            }
        }
    }
    check("the sweep finds the body pairs that are near", body_pairs == expected);
}

/* Finds the triangle pairs of every body pair. Threads take body pairs in turn; each result has its own place. */
std::vector<std::vector<dem_triangle_pair>> contacts(const dem_shape *shape, const std::vector<dem_pose> &poses,
                                                     const std::vector<BodyPair> &body_pairs, std::size_t threads) {
    std::vector<std::vector<dem_triangle_pair>> answers(body_pairs.size());
    auto work = [&](std::size_t first) {
        Workspace workspace;
        for (std::size_t i = first; i < body_pairs.size(); i += threads) {
            answers[i] = workspace.pairs(shape, poses[body_pairs[i][0]], poses[body_pairs[i][1]]);
        }
    };
    std::vector<std::thread> crew;
    for (std::size_t i = 1; i < threads; i += 1) {
        crew.emplace_back(work, i);
    }
    work(0);
    for (std::thread &thread : crew) {
        thread.join();
    }
    return answers;
}

bool same_bits(const std::vector<dem_triangle_pair> &a, const std::vector<dem_triangle_pair> &b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
}

/* Exchanges ids, features and points of pairs, and sorts them in the order of the exchanged query. */
std::vector<dem_triangle_pair> exchanged(std::vector<dem_triangle_pair> pairs) {
    for (dem_triangle_pair &p : pairs) {
        std::swap(p.a, p.b);
        std::swap(p.feature_a, p.feature_b);
        std::swap(p.point_a, p.point_b);
    }
    auto by_id = [](const dem_triangle_pair &x, const dem_triangle_pair &y) {
        return std::tie(x.a, x.b) < std::tie(y.a, y.b);
    };
    std::sort(pairs.begin(), pairs.end(), by_id);
    return pairs;
}

std::vector<double> corners(const Mesh &mesh, const dem_pose &pose) {
    std::vector<double> numbers;
    for (const auto &triangle : mesh.triangles) {
        for (const std::uint32_t vertex : triangle) {
            const Vec at = moved(pose, mesh.vertices[vertex]);
            numbers.insert(numbers.end(), at.begin(), at.end());
        }
    }
    return numbers;
}

/* Checks every pair of triangles by itself. Pairs within rounding of the threshold may be in the list or not. */
void check_one_by_one(const Mesh &mesh, const dem_pose &a, const dem_pose &b,
    const std::vector<dem_triangle_pair> &pairs) {
    const std::size_t n = mesh.triangles.size();
    const std::vector<double> left = corners(mesh, a), right = corners(mesh, b);
    std::vector<double> distances(n);
    const dem_triangles others = dem_triangles_f64(right.data(), n);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; i += 1) {
        dem_error error;
        dem_closest_points results;
        const dem_triangles one = dem_triangles_f64(&left[9 * i], 1);
        results = dem_closest_points_default();
        results.distance = dem_output_f64(distances.data(), n);
        must(dem_triangle_distance(&results, &one, &others, nullptr, nullptr, &error), error);
        for (std::size_t j = 0; j < n; j += 1) {
            const bool reported = at < pairs.size() && pairs[at].a == i && pairs[at].b == j;
            check("a pair is reported if it is near", reported == (distances[j] <= threshold) ||
                                                          std::abs(distances[j] - threshold) <= rounding);
            check("the distance of a pair", !reported || std::abs(pairs[at].distance - distances[j]) <= rounding);
            at += reported;
        }
    }
    check("all that is reported is a pair", at == pairs.size());
}

/* Moves instances, each in its own direction, and replaces some of them. */
void play(const Shape &shape, std::vector<dem_pose> poses, const Vec &centre, double radius) {
    std::vector<std::uint32_t> generations(poses.size());
    Step last;
    Heard sum;
    for (int time = 0; time < 4; time += 1) {
        const bool replaced = time == 2;
        if (replaced) {
            /* Other bodies in the same places of the arrays, and at the same poses: no contact may persist. */
            for (std::uint32_t &generation : generations) {
                generation += 1;
            }
        } else {
            for (std::size_t i = 0; i < poses.size(); i += 1) {
                poses[i].position[i % 3] += i % 2 ? 0.003 : -0.003;
            }
        }
        const Step now = meet(shape, poses, generations, sweep(poses, centre, radius));
        const Heard heard = listen(last, now);
        const std::size_t begins = heard.contacts[DEM_EVENT_BEGIN], persist = heard.contacts[DEM_EVENT_PERSIST];
        check("who came later inherits nothing", !replaced || persist == 0);
        check("most contacts persist", time == 0 || replaced || persist > begins);
        for (std::size_t k = 0; k < 4; k += 1) {
            sum.contacts[k] += heard.contacts[k];
            sum.body_pairs[k] += heard.body_pairs[k];
        }
        last = now;
    }
    std::printf("%zu contacts have %zu points\n", last.contacts.size(), constrain(shape, last));
    std::printf("4 steps: %zu contacts of %zu body pairs begin, %zu of %zu end\n", sum.contacts[DEM_EVENT_BEGIN],
                sum.body_pairs[DEM_EVENT_BEGIN], sum.contacts[DEM_EVENT_END], sum.body_pairs[DEM_EVENT_END]);
}

} // namespace

int main(int argc, char **argv) {
    std::puts("An engine with many instances of one mesh: near pairs of triangles, contacts, events.");
    const Mesh mesh = rock(9);
    const Shape shape(mesh);
    const std::vector<dem_pose> poses = scatter(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10);
    dem_error error;
    dem_shape_info info;
    must(dem_shape_describe(&info, sizeof info, shape, &error), error);
    const Vec centre = {info.centre[0], info.centre[1], info.centre[2]};
    std::printf("%zu instances of one shape of %u triangles in %u bytes\n", poses.size(),
        static_cast<unsigned>(info.triangles),
                static_cast<unsigned>(info.size));

    const std::vector<BodyPair> body_pairs = sweep(poses, centre, info.radius);
    check_sweep(body_pairs, poses, centre, info.radius);
    const auto answers = contacts(shape, poses, body_pairs, 4);
    std::size_t near = 0, touching = 0, pairs = 0, sampled = 0;
    Workspace workspace;
    for (std::size_t i = 0; i < body_pairs.size(); i += 1) {
        const std::vector<dem_triangle_pair> &found = answers[i];
        const dem_pose &a = poses[body_pairs[i][0]], &b = poses[body_pairs[i][1]];
        check("exchanged and by one thread, bit for bit", same_bits(exchanged(found), workspace.pairs(shape, b, a)));
        near += !found.empty();
        touching += std::any_of(found.begin(), found.end(), [](const auto &p) { return p.distance == 0; });
        pairs += found.size();
        if (i % (body_pairs.size() / 10 + 1) == 0) {
            check_one_by_one(mesh, a, b, found);
            sampled += !found.empty();
        }
    }
    check("the sample has body pairs that are near", sampled > 0);
    check("instances are near, touch, and are apart", near < body_pairs.size() && 0 < touching && touching < near);
    std::printf("%zu body pairs in reach: %zu near, of which %zu cross; %zu pairs of triangles\n", body_pairs.size(),
        near, touching, pairs);
    play(shape, poses, centre, info.radius);
    std::printf("%d mistakes\n", mistakes);
    return mistakes != 0;
}
