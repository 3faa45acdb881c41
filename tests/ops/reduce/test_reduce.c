/*
 * Reductions: every kind, set of axes, dtype and layout on the cpu engine against the reference, and both against
 * values written here.
 */
#include <math.h>

#include "base/alloc.h"
#include "engine/cpu/cpu.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const struct reduction {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x, ty_axes axes);
    int classes;      /* classes of dtypes that it supports */
    double low, high; /* range of operands: products stay small, sums do not cancel */
} reductions[] = {
    {"sum", ty_sum, ~0, 0.2, 4},
    {"prod", ty_prod, ~0, 0.6, 1.5},
    {"amax", ty_amax, ~CLASS_COMPLEX, -4, 4},
    {"amin", ty_amin, ~CLASS_COMPLEX, -4, 4},
    {"argmax", ty_argmax, ~CLASS_COMPLEX, -4, 4},
    {"argmin", ty_argmin, ~CLASS_COMPLEX, -4, 4},
    {"any", ty_any, ~0, -1, 1},
    {"all", ty_all, ~0, -1, 1},
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

struct reducing {
    const struct reduction *reduction;
    ty_tensor *x;
    ty_axes axes;
};

static ty_tensor *reduce_it(const void *context) {
    const struct reducing *r = context;
    return r->reduction->run(r->x, r->axes);
}

static void check_axes(const struct reduction *reduction, ty_tensor *x, const char *layout) {
    const ty_axes sets[] = {TY_ALL, {0, 0, false}, {1, 0, false}, {0, 1, false}, {1, 1, true}, {2, 0, true}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (ty_rank(x) == 0 && i > 0) return;
        if (ty_rank(x) == 1 && i == 5) continue;
        struct test_round round = test_round();
        struct reducing r = {reduction, x, sets[i]};
        double relative = relative_ulp(ty_dtype_of(x)) * (1 + sqrt((double)ty_size(x)));
        compare_engines(reduce_it, &r, relative, 0, "%s of %s %s, axes %llx/%llx%s", reduction->name,
                        ty_dtype_name(ty_dtype_of(x)), layout, (unsigned long long)sets[i].mask & 0xFF,
                        (unsigned long long)sets[i].last, sets[i].keep ? " keep" : "");
        test_round_end(round);
    }
}

static void every_reduction(void) {
    for (int i = 0; i < REDUCTIONS; i++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            for (int layout = 0; layout < LAYOUT_EMPTY; layout++) {
                if (!dtype_is((ty_dtype)dtype, reductions[i].classes)) continue;
                struct test_round round = test_round();
                ty_tensor *x = sample((ty_dtype)dtype, (enum sample_layout)layout, reductions[i].low,
                                      reductions[i].high);
                check_axes(&reductions[i], x, sample_layout_name((enum sample_layout)layout));
                test_round_end(round);
            }
}

/* Reductions of more than one tile and one vector, along either axis, contiguous or not. */
static void long_reductions(void) {
    static const ty_dtype dtypes[] = {TY_BOOL, TY_U8, TY_I32, TY_I64, TY_F16, TY_F32, TY_F64, TY_C64};
    static const int64_t shapes[][2] = {{1, 3001}, {3, 1030}, {1030, 3}, {65, 67}};
    for (int i = 0; i < REDUCTIONS; i++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int s = 0; s < 4; s++) {
                if (!dtype_is(dtypes[d], reductions[i].classes)) continue;
                struct test_round round = test_round();
                bool small = reductions[i].run == ty_prod; /* products of thousands would overflow */
                ty_tensor *x = sample_shape(dtypes[d], 2, shapes[s], small ? 0.99 : reductions[i].low,
                                            small ? 1.01 : reductions[i].high);
                const ty_axes sets[] = {TY_ALL, {1, 0, false}, {2, 0, true}};
                for (int k = 0; k < 6; k++) {
                    struct reducing r = {&reductions[i], k < 3 ? x : ty_transpose(x), sets[k % 3]};
                    double relative = relative_ulp(dtypes[d]) * 64;
                    compare_engines(reduce_it, &r, relative, 0, "%s of %s[%lld,%lld], case %d",
                                    reductions[i].name, ty_dtype_name(dtypes[d]), (long long)shapes[s][0],
                                    (long long)shapes[s][1], k);
                }
                test_round_end(round);
            }
}

/* Every subset of the axes of a four-dimensional view. */
static void many_axes(void) {
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(4, 3, 5, 2), -4, 4);
    ty_tensor *views[] = {x, ty_permute(x, (int[]){2, 0, 3, 1}), ty_slice(ty_flip(x, 2), 0, 3, TY_END, -2),
                          ty_broadcast(ty_slice(x, 1, 0, 1, 1), TY_SHAPE(4, 6, 5, 2))};
    static const int chosen[] = {0, 2, 5};
    for (int v = 0; v < 4; v++)
        for (uint64_t mask = 0; mask < 16; mask++)
            for (int i = 0; i < 3; i++) {
                struct test_round round = test_round();
                struct reducing r = {&reductions[chosen[i]], views[v], {mask, 0, mask % 2 == 1}};
                compare_engines(reduce_it, &r, 1e-14, 1e-14, "%s, view %d, axes %llx",
                                reductions[chosen[i]].name, v, (unsigned long long)mask);
                test_round_end(round);
            }
}

static void known_reductions(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        ty_tensor *x = ty_from(TY_F32, TY_SHAPE(2, 3), (float[]){3, -1, 2, 5, 5, -7});
        compare_numbers(ty_sum(x, TY_ALL), NUMBERS(7), "sum");
        compare_numbers(ty_sum(x, ty_axis(0)), NUMBERS(8, 4, -5), "sum over rows");
        compare_numbers(ty_sum(x, ty_axis(-1)), NUMBERS(4, 3), "sum over columns");
        compare_numbers(ty_prod(x, ty_axis(1)), NUMBERS(-6, -175), "product");
        compare_numbers(ty_amax(x, ty_axis(1)), NUMBERS(3, 5), "maximum");
        compare_numbers(ty_amin(x, ty_axis(0)), NUMBERS(3, -1, -7), "minimum");
        compare_numbers(ty_argmax(x, TY_ALL), NUMBERS(3), "first of the greatest, row-major");
        compare_numbers(ty_argmin(x, ty_axis(1)), NUMBERS(1, 2), "place of the least");
        compare_numbers(ty_any(ty_gt(x, ty_num(4)), ty_axis(1)), NUMBERS(0, 1), "any");
        compare_numbers(ty_all(ty_gt(x, ty_num(-2)), ty_axis(1)), NUMBERS(1, 0), "all");
        ty_tensor *kept = ty_sum(x, ty_axes_of(2, (int[]){0, -1}, true));
        CHECK(ty_rank(kept) == 2 && ty_shape(kept)[0] == 1 && ty_shape(kept)[1] == 1,
              "kept axes have size 1");
        ty_tensor *bytes = ty_full(TY_U8, TY_SHAPE(3), 200);
        CHECK(ty_dtype_of(ty_sum(bytes, TY_ALL)) == TY_U64, "the sum of u8 is u64");
        compare_numbers(ty_sum(bytes, TY_ALL), NUMBERS(600), "the sum of bytes does not wrap");
        compare_numbers(ty_sum(ty_gt(x, ty_num(0)), TY_ALL), NUMBERS(4), "the sum of bools counts");
    }
}

static void nan_wins(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++)
        for (int n = 2; n < 70; n += 13) {
            struct test_round round = test_round();
            ty_use_engine(engines[e]);
            float *data = test_room((size_t)n * sizeof *data);
            for (int i = 0; i < n; i++) data[i] = (float)i;
            data[n / 2] = NAN;
            ty_tensor *x = ty_from(TY_F32, TY_SHAPE(n), data);
            CHECK(isnan(ty_item(ty_amax(x, TY_ALL))), "%s: the maximum of %d with a NaN is a number",
                  engines[e], n);
            CHECK(isnan(ty_item(ty_amin(x, TY_ALL))), "%s: the minimum of %d with a NaN is a number",
                  engines[e], n);
            CHECK((int)ty_item(ty_argmax(x, TY_ALL)) == n / 2, "%s: argmax of %d is not at the NaN",
                  engines[e], n);
            CHECK((int)ty_item(ty_argmin(x, TY_ALL)) == n / 2, "%s: argmin of %d is not at the NaN",
                  engines[e], n);
            test_round_end(round);
        }
}

static void empty_reductions(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(3, 0));
    compare_numbers(ty_sum(x, ty_axis(1)), NUMBERS(0, 0, 0), "empty sum");
    compare_numbers(ty_prod(x, ty_axis(1)), NUMBERS(1, 1, 1), "empty product");
    compare_numbers(ty_any(x, ty_axis(1)), NUMBERS(0, 0, 0), "empty any");
    compare_numbers(ty_all(x, TY_ALL), NUMBERS(1), "empty all");
    ty_tensor *rows = CHECK_OK(ty_sum(x, ty_axis(0)));
    CHECK(ty_rank(rows) == 1 && ty_size(rows) == 0, "the sum over the other axis is empty");
    CHECK_POISON(ty_amax(x, ty_axis(1)), "empty");
    CHECK_OK(ty_amax(x, ty_axis(0)));
}

/* mean, variance and logsumexp agree with their definitions. */
static void moments(void) {
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(7, 11), -3, 3);
    double data[77], mean = 0, variance = 0, exponentials = 0;
    CHECK(ty_read(x, TY_F64, data), "a value must be readable");
    for (int i = 0; i < 77; i++) mean += data[i] / 77;
    for (int i = 0; i < 77; i++) {
        variance += (data[i] - mean) * (data[i] - mean) / 77;
        exponentials += exp(data[i]);
    }
    compare_near(ty_mean(x, TY_ALL), ty_scalar(TY_F64, mean), 1e-13, 1e-14, "mean");
    compare_near(ty_variance(x, TY_ALL), ty_scalar(TY_F64, variance), 1e-13, 0, "variance");
    compare_near(ty_logsumexp(x, TY_ALL), ty_scalar(TY_F64, log(exponentials)), 1e-13, 0, "logsumexp");
    ty_tensor *large = ty_from(TY_F32, TY_SHAPE(2), (float[]){1000, 1000});
    compare_near(ty_logsumexp(large, TY_ALL), ty_scalar(TY_F32, 1000 + log(2)), 1e-6, 0,
                 "logsumexp of large numbers");
    compare_numbers(ty_mean(ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){1, 2}), TY_ALL), NUMBERS(1.5),
                    "mean of integers");
    ty_tensor *lowest = ty_full(TY_F64, TY_SHAPE(3), -(double)INFINITY);
    CHECK(isinf(ty_item(ty_logsumexp(lowest, TY_ALL))), "logsumexp of minus infinities is minus infinity");
}

static void reduction_errors(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 3));
    CHECK_POISON(ty_sum(x, ty_axis(2)), "f32[2,3]");
    CHECK_POISON(ty_sum(x, ty_axis(-3)), "-3");
    CHECK(ty_item(ty_argmax(ty_from(TY_C64, TY_SHAPE(2), (void *)(float[]){0, 3, 2, 0}), TY_ALL)) == 0,
          "3i is larger than 2");
    CHECK_POISON(ty_argmax(ty_sum(x, ty_axis(7)), TY_ALL), "7");
}

/* Reductions have the same bits for any number of threads. */
static void reduction_widths(void) {
    static const int widths[] = {1, 2, 3, 8}, chosen[] = {0, 1, 2, 4};
    for (int i = 0; i < 4; i++)
        for (int transposed = 0; transposed < 2; transposed++)
            for (uint64_t mask = 1; mask < 4; mask++) {
                struct test_round round = test_round();
                ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(301, 1103), 0.9, 1.1), *first = NULL;
                for (int w = 0; w < 4; w++) {
                    ty_set_threads(widths[w]);
                    ty_tensor *y = reductions[chosen[i]].run(transposed ? ty_transpose(x) : x,
                                                             (ty_axes){mask, 0, false});
                    first = first ? first : y;
                    compare_bits(y, first, "%s, axes %llx, %d threads", reductions[chosen[i]].name,
                                 (unsigned long long)mask, widths[w]);
                }
                test_round_end(round);
            }
}

/* Tiles smaller than the blocks of sums change neither errors at the ends nor bits. */
static void small_tiles(void) {
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64, TY_C64, TY_C128, TY_I8, TY_U64};
    static const int64_t lengths[] = {63, 64, 65, 304, 512, 513, 1000, 4097}, tiles[] = {64, 128, 192};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++)
            for (int r = 0; r < REDUCTIONS; r++) {
                struct test_round round = test_round();
                if (dtype_is(dtypes[d], reductions[r].classes)) {
                    ty_tensor *x = sample_shape(dtypes[d], TY_SHAPE(3, lengths[n]), reductions[r].low,
                                                reductions[r].high);
                    ty_tensor *want = CHECK_OK(reductions[r].run(x, ty_axis(1)));
                    for (int t = 0; t < 3; t++) {
                        cpu_force(tiles[t], 0);
                        ty_trim(); /* kernels keep their tile sizes */
                        compare_bits(reductions[r].run(x, ty_axis(1)), want,
                                     "%s of %s[3,%lld], tiles of %lld", reductions[r].name,
                                     ty_dtype_name(dtypes[d]), (long long)lengths[n], (long long)tiles[t]);
                    }
                    cpu_force(0, 0);
                    ty_trim();
                }
                test_round_end(round);
            }
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/reduce/reduce.def"
};
TESTS_MAIN_TABLE(cases)
