/* Convolutions against the loops that define them, with all options. */
#include <math.h>
#include "base/machine/levels.h"
#include "tests/support/compare.h"
#include "tests/support/naive/conv_naive.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static void conv_known(void) {
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++) {
        ty_use_engine(engines[e]);
        ty_tensor *x = ty_from(TY_I32, TY_SHAPE(1, 4, 1), (int32_t[]){1, 2, 3, 4});
        ty_tensor *w = ty_from(TY_I32, TY_SHAPE(2, 1, 1), (int32_t[]){10, 1});
        compare_numbers(ty_conv1d(x, w, (ty_conv){0}), NUMBERS(12, 23, 34), "x[i] * 10 + x[i+1]");
        compare_numbers(ty_conv1d(x, w, (ty_conv){.same = true}), NUMBERS(12, 23, 34, 40),
                        "zero after the end");
        compare_numbers(ty_conv1d(x, w, (ty_conv){.same_lower = true}), NUMBERS(1, 12, 23, 34),
                        "before the first");
        compare_numbers(ty_conv1d(x, w, (ty_conv){.stride = {2}}), NUMBERS(12, 34), "stride 2");
        compare_numbers(ty_conv1d(x, w, (ty_conv){.dilation = {3}}), NUMBERS(14), "dilation 3");
        compare_numbers(ty_conv_transpose1d(x, w, (ty_conv){0}), NUMBERS(10, 21, 32, 43, 4), "transposed");
        compare_numbers(ty_conv_transpose1d(x, w, (ty_conv){.stride = {2}, .low = {1}}),
                        NUMBERS(1, 20, 2, 30, 3, 40, 4), "transposed, stride 2, one cut");
        compare_numbers(ty_conv_transpose1d(x, w, (ty_conv){.stride = {3}, .output_padding = {2}}),
                        NUMBERS(10, 1, 0, 20, 2, 0, 30, 3, 0, 40, 4, 0, 0), "with output padding");
        compare_numbers(ty_conv_transpose1d(x, w, (ty_conv){.stride = {2}, .same = true}),
                        NUMBERS(10, 1, 20, 2, 30, 3, 40, 4), "same: stride times as long");
        ty_tensor *pairs = ty_reshape(x, TY_SHAPE(1, 2, 2)), *kernel = ty_reshape(w, TY_SHAPE(2, 1, 1));
        compare_numbers(ty_conv1d(pairs, kernel, (ty_conv){.nchw = true, .groups = 2}), NUMBERS(10, 20, 3, 4),
                        "depthwise: each channel its own factor");
    }
}

static void conv_random_cases(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_F32, TY_C64, TY_F64, TY_I64, TY_C128};
    for (int i = 0; i < conv_rounds(1600); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[i % 8];
        struct conv_case c = conv_random(dtype, 4, dtype_is(dtype, CLASS_FLOAT) ? 0 : -3, 3);
        ty_tensor *want = conv_naive(&c);
        double relative = conv_bound(dtype, conv_terms(&c)),
               absolute = 20 * (double)conv_terms(&c) * relative_ulp(dtype);
        if (i % 8 == 7) ty_use_engine("ref");
        if (i % 2) test_draw_caches();
        compare_near(conv_compute(&c), want, relative, absolute, "case %d, %d axes%s", i, c.n,
                     c.transposed ? ", transposed" : "");
        ty_use_engine("cpu");
        if (i % 4 == 0) compare_engines(conv_compute, &c, relative, absolute, "case %d, %d axes", i, c.n);
        test_round_end(round);
    }
}

static void conv_dtypes(void) {
    for (int dtype = 0; dtype < TY_DTYPES; dtype++)
        for (int i = 0; i < conv_rounds(10); i++) {
            struct test_round round = test_round();
            bool whole = dtype_is((ty_dtype)dtype, CLASS_INTEGER);
            struct conv_case c = conv_random((ty_dtype)dtype, 3, whole ? -100 : 0, whole ? 100 : 2);
            double terms = (double)conv_terms(&c), relative = conv_bound((ty_dtype)dtype, (int64_t)terms);
            double absolute = 10 * terms * relative_ulp((ty_dtype)dtype);
            compare_engines(conv_compute, &c, relative, absolute, "%s", ty_dtype_name((ty_dtype)dtype));
            if (dtype == TY_BOOL)
                CHECK(ty_dtype_of(conv_compute(&c)) == TY_I64 || test_starving(), "bool counts as i64");
            else
                compare_near(conv_compute(&c), conv_naive(&c), relative, absolute, "%s",
                             ty_dtype_name((ty_dtype)dtype));
            test_round_end(round);
        }
    ty_tensor *mixed =
        ty_conv1d(ty_ones(TY_F32, TY_SHAPE(1, 3, 1)), ty_ones(TY_F64, TY_SHAPE(2, 1, 1)), (ty_conv){0});
    CHECK(ty_dtype_of(CHECK_OK(mixed)) == TY_F64, "f32 and f64 meet in f64, not in %s",
          ty_dtype_name(ty_dtype_of(mixed)));
}

/* Return x in another layout: permuted, reversed, with strides above 1 or of 0. */
static ty_tensor *disturb(ty_tensor *x) {
    CHECK_OK(x);
    int axis = (int)test_between(0, ty_rank(x) - 1), other = (int)test_between(0, ty_rank(x) - 1);
    switch (test_between(0, 4)) {
    case 0:
        return ty_flip(x, axis);
    case 1:
        return ty_swap(ty_contiguous(ty_swap(x, axis, other)), axis, other);
    case 2:
        return ty_slice(ty_repeat(x, 2, axis), axis, test_between(0, 1), TY_END, 2);
    case 3:
        return ty_broadcast(ty_slice(x, axis, 0, 1, 1), ty_rank(x), ty_shape(x));
    default:
        return ty_slice(ty_concat(2, (ty_tensor *[]){x, x}, axis), axis, ty_shape(x)[axis], TY_END, 1);
    }
}

static void conv_layouts(void) {
    for (int i = 0; i < conv_rounds(200); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = i % 2 ? TY_F64 : TY_I32;
        struct conv_case c = conv_random(dtype, 4, 0, 3);
        c.x = CHECK_OK(disturb(disturb(c.x)));
        c.w = CHECK_OK(disturb(c.w));
        double relative = conv_bound(dtype, conv_terms(&c));
        compare_near(conv_compute(&c), conv_naive(&c), relative, 0, "layouts, case %d", i);
        if (i % 4 == 0) compare_engines(conv_compute, &c, relative, 0, "layouts, case %d", i);
        test_round_end(round);
    }
}

/* `same` equals explicit padding by TensorFlow's formula. */
static void conv_same(void) {
    for (int i = 0; i < conv_rounds(200); i++) {
        struct test_round round = test_round();
        struct conv_case c = conv_random(TY_F64, 2, 0, 2);
        struct conv_case same = c;
        bool lower = test_between(0, 1);
        same.options.same = !lower || test_between(0, 1);
        same.options.same_lower = lower;
        for (int k = 0; k < c.n; k++) {
            int axis = (c.options.nchw ? 2 : 1) + k;
            int64_t stride = c.options.stride[k] ? c.options.stride[k] : 1, n = ty_shape(CHECK_OK(c.x))[axis];
            int64_t dilation = c.options.dilation[k] ? c.options.dilation[k] : 1;
            int64_t reach = (ty_shape(CHECK_OK(c.w))[c.options.nchw ? 2 + k : k] - 1) * dilation + 1;
            int64_t places = c.transposed ? n : (n + stride - 1) / stride,
                    whole = c.transposed ? n * stride : n;
            int64_t missing = (places - 1) * stride + reach - whole, total = missing > 0 ? missing : 0;
            c.options.low[k] = lower ? total - total / 2 : total / 2;
            c.options.high[k] = total - c.options.low[k];
            if (c.transposed && missing < 0)
                c.options.output_padding[k] = -missing;
            else
                c.options.output_padding[k] = 0;
            same.options.output_padding[k] = 0;
        }
        compare_near(conv_compute(&same), conv_naive(&c), 1e-13, 0, "same, case %d", i);
        test_round_end(round);
    }
}

static void conv_negative_padding(void) {
    ty_tensor *x = sample_shape(TY_F64, TY_SHAPE(2, 9, 8, 3), 0, 2),
              *w = sample_shape(TY_F64, TY_SHAPE(3, 2, 3, 4), 0, 2);
    ty_tensor *cut = ty_slice(ty_slice(x, 1, 2, 8, 1), 2, 1, TY_END, 1);
    compare_near(ty_conv2d(x, w, (ty_conv){.low = {-2, -1}, .high = {-1, 0}}),
                 ty_conv2d(cut, w, (ty_conv){0}), 1e-14, 0, "negative padding cuts");
}

/* Without images, channels or filters, sizes are correct and empty sums are 0. */
static void conv_empty(void) {
    static const int64_t sizes[][3] = {{0, 3, 4}, {2, 0, 4}, {2, 3, 0}};
    static const char *const engines[] = {"cpu", "ref"};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++) {
            ty_use_engine(engines[e]);
            int64_t n = sizes[i][0], c = sizes[i][1], k = sizes[i][2];
            ty_tensor *y = ty_conv2d(ty_ones(TY_F32, TY_SHAPE(n, 5, 4, c)),
                                     ty_ones(TY_F32, TY_SHAPE(3, 3, c, k)), (ty_conv){.same = true});
            ty_tensor *t =
                ty_conv_transpose2d(ty_ones(TY_F32, TY_SHAPE(n, 5, 4, c)),
                                    ty_ones(TY_F32, TY_SHAPE(3, 3, c, k)), (ty_conv){.same = true});
            compare_near(y, ty_zeros(TY_F32, TY_SHAPE(n, 5, 4, k)), 0, 0, "empty %d", i);
            compare_near(t, ty_zeros(TY_F32, TY_SHAPE(n, 5, 4, k)), 0, 0, "empty transposed %d", i);
        }
}

static void conv_widths(void) {
    static const int widths[] = {1, 2, 3, 8};
    static const ty_conv options[] = {
        {.same = true}, {.stride = {2, 2}, .low = {1, 1}}, {.same = true, .groups = 16}};
    for (int i = 0; i < 6; i++) {
        struct test_round round = test_round();
        int64_t groups = options[i / 2].groups ? 16 : 1;
        ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(2, 21, 17, 16), -1, 1);
        ty_tensor *w = ty_track(sample_shape(TY_F32, TY_SHAPE(3, 3, 16 / groups, 16), -1, 1), "w"),
                  *first[2] = {NULL, NULL};
        for (int k = 0; k < 4; k++) {
            ty_set_threads(widths[k]);
            ty_tensor *y = (i % 2 ? ty_conv_transpose2d : ty_conv2d)(
                x, groups > 1 && i % 2 ? ty_reshape(w, TY_SHAPE(3, 3, 16, 1)) : w, options[i / 2]);
            ty_tensor *g = NULL;
            CHECK_OK(y);
            CHECK(ty_grad(ty_sum(ty_square(y), TY_ALL), 1, &w, &g) || test_starving(), "%s", ty_error(g));
            if (!first[0]) first[0] = y, first[1] = g;
            compare_bits(y, first[0], "case %d, %d threads", i, widths[k]);
            compare_bits(CHECK_OK(g), CHECK_OK(first[1]), "gradient of case %d, %d threads", i, widths[k]);
        }
        test_round_end(round);
    }
}

/* Depthwise convolutions do not depend on the layout of channels; nor does their adjoint with long lines. */
static void conv_depthwise_layouts(void) {
    static const int64_t channels[] = {3, 16, 17, 70, 300};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_C64, TY_BF16};
    for (int i = 0; i < conv_rounds(50); i++) {
        struct test_round round = test_round();
        int64_t c = channels[i % 5];
        bool back = i / 25 % 2;
        test_draw_caches();
        ty_conv last = {.stride = {1 + i % 2, 1 + back}, .low = {1, 2}, .high = {2}, .groups = c};
        ty_conv first = last;
        first.nchw = true;
        ty_tensor *x = sample_shape(dtypes[i / 5 % 5], TY_SHAPE(2, 9, 29, c), -3, 3);
        ty_tensor *w = sample_shape(dtypes[i / 5 % 5], TY_SHAPE(3, 3, back ? c : 1, back ? 1 : c), -3, 3);
        ty_tensor *(*conv)(ty_tensor *, ty_tensor *, ty_conv) = back ? ty_conv_transpose2d : ty_conv2d;
        ty_tensor *y = conv(ty_contiguous(ty_permute(x, (int[]){0, 3, 1, 2})),
                            ty_contiguous(ty_permute(w, (int[]){2 + !back, 2 + back, 0, 1})), first);
        y = ty_permute(CHECK_OK(y), (int[]){0, 2, 3, 1});
        compare_near(y, conv(x, w, last), 1e-5, 1e-4, "case %d", i);
        test_round_end(round);
    }
}

/* Promises give the results of values, with bias and activation in the same kernel. */
static void conv_compiled(void) {
    for (int i = 0; i < conv_rounds(60); i++) {
        struct test_round round = test_round();
        struct conv_case c = conv_random(TY_F64, 4, -1, 1), lazy = c;
        int channel = c.options.nchw ? 1 : c.n + 1;
        int64_t shape[5] = {1, 1, 1, 1, 1};
        ty_tensor *y = CHECK_OK(conv_compute(&c));
        shape[channel] = ty_shape(y)[channel];
        ty_tensor *bias = sample_shape(TY_F64, c.n + 2, shape, -1, 1);
        lazy.x = ty_lazy(c.x);
        ty_tensor *got = ty_eval(ty_relu(ty_add(conv_compute(&lazy), bias)));
        compare_near(got, ty_relu(ty_add(y, bias)), 1e-14, 1e-14, "compiled case %d", i);
        test_round_end(round);
    }
}

/* ---- gradients ---------------------------------------------------------------------------------------- */

/* Return the value of a scalar tensor; the functions below have two operands and a scalar value. */
static double number_of(ty_tensor *x) {
    CHECK_OK(x);
    return ty_item(x);
}

static ty_tensor *moved(ty_tensor *x, ty_tensor *direction, double step) {
    return ty_add(x, ty_mul(direction, ty_num(step)));
}

/* Return the sum of sin(y) times weights, whose gradients need both operands and y. */
static ty_tensor *objective(const struct conv_case *c, ty_tensor *weights) {
    return ty_sum(ty_mul(ty_sin(conv_compute(c)), weights), TY_ALL);
}

static ty_tensor *like(ty_tensor *x) {
    return sample_shape(ty_dtype_of(CHECK_OK(x)), ty_rank(x), ty_shape(x), -1, 1);
}
static ty_tensor *inner(ty_tensor *a, ty_tensor *b) { return ty_sum(ty_mul(a, b), TY_ALL); }

/* Return the derivative of the objective, or if `with` is given, of the gradient's product with it, along
   both operands. */
static ty_tensor *derivative(const struct conv_case *at, ty_tensor *weights, ty_tensor *const *with,
                             ty_tensor **g) {
    struct conv_case c = *at;
    c.x = ty_track(c.x, "x");
    c.w = ty_track(c.w, "w");
    ty_tensor *x[] = {c.x, c.w}, *y = objective(&c, weights);
    if (with) {
        CHECK(ty_grad(y, 2, x, g) || test_starving(), "%s", ty_error(y));
        y = ty_add(inner(g[0], with[0]), inner(g[1], with[1]));
    }
    CHECK(ty_grad(y, 2, x, g) || test_starving(), "%s", ty_error(g[0]));
    CHECK_OK(g[0]);
    CHECK_OK(g[1]);
    return CHECK_OK(y);
}

static void check_gradient(bool second, int i) {
    const double step = 1e-5;
    struct conv_case c = conv_random(TY_F64, 3, -1, 1), back = c, ahead = c;
    ty_tensor *weights = like(conv_compute(&c)), *along[] = {like(c.x), like(c.w)},
              *with[] = {like(c.x), like(c.w)};
    ty_tensor *g[2], *unused[2];
    derivative(&c, weights, second ? with : NULL, g);
    back.x = moved(c.x, along[0], -step), back.w = moved(c.w, along[1], -step);
    ahead.x = moved(c.x, along[0], step), ahead.w = moved(c.w, along[1], step);
    double got = number_of(ty_add(inner(g[0], along[0]), inner(g[1], along[1])));
    double below = number_of(derivative(&back, weights, second ? with : NULL, unused));
    double above = number_of(derivative(&ahead, weights, second ? with : NULL, unused));
    double want = (above - below) / (2 * step), scale = fabs(want) + fabs(above) + 1;
    CHECK(fabs(got - want) < 1e-6 * scale, "case %d, %d axes%s: the gradient says %.12g, differences %.12g",
          i, c.n, c.transposed ? ", transposed" : "", got, want);
}

static void conv_gradients(void) {
    for (int i = 0; i < conv_rounds(200); i++) {
        struct test_round round = test_round();
        if (i % 10 == 9) ty_use_engine("ref");
        check_gradient(false, i);
        ty_use_engine("cpu");
        test_round_end(round);
    }
}

static void conv_second_order(void) {
    for (int i = 0; i < conv_rounds(100); i++) {
        struct test_round round = test_round();
        check_gradient(true, i);
        test_round_end(round);
    }
}

/* The complex gradient is the adjoint: <g, conv(dx)> = <gradient, dx> with conjugates on the left. */
static void conv_complex_gradients(void) {
    for (int i = 0; i < conv_rounds(60); i++) {
        struct test_round round = test_round();
        struct conv_case c = conv_random(TY_C128, 3, -1, 1), tracked = c;
        ty_tensor *g = like(conv_compute(&c)), *dx = like(c.x), *dw = like(c.w), *gradients[2];
        tracked.x = ty_track(c.x, "x"), tracked.w = ty_track(c.w, "w");
        ty_tensor *y = CHECK_OK(conv_compute(&tracked));
        CHECK(ty_vjp(y, g, 2, (ty_tensor *[]){tracked.x, tracked.w}, gradients) || test_starving(), "%s",
              ty_error(gradients[0]));
        for (int k = 0; k < 2; k++) {
            struct conv_case step = c;
            if (k == 0)
                step.x = dx;
            else
                step.w = dw;
            compare_near(ty_vdot(CHECK_OK(gradients[k]), k == 0 ? dx : dw), ty_vdot(g, conv_compute(&step)),
                         1e-11, 1e-10, "complex case %d, operand %d", i, k);
        }
        test_round_end(round);
    }
}

/* ---- integers ----------------------------------------------------------------------------------------- */

static void conv_integer(void) {
    for (int i = 0; i < conv_rounds(150); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = i % 2 ? TY_U8 : TY_I8, other = i % 3 ? TY_I8 : TY_U8;
        struct conv_case c = {.transposed = true}, wide;
        while (c.transposed) c = conv_random(dtype, 4, dtype == TY_U8 ? 0 : -128, dtype == TY_U8 ? 255 : 127);
        c.w = sample_shape(other, ty_rank(CHECK_OK(c.w)), ty_shape(c.w), other == TY_U8 ? 0 : -128,
                           other == TY_U8 ? 255 : 127);
        int out = c.options.nchw ? 0 : c.n + 1;
        int64_t channels = ty_shape(CHECK_OK(c.w))[out];
        bool each = test_between(0, 1), nothing = i % 5 == 0;
        ty_tensor *x_zero = sample_shape(dtype, 0, NULL, 1, 9);
        ty_tensor *w_zero = sample_shape(other, each, &channels, 1, 9);
        if (i % 4 == 0) ty_use_engine("ref");
        ty_tensor *y =
            ty_conv_integer(c.x, c.w, nothing ? NULL : x_zero, i % 7 == 0 ? NULL : w_zero, c.options);
        ty_use_engine("cpu");
        int64_t shape[5] = {1, 1, 1, 1, 1};
        shape[out] = each ? channels : 1;
        wide = c;
        wide.x = nothing ? ty_cast(c.x, TY_I32) : ty_sub(ty_cast(c.x, TY_I32), ty_cast(x_zero, TY_I32));
        wide.w = ty_cast(c.w, TY_I32);
        if (i % 7) wide.w = ty_sub(wide.w, ty_reshape(ty_cast(w_zero, TY_I32), c.n + 2, shape));
        compare_near(y, conv_naive(&wide), 0, 0, "conv_integer case %d", i);
        test_round_end(round);
    }
}

static void matmul_integer(void) {
    ty_tensor *a = sample_shape(TY_U8, TY_SHAPE(3, 1, 7, 50), 0, 255),
              *b = sample_shape(TY_I8, TY_SHAPE(2, 50, 9), -128, 127);
    ty_tensor *zero = ty_scalar(TY_U8, 128), *rows = sample_shape(TY_U8, TY_SHAPE(7), 0, 255),
              *columns = sample_shape(TY_I8, TY_SHAPE(9), -100, 100);
    ty_tensor *wide_a = ty_cast(a, TY_I32), *wide_b = ty_cast(b, TY_I32);
    compare_near(ty_matmul_integer(a, b, NULL, NULL), ty_matmul(wide_a, wide_b), 0, 0, "plain");
    compare_near(ty_matmul_integer(a, b, zero, NULL),
                 ty_matmul(ty_sub(wide_a, ty_cast(zero, TY_I32)), wide_b), 0, 0, "one zero point");
    compare_near(ty_matmul_integer(a, b, rows, columns),
                 ty_matmul(ty_sub(wide_a, ty_cast(ty_expand(rows, 1), TY_I32)),
                           ty_sub(wide_b, ty_cast(columns, TY_I32))),
                 0, 0, "one for each row and column");
    ty_tensor *v = sample_shape(TY_I8, TY_SHAPE(50), -128, 127), *wide_v = ty_cast(v, TY_I32),
              *two = ty_scalar(TY_I8, 2);
    ty_tensor *less = ty_sub(wide_v, ty_int(2));
    compare_near(ty_matmul_integer(v, v, two, two), ty_cast(ty_matmul(less, less), TY_I32), 0, 0, "vectors");
    compare_near(ty_matmul_integer(a, v, NULL, two), ty_matmul(wide_a, less), 0, 0, "matrices and a vector");
    compare_near(ty_matmul_integer(v, b, two, columns),
                 ty_matmul(less, ty_sub(wide_b, ty_cast(columns, TY_I32))), 0, 0, "a vector and matrices");
}

/* ---- messages ----------------------------------------------------------------------------------------- */

static void conv_sentences(void) {
    ty_tensor *x = ty_zeros(TY_F32, TY_SHAPE(2, 8, 9, 6)), *w = ty_zeros(TY_F32, TY_SHAPE(3, 3, 6, 4));
    ty_tensor *thin = ty_zeros(TY_F32, TY_SHAPE(3, 3, 2, 6)), *bytes = ty_zeros(TY_U8, TY_SHAPE(2, 8, 9, 6));
    CHECK_POISON(ty_conv1d(x, w, (ty_conv){0}), "conv1d of f32[2,8,9,6] and f32[3,3,6,4]: x must be (N,W,C) "
                                                "and w (S,C,K), of rank 3 both, not 4 and 4");
    CHECK_POISON(ty_conv3d(x, w, (ty_conv){.nchw = true}),
                 "x must be (N,C,D,H,W) and w (K,C,Q,R,S), of rank 5 both");
    CHECK_POISON(ty_conv_transpose1d(x, w, (ty_conv){.nchw = true}), "x must be (N,C,W) and w (C,K,S)");
    CHECK_POISON(
        ty_conv2d(x, thin, (ty_conv){0}),
        "x (N,H,W,C) has 6 channels in axis 3 and w (R,S,C,K) takes 2 in axis 2; groups of 3 would fit");
    CHECK_POISON(ty_conv2d(x, thin, (ty_conv){.groups = 2}), "takes 2 in axis 2 for each of 2 groups");
    CHECK_POISON(ty_conv2d(ty_zeros(TY_F32, TY_SHAPE(2, 8, 9, 0)), thin, (ty_conv){0}),
                 "x (N,H,W,C) has 0 channels in axis 3 and w (R,S,C,K) takes 2 in axis 2");
    CHECK_POISON(ty_conv2d(x, ty_zeros(TY_F32, TY_SHAPE(3, 3, 2, 4)), (ty_conv){.groups = 3}),
                 "4 channels in axis 3 of w are not divisible by 3 groups");
    CHECK_POISON(ty_conv_transpose2d(x, w, (ty_conv){.groups = 4}),
                 "6 channels in axis 2 of w are not divisible by 4 groups");
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.groups = -1}), "-1 groups; expected 1 or more");
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.output_padding = {1}}),
                 "output_padding 1 of axis 1 is for transposed convolutions");
    CHECK_POISON(ty_conv_transpose2d(x, w, (ty_conv){.output_padding = {0, 2}, .stride = {1, 2}}),
                 "output_padding 2 of axis 2 must be 0 or more and less than the stride or dilation, 2");
    CHECK_POISON(ty_conv_transpose2d(x, w, (ty_conv){.output_padding = {1}, .stride = {2, 2}, .same = true}),
                 "cannot be combined with `same`");
    CHECK_POISON(
        ty_conv_transpose2d(x, w, (ty_conv){.low = {5, 0}, .high = {5, 0}}),
        "a kernel of 3 with dilation 1 at 8 places of axis 1 leaves nothing between 5 + 5 of padding");
    CHECK_POISON(
        ty_conv2d(x, w, (ty_conv){.low = {-4, 0}, .high = {-2, 0}}),
        "a kernel of 3 with dilation 1 does not fit in axis 1 of x, which is 8 and -4 + -2 of padding");
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.stride = {1, -2}}),
                 "stride -2 and dilation 1 of axis 2 must be positive");
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.dilation = {INT64_MAX, 1}}), "does not fit in axis 1");
    CHECK_POISON(ty_conv2d(x, w, (ty_conv){.low = {INT64_MAX, 0}}), "does not fit in axis 1");
    CHECK_POISON(ty_conv_transpose2d(x, w, (ty_conv){.stride = {INT64_MAX, 1}}), "leaves nothing");
    CHECK_POISON(ty_conv_transpose2d(ty_zeros(TY_F32, TY_SHAPE(1, 0, 4, 6)), w, (ty_conv){0}),
                 "at 0 places of axis 1");
    CHECK_POISON(ty_conv_integer(x, w, NULL, NULL, (ty_conv){0}),
                 "conv_integer of f32[2,8,9,6] and f32[3,3,6,4]: both must be i8 or u8");
    CHECK_POISON(ty_conv_integer(bytes, ty_zeros(TY_I8, TY_SHAPE(3, 3, 6, 4)), ty_zeros(TY_U8, TY_SHAPE(2)),
                                 NULL, (ty_conv){0}),
                 "x_zero has 2 elements, expected 1");
    CHECK_POISON(ty_conv_integer(bytes, ty_zeros(TY_I8, TY_SHAPE(3, 3, 6, 4)), NULL,
                                 ty_zeros(TY_I8, TY_SHAPE(3)), (ty_conv){0}),
                 "w_zero has 1 axes and 3 elements, expected 1 or 4");
    CHECK_POISON(ty_matmul_integer(x, bytes, NULL, NULL), "both must be i8 or u8");
    CHECK_POISON(ty_conv_integer(ty_zeros(TY_U8, TY_SHAPE(2, 3)), bytes, NULL, NULL, (ty_conv){0}),
                 "x has 2 axes, expected batch, channels and 1 to 3 more");
}

/* ---- constant kernels --------------------------------------------------------------------------------- */

/* Return the convolution by a compiled program; NULL: out of memory. */
static ty_tensor *compiled(ty_tensor *x, ty_tensor *w, ty_conv o) {
    ty_tensor *y = ty_conv2d(ty_var(x, "x"), w, o);
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    bool done = ty_run(program);
    CHECK(done || test_starving(), "%s", ty_program_error(program));
    return done ? ty_output(program, 0) : NULL;
}

/* Bits do not depend on whether kernels are constant at compile time. */
static void conv_constants_change_no_bit(void) {
    static const struct {
        int64_t size, channels, filters, taps, stride, batch;
    } cases[] = {{28, 70, 40, 3, 1, 1},  {14, 200, 64, 3, 2, 1}, {15, 3, 64, 7, 2, 2},
                 {7, 300, 130, 3, 1, 3}, {32, 40, 33, 3, 1, 1},  {12, 33, 96, 2, 3, 2}};
    for (int i = 0; i < 12; i++) {
        struct test_round round = test_round();
        int64_t n = cases[i / 2].size, c = cases[i / 2].channels, k = cases[i / 2].filters,
                r = cases[i / 2].taps, b = cases[i / 2].batch, s = cases[i / 2].stride;
        bool nchw = i % 2;
        ty_conv o = {.nchw = nchw, .stride = {s, s}, .low = {r / 2, r / 2}, .high = {r / 2, r / 2}};
        ty_tensor *x =
            sample_shape(TY_F32, 4, nchw ? (int64_t[]){b, c, n, n} : (int64_t[]){b, n, n, c}, -1, 1);
        ty_tensor *w =
            sample_shape(TY_F32, 4, nchw ? (int64_t[]){k, c, r, r} : (int64_t[]){r, r, c, k}, -1, 1);
        ty_tensor *constant = compiled(x, w, o), *variable = compiled(x, ty_var(w, "w"), o);
        if (constant && variable) compare_bits(constant, variable, "case %d", i);
        test_round_end(round);
    }
}

/* Copied windows with much padding are correct for any number of threads and any cache sizes. */
static void conv_mostly_padding(void) {
    static const struct {
        int64_t size, channels, filters, taps, dilation, batch;
    } cases[] = {{7, 512, 10, 3, 1, 1},
                 {9, 512, 5, 3, 4, 2},
                 {4, 7, 40, 5, 1, 2},
                 {6, 17, 9, 3, 5, 1},
                 {3, 512, 33, 3, 2, 1}};
    for (int i = 0; i < 10; i++) {
        struct test_round round = test_round();
        int64_t n = cases[i / 2].size, c = cases[i / 2].channels, k = cases[i / 2].filters,
                r = cases[i / 2].taps, b = cases[i / 2].batch, d = cases[i / 2].dilation, low = r / 2 * d;
        bool nchw = i % 2;
        struct conv_case it = {
            .n = 2, .options = {.nchw = nchw, .dilation = {d, d}, .low = {low, low}, .high = {low, low}}};
        it.x = sample_shape(TY_F32, 4, nchw ? (int64_t[]){b, c, n, n} : (int64_t[]){b, n, n, c}, -1, 1);
        it.w = sample_shape(TY_F32, 4, nchw ? (int64_t[]){k, c, r, r} : (int64_t[]){r, r, c, k}, -1, 1);
        i > 4 ? test_draw_caches() : level_force(LEVEL_SECOND, 1 << 20);
        CHECK_OK(it.x), CHECK_OK(it.w);
        ty_tensor *one = CHECK_OK(conv_compute(&it));
        double terms = (double)conv_terms(&it);
        compare_near(one, conv_naive(&it), conv_bound(TY_F32, (int64_t)terms),
                     4 * sqrt(terms) * relative_ulp(TY_F32), "case %d", i);
        ty_set_threads(3);
        compare_bits(CHECK_OK(conv_compute(&it)), one, "case %d with three threads", i);
        ty_set_threads(0);
        test_round_end(round);
    }
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/contract/conv.def"
};
TESTS_MAIN_TABLE(cases)
