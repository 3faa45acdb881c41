/* Lines, and learning curves. */
#include <math.h>
#include <stdio.h>
#include "base/machine/floating.h"
#include "plot/chart.h"

static void extend(const struct layer *l, const ty_plot *p, struct bounds *x, struct bounds *y) {
    for (int64_t i = 0; i < l->n; i++) {
        double px = layer_x(l, i), py = l->y[i];
        if (!isfinite(px) || !isfinite(py) || (p->o.x_log && !(px > 0)) || (p->o.y_log && !(py > 0)))
            continue;
        bounds_add(x, px, false);
        bounds_add(y, py, false);
    }
}

/* Return true if point i is drawn alone, since its neighbours are missing. */
static bool is_alone(const struct layer *l, int64_t i) {
    bool before = i > 0 && isfinite(l->y[i - 1]) && isfinite(layer_x(l, i - 1));
    bool after = i + 1 < l->n && isfinite(l->y[i + 1]) && isfinite(layer_x(l, i + 1));
    return !before && !after;
}

/* Return the number of the least value of a layer; -1 if none is finite. */
static int64_t least_of(const struct layer *l) {
    int64_t least = -1;
    for (int64_t i = 0; i < l->n; i++)
        if (isfinite(l->y[i]) && (least < 0 || l->y[i] < l->y[least])) least = i;
    return least;
}

static void draw_least(const struct layer *l, struct chart *c) {
    int64_t least = least_of(l);
    if (least < 0) return;
    double x, y;
    chart_at(c, layer_x(l, least), l->y[least], &x, &y);
    scene_marks(c->s, 1, &x, &y, MARK_DISC, 6.5, c->theme->page, NULL);
    scene_marks(c->s, 1, &x, &y, MARK_DISC, 4.5, colour_of(c->plot, l->colour), NULL);
}

static double width_of(const struct layer *l) { return l->size > 0 ? l->size : 1.6; }

/* Write letters along the line on a terminal without colours: one in 10 columns, beside those of other lines. */
static void draw_letters(const struct layer *l, struct chart *c, int64_t n, const double *x,
                         const double *y) {
    const int each = 10, lines = c->legend.n;
    int64_t last = -1;
    for (int64_t i = 0; i < n && legend_lettered(l, c); i++) {
        if (isnan(x[i])) continue;
        int64_t column = (int64_t)floor((x[i] - c->area.x) / SCENE_CELL_WIDTH);
        int64_t place = (column - l->colour * each / lines - 1) / each;
        if (place != last && column >= l->colour * each / lines) legend_letter(l, c, x[i], y[i]);
        last = place;
    }
}

static void draw(const struct layer *l, struct chart *c) {
    const int strips = 4; /* of a point, whose ends are drawn: half a pixel of a PNG each */
    size_t room = (size_t)l->n + 1;
    double *x = arena_array(&c->s->arena, room, sizeof *x), *y = arena_array(&c->s->arena, room, sizeof *y);
    int64_t n = 0;
    if (!x || !y) {
        fault_memory(&c->s->fault, room * sizeof *x);
        return;
    }
    for (int64_t i = 0; i < l->n; i++) {
        chart_at(c, layer_x(l, i), l->y[i], &x[n], &y[n]);
        bool missing = isnan(x[n]) || isnan(y[n]), gap = missing && n && !isnan(x[n - 1]);
        if (missing) x[n] = y[n] = NAN;
        if (!missing && !l->connected && is_alone(l, i))
            scene_marks(c->s, 1, &x[n], &y[n], MARK_DISC, 2.2 * width_of(l), colour_of(c->plot, l->colour),
                        NULL);
        n += !missing || (gap && !l->connected);
    }
    n = scene_thin(n, x, y, strips);
    scene_line(c->s, n, x, y, stroke_of(c->plot, l->colour, width_of(l)));
    draw_letters(l, c, n, x, y);
    if (l->connected) draw_least(l, c);
}

static void sample(const struct layer *l, struct chart *c, double x, double y, double w, double h) {
    scene_line(c->s, 2, (double[]){x, x + w}, (double[]){y + h / 2, y + h / 2},
               stroke_of(c->plot, l->colour, fmin(fmax(width_of(l), 1.6), h / 2)));
    if (legend_lettered(l, c)) legend_letter(l, c, x + w / 2, y + h / 2);
}

static void occupy(const struct layer *l, const struct chart *c, struct occupancy *o) {
    double px = NAN, py = NAN, x, y;
    for (int64_t i = 0; i < l->n; i++, px = x, py = y) {
        chart_at(c, layer_x(l, i), l->y[i], &x, &y);
        occupancy_line(c, o, px, py, x, y);
    }
}

const struct layer_kind layer_lines = {extend, draw, sample, occupy};

/* ---- functions ---- */

/* Return column k of `columns` columns of a matrix of n rows, in memory of the plot; NULL sets the fault. */
static const double *column_of(struct adding *a, const double *matrix, int64_t n, int64_t columns,
                               int64_t k) {
    if (columns == 1) return matrix;
    double *column = plot_room(a, n, sizeof *column);
    for (int64_t i = 0; column && i < n; i++) column[i] = matrix[i * columns + k];
    return column;
}

/* Add a line for each class of the elements of y [n]; false sets the fault. */
static bool add_lines_by(struct adding *a, int64_t n, const double *x, const double *y, int64_t columns) {
    struct classes classes;
    if (columns != 1)
        return plot_refuse(a, E_SHAPE, "by: y has %lld columns; expected 1", (long long)columns);
    if (!plot_classes(a, n, &classes)) return false;
    if (!classes.of && n)
        return plot_refuse(a, E_DTYPE, "by has values, not classes: expected integers or bool");
    return plot_class_layers(a, &layer_lines, n, x, y, &classes);
}

/* Add a line for each column of y [n] or [n, k] at x [n] or 0, 1, ...; false sets the fault. */
static bool add_lines(struct adding *a, ty_tensor *x, ty_tensor *y, bool connected) {
    const int64_t most = 1000; /* lines: far beyond those that people tell apart */
    const double *values = plot_read(a, "y", y, 1, 2);
    if (!values) return false;
    int64_t n = ty_shape(y)[0], columns = ty_rank(y) > 1 ? ty_shape(y)[1] : 1;
    const double *at = x ? plot_read_beside(a, "x", x, "y", n) : NULL;
    if (x && !at) return false;
    if (columns > most)
        return plot_refuse(a, E_SHAPE, "%lld lines; expected at most %lld", (long long)columns,
                           (long long)most);
    a->plot->whole_x = !x && (!a->plot->first || a->plot->whole_x);
    if (a->style.by && !connected) return add_lines_by(a, n, at, values, columns);
    if (columns > 1 && a->style.nnames) plot_heading(a);
    for (int64_t k = 0; k < columns; k++) {
        char number[CLASS_NAME];
        const char *name = columns > 1 ? plot_class_name(a, k, number) : plot_name(a, k);
        struct layer *l = plot_layer(a, &layer_lines, name ? name : a->style.name);
        const double *column = l ? column_of(a, values, n, columns, k) : NULL;
        if (!column) return false;
        l->n = n, l->x = at, l->y = column, l->connected = connected;
    }
    return true;
}

bool ty_plot_line_sized(ty_plot *plot, ty_tensor *x, ty_tensor *y, const ty_plot_style *style, size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_lines(&a, x, y, false);
    return plot_end(&a);
}

/* Append the least value of a curve, and its step, to its name; false sets the fault. */
static bool tell_least(struct adding *a, struct layer *l) {
    int64_t least = least_of(l);
    char value[TICK_LABEL], step[TICK_LABEL], text[400];
    if (least < 0 || !l->name) return true;
    ticks_number(value, l->y[least], 4, false);
    ticks_number(step, layer_x(l, least), 6, false);
    snprintf(text, sizeof text, "%.300s: least %s at %s", l->name, value, step);
    l->name = plot_copy(a, text);
    return l->name;
}

bool ty_plot_curves_sized(ty_plot *plot, ty_tensor *steps, ty_tensor *values, const ty_plot_style *style,
                          size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    bool first = plot_begin(&a, plot, __func__, style, size) && !a.plot->first;
    struct bounds all = BOUNDS_EMPTY;
    bool well = !a.plot->fault.set && add_lines(&a, steps, values, true);
    for (struct layer *l = a.first; l && well; l = l->next) {
        for (int64_t i = 0; i < l->n; i++) bounds_add(&all, l->y[i], false);
        well = tell_least(&a, l);
    }
    const double wide = 100; /* ratio from which a linear axis shows only the first steps */
    if (well && first && all.low > 0 && all.high > wide * all.low && a.plot->o.y_low == a.plot->o.y_high)
        a.plot->o.y_log = true;
    if (well) plot_label(&a.plot->o.x, "step");
    return plot_end(&a);
}
