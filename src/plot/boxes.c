/* Boxes on an axis: histograms and bars. */
#include <math.h>
#include <string.h>
#include "base/math/scalar.h"
#include "base/machine/floating.h"
#include "plot/chart.h"

static void extend(const struct layer *l, const ty_plot *p, struct bounds *x, struct bounds *y) {
    for (int64_t i = 0; i < l->n; i++) {
        if (!isfinite(l->y[i])) continue;
        bounds_add(x, l->x[i], p->o.x_log);
        bounds_add(x, l->joined ? l->x[i + 1] : l->x[i] + l->wide, p->o.x_log);
        bounds_add(y, l->y[i], p->o.y_log);
    }
    if (!p->o.y_log) bounds_add(y, 0, false);
}

/* Set the corners of box i on the page; return false if it has none. */
static bool corners(const struct layer *l, const struct chart *c, int64_t i, double *p, double *q) {
    const struct axis *y = chart_y(c);
    double base = y->log ? y->scale.low : 0, end = l->joined ? l->x[i + 1] : l->x[i] + l->wide;
    chart_at(c, l->x[i], base, &p[0], &p[1]);
    chart_at(c, end, l->y[i], &q[0], &q[1]);
    return !isnan(p[0]) && !isnan(p[1]) && !isnan(q[0]) && !isnan(q[1]);
}

/* Return the opacity of a box: those of several classes let the others show. */
static double opacity_of(const struct layer *l) {
    return l->classes < 2 ? 0.92 : l->classes < 4 ? 0.36 : 0.08;
}

/* ---- hatches: histograms of classes overlap, and are printed without colours ---- */

/* Return true if a layer is hatched: up to three directions can be told apart where all overlap. */
static bool is_hatched(const struct layer *l, const struct chart *c) {
    return l->joined && l->classes > 1 && l->classes < 4 && !c->form.cells;
}

/* Return the part of a box inside of the area: others may reach far beyond the page. */
static struct place inside(const struct chart *c, struct place at) {
    double x = fmax(at.x, c->area.x), right = fmin(at.x + at.w, c->area.x + c->area.w);
    double y = fmax(at.y, c->area.y), lower = fmin(at.y + at.h, c->area.y + c->area.h);
    return (struct place){x, y, fmax(right - x, 0), fmax(lower - y, 0)};
}

/* Hatch a rectangle of the page: by the number of the layer rising, falling or level lines, which continue in the next
   one. */
static void hatch(const struct layer *l, struct chart *c, struct place at) {
    const double apart = 6, width = 0.6; /* points between lines, and of lines: the fill stays the stronger */
    const int turn = l->colour % 3;
    double right = at.x + at.w, lower = at.y + at.h, slant = turn == 2 ? 0 : turn ? -1 : 1;
    double low = at.y + fmin(slant * at.x, slant * right), high = lower + fmax(slant * at.x, slant * right);
    double step = slant == 0 ? apart : apart * sqrt(2);
    size_t most = 3 * (size_t)((high - low) / step + 2), n = 0; /* points: two of each line, and a gap */
    double *x = arena_array(&c->s->arena, most, 2 * sizeof *x), *y = x + most;
    if (!x) {
        fault_memory(&c->s->fault, most * sizeof *x);
        return;
    }
    for (double sum = ceil(low / step) * step; sum < high && n + 3 <= most;
         sum += step) { /* y + slant x = sum */
        double x0 = at.x, x1 = right;
        if (slant != 0) {
            double a = (sum - at.y) * slant, b = (sum - lower) * slant;
            x0 = fmax(x0, fmin(a, b)), x1 = fmin(x1, fmax(a, b));
        }
        if (x0 >= x1) continue;
        x[n] = x0, y[n++] = sum - slant * x0;
        x[n] = x1, y[n++] = sum - slant * x1;
        x[n] = y[n] = NAN, n++;
    }
    scene_line(c->s, (int64_t)n - 1, x, y,
               (struct stroke){colour_fade(colour_of(c->plot, l->colour), 0.75), width, 0, 0});
}

/* Draw the outline of a histogram's boxes, without their common sides. */
static void draw_outline(const struct layer *l, struct chart *c) {
    double *x = arena_array(&c->s->arena, 2 * (size_t)l->n + 2, sizeof *x);
    double *y = arena_array(&c->s->arena, 2 * (size_t)l->n + 2, sizeof *y), p[2], q[2];
    int64_t n = 0;
    if (!x || !y) {
        fault_memory(&c->s->fault, 2 * (size_t)l->n * sizeof *x);
        return;
    }
    for (int64_t i = 0; i < l->n; i++) {
        bool there = corners(l, c, i, p, q);
        if (!there) q[0] = q[1] = p[0] = p[1] = NAN;
        if (!i) x[n] = p[0], y[n++] = p[1];
        x[n] = p[0], y[n++] = q[1];
        x[n] = q[0], y[n++] = q[1];
        if (i == l->n - 1) x[n] = q[0], y[n++] = p[1];
    }
    int pattern = is_hatched(l, c) || c->form.cells ? l->colour / COLOURS : l->colour;
    scene_line(c->s, n, x, y, stroke_dashed(c->plot, l->colour, pattern, 1.2));
}

/* Write the letter of the layer on a box, at another part of its top than those of other layers. */
static void draw_top_letter(const struct layer *l, struct chart *c, struct place at, bool below) {
    double part = l->joined ? (l->colour % l->classes + 0.5) / (double)l->classes : 0.5;
    if (c->flipped)
        legend_letter(l, c, below ? at.x : at.x + at.w - SCENE_CELL_WIDTH / 2, at.y + at.h / 2);
    else
        legend_letter(l, c, at.x + at.w * part, below ? at.y + at.h : at.y + SCENE_CELL_HEIGHT / 8);
}

static void draw(const struct layer *l, struct chart *c) {
    struct colour colour = colour_of(c->plot, l->colour);
    double p[2], q[2];
    for (int64_t i = 0; i < l->n; i++) {
        if (!corners(l, c, i, p, q) || l->y[i] == 0) continue;
        double x = fmin(p[0], q[0]), w = fabs(q[0] - p[0]), y = fmin(p[1], q[1]), h = fabs(q[1] - p[1]);
        bool lettered = legend_lettered(l, c), below = l->y[i] < 0;
        if (lettered) draw_top_letter(l, c, (struct place){x, y, w, h}, below);
        if (lettered && l->joined) continue;              /* what lies behind shows between the outlines */
        bool seam = l->joined && l->classes < 2 && w > 4; /* points: a seam would hide narrower boxes */
        scene_box(c->s, x, y, w, h, colour_fade(colour, opacity_of(l)),
                  (struct stroke){c->theme->page, seam ? 0.6 : 0, 0, 0});
        if (is_hatched(l, c)) hatch(l, c, inside(c, (struct place){x, y, w, h}));
    }
    if (l->joined && l->classes > 1) draw_outline(l, c);
}

static void sample(const struct layer *l, struct chart *c, double x, double y, double w, double h) {
    struct colour colour = colour_of(c->plot, l->colour);
    if (legend_lettered(l, c)) {
        legend_letter(l, c, x + w / 2, y + h / 2);
        return;
    }
    double side = c->form.cells ? SCENE_CELL_WIDTH : 9, wide = is_hatched(l, c) ? w : side;
    struct place at = {x + (w - wide) / 2, y + (h - side) / 2, wide, c->form.cells ? h / 2 : side};
    bool lined = l->joined && l->classes > 1;
    struct stroke stroke =
        stroke_dashed(c->plot, l->colour, is_hatched(l, c) || c->form.cells ? 0 : l->colour, 0.9);
    if (!lined) stroke.width = 0;
    scene_box(c->s, at.x, at.y, at.w, at.h, colour_fade(colour, opacity_of(l)), stroke);
    if (is_hatched(l, c)) hatch(l, c, at);
}

static void occupy(const struct layer *l, const struct chart *c, struct occupancy *o) {
    double p[2], q[2];
    for (int64_t i = 0; i < l->n; i++)
        if (corners(l, c, i, p, q)) occupancy_box(c, o, p[0], p[1], q[0], q[1]);
}

const struct layer_kind layer_boxes = {extend, draw, sample, occupy};

/* ---- bars ---- */

/* Add k bars for each of n words; false sets the fault. */
static bool add_bars(struct adding *a, int64_t n, const char *const *words, ty_tensor *heights) {
    const int64_t most = 100; /* bars of a word */
    const double *y = plot_read(a, "heights", heights, 1, 2);
    if (!y) return false;
    int64_t k = ty_rank(heights) > 1 ? ty_shape(heights)[1] : 1;
    if (n < 0 || ty_shape(heights)[0] != n || (n && !words) || k > most)
        return plot_refuse(a, E_SHAPE,
                           "%lld words, and heights [%lld, %lld]; expected as many rows, and up to %lld bars",
                           (long long)n, (long long)ty_shape(heights)[0], (long long)k, (long long)most);
    const char *const *copies = plot_copies(a, n, words);
    if (!copies || !plot_categories(a, &a->plot->x, n, copies)) return false;
    if (k > 1 && a->style.nnames) plot_heading(a);
    double wide = 0.76 / (double)(k ? k : 1); /* of the room for a word: a quarter stays free */
    for (int64_t j = 0; j < k; j++) {
        const char *name = plot_name(a, j);
        struct layer *l = plot_layer(a, &layer_boxes, name || k > 1 ? name : a->style.name);
        double *x = plot_room(a, n, sizeof *x), *height = plot_room(a, n, sizeof *height);
        if (!l || !x || !height) return false;
        for (int64_t i = 0; i < n; i++) {
            x[i] = (double)i - 0.38 + wide * (double)j;
            height[i] = y[i * k + j];
        }
        l->n = n, l->x = x, l->y = height, l->wide = wide;
    }
    return true;
}

bool ty_plot_bars_sized(ty_plot *plot, int64_t n, const char *const *words, ty_tensor *heights,
                        const ty_plot_style *style, size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_bars(&a, n, words, heights);
    return plot_end(&a);
}
