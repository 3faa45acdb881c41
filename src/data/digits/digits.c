/*
 * Synthetic handwritten digits. A digit is a few curves (Catmull & Rom, "A class of local interpolating
 * splines", 1974) through the points of one of its glyphs (glyphs.c). Each sample moves the points at random,
 * then slants, rotates, scales and shifts the glyph. It bends the page by a cubic B-spline field, after the
 * elastic distortion of Simard, Steinkraus & Platt, "Best practices for convolutional neural networks", 2003.
 * It is drawn with a pen of random width; stray strokes, blur and noise follow.
 *
 * Results are bitwise reproducible: only + - * / and square roots are used, which IEEE 754 defines to the last
 * bit. Contraction into fused operations is off. Random numbers are SplitMix64 (Steele, Lea & Flood, 2014)
 * seeded by seed and sample.
 */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("-ffp-contract=off")
#endif
#include "data/digits/digits.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "base/hash.h"
#include "data/digits/glyphs.h"

enum {
    LATTICE = 6, /* control points of the distortion field along each side */
    PIECES = 5   /* line segments between two points of a glyph */
};

struct point {
    float x, y;
};

/* State of drawing one sample: random numbers, the digit's position, the distortion field, the pen. */
struct hand {
    uint64_t state;
    /* Size of the digit in pixels, cosine and sine of its rotation, and its slant. */
    float width, height, turn_cos, turn_sin, slant;
    struct point centre;
    struct point bend[LATTICE][LATTICE];
    float radius, thinning; /* radius of the pen in pixels; fraction by which it thins along a stroke */
    float ink;
    float canvas[DIGITS_SIDE][DIGITS_SIDE]; /* 0 paper, 1 ink */
};

static uint64_t next(struct hand *h) { return hash_number(h->state += HASH_STEP); }

static float uniform(struct hand *h, float low, float high) {
    return low + (high - low) * ((float)(next(h) >> 40) * 0x1p-24f);
}

/* Return an approximately standard normal number, the scaled sum of four uniform ones, from h's random
   stream. */
static float bell(struct hand *h) {
    uint64_t bits = next(h);
    int32_t sum = (int32_t)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
    return (float)(sum - 2 * 0xffff) * (1.7320508f / 65536);
}

/* Return a random point from h's stream with normal coordinates of mean 0 and deviations `wide` (x) and
   `high` (y). Draws x and y in separate statements, as C leaves the order of initialisers open. */
static struct point bell_point(struct hand *h, float wide, float high) {
    struct point p;
    p.x = wide * bell(h);
    p.y = high * bell(h);
    return p;
}

static float lesser(float a, float b) { return a < b ? a : b; }
static float greater(float a, float b) { return a > b ? a : b; }
static struct point sum(struct point a, struct point b) { return (struct point){a.x + b.x, a.y + b.y}; }

/* ---- the page ---- */

/* Draw the page's random features and store them in h: turn, slant, size, centre and distortion field. */
static void choose_page(struct hand *h) {
    float angle = 0.12f * bell(h), square = angle * angle;
    h->turn_sin = angle * (1 - square / 6);
    h->turn_cos = 1 - square / 2 + square * square / 24;
    h->slant = 0.1f + 0.17f * bell(h);
    h->height = uniform(h, 16.5f, 21.5f);
    h->width = h->height * uniform(h, 0.68f, 1.05f);
    h->centre = sum((struct point){14, 14}, bell_point(h, 1.2f, 1.0f));
    float strength = uniform(h, 0.5f, 1.7f);
    for (int i = 0; i < LATTICE; i++)
        for (int j = 0; j < LATTICE; j++) h->bend[i][j] = bell_point(h, strength, strength);
}

/* Set w[0..3] to the weights of the uniform cubic B-spline at t in 0..1: w[i] belongs to control point i. */
static void spline_weights(float t, float w[4]) {
    float s = 1 - t;
    w[0] = s * s * s / 6;
    w[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    w[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
    w[3] = t * t * t / 6;
}

/* Return p, a point in pixels, moved by the distortion field of h. */
static struct point bend(const struct hand *h, struct point p) {
    const float cells = LATTICE - 3;
    float u = lesser(greater(p.x / DIGITS_SIDE, 0), 0.999f) * cells,
          v = lesser(greater(p.y / DIGITS_SIDE, 0), 0.999f) * cells;
    int i = (int)v, j = (int)u;
    float along_x[4], along_y[4];
    spline_weights(u - (float)j, along_x);
    spline_weights(v - (float)i, along_y);
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < 4; l++) {
            float weight = along_y[k] * along_x[l];
            p.x += weight * h->bend[i + k][j + l].x;
            p.y += weight * h->bend[i + k][j + l].y;
        }
    return p;
}

/* Return the position on the page, in pixels, of point p of the glyph's unit square, distortion included. */
static struct point place(const struct hand *h, struct point p) {
    float y = (p.y - 0.5f) * h->height, x = (p.x - 0.5f) * h->width - h->slant * y;
    struct point on_page = {h->centre.x + h->turn_cos * x - h->turn_sin * y,
                            h->centre.y + h->turn_sin * x + h->turn_cos * y};
    return bend(h, on_page);
}

/* ---- the pen ---- */

static int clamp_pixel(float x) { return x < 0 ? 0 : x > DIGITS_SIDE - 1 ? DIGITS_SIDE - 1 : (int)x; }

/* Draw the line segment from a to b into h->canvas. a, b and radius are in pixels; `ink` is its darkness, 0
   to 1. Ends are round, the cover falls from 1 to 0 within a pixel, and each pixel keeps its darkest
   value. */
static void draw_piece(struct hand *h, struct point a, struct point b, float radius, float ink) {
    float dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    float scale = square > 1e-12f ? 1 / square : 0, reach = radius + 0.5f;
    int left = clamp_pixel(lesser(a.x, b.x) - reach), right = clamp_pixel(greater(a.x, b.x) + reach + 1);
    int top = clamp_pixel(lesser(a.y, b.y) - reach), bottom = clamp_pixel(greater(a.y, b.y) + reach + 1);
    for (int i = top; i <= bottom; i++)
        for (int j = left; j <= right; j++) {
            float x = (float)j - a.x, y = (float)i - a.y;
            float t = lesser(greater((x * dx + y * dy) * scale, 0), 1);
            x -= t * dx;
            y -= t * dy;
            float cover = ink * lesser(reach - sqrtf(x * x + y * y), 1);
            if (cover > h->canvas[i][j]) h->canvas[i][j] = cover;
        }
}

/* Return the point at t in 0..1 of the Catmull-Rom spline from b to c, with neighbours a and d. */
static struct point between(struct point a, struct point b, struct point c, struct point d, float t) {
    float t2 = t * t, t3 = t2 * t;
    float wa = -t3 + 2 * t2 - t, wb = 3 * t3 - 5 * t2 + 2, wc = -3 * t3 + 4 * t2 + t, wd = t3 - t2;
    return (struct point){(wa * a.x + wb * b.x + wc * c.x + wd * d.x) / 2,
                          (wa * a.y + wb * b.y + wc * c.y + wd * d.y) / 2};
}

/* Draw the curve from p[i] to p[i + 1] of a stroke p[0..n) in the glyph's unit square, i + 1 < n. At ends
   of strokes and at corners (doubled points) the spline repeats the end point. */
static void draw_span(struct hand *h, const struct point *p, int n, int i) {
    struct point before = p[i > 0 ? i - 1 : i], after = p[i + 2 < n ? i + 2 : i + 1];
    if (p[i].x == p[i + 1].x && p[i].y == p[i + 1].y) return; /* doubled point of a corner */
    struct point from = place(h, p[i]);
    for (int k = 1; k <= PIECES; k++) {
        float t = (float)k / PIECES, along = ((float)i + t) / (float)n;
        struct point to = place(h, between(before, p[i], p[i + 1], after, t));
        draw_piece(h, from, to, h->radius * (1 - h->thinning * along), h->ink);
        from = to;
    }
}

/* Draw one stroke of a glyph, moving its points at random. `from` points to pairs x, y in hundredths of the
   unit square, ended by a negative mark. Return the start of the next stroke, or NULL after the last. */
static const int8_t *draw_stroke(struct hand *h, const int8_t *from) {
    struct point p[GLYPH_POINTS];
    int n = 0;
    for (; *from >= 0 && n < GLYPH_POINTS; from += 2, n++) {
        bool corner = n > 0 && from[0] == from[-2] && from[1] == from[-1];
        struct point at = {(float)from[0] / 100, (float)from[1] / 100};
        p[n] = sum(at, bell_point(h, 0.033f, 0.033f));
        if (corner) p[n] = p[n - 1];
    }
    for (int i = 0; i + 1 < n; i++) draw_span(h, p, n, i);
    return *from == GLYPH_LIFT ? from + 1 : NULL;
}

/* Draw a random variant of a digit, 0 to 9, with a random pen into h->canvas. */
static void draw_digit(struct hand *h, int digit) {
    const int8_t *stroke = glyphs[digit][next(h) % GLYPH_VARIANTS];
    h->radius = uniform(h, 0.75f, 1.75f);
    h->thinning = uniform(h, -0.3f, 0.4f);
    h->ink = uniform(h, 0.7f, 1);
    while (stroke) stroke = draw_stroke(h, stroke);
}

/* Draw up to three short stray strokes; five pages of eight get none. */
static void draw_stray(struct hand *h) {
    int count = (int)(next(h) % 8) - 4;
    for (int i = 0; i < count; i++) {
        float x = uniform(h, -1, 28), y = uniform(h, -1, 28);
        float radius = uniform(h, 0.2f, 0.7f), ink = uniform(h, 0.25f, 0.8f);
        struct point from = {x, y}, to = sum(from, bell_point(h, 3, 3));
        draw_piece(h, from, to, radius, ink);
    }
}

/* ---- the camera ---- */

/* Blur the square canvas along one direction in place: each pixel gets `amount` (0..1/4) of both neighbours
   and loses twice that. In elements, `step` is the distance of neighbours and `line` that of parallel
   lines. */
static void blur_lines(float *canvas, int step, int line, float amount) {
    for (int i = 0; i < DIGITS_SIDE; i++) {
        float *at = canvas + i * line, before = 0;
        for (int j = 0; j < DIGITS_SIDE; j++, at += step) {
            float here = *at, after = j + 1 < DIGITS_SIDE ? at[step] : 0;
            *at = here + amount * (before - 2 * here + after);
            before = here;
        }
    }
}

/* Set the DIGITS_PIXELS pixels, 0 to 255, row by row from the canvas, with random blur, noise and grey;
   blurs h->canvas in place. */
static void expose(struct hand *h, uint8_t pixels[DIGITS_PIXELS]) {
    float *canvas = &h->canvas[0][0];
    float amount = uniform(h, 0, 0.25f), noise = uniform(h, 2, 16), grey = uniform(h, -12, 8);
    blur_lines(canvas, 1, DIGITS_SIDE, amount);
    blur_lines(canvas, DIGITS_SIDE, 1, amount);
    for (int i = 0; i < DIGITS_PIXELS; i++) {
        float light = 255 * canvas[i] + grey + noise * bell(h);
        pixels[i] = (uint8_t)lesser(greater(light, 0), 255);
    }
}

void digits_draw(uint64_t seed, uint64_t i, uint8_t pixels[DIGITS_PIXELS], uint8_t *label) {
    struct hand h = {.state = hash_number(hash_number(seed + HASH_STEP) ^ i)};
    *label = (uint8_t)(next(&h) % 10);
    choose_page(&h);
    draw_digit(&h, *label);
    draw_stray(&h);
    expose(&h, pixels);
}
