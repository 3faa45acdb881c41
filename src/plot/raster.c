/* Scan conversion by exact area coverage, and blending. */
#include "plot/raster.h"
#include <math.h>
#include <string.h>

#define UNSEEN (1 / 1024.0f) /* less than a quarter of a level: no edge, but rounding of sums */
enum { SKIP = 8 };           /* cells of 32 bytes that are looked at together */

/* fmin and fmax, which are calls that see to NaN. */
static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* Add an edge within one row, from x0 to x1 inside of the clip; `rise` is its height, negative if it goes up. */
static void edge_in_row(struct canvas *c, int row, double x0, double x1, double rise) {
    float *cells = c->cells + (int64_t)row * (c->columns + 2);
    double low = least(x0, x1), high = most(x0, x1), slope = high > low ? rise / (high - low) : 0;
    int first = (int)low, last = (int)high;
    last -= last == high && last > first;
    for (int i = first; i <= last; i++) {
        double a = most(low, i), b = least(high, i + 1.0);
        double part = first == last ? rise : slope * (b - a), right = part * ((a + b) / 2 - i);
        cells[i] += (float)(part - right);
        cells[i + 1] += (float)right;
    }
    c->first = smaller(c->first, first);
    c->last = larger(c->last, last + 1);
}

/* Add an edge from (x0, y0) down to (x1, y1), y0 < y1, inside of the clip. */
static void edge_inside(struct canvas *c, double x0, double y0, double x1, double y1, double sign) {
    double slope = (x1 - x0) / (y1 - y0), x = x0, low = least(x0, x1), high = most(x0, x1);
    int first = (int)y0, last = (int)y1;
    last -= last == y1 && last > first;
    for (int row = first; row <= last; row++) {
        double a = most(y0, row), b = least(y1, row + 1.0);
        double next = row == last ? x1 : least(most(x0 + (b - y0) * slope, low), high);
        edge_in_row(c, row, x, next, sign * (b - a));
        x = next;
    }
    c->highest = smaller(c->highest, first);
    c->lowest = larger(c->lowest, last);
}

void canvas_edge(struct canvas *c, double x0, double y0, double x1, double y1) {
    double sign = 1;
    if (y0 > y1) {
        double x = x0, y = y0;
        x0 = x1, y0 = y1, x1 = x, y1 = y;
        sign = -1;
    }
    if (!(y0 < c->bottom && y1 > c->top && y0 < y1) || c->left >= c->right) return;
    double slope = (x1 - x0) / (y1 - y0), whole_x = x0, whole_y = y0;
    if (y0 < c->top) x0 += (c->top - y0) * slope, y0 = c->top;
    if (y1 > c->bottom) x1 = whole_x + (c->bottom - whole_y) * slope, y1 = c->bottom;
    double sides[] = {c->left, c->right}, at[4] = {y0, y0, y1, y1};
    for (int i = 0; i < 2; i++) { /* heights at which the edge crosses the sides, in between y0 and y1 */
        double y = slope == 0 ? y1 : y0 + (sides[slope < 0 ? 1 - i : i] - x0) / slope;
        at[1 + i] = least(most(y, at[i]), y1);
    }
    for (int i = 0; i < 3;
         i++) { /* parts to the left of the clip become vertical, those to the right drop out */
        if (!(at[i] < at[i + 1])) continue;
        double a = least(most(x0 + (at[i] - y0) * slope, c->left), c->right);
        double b = least(most(x0 + (at[i + 1] - y0) * slope, c->left), c->right);
        edge_inside(c, a, at[i], b, at[i + 1], sign);
    }
}

void canvas_polygon(struct canvas *c, int n, const double (*points)[2]) {
    for (int i = 0; i < n; i++) {
        const double *p = points[i], *q = points[i + 1 < n ? i + 1 : 0];
        canvas_edge(c, p[0], p[1], q[0], q[1]);
    }
}

static uint8_t mix(double below, double above, double share) {
    return (uint8_t)(below + (above - below) * share + 0.5);
}

void canvas_blend(struct canvas *c, int x, int y, struct colour colour, float opacity) {
    if (c->put) {
        c->put(c->context, x, y, colour, opacity);
        return;
    }
    uint8_t *p = c->pixels + 4 * ((int64_t)y * c->columns + x);
    double above = opacity * (colour.a / 255.0), whole = above + (p[3] / 255.0) * (1 - above);
    if (above < UNSEEN) return;
    double share = above / whole;
    p[0] = mix(p[0], colour.r, share);
    p[1] = mix(p[1], colour.g, share);
    p[2] = mix(p[2], colour.b, share);
    p[3] = mix(0, 255, whole);
}

/* True if the next SKIP cells are 0: the coverage stays. */
static bool all_zero(const float *cells) {
    uint64_t bits[SKIP / 2];
    memcpy(bits, cells, sizeof bits);
    return !(bits[0] | bits[1] | bits[2] | bits[3]);
}

void canvas_fill(struct canvas *c, struct colour colour) {
    for (int y = c->highest; y <= c->lowest; y++) {
        float *cells = c->cells + (int64_t)y * (c->columns + 2), sum = 0;
        for (int x = c->first; x <= c->last; x++) {
            if (fabsf(sum) < UNSEEN && x + SKIP <= c->last && all_zero(cells + x)) {
                x += SKIP - 1;
                continue;
            }
            sum += cells[x];
            cells[x] = 0;
            float cover = fabsf(sum) < 1 ? fabsf(sum) : 1;
            if (cover >= UNSEEN && x < c->right) canvas_blend(c, x, y, colour, cover);
        }
    }
    c->first = c->highest = INT32_MAX;
    c->last = c->lowest = -1;
}
