/*
 * Reductions, pooling and related functions on random shapes and views: the cpu engine on every instruction set against
 * the reference. Bits are the same for any number of threads and for fused and separate sums.
 */
#include <math.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- random operands ---- */

/* Return the same elements with other strides: a slice, a flip, a broadcast, or permuted axes. */
static ty_tensor *disguise(ty_tensor *x) {
    for (int round = 0; round < 3 && ty_rank(x) > 0; round++) {
        int axis = (int)test_between(0, ty_rank(x) - 1);
        int order[TY_MAX_RANK];
        for (int i = 0; i < ty_rank(x); i++) order[i] = (i + axis) % ty_rank(x);
        switch (test_between(0, 4)) {
        case 0:
            x = ty_permute(x, order);
            break;
        case 1:
            x = ty_slice(x, axis, test_between(0, 1), TY_END, test_between(1, 2));
            break;
        case 2:
            x = ty_flip(x, axis);
            break;
        default:
            break;
        }
    }
    return x;
}

static ty_tensor *random_operand(ty_dtype dtype, int rank, int64_t most, double low, double high) {
    int64_t shape[8];
    for (int i = 0; i < rank; i++)
        shape[i] = test_between(0, 40) == 0 ? 0 : test_between(1, test_between(0, 3) ? 5 : most);
    return disguise(sample_shape(dtype, rank, shape, low, high));
}

/* Check that bits are the same with 1, 2, 3 and 8 threads. */
static void same_for_threads(ty_tensor *(*compute)(const void *context), const void *context,
                             const char *what) {
    ty_set_threads(1);
    ty_tensor *want = compute(context);
    static const int counts[] = {2, 3, 8};
    for (int i = 0; i < 3; i++) {
        ty_set_threads(counts[i]);
        compare_bits(compute(context), want, "%s, %d threads", what, counts[i]);
    }
    ty_set_threads(0);
}

/* ---- reductions ---- */

struct reducing {
    ty_tensor *(*run)(ty_tensor *x, ty_axes axes);
    ty_tensor *x;
    ty_axes axes;
};

static ty_tensor *reduce_it(const void *context) {
    const struct reducing *r = context;
    return r->run(r->x, r->axes);
}

static const struct {
    const char *name;
    ty_tensor *(*run)(ty_tensor *x, ty_axes axes);
    bool ordered;
    double low, high;
} kinds[] = {
    {"sum", ty_sum, false, 0.5, 4}, {"prod", ty_prod, false, 0.97, 1.03}, {"amax", ty_amax, true, -9, 9},
    {"amin", ty_amin, true, -9, 9}, {"argmax", ty_argmax, true, -3, 3},   {"argmin", ty_argmin, true, -3, 3},
    {"any", ty_any, false, 0, 1},   {"all", ty_all, false, 0, 3},
};

static bool some_axis_empty(ty_tensor *x) { return ty_size(x) == 0; }

static void random_reductions(void) {
    for (int i = 0; i < 600; i++) {
        struct test_round round = test_round();
        int kind = (int)test_between(0, 7);
        ty_dtype dtype = (ty_dtype)test_between(0, TY_DTYPES - 1);
        if (kinds[kind].ordered && dtype_is(dtype, CLASS_COMPLEX)) dtype = TY_F32;
        ty_tensor *x = random_operand(dtype, (int)test_between(0, 5), 40, kinds[kind].low, kinds[kind].high);
        if (kinds[kind].ordered && some_axis_empty(x)) x = ty_zeros(dtype, TY_SHAPE(2, 3));
        struct reducing r = {kinds[kind].run, x, {test_random(), 0, test_between(0, 1)}};
        if (ty_rank(x) < 64) r.axes.mask &= ((uint64_t)1 << ty_rank(x)) - 1;
        compare_engines(reduce_it, &r, relative_ulp(dtype) * (8 + sqrt((double)ty_size(x))), 0,
                        "%s of %s, case %d", kinds[kind].name, ty_dtype_name(dtype), i);
        if (i % 4 == 0) same_for_threads(reduce_it, &r, kinds[kind].name);
        test_round_end(round);
    }
}

/* Long reductions are divided into parts, along rows and down columns. */
static void threads_share_long_reductions(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_BF16, TY_C64};
    static const int64_t shapes[][2] = {{3, 200003}, {200003, 3}, {700, 701}, {1, 300001}, {40001, 16}};
    for (int d = 0; d < 5; d++)
        for (int s = 0; s < 5; s++)
            for (int kind = 0; kind < 8; kind += 1 + (kind == 0)) {
                struct test_round round = test_round();
                if (kinds[kind].ordered && dtypes[d] == TY_C64) {
                    test_round_end(round);
                    continue;
                }
                ty_tensor *x = sample_shape(dtypes[d], 2, shapes[s], -1, 1);
                for (int axes = 1; axes <= 3; axes++) {
                    struct reducing r = {kinds[kind].run, x, {(uint64_t)axes, 0, false}};
                    same_for_threads(reduce_it, &r, kinds[kind].name);
                }
                test_round_end(round);
            }
}

/* A sum has the same bits if its operand is stored first or computed on the fly, in any layout. */
static void fused_sums(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_F16, TY_C64};
    for (int i = 0; i < 120; i++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[i % 4];
        ty_tensor *x = random_operand(dtype, (int)test_between(1, 4), 60, -1, 1);
        ty_axes axes = {test_random() & (((uint64_t)1 << ty_rank(x)) - 1), 0, false};
        ty_tensor *eager = ty_sum(ty_mul(x, x), axes);
        ty_tensor *lazy = ty_lazy(x);
        compare_bits(ty_eval(ty_sum(ty_mul(lazy, lazy), axes)), eager, "case %d", i);
        compare_bits(ty_sum(ty_contiguous(x), axes), ty_sum(x, axes), "dense, case %d", i);
        test_round_end(round);
    }
}

/* A sum of one million times 0.1 is accurate: rounding error grows with the logarithm of the length. */
static void sums_are_accurate(void) {
    ty_tensor *x = ty_full(TY_F32, TY_SHAPE(1000, 1000), 0.1);
    double want = 1e6 * (double)0.1F;
    CHECK(fabs(ty_item(ty_sum(x, TY_ALL)) - want) <= 1e-6 * want, "along rows: %.9g",
          ty_item(ty_sum(x, TY_ALL)));
    ty_tensor *down = ty_sum(ty_reshape(x, TY_SHAPE(500000, 2)), ty_axis(0));
    CHECK(fabs(ty_item(ty_slice(down, 0, 0, 1, 1)) - want / 2) <= 1e-6 * want, "down columns");
    CHECK(isinf(ty_item(ty_sum(ty_full(TY_F16, TY_SHAPE(70000), 1), TY_ALL))), "f16 does not reach 70000");
    CHECK(ty_item(ty_mean(ty_full(TY_F16, TY_SHAPE(4096), 3), TY_ALL)) == 3, "a mean in f16");
}

/* NaN, infinities and zeros of both signs at borders of lanes and tiles. */
static void specials_anywhere(void) {
    static const int64_t places[] = {0, 1, 15, 16, 511, 512, 1023, 1024, 2999};
    for (int i = 0; i < 9; i++) {
        struct test_round round = test_round();
        float *data = test_room(3000 * sizeof *data);
        for (int k = 0; k < 3000; k++) data[k] = k % 7 ? -(float)(k % 50) : -INFINITY;
        data[places[i]] = NAN;
        ty_tensor *x = ty_from(TY_F32, TY_SHAPE(3000), data);
        CHECK(isnan(ty_item(ty_amax(x, TY_ALL))) && isnan(ty_item(ty_amin(x, TY_ALL))), "NaN at %d",
              (int)places[i]);
        CHECK(ty_item(ty_argmax(x, TY_ALL)) == (double)places[i], "argmax");
        CHECK(ty_item(ty_argmin(x, TY_ALL)) == (double)places[i], "argmin");
        CHECK(isnan(ty_item(ty_sum(x, TY_ALL))), "sum");
        CHECK(ty_item(ty_all(x, TY_ALL)) == 0, "one element in fifty is 0");
        ty_tensor *columns = ty_argmax(ty_broadcast(ty_expand(x, 1), TY_SHAPE(3000, 33)), ty_axis(0));
        compare_bits(columns, ty_full(TY_I64, TY_SHAPE(33), (double)places[i]), "columns");
        test_round_end(round);
    }
}

static void empty_ones(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(3, 0, 4));
    compare_numbers(ty_sum(x, ty_axis(1)), NUMBERS(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "sum");
    compare_numbers(ty_prod(x, TY_ALL), NUMBERS(1), "prod");
    compare_numbers(ty_all(x, TY_ALL), NUMBERS(1), "all");
    compare_numbers(ty_any(x, TY_ALL), NUMBERS(0), "any");
    CHECK(!signbit(ty_item(ty_sum(x, TY_ALL))), "the empty sum is 0, not -0");
    CHECK(ty_size(ty_sum(x, ty_axis(0))) == 0, "no results");
    CHECK(ty_size(ty_amax(x, ty_axis(0))) == 0, "no results of an extreme either");
}

/* ---- pooling ---- */

struct pooling {
    ty_tensor *x;
    ty_pool options;
    int what; /* 0 the maximum, 1 its index, 2 the gradient, 3 the gradient of the gradient's sum */
};

static ty_tensor *pool_it(const void *context) {
    const struct pooling *p = context;
    if (p->what == 1) return ty_max_pool2d_index(p->x, p->options);
    if (p->what == 0) return ty_max_pool2d(p->x, p->options);
    ty_tensor *x = ty_track(p->x, "x"), *first, *second;
    ty_tensor *y = ty_max_pool2d(x, p->options);
    if (!ty_grad(ty_mul(y, ty_mul(y, y)), 1, &x, &first) || p->what == 2) return first;
    ty_grad(ty_mul(first, x), 1, &x, &second);
    return second;
}

static struct pooling random_pooling(ty_dtype dtype) {
    struct pooling p = {.options = {.nchw = test_between(0, 1)}};
    int64_t shape[4];
    for (int i = 0; i < 4; i++) shape[i] = test_between(1, test_between(0, 3) ? 6 : 30);
    for (int k = 0; k < 2; k++) {
        p.options.size[k] = test_between(1, 4);
        p.options.stride[k] = test_between(0, 3);
        p.options.low[k] = test_between(0, p.options.size[k] - 1);
        p.options.high[k] = test_between(0, p.options.size[k] - 1);
        int64_t *n = &shape[(p.options.nchw ? 2 : 1) + k],
                least = p.options.size[k] - p.options.low[k] - p.options.high[k];
        if (*n < least) *n = least;
    }
    p.x = sample_shape(dtype, 4, shape, -9, dtype_is(dtype, CLASS_UNSIGNED | CLASS_BOOL) ? 9 : 0);
    int order[4] = {0, 1, 2, 3};
    if (test_between(0, 1)) { /* the same shape over transposed memory */
        int64_t turned[4] = {shape[3], shape[2], shape[1], shape[0]};
        for (int i = 0; i < 4; i++) order[i] = 3 - i;
        p.x = ty_permute(sample_shape(dtype, 4, turned, -9, 0), order);
    }
    return p;
}

static void random_pools(void) {
    for (int i = 0; i < 300; i++) {
        struct test_round round = test_round();
        ty_dtype dtype = (ty_dtype)test_between(0, TY_F64);
        struct pooling p = random_pooling(dtype);
        p.what = (int)test_between(0, dtype_is(dtype, CLASS_FLOAT) ? 3 : 1);
        compare_engines(pool_it, &p, 16 * relative_ulp(dtype), 0, "pool of %s, case %d, what %d",
                        ty_dtype_name(dtype), i, p.what);
        if (i % 3 == 0) same_for_threads(pool_it, &p, "pool");
        test_round_end(round);
    }
}

/* NaN is the maximum, and the first NaN its index; a window of -infinity only has an index inside x. */
static void pool_specials(void) {
    float data[25];
    for (int i = 0; i < 25; i++) data[i] = -INFINITY;
    ty_pool options = {.size = {3, 3}, .stride = {2, 2}, .low = {1, 1}, .high = {1, 1}, .nchw = true};
    ty_tensor *x = ty_from(TY_F32, TY_SHAPE(1, 1, 5, 5), data);
    compare_numbers(ty_max_pool2d_index(x, options), NUMBERS(0, 1, 3, 5, 6, 8, 15, 16, 18),
                    "places of -infinity");
    data[7] = data[8] = NAN;
    x = ty_from(TY_F32, TY_SHAPE(1, 1, 5, 5), data);
    compare_numbers(ty_max_pool2d_index(x, options), NUMBERS(0, 7, 8, 5, 7, 8, 15, 16, 18), "places of NaN");
    ty_tensor *most = ty_max_pool2d(x, options);
    const float *y = ty_data(most);
    CHECK(y && isnan(y[1]) && isnan(y[2]) && isnan(y[4]) && isnan(y[5]) && isinf(y[0]) && isinf(y[8]),
          "NaN wins");
    options.nchw = false;
    ty_tensor *channels = ty_permute(ty_reshape(x, TY_SHAPE(1, 1, 5, 5)), (int[]){0, 2, 3, 1});
    compare_numbers(ty_max_pool2d_index(channels, options), NUMBERS(0, 7, 8, 5, 7, 8, 15, 16, 18), "NHWC");
}

/* A fused sum with every kind of broadcast operand, also in rows longer than a tile. */
static void pool_with_epilogue(void) {
    static const int64_t widths[] = {5, 56, 2500};
    for (int i = 0; i < 48; i++) {
        struct test_round round = test_round();
        ty_dtype dtype = i % 3 == 0 ? TY_F64 : i % 3 == 1 ? TY_I32 : TY_F16;
        ty_pool options = {.size = {2, 3}, .stride = {1, 2}, .low = {0, 1}, .high = {0, 1}, .nchw = true};
        ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 3, 4, widths[i / 16]}, -50, -10);
        ty_tensor *y = CHECK_OK(ty_max_pool2d(x, options));
        int64_t shape[4];
        for (int k = 0; k < 4; k++) shape[k] = i >> k & 1 ? ty_shape(y)[k] : 1;
        ty_tensor *b = sample_shape(dtype, 4, shape, 0, 5);
        ty_tensor *lazy = ty_eval(ty_add(ty_max_pool2d(ty_lazy(x), options), b));
        compare_bits(lazy, ty_add(y, b), "width %d, case %d", (int)widths[i / 16], i);
        test_round_end(round);
    }
}

/* ---- epilogues of other operators: fused results have the bits of separate ones ---- */

static ty_tensor *source(int which, ty_tensor *x, ty_tensor *index) {
    ty_padding padding[2] = {{1, 2, 0}, {2, -1, 1}};
    switch (which) {
    case 0:
        return ty_pad(x, padding, ty_num(3));
    case 1:
        return ty_concat(2, (ty_tensor *[]){x, ty_flip(x, 0)}, 1);
    case 2:
        return ty_gather(x, index, 0);
    case 3:
        return ty_gather(x, index, 1);
    case 4:
        return ty_scatter_add(ty_gather(x, index, 0), index, 0, 5);
    case 5:
        return ty_sum(x, ty_axis(0));
    default:
        return ty_argmax(x, ty_axis(1));
    }
}

static void any_kind_with_epilogue(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F16, TY_I16, TY_C64, TY_F64};
    for (int which = 0; which < 7; which++)
        for (int d = 0; d < 5; d++) {
            struct test_round round = test_round();
            if (which < 6 || dtypes[d] != TY_C64) {
                ty_tensor *x = sample_shape(dtypes[d], 2, (int64_t[]){5, 1300}, -4, 4);
                ty_tensor *index = ty_from(TY_I32, TY_SHAPE(7), (int32_t[]){4, 0, -1, 2, 2, 3, -5});
                ty_tensor *eager = CHECK_OK(source(which, x, index)),
                          *lazy = source(which, ty_lazy(x), index);
                ty_tensor *b =
                    ty_cast(ty_iota(TY_I64, 1, ty_shape(eager) + ty_rank(eager) - 1, 0), ty_dtype_of(eager));
                compare_bits(ty_eval(ty_add(ty_mul(lazy, lazy), b)), ty_add(ty_mul(eager, eager), b),
                             "kind %d of %s", which, ty_dtype_name(dtypes[d]));
            }
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(random_reductions), TEST(threads_share_long_reductions), TEST(fused_sums),
           TEST(sums_are_accurate), TEST(specials_anywhere), TEST(empty_ones), TEST(random_pools),
           TEST(pool_specials), TEST(pool_with_epilogue), TEST(any_kind_with_epilogue))
