/* Points, in one colour, or coloured by classes or values. */
#include <math.h>
#include "base/math/scalar.h"
#include "base/machine/floating.h"
#include "plot/chart.h"

static void extend(const struct layer *l, const ty_plot *p, struct bounds *x, struct bounds *y) {
    layer_lines.extend(l, p, x, y);
}

/* Return the size of marks: smaller for many, and on small pages, so that they do not merge. */
static double size_of(const struct layer *l, const struct chart *c) {
    if (l->size > 0) return l->size;
    double page = sqrt(c->s->width * c->s->height) / 400; /* 1 for the default size */
    double size = l->n <= 60 ? 5.5 : l->n <= 600 ? 4.2 : l->n <= 6000 ? 3 : 2;
    return c->form.cells ? size : fmax(size * fmin(page, 1), fmin(size, 2.5));
}

/* Positions and colours of points that are drawn. */
struct drawn {
    int64_t n;
    double *x, *y;
    struct colour *colours;
};

/* Squares of the area, and the points in each. */
struct squares {
    double side;
    int64_t columns, rows, first_column, first_row;
    float *counts, most;
};

/* Divide the area into squares, on whole multiples of their side; false sets the scene's fault. */
static bool divide(struct squares *q, struct chart *c, double side) {
    *q = (struct squares){.side = side};
    q->first_column = (int64_t)floor(c->area.x / side), q->first_row = (int64_t)floor(c->area.y / side);
    q->columns = (int64_t)(c->area.w / side) + 2, q->rows = (int64_t)(c->area.h / side) + 2;
    q->counts = arena_array(&c->s->arena, (size_t)(q->columns * q->rows), sizeof *q->counts);
    return q->counts || fault_memory(&c->s->fault, (size_t)(q->columns * q->rows) * sizeof *q->counts);
}

/* Return the count of the square of a position; NULL outside of the area. */
static float *square_of(const struct squares *q, double x, double y) {
    double column = floor(x / q->side) - (double)q->first_column,
           row = floor(y / q->side) - (double)q->first_row;
    if (!(column >= 0 && row >= 0 && column < (double)q->columns && row < (double)q->rows)) return NULL;
    return &q->counts[(int64_t)row * q->columns + (int64_t)column];
}

/* Draw a square for each that has points, the more opaque the more it has. */
static void draw_density(const struct layer *l, struct chart *c) {
    const double side = 1.5; /* points: 3 pixels of a PNG */
    struct squares q;
    struct drawn d = {0};
    if (!divide(&q, c, side)) return;
    int64_t cells = q.columns * q.rows;
    d.x = arena_array(&c->s->arena, (size_t)cells, sizeof *d.x);
    d.y = arena_array(&c->s->arena, (size_t)cells, sizeof *d.y);
    d.colours = arena_array(&c->s->arena, (size_t)cells, sizeof *d.colours);
    if (!d.x || !d.y || !d.colours) {
        fault_memory(&c->s->fault, (size_t)cells * sizeof *d.x);
        return;
    }
    for (int64_t i = 0; i < l->n; i++) {
        double x, y;
        chart_at(c, layer_x(l, i), l->y[i], &x, &y);
        float *count = square_of(&q, x, y);
        if (count && ++*count > q.most) q.most = *count;
    }
    for (int64_t i = 0; i < cells; i++) {
        if (!(q.counts[i] > 0)) continue;
        d.x[d.n] = side * ((double)(q.first_column + i % q.columns) + 0.5);
        d.y[d.n] = side * ((double)(q.first_row + i / q.columns) + 0.5);
        double share = math_log1p(q.counts[i]) / math_log1p(q.most);
        d.colours[d.n++] = colour_fade(colour_of(c->plot, l->colour), 0.3 + 0.7 * share);
    }
    const double size = side / 0.88; /* of marks whose squares touch: marks.c */
    scene_marks(c->s, d.n, d.x, d.y, MARK_SQUARE, size, colour_of(c->plot, l->colour), d.colours);
}

/* Collect the positions of the points, of many one in each square of a quarter of a mark, as more look the same.  False
   sets the scene's fault. */
static bool collect(const struct layer *l, struct chart *c, struct drawn *d, bool many) {
    struct squares q = {0};
    double least = fmax(c->area.w, c->area.h) / 2048; /* smaller squares would take much memory */
    if (many && !divide(&q, c, fmax(size_of(l, c) / 4, least))) return false;
    d->x = arena_array(&c->s->arena, (size_t)l->n + 1, sizeof *d->x);
    d->y = arena_array(&c->s->arena, (size_t)l->n + 1, sizeof *d->y);
    d->colours = l->value ? arena_array(&c->s->arena, (size_t)l->n + 1, sizeof *d->colours) : NULL;
    if (!d->x || !d->y || (l->value && !d->colours))
        return fault_memory(&c->s->fault, (size_t)l->n * sizeof *d->x);
    for (int64_t i = 0; i < l->n; i++) {
        double x, y;
        chart_at(c, layer_x(l, i), l->y[i], &x, &y);
        float *count = many ? square_of(&q, x, y) : NULL;
        if (isnan(x) || isnan(y) || (count && ++*count > 1)) continue;
        if (l->value) d->colours[d->n] = colour_map_at(&c->map, l->value[i]);
        d->x[d->n] = x, d->y[d->n++] = y;
    }
    return true;
}

/* Write a letter in each cell that has points. */
static void draw_letters(const struct layer *l, struct chart *c) {
    struct squares q;
    if (!divide(&q, c, SCENE_CELL_WIDTH)) return;
    for (int64_t i = 0; i < l->n; i++) {
        double x, y;
        chart_at(c, layer_x(l, i), l->y[i], &x, &y);
        float *count = square_of(&q, x, y);
        if (count && ++*count == 1) legend_letter(l, c, x, y);
    }
}

static void draw(const struct layer *l, struct chart *c) {
    const int64_t many = 5000, dense = 20000; /* points: those of thinned marks must not show the thinning */
    struct drawn d = {0};
    if (legend_lettered(l, c)) {
        draw_letters(l, c);
        return;
    }
    if (l->n > dense && !l->value && !(l->size > 0)) {
        draw_density(l, c);
        return;
    }
    if (!collect(l, c, &d, l->n > many)) return;
    double opacity = l->n <= 200 ? 0.9 : l->n <= many ? 0.7 : 1;
    for (int64_t i = 0; i < d.n && l->value; i++) d.colours[i] = colour_fade(d.colours[i], opacity);
    scene_marks(c->s, d.n, d.x, d.y, mark_of(l->colour), size_of(l, c),
                colour_fade(colour_of(c->plot, l->colour), opacity), d.colours);
}

static void sample(const struct layer *l, struct chart *c, double x, double y, double w, double h) {
    double px = x + w / 2, py = y + h / 2;
    if (legend_lettered(l, c)) {
        legend_letter(l, c, px, py);
        return;
    }
    scene_marks(c->s, 1, &px, &py, mark_of(l->colour), 6, colour_of(c->plot, l->colour), NULL);
}

static void occupy(const struct layer *l, const struct chart *c, struct occupancy *o) {
    for (int64_t i = 0; i < l->n; i++) {
        double x, y;
        chart_at(c, layer_x(l, i), l->y[i], &x, &y);
        occupancy_point(c, o, x, y, 1);
    }
}

const struct layer_kind layer_points = {extend, draw, sample, occupy};

/* ---- the function ---- */

/* Add the points of y at x; false sets the fault. */
static bool add_points(struct adding *a, ty_tensor *x, ty_tensor *y) {
    struct classes classes;
    const double *py = plot_read(a, "y", y, 1, 1);
    if (!py) return false;
    int64_t n = ty_size(y);
    const double *px = x ? plot_read_beside(a, "x", x, "y", n) : NULL;
    if (x && !px) return false;
    if (!plot_classes(a, n, &classes)) return false;
    if (classes.of) return plot_class_layers(a, &layer_points, n, px, py, &classes);
    const double *values = a->style.by ? plot_read_beside(a, "by", a->style.by, "the data", n) : NULL;
    if (a->style.by && !values) return false;
    struct layer *l = plot_layer(a, &layer_points, values ? NULL : a->style.name);
    if (!l) return false;
    l->n = n, l->x = px, l->y = py, l->value = values;
    if (values) plot_values(a, MAP_VALUES, n, values, a->style.name);
    return true;
}

bool ty_plot_points_sized(ty_plot *plot, ty_tensor *x, ty_tensor *y, const ty_plot_style *style,
                          size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_points(&a, x, y);
    return plot_end(&a);
}
