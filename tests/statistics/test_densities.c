/*
 * Distributions: SciPy's values (scipy_values.py), including tails; identities between functions; derivatives; draws
 * against their cdf; errors.
 */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

static const struct row {
    const char *expression;
    double number;
} rows[] = {
#define SCIPY(expression, number) {expression, number},
#define MOMENTS(...)
#include "tests/statistics/scipy_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Check a value with relative tolerance, including tails; near zeros of logarithms and quantiles the
   rounding error of terms is allowed. */
static void check_number(const char *what, double got, double want) {
    bool signed_one = strncmp(what, "pdf", 3) && strncmp(what, "cdf", 3) && strncmp(what, "sf", 2);
    bool same = got == want || (isnan(got) && isnan(want));
    CHECK(same || fabs(got - want) <= 1e-10 * fabs(want) + (signed_one ? 1e-13 : 0),
          "%s is %.15g and not %.15g", what, got, want);
}

static void scipy_values(void) {
    for (int i = 0; i < ROWS; i += test_some(1, 1, 97)) {
        struct test_round round = test_round();
        ty_tensor *y = CHECK_OK(ty_expression(rows[i].expression, 0, NULL, NULL));
        check_number(rows[i].expression, ty_item(y), rows[i].number);
        test_round_end(round);
    }
}

static const struct moments {
    const char *name;
    int n;
    double parameters[3], mean, variance;
} all[] = {
#define SCIPY(...)
#define LIST(...)                                                                                            \
    { __VA_ARGS__ }
#define MOMENTS(name, n, parameters, ...) {name, n, LIST parameters, __VA_ARGS__},
#include "tests/statistics/scipy_values.def"
};
enum { ALL = sizeof all / sizeof *all };

static void parameters_of(const struct moments *m, ty_dtype dtype, ty_tensor **out) {
    for (int i = 0; i < m->n; i++) out[i] = ty_scalar(dtype, m->parameters[i]);
}

static void moments(void) {
    for (int i = 0; i < ALL; i += test_some(1, 1, 7)) {
        struct test_round round = test_round();
        ty_tensor *p[3];
        parameters_of(&all[i], TY_F64, p);
        ty_distribution d = ty_distribution_named(all[i].name);
        check_number(all[i].name, ty_item(CHECK_OK(ty_distribution_mean(d, all[i].n, p))), all[i].mean);
        check_number(all[i].name, ty_item(CHECK_OK(ty_distribution_variance(d, all[i].n, p))),
                     all[i].variance);
        test_round_end(round);
    }
}

/* Identities between functions hold for every distribution and dtype, eagerly and lazily. */
static void identities(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32};
    for (int i = 0; i < ALL; i += test_some(1, 1, 9))
        for (int k = 0; k < 2; k++) {
            struct test_round round = test_round();
            ty_tensor *p[3];
            ty_distribution d = ty_distribution_named(all[i].name);
            int n = all[i].n;
            double near = k ? 2e-5 : 1e-11;
            parameters_of(&all[i], dtypes[k], p);
            ty_tensor *q = ty_cast(ty_from(TY_F64, TY_SHAPE(4), (double[]){0.1, 0.35, 0.6, 0.9}), dtypes[k]);
            ty_tensor *x = CHECK_OK(ty_ppf(d, q, n, p)), *cdf = CHECK_OK(ty_cdf(d, x, n, p));
            CHECK(ty_dtype_of(x) == dtypes[k] && ty_dtype_of(cdf) == dtypes[k], "%s: the dtype", all[i].name);
            compare_near(ty_add(cdf, ty_sf(d, x, n, p)), ty_ones_like(q), 0, near, "%s: cdf + sf",
                         all[i].name);
            compare_near(ty_exp(ty_logcdf(d, x, n, p)), cdf, near, near, "%s: logcdf", all[i].name);
            compare_near(ty_exp(ty_logsf(d, x, n, p)), ty_sf(d, x, n, p), near, near, "%s: logsf",
                         all[i].name);
            if (d < TY_DISTRIBUTION_BERNOULLI) {
                compare_near(cdf, q, near, near, "%s: cdf of ppf", all[i].name);
                compare_near(ty_sf(d, ty_isf(d, q, n, p), n, p), q, near, near, "%s: sf of isf", all[i].name);
            }
            compare_near(ty_eval(ty_ppf(d, ty_lazy(q), n, p)), x, near, near, "%s: a promise", all[i].name);
            ty_tensor *u = ty_from(TY_F64, TY_SHAPE(3), (double[]){-0.1, 1.1, (double)NAN});
            CHECK(ty_item(ty_all(ty_is_nan(ty_ppf(d, u, n, p)), TY_ALL)), "%s: ppf outside of 0..1",
                  all[i].name);
            test_round_end(round);
        }
}

/* The share of draws below the median of the cdf stays within 5 standard deviations. */
static void draws(void) {
    enum { MANY = 20000 };
    for (int i = 0; i < ALL; i += test_some(1, 1, 9)) {
        struct test_round round = test_round();
        ty_tensor *p[3];
        ty_distribution d = ty_distribution_named(all[i].name);
        parameters_of(&all[i], TY_F64, p);
        int64_t many = test_some(MANY, MANY / 4, 50);
        ty_tensor *x = CHECK_OK(ty_draw(d, TY_F64, 1, &many, all[i].n, p, ty_key(7)));
        ty_tensor *at = ty_ppf(d, ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){0.2, 0.5, 0.8}), all[i].n, p);
        ty_tensor *share = ty_mean(ty_cast(ty_le(x, at), TY_F64), ty_axis(1)),
                  *want = ty_cdf(d, at, all[i].n, p);
        double bound = 5 * 0.5 / sqrt((double)many);
        compare_near(share, ty_reshape(want, TY_SHAPE(3)), 0, bound, "draws of %s", all[i].name);
        test_round_end(round);
    }
}

static ty_tensor *function(void *context, ty_tensor *const *x) {
    const struct moments *m = context;
    ty_tensor *p[3];
    parameters_of(m, TY_F64, p);
    ty_distribution d = ty_distribution_named(m->name);
    ty_tensor *q = ty_ppf(d, x[0], m->n, p);
    return ty_add(q, ty_add(ty_cdf(d, q, m->n, p), ty_logpdf(d, q, m->n, p)));
}
/* Functions at one point, of the parameters from `first` on. */
struct place {
    const struct moments *m;
    double x;
    int first;
};
static ty_tensor *by_parameters(void *context, ty_tensor *const *x) {
    const struct place *at = context;
    ty_tensor *p[3], *where = ty_scalar(TY_F64, at->x);
    ty_distribution d = ty_distribution_named(at->m->name);
    int n = at->m->n;
    for (int i = 0; i < n; i++)
        p[i] = i < at->first ? ty_scalar(TY_F64, at->m->parameters[i]) : x[i - at->first];
    ty_tensor *y = ty_add(ty_logpdf(d, where, n, p), ty_logcdf(d, where, n, p));
    y = ty_add(y, ty_add(ty_distribution_entropy(d, n, p), ty_logsf(d, where, n, p)));
    return d < TY_DISTRIBUTION_BERNOULLI ? ty_add(y, ty_ppf(d, ty_num(0.3), n, p)) : y;
}
static void parameters_flow(void) {
    for (int i = 0; i < ALL; i += test_some(1, 1, 9)) {
        ty_distribution d = ty_distribution_named(all[i].name);
        struct place at = {.m = &all[i], .first = d == TY_DISTRIBUTION_BINOMIAL};
        int n = all[i].n - at.first;
        if (n == 0 || d == TY_DISTRIBUTION_HYPERGEOMETRIC) continue;
        struct test_round round = test_round();
        ty_tensor *p[3];
        parameters_of(&all[i], TY_F64, p);
        at.x = ty_item(CHECK_OK(ty_ppf(d, ty_num(0.6), all[i].n, p)));
        if (d == TY_DISTRIBUTION_BERNOULLI) at.x = 0;
        ty_check_report report;
        CHECK(ty_check_gradient(by_parameters, &at, n, p + at.first,
                                (ty_check_options){.absolute = 1e-5, .relative = 1e-4}, &report, NULL),
              "%s by its parameters: %s", all[i].name, report.message);
        test_round_end(round);
    }
}

/* The gradient of a draw is that of the quantile of its cdf. */
static void draws_flow(void) {
    static const ty_distribution some[] = {TY_DISTRIBUTION_GAMMA,  TY_DISTRIBUTION_BETA,
                                           TY_DISTRIBUTION_CHI2,   TY_DISTRIBUTION_VON_MISES,
                                           TY_DISTRIBUTION_NORMAL, TY_DISTRIBUTION_WEIBULL};
    for (int i = 0; i < 6; i++)
        for (int lazy = 0; lazy < 2; lazy++) {
            struct test_round round = test_round();
            int n = some[i] == TY_DISTRIBUTION_CHI2 ? 1 : 2;
            ty_tensor *p[] = {ty_scalar(TY_F64, 0.8), ty_scalar(TY_F64, 1.7)}, *moved[2], *want[2];
            for (int k = 0; k < n; k++) p[k] = lazy ? ty_var(p[k], "p") : ty_track(p[k], "p");
            ty_tensor *y = CHECK_OK(ty_draw(some[i], TY_F64, TY_SHAPE(40), n, p, ty_key(5)));
            ty_tensor *u = ty_detach(ty_cdf(some[i], y, n, p));
            CHECK(ty_grad(ty_sum(y, TY_ALL), n, p, moved), "%s", ty_error(moved[0]));
            CHECK(ty_grad(ty_sum(ty_ppf(some[i], u, n, p), TY_ALL), n, p, want), "%s", ty_error(want[0]));
            for (int k = 0; k < n; k++)
                compare_near(ty_eval(moved[k]), ty_eval(want[k]), 1e-7, 1e-9, "draws %d by parameter %d", i,
                             k);
            test_round_end(round);
        }
    ty_tensor *p[] = {ty_track(ty_scalar(TY_F64, 3), "p"), ty_track(ty_scalar(TY_F64, 5), "p")}, *g[2];
    CHECK(ty_grad(ty_draw(TY_DISTRIBUTION_F, TY_F64, TY_SHAPE(9), 2, p, ty_key(2)), 2, p, g), "%s",
          ty_error(g[0]));
    CHECK(isfinite(ty_item(g[0])) && ty_item(g[0]) != 0 && ty_item(g[1]) != 0, "draws of f move");
    CHECK(!ty_grad(ty_draw(TY_DISTRIBUTION_POISSON, TY_F64, TY_SHAPE(9), 1, p, ty_key(2)), 1, p, g),
          "whole numbers do not move");
    CHECK_POISON(g[0], "does not depend on x[0]");
}

static void derivatives(void) {
    for (int i = 0; i < ALL; i += test_some(1, 1, 9)) {
        if (ty_distribution_named(all[i].name) >= TY_DISTRIBUTION_BERNOULLI) continue;
        struct test_round round = test_round();
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.15, 0.4, 0.8});
        ty_check_report report;
        CHECK(ty_check_gradient(function, (void *)&all[i], 1, &x,
                                (ty_check_options){.absolute = 1e-5, .relative = 1e-4}, &report, NULL),
              "%s: %s", all[i].name, report.message);
        test_round_end(round);
    }
}

/* Weights along a last axis of any length; batches of them broadcast. */
static void categories(void) {
    ty_tensor *w = ty_from(TY_F64, TY_SHAPE(2, 3), (double[]){1, 0, 3, 2, 2, 4}), *one = ty_at(w, "0");
    ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3, 1), (double[]){0, 1, 2});
    ty_tensor *p = CHECK_OK(ty_pdf(TY_DISTRIBUTION_CATEGORICAL, x, 1, &w));
    compare_near(p, ty_from(TY_F64, TY_SHAPE(3, 2), (double[]){0.25, 0.25, 0, 0.25, 0.75, 0.5}), 1e-15, 0,
                 "pdf");
    int64_t many = test_some(20000, 5000, 50), shape[] = {many, 2};
    ty_tensor *draws[] = {ty_draw(TY_DISTRIBUTION_CATEGORICAL, TY_F32, 2, shape, 1, &w, ty_key(3)),
                          ty_draw(TY_DISTRIBUTION_CATEGORICAL, TY_F64, 1, shape, 1, &one, ty_key(4))};
    for (int i = 0; i < 2; i++) {
        ty_tensor *share = ty_mean(ty_cast(ty_eq(CHECK_OK(draws[i]), ty_num(2)), TY_F64), ty_axis(0));
        ty_tensor *want = i ? ty_scalar(TY_F64, 0.75) : ty_at(p, "2");
        compare_near(share, want, 0, 2.5 / sqrt((double)many), "draws of categories");
    }
    CHECK(ty_item(ty_sum(ty_eq(draws[1], ty_num(1)), TY_ALL)) == 0, "nothing without weight is drawn");
    ty_tensor *leaf = ty_track(one, "w"), *g;
    CHECK(ty_grad(ty_logpdf(TY_DISTRIBUTION_CATEGORICAL, ty_num(2), 1, &leaf), 1, &leaf, &g), "%s",
          ty_error(g));
    compare_near(g, ty_from(TY_F64, TY_SHAPE(3), (double[]){-0.25, -0.25, 1 / 3. - 0.25}), 1e-14, 0,
                 "by weights");
    ty_tensor *none = ty_num(1), *bad = ty_from(TY_F64, TY_SHAPE(2), (double[]){1, -1});
    CHECK_POISON(ty_pdf(TY_DISTRIBUTION_CATEGORICAL, x, 1, &none),
                 "the weights of categorical need a last axis");
    CHECK_POISON(ty_pdf(TY_DISTRIBUTION_CATEGORICAL, x, 1, &bad), "pdf: categorical expects finite");
}

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(2)), *p[] = {ty_num(1), ty_num(-1), ty_num(1)},
              *c = ty_ones(TY_C64, TY_SHAPE(2));
    CHECK_POISON(ty_pdf(TY_DISTRIBUTIONS, x, 0, NULL), "pdf: unknown distribution 27");
    CHECK_POISON(ty_cdf(TY_DISTRIBUTION_GAMMA, x, 0, NULL),
                 "cdf: 0 parameters of gamma, which has \"shape scale\"; expected at least 1");
    CHECK_POISON(ty_sf(TY_DISTRIBUTION_NORMAL, x, 3, p), "sf: 3 parameters of normal");
    CHECK_POISON(ty_ppf(TY_DISTRIBUTION_NORMAL, x, 1, NULL), "the array of 1 parameters is NULL");
    CHECK_POISON(ty_isf(TY_DISTRIBUTION_NORMAL, c, 0, NULL), "complex numbers are not supported");
    CHECK_POISON(ty_draw(TY_DISTRIBUTION_NORMAL, TY_I32, TY_SHAPE(2), 0, NULL, ty_key(1)),
                 "draws need a floating-point dtype, not i32");
    CHECK_POISON(ty_draw(TY_DISTRIBUTION_NORMAL, TY_F32, TY_SHAPE(3), 1, &x, ty_key(1)), "draw");
    CHECK_POISON(ty_pdf(TY_DISTRIBUTION_NORMAL, ty_num(0), 2, p), "pdf: normal expects deviation");
    CHECK(isnan(ty_item(
              ty_eval(ty_pdf(TY_DISTRIBUTION_NORMAL, ty_num(0), 2, (ty_tensor *[]){p[0], ty_lazy(p[1])})))),
          "a negative deviation that is a promise makes NaN");
    for (int i = 0; i < ALL; i++) {
        ty_tensor *known[3], *unknown = ty_num((double)NAN);
        parameters_of(&all[i], TY_F64, known);
        ty_distribution d = ty_distribution_named(all[i].name);
        CHECK(isnan(ty_item(ty_pdf(d, unknown, all[i].n, known))) &&
                  isnan(ty_item(ty_cdf(d, unknown, all[i].n, known))) &&
                  isnan(ty_item(ty_logsf(d, unknown, all[i].n, known))),
              "%s of NaN", all[i].name);
    }
    CHECK(ty_dtype_of(CHECK_OK(ty_cdf(TY_DISTRIBUTION_NORMAL, ty_ones(TY_F16, TY_SHAPE(2)), 0, NULL))) ==
              TY_F16,
          "f16 stays f16");
    CHECK(ty_dtype_of(CHECK_OK(ty_pdf(TY_DISTRIBUTION_POISSON, ty_arange(TY_I32, 0, 3, 1), 1, p))) == TY_F64,
          "integers are f64");
    ty_tensor *broad = CHECK_OK(ty_cdf(TY_DISTRIBUTION_NORMAL, ty_ones(TY_F64, TY_SHAPE(3, 1)), 1, &x));
    CHECK(ty_rank(broad) == 2 && ty_size(broad) == 6, "parameters broadcast");
}

TESTS_MAIN(TEST(scipy_values), TEST(moments), TEST(identities), TEST(draws), TEST(derivatives),
           TEST(parameters_flow), TEST(draws_flow), TEST(categories), TEST(refusals))
