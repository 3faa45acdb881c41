/* Results of fitted models: tensors, names, numbers, predictions. */
#include <math.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "base/machine/floating.h"
#include "base/math/scalar.h"
#include "base/options.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"
#include "regression/model.h"

const char *ty_regression_error(const ty_regression *r) { return regression_of(r)->fault.text; }
ty_tensor *ty_regression_failure(const ty_regression *r) { return tensor_failure(&regression_of(r)->fault); }

ty_tensor *ty_regression_part(const ty_regression *r, ty_regression_values which) {
    r = regression_of(r);
    if (r->fault.set) return tensor_fault(&r->fault);
    if ((unsigned)which >= TY_REGRESSION_VALUES)
        return refuse("regression_part", 0, NULL, E_ARGUMENT, "unknown values %d; expected 0..%d", (int)which,
                      TY_REGRESSION_VALUES - 1);
    return tensor_share(r->values[which]);
}

const char *ty_regression_name(const ty_regression *r, int64_t i) {
    r = regression_of(r);
    return r->fault.set || i < 0 || i >= r->p ? NULL : r->names[i];
}

void ty_regression_describe_sized(const ty_regression *r, ty_regression_report *report, size_t size) {
    static const ty_regression_report none;
    r = regression_of(r);
    options_write(report, size, r->fault.set ? &none : &r->report, sizeof none);
}

/* ---- predictions ---- */

enum { PARTS = sizeof(ty_prediction) / sizeof(ty_tensor *) };

/* Set slope[p], the derivatives of the predicted value by the coefficients, at a row of x; return the value. */
static double slopes_at(const ty_regression *r, const double *row, double *slope) {
    double value = 0;
    if (r->curve == CURVE_EXPONENTIAL) {
        slope[0] = math_exp(r->beta[1] * row[0]);
        slope[1] = r->beta[0] * row[0] * slope[0];
        return r->beta[0] * slope[0];
    }
    for (int64_t j = 0; j < r->p; j++) {
        slope[j] = r->curve == CURVE_COLUMNS ? row[j] : j ? slope[j - 1] * row[0] : 1;
        value += slope[j] * r->beta[j];
    }
    /* a polynomial by Horner's rule, which cancels less */
    if (r->curve == CURVE_POLYNOMIAL) {
        value = 0;
        for (int64_t j = r->p; j-- > 0;) value = value * row[0] + r->beta[j];
    }
    return value;
}

/* Return the variance of a value with these slopes[p] by the coefficients; z[k] is room. */
static double variance_of(const ty_regression *r, const double *slope, double *z) {
    double variance = 0;
    for (int64_t i = 0; i < r->k; i++) {
        z[i] = slope[r->kept[i]];
        for (int64_t j = 0; j < i; j++) z[i] -= r->factor[j * r->k + i] * z[j];
        z[i] /= r->factor[i * r->k + i];
    }
    for (int64_t i = 0; i < r->k; i++)
        for (int64_t j = 0; j < r->k; j++)
            if (i == j || r->o.robust) variance += z[i] * r->middle[i * r->k + j] * z[j];
    return variance;
}

/* Write the PARTS predictions at a row to part[0], part[m], part[2 m], ...; slope[2 p] is room. */
static void predict_row(const ty_regression *r, const double *row, double *slope, double *part, int64_t m) {
    const struct family *family = &families[r->o.family];
    double value = slopes_at(r, row, slope), variance = variance_of(r, slope, slope + r->p), missing = 0;
    for (int64_t j = 0; j < r->p; j++) missing += 0 * slope[j];
    bool squares = r->o.family == TY_FAMILY_GAUSSIAN;
    double error = sqrt(variance > 0 ? variance : variance * 0) + missing,
           mean = family->mean(value + missing);
    double wide = squares ? r->quantile * sqrt(variance + r->report.scale) : NAN;
    part[0] = isnan(missing) ? NAN : mean;
    part[m] = squares ? error : error * family->variance(mean);
    part[2 * m] = family->mean(value - r->quantile * error);
    part[3 * m] = family->mean(value + r->quantile * error);
    part[4 * m] = mean - wide;
    part[5 * m] = mean + wide;
}

/* Set out[PARTS] to the predictions at x [m, width]; poison on failure. */
static ty_tensor *predict(const ty_regression *r, ty_tensor *x, int64_t m, int64_t width, ty_tensor **out) {
    double *rows = mem_array((size_t)m, (size_t)width * sizeof *rows),
           *slope = mem_array((size_t)r->p, 2 * sizeof *slope);
    double *all = mem_array((size_t)m, PARTS * sizeof *all);
    ty_tensor *bad = rows && slope && all ? NULL : tensor_out_of_memory(), *value = ty_eval(x);
    if (!bad && !ty_ok(value)) bad = value;
    if (!bad && !ty_read(value, TY_F64, rows)) bad = tensor_out_of_memory();
    for (int64_t i = 0; i < m && !bad; i++) predict_row(r, rows + i * width, slope, all + i, m);
    for (int i = 0; i < PARTS && !bad; i++) out[i] = ty_from(TY_F64, 1, &m, all + i * m);
    mem_free(rows);
    mem_free(slope);
    mem_free(all);
    return bad;
}

ty_prediction ty_regression_predict(const ty_regression *r, ty_tensor *x) {
    FLOATING_DEFAULT;
    ty_tensor *out[PARTS];
    r = regression_of(r);
    bool curve = r->curve != CURVE_COLUMNS;
    int rank = curve ? 1 : 2;
    ty_tensor *bad = r->fault.set ? tensor_fault(&r->fault) : first_poison_in("regression_predict", 1, &x);
    if (!bad && dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        bad = refuse("regression_predict", 1, &x, E_DTYPE, "complex numbers are not supported");
    if (!bad && (ty_rank(x) != rank || (!curve && ty_shape(x)[1] != r->p)))
        bad = curve ? refuse("regression_predict", 1, &x, E_SHAPE, "x must be a vector")
                    : refuse("regression_predict", 1, &x, E_SHAPE,
                             "x must be [m,%lld], as the columns of the model", (long long)r->p);
    if (!bad) bad = predict(r, x, ty_shape(x)[0], curve ? 1 : r->p, out);
    if (bad) results_poisoned(PARTS, out, bad);
    return (ty_prediction){out[0], out[1], out[2], out[3], out[4], out[5]};
}
