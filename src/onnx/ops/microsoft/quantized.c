/* Operators of com.microsoft on operands of 8 bits. */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/pool.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/quantized.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/windows.h"

/* Return an input of one number, of any rank, as a 0-d tensor. */
static ty_tensor *number(struct onnx_call *call, int i) { return ty_reshape(onnx_input(call, i), 0, NULL); }

ty_tensor *onnx_dequantized(struct onnx_call *call, int i, int scale, int zero) {
    ty_tensor *x = ty_cast(onnx_input(call, i), TY_F32);
    if (onnx_has(call, zero)) x = ty_sub(x, ty_cast(number(call, zero), TY_F32));
    return ty_mul(x, ty_cast(number(call, scale), TY_F32));
}
ty_tensor *onnx_requantized(struct onnx_call *call, ty_tensor *y, int scale, int zero, ty_dtype dtype) {
    y = ty_div(y, number(call, scale));
    return onnx_rounded(call, y, onnx_has(call, zero) ? number(call, zero) : NULL, dtype);
}
/* Give f32 results in the dtype of input 0, with the scale of input i and the zero point after it. */
static bool give(struct onnx_call *call, ty_tensor *y, int i) {
    return onnx_output(call, 0, onnx_requantized(call, y, i, i + 1, ty_dtype_of(onnx_input(call, 0))));
}
/* As give, but round after the zero point was added, as ONNX Runtime does in these operators: ties differ. */
static bool give_sum(struct onnx_call *call, ty_tensor *y, int i) {
    y = ty_div(y, number(call, i));
    if (onnx_has(call, i + 1)) y = ty_add(y, ty_cast(number(call, i + 1), TY_F32));
    return onnx_output(call, 0, onnx_rounded(call, y, NULL, ty_dtype_of(onnx_input(call, 0))));
}

/* ---- elements ---- */

bool onnx_op_qlinear_add(struct onnx_call *call) {
    return give_sum(call, ty_add(onnx_dequantized(call, 0, 1, 2), onnx_dequantized(call, 3, 4, 5)), 6);
}
bool onnx_op_qlinear_mul(struct onnx_call *call) {
    return give_sum(call, ty_mul(onnx_dequantized(call, 0, 1, 2), onnx_dequantized(call, 3, 4, 5)), 6);
}
bool onnx_op_qlinear_sigmoid(struct onnx_call *call) {
    return give(call, ty_sigmoid(onnx_dequantized(call, 0, 1, 2)), 3);
}
bool onnx_op_qlinear_leaky_relu(struct onnx_call *call) {
    return give(call, ty_leaky_relu(onnx_dequantized(call, 0, 1, 2), onnx_float(call, "alpha", 0.01)), 3);
}
bool onnx_op_qlinear_where(struct onnx_call *call) {
    ty_tensor *x = onnx_dequantized(call, 1, 2, 3), *y = onnx_dequantized(call, 4, 5, 6);
    ty_tensor *z = ty_where(onnx_input(call, 0), x, y);
    return onnx_output(call, 0, onnx_requantized(call, z, 7, 8, ty_dtype_of(onnx_input(call, 1))));
}
/* Inputs: the result's scale and zero point, then an operand, its scale and its zero point each. */
bool onnx_op_qlinear_concat(struct onnx_call *call) {
    int n = call->ninputs / 3;
    if (call->ninputs < 5 || call->ninputs % 3 != 2)
        return onnx_refuse(call, E_ARGUMENT, "has %d inputs; expected 2 and 3 for each operand",
                           call->ninputs);
    ty_tensor **parts = onnx_memory(call, n, sizeof *parts);
    for (int i = 0; i < n && parts; i++) parts[i] = onnx_dequantized(call, 3 * i + 2, 3 * i + 3, 3 * i + 4);
    if (call->fault->set || !parts) return false;
    if (!ty_ok(parts[0])) return onnx_output(call, 0, parts[0]);
    int axis = axis_at(call, onnx_int(call, "axis", 0), ty_rank(parts[0]));
    if (axis < 0) return false;
    ty_tensor *y = ty_concat(n, parts, axis);
    return onnx_output(call, 0, onnx_requantized(call, y, 0, 1, ty_dtype_of(onnx_input(call, 1))));
}

/* ---- reductions ---- */

/* Softmax along an axis or, as before opset 13 of ai.onnx, over all axes from it on. */
bool onnx_op_qlinear_softmax(struct onnx_call *call) {
    ty_tensor *x = onnx_dequantized(call, 0, 1, 2);
    if (!ty_ok(x)) return onnx_output(call, 0, x);
    int axis = axis_at(call, onnx_int(call, "axis", -1), ty_rank(x));
    if (axis < 0) return false;
    bool one = onnx_int(call, "opset", 13) >= 13;
    return give(call, one ? ty_softmax(x, axis) : from_axis(x, axis, ty_softmax), 3);
}
bool onnx_op_qlinear_reduce_mean(struct onnx_call *call) {
    ty_tensor *x = onnx_dequantized(call, 0, 1, 2);
    struct ints given = ints_attribute(call, "axes");
    int axes[TY_MAX_RANK];
    bool keep = onnx_int(call, "keepdims", 1);
    if (given.n > TY_MAX_RANK)
        return onnx_refuse(call, E_INDEX, "%d axes are given for an operand of %d axes", given.n, ty_rank(x));
    for (int i = 0; i < given.n; i++) axes[i] = onnx_axis_of(call, given.items[i], ty_rank(x));
    ty_axes set = given.n ? ty_axes_of(given.n, axes, keep) : TY_ALL;
    set.keep = keep;
    return give(call, ty_mean(x, set), 3);
}
/* Return x with channels before the spatial axes. */
static ty_tensor *channels_first(struct onnx_call *call, ty_tensor *x) {
    if (!onnx_int(call, "channels_last", 0) || ty_rank(x) < 3) return x;
    return channels_second(x);
}
static ty_tensor *channels_back(struct onnx_call *call, ty_tensor *y) {
    if (!onnx_int(call, "channels_last", 0) || ty_rank(y) < 3) return y;
    return channels_last(y);
}
bool onnx_op_qlinear_average_pool(struct onnx_call *call) {
    ty_tensor *x = channels_first(call, onnx_dequantized(call, 0, 1, 2));
    return give_sum(call, channels_back(call, onnx_average_pool_of(call, x)), 3);
}
bool onnx_op_qlinear_global_average_pool(struct onnx_call *call) {
    ty_tensor *x = onnx_dequantized(call, 0, 1, 2);
    return give(call, ty_global_avg_pool(x, !onnx_int(call, "channels_last", 0)), 3);
}
/* Maximum pooling with channels last. */
bool onnx_op_nhwc_max_pool(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    if (ty_rank(x) < 3) return onnx_refuse(call, E_SHAPE, "expected 3 to 5 axes, not %d", ty_rank(x));
    return onnx_output(call, 0, channels_last(onnx_max_pool_of(call, channels_second(x))));
}

/* ---- products ---- */

/* Return a scale or zero point of one number, or of one for each column of a product. */
static ty_tensor *of_columns(ty_tensor *x) { return ty_size(x) == 1 ? ty_reshape(x, 0, NULL) : x; }
static ty_tensor *columns_or(struct onnx_call *call, int i) {
    return onnx_has(call, i) ? of_columns(onnx_input(call, i)) : NULL;
}
/* Return i32 products of a and b times their scales, plus the bias of an input, in the dtype of b's scale. */
static ty_tensor *scaled(struct onnx_call *call, ty_tensor *product, ty_tensor *a_scale, ty_tensor *b_scale,
                         int bias) {
    int rank = ty_rank(product);
    if (!ty_ok(product)) return product;
    const int64_t *columns = rank ? ty_shape(product) + rank - 1 : (int64_t[]){1};
    ty_tensor *more = onnx_input_or(call, bias, NULL);
    if (!onnx_spreads(call, "b_scale", of_columns(b_scale), 1, columns) ||
        !onnx_sized(call, "bias", more, 1, columns))
        return onnx_failed(call);
    ty_tensor *scale = ty_mul(ty_cast(a_scale, TY_F32), ty_cast(of_columns(b_scale), TY_F32));
    ty_tensor *y = ty_mul(ty_cast(product, TY_F32), scale);
    if (more) y = ty_add(y, ty_cast(more, TY_F32));
    return ty_cast(y, ty_dtype_of(b_scale));
}
bool onnx_op_matmul_integer_to_float(struct onnx_call *call) {
    ty_tensor *a_scale = number(call, 2), *b_scale = onnx_input(call, 3);
    ty_tensor *a_zero = onnx_has(call, 4) ? number(call, 4) : NULL;
    ty_tensor *y = ty_matmul_integer(onnx_input(call, 0), onnx_input(call, 1), a_zero, columns_or(call, 5));
    return onnx_output(call, 0, scaled(call, y, a_scale, b_scale, 6));
}
/* Quantise a to u8 by its own range first. */
bool onnx_op_dynamic_quantize_matmul(struct onnx_call *call) {
    ty_tensor *scale, *zero, *a = onnx_quantized_dynamic(onnx_input(call, 0), &scale, &zero);
    ty_tensor *y = ty_matmul_integer(a, onnx_input(call, 1), zero, columns_or(call, 3));
    return onnx_output(call, 0, scaled(call, y, scale, onnx_input(call, 2), 4));
}
/* Gemm of quantised matrices: f32 without a scale of the result, else quantised.  The bias is i32 in units of the
   products. */
bool onnx_op_qgemm(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 3);
    if (ty_rank(a) != 2 || ty_rank(b) != 2)
        return onnx_refuse(call, E_SHAPE, "operands have %d and %d axes; expected matrices", ty_rank(a),
                           ty_rank(b));
    if (onnx_int(call, "transA", 0)) a = ty_transpose(a);
    if (onnx_int(call, "transB", 0)) b = ty_transpose(b);
    ty_tensor *y = ty_matmul_integer(a, b, number(call, 2), of_columns(onnx_input(call, 5)));
    ty_tensor *c = onnx_input_or(call, 6, NULL);
    if (!ty_ok(y)) return onnx_output(call, 0, y);
    if (!onnx_spreads(call, "C", c, 2, ty_shape(y))) return false;
    if (c) y = ty_add(y, c);
    ty_tensor *scale = ty_mul(number(call, 1), ty_num(onnx_float(call, "alpha", 1)));
    y = ty_mul(ty_cast(y, TY_F32), ty_mul(scale, of_columns(onnx_input(call, 4))));
    if (!onnx_has(call, 7)) return onnx_output(call, 0, y);
    ty_dtype dtype = onnx_has(call, 8) ? ty_dtype_of(onnx_input(call, 8)) : ty_dtype_of(a);
    return onnx_output(call, 0, onnx_requantized(call, y, 7, 8, dtype));
}
