/* Spectra and window functions. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/fft.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "onnx/ops/rows.h"

/* ---- transforms ---- */

/* Return real numbers of x (..,1) without the last axis, or complex ones of (..,2). */
static ty_tensor *numbers(struct onnx_call *call, ty_tensor *x) {
    int rank = ty_rank(x);
    int64_t parts = rank ? ty_shape(x)[rank - 1] : 0;
    if (rank < 2 || (parts != 1 && parts != 2)) {
        onnx_refuse(call, E_SHAPE, "expected a last axis of 1 or 2, found %lld of %d axes", (long long)parts,
                    rank);
        return onnx_failed(call);
    }
    ty_tensor *real = ty_squeeze(ty_slice(x, -1, 0, 1, 1), -1);
    return parts == 1 ? real : ty_from_parts(real, ty_squeeze(ty_slice(x, -1, 1, 2, 1), -1));
}
/* Return complex x as real numbers (..,2) of a dtype. */
static ty_tensor *parts_of(ty_tensor *x, ty_dtype dtype) {
    return ty_cast(ty_stack(2, (ty_tensor *[]){ty_real(x), ty_imag(x)}, -1), dtype);
}
static bool is_complex(ty_tensor *x) { return ty_dtype_of(x) == TY_C64 || ty_dtype_of(x) == TY_C128; }
/* Return the transform of size n along the axis, or its first n/2 + 1 elements. */
static ty_tensor *spectrum(ty_tensor *x, int64_t n, int axis, bool onesided) {
    if (onesided && !is_complex(x)) return ty_rfft(x, n, axis, TY_FFT_BACKWARD);
    ty_tensor *y = ty_fft(x, n, axis, TY_FFT_BACKWARD);
    return onesided ? ty_slice(y, axis, 0, ty_shape(y)[axis] / 2 + 1, 1) : y;
}

static bool transform(struct onnx_call *call, int64_t at) {
    ty_tensor *x = onnx_input(call, 0), *z = numbers(call, x);
    ty_dtype dtype = ty_dtype_of(x);
    bool inverse = onnx_int(call, "inverse", 0), onesided = onnx_int(call, "onesided", 0);
    if (call->fault->set) return false;
    int axis = axis_at(call, at, ty_rank(x));
    if (axis < 0 || axis == ty_rank(x) - 1)
        return axis >= 0 &&
               onnx_refuse(call, E_INDEX, "axis %lld has the parts of complex numbers", (long long)at);
    int64_t size = ty_shape(z)[axis],
            n = onnx_known_int(call, 1, inverse && onesided ? 2 * (size - 1) : size);
    if (!inverse) return onnx_output(call, 0, parts_of(spectrum(z, n, axis, onesided), dtype));
    if (!onesided) return onnx_output(call, 0, parts_of(ty_ifft(z, n, axis, TY_FFT_BACKWARD), dtype));
    return onnx_output(call, 0, ty_cast(ty_expand(ty_irfft(z, n, axis, TY_FFT_BACKWARD), -1), dtype));
}
bool onnx_op_dft_attribute(struct onnx_call *call) { return transform(call, onnx_int(call, "axis", 1)); }
bool onnx_op_dft(struct onnx_call *call) { return transform(call, onnx_known_int(call, 2, -2)); }

/* Transforms of segments of x (N,T,1 or 2) times a window: (N,segments,frequencies,2).  Real x may be (N,T), as in ONNX
   Runtime. */
bool onnx_op_stft(struct onnx_call *call) {
    ty_tensor *x = onnx_input(call, 0), *window = onnx_input_or(call, 2, NULL);
    if (ty_rank(x) == 2) x = ty_expand(x, -1);
    ty_tensor *z = numbers(call, x);
    int64_t step = onnx_known_int(call, 1, 0);
    int64_t size = onnx_known_int(call, 3, window ? ty_size(window) : ty_shape(z)[1]);
    if (ty_rank(x) != 3 || step < 1 || size < 1)
        return onnx_refuse(call, E_SHAPE,
                           "%d axes, frame_step %lld and frame_length %lld; expected 3, 1 and 1 or more",
                           ty_rank(x), (long long)step, (long long)size);
    ty_tensor *segments = ty_window(z, 1, size, step, 1);
    if (window) segments = ty_mul(segments, window);
    return onnx_output(call, 0,
                       parts_of(spectrum(segments, size, 2, onnx_int(call, "onesided", 1)), ty_dtype_of(x)));
}

/* ---- windows ---- */

/* Return a window of the sum of weights[k] cos(2 pi k i / n), with alternating signs. */
static bool window(struct onnx_call *call, int n, const double *weights) {
    int64_t size = onnx_known_int(call, 0, 0);
    ty_dtype dtype = onnx_dtype(call, "output_datatype", TY_F32);
    bool periodic = onnx_int(call, "periodic", 1);
    ty_tensor *w = ty_from(TY_F64, 1, (int64_t[]){n}, weights);
    /* a periodic window of one element has the first one of all windows */
    ty_tensor *y = ty_cosine_window(TY_F64, periodic && size == 1 ? 2 : size, w, periodic);
    return onnx_output(call, 0, ty_cast(size == 1 ? ty_slice(y, 0, 0, 1, 1) : y, dtype));
}
bool onnx_op_hann_window(struct onnx_call *call) { return window(call, 2, (double[]){0.5, 0.5}); }
bool onnx_op_hamming_window(struct onnx_call *call) {
    return window(call, 2, (double[]){25. / 46, 21. / 46});
}
bool onnx_op_blackman_window(struct onnx_call *call) { return window(call, 3, (double[]){0.42, 0.5, 0.08}); }

/* ---- the mel scale ---- */

/* Fill column i of the weights: a triangle over bins of the spectrum. */
static void triangle(double *weights, int64_t columns, int64_t i, int64_t low, int64_t centre, int64_t high) {
    if (low == centre) weights[centre * columns + i] = 1;
    for (int64_t j = low; j <= centre && low < centre; j++)
        weights[j * columns + i] = (double)(j - low) / (double)(centre - low);
    for (int64_t j = centre; j < high; j++)
        weights[j * columns + i] = (double)(high - j) / (double)(high - centre);
}
/* Matrix (dft_length / 2 + 1, num_mel_bins) of triangles that are equidistant on the mel scale. */
bool onnx_op_mel_weight_matrix(struct onnx_call *call) {
    int64_t bins = onnx_known_int(call, 0, 0), length = onnx_known_int(call, 1, 0);
    int64_t rate = onnx_known_int(call, 2, 0), rows = length / 2 + 1;
    double low = onnx_known_real(call, 3, 0), high = onnx_known_real(call, 4, 0);
    ty_dtype dtype = onnx_dtype(call, "output_datatype", TY_F32);
    if (call->fault->set) return false;
    if (bins < 0 || length < 0 || rate < 1 || !(low >= 0 && high >= low && high <= (double)rate) ||
        bins > INT32_MAX / rows)
        return onnx_refuse(call, E_DOMAIN, "%lld bins, length %lld, rate %lld, edges %g and %g do not fit",
                           (long long)bins, (long long)length, (long long)rate, low, high);
    double *weights = onnx_memory(call, bins * rows, sizeof *weights);
    if (!weights) return false;
    double from = 2595 * math_log10(1 + low / 700),
           step = (2595 * math_log10(1 + high / 700) - from) / (double)(bins + 2);
    int64_t at[3] = {0, 0, 0};
    for (int64_t i = 0; i < bins + 2; i++) {
        double hertz = 700 * (math_pow(10, (from + step * (double)i) / 2595) - 1);
        at[0] = at[1], at[1] = at[2];
        double place = floor(((double)length + 1) * hertz / (double)rate);
        at[2] = clamped((int64_t)fmin(place, (double)rows), 0, rows);
        if (i >= 2 && at[1] < rows) triangle(weights, bins, i - 2, at[0], at[1], at[2]);
    }
    ty_tensor *y = ty_from(TY_F64, 2, (int64_t[]){rows, bins}, weights);
    return onnx_output(call, 0, ty_cast(y, dtype));
}
