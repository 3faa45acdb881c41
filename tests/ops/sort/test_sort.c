/*
 * Sorting and searching: every dtype, layout, axis and length on all instruction sets against the reference, long lines
 * against the definition of sorted, and promises, threads and errors.
 */
#include <math.h>
#include <string.h>

#include "array/order.h"
#include "ops/sort/sort.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

struct sorting {
    ty_tensor *x;
    int axis;
    enum sort_kind kind;
    bool descending;
    int64_t first, count;
};

static ty_tensor *sort_it(const void *context) {
    const struct sorting *s = context;
    return sort_ranks(s->x, s->axis, s->kind, s->descending, s->first, s->count);
}

/* Check values and indices, both directions, and all or some ranks. */
static void check_axis(ty_tensor *x, int axis, const char *what) {
    int64_t n = axis_size(x, axis);
    for (int way = 0; way < 8; way++) {
        struct test_round round = test_round();
        struct sorting s = {x, axis, way & 1 ? SORT_PLACES : SORT_VALUES, way & 2, 0, n};
        if (way & 4) s.first = n / 3, s.count = n / 4;
        compare_engines(sort_it, &s, 0, 0, "%s of %s %s, axis %d%s%s", way & 1 ? "argsort" : "sort",
                        ty_dtype_name(ty_dtype_of(x)), what, axis, way & 2 ? " descending" : "",
                        way & 4 ? ", some ranks" : "");
        test_round_end(round);
    }
}

static void every_sort(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            if (layout == LAYOUT_SCALAR) continue;
            struct test_round round = test_round();
            ty_tensor *x = CHECK_OK(sample((ty_dtype)dtype, (enum sample_layout)layout, -9, 9));
            for (int axis = 0; axis < ty_rank(x); axis++)
                check_axis(x, axis, sample_layout_name((enum sample_layout)layout));
            test_round_end(round);
        }
}

/* Lengths around those where the algorithm changes. */
static void many_lengths(void) {
    static const int64_t lengths[] = {1,  2,   3,   7,   8,   9,   15,  16,  17,   31,
                                      64, 100, 255, 256, 257, 383, 384, 385, 1000, 9000};
    static const ty_dtype dtypes[] = {TY_U8, TY_I16, TY_F16, TY_F32, TY_I32, TY_F64, TY_U64, TY_C64};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            if (lengths[i] > 1000 && (test_starving() || k % 3)) continue;
            struct test_round round = test_round();
            ty_tensor *x = sample_shape(dtypes[k], TY_SHAPE(lengths[i]), -100, 100);
            check_axis(x, 0, "line");
            test_round_end(round);
        }
}

/* Check ascending order, a permutation, stable order of equal elements, and that values and indices agree. */
static void check_sorted(ty_tensor *x, const char *what) {
    int64_t n = ty_size(x), *places = test_room((size_t)n * sizeof *places);
    ty_dtype dtype = ty_dtype_of(x);
    ty_tensor *argsort = CHECK_OK(ty_argsort(x, 0, false)), *values = CHECK_OK(ty_sort(x, 0, false));
    char *seen = test_room((size_t)n), *data = test_room((size_t)n * ty_dtype_size(dtype));
    CHECK(ty_read(argsort, TY_I64, places) && ty_read(x, dtype, data), "%s cannot be read", what);
    compare_near(values, ty_gather(x, argsort, 0), 0, 0, "%s: values and places", what);
    for (int64_t i = 0; i < n; i++) {
        CHECK(places[i] >= 0 && places[i] < n && !seen[places[i]], "%s: place %lld twice", what,
              (long long)places[i]);
        seen[places[i]] = 1;
        if (i == 0) continue;
        size_t size = ty_dtype_size(dtype);
        struct order_key a = order_key(dtype, element_load(dtype, data + (size_t)places[i - 1] * size));
        struct order_key b = order_key(dtype, element_load(dtype, data + (size_t)places[i] * size));
        bool in_order = order_before(a, b) || (!order_before(b, a) && places[i - 1] < places[i]);
        CHECK(in_order, "%s: rank %lld is out of order", what, (long long)i);
    }
}

/* Sorts random data, sorted, reversed, few values, all but one equal, only low bits, only the highest
   bits, long lines. */
static void kinds_of_data(void) {
    static const ty_dtype dtypes[] = {TY_I8, TY_U16, TY_BF16, TY_I32, TY_F32, TY_I64, TY_F64, TY_C128};
    int64_t n = test_starving() ? 2000 : 70000;
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[k];
        ty_tensor *random = sample_shape(dtype, TY_SHAPE(n), -1e4, 1e4), *sorted = ty_sort(random, 0, false);
        if (dtype == TY_I8) random = sample_shape(dtype, TY_SHAPE(n), -100, 100);
        check_sorted(random, "random");
        check_sorted(sorted, "sorted");
        check_sorted(ty_flip(sorted, 0), "falling");
        check_sorted(ty_cast(ty_cast(sample_shape(TY_F32, TY_SHAPE(n), 0, 5), TY_I32), dtype), "few values");
        ty_tensor *place = ty_iota(TY_I64, TY_SHAPE(n), 0);
        check_sorted(ty_cast(ty_eq(place, ty_int(n / 2)), dtype), "one that differs");
        if (dtype == TY_I64) {
            ty_tensor *high =
                ty_shift_left(ty_cast(sample_shape(TY_I32, TY_SHAPE(n), -9, 9), TY_I64), ty_int(50));
            check_sorted(ty_add(high, random), "high and low bits");
            check_sorted(ty_add(ty_mul(ty_mod(place, ty_int(2)), ty_int(INT64_MIN)), random),
                         "sign and low bits");
        }
        test_round_end(round);
    }
}

static void special_numbers(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++) {
        struct test_round round = test_round();
        char *data = test_room(3 * SAMPLE_SPECIALS * 16);
        int n = sample_specials((ty_dtype)dtype, data);
        size_t bytes = (size_t)n * ty_dtype_size((ty_dtype)dtype);
        memcpy(data + bytes, data, bytes);
        memcpy(data + 2 * bytes, data, bytes);
        check_axis(ty_from((ty_dtype)dtype, TY_SHAPE(3 * n), data), 0, "specials");
        check_axis(ty_transpose(ty_from((ty_dtype)dtype, TY_SHAPE(3, n), data)), 0, "specials in columns");
        test_round_end(round);
    }
    const double numbers[] = {2, NAN, -0.0, 0, -INFINITY, INFINITY, -NAN, 1};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(8), numbers);
    compare_numbers(ty_argsort(x, 0, false), NUMBERS(4, 2, 3, 7, 0, 5, 1, 6),
                    "NaN last, equals in place order");
    compare_numbers(ty_argsort(x, 0, true), NUMBERS(1, 6, 5, 0, 7, 2, 3, 4),
                    "descending, equals in place order");
    const double pairs[] = {3, 4, 0, -5, -5, -0.0, 5, 0, 1, 1, NAN, 0, 0, NAN, 0, 5};
    compare_numbers(ty_argsort(ty_from(TY_C128, TY_SHAPE(8), (void *)pairs), 0, false),
                    NUMBERS(4, 1, 3, 0, 7, 2, 5, 6), "magnitude, then phase, NaN last");
}

/* Selected ranks are those of the whole line, though only parts are sorted. */
static void ranks_of_lines(void) {
    static const ty_dtype dtypes[] = {TY_U8, TY_F16, TY_I32, TY_F32, TY_F64, TY_I64, TY_C64};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (int i = 0; i < 24; i++) {
            struct test_round round = test_round();
            int64_t n = i < 12 ? 20000 : 700, first = test_between(0, n / 2),
                    count = i % 3 ? 10 : test_between(0, n / 2);
            if (i % 4 == 0) first = 0;
            double spread = i % 2 ? 1e4 : 3;
            ty_tensor *x = sample_shape(dtypes[k], TY_SHAPE(n), -spread, spread);
            for (int kind = SORT_VALUES; kind <= SORT_PLACES; kind++) {
                ty_tensor *all = sort_ranks(x, 0, (enum sort_kind)kind, i & 4, 0, n);
                compare_near(sort_ranks(x, 0, (enum sort_kind)kind, i & 4, first, count),
                             ty_slice(all, 0, first, first + count, 1), 0, 0,
                             "ranks %lld + %lld of %s case %d", (long long)first, (long long)count,
                             ty_dtype_name(dtypes[k]), i);
            }
            test_round_end(round);
        }
}

/* Tiles and groups of lines: adjacent, one behind the other, and neither. */
static void many_lines(void) {
    static const int64_t lengths[] = {5, 40, 300, 600};
    static const ty_dtype dtypes[] = {TY_BOOL, TY_I16, TY_F32, TY_F64, TY_C64};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            if (test_starving() && (i > 2 || k % 2)) continue;
            struct test_round round = test_round();
            int64_t n = lengths[i], m = n < 100 ? 37 : 5;
            ty_tensor *x = sample_shape(dtypes[k], TY_SHAPE(3, n, m), -50, 50);
            check_axis(x, 1, "middle axis");
            check_axis(ty_flip(ty_permute(x, (int[]){2, 0, 1}), 2), 2, "last axis of a view");
            check_axis(ty_contiguous(ty_permute(x, (int[]){2, 0, 1})), 2, "last axis");
            test_round_end(round);
        }
}

/* ---- searching ---- */

struct searching {
    ty_tensor *sorted, *x;
    bool right;
};

static ty_tensor *search_it(const void *context) {
    const struct searching *s = context;
    return ty_searchsorted(s->sorted, s->x, s->right);
}

static void every_search(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct test_round round = test_round();
            ty_tensor *x = CHECK_OK(sample((ty_dtype)dtype, (enum sample_layout)layout, -9, 9));
            for (int64_t n = 0; n < 40; n = 2 * n + 1) {
                ty_tensor *line = ty_sort(sample_shape((ty_dtype)dtype, TY_SHAPE(n), -9, 9), 0, false);
                for (int right = 0; right < 2; right++) {
                    struct searching s = {line, x, right};
                    compare_engines(search_it, &s, 0, 0, "search in %lld %s, %s", (long long)n,
                                    ty_dtype_name((ty_dtype)dtype),
                                    sample_layout_name((enum sample_layout)layout));
                    s.sorted = ty_flip(ty_contiguous(ty_flip(line, 0)), 0);
                    compare_engines(search_it, &s, 0, 0, "search in a strided line");
                }
            }
            test_round_end(round);
        }
}

static void searching(void) {
    const double line[] = {-INFINITY, -1, 0, 0, 2, 2, INFINITY, NAN, NAN};
    const double x[] = {NAN, -INFINITY, -2, -0.0, 0, 1, 2, 3, INFINITY};
    ty_tensor *sorted = ty_from(TY_F64, TY_SHAPE(9), line), *values = ty_from(TY_F64, TY_SHAPE(9), x);
    compare_numbers(ty_searchsorted(sorted, values, false), NUMBERS(7, 0, 1, 2, 2, 4, 4, 6, 6), "left");
    compare_numbers(ty_searchsorted(sorted, values, true), NUMBERS(9, 1, 1, 4, 4, 4, 6, 6, 7), "right");
    compare_numbers(ty_searchsorted(sorted, ty_int(1), false), NUMBERS(4), "a number");
    ty_tensor *lines = ty_sort(sample_shape(TY_F32, TY_SHAPE(2, 3, 50), -9, 9), -1, false);
    struct searching s = {lines, sample_shape(TY_F32, TY_SHAPE(2, 3, 4, 5), -9, 9), false};
    compare_engines(search_it, &s, 0, 0, "a line for each batch");
    s.x = sample_shape(TY_F32, TY_SHAPE(2, 3), -9, 9);
    compare_engines(search_it, &s, 0, 0, "one value for each line");
    s = (struct searching){ty_transpose(ty_sort(sample_shape(TY_U8, TY_SHAPE(50, 3), 0, 255), 0, false)),
                           ty_full(TY_U8, TY_SHAPE(3, 2), 255), true};
    compare_engines(search_it, &s, 0, 0, "the greatest of all, right");
}

/* ---- eager, lazy, threads ---- */

static void any_threads(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_I64, TY_U8, TY_C64};
    int64_t n = test_starving() ? 3000 : 300000;
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        struct test_round round = test_round();
        ty_tensor *x = sample_shape(dtypes[k], TY_SHAPE(n), -1e6, 1e6), *results[3];
        static const int threads[] = {1, 2, 3, 8};
        for (int i = 0; i < 4; i++) {
            ty_set_threads(threads[i]);
            ty_tensor *sorted = ty_sort(x, 0, false), *some = ty_slice(x, 0, 0, 500, 1);
            ty_tensor *now[] = {sorted, ty_argsort(x, 0, true), ty_searchsorted(sorted, some, true)};
            for (int j = 0; j < 3 && i == 0; j++) results[j] = CHECK_OK(now[j]);
            for (int j = 0; j < 3; j++) compare_bits(now[j], results[j], "%d with %d threads", j, threads[i]);
        }
        test_round_end(round);
    }
}

/* Promises with an epilogue that reads the operand again, along any axis. */
static void fused_sorts(void) {
    ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(6, 300, 5), -9, 9), *promise = ty_var(x, "x");
    for (int axis = 0; axis < 3; axis++) {
        ty_tensor *lazy[4], *values[4], *now[4];
        for (int i = 0; i < 2; i++) {
            ty_tensor *of = i ? promise : x, **out = i ? lazy : now;
            out[0] = ty_add(ty_mul(ty_sort(of, axis, true), ty_num(2)), of);
            out[1] = ty_add(ty_argsort(of, axis, false), ty_int(1));
            out[2] = ty_neg(ty_top_k(of, 2, axis, true));
            out[3] = ty_square(ty_searchsorted(ty_sort(ty_reshape(of, TY_SHAPE(-1)), 0, false), of, false));
        }
        CHECK(ty_eval_all(4, lazy, values), "promises of sorts evaluate");
        for (int i = 0; i < 4; i++) compare_bits(values[i], now[i], "fused %d along %d", i, axis);
    }
}

static void order_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 3));
    CHECK_POISON(ty_sort(x, 2, false), "axis 2");
    CHECK_POISON(ty_sort(ty_num(1), 0, false), "0-d");
    CHECK_POISON(ty_argsort(x, -3, false), "-3");
    CHECK_POISON(ty_top_k(x, 4, 1, true), "k is 4");
    CHECK_POISON(ty_top_k_index(x, -1, 1, true), "k is -1");
    CHECK_POISON(sort_ranks(x, 1, SORT_VALUES, false, 1, 3), "3 ranks from 1 are out of bounds");
    CHECK_POISON(ty_searchsorted(ty_num(1), x, false), "0-d");
    CHECK_POISON(ty_searchsorted(x, ty_zeros(TY_F32, TY_SHAPE(3)), false), "leading axes");
    CHECK_POISON(ty_partition(x, 3, 1), "index 3 is out of bounds");
}

#define CASE(name, operators) TEST_REACHES(name, operators),
static const struct test_case cases[] = {
#include "tests/ops/sort/sort.def"
};
TESTS_MAIN_TABLE(cases)
