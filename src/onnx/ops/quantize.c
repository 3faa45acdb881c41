/* Quantisation, and products of quantised tensors. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "ops/core/storage.h"
#include "onnx/ops/blocks.h"
#include "onnx/ops/quantized.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/windows.h"

/* Return x with a scale, the axis and blocks of the attributes.  One number for all needs no axis: the default may lie
   outside. */
static struct blocks blocks_of(struct onnx_call *call, ty_tensor *x, ty_tensor *scale) {
    struct blocks b = {.q = x, .scale = scale, .block = onnx_int(call, "block_size", 0)};
    if (b.block || ty_size(scale) != 1) b.axis = onnx_axis_of(call, onnx_int(call, "axis", 1), ty_rank(x));
    return b;
}
static ty_tensor *spread(struct onnx_call *call, ty_tensor *p, ty_tensor *x) {
    struct blocks b = blocks_of(call, x, p);
    return call->fault->set ? onnx_failed(call) : onnx_spread(call, &b, p);
}

ty_tensor *onnx_rounded(struct onnx_call *call, ty_tensor *x, ty_tensor *zero, ty_dtype dtype) {
    if (dtype_is(dtype_widened(dtype), CLASS_INTEGER)) x = ty_round(x);
    if (zero) x = ty_add(x, ty_cast(zero, TY_F32));
    return ty_cast_by(x, dtype, (ty_cast_options){.overflows = !onnx_int(call, "saturate", 1)});
}

bool onnx_op_quantize_linear(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *scale = onnx_input(call, 1), *zero = onnx_input_or(call, 2, NULL);
    ty_dtype dtype = zero ? ty_dtype_of(zero) : TY_U8, precision = ty_dtype_of(scale);
    if (onnx_int(call, "output_dtype", 0)) dtype = onnx_dtype(call, "output_dtype", dtype);
    if (onnx_int(call, "precision", 0)) precision = onnx_dtype(call, "precision", precision);
    if (zero && ty_dtype_of(zero) != dtype)
        return onnx_refuse(call, E_DTYPE, "output_dtype is %s, but the zero point %s", ty_dtype_name(dtype),
                           ty_dtype_name(ty_dtype_of(zero)));
    ty_tensor *y = ty_div(ty_cast(x, precision), ty_cast(spread(call, scale, x), precision));
    y = ty_cast(y, precision == TY_F64 ? TY_F64 : TY_F32);
    return onnx_output(call, 0,
                       onnx_rounded(call, y, zero ? spread(call, ty_cast(zero, TY_F32), x) : NULL, dtype));
}

bool onnx_op_dequantize_linear(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *scale = onnx_input(call, 1), *zero = onnx_input_or(call, 2, NULL);
    struct blocks b = blocks_of(call, x, scale);
    b.zero = zero, b.dtype = ty_dtype_of(scale);
    if (onnx_int(call, "output_dtype", 0)) b.dtype = onnx_dtype(call, "output_dtype", b.dtype);
    return !call->fault->set && onnx_blocks_output(call, &b);
}

/* A range of 0 alone, as that of no elements, has the scale 1. */
ty_tensor *onnx_quantized_dynamic(ty_tensor *x, ty_tensor **scale, ty_tensor **zero) {
    ty_tensor *none = ty_num(0), *most = ty_num(255), *zeros = ty_scalar(ty_dtype_of(x), 0);
    ty_tensor *high = ty_size(x) ? ty_max(ty_amax(x, TY_ALL), none) : zeros;
    ty_tensor *low = ty_size(x) ? ty_min(ty_amin(x, TY_ALL), none) : zeros;
    *scale = ty_div(ty_sub(high, low), most);
    *scale = ty_where(ty_eq(*scale, none), ty_num(1), *scale);
    ty_tensor *place = ty_round(ty_clip(ty_neg(ty_div(low, *scale)), none, most));
    *zero = ty_cast(place, TY_U8);
    return ty_cast(ty_clip(ty_add(ty_round(ty_div(x, *scale)), place), none, most), TY_U8);
}
bool onnx_op_dynamic_quantize_linear(struct onnx_call *call) {
    ty_tensor *scale, *zero, *y = onnx_quantized_dynamic(onnx_input(call, 0), &scale, &zero);
    return onnx_output(call, 0, y) && onnx_output(call, 1, scale) && onnx_output(call, 2, zero);
}

/* ---- products ---- */

bool onnx_op_matmul_integer(struct onnx_call *call) {
    return onnx_output(call, 0,
                       ty_matmul_integer(onnx_input(call, 0), onnx_input(call, 1),
                                         onnx_input_or(call, 2, NULL), onnx_input_or(call, 3, NULL)));
}
bool onnx_op_conv_integer(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *w = onnx_input(call, 1);
    ty_conv o;
    return onnx_conv_options(call, x, w, &o) &&
           onnx_output(call, 0,
                       ty_conv_integer(x, w, onnx_input_or(call, 2, NULL), onnx_input_or(call, 3, NULL), o));
}

/* Give the scale of rows of a a further axis; other scales broadcast as they are. */
static ty_tensor *of_rows(ty_tensor *scale) {
    return ty_rank(scale) == 1 && ty_size(scale) > 1 ? ty_expand(scale, 1) : scale;
}
/* Return scales a b / c in f32. */
static ty_tensor *factor(ty_tensor *a, ty_tensor *b, ty_tensor *c) {
    return ty_div(ty_mul(ty_cast(a, TY_F32), ty_cast(b, TY_F32)), ty_cast(c, TY_F32));
}
bool onnx_op_qlinear_matmul(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *a_scale = onnx_input(call, 1), *a_zero = onnx_input(call, 2);
    ty_tensor *b = onnx_input(call, 3), *b_scale = onnx_input(call, 4), *b_zero = onnx_input(call, 5);
    ty_tensor *y_scale = onnx_input(call, 6), *y_zero = onnx_input(call, 7);
    ty_tensor *y = ty_cast(ty_matmul_integer(a, b, a_zero, b_zero), TY_F32);
    y = ty_mul(y, factor(of_rows(a_scale), b_scale, of_rows(y_scale)));
    return onnx_output(call, 0, onnx_rounded(call, y, of_rows(y_zero), ty_dtype_of(y_zero)));
}
/* Convolution of quantised operands; scales and zero points of w may be one for each output channel. */
bool onnx_op_qlinear_conv(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *w = onnx_input(call, 3), *w_scale = onnx_input(call, 4);
    ty_tensor *y_zero = onnx_input(call, 7), *bias = onnx_input_or(call, 8, NULL);
    ty_conv o;
    bool last = onnx_int(call, "channels_last", 0) && ty_rank(x) > 2; /* of com.microsoft */
    if (last) x = channels_second(x);
    if (!onnx_conv_options(call, x, w, &o)) return false;
    int rank = ty_rank(x);
    ty_tensor *y = ty_conv_integer(x, w, ty_reshape(onnx_input(call, 2), 0, NULL), onnx_input(call, 5), o);
    if (!ty_ok(y)) return onnx_output(call, 0, y);
    if (!onnx_sized(call, "B", bias, 1, ty_shape(y) + 1)) return false;
    if (bias) y = ty_add(y, along_axis(bias, rank, 1));
    w_scale = ty_size(w_scale) > 1 ? along_axis(w_scale, rank, 1) : ty_reshape(w_scale, 0, NULL);
    y = ty_mul(ty_cast(y, TY_F32), factor(onnx_input(call, 1), w_scale, onnx_input(call, 6)));
    y = onnx_rounded(call, y, y_zero, ty_dtype_of(y_zero));
    return onnx_output(call, 0, last ? channels_last(y) : y);
}
