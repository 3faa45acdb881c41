/* Histograms: intervals, and the counts of each class. */
#include <math.h>
#include <stdlib.h>
#include "base/math/scalar.h"
#include "base/machine/floating.h"
#include "plot/chart.h"

enum { MOST_BINS = 100000, MOST_CHOSEN = 200 };

/* Intervals between edges[0 .. n]. */
struct bins {
    int64_t n;
    double *edges;
};

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Return the least of 1, 2, 2.5, 5, 10 times a power of 10 that is not below v > 0. */
static double round_up_to(double v) {
    static const double nice[] = {1, 2, 2.5, 5, 10};
    double power = math_pow(10, floor(math_log10(v)));
    for (int i = 0; i < 5; i++)
        if (nice[i] * power >= v * (1 - 1e-9)) return nice[i] * power;
    return v;
}

/* Return true if n sorted numbers are integers, each of which may have an interval of its own. */
static bool are_few_integers(int64_t n, const double *sorted) {
    bool whole = sorted[n - 1] - sorted[0] <= 50;
    for (int64_t i = 0; i < n && whole; i++) whole = sorted[i] == floor(sorted[i]);
    return whole;
}

/* Return the width of intervals for n sorted numbers: by D. Freedman and P. Diaconis (1981), or H. Sturges (1926) if
   that is narrower, as NumPy's "auto". */
static double width_of(int64_t n, const double *sorted) {
    double range = sorted[n - 1] - sorted[0], quarter = sorted[3 * (n - 1) / 4] - sorted[(n - 1) / 4];
    double sturges = range / (math_log((double)n) / math_log(2) + 1),
           freedman = 2 * quarter / math_cbrt((double)n);
    double width = freedman > 0 && freedman < sturges ? freedman : sturges;
    return round_up_to(fmax(width, range / MOST_CHOSEN));
}

/* Set n + 1 edges from low to high, at equal distances, or in equal ratios if `log`; false sets the fault. */
static bool set_edges(struct adding *a, struct bins *b, int64_t n, double low, double high, bool log) {
    b->edges = plot_room(a, n + 1, sizeof *b->edges);
    if (!b->edges) return false;
    b->n = n;
    for (int64_t i = 0; i <= n; i++) {
        double part = (double)i / (double)n;
        b->edges[i] = log ? math_exp(math_log(low) * (1 - part) + math_log(high) * part)
                          : low * (1 - part) + high * part;
    }
    b->edges[0] = low, b->edges[n] = high;
    return true;
}

/* Choose the intervals of n sorted finite numbers, which are positive on a logarithmic axis; false sets the fault. */
static bool choose(struct adding *a, int64_t n, const double *sorted, struct bins *b) {
    const ty_plot_options *o = &a->plot->o;
    bool limited = o->x_low < o->x_high;
    double low = limited ? o->x_low : n ? sorted[0] : 0, high = limited ? o->x_high : n ? sorted[n - 1] : 1;
    int64_t bins = a->style.bins;
    if (bins > MOST_BINS)
        return plot_refuse(a, E_ARGUMENT, "%lld bins; expected at most %d", (long long)bins, MOST_BINS);
    if (low == high) { /* one value: an interval around it */
        double wide = low == 0 ? 0.5 : fabs(low) * 0.05;
        return o->x_log ? set_edges(a, b, 1, low / 1.5, high * 1.5, true)
                        : set_edges(a, b, 1, low - wide, high + wide, false);
    }
    if (bins || !n || limited || o->x_log || !isfinite(high - low))
        return set_edges(a, b, bins ? bins : 30, low, high, o->x_log);
    if (are_few_integers(n, sorted)) /* in the middle of their intervals */
        return set_edges(a, b, (int64_t)(high - low) + 1, low - 0.5, high + 0.5, false);
    double width = width_of(n, sorted), first = floor(low / width + 1e-9), last = ceil(high / width - 1e-9);
    bins = (int64_t)fmin(fmax(last - first, 1), 4 * MOST_CHOSEN);
    return set_edges(a, b, bins, first * width, last * width, false);
}

/* Return the interval of v, the last with its upper edge; -1 if v is outside. */
static int64_t bin_of(const struct bins *b, double v) {
    if (!(v >= b->edges[0] && v <= b->edges[b->n])) return -1;
    int64_t low = 0, high = b->n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (v >= b->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Add the counts of class k, or of all elements if k is -2, as a layer; false sets the fault. */
static bool add_counts(struct adding *a, int64_t n, const double *x, const struct classes *classes, int32_t k,
                       const struct bins *b, const char *name) {
    struct layer *l = plot_layer(a, &layer_boxes, name);
    double *counts = plot_room(a, b->n, sizeof *counts), all = 0;
    if (!l || !counts) return false;
    for (int64_t i = 0; i < n; i++) {
        if (k >= 0 && classes->of[i] != k) continue;
        int64_t bin = bin_of(b, x[i]);
        if (bin >= 0) counts[bin]++, all++;
    }
    for (int64_t i = 0; i < b->n && a->style.share && all > 0; i++) counts[i] /= all;
    l->n = all > 0 ? b->n : 0, l->x = b->edges, l->y = counts, l->joined = true;
    l->classes = classes->count;
    return true;
}

/* Add the histogram of x; false sets the fault. */
static bool add_histogram(struct adding *a, ty_tensor *x) {
    struct classes classes;
    struct bins bins;
    const double *v = plot_read(a, "x", x, 1, 1);
    if (!v) return false;
    int64_t n = ty_size(x), kept = 0;
    double *sorted = plot_room(a, n, sizeof *sorted);
    if (!sorted || !plot_classes(a, n, &classes)) return false;
    if (a->style.by && !classes.of && n)
        return plot_refuse(a, E_DTYPE, "by has values, not classes: expected integers or bool");
    for (int64_t i = 0; i < n; i++)
        if (isfinite(v[i]) && (!a->plot->o.x_log || v[i] > 0)) sorted[kept++] = v[i];
    qsort(sorted, (size_t)kept, sizeof *sorted, ascending);
    if (!choose(a, kept, sorted, &bins)) return false;
    a->plot->whole_y = !a->style.share;
    if (classes.of) plot_heading(a);
    plot_label(&a->plot->o.y, a->style.share ? "share" : "count");
    if (!classes.of) return add_counts(a, n, v, &classes, -2, &bins, a->style.name);
    char number[CLASS_NAME];
    for (int32_t k = 0; k < classes.count; k++)
        if (!add_counts(a, n, v, &classes, k, &bins, plot_class_name(a, k, number))) return false;
    return true;
}

bool ty_plot_histogram_sized(ty_plot *plot, ty_tensor *x, const ty_plot_style *style, size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_histogram(&a, x);
    return plot_end(&a);
}
