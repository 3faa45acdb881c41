/* Normalisation. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/norms.h"
#include "onnx/ops/rows.h"

/* Return the axes of a rank from `from` on, kept, as a set. */
static ty_axes axes_from(int from, int rank) {
    int axes[TY_MAX_RANK];
    for (int i = from; i < rank; i++) axes[i - from] = i;
    return ty_axes_of(rank - from, axes, true);
}
/* Return the dtype in which a normalisation computes: f64 if x or stash_type is f64, else stash_type, usually f32. */
static ty_dtype stash(struct onnx_call *call, ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x), wanted = onnx_dtype(call, "stash_type", TY_F32);
    return dtype == TY_F64 || wanted == TY_F64 ? TY_F64 : wanted;
}
/* Return half floats in f32, in which their squares and sums do not overflow. */
static ty_tensor *widened(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    return dtype == TY_F16 || dtype == TY_BF16 ? ty_cast(x, TY_F32) : x;
}
/* Return 1 / sqrt(x + epsilon). */
static ty_tensor *inverse_root(ty_tensor *x, double epsilon) { return ty_rsqrt(ty_add(x, ty_num(epsilon))); }

/* ---- layers, groups, instances ---- */

ty_tensor *onnx_layer_norm(struct layer_norm *l, ty_tensor *wide, ty_dtype dtype, ty_tensor *gamma,
                           ty_tensor *beta) {
    ty_axes axes = axes_from(l->axis, ty_rank(wide));
    ty_tensor *apart = wide;
    if (l->centred) l->mean = ty_mean(wide, axes), apart = ty_sub(wide, l->mean);
    l->scale = inverse_root(ty_mean(ty_square(apart), axes), l->epsilon);
    ty_tensor *y = ty_mul(ty_cast(ty_mul(apart, l->scale), dtype), gamma);
    return beta ? ty_add(y, beta) : y;
}
bool onnx_op_layer_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *bias = onnx_input_or(call, 2, NULL);
    struct layer_norm l = {.axis = onnx_axis(call, "axis", -1, x),
                           .centred = true,
                           .epsilon = onnx_float(call, "epsilon", 1e-5)};
    ty_tensor *scale = onnx_input(call, 1);
    if (!onnx_spreads(call, "Scale", scale, ty_rank(x), ty_shape(x)) ||
        !onnx_spreads(call, "B", bias, ty_rank(x), ty_shape(x)))
        return false;
    ty_tensor *y = onnx_layer_norm(&l, ty_cast(x, stash(call, x)), ty_dtype_of(x), scale, bias);
    return onnx_output(call, 0, y) && onnx_output(call, 1, l.mean) && onnx_output(call, 2, l.scale);
}
/* The second result is that of SimplifiedLayerNormalization. */
bool onnx_op_rms_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct layer_norm l = {.axis = onnx_axis(call, "axis", -1, x),
                           .centred = false,
                           .epsilon = onnx_float(call, "epsilon", 1e-5)};
    ty_tensor *scale = onnx_input(call, 1);
    if (!onnx_spreads(call, "scale", scale, ty_rank(x), ty_shape(x))) return false;
    ty_tensor *y = onnx_layer_norm(&l, ty_cast(x, stash(call, x)), ty_dtype_of(x), scale, NULL);
    return onnx_output(call, 0, y) && onnx_output(call, 1, l.scale);
}

/* Normalise x over the axes: (x - mean) / sqrt(variance + epsilon). */
static ty_tensor *normal(ty_tensor *x, ty_axes axes, double epsilon) {
    ty_tensor *apart = ty_sub(x, ty_mean(x, axes));
    return ty_mul(apart, inverse_root(ty_mean(ty_square(apart), axes), epsilon));
}
/* True if a scale and a bias are vectors of n elements. */
static bool scale_and_bias_fit(struct onnx_call *call, ty_tensor *scale, ty_tensor *bias, int64_t n) {
    return onnx_sized(call, "scale", scale, 1, &n) && onnx_sized(call, "bias", bias, 1, &n);
}
bool onnx_op_instance_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *scale = onnx_input(call, 1), *bias = onnx_input(call, 2);
    int rank = ty_rank(x);
    if (rank < 2) return onnx_refuse(call, E_SHAPE, "expected 2 or more axes, not %d", rank);
    if (!scale_and_bias_fit(call, scale, bias, ty_shape(x)[1])) return false;
    ty_tensor *y = normal(widened(x), axes_from(2, rank), onnx_float(call, "epsilon", 1e-5));
    y = ty_mul(y, along_axis(scale, rank, 1));
    y = ty_add(y, along_axis(bias, rank, 1));
    return onnx_output(call, 0, ty_cast(y, ty_dtype_of(x)));
}
ty_tensor *onnx_group_norm(ty_tensor *x, int64_t groups, double epsilon) {
    int rank = ty_rank(x);
    const int64_t *s = ty_shape(x);
    int64_t each = product(x, 1, rank) / groups;
    ty_tensor *y = normal(ty_reshape(x, 3, (int64_t[]){s[0], groups, each}), axes_from(2, 3), epsilon);
    return ty_reshape(y, rank, s);
}
/* Opsets 18 to 20 have a scale and a bias for each group, later ones for each channel. */
bool onnx_op_group_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *scale = onnx_input(call, 1), *bias = onnx_input(call, 2);
    int64_t groups = onnx_int(call, "num_groups", 0);
    int rank = ty_rank(x);
    const int64_t *s = ty_shape(x);
    if (rank < 3 || groups < 1 || s[1] % groups)
        return onnx_refuse(call, E_SHAPE, "%lld groups do not divide the channels of an operand of %d axes",
                           (long long)groups, rank);
    if (!scale_and_bias_fit(call, scale, bias, call->opset < 21 ? groups : s[1])) return false;
    ty_dtype dtype = ty_dtype_of(x), wide = call->opset < 21 ? ty_dtype_of(widened(x)) : stash(call, x);
    double epsilon = onnx_float(call, "epsilon", 1e-5);
    ty_tensor *y = onnx_group_norm(ty_cast(x, wide), groups, epsilon);
    if (call->opset < 21) {
        y = ty_reshape(y, 3, (int64_t[]){s[0], groups, product(x, 1, rank) / groups});
        y = ty_add(ty_mul(y, along_axis(scale, 3, 1)), along_axis(bias, 3, 1));
        return onnx_output(call, 0, ty_cast(ty_reshape(y, rank, s), dtype));
    }
    y = ty_cast(y, dtype);
    return onnx_output(call, 0, ty_add(ty_mul(y, along_axis(scale, rank, 1)), along_axis(bias, rank, 1)));
}

/* ---- batches ---- */

/* Give a parameter the axes of x: one number for each channel, or, with spatial 0, for each element of an example. */
static ty_tensor *of_channels(ty_tensor *p, ty_tensor *x, bool spatial) {
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i < ty_rank(x); i++) shape[i] = i && (i == 1 || !spatial) ? ty_shape(x)[i] : 1;
    return ty_reshape(p, ty_rank(x), shape);
}
/* True if the node wants the statistics of its batch, which makes nodes of opsets before 14 train. */
static bool wants_statistics(const struct onnx_call *call) {
    bool wants = false;
    for (int i = 1; i < call->noutputs; i++) wants = wants || onnx_wants(call, i);
    return wants;
}
bool onnx_op_batch_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *mean = onnx_input(call, 3), *variance = onnx_input(call, 4);
    bool spatial = call->opset >= 9 || onnx_int(call, "spatial", 1);
    bool training = call->opset >= 14  ? onnx_int(call, "training_mode", 0)
                    : call->opset >= 7 ? wants_statistics(call)
                                       : !onnx_int(call, "is_test", 0) && wants_statistics(call);
    double keep = onnx_float(call, "momentum", 0.9);
    ty_dtype dtype = ty_dtype_of(x);
    if (training) {
        int axes[TY_MAX_RANK] = {0}, n = 1;
        for (int i = 2; spatial && i < ty_rank(x); i++) axes[n++] = i;
        ty_tensor *wide = ty_cast(x, ty_dtype_of(mean)), *old_mean = mean, *old_variance = variance;
        mean = ty_reshape(ty_mean(wide, ty_axes_of(n, axes, false)), ty_rank(mean), ty_shape(mean));
        variance =
            ty_reshape(ty_variance(wide, ty_axes_of(n, axes, false)), ty_rank(mean), ty_shape(old_mean));
        ty_tensor *new_mean = ty_add(ty_mul(old_mean, ty_num(keep)), ty_mul(mean, ty_num(1 - keep)));
        ty_tensor *new_variance =
            ty_add(ty_mul(old_variance, ty_num(keep)), ty_mul(variance, ty_num(1 - keep)));
        if (!onnx_output(call, 1, new_mean) || !onnx_output(call, 2, new_variance) ||
            !onnx_output(call, 3, mean) || !onnx_output(call, 4, variance))
            return false;
    }
    ty_tensor *scale = ty_mul(inverse_root(variance, onnx_float(call, "epsilon", 1e-5)), onnx_input(call, 1));
    ty_tensor *y = ty_mul(ty_sub(x, of_channels(mean, x, spatial)), of_channels(scale, x, spatial));
    return onnx_output(call, 0, ty_cast(ty_add(y, of_channels(onnx_input(call, 2), x, spatial)), dtype));
}

/* ---- lines and neighbours ---- */

/* Divide x by (bias + alpha / size * the sum of squares of `size` neighbouring channels) to the power beta. */
bool onnx_op_lrn(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int64_t size = onnx_int(call, "size", 0);
    int rank = ty_rank(x);
    if (rank < 2 || size < 1 || size > INT32_MAX)
        return onnx_refuse(call, E_SHAPE, "size %lld and %d axes; expected 1 or more and 2 or more",
                           (long long)size, rank);
    ty_padding padding[TY_MAX_RANK] = {{0, 0, 0}};
    padding[1] = (ty_padding){(size - 1) / 2, size - 1 - (size - 1) / 2, 0};
    ty_tensor *wide = widened(x);
    ty_tensor *square = ty_pad(ty_square(wide), padding, ty_scalar(ty_dtype_of(wide), 0));
    ty_tensor *sum = ty_sum(ty_window(square, 1, size, 1, 1), ty_axis(-1));
    sum = ty_add(ty_mul(sum, ty_num(onnx_float(call, "alpha", 1e-4) / (double)size)),
                 ty_num(onnx_float(call, "bias", 1)));
    ty_tensor *y = ty_div(wide, ty_pow(sum, ty_num(onnx_float(call, "beta", 0.75))));
    return onnx_output(call, 0, ty_cast(y, ty_dtype_of(x)));
}

bool onnx_op_lp_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = onnx_axis(call, "axis", -1, x);
    int64_t p = onnx_int(call, "p", 2);
    if (p != 1 && p != 2) return onnx_refuse(call, E_ARGUMENT, "p is %lld; expected 1 or 2", (long long)p);
    ty_tensor *norm = ty_norm(x, (double)p, ty_axes_of(1, &axis, true));
    return onnx_output(call, 0, ty_div(x, ty_where(ty_eq(norm, ty_num(0)), ty_num(1), norm)));
}

bool onnx_op_mean_variance_normalization(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints given = ints_attribute(call, "axes");
    int axes[TY_MAX_RANK] = {0, 2, 3}, n = 3;
    if (given.n > TY_MAX_RANK)
        return onnx_refuse(call, E_INDEX, "%d axes are given for an operand of %d axes", given.n, ty_rank(x));
    if (given.items) n = given.n;
    for (int i = 0; i < given.n; i++) axes[i] = onnx_axis_of(call, given.items[i], ty_rank(x));
    ty_axes set = ty_axes_of(n, axes, true);
    ty_tensor *wide = widened(x), *apart = ty_sub(wide, ty_mean(wide, set));
    ty_tensor *deviation = ty_sqrt(ty_mean(ty_square(apart), set));
    ty_tensor *y = ty_div(apart, ty_add(deviation, ty_num(1e-9)));
    return onnx_output(call, 0, ty_cast(y, ty_dtype_of(x)));
}

/* ---- losses ---- */

/* Return the loss of log probabilities (N,C,..) at labels (N,..), reduced as the attribute says. */
static ty_tensor *loss_of(struct onnx_call *call, ty_tensor *logs, ty_tensor *labels, ty_tensor *weights) {
    static const char *const ways[] = {"none", "sum", "mean", NULL};
    int way = onnx_word(call, "reduction", "mean", ways);
    int64_t ignored = onnx_int(call, "ignore_index", 0);
    ty_tensor *seen = NULL, *weight = NULL;
    labels = ty_cast(labels, TY_I64);
    if (ty_ok(logs) && ty_rank(logs) < 2) {
        onnx_refuse(call, E_SHAPE, "expected 2 or more axes, not %d", ty_rank(logs));
        return onnx_failed(call);
    }
    if (onnx_attribute(call, "ignore_index")) {
        seen = ty_ne(labels, ty_int(ignored));
        labels = ty_where(seen, labels, ty_int(0));
    }
    if (ty_ok(logs)) labels = onnx_from_start(labels, ty_shape(logs)[1]);
    ty_tensor *loss = ty_neg(ty_squeeze(ty_take_along_axis(logs, ty_expand(labels, 1), 1), 1));
    if (weights) weight = ty_gather(weights, labels, 0);
    if (seen) {
        weight = ty_where(seen, weight ? weight : ty_ones_like(loss), ty_num(0));
        loss = ty_where(seen, loss, ty_num(0));
    }
    if (weight) loss = ty_mul(loss, weight);
    if (way == 0) return loss;
    ty_tensor *sum = ty_sum(widened(loss), TY_ALL);
    if (way == 2) sum = ty_div(sum, weight ? ty_sum(widened(weight), TY_ALL) : ty_num((double)ty_size(loss)));
    return ty_cast(sum, ty_dtype_of(logs));
}
bool onnx_op_negative_log_likelihood_loss(struct onnx_call *call) {
    ty_tensor *weights = onnx_input_or(call, 2, NULL);
    return onnx_output(call, 0, loss_of(call, onnx_input(call, 0), onnx_input(call, 1), weights));
}
bool onnx_op_softmax_cross_entropy_loss(struct onnx_call *call) {
    ty_tensor *logs = ty_log_softmax(onnx_input(call, 0), 1), *weights = onnx_input_or(call, 2, NULL);
    return onnx_output(call, 0, loss_of(call, logs, onnx_input(call, 1), weights)) &&
           (!onnx_wants(call, 1) || onnx_output(call, 1, logs));
}
