/* Statistics of a solution: errors, tests, intervals, likelihoods. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/create.h>
#include <tyto/distributions.h>
#include <tyto/graph.h>
#include <tyto/index.h>
#include <tyto/linalg.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "array/remote.h"
#include "base/math/scalar.h"
#include "regression/model.h"
#include "regression/pair.h"

enum { NULL_STEPS = 50 }; /* Newton's steps for a lone constant: it converges in some five */

/* Quantities on the way from a solution to its statistics. */
struct measure {
    ty_regression *r;
    const struct frame *f;
    const struct squares *s;
    ty_tensor *leverages;  /* [m] */
    ty_tensor *covariance; /* [k, k] */
    double *eta;           /* [n] */
};

/* ---- covariances ---- */

/* Return the factor [m] of squared residuals for a robust covariance. */
static ty_tensor *robust_factor(const struct measure *h) {
    double m = (double)h->f->m, k = (double)h->s->k;
    ty_tensor *apart = ty_sub(ty_num(1), h->leverages);
    switch (h->r->o.robust) {
    case TY_ROBUST_HC1:
        return ty_scalar(TY_F64, m / (m - k));
    case TY_ROBUST_HC2:
        return ty_recip(apart);
    case TY_ROBUST_HC3:
        return ty_recip(ty_square(apart));
    default:
        return ty_scalar(TY_F64, 1);
    }
}

/* Return the covariance [k, k] of the triangular factor times the coefficients. */
static ty_tensor *middle_of(const struct measure *h) {
    if (!h->r->o.robust) return ty_mul(ty_eye(TY_F64, h->s->k), ty_num(h->r->report.scale));
    ty_tensor *squares = ty_square(ty_from(TY_F64, 1, &h->f->m, h->f->residual));
    ty_tensor *rows = ty_mul(h->s->q, ty_expand(ty_sqrt(ty_mul(squares, robust_factor(h))), 1));
    return ty_matmul(ty_transpose(rows), rows);
}

/* Return the covariance [k, k] of the coefficients that count. */
static ty_tensor *covariance_of(const struct measure *h, ty_tensor *middle) {
    if (!h->r->o.robust) return ty_mul(squares_inverse(h->s), ty_num(h->r->report.scale));
    ty_tensor *left = ty_triangular_solve(h->s->r, middle, true, false);
    return ty_triangular_solve(h->s->r, ty_transpose(left), true, false);
}

/* Read a matrix [k, k] to a new array of the model. */
static bool take_square(const struct measure *h, ty_tensor *x, double **to) {
    size_t bytes = (size_t)h->s->k * (size_t)h->s->k * sizeof **to;
    *to = mem_alloc(bytes);
    if (*to && ty_read(x, TY_F64, *to)) return true;
    return ty_ok(x) ? fault_memory(&h->r->fault, bytes) : fault_tensor(&h->r->fault, x);
}

/* Copy the covariance of the coefficients that count to that of all, and their variances to variance[p]. */
static bool spread(const struct measure *h, double *variance) {
    int64_t k = h->s->k, p = h->f->p;
    double *small = mem_array((size_t)(k * k), sizeof *small);
    bool well = small && ty_read(h->covariance, TY_F64, small);
    for (int64_t i = 0; i < k && well; i++) {
        for (int64_t j = 0; j < k; j++)
            h->r->covariance[h->s->kept[i] * p + h->s->kept[j]] = small[i * k + j];
        variance[h->s->kept[i]] = small[i * k + i];
    }
    mem_free(small);
    return well || (ty_ok(h->covariance) ? fault_memory(&h->r->fault, (size_t)(k * k) * sizeof *small)
                                         : fault_tensor(&h->r->fault, h->covariance));
}

/* ---- tests ---- */

static double freedom_of(const ty_regression *r) {
    return r->o.family == TY_FAMILY_GAUSSIAN ? (double)r->report.freedom : INFINITY;
}

/* Return the upper tail of t, or of the normal distribution for infinite freedom, at each |x|; NaN for freedom 0. */
static ty_tensor *tail_of(ty_tensor *x, double freedom) {
    ty_tensor *parameter = ty_scalar(TY_F64, freedom);
    if (isinf(freedom)) return ty_sf(TY_DISTRIBUTION_NORMAL, x, 0, NULL);
    return freedom > 0 ? ty_sf(TY_DISTRIBUTION_T, x, 1, &parameter) : ty_mul(x, ty_num(NAN));
}

double regression_quantile(double tail, double freedom) {
    ty_scope *scope = ty_open();
    ty_tensor *parameter = ty_scalar(TY_F64, freedom), *p = ty_scalar(TY_F64, tail);
    double at = isinf(freedom) ? ty_item(ty_isf(TY_DISTRIBUTION_NORMAL, p, 0, NULL))
                : freedom > 0  ? ty_item(ty_isf(TY_DISTRIBUTION_T, p, 1, &parameter))
                               : NAN;
    ty_close(scope);
    return at;
}

/* Return the p-value of a test with this statistic: chi-squared, or F if `below` is finite. */
static double test_p(double statistic, double above, double below) {
    if (!(above > 0) || !(below > 0) || isnan(statistic)) return NAN;
    ty_scope *scope = ty_open();
    ty_tensor *parameters[] = {ty_scalar(TY_F64, above), ty_scalar(TY_F64, below)};
    ty_tensor *x = ty_scalar(TY_F64, statistic);
    double p = ty_item(isinf(below) ? ty_sf(TY_DISTRIBUTION_CHI2, x, 1, parameters)
                                    : ty_sf(TY_DISTRIBUTION_F, x, 2, parameters));
    ty_close(scope);
    return p;
}

/* Return the position among the columns that count of one with equal elements, -1 if there is none. */
static int64_t constant_column(const struct frame *f, const struct squares *s) {
    for (int64_t j = 0; j < s->k; j++) {
        double first = f->x[f->row[0] * f->p + s->kept[j]];
        int64_t i = 1;
        while (i < f->m && f->x[f->row[i] * f->p + s->kept[j]] == first) i++;
        if (i == f->m) return j;
    }
    return -1;
}

/* Return Wald's quadratic form of the coefficients but position `without` (-1: of all) with their covariance. */
static double wald(const struct measure *h, int64_t without, const double *beta) {
    int64_t k = h->s->k, count = 0;
    int64_t *at = mem_array((size_t)k, sizeof *at);
    double *values = mem_array((size_t)k, sizeof *values), form = NAN;
    if (at && values) {
        for (int64_t j = 0; j < k; j++)
            if (j != without) at[count] = j, values[count++] = beta[h->s->kept[j]];
        ty_scope *scope = ty_open();
        ty_tensor *which = ty_from(TY_I64, 1, &count, at), *b = ty_from(TY_F64, 1, &count, values);
        ty_tensor *c = ty_take(ty_take(h->covariance, which, 0), which, 1);
        form = ty_item(ty_sum(ty_mul(b, ty_solve(c, b)), TY_ALL));
        ty_close(scope);
    }
    mem_free(at);
    mem_free(values);
    return form;
}

/* ---- likelihoods ---- */

/* Return the weighted mean of y, or y - offset if `apart`, of rows that count. */
static double mean_of(const struct frame *f, bool apart) {
    struct pair sum = {0, 0}, weights = {0, 0};
    for (int64_t k = 0; k < f->m; k++) {
        pair_add_product(&sum, f->weight[f->row[k]], f->y[f->row[k]] - apart * f->offset[f->row[k]]);
        pair_add(&weights, f->weight[f->row[k]]);
    }
    return pair_value(sum) / pair_value(weights);
}

/* Return the constant of the model without other coefficients, by Newton's method if there is an offset. */
static double lone_constant(const struct measure *h) {
    const struct family *family = &families[h->r->o.family];
    double constant = family->link(mean_of(h->f, false));
    bool moved = true;
    for (int turn = 0; turn < NULL_STEPS && moved; turn++) {
        double slope = 0, curvature = 0;
        for (int64_t k = 0; k < h->f->m; k++) {
            int64_t i = h->f->row[k];
            double mean = family->mean(constant + h->f->offset[i]);
            slope += h->f->weight[i] * (h->f->y[i] - mean);
            curvature += h->f->weight[i] * family->variance(mean);
        }
        double step = slope / curvature;
        moved = isfinite(constant + step) && fabs(step) > 1e-14 * (1 + fabs(constant));
        if (moved) constant += step;
    }
    return constant;
}

/* Return the deviance, as frame_deviance. */
static double deviance_at(const struct measure *h, const double *eta, double constant, double *likelihood) {
    return frame_deviance(h->f, &families[h->r->o.family], eta, constant, likelihood);
}

/* Return the normal log-likelihood of a sum of squared weighted residuals, at the variance that maximises it. */
static double normal_likelihood(const struct frame *f, double squares) {
    double m = (double)f->m, logs = 0;
    for (int64_t k = 0; k < f->m; k++) logs += math_log(f->weight[f->row[k]]);
    return (logs - m * (math_log(2 * M_PI * squares / m) + 1)) / 2;
}

/* Return the sum of squares of the weighted residuals. */
static double residual_squares(const struct frame *f) {
    struct pair sum = {0, 0};
    for (int64_t k = 0; k < f->m; k++) pair_add_product(&sum, f->residual[k], f->residual[k]);
    return pair_value(sum);
}

/* Set deviances, likelihood, scale, R^2 and the test of a linear or exponential model, but for robust tests. */
static void measure_squares(const struct measure *h, double slopes) {
    ty_regression_report *o = &h->r->report;
    double m = (double)h->f->m, left = (double)o->freedom;
    double centre = o->constant ? mean_of(h->f, true) : 0;
    o->deviance = residual_squares(h->f);
    o->null_deviance = deviance_at(h, NULL, centre, NULL);
    o->scale = left > 0 ? o->deviance / left : NAN;
    o->log_likelihood = normal_likelihood(h->f, o->deviance);
    o->r_squared = 1 - o->deviance / o->null_deviance;
    o->adjusted = 1 - (1 - o->r_squared) * (m - o->constant) / left;
    o->test = (o->null_deviance - o->deviance) / slopes / o->scale;
}

static void measure_family(const struct measure *h) {
    ty_regression_report *o = &h->r->report;
    double none;
    o->deviance = deviance_at(h, h->eta, 0, &o->log_likelihood);
    o->null_deviance = deviance_at(h, NULL, o->constant ? lone_constant(h) : 0, &none);
    o->scale = 1;
    o->r_squared = 1 - o->log_likelihood / none;
    o->adjusted = NAN;
    o->test = 2 * (o->log_likelihood - none);
}

/* ---- results ---- */

bool regression_keep(ty_regression *r, ty_regression_values which, ty_tensor *x) {
    ty_tensor *value = at_home(ty_eval(x));
    if (!ty_ok(value)) return fault_tensor(&r->fault, value);
    r->values[which] = ty_retain(value);
    return true;
}

/* Keep values[p], NaN for aliased columns. */
static bool keep_columns(const struct measure *h, double *variance) {
    ty_regression *r = h->r;
    int64_t p = r->p;
    double *beta = mem_array((size_t)p, sizeof *beta);
    if (!beta) return fault_memory(&r->fault, (size_t)p * sizeof *beta);
    for (int64_t j = 0; j < p; j++) beta[j] = NAN;
    for (int64_t j = 0; j < r->k; j++) beta[r->kept[j]] = r->beta[r->kept[j]];
    ty_tensor *b = ty_from(TY_F64, 1, &p, beta), *error = ty_sqrt(ty_from(TY_F64, 1, &p, variance));
    mem_free(beta);
    ty_tensor *statistic = ty_div(b, error), *wide = ty_mul(error, ty_num(r->quantile));
    ty_tensor *tail = tail_of(ty_abs(statistic), freedom_of(r));
    ty_tensor *missing = ty_is_nan(ty_mul(ty_expand(b, 0), ty_expand(b, 1)));
    ty_tensor *all = ty_from(TY_F64, 2, (int64_t[]){p, p}, r->covariance);
    return regression_keep(r, TY_REGRESSION_COEFFICIENTS, b) &&
           regression_keep(r, TY_REGRESSION_ERRORS, error) &&
           regression_keep(r, TY_REGRESSION_STATISTICS, statistic) &&
           regression_keep(r, TY_REGRESSION_P, ty_mul(tail, ty_num(2))) &&
           regression_keep(r, TY_REGRESSION_LOW, ty_sub(b, wide)) &&
           regression_keep(r, TY_REGRESSION_HIGH, ty_add(b, wide)) &&
           regression_keep(r, TY_REGRESSION_COVARIANCE, ty_where(missing, ty_num(NAN), all));
}

/* Keep fitted values, residuals and leverages, one for each row; uses eta[n] as room. */
static bool keep_rows(const struct measure *h) {
    const struct frame *f = h->f;
    const struct family *family = &families[h->r->o.family];
    double *room = mem_array((size_t)(2 * f->n + f->m), sizeof *room);
    if (!room) return fault_memory(&h->r->fault, (size_t)(2 * f->n + f->m) * sizeof *room);
    double *residual = room, *leverage = room + f->n, *some = room + 2 * f->n;
    bool well = ty_read(h->leverages, TY_F64, some) || fault_tensor(&h->r->fault, h->leverages);
    for (int64_t i = 0; i < f->n; i++) {
        h->eta[i] = isnan(h->eta[i]) || isnan(f->y[i]) || isnan(f->weight[i]) ? NAN : family->mean(h->eta[i]);
        residual[i] = f->y[i] - h->eta[i];
        leverage[i] = isnan(h->eta[i]) ? NAN : 0;
    }
    for (int64_t k = 0; k < f->m; k++) {
        leverage[f->row[k]] = some[k];
        /* the refined residual has digits that y - fitted has lost */
        if (h->r->o.family == TY_FAMILY_GAUSSIAN)
            residual[f->row[k]] = f->residual[k] / sqrt(f->weight[f->row[k]]);
    }
    well = well && regression_keep(h->r, TY_REGRESSION_FITTED, ty_from(TY_F64, 1, &f->n, h->eta)) &&
           regression_keep(h->r, TY_REGRESSION_RESIDUALS, ty_from(TY_F64, 1, &f->n, residual)) &&
           regression_keep(h->r, TY_REGRESSION_LEVERAGES, ty_from(TY_F64, 1, &f->n, leverage));
    mem_free(room);
    return well;
}

/* Set the report but for the p-value, and the covariance. */
static bool measure_report(struct measure *h, double *variance) {
    ty_regression *r = h->r;
    ty_regression_report *o = &r->report;
    int64_t constant = r->curve == CURVE_EXPONENTIAL ? -1 : constant_column(h->f, h->s);
    o->constant = constant >= 0 || r->curve == CURVE_EXPONENTIAL;
    o->test_freedom = (double)(r->k - o->constant);
    bool squares = r->o.family == TY_FAMILY_GAUSSIAN;
    if (squares)
        measure_squares(h, o->test_freedom);
    else
        measure_family(h);
    ty_tensor *middle = ty_eval(middle_of(h));
    h->covariance = ty_eval(covariance_of(h, middle));
    if (!take_square(h, h->s->r, &r->factor) || !take_square(h, middle, &r->middle) || !spread(h, variance))
        return false;
    if (squares && r->o.robust) o->test = wald(h, constant, r->beta) / o->test_freedom;
    if (!(o->test_freedom > 0)) o->test = NAN;
    o->test_p = test_p(o->test, o->test_freedom, squares ? (double)o->freedom : INFINITY);
    double m = (double)o->rows, k = (double)o->rank;
    o->aic = 2 * k - 2 * o->log_likelihood;
    o->bic = math_log(m) * k - 2 * o->log_likelihood;
    return true;
}

bool regression_measure(ty_regression *r, const struct frame *f, const struct squares *s) {
    struct measure h = {.r = r, .f = f, .s = s};
    ty_regression_report *o = &r->report;
    size_t n = (size_t)f->n, p = (size_t)f->p;
    o->columns = f->p;
    o->rows = f->m;
    o->rank = r->k = s->k;
    o->freedom = f->m - s->k;
    h.leverages = ty_eval(ty_sum(ty_square(s->q), ty_axis(1)));
    h.eta = mem_array(n + p, sizeof *h.eta);
    if (!h.eta) return fault_memory(&r->fault, (n + p) * sizeof *h.eta);
    double *variance = h.eta + n;
    for (size_t j = 0; j < p; j++) variance[j] = NAN;
    frame_point(f, r->curve, s->beta, h.eta);
    bool well = measure_report(&h, variance);
    double share = r->o.confidence;
    if (well) r->quantile = regression_quantile((1 - share) / 2, freedom_of(r));
    well = well && keep_columns(&h, variance) && keep_rows(&h);
    mem_free(h.eta);
    return well;
}
