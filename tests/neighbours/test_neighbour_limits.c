/*
 * Neighbours and distances below, at and above the sizes at which they change their way (tests/thresholds.def), against
 * loops over all points.
 */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { BLOCK = 1 << 18, ROWS = 64, NEAREST = 3 };

/* Points 0..n-1 in another order: i * 7919 mod n is at place i, since the prime 7919 divides none of the n used. */
static int64_t coordinate(int64_t i, int64_t n) { return i * 7919 % n; }

/* Write the points within `radius` of `at`, nearest first; returns their number. No two are equally far. */
static int64_t list_near(int64_t n, double at, double radius, double *distances, int64_t *places) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs((double)coordinate(i, n) - at);
        int64_t k = count;
        if (d > radius) continue;
        for (; k > 0 && distances[k - 1] > d; k--) distances[k] = distances[k - 1], places[k] = places[k - 1];
        distances[k] = d, places[k] = i;
        count++;
    }
    return count;
}

/* BLOCK_ELEMENTS of nearest.c: with so many points a block is one query. */
static void many_points(void) {
    for (int64_t n = BLOCK - 1; n <= BLOCK + 1; n++) {
        if (test_starving() && n < BLOCK + 1) continue;
        struct test_round round = test_round();
        double *x = test_room((size_t)n * sizeof *x), at[] = {10.25, 0, (double)n / 2 + 0.125};
        double near[24], nearest[3 * 2];
        int64_t places[24], indices[3 * 2], starts[4] = {0};
        for (int64_t i = 0; i < n; i++) x[i] = (double)coordinate(i, n);
        for (int q = 0; q < 3; q++) {
            int64_t from = starts[q];
            starts[q + 1] = from + list_near(n, at[q], 2.5, near + from, places + from);
            for (int k = 0; k < 2; k++)
                nearest[2 * q + k] = near[from + k], indices[2 * q + k] = places[from + k];
        }
        ty_tensor *points = CHECK_OK(ty_from(TY_F64, TY_SHAPE(n, 1), x));
        ty_tensor *queries = CHECK_OK(ty_from(TY_F64, TY_SHAPE(3, 1), at));
        ty_neighbours y = ty_nearest_points(points, queries, 2, (ty_distance_options){0});
        compare_bits(CHECK_OK(y.indices), ty_from(TY_I64, TY_SHAPE(3, 2), indices), "%lld points",
                     (long long)n);
        compare_bits(CHECK_OK(y.distances), ty_from(TY_F64, TY_SHAPE(3, 2), nearest), "%lld points",
                     (long long)n);
        ty_radius_neighbours s = ty_points_within(points, queries, 2.5, (ty_distance_options){0});
        compare_bits(CHECK_OK(s.starts), ty_from(TY_I64, TY_SHAPE(4), starts), "%lld points", (long long)n);
        compare_bits(CHECK_OK(s.indices), ty_from(TY_I64, 1, &starts[3], places), "%lld points",
                     (long long)n);
        compare_bits(CHECK_OK(s.distances), ty_from(TY_F64, 1, &starts[3], near), "%lld points",
                     (long long)n);
        test_round_end(round);
    }
}

/* ---- features ---- */

static double distance_of(ty_distance kind, int d, const double *a, const double *b) {
    double sum = 0, most = 0;
    for (int i = 0; i < d; i++) {
        double gap = fabs(a[i] - b[i]);
        sum += kind == TY_DISTANCE_manhattan ? gap : gap * gap;
        most = fmax(most, gap);
    }
    return kind == TY_DISTANCE_chebyshev ? most : kind == TY_DISTANCE_euclidean ? sqrt(sum) : sum;
}

/* Check all distances between ROWS points and m, and the nearest of the m. Coordinates are multiples of 1/16, exact in
   f32 and in all squares. */
static void check_features(ty_dtype dtype, ty_distance kind, int d, int64_t m) {
    struct test_round round = test_round();
    double *a = test_room((size_t)(ROWS * d) * sizeof *a), *b = test_room((size_t)(m * d) * sizeof *b),
           *all = test_room((size_t)(ROWS * m) * sizeof *all), nearest[ROWS * NEAREST];
    for (int64_t i = 0; i < ROWS * d; i++) a[i] = (double)test_between(-64, 64) / 16;
    for (int64_t i = 0; i < m * d; i++) b[i] = (double)test_between(-64, 64) / 16;
    for (int64_t i = 0; i < ROWS * m; i++) all[i] = distance_of(kind, d, a + i / m * d, b + i % m * d);
    for (int64_t i = 0; i < ROWS; i++) {
        double last = -1;
        for (int k = 0; k < NEAREST; k++) { /* the k-th of all, equal ones counted */
            int64_t before = 0, equal = 0;
            double least = INFINITY;
            for (int64_t j = 0; j < m; j++) {
                before += all[i * m + j] < last, equal += all[i * m + j] == last;
                if (all[i * m + j] > last) least = fmin(least, all[i * m + j]);
            }
            nearest[i * NEAREST + k] = k > 0 && before + equal > k ? last : least;
            last = nearest[i * NEAREST + k];
        }
    }
    ty_tensor *x = CHECK_OK(ty_cast(ty_from(TY_F64, TY_SHAPE(ROWS, d), a), dtype));
    ty_tensor *y = CHECK_OK(ty_cast(ty_from(TY_F64, TY_SHAPE(m, d), b), dtype));
    ty_distance_options options = {.distance = kind};
    ty_tensor *want = CHECK_OK(ty_cast(ty_from(TY_F64, TY_SHAPE(ROWS, m), all), dtype));
    compare_ulps(CHECK_OK(ty_cdist(x, y, options)), want, 1, "%d features, %lld points", d, (long long)m);
    ty_neighbours found = ty_nearest_points(y, x, NEAREST, options);
    want = CHECK_OK(ty_cast(ty_from(TY_F64, TY_SHAPE(ROWS, NEAREST), nearest), dtype));
    compare_ulps(CHECK_OK(found.distances), want, 1, "nearest by %d features of %lld", d, (long long)m);
    test_round_end(round);
}

/* MANY_FEATURES; WORTH_BYTES: 512 KiB of differences, which are 64 x 128 x 8 numbers of f64, or 64 x 256 x 4. */
static void features(void) {
    static const ty_distance kinds[] = {TY_DISTANCE_euclidean, TY_DISTANCE_squared, TY_DISTANCE_manhattan,
                                        TY_DISTANCE_chebyshev};
    static const int counts[] = {4, 7, 8, 9};
    for (int kind = 0; kind < 4; kind++)
        for (int dtype = 0; dtype < 2; dtype++)
            for (int i = 0; i < 4; i++)
                for (int more = -1; more <= 1; more++) {
                    int64_t bytes = dtype ? 8 : 4, m = (512 << 10) / (ROWS * bytes * counts[i]) + more;
                    if (!test_starving() || (kind == 0 && i == 2))
                        check_features(dtype ? TY_F64 : TY_F32, kinds[kind], counts[i], m);
                }
}

TESTS_MAIN(TEST(many_points), TEST(features))
