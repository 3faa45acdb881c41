/*
 * The message of every invalid call of a structural operator or composite, word for word: cause, expected value, and a
 * fix if there is one.
 */
#include <math.h>
#include <string.h>
#include "tests/support/harness.h"

/* Operands of the calls; each test begins with operands(). */
static ty_tensor *x, *w, *v, *z, *empty, *places, *key, *image, *kernel;

static void operands(void) {
    x = ty_ones(TY_F32, TY_SHAPE(2, 3));
    w = ty_ones(TY_F32, TY_SHAPE(4, 5));
    v = ty_ones(TY_F32, TY_SHAPE(3));
    z = ty_ones(TY_C64, TY_SHAPE(2));
    empty = ty_zeros(TY_F32, TY_SHAPE(2, 0));
    places = ty_iota(TY_I32, TY_SHAPE(3), 0);
    key = ty_key(1);
    image = ty_ones(TY_F32, TY_SHAPE(1, 8, 8, 3));
    kernel = ty_ones(TY_F32, TY_SHAPE(3, 3, 3, 8));
}

/* Check that the expression is poisoned with exactly `want`. */
static void sentence(const char *expression, ty_tensor *y, const char *want) {
    CHECK(!strcmp(ty_error(y), want), "%s says\n    %s\nand not\n    %s", expression, ty_error(y), want);
}
#define SENTENCE(expression, want) sentence(#expression, expression, want)

static void reduction_sentences(void) {
    operands();
    SENTENCE(ty_sum(x, ty_axis(2)), "sum of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_prod(x, ty_axis(-3)), "prod of f32[2,3]: axis -3 is out of bounds; expected -2..1");
    SENTENCE(ty_any(ty_num(1), ty_axis(0)),
             "any of f64[]: axis 0 is out of bounds: a 0-d tensor has no axes");
    SENTENCE(ty_all(x, ty_axis(99)),
             "all of f32[2,3]: an axis of 63 or above is out of bounds; expected -2..1");
    SENTENCE(ty_mean(x, ty_axes_of(2, (int[]){0, 5}, false)),
             "mean of f32[2,3]: axis 5 is out of bounds; expected -2..1");
    SENTENCE(ty_amax(empty, ty_axis(1)), "amax of f32[2,0]: axis 1 is empty and has no minimum or maximum");
    SENTENCE(ty_amin(empty, TY_ALL), "amin of f32[2,0]: axis 1 is empty and has no minimum or maximum");
    SENTENCE(ty_argmax(empty, ty_axis(-1)),
             "argmax of f32[2,0]: axis 1 is empty and has no minimum or maximum");
    SENTENCE(ty_argmin(z, ty_axis(1)), "argmin of c64[2]: axis 1 is out of bounds; expected -1..0");
    SENTENCE(ty_amax(ty_zeros(TY_C64, TY_SHAPE(0)), TY_ALL),
             "amax of c64[0]: axis 0 is empty and has no minimum or maximum");
    SENTENCE(ty_variance(x, ty_axis(-4)), "variance of f32[2,3]: axis -4 is out of bounds; expected -2..1");
}

static void view_sentences(void) {
    operands();
    SENTENCE(ty_reshape(x, TY_SHAPE(4, 2)), "reshape of f32[2,3]: shape [4,2] has 8 elements instead of 6");
    SENTENCE(ty_reshape(x, TY_SHAPE(4, -1)),
             "reshape of f32[2,3]: no size of axis 1 of [4,-1] gives 6 elements");
    SENTENCE(ty_reshape(x, TY_SHAPE(-1, -1)),
             "reshape of f32[2,3]: shape [-1,-1] has more than one size of -1");
    SENTENCE(ty_reshape(x, TY_SHAPE(-2, 3)), "reshape of f32[2,3]: size -2 of axis 0 in [-2,3] is negative");
    SENTENCE(ty_reshape(x, TY_SHAPE(INT64_MAX, INT64_MAX)),
             "reshape of f32[2,3]: shape [9223372036854775807,9223372036854775807] has too many elements");
    SENTENCE(ty_reshape(empty, TY_SHAPE(0, -1)),
             "reshape of f32[2,0]: size -1 of axis 1 of [0,-1] is ambiguous for 0 elements; give the size");
    SENTENCE(ty_reshape(x, 65, NULL),
             "reshape of f32[2,3]: a result of 65 axes is out of range; expected 0..64");
    SENTENCE(ty_view_as(x, TY_F64),
             "view_as of f32[2,3]: the last axis of 3 elements cannot be divided into f64");
    SENTENCE(ty_view_as(x, TY_BOOL),
             "view_as of f32[2,3]: bytes other than 0 and 1 are not valid bools; use ty_ne");
    SENTENCE(ty_view_as(ty_num(1), TY_F32),
             "view_as of f64[]: a 0-d tensor has no axis for elements of another size; use ty_expand");
    SENTENCE(ty_view_as(x, (ty_dtype)99), "view_as of f32[2,3]: unknown dtype 99");
    SENTENCE(ty_squeeze(x, 1),
             "squeeze of f32[2,3]: axis 1 has size 3; only an axis of size 1 can be removed");
    SENTENCE(ty_squeeze(x, 7), "squeeze of f32[2,3]: axis 7 is out of bounds; expected -2..1");
    SENTENCE(ty_squeeze(ty_num(1), 0), "squeeze of f64[]: axis 0 is out of bounds: a 0-d tensor has no axes");
    SENTENCE(ty_expand(x, 4), "expand of f32[2,3]: the new axis must be in -3..2, not 4");
    SENTENCE(ty_expand(x, -4), "expand of f32[2,3]: the new axis must be in -3..2, not -4");
    SENTENCE(ty_permute(x, (int[]){0, 0}), "permute of f32[2,3]: axis 0 is repeated in the order");
    SENTENCE(ty_permute(x, (int[]){0, 2}), "permute of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_permute(x, (int[]){-3, 0}), "permute of f32[2,3]: axis -3 is out of bounds; expected -2..1");
    SENTENCE(
        ty_transpose(v),
        "transpose of f32[3]: expected at least two axes; use ty_expand to make a vector a row or column");
    SENTENCE(
        ty_transpose(ty_num(1)),
        "transpose of f64[]: expected at least two axes; use ty_expand to make a vector a row or column");
    SENTENCE(ty_slice(x, 2, 0, 1, 1), "slice of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_slice(x, 0, 0, 1, 0), "slice of f32[2,3]: the step along axis 0 must not be 0");
    SENTENCE(ty_flip(x, -3), "slice of f32[2,3]: axis -3 is out of bounds; expected -2..1");
    SENTENCE(ty_broadcast(x, TY_SHAPE(3)),
             "broadcast of f32[2,3]: shape [3] has rank 1, less than the tensor's 2");
    SENTENCE(
        ty_broadcast(x, TY_SHAPE(2, 4)),
        "broadcast of f32[2,3]: axis 1 of shape [2,4] is 4, but the tensor has 3; only size 1 broadcasts");
    SENTENCE(ty_broadcast(x, TY_SHAPE(2, -3)),
             "broadcast of f32[2,3]: size -3 of axis 1 in [2,-3] is negative");
    SENTENCE(ty_broadcast(x, -1, NULL),
             "broadcast of f32[2,3]: a result of -1 axes is out of range; expected 0..64");
    SENTENCE(ty_window(x, 0, 3, 1, 1), "window of f32[2,3]: a window of 3 elements with "
                                       "dilation 1 does not fit in the 2 of axis 0; use ty_pad");
    SENTENCE(ty_window(x, 1, 2, 1, 3), "window of f32[2,3]: a window of 2 elements with "
                                       "dilation 3 does not fit in the 3 of axis 1; use ty_pad");
    SENTENCE(ty_window(x, 1, 2, 0, 1),
             "window of f32[2,3]: size 2, stride 0 and dilation 1 must be positive");
    SENTENCE(ty_window(x, 5, 2, 1, 1), "window of f32[2,3]: axis 5 is out of bounds; expected -2..1");
    SENTENCE(ty_diagonal(x, 0, 0),
             "diagonal of f32[2,3]: a diagonal needs two different axes, not axis 0 twice");
    SENTENCE(ty_diagonal(x, 0, 2), "diagonal of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_diagonal(v, 0, 1), "diagonal of f32[3]: axis 1 is out of bounds; expected -1..0");
}

static void structure_sentences(void) {
    operands();
    SENTENCE(ty_pad(x, (ty_padding[]){{-1, -2, 0}, {0, 0, 0}}, ty_num(0)),
             "pad of f32[2,3] and f32[]: padding axis 0 by -1 and -2 cuts too much: its size would be -1");
    SENTENCE(ty_pad(x, (ty_padding[]){{0, 0, -1}, {0, 0, 0}}, ty_num(0)),
             "pad of f32[2,3] and f32[]: axis 0 has inner padding -1; expected 0 or more");
    SENTENCE(ty_pad(x, (ty_padding[]){{0, 0, 0}, {1, INT64_MAX, 0}}, ty_num(0)),
             "pad of f32[2,3] and f32[]: padding axis 1 by 1 and 9223372036854775807 makes it too long");
    SENTENCE(ty_pad(x, (ty_padding[]){{1, 0, 0}, {0, 0, 0}}, v),
             "pad of f32[2,3] and f32[3]: the value must be 0-d and of the dtype that is padded");
    SENTENCE(ty_concat(2, (ty_tensor *[]){x, v}, 0),
             "concat of f32[2,3] and f32[3]: operand 1 has rank 1, but operand 0 has rank 2");
    SENTENCE(ty_concat(2, (ty_tensor *[]){x, w}, 0), "concat of f32[2,3] and f32[4,5]: axis 1 of operand 1 "
                                                     "is 5, but 3 in operand 0; only axis 0 may differ");
    SENTENCE(ty_concat(1, (ty_tensor *[]){x}, 2),
             "concat of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_concat(0, NULL, 0), "concat: expected at least one tensor");
    SENTENCE(ty_concat(1, (ty_tensor *[]){ty_num(1)}, 0),
             "concat of f64[]: axis 0 is out of bounds: a 0-d tensor has no axes");
    SENTENCE(ty_stack(2, (ty_tensor *[]){x, v}, 0),
             "stack of f32[2,3] and f32[3]: operand 1 has another shape than operand 0");
    SENTENCE(ty_stack(2, (ty_tensor *[]){x, x}, 3),
             "stack of f32[2,3] and f32[2,3]: the new axis must be in -3..2, not 3");
    SENTENCE(ty_stack(-1, NULL, 0), "stack: expected at least one tensor");
    SENTENCE(ty_gather(x, v, 0),
             "gather of f32[2,3] and f32[3]: an index must be of an integer dtype, not f32");
    SENTENCE(ty_gather(x, places, 2),
             "gather of f32[2,3] and i32[3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_gather(empty, places, 1),
             "gather of f32[2,0] and i32[3]: axis 1 is empty: every index is out of bounds");
    SENTENCE(ty_scatter_add(x, v, 1, 4),
             "scatter_add of f32[2,3] and f32[3]: an index must be of an integer dtype, not f32");
    SENTENCE(ty_scatter_add(x, places, 0, 4),
             "scatter_add of f32[2,3] and i32[3]: the slices' axes from 0 on must have the index's sizes");
    SENTENCE(ty_scatter_add(x, places, 4, 4),
             "scatter_add of f32[2,3] and i32[3]: axis 4 is out of bounds; expected -2..1");
    SENTENCE(ty_scatter_add(x, places, 1, -4), "scatter_add of f32[2,3] and i32[3]: size -4 is negative");
    SENTENCE(ty_scatter_add(ty_ones(TY_BOOL, TY_SHAPE(3)), places, 0, 4),
             "scatter_add of bool[3] and i32[3]: bool cannot be added; use ty_cast");
    SENTENCE(ty_scatter_add(ty_num(1), places, 0, 4),
             "scatter_add of f64[] and i32[3]: the slices have rank 0, less than the index's 1");
    SENTENCE(ty_one_hot(v, 3, TY_F32), "one_hot of f32[3]: an index must be of an integer dtype, not f32");
    SENTENCE(ty_one_hot(places, -3, TY_F32), "one_hot of i32[3]: depth -3 is negative");
    SENTENCE(ty_one_hot(places, 3, (ty_dtype)77), "one_hot of i32[3]: unknown dtype 77");
}

static void source_sentences(void) {
    operands();
    SENTENCE(ty_iota(TY_F32, TY_SHAPE(2, 3), 2), "iota: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_iota(TY_F32, TY_SCALAR, 0), "iota: axis 0 is out of bounds: a 0-d tensor has no axes");
    SENTENCE(ty_iota(TY_BOOL, TY_SHAPE(2), 0), "iota: bool is not supported; use an integer dtype");
    SENTENCE(ty_iota(TY_F32, TY_SHAPE(2, -3), 0), "iota: size -3 of axis 1 in [2,-3] is negative");
    SENTENCE(ty_iota((ty_dtype)-1, TY_SHAPE(2), 0), "iota: unknown dtype -1");
    SENTENCE(ty_steps(TY_F32, 0, 1, -1), "steps: length -1 is negative");
    SENTENCE(ty_linspace((ty_dtype)40, 0, 1, 3), "linspace: unknown dtype 40");
    SENTENCE(ty_eye(TY_F32, -2), "eye: length -2 is negative");
    SENTENCE(ty_zeros(TY_F32, TY_SHAPE(2, -3)), "zeros: size -3 of axis 1 in [2,-3] is negative");
    SENTENCE(ty_ones(TY_F64, TY_SHAPE(INT64_MAX, 2)),
             "ones: f64[9223372036854775807,2] exceeds the address space");
    SENTENCE(ty_full(TY_F32, 65, NULL, 1), "full: a result of 65 axes is out of range; expected 0..64");
    SENTENCE(ty_scalar((ty_dtype)15, 1), "scalar: unknown dtype 15");
    SENTENCE(ty_from(TY_F32, TY_SHAPE(2), NULL), "from: the data of 8 bytes is NULL");
    SENTENCE(ty_from(TY_F32, TY_SHAPE(-1), NULL), "from: size -1 of axis 0 in [-1] is negative");
    SENTENCE(ty_borrow(TY_F32, TY_SHAPE(3), NULL, NULL, NULL), "borrow: the data of 3 elements is NULL");
    SENTENCE(ty_uniform(TY_I32, TY_SHAPE(2), key),
             "uniform of u64[2]: expected dtype f16, bf16, f32 or f64, not i32");
    SENTENCE(ty_uniform(TY_F32, TY_SHAPE(2), v),
             "uniform of f32[3]: a key is u64[2]; ty_key makes one from a seed");
    SENTENCE(ty_normal(TY_C64, TY_SHAPE(2), key),
             "normal of u64[2]: expected dtype f16, bf16, f32 or f64, not c64");
    SENTENCE(ty_normal(TY_F32, TY_SHAPE(-2), key), "normal of u64[2]: size -2 of axis 0 in [-2] is negative");
    SENTENCE(ty_bernoulli(TY_SHAPE(2), 1.5, key),
             "bernoulli of u64[2]: probability 1.5 is out of range; expected 0..1");
    SENTENCE(ty_bernoulli(TY_SHAPE(2), (double)NAN, key),
             "bernoulli of u64[2]: probability nan is out of range; expected 0..1");
    SENTENCE(ty_bernoulli(TY_SHAPE(2), 0.5, places),
             "bernoulli of i32[3]: a key is u64[2]; ty_key makes one from a seed");
    SENTENCE(ty_fold(places, 0), "fold of i32[3]: a key is u64[2]; ty_key makes one from a seed");
    SENTENCE(ty_fold(key, UINT64_MAX),
             "fold of u64[2]: numbers from 2^64-2 on are reserved; use a smaller one");
}

static void product_sentences(void) {
    operands();
    SENTENCE(ty_matmul(x, w), "matmul of f32[2,3] and f32[4,5]: sizes do not match: axis 1 of the first is "
                              "3, axis 0 of the second is 4");
    SENTENCE(ty_matmul(x, x), "matmul of f32[2,3] and f32[2,3]: sizes do not match: axis 1 of the first is "
                              "3, axis 0 of the second is 2; transpose the second (ty_transpose)");
    SENTENCE(ty_matmul(x, ty_num(2)),
             "matmul of f32[2,3] and f64[]: a 0-d operand has no axis to sum over; use ty_mul to scale");
    SENTENCE(ty_matmul(ty_ones(TY_F32, TY_SHAPE(2, 4, 3)), ty_ones(TY_F32, TY_SHAPE(3, 3, 5))),
             "matmul of f32[2,4,3] and f32[3,3,5]: batches do not broadcast: axis 0 of the first is 2, "
             "axis 0 of the second is 3");
    SENTENCE(ty_dot_product(x, w),
             "dot_product of f32[2,3] and f32[4,5]: sizes of the last axes do not match: 3 and 5");
    SENTENCE(ty_dot_product(v, ty_num(2)),
             "dot_product of f32[3] and f64[]: a 0-d operand has no axis to sum over; use ty_mul to scale");
    SENTENCE(ty_dot_product(ty_ones(TY_F32, TY_SHAPE(2, 3)), ty_ones(TY_F32, TY_SHAPE(4, 3))),
             "dot_product of f32[2,3] and f32[4,3]: batches do not broadcast: axis 0 of the first is 2, "
             "axis 0 of the second is 4");
    SENTENCE(ty_conv2d(x, w, (ty_conv){.same = true}),
             "conv2d of f32[2,3] and f32[4,5]: x must be (N,H,W,C) and w (R,S,C,K), of rank 4 both, not "
             "2 and 2");
    SENTENCE(ty_conv2d(image, ty_ones(TY_F32, TY_SHAPE(3, 3, 2, 8)), (ty_conv){.same = true}),
             "conv2d of f32[1,8,8,3] and f32[3,3,2,8]: x (N,H,W,C) has 3 channels in axis 3 and w "
             "(R,S,C,K) takes 2 in axis 2");
    SENTENCE(ty_conv2d(image, kernel, (ty_conv){.stride = {-1, 0}}),
             "conv2d of f32[1,8,8,3] and f32[3,3,3,8]: stride -1 and dilation 1 of axis 1 must be "
             "positive");
    SENTENCE(ty_conv2d(image, kernel, (ty_conv){.low = {0, -4}, .high = {0, -2}}),
             "conv2d of f32[1,8,8,3] and f32[3,3,3,8]: a kernel of 3 with dilation 1 does not fit in "
             "axis 2 of x, which is 8 and -4 + -2 of padding");
    SENTENCE(ty_conv2d(image, kernel, (ty_conv){.dilation = {1, 4}}),
             "conv2d of f32[1,8,8,3] and f32[3,3,3,8]: a kernel of 3 with dilation 4 does not fit in "
             "axis 2 of x, which is 8 and 0 + 0 of padding");
    SENTENCE(ty_conv2d(image, ty_ones(TY_F32, TY_SHAPE(0, 3, 3, 8)), (ty_conv){.same = true}),
             "conv2d of f32[1,8,8,3] and f32[0,3,3,8]: a kernel of 0 with dilation 1 does not fit in "
             "axis 1 of x, which is 8 and 0 + 0 of padding");
}

static void pool_sentences(void) {
    operands();
    SENTENCE(ty_max_pool2d(x, (ty_pool){.size = {2, 2}}),
             "max_pool2d of f32[2,3]: x must have rank 4, (N,H,W,C) or (N,C,H,W) with nchw, not 2");
    SENTENCE(ty_max_pool2d(image, (ty_pool){.size = {0, 2}}),
             "max_pool2d of f32[1,8,8,3]: size 0 and stride 0 of axis 1 must be positive");
    SENTENCE(ty_max_pool2d(image, (ty_pool){.size = {2, 2}, .stride = {1, -1}}),
             "max_pool2d of f32[1,8,8,3]: size 2 and stride -1 of axis 2 must be positive");
    SENTENCE(ty_max_pool2d(image, (ty_pool){.size = {2, 2}, .low = {2, 0}}),
             "max_pool2d of f32[1,8,8,3]: padding 2 and 0 of axis 1 must be 0 or more and less than the "
             "window's 2");
    SENTENCE(ty_max_pool2d(image, (ty_pool){.size = {2, 9}}),
             "max_pool2d of f32[1,8,8,3]: a window of 9 does not fit in axis 2, which is 8 and 0 + 0 of "
             "padding");
    SENTENCE(ty_max_pool2d(ty_ones(TY_C64, TY_SHAPE(1, 4, 4, 1)), (ty_pool){.size = {2, 2}}),
             "max_pool2d of c64[1,4,4,1]: complex numbers have no order; use ty_abs or ty_real first");
    SENTENCE(ty_max_pool2d_index(x, (ty_pool){.size = {2, 2}}),
             "max_pool2d_index of f32[2,3]: x must have rank 4, (N,H,W,C) or (N,C,H,W) with nchw, not 2");
    SENTENCE(ty_max_pool2d_index(image, (ty_pool){.size = {2, 2}, .high = {0, -1}}),
             "max_pool2d_index of f32[1,8,8,3]: padding 0 and -1 of axis 2 must be 0 or more and less "
             "than the window's 2");
    SENTENCE(ty_max_pool2d_index(image, (ty_pool){.size = {2, 5}, .nchw = true}),
             "max_pool2d_index of f32[1,8,8,3]: a window of 5 does not fit in axis 3, which is 3 and 0 "
             "+ 0 of padding");
    SENTENCE(ty_avg_pool2d(x, (ty_pool){.size = {2, 2}}),
             "avg_pool2d of f32[2,3]: x must have rank 4, (N,H,W,C) or (N,C,H,W) with nchw, not 2");
    SENTENCE(ty_avg_pool2d(image, (ty_pool){.size = {2, 0}}),
             "avg_pool2d of f32[1,8,8,3]: size 0 and stride 0 of axis 2 must be positive");
    SENTENCE(ty_avg_pool2d(image, (ty_pool){.size = {2, 2}, .high = {2, 0}}),
             "avg_pool2d of f32[1,8,8,3]: padding 0 and 2 of axis 1 must be 0 or more and less than the "
             "window's 2");
    SENTENCE(ty_lp_pool2d(image, (ty_pool){.size = {2, 2}, .power = 0.5}),
             "lp_pool2d of f32[1,8,8,3]: the power 0.5 must be 1 or more");
}

static void composite_sentences(void) {
    operands();
    SENTENCE(ty_softmax(x, 2), "softmax of f32[2,3]: axis 2 is out of bounds; expected -2..1");
    SENTENCE(ty_softmax(z, 0), "softmax of c64[2]: complex dtypes are not supported; use ty_real or ty_abs");
    SENTENCE(ty_log_softmax(x, -3), "log_softmax of f32[2,3]: axis -3 is out of bounds; expected -2..1");
    SENTENCE(ty_cross_entropy(x, v),
             "cross_entropy of f32[2,3] and f32[3]: logits must be (N,C) and labels (N), with one N");
    SENTENCE(ty_cross_entropy(v, places),
             "cross_entropy of f32[3] and i32[3]: logits must be (N,C) and labels (N), with one N");
    SENTENCE(ty_cross_entropy(w, places),
             "cross_entropy of f32[4,5] and i32[3]: logits must be (N,C) and labels (N), with one N");
    SENTENCE(ty_cross_entropy(ty_ones(TY_F32, TY_SHAPE(3, 4)), v),
             "cross_entropy of f32[3,4] and f32[3]: labels must be of an integer dtype, not f32");
    SENTENCE(ty_cross_entropy(ty_ones(TY_F32, TY_SHAPE(3, 0)), places),
             "cross_entropy of f32[3,0] and i32[3]: the batch is empty, so it has no mean");
    SENTENCE(ty_silu(z), "silu of c64[2]: complex dtypes are not supported; use ty_real or ty_abs");
    SENTENCE(ty_gelu(z), "gelu of c64[2]: complex dtypes are not supported; use ty_real or ty_abs");
    SENTENCE(ty_elu(z, 1), "elu of c64[2]: complex dtypes are not supported; use ty_real or ty_abs");
    SENTENCE(ty_relu6(z), "relu6 of c64[2]: complex dtypes are not supported; use ty_real or ty_abs");
    SENTENCE(ty_leaky_relu(z, 0.1),
             "leaky_relu of c64[2]: complex dtypes are not supported; use ty_real or ty_abs");
}

static void einsum_sentences(void) {
    operands();
    SENTENCE(ty_einsum("ij,jk->ik", x, w),
             "einsum \"ij,jk->ik\" of f32[2,3] and f32[4,5]: letter j is 3 in axis 1 of the first "
             "operand and 4 in axis 0 of the second");
    SENTENCE(ty_einsum("ij,jk", x, v),
             "einsum \"ij,jk\" of f32[2,3] and f32[3]: the second operand has rank 1 and the equation "
             "names 2 axes");
    SENTENCE(ty_einsum("i,jk", x, x),
             "einsum \"i,jk\" of f32[2,3] and f32[2,3]: the first operand has rank 2 and the equation "
             "names 1 axis; '...' would stand for the other axes");
    SENTENCE(ty_einsum("ij,jk,kl", x, w),
             "einsum \"ij,jk,kl\" of f32[2,3] and f32[4,5]: the equation has 3 operands and 2 were given");
    SENTENCE(ty_einsum("ij", x, w),
             "einsum \"ij\" of f32[2,3] and f32[4,5]: the equation has 1 operand and 2 were given");
    SENTENCE(ty_einsum("ij,jk", x, NULL),
             "einsum \"ij,jk\" of f32[2,3]: the equation has 2 operands and 1 was given");
    SENTENCE(ty_einsum("i1,jk", x, w),
             "einsum \"i1,jk\" of f32[2,3] and f32[4,5]: column 2: '1' is not a letter, ',', '->' or '...'");
    SENTENCE(ty_einsum("ij;jk", x, w),
             "einsum \"ij;jk\" of f32[2,3] and f32[4,5]: column 3: ';' is not a letter, ',', '->' or '...'");
    SENTENCE(ty_einsum("i\tj", x, NULL),
             "einsum \"i?j\" of f32[2,3]: column 2: byte 9 is not a letter, ',', '->' or '...'");
    SENTENCE(ty_einsum("ij->ik", x, NULL),
             "einsum \"ij->ik\" of f32[2,3]: column 6: letter k is not in any operand");
    SENTENCE(ty_einsum("ij->ii", x, NULL),
             "einsum \"ij->ii\" of f32[2,3]: column 6: letter i occurs twice in the output");
    SENTENCE(ty_einsum("ij->i->j", x, NULL), "einsum \"ij->i->j\" of f32[2,3]: column 6: '->' is repeated");
    SENTENCE(ty_einsum("ij-i", x, NULL), "einsum \"ij-i\" of f32[2,3]: column 3: '-' is not part of '->'");
    SENTENCE(ty_einsum("ij->i,j", x, NULL), "einsum \"ij->i,j\" of f32[2,3]: column 6: ',' in the output");
    SENTENCE(ty_einsum("i..", x, NULL), "einsum \"i..\" of f32[2,3]: column 2: '.' is not part of '...'");
    SENTENCE(ty_einsum("...i...", x, NULL), "einsum \"...i...\" of f32[2,3]: column 5: '...' is repeated");
    SENTENCE(ty_einsum("...i->i", x, NULL),
             "einsum \"...i->i\" of f32[2,3]: the output lacks '...', which stands for 1 axis");
    SENTENCE(ty_einsum("ii", x, NULL),
             "einsum \"ii\" of f32[2,3]: letter i is 2 in axis 0 of the first operand and 3 in axis 1 "
             "of the first");
    SENTENCE(ty_einsum("...,...", x, w),
             "einsum \"...,...\" of f32[2,3] and f32[4,5]: an axis of '...' is 2 in axis 0 of the first "
             "operand and 4 in axis 0 of the second");
    SENTENCE(ty_einsum("ij,ij->ij", x, v),
             "einsum \"ij,ij->ij\" of f32[2,3] and f32[3]: the second operand has rank 1 and the "
             "equation names 2 axes");
    SENTENCE(ty_einsum(NULL, x, w), "einsum of f32[2,3] and f32[4,5]: the equation is NULL");
    SENTENCE(ty_einsum("", x, NULL),
             "einsum \"\" of f32[2,3]: the first operand has rank 2 and the equation names 0 axes; '...' "
             "would stand for the other axes");
}

static const struct test_case cases[] = {
#define CASE(name, operators) TEST_REACHES(name, operators),
#include "tests/ops/core/sentences.def"
};
TESTS_MAIN_TABLE(cases)
