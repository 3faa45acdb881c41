/* Scenes as pixels.  Boxes, images, clips, and horizontal and vertical lines are moved to whole pixels. */
#include "plot/paint.h"
#include "base/alloc.h"
#include "base/math/scalar.h"
#include "plot/font.h"
#include "plot/marks.h"
#include "plot/raster.h"
#include "plot/shapes.h"
#include <string.h>

enum {
    MOST_PIXELS = 1 << 26, /* 8192 x 8192: 512 MiB while drawing */
    CROWDED = 20000        /* points of a line, which take 0.2 s if each crosses the page and all are drawn */
};

static double whole(double x) { return floor(x + 0.5); }

/* A rectangle of whole pixels, cut to the image. */
struct pixels {
    int left, top, right, bottom;
};
static struct pixels pixels_of(const struct paint *p, double x, double y, double w, double h) {
    double columns = p->canvas.columns, rows = p->canvas.rows;
    return (struct pixels){(int)fmin(fmax(whole(x), 0), columns), (int)fmin(fmax(whole(y), 0), rows),
                           (int)fmin(fmax(whole(x + w), 0), columns), (int)fmin(fmax(whole(y + h), 0), rows)};
}

void paint_clip(struct paint *p, const struct shape *shape) {
    struct pixels at = {0, 0, p->canvas.columns, p->canvas.rows};
    const struct place *clip = &shape->clip;
    double scale = p->scale;
    if (shape->clipped) at = pixels_of(p, clip->x * scale, clip->y * scale, clip->w * scale, clip->h * scale);
    p->canvas.left = at.left, p->canvas.top = at.top, p->canvas.right = at.right,
    p->canvas.bottom = at.bottom;
}

/* Blend a rectangle of whole pixels. */
static void paint_pixels(struct paint *p, double x, double y, double w, double h, struct colour colour) {
    struct pixels at = pixels_of(p, x, y, w, h);
    for (int row = at.top > p->canvas.top ? at.top : p->canvas.top; row < at.bottom && row < p->canvas.bottom;
         row++)
        for (int i = at.left > p->canvas.left ? at.left : p->canvas.left; i < at.right && i < p->canvas.right;
             i++)
            canvas_blend(&p->canvas, i, row, colour, 1);
}

static struct pen pen_of(const struct paint *p, struct stroke stroke) {
    return (struct pen){stroke.width * p->scale, stroke.dash * p->scale, stroke.gap * p->scale, false};
}

/* Draw a horizontal or vertical line, square ends included, as a rectangle or dashes of whole pixels across. */
static void paint_straight(struct paint *p, double x0, double y0, double x1, double y1,
                           struct stroke stroke) {
    double width = fmax(whole(stroke.width * p->scale), 1), half = stroke.width * p->scale / 2;
    double a = p->scale, px[] = {x0 * a, x1 * a}, py[] = {y0 * a, y1 * a};
    double *across = x0 == x1 ? px : py, low = whole(across[0] - width / 2);
    if (stroke.dash > 0) {
        struct pen pen = pen_of(p, stroke);
        pen.width = width, pen.flat = true;
        across[0] = across[1] = low + width / 2;
        canvas_stroke(&p->canvas, 2, px, py, &pen);
        canvas_fill(&p->canvas, stroke.colour);
        return;
    }
    double left = fmin(px[0], px[1]) - half, top = fmin(py[0], py[1]) - half;
    double right = fmax(px[0], px[1]) + half, bottom = fmax(py[0], py[1]) + half;
    if (x0 == x1)
        paint_pixels(p, low, top, width, bottom - top, stroke.colour);
    else
        paint_pixels(p, left, low, right - left, width, stroke.colour);
}

static void paint_line(struct paint *p, const struct shape *shape) {
    if (shape_straight(shape)) {
        paint_straight(p, shape->x[0], shape->y[0], shape->x[1], shape->y[1], shape->stroke);
        return;
    }
    struct pen pen = pen_of(p, shape->stroke);
    for (int64_t i = 0; i < shape->n; i++) p->x[i] = shape->x[i] * p->scale, p->y[i] = shape->y[i] * p->scale;
    if (shape->n > CROWDED &&
        canvas_stroke_crowded(&p->canvas, shape->n, p->x, p->y, &pen, shape->stroke.colour))
        return;
    canvas_stroke(&p->canvas, shape->n, p->x, p->y, &pen);
    canvas_fill(&p->canvas, shape->stroke.colour);
}

static void paint_area(struct paint *p, const struct shape *shape) {
    const double *x = shape->x, *y = shape->y, scale = p->scale;
    for (int64_t i = 0, j = shape->n - 1; i < shape->n; j = i++)
        canvas_edge(&p->canvas, x[j] * scale, y[j] * scale, x[i] * scale, y[i] * scale);
    canvas_fill(&p->canvas, shape->colour);
}

static void paint_box(struct paint *p, const struct shape *shape) {
    const struct place *at = &shape->place;
    double a = p->scale, right = at->x + at->w, lower = at->y + at->h;
    paint_pixels(p, at->x * a, at->y * a, at->w * a, at->h * a, shape->colour);
    if (shape->stroke.width == 0) return;
    double side[][4] = {{at->x, at->y, right, at->y},
                        {right, at->y, right, lower},
                        {right, lower, at->x, lower},
                        {at->x, lower, at->x, at->y}};
    for (int i = 0; i < 4; i++)
        paint_straight(p, side[i][0], side[i][1], side[i][2], side[i][3], shape->stroke);
}

static void paint_marks(struct paint *p, const struct shape *shape) {
    marks_paint(&p->canvas, shape, p->scale);
}

static void paint_text(struct paint *p, const struct shape *shape) {
    double radians = shape->angle * 3.14159265358979323846 / 180, width = 0, along, up;
    const char *text = shape->text;
    for (uint32_t c; (c = shape_letter(&text));) width += font_advance(c, shape->bold) * shape->size;
    along = shape->anchor == ANCHOR_START ? 0 : shape->anchor == ANCHOR_MIDDLE ? -width / 2 : -width;
    up = -baseline_shift(shape->baseline) * shape->size;
    double cosine = math_cos(radians), sine = math_sin(radians);
    canvas_text(&p->canvas, &(struct lettering){.x = (shape->x[0] + along * cosine - up * sine) * p->scale,
                                                .y = (shape->y[0] - along * sine - up * cosine) * p->scale,
                                                .em = shape->size * p->scale,
                                                .angle = shape->angle,
                                                .bold = shape->bold,
                                                .colour = shape->colour,
                                                .text = shape->text});
}

static void paint_image(struct paint *p, const struct shape *shape) {
    const struct place *at = &shape->place;
    double a = p->scale, x = whole(at->x * a), y = whole(at->y * a);
    double w = fmax(whole((at->x + at->w) * a) - x, 1), h = fmax(whole((at->y + at->h) * a) - y, 1);
    struct pixels in = pixels_of(p, x, y, w, h);
    const struct canvas *c = &p->canvas;
    for (int row = in.top > c->top ? in.top : c->top; row < in.bottom && row < c->bottom; row++)
        for (int i = in.left > c->left ? in.left : c->left; i < in.right && i < c->right; i++)
            canvas_blend(&p->canvas, i, row, image_mean(shape, (i - x) / w, (row - y) / h, 1 / w, 1 / h), 1);
}

/* ---- the whole page ---- */

void paint_shape(struct paint *p, const struct shape *shape) {
    static void (*const paints[])(struct paint *, const struct shape *) = {
        [SHAPE_LINE] = paint_line,   [SHAPE_AREA] = paint_area, [SHAPE_BOX] = paint_box,
        [SHAPE_MARKS] = paint_marks, [SHAPE_TEXT] = paint_text, [SHAPE_IMAGE] = paint_image};
    paint_clip(p, shape);
    paints[shape->kind](p, shape);
}

bool paint_begin(struct paint *p, int columns, int rows, const struct shape *first, const struct shape *end,
                 struct fault *fault) {
    size_t cells = (size_t)(columns + 2) * (size_t)rows;
    int64_t n = 1;
    for (const struct shape *shape = first; shape != end; shape = shape->next)
        n = shape->n > n ? shape->n : n;
    p->canvas = (struct canvas){
        .columns = columns, .rows = rows, .first = INT32_MAX, .highest = INT32_MAX, .last = -1, .lowest = -1};
    p->canvas.cells = mem_array(cells, sizeof *p->canvas.cells);
    p->x = mem_array((size_t)n, 2 * sizeof *p->x);
    if (!p->canvas.cells || !p->x) return fault_memory(fault, cells * sizeof *p->canvas.cells);
    p->y = p->x + n;
    return true;
}

void paint_end(struct paint *p) {
    mem_free(p->canvas.cells);
    mem_free(p->x);
}

uint8_t *paint_shapes(const struct shape *first, const struct shape *end, const struct page *page,
                      struct fault *fault) {
    double columns = ceil(page->width * page->scale - 1e-6), rows = ceil(page->height * page->scale - 1e-6);
    if (!(columns >= 1 && rows >= 1 && columns * rows <= MOST_PIXELS)) {
        fault_set(fault, E_ARGUMENT, "plot: %.0f x %.0f pixels are out of range; expected 1 to 2^26 in all",
                  columns, rows);
        return NULL;
    }
    struct paint p = {.scale = page->scale};
    size_t n = (size_t)(columns * rows);
    uint8_t *pixels = mem_array(n, 4);
    if (!pixels) fault_memory(fault, 4 * n);
    bool well = paint_begin(&p, (int)columns, (int)rows, first, end, fault) && pixels;
    p.canvas.pixels = pixels;
    for (size_t i = 0; i < n && well; i++) memcpy(pixels + 4 * i, &page->background, 4);
    for (const struct shape *shape = first; well && shape != end; shape = shape->next) paint_shape(&p, shape);
    paint_end(&p);
    if (well) return pixels;
    mem_free(pixels);
    return NULL;
}

uint8_t *scene_raster(struct scene *s, double scale, int *columns, int *rows) {
    struct page page = {s->width, s->height, scale, s->background};
    uint8_t *pixels = s->fault.set ? NULL : paint_shapes(s->first, NULL, &page, &s->fault);
    if (!pixels) return NULL;
    *columns = (int)ceil(s->width * scale - 1e-6);
    *rows = (int)ceil(s->height * scale - 1e-6);
    return pixels;
}
