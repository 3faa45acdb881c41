/*
 * Minimisers with a search direction and a line search: L-BFGS (Nocedal and Wright, algorithm 7.4), nonlinear
 * conjugate gradients (chapter 5.2), Newton (3.2) and Newton-CG (7.1).
 */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "nn/minimise/problem.h"

/* Common state: position, gradient, the previous ones, and the direction. */
struct descent {
    struct problem *p;
    int64_t n;
    double *x, *g, *old_x, *old_g, *d;
    double value, old_value, step, slope;
    double curvature;
    double *room; /* vectors of the method itself, after these five */
    int made;     /* number of directions so far since a restart */
};

/* Compute the search direction w->d from x and g, and in *first the initial step length, preset to 1; false
   after a fault. */
typedef bool (*chooser)(struct descent *w, double *first);

/* Make the position that the line search reached the current one of the walk, with value and gradient, and
   keep the current one as previous. */
static void take(struct descent *w, const struct line *l) {
    double *x = w->x, *g = w->g;
    w->x = l->next_x, w->g = l->next_g;
    w->old_x = x, w->old_g = g;
    w->old_value = w->value;
    w->value = l->next_value;
    w->step = l->step;
}

/* Take one step of the walk and return true. An ascent direction, or one without a lower value, is replaced
   once by steepest descent. False ends the search: with the fault set, or p->now says that no lower
   value was found. */
static bool step(struct descent *w, chooser choose) {
    struct problem *p = w->p;
    for (int again = 0; again < 2; again++) {
        double first = 1;
        if (!again && !choose(w, &first)) return false;
        w->slope = vector_dot(w->n, w->d, w->g);
        if (again || !(w->slope < 0)) {
            w->made = 0;
            for (int64_t i = 0; i < w->n; i++) w->d[i] = -w->g[i];
            w->slope = vector_dot(w->n, w->d, w->g);
            first = 1 / fmax(sqrt(-w->slope), 1e-300);
            again = 1;
        }
        struct line line = {.x = w->x,
                            .g = w->g,
                            .d = w->d,
                            .value = w->value,
                            .first = first,
                            .curvature = w->curvature,
                            .next_x = w->old_x,
                            .next_g = w->old_g};
        if (search_line(p, &line)) {
            w->made++;
            take(w, &line);
            return true;
        }
        if (p->fault.set || *p->now.message) return false;
    }
    return problem_ends(
        p, false,
        "no lower value was found along the gradient: f or its gradient may be rounded too coarsely");
}

/* Minimise from x[p->size] into p->best; p->now says how the search ended, and p->fault is set if memory or
   f fails. `more` is the number of vectors that the method needs, `curvature` the default of the line
   search; `choose` sets the direction of each step. */
static void walk(struct problem *p, double *x, int64_t more, double curvature, chooser choose) {
    int64_t n = p->size;
    double *room = problem_room(p, 5 + more);
    if (!room) return;
    struct descent w = {.p = p,
                        .n = n,
                        .x = room,
                        .g = room + n,
                        .old_x = room + 2 * n,
                        .old_g = room + 3 * n,
                        .d = room + 4 * n,
                        .curvature = curvature,
                        .room = room + 5 * n};
    memcpy(w.x, x, sizeof *x * (size_t)n);
    w.value = problem_gradient(p, w.x, w.g);
    while (problem_goes_on(p, w.x, w.value, w.g) && step(&w, choose)) continue;
    mem_free(room);
}

static double short_step(const struct descent *w) { return fmin(1, 1 / sqrt(vector_dot(w->n, w->g, w->g))); }

/* ---- L-BFGS: room holds a ring of pairs of steps and gradient changes, and their factors ---- */

/* A step and the change of the gradient along it. */
struct step_pair {
    double *s, *y;
};
static struct step_pair pair_at(const struct descent *w, int i) {
    double *at = w->room + 2 * w->n * (i % w->p->o.memory);
    return (struct step_pair){at, at + w->n};
}

/* Store the last step, the differences of position and gradient, in the ring. Return false if the curvature
   along it is not positive, so that it must not be used. */
static bool remember(struct descent *w) {
    struct step_pair now = pair_at(w, w->made - 1);
    for (int64_t i = 0; i < w->n; i++) now.s[i] = w->x[i] - w->old_x[i], now.y[i] = w->g[i] - w->old_g[i];
    return vector_dot(w->n, now.s, now.y) > 1e-300;
}

/* Set w->d to the direction of the limited-memory BFGS method. Before any curvature is known *first becomes
   a short initial step; else it is unchanged. Always true. */
static bool lbfgs(struct descent *w, double *first) {
    double *factors = w->room + 2 * w->n * w->p->o.memory;
    for (int64_t i = 0; i < w->n; i++) w->d[i] = -w->g[i];
    if (!w->made || !remember(w)) {
        w->made = 0;
        *first = short_step(w);
        return true;
    }
    int memory = w->p->o.memory, made = w->made, from = made > memory ? made - memory : 0;
    struct step_pair last = pair_at(w, made - 1);
    double scale = vector_dot(w->n, last.s, last.y) / vector_dot(w->n, last.y, last.y);
    for (int i = made - 1; i >= from; i--) {
        struct step_pair at = pair_at(w, i);
        double factor = factors[i % memory] = vector_dot(w->n, at.s, w->d) / vector_dot(w->n, at.s, at.y);
        vector_add(w->n, w->d, -factor, at.y);
    }
    vector_scale(w->n, w->d, scale);
    for (int i = from; i < made; i++) {
        struct step_pair at = pair_at(w, i);
        double back = vector_dot(w->n, at.y, w->d) / vector_dot(w->n, at.s, at.y);
        vector_add(w->n, w->d, factors[i % memory] - back, at.s);
    }
    return true;
}

void minimise_lbfgs(struct problem *p, double *x) {
    int64_t factors = p->size ? ((int64_t)p->o.memory + p->size - 1) / p->size : 1;
    walk(p, x, 2 * (int64_t)p->o.memory + factors, 0.9, lbfgs);
}

/* ---- conjugate gradients: factors of the previous direction ---- */

static double fletcher_reeves(const struct descent *w) {
    return vector_dot(w->n, w->g, w->g) / vector_dot(w->n, w->old_g, w->old_g);
}
static double polak_ribiere(const struct descent *w) {
    double both = vector_dot(w->n, w->g, w->g) - vector_dot(w->n, w->g, w->old_g);
    return fmax(both / vector_dot(w->n, w->old_g, w->old_g), 0);
}
static double dai_yuan(const struct descent *w) {
    double change = vector_dot(w->n, w->d, w->g) - vector_dot(w->n, w->d, w->old_g);
    return vector_dot(w->n, w->g, w->g) / change;
}

/* Set w->d to -g + kept(w) d, restarted where successive gradients are not nearly orthogonal. *first
   becomes the initial step, which would lower f as much as the previous step did, plus 1 %. Always true. */
static bool conjugate(struct descent *w, double *first, double (*kept)(const struct descent *w)) {
    /* Restart when successive gradients are far from orthogonal (Powell 1977, with 0.2; in the tests 0.4
       needs the fewest evaluations). */
    bool keeps = w->made && fabs(vector_dot(w->n, w->g, w->old_g)) < 0.4 * vector_dot(w->n, w->g, w->g);
    double factor = keeps ? kept(w) : 0;
    for (int64_t i = 0; i < w->n; i++) w->d[i] = factor * w->d[i] - w->g[i];
    double slope = vector_dot(w->n, w->d, w->g);
    *first = w->made ? 2.02 * (w->value - w->old_value) / slope : short_step(w);
    if (!(*first > 0)) *first = short_step(w);
    return true;
}

#define CONJUGATE(name, kept)                                                                                \
    static bool name(struct descent *w, double *first) { return conjugate(w, first, kept); }                 \
    void minimise_##name(struct problem *p, double *x) { walk(p, x, 0, 0.4, name); }
CONJUGATE(cg_fletcher_reeves, fletcher_reeves)
CONJUGATE(cg_polak_ribiere, polak_ribiere)
CONJUGATE(cg_dai_yuan, dai_yuan)

/* ---- Newton ---- */

/* Factor h + shift I = L L' (Cholesky), with h row-major [n, n], into the lower triangle of l [n, n];
   return false if it is not positive definite. */
static bool factor(int64_t n, const double *h, double shift, double *l) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double left = h[i * n + j] + (i == j ? shift : 0) - vector_dot(j, l + i * n, l + j * n);
            if (i == j && !(left > 0)) return false;
            l[i * n + j] = i == j ? sqrt(left) : left / l[j * n + j];
        }
    return true;
}

/* Solve L L' x = d in place: d[n] becomes x. L is the lower triangle of l, row-major [n, n]. */
static void solve(int64_t n, const double *l, double *d) {
    for (int64_t i = 0; i < n; i++) d[i] = (d[i] - vector_dot(i, l + i * n, d)) / l[i * n + i];
    for (int64_t i = n - 1; i >= 0; i--) {
        d[i] /= l[i * n + i];
        vector_add(i, d, -d[i], l + i * n);
    }
}

/* Set w->d to Newton's direction; *first is unchanged. An indefinite Hessian is shifted by the least of a
   growing series that makes it positive definite (algorithm 3.3). False on failure, with the fault or
   the message of p->now set. */
static bool newton(struct descent *w, double *first) {
    int64_t n = w->n;
    double *h = w->room, *l = w->room + n * n, least = INFINITY;
    (void)first;
    if (!problem_hessian(w->p, w->x, h)) return false;
    for (int64_t i = 0; i < n; i++) least = fmin(least, h[i * n + i]);
    double unit = 1e-3 * fmax(vector_most(n * n, h), 1e-300), shift = least > 0 ? 0 : unit - least;
    while (!factor(n, h, shift, l)) {
        shift = fmax(2 * shift, unit);
        if (!(shift < 1e300)) return problem_ends(w->p, false, "the Hessian is not finite");
    }
    for (int64_t i = 0; i < n; i++) w->d[i] = -w->g[i];
    solve(n, l, w->d);
    return true;
}
void minimise_newton(struct problem *p, double *x) { walk(p, x, 2 * p->size, 0.9, newton); }

/* Set w->d to the solution of H d = -g by conjugate gradients, to an accuracy that follows the gradient's
   norm; stops at negative curvature. *first is unchanged. False after a fault. */
static bool newton_cg(struct descent *w, double *first) {
    int64_t n = w->n;
    double *r = w->room, *c = r + n, *hc = c + n, norm = sqrt(vector_dot(n, w->g, w->g));
    double enough = fmin(0.5, sqrt(norm)) * norm, left = norm * norm;
    (void)first;
    for (int64_t i = 0; i < n; i++) w->d[i] = 0, r[i] = w->g[i], c[i] = -w->g[i];
    for (int64_t k = 0; k < 20 * n && sqrt(left) > enough; k++) {
        if (!problem_product(w->p, w->x, c, hc)) return false;
        double bend = vector_dot(n, c, hc);
        if (!(bend > 1e-14 * vector_dot(n, c, c))) {
            if (k == 0) memcpy(w->d, c, sizeof *c * (size_t)n);
            break;
        }
        double along = left / bend, before = left;
        vector_add(n, w->d, along, c);
        vector_add(n, r, along, hc);
        left = vector_dot(n, r, r);
        for (int64_t i = 0; i < n; i++) c[i] = left / before * c[i] - r[i];
    }
    return true;
}
void minimise_newton_cg(struct problem *p, double *x) { walk(p, x, 3, 0.9, newton_cg); }
