/* Spectra and spectrograms of signals, in decibels. */
#include <math.h>
#include <tyto/reduce.h>
#include <tyto/signal.h>
#include "base/math/scalar.h"
#include "base/machine/floating.h"
#include "plot/chart.h"

/* Segments of a signal, and its power spectral density. */
struct spectra {
    int64_t n, size, step; /* samples of the signal, of a segment, from one to the next */
    int64_t frequencies, times;
    double rate;
    const double *power; /* [frequencies, times], in decibels */
};

/* Convert power densities to decibels: 160 dB below the greatest, f64's resolution, is the least; 0 alone: NaN. */
static void to_decibels(int64_t n, double *power) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, power[i]);
    for (int64_t i = 0; i < n; i++) power[i] = most > 0 ? 10 * math_log10(fmax(power[i], most * 1e-16)) : NAN;
}

/* Check the signal and the rate; false sets the fault. */
static bool check(struct adding *a, ty_tensor *x, double rate) {
    const int64_t least = 8; /* samples: of fewer there is no spectrum worth the name */
    const double *v = plot_read(a, "x", x, 1, 1);
    if (!v) return false;
    if (ty_size(x) < least)
        return plot_refuse(a, E_SHAPE, "%lld samples; expected at least %lld", (long long)ty_size(x),
                           (long long)least);
    for (int64_t i = 0; i < ty_size(x); i++)
        if (!isfinite(v[i]))
            return plot_refuse(a, E_ARGUMENT, "sample %lld is %s; expected finite ones", (long long)i,
                               isnan(v[i]) ? "missing (NaN)" : "infinite");
    return (rate >= 0 && isfinite(rate)) ||
           plot_refuse(a, E_ARGUMENT, "rate %g; expected above 0, or 0 for cycles a sample", rate);
}

/* Return the power of 2 nearest to v in ratio, from `least` to `most`. */
static int64_t power_of_2(double v, int64_t least, int64_t most) {
    int64_t power = least;
    while (power < most && (double)power * 1.41421356 < v) power *= 2;
    return power;
}

/* Compute the density of x, the mean over time if `mean`; false sets the fault. */
static bool compute(struct adding *a, ty_tensor *x, struct spectra *s, bool mean) {
    ty_tensor *y = ty_spectrogram(ty_cast(x, TY_F64), (ty_stft_options){.size = s->size, .step = s->step},
                                  s->rate > 0 ? s->rate : 1);
    if (mean) y = ty_mean(y, ty_axis(1));
    s->power = plot_read(a, "x", y, mean ? 1 : 2, mean ? 1 : 2);
    if (!s->power) return false;
    s->frequencies = ty_shape(y)[0], s->times = mean ? 1 : ty_shape(y)[1];
    to_decibels(s->frequencies * s->times, (double *)(uintptr_t)s->power);
    return true;
}

static const char *frequency_label(double rate) {
    return rate > 0 ? "frequency (Hz)" : "frequency (cycles/sample)";
}
static const char *density_label(double rate) {
    return rate > 0 ? "power density (dB/Hz)" : "power density (dB)";
}

/* Add the line of the spectrum; false sets the fault. */
static bool add_spectrum(struct adding *a, ty_tensor *x, double rate) {
    if (!check(a, x, rate)) return false;
    struct spectra s = {.n = ty_size(x), .rate = rate};
    /* one segment of a short signal, else at least 8, whose mean has a third of the noise */
    s.size = s.n < 2048 ? s.n : power_of_2((double)s.n / 8, 1024, 16384);
    s.step = (s.size + 1) / 2;
    if (!compute(a, x, &s, true)) return false;
    struct layer *l = plot_layer(a, &layer_lines, a->style.name);
    double *at = plot_room(a, s.frequencies, sizeof *at);
    if (!l || !at) return false;
    for (int64_t i = 0; i < s.frequencies; i++) at[i] = (double)i * (rate > 0 ? rate : 1) / (double)s.size;
    /* the mean is removed: frequency 0 has no power */
    l->n = s.frequencies - 1, l->x = at + 1, l->y = s.power + 1;
    if (!(l->size > 0)) l->size = 1.1;
    plot_label(&a->plot->o.x, frequency_label(rate));
    plot_label(&a->plot->o.y, density_label(rate));
    return true;
}

bool ty_plot_spectrum_sized(ty_plot *plot, ty_tensor *x, double rate, const ty_plot_style *style,
                            size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_spectrum(&a, x, rate);
    return plot_end(&a);
}

/* Add the cells of the spectrogram; false sets the fault. */
static bool add_spectrogram(struct adding *a, ty_tensor *x, double rate) {
    const double range = 80; /* dB that are shown: a film's or a good recording's */
    if (!check(a, x, rate)) return false;
    struct spectra s = {.n = ty_size(x), .rate = rate};
    /* about as many segments as frequencies, drawn twice as wide as high */
    s.size = power_of_2(2.5 * sqrt((double)s.n), 8, 4096);
    if (s.size > s.n) s.size = s.n;
    s.step = s.n / s.size < 100 ? (s.size + 7) / 8 : (s.size + 1) / 2;
    if (s.n / s.step > 2000) s.step = s.n / 2000;
    struct layer *l = plot_layer_cells(a);
    if (!l || !compute(a, x, &s, false)) return false;
    double each = rate > 0 ? rate : 1, middle = (double)s.size / 2, half = (double)s.step / 2,
           width = each / (double)s.size;
    l->rows = s.frequencies, l->columns = s.times, l->value = s.power;
    l->across =
        (struct bounds){(middle - half) / each, (middle + half + (double)((s.times - 1) * s.step)) / each};
    l->down = (struct bounds){0, width * ((double)s.frequencies - 0.5)};
    a->plot->tight = true;
    struct bounds all = BOUNDS_EMPTY;
    for (int64_t i = 0; i < s.frequencies * s.times; i++) bounds_add(&all, s.power[i], false);
    if (a->style.low == a->style.high && all.low <= all.high)
        a->style.low = fmax(all.low, all.high - range), a->style.high = all.high;
    plot_values(a, MAP_VALUES, s.frequencies * s.times, s.power,
                a->style.name ? a->style.name : density_label(rate));
    plot_label(&a->plot->o.x, rate > 0 ? "time (s)" : "sample");
    plot_label(&a->plot->o.y, frequency_label(rate));
    return true;
}

bool ty_plot_spectrogram_sized(ty_plot *plot, ty_tensor *x, double rate, const ty_plot_style *style,
                               size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_spectrogram(&a, x, rate);
    return plot_end(&a);
}
