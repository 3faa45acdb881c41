/* Matrices as coloured cells: heat maps and confusion matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/machine/floating.h"
#include "plot/chart.h"

static void extend(const struct layer *l, const ty_plot *p, struct bounds *x, struct bounds *y) {
    (void)p;
    if (!l->rows || !l->columns) return;
    bounds_add(x, l->across.low, false);
    bounds_add(x, l->across.high, false);
    bounds_add(y, l->down.low, false);
    bounds_add(y, l->down.high, false);
}

/* Return the mean of the present elements of rows r0..r1 and columns k0..k1, without the ends; NaN of none. */
static double mean_of(const struct layer *l, int64_t r0, int64_t r1, int64_t k0, int64_t k1) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t r = r0; r < r1; r++)
        for (int64_t k = k0; k < k1; k++) {
            double v = l->value[r * l->columns + k];
            if (isnan(v)) continue;
            if (r1 - r0 == 1 && k1 - k0 == 1) return v; /* also an infinite one */
            if (isfinite(v)) sum += v, n++;
        }
    return n ? sum / (double)n : NAN;
}

/* A grid on the page: its corners, and whether row 0 is at the bottom. */
struct frame {
    double x, y, w, h;
    bool rises;
};
static struct frame frame_of(const struct layer *l, const struct chart *c) {
    double x0, y0, x1, y1;
    chart_at(c, l->across.low, l->down.low, &x0, &y0);
    chart_at(c, l->across.high, l->down.high, &x1, &y1);
    return (struct frame){fmin(x0, x1), fmin(y0, y1), fabs(x1 - x0), fabs(y1 - y0), y0 > y1};
}

/* Write the elements in their cells, if they fit. */
static void draw_numbers(const struct layer *l, struct chart *c, struct frame f) {
    double w = f.w / (double)l->columns, h = f.h / (double)l->rows, widest = 0, size = fmin(10, h * 0.55);
    const double least = 4.5; /* points: smaller digits are unreadable */
    const double *shown = l->shown ? l->shown : l->value;
    char text[TICK_LABEL];
    if (w < 2 * least || h < least) return;
    for (int64_t i = 0; i < l->rows * l->columns; i++) {
        ticks_number(text, shown[i], 3, c->form.ascii);
        widest = fmax(widest, chart_width(c, size, false, text));
    }
    if (c->form.cells ? widest > w : widest > 0.9 * w && (size *= 0.9 * w / widest) < least) return;
    for (int64_t r = 0; r < l->rows; r++)
        for (int64_t k = 0; k < l->columns; k++) {
            int64_t i = r * l->columns + k;
            if (isnan(shown[i])) continue;
            ticks_number(text, shown[i], 3, c->form.ascii);
            double y = f.y + h * ((double)(f.rises ? l->rows - 1 - r : r) + 0.5);
            struct colour ink = c->form.cells && c->form.plain
                                    ? c->theme->text
                                    : colour_ink(colour_map_at(&c->map, l->value[i]));
            scene_text(c->s, f.x + w * ((double)k + 0.5), y, size, ANCHOR_MIDDLE, BASELINE_MIDDLE, 0, ink,
                       false, text);
        }
}

static void draw(const struct layer *l, struct chart *c) {
    if (!l->rows || !l->columns) return;
    struct frame f = frame_of(l, c);
    double sharp = c->form.cells ? 0.34 : 2; /* most pixels a point: the rest is averaged */
    int64_t columns = (int64_t)fmax(1, fmin((double)l->columns, f.w * sharp));
    int64_t rows = (int64_t)fmax(1, fmin((double)l->rows, f.h * sharp));
    struct colour *pixels = arena_array(&c->s->arena, (size_t)(rows * columns), sizeof *pixels);
    if (!pixels || isnan(f.w) || isnan(f.h)) {
        if (!pixels) fault_memory(&c->s->fault, (size_t)(rows * columns) * sizeof *pixels);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < columns; k++) {
            double v = mean_of(l, r * l->rows / rows, (r + 1) * l->rows / rows, k * l->columns / columns,
                               (k + 1) * l->columns / columns);
            pixels[(f.rises ? rows - 1 - r : r) * columns + k] = colour_map_at(&c->map, v);
        }
    scene_image(c->s, f.x, f.y, f.w, f.h, (int)columns, (int)rows, (const uint8_t *)pixels);
    if (l->numbers) draw_numbers(l, c, f);
}

static void sample(const struct layer *l, struct chart *c, double x, double y, double w, double h) {
    (void)l;
    scene_box(c->s, x + 2, y + 2, w - 4, h - 4, c->map.colours[128], (struct stroke){0});
}

static void occupy(const struct layer *l, const struct chart *c, struct occupancy *o) {
    struct frame f = frame_of(l, c);
    occupancy_box(c, o, f.x, f.y, f.x + f.w, f.y + f.h);
}

const struct layer_kind layer_grid = {extend, draw, sample, occupy};

/* ---- functions ---- */

struct layer *plot_layer_cells(struct adding *a) {
    if (!a->plot->o.x_log && !a->plot->o.y_log) return plot_layer(a, &layer_grid, NULL);
    plot_refuse(a, E_ARGUMENT, "cells of equal sizes do not fit logarithmic axes; expected linear ones");
    return NULL;
}

/* Let an axis have the n names if there are as many, else numbers; false sets the fault. */
static bool name_axis(struct adding *a, struct categories *axis, int64_t n, int64_t given,
                      const char *const *names, const char *what) {
    if (!given) return true;
    if (given != n)
        return plot_refuse(a, E_SHAPE, "%lld names of %lld %s", (long long)given, (long long)n, what);
    const char *const *copies = plot_copies(a, n, names);
    return copies && plot_categories(a, axis, n, copies);
}

/* Add a matrix v [rows, columns] of cells around whole numbers, row 0 at the top; NULL sets the fault. */
static struct layer *add_matrix(struct adding *a, const double *v, int64_t rows, int64_t columns) {
    const double long_side = 3; /* ratio of sides up to which cells are squares */
    struct layer *l = plot_layer_cells(a);
    if (!l) return NULL;
    l->rows = rows, l->columns = columns, l->value = v, l->numbers = a->style.numbers;
    l->across = (struct bounds){-0.5, (double)columns - 0.5};
    l->down = (struct bounds){-0.5, (double)rows - 0.5};
    double ratio = (double)rows / (double)(columns ? columns : 1);
    a->plot->falls = a->plot->tight = a->plot->whole_x = a->plot->whole_y = true;
    a->plot->square = ratio <= long_side && ratio >= 1 / long_side;
    return l;
}

/* Add the matrix as a heat map; false sets the fault. */
static bool add_heat(struct adding *a, ty_tensor *x) {
    const double *v = plot_read(a, "x", x, 2, 2);
    if (!v) return false;
    int64_t rows = ty_shape(x)[0], columns = ty_shape(x)[1];
    if (!add_matrix(a, v, rows, columns) ||
        !name_axis(a, &a->plot->x, columns, a->style.nnames, a->style.names, "columns") ||
        !name_axis(a, &a->plot->y, rows, a->style.nrows, a->style.rows, "rows"))
        return false;
    plot_values(a, a->style.diverging ? MAP_DIVERGING : MAP_VALUES, rows * columns, v, a->style.name);
    return true;
}

bool ty_plot_heat_sized(ty_plot *plot, ty_tensor *x, const ty_plot_style *style, size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_heat(&a, x);
    return plot_end(&a);
}

/* Return the shares of the elements of each row in its sum, NaN of a row without any; NULL sets the fault. */
static const double *shares_of(struct adding *a, const double *counts, int64_t n) {
    double *shares = plot_room(a, n * n, sizeof *shares);
    for (int64_t r = 0; shares && r < n; r++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++) sum += counts[r * n + k];
        for (int64_t k = 0; k < n; k++) shares[r * n + k] = sum > 0 ? counts[r * n + k] / sum : NAN;
    }
    return shares;
}

/* Add the confusion matrix; false sets the fault. */
static bool add_confusion(struct adding *a, ty_tensor *counts) {
    const double *v = plot_read(a, "counts", counts, 2, 2);
    if (!v) return false;
    int64_t n = ty_shape(counts)[0];
    if (ty_shape(counts)[1] != n)
        return plot_refuse(a, E_SHAPE, "counts [%lld, %lld]; expected as many columns as rows", (long long)n,
                           (long long)ty_shape(counts)[1]);
    for (int64_t i = 0; i < n * n; i++)
        if (!(v[i] >= 0 && isfinite(v[i])))
            return plot_refuse(a, E_ARGUMENT, "a count is %g; expected 0 or more", v[i]);
    const double *shares = shares_of(a, v, n);
    struct layer *l = shares ? add_matrix(a, shares, n, n) : NULL;
    if (!l || !name_axis(a, &a->plot->x, n, a->style.nnames, a->style.names, "classes") ||
        !name_axis(a, &a->plot->y, n, a->style.nnames, a->style.names, "classes"))
        return false;
    l->numbers = true;
    l->shown = a->style.share ? shares : v;
    a->style.low = 0, a->style.high = 1;
    plot_values(a, MAP_SHARES, n * n, shares, "share of the true class");
    plot_label(&a->plot->o.x, "predicted");
    plot_label(&a->plot->o.y, "true");
    return true;
}

bool ty_plot_confusion_sized(ty_plot *plot, ty_tensor *counts, const ty_plot_style *style, size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_confusion(&a, counts);
    return plot_end(&a);
}
