/* Searches for coefficients: one least-squares problem, or a sequence of them at linearised or reweighted points. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/math/scalar.h"
#include "regression/model.h"
#include "regression/pair.h"

enum { REFINEMENTS = 8, HALVINGS = 20 };
/* Convergence: the next step of Newton's method would be of the order of its square, below rounding. */
static const double settled = 1e-8;
/* R's criterion for deviances. */
static const double flat = 1e-8;

/* A search: the point beta with its x beta + offset, or curve, at all rows. */
struct search {
    ty_regression *r;
    const struct frame *f;
    struct squares *s;
    double *eta, *last;      /* [n]: now and before the step */
    double *before;          /* [p]: beta before the step */
    double *slope, *working; /* [m] */
    double noise;            /* a rise of the deviance up to this is rounding */
};

void frame_line(const struct frame *f, const double *beta, double *eta) {
    for (int64_t i = 0; i < f->n; i++) {
        struct pair sum = {f->offset[i], 0};
        for (int64_t j = 0; j < f->p; j++) {
            pair_add_product(&sum, f->x[i * f->p + j], beta[j]);
            if (f->low) sum.low += f->low[i * f->p + j] * beta[j];
        }
        eta[i] = pair_value(sum);
    }
}

void frame_weigh(const struct frame *f, const double *slope) {
    for (int64_t k = 0; k < f->m; k++) {
        int64_t i = f->row[k];
        double root = sqrt(slope ? f->weight[i] * slope[k] : f->weight[i]);
        for (int64_t j = 0; j < f->p; j++) {
            int64_t at = i * f->p + j, to = k * f->p + j;
            f->a[to] = root * f->x[at];
            if (f->low) f->rest[to] = fma(root, f->x[at], -f->a[to]) + root * f->low[at];
        }
    }
}

double exponential_at(const double *beta, double x) { return beta[0] * math_exp(beta[1] * x); }

/* ---- points ---- */

void frame_point(const struct frame *f, enum curve curve, const double *beta, double *eta) {
    if (curve != CURVE_EXPONENTIAL) {
        frame_line(f, beta, eta);
        return;
    }
    for (int64_t i = 0; i < f->n; i++) eta[i] = f->offset[i] + exponential_at(beta, f->x[2 * i + 1]);
}

double frame_deviance(const struct frame *f, const struct family *family, const double *eta, double constant,
                      double *likelihood) {
    struct pair deviance = {0, 0}, logs = {0, 0};
    for (int64_t k = 0; k < f->m; k++) {
        int64_t i = f->row[k];
        double at = family->mean(eta ? eta[i] : constant + f->offset[i]);
        pair_add(&deviance, f->weight[i] * family->deviance(f->y[i], at));
        if (likelihood) pair_add(&logs, family->likelihood(f->y[i], at, f->weight[i]));
    }
    if (likelihood) *likelihood = pair_value(logs);
    return pair_value(deviance);
}

static void point(const struct search *h, double *eta) { frame_point(h->f, h->r->curve, h->s->beta, eta); }

/* Return the deviance at the current point. */
static double cost(const struct search *h) {
    return frame_deviance(h->f, &families[h->r->o.family], h->eta, 0, NULL);
}

/* Make the weighted least-squares problem whose solution is the next point of a family. */
static void reweigh(struct search *h) {
    const struct family *family = &families[h->r->o.family];
    for (int64_t k = 0; k < h->f->m; k++) {
        int64_t i = h->f->row[k];
        double mean = family->mean(h->eta[i]);
        h->slope[k] = family->variance(mean);
        h->working[k] = h->eta[i] - h->f->offset[i] + (h->f->y[i] - mean) / h->slope[k];
    }
    frame_weigh(h->f, h->slope);
    for (int64_t k = 0; k < h->f->m; k++)
        h->f->b[k] = sqrt(h->f->weight[h->f->row[k]] * h->slope[k]) * h->working[k];
}

/* Make the least-squares problem of a exp(b x) linearised at the current point. */
static void linearise(struct search *h) {
    const double *beta = h->s->beta;
    for (int64_t k = 0; k < h->f->m; k++) {
        int64_t i = h->f->row[k];
        double root = sqrt(h->f->weight[i]), x = h->f->x[2 * i + 1], growth = math_exp(beta[1] * x);
        double by_b = beta[0] * x * growth;
        h->f->a[2 * k] = root * growth;
        h->f->a[2 * k + 1] = root * by_b;
        h->f->b[k] = root * (h->f->y[i] - h->eta[i] + growth * beta[0] + by_b * beta[1]);
    }
}

/* ---- steps ---- */

/* Return the largest change of the point in the last step: relative to 1 + its size, or absolute. */
static double change(const struct search *h, bool relative) {
    double most = 0;
    for (int64_t k = 0; k < h->f->m; k++) {
        int64_t i = h->f->row[k];
        double step = fabs(h->eta[i] - h->last[i]);
        if (relative) step /= 1 + fabs(h->eta[i]);
        if (!(step <= most)) most = step;
    }
    return most;
}

/* Halve the step until the deviance is not above `last`; return the deviance. */
static double descend(struct search *h, double last) {
    double now = cost(h);
    for (int turn = 0; turn < HALVINGS && !(now <= last * (1 + flat) + h->noise); turn++) {
        for (int64_t j = 0; j < h->f->p; j++)
            h->s->beta[j] = h->before[j] + (h->s->beta[j] - h->before[j]) / 2;
        point(h, h->eta);
        now = cost(h);
    }
    return now;
}

/* Solve the problem at the current point and move there. `compared`: the deviance must not rise above *deviance. */
static bool step(struct search *h, bool compared, double *deviance) {
    struct squares *s = h->s;
    memcpy(h->last, h->eta, (size_t)h->f->n * sizeof *h->last);
    memcpy(h->before, s->beta, (size_t)h->f->p * sizeof *h->before);
    if (h->r->curve == CURVE_EXPONENTIAL)
        linearise(h);
    else
        reweigh(h);
    if (!squares_factor(s, &h->r->fault) || !squares_solve(s, 1, &h->r->fault)) return false;
    point(h, h->eta);
    *deviance = compared ? descend(h, *deviance) : cost(h);
    return true;
}

/* Search from the current point. */
static bool iterate(struct search *h) {
    ty_regression_report *report = &h->r->report;
    int64_t most = h->r->o.iterations;
    bool known = h->r->curve == CURVE_EXPONENTIAL, exact = false;
    double deviance = known ? cost(h) : INFINITY;
    for (int64_t i = 0; i < most && !exact && !report->separated; i++) {
        double before = deviance;
        exact = report->converged; /* one more step, whose weights are those of the solution */
        if (!step(h, known || i > 0, &deviance)) return false;
        report->iterations = i + 1;
        report->converged = exact || change(h, true) <= settled;
        bool still = fabs(deviance - before) <= flat * (fabs(deviance) + 0.1);
        report->separated = !report->converged && still && !known && change(h, false) > 0.1;
    }
    return true;
}

/* Start at means near y; for a exp(b x) at the fit of log |y|. */
static bool start(struct search *h) {
    const struct frame *f = h->f;
    const struct family *family = &families[h->r->o.family];
    if (h->r->curve != CURVE_EXPONENTIAL) {
        for (int64_t i = 0; i < f->n; i++) h->eta[i] = family->link(family->start(f->y[i], f->weight[i]));
        return true;
    }
    double sign = f->y[f->row[0]] < 0 ? -1 : 1;
    for (int64_t k = 0; k < f->m; k++) {
        double y = sign * f->y[f->row[k]];
        if (!(y > 0))
            return fault_set(&h->r->fault, E_DOMAIN, "%s: y[%lld] is %g; expected numbers of one sign",
                             f->name, (long long)f->row[k], f->y[f->row[k]]);
        /* errors of log y are those of y over y */
        f->b[k] = sqrt(f->weight[f->row[k]]) * y * math_log(y);
        for (int j = 0; j < 2; j++) f->a[2 * k + j] *= y;
    }
    if (!squares_factor(h->s, &h->r->fault) || !squares_solve(h->s, 1, &h->r->fault)) return false;
    h->s->beta[0] = sign * math_exp(h->s->beta[0]);
    point(h, h->eta);
    return true;
}

/* Return the weighted sum of squares of y. */
static double square_sum(const struct frame *f) {
    double sum = 0;
    for (int64_t k = 0; k < f->m; k++) sum += f->weight[f->row[k]] * f->y[f->row[k]] * f->y[f->row[k]];
    return sum;
}

static bool solve_once(ty_regression *r, const struct frame *f, struct squares *s) {
    for (int64_t k = 0; k < f->m; k++)
        f->b[k] = sqrt(f->weight[f->row[k]]) * (f->y[f->row[k]] - f->offset[f->row[k]]);
    r->report.converged = true;
    return squares_solve(s, REFINEMENTS, &r->fault);
}

bool regression_search(ty_regression *r, const struct frame *f, struct squares *s) {
    frame_weigh(f, NULL);
    if (!squares_choose(s, r->o.tolerance, &r->fault)) return false;
    if (r->o.family == TY_FAMILY_GAUSSIAN && r->curve != CURVE_EXPONENTIAL) return solve_once(r, f, s);
    if (r->curve == CURVE_EXPONENTIAL && s->k < 2)
        return fault_set(&r->fault, E_DOMAIN, "%s: all x are equal; expected at least two different",
                         f->name);
    size_t n = (size_t)f->n, m = (size_t)f->m, p = (size_t)f->p;
    double *room = mem_array(2 * n + p + 2 * m, sizeof *room);
    if (!room) return fault_memory(&r->fault, (2 * n + p + 2 * m) * sizeof *room);
    struct search h = {r, f, s, room, room + n, room + 2 * n, room + 2 * n + p, room + 2 * n + p + m, 0};
    h.noise = r->curve == CURVE_EXPONENTIAL ? DBL_EPSILON * square_sum(f) : flat;
    bool well = start(&h) && iterate(&h);
    /* residuals of the last linear problem are not those of the curve */
    for (int64_t k = 0; k < f->m && well && r->curve == CURVE_EXPONENTIAL; k++)
        f->residual[k] = sqrt(f->weight[f->row[k]]) * (f->y[f->row[k]] - h.eta[f->row[k]]);
    mem_free(room);
    return well;
}
