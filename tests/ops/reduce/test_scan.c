/*
 * Scans: every kind, dtype, layout, axis and direction on the cpu engine against the reference, which folds
 * each line from its start. Bits are the same for any number of threads and with fused operators; some values are written
 * here.
 */
#include <math.h>
#include <string.h>

#include "array/dtype.h"
#include "ops/reduce/filter.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static ty_tensor *recurrence(ty_tensor *x, int axis, ty_running way) {
    return ty_linear_recurrence(x, ty_flip(x, axis), axis, way.reverse);
}

/* Filter with few or many coefficients, depending on the axis: orders with specialised loops, and one
   without. */
static ty_tensor *filtered(ty_tensor *x, int axis, ty_running way) {
    int64_t n = axis == 1 ? 11 : 2 + axis % 2;
    ty_tensor *b = ty_linspace(TY_F64, 1, 0.25, 3), *a = ty_linspace(TY_F64, -0.08, 0.05, n);
    return filter_record(x, ty_cast(b, ty_dtype_of(x)), ty_cast(a, ty_dtype_of(x)), axis, way.reverse);
}

static const struct kind {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x, int axis, ty_running way);
    int classes; /* classes of dtypes that it supports */
    bool excludes;
    double low, high; /* range of operands: products stay small, sums do not cancel */
} kinds[] = {
    {"cumsum", ty_cumsum, ~0, true, 0.2, 4},
    {"cumprod", ty_cumprod, ~0, true, 0.8, 1.2},
    {"cummax", ty_cummax, ~CLASS_COMPLEX, true, -40, 40},
    {"cummin", ty_cummin, ~CLASS_COMPLEX, true, -40, 40},
    {"cumargmax", ty_cumargmax, ~CLASS_COMPLEX, false, -4, 40},
    {"cumargmin", ty_cumargmin, ~CLASS_COMPLEX, false, -40, 4},
    {"linear_recurrence", recurrence, ~CLASS_BOOL, false, 0, 1},
    {"filter", filtered, CLASS_FLOAT | CLASS_COMPLEX, false, 0, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct scanning {
    const struct kind *kind;
    ty_tensor *x;
    int axis;
    ty_running way;
};

static ty_tensor *scan_it(const void *context) {
    const struct scanning *s = context;
    return s->kind->run(s->x, s->axis, s->way);
}

static double rounding(ty_dtype dtype, int64_t n) { return relative_ulp(dtype) * (4 + (double)n); }

static void check_ways(const struct kind *kind, ty_tensor *x, int axis, const char *layout) {
    for (int way = 0; way < (kind->excludes ? 4 : 2); way++) {
        struct test_round round = test_round();
        struct scanning s = {kind, x, axis, {way & 1, way & 2}};
        compare_engines(scan_it, &s, rounding(ty_dtype_of(x), 8), 0, "%s of %s %s, axis %d, way %d",
                        kind->name, ty_dtype_name(ty_dtype_of(x)), layout, axis, way);
        test_round_end(round);
    }
}

static void every_scan(void) {
    for (int i = 0; i < KINDS; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype += test_starving() ? 5 : 1)
            for (int layout = 0; layout < LAYOUT_LONG; layout++) {
                if (!dtype_is((ty_dtype)dtype, kinds[i].classes)) continue;
                struct test_round round = test_round();
                ty_tensor *x =
                    sample((ty_dtype)dtype, (enum sample_layout)layout, kinds[i].low, kinds[i].high);
                for (int axis = 0; axis < ty_rank(x); axis++)
                    check_ways(&kinds[i], x, axis, sample_layout_name((enum sample_layout)layout));
                test_round_end(round);
            }
}

/* ---- random shapes and views ---- */

static ty_tensor *disguise(ty_tensor *x) {
    for (int round = 0; round < 3; round++) {
        CHECK_OK(x);
        int axis = (int)test_between(0, ty_rank(x) - 1), order[TY_MAX_RANK];
        for (int i = 0; i < ty_rank(x); i++) order[i] = (i + axis) % ty_rank(x);
        int which = (int)test_between(0, 3);
        if (which == 0) x = ty_permute(x, order);
        if (which == 1) x = ty_slice(x, axis, test_between(0, 1), TY_END, test_between(1, 2));
        if (which == 2) x = ty_flip(x, axis);
    }
    return x;
}

/* Check that a scan of promises with fused elementwise operators has the eager bits. */
static void same_when_fused(const struct scanning *s) {
    struct scanning lazy = *s;
    lazy.x = ty_lazy(s->x);
    ty_tensor *fused = ty_eval(ty_neg(ty_add(scan_it(&lazy), s->x)));
    compare_bits(fused, ty_neg(ty_add(scan_it(s), s->x)), "%s fused", s->kind->name);
}

/* Check that bits are the same with 1, 2, 3 and 8 threads. */
static void same_for_threads(const struct scanning *s) {
    static const int counts[] = {2, 3, 8};
    ty_set_threads(1);
    ty_tensor *want = scan_it(s);
    for (int i = 0; i < 3; i++) {
        ty_set_threads(counts[i]);
        compare_bits(scan_it(s), want, "%s, %d threads", s->kind->name, counts[i]);
    }
    ty_set_threads(0);
}

static void random_scans(void) {
    for (int i = 0; i < (test_starving() ? 12 : 300); i++) {
        struct test_round round = test_round();
        const struct kind *kind = &kinds[test_between(0, KINDS - 1)];
        ty_dtype dtype = (ty_dtype)test_between(0, TY_DTYPES - 1);
        if (!dtype_is(dtype, kind->classes)) dtype = TY_F32;
        int64_t shape[4], rank = test_between(1, 4), most[] = {1200, 60, 20, 9};
        for (int k = 0; k < rank; k++) shape[k] = test_between(test_between(0, 9) > 0, most[rank - 1]);
        ty_tensor *x = disguise(sample_shape(dtype, (int)rank, shape, kind->low, kind->high));
        CHECK_OK(x);
        struct scanning s = {kind, x, (int)test_between(-rank, rank - 1), {test_between(0, 1), false}};
        s.way.exclusive = kind->excludes && test_between(0, 1);
        int64_t n = ty_shape(x)[s.axis < 0 ? s.axis + rank : s.axis];
        if (kind->run == ty_cumprod && n > 40) s.x = ty_slice(x, s.axis, 0, 40, 1);
        compare_engines(scan_it, &s, rounding(dtype, n), 0, "%s of %s, case %d", kind->name,
                        ty_dtype_name(dtype), i);
        if (!dtype_is(dtype, CLASS_BOOL)) same_when_fused(&s);
        if (i % 4 == 0) same_for_threads(&s);
        test_round_end(round);
    }
}

/* Long scans are divided into parts; compared with sums in long double. */
static void long_scans(void) {
    static const int64_t shapes[][2] = {{1, 400000}, {400000, 1}, {200000, 3}, {3, 200001}, {700, 1100}};
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < (test_starving() ? 1 : 5); k++)
            for (int way = 0; way < (kinds[i].excludes ? 4 : 2); way++) {
                struct test_round round = test_round();
                ty_dtype dtype = k == 1 ? TY_I32 : k == 2 ? TY_F16 : TY_F32;
                if (!dtype_is(dtype, kinds[i].classes)) dtype = TY_F64;
                bool product = kinds[i].run == ty_cumprod && dtype != TY_I32;
                ty_tensor *x = sample_shape(dtype, 2, shapes[k], product ? 0.9999 : kinds[i].low,
                                            product ? 1.0001 : kinds[i].high);
                struct scanning s = {&kinds[i], x, k == 0 || k == 3, {way & 1, way & 2}};
                same_for_threads(&s);
                same_when_fused(&s);
                test_round_end(round);
            }
    int64_t n = 300000;
    double *values = test_room((size_t)n * sizeof *values);
    sample_fill(TY_F64, values, n, -1, 1);
    ty_tensor *sums = ty_cumsum(ty_from(TY_F64, 1, &n, values), 0, (ty_running){0});
    const double *got = ty_data(CHECK_OK(sums));
    long double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += values[i];
        CHECK(fabs((double)sum - got[i]) < 1e-11, "running sum %lld is %.17g and not %.17g", (long long)i,
              got[i], (double)sum);
    }
}

/* ---- known values ---- */

static void known_scans(void) {
    static const char *const engines[] = {"cpu", "ref"};
    static const ty_running plain = {false, false}, back = {true, false}, before = {false, true},
                            both = {true, true};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(5), (double[]){2, -1, 3, 3, 0.5});
        compare_numbers(ty_cumsum(x, 0, plain), NUMBERS(2, 1, 4, 7, 7.5), "cumsum");
        compare_numbers(ty_cumsum(x, -1, back), NUMBERS(7.5, 5.5, 6.5, 3.5, 0.5), "cumsum back");
        compare_numbers(ty_cumsum(x, 0, before), NUMBERS(0, 2, 1, 4, 7), "cumsum before");
        compare_numbers(ty_cumsum(x, 0, both), NUMBERS(5.5, 6.5, 3.5, 0.5, 0), "cumsum back before");
        compare_numbers(ty_cumprod(x, 0, before), NUMBERS(1, 2, -2, -6, -18), "cumprod before");
        compare_numbers(ty_cummax(x, 0, plain), NUMBERS(2, 2, 3, 3, 3), "cummax");
        compare_numbers(ty_cummax(x, 0, before), NUMBERS(-(double)INFINITY, 2, 2, 3, 3), "cummax before");
        compare_numbers(ty_cummin(x, 0, back), NUMBERS(-1, -1, 0.5, 0.5, 0.5), "cummin back");
        compare_numbers(ty_cumargmax(x, 0, plain), NUMBERS(0, 0, 2, 2, 2), "cumargmax");
        ty_tensor *b = ty_from(TY_F64, TY_SHAPE(3), (double[]){1, 0, 2}),
                  *a = ty_from(TY_F64, TY_SHAPE(1), (double[]){-0.5});
        compare_numbers(filter_record(x, b, a, 0, false), NUMBERS(2, 0, 7, 4.5, 8.75), "filter");
        compare_numbers(filter_record(x, b, a, 0, true), NUMBERS(11.90625, 7.8125, 5.625, 3.25, 0.5),
                        "filter back");
        compare_numbers(ty_cumargmax(x, 0, back), NUMBERS(3, 3, 3, 3, 4), "cumargmax back");
        compare_numbers(ty_cumargmin(x, 0, plain), NUMBERS(0, 1, 1, 1, 1), "cumargmin");
        compare_numbers(ty_linear_recurrence(x, ty_num(1), 0, false), NUMBERS(1, 0, 1, 4, 3), "recurrence");
        compare_numbers(ty_linear_recurrence(ty_num(2), x, 0, true), NUMBERS(44, 21, 11, 4, 0.5),
                        "recurrence back");
        ty_tensor *wrapping = ty_from(TY_I8, TY_SHAPE(3), (int8_t[]){100, 100, 100});
        compare_numbers(ty_cumsum(wrapping, 0, plain), NUMBERS(100, 200, 300), "small integers widen");
        compare_numbers(ty_cummin(wrapping, 0, before), NUMBERS(127, 100, 100), "the least of no i8");
    }
}

/* A filter of high order has so much state that a unit holds fewer columns than a small plane. */
static ty_tensor *filter_of_many(const void *context) {
    const struct scanning *s = context;
    ty_tensor *b = ty_cast(ty_linspace(TY_F64, 1, 0.25, 300), ty_dtype_of(s->x));
    return filter_record(s->x, b, ty_full(ty_dtype_of(s->x), TY_SHAPE(1), 0.5), s->axis, s->way.reverse);
}

static void high_orders(void) {
    static const ty_dtype dtypes[] = {TY_F16, TY_F32, TY_F64, TY_C64};
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 2; axis++) {
            struct scanning s = {.x = sample_shape(dtypes[i], 2, (int64_t[]){5, 100}, 0.2, 4), .axis = axis};
            compare_engines(filter_of_many, &s, rounding(dtypes[i], 100), 0, "filter of %s, axis %d",
                            ty_dtype_name(dtypes[i]), axis);
        }
}

static void scan_specials(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++)
        for (int n = 1; n < 70; n += 17)
            for (int reverse = 0; reverse < 2; reverse++) {
                struct test_round round = test_round();
                ty_use_engine(engines[e]);
                float *data = test_room((size_t)n * sizeof *data);
                for (int i = 0; i < n; i++) data[i] = (float)i;
                data[n / 2] = NAN;
                ty_tensor *x = ty_from(TY_F32, TY_SHAPE(n), data);
                ty_running way = {reverse, false};
                const float *most = ty_data(CHECK_OK(ty_cummax(x, 0, way))),
                            *least = ty_data(CHECK_OK(ty_cummin(x, 0, way)));
                const int64_t *place = ty_data(CHECK_OK(ty_cumargmax(x, 0, way)));
                for (int i = 0; i < n; i++) {
                    bool behind = reverse ? i <= n / 2 : i >= n / 2;
                    CHECK(!isnan(most[i]) == !behind && !isnan(least[i]) == !behind,
                          "%s: NaN at %d of %d shows at %d", engines[e], n / 2, n, i);
                    CHECK(!behind || place[i] == n / 2, "%s: cumargmax leaves the NaN", engines[e]);
                }
                test_round_end(round);
            }
    ty_use_engine("cpu");
    ty_tensor *zero = ty_full(TY_F32, TY_SHAPE(40), -0.0);
    const float *sums = ty_data(CHECK_OK(ty_cumsum(zero, 0, (ty_running){0})));
    for (int i = 0; i < 40; i++) CHECK(signbit(sums[i]), "the running sum of -0 is 0 at %d", i);
}

static void scan_shapes(void) {
    static const ty_running plain = {0};
    CHECK(ty_dtype_of(ty_cumsum(ty_ones(TY_BOOL, TY_SHAPE(2)), 0, plain)) == TY_I64, "bool sums are i64");
    CHECK(ty_dtype_of(ty_cumprod(ty_ones(TY_U8, TY_SHAPE(2)), 0, plain)) == TY_U64, "u8 products are u64");
    CHECK(ty_dtype_of(ty_cumsum(ty_ones(TY_F16, TY_SHAPE(2)), 0, plain)) == TY_F16, "f16 sums are f16");
    CHECK(ty_dtype_of(ty_cummax(ty_ones(TY_I16, TY_SHAPE(2)), 0, plain)) == TY_I16,
          "extremes keep their dtype");
    CHECK(ty_dtype_of(ty_cumargmin(ty_ones(TY_F32, TY_SHAPE(2)), 0, plain)) == TY_I64, "places are i64");
    ty_tensor *wide = CHECK_OK(
        ty_linear_recurrence(ty_ones(TY_F32, TY_SHAPE(3, 1)), ty_ones(TY_F64, TY_SHAPE(4)), 1, false));
    CHECK(ty_rank(wide) == 2 && ty_size(wide) == 12 && ty_dtype_of(wide) == TY_F64,
          "operands broadcast and meet");
    for (int i = 0; i < KINDS; i++)
        for (int axis = 0; axis < 2; axis++)
            CHECK(ty_size(CHECK_OK(kinds[i].run(ty_zeros(TY_F32, TY_SHAPE(0, 3)), axis, plain))) == 0,
                  "%s of nothing", kinds[i].name);
}

static void scan_errors(void) {
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(2, 3));
    CHECK_POISON(ty_cumsum(x, 2, (ty_running){0}), "axis 2 is out of bounds; expected -2..1");
    CHECK_POISON(ty_cumsum(ty_num(1), 0, (ty_running){0}), "0-d");
    CHECK_POISON(ty_cummax(ty_ones(TY_C64, TY_SHAPE(2)), 0, (ty_running){0}),
                 "complex numbers have no order");
    CHECK_POISON(ty_cumargmax(x, 0, (ty_running){.exclusive = true}), "do not use exclusive");
    CHECK_POISON(ty_linear_recurrence(x, ty_ones(TY_F32, TY_SHAPE(4)), 0, false), "do not broadcast");
    CHECK_POISON(ty_linear_recurrence(x, ty_cumsum(x, 5, (ty_running){0}), 0, false), "axis 5");
}

/* ---- gradients ---- */

typedef ty_tensor *(*function)(ty_tensor *x);
#define FUNCTION(name, expression)                                                                           \
    static ty_tensor *name(ty_tensor *x) { return expression; }
FUNCTION(product_rows, ty_cumprod(x, 1, (ty_running){0}))
FUNCTION(greatest, ty_cummax(x, 0, (ty_running){0}))

static ty_tensor *gradient_of(function f, ty_tensor *x) {
    ty_tensor *leaf = ty_track(x, "x"), *gradient;
    CHECK(ty_grad(f(leaf), 1, &leaf, &gradient), "no gradient: %s", ty_error(gradient));
    return gradient;
}

/* Gradients that differences cannot test: zeros in products, ties of extremes. */
static void scan_gradients(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){2, 0, 3, 0, 5, 0});
    compare_numbers(gradient_of(product_rows, x), NUMBERS(1, 8, 0, 6, 0, 0), "cumprod with zeros");
    ty_tensor *ties = ty_from(TY_F64, TY_SHAPE(5), (double[]){1, 3, 3, 2, 4});
    compare_numbers(gradient_of(greatest, ties), NUMBERS(1, 3, 0, 0, 1), "cummax with ties");
}

/* ---- composites ---- */

static void along_composites(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){1, 4, 9, 16, 25, 36});
    compare_numbers(ty_diff(x, 1, -1, NULL, NULL), NUMBERS(3, 5, 9, 11), "diff");
    compare_numbers(ty_diff(x, 2, 1, NULL, NULL), NUMBERS(2, 2), "diff twice");
    compare_numbers(ty_diff(x, 1, 0, ty_num(0), NULL), NUMBERS(1, 4, 9, 15, 21, 27), "diff of a prepended 0");
    compare_numbers(ty_diff(ty_gt(x, ty_num(5)), 1, 1, NULL, NULL), NUMBERS(0, 1, 0, 0), "diff of bools");
    CHECK(ty_size(CHECK_OK(ty_diff(x, 5, 1, NULL, NULL))) == 0, "more differences than elements");
    compare_numbers(ty_ediff1d(x, NULL, ty_num(7)), NUMBERS(3, 5, 7, 9, 11, 7), "ediff1d");
    compare_numbers(ty_trapezoid(x, NULL, 2, -1), NUMBERS(18, 102), "trapezoid");
    ty_tensor *at = ty_from(TY_F64, TY_SHAPE(3), (double[]){0, 1, 3});
    compare_numbers(ty_trapezoid(x, at, 1, 1), NUMBERS(15.5, 81.5), "trapezoid at points");
    compare_numbers(ty_central_difference(x, 0.5, 1), NUMBERS(6, 8, 10, 18, 20, 22), "central_difference");
    double inf = (double)INFINITY, numbers[] = {-inf, -inf, 0, 1000, -inf};
    ty_tensor *sums = ty_logcumsumexp(ty_from(TY_F64, TY_SHAPE(5), numbers), 0);
    compare_numbers(sums, NUMBERS(-inf, -inf, 0, 1000, 1000), "logcumsumexp");
    ty_tensor *plain = sample_shape(TY_F64, TY_SHAPE(4, 50), -3, 3);
    compare_near(ty_logcumsumexp(plain, 1), ty_log(ty_cumsum(ty_exp(plain), 1, (ty_running){0})), 1e-13,
                 1e-13, "logcumsumexp of small numbers");
    CHECK_POISON(ty_diff(x, -1, 0, NULL, NULL), "-1");
    CHECK_POISON(ty_diff(x, 1, 4, NULL, NULL), "axis 4");
    CHECK_POISON(ty_trapezoid(x, NULL, 1, 3), "axis 3");
    CHECK_POISON(ty_central_difference(ty_ones(TY_F64, TY_SHAPE(1)), 1, 0), "two");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/reduce/scan.def"
};
TESTS_MAIN_TABLE(cases)
