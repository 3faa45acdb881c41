/* Arithmetic, comparisons and activations that differ from the function of the same name, or have attributes. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/rows.h"

/* ---- two operands ---- */

ty_tensor *onnx_quotient(ty_tensor *a, ty_tensor *b) {
    if (is_floating(ty_dtype_of(a))) return ty_div(a, b);
    return ty_floor_div(ty_sub(a, ty_fmod(a, b)), b);
}
ty_tensor *onnx_power(ty_tensor *a, ty_tensor *b) { return ty_cast(ty_pow(a, b), ty_dtype_of(a)); }

bool onnx_op_mod(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1);
    return onnx_output(call, 0, onnx_int(call, "fmod", 0) ? ty_fmod(a, b) : ty_mod(a, b));
}

bool onnx_op_bit_shift(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1);
    const char *direction = onnx_text(call, "direction", "");
    if (!strcmp(direction, "LEFT")) return onnx_output(call, 0, ty_shift_left(a, b));
    if (!strcmp(direction, "RIGHT")) return onnx_output(call, 0, ty_shift_right(a, b));
    return onnx_refuse(call, E_ARGUMENT, "direction is '%s'; expected LEFT or RIGHT", direction);
}

bool onnx_op_einsum(struct onnx_call *call) {
    const char *equation = onnx_text(call, "equation", "");
    ty_tensor **x = onnx_tensors_from(call, 0);
    return x && onnx_output(call, 0, ty_einsum_of(equation, call->ninputs, x, (ty_einsum_options){0}));
}

/* ---- any number of operands ---- */

static bool fold(struct onnx_call *call, ty_tensor *(*f)(ty_tensor *, ty_tensor *), bool mean) {
    int n = call->ninputs;
    ty_tensor *y = onnx_input(call, 0);
    ty_dtype dtype = ty_dtype_of(y);
    if (mean && (dtype == TY_F16 || dtype == TY_BF16)) y = ty_cast(y, TY_F32); /* their sum may overflow */
    for (int i = 1; i < n; i++) y = f(y, onnx_input(call, i));
    return onnx_output(call, 0, mean ? ty_cast(ty_div(y, ty_int(n)), dtype) : y);
}
bool onnx_op_max(struct onnx_call *call) { return fold(call, ty_max, false); }
bool onnx_op_min(struct onnx_call *call) { return fold(call, ty_min, false); }
bool onnx_op_sum(struct onnx_call *call) { return fold(call, ty_add, false); }
bool onnx_op_mean(struct onnx_call *call) { return fold(call, ty_add, true); }

/* ---- one operand ---- */

/* Define a function of one tensor x; the result has x's dtype. */
#define UNARY(name, value)                                                                                   \
    bool onnx_op_##name(struct onnx_call *call) {                                                            \
        ty_tensor *x = onnx_input(call, 0);                                                                  \
        return onnx_output(call, 0, ty_cast(value, ty_dtype_of(x)));                                         \
    }
#define REAL(name, otherwise) ty_num(onnx_float(call, name, otherwise))

UNARY(elu, ty_elu(x, onnx_float(call, "alpha", 1)))
UNARY(leaky_relu, ty_leaky_relu(x, onnx_float(call, "alpha", 0.01)))
UNARY(thresholded_relu, ty_where(ty_gt(x, REAL("alpha", 1)), x, ty_num(0)))
/* Default constants: those of the standard, rounded to f32 as in its text. */
UNARY(selu, ty_mul(ty_elu(x, onnx_float(call, "alpha", 1.67326319217681884765625)),
                   REAL("gamma", 1.05070102214813232421875)))
UNARY(selu_1, ty_mul(ty_elu(x, onnx_float(call, "alpha", 1.6732)), REAL("gamma", 1.0507)))
UNARY(celu, ty_where(ty_gt(x, ty_num(0)), x, ty_mul(REAL("alpha", 1), ty_expm1(ty_div(x, REAL("alpha", 1))))))
UNARY(hard_sigmoid, ty_clip(ty_add(ty_mul(x, REAL("alpha", 0.2)), REAL("beta", 0.5)), ty_num(0), ty_num(1)))
UNARY(hard_swish, ty_mul(x, ty_clip(ty_add(ty_mul(x, ty_num(1. / 6)), ty_num(0.5)), ty_num(0), ty_num(1))))
UNARY(softsign, ty_softsign(x))
UNARY(mish, ty_mish(x))
UNARY(swish, ty_mul(x, ty_sigmoid(ty_mul(x, REAL("alpha", 1)))))
UNARY(shrink, ty_where(ty_lt(x, ty_neg(REAL("lambd", 0.5))), ty_add(x, REAL("bias", 0)),
                       ty_where(ty_gt(x, REAL("lambd", 0.5)), ty_sub(x, REAL("bias", 0)), ty_num(0))))

bool onnx_op_gelu(struct onnx_call *call) {
    const char *way = onnx_text(call, "approximate", "none");
    ty_tensor *x = onnx_input(call, 0);
    if (!strcmp(way, "none")) return onnx_output(call, 0, ty_gelu(x));
    if (!strcmp(way, "tanh")) return onnx_output(call, 0, ty_gelu_tanh(x));
    return onnx_refuse(call, E_ARGUMENT, "approximate is '%s'; expected none or tanh", way);
}

bool onnx_op_swiglu(struct onnx_call *call) {
    ty_tensor *a = onnx_input(call, 0), *b = onnx_input(call, 1);
    return onnx_output(call, 0, ty_mul(ty_mul(a, ty_sigmoid(ty_mul(a, REAL("alpha", 1)))), b));
}

static ty_tensor *prelu(ty_tensor *x, ty_tensor *slope) {
    return ty_where(ty_lt(x, ty_num(0)), ty_mul(x, slope), x);
}
bool onnx_op_prelu(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *slope = onnx_input(call, 1);
    return onnx_spreads(call, "slope", slope, ty_rank(x), ty_shape(x)) &&
           onnx_output(call, 0, prelu(x, slope));
}
/* Opsets 1 to 6: one slope, or one for each channel, axis 1. */
bool onnx_op_prelu_1(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *slope = onnx_input(call, 1);
    if (ty_size(slope) > 1) slope = along_axis(slope, ty_rank(x), 1);
    return onnx_output(call, 0, prelu(x, slope));
}

bool onnx_op_is_inf(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    bool below = onnx_int(call, "detect_negative", 1), above = onnx_int(call, "detect_positive", 1);
    ty_tensor *y = below && above ? ty_is_inf(x) : below ? ty_is_neg_inf(x) : ty_is_pos_inf(x);
    return onnx_output(call, 0, below || above ? y : ty_zeros_like(y));
}

bool onnx_op_clip(struct onnx_call *call) {
    ty_tensor *y = onnx_input(call, 0), *low = onnx_input_or(call, 1, NULL),
              *high = onnx_input_or(call, 2, NULL);
    if (low) y = ty_max(y, low);
    return onnx_output(call, 0, high ? ty_min(y, high) : y);
}
/* From opset 6 on, limits that are absent are the least and greatest f32. */
bool onnx_op_clip_attribute(struct onnx_call *call) {
    ty_tensor *y = onnx_input(call, 0);
    bool limits = call->opset >= 6;
    if (limits || onnx_attribute(call, "min")) y = ty_max(y, REAL("min", -(double)FLT_MAX));
    if (limits || onnx_attribute(call, "max")) y = ty_min(y, REAL("max", (double)FLT_MAX));
    return onnx_output(call, 0, y);
}

/* ---- along an axis ---- */

/* Apply f along the last of two axes to which x is flattened at the attribute axis: opsets 1 to 12. */
static bool flattened(struct onnx_call *call, ty_tensor *(*f)(ty_tensor *, int)) {
    ty_tensor *x = onnx_input(call, 0);
    int rank = ty_rank(x), axis = axis_at(call, onnx_int(call, "axis", 1), rank ? rank : 1);
    return axis >= 0 && onnx_output(call, 0, from_axis(x, axis, f));
}
static bool along(struct onnx_call *call, ty_tensor *(*f)(ty_tensor *, int)) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "axis", -1), ty_rank(x));
    return axis >= 0 && onnx_output(call, 0, f(x, axis));
}
/* One where the maximum of a line along the axis is, the first of equal ones; else 0. */
static ty_tensor *hardmax(ty_tensor *x, int axis) {
    if (!ty_size(x)) return x;
    ty_tensor *place = ty_argmax(x, ty_axes_of(1, &axis, true));
    ty_tensor *index = ty_iota(TY_I64, ty_rank(x), ty_shape(x), axis);
    return ty_cast(ty_eq(index, place), ty_dtype_of(x));
}
bool onnx_op_softmax(struct onnx_call *call) { return along(call, ty_softmax); }
bool onnx_op_softmax_1(struct onnx_call *call) { return flattened(call, ty_softmax); }
bool onnx_op_log_softmax(struct onnx_call *call) { return along(call, ty_log_softmax); }
bool onnx_op_log_softmax_1(struct onnx_call *call) { return flattened(call, ty_log_softmax); }
bool onnx_op_hardmax(struct onnx_call *call) { return along(call, hardmax); }
bool onnx_op_hardmax_1(struct onnx_call *call) { return flattened(call, hardmax); }

static bool running(struct onnx_call *call, ty_tensor *(*f)(ty_tensor *, int, ty_running)) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints axis = ints_input(call, 1);
    if (!axis.items || axis.n != 1)
        return axis.items && onnx_refuse(call, E_SHAPE, "axis has %d elements; expected 1", axis.n);
    int at = axis_at(call, axis.items[0], ty_rank(x));
    ty_running way = {.reverse = onnx_int(call, "reverse", 0), .exclusive = onnx_int(call, "exclusive", 0)};
    return at >= 0 && onnx_output(call, 0, ty_cast(f(x, at, way), ty_dtype_of(x)));
}
bool onnx_op_cum_sum(struct onnx_call *call) { return running(call, ty_cumsum); }
bool onnx_op_cum_prod(struct onnx_call *call) { return running(call, ty_cumprod); }
