/*
 * The same bits whatever floating-point environment the host has set, which is still set afterwards.
 */
#define _GNU_SOURCE
#include <dem_papers.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { PAIRS = 500 };

static double a[PAIRS][9], b[PAIRS][9];
static struct result {
    double distance[PAIRS], point[PAIRS][3];
} usual, other;

/* Pairs near and far, some so small that their products are subnormal. */
static void fill(void) {
    uint64_t state = 1;
    for (int i = 0; i < PAIRS; i += 1) {
        double size = i % 3 == 0 ? 1e-158 : i % 3 == 1 ? 1e-310 : 1.0;
        for (int k = 0; k < 18; k += 1) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            double x = (double)(state >> 11) / 9007199254740992.0;
            (k < 9 ? a[i] : b[i])[k % 9] = size * (x + (k >= 9 ? 0.5 : 0.0));
        }
    }
}

static int32_t compute(struct result *to) {
    dem_triangles ta = dem_triangles_f64(a[0], PAIRS), tb = dem_triangles_f64(b[0], PAIRS);
    dem_closest_points results;
    results = dem_closest_points_default();
    results.distance = dem_output_f64(to->distance, PAIRS);
    results.point_a = dem_output_f64(to->point[0], PAIRS);
    return dem_triangle_distance(&results, &ta, &tb, NULL, NULL, NULL);
}

static int mistakes = 0;

static void compare(const char *environment, int32_t status, int kept) {
    int same = status == DEM_OK && memcmp(&usual, &other, sizeof usual) == 0;
    printf("%-12s %s, %s\n", environment, same ? "the same bits" : "OTHER BITS", kept ? "kept" : "NOT KEPT");
    mistakes += !same + !kept;
    memset(&other, 0, sizeof other);
}

int main(void) {
    const int modes[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const char *names[3] = {"upward", "downward", "toward zero"};
    fill();
    if (compute(&usual) != DEM_OK) {
        return 2;
    }
    for (int i = 0; i < 3; i += 1) {
        fesetround(modes[i]);
        int32_t status = compute(&other);
        int kept = fegetround() == modes[i];
        fesetround(FE_TONEAREST);
        compare(names[i], status, kept);
    }
#if defined(__GLIBC__)
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
    int32_t status = compute(&other);
    int kept = fedisableexcept(FE_ALL_EXCEPT) != 0;
    compare("traps", status, kept);
#endif
#if defined(__x86_64__)
    unsigned before = _mm_getcsr(), set = before | 0x8040;
    _mm_setcsr(set);
    int32_t outcome = compute(&other);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    compare("flushing", outcome, after == set);
#endif
    return mistakes != 0;
}
