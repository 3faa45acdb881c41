/* A grid of images with captions. */
#include <math.h>
#include <stdio.h>
#include "base/machine/floating.h"
#include "plot/chart.h"

enum { MOST_IMAGES = 400 };

static void extend(const struct layer *l, const ty_plot *p, struct bounds *x, struct bounds *y) {
    (void)l, (void)p, (void)x, (void)y;
}
static void sample(const struct layer *l, struct chart *c, double x, double y, double w, double h) {
    (void)l, (void)c, (void)x, (void)y, (void)w, (void)h;
}
static void occupy(const struct layer *l, const struct chart *c, struct occupancy *o) {
    (void)l, (void)c, (void)o;
}

/* Places of the images on the page. */
struct places {
    int64_t columns, rows;
    double x, y, w, h;   /* of the first cell */
    double gap, caption; /* between cells; height of captions */
    double scale;        /* points a pixel */
};

/* Return the scale of images in a grid of `columns` columns on w by h points. */
static double scale_of(const struct layer *l, const struct places *p, int64_t columns, double w, double h) {
    int64_t rows = (l->n + columns - 1) / columns;
    double cell_w = (w - p->gap * (double)(columns - 1)) / (double)columns;
    double cell_h = (h - p->gap * (double)(rows - 1)) / (double)rows - p->caption;
    return fmin(cell_w / (double)l->columns, cell_h / (double)l->rows);
}

/* Place the images so that they are as large as possible. */
static struct places place_images(const struct layer *l, const struct chart *c) {
    double pad = chart_dx(c, 11, 0);
    double top = pad + chart_title_room(c);
    double bottom = pad + (l->remark ? chart_line(c, SIZE_TICK) : 0);
    double w = c->s->width - 2 * pad, h = c->s->height - top - bottom;
    struct places p = {.columns = l->shape, .gap = chart_dx(c, l->names ? 8 : 4, 1)};
    p.caption = l->names ? chart_line(c, SIZE_TICK) : 0;
    for (int64_t k = 1; !l->shape && k <= l->n; k++)
        if (!p.columns || scale_of(l, &p, k, w, h) > scale_of(l, &p, p.columns, w, h)) p.columns = k;
    if (p.columns > l->n) p.columns = l->n;
    p.rows = (l->n + p.columns - 1) / p.columns;
    p.scale = fmax(scale_of(l, &p, p.columns, w, h), 1e-3);
    p.w = p.scale * (double)l->columns + p.gap, p.h = p.scale * (double)l->rows + p.caption + p.gap;
    p.x = pad + (w - (p.w * (double)p.columns - p.gap)) / 2;
    p.y = top + (h - (p.h * (double)p.rows - p.gap)) / 2;
    return p;
}

static void draw(const struct layer *l, struct chart *c) {
    bool empty = !l->n || !l->rows || !l->columns;
    if (empty)
        scene_text(c->s, c->s->width / 2, c->s->height / 2, SIZE_LABEL, ANCHOR_MIDDLE, BASELINE_MIDDLE, 0,
                   c->theme->soft, false, "no data");
    if (!empty) {
        struct places p = place_images(l, c);
        for (int64_t i = 0; i < l->n; i++) {
            double x = p.x + p.w * (double)(i % p.columns), y = p.y + p.h * (double)(i / p.columns);
            double w = p.w - p.gap, h = p.h - p.gap - p.caption;
            scene_image(c->s, x, y, w, h, (int)l->columns, (int)l->rows,
                        l->pixels + 4 * i * l->rows * l->columns);
            if (!l->names) continue;
            const char *name = chart_fit(c, SIZE_TICK, false, l->names[i], p.w - chart_dx(c, 2, 1));
            scene_text(c->s, x + w / 2, y + h + chart_dy(c, 3, 0), SIZE_TICK, ANCHOR_MIDDLE, BASELINE_TOP, 0,
                       c->theme->soft, false, name);
            chart_whole(c, name, l->names[i]);
        }
    }
    if (l->remark)
        scene_text(c->s, c->s->width / 2, c->s->height - chart_dy(c, 10, 0) - (c->form.cells ? 2 : 0),
                   SIZE_TICK, ANCHOR_MIDDLE, BASELINE_LETTERS, 0, c->theme->soft, false, l->remark);
}

const struct layer_kind layer_images = {extend, draw, sample, occupy};

/* ---- the function ---- */

/* The form of a tensor of images. */
struct images {
    int64_t n, rows, columns, channels;
};

/* Read the form; false sets the fault. */
static bool read_form(struct adding *a, const ty_tensor *x, struct images *m) {
    const int64_t *s = ty_shape(x);
    int rank = ty_rank(x);
    bool coloured = rank == 3 && (s[2] == 3 || s[2] == 4);
    *m = (struct images){1, 0, 0, 1};
    if (rank == 4)
        *m = (struct images){s[0], s[1], s[2], s[3]};
    else if (coloured)
        *m = (struct images){1, s[0], s[1], s[2]};
    else if (rank == 3)
        *m = (struct images){s[0], s[1], s[2], 1};
    else
        *m = (struct images){1, s[0], s[1], 1};
    if (m->channels != 1 && m->channels != 3 && m->channels != 4)
        return plot_refuse(a, E_SHAPE, "images have %lld channels; expected 1, 3 or 4 on the last axis",
                           (long long)m->channels);
    const int64_t most = 16384; /* pixels of a side */
    return (m->rows <= most && m->columns <= most) ||
           plot_refuse(a, E_SHAPE, "images of %lld by %lld pixels; expected at most %lld", (long long)m->rows,
                       (long long)m->columns, (long long)most);
}

/* Return the values that are black and white. */
static struct bounds range_of(const struct adding *a, const ty_tensor *x, int64_t n, const double *v) {
    struct bounds b = BOUNDS_EMPTY;
    if (a->style.low < a->style.high) return (struct bounds){a->style.low, a->style.high};
    if (ty_dtype_of(x) == TY_U8) return (struct bounds){0, 255};
    for (int64_t i = 0; i < n; i++) bounds_add(&b, v[i], false);
    if (b.low > b.high || (b.low >= 0 && b.high <= 1)) return (struct bounds){0, 1};
    return b.low < b.high ? b : (struct bounds){b.low - 1, b.high};
}

static uint8_t level(struct bounds b, double v) {
    double part = isnan(v) ? 0 : (v - b.low) / (b.high - b.low);
    return (uint8_t)(fmin(fmax(part, 0), 1) * 255 + 0.5);
}

/* Return pixels RGBA of the images; NULL sets the fault. */
static const uint8_t *pixels_of(struct adding *a, const struct images *m, struct bounds range,
                                const double *v) {
    int64_t n = m->n * m->rows * m->columns;
    uint8_t *out = plot_room(a, n, 4);
    for (int64_t i = 0; out && i < n; i++)
        for (int64_t k = 0; k < 4; k++) {
            if (k == 3)
                out[4 * i + k] = m->channels == 4 ? level(range, v[i * 4 + 3]) : 255;
            else
                out[4 * i + k] = level(range, v[i * m->channels + (m->channels > 1 ? k : 0)]);
        }
    return out;
}

/* Add the images; false sets the fault. */
static bool add_images(struct adding *a, ty_tensor *x) {
    struct images m;
    const double *v = plot_read(a, "images", x, 2, 4);
    if (!v || !read_form(a, x, &m)) return false;
    int64_t all = m.n;
    char remark[64];
    struct bounds range = range_of(a, x, ty_size(x), v);
    if (m.n > MOST_IMAGES) m.n = MOST_IMAGES;
    struct layer *l = plot_layer(a, &layer_images, NULL);
    if (!l) return false;
    l->n = m.n, l->rows = m.rows, l->columns = m.columns, l->shape = a->style.columns;
    l->pixels = pixels_of(a, &m, range, v);
    snprintf(remark, sizeof remark, "the first %lld of %lld", (long long)m.n, (long long)all);
    if (m.n < all && !(l->remark = plot_copy(a, remark))) return false;
    if (!a->style.nnames) return l->pixels;
    if (a->style.nnames != all)
        return plot_refuse(a, E_SHAPE, "%lld names of %lld images", (long long)a->style.nnames,
                           (long long)all);
    l->names = plot_copies(a, m.n, a->style.names);
    return l->pixels && l->names;
}

bool ty_plot_images_sized(ty_plot *plot, ty_tensor *images, const ty_plot_style *style, size_t size) {
    FLOATING_DEFAULT;
    struct adding a;
    if (plot_begin(&a, plot, __func__, style, size)) add_images(&a, images);
    return plot_end(&a);
}
