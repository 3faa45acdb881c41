/* Operators of com.microsoft that fuse products, sums and activations, and variants of those of ai.onnx. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/fft.h>
#include <tyto/index.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/neighbours.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "onnx/ops/activation.h"
#include "onnx/ops/products.h"
#include "onnx/ops/rows.h"
#include "onnx/ops/windows.h"

/* ---- activations ---- */

/* Return x + input i, a bias for its last axis, or x if the input is absent. */
static ty_tensor *biased(struct onnx_call *call, ty_tensor *x, int i) {
    int rank = ty_rank(x);
    if (!ty_ok(x) || !onnx_has(call, i)) return x;
    ty_tensor *bias = onnx_input(call, i);
    if (!onnx_sized(call, "bias", bias, 1, rank ? ty_shape(x) + rank - 1 : (int64_t[]){1}))
        return onnx_failed(call);
    return ty_add(x, bias);
}
bool onnx_op_bias_gelu(struct onnx_call *call) {
    return onnx_output(call, 0, ty_gelu(biased(call, onnx_input(call, 0), 1)));
}
bool onnx_op_fast_gelu(struct onnx_call *call) {
    return onnx_output(call, 0, ty_gelu_tanh(biased(call, onnx_input(call, 0), 1)));
}
bool onnx_op_gemm_fast_gelu(struct onnx_call *call) {
    ty_tensor *y = ty_matmul(onnx_input(call, 0), onnx_input(call, 1));
    return onnx_output(call, 0, ty_gelu_tanh(biased(call, y, 2)));
}
bool onnx_op_quick_gelu(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *alpha = ty_num(onnx_float(call, "alpha", 1.702));
    return onnx_output(call, 0, ty_mul(x, ty_sigmoid(ty_mul(x, alpha))));
}
bool onnx_op_bias_add(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *skip = onnx_input(call, 2);
    return onnx_sized(call, "skip", skip, ty_rank(x), ty_shape(x)) &&
           onnx_output(call, 0, ty_add(biased(call, x, 1), skip));
}
/* Multiply the left half of the last axis by the gelu of the right one. */
bool onnx_op_bias_split_gelu(struct onnx_call *call) {
    ty_tensor *x = biased(call, onnx_input(call, 0), 1);
    int rank = ty_rank(x);
    int64_t size = rank ? ty_shape(x)[rank - 1] : 1;
    if (!ty_ok(x) || size % 2)
        return ty_ok(x)
                   ? onnx_refuse(call, E_SHAPE, "a last axis of size %lld has no halves", (long long)size)
                   : onnx_output(call, 0, x);
    return onnx_output(
        call, 0, ty_mul(ty_slice(x, -1, 0, size / 2, 1), ty_gelu(ty_slice(x, -1, size / 2, TY_END, 1))));
}
/* Softmax of x + bias over all axes from `axis` on.  The bias has sizes of 1 on the axes along which it broadcasts. */
bool onnx_op_bias_softmax(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *bias = onnx_input(call, 1);
    int axis = axis_at(call, onnx_int(call, "axis", 1), ty_rank(x));
    if (axis < 0 || !onnx_spreads(call, "bias", bias, ty_rank(x), ty_shape(x))) return false;
    x = ty_add(x, bias);
    return onnx_output(call, 0, from_axis(x, axis, ty_softmax));
}

/* Set *f to the activation of the attribute, which may be absent: *f has no function then.  Constants are the numbers of
   a list, or attributes of one number each. */
static bool read_activation(struct onnx_call *call, const char *list, struct activation *f) {
    const char *name = onnx_text(call, "activation", "");
    int constants, n = 0;
    *f = (struct activation){.f = NULL};
    if (!*name) return !call->fault->set;
    if (!onnx_activation(call, (struct wire_bytes){(const uint8_t *)name, strlen(name)}, f, &constants))
        return false;
    const float *given = list ? onnx_floats(call, list, &n) : NULL;
    if (!list) {
        f->alpha = onnx_float(call, "activation_alpha", f->alpha);
        f->beta = onnx_float(call, "activation_beta", f->beta);
    }
    if (n > 0) f->alpha = (double)given[0];
    if (n > 1) f->beta = (double)given[1];
    return !call->fault->set;
}
static ty_tensor *activated(ty_tensor *x, const struct activation *f) {
    return f->f ? f->f(x, f->alpha, f->beta) : x;
}

/* ---- products ---- */

/* Return an operand of FusedMatMul with the axes of a product: the first axis moves after the batch axes, then the last
   two are swapped, as the attributes say. */
static ty_tensor *turned(struct onnx_call *call, int i, const char *batch, const char *swap) {
    ty_tensor *x = onnx_input(call, i);
    int rank = ty_rank(x);
    if (onnx_int(call, batch, 0) && rank > 2) x = ty_moveaxis(x, 1, (int64_t[]){0}, (int64_t[]){rank - 2});
    return onnx_int(call, swap, 0) && rank > 1 ? ty_swap(x, -1, -2) : x;
}
bool onnx_op_fused_matmul(struct onnx_call *call) {
    struct activation f;
    double alpha = onnx_float(call, "alpha", 1);
    if (!read_activation(call, NULL, &f)) return false;
    ty_tensor *y =
        ty_matmul(turned(call, 0, "transBatchA", "transA"), turned(call, 1, "transBatchB", "transB"));
    return onnx_output(call, 0, activated(alpha == 1 ? y : ty_mul(y, ty_num(alpha)), &f));
}
bool onnx_op_fused_gemm(struct onnx_call *call) {
    struct activation f;
    return read_activation(call, NULL, &f) && onnx_output(call, 0, activated(onnx_gemm_of(call), &f));
}
/* Give a convolution y plus an input, and its activation. */
static bool give_conv(struct onnx_call *call, ty_tensor *y) {
    struct activation f;
    ty_tensor *sum = onnx_input_or(call, 3, NULL);
    if (!ty_ok(y)) return onnx_output(call, 0, y);
    return read_activation(call, "activation_params", &f) &&
           onnx_sized(call, "Z", sum, ty_rank(y), ty_shape(y)) &&
           onnx_output(call, 0, activated(sum ? ty_add(y, sum) : y, &f));
}

bool onnx_op_fused_conv(struct onnx_call *call) {
    return give_conv(call, onnx_conv_of(call, onnx_input(call, 0)));
}
/* The channels of images are their last axis; filters have the axes of Conv. */
bool onnx_op_nhwc_conv(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    if (ty_rank(x) < 3) return onnx_refuse(call, E_SHAPE, "expected 3 to 5 axes, not %d", ty_rank(x));
    return give_conv(call, channels_last(onnx_conv_of(call, channels_second(x))));
}

/* ---- complex numbers and spectra, in pairs along the last axis ---- */

static ty_tensor *complex_of(struct onnx_call *call, int i) {
    ty_tensor *x = onnx_input(call, i);
    int rank = ty_rank(x);
    if (!rank || ty_shape(x)[rank - 1] != 2) {
        onnx_refuse(call, E_SHAPE, "input %d has no last axis of size 2 with the parts of complex numbers",
                    i);
        return onnx_failed(call);
    }
    if (ty_dtype_of(x) != TY_F64) x = ty_cast(x, TY_F32);
    return ty_from_parts(ty_squeeze(ty_slice(x, -1, 0, 1, 1), -1), ty_squeeze(ty_slice(x, -1, 1, 2, 1), -1));
}
static bool give_parts(struct onnx_call *call, ty_tensor *z) {
    ty_tensor *y = ty_stack(2, (ty_tensor *[]){ty_real(z), ty_imag(z)}, -1);
    return onnx_output(call, 0, ty_cast(y, ty_dtype_of(onnx_input(call, 0))));
}
bool onnx_op_complex_mul(struct onnx_call *call) {
    return give_parts(call, ty_mul(complex_of(call, 0), complex_of(call, 1)));
}
bool onnx_op_complex_mul_conj(struct onnx_call *call) {
    return give_parts(call, ty_mul(complex_of(call, 0), ty_conj(complex_of(call, 1))));
}
/* Check the attributes of Rfft and Irfft, and set *n to the number of last axes that they transform. */
static bool spectrum_axes(struct onnx_call *call, int rank, int *n) {
    int64_t axes = onnx_int(call, "signal_ndim", 1);
    if (!onnx_int(call, "onesided", 1) || onnx_int(call, "normalized", 0) || axes < 1 || axes > rank)
        return onnx_refuse(call, E_UNSUPPORTED,
                           "signal_ndim %lld of %d axes, onesided %lld, normalized %lld; expected onesided 1 "
                           "and normalized 0",
                           (long long)axes, rank, (long long)onnx_int(call, "onesided", 1),
                           (long long)onnx_int(call, "normalized", 0));
    *n = (int)axes;
    return true;
}
static void last_axes(int n, int rank, int64_t *axes) {
    for (int i = 0; i < n; i++) axes[i] = rank - n + i;
}
bool onnx_op_rfft(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *wide = ty_dtype_of(x) == TY_F64 ? x : ty_cast(x, TY_F32);
    int64_t axes[TY_MAX_RANK];
    int n;
    if (!spectrum_axes(call, ty_rank(x), &n)) return false;
    last_axes(n, ty_rank(x), axes);
    return give_parts(call, ty_rfftn(wide, n, axes, NULL, TY_FFT_BACKWARD));
}
bool onnx_op_irfft(struct onnx_call *call) {
    ty_tensor *z = complex_of(call, 0);
    int64_t axes[TY_MAX_RANK];
    int n;
    if (call->fault->set || !spectrum_axes(call, ty_rank(z), &n)) return false;
    last_axes(n, ty_rank(z), axes);
    ty_tensor *y = ty_irfftn(z, n, axes, NULL, TY_FFT_BACKWARD);
    return onnx_output(call, 0, ty_cast(y, ty_dtype_of(onnx_input(call, 0))));
}

/* ---- others ---- */

bool onnx_op_cdist(struct onnx_call *call) {
    static const char *const metrics[] = {"sqeuclidean", "euclidean", NULL};
    const char *name = metrics[onnx_word(call, "metric", "sqeuclidean", metrics)];
    ty_distance_options o = {.distance = ty_distance_named(name)};
    return onnx_output(call, 0, ty_cdist(onnx_input(call, 0), onnx_input(call, 1), o));
}
bool onnx_op_expand_dims(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_known_int(call, 1, 0), ty_rank(x) + 1);
    return axis >= 0 && onnx_output(call, 0, ty_expand(x, axis));
}
bool onnx_op_unfold(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    int axis = axis_at(call, onnx_int(call, "dim", -1), ty_rank(x));
    return axis >= 0 &&
           onnx_output(call, 0, ty_window(x, axis, onnx_int(call, "size", 0), onnx_int(call, "step", 1), 1));
}
bool onnx_op_is_all_finite(struct onnx_call *call) {
    bool infinities = onnx_int(call, "isinf_only", 0), nans = onnx_int(call, "isnan_only", 0);
    ty_tensor *all = ty_scalar(TY_BOOL, 1);
    if (infinities && nans)
        return onnx_refuse(call, E_ARGUMENT, "isinf_only and isnan_only are both set; expected one of them");
    for (int i = 0; i < call->ninputs; i++) {
        ty_tensor *x = onnx_input(call, i);
        ty_tensor *bad = infinities ? ty_is_inf(x) : nans ? ty_is_nan(x) : ty_logical_not(ty_is_finite(x));
        all = ty_logical_and(all, ty_logical_not(ty_any(bad, TY_ALL)));
    }
    return onnx_output(call, 0, all);
}

/* ---- experimental operators of ai.onnx, which old converters emit ---- */

bool onnx_op_affine(struct onnx_call *call) {
    ty_tensor *alpha = ty_num(onnx_float(call, "alpha", 1)), *beta = ty_num(onnx_float(call, "beta", 0));
    return onnx_output(call, 0, ty_add(ty_mul(onnx_input(call, 0), alpha), beta));
}
bool onnx_op_scaled_tanh(struct onnx_call *call) {
    ty_tensor *alpha = ty_num(onnx_float(call, "alpha", 0)), *beta = ty_num(onnx_float(call, "beta", 0));
    return onnx_output(call, 0, ty_mul(ty_tanh(ty_mul(onnx_input(call, 0), beta)), alpha));
}
bool onnx_op_parametric_softplus(struct onnx_call *call) {
    ty_tensor *alpha = ty_num(onnx_float(call, "alpha", 0)), *beta = ty_num(onnx_float(call, "beta", 0));
    return onnx_output(call, 0, ty_mul(ty_softplus(ty_mul(onnx_input(call, 0), beta)), alpha));
}
/* Scale an image (N,C,H,W), then add a number to each channel. */
bool onnx_op_image_scaler(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *y = ty_mul(x, ty_num(onnx_float(call, "scale", 1)));
    int n;
    const float *bias = onnx_floats(call, "bias", &n);
    if (ty_rank(x) != 4 || (n && n != ty_shape(x)[1]))
        return onnx_refuse(
            call, E_SHAPE,
            "bias has %d numbers for an image of %d axes; expected one for each channel of 4 axes", n,
            ty_rank(x));
    if (bias) y = ty_add(y, ty_cast(ty_from(TY_F32, 4, (int64_t[]){1, n, 1, 1}, bias), ty_dtype_of(x)));
    return onnx_output(call, 0, y);
}
/* Cut the border (left, top, right, bottom) off an image (N,C,H,W); `scale` gives the height and width of the result
   instead of the last two. */
bool onnx_op_crop(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0);
    struct ints border = ints_attribute(call, "border"), size = ints_attribute(call, "scale");
    if (ty_rank(x) != 4 || border.n != 4 || (size.n && size.n != 2))
        return onnx_refuse(call, E_SHAPE,
                           "an image of %d axes, %d borders and %d sizes; expected 4, 4 and 0 or 2",
                           ty_rank(x), border.n, size.n);
    for (int i = 0; i < 2; i++) {
        int64_t whole = ty_shape(x)[2 + i], from = border.items[1 - i], to;
        if (!checked_add(size.n ? from : whole, size.n ? size.items[i] : negative_of(border.items[3 - i]),
                         &to) ||
            from < 0 || to < from || to > whole)
            return onnx_refuse(call, E_INDEX,
                               "the cut of axis %d begins at %lld and does not fit its %lld elements", 2 + i,
                               (long long)from, (long long)whole);
        x = ty_slice(x, 2 + i, from, to, 1);
    }
    return onnx_output(call, 0, x);
}
