/*
 * Gradients of structural operators and composites against central differences, first and second order. For random w,
 * dL/dx of L(x) = sum(f(x) * w) is compared with differences of L. The gradient of sum(dL/dx * v) is compared with
 * differences of dL/dx along each element. Promises must give the same.
 */
#include <math.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

typedef ty_tensor *(*function)(ty_tensor *x);
struct subject {
    const char *name;
    function f;
    int rank;
    int64_t shape[4];
};

typedef ty_tensor *(*leaf_maker)(ty_tensor *value, const char *name);

/* Return L and, unless NULL, its gradient; x is a plain value. */
static double loss(function f, ty_tensor *x, ty_tensor *w, ty_tensor **gradient) {
    ty_tensor *leaf = ty_track(x, "x"), *y = CHECK_OK(f(leaf));
    ty_tensor *total = CHECK_OK(ty_sum(ty_mul(y, w), TY_ALL));
    if (gradient) CHECK(ty_grad(total, 1, &leaf, gradient), "no gradient: %s", ty_error(*gradient));
    return ty_item(total);
}

/* Compute dL/dx and the gradient of sum(dL/dx * v), eagerly or as promises. */
static void both(function f, leaf_maker make, ty_tensor *x, ty_tensor *w, ty_tensor *v,
                 ty_tensor **gradients) {
    ty_allow_unused(true); /* the gradient of a linear function is constant */
    ty_tensor *leaf = make(x, "x"), *total = ty_sum(ty_mul(f(leaf), w), TY_ALL);
    CHECK(ty_grad(total, 1, &leaf, &gradients[0]), "no gradient: %s", ty_error(gradients[0]));
    ty_tensor *along = ty_sum(ty_mul(gradients[0], v), TY_ALL);
    CHECK(ty_grad(along, 1, &leaf, &gradients[1]), "no second gradient: %s", ty_error(gradients[1]));
}

/* Return x with `step` added to element i. */
static ty_tensor *moved(ty_tensor *x, int64_t i, double step) {
    int64_t n = ty_size(x);
    double *values = test_room((size_t)n * sizeof *values);
    ty_read(x, TY_F64, values);
    values[i] += step;
    return ty_from(TY_F64, ty_rank(x), ty_shape(x), values);
}

/* Compare element i of both gradients with differences. */
static void check_element(const struct subject *s, ty_tensor *x, ty_tensor *w, ty_tensor *v, int64_t i,
                          double got, double twice) {
    double step = 1e-5;
    ty_tensor *above, *below, *up = moved(x, i, step), *down = moved(x, i, -step);
    double want = (loss(s->f, up, w, &above) - loss(s->f, down, w, &below)) / (2 * step);
    CHECK(fabs(want - got) <= 1e-6 * (1 + fabs(want)), "%s: element %lld: gradient %g, differences %g",
          s->name, (long long)i, got, want);
    double along = ty_item(ty_sum(ty_mul(ty_sub(above, below), v), TY_ALL)) / (2 * step);
    CHECK(fabs(along - twice) <= 1e-6 * (1 + fabs(along)),
          "%s: element %lld: second gradient %g, differences %g", s->name, (long long)i, twice, along);
}

static void check(const struct subject *s) {
    ty_tensor *x = sample_shape(TY_F64, s->rank, s->shape, 0.5, 2), *y = CHECK_OK(s->f(x));
    ty_tensor *w = sample_shape(TY_F64, ty_rank(y), ty_shape(y), -1, 1);
    ty_tensor *v = sample_shape(TY_F64, s->rank, s->shape, -1, 1), *gradients[2], *promises[2], *values[2];
    both(s->f, ty_track, x, w, v, gradients);
    both(s->f, ty_var, x, w, v, promises);
    CHECK(ty_eval_all(2, promises, values), "%s: %s%s", s->name, ty_error(values[0]), ty_error(values[1]));
    compare_near(values[0], gradients[0], 1e-12, 1e-12, "%s: gradient as a promise", s->name);
    compare_near(values[1], gradients[1], 1e-12, 1e-12, "%s: second gradient as a promise", s->name);
    int64_t n = ty_size(x);
    double *got = test_room((size_t)n * sizeof *got), *twice = test_room((size_t)n * sizeof *twice);
    CHECK(ty_read(gradients[0], TY_F64, got) && ty_read(gradients[1], TY_F64, twice), "%s", s->name);
    for (int64_t i = 0; i < n; i++) {
        struct test_round round = test_round();
        check_element(s, x, w, v, i, got[i], twice[i]);
        test_round_end(round);
    }
}

static void check_all(int n, const struct subject *subjects) {
    for (int i = 0; i < n; i++) {
        struct test_round round = test_round();
        check(&subjects[i]);
        test_round_end(round);
    }
}
#define CHECK_ALL(...)                                                                                       \
    do {                                                                                                     \
        static const struct subject subjects[] = {__VA_ARGS__};                                              \
        check_all((int)(sizeof subjects / sizeof *subjects), subjects);                                      \
    } while (0)
#define FUNCTION(name, expression)                                                                           \
    static ty_tensor *name(ty_tensor *x) { return expression; }

/* Return squares, so that second gradients are not all zero. */
static ty_tensor *sq(ty_tensor *x) { return ty_square(x); }
/* Return irregular fixed numbers. */
static ty_tensor *fixed(int rank, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= shape[i];
    return ty_reshape(ty_sin(ty_steps(TY_F64, 1, 1.7, n)), rank, shape);
}

/* ---- views ---- */

FUNCTION(reshaped, ty_reshape(sq(x), TY_SHAPE(2, -1)))
FUNCTION(permuted, ty_permute(sq(x), (int[]){1, 2, 0}))
FUNCTION(transposed_reshaped, ty_reshape(ty_transpose(sq(x)), TY_SHAPE(-1)))
FUNCTION(viewed_as, ty_real(ty_mul(ty_view_as(sq(x), TY_C128), ty_complex(0.5, -2))))
FUNCTION(sliced, ty_slice(sq(x), 0, 1, 7, 2))
FUNCTION(sliced_back, ty_slice(sq(x), 0, -2, TY_END, -3))
FUNCTION(sliced_empty, ty_slice(sq(x), 0, 3, 3, 1))
FUNCTION(flipped, ty_flip(sq(x), -1))
FUNCTION(broadcasted, ty_broadcast(sq(x), TY_SHAPE(2, 3, 4)))
FUNCTION(windowed, ty_window(sq(x), 1, 3, 2, 1))
FUNCTION(windowed_dilated, ty_window(sq(x), 0, 2, 1, 3))
FUNCTION(diagonal, ty_diagonal(sq(x), 0, 2))
FUNCTION(diagonal_back, ty_diagonal(sq(x), -1, 0))
FUNCTION(squeezed, ty_squeeze(ty_expand(sq(x), 1), 1))

FUNCTION(sent, ty_to(sq(x), "cpu"))
static void of_views(void) {
    CHECK_ALL({"view_as", viewed_as, 2, {3, 4}}, {"reshape", reshaped, 3, {2, 3, 2}},
              {"permute", permuted, 3, {2, 3, 2}}, {"reshape of transpose", transposed_reshaped, 2, {2, 3}},
              {"slice", sliced, 2, {9, 2}}, {"slice back", sliced_back, 2, {8, 2}},
              {"slice empty", sliced_empty, 1, {4}}, {"flip", flipped, 2, {2, 3}},
              {"broadcast", broadcasted, 2, {3, 1}}, {"window", windowed, 2, {2, 8}},
              {"window dilated", windowed_dilated, 2, {7, 2}}, {"diagonal", diagonal, 3, {3, 2, 4}},
              {"diagonal back", diagonal_back, 3, {4, 2, 3}}, {"expand", squeezed, 2, {2, 2}},
              {"to", sent, 1, {3}});
}

/* ---- reductions ---- */

FUNCTION(summed, ty_sum(sq(x), ty_axes_of(2, (int[]){0, -1}, false)))
FUNCTION(summed_kept, ty_sum(sq(x), ty_axes_of(1, (int[]){1}, true)))
FUNCTION(prod_all, ty_prod(x, TY_ALL))
FUNCTION(prod_axes, ty_prod(x, ty_axes_of(2, (int[]){0, 2}, true)))
FUNCTION(prod_none, ty_prod(sq(x), (ty_axes){0}))
FUNCTION(greatest, ty_amax(sq(x), ty_axis(1)))
FUNCTION(least, ty_amin(sq(x), TY_ALL))

static void of_reductions(void) {
    CHECK_ALL({"sum", summed, 3, {2, 3, 2}}, {"sum keep", summed_kept, 2, {2, 3}},
              {"prod", prod_all, 2, {2, 3}}, {"prod of axes", prod_axes, 3, {2, 2, 5}},
              {"prod of none", prod_none, 1, {3}}, {"amax", greatest, 2, {2, 4}}, {"amin", least, 2, {2, 2}});
}

/* ---- products ---- */

FUNCTION(matmul_left, ty_matmul(sq(x), fixed(TY_SHAPE(2, 3, 4))))
FUNCTION(matmul_right, ty_matmul(fixed(TY_SHAPE(5, 2)), x))
FUNCTION(matmul_self, ty_matmul(x, ty_transpose(x)))
FUNCTION(vector_matrix, ty_matmul(x, fixed(TY_SHAPE(3, 4))))
FUNCTION(batch_stretched, ty_matmul(sq(x), fixed(TY_SHAPE(4, 3, 2))))
FUNCTION(dotted, ty_dot_product(x, sq(x)))
FUNCTION(einsum_lonely, ty_einsum("ij,k->k", sq(x), fixed(TY_SHAPE(3))))
FUNCTION(einsum_trace, ty_einsum("iij,j", sq(x), fixed(TY_SHAPE(2))))
FUNCTION(einsum_one, ty_einsum("iji->j", sq(x), NULL))
FUNCTION(einsum_stretched, ty_einsum("ij,jk->ik", x, sq(ty_sum(x, ty_axes_of(1, (int[]){0}, true)))))
FUNCTION(einsum_dots, ty_einsum("...ij,jk...->k...i", x, fixed(TY_SHAPE(2, 3))))
FUNCTION(conv_x, ty_conv2d(sq(x), fixed(TY_SHAPE(2, 3, 2, 2)), (ty_conv){.same = true, .stride = {2, 1}}))
FUNCTION(conv_dilated, ty_conv2d(x, fixed(TY_SHAPE(2, 2, 1, 2)),
                                 (ty_conv){.dilation = {2, 1}, .low = {1, 0}, .high = {0, 2}}))
FUNCTION(conv_w, ty_conv2d(fixed(TY_SHAPE(2, 4, 5, 2)), sq(x), (ty_conv){.low = {1, 1}}))

static void of_products(void) {
    CHECK_ALL({"matmul left", matmul_left, 2, {2, 3}}, {"matmul right", matmul_right, 2, {2, 3}},
              {"matmul self", matmul_self, 2, {2, 3}}, {"vector matmul", vector_matrix, 1, {3}},
              {"matmul stretched", batch_stretched, 3, {1, 2, 3}}, {"dot_product", dotted, 2, {2, 3}},
              {"einsum ij,k->k", einsum_lonely, 2, {2, 2}}, {"einsum iij,j", einsum_trace, 3, {3, 3, 2}},
              {"einsum iji->j", einsum_one, 3, {3, 2, 3}}, {"einsum stretched", einsum_stretched, 2, {3, 3}},
              {"einsum dots", einsum_dots, 2, {3, 2}}, {"conv2d of x", conv_x, 4, {1, 4, 3, 2}},
              {"conv2d dilated", conv_dilated, 4, {1, 4, 3, 1}}, {"conv2d of w", conv_w, 4, {2, 3, 2, 2}});
}

/* ---- windows ---- */

FUNCTION(pooled, ty_max_pool2d(sq(x), (ty_pool){.size = {3, 2}, .stride = {1, 2}, .same = true}))
FUNCTION(pooled_nchw, ty_max_pool2d(sq(x), (ty_pool){.size = {2, 2}, .nchw = true}))
FUNCTION(averaged, ty_avg_pool2d(sq(x), (ty_pool){.size = {3, 2}, .stride = {2, 1}, .same = true}))
FUNCTION(averaged_all,
         ty_avg_pool2d(sq(x), (ty_pool){.size = {2, 2}, .low = {1, 0}, .count_padding = true, .nchw = true}))

static void of_windows(void) {
    CHECK_ALL({"max_pool2d", pooled, 4, {1, 4, 5, 2}}, {"max_pool2d nchw", pooled_nchw, 4, {2, 1, 4, 4}},
              {"avg_pool2d", averaged, 4, {1, 4, 3, 2}},
              {"avg_pool2d counting", averaged_all, 4, {1, 2, 3, 2}});
}

/* ---- structure ---- */

FUNCTION(padded, ty_pad(sq(x), (ty_padding[]){{1, 2, 0}, {2, 0, 1}}, ty_num(3)))
FUNCTION(cut, ty_pad(sq(x), (ty_padding[]){{-1, 1, 2}, {2, -3, 1}}, ty_num(3)))
FUNCTION(cut_all, ty_pad(sq(x), (ty_padding[]){{-3, 4, 1}}, ty_num(3)))
FUNCTION(joined, ty_concat(3, (ty_tensor *[]){x, fixed(TY_SHAPE(2, 1)), sq(x)}, 1))
FUNCTION(stacked, ty_stack(2, (ty_tensor *[]){x, sq(x)}, 1))
FUNCTION(gathered, ty_gather(sq(x), ty_from(TY_I32, TY_SHAPE(2, 2), (int32_t[]){2, -1, 0, 2}), 1))
FUNCTION(scattered, ty_scatter_add(sq(x), ty_from(TY_I32, TY_SHAPE(3), (int32_t[]){3, -1, 0}), 1, 4))

static void of_structure(void) {
    CHECK_ALL({"pad", padded, 2, {2, 3}}, {"pad cut", cut, 2, {3, 4}}, {"pad cut all", cut_all, 1, {2}},
              {"concat", joined, 2, {2, 2}}, {"stack", stacked, 2, {2, 2}}, {"gather", gathered, 2, {2, 3}},
              {"scatter_add", scattered, 2, {2, 3}});
}

/* ---- indexing ---- */

/* Return indices with duplicates; the operand and the updates are both differentiable. */
static ty_tensor *twice(void) { return ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){2, 0, -1, 2}); }
static ty_tensor *rows_of(ty_tensor *x) { return ty_at(sq(x), "0:4"); }
static ty_tensor *rest_of(ty_tensor *x) { return ty_at(x, "4:"); }
static ty_tensor *update(ty_tensor *x, ty_scatter_mode mode) {
    ty_tensor *at = twice();
    return ty_mul(ty_set_by(rest_of(x), TY_ITEMS(TY_OF(at)), mode, rows_of(x)), fixed(TY_SHAPE(3, 2)));
}
FUNCTION(set, update(x, TY_SCATTER_SET))
FUNCTION(added, update(x, TY_SCATTER_ADD))
FUNCTION(multiplied, update(x, TY_SCATTER_MUL))
FUNCTION(lessened, update(x, TY_SCATTER_MIN))
FUNCTION(greatened, update(x, TY_SCATTER_MAX))
FUNCTION(placed, ty_set_at(sq(x), "1, ::-2", ty_at(x, "0, :2")))
FUNCTION(placed_number, ty_set_at(sq(x), "..., 1:", ty_sum(x, TY_ALL)))
FUNCTION(picked, ty_get(sq(x), TY_ITEMS(TY_OF(twice()), TY_WHOLE, TY_AT(1))))
FUNCTION(picked_two, ty_get(sq(x), TY_ITEMS(TY_OF(twice()), TY_DOTS, TY_OF(twice()))))
FUNCTION(along, ty_take_along_axis(sq(x), ty_from(TY_I64, TY_SHAPE(1, 3), (int64_t[]){1, 0, 1}), 0))
FUNCTION(along_put,
         ty_put_along_axis(sq(x), ty_from(TY_I64, TY_SHAPE(2, 1), (int64_t[]){2, -3}), ty_at(x, ":, 1:2"), 1))
FUNCTION(fewer, ty_scatter(sq(x), ty_from(TY_I64, TY_SHAPE(1, 2), (int64_t[]){1, 1}), ty_at(x, ":1, 1:"), 0,
                           TY_SCATTER_ADD))
FUNCTION(masked, ty_get(sq(x), TY_ITEMS(TY_OF(ty_from(TY_BOOL, TY_SHAPE(2, 3), (char[]){1, 0, 1, 1, 0, 0})))))
FUNCTION(masked_set,
         ty_set(sq(x), TY_ITEMS(TY_OF(ty_from(TY_BOOL, TY_SHAPE(2, 3), (char[]){1, 0, 1, 1, 0, 0}))),
                ty_at(x, "0")))
FUNCTION(reflected, ty_pad_mode(sq(x), (ty_padding[]){{3, 1, 0}, {1, 2, 0}}, TY_PAD_REFLECT))
FUNCTION(points_of, ty_gather_nd(sq(x), ty_from(TY_I64, TY_SHAPE(3, 2), (int64_t[]){0, 1, 1, -1, 0, 1}), 0))

static void of_indexing(void) {
    CHECK_ALL({"set", set, 2, {7, 2}}, {"set add", added, 2, {7, 2}}, {"set mul", multiplied, 2, {7, 2}},
              {"set min", lessened, 2, {7, 2}}, {"set max", greatened, 2, {7, 2}},
              {"place", placed, 2, {2, 4}}, {"place a number", placed_number, 2, {2, 3}},
              {"get", picked, 3, {3, 2, 2}}, {"get by two", picked_two, 3, {3, 2, 4}},
              {"take_along_axis", along, 2, {2, 3}}, {"put_along_axis", along_put, 2, {2, 3}},
              {"scatter fewer", fewer, 2, {2, 3}}, {"get by mask", masked, 2, {2, 3}},
              {"set by mask", masked_set, 2, {2, 3}}, {"pad reflect", reflected, 2, {2, 3}},
              {"gather_nd", points_of, 2, {2, 3}});
}

/* ---- composites ---- */

FUNCTION(averaged_rows, ty_mean(sq(x), ty_axis(1)))
FUNCTION(varied, ty_variance(x, ty_axis(0)))
FUNCTION(log_summed, ty_logsumexp(sq(x), ty_axis(1)))
FUNCTION(log_summed_kept, ty_logsumexp(x, ty_axes_of(1, (int[]){0}, true)))
FUNCTION(softened, ty_softmax(sq(x), -1))
FUNCTION(log_softened, ty_log_softmax(x, 0))
FUNCTION(entropy, ty_cross_entropy(sq(x), ty_from(TY_U8, TY_SHAPE(3), (uint8_t[]){1, 0, 3})))
FUNCTION(leaky, ty_leaky_relu(ty_sub(x, ty_num(1.2)), 0.1))
FUNCTION(elu, ty_elu(ty_sub(x, ty_num(1.2)), 1.5))
FUNCTION(silu, ty_silu(ty_sub(x, ty_num(1.2))))
FUNCTION(gelu, ty_gelu(ty_sub(x, ty_num(1.2))))

static void of_composites(void) {
    CHECK_ALL({"mean", averaged_rows, 2, {2, 3}}, {"variance", varied, 2, {3, 2}},
              {"logsumexp", log_summed, 2, {2, 3}}, {"logsumexp keep", log_summed_kept, 2, {2, 3}},
              {"softmax", softened, 2, {2, 3}}, {"log_softmax", log_softened, 2, {2, 3}},
              {"cross_entropy", entropy, 2, {3, 4}}, {"leaky_relu", leaky, 1, {5}}, {"elu", elu, 1, {5}},
              {"silu", silu, 1, {5}}, {"gelu", gelu, 1, {5}});
}

/* ---- cases that differences cannot test ---- */

static ty_tensor *gradient_of(function f, ty_tensor *x) {
    ty_tensor *leaf = ty_track(x, "x"), *gradient;
    CHECK(ty_grad(f(leaf), 1, &leaf, &gradient), "no gradient: %s", ty_error(gradient));
    return gradient;
}

FUNCTION(plain_greatest, ty_amax(x, TY_ALL))
FUNCTION(plain_least, ty_amin(x, ty_axis(0)))

static void first_of_ties(void) {
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(2, 2), (double[]){3, 1, 3, 3});
    compare_numbers(gradient_of(plain_greatest, x), NUMBERS(1, 0, 0, 0), "amax");
    compare_numbers(gradient_of(plain_least, x), NUMBERS(1, 1, 0, 0), "amin");
}

FUNCTION(prod_rows, ty_prod(x, ty_axis(1)))

static void products_with_zeros(void) {
    double rows[] = {2, 3, 4, 2, 0, 4, 0, 5, 0};
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3, 3), rows);
    compare_numbers(gradient_of(prod_rows, x), NUMBERS(12, 8, 6, 0, 8, 0, 0, 0, 0), "prod");
}

/* Only the last of duplicate indices that set gets a gradient; zeros among factors are handled; equal
   extremes share. */
static void updates_at_edges(void) {
    ty_tensor *at = ty_from(TY_I64, TY_SHAPE(4), (int64_t[]){1, 0, 1, 1}),
              *x = ty_from(TY_F64, TY_SHAPE(2), (double[]){2, 3});
    ty_tensor *v = ty_track(ty_from(TY_F64, TY_SHAPE(4), (double[]){5, 7, 0, 3}), "v"), *gradient;
    static const double want[TY_SCATTER_MODES][4] = {[TY_SCATTER_SET] = {0, 1, 0, 1},
                                                     [TY_SCATTER_ADD] = {1, 1, 1, 1},
                                                     [TY_SCATTER_MUL] = {0, 2, 45, 0},
                                                     [TY_SCATTER_MIN] = {0, 0, 1, 0},
                                                     [TY_SCATTER_MAX] = {1, 1, 0, 0}};
    for (int mode = 0; mode < TY_SCATTER_MODES; mode++) {
        CHECK(ty_grad(ty_set_by(x, TY_ITEMS(TY_OF(at)), (ty_scatter_mode)mode, v), 1, &v, &gradient),
              "no gradient");
        compare_numbers(gradient, 4, want[mode], "mode %d", mode);
    }
    ty_tensor *u = ty_track(ty_from(TY_F64, TY_SHAPE(4), (double[]){3, 3, 1, 3}), "u");
    CHECK(ty_grad(ty_set_by(x, TY_ITEMS(TY_OF(at)), TY_SCATTER_MAX, u), 1, &u, &gradient), "no gradient");
    compare_numbers(gradient, NUMBERS(1.0 / 3, 1, 0, 1.0 / 3), "ties, one of them with the target");
}

static void padding_value(void) {
    ty_tensor *value = ty_track(ty_scalar(TY_F64, 2), "value"), *x = ty_ones(TY_F64, TY_SHAPE(2, 3)),
              *gradient;
    ty_tensor *y = ty_pad(x, (ty_padding[]){{1, -1, 0}, {0, 2, 1}}, value);
    CHECK(ty_grad(y, 1, &value, &gradient), "no gradient: %s", ty_error(gradient));
    compare_numbers(gradient, NUMBERS(11), "pad's value");
}

/* In the conjugate convention, the gradient of the sum of a product is the conjugate of the other factor. */
static void complex_products(void) {
    double numbers[] = {1, 2, 3, -1}, turned[] = {1, -2, 3, 1};
    ty_tensor *a = ty_track(ty_ones(TY_C128, TY_SHAPE(1, 2)), "a"),
              *b = ty_from(TY_C128, TY_SHAPE(2, 1), (void *)numbers), *gradient;
    CHECK(ty_grad(ty_matmul(a, b), 1, &a, &gradient), "no gradient: %s", ty_error(gradient));
    compare_bits(gradient, ty_from(TY_C128, TY_SHAPE(1, 2), (void *)turned), "matmul");
    ty_tensor *x = ty_track(ty_reshape(b, TY_SHAPE(2)), "x");
    double others[] = {3, 1, 1, -2};
    CHECK(ty_grad(ty_prod(x, TY_ALL), 1, &x, &gradient), "no gradient: %s", ty_error(gradient));
    compare_bits(gradient, ty_from(TY_C128, TY_SHAPE(2), (void *)others), "prod");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/grad/structural_gradients.def"
};
TESTS_MAIN_TABLE(cases)
