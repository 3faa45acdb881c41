/*
 * Spectra over time: segments are windows of the signal, a view; its adjoint adds them up again. Also the
 * analytic signal.
 */
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "ops/core/attributes.h"
#include "ops/core/operators.h"
#include "ops/core/structure.h"
#include "base/options.h"

/* Segments of a signal. */
struct segments {
    const char *name;
    ty_stft_options o; /* options with defaults filled in */
    ty_tensor *window; /* real, [o.size] */
    int axis;
};

/* Replace zeros in the options of s by defaults, and set s->window in the dtype `real`. Return NULL on
   success, else poison that shows x. */
static ty_tensor *settle(struct segments *s, ty_tensor *x, ty_dtype real) {
    ty_stft_options *o = &s->o;
    if (o->size < 1)
        return refuse(s->name, 1, &x, E_ARGUMENT, "segments of %lld elements; expected 1 or more",
                      (long long)o->size);
    if (o->step == 0) o->step = o->size > 1 ? o->size / 2 : 1;
    if (o->step < 1)
        return refuse(s->name, 1, &x, E_ARGUMENT, "a step of %lld; expected 1 or more", (long long)o->step);
    if (o->n == 0) o->n = o->size;
    if (o->n < o->size)
        return refuse(s->name, 1, &x, E_SHAPE,
                      "a transform of %lld elements is shorter than the segments, of %lld", (long long)o->n,
                      (long long)o->size);
    s->window = o->window ? o->window : ty_hann(real, o->size, true);
    if (!ty_ok(s->window)) return tensor_share_in(s->name, s->window);
    if (ty_rank(s->window) != 1 || ty_size(s->window) != o->size ||
        dtype_is(ty_dtype_of(s->window), CLASS_COMPLEX))
        return refuse(s->name, 2, (ty_tensor *[]){x, s->window}, E_DTYPE,
                      "the window must be a real vector of %lld elements", (long long)o->size);
    s->window = ty_cast(s->window, real);
    return NULL;
}

static ty_dtype real_dtype(ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    return dtype == TY_F32 || dtype == TY_C64 || dtype_is_half(dtype) ? TY_F32 : TY_F64;
}

/* Return x with zeros at both ends of s->axis, the time: half a segment at each, and at the end enough to
   complete the last segment. */
static ty_tensor *embedded(const struct segments *s, ty_tensor *x) {
    ty_padding padding[TY_MAX_RANK] = {{0}};
    int64_t half = s->o.size / 2, beyond = ty_shape(x)[s->axis] + 2 * half - s->o.size;
    int64_t lacking = beyond < 0 ? -beyond : beyond % s->o.step ? s->o.step - beyond % s->o.step : 0;
    padding[s->axis] = (ty_padding){half, half + lacking, 0};
    return ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
}

/* Return the spectra [.., frequency, time] of x's segments, to which each() is applied (NULL: none), then
   the window. */
static ty_tensor *spectra(const struct segments *s, ty_tensor *x, ty_tensor *(*each)(ty_tensor *)) {
    ty_tensor *parts = ty_window(x, s->axis, s->o.size, s->o.step, 1);
    if (each) parts = each(parts);
    parts = ty_mul(parts, s->window);
    bool paired = dtype_is(ty_dtype_of(parts), CLASS_COMPLEX);
    ty_tensor *y = (paired ? ty_fft : ty_rfft)(parts, s->o.n, -1, TY_FFT_BACKWARD);
    return ty_swap(y, -1, -2);
}

/* Set s->axis to the last axis of x, the time. Return NULL if it has elements, and if `plain` at least a
   segment of them; else poison. */
static ty_tensor *refuse_signal(struct segments *s, ty_tensor *x, bool plain) {
    if (ty_rank(x) == 0) return refuse(s->name, 1, &x, E_SHAPE, "a 0-d tensor has no axis of time");
    s->axis = ty_rank(x) - 1;
    int64_t n = ty_shape(x)[s->axis], least = plain ? s->o.size : 1;
    if (n >= least) return NULL;
    return refuse(s->name, 1, &x, E_SHAPE, "%lld elements of time; expected at least %lld", (long long)n,
                  (long long)least);
}

static ty_tensor *signal_of(ty_tensor *x) {
    bool paired = dtype_is(ty_dtype_of(x), CLASS_COMPLEX);
    return paired ? x : ty_cast(x, real_dtype(x));
}

ty_tensor *ty_stft_sized(ty_tensor *x, const ty_stft_options *given, size_t given_size) {
    OPTIONS(ty_stft_options, options, given, given_size);
    struct segments s = {.name = "stft", .o = options};
    if (!ty_ok(x)) return tensor_share(x);
    ty_scope *scope = ty_open();
    ty_tensor *bad = settle(&s, x, real_dtype(x));
    if (!bad) bad = refuse_signal(&s, x, options.plain);
    if (bad) return leave(scope, bad);
    ty_tensor *operands[] = {x, s.window};
    struct composite c = composite_open_plain("stft", 0, 2, operands);
    s.window = operands[1];
    ty_tensor *whole = signal_of(operands[0]);
    ty_tensor *y = spectra(&s, options.plain ? whole : embedded(&s, whole), NULL);
    y = ty_div(y, ty_sum(s.window, TY_ALL));
    return leave(scope, composite_close(c, ty_contiguous(y)));
}

/* Return the segments `parts` [.., time, position] added up at their positions in [.., n]. */
static ty_tensor *added(const struct segments *s, ty_tensor *parts, int64_t n) {
    struct window_attr attr = {ty_rank(parts) - 2, 0, s->o.size, s->o.step, 1, n};
    return record(&op_window_add, &attr, sizeof attr, 1, &parts);
}

/* Return the sums, at each of n positions, of the squares of `count` overlapping windows, [n]. */
static ty_tensor *weights(const struct segments *s, int64_t count, int64_t n) {
    ty_tensor *squares = ty_square(s->window);
    return added(s, ty_broadcast(squares, TY_SHAPE(count, s->o.size)), n);
}

/* Return NULL if x [.., frequency, time] has as many frequencies as the transform (`real`: n / 2 + 1, else
   n) and at least one segment, else poison. */
static ty_tensor *refuse_spectra(const struct segments *s, ty_tensor *x, bool real) {
    if (ty_rank(x) < 2) return refuse(s->name, 1, &x, E_ARGUMENT, "expected spectra [.., frequency, time]");
    int64_t wanted = real ? s->o.n / 2 + 1 : s->o.n, got = ty_shape(x)[ty_rank(x) - 2],
            count = ty_shape(x)[ty_rank(x) - 1];
    if (got != wanted)
        return refuse(s->name, 1, &x, E_SHAPE, "%lld frequencies, but a transform of %lld elements has %lld",
                      (long long)got, (long long)s->o.n, (long long)wanted);
    if (count < 1 || count > (INT64_MAX - s->o.size) / s->o.step)
        return refuse(s->name, 1, &x, E_ARGUMENT, "%lld segments", (long long)count);
    return NULL;
}

ty_tensor *ty_istft_sized(ty_tensor *x, const ty_stft_options *given, size_t given_size, bool real) {
    OPTIONS(ty_stft_options, options, given, given_size);
    struct segments s = {.name = "istft", .o = options};
    if (!ty_ok(x)) return tensor_share(x);
    ty_scope *scope = ty_open();
    ty_tensor *bad = settle(&s, x, real_dtype(x));
    if (!bad) bad = refuse_spectra(&s, x, real);
    if (bad) return leave(scope, bad);
    ty_tensor *operands[] = {x, s.window};
    struct composite c = composite_open_plain("istft", 0, 2, operands);
    x = operands[0];
    s.window = operands[1];
    int64_t count = ty_shape(x)[ty_rank(x) - 1], n = s.o.size + (count - 1) * s.o.step,
            half = options.plain ? 0 : s.o.size / 2;
    ty_tensor *parts = (real ? ty_irfft : ty_ifft)(ty_swap(x, -1, -2), s.o.n, -1, TY_FFT_BACKWARD);
    parts = ty_mul(ty_slice(parts, -1, 0, s.o.size, 1), ty_mul(s.window, ty_sum(s.window, TY_ALL)));
    ty_tensor *y = ty_slice(added(&s, parts, n), -1, half, n - half, 1);
    ty_tensor *by = ty_slice(weights(&s, count, n), -1, half, n - half, 1);
    /* as SciPy: positions of negligible weight are not divided */
    y = ty_div(y, ty_where(ty_gt(by, ty_num(1e-10)), by, ty_num(1)));
    return leave(scope, composite_close(c, ty_contiguous(y)));
}

static ty_tensor *without_mean(ty_tensor *parts) {
    return ty_sub(parts, ty_mean(parts, ty_axes_of(1, (int[]){-1}, true)));
}

/* Return the weights of the frequencies of a real transform of n elements, [n / 2 + 1, 1]: 2, or 1 for
   those without a mirror image, 0 and for even n the Nyquist frequency. */
static ty_tensor *both_sides(int64_t n, ty_dtype dtype) {
    int64_t shape[] = {n / 2 + 1, 1};
    ty_tensor *k = ty_iota(TY_I64, 2, shape, 0);
    ty_tensor *alone = ty_eq(ty_mod(ty_mul(k, ty_int(2)), ty_int(n)), ty_int(0));
    return ty_cast(ty_where(alone, ty_num(1), ty_num(2)), dtype);
}

ty_tensor *ty_spectrogram_sized(ty_tensor *x, const ty_stft_options *given, size_t given_size, double rate) {
    OPTIONS(ty_stft_options, options, given, given_size);
    FLOATING_DEFAULT;
    struct segments s = {.name = "spectrogram", .o = options};
    if (!ty_ok(x)) return tensor_share(x);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse("spectrogram", 1, &x, E_DTYPE, "expected real signals; use ty_stft for complex ones");
    if (!(rate > 0))
        return refuse("spectrogram", 1, &x, E_ARGUMENT, "the rate is %g; expected a number above 0", rate);
    ty_scope *scope = ty_open();
    ty_tensor *bad = settle(&s, x, real_dtype(x));
    if (!bad) bad = refuse_signal(&s, x, true);
    if (bad) return leave(scope, bad);
    ty_tensor *operands[] = {x, s.window};
    struct composite c = composite_open_plain("spectrogram", 0, 2, operands);
    s.window = operands[1];
    ty_tensor *y = spectra(&s, signal_of(operands[0]), without_mean);
    ty_tensor *power = ty_add(ty_square(ty_real(y)), ty_square(ty_imag(y)));
    power = ty_mul(power, both_sides(s.o.n, ty_dtype_of(power)));
    power = ty_div(power, ty_mul(ty_sum(ty_square(s.window), TY_ALL), ty_num(rate)));
    return leave(scope, composite_close(c, ty_contiguous(power)));
}

ty_tensor *ty_analytic_signal(ty_tensor *x, int axis) {
    if (!ty_ok(x)) return tensor_share(x);
    int rank = ty_rank(x), at = axis_normal(axis, rank);
    if (at < 0 || at >= rank) return refuse_axis("analytic_signal", x, axis);
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return refuse("analytic_signal", 1, &x, E_DTYPE, "expected real signals");
    int64_t n = ty_shape(x)[at], shape[TY_MAX_RANK];
    if (n < 1) return refuse("analytic_signal", 1, &x, E_SHAPE, "axis %d is empty", axis);
    for (int i = 0; i < rank; i++) shape[i] = i == at ? n / 2 + 1 : 1;
    struct composite c = composite_open_plain("analytic_signal", 0, 1, &x);
    ty_tensor *half = ty_rfft(x, TY_FFT_WHOLE, at, TY_FFT_BACKWARD), *k = ty_iota(TY_I64, rank, shape, at);
    ty_tensor *alone = ty_eq(ty_mod(ty_mul(k, ty_int(2)), ty_int(n)), ty_int(0));
    half = ty_mul(half, ty_cast(ty_where(alone, ty_num(1), ty_num(2)), real_dtype(x)));
    return composite_close(c, ty_ifft(half, n, at, TY_FFT_BACKWARD));
}
