/*
 * Line search by the strong Wolfe conditions: Nocedal and Wright, "Numerical Optimization" (2006), algorithms
 * 3.5 and 3.6, with cubic interpolation. Near a minimum, where changes of f drown in rounding, only the slope
 * decides (Hager and Zhang 2005).
 */
#include <math.h>
#include "nn/minimise/problem.h"
#include "nn/option.h"

enum { MOST_PROBES = 40 };

/* A point on the line: step length, value and slope. */
struct probe {
    double step, value, slope;
};

/* State of a line search. */
struct step_search {
    struct problem *p;
    struct line *line;
    struct probe start;
    double armijo, curvature;
    int probes;
};

/* Evaluate f and its gradient at this step along the line, store position, value and gradient in the line,
   and return step, value and slope. */
static struct probe try_step(struct step_search *s, double step) {
    struct line *l = s->line;
    int64_t n = s->p->size;
    for (int64_t i = 0; i < n; i++) l->next_x[i] = l->x[i] + step * l->d[i];
    l->next_value = problem_gradient(s->p, l->next_x, l->next_g);
    l->step = step;
    s->probes++;
    return (struct probe){step, l->next_value, vector_dot(n, l->next_g, l->d)};
}

static bool is_flat(const struct step_search *s, struct probe at) {
    return fabs(at.slope) <= -s->curvature * s->start.slope;
}

static bool is_low(const struct step_search *s, struct probe at) {
    double rounding = 4 * s->p->unit * fabs(s->start.value);
    return at.value <= s->start.value + s->armijo * at.step * s->start.slope ||
           (at.value <= s->start.value + rounding && is_flat(s, at));
}

/* Return the step of the minimum of the cubic through both probes, kept at least a tenth of the interval
   away from either end. */
static double between(struct probe a, struct probe b) {
    double width = b.step - a.step;
    double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
    double square = d1 * d1 - a.slope * b.slope;
    double d2 = copysign(sqrt(fmax(square, 0)), width);
    double step = b.step - width * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
    double share = (step - a.step) / width;
    if (!(square >= 0) || !isfinite(share)) share = 0.5;
    return a.step + width * fmin(fmax(share, 0.1), 0.9);
}

/* Shrink the bracket between two probes until a step is acceptable, which the line then holds, and return
   true. `low` is the probe with the least f that is low enough; a minimum lies between it and `high`.
   False if no step with lower f was found, or after a fault. */
static bool zoom(struct step_search *s, struct probe low, struct probe high) {
    while (s->probes < MOST_PROBES) {
        struct probe now = try_step(s, between(low, high));
        if (s->p->fault.set) return false;
        if (!isfinite(now.value) || !is_low(s, now) || (now.value > low.value && !is_flat(s, now))) {
            high = now;
        } else {
            if (is_flat(s, now)) return true;
            if (now.slope * (high.step - low.step) >= 0) high = low;
            low = now;
        }
        if (fabs(high.step - low.step) <= 1e-14 * fabs(high.step)) break;
    }
    if (low.step > 0) try_step(s, low.step); /* lower, if not flat */
    return low.step > 0 && !s->p->fault.set;
}

bool search_line(struct problem *p, struct line *line) {
    struct step_search s = {.p = p, .line = line, .armijo = option_or(p->o.armijo, 1e-4)};
    s.curvature = option_or(p->o.curvature, line->curvature);
    s.start = (struct probe){0, line->value, vector_dot(p->size, line->g, line->d)};
    struct probe before = s.start;
    if (!(s.start.slope < 0)) return false;
    for (double step = line->first; s.probes < MOST_PROBES; step *= 2) {
        struct probe now = try_step(&s, step);
        if (p->fault.set) return false;
        if (!isfinite(now.value) || !is_low(&s, now) ||
            (before.step > 0 && now.value >= before.value && !is_flat(&s, now)))
            return zoom(&s, before, now);
        if (is_flat(&s, now)) return true;
        if (now.slope >= 0) return zoom(&s, now, before);
        before = now;
    }
    return problem_ends(p, false, "f decreases without bound along a direction: it has no minimum there");
}
