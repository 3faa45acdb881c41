/* Filters without feedback by the window method, and the responses of filters to frequencies. */
#include <math.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "ops/core/attributes.h"
#include "ops/core/structure.h"
#include "signal/coefficients.h"
#include "signal/horner.h"

static const double pi = 3.14159265358979323846;

/* ---- the window method ---- */

static bool has_two_edges(ty_band band) { return band == TY_BAND_PASS || band == TY_BAND_STOP; }

/* Return NULL if the arguments of a design are valid, else poison. */
static ty_tensor *refuse_design(int64_t taps, ty_band band, double low, double high, ty_tensor *window) {
    bool even = taps % 2 == 0, two = has_two_edges(band);
    if ((unsigned)band >= TY_BANDS)
        return refuse("fir", 0, NULL, E_ARGUMENT,
                      "unknown band %d; expected TY_LOW_PASS, TY_HIGH_PASS, TY_BAND_PASS or TY_BAND_STOP",
                      (int)band);
    if (taps < 1 || taps > FILTER_MOST)
        return refuse("fir", 0, NULL, E_ARGUMENT, "%lld taps; expected 1..%d", (long long)taps, FILTER_MOST);
    if (even && (band == TY_HIGH_PASS || band == TY_BAND_STOP))
        return refuse(
            "fir", 0, NULL, E_ARGUMENT,
            "%lld taps; expected an odd number, because an even one cannot pass half the sampling rate",
            (long long)taps);
    if (!(low > 0 && low < 1) || (two && !(high > low && high < 1)))
        return refuse(
            "fir", 0, NULL, E_ARGUMENT,
            "a band of %g to %g; expected ascending fractions of half the sampling rate, between 0 and 1",
            low, two ? high : low);
    if (window &&
        (ty_rank(window) != 1 || ty_size(window) != taps || dtype_is(ty_dtype_of(window), CLASS_COMPLEX)))
        return refuse("fir", 1, &window, E_SHAPE, "the window must be a real vector of %lld elements",
                      (long long)taps);
    return NULL;
}

/* Return the coefficient at distance t from the middle of the ideal filter that passes 0 to `edge`. */
static double ideal(double edge, double t) { return t == 0 ? edge : math_sin(pi * edge * t) / (pi * t); }

/* Fill h[taps] with the ideal filter, and wave[taps] with the cosine of the frequency where the gain is 1. */
static void fill(int64_t taps, ty_band band, double low, double high, double *h, double *wave) {
    bool stops = band == TY_HIGH_PASS || band == TY_BAND_STOP, two = has_two_edges(band);
    double middle = band == TY_HIGH_PASS ? 1 : band == TY_BAND_PASS ? (low + high) / 2 : 0;
    for (int64_t i = 0; i < taps; i++) {
        double t = (double)i - 0.5 * (double)(taps - 1);
        double pass = two ? ideal(high, t) - ideal(low, t) : ideal(low, t);
        h[i] = stops ? (t == 0) - pass : pass; /* the number of taps is odd: t is whole */
        wave[i] = math_cos(pi * t * middle);
    }
}

ty_tensor *ty_fir(int64_t taps, ty_band band, double low, double high, ty_tensor *window) {
    FLOATING_DEFAULT;
    double h[FILTER_MOST], wave[FILTER_MOST];
    if (window && !ty_ok(window)) return tensor_share(window);
    ty_tensor *bad = refuse_design(taps, band, low, high, window);
    if (bad) return bad;
    fill(taps, band, low, high, h, wave);
    ty_scope *scope = ty_open();
    ty_tensor *weights = window ? ty_cast(window, TY_F64) : ty_hamming(TY_F64, taps, false);
    ty_tensor *y = ty_mul(ty_from(TY_F64, 1, &taps, h), weights);
    return leave(scope, ty_div(y, ty_sum(ty_mul(y, ty_from(TY_F64, 1, &taps, wave)), TY_ALL)));
}

/* ---- responses ---- */

/* Return exp(-i pi at). */
static ty_tensor *delay_of(ty_tensor *at) {
    ty_tensor *angle = ty_mul(at, ty_num(pi));
    return ty_from_parts(ty_cos(angle), ty_neg(ty_sin(angle)));
}

/* Return the response of coefficients b and a, vectors, at delays z. */
static ty_tensor *quotient(ty_tensor *b, ty_tensor *a, ty_tensor *z) {
    return ty_div(horner(ty_flip(b, 0), z), horner(ty_flip(a, 0), z));
}

/* Return NULL if the last of n operands can be frequencies, else poison. */
static ty_tensor *refuse_frequencies(const char *name, int n, ty_tensor **operands) {
    ty_tensor *at = operands[n - 1];
    if (dtype_is(ty_dtype_of(at), CLASS_COMPLEX))
        return refuse(name, n, operands, E_DTYPE,
                      "frequencies must be real, fractions of half the sampling rate");
    return NULL;
}

ty_tensor *ty_filter_response(ty_tensor *b, ty_tensor *a, ty_tensor *at) {
    ty_tensor *operands[] = {b, a, at}, *bad = first_poison(3, operands);
    if (!bad) bad = refuse_frequencies("filter_response", 3, operands);
    if (!bad) bad = refuse_vectors("filter_response", 3, operands);
    if (bad) return bad;
    struct composite c = composite_open("filter_response", 3, operands);
    ty_tensor *real = as_floating(operands[2]);
    return composite_close(c, quotient(as_floating(operands[0]), as_floating(operands[1]), delay_of(real)));
}

ty_tensor *ty_filter_sections_response(ty_tensor *sections, ty_tensor *at) {
    ty_tensor *operands[] = {sections, at}, *bad = first_poison(2, operands);
    if (!bad) bad = refuse_frequencies("filter_sections_response", 2, operands);
    if (!bad) bad = refuse_sections("filter_sections_response", 2, operands);
    if (bad) return bad;
    struct composite c = composite_open("filter_sections_response", 2, operands);
    int64_t n = ty_shape(sections)[0];
    ty_tensor *rows = as_floating(operands[0]), *z = delay_of(as_floating(operands[1])), *y = NULL;
    for (int64_t i = 0; i < n; i++) {
        ty_tensor *row = ty_squeeze(ty_slice(rows, 0, i, i + 1, 1), 0);
        ty_tensor *part = quotient(ty_slice(row, 0, 0, 3, 1), ty_slice(row, 0, 3, 6, 1), z);
        y = y ? ty_mul(y, part) : part;
    }
    return composite_close(c, y);
}
