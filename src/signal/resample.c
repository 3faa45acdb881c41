/*
 * Signals at other sampling rates: by Fourier series, or by a filter between both rates. In the second, `up` neighbouring
 * results use the same elements of the signal, and the next ones those `down` elements further. So the results are windows
 * of the signal times a matrix, whose columns are the phases of the filter.
 */
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/index.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "base/divisor.h"
#include "ops/core/structure.h"

enum {
    RATIO_MOST =
        4096 /* the matrix then has at most 4096 * 8192 elements beside those of the filter: 256 MiB */
};

/* ---- by Fourier series ---- */

/* Return weights of frequencies 0 .. count - 1 along an axis: 1, but `last` for the last one. */
static ty_tensor *weights(ty_tensor *like, int axis, double last) {
    int64_t shape[TY_MAX_RANK], count = ty_shape(like)[axis];
    for (int i = 0; i < ty_rank(like); i++) shape[i] = i == axis ? count : 1;
    ty_tensor *at_last = ty_eq(ty_iota(TY_I64, ty_rank(like), shape, axis), ty_int(count - 1));
    return ty_where(at_last, ty_num(last), ty_num(1));
}

/* Return real x resampled. The highest frequency of an even number of elements stands for two of the longer signal. */
static ty_tensor *by_series(ty_tensor *x, int64_t n, int axis) {
    int64_t old = ty_shape(x)[axis], least = n < old ? n : old;
    ty_tensor *y = ty_rfft(x, TY_FFT_WHOLE, axis, TY_FFT_BACKWARD);
    y = ty_slice(y, axis, 0, least / 2 + 1, 1);
    if (least % 2 == 0 && n != old)
        y = ty_mul(y, ty_cast(weights(y, axis, n < old ? 2 : 0.5), ty_dtype_of(y)));
    y = ty_irfft(y, n, axis, TY_FFT_BACKWARD);
    return ty_cast(ty_mul(y, ty_num((double)n / (double)old)), ty_dtype_of(x));
}

ty_tensor *ty_resample(ty_tensor *x, int64_t n, int axis) {
    FLOATING_DEFAULT;
    if (!ty_ok(x)) return tensor_share(x);
    int at = axis_normal(axis, ty_rank(x));
    if (at < 0 || at >= ty_rank(x)) return refuse_axis("resample", x, axis);
    if (ty_shape(x)[at] < 1) return refuse("resample", 1, &x, E_SHAPE, "axis %d is empty", axis);
    if (n < 1)
        return refuse("resample", 1, &x, E_ARGUMENT, "%lld elements; expected 1 or more", (long long)n);
    struct composite c = composite_open("resample", 1, &x);
    cast_to_common("resample", 1, &x, FLOATING, &x);
    if (!ty_ok(x)) return composite_close(c, x);
    if (!dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return composite_close(c, by_series(x, n, at));
    return composite_close(c, ty_from_parts(by_series(ty_real(x), n, at), by_series(ty_imag(x), n, at)));
}

/* ---- by a filter ---- */

/* A change of the rate by up / down, by a filter of `taps` numbers. */
struct ratio {
    int64_t up, down, taps;
    int64_t before, window; /* elements of a window before the first result's, and all */
};

/* Return SciPy's filter for the ratio: an ideal low pass under Kaiser's window, with the sum 1. */
static ty_tensor *low_pass(const struct ratio *r) {
    int64_t most = r->up > r->down ? r->up : r->down;
    ty_tensor *t = ty_sub(ty_arange(TY_F64, 0, (double)r->taps, 1), ty_num((double)(r->taps / 2)));
    ty_tensor *h = ty_mul(ty_sinc(ty_div(t, ty_num((double)most))), ty_kaiser(TY_F64, r->taps, 5, false));
    return ty_div(h, ty_sum(h, TY_ALL));
}

/* Return the matrix [window, up] of h's phases: result k of a group, in the middle of h, takes element t - before of the
   signal by the number h[k * down + (taps - 1) / 2 - (t - before) * up], or 0 outside of h. */
static ty_tensor *phases(const struct ratio *r, ty_tensor *h) {
    int64_t shape[] = {r->window, r->up};
    ty_tensor *places = tensor_new_value(TY_I64, 2, shape);
    if (!places) return tensor_out_of_memory();
    int64_t *to = tensor_data(places), middle = (r->taps - 1) / 2;
    for (int64_t t = 0; t < r->window; t++)
        for (int64_t k = 0; k < r->up; k++) {
            int64_t at = k * r->down + middle - (t - r->before) * r->up;
            *to++ = at >= 0 && at < r->taps ? at : r->taps;
        }
    ty_padding one[] = {{.high = 1}};
    h = ty_mul(ty_pad(h, one, ty_scalar(ty_dtype_of(h), 0)), ty_num((double)r->up));
    return ty_take(h, tensor_return(places), 0);
}

/* Return x resampled along `axis` by the filter h. */
static ty_tensor *by_filter(struct ratio r, ty_tensor *x, ty_tensor *h, int axis) {
    int64_t n = ty_shape(x)[axis], wanted = n * r.up / r.down + (n * r.up % r.down != 0);
    int64_t groups = (wanted + r.up - 1) / r.up, middle = (r.taps - 1) / 2;
    int64_t after = ((r.up - 1) * r.down + middle) / r.up;
    r.before = (r.taps - 1 - middle + r.up - 1) / r.up;
    r.window = r.before + after + 1;
    ty_tensor *matrix = phases(&r, h), *line = ty_swap(x, axis, -1);
    ty_padding padding[TY_MAX_RANK] = {{0}};
    padding[ty_rank(x) - 1] = (ty_padding){.low = r.before, .high = (groups - 1) * r.down + after + 1 - n};
    line = ty_pad(line, padding, ty_scalar(ty_dtype_of(x), 0));
    ty_tensor *y = ty_matmul(ty_window(line, -1, r.window, r.down, 1), matrix);
    if (!ty_ok(y)) return y;
    int64_t shape[TY_MAX_RANK];
    for (int i = 0; i + 1 < ty_rank(x); i++) shape[i] = ty_shape(y)[i];
    shape[ty_rank(x) - 1] = groups * r.up;
    return ty_swap(ty_slice(ty_reshape(y, ty_rank(x), shape), -1, 0, wanted, 1), axis, -1);
}

/* Return NULL if n operands, x and perhaps a filter, and the ratio are valid, else poison. */
static ty_tensor *refuse_ratio(const struct ratio *r, int n, ty_tensor **operands, int axis, int at) {
    ty_tensor *x = operands[0];
    if (at < 0 || at >= ty_rank(x)) return refuse_axis("resample_ratio", x, axis);
    if (r->up < 1 || r->up > RATIO_MOST || r->down < 1 || r->down > RATIO_MOST)
        return refuse(
            "resample_ratio", 1, &x, E_ARGUMENT,
            "a ratio of %lld/%lld; expected numbers of 1..%d without common factors; ty_resample takes "
            "any size",
            (long long)r->up, (long long)r->down, RATIO_MOST);
    if (n == 2 && (ty_rank(operands[1]) != 1 || ty_size(operands[1]) < 1))
        return refuse("resample_ratio", n, operands, E_SHAPE,
                      "the filter must be a vector of at least 1 element");
    if (ty_shape(x)[at] < 1) return refuse("resample_ratio", 1, &x, E_SHAPE, "axis %d is empty", axis);
    if (ty_shape(x)[at] > INT64_MAX / RATIO_MOST)
        return refuse("resample_ratio", 1, &x, E_MEMORY,
                      "axis %d is too long; expected at most %lld elements", axis,
                      (long long)(INT64_MAX / RATIO_MOST));
    return NULL;
}

ty_tensor *ty_resample_ratio(ty_tensor *x, int64_t up, int64_t down, ty_tensor *h, int axis) {
    FLOATING_DEFAULT;
    ty_tensor *operands[] = {x, h};
    int n = h ? 2 : 1;
    ty_tensor *bad = first_poison(n, operands);
    if (bad) return bad;
    int at = axis_normal(axis, ty_rank(x));
    int64_t common = up > 0 && down > 0 ? (int64_t)divisor((uint64_t)up, (uint64_t)down) : 1;
    struct ratio r = {.up = up / common, .down = down / common};
    bad = refuse_ratio(&r, n, operands, axis, at);
    if (bad) return bad;
    r.taps = h ? ty_size(h) : 20 * (r.up > r.down ? r.up : r.down) + 1;
    struct composite c = composite_open("resample_ratio", n, operands);
    cast_to_common("resample_ratio", n, operands, FLOATING, operands);
    if (!h) operands[1] = ty_cast(low_pass(&r), ty_dtype_of(operands[0]));
    for (int i = 0; i < 2; i++)
        if (!ty_ok(operands[i])) return composite_close(c, operands[i]);
    bool same = r.up == 1 && r.down == 1;
    ty_tensor *y = same ? operands[0] : by_filter(r, operands[0], operands[1], at);
    return composite_close(c, ty_contiguous(y));
}
