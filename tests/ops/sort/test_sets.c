/*
 * Functions made of sorting and searching: sets, quantiles, histograms, random orders. goldens.txt compares with NumPy;
 * these tests cover promises, tracked values, edge cases and errors.
 */
#include <math.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *numbers(int64_t n, const double *x) { return ty_from(TY_F64, 1, &n, x); }
#define VECTOR(...) numbers(NUMBERS(__VA_ARGS__))

static void sets(void) {
    ty_tensor *a = VECTOR(3, 1, 2, 3, NAN, 1, NAN), *b = VECTOR(2, 5, 3);
    for (int world = 0; world < 2; world++) {
        if (world) a = ty_var(a, "a"), b = ty_var(b, "b");
        compare_numbers(ty_unique(a), NUMBERS(1, 2, 3, NAN), "unique");
        compare_numbers(ty_union1d(a, b), NUMBERS(1, 2, 3, 5, NAN), "union");
        compare_numbers(ty_intersect1d(a, b), NUMBERS(2, 3), "intersection");
        compare_numbers(ty_setdiff1d(a, b), NUMBERS(1, NAN), "difference");
        compare_numbers(ty_setxor1d(b, a), NUMBERS(1, 5, NAN), "in one only");
        compare_numbers(ty_isin(a, b), NUMBERS(1, 0, 1, 1, 0, 0, 0), "membership");
        ty_unique_parts u = ty_unique_all(a);
        compare_numbers(u.values, NUMBERS(1, 2, 3, NAN), "values");
        compare_numbers(u.index, NUMBERS(1, 2, 0, 4), "first places");
        compare_numbers(u.inverse, NUMBERS(2, 0, 1, 2, 3, 0, 3), "which");
        compare_numbers(u.counts, NUMBERS(2, 1, 2, 2), "how often");
    }
    ty_tensor *none = ty_zeros(TY_I32, TY_SHAPE(0, 3)), *one = ty_ones(TY_I32, TY_SHAPE(1));
    CHECK(ty_size(ty_unique(none)) == 0 || test_starving(), "the set of nothing is empty");
    CHECK(ty_size(ty_setxor1d(none, none)) == 0 || test_starving(), "nothing but nothing is nothing");
    compare_numbers(ty_setxor1d(none, one), NUMBERS(1), "all but nothing");
    compare_numbers(ty_isin(one, none), NUMBERS(0), "in no set");
    ty_unique_parts u = ty_unique_all(none);
    CHECK(test_starving() || (ty_size(u.counts) == 0 && ty_rank(u.inverse) == 2), "the parts of nothing");
    CHECK_POISON(ty_unique_slices(one, 2), "axis 2");
    CHECK_POISON(ty_unique(ty_poison("no set")), "no set");
}

static void slices(void) {
    ty_tensor *x = ty_from(TY_I32, TY_SHAPE(4, 2), (int32_t[]){1, 2, 0, 5, 1, 2, 0, 4});
    compare_numbers(ty_unique_slices(x, 0), NUMBERS(0, 4, 0, 5, 1, 2), "rows");
    compare_numbers(ty_unique_slices(ty_transpose(x), 1), NUMBERS(0, 0, 1, 4, 5, 2), "columns");
    ty_tensor *keys[] = {VECTOR(3, 1, 2, 1), VECTOR(0, 1, 0, 0)};
    compare_numbers(ty_lexsort(2, keys, 0), NUMBERS(3, 2, 0, 1), "the last key counts most");
    CHECK_POISON(ty_lexsort(2, (ty_tensor *[]){x, keys[0]}, 0), "all keys must have the same shape");
    CHECK_POISON(ty_lexsort(0, NULL, 0), "expected at least one key");
    compare_numbers(ty_ordinal(VECTOR(5, 1, 5, 2), 0), NUMBERS(2, 0, 3, 1), "ordinals");
    compare_numbers(ty_mode(x, 0), NUMBERS(0, 2), "mode of columns");
    compare_numbers(ty_is_sorted(x, 1), NUMBERS(1, 1, 1, 1), "rows in order");
    CHECK_POISON(ty_mode(ty_zeros(TY_F32, TY_SHAPE(0)), 0), "empty");
    /* no lines, of any length that a size can have */
    ty_tensor *none = ty_mode(ty_zeros(TY_U8, TY_SHAPE(0, INT64_C(1) << (sizeof(size_t) < 8 ? 20 : 50))), 1);
    CHECK(ty_ok(none) ? ty_size(none) == 0 : test_starving(), "%s", ty_error(none));
}

/* Quantiles agree eagerly, as promises and with tracked values. */
static void quantiles(void) {
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(5, 4, 3), -9, 9), *q = VECTOR(0, 0.15, 0.5, 1);
    static const char *const methods[] = {NULL, "hazen", "nearest", "closest_observation"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        ty_axes axes = ty_axes_of(2, (int[]){0, 2}, i & 1);
        ty_tensor *now = CHECK_OK(ty_quantile(x, q, axes, methods[i]));
        CHECK(ty_rank(now) == (i & 1 ? 4 : 2) && ty_shape(now)[0] == 4, "quantiles come first");
        compare_bits(ty_eval(ty_quantile(ty_var(x, "x"), q, axes, methods[i])), now, "promised quantile");
        compare_bits(ty_quantile(ty_track(x, "x"), q, axes, methods[i]), now, "tracked quantile");
        compare_near(ty_nanquantile(x, q, axes, methods[i]), now, 1e-14, 1e-14, "without a NaN");
    }
    ty_tensor *holes = VECTOR(NAN, 4, 1, NAN, 3);
    compare_numbers(ty_median(holes, TY_ALL), NUMBERS(NAN), "NaN spoils a median");
    compare_numbers(ty_nanmedian(holes, TY_ALL), NUMBERS(3), "NaN left out");
    compare_numbers(ty_nanmedian(VECTOR(NAN, NAN), TY_ALL), NUMBERS(NAN), "nothing left");
    compare_numbers(ty_median(VECTOR(INFINITY, INFINITY), TY_ALL), NUMBERS(INFINITY), "between infinities");
    compare_numbers(ty_iqr(VECTOR(1, 2, 3, 4, 5), TY_ALL), NUMBERS(2), "between quartiles");
    compare_numbers(ty_median(ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){1, 2}), TY_ALL), NUMBERS(1.5),
                    "of integers");
    CHECK_POISON(ty_quantile(x, ty_num(1.5), TY_ALL, NULL), "1.5 is out of range; expected 0..1");
    CHECK_POISON(ty_percentile(x, ty_num(-2), TY_ALL, NULL), "-2 is out of range; expected 0..100");
    CHECK_POISON(ty_quantile(x, ty_num(0.5), TY_ALL, "best"), "midpoint");
    CHECK_POISON(ty_median(ty_zeros(TY_F32, TY_SHAPE(0)), TY_ALL), "no elements");
    CHECK_POISON(ty_median(ty_zeros(TY_C64, TY_SHAPE(2)), TY_ALL), "complex");
}

static void histograms(void) {
    ty_tensor *x = VECTOR(0, 0.1, 0.5, 0.5, 1, 2, NAN, -1), *w = ty_steps(TY_F64, 1, 1, 8);
    compare_numbers(ty_histogram(x, 2, 0, 1, NULL, false), NUMBERS(2, 3), "two bins");
    compare_numbers(ty_eval(ty_histogram(ty_var(x, "x"), 2, 0, 1, NULL, false)), NUMBERS(2, 3), "promised");
    compare_numbers(ty_histogram(ty_track(x, "x"), 2, 0, 1, w, false), NUMBERS(3, 12), "weights");
    compare_numbers(ty_histogram(x, 2, 0, 1, NULL, true), NUMBERS(0.8, 1.2), "density");
    compare_numbers(ty_histogram_edges(x, VECTOR(0, 0.5, 2), NULL, false), NUMBERS(2, 4), "edges");
    compare_numbers(ty_histogram(ty_zeros(TY_F64, TY_SHAPE(3)), 2, 0, 0, NULL, false), NUMBERS(0, 3),
                    "one point");
    compare_numbers(ty_histogram(ty_zeros(TY_F64, TY_SHAPE(0)), 2, 0, 0, NULL, false), NUMBERS(0, 0),
                    "nothing");
    compare_numbers(ty_histogram_bin_edges(x, 4, 0, 1), NUMBERS(0, 0.25, 0.5, 0.75, 1),
                    "edges of equal bins");
    ty_tensor *edges = VECTOR(0, 1, 2);
    compare_numbers(ty_histogram2d(x, x, edges, edges, NULL, false), NUMBERS(4, 0, 0, 2), "cells");
    ty_tensor *whole = ty_from(TY_U8, TY_SHAPE(4), (uint8_t[]){3, 0, 3, 1});
    compare_numbers(ty_bincount(whole, NULL, 0), NUMBERS(1, 1, 0, 2), "counts");
    compare_numbers(ty_bincount(ty_var(whole, "w"), NULL, 6), NUMBERS(1, 1, 0, 2, 0, 0), "at least 6");
    compare_numbers(ty_bincount(whole, VECTOR(1, 2, 3, 4), 0), NUMBERS(2, 4, 0, 4), "weighted counts");
    compare_numbers(ty_digitize(VECTOR(0.5, 1, 3), VECTOR(2, 1, 0), false), NUMBERS(2, 1, 0), "falling bins");
    CHECK_POISON(ty_histogram(x, 0, 0, 1, NULL, false), "0 bins");
    CHECK_POISON(ty_histogram(x, 2, 0, 1, edges, false), "weights");
    CHECK_POISON(ty_histogram_edges(x, ty_num(1), NULL, false), "edges");
    CHECK_POISON(ty_bincount(VECTOR(1, 2), NULL, 0), "integers");
    CHECK_POISON(ty_bincount(ty_full(TY_I32, TY_SHAPE(1), -1), NULL, 0), "-1 is negative");
}

static void random_orders(void) {
    int64_t n = 1000;
    ty_tensor *key = ty_key(5), *order = CHECK_OK(ty_permutation(n, key)),
              *places = ty_arange(TY_I64, 0, n, 1);
    compare_bits(ty_sort(order, 0, false), places, "a permutation has each place once");
    CHECK(test_starving() || ty_item(ty_all(ty_eq(order, places), TY_ALL)) == 0, "it moves something");
    compare_bits(ty_permutation(n, key), order, "the same key, the same order");
    compare_bits(ty_shuffle(places, 0, key), order, "shuffled places");
    ty_tensor *once = CHECK_OK(ty_choice(50, 20, false, NULL, key));
    CHECK(test_starving() || ty_size(ty_unique(once)) == 20, "no place twice");
    ty_tensor *p = VECTOR(0, 3, 1, 0), *often = CHECK_OK(ty_choice(4, 4000, true, p, key));
    ty_tensor *share = ty_mean(ty_cast(ty_eq(often, ty_int(1)), TY_F64), TY_ALL);
    CHECK(test_starving() || fabs(ty_item(share) - 0.75) < 0.03, "three quarters are ones, not %g",
          ty_item(share));
    compare_numbers(ty_sort(ty_choice(4, 2, false, p, key), 0, false), NUMBERS(1, 2),
                    "only what has a probability");
    CHECK(test_starving() || ty_item(ty_amax(ty_choice(7, 500, true, NULL, key), TY_ALL)) == 6,
          "all of 0..6");
    CHECK_POISON(ty_choice(4, 3, false, p, key), "only 2");
    CHECK_POISON(ty_choice(3, 4, false, NULL, key), "3");
    CHECK_POISON(ty_choice(4, 1, true, VECTOR(1, -1, 0, 0), key), "-1");
    CHECK_POISON(ty_choice(4, 1, true, VECTOR(1, 1), key), "real vector of 4");
    CHECK_POISON(ty_permutation(-1, key), "-1");
    CHECK_POISON(ty_shuffle(ty_num(1), 0, key), "0-d");
}

TESTS_MAIN(TEST(sets), TEST(slices), TEST(quantiles), TEST(histograms), TEST(random_orders))
