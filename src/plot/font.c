/*
 * Letters from strokes with round ends.  The heights of the baseline, small letters and capitals are rounded to whole
 * pixels, as light hinting does: edges there are sharp, and widths stay as they are.
 */
#include "plot/font.h"
#include <string.h>
#include "base/math/scalar.h"
#include "plot/shapes.h"

/* Length of a quarter's handles: 0.552 is an ellipse; more is squarer, as in sans serif faces. */
#define CURVE 0.575
#define BOLD_WIDE 1.08 /* width of bold letters, whose strokes take room */
enum {
    SMALL = 44,
    CAPITAL = 64, /* heights of glyphs.def */
    STEM = 8,
    BOLD_STEM = 12, /* widths of strokes: a wider bold would close the gaps of a and e */
    BOLD_SPACE = 3, /* added to the advance of bold letters */
    PIECES = 8,     /* lines of a curve */
    POINTS = 256,   /* of a stroke */
    NEST = 3        /* glyphs within glyphs: a fraction has digits */
};

struct glyph {
    uint32_t point;
    double advance;
    const char *path;
};
static const struct glyph glyphs[] = {
#define GLYPH(...) {__VA_ARGS__},
#include "plot/glyphs.def"
#undef GLYPH
};
static const struct composed {
    uint32_t point, base, accent;
} composed[] = {
#define COMPOSED(...) {__VA_ARGS__},
#include "plot/composed.def"
#undef COMPOSED
};
enum { GLYPHS = sizeof glyphs / sizeof *glyphs, COMPOSED = sizeof composed / sizeof *composed };

/* Return the first of n rows of `bytes` bytes whose code point is not below `point`. */
static int find(const void *rows, int n, size_t bytes, uint32_t point) {
    int low = 0;
    while (n > 0) {
        const uint32_t *middle = (const uint32_t *)((const char *)rows + (size_t)(low + n / 2) * bytes);
        if (*middle < point)
            low += n / 2 + 1, n -= n / 2 + 1;
        else
            n /= 2;
    }
    return low;
}

static const struct glyph *glyph_of(uint32_t point) {
    int i = find(glyphs, GLYPHS, sizeof *glyphs, point);
    return i < GLYPHS && glyphs[i].point == point ? &glyphs[i] : NULL;
}

static const struct composed *composed_of(uint32_t point) {
    int i = find(composed, COMPOSED, sizeof *composed, point);
    return i < COMPOSED && composed[i].point == point ? &composed[i] : NULL;
}

uint32_t font_base(uint32_t point) {
    const struct composed *pair = composed_of(point);
    return pair ? pair->base : point;
}

bool font_known(uint32_t point) { return glyph_of(font_base(point)); }

/* A letter without a glyph is a box with the digits of its number, half of them in each of two rows. */
static int digits_of(uint32_t point) { return point > 0xffff ? 6 : 4; }
static double box_advance(uint32_t point) { return 12 + 18 * digits_of(point) / 2.0; }

static double advance_of(uint32_t point) {
    const struct glyph *glyph = glyph_of(font_base(point));
    if (glyph) return glyph->advance;
    return letter_cells(point) ? box_advance(point) : 0;
}

double font_advance(uint32_t point, bool bold) {
    double advance = advance_of(point);
    return (bold && advance > 0 ? advance * BOLD_WIDE + BOLD_SPACE : advance) / 100;
}

/* ---- strokes ---- */

/* The way from units of glyphs to pixels, and the stroke that is being collected. */
struct writer {
    struct canvas *canvas;
    struct pen pen;
    double x, y, cosine, sine;   /* the origin of the text, its direction */
    double unit, wide;           /* pixels in a unit up and along */
    double small, capital, base; /* heights in pixels of the centres of strokes */
    double left, shift, rise;    /* the glyph: its left side, scale and height, in units */
    int n;
    double px[POINTS], py[POINTS];
    double low, high, bottom, top; /* extent of the letter in units, of the strokes seen so far */
};

/* Return the height in pixels of a height in units: linear between the rounded heights. */
static double height(const struct writer *w, double y) {
    if (y <= 0) return w->base + y * w->unit;
    if (y <= SMALL) return w->base + y / SMALL * (w->small - w->base);
    if (y <= CAPITAL) return w->small + (y - SMALL) / (CAPITAL - SMALL) * (w->capital - w->small);
    return w->capital + (y - CAPITAL) * w->unit;
}

static void stroke_end(struct writer *w) {
    struct pen pen = w->pen;
    pen.width *= fmin(0.4 + 0.6 * w->shift, 1); /* small digits have thinner strokes */
    if (w->n && w->canvas) canvas_stroke(w->canvas, w->n, w->px, w->py, &pen);
    w->n = 0;
}

/* Continue the stroke to a point of the glyph. */
static void stroke_to(struct writer *w, double x, double y) {
    x = w->left + x * w->shift;
    y = w->rise + y * w->shift;
    w->low = fmin(w->low, x), w->high = fmax(w->high, x);
    w->bottom = fmin(w->bottom, y), w->top = fmax(w->top, y);
    double along = x * w->wide, up = height(w, y);
    if (w->n == POINTS) stroke_end(w); /* no glyph has so many */
    w->px[w->n] = w->x + along * w->cosine - up * w->sine;
    w->py[w->n++] = w->y - along * w->sine - up * w->cosine;
}

/* Continue along a cubic curve from p with the controls a and b to q. */
static void curve_to(struct writer *w, const double *p, const double *a, const double *b, const double *q) {
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / PIECES, u = 1 - t, e = u * u * u, f = 3 * u * u * t, g = 3 * u * t * t,
               h = t * t * t;
        stroke_to(w, e * p[0] + f * a[0] + g * b[0] + h * q[0], e * p[1] + f * a[1] + g * b[1] + h * q[1]);
    }
}

/* Read a number with at most one decimal and the blanks after it; false if there is none. */
static bool read_number(const char **at, double *out) {
    bool negative = **at == '-';
    *at += negative;
    if (**at < '0' || **at > '9') return false;
    for (*out = 0; **at >= '0' && **at <= '9'; ++*at) *out = *out * 10 + (**at - '0');
    if (**at == '.') *out += ((*at)[1] - '0') / 10.0, *at += 2;
    if (negative) *out = -*out;
    *at += strspn(*at, " ");
    return true;
}

static bool draw_glyph(struct writer *w, const struct glyph *glyph, int nest);

/* Draw another glyph: its code point, percent, x and y. */
static bool draw_used(struct writer *w, const double *v, int nest) {
    double left = w->left, rise = w->rise, shift = w->shift;
    const struct glyph *glyph = glyph_of(font_base((uint32_t)v[0]));
    w->left += v[2] * shift, w->rise += v[3] * shift, w->shift *= v[1] / 100;
    bool well = nest > 0 && glyph && draw_glyph(w, glyph, nest - 1);
    w->left = left, w->rise = rise, w->shift = shift;
    return well;
}

/* Draw the strokes of a glyph; false if its path is invalid, which tests find. */
static bool draw_glyph(struct writer *w, const struct glyph *glyph, int nest) {
    static const char letters[] = "mlhvcu";
    static const int counts[] = {2, 2, 2, 2, 6, 4};
    double p[2] = {0}, v[6];
    for (const char *at = glyph->path; *at;) {
        const char *letter = strchr(letters, *at++);
        if (!letter) return false;
        for (int i = 0; i < counts[letter - letters]; i++)
            if (!read_number(&at, &v[i])) return false;
        const double *q = v;
        if (*letter == 'm' || *letter == 'u') stroke_end(w);
        if (*letter == 'u' && !draw_used(w, v, nest)) return false;
        if (*letter == 'u') continue;
        double dx = q[0] - p[0], dy = q[1] - p[1];
        double flat[] = {p[0] + CURVE * dx, p[1], q[0], q[1] - CURVE * dy};
        double steep[] = {p[0], p[1] + CURVE * dy, q[0] - CURVE * dx, q[1]};
        if (*letter == 'm' || *letter == 'l') stroke_to(w, q[0], q[1]);
        if (*letter == 'h') curve_to(w, p, flat, flat + 2, q);
        if (*letter == 'v') curve_to(w, p, steep, steep + 2, q);
        if (*letter == 'c') curve_to(w, p, v, v + 2, q = v + 4);
        p[0] = q[0], p[1] = q[1];
    }
    stroke_end(w);
    return true;
}

/* Draw the accent over or under the letter whose extent is known. */
static bool draw_accent(struct writer *w, uint32_t point) {
    const struct glyph *accent = glyph_of(point);
    double left = w->left, middle = (w->low + w->high) / 2;
    bool beside = point == 0x315, tail = point == 0x328, under = point >= 0x326 && point <= 0x328;
    w->left = beside || tail ? w->high : middle;
    if (tail) w->left -= 4; /* a tail hangs from the right foot */
    if (!beside && !under && w->top > SMALL + 4) w->rise = CAPITAL - SMALL;
    bool well = accent && draw_glyph(w, accent, 1);
    w->left = left, w->rise = 0;
    return well;
}

/* Draw the box of a letter without a glyph. */
static void draw_box(struct writer *w, uint32_t point) {
    int n = digits_of(point), row = n / 2;
    double right = box_advance(point) - 4, side[][2] = {{4, 72}, {4, -8}, {right, -8}, {right, 72}, {4, 72}};
    for (int i = 0; i < 5; i++) stroke_to(w, side[i][0], side[i][1]);
    stroke_end(w);
    for (int i = 0; i < n; i++) {
        uint32_t digit = point >> 4 * (n - 1 - i) & 15;
        double v[] = {digit < 10 ? '0' + digit : 'A' + digit - 10, 30, 7.5 + 18 * (i % row),
                      i < row ? 38 : 4};
        draw_used(w, v, 1);
    }
}

/* Draw the letter of a code point whose left side is w->left; false if a path is invalid. */
static bool draw_letter(struct writer *w, uint32_t point) {
    const struct composed *pair = composed_of(point);
    const struct glyph *glyph = glyph_of(pair ? pair->base : point);
    bool combining = !pair && glyph && point >= 0x300 && point < 0x370;
    if (combining) return w->high < w->low || draw_accent(w, point);
    w->low = w->bottom = INFINITY, w->high = w->top = -INFINITY;
    w->shift = 1, w->rise = 0;
    if (!glyph) {
        if (letter_cells(point)) draw_box(w, point);
        return true;
    }
    return draw_glyph(w, glyph, NEST) && (!pair || !pair->accent || draw_accent(w, pair->accent));
}

/* ---- text ---- */

void canvas_text(struct canvas *c, const struct lettering *l) {
    double turn = l->angle, stem = (l->bold ? BOLD_STEM : STEM) * l->em / 100;
    double stretch = l->bold ? BOLD_WIDE : 1;
    bool upright = turn == 90 * floor(turn / 90);
    struct writer w = {
        .canvas = c, .x = l->x, .y = l->y, .unit = l->em / 100, .wide = l->em / 100 * stretch, .low = 1};
    double exact[] = {0, 1, 0, -1}, radians = turn * 3.14159265358979323846 / 180;
    w.cosine = upright ? exact[((int)turn / 90 + 1) % 4] : math_cos(radians);
    w.sine = upright ? exact[(int)turn / 90 % 4] : math_sin(radians);
    w.pen = (struct pen){.width = fmax(stem, 0.9)}; /* thinner strokes are pale */
    double half = w.pen.width / 2, least = STEM / 2.0 * w.unit;
    double small = (SMALL + STEM) * w.unit, capital = (CAPITAL + STEM) * w.unit;
    if (upright) {
        small = fmax(floor(small + 0.5), 1), capital = fmax(floor(capital + 0.5), small + 1);
        if (w.sine != 0) w.x = floor(w.x + 0.5);
        if (w.cosine != 0) w.y = floor(w.y + 0.5);
    }
    w.base = upright ? half : least;
    w.small = small - w.base;
    w.capital = capital - w.base;
    double at = 0;
    const char *text = l->text;
    for (uint32_t point; (point = shape_letter(&text));) {
        w.left = (at + (l->bold ? BOLD_SPACE / 2.0 : 0)) / stretch;
        draw_letter(&w, point);
        at += 100 * font_advance(point, l->bold);
    }
    canvas_fill(c, l->colour);
}

int font_check(void) {
    struct writer w = {.unit = 1, .wide = 1, .cosine = 1};
    bool well = true;
    for (int i = 0; i < GLYPHS; i++) {
        well &= !i || glyphs[i - 1].point < glyphs[i].point;
        w.shift = 1;
        well &= draw_glyph(&w, &glyphs[i], NEST);
    }
    for (int i = 0; i < COMPOSED; i++)
        well &= (!i || composed[i - 1].point < composed[i].point) && draw_letter(&w, composed[i].point);
    return well ? GLYPHS + COMPOSED : 0;
}
