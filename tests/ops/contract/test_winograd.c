/* Winograd's convolution against the loops that define convolutions; where it does not apply, against the
   plain algorithm. */
#include <math.h>
#include "array/dtype.h"
#include "tests/support/compare.h"
#include "tests/support/naive/conv_naive.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* Return a case to which Winograd applies: 1 to 3 axes, kernels of 3, any padding, groups and layout. */
static struct conv_case applicable(ty_dtype dtype, int tile) {
    struct conv_case c = {.n = (int)test_between(1, 3)};
    ty_conv *o = &c.options;
    int64_t x[5], w[5], largest = c.n == 3 ? 6 : 11;
    int64_t groups = test_between(0, 2) ? 1 : test_between(2, 3), in = test_between(1, 4),
            out = test_between(1, 4);
    o->winograd = tile;
    o->nchw = test_between(0, 1);
    o->groups = groups;
    x[0] = test_between(1, 2);
    x[o->nchw ? 1 : c.n + 1] = in * groups;
    w[o->nchw ? 1 : c.n] = in;
    w[o->nchw ? 0 : c.n + 1] = out * groups;
    for (int i = 0; i < c.n; i++) {
        o->low[i] = test_between(-1, 2);
        o->high[i] = test_between(-1, 2);
        int64_t n = test_between(1, largest), least = 3 - o->low[i] - o->high[i];
        x[(o->nchw ? 2 : 1) + i] = n < least ? least : n;
        w[o->nchw ? 2 + i : i] = 3;
    }
    c.x = CHECK_OK(sample_shape(dtype, c.n + 2, x, -1, 1));
    c.w = CHECK_OK(sample_shape(dtype, c.n + 2, w, -1, 1));
    return c;
}

/* Return the error bound: rows of the three transforms sum to at most 10, 1 and 19 per axis with tiles of
   4; rounding grows less. */
static double absolute_of(const struct conv_case *c, ty_dtype dtype) {
    return 16 * pow(6, c->n) * sqrt((double)conv_terms(c)) * relative_ulp(dtype);
}

static void winograd_values(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_C64, TY_C128};
    for (int i = 0; i < conv_rounds(400); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[i / 2 % 4];
        struct conv_case c = applicable(dtype, i % 2 ? 4 : 2);
        ty_tensor *want = conv_naive(&c);
        double absolute = absolute_of(&c, dtype);
        compare_near(conv_compute(&c), want, 0, absolute, "case %d, %d axes", i, c.n);
        if (i % 8 == 0) compare_engines(conv_compute, &c, 0, absolute, "case %d, %d axes", i, c.n);
        struct conv_case lazy = c;
        lazy.x = ty_lazy(c.x);
        if (i % 4 == 1) compare_near(ty_eval(conv_compute(&lazy)), want, 0, absolute, "compiled %d", i);
        test_round_end(round);
    }
}

/* The option changes no bit where Winograd does not apply. */
static void winograd_elsewhere(void) {
    for (int i = 0; i < conv_rounds(100); i++) {
        struct test_round round = test_round();
        struct conv_case c = i % 2 ? conv_random(TY_F32, 3, -1, 1) : applicable(TY_I32, 0), with;
        if (i % 2 && !c.transposed) c.options.stride[0] = 2;
        with = c;
        with.options.winograd = 4;
        ty_tensor *want = CHECK_OK(conv_compute(&c));
        compare_bits(conv_compute(&with), want, "case %d", i);
        test_round_end(round);
    }
}

static ty_tensor *objective(const struct conv_case *c, ty_tensor *weights) {
    return ty_sum(ty_mul(ty_sin(conv_compute(c)), weights), TY_ALL);
}

/* Gradients equal those of the plain sum, which test_conv.c checks. */
static void winograd_gradients(void) {
    for (int i = 0; i < conv_rounds(60); i++) {
        struct test_round round = test_round();
        struct conv_case c = applicable(TY_F64, i % 2 ? 4 : 2), plain;
        ty_tensor *y = CHECK_OK(conv_compute(&c)), *g[2][2];
        ty_tensor *weights = sample_shape(TY_F64, ty_rank(y), ty_shape(y), -1, 1);
        c.x = ty_track(c.x, "x");
        c.w = ty_track(c.w, "w");
        plain = c;
        plain.options.winograd = 0;
        CHECK(ty_grad(objective(&c, weights), 2, (ty_tensor *[]){c.x, c.w}, g[0]) || test_starving(), "%s",
              ty_error(g[0][0]));
        CHECK(ty_grad(objective(&plain, weights), 2, (ty_tensor *[]){c.x, c.w}, g[1]) || test_starving(),
              "%s", ty_error(g[1][0]));
        for (int k = 0; k < 2; k++) compare_near(g[0][k], g[1][k], 0, 1e-10, "case %d, operand %d", i, k);
        test_round_end(round);
    }
}

/* The documented error bound holds against double precision, at sizes of networks. */
static void winograd_errors(void) {
    int64_t x[] = {1, 14, 14, 64}, w[] = {3, 3, 64, 32};
    ty_tensor *image = ty_normal(TY_F32, 4, x, ty_key(1)), *kernel = ty_normal(TY_F32, 4, w, ty_key(2));
    ty_conv options = {.low = {1, 1}, .high = {1, 1}};
    ty_tensor *want = ty_conv2d(ty_cast(image, TY_F64), ty_cast(kernel, TY_F64), options);
    double most = ty_item(CHECK_OK(ty_amax(ty_abs(want), TY_ALL)));
    for (int tile = 2; tile <= 4; tile += 2) {
        options.winograd = tile;
        ty_tensor *error = ty_abs(ty_sub(ty_cast(ty_conv2d(image, kernel, options), TY_F64), want));
        double worst = ty_item(CHECK_OK(ty_amax(error, TY_ALL))), bound = tile == 2 ? 2e-6 : 4e-5;
        CHECK(worst < bound * most, "tiles of %d: an error of %.1e of the largest value; expected below %.1e",
              tile, worst / most, bound);
    }
}

static void winograd_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(1, 8, 9, 6)), *w = ty_zeros(TY_F32, TY_SHAPE(3, 3, 6, 4));
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.winograd = 3}), "winograd is 3; expected 2, 4 or 0 (none)");
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.winograd = -1}), "winograd is -1; expected 2, 4 or 0 (none)");
}

static const struct test_case cases[] = {TEST(winograd_values), TEST(winograd_elsewhere),
                                         TEST(winograd_gradients), TEST(winograd_errors),
                                         TEST(winograd_sentences)};
TESTS_MAIN_TABLE(cases)
