/* Shape and dtype rules of structural operators and composites, einsum's grammar, and documented
   properties of composites. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "ops/core/op.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static void shape(const char *expression, ty_tensor *y, const char *want) {
    char got[128];
    CHECK_OK(y);
    CHECK(!strcmp(tensor_describe_into(got, sizeof got, y), want), "%s is %s and not %s", expression, got,
          want);
}
/* Check that the expression is a tensor described by `want`. */
#define SHAPE(expression, want) shape(#expression, expression, want)

static ty_tensor *ones(ty_dtype dtype, int rank, const int64_t *sizes) { return ty_ones(dtype, rank, sizes); }

static void reduction_shapes(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3, 4));
    SHAPE(ty_sum(x, TY_ALL), "f32[]");
    SHAPE(ty_sum(x, ty_axis(-1)), "f32[2,3]");
    SHAPE(ty_sum(x, ty_axes_of(2, (int[]){0, -1}, true)), "f32[1,3,1]");
    SHAPE(ty_sum(x, (ty_axes){0}), "f32[2,3,4]");
    SHAPE(ty_sum(ty_num(1), TY_ALL), "f64[]");
    SHAPE(ty_sum(ones(TY_BOOL, TY_SHAPE(2)), TY_ALL), "i64[]");
    SHAPE(ty_sum(ones(TY_I8, TY_SHAPE(2)), TY_ALL), "i64[]");
    SHAPE(ty_prod(ones(TY_U16, TY_SHAPE(2)), TY_ALL), "u64[]");
    SHAPE(ty_sum(ones(TY_F16, TY_SHAPE(2)), TY_ALL), "f16[]");
    SHAPE(ty_prod(ones(TY_C64, TY_SHAPE(2)), TY_ALL), "c64[]");
    SHAPE(ty_amax(ones(TY_I16, TY_SHAPE(2, 0)), ty_axis(0)), "i16[0]");
    SHAPE(ty_argmin(x, ty_axis(1)), "i64[2,4]");
    SHAPE(ty_any(x, ty_axis(0)), "bool[3,4]");
    SHAPE(ty_all(ones(TY_C128, TY_SHAPE(0)), TY_ALL), "bool[]");
    int64_t deep[TY_MAX_RANK];
    for (int i = 0; i < TY_MAX_RANK; i++) deep[i] = 1;
    SHAPE(ty_sum(ty_zeros(TY_F32, TY_MAX_RANK, deep), ty_axes_of(2, (int[]){63, -64}, false)),
          "f32["
          "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
          "1,1,1,1,1,1,1,1,1,1,1,1,1");
}

static void view_shapes(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3, 4));
    SHAPE(ty_reshape(x, TY_SHAPE(4, -1)), "f32[4,6]");
    SHAPE(ty_reshape(ones(TY_F32, TY_SHAPE(1)), TY_SCALAR), "f32[]");
    SHAPE(ty_reshape(ones(TY_F32, TY_SHAPE(0, 3)), TY_SHAPE(7, 0)), "f32[7,0]");
    SHAPE(ty_permute(x, (int[]){-1, 0, 1}), "f32[4,2,3]");
    SHAPE(ty_permute(x, NULL), "f32[4,3,2]");
    SHAPE(ty_transpose(x), "f32[2,4,3]");
    SHAPE(ty_slice(x, -1, 1, TY_END, 2), "f32[2,3,2]");
    SHAPE(ty_slice(x, 1, 0, INT64_MAX, INT64_MAX), "f32[2,1,4]");
    SHAPE(ty_slice(x, 1, 2, TY_END, INT64_MIN), "f32[2,1,4]");
    SHAPE(ty_slice(x, 1, INT64_MAX, -INT64_MAX, -1), "f32[2,3,4]");
    SHAPE(ty_broadcast(x, TY_SHAPE(5, 2, 3, 4)), "f32[5,2,3,4]");
    SHAPE(ty_broadcast(ones(TY_F32, TY_SHAPE(1)), TY_SHAPE(0)), "f32[0]");
    SHAPE(ty_squeeze(ty_expand(x, -1), 3), "f32[2,3,4]");
    SHAPE(ty_expand(x, 1), "f32[2,1,3,4]");
    SHAPE(ty_window(x, -1, 2, 2, 1), "f32[2,3,2,2]");
    SHAPE(ty_window(x, 1, 3, 9, 1), "f32[2,1,4,3]");
    SHAPE(ty_diagonal(x, 0, 2), "f32[3,2]");
}

static void structure_shapes(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3)), *key = ty_key(7), *at = ty_iota(TY_U8, TY_SHAPE(2, 5), 0);
    SHAPE(ty_pad(x, (ty_padding[]){{1, 2, 3}, {-1, -1, 0}}, ty_num(0)), "f32[8,1]");
    SHAPE(ty_pad(ty_zeros(TY_F32, TY_SHAPE(0)), (ty_padding[]){{1, 2, 3}}, ty_num(0)), "f32[3]");
    SHAPE(ty_concat(2, (ty_tensor *[]){x, ones(TY_I32, TY_SHAPE(2, 1))}, -1), "f64[2,4]");
    SHAPE(ty_concat(2, (ty_tensor *[]){x, ones(TY_F32, TY_SHAPE(0, 3))}, 0), "f32[2,3]");
    SHAPE(ty_stack(2, (ty_tensor *[]){ty_num(1), ones(TY_F32, TY_SCALAR)}, 0), "f32[2]");
    SHAPE(ty_stack(3, (ty_tensor *[]){x, x, x}, -1), "f32[2,3,3]");
    SHAPE(ty_gather(x, at, 1), "f32[2,2,5]");
    SHAPE(ty_gather(x, ty_scalar(TY_I32, 1), 0), "f32[3]");
    SHAPE(ty_scatter_add(ones(TY_F32, TY_SHAPE(4, 2, 5, 6)), at, 1, 3), "f32[4,3,6]");
    SHAPE(ty_scatter_add(x, ty_scalar(TY_I32, 1), 0, 4), "f32[4,2,3]");
    SHAPE(ty_one_hot(at, 3, TY_BOOL), "bool[2,5,3]");
    SHAPE(ty_iota(TY_C64, TY_SHAPE(2, 0), -2), "c64[2,0]");
    SHAPE(ty_arange(TY_I8, 0, 0, 1), "i8[0]");
    SHAPE(ty_linspace(TY_F16, 0, 1, 3), "f16[3]");
    SHAPE(ty_eye(TY_BOOL, 0), "bool[0,0]");
    SHAPE(ty_uniform(TY_BF16, TY_SHAPE(2, 2), key), "bf16[2,2]");
    SHAPE(ty_normal(TY_F64, TY_SCALAR, key), "f64[]");
    SHAPE(ty_bernoulli(TY_SHAPE(3), 0, key), "bool[3]");
    SHAPE(ty_fold(key, 3), "u64[2]");
}

static void product_shapes(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3)), *v = ones(TY_F32, TY_SHAPE(3));
    SHAPE(ty_matmul(x, ones(TY_F64, TY_SHAPE(3, 4))), "f64[2,4]");
    SHAPE(ty_matmul(x, v), "f32[2]");
    SHAPE(ty_matmul(v, ty_transpose(x)), "f32[2]");
    SHAPE(ty_matmul(v, v), "f32[]");
    SHAPE(ty_matmul(ones(TY_I8, TY_SHAPE(5, 1, 2, 3)), ones(TY_I8, TY_SHAPE(4, 3, 6))), "i8[5,4,2,6]");
    SHAPE(ty_matmul(v, ones(TY_F32, TY_SHAPE(4, 3, 6))), "f32[4,6]");
    SHAPE(ty_matmul(ones(TY_F32, TY_SHAPE(2, 0)), ones(TY_F32, TY_SHAPE(0, 3))), "f32[2,3]");
    SHAPE(ty_matmul(ones(TY_BOOL, TY_SHAPE(2, 2)), ones(TY_BOOL, TY_SHAPE(2, 2))), "bool[2,2]");
    SHAPE(ty_dot_product(ones(TY_F32, TY_SHAPE(4, 1, 3)), x), "f32[4,2]");
    SHAPE(ty_dot_product(v, v), "f32[]");
}

static void window_shapes(void) {
    ty_tensor *image = ones(TY_F32, TY_SHAPE(2, 8, 7, 3)), *kernel = ones(TY_F32, TY_SHAPE(3, 5, 3, 4));
    SHAPE(ty_conv2d(image, kernel, (ty_conv){0}), "f32[2,6,3,4]");
    SHAPE(ty_conv2d(image, kernel, (ty_conv){.same = true}), "f32[2,8,7,4]");
    SHAPE(ty_conv2d(image, kernel, (ty_conv){.same = true, .stride = {3, 2}}), "f32[2,3,4,4]");
    SHAPE(ty_conv2d(image, kernel, (ty_conv){.low = {1, 2}, .high = {0, 3}, .dilation = {2, 1}}),
          "f32[2,5,8,4]");
    SHAPE(ty_conv2d(ones(TY_U8, TY_SHAPE(0, 8, 7, 3)), kernel, (ty_conv){0}), "f32[0,6,3,4]");
    SHAPE(ty_max_pool2d(image, (ty_pool){.size = {2, 2}}), "f32[2,4,3,3]");
    SHAPE(ty_max_pool2d(image, (ty_pool){.size = {2, 2}, .same = true}), "f32[2,4,4,3]");
    SHAPE(ty_max_pool2d(image, (ty_pool){.size = {3, 3}, .stride = {2, 1}, .low = {1, 1}, .high = {1, 1}}),
          "f32[2,4,7,3]");
    SHAPE(ty_max_pool2d(image, (ty_pool){.size = {7, 3}, .nchw = true}), "f32[2,8,1,1]");
    SHAPE(ty_max_pool2d_index(ones(TY_I32, TY_SHAPE(0, 4, 4, 1)), (ty_pool){.size = {2, 2}}), "i64[0,2,2,1]");
    SHAPE(ty_avg_pool2d(image, (ty_pool){.size = {3, 3}, .stride = {2, 2}, .same = true}), "f32[2,4,4,3]");
    SHAPE(ty_avg_pool2d(ones(TY_U8, TY_SHAPE(1, 4, 4, 1)), (ty_pool){.size = {2, 2}}), "f64[1,2,2,1]");
}

static void composite_shapes(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3)), *integers = ones(TY_I16, TY_SHAPE(2, 3));
    SHAPE(ty_mean(x, ty_axis(0)), "f32[3]");
    SHAPE(ty_mean(integers, TY_ALL), "f64[]");
    SHAPE(ty_mean(ones(TY_BF16, TY_SHAPE(2, 3)), ty_axis(1)), "bf16[2]");
    SHAPE(ty_variance(ones(TY_C128, TY_SHAPE(2, 3)), ty_axis(1)), "f64[2]");
    SHAPE(ty_logsumexp(integers, ty_axis(1)), "f32[2]");
    SHAPE(ty_softmax(x, -1), "f32[2,3]");
    SHAPE(ty_log_softmax(integers, 0), "f32[2,3]");
    SHAPE(ty_cross_entropy(x, ty_iota(TY_U8, TY_SHAPE(2), 0)), "f32[]");
    SHAPE(ty_gelu(x), "f32[2,3]");
    SHAPE(ty_silu(integers), "f32[2,3]");
    SHAPE(ty_relu6(integers), "f64[2,3]");
}

/* ---- einsum ---- */

static void einsum_grammar(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3)), *w = ones(TY_F32, TY_SHAPE(3, 4)),
              *cube = ones(TY_F32, TY_SHAPE(5, 2, 3));
    SHAPE(ty_einsum("ij,jk->ik", x, w), "f32[2,4]");
    SHAPE(ty_einsum(" i j , j k -> k i ", x, w), "f32[4,2]");
    SHAPE(ty_einsum("ij,jk", x, w), "f32[2,4]");
    SHAPE(ty_einsum("bj,ja", x, w), "f32[4,2]");
    SHAPE(ty_einsum("aj,jB", x, w), "f32[4,2]");
    SHAPE(ty_einsum("ij,jk->", x, w), "f32[]");
    SHAPE(ty_einsum("ij,kl->lkji", x, w), "f32[4,3,3,2]");
    SHAPE(ty_einsum("...j,jk", cube, w), "f32[5,2,4]");
    SHAPE(ty_einsum("...ij,...jk->k...i", cube, w), "f32[4,5,2]");
    SHAPE(ty_einsum("i...,i...", x, x), "f32[3]");
    SHAPE(ty_einsum("...,...", cube, x), "f32[5,2,3]");
    SHAPE(ty_einsum("i...->...", cube, NULL), "f32[2,3]");
    SHAPE(ty_einsum("...->...", cube, NULL), "f32[5,2,3]");
    SHAPE(ty_einsum("ij...->...", x, NULL), "f32[]");
    SHAPE(ty_einsum("ba", x, NULL), "f32[3,2]");
    SHAPE(ty_einsum("->", ty_num(2), NULL), "f64[]");
    SHAPE(ty_einsum(",", ty_num(2), ty_num(3)), "f64[]");
    SHAPE(ty_einsum(",ij", ty_num(2), x), "f32[2,3]");
    SHAPE(ty_einsum("ij,ij->ij", x, ones(TY_F32, TY_SHAPE(1, 3))), "f32[2,3]");
    SHAPE(ty_einsum("ii->i", ones(TY_F32, TY_SHAPE(1, 3)), NULL), "f32[3]");
    SHAPE(ty_einsum("ij->j", ones(TY_I8, TY_SHAPE(2, 3)), NULL), "i8[3]");
    SHAPE(ty_einsum("ij->j", ones(TY_BOOL, TY_SHAPE(2, 3)), NULL), "bool[3]");
    SHAPE(ty_einsum("zA,aZ", x, x), "f32[3,3,2,2]");
}

static void einsum_values(void) {
    ty_tensor *x = ty_reshape(ty_arange(TY_I32, 0, 9, 1), TY_SHAPE(3, 3)), *v = ty_steps(TY_I32, 1, 1, 3);
    compare_numbers(ty_einsum("ii->i", x, NULL), NUMBERS(0, 4, 8), "diagonal");
    compare_numbers(ty_einsum("ii", x, NULL), NUMBERS(12), "trace");
    compare_numbers(ty_einsum("ij->ji", x, NULL), NUMBERS(0, 3, 6, 1, 4, 7, 2, 5, 8), "transpose");
    compare_numbers(ty_einsum("ij->j", x, NULL), NUMBERS(9, 12, 15), "column sums");
    compare_numbers(ty_einsum("ij,j", x, v), NUMBERS(8, 26, 44), "matrix times vector");
    compare_numbers(ty_einsum("ii,i->i", x, v), NUMBERS(0, 8, 24), "diagonal times vector");
    compare_numbers(ty_einsum("i,i", v, v), NUMBERS(14), "dot");
    compare_numbers(ty_einsum("i,j->ji", v, v), NUMBERS(1, 2, 3, 2, 4, 6, 3, 6, 9), "outer");
    compare_numbers(ty_einsum("ij,k->k", x, v), NUMBERS(36, 72, 108), "a sum that only one operand has");
    compare_numbers(ty_einsum("iii->i", ty_reshape(ty_arange(TY_I32, 0, 8, 1), TY_SHAPE(2, 2, 2)), NULL),
                    NUMBERS(0, 7), "diagonal of a cube");
    ty_tensor *small = ty_full(TY_U8, TY_SHAPE(3), 100);
    compare_numbers(ty_einsum("i,->", small, ty_scalar(TY_U8, 1)), NUMBERS(44), "300 in u8");
    compare_numbers(ty_einsum("i->", small, NULL), NUMBERS(44), "300 in u8, one operand");
}

/* ---- composites ---- */

static void careful_numbers(void) {
    double inf = (double)INFINITY;
    ty_tensor *low = ty_full(TY_F32, TY_SHAPE(2), -inf), *big = ty_full(TY_F32, TY_SHAPE(2), 1e30);
    compare_numbers(ty_logsumexp(low, TY_ALL), NUMBERS(-inf), "logsumexp of -inf");
    compare_numbers(ty_logsumexp(ty_zeros(TY_F32, TY_SHAPE(2, 0)), ty_axis(1)), NUMBERS(-inf, -inf),
                    "logsumexp of nothing");
    compare_numbers(ty_logsumexp(ty_full(TY_F32, TY_SHAPE(2), inf), TY_ALL), NUMBERS(inf),
                    "logsumexp of inf");
    compare_numbers(ty_softmax(big, 0), NUMBERS(0.5, 0.5), "softmax of large numbers");
    compare_near(ty_log_softmax(ty_full(TY_F64, TY_SHAPE(2), -1e300), 0),
                 ty_full(TY_F64, TY_SHAPE(2), -0.693147180559945309), 1e-15, 0, "log_softmax");
    compare_numbers(ty_mean(ty_full(TY_F16, TY_SHAPE(4096), 1000), TY_ALL), NUMBERS(1000),
                    "a mean whose sum overflows f16");
    ty_tensor *far = ty_add(ty_arange(TY_F32, 0, 4, 1), ty_num(1 << 20));
    compare_numbers(ty_variance(far, TY_ALL), NUMBERS(1.25), "variance far from zero");
    compare_near(ty_gelu(ty_scalar(TY_F64, -10)), ty_scalar(TY_F64, -7.6198530241605e-23), 1e-10, 0,
                 "gelu far below zero");
    compare_numbers(ty_elu(ty_scalar(TY_F32, 1000), 2), NUMBERS(1000), "elu far above zero");
    CHECK(isnan(ty_item(ty_mean(ty_zeros(TY_F32, TY_SHAPE(0)), TY_ALL))), "the mean of nothing is not NaN");
    compare_numbers(ty_bernoulli(TY_SHAPE(64), 0, ty_key(1)), 64, (double[64]){0}, "bernoulli of 0");
    CHECK(ty_item(ty_all(ty_bernoulli(TY_SHAPE(64), 1, ty_key(1)), TY_ALL)) == 1,
          "bernoulli of 1 is sometimes false");
}

/* A label that is no class is named with its position by every engine; for a promise when it runs. */
static void bad_labels(void) {
    ty_tensor *logits = ones(TY_F32, TY_SHAPE(2, 3)),
              *three = ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){0, 3}),
              *below = ty_from(TY_I8, TY_SHAPE(2), (int8_t[]){-1, 0});
    static const char *const engines[] = {"cpu", "ref"};
    for (int i = 0; i < 2; i++) {
        ty_use_engine(engines[i]);
        CHECK_POISON(ty_cross_entropy(logits, three),
                     "cross_entropy: label 3 at [1] is out of bounds; expected 0..2");
        CHECK_POISON(ty_cross_entropy(logits, below), "label -1 at [0] is out of bounds; expected 0..2");
        CHECK_POISON(ty_eval(ty_cross_entropy(ty_lazy(logits), ty_var(three, "labels"))), "label 3 at [1]");
        CHECK_POISON(ty_cross_entropy_ignoring(logits, three, 1),
                     "label 3 at [1] is out of bounds; expected 0..2");
    }
    ty_use_engine("cpu");
    ty_tensor *large = ty_zeros(TY_F32, TY_SHAPE(2, 100000));
    CHECK_POISON(ty_cross_entropy(large, ty_from(TY_I32, TY_SHAPE(2), (int32_t[]){5, 100000})),
                 "label 100000 at [1] is out of bounds; expected 0..99999");
    ty_tensor *loss = ty_cross_entropy(logits, ty_from(TY_U64, TY_SHAPE(2), (uint64_t[]){0, 2}));
    compare_near(loss, ty_scalar(TY_F32, log(3)), 1e-6, 0, "cross_entropy");
}

/* Ignored labels contribute neither to the loss nor to its gradient. */
static void ignored_labels(void) {
    ty_tensor *logits = ty_from(TY_F64, TY_SHAPE(3, 2), (double[]){0, 0, 1, 2, 50, -50});
    ty_tensor *labels = ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){1, 0, -100}), *g;
    double first = log(2), second = log(1 + exp(1)), share = 1 / (1 + exp(1));
    ty_tensor *x = ty_track(logits, "x"), *loss = ty_cross_entropy(x, labels);
    compare_near(loss, ty_scalar(TY_F64, (first + second) / 2), 1e-15, 0, "without the label -100");
    CHECK(ty_grad(loss, 1, &x, &g), "no gradient");
    double want[] = {0.25, -0.25, (share - 1) / 2, (1 - share) / 2, 0, 0};
    compare_near(g, ty_from(TY_F64, TY_SHAPE(3, 2), want), 1e-14, 1e-15, "gradient");
    labels = ty_from(TY_U8, TY_SHAPE(3), (uint8_t[]){1, 255, 255});
    compare_near(ty_cross_entropy_ignoring(logits, labels, 255), ty_scalar(TY_F64, first), 1e-15, 0, "255");
    compare_near(ty_cross_entropy_ignoring(logits, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){1, 0, 0}), 0),
                 ty_scalar(TY_F64, first), 1e-15, 0, "a class may be ignored");
    ty_tensor *none = ty_full(TY_I32, TY_SHAPE(3), -100);
    CHECK(isnan(ty_item(ty_cross_entropy(logits, none))), "the mean of no examples is not NaN");
    loss = ty_cross_entropy(x, none);
    CHECK(ty_grad(loss, 1, &x, &g), "no gradient");
    compare_numbers(g, 6, (double[6]){0}, "no example, no gradient");
}

/* ---- calls without an effect ---- */

static void untouched(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(2, 3));
    CHECK(ty_reshape(x, TY_SHAPE(2, 3)) == x, "a reshape to the same shape is a new tensor");
    CHECK(ty_permute(x, (int[]){0, -1}) == x, "a permute in the same order is a new tensor");
    CHECK(ty_slice(x, 0, TY_END, TY_END, 1) == x, "a slice of everything is a new tensor");
    CHECK(ty_broadcast(x, TY_SHAPE(2, 3)) == x, "a broadcast to the same shape is a new tensor");
    CHECK(ty_pad(x, (ty_padding[2]){{0}}, ty_num(0)) == x, "a pad by nothing is a new tensor");
}

static void poison_flows(void) {
    ty_tensor *bad = ty_poison("the first failure"), *x = ones(TY_F32, TY_SHAPE(2, 3)), *key = ty_key(1);
    ty_tensor *all[] = {ty_sum(bad, ty_axis(4)),
                        ty_mean(bad, TY_ALL),
                        ty_variance(bad, TY_ALL),
                        ty_logsumexp(bad, TY_ALL),
                        ty_reshape(bad, TY_SHAPE(-1)),
                        ty_permute(bad, (int[]){1, 0}),
                        ty_transpose(bad),
                        ty_slice(bad, 0, 0, 1, 1),
                        ty_broadcast(bad, TY_SHAPE(2)),
                        ty_flip(bad, 0),
                        ty_squeeze(bad, 0),
                        ty_expand(bad, 0),
                        ty_window(bad, 0, 1, 1, 1),
                        ty_diagonal(bad, 0, 1),
                        ty_pad(bad, NULL, ty_num(0)),
                        ty_pad(x, (ty_padding[2]){{1, 0, 0}}, bad),
                        ty_concat(2, (ty_tensor *[]){x, bad}, 0),
                        ty_stack(2, (ty_tensor *[]){bad, x}, 9),
                        ty_gather(x, bad, 0),
                        ty_scatter_add(bad, key, 0, 2),
                        ty_one_hot(bad, 2, TY_F32),
                        ty_einsum("!", bad, x),
                        ty_matmul(x, bad),
                        ty_dot_product(bad, x),
                        ty_conv2d(bad, x, (ty_conv){0}),
                        ty_max_pool2d(bad, (ty_pool){0}),
                        ty_avg_pool2d(bad, (ty_pool){0}),
                        ty_fold(bad, 0),
                        ty_uniform(TY_F32, TY_SHAPE(2), bad),
                        ty_bernoulli(TY_SHAPE(2), 0.5, bad),
                        ty_softmax(bad, 0),
                        ty_log_softmax(bad, 0),
                        ty_cross_entropy(bad, x),
                        ty_leaky_relu(bad, 0.1),
                        ty_elu(bad, 1),
                        ty_relu6(bad),
                        ty_silu(bad),
                        ty_gelu(bad)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(!strcmp(ty_error(all[i]), "the first failure"), "result %zu says: %s", i, ty_error(all[i]));
}

/* Intermediate results of a composite belong to its own scope, not to the caller's. */
static void only_results(void) {
    ty_tensor *x = ones(TY_F32, TY_SHAPE(3, 3));
    int64_t before = 0;
    for (int round = 0; round < 2; round++) { /* after the first round a thread caches its kernels */
        before = mem_live();
        ty_scope *scope = ty_open();
        ty_tensor *results[] = {ty_softmax(x, 0),
                                ty_gelu(x),
                                ty_mean(x, TY_ALL),
                                ty_einsum("ii,ij->j", x, x),
                                ty_stack(2, (ty_tensor *[]){x, x}, 0),
                                ty_eye(TY_F32, 3),
                                ty_linspace(TY_F32, 0, 1, 3)};
        int64_t made = mem_live() - before, n = sizeof results / sizeof *results;
        CHECK(!round || made <= 4 * n + 2, "%lld blocks are left of %lld results", (long long)made,
              (long long)n);
        ty_close(scope);
    }
    /* with failing allocations a kernel is cached by its second call only */
    CHECK(mem_live() == before || test_starving(), "%lld blocks are left", (long long)(mem_live() - before));
}

static void count_done(void *context, void *data) { *(void **)context = data; }

static void borrowed(void) {
    static float data[] = {1, 2, 3}; /* static: the harness may release the last reference after this
                                        function */
    static void *done;
    done = NULL;
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_borrow(TY_F32, TY_SHAPE(3), data, count_done, &done), *view = ty_keep(ty_flip(x, 0));
    CHECK_OK(x);
    ty_close(scope);
    CHECK(!done, "the memory was given back while a view looks at it");
    compare_numbers(view, NUMBERS(3, 2, 1), "view of borrowed memory");
    CHECK_POISON(ty_borrow(TY_F32, TY_SHAPE(-3), data, count_done, &done), "-3");
    CHECK(done == data, "the memory of a failed call was not given back");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/core/ops.def"
};
TESTS_MAIN_TABLE(cases)
