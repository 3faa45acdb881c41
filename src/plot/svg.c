/*
 * Scenes as SVG 1.1, without identifiers, so that pages may contain several: a clip is an inner <svg>, a disc is a
 * line of no length with round ends.  Numbers have two decimals; points of a path are relative to the last one.
 * Shapes beyond VECTORS points become one PNG image within the page, so that a million marks take 1 MB or less.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "io/output.h"
#include "plot/marks.h"
#include "plot/paint.h"
#include "plot/shapes.h"

enum {
    VECTORS = 100000, /* points written as paths: 1 MB of text; browsers draw it in 0.1 s */
    IMAGE_SCALE = 3, /* pixels a point of images in their place: 2.25 for a pixel of a screen of 96 an inch */
    FLUSH = 1 << 16  /* bytes of text that are collected */
};

#ifdef TY_HAVE_SPNG
#define HAS_PNG true
#else
#define HAS_PNG false /* a long page of paths is better than none */
#endif

/* A page that is being written. */
struct svg {
    struct text text;
    struct output *out;
    const struct scene *scene;
    bool clipped; /* an inner <svg> is open */
    struct place clip;
    int64_t x, y;    /* the last point of a path, in hundredths */
    int64_t vectors; /* points written */
};

static int64_t hundredths(double x) { return (int64_t)floor(x * 100 + 0.5); }

/* Append a number of hundredths, after a blank unless it has a sign: as short as paths of SVG allow. */
static void add_hundredths(struct text *t, int64_t n) {
    char digits[32];
    uint64_t m = (uint64_t)(n < 0 ? -n : n);
    int used = text_print(digits, sizeof digits, "%s%llu.%02u", n < 0 ? "-" : " ",
                          (unsigned long long)(m / 100), (unsigned)(m % 100));
    while (digits[used - 1] == '0') used--;
    if (digits[used - 1] == '.') used--;
    text_add_bytes(t, digits, (size_t)used);
}

/* Append name="value" after a blank. */
static void add_number(struct text *t, const char *name, double value) {
    text_add(t, " %s=\"", name);
    int64_t n = hundredths(value);
    struct text number = {0};
    add_hundredths(&number, n);
    text_add(t, "%s\"", number.data ? number.data + (n >= 0) : "");
    t->failed |= number.failed;
    text_drop(&number);
}

/* Append a colour as `name` ("fill" or "stroke") and its opacity. */
static void add_colour(struct text *t, const char *name, struct colour c) {
    if (!c.a) {
        text_add(t, " %s=\"none\"", name);
        return;
    }
    text_add(t, " %s=\"#%02x%02x%02x\"", name, c.r, c.g, c.b);
    if (c.a < 255) text_add(t, " %s-opacity=\"%.3g\"", name, c.a / 255.0);
}

static void add_place(struct text *t, const struct place *p) {
    add_number(t, "x", p->x), add_number(t, "y", p->y);
    add_number(t, "width", p->w), add_number(t, "height", p->h);
}

static void add_stroke(struct text *t, const struct stroke *s) {
    add_colour(t, "stroke", s->colour);
    add_number(t, "stroke-width", s->width);
    if (s->dash > 0) text_add(t, " stroke-linecap=\"butt\" stroke-dasharray=\"%.4g %.4g\"", s->dash, s->gap);
}

/* Append a text as XML. */
static void add_words(struct text *t, const char *words) {
    for (uint32_t c; (c = shape_letter(&words));) {
        char letter[4];
        if (c == '&' || c == '<' || c == '>' || c == '"')
            text_add(t, "&#%u;", (unsigned)c);
        else
            text_add_bytes(t, letter, utf8_write(letter, c));
    }
}

/* Append a move (letter 'm') or line ('l') to a point. */
static void add_point(struct svg *w, char letter, double x, double y) {
    int64_t to_x = hundredths(x), to_y = hundredths(y);
    text_add_bytes(&w->text, &letter, 1);
    add_hundredths(&w->text, to_x - w->x);
    add_hundredths(&w->text, to_y - w->y);
    w->x = to_x, w->y = to_y;
}

/* Begin a path: its first point is relative to (0, 0). */
static void path_begin(struct svg *w) {
    text_add(&w->text, "<path d=\"");
    w->x = w->y = 0;
}

static bool flush(struct svg *w) { return w->text.length < FLUSH || output_text(w->out, &w->text); }

static bool add_path(struct svg *w, const struct shape *shape) {
    path_begin(w);
    bool open = false;
    for (int64_t i = 0; i < shape->n; i++) {
        bool drawn = !isnan(shape->x[i]);
        if (drawn) add_point(w, open ? 'l' : 'm', shape->x[i], shape->y[i]);
        bool alone = drawn && !open && (i + 1 == shape->n || isnan(shape->x[i + 1]));
        if (alone) text_add(&w->text, "h0");
        open = drawn;
        if (!flush(w)) return false;
    }
    return true;
}

static bool add_line(struct svg *w, const struct shape *shape) {
    if (!add_path(w, shape)) return false;
    text_add(&w->text, "\" fill=\"none\"");
    add_stroke(&w->text, &shape->stroke);
    bool straight = shape_straight(shape);
    if (straight && shape->stroke.dash == 0) text_add(&w->text, " stroke-linecap=\"square\"");
    text_add(&w->text, straight ? " shape-rendering=\"crispEdges\"/>\n" : "/>\n");
    return true;
}

static bool add_area(struct svg *w, const struct shape *shape) {
    if (!add_path(w, shape)) return false;
    text_add(&w->text, "z\"");
    add_colour(&w->text, "fill", shape->colour);
    text_add(&w->text, "/>\n");
    return true;
}

static bool add_box(struct svg *w, const struct shape *shape) {
    text_add(&w->text, "<rect");
    add_place(&w->text, &shape->place);
    add_colour(&w->text, "fill", shape->colour);
    bool lined = shape->stroke.width > 0; /* crisp sides would differ in width by a pixel */
    if (lined) add_stroke(&w->text, &shape->stroke);
    text_add(&w->text, lined ? "/>\n" : " shape-rendering=\"crispEdges\"/>\n");
    return true;
}

/* Append a mark to a path. */
static void add_mark(struct svg *w, const struct shape *shape, int64_t i) {
    const struct mark_outline *outline = &mark_outlines[shape->mark];
    double x = shape->x[i], y = shape->y[i], size = shape->size, radius = size / 2 * (1 - RING_LINE);
    if (shape->mark == MARK_RING) {
        int64_t r = hundredths(radius);
        add_point(w, 'm', x - radius, y);
        for (int half = 0; half < 2; half++) {
            text_add(&w->text, "a");
            add_hundredths(&w->text, r), add_hundredths(&w->text, r);
            text_add(&w->text, " 0 1 1");
            add_hundredths(&w->text, half ? -2 * r : 2 * r);
            text_add(&w->text, " 0");
        }
    } else if (!outline->n) {
        add_point(w, 'm', x, y);
        text_add(&w->text, "h0");
    }
    for (int k = 0; k < outline->n; k++)
        add_point(w, k ? 'l' : 'm', x + size * outline->points[k][0], y + size * outline->points[k][1]);
    if (!outline->n) return;
    text_add(&w->text, "z");
    w->x = hundredths(x + size * outline->points[0][0]);
    w->y = hundredths(y + size * outline->points[0][1]);
}

/* Append marks first to end - 1, which have one colour: a path, or one for each mark if they show through. */
static bool add_run(struct svg *w, const struct shape *shape, int64_t first, int64_t end,
                    struct colour colour) {
    bool round = !mark_outlines[shape->mark].n, ring = shape->mark == MARK_RING;
    text_add(&w->text, "<g");
    add_colour(&w->text, round ? "stroke" : "fill", colour);
    if (round) text_add(&w->text, " fill=\"none\"");
    if (round) add_number(&w->text, "stroke-width", shape->size * (ring ? RING_LINE : 1));
    text_add(&w->text, ">");
    for (int64_t i = first; i < end; i++) {
        bool begins = i == first || colour.a < 255, ends = i + 1 == end || colour.a < 255;
        if (begins) path_begin(w);
        add_mark(w, shape, i);
        if (ends) text_add(&w->text, "\"/>");
        if (!flush(w)) return false;
    }
    text_add(&w->text, "</g>\n");
    return true;
}

static bool same_colour(struct colour a, struct colour b) {
    return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

static bool add_marks(struct svg *w, const struct shape *shape) {
    for (int64_t i = 0, end; i < shape->n; i = end) {
        struct colour colour = shape->colours ? shape->colours[i] : shape->colour;
        for (end = i + 1; shape->colours && end < shape->n && same_colour(shape->colours[end], colour);)
            end++;
        if (!shape->colours) end = shape->n;
        if (!add_run(w, shape, i, end, colour)) return false;
    }
    return true;
}

static bool add_label(struct svg *w, const struct shape *shape) {
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    struct text *t = &w->text;
    double turn = shape->angle, shift = baseline_shift(shape->baseline);
    text_add(t, "<text");
    if (turn == 0) add_number(t, "x", shape->x[0]), add_number(t, "y", shape->y[0]);
    if (turn != 0)
        text_add(t, " transform=\"translate(%.2f %.2f) rotate(%.2f)\"", shape->x[0], shape->y[0], -turn);
    if (shift > 0) text_add(t, " dy=\"%.2fem\"", shift);
    add_number(t, "font-size", shape->size);
    add_colour(t, "fill", shape->colour);
    text_add(t, "%s%s>", anchors[shape->anchor], shape->bold ? " font-weight=\"bold\"" : "");
    add_words(t, shape->text);
    if (shape->whole) {
        text_add(t, "<title>");
        add_words(t, shape->whole);
        text_add(t, "</title>");
    }
    text_add(t, "</text>\n");
    return true;
}

/* ---- images ---- */

/* Append bytes in base64 (RFC 4648). */
static void add_base64(struct text *t, const uint8_t *bytes, size_t n) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        size_t have = n - i < 3 ? n - i : 3;
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (have > 1 ? bytes[i + 1] << 8 : 0) | (have > 2 ? bytes[i + 2] : 0);
        char four[] = {letters[bits >> 18], letters[bits >> 12 & 63], letters[bits >> 6 & 63],
                       letters[bits & 63]};
        for (size_t k = have + 1; k < 4; k++) four[k] = '=';
        text_add_bytes(t, four, 4);
    }
}

/* Write pixels as an image of PNG at a place; false sets the output's fault. */
static bool add_pixels(struct svg *w, const struct place *at, int columns, int rows, const uint8_t *pixels) {
    struct output png;
    output_to_memory(&png, w->out->fault);
    bool well = pixels_png(pixels, columns, rows, &png);
    text_add(&w->text, "<image");
    add_place(&w->text, at);
    bool enlarged = columns <= at->w && rows <= at->h;
    text_add(&w->text, " preserveAspectRatio=\"none\"%s href=\"data:image/png;base64,",
             enlarged ? " style=\"image-rendering:pixelated\"" : "");
    if (well) add_base64(&w->text, (const uint8_t *)png.memory.data, png.memory.length);
    text_add(&w->text, "\"/>\n");
    output_end(&png, false);
    return well && flush(w);
}

static bool add_image(struct svg *w, const struct shape *shape) {
    return add_pixels(w, &shape->place, shape->columns, shape->rows, shape->pixels);
}

/* Open or close the inner <svg> that clips, as a shape needs it. */
static void set_clip(struct svg *w, const struct shape *shape) {
    const struct place *a = &shape->clip, *b = &w->clip;
    bool same = shape->clipped == w->clipped &&
                (!w->clipped || (a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h));
    if (same) return;
    if (w->clipped) text_add(&w->text, "</svg>\n");
    w->clipped = shape->clipped;
    w->clip = *a;
    if (!w->clipped) return;
    text_add(&w->text, "<svg");
    add_place(&w->text, a);
    text_add(&w->text, " viewBox=\"%.2f %.2f %.2f %.2f\" preserveAspectRatio=\"none\">\n", a->x, a->y, a->w,
             a->h);
}

/* Return the number of points that a shape takes as text. */
static int64_t cost(const struct shape *shape) {
    int64_t pixels = (int64_t)shape->columns * shape->rows; /* 1 byte each, or 4 of noise; a point takes 10 */
    return shape->kind == SHAPE_IMAGE                              ? pixels / 4
           : shape->kind == SHAPE_MARKS && shape->mark > MARK_RING ? 4 * shape->n
                                                                   : shape->n;
}

/* True if there are already too many paths for this shape. */
static bool too_long(const struct svg *w, const struct shape *shape) {
    return HAS_PNG && shape->kind != SHAPE_TEXT && w->vectors + cost(shape) > VECTORS;
}

/* Write the shapes from `first` that are too long as one image; return the first of the others.  NULL with
   w->out->fault set if that failed. */
static const struct shape *add_painted(struct svg *w, const struct shape *first) {
    const struct shape *end = first->next;
    while (end && too_long(w, end)) end = end->next;
    const struct scene *s = w->scene;
    double scale =
        fmin(IMAGE_SCALE, sqrt(0x1p24 / (s->width * s->height))); /* 64 MiB of pixels at the most */
    struct page page = {s->width, s->height, scale, {0}};
    set_clip(w, &(struct shape){0}); /* the image is clipped already */
    uint8_t *pixels = paint_shapes(first, end, &page, w->out->fault);
    int columns = (int)ceil(s->width * scale - 1e-6), rows = (int)ceil(s->height * scale - 1e-6);
    if (pixels) add_pixels(w, &(struct place){0, 0, columns / scale, rows / scale}, columns, rows, pixels);
    mem_free(pixels);
    return end;
}

/* ---- the page ---- */

static void add_head(struct svg *w, const char *title) {
    const struct scene *s = w->scene;
    struct text *t = &w->text;
    text_add(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.4gpt\" height=\"%.4gpt\" viewBox=\"0 0",
             s->width, s->height);
    add_hundredths(t, hundredths(s->width));
    add_hundredths(t, hundredths(s->height));
    text_add(t, "\" role=\"img\" font-family=\"system-ui, sans-serif\" stroke-linejoin=\"round\" "
                "stroke-linecap=\"round\" xml:space=\"preserve\" style=\"max-width:100%%;height:auto\">\n");
    if (title) {
        text_add(t, "<title>");
        add_words(t, title);
        text_add(t, "</title>\n");
    }
    if (!s->background.a) return;
    text_add(t, "<rect width=\"100%%\" height=\"100%%\"");
    add_colour(t, "fill", s->background);
    text_add(t, "/>\n");
}

/* Write one shape, or one image of this and following shapes; return the next shape, NULL also after a failure. */
static const struct shape *add_shape(struct svg *w, const struct shape *shape) {
    static bool (*const adds[])(struct svg *, const struct shape *) = {
        [SHAPE_LINE] = add_line,   [SHAPE_AREA] = add_area,  [SHAPE_BOX] = add_box,
        [SHAPE_MARKS] = add_marks, [SHAPE_TEXT] = add_label, [SHAPE_IMAGE] = add_image};
    if (too_long(w, shape)) return add_painted(w, shape);
    set_clip(w, shape);
    w->vectors += cost(shape);
    return adds[shape->kind](w, shape) ? shape->next : NULL;
}

bool scene_svg(struct scene *s, const char *title, struct output *out) {
    struct svg w = {.out = out, .scene = s};
    if (s->fault.set) return false;
    add_head(&w, title);
    bool well = true;
    for (const struct shape *shape = s->first; shape && well;) {
        shape = add_shape(&w, shape);
        well = !out->fault->set && flush(&w);
    }
    text_add(&w.text, w.clipped ? "</svg>\n</svg>\n" : "</svg>\n");
    well = well && output_text(out, &w.text);
    text_drop(&w.text);
    if (!well) fault_copy(&s->fault, out->fault);
    return well;
}
