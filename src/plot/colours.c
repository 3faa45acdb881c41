#include "plot/colours.h"
#include <math.h>
#include "base/math/scalar.h"

#define RGB(hex)                                                                                             \
    { (hex) >> 16 & 255, (hex) >> 8 & 255, (hex)&255, 255 }
static const struct theme light = {.page = RGB(0xffffff),
                                   .text = RGB(0x1f2530),
                                   .soft = RGB(0x4c5563),
                                   .grid = RGB(0xe6e9ee),
                                   .axis = RGB(0x8d96a3),
                                   .missing = RGB(0xd9dce1)};
static const struct theme dark = {.page = RGB(0x15181d),
                                  .text = RGB(0xe8ebf0),
                                  .soft = RGB(0xb3bac6),
                                  .grid = RGB(0x2b313a),
                                  .axis = RGB(0x6d7683),
                                  .missing = RGB(0x3a4049)};
const struct theme *theme_of(const ty_plot *p) { return p->o.dark ? &dark : &light; }

/* The colours of Okabe and Ito, in an order whose first ones differ most from each other and from the page.  Yellow is
   unreadable on white, and black on dark: grey stands for them. */
static const struct colour on_light[COLOURS] = {RGB(0x0072b2), RGB(0xd55e00), RGB(0x009e73), RGB(0xcc79a7),
                                                RGB(0xe69f00), RGB(0x56b4e9), RGB(0x5b6470)};
static const struct colour on_dark[COLOURS] = {RGB(0x56b4e9), RGB(0xe69f00), RGB(0x1fc296), RGB(0xcc79a7),
                                               RGB(0xf0e442), RGB(0xf2742b), RGB(0xb3bac6)};
struct colour colour_of(const ty_plot *p, int i) {
    return (p->o.dark ? on_dark : on_light)[i % COLOURS];
}
enum mark mark_of(int i) {
    static const enum mark marks[] = {MARK_DISC,    MARK_SQUARE, MARK_TRIANGLE,
                                      MARK_DIAMOND, MARK_CROSS,  MARK_DOWN};
    return marks[(i % COLOURS + i / COLOURS) % (int)(sizeof marks / sizeof *marks)];
}
struct stroke stroke_of(const ty_plot *p, int i, double width) {
    return stroke_dashed(p, i, i / COLOURS, width);
}
struct stroke stroke_dashed(const ty_plot *p, int i, int pattern, double width) {
    static const double dashes[][2] = {{0, 0}, {5, 2.5}, {1.5, 2}, {8, 3}};
    const double *dash = dashes[pattern % 4];
    return (struct stroke){colour_of(p, i), width, dash[0] * width, dash[1] * width};
}
struct colour colour_fade(struct colour c, double opacity) {
    c.a = (uint8_t)(c.a * opacity + 0.5);
    return c;
}

/* ---- maps ---- */

static double gamma_of(double linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * math_pow(linear, 1 / 2.4) - 0.055;
}

/* Convert Oklab's lightness, chroma and hue in degrees to linear sRGB (B. Ottosson 2020); return true if the display
   has the colour. */
static bool linear_of(double lightness, double chroma, double hue, double *out) {
    double h = hue * 3.141592653589793 / 180, a = chroma * math_cos(h), b = chroma * math_sin(h);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    out[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    out[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    out[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    bool inside = true;
    for (int i = 0; i < 3; i++) inside = inside && out[i] >= -1e-4 && out[i] <= 1 + 1e-4;
    return inside;
}

/* Return the colour of Oklab's lightness and hue, of the greatest chroma up to `chroma` that a display has. */
static struct colour oklch(double lightness, double chroma, double hue) {
    double rgb[3];
    while (!linear_of(lightness, chroma, hue, rgb) && chroma > 1e-3) chroma *= 0.97;
    uint8_t c[3];
    for (int i = 0; i < 3; i++) c[i] = (uint8_t)(255 * gamma_of(fmin(fmax(rgb[i], 0), 1)) + 0.5);
    return (struct colour){c[0], c[1], c[2], 255};
}

/* From dark violet over blue and green to yellow. */
static struct colour map_values(double t, bool dim) {
    (void)dim;
    return oklch(0.27 + 0.66 * t, 0.11 + 0.08 * t, 300 - 195 * t);
}
/* Blue below 0, red above it, the page's lightness in the middle. */
static struct colour map_diverging(double t, bool dim) {
    double away = fabs(2 * t - 1), middle = dim ? 0.28 : 0.97, end = dim ? 0.75 : 0.45;
    return oklch(middle + (end - middle) * away, 0.17 * away, t < 0.5 ? 250 : 35);
}
/* From the page's lightness to blue. */
static struct colour map_shares(double t, bool dim) {
    return dim ? oklch(0.25 + 0.5 * t, 0.03 + 0.12 * t, 245)
               : oklch(0.975 - 0.53 * t, 0.005 + 0.135 * t, 250 - 5 * t);
}
static struct colour (*const maps[MAPS])(double t, bool dim) = {
    [MAP_VALUES] = map_values, [MAP_DIVERGING] = map_diverging, [MAP_SHARES] = map_shares};

void colour_map_make(struct colour_map *m, const ty_plot *p) {
    m->range = p->values;
    m->missing = theme_of(p)->missing;
    if (m->range.low > m->range.high) m->range = (struct bounds){0, 1};
    if (p->map == MAP_DIVERGING && !p->values_given) {
        double most = fmax(fabs(m->range.low), fabs(m->range.high));
        m->range = (struct bounds){-most, most};
    }
    double size = fmax(fabs(m->range.low), fabs(m->range.high));
    bool one = m->range.high / 2 - m->range.low / 2 <= size * 0.5e-12; /* as scale_fit does */
    if (m->range.low == m->range.high || (one && !p->values_given)) {
        double wide = size == 0 ? 1 : size * 0.05;
        m->range.low -= wide, m->range.high += wide;
    }
    for (int i = 0; i < 256; i++) m->colours[i] = maps[p->map](i / 255.0, p->o.dark);
}

struct colour colour_map_at(const struct colour_map *m, double v) {
    if (isnan(v)) return m->missing;
    double part = (v / 2 - m->range.low / 2) / (m->range.high / 2 - m->range.low / 2);
    return m->colours[(int)(fmin(fmax(part, 0), 1) * 255 + 0.5)];
}

struct colour colour_ink(struct colour c) {
    double lightness = 0.299 * c.r + 0.587 * c.g + 0.114 * c.b; /* luma of ITU-R BT.601 */
    return lightness > 140 ? (struct colour)RGB(0x1f2530) : (struct colour)RGB(0xffffff);
}
