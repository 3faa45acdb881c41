/* Recursive filters at the edges of their bands, and signals at other rates: sizes, dtypes, layouts, gradients, errors.
   test_signal.c compares them with SciPy. */
#include <math.h>
#include <string.h>
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- designs ---- */

enum { CHEBYSHEV, INVERSE, ELLIPTIC, FAMILIES };
static ty_tensor *design(int family, int order, double ripple, double attenuation, ty_band band, double low,
                         double high) {
    if (family == CHEBYSHEV) return ty_chebyshev(order, ripple, band, low, high);
    if (family == INVERSE) return ty_chebyshev_inverse(order, attenuation, band, low, high);
    return ty_elliptic(order, ripple, attenuation, band, low, high);
}

/* Read the gain of sections at n frequencies, in decibels, into gain[]; false without memory. */
static bool read_gain(ty_tensor *sections, ty_tensor *at, double *gain) {
    ty_tensor *y = ty_eval(ty_abs(ty_filter_sections_response(sections, at)));
    if (!ty_ok(CHECK_OK(y)) || !ty_read(y, TY_F64, gain)) return false;
    for (int64_t i = 0; i < ty_size(y); i++) gain[i] = 20 * log10(gain[i]);
    return true;
}

/* Each design has its decibels at the edges, passes no more than 1, stops as it promises, and is stable. */
static void edges(void) {
    static const int orders[] = {1, 2, 3, 4, 5, 6, 9, 10, 15, 24, 33, 64};
    enum { GRID = 400 };
    for (int i = 0; i < FAMILIES * TY_BANDS * 12; i++) {
        struct test_round round = test_round();
        int family = i % FAMILIES, band = i / FAMILIES % TY_BANDS, order = orders[i / FAMILIES / TY_BANDS];
        double ripple = 0.1 + 0.7 * (i % 4), attenuation = 30 + 17 * (i % 5);
        double low = 0.25, high = band == TY_BAND_PASS || band == TY_BAND_STOP ? 0.45 : 0;
        /* Steep elliptic filters have poles nearer to an edge than 1e-9, which coefficients of 16 digits cannot hold. */
        if (family == ELLIPTIC) attenuation += 3 * order;
        ty_tensor *s = CHECK_OK(design(family, order, ripple, attenuation, (ty_band)band, low, high));
        int sections = high ? order : (order + 1) / 2;
        CHECK(ty_rank(s) == 2 && ty_shape(s)[0] == sections && ty_shape(s)[1] == 6, "round %d", i);
        double gain[GRID], edge = family == INVERSE ? -attenuation : -ripple, rows[64][6];
        if (read_gain(s, ty_num(low), gain))
            CHECK(fabs(gain[0] - edge) < 1e-6, "round %d: %.17g dB at an edge, not %g", i, gain[0], edge);
        if (high != 0 && read_gain(s, ty_num(high), gain))
            CHECK(fabs(gain[0] - edge) < 1e-6, "round %d: %.17g dB at the other, not %g", i, gain[0], edge);
        if (read_gain(s, ty_steps(TY_F64, 0.5 / GRID, 1.0 / GRID, GRID), gain))
            for (int k = 0; k < GRID; k++) {
                double at = (k + 0.5) / GRID;
                bool outside = high != 0 ? at < low || at > high : at > low;
                if (band == TY_HIGH_PASS || band == TY_BAND_STOP) outside = !outside;
                CHECK(gain[k] < 1e-6, "round %d: %g dB at %g", i, gain[k], at);
                if (outside && family == INVERSE)
                    CHECK(gain[k] < edge + 1e-6, "round %d: stops by %g dB", i, gain[k]);
                if (!outside && family != INVERSE)
                    CHECK(gain[k] > edge - 1e-6, "round %d: passes %g dB at %g", i, gain[k], at);
            }
        if (ty_read(s, TY_F64, rows))
            for (int k = 0; k < sections; k++)
                CHECK(fabs(rows[k][5]) < 1 && fabs(rows[k][4]) < 1 + rows[k][5], "round %d: unstable", i);
        test_round_end(round);
    }
}

/* Filters of extreme decibels are finite and stable, or refused because 16 digits do not hold them. */
static void extremes(void) {
    static const double ripples[] = {1e-300, 1e-17, 1, 100, 2999}, more[] = {1e-12, 1, 3000};
    for (int i = 0; i < 5 * 3 * 4; i++) {
        struct test_round round = test_round();
        double ripple = ripples[i % 5], attenuation = fmin(3000, ripple + more[i / 5 % 3]);
        int order = (int[]){1, 2, 9, 64}[i / 15];
        if (!(attenuation > ripple)) attenuation = 3000;
        bool hard = order > 2 || ripple < 1e-17 || attenuation > 1000 || attenuation < ripple + 1e-6;
        for (int family = 0; family < FAMILIES; family++) {
            ty_tensor *s = design(family, order, ripple, attenuation, TY_LOW_PASS, 0.5, 0);
            double rows[32][6];
            if (!ty_ok(s)) {
                CHECK(test_starving() || (hard && strstr(ty_error(s), "nearer to the unit circle")), "%s",
                      ty_error(s));
                continue;
            }
            if (!ty_read(s, TY_F64, rows)) continue;
            for (int64_t k = 0; k < ty_shape(s)[0]; k++) {
                double sum = 0;
                for (int j = 0; j < 6; j++) sum += rows[k][j];
                CHECK(isfinite(sum) && fabs(rows[k][5]) < 1 && fabs(rows[k][4]) < 1 + rows[k][5],
                      "round %d, family %d: unstable", i, family);
            }
        }
        test_round_end(round);
    }
}

/* ---- other rates ---- */

/* A periodic signal without high frequencies is resampled exactly, of any dtype and layout, along any axis. */
static void series(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C128, TY_C64, TY_F16};
    for (int i = 0; i < test_some(60, 20, 5); i++) {
        struct test_round round = test_round();
        ty_dtype dtype = dtypes[i % 5];
        int axis = i / 5 % 2;
        int64_t n = test_between(8, 40), wanted = test_between(8, 40);
        ty_tensor *both[2];
        for (int k = 0; k < 2; k++) {
            int64_t size = k ? wanted : n;
            ty_tensor *t =
                ty_mul(ty_arange(TY_F64, 0, (double)size, 1), ty_num(6.283185307179586 / (double)size));
            ty_tensor *y = ty_add(ty_cos(ty_mul(t, ty_num(3))), ty_mul(ty_sin(t), ty_num(0.5)));
            y = ty_mul(ty_expand(y, 1 - axis), ty_expand(ty_linspace(TY_F64, -1, 1, 3), axis));
            if (dtype == TY_C128 || dtype == TY_C64) y = ty_from_parts(y, ty_neg(y));
            both[k] = ty_cast(y, dtype);
        }
        ty_tensor *x = i % 3 == 1 ? ty_transpose(ty_contiguous(ty_transpose(both[0]))) : both[0];
        ty_tensor *y = CHECK_OK(ty_resample(x, wanted, i % 4 > 1 ? axis - 2 : axis));
        CHECK(ty_dtype_of(y) == dtype, "%s", ty_dtype_name(ty_dtype_of(y)));
        double tolerance = dtype == TY_F16 ? 4e-3 : dtype == TY_F32 || dtype == TY_C64 ? 1e-5 : 1e-12;
        compare_near(ty_cast(y, TY_C128), ty_cast(both[1], TY_C128), 0, tolerance, "round %d", i);
        test_round_end(round);
    }
    ty_tensor *whole = ty_arange(TY_I32, 0, 4, 1);
    CHECK(ty_dtype_of(CHECK_OK(ty_resample(whole, 8, 0))) == TY_F64 || test_starving(), "integers");
    ty_tensor *one = ty_full(TY_F64, TY_SHAPE(1), 3);
    compare_near(ty_resample(one, 5, 0), ty_full(TY_F64, TY_SHAPE(5), 3), 0, 1e-15, "one element");
}

/* Return x resampled by the definition: zeros between its elements, a convolution, every down-th element. */
static ty_tensor *slowly(ty_tensor *x, int64_t up, int64_t down, ty_tensor *h) {
    int64_t n = ty_size(x), taps = ty_size(h), wanted = (n * up + down - 1) / down, middle = (taps - 1) / 2;
    ty_padding padding[] = {{0, up, up - 1}};
    ty_tensor *dense = ty_pad(x, padding, ty_scalar(ty_dtype_of(x), 0));
    ty_tensor *y = ty_convolve(dense, ty_mul(h, ty_num((double)up)), TY_FULL);
    ty_padding more[] = {{0, down * wanted, 0}};
    y = ty_pad(y, more, ty_scalar(ty_dtype_of(y), 0));
    return ty_slice(y, 0, middle, middle + (wanted - 1) * down + 1, down);
}

static void ratios(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32, TY_C128, TY_C64};
    for (int i = 0; i < test_some(80, 24, 4); i++) {
        struct test_round round = test_round();
        int64_t up = test_between(1, 9), down = test_between(1, 9), n = test_between(1, 60);
        while (up > 1 && down % up == 0) up = test_between(1, 9);
        ty_dtype dtype = dtypes[i % 4];
        ty_tensor *x = sample_shape(dtype, TY_SHAPE(n, 3), -1, 1);
        ty_tensor *h = sample_shape(dtype, TY_SHAPE(test_between(1, 30)), -1, 1);
        if (i % 3 == 1) x = ty_flip(x, 0);
        ty_tensor *y = CHECK_OK(ty_resample_ratio(x, up, down, h, 0));
        double tolerance = dtype == TY_F32 || dtype == TY_C64 ? 1e-4 : 1e-12;
        int64_t common = 1;
        for (int64_t k = 2; k < 10; k++)
            if (up % k == 0 && down % k == 0) common = k;
        bool same = up == down;
        for (int64_t k = 0; k < 3; k++) {
            ty_tensor *line = ty_squeeze(ty_slice(x, 1, k, k + 1, 1), 1);
            compare_near(ty_squeeze(ty_slice(y, 1, k, k + 1, 1), 1),
                         same ? line : slowly(line, up / common, down / common, h), tolerance, tolerance,
                         "round %d: %lld/%lld", i, (long long)up, (long long)down);
        }
        test_round_end(round);
    }
    ty_tensor *slow = ty_sin(ty_linspace(TY_F64, 0, 20, 441)),
              *y = CHECK_OK(ty_resample_ratio(slow, 160, 147, NULL, 0));
    ty_tensor *t = ty_mul(ty_arange(TY_F64, 0, 480, 1), ty_num(147.0 / 160 * 20 / 440));
    compare_near(ty_slice(y, 0, 40, 440, 1), ty_slice(ty_sin(t), 0, 40, 440, 1), 0, 2e-3, "44.1 to 48 kHz");
    CHECK(ty_dtype_of(CHECK_OK(ty_resample_ratio(ty_arange(TY_I8, 0, 9, 1), 3, 2, NULL, 0))) == TY_F64 ||
              test_starving(),
          "integers");
}

/* ---- derivatives ---- */

static ty_tensor *function(void *context, ty_tensor *const *t) {
    ty_tensor *v = t[0], *r = ty_slice(v, 0, 0, 4, 1);
    switch (*(const int *)context) {
    case 0:
        return ty_square(ty_resample(v, 14, 0));
    case 1:
        return ty_square(ty_resample(v, 6, 0));
    case 2:
        return ty_square(ty_resample_ratio(v, 3, 2, NULL, 0));
    default:
        return ty_square(ty_resample_ratio(v, 2, 3, r, 0));
    }
}
static void derivatives(void) {
    for (int which = 0; which < 4; which++) {
        struct test_round round = test_round();
        ty_tensor *v = sample_shape(TY_F64, TY_SHAPE(10), 0.2, 1);
        ty_check_report report;
        CHECK(ty_check_gradient(function, &which, 1, &v, (ty_check_options){0}, &report, NULL),
              "function %d: %s", which, report.message);
        test_round_end(round);
    }
}

/* ---- errors ---- */

static void refusals(void) {
    ty_tensor *v = ty_ones(TY_F64, TY_SHAPE(8)), *m = ty_ones(TY_F64, TY_SHAPE(2, 0));
    CHECK_POISON(ty_chebyshev(0, 1, TY_LOW_PASS, 0.5, 0), "order 0 is out of range; expected 1..64");
    CHECK_POISON(ty_chebyshev(2, 0, TY_LOW_PASS, 0.5, 0),
                 "a ripple of 0 dB; expected a number above 0, at most 3000");
    CHECK_POISON(ty_chebyshev(2, NAN, TY_LOW_PASS, 0.5, 0), "a ripple of nan dB");
    CHECK_POISON(ty_chebyshev_inverse(2, -40, TY_LOW_PASS, 0.5, 0), "an attenuation of -40 dB");
    CHECK_POISON(ty_chebyshev_inverse(2, 40, TY_BANDS, 0.5, 0), "unknown band 4");
    CHECK_POISON(ty_elliptic(2, 40, 40, TY_LOW_PASS, 0.5, 0), "expected a smaller ripple");
    CHECK_POISON(ty_elliptic(2, 50, 40, TY_LOW_PASS, 0.5, 0),
                 "a ripple of 50 dB and an attenuation of 40 dB");
    CHECK_POISON(ty_elliptic(2, 1, INFINITY, TY_LOW_PASS, 0.5, 0), "an attenuation of inf dB");
    CHECK_POISON(ty_elliptic(2, 1, 40, TY_BAND_PASS, 0.5, 0.4), "a band of 0.5 to 0.4");
    CHECK_POISON(ty_butterworth(4, TY_LOW_PASS, 1e-300, 0),
                 "butterworth: order 4, edges 1e-300: a pole is nearer to");
    for (double low = 1e-16; low < 2e-9; low *= 1.5)
        CHECK_POISON(ty_butterworth(4, TY_LOW_PASS, low, 0), "nearer to the unit circle");
    CHECK_OK(ty_butterworth(4, TY_LOW_PASS, 1e-7, 0));
    CHECK_POISON(ty_elliptic(4, 1, 40, TY_LOW_PASS, 1e-9, 0), "elliptic: order 4, edges 1e-09: a pole");
    CHECK_POISON(ty_elliptic(12, 9.18, 9.52, TY_BAND_STOP, 0.35, 0.84),
                 "order 12, edges 0.35 and 0.84: a pole");
    CHECK_POISON(ty_chebyshev(4, 1, TY_BAND_PASS, 0.5, nextafter(0.5, 1)), "expected edges farther apart");
    CHECK_POISON(ty_resample(v, 0, 0), "0 elements; expected 1 or more");
    CHECK_POISON(ty_resample(v, 4, 1), "axis 1 is out of bounds");
    CHECK_POISON(ty_resample(m, 4, 1), "axis 1 is empty");
    CHECK_POISON(ty_resample(v, INT64_MAX, 0), "");
    CHECK_POISON(ty_resample_ratio(v, 0, 1, NULL, 0), "a ratio of 0/1; expected numbers of 1..4096");
    CHECK_POISON(ty_resample_ratio(v, 1, -2, NULL, 0), "a ratio of 1/-2");
    CHECK_POISON(ty_resample_ratio(v, INT64_MAX, INT64_MAX - 1, NULL, 0), "ty_resample takes any size");
    CHECK_POISON(ty_resample_ratio(v, 1, 2, m, 0), "the filter must be a vector of at least 1 element");
    CHECK_POISON(ty_resample_ratio(v, 1, 2, NULL, -2), "axis -2 is out of bounds");
    CHECK_POISON(ty_resample_ratio(m, 1, 2, NULL, 1), "axis 1 is empty");
    ty_tensor *long_one = ty_broadcast(ty_num(1), TY_SHAPE((int64_t)1 << 52));
    CHECK_POISON(ty_resample_ratio(long_one, 4096, 4095, NULL, 0), "axis 0 is too long; expected at most 22");
}

TESTS_MAIN(TEST(edges), TEST(extremes), TEST(series), TEST(ratios), TEST(derivatives), TEST(refusals))
