/*
 * Window functions as formulas of t over m symmetric points: t = 2 (j - (m - 1) / 2) / (m - 1), from -1 to 1.
 * Computed in f64 and rounded once.
 */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "ops/core/structure.h"

/* A window function. */
struct window_function {
    const char *name;
    ty_tensor *(*formula)(const struct window_function *w, ty_tensor *t);
    double parameter;
    int count; /* number of weights */
    const double *weights;
    ty_tensor *given; /* weights given by the caller */
    int64_t n;
    double places; /* number of points m */
};

/* Return NULL if dtype and length of a window are valid, else poison. */
static ty_tensor *refuse_window(const struct window_function *w, ty_dtype dtype) {
    if (!dtype_valid(dtype) || !dtype_is(dtype, CLASS_FLOAT))
        return refuse(w->name, 0, NULL, E_DTYPE, "a window needs a floating-point dtype, not %s",
                      ty_dtype_name(dtype));
    if (w->n < 0)
        return refuse(w->name, 0, NULL, E_ARGUMENT, "a window of %lld elements; expected 0 or more",
                      (long long)w->n);
    return NULL;
}

/* Return the points [w.n] of window w in a floating dtype; `periodic` omits the last of w.n + 1 points.
   Ones for fewer than two points; poison on failure. */
static ty_tensor *make(struct window_function w, ty_dtype dtype, bool periodic) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_window(&w, dtype);
    if (bad) return bad;
    if (w.n < 2) return ty_ones(dtype, 1, &w.n);
    w.places = (double)w.n + periodic;
    struct composite c =
        composite_open_plain(w.name, composite_bytes(TY_F64, 1, &w.n), w.given != NULL, &w.given);
    ty_tensor *j = ty_iota(TY_F64, 1, &w.n, 0);
    ty_tensor *t = ty_div(ty_sub(ty_mul(j, ty_num(2)), ty_num(w.places - 1)), ty_num(w.places - 1));
    return composite_close(c, ty_cast(w.formula(&w, t), dtype));
}

/* ---- sums of cosines ---- */

/* Return the sum of w->weights[k] cos(k pi t) at t in -1..1. */
static ty_tensor *cosines(const struct window_function *w, ty_tensor *t) {
    ty_tensor *angle = ty_mul(t, ty_num(3.14159265358979323846)), *sum = ty_num(w->weights[0]);
    for (int k = 1; k < w->count; k++)
        sum = ty_add(sum, ty_mul(ty_num(w->weights[k]), ty_cos(ty_mul(angle, ty_num(k)))));
    return sum;
}

#define COSINES(symbol, ...)                                                                                 \
    ty_tensor *ty_##symbol(ty_dtype dtype, int64_t n, bool periodic) {                                       \
        static const double weights[] = {__VA_ARGS__};                                                       \
        struct window_function w = {.name = #symbol, .formula = cosines, .weights = weights, .n = n};        \
        w.count = (int)(sizeof weights / sizeof *weights);                                                   \
        return make(w, dtype, periodic);                                                                     \
    }
COSINES(hann, 0.5, 0.5)
COSINES(hamming, 0.54, 0.46)
COSINES(blackman, 0.42, 0.5, 0.08)
COSINES(nuttall, 0.3635819, 0.4891775, 0.1365995, 0.0106411)
COSINES(blackman_harris, 0.35875, 0.48829, 0.14128, 0.01168)
COSINES(flat_top, 0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)

static ty_tensor *given_cosines(const struct window_function *w, ty_tensor *t) {
    int64_t count = ty_size(w->given);
    ty_tensor *k = ty_iota(TY_F64, 1, &count, 0), *angle = ty_mul(t, ty_num(3.14159265358979323846));
    return ty_matmul(ty_cos(ty_mul(ty_expand(angle, 1), k)), ty_cast(w->given, TY_F64));
}
ty_tensor *ty_cosine_window(ty_dtype dtype, int64_t n, ty_tensor *weights, bool periodic) {
    if (!ty_ok(weights)) return tensor_share(weights);
    if (ty_rank(weights) != 1 || dtype_is(ty_dtype_of(weights), CLASS_COMPLEX))
        return refuse("cosine_window", 1, &weights, E_DTYPE, "the weights must be a real vector");
    return make(
        (struct window_function){.name = "cosine_window", .formula = given_cosines, .given = weights, .n = n},
        dtype, periodic);
}

/* ---- other windows ---- */

static ty_tensor *one_minus(ty_tensor *x) { return ty_sub(ty_num(1), x); }
static ty_tensor *bartlett(const struct window_function *w, ty_tensor *t) {
    (void)w;
    return one_minus(ty_abs(t));
}
/* Return the triangular window at t in -1..1. Its ends are nonzero: one step above 0 for an odd number of
   points, half a step for an even one. */
static ty_tensor *triangle(const struct window_function *w, ty_tensor *t) {
    double size = w->places + math_fmod(w->places, 2);
    return one_minus(ty_mul(ty_abs(t), ty_num((w->places - 1) / size)));
}
static ty_tensor *half_sine(const struct window_function *w, ty_tensor *t) {
    return ty_cos(ty_mul(t, ty_num(1.57079632679489661923 * (w->places - 1) / w->places)));
}
/* Return Bohman's window at t in -1..1: (1 - |t|) cos(pi |t|) + sin(pi |t|) / pi. */
static ty_tensor *bohman(const struct window_function *w, ty_tensor *t) {
    const double pi = 3.14159265358979323846;
    (void)w;
    ty_tensor *a = ty_abs(t), *angle = ty_mul(a, ty_num(pi));
    ty_tensor *y = ty_add(ty_mul(one_minus(a), ty_cos(angle)), ty_div(ty_sin(angle), ty_num(pi)));
    return ty_where(ty_ge(a, ty_num(1)), ty_num(0), y);
}
/* Return Parzen's window at t in -1..1, a cubic B-spline. */
static ty_tensor *parzen(const struct window_function *w, ty_tensor *t) {
    ty_tensor *a = ty_mul(ty_abs(t), ty_num((w->places - 1) / w->places)), *b = one_minus(a);
    ty_tensor *inner = one_minus(ty_mul(ty_num(6), ty_mul(ty_square(a), b)));
    ty_tensor *outer = ty_mul(ty_num(2), ty_mul(b, ty_square(b)));
    return ty_where(ty_le(ty_abs(t), ty_num(0.5)), inner, outer);
}
/* Return Kaiser's window at t in -1..1. */
static ty_tensor *kaiser(const struct window_function *w, ty_tensor *t) {
    /* scaled, as i0 overflows for large arguments */
    ty_tensor *beta = ty_scalar(TY_F64, w->parameter);
    ty_tensor *at = ty_mul(beta, ty_sqrt(ty_max(one_minus(ty_square(t)), ty_num(0))));
    return ty_mul(ty_div(ty_i0e(at), ty_i0e(beta)), ty_exp(ty_sub(at, beta)));
}
static ty_tensor *gaussian_window(const struct window_function *w, ty_tensor *t) {
    ty_tensor *z = ty_mul(t, ty_num((w->places - 1) / 2 / w->parameter));
    return ty_exp(ty_mul(ty_square(z), ty_num(-0.5)));
}
static ty_tensor *exponential_window(const struct window_function *w, ty_tensor *t) {
    return ty_exp(ty_neg(ty_mul(ty_abs(t), ty_num((w->places - 1) / 2 / w->parameter))));
}
/* Return Tukey's window at t in -1..1: 1 inside, falling as a cosine to 0 in the outer share `parameter`,
   0..1, of each half. */
static ty_tensor *tukey(const struct window_function *w, ty_tensor *t) {
    if (w->parameter == 0) return ty_ones_like(t);
    /* 1 from -(1 - share) to 1 - share, half cosines outside */
    ty_tensor *beyond = ty_max(ty_sub(ty_abs(t), ty_num(1 - w->parameter)), ty_num(0));
    ty_tensor *angle = ty_mul(beyond, ty_num(3.14159265358979323846 / w->parameter));
    return ty_mul(ty_num(0.5), ty_add(ty_num(1), ty_cos(angle)));
}

#define PLAIN(symbol)                                                                                        \
    ty_tensor *ty_##symbol(ty_dtype dtype, int64_t n, bool periodic) {                                       \
        return make((struct window_function){.name = #symbol, .formula = symbol, .n = n}, dtype, periodic);  \
    }
PLAIN(bartlett)
PLAIN(triangle)
PLAIN(half_sine)
PLAIN(bohman)
PLAIN(parzen)

#define SHAPED(symbol, parameter_, condition, words)                                                         \
    ty_tensor *ty_##symbol(ty_dtype dtype, int64_t n, double parameter_, bool periodic) {                    \
        FLOATING_DEFAULT;                                                                                    \
        if (!(condition))                                                                                    \
            return refuse(#symbol, 0, NULL, E_ARGUMENT, "a " #parameter_ " of %g; expected " words,          \
                          parameter_);                                                                       \
        return make(                                                                                         \
            (struct window_function){.name = #symbol, .formula = symbol, .parameter = parameter_, .n = n},   \
            dtype, periodic);                                                                                \
    }
SHAPED(kaiser, beta, beta >= 0 && beta < INFINITY, "0 or more")
SHAPED(gaussian_window, deviation, deviation > 0, "above 0")
SHAPED(exponential_window, decay, decay > 0, "above 0")
SHAPED(tukey, share, share >= 0 && share <= 1, "0..1")
