/*
 * Distributions: SciPy's values (scipy_values.py), into the tails; each function against the others; derivatives; draws
 * against their own cdf; refusals.
 */
#include <math.h>
#include <string.h>
#include <tyto/expression.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/sample.h"

static const struct row {
    const char *expression;
    double number;
} rows[] = {
#define SCIPY(expression, number) {expression, number},
#define MOMENTS(...)
#include "tests/statistics/scipy_values.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Relative, in tails too; near zeros of logarithms and quantiles the rounding of their parts counts. */
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
        ty_distribution d = ty_distribution_of(all[i].name);
        check_number(all[i].name, ty_item(CHECK_OK(ty_distribution_mean(d, all[i].n, p))), all[i].mean);
        check_number(all[i].name, ty_item(CHECK_OK(ty_distribution_variance(d, all[i].n, p))),
                     all[i].variance);
        test_round_end(round);
    }
}

/* What is one function of another, for every distribution and dtype, eagerly and lazily. */
static void identities(void) {
    static const ty_dtype dtypes[] = {TY_F64, TY_F32};
    for (int i = 0; i < ALL; i += test_some(1, 1, 9))
        for (int k = 0; k < 2; k++) {
            struct test_round round = test_round();
            ty_tensor *p[3];
            ty_distribution d = ty_distribution_of(all[i].name);
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

/* The share of draws that are at most the median of many cdfs: each stays within 5 deviations. */
static void draws(void) {
    enum { MANY = 20000 };
    for (int i = 0; i < ALL; i += test_some(1, 1, 9)) {
        struct test_round round = test_round();
        ty_tensor *p[3];
        ty_distribution d = ty_distribution_of(all[i].name);
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
    ty_distribution d = ty_distribution_of(m->name);
    ty_tensor *q = ty_ppf(d, x[0], m->n, p);
    return ty_add(q, ty_add(ty_cdf(d, q, m->n, p), ty_logpdf(d, q, m->n, p)));
}
static ty_tensor *by_parameters(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_add(ty_logpdf(TY_DISTRIBUTION_T, ty_num(1.5), 3, x),
                  ty_ppf(TY_DISTRIBUTION_WEIBULL, ty_num(0.3), 2, x));
}

static void derivatives(void) {
    for (int i = 0; i < ALL; i += test_some(1, 1, 9)) {
        if (ty_distribution_of(all[i].name) >= TY_DISTRIBUTION_BERNOULLI) continue;
        struct test_round round = test_round();
        ty_tensor *x = ty_from(TY_F64, TY_SHAPE(3), (double[]){0.15, 0.4, 0.8});
        ty_check_report report;
        CHECK(ty_check_gradient(function, (void *)&all[i], 1, &x,
                                (ty_check_options){.absolute = 1e-5, .relative = 1e-4}, &report),
              "%s: %s", all[i].name, report.message);
        test_round_end(round);
    }
    ty_tensor *p[] = {ty_scalar(TY_F64, 2.5), ty_scalar(TY_F64, 0.7), ty_scalar(TY_F64, 1.3)};
    ty_check_report report;
    CHECK(ty_check_gradient(by_parameters, NULL, 3, p, (ty_check_options){0}, &report), "by parameters: %s",
          report.message);
}

static void refusals(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(2)), *p[] = {ty_num(1), ty_num(-1), ty_num(1)},
              *c = ty_ones(TY_C64, TY_SHAPE(2));
    CHECK_POISON(ty_pdf(TY_DISTRIBUTIONS, x, 0, NULL), "pdf: 27 is no distribution");
    CHECK_POISON(ty_cdf(TY_DISTRIBUTION_GAMMA, x, 0, NULL),
                 "cdf: 0 parameters of gamma, which has \"shape scale\", of which 1 must be given");
    CHECK_POISON(ty_sf(TY_DISTRIBUTION_NORMAL, x, 3, p), "sf: 3 parameters of normal");
    CHECK_POISON(ty_ppf(TY_DISTRIBUTION_NORMAL, x, 1, NULL), "NULL where 1 parameters belong");
    CHECK_POISON(ty_isf(TY_DISTRIBUTION_NORMAL, c, 0, NULL), "complex numbers have no distribution");
    CHECK_POISON(ty_draw(TY_DISTRIBUTION_NORMAL, TY_I32, TY_SHAPE(2), 0, NULL, ty_key(1)),
                 "draws are floating numbers, not i32");
    CHECK_POISON(ty_draw(TY_DISTRIBUTION_NORMAL, TY_F32, TY_SHAPE(3), 1, &x, ty_key(1)), "draw");
    CHECK_POISON(ty_pdf(TY_DISTRIBUTION_NORMAL, ty_num(0), 2, p),
                 "pdf: normal takes deviation > 0, but here mean is 1, deviation is -1");
    CHECK(isnan(ty_item(
              ty_eval(ty_pdf(TY_DISTRIBUTION_NORMAL, ty_num(0), 2, (ty_tensor *[]){p[0], ty_lazy(p[1])})))),
          "a negative deviation that is a promise makes NaN");
    CHECK(ty_dtype_of(CHECK_OK(ty_cdf(TY_DISTRIBUTION_NORMAL, ty_ones(TY_F16, TY_SHAPE(2)), 0, NULL))) ==
              TY_F16,
          "f16 stays f16");
    CHECK(ty_dtype_of(CHECK_OK(ty_pdf(TY_DISTRIBUTION_POISSON, ty_arange(TY_I32, 0, 1, 3), 1, p))) == TY_F64,
          "integers are f64");
    ty_tensor *broad = CHECK_OK(ty_cdf(TY_DISTRIBUTION_NORMAL, ty_ones(TY_F64, TY_SHAPE(3, 1)), 1, &x));
    CHECK(ty_rank(broad) == 2 && ty_size(broad) == 6, "parameters broadcast");
}

TESTS_MAIN(TEST(scipy_values), TEST(moments), TEST(identities), TEST(draws), TEST(derivatives),
           TEST(refusals))
