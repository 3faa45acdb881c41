/*
 * Operators below, at and above the counts at which they change their way or end (tests/thresholds.def): against the
 * reference engine, formulas, or the same by another way.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/expression.h>

#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static ty_tensor *vector(int64_t n, const double *x) { return CHECK_OK(ty_from(TY_F64, 1, &n, x)); }
static ty_tensor *drawn(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    double *x = test_room((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (double)test_between(-99, 99) / 8;
    return CHECK_OK(ty_from(TY_F64, rank, shape, x));
}

/* ---- filters ---- */

enum { FILTER = 4096 };

/* FILTER_MOST: a filter of n numbers, all 0 but the last, delays by n - 1; one of two numbers in `a` repeats a pulse.
 * */
static void long_filters(void) {
    for (int64_t n = FILTER - 1; n <= FILTER + 1; n++) {
        if (test_starving() && n != FILTER + 1) continue;
        struct test_round round = test_round();
        enum { LENGTH = 9000 };
        double *last = test_room((size_t)n * sizeof *last), *a = test_room((size_t)n * sizeof *a),
               *delayed = test_room(LENGTH * sizeof *delayed), *pulse = test_room(LENGTH * sizeof *pulse),
               *pulses = test_room(LENGTH * sizeof *pulses), one = 1;
        last[n - 1] = 1, a[0] = 1, a[n - 1] = -0.5, pulse[0] = 1;
        ty_tensor *x = drawn(TY_SHAPE(LENGTH));
        CHECK(ty_read(x, TY_F64, delayed) || test_starving(), "x cannot be read");
        memmove(delayed + n - 1, delayed, (size_t)(LENGTH - n + 1) * sizeof *delayed);
        memset(delayed, 0, (size_t)(n - 1) * sizeof *delayed);
        for (int64_t i = 0, k = 0; i < LENGTH; i += n - 1, k++) pulses[i] = ldexp(1, (int)-k);
        ty_tensor *b = vector(n, last), *unit = vector(1, &one);
        ty_tensor *y = ty_filter(b, unit, x, 0), *z = ty_filter(unit, vector(n, a), vector(LENGTH, pulse), 0);
        if (n <= FILTER) {
            compare_near(CHECK_OK(y), vector(LENGTH, delayed), 0, 0, "a delay of %lld", (long long)n - 1);
            compare_near(CHECK_OK(z), vector(LENGTH, pulses), 0, 0, "pulses after %lld", (long long)n - 1);
        } else {
            CHECK_POISON(y, "4096");
            CHECK_POISON(z, "4096");
        }
        test_round_end(round);
    }
}

/* MOST_ORDER of sections: n of them that change nothing. ORDER_MOST of Butterworth's: 1 at 0, and half at the edge. */
static void sections(void) {
    ty_tensor *x = drawn(TY_SHAPE(5));
    for (int64_t n = FILTER - 1; n <= FILTER + 1; n++) {
        if (test_starving() && n != FILTER + 1) continue;
        struct test_round round = test_round();
        ty_tensor *all =
            CHECK_OK(ty_eval(ty_broadcast(vector(6, (double[]){1, 0, 0, 1, 0, 0}), 2, (int64_t[]){n, 6})));
        ty_tensor *y = ty_filter_sections(all, x, 0);
        if (n <= FILTER)
            compare_near(CHECK_OK(y), x, 0, 0, "%lld sections", (long long)n);
        else
            CHECK_POISON(y, "4096");
        test_round_end(round);
    }
    for (int order = 63; order <= 65; order++) {
        ty_tensor *s = ty_butterworth(order, TY_LOW_PASS, 0.25, 0);
        if (order == 65) {
            CHECK_POISON(s, "order");
            continue;
        }
        double rows[32][6], gain = 1;
        CHECK_OK(s);
        CHECK(ty_shape(s)[0] == 32, "%lld sections of order %d", (long long)ty_shape(s)[0], order);
        if (!ty_read(s, TY_F64, rows)) continue;
        for (int i = 0; i < 32; i++)
            gain *= (rows[i][0] + rows[i][1] + rows[i][2]) / (rows[i][3] + rows[i][4] + rows[i][5]);
        CHECK(fabs(gain - 1) < 1e-9, "the gain of order %d at 0 is %.17g", order, gain);
    }
    for (int decibels = 2999; decibels <= 3001; decibels++) { /* MOST_DECIBELS */
        ty_tensor *s = ty_chebyshev_inverse(64, decibels, TY_LOW_PASS, 0.25, 0);
        if (decibels == 3001)
            CHECK_POISON(s, "at most 3000");
        else
            CHECK_OK(s);
    }
    for (int64_t up = 4095; up <= 4097; up++) { /* RATIO_MOST */
        struct test_round round = test_round();
        ty_tensor *y =
            ty_resample_ratio(ty_ones(TY_F64, TY_SHAPE(3)), up, 1, ty_ones(TY_F64, TY_SHAPE(1)), 0);
        if (up == 4097)
            CHECK_POISON(y, "1..4096");
        else
            CHECK(ty_size(CHECK_OK(y)) == 3 * up || test_starving(), "%lld elements", (long long)ty_size(y));
        test_round_end(round);
    }
}

/* ---- quantiles, rounding, indices ---- */

/* QUANTILES_MOST: of 0..2048, which are 2048 q. */
static void many_quantiles(void) {
    ty_tensor *x = CHECK_OK(ty_steps(TY_F64, 0, 1, 2049));
    for (int64_t n = 1023; n <= 1025; n++) {
        struct test_round round = test_round();
        ty_tensor *q = CHECK_OK(ty_steps(TY_F64, 0, 0x1p-11, n));
        ty_tensor *y = ty_quantile(ty_flip(x, 0), q, TY_ALL, "linear");
        if (n <= 1024)
            compare_near(CHECK_OK(y), ty_steps(TY_F64, 0, 1, n), 1e-15, 0, "%lld quantiles", (long long)n);
        else
            CHECK_POISON(y, "too many quantiles; expected at most 1024");
        test_round_end(round);
    }
}

/* MOST: 399 to 401 digits on either side; MOST_DIGITS: 10^17 to 10^19 of integers. */
static void rounded(void) {
    static const double x[] = {1e308, -2.5, 5e-324, 1e-300, -0.0};
    for (int digits = 399; digits <= 401; digits++) {
        compare_bits(CHECK_OK(ty_round_to(vector(5, x), digits)), vector(5, x), "%d digits", digits);
        ty_tensor *y = CHECK_OK(ty_round_to(vector(5, x), -digits));
        compare_near(y, ty_zeros(TY_F64, TY_SHAPE(5)), 0, 0, "%d digits before the point", digits);
    }
    static const int64_t whole[] = {INT64_C(9123456789012345678), INT64_C(-1500000000000000001),
                                    INT64_C(2500000000000000000), INT64_C(450000000000000000), -1};
    static const int64_t tens[3][5] = {
        {INT64_C(9100000000000000000), INT64_C(-1500000000000000000), INT64_C(2500000000000000000),
         INT64_C(400000000000000000), 0},
        {INT64_C(9000000000000000000), INT64_C(-2000000000000000000), INT64_C(2000000000000000000), 0, 0},
        {0}};
    for (int digits = 17; digits <= 19; digits++) {
        ty_tensor *y = CHECK_OK(ty_round_to(ty_from(TY_I64, TY_SHAPE(5), whole), -digits));
        compare_bits(y, ty_from(TY_I64, TY_SHAPE(5), tens[digits - 17]), "10^%d", digits);
    }
}

/* MANY_ROWS: so many rows of two columns; row 0 has one place, the others two. */
static void many_rows(void) {
    for (int64_t n = (1 << 20) - 1; n <= (1 << 20) + 1; n++) {
        if (test_starving() && n != (1 << 20) + 1) continue;
        struct test_round round = test_round();
        ty_tensor *out[2];
        ty_tril_indices(n, 2, 0, out);
        ty_tensor *line = CHECK_OK(ty_steps(TY_I64, 1, 1, 2 * n - 1));
        compare_bits(CHECK_OK(out[0]), ty_floor_div(line, ty_int(2)), "rows of %lld", (long long)n);
        line = ty_mod(line, ty_int(2));
        int64_t first = 0;
        ty_tensor *zero = ty_from(TY_I64, TY_SHAPE(1), &first);
        ty_tensor *columns = ty_concat(2, (ty_tensor *[]){zero, ty_slice(line, 0, 1, TY_END, 1)}, 0);
        compare_bits(CHECK_OK(out[1]), CHECK_OK(columns), "columns of %lld rows", (long long)n);
        test_round_end(round);
    }
    ty_tensor *out[2];
    ty_tril_indices((INT64_C(1) << 60) + 1, 2, 0, out);
    CHECK_POISON(out[0], "are too many");
    ty_tril_indices(2, (INT64_C(1) << 60) + 1, 0, out);
    CHECK_POISON(out[1], "are too many");
    for (int64_t more = -1; more <= 0; more++) { /* few places of a very wide or high matrix */
        ty_tril_indices(2, (INT64_C(1) << 60) + more, 0, out);
        compare_bits(CHECK_OK(out[1]), ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){0, 0, 1}), "2^60 columns");
        ty_triu_indices((INT64_C(1) << 60) + more, 2, 0, out);
        compare_bits(CHECK_OK(out[0]), ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){0, 0, 1}), "2^60 rows");
    }
}

/* SORTED_MOST: permutations of 65535 to 65537 numbers have each number once, and do not begin in order. */
static void permutations(void) {
    for (int64_t n = 65535; n <= 65537; n++) {
        if (test_starving() && n != 65537) continue;
        struct test_round round = test_round();
        ty_tensor *y = CHECK_OK(ty_permutation(n, ty_key(7))), *line = ty_steps(TY_I64, 0, 1, n);
        compare_bits(CHECK_OK(ty_sort(y, 0, false)), line, "a permutation of %lld", (long long)n);
        double same = ty_item(CHECK_OK(ty_count_nonzero(ty_eq(y, line), TY_ALL)));
        CHECK(same < 20 || test_starving(), "%g of %lld stay in place", same, (long long)n);
        ty_tensor *x = ty_mul(line, ty_int(3)), *z = CHECK_OK(ty_shuffle(x, 0, ty_key(7)));
        compare_bits(z, ty_mul(y, ty_int(3)), "a shuffle of %lld", (long long)n);
        test_round_end(round);
    }
}

/* ---- engines ---- */

/* An expression of x on the reference and by every instruction set. */
static void check(const char *text, ty_tensor *x, double digits) {
    static const char *const names[] = {"x"};
    ty_use_engine("ref");
    ty_tensor *want = CHECK_OK(ty_expression(text, 1, names, &x));
    ty_use_engine("cpu");
    for (int set = 0; set <= (int)isa_best(); set++) {
        isa_force((enum isa)set);
        compare_near(CHECK_OK(ty_expression(text, 1, names, &x)), want, digits, digits, "%s", text);
    }
    isa_force(isa_best());
}

/* The gradient of means of windows of n, in steps of 2. */
static void check_spread(ty_tensor *x, int64_t n) {
    ty_tensor *g[2];
    for (int cpu = 0; cpu < 2; cpu++) {
        ty_use_engine(cpu ? "cpu" : "ref");
        ty_tensor *from = ty_var(x, "x");
        ty_pool options = {.size = {n}, .stride = {2}};
        ty_grad(ty_sum(ty_square(ty_avg_pool1d(from, options)), TY_ALL), 1, &from, &g[cpu]);
        g[cpu] = CHECK_OK(ty_eval(g[cpu]));
    }
    compare_near(g[1], g[0], 1e-13, 1e-13, "gradient of windows of %lld", (long long)n);
}

/* POOL_TAPS: windows of 61 to 66 rows, in a plane and in several; FEW: 7 to 9 channels, and rows of 7 to 9 windows. */
static void wide_windows(void) {
    static const int sizes[] = {7, 8, 9, 31, 32, 33, 61, 62, 63, 64, 65, 66};
    for (int i = 0; i < 12; i++) {
        if (test_starving() && i % 4) continue;
        struct test_round round = test_round();
        char text[160];
        int n = sizes[i], few = 7 + i % 3;
        ty_tensor *line = drawn(TY_SHAPE(2, 150, few)), *plane = drawn(TY_SHAPE(1, 80, 2 * few + 1, 2));
        ty_tensor *row = drawn(TY_SHAPE(1, 80, few, 1)), *volume = drawn(TY_SHAPE(1, 3, 70, few, 1));
        for (int kind = 0; kind < 2; kind++) {
            const char *name = kind ? "avg" : "max";
            snprintf(text, sizeof text, "%s_pool1d(x, %d, %d)", name, n, 1 + kind);
            check(text, line, 1e-13);
            snprintf(text, sizeof text, "max_pool1d_index(x, %d, 2)", n);
            check(text, line, 0);
            check_spread(line, n);
            snprintf(text, sizeof text, "%s_pool2d(x, (%d, 3), (2, 2))", name, n);
            check(text, plane, 1e-13);
            snprintf(text, sizeof text, "%s_pool2d(x, (%d, 1), (1, 1))", name, n);
            check(text, row, 1e-13);
            snprintf(text, sizeof text, "%s_pool3d(x, (2, %d, 1), (1, 1, 1))", name, n);
            check(text, volume, 1e-13);
        }
        test_round_end(round);
    }
}

/* RUN_LEAST: channels behind two axes that are interpolated at once, or one after the other. */
static void interpolated(void) {
    for (int64_t channels = 15; channels <= 17; channels++) {
        struct test_round round = test_round();
        ty_tensor *x = drawn(TY_SHAPE(2, 5, 6, channels));
        static const int64_t sizes[] = {9, 11};
        ty_interpolation both = {.sampling = TY_LINEAR, .sizes = sizes}, columns = both;
        columns.sizes = sizes + 1;
        ty_tensor *y = CHECK_OK(ty_interpolate(x, 2, (int[]){1, 2}, both));
        ty_tensor *first = CHECK_OK(ty_interpolate(x, 1, (int[]){1}, both));
        compare_near(y, ty_interpolate(first, 1, (int[]){2}, columns), 1e-13, 1e-13, "%lld channels",
                     (long long)channels);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(long_filters), TEST(sections), TEST(many_quantiles), TEST(rounded), TEST(many_rows),
           TEST(permutations), TEST(wide_windows), TEST(interpolated))
