/*
 * Smoothing by polynomials (A. Savitzky and M. Golay, Analytical Chemistry 36, 1964): each element becomes the value, or
 * a derivative, of the polynomial that fits its neighbours best.  The weights do not depend on the elements.  The ends
 * take the polynomials of the first and the last window.  Windows of even length have no element in their middle: as in
 * SciPy, the window whose middle is half an element later counts.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/linalg.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "ops/core/structure.h"

enum {
    MOST_LENGTH = 1 << 12,
    MOST_DEGREE = 15 /* powers of up to 1: from 20 on, less than 10 digits remain */
};

/* A smoothing: windows of `length` elements, which are at -1 to 1. */
struct smoothing {
    int64_t length, degree, derivative;
    double delta; /* distance of elements */
    int axis;
    ty_dtype dtype;
};

static double middle(const struct smoothing *s) { return 0.5 * (double)(s->length - 1); }
static double place(const struct smoothing *s, double i) {
    return middle(s) > 0 ? (i - middle(s)) / middle(s) : 0;
}

/* Return the derivatives of 1, t, t^2, .. at the places first .. first + n - 1 of a window: [n, degree + 1]. */
static ty_tensor *powers(const struct smoothing *s, double first, int64_t n, int64_t derivative) {
    int64_t shape[] = {n, s->degree + 1};
    ty_tensor *x = tensor_new_value(TY_F64, 2, shape);
    if (!x) return tensor_out_of_memory();
    double *to = tensor_data(x), half = s->length > 1 ? middle(s) : 1;
    for (int64_t i = 0; i < n; i++, to += s->degree + 1)
        for (int64_t k = 0; k <= s->degree; k++) {
            double value = k >= derivative;
            for (int64_t j = 0; value != 0 && j < derivative; j++)
                value *= (double)(k - j) / (half * s->delta);
            for (int64_t j = derivative; j < k; j++) value *= place(s, first + (double)i);
            to[k] = value;
        }
    return tensor_return(x);
}

/* Return the weights [n, length] that give the derivative at the places first .. first + n - 1 of a window. */
static ty_tensor *weights(const struct smoothing *s, ty_tensor *fit, double first, int64_t n) {
    return ty_cast(ty_matmul(powers(s, first, n, s->derivative), fit), s->dtype);
}

/* Return the elements of one end: n, at the places from `first` on of the window that begins at `begin`. */
static ty_tensor *end(const struct smoothing *s, ty_tensor *fit, ty_tensor *x, int64_t begin, int64_t first,
                      int64_t n) {
    ty_tensor *window = ty_slice(ty_swap(x, s->axis, -1), -1, begin, begin + s->length, 1);
    return ty_swap(ty_matmul(window, ty_transpose(weights(s, fit, (double)first, n))), s->axis, -1);
}

/* Return x smoothed. */
static ty_tensor *smooth(const struct smoothing *s, ty_tensor *x) {
    int64_t n = ty_shape(x)[s->axis], half = s->length / 2, odd = s->length % 2, count = 0;
    ty_tensor *fit = ty_pinv(powers(s, 0, s->length, 0), -1), *parts[3];
    if (half) parts[count++] = end(s, fit, x, 0, 0, half);
    if (odd || n > s->length) {
        ty_tensor *windows = ty_window(ty_slice(x, s->axis, 1 - odd, n, 1), s->axis, s->length, 1, 1);
        parts[count++] = ty_matmul(windows, ty_squeeze(weights(s, fit, middle(s), 1), 0));
    }
    if (half) parts[count++] = end(s, fit, x, n - s->length, s->length - half, half);
    return ty_concat(count, parts, s->axis);
}

/* Return NULL if the arguments are valid, else poison. */
static ty_tensor *refuse_smoothing(const struct smoothing *s, ty_tensor *x, int axis) {
    if (s->axis < 0 || s->axis >= ty_rank(x)) return refuse_axis("savgol", x, axis);
    if (s->length < 1 || s->length > MOST_LENGTH)
        return refuse("savgol", 1, &x, E_ARGUMENT, "windows of %lld elements; expected 1 to %d",
                      (long long)s->length, MOST_LENGTH);
    if (s->degree < 0 || s->degree >= s->length || s->degree > MOST_DEGREE)
        return refuse("savgol", 1, &x, E_ARGUMENT, "degree %lld is out of range; expected 0..%lld",
                      (long long)s->degree,
                      (long long)(s->length - 1 < MOST_DEGREE ? s->length - 1 : MOST_DEGREE));
    if (s->derivative < 0)
        return refuse("savgol", 1, &x, E_ARGUMENT, "derivative %lld; expected 0 or more",
                      (long long)s->derivative);
    if (!(s->delta > 0 && s->delta < INFINITY))
        return refuse("savgol", 1, &x, E_ARGUMENT,
                      "the distance of elements is %g; expected a number above 0", s->delta);
    if (ty_shape(x)[s->axis] < s->length)
        return refuse("savgol", 1, &x, E_SHAPE, "axis %d has %lld elements, fewer than a window of %lld",
                      axis, (long long)ty_shape(x)[s->axis], (long long)s->length);
    return NULL;
}

ty_tensor *ty_savgol(ty_tensor *x, int64_t length, int64_t degree, int64_t derivative, double delta,
                     int axis) {
    FLOATING_DEFAULT;
    if (!ty_ok(x)) return tensor_share(x);
    struct smoothing s = {length, degree, derivative, delta ? delta : 1, axis_normal(axis, ty_rank(x)),
                          TY_F64};
    ty_tensor *bad = refuse_smoothing(&s, x, axis);
    if (bad) return bad;
    struct composite c = composite_open("savgol", 1, &x);
    cast_to_common("savgol", 1, &x, FLOATING, &x);
    s.dtype = ty_dtype_of(x);
    return composite_close(c, ty_contiguous(ty_ok(x) ? smooth(&s, x) : x));
}
