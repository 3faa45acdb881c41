/*
 * Lists of shapes.  Numbers and texts are cleaned as they arrive, once for all renderers: lines and areas are clipped
 * to a far square, marks outside of it and numbers that are not finite are left out, text becomes valid UTF-8.
 */
#include "base/math/scalar.h"
#include "base/utf8.h"
#include "plot/font.h"
#include "plot/shapes.h"
#include <string.h>

/* The widest of usual faces, DejaVu Sans 2.37, by our font: digits 1.14, words 1.12 to 1.19 (getlength of Pillow). */
#define ROOM 1.16

enum {
    MOST_SIDE = 20000, /* points: 7 m */
    MOST_CELLS = 1000,
    MANY = 10000, /* points of a line or an area that is not thinned: 150 KB of SVG */
    STRIPS = 8    /* in a point, of which each keeps four points of a run */
};

static void begin(struct scene *s, double width, double height, struct colour background) {
    *s = (struct scene){.width = width, .height = height, .background = background};
}

void scene_begin(struct scene *s, double width, double height, struct colour background) {
    begin(s, width, height, background);
    if (!(width >= 1 && width <= MOST_SIDE && height >= 1 && height <= MOST_SIDE))
        fault_set(&s->fault, E_ARGUMENT, "plot: the size %g x %g points is out of range; expected 1..%d",
                  width, height, MOST_SIDE);
}

void scene_begin_cells(struct scene *s, int columns, int rows, struct colour background) {
    begin(s, columns * SCENE_CELL_WIDTH, rows * SCENE_CELL_HEIGHT, background);
    s->columns = columns;
    s->rows = rows;
    if (columns < 1 || columns > MOST_CELLS || rows < 1 || rows > MOST_CELLS)
        fault_set(&s->fault, E_ARGUMENT, "plot: %d x %d characters are out of range; expected 1..%d", columns,
                  rows, MOST_CELLS);
}

void scene_end(struct scene *s) {
    arena_drop(&s->arena);
    s->first = s->last = NULL;
}

/* Return n * size bytes of the scene, not zeroed if large; NULL sets the fault. */
static void *take(struct scene *s, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) bytes = SIZE_MAX;
    void *memory = s->fault.set || bytes == SIZE_MAX ? NULL : arena_alloc(&s->arena, bytes);
    if (!memory) fault_memory(&s->fault, bytes);
    return memory;
}

/* Add an empty shape with the present clip; NULL sets the fault. */
static struct shape *add(struct scene *s, enum shape_kind kind) {
    struct shape *p = take(s, 1, sizeof *p);
    if (!p) return NULL;
    *p = (struct shape){.kind = kind, .clipped = s->clipped, .clip = s->clip};
    if (s->last)
        s->last->next = p;
    else
        s->first = p;
    s->last = p;
    return p;
}

/* ---- points ---- */

/* A list of points that grows up to a capacity known before. */
struct points {
    double *x, *y;
    int64_t n;
};

/* Take room for n points; false sets the fault. */
static bool points_begin(struct scene *s, struct points *p, int64_t n) {
    *p = (struct points){.x = take(s, (size_t)n, 2 * sizeof(double))};
    if (p->x) p->y = p->x + n;
    return p->x;
}

static void put(struct points *p, double x, double y) {
    p->x[p->n] = x;
    p->y[p->n++] = y;
}

static bool finite_point(double x, double y) { return isfinite(x) && isfinite(y); }
static bool near_point(double x, double y) { return fabs(x) <= SCENE_FAR && fabs(y) <= SCENE_FAR; }

static bool all_near(int64_t n, const double *x, const double *y) {
    for (int64_t i = 0; i < n; i++)
        if (!near_point(x[i], y[i])) return false;
    return true;
}

/* Clip the part from *t0 to *t1 of p + t (q - p) to the far interval; false if nothing is left. */
static bool clip_axis(double p, double q, double *t0, double *t1) {
    double step = q / 2 - p / 2; /* halves, for differences beyond doubles */
    if (step == 0) return fabs(p) <= SCENE_FAR;
    double a = (-SCENE_FAR / 2 - p / 2) / step, b = (SCENE_FAR / 2 - p / 2) / step;
    *t0 = fmax(*t0, fmin(a, b));
    *t1 = fmin(*t1, fmax(a, b));
    return *t0 < *t1;
}

static double between(double p, double q, double t) {
    return fmin(fmax(p * (1 - t) + q * t, -SCENE_FAR), SCENE_FAR);
}

/* Append the points of a line of which some are far or not finite: segments clipped by Liang and Barsky's method
   (ACM Transactions on Graphics 3, 1984), with a NaN before each part that does not continue the last. */
static void clip_line(struct points *out, int64_t n, const double *x, const double *y) {
    bool open = false; /* the last point of `out` is point i - 1 */
    for (int64_t i = 0; i < n; i++) {
        bool alone = finite_point(x[i], y[i]) && near_point(x[i], y[i]) && !open &&
                     (i + 1 == n || !finite_point(x[i + 1], y[i + 1])) &&
                     (!i || !finite_point(x[i - 1], y[i - 1]));
        double t0 = 0, t1 = 1;
        bool seen = i && finite_point(x[i], y[i]) && finite_point(x[i - 1], y[i - 1]) &&
                    clip_axis(x[i - 1], x[i], &t0, &t1) && clip_axis(y[i - 1], y[i], &t0, &t1);
        if ((seen || alone) && !open && out->n) put(out, NAN, NAN);
        if (alone) put(out, x[i], y[i]);
        if (seen && !open) put(out, between(x[i - 1], x[i], t0), between(y[i - 1], y[i], t0));
        if (seen) put(out, between(x[i - 1], x[i], t1), between(y[i - 1], y[i], t1));
        open = seen && t1 == 1;
    }
}

/* Clip a polygon to the half plane sign * (axis ? y : x) <= SCENE_FAR (Sutherland & Hodgman, CACM 17, 1974). */
static void clip_side(struct points *out, const struct points *in, int axis, double sign) {
    const double *c = axis ? in->y : in->x;
    out->n = 0;
    for (int64_t i = 0; i < in->n; i++) {
        int64_t j = i ? i - 1 : in->n - 1;
        bool was = sign * c[j] <= SCENE_FAR, is = sign * c[i] <= SCENE_FAR;
        if (was != is) {
            double t = (sign * SCENE_FAR / 2 - c[j] / 2) / (c[i] / 2 - c[j] / 2);
            double x = in->x[j] * (1 - t) + in->x[i] * t, y = in->y[j] * (1 - t) + in->y[i] * t;
            put(out, axis ? x : sign * SCENE_FAR, axis ? sign * SCENE_FAR : y);
        }
        if (is) put(out, in->x[i], in->y[i]);
    }
}

/* Fill `out` with a polygon of which some points are far or not finite; false sets the fault. */
static bool clip_area(struct scene *s, struct points *out, int64_t n, const double *x, const double *y) {
    struct points a, b;
    if (n > INT64_MAX / 64 || !points_begin(s, &a, 5 * n) || !points_begin(s, &b, 5 * n))
        return fault_memory(&s->fault, SIZE_MAX);
    for (int64_t i = 0; i < n; i++)
        if (finite_point(x[i], y[i])) put(&a, x[i], y[i]);
    clip_side(&b, &a, 0, 1), clip_side(&a, &b, 0, -1), clip_side(&b, &a, 1, 1), clip_side(&a, &b, 1, -1);
    *out = a;
    return true;
}

int64_t scene_thin(int64_t count, double *x, double *y, int strips) {
    int64_t n = 0;
    for (int64_t i = 0, end; i < count; i = end) {
        double strip = floor(x[i] * strips);
        int64_t low = i, high = i;
        for (end = i + 1; end < count && floor(x[end] * strips) == strip; end++) {
            if (y[end] < y[low]) low = end;
            if (y[end] > y[high]) high = end;
        }
        int64_t kept[] = {i, low < high ? low : high, low < high ? high : low, end - 1};
        for (int k = 0; k < 4; k++) {
            if (k && kept[k] == kept[k - 1]) continue;
            x[n] = x[kept[k]];
            y[n++] = y[kept[k]];
        }
    }
    return n;
}

/* Add a line or an area; NULL if it is empty, or with the fault set. */
static struct shape *add_points(struct scene *s, enum shape_kind kind, int64_t n, const double *x,
                                const double *y) {
    struct points p = {0};
    if (n <= 0 || s->fault.set) return NULL;
    if (all_near(n, x, y)) {
        if (!points_begin(s, &p, n)) return NULL;
        memcpy(p.x, x, (size_t)n * sizeof *x);
        memcpy(p.y, y, (size_t)n * sizeof *y);
        p.n = n;
    } else if (kind == SHAPE_LINE) {
        if (n > INT64_MAX / 64 || !points_begin(s, &p, 3 * n)) return NULL;
        clip_line(&p, n, x, y);
    } else if (!clip_area(s, &p, n, x, y)) {
        return NULL;
    }
    if (p.n > MANY) p.n = scene_thin(p.n, p.x, p.y, STRIPS);
    struct shape *shape = p.n ? add(s, kind) : NULL;
    if (shape) shape->n = p.n, shape->x = p.x, shape->y = p.y;
    return shape;
}

/* Return the stroke without numbers that cannot be drawn: widths and dashes are finite and 0 or more. */
static struct stroke clean_stroke(struct stroke t) {
    if (!(t.width > 0 && t.width <= SCENE_FAR)) t.width = 0;
    if (!(t.dash > 0 && t.gap > 0 && t.dash + t.gap >= 0.1 && t.dash + t.gap <= SCENE_FAR))
        t.dash = t.gap = 0;
    return t;
}

void scene_line(struct scene *s, int64_t n, const double *x, const double *y, struct stroke stroke) {
    stroke = clean_stroke(stroke);
    struct shape *p = stroke.width > 0 ? add_points(s, SHAPE_LINE, n, x, y) : NULL;
    if (p) p->stroke = stroke;
}

void scene_area(struct scene *s, int64_t n, const double *x, const double *y, struct colour fill) {
    struct shape *p = add_points(s, SHAPE_AREA, n, x, y);
    if (p) p->colour = fill;
}

/* ---- the other shapes ---- */

/* Set *out to the rectangle, clipped to the far square, with sides of 0 or more; false if a number is not finite. */
static bool clean_place(struct place *out, double x, double y, double w, double h) {
    if (!finite_point(x, y) || !finite_point(w, h)) return false;
    double right = between(x + fmax(w, 0), 0, 0), lower = between(y + fmax(h, 0), 0, 0);
    x = between(fmin(x, x + w), 0, 0);
    y = between(fmin(y, y + h), 0, 0);
    if (w < 0) right = between(x - w, 0, 0);
    if (h < 0) lower = between(y - h, 0, 0);
    *out = (struct place){x, y, right - x, lower - y};
    return true;
}

void scene_box(struct scene *s, double x, double y, double w, double h, struct colour fill,
               struct stroke stroke) {
    struct place place;
    struct shape *p = clean_place(&place, x, y, w, h) ? add(s, SHAPE_BOX) : NULL;
    if (p) p->place = place, p->colour = fill, p->stroke = clean_stroke(stroke);
}

void scene_marks(struct scene *s, int64_t n, const double *x, const double *y, enum mark mark, double size,
                 struct colour colour, const struct colour *colours) {
    struct points p;
    if (n <= 0 || !(size > 0 && size <= MOST_SIDE) || !points_begin(s, &p, n)) return;
    struct colour *own = colours ? take(s, (size_t)n, sizeof *own) : NULL;
    if (s->fault.set) return;
    for (int64_t i = 0; i < n; i++) {
        if (!finite_point(x[i], y[i]) || !near_point(x[i], y[i])) continue;
        if (own) own[p.n] = colours[i];
        put(&p, x[i], y[i]);
    }
    struct shape *shape = p.n ? add(s, SHAPE_MARKS) : NULL;
    if (!shape) return;
    shape->n = p.n, shape->x = p.x, shape->y = p.y;
    shape->mark = mark, shape->size = size, shape->colour = colour, shape->colours = own;
}

void scene_text(struct scene *s, double x, double y, double size, enum anchor anchor, enum baseline baseline,
                double angle, struct colour colour, bool bold, const char *utf8) {
    if (!finite_point(x, y) || !near_point(x, y) || !(size > 0 && size <= MOST_SIDE) || !isfinite(angle))
        return;
    struct points at;
    size_t n = strlen(utf8) + 1;
    char *copy = take(s, n, 1);
    struct shape *p = copy && points_begin(s, &at, 1) ? add(s, SHAPE_TEXT) : NULL;
    if (!p) return;
    memcpy(copy, utf8, n);
    put(&at, x, y);
    p->n = 1, p->x = at.x, p->y = at.y, p->text = copy;
    angle = math_fmod(angle, 360); /* exact */
    if (angle < 0) angle = angle > -1e-9 ? 0 : angle + 360;
    p->size = size, p->angle = angle, p->anchor = anchor, p->baseline = baseline;
    p->colour = colour, p->bold = bold;
}

void scene_whole(struct scene *s, const char *utf8) {
    size_t n = strlen(utf8) + 1;
    char *copy = s->last && s->last->kind == SHAPE_TEXT ? take(s, n, 1) : NULL;
    if (copy) s->last->whole = memcpy(copy, utf8, n);
}

void scene_image(struct scene *s, double x, double y, double w, double h, int columns, int rows,
                 const uint8_t *rgba) {
    struct place place;
    if (columns <= 0 || rows <= 0 || !clean_place(&place, x, y, w, h)) return;
    size_t bytes = (size_t)columns * 4;
    uint8_t *copy = take(s, bytes, (size_t)rows);
    struct shape *p = copy ? add(s, SHAPE_IMAGE) : NULL;
    if (!p) return;
    memcpy(copy, rgba, bytes * (size_t)rows);
    p->place = place, p->columns = columns, p->rows = rows, p->pixels = copy;
}

void scene_clip(struct scene *s, double x, double y, double w, double h) {
    s->clipped = true;
    if (!clean_place(&s->clip, x, y, w, h)) s->clip = (struct place){0};
}

void scene_unclip(struct scene *s) { s->clipped = false; }

/* ---- letters ---- */

uint32_t shape_letter(const char **at) {
    uint32_t c = 0;
    while (**at) {
        size_t length = utf8_read(*at, 4, &c);
        *at += length ? length : 1;
        if (!length || (c & 0xfffe) == 0xfffe) return 0xfffd; /* invalid, or no character of XML */
        bool control = c < ' ' || (c >= 0x7f && c < 0xa0);
        if (!control && !(c >= 0x202a && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069)) return c;
    }
    return 0;
}

int letter_cells(uint32_t point) {
    static const uint32_t wide[][2] = {/* Unicode's East_Asian_Width W and F, in whole blocks */
                                       {0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
                                       {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                                       {0x1f680, 0x1f9ff}, {0x20000, 0x3fffd}};
    static const uint32_t none[][2] = {/* combining marks, joiners, selectors of variants */
                                       {0x300, 0x36f},
                                       {0x200b, 0x200f},
                                       {0x20d0, 0x20ff},
                                       {0xfe00, 0xfe0f},
                                       {0xfeff, 0xfeff}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (point >= none[i][0] && point <= none[i][1]) return 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (point >= wide[i][0] && point <= wide[i][1]) return 2;
    return 1;
}

double baseline_shift(enum baseline baseline) {
    return baseline == BASELINE_TOP      ? 0.72
           : baseline == BASELINE_MIDDLE ? 0.36
                                         : 0; /* capitals of our font, Arial */
}

double scene_text_width(const struct scene *s, double size, bool bold, const char *utf8) {
    double width = 0;
    for (uint32_t c; (c = shape_letter(&utf8));)
        width += s->columns ? letter_cells(c) * SCENE_CELL_WIDTH : font_advance(c, bold) * size * ROOM;
    return width;
}
