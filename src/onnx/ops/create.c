/* Creating tensors, converting dtypes, random numbers. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"

/* ---- creation ---- */

bool onnx_op_constant_of_shape(struct onnx_call *call) {
    struct ints sizes = ints_input(call, 0);
    ty_tensor *value = onnx_attribute(call, "value") ? onnx_tensor(call, "value") : ty_scalar(TY_F32, 0);
    return sizes.items && onnx_output(call, 0, ty_full_of(ty_reshape(value, 0, NULL), sizes.n, sizes.items));
}

bool onnx_op_eye_like(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    ty_dtype dtype = onnx_dtype(call, "dtype", ty_dtype_of(x));
    if (ty_rank(x) != 2) return onnx_refuse(call, E_SHAPE, "expected a matrix, not %d axes", ty_rank(x));
    return onnx_output(call, 0, ty_eye_of(dtype, ty_shape(x)[0], ty_shape(x)[1], onnx_int(call, "k", 0)));
}

/* Return start, start + delta, ... before limit, in the operands' dtype; half floats are computed wider. */
bool onnx_op_range(struct onnx_call *call) {
    ty_tensor *start = onnx_known(call, onnx_input(call, 0)), *limit = onnx_known(call, onnx_input(call, 1));
    ty_dtype dtype = ty_dtype_of(start);
    ty_tensor *delta = onnx_known(call, onnx_input_or(call, 2, ty_scalar(dtype, 1)));
    return onnx_output(call, 0,
                       ty_arange_of(dtype, ty_reshape(start, 0, NULL), ty_reshape(limit, 0, NULL),
                                    ty_reshape(delta, 0, NULL)));
}

/* ---- dtypes ---- */

bool onnx_op_bit_cast(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    ty_dtype from = ty_dtype_of(x), to = onnx_dtype(call, "to", from);
    if (ty_dtype_size(from) != ty_dtype_size(to))
        return onnx_refuse(call, E_DTYPE, "%s and %s have elements of different sizes", ty_dtype_name(from),
                           ty_dtype_name(to));
    /* bool has bytes of 0 and 1: the same bits as numbers, and numbers other than 0 are true */
    bool truth = from == TY_BOOL || to == TY_BOOL;
    return onnx_output(call, 0, from == to ? x : truth ? ty_cast(x, to) : ty_view_as(x, to));
}

/* ---- dropout ---- */

static bool drop(struct onnx_call *call, bool training, double ratio, ty_dtype mask_dtype) {
    ty_tensor *x = onnx_input(call, 0);
    if (!(ratio >= 0 && ratio < 1) && training)
        return onnx_refuse(call, E_DOMAIN, "the ratio is %g; expected 0..1 without 1", ratio);
    if (!training || ratio == 0)
        return onnx_output(call, 0, x) &&
               (!onnx_wants(call, 1) || onnx_output(call, 1, ty_ones(mask_dtype, ty_rank(x), ty_shape(x))));
    ty_tensor *keep = ty_bernoulli(ty_rank(x), ty_shape(x), 1 - ratio, onnx_key(call));
    ty_tensor *y = ty_where(keep, ty_mul(x, ty_num(1 / (1 - ratio))), ty_num(0));
    return onnx_output(call, 0, y) &&
           (!onnx_wants(call, 1) || onnx_output(call, 1, ty_cast(keep, mask_dtype)));
}
/* Opsets 1 to 6 drop unless is_test is set, those up to 11 never. */
bool onnx_op_dropout_attribute(struct onnx_call *call) {
    bool training = call->opset < 7 && !onnx_int(call, "is_test", 0);
    ty_dtype mask = call->opset < 10 ? ty_dtype_of(onnx_input(call, 0)) : TY_BOOL;
    return drop(call, training, onnx_float(call, "ratio", 0.5), mask);
}
bool onnx_op_dropout(struct onnx_call *call) {
    bool training = onnx_known_real(call, 2, 0) != 0;
    return drop(call, training, training ? onnx_known_real(call, 1, 0.5) : 0, TY_BOOL);
}

/* ---- random numbers ---- */

static bool random_uniform(struct onnx_call *call, ty_dtype dtype, int rank, const int64_t *shape) {
    double low = onnx_float(call, "low", 0), high = onnx_float(call, "high", 1);
    ty_tensor *u = ty_uniform(dtype, rank, shape, onnx_key(call));
    return onnx_output(call, 0, ty_add(ty_mul(u, ty_num(high - low)), ty_num(low)));
}
static bool random_normal(struct onnx_call *call, ty_dtype dtype, int rank, const int64_t *shape) {
    ty_tensor *z = ty_normal(dtype, rank, shape, onnx_key(call));
    return onnx_output(
        call, 0,
        ty_add(ty_mul(z, ty_num(onnx_float(call, "scale", 1))), ty_num(onnx_float(call, "mean", 0))));
}
bool onnx_op_random_uniform(struct onnx_call *call) {
    struct ints shape = ints_attribute(call, "shape");
    return random_uniform(call, onnx_dtype(call, "dtype", TY_F32), shape.n, shape.items);
}
bool onnx_op_random_normal(struct onnx_call *call) {
    struct ints shape = ints_attribute(call, "shape");
    return random_normal(call, onnx_dtype(call, "dtype", TY_F32), shape.n, shape.items);
}
bool onnx_op_random_uniform_like(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    return random_uniform(call, onnx_dtype(call, "dtype", ty_dtype_of(x)), ty_rank(x), ty_shape(x));
}
bool onnx_op_random_normal_like(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    return random_normal(call, onnx_dtype(call, "dtype", ty_dtype_of(x)), ty_rank(x), ty_shape(x));
}
/* Return 1 with the probability that each element of x holds, else 0. */
bool onnx_op_bernoulli(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    ty_tensor *u =
        ty_uniform(ty_dtype_of(x) == TY_F64 ? TY_F64 : TY_F32, ty_rank(x), ty_shape(x), onnx_key(call));
    return onnx_output(call, 0, ty_cast(ty_lt(u, x), onnx_dtype(call, "dtype", ty_dtype_of(x))));
}
/* Draw sample_size classes for each row of x (N,C), unnormalised logarithms of probabilities. */
bool onnx_op_multinomial(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int64_t n = onnx_int(call, "sample_size", 1);
    if (ty_rank(x) != 2 || n < 0)
        return onnx_refuse(call, E_SHAPE, "expected a matrix, not %d axes, and a size of 0 or more",
                           ty_rank(x));
    int64_t shape[] = {ty_shape(x)[0], n, ty_shape(x)[1]};
    ty_tensor *index = ty_categorical(ty_broadcast(ty_expand(x, 1), 3, shape), 2, onnx_key(call));
    return onnx_output(call, 0, ty_cast(index, onnx_dtype(call, "dtype", TY_I32)));
}
