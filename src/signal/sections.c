/*
 * Recursive filters as sections: the poles and zeros of a prototype are moved to the band and paired. The s plane is
 * mapped to the z plane by z = (4 + s) / (4 - s). Each section has gain 1 at the middle of the band, so that none
 * overflows before the next.
 */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <tyto/create.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "ops/core/structure.h"
#include "signal/sections.h"

static const double pi = 3.14159265358979323846;

ty_band ty_band_named(const char *name) {
    static const char *const names[] = {[TY_LOW_PASS] = "lowpass",
                                        [TY_HIGH_PASS] = "highpass",
                                        [TY_BAND_PASS] = "bandpass",
                                        [TY_BAND_STOP] = "bandstop"};
    for (int i = 0; name && i < TY_BANDS; i++)
        if (!strcmp(name, names[i])) return (ty_band)i;
    return TY_BANDS;
}

static bool has_two_edges(ty_band band) { return band == TY_BAND_PASS || band == TY_BAND_STOP; }

/* State of the design of one filter. */
struct design {
    ty_band band;
    double low, high; /* edges of the band in the s plane */
    int n;            /* number of poles */
    bool rounded;     /* coefficients of 16 digits do not hold all poles */
    double _Complex pole[2 * ORDER_MOST];
    /* frequency in the s plane of the zeros of a pole and its conjugate; 0: those of the band */
    double zero[2 * ORDER_MOST];
};

/* Append the pole moved + root of the s plane to d, mapped to the z plane, with the frequency of its zeros. */
static void append(struct design *d, double _Complex moved, double _Complex root, double zero) {
    d->zero[d->n] = zero;
    d->pole[d->n++] = math_cdiv(4 + moved + root, 4 - moved - root);
}

/* Move the pole s of the prototype, with zeros at the frequency w, or 0, to d's band; band filters get two poles for each.
   The pole farther from 0 takes the zeros farther from 0. */
static void add_pole(struct design *d, double _Complex s, double w) {
    double width = d->high - d->low, centre = d->low * d->high;
    double _Complex moved = s * d->low;
    double zero = w * d->low;
    if (d->band == TY_HIGH_PASS) moved = math_cdiv(d->low, s), zero = w != 0 ? d->low / w : 0;
    if (!has_two_edges(d->band)) {
        append(d, moved, 0, zero);
        return;
    }
    bool stops = d->band == TY_BAND_STOP;
    moved = stops ? math_cdiv(width / 2, s) : s * width / 2;
    double _Complex root = math_csqrt(math_cmul(moved, moved) - centre);
    double half = stops && w != 0 ? width / 2 / w : w * width / 2;
    double far = w != 0 ? half + sqrt(half * half + centre) : 0, near = w != 0 ? centre / far : 0;
    bool ascending = math_cabs(moved + root) < math_cabs(moved - root);
    append(d, moved, root, ascending ? near : far);
    append(d, moved, -root, ascending ? far : near);
}

/* Set b[0..3) to the numerator coefficients, before the gain, of a section of one or two `poles` with zeros at the
   frequency `zero`; 0: those of the band. */
static void zeros_of(const struct design *d, int poles, double zero, double *b) {
    double middle = 2 * math_atan(sqrt(d->low * d->high) / 4), sign = d->band == TY_HIGH_PASS ? -1 : 1;
    b[0] = 1;
    b[1] = poles == 2 ? 2 * sign : sign;
    b[2] = poles == 2 ? 1 : 0;
    if (d->band == TY_BAND_PASS) b[1] = 0, b[2] = -1;
    if (d->band == TY_BAND_STOP) b[1] = -2 * math_cos(middle);
    if (zero != 0) b[1] = -2 * math_cos(2 * math_atan(zero / 4)), b[2] = 1;
}

/* Return true if the coefficients of a section hold its poles p and q: the error of a pole, which rounding divides by the
   distance of both, is below half of the distance to the unit circle. */
static bool is_held(double _Complex p, double _Complex q, int poles) {
    double error = poles == 2 ? DBL_EPSILON / math_cabs(p - q) : DBL_EPSILON;
    double farthest = poles == 2 ? fmax(math_cabs(p), math_cabs(q)) : math_cabs(p);
    return fmin(error, sqrt(DBL_EPSILON)) < (1 - farthest) / 2;
}

/* Set row[0..6) to the section with poles p and q (only p if `poles` is 1) and zeros at a frequency, with gain 1 in the
   pass band: coefficients b0 b1 b2, then a0 a1 a2. */
static void add_section(struct design *d, double *row, double _Complex p, double _Complex q, int poles,
                        double zero) {
    double middle = 2 * math_atan(sqrt(d->low * d->high) / 4), *b = row, *a = row + 3;
    double at = d->band == TY_HIGH_PASS ? pi : d->band == TY_BAND_PASS ? middle : 0;
    double _Complex z = math_cexp(__builtin_complex(0.0, -at));
    zeros_of(d, poles, zero, b);
    a[0] = 1;
    a[1] = poles == 2 ? -creal(p + q) : -creal(p);
    a[2] = poles == 2 ? creal(math_cmul(p, q)) : 0;
    double _Complex above = a[0] + math_cmul(z, a[1] + z * a[2]),
                    below = b[0] + math_cmul(z, b[1] + z * b[2]);
    double gain = math_cabs(math_cdiv(above, below));
    for (int i = 0; i < 3; i++) b[i] *= gain;
    d->rounded |= !is_held(p, q, poles) || !isfinite(gain);
}

/* Pair conjugate poles, then real ones two by two, into sections: rows[] receives six coefficients (b, then
   a) of each. Return the number of sections. */
static int pair(struct design *d, double *rows) {
    double real[2 * ORDER_MOST];
    int nreal = 0, n = 0;
    for (int i = 0; i < d->n; i++) {
        double _Complex p = d->pole[i];
        if (fabs(cimag(p)) < 1e-14 * math_cabs(p))
            real[nreal++] = creal(p);
        else if (cimag(p) > 0)
            add_section(d, rows + 6 * n++, p, conj(p), 2, d->zero[i]);
    }
    for (int i = 0; i < nreal; i += 2)
        add_section(d, rows + 6 * n++, real[i], i + 1 < nreal ? real[i + 1] : 0, i + 1 < nreal ? 2 : 1, 0);
    return n;
}

static double warped(double share) { return 4 * math_tan(pi * share / 2); }

ty_tensor *refuse_band(const char *name, int order, ty_band band, double low, double high) {
    if ((unsigned)band >= TY_BANDS)
        return refuse(name, 0, NULL, E_ARGUMENT,
                      "unknown band %d; expected TY_LOW_PASS, TY_HIGH_PASS, TY_BAND_PASS or TY_BAND_STOP",
                      (int)band);
    if (order < 1 || order > ORDER_MOST)
        return refuse(name, 0, NULL, E_ARGUMENT, "order %d is out of range; expected 1..%d", order,
                      ORDER_MOST);
    bool two = has_two_edges(band);
    if (!(low > 0 && low < 1) || (two && !(high > low && high < 1)))
        return refuse(
            name, 0, NULL, E_ARGUMENT,
            "a band of %g to %g; expected ascending fractions of half the sampling rate, between 0 and 1",
            low, two ? high : low);
    return NULL;
}

ty_tensor *sections_of(const char *name, const struct prototype *p, ty_band band, double low, double high) {
    double rows[6 * 2 * ORDER_MOST];
    bool two = has_two_edges(band);
    struct design d = {.band = band, .low = warped(low), .high = two ? warped(high) : warped(low)};
    for (int i = 0; i < p->order; i++) add_pole(&d, p->pole[i], p->zero[i]);
    int n = pair(&d, rows);
    for (int i = 0; i < 3 && p->gain != 1; i++) rows[i] *= p->gain;
    char other[32] = "";
    if (two) snprintf(other, sizeof other, " and %g", high);
    if (d.rounded)
        return refuse(name, 0, NULL, E_ARGUMENT,
                      "order %d, edges %g%s: a pole is nearer to the unit circle than coefficients of 16 "
                      "digits can be; expected edges farther apart or from 0 and 1, or a less steep filter",
                      p->order, low, other);
    return ty_from(TY_F64, TY_SHAPE(n, 6), rows);
}
