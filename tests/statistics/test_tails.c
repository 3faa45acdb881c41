/*
 * Distributions far into both tails against mpmath (sweep_values.py), identities between their functions, values at the
 * ends, and derivatives to second order.
 */
#include <math.h>
#include <string.h>

#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Permitted relative errors. Logarithms of densities are differences of terms near 1e4 in some rows, so
   1e-11 is added. Quantiles have the error of the inverted function over its slope. */
static const double tail_error = 2e-11, log_error = 2e-11, density_error = 1e-11, quantile_error = 1e-11;

struct place {
    const char *name;
    int n;
    double parameters[3], x;
    double want[5];
};
#define LIST(...)                                                                                            \
    { __VA_ARGS__ }
static const struct place sweep[] = {
#define SWEEP(name, n, parameters, x, ...) {name, n, LIST parameters, x, {__VA_ARGS__}},
#define QUANTILE(...)
#include "tests/statistics/sweep_values.def"
};
static const struct place quantiles[] = {
#define SWEEP(...)
#define QUANTILE(name, n, parameters, p, ...) {name, n, LIST parameters, p, {__VA_ARGS__}},
#include "tests/statistics/sweep_values.def"
};
enum { PLACES = sizeof sweep / sizeof *sweep, QUANTILES = sizeof quantiles / sizeof *quantiles };

typedef ty_tensor *(*asked)(ty_distribution d, ty_tensor *x, int n, ty_tensor *const *p);

static void parameters_of(const struct place *at, ty_tensor **out) {
    for (int i = 0; i < at->n; i++) out[i] = ty_scalar(TY_F64, at->parameters[i]);
}

static const double *values_of(ty_tensor *y) {
    const double *values = ty_data(CHECK_OK(y));
    CHECK(values, "no memory");
    return values;
}

/* Return the number of rows from `first` on with one distribution and parameters. */
static int run_of(const struct place *at, int first, int all) {
    int n = 1;
    while (first + n < all && !strcmp(at[first].name, at[first + n].name) &&
           !memcmp(at[first].parameters, at[first + n].parameters, sizeof at->parameters))
        n++;
    return n;
}

static void check(const char *what, const struct place *at, double got, double want, double error,
                  double beside) {
    bool same =
        got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= error * (fabs(want) + beside);
    CHECK(same, "%s of %s(%.17g, %g, %g, %g) is %.17g and not %.17g", what, at->name, at->x,
          at->parameters[0], at->parameters[1], at->parameters[2], got, want);
}

static void check_run(const struct place *at, int n, int functions, const asked *f, const char *const *names,
                      const double *errors) {
    struct test_round round = test_round();
    ty_tensor *p[3];
    double x[64];
    int64_t many = n;
    parameters_of(at, p);
    for (int i = 0; i < n; i++) x[i] = at[i].x;
    ty_tensor *places = ty_from(TY_F64, 1, &many, x);
    for (int k = 0; k < functions; k++) {
        ty_tensor *y = CHECK_OK(f[k](ty_distribution_named(at->name), places, at->n, p));
        const double *got = values_of(y);
        for (int i = 0; i < n; i++) {
            double smallest = k == 1 || k == 2 ? 1e-290 : 0; /* below this value numbers have fewer digits */
            if (functions == 5 && fabs(at[i].want[k]) < smallest)
                CHECK(fabs(got[i]) < 2 * smallest, "%s of %s is %g", names[k], at->name, got[i]);
            else
                check(names[k], &at[i], got[i], at[i].want[k], errors[k], functions == 5 && k == 0 ? 1 : 0);
        }
    }
    test_round_end(round);
}

static void tails(void) {
    static const asked f[] = {ty_logpdf, ty_cdf, ty_sf, ty_logcdf, ty_logsf};
    static const char *const names[] = {"logpdf", "cdf", "sf", "logcdf", "logsf"};
    const double errors[] = {density_error, tail_error, tail_error, log_error, log_error};
    for (int i = 0, n; i < PLACES; i += n * test_some(1, 1, 5)) {
        n = run_of(sweep, i, PLACES);
        check_run(sweep + i, n, 5, f, names, errors);
    }
}

static void inverses(void) {
    static const asked f[] = {ty_ppf, ty_isf};
    static const char *const names[] = {"ppf", "isf"};
    const double errors[] = {quantile_error, quantile_error};
    for (int i = 0, n; i < QUANTILES; i += n * test_some(1, 1, 5)) {
        n = run_of(quantiles, i, QUANTILES);
        check_run(quantiles + i, n, 2, f, names, errors);
    }
}

/* ---- identities ---- */

/* Check quantiles of the smaller side and back: up to the change from x to the next number. */
static void there_and_back(const struct place *at, ty_tensor *const *p, asked inverse, asked forward) {
    static const double q[] = {1e-200, 1e-20, 0.25, 0.75, 1 - 0x1p-40};
    ty_distribution d = ty_distribution_named(at->name);
    for (int i = 0; i < 5; i++) {
        double x = ty_item(CHECK_OK(inverse(d, ty_num(q[i]), at->n, p)));
        double around[] = {nextafter(x, -HUGE_VAL), x, nextafter(x, HUGE_VAL)};
        const double *y = values_of(forward(d, ty_from(TY_F64, TY_SHAPE(3), around), at->n, p));
        double spread = 2 * fmax(fabs(y[0] - y[1]), fabs(y[2] - y[1]));
        bool same = d >= TY_DISTRIBUTION_BERNOULLI
                        ? forward == ty_cdf ? y[1] >= q[i] * (1 - 1e-12) : y[1] <= q[i] * (1 + 1e-12)
                        : fabs(y[1] - q[i]) <= 1e-10 * q[i] + spread;
        CHECK(same, "%s of %g, %g, %g: %g and back is %.17g, by x of %.17g", at->name, at->parameters[0],
              at->parameters[1], at->parameters[2], q[i], y[1], x);
    }
}

/* Return true if f64 `y` is monotonic in the direction of `sign`, up to rounding. */
static bool rises(ty_tensor *y, double sign) {
    const double *v = values_of(y);
    for (int64_t i = 1; i < ty_size(y); i++)
        if (v[i] != v[i - 1] && isfinite(v[i - 1]) &&
            !(sign * v[i] >= sign * v[i - 1] - 1e-12 * fabs(v[i - 1])))
            return false;
    return true;
}

/* Check that a logarithm is that of the function, where the function does not underflow. */
static void check_logarithm(const struct place *at, ty_tensor *plain, ty_tensor *log) {
    const double *v = values_of(plain), *l = values_of(log);
    for (int64_t i = 0; i < ty_size(plain); i++)
        if (v[i] > 1e-290)
            CHECK(fabs(exp(l[i]) - v[i]) <= 1e-12 * v[i] * (1 + fabs(l[i])), "%s: exp(%.17g) is not %.17g",
                  at->name, l[i], v[i]);
}

static void identities(void) {
    for (int i = 0, n; i < PLACES; i += n * test_some(1, 1, 5)) {
        struct test_round round = test_round();
        const struct place *at = sweep + i;
        ty_distribution d = ty_distribution_named(at->name);
        ty_tensor *p[3], *line = ty_linspace(TY_F64, -40, 40, 641);
        n = run_of(sweep, i, PLACES);
        parameters_of(at, p);
        there_and_back(at, p, ty_ppf, ty_cdf);
        there_and_back(at, p, ty_isf, ty_sf);
        ty_tensor *cdf = ty_cdf(d, line, at->n, p), *sf = ty_sf(d, line, at->n, p);
        ty_tensor *logcdf = ty_logcdf(d, line, at->n, p), *logsf = ty_logsf(d, line, at->n, p);
        CHECK(rises(cdf, 1) && rises(sf, -1) && rises(logcdf, 1) && rises(logsf, -1), "%s of %g, %g turns",
              at->name, at->parameters[0], at->parameters[1]);
        check_logarithm(at, cdf, logcdf);
        check_logarithm(at, sf, logsf);
        compare_near(ty_add(cdf, sf), ty_ones_like(cdf), 0, 1e-12, "%s: cdf + sf", at->name);
        test_round_end(round);
    }
}

/* ---- ends ---- */

static double one(asked f, const struct place *at, double x) {
    ty_tensor *p[3];
    parameters_of(at, p);
    return ty_item(CHECK_OK(f(ty_distribution_named(at->name), ty_num(x), at->n, p)));
}

static void ends(void) {
    const double far = HUGE_VAL, none = (double)NAN;
    for (int i = 0, n; i < PLACES; i += n) {
        struct test_round round = test_round();
        const struct place *at = sweep + i;
        n = run_of(sweep, i, PLACES);
        CHECK(one(ty_cdf, at, -far) == 0 && one(ty_cdf, at, far) == 1, "cdf of %s at infinity", at->name);
        CHECK(one(ty_sf, at, -far) == 1 && one(ty_sf, at, far) == 0, "sf of %s at infinity", at->name);
        CHECK(one(ty_logcdf, at, -far) == -far && one(ty_logcdf, at, far) == 0, "logcdf of %s", at->name);
        CHECK(one(ty_logsf, at, far) == -far && one(ty_logsf, at, -far) == 0, "logsf of %s", at->name);
        CHECK(one(ty_pdf, at, far) == 0 && one(ty_logpdf, at, -far) == -far, "density of %s", at->name);
        double low = one(ty_ppf, at, 0), high = one(ty_ppf, at, 1);
        CHECK(low == one(ty_isf, at, 1) && high == one(ty_isf, at, 0), "%s: ends of ppf and isf", at->name);
        CHECK(one(ty_sf, at, high) == 0 && one(ty_cdf, at, high) == 1, "%s: all up to %g", at->name, high);
        CHECK(isinf(low) || one(ty_cdf, at, nextafter(low, -far)) == 0, "%s: none below %g", at->name, low);
        static const asked all[] = {ty_pdf, ty_logpdf, ty_cdf, ty_sf, ty_logcdf, ty_logsf, ty_ppf, ty_isf};
        for (int k = 0; k < 8; k++) CHECK(isnan(one(all[k], at, none)), "%s of NaN: %d", at->name, k);
        CHECK(isnan(one(ty_ppf, at, -0x1p-60)) && isnan(one(ty_isf, at, 1 + 0x1p-52)), "%s outside",
              at->name);
        test_round_end(round);
    }
    static const struct {
        asked f;
        struct place at;
        double want;
    } known[] = {{ty_ppf, {"beta", 2, {2, 3}, 1, {0}}, 1},
                 {ty_ppf, {"binomial", 2, {410, 0.8215}, 1, {0}}, 410},
                 {ty_ppf, {"hypergeometric", 3, {20, 30, 35}, 0, {0}}, 5},
                 {ty_ppf, {"poisson", 1, {3}, 1, {0}}, HUGE_VAL},
                 {ty_ppf, {"poisson", 1, {1e17}, 0.5, {0}}, 1e17},
                 {ty_ppf, {"t", 1, {3}, 0.5, {0}}, 0},
                 {ty_ppf, {"cauchy", 0, {0}, 0.5, {0}}, 0},
                 {ty_cdf, {"f", 2, {2, 3}, HUGE_VAL, {0}}, 1}};
    for (int i = 0; i < 8; i++)
        check("an end", &known[i].at, one(known[i].f, &known[i].at, known[i].at.x), known[i].want, 1e-15, 0);
}

/* ---- derivatives ---- */

struct slope {
    const char *function, *name;
    int n, fixed; /* number of parameters; number of x and these without a derivative */
    double at[4], value, first[4], second[10];
};
static const struct slope slopes[] = {
#define SLOPE(function, name, n, fixed, at, value, first, second)                                            \
    {function, name, n, fixed, LIST at, value, LIST first, LIST second},
#include "tests/statistics/slope_values.def"
};
enum { SLOPES = sizeof slopes / sizeof *slopes };

static asked function_of(const char *name) {
    static const struct {
        const char *name;
        asked f;
    } all[] = {{"logpdf", ty_logpdf}, {"cdf", ty_cdf}, {"sf", ty_sf},  {"logcdf", ty_logcdf},
               {"logsf", ty_logsf},   {"ppf", ty_ppf}, {"isf", ty_isf}};
    int i = 0;
    while (strcmp(all[i].name, name)) i++;
    return all[i].f;
}

static void check_slope(const struct slope *s, int i, int j, double got, double want) {
    double allowed = 1e-8 * fabs(want) + 1e-10 * fabs(s->value);
    CHECK(fabs(got - want) <= allowed,
          "%s of %s(%g, %g, %g, %g), derivative by %d and %d: %.15g and not %.15g", s->function, s->name,
          s->at[0], s->at[1], s->at[2], s->at[3], i, j, got, want);
}

/* Check the gradient, and the gradient of each of its elements. */
static void check_slopes(const struct slope *s, bool lazy) {
    struct test_round round = test_round();
    ty_tensor *x[4], *g[4], *h[4];
    for (int i = 0; i <= s->n; i++) {
        x[i] = ty_scalar(TY_F64, s->at[i]);
        if (i >= s->fixed) x[i] = lazy ? ty_var(x[i], "x") : ty_track(x[i], "x");
    }
    int n = s->n + 1 - s->fixed;
    ty_allow_unused(true); /* the gradient of a linear function */
    ty_tensor *y = CHECK_OK(function_of(s->function)(ty_distribution_named(s->name), x[0], s->n, x + 1));
    CHECK(ty_grad(y, n, x + s->fixed, g), "%s", ty_error(g[0]));
    for (int i = 0, k = 0; i < n; i++) {
        check_slope(s, i, -1, ty_item(ty_eval(g[i])), s->first[i]);
        CHECK(ty_grad(g[i], n, x + s->fixed, h), "%s of %s: %s", s->function, s->name, ty_error(h[0]));
        for (int j = 0; j <= i; j++, k++) check_slope(s, i, j, ty_item(ty_eval(h[j])), s->second[k]);
        for (int j = i + 1; j < n; j++)
            check_slope(s, i, j, ty_item(ty_eval(h[j])), s->second[j * (j + 1) / 2 + i]);
    }
    ty_allow_unused(false);
    test_round_end(round);
}

static void derivatives(void) {
    for (int i = 0; i < SLOPES; i += test_some(1, 1, 29)) check_slopes(&slopes[i], i % 3 == 0);
}

/* An unknown derivative is an error, but only if it is requested. */
static void lacking(void) {
    ty_tensor *p[] = {ty_track(ty_scalar(TY_F64, 20), "good"), ty_scalar(TY_F64, 30), ty_scalar(TY_F64, 12)};
    ty_tensor *x = ty_track(ty_scalar(TY_F64, 5), "x"), *both[] = {x, p[0]}, *g[2];
    for (int i = 0; i < 4; i++) {
        static const asked all[] = {ty_cdf, ty_sf, ty_logcdf, ty_logsf};
        ty_tensor *y = CHECK_OK(all[i](TY_DISTRIBUTION_HYPERGEOMETRIC, x, 3, p));
        CHECK(!ty_grad(y, 2, both, g), "cdf of hypergeometric by its parameters");
        CHECK_POISON(g[0], "its integrals have no gradient by its parameters");
    }
    p[0] = ty_scalar(TY_F64, 20);
    CHECK(ty_grad(ty_cdf(TY_DISTRIBUTION_HYPERGEOMETRIC, x, 3, p), 1, &x, g) && ty_item(g[0]) == 0,
          "by x it is 0: a step");
}

TESTS_MAIN(TEST(tails), TEST(inverses), TEST(identities), TEST(ends), TEST(derivatives), TEST(lacking))
