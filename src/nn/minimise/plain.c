/* Minimisers without a slope-based line search: gradient descent, and Nelder and Mead's simplex with the
   usual coefficients. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "nn/minimise/problem.h"
#include "nn/option.h"

/* ---- gradient descent ---- */

enum { MOST_HALVINGS = 60 };

/* Halve `step` along -g from x, all vectors of p->size elements, until f is low enough by Armijo's
   condition. Return that step, its position in next[]; 0 if none is found, or after a fault. value is f
   at x. */
static double lower(struct problem *p, const double *x, const double *g, double value, double step,
                    double *next) {
    double square = vector_dot(p->size, g, g), armijo = option_or(p->o.armijo, 1e-4);
    for (int i = 0; i < MOST_HALVINGS; i++, step /= 2) {
        for (int64_t k = 0; k < p->size; k++) next[k] = x[k] - step * g[k];
        double now = problem_value(p, next);
        if (p->fault.set) return 0;
        if (now <= value - armijo * step * square) return step;
    }
    return 0;
}

void minimise_descent(struct problem *p, double *x) {
    double *room = problem_room(p, 2), *g = room, *next = room + p->size;
    if (!room) return;
    double value = problem_gradient(p, x, g);
    double step = 1 / fmax(sqrt(vector_dot(p->size, g, g)), 1e-300);
    while (problem_goes_on(p, x, value, g)) {
        step = lower(p, x, g, value, 2 * step, next);
        if (p->fault.set) break;
        if (step == 0) {
            problem_ends(p, false, "no lower value was found along the gradient");
            break;
        }
        memcpy(x, next, sizeof *x * (size_t)p->size);
        value = problem_gradient(p, x, g);
    }
    mem_free(room);
}

/* ---- simplex ---- */

/* The simplex: n + 1 corners, their values, and scratch. */
struct simplex {
    struct problem *p;
    int64_t n;
    double **corners; /* n + 1 of them, lowest value first */
    double *values;
    double *middle, *trial, *other;
};

/* Sort the s->n + 1 corners of the simplex by ascending value. */
static void sort_corners(struct simplex *s) {
    for (int64_t i = 1; i <= s->n; i++) {
        double value = s->values[i], *corner = s->corners[i];
        int64_t k = i;
        for (; k > 0 && value < s->values[k - 1]; k--)
            s->values[k] = s->values[k - 1], s->corners[k] = s->corners[k - 1];
        s->values[k] = value, s->corners[k] = corner;
    }
}

static double value_at(struct simplex *s, const double *x) {
    double value = problem_value(s->p, x);
    return value == value ? value : INFINITY;
}

/* Store the point middle + factor (highest corner - middle) in `out` and return f there; infinity for
   NaN. */
static double probe(struct simplex *s, double factor, double *out) {
    const double *high = s->corners[s->n];
    for (int64_t i = 0; i < s->n; i++) out[i] = s->middle[i] + factor * (high[i] - s->middle[i]);
    return value_at(s, out);
}

static void replace(struct simplex *s, const double *x, double value) {
    memcpy(s->corners[s->n], x, sizeof *x * (size_t)s->n);
    s->values[s->n] = value;
}

/* Move all corners halfway towards the best one, corner 0, and compute their values; stops at a fault. */
static void shrink(struct simplex *s) {
    for (int64_t i = 1; i <= s->n && !s->p->fault.set; i++) {
        for (int64_t k = 0; k < s->n; k++) s->corners[i][k] = (s->corners[i][k] + s->corners[0][k]) / 2;
        s->values[i] = value_at(s, s->corners[i]);
    }
}

/* Do one step of Nelder and Mead's method, reflect, expand, contract or shrink, and sort the corners again. */
static void turn(struct simplex *s) {
    int64_t n = s->n;
    memset(s->middle, 0, sizeof *s->middle * (size_t)n);
    for (int64_t i = 0; i < n; i++) vector_add(n, s->middle, 1 / (double)n, s->corners[i]);
    double turned = probe(s, -1, s->trial);
    if (turned < s->values[0]) {
        double further = probe(s, -2, s->other);
        further < turned ? replace(s, s->other, further) : replace(s, s->trial, turned);
    } else if (turned < s->values[n - 1]) {
        replace(s, s->trial, turned);
    } else {
        bool outside = turned < s->values[n];
        double nearer = probe(s, outside ? -0.5 : 0.5, s->other);
        if (outside ? nearer <= turned : nearer < s->values[n])
            replace(s, s->other, nearer);
        else
            shrink(s);
    }
    sort_corners(s);
}

/* Return true if no coordinate of a corner differs by more than `most` from the best one's, and no value by
   more. */
static bool is_small(const struct simplex *s, double most) {
    double spread = 0;
    for (int64_t i = 1; i <= s->n; i++)
        for (int64_t k = 0; k < s->n; k++) spread = fmax(spread, fabs(s->corners[i][k] - s->corners[0][k]));
    return spread <= most && s->values[s->n] - s->values[0] <= most;
}

/* Return the signed initial edge along the coordinate x: 5 % of x, or a fixed length near 0. */
static double first_edge(double x) { return fabs(x) > 0.005 ? 0.05 * x : 0.00025; }

/* Set the corners: x, and one point along each of the s->n coordinates of x, with their values. */
static void start(struct simplex *s, const double *x) {
    for (int64_t i = 0; i <= s->n && !s->p->fault.set; i++) {
        memcpy(s->corners[i], x, sizeof *x * (size_t)s->n);
        if (i) s->corners[i][i - 1] = x[i - 1] + first_edge(x[i - 1]);
        s->values[i] = value_at(s, s->corners[i]);
    }
}

void minimise_nelder_mead(struct problem *p, double *x) {
    int64_t n = p->size;
    struct simplex s = {.p = p, .n = n};
    double *room = problem_room(p, n + 1 + 3), *values = problem_room(p, 2);
    s.corners = mem_array((size_t)n + 1, sizeof *s.corners);
    if (room && values && s.corners) {
        for (int64_t i = 0; i <= n; i++) s.corners[i] = room + i * n;
        s.values = values, s.middle = room + (n + 1) * n, s.trial = s.middle + n, s.other = s.trial + n;
        start(&s, x);
        sort_corners(&s);
        while (problem_goes_on(p, s.corners[0], s.values[0], NULL)) {
            if (is_small(&s, p->o.change)) {
                problem_ends(p, true, "the simplex is smaller than %g", p->o.change);
                break;
            }
            turn(&s);
        }
    } else {
        fault_memory(&p->fault, (size_t)n * (size_t)n * sizeof *room);
    }
    mem_free(room), mem_free(values), mem_free(s.corners);
}
