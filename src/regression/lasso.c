/* The lasso and the elastic net by coordinate descent. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/regression.h>
#include <tyto/shape.h>
#include "array/progress.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "ops/core/op.h"
#include "ops/math/slopes.h"
#include "regression/samples.h"
#include "regression/pair.h"

enum { PARTS = sizeof(ty_lasso_parts) / sizeof(ty_tensor *), PATH = 100 };
static const char name[] = "lasso";

/* A search along a path of penalties. */
struct lasso {
    int64_t n, p, k;
    ty_lasso_options o;
    double *columns;        /* [p, n], without their means unless plain */
    double *mean;           /* [p] */
    double *norm;           /* [p]: squared lengths of columns */
    double *y;              /* [n], without its mean unless plain */
    double mean_y, length;  /* of y */
    double *left;           /* [n]: y - x b */
    double *alphas;         /* [k] */
    double *beta;           /* [k, p] */
    double *constant, *gap; /* [k] */
    bool *converged;        /* [k] */
};

/* ---- descent ---- */

/* Minimise over each coefficient in turn; return the largest change of x b, by its length. */
static double sweep(struct lasso *l, double alpha, double *beta) {
    double count = (double)l->n, sharp = alpha * l->o.share * count, round = alpha * (1 - l->o.share) * count,
           most = 0;
    for (int64_t j = 0; j < l->p; j++) {
        const double *column = l->columns + j * l->n;
        if (l->norm[j] == 0) continue;
        double pull = plain_dot(column, l->left, l->n) + l->norm[j] * beta[j], size = fabs(pull) - sharp;
        double next = size > 0 ? copysign(size, pull) / (l->norm[j] + round) : 0, change = next - beta[j];
        if (change == 0) continue;
        for (int64_t i = 0; i < l->n; i++) l->left[i] -= change * column[i];
        beta[j] = next;
        change = fabs(change) * sqrt(l->norm[j]);
        if (!(change <= most)) most = change;
    }
    return most;
}

/* Return the gap between the objective, times n, and that of the dual problem at the scaled residual. */
static double gap_of(const struct lasso *l, double alpha, const double *beta) {
    double count = (double)l->n, sharp = alpha * l->o.share * count, round = alpha * (1 - l->o.share) * count;
    double steepest = 0, absolute = 0, squares = plain_dot(beta, beta, l->p),
           left = plain_dot(l->left, l->left, l->n);
    for (int64_t j = 0; j < l->p; j++) {
        double slope = fabs(plain_dot(l->columns + j * l->n, l->left, l->n) - round * beta[j]);
        if (slope > steepest) steepest = slope;
        absolute += fabs(beta[j]);
    }
    double scale = steepest > sharp ? sharp / steepest : 1;
    return left * (1 + scale * scale) / 2 + sharp * absolute - scale * plain_dot(l->left, l->y, l->n) +
           round * (1 + scale * scale) * squares / 2;
}

/* Search for the solution of penalty k from that of the one before. */
static bool descend(struct lasso *l, int64_t k, struct fault *fault) {
    double *beta = l->beta + k * l->p, limit = (l->o.tolerance > 0 ? l->o.tolerance : 1e-12) * l->length;
    int64_t most = l->o.iterations ? l->o.iterations : 10000;
    if (k) memcpy(beta, beta - l->p, (size_t)l->p * sizeof *beta);
    for (int64_t turn = 0; turn < most && !l->converged[k]; turn++) {
        if (!stop_check(fault)) return false;
        l->converged[k] = sweep(l, l->alphas[k], beta) <= limit;
    }
    l->gap[k] = gap_of(l, l->alphas[k], beta);
    l->constant[k] = l->mean_y;
    for (int64_t j = 0; j < l->p; j++) l->constant[k] -= l->mean[j] * beta[j];
    return progress_at(k + 1, l->k, fault);
}

/* ---- the problem ---- */

/* Centre y and the columns of x. */
static void centre(struct lasso *l, const struct samples *s) {
    for (int64_t j = 0; j < l->p; j++) {
        double sum = 0, *column = l->columns + j * l->n;
        for (int64_t i = 0; i < l->n; i++) sum += s->x[i * l->p + j];
        l->mean[j] = l->o.plain ? 0 : sum / (double)l->n;
        for (int64_t i = 0; i < l->n; i++) column[i] = s->x[i * l->p + j] - l->mean[j];
        l->norm[j] = plain_dot(column, column, l->n);
        /* rounding of a constant column is no direction */
        if (l->norm[j] <= (double)l->n * l->mean[j] * l->mean[j] * DBL_EPSILON * DBL_EPSILON) l->norm[j] = 0;
    }
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) sum += s->y[i];
    l->mean_y = l->o.plain ? 0 : sum / (double)l->n;
    for (int64_t i = 0; i < l->n; i++) l->left[i] = l->y[i] = s->y[i] - l->mean_y;
    l->length = sqrt(plain_dot(l->y, l->y, l->n));
}

/* Set the path of penalties. */
static void default_path(struct lasso *l) {
    double most = 0;
    for (int64_t j = 0; j < l->p; j++) {
        double slope = l->norm[j] == 0 ? 0 : fabs(plain_dot(l->columns + j * l->n, l->y, l->n));
        if (slope > most) most = slope;
    }
    most /= (double)l->n * l->o.share;
    for (int k = 0; k < PATH; k++) l->alphas[k] = most * math_pow(1e-3, (double)k / (PATH - 1));
}

static ty_tensor *refuse_options(const ty_lasso_options *o) {
    if (!(o->share >= 0 && o->share <= 1))
        return refuse(name, 0, NULL, E_ARGUMENT, "share is %g; expected above 0 and at most 1", o->share);
    if (o->iterations < 0)
        return refuse(name, 0, NULL, E_ARGUMENT, "iterations is %lld; expected 0 or more",
                      (long long)o->iterations);
    if (!(o->tolerance >= 0))
        return refuse(name, 0, NULL, E_ARGUMENT, "tolerance is %g; expected 0 or more", o->tolerance);
    ty_tensor *bad = o->alphas ? first_poison_in(name, 1, (ty_tensor *[]){o->alphas}) : NULL;
    if (!bad && o->alphas && (ty_rank(o->alphas) > 1 || dtype_is(ty_dtype_of(o->alphas), CLASS_COMPLEX)))
        bad = refuse(name, 1, (ty_tensor *[]){o->alphas}, E_SHAPE,
                     "alphas must be one real number, or a vector");
    return bad;
}

static ty_tensor *read_alphas(struct lasso *l) {
    if (!l->o.alphas) return default_path(l), NULL;
    ty_tensor *value = ty_eval(ty_detach(l->o.alphas));
    if (!ty_ok(value)) return value;
    if (!ty_read(value, TY_F64, l->alphas)) return tensor_out_of_memory();
    for (int64_t k = 0; k < l->k; k++)
        if (!(l->alphas[k] >= 0) || isinf(l->alphas[k]))
            return refuse(name, 0, NULL, E_DOMAIN, "alphas[%lld] is %g; expected 0 or more", (long long)k,
                          l->alphas[k]);
    return NULL;
}

/* Allocate all arrays as one block, which `columns` begins. */
static bool reserve(struct lasso *l) {
    size_t n = (size_t)l->n, p = (size_t)l->p, k = (size_t)l->k;
    l->columns = mem_array(p, n * sizeof(double));
    double *room = mem_array(2 * p + 2 * n + 3 * k, sizeof *room);
    l->beta = mem_array(k, p * sizeof *l->beta);
    l->converged = mem_array(k, sizeof *l->converged);
    l->mean = room;
    if (!l->columns || !room || !l->beta || !l->converged) return false;
    l->norm = room + p;
    l->y = l->norm + p;
    l->left = l->y + n;
    l->alphas = l->left + n;
    l->constant = l->alphas + k;
    l->gap = l->constant + k;
    return true;
}

/* Set out[PARTS]. */
static ty_tensor *run(struct lasso *l, const struct samples *s, ty_tensor **out) {
    struct fault fault = {0};
    bool single = l->o.alphas && ty_rank(l->o.alphas) == 0;
    if (!reserve(l)) return tensor_out_of_memory();
    centre(l, s);
    ty_tensor *bad = read_alphas(l);
    for (int64_t k = 0; k < l->k && !bad; k++)
        if (!descend(l, k, &fault)) bad = tensor_fault(&fault);
    if (bad) return bad;
    int rank = !single;
    out[0] = ty_from(TY_F64, rank, &l->k, l->alphas);
    out[1] = ty_from(TY_F64, rank + 1, single ? &l->p : (int64_t[]){l->k, l->p}, l->beta);
    out[2] = ty_from(TY_F64, rank, &l->k, l->constant);
    out[3] = ty_from(TY_F64, rank, &l->k, l->gap);
    out[4] = ty_from(TY_BOOL, rank, &l->k, l->converged);
    return NULL;
}

ty_lasso_parts ty_lasso_sized(ty_tensor *x, ty_tensor *y, const ty_lasso_options *given, size_t size) {
    OPTIONS_PARTS(ty_lasso_parts, ty_lasso_options, o, given, size);
    FLOATING_DEFAULT;
    PROGRESS_NAMED("fit");
    struct samples s = {0};
    struct lasso l = {.o = o};
    ty_tensor *out[PARTS];
    ty_scope *scope = ty_open();
    if (l.o.share == 0) l.o.share = 1;
    ty_tensor *bad = refuse_options(&o);
    if (!bad) bad = samples_read(&s, name, x, y, "y");
    l.n = s.n;
    l.p = s.p;
    l.k = bad || !o.alphas ? PATH : ty_size(o.alphas);
    if (!bad) bad = run(&l, &s, out);
    if (bad) results_poisoned(PARTS, out, bad);
    for (int i = 0; i < PARTS; i++) out[i] = scope ? ty_keep(out[i]) : out[i];
    ty_close(scope);
    void *all[] = {l.columns, l.mean, l.beta, l.converged};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    samples_free(&s);
    if (!bad)
        for (int i = 0; i < PARTS - 1; i++) out[i] = result_without(name, result_without(name, out[i], x), y);
    return (ty_lasso_parts){out[0], out[1], out[2], out[3], out[4]};
}
