/* Lines as polygons: a rectangle for each segment and a wedge for each corner, all of one orientation, so that overlaps
   count once. */
#include "base/math/scalar.h"
#include "plot/raster.h"

#define NEAR (1 / 64.0) /* pixels between a circle and its polygon: 4 of 255 levels at the most */
#define PI 3.14159265358979323846

enum {
    MOST_STEPS = 256,    /* sides of a circle: one of 200 pixels is round within NEAR */
    MOST_DASHES = 100000 /* of a line; with more it is solid */
};

/* Return the number of sides for an arc of an angle. */
static int steps_for(double radius, double angle) {
    double step = radius > NEAR ? 2 * math_acos(1 - NEAR / radius) : PI / 2;
    return (int)fmin(fmax(ceil(angle / step), 1), MOST_STEPS);
}

/* Add the polygon of the centre and an arc from the offset (dx, dy) on, counterclockwise by `angle`, 0 to 2 PI. */
static void add_wedge(struct canvas *c, double x, double y, double dx, double dy, double angle) {
    int n = steps_for(math_hypot(dx, dy), angle);
    double cosine = math_cos(angle / n), sine = math_sin(angle / n), fx = x + dx, fy = y + dy;
    canvas_edge(c, x, y, fx, fy);
    for (int i = 0; i < n; i++) {
        double turned = dx * cosine - dy * sine;
        dy = dx * sine + dy * cosine;
        dx = turned;
        canvas_edge(c, fx, fy, x + dx, y + dy);
        fx = x + dx, fy = y + dy;
    }
    canvas_edge(c, fx, fy, x, y);
}

void canvas_disc(struct canvas *c, double x, double y, double radius, int sense) {
    int n = steps_for(radius, 2 * PI);
    double turn = 2 * PI / n, even = radius * sqrt(turn / math_sin(turn)), cosine = math_cos(turn),
           sine = sense * math_sin(turn);
    double dx = even, dy = 0;
    for (int i = 0; i < n; i++) {
        double tx = i + 1 < n ? dx * cosine - dy * sine : even, ty = i + 1 < n ? dx * sine + dy * cosine : 0;
        canvas_edge(c, x + dx, y + dy, x + tx, y + ty);
        dx = tx, dy = ty;
    }
}

/* The part of a line that has been drawn: its last point, and the offset to the left of its last segment. */
struct run {
    struct canvas *canvas;
    const struct pen *pen;
    bool begun, moved;
    double x, y, nx, ny;
};

/* Add half a disc at (x, y), counterclockwise from the offset (dx, dy), unless ends are flat. */
static void add_cap(struct run *r, double dx, double dy) {
    if (!r->pen->flat) add_wedge(r->canvas, r->x, r->y, dx, dy, PI);
}

/* End the present part of the line.  A point without a segment is a disc. */
static void run_end(struct run *r) {
    if (r->begun && r->moved) add_cap(r, -r->nx, -r->ny);
    if (r->begun && !r->moved && !r->pen->flat) canvas_disc(r->canvas, r->x, r->y, r->pen->width / 2, 1);
    r->begun = r->moved = false;
}

/* Add the wedge between the last segment and one of the offset (nx, ny), on the outer side of the corner. */
static void add_corner(struct run *r, double nx, double ny) {
    double cross = r->nx * ny - r->ny * nx, dot = r->nx * nx + r->ny * ny;
    double angle = fabs(math_atan2(cross, dot));
    if (angle == 0) return;
    if (cross >= 0)
        add_wedge(r->canvas, r->x, r->y, -r->nx, -r->ny, angle);
    else
        add_wedge(r->canvas, r->x, r->y, nx, ny, angle);
}

/* Continue the line to (x, y), or begin it there. */
static void run_to(struct run *r, double x, double y) {
    double length = math_hypot(x - r->x, y - r->y), half = r->pen->width / 2;
    if (r->begun && !(length > 0)) return;
    if (r->begun) {
        double nx = -(y - r->y) / length * half, ny = (x - r->x) / length * half;
        if (r->moved)
            add_corner(r, nx, ny);
        else
            add_cap(r, nx, ny);
        double sides[][2] = {
            {r->x - nx, r->y - ny}, {x - nx, y - ny}, {x + nx, y + ny}, {r->x + nx, r->y + ny}};
        canvas_polygon(r->canvas, 4, (const double(*)[2])sides);
        r->nx = nx, r->ny = ny;
        r->moved = true;
    }
    r->x = x, r->y = y;
    r->begun = true;
}

/* Draw the segment from (x0, y0) to (x1, y1) in dashes; *along is the length since the dashes began. */
static void dash_to(struct run *r, double x0, double y0, double x1, double y1, double *along) {
    double length = math_hypot(x1 - x0, y1 - y0), period = r->pen->dash + r->pen->gap;
    for (double at = 0; at < length;) {
        double phase = *along - floor(*along / period) * period;
        bool drawn = phase < r->pen->dash;
        double left = drawn ? r->pen->dash - phase : period - phase;
        double to = fmin(length, at + fmax(left, period / 1024)); /* rounding cannot stop it */
        double t = at / length, u = to / length;
        if (drawn && !r->begun) run_to(r, x0 + (x1 - x0) * t, y0 + (y1 - y0) * t);
        if (drawn) run_to(r, x0 + (x1 - x0) * u, y0 + (y1 - y0) * u);
        if (!drawn || to < length) run_end(r);
        *along += to - at;
        at = to;
    }
}

/* Return true if the line has few enough dashes. */
static bool can_dash(int64_t n, const double *x, const double *y, const struct pen *pen) {
    double length = 0;
    for (int64_t i = 1; i < n; i++)
        if (!isnan(x[i]) && !isnan(x[i - 1])) length += math_hypot(x[i] - x[i - 1], y[i] - y[i - 1]);
    return length <= MOST_DASHES * (pen->dash + pen->gap);
}

void canvas_stroke(struct canvas *c, int64_t n, const double *x, const double *y, const struct pen *pen) {
    struct pen used = *pen;
    struct run r = {.canvas = c, .pen = &used};
    bool dashed = pen->dash > 0 && can_dash(n, x, y, pen);
    used.flat |= dashed;
    double along = 0;
    for (int64_t i = 0; i < n; i++) {
        bool joined = i && !isnan(x[i - 1]);
        if (isnan(x[i]) || !joined) run_end(&r), along = 0;
        if (isnan(x[i])) continue;
        if (!dashed)
            run_to(&r, x[i], y[i]);
        else if (joined)
            dash_to(&r, x[i - 1], y[i - 1], x[i], y[i], &along);
    }
    run_end(&r);
}
